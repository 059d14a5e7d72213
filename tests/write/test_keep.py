"""The store after statements were taken in: what is added, makes way, waits and is told again."""

from __future__ import annotations

from datetime import timedelta

import pytest

from loxodon import Memory
from loxodon.errors import InputError, NotFoundError
from loxodon.language.statements import Mention
from loxodon.types import Source
from loxodon.write.extract import Candidate
from loxodon.write.keep import tags_of
from tests.clock import NOW, Clock
from tests.each import each
from tests.write.said import contents, one_about, said, store_of, tell

BEIJING = said("用户住在北京", "home", "北京", days=9)
SHANGHAI = said("用户住在上海", "home", "上海", days=1)
LEEDS = said("The user lives in Leeds", "home", "Leeds", days=9)
MAYBE_YORK = said(
    "The user might live in York",
    "home",
    "York",
    confidence=0.6,
    basis="I might live in York",
    days=1,
)


def again(candidate: Candidate, days: float = 0) -> Candidate:
    return candidate._replace(said_at=NOW - timedelta(days=days))


# What held before


def test_history_begins_with_what_was_superseded(memory: Memory) -> None:
    tell(memory, BEIJING, SHANGHAI)
    new = one_about(memory, "上海")
    steps = memory.history(new.id)
    assert [(step.change, step.record.content) for step in steps] == [
        ("learned", "用户住在北京"),
        ("superseded", "用户住在北京"),
        ("learned", "用户住在上海"),
    ]
    old = steps[1].record
    assert (old.state, old.valid_from, old.valid_until) == (
        "archived",
        BEIJING.said_at,
        SHANGHAI.said_at,
    )
    assert memory.get(new.id).replaces == old.id
    assert memory.validate() == []


def test_a_long_past_stays_in_order(memory: Memory) -> None:
    places = ["北京", "上海", "广州", "深圳"]
    for n, place in enumerate(places):
        tell(memory, said(f"用户住在{place}", "home", place, days=9 - n))
    learned = [
        step for step in memory.history(one_about(memory, "深圳").id) if step.change == "learned"
    ]
    assert [step.record.value for step in learned] == places
    assert contents(memory) == ["用户住在深圳"]


def test_what_made_way_held_until_the_new_began(memory: Memory) -> None:
    moved = SHANGHAI._replace(valid_from=NOW - timedelta(days=4))
    tell(memory, BEIJING, moved)
    old = one_about(memory, "北京", state="archived")
    assert old.valid_until == moved.valid_from
    # But what was said to be so after that held at least until then.
    tell(memory, said("The user works at Acme", "employer", "Acme", days=2))
    new = said("The user works at Initech", "employer", "Initech", days=1)
    tell(memory, new._replace(valid_from=NOW - timedelta(days=30)))
    acme = one_about(memory, "Acme", state="archived")
    assert acme.valid_until == acme.confirmed_at == NOW - timedelta(days=2)


def test_what_is_over_is_archived_with_its_end(memory: Memory) -> None:
    tell(memory, said("The user subscribes to Netflix", "subscription", "Netflix", days=5))
    tell(
        memory,
        said("The user cancelled Netflix", act="end", over=("Netflix",), days=1, positive=False),
    )
    gone = one_about(memory, "subscribes", state="archived")
    assert gone.valid_until == NOW - timedelta(days=1)
    assert memory.history(gone.id)[-1].change == "retracted"
    assert contents(memory) == ["The user cancelled Netflix"]


def test_a_correction_says_so(memory: Memory) -> None:
    keeper = tell(
        memory,
        said("The user has a cat called Mizo", "pet", "Mizo", days=1),
        said("The user has a cat called Miso", "pet", "Miso", act="correct", over=("Mizo",)),
    )
    assert keeper.counts["corrected"] == 1
    assert contents(memory) == ["The user has a cat called Miso"]


def test_late_arrivals_are_filed_as_past(memory: Memory) -> None:
    tell(memory, SHANGHAI)
    keeper = tell(memory, said("用户住在北京", "home", "北京", days=300))
    late = one_about(memory, "北京", state="archived")
    assert (late.valid_from, late.valid_until) == (NOW - timedelta(days=300), SHANGHAI.said_at)
    assert keeper.counts == {"late": 1, "held": 0}
    assert contents(memory) == ["用户住在上海"]
    # An end that is older than what it would end is no news at all.
    tell(memory, said("用户离开了上海", "home", act="end", days=200, positive=False))
    assert contents(memory, state="all") == ["用户住在上海", "用户住在北京"]


# The same again


def test_said_again_is_confirmed_and_not_kept_twice(memory: Memory, clock: Clock) -> None:
    first = said("用户对花生过敏", "allergy", "花生", importance=0.5, days=9)
    tell(memory, first, session="one")
    before = one_about(memory, "花生")
    clock.pass_days(1)
    keeper = tell(memory, again(first, 0), session="two")
    (after,) = memory.list(state="all")
    assert after.id == before.id
    assert after.importance == pytest.approx(0.7)
    assert after.confirmed_at == NOW
    assert after.valid_from == before.valid_from
    assert before.strength < after.strength <= before.strength + 0.1
    assert [one.session for one in after.sources] == ["one", "two"]
    assert memory.history(after.id)[-1].change == "repeated"
    assert keeper.counts == {"repeated": 1}


