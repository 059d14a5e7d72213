"""The engine switched off (`enabled = false`, `LOXODON_ENABLED=false`): plain files stand in.

A recall hands over MEMORY.md, the notes of today and yesterday, and what waits: what is said or
captured is a line of JSON in `memory/loxodon-pending.jsonl` of the workspace until the engine is
on again. The database is not touched; whatever needs it says that it is off.

    {"key": "3f2a…", "session": "monday", "role": "user", "content": "我对花生过敏", "at": "…", …}

An entry is taken in once, by its key; other lines stay. An encrypted database has them sealed.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from loxodon import files
from loxodon.errors import InputError, disk_errors
from loxodon.fields import checked, is_text, number
from loxodon.filelock import alone
from loxodon.guard import speakers
from loxodon.guard.guard import LATELY
from loxodon.journal.identity import MAX_SESSION, unmarked, with_keys
from loxodon.journal.jsonl import draft_from_mapping
from loxodon.layout import OFF_MARKER, PENDING
from loxodon.memory import Memory
from loxodon.recall.fit import block
from loxodon.security.keys import Seal
from loxodon.security.permissions import placed
from loxodon.status import Status
from loxodon.text.check import checked_text
from loxodon.text.language import language_of
from loxodon.tokens import cut
from loxodon.types import Added, Chat, Draft, Gate, Item, LeftOut, Recall, Record, Source, Turn

_LARGEST = 1 << 20  # bytes of a note that are read: more than any budget has room for
_WAIT = 30.0  # seconds for whoever else writes what waits


class PendingEntry(NamedTuple):
    """A turn, or a memory that was captured, that waits."""

    key: bytes
    turn: Turn
    fields: Mapping[str, Any] | None = None  # of a memory, as `capture` checked them
    source: Source | None = None


class Pending:
    def __init__(self, folder: str, workspace: str, space: str, keys: Sequence[bytes] = ()) -> None:
        self._folder, self._space, self._seal = folder, space, Seal(keys) if keys else None
        self._path = os.path.join(workspace, PENDING)

    def append(self, entries: Sequence[PendingEntry]) -> int:
        """Keep entries, on disk when this returns; how many of them did not wait already."""
        with self._changing() as waiting:
            new = {one.key: one for one in entries if one.key not in waiting}
            waiting.update(new)
            # There may be no database to ask for the space.
            files.replace(os.path.join(self._folder, OFF_MARKER), self._space.encode())
        return len(new)

    def reseal(self, seal: Seal | None) -> None:
        """Keep what waits under another seal, or under none."""
        with self._changing():
            self._seal = seal

    def take_in(self, memory: Memory) -> None:
        """Hand everything that waits to a memory that is on."""
        with self._changing() as waiting:
            memory.take_entries(list(waiting.values()))
            waiting.clear()
        with suppress(FileNotFoundError):
            os.unlink(os.path.join(self._folder, OFF_MARKER))

    def entries(self) -> list[PendingEntry]:
        return list(self._read()[0].values())

    @contextmanager
    def _changing(self) -> Iterator[dict[bytes, PendingEntry]]:
        """What waits, for one program at a time to change; it is on disk afterwards."""
        lock = os.path.join(self._folder, "pending.lock")
        with disk_errors(self._path), alone(lock, _WAIT):
            entries, rest = self._read()
            yield entries
            lines = [_line(one, self._seal) for one in entries.values()]
            os.makedirs(os.path.dirname(self._path), mode=0o700, exist_ok=True)
            files.replace(self._path, b"\n".join([*lines, *rest, b""]))
            if not lines and not rest:
                os.unlink(self._path)

    def _read(self) -> tuple[dict[bytes, PendingEntry], list[bytes]]:
        """The entries, and the lines that are none: cut off, changed, or somebody else's."""
        found, rest = dict[bytes, PendingEntry](), list[bytes]()
        data = files.read(self._path) if os.path.exists(self._path) else b""
        for line in filter(bytes.strip, data.split(b"\n")):
            try:
                text = self._seal.opened(line, PENDING) if self._seal else line
                entry = _entry(json.loads(text or b""))
                found[entry.key] = entry
            except (ValueError, TypeError, LookupError, AttributeError, InputError):
                rest.append(line)
        return found, rest


def _line(entry: PendingEntry, seal: Seal | None) -> bytes:
    about = {"key": entry.key.hex(), **entry.turn._asdict()}
    about |= {"memory": entry.fields, "source": entry.source} if entry.fields else {}
    line = json.dumps(about, ensure_ascii=False, default=datetime.isoformat).encode()
    return seal.closed(line, PENDING) if seal else line


def _entry(given: dict[str, Any]) -> PendingEntry:
    key, memory, source = bytes.fromhex(given["key"]), given.get("memory"), given.get("source")
    at, agent = datetime.fromisoformat(given["at"]), str(given["agent"])
    draft = draft_from_mapping({**given, "at": at}, 1, at.tzinfo)._replace(agent=agent)
    ((turn, _),) = with_keys([draft], draft.session, at)
    if memory is not None:
        if memory["expires_at"]:
            memory["expires_at"] = datetime.fromisoformat(memory["expires_at"])
        memory = checked({**memory, "content": turn.content}, memory["kind"], None)
    return PendingEntry(key, turn, memory, Source(*source) if source else None)


