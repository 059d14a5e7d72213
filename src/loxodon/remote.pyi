"""Written by tools/stubs.py."""

import builtins
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from inspect import Signature
from os import PathLike
from typing import Any, Literal, Unpack

from loxodon.backup.create import Backup, BackupFile
from loxodon.consolidate.embedding import Embedded
from loxodon.consolidate.entities import Card
from loxodon.consolidate.pipeline import Consolidated
from loxodon.forget.receipts import Receipt
from loxodon.guard.quarantine import Held
from loxodon.imports.take import Imported
from loxodon.jobs.schedule import Job, Ran
from loxodon.notes.index import Indexed
from loxodon.paging import Page
from loxodon.recall.gate import State
from loxodon.recall.graph import Graph
from loxodon.recall.overviews import Labels, Moment, Related, Setting, Strength, Today
from loxodon.security.audit_log import AuditEntry, Verified
from loxodon.security.inspection import Inspected
from loxodon.status import Stats, Status
from loxodon.store import Note
from loxodon.types import (
    Added,
    Entity,
    Event,
    Frame,
    Gate,
    Pause,
    Problem,
    Recall,
    Record,
    Review,
    Segment,
    Session,
    Turn,
    Version,
)
from loxodon.verbs import Changes, Verb
from loxodon.views.folder import Exported
from loxodon.views.sync import Synced
from loxodon.views.workspace import SourceFile

def signature_of(verb: Verb) -> Signature: ...
def served(part: str) -> Iterator[tuple[str, Verb]]: ...

class RemoteMemory:
    def do(self, verb: Any, given: dict[str, Any]) -> Any: ...
    def capture(
        self,
        content: str,
        kind: Literal["fact", "belief", "summary"] = ...,
        *,
        importance: float = ...,
        confidence: float | None = ...,
        entities: Sequence[str] = ...,
        tags: Sequence[str] = ...,
        project: str = ...,
        topic: str = ...,
        category: str = ...,
        expires_at: datetime | None = ...,
        audience: Literal["private", "group", "all"] = ...,
        origin: Literal["user", "relayed", "assistant", "tool", "web", "file", "group", "import"]
        | None = ...,
        token: str = ...,
    ) -> Record: ...
    def get(self, id: str, *, reveal: bool = ...) -> Record: ...
    def note(self, id: str) -> Note: ...
    def entity(self, name: str) -> Card: ...
    def edit(
        self, id: str, *, version: int | None = ..., token: str = ..., **changes: Unpack[Changes]
    ) -> Record: ...
    def archive(self, id: str, *, version: int | None = ...) -> Record: ...
    def unarchive(self, id: str, *, version: int | None = ...) -> Record: ...
    def confirm(self, id: str, *, version: int | None = ...) -> Record: ...
    def reject(self, id: str, *, version: int | None = ...) -> Record: ...
    def today(
        self, since: datetime | None = ..., *, limit: int = ..., reveal: bool = ...
    ) -> Today: ...
    def timeline(
        self,
        *,
        session: str | None = ...,
        since: datetime | None = ...,
        until: datetime | None = ...,
        limit: int = ...,
        cursor: str = ...,
        reveal: bool = ...,
    ) -> Page[Moment]: ...
    def graph(self, *, limit: int = ...) -> Graph: ...
    def related(self, id: str, *, reveal: bool = ...) -> Related: ...
    def strength(self, id: str, *, days: int = ...) -> Strength: ...
    def labels(self, *, limit: int = ...) -> Labels: ...
    def settings(self) -> builtins.list[Setting]: ...
    def recall(
        self,
        query: str,
        top: int | None = ...,
        budget: int | None = ...,
        *,
        kind: Literal["fact", "belief", "summary"] | Literal["turn", "note"] | None = ...,
        project: str | None = ...,
        topic: str | None = ...,
        tag: str | None = ...,
        entity: str | None = ...,
        since: datetime | None = ...,
        until: datetime | None = ...,
        as_of: datetime | None = ...,
        profile: str | None = ...,
        chat: Literal["direct", "group", "room"] = ...,
        in_view: Iterable[str] = ...,
        here: str = ...,
        reveal: bool = ...,
        explain: bool = ...,
    ) -> Recall: ...
    def assemble(
        self,
        message: str,
        *,
        soul: str | None = ...,
        history: Iterable[str | Mapping[str, object]] = ...,
        chat: Literal["direct", "group", "room"] = ...,
        state: State | None = ...,
        top: int | None = ...,
        budget: int | None = ...,
        explain: bool = ...,
    ) -> Frame: ...
    def gate(
        self,
        message: str,
        *,
        chat: Literal["direct", "group", "room"] = ...,
        state: State | None = ...,
    ) -> Gate: ...
    def snapshot(self, language: str = ..., *, project: str = ...) -> str: ...
    def profile(self, language: str = ..., *, refresh: bool = ...) -> str: ...
    def add(
        self,
        turns: Iterable[Mapping[str, object]],
        session: str = ...,
        progress: Callable[..., None] | None = None,
        *,
        me: Collection[str] = ...,
    ) -> Added: ...
    def journal(
        self,
        query: str = ...,
        *,
        session: str | None = ...,
        since: datetime | None = ...,
        until: datetime | None = ...,
        limit: int = ...,
        cursor: str = ...,
        reveal: bool = ...,
    ) -> Page[Turn]: ...
    def sessions(
        self,
        *,
        since: datetime | None = ...,
        until: datetime | None = ...,
        limit: int = ...,
        cursor: str = ...,
    ) -> Page[Session]: ...
    def turn(self, ref: str, *, reveal: bool = ...) -> Turn: ...
    def segments(
        self, since: datetime | None = ..., *, limit: int = ..., cursor: str = ...
    ) -> Page[Segment]: ...
    def events(
        self, since: datetime | None = ..., *, limit: int = ..., cursor: str = ...
    ) -> Page[Event]: ...
    def list(
        self,
        *,
        kind: Literal["fact", "belief", "summary"] | None = ...,
        state: Literal["active", "archived"] | Literal["all"] | None = ...,
        project: str | None = ...,
        topic: str | None = ...,
        tag: str | None = ...,
        entity: str | None = ...,
        since: datetime | None = ...,
        until: datetime | None = ...,
        limit: int = ...,
        cursor: str = ...,
        audience: Literal["private", "group", "all"] | None = ...,
        reveal: bool = ...,
    ) -> Page[Record]: ...
    def history(
        self, id: str, *, limit: int = ..., cursor: str = ..., reveal: bool = ...
    ) -> Page[Version]: ...
    def quarantine(
        self, state: str | None = ..., limit: int = ..., cursor: str = ...
    ) -> Page[Held]: ...
    def release(self, id: str) -> Held: ...
    def drop(self, id: str) -> Held: ...
    def reviews(self, *, limit: int = ..., cursor: str = ...) -> Page[Review]: ...
    def entities(self, *, limit: int = ..., cursor: str = ...) -> Page[Entity]: ...
    def touch(self, ids: Iterable[str]) -> int: ...
    def inspect(self, name: str, *, reveal: bool = ...) -> Inspected: ...
    def due_reminders(self, limit: int = ..., cursor: str = ...) -> Page[Record]: ...
    def consolidate(
        self,
        *,
        force: bool = ...,
        if_due: bool = ...,
        phase: int | None = ...,
        progress: Callable[..., None] | None = None,
    ) -> Consolidated: ...
    def flush(self) -> Consolidated: ...
    def consolidation_due(self) -> str: ...
    def embed(self, progress: Callable[..., None] | None = None) -> Embedded: ...
    def forget(
        self,
        *ids: str,
        entity: str = ...,
        session: str = ...,
        since: datetime | None = ...,
        all: bool = ...,
        also: Sequence[str] = ...,
        only: bool = ...,
        doubtful: bool = ...,
        dry_run: bool = ...,
        progress: Callable[..., None] | None = None,
    ) -> Receipt: ...
    def receipts(self, *, limit: int = ..., cursor: str = ...) -> Page[Receipt]: ...
    def pause(self, until: datetime | None = ...) -> Pause: ...
    def resume(self) -> bool: ...
    def status(self) -> Status: ...
    def stats(self) -> Stats: ...
    def validate(self, progress: Callable[..., None] | None = None) -> builtins.list[Problem]: ...
    def backup(self, *, progress: Callable[..., None] | None = None) -> Backup: ...
    def backups(self) -> builtins.list[BackupFile]: ...
    def rebuild_index(self, progress: Callable[..., None] | None = None) -> int: ...

