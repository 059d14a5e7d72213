"""A memory that a server keeps, with the verbs of `Memory`.

    with Client("http://127.0.0.1:8710") as memory:
        memory.add([{"role": "user", "content": "我对花生过敏", "id": "m1"}], session="monday")
        print(memory.recall("花生").context)

It takes what `Memory` takes, returns the same values and raises the same errors. Of a recall or a
frame the trace comes only where it is asked for (`explain`). Needs the extra `serve`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import quote

from loxodon import errors
from loxodon.errors import ConfigError, InputError, LoxodonError, StoreError, install_hint
from loxodon.recall.gate import State as Conversation
from loxodon.serve.http.wire import plain, read, state_to
from loxodon.standing import Stats, Status
from loxodon.store.shelf import Note
from loxodon.types import (
    Added,
    Audience,
    Backup,
    Card,
    Chat,
    Consolidated,
    Embedded,
    Entities,
    Entity,
    Event,
    Events,
    Exported,
    Frame,
    Gate,
    Held,
    HeldBack,
    Imported,
    Indexed,
    Job,
    Kind,
    Origin,
    Pause,
    Problem,
    Problems,
    Ran,
    Recall,
    Receipt,
    Receipts,
    Record,
    Records,
    Review,
    Reviews,
    Segment,
    Segments,
    SourceFile,
    State,
    Synced,
    Turn,
    Version,
    Versions,
)

if TYPE_CHECKING:
    from typing import Unpack

    from loxodon.fields import Changes
    from loxodon.store import Progress
    from loxodon.trust.audit.auditing import Entry
    from loxodon.trust.audit.inspection import Inspected, Subject
    from loxodon.trust.audit.verifying import Verified
    from loxodon.write.phases import OnPhase

TIMEOUT = 30.0
"""Seconds that an answer may take; what can take long has no limit."""
_LINES = "application/x-ndjson"
_ERRORS: dict[str, type[LoxodonError]] = {
    kind.code: kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, LoxodonError)
}


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
            self._http = httpx.Client(headers=headers, timeout=timeout, trust_env=False)
        except (httpx.InvalidURL, ValueError) as error:
            raise InputError("{url} is not a valid URL: {reason}", url=url, reason=error) from None

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
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

    # What is said

    def add(
        self,
        turns: Iterable[Mapping[str, object]],
        session: str = "",
        progress: Progress | None = None,
        *,
        me: Collection[str] = (),
    ) -> Added:
        """Journal turns, in order. When this returns they are on the server's disk."""
        said = [plain(dict(turn)) if isinstance(turn, Mapping) else turn for turn in turns]
        found: Added = self.ask(
            "POST", "/turns", Added, turns=said, session=session or None, me=list(me) or None
        )
        if progress:
            progress(len(said), len(said))
        return found

    def journal(
        self,
        query: str = "",
        *,
        session: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        limit: int = 0,
        reveal: bool = False,
    ) -> list[Turn]:
        """Turns as they were said, oldest first; with a query those that match it, best first.

        Here and below numbers of people come as masks, unless with `reveal`.
        """
        found: list[Turn] = self.ask(
            "GET",
            "/turns",
            list[Turn],
            query=query,
            session=session,
            since=since,
            until=until,
            limit=limit,
            reveal=reveal or None,
        )
        return found

    # What is known

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
        found: Record = self.ask(
            "POST",
            "/memories",
            Record,
            content=content,
            kind=kind,
            importance=importance,
            confidence=confidence,
            entities=list(entities),
            tags=list(tags),
            project=project,
            topic=topic,
            category=category,
            expires_at=expires_at,
            audience=audience,
            origin=origin,
            token=token or None,
        )
        return found

    def get(self, id: str, *, reveal: bool = False) -> Record:
        """The memory called `id`; NotFoundError if there is none."""
        found: Record = self.ask("GET", f"/memories/{_part(id)}", Record, reveal=reveal or None)
        return found

    def turn(self, ref: str, *, reveal: bool = False) -> Turn:
        """The turn called `ref`; NotFoundError if there is none."""
        found: Turn = self.ask("GET", f"/turns/{_part(ref)}", Turn, reveal=reveal or None)
        return found

    def note(self, id: str) -> Note:
        """The note of a file that a recall calls `id`; NotFoundError if it is gone."""
        found: Note = self.ask("GET", f"/notes/{_part(id)}", Note)
        return found

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
        audience: Audience | None = None,
        reveal: bool = False,
    ) -> Records:
        """Memories, newest first; `state` None or `all` has the archived ones too."""
        found: Records = self.ask(
            "GET",
            "/memories",
            Records,
            kind=kind,
            state=state or "all",
            project=project,
            topic=topic,
            tag=tag,
            entity=entity,
            since=since,
            until=until,
            limit=limit,
            audience=audience,
            reveal=reveal or None,
        )
        return found

    def edit(
        self, id: str, *, version: int | None = None, token: str = "", **changes: Unpack[Changes]
    ) -> Record:
        """Change fields of a memory; what it was stays in its history."""
        found: Record = self.ask(
            "PATCH",
            f"/memories/{_part(id)}",
            Record,
            keep_none=frozenset(changes),
            version=version,
            token=token or None,
            **changes,
        )
        return found

    def archive(self, id: str, *, version: int | None = None) -> Record:
        """Take a memory out of ordinary recall; it is kept and can come back."""
        return self._change(id, "archive", version=version)

    def unarchive(self, id: str, *, version: int | None = None) -> Record:
        """Bring an archived memory back."""
        return self._change(id, "unarchive", version=version)

    def confirm(self, id: str) -> Record:
        """The belief called `id` is so: it becomes a fact, and what it contradicts is over."""
        return self._change(id, "confirm")

    def reject(self, id: str) -> Record:
        """The belief called `id` is not so: it is archived."""
        return self._change(id, "reject")

    def _change(self, id: str, verb: str, version: int | None = None) -> Record:
        path = f"/memories/{_part(id)}/{verb}"
        found: Record = self.ask("POST", path, Record, version=version)
        return found

    def history(self, id: str, *, reveal: bool = False) -> Versions:
        """Every version of a memory, oldest first, the present one last."""
        found: Versions = self.ask(
            "GET", f"/memories/{_part(id)}/history", list[Version], reveal=reveal or None
        )
        return found

    def consolidate(
        self,
        *,
        force: bool = False,
        if_due: bool = False,
        phase: int | None = None,
        progress: OnPhase | None = None,
    ) -> Consolidated:
        """Make knowledge of what was said since the last time."""
        found: Consolidated = self.work(
            "/consolidate", Consolidated, progress, force=force, if_due=if_due, phase=phase
        )
        return found

    def flush(self) -> Consolidated:
        """Make what was just said known, without the nightly work."""
        found: Consolidated = self.work("/flush", Consolidated, None)
        return found

    def flush_due(self) -> str:
        """Why a flush is due; empty for not."""
        return str(self.ask("GET", "/due", dict[str, str])["flush"])

    def consolidation_due(self) -> str:
        """Why a consolidation is due; empty for not."""
        return str(self.ask("GET", "/due", dict[str, str])["consolidation"])

    def embed(self, progress: Progress | None = None) -> Embedded:
        """Give every turn and memory that has none a vector of the embedder that is set."""
        found: Embedded = self.work("/embed", Embedded, progress)
        return found

    def forget(
        self,
        *ids: str,
        entity: str = "",
        topic: str = "",
        session: str = "",
        since: datetime | None = None,
        all: bool = False,
        also: Sequence[str] = (),
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> Receipt:
        """Erase for good, everywhere; see `Memory.forget`."""
        found: Receipt = self.work(
            "/forget",
            Receipt,
            progress,
            ids=list(ids) or None,
            entity=entity or None,
            topic=topic or None,
            session=session or None,
            since=since,
            all=all or None,
            also=list(also) or None,
            dry_run=dry_run or None,
        )
        return found

    def receipts(self) -> Receipts:
        """What was forgotten when and by whom, without the words; the newest first."""
        found: Receipts = self.ask("GET", "/receipts", list[Receipt])
        return found

    @property
    def paused(self) -> Pause | None:
        """The pause that is on; None where what is said is kept."""
        return self.status().paused

    def pause(self, until: datetime | None = None) -> Pause:
        """Journal and learn nothing from now on, until then or until `resume`."""
        found: Pause = self.ask("POST", "/pause", Pause, until=until)
        return found

    def resume(self) -> bool:
        """End a pause; whether there was one."""
        return bool(self.ask("POST", "/resume", dict[str, bool])["resumed"])

    def inspect(self, name: str, *, reveal: bool = False) -> Inspected:
        """Everything there is on a memory, a turn, a note or an entity."""
        from loxodon.trust.audit.inspection import Inspected

        found: Inspected = self.ask(
            "GET", f"/inspect/{_part(name)}", Inspected, reveal=reveal or None
        )
        return found

    def subject(self, name: str, *, reveal: bool = False) -> Subject:
        """All that is known about someone or something."""
        from loxodon.trust.audit.inspection import Subject

        found: Subject = self.ask("GET", f"/subjects/{_part(name)}", Subject, reveal=reveal or None)
        return found

    def reviews(self) -> Reviews:
        """Beliefs that wait for an answer; oldest first."""
        found: Reviews = self.ask("GET", "/reviews", list[Review])
        return found

    def quarantine(self, state: str | None = "held", limit: int = 50) -> HeldBack:
        """Instructions that were found in others' words and are held back, newest first."""
        state = "all" if state is None else state
        found: HeldBack = self.ask("GET", "/quarantine", list[Held], state=state, limit=limit)
        return found

    def release(self, id: str) -> Held:
        """Let what is held as `id` (`q_12`) be told again: fenced, with its origin."""
        found: Held = self.ask("POST", f"/quarantine/{_part(id)}/release", Held)
        return found

    def drop(self, id: str) -> Held:
        """Never tell what is held as `id`; the message stays in the journal."""
        found: Held = self.ask("POST", f"/quarantine/{_part(id)}/drop", Held)
        return found

    def touch(self, ids: Iterable[str]) -> int:
        """Note that memories were used; how many of them there are."""
        return int(self.ask("POST", "/touch", dict[str, int], ids=[*ids])["touched"])

    def due_reminders(self, limit: int = 20) -> Records:
        """Plans whose time has come and that are not done, the first due first."""
        found: Records = self.ask("GET", "/reminders", Records, limit=limit)
        return found

    def entities(self) -> Entities:
        """Whom and what the memories are about, in the order they were first named."""
        found: Entities = self.ask("GET", "/entities", list[Entity])
        return found

    def entity(self, name: str) -> Card:
        """All that is known of someone or something, by any of its names."""
        found: Card = self.ask("GET", f"/entities/{_part(name)}", Card)
        return found

    def segments(self, since: datetime | None = None) -> Segments:
        """What was said, cut into stretches of one topic, in order of time."""
        found: Segments = self.ask("GET", "/segments", list[Segment], since=since)
        return found

    def events(self, since: datetime | None = None) -> Events:
        """What was talked about, a line for each session and day, in order of time."""
        found: Events = self.ask("GET", "/events", list[Event], since=since)
        return found

    def profile(self, language: str = "en", *, refresh: bool = False) -> str:
        """The core of what is known of the user, as Markdown."""
        method = "POST" if refresh else "GET"
        return str(self.ask(method, "/profile", dict[str, str], language=language)["profile"])

    # What is remembered

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
        found: Recall = self.ask(
            "POST",
            "/recall",
            Recall,
            query=query,
            top=top,
            budget=budget,
            kind=kind,
            project=project,
            topic=topic,
            tag=tag,
            entity=entity,
            since=since,
            until=until,
            as_of=as_of,
            profile=profile,
            chat=chat,
            in_view=[*in_view] or None,
            explain=explain or None,
            reveal=reveal or None,
        )
        return found

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
        found: Frame = self.ask(
            "POST",
            "/context",
            Frame,
            message=message,
            soul=soul,
            history=[one if isinstance(one, str) else dict(one) for one in history],
            chat=chat,
            state=state,
            top=top,
            budget=budget,
            explain=explain or None,
        )
        return found

    def gate(
        self, message: str, *, chat: Chat = "direct", state: Conversation | None = None
    ) -> Gate:
        """Whether `message` is worth a recall in this conversation, and why."""
        found: Gate = self.ask("POST", "/gate", Gate, message=message, chat=chat, state=state)
        return found

    def snapshot(self, language: str = "en") -> str:
        """What a conversation should start with, as Markdown within the configured budget."""
        return str(self.ask("GET", "/snapshot", dict[str, str], language=language)["snapshot"])

    # Care

    def status(self) -> Status:
        """Where this memory stands."""
        found: Status = self.ask("GET", "/status", Status)
        return found

    def stats(self) -> Stats:
        """What this memory holds, counted."""
        found: Stats = self.ask("GET", "/stats", Stats)
        return found

    def validate(self, progress: Progress | None = None) -> Problems:
        """Everything wrong with the data, its history or its indexes; empty when all is well."""
        data = self.work("/validate", dict[str, Any], progress)
        found: Problems = read(list[Problem], data["problems"])
        return found

    def backup(self, *, progress: Progress | None = None) -> Backup:
        """Write this space to one file, where the server keeps its backups."""
        found: Backup = self.work("/backup", Backup, progress)
        return found

    def rebuild_index(self, progress: Progress | None = None) -> int:
        """Make every index anew from the data; how many rows were indexed."""
        return int(self.work("/rebuild-index", dict[str, int], progress)["indexed"])

    # Over the wire

    def ask(
        self,
        method: str,
        path: str,
        gives: Any,
        /,
        *,
        keep_none: frozenset[str] = frozenset(),
        **fields: object,
    ) -> Any:
        """What the server answers to a request of this space; fields that are None are left out."""
        given = _said(fields, keep_none)
        options = {"params": _query(given)} if method == "GET" else {"json": given}
        try:
            answer = self._http.request(method, self._address(path), **options)
        except self._trouble as error:
            raise self._unreachable(error) from None
        if answer.status_code >= 400:
            raise _error(answer.content, answer.status_code)
        return read(gives, answer.json())

    def work(
        self, path: str, gives: Any, progress: Callable[..., None] | None, /, **fields: object
    ) -> Any:
        """The same for what can take long: `progress` is told each step."""
        given = _said(fields, frozenset())
        try:
            with self._http.stream(
                "POST", self._address(path), json=given, timeout=None, headers={"accept": _LINES}
            ) as answer:
                if answer.status_code >= 400:
                    raise _error(answer.read(), answer.status_code)
                return read(gives, _result(answer.iter_lines(), progress))
        except self._trouble as error:
            raise self._unreachable(error) from None

    def _address(self, path: str) -> str:
        return f"{self.url}/v1/spaces/{_part(self.space)}{path}"

    def _unreachable(self, error: Exception) -> StoreError:
        return StoreError(
            "cannot reach the server at {url}: {reason}",
            hint="start it with `loxodon serve`",
            url=self.url,
            reason=str(error) or type(error).__name__,
        )


class ClientAudit:
    """See `loxodon.trust.audit.auditing.AuditLog`."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def entries(
        self,
        *,
        since: datetime | None = None,
        until: datetime | None = None,
        surface: str = "",
        agent: str = "",
        op: str = "",
        id: str = "",
        limit: int = 100,
    ) -> list[Entry]:
        """The latest `limit` entries (0: all) that are meant, oldest first."""
        from loxodon.trust.audit.auditing import Entry

        found: list[Entry] = self._client.ask(
            "GET",
            "/audit",
            list[Entry],
            since=since,
            until=until,
            surface=surface or None,
            agent=agent or None,
            op=op or None,
            id=id or None,
            limit=limit,
        )
        return found

    def verify(self) -> Verified:
        """Whether the log, its head and the signatures are as they were written."""
        from loxodon.trust.audit.verifying import Verified

        found: Verified = self._client.ask("POST", "/audit/verify", Verified)
        return found


class ClientWorkspace:
    """See `loxodon.workspace.workspace.Workspace`; paths are of the server's machine."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def export(
        self, folder: str | None = None, *, masked: bool = False, progress: Progress | None = None
    ) -> Exported:
        """Write the memory as text."""
        found: Exported = self._client.work(
            "/workspace/export", Exported, progress, folder=folder, masked=masked
        )
        return found

    def sync(self, *, deletions: bool = False, dry_run: bool = False) -> Synced:
        """Take in what was changed in the views, and index the notes."""
        found: Synced = self._client.ask(
            "POST", "/workspace/sync", Synced, deletions=deletions, dry_run=dry_run
        )
        return found

    def index(self, progress: Progress | None = None) -> Indexed:
        """Read the notes that changed."""
        found: Indexed = self._client.work("/workspace/index", Indexed, progress)
        return found

    def sources(self) -> list[SourceFile]:
        """The files that were read, as they were then."""
        found: list[SourceFile] = self._client.ask("GET", "/workspace/sources", list[SourceFile])
        return found

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
        found: Imported = self._client.work(
            "/workspace/import",
            Imported,
            progress,
            path=path,
            format=format,
            user=user,
            dry_run=dry_run,
        )
        return found


class ClientSchedule:
    """See `loxodon.live.schedule.Schedule`."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def jobs(self) -> list[Job]:
        """Every job: when it is due, how it last went and what went wrong."""
        found: list[Job] = self._client.ask("GET", "/schedule", list[Job])
        return found

    def run(self, name: str) -> Ran:
        """Run a job now, due or not."""
        found: Ran = self._client.work(f"/schedule/{_part(name)}", Ran, None)
        return found


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


def _said(fields: Mapping[str, object], keep_none: frozenset[str]) -> dict[str, Any]:
    return {
        name: _wired(value)
        for name, value in fields.items()
        if value is not None or name in keep_none
    }


def _wired(value: object) -> Any:
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
