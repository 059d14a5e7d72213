"""The engine switched off (`enabled = false`, `LOXODON_ENABLED=false`): plain files stand in.

A recall hands over MEMORY.md and the daily notes of today and yesterday; what is said or captured
waits as text, one file a day in `memory/loxodon-pending/` of the workspace, and is taken in when
the engine is on again. The database is not touched; whatever needs it says that it is off.

    <!-- loxodon {"key": "3f2a…", "session": "monday", "role": "user", "at": "…", …} -->
    > 我对花生过敏

An entry is taken in once, by its key. What somebody else wrote into such a file stays there.
Beside an encrypted database entries are sealed lines (`security/keys.py`).
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from loxodon import files
from loxodon.consolidate.pipeline import Consolidated
from loxodon.errors import BusyStoreError, InputError, unwritable
from loxodon.fields import checked, is_text, number
from loxodon.filelock import FileLock
from loxodon.guard import speakers
from loxodon.guard.guard import LATELY
from loxodon.journal.identity import MAX_SESSION, unmarked, with_keys
from loxodon.journal.jsonl import draft_from_mapping
from loxodon.layout import OFF_MARKER, PENDING
from loxodon.memory import Memory
from loxodon.recall.fit import block
from loxodon.recall.gate import State, should_recall
from loxodon.security.permissions import placed
from loxodon.status import Status
from loxodon.text.check import checked_text
from loxodon.text.language import language_of
from loxodon.tokens import cut
from loxodon.types import Added, Chat, Draft, Gate, Item, LeftOut, Recall, Record, Source, Turn

if TYPE_CHECKING:
    from loxodon.security.keys import Seal

_LARGEST = 1 << 20  # bytes of a note that are read: more than any budget has room for
_WAIT = 30.0
_ENTRY = re.compile(r"^<!-- loxodon (\{.*\}) -->\n((?:>.*(?:\n|\Z))+)", re.MULTILINE)


class PendingEntry(NamedTuple):
    """A turn, or a memory that was captured, that waits."""

    key: bytes
    turn: Turn
    fields: Mapping[str, Any] | None = None  # of a memory, as `capture` checked them
    source: Source | None = None


class Pending:
    def __init__(self, folder: str, workspace: str, space: str, seal: Seal | None = None) -> None:
        self._folder, self._space, self._seal = folder, space, seal
        self.path = os.path.join(workspace, PENDING)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        try:
            with closing(FileLock(os.path.join(self._folder, "pending.lock"))) as lock:
                if not lock.acquire(_WAIT):
                    raise BusyStoreError("timed out waiting for the lock on {path}", path=self.path)
                yield
        except OSError as error:
            raise unwritable(self.path, error) from None

    def append(self, entries: Sequence[PendingEntry], now: datetime) -> int:
        """Keep entries, on disk when this returns; how many the day's file had not."""
        with self._alone():
            os.makedirs(self.path, mode=0o700, exist_ok=True)
            name = f"{now:%Y-%m-%d}.md"
            text = self._text(name)
            # One that was cut by a full disk or a power cut is said again.
            known = {(key, one.turn.content) for key, one in _parsed(text)[0].items()}
            new = {one.key: one for one in entries if (one.key, one.turn.content) not in known}
            if new:
                begin = f"# {now:%Y-%m-%d}\n" if not text else "" if text[-1] == "\n" else "\n"
                data = begin + self._sealed(name, new.values())
                files.append(os.path.join(self.path, name), data.encode("utf-8"))
                marker = os.path.join(self._folder, OFF_MARKER)
                if not os.path.exists(marker):  # there may be no database to ask for the space
                    files.append(marker, self._space.encode("utf-8"))
            return len(new)

    def _sealed(self, name: str, entries: Iterable[PendingEntry]) -> str:
        text = "".join(map(_text_of, entries))
        return self._seal.closed(text.encode(), name).decode() + "\n" if self._seal else text

    def _text(self, name: str) -> str:
        """What a file says, with its sealed lines opened."""
        try:
            lines = files.read(os.path.join(self.path, name)).split(b"\n")
        except FileNotFoundError:
            return ""
        if seal := self._seal:
            lines = [line if (text := seal.opened(line, name)) is None else text for line in lines]
        return b"\n".join(lines).decode("utf-8", "replace")

    def _files(self) -> list[str]:
        return sorted(name for name in files.names(self.path) if name.endswith(".md"))

    def entries(self, days: Collection[str] = ()) -> list[PendingEntry]:
        """What waits, of these days or all, in order."""
        found: dict[bytes, PendingEntry] = {}
        for name in self._files():
            if not days or name.removesuffix(".md") in days:
                found |= _parsed(self._text(name))[0]
        return list(found.values())

    def reseal(self, seal: Seal | None) -> None:
        """Keep what waits under another seal, or under none."""
        with self._alone():
            texts = {name: _parsed(self._text(name)) for name in self._files()}
            self._seal = seal
            for name, (entries, rest) in texts.items():
                shut = self._sealed(name, entries.values())
                text = f"# {name.removesuffix('.md')}\n{shut}{rest}"
                files.replace(os.path.join(self.path, name), text.encode())

    def take_in(self, memory: Memory) -> None:
        """Hand everything that waits to a memory that is on."""
        with self._alone():
            for name in self._files():
                path = os.path.join(self.path, name)
                entries, rest = _parsed(self._text(name))
                memory.take_entries(list(entries.values()))
                files.replace(path, rest.encode("utf-8")) if rest else os.unlink(path)
            with suppress(OSError):  # there is none, or somebody keeps something in it
                os.rmdir(self.path)
            with suppress(FileNotFoundError):
                os.unlink(os.path.join(self._folder, OFF_MARKER))


