"""What was said while the engine was off: plain text that is read back once it is on again.

    # 2026-02-04

    <!-- loxodon {"key": "3f2a…", "session": "monday", "role": "user", "at": "…", …} -->
    > 我对花生过敏

One file a day, in `memory/loxodon-pending/` of the workspace, where an agent and its owner can read
it. The comment has what the journal needs; every line of the words has `> ` before it. An entry is
known by its key, as a turn of the journal is: whatever happens while it is taken in, it is taken in
once. What somebody else wrote into such a file stays there. Beside an encrypted database an entry
is one sealed line (`security/sealing.py`).
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from loxodon import files
from loxodon.errors import BusyStoreError, InputError, UnwritableStoreError
from loxodon.fields import checked, choice
from loxodon.filelock import FileLock
from loxodon.journal.identity import MAX_SESSION
from loxodon.layout import OFF_MARKER, PENDING
from loxodon.text.check import checked_text
from loxodon.types import CHATS, ORIGINS, ROLES, Source, Turn

if TYPE_CHECKING:
    from loxodon.memory import Memory
    from loxodon.security.sealing import Seal

LOCK = "pending.lock"
_WAIT = 30.0
_OPEN, _CLOSE = "<!-- loxodon ", " -->"
_QUOTE = ">"
_TIMES = ("expires_at",)


class PendingEntry(NamedTuple):
    """A turn, or a memory that was captured, that waits."""

    key: bytes
    turn: Turn
    fields: Mapping[str, Any] | None = None
    """Of a memory, as `capture` checked them; None for a turn."""
    source: Source | None = None


# As text


def text_of(entry: PendingEntry) -> str:
    """An entry as it stands in a file."""
    turn = entry.turn
    about: dict[str, Any] = {"key": entry.key.hex(), **turn._asdict(), "at": turn.at.isoformat()}
    del about["content"], about["ref"]
    if entry.fields is not None:
        about["memory"] = {
            name: value.isoformat() if isinstance(value, datetime) else value
            for name, value in entry.fields.items()
            if name != "content"
        }
    if entry.source is not None:
        about["source"] = list(entry.source)
    head = json.dumps(about, ensure_ascii=False).replace(">", "\\u003e")
    said = "\n".join(f"{_QUOTE} {line}" for line in turn.content.split("\n"))
    return f"\n{_OPEN}{head}{_CLOSE}\n{said}\n"


class ParsedPending(NamedTuple):
    entries: list[PendingEntry]
    rest: str
    """What is no entry; empty where only our own lines are left."""


def parse(text: str) -> ParsedPending:
    """The entries of a file, in order; of one that was written twice, the later."""
    found: dict[bytes, PendingEntry] = {}
    rest: list[str] = []
    about, said = None, list[str]()
    for line in [*text.split("\n"), ""]:
        if about is not None and line[:1] == _QUOTE:
            said.append(line[2:])
            continue
        if about is not None and said:
            entry = _entry(about, "\n".join(said))
            found[entry.key] = entry
        about, said = _about(line), []
        if about is None:
            rest.append(line)
    own = all(not line.strip() or line.startswith("# ") for line in rest)
    return ParsedPending(list(found.values()), "" if own else "\n".join(rest).strip("\n") + "\n")


def _about(line: str) -> dict[str, Any] | None:
    """What a comment of ours says; None for any other line."""
    if not (line.startswith(_OPEN) and line.rstrip().endswith(_CLOSE)):
        return None
    try:
        about = json.loads(line.rstrip()[len(_OPEN) : -len(_CLOSE)])
        _entry(about, "")
    except (ValueError, TypeError, KeyError, InputError):  # half of one, or it was changed
        return None
    return dict(about)


def _entry(about: Mapping[str, Any], content: str) -> PendingEntry:
    given = dict(about)
    key, memory, source = (
        bytes.fromhex(given.pop("key")),
        given.pop("memory", None),
        given.pop("source", None),
    )
    at = datetime.fromisoformat(given.pop("at"))
    if at.tzinfo is None or any(not isinstance(value, str) for value in given.values()):
        raise ValueError
    checked_text(given["session"], "session", MAX_SESSION)
    for name, known in (("role", ROLES), ("chat", CHATS), ("origin", ORIGINS)):
        choice(name, given[name], known)
    turn = Turn(content=content, at=at, **given)
    return PendingEntry(key, turn, _fields(memory, content), Source(*source) if source else None)


def _fields(memory: Mapping[str, Any] | None, content: str) -> Mapping[str, Any] | None:
    if memory is None:
        return None
    read: dict[str, Any] = {
        name: datetime.fromisoformat(value) if name in _TIMES and value else value
        for name, value in memory.items()
    }
    lists = {name: tuple(read[name]) for name in ("entities", "tags")}
    return {**checked({**read, **lists}, read["kind"], None), "content": content}


# On disk


class Pending:
    """The entries of one space that wait."""

    def __init__(self, folder: str, workspace: str, space: str, seal: Seal | None = None) -> None:
        self._folder = folder
        self._seal = seal
        self._name = space
        self.path = os.path.join(workspace, PENDING)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        try:
            lock = FileLock(os.path.join(self._folder, LOCK))
        except OSError as error:
            raise self._unwritable(error) from None
        try:
            if not lock.acquire(_WAIT):
                raise BusyStoreError("timed out waiting for the lock on {path}", path=self.path)
            yield
        except OSError as error:
            raise self._unwritable(error) from None
        finally:
            lock.close()

    def _unwritable(self, error: OSError) -> UnwritableStoreError:
        return UnwritableStoreError(
            "cannot write {path}: {reason}",
            hint="check the folder's permissions and the free disk space",
            path=self.path,
            reason=error.strerror or str(error),
        )

    def append(self, entries: Sequence[PendingEntry], now: datetime) -> list[bool]:
        """Keep entries, on disk when this returns; of each whether the day's file had it not."""
        with self._alone():
            os.makedirs(self.path, mode=0o700, exist_ok=True)
            path = os.path.join(self.path, f"{now:%Y-%m-%d}.md")
            text = self._text(path)
            known = {one.key: one.turn.content for one in parse(text).entries}
            new = []
            for entry in entries:
                new.append(_is_new(entry, known))
                known[entry.key] = entry.turn.content
            pairs = zip(entries, new, strict=True)
            added = "".join(text_of(one) for one, is_new in pairs if is_new)
            if added:
                head = "" if text else f"# {now:%Y-%m-%d}\n"
                broken = "" if text.endswith("\n") or not text else "\n"  # by a power cut
                _append(path, head + broken + self._shut(path, added))
                self._mark()
            return new

    def _shut(self, path: str, text: str) -> str:
        """Entries as they may stand in a file: as they are, or as one sealed line."""
        if self._seal is None:
            return text
        return self._seal.closed(text.encode(), os.path.basename(path)).decode() + "\n"

    def _text(self, path: str) -> str:
        """What a file says, with its sealed lines opened."""
        text = _read(path)
        if self._seal is None:
            return text
        name, found = os.path.basename(path), []
        for line in text.split("\n"):
            opened = self._seal.opened(line.encode(), name)
            found.append(line if opened is None else opened.decode())
        return "\n".join(found)

    def _mark(self) -> None:
        """Leave word that something waits, and of which space: there may be no database to ask."""
        marker = os.path.join(self._folder, OFF_MARKER)
        if not os.path.exists(marker):
            _append(marker, self._name)

    def entries(self, days: Iterable[str] = ()) -> list[PendingEntry]:
        """What waits, of these days or all, in order; nothing where it cannot be read."""
        wanted = [f"{day}.md" for day in days] or self._files()
        found: dict[bytes, PendingEntry] = {}
        for name in sorted(wanted):
            found |= {
                one.key: one for one in parse(self._text(os.path.join(self.path, name))).entries
            }
        return list(found.values())

    def _files(self) -> list[str]:
        try:
            return sorted(name for name in os.listdir(self.path) if name.endswith(".md"))
        except OSError:
            return []

    def reseal(self, seal: Seal | None) -> None:
        """Keep what waits under another seal, or under none."""
        from loxodon.security.overwriting import replace

        with self._alone():
            for name in self._files():
                path = os.path.join(self.path, name)
                parsed = parse(self._text(path))
                self._seal, before = seal, self._seal
                entries = "".join(map(text_of, parsed.entries))
                text = f"# {name.removesuffix('.md')}\n{self._shut(path, entries)}{parsed.rest}"
                replace(path, text.encode())
                self._seal = before
            self._seal = seal

    def take_in(self, memory: Memory) -> int:
        """Hand everything that waits to a memory that is on; how many entries it did not have."""
        with self._alone():
            taken = 0
            for name in self._files():
                path = os.path.join(self.path, name)
                parsed = parse(self._text(path))
                taken += memory.take_entries(parsed.entries)
                _leave(path, parsed.rest)
            if os.path.isdir(self.path) and not os.listdir(self.path):
                os.rmdir(self.path)
            if os.path.exists(marker := os.path.join(self._folder, OFF_MARKER)):
                os.unlink(marker)
            return taken


def _is_new(entry: PendingEntry, known: Mapping[bytes, str]) -> bool:
    """Whether an entry is to be written, by the words that stand in the file under each key.

    One whose end is missing there was cut by a full disk or a power cut: whoever said it got an
    error and says it again.
    """
    kept, said = known.get(entry.key), entry.turn.content
    if kept is None:
        return True
    whole = kept.rstrip("\ufffd")  # half of a character
    return len(whole) < len(said) and said.startswith(whole)


def _leave(path: str, rest: str) -> None:
    """Leave in a file what is not ours, once all that is ours is in the journal."""
    if not rest:
        os.unlink(path)
        return
    files.replace(path, rest.encode("utf-8"))


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace", newline="") as file:
            return file.read()
    except FileNotFoundError:
        return ""


def _append(path: str, text: str) -> None:
    with open(path, "a", encoding="utf-8", newline="", opener=files.private) as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
