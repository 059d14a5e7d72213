"""The agents whose transcripts can be followed: where they keep them, and how they are read.

OpenClaw, whose sessions are branched and in databases, has a package of its own.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from loxodon.errors import InputError, NotFoundError
from loxodon.store import Progress
from loxodon.types import Draft, Followed, Turn
from loxodon.workspace.following import Following, as_input, stray, within
from loxodon.workspace.readers.agents import Numbered, Opening, ReadEntry, inner, turns_in
from loxodon.workspace.readers.lines import Trouble, session_of
from loxodon.workspace.transcript_files import (
    MAX_FILE,
    Mark,
    TranscriptPart,
    entries_of,
    number,
    only_grew,
    tail_of,
)

if TYPE_CHECKING:
    from loxodon.workspace.workspace import Workspace

_TAIL = 256 << 10
"""Bytes at the end of a transcript in which the latest messages are looked for."""
_MOST_RECENT = 40
_FORM = 2
"""Raised when a reader learns to read what it passed over: what was read with another one is read
again, and what is new to the journal is added."""


class Keeping(NamedTuple):
    """Where an agent keeps its transcripts."""

    title: str
    variable: str
    """The environment variable that names its folder."""
    inside: str
    """Where its folder is in the one that the variable names; empty where it is that one."""
    usual: str
    patterns: tuple[str, ...]
    reader: str

    def folder(self, environment: Mapping[str, str]) -> str:
        given = environment.get(self.variable, "").strip()
        return os.path.abspath(
            os.path.join(os.path.expanduser(given), self.inside)
            if given
            else os.path.expanduser(self.usual)
        )


AGENTS = {
    "claude-code": Keeping(
        "Claude Code", "CLAUDE_CONFIG_DIR", "", "~/.claude", ("projects/*/*.jsonl",), "claude_code"
    ),
    "codex": Keeping(
        "Codex",
        "CODEX_HOME",
        "",
        "~/.codex",
        ("sessions/*/*/*/rollout-*.jsonl", "archived_sessions/rollout-*.jsonl"),
        "codex",
    ),
    "gemini-cli": Keeping(
        "Gemini CLI",
        "GEMINI_CLI_HOME",
        ".gemini",
        "~/.gemini",
        ("tmp/*/chats/session-*.json", "tmp/*/chats/session-*.jsonl"),
        "gemini_cli",
    ),
}


def transcripts(agent: str, folder: str) -> list[str]:
    """The transcripts that an agent has in its folder; those that were written to last come last,
    as a copy of a session does after the session."""
    found: dict[str, float] = {}
    for pattern in AGENTS[agent].patterns:
        for path in glob.glob(os.path.join(glob.escape(folder), pattern)):
            if os.path.isfile(path):
                found[path] = os.path.getmtime(path)
    return sorted(found, key=lambda path: (found[path], path))


def tops(agent: str, environment: Mapping[str, str]) -> list[str]:
    """The folders that an agent's transcripts are somewhere in."""
    keeping = AGENTS[agent]
    folder = keeping.folder(environment)
    names = dict.fromkeys(pattern.partition("/")[0] for pattern in keeping.patterns)
    return [os.path.join(folder, name) for name in names]


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
) -> Followed:
    """Journal what is new in the transcripts of an agent, or in one of them; nothing in a pause.
    With `known` also in those that were read before: an agent that is killed tells no hook."""
    check_found(agent, folder)
    if workspace.memory.paused:
        return Followed()
    run = _Run(workspace, agent)
    paths = [file] if file and not known else transcripts(agent, folder)
    if known:
        paths = [path for path in paths if path == file or run.knows(path)]
    run.follow_files(os.path.realpath(folder), paths, progress)
    return run.result()


