"""Texts that nobody would write: made by lot from a seed, so that every run has the same ones."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any, TypeVar

from loxodon import Memory
from loxodon.errors import LoxodonError
from tests.clock import Clock
from tests.faults.work import CONFIG, TALK, turns

T = TypeVar("T")
HERE = Path(__file__).parent
# Letters, talk, and tokens of bytes (in Latin-1) that texts are made of
PARTS: dict[str, list[str]] = json.loads((HERE / "made.json").read_text("utf-8"))
# Files that are right, by what they are
SEEDS: dict[str, Any] = json.loads((HERE / "seeds.json").read_text("utf-8"))


def text(random: Random, most: int = 120) -> str:
    """Any text: talk and noise in any mixture."""
    parts = []
    for _ in range(random.randint(0, 8)):
        if random.random() < 0.4:
            parts.append(random.choice(PARTS["talk"]))
        else:
            letters = random.choice(PARTS["alphabets"])
            parts.append("".join(random.choices(letters, k=random.randint(0, 20))))
    made = random.choice(("", " ", "，", ". ", "\n")).join(parts)
    if random.random() < 0.02:
        made *= random.randint(2, 60)
    return made[: most if random.random() < 0.9 else most * 20]


def mutated(random: Random, seed: bytes) -> bytes:
    """Something that once was right: parts of it are gone, doubled, moved, changed or put in."""
    data = bytearray(seed)
    for _ in range(random.choice((1, 1, 2, 3, 8))):
        at = random.randint(0, len(data))
        end = min(len(data), at + random.choice((1, 1, 2, 8, 40, 400)))
        match random.randrange(7):
            case 0:
                del data[at:end]
            case 1:
                data[at:at] = data[at:end] * random.choice((1, 2, 30))
            case 2:
                other = random.randint(0, len(data))
                data[at:at] = data[other : other + random.randint(0, 60)]
            case 3:
                if data:
                    data[at % len(data)] ^= 1 << random.randrange(8)
            case 4:
                data[at:end] = bytes(random.getrandbits(8) for _ in range(random.randint(0, 6)))
            case 5:
                data[at:at] = text(random, 30).encode("utf-8", "replace")
            case _:
                data[at:at] = random.choice(PARTS["tokens"]).encode("latin-1")
        if len(data) > 200_000:
            del data[200_000:]
    return bytes(data)


def value(random: Random, depth: int = 0) -> object:
    """Any value that JSON has."""
    kind = random.randrange(9 if depth < 4 else 6)
    if kind == 0:
        return random.choice((None, True, False))
    if kind == 1:
        return random.choice((0, -1, 1, 10**30, 2**63, random.randint(-1_000, 1_000)))
    if kind == 2:
        return random.choice((0.5, -0.0, 1e308, random.random()))
    if kind < 6:
        return text(random, 40)
    if kind == 6:
        return [value(random, depth + 1) for _ in range(random.randint(0, 4))]
    return {text(random, 12): value(random, depth + 1) for _ in range(random.randint(0, 4))}


def cases(seed: object, amount: int, make: Callable[[Random], T]) -> Iterator[T]:
    """So many things, the same ones each time."""
    random = Random(f"{seed}")
    for _ in range(amount):
        yield make(random)


def seeds(random: Random, given: Sequence[str]) -> bytes:
    return mutated(random, random.choice(given).encode())


# Seconds of the processor for one of them: who tries all ways of reading it needs years
PATIENCE = 60.0


def survived(made: Iterator[T], call: Callable[[T], object]) -> int:
    """Hand each to `call`; how many there were.

    One of our errors is an answer. Anything else is not, nor is one that takes too long: the first
    of these is told, with what it was given.
    """
    done = 0
    for one in made:
        started = time.thread_time()
        try:
            call(one)
        except LoxodonError:
            pass
        except Exception as error:
            raise AssertionError(f"{type(error).__name__}: {error} for {one!r:.2000}") from error
        took = time.thread_time() - started
        assert took < PATIENCE, f"{took:.1f} s for {one!r:.2000}"
        done += 1
    return done


def opened(home: Path) -> Memory:
    return Memory.open(home, config=CONFIG, clock=Clock())


def talked(home: Path) -> Path:
    """A home with memories and their text views."""
    with opened(home) as memory:
        memory.add(turns(TALK), session="monday")
        memory.consolidate()
        memory.documents.put(("a",), "k", {"n": 1})
        memory.workspace.export()
    return home
