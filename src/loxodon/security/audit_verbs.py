"""The audit log as its owner sees it: who read and wrote what, and whether that can be believed.

for entry in memory.audit.entries(id="f_20261115_001"):
    print(entry.at, entry.surface, entry.op)
assert memory.audit.verify().sound
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import datetime, tzinfo
from typing import Annotated, Any, NamedTuple

from loxodon.errors import ConfigError
from loxodon.fields import moment, number
from loxodon.paging import Key, Page, Slice, paged
from loxodon.security.audit_log import Audit, Head, names
from loxodon.security.audit_verify import Verified, verified
from loxodon.store.audit_rows import AuditRow
from loxodon.store.store import Store
from loxodon.verbs import Arg, PageCursor, PageLimit, Since, Until, verb

_OWN = ("n", "at", "surface", "agent", "caller", "op", "ids", "count", "outcome", "more")
_END = 1 << 62


class AuditEntry(NamedTuple):
    """One thing that was done, and by whom."""

    n: int
    at: datetime
    surface: str
    agent: str
    caller: str
    op: str
    ids: tuple[str, ...]
    """What it was about or gave; those in a row as `t_5..9`."""
    given: int | None
    """How many were given, where that was a list."""
    outcome: str
    """`ok`, or the code of the error that it failed with."""
    more: bool
    """Whether it was about more than `ids` names."""
    facts: Mapping[str, Any]
    """How it was asked for, such as `chat`."""


class AuditLog:
    """See the module. Made by `Memory.audit`."""

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

        def is_meant(entry: AuditEntry) -> bool:
            return (
                (since is None or entry.at >= since)
                and (until is None or entry.at < until)
                and surface in ("", entry.surface)
                and agent in ("", entry.agent)
                and op in ("", entry.op)
                and (not id or names(entry.ids, id))
            )

        return paged("audit.entries", cursor, lambda after: self._before(after, limit, is_meant))

    def _before(
        self, after: Key | None, limit: int, is_meant: Callable[[AuditEntry], bool]
    ) -> Slice[AuditEntry]:
        """Entries that are meant, newest first."""
        audit, found = self._log(), list[AuditEntry]()
        audit.flush()
        for row in audit.rows.backwards(int(after[0]) if after else _END):
            entry = self._entry(row)
            if entry is not None and is_meant(entry):
                if limit and len(found) == limit:
                    return found, (found[-1].n,)
                found.append(entry)
        return found, None

    @verb("POST /audit/verify", access="owner", name="verify_audit")
    def verify(self) -> Verified:
        """Check the audit log, its head and the signatures for tampering.

        Raises KeyProblemError where the key is not there, without which nothing can be told.
        """
        audit = self._log()
        key = audit.key()
        audit.flush()
        with self._store.reading():
            signatures, rows = self._store.signatures(), audit.rows
            return verified(rows.each(), rows.head, key, audit.keep, signatures)

    @verb(access="owner", audit="writes")
    def accept(self) -> Verified:
        """Put on record that the owner has seen what `verify` finds, and goes on from here.

        What was found stays in the log as a notice. Memories whose signature does not hold are
        signed anew as they stand. Returns what was accepted.
        """
        found = self.verify()
        with self._store.writing():
            self._store.sign_anew(
                [str(one.facts["id"]) for one in found.findings if one.kind == "signature"]
            )
        return found

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