class _Run(Following):
    """See `Following`."""

    def __init__(self, workspace: Workspace, agent: str) -> None:
        super().__init__(workspace, agent)
        self._read = _reader(agent)
        self._taken: set[tuple[str, datetime | None]] = set()
        """The ids and times of what was read in this run."""

    def follow_files(self, root: str, paths: Sequence[str], progress: Progress | None) -> None:
        for done, path in enumerate(paths):
            if progress is not None:
                progress(done, len(paths))
            mark = self._mark(path)
            if self._lies_still(path, mark):
                self._count(unchanged=1)
                continue
            try:
                if not within(root, path):
                    raise stray()
                part = self._part(path, mark)
            except (OSError, InputError) as error:
                self.tell(path, [(0, as_input(error, path))])
                continue
            self.tell(path, part.problems)
            self._count(**{"read" if part.spoken else "skipped": 1})
            if part.drafts and not _only_went_on(part, mark):
                part = part._replace(drafts=self._own(part))
            self._taken |= {(draft.id, draft.at) for draft in part.drafts}
            self._wait(path, "", part)

    def knows(self, path: str) -> bool:
        """Whether a transcript was read before, however."""
        return bool(super()._mark(path))

    def _mark(self, path: str) -> Mark:
        mark = super()._mark(path)
        return mark if mark.get("form") == _FORM else {}

    def _own(self, part: TranscriptPart) -> list[Draft]:
        """The turns of a transcript that was read whole, without those that it begins with and that
        are copies: agents copy a session that is resumed or forked into the new one."""
        before = list[Turn]()
        if part.parent:
            self._flush()
            before = self._memory.journal(session=part.parent)
        for copies, draft in enumerate(part.drafts):
            same = copies < len(before) and (draft.role, draft.content) == (
                before[copies].role,
                before[copies].content,
            )
            if not same and not self._is_taken(draft):
                self._count(known=copies)
                return part.drafts[copies:]
        self._count(known=len(part.drafts))
        return []

    def _is_taken(self, draft: Draft) -> bool:
        """Whether a turn with this id was said at this time, in whatever session."""
        if draft.at is None or (draft.id, draft.at) in self._taken:
            return draft.at is not None
        moment = timedelta(microseconds=1)
        found = self._memory.journal(since=draft.at, until=draft.at + moment)
        return any(turn.id == draft.id for turn in found)

    def _part(self, path: str, mark: Mark) -> TranscriptPart:
        """What is new in a transcript since its mark. One that was not only added to is read whole:
        turns have ids, and none is added twice."""
        with open(path, "rb") as file:
            stat = os.fstat(file.fileno())
            grew = not path.endswith(".json") and only_grew(file, mark)
            end, line = (number(mark.get(name)) if grew else 0 for name in ("end", "line"))
            file.seek(end)
            entries, problems, after = _numbered(file, path, end, line)
            after["tail"] = tail_of(file, number(after["end"]))
        session = mark.get("session") if grew else ""
        opening = Opening(
            session if isinstance(session, str) and session else session_of(path),
            not grew or mark.get("spoken") is not False,
            person=not grew or mark.get("person") is not False,
        )
        found = turns_in(entries, self._read, opening, self._zone)
        now = found.opening
        stamp = {"size": stat.st_size, "mtime": stat.st_mtime_ns}
        who = {"session": now.session, "spoken": now.spoken, "person": now.person}
        mark = {**stamp, **after, **who, "form": _FORM}
        problems += found.problems
        spoken = now.spoken and (now.person or bool(found.drafts))
        return TranscriptPart(now.session, found.drafts, problems, dict(mark), now.parent, spoken)


def _only_went_on(part: TranscriptPart, mark: Mark) -> bool:
    """Whether a part is what was added to a transcript since its mark."""
    return bool(number(mark.get("line"))) and part.drafts[0].line > number(mark.get("line"))


def _numbered(
    file: BinaryIO, path: str, end: int, line: int
) -> tuple[list[Numbered], list[Trouble], dict[str, object]]:
    if path.endswith(".json"):
        from loxodon.workspace.readers.gemini_cli import document_entries

        whole = document_entries(file.read(MAX_FILE).decode("utf-8", "replace"))
        if whole is None:
            raise InputError(
                "it is not JSON; it may be being written", hint="it will be read next time"
            )
        return whole, [], {"end": 0, "line": 0}
    return entries_of(file, path, end, line)


def recent(agent: str, path: str) -> list[str]:
    """What was said last in a transcript, as far as the agent still has it before it."""
    try:
        with open(path, "rb") as file:
            start = max(0, os.fstat(file.fileno()).st_size - _TAIL)
            file.seek(start)
            if start:
                file.readline()
            entries, _, _ = entries_of(file, path, 0, 1)
    except (OSError, InputError):
        return []
    for place in range(len(entries) - 1, -1, -1):
        kept = _kept(entries[place])
        if kept is not None:
            entries = [*kept, *entries[place + 1 :]]
            break
    found = turns_in(entries, _reader(agent), Opening(session_of(path)), None)
    return [draft.content for draft in found.drafts[-_MOST_RECENT:]]


def _kept(numbered: Numbered) -> list[Numbered] | None:
    """What the agent has left before it of all that was said before an entry, where the entry tells
    of that: nothing but a summary, or the messages that are in it. None where it tells nothing."""
    line, entry = numbered
    if entry.get("type") == "compacted" or entry.get("subtype") == "compact_boundary":
        return []
    messages = inner(entry, "$set").get("messages")
    if not isinstance(messages, list):
        return None
    return [(line, one) for one in messages if isinstance(one, Mapping)]


def own_words(agent: str, prompt: str) -> str:
    """What the person wrote of a prompt, which may begin with what hooks said before."""
    words: str = _module(agent).own_words(prompt)
    return words.strip()


def _reader(agent: str) -> ReadEntry:
    read: ReadEntry = _module(agent).read_entry
    return read


def _module(agent: str) -> ModuleType:
    return import_module(f"loxodon.workspace.readers.{AGENTS[agent].reader}")
