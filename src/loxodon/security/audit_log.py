"""The audit log as its owner sees it: who read and wrote what, and whether that can be believed.

for entry in memory.audit.entries(id="f_20261115_001"):
    print(entry.at, entry.surface, entry.op)
assert memory.audit.verify().sound
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import datetime, tzinfo
from typing import Annotated, Any, NamedTuple

from loxodon.errors import ConfigError
from loxodon.fields import moment, number
from loxodon.messages import t
from loxodon.paging import Key, Page, Slice, paged
from loxodon.security.audit import END, HEAD, Audit, chained, entries_of, read_head
from loxodon.store.store import Store
from loxodon.verbs import Arg, Cursor, Limit, Since, Until, verb


class Verified(NamedTuple):
    entries: int
    first: int  # the number of the first that is kept
    last: int
    trusted_to: int  # entries up to this number are beyond doubt
    problem: str  # the first thing that is not as it was written; empty where all is

    @property
    def sound(self) -> bool:
        return not self.problem


class AuditEntry(NamedTuple):
    n: int
    at: datetime
    surface: str
    agent: str
    caller: str
    op: str
    ids: tuple[str, ...]  # what it was about or gave
    outcome: str  # `ok`, or the code of the error that it failed with
    more: bool  # whether it was about more than `ids` names
    facts: Mapping[str, Any]  # how it was asked for: `dry_run`, `reveal`


class AuditLog:
    """Made by `Memory.audit`."""

    def __init__(self, store: Store, zone: tzinfo | None) -> None:
        self._store, self._zone = store, zone

    @property
    def enabled(self) -> bool:
        """Whether what is done is put on record (setting `audit.enabled`)."""
        return self._store.audit is not None

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
        limit: Limit = 0,
        cursor: Cursor = "",
    ) -> Page[AuditEntry]:
        """List who read and wrote what, without any content: the latest entries, in order of time;
        the next page has those before.

        `limit` 0 returns all. The entries are not checked; see `verify`.
        """
        since = moment("since", since, self._zone)
        until = moment("until", until, self._zone)
        number("limit", limit)

        def newest_first(after: Key | None) -> Slice[AuditEntry]:
            found = list[AuditEntry]()
            self._log().flush()
            for entry in self._before(*map(int, after or (END,))):
                is_of_time = (not since or entry.at >= since) and (not until or entry.at < until)
                of = (surface, entry.surface), (agent, entry.agent), (op, entry.op)
                is_of_these = all(asked in ("", one) for asked, one in of)
                if is_of_time and is_of_these and (not id or id in entry.ids):
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
        audit.flush()
        key, wrong = audit.key, dict[int, str]()  # by the first entry of which it is so
        entries, first, last, tip = 0, 0, 0, b""
        with self._store.reading():
            head = self._store.value(HEAD)
            for n, entry, digest in entries_of(self._store):
                if n != last + 1 and first:
                    wrong.setdefault(last + 1, t("entries from {n} on are missing", n=last + 1))
                elif n == last + 1 and digest != chained(key, tip, n, entry):
                    wrong.setdefault(n, _changed(n))
                entries, first, last, tip = entries + 1, first or n, n, digest
        if first > 1 and not 0 < audit.keep <= last - first:  # else they were pruned
            wrong[1] = t("entries from {n} on are missing", n=1)
        end = read_head(head, key)
        if end is None and (head or last):
            wrong[0] = t("the head of the log was changed or deleted")
        elif end and end[0] > last:
            wrong[last + 1] = t("the end of the log is missing, from entry {n} on", n=last + 1)
        elif end and end != (last, tip):
            wrong.setdefault(last, _changed(last))
        n = min(wrong, default=last + 1)
        return Verified(entries, first, last, max(0, n - 1), wrong.get(n, ""))

    def _log(self) -> Audit:
        if self._store.audit is None:
            raise ConfigError(
                "the audit log is turned off (audit.enabled)",
                hint="turn it on with `loxodon config audit.enabled true`",
            )
        return self._store.audit

    def _before(self, before: int) -> Iterator[AuditEntry]:
        """The entries before one, newest first, without what is not ours; `verify` tells of it."""
        while rows := self._store.query("audit_before", before, 1_000):
            for before, text, _ in rows:
                with suppress(AttributeError, KeyError, TypeError, ValueError):
                    facts = json.loads(text)
                    at = datetime.fromisoformat(facts.pop("at")).astimezone(self._zone)
                    surface, agent = str(facts.pop("surface", "")), str(facts.pop("agent", ""))
                    who = surface, agent, str(facts.pop("caller", ""))
                    op, ids = str(facts.pop("op")), tuple(facts.pop("ids", ()))
                    outcome, more = str(facts.pop("outcome", "ok")), bool(facts.pop("more", False))
                    yield AuditEntry(before, at, *who, op, ids, outcome, more, facts)


def _changed(n: int) -> str:
    return t("entry {n} was changed or inserted without the key", n=n)
