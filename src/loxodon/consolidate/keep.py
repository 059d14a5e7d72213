"""Phase 4: carrying out what `reconcile` decided, within one transaction.

The one place where statements become memories, and memories make way for them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from loxodon.consolidate import entities, speakers, themes
from loxodon.consolidate.beliefs import (
    CONFIDENCE,
    DENIED,
    DOUBTFUL,
    MOST_SURE,
    SURER,
    UNSETTLED,
    certain,
    settled,
    wait_for_owner,
    wavering,
)
from loxodon.consolidate.decay import LIFT, initial_strength
from loxodon.consolidate.extract import Candidate
from loxodon.consolidate.reconcile import Plan, plan, said_at
from loxodon.consolidate.themes import without_verb
from loxodon.errors import InputError, no_memory
from loxodon.guard import provenance
from loxodon.language.projects import named_project
from loxodon.language.statements import USER, Statement
from loxodon.store import Filter
from loxodon.store.store import Store
from loxodon.text.keywords import quick
from loxodon.text.names import candidates
from loxodon.text.words import fold, query_words
from loxodon.types import GENERAL_TOPIC, GLOBAL_PROJECT, IN_PROJECT, Kind, Record, Source, Turn

SAID_AGAIN = 0.2  # What being said again adds to importance
_TAGS = 3
_SOURCES = 20  # Turns that a memory names as its sources; one said every day needs no more
_ABOUT = 50
_RENAMED = 1_000


# Whether what a memory would say was forgotten after the moment that it was said
IsForgotten = Callable[[Record, datetime], bool]
# What is so wherever it is said; anything else belongs to the project that it was said in
_PERSONAL = ("identity", "health", "preference", "relation", "status")
_NAMING = 200  # Characters of a turn in which a known project is looked for


class Keeper:
    """Takes statements in, one after the other, and counts what became of them."""

    def __init__(
        self, store: Store, now: datetime, is_forgotten: IsForgotten | None = None
    ) -> None:
        self._store = store
        self._now = now
        self._is_forgotten = is_forgotten
        self.counts: Counter[str] = Counter()
        # Every memory that was added or changed, as it is now, by id
        self.changed: dict[str, Record] = {}

    def take(self, candidate: Candidate, turn: Turn) -> None:
        """Make of one statement what it means for the memory."""
        if name := speakers.another(self._store, turn):
            candidate = speakers.said_by(candidate, name)
        statement = candidate.statement
        turn = provenance.as_users_own(turn, vouched=candidate.vouched)
        if turn.origin == "relayed":  # nobody vouches for it: at most it is a guess
            sure = min(statement.confidence, provenance.UNCONFIRMED)
            statement = statement._replace(confidence=sure)
            candidate = candidate._replace(statement=statement)
        if turn.origin != "relayed" and provenance.speaks_for_user(
            turn
        ):  # nobody else says who goes by what name
            entities.learn(self._store, statement, self._now, self._rename)
        subject = entities.known_name(self._store, statement.subject)
        project = statement.project or self._project(turn.content)
        if not project and statement.category not in _PERSONAL:
            project = turn.channel.partition(IN_PROJECT)[2]
        candidate = candidate._replace(
            statement=statement._replace(subject=subject, project=project)
        )
        view = StoreView(self._store)
        if self._was_forgotten(candidate, turn) or (
            statement.inferred
            and any(one.kind == "fact" for one in view.about(subject, statement.attribute))
        ):
            return
        found = self._plan(candidate, f"{turn.session}:{turn.id}")
        found = provenance.bounded(found, turn.origin)
        changes = found.replaced or found.retracted or found.rewritten or found.asked
        if statement.tentative and not changes and not found.beside:
            # It was worth keeping only for what it would have changed.
            self._doubt(found.doubtful)
            return
        if not self._wavers(found, candidate, turn):
            self._carry_out(found, candidate, turn)

    def _plan(self, candidate: Candidate, turn: str) -> Plan:
        if not candidate.does:
            return plan(candidate, StoreView(self._store), turn)
        target = self._store.get(candidate.target)
        return decided(candidate, target, lambda: plan(candidate, StoreView(self._store), turn))

    def _project(self, said: str) -> str:
        """The project that a turn names, as it is written already; or a known one without the
        word for it."""
        name = named_project(said)
        names = [fold(name)] if name else candidates(fold(said[:_NAMING]))
        known = self._store.named(names).projects
        return next(iter(known.values()), name) if len(known) <= 1 else name

    def _was_forgotten(self, candidate: Candidate, turn: Turn) -> bool:
        if self._is_forgotten is None:
            return False
        return self._is_forgotten(record_of(candidate, turn, self._now), turn.at)

    def _wavers(self, found: Plan, candidate: Candidate, turn: Turn) -> bool:
        """Whether a statement is one more change of what goes back and forth; then it is kept as
        such."""
        new = candidate.statement
        if found.outcome != "add" or new.confidence < 1 or not provenance.is_own(turn.origin):
            return False
        over = (*found.replaced, *found.retracted)
        for record in (*found.denied, *found.promoted, *over):
            steps = self._store.history(record.id)
            how = wavering(steps, new, candidate.said_at)
            if how is None:
                continue
            content = how.told(new.content, candidate.language)
            unsure = new._replace(content=content, confidence=CONFIDENCE)
            candidate = candidate._replace(statement=unsure)
            for one in over:
                self._end(one, "superseded", candidate.valid_from or candidate.said_at)
            if record.kind == "belief":
                self._turn_round(record, candidate, turn)
            else:
                self._add(candidate, turn, "learned", replaces=record.id)
            self.counts[UNSETTLED] += 1
            return True
        return False

    def _turn_round(self, belief: Record, candidate: Candidate, turn: Turn) -> None:
        """Let a belief that is not settled say what was said last."""
        new = record_of(candidate, turn, self._now)
        names = ("content", "attribute", "value", "positive", "tags", "entities", "basis")
        values = {name: getattr(new, name) for name in (*names, "valid_from", "confirmed_at")}
        values |= {
            "confidence": CONFIDENCE,
            "strength": min(1.0, belief.strength + LIFT),
            "sources": _with_source(belief.sources, turn),
        }
        change = UNSETTLED if belief.content != new.content else "repeated"
        self.changed[belief.id] = self._store.update(belief.id, None, change, self._now, values)

    def _carry_out(self, found: Plan, candidate: Candidate, turn: Turn) -> None:
        since = candidate.valid_from or candidate.said_at
        for record in found.retracted:
            self._end(record, "retracted", since)
        for record, content in found.rewritten:
            self._rewrite(record, content, turn)
        for record in found.denied:
            self.deny(record)
        self._doubt(found.doubtful)
        over = "corrected" if candidate.statement.act == "correct" else "superseded"
        for record in found.replaced:
            self._end(record, over, since)
        entities.hand_over(
            self._store, candidate.statement, [o.value for o in found.replaced], self._now
        )
        for record in found.promoted:
            self._archive(record, "confirmed")
            self._store.execute("answer_review", record.id, "confirmed", self._now)
        if found.outcome == "add":
            # What was known to be so comes before what was only thought to be.
            gone = [one.id for one in (*found.replaced, *found.promoted, *found.retracted)]
            record = self._add(
                candidate,
                turn,
                "learned",
                replaces=gone[0] if gone else "",
                derived_from=tuple(one.id for one in found.promoted),
                sources=_with_source(self._sources(found.promoted), turn),
            )
            for one in found.asked:
                self._store.execute("put_review", record.id, one.id, self._now)
        elif found.outcome == "hold" and found.target:
            belief = self._add(candidate, turn, "held")
            self._store.execute("put_review", belief.id, found.target.id, self._now)
        elif found.outcome == "late" and found.target and candidate.statement.act != "end":
            until = found.target.valid_from or said_at(found.target)
            self._add(candidate, turn, "late", state="archived", valid_until=max(until, since))
        elif found.outcome in ("confirm", "update") and found.target:
            if provenance.rank(found.target.trust) < provenance.rank(turn.origin):
                # The user's own words take the place of what somebody else said of them.
                self._end(found.target, "superseded", since)
                self._add(candidate, turn, "learned", replaces=found.target.id)
                return
            self._confirm(found.target, candidate, turn, richer=found.outcome == "update")

    def _sources(self, beliefs: Sequence[Record]) -> tuple[Source, ...]:
        """Where guesses come from: what becomes of the fact is to hold for these messages too."""
        known = [self._store.get(one.id) or one for one in beliefs]
        return tuple(source for one in known for source in one.sources)

    def _doubt(self, records: Sequence[Record]) -> None:
        """Leave memories as they are; `review` asks whether they still hold."""
        for record in records:
            self._store.execute("put_review", record.id, record.id, self._now)
            self.counts["doubted"] += 1

    def _add(self, candidate: Candidate, turn: Turn, change: str, **more: Any) -> Record:
        record = record_of(candidate, turn, self._now)._replace(**more)
        record = self._store.insert(record, change)
        self.counts["added" if record.state == "active" else "late"] += 1
        self.counts["held"] += change == "held"
        if record.trust == "relayed" and change == "learned":
            wait_for_owner(self._store, record, self._now)
        self.changed[record.id] = record
        return record

    def _archive(self, record: Record, change: str, **more: Any) -> None:
        self.counts[change] += 1
        values = {"state": "archived", **more}
        self.changed[record.id] = self._store.update(record.id, None, change, self._now, values)

    def end(self, record: Record, since: datetime) -> None:
        """Archive what a person says is over."""
        self._end(record, "superseded", since)

    def _end(self, record: Record, change: str, since: datetime) -> None:
        """Archive what made way for something that is so since then: until then it held.

        What was said to be so after that held longer than the new one knows, and nothing ends
        before it began.
        """
        self._archive(record, change, valid_until=_end_of(record, max(since, said_at(record))))

    def _rewrite(self, record: Record, content: str, turn: Turn) -> None:
        self.counts["updated"] += 1
        values = {
            "content": content,
            "tags": tags_of(content),
            "value": _value_within(record, content),
            "sources": _with_source(record.sources, turn),
        }
        self.changed[record.id] = self._store.update(record.id, None, "updated", self._now, values)

    def deny(self, belief: Record) -> None:
        """Lose some confidence in a belief, or give it up."""
        confidence = round(belief.confidence - DENIED, 6)
        if confidence < DOUBTFUL:
            self._archive(belief, "denied", confidence=max(0.0, confidence))
            self._store.execute("answer_review", belief.id, "rejected", self._now)
            return
        # As present as it was, for what is left of it.
        strength = belief.strength * confidence / belief.confidence
        values = {"confidence": confidence, "strength": strength}
        self.counts["doubted"] += 1
        self.changed[belief.id] = self._store.update(belief.id, None, "doubted", self._now, values)

    def _confirm(self, record: Record, candidate: Candidate, turn: Turn, richer: bool) -> None:
        own = provenance.is_own(turn.origin)
        said = candidate.said_at
        values: dict[str, Any] = {
            "confirmed_at": max(said, record.confirmed_at or said),
            "importance": max(record.importance, min(1.0, candidate.importance + SAID_AGAIN)),
            "strength": min(1.0, record.strength + LIFT),
            "sources": _with_source(record.sources, turn),
        }
        if record.kind == "belief" and own:
            # Surer, but still a guess: what it contradicts stays until a person confirms it or says
            # it outright, or what is known would go back and forth with every mood.
            values["confidence"] = min(MOST_SURE, round(record.confidence + SURER, 6))
        if richer:
            values |= _richer(record, candidate)
            # The new words are to be told and trusted no further than where they were said.
            new = record_of(candidate, turn, self._now)
            values |= {
                "audience": themes.narrowest((record, new)),
                "trust": provenance.least((record.trust, new.trust)),
            }
        change = "updated" if richer else "repeated"
        self.counts[change] += 1
        self.changed[record.id] = self._store.update(record.id, None, change, self._now, values)

    def promote(self, belief: Record, against: Record | None) -> Record:
        """Make a fact of a belief; what it contradicts is superseded.

        That is `against`, and whatever else has come to say the contrary since it was put off.
        """
        with self._store.writing_as(belief.agent):
            now = self._now
            self._archive(belief, "confirmed")
            self._store.execute("answer_review", belief.id, "confirmed", now)
            belief = belief._replace(content=certain(belief.content))
            # The facts that cannot be so if this is
            statement = Statement(
                belief.content,
                belief.subject,
                belief.attribute,
                belief.value,
                belief.category,
                positive=belief.positive,
            )
            candidate = Candidate(statement, "", belief.importance, self._now)
            opposed = plan(candidate, StoreView(self._store), "").replaced
            over = {one.id: one for one in opposed}
            if against is not None and against.state == "active":
                over = {against.id: against, **over}
            for record in over.values():
                self._end(record, "superseded", belief.valid_from or now)
            fact = belief._replace(
                kind="fact",
                confidence=1.0,
                created_at=now,
                updated_at=now,
                confirmed_at=now,
                strength=initial_strength("fact", belief.importance, 1.0),
                state="active",
                version=1,
                replaces=next(iter(over), belief.id),
                derived_from=(belief.id,),
                basis="",
                sources=(self._store.get(belief.id) or belief).sources,
            )
            fact = self._store.insert(fact, "learned")
            self.counts["added"] += 1
            self.changed[fact.id] = fact
            return fact

    def _rename(self, old: str, new: str) -> None:
        """Put what is filed under one name under another."""
        for record in self._store.latest("entity", old, _RENAMED):
            names = [new if fold(name) == fold(old) else name for name in record.entities]
            self._rename_in(record, {"entities": tuple(dict.fromkeys(names))})
        for record in self._store.find(Filter(about=(old,))):
            if record.kind == "summary":  # a theme of that name is no more
                self._archive(record, "outdated")
            else:
                self._rename_in(record, {"subject": new})

    def _rename_in(self, record: Record, values: dict[str, Any]) -> None:
        self.changed[record.id] = self._store.update(record.id, None, "renamed", self._now, values)


def confirm(store: Store, id: str, now: datetime) -> Record:
    """Make a fact of a belief, because a person says so. Call inside `writing`.

    A fact that was asked about is still so; what it says is over ends now.
    """
    belief, against = _belief(store, id)
    against = against if against and against.id != belief.id else None
    keeper = Keeper(store, now)
    if belief.kind == "fact":
        store.execute("answer_review", id, "confirmed", now)
        if against:
            keeper.end(against, belief.valid_from or now)
            themes.renew(store, keeper.changed.values(), now)
        strength = min(1.0, belief.strength + LIFT)
        values = {"confirmed_at": now, "strength": strength, "trust": "user"}
        return store.update(id, None, "confirmed", now, values)
    fact = keeper.promote(belief._replace(trust="user"), against)
    themes.renew(store, keeper.changed.values(), now)
    return fact


def reject(store: Store, id: str, now: datetime) -> Record:
    """Give a belief up, because a person says so. Call inside `writing`.

    A fact that was asked about has held until now.
    """
    belief, _ = _belief(store, id)
    store.execute("answer_review", id, "rejected", now)
    values: dict[str, Any] = {"state": "archived"}
    if belief.kind == "fact":
        values["valid_until"] = _end_of(belief, now)
    gone = store.update(id, None, "rejected", now, values)
    if belief.kind == "fact":
        themes.renew(store, [gone], now)
    return gone


def _end_of(record: Record, at: datetime) -> datetime:
    return max(at, record.valid_from or at)


def _belief(store: Store, id: str) -> tuple[Record, Record | None]:
    """An active belief, and what it contradicts where that waits for an answer; or a fact that a
    heartbeat asks about, which stands against itself."""
    record = store.get(id)
    if record is None:
        raise no_memory(id)
    waiting = [one.against for one in store.page("reviews", 0)[0] if one.belief.id == id]
    open_to = record.kind == "belief" or waiting or not provenance.is_own(record.trust)
    if not open_to or record.kind == "summary" or record.state != "active":
        raise InputError(
            "{id} is not a belief to confirm or reject",
            hint="list open beliefs with `loxodon review`, all beliefs with `loxodon list --kind "
            "belief`",
            id=id,
        )
    return record, waiting[0] if waiting else None


class StoreView:
    """`reconcile.View` over a store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def about(self, *parts: str) -> Sequence[Record]:
        return [one for one in self._store.latest("about", parts, _ABOUT) if one.kind != "summary"]

    def like(self, text: str, limit: int) -> Sequence[Record]:
        # Summaries repeat what facts say; asking for some more makes up for them.
        hits = self._store.search("memories", query_words(text), Filter(), 2 * limit)
        rows = [hit.row for hit in hits]
        records, sources = self._store.records(rows), self._store.sources(rows)
        found = [
            records[row]._replace(sources=sources.get(row, ()))
            for row in rows
            if records[row].kind != "summary"
        ]
        return found[:limit]