class RemoteWorkspace:
    def __init__(self, do: Callable[..., Any]) -> None: ...
    def do(self, verb: Any, given: dict[str, Any]) -> Any: ...
    def export(
        self,
        folder: str | PathLike[str] | None = ...,
        *,
        masked: bool = ...,
        progress: Callable[..., None] | None = None,
    ) -> Exported: ...
    def sync(self, *, deletions: bool = ..., dry_run: bool = ...) -> Synced: ...
    def index(self, progress: Callable[..., None] | None = None) -> Indexed: ...
    def sources(self, *, limit: int = ..., cursor: str = ...) -> Page[SourceFile]: ...
    def take_in(
        self,
        path: str,
        format: str | None = ...,
        *,
        user: str = ...,
        dry_run: bool = ...,
        progress: Callable[..., None] | None = None,
    ) -> Imported: ...

class RemoteSchedule:
    def __init__(self, do: Callable[..., Any]) -> None: ...
    def do(self, verb: Any, given: dict[str, Any]) -> Any: ...
    def jobs(self) -> builtins.list[Job]: ...
    def run(self, name: str) -> Ran: ...

class RemoteAudit:
    def __init__(self, do: Callable[..., Any]) -> None: ...
    def do(self, verb: Any, given: dict[str, Any]) -> Any: ...
    def entries(
        self,
        *,
        since: datetime | None = ...,
        until: datetime | None = ...,
        surface: str = ...,
        agent: str = ...,
        op: str = ...,
        id: str = ...,
        limit: int = ...,
        cursor: str = ...,
    ) -> Page[AuditEntry]: ...
    def verify(self) -> Verified: ...
