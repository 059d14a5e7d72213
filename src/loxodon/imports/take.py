"""Taking in what a reader found: turns and memories, in batches that are kept whole.

What was taken before is known again: a turn by its key in the journal, a memory by what it is
called where it comes from (`WorkspaceData.imported`), whatever has become of it here since.

Whatever a file says of itself, it was handed over by somebody, and its words are an import's:

| a file says | it is |
|---|---|
| who speaks, when, in what conversation | believed; nothing lies in the future |
| origin, trust, that somebody confirmed it | `import`, or less where its reader knows that it is |
| how much it matters | believed up to 0.9, 1 where its words do; in a three-layer memory always |
| the agent it belongs to | kept: it makes fewer see it, not more |
| how present it is, where it comes from, that it is archived | believed |
| ids | kept where they have our form and are free; else names to know it again by |
| audience, versions, how often it was used | never |

Only a restore of a backup or of views brings a memory back as it was (`backup/restore.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

from loxodon.clock import to_stored
from loxodon.consolidate.decay import initial_strength
from loxodon.consolidate.keep import tags_of
from loxodon.consolidate.meaning import Meaning, is_user, meaning_of, meet, weight_of
from loxodon.errors import InputError
from loxodon.fields import checked
from loxodon.guard import provenance, quarantine
from loxodon.imports.found import Found, NewMemory, Skipped, Talk, problem
from loxodon.journal.identity import with_keys
from loxodon.store import Filter, Progress
from loxodon.store.store import Store
from loxodon.store.walls import checked_agent
from loxodon.text.words import fold
from loxodon.types import (
    CAPTURED,
    GENERAL_TOPIC,
    GLOBAL_PROJECT,
    NOTHING,
    ORIGIN_OF_ROLE,
    Draft,
    FileProblem,
    Kind,
    Origin,
    Record,
)

if TYPE_CHECKING:
    from loxodon.memory import Memory

_TRUST: Origin = "import"
_TURNS, _MEMORIES = 2_000, 200  # in one transaction: others who write wait no longer than it takes
_MOST_PROBLEMS = 1_000
_MOST_IMPORTANT = 0.9
_MOST_SURE = 0.99


class Imported(NamedTuple):
    """What an import took."""

    format: str
    turns: int = 0
    memories: int = 0
    known: int = 0  # turns and memories that were here already
    skipped: Mapping[str, int] = NOTHING  # what was left out on purpose, by reason
    problems: tuple[FileProblem, ...] = ()


class Job(NamedTuple):
    """What an import is asked to do."""

    format: str
    dry: bool  # write nothing
    total: int  # turns and memories that there are to take
    progress: Progress | None


class Taker:
    """One import into one memory."""

    def __init__(self, memory: Memory, store: Store, job: Job) -> None:
        self._memory = memory
        self._store = store
        self._job = job
        self._now = memory.now()
        self._turns = self._memories = self._known = self._done = 0
        self._skipped: Counter[str] = Counter()
        self._problems: list[FileProblem] = []
        with store.reading():  # the ids of the memories here, by their words
            here = [one for one in store.find(Filter()) if one.kind != "summary"]
        self._contents = {_folded(one.content): one.id for one in here}

    def take(self, found: Iterable[Found]) -> Imported:
        drafts: list[Draft] = []
        memories: list[NewMemory] = []
        for one in found:
            if isinstance(one, Talk):
                drafts += one.turns
            elif isinstance(one, NewMemory):
                memories.append(one)
            elif isinstance(one, Skipped):
                self._skipped[one.reason] += one.number
            else:
                self._report(one)
            if len(drafts) >= _TURNS:
                self._put_turns(drafts)
                drafts = []
            if len(memories) >= _MEMORIES:
                self._put_memories(memories)
                memories = []
        self._put_turns(drafts)
        self._put_memories(memories)
        skipped, problems = dict(sorted(self._skipped.items())), tuple(self._problems)
        counts = (self._turns, self._memories, self._known)
        return Imported(self._job.format, *counts, skipped, problems)

    def _report(self, one: FileProblem) -> None:
        if len(self._problems) < _MOST_PROBLEMS:
            self._problems.append(one)
        else:
            self._skipped["more problems"] += 1

    def _advance(self, number: int) -> None:
        self._done += number
        if self._job.progress and number:
            self._job.progress(min(self._done, self._job.total), self._job.total)

    def _put_turns(self, drafts: list[Draft]) -> None:
        """Journal turns, as far as an import may claim what they say of themselves."""
        claimed = [
            one._replace(
                origin=provenance.least((one.origin or ORIGIN_OF_ROLE[one.role], _TRUST)),
                at=min(one.at, self._now) if one.at else None,
                channel="" if one.channel == CAPTURED else one.channel,
                agent="",
            )
            for one in drafts
        ]
        if not claimed:
            return
        if self._job.dry:
            known = self._store.known(with_keys(claimed, self._job.format, self._now))
            added = known.count(None)
        else:
            added = self._memory.add_drafts(claimed, [self._job.format]).added
        self._turns += added
        self._known += len(claimed) - added
        self._advance(len(claimed))

    def _put_memories(self, batch: list[NewMemory]) -> None:
        """Keep those that are new. One that is here in the same words is noted all the same, so
        that it is known again once it was edited."""
        made: list[tuple[NewMemory, Record, Meaning]] = []
        same: list[NewMemory] = []
        contents = self._contents
        # What the rules make of the words takes longer than to write it: before others have to wait
        for one in self._new_of(batch):
            words = _folded(one.content)
            if words in contents:
                self._known += 1
                same.append(one)
                continue
            try:
                at = one.since or self._now
                said = Meaning() if self._job.dry else meaning_of(one.content, at)
                made.append((one, _record(one, said, self._now), said))
            except InputError as error:
                self._report(problem(one.source.file or one.source.turn, one.source.line, error))
                continue
            self._memories += 1
            contents[words] = ""
        if not self._job.dry:
            with self._store.writing():
                forgotten = self._memory.forgotten()
                for one, record, said in made:
                    if forgotten is not None and forgotten.has("memory", 0, record.id):
                        record = record._replace(id="")  # whatever has this id would go again
                    kept = quarantine.insert(self._store, record, "imported")
                    meet(self._store, said, self._now)
                    contents[_folded(one.content)] = kept.id
                for one in (*(one for one, _, _ in made), *same):
                    id = contents[_folded(one.content)]
                    for key in _keys(one):
                        self._store.execute("put_import", key, id, self._now)
        self._advance(len(batch))

    def _new_of(self, batch: list[NewMemory]) -> list[NewMemory]:
        """Those that were neither taken nor forgotten, by what they are called there."""
        keys = [key for one in batch for key in _keys(one)]
        with self._store.reading():
            taken = {*self._store.column("imported", [key.hex() for key in keys])}
        forgotten = self._memory.forgotten()
        new: list[NewMemory] = []
        for one in batch:
            key, with_text = _keys(one)
            since = to_stored(one.since)[0] if one.since else 0
            if forgotten is not None and (
                any(forgotten.has("import", 0, it) for it in (key, with_text))
                or forgotten.cut(one.content, since) != one.content
            ):
                self._skipped["forgotten"] += 1
            elif key not in taken:
                new.append(one)
            elif with_text in taken:
                self._known += 1
            else:
                self._skipped["changed"] += 1
            taken |= {key, with_text}
        return new


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


def _record(one: NewMemory, said: Meaning, now: datetime) -> Record:
    """The memory that something imported makes; raises InputError where it cannot be kept.

    It begins here and now, so that it does not fade at once for having been known long; since when
    it holds is kept beside it.
    """

    def past(moment: datetime | None) -> datetime | None:
        return min(moment, now) if moment else None

    category = one.category or said.category or "fact"
    kind: Kind = "belief" if one.kind == "fact" and said.confidence < 1 else one.kind
    confidence = one.confidence if one.kind == "belief" else min(one.confidence, said.confidence)
    wish = provenance.is_wish(category, said.attribute)
    kind, confidence = provenance.kind_for(_TRUST, kind, confidence, wish)
    importance = one.importance
    if importance is None:
        importance = max(weight_of(category), said.importance or 0.0)
    elif not one.own:
        by_words = max(weight_of(said.category), said.importance or 0.0) if said.category else 0.0
        importance = min(importance, max(_MOST_IMPORTANT, by_words))
    # Whom it is about, but for the user, whom everything is about.
    names = (*one.entities, *(mention.name for mention in said.mentions), said.subject)
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
            "entities": tuple(dict.fromkeys(name for name in names if name and not is_user(name))),
            "subject": said.subject,
            "attribute": said.attribute,
            "value": said.value,
            "valid_from": past(one.since) or said.since,
            "expires_at": one.expires_at,
            "due_at": said.due_at,
        },
        kind,
        now.tzinfo,
    )
    fields["tags"] = fields["tags"] or tags_of(fields["content"])
    strength = initial_strength(kind, fields["importance"], fields["confidence"])
    return Record(
        id=one.id,
        space="",
        created_at=now,
        updated_at=now,
        strength=strength if one.strength is None else one.strength,
        agent=checked_agent(one.agent),
        trust=_TRUST,
        state="archived" if one.archived else "active",
        done=one.done,
        confirmed_at=past(one.confirmed_at or one.since),
        valid_until=past(one.until),
        sources=(one.source, *one.drawn_from),
        derived_from=one.derived_from,
        basis=one.basis or said.basis,
        positive=said.positive,
        **fields,
    )
