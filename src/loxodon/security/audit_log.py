"""The audit log of a space: every read and write, by whom, and nothing of what was said.

Entries are rows of the database of the space. The entry of a write is in its transaction: it is
there exactly if the write is. A read must not wait for the disk or for another writer, so its entry
waits in memory for the next write, the next `flush` or the close; a kill loses it.

Each entry has a MAC over itself and the MAC of the entry before it, so what was changed, inserted
or removed without the key is found (`verifying.py`). The head says how far the log goes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from threading import Lock, get_ident
from time import monotonic
from typing import Any, NamedTuple

from loxodon.errors import LoxodonError
from loxodon.security.actor import actor
from loxodon.security.audit_witness import doing
from loxodon.security.keys import Keys, mac
from loxodon.store.audit_rows import AuditRow, AuditRows
from loxodon.store.driver import LOCK_SECONDS

START = b""
"""What the first entry is chained to."""
HEAD_BAD = "audit.head_bad"
"""The operation of the entry that says that the head was missing or not ours."""
_MOST_RUNS = 2_000
"""Ids, or ids in a row, that an entry names; one with `more` may be about any other too."""
_MOST_WAITING = 100
_MOST_KEPT = 10_000  # while they cannot be written
_MOST_SECONDS = 5.0
"""How many reads wait in memory, and for how long while others come."""
FLUSH_SECONDS = 1.0
"""How long what only counts or tells of reads waits for other writers."""
_PRUNED_EVERY = 1_000


class Head(NamedTuple):
    """The number and the MAC of the last entry."""

    n: int = 0
    mac: bytes = START

    def signed(self, key: bytes) -> str:
        return f"{self.n}:{self.mac.hex()}:{self._signature(key)}"

    @classmethod
    def of(cls, text: str, key: bytes) -> Head | None:
        """What `signed` wrote; None for anything else."""
        number, _, rest = text.partition(":")
        digits, _, signature = rest.partition(":")
        try:
            head = cls(int(number), bytes.fromhex(digits))
        except ValueError:
            return None
        return head if head._signature(key) == signature else None

    def _signature(self, key: bytes) -> str:
        return mac(key, b"head:%d:" % self.n + self.mac).hex()


class Audit:
    """The log of one space for one open memory, safe to use from several threads."""

    def __init__(
        self, rows: AuditRows, space: str, keys: Keys, now: Callable[[], datetime], *, keep: int = 0
    ) -> None:
        self.rows = rows
        self.agent = ""
        """The agent that the memory is bound to."""
        self.trouble = ""
        """Why reads could not be put on record; empty if they were."""
        self.keep = keep
        """Entries that are kept at least; 0 for all."""
        self._space = space
        self._keys = keys
        self._now = now
        self._key = b""
        self._waiting: list[dict[str, Any]] = []
        self._since = 0.0
        self._turn = Lock()
        self._unrecorded: set[int] = set()  # threads

    def key(self) -> bytes:
        """The key of this log, or KeyProblemError."""
        if not self._key:
            self._key = self._keys.key("audit", self._space)
        return self._key

    def read(self, op: str, ids: Sequence[str] = (), **facts: Any) -> None:
        """Put on record that something was read, or that a call failed."""
        with self._turn:
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
        verb = doing(self)
        if verb is not None:
            verb.wrote = True
        self._put([*self._taken(), self._entry(verb.op if verb else "store", self.rows.changed)])

    def flush(self, seconds: float = FLUSH_SECONDS) -> None:
        """Put the reads that wait on record, unless others write for longer than `seconds`."""
        if not self._waiting or self.rows.in_transaction:
            return
        try:
            with self.writing(seconds):
                pass
            self.trouble = ""
        except LoxodonError as error:  # a read is not refused for its record
            with self._turn:
                del self._waiting[:-_MOST_KEPT]
            self.trouble = str(error)

    @contextmanager
    def writing(self, seconds: float = LOCK_SECONDS) -> Iterator[None]:
        """A transaction that is no entry by itself; reads that wait are put on record with it."""
        self._unrecorded.add(get_ident())
        try:
            with self.rows.writing(seconds):
                yield
                if waiting := self._taken():
                    self._put(waiting)
        finally:
            self._unrecorded.discard(get_ident())

    def adopt(self, entries: Iterable[Mapping[str, Any]]) -> None:
        """Begin the log with entries that another key vouched for. Call inside `writing`."""
        self.rows.clear()
        self._put({**entry} for entry in entries)

    def adopt_foreign(self) -> None:
        """Chain the entries anew if another key vouched for them: the log of a restored backup."""
        if self.rows.head and self.head() is None:
            with self.writing():
                self.adopt([json.loads(row.entry) for row in self.rows.each()])

    def head(self) -> Head | None:
        """How far the log goes; None if the head was changed or is missing."""
        text = self.rows.head
        return Head.of(text, self.key()) if text else None

    @property
    def waiting(self) -> int:
        """Reads that are not in the log yet."""
        return len(self._waiting)

    def _taken(self) -> list[dict[str, Any]]:
        with self._turn:
            taken, self._waiting = self._waiting, []
        return taken

    def _entry(
        self, op: str, ids: Sequence[str] = (), facts: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        who, at = actor(), self._now().astimezone(UTC)
        entry: dict[str, Any] = {
            "at": f"{at:%Y-%m-%dT%H:%M:%S}.{at.microsecond // 1000:03d}Z",
            "surface": who.surface,
            "agent": self.agent or who.agent,
            "caller": who.caller,
            "op": op,
            **(facts or {}),
        }
        if ids:
            named = runs(ids)
            entry["ids"] = named[:_MOST_RUNS]
            entry["more"] = True if len(named) > _MOST_RUNS else None
        return {name: value for name, value in entry.items() if value not in ("", None)}

    def _put(self, entries: Iterable[dict[str, Any]]) -> None:
        key, rows = self.key(), []
        last, known = self.rows.last(), self.head()
        if last is not None and known is None:  # the new head must not hide it
            entries = [self._entry(HEAD_BAD), *entries]
        # After a cut the head is ahead of the rows, and the gap shows.
        n, tip = max((last.n, last.mac) if last else (0, START), known or Head())
        for entry in entries:
            n += 1
            text = json.dumps(entry, ensure_ascii=False, separators=(",", ":"))
            tip = chained(key, tip, n, text)
            rows.append(AuditRow(n, text, tip))
        self.rows.append(rows)
        self.rows.head = Head(n, tip).signed(key)
        if self.keep and n // _PRUNED_EVERY != (n - len(rows)) // _PRUNED_EVERY:
            self.rows.prune(n - self.keep)


def chained(key: bytes, before: bytes, n: int, entry: str) -> bytes:
    """The MAC of an entry after the one with the MAC `before`."""
    return mac(key, b"%s:%d:%s" % (before, n, entry.encode("utf-8", "surrogatepass")))


def runs(ids: Iterable[str]) -> list[str]:
    """Ids, those in a row as one: `t_5..9`, `f_20261115_001..014`."""
    numbered: dict[tuple[str, int], set[int]] = {}
    others: set[str] = set()
    for id in ids:
        stem, _, number = id.rpartition("_")
        if stem and number.isascii() and number.isdecimal() and len(number) < 18:
            width = len(number) if number.startswith("0") else 0
            numbered.setdefault((stem, width), set()).add(int(number))
        else:
            others.add(id)
    found = sorted(others)
    for (stem, width), values in sorted(numbered.items()):
        ordered = sorted(values)
        start = before = ordered[0]
        for value in [*ordered[1:], -1]:
            if value != before + 1:
                last = "" if start == before else f"..{before:0{width}d}"
                found.append(f"{stem}_{start:0{width}d}{last}")
                start = value
            before = value
    return found


def names(ids: Iterable[str], id: str) -> bool:
    """Whether `id` is among ids as `runs` wrote them."""
    stem, _, number = id.rpartition("_")
    for one in ids:
        if one == id:
            return True
        first, dots, last = one.partition("..")
        if not dots or first.rpartition("_")[0] != stem or not number.isdecimal():
            continue
        if int(first.rpartition("_")[2]) <= int(number) <= int(last):
            return True
    return False
