"""The conditions of other programs, as pure predicates: whether a value is what was asked for."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

from loxodon.errors import CallError

_TESTS: Mapping[str, Callable[[Any, Any], bool]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "gt": operator.gt,
    "gte": operator.ge,
    "lt": operator.lt,
    "lte": operator.le,
    "in": lambda has, wanted: has in wanted,
    "nin": lambda has, wanted: has not in wanted,
    "contains": lambda has, wanted: isinstance(has, str | list) and wanted in has,
    "icontains": lambda has, wanted: str(wanted).casefold() in str(has).casefold(),
}
_LANGGRAPH = ("$eq", "$ne", "$gt", "$gte", "$lt", "$lte")
_NO_NAME = frozenset("'\"`\\")  # in the name of no field: somebody tries to write a query


def langgraph_admits(conditions: Mapping[str, Any], value: Mapping[str, Any]) -> bool:
    """LangGraph: {"key": value}, {"key": {"$gt": 3}}, {"outer.inner": value}, values in values."""
    return all(_is_like(_found_at(name, value), wanted) for name, wanted in conditions.items())


def _found_at(name: str, value: Mapping[str, Any]) -> Any:
    """What a value has by a name, or by names within each other with a dot between them."""
    if not name or not name.isprintable() or not _NO_NAME.isdisjoint(name):
        raise CallError(
            "Invalid filter key: {name}",
            hint="use the name of a field, without quotation marks",
            name=repr(name),
        )
    found: Any = value
    for part in (name,) if name in value else name.split("."):
        found = found.get(part) if isinstance(found, Mapping) else None
    return found


def _is_like(has: Any, wanted: Any) -> bool:
    if isinstance(wanted, Mapping):
        if not any(name.startswith("$") for name in wanted):
            return isinstance(has, Mapping) and langgraph_admits(wanted, has)
        if unknown := wanted.keys() - {*_LANGGRAPH}:
            raise _unknown(min(unknown), _LANGGRAPH)
        try:  # what is no number is neither more nor less than one
            return all(
                _TESTS[name[1:]](has, other)
                if name in ("$eq", "$ne")
                else _TESTS[name[1:]](float(has), float(other))
                for name, other in wanted.items()
            )
        except (TypeError, ValueError):
            return False
    if isinstance(wanted, list | tuple):
        return isinstance(has, list) and len(has) == len(wanted) and all(map(_is_like, has, wanted))
    return bool(has == wanted)


def mem0_admits(conditions: Mapping[str, Any], value: Mapping[str, Any]) -> bool:
    """mem0: {"key": value}, {"key": {"gte": 3}}, {"key": "*"}, and AND, OR, NOT of such."""
    return all(_holds(name, wanted, value) for name, wanted in conditions.items())


def _holds(name: str, wanted: Any, value: Mapping[str, Any]) -> bool:
    how = name.removeprefix("$").upper()
    if how in ("AND", "OR", "NOT"):
        if not isinstance(wanted, list) or not all(isinstance(one, Mapping) for one in wanted):
            raise CallError("{name} needs a list of conditions", name=how)
        held = [mem0_admits(one, value) for one in wanted]
        return all(held) if how == "AND" else any(held) is (how == "OR")
    if wanted == "*":
        return name in value
    if isinstance(wanted, Mapping):
        return all(_passes(value.get(name), test, other) for test, other in wanted.items())
    if isinstance(wanted, list | tuple):
        return value.get(name) in wanted
    return bool(value.get(name) == wanted)


def _passes(has: Any, test: str, other: Any) -> bool:
    if test not in _TESTS:
        raise _unknown(test, tuple(_TESTS))
    if has is None and test not in ("ne", "nin"):
        return test == "eq" and other is None
    try:
        return bool(_TESTS[test](has, other))
    except TypeError:  # a text is neither more nor less than a number
        return False


def _unknown(name: str, known: tuple[str, ...]) -> CallError:
    hint = "known conditions: {names}"
    return CallError("unknown condition {name}", hint=hint, name=repr(name), names=", ".join(known))
