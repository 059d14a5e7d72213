"""Journalling what agents write down of their conversations, once and as it grows.

How far each transcript was read (its mark) is put down with what was journalled of it, so that a
run that is killed reads the same again and adds nothing. A transcript that was not only added to is
read whole: turns have ids, and none is added twice. Nothing of an agent's is ever written to.
"""

from __future__ import annotations

import glob
import json
import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from loxodon.errors import InputError, NotFoundError
from loxodon.journal.lines import (
    Numbered,
    Trouble,
    inner,
    objects_in,
    session_of,
    split_lines,
    unreadable,
    word,
)
from loxodon.journal.transcripts import AGENTS, Opening
from loxodon.messages import tn
from loxodon.store import Progress
from loxodon.types import Draft, FileProblem

if TYPE_CHECKING:
    from loxodon.views.workspace import Workspace

MAX_FILE = 512 << 20  # bytes of a transcript that are read at once
_TAIL = 4096  # bytes before the mark by which a file is known to have only grown
_BATCH = 1_000  # turns that are gathered before they are journalled, with their marks
_MOST_PROBLEMS = 100  # of one transcript that are told
_RECENT_TAIL = 256 << 10  # bytes at the end in which the latest messages are looked for
_MOST_RECENT = 40
# Raised when a reader learns to read what it passed over: what was read with another one is read
# again, and what is new to the journal is added.
_FORM = 2

Mark = Mapping[str, object]


class Followed(NamedTuple):
    """What was journalled from the transcripts of an agent."""

    added: int = 0
    known: int = 0  # turns the journal already had
    changed: int = 0  # known turns with another text under the same id
    sessions: tuple[str, ...] = ()  # those that turns were added to
    read: int = 0  # transcripts that had something new
    unchanged: int = 0
    skipped: int = 0  # transcripts without a person: schedules, heartbeats, subagents
    problems: tuple[FileProblem, ...] = ()


class TranscriptPart(NamedTuple):
    """What is new in a transcript."""

    session: str
    drafts: list[Draft]
    problems: list[Trouble]
    mark: dict[str, object]
    parent: str = ""  # what it was branched off, where all was read: its first turns are that one's
    spoken: bool = True  # False where nobody speaks in it but programs


# -- one run, of any agent -----------------------------------------------------------------------


def parsed_mark(text: str) -> Mark:
    """A mark as it was put down; an empty one where that makes no sense."""
    try:
        value = json.loads(text) if text else {}
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def number(value: object) -> int:
    return value if isinstance(value, int) else 0


def entries_of(
    file: BinaryIO, path: str, start: int, line: int
) -> tuple[list[Numbered], list[Trouble], dict[str, object]]:
    """The whole lines from `start` on as numbered entries, those that are none, and the mark."""
    file.seek(start)
    data = file.read(MAX_FILE + 1)
    if len(data) > MAX_FILE:
        raise InputError(
            "{file} is larger than {most} MiB",
            hint="split it into smaller files",
            file=path,
            most=MAX_FILE >> 20,
        )
    end = data.rfind(b"\n") + 1
    try:  # a last line without its end may be all there: what is cut off cannot be an object
        if isinstance(json.loads(data[end:]), dict):
            end = len(data)
    except (ValueError, RecursionError):
        pass
    lines = split_lines(data[:end])
    problems: list[Trouble] = []
    entries = list(objects_in(lines, problems, line))
    mark = {"end": start + end, "line": line + len(lines.texts), "tail": _tail(file, start + end)}
    return entries, problems, mark


def _tail(file: BinaryIO, end: int) -> str:
    """What tells whether the bytes before `end` are what stood there."""
    start = max(0, end - _TAIL)
    file.seek(start)
    return blake2b(file.read(end - start), digest_size=16).hexdigest()


