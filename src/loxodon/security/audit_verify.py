"""Whether the audit log is as it was written, and from which entry on it cannot be trusted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from loxodon.messages import t
from loxodon.security.audit_log import HEAD_BAD, START, Head, chained
from loxodon.store import Signatures
from loxodon.store.audit_rows import AuditRow

ACCEPTED = '"op":"audit.accept"'
"""The owner has seen what was found so far, and goes on."""
SAID = {
    "head_bad": "the head of the log was changed or deleted",
    "cut": "the end of the log is missing: entries {n} to {to}",
    "gap": "entries {n} to {to} are missing",
    "changed": "entries {n} to {to} were changed or inserted without the key",
    "foreign": "nothing in the log was written with the key of this space",
    "signature": "{id} or its signature was changed outside Loxodon",
    "accepted": "findings before entry {n} that the owner accepted: {count}",
}


class Finding(NamedTuple):
    """Something that is not as it was written, or in `notices` something to know."""

    kind: str
    n: int
    """The entry from which on it is so; 0 for all of it."""
    facts: Mapping[str, Any] = {}

    @property
    def said(self) -> str:
        """It in the language of the process."""
        return t(SAID[self.kind], n=self.n, **self.facts)


class Verified(NamedTuple):
    """What became of checking a log."""

    entries: int
    """Entries that are as they were written."""
    first: int
    last: int
    """The numbers of the first that is kept and of the last."""
    trusted_to: int
    """Entries up to this number are beyond doubt."""
    findings: tuple[Finding, ...]
    notices: tuple[Finding, ...]
    signed: int = 0
    """Versions of sensitive memories whose signature holds."""

    @property
    def sound(self) -> bool:
        return not self.findings


def verified(
    rows: Iterable[AuditRow], head: str, key: bytes, keep: int, signatures: Signatures
) -> Verified:
    """Check every entry against the one before it, and the last against the head."""
    found: list[Finding] = []
    good = first = last = accepted = 0
    tip = START
    for row in rows:
        if row.n != last + 1:
            found.append(Finding("gap", last + 1, {"to": row.n - 1}))
        elif row.mac != chained(key, tip, row.n, row.entry):
            _changed(found, row.n)
            first, last, tip = first or row.n, row.n, row.mac
            continue
        good += 1
        if ACCEPTED in row.entry:
            accepted = row.n
        elif f'"op":"{HEAD_BAD}"' in row.entry:
            found.append(Finding("head_bad", row.n))
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
        _changed(found, last)
    found += [Finding("signature", 0, {"id": id}) for id in signatures.bad]
    old = [one for one in found if 0 < one.n < accepted]
    new = sorted((one for one in found if one not in old), key=lambda one: one.n)
    notices = (Finding("accepted", accepted, {"count": len(old)}),) if old else ()
    trusted = min((max(0, one.n - 1) for one in new), default=last)
    return Verified(good, first, last, trusted, tuple(new), notices, signatures.good)


def _changed(found: list[Finding], n: int) -> None:
    before = found[-1] if found else None
    if before is not None and before.kind == "changed" and before.facts["to"] >= n - 1:
        found[-1] = before._replace(facts={"to": n})
    else:
        found.append(Finding("changed", n, {"to": n}))
