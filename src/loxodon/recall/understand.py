"""Understand: from a question as typed to what the routes search for.

A pure function of the question, the time, and three lookups: entities by name, and the known
projects and topics. It looks up only the question's own words, so the cost does not depend on how
much is known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import NamedTuple

from loxodon.recall.questions import (
    Ask,
    Kind,
    Tense,
    asks_of,
    last_talk,
    pivoted,
    tells_more,
    tense_of,
    without_asking,
    without_meta,
)
from loxodon.recall.times import Beside, When, events_of, times_of
from loxodon.store import KnownNames
from loxodon.text.bounds import tame
from loxodon.text.keywords import quick
from loxodon.text.language import language_of
from loxodon.text.names import NameSpan, named
from loxodon.text.words import fold, query_words
from loxodon.types import Entity

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
    # The "today" of a message says when it was written, not what it is looked for.
    times = times_of(asked[:_TIMED], now, language) if not tells else ()
    events = events_of(asked[:_TIMED], times, language) if not tells else ()
    entities, project, topic = _named(asked, known)
    return Question(
        text=query,
        language=language,
        asks=asks,
        focus=focus,
        words=tuple(_words(focus, language, tells) or query_words(text)),
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


def _words(focus: str, language: str, tells: bool) -> list[str]:
    return query_words(focus if tells else without_asking(focus, language))


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
