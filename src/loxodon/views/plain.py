"""The engine switched off (`enabled = false`, `LOXODON_ENABLED=false`): plain files stand in.

A recall hands over MEMORY.md and the daily notes of today and yesterday; what is said or captured
is appended to text files (`pending.py`), which are taken in when the engine is on again. The
database is not touched, and need not even be there. Whatever needs it says that it is off.
"""

from __future__ import annotations

import os
from collections import Counter as Counts
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import zip_longest
from time import perf_counter
from typing import TYPE_CHECKING, Any

from loxodon.consolidate.pipeline import Consolidated
from loxodon.fields import is_text, number
from loxodon.guard import speakers
from loxodon.guard.guard import LATELY
from loxodon.journal.identity import MAX_SESSION, said_again, unmarked, with_keys
from loxodon.memory import Memory
from loxodon.notes.chunk import chunks
from loxodon.recall import assemble as frames
from loxodon.recall.context import block, snippet
from loxodon.recall.gate import State as Conversation
from loxodon.recall.gate import should_recall
from loxodon.security.permissions import placed
from loxodon.status import Status
from loxodon.store import FileRole, Progress
from loxodon.text.check import checked_text
from loxodon.text.language import language_of
from loxodon.text.quote import clean
from loxodon.text.words import fold
from loxodon.tokens import cut
from loxodon.types import (
    Added,
    Chat,
    Draft,
    Frame,
    Gate,
    Item,
    LeftOut,
    Recall,
    Record,
    Source,
    Turn,
)
from loxodon.views.pending import Pending, PendingEntry

if TYPE_CHECKING:
    from loxodon.consolidate.pipeline import OnPhase

_LARGEST = 1 << 20  # bytes of a file that are read: more than any budget has room for
_SHOWN = 700
_NOT_RUN = Consolidated(False, "switched off")


