"""A memory that a server keeps, with the verbs of `Memory`.

    with Client("http://127.0.0.1:8710") as memory:
        memory.add([{"role": "user", "content": "我对花生过敏", "id": "m1"}], session="monday")
        print(memory.recall("花生").context)

It takes what `Memory` takes, returns the same values and raises the same errors. Of a recall or a
frame the trace comes only where it is asked for (`explain`), and numbers of people come as masks,
unless with `reveal`. Needs the extra `serve`.

A method is the signature of a verb and nothing else: `_asks` sends what it was given to the route
of that verb. Most are `Memory`'s own; the others take something more over HTTP, or less.
"""
# mypy: disable-error-code="empty-body"

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import update_wrapper
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any, Concatenate, Literal, ParamSpec, TypeVar
from urllib.parse import quote

from loxodon import errors
from loxodon.errors import ConfigError, InputError, LoxodonError, StoreError, install_hint
from loxodon.live.schedule import Schedule
from loxodon.memory import Memory
from loxodon.recall.gate import State as Conversation
from loxodon.serve.http.operations import names_in, type_of
from loxodon.serve.http.wire import plain, read, state_to
from loxodon.trust.audit.auditing import AuditLog
from loxodon.types import (
    Audience,
    Backup,
    Chat,
    Exported,
    Frame,
    Imported,
    Kind,
    Origin,
    Pause,
    Problems,
    Recall,
    Record,
    State,
    Turn,
    Version,
)
from loxodon.verbs.arguments import HISTORY, MOMENT_OR_NONE, TEXTS, TURNS, Argument
from loxodon.verbs.paging import MOST, ORDERS, Page
from loxodon.verbs.table import BY_NAME
from loxodon.workspace.workspace import Workspace

if TYPE_CHECKING:
    from loxodon.services.overviews.related import Related
    from loxodon.services.overviews.timeline import Moment
    from loxodon.services.overviews.today import Today
    from loxodon.store import Progress
    from loxodon.trust.audit.inspection import Inspected, Subject

TIMEOUT = 30.0
"""Seconds that an answer may take; what can take long has no limit."""
_LINES = "application/x-ndjson"
_ERRORS: dict[str, type[LoxodonError]] = {
    kind.code: kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, LoxodonError)
}
_Takes = ParamSpec("_Takes")
_Gives = TypeVar("_Gives")


def _asks(
    method: Callable[Concatenate[Any, _Takes], _Gives],
) -> Callable[Concatenate[Any, _Takes], _Gives]:
    """A method that asks the server for the verb that is called like it."""
    taken = signature(method)
    others = [one.name for one in taken.parameters.values() if one.kind is Parameter.VAR_KEYWORD]
    usual = {one.name: one.default for one in taken.parameters.values() if one.name == "limit"}

    def asked(self: Any, /, *args: _Takes.args, **named: _Takes.kwargs) -> _Gives:
        given = dict(taken.bind(self, *args, **named).arguments)
        del given["self"]
        for name, value in usual.items():  # a server has another
            given.setdefault(name, value)
        for name in others:
            given |= given.pop(name, {})
        found: _Gives = self.do(method.__name__, given)
        return found

    return update_wrapper(asked, method)


