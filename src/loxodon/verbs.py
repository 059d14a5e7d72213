"""What can be done with a memory: each verb is a method with a decorator.

    @verb("POST /recall", audit="reads")
    def recall(self, query: Annotated[str, Arg("any text")], top: Top = None) -> Recall:
        \"\"\"Search the memory: the best items first.\"\"\"

The decorator's wrapper checks who may call it and puts the call on record; the method does the
work. HTTP, OpenAPI, the client, the command line and MCP take names, arguments, help and results
from `VERBS`. An argument with an `Arg` is offered by every surface; one without is the library's.
"""

import builtins
import typing
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from errno import EDQUOT, ENOSPC, EROFS
from functools import cache, wraps
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, TypedDict, TypeVar, Union, Unpack

from loxodon.errors import unwritable
from loxodon.security.audit import current_verb, on_record, store_of
from loxodon.store.walls import owners_only
from loxodon.types import CATEGORIES, Audience, Chat, Kind

# What a token must allow: to look; also to add and change; also what concerns a whole space.
Access = Literal["read", "write", "owner"]
# How the audit log has a verb: with what it gave; always; only by what it wrote; or not at all.
Audit = Literal["reads", "writes", "works", ""]

TEXT, TEXTS, PATH, WHOLE, NUMBER, FLAG = "text", "texts", "path", "whole", "number", "flag"
SIZE, CURSOR = "size", "cursor"  # of a page
MOMENT, MOMENT_OR_NONE = "moment", "moment or none"
TURNS, HISTORY, CONVERSATION = "turns", "history", "conversation"
ArgumentKind = str | tuple[str, ...]  # one of these, or the names to choose from


class Argument(NamedTuple):
    """An argument as surfaces have it."""

    name: str
    kind: ArgumentKind
    about: str
    required: bool = False
    flag: str = ""  # how it is typed, where not like its name
    most: int = 0  # characters that a text may have, at least one; 0 for any text


def Arg(about: str, kind: ArgumentKind = "", flag: str = "", most: int = 0) -> Argument:  # noqa: N802
    """An argument as it is declared: its name, and most often its kind, are in the signature."""
    return Argument("", kind, about, flag=flag, most=most)


# Arguments that several verbs have

Query = Annotated[str, Arg("any text; there is no query syntax")]
Since = Annotated[datetime | None, Arg("only from this time on")]
Until = Annotated[datetime | None, Arg("only before this time")]
InSession = Annotated[str | None, Arg("only from this session")]
Limit = Annotated[int, Arg("maximum number of items on the page", SIZE)]
Cursor = Annotated[str, Arg("`next` of the previous page; omit it for the first", CURSOR)]
AtVersion = Annotated[int | None, Arg("fail if the memory is no longer at this version")]
Language = Annotated[str, Arg("language of the page (en)", ("en", "zh"))]
InChat = Annotated[Chat, Arg("who sees the answer; group leaves out private memories")]
Message = Annotated[str, Arg("the message that the agent will reply to")]
Previous = Arg("the state from the previous answer", CONVERSATION)
Top = Annotated[int | None, Arg("maximum number of items (10)")]
Budget = Annotated[int | None, Arg("maximum number of tokens (1000)", flag="--budget TOKENS")]
OfKind = Annotated[Kind | None, Arg("only this kind")]
Token = Annotated[str, Arg("a repeated call with it does nothing more; or header Idempotency-Key")]
DryRun = Annotated[bool, Arg("show what would be done, without doing it")]


class Where(TypedDict, total=False):
    """What narrows down a list or a recall of memories."""

    project: Annotated[str | None, Arg("only in this project")]
    topic: Annotated[str | None, Arg("only on this topic")]
    tag: Annotated[str | None, Arg("only with this tag")]
    entity: Annotated[str | None, Arg("only about this person, place or thing, by any name")]
    since: Since
    until: Until


