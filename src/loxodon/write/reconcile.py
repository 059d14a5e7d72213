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
from datetime import datetime, timedelta
from typing import Literal, NamedTuple, Protocol

from loxodon.language.attributes import ATTRIBUTES, OPPOSITES
from loxodon.language.domains import domains_of, kinds_of, words_of
from loxodon.language.sides import SIDES, share, side_of
from loxodon.language.statements import Statement
from loxodon.text.lists import without, without_part
from loxodon.text.similarity import gist, likeness
from loxodon.text.words import fold, index_words
from loxodon.types import Record
from loxodon.write.extract import Candidate
from loxodon.write.relation import ALIKE, Relation, other_project, relation

SIMILAR = 5
"""Memories looked at for their words where no subject and attribute leads to them."""
FIRM = 0.7
"""Importance from which on a memory is not contradicted by a guess."""
_PLAINLY = 0.6
"""How much a change and what it changes speak of the same, where it names nothing that is over."""
Outcome = Literal["add", "confirm", "update", "hold", "late", "nothing"]


class KnowledgeView(Protocol):
    """What is known, to be asked about; active facts and beliefs only."""

    def about(self, *parts: str) -> Sequence[Record]:
        """Memories of a subject, or of it and an attribute, or of these and a value."""
        ...

    def of(self, subject: str) -> Sequence[Record]:
        """The memories of a subject, the newest first; of somebody with very many the newest."""
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
    """What stays true in other words: one thing is gone from its list, or was a wrong word."""
    denied: tuple[Record, ...] = ()
    """Beliefs that turned out less likely."""
    promoted: tuple[Record, ...] = ()
    """Beliefs that turned out true."""
    doubtful: tuple[Record, ...] = ()
    """What may be over: it stays, and waits for the user's word."""


def plan(candidate: Candidate, view: KnowledgeView, turn: str) -> Plan:
    """What to do about a statement said in `turn` (`session:id`)."""
    related = [
        (how, record)
        for record in _near(candidate, view)
        if (how := relation(candidate.statement, record)) in ALIKE
        or candidate.statement.act == "correct"
        or not _only_from(record, turn)
    ]
    found = _plan(candidate, related)
    candidate, least = _sided(candidate)
    if candidate.statement.side:
        known = [one for one in view.of(candidate.statement.subject) if not _is_from(one, turn)]
        return _with_side(found, candidate, known, least)
    return found


Related = Sequence[tuple[Relation, Record]]


def _plan(candidate: Candidate, related: Related) -> Plan:
    facts = [(how, record) for how, record in related if record.kind == "fact"]
    beliefs = [(how, record) for how, record in related if record.kind == "belief"]
    if candidate.statement.confidence < 1:
        return _plan_belief(candidate, facts, beliefs)
    return _plan_fact(candidate, facts, beliefs)


_ON_SIDE = 0.15
"""How likely a memory is on a side of life, to be in doubt where a change names that side."""
_SURELY = 0.5
"""The same, to be over."""


def _sided(candidate: Candidate) -> tuple[Candidate, float]:
    """A statement with the side of life that its attribute is on, where it names none and people
    have one thing at a time there. And how surely a memory must be on that side to count."""
    new = candidate.statement
    if new.side or new.over or new.vague or not new.positive:
        return candidate, _ON_SIDE
    stands = new.attribute in _AS_IT_STANDS and ATTRIBUTES[new.attribute].one
    side = side_of(new.attribute) if stands else ""
    return candidate._replace(statement=new._replace(side=side)), _SURELY


_AS_IT_STANDS = ("home", "phone", "car", "computer", "commute", "bedtime", "wake_time")
"""Of these a plain statement says what is so now: who lives in Leeds lives nowhere else."""


def _with_side(found: Plan, candidate: Candidate, known: Sequence[Record], least: float) -> Plan:
    """A plan with what its statement ends by naming a side of life: the one memory on it. Where
    several may be meant, they are left in doubt."""
    statement = candidate.statement
    named = statement.over and (found.replaced or found.retracted or found.rewritten)
    if named or found.outcome in ("late", "hold", "nothing") or statement.confidence < 1:
        return found
    done = {one.id for one in (*found.replaced, *found.retracted, *found.doubtful)}
    done |= {found.target.id} if found.target else set()
    on = sorted(
        (
            (chance, record)
            for record in known
            if record.kind == "fact"
            and record.positive
            and record.id not in done
            and not other_project(statement, record)
            and (chance := _on_side(statement, record)) >= least
        ),
        key=lambda one: one[0],
        reverse=True,
    )
    if any(said_at(one) > candidate.said_at for _, one in on):
        return found
    sure = [
        one
        for chance, one in on
        if chance >= _SURELY or (len(on) == 1 and _things(statement.content) & _things(one.content))
    ]
    meant = sure if len(sure) == 1 else []
    doubtful = [] if meant else [one for _, one in on[:_IN_DOUBT]]
    return found._replace(replaced=(*found.replaced, *meant), doubtful=(*found.doubtful, *doubtful))


