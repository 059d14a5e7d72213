"""Kills in the middle of encrypt, decrypt, rekey, backup and restore: a program of its own.

    python -m tests.trust.killing FOLDER points encrypt:3 rekey:1

makes a home in FOLDER for each kind of work, and for every third (and every) point forks a process
that does the work and is killed at that point. A point is a call to the system that changes files
(`points`), or a share of the time that the work takes (`times`, in thousandths), which is where
SQLite itself is at work. After each kill the home is looked at as its owner would find it, the work
is done again, and everything must be as it would be without the kill. One JSON object a line says
how it went.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta, timezone
from typing import Any

from loxodon import Memory
from loxodon import config as settings
from loxodon.backup import archive as backup_file
from loxodon.backup import restore as restoring
from loxodon.errors import LoxodonError
from loxodon.layout import RECODING
from loxodon.store.primary import PRIMARY_TABLES
from loxodon.store.sqlite import cipher
from loxodon.trust.rest import overwriting, recoding
from loxodon.trust.rest.encryption import KeySource
from loxodon.working import Session

NOW = datetime(2026, 2, 4, 18, 0, tzinfo=timezone(timedelta(hours=8)))
WORD = "xylophone"
"""Stands in everything that is kept, and must stand nowhere once it is encrypted."""
SPACES = ("main", "张三")
_CALLS = ("replace", "rename", "link", "unlink", "fsync", "rmdir", "write", "truncate")


def clock() -> datetime:
    return NOW


def quiet(done: int, total: int) -> None:
    """Nobody is watching."""


class Home:
    """A home to be worked on, and what its content should be."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.path = os.path.join(folder, "home")
        self.key = KeySource("file", os.path.join(folder, "keys", "key"))
        self.file = os.path.join(folder, "copies", "one.loxodon")
        self.copy = os.path.join(folder, "copy")

    @property
    def config(self) -> settings.Config:
        return settings.load(self.path)

    def open(self, space: str = "main") -> Memory:
        return Memory.open(self.path, space, self.config, clock)

    def content(self, space: str = "main") -> dict[str, Any]:
        """Everything that is the truth, and what lies beside it."""
        with self.open(space) as memory:
            exact = memory.workspace.store.primary
            found: dict[str, Any] = {
                table: list(exact.dump(table)) for table in PRIMARY_TABLES if table not in _MOVING
            }
            with_session = Session.open(memory, "talk")
            found["talk"] = [dict(one) for one in with_session._transcript.live]
        return found

    def contents(self) -> dict[str, Any]:
        return {space: self.content(space) for space in SPACES}

    def make(self) -> None:
        settings.write(self.path, "audit.enabled", "false")
        for space in SPACES:
            with self.open(space) as memory:
                said = [
                    {"role": "user", "content": f"The {WORD} number {n} is mine", "id": str(n)}
                    for n in range(40)
                ]
                memory.add(said, session=f"{WORD} talk")
                memory.capture(f"I play the {WORD} in {space}")
                session = Session.open(memory, "talk")
                session.prepare(f"about my {WORD}")
                session.finish("a fine one", None)
                memory.workspace.export()

    # The work

    def encrypt(self, make: bool = True) -> None:
        recoding.encrypt(
            self.path,
            self.config,
            os.environ,
            clock,
            self.key,
            make=make and not os.path.exists(self.key.name),
            progress=quiet,
        )

    def decrypt(self) -> None:
        recoding.decrypt(self.path, self.config, os.environ, progress=quiet)

    def rekey(self) -> None:
        recoding.rekey(self.path, self.config, os.environ, None, progress=quiet)

    def backup(self) -> None:
        with self.open() as memory:
            memory.backup(self.file, overwrite=True)

    def restore(self) -> None:
        restoring.restore(
            self.file,
            self.path,
            "main",
            config=self.config,
            environ=os.environ,
            clock=clock,
            replace=True,
            progress=quiet,
        )


_MOVING = ("counters", "meta", "memory_uses")
"""What opening a memory, or looking at it, may change."""


# What must hold after a kill


def healed(home: Home, wanted: dict[str, Any]) -> None:
    """Whoever opens the home next finds everything, all of it in the same state, and no trace."""
    assert home.contents() == wanted  # at once, with nobody's help
    states = {
        cipher.state_of(os.path.join(folder, "loxodon.db"))
        for folder in recoding.folders(home.path)
    }
    encrypted = home.config.encryption.key != "none"
    assert states == {"encrypted" if encrypted else "plain"}
    plain = [*in_plain(home.path), *in_plain(home.copy)]
    assert not encrypted or not plain, plain
    assert not os.path.exists(os.path.join(home.path, "keys", RECODING))
    assert not os.path.exists(os.path.join(home.path, "keys", "next.json"))
    assert not os.path.exists(f"{home.key.name}.next")
    assert_tidy(home)


def after_encrypt(home: Home, wanted: dict[str, Any]) -> None:
    healed(home, wanted)
    home.encrypt()
    assert home.config.encryption.key == "file"
    healed(home, wanted)


def after_decrypt(home: Home, wanted: dict[str, Any]) -> None:
    healed(home, wanted)
    if home.config.encryption.key != "none":
        home.decrypt()
    assert home.config.encryption.key == "none"
    healed(home, wanted)


def after_rekey(home: Home, wanted: dict[str, Any]) -> None:
    healed(home, wanted)
    home.rekey()
    healed(home, wanted)


