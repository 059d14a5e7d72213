"""The audit log as its owner sees it: who read and wrote what, and whether that can be believed.

for entry in memory.audit.entries(id="f_20261115_001"):
    print(entry.at, entry.surface, entry.op)
assert memory.audit.verify().sound
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import datetime, tzinfo
from typing import Annotated, Any, NamedTuple

from loxodon.errors import ConfigError
from loxodon.fields import moment, number
from loxodon.messages import t
from loxodon.paging import Key, Page, Slice, paged
from loxodon.security.audit import (
    HEAD,
    Audit,
    AuditRow,
    Head,
    chained,
    entries_before,
    entries_of,
    names,
)
from loxodon.store.store import Store
from loxodon.verbs import Arg, PageCursor, PageLimit, Since, Until, verb

_OWN = ("n", "at", "surface", "agent", "caller", "op", "ids", "count", "outcome", "more")
SAID = {
    "head_bad": "the head of the log was changed or deleted",
    "cut": "the end of the log is missing: entries {n} to {to}",
    "gap": "entries {n} to {to} are missing",
    "changed": "entries {n} to {to} were changed or inserted without the key",
    "foreign": "nothing in the log was written with the key of this space",
}


class Finding(NamedTuple):
    """Something that is not as it was written."""

    kind: str
    n: int  # the entry from which on it is so; 0 for all of it
    facts: Mapping[str, Any] = {}

    @property
    def said(self) -> str:
        """It in the language of the process."""
        return t(SAID[self.kind], n=self.n, **self.facts)


class Verified(NamedTuple):
    """The result of checking a log."""

    entries: int  # that are as they were written
    first: int  # the number of the first that is kept
    last: int
    trusted_to: int  # entries up to this number are beyond doubt
    findings: tuple[Finding, ...]

    @property
    def sound(self) -> bool:
        return not self.findings


class AuditEntry(NamedTuple):
    """One thing that was done, and by whom."""

    n: int
    at: datetime
    surface: str
    agent: str
    caller: str
    op: str
    ids: tuple[str, ...]  # what it was about or gave; those in a row as `t_5..9`
    given: int | None  # how many were given, where that was a list
    outcome: str  # `ok`, or the code of the error that it failed with
    more: bool  # whether it was about more than `ids` names
    facts: Mapping[str, Any]  # how it was asked for, such as `chat`


class AuditLog:
    """Made by `Memory.audit`."""

    def __init__(self, store: Store, zone: tzinfo | None) -> None:
        self._store = store
        self._zone = zone

    @property
    def enabled(self) -> bool:
        """Whether what is done is put on record (setting `audit.enabled`)."""
        return self._store.audit is not None

    @property
    def trouble(self) -> str:
        """Why the last entry could not be written; empty where it could."""
        return self._store.audit.trouble if self._store.audit else ""

    def head(self) -> Head | None:
        """How far the log goes; None where there is none yet, or it cannot be believed."""
        return self._log().head()

    @verb("GET /audit", access="owner", name="audit")
    def entries(
        self,
        *,
        since: Since = None,
        until: Until = None,
        surface: Annotated[str, Arg("only entries of this interface: cli, http, mcp, …")] = "",
        agent: Annotated[str, Arg("only entries of this agent")] = "",
        op: Annotated[str, Arg("only entries of this operation, such as recall")] = "",
        id: Annotated[
            str, Arg("only entries about this memory or message: shows who read it", flag="--id ID")
        ] = "",
        limit: PageLimit = 0,
        cursor: PageCursor = "",
    ) -> Page[AuditEntry]:
        """List who read and wrote what, without any content: the latest entries, in order of time;
        the next page has those before.

        `limit` 0 returns all. The entries are not checked; see `verify`.
        """
        since, until = (
            moment(name, at, self._zone) for name, at in (("since", since), ("until", until))
        )
        number("limit", limit)

        def is_wanted(entry: AuditEntry) -> bool:
            return (
                (since is None or entry.at >= since)
                and (until is None or entry.at < until)
                and surface in ("", entry.surface)
                and agent in ("", entry.agent)
                and op in ("", entry.op)
                and (not id or names(entry.ids, id))
            )

        def newest_first(after: Key | None) -> Slice[AuditEntry]:
            audit, found = self._log(), list[AuditEntry]()
            audit.flush()
            for row in entries_before(self._store, *map(int, after or ())):
                entry = self._entry(row)
                if entry is None or not is_wanted(entry):
                    continue
                if limit and len(found) == limit:
                    return found, (found[-1].n,)
                found.append(entry)
            return found, None

        return paged("audit.entries", cursor, newest_first)

    @verb("POST /audit/verify", access="owner", name="verify_audit")
    def verify(self) -> Verified:
        """Check the audit log and its head for tampering.

        Raises KeyProblemError where the key is not there, without which nothing can be told.
        """
        audit = self._log()
        key = audit.key
        audit.flush()
        with self._store.reading():
            return _verified(entries_of(self._store), self._store.value(HEAD), key, audit.keep)

    def _log(self) -> Audit:
        if self._store.audit is None:
            raise ConfigError(
                "the audit log is turned off (audit.enabled)",
                hint="turn it on with `loxodon config audit.enabled true`",
            )
        return self._store.audit

    def _entry(self, row: AuditRow) -> AuditEntry | None:
        try:
            given = json.loads(row.entry)
            return AuditEntry(
                row.n,
                datetime.fromisoformat(given["at"]).astimezone(self._zone),
                str(given.get("surface", "")),
                str(given.get("agent", "")),
                str(given.get("caller", "")),
                str(given["op"]),
                tuple(given.get("ids", ())),
                given.get("count"),
                str(given.get("outcome", "ok")),
                bool(given.get("more")),
                {name: value for name, value in given.items() if name not in _OWN},
            )
        except (KeyError, TypeError, ValueError):
            return None  # not ours; `verify` tells of it


def _verified(rows: Iterable[AuditRow], head: str, key: bytes, keep: int) -> Verified:
    """Check every entry against the one before it, and the last against the head."""
    found: list[Finding] = []
    good = first = last = 0
    tip = b""

    def changed(n: int) -> None:
        begun = n
        if found and found[-1].kind == "changed" and found[-1].facts["to"] >= n - 1:
            begun = found.pop().n
        found.append(Finding("changed", begun, {"to": n}))

    for row in rows:
        if row.n != last + 1:  # what it is chained to is gone
            found.append(Finding("gap", last + 1, {"to": row.n - 1}))
            good += 1
        elif row.mac == chained(key, tip, row.n, row.entry):
            good += 1
        else:
            changed(row.n)
        first, last, tip = first or row.n, row.n, row.mac
    if found and found[0].n == 1 and found[0].kind == "gap" and 0 < keep <= last - first:
        del found[0]  # they were pruned
    if not good and last:
        found = [Finding("foreign", 1)]
    end = Head.of(head, key)
    if end is None and (head or last):
        found.append(Finding("head_bad", 0))
    elif end is not None and end.n > last:
        found.append(Finding("cut", last + 1, {"to": end.n}))
    elif end is not None and end != (last, tip):
        changed(last)
    found.sort(key=lambda one: one.n)
    trusted = max(0, found[0].n - 1) if found else last
    return Verified(good, first, last, trusted, tuple(found))
