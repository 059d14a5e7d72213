"""daily/YYYY-MM-DD.md: what was said on a day, where it was said.

    ## 10:30:00 Ada · monday <!-- {"ref": "t_3", "id": "m3", "session": "monday", "role": "user",
    "at": "2026-02-04T10:30:00+08:00", "speaker": "Ada", "key": "9f…"} -->

    > I am allergic to peanuts.
    > Please remember that.

The heading is for people; the comment in it (on one line) has all that the journal knows. Every
line of what was said stands behind `> `, so that no content can be taken for anything else. A day
with very much talk goes on in YYYY-MM-DD-2.md.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import tzinfo
from functools import lru_cache, partial
from itertools import pairwise
from typing import NamedTuple

from loxodon.errors import InputError
from loxodon.store.primary import PRIMARY_TABLES, JournalDay, Row
from loxodon.store.store import Store
from loxodon.text.markdown import one_line
from loxodon.types import CHATS, ORIGIN_OF_ROLE, ORIGINS, ROLES
from loxodon.views import Planned, View, based_on, comment, local_text, stored_moment
from loxodon.views import reading as read
from loxodon.views.held import HeldBack, held_back
from loxodon.views.reading import Object, Trouble, check_marker, field

FOLDER = "daily"
NAME = re.compile(r"daily/\d{4}-\d\d-\d\d(?:-[1-9]\d{0,5})?\.md")
_LABEL = 60
"""Characters of a name in a heading, at most."""
_COLUMNS = PRIMARY_TABLES["turns"].columns
_encode = json.JSONEncoder(ensure_ascii=False).encode
_ODD = re.compile(r"[<>\x7f-\x9f\u2028\u2029]")


class ParsedDays(NamedTuple):
    rows: tuple[tuple[int, Row], ...]
    """The turns as the store dumps them, each with its line."""
    troubles: tuple[Trouble, ...] = ()


# Writing


def views(store: Store, zone: tzinfo | None, bases: Mapping[str, str]) -> Iterator[Planned]:
    """A file for each day of the journal, or several."""
    held = held_back(store)
    for day in store.primary.days():
        name = _name(day)
        cut = [no for no in held.turns if day.first <= no <= day.last]
        parts = [f"{one.no}.{one.turn}" for no in sorted(cut) for one in held.turns[no]]
        basis = based_on(day.turns, day.first, day.last, *parts)
        yield Planned(name, basis, partial(_made, store, name, day, held))


def _name(day: JournalDay) -> str:
    return f"{FOLDER}/{day.date}{f'-{day.part}' if day.part > 1 else ''}.md"


def _made(store: Store, name: str, day: JournalDay, held: HeldBack) -> View:
    parts = [comment(name, store.space), f"# {day.date}"]
    parts += [part_of(held.shown(row)) for row in store.primary.turns_of(day)]
    return View(name, "\n\n".join(parts) + "\n")


def part_of(row: Row) -> str:
    """What stands there of a turn, from the row that the store dumps."""
    turn = dict(zip(_COLUMNS, row, strict=True))
    at = local_text(turn["at"], turn["utc_offset"])
    found: Object = {
        "ref": f"t_{turn['seq']}",
        "id": turn["id"],
        "session": turn["session"],
        "role": turn["role"],
        "at": at,
    }
    usual = {
        "speaker": "",
        "channel": "",
        "chat": "direct",
        "origin": _origin(turn["role"]),
        "agent": "",
    }
    found |= {name: turn[name] for name, value in usual.items() if turn[name] != value}
    found["key"] = turn["key"].hex()
    who = _label(turn["speaker"] or turn["role"])
    # A bracket could begin or end a comment; JSON can say it in another way.
    rest = _encode(found)
    rest = _ODD.sub(lambda odd: f"\\u{ord(odd[0]):04x}", rest)
    said = turn["content"].replace("\n", "\n> ")
    return f"## {at[11:19]} {who} · {_label(turn['session'])} <!-- {rest} -->\n\n> {said}"


@lru_cache(maxsize=1_024)
def _label(text: str) -> str:
    """A name that is one short line, and neither a comment nor a tag."""
    return one_line(text)[:_LABEL].replace("<", "‹").replace(">", "›")


def _origin(role: str) -> str:
    return next((origin for known, origin in ORIGIN_OF_ROLE.items() if known == role), "")


# Reading


def parse(name: str, text: str) -> ParsedDays:
    """The turns of a day, and what cannot be read. Raises where it is no such view."""
    check_marker(name, text)
    lines = text.split("\n")
    if lines[0].endswith("\r"):  # an editor that ends lines its own way ends all of them so
        lines = [line.removesuffix("\r") for line in lines]
    rows: list[tuple[int, Row]] = []
    troubles: list[Trouble] = []
    starts = [n for n, line in enumerate(lines) if line.startswith("## ")]
    for start, end in pairwise([*starts, len(lines)]):
        try:
            rows.append((start + 1, _row(lines[start], lines[start + 1 : end])))
        except InputError as error:
            troubles.append((start + 1, error))
    return ParsedDays(tuple(rows), tuple(troubles))


def _row(heading: str, body: Sequence[str]) -> Row:
    _, opened, rest = heading.partition(" <!-- ")
    rest = rest.rstrip()
    if not opened or not rest.endswith("-->"):
        raise InputError("the comment in the heading of a turn is missing")
    found = read.an_object(rest[:-3])
    at, offset = field(found, "at", _moment)
    role = _choice(found, "role", ROLES, "")
    return (
        field(found, "ref", read.a_ref),
        field(found, "session", read.a_text),
        field(found, "id", read.a_text),
        field(found, "key", read.some_bytes),
        role,
        _text(found, "speaker"),
        _text(found, "channel"),
        _choice(found, "chat", CHATS, "direct"),
        _choice(found, "origin", ORIGINS, _origin(role)),
        at,
        offset,
        _said(body),
        _text(found, "agent"),
    )


def _said(body: Sequence[str]) -> str:
    """What was said: every line behind the sign, and only empty ones around it."""
    quoted = [line for line in body if line.startswith(">")]
    if any(line.strip() for line in body if not line.startswith(">")):
        raise InputError("a line of a message does not start with >")
    if not quoted:
        raise InputError("a turn is empty")
    return "\n".join(line[2:] if line[1:2] == " " else line[1:] for line in quoted)


def _moment(value: object) -> tuple[int, int]:
    read.a_moment(value)
    return stored_moment(read.a_text(value))


def _text(found: Object, name: str) -> str:
    return field(found, name, read.a_text) if name in found else ""


def _choice(found: Object, name: str, names: Sequence[str], usual: str) -> str:
    value = found.get(name, usual)
    if value not in names:
        raise InputError(
            "{field}: {error}",
            field=name,
            error=InputError("it is not one of {names}", names=", ".join(names)),
        )
    return str(value)
