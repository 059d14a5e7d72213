"""Forgotten means gone: from every byte below the home, and it does not come back."""

from __future__ import annotations

import json
import os
import random
import shutil
import sys
import threading
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from loxodon import Memory
from loxodon.errors import ForbiddenError, InputError, NotFoundError
from loxodon.forget import erase
from loxodon.types import Record
from loxodon.working import Session
from tests import on_postgres
from tests.agents.openclaw.made import OpenClaw, talk
from tests.cases import cases
from tests.cli.shell import Shell
from tests.clock import NOW, Clock
from tests.long import count, figure
from tests.looking import files_with
from tests.security.killing import killed_at_call


class Fake:
    """An embedder whose vectors follow from the text, and from nothing else."""

    name = "fake"

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> list[float]:
        rng = random.Random(text)
        return [rng.uniform(-1, 1) for _ in range(16)]


def opened(home: Path, clock: Clock, **settings: Any) -> Memory:
    config = {"timezone": "Asia/Shanghai", **settings}
    return Memory.open(home, config=config, clock=clock, embedder=Fake())


def say(memory: Memory, clock: Clock, *lines: str, session: str = "monday") -> None:
    """What user and assistant say in turn, a minute apart."""
    turns = []
    for n, line in enumerate(lines):
        clock.now += timedelta(minutes=1)
        role = "assistant" if n % 2 else "user"
        turns.append({"role": role, "content": line, "at": clock.now.isoformat()})
    memory.add(turns, session=session)


def known(memory: Memory, word: str) -> Record:
    return next(one for one in memory.list(state="all") if word in one.content)


def texts(memory: Memory) -> list[str]:
    return [turn.content for turn in memory.journal()]


TALK = (
    "我叫李雷，对花生过敏，住在上海。",
    "好的，李雷，我记住了你对花生过敏。",
    "I swim every Tuesday. My sister Zorinda works at Quilltech.",
    "Nice! Zorinda at Quilltech, noted.",
    "My dog Biscuit is three years old.",
)


# -- what goes ---------------------------------------------------------------------------------


@pytest.mark.parametrize("case", cases(__file__, "memory"), ids=lambda one: one["forget"])
def test_a_memory_goes_with_its_clause(home: Path, clock: Clock, case: dict[str, Any]) -> None:
    with opened(home, clock, decay={"summary_facts": 3}) as memory:
        say(memory, clock, *case["said"])
        memory.consolidate()
        receipt = memory.forget(known(memory, case["forget"]).id)
        assert (files_with(case["gone"], home), texts(memory)) == ({}, case["left"])
        cut = {*case["left"]}.difference(case["said"])
        assert receipt.erased.get("parts of turns", 0) == len(cut)
        memory.consolidate()
        assert {one.content for one in memory.list(kind="fact") if one.sources} == {*case["known"]}
        assert not memory.validate()
        assert not any(word in memory.recall(word).context for word in case["gone"])


def test_only_these_go_and_do_not_come_back(home: Path, clock: Clock, tmp_path: Path) -> None:
    with opened(home, clock) as memory:
        say(memory, clock, *TALK)
        say(memory, clock, TALK[0], session="tuesday")
        memory.consolidate()
        memory.workspace.export()
        known_before = {one.content for one in memory.list() if one.kind != "summary"}
    views = tmp_path / "views"
    shutil.copytree(home / "spaces" / "main" / "workspace", views)
    with opened(home, clock) as memory:
        allergy = known(memory, "花生")
        receipt = memory.forget(allergy.id, "t_4", only=True)
        assert (receipt.erased["memories"], receipt.erased["turns"]) == (1, 1)
        memory.forget(known(memory, "上海").id, only=True)  # of what is left of the same turn
        left = texts(memory)
        # What was answered stays; both turns that it was drawn from have lost it.
        assert left == ["我叫李雷。", TALK[1], TALK[2], TALK[4], "我叫李雷。"]
        gone = {one for one in known_before if "花生" in one or "上海" in one}
        kept = {one.content for one in memory.list() if one.kind != "summary"}
        assert kept == known_before - gone
        assert memory.validate() == []
        clock.now -= timedelta(minutes=6)
        say(memory, clock, *TALK)  # the same transcript once more
        assert texts(memory) == left
    Shell(home)("restore", str(views), "--replace")
    with opened(home, clock) as memory:
        assert texts(memory) == left


