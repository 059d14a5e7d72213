"""The library: what `Memory` promises."""

from __future__ import annotations

import gc
import threading
from base64 import urlsafe_b64decode, urlsafe_b64encode
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import loxodon
from loxodon import Memory
from loxodon.config import Config
from loxodon.errors import InputError, LoxodonError, NotFoundError, StaleEditError, StoreError
from loxodon.types import Draft
from tests.clock import NOW, Clock
from tests.each import each


def test_public_names_are_pinned_and_documented() -> None:
    assert loxodon.__all__ == ["Memory"]
    assert (Path(loxodon.__file__).parent / "py.typed").exists()
    for name in dir(Memory):
        if not name.startswith("_"):
            assert getattr(Memory, name).__doc__ or name == "space", name


def turn(content: str, **more: object) -> dict[str, object]:
    return {"role": "user", "content": content, **more}


def contents(found: Any) -> list[str]:
    return [one.content for one in found]


# Adding


def test_turns_are_journalled_in_order_with_all_they_had(memory: Memory) -> None:
    had = {"speaker": "Li", "channel": "irc", "chat": "room", "origin": "group", "id": "7"}
    given = turn("hi", **{**had, "id": 7}, at="2026-02-01T10:00:00+01:00")
    added = memory.add([given, {"role": "assistant", "text": "hello"}], session="s")
    assert (added.added, added.known, added.sessions) == (2, 0, ("s",))
    first, second = memory.journal()
    assert {name: getattr(first, name) for name in had} == had
    assert first.at == datetime.fromisoformat("2026-02-01T10:00:00+01:00")
    assert first.at.utcoffset() == timedelta(hours=1)
    assert (second.origin, second.at, second.id) == ("assistant", first.at, "#2")
    assert memory.turn(first.ref) == first
    assert memory.add([]).added == 0


def test_turn_is_known_by_its_id_or_by_its_time_and_place(memory: Memory) -> None:
    memory.add([turn("v1", id="a")], session="s")
    again = memory.add([turn("v2", id="a"), turn("v1", id="a")], session="s")
    assert (again.added, again.known, again.changed) == (0, 2, 1)
    assert contents(memory.journal()) == ["v1"]
    assert memory.add([turn("v1", id="a")], session="t").added == 1
    assert memory.add([turn("yes", at="2026-02-01T10:00:00Z")], session="s").added == 1
    assert memory.add([turn("yes", at="2026-02-01T10:05:00Z")], session="s").added == 1


def test_lines_of_a_file_keep_their_place(memory: Memory) -> None:
    lines = [Draft(1, "user", "one"), Draft(3, "user", "three"), Draft(4, "user", "four")]
    memory.add_drafts(lines, ["s"])
    mended = memory.add_drafts([lines[0], Draft(2, "user", "two"), *lines[1:]], ["s"])
    assert (mended.added, mended.known) == (1, 3)
    at = "2026-02-01T10:0{}:00".format
    memory.add([turn("0"), turn("1", at=at(0)), turn("2"), turn("3", at=at(5))], session="t")
    assert contents(memory.journal(session="t")) == ["0", "1", "2", "3"]


def test_two_files_of_one_name_are_two_conversations(memory: Memory) -> None:
    rome = [Draft(n, "user", text) for n, text in enumerate(["hi", "hello", "book Rome"], 1)]
    other = [*rome[:2], Draft(3, "user", "cancel Rome")]
    grown = [*rome, Draft(4, "user", "and a hotel")]
    names = ["log", "y/log", "y/log (2)"]
    assert memory.add_drafts(rome, names).sessions == ("log",)
    assert memory.add_drafts(other, names).sessions == ("y/log",)
    for drafts, counts in ((rome, (0, 3)), (grown, (1, 3))):
        added = memory.add_drafts(drafts, names)
        assert (added.added, added.known) == counts


def test_time_without_an_offset_is_the_users_own(tmp_path: Path) -> None:
    said = [turn("hi", at="2026-02-01T23:30:00")]
    with Memory.open(tmp_path, config={"timezone": "Asia/Shanghai"}) as memory:
        assert memory.add(said).added == 1
        assert memory.journal()[0].at.isoformat() == "2026-02-01T23:30:00+08:00"
        assert memory.journal(since=datetime(2026, 2, 1), until=datetime(2026, 2, 2))
        assert not memory.journal(since=datetime(2026, 2, 2))
    with Memory.open(tmp_path, config={"timezone": "Europe/Berlin"}) as memory:
        assert memory.add(said).added == 0


