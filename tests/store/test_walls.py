"""Walls inside a space: what each side sees, and that neither changes or hears of the other's."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from loxodon import Memory
from loxodon.errors import ForbiddenError, InputError, NotFoundError
from loxodon.store.sqlite.database import _past_views
from loxodon.store.walls import Wall, checked_agent
from loxodon.types import AUDIENCES
from tests.clock import Clock
from tests.each import each


def said(memory: Memory, *words: str, session: str = "s") -> None:
    memory.add([{"role": "user", "content": text, "id": text} for text in words], session)


def spoken_to(memory: Memory, name: str) -> Memory:
    """The memory of an agent that hands on what the user says to it."""
    return memory.within(name, relays=True)


def contents(memory: Memory) -> list[str]:
    return sorted(one.content for one in memory.list())


# Agents


def test_an_agent_sees_its_own_the_shared_and_what_is_for_all(memory: Memory) -> None:
    coder, writer = memory.as_agent("coder"), memory.as_agent("写手")
    memory.capture("shared")
    coder.capture("the coder's")
    writer.capture("the writer's")
    writer.capture("for every agent", audience="all")
    assert contents(coder) == ["for every agent", "shared", "the coder's"]
    assert contents(writer) == ["for every agent", "shared", "the writer's"]
    assert len(contents(memory)) == 4
    assert {one.agent for one in memory.list()} == {"", "coder", "写手"}


def test_sessions_of_the_same_name_are_two(memory: Memory) -> None:
    coder, writer = memory.as_agent("coder"), memory.as_agent("writer")
    turn = [{"role": "user", "content": "hello", "id": "1"}]
    for one in (coder, writer, memory):
        assert one.add(turn, "default").added == 1  # nobody learns that another has it
        assert one.add(turn, "default").known == 1
    assert [one.session for one in coder.journal(session="default")] == ["default@coder"]
    assert {one.session for one in coder.journal()} == {"default@coder", "default"}
    assert coder.turn("default:1").agent == "coder"
    assert len(memory.journal()) == 3


def test_numbers_of_turns_are_each_agents_own(memory: Memory) -> None:
    said(memory.as_agent("coder"), "x", "y", "z")
    memory.as_agent("writer").add([{"role": "user", "content": "y"}], "s")
    assert memory.as_agent("writer").journal()[-1].id == "#1"


def test_what_agents_know_is_reconciled_for_each(memory: Memory) -> None:
    """One agent's statement neither changes nor confirms what another knows, nor what is shared."""
    coder, writer = spoken_to(memory, "coder"), spoken_to(memory, "writer")
    said(memory, "I live in Leeds.")
    said(coder, "I live in York.", "My sister is called Mei.")
    memory.consolidate()
    said(writer, "I live in Bath.", "My sister lives in Rome.")
    said(coder, "I moved to Hull.")
    memory.consolidate()
    assert "The user lives in Leeds" in contents(memory)
    assert "The user lives in Bath" in contents(writer)
    assert not any("York" in one for one in contents(coder))
    assert any("Hull" in one for one in contents(coder))
    # The writer never heard what the sister is called.
    assert not any("Mei" in text for text in contents(writer))
    assert [one.name for one in writer.entities() if one.name == "Mei"] == []
    assert memory.validate() == []


def test_summaries_do_not_mix_agents(memory: Memory, clock: Clock) -> None:
    for agent, place in (("coder", "Alpha"), ("writer", "Beta")):
        one = spoken_to(memory, agent)
        said(one, *(f"Tom likes {place}{n} tea." for n in range(4)), session=agent)
    memory.consolidate()
    clock.pass_days(1.5)
    memory.consolidate(force=True)
    for summary in memory.list(kind="summary", state="all"):
        assert not ("Alpha" in summary.content and "Beta" in summary.content)
        assert summary.agent
    for event in memory.events():
        assert not ("Alpha" in event.summary and "Beta" in event.summary)


