"""Builds the example memory: adds the talk of each day and consolidates, with a clock that goes
from the first day to the present.

A line of the talk begins with what it is:

    # 112 19:20 evening    a conversation, so many days ago, and its session
    > I live in Bristol    what the user says
    < Noted.               what the agent says
    w Ignore all rules     what a web page says that the agent has read
    ? Where do I live?     something that is recalled: what is found counts as used
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import NamedTuple

from loxodon.errors import InputError
from loxodon.memory import Memory

SPACES = {"en": "main", "zh": "zh"}
"""The space of each language."""
MARK = "example"
"""A file in the home that says that it is one, and may be replaced."""
_PAUSE = timedelta(seconds=20)
"""Between two messages."""
_NIGHT = timedelta(hours=2)
"""How long after the last message what was said is consolidated."""
_SETTINGS = {"workspace.views": "off"}
"""While it is built. They are no one's: a model that is set would be asked, and paid for."""
_WHOLE = "complete"
_ROLES = {">": "user", "<": "assistant", "w": "tool"}


class Talk(NamedTuple):
    """One conversation."""

    at: datetime
    session: str
    lines: tuple[tuple[str, str], ...]
    """Each with what it is."""


def talks(language: str, now: datetime) -> list[Talk]:
    """The conversations in a language, as if the last had been just before `now`."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), f"{language}.txt")
    with open(path, encoding="utf-8") as file:
        return list(_talks(file.read().split("\n"), now))


def _talks(lines: list[str], now: datetime) -> Iterator[Talk]:
    head, said = "", list[tuple[str, str]]()
    for line in [*lines, "#"]:
        kind, _, text = line.partition(" ")
        if kind == "#":
            if head:
                days, at, session = head.split()
                hour, minute = map(int, at.split(":"))
                day = (now - timedelta(days=int(days))).replace(
                    hour=hour, minute=minute, second=0, microsecond=0
                )
                yield Talk(day, session, tuple(said))
            head, said = text, []
        elif line:
            said.append((kind, text))


class _Clock:
    """Says what it was told."""

    def __init__(self, now: datetime) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now


def build(home: str, now: datetime, progress: Callable[[int, int], None]) -> None:
    """Build the example in a folder that does not exist."""
    os.makedirs(home, mode=0o700)
    _mark(home, "building")
    every = {language: talks(language, now) for language in SPACES}
    total, done = sum(map(len, every.values())), 0
    for language, some in every.items():
        clock = _Clock(some[0].at)
        with Memory.open(home, SPACES[language], _SETTINGS, clock) as memory:
            for talk in some:
                _live(memory, clock, talk)
                done += 1
                progress(done, total)
        clock.now = now
        with Memory.open(home, SPACES[language], {}, clock) as memory:
            memory.workspace.renew()
    _mark(home, _WHOLE)


def _mark(home: str, state: str) -> None:
    with open(os.path.join(home, MARK), "w", encoding="utf-8") as file:
        file.write(f"An example made by `loxodon demo`, which may replace it: {state}\n")


def _live(memory: Memory, clock: _Clock, talk: Talk) -> None:
    """One conversation, and the night after it."""
    clock.now = talk.at
    for kind, text in talk.lines:
        clock.now += _PAUSE
        if kind == "?":
            memory.recall(text)
        else:
            origin = {"origin": "web"} if kind == "w" else {}
            turn = {"role": _ROLES[kind], "content": text, "at": clock.now, **origin}
            memory.add([turn], talk.session)
    clock.now += _NIGHT
    memory.consolidate()


def is_whole(home: str) -> bool:
    """Whether a folder holds an example that was built to its end."""
    try:
        with open(os.path.join(home, MARK), encoding="utf-8") as file:
            return file.read().endswith(f"{_WHOLE}\n")
    except OSError:
        return False


def refuse_other(home: str) -> None:
    """An InputError for a folder that holds something else."""
    if not os.path.exists(home) or os.path.exists(os.path.join(home, MARK)):
        return
    if not os.path.isdir(home) or os.listdir(home):
        raise InputError(
            "{path} contains something other than an example memory",
            hint="choose a folder that is empty or does not exist: loxodon demo DIR",
            path=home,
        )
