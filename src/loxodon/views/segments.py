"""segments/2026-02-22-001.md: what was said in a stretch of talk about one thing.

    ---
    loxodon: segment
    id: 2026-02-22-001
    date: 2026-02-22
    time_range: 09:15-09:42
    topic: 电台报名
    tags: [电台, 周末]
    fact_count: 3
    no: 17
    session: monday
    first_turn: t_12
    …
    ---

    The text, without the noise.

The number in the name counts the segments of a day in the order in which they were made. What is
below `fact_count` is there so that a store can be made of it again.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache

from loxodon.errors import InputError
from loxodon.store.primary import Row
from loxodon.store.store import Store
from loxodon.types import STATES
from loxodon.views import VERSION, Planned, View, bad_view, based_on, local_text, stored_moment
from loxodon.views.entries import items_of, value_of
from loxodon.views.groups import sized, whole_group
from loxodon.views.reading import a_ref, newer

FOLDER = "segments"
_PLAIN = re.compile(r"[^\W\d_][\w \-./+]*(?<! )")
_WORDS = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})
_FIELD = re.compile(r"([a-z_]+): ?(.*)")


def views(store: Store, bases: Mapping[str, str], known: Mapping[str, str]) -> Iterator[Planned]:
    """A file for each segment."""
    parts = [bases.get(f"memories/fact/{state}", "none") for state in STATES]
    number = bases.get("segments", "0").partition(".")[0]
    basis = based_on(bases.get("segments", "none"), *parts)
    counts = cache(lambda: fact_counts(store))
    rows = cache(lambda: dict(rows_by_name(store)))

    def make(name: str, row: Row) -> View:
        return made(name, row, store.space, counts()[row[0]])

    if same := whole_group(known, f"{FOLDER}/", basis):
        for name, own in same.items():
            yield Planned(name, own, lambda name=name: make(name, rows()[name]))  # type: ignore[misc]
        return
    own = sized(basis, int(number))
    for name, row in rows_by_name(store):
        yield Planned(name, own, lambda name=name, row=row: make(name, row))  # type: ignore[misc]


def rows_by_name(store: Store) -> Iterator[tuple[str, Row]]:
    """The segments as the store dumps them, each with the name of its view."""
    days: Counter[str] = Counter()
    for row in store.primary.dump("segments"):
        day = local_text(row[4], row[6])[:10]
        days[day] += 1
        yield f"{FOLDER}/{day}-{days[day]:03d}.md", row


def id_of(name: str) -> str:
    """What a segment is called elsewhere."""
    return name.removeprefix(f"{FOLDER}/").removesuffix(".md")


def tagged(store: Store) -> Iterator[tuple[str, tuple[str, ...], int]]:
    """The id of each segment, its tags, and when it ended."""
    for name, row in rows_by_name(store):
        yield id_of(name), tuple(json.loads(row[8])), row[5]


def fact_counts(store: Store) -> Counter[int]:
    """How many facts were drawn from each segment, by its number."""
    starts: dict[str, list[tuple[int, int, int]]] = {}
    for no, session, first, last, *_ in store.primary.dump("segments"):
        starts.setdefault(session, []).append((first, last, no))
    for some in starts.values():
        some.sort()
    facts = {row[0] for row in store.primary.dump("memories") if row[1].startswith("f_")}
    found: set[tuple[int, int]] = set()
    for memory, _, session, _, seq, *_ in store.primary.dump("memory_sources"):
        if seq is None or memory not in facts:
            continue
        some = starts.get(session, [])
        at = bisect_right(some, (seq, 1 << 62, 0)) - 1
        if at >= 0 and some[at][1] >= seq:
            found.add((some[at][2], memory))
    return Counter(no for no, _ in found)


def made(name: str, row: Row, space: str, facts: int) -> View:
    """The file of a segment, from the row that the store dumps."""
    no, session, first, last, started, ended, offset, topic, tags, text = row
    begin, end = local_text(started, offset), local_text(ended, offset)
    lines = [
        "---",
        "loxodon: segment",
        f"id: {id_of(name)}",
        f"date: {begin[:10]}",
        f"time_range: {begin[11:16]}-{end[11:16]}",
        f"topic: {_text(topic)}",
        f"tags: {_texts(json.loads(tags))}",
        f"fact_count: {facts}",
        f"no: {no}",
        f"session: {_text(session)}",
        f"first_turn: t_{first}",
        f"last_turn: t_{last}",
        f"started_at: {begin}",
        f"ended_at: {end}",
        f"space: {_text(space)}",
        f"version: {VERSION}",
        "---",
    ]
    return View(name, "\n".join(lines) + f"\n\n{text}\n")


def _text(value: str) -> str:
    """A value of front matter: plain where YAML reads it as the same text, else in quotes."""
    if _PLAIN.fullmatch(value) and value.casefold() not in _WORDS:
        return value
    quoted = json.dumps(value, ensure_ascii=False)
    return re.sub("[\x7f-\x9f\u2028\u2029\ufeff]", lambda match: f"\\u{ord(match[0]):04x}", quoted)


def _texts(values: list[str]) -> str:
    return f"[{', '.join(map(_text, values))}]"


def parse(name: str, text: str) -> Row:
    """A segment as the store dumps it. Raises InputError where the file is none."""
    try:
        top, body = _parts(text)
        if int(top["version"]) > VERSION:
            raise newer(name)
        started, offset = stored_moment(top["started_at"])
        return (
            int(top["no"]),
            value_of(top["session"]),
            a_ref(top["first_turn"]),
            a_ref(top["last_turn"]),
            started,
            stored_moment(top["ended_at"])[0],
            offset,
            value_of(top["topic"]),
            json.dumps(items_of(top["tags"]), ensure_ascii=False),
            body,
        )
    except (KeyError, ValueError, OverflowError, RecursionError):
        raise bad_view(name, 0, InputError("it is not a segment in Loxodon's format")) from None


def _parts(text: str) -> tuple[dict[str, str], str]:
    """The fields at the top, and the text below them."""
    text = text.removeprefix("\ufeff")
    if text.startswith("---\r\n"):  # an editor that ends lines its own way ends all of them so
        text = text.replace("\r\n", "\n")
    if not text.startswith("---\nloxodon: segment\n"):
        raise ValueError(text[:60])
    top, mark, body = text.removeprefix("---\n").partition("\n---\n\n")
    if not mark or not body.endswith("\n"):
        raise ValueError(text[:60])
    fields = {match[1]: match[2] for line in top.split("\n") if (match := _FIELD.fullmatch(line))}
    return fields, body[:-1]
