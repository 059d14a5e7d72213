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

from loxodon.text.lists import without
from loxodon.text.similarity import gist, likeness
from loxodon.types import Record
from loxodon.write.attributes import (
    ATTRIBUTES,
    IMPLIED_BY,
    OPPOSITES,
)
from loxodon.write.domains import domains_of, kinds_of, words_of
from loxodon.write.extract import Candidate
from loxodon.write.relation import Relation, forgets, relation, rewords, units
from loxodon.write.statements import USER, Statement

SIMILAR = 5
"""Memories looked at for their words where no subject and attribute leads to them."""
FIRM = 0.7
"""Importance from which on a memory is not contradicted by a guess."""
Outcome = Literal["add", "confirm", "update", "hold", "late", "nothing"]


class View(Protocol):
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
    target: Record | None = None
    """What is confirmed, made richer, or contradicted by a guess."""
    replaced: tuple[Record, ...] = ()
    """What the new memory takes the place of."""
    retracted: tuple[Record, ...] = ()
    """What is over."""
    rewritten: tuple[tuple[Record, str], ...] = ()
    """What stays true in other words: one thing is gone from its list, or has another number."""
    denied: tuple[Record, ...] = ()
    """Beliefs that turned out less likely."""
    promoted: tuple[Record, ...] = ()
    """Beliefs that turned out true."""


def plan(candidate: Candidate, view: View, turn: str) -> Plan:
    """What to do about a statement said in `turn` (`session:id`)."""
    related = [
        (how, record)
        for record in _near(candidate, view)
        if (how := relation(candidate.statement, record)) in _ALIKE
        or candidate.statement.act == "correct"
        or not _only_from(record, turn)
    ]
    facts = [(how, record) for how, record in related if record.kind == "fact"]
    beliefs = [(how, record) for how, record in related if record.kind == "belief"]
    if candidate.statement.confidence < 1:
        return _plan_belief(candidate, facts, beliefs)
    return _plan_fact(candidate, facts, beliefs)


Related = Sequence[tuple[Relation, Record]]


def _plan_fact(candidate: Candidate, facts: Related, beliefs: Related) -> Plan:
    opposed = [record for how, record in facts if how == "contradicts"]
    ended = [record for how, record in facts if how == "ended"]
    later = [one for one in opposed + ended if said_at(one) > candidate.said_at]
    if later:  # an old transcript, read today, does not change what was true after it
        return Plan("late", later[0])
    if rewords(candidate.statement):
        return Plan("nothing", rewritten=_reworded(candidate.statement, opposed))
    if forgets(candidate.statement):
        doubted = tuple(record for how, record in beliefs if how in ("contradicts", "ended"))
        return Plan("nothing", retracted=(*ended, *doubted))
    replaced, retracted, rewritten = _spared(candidate.statement, opposed, ended)
    denied = tuple(record for how, record in beliefs if how in ("contradicts", "ended"))
    promoted = tuple(record for how, record in beliefs if how in ("same", "richer", "poorer"))
    alike = _best(candidate, [(how, one) for how, one in facts if how in _ALIKE])
    if alike is not None:
        how, target = alike
        outcome: Outcome = "update" if how == "richer" else "confirm"
        return Plan(outcome, target, replaced, retracted, rewritten, denied, promoted)
    return Plan("add", None, replaced, retracted, rewritten, denied, promoted)


def _spared(
    statement: Statement, opposed: Sequence[Record], ended: Sequence[Record]
) -> tuple[tuple[Record, ...], tuple[Record, ...], tuple[tuple[Record, str], ...]]:
    """What really goes, and what only has to be said in other words."""
    rewritten: dict[str, tuple[Record, str]] = {}
    over = statement.over
    if statement.act == "end" and statement.value and not over:
        over = (statement.value,)
    for record in ended:
        for words in over:
            if left := without(record.content, words) or _without_clause(record.content, words):
                rewritten[record.id] = (record, left)
    for record in opposed:
        for words in (words for words in over if len(words) > 2):
            left = without(record.content, words) if statement.act == "end" else ""
            if left := left or _without_clause(record.content, words):
                rewritten[record.id] = (record, left)
        if left := _other_half(statement, record):
            rewritten[record.id] = (record, left)
        if renumbered := _renumbered(statement, record):
            rewritten[record.id] = (record, renumbered)
    return (
        tuple(one for one in opposed if one.id not in rewritten),
        tuple(one for one in ended if one.id not in rewritten),
        tuple(rewritten.values()),
    )