def test_one_bad_turn_refuses_them_all(memory: Memory) -> None:
    with pytest.raises(InputError, match="turn 2") as caught:
        memory.add([turn("good"), {"role": "wizard", "content": "x"}, turn("")])
    assert [line for line, _ in caught.value.problems] == [2, 3]
    assert memory.journal() == []


def test_progress_is_reported(memory: Memory) -> None:
    steps: list[tuple[int, int]] = []
    memory.add((turn(f"n{n}") for n in range(4_500)), "s", lambda *step: steps.append(step))
    assert steps == [(2_000, 4_500), (4_000, 4_500), (4_500, 4_500)]


def test_journal_can_be_searched_and_narrowed(memory: Memory) -> None:
    memory.add([turn(f"苹果 {n}", at=f"2026-02-0{n}T10:00:00") for n in range(1, 5)], session="s")
    assert contents(memory.journal(limit=2)) == ["苹果 3", "苹果 4"]
    assert len(memory.journal("苹果")) == 4
    assert memory.journal("苹果", session="none") == []
    day = datetime.fromisoformat("2026-02-03T00:00:00+08:00")
    assert contents(memory.journal(since=day, until=day + timedelta(days=1))) == ["苹果 3"]


# Capturing and changing


def test_captured_memory_has_a_source_in_the_journal(memory: Memory) -> None:
    record = memory.capture("  用户对花生过敏 ", tags=["a", "a", "b"])
    assert record.category == "health"  # which always counts
    assert (record.content, record.trust) == ("用户对花生过敏", "user")
    assert (record.importance, record.confidence, record.strength) == (1.0, 1.0, 1.0)
    assert record.tags == ("a", "b")
    (source,) = record.sources
    heard = [one for one in memory.journal(session=source.session) if one.id == source.turn]
    assert contents(heard) == [record.content]
    assert memory.get(record.id) == record
    assert [version.change for version in memory.history(record.id)] == ["captured"]


