"""What was said while the engine was off: plain text that is read back once it is on again.

    # 2026-02-04

    <!-- loxodon {"key": "3f2a…", "session": "monday", "role": "user", "at": "…", …} -->
    > 我对花生过敏

One file a day, in `memory/loxodon-pending/` of the workspace, where an agent and its owner can read
it. An entry is known by its key, as a turn of the journal is: whatever happens while it is taken
in, it is taken in once. What somebody else wrote into such a file stays there. Beside an encrypted
database an entry is one sealed line (`security/keys.py`).
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from loxodon import files
from loxodon.errors import BusyStoreError, InputError, unwritable
from loxodon.fields import checked, choice
from loxodon.filelock import FileLock
from loxodon.journal.identity import MAX_SESSION
from loxodon.layout import OFF_MARKER, PENDING
from loxodon.text.check import checked_text
from loxodon.types import CHATS, ORIGINS, ROLES, Source, Turn

if TYPE_CHECKING:
    from loxodon.memory import Memory
    from loxodon.security.keys import Seal

_WAIT = 30.0
_OPEN, _CLOSE = "<!-- loxodon ", " -->"


class PendingEntry(NamedTuple):
    """A turn, or a memory that was captured, that waits."""

    key: bytes
    turn: Turn
    fields: Mapping[str, Any] | None = None  # of a memory, as `capture` checked them
    source: Source | None = None


def _text_of(entry: PendingEntry) -> str:
    turn = entry.turn
    about: dict[str, Any] = {"key": entry.key.hex(), **turn._asdict()}
    del about["content"], about["ref"]
    if entry.fields is not None:
        about["memory"] = {n: value for n, value in entry.fields.items() if n != "content"}
    if entry.source is not None:
        about["source"] = list(entry.source)
    head = json.dumps(about, ensure_ascii=False, default=datetime.isoformat)
    said = turn.content.replace("\n", "\n> ")
    return f"\n{_OPEN}{head.replace('>', chr(92) + 'u003e')}{_CLOSE}\n> {said}\n"


def _parsed(text: str) -> tuple[dict[bytes, PendingEntry], str]:
    """The entries of a file, of one that was written twice the later; and what is no entry, empty
    where only our own lines are left."""
    found: dict[bytes, PendingEntry] = {}
    rest: list[str] = []
    entry: PendingEntry | None = None
    said: list[str] = []
    for line in [*text.split("\n"), ""]:
        if entry is not None and line[:1] == ">":
            said.append(line[2:])
            continue
        if entry is not None and said:
            content = "\n".join(said)
            fields = entry.fields and {**entry.fields, "content": content}
            turn = entry.turn._replace(content=content)
            found[entry.key] = entry._replace(turn=turn, fields=fields)
        entry, said = _entry(line), []
        if entry is None:
            rest.append(line)
    if all(not line.strip() or line.startswith("# ") for line in rest):
        return found, ""
    return found, "\n".join(rest).strip("\n") + "\n"


def _entry(line: str) -> PendingEntry | None:
    """What a comment of ours says; None for any other line, and one that was cut or changed."""
    if not (line.startswith(_OPEN) and line.rstrip().endswith(_CLOSE)):
        return None
    try:
        given = json.loads(line.rstrip()[len(_OPEN) : -len(_CLOSE)])
        key, at = bytes.fromhex(given.pop("key")), datetime.fromisoformat(given.pop("at"))
        memory, source = given.pop("memory", None), given.pop("source", None)
        if at.tzinfo is None or any(not isinstance(value, str) for value in given.values()):
            return None
        checked_text(given["session"], "session", MAX_SESSION)
        for name, known in (("role", ROLES), ("chat", CHATS), ("origin", ORIGINS)):
            choice(name, given[name], known)
        if memory is not None:
            if memory.get("expires_at"):
                memory["expires_at"] = datetime.fromisoformat(memory["expires_at"])
            memory = checked(memory, memory["kind"], None)
        turn = Turn(content="", at=at, **given)
        return PendingEntry(key, turn, memory, Source(*source) if source else None)
    except (ValueError, TypeError, KeyError, AttributeError, InputError):
        return None


class Pending:
    """The entries of one space that wait."""

    def __init__(self, folder: str, workspace: str, space: str, seal: Seal | None = None) -> None:
        self._folder = folder
        self._seal = seal
        self._name = space
        self.path = os.path.join(workspace, PENDING)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        lock = None
        try:
            lock = FileLock(os.path.join(self._folder, "pending.lock"))
            if not lock.acquire(_WAIT):
                raise BusyStoreError("timed out waiting for the lock on {path}", path=self.path)
            yield
        except OSError as error:
            raise unwritable(self.path, error) from None
        finally:
            if lock:
                lock.close()

    def append(self, entries: Sequence[PendingEntry], now: datetime) -> list[bool]:
        """Keep entries, on disk when this returns; of each whether the day's file had it not."""
        with self._alone():
            os.makedirs(self.path, mode=0o700, exist_ok=True)
            name = f"{now:%Y-%m-%d}.md"
            text = self._text(name)
            known = {key: one.turn.content for key, one in _parsed(text)[0].items()}
            new = []
            for entry in entries:
                # One that was cut by a full disk or a power cut is said again.
                new.append(known.get(entry.key) != entry.turn.content)
                known[entry.key] = entry.turn.content
            pairs = zip(entries, new, strict=True)
            if added := "".join(_text_of(one) for one, is_new in pairs if is_new):
                begin = "" if text else f"# {now:%Y-%m-%d}\n"
                broken = "" if text.endswith("\n") or not text else "\n"
                data = begin + broken + self._shut(name, added)
                files.append(os.path.join(self.path, name), data.encode("utf-8"))
                marker = os.path.join(self._folder, OFF_MARKER)
                if not os.path.exists(marker):  # there may be no database to ask for the space
                    files.append(marker, self._name.encode("utf-8"))
            return new

    def _shut(self, name: str, text: str) -> str:
        """Entries as they may be in a file: as they are, or as one sealed line."""
        return self._seal.closed(text.encode(), name).decode() + "\n" if self._seal else text

    def _text(self, name: str) -> str:
        """What a file says, with its sealed lines opened."""
        try:
            text = files.read(os.path.join(self.path, name)).decode("utf-8", "replace")
        except FileNotFoundError:
            return ""
        if self._seal is None:
            return text
        lines = text.split("\n")
        opened = [self._seal.opened(line.encode(), name) for line in lines]
        pairs = zip(lines, opened, strict=True)
        return "\n".join(line if text is None else text.decode() for line, text in pairs)

    def entries(self, days: Iterable[str] = ()) -> list[PendingEntry]:
        """What waits, of these days or all, in order."""
        found: dict[bytes, PendingEntry] = {}
        for name in sorted(f"{day}.md" for day in days) or self._files():
            found |= _parsed(self._text(name))[0]
        return list(found.values())

    def _files(self) -> list[str]:
        return [name for name in files.names(self.path) if name.endswith(".md")]

    def reseal(self, seal: Seal | None) -> None:
        """Keep what waits under another seal, or under none."""
        from loxodon.security.overwriting import replace

        with self._alone():
            texts = {name: _parsed(self._text(name)) for name in self._files()}
            self._seal = seal
            for name, (entries, rest) in texts.items():
                shut = self._shut(name, "".join(map(_text_of, entries.values())))
                text = f"# {name.removesuffix('.md')}\n{shut}{rest}"
                replace(os.path.join(self.path, name), text.encode())

    def take_in(self, memory: Memory) -> None:
        """Hand everything that waits to a memory that is on."""
        with self._alone():
            for name in self._files():
                path = os.path.join(self.path, name)
                entries, rest = _parsed(self._text(name))
                memory.take_entries(list(entries.values()))
                if rest:
                    files.replace(path, rest.encode("utf-8"))
                else:
                    os.unlink(path)
            if os.path.isdir(self.path) and not os.listdir(self.path):
                os.rmdir(self.path)
            if os.path.exists(marker := os.path.join(self._folder, OFF_MARKER)):
                os.unlink(marker)
