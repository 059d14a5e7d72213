"""The memories of a home, kept open for a program that serves many requests.

    host = Host("~/.loxodon")
    answer = await host.call("main", lambda memory: memory.recall("花生"))
    host.close()

A memory is opened once and shared; one that nobody has used for long is let go. What takes long
gets a memory of its own (`apart`), so that it never stands in the way of a recall. Settings that
change in config.toml are taken up with the next call.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from contextvars import copy_context
from pathlib import Path
from threading import Condition, Lock
from time import monotonic, sleep
from typing import TypeVar

from loxodon import config as settings
from loxodon import files
from loxodon.clock import Clock, system_clock, zone_named
from loxodon.config import Config
from loxodon.errors import (
    BusyStoreError,
    DamagedStoreError,
    DeletedSpaceError,
    LoxodonError,
    StoreError,
)
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


class _Open:
    """A memory that is open, or about to be, under the settings with this stamp."""

    def __init__(self, stamp: files.Stamp | None) -> None:
        self.stamp = stamp
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
        self._surface = surface
        self.home = home_at(os.fspath(home))
        self._clock = clock
        self._lock = Lock()
        self._open: dict[str, _Open] = {}
        self._names: dict[str, str] = {}
        self._waiting = 0
        self._running = 0
        self._ended = Condition(self._lock)
        self._closed = False
        self._stamp: files.Stamp | None = None
        self._config: Config | None = None
        self._trouble: LoxodonError | None = None
        self._settings()
        self._threads = threads
        self._hire()
        at_fork(self)

    def _hire(self) -> None:
        self._short = ThreadPoolExecutor(self._threads, "loxodon-call")
        self._long = ThreadPoolExecutor(LONG_THREADS, "loxodon-work")

    def after_fork(self) -> None:
        """Open memories anew, with threads of our own: none of the parent's are here."""
        self._lock = Lock()
        self._ended = Condition(self._lock)
        self._open = {}
        self._waiting = self._running = 0
        self._hire()

    # Settings

    @property
    def config(self) -> Config:
        """The settings as they are in config.toml now, with what the environment sets above."""
        return self._settings()[0]

    @property
    def trouble(self) -> LoxodonError | None:
        """Why config.toml cannot be taken up, where it was spoilt; the last good one holds."""
        self._settings()
        return self._trouble

    def _settings(self) -> tuple[Config, files.Stamp | None]:
        stamp = files.stamp(os.path.join(self.home, CONFIG))
        if self._config is None or stamp != self._stamp:
            try:
                loaded = settings.with_environment(settings.load(self.home), os.environ)
            except LoxodonError as error:
                if self._config is None:
                    raise
                self._trouble = error
                return self._config, self._stamp
            self._config, self._stamp = loaded, stamp
        self._trouble = None
        return self._config, self._stamp

    # Memories

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
            with suppress(LoxodonError, OSError, UnicodeDecodeError):
                name = space_of(os.path.join(path, DATABASE), keys_for(self.home, self.config))
                name = name or Path(path, OFF_MARKER).read_text("utf-8")
                self._names[folder] = name if folder_name(name) == folder else ""
        return self._names.get(folder, "")

    def memory(self, space: str = "main", *, make: bool = True) -> Memory:
        """The memory of a space, shared by all. Ask for it each time; do not keep or close it."""
        with self.using(space, make=make) as memory:
            return memory

    @contextmanager
    def using(self, space: str = "main", *, make: bool = True) -> Iterator[Memory]:
        """The memory of a space, shared by all, which stays open for as long as this is held.

        A space that is not there is made, or without `make` a NotFoundError.
        """
        stamp = self._settings()[1]
        closing: list[_Open] = []
        with self._lock:
            self._check_running()
            held = self._open.get(space)
            if held is None or held.stamp != stamp:  # whoever uses the old one last closes it
                closing = [held] if held and not held.users else []
                held = self._open[space] = _Open(stamp)
            held.users += 1
        _close(closing)
        try:
            with held.opening:  # one opens it, the others wait for that
                if held.memory is None:
                    held.memory = self.apart(space, make=make)
            with acting(Actor(self._surface or actor().surface)):
                yield held.memory
        except DeletedSpaceError:  # by another server; the next who asks opens it anew
            with self._lock:
                if self._open.get(space) is held:
                    del self._open[space]
            raise
        finally:
            with self._lock:
                held.users -= 1
                held.used_at = now = monotonic()
                shared = self._open.get(space) is held
                if shared and held.memory is None and not held.users:  # it could not be opened
                    del self._open[space]
                closing = [] if shared or held.users else [held]
                # What nobody has used for long, or what is too much, is let go.
                unused = sorted(
                    (one.used_at, name) for name, one in self._open.items() if not one.users
                )
                closing += [
                    self._open.pop(name)
                    for n, (used_at, name) in enumerate(unused)
                    if n < len(unused) - MOST_OPEN or now - used_at > IDLE_SECONDS
                ]
            _close(closing)

    def apart(self, space: str = "main", *, make: bool = True) -> Memory:
        """A memory of a space with a connection of its own; whoever asks for it closes it."""
        config, _ = self._settings()
        root = root_of(self.home, config)
        folder = space_path(root, space) if make else space_folder(root, space, make=False)
        if config.enabled and not config.store.url and os.path.exists(os.path.join(folder, MADE)):
            _check_database(os.path.join(folder, DATABASE))
        return Memory.open(self.home, space, config, self._clock)

    def release(self, space: str) -> None:
        """Close the memory of a space, if nobody uses it now."""
        with self._lock:
            held = self._open.get(space)
            gone = [self._open.pop(space)] if held is not None and not held.users else []
        _close(gone)

    def delete(self, space: str, *, dry_run: bool = False) -> Receipt:
        """Delete a space and everything of it (`forget/spaces.py`)."""
        from loxodon.forget.spaces import delete

        config = self.config
        now = (self._clock or system_clock(zone_named(config.timezone)))()
        keys = keys_for(self.home, config)
        return delete(
            self.home,
            space,
            config,
            keys,
            now,
            root=root_of(self.home, config),
            dry_run=dry_run,
            let_go=lambda: self.release(space),
        )

    def _check_running(self) -> None:
        if self._closed:
            raise StoreError("the server is stopping", hint="try again after it has restarted")

    # Calls

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
            if not apart:
                with self.using(space, make=make) as memory:
                    return work(memory.within(agent, chat, relays))
            acts = acting(Actor(self._surface or actor().surface))
            with acts, self.apart(space, make=make) as memory:
                return work(memory.within(agent, chat, relays))

        return await self._in(self._long if apart else self._short, do)

    async def run(self, work: Callable[[], Result]) -> Result:
        """What `work` returns, in a thread of the calls: for what needs no memory, or several."""
        return await self._in(self._short, work)

    @property
    def waiting(self) -> int:
        """Calls that were made and have not returned."""
        return self._waiting

    async def _in(self, pool: ThreadPoolExecutor, work: Callable[[], Result]) -> Result:
        self._check_running()
        if self._waiting >= MOST_WAITING:
            raise BusyStoreError(
                "too many requests are waiting",
                hint="try again in a moment, with fewer parallel requests",
            )

        def counted() -> Result:
            with self._lock:
                self._running += 1
            try:
                return work()
            finally:
                with self._lock:
                    self._running -= 1
                    self._ended.notify_all()

        self._waiting += 1
        try:
            who = copy_context()  # who acts goes with the call
            return await asyncio.get_running_loop().run_in_executor(pool, who.run, counted)
        finally:
            self._waiting -= 1

    def close(self, seconds: float | None = None) -> bool:
        """Wait for the calls that have begun, then let go of every memory. Twice is fine.

        Whether all have ended; with `seconds`, some may not have, and keep their memories open.
        """
        with self._lock:
            self._closed = True
        for pool in (self._short, self._long):
            pool.shutdown(wait=False, cancel_futures=True)
        with self._ended:
            ended = self._ended.wait_for(lambda: not self._running, seconds)
            held, self._open = list(self._open.values()), {}
        _close([one for one in held if not one.users])
        return ended

    def __enter__(self) -> Host:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _check_database(path: str) -> None:
    """Refuse a space that has lost its database, and not one that another is just making."""
    for pause in (0.05, 0.2, 0.75, None):
        try:
            check_database(path)
            return
        except DamagedStoreError:
            if pause is None:
                raise
            sleep(pause)


def _close(held: Iterable[_Open]) -> None:
    for one in held:
        if one.memory is not None:
            one.memory.close()
