"""The conditions of other programs, as pure predicates: whether a value is what was asked for."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

from loxodon.errors import CallError

Tests = Mapping[str, Callable[[Any, Any], bool]]

_MEM0: Tests = {
    "eq": operator.eq,
    "ne": operator.ne,
    "gt": operator.gt,
    "gte": operator.ge,
    "lt": operator.lt,
    "lte": operator.le,
    "in": lambda has, wanted: has is not None and has in wanted,
    "nin": lambda has, wanted: has not in wanted,
    "contains": lambda has, wanted: isinstance(has, str | list) and wanted in has,
    "icontains": lambda has, wanted: has and str(wanted).casefold() in str(has).casefold(),
}
_LANGGRAPH: Tests = {
    "$eq": operator.eq,
    "$ne": operator.ne,
    "$gt": lambda has, wanted: float(has) > float(wanted),
    "$gte": lambda has, wanted: float(has) >= float(wanted),
    "$lt": lambda has, wanted: float(has) < float(wanted),
    "$lte": lambda has, wanted: float(has) <= float(wanted),
}
_NO_NAME = frozenset("'\"`\\")  # in the name of no field: somebody tries to write a query


def langgraph_admits(conditions: Mapping[str, Any], value: Mapping[str, Any]) -> bool:
    """LangGraph: {"key": value}, {"key": {"$gt": 3}}, {"outer.inner": value}, values in values."""
    for name, wanted in conditions.items():
        if not name or not name.isprintable() or not _NO_NAME.isdisjoint(name):
            hint = "use the name of a field, without quotation marks"
            raise CallError("Invalid filter key: {name}", hint=hint, name=repr(name))
        has: Any = value
        for part in (name,) if name in value else name.split("."):
            has = has.get(part) if isinstance(has, Mapping) else None
        if not _is_like(has, wanted):
            return False
    return True


def _is_like(has: Any, wanted: Any) -> bool:
    if isinstance(wanted, Mapping):
        if any(name.startswith("$") for name in wanted):
            return _passes(has, wanted, _LANGGRAPH)
        return isinstance(has, Mapping) and langgraph_admits(wanted, has)
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
        return _passes(value.get(name), wanted, _MEM0)
    return bool(
        value.get(name) in wanted if isinstance(wanted, list | tuple) else value.get(name) == wanted
    )


def _passes(has: Any, wanted: Mapping[str, Any], tests: Tests) -> bool:
    if unknown := wanted.keys() - tests.keys():
        hint = "known conditions: {names}"
        name, names = repr(min(unknown)), ", ".join(tests)
        raise CallError("unknown condition {name}", hint=hint, name=name, names=names)
    try:  # a text is neither more nor less than a number
        return all(tests[name](has, other) for name, other in wanted.items())
    except (TypeError, ValueError):
        return False
