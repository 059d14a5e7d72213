"""Texts that nobody would write: made by lot from a seed, so that every run has the same ones."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import TypeVar

from loxodon import LoxodonError

T = TypeVar("T")

_ALPHABETS = (
    "abcdefghijklmnopqrstuvwxyz ABC .,;:!?'\"-_()[]{}<>/\\|@#$%^&*+=~`",
    "我你他她的了是在不有人这个上们来到时大地为子中说生国年着就那和要出也得里后自以会家可下而过天去能对小多然",
    "0123456789:/-年月日号点分周星期上下前后明昨",
    " \t\n\r\u3000\u00a0\u200b\u2028\ufeff\0\x0b\x1f",
    "éüßñçøΩжשלוםمرحبا日本語カタカナ한국어ไทยहिन्दी",
    "😀👩‍👩‍👧‍👦🇨🇳\u0301\u0300\u202e\u2066\U0010ffff\ufffd",
    '"*^:()-+NEAR AND OR NOT {}[]',
)
_TALK = (
    "I live in Leeds",
    "我住在杭州",
    "我对花生过敏",
    "My sister Mia works at Northwind",
    "半夜",
    "上周三下午三点",
    "I don't like tea any more",
    "现在改成每天跑步了",
    "e.g. this",
    "记住：",
    "what did I say about Rome?",
    "你还记得我的生日吗",
    "remind me on 2026-02-30",
    "不是…而是",
    "in the week of",
    "the user said: ",
    "no, actually",
    "call +86 138 0013 8000",
    "tomorrow at 5",
    "me@example.com",
    "2026-02-04T18:00:00Z",
    "ends next March",
    "每两周的周二",
    "第三个周五",
    "quarter past",
    "since I was 12",
)


def text(random: Random, most: int = 120) -> str:
    """Any text: talk and noise in any mixture."""
    parts = []
    for _ in range(random.randint(0, 8)):
        if random.random() < 0.4:
            parts.append(random.choice(_TALK))
        else:
            letters = random.choice(_ALPHABETS)
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
                data[at:at] = random.choice(_TOKENS)
        if len(data) > 200_000:
            del data[200_000:]
    return bytes(data)


_TOKENS = (
    b"null",
    b"true",
    b"-1",
    b"1e999",
    b"NaN",
    b"{}",
    b"[]",
    b"[[[[[[",
    b"}}}}",
    b'""',
    b"\\ud800",
    b"\xff\xfe",
    b"\0",
    b"9" * 40,
    b"0x",
    b"'",
    b"'''",
    b"---",
    b"```",
    b"<!--",
    b"-->",
    b"#",
    b"\r",
    b"\xe2\x80\xa8",
    b"=",
    b"%",
    b"../../",
    b"\xed\xa0\x80",
    b",,",
    b'{"id":',
    b"2026-13-40T25:61",
)


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


def seeds(random: Random, given: Sequence[bytes]) -> bytes:
    return mutated(random, random.choice(given))


PATIENCE = 60.0
"""Seconds of the processor for one of them: who tries all ways of reading it needs years."""


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