def record_of(candidate: Candidate, turn: Turn, now: datetime) -> Record:
    """The memory that a statement makes."""
    statement = candidate.statement
    kind: Kind = "belief" if statement.confidence < 1 else "fact"
    wish = provenance.is_wish(statement.category, statement.attribute)
    kind, confidence = provenance.kind_for(turn.origin, kind, statement.confidence, wish)
    return Record(
        id="",
        space="",
        kind=kind,
        content=statement.content,
        created_at=now,
        updated_at=now,
        strength=initial_strength(kind, candidate.importance, confidence),
        agent=turn.agent,
        audience="private" if turn.chat == "direct" else "group",
        subject=statement.subject,
        attribute=statement.attribute,
        value=statement.value,
        category=statement.category,
        project=statement.project or GLOBAL_PROJECT,
        topic=statement.topic or GENERAL_TOPIC,
        tags=tuple(dict.fromkeys((*candidate.tags, *tags_of(statement.content)))),
        entities=entities_of(statement),
        importance=candidate.importance,
        confidence=confidence,
        trust=turn.origin,
        valid_from=candidate.valid_from or candidate.said_at,
        expires_at=candidate.expires_at,
        due_at=candidate.due_at,
        confirmed_at=candidate.said_at,
        sources=(Source(turn.session, turn.id),),
        basis=statement.basis,
        positive=statement.positive,
    )


