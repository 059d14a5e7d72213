"""Journalling what agents write down of their conversations, once and as it grows.

How far each transcript was read (its mark) is put down after what was journalled of it, so that a
run that is killed reads the same again and adds nothing. A transcript that was not only added to is
read whole: turns have ids, and none is added twice. Nothing of an agent's is ever written to.
"""

from __future__ import annotations

import glob
import json
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from loxodon.errors import InputError, NotFoundError
from loxodon.journal import lines
from loxodon.journal.lines import Numbered, Trouble, inner, session_of
from loxodon.journal.transcripts import AGENTS, Opening
from loxodon.messages import tn
from loxodon.security.paths import is_inside
from loxodon.store import Progress
from loxodon.types import Draft, FileProblem

if TYPE_CHECKING:
    from loxodon.views.workspace import Workspace

MAX_READ = 512 << 20  # bytes of a transcript that are read at once; the rest the next time
_TAIL = 4096  # bytes before the mark by which a file is known to have only grown
_MOST_PROBLEMS = 100  # of one transcript that are told
_RECENT_TAIL = 256 << 10  # bytes at the end in which the latest messages are looked for
_MOST_RECENT = 40
# Raised when a reader learns to read what it passed over: what was read with another one is read
# again, and what is new to the journal is added.
_FORM = 2

Mark = Mapping[str, Any]


class Followed(NamedTuple):
    added: int = 0
    known: int = 0  # turns the journal already had
    changed: int = 0  # known turns with another text under the same id
    sessions: tuple[str, ...] = ()  # those that turns were added to
    read: int = 0  # transcripts that had something new
    unchanged: int = 0
    skipped: int = 0  # transcripts without a person: schedules, heartbeats, subagents
    problems: tuple[FileProblem, ...] = ()


class TranscriptPart(NamedTuple):
    drafts: list[Draft]
    problems: list[Trouble]
    mark: dict[str, object]
    parent: str = ""  # the session that it begins with a copy of
    spoken: bool = True  # False where nobody speaks in it but programs


def entries_of(
    file: BinaryIO, start: int, line: int, *, whole: bool = False
) -> tuple[list[Numbered], list[Trouble], dict[str, object]]:
    """The whole lines from `start` on as numbered entries, those that are none, and the mark. Where
    a transcript is always read as a `whole`, what is too much for that is one of the problems."""
    modified = os.fstat(file.fileno()).st_mtime_ns
    file.seek(start)
    data = file.read(MAX_READ)
    end = data.rfind(b"\n") + 1  # the last line may be half written
    read = lines.split_lines(data[:end])
    problems: list[Trouble] = []
    entries = list(lines.objects_in(read, problems, line))
    line += len(read.texts)
    if whole and len(data) == MAX_READ:
        error = InputError(
            "the transcript is longer than {most} MiB: from here on it is not read",
            hint="start a new session; what was said before stays known",
            most=MAX_READ >> 20,
        )
        problems.append((line + 1, error))
    size, tail = start + len(data), _tail(file, start + end)
    mark = {"size": size, "mtime": modified, "end": start + end, "line": line, "tail": tail}
    return entries, problems, mark


def _tail(file: BinaryIO, end: int) -> str:
    """What tells whether the bytes before `end` are what stood there."""
    start = max(0, end - _TAIL)
    file.seek(start)
    return blake2b(file.read(end - start), digest_size=16).hexdigest()


