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
from loxodon.views.sync import Synced

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

    synced: Synced
    """With those problems and conflicts only that were not told before."""
    followed: Followed | None = None
    error: LoxodonError | None = None
    """Why nothing could be done; it is tried again."""


Tell = Callable[[Round], None]


def watch(
    workspace: Workspace,
    stop: Event,
    tell: Tell,
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
        _Watching(workspace, tell, state, agents).run(stop)
    finally:
        lock.close()


class _Watching:
    def __init__(
        self, workspace: Workspace, tell: Tell, state: str | None, agents: Sequence[str]
    ) -> None:
        self.workspace = workspace
        self.tell = tell
        self.state = state
        self.agents = agents
        self.first = True
        self.again = True  # whether the last round left something for this one
        self.seen: set[FileProblem] = set()
        self.told: set[FileProblem] = set()
        self.error = ""

    def run(self, stop: Event) -> None:
        before: object = None
        beat = 0.0
        while not stop.is_set():
            began = time.monotonic()
            now = set(self.stamps())
            pause = max(_PAUSE, (time.monotonic() - began) / _SHARE)
            if now != before or self.again or began >= beat:
                before, beat = now, began + _BEAT
                self.look()
            stop.wait(pause)

    def stamps(self) -> Iterator[tuple[str, int, int]]:
        """The size and time of each file that may be read. At the top of a workspace an agent may
        keep anything: of that only notes are looked at."""
        from loxodon.journal.follow import tops
        from loxodon.notes.index import folders_of

        named = self.workspace.memory.config.workspace
        workspaces = [self.workspace.path, *folders_of(self.workspace, named.others)]
        deep = [os.path.join(one, "memory") for one in workspaces]
        deep += folders_of(self.workspace, named.folders)
        deep += [os.path.join(self.state, "agents")] if self.state else []
        deep += [path for agent in self.agents for path in tops(agent, os.environ)]
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

    def look(self) -> None:
        """Take in what has changed. Views that vanished are not written again: whoever took them
        may bring them back, and everything that they say is in the memory."""
        from loxodon.views.sync import sync

        synced, followed, error, self.again = Synced(), Followed(), None, False
        try:
            if self.state:
                followed = self.workspace.follow(self.state)
            for agent in self.agents:
                pairs = zip(followed, self.workspace.follow_agent(agent), strict=True)
                followed = Followed(*(mine + theirs for mine, theirs in pairs))  # type: ignore[operator]
        except LoxodonError as caught:
            error = caught
        try:
            quiet = time.time_ns() - int(QUIET * 1e9)
            synced, self.again = sync(self.workspace, before=quiet, make=self.first)
        except LoxodonError as caught:
            error = caught
        self.again = self.again or error is not None
        round = Round(*self.news(synced, followed), error)
        new_error = error is not None and str(error) != self.error
        if self.first or _says_something(round) or new_error:
            follows = self.state or self.agents
            self.tell(round if follows else round._replace(followed=None))
        self.first, self.error = False, str(error or "")

    def news(self, synced: Synced, followed: Followed) -> tuple[Synced, Followed]:
        """What is to be told now: of problems those that were there the last time too, because a
        file may only be half written, and that were not told yet."""
        lists = (synced.problems, synced.conflicts, synced.indexed.problems, followed.problems)
        problems = {one for found in lists for one in found}
        fresh = ((problems & self.seen) | set(synced.notes)) - self.told
        self.told = (self.told & (problems | self.told - self.seen)) | fresh
        self.seen = problems
        self.again = self.again or bool(problems - self.told)
        kept = [tuple(one for one in found if one in fresh) for found in (*lists, synced.notes)]
        indexed = synced.indexed._replace(problems=kept[2])
        synced = synced._replace(problems=kept[0], conflicts=kept[1], indexed=indexed)
        return synced._replace(notes=kept[4]), followed._replace(problems=kept[3])


def _says_something(round: Round) -> bool:
    """Whether there is something to tell of a round."""
    indexed, followed = round.synced.indexed, round.followed or Followed()
    counts = (indexed.read, indexed.removed, indexed.problems, followed.added, followed.problems)
    return any(round.synced[:-1]) or any(counts)
