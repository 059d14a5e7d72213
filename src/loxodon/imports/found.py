"""What a reader of another program's memory finds: conversations, memories, settings.

A reader is a generator of these. It is run twice, once to see that the whole can be read and once
to take it in, so that nothing is half taken and no archive has to fit into memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, tzinfo
from typing import NamedTuple

from loxodon.errors import LoxodonError
from loxodon.imports.package import Package
from loxodon.types import Draft, FileProblem, Kind, Source


class Talk(NamedTuple):
    """Turns of one conversation, in order; each names its session."""

    turns: tuple[Draft, ...]


class NewMemory(NamedTuple):
    """One thing that another program remembered."""

    content: str
    key: tuple[str, ...]
    """What it is known by there, so that it is taken once."""
    source: Source
    kind: Kind = "fact"
    category: str = ""
    """Empty where only its words can tell."""
    importance: float | None = None
    confidence: float = 1.0
    project: str = ""
    topic: str = ""
    tags: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    agent: str = ""
    since: datetime | None = None
    """When it was first known, or since when it holds."""
    confirmed_at: datetime | None = None
    expires_at: datetime | None = None
    archived: bool = False
    done: bool = False
    basis: str = ""
    """What a belief was drawn from."""
    id: str = ""
    """What it is called there; kept where it is free here."""
    strength: float | None = None
    until: datetime | None = None
    """When it stopped being true."""
    drawn_from: tuple[Source, ...] = ()
    """Where it says that it comes from."""
    derived_from: tuple[str, ...] = ()
    """The memories that a summary stands for, as they are called there."""
    own: bool = False
    """Whether it comes from a memory like ours: it matters as much as it says."""


class Setting(NamedTuple):
    """A setting of ours that one of theirs stands for."""

    name: str
    value: str | int | float
    place: str
    """Where it stands in their file."""


class Skipped(NamedTuple):
    """Something left out on purpose."""

    reason: str
    """One of `REASONS`."""
    number: int = 1


REASONS = (
    "empty",
    "hidden",
    "branch",
    "tools",
    "code",
    "generated",
    "not memory",
    "deleted",
    "changed",
    "private",
    "secret",
    "set",
    "unneeded",
    "relations",
    "metadata",
    "other user",
    "more problems",
)
"""Why something is left out: words that stay the same; `serve/cli/importing.py` says them."""

Found = Talk | NewMemory | Setting | Skipped | FileProblem


class Around(NamedTuple):
    """What a reader has to know beside the files."""

    now: datetime
    zone: tzinfo | None
    user: str = ""
    """Whose memories are wanted, where a file has those of several people."""


Reader = Callable[[Package, Around], Iterator[Found]]


def problem(file: str, line: int, error: LoxodonError) -> FileProblem:
    """An error about a line of a file, as it is reported."""
    what, hint = error.localized()
    return FileProblem(file, line, what, hint)


def problem_at(file: str, place: str, error: LoxodonError) -> FileProblem:
    """An error about a part of a JSON document, named by its path."""
    what, hint = error.localized()
    return FileProblem(file, 0, f"{place}: {what}", hint)