class Following:
    def __init__(self, workspace: Workspace, name: str) -> None:
        self.memory = workspace.memory
        self.store = workspace.store
        self.zone = workspace.zone
        self.counts: Counter[str] = Counter()
        self.agent = ""  # whose turns they are, where agents are kept apart
        self._name = name
        self._sessions: dict[str, None] = {}
        self._problems: list[FileProblem] = []

    def result(self) -> Followed:
        counts: dict[str, Any] = dict(self.counts)
        return Followed(sessions=tuple(self._sessions), problems=tuple(self._problems), **counts)

    def tell(self, file: str, problems: Sequence[Trouble]) -> None:
        for line, error in problems[:_MOST_PROBLEMS]:
            self._problems.append(FileProblem(file, line, *error.localized()))
        if (left := len(problems) - _MOST_PROBLEMS) > 0:
            more = tn("{n} more line cannot be read", "{n} more lines cannot be read", left)
            self._problems.append(FileProblem(file, 0, more))

    def unread(self, path: str, error: OSError | InputError) -> None:
        if isinstance(error, OSError):
            error = lines.unreadable(path, error.strerror or str(error))
        self.tell(path, [(0, error)])

    def mark(self, path: str) -> Mark:
        mark: Mark = json.loads(self.store.scalar("mark", path, "") or "{}")
        return mark

    def take(self, path: str, part: TranscriptPart, *, session: str = "", copies: bool) -> None:
        """Journal what is new in a transcript, and put down how far it was read."""
        self.tell(f"{path}#{session}" if session else path, part.problems)
        self.counts["read" if part.spoken else "skipped"] += 1
        drafts = self._without_copies(part) if copies else part.drafts
        if drafts:
            said: list[Draft] = []
            for one in drafts:  # a program may have put files and quotations into the user's words
                origin = "relayed" if one.origin == "user" else one.origin
                said.append(one._replace(origin=origin, agent=self.agent))
            added = self.memory.add_drafts(said, [self._name])
            self.counts.update(added=added.added, known=added.known, changed=added.changed)
            self._sessions.update(dict.fromkeys(added.sessions if added.added else ()))
        with self.store.writing():
            self.store.execute("set_mark", path, session, json.dumps(part.mark), self.memory.now())

    def _without_copies(self, part: TranscriptPart) -> list[Draft]:
        """The turns without the session that was resumed or forked, which comes first."""
        parents = self.memory.journal(session=session_of(part.parent)) if part.parent else ()
        before = [(turn.role, turn.content) for turn in parents]
        copies = 0
        for draft in part.drafts:
            if before[copies : copies + 1] != [(draft.role, draft.content)]:
                # A turn with this id that was said at this time, in whatever session
                until = draft.at and draft.at + timedelta(milliseconds=1)
                said = self.memory.journal(since=draft.at, until=until) if draft.at else ()
                if all(turn.id != draft.id for turn in said):
                    break
            copies += 1
        self.counts["known"] += copies
        return part.drafts[copies:]


def lies_still(path: str, mark: Mark) -> bool:
    """Whether nobody wrote to a file since its mark was put down."""
    with suppress(OSError):
        stat = os.stat(path)
        return (mark.get("size"), mark.get("mtime")) == (stat.st_size, stat.st_mtime_ns)
    return False


def stray() -> InputError:
    """What is said of a transcript that is not where the agent keeps them."""
    hint = "put the file itself there"
    return InputError("it is a link out of the agent's folder, and was not followed", hint=hint)


def transcripts(agent: str, folder: str) -> list[str]:
    """Those in an agent's folder, the oldest first: a copy comes after its session."""
    top = glob.escape(folder)
    found = (path for one in AGENTS[agent].patterns for path in glob.glob(os.path.join(top, one)))
    return sorted(filter(os.path.isfile, found), key=lambda path: (os.path.getmtime(path), path))


def found_agents(environment: Mapping[str, str]) -> list[str]:
    return [name for name, one in AGENTS.items() if os.path.isdir(one.folder(environment))]


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
    """Journal what is new in the transcripts of an agent, or in one and those `known`."""
    if not os.path.isdir(folder):
        raise NotFoundError(
            "{agent} was not found: there is no folder {path}",
            hint="start it once; if its folder is elsewhere, set {variable}",
            agent=AGENTS[agent].title,
            path=folder,
            variable=AGENTS[agent].variable,
        )
    if workspace.memory.paused:
        return Followed()
    run = Following(workspace, agent)
    paths = [file] if file and not known else transcripts(agent, folder)
    if known:
        paths = [path for path in paths if path == file or run.mark(path)]
    for done, path in enumerate(paths):
        if progress is not None:
            progress(done, len(paths))
        try:
            _follow_file(run, agent, folder, path, project if path == file else "")
        except (OSError, InputError) as error:
            run.unread(path, error)
    return run.result()


def _follow_file(run: Following, agent: str, folder: str, path: str, project: str) -> None:
    mark = run.mark(path)
    mark = mark if mark.get("form") == _FORM else {}
    if lies_still(path, mark):
        run.counts["unchanged"] += 1
        return
    if not is_inside(path, folder):
        raise stray()
    with open(path, "rb") as file:
        if mark and _tail(file, mark["end"]) != mark["tail"]:
            mark = {}  # it was not only added to
        line = mark.get("line", 0)
        entries, problems, new = entries_of(file, mark.get("end", 0), line)
    known = {name: mark[name] for name in Opening._fields if name in mark}
    opening = Opening(session_of(path))._replace(**known)
    opening = opening._replace(project=project or opening.project)
    drafts, bad, opening = AGENTS[agent].turns(entries, opening, run.zone)
    new |= {"form": _FORM, **opening._asdict()}
    spoken = opening.spoken and (opening.person or bool(drafts))
    part = TranscriptPart(drafts, problems + bad, new, opening.parent, spoken)
    run.take(path, part, copies=not line)


def recent(agent: str, path: str) -> list[str]:
    """What was said last in a transcript, as far as the agent still has it before it."""
    try:
        with open(path, "rb") as file:
            start = max(0, os.fstat(file.fileno()).st_size - _RECENT_TAIL)
            file.seek(start)
            if start:
                file.readline()
            entries, _, _ = entries_of(file, file.tell(), 1)
    except OSError:
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