class PlainMemory(Memory):
    """A memory whose engine is off. Made by `Memory.open`."""

    @property
    def pending(self) -> Pending:
        """What waits until the engine is on."""
        return Pending(self._space.folder, self.workspace.path, self.space, self.seal)

    # What is said

    def add_drafts(
        self,
        drafts: Sequence[Draft],
        names: Sequence[str],
        progress: Progress | None = None,
        *,
        live: bool = False,
        me: Collection[str] = (),
    ) -> Added:
        if self.paused:
            return Added(0, 0, 0, (), paused=len(drafts))
        drafts, names = placed(drafts, names, self._store.wall)
        session = self.guard.name(checked_text(names[0], "session", MAX_SESSION))
        drafts = self.guard.drafts(drafts, lambda name: self._lately(name or session))
        now = self.now()
        keyed = with_keys(drafts, session, now)
        if live and (anew := unmarked(drafts, keyed)):
            # Whether a session has begun is in the database: one turn alone goes on with it.
            waiting = {one.key: one.turn.session for one in self.pending.entries()}
            sizes = Counts(waiting.values())
            keyed = said_again(
                keyed,
                anew,
                lambda turns: [waiting.get(key) for _, key in turns],
                lambda session: sizes[session] or int(len(keyed) == 1),
            )
        keyed = speakers.attributed(keyed, me, self._store.wall)
        new = self.pending.append([PendingEntry(key, turn) for turn, key in keyed], now)
        if progress:
            progress(len(keyed), len(keyed))
        sessions = tuple(dict.fromkeys(turn.session for turn, _ in keyed))
        known = len(new) - sum(new)
        return Added(sum(new), known, 0, sessions, people=speakers.people(keyed))

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
        return Record(
            id=f"pending_{key.hex()[:8]}",
            space=self._space.name,
            created_at=said.at,
            updated_at=said.at,
            strength=1.0,
            **fields,
        )

    # What was said, and what is known, cannot be looked up now.

    def _is_borne_out(self, content: str) -> bool:
        return False

    def _said_in(self, content: str, quote: str) -> Turn | None:
        return None

    def _known(self, content: str, audience: str) -> Record | None:
        return None

    # What is remembered

    def recall(
        self,
        query: str,
        top: int | None = None,
        budget: int | None = None,
        *,
        chat: Chat = "direct",
        in_view: Iterable[str] = (),
        reveal: bool = False,
        **filters: object,
    ) -> Recall:
        """MEMORY.md and the notes of today and yesterday, as far as the budget goes.

        Nothing is looked for, so filters do not count. In a group there is nothing to tell.
        """
        is_text("query", query)
        started, count = perf_counter(), self._space.count
        budget = self.config.recall.budget if budget is None else number("budget", budget)
        seen = frozenset(map(fold, in_view))
        direct = self.within(chat=chat).chat == "direct"
        lasting, recent = self._chunked("MEMORY.md", "memory"), self._recent()
        # In turn, so that what was written last has room however long MEMORY.md is.
        both = [one for pair in zip_longest(recent, lasting) for one in pair if one and direct]
        items = [
            one._replace(content=self.guard.shown(one.content, True, reveal))
            for one in both
            if fold(one.content) not in seen
        ]
        shown = block(items, budget, count, language_of(query))
        left = len(items) - len(shown.items)
        return Recall(
            query,
            Gate(True, "asked"),
            shown.items,
            (LeftOut("budget", left),) if left else (),
            shown.text,
            shown.tokens,
            round((perf_counter() - started) * 1e3, 3),
        )

    def assemble(
        self,
        message: str,
        *,
        soul: str | None = None,
        workspace: str | os.PathLike[str] | None = None,
        history: Iterable[str | Mapping[str, object]] = (),
        chat: Chat = "direct",
        state: Conversation | None = None,
        top: int | None = None,
        budget: int | None = None,
    ) -> Frame:
        is_text("message", message)
        heard = self.within(chat=chat)
        if soul is None:
            soul = frames.soul_in([*([os.fspath(workspace)] if workspace else []), self.home])
        direct = heard.chat == "direct"
        material = frames.Material(
            message,
            soul,
            clean(self._read("MEMORY.md")) if direct else "",
            [one.turn for one in self._entries() if one.fields is None] if direct else [],
            frames.texts_of(history),
            self.now(),
            lambda text: self.guard.shown(text, direct),
        )
        # MEMORY.md stands in the place of the profile already.
        told = {one.content for one in self._chunked("MEMORY.md", "memory")}
        return frames.assemble(
            material,
            state or Conversation(),
            lambda room, seen: self.recall(message, top, room, chat=chat, in_view=seen | told),
            self.config.recall.frame if budget is None else number("budget", budget),
            self.config.recall.budget,
            self._space.count,
        )

    def gate(
        self, message: str, *, chat: Chat = "direct", state: Conversation | None = None
    ) -> Gate:
        is_text("message", message)
        return should_recall(message, state or Conversation())

    def snapshot(self, language: str = "en", *, project: str = "") -> str:
        """MEMORY.md, as far as the budget goes."""
        text = self.guard.shown(self._read("MEMORY.md"), private=True)
        return cut(text, self.config.snapshot.budget, self._space.count)

    def profile(self, language: str = "en", *, refresh: bool = False) -> str:
        return self.snapshot(language)

    def _recent(self) -> list[Item]:
        """The daily notes and what was said, newest first."""
        found: list[Item] = []
        for day in self._days():
            found += reversed(self._chunked(os.path.join("memory", f"{day}.md"), "daily"))
        said = []
        for n, one in enumerate(self._entries()):
            kind = "turn" if one.fields is None else str(one.fields.get("kind", "fact"))
            source = Source(session=one.turn.session, turn=one.turn.id or f"#{n + 1}")
            id, at = f"pending_{one.key.hex()[:8]}", one.turn.at
            said.append(_item(id, kind, one.turn.content, at, source))
        return found + said[::-1]

    def _chunked(self, name: str, role: FileRole) -> list[Item]:
        path, now = os.path.join(self.workspace.path, name), self.now()
        found = []
        for one in chunks(self._read(name).splitlines(), name, role, self._space.zone):
            source = Source(file=path, line=one.first_line)
            id = f"n_{name}:{one.first_line}"
            found.append(_item(id, "note", one.text, one.at or now, source))
        return found

    def _days(self) -> list[str]:
        """Today and yesterday."""
        return [f"{self.now() - timedelta(days=n):%Y-%m-%d}" for n in range(2)]

    def _lately(self, session: str) -> list[str]:
        """The last texts of a session, oldest first."""
        said = (one.turn for one in self._entries() if one.fields is None)
        return [turn.content for turn in said if turn.session == session][-LATELY:]

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

    # What waits

    def consolidate(
        self,
        *,
        force: bool = False,
        if_due: bool = False,
        phase: int | None = None,
        progress: OnPhase | None = None,
    ) -> Consolidated:
        return _NOT_RUN

    def flush(self) -> Consolidated:
        return _NOT_RUN

    def flush_due(self, began: datetime | None = None) -> str:
        return ""

    def consolidation_due(self) -> str:
        return ""

    def touch(self, ids: Iterable[str]) -> int:
        return 0

    def status(self) -> Status:
        """Where it stands; of what is in the database, nothing."""
        entries = self.pending.entries()
        last = max((one.turn.at for one in entries), default=None)
        nothing = Status(self.home, self.space, *[0] * 17)  # type: ignore[arg-type]
        return nothing._replace(
            last_turn_at=last,
            last_consolidation=None,
            next_consolidation=None,
            pending=len(entries),
            due="",
            stopped=False,
            error="",
            enabled=False,
            paused=self.paused,
        )


def _item(id: str, kind: str, text: str, at: datetime, source: Source) -> Item:
    return Item(id, kind, snippet(text, (), _SHOWN), 1.0, at, "active", (source,), {})
