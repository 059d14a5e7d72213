"""What can be asked over HTTP: the verbs by their routes. `pages` has what is asked of the server.

The path of a verb is within `/v1/spaces/{space}`. The fields stand in the query of a GET or DELETE
and in the JSON body of the others; what stands in braces in the path is handed on first. They are
called what the library calls them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import Any, NamedTuple

from loxodon import status, types
from loxodon.backup import create
from loxodon.consolidate import embedding, entities, pipeline
from loxodon.errors import DamagedStoreError
from loxodon.forget import receipts
from loxodon.guard import quarantine
from loxodon.http.guard import Need
from loxodon.imports.take import Imported
from loxodon.jobs import schedule
from loxodon.journal import follow
from loxodon.memory import VERBS, Memory
from loxodon.notes import index
from loxodon.paging import USUAL, Page
from loxodon.recall import graph, overviews
from loxodon.security import audit_log, inspection
from loxodon.store import Note
from loxodon.verbs import Argument, Route, Verb, hints
from loxodon.views import export, sync, workspace

Run = Callable[[Memory, dict[str, Any]], object]
IN_QUERY = ("GET", "DELETE")
_MODULES = (
    *(types, status, receipts, quarantine, schedule, audit_log, inspection),
    *(entities, embedding, pipeline, create, export, sync, follow, index, workspace),
    *(graph, overviews),
)
# The types of what verbs give, by name
RESULTS: Mapping[str, Any] = {
    **{name: value for module in _MODULES for name, value in vars(module).items()},
    "Imported": Imported,  # beside which `take` has another `Job`
    "Note": Note,
    "Page": list,  # of which the schema says itself that it is a page
}


class Checked(NamedTuple):
    """What a check of the data found."""

    ok: bool
    problems: list[types.Problem]


class Due(NamedTuple):
    """Why something is due; empty where it is not."""

    consolidation: str
    flush: str


class Operation(NamedTuple):
    """One thing that can be asked: a verb by one of its routes, or a page of the server."""

    verb: Verb
    route: Route
    right: Need
    takes: tuple[Argument, ...]
    gives: Any  # the type of what comes back, for its description
    run: Run | None = None  # what a verb does; a page has none

    @property
    def name(self) -> str:
        return self.route.name or self.verb.name.rpartition(".")[2]

    @property
    def address(self) -> str:
        """The whole path."""
        return f"/v1/spaces/{{space}}{self.route.path}" if self.run else self.route.path

    @property
    def about(self) -> str:
        return self.route.about or self.verb.about

    @property
    def in_query(self) -> bool:
        """Whether its fields stand in the query."""
        return self.route.method in IN_QUERY


def names_in(path: str) -> list[str]:
    """What stands in braces in a path."""
    return [part[1:-1] for part in path.split("/") if part.startswith("{")]


def _doing(verb: Verb, route: Route) -> Run:
    """Does a verb with the fields of a request."""
    called, named = attrgetter(verb.name), names_in(route.path)

    def run(memory: Memory, given: dict[str, Any]) -> object:
        fields = {**route.fixed, **given}
        explain = fields.pop("explain", False)
        reveal = fields.pop("reveal", False) if verb.masked else False
        if verb.paged:
            fields.setdefault("limit", USUAL)
        found = called(memory)(*[fields.pop(name) for name in named], **fields)
        if verb.masked:
            shown = memory.guard.shown_value(found, private=False, reveal=reveal)
            return Page(shown, found.next) if verb.paged else shown
        if verb.field:
            return {verb.field: found}
        return found if explain else _without_trace(found)

    return run


def _without_trace(found: object) -> object:
    """What a recall gives, without how it came about: it is long, and rarely asked for."""
    if isinstance(found, types.Recall):
        return found._replace(trace=None)
    if isinstance(found, types.Frame) and found.recall is not None:
        return found._replace(recall=found.recall._replace(trace=None))
    return found


def _validate(memory: Memory, given: dict[str, Any]) -> Checked:
    try:
        found = memory.validate(**given)
    except DamagedStoreError as error:
        message, hint = error.localized("en")
        found = [types.Problem(memory.home, message, hint)]
    return Checked(not found, found)


# Verbs whose call or answer is not what the request and the reply have, and what comes back
_OWN_WAY: Mapping[str, tuple[Run, Any]] = {
    "validate": (_validate, Checked),
    "forget": (lambda it, given: it.forget(*given.pop("ids", ()), **given), receipts.Receipt),
    "consolidation_due": (lambda it, _: Due(it.consolidation_due(), it.flush_due()), Due),
}


def result_of(verb: Verb) -> Any:
    """The type of what a server answers."""
    return _OWN_WAY[verb.name][1] if verb.name in _OWN_WAY else hints(verb.call, RESULTS)["return"]


def _operation(verb: Verb, route: Route) -> Operation:
    run = _OWN_WAY[verb.name][0] if verb.name in _OWN_WAY else _doing(verb, route)
    return Operation(verb, route, route.access or verb.access, verb.takes, result_of(verb), run)


OPERATIONS = tuple(_operation(verb, route) for verb in VERBS.values() for route in verb.routes)
