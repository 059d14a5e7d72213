"""Taking in what changes in the workspace while it changes.

The folders are looked through again and again; where the time or size of a file is another, a sync
sees what is different. A file is read once it has been quiet for a moment. What cannot be read is
looked at again before a person hears of it, because it may only be half written.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from threading import Event
from typing import TYPE_CHECKING, NamedTuple

from loxodon import files
from loxodon.errors import BusyStoreError, LoxodonError
from loxodon.filelock import FileLock
from loxodon.journal.follow import Followed
from loxodon.types import FileProblem
from loxodon.views.sync import Synced, sync

if TYPE_CHECKING:
    from loxodon.views.workspace import Workspace

LOCK = "watch.lock"
QUIET = 0.3  # seconds that a file must be left alone before it is read
_PAUSE = 0.5  # seconds between two looks, or more where a look takes long
_SHARE = 0.05  # of the time that may go into looking
_BEAT = 60.0  # seconds after which everything is seen to, whatever has changed
_NOISE = (".tmp", ".lock", ".draft", ".swp", ".swx", "~", "-shm")


class Round(NamedTuple):
    """What became of some changes."""

    synced: Synced  # with those problems and conflicts only that were not told before
    followed: Followed | None = None
    error: LoxodonError | None = None  # why nothing could be done; it is tried again


def watch(
    workspace: Workspace,
    stop: Event,
    tell: Callable[[Round], None],
    state: str | None = None,
    agents: Sequence[str] = (),
) -> None:
    """Sync whenever something in the workspace changes, until `stop` is set.

    The first round comes at once. `state` is OpenClaw's folder, where its sessions are to be
    followed too; `agents` are others to follow. Raises BusyStoreError where another process watches
    this space.
    """
    folder = os.path.dirname(workspace.usual)  # of this machine, as the files are that it watches
    files.make_folder(folder)
    lock = FileLock(os.path.join(folder, LOCK))
    try:
        if not lock.acquire(0):
            raise BusyStoreError(
                "another `loxodon watch` is running for the space {space}",
                hint="stop it first",
                space=workspace.memory.space,
            )
        _watch(workspace, stop, tell, state, agents)
    finally:
        lock.close()


def _watch(
    workspace: Workspace,
    stop: Event,
    tell: Callable[[Round], None],
    state: str | None,
    agents: Sequence[str],
) -> None:
    before: object = None
    seen: set[FileProblem] = set()  # by the last look
    told: set[FileProblem] = set()
    beat, said, again = 0.0, "", False
    while not stop.is_set():
        began = time.monotonic()
        now = set(_stamps(workspace, state, agents))
        pause = max(_PAUSE, (time.monotonic() - began) / _SHARE)
        if now != before or again or began >= beat:
            first, before, beat = before is None, now, began + _BEAT
            round, again = _look(workspace, state, agents, make=first)
            problems = set(_problems(round))
            fresh = ((problems & seen) | set(round.synced.notes)) - told
            told, seen = (told & problems) | (told - seen) | fresh, problems
            again = again or bool(problems - told)
            round = _only(round, fresh)
            error = str(round.error or "")
            if first or _says_something(round) or (error and error != said):
                tell(round if state or agents else round._replace(followed=None))
            said = error
        stop.wait(pause)


def _look(
    workspace: Workspace, state: str | None, agents: Sequence[str], *, make: bool
) -> tuple[Round, bool]:
    """Take in what has changed; also whether something is left for the next look. Views that
    vanished are not written again: whoever took them may bring them back."""
    synced, followed, error, again = Synced(), Followed(), None, False
    try:
        runs = [workspace.follow(state)] if state else []
        for run in (*runs, *map(workspace.follow_agent, agents)):
            pairs = zip(followed, run, strict=True)
            followed = Followed(*(mine + theirs for mine, theirs in pairs))  # type: ignore[operator]
    except LoxodonError as caught:
        error = caught
    try:
        quiet = time.time_ns() - int(QUIET * 1e9)
        synced, again = sync(workspace, before=quiet, make=make)
    except LoxodonError as caught:
        error = caught
    return Round(synced, followed, error), again or error is not None


def _stamps(
    workspace: Workspace, state: str | None, agents: Sequence[str]
) -> Iterator[tuple[str, int, int]]:
    """The size and time of each file that may be read. At the top of a workspace an agent may
    keep anything: of that only notes are looked at."""
    from loxodon.journal.follow import tops
    from loxodon.notes.index import folders_of

    named = workspace.memory.config.workspace
    workspaces = [workspace.path, *folders_of(workspace, named.others)]
    deep = [os.path.join(one, "memory") for one in workspaces]
    deep += folders_of(workspace, named.folders)
    deep += [os.path.join(state, "agents")] if state else []
    deep += [path for agent in agents for path in tops(agent, os.environ)]
    paths = [
        os.path.join(one, name)
        for one in workspaces
        for name in (os.listdir(one) if os.path.isdir(one) else ())
        if name.endswith(".md")
    ]
    for folder in deep:
        for at, folders, names in os.walk(folder):
            folders[:] = [name for name in folders if not name.startswith(".")]
            paths += [os.path.join(at, name) for name in names if not name.endswith(_NOISE)]
    for path in paths:
        try:
            about = os.stat(path)
        except OSError:
            continue
        yield path, about.st_size, about.st_mtime_ns


def _problems(round: Round) -> Iterator[FileProblem]:
    yield from (*round.synced.problems, *round.synced.conflicts, *round.synced.indexed.problems)
    yield from round.followed.problems if round.followed else ()


def _only(round: Round, fresh: set[FileProblem]) -> Round:
    """A round with those of its problems, conflicts and notes alone that are `fresh`."""

    def kept(found: Sequence[FileProblem]) -> tuple[FileProblem, ...]:
        return tuple(one for one in found if one in fresh)

    synced, followed = round.synced, round.followed or Followed()
    indexed = synced.indexed._replace(problems=kept(synced.indexed.problems))
    synced = synced._replace(
        conflicts=kept(synced.conflicts),
        problems=kept(synced.problems),
        notes=kept(synced.notes),
        indexed=indexed,
    )
    return round._replace(
        synced=synced, followed=followed._replace(problems=kept(followed.problems))
    )


def _says_something(round: Round) -> bool:
    """Whether there is something to tell of a round."""
    indexed, followed = round.synced.indexed, round.followed or Followed()
    counts = (indexed.read, indexed.removed, indexed.problems, followed.added, followed.problems)
    return any(round.synced[:-1]) or any(counts)
