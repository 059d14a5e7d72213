"""A list of things to remember, as people and small tools keep them.

    ["User is allergic to peanuts", "…"]
    [{"memory": "…", "importance": 0.8, "tags": ["health"]}, …]

A list under `memories`, `facts`, `results`, `items` or `data` is one too, and so is one object a
line, such as the `facts.jsonl`, `beliefs.jsonl` and `summaries.jsonl` of a three-layer memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from loxodon.errors import InputError
from loxodon.journal.lines import parse_line, split_lines
from loxodon.types import CATEGORIES, KINDS, Kind, Source
from loxodon.workspace.imports.document import (
    elements,
    instant_in,
    names_in,
    number_in,
    share_in,
    text_in,
)
from loxodon.workspace.imports.found import Around, Found, NewMemory, Skipped, problem, problem_at
from loxodon.workspace.imports.mem0 import file_of
from loxodon.workspace.imports.package import Package

FORMAT = "list"
LISTS = ("memories", "facts", "results", "items", "data")
_TEXTS = ("memory", "content", "text", "fact", "value")
_BELIEF = 0.6
_PLACE = re.compile(r"(?P<name>[^\s:][^\n]{0,200}?):(?P<line>\d{1,9})(?:-\d{1,9})?")
_FILE = re.compile(r"\.[A-Za-z]{2,8}$")


def is_memory(value: object) -> bool:
    if isinstance(value, str):
        return bool(value.strip())
    return isinstance(value, Mapping) and "role" not in value and bool(text_in(value, *_TEXTS))


def read(package: Package, around: Around) -> Iterator[Found]:
    name = package.names[0] if len(package.names) == 1 else file_of(package)
    if one_a_line(package, name):
        yield from lines(package, name, around)
        return
    for n, (place, value) in enumerate(elements(package, name, LISTS), 1):
        try:
            yield from _memory(value, name, n, around)
        except InputError as error:
            yield problem_at(name, place or ".", error)


def one_a_line(package: Package, name: str) -> bool:
    """Whether a file has one JSON object a line, rather than being one."""
    if name.lower().endswith((".jsonl", ".ndjson")):
        return True
    first, _, rest = package.head(name).lstrip(b"\xef\xbb\xbf \r\n").partition(b"\n")
    return first.startswith(b"{") and first.rstrip().endswith(b"}") and rest.lstrip()[:1] == b"{"


def lines(
    package: Package,
    name: str,
    around: Around,
    kind: Kind = "fact",
    *,
    archived: bool = False,
    own: bool = False,
) -> Iterator[Found]:
    """The memories of a file that has one a line: of this kind where a line does not say it."""
    found = split_lines(package.read(name))
    for line, refused in found.problems:
        yield problem(name, line, refused)
    last = 0 if found.whole else len(found.texts)
    for number, text in enumerate(found.texts, 1):
        if not text or text.isspace():
            continue
        try:
            value = parse_line(text, cut=number == last)
            if isinstance(value, Mapping) and "loxodon" in value:
                raise InputError(
                    "{file} is a text view written by Loxodon",
                    hint="apply its edits with `loxodon sync`, or restore all of it with "
                    "`loxodon restore`",
                    file=name,
                )
            for one in _memory(value, name, number, around, kind):
                if isinstance(one, NewMemory):
                    one = one._replace(archived=archived or one.archived, own=own)
                yield one
        except InputError as error:
            yield problem(name, number, error)


def _memory(
    value: object, file: str, line: int, around: Around, kind: Kind = "fact"
) -> Iterator[NewMemory | Skipped]:
    source = Source(file=file, line=line)
    if isinstance(value, str):
        text = value.strip()
        yield NewMemory(text, (FORMAT, text), source) if text else Skipped("empty")
        return
    if not isinstance(value, Mapping) or not text_in(value, *_TEXTS):
        raise InputError(
            "this is not a memory", hint="write it as text, or as an object with a `memory`"
        )
    if "role" in value:
        raise InputError(
            "this is a message, not a memory", hint="add conversations with `loxodon add`"
        )
    described = _described(value, source, around, kind)
    yield described
    yield from _before(value, described, around)


def _described(value: Mapping[str, Any], source: Source, around: Around, kind: Kind) -> NewMemory:
    text, id = text_in(value, *_TEXTS).strip(), str(value.get("id") or "").strip()
    kind = next((one for one in KINDS if value.get("kind", value.get("type")) == one), kind)
    kind = "summary" if "source_facts" in value else kind
    confidence = number_in(value.get("confidence"))
    if kind == "fact" and confidence is not None and confidence < 1:
        kind = "belief"
    if kind == "fact" or confidence is None or not 0 <= confidence < 1:
        confidence = _BELIEF if kind == "belief" else 1.0
    category = text_in(value, "category").strip().lower()
    return NewMemory(
        text,
        (FORMAT, id, text),
        source,
        kind,
        category if category in CATEGORIES else "",
        share_in(value.get("importance")),
        confidence,
        text_in(value, "project").strip(),
        text_in(value, "topic").strip(),
        names_in(value.get("tags")),
        names_in(value.get("entities")),
        since=instant_in(value, around.zone, "valid_from", "created_at", "created", "date", "at"),
        confirmed_at=instant_in(value, around.zone, "updated_at", "updated"),
        archived=value.get("archived") is True or value.get("state") == "archived",
        basis=text_in(value, "basis").strip(),
        id=id,
        strength=share_in(value.get("strength", value.get("score"))),
        drawn_from=_sources(value.get("source")),
        derived_from=names_in(value.get("source_facts")),
    )


def _before(value: Mapping[str, Any], now: NewMemory, around: Around) -> Iterator[NewMemory]:
    """What a fact said before it was changed: it was so, until then."""
    history = value.get("history")
    for one in history if isinstance(history, list) else ():
        text = text_in(one, *_TEXTS).strip() if isinstance(one, Mapping) else ""
        if text:
            yield NewMemory(
                text,
                (*now.key, "before", text),
                now.source,
                importance=now.importance,
                entities=now.entities,
                archived=True,
                strength=share_in(one.get("score")),
                until=instant_in(one, around.zone, "until"),
            )


def _sources(value: object) -> tuple[Source, ...]:
    """`session_abc:15` is a message, `2026-02-04.jsonl:15-16` lines of a file."""
    found = _PLACE.fullmatch(value.strip()) if isinstance(value, str) else None
    if found is None:
        return ()
    if _FILE.search(found["name"]):
        return (Source(file=found["name"], line=int(found["line"])),)
    return (Source(found["name"], found["line"]),)
