"""What is new in a transcript of OpenClaw since it was read last.

A mark is what is put down about a transcript after reading it: how far, and enough to tell whether
it only grew since. Where it did, only what is new is read. Where it went back to an earlier place,
was compacted, written anew or mended, all of it is read again: turns have ids, and none is added
twice. What cannot be read is told once.
"""

from __future__ import annotations

import json
import os
from _blake2 import blake2b  # hashlib would load OpenSSL
from collections.abc import Callable, Mapping, Sequence
from datetime import tzinfo
from typing import BinaryIO, NamedTuple

from loxodon.errors import InputError
from loxodon.types import Draft
from loxodon.workspace.readers.jsonl import as_object, parse_line
from loxodon.workspace.readers.lines import Trouble, check_name, session_of, split_lines
from loxodon.workspace.readers.openclaw import Entry, conversation, goes_on, leaf_of, turns
from loxodon.workspace.readers.openclaw_about import About
from loxodon.workspace.readers.openclaw_db import SessionDatabase, Stand

MAX_FILE = 512 << 20
"""Bytes of a transcript that are read at once."""
_TAIL = 4096
"""Bytes before the mark by which a file is known to have only grown."""

Mark = Mapping[str, object]


class TranscriptPart(NamedTuple):
    """What is new in a transcript."""

    session: str
    drafts: list[Draft]
    problems: list[Trouble]
    mark: dict[str, object]
    parent: str = ""
    """The session it was branched off, where all of it was read: its first turns are that one's."""
    spoken: bool = True
    """False where nobody speaks in it but programs."""


def parsed_mark(text: str) -> Mark:
    """A mark as it was put down; an empty one where that makes no sense."""
    try:
        value = json.loads(text) if text else {}
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _telling(part: TranscriptPart, told: int) -> TranscriptPart:
    """A part that was read whole: its problems up to line `told` were told before.

    That there are any is put down, because they may be mended later.
    """
    fresh = [(line, error) for line, error in part.problems if line > told]
    return part._replace(problems=fresh, mark={**part.mark, "bad": bool(part.problems)})


# --- The older generation: a file for each session ------------------------------------------------


def read_file(
    path: str, mark: Mark, about_of: Callable[[str], About], zone: tzinfo | None
) -> TranscriptPart | None:
    """What is new in a file; None where nothing was written to it. Raises OSError, InputError.

    A last line that is still being written is left for the next time.
    """
    with open(path, "rb") as file:
        stat = os.fstat(file.fileno())
        stamp = {"size": stat.st_size, "mtime": stat.st_mtime_ns}
        if all(mark.get(name) == value for name, value in stamp.items()):
            return None
        part = _grown_part(file, path, mark, about_of, zone)
        if part is None:
            part = _whole_part(file, path, about_of, zone)
            told = _number(mark.get("line")) if only_grew(file, mark) else -1
            part = _telling(part, told)
    return part._replace(mark={**stamp, **part.mark})


def _grown_part(
    file: BinaryIO, path: str, mark: Mark, about_of: Callable[[str], About], zone: tzinfo | None
) -> TranscriptPart | None:
    """What was written since the mark; None where that cannot be told without reading all."""
    end, line, leaf, session = (mark.get(name) for name in ("end", "line", "leaf", "session"))
    if not isinstance(end, int) or not isinstance(line, int) or not isinstance(session, str):
        return None
    if not isinstance(leaf, str) or mark.get("bad") or not only_grew(file, mark):
        return None
    if os.fstat(file.fileno()).st_size <= end:
        return None  # it was written to, and has not grown
    file.seek(end)
    entries, problems, after = entries_of(file, path, end, line)
    if problems or not goes_on(entries, leaf):
        return None
    about = about_of(session)
    drafts, bad = turns(entries, zone, session, about) if about.kind == "talk" else ([], [])
    after["bad"] = bool(bad)
    new = {**after, "tail": tail_of(file, _number(after["end"])), "session": session}
    new["leaf"] = leaf_of(entries) if entries else leaf
    new["from"] = mark.get("from")
    return TranscriptPart(session, drafts, bad, new, spoken=about.kind == "talk")


def _whole_part(
    file: BinaryIO, path: str, about_of: Callable[[str], About], zone: tzinfo | None
) -> TranscriptPart:
    file.seek(0)
    entries, problems, after = entries_of(file, path, 0, 0)
    session, parent = _header(entries, path)
    about = about_of(session)
    spoken = about.kind == "talk"
    drafts, bad = conversation(entries, zone, session, about) if spoken else ([], [])
    mark = {**after, "tail": tail_of(file, _number(after["end"])), "session": session}
    mark["leaf"] = leaf_of(entries)
    return TranscriptPart(session, drafts, problems + bad, mark, parent, spoken)