class Client:
    """One space of a server. Use it as a context manager, from any thread."""

    def __init__(
        self,
        url: str,
        token: str = "",
        space: str = "main",
        *,
        timeout: float = TIMEOUT,
        agent: str = "",
        chat: Chat = "direct",
        relays: bool = False,
    ) -> None:
        """`agent` and `chat` say as whom, and in whose hearing, all is asked, and `relays` that it
        hands on the user's own words: see `Memory.within`.

        A token may be bound to an agent, a chat and its spaces already (`loxodon token`).
        """
        httpx = _httpx()
        headers = {b"authorization": f"Bearer {token}".encode()} if token else {}
        if agent:
            headers[b"x-loxodon-agent"] = agent.encode()
        if chat != "direct":
            headers[b"x-loxodon-chat"] = chat.encode()
        if relays:
            headers[b"x-loxodon-relays"] = b"user"
        self.space = space
        self.url = url.rstrip("/")
        self._trouble: type[Exception] = httpx.TransportError
        try:
            # To read the certificates that a server is known by takes longer than most requests.
            verify = not self.url.startswith("http://")
            self._http = httpx.Client(
                headers=headers, timeout=timeout, trust_env=False, verify=verify
            )
        except (httpx.InvalidURL, ValueError) as error:
            raise InputError("{url} is not a valid URL: {reason}", url=url, reason=error) from None

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the connections. Closing twice is fine."""
        self._http.close()

    @property
    def workspace(self) -> ClientWorkspace:
        """The same memory as text, and the files beside it, on the server's machine."""
        return ClientWorkspace(self)

    @property
    def schedule(self) -> ClientSchedule:
        """What runs by itself."""
        return ClientSchedule(self)

    @property
    def audit(self) -> ClientAudit:
        """Who read and wrote what, and whether that record was tampered with."""
        return ClientAudit(self)

    # Messages

    add = _asks(Memory.add)
    sessions = _asks(Memory.sessions)
    segments = _asks(Memory.segments)
    events = _asks(Memory.events)

    @_asks
    def journal(
        self,
        query: str = "",
        *,
        session: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        limit: int = 0,
        cursor: str = "",
        reveal: bool = False,
    ) -> Page[Turn]:
        """Turns as they were said, oldest first; with a query those that match it, best first."""

    @_asks
    def turn(self, ref: str, *, reveal: bool = False) -> Turn:
        """The turn called `ref`; NotFoundError if there is none."""

    # Memories

    edit = _asks(Memory.edit)
    archive = _asks(Memory.archive)
    unarchive = _asks(Memory.unarchive)
    confirm = _asks(Memory.confirm)
    reject = _asks(Memory.reject)
    touch = _asks(Memory.touch)
    note = _asks(Memory.note)
    reviews = _asks(Memory.reviews)
    quarantine = _asks(Memory.quarantine)
    release = _asks(Memory.release)
    drop = _asks(Memory.drop)
    entities = _asks(Memory.entities)
    entity = _asks(Memory.entity)
    due_reminders = _asks(Memory.due_reminders)
    graph = _asks(Memory.graph)
    strength = _asks(Memory.strength)
    labels = _asks(Memory.labels)
    settings = _asks(Memory.settings)
    backups = _asks(Memory.backups)

    @_asks
    def capture(
        self,
        content: str,
        kind: Kind = "fact",
        *,
        importance: float = 0.5,
        confidence: float | None = None,
        entities: Sequence[str] = (),
        tags: Sequence[str] = (),
        project: str | None = None,
        topic: str | None = None,
        category: str = "fact",
        expires_at: datetime | None = None,
        audience: Audience = "private",
        origin: Origin | None = None,
        token: str = "",
    ) -> Record:
        """Keep a memory as it is given, on the server's disk when this returns."""

    @_asks
    def get(self, id: str, *, reveal: bool = False) -> Record:
        """The memory called `id`; NotFoundError if there is none."""

    @_asks
    def history(
        self, id: str, *, limit: int = 0, cursor: str = "", reveal: bool = False
    ) -> Page[Version]:
        """Every version of a memory, oldest first, the present one last."""

    @_asks
    def inspect(self, name: str, *, reveal: bool = False) -> Inspected:
        """Everything there is on a memory, a turn, a note or an entity."""

    @_asks
    def subject(self, name: str, *, reveal: bool = False) -> Subject:
        """All that is known about someone or something."""

    @_asks
    def list(
        self,
        *,
        kind: Kind | None = None,
        state: State | Literal["all"] | None = "active",
        project: str | None = None,
        topic: str | None = None,
        tag: str | None = None,
        entity: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        limit: int = 0,
        cursor: str = "",
        audience: Audience | None = None,
        reveal: bool = False,
    ) -> Page[Record]:
        """Memories, newest first; `state` None or `all` has the archived ones too."""

    @_asks
    def today(
        self, since: datetime | None = None, *, limit: int = 50, reveal: bool = False
    ) -> Today:
        """What was learned, changed and ended since a time, and what waits."""

    @_asks
    def timeline(
        self,
        *,
        session: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        limit: int = 0,
        cursor: str = "",
        reveal: bool = False,
    ) -> Page[Moment]:
        """Turns, newest first, each with the memories drawn from it."""

    @_asks
    def related(self, id: str, *, reveal: bool = False) -> Related:
        """Where a memory was said, and what it has to do with others."""

    def profile(self, language: str = "en", *, refresh: bool = False) -> str:
        """The core of what is known of the user, as Markdown."""
        return str(self.do("profile", {"language": language}, route=int(refresh)))

    # Recall

    gate = _asks(Memory.gate)
    snapshot = _asks(Memory.snapshot)

    @_asks
    def recall(
        self,
        query: str,
        top: int | None = None,
        budget: int | None = None,
        *,
        kind: Kind | Literal["turn", "note"] | None = None,
        project: str | None = None,
        topic: str | None = None,
        tag: str | None = None,
        entity: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        as_of: datetime | None = None,
        profile: str | None = None,
        chat: Chat = "direct",
        in_view: Iterable[str] = (),
        explain: bool = False,
        reveal: bool = False,
    ) -> Recall:
        """What the memory has on `query`, best first; its trace only with `explain`."""

    @_asks
    def assemble(
        self,
        message: str,
        *,
        soul: str | None = None,
        history: Iterable[str | Mapping[str, object]] = (),
        chat: Chat = "direct",
        state: Conversation | None = None,
        top: int | None = None,
        budget: int | None = None,
        explain: bool = False,
    ) -> Frame:
        """All that an agent should have before it when it replies to `message`, as one text."""

    # Work, control and care

    consolidate = _asks(Memory.consolidate)
    flush = _asks(Memory.flush)
    embed = _asks(Memory.embed)
    forget = _asks(Memory.forget)
    receipts = _asks(Memory.receipts)
    pause = _asks(Memory.pause)
    resume = _asks(Memory.resume)
    status = _asks(Memory.status)
    stats = _asks(Memory.stats)
    rebuild_index = _asks(Memory.rebuild_index)

    @_asks
    def backup(self, *, progress: Progress | None = None) -> Backup:
        """Write this space to one file, where the server keeps its backups."""

    def validate(self, progress: Progress | None = None) -> Problems:
        """Everything wrong with the data, its history or its indexes; empty when all is well."""
        found: Problems = self.do("validate", {"progress": progress}).problems
        return found

    def flush_due(self) -> str:
        """Why a flush is due; empty for not."""
        return str(self.do("consolidation_due", {}).flush)

    def consolidation_due(self) -> str:
        """Why a consolidation is due; empty for not."""
        return str(self.do("consolidation_due", {}).consolidation)

    @property
    def paused(self) -> Pause | None:
        """The pause that is on; None where what is said is kept."""
        return self.status().paused

    # Over the wire

    def do(self, name: str, given: dict[str, Any], *, route: int = 0) -> Any:
        """What the server answers to a verb. What its path has comes first in `given`; `progress`
        is told each step of what can take long."""
        verb = BY_NAME[name]
        at, progress = verb.routes[route], given.pop("progress", None)
        path = at.path
        for part in names_in(at.path):
            path = path.replace(f"{{{part}}}", _part(given.pop(next(iter(given)))), 1)
        said = _said(verb.takes, given)
        field, _, kind = verb.gives.rpartition(": ")
        try:
            if verb.paged:
                return self._pages(name, path, said, type_of(kind))
            data = (
                self._stream(path, said, progress) if at.long else self._ask(at.method, path, said)
            )
        except self._trouble as error:
            raise self._unreachable(error) from None
        if progress and "turns" in said:  # to add them is one step
            progress(len(said["turns"]), len(said["turns"]))
        return read(type_of(kind), data[field] if field else data)

    def _pages(self, name: str, path: str, said: dict[str, Any], kind: Any) -> Page[Any]:
        """As many pages as it takes to have what was asked for; without a limit, all."""
        wanted, found = said.pop("limit"), Page[Any]()
        while True:
            most = min(MOST, wanted - len(found)) if wanted else MOST
            data = self._ask("GET", path, {**said, "limit": most})
            items = read(kind, data["items"])
            at = 0 if ORDERS[name].backwards and not said.get("query") else len(found)
            found[at:at] = items
            found.next = said["cursor"] = data["next"]
            if not found.next or len(found) == wanted:
                return found

    def _ask(self, method: str, path: str, said: Mapping[str, Any]) -> Any:
        options = {"params": _query(said)} if method == "GET" else {"json": said}
        answer = self._http.request(method, self._address(path), **options)
        if answer.status_code >= 400:
            raise _error(answer.content, answer.status_code)
        return answer.json()

    def _stream(
        self, path: str, said: Mapping[str, Any], progress: Callable[..., None] | None
    ) -> Any:
        with self._http.stream(
            "POST", self._address(path), json=said, timeout=None, headers={"accept": _LINES}
        ) as answer:
            if answer.status_code >= 400:
                raise _error(answer.read(), answer.status_code)
            return _result(answer.iter_lines(), progress)

    def _address(self, path: str) -> str:
        return f"{self.url}/v1/spaces/{_part(self.space)}{path}"

    def _unreachable(self, error: Exception) -> StoreError:
        return StoreError(
            "cannot reach the server at {url}: {reason}",
            hint="start it with `loxodon serve`",
            url=self.url,
            reason=str(error) or type(error).__name__,
        )


