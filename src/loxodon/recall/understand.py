"""Understand: from a question as typed to what the routes search for.

A pure function of the question, the time, and three lookups: entities by name, and the known
projects and topics. It looks up only the question's own words, so the cost does not depend on how
much is known.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta
from functools import cache
from typing import Literal, NamedTuple

from loxodon.language.questions import en as words_en
from loxodon.language.questions import zh as words_zh
from loxodon.recall.questions import (
    Ask,
    Kind,
    Tense,
    asks_of,
    compiled,
    last_talk,
    needed,
    pivoted,
    tells_more,
    tense_of,
    without_asking,
    without_meta,
    words_for,
)
from loxodon.store import KnownNames
from loxodon.text.bounds import tame
from loxodon.text.dates import Moment, find_asked
from loxodon.text.keywords import quick
from loxodon.text.language import language_of
from loxodon.text.names import NameSpan, named
from loxodon.text.words import fold, query_words
from loxodon.types import Entity

Side = Literal["before", "after", "around"]

RECENT = timedelta(30)  # How far back "recently" reaches
_EVENTS = 3
_NEAR = 12  # Characters around a date in which a birthday makes it recur
_AROUND = {"day": timedelta(2), "part": timedelta(1), "hour": timedelta(1), "minute": timedelta(1)}
_DATED = (
    r"[今昨前明后周期拜月号日年天刚]|小时|分钟|[0-9]{4}|\b(?:ago|last|this|next|past|later|earlier|in"
    r"|today|tonight|yesterday|tomorrow|day|week|month|year|hours?|minutes?|every|each)\b"
    r"|\b(?:mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
)


class When(NamedTuple):
    """A stretch of time that a question names: `since` until before `until`, None for no end."""

    text: str
    since: datetime | None
    until: datetime | None
    grain: str  # Of `text.dates`, or `recent` for a loose word such as "lately"
    # It comes again each week or year, so it says nothing of when something was said
    recurring: bool = False


class Beside(NamedTuple):
    """A time that an event dates."""

    text: str
    event: str  # The words for what happened: `I moved`, 搬家
    side: Side


def times_of(text: str, now: datetime, language: str) -> tuple[When, ...]:
    """The ranges that a question asked at `now` names, in order."""
    lower = text.lower()
    found = [_meant(moment, lower) for moment in find_asked(text, now) if not _is_bare(moment)]
    if not found and needed(language, "RECENTLY", lower):
        loose = compiled(language, "RECENTLY").search(lower)
        if loose:
            found.append(When(loose[0], now - RECENT, None, "recent"))
    return tuple(found)


def events_of(text: str, times: tuple[When, ...], language: str) -> tuple[Beside, ...]:
    """What a question dates itself by that has no date in the words."""
    lower = text.lower()
    found = _between(text) if "between" in lower else []
    if not needed(language, "EVENT", lower):
        return tuple(found)
    for match in compiled(language, "EVENT").finditer(text):
        event = _trimmed(match, language)
        if not _happened(event, language) or any(_covers(time, event) for time in times):
            continue
        side = words_for(language).SIDES.get(match["side"].lower(), "around")
        found.append(Beside(match[0].strip(" ,，。、?？"), event, side))
    return tuple(found[:_EVENTS])


# --- Dates ----------------------------------------------------------------------------------------


def _is_bare(moment: Moment) -> bool:
    """Whether a moment is a time of day and no more: `at 3pm`, 早上."""
    timed = moment.grain in ("hour", "minute", "part") or (
        moment.grain == "span" and moment.until - moment.since < timedelta(1)
    )
    return timed and not _re(_DATED).search(moment.text.lower())


def _meant(moment: Moment, lower: str) -> When:
    before, behind = lower[max(0, moment.start - 20) : moment.start], lower[moment.end :][:8]
    since: datetime | None = moment.since
    until: datetime | None = moment.until
    recurring = moment.recurring or _yearly(moment, lower)
    if _either("PRIOR", before, behind):
        since, until = None, moment.since
    elif _either("LATER", before, behind):
        since, until = (moment.since if _re("^(?:起|开始)").match(behind) else moment.until), None
    elif _re(words_en.FROM).search(before) or _re(words_zh.SINCE).match(behind):
        until = None
    elif _either("UPTO", before, behind) or _re("截[至止]到?$").search(before):
        since = None
    elif _either("ABOUT", before, behind):
        more = _AROUND.get(moment.grain, (moment.until - moment.since) / 2)
        since, until = moment.since - more, moment.until + more
    elif _re(r"(?:minutes?|hours?|hrs?|mins?) ago|小时|分钟").search(moment.text.lower()):
        since, until = moment.since - timedelta(minutes=30), moment.until + timedelta(minutes=30)
    return When(moment.text, since, until, moment.grain, recurring)


def _either(name: str, before: str, behind: str) -> bool:
    """Whether a word before the date (English) or behind it (Chinese) is of a kind."""
    if _re(getattr(words_en, name)).search(before):
        return True
    return _re(getattr(words_zh, name)).match(behind) is not None


def _yearly(moment: Moment, lower: str) -> bool:
    """Whether a date without a year is a birthday's."""
    if _re(r"[0-9]{4}|[去今明前]年|(?:last|this|next) year").search(moment.text.lower()):
        return False
    near = lower[max(0, moment.start - _NEAR) : moment.end + _NEAR]
    return bool(_re(f"{words_zh.EVERY_YEAR}|{words_en.EVERY_YEAR}").search(near))


