"""What is new in a transcript of OpenClaw since it was read last.

A mark is what is put down about a transcript after reading it: how far, and enough to tell whether
it only grew since. Where it did, only what is new is read. Where it went back to an earlier place,
was compacted, written anew or mended, all of it is read again: turns have ids, and none is added
twice. What cannot be read is told once.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from datetime import tzinfo
from typing import BinaryIO

from loxodon.errors import InputError
from loxodon.journal.follow import Mark, TranscriptPart, digest, entries_of, number, only_grew
from loxodon.journal.lines import Numbered, check_name, session_of
from loxodon.journal.openclaw import About, conversation, goes_on, leaf_of, turns
from loxodon.journal.openclaw_db import SessionDatabase, Stand


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
            told = number(mark.get("line")) if only_grew(file, mark) else -1
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
    entries, problems, after = entries_of(file, path, end, line)
    if problems or not goes_on(entries, leaf):
        return None
    about = about_of(session)
    drafts, bad = turns(entries, zone, session, about) if about.kind == "talk" else ([], [])
    after["bad"] = bool(bad)
    new = {**after, "session": session}
    new["leaf"] = leaf_of(entries) if entries else leaf
    new["from"] = mark.get("from")
    return TranscriptPart(session, drafts, bad, new, spoken=about.kind == "talk")


def _whole_part(
    file: BinaryIO, path: str, about_of: Callable[[str], About], zone: tzinfo | None
) -> TranscriptPart:
    entries, problems, after = entries_of(file, path, 0, 0)
    session, parent = _header(entries, path)
    about = about_of(session)
    spoken = about.kind == "talk"
    drafts, bad = conversation(entries, zone, session, about) if spoken else ([], [])
    mark = {**after, "session": session, "leaf": leaf_of(entries)}
    return TranscriptPart(session, drafts, problems + bad, mark, parent, spoken)


def _header(entries: Sequence[Numbered], path: str) -> tuple[str, str]:
    """The session that a file is of, and the one that it was branched off."""
    for _, entry in entries:
        if entry.get("type") == "session":
            name, parent = entry.get("id"), entry.get("parentSession")
            return _usable(name) or session_of(path), parent if isinstance(parent, str) else ""
    return session_of(path), ""


def _usable(name: object) -> str:
    try:
        check_name(name if isinstance(name, str) else "", "session")
    except InputError:
        return ""
    return name if isinstance(name, str) else ""


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
        new["path"] = digest(str(path).encode())
    new["id"] = sessions.name_of(stand.session, stand.last)
    fresh = _fresh(sessions, stand, mark, path) if same and not mark.get("bad") else None
    if fresh is not None:
        drafts, problems = sessions.turns(stand.session, fresh, zone, about)
        new |= {"from": mark.get("from"), "bad": bool(problems)}
        return TranscriptPart(stand.session, drafts, problems, new)
    drafts, problems = sessions.conversation(stand, zone, about)
    part = TranscriptPart(stand.session, drafts, problems, new, sessions.parent(stand.session))
    return _telling(part, number(mark.get("seq")) + 1 if same and mark else -1)


def _fresh(
    sessions: SessionDatabase, stand: Stand, mark: Mark, path: Sequence[int] | None
) -> list[int] | None:
    """The events since the mark, where the conversation only went on since; else None."""
    seq = mark.get("seq")
    if path is None or not isinstance(seq, int):
        return None
    before = [one for one in path if one <= seq]
    if digest(str(before).encode()) != mark.get("path"):
        return None
    if not mark.get("id") or sessions.name_of(stand.session, seq) != mark.get("id"):
        return None
    return [one for one in path if one > seq]
