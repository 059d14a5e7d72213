"""Phase 7, the snapshot: what every conversation starts with.

Who the agent is, who the user is, what binds, what matters most, what happened lately, and a line
that says how much more there is: Markdown within a budget, a pure function of what it is handed.
What binds is placed first, so that an allergy is never left out for a hobby; the user and the agent
may take their shares, the core memories get the rest. Nothing is said twice.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from loxodon.config import SnapshotConfig
from loxodon.language.statements import USER
from loxodon.messages import t
from loxodon.text.markdown import one_line
from loxodon.text.quote import label
from loxodon.tokens import Counter
from loxodon.types import Record
from loxodon.write.pages.layout import PageContents, PageDraft, PageLine
from loxodon.write.pages.ranking import TOP, holds, ranked, score
from loxodon.write.pages.wording import about, clause_of

ASSISTANT = "assistant"
"""The subject of what is known of the agent itself."""

# What these sections may take of the room beside the frame; the core memories get what is left.
_CONSTRAINTS, _USER, _IDENTITY, _EVENTS = 0.30, 0.20, 0.10, 0.15
_SHARES = (0.4, 0.25, 0.15)  # of the room for core memories, for the first three of them
RECENT_DAYS = 3  # today included
_CONSIDERED = 60
"""How many lines a section looks at."""
_SMALL = 300
"""Below this budget the frame is as short as can be."""

_WHO = (
    "name",
    "nickname",
    "age",
    "birthday",
    "gender",
    "occupation",
    "employer",
    "workplace",
    "school",
    "major",
    "grade",
    "home",
    "hometown",
    "nationality",
    "native_language",
    "language",
    "marital_status",
    "partner",
    "living_with",
    "timezone",
)
"""What tells who the user is besides the category `identity`, in the order of a person's card."""
_RULES = (
    "rule",
    "reply_style",
    "reply_language",
    "avoids",
    "form_of_address",
    "units",
    "emergency_contact",
    "safety",
)
_DIET = r"饮食|[吃喝]|口味|(?i:\b(?:diet|foods?|eats?|eating|drinks?|drinking|meals?)\b)"
_REPLIES = r"回复|回答|答复|称呼|(?i:\b(?:reply|replies|respond|responses?|answers?)\b)"


class Totals(NamedTuple):
    """How much there is in the whole memory."""

    active: int
    archived: int
    entities: int
    topics: int


def _nothing(_: Record) -> Sequence[Record]:
    return ()


class Material(NamedTuple):
    """All that a snapshot is made of."""

    records: Sequence[Record]
    """Memories: at least the strongest, the newest, and all that bind; in any order."""
    totals: Totals
    now: datetime
    events: Sequence[tuple[str, str]] = ()
    """Day and line of what happened in the last days."""
    parts: SnapshotConfig = SnapshotConfig()
    """How long the page may be; and what its owner says of the agent, a line each."""
    related: Callable[[Record], Sequence[Record]] = _nothing
    """More on one memory: the facts that a summary was drawn from, others of its subject or theme,
    and what held before it. Asked for twenty at the most."""


