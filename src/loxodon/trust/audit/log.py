"""The audit log of a space: every read and write, by whom, and nothing of what was said.

A file and not a table, because reads are put on record too: a recall must not wait for a writer
nor for the disk, and a log in the database would be rolled back, restored or lost with it. Lines
are in SPACE/audit/000001.log and on; how they hang together is in `trail.py`, who checks them is
`verifying.py`. The head is in another folder, on another disk if the owner says so (`audit.head`).

A write is on record before it is committed: its line is written, and its number and hash go into
the database with the same transaction; the next write names them. So every write in the database
is in the log. The reverse is not promised: a kill may come between the line and the commit.

One sync is enough for both: the line itself goes into the database too, with all lines before it
that may not be on disk yet. A power cut that takes them from the log leaves them there, and whoever
first writes to the log afterwards puts them back. Once they are many the log is synced by itself,
and the database lets go of them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from threading import RLock
from typing import Any, NamedTuple

from loxodon import files
from loxodon.errors import AuditError, KeyProblemError, StoreError
from loxodon.filelock import Lock, at_fork, lock_on
from loxodon.trust.access.acting import actor
from loxodon.trust.audit import trail
from loxodon.trust.audit.trail import EMPTY, NOWHERE, Anchor, Head, Mac, Tail, Testimony
from loxodon.trust.rest.keys import Keys, mac_with

FOLDER = "audit"
"""In the space for the log, and in the home for the heads of its spaces."""
MOST_RUNS = 2_000
"""Ids, or ids in a row, that a line names; a line with `more` may be about any other too."""
MOST_TAIL = 16 << 10
"""Bytes at the end of the log that the database keeps at most."""
_LOCK_SECONDS = 30.0
_BOOT = "/proc/sys/kernel/random/boot_id"


class Settings(NamedTuple):
    """How a log is kept."""

    space: str
    folder: str
    """That of the log."""
    head: str
    """The file of its head; where it ends with a slash, the key gets into its name."""
    usual: str = ""
    """Where its head was before the owner put it elsewhere."""
    on_failure: str = "writes"
    size: int = 8 << 20
    keep: int = 50
    agent: str = ""
    """The agent that the memory is bound to."""


class Audit:
    """The log of one space, for one open memory. Use it from any thread, beside other processes."""

    def __init__(
        self,
        settings: Settings,
        keys: Keys,
        now: Callable[[], datetime],
        tail: Callable[[], Tail] = tuple,
    ) -> None:
        self.settings = settings
        self.tail = tail
        """What the database has of the end of the log."""
        self.trouble = ""
        """Why the last line could not be written; empty where it could."""
        self._keys = keys
        self._now = now
        self._mac: Mac | None = None
        self._turn = RLock()
        self._lock: Lock | None = None
        self._boot = ""
        self._raw: bytes | None = None
        self._head = EMPTY
        self._synced = 0
        self._lost: Tail = ()
        """What the database has of a log that was last written to before the machine started."""
        self._closed = False
        at_fork(self)

    def after_fork(self) -> None:
        self._turn = RLock()

    def mac(self) -> Mac:
        """The keyed hash of this log; a KeyProblemError where the key is gone."""
        if self._mac is None:
            self._mac = mac_with(self._keys.key("audit", self.settings.space))
            if self.settings.head.endswith(os.sep):  # a folder that several homes may share
                name = f"{self._keys.fingerprint()}-{os.path.basename(self.settings.head[:-1])}"
                head = os.path.join(os.path.dirname(self.settings.head[:-1]), name)
                self.settings = self.settings._replace(head=head)
                if not files.exists(head) and files.exists(self.settings.usual):
                    files.make_folder(os.path.dirname(head))
                    files.replace(head, files.read(self.settings.usual))
                    files.remove(self.settings.usual)
        return self._mac

    def read(self, op: str, ids: Sequence[str] = (), **facts: Any) -> None:
        """Put on record that something was read, or tried. Never waits for the disk."""
        try:
            self._append(self._entry(op, ids, facts))
        except (AuditError, KeyProblemError) as error:
            self.trouble = str(error)
            if self.settings.on_failure == "all":
                raise

    def write(self, op: str, anchor: str, ids: Sequence[str] = (), **facts: Any) -> Testimony:
        """Put on record what is about to be committed; returns what the database is to keep.

        `anchor` is what it kept the last time, empty for nothing. The line is on disk once what
        this returns is. Empty where it could not be written, and the settings let that pass.
        """
        try:
            entry, last = self._entry(op, ids, facts), Anchor.of(anchor)
            entry["after"] = f"{last.n}:{last.tip}"
            self._synced = max(self._synced, last.n)  # it was committed
            head, lines = self._append(entry, last)
            synced = last.synced if lines else head.end
            here = Anchor(head.n, head.tip, head.file, synced, head.end)
            return Testimony(here.text, (head.file, last.kept, lines) if lines else None)
        except (AuditError, KeyProblemError) as error:
            self.trouble = str(error)
            if self.settings.on_failure != "nothing":
                raise
            return Testimony("")

    def note(self, op: str) -> None:
        """Put on record what is about to be done, though not to the database; on disk at once."""
        try:
            self._append(self._entry(op, (), {}), NOWHERE)
        except (AuditError, KeyProblemError) as error:
            self.trouble = str(error)
            if self.settings.on_failure != "nothing":
                raise

    def undone(self, mark: str) -> None:
        """Put on record that what `write` announced was not committed after all."""
        if mark:
            with suppress(AuditError, KeyProblemError):  # the next write tells it as well
                self._append(self._entry("undone", (), {"of": Anchor.of(mark).n}))

    def head(self) -> Head | None:
        """How far the log goes; None where there is no head that can be believed."""
        try:
            return trail.head_of(files.read(self.settings.head), self.mac())
        except OSError:
            return None

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep others from writing to the log."""
        with self._turn:
            lock = self._locked()
            try:
                yield
            finally:
                lock.release()
                if self._closed:  # a verb after the end, which is on record and fails
                    self.close()

    def close(self) -> None:
        """Closing twice is fine."""
        with self._turn:
            self._closed = True
            if self._lock is not None:
                self._lock.close()
                self._lock = None

    # Entries

    def _entry(self, op: str, ids: Sequence[str], facts: dict[str, Any]) -> dict[str, Any]:
        who = actor()
        at = self._now().astimezone(UTC)
        entry: dict[str, Any] = {
            "n": 0,
            "at": f"{at:%Y-%m-%dT%H:%M:%S}.{at.microsecond // 1000:03d}Z",
            "surface": who.surface,
            "agent": self.settings.agent or who.agent,
            "caller": who.caller,
            "op": op,
        }
        entry = {name: value for name, value in entry.items() if value != ""}
        if ids:
            named = trail.runs(ids)
            entry["ids"] = named[:MOST_RUNS]
            if len(named) > MOST_RUNS:
                entry["more"] = True
        return entry | {name: value for name, value in facts.items() if value not in ("", None)}

    # Writing

    def _locked(self) -> Lock:
        if self._lock is None:
            self._make_folders()
            self._lock = lock_on(os.path.join(self.settings.folder, "lock"), brief=True)
        if not self._lock.acquire(_LOCK_SECONDS):
            raise OSError(0, "another program holds it")
        return self._lock

    def _make_folders(self) -> None:
        for folder in (self.settings.folder, os.path.dirname(self.settings.head)):
            if not os.path.isdir(folder):
                files.make_folder(folder)
                files.sync_folder(os.path.dirname(folder))

    def _append(self, entry: dict[str, Any], last: Anchor | None = None) -> tuple[Head, bytes]:
        """Put an entry at the end of the log. Others who append wait; nobody waits for a sync.

        Where the entry must not be lost, `last` says up to where the log is safe: the lines after
        that come back for the database to keep. None do where these are too many, and so the log
        was synced.
        """
        mac = self.mac()
        lines = b""
        try:
            self._look_for_lost(mac)
            with self.held():
                head = self._put(self._end(mac, last or NOWHERE), [entry], mac)
                if last is not None:
                    lines = _since(last, self._path(head.file), head)
            if last is not None and not lines:
                files.sync(self._path(head.file))
                self._synced = max(self._synced, head.n)
        except (OSError, StoreError) as error:
            raise AuditError(
                "cannot write to the audit log {path}: {reason}",
                hint="free some disk space or check the folder's permissions; the setting "
                "audit.on_failure controls what is refused meanwhile",
                path=self.settings.folder,
                reason=getattr(error, "strerror", None) or str(error),
            ) from None
        self.trouble = ""
        return head, lines

    def _look_for_lost(self, mac: Mac) -> None:
        """Ask the database once for what a power cut may have taken. Call it before the log is
        `held`: who writes has the database first."""
        if not self._boot:
            self._boot = boot_of(self.settings.head)
            head = self._read_head(mac)
            if head is not None and head.boot != self._boot:
                with suppress(StoreError):  # the gap in the log is found
                    self._lost = self.tail()

    def mend(self) -> None:
        """Bring a log in order that a power cut may have hit, as the next entry would."""
        mac = self.mac()
        with suppress(OSError):  # what is wrong is found all the same
            self._look_for_lost(mac)
            with self.held():
                head = self._read_head(mac)
                if head is not None and head.boot != self._boot:
                    head = self._end(mac, NOWHERE)
                    self._write_head(head._replace(boot=self._boot), mac)

    def _end(self, mac: Mac, last: Anchor) -> Head:
        """The head of the log, ready for one more line; what is wrong with it is put on record.

        Call while it is `held`.
        """
        notes: list[dict[str, Any]] = []
        head = self._read_head(mac)
        if head is None:
            head = self._without_head(mac, last, notes)
        elif head.boot != self._boot:
            self._put_back(mac)
            head = self._caught_up(head, mac)
        head = self._as_it_is(head, mac, notes)
        if head.end >= self.settings.size and not notes:
            # What is synced of the next file must not come after a hole in this.
            files.sync(self._path(head.file))
            head = self._as_it_is(head._replace(file=head.file + 1, end=0), mac, notes)
        if not head.end:  # a new file, whose first line can be believed by itself
            files.append(self._path(head.file), b"", durable=False)
            files.sync_folder(self.settings.folder)
            notes.insert(0, {**self._entry(trail.FILE, (), {}), "prev": head.tip})
        if notes:
            head = self._put(head, notes, mac)
        if head.file - head.first >= self.settings.keep > 0:
            head = self._let_go(head, mac)
        return head

    def _path(self, number: int) -> str:
        return os.path.join(self.settings.folder, trail.file_name(number))

    def _as_it_is(self, head: Head, mac: Mac, notes: list[dict[str, Any]]) -> Head:
        """The head as the file that it names has it."""
        size = files.size(self._path(head.file))
        if size != head.end or head.boot not in ("", self._boot):
            return self._mended(size, head, mac, notes)
        return head

    def _read_head(self, mac: Mac) -> Head | None:
        try:
            raw = files.read(self.settings.head)
        except FileNotFoundError:
            return None
        if raw != self._raw:
            head = trail.head_of(raw, mac)
            if head is None:
                return None
            self._raw, self._head = raw, head
        return self._head

    def _put(self, head: Head, entries: Sequence[dict[str, Any]], mac: Mac) -> Head:
        data, n, prev = b"", head.n, head.tip
        for entry in entries:
            n += 1
            own = {"prev": prev} if "prev" in entry else {}
            line, prev = trail.line_of({**entry, "n": n, **own}, prev, mac)
            data += line
        files.append(self._path(head.file), data, durable=False)
        head = head._replace(
            n=n,
            tip=prev,
            end=head.end + len(data),
            boot=self._boot,
            synced=min(n, max(head.synced, self._synced)),
        )
        self._write_head(head, mac)
        return head

    def _write_head(self, head: Head, mac: Mac) -> None:
        raw = trail.head_bytes(head, mac)
        self._raw, self._head = raw, head
        if there := files.shared(self.settings.head):
            there[0].replace(there[1], raw, durable=False)
            return
        file = files.private(self.settings.head, os.O_RDWR | os.O_CREAT)
        try:
            size = os.fstat(file).st_size
            if os.write(file, raw) != len(raw):
                raise OSError(0, "the disk is full")
            if size > len(raw):
                os.ftruncate(file, len(raw))
            elif size < len(raw):  # a new one; from here on it is only written in place
                os.fsync(file)
                files.sync_folder(os.path.dirname(self.settings.head))
        finally:
            os.close(file)

    def _let_go(self, head: Head, mac: Mac) -> Head:
        """Remove the oldest files: the head says so first, so that it is no tampering."""
        before, first = head.first, head.file - self.settings.keep + 1
        oldest = trail.parsed(self._content(first).partition(b"\n")[0])
        if oldest is None:  # it was tampered with, and has to stay as evidence
            return head
        head = head._replace(first=first, begins=oldest.n)
        self._write_head(head, mac)
        for number in range(before, head.first):
            with suppress(FileNotFoundError):
                files.remove(self._path(number))
        return head

    # Where it does not end as it should

    def _without_head(self, mac: Mac, last: Anchor, notes: list[dict[str, Any]]) -> Head:
        """Where to go on without a head: after the last line that can be believed."""
        numbers = trail.file_numbers(self.settings.folder)
        if not numbers and not last.n and not self._has_head():
            # On disk before the first line: a power cut must not leave a log without its head.
            self._write_head(EMPTY._replace(boot=self._boot), mac)
            return EMPTY
        found: tuple[int, str] | None = None
        number, end = numbers[-1] if numbers else 1, 0
        if numbers:
            data = self._content(number)
            end = len(data)
            found = trail.last_anchored(data, mac)
        n, prev = found or (0, trail.START)
        if last.n > n:
            n, prev = last.n, last.tip
        why = "bad" if self._has_head() else "missing"
        notes.append({**self._entry(trail.HEAD, (), {"why": why}), "prev": prev})
        return Head(n, prev, number, end, first=numbers[0] if numbers else 1)

    def _has_head(self) -> bool:
        """Whether there is a head, whatever it says; one that is empty was just being made."""
        return files.size(self.settings.head) > 0

    def _put_back(self, mac: Mac) -> None:
        """Put lines back where a power cut took them: those that hang on what is there."""
        for number, at, lines in self._lost:
            try:
                data = self._content(number)
            except FileNotFoundError:
                continue
            if trail.lacks(data, at, lines, mac):
                with open(self._path(number), "r+b") as file:
                    file.seek(at)
                    file.write(lines)
                    file.flush()
                    os.fsync(file.fileno())
        self._lost = ()

    def _caught_up(self, head: Head, mac: Mac) -> Head:
        """A head that a power cut set back to when the log was in an earlier file."""
        while head.file + 1 in trail.file_numbers(self.settings.folder):
            data = self._content(head.file)[head.end :]
            n, tip, more = trail.followed(data, head.n, head.tip, mac)
            if (
                more != len(data)
                or not trail.followed(self._content(head.file + 1), n, tip, mac)[2]
            ):
                break
            head = head._replace(n=n, tip=tip, file=head.file + 1, end=0)
        return head

    def _mended(self, size: int, head: Head, mac: Mac, notes: list[dict[str, Any]]) -> Head:
        """The head of a log that is longer or shorter than it says, or that saw another boot."""
        data, path = self._content(head.file) if size else b"", self._path(head.file)
        restarted = head.boot not in ("", self._boot)
        if size >= head.end and self._ends_at(data, head, mac):
            # Longer: someone was killed before the head was written, or within a line.
            n, prev, more = trail.followed(data[head.end :], head.n, head.tip, mac)
            rest = data[head.end + more :]
            lost = rest.count(b"\n")
            if lost and restarted and n >= head.synced:  # lines after one that is not on disk
                gap = {"from": n + 1, "to": n + lost, "why": "power"}
                notes.append({**self._entry(trail.GAP, (), gap), "prev": prev})
                n, lost = n + lost, 0
            if rest and not lost:
                files.truncate(path, head.end + more)
                rest = b""
            return head._replace(n=n, tip=prev, end=head.end + more + len(rest))
        kept = trail.last_anchored(data, mac)
        if kept is None and head.file > head.first:  # it had nothing yet that was synced
            with suppress(FileNotFoundError):
                kept = trail.last_anchored(self._content(head.file - 1), mac)
        last = kept[0] if kept else 0
        lost_power = restarted and last >= head.synced
        why = "power" if lost_power else "cut"
        gap = {"from": last + 1, "to": head.n, "why": why}
        notes.append({**self._entry(trail.GAP, (), gap), "prev": head.tip})
        end = size
        if lost_power:
            end = _end_of(data, last)
            if size:
                files.truncate(path, end)
        elif data and not data.endswith(b"\n"):
            end = files.append(path, b"\n", durable=False)
        return head._replace(end=end)

    def _ends_at(self, data: bytes, head: Head, mac: Mac) -> bool:
        """Whether the last line that the head knows stands where it says, unchanged."""
        start = data.rfind(b"\n", 0, max(0, head.end - 1)) + 1
        line = trail.parsed(data[start : head.end].removesuffix(b"\n"))
        return not head.end or (line is not None and line.n == head.n and line.mac == head.tip)

    def _content(self, number: int) -> bytes:
        return files.read(self._path(number))


