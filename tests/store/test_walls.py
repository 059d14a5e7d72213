"""Walls inside a space: what agents and groups see, and that none changes or hears of another's."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from loxodon import Memory
from loxodon.errors import InputError
from tests.cli.shell import Shell
from tests.clock import Clock
from tests.store.contracts import contents


def said(memory: Memory, *words: str, session: str = "s") -> None:
    memory.add([{"role": "user", "content": text, "id": text} for text in words], session)


def spoken_to(memory: Memory, name: str) -> Memory:
    """The memory of an agent that hands on what the user says to it."""
    return memory.within(name, relays=True)


def known(memory: Memory) -> list[str]:
    return sorted(contents(memory.list()))


def test_agent_sees_its_own_the_shared_and_what_is_for_all(memory: Memory) -> None:
    coder, writer = memory.within("coder"), memory.within("写手")
    memory.capture("shared")
    coder.capture("the coder's")
    writer.capture("the writer's")
    writer.capture("for every agent", audience="all")
    assert known(coder) == ["for every agent", "shared", "the coder's"]
    assert known(writer) == ["for every agent", "shared", "the writer's"]
    assert {one.agent for one in memory.list()} == {"", "coder", "写手"}
    assert len(known(memory)) == 4


def test_sessions_and_numbers_of_turns_are_each_agents_own(memory: Memory) -> None:
    coder, writer = memory.within("coder"), memory.within("writer")
    turn = [{"role": "user", "content": "hello", "id": "1"}]
    for one in (coder, writer, memory):
        assert one.add(turn, "default").added == 1  # nobody learns that another has it
        assert one.add(turn, "default").known == 1
    assert [one.session for one in coder.journal(session="default")] == ["default@coder"]
    assert {one.session for one in coder.journal()} == {"default@coder", "default"}
    assert coder.turn("default:1").agent == "coder"
    assert len(memory.journal()) == 3
    coder.add([{"role": "user", "content": text} for text in "xyz"], "s")
    writer.add([{"role": "user", "content": "y"}], "s")
    assert writer.journal()[-1].id == "#1"


def test_statements_are_reconciled_for_each_agent(memory: Memory) -> None:
    coder, writer = spoken_to(memory, "coder"), spoken_to(memory, "writer")
    said(memory, "I live in Leeds.")
    said(coder, "I live in York.", "My sister is called Mei.")
    memory.consolidate()
    said(writer, "I live in Bath.", "My sister lives in Rome.")
    said(coder, "I moved to Hull.")
    memory.consolidate()
    assert "The user lives in Leeds" in known(memory)
    assert "The user lives in Bath" in known(writer)
    assert "York" not in " ".join(known(coder))
    assert "Hull" in " ".join(known(coder))
    assert "Mei" not in " ".join(known(writer))  # who never heard the name
    assert "Mei" not in [one.name for one in writer.entities()]
    assert memory.validate() == []


def test_summaries_do_not_mix_agents(memory: Memory, clock: Clock) -> None:
    for agent, place in (("coder", "Alpha"), ("writer", "Beta")):
        one = spoken_to(memory, agent)
        said(one, *(f"Tom likes {place}{n} tea." for n in range(4)), session=agent)
    memory.consolidate()
    clock.pass_days(1.5)
    memory.consolidate(force=True)
    summaries = memory.list(kind="summary", state="all")
    assert all(one.agent for one in summaries)
    for text in [*contents(summaries), *(one.summary for one in memory.events())]:
        assert not ("Alpha" in text and "Beta" in text)


def test_names_of_agents(memory: Memory) -> None:
    wrong: tuple[Any, ...] = ("a@b", "a~b", "a/b", " a", "a\nb", "x" * 65, 7)
    for name in wrong:
        with pytest.raises(InputError):
            memory.within(name)
    for name in ("o'brien", '"; DROP TABLE turns; --', "%", "小秘", "'--"):
        one = memory.within(name)
        one.capture("kept")
        one.documents.put(("a",), "k", {"v": 1}, text="words of mine")
        assert known(one) == ["kept"]
        assert [found.key for found in one.documents.search((), "words")] == ["k"]
        assert one.documents.namespaces(()) == [("a",)]
    other = memory.within("other")
    assert (known(other), other.documents.newest(("a",))) == ([], [])


def test_group_sees_nothing_private(memory: Memory) -> None:
    memory.capture("private", entities=["Ann"])
    memory.capture("for the group", audience="group", entities=["Ben"])
    group = memory.within(chat="group")
    memory.add([{"role": "user", "content": "in private", "id": "1"}], "s")
    group.add([{"role": "user", "content": "in the group", "id": "1"}], "s")
    memory.consolidate()
    assert known(group) == ["for the group"]
    assert contents(group.journal()) == ["in the group"]
    assert (group.stats().total, group.stats().turns, group.stats().sessions) == (1, 1, 1)
    assert (group.status().turns, group.status().bytes) == (1, 0)
    assert group.recall("private").items == memory.recall("private", chat="group").items == ()
    assert "private" not in group.snapshot() + group.profile()


def test_threads_of_several_agents_see_their_own(memory: Memory) -> None:
    for name in ("a", "b", "c"):
        memory.within(name).capture(f"of {name}")
    wrong: list[str] = []

    def look(name: str) -> None:
        found = [known(memory.within(name)) for _ in range(40)]
        wrong.extend(name for one in found if one != [f"of {name}"])

    threads = [threading.Thread(target=look, args=(name,)) for name in ("a", "b", "c")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_agents_survive_a_restore(memory: Memory, tmp_path: Path, clock: Clock) -> None:
    said(spoken_to(memory, "coder"), "My sister Mei lives in York.")
    said(memory, "I live in Leeds.")
    memory.consolidate()
    memory.workspace.export()
    Shell(tmp_path / "other")("restore", memory.workspace.path)
    with Memory.open(tmp_path / "other", config={"timezone": "Asia/Shanghai"}, clock=clock) as back:
        for name in ("", "coder", "writer"):
            one, other = back.within(name), memory.within(name)
            assert known(one) == known(other)
            assert one.entities() == other.entities()
            assert contents(one.journal()) == contents(other.journal())