def _text_of(entry: PendingEntry) -> str:
    about: dict[str, Any] = {"key": entry.key.hex(), **entry.turn._asdict()}
    del about["content"], about["ref"]
    if entry.fields is not None:
        about["memory"] = {n: value for n, value in entry.fields.items() if n != "content"}
    if entry.source is not None:
        about["source"] = list(entry.source)
    head = json.dumps(about, ensure_ascii=False, default=datetime.isoformat)
    said = entry.turn.content.replace("\n", "\n> ")
    return f"\n<!-- loxodon {head.replace('>', chr(92) + 'u003e')} -->\n> {said}\n"


def _parsed(text: str) -> tuple[dict[bytes, PendingEntry], str]:
    """The entries of a file, and what is no entry, empty where only our own lines are left."""
    found: dict[bytes, PendingEntry] = {}

    def taken(written: re.Match[str]) -> str:
        content = "\n".join(line[2:] for line in written[2].removesuffix("\n").split("\n"))
        try:
            entry = _entry(json.loads(written[1]), content)
        except (ValueError, TypeError, KeyError, AttributeError, InputError):
            return written[0]  # somebody changed it
        found[entry.key] = entry
        return ""

    rest = _ENTRY.sub(taken, text)
    if all(not line.strip() or line.startswith("# ") for line in rest.split("\n")):
        return found, ""
    return found, rest.strip("\n") + "\n"


def _entry(given: dict[str, Any], content: str) -> PendingEntry:
    at, memory, source = datetime.fromisoformat(given["at"]), given.get("memory"), None
    draft = draft_from_mapping({**given, "at": at, "content": content}, 1, at.tzinfo)
    if memory is not None:
        if memory.get("expires_at"):
            memory["expires_at"] = datetime.fromisoformat(memory["expires_at"])
        memory = checked({**memory, "content": content}, memory["kind"], None)
        source = Source(*given["source"]) if "source" in given else None
    ((turn, _),) = with_keys([draft._replace(agent=given["agent"] + "")], draft.session, at)
    return PendingEntry(bytes.fromhex(given["key"]), turn, memory, source)