def test_an_entity_goes_with_every_sentence_that_names_it(home: Path, clock: Clock) -> None:
    with opened(home, clock) as memory:
        say(memory, clock, *TALK)
        memory.consolidate()
        memory.forget(entity="zorinda")
        assert not files_with(["Zorinda", "Quilltech"], home)
        assert "I swim every Tuesday." in texts(memory)
        assert "Nice!" in texts(memory)
        assert {one.name for one in memory.entities()} == {"user", "Biscuit", "上海"}
        assert memory.validate() == []
        with pytest.raises(NotFoundError):
            memory.forget(entity="Zorinda")


def test_a_session_goes_with_what_is_known_from_it_alone(home: Path, clock: Clock) -> None:
    with opened(home, clock) as memory:
        say(memory, clock, "我对花生过敏。我住在上海。", session="one")
        say(memory, clock, "我对花生过敏。", session="two")
        memory.consolidate()
        memory.forget(session="one")
        assert texts(memory) == ["我对花生过敏。"]
        assert not files_with(["上海"], home)
        assert known(memory, "花生").state == "active"
        assert memory.validate() == []


def test_a_turn_the_last_days_and_everything(home: Path, clock: Clock) -> None:
    with opened(home, clock) as memory:
        say(memory, clock, "I work at Vorlund.")
        clock.pass_days(10)
        say(memory, clock, "I live in Quellin.", "OK.", "I like oolong tea.", session="late")
        memory.consolidate()
        turn = next(one for one in memory.journal() if "oolong" in one.content)
        memory.forget(turn.ref)
        assert not files_with(["oolong"], home)
        memory.forget(since=clock.now - timedelta(days=7))
        assert not files_with(["Quellin"], home)
        assert texts(memory) == ["I work at Vorlund."]
        memory.documents.put(("app",), "k", {"note": "Vorlund again"})
        memory.forget(all=True)
        assert not files_with(["Vorlund"], home)
        assert memory.status().turns == 0
        assert memory.validate() == []
        say(memory, clock, "I live in Quellin.")
        assert texts(memory) == ["I live in Quellin."]


def test_history_of_others_summaries_and_documents(home: Path, clock: Clock) -> None:
    with opened(home, clock) as memory:
        kept = memory.capture("The user banks with Vorlund.")
        memory.edit(kept.id, content="The user banks with Quellin.")
        other = memory.capture("Vorlund is closed on Sundays.", entities=["Vorlund"])
        memory.documents.put(("app", "x"), "k", {"said": "I asked Vorlund. It rains.", "n": 1})
        memory.forget(entity="Vorlund")
        assert not files_with(["Vorlund"], home)
        assert memory.get(kept.id).content == "The user banks with Quellin."
        assert memory.history(kept.id)[0].record.content == "[forgotten]"
        with pytest.raises(NotFoundError):
            memory.get(other.id)
        document = memory.documents.get(("app", "x"), "k")
        assert document is not None
        assert document.value == {"said": "It rains.", "n": 1}
        assert memory.validate() == []


def test_transcripts_of_live_conversations(home: Path, clock: Clock) -> None:
    with opened(home, clock) as memory:
        session = Session.open(memory, "chat:1", window=8_000, ask=lambda messages: "")
        session.add({"role": "user", "content": "I have a cat called Vorlund. It rains today."})
        session.add({"role": "assistant", "content": "Vorlund is a fine name."})
        memory.consolidate()
        receipt = memory.forget(entity="Vorlund")
        assert receipt.erased["transcripts"] == 1
        assert not files_with(["Vorlund"], home)
        session.add({"role": "user", "content": "Still there?"})
        assert "It rains today." in texts(memory)
        assert texts(memory)[-1] == "Still there?"


