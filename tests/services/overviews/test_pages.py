"""The timeline, a memory with all around it, its strength, and what there is to filter by."""

from __future__ import annotations

from pathlib import Path

import pytest

from loxodon import Memory
from loxodon.errors import ForbiddenError, NotFoundError
from tests.clock import NOW, Clock


def test_the_timeline_has_what_was_drawn_from_each_turn(memory: Memory, clock: Clock) -> None:
    for n, text in enumerate(["I live in Leeds", "Fine weather", "我对花生过敏"]):
        clock.pass_days(1)
        memory.add([{"role": "user", "content": text, "id": f"m{n}"}], session=f"day{n}")
    memory.consolidate()
    page = memory.timeline(limit=2)
    assert [one.turn.content for one in page] == ["我对花生过敏", "Fine weather"]
    assert [one.content for one in page[0].memories] == ["用户对花生过敏"]
    assert page[0].memories[0].sources
    (first,) = memory.timeline(limit=2, cursor=page.next or "")
    assert [one.content for one in first.memories] == ["The user lives in Leeds"]
    assert [one.turn.id for one in memory.timeline(session="day1")] == ["m1"]
    assert [one.turn.id for one in memory.timeline(until=clock.now, limit=1)] == ["m1"]


def test_a_memory_is_shown_with_where_it_was_said_and_what_became_of_it(
    memory: Memory, clock: Clock
) -> None:
    said = ["Hello", "How are you?", "I live in Leeds and I play the cello", "Bye"]
    memory.add([{"role": "user", "content": text} for text in said], session="talk")
    memory.consolidate()
    (leeds,) = [one for one in memory.list() if "Leeds" in one.content]
    clock.pass_days(30)
    memory.add([{"role": "user", "content": "I moved to York last week"}], session="later")
    memory.consolidate()
    found = memory.related(leeds.id)
    (place,) = found.said
    assert (place.turn.content, [one.content for one in place.before]) == (said[2], said[:2])
    assert [one.content for one in place.after] == said[3:]
    assert "cello" in " ".join(one.content for one in found.beside)
    assert found.replaced_by is not None
    assert "York" in found.replaced_by.content
    back = memory.related(found.replaced_by.id)
    assert back.replaced is not None
    assert back.replaced.id == leeds.id
    with pytest.raises(NotFoundError):
        memory.related("f_1")


def test_the_strength_of_a_memory_falls_and_is_lifted(memory: Memory, clock: Clock) -> None:
    id = memory.capture("The user likes oolong tea", importance=0.5).id
    clock.pass_days(10)
    memory.touch([id])
    memory.consolidate(force=True)
    clock.pass_days(5)
    memory.touch([id])
    curve = memory.strength(id, days=3_000)
    assert [one.change for one in curve.marks] == ["captured", "used", "recalled"]
    assert curve.strength == round(memory.get(id).strength, 4)
    times = [one.at for one in curve.points]
    assert times == sorted(times)
    assert times[0] == NOW
    before, after = (one.strength for one in curve.points if one.at == curve.marks[1].at)
    assert before < after
    assert curve.fades_at is not None
    past = [one.strength for one in curve.points if one.at > curve.fades_at]
    assert past
    assert max(past) <= curve.limit
    memory.archive(id)
    gone = memory.strength(id)
    assert (gone.fades_at, gone.points[-1].at) == (None, clock.now)


def test_labels_are_told_as_they_are_written(memory: Memory) -> None:
    memory.capture("one", tags=["Tea", "work"], project="Acme", topic="Design")
    memory.capture("two", tags=["Tea"], entities=["小美"])
    found = memory.labels()
    assert found.tags == (("Tea", 2), ("work", 1))
    assert (found.projects, found.topics) == ((("Acme", 1),), (("Design", 1),))
    assert found.entities == (("小美", 1),)
    assert memory.labels(limit=1).tags == (("Tea", 2),)


def test_settings_say_where_they_come_from_and_no_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "config.toml").write_text('[recall]\ntop = 7\n[model]\napi_key = "sk-secret"\n')
    monkeypatch.setenv("LOXODON_MEMORY_MODEL", "small")
    with Memory.open(home) as memory:
        found = {one.name: one for one in memory.settings()}
        assert (found["recall.top"].value, found["recall.top"].source) == (7, "file")
        assert (found["model.name"].source, found["model.name"].value) == ("environment", "small")
        assert found["recall.budget"].source == "default"
        assert found["model.api_key"].source == "file"
        assert "sk-secret" not in str(found)
        with pytest.raises(ForbiddenError):
            memory.within("coder").settings()
    with Memory.open(home, config={"recall.top": 3}) as memory:
        assert {one.name: one.source for one in memory.settings()}["recall.top"] == "program"


def test_backups_are_found_where_they_are_written(memory: Memory, clock: Clock) -> None:
    assert memory.backups() == []
    first = memory.backup()
    clock.pass_days(1)
    second = memory.backup()
    memory.backup(Path(memory.home).parent / "elsewhere.loxodon")
    newer, older = memory.backups()
    assert (newer.path, older.path) == (second.path, first.path)
    assert (newer.at, newer.size, newer.whole) == (clock.now, second.size, False)
