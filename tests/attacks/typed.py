"""What people type into a chat, as sets of sentences in which something is drawn anew each time.

A set is a file of `cases/`. `{{…}}` is what must not get through, `⏎` a new line, and `~` draws
something: `~b36` thirty-six letters and digits, `~x` hexadecimal, `~d` digits, `~U` capitals and
digits, `~l` small letters and digits, `~s` base64 for addresses; `~mobile`, `~card`, `~cnid`,
`~uscc` numbers that check. Nothing there ever opened anything.

`told` was written by the author of the rules, the others without a look at them. Of each those
secrets are here that are certain by their form or stand in a plain statement.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from random import Random
from string import ascii_letters, ascii_lowercase, ascii_uppercase, digits
from typing import NamedTuple

CASES = Path(__file__).parent / "cases"
_DRAW = re.compile(
    r"~(mobilespaced|mobiledashed|mobile|cardspaced|card|amex|mc|unionspaced|union|cnidspaced|cnid"
    r"|uscc|ibanspaced|iban|ssn|[bxdDULlsBI]\d+)"
)
_B32 = ascii_uppercase + "234567"
_SIGNS = {
    "b": ascii_letters + digits,
    "x": "0123456789abcdef",
    "d": digits,
    "U": ascii_uppercase + digits,
    "l": ascii_lowercase + digits,
    "L": ascii_lowercase,
    "s": ascii_letters + digits + "-_",
    "B": ascii_letters + digits + "+/",
    "I": _B32,
}
_MARKED = re.compile(r"\{\{(.*?)\}\}", re.DOTALL)


class Line(NamedTuple):
    """A sentence, and what in it must not get through."""

    text: str
    secrets: tuple[str, ...] = ()


def rows(name: str) -> list[dict[str, str]]:
    """All of a set: what each is `about`, its `language` and its `text`."""
    lines = (CASES / f"{name}.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


def typed(name: str, about: str, language: str) -> list[str]:
    """What a set has of secrets, personal data or honest text in a language, before it is drawn."""
    sort = (about, language)
    found = [one["text"] for one in rows(name) if (one["about"], one["language"]) == sort]
    assert found
    return found


def lines(cases: Iterable[str], rng: Random) -> Iterator[Line]:
    """The sentences of a set, with everything drawn."""
    for line in cases:
        whole = _DRAW.sub(lambda it: _drawn(it[1], rng), line.replace("⏎", "\n"))
        yield Line(_MARKED.sub(r"\1", whole), tuple(_MARKED.findall(whole)))


def _drawn(what: str, rng: Random) -> str:
    if what[1:].isdigit():
        return _some(what, rng)
    name, spaced, _ = what.partition("spaced")
    name, dashed, _ = name.partition("dashed")
    number = _NUMBERS[name](rng)
    if not (spaced or dashed):
        return number
    if name == "mobile":
        return (" " if spaced else "-").join((number[:3], number[3:7], number[7:]))
    size = 6 if name == "cnid" else 4
    return " ".join(number[n : n + size] for n in range(0, len(number), size))


def _some(what: str, rng: Random) -> str:
    signs, number = what[0], int(what[1:])
    if signs == "D":  # a number that does not start with nothing
        return rng.choice(digits[1:]) + "".join(rng.choices(digits, k=number - 1))
    found = "".join(rng.choices(_SIGNS[signs], k=number))
    mixed = number > 7 and signs in "bUlsxB"
    return found[:-1] + rng.choice(digits) if mixed and not re.search(r"\d", found) else found


def _luhn(start: str, length: int, rng: Random) -> str:
    body = start + "".join(rng.choices(digits, k=length - len(start) - 1))
    total = 0
    for n, digit in enumerate(reversed(body)):
        one = int(digit) * (1 if n % 2 else 2)
        total += one - 9 if one > 9 else one
    return body + str(-total % 10)


def _cnid(rng: Random) -> str:
    place = rng.choice(("110105", "310115", "440305", "330106", "510107"))
    day = f"{rng.randint(1950, 2015)}{rng.randint(1, 12):02}{rng.randint(1, 28):02}"
    body = place + day + f"{rng.randint(1, 999):03}"
    weights = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
    check = sum(int(one) * by for one, by in zip(body, weights, strict=True)) % 11
    return body + "10X98765432"[check]


def _uscc(rng: Random) -> str:
    signs = "0123456789ABCDEFGHJKLMNPQRTUWXY"
    body = (
        "91" + rng.choice(("110105", "310115", "440300")) + "MA" + "".join(rng.choices(signs, k=7))
    )
    total = sum(signs.index(one) * pow(3, n, 31) for n, one in enumerate(body))
    return body + signs[-total % 31]


def _iban(rng: Random) -> str:
    body = "".join(rng.choices(digits, k=18))
    check = 98 - int(f"{body}131400") % 97
    return f"DE{check:02}{body}"


_NUMBERS: dict[str, Callable[[Random], str]] = {
    "mobile": lambda rng: rng.choice(("138", "139", "186", "150", "177", "199")) + _some("d8", rng),
    "card": lambda rng: _luhn("4539", 16, rng),
    "mc": lambda rng: _luhn("5425", 16, rng),
    "amex": lambda rng: _luhn("3714", 15, rng),
    "union": lambda rng: _luhn("622202", 19, rng),
    "cnid": _cnid,
    "uscc": _uscc,
    "iban": _iban,
    "ssn": lambda rng: f"{rng.randint(100, 665)}-{rng.randint(10, 99)}-{rng.randint(1000, 9999)}",
}
