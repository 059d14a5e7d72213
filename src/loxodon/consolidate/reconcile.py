"""What a new statement means for what is known.

A statement is held against the memories about the same thing: those with its subject and attribute,
the five most similar in words, and those that have the words it declares over. Each of them says
the same, says more or less, contradicts it, is ended by it, or has nothing to do with it
(`relation.py`); `plan` makes of these one decision, which `keep.py` carries out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Literal, NamedTuple

from loxodon.consolidate.read import Candidate
from loxodon.consolidate.relation import ALIKE, Relation, besides, is_copy, relation, speaks_of
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
_STABLE = ("name", "birthday", "gender", "blood_type", "ethnicity")
_ABOUT = 50
_ANY = Filter()
Outcome = Literal["add", "confirm", "update", "hold", "late", "nothing"]
Related = Sequence[tuple[Relation, Record]]
OVER = ("contradicts", "ended")
# What becomes of a memory. `asked`: it stays, and is over if the user confirms the new one, which
# stands beside it. `doubted`: it stays, and waits for the user's word. `rewritten`: it stays true
# with the right word in the place of a wrong one.
Fate = Literal["superseded", "retracted", "rewritten", "denied", "promoted", "doubted", "asked"]
# What a plain statement makes of what it contradicts, ends or repeats
FATES: Mapping[tuple[Relation, str], Fate] = {
    ("contradicts", "fact"): "superseded",
    ("ended", "fact"): "retracted",
    ("contradicts", "belief"): "denied",
    ("ended", "belief"): "denied",
    **{(how, "belief"): "promoted" for how in ALIKE},
}


class Plan(NamedTuple):
    """What to do about one statement, and about what is known."""

    outcome: Outcome
    target: Record | None = None  # What is confirmed, made richer, or contradicted by a guess
    changes: tuple[tuple[Fate, Record], ...] = ()
    # Whether something stays though it speaks of what is over: it tells other things as well
    beside: bool = False

    def of(self, *fates: Fate) -> list[Record]:
        """The memories of which that becomes."""
        return [record for fate, record in self.changes if fate in fates]


def plan(candidate: Candidate, store: Store, turn: str) -> Plan:
    """What to do about a statement said in `turn` (`session:id`)."""
    statement, is_guess = candidate.statement, candidate.statement.confidence < 1
    related = _related(statement, store, turn)
    facts = [(how, one) for how, one in related if one.kind == "fact"]
    alike = [(how, one) for how, one in facts if how in ALIKE]
    beliefs = [one for how, one in related if one.kind == "belief" and how in ALIKE]
    if is_guess and (alike or beliefs):
        return Plan("nothing") if alike else Plan("confirm", beliefs[0])
    over = [one for how, one in facts if how in OVER and (not is_guess or one.importance >= FIRM)]
    for one in over:
        if said_at(one) > candidate.said_at:
            return Plan("late", one)  # an old transcript does not change what was true after it
    if is_guess:
        return Plan("hold", over[0]) if over else Plan("add")
    several = statement.quoted and len({one.sources for one in over}) > len(statement.over) > 0
    fates = [(_fate(statement, how, one, several), one) for how, one in related]
    changes = [(fate, one) for fate, one in fates if fate is not None]
    found = Plan(
        "nothing" if any(fate == "rewritten" for fate, _ in changes) else "add",
        changes=tuple(changes),
        beside=any(speaks_of(words, one) for words in statement.over for _, one in facts),
    )
    if not alike:
        return found
    content = statement.content
    how, target = max(alike, key=lambda one: (likeness(content, one[1].content), one[1].id))
    return found._replace(outcome="update" if how == "richer" else "confirm", target=target)


def _fate(statement: Statement, how: Relation, old: Record, several: bool) -> Fate | None:
    """What becomes of a memory by a plain statement that may mean `several`; None for nothing."""
    fate = FATES.get((how, old.kind))
    if fate not in ("superseded", "retracted"):
        return fate
    # Where somebody's own words may mean several things, only what they name alone is over.
    if several and sense(old.value) not in map(sense, statement.over):
        return "doubted"
    if statement.right and fate == "superseded":
        if old.attribute and corrected(statement, old.content) != old.content:
            return "rewritten"
        if not besides(statement):
            return None  # somebody's own words stay
    # It may cost somebody's health to take a memory for over that is not; and who somebody is
    # hardly changes by a sentence that does not say so.
    health = old.category == "health" and old.importance >= 1 and old.attribute != "diet"
    stable = old.attribute in _STABLE and statement.act == "state" and not statement.right
    return "asked" if old.positive and (health or stable) else fate


def corrected(statement: Statement, text: str) -> str:
    """A text with the right word in the place of the wrong one."""
    for wrong in statement.over:
        whole = rf"(?<!\w){re.escape(wrong)}(?!\w)" if wrong.isascii() else re.escape(wrong)
        text = re.sub(whole, lambda _: statement.right, text, flags=re.I)
    return text


def known_about(store: Store, *parts: str) -> list[Record]:
    """Facts and beliefs of a subject, or of it and an attribute, or of these and a value."""
    return [one for one in store.latest("about", parts, _ABOUT) if one.kind != "summary"]


def known_like(store: Store, text: str, limit: int, where: Filter = _ANY) -> list[Record]:
    """The facts and beliefs that share most words with `text`."""
    # Summaries repeat what facts say; asking for some more makes up for them.
    hits = store.search("memories", query_words(text), where, 2 * limit)
    rows = [hit.row for hit in hits]
    records, sources = store.records(rows), store.sources(rows)
    found = [row for row in rows if records[row].kind != "summary"][:limit]
    return [records[row]._replace(sources=sources.get(row, ())) for row in found]


def _related(statement: Statement, store: Store, turn: str) -> Related:
    """What a statement is to the memories that it could be about; and to copies of what is over."""
    related = [
        (how, record)
        for record in _near(statement, store)
        if (how := relation(statement, record)) in ALIKE
        or statement.act == "correct"
        # What is said in one breath fits together.
        or any(f"{one.session}:{one.turn}" != turn for one in record.sources)
        or not record.sources
    ]
    copies = {
        one.id: one
        for how, record in related
        if how in OVER
        for one in known_like(store, record.content, 2 * SIMILAR)
        if is_copy(one, record)
    }
    related = [one for one in related if one[1].id not in copies]
    return [*related, *(("ended", one) for one in copies.values())]


def _near(statement: Statement, store: Store) -> list[Record]:
    """The memories that a statement could be about, each once."""
    found = known_like(store, statement.content, SIMILAR)
    if statement.attribute:
        for attribute in (statement.attribute, *OPPOSITES.get(statement.attribute, ())):
            one = ATTRIBUTES[attribute].one or statement.act == "end"
            value = () if one else (statement.value,)
            found += known_about(store, statement.subject, attribute, *value)
    if statement.act != "state":
        for clause in clauses_in(statement.content):
            found += known_like(store, clause, SIMILAR)
    for words in statement.over:
        found += known_like(store, words, 2 * SIMILAR)
        found += known_about(store, words)
        for called in CALLED.get(fold(words), ()):
            found += known_about(store, statement.subject, called)
    return list({record.id: record for record in found}.values())


def said_at(record: Record) -> datetime:
    """When a memory was last said to be so."""
    return record.confirmed_at or record.valid_from or record.created_at
