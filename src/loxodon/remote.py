"""The verbs that a server answers to, as methods that ask it: made from `VERBS`.

They take what the verbs of `Memory` take that is offered over HTTP, and `reveal` and `explain`.
Their signatures for editors and type checkers are in `remote.pyi`, which `tools/stubs.py` writes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import update_wrapper
from inspect import Parameter, Signature, signature
from typing import Any

from loxodon.http.operations import names_in
from loxodon.memory import all_verbs
from loxodon.verbs import Verb


def signature_of(verb: Verb) -> Signature:
    """What the method of a client takes."""
    own, *given = signature(verb.call).parameters.values()
    in_path = len(names_in(verb.routes[0].path))
    fixed = {name for route in verb.routes for name in route.fixed or ()}
    offered = {*fixed, *(one.name for one in verb.takes)}
    taken = [
        one
        for place, one in enumerate(given)
        if place < in_path or one.name in offered or one.kind is Parameter.VAR_KEYWORD
    ]
    known = {one.name for one in taken}
    more = [
        Parameter(one.name, Parameter.KEYWORD_ONLY, default=False, annotation=bool)
        for one in verb.takes
        if one.name in ("reveal", "explain") and one.name not in known
    ]
    return Signature([own, *taken, *more])


def served(part: str) -> Iterator[tuple[str, Verb]]:
    """The verbs of a part of a memory that a server answers to, by their names in it."""
    for name, verb in all_verbs().items():
        of, _, method = name.rpartition(".")
        if of == part and verb.routes:
            yield method, verb


def _asking(verb: Verb) -> Callable[..., Any]:
    takes = signature_of(verb)

    def ask(self: Any, *args: Any, **named: Any) -> Any:
        given = dict(takes.bind(self, *args, **named).arguments)
        del given["self"]
        if "limit" in takes.parameters:  # a server has another
            given.setdefault("limit", takes.parameters["limit"].default)
        given |= given.pop("changes", {})
        return self.do(verb, given)

    ask.__signature__ = takes  # type: ignore[attr-defined]
    return update_wrapper(ask, verb.call, updated=())


class _Part:
    """What a memory has beside its own verbs; `do` asks the server."""

    def __init__(self, do: Callable[[Verb, dict[str, Any]], Any]) -> None:
        self.do = do


def _class(name: str, part: str, *bases: type) -> type:
    return type(name, bases, {method: _asking(verb) for method, verb in served(part)})


RemoteMemory = _class("RemoteMemory", "")
RemoteWorkspace = _class("RemoteWorkspace", "workspace", _Part)
RemoteSchedule = _class("RemoteSchedule", "schedule", _Part)
RemoteAudit = _class("RemoteAudit", "audit", _Part)
