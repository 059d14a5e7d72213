"""The audit log of a space: every read and write, by whom, and nothing of what was said.

An entry is a row with a MAC over itself and the MAC of the entry before; the signed head says how
far the log goes (`audit_log.py` verifies both). The entry of a write is in its transaction. That of
a read waits in memory for the next write, the next `flush` or the close, since a read waits for
nobody; a kill loses it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from functools import cached_property
from threading import Lock, get_ident
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple

from loxodon.errors import LoxodonError
from loxodon.security.actor import actor
from loxodon.security.keys import Keys, mac
from loxodon.spaces import folder_name
from loxodon.store.driver import LOCK_SECONDS
from loxodon.store.store import Off, Store
from loxodon.types import Record, Turn

if TYPE_CHECKING:
    from loxodon.config import Config

HEAD = "audit"  # the value with the signed head
_MOST_IDS = 2_000  # that an entry names
_MOST_WAITING = 100  # reads in memory
_MOST_KEPT = 10_000  # reads while they cannot be written
_MOST_SECONDS = 5.0  # for which reads wait while others come
_FLUSH_SECONDS = 1.0
_PRUNED_EVERY = 1_000  # entries
_BATCH = 1_000
END = 1 << 62
_DEEPEST = 4
# Arguments that tell how something was asked, and nothing of what
_FACTS = ("chat", "reveal", "dry_run", "masked", "as_of", "limit")


class Head(NamedTuple):
    """The number and the MAC of the last entry."""

    n: int = 0
    mac: bytes = b""

    def signed(self, key: bytes) -> str:
        signature = mac(key, b"head:%d:" % self.n + self.mac)
        return f"{self.n}:{self.mac.hex()}:{signature.hex()}"

    @classmethod
    def of(cls, text: str, key: bytes) -> Head | None:
        """What `signed` wrote; None for anything else."""
        try:
            number, digits, _ = text.split(":")
            head = cls(int(number), bytes.fromhex(digits))
        except ValueError:
            return None
        return head if head.signed(key) == text else None


class AuditRow(NamedTuple):
    n: int
    entry: str  # JSON
    mac: bytes


def entries_of(store: Store) -> Iterator[AuditRow]:
    """Every entry, oldest first."""
    after = 0
    while rows := store.query("audit_after", after, _BATCH):
        yield from (AuditRow(*row) for row in rows)
        after = rows[-1][0]


def entries_before(store: Store, before: int = END) -> Iterator[AuditRow]:
    """The entries before one, newest first."""
    while rows := store.query("audit_before", before, _BATCH):
        yield from (AuditRow(*row) for row in rows)
        before = rows[-1][0]


def chained(key: bytes, before: bytes, n: int, entry: str) -> bytes:
    """The MAC of an entry after the one with the MAC `before`."""
    return mac(key, b"%s:%d:%s" % (before, n, entry.encode("utf-8", "surrogatepass")))


class Audit:
    """The log of one space for one open memory, safe to use from several threads."""

    def __init__(
        self, store: Store, keys: Keys, now: Callable[[], datetime], *, keep: int = 0
    ) -> None:
        """`keep` is how many entries are kept at least; 0 for all."""
        self.keep = keep
        self.trouble = ""  # why reads could not be put on record
        self._store = store
        self._keys = keys
        self._now = now
        self._waiting: list[dict[str, Any]] = []
        self._since = 0.0
        self._lock = Lock()
        self._unrecorded: set[int] = set()  # threads

    @cached_property
    def key(self) -> bytes:
        """The key of this log, or KeyProblemError."""
        return self._keys.key("audit", self._store.space)

    def head(self) -> Head | None:
        """How far the log goes; None if the head was changed or is missing."""
        return Head.of(self._store.value(HEAD), self.key)

    @property
    def waiting(self) -> int:
        """Reads that are not in the log yet."""
        return len(self._waiting)

    def read(self, op: str, ids: Sequence[str] = (), **facts: Any) -> None:
        """Put on record that something was read, or that a call failed."""
        with self._lock:
            if not self._waiting:
                self._since = monotonic()
            self._waiting.append(self._entry(op, ids, facts))
            many = len(self._waiting) >= _MOST_WAITING
        if many or monotonic() - self._since > _MOST_SECONDS:
            self.flush(0.0)

    def before_commit(self) -> None:
        """Put what the current transaction changed on record, inside it."""
        if get_ident() in self._unrecorded:
            return
        verb = current_verb(self)
        if verb is not None:
            verb.wrote = True
        self._put([*self._taken(), self._entry(verb.op if verb else "store", self._store.changed)])

    def flush(self, seconds: float = _FLUSH_SECONDS) -> None:
        """Put the reads that wait on record, unless others write for longer than `seconds`."""
        if not self._waiting or self._store.in_transaction:
            return
        try:
            with self.writing(seconds):
                pass
            self.trouble = ""
        except LoxodonError as error:  # a read is not refused for its record
            with self._lock:
                del self._waiting[:-_MOST_KEPT]
            self.trouble = str(error)

    @contextmanager
    def writing(self, seconds: float = LOCK_SECONDS) -> Iterator[None]:
        """A transaction that is no entry by itself; reads that wait are put on record with it."""
        self._unrecorded.add(get_ident())
        try:
            with self._store.writing(seconds):
                yield
                if waiting := self._taken():
                    self._put(waiting)
        finally:
            self._unrecorded.discard(get_ident())

    def adopt(self, entries: Iterable[Mapping[str, Any]]) -> None:
        """Begin the log with entries that another key vouched for. Call inside `writing`."""
        self._store.execute("prune_audit", END)
        self._put({**entry} for entry in entries)

    def adopt_foreign(self) -> None:
        """Chain the entries anew if another key vouched for them: the log of a restored backup."""
        if self._store.value(HEAD) and self.head() is None:
            with self.writing():
                self.adopt([json.loads(row.entry) for row in entries_of(self._store)])

    def _taken(self) -> list[dict[str, Any]]:
        with self._lock:
            taken, self._waiting = self._waiting, []
        return taken

    def _entry(
        self, op: str, ids: Sequence[str] = (), facts: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        who, at, named = actor(), self._now().astimezone(UTC), ranges(ids)
        entry: dict[str, Any] = {
            "at": f"{at:%Y-%m-%dT%H:%M:%S}.{at.microsecond // 1000:03d}Z",
            "surface": who.surface,
            "agent": self._store.wall.agent or who.agent,
            "caller": who.caller,
            "op": op,
            **(facts or {}),
            "ids": named[:_MOST_IDS] or None,
            "more": True if len(named) > _MOST_IDS else None,
        }
        return {name: value for name, value in entry.items() if value not in ("", None)}

    def _put(self, entries: Iterable[dict[str, Any]]) -> None:
        key, rows = self.key, list[AuditRow]()
        last = Head()
        for n, _, digest in self._store.query("last_audit"):
            last = Head(n, digest)
        # After a cut the head is ahead of the rows, and a gap shows. So it does for a head that is
        # missing or not ours, which the new one must not hide.
        head = self.head() or Head(last.n + bool(last.n), last.mac)
        n, tip = max(last, head)
        for entry in entries:
            n += 1
            text = json.dumps(entry, ensure_ascii=False, separators=(",", ":"))
            tip = chained(key, tip, n, text)
            rows.append(AuditRow(n, text, tip))
        self._store.execute_many("put_audit", rows)
        self._store.set_value(HEAD, Head(n, tip).signed(key))
        if self.keep and n // _PRUNED_EVERY != (n - len(rows)) // _PRUNED_EVERY:
            self._store.execute("prune_audit", n - self.keep)


# Verbs


def put_on_record(
    store: Store | Off, home: str, folder: str, config: Config, now: Callable[[], datetime]
) -> None:
    """Have all that is done put on record; not what is done to a draft, which is a database that is
    about to be put in the place of another."""
    if isinstance(store, Off) or not config.audit.enabled:
        return
    if os.path.basename(folder) == folder_name(store.space):
        keys = Keys(home, config.keys.source)
        store.audit = Audit(store, keys, now, keep=config.audit.entries)


class RunningVerb:
    """A verb that is being done."""

    def __init__(self, audit: Audit, op: str) -> None:
        self.audit = audit
        self.op = op
        self.wrote = False


_running: ContextVar[RunningVerb | None] = ContextVar("loxodon_verb", default=None)


def current_verb(audit: Audit) -> RunningVerb | None:
    """The verb that is being done with the memory of `audit`; verbs within it are part of it."""
    found = _running.get()
    return found if found is not None and found.audit is audit else None


@contextmanager
def recorded_as(owner: Any, op: str) -> Iterator[None]:
    """Have the record tell of what is written meanwhile as of one verb."""
    audit = store_of(owner).audit
    if audit is None or current_verb(audit) is not None:
        yield
        return
    token = _running.set(RunningVerb(audit, op))
    try:
        yield
    finally:
        _running.reset(token)


def on_record(
    audit: Audit, op: str, how: str, do: Callable[..., Any], *args: Any, **named: Any
) -> Any:
    """Do something and put it on record, `how` as its verb says; also that it failed."""
    verb = RunningVerb(audit, op)
    facts = {
        name: value if isinstance(value, str | int) else str(value)
        for name in _FACTS
        if (value := named.get(name)) not in (None, False, "", 0)
    }
    asked = [id for id in args[1:2] if isinstance(id, str) and is_id(id)]
    token = _running.set(verb)
    try:
        found = do(*args, **named)
    except BaseException as error:
        outcome = error.code if isinstance(error, LoxodonError) else type(error).__name__
        audit.read(op, asked, outcome=outcome, **facts)
        raise
    finally:
        _running.reset(token)
    if how == "reads" or (how == "writes" and not verb.wrote):
        items = getattr(found, "items", found)
        listed = isinstance(items, list | tuple) and not hasattr(items, "_fields")
        count = len(items) if listed else None
        audit.read(op, [*ids_in(found)] or asked, count=count, **facts)
    return found


def store_of(owner: Any) -> Store:
    """The store of the memory that something belongs to."""
    own = vars(owner)
    found: Store = own.get("_store") or own["store"]
    return found


# Ids


def is_id(text: str) -> bool:
    """Whether a text has the form of an id of ours, and so can hold nothing else."""
    kind, *parts = text.split("_", 3)
    if not text.isascii() or not 1 <= len(parts) <= 2 or len(max(parts, key=len)) > 17:
        return False
    if kind == "pending":
        return all(map(str.isalnum, parts))
    return kind in frozenset("fbstneqr") and all(map(str.isdecimal, parts))


def ids_in(found: Any, depth: int = 0) -> Iterator[str]:
    """The ids of memories, turns and notes in what a verb gave."""
    if not isinstance(found, list | tuple) or depth > _DEEPEST:
        return
    fields = getattr(found, "_fields", ())
    for one in (getattr(found, name) for name in ("id", "ref") if name in fields):
        if isinstance(one, str) and is_id(one):
            yield one
    if isinstance(found, Record | Turn):  # what they came from is not what was given
        return
    for one in found:
        if not isinstance(one, str):
            yield from ids_in(one, depth + 1)
        elif not fields and is_id(one):
            yield one


def ranges(ids: Iterable[str]) -> list[str]:
    """Ids, those in a row as one: `t_5..9`, `f_20261115_001..014`."""
    found: list[str] = []
    before = ("", -1)
    for id in sorted(set(ids), key=lambda one: (len(one), one)):
        stem, _, number = id.rpartition("_")
        this = (stem, int(number) if number.isdecimal() else -1)
        if found and this[1] >= 0 and this == (before[0], before[1] + 1):
            found[-1] = f"{found[-1].partition('..')[0]}..{number}"
        else:
            found.append(id)
        before = this
    return found


def names(ids: Iterable[str], id: str) -> bool:
    """Whether `id` is among ids as `ranges` wrote them."""
    stem, _, number = id.rpartition("_")
    for one in ids:
        first, dots, last = one.partition("..")
        start, _, low = first.rpartition("_")
        in_row = dots and start == stem and number.isdecimal()
        if one == id or (in_row and int(low) <= int(number) <= int(last)):
            return True
    return False
