"""Checks of the fields of a memory and of a question, whoever hands them in."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, tzinfo
from typing import Any

from loxodon import verbs
from loxodon.clock import in_zone
from loxodon.errors import InputError, UsageError
from loxodon.store import Filter
from loxodon.text.check import checked_text
from loxodon.types import AUDIENCES, KINDS, ORIGINS, STATES
from loxodon.verbs import Argument, Changes, arguments_in

EDITABLE = {one.name: one for one in arguments_in(Changes)}  # what `Memory.edit` can change
_KNOWN = EDITABLE | {"kind": Argument("kind", KINDS, ""), "origin": Argument("origin", ORIGINS, "")}
_MAX_NAME = 200  # characters of a text that may also be empty


def checked(fields: Mapping[str, Any], kind: str, zone: tzinfo | None) -> dict[str, Any]:
    """Fields of a memory of `kind` as they may be kept; a time without a zone is the user's own."""
    found = {name: _field(name, value, zone) for name, value in fields.items()}
    if kind == "belief" and found.get("confidence") == 1.0:
        hint = "lower the confidence, or save it as a fact"
        raise InputError("the confidence of a belief must be below 1", hint=hint)
    return found


def _field(name: str, value: Any, zone: tzinfo | None) -> Any:
    known = _KNOWN.get(name) or Argument(name, "", "")
    match known.kind:
        case tuple() as choices:
            choice(name, value, choices)
        case verbs.FLAG if not isinstance(value, bool):
            raise InputError("{field} must be true or false", field=name)
        case verbs.NUMBER:
            numeric = isinstance(value, int | float) and not isinstance(value, bool)
            if not numeric or not 0 <= value <= 1:
                raise _wrong(name, value, hint="it must be a number from 0 to 1")
            return float(value)
        case verbs.TEXT if known.most or value != "":
            return checked_text(value, name, known.most or _MAX_NAME)
        case verbs.TEXTS:
            if not isinstance(value, list | tuple | set | frozenset):
                raise InputError("{field} must be a list of names", field=name)
            return tuple(dict.fromkeys(checked_text(one, name, known.most) for one in value))
        case verbs.MOMENT_OR_NONE:
            return moment(name, value, zone)
    return value


def filter_of(zone: tzinfo | None, **asked: Any) -> Filter:
    choices = {"kind": (*KINDS, "turn", "note"), "state": STATES, "told": AUDIENCES}
    for name, allowed in choices.items():
        if asked.get(name) is not None:
            choice("audience" if name == "told" else name, asked[name], allowed)
    since, until = (moment(name, asked.get(name), zone) for name in ("since", "until"))
    if since and until and since >= until:
        raise InputError("the time range ends before it starts", hint="since must be before until")
    return Filter(**asked | {"since": since, "until": until})


def names_of(text: str) -> list[str]:
    """Names separated by commas, of either script."""
    return [name.strip() for name in re.split("[,，、]", text) if name.strip()]


def retagged(tags: Sequence[str], changes: Sequence[str]) -> tuple[str, ...]:
    """The tags after changes as they are typed, `+a -b`."""
    found = [*tags]
    for change in changes:
        names = names_of(change[1:])
        if change[:1] not in ("+", "-") or not names:
            hint = "write +name or -name"
            raise UsageError("{change} is not a tag change", hint=hint, change=repr(change))
        adds = change[0] == "+"
        found = [one for one in found if adds or one not in names] + names * adds
    return tuple(dict.fromkeys(found))


def number(name: str, value: object) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    raise _wrong(name, value, hint="it must be a whole number, 0 or more")


def _wrong(name: str, value: object, hint: str, choices: str = "") -> InputError:
    text = "{field} cannot be {value}"
    return InputError(text, hint=hint, field=name, value=repr(value), choices=choices)


def is_text(name: str, value: object) -> None:
    if not isinstance(value, str):
        kind = type(value).__name__
        raise InputError("the {what} must be text, not {type}", what=name, type=kind)


def moment(name: str, value: object, zone: tzinfo | None) -> datetime | None:
    if value is None:
        return None
    if not isinstance(value, datetime):
        raise InputError("{field} must be a date and time", field=name)
    if not 1 < value.year < 9999:  # in another time zone it may fall off either end
        raise _wrong(name, value.year, hint="use a year from 2 to 9998")
    return value if value.tzinfo is not None else in_zone(value, zone)


def choice(name: str, value: object, choices: Sequence[str]) -> None:
    if value not in choices:
        raise _wrong(name, value, hint="choose one of {choices}", choices=", ".join(choices))
