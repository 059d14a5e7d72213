"""What a reader of another program's memory finds, and how it looks into what it is given.

A reader is a generator of conversations and memories. It is run twice, once to see that the whole
can be read and once to take it in, so that nothing is half taken and no archive has to fit into
memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, tzinfo
from typing import Any, NamedTuple

from loxodon.errors import InputError, LoxodonError
from loxodon.imports.package import Package
from loxodon.journal.moments import read_instant
from loxodon.types import Draft, FileProblem, Kind, Source


class Talk(NamedTuple):
    """Turns of one conversation, in order; each names its session."""

    turns: tuple[Draft, ...]


class NewMemory(NamedTuple):
    """One thing that another program remembered."""

    content: str
    key: tuple[str, ...]  # what it is known by there, so that it is taken once
    source: Source
    kind: Kind = "fact"
    category: str = ""  # empty where only its words can tell
    importance: float | None = None
    confidence: float = 1.0
    project: str = ""
    topic: str = ""
    tags: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    agent: str = ""
    since: datetime | None = None  # when it was first known, or since when it holds
    confirmed_at: datetime | None = None
    expires_at: datetime | None = None
    archived: bool = False
    done: bool = False
    basis: str = ""  # what a belief was drawn from
    id: str = ""  # what it is called there; kept where it is free here
    strength: float | None = None
    until: datetime | None = None  # when it stopped being true
    drawn_from: tuple[Source, ...] = ()  # where it says that it comes from
    derived_from: tuple[str, ...] = ()  # the memories that a summary stands for
    own: bool = False  # from a memory like ours: it matters as much as it says


class Skipped(NamedTuple):
    """Something left out on purpose."""

    reason: str  # a word that stays the same; `cli/importing.py` says it
    number: int = 1


Found = Talk | NewMemory | Skipped | FileProblem


class Around(NamedTuple):
    """What a reader has to know beside the files."""

    now: datetime
    zone: tzinfo | None
    user: str = ""  # whose memories are wanted, where a file has those of several people


Reader = Callable[[Package, Around], Iterator[Found]]


def each_in(
    package: Package,
    name: str,
    inside: tuple[str, ...],
    read: Callable[[Any, str], Iterator[Found]],
) -> Iterator[Found]:
    """What is found in each element of a file; one that `read` refuses is reported."""
    for place, value in package.elements(name, inside):
        try:
            yield from read(value, place)
        except InputError as error:
            yield problem(name, place, error)


def problem(file: str, place: int | str, error: LoxodonError) -> FileProblem:
    """An error about a line of a file, or about a part of a JSON document named by its path."""
    what, hint = error.localized()
    if isinstance(place, int):
        return FileProblem(file, place, what, hint)
    return FileProblem(file, 0, f"{place}: {what}", hint)


# What stands in a document, whatever was put there


def text_in(value: object, *names: str) -> str:
    """The text under the first of these names that has one; empty for none."""
    texts = (value.get(name) for name in names) if isinstance(value, Mapping) else ()
    return next((one.strip() for one in texts if isinstance(one, str) and one.strip()), "")


def mapping_in(value: object, name: str) -> Mapping[str, Any]:
    found = value.get(name) if isinstance(value, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def list_in(value: object, name: str) -> list[Any]:
    found = value.get(name) if isinstance(value, Mapping) else None
    return found if isinstance(found, list) else []


def names_in(value: object) -> tuple[str, ...]:
    """Names: of a list, or separated by commas; anything else is none."""
    if isinstance(value, str):
        value = value.replace("，", ",").split(",")
    given = value if isinstance(value, list) else []
    names = (one.strip() for one in given if isinstance(one, str))
    return tuple(dict.fromkeys(name for name in names if name))


def number_in(value: object) -> float | None:
    """A number, also as text; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if abs(number) < 1e15 else None  # neither NaN nor infinite


def share_in(value: object) -> float | None:
    """How much something matters, from 0 to 1; what is counted up to 10 or 100 is brought there."""
    number = number_in(value)
    if number is None or not 0 <= number <= 100:
        return None
    return number if number <= 1 else number / (10 if number <= 10 else 100)


def instant_in(value: Mapping[str, Any], zone: tzinfo | None, *names: str) -> datetime | None:
    """The moment under the first of these names that has one. Raises InputError for nonsense."""
    found = (value.get(name) for name in names)
    return next((read_instant(one, zone) for one in found if one is not None and one != ""), None)
