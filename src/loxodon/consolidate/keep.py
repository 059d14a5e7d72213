"""Phase 4: carrying out what `reconcile` decided: statements become memories, and memories make way
for them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any

from loxodon.consolidate import entities, themes
from loxodon.consolidate.decay import LIFT, initial_strength
from loxodon.consolidate.phrases import phrases
from loxodon.consolidate.read import Candidate, certain, meaning_of, meet
from loxodon.consolidate.reconcile import Fate, Plan, corrected, known_about, plan, said_at
from loxodon.errors import InputError, no_memory
from loxodon.guard import provenance
from loxodon.language.attributes import weighed
from loxodon.language.projects import named_project
from loxodon.language.statements import USER, Mention, Statement
from loxodon.store import Filter
from loxodon.store.store import Store
from loxodon.text.keywords import quick
from loxodon.text.names import candidates
from loxodon.text.words import fold
from loxodon.types import GENERAL_TOPIC, GLOBAL_PROJECT, IN_PROJECT, Kind, Record, Source, Turn

SAID_AGAIN = 0.2  # What being said again adds to importance
SURER = 0.1  # and to the confidence of a belief
DENIED = 0.3  # What a fact to the contrary takes from it
DOUBTFUL = 0.2  # Confidence below which a belief is given up
MOST_SURE = 0.95  # A belief is never certain; what is certain is a fact
_TAGS = 3
_IN_DOUBT = 3  # Memories that are asked about for one statement
_SOURCES = 20  # Turns that a memory names as its sources; one said every day needs no more
_RENAMED = 1_000
_NAMING = 200  # Characters of a turn in which a known project is looked for
_WORK = ("config", "decision", "solution", "debug")
# What is so wherever it is said; anything else belongs to the project that it was said in
_PERSONAL = ("identity", "health", "preference", "relation", "status")
_TOLD = ("subject", "attribute", "value", "category", "basis", "positive", "importance")
_PRIVATE = {"finance", "salary", "religion"}
_NO_TAGS = frozenset({"用户", "user", "the user", "users"})


class Keeper:
    """Takes statements in, one after the other, and counts what became of them."""

    def __init__(
        self,
        store: Store,
        now: datetime,
        was_forgotten: Callable[[Record, datetime], bool] = lambda record, at: False,
        replacing: Collection[str] = (),  # what is said that seems to replace something known
    ) -> None:
        self._store, self._now = store, now
        self._was_forgotten, self._replacing = was_forgotten, replacing
        self.counts: Counter[str] = Counter()
        self.changed: dict[str, Record] = {}  # Every memory that was added or changed, by id

    def take(self, candidate: Candidate, turn: Turn) -> None:
        """Make of one statement what it means for the memory."""
        if name := entities.another(self._store, turn):
            candidate = entities.said_by(candidate, name)
        statement = weighed(candidate.statement, self._store.decay.config.importance)
        # The project that the turn names, as it is written already
        project = statement.project or named_project(turn.content)
        names = [fold(project)] if project else candidates(fold(turn.content[:_NAMING]))
        about, projects, _ = self._store.named(names)
        written = {o.name for o in about.values() if o.type == "project"} | {*projects.values()}
        project = written.pop() if len(written) == 1 else project
        if project and statement.category not in _PERSONAL:
            named = (*statement.mentions, Mention(project, "project"))
            statement = statement._replace(mentions=named, tentative=False)  # it is of their work
        turn = turn._replace(origin="user") if candidate.vouched else turn
        if turn.origin == "relayed":  # nobody vouches for it: at most it is a guess
            sure = min(statement.confidence, provenance.UNCONFIRMED)
            statement = statement._replace(confidence=sure)
        elif provenance.speaks_for_user(turn):  # nobody else says who goes by what name
            entities.learn(self._store, statement, self._now, self._rename)
        subject = statement.subject
        if subject != USER and (known_as := self._store.entities_named([subject])):
            subject = known_as[subject].name
        if not project and statement.category not in _PERSONAL:
            project = turn.channel.partition(IN_PROJECT)[2]
        statement = statement._replace(subject=subject, project=project)
        candidate = candidate._replace(statement=statement)
        known = known_about(self._store, subject, statement.attribute) if statement.inferred else ()
        told = any(one.kind == "fact" for one in known)
        new = record_of(candidate, turn, self._now)
        if told or self._was_forgotten(new, turn.at):
            return
        found = self._plan(candidate, f"{turn.session}:{turn.id}")
        found = provenance.bounded(found, turn.origin)
        for one in found.of("doubted")[:_IN_DOUBT]:  # `review` asks whether they still hold
            self._store.execute("put_review", one.id, one.id, self._now)
            self.counts["doubted"] += 1
        changes = any(fate != "doubted" for fate, _ in found.changes) or found.beside
        # What is tentative is worth keeping only for what it changes.
        if changes or not statement.tentative or new.content in self._replacing:
            self._carry_out(found, candidate, new)

    def _plan(self, candidate: Candidate, turn: str) -> Plan:
        """What to do about a statement: as a model decided, else by comparing."""
        says, does = bool(candidate.statement.content), candidate.does
        if not does:
            return plan(candidate, self._store, turn)
        target = self._store.get(candidate.target)
        if target is None or target.state != "active" or target.kind == "summary":
            # It changed while the model was thinking: what is new is still new.
            new = says and does == "update"
            return plan(candidate, self._store, turn) if new else Plan("nothing")
        if does == "same":
            return Plan("confirm", target)
        if said_at(target) > candidate.said_at:
            return Plan("late", target) if says else Plan("nothing")
        if does == "end":
            return Plan("nothing", changes=(("retracted", target),))
        if candidate.statement.confidence < 1 and target.kind == "fact":
            return Plan("hold", target)
        found = plan(candidate, self._store, turn)
        if found.target is not None and found.target.id == target.id and found.outcome != "hold":
            return found._replace(outcome="update")
        others = tuple(change for change in found.changes if change[1].id != target.id)
        found = found._replace(changes=(("superseded", target), *others))
        if found.outcome in ("confirm", "update"):  # the new is known already, the old goes
            return found
        return found._replace(outcome="add", target=None)

    def write(self, new: Record) -> Record:
        """Add what a person wrote as it stands; what it replaces or bears out makes way for it."""
        meant, found = meaning_of(new.content, self._now), Plan("add")
        said = meant.statement._replace(content=new.content)
        meet(self._store, said, new, self._now)
        meant = meant._replace(statement=said)
        if said.attribute and new.kind == "fact":
            found = plan(meant, self._store, "")._replace(outcome="add")
        self._carry_out(found, meant, new, "captured")
        return [*self.changed.values()][-1]

    def _carry_out(
        self, found: Plan, candidate: Candidate, new: Record, how: str = "learned"
    ) -> None:
        statement, target = candidate.statement, found.target
        since = candidate.valid_from or candidate.said_at
        for fate, record in found.changes:
            if fate in ("retracted", "superseded"):
                wrong = fate == "superseded" and statement.act == "correct"
                self.end(record, "corrected" if wrong else fate, since)
            elif fate == "rewritten":
                content, value = (corrected(statement, o) for o in (record.content, record.value))
                values = {"content": content, "tags": tags_of(content), "value": value}
                self._update(record, "updated", **values, sources=_with_sources(record, new))
            elif fate == "denied":
                self.deny(record)
            elif fate == "promoted":
                self._answer(record, "confirmed")
        replaced, promoted = found.of("superseded"), found.of("promoted")
        entities.hand_over(self._store, statement, [one.value for one in replaced], self._now)
        if found.outcome == "add":
            # What was known to be so comes before what was only thought to be.
            gone = [one.id for one in (*replaced, *promoted, *found.of("retracted"))]
            known = [self._store.get(one.id) or one for one in promoted]
            derived, sources = tuple(one.id for one in known), _with_sources(*known, new)
            new = new._replace(replaces="".join(gone[:1]), derived_from=derived, sources=sources)
            record = self._add(new, how)
            for one in found.of("asked"):
                self._store.execute("put_review", record.id, one.id, self._now)
        elif target is None:
            return
        elif found.outcome == "hold":
            belief = self._add(new, "held")
            self._store.execute("put_review", belief.id, target.id, self._now)
        elif found.outcome == "late" and statement.act != "end":
            until = max(target.valid_from or said_at(target), since)
            self._add(new, "late", state="archived", valid_until=until)
        elif found.outcome in ("confirm", "update"):
            if provenance.rank(target.trust) < provenance.rank(new.trust):
                # The user's own words take the place of what somebody else said of them.
                self.end(target, "superseded", since)
                self._add(new, "learned", replaces=target.id)
            else:
                self._confirm(target, new, richer=found.outcome == "update")

    def _add(self, new: Record, change: str, **more: Any) -> Record:
        record = self._store.insert(new._replace(**more), change)
        self.counts["added" if record.state == "active" else "late"] += 1
        self.counts["held"] += change == "held"
        if record.trust == "relayed" and change == "learned":
            wait_for_owner(self._store, record, self._now)
        self.changed[record.id] = record
        return record

    def _update(self, record: Record, change: str, **values: Any) -> None:
        self.counts[change] += 1
        self.changed[record.id] = self._store.update(record.id, None, change, self._now, values)

    def end(self, record: Record, change: str, since: datetime) -> None:
        """Archive what made way for something that is so since then: until then it held."""
        until = max(since, said_at(record), record.valid_from or since)
        self._update(record, change, state="archived", valid_until=until)

    def _answer(self, belief: Record, answer: str, **values: Any) -> None:
        """Archive a belief that turned out true, or not."""
        change = "denied" if answer == "rejected" else answer
        self._update(belief, change, state="archived", **values)
        self._store.execute("answer_review", belief.id, answer, self._now)

    def deny(self, belief: Record) -> None:
        """Lose some confidence in a belief, or give it up."""
        confidence = round(belief.confidence - DENIED, 6)
        if confidence < DOUBTFUL:
            self._answer(belief, "rejected", confidence=max(0.0, confidence))
        else:  # as present as it was, for what is left of it
            strength = belief.strength * confidence / belief.confidence
            self._update(belief, "doubted", confidence=confidence, strength=strength)

    def _confirm(self, record: Record, new: Record, richer: bool) -> None:
        said = said_at(new)
        values: dict[str, Any] = {
            "confirmed_at": max(said, record.confirmed_at or said),
            "importance": max(record.importance, min(1.0, new.importance + SAID_AGAIN)),
            "strength": min(1.0, record.strength + LIFT),
            "sources": _with_sources(record, new),
        }
        if record.kind == "belief" and provenance.is_own(new.trust):
            # Surer, but still a guess: what it contradicts stays until a person confirms it or says
            # it outright, or what is known would go back and forth with every mood.
            values["confidence"] = min(MOST_SURE, round(record.confidence + SURER, 6))
        if richer:
            # The new words are to be told and trusted no further than where they were said.
            values |= {
                "content": new.content,
                "tags": tags_of(new.content),
                "entities": tuple(dict.fromkeys((*record.entities, *new.entities))),
                "audience": themes.narrowest((record, new)),
                "trust": provenance.least((record.trust, new.trust)),
            }
            for name in ("attribute", "value", "subject"):
                values[name] = getattr(new, name) or getattr(record, name)
            if new.due_at or new.expires_at:
                values |= {"due_at": new.due_at, "expires_at": new.expires_at}
        self._update(record, "updated" if richer else "repeated", **values)

    def promote(self, belief: Record, against: Record | None) -> Record:
        """Make a fact of a belief; what says the contrary is superseded."""
        now = self._now
        fact = belief._replace(
            kind="fact",
            content=certain(belief.content),
            version=1,
            confidence=1.0,
            basis="",
            created_at=now,
            updated_at=now,
            confirmed_at=now,
            strength=initial_strength("fact", belief.importance, 1.0),
        )
        about = (fact.content, fact.subject, fact.attribute, fact.value, fact.category)
        candidate = Candidate(Statement(*about, positive=fact.positive), now, fact.valid_from)
        with self._store.writing_as(belief.agent):
            over = {one.id: one for one in plan(candidate, self._store, "").of("superseded")}
            if against is not None and against.state == "active":
                over = {against.id: against, **over}
            ended: list[tuple[Fate, Record]] = [("superseded", one) for one in over.values()]
            self._carry_out(Plan("add", changes=(*ended, ("promoted", belief))), candidate, fact)
        return [*self.changed.values()][-1]

    def _rename(self, old: str, new: str) -> None:
        for record in self._store.latest("entity", old, _RENAMED):
            names = [new if fold(name) == fold(old) else name for name in record.entities]
            self._update(record, "renamed", entities=tuple(dict.fromkeys(names)))
        for record in self._store.find(Filter(about=(old,))):
            if record.kind == "summary":  # a theme of that name is no more
                self._update(record, "outdated", state="archived")
            else:
                self._update(record, "renamed", subject=new)


def confirm(store: Store, id: str, now: datetime) -> Record:
    """Make a fact of a belief, because a person says so. Call inside `writing`."""
    belief, against = _open_belief(store, id)
    keeper = Keeper(store, now)
    if belief.kind == "fact":
        store.execute("answer_review", id, "confirmed", now)
        if against and said_at(against) <= said_at(belief):  # else it still holds beside the later
            keeper.end(against, "superseded", belief.valid_from or now)
        strength = min(1.0, belief.strength + LIFT)
        values = {"confirmed_at": now, "strength": strength, "trust": "user"}
        fact = store.update(id, None, "confirmed", now, values)
    else:
        fact = keeper.promote(belief._replace(trust="user"), against)
    themes.renew(store, keeper.changed.values(), now)
    return fact


def reject(store: Store, id: str, now: datetime) -> Record:
    """Give a belief up, because a person says so. Call inside `writing`."""
    belief, against = _open_belief(store, id)
    store.execute("answer_review", id, "rejected", now)
    if belief.kind != "fact":
        return store.update(id, None, "rejected", now, {"state": "archived"})
    later = against is not None and said_at(against) > said_at(belief)
    until = said_at(against) if against and later else max(now, belief.valid_from or now)
    change = "superseded" if later else "rejected"
    gone = store.update(id, None, change, now, {"state": "archived", "valid_until": until})
    themes.renew(store, [gone], now)
    return gone


def wait_for_owner(store: Store, record: Record, now: datetime) -> None:
    """Ask the owner about a belief that nothing bears out. Call inside `writing`."""
    if record.kind == "belief" and not provenance.is_own(record.trust):
        store.execute("put_review", record.id, record.id, now)


def _open_belief(store: Store, id: str) -> tuple[Record, Record | None]:
    """An active belief, or a fact that is asked about, and what it contradicts."""
    record = store.get(id)
    if record is None:
        raise no_memory(id)
    waiting = [one.against for one in store.page("reviews", 0)[0] if one.belief.id == id]
    is_open = record.kind == "belief" or waiting or not provenance.is_own(record.trust)
    if not is_open or record.kind == "summary" or record.state != "active":
        hint = "list open beliefs with `loxodon review`, all with `loxodon list --kind belief`"
        raise InputError("{id} is not a belief to confirm or reject", hint=hint, id=id)
    return record, next((one for one in waiting[:1] if one and one.id != id), None)


def record_of(candidate: Candidate, turn: Turn, now: datetime) -> Record:
    statement = candidate.statement
    kind: Kind = "belief" if statement.confidence < 1 else "fact"
    wish = provenance.is_wish(statement.category, statement.attribute)
    kind, confidence = provenance.kind_for(turn.origin, kind, statement.confidence, wish)
    names = [one.name for one in statement.mentions] + [statement.subject]
    names += [statement.value] if statement.attribute == "name" else []
    strength = initial_strength(kind, statement.importance, confidence)
    told: dict[str, Any] = {
        **{name: getattr(statement, name) for name in _TOLD},
        "due_at": candidate.due_at,
        "expires_at": candidate.expires_at,
        "project": statement.project or GLOBAL_PROJECT,
        "topic": _topic_of(statement),
        "tags": tuple(dict.fromkeys((*candidate.tags, *tags_of(statement.content)))),
        "entities": tuple(dict.fromkeys(name for name in names if name != USER)),
        "confidence": confidence,
        "sensitivity": "high" if {statement.topic, statement.attribute} & _PRIVATE else "low",
        "valid_from": candidate.valid_from or candidate.said_at,
        "confirmed_at": candidate.said_at,
        "agent": turn.agent,
        "audience": "private" if turn.chat == "direct" else "group",
        "trust": turn.origin,
        "sources": (Source(turn.session, turn.id),),
    }
    return Record("", "", kind, statement.content, now, now, strength, **told)


def _topic_of(statement: Statement) -> str:
    """What a statement is about; of work, the part of it."""
    about = statement.topic
    if statement.project or statement.category in _WORK or about in ("work", "project"):
        topics = phrases()["topics"].items()
        about = next((one for one, like in topics if re.search(like, statement.content)), about)
    return about or ("preferences" if statement.category == "preference" else GENERAL_TOPIC)


def learned_from(store: Store, turns: Sequence[int]) -> list[Record]:
    """Facts and beliefs that nothing but one of these turns bears out."""
    rows = [row for rows in store.drawn_from(turns).values() for row in rows]
    sources, records = store.sources(rows), store.records(rows)
    alone = [one for row, one in records.items() if len(sources.get(row, ())) == 1]
    return [one for one in alone if one.state == "active" and one.kind != "summary"]


@lru_cache(maxsize=1_000)  # each is made a memory twice: to be compared, and to be kept
def tags_of(content: str) -> tuple[str, ...]:
    words = [word for word in quick(content, _TAGS + 1) if word.lower() not in _NO_TAGS]
    words = [word for word in words if sum(map(str.isdigit, word)) < 5]  # the number of a person
    return tuple(dict.fromkeys(words[:_TAGS]))


def _with_sources(*records: Record) -> tuple[Source, ...]:
    """The sources of memories, each once; the last ones."""
    return tuple(dict.fromkeys(source for one in records for source in one.sources))[-_SOURCES:]