class Labels(TypedDict, total=False):
    """What can be said of a memory that is captured, beside its text."""

    importance: Annotated[float, Arg("how much it matters (0.5)")]
    confidence: Annotated[float | None, Arg("how certain it is")]
    entities: Annotated[Sequence[str], Arg("people, places or projects it is about", most=200)]
    tags: Annotated[Sequence[str], Arg("tags", most=200)]
    project: Annotated[str, Arg("the project it belongs to", most=200)]
    topic: Annotated[str, Arg("the topic within the project", most=200)]
    category: Annotated[str, Arg("what sort of information it is", CATEGORIES, "--category NAME")]
    expires_at: Annotated[
        datetime | None, Arg("when it expires, or `never`", MOMENT_OR_NONE, "--expires WHEN")
    ]
    audience: Annotated[Audience, Arg("who may see it: private (you, your agents), group or all")]


class Changes(Labels, total=False):
    """What `Memory.edit` can change."""

    content: Annotated[str, Arg("the new text", most=10_000)]
    subject: Annotated[str, Arg("whom or what it is about")]
    attribute: Annotated[str, Arg("which property of the subject")]
    value: Annotated[str, Arg("the value of that property")]
    sensitivity: Annotated[str, Arg("how sensitive it is", ("low", "medium", "high"))]
    valid_from: Annotated[datetime | None, Arg("since when it has been true", MOMENT_OR_NONE)]
    valid_until: Annotated[datetime | None, Arg("until when it was true", MOMENT_OR_NONE)]
    due_at: Annotated[datetime | None, Arg("when a plan is due", MOMENT_OR_NONE)]
    done: Annotated[bool, Arg("whether a plan is done")]


REVEAL = Argument("reveal", FLAG, "show numbers that are normally masked")
EXPLAIN = Argument("explain", FLAG, "also return the trace: how the result was found")


class Route(NamedTuple):
    """A verb over HTTP, at a path within `/v1/spaces/{space}`."""

    at: str
    name: str = ""  # what the operation is called, where not like the verb
    about: str = ""
    access: Access | Literal[""] = ""
    status: int = 200
    makes_space: bool = False  # whether a space that is not there is made
    long: bool = False  # whether it can take long
    fixed: Mapping[str, Any] = {}  # arguments that it hands on whatever is asked

    @property
    def method(self) -> str:
        return self.at.partition(" ")[0]

    @property
    def path(self) -> str:
        return self.at.partition(" ")[2]


class Verb(NamedTuple):
    name: str  # the method of `Memory`, or of what it has (`workspace.sync`)
    call: Callable[..., Any]
    access: Access
    audit: Audit
    named: bool  # whether it is only for agents with a name, and the owner
    routes: tuple[Route, ...]
    masked: Literal["", "always", "unless revealed"]  # identity and card numbers in what it gives
    explained: bool  # whether it tells how it found what it gives, where that is asked for
    field: str  # the field of an answer that has its result; empty where that is the answer

    @property
    def about(self) -> str:
        return " ".join((self.call.__doc__ or "").split("\n\n")[0].split())

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """What every surface offers."""
        return _arguments(self.call)

    @property
    def takes(self) -> tuple[Argument, ...]:
        """What a request to a server can have."""
        known = {one.name for one in self.arguments}
        more = [EXPLAIN] if self.explained else []
        more += [REVEAL] if self.masked == "unless revealed" and "reveal" not in known else []
        return (*self.arguments, *more)

    @property
    def paged(self) -> bool:
        return any(one.kind == CURSOR for one in self.arguments)


def arguments_in(fields: type) -> list[Argument]:
    """The arguments that a TypedDict stands for."""
    hints = typing.get_type_hints(fields, include_extras=True)
    return [one for name, hint in hints.items() if (one := _argument(name, hint))]


