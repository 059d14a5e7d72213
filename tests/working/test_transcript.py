"""Transcripts: kept word for word, each session's own, whatever happens next."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Barrier

import pytest

from loxodon import Memory
from loxodon.errors import InputError, StoreError
from loxodon.journal import read
from loxodon.store.parts import WorkingSessions
from loxodon.views.restore import restore
from loxodon.working import Session
from tests.clock import Clock
from tests.working.talk import assistant, on_disk, user


def texts(session: Session) -> list[object]:
    return [one.message["content"] for one in session.shown]


def test_what_is_said_is_there_again(memory: Memory) -> None:
    session = Session.open(memory)
    one = session.add(user("一"))
    two = session.add(user("two \ud83d half \0"))
    again = Session.open(memory)
    assert again.id == session.id
    assert texts(again) == ["一", "two \ud83d half \0"]
    entries = on_disk(again)[1:]
    assert [entry["id"] for entry in entries] == [one, two]
    assert [entry["parentId"] for entry in entries] == [None, one]


def test_a_transcript_is_as_openclaw_has_them(memory: Memory) -> None:
    session = Session.open(memory, chat="group")
    session.add(user("我对花生过敏"))
    session.note("x", {})
    data = session.transcript().encode()
    header = json.loads(data.splitlines()[0])
    assert (header["type"], header["id"], header["chatType"]) == ("session", session.id, "group")
    reading = read(data, f"{session.id}.jsonl")
    assert reading.format == "openclaw"
    assert [draft.content for draft in reading.drafts] == ["我对花生过敏"]
    assert not reading.problems


def test_where_a_session_stands(memory: Memory) -> None:
    session = Session.open(memory, chat="group")
    about = Session.open(memory).about
    assert (about["sessionId"], about["chatType"]) == (session.id, "group")
    for name in ("compactionCount", "inputTokens", "outputTokens", "contextTokens"):
        assert about[name] == 0
    assert about["memoryFlushAt"] is about["memoryFlushCompactionCount"] is None


@pytest.mark.parametrize("key", ["", "a\0b", "x" * 257, 3, None])
def test_keys_that_cannot_be_one(memory: Memory, key: str) -> None:
    with pytest.raises(InputError):
        Session.open(memory, key)


@pytest.mark.parametrize("bad", [float("nan"), object(), {1, 2}, b"x"])
def test_what_json_cannot_say_is_refused(memory: Memory, bad: object) -> None:
    session = Session.open(memory)
    with pytest.raises(InputError):
        session.note("x", bad)
    session.add(user("hi"))
    assert len(on_disk(session)) == 2


def test_those_who_begin_a_session_at_once_begin_the_same(memory: Memory) -> None:
    together = Barrier(6)

    def begin(_: int) -> str:
        with Memory.open(memory.home, config={}) as other:  # as another process has it
            together.wait(300)
            return Session.open(other).id

    with ThreadPoolExecutor(6) as pool:
        assert len(set(pool.map(begin, range(6)))) == 1


def test_sessions_of_one_key_are_apart_for_each_agent_and_chat(memory: Memory) -> None:
    seen = {
        "owner": memory,
        "bob": memory.within("bob"),
        "ann": memory.within("ann"),
        "bob in a group": memory.within("bob", "group"),
        "a group": memory.within(chat="group"),
    }
    for name, one in seen.items():
        Session.open(one, "main").add(user(f"of {name}"))
    Session.open(memory, "main@bob").add(user("of the owner, too"))
    ids = {}
    for name, one in seen.items():
        session = Session.open(one, "main")
        assert texts(session) == [f"of {name}"]
        ids[name] = session.id
    for name, one in seen.items():
        rows = one.store.working_sessions
        assert rows is not None
        visible = {of for of, id in ids.items() if rows.lines(id)}
        assert visible == (set(seen) if name == "owner" else {name})


@contextmanager
def out_of_order(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    def refuse(self: WorkingSessions) -> None:
        raise StoreError("the server is away")

    with monkeypatch.context() as patch:
        patch.setattr(WorkingSessions, "writing", refuse)
        yield


def test_what_could_not_be_saved_is_saved_with_what_comes_next(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, other = Session.open(memory), Session.open(memory)
    with out_of_order(monkeypatch):
        assert session.prepare("one") == [user("one")]
        session.finish("two")
        assert "away" in session.problem
        assert len(on_disk(session)) == 1
    other.add(user("between"))
    session.add(user("three"))
    said = ["between", "one", "two", "three"]
    assert texts(Session.open(memory)) == texts(session) == said
    entries = on_disk(session)[1:]
    parents = [None, *(entry["id"] for entry in entries[:-1])]
    assert [entry["parentId"] for entry in entries] == parents
    assert [turn.content for turn in memory.journal(session=session.name)] == said


def test_after_all_was_forgotten_a_conversation_begins_anew(memory: Memory) -> None:
    session = Session.open(memory)
    session.add(user("I have a cat called Vorlund."))
    memory.forget(all=True)
    session.add(assistant("Yes?"))
    assert texts(session) == texts(Session.open(memory)) == ["Yes?"]
    assert Session.open(memory).id == session.id
    assert "Vorlund" not in session.transcript()


def test_a_restore_from_the_views_keeps_the_sessions_that_there_are(
    tmp_path: Path, clock: Clock
) -> None:
    config = {"timezone": "Asia/Shanghai"}
    with Memory.open(tmp_path, config=config, clock=clock) as memory:
        memory.capture("lives in Leeds")
        Session.open(memory).add(user("one"))
        memory.workspace.export()
        Session.open(memory).add(user("two"))
        views = memory.workspace.path
    restore(views, str(tmp_path), replace=True, clock=clock)
    with Memory.open(tmp_path, config=config, clock=clock) as memory:
        assert texts(Session.open(memory)) == ["one", "two"]
        assert memory.validate() == []