def snapshot(material: Material, budget: int, count: Counter, language: str) -> str:
    """At most `budget` tokens of Markdown (from 100 up), by the counter handed in."""
    parts = material.parts
    now, pen = material.now, _Pen(material.now, language)
    holding = {one.id: one for one in material.records if holds(one, now)}
    facts = [one for one in holding.values() if one.kind != "summary"]
    facts.sort(key=lambda one: (-score(one, now), one.id))
    said = PageContents(holding)
    page = PageDraft(*_frame(material.totals, now, budget, language), budget, count, said)

    constraints, user = t("## Constraints", language), t("## User", language)
    identity, core = t("## Identity", language), t("## Core memories", language)
    recent, also = t("## The last three days", language), t("## Also known", language)
    page.fill(constraints, map(pen.line, _binding(facts)), _CONSTRAINTS)
    page.fill(user, map(pen.line, _who(facts)), _USER)
    page.fill(identity, [*_lines(parts.identity), *map(pen.line, _agent(facts))], _IDENTITY)
    events = _events(material.events)
    kept = min(page.cost("", recent, *(one.text for one in events)), int(page.room * _EVENTS))
    # Ranked are those not told yet: a summary that gives way must not take its facts with it.
    untold = [one for one in holding.values() if not said.has(pen.line(one))]
    order = [one for one, _ in ranked(untold, now)]
    top = order[:TOP]
    details = _Details(material.related, pen, frozenset(one.id for one in top))
    first, others = top[: len(_SHARES)], top[len(_SHARES) :]
    page.rank(core, [*map(pen.dated, first), *map(pen.ranked, others)], details.of, kept, _SHARES)
    page.fill(recent, [*events, *map(pen.learned, _new(facts, now))], 1.0)
    # What room is left goes to the next in rank: an index of what else is known.
    page.fill(also, map(pen.line, order[TOP : TOP + _CONSIDERED]), 1.0)
    return page.text([identity, user, constraints, core, recent, also])


def _frame(
    totals: Totals, now: datetime, budget: int, language: str
) -> tuple[list[str], list[str]]:
    """The lines above and below the sections."""
    head = [t("# Memory snapshot", language)]
    foot = ["", t("More is in the memory: `loxodon recall QUERY`", language)]
    if budget < _SMALL:
        return [*head, f"> {label(language)}"], foot
    about_it = t(
        "> made {at} | active: {active} | archived: {archived} | {label}",
        language,
        label=label(language),
        at=f"{now:%Y-%m-%d %H:%M}",
        active=totals.active,
        archived=totals.archived,
    )
    index = t(
        "The whole memory: {memories} memories, {entities} entities, {topics} topics",
        language,
        memories=totals.active + totals.archived,
        entities=totals.entities,
        topics=totals.topics,
    )
    return [*head, about_it], ["", t("## Index", language), index, *foot[1:]]


# Which lines a section is offered, best first


def _binding(facts: Iterable[Record]) -> list[Record]:
    """Health, safety, how to reply, what is not eaten: the user's own before those of others."""
    found = [one for one in facts if _binds(one)]
    return sorted(found, key=lambda one: about(one) not in (USER, "", ASSISTANT))[:_CONSIDERED]


def _binds(record: Record) -> bool:
    if record.category == "health" or record.attribute in _RULES:
        return True
    if record.category != "preference":
        return False
    text = f"{record.topic} {' '.join(record.tags)} {record.content[:200]}"
    if record.attribute == "dislikes":
        return bool(re.search(_DIET, text))
    return not record.attribute and bool(re.search(_REPLIES, text))


def _who(facts: Iterable[Record]) -> list[Record]:
    def place(record: Record) -> int:
        return _WHO.index(record.attribute) if record.attribute in _WHO else len(_WHO)

    found = [one for one in facts if one.category == "identity" or one.attribute in _WHO]
    return sorted((one for one in found if about(one) in (USER, "")), key=place)[:_CONSIDERED]


def _agent(facts: Iterable[Record]) -> list[Record]:
    return [one for one in facts if one.subject == ASSISTANT][:_CONSIDERED]


def _lines(text: str) -> list[PageLine]:
    lines = [line.lstrip(" \t-*#>•") for line in text.splitlines()[: _CONSIDERED * 2]]
    return [PageLine(line) for line in lines if line.strip()]


def _events(events: Iterable[tuple[str, str]]) -> list[PageLine]:
    newest = sorted(events, key=lambda event: event[0], reverse=True)[:_CONSIDERED]
    return [PageLine(f"{day}: {line}") for day, line in newest if line.strip()]


def _new(facts: Iterable[Record], now: datetime) -> list[Record]:
    new = [one for one in facts if now - _when(one) <= timedelta(days=RECENT_DAYS)]
    return sorted(new, key=_when, reverse=True)[:_CONSIDERED]