@cache
def _arguments(call: Any) -> tuple[Argument, ...]:
    code, found = call.__code__, list[Argument]()
    required = code.co_varnames[: code.co_argcount - len(call.__defaults__ or ())]
    for name, hint in hints(call).items():
        if typing.get_origin(hint) is Unpack:
            found += arguments_in(typing.get_args(hint)[0])
        elif made := _argument(name, hint, name in required):
            found.append(made)
    return tuple(found)


def hints(call: Any, names: Mapping[str, Any] = {}) -> dict[str, Any]:
    """Types by name; what a module imports for type checkers only is `Any`, unless in `names`."""
    known = defaultdict(lambda: Any, {**vars(builtins), **call.__globals__, **names})
    return typing.get_type_hints(call, None, known, include_extras=True)


def _argument(name: str, hint: Any, required: bool = False) -> Argument | None:
    """An argument as surfaces have it; None for one that is the library's."""
    of, *notes = typing.get_args(hint) if typing.get_origin(hint) is Annotated else (hint,)
    arg = next((one for one in notes if isinstance(one, Argument)), None)
    return arg and arg._replace(name=name, kind=arg.kind or _kind(of), required=required)


_KINDS = {str: TEXT, bool: FLAG, int: WHOLE, float: NUMBER, datetime: MOMENT}


def _kind(hint: Any) -> ArgumentKind:
    """The kind of an argument by its type, which may also be None."""
    union = typing.get_origin(hint) in (Union, UnionType)
    types = [one for one in (typing.get_args(hint) if union else (hint,)) if one is not NoneType]
    origin = typing.get_origin(types[0])
    if origin is Literal:
        return tuple(name for one in types for name in typing.get_args(one))
    return TEXTS if origin in (Sequence, Iterable, Collection) else _KINDS[types[0]]


# Declaring verbs

# Every verb, once `loxodon.memory` is imported.
VERBS: dict[str, Verb] = {}
# The classes that have verbs, with how their names begin.
_PARTS = dict.fromkeys(("Memory", "Knowledge", "Recalling", "Overviews"), "")
_PARTS |= {"Workspace": "workspace.", "Documents": "documents."}
_PARTS |= {"Schedule": "schedule.", "AuditLog": "audit."}
Method = TypeVar("Method", bound=Callable[..., Any])


def verb(
    route: str | Route = "",
    *more: Route,
    access: Access = "read",
    audit: Audit = "",
    named: bool = False,
    masked: Literal["", "always", "unless revealed"] = "",
    explained: bool = False,
    field: str = "",
    **how: Any,
) -> Callable[[Method], Method]:
    """Declare a method as a verb; `how` has more of its first route."""

    def declare(method: Method) -> Method:
        owner, _, name = method.__qualname__.rpartition(".")
        first = Route(route, **how) if isinstance(route, str) else route
        routes = (first, *more) if first.at else ()
        name = _PARTS.get(owner, "") + name
        one = Verb(name, method, access, audit, named, routes, masked, explained, field)
        if owner in _PARTS:
            VERBS[name] = one
        return wrapped(method, one)

    return declare


def wrapped(method: Method, one: Verb) -> Method:
    """The method, for whoever may call it, and put on record unless it is part of another verb."""

    def permitted(self: Any, *args: Any, **named: Any) -> Any:
        wall = store_of(self).wall
        is_owner = wall.alone or not wall.stands  # consolidation looks at one agent's
        if not is_owner and (one.access == "owner" or (one.named and not wall.agent)):
            raise owners_only()
        try:
            return method(self, *args, **named)
        except OSError as error:
            if error.errno not in (ENOSPC, EDQUOT, EROFS):
                raise
            raise unwritable("", error) from error

    @wraps(method)
    def wrapper(self: Any, *args: Any, **named: Any) -> Any:
        audit = store_of(self).audit if one.audit else None
        if audit is None or current_verb(audit) is not None:
            return permitted(self, *args, **named)
        return on_record(audit, one.name, one.audit, permitted, self, *args, **named)

    return wrapper  # type: ignore[return-value]
