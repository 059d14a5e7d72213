"""Views of which there are many, whose names cost as much to find as their text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from loxodon.views import Planned, View


def whole_group(known: Mapping[str, str], prefix: str, basis: str) -> dict[str, str]:
    """Those views of the last export that are the whole of a group, with their bases.

    `known` has the names and bases of the last export. Each basis of a group ends in how many it
    has: where some are missing, or have another basis, the group has to be planned anew.
    """
    found = {name: own for name, own in known.items() if name.startswith(prefix)}
    wanted = sized(basis, len(found))
    return found if all(own == wanted for own in found.values()) else {}


def sized(basis: str, number: int) -> str:
    """The basis of each of `number` views that belong together."""
    return f"{basis}#{number}"


def grouped(
    known: Mapping[str, str], prefix: str, basis: str, build: Callable[[], Mapping[str, View]]
) -> Iterator[Planned]:
    """The views of a group that is built as one, and only where something has changed."""
    built: dict[str, View] = {}

    def make(name: str) -> View:
        if not built:
            built.update(build())
        return built[name]

    names = list(whole_group(known, prefix, basis))
    if not names:
        built.update(build())
        names = list(built)
    own = sized(basis, len(names))
    for name in names:
        yield Planned(name, own, lambda name=name: make(name))  # type: ignore[misc]