# --- Events ---------------------------------------------------------------------------------------

_AND = r" and (?=(?:the (?:day|time|date|moment)|when)\b)| and (?=(?:the|my|our|his|her)\b)"


def _between(text: str) -> list[Beside]:
    """Both events of `days between the day I … and the day I …`; not prices between shops."""
    match = _re(words_en.BETWEEN, re.IGNORECASE).search(text)
    counted = r"(?i)\b(?:days?|weeks?|months?|years?|hours?|time|passed|elapsed|long)\b.{0,20}$"
    if match is None or not _re(counted).search(text[: match.start()]):
        return []
    ends = _re(_AND).split(match["all"], maxsplit=1)
    if len(ends) < 2:
        return []
    return [Beside(end.strip(), _bare_event(end), "around") for end in ends]


_LEADS = (
    r"^(?:(?:我们?|你|您|他们?|她们?|咱们?|是|在|从|自从|等|到|刚|那|都|又|还|跟|和|有没有|的|了|说"
    r"|叫什么|怎么)+(?=.))"
)


def _trimmed(match: re.Match[str], language: str) -> str:
    if language == "zh":
        return _re(_LEADS).sub("", match["event"]).strip()
    return _bare_event(f"{match['lead']} {match['event']}")


def _bare_event(words: str) -> str:
    return _re(r"(?i)^(?:the|a|an) (?:day|time|date|moment) (?:when |that )?").sub(
        "", words.strip()
    )


def _happened(event: str, language: str) -> bool:
    """Whether the words name something that happened, rather than work, dinner or that."""
    if language == "zh":
        number = (
            r"^[0-9零一二两三四五六七八九十百几半多]+(?:个|多)?(?:天|日|周|星期|月|年|小时|分钟|号)"
        )
        asks = r"什么|啥|哪|谁|怎|多少|几|吗|呢"
        fits = 2 <= len(event) <= 16 and event not in words_zh.NOT_EVENTS
        return fits and not _re(number).search(event) and not _re(asks).search(event)
    words = event.lower().split()
    return len(words) > 1 and words[0] not in words_en.NOT_EVENTS and words[0] not in _ASKING


_ASKING = frozenset("did do does is are was were will should can could would has have had".split())  # noqa: SIM905


def _covers(time: When, event: str) -> bool:
    """Whether a date was read out of the words of an event, as its whole."""
    rest = event.lower().replace(time.text.lower(), "")
    return time.text.lower() in event.lower() and sum(map(str.isalnum, rest)) < 6


_re = cache(re.compile)


LOOKED_AT = 4_000  # Characters of a question that are read
_TIMED = 600  # Characters in which times are looked for; a page that was pasted dates nothing

# What the memory knows by name (`store.named`); asked once, with all that may be a name
Lookup = Callable[[Iterable[str]], KnownNames]


def nobody(names: Iterable[str]) -> KnownNames:
    return KnownNames()


class Named(NamedTuple):
    """An entity that a question names."""

    text: str  # As it was typed: a name, an alias or a relation
    entity: Entity


