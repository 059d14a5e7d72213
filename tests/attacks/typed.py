"""What people type into a chat, as sentences in which something is drawn anew each time.

A set is a file of `cases/`. `{{…}}` is what must not get through, `⏎` a new line, and `~` draws
something: `~b36` thirty-six letters and digits, `~x` hexadecimal, `~d` digits, `~U` capitals and
digits, `~l` small letters and digits, `~s` base64 for addresses, `~[abc]4` four of these signs,
`~(a|b)` one of these; `~mobile`, `~card`, `~cnid`, `~uscc` and `~<name>` numbers that check, keys,
passwords and addresses. Nothing there ever opened anything.

`told` and the first of the `drawn` sets were written by the author of the rules, the others without
a look at them. Of each those secrets are here that are certain by their form or stand in a plain
statement.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from random import Random
from string import ascii_letters, ascii_lowercase, ascii_uppercase, digits
from typing import NamedTuple

from stdnum import iban, luhn
from stdnum.cn import ric, uscc

CASES = Path(__file__).parent / "cases"
_DRAW = re.compile(
    r"~(?:<([a-z -]+?)(?: (\d+) (\d+))?>|\(([^)]*)\)|\[([^\]]+)\](\d+)"
    r"|(mobilespaced|mobiledashed|mobile|cardspaced|card|amex|mc|unionspaced|union|cnidspaced|cnid"
    r"|uscc|ibanspaced|iban|ssn)|([bxdDULlsBI])(\d+))"
)
_ALNUM = ascii_letters + digits
_SIGNS = {
    "b": _ALNUM,
    "x": "0123456789abcdef",
    "d": digits,
    "U": ascii_uppercase + digits,
    "l": ascii_lowercase + digits,
    "L": ascii_lowercase,
    "s": _ALNUM + "-_",
    "B": _ALNUM + "+/",
    "I": ascii_uppercase + "234567",
}
_MARKED = re.compile(r"\{\{(.*?)\}\}", re.DOTALL)


class Line(NamedTuple):
    """A sentence, and what in it must not get through."""

    text: str
    secrets: tuple[str, ...] = ()


@cache
def rows(name: str) -> list[dict[str, str]]:
    """All of a set: what each is `about`, its `language` and its `text`."""
    lines = (CASES / f"{name}.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


def typed(name: str, **wanted: str) -> list[str]:
    """The texts of a set whose rows have these values, before anything is drawn."""
    found = [row["text"] for row in rows(name) if wanted.items() <= row.items()]
    assert found, (name, wanted)
    return found


def lines(cases: Iterable[str], rng: Random) -> Iterator[Line]:
    """The sentences of a set, with everything drawn."""
    for line in cases:
        whole = _DRAW.sub(lambda it: _drawn(it, rng), line.replace("⏎", "\n"))
        yield Line(_MARKED.sub(r"\1", whole), tuple(_MARKED.findall(whole)))


def _drawn(it: re.Match[str], rng: Random) -> str:
    name, low, high, either, signs, some, number, sort, size = it.groups()
    if name == "number":
        return str(rng.randrange(int(low), int(high)))
    if name == "digits":
        return _some(digits, rng.randrange(int(low), int(high) + 1), rng)
    if name:
        return _NAMED[name](rng)
    if either is not None:
        return str(rng.choice(either.split("|")))
    if signs:
        return _some(signs, int(some), rng)
    return _number(number, rng) if number else _mixed(sort, int(size), rng)


def _some(signs: str, size: int, rng: Random) -> str:
    return "".join(rng.choices(signs, k=size))


def _mixed(sort: str, size: int, rng: Random) -> str:
    if sort == "D":  # a number that does not start with nothing
        return rng.choice(digits[1:]) + _some(digits, size - 1, rng)
    found = _some(_SIGNS[sort], size, rng)
    mixed = size > 7 and sort in "bUlsxB"
    return found[:-1] + rng.choice(digits) if mixed and not re.search(r"\d", found) else found


def _number(what: str, rng: Random) -> str:
    name, spaced, _ = what.partition("spaced")
    name, dashed, _ = name.partition("dashed")
    number = _NUMBERS[name](rng)
    if not (spaced or dashed):
        return number
    if name == "mobile":
        return (" " if spaced else "-").join((number[:3], number[3:7], number[7:]))
    return _in_fours(number, 6 if name == "cnid" else 4)


def _in_fours(number: str, size: int = 4, gap: str = " ") -> str:
    return gap.join(number[n : n + size] for n in range(0, len(number), size))


# Numbers that check


def _luhn(start: str, length: int, rng: Random) -> str:
    body = start + _some(digits, length - len(start) - 1, rng)
    return body + str(luhn.calc_check_digit(body))


def _card(rng: Random) -> str:
    kinds = ["4:16", "52:16", "37:15", "622202:19", "6011:16", "2221:16", "3528:16", "621700:19"]
    start, _, size = rng.choice(kinds).partition(":")
    it, gap = _luhn(start, int(size), rng), rng.choice(("", "", " ", "-"))
    return _in_fours(it, gap=gap) if gap else it


def _not_card(rng: Random) -> str:
    it = _luhn("622202", 19, rng)
    return it[:-1] + str((int(it[-1]) + rng.randrange(1, 10)) % 10)


def _cnid(rng: Random) -> str:
    place = rng.choice(("110105", "310115", "440305", "330106", "510107"))
    day = f"{rng.randint(1950, 2015)}{rng.randint(1, 12):02}{rng.randint(1, 28):02}"
    body = place + day + f"{rng.randint(1, 999):03}"
    return body + str(ric.calc_check_digit(f"{body}0"))


def _not_cnid(rng: Random) -> str:
    it = _cnid(rng)
    return it[:-1] + rng.choice([one for one in digits if one != it[-1]])


def _uscc(rng: Random) -> str:
    signs = "0123456789ABCDEFGHJKLMNPQRTUWXY"
    body = f"91{rng.choice(('110105', '310115', '440300'))}MA{_some(signs, 7, rng)}"
    return body + str(uscc.calc_check_digit(body))


def _iban(rng: Random) -> str:
    country, size = rng.choice((("DE", 18), ("GB", 18), ("FR", 23), ("ES", 20), ("NL", 14)))
    body = _some(digits, size, rng)
    if country in ("GB", "NL"):
        body = _some(ascii_uppercase, 4, rng) + body[4:]
    it = f"{country}{iban.calc_check_digits(f'{country}00{body}')}{body}"
    return _in_fours(it) if rng.random() < 0.5 else it


def _german_iban(rng: Random) -> str:
    body = _some(digits, 18, rng)
    return f"DE{iban.calc_check_digits(f'DE00{body}')}{body}"


def _hong_kong_id(rng: Random) -> str:
    body = rng.choice(ascii_uppercase) + _some(digits, 6, rng)
    values = [36, *(int(one, 36) for one in body)]
    check = -sum(value * by for value, by in zip(values, range(9, 1, -1), strict=True)) % 11
    return f"{body}({'A' if check == 10 else check})"


def _taiwan_id(rng: Random) -> str:
    letters = "ABCDEFGHJKLMNPQRSTUVXYWZIO"
    body = rng.choice(letters) + rng.choice("12") + _some(digits, 7, rng)
    values = [*divmod(letters.index(body[0]) + 10, 10), *map(int, body[1:])]
    total = sum(one * by for one, by in zip(values, (1, 9, 8, 7, 6, 5, 4, 3, 2, 1), strict=True))
    return body + str(-total % 10)


def _cpf(rng: Random) -> str:
    found = [rng.randrange(10) for _ in range(9)]
    for _ in range(2):
        total = sum(one * by for one, by in zip(found, range(len(found) + 1, 1, -1), strict=True))
        found.append(total * 10 % 11 % 10)
    it = "".join(map(str, found))
    return f"{it[:3]}.{it[3:6]}.{it[6:9]}-{it[9:]}"


def _ssn(rng: Random) -> str:
    return f"{rng.randint(100, 665)}-{rng.randint(10, 99)}-{rng.randint(1000, 9999)}"


def _mobile(rng: Random) -> str:
    return rng.choice(("138", "139", "186", "150", "177", "199")) + _some(digits, 8, rng)


_WIDE = str.maketrans(digits, "０１２３４５６７８９")
_NUMBERS: dict[str, Callable[[Random], str]] = {
    "mobile": _mobile,
    "card": lambda rng: _luhn("4539", 16, rng),
    "mc": lambda rng: _luhn("5425", 16, rng),
    "amex": lambda rng: _luhn("3714", 15, rng),
    "union": lambda rng: _luhn("622202", 19, rng),
    "cnid": _cnid,
    "uscc": _uscc,
    "iban": _german_iban,
    "ssn": _ssn,
}


def _one_of(*forms: str) -> Callable[[Random], str]:
    """One of several forms, drawn in turn."""
    return lambda rng: next(lines([rng.choice(forms)], rng)).text


# Keys


def _jwt(rng: Random) -> str:
    def part(text: str) -> str:
        return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")

    body = f'{{"sub":"{rng.randrange(10**9)}","name":"u{rng.randrange(999)}","iat":1516239022}}'
    head = part('{"alg":"HS256","typ":"JWT"}')
    return f"{head}.{part(body)}.{_some(_SIGNS['s'], 43, rng)}"


def _block(rng: Random, size: int) -> str:
    return "\n".join(_some(_SIGNS["B"], 64, rng) for _ in range(size))


def _private_key(rng: Random) -> str:
    name = rng.choice(("RSA ", "EC ", "OPENSSH ", "", "DSA ", "ENCRYPTED ")) + "PRIVATE KEY"
    return f"-----BEGIN {name}-----\n{_block(rng, rng.randrange(3, 8))}\n-----END {name}-----"


def _pgp_key(rng: Random) -> str:
    name = "PGP PRIVATE KEY BLOCK"
    return f"-----BEGIN {name}-----\n\n{_block(rng, 4)}\n=abcd\n-----END {name}-----"


def _putty(rng: Random) -> str:
    return (
        f"PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nPublic-Lines: 2\n{_block(rng, 3)}\n"
        f"Private-Lines: 1\n{_some(_SIGNS['B'], 48, rng)}\nPrivate-MAC: {_some(digits, 64, rng)}"
    )


_FORMS: dict[str, list[str]] = {}
for _row in rows("forms"):
    _FORMS.setdefault(_row["name"], []).append(_row["text"])
_PHRASE = (
    "abandon ability canyon drift eagle fabric gadget harbor island jungle kitten lemon magnet "
    "nasty oxygen panda quarter rabbit saddle tackle umbrella vacant wagon yellow zebra acid bacon"
).split()
_NAMED: dict[str, Callable[[Random], str]] = {
    "jwt": _jwt,
    "private-key": _private_key,
    "cut-key": lambda rng: _private_key(rng).rpartition("\n-----END")[0],
    "escaped-key": lambda rng: _private_key(rng).replace("\n", "\\n"),
    "pgp-key": _pgp_key,
    "putty": _putty,
    "phrase": lambda rng: " ".join(rng.sample(_PHRASE, rng.choice((12, 24)))),
    "chinese-id": _cnid,
    "not-chinese-id": _not_cnid,
    "spaced-id": lambda rng: "{} {} {}".format(*re.findall("(.{6})(.{8})(.{4})", _cnid(rng))[0]),
    "wide-id": lambda rng: _cnid(rng).translate(_WIDE),
    "company-code": _uscc,
    "card": _card,
    "not-card": _not_card,
    "iban": _iban,
    "ssn": _ssn,
    "hong-kong-id": _hong_kong_id,
    "taiwan-id": _taiwan_id,
    "cpf": _cpf,
    "mobile": lambda rng: rng.choice(
        (
            _one_of("~mobile", "+86 ~mobile", "+86~mobile", "~mobilespaced", "~mobiledashed")(rng),
            _mobile(rng).translate(_WIDE),
            f"86-{_mobile(rng)}",
        )
    ),
    "hidden-phone": lambda rng: re.sub(r"^(...)(....)", "\\1\u200b\\2\u200b", _mobile(rng)),
    **{name: _one_of(*texts) for name, texts in _FORMS.items()},
}