def test_a_database_that_was_set_aside(home: Path, clock: Clock) -> None:
    folder = home / "spaces" / "main"
    with opened(home, clock) as memory:
        say(memory, clock, *TALK)
    shutil.copy(folder / "loxodon.db", folder / "loxodon.db.before-restore-1")
    (folder / "loxodon.db.before-repair-1").write_bytes(b"no database: Zorinda")
    (folder / "damaged-1.jsonl").write_text('{"content": "Zorinda"}')
    with opened(home, clock) as memory:
        memory.forget(entity="Zorinda")
    assert not files_with(["Zorinda"], home)


def test_what_is_the_users_own_is_only_named(home: Path, clock: Clock, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "MEMORY.md").write_text("# Mine\n\nI met Zorinda.\n\nRain.\n")
    with opened(home, clock, **{"workspace.path": str(notes)}) as memory:
        memory.workspace.index()
        say(memory, clock, *TALK)
        receipt = memory.forget(entity="Zorinda")
        assert [(one.file, one.line) for one in receipt.files] == [(str(notes / "MEMORY.md"), 3)]
        assert "Zorinda" in (notes / "MEMORY.md").read_text()


def test_edited_views_are_taken_in_first_and_do_not_bring_it_back(home: Path, clock: Clock) -> None:
    with opened(home, clock) as memory:
        say(memory, clock, *TALK)
        say(memory, clock, "I owe Zorinda forty pounds for the tickets", session="own words")
        memory.consolidate()
        views = home / "spaces" / "main" / "workspace" / "memory"
        facts = views / "insights.md"
        stale = facts.read_text()
        memory.forget(entity="Zorinda")
        memory.forget(known(memory, "花生").id)
        facts.write_text(stale)
        memory.workspace.sync()
        assert not [one for one in memory.list(state="all") if "花生" in one.content]
        assert not [one for one in memory.list(state="all") if "Zorinda" in one.content]


# -- what is asked -----------------------------------------------------------------------------


def test_it_is_counted_before_it_goes(home: Path, clock: Clock) -> None:
    with opened(home, clock) as memory:
        say(memory, clock, *TALK)
        memory.consolidate()
        id = known(memory, "花生").id
        before = texts(memory)
        planned = memory.forget(id, dry_run=True)
        assert texts(memory) == before
        assert memory.receipts() == []
        assert memory.validate() == []
        done = memory.forget(id)
        assert planned.erased == done.erased
        (kept,) = memory.receipts()
        assert kept == done
        assert kept.by == "library"


def test_what_cannot_be_forgotten_is_refused(memory: Memory) -> None:
    memory.capture("The Vorlund budget is 40k.", topic="money")
    refused: list[dict[str, Any]] = [
        *({}, {"entity": "a", "session": "b"}, {"all": True, "session": "x"}),
        *({"all": True, "only": True}, {"session": "x", "doubtful": True}),
        *({"entity": "user"}, {"entity": "，。"}),
    ]
    for given in refused:
        with pytest.raises(InputError):
            memory.forget(**given)
    with pytest.raises(InputError):
        memory.forget("n_1")
    for name in ("session", "entity"):
        unknown: dict[str, Any] = {name: "Nobody"}
        with pytest.raises(NotFoundError):
            memory.forget(**unknown)
    for id in ("f_20260101_001", "t_7", "e_001", "x:y"):
        with pytest.raises(NotFoundError):
            memory.forget(id)
    with pytest.raises(ForbiddenError):
        memory.within("helper").forget(all=True)


# -- it does not come back -----------------------------------------------------------------------


def test_the_same_file_again_adds_nothing(home: Path, clock: Clock) -> None:
    with opened(home, clock) as memory:
        start = clock.now
        say(memory, clock, *TALK)
        memory.consolidate()
        memory.forget(known(memory, "花生").id)
        memory.forget(entity="Zorinda")
        left = texts(memory)
        clock.now = start
        say(memory, clock, *TALK)
        clock.now = start
        say(memory, clock, *TALK, session="another")
        assert [turn.content for turn in memory.journal(session="monday")] == left
        assert [turn.content for turn in memory.journal(session="another")] == left
        assert not files_with(["花生", "Zorinda"], home)


