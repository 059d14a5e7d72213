"""The audit log of a space: every read and write, by whom, and nothing of what was said.

An entry is a row with a MAC over itself and the MAC of the entry before; the signed head says how
far the log goes (`audit_log.py` verifies both). The entry of a write is in its transaction. That of
a read waits in memory for the next write, the next `flush` or the close, since a read waits for
nobody; a kill loses it.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from datetime import UTC, datetime
from functools import cached_property
from threading import Lock
from time import monotonic
from typing import Any

from loxodon.config import Config
from loxodon.errors import LoxodonError
from loxodon.security.actor import actor
from loxodon.security.keys import Keys, mac
from loxodon.spaces import folder_name
from loxodon.store.driver import LOCK_SECONDS
from loxodon.store.store import Off, Store
from loxodon.types import Record, Turn

AuditRow = tuple[int, str, bytes]  # its number, the entry as JSON, its MAC
HEAD = "audit"  # the value with the signed head
END = 1 << 62
_MOST_IDS = 2_000  # that an entry names
_MOST_WAITING, _MOST_KEPT = 100, 10_000  # reads in memory, and while they cannot be written
_MOST_SECONDS = 5.0  # for which reads wait while others come
_PRUNED_EVERY = 1_000  # entries
_ID = re.compile(r"[fbstneqr]_\d{1,17}(?:_\d{1,17})?|pending_[^\W_]{1,17}(?:_[^\W_]{1,17})?", re.A)
_FACTS = ("reveal", "dry_run")  # arguments that are put on record


def chained(key: bytes, before: bytes, n: int, entry: str) -> bytes:
    """The MAC of an entry after the one with the MAC `before`."""
    return mac(key, b"%s:%d:%s" % (before, n, entry.encode("utf-8", "surrogatepass")))


def signed_head(key: bytes, n: int, tip: bytes) -> str:
    return f"{n}:{tip.hex()}:{mac(key, b'head:%d:' % n + tip).hex()}"


def read_head(text: str, key: bytes) -> tuple[int, bytes] | None:
    """What was signed; None where that was changed or is missing."""
    try:
        number, digits, _ = text.split(":")
        n, tip = int(number), bytes.fromhex(digits)
    except ValueError:
        return None
    return (n, tip) if signed_head(key, n, tip) == text else None


def entries_of(store: Store) -> Iterator[AuditRow]:
    """Every entry, oldest first."""
    after = -(1 << 62)  # the first is 1: one before it was put there by somebody else
    while rows := store.query("audit_after", after, 1_000):
        yield from rows
        after = rows[-1][0]


class Audit:
    """The log of one space for one open memory, safe to use from several threads."""

    def __init__(
        self, store: Store, keys: Keys, now: Callable[[], datetime], *, keep: int = 0
    ) -> None:
        """`keep` is how many entries are kept at least; 0 for all."""
        self.keep = keep
        self.waiting: list[dict[str, Any]] = []  # reads that are not in the log yet
        self._store, self._keys, self._now = store, keys, now
        self._since, self._lock = 0.0, Lock()

    @cached_property
    def key(self) -> bytes:
        """The key of this log, or KeyProblemError."""
        return self._keys.key("audit", self._store.space)

    def read(self, op: str, ids: Iterable[str] = (), **facts: Any) -> None:
        """Put on record that something was read, or that a call failed."""
        with self._lock:
            if not self.waiting:
                self._since = monotonic()
            self.waiting.append(self._entry(op, ids, **facts))
            is_due = len(self.waiting) >= _MOST_WAITING
        if is_due or monotonic() - self._since > _MOST_SECONDS:
            self.flush(0.0)

    def before_commit(self) -> None:
        """Put what the current transaction changed on record, inside it."""
        verb = current_verb(self) or RunningVerb(self, "store")
        if not verb.op:
            return
        entries = self._taken()
        if not verb.wrote or self._store.changed:  # not each step of a long one
            entries.append(self._entry(verb.op, self._store.changed))
        verb.wrote = True
        self._put(entries)

    def flush(self, seconds: float = 1.0) -> None:
        """Put the reads that wait on record, unless others write for longer than `seconds`."""
        if not self.waiting or self._store.in_transaction:
            return
        try:
            with self.writing(seconds):
                pass
        except LoxodonError:  # a read is not refused for its record
            with self._lock:
                del self.waiting[:-_MOST_KEPT]

    @contextmanager
    def writing(self, seconds: float = LOCK_SECONDS) -> Iterator[None]:
        """A transaction that is no entry by itself; reads that wait are put on record with it."""
        with RunningVerb(self, ""), self._store.writing(seconds):
            yield
            if self.waiting:
                self._put(self._taken())

    def adopt(self, entries: Iterable[Mapping[str, Any]]) -> None:
        """Begin the log with entries that another key vouched for. Call inside `writing`."""
        self._store.execute("prune_audit", END)
        self._store.set_value(HEAD, "")
        self._put(entries)

    def adopt_foreign(self) -> None:
        """Chain the entries anew if another key vouched for them: the log of a restored backup."""
        if (head := self._store.value(HEAD)) and read_head(head, self.key) is None:
            with self.writing():
                self.adopt([json.loads(entry) for _, entry, _ in entries_of(self._store)])

    def _taken(self) -> list[dict[str, Any]]:
        with self._lock:
            taken, self.waiting = self.waiting, []
        return taken

    def _entry(self, op: str, ids: Iterable[str] = (), **facts: Any) -> dict[str, Any]:
        who, at = actor(), self._now().astimezone(UTC)
        named = sorted(set(ids), key=lambda one: (len(one), one))
        entry: dict[str, Any] = {
            "at": f"{at:%Y-%m-%dT%H:%M:%S}.{at.microsecond // 1000:03d}Z",
            "surface": who.surface,
            "agent": self._store.wall.agent or who.agent,
            "caller": who.caller,
            "op": op,
            **facts,
            "ids": named[:_MOST_IDS],
            "more": len(named) > _MOST_IDS,
        }
        return {name: value for name, value in entry.items() if value}

    def _put(self, entries: Iterable[Mapping[str, Any]]) -> None:
        key, rows = self.key, list[AuditRow]()
        last = next(((n, mac) for n, _, mac in self._store.query("last_audit")), (0, b""))
        # After a cut the head is ahead of the rows, and a gap shows. So it does for a head that is
        # missing or not ours, which the new one must not hide.
        head = read_head(self._store.value(HEAD), key) or (last[0] + bool(last[0]), last[1])
        n, tip = max(last, head)
        for entry in entries:
            text = json.dumps(entry, ensure_ascii=False, separators=(",", ":"))
            n, tip = n + 1, chained(key, tip, n + 1, text)
            rows.append((n, text, tip))
        self._store.execute_many("put_audit", rows)
        self._store.set_value(HEAD, signed_head(key, n, tip))
        if self.keep and n // _PRUNED_EVERY != (n - len(rows)) // _PRUNED_EVERY:
            self._store.execute("prune_audit", n - self.keep)


# Verbs


def put_on_record(
    store: Store | Off, home: str, folder: str, config: Config, now: Callable[[], datetime]
) -> None:
    if isinstance(store, Off) or not config.audit.enabled:
        return
    if os.path.basename(folder) == folder_name(store.space):
        store.audit = Audit(store, Keys(home, config.keys.source), now, keep=config.audit.entries)


class RunningVerb:
    """A verb that is being done; verbs within it are part of it. One without a name is not put on
    record."""

    def __init__(self, audit: Audit, op: str) -> None:
        self.audit, self.op, self.wrote = audit, op, False

    def __enter__(self) -> RunningVerb:
        self._token = _running.set(self)
        return self

    def __exit__(self, *error: object) -> None:
        _running.reset(self._token)


_running: ContextVar[RunningVerb | None] = ContextVar("loxodon_verb", default=None)


def current_verb(audit: Audit) -> RunningVerb | None:
    """The verb that is being done with the memory of `audit`."""
    found = _running.get()
    return found if found is not None and found.audit is audit else None


def recorded_as(owner: Any, op: str) -> AbstractContextManager[object]:
    """Have the record tell of what is written meanwhile as of one verb."""
    audit = store_of(owner).audit
    return nullcontext() if audit is None or current_verb(audit) else RunningVerb(audit, op)


def on_record(
    audit: Audit, op: str, how: str, do: Callable[..., Any], *args: Any, **named: Any
) -> Any:
    """Do something and put it on record, `how` as its verb says; also that it failed."""
    facts = {name: True for name in _FACTS if named.get(name)}
    named_ids = [id for id in args[1:2] if isinstance(id, str) and _ID.fullmatch(id)]
    try:
        with RunningVerb(audit, op) as verb:
            found = do(*args, **named)
    except BaseException as error:
        outcome = error.code if isinstance(error, LoxodonError) else type(error).__name__
        audit.read(op, named_ids, outcome=outcome, **facts)
        raise
    if how == "reads" or (how == "writes" and not verb.wrote):
        audit.read(op, _ids_in([found]) or named_ids, **facts)
    return found


def _ids_in(found: Any) -> list[str]:
    """The ids of memories, turns and notes in what a verb gave."""
    fields = getattr(found, "_fields", None)
    texts = found if fields is None else [getattr(found, name, "") for name in ("id", "ref")]
    ids = [one for one in texts if isinstance(one, str) and _ID.fullmatch(one)]
    if not isinstance(found, (Record, Turn)):  # what they came from is not what was given
        for one in found:
            ids += _ids_in(one) if isinstance(one, (list, tuple)) else []
    return ids


def store_of(owner: Any) -> Store:
    found: Store = vars(owner).get("_store") or owner.store
    return found
