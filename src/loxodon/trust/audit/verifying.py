"""Was the audit log tampered with? What it finds, and from where on the log cannot be trusted.

The log, its head, and the number that the database keeps of its last write are held against each
other. Pure: it is handed what lies on disk.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from loxodon.messages import t
from loxodon.store import Signatures
from loxodon.trust.audit import trail
from loxodon.trust.audit.trail import Head, Mac, TrailLine
from loxodon.trust.audit.witness import RESTORE

ACCEPTED = "audit.accept"
"""The owner has seen what was found so far, and goes on."""
NOTHING_SIGNED = "0-" + "0" * 32
SAID = {
    "head_missing": "the head of the log is missing",
    "head_bad": "the head of the log was changed or damaged",
    "head_was_missing": "the head of the log was missing when entry {n} was written",
    "head_was_bad": "the head of the log had been changed or damaged when entry {n} was written",
    "cut": "the end of the log is missing: entries {n} to {to}",
    "gap": "entries {n} to {to} are missing",
    "changed": "entries {n} to {to} were changed, moved or inserted without the key",
    "unreadable": "there is no valid entry at the place of entry {n}",
    "file": "the file {name} of the log is missing",
    "foreign": "nothing in the log was written with the key of this space",
    "database": "the database does not match the log: one of them was replaced or rolled back "
    "after entry {n}",
    "signature": "{id} or its signature was changed outside Loxodon",
    "signatures": "sensitive memories or their signatures were removed or rolled back",
    "power": "records of {count} reads before entry {n} were lost in a power failure",
    "unfinished": "the last line is incomplete",
    "accepted": "{count} findings before entry {n} were accepted by the owner",
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
    """Entries up to this number, and what is missing before them, are beyond doubt."""
    findings: tuple[Finding, ...]
    notices: tuple[Finding, ...]
    signed: int = 0
    """Versions of sensitive memories whose signature holds."""

    @property
    def sound(self) -> bool:
        return not self.findings


class LogOnDisk(NamedTuple):
    """What lies on disk of a log."""

    head: bytes | None
    files: Mapping[int, bytes]
    boot: str
    anchors: tuple[str, str] = ("", "")
    """What the database has of its last write, before and after the log was read."""
    signatures: Signatures | None = None
    """How those of the sensitive memories stand, read before the log."""


class _Walk:
    """The way along the lines of a log."""

    def __init__(self, mac: Mac, begins: int) -> None:
        self.mac = mac
        self.good: dict[int, TrailLine] = {}
        self.findings: list[Finding] = []
        self.missing: list[tuple[int, int]] = []
        self.n = begins - 1
        self.tip = trail.START
        self.first = 0

    def file(self, data: bytes) -> bool:
        """Follow the lines of a file; whether its last line was cut short."""
        for end, raw in trail.lines_in(data):
            whole = data[end - 1 : end] == b"\n"
            line = trail.parsed(raw) if whole else None
            if line is not None:
                self._line(line)
            elif whole or end < len(data):
                self._found("unreadable", self.n + 1)
            else:
                return True
        return False

    def _line(self, line: TrailLine) -> None:
        if line.n == self.n + 1 and line.hangs_on(self.tip, self.mac):
            self._take(line)
            return
        prev = line.entry.get("prev")
        if prev and line.n > self.n and line.hangs_on(prev, self.mac):
            self.missing.append((self.n + 1, line.n - 1))
            self._take(line)
            return
        self._found("changed", min(self.n + 1, line.n) if line.n > 0 else self.n + 1)
        if line.n > self.n and line.n - self.n < 1 << 40:
            self.n = line.n
        self.tip = line.mac

    def _take(self, line: TrailLine) -> None:
        self.good[line.n] = line
        self.first = self.first or line.n
        self.n, self.tip = line.n, line.mac

    def _found(self, kind: str, n: int) -> None:
        last = self.findings[-1] if self.findings else None
        if last is not None and last.kind == kind == "changed" and last.facts["to"] >= n - 1:
            self.findings[-1] = last._replace(facts={"to": max(n, last.facts["to"])})
        else:
            self.findings.append(Finding(kind, n, {"to": n} if kind == "changed" else {}))


def verified(kept: LogOnDisk, mac: Mac) -> Verified:
    """Whether a log is as it was written."""
    head = trail.head_of(kept.head, mac) if kept.head is not None else None
    anchors = [_anchor(one) for one in kept.anchors]
    if not kept.head and not kept.files and not any(n for n, _ in anchors):
        bad = _signed_wrong([], kept.signatures)
        return Verified(0, 0, 0, 0, tuple(bad), (), _good(kept.signatures))
    walk = _Walk(mac, head.begins if head else 1)
    notices: list[Finding] = []
    unfinished = _walk_files(walk, kept.files, head)
    lines = [walk.good[n] for n in sorted(walk.good)]
    told = [*_told(lines)]
    findings = [*walk.findings, *_missing(walk.missing, lines)]
    findings += [one for one in told if one.kind != "power"]
    notices += [one for one in told if one.kind == "power"]
    if not lines and any(kept.files.values()):
        findings = [Finding("foreign", 1)]
    for one in _against_head(head, kept, walk):
        (notices if one.kind == "power" else findings).append(one)
    if unfinished and not any(one.kind == "cut" for one in findings):
        one = _unfinished(unfinished, head, kept, walk)
        (notices if one.kind == "unfinished" else findings).append(one)
    findings += _against_database(lines, *anchors)
    findings += _signed_wrong(lines, kept.signatures)
    return _settled(walk, lines, findings, notices)._replace(signed=_good(kept.signatures))


def _walk_files(walk: _Walk, files: Mapping[int, bytes], head: Head | None) -> str:
    """Follow every file; how a last line that was cut short begins, empty where none was."""
    begins = ""
    first = head.first if head else min(files, default=1)
    last = max(head.file if head else 0, *files, 0)
    for number in range(first, last + 1) if last - first < 1 << 20 else ():
        if number not in files:
            walk.findings.append(Finding("file", walk.n + 1, {"name": trail.file_name(number)}))
            continue
        if begins:
            walk.findings.append(Finding("unreadable", walk.n + 1))
        cut = walk.file(files[number])
        rest = files[number].rpartition(b"\n")[2]
        begins = rest[: len(f'{{"n":{walk.n + 1},')].decode("utf-8", "replace") if cut else ""
    return begins


def _unfinished(begins: str, head: Head | None, kept: LogOnDisk, walk: _Walk) -> Finding:
    """What a last line without an end is: our own, cut short by a kill or a power cut, or not."""
    if head is not None and walk.n >= head.synced:
        beyond = len(kept.files[max(kept.files)]) > head.end
        if head.boot != kept.boot or (beyond and begins == f'{{"n":{walk.n + 1},'):
            return Finding("unfinished", walk.n + 1)
    return Finding("unreadable", walk.n + 1)


def _told(lines: Sequence[TrailLine]) -> list[Finding]:
    """What the log says of itself."""
    found = []
    for line in lines:
        entry = line.entry
        if entry["op"] == trail.HEAD:
            found.append(Finding(f"head_was_{entry['why']}", line.n))
        elif entry["op"] == trail.GAP and entry["why"] == "power":
            count = entry["to"] - entry["from"] + 1
            found.append(Finding("power", line.n, {"count": count}))
        elif entry["op"] == trail.GAP:
            found.append(Finding("gap", entry["from"], {"to": entry["to"]}))
    return found


def _missing(missing: Sequence[tuple[int, int]], lines: Sequence[TrailLine]) -> list[Finding]:
    """Entries that are not there and of which the log does not say so itself."""
    told = [
        (line.entry["from"], line.entry["to"]) for line in lines if line.entry["op"] == trail.GAP
    ]
    return [
        Finding("gap", first, {"to": last})
        for first, last in missing
        if first <= last and not any(a <= first and last <= b for a, b in told)
    ]


def _against_head(head: Head | None, kept: LogOnDisk, walk: _Walk) -> list[Finding]:
    if head is None:
        return [Finding("head_missing" if kept.head is None else "head_bad", 0)]
    if walk.n < head.n:
        if head.boot != kept.boot and walk.n >= head.synced and not walk.findings:
            return [Finding("power", walk.n + 1, {"count": head.n - walk.n})]
        return [Finding("cut", walk.n + 1, {"to": head.n})]
    line = walk.good.get(head.n)
    told = any(
        one.kind == "changed" and one.n <= head.n <= one.facts["to"] for one in walk.findings
    )
    if head.n and not told and (line is None or line.mac != head.tip):
        return [Finding("changed", head.n, {"to": head.n})]
    return []


def _anchor(text: str) -> tuple[int, str]:
    number, mac, *_ = (*text.split(":"), "", "")
    return (int(number) if number.isascii() and number.isdecimal() else 0, mac)


def _against_database(
    lines: Sequence[TrailLine], before: tuple[int, str], after: tuple[int, str]
) -> list[Finding]:
    """Each write names the one before it that was committed, and the database the last one."""
    found = []
    last: TrailLine | None = None
    free = not lines or lines[0].n > 1  # what was let go cannot be asked
    for line in lines:
        if line.entry["op"] == RESTORE:  # before it is done, and again with what was done
            last, free = (line, False) if "after" in line.entry else (None, True)
        elif "after" in line.entry:
            base = line.entry["after"]
            known = (last.n, last.entry["after"]) if last else (0,)
            if not free and base not in known:
                found.append(Finding("database", base))
            last, free = line, False
    if free:
        return found
    newest, base = (last.n, last.entry["after"]) if last else (0, 0)
    stands = before == after and before[0] not in (newest, base)
    if stands or before[0] > newest or after[0] < base or (last and _is_other(last, lines, after)):
        found.append(Finding("database", min(after[0], newest)))
    return found


def _is_other(last: TrailLine, lines: Sequence[TrailLine], anchor: tuple[int, str]) -> bool:
    """Whether the database names an entry by its number that is another."""
    named = last if last.n == anchor[0] else next((x for x in lines if x.n == anchor[0]), None)
    return named is not None and named.mac != anchor[1]


def _good(signatures: Signatures | None) -> int:
    return signatures.good if signatures else 0


def _signed_wrong(lines: Sequence[TrailLine], signatures: Signatures | None) -> list[Finding]:
    """Signatures that do not hold; and whether some were taken away, which the log can tell."""
    if signatures is None:
        return []
    found = [Finding("signature", 0, {"id": id}) for id in signatures.bad]
    if not signatures.anchor:
        return found  # nothing was written yet, or it was restored
    kept = signatures.anchor.rpartition(":")[2]
    wrong = [0] if signatures.total != kept else []
    by_number = {line.n: line for line in lines}
    n = _anchor(signatures.anchor)[0]
    while (line := by_number.get(n)) is not None:  # from what is committed to what was before it
        entry, n = line.entry, int(line.entry.get("after", 0))
        if "signed" in entry:
            wrong += [line.n] if entry["signed"] != kept else []
            kept = entry.get("was", "")
        if not kept or n >= line.n or entry["op"] == RESTORE:
            break  # nobody had kept it until then
    else:
        wrong += [0] if not n and kept != NOTHING_SIGNED else []
    found += [Finding("signatures", n) for n in wrong]
    return found


def _settled(
    walk: _Walk, lines: Sequence[TrailLine], findings: list[Finding], notices: list[Finding]
) -> Verified:
    """The findings, without those that the owner has accepted."""
    accepted = max((line.n for line in lines if line.entry["op"] == ACCEPTED), default=0)
    old = [one for one in findings if 0 < one.n < accepted]
    if old:
        notices.append(Finding("accepted", accepted, {"count": len(old)}))
    new = sorted((one for one in findings if one not in old), key=lambda one: one.n)
    trusted = min((max(0, one.n - 1) for one in new), default=walk.n)
    return Verified(len(lines), walk.first, walk.n, trusted, tuple(new), tuple(notices))
