"""What was kept before there was a rule against it: found, and with `mend` taken out.

Everything that holds words goes through the guard as it would today. Then indexes and pages are
made anew, and nothing of it is left in the file.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from loxodon.journal.identity import key_of
from loxodon.security.audit import is_id
from loxodon.store.rows import loaded
from loxodon.views import copies
from loxodon.working.transcript import line_of

if TYPE_CHECKING:
    from datetime import datetime

    from loxodon.guard.guard import Guard
    from loxodon.memory import Memory
    from loxodon.store.store import Store

_REFERENCES = ("id", "replaces", "derived_from")  # what names memories in the history of one
_UNSETTLED = "unsettled"  # stored where a mending was killed before the indexes were made anew


class Scanned(NamedTuple):
    """What a scan found."""

    found: Mapping[str, int]
    """How often each kind that must not be kept is there."""
    places: Mapping[str, int]
    """In how many turns, memories and so on."""
    mended: bool


class _DryRunError(Exception):
    """Takes a transaction back that was only made to count."""


def scan(memory: Memory, store: Store, *, mend: bool = False) -> Scanned:
    """Look for what must not be kept; with `mend`, take it out."""
    work = _Mending(memory.guard, store, memory.now())
    with suppress(_DryRunError), store.writing():
        work.run()
        if not mend:
            raise _DryRunError
        if work.places:
            store.set_value(_UNSETTLED, "yes")
    if mend and (work.places or store.value(_UNSETTLED)):
        _settle(store)
        memory.workspace.index()
        copies.renewed(memory.workspace, {})
        with store.writing():
            store.set_value(_UNSETTLED, "")
    return Scanned(dict(work.found), dict(work.places), mend)


def mend_restored(memory: Memory, store: Store) -> None:
    """Take out of a database that is being restored what may not be kept any more: a backup, or a
    folder of views, may be older than the rules."""
    work = _Mending(memory.guard, store, memory.now())
    with store.writing():
        work.run()
    if work.places:
        _settle(store)


def _settle(store: Store) -> None:
    store.rebuild(lambda done, total: None)
    store.erasure.scrub()


class _Mending:
    """Puts everything in a database through the guard. Call `run` inside `writing`."""

    def __init__(self, guard: Guard, store: Store, now: datetime) -> None:
        self._guard = guard
        self._store = store
        self._now = now
        self.found: Counter[str] = Counter()
        self.places: Counter[str] = Counter()

    def run(self) -> None:
        self._names()
        self._turns()
        self._memories()
        self._texts()
        self._notes_and_transcripts()
        if self.places:
            len(self._store.query("drop_pages"))

    def _clean(self, text: str, place: str) -> str:
        """`text` as it may be kept; counted where that is not as it is."""
        taken = self._guard.taken(text)
        if taken.text != text:
            actions = self._guard.policy.actions
            self.found.update(kind for kind in taken.found if actions[kind] == "never")
            self.places[place] += 1
        return taken.text

    def _clean_json(self, value: Any, place: str) -> Any:
        new = self._guard.value(value)
        if new != value:
            self._clean(json.dumps(value, ensure_ascii=False), place)
        return new

    def _names(self) -> None:
        """Names of sessions and channels, of who spoke, and of entities."""
        erasure, worklog = self._store.erasure, self._store.worklog
        for name, _ in self._store.query("session_starts"):
            if (new := self._clean(name, "sessions")) != name:
                erasure.rename_session(name, new)
        for name, _ in self._store.query("channels"):
            if self._clean(name, "channels") != name:
                self._store.execute("drop_channel_of_turns", name)
                self._store.execute("drop_channel_of_events", name)
        for name in {one.speaker for one in erasure.turns()}:
            if (new := self._clean(name, "speakers")) != name:
                self._store.execute("rename_speaker", new, name)
        for one in worklog.entities():
            names = [self._clean(name, "entities") for name in (one.name, *one.aliases)]
            if names != [one.name, *one.aliases]:
                worklog.put_entity(one._replace(name=names[0], aliases=tuple(names[1:])))

    def _turns(self) -> None:
        changed: dict[int, tuple[str, bytes]] = {}
        for one in self._store.erasure.turns():
            if (text := self._clean(one.content, "turns")) != one.content:
                # A key made of the words would let them be guessed.
                by_id = one.key == key_of(one.session, one.id)
                changed[one.seq] = (text, one.key if by_id else os.urandom(16))
        if changed:
            self._store.erasure.redact(changed)
            self._store.erasure.drop_work((), {seq: text for seq, (text, _) in changed.items()})

    def _memories(self) -> None:
        """Memories, and their histories."""
        erasure = self._store.erasure
        for record in [one.record for one in erasure.memories()]:
            cleaned = self._guard.record(record)._asdict()
            changed = {
                name: value
                for name, value in cleaned.items()
                if value != getattr(record, name) and name != "sensitivity"
            }
            if changed:
                self._clean("\n".join(map(str, record)), "memories")
                self._store.update(record.id, None, "reworded", self._now, changed)
        for memory, version, before in list(erasure.histories()):
            old = loaded(before)
            # Which memory took the place of which is no word that anybody said.
            named = {name: old[name] for name in _REFERENCES if _is_reference(old.get(name))}
            new = {**self._clean_json({**old, **dict.fromkeys(named)}, "history"), **named}
            if new != old:
                self._store.execute(
                    "set_history", json.dumps(new, ensure_ascii=False), memory, version
                )

    def _texts(self) -> None:
        """Documents, events and so on, and segments."""
        for one in list(self._store.erasure.texts()):
            text = one.text
            if (one.table, one.column) == ("documents", "value"):
                value = loaded(text)
                if (new := self._clean_json(value, "documents")) != value:
                    text = json.dumps(new, ensure_ascii=False)
            else:
                text = self._clean(text, one.table)
            if text != one.text:
                self._store.erasure.set_text(one, text)
        for it in self._store.worklog.segments():
            text, topic = self._clean(it.text, "segments"), self._clean(it.topic, "segments")
            if (text, topic) != (it.text, it.topic):
                cleaned = it._replace(text=text, topic=topic, no=0)
                self._store.worklog.put_segments([cleaned], [it.no])

    def _notes_and_transcripts(self) -> None:
        """Files with a note that has something are read again, through the guard."""
        notes, working = self._store.workspace_data, self._store.working_sessions
        for file in notes.files():
            texts = self._store.column("chunks_of_file", file.root, file.path)
            if [self._clean(text, "notes") for text in texts] != list(texts):
                notes.drop_file(file.root, file.path)
        for one in working.all():
            if (key := self._clean(one.key, "sessions")) != one.key:
                working.rename(one, key)
        for id, _, lines in working.transcripts():
            entries = {n: loaded(line) for n, line in lines}
            new = {n: self._clean_json(entry, "transcripts") for n, entry in entries.items()}
            changed = {n: line_of(entry) for n, entry in new.items() if entry != entries[n]}
            if changed:
                working.rewrite(id, changed)


def _is_reference(value: object) -> bool:
    """Whether it is an id of ours, or a list of such ids as a history keeps it."""
    if not isinstance(value, str):
        return False
    with suppress(ValueError):
        listed = json.loads(value)
        return isinstance(listed, list) and all(isinstance(n, str) and is_id(n) for n in listed)
    return is_id(value)
