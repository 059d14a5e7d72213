"""Phase 4a and 4b: what a new statement means for what is known.

A statement is held against the memories about the same thing: those with its subject and attribute,
the five most similar in words, and those that have the words it declares over. Each of them says
the same, says more or less, contradicts it, is ended by it, or has nothing to do with it
(`relation.py`); `plan` makes of these one decision. Pure: `View` answers questions, `keep.py`
carries the plan out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Literal, NamedTuple, Protocol

from loxodon.consolidate.extract import Candidate
from loxodon.consolidate.relation import (
    ALIKE,
    Relation,
    besides,
    is_elaborated_by,
    is_told_by,
    is_value,
    relation,
    speaks_of,
)
from loxodon.language.attributes import ATTRIBUTES, CALLED, OPPOSITES
from loxodon.language.statements import Statement
from loxodon.text.similarity import likeness
from loxodon.text.things import clauses_in
from loxodon.text.words import fold
from loxodon.types import Record

SIMILAR = 5  # Memories looked at for their words where no subject and attribute leads to them
FIRM = 0.7  # Importance from which on a memory is not contradicted by a guess
_IN_DOUBT = 3
Outcome = Literal["add", "confirm", "update", "hold", "late", "nothing"]


class KnowledgeView(Protocol):
    """What is known, to be asked about; active facts and beliefs only."""

    def about(self, *parts: str) -> Sequence[Record]:
        """Memories of a subject, or of it and an attribute, or of these and a value."""
        ...

    def like(self, text: str, limit: int) -> Sequence[Record]:
        """The memories that share most words with `text`."""
        ...


class Plan(NamedTuple):
    """What to do about one statement."""

    outcome: Outcome
    target: Record | None = None  # What is confirmed, made richer, or contradicted by a guess
    replaced: tuple[Record, ...] = ()  # What the new memory takes the place of
    retracted: tuple[Record, ...] = ()  # What is over
    # What stays true with the right word in the place of a wrong one
    rewritten: tuple[tuple[Record, str], ...] = ()
    denied: tuple[Record, ...] = ()  # Beliefs that turned out less likely
    promoted: tuple[Record, ...] = ()  # Beliefs that turned out true
    doubtful: tuple[Record, ...] = ()  # What may be over: it stays, and waits for the user's word
    # What is over if the user confirms the new memory, which stands beside it until then
    asked: tuple[Record, ...] = ()
    # Whether something stays though it speaks of what is over: it tells other things as well
    beside: bool = False


def plan(candidate: Candidate, view: KnowledgeView, turn: str) -> Plan:
    """What to do about a statement said in `turn` (`session:id`)."""
    related = [
        (how, record)
        for record in _near(candidate, view)
        if (how := relation(candidate.statement, record)) in ALIKE
        or candidate.statement.act == "correct"
        or not _only_from(record, turn)
    ]
    ended = [record for how, record in related if how == "ended" and not record.attribute]
    copies = {
        one.id: one
        for record in ended
        for one in view.like(record.content, SIMILAR)
        if is_told_by(one, record)
    }
    over = [record for how, record in related if how in ("contradicts", "ended")]
    copies |= {
        one.id: one
        for record in over
        for one in view.like(record.content, 2 * SIMILAR)
        if is_elaborated_by(record, one)
    }
    related = [(how, record) for how, record in related if record.id not in copies]
    related += [("ended", one) for one in copies.values()]
    facts = [(how, record) for how, record in related if record.kind == "fact"]
    beliefs = [(how, record) for how, record in related if record.kind == "belief"]
    if candidate.statement.confidence < 1:
        if any(how in ALIKE for how, _ in facts):
            return Plan("nothing")
        for how, record in beliefs:
            if how in ALIKE:
                return Plan("confirm", record)
        firm = [
            record
            for how, record in facts
            if how in ("contradicts", "ended") and record.importance >= FIRM
        ]
        later = [one for one in firm if said_at(one) > candidate.said_at]
        if later:
            return Plan("late", later[0])
        return Plan("hold", firm[0]) if firm else Plan("add")
    return _plan_fact(candidate, facts, beliefs)


Related = Sequence[tuple[Relation, Record]]


def _plan_fact(candidate: Candidate, facts: Related, beliefs: Related) -> Plan:
    statement = candidate.statement
    opposed = [record for how, record in facts if how == "contradicts"]
    ended = [record for how, record in facts if how == "ended"]
    later = [one for one in opposed + ended if said_at(one) > candidate.said_at]
    if later:  # an old transcript, read today, does not change what was true after it
        return Plan("late", later[0])
    rewritten: tuple[tuple[Record, str], ...] = ()
    doubtful: list[Record] = []
    # Whether a statement in somebody's own words names one thing that is over, or was wrong
    if (
        statement.quoted
        and statement.over
        and len({one.sources for one in opposed + ended}) > len(statement.over)
    ):
        sure = [one for one in opposed + ended if is_value(statement, one)]
        doubtful = [one for one in opposed + ended if one not in sure][:_IN_DOUBT]
        opposed, ended = ([o for o in some if o in sure] for some in (opposed, ended))
    if statement.right:
        rewritten = tuple((one, right) for one in opposed if (right := _corrected(statement, one)))
        known = [one.id for one, _ in rewritten]
        whole = bool(besides(statement))
        opposed = [one for one in opposed if whole and one.id not in known]
    asked = [one for one in opposed + ended if _asks_first(one)]
    alike = _best(candidate, [(how, one) for how, one in facts if how in ALIKE])
    rest = Plan(
        "add",
        replaced=tuple(one for one in opposed if one not in asked),
        retracted=tuple(one for one in ended if one not in asked),
        rewritten=rewritten,
        denied=tuple(record for how, record in beliefs if how in ("contradicts", "ended")),
        promoted=tuple(record for how, record in beliefs if how in ALIKE),
        doubtful=tuple(doubtful),
        asked=tuple(asked),
        beside=any(speaks_of(words, one) for words in statement.over for _, one in facts),
    )
    if alike is not None:
        return rest._replace(
            outcome="update" if alike[0] == "richer" else "confirm", target=alike[1]
        )
    return rest._replace(outcome="nothing") if rewritten else rest


def _asks_first(record: Record) -> bool:
    """Whether it may cost somebody's health to take a memory for over that is not."""
    return (
        record.positive
        and record.category == "health"
        and record.importance >= 1
        and record.attribute != "diet"
    )


def _corrected(statement: Statement, record: Record) -> str:
    """What a memory says with the right word; empty for somebody's own words, which stay."""
    if not record.attribute:
        return ""
    content = record.content
    for wrong in statement.over:
        whole = rf"(?<!\w){re.escape(wrong)}(?!\w)" if wrong.isascii() else re.escape(wrong)
        content = re.sub(whole, lambda _: statement.right, content, flags=re.I)
    return content if content != record.content else ""


def _best(candidate: Candidate, alike: Related) -> tuple[Relation, Record] | None:
    content = candidate.statement.content
    return max(alike, key=lambda one: (likeness(content, one[1].content), one[1].id), default=None)


def _near(candidate: Candidate, view: KnowledgeView) -> list[Record]:
    """The memories that the statement could be about, each once."""
    statement = candidate.statement
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


def _only_from(record: Record, turn: str) -> bool:
    """Whether all that is known of a memory comes from one turn: what is said in one breath fits
    together."""
    return bool(record.sources) and all(
        f"{source.session}:{source.turn}" == turn for source in record.sources
    )


def said_at(record: Record) -> datetime:
    """When a memory was last said to be so."""
    return record.confirmed_at or record.valid_from or record.created_at
