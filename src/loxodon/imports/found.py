"""What a reader of another program's memory finds: conversations, memories, settings.

A reader is a generator of these. It is run twice, once to see that the whole can be read and once
to take it in, so that nothing is half taken and no archive has to fit into memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, tzinfo
from typing import Any, NamedTuple

from loxodon.errors import InputError, LoxodonError
from loxodon.imports.document import elements
from loxodon.imports.package import Package
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


class Setting(NamedTuple):
    """A setting of ours that one of theirs stands for."""

    name: str
    value: str | int | float


class Skipped(NamedTuple):
    """Something left out on purpose."""

    reason: str  # a word that stays the same; `cli/importing.py` says it
    number: int = 1


Found = Talk | NewMemory | Setting | Skipped | FileProblem


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
    for place, value in elements(package, name, inside):
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
