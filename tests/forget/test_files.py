"""What lies beside the database when something is forgotten: names, sealed files, others' files."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from loxodon import Memory
from loxodon.working import Session
from tests.agents.openclaw.made import OpenClaw, talk
from tests.clock import Clock
from tests.looking import files_with

KEY = bytes(range(32))
LATE = "2026-03-01T10:00:00+08:00"


def opened(home: Path, clock: Clock, key: bytes | None = None, **settings: Any) -> Memory:
    config = {"timezone": "Asia/Shanghai", **settings}
    return Memory.open(home, config=config, clock=clock, key=key)


def turns(at: datetime, **more: str) -> list[dict[str, object]]:
    lines = ("我女儿对花生过敏。她的班主任叫顾清霜。", "记下了。", "I live in Quellin.")
    return [
        {
            "role": ("user", "assistant")[n % 2],
            "content": one,
            "id": str(n),
            "at": at.isoformat(),
            **more,
        }
        for n, one in enumerate(lines)
    ]


def test_sessions_and_channels_that_are_called_after_it(home: Path, clock: Clock) -> None:
    said = turns(clock.now, session="家长会 顾清霜", channel="顾清霜的群")
    with opened(home, clock) as memory:
        memory.add(said)
        memory.consolidate()
        fact = next(one for one in memory.list() if "Quellin" in one.content)
        memory.edit(fact.id, importance=0.9)
        receipt = memory.forget(entity="顾清霜")
        assert receipt.erased["sessions"] == 2  # one, and a channel
        assert not files_with(["清霜"], home)
        (session,) = {one.session for one in memory.journal()}
        assert session.startswith("forgotten-")
        assert [one.session for one in memory.get(fact.id).sources] == [session]
        assert memory.history(fact.id)[0].record.content == fact.content
        left = [one.content for one in memory.journal()]
        assert memory.validate() == []
        assert memory.add(said).added == 0
        assert memory.add([{**one, "id": f"more {n}"} for n, one in enumerate(said)]).added == 3
        assert {one.session for one in memory.journal()} == {session}
        assert [one.content for one in memory.journal()] == left * 2
        assert not files_with(["清霜"], home)
        memory.forget(session=session)
        assert memory.add(said).added == 0
        memory.add([{"role": "user", "content": "Hello", "at": LATE}], session="顾清霜")
        assert memory.journal()[-1].session == "顾清霜"  # called so anew, it is new


@pytest.mark.parametrize("key", [None, KEY])
def test_what_waits_and_what_is_sealed(home: Path, clock: Clock, key: bytes | None) -> None:
    with opened(home, clock, key) as memory:
        session = Session.open(memory, "chat:1", window=8_000, ask=lambda messages: "")
        session.add({"role": "user", "content": "I have a cat called Vorlund. It rains today."})
    with opened(home, clock, key, enabled=False) as off:
        off.add([{"role": "user", "content": "Vorlund sleeps. The sun shines.", "id": "x"}])
    with opened(home, clock, key) as memory:
        receipt = memory.forget(entity="Vorlund")
        assert receipt.erased["transcripts"] == 1
        assert [one.content for one in memory.journal()] == ["It rains today.", "The sun shines."]
        again = Session.open(memory, "chat:1", window=8_000, ask=lambda messages: "")
        assert "Vorlund" not in repr(again.shown)
        assert "It rains today." in repr(again.shown)
        assert memory.validate() == []
    assert bool(files_with(["rains"], home)) == (key is None)
    assert not files_with(["Vorlund"], home)


def test_databases_of_another_program_and_backups_are_named(
    home: Path, clock: Clock, tmp_path: Path
) -> None:
    claw = OpenClaw(tmp_path / "openclaw")
    database = claw.database()
    database.session("one", talk("my sister Zorinda lives in Leeds", "noted"))
    database.close()
    with opened(home, clock) as memory:
        memory.workspace.follow(str(claw.root))
        saved = memory.backup()
        receipt = memory.forget(entity="Zorinda")
        assert [(Path(one.file).suffix, one.line) for one in receipt.files] == [
            (".sqlite", 0),
            (Path(saved.path).suffix, 0),
        ]
        assert memory.receipts() == [receipt]