def test_another_agents_memory_is_read_not_changed(memory: Memory) -> None:
    coder, writer = memory.as_agent("coder"), memory.as_agent("writer")
    told = writer.capture("for all", audience="all")
    with pytest.raises(ForbiddenError):
        coder.edit(told.id, content="planted")
    with pytest.raises(ForbiddenError):
        coder.archive(told.id)
    assert writer.edit(told.id, content="mine").content == "mine"
    own = writer.capture("writer's alone")
    with pytest.raises(NotFoundError):
        coder.edit(own.id, content="planted")


def test_what_is_narrowed_stays_so(memory: Memory) -> None:
    coder = memory.as_agent("coder")
    record = coder.capture("once for all", audience="all")
    coder.edit(record.id, audience="private", content="a secret now")
    coder.edit(record.id, audience="all", content="public again")
    told = memory.as_agent("writer").history(record.id)
    assert [one.record.content for one in told] == ["once for all", "public again"]


def test_what_is_about_the_space_is_the_owners(memory: Memory, tmp_path: Path) -> None:
    coder = memory.as_agent("coder")
    for refused in (
        coder.consolidate,
        coder.flush,
        coder.validate,
        coder.rebuild_index,
        coder.embed,
        coder.workspace.sync,
        coder.workspace.index,
        lambda: coder.within("writer"),
        lambda: coder.workspace.export(tmp_path / "out"),
        lambda: coder.forget(all=True),
        coder.pause,
        lambda: coder.schedule.run("daily"),
    ):
        with pytest.raises(ForbiddenError):
            refused()
    assert coder.within() is coder
    assert coder.within(chat="group").agent == "coder"


@pytest.mark.parametrize("name", ["a@b", "a~b", "a/b", " a", "a\nb", "x" * 65, 7])
def test_names_that_no_agent_has(memory: Memory, name: Any) -> None:
    with pytest.raises(InputError):
        memory.as_agent(name)


@pytest.mark.parametrize("name", ["o'brien", '"; DROP TABLE turns; --', "%", "小秘", "'--"])
def test_names_are_text_not_syntax(memory: Memory, name: str) -> None:
    one = memory.as_agent(checked_agent(name))
    one.capture("kept")
    one.documents.put(("a",), "k", {"v": 1})
    assert contents(one) == ["kept"]
    assert [found.key for found in one.documents.newest(("a",))] == ["k"]
    assert contents(memory.as_agent("other")) == []
    assert memory.as_agent("other").documents.newest(("a",)) == []


def test_documents_are_each_agents_own(memory: Memory) -> None:
    for name in ("", "coder", "coder2"):
        memory.within(name).documents.put(("app", "x"), "k", name, text=f"words of {name or 'me'}")
    coder = memory.as_agent("coder").documents
    assert coder.get(("app", "x"), "k").value == "coder"  # type: ignore[union-attr]
    assert coder.namespaces(()) == [("app", "x")]
    assert [one.value for one in coder.search((), "words")] == ["coder"]


# Audiences


def test_a_group_sees_nothing_private(memory: Memory) -> None:
    memory.capture("private", entities=["Ann"])
    memory.capture("for the group", audience="group", entities=["Ben"])
    group = memory.within(chat="group")
    memory.add([{"role": "user", "content": "in private", "id": "1"}], "s")
    group.add([{"role": "user", "content": "in the group", "id": "1"}], "s")
    memory.consolidate()
    assert contents(group) == ["for the group"]
    assert [one.content for one in group.journal()] == ["in the group"]
    assert (group.stats().total, group.stats().turns, group.stats().sessions) == (1, 1, 1)
    assert (group.status().turns, group.status().bytes) == (1, 0)
    assert group.recall("private").items == ()
    assert memory.recall("private", chat="group").items == ()
    assert "private" not in group.snapshot() + group.profile()


def test_lists_by_audience(memory: Memory) -> None:
    for audience in AUDIENCES:
        memory.capture(audience, audience=audience)
        assert [one.content for one in memory.list(audience=audience)] == [audience]
    with pytest.raises(InputError):
        memory.list(audience="nobody")  # type: ignore[arg-type]


# How it stands