def test_a_followed_transcript_does_not_bring_it_back(
    home: Path, clock: Clock, tmp_path: Path
) -> None:
    claw = OpenClaw(tmp_path / "openclaw")
    claw.file("old", talk("my sister Zorinda lives in Leeds", "noted"))
    with opened(home, clock) as memory:
        memory.workspace.follow(str(claw.root))
        receipt = memory.forget(entity="Zorinda")
        assert receipt.files
        claw.file("old", talk("my sister Zorinda lives in Leeds", "noted", "and it rains"))
        shutil.copy(
            claw.root / "agents" / "main" / "sessions" / "old.jsonl",
            claw.root / "agents" / "main" / "sessions" / "copy.jsonl",
        )
        memory.workspace.follow(str(claw.root))
        assert not files_with(["Zorinda"], home)
        assert "and it rains" in texts(memory)


@pytest.mark.parametrize("encrypted", [False, True])
def test_backup_from_before_does_not_bring_it_back(
    home: Path, clock: Clock, tmp_path: Path, encrypted: bool
) -> None:
    saved, shell = str(tmp_path / "one.loxodon"), Shell(home)
    shell("config", "timezone", "Asia/Shanghai")
    if encrypted:
        shell("capture", "The user likes rain.")
        shell("encrypt", "--key-file", str(tmp_path / "key"), "--make-key")
    with Memory.open(home, clock=clock) as memory:
        say(memory, clock, *TALK)
        memory.consolidate()
        memory.backup(saved)
        memory.forget(known(memory, "花生").id)
        receipt = memory.forget(entity="Zorinda")
        left = texts(memory)
        shell("restore", saved, "--replace")  # while somebody has it open
        assert texts(memory) == left
        say(memory, clock, "And I am still here.", session="late")
    with Memory.open(home, clock=clock) as memory:
        assert texts(memory) == [*left, "And I am still here."]
        assert receipt.id in {one.id for one in memory.receipts()}
    shell("restore", saved, "--replace")
    with Memory.open(home, clock=clock) as memory:
        assert texts(memory) == left
        assert memory.validate() == []
        assert not [one for one in memory.list(state="all") if "花生" in one.content]
    assert not files_with(["花生", "Zorinda"], home)


def test_an_import_does_not_bring_it_back(home: Path, clock: Clock, tmp_path: Path) -> None:
    export = tmp_path / "mem0.json"
    said = enumerate(("Works at Vorlund", "Likes oolong tea"))
    rows = [{"id": f"{n}", "memory": one, "created_at": "2025-01-01T00:00:00Z"} for n, one in said]
    export.write_text(json.dumps({"results": rows}))
    with opened(home, clock) as memory:
        memory.workspace.take_in(str(export), "mem0")
        memory.forget(known(memory, "Vorlund").id)
        memory.workspace.take_in(str(export), "mem0")
        assert not files_with(["Vorlund"], home)
        assert known(memory, "oolong")


# -- while others are at it ------------------------------------------------------------------------


def test_others_write_meanwhile(home: Path, clock: Clock) -> None:
    with opened(home, clock) as memory:
        say(memory, clock, *TALK)
        memory.consolidate()
        done = threading.Event()
        said = 0

        def talk_on() -> None:
            nonlocal said
            with opened(home, Clock(clock.now)) as other:
                while not done.is_set() or said < 20:
                    at = (NOW + timedelta(seconds=said)).isoformat()
                    other.add([{"role": "user", "content": f"line {said}", "at": at}], "busy")
                    said += 1

        thread = threading.Thread(target=talk_on)
        thread.start()
        try:
            memory.forget(entity="Zorinda")
            memory.forget(known(memory, "花生").id)
        finally:
            done.set()
            thread.join()
        assert len(memory.journal(session="busy")) == said
        assert memory.validate() == []
    assert not files_with(["Zorinda", "花生"], home)


# -- killed half-way -------------------------------------------------------------------------------