def _without_clause(content: str, words: str) -> str:
    """A Chinese sentence without the clauses that name what is over, if the first does not."""
    clauses = content.split("，")
    parts = [part for part in words.split("的") if part]
    left = [clause for clause in clauses if not parts or not all(part in clause for part in parts)]
    if any(re.match("(?:名字|小名|取名)?[叫是]", clause) for clause in clauses if words in clause):
        return ""  # who bears the name is the one that the first clause is about
    return "，".join(left) if left[:1] == clauses[:1] and len(left) < len(clauses) else ""


def _other_half(statement: Statement, record: Record) -> str:
    """A Chinese memory of two facts without the one that has changed, if that is not the first."""
    clauses = record.content.split("，")
    if len(clauses) < 2 or (statement.attribute and statement.attribute == record.attribute):
        return ""
    told = gist(statement.content).words - gist(statement.subject).words
    if told & gist(clauses[0]).words:
        return ""
    changed = [clause for clause in clauses[1:] if len(told & gist(clause).words) > 1]
    return "，".join(one for one in clauses if one != changed[0]) if len(changed) == 1 else ""


def _renumbered(statement: Statement, record: Record) -> str:
    """A memory with the new number, where that is all the statement has to say of it."""
    if statement.attribute and statement.attribute == record.attribute:
        return ""
    measures = set().union(*map(set, units(record.content))) | units(record.content).keys()
    if gist(statement.content).words & gist(record.content).words - measures:
        return ""
    content = record.content
    for unit, (number, said) in units(statement.content).items():
        if unit in (known := units(record.content)) and known[unit][0] != number:
            content = content.replace(known[unit][1], said)
    return content if content != record.content else ""


def _reworded(statement: Statement, opposed: Sequence[Record]) -> tuple[tuple[Record, str], ...]:
    """The memories with the wrong word, put right; of those with a number only the newest."""
    texts = [one.content.lower() for one in opposed]
    old = next(
        (words for words in statement.over if any(words.lower() in text for text in texts)),
        statement.over[0],
    )
    whole = rf"(?<!\w){re.escape(old)}(?!\w)" if old.isascii() else re.escape(old)
    pattern = re.compile(whole, re.IGNORECASE | re.ASCII)
    if any(map(str.isdigit, old)):
        opposed = sorted(opposed, key=said_at)[-1:]
    found = [(one, pattern.sub(lambda _: statement.value, one.content)) for one in opposed]
    return tuple((one, content) for one, content in found if content != one.content)


_ALIKE = ("same", "richer", "poorer")


def _plan_belief(candidate: Candidate, facts: Related, beliefs: Related) -> Plan:
    if any(how in _ALIKE for how, _ in facts):
        return Plan("nothing")
    for how, record in beliefs:
        if how in _ALIKE:
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


def _best(candidate: Candidate, alike: Related) -> tuple[Relation, Record] | None:
    content = candidate.statement.content
    return max(alike, key=lambda one: (likeness(content, one[1].content), one[1].id), default=None)


def _near(candidate: Candidate, view: View) -> list[Record]:
    """The memories that the statement could be about, each once."""
    statement = candidate.statement
    found = list(view.like(statement.content, SIMILAR))
    known = ATTRIBUTES.get(statement.attribute)
    if known:
        parts = (statement.subject, statement.attribute)
        one = known.one or (statement.act == "end" and not statement.over)
        found += view.about(*parts) if one else view.about(*parts, statement.value)
        for other in (
            *OPPOSITES.get(statement.attribute, ()),
            *IMPLIED_BY.get(statement.attribute, ()),
        ):
            found += view.about(statement.subject, other, statement.value)
    for words in dict.fromkeys(map(_looked_up, statement.over)):
        found += view.like(" ".join((words, *kinds_of(words))), 2 * SIMILAR)
        found += view.about(words)
    if statement.subject != USER:
        found += view.about(USER, "marital_status")
    if statement.act == "change" and statement.subject != USER:
        found += view.about(statement.subject)
    if statement.act == "end" and statement.attribute == "occupation":
        found += view.about(statement.subject, "employer")
    if statement.act == "change" and not statement.over and not (known and known.one):
        for domain in domains_of(statement.content):
            found += view.like(words_of(domain, candidate.language), 2 * SIMILAR)
    return list({record.id: record for record in found}.values())


def _looked_up(words: str) -> str:
    """What to look for of a phrase that is known by all its parts (see `names`): the last."""
    return words if words.isascii() else words.rpartition("的")[2] or words


def _only_from(record: Record, turn: str) -> bool:
    """Whether all that is known of a memory comes from one turn: what is said in one breath fits
    together."""
    return bool(record.sources) and all(
        f"{source.session}:{source.turn}" == turn for source in record.sources
    )


def said_at(record: Record) -> datetime:
    """When a memory was last said to be so."""
    return record.confirmed_at or record.valid_from or record.created_at
