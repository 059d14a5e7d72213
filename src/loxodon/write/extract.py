"""What was read becomes candidates: sentences with dates, limits and labels.

The reader of a language says what a turn tells (`language/`); what holds for every language is
here: dates are made absolute, a plan gets the time it is due, what is temporary an end, and nothing
leaves that is too long.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import partial
from importlib import import_module
from typing import NamedTuple, cast

from loxodon.language.statements import (
    MOST_CHARACTERS,
    MOST_WORDS,
    Fragment,
    Language,
    Statement,
    TurnInContext,
)
from loxodon.text.bounds import CLOSELY, tame
from loxodon.text.dates import Moment, absolute, find_moments, format_date
from loxodon.text.language import language_of

LASTS: dict[str, timedelta] = {"temp": timedelta(days=7), "debug": timedelta(days=14)}
"""How long what is temporary is kept where it names no day itself."""
_RECURRING = ("habit", "bedtime", "wake_time")
"""Of these `Thursday afternoon` is every Thursday."""
AFTER_DUE = timedelta(days=30)
"""A plan that was never marked done is let go this long after it was due."""


class Candidate(NamedTuple):
    """A statement with all that the store wants to know of it."""

    statement: Statement
    language: str
    importance: float
    said_at: datetime
    valid_from: datetime | None = None
    due_at: datetime | None = None
    expires_at: datetime | None = None
    vouched: bool = False
    """Of what a program passed on: whether the user vouches for it (`trust/origin/vouching.py`)."""
    tags: tuple[str, ...] = ()
    """Words it should be found by, where a model named some."""
    does: str = ""
    """What a model decided that this does to the memory `target`: `update`, `end` or `same`. Empty
    where that is found by comparing (`reconcile.py`)."""
    target: str = ""


def rules_for(text: str) -> tuple[str, Language]:
    """The language of a text, and its rules.

    Who opens in Chinese speaks Chinese, whatever was pasted behind it.
    """
    opening = re.split(r"[\n:：。！？]", text.lstrip(), maxsplit=1)[0][:200]
    language = "zh" if language_of(opening) == "zh" else language_of(text)
    return language, cast(Language, import_module(f"loxodon.language.{language}"))


def fragments_of(turn: int, text: str) -> list[Fragment]:
    """What is read closely of a message, cut into fragments."""
    text = tame(text, CLOSELY)
    pieces = rules_for(text)[1].split(text)
    return [Fragment(turn, n, *piece) for n, piece in enumerate(pieces)]


class ExtractedTurn(NamedTuple):
    """What a turn says, ready to be compared with the memory."""

    candidates: Sequence[Candidate]
    unclear: Sequence[int]
    """The numbers of the fragments that may say more than was understood."""
    takes_back: bool
    """Whether it takes back what was said just before."""


def read(said: TurnInContext) -> ExtractedTurn:
    """What a turn says."""
    language, rules = rules_for(said.text)
    reading = rules.read(said)
    found = []
    for statement in reading.statements:
        if statement.confidence < 1 and not statement.basis:
            words = [one.text for one in said.fragments if one.n in statement.fragments]
            statement = statement._replace(basis=" ".join(words))
        found.append(candidate_of(statement, language, statement.importance, said.at))
    return ExtractedTurn(found, reading.unclear, reading.takes_back)


def candidate_of(statement: Statement, language: str, importance: float, at: datetime) -> Candidate:
    """A statement made at `at`, with its dates, and in few enough words."""
    moments = [one for one in find_moments(statement.content, at) if not one.recurring]
    if statement.quoted:
        moments = [] if _HABIT.search(statement.content) else [o for o in moments if _meant(o, at)]
        if statement.category == "fact" and any(one.since > at for one in moments):
            statement = statement._replace(category="plan")
    due = expires = None
    if statement.quoted and _tells_more(statement.content, moments):
        pass  # and that is not over with its date
    elif statement.category == "plan":
        due = next((one.until for one in moments if one.until > at), None)
        expires = due and due + AFTER_DUE
    elif statement.category in LASTS:
        expires = max([one.until for one in moments] + [at + LASTS[statement.category]])
    content, value = statement.content, statement.value
    if statement.quoted and moments:
        named = dict.fromkeys(format_date(one, language) for one in moments)
        content = f"{content} ({', '.join(named)})"
    elif not statement.quoted and statement.attribute not in _RECURRING:
        stays = partial(_stays, content, statement.category) if language == "en" else None
        content = absolute(content, at, language, stays)
        value = absolute(value, at, language, stays and partial(_stays, value, "fact"))
    content = content if statement.quoted else fitting(content, language)
    # `in March` may be any March: only what names its year says since when something holds.
    dated = [one for one in find_moments(content, at) if re.search(r"\d{4}", one.text)]
    since = next((one.since for one in dated if one.until <= at), None)
    # What is over is looked for in memories whose dates are absolute.
    days = [absolute(words, at, language) for words in statement.over]
    over = tuple(dict.fromkeys((*statement.over, *(_bare(day) for day in days))))
    statement = statement._replace(content=content, value=value, over=over)
    return Candidate(statement, language, importance, at, since, due, expires)


def _meant(moment: Moment, at: datetime) -> bool:
    """Whether the day is certain that somebody's own words mean: not that of an hour alone, nor of
    a month or day that is past, of which year they do not say."""
    counted, named = _COUNTED_DAY.search(moment.text), _NAMED_DAY.search(moment.text)
    hour = moment.grain in ("hour", "minute", "part") and not (counted or named)
    return moment.relative and not hour and (moment.since > at or not named or bool(counted))


_NAMED_DAY = re.compile(
    r"(?:\d|[一二三四五六七八九十])(?:[月号日/]|st|nd|rd|th)"
    r"|\b(?:jan|feb|mar|apr|jun|jul|aug|sep|oct|nov|dec)\w*|\bmay\b",
    re.I,
)
_COUNTED_DAY = re.compile(
    r"[今明后昨前去这本]|[上下](?=[个周月星礼上下])|周|天|星期|礼拜|day|t(?:omorrow|onight)|this|last|next|ago",
    re.I,
)
_HABIT = re.compile(
    r"每[天周月年晚早次]|有时|经常|常常|通常|一般|平时|总是|\b(?:every|usually|often|always|sometimes|weekends|most)\b"
    r"|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days\b",
    re.I,
)


_PARTS = re.compile(r"[,，;；!！]\s?|(?<=[\u4e00-\u9fff])\s|\s(?:and|but|so)\s|\s[-–—]\s", re.I)
_SHORT = 12
"""Letters of a part, each character counted as three, that tells nothing by itself: `在杭州`."""


def _tells_more(content: str, moments: Sequence[Moment]) -> bool:
    """Whether own words have a part of some length without a date in it."""
    said = content.split("“", 1)[-1].rstrip("”")
    return any(
        len(part) + 2 * sum(map(str.isalpha, part)) * (not part.isascii()) > _SHORT
        and not any(one.text in part for one in moments)
        for part in _PARTS.split(said)
    )


def _stays(content: str, category: str, moment: Moment) -> bool:
    """Whether an hour or a weekday is said of no day: `gets up at 5:30`, `works Monday to Friday`,
    `the second Tuesday`, `a 7:15 mile`."""
    if re.fullmatch(r"(?:at )?\d{1,2}(?:[:.]\d\d)? ?(?:[ap]\.?m\.?)?", moment.text, re.IGNORECASE):
        after = content[moment.end :]
        noun = re.match(r" (?!on|in|at|for|with|to|and|today|tomorrow)[a-z]{3,}", after)
        return category not in ("plan", "temp", "event") or noun is not None
    if content[: moment.start].endswith("-"):
        return True  # `a monday-to-friday rota`
    if re.search(r"\b(?:first|second|third|fourth|last|other) $", content[: moment.start]):
        return moment.text.lower().endswith(("day", "days"))
    span = re.fullmatch(r"\w+days? (?:to|through|till|thru|-) \w+days?", moment.text, re.IGNORECASE)
    return span is not None and category != "plan"


def _bare(day: str) -> str:
    """A date without the preposition that it got."""
    return re.sub(r"^(?:on|in|at|from) (?=.*\d)", "", day)


def fitting(content: str, language: str) -> str:
    """`content` if it is short enough, else as many of its whole clauses as are."""
    if _fits(content, language):
        return content
    marks = "，；、。, " if language == "zh" else ",;. "
    cut = content[: MOST_CHARACTERS + 1] if language == "zh" else _first_words(content)
    for mark in marks:
        at = cut.rfind(mark)
        if at > len(cut) // 3:
            return cut[:at].rstrip(" ,;，；、。")
    return cut[:MOST_CHARACTERS] if language == "zh" else cut


def _fits(content: str, language: str) -> bool:
    if language == "zh":
        return len(content) <= MOST_CHARACTERS
    return len(content.split()) <= MOST_WORDS


def _first_words(content: str) -> str:
    return " ".join(content.split(" ")[:MOST_WORDS])
