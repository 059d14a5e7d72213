"""Following OpenClaw: what its agents and their people say goes to the journal as it is said.

    ~/.openclaw/agents/<id>/sessions/<session>.jsonl          up to 2026.7
    ~/.openclaw/agents/<id>/agent/openclaw-agent.sqlite       from 2026.8 on

Both may be there, with the same sessions in them. Turns are known by OpenClaw's own ids, so that
nothing is journalled twice, whichever way and however often it is read. What was journalled stays,
also if the person went back and said something else. Nothing of OpenClaw's is ever written to.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from loxodon.agents.openclaw.transcripts import read_file, read_session
from loxodon.errors import InputError, NotFoundError
from loxodon.journal.follow import Following, TranscriptPart, as_input, parsed_mark, stray, within
from loxodon.journal.lines import session_of
from loxodon.journal.openclaw import About, about_session
from loxodon.journal.openclaw_db import SessionDatabase, can_unpack, opened, stamp
from loxodon.types import Draft, Followed

if TYPE_CHECKING:
    from loxodon.views.workspace import Workspace

DATABASE = os.path.join("agent", "openclaw-agent.sqlite")
_CHECKPOINT = ".checkpoint."
"""In the name of a copy that is made before a compaction."""
_MOST_INDEX = 64 << 20
_MOST_HEADER = 1 << 16
_TICK_NS = 2_000_000_000
"""How coarse the times of files may be."""
_MOST_ANCESTORS = 50


class Agent(NamedTuple):
    """An agent of an OpenClaw, and where its sessions are."""

    id: str
    files: list[str]
    database: str
    """Empty where it has none."""
    strays: list[str]
    """Links that lead out of OpenClaw's folder, which are not followed."""


def state_folder(given: str | None, environment: Mapping[str, str]) -> str:
    """OpenClaw's folder: the one given, that of the environment or its profile, or the usual."""
    profile = environment.get("OPENCLAW_PROFILE", "").strip()
    usual = f"~/.openclaw-{profile}" if profile not in ("", "default") else "~/.openclaw"
    folder = given or environment.get("OPENCLAW_STATE_DIR", "").strip() or usual
    if not is_utf8(folder) or "\0" in folder:
        raise InputError(
            "this path cannot be OpenClaw's folder", hint="give the path of a folder, in UTF-8"
        )
    return os.path.abspath(os.path.expanduser(folder))


def follow(workspace: Workspace, state: str, agents: Sequence[str] = ()) -> Followed:
    """Journal what is new in the sessions of the OpenClaw at `state`; nothing in a pause, whose
    turns are passed over when it is done."""
    if workspace.memory.paused:
        return Followed()
    run = _Run(workspace)
    for agent in agents_at(state, agents):
        for path in agent.strays:
            run.tell(path, [(0, stray())])
        run.begin(agent.id)
        run.follow_files(agent.files)
        if agent.database:
            run.follow_database(agent.database)
    return run.result()


# --- What is there --------------------------------------------------------------------------------


def agents_at(state: str, wanted: Sequence[str]) -> list[Agent]:
    """The agents at `state`, those that are wanted; NotFoundError where there is none."""
    folder = os.path.join(state, "agents")
    names = sorted(
        entry.name for entry in _listed(folder) if entry.is_dir() and is_utf8(entry.name)
    )
    if not names:
        raise NotFoundError(
            "no OpenClaw with agents found at {path}",
            hint="set its folder with --state (default: ~/.openclaw)",
            path=state,
        )
    missing = sorted(set(wanted) - set(names))
    if missing:
        raise NotFoundError(
            "OpenClaw has no agent {agent}",
            hint="known names: {names}",
            agent=missing[0],
            names=", ".join(names),
        )
    root = os.path.realpath(state)
    return [_agent(root, folder, name) for name in names if not wanted or name in wanted]


def _agent(root: str, folder: str, name: str) -> Agent:
    sessions = os.path.join(folder, name, "sessions")
    found = [entry for entry in _listed(sessions) if is_transcript(entry.name) and entry.is_file()]
    beyond = not within(root, sessions)
    strays = {
        one.path for one in found if beyond or (one.is_symlink() and not within(root, one.path))
    }
    files = sorted({one.path for one in found} - strays)
    database = os.path.join(folder, name, DATABASE)
    if not os.path.isfile(database):
        database = ""
    elif not within(root, database):
        strays.add(database)
        database = ""
    return Agent(name, files, database, sorted(strays))


def is_transcript(name: str) -> bool:
    """Whether a file in a folder of sessions is one: not a lock, a copy or what was put away."""
    if not name.endswith(".jsonl") or name.endswith(".trajectory.jsonl"):
        return False
    return _CHECKPOINT not in name and is_utf8(name)


