"""What a new statement means for what is known.

A statement is held against the memories about the same thing: those with its subject and attribute,
the five most similar in words, and those that have the words it declares over. Each of them says
the same, says more or less, contradicts it, is ended by it, or has nothing to do with it
(`relation.py`); `plan` makes of these one decision, which `keep.py` carries out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Literal, NamedTuple

from loxodon.consolidate.extract import Candidate
from loxodon.consolidate.relation import (
    ALIKE,
    Relation,
    besides,
    is_elaborated_by,
    is_told_by,
    relation,
    speaks_of,
)
from loxodon.language.attributes import ATTRIBUTES, CALLED, OPPOSITES
from loxodon.language.statements import Statement
from loxodon.store import Filter
from loxodon.store.store import Store
from loxodon.text.similarity import likeness, sense
from loxodon.text.things import clauses_in
from loxodon.text.words import fold, query_words
from loxodon.types import Record

SIMILAR = 5  # Memories looked at for their words where no subject and attribute leads to them
FIRM = 0.7  # Importance from which on a memory is not contradicted by a guess
_IN_DOUBT = 3
_STABLE = ("name", "birthday", "gender", "blood_type", "ethnicity")
_ABOUT = 50
Outcome = Literal["add", "confirm", "update", "hold", "late", "nothing"]
Related = Sequence[tuple[Relation, Record]]


class KnowledgeView:
    """What is known, to be asked about; active facts and beliefs only."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def about(self, *parts: str) -> Sequence[Record]:
        """Memories of a subject, or of it and an attribute, or of these and a value."""
        return [one for one in self._store.latest("about", parts, _ABOUT) if one.kind != "summary"]

    def like(self, text: str, limit: int) -> Sequence[Record]:
        """The memories that share most words with `text`."""
        # Summaries repeat what facts say; asking for some more makes up for them.
        hits = self._store.search("memories", query_words(text), Filter(), 2 * limit)
        rows = [hit.row for hit in hits]
        records, sources = self._store.records(rows), self._store.sources(rows)
        found = [row for row in rows if records[row].kind != "summary"][:limit]
        return [records[row]._replace(sources=sources.get(row, ())) for row in found]


class Plan(NamedTuple):
    """What to do about one statement."""

    outcome: Outcome
    target: Record | None = None  # What is confirmed, made richer, or contradicted by a guess
    replaced: tuple[Record, ...] = ()  # What the new memory takes the place of
    retracted: tuple[Record, ...] = ()  # What is over
    # What stays true with the right word in the place of a wrong one: its new content and value
    rewritten: tuple[tuple[Record, str, str], ...] = ()
    denied: tuple[Record, ...] = ()  # Beliefs that turned out less likely
    promoted: tuple[Record, ...] = ()  # Beliefs that turned out true
    doubtful: tuple[Record, ...] = ()  # What may be over: it stays, and waits for the user's word
    # What is over if the user confirms the new memory, which stands beside it until then
    asked: tuple[Record, ...] = ()
    # Whether something stays though it speaks of what is over: it tells other things as well
    beside: bool = False


def plan(candidate: Candidate, view: KnowledgeView, turn: str) -> Plan:
    """What to do about a statement said in `turn` (`session:id`)."""
    statement = candidate.statement
    related = [
        (how, record)
        for record in _near(statement, view)
        if (how := relation(statement, record)) in ALIKE
        or statement.act == "correct"
        # What is said in one breath fits together.
        or any(f"{one.session}:{one.turn}" != turn for one in record.sources)
        or not record.sources
    ]
    over = [record for how, record in related if how in ("contradicts", "ended")]
    ended = [record for how, record in related if how == "ended" and not record.attribute]
    copies = {
        one.id: one
        for record in over
        for one in view.like(record.content, 2 * SIMILAR)
        if is_elaborated_by(record, one) or (record in ended and is_told_by(one, record))
    }
    related = [one for one in related if one[1].id not in copies]
    related += [("ended", one) for one in copies.values()]
    facts = [one for one in related if one[1].kind == "fact"]
    beliefs = [one for one in related if one[1].kind == "belief"]
    if statement.confidence < 1:
        return _plan_guess(candidate, facts, beliefs)
    return _plan_fact(candidate, facts, beliefs)