class Following:
    """What one run found so far, and what waits to be journalled."""

    def __init__(self, workspace: Workspace, name: str) -> None:
        self._memory = workspace.memory
        self._store = workspace.store
        self._zone = workspace.zone
        self._name = name
        self._waiting: list[tuple[str, str, TranscriptPart]] = []
        self._counts: Counter[str] = Counter()
        self._sessions: dict[str, None] = {}
        self._problems: list[FileProblem] = []
        self._taken: set[tuple[str, datetime | None]] = set()  # ids and times that wait
        self._check: Callable[[], None] = lambda: None
        self._agent = ""  # whose turns they are, where agents are kept apart

    def result(self) -> Followed:
        self._flush()
        counts: dict[str, Any] = dict(self._counts)
        sessions, problems = tuple(self._sessions), tuple(self._problems)
        return Followed(sessions=sessions, problems=problems, **counts)

    def tell(self, file: str, problems: Sequence[Trouble]) -> None:
        for line, error in problems[:_MOST_PROBLEMS]:
            self._problems.append(FileProblem(file, line, *error.localized()))
        left = len(problems) - _MOST_PROBLEMS
        if left > 0:
            more = tn("{n} more line cannot be read", "{n} more lines cannot be read", left)
            self._problems.append(FileProblem(file, 0, more))

    def unread(self, path: str, error: OSError | InputError) -> None:
        """Tell why a transcript could not be read."""
        if isinstance(error, OSError):
            error = unreadable(path, error.strerror or str(error))
        self.tell(path, [(0, error)])

    def mark(self, path: str) -> Mark:
        return parsed_mark(self._store.scalar("mark", path, "") or "")

    def _lies_still(self, path: str, mark: Mark) -> bool:
        try:
            stat = os.stat(path)
        except OSError:
            return False
        return (mark.get("size"), mark.get("mtime")) == (stat.st_size, stat.st_mtime_ns)

    def _wait(self, path: str, session: str, part: TranscriptPart, *, copies: bool) -> None:
        """Put what is new in a transcript with what waits; it may begin with `copies`."""
        self.tell(f"{path}#{session}" if session else path, part.problems)
        self._counts["read" if part.spoken else "skipped"] += 1
        if copies and part.drafts:
            part = part._replace(drafts=self._own(part))
        self._taken |= {(draft.id, draft.at) for draft in part.drafts}
        self._waiting.append((path, session, part))
        if sum(len(part.drafts) for _, _, part in self._waiting) >= _BATCH:
            self._flush()

    def _own(self, part: TranscriptPart) -> list[Draft]:
        """The turns of a transcript that was read whole, without those that it begins with and that
        are copies: agents copy a session that is resumed or forked into the new one."""
        before: list[tuple[str, str]] = []
        if part.parent:
            self._flush()
            turns = self._memory.journal(session=session_of(part.parent))
            before = [(turn.role, turn.content) for turn in turns]
        moment = timedelta(microseconds=1)
        copies = 0
        for copies, draft in enumerate([*part.drafts, None]):
            if draft is None or before[copies : copies + 1] == [(draft.role, draft.content)]:
                continue
            # A turn with this id was said at this time, in whatever session.
            if draft.at is not None and (draft.id, draft.at) in self._taken:
                continue
            said = self._memory.journal(since=draft.at, until=draft.at + moment) if draft.at else ()
            if not any(turn.id == draft.id for turn in said):
                break
        self._counts["known"] += copies
        return part.drafts[copies:]

    def _flush(self) -> None:
        """Journal what waits, and put down how far it was read."""
        self._check()  # raises InputError where what waits may be torn
        waiting, self._waiting = self._waiting, []
        drafts = [
            # A program may have put files and quotations into the user's words.
            draft._replace(
                origin="relayed" if draft.origin == "user" else draft.origin, agent=self._agent
            )
            for _, _, part in waiting
            for draft in part.drafts
        ]
        if drafts:
            added = self._memory.add_drafts(drafts, [self._name])
            self._counts.update(added=added.added, known=added.known, changed=added.changed)
            if added.added:
                self._sessions.update(dict.fromkeys(added.sessions))
        # A run that is killed here reads the same again, and adds nothing.
        self._set_marks([(path, session, part.mark) for path, session, part in waiting])

    def _set_marks(self, marks: Sequence[tuple[str, str, Mark]]) -> None:
        if marks:
            now = self._memory.now()
            with self._store.writing():
                for path, session, mark in marks:
                    self._store.execute("set_mark", path, session, json.dumps(mark), now)


def stray() -> InputError:
    """What is said of a transcript that is not where the agent keeps them."""
    return InputError(
        "it is a link out of the agent's folder, and was not followed",
        hint="put the file itself there",
    )


def within(root: str, path: str) -> bool:
    """Whether a path leads into a folder, links and all; `root` is a real path."""
    return os.path.realpath(path).startswith(root + os.sep)


# -- coding agents -------------------------------------------------------------------------------


def transcripts(agent: str, folder: str) -> list[str]:
    """The transcripts that an agent has in its folder; those that were written to last come last,
    as a copy of a session does after the session."""
    top = glob.escape(folder)
    found = (path for one in AGENTS[agent].patterns for path in glob.glob(os.path.join(top, one)))
    return sorted(filter(os.path.isfile, found), key=lambda path: (os.path.getmtime(path), path))