class PlainMemory(Memory):
    """A memory whose engine is off. Made by `Memory.open`."""

    @property
    def pending(self) -> Pending:
        return Pending(self._space.folder, self.workspace.path, self.space, self.seal)

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
        said = [one.turn for one in self._entries() if one.fields is None]

        def lately(name: str) -> list[str]:
            return [one.content for one in said if one.session == (name or session)][-LATELY:]

        drafts = self.guard.drafts(drafts, lately)
        keyed = with_keys(drafts, session, self.now())
        if live and len(keyed) == 1 and unmarked(drafts, keyed):
            keyed = [(keyed[0][0], os.urandom(16))]  # who says `yes` again says it again
        keyed = speakers.attributed(keyed, me, self._store.wall)
        new = self.pending.append([PendingEntry(key, turn) for turn, key in keyed], self.now())
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
        self.pending.append([PendingEntry(key, said, fields, source)], said.at)
        id, at = f"pending_{key.hex()[:8]}", said.at
        return Record(id, self.space, created_at=at, updated_at=at, strength=1.0, **fields)

    # What was said, and what is known, cannot be looked up now.

    def _is_borne_out(self, content: str) -> bool:
        return False

    def _known(self, content: str, audience: str) -> Record | None:
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
        """MEMORY.md and the notes of today and yesterday, whatever is asked; groups get none."""
        is_text("query", query)
        budget = self.config.recall.budget if budget is None else number("budget", budget)
        items: list[Item] = []
        if self.within(chat=chat).chat == "direct":
            items += self._note("MEMORY.md", budget // 3)
            for day in self._days():
                items += self._note(os.path.join("memory", f"{day}.md"), budget // 4)
            for key, turn, fields, _ in reversed(self._entries()):
                kind = "turn" if fields is None else str(fields.get("kind", "fact"))
                id, source = f"pending_{key.hex()[:8]}", Source(turn.session, turn.id)
                items.append(_item(id, kind, turn.content, turn.at, source))
        items = [one._replace(content=self.guard.shown(one.content, True, reveal)) for one in items]
        shown = block(items, budget, self._space.count, language_of(query))
        left = len(items) - len(shown.items)
        out = (LeftOut("budget", left),) if left else ()
        return Recall(query, Gate(True, "asked"), shown.items, out, shown.text, shown.tokens, 0.0)

    def _note(self, name: str, most: int) -> list[Item]:
        """A note as far as `most` tokens go; none where there is none."""
        text = cut(self._read(name), most, self._space.count).strip()
        source = Source(file=os.path.join(self.workspace.path, name), line=1)
        return [_item(f"n_{name}", "note", text, self.now(), source)] if text else []

    def _days(self) -> list[str]:
        return [f"{self.now() - timedelta(days=n):%Y-%m-%d}" for n in range(2)]

    def _entries(self) -> list[PendingEntry]:
        """What waits since yesterday and can be seen from behind the wall, if one stands."""
        wall = self._store.wall
        return [
            one
            for one in self.pending.entries(self._days())
            if (not wall.agent or one.turn.agent in ("", wall.agent))
            and not (wall.group and (one.turn.chat == "direct" or one.fields is not None))
        ]

    def _read(self, name: str) -> str:
        """One of the owner's files, without secrets; for the agents, and not for a group."""
        if self.chat != "direct":
            return ""
        try:
            with open(os.path.join(self.workspace.path, name), "rb") as file:
                return self.guard.clean(file.read(_LARGEST).decode("utf-8-sig", "replace"))
        except OSError:  # there is none, or it is not for us to read
            return ""

    def gate(self, message: str, *, chat: Chat = "direct", state: State | None = None) -> Gate:
        is_text("message", message)
        return should_recall(message, state or State())

    def snapshot(self, language: str = "en", *, project: str = "") -> str:
        """MEMORY.md, as far as the budget goes."""
        text = self.guard.shown(self._read("MEMORY.md"), private=True)
        return cut(text, self.config.snapshot.budget, self._space.count)

    def profile(self, language: str = "en", *, refresh: bool = False) -> str:
        return self.snapshot(language)

    def _run(self, run: object) -> Consolidated:
        return Consolidated(False, "switched off")

    def flush_due(self, began: datetime | None = None) -> str:
        return ""

    def consolidation_due(self) -> str:
        return ""

    def status(self) -> Status:
        """Where it stands; of what is in the database, nothing."""
        at = [one.turn.at for one in self.pending.entries()]
        nothing = Status(self.home, self.space, *[0] * 17)  # type: ignore[arg-type]
        found = nothing._replace(last_consolidation=None, next_consolidation=None, due="", error="")
        return found._replace(
            last_turn_at=max(at, default=None),
            pending=len(at),
            stopped=False,
            enabled=False,
            paused=self.paused,
        )


def _item(id: str, kind: str, text: str, at: datetime, source: Source) -> Item:
    return Item(id, kind, text, 1.0, at, "active", (source,), {})
