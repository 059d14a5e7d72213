"""The memories of a home, kept open for a program that serves many requests.

    host = Host("~/.loxodon")
    answer = await host.call("main", lambda memory: memory.recall("花生"))
    host.close()

A memory is opened once and shared; one that nobody has used for long is closed. Long work gets a
memory of its own (`apart`), so that no recall waits for it. Settings that change in config.toml
apply from the next call on.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from contextvars import copy_context
from pathlib import Path
from threading import Lock
from time import monotonic, sleep
from typing import Any, TypeVar

from loxodon import config as settings
from loxodon import errors, files
from loxodon.clock import Clock, system_clock, zone_named
from loxodon.filelock import at_fork
from loxodon.forget.receipts import Receipt
from loxodon.layout import CONFIG, DATABASE, MADE, OFF_MARKER, SPACES
from loxodon.memory import Memory
from loxodon.opening import check_database, keys_for, root_of
from loxodon.security.actor import Actor, acting, actor
from loxodon.spaces import folder_name, home_at, space_folder, space_path
from loxodon.store.sqlite.copying import space_of
from loxodon.types import Chat

Result = TypeVar("Result")

THREADS = 8  # calls at once; a space serves one after the other, so more would only wait elsewhere
LONG_THREADS = 4  # for long work
MOST_WAITING = 1_000  # calls that wait for a thread, so that a flood cannot fill the memory
IDLE_SECONDS = 600.0
MOST_OPEN = 64  # memories that stay open while nobody uses them
_MAKING_SECONDS = 1.0  # in which another process that makes a space has made its database


class _Open:
    """A memory that is open, or about to be, under these settings."""

    def __init__(self, space: str, config: settings.Config) -> None:
        self.space, self.config = space, config
        self.opening = Lock()
        self.memory: Memory | None = None
        self.users = 0
        self.used_at = monotonic()


class Host:
    """The memories of one home. Use it from any thread and from one event loop."""

    def __init__(
        self,
        home: str | os.PathLike[str],
        clock: Clock | None = None,
        *,
        threads: int = THREADS,
        surface: str = "",
    ) -> None:
        """`surface` is what acts here, as the audit log tells it; empty for whoever acts now."""
        self.home = home_at(os.fspath(home))
        self._clock, self._threads, self._surface = clock, threads, surface
        self._names: dict[str, str] = {}  # of spaces, by folders that are not called like them
        self._closed = False
        self._stamp: files.Stamp | None = None
        self._config: settings.Config | None = None
        self.trouble: errors.LoxodonError | None = None  # why config.toml cannot be taken up now
        self.after_fork()
        at_fork(self)
        _ = self.config  # settings that make no sense are told now

    def after_fork(self) -> None:
        """Begin with nothing open: locks, threads and connections are the parent's."""
        self._lock = Lock()
        self._open: dict[str, _Open] = {}
        self._replaced: list[_Open] = []  # which whoever uses them last closes
        self._calls: set[Future[Any]] = set()
        self._short = ThreadPoolExecutor(self._threads, "loxodon-call")
        self._long = ThreadPoolExecutor(LONG_THREADS, "loxodon-work")

    @property
    def config(self) -> settings.Config:
        """The settings as they are now; where config.toml was spoilt, the last good ones."""
        stamp = files.stamp(os.path.join(self.home, CONFIG))
        if self._config is None or stamp != self._stamp:
            try:
                loaded = settings.load(self.home, os.environ)
            except errors.LoxodonError as error:
                if self._config is None:
                    raise
                self.trouble = error
                return self._config
            self._config, self._stamp = loaded, stamp
        self.trouble = None
        return self._config

    @property
    def root(self) -> str:
        """Where the spaces are: the home, or the address of its database."""
        return root_of(self.home, self.config)

    def reach(self) -> None:
        """Raise an error where the spaces cannot be reached, in constant time."""
        if there := files.shared(self.root):
            there[0].stamp(CONFIG)
        else:
            os.stat(self.home)

    def spaces(self) -> list[str]:
        """The names of the spaces that the home has."""
        if there := files.shared(self.root):
            return sorted(there[0].spaces())
        root = os.path.join(self.home, SPACES)
        try:
            folders = sorted(os.listdir(root))
        except OSError:
            return []
        return [name for folder in folders if (name := self._name_of(root, folder))]

    def _name_of(self, root: str, folder: str) -> str:
        """The space that a folder holds; empty where it holds none."""
        path = os.path.join(root, folder)
        signs = (DATABASE, MADE, OFF_MARKER)
        if not any(os.path.exists(os.path.join(path, name)) for name in signs):
            return ""
        if not folder.startswith("~"):  # a plain name is its own folder
            return folder if folder_name(folder) == folder else ""
        if folder not in self._names:
            # Where it cannot be read, opening it says why.
            with suppress(errors.LoxodonError, OSError, UnicodeDecodeError):
                name = space_of(os.path.join(path, DATABASE), keys_for(self.home, self.config))
                name = name or Path(path, OFF_MARKER).read_text("utf-8")
                self._names[folder] = name if folder_name(name) == folder else ""
        return self._names.get(folder, "")

    @contextmanager
    def using(self, space: str = "main", *, make: bool = True) -> Iterator[Memory]:
        """The memory of a space, shared by all, which stays open for as long as this is held."""
        config = self.config
        with self._lock:
            self._check_running()
            held = self._open.get(space)
            if held is None or held.config is not config:
                self._replaced += [held] if held else []
                held = self._open[space] = _Open(space, config)
            held.users += 1
        try:
            with held.opening:  # one opens it, the others wait for that
                if held.memory is None:
                    held.memory = self.apart(space, make=make)
            with acting(Actor(self._surface or actor().surface)):
                yield held.memory
        except errors.DeletedSpaceError:  # by another server; the next who asks opens it anew
            with self._lock:
                if self._open.get(space) is held:
                    self._replaced.append(self._open.pop(space))
            raise
        finally:
            with self._lock:
                held.users -= 1
                held.used_at = monotonic()
            self._close_unused()

    def _close_unused(self) -> None:
        """Close what was replaced, could not be opened, was not used for long, or is too much."""
        with self._lock:
            unused = [one for one in self._open.values() if not one.users]
            unused.sort(key=lambda one: one.used_at)
            for n, one in enumerate(unused):
                idle = monotonic() - one.used_at > IDLE_SECONDS
                if idle or one.memory is None or n < len(unused) - MOST_OPEN:
                    self._replaced.append(self._open.pop(one.space))
            gone = [one for one in self._replaced if not one.users]
            self._replaced = [one for one in self._replaced if one.users]
        for one in gone:
            if one.memory is not None:
                one.memory.close()

    def apart(self, space: str = "main", *, make: bool = True) -> Memory:
        """A memory of a space with a connection of its own; whoever asks for it closes it."""
        config = self.config
        root = root_of(self.home, config)
        folder = space_path(root, space) if make else space_folder(root, space, make=False)
        if config.enabled and not config.store.url and os.path.exists(os.path.join(folder, MADE)):
            database = os.path.join(folder, DATABASE)
            try:
                check_database(database)
            except errors.DamagedStoreError:
                sleep(_MAKING_SECONDS)
                check_database(database)
        return Memory.open(self.home, space, config, self._clock)

    def release(self, space: str) -> None:
        """Close the memory of a space, if nobody uses it now."""
        with self._lock:
            if space in self._open:
                self._replaced.append(self._open.pop(space))
        self._close_unused()

    def delete(self, space: str, *, dry_run: bool = False) -> Receipt:
        """Delete a space and everything of it (`forget/erase.py`)."""
        from loxodon.forget.erase import delete

        config, keys = self.config, keys_for(self.home, self.config)
        now = (self._clock or system_clock(zone_named(config.timezone)))()
        self.release(space)
        return delete(self.home, self.root, space, config, keys, now, dry_run=dry_run)

    def _check_running(self) -> None:
        if self._closed:
            hint = "try again after it has restarted"
            raise errors.StoreError("the server is stopping", hint=hint)

    async def call(
        self,
        space: str,
        work: Callable[[Memory], Result],
        *,
        make: bool = True,
        apart: bool = False,
        agent: str = "",
        chat: Chat = "direct",
        relays: bool = False,
    ) -> Result:
        """What `work` makes of the memory of `space`, without keeping the event loop waiting.

        `apart` gives long work its own connection and thread. With an `agent`, or in a `chat` that
        others hear, it gets the memory as that may see it (`Memory.within`). A call that is
        cancelled before its turn came does nothing; one that has begun ends by itself.
        """

        def do() -> Result:
            opened = self.apart(space, make=make) if apart else self.using(space, make=make)
            with acting(Actor(self._surface or actor().surface)), opened as memory:
                return work(memory.within(agent, chat, relays))

        return await self.run(do, apart=apart)

    async def run(self, work: Callable[[], Result], *, apart: bool = False) -> Result:
        """What `work` returns, in a thread of the calls: for what needs no memory, or several."""
        self._check_running()
        if len(self._calls) >= MOST_WAITING:
            hint = "try again in a moment, with fewer parallel requests"
            raise errors.BusyStoreError("too many requests are waiting", hint=hint)
        pool = self._long if apart else self._short
        future = pool.submit(copy_context().run, work)  # who acts goes with the call
        self._calls.add(future)
        future.add_done_callback(self._calls.discard)
        return await asyncio.wrap_future(future)

    @property
    def waiting(self) -> int:
        """Calls that were made and have not returned."""
        return len(self._calls)

    def close(self, seconds: float | None = None) -> bool:
        """Wait for the calls that have begun, then close every memory; whether all have ended."""
        with self._lock:
            self._closed = True
        for pool in (self._short, self._long):
            pool.shutdown(wait=False, cancel_futures=True)
        unfinished = wait([one for one in self._calls.copy() if not one.done()], seconds).not_done
        with self._lock:
            self._replaced += self._open.values()
            self._open = {}
        self._close_unused()
        return not unfinished

    def __enter__(self) -> Host:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
