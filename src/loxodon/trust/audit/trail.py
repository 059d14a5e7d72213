"""The form of the audit log: its lines, how each hangs on the one before, and its head.

A line is a JSON object with a number, and ends with a keyed hash over the line before and itself,
so that nobody without the key can change, drop, insert or reorder one. That does not show a cut
tail; the head does, which is kept apart from the log and says how far it goes. A line that has
`prev` in it names the hash it hangs on: those at the beginning of a file, and those after a gap.

What is not on disk for sure may be lost when the power fails, and then neither a false alarm nor a
way to cut the log may come of it. So the head also says up to where the log was synced, and in
which boot of the machine it was written: in the same boot nothing can be missing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from loxodon import files

Mac = Callable[[bytes], bytes]

START = "0" * 32
"""What the first line of a log hangs on."""
HEAD_SIZE = 768
"""Bytes of a head, always the same: it is written in place, at once."""
FILE, GAP, HEAD = "audit.file", "audit.gap", "audit.head"
"""What the log says of itself: a new file begins, lines are missing, the head was missing."""
_MAC_MARK = b',"mac":"'
_MAC_END = b'"}'
_MAC_DIGITS = 32
_NUMBER = b'{"n":'
_LONGEST_NUMBER = 18
_HEAD_SPACE = b"head\0"
_TAIL = len(_MAC_MARK) + _MAC_DIGITS + len(_MAC_END)


class Head(NamedTuple):
    """How far a log goes."""

    n: int
    tip: str
    """The number and hash of its last line."""
    file: int
    end: int
    """The file that this line is in, and how long that is."""
    synced: int = 0
    """The last line that is on disk for sure."""
    boot: str = ""
    """The boot of the machine in which this head was written."""
    first: int = 1
    begins: int = 1
    """The oldest file that is kept, and its first line; those before were let go."""


EMPTY = Head(0, START, 1, 0)


class Anchor(NamedTuple):
    """Where the last transaction of a database is on record, as the database keeps it."""

    n: int
    tip: str
    """The number and hash of its line."""
    file: int
    synced: int
    kept: int
    """The file of this line, and up to where it survives a power cut: as it is, and by what the
    database has of it."""

    @classmethod
    def of(cls, text: str) -> Anchor:
        """An anchor as it is kept; `NOWHERE` for anything else."""
        n, tip, *places = (*text.split(":")[:5], "", "")
        if not all(map(str.isdecimal, (n, *places[:3]))) or len(places) != 5:
            return NOWHERE
        return cls(int(n), tip, *map(int, places[:3]))

    @property
    def text(self) -> str:
        return ":".join(map(str, self))


NOWHERE = Anchor(0, "", 0, 0, 0)

Tail = Sequence[tuple[int, int, bytes]]
"""Lines of the audit log: the file of each, where it begins there, and itself."""


class Testimony(NamedTuple):
    """Where a transaction is on record, for the database to keep with it."""

    anchor: str
    """Empty where it is not, and need not be."""
    tail: tuple[int, int, bytes] | None = None
    """Lines of the log that may not be on disk yet, as in `Tail`; None where all of it is."""


def line_of(entry: dict[str, Any], prev: str, mac: Mac) -> tuple[bytes, str]:
    """An entry as a line that hangs on `prev`, and the hash of that line."""
    body = json.dumps(entry, ensure_ascii=False, separators=(",", ":")).encode("utf-8")[:-1]
    digest = mac(prev.encode("ascii") + body)[: _MAC_DIGITS // 2].hex()
    return body + _MAC_MARK + digest.encode("ascii") + _MAC_END + b"\n", digest


class TrailLine(NamedTuple):
    """A line that has the form of an entry."""

    entry: dict[str, Any]
    body: bytes
    mac: str

    @property
    def n(self) -> int:
        return int(self.entry["n"])

    def hangs_on(self, prev: str, mac: Mac) -> bool:
        """Whether this is the line, as it was written, after the one with the hash `prev`."""
        return mac(prev.encode("ascii") + self.body)[: _MAC_DIGITS // 2].hex() == self.mac


def parsed(line: bytes) -> TrailLine | None:
    """A line without its line break; None for what is no entry."""
    body, ending = line[:-_TAIL], line[-_TAIL:]
    if not ending.startswith(_MAC_MARK) or not ending.endswith(_MAC_END):
        return None
    try:
        entry = json.loads(line)
        digest = ending[len(_MAC_MARK) : -len(_MAC_END)].decode("ascii")
    except (ValueError, RecursionError):
        return None
    if not isinstance(entry, dict) or type(entry.get("n")) is not int:
        return None
    if not isinstance(entry.get("prev", ""), str) or not entry.get("prev", "0").isascii():
        return None
    return TrailLine(entry, body, digest)


def number_in(line: bytes) -> int:
    """The number that a line begins with, read quickly; 0 for what begins otherwise."""
    digits = line[len(_NUMBER) : line.find(b",")] if line.startswith(_NUMBER) else b""
    return int(digits) if digits.isdigit() and len(digits) < _LONGEST_NUMBER else 0


def head_bytes(head: Head, mac: Mac) -> bytes:
    """A head as it is kept."""
    body = json.dumps(head._asdict(), separators=(",", ":")).encode("ascii")[:-1]
    return _head_line(body, mac).ljust(HEAD_SIZE - 1) + b"\n"


def head_of(data: bytes, mac: Mac) -> Head | None:
    """What `head_bytes` made; None for anything else."""
    line = data.rstrip()
    body = line[:-_TAIL]
    if data != _head_line(body, mac).ljust(HEAD_SIZE - 1) + b"\n":
        return None
    found = json.loads(line)
    del found["mac"]
    return Head(**found)


def _head_line(body: bytes, mac: Mac) -> bytes:
    digest = mac(_HEAD_SPACE + body)[: _MAC_DIGITS // 2].hex().encode("ascii")
    return body + _MAC_MARK + digest + _MAC_END


def file_name(number: int) -> str:
    """The name of a file of the log."""
    return f"{number:06d}.log"


def file_numbers(folder: str) -> list[int]:
    """The files of a log that are there, in order."""
    names = files.names(folder)
    stems = (name.removesuffix(".log") for name in names if name.endswith(".log"))
    return sorted(int(stem) for stem in stems if stem.isascii() and stem.isdecimal())


def lines_in(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The lines of a part of a log, each with where the next begins; the last may be cut."""
    at = 0
    while at < len(data):
        end = data.find(b"\n", at)
        end = len(data) if end < 0 else end
        yield min(end + 1, len(data)), data[at:end]
        at = end + 1