def after_backup(home: Home, wanted: dict[str, Any]) -> None:
    assert home.contents() == wanted
    if os.path.exists(home.file):  # then it is whole
        with backup_file.opened(home.file) as reader:
            reader.verify(quiet)
    home.backup()
    with backup_file.opened(home.file) as reader:
        reader.verify(quiet)
    assert os.listdir(os.path.dirname(home.file)) == [os.path.basename(home.file)]
    assert_tidy(home)


def after_restore(home: Home, wanted: dict[str, Any]) -> None:
    """`wanted` is what is in the backup; the home has more before."""
    found = home.content()
    if found != wanted["main"]:
        assert len(found["turns"]) == len(wanted["main"]["turns"]) + 1
        assert found["turns"][:-1] == wanted["main"]["turns"]
    with home.open() as memory:
        assert memory.validate() == []
    home.restore()
    assert home.content() == wanted["main"]
    assert_tidy(home)


def in_plain(folder: str) -> Iterator[str]:
    """Files that have the word in them."""
    for place, _, names in os.walk(folder):
        for name in names:
            with open(os.path.join(place, name), "rb") as file:
                if WORD.encode() in file.read():
                    yield os.path.join(place, name)


def assert_tidy(home: Home) -> None:
    """Nothing is left of the run that was killed, but an empty folder perhaps."""
    left = [
        os.path.join(place, name)
        for place, folders, names in os.walk(os.path.join(home.path, "spaces"))
        for name in (*folders, *names)
        if name.endswith((overwriting.SUFFIX, ".own"))
        or (name.endswith(".tmp") and ".check." not in name)  # which says nothing
        or (name.startswith("restoring-") and os.listdir(os.path.join(place, name)))
    ]
    assert not left, left
    for space in SPACES:
        with home.open(space) as memory:
            path = os.path.join(memory.workspace.folder, "loxodon.db")
            assert memory.validate() == []
        assert cipher.state_of(path) == ("encrypted" if memory.encrypted else "plain")


# Killing


def killed_at_call(work: Callable[[], None], point: int) -> bool:
    """Do the work in a process that is killed before its nth call; whether it came to that."""
    child = os.fork()
    if child:
        return bool(os.WIFSIGNALED(os.waitpid(child, 0)[1]))
    left = point

    def watched(call: Callable[..., Any]) -> Callable[..., Any]:
        def run(*args: Any, **named: Any) -> Any:
            nonlocal left
            left -= 1
            if left <= 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return call(*args, **named)

        return run

    for name in _CALLS:
        setattr(os, name, watched(getattr(os, name)))
    _in_child(work)
    return False


def killed_at_time(work: Callable[[], None], seconds: float) -> bool:
    """The same, after so many seconds of the processor."""
    child = os.fork()
    if child:
        return bool(os.WIFSIGNALED(os.waitpid(child, 0)[1]))
    signal.signal(signal.SIGPROF, signal.SIG_DFL)  # which ends a process there and then
    signal.setitimer(signal.ITIMER_PROF, seconds)
    _in_child(work)
    return False


def _in_child(work: Callable[[], None]) -> None:
    code = 0
    try:
        work()
    except BaseException:
        traceback.print_exc()
        code = 1
    finally:
        os._exit(code)


def cpu_of(work: Callable[[], None]) -> float:
    """How many seconds of the processor the work takes in a process of its own."""
    child = os.fork()
    if not child:
        _in_child(work)
    _, status, used = os.wait4(child, 0)
    assert status == 0, status
    return used.ru_utime + used.ru_stime


@contextmanager
def fresh(template: str, folder: str) -> Iterator[Home]:
    """A copy of a home, in the same place each time: its settings have paths."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(template, folder)
    yield Home(folder)


def prepare(work: str, folder: str) -> dict[str, Any]:
    """The home that the work begins with; what must be in it afterwards."""
    home = Home(folder)
    home.make()
    with home.open() as memory:
        memory.workspace.export(home.copy)
    wanted = home.contents()
    if work in ("decrypt", "rekey") or work.endswith("-encrypted"):
        home.encrypt()
    if work.startswith("restore"):
        home.backup()
        with home.open() as memory:
            memory.add([{"role": "user", "content": "said after the backup", "id": "late"}], "x")
    return wanted


def campaign(folder: str, name: str, how: str, step: int) -> None:
    """Kill one kind of work at every `step`th point, and say how each went."""
    work = name.removesuffix("-encrypted")
    place, template = os.path.join(folder, "here"), os.path.join(folder, name)
    shutil.rmtree(place, ignore_errors=True)
    wanted = prepare(name, place)
    os.rename(place, template)
    check: Callable[[Home, dict[str, Any]], None] = globals()[f"after_{work}"]
    whole = 0.0
    if how == "times":
        with fresh(template, place) as home:
            whole = cpu_of(getattr(home, work))
    point, was_killed = min(step, 1 + step // 2), True
    while was_killed if how == "points" else point <= _SHARES:
        with fresh(template, place) as home:
            act = getattr(home, work)
            if how == "times":
                was_killed = killed_at_time(act, max(whole * point / _SHARES, 1e-4))
            else:
                was_killed = killed_at_call(act, point)
            problem = ""
            try:
                check(home, wanted)
            except (AssertionError, LoxodonError) as error:
                problem = f"{type(error).__name__}: {str(error)[:300]} {traceback.format_exc(-3)}"
        said = {"work": name, "point": point, "killed": was_killed, "problem": problem}
        print(json.dumps(said), flush=True)
        point += step


_SHARES = 1_000


def main() -> int:
    folder, how, *works = sys.argv[1:]
    for given in works:
        name, _, step = given.partition(":")
        campaign(folder, name, how, int(step))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
