"""Taking in what changes in the workspace while it changes.

The folders are looked through again and again. A page is read once it has been quiet for a moment.
What cannot be read is looked at again before a person hears of it, because it may only be half
written.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
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
    seen: set[FileProblem] = set()  # by the last look
    told: set[FileProblem] = set()
    first, said = True, ""
    try:
        if not lock.acquire(0):
            raise BusyStoreError(
                "another `loxodon watch` is running for the space {space}",
                hint="stop it first",
                space=workspace.memory.space,
            )
        while not stop.is_set():
            began = time.monotonic()
            round = _look(workspace, state, agents, first=first)
            problems = {one for some in _problems(round)[:-1] for one in some}
            fresh = ((problems & seen) | set(round.synced.notes)) - told
            told, seen = (told & problems) | (told - seen) | fresh, problems
            round, error = _only(round, fresh), str(round.error or "")
            if first or _says_something(round) or (error and error != said):
                tell(round if state or agents else round._replace(followed=None))
            first, said = False, error
            stop.wait(max(_PAUSE, (time.monotonic() - began) / _SHARE))
    finally:
        lock.close()


def _look(workspace: Workspace, state: str | None, agents: Sequence[str], *, first: bool) -> Round:
    """Take in what has changed. Views that vanished are not written again: whoever took them may
    bring them back."""
    synced, followed, error = Synced(), Followed(), None
    try:
        runs = [workspace.follow(state)] if state else []
        for run in (*runs, *map(workspace.follow_agent, agents)):
            pairs = zip(followed, run, strict=True)
            followed = Followed(*(mine + theirs for mine, theirs in pairs))  # type: ignore[operator]
    except LoxodonError as caught:
        error = caught
    try:
        quiet = time.time_ns() - int(QUIET * 1e9)
        synced = sync(workspace, before=quiet, make=first, always=first)
    except LoxodonError as caught:
        error = caught
    return Round(synced, followed, error)


def _problems(round: Round) -> list[tuple[FileProblem, ...]]:
    synced, followed = round.synced, round.followed or Followed()
    told = (synced.conflicts, synced.problems, synced.indexed.problems, followed.problems)
    return [*told, synced.notes]


def _only(round: Round, fresh: set[FileProblem]) -> Round:
    """A round with those of its problems, conflicts and notes alone that are `fresh`."""
    kept = [tuple(one for one in some if one in fresh) for some in _problems(round)]
    indexed = round.synced.indexed._replace(problems=kept[2])
    synced = round.synced._replace(conflicts=kept[0], problems=kept[1], notes=kept[4])
    followed = (round.followed or Followed())._replace(problems=kept[3])
    return Round(synced._replace(indexed=indexed), followed, round.error)


def _says_something(round: Round) -> bool:
    indexed, followed = round.synced.indexed, round.followed or Followed()
    counts = (indexed.read, indexed.removed, indexed.problems, followed.added, followed.problems)
    return any(round.synced[:-1]) or any(counts)
