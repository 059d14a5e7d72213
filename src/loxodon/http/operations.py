"""What can be asked over HTTP: the verbs by their routes, and what is asked of the server itself.

The path of a verb is within `/v1/spaces/{space}`. The fields stand in the query of a GET or DELETE
and in the JSON body of the others; what stands in braces in the path is handed on first. They are
called what the library calls them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import Any, Literal, NamedTuple

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
from loxodon.memory import Memory, all_verbs
from loxodon.notes import index
from loxodon.paging import USUAL, Page
from loxodon.recall import graph, overviews
from loxodon.security import audit_log, inspection
from loxodon.security.tokens import MAX_NAME, RIGHTS, Grant, Right
from loxodon.store import Note
from loxodon.types import CHATS, Chat, Frame, Problem, Recall
from loxodon.verbs import FLAG, MOMENT, TEXT, TEXTS, Argument, Route, Verb
from loxodon.views import export, sync, workspace

Run = Callable[[Memory, dict[str, Any]], object]


class Checked(NamedTuple):
    """What a check of the data found."""

    ok: bool
    problems: list[Problem]


class Due(NamedTuple):
    """Why something is due; empty where it is not."""

    consolidation: str
    flush: str


class Operation(NamedTuple):
    """One thing that can be asked: a verb by one of its routes, or something of the server."""

    name: str
    method: str
    path: str
    group: str
    about: str
    gives: Any  # the type of what comes back, for its description
    right: Need
    takes: tuple[Argument, ...] = ()
    paged: str = ""  # the verb whose order it has, where that comes a page at a time; else empty
    field: str = ""  # the field of the answer that has it; empty where it is the answer
    make: bool = False
    status: int = 200
    long: Literal["", "kept", "cut"] = ""
    progress: bool = False  # whether its work calls `progress`
    run: Run | None = None

    @property
    def address(self) -> str:
        """The whole path."""
        return f"/v1/spaces/{{space}}{self.path}" if self.run else self.path

    @property
    def in_query(self) -> bool:
        """Whether its fields stand in the query."""
        return self.method in IN_QUERY


IN_QUERY = ("GET", "DELETE")
_MODULES = (
    *(types, status, receipts, quarantine, schedule, audit_log, inspection),
    *(entities, embedding, pipeline, create, export, sync, follow, index, workspace),
    *(graph, overviews),
)
RESULTS: Mapping[str, Any] = {
    **{name: value for module in _MODULES for name, value in vars(module).items()},
    "Imported": Imported,  # beside which `take` has another `Job`
    "Note": Note,
    "Page": list,  # of which the schema says itself that it is a page
}
"""The types of what verbs give, by name."""


def names_in(path: str) -> list[str]:
    """What stands in braces in a path."""
    return [part[1:-1] for part in path.split("/") if part.startswith("{")]


def _doing(verb: Verb, route: Route) -> Run:
    """Does a verb with the fields of a request."""
    called, named = attrgetter(verb.name), names_in(route.path)

    def run(memory: Memory, given: dict[str, Any]) -> object:
        fields = {**(route.fixed or {}), **given}
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
    if isinstance(found, Recall):
        return found._replace(trace=None)
    if isinstance(found, Frame) and found.recall is not None:
        return found._replace(recall=found.recall._replace(trace=None))
    return found


def _validate(memory: Memory, given: dict[str, Any]) -> Checked:
    try:
        found = memory.validate(**given)
    except DamagedStoreError as error:
        message, hint = error.localized("en")
        found = [Problem(memory.home, message, hint)]
    return Checked(not found, found)


def _forget(memory: Memory, given: dict[str, Any]) -> object:
    ids = [*given.pop("ids", ())]
    if "id" in given:
        ids.append(memory.get(given.pop("id")).id)
    if "ref" in given:
        ids.append(memory.turn(given.pop("ref")).ref)
    return memory.forget(*ids, **given)


def _due(memory: Memory, given: dict[str, Any]) -> Due:
    return Due(memory.consolidation_due(), memory.flush_due())


_OWN_WAY: Mapping[str, tuple[Run, Any]] = {
    "validate": (_validate, Checked),
    "forget": (_forget, receipts.Receipt),
    "consolidation_due": (_due, Due),
}
"""How verbs are done, and what comes back, whose call or answer is not what the request and the
reply have."""


def result_of(verb: Verb) -> Any:
    """The type of what a server answers."""
    return _OWN_WAY[verb.name][1] if verb.name in _OWN_WAY else verb.hints(RESULTS)["return"]


def _operation(verb: Verb, route: Route) -> Operation:
    return Operation(
        route.name or verb.name.rpartition(".")[2],
        route.method,
        route.path,
        verb.routes[0].path.split("/")[1],
        route.about or verb.about,
        result_of(verb),
        route.access or verb.access,
        tuple(one for one in verb.takes if route.only in ("", one.name)),
        verb.name if verb.paged else "",
        verb.field,
        route.makes_space,
        route.status,
        route.long,
        bool(route.long) and verb.progresses,
        _OWN_WAY[verb.name][0] if verb.name in _OWN_WAY else _doing(verb, route),
    )


OPERATIONS = tuple(
    _operation(verb, route) for verb in all_verbs().values() for route in verb.routes
)


# The server


class Condition(NamedTuple):
    """Whether all is well."""

    status: Literal["ok", "failing"]


class Reason(NamedTuple):
    """Why the health is red."""

    code: str
    space: str
    message: str


class Health(NamedTuple):
    """Whether all is well, and if not, why."""

    status: Literal["ok", "failing"]
    reasons: list[Reason]
    paused: list[str]  # spaces in which nothing is kept now, because their owner wants it so


class Me(NamedTuple):
    """What the token of a request is good for."""

    name: str  # `owner` for the server's own, empty where none is needed
    rights: Right
    agent: str
    chat: Chat
    owns_all: bool  # whether it is the owner's of all spaces
    spaces: tuple[str, ...]  # those that it reaches
    version: str
    home: str  # the folder of the home, for the owner of all spaces


class Figures(NamedTuple):
    """What the requests of one operation took."""

    requests: int
    errors: int
    mean_ms: float
    p50_ms: float  # at most: the upper bound of the bucket that the middle one is in
    p95_ms: float


class Served(NamedTuple):
    """What a server did since it started."""

    version: str
    up_s: int  # seconds since then
    operations: Mapping[str, Figures]


class Spaces(NamedTuple):
    """The names of spaces."""

    spaces: list[str]


class Made(NamedTuple):
    """A space, and whether it is new."""

    home: str
    space: str
    created: bool


class TokenGrant(NamedTuple):
    """What a token is good for."""

    name: str
    spaces: tuple[str, ...]  # those that it reaches; empty for all
    agent: str
    chat: Chat
    rights: Right
    made: str
    relays: bool
    expires: str

    @classmethod
    def of(cls, grant: Grant) -> TokenGrant:
        """A grant without the digest of its token."""
        return cls(*(getattr(grant, name) for name in cls._fields))


class NewToken(NamedTuple):
    """A token, which is told this once, and what it is good for."""

    token: str
    grant: TokenGrant


_TOKEN = (
    Argument("name", TEXT, "name of the token", required=True, most=MAX_NAME),
    Argument("spaces", TEXTS, "only these spaces; all if omitted"),
    Argument("agent", TEXT, "act as this agent"),
    Argument("chat", CHATS, "group: others see the answers, so private memories are hidden"),
    Argument("rights", RIGHTS, "what it may do (write); metrics opens /metrics alone"),
    Argument("relays", FLAG, "the agent hands on the user's own words"),
    Argument("expires", MOMENT, "when it stops working; never if omitted"),
)
_DRY_RUN = (Argument("dry_run", FLAG, "show what would be done, without doing it"),)


def _page(
    at: str,
    name: str,
    about: str,
    gives: Any,
    right: Need,
    takes: tuple[Argument, ...] = (),
    status: int = 200,
) -> Operation:
    method, _, path = at.partition(" ")
    group = next((one for one in ("spaces", "tokens") if one in path), "server")
    return Operation(name, method, path, group, about, gives, right, takes, status=status)


_SPACE, _MAKE = "/v1/spaces/{space}", "Create a space; does nothing if it exists"
_DELETE = "Delete a space permanently, with all its files"
_ADD = "Create a token; from the first on, the servers of the home require one"
_REVOKE = "Revoke a token; it stops working within a second"
_REACHED = "Say whether the store can be reached"
SERVER = (
    _page("GET /v1/spaces", "spaces", "List the spaces", Spaces, "any"),
    _page(f"PUT {_SPACE}", "make_space", _MAKE, Made, "home"),
    _page(f"DELETE {_SPACE}", "delete_space", _DELETE, receipts.Receipt, "home", _DRY_RUN),
    _page("GET /v1/tokens", "tokens", "List the tokens", list[TokenGrant], "home"),
    _page("POST /v1/tokens", "add_token", _ADD, NewToken, "home", _TOKEN, 201),
    _page("DELETE /v1/tokens/{name}", "revoke_token", _REVOKE, TokenGrant, "home"),
    _page("GET /v1/me", "me", "Say what the token is good for", Me, "any"),
    _page("GET /v1/server", "server", "Say what requests took", Served, "home"),
    _page("GET /livez", "livez", "Say that the process answers", Condition, ""),
    _page("GET /readyz", "readyz", _REACHED, Condition, ""),
    _page("GET /health", "health", "Say whether all is well", Health | Condition, ""),
    _page("GET /metrics", "metrics", "Numbers for Prometheus", str, "metrics"),
)
