"""Taking in what changes in the workspace while it changes.

The system tells when files change (watchfiles); a sync then looks at what is different, so that an
event that was lost, told twice or caused by ourselves does no harm. A file is read once it has been
quiet for a moment. What cannot be read is looked at again before a person hears of it, because it
may only be half written.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from threading import Event
from typing import TYPE_CHECKING, NamedTuple

from loxodon import files
from loxodon.errors import INSTALL, BusyStoreError, ConfigError, LoxodonError
from loxodon.filelock import FileLock
from loxodon.journal.follow import Followed
from loxodon.types import FileProblem
from loxodon.views.sync import Synced

if TYPE_CHECKING:
    from loxodon.views.workspace import Workspace

LOCK = "watch.lock"
QUIET = 300  # milliseconds that files must be left alone before they are read
_TICK = 500  # milliseconds after which it looks whether the folders are still there
_LONGEST = 2_000  # milliseconds after which changes are looked at even if more keep coming
_SOON, _LATER, _BEAT = 1.0, 5.0, 60.0
"""Seconds until a file that is half written, a failure, and everything is looked at again."""
_NOISE = (".tmp", ".lock", ".swp", ".swx", "~", "-shm")
_NEVER = float("inf")


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

    The first round comes at once, when all folders are watched. `state` is OpenClaw's folder, where
    its sessions are to be followed too; `agents` are others to follow. Raises BusyStoreError where
    another process watches this space.
    """
    try:
        import watchfiles  # noqa: F401
    except ImportError as error:
        raise ConfigError(
            "`loxodon watch` needs a package that is not installed", hint=INSTALL, extra="workspace"
        ) from error
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
        _Watching(workspace, stop, tell, state, agents).run()
    finally:
        lock.close()


class _Watching:
    def __init__(
        self,
        workspace: Workspace,
        stop: Event,
        tell: Tell,
        state: str | None,
        agents: Sequence[str],
    ) -> None:
        self.workspace = workspace
        self.stop = stop
        self.tell = tell
        self.state = state
        self.agents = agents
        self.due = self.beat = 0.0
        self.polling, self.first = False, True
        self.top: object = None
        self.seen: set[FileProblem] = set()
        self.told: set[FileProblem] = set()
        self.error = ""

    def run(self) -> None:
        while not self.stop.is_set():
            roots = self.roots()
            for changed in self.batches(list(roots)):
                self.look(changed)
                if self.stop.is_set():
                    return
                if self.roots() != roots:  # one came, went, or was put in the place of another
                    self.due = 0.0
                    break

    def roots(self) -> Mapping[str, tuple[int, int]]:
        """The folders to watch that are there. The workspace's own is looked at without the
        system's help: an agent may keep anything in it, and only its top is ours to read."""
        from loxodon.notes.index import folders_of

        named = self.workspace.memory.config.workspace
        workspaces = [self.workspace.path, *folders_of(self.workspace, named.others)]
        paths = [os.path.join(one, "memory") for one in workspaces]
        paths += folders_of(self.workspace, named.folders)
        if self.state:
            paths.append(os.path.join(self.state, "agents"))
        if self.agents:
            from loxodon.journal.follow import tops

            paths += [path for agent in self.agents for path in tops(agent, os.environ)]
        found = {}
        for path in paths:
            try:
                about = os.stat(path)
            except OSError:
                continue
            if os.path.isdir(path):
                found[path] = (about.st_dev, about.st_ino)
        return found

    def batches(self, paths: list[str]) -> Iterator[int]:
        """How many changes that matter there were, at least once a tick."""
        if not paths:
            while not self.stop.wait(_TICK / 1_000):
                yield 0
            return
        import watchfiles

        try:
            for changes in watchfiles.watch(
                *paths,
                watch_filter=None,
                debounce=max(_LONGEST, QUIET),
                step=QUIET,
                stop_event=self.stop,
                rust_timeout=_TICK,
                yield_on_timeout=True,
                raise_interrupt=False,
                force_polling=self.polling or None,
                ignore_permission_denied=True,
            ):
                yield sum(_matters(path) for _, path in changes)
        except FileNotFoundError:
            yield 0  # a folder went before it could be watched
        except OSError:
            # The system can watch no more folders: looking again and again is slower, but works.
            if self.polling:
                raise
            self.polling = True

    def look(self, changed: int) -> None:
        """Sync if it is time."""
        now = time.monotonic()
        top = self.look_at_top()
        if changed or top != self.top:
            self.due = 0.0
        self.top = top
        if now < min(self.due, self.beat):
            return
        renew = now >= self.beat
        self.due, self.beat = _NEVER, now + _BEAT if renew else self.beat
        round = self.round(now, renew)
        if round.error:
            self.due = min(self.due, now + _LATER)
        if self.first or _says_something(round) or str(round.error or "") not in ("", self.error):
            self.tell(round)
        self.first, self.error = False, str(round.error or "")

    def look_at_top(self) -> object:
        """What tells whether a note at the top of the workspace was changed."""
        try:
            with os.scandir(self.workspace.path) as entries:
                notes = [(one.name, one.stat()) for one in entries if one.name.endswith(".md")]
            return sorted((name, about.st_mtime_ns, about.st_size) for name, about in notes)
        except OSError:
            return None

    def round(self, now: float, renew: bool) -> Round:
        """Take in what has changed. Views that vanished are not written again: whoever took them
        may bring them back, and everything that they say is in the memory."""
        from loxodon.views.sync import sync

        followed, error = None, None
        try:
            if self.state:
                followed = self.workspace.follow(self.state)
            for agent in self.agents:
                pairs = zip(followed or Followed(), self.workspace.follow_agent(agent), strict=True)
                followed = Followed(*(mine + theirs for mine, theirs in pairs))  # type: ignore[operator]
        except LoxodonError as caught:
            error = caught
        synced = Synced()
        try:
            quiet = time.time_ns() - QUIET * 1_000_000
            synced, waiting = sync(self.workspace, before=quiet, renew=renew, make=self.first)
            self.due = now + _SOON if waiting else self.due
        except LoxodonError as caught:
            error = caught
        return self.without_known(Round(synced, followed, error), now)

    def without_known(self, round: Round, now: float) -> Round:
        """A round with what is to be told now: problems that were there the last time too, because
        a file may only be half written, and that were not told yet."""
        synced, followed = round.synced, round.followed or Followed()
        lists = (synced.problems, synced.conflicts, synced.indexed.problems, followed.problems)
        problems = {one for found in lists for one in found}
        fresh = ((problems & self.seen) | set(synced.notes)) - self.told
        self.told = (self.told & (problems | self.told - self.seen)) | fresh
        self.seen = problems
        if problems - self.told:
            self.due = min(self.due, now + _SOON)
        kept = [tuple(one for one in found if one in fresh) for found in (*lists, synced.notes)]
        indexed = synced.indexed._replace(problems=kept[2])
        synced = synced._replace(
            problems=kept[0], conflicts=kept[1], indexed=indexed, notes=kept[4]
        )
        followed = followed._replace(problems=kept[3])
        return round._replace(synced=synced, followed=followed if round.followed else None)


def _says_something(round: Round) -> bool:
    """Whether there is something to tell of a round."""
    synced, followed = round.synced, round.followed
    indexed = synced.indexed
    return any(synced[:-1]) or bool(
        indexed.read
        or indexed.removed
        or indexed.problems
        or (followed and (followed.added or followed.problems))
    )


def _matters(path: str) -> bool:
    """Whether a change may be one of ours to see; what editors leave for a moment is not."""
    name = os.path.basename(path)
    return not (name.startswith(".") or name.endswith(_NOISE))
