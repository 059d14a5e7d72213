"""What was kept before there was a rule for it: found, and with `mend` taken out.

Everything that holds words is looked through: turns, memories and their history, events, segments,
documents, names, what is in hand, transcripts of live conversations, notes of files. What must
never be kept is replaced by its marker, as it would be today; then the indexes and pages are made
anew, and nothing of it is left in the file.
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
from loxodon.store import TextAt
from loxodon.store.rows import loaded
from loxodon.views import copies
from loxodon.working.transcript import line_of

if TYPE_CHECKING:
    from loxodon.guard.guard import Guard
    from loxodon.memory import Memory
    from loxodon.store.store import Store

_BATCH = 500
_REFERENCES = ("id", "replaces", "derived_from")
"""What names memories, in the history of one."""
_UNSETTLED = "unsettled"
"""Whether a mending was cut short when the words were gone, and what was made of them was not."""


class Scanned(NamedTuple):
    """What a scan found."""

    found: Mapping[str, int]
    """How often each kind that must not be kept is there."""
    places: Mapping[str, int]
    """In how many turns, memories and so on."""
    mended: bool


def scan(memory: Memory, store: Store, *, mend: bool = False) -> Scanned:
    """Look for what must not be kept; with `mend`, take it out."""
    work = _Scan(memory.guard, store, mend)
    if mend:
        with store.writing():
            work.database(memory)
            if work.places:
                store.set_value(_UNSETTLED, "yes")
    else:
        with store.reading():
            work.database(memory)
    if mend and (work.places or store.value(_UNSETTLED)):
        _settle(memory, store)
    return Scanned(dict(work.found), dict(work.places), mend)


def mend_restored(memory: Memory, store: Store) -> None:
    """Take out of a database that is being restored what may not be kept any more.

    A backup, or a folder of views, may be older than the rules.
    """
    work = _Scan(memory.guard, store, True)
    with store.writing():
        work.database(memory)
    if work.places:
        store.rebuild(lambda done, total: None)
        store.erasure.scrub()
        store.erasure.settle()


def _settle(memory: Memory, store: Store) -> None:
    """Make anew what was made of what is gone, and let nothing of it stay in the file."""
    store.rebuild(lambda done, total: None)
    store.erasure.scrub()
    store.erasure.settle()
    memory.workspace.index()
    copies.renewed(memory.workspace, {})
    with store.writing():
        store.set_value(_UNSETTLED, "")


def _names_only(value: object) -> bool:
    """Whether it is an id of ours, or a list of such ids as a history keeps it."""
    if not isinstance(value, str):
        return False
    with suppress(ValueError):
        listed = json.loads(value)
        return isinstance(listed, list) and all(isinstance(n, str) and is_id(n) for n in listed)
    return is_id(value)


class _Scan:
    def __init__(self, guard: Guard, store: Store, mend: bool) -> None:
        self._guard = guard
        self._store = store
        self._mend = mend
        self.found: Counter[str] = Counter()
        self.places: Counter[str] = Counter()

    def _clean(self, text: str, place: str) -> str:
        """`text` as it may be kept; counted where that is not as it is."""
        taken = self._guard.taken(text)
        if taken.text != text:
            actions = self._guard.policy.actions
            self.found.update(kind for kind in taken.found if actions[kind] == "never")
            self.places[place] += 1
        return taken.text

    def _clean_value(self, value: Any, place: str) -> Any:
        new = self._guard.value(value)
        if new != value:
            self._clean(json.dumps(value, ensure_ascii=False), place)
        return new

    def database(self, memory: Memory) -> None:
        """Everything in the database, called in one transaction."""
        self._names()
        self._turns()
        self._memories(memory)
        self._histories()
        self._texts()
        self._segments()
        self._entities()
        self._notes()
        self._working_sessions()
        if self._mend and self.places:
            len(self._store.query("drop_pages"))

    def _turns(self) -> None:
        changed: dict[int, tuple[str, bytes]] = {}
        for one in self._store.erasure.turns():
            text = self._clean(one.content, "turns")
            if text != one.content:
                # A key made of the words would let them be guessed.
                by_id = one.key == key_of(one.session, one.id)
                changed[one.seq] = (text, one.key if by_id else os.urandom(16))
        if self._mend and changed:
            rows = list(changed.items())
            for start in range(0, len(rows), _BATCH):
                self._store.erasure.redact(dict(rows[start : start + _BATCH]))
            self._store.erasure.drop_work((), {seq: text for seq, (text, _) in changed.items()})

    def _names(self) -> None:
        """Names of sessions and channels, and of who spoke."""
        erasure = self._store.erasure
        for name in [name for name, _ in self._store.query("session_starts")]:
            new = self._clean(name, "sessions")
            if new != name and self._mend:
                erasure.rename_session(name, new)
        for name in [name for name, _ in self._store.query("channels")]:
            if self._clean(name, "channels") != name and self._mend:
                erasure.drop_channel(name)
        for name in sorted({one.speaker for one in erasure.turns()}):
            new = self._clean(name, "speakers")
            if new != name and self._mend:
                self._store.execute("rename_speaker", new, name)

    def _memories(self, memory: Memory) -> None:
        now = memory.now()
        for one in list(self._store.erasure.memories()):
            record = one.record
            new = self._guard.record(record)
            changed = {
                name: value
                for name, value in new._asdict().items()
                if value != getattr(record, name) and name != "sensitivity"
            }
            if changed:
                self._clean("\n".join(map(str, record)), "memories")
                if self._mend:
                    self._store.update(record.id, None, "reworded", now, changed)

    def _histories(self) -> None:
        for memory, version, before in list(self._store.erasure.histories()):
            old = json.loads(before)
            # Which memory took the place of which is no word that anybody said.
            named = {name: old[name] for name in _REFERENCES if _names_only(old.get(name))}
            new = {**self._clean_value({**old, **dict.fromkeys(named)}, "history"), **named}
            if new != old and self._mend:
                text = json.dumps(new, ensure_ascii=False)
                self._store.erasure.set_history(memory, version, text)

    def _texts(self) -> None:
        for one in list(self._store.erasure.texts()):
            new = self._text(one)
            if new != one.text and self._mend:
                self._store.erasure.set_text(one, new)

    def _text(self, one: TextAt) -> str:
        if (one.table, one.column) != ("documents", "value"):
            return self._clean(one.text, one.table)
        old = json.loads(one.text)
        new = self._clean_value(old, one.table)
        return one.text if new == old else json.dumps(new, ensure_ascii=False)

    def _segments(self) -> None:
        for one in self._store.worklog.segments():
            text, topic = self._clean(one.text, "segments"), self._clean(one.topic, "segments")
            if (text, topic) != (one.text, one.topic) and self._mend:
                new = one._replace(text=text, topic=topic, no=0)
                self._store.worklog.put_segments([new], [one.no])

    def _entities(self) -> None:
        for one in self._store.worklog.entities():
            names = [self._clean(name, "entities") for name in (one.name, *one.aliases)]
            if names != [one.name, *one.aliases] and self._mend:
                new = one._replace(name=names[0], aliases=tuple(names[1:]))
                self._store.worklog.put_entity(new)

    def _notes(self) -> None:
        """Notes are read again, through the guard, where one has something."""
        workspace_data = self._store.workspace_data
        for file in workspace_data.files():
            found = [
                note
                for note in self._store.column("chunks_of_file", file.root, file.path)
                if self._clean(note, "notes") != note
            ]
            if found and self._mend:
                workspace_data.drop_file(file.root, file.path)

    def _working_sessions(self) -> None:
        rows = self._store.working_sessions
        for one in rows.all():
            key = self._clean(one.key, "sessions")
            if key != one.key and self._mend:
                rows.rename(one, key)
        for id, _, lines in rows.transcripts():
            changed = {n: new for n, line in lines if (new := self._line(line)) != line}
            if changed and self._mend:
                rows.rewrite(id, changed)

    def _line(self, line: str) -> str:
        entry = loaded(line)
        new = self._clean_value(entry, "transcripts")
        return line if new == entry else line_of(new)