_IN_DOUBT = 3


def _on_side(statement: Statement, record: Record) -> float:
    """How likely a memory is on the side of life that a statement changes."""
    if statement.side == "date":  # there are many: it must be that of the same thing
        same = _things(statement.content) & _things(record.content)
        was, now = (set(_DATED.findall(fold(o.content))) for o in (record, statement))
        return min(1.0, 0.5 + 0.1 * len(same)) if same and was and now - was else 0.0
    if not record.attribute:
        return share(statement.side, record.content)
    if side_of(record.attribute) != statement.side:
        return 0.0
    if side_of(statement.attribute) != statement.side:
        return 1.0
    # What tells one thing anew says nothing of another (a new title, of the same employer), unless
    # that tells the one too: `a nurse at St Mary's`.
    more = gist(record.content).words - gist(record.value).words
    return 1.0 if len(more) > 1 and record.attribute != statement.attribute else 0.0


_DATED = re.compile(
    r"\d{1,2}(?:st|nd|rd|th)?(?: of)? (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
    r"|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* \d"
    r"|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day"
    r"|\b\d{1,2}(?:st|nd|rd|th)\b|\d{4}-\d\d|[\d一二三四五六七八九十][月号日]|[周期拜][一二三四五六日天]|月[底初]",
    re.I,
)
_OF_DATES = re.compile(
    r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b|\b\w+day\b|\b(?:week|month|year|time|book|move)\b"
    r"|[上下本这][个]?[周月]|[今明后昨]天|[改推延定约挪调换]|[月号日周]",
    re.I,
)


def _things(text: str) -> frozenset[str]:
    """What a sentence with a date speaks of besides: Latin words, and pairs of characters."""
    folded = _OF_DATES.sub(" ", fold(text.split("“", 1)[-1]))
    return frozenset(word for word in index_words(folded) if not word.isdigit() and len(word) > 1)


def _plan_fact(candidate: Candidate, facts: Related, beliefs: Related) -> Plan:
    statement = candidate.statement
    opposed = [record for how, record in facts if how == "contradicts"]
    ended = [record for how, record in facts if how == "ended"]
    if statement.quoted and statement.over:
        opposed, ended = (
            [o for o in some if not _apart(statement, o)] for some in (opposed, ended)
        )
    later = [one for one in opposed + ended if said_at(one) > candidate.said_at]
    if later:  # an old transcript, read today, does not change what was true after it
        return Plan("late", later[0])
    if statement.act == "correct" and not statement.content:  # a wrong word and the right one
        return Plan("nothing", rewritten=_corrected(statement, opposed))
    replaced, rewritten = _spared(statement, opposed)
    retracted, more = _spared(statement, ended)
    doubtful: tuple[Record, ...] = ()
    if statement.act == "change" and not (
        opposed or ended or statement.over or statement.attribute or statement.side
    ):
        meant, doubtful = _meant(statement, facts)
        replaced += meant
    if statement.act == "correct" and statement.quoted and not opposed:
        replaced += _put_right(candidate, facts)
    denied = tuple(record for how, record in beliefs if how in ("contradicts", "ended"))
    promoted = tuple(record for how, record in beliefs if how in ALIKE)
    rest = (replaced, retracted, rewritten + more, denied, promoted, doubtful)
    alike = _best(candidate, [(how, one) for how, one in facts if how in ALIKE])
    if alike is not None:
        return Plan("update" if alike[0] == "richer" else "confirm", alike[1], *rest)
    return Plan("add", None, *rest)


_SPEAKS_OF, _IS_OF = 0.2, 0.3


def _apart(statement: Statement, record: Record) -> bool:
    """Whether own words and a memory that has the same word in it are on two sides of life: who
    moves away from a place may still work there."""
    if record.attribute:
        return False
    (new, changed), (old, known) = (
        max((share(side, text), side) for side in SIDES)
        for text in (statement.content, record.content)
    )
    return changed != known and new >= _SPEAKS_OF and old >= _IS_OF


