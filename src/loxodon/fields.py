"""What may stand in the fields of a memory and of a question, whoever hands it in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, tzinfo
from typing import Any

from loxodon.clock import in_zone
from loxodon.errors import InputError, UsageError
from loxodon.store import Filter
from loxodon.text.check import checked_text
from loxodon.types import AUDIENCES, CATEGORIES, KINDS, ORIGINS, STATES

MAX_CONTENT = 10_000
MAX_NAME = 200

SENSITIVITIES = ("low", "medium", "high")

_CHOICES: Mapping[str, tuple[str, ...]] = {
    "kind": KINDS,
    "category": CATEGORIES,
    "audience": AUDIENCES,
    "origin": ORIGINS,
    "sensitivity": SENSITIVITIES,
}
_NAMES = ("project", "topic")
_TEXTS = ("subject", "attribute", "value")
_LISTS = ("tags", "entities")
_SHARES = ("importance", "confidence")
_TIMES = ("expires_at", "due_at", "valid_from", "valid_until")

EDITABLE = frozenset(
    {
        "content",
        *_NAMES,
        *_TEXTS,
        *_LISTS,
        *_SHARES,
        *_TIMES,
        "category",
        "audience",
        "sensitivity",
        "done",
    }
)


def checked(fields: Mapping[str, Any], kind: str, zone: tzinfo | None) -> dict[str, Any]:
    """Fields of a memory of `kind` as they may be kept; an InputError for the first that may not.

    A time without a zone is the user's own.
    """
    found = dict(fields)
    for name, value in fields.items():
        if name == "content":
            found[name] = checked_text(value, name, MAX_CONTENT)
        elif name in _SHARES:
            found[name] = _share(name, value)
        elif name in _NAMES:
            found[name] = checked_text(value, name, MAX_NAME)
        elif name in _TEXTS:
            found[name] = checked_text(value, name, MAX_NAME) if value != "" else ""
        elif name in _LISTS:
            found[name] = _list(name, value)
        elif name in _CHOICES:
            choice(name, value, _CHOICES[name])
        elif name in _TIMES:
            found[name] = moment(name, value, zone)
        elif name == "done" and not isinstance(value, bool):
            raise InputError("{field} must be true or false", field=name)
    if kind == "belief" and found.get("confidence") == 1.0:
        raise InputError(
            "the confidence of a belief must be below 1",
            hint="lower the confidence, or save it as a fact",
        )
    return found


def filter_of(zone: tzinfo | None, **asked: Any) -> Filter:
    """What was asked for as a filter; an InputError for a question that makes no sense."""
    if asked.get("kind") is not None:
        choice("kind", asked["kind"], (*KINDS, "turn", "note"))
    if asked.get("state") is not None:
        choice("state", asked["state"], STATES)
    if asked.get("told") is not None:
        choice("audience", asked["told"], AUDIENCES)
    for name in ("since", "until"):
        asked[name] = moment(name, asked.get(name), zone)
    if asked["since"] and asked["until"] and asked["since"] >= asked["until"]:
        raise InputError("the time range ends before it starts", hint="since must be before until")
    return Filter(**asked)


def names_of(text: str) -> list[str]:
    """Names separated by commas, of either script."""
    names = text.replace("，", ",").replace("、", ",").split(",")
    return [name.strip() for name in names if name.strip()]


def retagged(tags: Sequence[str], changes: Sequence[str]) -> tuple[str, ...]:
    """The tags after changes as they are typed, `+a -b`; a UsageError where one is none."""
    found = dict.fromkeys(tags)
    for change in changes:
        names = names_of(change[1:])
        if change[:1] not in ("+", "-") or not names:
            raise UsageError(
                "{change} is not a tag change", hint="write +name or -name", change=repr(change)
            )
        for name in names:
            if change[0] == "+":
                found[name] = None
            else:
                found.pop(name, None)
    return tuple(found)


def number(name: str, value: object) -> int:
    """A whole number that is not negative."""
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    raise InputError(
        "{field} cannot be {value}",
        hint="it must be a whole number, 0 or more",
        field=name,
        value=repr(value),
    )


def is_text(name: str, value: object) -> None:
    """Any text, also an empty one; nothing that is no text."""
    if not isinstance(value, str):
        raise InputError(
            "the {what} must be text, not {type}", what=name, type=type(value).__name__
        )


def moment(name: str, value: object, zone: tzinfo | None) -> datetime | None:
    """A moment with a zone, or None."""
    if value is None:
        return None
    if not isinstance(value, datetime):
        raise InputError("{field} must be a date and time", field=name)
    # A year from either end may fall off it in another time zone, and could then not be read.
    if not 1 < value.year < 9999:
        raise InputError(
            "{field} cannot be in the year {year}",
            hint="use a year from 2 to 9998",
            field=name,
            year=value.year,
        )
    return value if value.tzinfo is not None else in_zone(value, zone)


def choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise InputError(
            "{field} cannot be {value}",
            hint="choose one of {choices}",
            field=name,
            value=repr(value),
            choices=", ".join(choices),
        )


def _share(name: str, value: object) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1:
        return float(value)
    raise InputError(
        "{field} cannot be {value}",
        hint="it must be a number from 0 to 1",
        field=name,
        value=repr(value),
    )


def _list(name: str, value: object) -> tuple[str, ...]:
    if isinstance(value, str) or not isinstance(value, list | tuple | set | frozenset):
        raise InputError("{field} must be a list of names", field=name)
    return tuple(dict.fromkeys(checked_text(one, name, MAX_NAME) for one in value))
