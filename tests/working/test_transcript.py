"""Transcripts and their index: on disk when it says so, whatever happens next."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from threading import Barrier

import pytest

from loxodon.errors import InputError, StoreError
from loxodon.working.sessions import Sessions, Transcript
from loxodon.workspace.readers import read
from tests.clock import NOW

WRITER = """
import sys
from datetime import datetime, timezone
from loxodon.working.sessions import Sessions
folder, name, number = sys.argv[1], sys.argv[2], int(sys.argv[3])
sessions = Sessions(folder)
now = datetime.now(timezone.utc)
transcript = sessions.open("main", now)
for n in range(number):
    message = {"role": "user", "content": f"{name} {n} " + "x" * 3000}
    id = transcript.append("message", {"message": message}, now)
    sessions.update("main", now, lambda entry: {**entry, "inputTokens": entry["inputTokens"] + 1})
    print(id, flush=True)
"""


@pytest.fixture
def sessions(tmp_path: Path) -> Sessions:
    return Sessions(str(tmp_path / "sessions"))


def say(transcript: Transcript, text: str) -> str:
    return transcript.append("message", {"message": {"role": "user", "content": text}}, NOW)


def texts(transcript: Transcript) -> list[str]:
    messages = [entry.get("message") for entry in transcript.live]
    return [message["content"] for message in messages if isinstance(message, dict)]


def test_what_is_said_is_there_again(sessions: Sessions) -> None:
    first = sessions.open("main", NOW)
    one, two = say(first, "一"), say(first, "two \ud83d half")
    again = sessions.open("main", NOW)
    again.refresh()
    assert again.id == first.id
    assert texts(again) == ["一", "two \ud83d half"]
    assert [entry["id"] for entry in again.live] == [one, two]
    assert [entry["parentId"] for entry in again.live] == [None, one]


def test_the_file_is_a_transcript_as_openclaw_has_them(sessions: Sessions) -> None:
    transcript = sessions.open("main", NOW, "group")
    say(transcript, "我对花生过敏")
    transcript.append("custom", {"customType": "x", "data": {}}, NOW)
    data = Path(transcript.path).read_bytes()
    header = json.loads(data.splitlines()[0])
    assert header["type"] == "session"
    assert header["id"] == transcript.id
    reading = read(data, os.path.basename(transcript.path))
    assert reading.format == "openclaw"
    assert [draft.content for draft in reading.drafts] == ["我对花生过敏"]
    assert not reading.problems


def test_the_index_says_where_a_session_stands(sessions: Sessions) -> None:
    transcript = sessions.open("main", NOW, "group")
    entry = sessions.index()["main"]
    assert entry["sessionId"] == transcript.id
    assert entry["chatType"] == "group"
    assert entry["updatedAt"] == NOW.isoformat()
    for name in ("compactionCount", "inputTokens", "outputTokens", "contextTokens"):
        assert entry[name] == 0
    assert entry["memoryFlushAt"] is entry["memoryFlushCompactionCount"] is None


def test_a_new_transcript_leaves_the_old_one(sessions: Sessions) -> None:
    old = sessions.open("main", NOW)
    say(old, "before")
    new = sessions.new("main", NOW)
    new.refresh()
    assert new.live == []
    assert sessions.open("main", NOW).id == new.id
    assert os.path.exists(old.path)


def test_a_line_that_was_cut_short_is_passed_over(sessions: Sessions) -> None:
    transcript = sessions.open("main", NOW)
    say(transcript, "whole")
    say(transcript, "cut")
    data = Path(transcript.path).read_bytes()
    Path(transcript.path).write_bytes(data[:-9])
    again = sessions.open("main", NOW)
    say(again, "after")
    assert texts(again) == ["whole", "after"]
    assert again.bad_lines == 1
    assert Path(transcript.path).read_bytes().startswith(data[:-9])  # nothing was taken out


def test_a_line_that_only_lacks_its_end_is_no_loss(sessions: Sessions) -> None:
    transcript = sessions.open("main", NOW)
    say(transcript, "one")
    say(transcript, "two")
    path = Path(transcript.path)
    path.write_bytes(path.read_bytes()[:-1])
    again = sessions.open("main", NOW)
    say(again, "three")
    assert texts(again) == ["one", "two", "three"]


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"  ",
        b"{",
        b"null",
        b"[1]",
        b"7",
        b'"text"',
        b"\xff\xfe\x00",
        b'{"type": 3}',
        b"[" * 100_000,
        b'{"type": "message"}',
        b'{"type": "message", "id": 3, "message": 7}',
        b'{"type":"message","id":"zz","parentId":"nowhere","message":{"role":"user","content":"?"}}',
    ],
    ids=str,
)
def test_bad_lines_hide_no_good_ones(sessions: Sessions, line: bytes) -> None:
    transcript = sessions.open("main", NOW)
    say(transcript, "one")
    with open(transcript.path, "ab") as file:
        file.write(line[:50_000] + b"\n")
    say(transcript, "two")
    again = sessions.open("main", NOW)
    again.refresh()
    assert [text for text in texts(transcript) if text in ("one", "two")] == ["one", "two"]
    assert [e.get("id") for e in again.live] == [e.get("id") for e in transcript.live]


def test_a_branch_that_was_left_is_not_in_the_conversation(sessions: Sessions) -> None:
    transcript = sessions.open("main", NOW)
    one = say(transcript, "one")
    say(transcript, "taken back")
    entry = {
        "type": "message",
        "id": "bbbbbbbb",
        "parentId": one,
        "message": {"role": "user", "content": "instead"},
    }
    with open(transcript.path, "ab") as file:
        file.write(json.dumps(entry).encode() + b"\n")
    say(transcript, "on")
    assert texts(transcript) == ["one", "instead", "on"]


def test_a_file_that_was_made_anew_is_read_anew(sessions: Sessions) -> None:
    transcript = sessions.open("main", NOW)
    say(transcript, "stays")
    say(transcript, "to be erased")
    path = Path(transcript.path)
    kept = [line for line in path.read_bytes().splitlines(True) if b"erased" not in line]
    path.with_suffix(".tmp").write_bytes(b"".join(kept))
    os.replace(path.with_suffix(".tmp"), path)
    say(transcript, "more")
    assert texts(transcript) == ["stays", "more"]


@pytest.mark.parametrize("junk", [b"", b"{", b"[]", b"null", b"\xff", b'{"main": 3}'])
def test_an_index_that_cannot_be_read_is_made_anew(sessions: Sessions, junk: bytes) -> None:
    transcript = sessions.open("main", NOW)
    other = sessions.open("other", NOW)
    say(transcript, "one")
    transcript.append("compaction", {"summary": "s", "firstKeptEntryId": "x"}, NOW)
    transcript.append("custom", {"customType": "memory-flush"}, NOW)
    with open(os.path.join(sessions.folder, "sessions.json"), "wb") as file:
        file.write(junk)
    if junk == b'{"main": 3}':  # an index, though not a good one: a key without an entry is none
        assert sessions.index() == {}
        return
    assert sessions.open("main", NOW).id == transcript.id
    assert sessions.open("other", NOW).id == other.id
    entry = sessions.index()["main"]
    assert (entry["compactionCount"], entry["memoryFlushCompactionCount"]) == (1, 1)


def test_of_two_sessions_of_a_key_the_newer_is_found_again(sessions: Sessions) -> None:
    say(sessions.open("main", NOW), "old")
    newer = sessions.new("main", NOW + timedelta(hours=1))
    os.unlink(os.path.join(sessions.folder, "sessions.json"))
    assert sessions.open("main", NOW).id == newer.id


def test_an_index_leads_nowhere_outside(sessions: Sessions, tmp_path: Path) -> None:
    (tmp_path / "secret.jsonl").write_text("{}")
    index = {"main": {"sessionId": "../secret"}}
    Path(sessions.folder, "sessions.json").write_text(json.dumps(index))
    assert sessions.open("main", NOW).path.startswith(sessions.folder)


@pytest.mark.parametrize("key", ["", "  ", "x" * 300, "a\0b", 3, "\ud800"])
def test_a_key_that_is_none_is_refused(sessions: Sessions, key: object) -> None:
    with pytest.raises(InputError):
        sessions.open(key, NOW)  # type: ignore[arg-type]


@pytest.mark.parametrize("bad", [float("nan"), object(), {1, 2}, b"x"])
def test_what_json_cannot_say_is_refused_whole(sessions: Sessions, bad: object) -> None:
    transcript = sessions.open("main", NOW)
    before = Path(transcript.path).read_bytes()
    with pytest.raises(InputError):
        transcript.append("custom", {"data": bad}, NOW)
    assert Path(transcript.path).read_bytes() == before


def test_a_folder_that_cannot_be_one_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot write"):
        Sessions(str(tmp_path / "file" / "sessions"))


def writer(folder: str, name: str, number: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, folder, name, str(number)], stdout=subprocess.PIPE, text=True
    )


def test_those_who_begin_a_session_at_once_begin_the_same(tmp_path: Path) -> None:
    together = Barrier(8)

    def begin(_: int) -> str:
        sessions = Sessions(str(tmp_path))  # as another process has it
        together.wait(60)
        return sessions.open("main", NOW).id

    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(begin, range(8)))) == 1
    assert len(list(tmp_path.glob("*.jsonl"))) == 1


def test_two_processes_write_one_conversation(sessions: Sessions) -> None:
    sessions.open("main", NOW)
    both = [writer(sessions.folder, name, 30) for name in ("a", "b")]
    ids = [line.strip() for one in both for line in one.communicate(timeout=60)[0].splitlines()]
    assert [one.returncode for one in both] == [0, 0]
    transcript = sessions.open("main", NOW)
    transcript.refresh()
    assert transcript.bad_lines == 0
    assert {entry["id"] for entry in transcript.live} == set(ids)
    assert len(transcript.live) == 60
    parents = [entry["parentId"] for entry in transcript.live]
    assert parents == [None, *(entry["id"] for entry in transcript.live[:-1])]
    assert sessions.index()["main"]["inputTokens"] == 60


@pytest.mark.parametrize("after", [1, 7, 23])
def test_a_kill_loses_nothing_that_was_acknowledged(sessions: Sessions, after: int) -> None:
    sessions.open("main", NOW)
    one = writer(sessions.folder, "a", 100_000)
    assert one.stdout
    ids = [one.stdout.readline().strip() for _ in range(after)]
    one.send_signal(signal.SIGKILL)
    ids += one.communicate(timeout=60)[0].split()
    transcript = sessions.open("main", NOW)
    last = say(transcript, "afterwards")
    there = [entry["id"] for entry in transcript.live]
    assert set(ids) <= set(there)
    assert there[-1] == last
    assert sessions.index()["main"]["sessionId"] == transcript.id
