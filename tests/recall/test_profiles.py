"""The rankings of the seeds: golden cases worked out by hand, and recalls that they order."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from loxodon import Memory
from loxodon.config import (
    PROFILES,
    Config,
    OpenclawConfig,
    Phase1Config,
    TieredConfig,
    from_mapping,
)
from loxodon.errors import ConfigError, InputError
from loxodon.recall.profiles import (
    Features,
    Placed,
    in_common,
    named,
    openclaw,
    phase1,
    tiered,
    varied,
)
from loxodon.serve.cli import main
from loxodon.text.words import query_words
from loxodon.types import Recall
from tests.clock import NOW, Clock
from tests.each import each
from tests.measure.talks import garden, written
from tests.models.embedders.toys import Toy


def scores(placed: list[Placed]) -> dict[int, float]:
    return {one.at: one.score for one in placed}


def order(placed: list[Placed]) -> list[int]:
    return [one.at for one in placed]


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# --- phase1 ---------------------------------------------------------------------------------------


@each(
    ("one", "score"),
    [
        # 0.4 × 1 + 0.3 × 1 + 0.3 × 1
        (Features("fact", tags=1.0), 1.0),
        # 0.4 × 1/2 + 0.3 × 1/2 (one half-life) + 0.3 × 1 = 0.2 + 0.15 + 0.3
        (Features("fact", tags=0.5, days=7), 0.65),
        # 0.4 × 1 + 0.3 × 1/4 + 0.3 × 0.6 = 0.4 + 0.075 + 0.18
        (Features("summary", tags=1.0, days=14), 0.655),
        # 0.4 × 1 + 0.3 × 1 + 0.3 × 0.3 = 0.4 + 0.3 + 0.09
        (Features("turn", tags=1.0), 0.79),
        # found by text alone: 0 + 0.3 × 1/8 + 0.09
        (Features("turn", text=1.0, days=21), 0.1275),
        # 0.4 × 1/3 + 0.3 / 1024 (ten half-lives) + 0.3 = 0.13333 + 0.00029 + 0.3
        (Features("fact", tags=1 / 3, days=70), 0.43363),
        # what is dated ahead counts as of now: 0.2 + 0.3 + 0.3
        (Features("fact", tags=0.5, days=-4), 0.8),
    ],
)
def test_phase1_adds_tags_time_and_file(one: Features, score: float) -> None:
    (placed,) = phase1([one], Phase1Config())
    assert placed.score == pytest.approx(score, abs=5e-6)
    assert placed.terms.keys() == {"tags", "time", "file"}


def test_phase1_puts_a_fresh_summary_before_an_old_fact_with_the_same_tags() -> None:
    found = [
        Features("fact", tags=1.0, days=28),  # 0.4 + 0.3/16 + 0.3 = 0.71875
        Features("summary", tags=1.0, days=0),  # 0.4 + 0.3 + 0.18 = 0.88
        Features("turn", tags=1.0, days=0),  # 0.4 + 0.3 + 0.09 = 0.79
    ]
    assert order(phase1(found, Phase1Config())) == [1, 2, 0]


def test_phase1_begins_with_what_its_four_routes_lead_to() -> None:
    old = Features("fact", days=0)
    recent = [Features("turn", days=day / 10) for day in range(12)]
    tagged = [Features("summary", days=30, tags=share / 10) for share in range(1, 8)]
    facts = [Features("fact", days=30, importance=of / 10, tags=0.01) for of in range(1, 6)]
    matching = [Features("turn", days=30, text=share / 10) for share in range(1, 8)]
    found = [old, *recent, *tagged, *facts, *matching]
    # The 10 newest of three days, the 5 best tagged, the 3 most important facts, the 5 best
    # matches; and not the fact to which nothing leads, though it has 0.3 + 0.3.
    led_to = [*range(1, 11), *range(15, 20), 22, 23, 24, *range(27, 32)]
    placed = order(phase1(found, Phase1Config()))
    assert sorted(placed[: len(led_to)]) == led_to
    assert placed[len(led_to)] == 0
    assert sorted(placed) == list(range(len(found)))


def test_phase1_with_other_weights() -> None:
    found = [Features("fact", text=0.5, days=4), Features("turn", tags=1.0, text=1.0, days=2)]
    by_tags = Phase1Config(tags=1.0, time=0.0, file=0.0)
    assert scores(phase1(found, by_tags)) == {1: 1.0, 0: 0.0}
    by_time = Phase1Config(tags=0.0, time=1.0, file=0.0, half_life=2.0)
    assert scores(phase1(found, by_time)) == {1: 0.5, 0: 0.25}


# --- openclaw -------------------------------------------------------------------------------------


@each(
    ("found", "expected"),
    [
        # Text and vector: ranks 0, 1, 2 by text are 1, 1/2, 1/3.
        # 0.7 × 0.4 + 0.3 × 1 = 0.58; 0.7 × 1 + 0.3 × 1/2 = 0.85; 0.7 × 0.8 + 0.3 × 1/3 = 0.66
        (
            [
                Features("turn", text=1.0, meaning=0.4),
                Features("turn", text=0.6, meaning=1.0),
                Features("turn", text=0.3, meaning=0.8),
            ],
            [(1, 0.85), (2, 0.66), (0, 0.58)],
        ),
        # Found by one of the two only: 0.7 × 0.5 = 0.35 and 0.3 × 1 = 0.3
        ([Features("turn", text=1.0), Features("turn", meaning=0.5)], [(1, 0.35), (0, 0.3)]),
        # No embedder: text alone, 1 and 1/2 and 1/3
        (
            [Features("fact", text=0.2), Features("turn", text=1.0), Features("fact", text=0.5)],
            [(1, 1.0), (2, 0.5), (0, 0.33333)],
        ),
        # Faded: 1 × 1/2 (30 days) and 1/2 × 1 (today) and 1/3 × 1/8 (90 days); equals stay in order
        (
            [
                Features("fact", text=1.0, days=30),
                Features("fact", text=0.9, days=0),
                Features("fact", text=0.8, days=90),
            ],
            [(0, 0.5), (1, 0.5), (2, 0.041667)],
        ),
        # (0.7 × 1 + 0.3 × 1) × 2^(-7/30) = 0.85067, and 0.7 × 0.9 + 0.3 × 1/2 = 0.78
        (
            [
                Features("turn", text=1.0, meaning=1.0, days=7),
                Features("turn", text=0.5, meaning=0.9),
            ],
            [(0, 0.85067), (1, 0.78)],
        ),
        # Found by neither: not a candidate
        ([Features("fact", tags=1.0), Features("fact", text=0.1)], [(1, 1.0)]),
    ],
)
def test_openclaw_merges_and_fades(
    found: list[Features], expected: list[tuple[int, float]]
) -> None:
    placed = openclaw(found, 5, OpenclawConfig())
    assert order(placed) == [at for at, _ in expected]
    assert [one.score for one in placed] == pytest.approx([of for _, of in expected], abs=5e-6)


@pytest.mark.parametrize(
    ("texts", "similar"),
    [
        # Two of four words in common: the second has 0.7 × 1/2 − 0.3 × 1/2 = 0.2, the third
        # 0.7 × 1/3 − 0 = 0.2333
        (("green tea hot", "green tea cold", "hiking boots"), 2 / 4),
        # 绿茶 and 喜欢 of 喜欢, 欢喝, 喝绿, 绿茶 and 喜欢, 绿茶, 很香: 2 of 5, so
        # 0.7 × 1/2 − 0.3 × 2/5 = 0.23 against 0.2333
        (("喜欢 欢喝 喝绿 绿茶", "喜欢 绿茶 很香", "周末 爬山"), 2 / 5),
    ],
)
def test_openclaw_puts_what_is_new_before_what_repeats(
    texts: tuple[str, ...], similar: float
) -> None:
    assert in_common(words(texts[0]), words(texts[1])) == pytest.approx(similar)
    found = [
        Features("turn", text=1 - place / 10, words=words(text)) for place, text in enumerate(texts)
    ]
    assert order(openclaw(found, 5, OpenclawConfig())) == [0, 2, 1]
    assert order(openclaw(found, 5, OpenclawConfig(mmr=1.0))) == [0, 1, 2]


def test_variety_is_for_what_is_shown() -> None:
    # After the first, 0.7 × 0.8 − 0.3 × 1 = 0.26 for its double and 0.7 × 0.5 = 0.35 for the other;
    # what is not among the first two follows by relevance.
    same, other = words("a b"), words("c")
    assert varied([1.0, 0.9, 0.8, 0.5], [same, same, same, other], 2, 0.7) == [0, 3, 1, 2]


def test_variety_weighs_the_same_however_old_all_is() -> None:
    texts = [words("green tea hot"), words("green tea cold"), words("boots")]
    fresh = [1.0, 0.6, 0.2]
    # 0.7 × 0.6 − 0.3 × 1/2 = 0.27 against 0.7 × 0.2 = 0.14
    assert varied(fresh, texts, 3, 0.7) == [0, 1, 2]
    assert varied([score / 2**40 for score in fresh], texts, 3, 0.7) == [0, 1, 2]
    assert varied([], [], 3, 0.7) == []


def test_openclaw_takes_four_candidates_for_each_item() -> None:
    by_text = [Features("turn", text=1 - n / 100) for n in range(20)]
    by_meaning = [Features("turn", meaning=1 - n / 100) for n in range(20)]
    placed = openclaw([*by_text, *by_meaning], 2, OpenclawConfig())
    assert sorted(order(placed)) == [*range(8), *range(20, 28)]


def test_openclaw_without_any_weight_is_no_error() -> None:
    placed = openclaw([Features("turn", text=1.0)], 5, OpenclawConfig(vector=0.0, text=0.0))
    assert scores(placed) == {0: 0.0}


# --- tiered ---------------------------------------------------------------------------------------


@each(
    ("one", "score"),
    [
        (Features("fact", category="identity", importance=0.9, idle=900), 0.9),  # does not fade
        # 0.8 × (0.3 + 0.7 × e^-0.4) = 0.8 × (0.3 + 0.7 × 0.67032)
        (Features("fact", category="decision", importance=0.8, idle=100), 0.61538),
        # 0.8 × 0.3: the floor
        (Features("fact", category="solution", importance=0.8, idle=9_000), 0.24),
        # 0.5 × (0.1 + 0.9 × e^-0.69) = 0.5 × (0.1 + 0.9 × 0.50158)
        (Features("summary", category="event", importance=0.5, idle=30), 0.27571),
        # 0.6 × 0.1: the floor
        (Features("summary", category="conversation", importance=0.6, idle=9_000), 0.06),
        # 0.4 × e^-0.693 = 0.4 × 0.50007
        (Features("fact", category="temp", importance=0.4, idle=7), 0.20003),
        (Features("fact", category="debug", importance=0.4, idle=9_000), 0.0),  # nothing stays
        (Features("fact", category="preference", importance=0.7, idle=400), 0.7),  # not named
        # a turn is of the log: 0.5 × (0.1 + 0.9 × e^-0.23) × its match of 0.5
        (Features("turn", text=0.5, idle=10), 0.20377),
    ],
)
def test_tiered_is_importance_times_what_the_category_keeps(one: Features, score: float) -> None:
    (placed,) = tiered([one], "", "", TieredConfig())
    assert placed.score == pytest.approx(score, abs=1e-5)


def in_project(project: str, importance: float, **of: Any) -> Features:
    return Features("fact", project=project, importance=importance, category="fact", **of)


def test_tiered_fills_up_where_the_partition_has_too_little() -> None:
    found = [
        in_project("stellar", 1.0, text=1.0),
        in_project("_global", 0.6),
        in_project("MyClaw", 0.4),
        in_project("stellar", 0.9),  # no word of the question: full text has it not
    ]
    # The partition has two: full text brings the first, and relevance orders the three, 1.0 before
    # 0.6 before 0.4; what is neither comes after.
    assert order(tiered(found, "myclaw", "", TieredConfig())) == [0, 1, 2, 3]
    enough = [*found, *[in_project("myclaw", 0.1)] * 3]
    # Now it has five, and nothing fills up.
    assert order(tiered(enough, "myclaw", "", TieredConfig())) == [1, 2, 4, 5, 6, 0, 3]


def test_tiered_takes_the_most_important_of_the_partition() -> None:
    many = [in_project("记忆引擎", n / 100, text=1 - n / 100) for n in range(30)]
    fresh = Features("fact", project="记忆引擎", importance=0.2, category="temp", idle=1000)
    # The 20 most important are 0.29 to 0.11 and the one of 0.2 that has faded to nothing: it comes
    # last of them, before the 0.10 that was not among them.
    placed = order(tiered([*many, fresh], "记忆引擎", "", TieredConfig()))
    assert placed == [*range(29, 10, -1), 30, *range(10, -1, -1)]


def test_tiered_fills_up_with_the_best_matches() -> None:
    others = [in_project("别的", n / 100, text=1 - n / 100) for n in range(30)]
    # None is in the partition: the 10 best matches, those of least importance, come first.
    placed = order(tiered(others, "记忆引擎", "", TieredConfig()))
    assert placed == [*range(9, -1, -1), *range(29, 9, -1)]


def test_tiered_knows_topics_too() -> None:
    found = [
        in_project("myclaw", 0.9, topic="deployment"),
        in_project("myclaw", 0.5, topic="API"),
        in_project("myclaw", 0.4),
    ]
    assert order(tiered(found, "myclaw", "api", TieredConfig())) == [1, 2, 0]


def test_tiered_without_a_project_looks_everywhere() -> None:
    found = [in_project("a", 0.5), in_project("b", 0.9), in_project("_global", 0.7)]
    assert order(tiered(found, "", "", TieredConfig())) == [1, 2, 0]


def test_tiered_leaves_out_what_is_archived() -> None:
    found = [in_project("a", 0.5), in_project("a", 0.9, holds=False)]
    assert order(tiered(found, "a", "", TieredConfig())) == [0]


def test_tiered_puts_the_log_after_the_memories() -> None:
    found = [
        Features("turn", text=1.0),
        in_project("_global", 0.1),
        in_project("_global", 0.2),
        Features("turn"),  # no word of the question
    ]
    assert order(tiered(found, "", "", TieredConfig())) == [2, 1, 0]


def test_between_equals_the_better_match_comes_first() -> None:
    found = [in_project("_global", 0.8, text=0.2), in_project("_global", 0.8, text=0.9)]
    assert order(tiered(found, "", "", TieredConfig())) == [1, 0]


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("which database does Stellar Link use?", "stellar link"),
        ("记忆引擎用什么数据库", "记忆引擎"),
        ("which link was it?", ""),
        ("what is the general idea?", ""),
    ],
)
def test_a_project_is_named_by_all_its_words(question: str, found: str) -> None:
    labels = ["_global", "_general", "stellar link", "记忆引擎"]
    assert named(labels, frozenset(query_words(question))) == found


@pytest.mark.parametrize(
    "ranked",
    [
        lambda found: phase1(found, Phase1Config()),
        lambda found: openclaw(found, 0, OpenclawConfig()),
        lambda found: openclaw(found, 3, OpenclawConfig()),
        lambda found: tiered(found, "", "", TieredConfig()),
    ],
)
def test_nothing_is_placed_twice(ranked: Callable[[list[Features]], list[Placed]]) -> None:
    assert ranked([]) == []
    found = [Features("fact", text=0.5, tags=0.5, meaning=0.5, category="fact")] * 40
    placed = order(ranked(found))
    assert len(placed) == len(set(placed))


# --- A whole recall -------------------------------------------------------------------------------


def contents(answer: Recall) -> list[str]:
    return [item.content for item in answer.items]


def test_profiles_order_the_same_memories_differently(memory: Memory, clock: Clock) -> None:
    memory.capture(
        "Team Falcon decided to deploy on Fridays",
        importance=0.9,
        category="decision",
        tags=["release"],
    )
    clock.pass_days(60)
    memory.capture(
        "deploy log of Team Falcon: deploy, deploy again",
        importance=0.3,
        category="debug",
        tags=["Falcon", "deploy"],
    )
    clock.pass_days(1)
    asked = "when does Team Falcon deploy?"
    old = "Team Falcon decided to deploy on Fridays"
    # tiered: 0.9 × (0.3 + 0.7 × e^-0.244) = 0.7636 against 0.3 × e^-0.099 = 0.2717
    found = memory.recall(asked, profile="tiered")
    assert contents(found)[0] == old
    assert [item.score for item in found.items] == [0.7636, 0.2717]
    # phase1: the keywords are `Team Falcon deploy` and `Team Falcon`; of the first the tags of the
    # younger have 2 of 3 words, of the second 1 of 2, together 7/12; those of the older none:
    # 0.4 × 7/12 + 0.3 × 2^(-1/7) + 0.3 = 0.8051 against 0 + 0.3 × 2^(-61/7) + 0.3 = 0.3007
    found = memory.recall(asked, profile="phase1")
    assert contents(found)[1] == old
    assert [item.score for item in found.items] == [0.8051, 0.3007]
    # openclaw: 61 days have left a quarter of the older one
    found = memory.recall(asked, profile="openclaw")
    assert contents(found)[1] == old
    assert found.items[1].why["factors"]["decay"] == pytest.approx(2 ** (-61 / 30), abs=5e-5)


def test_profiles_order_chinese_memories_too(memory: Memory, clock: Clock) -> None:
    memory.capture("决定数据库用PostgreSQL", importance=0.9, category="decision", tags=["选型"])
    clock.pass_days(90)
    memory.capture("数据库今天连不上，在查", importance=0.3, category="temp", tags=["数据库"])
    asked = "数据库用什么"
    # tiered: 0.9 × (0.3 + 0.7 × e^-0.36) = 0.7095 against 0.3
    found = memory.recall(asked, profile="tiered")
    assert [item.score for item in found.items] == [0.7095, 0.3]
    assert contents(found)[0] == "决定数据库用PostgreSQL"
    # phase1: 0.4 + 0.3 + 0.3 = 1 against 0.3 × 2^(-90/7) + 0.3 = 0.3
    found = memory.recall(asked, profile="phase1")
    assert [item.score for item in found.items] == [1.0, 0.3]
    assert contents(found)[1] == "决定数据库用PostgreSQL"


def test_the_default_is_what_it_is_without_a_profile(memory: Memory, clock: Clock) -> None:
    for n in range(6):
        memory.capture(f"green tea of shop {n}", importance=n / 10)
        memory.add([{"role": "user", "content": f"I had green tea in shop {n}", "id": str(n)}])
        clock.pass_days(5)
    plain, chosen = memory.recall("green tea"), memory.recall("green tea", profile="default")
    assert chosen.items == plain.items


def test_the_profile_comes_from_the_settings(tmp_path: Path, clock: Clock) -> None:
    given = {"recall.profile": "tiered", "tiered.temp": 0.0, "timezone": "UTC"}
    with Memory.open(tmp_path, config=given, clock=clock) as memory:
        memory.capture("locker code is on the desk", category="temp", importance=0.5)
        clock.pass_days(30)
        assert memory.recall("locker").items[0].score == 0.5  # at a rate of 0 nothing fades
        (item,) = memory.recall("locker", profile="phase1").items
        assert set(item.why["routes"]) == {"tags", "time", "file"}


def test_a_named_project_comes_before_all_others(memory: Memory) -> None:
    memory.capture("stellar deploys with Docker", project="stellar", importance=1.0)
    memory.capture("记忆引擎用Docker部署", project="记忆引擎", importance=0.2)
    for n in range(4):  # with which the partition has five
        memory.capture(f"Docker is installed on host {n}", importance=0.1)
    found = contents(memory.recall("记忆引擎的Docker怎么部署", profile="tiered"))
    assert found[0] == "记忆引擎用Docker部署"
    assert found[5] == "stellar deploys with Docker"
    other = contents(memory.recall("does stellar deploy with Docker?", profile="tiered"))
    assert other[0] == "stellar deploys with Docker"
    assert other[5] == "记忆引擎用Docker部署"


def test_what_was_said_twice_takes_one_place_under_openclaw(memory: Memory) -> None:
    memory.add(
        [
            {"role": "user", "content": "the harbour walk was long and windy today", "id": "1"},
            {"role": "user", "content": "the harbour walk was long and windy today!", "id": "2"},
            {"role": "user", "content": "harbour seals ate our lunch", "id": "3"},
        ]
    )
    first, second = contents(memory.recall("harbour walk", profile="openclaw", top=2))
    assert first.startswith("the harbour walk")
    assert second == "harbour seals ate our lunch"


@pytest.mark.parametrize("profile", PROFILES)
def test_a_turn_and_the_memory_drawn_from_it_are_shown_once(memory: Memory, profile: str) -> None:
    memory.add([{"role": "user", "content": "I am allergic to peanuts.", "at": NOW.isoformat()}])
    memory.consolidate(force=True)
    found = memory.recall("peanuts allergic", profile=profile).items
    assert [item for item in found if item.kind == "turn"] == []
    assert [item for item in found if item.kind == "fact"]


@pytest.mark.parametrize("profile", ["phase1", "openclaw", "tiered"])
def test_what_no_longer_holds_does_not_come_first(
    memory: Memory, clock: Clock, profile: str
) -> None:
    memory.add([{"role": "user", "content": "I live in Leeds.", "at": NOW.isoformat()}])
    memory.consolidate(force=True)
    clock.pass_days(40)
    now = clock().isoformat()
    memory.add([{"role": "user", "content": "I moved, I live in Porto now.", "at": now}])
    memory.consolidate(force=True)
    found = contents(memory.recall("where do I live?", profile=profile))
    assert "Porto" in found[0]


@pytest.mark.parametrize("profile", ["phase1", "openclaw", "tiered"])
@pytest.mark.parametrize(
    "query", ["", "?!", "的", "🙂" * 500, "\u202egreen\u202c", "tea " * 20_000, "绿茶" * 20_000]
)
def test_any_text_is_a_query(memory: Memory, profile: str, query: str) -> None:
    memory.capture("green tea, 绿茶 🙂")
    assert memory.recall(query, profile=profile, top=3, budget=200).tokens <= 200


@pytest.mark.parametrize("profile", PROFILES)
def test_nothing_asked_for_is_nothing(memory: Memory, profile: str) -> None:
    memory.capture("green tea")
    assert memory.recall("tea", top=0, profile=profile).items == ()
    if profile != "tiered":  # 004 hands over what matters most of its partition all the same
        assert memory.recall("zeppelin", profile=profile).items == ()


def test_openclaw_counts_the_meaning_where_there_is_an_embedder(
    tmp_path: Path, clock: Clock
) -> None:
    with Memory.open(tmp_path, config={"timezone": "UTC"}, clock=clock, embedder=Toy()) as memory:
        for n in range(12):
            memory.capture(f"number {n} of the list is {chr(97 + n) * 5}")
        memory.capture("green tea in the morning")
        memory.capture("茶 every day, and tea again")
        alone = memory.recall("green tea", profile="openclaw")
        assert {item.why["routes"]["vector"] for item in alone.items} == {0.0}
        assert [item.score for item in alone.items] == [1.0, 0.5]
        memory.embed()
        first, *others = memory.recall("green tea", profile="openclaw").items
        assert first.content == "green tea in the morning"
        assert first.why["routes"]["vector"] == 0.7  # the closest: 0.7 × 1
        assert first.score == 1.0  # + 0.3 × 1 for the best match
        assert all(item.score < 1.0 for item in others)


def test_the_command_takes_a_profile(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOXODON_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    assert main(["capture", "green tea", "--importance", "0.7"]) == 0
    capsys.readouterr()
    assert main(["recall", "tea", "--profile", "tiered", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["items"][0]["score"] == 0.7
    assert main(["recall", "tea", "--profile", "phase2"]) == InputError.exit_code
    assert "default, phase1, openclaw, tiered" in capsys.readouterr().err
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    assert main(["recall", "tea", "--profile", "phase2"]) == InputError.exit_code
    assert "default, phase1, openclaw, tiered" in capsys.readouterr().err


@pytest.mark.parametrize("profile", PROFILES)
def test_the_bench_takes_a_profile(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    profile: str,
) -> None:
    monkeypatch.setenv("LOXODON_HOME", str(tmp_path / "home"))
    path = written(tmp_path, garden())
    assert main(["bench", "retrieval", path, "--profile", profile, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["files"][0]["overall"]["r@5"] == 100.0
    assert found["settings"] == ({} if profile == "default" else {"recall.profile": profile})


def test_an_unknown_profile_is_refused_with_the_names(memory: Memory) -> None:
    with pytest.raises(InputError, match="profile cannot be 'phase2'") as caught:
        memory.recall("tea", profile="phase2")
    assert caught.value.hint == "choose one of default, phase1, openclaw, tiered"
    with pytest.raises(ConfigError, match=r"recall\.profile cannot be 'x'") as refused:
        from_mapping({"recall.profile": "x"})
    assert refused.value.hint == "choose one of default, phase1, openclaw, tiered"


@pytest.mark.parametrize(
    ("name", "value"),
    [("phase1.half_life", 0.0), ("openclaw.mmr", 1.5), ("tiered.temp", -1.0), ("phase1.tags", 2)],
)
def test_weights_have_bounds(name: str, value: float) -> None:
    with pytest.raises(ConfigError, match="cannot be"):
        from_mapping({name: value})


def test_every_profile_but_the_default_has_weights() -> None:
    assert Config().weights("default") is None
    assert [type(Config().weights(name)) for name in PROFILES[1:]] == [
        Phase1Config,
        OpenclawConfig,
        TieredConfig,
    ]
