"""Taking in what a reader found: turns, memories and settings, in batches that are kept whole.

What was taken before is known again: a turn by its key in the journal, a memory by what it is
called where it comes from (`WorkspaceData.imported`), whatever has become of it here since.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime
from hashlib import blake2b
from typing import TYPE_CHECKING

from loxodon import config
from loxodon.clock import to_stored
from loxodon.errors import InputError
from loxodon.fields import checked
from loxodon.journal.identity import with_keys
from loxodon.store import Filter, Progress
from loxodon.store.store import Store
from loxodon.text.words import fold
from loxodon.trust.access import offered
from loxodon.trust.access.offered import Choice, Value
from loxodon.trust.origin import provenance, quarantine
from loxodon.types import GENERAL_TOPIC, GLOBAL_PROJECT, Draft, FileProblem, Imported, Kind, Record
from loxodon.workspace.imports import claims
from loxodon.workspace.imports.found import Found, NewMemory, Setting, Skipped, Talk, problem
from loxodon.write.decay import initial_strength
from loxodon.write.keep import tags_of
from loxodon.write.meaning import Meaning, is_user, meaning_of, meet, weight_of

if TYPE_CHECKING:
    from loxodon.memory import Memory
    from loxodon.trust.forget.tombstones import Marks

TURNS = 2_000
MEMORIES = 200
"""Taken in one transaction: others who write wait no longer than this takes."""
MOST_PROBLEMS = 1_000
_CHANGE = "imported"
_MOST_SURE = 0.99


class Taker:
    """One import into one memory; a dry one writes nothing."""

    def __init__(
        self,
        memory: Memory,
        store: Store,
        format: str,
        *,
        dry: bool,
        progress: Progress | None,
        total: int,
        choice: Choice,
    ) -> None:
        self._memory = memory
        self._choice = choice
        self._store = store
        self._format = format
        self._dry = dry
        self._progress = progress
        self._total = total
        self._now = memory.now()
        self._drafts: list[Draft] = []
        self._waiting: list[NewMemory] = []
        self._contents: dict[str, str] = {}
        """The memories that are here, by their words; read once there is something to compare."""
        self._compared = False
        self._same: list[tuple[NewMemory, str]] = []
        self._turns = self._memories = self._known = self._done = 0
        self._settings: dict[str, Value] = {}
        self._offered: dict[str, Value] = {}
        self._skipped: Counter[str] = Counter()
        self._problems: list[FileProblem] = []

    def take(self, found: Iterable[Found]) -> Imported:
        for one in found:
            if isinstance(one, Talk):
                self._drafts += (claims.turn(turn, self._now) for turn in one.turns)
            elif isinstance(one, NewMemory):
                self._waiting.append(one)
            elif isinstance(one, Setting):
                self._put_setting(one)
            elif isinstance(one, Skipped):
                self._skipped[one.reason] += one.number
            else:
                self._report(one)
            if len(self._drafts) >= TURNS:
                self._put_turns()
            if len(self._waiting) >= MEMORIES:
                self._put_memories()
        self._put_turns()
        self._put_memories()
        return Imported(
            self._format,
            self._turns,
            self._memories,
            self._known,
            self._settings,
            self._offered,
            dict(sorted(self._skipped.items())),
            tuple(self._problems),
        )

    def _report(self, one: FileProblem) -> None:
        if len(self._problems) < MOST_PROBLEMS:
            self._problems.append(one)
        else:
            self._skipped["more problems"] += 1

    def _advance(self, number: int) -> None:
        self._done += number
        if self._progress:
            self._progress(min(self._done, self._total), self._total)

    # Turns

    def _put_turns(self) -> None:
        drafts, self._drafts = self._drafts, []
        if not drafts:
            return
        if self._dry:
            known = self._store.known(with_keys(drafts, self._format, self._now))
            added = known.count(None)
        else:
            added = self._memory.add_drafts(drafts, [self._format]).added
        self._turns += added
        self._known += len(drafts) - added
        self._advance(len(drafts))

    # Memories

    def _put_memories(self) -> None:
        batch, self._waiting = self._waiting, []
        if not batch:
            return
        new = self._new_of(batch)
        # What the rules make of the words takes longer than to write it: before others have to wait
        records = [(one, made) for one in new if (made := self._record(one)) is not None]
        if not self._dry:
            with self._store.writing():
                self._put_records(records)
        self._advance(len(batch))

    def _new_of(self, batch: list[NewMemory]) -> list[NewMemory]:
        """Those that are not here yet, by what they are called there and by their words."""
        with self._store.reading():
            taken = set(
                self._store.workspace_data.imported(key for one in batch for key in _keys(one))
            )
            if not self._compared:
                self._compared = True
                known = (one for one in self._store.find(Filter()) if one.kind != "summary")
                self._contents = {_folded(one.content): one.id for one in known}
        new: list[NewMemory] = []
        forgotten = self._memory.forgotten()
        for one in batch:
            key, text_key = _keys(one)
            if forgotten is not None and self._is_forgotten(one, forgotten):
                self._skipped["forgotten"] += 1
            elif key not in taken:
                new.append(one)
            elif text_key in taken:
                self._known += 1
            else:
                self._skipped["changed"] += 1
            taken |= {key, text_key}
        return new

    def _is_forgotten(self, one: NewMemory, marks: Marks) -> bool:
        """Whether this very import, or what it says, was forgotten since it was said."""
        at = to_stored(one.since)[0] if one.since else 0
        return any(map(marks.imported, _keys(one))) or marks.cut(one.content, at) != one.content

    def _record(self, one: NewMemory) -> tuple[Record, Meaning] | None:
        """The memory to be; None where it is here in the same words, or cannot be kept.

        One that is here is noted all the same, so that it is known again once it was edited.
        """
        words = _folded(one.content)
        if words in self._contents:
            self._known += 1
            self._same.append((one, words))
            return None
        try:
            said = Meaning() if self._dry else meaning_of(one.content, one.since or self._now)
            record = record_of(claims.memory(one, said, self._now), said, self._now)
        except InputError as error:
            self._report(problem(one.source.file or one.source.turn, one.source.line, error))
            return None
        self._memories += 1
        self._contents[words] = ""
        return record, said

    def _put_records(self, records: Iterable[tuple[NewMemory, tuple[Record, Meaning]]]) -> None:
        forgotten = self._memory.forgotten()
        for one, (record, said) in records:
            if forgotten is not None and forgotten.memory(record.id):
                record = record._replace(id="")  # whatever has this id would go again
            kept = quarantine.insert(self._store, record, _CHANGE)
            meet(self._store, said, self._now)
            self._contents[_folded(one.content)] = kept.id
            self._note(one, kept.id)
        same, self._same = self._same, []
        for one, words in same:
            self._note(one, self._contents[words])

    def _note(self, one: NewMemory, id: str) -> None:
        for key in _keys(one):
            self._store.workspace_data.put_import(key, id, self._now)

    # Settings

    def _put_setting(self, one: Setting) -> None:
        """Set what the owner takes and nobody has set here; what somebody has stays."""
        section, _, key = one.name.partition(".")
        table = config.read(self._memory.home).get(section)
        here = table.get(key) if isinstance(table, Mapping) else None
        if here == one.value or (here is None and one.value == config.KEYS[one.name].default):
            self._known += 1
        elif here is not None:
            self._skipped["set"] += 1
        elif not self._choice.takes(one.name):
            self._offered[one.name] = one.value
        else:
            if not self._dry:
                offered.put(self._memory.home, {one.name: one.value})
            self._settings[one.name] = one.value


def _folded(content: str) -> str:
    """What two memories of the same words have in common."""
    return " ".join(fold(content).split()).rstrip(".。!！")


def _keys(one: NewMemory) -> tuple[bytes, bytes]:
    """What it is known by, and that together with its words: whether it was changed there since."""
    return _digest(one.key), _digest((*one.key, "text", _folded(one.content)))


def _digest(parts: Iterable[str]) -> bytes:
    # Lengths keep ("ab", "c") and ("a", "bc") apart.
    text = "".join(f"{len(part)}:{part}" for part in parts)
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def record_of(one: NewMemory, said: Meaning, now: datetime) -> Record:
    """The memory that something imported makes; raises InputError where it cannot be kept.

    It begins here and now, so that it does not fade at once for having been known long; since when
    it holds is kept beside it.
    """
    category = one.category or said.category or "fact"
    kind: Kind = "belief" if one.kind == "fact" and said.confidence < 1 else one.kind
    confidence = one.confidence if one.kind == "belief" else min(one.confidence, said.confidence)
    wish = provenance.is_wish(category, said.attribute)
    kind, confidence = provenance.kind_for(claims.TRUST, kind, confidence, wish)
    importance = one.importance
    if importance is None:
        importance = max(weight_of(category), said.importance or 0.0)
    fields = checked(
        {
            "content": one.content,
            "kind": kind,
            "category": category,
            "importance": importance,
            "confidence": min(confidence, _MOST_SURE) if kind == "belief" else confidence,
            "project": one.project or GLOBAL_PROJECT,
            "topic": one.topic or GENERAL_TOPIC,
            "tags": one.tags,
            "entities": _names(one, said),
            "subject": said.subject,
            "attribute": said.attribute,
            "value": said.value,
            "valid_from": one.since or said.since,
            "expires_at": one.expires_at,
            "due_at": said.due_at,
        },
        kind,
        now.tzinfo,
    )
    if not fields["tags"]:
        fields["tags"] = tags_of(fields["content"])
    strength = one.strength
    if strength is None:
        strength = initial_strength(kind, fields["importance"], fields["confidence"])
    return Record(
        id=one.id,
        space="",
        created_at=now,
        updated_at=now,
        strength=strength,
        agent=one.agent,
        trust=claims.TRUST,
        state="archived" if one.archived else "active",
        done=one.done,
        confirmed_at=one.confirmed_at or one.since,
        valid_until=one.until,
        sources=(one.source, *one.drawn_from),
        derived_from=one.derived_from,
        basis=one.basis or said.basis,
        positive=said.positive,
        **fields,
    )


def _names(one: NewMemory, said: Meaning) -> tuple[str, ...]:
    """Whom it is about, but for the user, whom everything is about."""
    told = (mention.name for mention in said.mentions)
    about = (said.subject,) if said.subject else ()
    return tuple(
        dict.fromkeys(name for name in (*one.entities, *told, *about) if not is_user(name))
    )