def test_importance_and_sources_have_a_limit_however_often_it_is_said(memory: Memory) -> None:
    candidate = said("用户对花生过敏", "allergy", "花生", importance=0.5)
    for n in range(25):
        tell(memory, again(candidate, 25 - n))
    (kept,) = memory.list(state="all")
    assert kept.importance == pytest.approx(0.7)
    assert kept.strength <= 1.0
    assert len(kept.sources) == 20
    assert memory.validate() == []


def test_a_late_repeat_does_not_turn_the_clock_back(memory: Memory) -> None:
    tell(memory, SHANGHAI, again(SHANGHAI, 100))
    (kept,) = memory.list()
    assert kept.confirmed_at == SHANGHAI.said_at


def test_richer_words_replace_poorer_ones(memory: Memory) -> None:
    tell(memory, said("The user has a cat", "pet", "cat", days=3))
    richer = said("The user has a cat named Miso", "pet", "cat", mentions=(Mention("Miso", "pet"),))
    keeper = tell(memory, richer)
    (kept,) = memory.list(state="all")
    assert (kept.content, kept.entities) == ("The user has a cat named Miso", ("Miso",))
    assert keeper.counts == {"updated": 1}
    assert [one.record.content for one in memory.history(kept.id)] == [
        "The user has a cat",
        "The user has a cat named Miso",
    ]
    tell(memory, said("The user has a cat", "pet", "cat"))
    assert contents(memory) == ["The user has a cat named Miso"]


def test_what_is_added_in_private_is_not_told_to_the_group(memory: Memory) -> None:
    tell(memory, said("The user has a cat", "pet", "cat", days=3), chat="group")
    assert memory.list()[0].audience == "group"
    tell(memory, said("The user has a cat", "pet", "cat", days=2), chat="direct")
    assert memory.list()[0].audience == "group"
    tell(memory, said("The user has a cat that has cancer", "pet", "cat"), chat="direct")
    assert memory.list()[0].audience == "private"


def test_a_guess_against_something_firm_waits(memory: Memory) -> None:
    keeper = tell(memory, LEEDS, MAYBE_YORK)
    (review,) = memory.reviews()
    assert (review.belief.content, review.against.content) == (
        "The user might live in York",
        "The user lives in Leeds",
    )
    belief = memory.get(review.belief.id)
    assert (belief.kind, belief.confidence, belief.basis) == ("belief", 0.6, "I might live in York")
    assert memory.history(belief.id)[0].change == "held"
    assert keeper.counts["held"] == 1
    assert memory.status().reviews == 1
    assert one_about(memory, "Leeds").state == "active"


def test_confirmed_it_takes_the_place_of_what_it_contradicts(memory: Memory) -> None:
    tell(memory, LEEDS, MAYBE_YORK)
    belief = memory.reviews()[0].belief
    fact = memory.confirm(belief.id)
    assert (fact.kind, fact.content, fact.confidence, fact.basis) == (
        "fact",
        "The user lives in York",
        1.0,
        "",
    )
    assert (fact.state, fact.derived_from) == ("active", (belief.id,))
    steps = memory.history(fact.id)
    assert steps[0].record.content == "The user lives in Leeds"
    assert steps[1].record.valid_until == MAYBE_YORK.said_at
    assert memory.reviews() == []
    assert [one.value for one in memory.list()] == ["York"]
    assert memory.get(fact.id).sources == memory.get(belief.id).sources != ()
    with pytest.raises(InputError):
        memory.confirm(belief.id)


def test_rejected_it_is_archived_and_all_stays_as_it_was(memory: Memory) -> None:
    tell(memory, LEEDS, MAYBE_YORK)
    belief = memory.reviews()[0].belief
    gone = memory.reject(belief.id)
    assert (gone.state, memory.history(gone.id)[-1].change) == ("archived", "rejected")
    assert memory.reviews() == []
    assert contents(memory) == ["The user lives in Leeds"]
    with pytest.raises(InputError):
        memory.reject(belief.id)


def test_said_again_it_is_surer_and_still_waits(memory: Memory) -> None:
    tell(memory, LEEDS, MAYBE_YORK, *(again(MAYBE_YORK) for _ in range(6)))
    (review,) = memory.reviews()
    assert (review.belief.confidence, review.against.value) == (0.95, "Leeds")
    assert one_about(memory, "Leeds").state == "active"


def test_a_fact_settles_it_either_way(memory: Memory) -> None:
    tell(memory, LEEDS, MAYBE_YORK, said("The user lives in York", "home", "York"))
    assert memory.reviews() == []
    (fact,) = memory.list()
    assert (fact.kind, fact.value) == ("fact", "York")
    # The past of the fact is what was known before it, not what was thought.
    assert memory.history(fact.id)[0].record.value == "Leeds"
    assert [memory.get(id).kind for id in fact.derived_from] == ["belief"]