def _when(record: Record) -> datetime:
    """The time of a memory: since when it holds, else when it was made."""
    return record.valid_from or record.created_at


class _Pen(NamedTuple):
    """How a memory is written."""

    now: datetime
    language: str

    def line(self, record: Record) -> PageLine:
        """Its words, and what one must know with them: when it is due, how sure it is."""
        notes = []
        if record.due_at and not _names_day(record.content, record.due_at):
            day = _day_of(record.due_at).date()
            if record.due_at > self.now:
                notes.append(t("by {day}", self.language, day=day))
            else:
                notes.append(t("was due by {day}", self.language, day=day))
        if record.kind == "belief":
            sure = round(record.confidence * 100)
            notes.append(t("{percent}% sure", self.language, percent=sure))
        return PageLine(record.content, self._bracketed(notes), record)

    def learned(self, record: Record) -> PageLine:
        """The same behind its day."""
        return self.line(record)._replace(mark=f"{_when(record).date()}: ")

    def ranked(self, record: Record) -> PageLine:
        """The same behind its strength."""
        return self.line(record)._replace(mark=f"[{record.strength:.2f}] ")

    def dated(self, record: Record) -> PageLine:
        """The same with its day, and when it was last confirmed."""
        line, day = self.ranked(record), _when(record).date()
        if record.kind == "summary":
            return line
        times = [str(day)]
        if record.confirmed_at and record.confirmed_at.date() > day:
            times.append(t("last said {day}", self.language, day=record.confirmed_at.date()))
        return line._replace(note=line.note + self._bracketed(times))

    def below(self, main: Record, other: Record) -> PageLine:
        """Another memory under the one it belongs to, whose subject need not be said again."""
        clause = clause_of(other)
        same = about(main).casefold() == about(other).casefold() and not clause.owned
        line = self.line(other)._replace(text=clause.rest if same else other.content)
        if other.valid_until is None or other.valid_until > self.now:
            return line
        until = t("until {day}", self.language, day=other.valid_until.date())
        before = t("before: {what}", self.language, what=one_line(line.text))
        return line._replace(text=before, note=self._bracketed([until]))

    def _bracketed(self, notes: Sequence[str]) -> str:
        if not notes:
            return ""
        return f"（{'，'.join(notes)}）" if self.language == "zh" else f" ({', '.join(notes)})"


def _day_of(due: datetime) -> datetime:
    """The day on which something is due: what ends at midnight is due the day before."""
    return due - timedelta(seconds=1)


def _names_day(content: str, due: datetime) -> bool:
    """Whether a sentence itself says when, with the year: `2026-06-03`, `2026年9月`."""
    return str(_day_of(due).year) in content


class _Details(NamedTuple):
    """What there is to tell of a core memory, besides its words."""

    related: Callable[[Record], Sequence[Record]]
    pen: _Pen
    top: frozenset[str]

    def of(self, line: PageLine) -> Iterator[PageLine]:
        """What it rests on, the facts behind it, what it was before, then what belongs to it."""
        main = line.record
        if main is None:
            return
        if main.basis:
            basis = one_line(main.basis)
            yield PageLine(t("because: {basis}", self.pen.language, basis=basis))
        for other in sorted(self.related(main), key=lambda one: self._order(main, one)):
            if other.id != main.id and self._belongs(main, other):
                yield self.pen.below(main, other)

    def _belongs(self, main: Record, other: Record) -> bool:
        if other.kind == "summary":
            return False
        if holds(other, self.pen.now):
            return other.id in main.derived_from or other.id not in self.top
        over = other.valid_until is not None and other.valid_until <= self.pen.now
        same = (other.subject, other.attribute) == (main.subject, main.attribute)
        return over and (other.id == main.replaces or (same and bool(main.attribute)))

    def _order(self, main: Record, other: Record) -> tuple[bool, bool, float, str]:
        return (
            other.id not in main.derived_from,
            holds(other, self.pen.now),
            -score(other, self.pen.now),
            other.id,
        )