def _since(safe: Anchor, log: str, head: Head) -> bytes:
    """The lines of a log after those that are safe; nothing where they are not for the database, as
    with a log that is in it."""
    if files.shared(log) or safe.file != head.file or not 0 <= safe.synced <= safe.kept < head.end:
        return b""
    if head.end - safe.synced > MOST_TAIL:
        return b""
    begins = max(0, safe.kept - 1)
    data = files.read(log, begins)[: head.end - begins]
    if not safe.kept:
        return data
    return data[1:] if data[:1] == b"\n" else b""  # that is the place of another log


def _end_of(data: bytes, n: int) -> int:
    """Where line `n` ends."""
    found = 0
    for end, raw in trail.lines_in(data):
        line = trail.parsed(raw)
        if line is not None and line.n == n and data[end - 1 : end] == b"\n":
            found = end
    return found


def boot_of(head: str) -> str:
    """What is the same until a power cut can have taken the end of a log: one in a database goes
    with what else that has."""
    return "database" if files.shared(head) else _this_boot()


def _this_boot() -> str:
    """What is the same until the machine is started again."""
    try:
        with open(_BOOT, encoding="ascii") as file:
            return file.read().strip()
    except OSError:  # not Linux: about when it was started
        import time

        return f"about {(time.time() - time.monotonic()) // 60:.0f}"


def settings_of(home: str, folder: str, space: str, config: Any) -> Settings:
    """How the log of a space is kept, by the settings `audit.*`."""
    name = os.path.basename(folder) + ".head"
    head = usual = os.path.join(home, FOLDER, name)
    if config.head:
        head = os.path.join(os.path.abspath(os.path.expanduser(config.head)), name, "")
    return Settings(
        space,
        os.path.join(folder, FOLDER),
        head,
        usual,
        config.on_failure,
        config.size << 20,
        config.keep,
    )
