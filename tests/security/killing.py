"""Kills in the middle of encrypt, decrypt, rekey, backup and restore: a program of its own.

    python -m tests.security.killing FOLDER encrypt:3 rekey:1

makes a home in FOLDER for each kind of work, and for every third (and every) call to the system
that changes files forks a process that does the work and is killed there. After each kill the home
is looked at as its owner would find it, the work is done again, and everything must be as it would
be without the kill. One JSON object a line says how it went.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from loxodon.errors import LoxodonError
from tests.security.homes import SPACES, Home, in_plain, is_plain

_CALLS = ("replace", "rename", "link", "unlink", "fsync", "rmdir", "write", "truncate")


# What must hold after a kill


def healed(home: Home, wanted: dict[str, Any]) -> None:
    """Whoever opens the home next finds everything, all of it in the same state, and no trace."""
    assert home.contents() == wanted  # at once, with nobody's help
    encrypted = home.is_encrypted
    assert [is_plain(one) for one in home.databases] == [not encrypted] * len(SPACES)
    plain = [*in_plain(home.path), *in_plain(home.copy)]
    assert not encrypted or not plain, plain
    assert not os.path.exists(f"{home.key}.next")
    assert_tidy(home)


def after_encrypt(home: Home, wanted: dict[str, Any]) -> None:
    healed(home, wanted)
    if not home.is_encrypted:
        home.encrypt()
    healed(home, wanted)


def after_decrypt(home: Home, wanted: dict[str, Any]) -> None:
    healed(home, wanted)
    if home.is_encrypted:
        home.decrypt()
    healed(home, wanted)


def after_rekey(home: Home, wanted: dict[str, Any]) -> None:
    healed(home, wanted)
    home.rekey()
    healed(home, wanted)


def after_backup(home: Home, wanted: dict[str, Any]) -> None:
    assert home.contents() == wanted
    for again in (False, True):  # what is there is whole
        if again or os.path.exists(home.file):
            if again:
                home.backup()
            home.restore()
            assert home.content() == wanted["main"]
    assert os.listdir(os.path.dirname(home.file)) == [os.path.basename(home.file)]
    assert_tidy(home)


def after_restore(home: Home, wanted: dict[str, Any]) -> None:
    """`wanted` is what is in the backup; the home has more before."""
    found = home.content()
    if found != wanted["main"]:
        assert found["turns"][:-1] == wanted["main"]["turns"]
    home.loxodon("validate")
    home.restore()
    assert home.content() == wanted["main"]
    assert_tidy(home)


def assert_tidy(home: Home) -> None:
    """Nothing is left of the run that was killed, but an empty folder perhaps."""
    left = [
        str(path)
        for path in Path(home.path, "spaces").rglob("*")
        if (path.suffix in (".tmp", ".own", ".erasing") and ".check." not in path.name)
        or (path.name.startswith("restoring-") and any(path.iterdir()))
    ]
    assert not left, left
    for space in SPACES:
        home.loxodon("--space", space, "validate")


# Killing


def killed_at_call(
    work: Callable[[], object], point: int, places: Mapping[object, Sequence[str]] | None = None
) -> bool:
    """Do the work in a process that is killed before its nth call, of those that change files or
    are named; whether it came to that."""
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

    for place, names in (places or {os: _CALLS}).items():
        for name in names:
            setattr(place, name, watched(getattr(place, name)))
    _in_child(work)
    return False


def _in_child(work: Callable[[], object]) -> None:
    code = 0
    try:
        work()
    except BaseException:
        traceback.print_exc()
        code = 1
    finally:
        os._exit(code)


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


def campaign(folder: str, name: str, step: int) -> None:
    """Kill one kind of work at every `step`th point, and say how each went."""
    work = name.removesuffix("-encrypted")
    place, template = os.path.join(folder, "here"), os.path.join(folder, name)
    shutil.rmtree(place, ignore_errors=True)
    wanted = prepare(name, place)
    os.rename(place, template)
    check: Callable[[Home, dict[str, Any]], None] = globals()[f"after_{work}"]
    point, was_killed = min(step, 1 + step // 2), True
    while was_killed:
        with fresh(template, place) as home:
            was_killed = killed_at_call(getattr(home, work), point)
            problem = ""
            try:
                check(home, wanted)
            except (AssertionError, LoxodonError) as error:
                problem = f"{type(error).__name__}: {str(error)[:300]} {traceback.format_exc(-3)}"
        said = {"work": name, "point": point, "killed": was_killed, "problem": problem}
        print(json.dumps(said), flush=True)
        point += step


if __name__ == "__main__":
    for given in sys.argv[2:]:
        campaign(sys.argv[1], given.partition(":")[0], int(given.partition(":")[2]))
