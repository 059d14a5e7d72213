"""Following OpenClaw: what its agents and their people say goes to the journal as it is said.

    ~/.openclaw/agents/<id>/sessions/<session>.jsonl          up to 2026.7
    ~/.openclaw/agents/<id>/agent/openclaw-agent.sqlite       from 2026.8 on

Both may be there, with the same sessions in them. Turns are known by OpenClaw's own ids, so that
nothing is journalled twice, whichever way and however often it is read. What was journalled stays,
also if the person went back and said something else. Nothing of OpenClaw's is ever written to.
"""

from __future__ import annotations

import glob
import json
import os
from collections.abc import Mapping, Sequence

from loxodon.errors import InputError, NotFoundError
from loxodon.journal.follow import (
    Followed,
    Following,
    TranscriptPart,
    entries_of,
    lies_still,
    stray,
)
from loxodon.journal.lines import Numbered, Trouble, check_name, session_of
from loxodon.journal.openclaw import About, about_session, header_of, live, turns
from loxodon.journal.openclaw_db import opened
from loxodon.security.paths import is_inside
from loxodon.views.workspace import Workspace

DATABASE = os.path.join("agent", "openclaw-agent.sqlite")
# Files that are no transcripts: copies made before a compaction, and what was put away
_NO_TRANSCRIPT = (".checkpoint.", ".trajectory.jsonl")
_MOST_INDEX = 64 << 20
_MOST_HEADER = 1 << 16


def state_folder(given: str | None, environment: Mapping[str, str]) -> str:
    """OpenClaw's folder: the one given, that of the environment or its profile, or the usual."""
    profile = environment.get("OPENCLAW_PROFILE", "").strip()
    usual = f"~/.openclaw-{profile}" if profile not in ("", "default") else "~/.openclaw"
    folder = given or environment.get("OPENCLAW_STATE_DIR", "").strip() or usual
    if not folder.isprintable():  # not UTF-8, or not the name of anything
        raise InputError(
            "this path cannot be OpenClaw's folder", hint="give the path of a folder, in UTF-8"
        )
    return os.path.abspath(os.path.expanduser(folder))


def follow(workspace: Workspace, state: str, agents: Sequence[str] = ()) -> Followed:
    """Journal what is new in the sessions of the OpenClaw at `state`; nothing in a pause."""
    if workspace.memory.paused:
        return Followed()
    run = Following(workspace, "openclaw")
    # One person's agents share what they are told, unless they are to be kept apart.
    apart = workspace.memory.config.workspace.agents == "apart"
    for agent in agents_at(state, agents):
        run.agent = agent if apart else ""
        folder = os.path.join(state, "agents", agent)
        database = os.path.join(folder, DATABASE)
        files = glob.glob(os.path.join(glob.escape(folder), "sessions", "*.jsonl"))
        files = [one for one in files if not any(mark in one for mark in _NO_TRANSCRIPT)]
        there = [one for one in (*sorted(files), database) if one.isprintable()]
        there = [one for one in there if os.path.isfile(one)]
        for path in there:
            if not is_inside(path, state):
                run.unread(path, stray())
        there = [one for one in there if is_inside(one, state)]
        _follow_files(run, [one for one in there if one != database])
        try:
            if database in there:
                _follow_database(run, database)
        except InputError as error:
            run.unread(database, error)
    return run.result()


def agents_at(state: str, wanted: Sequence[str]) -> list[str]:
    folders = glob.glob(os.path.join(glob.escape(state), "agents", "*", ""))
    names = sorted(os.path.basename(os.path.dirname(one)) for one in folders if one.isprintable())
    if not names:
        raise NotFoundError(
            "no OpenClaw with agents found at {path}",
            hint="start OpenClaw once; if its folder is elsewhere, set OPENCLAW_STATE_DIR",
            path=state,
        )
    if missing := sorted(set(wanted) - set(names)):
        raise NotFoundError(
            "OpenClaw has no agent {agent}",
            hint="known names: {names}",
            agent=missing[0],
            names=", ".join(names),
        )
    return [name for name in names if not wanted or name in wanted]


def _follow_files(run: Following, paths: Sequence[str]) -> None:
    """Journal what is new in files of one folder, those that began first before others."""
    changed = [path for path in paths if not lies_still(path, run.mark(path))]
    run.counts["unchanged"] += len(paths) - len(changed)
    index = _index(run, os.path.dirname(changed[0])) if changed else {}
    for path in sorted(changed, key=_began):
        before = run.mark(path).get("line", 0)
        try:
            with open(path, "rb") as file:
                entries, problems, new = entries_of(file, 0, 0, whole=True)
        except (OSError, InputError) as error:
            run.unread(path, error)
            continue
        session, _ = header_of(entries, session_of(path))
        part = _part(run, session, index.get(session, About()), entries, problems, before, new)
        run.take(path, part, copies=bool(part.parent))


def _part(
    run: Following,
    session: str,
    about: About,
    entries: Sequence[Numbered],
    problems: Sequence[Trouble],
    before: int,
    mark: dict[str, object],
) -> TranscriptPart:
    """What is in a session, and what cannot be read of it and was not told `before`."""
    _, parent = header_of(entries, session)
    drafts, bad = turns(live(entries), run.zone, session, about) if about.spoken else ([], [])
    told = [one for one in (*problems, *bad) if one[0] > before]
    return TranscriptPart(drafts, told, mark, parent, about.spoken)


def _index(run: Following, folder: str) -> dict[str, About]:
    path = os.path.join(folder, "sessions.json")
    try:
        with open(path, "rb") as file:
            value = json.loads(file.read(_MOST_INDEX))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        error = InputError(
            "cannot read the session index: all sessions are treated as private",
            hint="if OpenClaw is writing it now, it will be read next time",
        )
        run.tell(path, [(0, error)])
        return {}
    found: dict[str, About] = {}
    for key, entry in value.items():
        id = entry.get("sessionId") if isinstance(entry, dict) else None
        # A session may have two keys: what a program runs is so by either.
        if isinstance(id, str) and found.get(id, About()).spoken:
            found[id] = about_session(key, entry)
    return found


def _follow_database(run: Following, path: str) -> None:
    """Journal what is new in a database; a session that cannot be read is told of."""
    marks = {session: json.loads(one) for session, one in run.store.query("marks", path)}
    with opened(path) as database:
        for id, last, rewritten in database.sessions():
            mark = marks.get(id, {})
            new: dict[str, object] = {"seq": last, "rewritten": rewritten}
            if mark == new:
                run.counts["unchanged"] += 1
                continue
            try:
                check_name(id, "session")
                about = database.about(id)
                entries, problems = database.entries(id) if about.spoken else ([], [])
            except InputError as error:
                run.tell(f"{path}#{id}", [(0, error)])
                continue
            new |= {"bad": True} if problems else {}  # to be read again: it may be mended
            before = mark.get("seq", -1) + 1
            part = _part(run, id, about, entries, problems, before, new)
            database.check()
            run.take(path, part, session=id, copies=bool(part.parent))


def _began(path: str) -> tuple[str, str]:
    """When a session began, as its header says: a branch comes after what it was branched off."""
    try:
        with open(path, "rb") as file:
            first = json.loads(file.readline(_MOST_HEADER))
    except (OSError, ValueError, RecursionError):
        return ("", path)
    at = first.get("timestamp") if isinstance(first, dict) else None
    return (at if isinstance(at, str) else "", path)
