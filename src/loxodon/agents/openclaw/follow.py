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
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from loxodon.errors import InputError, NotFoundError
from loxodon.journal.follow import (
    Followed,
    Following,
    Mark,
    TranscriptPart,
    entries_of,
    number,
    parsed_mark,
    stray,
    within,
)
from loxodon.journal.lines import Numbered, Trouble, check_name, session_of
from loxodon.journal.openclaw import About, about_session, header_of, live, turns
from loxodon.journal.openclaw_db import SessionDatabase, opened, stamp

if TYPE_CHECKING:
    from loxodon.views.workspace import Workspace

DATABASE = os.path.join("agent", "openclaw-agent.sqlite")
# Files that are no transcripts: copies made before a compaction, and what was put away
_NO_TRANSCRIPT = (".checkpoint.", ".trajectory.jsonl")
_MOST_INDEX = 64 << 20
_MOST_HEADER = 1 << 16
_TICK_NS = 2_000_000_000  # how coarse the times of files may be


class Agent(NamedTuple):
    """An agent of an OpenClaw, and where its sessions are."""

    id: str
    files: list[str]
    database: str  # empty where it has none
    strays: list[str]  # links that lead out of OpenClaw's folder, which are not followed


def state_folder(given: str | None, environment: Mapping[str, str]) -> str:
    """OpenClaw's folder: the one given, that of the environment or its profile, or the usual."""
    profile = environment.get("OPENCLAW_PROFILE", "").strip()
    usual = f"~/.openclaw-{profile}" if profile not in ("", "default") else "~/.openclaw"
    folder = given or environment.get("OPENCLAW_STATE_DIR", "").strip() or usual
    if not _is_utf8(folder) or "\0" in folder:
        raise InputError(
            "this path cannot be OpenClaw's folder", hint="give the path of a folder, in UTF-8"
        )
    return os.path.abspath(os.path.expanduser(folder))


def follow(workspace: Workspace, state: str, agents: Sequence[str] = ()) -> Followed:
    """Journal what is new in the sessions of the OpenClaw at `state`; nothing in a pause, whose
    turns are passed over when it is done."""
    if workspace.memory.paused:
        return Followed()
    run = _Run(workspace, "openclaw")
    for agent in agents_at(state, agents):
        for path in agent.strays:
            run.tell(path, [(0, stray())])
        run.begin(agent.id)
        run.follow_files(agent.files)
        if agent.database:
            run.follow_database(agent.database)
    return run.result()


def agents_at(state: str, wanted: Sequence[str]) -> list[Agent]:
    """The agents at `state`, those that are wanted; NotFoundError where there is none."""
    folder, root = os.path.join(state, "agents"), os.path.realpath(state)
    names = sorted(one.name for one in _listed(folder) if one.is_dir() and _is_utf8(one.name))
    if not names:
        raise NotFoundError(
            "no OpenClaw with agents found at {path}",
            hint="set its folder with --state (default: ~/.openclaw)",
            path=state,
        )
    if missing := sorted(set(wanted) - set(names)):
        raise NotFoundError(
            "OpenClaw has no agent {agent}",
            hint="known names: {names}",
            agent=missing[0],
            names=", ".join(names),
        )
    found = []
    for name in (name for name in names if not wanted or name in wanted):
        files = [
            one.path
            for one in _listed(os.path.join(folder, name, "sessions"))
            if one.name.endswith(".jsonl") and one.is_file() and _is_utf8(one.name)
            if not any(mark in one.name for mark in _NO_TRANSCRIPT)
        ]
        database = os.path.join(folder, name, DATABASE)
        paths = [*files, *([database] if os.path.isfile(database) else [])]
        strays = [path for path in paths if not within(root, path)]
        kept = sorted({*paths} - {*strays})
        there = database if database in kept else ""
        found.append(Agent(name, [one for one in kept if one != there], there, sorted(strays)))
    return found


def _is_utf8(path: str) -> bool:
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