def _killed(home: Path, clock: Clock, point: int) -> bool:
    """Forget in a process of its own that dies at a point; whether it died."""
    from loxodon.store.postgres.database import PostgresDatabase
    from loxodon.store.postgres.home_state import PostgresState
    from loxodon.store.sqlite.database import Database

    def forget() -> None:
        with opened(home, clock) as memory:
            memory.forget(entity="Zorinda")

    places: dict[object, str] = {Database: "all many", os: "unlink replace fsync rename"}
    if on_postgres.ON:
        places = {PostgresDatabase: "all run many _commit", PostgresState: "_ask _transaction"}
    return killed_at_call(forget, point, {one: names.split() for one, names in places.items()})


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
def test_killed_at_any_point_it_is_finished_by_the_next(home: Path, tmp_path: Path) -> None:
    clock = Clock()
    with opened(home, clock) as memory:
        say(memory, clock, *TALK)
        memory.consolidate()
        session = Session.open(memory, "chat:1", window=8_000, ask=lambda messages: "")
        session.add({"role": "user", "content": "Zorinda called. It rains."})
        before = texts(memory)
    runs = finished = 0
    for n in range(1, 100_000, count(260, 4)):
        copy = tmp_path / f"copy-{n}"
        on_postgres.copied(home, copy)
        died = _killed(copy, clock, n)
        with opened(copy, clock) as memory:
            intact = texts(memory) == before
            assert memory.validate() == []
            if not intact:
                finished += 1
                assert not files_with(["Zorinda"], copy), f"at point {n}"
            else:
                memory.forget(entity="Zorinda")
        assert not files_with(["Zorinda"], copy), f"at point {n}"
        shutil.rmtree(copy, ignore_errors=on_postgres.ON)
        runs += 1
        if not died:
            break
    figure("forget-killed", runs=runs, finished_by_the_next=finished, words_left=0)
    assert finished


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
@pytest.mark.parametrize(
    "asked", [{"entity": "Zorinda"}, {"session": "s"}, {"since": "yesterday"}, {"all": True}, {}]
)
def test_killed_before_anything_is_done_it_is_done_by_the_next(
    home: Path, clock: Clock, asked: dict[str, Any]
) -> None:
    if "since" in asked:
        asked = {"since": clock.now - timedelta(days=1)}
    with opened(home, clock) as memory:
        say(memory, clock, *TALK, session="s")
        memory.consolidate()
        ids = [] if asked else [turn.ref for turn in memory.journal() if "Zorinda" in turn.content]

    def forget() -> None:
        with opened(home, clock) as memory:
            memory.forget(*ids, **asked)

    assert killed_at_call(forget, 1, {erase: ["select"]})
    assert files_with(["Zorinda"], home)
    clock.pass_days(0.1)
    with opened(home, clock) as memory:
        assert not any("Zorinda" in one for one in texts(memory))
        assert bool(texts(memory)) == ("entity" in asked or bool(ids))
        say(memory, clock, "Zorinda is a new friend.", session="later")
        assert memory.validate() == []
    with opened(home, clock) as memory:
        assert any("Zorinda is a new friend." in one for one in texts(memory))
        memory.forget(session="later")
    assert not files_with(["Zorinda"], home)


def test_what_is_said_all_the_time_is_not_said_of_it(home: Path, clock: Clock) -> None:
    with opened(home, clock) as memory:
        chatter = "Good morning, and what about the weather in Quellin?"
        for n in range(20):
            say(memory, clock, chatter, f"Rain, day {n}.", session=f"day {n}")
        say(memory, clock, "My friend Zorinda moved to Quellin.", "OK.", chatter)
        memory.consolidate()
        planned = memory.forget(known(memory, "moved").id, dry_run=True)
        memory.forget(known(memory, "moved").id)
        assert planned.erased["turns"] == 1
        assert "My friend Zorinda moved to Quellin." not in texts(memory)
        assert texts(memory).count(chatter) == 21


def test_other_words_in_an_old_transcript_are_not_learned(home: Path, clock: Clock) -> None:
    old = {"role": "user", "content": "我现在住在上海哦。", "at": clock.now.isoformat(), "id": "1"}
    with opened(home, clock) as memory:
        say(memory, clock, "我住在上海。我在腾讯工作。")
        memory.consolidate()
        memory.forget(known(memory, "上海").id)
        memory.add([old], session="old")
        memory.consolidate()
        assert not [one for one in memory.list(state="all") if "上海" in one.content]
        clock.pass_days(1)
        say(memory, clock, "我现在住在上海哦。", session="anew")
        memory.consolidate()
        assert known(memory, "上海").state == "active"
