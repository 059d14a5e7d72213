"""What pages for people show: what happened, where it was said, who is tied to whom."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from loxodon import Memory
from loxodon.errors import ForbiddenError, NotFoundError
from tests.clock import NOW, Clock


def say(memory: Memory, *texts: str, session: str = "talk") -> None:
    memory.add([{"role": "user", "content": text} for text in texts], session=session)
    memory.consolidate(force=True)


def contents(found: Any) -> list[str]:
    return [one.content for one in found]


def test_today_tells_each_memory_once_under_what_became_of_it(memory: Memory, clock: Clock) -> None:
    say(memory, "I live in Leeds", "我对花生过敏")
    kept = memory.capture("The user likes oolong tea")
    gone = memory.capture("The user rents a room")
    clock.pass_days(1)
    looked = clock.now
    clock.pass_days(1)
    say(memory, "I moved to York last week", "My sister Mei studies in Osaka")
    memory.edit(kept.id, content="The user likes jasmine tea")
    memory.archive(gone.id)
    memory.archive(memory.capture("A passing thought").id)
    found = memory.today(looked)
    learned = {"Mei is the user's sister", "The user's sister Mei studies in Osaka"}
    assert set(contents(found.learned)) == learned
    told = {(one.before.content, one.after.content) for one in found.changed}
    assert ("The user likes oolong tea", "The user likes jasmine tea") in told
    (moved,) = [one for one in found.changed if "Leeds" in one.before.content]
    assert ("York" in moved.after.content, moved.change) == (True, "superseded")
    assert [(one.change, one.record.id) for one in found.ended] == [("archived", gone.id)]
    assert found.counts["learned"] == 2
    assert all(one.sources for one in found.learned)
    assert (found.since, found.now) == (looked, clock.now)
    few = memory.today(looked, limit=1)
    assert (len(few.learned), few.counts["learned"]) == (1, 2)
    assert memory.today(clock.now + timedelta(seconds=1)).counts["learned"] == 0


def test_today_tells_what_waits(memory: Memory) -> None:
    say(memory, "I live in Leeds")
    say(memory, "I might be living in York now")
    guess = memory.capture("The user may like jazz", "belief")
    memory.add([{"role": "user", "content": "今天很累"}], session="later")
    found = memory.today()
    assert [one.id for one in found.doubtful] == [guess.id]
    waiting = [(one.belief.id, one.against.id) for one in memory.reviews()]
    assert [(one.belief.id, one.against.id) for one in found.reviews] == waiting
    assert (found.pending, found.held) == (1, 0)
    assert {job.name for job in found.jobs} >= {"daily", "flush"}


def test_timeline_has_what_was_drawn_from_each_turn(memory: Memory, clock: Clock) -> None:
    for n, text in enumerate(["I live in Leeds", "Fine weather", "我对花生过敏"]):
        clock.pass_days(1)
        memory.add([{"role": "user", "content": text, "id": f"m{n}"}], session=f"day{n}")
    memory.consolidate()
    page = memory.timeline(limit=2)
    assert [one.turn.content for one in page] == ["我对花生过敏", "Fine weather"]
    assert contents(page[0].memories) == ["用户对花生过敏"]
    (first,) = memory.timeline(limit=2, cursor=page.next or "")
    assert contents(first.memories) == ["The user lives in Leeds"]
    assert [one.turn.id for one in memory.timeline(session="day1")] == ["m1"]
    assert [one.turn.id for one in memory.timeline(until=clock.now, limit=1)] == ["m1"]


def test_memory_is_shown_with_where_it_was_said_and_what_became_of_it(
    memory: Memory, clock: Clock
) -> None:
    said = ["Hello", "How are you?", "I live in Leeds and I play the cello", "Bye"]
    say(memory, *said)
    (leeds,) = [one for one in memory.list() if "Leeds" in one.content]
    clock.pass_days(30)
    say(memory, "I moved to York last week", session="later")
    found = memory.related(leeds.id)
    (place,) = found.said
    assert (place.turn.content, contents(place.before), contents(place.after)) == (
        *(said[2], said[:2]),
        said[3:],
    )
    assert "cello" in " ".join(contents(found.beside))
    assert found.replaced_by is not None
    assert "York" in found.replaced_by.content
    back = memory.related(found.replaced_by.id).replaced
    assert back is not None
    assert back.id == leeds.id
    with pytest.raises(NotFoundError):
        memory.related("f_1")


def test_strength_of_a_memory_falls_and_is_lifted(memory: Memory, clock: Clock) -> None:
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
    assert (times, times[0]) == (sorted(times), NOW)
    before, after = (one.strength for one in curve.points if one.at == curve.marks[1].at)
    assert before < after
    assert curve.fades_at is not None
    past = [one.strength for one in curve.points if one.at > curve.fades_at]
    assert max(past) <= curve.limit
    memory.archive(id)
    gone = memory.strength(id)
    assert (gone.fades_at, gone.points[-1].at) == (None, clock.now)


def test_uses_of_a_recall_are_counted(tmp_path: Path, clock: Clock) -> None:
    with Memory.open(tmp_path, clock=clock) as memory:
        id = memory.capture("The user likes green tea").id
    for _ in range(2):
        clock.pass_days(3)
        with Memory.open(tmp_path, clock=clock) as memory:
            assert memory.recall("tea").items
    with Memory.open(tmp_path, clock=clock) as memory:
        memory.add([{"role": "user", "content": "hello", "id": "1"}])
        assert [one.change for one in memory.strength(id).marks] == ["captured", "recalled"]
        memory.consolidate(force=True)
        assert memory.get(id).access_count == 2


def test_labels_settings_and_backups(tmp_path: Path, clock: Clock) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "config.toml").write_text('[recall]\ntop = 7\n[model]\napi_key = "sk-secret"\n')
    with Memory.open(home, clock=clock) as memory:
        memory.capture("one", tags=["Tea", "work"], project="Acme", topic="Design")
        memory.capture("two", tags=["Tea"], entities=["小美"])
        labels = memory.labels()
        assert labels.tags == (("Tea", 2), ("work", 1))
        assert (labels.projects, labels.topics) == ((("Acme", 1),), (("Design", 1),))
        assert (labels.entities, memory.labels(limit=1).tags) == ((("小美", 1),), (("Tea", 2),))
        found = {one.name: one for one in memory.settings()}
        assert (found["recall.top"].value, found["recall.top"].source) == (7, "file")
        assert found["recall.budget"].source == "default"
        assert "sk-secret" not in str(found)
        with pytest.raises(ForbiddenError):
            memory.within("coder").settings()
        assert memory.backups() == []
        first = memory.backup()
        clock.pass_days(1)
        second = memory.backup()
        memory.backup(tmp_path / "elsewhere.loxodon")
        newer, older = memory.backups()
        assert (newer.path, older.path) == (second.path, first.path)
        assert (newer.at, newer.size, newer.whole) == (clock.now, second.size, False)
    with Memory.open(home, config={"recall.top": 3}) as memory:
        assert {one.name: one.source for one in memory.settings()}["recall.top"] == "program"


def ties(graph: Any) -> set[tuple[Any, ...]]:
    names = {node.id: node.name for node in graph.nodes}
    return {(names[one.source], names[one.target], *one.labels) for one in graph.edges}


def test_graph_ties_people_places_and_projects(memory: Memory) -> None:
    say(
        memory,
        "My sister Mei moved to Osaka",
        "My manager Priya lives in Berlin",
        "I live in Leeds",
    )
    memory.capture("Mei and Priya met", entities=["Mei", "Priya"], project="Acme")
    graph = memory.graph()
    types = {node.name: node.type for node in graph.nodes}
    assert (types["Mei"], types["Osaka"], types["Acme"]) == ("person", "place", "project")
    assert {
        ("user", "Mei", "sibling"),
        ("user", "Priya", "manager"),
        ("Mei", "Osaka", "home"),
        ("Priya", "Berlin", "home"),
        ("Mei", "Priya"),
    } <= ties(graph)
    assert graph.nodes[0].name == "user"
    (mei,) = [node for node in graph.nodes if node.name == "Mei"]
    assert (mei.memories, mei.id[:2]) == (len(memory.list(entity="Mei")), "e_")
    assert graph.total == len(graph.nodes)
    assert all(memory.get(id) for edge in graph.edges for id in edge.memories)


def test_a_pet_that_died_is_over_in_the_graph(memory: Memory) -> None:
    say(memory, "My cat Miso is six years old. My dog Rex is two.", "Miso died yesterday")
    over = {node.name: node.ended_at is not None for node in memory.graph().nodes}
    assert over == {"user": False, "Miso": True, "Rex": False}
    assert {("user", "Miso", "pet"), ("user", "Rex", "pet")} <= ties(memory.graph())


def test_graph_fades_with_time_and_shows_a_group_what_it_may_see(
    memory: Memory, clock: Clock
) -> None:
    memory.capture("Ann knows Bo", entities=["Ann", "Bo"])
    clock.pass_days(10)
    memory.capture("Bo knows Cy", entities=["Bo", "Cy"], audience="group")
    now = memory.graph(limit=2)
    assert (now.nodes[0].name, len(now.nodes), now.total) == ("Bo", 2, 3)
    group = memory.within(chat="group").graph()
    assert {(node.name, node.memories) for node in group.nodes} == {("Bo", 1), ("Cy", 1)}
    memory.edit(memory.list()[0].id, entities=["Bo", "Di"])
    assert {node.name for node in memory.graph().nodes} == {"Ann", "Bo", "Di"}
    clock.pass_days(100)
    assert memory.graph().nodes[0].strength < now.nodes[0].strength