class _Part:
    """What a memory has beside its own verbs."""

    _name = ""

    def __init__(self, client: Client) -> None:
        self._client = client

    def do(self, name: str, given: dict[str, Any]) -> Any:
        return self._client.do(f"{self._name}.{name}", given)


class ClientAudit(_Part):
    """See `loxodon.trust.audit.auditing.AuditLog`."""

    _name = "audit"
    entries = _asks(AuditLog.entries)
    verify = _asks(AuditLog.verify)


class ClientSchedule(_Part):
    """See `loxodon.live.schedule.Schedule`."""

    _name = "schedule"
    jobs = _asks(Schedule.jobs)
    run = _asks(Schedule.run)


class ClientWorkspace(_Part):
    """See `loxodon.workspace.workspace.Workspace`; paths are of the server's machine."""

    _name = "workspace"
    sync = _asks(Workspace.sync)
    index = _asks(Workspace.index)
    sources = _asks(Workspace.sources)

    @_asks
    def export(
        self, folder: str | None = None, *, masked: bool = False, progress: Progress | None = None
    ) -> Exported:
        """Write the memory as text."""

    @_asks
    def take_in(
        self,
        path: str,
        format: str | None = None,
        *,
        user: str = "",
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> Imported:
        """Take in what another program keeps."""


def _httpx() -> Any:
    try:
        import httpx
    except ImportError as error:
        raise ConfigError(
            "the client needs {module}, which cannot be imported: {reason}",
            hint=install_hint(),
            extra="serve",
            module="httpx",
            reason=error,
        ) from None
    return httpx


def _part(text: str) -> str:
    """A part of a path, whatever characters it has."""
    return quote(text, safe="") or "%20"


def _said(takes: Sequence[Argument], given: Mapping[str, Any]) -> dict[str, Any]:
    """What was given, as JSON has it. What is None is left out, unless that says something."""
    known = {one.name: one.kind for one in takes}
    said = {}
    for name, value in given.items():
        kind = known.get(name, "")
        if value is None and isinstance(kind, tuple) and "all" in kind:
            value = "all"
        if value is not None or kind == MOMENT_OR_NONE:
            said[name] = _wired(value, kind)
    return said


def _wired(value: object, kind: object) -> Any:
    if kind in (TEXTS, TURNS, HISTORY) and isinstance(value, Iterable):
        return [plain(dict(one) if isinstance(one, Mapping) else one) for one in value]
    if isinstance(value, Conversation):
        return state_to(value)
    if isinstance(value, datetime):  # to the microsecond: it may be the end of a range
        return value.isoformat()
    return plain(value)


def _query(given: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: str(value).lower() if isinstance(value, bool) else value
        for name, value in given.items()
    }


def _result(lines: Iterator[str], progress: Callable[..., None] | None) -> Any:
    """The result at the end of the lines; each step before it is told."""
    for line in lines:
        said = json.loads(line)
        if "error" in said:
            raise _raised(said["error"], 500)
        if "result" in said:
            return said["result"]
        if progress and "progress" in said:
            progress(*said["progress"].values())
    raise StoreError(
        "the connection was closed before the answer was complete",
        hint="try again; nothing was lost",
    )


def _error(body: bytes, status: int) -> LoxodonError:
    try:
        return _raised(json.loads(body)["error"], status)
    except (ValueError, KeyError, TypeError):  # what answers is no server of ours
        return StoreError("the server returned the status {status}", status=status)


def _raised(said: Mapping[str, Any], status: int) -> LoxodonError:
    """The error of the library that a server told of, in the server's words."""
    kind = _ERRORS.get(said["code"]) or (errors.UsageError if status < 500 else LoxodonError)
    words, help = "{message}", "{help}"
    values = {"message": said["message"], "help": said["hint"]}
    if issubclass(kind, InputError):
        problems = [
            (one["line"], InputError(words, hint=help, message=one["message"], help=one["hint"]))
            for one in said.get("problems", ())
        ]
        return kind(words, hint=help, problems=problems, **values)
    return kind(words, hint=help, **values)
