"""What the reader of a language finds in a turn (`language/`) becomes candidates: dates are made
absolute, a plan gets the time it is due, what is temporary an end, and nothing is too long."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import partial
from importlib import import_module
from itertools import groupby
from typing import Any, NamedTuple, cast

from loxodon.consolidate.phrases import pattern
from loxodon.language.reader import sentences_of
from loxodon.language.statements import (
    MOST_CHARACTERS,
    MOST_WORDS,
    Fragment,
    Language,
    Mention,
    Statement,
    TurnInContext,
)
from loxodon.text.bounds import CLOSELY, tame
from loxodon.text.dates import Moment, absolute, find_moments, format_date
from loxodon.text.language import language_of
from loxodon.text.things import own_words

# How long what is temporary is kept where it names no day itself
LASTS: dict[str, timedelta] = {"temp": timedelta(days=7), "debug": timedelta(days=14)}
# A plan that was never marked done is let go this long after it was due
AFTER_DUE = timedelta(days=30)
_RECURRING = ("habit", "bedtime", "wake_time")  # Of these `Thursday afternoon` is every Thursday
# Letters of a part, each character counted as three, that tells nothing by itself: `在杭州`
_SHORT = 12
_PARTS = re.compile(r"[,，;；!！]\s?|(?<=[\u4e00-\u9fff])\s|\s(?:and|but|so)\s|\s[-–—]\s", re.I)
_PREPOSITION = re.compile(r"^(?:on|in|at|from) (?=.*\d)")  # Before a date
_NAMED_DAY, _COUNTED_DAY = pattern("named_day"), pattern("counted_day")
_HABIT, _AT_WORK = pattern("habit"), pattern("at_work")


class Candidate(NamedTuple):
    """A statement with all that the store wants to know of it."""

    statement: Statement
    said_at: datetime
    valid_from: datetime | None = None
    due_at: datetime | None = None
    expires_at: datetime | None = None
    # Of what a program passed on: whether the user vouches for it (`guard/provenance.py`)
    vouched: bool = False
    tags: tuple[str, ...] = ()  # Words it should be found by, where a model named some
    # What a model decided that this does to the memory `target`: `update`, `end` or `same`. Empty
    # where that is found by comparing (`reconcile.py`).
    does: str = ""
    target: str = ""

    def to_json(self) -> str:
        kept = {**self._asdict(), "statement": self.statement._asdict()}
        return json.dumps(kept, ensure_ascii=False, default=datetime.isoformat)

    @classmethod
    def from_json(cls, text: str) -> Candidate:
        kept: dict[str, Any] = json.loads(text)
        for name in ("said_at", "valid_from", "due_at", "expires_at"):
            kept[name] = kept[name] and datetime.fromisoformat(kept[name])
        said = kept["statement"]
        said["mentions"] = tuple(
            Mention(name, type, tuple(aliases)) for name, type, aliases in said["mentions"]
        )
        said["over"], said["fragments"] = tuple(said["over"]), tuple(said["fragments"])
        kept["statement"] = Statement(**said)
        kept["tags"] = tuple(kept["tags"])
        # An earlier version, whose run was cut short, may have kept more of it
        return cls(**{name: kept[name] for name in cls._fields})


class ReadTurn(NamedTuple):
    """What a turn says, ready to be compared with the memory."""

    candidates: Sequence[Candidate]
    unclear: Sequence[int]  # The numbers of the fragments that may say more than was understood
    takes_back: bool  # Whether it takes back what was said just before


def rules_for(text: str) -> tuple[str, Language]:
    opening = re.split(r"[\n:：。！？]", text.lstrip(), maxsplit=1)[0][:200]
    language = "zh" if language_of(opening) == "zh" else language_of(text)
    return language, rules_of(language)


def rules_of(language: str) -> Language:
    return cast(Language, import_module(f"loxodon.language.{language}"))


def fragments_of(turn: int, text: str) -> list[Fragment]:
    text = tame(text, CLOSELY)
    return [Fragment(turn, n, *piece) for n, piece in enumerate(rules_for(text)[1].split(text))]


def read(said: TurnInContext) -> ReadTurn:
    """What a turn says, each run of sentences of one language by the rules of that language."""
    found: list[Candidate] = []
    unclear: list[int] = []
    takes_back = False
    runs = _runs(said)
    for language, fragments in runs:
        part = said
        if len(runs) > 1:
            text, first = "".join(one.text for one in fragments), fragments[0] is said.fragments[0]
            part = said._replace(text=text, fragments=fragments, alone=first)
        reading = rules_of(language).read(part)
        if reading.takes_back:
            takes_back, found = takes_back or not found, []
        names = names_in(reading.statements)
        for statement in reading.statements:
            if statement.confidence < 1 and not statement.basis:
                words = [one.text for one in fragments if one.n in statement.fragments]
                statement = statement._replace(basis=" ".join(words))
            found.append(candidate_of(statement, language, said.at, names))
        unclear += reading.unclear
    return ReadTurn(found, unclear, takes_back)


def _runs(said: TurnInContext) -> list[tuple[str, Sequence[Fragment]]]:
    """The sentences of a turn by language; in one run where they may bear on each other."""
    main = rules_for(said.text)[0]
    by_user = (said.text, *(one.content for one in said.before if one.role == "user"))
    tongues: dict[int, str] = {}
    if not said.text.isascii() and not any(map(_AT_WORK.search, by_user)):
        for sentence in sentences_of(said.fragments):
            han, words = _HAN.search(sentence.text), _WORDS.search(sentence.text)
            tongue = main if bool(han) == bool(words) else "zh" if han else "en"
            tongues |= dict.fromkeys(sentence.numbers, tongue)
    by_tongue = groupby(said.fragments, lambda one: tongues.get(one.n, main))
    runs = [(tongue, list(some)) for tongue, some in by_tongue]
    if {main}.issuperset(tongues.values()) or len(runs) > _MOST_RUNS:
        return [(main, said.fragments)]
    for tongue, fragments in runs:
        speech, texts = rules_of(tongue).grammar.speech, [one.text for one in fragments]
        asks = any(speech.type(one) in ("question", "instruction") for one in texts)
        not_so = speech.is_fiction("".join(texts), ()) or any(
            speech.never(one) in _NOT_SO for one in texts
        )
        if asks or not_so:
            return [(main, said.fragments)]
    return [*runs]


_NOT_SO = ("supposed", "dream", "joke", "quoted", "reported")
_MOST_RUNS = 3  # More changes than this are a text in two languages, side by side
_HAN = re.compile("[\u4e00-\u9fff]")
_WORDS = re.compile(r"\b[A-Za-z']{1,20}\b(?:[ ,;-]{1,2}\b[A-Za-z']{1,20}\b){2}")


def names_in(statements: Sequence[Statement]) -> frozenset[str]:
    """The names of people and pets in statements: `Sunday Okafor` and 周一帆 are no days."""
    own = {one.value for one in statements if one.attribute == "name"}
    beings = (who for one in statements for who in one.mentions if who.type in ("person", "pet"))
    return frozenset(own | {who.name for who in beings})


def candidate_of(
    statement: Statement, language: str, at: datetime, names: frozenset[str] | None = None
) -> Candidate:
    """A statement made at `at`, with its dates, and in few enough words."""
    names = names_in([statement]) if names is None else names
    content, value, quoted = statement.content, statement.value, statement.quoted
    said = own_words(content) if quoted else content
    moments = [
        one
        for one in find_moments(said, at)
        if not one.recurring and not _in_name(said, names, one)
    ]
    if quoted:
        moments = [] if _HABIT.search(content) else [o for o in moments if _meant(o, at)]
        ahead = [one for one in moments if (one.until if _limit(said, one) else one.since) > at]
        if statement.category == "fact" and ahead:
            statement = statement._replace(category="plan")
    due = expires = None
    if quoted and _tells_more(content, moments):
        pass  # and that is not over with its date
    elif statement.category == "plan":
        due = next((_due(said, one, at) for one in moments if one.until > at), None)
        expires = due and due + AFTER_DUE
    elif statement.category in LASTS:
        expires = max([one.until for one in moments] + [at + LASTS[statement.category]])
    if quoted and moments:
        named = dict.fromkeys(format_date(one, language) for one in moments)
        content = f"{content} ({', '.join(named)})"
    elif not quoted:
        if statement.attribute not in _RECURRING:
            content, value = (
                absolute(text, at, language, partial(_in_name, text, names))
                for text in (content, value)
            )
        content = fitting(content, language)
    # `in March` may be any March: only what names its year says since when something holds.
    dated = [one for one in find_moments(content, at) if re.search(r"\d{4}", one.text)]
    since = next((one.since for one in dated if one.until <= at), None)
    # What is over is looked for in memories whose dates are absolute.
    days = [_PREPOSITION.sub("", absolute(words, at, language)) for words in statement.over]
    over = tuple(dict.fromkeys((*statement.over, *days)))
    statement = statement._replace(content=content, value=value, over=over)
    return Candidate(statement, at, since, due, expires)


def _in_name(content: str, names: frozenset[str], moment: Moment) -> bool:
    """Whether the words for a day begin within one of the names."""
    return any(
        0 <= moment.start - found.start() < len(name)
        for name in names
        for found in re.finditer(re.escape(name), content)
    )


def _limit(content: str, moment: Moment) -> str:
    """The word that makes a moment one by which something is done: `by`, `before`, 前."""
    ahead = re.search(r"(?i)\b(by|before) (?:on |in |the )?$", content[: moment.start])
    behind = re.match("[之以]?前", content[moment.end :])
    return ahead[1].lower() if ahead else behind[0] if behind else ""


def _due(content: str, moment: Moment, at: datetime) -> datetime:
    """When a plan is late: `before the 30th` as that day begins, 30号前 when it is over."""
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


def _tells_more(content: str, moments: Sequence[Moment]) -> bool:
    """Whether own words have a part of some length without a date in it."""
    said = own_words(content)
    return any(
        len(part) + 2 * sum(map(str.isalpha, part)) * (not part.isascii()) > _SHORT
        and not any(one.text in part for one in moments)
        for part in _PARTS.split(said)
    )


def fitting(content: str, language: str) -> str:
    """`content` if it is short enough, else as many of its whole clauses as are."""
    words = list(content) if language == "zh" else content.split(" ")
    most = MOST_CHARACTERS if language == "zh" else MOST_WORDS
    if len(words) <= most:
        return content
    cut = ("" if language == "zh" else " ").join(words[:most])
    return re.sub(r"[,;，；、。][^,;，；、。]*$", "", cut)
