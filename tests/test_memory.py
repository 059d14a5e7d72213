"""The library: what `Memory` promises."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import loxodon
from loxodon import (
    Config,
    InputError,
    LoxodonError,
    Memory,
    NotFoundError,
    StaleEditError,
    StoreError,
)
from loxodon.types import Draft, Record
from tests.clock import NOW, Clock


def test_the_public_names_are_pinned() -> None:
    assert loxodon.__all__ == [
        "Added",
        "Card",
        "Config",
        "ConfigError",
        "Consolidated",
        "ConsolidationError",
        "Coverage",
        "Embedded",
        "Entity",
        "Event",
        "Frame",
        "Gate",
        "InputError",
        "Item",
        "LeftOut",
        "LoxodonError",
        "Memory",
        "ModelError",
        "NotFoundError",
        "Problem",
        "Recall",
        "Record",
        "Review",
        "Segment",
        "Source",
        "StaleEditError",
        "Stats",
        "Status",
        "StoreError",
        "Trace",
        "Turn",
        "Version",
    ]
    assert all(hasattr(loxodon, name) for name in loxodon.__all__)
    assert (Path(loxodon.__file__).parent / "py.typed").exists()


def test_every_public_method_says_what_it_promises() -> None:
    for name in dir(Memory):
        if not name.startswith("_"):
            assert getattr(Memory, name).__doc__ or name == "space", name


def turn(content: str, **more: object) -> dict[str, object]:
    return {"role": "user", "content": content, **more}


# Adding


def test_turns_are_journalled_in_order_with_all_they_had(memory: Memory) -> None:
    given = turn(
        "hi",
        speaker="Li",
        channel="irc",
        chat="room",
        origin="group",
        id=7,
        at="2026-02-01T10:00:00+01:00",
    )
    added = memory.add([given, {"role": "assistant", "text": "hello"}], session="s")
    assert (added.added, added.known, added.sessions) == (2, 0, ("s",))
    first, second = memory.journal()
    assert (first.speaker, first.channel, first.chat, first.origin, first.id) == (
        "Li",
        "irc",
        "room",
        "group",
        "7",
    )
    assert first.at == datetime.fromisoformat("2026-02-01T10:00:00+01:00")
    assert first.at.utcoffset() == timedelta(hours=1)
    assert (second.origin, second.at, second.id) == ("assistant", first.at, "#2")
    assert memory.turn(first.ref) == first


def test_a_time_without_an_offset_is_the_users_own(memory: Memory) -> None:
    memory.add([turn("hi", at="2026-02-01T10:00:00")])
    assert memory.journal()[0].at.isoformat() == "2026-02-01T10:00:00+08:00"


def test_the_same_turns_twice_are_added_once(memory: Memory) -> None:
    said = [turn("ok"), turn("ok"), turn("好的")]
    assert memory.add(said, session="s").added == 3
    again = memory.add(said, session="s")
    assert (again.added, again.known) == (0, 3)
    assert memory.add([*said, turn("new")], session="s").added == 1
    assert memory.add(said, session="another").added == 3


def test_by_id_where_there_is_one_and_by_place_where_not(memory: Memory) -> None:
    memory.add([turn("first", id="a")], session="s")
    assert memory.add([turn("changed", id="a")], session="s").added == 0
    assert memory.add([turn("first", id="a")], session="t").added == 1
    assert memory.add([turn("yes", at="2026-02-01T10:00:00Z")], session="s").added == 1
    assert memory.add([turn("yes", at="2026-02-01T10:05:00Z")], session="s").added == 1


def test_a_line_that_is_mended_moves_no_other(memory: Memory) -> None:
    lines = [Draft(1, "user", "one"), Draft(3, "user", "three"), Draft(4, "user", "four")]
    memory.add_drafts(lines, ["s"])
    mended = [lines[0], Draft(2, "user", "two"), *lines[1:]]
    assert memory.add_drafts(mended, ["s"])[:2] == (1, 3)


def test_another_time_zone_makes_no_other_turn(tmp_path: Path) -> None:
    said = [turn("hi", at="2026-02-01T10:00:00")]
    with Memory.open(tmp_path, config={"timezone": "Asia/Shanghai"}) as memory:
        assert memory.add(said).added == 1
    with Memory.open(tmp_path, config={"timezone": "Europe/Berlin"}) as memory:
        assert memory.add(said).added == 0


def test_turns_without_a_time_keep_their_place(memory: Memory) -> None:
    memory.add(
        [
            turn("0"),
            turn("1", at="2026-02-01T10:00:00"),
            turn("2"),
            turn("3", at="2026-02-01T10:05:00"),
        ]
    )
    assert [one.content for one in memory.journal()] == ["0", "1", "2", "3"]


def test_other_words_under_the_same_id_are_reported(memory: Memory) -> None:
    memory.add([turn("v1", id="e")])
    again = memory.add([turn("v2", id="e"), turn("v1", id="e")])
    assert (again.added, again.known, again.changed) == (0, 2, 1)
    assert [one.content for one in memory.journal()] == ["v1"]


def test_two_files_of_one_name_are_two_conversations(memory: Memory) -> None:
    rome = [Draft(n, "user", text) for n, text in enumerate(["hi", "hello", "book Rome"], 1)]
    other = [*rome[:2], Draft(3, "user", "cancel Rome")]
    names = ["log", "y/log", "y/log (2)"]
    assert memory.add_drafts(rome, names).sessions == ("log",)
    assert memory.add_drafts(other, names).sessions == ("y/log",)
    assert memory.add_drafts(rome, names)[:2] == (0, 3)
    grown = [*rome, Draft(4, "user", "and a hotel")]
    assert memory.add_drafts(grown, names)[:2] == (1, 3)


def test_one_bad_turn_refuses_them_all(memory: Memory) -> None:
    with pytest.raises(InputError, match="turn 2") as caught:
        memory.add([turn("good"), {"role": "wizard", "content": "x"}, turn("")])
    assert [line for line, _ in caught.value.problems] == [2, 3]
    assert memory.journal() == []


def test_no_turns_are_no_trouble(memory: Memory) -> None:
    assert memory.add([]).added == 0


def test_progress_is_reported(memory: Memory) -> None:
    steps: list[tuple[int, int]] = []
    memory.add((turn(f"n{n}") for n in range(4_500)), "s", lambda *step: steps.append(step))
    assert steps == [(2_000, 4_500), (4_000, 4_500), (4_500, 4_500)]


def test_the_journal_can_be_searched_and_narrowed(memory: Memory) -> None:
    memory.add([turn(f"苹果 {n}", at=f"2026-02-0{n}T10:00:00") for n in range(1, 5)], session="s")
    assert [t.content for t in memory.journal(limit=2)] == ["苹果 3", "苹果 4"]
    assert len(memory.journal("苹果")) == 4
    assert memory.journal("苹果", session="none") == []
    day = datetime.fromisoformat("2026-02-03T00:00:00+08:00")
    assert [t.content for t in memory.journal(since=day, until=day + timedelta(days=1))] == [
        "苹果 3"
    ]


# Capturing and changing


def test_a_captured_memory_has_a_source_in_the_journal(memory: Memory) -> None:
    record = memory.capture(
        "  用户对花生过敏 ", importance=1, tags=["a", "a", "b"], category="health"
    )
    assert record.content == "用户对花生过敏"
    assert (record.importance, record.confidence, record.strength) == (1.0, 1.0, 1.0)
    assert record.tags == ("a", "b")
    assert record.trust == "user"
    (source,) = record.sources
    assert [t.content for t in memory.journal(session=source.session) if t.id == source.turn] == [
        record.content
    ]
    assert memory.get(record.id) == record
    assert [v.change for v in memory.history(record.id)] == ["captured"]


def test_a_belief_starts_weaker(memory: Memory) -> None:
    record = memory.capture("may like tea", "belief", importance=0.5)
    assert (record.id[:2], record.confidence, record.strength) == ("b_", 0.6, 0.3)
    assert memory.capture("x y", "belief", importance=0.1, confidence=0.1).strength == 0.2


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"content": "\n"}, "the content is empty"),
        ({"content": "nul\0nul"}, "NUL"),
        ({"content": "half \ud800"}, "half a character"),
        ({"content": 5}, "must be text"),
        ({"importance": 1.01}, "importance cannot be 1.01"),
        ({"importance": float("nan")}, "importance cannot be nan"),
        ({"importance": True}, "importance cannot be True"),
        ({"confidence": -1}, "confidence cannot be -1"),
        ({"kind": "opinion"}, "kind cannot be 'opinion'"),
        ({"category": "misc"}, "category cannot be 'misc'"),
        ({"origin": "oracle"}, "origin cannot be 'oracle'"),
        ({"tags": ["a", ""]}, "the tags is empty"),
        ({"project": "p" * 201}, "201 characters"),
        ({"expires_at": "tomorrow"}, "must be a date and time"),
        ({"expires_at": datetime(9999, 12, 31, 23, tzinfo=UTC)}, "in the year 9999"),
        ({"tags": "work"}, "must be a list of names"),
        ({"tags": None}, "must be a list of names"),
        ({"project": ""}, "the project is empty"),
        ({"project": None}, "must be text"),
        ({"kind": "belief", "confidence": 1.0}, "must be below 1"),
    ],
)
def test_what_cannot_be_kept_is_refused(memory: Memory, wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        memory.capture(**{"content": "fine", **wrong})
    assert memory.list() == []
    assert memory.journal() == []


def test_an_edit_is_a_new_version(memory: Memory, clock: Clock) -> None:
    record = memory.capture("works in Beijing", tags=["work"])
    clock.pass_days(1)
    edited = memory.edit(record.id, content="works in Shanghai", project="Acme", version=1)
    assert (edited.version, edited.updated_at, edited.created_at) == (2, clock.now, NOW)
    assert [v.record.content for v in memory.history(record.id)] == [
        "works in Beijing",
        "works in Shanghai",
    ]
    with pytest.raises(StaleEditError):
        memory.edit(record.id, content="works in Xi'an", version=1)
    with pytest.raises(InputError, match="kind cannot be edited"):
        memory.edit(record.id, kind="belief")  # type: ignore[call-arg]
    assert memory.edit(record.id, content="works in Shanghai").version == 2
    belief = memory.capture("may move", "belief")
    with pytest.raises(InputError, match="must be below 1"):
        memory.edit(belief.id, confidence=1.0)
    with pytest.raises(NotFoundError):
        memory.edit("f_1", content="x")


def test_strength_falls_by_the_closed_formula(memory: Memory, clock: Clock) -> None:
    fact = memory.capture("a", importance=0.5)
    belief = memory.capture("b", "belief", importance=1.0, confidence=0.5)
    clock.pass_days(100)
    assert memory.get(fact.id).strength == pytest.approx(0.5 * (1 - 0.008 * 0.75) ** 100)
    assert memory.get(belief.id).strength == pytest.approx(0.5 * (1 - 0.07 * 0.5) ** 100)
    clock.pass_days(-500)
    assert memory.get(fact.id).strength == 0.5


def test_a_change_of_importance_counts_on_from_what_is_left(memory: Memory, clock: Clock) -> None:
    record = memory.capture("a", importance=0.5)
    clock.pass_days(100)
    left = memory.get(record.id).strength
    assert memory.edit(record.id, importance=1.0).strength == pytest.approx(left)
    clock.pass_days(10)
    assert memory.get(record.id).strength == pytest.approx(left * 0.996**10)


def test_archiving_and_back(memory: Memory, clock: Clock) -> None:
    record = memory.capture("likes durian", importance=0.2)
    clock.pass_days(300)
    archived = memory.archive(record.id)
    assert (archived.state, archived.version) == ("archived", 2)
    assert memory.archive(record.id).version == 2
    with pytest.raises(StaleEditError):
        memory.archive(record.id, version=1)
    assert memory.list() == []
    assert [r.id for r in memory.list(state="archived")] == [record.id]
    assert [r.id for r in memory.list(state="all")] == [record.id]
    back = memory.unarchive(record.id)
    assert (back.state, back.strength) == ("active", 0.3)
    assert memory.unarchive(record.id).version == 3
    assert [v.change for v in memory.history(record.id)] == ["captured", "archived", "unarchived"]


# Opening


def test_settings_can_be_handed_in(tmp_path: Path) -> None:
    with Memory.open(tmp_path, config={"recall.top": 1, "timezone": "UTC"}) as memory:
        memory.add([turn("apple 1"), turn("apple 2")])
        assert len(memory.recall("apple").items) == 1
    with Memory.open(tmp_path, config=Config()) as memory:
        assert len(memory.recall("apple").items) == 2
    (tmp_path / "config.toml").write_text("[recall]\ntop = 1\n")
    with Memory.open(tmp_path) as memory:
        assert len(memory.recall("apple").items) == 1


@pytest.mark.parametrize(
    "space", ["Alice", "alice", "a/../b", "张三", "con", "x" * 128, "é", "e\u0301"]
)
def test_any_name_is_a_space_of_its_own(tmp_path: Path, space: str) -> None:
    with Memory.open(tmp_path, space) as memory:
        assert memory.space == space
        memory.capture("mine")
    others = {"alice", "Alice", "b", "a", "é", "e\u0301"} - {space}
    for other in others:
        with Memory.open(tmp_path, other) as memory:
            assert memory.list() == []
    folders = {path.parent for path in tmp_path.rglob("loxodon.db")}
    assert folders == set((tmp_path / "spaces").iterdir())


@pytest.mark.parametrize("space", ["", "x" * 129, "a\nb", "\x00", "\ud800"])
def test_some_names_are_not(tmp_path: Path, space: str) -> None:
    with pytest.raises(InputError, match="is not a valid space name"):
        Memory.open(tmp_path, space)


def test_threads_share_a_memory(memory: Memory) -> None:
    def work(who: int) -> None:
        for n in range(20):
            memory.add([turn(f"{who} says {n}", id=f"{who}-{n}")], session=str(who))
            memory.recall(f"{who} says")

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert memory.status().turns == 80
    assert memory.validate() == []


def test_two_editors_at_once_never_merge_silently(tmp_path: Path) -> None:
    with Memory.open(tmp_path) as one, Memory.open(tmp_path) as two:
        record: Record = one.capture("a")
        assert two.get(record.id).version == 1
        one.edit(record.id, content="b", version=1)
        with pytest.raises(StaleEditError):
            two.edit(record.id, content="c", version=1)
        assert two.get(record.id).content == "b"


# Care


def test_status_and_stats(memory: Memory) -> None:
    memory.add([turn("a"), turn("b", session="t")], session="s")
    memory.capture("c", importance=0.95)
    status, stats = memory.status(), memory.stats()
    assert (status.turns, status.sessions, status.active, status.archived) == (3, 3, 1, 0)
    assert status.last_turn_at == NOW
    assert (stats.total, stats.importance["critical"]) == (1, 1)
    assert stats.last_consolidation is None
    assert stats.next_consolidation is not None
    assert stats.next_consolidation.isoformat() == "2026-02-05T03:00:00+08:00"


def test_the_snapshot_keeps_to_its_budget(tmp_path: Path, clock: Clock) -> None:
    with Memory.open(tmp_path, config={"snapshot.budget": 300}, clock=clock) as memory:
        for n in range(100):
            memory.capture(f"第 {n} 件重要的事情，说来话长 and so on", importance=n / 100)
        memory.capture("The user is called Lin", category="identity", importance=1.0)
        text = memory.snapshot("zh")
        assert text.startswith("# 记忆快照")
        assert "## 用户\n- The user is called Lin\n" in text
        assert memory._space.count(text) <= 300
        assert memory.snapshot("en").startswith("# Memory snapshot")


def test_validate_and_rebuild(memory: Memory) -> None:
    memory.add([turn("苹果")])
    memory.capture("likes apples")
    assert memory.validate() == []
    assert memory.rebuild_index() == 3
    assert memory.validate() == []
    assert memory.recall("苹果").items


def test_a_name_moved_from_tags_to_entities_is_filtered_by_its_new_place(memory: Memory) -> None:
    record = memory.capture("x", tags=["alice"], project="Ärzte")
    memory.edit(record.id, tags=[], entities=["Alice"])
    assert memory.list(tag="alice") == []
    assert [one.id for one in memory.list(entity="alice")] == [record.id]
    assert [one.id for one in memory.list(project="ärzte")] == [record.id]
    assert memory.validate() == []


@pytest.mark.parametrize(
    "asked",
    [{"kind": "opinion"}, {"state": "gone"}, {"limit": -1}, {"since": "monday"}, {"tag": "\ud800"}],
)
def test_a_question_that_makes_no_sense_is_refused(memory: Memory, asked: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        memory.list(**asked)


def test_a_time_without_a_zone_is_the_users_own_in_questions_too(memory: Memory) -> None:
    memory.add([turn("late", at="2026-02-01T23:30:00+08:00")])
    assert memory.journal(since=datetime(2026, 2, 1), until=datetime(2026, 2, 2))
    assert not memory.journal(since=datetime(2026, 2, 2))


def test_what_is_closed_says_so(tmp_path: Path) -> None:
    memory = Memory.open(tmp_path)
    memory.close()
    for use in (lambda: memory.add([turn("x")]), lambda: memory.recall("x"), memory.list):
        with pytest.raises(StoreError, match="is closed"):
            use()


def test_a_captured_memory_is_equal_to_what_is_read_back(tmp_path: Path) -> None:
    with Memory.open(tmp_path) as memory:  # the machine's own clock has microseconds
        record = memory.capture("x")
        assert memory.get(record.id)._replace(strength=record.strength) == record


@pytest.mark.parametrize("path", ["", "a\0b", "h\udcff\udcfe"])
def test_a_path_that_cannot_be(path: str, tmp_path: Path) -> None:
    with pytest.raises(LoxodonError):
        Memory.open(f"{tmp_path}/{path}" if path else "")


def test_an_open_memory_that_is_lost_is_complained_about(tmp_path: Path) -> None:
    import gc

    memory = Memory.open(tmp_path)
    with pytest.warns(ResourceWarning):  # noqa: PT031
        del memory
        gc.collect()