def test_the_firm_memory_said_again_denies_it(memory: Memory) -> None:
    tell(memory, LEEDS, MAYBE_YORK)
    id = memory.reviews()[0].belief.id
    tell(memory, again(LEEDS, 0.5))
    assert memory.get(id).confidence == pytest.approx(0.3)
    assert len(memory.reviews()) == 1
    tell(memory, again(LEEDS, 0.1))
    assert (memory.get(id).state, memory.history(id)[-1].change) == ("archived", "denied")
    assert memory.reviews() == []
    assert contents(memory) == ["The user lives in Leeds"]


def test_confirming_an_old_guess_leaves_one_home(memory: Memory) -> None:
    maybe_rome = said("The user might live in Rome", "home", "Rome", confidence=0.9, days=1)
    tell(memory, LEEDS, MAYBE_YORK, maybe_rome)
    york, rome = (one.belief for one in memory.reviews())
    memory.confirm(york.id)
    memory.confirm(rome.id)
    assert [(one.kind, one.value) for one in memory.list(kind="fact")] == [("fact", "Rome")]
    past = [step.record.value for step in memory.history(memory.list(kind="fact")[0].id)]
    assert past[-1] == "Rome"
    assert "York" in past


@each(
    ("content", "tags"),
    [
        ("The user's brother Rafael no longer plays the drums", "Rafael brother drums"),
        ("The user's neighbour Greta breeds alpacas", "Greta neighbour alpacas"),
        ("Omar flies gliders", "gliders Omar"),
        ("The user no longer smokes", "smokes"),
        ("The user usually cycles to the office", "cycles office"),
        ("The user's boss Priya might visit Lagos", "Priya Lagos boss"),
        ("用户不再抽烟", "抽烟"),
    ],
)
def test_a_tag_is_what_a_memory_names_without_its_verb(content: str, tags: str) -> None:
    assert " ".join(tags_of(content)) == tags


def test_only_beliefs_can_be_confirmed_or_rejected(memory: Memory) -> None:
    tell(memory, LEEDS)
    fact = memory.list()[0]
    for answer in (memory.confirm, memory.reject):
        with pytest.raises(InputError, match="not a belief"):
            answer(fact.id)
        with pytest.raises(NotFoundError):
            answer("b_19990101_001")
    assert memory.get(fact.id) == fact


def test_a_belief_that_nobody_disputes_can_be_confirmed(memory: Memory) -> None:
    belief = memory.capture("用户可能喜欢爵士乐", "belief", confidence=0.5)
    fact = memory.confirm(belief.id)
    assert (fact.kind, fact.content, fact.replaces) == ("fact", "用户喜欢爵士乐", belief.id)
    assert contents(memory) == ["用户喜欢爵士乐"]


# What a memory carries


def test_where_it_comes_from_and_what_it_is_filed_under(memory: Memory) -> None:
    candidate = said(
        "Mei lives in Osaka",
        "home",
        "Osaka",
        subject="Mei",
        category="status",
        project="move",
        topic="family",
        mentions=(Mention("Osaka", "place"),),
    )
    tell(memory, candidate, origin="import", chat="group", session="chat")
    (kept,) = memory.list()
    assert (kept.project, kept.topic, kept.category) == ("move", "family", "status")
    assert set(kept.entities) == {"Mei", "Osaka"}
    assert (kept.trust, kept.audience) == ("import", "group")
    (source,) = kept.sources
    assert source == Source("chat", source.turn)
    assert memory.turn(f"chat:{source.turn}").content == "Mei lives in Osaka"
    assert kept.tags
    plain = tell(memory, said("用户会游泳", "skill", "游泳")).changed
    (one,) = [record for record in plain.values() if record.kind == "fact"]
    assert (one.project, one.topic, one.audience) == ("_global", "_general", "private")


@pytest.mark.parametrize(
    "content", ["", " ", "🦣", "\u202eabc", "a\x00b", "用" * 5000, "x " * 5000, "%_'\"--"]
)
def test_any_words_can_be_taken_in(memory: Memory, content: str) -> None:
    store = store_of(memory)
    tell(memory, LEEDS)
    candidate = said(
        "The user said so",
        "owns",
        content,
        mentions=(Mention(content or "?"),),
        act="end",
        over=(content,),
    )
    tell(memory, candidate)
    assert one_about(memory, "Leeds").state == "active"
    with store.reading():
        assert memory.validate() == []


def test_taking_in_the_same_transcript_twice_changes_no_words(memory: Memory) -> None:
    talk = [
        BEIJING,
        said("用户对花生过敏", "allergy", "花生", days=8),
        SHANGHAI,
        said("用户不再喝咖啡", act="end", over=("咖啡",), positive=False, days=1),
    ]
    tell(memory, *talk)
    first = contents(memory)
    tell(memory, *talk)
    assert contents(memory) == first
