"""Phase 7, the snapshot: what every conversation starts with.

Who the agent is, who the user is, what binds, what matters most, what happened lately, and a line
that says how much more there is: Markdown within a budget, a pure function of what it is handed.
What binds is placed first, so that an allergy is never left out for a hobby; the user and the agent
may take their shares, the core memories get the rest. Nothing is said twice.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from loxodon.config import SnapshotConfig
from loxodon.consolidate.pages.ranking import TOP, holds, ranked, said_by, score
from loxodon.consolidate.pages.wording import about, clause_of, pieces
from loxodon.language.statements import USER
from loxodon.messages import t, tn
from loxodon.text import quote
from loxodon.text.markdown import item, one_line
from loxodon.text.quote import label
from loxodon.tokens import Counter, cut
from loxodon.types import Record

SHORT = 40  # Tokens that a line may always take; a longer one is cut to the share that it stands in


class PageLine(NamedTuple):
    """A line to be written, and the memory that it tells."""

    text: str
    note: str = ""  # Our own words behind it, which are not cut with it
    record: Record | None = None
    mark: str = ""  # Our own words before it


class PageContents:
    """What stands on a page already."""

    def __init__(self, known: Mapping[str, Record]) -> None:
        self._known = known
        self._ids: set[str] = set()
        self._pieces: dict[str, set[str]] = {}
        self._lines: set[str] = set()

    def has(self, line: PageLine) -> bool:
        """Whether a line would say nothing new."""
        record, text = line.record, one_line(line.text)
        if record is None or not text:
            return not text or text in self._lines
        if record.id in self._ids:
            return True
        if record.kind == "summary":
            return any(fact.id in self._ids for fact in said_by(record, self._known))
        return pieces(clause_of(record)) <= self._pieces.get(about(record).casefold(), set())

    def add(self, line: PageLine) -> None:
        """Remember that a line was placed; a summary says its facts too."""
        record = line.record
        if record is None:
            self._lines.add(one_line(line.text))
            return
        self._ids |= {record.id, *(fact.id for fact in said_by(record, self._known))}
        self._pieces.setdefault(about(record).casefold(), set()).update(pieces(clause_of(record)))


class PageDraft:
    """A page in the making: its sections, and the room that is left."""

    def __init__(
        self,
        head: Sequence[str],
        foot: Sequence[str],
        budget: int,
        count: Counter,
        said: PageContents,
    ) -> None:
        self._head, self._foot, self._budget, self._count = head, foot, budget, count
        self._said = said
        self._sections: dict[str, list[str]] = {}
        self.room = self._left = max(0, budget - self.cost(*head, *foot))

    def cost(self, *lines: str) -> int:
        """The tokens that lines take, each with its end."""
        return sum(self._count(line) + 1 for line in lines)

    def fill(self, heading: str, lines: Iterable[PageLine], share: float) -> None:
        """Place what fits into a share of the room, under a heading, and was not said yet."""
        room = min(self._left, self.room * share)
        placed: list[str] = []
        for line in lines:
            if self._said.has(line):
                continue
            written = self._written("- ", line, room)
            cost = self.cost(written) + (0 if placed else self.cost("", heading))
            # The first may take more than the share: better one rule than none.
            if cost <= (room if placed else self._left):
                placed.append(written)
                self._said.add(line)
                self._left -= cost
                room -= cost
        self._sections[heading] = placed

    def rank(
        self,
        heading: str,
        top: Sequence[PageLine],
        details: Callable[[PageLine], Iterable[PageLine]],
        kept: int,
        first: Sequence[float],
    ) -> None:
        """Place a numbered list: the higher a line stands, the more of its details are told.

        The `first` have their shares of the room; the rest is for the others, their lines before
        their details. What one does not use goes on to the next; `kept` tokens of the room stay
        free.
        """
        room = self._left - kept - self.cost("", heading)
        shares = (*first, max(0.0, 1 - sum(first)))
        granted, spent = 0.0, 0
        entries: list[list[str]] = []
        waiting: list[tuple[list[str], PageLine]] = []
        for place, line in enumerate(top):
            granted += room * shares[place] if place < len(shares) else 0
            written = self._written(f"{len(entries) + 1}. ", line, granted - spent)
            cost = self.cost(written)
            if self._said.has(line) or spent + cost > room:
                continue
            self._said.add(line)
            entries.append([written])
            spent += cost
            if place < len(first):
                spent += self._enrich(entries[-1], details(line), granted - spent)
            else:
                waiting.append((entries[-1], line))
        for entry, line in waiting:
            spent += self._enrich(entry, details(line), granted - spent)
        self._left -= spent + (self.cost("", heading) if entries else 0)
        self._sections[heading] = [line for entry in entries for line in entry]

    def _enrich(self, entry: list[str], details: Iterable[PageLine], room: float) -> int:
        """Put the details that fit below an entry; the tokens they take."""
        spent = 0
        for line in details:
            if room - spent < SHORT // 4:  # no line is so short: the others need not be asked for
                break
            written = self._written("   - ", line, room - spent)
            cost = self.cost(written)
            if not self._said.has(line) and spent + cost <= room:
                entry.append(written)
                self._said.add(line)
                spent += cost
        return spent

    def _written(self, mark: str, line: PageLine, room: float) -> str:
        most = max(SHORT, int(room))
        text = item(cut(quote.line(line.text), most, self._count))
        return f"{mark}{line.mark}{text}{line.note}"

    def text(self, order: Sequence[str]) -> str:
        """The page, its sections in this order; never over the budget."""
        while True:
            text = self._joined(order)
            if self._count(text) <= self._budget:
                return text
            # Lines together may take a little more than one by one: the last placed goes first.
            full = [heading for heading in self._sections if self._sections[heading]]
            if not full:
                return cut(text, self._budget, self._count)
            self._sections[full[-1]].pop()

    def _joined(self, order: Sequence[str]) -> str:
        lines = list(self._head)
        for heading in order:
            if placed := self._sections.get(heading):
                lines += ["", heading, *placed]
        return "\n".join([*lines, *self._foot])


ASSISTANT = "assistant"  # The subject of what is known of the agent itself

# What these sections may take of the room beside the frame; the core memories get what is left.
_CONSTRAINTS, _USER, _IDENTITY, _EVENTS = 0.30, 0.20, 0.10, 0.15
_SHARES = (0.4, 0.25, 0.15)  # of the room for core memories, for the first three of them
RECENT_DAYS = 3  # today included
_CONSIDERED = 60  # How many lines a section looks at
_SMALL = 300  # Below this budget the frame is as short as can be

# What tells who the user is besides the category `identity`, in the order of a person's card
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

    # Memories: at least the strongest, the newest, and all that bind; in any order
    records: Sequence[Record]
    totals: Totals
    now: datetime
    events: Sequence[tuple[str, str]] = ()  # Day and line of what happened in the last days
    # How the page is divided; and what its owner says of the agent, a line each
    parts: SnapshotConfig = SnapshotConfig()
    # More on one memory: the facts that a summary was drawn from, others of its subject or theme,
    # and what held before it. Asked for twenty at the most.
    related: Callable[[Record], Sequence[Record]] = _nothing


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
    # Health, safety, how to reply, what is not eaten: the user's own before those of others
    found = [one for one in facts if _binds(one)]
    binding = sorted(found, key=lambda one: about(one) not in (USER, "", ASSISTANT))[:_CONSIDERED]
    page.fill(constraints, map(pen.line, binding), _CONSTRAINTS)
    page.fill(user, map(pen.line, _who(facts)), _USER)
    said_of = [line.lstrip(" \t-*#>•") for line in parts.identity.splitlines()[: _CONSIDERED * 2]]
    own = [PageLine(line) for line in said_of if line.strip()]
    agent = [one for one in facts if one.subject == ASSISTANT][:_CONSIDERED]
    page.fill(identity, [*own, *map(pen.line, agent)], _IDENTITY)
    newest = sorted(material.events, key=lambda event: event[0], reverse=True)[:_CONSIDERED]
    events = [PageLine(f"{day}: {line}") for day, line in newest if line.strip()]
    kept = min(page.cost("", recent, *(one.text for one in events)), int(page.room * _EVENTS))
    # Ranked are those not told yet: a summary that gives way must not take its facts with it.
    untold = [one for one in holding.values() if not said.has(pen.line(one))]
    order = [one for one, _ in ranked(untold, now)]
    top = order[:TOP]
    details = _Details(material.related, pen, frozenset(one.id for one in top))
    first, others = top[: len(_SHARES)], top[len(_SHARES) :]
    page.rank(core, [*map(pen.dated, first), *map(pen.ranked, others)], details.of, kept, _SHARES)
    new = [one for one in facts if now - _when(one) <= timedelta(days=RECENT_DAYS)]
    new = sorted(new, key=_when, reverse=True)[:_CONSIDERED]
    page.fill(recent, [*events, *map(pen.learned, new)], 1.0)
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
        "The whole memory: {memories}, {entities}, {topics}",
        language,
        memories=tn("{n} memory", "{n} memories", totals.active + totals.archived, language),
        entities=tn("{n} entity", "{n} entities", totals.entities, language),
        topics=tn("{n} topic", "{n} topics", totals.topics, language),
    )
    return [*head, about_it], ["", t("## Index", language), index, *foot[1:]]


# Which lines a section is offered, best first


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
        # Whether a sentence itself says when, with the year: `2026-06-03`, `2026年9月`
        if record.due_at and str(_day_of(record.due_at).year) not in record.content:
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
        same = about(main).casefold() == about(other).casefold()
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