def _spared(
    statement: Statement, over: Sequence[Record]
) -> tuple[tuple[Record, ...], tuple[tuple[Record, str], ...]]:
    """What really goes, and what only loses one thing from its list."""
    if statement.quoted:  # own words end one thing: that which they are most like
        over = sorted(over, key=lambda one: likeness(statement.content, one.content))[-1:]
    gone, kept = [], []
    for record in over:
        left = next(filter(None, (_left(record.content, words) for words in statement.over)), "")
        if left:
            kept.append((record, left))
        else:
            gone.append(record)
    return tuple(gone), tuple(kept)


def _left(content: str, words: str) -> str:
    """What stays of a memory when one thing that it tells is over; empty where that is all."""
    return without(content, words) or without_part(content, lambda one: fold(words) in fold(one))


def _corrected(statement: Statement, opposed: Sequence[Record]) -> tuple[tuple[Record, str], ...]:
    """The newest memory that has the wrong word, with the right one."""
    for record in sorted(opposed, key=said_at, reverse=True):
        for wrong in statement.over:
            whole = rf"(?<!\w){re.escape(wrong)}(?!\w)" if wrong.isascii() else re.escape(wrong)
            content = re.sub(whole, lambda _: statement.value, record.content, flags=re.I)
            if content != record.content:
                return ((record, content),)
    return ()


def _meant(statement: Statement, facts: Related) -> tuple[tuple[Record, ...], tuple[Record, ...]]:
    """What a change is about that names nothing: the one memory that plainly speaks of the same,
    or of the same side of life, which it replaces; or what may be meant, which it leaves in
    doubt."""
    own = [
        one
        for how, one in facts
        if how == "unrelated"
        and fold(one.subject) == fold(statement.subject)
        and not other_project(statement, one)
        and one.category not in ("event", "relation", "health")
    ]
    sides = domains_of(statement.content)
    same = [one for one in own if sides & domains_of(one.content)]
    near = sorted(own, key=lambda one: _shared(statement.content, one.content))
    if near and _shared(statement.content, near[-1].content) >= _PLAINLY:
        return tuple(near[-1:]), ()
    if len(same) == 1 and (statement.firsthand or not statement.quoted) and not statement.vague:
        return tuple(same), ()
    return (), tuple(one for one in near[-1:] if one in same)


def _put_right(candidate: Candidate, facts: Related) -> tuple[Record, ...]:
    """What somebody's own words put right: what they have just said of the same things."""
    new = candidate.statement
    just = [
        one
        for how, one in facts
        if how == "unrelated"
        and not other_project(new, one)
        and candidate.said_at - said_at(one) <= _JUST
        and _things(new.content) & _things(one.content)
    ]
    near = sorted(just, key=lambda one: len(_things(new.content) & _things(one.content)))
    return tuple(near[-1:])


_JUST = timedelta(hours=2)


def _shared(new: str, old: str) -> float:
    """How much of the shorter of two sentences the other speaks of too; nothing for a word or a
    few characters, which any two may have in common."""
    one, other = (gist(text).words - _OF_A_DAY for text in (new, old))
    both = one & other
    least = 2 if all(map(str.isascii, both)) else 3
    return len(both) / min(len(one), len(other)) if len(both) >= least else 0.0


_OF_A_DAY = frozenset("年月日号周")


def _plan_belief(candidate: Candidate, facts: Related, beliefs: Related) -> Plan:
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
    for words in statement.over:
        found += view.like(" ".join((words, *kinds_of(words))), 2 * SIMILAR)
        found += view.about(words)
    if statement.act != "state" and not statement.over and not statement.attribute:
        for domain in domains_of(statement.content):
            found += view.like(words_of(domain, candidate.language), 2 * SIMILAR)
    return list({record.id: record for record in found}.values())


def _only_from(record: Record, turn: str) -> bool:
    """Whether all that is known of a memory comes from one turn: what is said in one breath fits
    together."""
    return bool(record.sources) and all(
        f"{source.session}:{source.turn}" == turn for source in record.sources
    )


def _is_from(record: Record, turn: str) -> bool:
    return any(f"{source.session}:{source.turn}" == turn for source in record.sources)


def said_at(record: Record) -> datetime:
    """When a memory was last said to be so."""
    return record.confirmed_at or record.valid_from or record.created_at
