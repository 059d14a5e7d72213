"""Labelled conversations of another kind: what was said, and what a memory should hold afterwards.

One JSON object a line, each a case:

    {"id", "about"?, "turns": [{"session", "at", "role", "content", "speaker"?}],
     "checks": [{"type": "add", "present": [["Leeds", "West Yorkshire"]]}]}

A turn is what `loxodon add` takes from a JSONL file, and has a time. What a check looks for is a
list of groups: a memory is meant that has of each group at least one text, in any case of letters.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, tzinfo
from itertools import groupby, pairwise
from typing import Any, NamedTuple

from loxodon.errors import InputError
from loxodon.measure.lines import name, objects, parsed, unfit
from loxodon.types import Draft
from loxodon.workspace.readers.jsonl import draft_from_mapping

EXAMPLE = (
    '{"id": "c1", "turns": [{"session": "s1", "at": "2026-02-04T10:30:00", "role": "user", '
    '"content": "I live in Leeds"}], "checks": [{"type": "add", "present": [["Leeds"]]}]}'
)
LOOKS_FOR = {
    "add": ("present",),
    "belief": ("present",),
    "update": ("present",),
    "supersede": ("present", "absent"),
    "retract": ("absent",),
    "repeat": ("once",),
    "never": ("absent",),
}
"""The types of checks, and what each must have."""

Groups = tuple[tuple[str, ...], ...]


class Check(NamedTuple):
    """What a memory should or should not hold; what is not looked for is empty."""

    type: str
    present: Groups = ()
    absent: Groups = ()
    once: Groups = ()


class Case(NamedTuple):
    """What becomes one memory, and what is looked for in it."""

    id: str
    about: str
    turns: tuple[Mapping[str, Any], ...]
    """As the file has them: what `Memory.add` takes."""
    ends: tuple[datetime, ...]
    """When each session was over."""
    checks: tuple[Check, ...]

    @property
    def sessions(self) -> list[list[Mapping[str, Any]]]:
        """The turns by session, in their order."""
        return [list(turns) for _, turns in groupby(self.turns, key=_session)]


def read_cases(lines: Iterable[bytes], name: str, zone: tzinfo) -> list[Case]:
    """Every case of a file called `name`; one InputError for all its bad lines.

    Times without an offset are in `zone`.
    """
    return parsed(lines, name, lambda value: _case(value, zone), EXAMPLE)


def _case(value: Mapping[str, Any], zone: tzinfo) -> Case:
    turns = objects(value, "turns")
    drafts = [_draft(one, n, zone) for n, one in enumerate(turns)]
    if not drafts:
        raise unfit("turns")
    about = value.get("about", "")
    pairs = zip(turns, drafts, strict=True)
    ends = [max(draft.at for _, draft in some if draft.at) for _, some in groupby(pairs, _of_pair)]
    for n, (one, other) in enumerate(pairwise(ends), 2):
        if other < one:
            raise InputError(
                "session {n} ends before the previous one",
                hint="put the turns in chronological order",
                n=n,
            )
    checks = tuple(_check(one, f"checks[{n}].") for n, one in enumerate(objects(value, "checks")))
    shown = about if isinstance(about, str) else ""
    return Case(name(value, "id"), shown, tuple(turns), tuple(ends), checks)


def _session(turn: Mapping[str, Any]) -> str:
    return str(turn.get("session", ""))


def _of_pair(pair: tuple[Mapping[str, Any], Draft]) -> str:
    return _session(pair[0])


def _draft(turn: Mapping[str, Any], n: int, zone: tzinfo) -> Draft:
    try:
        draft = draft_from_mapping(turn, n + 1, zone)
    except InputError as error:
        raise InputError(
            "{field}: {error}", hint="{error_hint}", field=f"turns[{n}]", error=error
        ) from None
    if draft.at is None:
        raise unfit(f"turns[{n}].at")
    return draft


def _check(value: Mapping[str, Any], where: str) -> Check:
    type = value.get("type")
    if not isinstance(type, str) or type not in LOOKS_FOR:
        raise InputError(
            "{field} is not a type of check: {type}",
            hint="use one of {types}",
            field=f"{where}type",
            type=repr(type),
            types=", ".join(LOOKS_FOR),
        )
    fields = {
        field: _groups(value.get(field), where + field)
        for field in ("present", "absent", "once")
        if field in value or field in LOOKS_FOR[type]
    }
    return Check(type, **fields)


def _groups(value: object, field: str) -> Groups:
    """`[["a", "b"], ["c"]]`; a group of one text may be written without its brackets."""
    some = [value] if isinstance(value, str) else value
    if not isinstance(some, list) or not some:
        raise unfit(field)
    groups = [[one] if isinstance(one, str) else one for one in some]
    for group in groups:
        if not isinstance(group, list) or not group:
            raise unfit(field)
        if not all(isinstance(text, str) and text for text in group):
            raise unfit(field)
    return tuple(map(tuple, groups))
