"""Taking in what a reader found: turns and memories, in batches that are kept whole.

What was taken before is known again: a turn by its key in the journal, a memory by what it is
called where it comes from (`WorkspaceData.imported`), whatever has become of it here since.

Whatever a file says of itself, it was handed over by somebody: its words have the trust `import`,
but those of MEMORY.md and USER.md are the owner's; and nothing lies in the future. Who speaks, how
much it matters (up to 0.9, unless the file is one's own), how often it was used and to which agent
it belongs is believed; audience and versions are not, but for a restore (`backup/restore.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from loxodon.clock import to_stored
from loxodon.consolidate.decay import initial_strength
from loxodon.consolidate.keep import tags_of
from loxodon.consolidate.read import UNREAD, Candidate, is_user, meaning_of, meet, weight_of
from loxodon.errors import InputError
from loxodon.fields import checked
from loxodon.guard import provenance, quarantine
from loxodon.imports.package import Found, NewMemory, problem
from loxodon.journal.identity import digest, with_keys
from loxodon.store import Filter, Progress, quiet
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
from loxodon.views.workspace import Workspace

_TRUST: Origin = "import"
_TURNS, _MEMORIES = 2_000, 200  # in one transaction: others who write wait no longer than it takes
_MOST_PROBLEMS = 1_000
_MOST_IMPORTANT = 0.9
_MOST_SURE = 0.99


class Imported(NamedTuple):
    format: str
    turns: int = 0
    memories: int = 0
    known: int = 0  # turns and memories that were here already
    skipped: Mapping[str, int] = NOTHING  # what was forgotten here
    problems: tuple[FileProblem, ...] = ()


class Taker:
    def __init__(
        self,
        workspace: Workspace,
        format: str,
        problems: Sequence[FileProblem],
        progress: Progress | None,
        *,
        dry: bool,  # write nothing
    ) -> None:
        self._memory, self._store = workspace.memory, workspace.store
        self._format, self._problems, self._dry = format, list(problems), dry
        self._progress = progress or quiet
        self._now = self._memory.now()
        self._counts, self._skipped = Counter[str](), Counter[str]()
        with self._store.reading():  # the ids of the memories here, by their words
            here = [one for one in self._store.find(Filter()) if one.kind != "summary"]
        self._contents = {_folded(one.content): one.id for one in here}

    def take(self, found: Sequence[Found]) -> Imported:
        drafts = [one for one in found if isinstance(one, Draft)]
        memories = [one for one in found if isinstance(one, NewMemory)]
        total = len(drafts) + len(memories)
        for start in range(0, len(drafts), _TURNS):
            self._put_turns(drafts[start : start + _TURNS])
            self._progress(min(start + _TURNS, len(drafts)), total)
        for start in range(0, len(memories), _MEMORIES):
            self._put_memories(memories[start : start + _MEMORIES])
            self._progress(len(drafts) + min(start + _MEMORIES, len(memories)), total)
        counts: dict[str, Any] = {**self._counts, "skipped": dict(self._skipped)}
        return Imported(self._format, problems=tuple(self._problems[:_MOST_PROBLEMS]), **counts)

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
        if self._dry:
            added = self._store.known(with_keys(claimed, self._format, self._now)).count(None)
        else:
            added = self._memory.add_drafts(claimed, [self._format]).added
        self._counts.update(turns=added, known=len(claimed) - added)

    def _put_memories(self, batch: list[NewMemory]) -> None:
        """Keep those that are new; one in the same words is noted, to be known again."""
        made: list[tuple[NewMemory, Record, Candidate]] = []
        same: list[NewMemory] = []
        # What the rules make of the words takes longer than to write it: before others have to wait
        for one in self._new_of(batch):
            words = _folded(one.content)
            if words in self._contents:
                same.append(one)
                continue
            try:
                said = UNREAD if self._dry else meaning_of(one.content, one.since or self._now)
                made.append((one, _record(one, said, self._now), said))
            except InputError as error:
                place = one.source.file or one.source.turn
                self._problems.append(problem(place, one.source.line, error))
                continue
            self._contents[words] = ""
        self._counts.update(memories=len(made), known=len(same))
        if not self._dry:
            with self._store.writing():
                forgotten = self._memory.forgotten()
                for one, record, said in made:
                    if forgotten is not None and forgotten.has("memory", 0, record.id):
                        record = record._replace(id="")  # whatever has this id would go again
                    kept = quarantine.insert(self._store, record, "imported")
                    meet(self._store, said.statement, kept, self._now)
                    self._contents[_folded(one.content)] = kept.id
                for one in (*(one for one, _, _ in made), *same):
                    id = self._contents[_folded(one.content)]
                    self._store.execute("put_import", digest(*one.key), id, self._now)

    def _new_of(self, batch: list[NewMemory]) -> list[NewMemory]:
        """Those that were neither taken nor forgotten, by what they are called there."""
        with self._store.reading():
            taken = {*self._store.column("imported", [digest(*one.key).hex() for one in batch])}
        forgotten = self._memory.forgotten()
        new: list[NewMemory] = []
        for one in batch:
            key, since = digest(*one.key), to_stored(one.since)[0] if one.since else 0
            if forgotten is not None and (
                forgotten.has("import", 0, key) or forgotten.cut(one.content, since) != one.content
            ):
                self._skipped["forgotten"] += 1
            elif key in taken:
                self._counts["known"] += 1
            else:
                new.append(one)
            taken.add(key)
        return new


def _folded(content: str) -> str:
    """What two memories of the same words have in common."""
    return " ".join(fold(content).split()).rstrip(".。!！")


def _record(one: NewMemory, read: Candidate, now: datetime) -> Record:
    """The memory that something imported makes, as of now, so that it does not fade at once."""

    def past(moment: datetime | None) -> datetime | None:
        return min(moment, now) if moment else None

    said = read.statement
    category = one.category or said.category or "fact"
    kind: Kind = "belief" if one.kind == "fact" and said.confidence < 1 else one.kind
    confidence = one.confidence if one.kind == "belief" else min(one.confidence, said.confidence)
    wish = provenance.is_wish(category, said.attribute)
    # What reads like an order to the agent may have been put there by somebody else
    own = one.trust != _TRUST and not quarantine.found_in(one.content, _TRUST)
    trust = one.trust if own else _TRUST
    kind, confidence = provenance.kind_for(trust, kind, confidence, wish)
    importance = one.importance
    if importance is None:
        importance = max(weight_of(category), said.importance)
    elif not one.own:
        by_words = max(weight_of(said.category), said.importance) if said.category else 0.0
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
            "valid_from": past(one.since) or read.valid_from,
            "expires_at": one.expires_at,
            "due_at": read.due_at,
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
        access_count=max(0, one.used),
        strength=strength if one.strength is None else one.strength,
        agent=checked_agent(one.agent),
        trust=trust,
        state="archived" if one.archived else "active",
        done=one.done,
        confirmed_at=past(one.confirmed_at or one.since),
        sources=(one.source, *one.drawn_from),
        derived_from=one.derived_from,
        basis=one.basis or said.basis,
        positive=said.positive,
        **fields,
    )