class PlainMemory(Memory):
    """A memory whose engine is off. Made by `Memory.open`."""

    @property
    def pending(self) -> Pending:
        return Pending(self.folder, self.workspace.path, self.space, self.keys)

    def add_drafts(
        self,
        drafts: Sequence[Draft],
        names: Sequence[str],
        progress: Callable[[int, int], None] | None = None,
        *,
        live: bool = False,
        me: Collection[str] = (),
    ) -> Added:
        if self.paused:
            return Added(0, 0, 0, (), paused=len(drafts))
        drafts, names = placed(drafts, names, self._store.wall)
        session = self.guard.name(checked_text(names[0], "session", MAX_SESSION))
        said = [one.turn for one in self.pending.entries() if one.fields is None]

        def lately(name: str) -> list[str]:
            return [one.content for one in said if one.session == (name or session)][-LATELY:]

        drafts = self.guard.drafts(drafts, lately)
        keyed = with_keys(drafts, session, self.now())
        if live and len(keyed) == 1 and unmarked(drafts, keyed):
            keyed = [(keyed[0][0], os.urandom(16))]  # who says `yes` again says it again
        keyed = speakers.attributed(keyed, me, self._store.wall)
        new = self.pending.append([PendingEntry(key, turn) for turn, key in keyed])
        sessions = tuple(dict.fromkeys(turn.session for turn, _ in keyed))
        return Added(new, len(keyed) - new, 0, sessions, people=speakers.people(keyed))

    def _once(self, token: str, request: bytes, do: Callable[[], Record]) -> Record:
        return do()  # the key of what is captured is made of the request

    def _keep(
        self,
        said: Turn,
        key: bytes,
        fields: Mapping[str, Any],
        source: Source | None,
        noted: bool = False,
    ) -> Record:
        self.pending.append([PendingEntry(key, said, fields, source)])
        id, at = f"pending_{key.hex()[:8]}", said.at
        return Record(id, self.space, created_at=at, updated_at=at, strength=1.0, **fields)

    # What was said, and what is known, cannot be looked up now.

    def _is_borne_out(self, content: str) -> bool:
        return False

    def _known(self, content: str, audience: str) -> None:
        return None

    def _known_names(self) -> None:
        return None

    def recall(
        self,
        query: str,
        top: int | None = None,
        budget: int | None = None,
        *,
        chat: Chat = "direct",
        reveal: bool = False,
        **filters: object,
    ) -> Recall:
        """The notes of now and what waits, whatever is asked; groups get none."""
        is_text("query", query)
        budget = self.config.recall.budget if budget is None else number("budget", budget)
        items = list(self._items(budget)) if self.within(chat=chat).chat == "direct" else []
        items = [one._replace(content=self.guard.shown(one.content, True, reveal)) for one in items]
        text, tokens, shown = block(items, budget, self.count, language_of(query))
        left = len(items) - len(shown)
        out = (LeftOut("budget", left),) if left else ()
        return Recall(query, Gate(True, "asked"), shown, out, text, tokens, 0.0)

    def _items(self, budget: int) -> Iterator[Item]:
        days = [self.now() - timedelta(days=n) for n in range(2)]
        shares = {"MEMORY.md": 3} | {f"memory/{day:%Y-%m-%d}.md": 4 for day in days}
        for name, share in shares.items():
            if text := cut(self._read(name), budget // share, self.count).strip():
                source = Source(file=os.path.join(self.workspace.path, name), line=1)
                yield Item(f"n_{name}", "note", text, 1.0, self.now(), "active", (source,), {})
        for key, turn, fields, _ in reversed(self.pending.entries()):
            if not turn.agent or self._store.wall.agent in ("", turn.agent):
                id, kind = f"pending_{key.hex()[:8]}", fields["kind"] if fields else "turn"
                source = Source(turn.session, turn.id)
                yield Item(id, kind, turn.content, 1.0, turn.at, "active", (source,), {})

    def _read(self, name: str) -> str:
        """One of the owner's files, without secrets; for the agents, and not for a group."""
        if self.chat != "direct":
            return ""
        try:
            with open(os.path.join(self.workspace.path, name), "rb") as file:
                return self.guard.clean(file.read(_LARGEST).decode("utf-8-sig", "replace"))
        except OSError:  # there is none, or it is not for us to read
            return ""

    def snapshot(self, language: str = "en", *, project: str = "") -> str:
        """MEMORY.md, as far as the budget goes."""
        text = self.guard.shown(self._read("MEMORY.md"), private=True)
        return cut(text, self.config.snapshot.budget, self.count)

    def profile(self, language: str = "en", *, refresh: bool = False) -> str:
        return self.snapshot(language)

    def status(self) -> Status:
        """Where it stands; of what is in the database, nothing."""
        at = [one.turn.at for one in self.pending.entries()]
        found = Status(self.home, self.space, pending=len(at), enabled=False, paused=self.paused)
        return found._replace(last_turn_at=max(at, default=None))