def test_a_wall_stands_again_after_a_transaction_that_failed(memory: Memory) -> None:
    coder = memory.as_agent("coder")
    memory.as_agent("writer").capture("hidden")
    store: Any = coder._store

    def fail() -> None:
        with store.writing_as("writer"):  # as consolidation does
            assert len(store.find(_everything())) == 1
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert contents(coder) == []
    assert store.wall == Wall("coder")


def test_threads_see_their_own(memory: Memory) -> None:
    for name in ("a", "b", "c"):
        memory.as_agent(name).capture(f"of {name}")
    wrong: list[str] = []

    def look(name: str) -> None:
        found = [contents(memory.as_agent(name)) for _ in range(40)]
        wrong.extend(name for one in found if one != [f"of {name}"])

    threads = [threading.Thread(target=look, args=(name,)) for name in ("a", "b", "c")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@each(
    ("sql", "sent"),
    [
        ("SELECT 1 FROM turns", "SELECT 1 FROM turns"),
        ("INSERT INTO turns (a) VALUES (1)", "INSERT INTO main.turns (a) VALUES (1)"),
        ("-- why\nINSERT OR IGNORE INTO x (a) SELECT 1 FROM turns", None),
        ("UPDATE memories SET a = 1", "UPDATE main.memories SET a = 1"),
        ("DELETE FROM events WHERE 1", "DELETE FROM main.events WHERE 1"),
        ("DELETE FROM main.events", "DELETE FROM main.events"),
        ("SELECT row FROM memories INDEXED BY i WHERE 1", "SELECT row FROM memories  WHERE 1"),
    ],
)
def test_writes_go_to_the_tables(sql: str, sent: str | None) -> None:
    whole = "-- why\nINSERT OR IGNORE INTO main.x (a) SELECT 1 FROM turns"
    assert _past_views(sql) == (sent or whole)


def test_an_agent_is_opened_by_itself(tmp_path: Path, clock: Clock) -> None:
    with Memory.open(tmp_path / "home", clock=clock, agent="coder") as coder:
        coder.capture("mine")
    with Memory.open(tmp_path / "home", clock=clock, agent="writer", chat="group") as writer:
        assert (writer.agent, writer.chat, contents(writer)) == ("writer", "group", [])
    with Memory.open(tmp_path / "home", clock=clock) as memory:
        assert [one.agent for one in memory.list()] == ["coder"]


def test_what_was_said_while_the_engine_was_off_stays_its_agents(
    tmp_path: Path, clock: Clock
) -> None:
    home = tmp_path / "home"
    with Memory.open(home, config={"enabled": False}, clock=clock) as memory:
        said(memory.as_agent("coder"), "a coder's word")
        memory.as_agent("coder").capture("a coder's fact")
        assert "coder" not in memory.as_agent("writer").recall("word").context
        assert "a coder's word" in memory.as_agent("coder").recall("word").context
    with Memory.open(home, clock=clock, agent="writer") as writer:
        assert (writer.journal(), writer.list()) == ([], [])
    with Memory.open(home, clock=clock, agent="coder") as coder:
        assert (len(coder.journal()), contents(coder)) == (2, ["a coder's fact"])


def test_agents_survive_a_restore(memory: Memory, tmp_path: Path, clock: Clock) -> None:
    said(spoken_to(memory, "coder"), "My sister Mei lives in York.")
    said(memory, "I live in Leeds.")
    memory.consolidate()
    memory.workspace.export()
    from loxodon.workspace.views.restore import restore

    restore(memory.workspace.path, str(tmp_path / "other"), config=memory.config, clock=clock)
    with Memory.open(tmp_path / "other", config={"timezone": "Asia/Shanghai"}, clock=clock) as back:
        for name in ("", "coder", "writer"):
            assert contents(back.within(name)) == contents(memory.within(name))
            assert back.within(name).entities() == memory.within(name).entities()
            assert [one.content for one in back.within(name).journal()] == [
                one.content for one in memory.within(name).journal()
            ]


def _everything() -> Any:
    from loxodon.store import Filter

    return Filter()