def followed(data: bytes, n: int, prev: str, mac: Mac) -> tuple[int, str, int]:
    """How far whole lines in `data` hang on line `n` with the hash `prev`: (n, hash, bytes)."""
    good = 0
    for end, raw in lines_in(data):
        line = parsed(raw) if data[end - 1 : end] == b"\n" else None
        if line is None or line.n != n + 1 or not line.hangs_on(prev, mac):
            break
        n, prev, good = line.n, line.mac, end
    return n, prev, good


def lacks(data: bytes, at: int, lines: bytes, mac: Mac) -> bool:
    """Whether a file that lost its end should have `lines` at `at`: they hang on what is before,
    and what is there is a part of them."""
    n, prev = _before(data[:at]) if at else _prev_in(lines)
    if len(data) < at or followed(lines, n, prev, mac)[2] != len(lines):
        return False
    good = followed(data[at:], n, prev, mac)[2]
    return good < len(lines) and lines.startswith(data[at : at + good])


def _before(data: bytes) -> tuple[int, str]:
    """The number and hash of the last line."""
    line = parsed(data[data.rfind(b"\n", 0, -1) + 1 : -1]) if data.endswith(b"\n") else None
    return (line.n, line.mac) if line is not None else (0, "")


def _prev_in(lines: bytes) -> tuple[int, str]:
    """What the first line of a file says that it hangs on."""
    line = parsed(lines.partition(b"\n")[0])
    return (line.n - 1, line.entry.get("prev", "")) if line is not None else (0, "")


def last_anchored(data: bytes, mac: Mac) -> tuple[int, str] | None:
    """The last line of a file that can be believed without knowing what was before the file."""
    found: tuple[int, str] | None = None
    for end, raw in lines_in(data):
        line = parsed(raw) if data[end - 1 : end] == b"\n" else None
        if line is None:
            continue
        prev = line.entry.get("prev") or (found[1] if found and line.n == found[0] + 1 else "")
        if prev and line.hangs_on(prev, mac):
            found = (line.n, line.mac)
    return found


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