def entries_of(
    file: BinaryIO, path: str, start: int, line: int
) -> tuple[list[tuple[int, Entry]], list[Trouble], dict[str, object]]:
    """The whole lines from here on as numbered entries, those that are none, and where they end."""
    data = file.read(MAX_FILE + 1)
    if len(data) > MAX_FILE:
        raise InputError(
            "{file} is larger than {most} MiB",
            hint="split it into smaller files",
            file=path,
            most=MAX_FILE >> 20,
        )
    end = data.rfind(b"\n") + 1
    if end < len(data) and _is_whole(data[end:]):
        end = len(data)
    lines = split_lines(data[:end])
    problems = [(line + number, error) for number, error in lines.problems]
    entries: list[tuple[int, Entry]] = []
    for number, text in enumerate(lines.texts, line + 1):
        if not text or text.isspace():
            continue
        try:
            entries.append((number, as_object(parse_line(text))))
        except InputError as error:
            problems.append((number, error))
    return entries, problems, {"end": start + end, "line": line + len(lines.texts)}


def _is_whole(text: bytes) -> bool:
    """Whether a last line without its end is all there: what is cut off cannot be an object."""
    try:
        return text.rstrip().endswith(b"}") and isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _header(entries: Sequence[tuple[int, Entry]], path: str) -> tuple[str, str]:
    """The session that a file is of, and the one that it was branched off."""
    for _, entry in entries:
        if entry.get("type") == "session":
            name, parent = entry.get("id"), entry.get("parentSession")
            return usable_name(name) or session_of(path), parent if isinstance(parent, str) else ""
    return session_of(path), ""


def usable_name(name: object) -> str:
    try:
        check_name(name if isinstance(name, str) else "", "session")
    except InputError:
        return ""
    return name if isinstance(name, str) else ""


def only_grew(file: BinaryIO, mark: Mark) -> bool:
    """Whether what stands before the mark is what stood there."""
    end = mark.get("end")
    return isinstance(end, int) and tail_of(file, end) == mark.get("tail")


def tail_of(file: BinaryIO, end: int) -> str:
    start = max(0, end - _TAIL)
    file.seek(start)
    return _digest(file.read(end - start))


def _digest(data: bytes) -> str:
    return blake2b(data, digest_size=16).hexdigest()


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


# --- The newer generation: a database with all sessions -------------------------------------------


def read_session(
    sessions: SessionDatabase, stand: Stand, mark: Mark, zone: tzinfo | None
) -> TranscriptPart | None:
    """What is new in a session; None where nothing is. Raises InputError."""
    same = mark.get("rewritten") == stand.rewritten
    if same and mark.get("seq") == stand.last and not mark.get("bad"):
        return None
    about = sessions.about(stand.session)
    new: dict[str, object] = {"seq": stand.last, "rewritten": stand.rewritten}
    if about.kind != "talk":
        return TranscriptPart(stand.session, [], [], new, spoken=False)
    path = sessions.path(stand)
    if path is not None:
        new["path"] = _digest(str(path).encode())
    new["id"] = sessions.name_of(stand.session, stand.last)
    fresh = _fresh(sessions, stand, mark, path) if same and not mark.get("bad") else None
    if fresh is not None:
        drafts, problems = sessions.turns(stand.session, fresh, zone, about)
        new |= {"from": mark.get("from"), "bad": bool(problems)}
        return TranscriptPart(stand.session, drafts, problems, new)
    drafts, problems = sessions.conversation(stand, zone, about)
    part = TranscriptPart(stand.session, drafts, problems, new, sessions.parent(stand.session))
    return _telling(part, _number(mark.get("seq")) + 1 if same and mark else -1)


def _fresh(
    sessions: SessionDatabase, stand: Stand, mark: Mark, path: Sequence[int] | None
) -> list[int] | None:
    """The events since the mark, where the conversation only went on since; else None."""
    seq = mark.get("seq")
    if path is None or not isinstance(seq, int):
        return None
    before = [one for one in path if one <= seq]
    if _digest(str(before).encode()) != mark.get("path"):
        return None
    if not mark.get("id") or sessions.name_of(stand.session, seq) != mark.get("id"):
        return None
    return [one for one in path if one > seq]