class Question(NamedTuple):
    """A question, understood."""

    text: str
    language: str
    # The parts that ask, in order; one with the whole text where nothing is asked
    asks: tuple[Ask, ...]
    focus: str  # What is looked for: without what leads up to the question and speaks of the asking
    words: tuple[str, ...]  # The search words of `focus`; see `text.words.query_words`
    keywords: tuple[str, ...]
    entities: tuple[Named, ...]  # Each once, in the order they are named
    project: str  # As the memory writes it; empty where none is named
    topic: str
    times: tuple[When, ...]
    events: tuple[Beside, ...]
    kind: Kind  # The kind of answer that the first part asks for
    tense: Tense
    last: str = ""  # The words in which it asks for the last talk, as a whole: 上次讨论到哪了
    tells: bool = False  # It is a message, or a piece of dialogue, that tells more than it asks


def understand(query: str, now: datetime, known: Lookup = nobody) -> Question:
    """What `query`, asked at `now`, looks for."""
    # A question; of a very long message its beginning and its end, where people ask
    text = tame(query.strip(), LOOKED_AT)
    language = language_of(text)
    asks = asks_of(text, language)
    tells = tells_more(text, language)
    turns = not tells and pivoted(text, language)
    asked = " ".join(ask.text for ask in asks) if turns else text
    focus = without_meta(asked, language)
    sought = focus if tells else without_asking(focus, language)
    # The "today" of a message says when it was written, not what it is looked for.
    times = times_of(asked[:_TIMED], now, language) if not tells else ()
    events = events_of(asked[:_TIMED], times, language) if not tells else ()
    entities, project, topic = _named(asked, known)
    return Question(
        text=query,
        language=language,
        asks=asks,
        focus=focus,
        words=tuple(query_words(sought) or query_words(text)),
        keywords=tuple(quick(focus)),
        entities=entities,
        project=project,
        topic=topic,
        times=times,
        events=events,
        kind=asks[0].kind,
        tense=_tense(focus, language, times, events, now) if not tells else "any",
        last=last_talk(text, language) if not tells else "",
        tells=tells,
    )


def _tense(
    text: str, language: str, times: tuple[When, ...], events: tuple[Beside, ...], now: datetime
) -> Tense:
    """The tense of the words; without one, what lies wholly behind is past."""
    said = tense_of(text, language)
    if said != "any":
        return said
    ended = any(
        time.until is not None and time.until <= now and not time.recurring for time in times
    )
    return "past" if ended or any(event.side == "before" for event in events) else "any"


# --- Names ----------------------------------------------------------------------------------------


def _named(text: str, known: Lookup) -> tuple[tuple[Named, ...], str, str]:
    """The entities that the text names, its project and its topic."""
    folded = fold(text)
    found = KnownNames()

    def look_up(names: Iterable[str]) -> Iterable[str]:
        nonlocal found
        found = known(names)
        return found.entities.keys() | found.projects.keys() | found.topics.keys()

    parts = [part for part in named(folded, look_up) if _is_meant(part, text, folded)]
    entities: dict[int | str, Named] = {}
    for part in parts:
        if entity := found.entities.get(part.name):
            typed = text[part.start : part.end] if len(text) == len(folded) else part.name
            entities.setdefault(entity.no or entity.name, Named(typed, entity))
    return tuple(entities.values()), _first(parts, found.projects), _first(parts, found.topics)


def _first(parts: Iterable[NameSpan], labels: Mapping[str, str]) -> str:
    return next((labels[part.name] for part in parts if part.name in labels), "")


# Names that are words as well: in English text with capitals, only a capital makes them names
_WORDS_TOO = frozenset(
    """
    may mark rose hope will grace art bill jack pat sue drew chase faith joy june april august
    summer dawn autumn lily ivy daisy max rob nick dean grant rich frank gene guy buddy carol
    amber ruby pearl iris violet olive sky star angel destiny harmony melody penny holly heather
    rusty sandy misty crystal gin ray ben pepper ginger cookie biscuit honey sugar shadow lucky
    """.split()  # noqa: SIM905
)


def _is_meant(part: NameSpan, text: str, folded: str) -> bool:
    """Whether the stretch is the name, and not a word or a part of one that looks like it."""
    if len(part.name) == 1 and part.name >= "\u2e80":  # 妈 in 我妈, not in 妈妈 or 姑妈
        return part.start > 0 and folded[part.start - 1] in "我你您他她的"
    if part.name not in _WORDS_TOO or len(text) != len(folded):
        return True
    capitals = any(map(str.isupper, text[1:]))
    return not capitals or text[part.start].isupper()