@each(
    ("wrong", "said"),
    [
        ({"content": "\n"}, "the content is empty"),
        ({"content": "nul\0nul"}, "NUL"),
        ({"content": "half \ud800"}, "half a character"),
        ({"importance": 1.01}, "importance cannot be 1.01"),
        ({"importance": float("nan")}, "importance cannot be nan"),
        ({"confidence": -1}, "confidence cannot be -1"),
        ({"kind": "opinion"}, "kind cannot be 'opinion'"),
        ({"category": "misc"}, "category cannot be 'misc'"),
        ({"tags": ["a", ""]}, "the tags is empty"),
        ({"project": "p" * 201}, "201 characters"),
        ({"expires_at": "tomorrow"}, "must be a date and time"),
        ({"expires_at": datetime(9999, 12, 31, 23, tzinfo=UTC)}, "cannot be 9999"),
        ({"tags": "work"}, "must be a list of names"),
        ({"project": ""}, "the project is empty"),
        ({"kind": "belief", "confidence": 1.0}, "must be below 1"),
    ],
)
def test_invalid_memory_is_refused(memory: Memory, wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        memory.capture(**{"content": "fine", **wrong})
    assert memory.list() == []
    assert memory.journal() == []


def test_edit_is_a_new_version(memory: Memory, clock: Clock) -> None:
    record = memory.capture("works in Beijing", tags=["alice"])
    clock.pass_days(1)
    edited = memory.edit(record.id, content="works in Shanghai", project="Ärzte", version=1)
    assert (edited.version, edited.updated_at, edited.created_at) == (2, clock.now, NOW)
    versions = [version.record for version in memory.history(record.id)]
    assert contents(versions) == ["works in Beijing", "works in Shanghai"]
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
    memory.edit(record.id, tags=[], entities=["Alice"])  # filters follow
    assert memory.list(tag="alice") == []
    for found in (memory.list(entity="alice"), memory.list(project="ärzte")):
        assert [one.id for one in found] == [record.id]
    assert memory.validate() == []


def test_strength_falls_by_the_closed_formula(memory: Memory, clock: Clock) -> None:
    fact = memory.capture("a", importance=0.5)
    belief = memory.capture("b", "belief", importance=1.0, confidence=0.5)
    clock.pass_days(100)
    left = memory.get(fact.id).strength
    assert left == pytest.approx(0.5 * (1 - 0.008 * 0.75) ** 100)
    assert memory.get(belief.id).strength == pytest.approx(0.5 * (1 - 0.07 * 0.5) ** 100)
    clock.pass_days(-500)
    assert memory.get(fact.id).strength == 0.5
    clock.pass_days(500)  # a change of importance counts on from what is left
    assert memory.edit(fact.id, importance=1.0).strength == pytest.approx(left)
    clock.pass_days(10)
    assert memory.get(fact.id).strength == pytest.approx(left * 0.996**10)


def test_archiving_and_back(memory: Memory, clock: Clock) -> None:
    record = memory.capture("likes durian", importance=0.2)
    clock.pass_days(300)
    archived = memory.archive(record.id)
    assert (archived.state, archived.version) == ("archived", 2)
    assert memory.archive(record.id).version == 2
    with pytest.raises(StaleEditError):
        memory.archive(record.id, version=1)
    assert memory.list() == []
    assert [one.id for one in memory.list(state="archived")] == [record.id]
    assert [one.id for one in memory.list(state="all")] == [record.id]
    back = memory.unarchive(record.id)
    assert (back.state, back.strength) == ("active", 0.3)
    assert memory.unarchive(record.id).version == 3
    changes = [version.change for version in memory.history(record.id)]
    assert changes == ["captured", "archived", "unarchived"]


# Lists


@each(
    "asked",
    [{"kind": "opinion"}, {"state": "gone"}, {"limit": -1}, {"since": "monday"}, {"tag": "\ud800"}],
)
def test_question_that_makes_no_sense_is_refused(memory: Memory, asked: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        memory.list(**asked)


def test_garbled_cursor_is_refused(memory: Memory) -> None:
    for n in range(3):
        memory.capture(f"m{n}")
        memory.add([turn(f"said {n}")])
    mine, other = memory.list(limit=1).next, memory.journal(limit=1).next
    assert mine
    assert other
    text = urlsafe_b64decode(mine + "=" * (-len(mine) % 4)).decode()

    def encoded(text: str) -> str:
        return urlsafe_b64encode(text.encode()).decode().rstrip("=")

    assert encoded(text) == mine
    wrong = [text[:-1] + ",3]", text.replace(",", ", "), text[:-1] + ".0]", text[:-1] + '"]']
    wrong += ["{}", "5", "[]", "[" * 3_000, text[:-1] + f"{1 << 63}]"]
    for bad in ["nonsense", "令牌", "=", "x" * 100_000, other, mine[:-1], mine + "=", *wrong]:
        for cursor in {bad, encoded(bad)}:
            with pytest.raises(InputError):
                memory.list(cursor=cursor)
    with pytest.raises(InputError):
        memory.receipts(cursor=encoded('["receipts",1,"\\ud800"]'))


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


def test_any_name_is_a_space_of_its_own(tmp_path: Path) -> None:
    names = ["Alice", "alice", "a/../b", "a", "b", "张三", "con", "x" * 128, "é", "e\u0301"]
    for space in names:
        with Memory.open(tmp_path, space) as memory:
            assert memory.space == space
            assert memory.list() == []
            memory.capture(f"of {space}")
    folders = {path.parent for path in tmp_path.rglob("loxodon.db")}
    assert folders == set((tmp_path / "spaces").iterdir())
    assert len(folders) == len(names)
    for space in ("", "x" * 129, "a\nb", "\x00", "\ud800"):
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
        record = one.capture("a")
        assert two.get(record.id).version == 1
        one.edit(record.id, content="b", version=1)
        with pytest.raises(StaleEditError):
            two.edit(record.id, content="c", version=1)
        assert two.get(record.id).content == "b"


def test_closed_memory_says_so(tmp_path: Path) -> None:
    memory = Memory.open(tmp_path)
    memory.close()
    for use in (lambda: memory.add([turn("x")]), lambda: memory.recall("x"), memory.list):
        with pytest.raises(StoreError, match="is closed"):
            use()


@pytest.mark.parametrize("path", ["", "a\0b", "h\udcff\udcfe"])
def test_impossible_path_is_refused(path: str, tmp_path: Path) -> None:
    with pytest.raises(LoxodonError):
        Memory.open(f"{tmp_path}/{path}" if path else "")


def test_open_memory_that_is_lost_is_warned_about(tmp_path: Path) -> None:
    memory = Memory.open(tmp_path)
    with pytest.warns(ResourceWarning):  # noqa: PT031
        del memory
        gc.collect()


# Care


def test_status_stats_and_indexes(memory: Memory) -> None:
    memory.add([turn("a"), turn("苹果", session="t")], session="s")
    memory.capture("c", importance=0.95)
    status, stats = memory.status(), memory.stats()
    assert (status.turns, status.sessions, status.active, status.archived) == (3, 3, 1, 0)
    assert status.last_turn_at == NOW
    assert (stats.total, stats.importance["critical"]) == (1, 1)
    assert stats.last_consolidation is None
    assert status.next_consolidation is not None
    assert status.next_consolidation.isoformat() == "2026-02-05T03:00:00+08:00"
    assert memory.validate() == []
    assert memory.rebuild_index() == 4
    assert memory.validate() == []
    assert memory.recall("苹果").items