def is_utf8(path: str) -> bool:
    """Whether a name can be kept: those of files may hold any bytes."""
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _listed(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []


# --- One run --------------------------------------------------------------------------------------


class _Run(Following):
    """See `Following`; from databases and files, some of which are branches of others."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace, "openclaw")
        self._check_read: Callable[[], None] = _nothing
        """Raises InputError where what waits may be torn."""

    def begin(self, agent: str) -> None:
        """What comes now was said to this agent; whether it is told the others, a setting says.

        One person's agents share what they are told unless that is asked for: people tell one of
        them and expect the others to know.
        """
        if self._memory.config.workspace.agents == "apart":
            self._flush()
            self._agent = agent

    # Files

    def follow_files(self, paths: Sequence[str]) -> None:
        """Journal what is new in files of one folder, those that began first before the others."""
        changed = [path for path in paths if not self._lies_still(path, self._mark(path))]
        self._count(unchanged=len(paths) - len(changed))
        if not changed:
            return
        index = self._index(os.path.join(os.path.dirname(changed[0]), "sessions.json"))
        for path in sorted(changed, key=_began):
            mark = self._mark(path)
            try:
                part = read_file(path, mark, lambda name: index.get(name, About()), self._zone)
            except (OSError, InputError) as error:
                self.tell(path, [(0, as_input(error, path))])
                continue
            if part is not None:
                parent = os.path.join(os.path.dirname(path), _file_name(part.parent))
                self._take(path, "", part, (parent, ""))

    def _index(self, path: str) -> dict[str, About]:
        """What the index beside the files says of each session."""
        try:
            with open(path, "rb") as file:
                data = file.read(_MOST_INDEX + 1)
            value = json.loads(data) if len(data) <= _MOST_INDEX else None
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            self.tell(path, [(0, _no_index())])
            return {}
        found: dict[str, About] = {}
        for key, entry in value.items():
            if isinstance(entry, dict) and isinstance(entry.get("sessionId"), str):
                about = about_session(key, entry)
                # A session may have two keys: what a program runs is so by either.
                if found.get(entry["sessionId"], About()).kind == "talk":
                    found[entry["sessionId"]] = about
        return found

    # Databases

    def follow_database(self, path: str) -> None:
        """Journal what is new in all sessions of a database."""
        marks: dict[str, str] = dict(self._store.query("marks", path))
        files = stamp(path)
        if parsed_mark(marks.get("", "")) == {"files": files}:
            self._count(unchanged=len(marks) - 1)
            return
        self._flush()
        known = len(self._problems)
        try:
            with opened(path) as sessions:
                self._check_read = sessions.check
                for part in self._parts(sessions, marks):
                    self._take(path, part.session, part, (path, session_of(part.parent)))
                self._flush()
        except InputError as error:
            self._waiting.clear()
            self.tell(path, [(0, error)])
        else:
            if _settled(files) and (can_unpack() or known == len(self._problems)):
                self._set_marks([(path, "", {"files": files})])
        finally:
            self._check_read = _nothing

    def _parts(
        self, sessions: SessionDatabase, marks: Mapping[str, str]
    ) -> Iterator[TranscriptPart]:
        """What is new in each session; one that cannot be read does not stop the others."""
        for stand in sessions.stands():
            try:
                part = read_session(
                    sessions, stand, parsed_mark(marks.get(stand.session, "")), self._zone
                )
            except InputError as error:
                self.tell(f"{sessions.file}#{stand.session}", [(0, error)])
                continue
            if part is None:
                self._count(unchanged=1)
            else:
                yield part
        for session in sessions.cold():
            if session not in marks:
                yield TranscriptPart(session, [], [(0, _cold())], {"cold": True})

    # Journalling

    def _take(self, path: str, session: str, part: TranscriptPart, parent: tuple[str, str]) -> None:
        """Put what is new in a transcript with what waits; `parent` is where its parent's mark is.

        One that was branched off another begins with turns of that one, which are not taken again.
        """
        self.tell(f"{path}#{session}" if session else path, part.problems)
        self._count(**{"read" if part.spoken else "skipped": 1})
        if part.parent:
            self._flush()  # they may be among what waits
            ancestors = self._ancestors(part.parent, *parent)
            drafts = [draft for draft in part.drafts if not self._is_copy(draft, ancestors)]
            self._count(known=len(part.drafts) - len(drafts))
            part = part._replace(drafts=drafts, mark={**part.mark, "from": ancestors})
        if part.problems and not can_unpack():
            part = part._replace(mark={})  # so that it is read again when it can be
        self._wait(path, session, part)

    def _is_copy(self, draft: Draft, ancestors: Sequence[str]) -> bool:
        """Whether a session that this one was branched off has the turn."""
        if not draft.id:
            return False
        return any(self._store.turn_row(session, draft.id) for session in ancestors)

    def _ancestors(self, parent: str, path: str, session: str) -> tuple[str, ...]:
        """The sessions that have the first turns of one that was branched off `parent`."""
        name = session_of(parent) if parent else ""
        if not name:
            return ()
        above = parsed_mark(self._store.scalar("mark", path, session) or "").get("from")
        more = [one for one in above if isinstance(one, str)] if isinstance(above, list) else []
        return (name, *more[: _MOST_ANCESTORS - 1])

    def _check(self) -> None:
        self._check_read()


def _nothing() -> None:
    """What was read from whole files cannot be torn."""


def _settled(stats: Sequence[Sequence[int]]) -> bool:
    """Whether files were last written long enough ago that the next write gets another time.

    A log that SQLite uses anew keeps its size, and what is written within one tick of the clock
    has the same time: to trust such a stamp would be to miss what came a moment later.
    """
    newest = max((found[1] for found in stats if found), default=0)
    return time.time_ns() - newest > _TICK_NS


def _began(path: str) -> tuple[str, str]:
    """When a session began, as its header says: a branch comes after what it was branched off."""
    try:
        with open(path, "rb") as file:
            first = json.loads(file.readline(_MOST_HEADER))
    except (OSError, ValueError, RecursionError):
        return ("", path)
    at = first.get("timestamp") if isinstance(first, dict) else None
    return (at if isinstance(at, str) else "", path)


def _file_name(parent: str) -> str:
    """The file of a session that a header names by its file or by its id."""
    name = parent.replace("\\", "/").rsplit("/", 1)[-1]
    return name if not name or name.endswith(".jsonl") else f"{name}.jsonl"


def _no_index() -> InputError:
    return InputError(
        "cannot read the session index: all sessions are treated as private",
        hint="if OpenClaw is writing it now, it will be read next time",
    )


def _cold() -> InputError:
    return InputError(
        "OpenClaw has archived this session; archived sessions are not read",
        hint="restore it in OpenClaw, and follow again",
    )
