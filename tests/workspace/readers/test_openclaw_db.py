"""A database of OpenClaw's sessions, read at once."""

from __future__ import annotations

from datetime import UTC
from pathlib import Path

import pytest
import zstandard

from loxodon.errors import InputError
from loxodon.workspace.readers.lines import MAX_LINE
from loxodon.workspace.readers.openclaw_db import opened, read_database, unpacked
from tests.workspace.openclaw.made import OpenClaw, said, talk


def test_all_sessions_in_which_people_speak(tmp_path: Path) -> None:
    database = OpenClaw(tmp_path).database()
    database.session("one", talk("a", "b" * 5000))
    database.session("two", talk("c"), "agent:main:whatsapp:group:7", chat_type="group")
    database.session("job", talk("not this"), "agent:main:cron:job:run:1")
    database.append("one", "no json")
    reading = read_database(str(database.file), UTC)
    assert reading.format == "openclaw"
    assert [(d.session, d.id, d.chat, d.channel) for d in reading.drafts] == [
        ("one", "m1", "direct", ""),
        ("one", "m2", "direct", ""),
        ("two", "m1", "group", "whatsapp"),
    ]
    assert [line for line, _ in reading.problems] == [4]


def test_someone_who_comes_while_it_is_read(tmp_path: Path) -> None:
    database = OpenClaw(tmp_path).database()
    database.session("one", talk("a"))
    database.close()
    with opened(str(database.file)) as sessions:
        sessions.check()
        OpenClaw(tmp_path).database().append("one", said("m2", "m1", "b"))
        with pytest.raises(InputError, match="in use"):
            sessions.check()


def test_one_moment_of_it_is_read(tmp_path: Path) -> None:
    database = OpenClaw(tmp_path).database()
    database.session("one", talk("a"))
    with opened(str(database.file)) as sessions:
        (before,) = sessions.stands()
        database.append("one", said("m2", "m1", "b"))
        assert sessions.stands() == [before]
        sessions.check()


def test_a_name_with_signs_of_an_address(tmp_path: Path) -> None:
    folder = tmp_path / "100%?mode=rwc#a b 文"
    database = OpenClaw(folder).database()
    database.session("one", talk("a"))
    assert len(read_database(str(database.file), UTC).drafts) == 1


def test_no_more_is_unpacked_than_the_limit() -> None:
    assert unpacked(zstandard.compress(b"a" * MAX_LINE)) == b"a" * MAX_LINE
    with pytest.raises(InputError, match="longer"):
        unpacked(zstandard.compress(b"a" * (MAX_LINE + 1)))
    with pytest.raises(InputError, match="damaged"):
        unpacked(b"(\xb5/\xfd nonsense")
