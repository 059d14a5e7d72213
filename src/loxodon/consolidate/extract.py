"""What was read becomes candidates: sentences with dates, limits and labels.

The reader of a language says what a turn tells (`language/`); what holds for every language is
here: dates are made absolute, a plan gets the time it is due, what is temporary an end, and nothing
leaves that is too long.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from functools import partial
from importlib import import_module
from typing import NamedTuple, cast

from loxodon.language import worth
from loxodon.language.reader import sentences_of
from loxodon.language.statements import (
    MOST_CHARACTERS,
    MOST_WORDS,
    Fragment,
    Language,
    Statement,
    TurnInContext,
)
from loxodon.text import sentences
from loxodon.text.bounds import CLOSELY, tame
from loxodon.text.dates import Moment, absolute, find_moments, format_date
from loxodon.text.language import language_of

# How long what is temporary is kept where it names no day itself
LASTS: dict[str, timedelta] = {"temp": timedelta(days=7), "debug": timedelta(days=14)}
_RECURRING = ("habit", "bedtime", "wake_time")  # Of these `Thursday afternoon` is every Thursday
# A plan that was never marked done is let go this long after it was due
AFTER_DUE = timedelta(days=30)
_PREPOSITION = re.compile(r"^(?:on|in|at|from) (?=.*\d)")  # Before a date


class Candidate(NamedTuple):
    """A statement with all that the store wants to know of it."""

    statement: Statement
    language: str
    importance: float
    said_at: datetime
    valid_from: datetime | None = None
    due_at: datetime | None = None
    expires_at: datetime | None = None
    # Of what a program passed on: whether the user vouches for it (`guard/first_person.py`)
    vouched: bool = False
    tags: tuple[str, ...] = ()  # Words it should be found by, where a model named some
    # What a model decided that this does to the memory `target`: `update`, `end` or `same`. Empty
    # where that is found by comparing (`reconcile.py`).
    does: str = ""
    target: str = ""


def rules_for(text: str) -> tuple[str, Language]:
    """The language of a text, and its rules.

    Who opens in Chinese speaks Chinese, whatever was pasted behind it.
    """
    opening = re.split(r"[\n:：。！？]", text.lstrip(), maxsplit=1)[0][:200]
    language = "zh" if language_of(opening) == "zh" else language_of(text)
    return language, cast(Language, import_module(f"loxodon.language.{language}"))


def runs(text: str) -> list[str]:
    """A message cut where its sentences change from one language to the other; whole where that may
    be work on a language or another's words: what asks for something, quotes, or spans lines."""
    if text.isascii() or _AT_WORK.search(text):
        return [text]
    found: list[str] = []
    tongues: list[str] = []
    at = 0
    for start, end in sentences.spans(text):
        # The language of a sentence, `both`, or nothing where it has too few words to tell
        sentence = text[start:end]
        han, words = _HAN.search(sentence), _WORDS.search(sentence)
        tongue = "both" if han and words else "zh" if han else "en" if words else ""
        if tongue and tongues and tongue != tongues[-1]:
            found.append(text[at:start])
            at = start
        if tongue and (not tongues or tongue != tongues[-1]):
            tongues.append(tongue)
    found.append(text[at:])
    if "both" in tongues or not 1 < len(found) <= _MOST_RUNS:
        return [text]
    return found if all(map(_is_told, found)) else [text]


def _is_told(run: str) -> bool:
    """Whether sentences of one language only tell something, and that as it is."""
    rules = rules_for(run)[1]
    speech = rules.grammar.speech
    return not speech.is_fiction(run, ()) and not any(
        one.type in ("question", "instruction") or speech.never(one.text) in _NOT_SO
        for one in rules.split(run)
    )


_NOT_SO = ("supposed", "dream", "joke", "quoted")  # What may hold for the sentences around it, too


