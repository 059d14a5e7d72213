"""Pages about the user, as Markdown: the snapshot and the profile.

The snapshot (phase 7) is what every conversation starts with: who the agent is, who the user is,
what binds, what matters most, what happened lately, and a line that says how much more there is,
within a budget. What binds is placed first, so that an allergy is never left out for a hobby; the
core memories get what the others leave. Nothing is said twice. However much there is, only a few
hundred memories are read.

The profile is the hundred things that matter most, by section, and what a week changed. It is
renewed once a week or when asked, in the words of the memories; a model may word the portrait.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import groupby, islice, zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple

from loxodon.config import Config
from loxodon.consolidate.phrases import pattern, phrases
from loxodon.consolidate.themes import DAY, about, clause_of, said_since, sentence
from loxodon.guard.provenance import OWN, is_own
from loxodon.guard.quarantine import HIDDEN
from loxodon.language.statements import USER
from loxodon.messages import LANGUAGES, t, tn
from loxodon.store import Change, Filter, PoolSizes, QuarantinedText
from loxodon.store.store import Store
from loxodon.text import quote
from loxodon.text.markdown import item, one_line
from loxodon.text.similarity import covers
from loxodon.text.words import fold
from loxodon.tokens import Counter, cut
from loxodon.types import GLOBAL_PROJECT, IN_PROJECT, Event, Record

if TYPE_CHECKING:
    from loxodon.consolidate.model_reading import ModelReader

SNAPSHOT = "snapshot"
ASSISTANT = "assistant"  # The subject of what is known of the agent itself
TOP = 20
SOON = timedelta(days=7)
MOVED = 0.1  # A score that moves by more has the snapshot written anew
RECENT_DAYS = 3  # Today included
# What these sections may take of the room beside the frame; the core memories get what is left
_CONSTRAINTS, _USER, _IDENTITY, _EVENTS = 0.30, 0.20, 0.10, 0.15
_SHORT = 40  # Tokens that a line may always take; a longer one is cut to its share
_SMALL = 300  # Below this budget the frame is as short as can be
_STRONGEST, _NEWEST, _BINDING = 300, 100, 60  # Memories that are read
_CONSIDERED = 60  # Lines that a section looks at


class Material(NamedTuple):
    store: Store
    config: Config
    now: datetime
    records: Sequence[Record]
    totals: PoolSizes
    events: Sequence[tuple[str, str]]  # Day and line of what happened in the last days


def material(store: Store, config: Config, now: datetime, project: str = "") -> Material:
    since = f"{now - timedelta(days=RECENT_DAYS - 1):%Y-%m-%d}"
    events = [
        # What the user talked about; what the assistant says it did may be what a page told it
        (one.date, one.summary)
        for one in store.query_as(Event, "events", since)
        if is_own(one.trust) and _belongs(one.channel.partition(IN_PROJECT)[2], project)
    ]
    records = [one for one in _known(store) if _belongs(one.project, project)]
    return Material(store, config, now, records, store.query_as(PoolSizes, "pool_sizes")[0], events)


def told_in(store: Store, text: str) -> list[str]:
    """The ids of the memories that a page tells, and of the turns that say no more than these."""
    told = [one for one in _known(store) if quote.line(one.content) in text]
    drawn: dict[int, str] = {}  # what was drawn from each turn
    for one in told:
        for source in one.sources:
            if row := store.scalar("turn_row", source.session, source.turn):
                drawn[row] = f"{drawn.get(row, '')} {one.content}"
    turns = store.turns(drawn).items()
    said = [turn.ref for row, turn in turns if covers(drawn[row], turn.content) == 1]
    return [*(one.id for one in told), *said]


def _known(store: Store) -> list[Record]:
    """The memories that a snapshot chooses from: the strongest, the newest, and those that bind."""
    active = Filter(state="active", trust=OWN)  # however much others said
    records = store.find(active, _STRONGEST, strongest=True) + store.find(active, _NEWEST)
    keys = [(USER, "", "health"), (USER, "", "identity"), (ASSISTANT,)]
    for key in (*keys, *((USER, one) for one in phrases()["rules"].split())):
        records += store.latest("about", key, _BINDING)
    return list({one.id: one for one in records if is_own(one.trust)}.values())


def _belongs(to: str, project: str) -> bool:
    return not project or to in ("", GLOBAL_PROJECT) or to.casefold() == project.casefold()


def renewed_snapshots(
    store: Store, config: Config, now: datetime, count: Counter
) -> list[tuple[str, str, str, str]]:
    """The pages that are not what they should be any more: name, language, text and basis."""
    renewed = []
    with store.reading():
        found = material(store, config, now)
        for language in LANGUAGES:
            if kept_snapshot(found, language) is None:
                text = written(found, count, language)
                basis = json.dumps(_basis(found, text), ensure_ascii=False)
                renewed.append((SNAPSHOT, language, text, basis))
    return renewed


def kept_snapshot(found: Material, language: str) -> str | None:
    """The snapshot as it was last written, while it is of today, the ranking has hardly moved, and
    nothing that it tells has changed."""
    if (page := found.store.worklog.page(SNAPSHOT, language)) is None:
        return None
    text, old, new = page[0], json.loads(page[1]), _basis(found, page[0])
    before, ranks = old.pop("ranking"), new.pop("ranking")
    moved = (abs(before.get(id, 0.0) - ranks.get(id, 0.0)) > MOVED for id in {*before, *ranks})
    return None if old != new or any(moved) else text


def _basis(found: Material, text: str) -> dict[str, Any]:
    """What a snapshot depends on: its day, as it tells of the last three, settings, the scores of
    the top twenty, and the words of these and of what it tells."""
    ranking = {one.id: score for one, score in _ranked(found.records, found.now)[:TOP]}
    told = [one for one in found.records if one.id in ranking or quote.line(one.content) in text]
    return {
        "parts": [f"{found.now:%Y-%m-%d}", *found.config.snapshot],
        "ranking": ranking,
        "content": {one.id: one.content for one in told},
    }


def holds(record: Record, now: datetime) -> bool:
    """Whether a memory is active and true at `now`, and if a plan, still to be done."""
    over = any(end and end <= now for end in (record.expires_at, record.valid_until))
    return record.state == "active" and not record.done and not over


def _score(record: Record, now: datetime) -> float:
    """How much a memory matters now, from 0 to 1: by strength and by importance."""
    found = record.strength * (0.5 + record.importance) / 1.5
    if record.due_at and now <= record.due_at <= now + SOON:
        found *= 1.25
    if record.trust != USER:
        found *= 0.9
    return round(min(1.0, max(0.0, found)), 4)


def _ranked(records: Iterable[Record], now: datetime) -> list[tuple[Record, float]]:
    """What holds at `now` with its score, best first; of equals a summary, then the newest."""
    holding = {one.id: one for one in records if holds(one, now) and not one.value.startswith(DAY)}
    scores = {id: _score(one, now) for id, one in holding.items()}
    summaries = [one for one in holding.values() if one.kind == "summary"]
    for summary in sorted(summaries, key=lambda one: (-scores[one.id], one.id)):
        parts = _told_by(summary, holding) - {summary.id}
        if all(id in scores for id in parts):
            scores[summary.id] = max([scores[summary.id], *map(scores.pop, parts)])
        else:
            del scores[summary.id]

    found = [(holding[id], score) for id, score in sorted(scores.items())]
    found.sort(key=lambda it: (-it[1], it[0].kind != "summary", -it[0].updated_at.timestamp()))
    return found


def _told_by(record: Record, known: Mapping[str, Record]) -> set[str]:
    """The ids of what a memory tells: itself, and the facts behind a summary that its words say."""
    if record.kind != "summary":
        return {record.id}
    words = fold(one_line(record.content))
    facts = [known[id] for id in record.derived_from if id in known]
    said = [one for one in facts if one.kind != "summary" and fold(clause_of(one).rest) in words]
    return {record.id, *(one.id for one in said)}


class _Line(NamedTuple):
    text: str
    record: Record | None = None  # The memory that it tells
    mark: str = ""  # Our own words before it, and behind it, which are not cut with it
    note: str = ""


class _Page:
    """A page in the making: its sections, what they say, and the room that is left."""

    def __init__(self, found: Material, language: str, count: Counter) -> None:
        self.now, self._language = found.now, language
        self.holding = [one for one in found.records if holds(one, self.now)]
        self.facts = [one for one in self.holding if one.kind != "summary"]
        self.facts.sort(key=lambda one: (-_score(one, self.now), one.id))
        self._head, self._foot = _frame(found, language)
        self._config, self._count = found.config.snapshot, count
        self._known = {one.id: one for one in self.holding}
        self._said = {""}  # Words of lines, and the ids of memories
        self._sections: dict[str, list[str]] = {}
        self.room = self.left = max(0, self._config.budget - self._cost(*self._head, *self._foot))

    def _cost(self, *lines: str) -> int:
        return sum(self._count(line) + 1 for line in lines)

    def add(self, heading: str, line: _Line, room: float, cut_to: float) -> int:
        """Write a line that says something new and fits into `room`; the tokens that it takes."""
        if self.has(line):
            return 0
        section = self._sections.setdefault(heading, [])
        words = cut(quote.line(line.text), max(_SHORT, int(cut_to)), self._count)
        text = f"{line.mark}{item(words)}{line.note}"
        cost = self._cost(text) + (0 if section else self._cost("", heading))
        if cost > min(room, self.left):
            return 0
        section.append(text)
        self._said |= self._told_in(line)
        self.left -= cost
        return cost

    def fill(self, heading: str, lines: Iterable[_Line], share: float) -> None:
        room = min(self.left, self.room * share)
        for line in lines:
            allowed = room if self._sections.get(heading) else self.left
            room -= self.add(heading, line._replace(mark=f"- {line.mark}"), allowed, room)

    def has(self, line: _Line) -> bool:
        """Whether a line would say nothing new: it, or for a summary a fact of it, was said."""
        return bool(self._said & self._told_in(line))

    def _told_in(self, line: _Line) -> set[str]:
        if line.record is None:
            return {fold(one_line(line.text))}
        return {fold(one_line(line.record.content)), *_told_by(line.record, self._known)}

    def place_core(self, heading: str, top: Sequence[Record]) -> None:
        """A numbered list: each of the first three has its share of the room, details included;
        what one does not use goes on to the next."""
        room, granted, number = self.left, 0.0, 1
        shares = [*map(float, self._config.shares.split())]
        for place, record in enumerate(top):
            is_first = place < len(shares) - 1
            granted += room * shares[place] if place < len(shares) else 0
            line = self.line(record, mark=f"{number}. [{record.strength:.2f}] ")
            if not self.add(heading, line, self.left, granted - (room - self.left)):
                continue
            number += 1
            for detail in self._details(record, top) if is_first else ():
                left = granted - (room - self.left)
                if left < _SHORT // 4:  # no line is so short: the others need not be asked for
                    break
                self.add(heading, detail._replace(mark="   - "), left, left)

    def _details(self, main: Record, top: Sequence[Record]) -> list[_Line]:
        """What a core memory rests on, its facts, and what else is known of its subject."""
        because = t("because: {basis}", self._language, basis=one_line(main.basis))
        lines = [_Line(because)] if main.basis else []
        for one in sorted(self.facts, key=lambda one: one.id not in main.derived_from):
            of_one = about(main).casefold() == about(one).casefold()
            akin = main.subject and (main.subject != USER or one.category == main.category)
            if one.id in main.derived_from or (of_one and akin and one not in top):
                # Their subject need not be said again
                text = clause_of(one).rest if of_one else one.content
                lines.append(self.line(one)._replace(text=text))
        return lines

    def lines(self, records: Iterable[Record]) -> list[_Line]:
        return [self.line(one) for one in islice(records, _CONSIDERED)]

    def line(self, record: Record, mark: str = "") -> _Line:
        """The words of a memory, and behind them when it is due and how sure it is."""
        notes, language = [], self._language
        due = record.due_at and record.due_at - timedelta(seconds=1)  # midnight ends the day before
        if due and str(due.year) not in record.content:  # or it says itself when: `2026年9月`
            past, day = due < self.now, due.date()
            notes.append(t("was due by {day}" if past else "by {day}", language, day=day))
        if record.kind == "belief":
            notes.append(t("{percent}% sure", language, percent=round(record.confidence * 100)))
        joined = ("，" if language == "zh" else ", ").join(notes)
        brackets = "（{}）" if language == "zh" else " ({})"
        return _Line(record.content, record, mark, brackets.format(joined) if notes else "")

    def text(self, order: Sequence[str]) -> str:
        """The page, its sections in this order; never over the budget."""
        while True:
            filled = [(one, self._sections[one]) for one in order if self._sections.get(one)]
            lines = [line for heading, section in filled for line in ("", heading, *section)]
            text = "\n".join([*self._head, *lines, *self._foot])
            if not filled or self._count(text) <= self._config.budget:
                return cut(text, self._config.budget, self._count)
            # Lines together may take a little more than one by one: the last written goes first
            [section for section in self._sections.values() if section][-1].pop()


def written(found: Material, count: Counter, language: str) -> str:
    """At most `snapshot.budget` tokens of Markdown (from 100 up), by the counter handed in."""
    page, now = _Page(found, language, count), found.now
    facts, lines = page.facts, page.lines
    constraints, user = t("## Constraints", language), t("## User", language)
    identity, core = t("## Identity", language), t("## Core memories", language)
    recent, also = t("## The last three days", language), t("## Also known", language)
    # Health, safety, how to reply, what is not eaten: the user's own before those of others
    binding = [one for one in facts if _binds(one)]
    binding.sort(key=lambda one: about(one) not in (USER, "", ASSISTANT))
    page.fill(constraints, lines(binding), _CONSTRAINTS)
    places = {name: n for n, name in enumerate(phrases()["card"].split())}
    card = [one for one in facts if one.category == "identity" or one.attribute in places]
    card.sort(key=lambda one: places.get(one.attribute, len(places)))
    page.fill(user, lines(one for one in card if about(one) in (USER, "")), _USER)
    own = [line.strip(" \t-*#>•") for line in found.config.snapshot.identity.splitlines()]
    agent = lines(one for one in facts if one.subject == ASSISTANT)
    page.fill(identity, [*(_Line(line) for line in own if line), *agent], _IDENTITY)
    newest = sorted(found.events, key=lambda event: event[0], reverse=True)[:_CONSIDERED]
    days = [[*events] for _, events in groupby(newest, key=lambda event: event[0])]
    # The first line of each day before the second of any
    lines_of_days = (f"{one[0]}: {one[1]}" for row in zip_longest(*days) for one in row if one)
    page.fill(recent, map(_Line, lines_of_days), _EVENTS)
    # Ranked are those not told yet: a summary that gives way must not take its facts with it
    untold = [one for one in page.holding if not page.has(page.line(one))]
    order = [one for one, _ in _ranked(untold, now)]
    page.place_core(core, order[:TOP])
    new = [one for one in facts if now - said_since(one) <= timedelta(days=RECENT_DAYS)]
    new = sorted(new, key=said_since, reverse=True)[:_CONSIDERED]
    page.fill(recent, [page.line(one, mark=f"{said_since(one).date()}: ") for one in new], 1.0)
    # What room is left goes to the next in rank: an index of what else is known
    page.fill(also, lines(order[TOP:]), 1.0)
    return page.text([identity, user, constraints, core, recent, also])


def _frame(found: Material, language: str) -> tuple[list[str], list[str]]:
    totals, head = found.totals, [t("# Memory snapshot", language)]
    more = t("More is in the memory: `loxodon recall QUERY`", language)
    if found.config.snapshot.budget < _SMALL:
        return [*head, f"> {quote.label(language)}"], ["", more]
    about_it = t(
        "> made {at} | memories: {all} | active: {active} | archived: {archived} | {label}",
        language,
        label=quote.label(language),
        at=f"{found.now:%Y-%m-%d}",  # no time: what changes with each call is in no prompt cache
        all=totals.active + totals.archived,
        **totals._asdict(),
    )
    index = t(
        "The whole memory: {memories}, {entities}, {topics}",
        language,
        memories=tn("{n} memory", "{n} memories", totals.active + totals.archived, language),
        entities=tn("{n} entity", "{n} entities", totals.entities, language),
        topics=tn("{n} topic", "{n} topics", totals.topics, language),
    )
    return [*head, about_it], ["", t("## Index", language), index, more]


def _binds(record: Record) -> bool:
    is_rule = record.attribute in (*phrases()["rules"].split(), "emergency_contact", "safety")
    if record.category == "health" or is_rule:
        return True
    words = {"dislikes": "diet", "": "manner"}.get(record.attribute)
    if record.category != "preference" or words is None:
        return False
    text = f"{record.topic} {' '.join(record.tags)} {record.content[:200]}"
    return pattern(words).search(text) is not None


# The profile

PROFILE = "profile"
WEEK = timedelta(days=7)
ENTRIES = 100
IMPORTANT = 0.7
LISTED = 20  # Changes that the profile shows; the newest
_READ = 1_000
_LASTING = ("identity", "config", "credential")

# A memory as it stands, what happened to it (`new`, `now`, `over`, `faded`), and when
ProfileChange = tuple[Record, str, datetime]


def profile(store: Store, now: datetime, language: str) -> str:
    """The profile as it was last written; made now where something in it may not hold any more."""
    language = language if language in LANGUAGES else LANGUAGES[0]
    if (page := store.worklog.page(PROFILE, language)) is not None:
        text, _, made = page
        changes = store.query_as(Change, "changes_since", made)
        untrue = phrases()["changes"]["untrue"].split()
        if not any(change in untrue and at > made for _, change, at in changes):
            return text
    return profile_text(*_core_of(store, now), "", language)


def renew_profile(store: Store, now: datetime, model: ModelReader | None) -> None:
    """Write the profile anew in every language."""
    chosen, changes = _core_of(store, now)
    portrait = model.portrait(chosen, [one for one, *_ in changes]) if model else ""
    with store.writing():
        for language in LANGUAGES:
            text = profile_text(chosen, changes, portrait, language)
            store.worklog.put_page(PROFILE, language, text, "{}", now)


def _core_of(store: Store, now: datetime) -> tuple[list[Record], list[ProfileChange]]:
    with store.reading():
        found = store.find(Filter(state="active", trust=OWN), _READ, strongest=True)
        return core(found, now), _week(store, now - WEEK)


def _week(store: Store, since: datetime) -> list[ProfileChange]:
    """The last change of each memory, oldest first; none of one that came and went."""
    held = {
        one.memory
        for state in HIDDEN
        for one in store.query_as(QuarantinedText, "quarantined_by_state", state)
    }
    last: dict[str, tuple[str, datetime]] = {}
    added: set[str] = set()
    words = phrases()["changes"]
    kinds = {name: kind for kind in ("new", "now", "over", "faded") for name in words[kind].split()}
    changes = store.query_as(Change, "changes_since", since)
    for id, name, at in sorted(changes, key=lambda one: one[2]):
        if name in kinds and id not in held:
            last[id] = kinds[name], at
            added |= {id} if kinds[name] == "new" else set()
    found = []
    for id, (change, at) in last.items():
        if not (record := store.get(id)) or record.kind == "summary" or not is_own(record.trust):
            continue
        went = change in ("over", "faded")
        if id not in added if went else record.state == "active":
            found.append((record, "new" if id in added else change, at))
    return found


def core(records: Iterable[Record], now: datetime) -> list[Record]:
    """The hundred most important: who the user is and how things are set up first. Summaries would
    say their facts again, and stay out."""
    facts = [one for one in records if one.kind != "summary" and one.importance >= IMPORTANT]
    found = [one for one in facts if holds(one, now)]
    found.sort(key=lambda it: (it.category not in _LASTING, -it.importance, -it.strength, it.id))
    return found[:ENTRIES]


def profile_text(
    core: Sequence[Record], changes: Sequence[ProfileChange], portrait: str, language: str
) -> str:
    """The profile as Markdown: the portrait, the core by section, and the week's changes."""
    headings = {
        "who": t("## Who", language),
        "health": t("## Health", language),
        "replies": t("## How to reply", language),
        "people": t("## People", language),
        "work": t("## Work and study", language),
        "preferences": t("## Preferences", language),
        "projects": t("## Projects and settings", language),
        "plans": t("## Plans", language),
        "other": t("## Other", language),
        "week": t("## This week", language),
    }
    sections: dict[str, list[str]] = {name: [] for name in headings}
    # What is known of one person stands together; the user's own first
    for record in sorted(core, key=lambda one: about(one).casefold().replace(USER, "")):
        said = sentence(record)
        if record.kind == "belief":
            said = t("{what} (not certain)", language, what=said)
        sections[_section(record)].append(f"- {item(quote.line(said))}")
    for record, change, at in sorted(changes, key=lambda one: one[2], reverse=True)[:LISTED]:
        what = {
            "new": t("new: {what}", language, what=sentence(record)),
            "now": t("now: {what}", language, what=sentence(record)),
            "over": t("no longer so: {what}", language, what=sentence(record)),
            "faded": t("faded: {what}", language, what=sentence(record)),
        }[change]
        sections["week"].append(f"- {at.date()} {item(quote.line(what))}")
    lines = ["", item(quote.line(portrait))] if portrait else []
    for name, entries in sections.items():
        if entries:
            lines += ["", headings[name], *dict.fromkeys(entries)]
    label = [f"> {quote.label(language)}"] if lines else []
    return "\n".join([t("# Profile", language), *label, *lines])


def _section(record: Record) -> str:
    """By the attribute or the category; what is of a project or of somebody else is by that."""
    words = {record.attribute, record.category}
    if not words & {"health", "plan"} and record.project not in ("", GLOBAL_PROJECT):
        return "projects"
    if about(record) not in (USER, "") and words & {"relation", "identity", "status"}:
        return "people"
    fitting = (name for name, known in phrases()["sections"].items() if words & {*known.split()})
    return next(fitting, "other")