def found_agents(environment: Mapping[str, str]) -> list[str]:
    """Those that are on this machine."""
    return [name for name, one in AGENTS.items() if os.path.isdir(one.folder(environment))]


def check_found(agent: str, folder: str) -> None:
    """Raise NotFoundError for an agent that is not on this machine."""
    if not os.path.isdir(folder):
        raise NotFoundError(
            "{agent} was not found: there is no folder {path}",
            hint="start it once; if its folder is elsewhere, set {variable}",
            agent=AGENTS[agent].title,
            path=folder,
            variable=AGENTS[agent].variable,
        )


def follow_agent(
    workspace: Workspace,
    agent: str,
    folder: str,
    file: str = "",
    progress: Progress | None = None,
    *,
    known: bool = False,
    project: str = "",
) -> Followed:
    """Journal what is new in the transcripts of an agent, or in one of them; nothing in a pause.
    With `known` also in those that were read before: an agent that is killed tells no hook.
    `project` is what is worked on in that one, where the transcript does not say it."""
    check_found(agent, folder)
    if workspace.memory.paused:
        return Followed()
    run = _Run(workspace, agent)
    paths = [file] if file and not known else transcripts(agent, folder)
    if known:
        paths = [path for path in paths if path == file or run.mark(path)]
    for done, path in enumerate(paths):
        if progress is not None:
            progress(done, len(paths))
        run.follow_file(os.path.realpath(folder), path, project if path == file else "")
    return run.result()


class _Run(Following):
    """See `Following`."""

    def follow_file(self, root: str, path: str, project: str) -> None:
        mark = self.mark(path)
        mark = mark if mark.get("form") == _FORM else {}
        if self._lies_still(path, mark):
            self._counts["unchanged"] += 1
            return
        try:
            if not within(root, path):
                raise stray()
            part = self._part(path, mark, project)
        except (OSError, InputError) as error:
            self.unread(path, error)
            return
        line = number(mark.get("line"))
        went_on = line and part.drafts and part.drafts[0].line > line
        self._wait(path, "", part, copies=not went_on)

    def _part(self, path: str, mark: Mark, project: str) -> TranscriptPart:
        """What is new in a transcript since its mark."""
        with open(path, "rb") as file:
            stat = os.fstat(file.fileno())
            if _tail(file, number(mark.get("end"))) != mark.get("tail"):
                mark = {}  # it was not only added to
            end, line = number(mark.get("end")), number(mark.get("line"))
            entries, problems, after = entries_of(file, path, end, line)
        opening = Opening(
            word(mark, "session") or session_of(path),
            mark.get("spoken") is not False,
            person=mark.get("person") is not False,
            project=project or word(mark, "project"),
        )
        drafts, bad, now = AGENTS[self._name].turns(entries, opening, self._zone)
        new = {"size": stat.st_size, "mtime": stat.st_mtime_ns, "form": _FORM, **after}
        new |= {"session": now.session, "spoken": now.spoken, "person": now.person}
        new |= {"project": now.project} if now.project else {}
        spoken = now.spoken and (now.person or bool(drafts))
        return TranscriptPart(now.session, drafts, problems + bad, new, now.parent, spoken)


def recent(agent: str, path: str) -> list[str]:
    """What was said last in a transcript, as far as the agent still has it before it."""
    try:
        with open(path, "rb") as file:
            start = max(0, os.fstat(file.fileno()).st_size - _RECENT_TAIL)
            file.seek(start)
            if start:
                file.readline()
            entries, _, _ = entries_of(file, path, file.tell(), 1)
    except (OSError, InputError):
        return []
    for place, (line, entry) in reversed(list(enumerate(entries))):
        # After these the agent has only a summary left, or the messages that are in the entry.
        cut = entry.get("type") == "compacted" or entry.get("subtype") == "compact_boundary"
        messages = inner(entry, "$set").get("messages")
        if cut or isinstance(messages, list):
            kept = messages if isinstance(messages, list) else []
            begin = [(line, one) for one in kept if isinstance(one, Mapping)]
            entries = [*begin, *entries[place + 1 :]]
            break
    drafts, _, _ = AGENTS[agent].turns(entries, Opening(session_of(path)), None)
    return [draft.content for draft in drafts[-_MOST_RECENT:]]