_MOST_RUNS = 3  # More changes than this are a text in two languages, side by side
_AT_WORK = re.compile(
    r"(?i)[:：\"“”‘「『《»«`>|#{}\[\]<\n]|translat|\b(?:chinese|english|mandarin|sentences?|means?|novel|story|lyrics|poem|script)\b"
    r"|翻译|翻成|译成|英文|英语|中文|汉语|意思|怎么说|例句|造句|句子|课文|练习|口语|小说|故事|剧本|台词|歌词|诗"
)
_HAN = re.compile("[\u4e00-\u9fff]")
_WORDS = re.compile(r"\b[A-Za-z']{1,20}\b(?:[ ,;-]{1,2}\b[A-Za-z']{1,20}\b){2}")


def fragments_of(turn: int, text: str) -> list[Fragment]:
    """What is read closely of a message, cut into fragments."""
    pieces = [piece for run in runs(tame(text, CLOSELY)) for piece in rules_for(run)[1].split(run)]
    return [Fragment(turn, n, *piece) for n, piece in enumerate(pieces)]


def judge_together(messages: Iterable[Sequence[Fragment]]) -> None:
    """Judge what messages tell in one go, which is faster than sentence by sentence."""
    worth.judge_all(
        one.text
        for fragments in messages
        for one in sentences_of(fragments)
        if one.type != "chat" and rules_for(one.text)[1].grammar.speech.tells(one.text)
    )


class ExtractedTurn(NamedTuple):
    """What a turn says, ready to be compared with the memory."""

    candidates: Sequence[Candidate]
    unclear: Sequence[int]  # The numbers of the fragments that may say more than was understood
    takes_back: bool  # Whether it takes back what was said just before


def read(said: TurnInContext) -> ExtractedTurn:
    """What a turn says: each run of sentences of one language is read as a message of its own, as
    nobody in it is known to the others."""
    # A turn as its runs, each with its own fragments
    fragments = list(said.fragments)
    parts: list[TurnInContext] = []
    for run in runs(said.text):
        at, own = 0, []
        while fragments and (at := run.find(fragments[0].text, at)) >= 0:
            at += len(fragments[0].text)
            own.append(fragments.pop(0))
        parts.append(said._replace(text=run, fragments=own, alone=not parts))
    if len(parts) == 1:
        return _read(said)
    if any(_AT_WORK.search(one.content) for one in said.before if one.role == "user"):
        language = rules_for(said.text)[0]
        parts = [one for one in parts if rules_for(one.text)[0] == language]
    found: list[Candidate] = []
    unclear: list[int] = []
    taken_back = False
    for one in map(_read, parts):
        if one.takes_back:
            taken_back, found = taken_back or not found, []
        found += one.candidates
        unclear += one.unclear
    return ExtractedTurn(found, unclear, taken_back)


def _read(said: TurnInContext) -> ExtractedTurn:
    language, rules = rules_for(said.text)
    reading = rules.read(said)
    found, names = [], names_in(reading.statements)
    for statement in reading.statements:
        if statement.confidence < 1 and not statement.basis:
            words = [one.text for one in said.fragments if one.n in statement.fragments]
            statement = statement._replace(basis=" ".join(words))
        found.append(candidate_of(statement, language, statement.importance, said.at, names))
    return ExtractedTurn(found, reading.unclear, reading.takes_back)


def names_in(statements: Sequence[Statement]) -> frozenset[str]:
    """The names of people and pets in statements: `Sunday Okafor` and 周一帆 are no days."""
    own = {one.value for one in statements if one.attribute == "name"}
    beings = (who for one in statements for who in one.mentions if who.type in ("person", "pet"))
    return frozenset(own | {who.name for who in beings})


def _in_name(content: str, names: frozenset[str], moment: Moment) -> bool:
    """Whether the words for a day begin within one of the names."""
    return any(
        0 <= moment.start - found.start() < len(name)
        for name in names
        for found in re.finditer(re.escape(name), content)
    )