def tags_of(content: str) -> tuple[str, ...]:
    """A few words that a memory is found by."""
    named = without_verb(settled(content))
    words = [word for word in quick(named, _TAGS + 1) if word.lower() not in _NO_TAGS]
    return tuple(dict.fromkeys(words[:_TAGS]))


_NO_TAGS = frozenset({"用户", "user", "the user", "users"})


def _with_source(sources: tuple[Source, ...], turn: Turn) -> tuple[Source, ...]:
    source = Source(turn.session, turn.id)
    return sources if source in sources else (*sources, source)[-_SOURCES:]


def _value_within(record: Record, content: str) -> str:
    """The value of a memory whose words become `content`: what changed there, changes in it."""
    if record.value in content:
        return record.value
    start = _alike(record.content, content)
    was, became = record.content[start:], content[start:]
    end = _alike(was[::-1], became[::-1])
    was, became = was[: len(was) - end], became[: len(became) - end]
    value = record.value.replace(was, became).strip() if was else ""
    return value if value in content else ""


def _alike(one: str, other: str) -> int:
    """How many characters two texts begin with alike."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(one), len(other)))


def entities_of(statement: Statement) -> tuple[str, ...]:
    """The names that a memory is filed under."""
    names = [one.name for one in statement.mentions if one.name != USER]
    if statement.subject != USER:
        names.append(statement.subject)
    return tuple(dict.fromkeys(names))


def _richer(record: Record, candidate: Candidate) -> dict[str, Any]:
    """The fields of a memory that a fuller statement of the same replaces."""
    new = candidate.statement
    values: dict[str, Any] = {
        "content": new.content,
        "tags": tags_of(new.content),
        "entities": tuple(dict.fromkeys((*record.entities, *entities_of(new)))),
    }
    for name in ("attribute", "value", "subject"):
        values[name] = getattr(new, name) or getattr(record, name)
    if candidate.due_at or candidate.expires_at:
        values |= {"due_at": candidate.due_at, "expires_at": candidate.expires_at}
    return values


def decided(candidate: Candidate, target: Record | None, compared: Callable[[], Plan]) -> Plan:
    """The plan for a candidate that a model decided about; `compared` is what the rules make of it,
    for what the model left open."""
    says = bool(candidate.statement.content)
    if target is None or target.state != "active" or target.kind == "summary":
        # It changed while the model was thinking: what is new is still new.
        return compared() if says and candidate.does == "update" else Plan("nothing")
    if candidate.does == "same":
        return Plan("confirm", target)
    if said_at(target) > candidate.said_at:
        return Plan("late", target) if says else Plan("nothing")
    if candidate.does == "end":
        return Plan("nothing", retracted=(target,))
    if candidate.statement.confidence < 1 and target.kind == "fact":
        return Plan("hold", target)
    found = compared()
    if found.target is not None and found.target.id == target.id and found.outcome != "hold":
        return found._replace(outcome="update")
    others = tuple(one for one in found.replaced if one.id != target.id)
    if found.outcome in ("confirm", "update"):  # the new is known already, the old goes
        return found._replace(replaced=(target, *others))
    return found._replace(outcome="add", target=None, replaced=(target, *others))
