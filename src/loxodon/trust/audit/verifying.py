"""Was the audit log tampered with? What it finds, and from where on the log cannot be trusted.

The chain of lines is held against itself and its head; and every line that the database named, as
each write names the one before it, must be there. That holds whatever a healthy memory goes
through, since a line is written before its transaction is committed. The reverse does not: a
database may be older than its log, as after `restore`. Pure: it is handed what lies on disk.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from loxodon.messages import t
from loxodon.store import Signatures
from loxodon.trust.audit import trail
from loxodon.trust.audit.trail import Anchor, Head, Mac, TrailLine

ACCEPTED = "audit.accept"
"""The owner has seen what was found so far, and goes on."""
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
    "database": "an entry that the database refers to is missing: the log was replaced or rolled "
    "back after entry {n}",
    "signature": "{id} or its signature was changed outside Loxodon",
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
    anchor: str
    """What the database has of its last write, read before the log."""
    signatures: Signatures
    """How those of the sensitive memories stand."""


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
    anchor = Anchor.of(kept.anchor)
    signed = [Finding("signature", 0, {"id": id}) for id in kept.signatures.bad]
    if not kept.head and not kept.files and not anchor.n:
        return Verified(0, 0, 0, 0, tuple(signed), (), kept.signatures.good)
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
    findings += _against_database(lines, anchor, walk) + signed
    return _settled(walk, lines, findings, notices)._replace(signed=kept.signatures.good)


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


def _against_database(lines: Sequence[TrailLine], last: Anchor, walk: _Walk) -> list[Finding]:
    """Lines that a write names as the one before it, or the database as its last, and that are not
    there."""
    named = [
        (*line.entry["after"].partition(":")[::2], line.n - 1)
        for line in lines
        if isinstance(line.entry.get("after"), str)  # older versions gave no hash
    ]
    named.append((str(last.n), last.tip, walk.n))
    begins = lines[0].n if lines else 1  # what was let go cannot be asked
    return [
        Finding("database", min(n, before))
        for number, tip, before in named
        if (n := int(number)) >= begins and not (n in walk.good and walk.good[n].mac == tip)
    ]


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