def candidate_of(
    statement: Statement,
    language: str,
    importance: float,
    at: datetime,
    names: frozenset[str] | None = None,
) -> Candidate:
    """A statement made at `at`, with its dates, and in few enough words; `names` are those of all
    that was said with it."""
    names = names_in([statement]) if names is None else names
    moments = [
        one
        for one in find_moments(statement.content, at)
        if not one.recurring and not _in_name(statement.content, names, one)
    ]
    if statement.quoted:
        moments = [] if _HABIT.search(statement.content) else [o for o in moments if _meant(o, at)]
        ahead = [o for o in moments if (o.until if _limit(statement.content, o) else o.since) > at]
        if statement.category == "fact" and ahead:
            statement = statement._replace(category="plan")
    due = expires = None
    if statement.quoted and _tells_more(statement.content, moments):
        pass  # and that is not over with its date
    elif statement.category == "plan":
        due = next((_due(statement.content, one, at) for one in moments if one.until > at), None)
        expires = due and due + AFTER_DUE
    elif statement.category in LASTS:
        expires = max([one.until for one in moments] + [at + LASTS[statement.category]])
    content, value = statement.content, statement.value
    if statement.quoted and moments:
        named = dict.fromkeys(format_date(one, language) for one in moments)
        content = f"{content} ({', '.join(named)})"
    elif not statement.quoted and statement.attribute not in _RECURRING:
        stays = partial(_stays, language, names)
        content = absolute(content, at, language, partial(stays, content, statement.category))
        value = absolute(value, at, language, partial(stays, value, "fact"))
    content = content if statement.quoted else fitting(content, language)
    # `in March` may be any March: only what names its year says since when something holds.
    dated = [one for one in find_moments(content, at) if re.search(r"\d{4}", one.text)]
    since = next((one.since for one in dated if one.until <= at), None)
    # What is over is looked for in memories whose dates are absolute.
    days = [absolute(words, at, language) for words in statement.over]
    over = tuple(dict.fromkeys((*statement.over, *(_PREPOSITION.sub("", day) for day in days))))
    statement = statement._replace(content=content, value=value, over=over)
    return Candidate(statement, language, importance, at, since, due, expires)


def _limit(content: str, moment: Moment) -> str:
    """The word that makes a moment one by which something is done: `by`, `before`, 前."""
    ahead = re.search(r"(?i)\b(by|before) (?:on |in |the )?$", content[: moment.start])
    behind = re.match("[之以]?前", content[moment.end :])
    return ahead[1].lower() if ahead else behind[0] if behind else ""


def _due(content: str, moment: Moment, at: datetime) -> datetime:
    """When a plan is late: `before the 30th` when that day begins, but `before the end of May` when
    May is over. 30号前 may include the day, though not 五点前 the hour."""
    limit = _limit(content, moment)
    begins = limit == "before" or (limit not in ("", "by") and moment.grain in ("hour", "minute"))
    if begins and moment.since > at and not re.search(r"(?i)\bend\b", moment.text):
        return moment.since
    return moment.until


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
# Letters of a part, each character counted as three, that tells nothing by itself: `在杭州`
_SHORT = 12


def _tells_more(content: str, moments: Sequence[Moment]) -> bool:
    """Whether own words have a part of some length without a date in it."""
    said = content.split("“", 1)[-1].rstrip("”")
    return any(
        len(part) + 2 * sum(map(str.isalpha, part)) * (not part.isascii()) > _SHORT
        and not any(one.text in part for one in moments)
        for part in _PARTS.split(said)
    )


def _stays(
    language: str, names: frozenset[str], content: str, category: str, moment: Moment
) -> bool:
    """Whether an hour or a weekday is said of no day: `gets up at 5:30`, `works Monday to Friday`,
    `the second Tuesday`, `a 7:15 mile`, or is part of a name."""
    named = _in_name(content, names, moment)
    if named or language != "en":
        return named
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


def fitting(content: str, language: str) -> str:
    """`content` if it is short enough, else as many of its whole clauses as are."""
    words, most = (content, MOST_CHARACTERS) if language == "zh" else (content.split(), MOST_WORDS)
    if len(words) <= most:
        return content
    marks = "，；、。, " if language == "zh" else ",;. "
    cut = (
        content[: MOST_CHARACTERS + 1]
        if language == "zh"
        else " ".join(content.split(" ")[:MOST_WORDS])
    )
    for mark in marks:
        at = cut.rfind(mark)
        if at > len(cut) // 3:
            return cut[:at].rstrip(" ,;，；、。")
    return cut[:MOST_CHARACTERS] if language == "zh" else cut
