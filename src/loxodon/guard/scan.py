"""What was kept before there was a rule against it: found, and with `mend` taken out.

It goes the way of what is forgotten (`forget/erase.py`): everything that holds words is put through
the guard as it would be today, and what was made of it is made anew.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from loxodon.forget.erase import Eraser
from loxodon.forget.marks import Marker, Marks
from loxodon.journal.identity import key_of
from loxodon.tokens import estimate
from loxodon.views import copies

if TYPE_CHECKING:
    from loxodon.memory import Memory
    from loxodon.store.store import Store

_UNSETTLED = "unsettled"  # stored where a mending was killed before the indexes were made anew


class Scanned(NamedTuple):
    """What a scan found."""

    found: Mapping[str, int]  # how often each kind that must not be kept is there
    places: Mapping[str, int]  # in how many turns, memories and so on
    mended: bool


class _DryRunError(Exception):
    """Takes a transaction back that was only made to count."""


def scan(memory: Memory, store: Store, *, mend: bool = False) -> Scanned:
    """Look for what must not be kept; with `mend`, take it out."""
    with suppress(_DryRunError), store.writing():
        found, places = _mended(memory, store)
        if not mend:
            raise _DryRunError
        if places:
            store.set_value(_UNSETTLED, "yes")
    if mend and (places or store.value(_UNSETTLED)):
        _settle(store)
        memory.workspace.index()
        copies.renewed(memory.workspace, {})
        with store.writing():
            store.set_value(_UNSETTLED, "")
    return Scanned(found, places, mend)


def mend_restored(memory: Memory, store: Store) -> None:
    """Take out of a database that is being restored what may not be kept any more: a backup, or a
    folder of views, may be older than the rules."""
    with store.writing():
        _, places = _mended(memory, store)
    if places:
        _settle(store)


def _settle(store: Store) -> None:
    store.rebuild(lambda done, total: None)
    store.erasure.scrub()


def _mended(memory: Memory, store: Store) -> tuple[dict[str, int], dict[str, int]]:
    """Put everything in a database through the guard; kinds and places of what was changed."""
    cleaner, now = _Cleaner(memory, store), memory.now()
    places = Counter[str]()
    for record in [one.record for one in store.erasure.memories()]:
        new = memory.guard.record(record)._asdict()
        del new["sensitivity"]
        changed = {name: one for name, one in new.items() if one != getattr(record, name)}
        if changed:
            cleaner.cut("\n".join(map(str, record)), 0)  # counts it
            store.update(record.id, None, "reworded", now, changed)
            places["memories"] += 1
    for name in {one.speaker for one in store.erasure.turns()}:
        if (clean := cleaner.cut(name, 0)) != name:
            store.execute("rename_speaker", clean, name)
            places["speakers"] += 1
    notes = store.workspace_data
    for file in notes.files():  # which are read again, through the guard
        texts = store.column("chunks_of_file", file.root, file.path)
        if [cleaner.cut(text, 0) for text in texts] != list(texts):
            notes.drop_file(file.root, file.path)
            places["notes"] += 1
    eraser = Eraser(store, cleaner, now, estimate)
    eraser.run()
    places += eraser.counts
    return dict(cleaner.found), dict(places) if cleaner.found else {}


class _Cleaner(Marks):
    """Cuts out of texts what may not be kept, as marks do what was forgotten."""

    def __init__(self, memory: Memory, store: Store) -> None:
        super().__init__(Marker(memory.root, memory.config, memory.space), (), present=True)
        self.cuts = True
        self._guard = memory.guard
        turns = store.erasure.turns()
        self._by_id = {one.key for one in turns if one.key == key_of(one.session, one.id)}
        self.found: Counter[str] = Counter()

    def cut(self, text: str, at: int, key: bytes = b"") -> str:
        taken = self._guard.taken(text)
        if taken.text != text:
            actions = self._guard.policy.actions
            self.found.update(kind for kind in taken.found if actions[kind] == "never")
        return taken.text

    def cut_json(self, value: Any, at: int) -> Any:
        new = self._guard.value(value)
        if new != value:
            self.cut(json.dumps(value, ensure_ascii=False), at)  # counts it
        return new

    def left_of_turn(self, key: bytes, text: str, at: int) -> tuple[str, bytes]:
        # A key made of the words would let them be guessed.
        return self.cut(text, at), key if key in self._by_id else os.urandom(16)

    def session_name(self, name: str, at: int) -> str:
        return self.cut(name, at)

    def has_name(self, text: str, at: int) -> bool:
        return self.cut(text, at) != text
