"""Understand: from a message as typed to what the routes search for.

A pure function of the message, the time and one lookup of its words among the names that the memory
knows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from functools import cache
from types import SimpleNamespace
from typing import Literal, NamedTuple

from loxodon.guard.provenance import USER
from loxodon.language.questions import en as words_en
from loxodon.language.questions import zh as words_zh
from loxodon.store import KnownNames
from loxodon.text.bounds import tame
from loxodon.text.dates import Moment, find_moments
from loxodon.text.keywords import quick
from loxodon.text.language import language_of
from loxodon.text.names import NameSpan, named
from loxodon.text.sentences import split
from loxodon.text.wordlists import sections, words_of
from loxodon.text.words import fold, query_words
from loxodon.types import Entity

# The kind of answer; `none` where nothing is asked
Kind = Literal[
    "who", "when", "where", "how_many", "yes_no", "which", "what", "why", "how", "list", "none"
]
Tense = Literal["current", "past", "any"]  # what holds now, what held once, or either

LOOKED_AT = 4_000  # characters of a message that are read
_TIMED = 600  # characters in which times are looked for; a page that was pasted dates nothing
_PARTS = 4  # questions of one message that are told apart
_SAID = 3  # sentences from which on a message may be more than a question
_ASKED = 0.6  # share of sentences that ask, above which the message is a question
RECENT = timedelta(30)  # how far back "recently" reaches
_NEAR = 12  # characters around a date in which a birthday makes it recur

TABLES = dict(sections(__file__, "tables.txt"))
# What the memory knows by name (`store.named`); asked once, with all that may be a name
Lookup = Callable[[Iterable[str]], KnownNames]


class Ask(NamedTuple):
    text: str
    kind: Kind


class When(NamedTuple):
    """A stretch of time that a question names: `since` until before `until`, None for no end."""

    text: str
    since: datetime | None
    until: datetime | None
    grain: str  # of `text.dates`, or `recent` for a loose word such as "lately"
    recurring: bool = False  # each week or year: it says nothing of when something was said


class Named(NamedTuple):
    text: str  # as it was typed: a name, an alias or a relation
    entity: Entity

    @property
    def names(self) -> tuple[str, ...]:
        return (self.text, self.entity.name, *self.entity.aliases)


class Question(NamedTuple):
    text: str
    language: str
    asks: tuple[Ask, ...]  # the parts that ask, in order; the whole text where nothing is asked
    focus: str  # what is looked for: without what speaks of the asking
    words: tuple[str, ...]  # the search words of `focus`; see `text.words.query_words`
    keywords: tuple[str, ...]
    entities: tuple[Named, ...]  # each once, in the order they are named
    project: str  # as the memory writes it; empty where none is named
    topic: str
    times: tuple[When, ...]
    kind: Kind  # the kind of answer that the first part asks for
    tense: Tense
    last: str = ""  # the words in which it asks for the last talk, as a whole: 上次讨论到哪了
    tells: bool = False  # it is a message, or a piece of dialogue, that tells more than it asks


def understand(query: str, now: datetime, known: Lookup = lambda names: KnownNames()) -> Question:
    """What `query`, asked at `now`, looks for; whom it names, where `known` tells."""
    text = tame(query.strip(), LOOKED_AT)  # its beginning and its end, where people ask
    language = language_of(text)
    asks = [Ask(part, kind_of(part, language)) for part in split(text) or [text]]
    asks = [ask for ask in asks if ask.kind != "none"][:_PARTS] or [Ask(text.strip(), "none")]
    tells = tells_more(text, language)
    focus = without_meta(text, language)
    sought = focus if tells else without_asking(focus, language)
    # The "today" of a message says when it was written, not what it is looked for.
    times = times_of(text[:_TIMED], now, language) if not tells else ()
    entities, project, topic = _named(text, known)
    return Question(
        text=query,
        language=language,
        asks=tuple(asks),
        focus=focus,
        words=tuple(query_words(sought) or query_words(text)),
        keywords=tuple(quick(focus)),
        entities=entities,
        project=project,
        topic=topic,
        times=times,
        kind=asks[0].kind,
        tense=tense_of(focus, language, times, now) if not tells else "any",
        last=last_talk(text, language) if not tells else "",
        tells=tells,
    )


def tells_more(text: str, language: str) -> bool:
    """Whether a message tells more than it asks; who ends by asking to be reminded asks."""
    found = regex(r"[^.?!。？！;；\n]{3,}[.?!。？！;；\n]*").findall(text)
    found = [one for one in found if len(one) > 5 or not one.isascii()]  # not the "C." of a name
    if len(found) < _SAID or sum(one[-1] in "?？" for one in found) > _ASKED * len(found):
        return False
    return found[-1][-1] not in "?？" or without_meta(found[-1], language) == found[-1]


def kind_of(text: str, language: str) -> Kind:
    lower = text.lower().strip()
    earliest: tuple[int, Kind] | None = None
    for kind, guard, source in _words_for(language).KINDS:
        if kind == "yes_no" and earliest is not None:
            break  # English asks with the first word that can, and so only where no other does
        found = regex(source).search(lower) if any(one in lower for one in guard) else None
        if found is None:
            continue
        if language == "zh":  # the most telling word asks, wherever it stands
            return "what" if kind == "yes_no" and compiled("zh", "TELL").search(lower) else kind
        if earliest is None or found.start() < earliest[0]:
            earliest = found.start(), kind
    if earliest is not None and earliest[1] != "yes_no":
        return earliest[1]
    if without_meta(lower, language) != lower and lower.endswith(("?", "？")):
        return "what"  # "could you remind me of the brand": not whether, but which
    return "yes_no" if earliest is not None or lower.endswith(("?", "？")) else "none"


def only_asks(text: str) -> bool:
    """Whether a message asks and tells nothing, with a question mark or without."""
    bare = text.strip()
    if not bare or len(bare) > 300:
        return False
    language = language_of(bare)
    asks = compiled(language, "ASKED")
    for one in split(fold(bare)):
        # What stands before a comma may tell: "I like hiking, any tips?"
        parts = [part.strip() for part in regex("[,，]").split(one)]
        long = [part for part in parts if len(part) > (12 if part.isascii() else 3)] or [one]
        if not all(map(asks.search, long)) or any(map(compiled(language, "TELLS").search, long)):
            return False
    return True


def last_talk(text: str, language: str) -> str:
    """The words that ask for the talk before this one, whatever it was about."""
    found = needed(language, "LAST", text) and compiled(language, "LAST").search(text)
    return found[0] if found else ""


def without_meta(text: str, language: str) -> str:
    """The text without what it says of the asking: `can you remind me`, 你还记得."""
    if not needed(language, "META", text):
        return text
    stripped = compiled(language, "META").sub(" ", text)
    return stripped if any(map(str.isalnum, stripped)) else text


def without_asking(text: str, language: str) -> str:
    """A Chinese text with a blank in the place of the words that ask; English ones are no words of
    an index."""
    if language != "zh" or not needed(language, "ASKS", text):
        return text
    bare = compiled(language, "ASKS").sub(" ", fold(text))
    return bare if any(map(str.isalnum, bare)) else text


def tense_of(text: str, language: str, times: tuple[When, ...], now: datetime) -> Tense:
    """Whether a question asks for what is, or for what was; what lies wholly behind is past."""
    lower = text.lower()
    current = needed(language, "NOW", lower) and compiled(language, "NOW").search(lower)
    if needed(language, "THAN", lower):  # what is compared with before asks for both
        lower = compiled(language, "THAN").sub(" ", lower)
    then = needed(language, "THEN", lower) and compiled(language, "THEN").search(lower)
    if bool(current) != bool(then):
        return "current" if current else "past"
    ended = any(one.until and one.until <= now and not one.recurring for one in times)
    return "past" if ended else "any"


def times_of(text: str, now: datetime, language: str) -> tuple[When, ...]:
    lower, found = text.lower(), []
    for moment in find_moments(text, now, asked=True):
        short = moment.grain == "span" and moment.until - moment.since < timedelta(1)
        is_timed = short or moment.grain in ("hour", "minute", "part")
        # Not a time of day and no more: `at 3pm`, 早上
        if not is_timed or regex(f"{words_zh.DATED}|{words_en.DATED}").search(moment.text.lower()):
            found.append(_meant(moment, lower))
    if not found and needed(language, "RECENTLY", lower):
        loose = compiled(language, "RECENTLY").search(lower)
        found += [When(loose[0], now - RECENT, None, "recent")] if loose else []
    return tuple(found)


def _meant(moment: Moment, lower: str) -> When:
    before, behind = lower[max(0, moment.start - 20) : moment.start], lower[moment.end :][:8]

    def is_beside(name: str) -> bool:
        """Whether a word before the date (English) or behind it (Chinese) is of a kind."""
        english = regex(getattr(words_en, name)).search(before)
        return bool(english or regex(getattr(words_zh, name)).match(behind))

    since: datetime | None = moment.since
    until: datetime | None = moment.until
    if is_beside("PRIOR"):
        since, until = None, moment.since
    elif is_beside("LATER"):
        since, until = (moment.since if regex("^(?:起|开始)").match(behind) else moment.until), None
    elif regex(words_en.FROM).search(before) or regex(words_zh.SINCE).match(behind):
        until = None
    elif is_beside("UPTO") or regex("截[至止]到?$").search(before):
        since = None
    elif is_beside("ABOUT"):
        more = _AROUND.get(moment.grain, (moment.until - moment.since) / 2)
        since, until = moment.since - more, moment.until + more
    elif regex(r"(?:minutes?|hours?|hrs?|mins?) ago|小时|分钟").search(moment.text.lower()):
        since, until = moment.since - timedelta(minutes=30), moment.until + timedelta(minutes=30)
    recurring = moment.recurring
    if not regex(r"[0-9]{4}|[去今明前]年|(?:last|this|next) year").search(moment.text.lower()):
        near = lower[max(0, moment.start - _NEAR) : moment.end + _NEAR]  # a birthday's date
        yearly = f"{words_zh.EVERY_YEAR}|{words_en.EVERY_YEAR}"
        recurring = recurring or regex(yearly).search(near) is not None
    return When(moment.text, since, until, moment.grain, recurring)


def _named(text: str, known: Lookup) -> tuple[tuple[Named, ...], str, str]:
    """The entities that the text names, its project and its topic."""
    folded, found = fold(text), KnownNames()

    def look_up(names: Iterable[str]) -> Iterable[str]:
        nonlocal found
        found = known(names)
        return found.entities.keys() | found.projects.keys() | found.topics.keys()

    def is_meant(part: NameSpan) -> bool:
        """Whether the stretch is the name, and not a word or a part of one that looks like it."""
        if len(part.name) == 1 and part.name >= "\u2e80":  # 妈 in 我妈, not in 妈妈 or 姑妈
            return part.start > 0 and folded[part.start - 1] in "我你您他她的"
        if part.name not in words_of("names_too") or len(text) != len(folded):
            return True
        return text[part.start].isupper() or not any(map(str.isupper, text[1:]))

    parts = [part for part in named(folded, look_up) if is_meant(part)]
    entities: dict[int | str, Named] = {}
    for part in parts:
        if (entity := found.entities.get(part.name)) and entity.type in ("person", "pet", "other"):
            typed = text[part.start : part.end] if len(text) == len(folded) else part.name
            entities.setdefault(entity.no or entity.name, Named(typed, entity))
    project, topic = (
        next((labels[part.name] for part in parts if part.name in labels), "")
        for labels in (found.projects, found.topics)
    )
    return tuple(entities.values()), project, topic


def asks_for_state(question: Question) -> bool:
    """Whether a question asks for something that can change, not for what happened once."""
    if question.tells or question.kind == "none" or (question.tense == "past" and question.times):
        return False
    if question.kind == "how_many":
        return not compiled(question.language, "SPAN").search(question.text)
    event = compiled(question.language, "EVENT")
    return question.tense == "past" or not event.search(question.text.strip())


def needed(language: str, name: str, text: str) -> bool:
    """Whether a pattern can match at all: compiling one costs more than to look."""
    lower = text.lower()
    return any(one in lower for one in _words_for(language).GUARDS[name])


@cache
def compiled(language: str, name: str) -> re.Pattern[str]:
    """A pattern of a language by name; compiled when it is first needed."""
    source: str = getattr(_words_for(language), name)
    return regex(source.replace("\n", ""), re.IGNORECASE)


def _words_for(language: str) -> SimpleNamespace:
    return words_zh if language == "zh" else words_en


regex = cache(re.compile)
_AROUND = {"day": timedelta(2), "part": timedelta(1), "hour": timedelta(1), "minute": timedelta(1)}


def asked_attributes(question: Question) -> dict[tuple[str, str], bool]:
    """The (subject, attribute) pairs that a question may be after, most likely ones first; each
    with whether it is what the question asks for, or only tells of it."""
    text = fold(question.focus)
    names = [one.entity.name for one in question.entities]
    own = _OWN.search(text) is not None or question.language == "zh"
    rows = _matching(text)
    subjects = names or ([USER] if own and rows and not of_another(text, question.language) else [])
    found: dict[tuple[str, str], bool] = {}
    for attributes in rows:
        asked = attributes.index("/") if "/" in attributes else len(attributes)
        for n, attribute in enumerate(attributes):
            for subject in subjects if n != asked else ():
                pair = subject, attribute
                found[pair] = n < asked or found.get(pair, False)
    for attributes in _matching(text, own=True) if own else ():
        found |= {(USER, attribute): True for attribute in attributes}
    return found


def asks_of_user(question: Question) -> bool:
    """Whether someone asks for an attribute of themselves: 我住哪儿, where do I live."""
    if question.entities or question.kind == "none" or len(question.asks) > 1:
        return False
    text = fold(question.focus)
    is_own = _OWN.search(text) is not None and bool(_matching(text))
    return is_own and not of_another(text, question.language)


def of_another(text: str, language: str) -> bool:
    """Whether a text is about someone by what they are to the user, and not about the user:
    我哥做什么生意, what does my cousin do."""
    folded = fold(text)
    people = compiled(language, "RELATION").finditer(folded)
    mine = any(_MINE.search(folded[: one.end()], max(0, one.start() - 12)) for one in people)
    return mine or _NAMED.match(text) is not None


_ROWS = TABLES["attributes"].splitlines()
_ATTRIBUTES = [[part.split(", ") for part in row.split(" | ")] for row in _ROWS]
_OWN = re.compile(r"\b(?:i|my|me|we|our)\b|[我咱]")
_MINE = re.compile(r"\b(?:my|our) (?:\w+ )?[\w'-]+$|[我咱](?:们|家)?的?(?:\w{1,3})$")
# A sentence about somebody by name: `Eve lives in Berlin`
_NAMED = re.compile(r"(?:[A-Z][\w'’-]+ ){1,3}(?:[a-z]+s|has)\b(?!.*\b(?:I|[Ww]e|[Mm]y|[Oo]ur)\b)")


def _matching(text: str, own: bool = False) -> list[list[str]]:
    """The attributes that a folded text names, a list for each row of the table."""
    return [
        names.removeprefix("own ").split()
        for (names,), english, chinese in _ATTRIBUTES
        if names.startswith("own ") == own
        and (any(one in text for one in chinese) or any(f" {one}" in f" {text}" for one in english))
    ]