class _Run(Following):
    """See `Following`; from databases and files, some of which are branches of others.

    A session that has changed is read whole: turns have ids, so that none is added twice. What
    cannot be read is told once.
    """

    def begin(self, agent: str) -> None:
        """What comes now was said to this agent; whether it is told the others, a setting says.
        One person's agents share what they are told unless that is asked for."""
        if self._memory.config.workspace.agents == "apart":
            self._flush()
            self._agent = agent

    def follow_files(self, paths: Sequence[str]) -> None:
        """Journal what is new in files of one folder, those that began first before the others."""
        changed = [path for path in paths if not self._lies_still(path, self.mark(path))]
        self._counts["unchanged"] += len(paths) - len(changed)
        if not changed:
            return
        index = self._index(os.path.join(os.path.dirname(changed[0]), "sessions.json"))
        for path in sorted(changed, key=_began):
            try:
                with open(path, "rb") as file:
                    stat = os.fstat(file.fileno())
                    entries, problems, new = entries_of(file, path, 0, 0)
            except (OSError, InputError) as error:
                self.unread(path, error)
                continue
            new |= {"size": stat.st_size, "mtime": stat.st_mtime_ns}
            session, _ = header_of(entries, session_of(path))
            before = number(self.mark(path).get("line"))
            about = index.get(session, About())
            self._session((path, "", new), session, about, entries, problems, before)

    def _session(
        self,
        place: tuple[str, str, dict[str, object]],  # the file, the session in it, and the mark
        session: str,
        about: About,
        entries: Sequence[Numbered],
        problems: Sequence[Trouble],
        before: int,
    ) -> None:
        """Take what is new in a session, of which everything up to `before` was read."""
        path, name, mark = place
        _, parent = header_of(entries, session)
        drafts, bad = turns(live(entries), self._zone, session, about) if about.spoken else ([], [])
        told = [one for one in (*problems, *bad) if one[0] > before]
        part = TranscriptPart(session, drafts, told, mark, parent, about.spoken)
        self._wait(path, name, part, copies=bool(parent))

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
            error = InputError(
                "cannot read the session index: all sessions are treated as private",
                hint="if OpenClaw is writing it now, it will be read next time",
            )
            self.tell(path, [(0, error)])
            return {}
        found: dict[str, About] = {}
        for key, entry in value.items():
            id = entry.get("sessionId") if isinstance(entry, dict) else None
            # A session may have two keys: what a program runs is so by either.
            if isinstance(id, str) and found.get(id, About()).spoken:
                found[id] = about_session(key, entry)
        return found

    def follow_database(self, path: str) -> None:
        """Journal what is new in all sessions of a database."""
        marks = {session: parsed_mark(one) for session, one in self._store.query("marks", path)}
        files = stamp(path)
        if marks.get("") == {"files": files}:
            self._counts["unchanged"] += len(marks) - 1
            return
        self._flush()
        try:
            with opened(path) as database:
                self._check = database.check
                whole = self._sessions_of(database, marks)
                self._flush()
        except InputError as error:
            self._waiting.clear()
            self.tell(path, [(0, error)])
        else:
            # A log that SQLite uses anew keeps its size, and what is written within one tick of
            # the clock has the same time: to trust such a stamp would be to miss what came later.
            newest = max((found[1] for found in files if found), default=0)
            if whole and time.time_ns() - newest > _TICK_NS:
                self._set_marks([(path, "", {"files": files})])
        finally:
            self._check = lambda: None

    def _sessions_of(self, database: SessionDatabase, marks: Mapping[str, Mark]) -> bool:
        """Take the sessions that changed; one that cannot be read does not stop the others. Whether
        all could be read: else they may be the next time."""
        whole = True
        for id, last, rewritten in database.sessions():
            mark = marks.get(id, {})
            now: dict[str, object] = {"seq": last, "rewritten": rewritten}
            if {name: mark.get(name) for name in now} == now and not mark.get("bad"):
                self._counts["unchanged"] += 1
                continue
            try:
                check_name(id, "session")
                about = database.about(id)
                entries, problems = database.entries(id) if about.spoken else ([], [])
            except InputError as error:
                self.tell(f"{database.file}#{id}", [(0, error)])
                whole = False
                continue
            now |= {"bad": True} if problems else {}
            whole = whole and not problems
            before = number(mark.get("seq")) + 1 if mark else 0
            self._session((database.file, id, now), id, about, entries, problems, before)
        return whole


def _began(path: str) -> tuple[str, str]:
    """When a session began, as its header says: a branch comes after what it was branched off."""
    try:
        with open(path, "rb") as file:
            first = json.loads(file.readline(_MOST_HEADER))
    except (OSError, ValueError, RecursionError):
        return ("", path)
    at = first.get("timestamp") if isinstance(first, dict) else None
    return (at if isinstance(at, str) else "", path)