def _plan_guess(candidate: Candidate, facts: Related, beliefs: Related) -> Plan:
    if any(how in ALIKE for how, _ in facts):
        return Plan("nothing")
    for how, record in beliefs:
        if how in ALIKE:
            return Plan("confirm", record)
    over = [one for how, one in facts if how in ("contradicts", "ended")]
    firm = [one for one in over if one.importance >= FIRM]
    for one in firm:
        if said_at(one) > candidate.said_at:
            return Plan("late", one)
    return Plan("hold", firm[0]) if firm else Plan("add")


def _plan_fact(candidate: Candidate, facts: Related, beliefs: Related) -> Plan:
    statement = candidate.statement
    opposed = [record for how, record in facts if how == "contradicts"]
    ended = [record for how, record in facts if how == "ended"]
    for one in opposed + ended:
        if said_at(one) > candidate.said_at:
            return Plan("late", one)  # an old transcript does not change what was true after it
    rewritten: tuple[tuple[Record, str, str], ...] = ()
    doubtful: list[Record] = []
    # Where somebody's own words may mean several things, only what they name alone is over.
    several = {one.sources for one in opposed + ended}
    if statement.quoted and statement.over and len(several) > len(statement.over):
        named = [*map(sense, statement.over)]
        doubtful = [one for one in opposed + ended if sense(one.value) not in named]
        opposed, ended = ([o for o in some if o not in doubtful] for some in (opposed, ended))
    if statement.right:  # in the place of the wrong word; somebody's own words stay
        rewritten = tuple(
            (one, content, _corrected(statement, one.value))
            for one in opposed
            if one.attribute and (content := _corrected(statement, one.content)) != one.content
        )
        known = [one.id for one, *_ in rewritten]
        opposed = [one for one in opposed if besides(statement) and one.id not in known]
    # It may cost somebody's health to take a memory for over that is not; and who somebody is
    # hardly changes by a sentence that does not say so.
    asked = [
        one
        for one in opposed + ended
        if one.positive
        and (
            (one.category == "health" and one.importance >= 1 and one.attribute != "diet")
            or (one.attribute in _STABLE and statement.act == "state" and not statement.right)
        )
    ]
    found = Plan(
        "nothing" if rewritten else "add",
        replaced=tuple(one for one in opposed if one not in asked),
        retracted=tuple(one for one in ended if one not in asked),
        rewritten=rewritten,
        denied=tuple(record for how, record in beliefs if how in ("contradicts", "ended")),
        promoted=tuple(record for how, record in beliefs if how in ALIKE),
        doubtful=tuple(doubtful[:_IN_DOUBT]),
        asked=tuple(asked),
        beside=any(speaks_of(words, one) for words in statement.over for _, one in facts),
    )
    alike = [(how, one) for how, one in facts if how in ALIKE]
    if not alike:
        return found
    content = statement.content
    how, target = max(alike, key=lambda one: (likeness(content, one[1].content), one[1].id))
    return found._replace(outcome="update" if how == "richer" else "confirm", target=target)


def _corrected(statement: Statement, text: str) -> str:
    """A text with the right word in the place of the wrong one."""
    for wrong in statement.over:
        whole = rf"(?<!\w){re.escape(wrong)}(?!\w)" if wrong.isascii() else re.escape(wrong)
        text = re.sub(whole, lambda _: statement.right, text, flags=re.I)
    return text


def _near(statement: Statement, view: KnowledgeView) -> list[Record]:
    """The memories that a statement could be about, each once."""
    found = list(view.like(statement.content, SIMILAR))
    if statement.attribute:
        for attribute in (statement.attribute, *OPPOSITES.get(statement.attribute, ())):
            one = ATTRIBUTES[attribute].one or statement.act == "end"
            value = () if one else (statement.value,)
            found += view.about(statement.subject, attribute, *value)
    if statement.act != "state":
        for clause in clauses_in(statement.content):
            found += view.like(clause, SIMILAR)
    for words in statement.over:
        found += view.like(words, 2 * SIMILAR)
        found += view.about(words)
        for called in CALLED.get(fold(words), ()):
            found += view.about(statement.subject, called)
    return list({record.id: record for record in found}.values())


def said_at(record: Record) -> datetime:
    """When a memory was last said to be so."""
    return record.confirmed_at or record.valid_from or record.created_at
