"""What the reader of a language finds in a turn (`language/`) becomes candidates: dates are made
absolute, a plan gets the time it is due, what is temporary an end, and nothing is too long.

A memory that was written is read too: where its words make one plain statement, what is said later
can confirm it or take its place.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import lru_cache, partial
from importlib import import_module
from itertools import groupby
from typing import Any, NamedTuple, cast

from loxodon.consolidate.entities import learn
from loxodon.consolidate.phrases import pattern, rewritten
from loxodon.language.attributes import IMPORTANCE
from loxodon.language.reader import sentences_of
from loxodon.language.statements import (
    MOST_CHARACTERS,
    MOST_WORDS,
    USER,
    EntityType,
    Fragment,
    Language,
    Mention,
    Statement,
    TurnInContext,
)
from loxodon.store.store import Store
from loxodon.text.bounds import CLOSELY, tame
from loxodon.text.dates import Moment, absolute, find_moments, format_date
from loxodon.text.language import language_of
from loxodon.text.things import own_words
from loxodon.types import GLOBAL_PROJECT, NOTHING, Record

# How long what is temporary is kept where it names no day itself
LASTS: dict[str, timedelta] = {"temp": timedelta(days=7), "debug": timedelta(days=14)}
# A plan that was never marked done is let go this long after it was due
AFTER_DUE = timedelta(days=30)
_RECURRING = ("habit", "bedtime", "wake_time")  # Of these `Thursday afternoon` is every Thursday
# Letters of a part, each character counted as three, that tells nothing by itself: `在杭州`
_SHORT = 12
_PARTS, _PREPOSITION, _DENIED = map(pattern, ("parts", "preposition", "not_on"))
_NAMED_DAY, _COUNTED_DAY = pattern("named_day"), pattern("counted_day")
_AT_WORK, _SINCE, _BARE_DAY = map(pattern, ("at_work", "since", "bare_day"))


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
        mentions = (Mention(name, type, tuple(also)) for name, type, also in said["mentions"])
        kept["statement"] = Statement(**said | {"mentions": tuple(mentions)})
        # An earlier version, whose run was cut short, may have kept more of it
        return cls(**{name: kept[name] for name in cls._fields})


class ReadTurn(NamedTuple):
    """What a turn says, ready to be compared with the memory."""

    candidates: Sequence[Candidate]
    unclear: Sequence[int]  # The numbers of the fragments that may say more than was understood
    takes_back: bool  # Whether it takes back what was said just before

    @property
    def doubtful(self) -> set[int]:
        """The numbers of the fragments that a model should decide."""
        said = [one.statement for one in self.candidates]
        unsure = [one for one in said if one.quoted or one.tentative or one.confidence < 1]
        return {*self.unclear, *(n for one in unsure for n in one.fragments)}


class Asking(NamedTuple):
    """What a run asked a model, and what that changed."""

    questions: int = 0
    asked: int = 0  # messages, or parts of them, that it was asked about
    decided: int = 0  # those of them that it answered in a way that can be believed
    did: Mapping[str, int] = NOTHING  # answers by kind: `add`, `update`, `end`, `same`, `drop`
    refused: Mapping[str, int] = NOTHING  # what was not believed, by the reason
    tokens: Mapping[str, int] = NOTHING  # by task


class ModelAnswer(NamedTuple):
    """What became of what a model was asked about."""

    found: Sequence[tuple[int, Candidate]] = ()  # what it read, by the number of the turn
    settled: Sequence[tuple[int, int]] = ()  # fragments (turn, n) that are decided now
    dropped: Sequence[int] = ()  # the numbers of candidates of the rules that it did not keep
    taken_back: Sequence[Record] = ()  # the same of what the rules had read in an earlier run
    in_vain: Sequence[tuple[int, int]] = ()  # fragments of which it said nothing believable


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
    found, unclear, takes_back = list[Candidate](), list[int](), False
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
        not_so = any(speech.never(one) in _NOT_SO for one in texts)
        if asks or not_so or speech.is_fiction("".join(texts), ()):
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
        if not one.recurring
        and not _in_name(said, names, one)
        and not _DENIED.search(said[: one.start])
    ]
    if quoted:
        again = rules_of(language).grammar.speech.has(content, "habit")
        moments = [] if again else [o for o in moments if _meant(o, at, said)]
        ahead = [one for one in moments if (one.until if _limit(said, one) else one.since) > at]
        if statement.category == "fact" and (ahead or (moments and not _SINCE.search(said))):
            statement = statement._replace(category="plan" if ahead else "event")
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


def _meant(moment: Moment, at: datetime, said: str) -> bool:
    """Whether the day is certain that somebody's own words mean: not that of an hour alone, nor of
    a month or day that is past, of which year they do not say; 周五 where something is over."""
    counted, named = _COUNTED_DAY.search(moment.text), _NAMED_DAY.search(moment.text)
    hour = moment.grain in ("hour", "minute", "part") and not (counted or named)
    if hour or ("了" in said and _BARE_DAY.match(moment.text)):
        return False
    return moment.relative and (moment.since > at or not named or bool(counted))


def _tells_more(content: str, moments: Sequence[Moment]) -> bool:
    """Whether own words have a part of some length without a date in it."""
    return any(
        len(part) + 2 * sum(map(str.isalpha, part)) * (not part.isascii()) > _SHORT
        and not any(one.text in part for one in moments)
        for part in _PARTS.split(own_words(content))
    )


def fitting(content: str, language: str) -> str:
    """`content` if it is short enough, else as many of its whole clauses as are."""
    gap, most = ("", MOST_CHARACTERS) if language == "zh" else (" ", MOST_WORDS)
    words = content.split(gap) if gap else [*content]
    whole = len(words) <= most
    return content if whole else re.sub(r"[,;，；、。][^,;，；、。]*$", "", gap.join(words[:most]))


# What was written, not said

MOST_READ = 300  # Characters; what is longer is more than one statement
_WEIGHED_AS = dict.fromkeys(("config", "solution", "credential"), "decision") | {"debug": "temp"}


def weight_of(category: str) -> float:
    """How much what is of a category matters by itself."""
    return IMPORTANCE.get(_WEIGHED_AS.get(category, category), IMPORTANCE["fact"])


# What is read where nothing is plain
UNREAD = Candidate(Statement("", "", category="", importance=0.0), datetime.min)


def certain(content: str) -> str:
    """A guess as a statement, for when it has turned out true."""
    return re.sub(r"  +", " ", rewritten("certain", content)).strip()


@lru_cache(maxsize=1_000)  # what is kept was read before, to be labelled
def meaning_of(text: str, at: datetime) -> Candidate:
    """What `text`, written at `at`, says; `UNREAD` where that is not plain."""
    if len(text) > MOST_READ or "\n" in text:
        return UNREAD
    # As the user would say it, which is what the rules read
    plain = certain(text)
    found = [one for one, _ in statements_in(rewritten("as_said", plain), at)]
    # `my sister Mei lives in Cork` says also who Mei is, which her memory is filed under.
    subjects = {one.statement.subject for one in found}
    found = [one for one in found if one.statement.value not in subjects]
    if len(found) != 1 or found[0].statement.act not in ("state", "change"):
        return UNREAD
    said = found[0].statement
    named = tuple(one for one in said.mentions if one.name in text and not is_user(one.name))
    subject = USER if is_user(said.subject) else said.subject
    said = said._replace(subject=subject, mentions=named)
    if not said.attribute or said.value not in text:
        said = said._replace(subject="", attribute="", value="", mentions=())
    category = "" if said.category == "fact" else said.category
    basis = text if said.confidence < 1 or plain != text else ""
    return found[0]._replace(statement=said._replace(category=category, basis=basis))


def revised(record: Record, content: str, at: datetime) -> dict[str, Any]:
    """What else of a memory changes when a person gives it other words."""
    old = record.value
    if not old or old not in record.content or old in content:
        return {}
    said = meaning_of(content, at).statement
    same = (said.subject, said.attribute) == (record.subject, record.attribute)
    new = said.value if same else ""
    fields: dict[str, Any] = {"value": new}
    for name in ("tags", "entities"):
        # `花生` is in the tag `花生过敏` too; where the new value is not plain, such a tag goes.
        told = [o for o in getattr(record, name) if o == old or o not in old or o in content]
        names = [one.replace(old, new) if new or old not in one else "" for one in told]
        fields[name] = tuple(dict.fromkeys(filter(None, names)))
    return fields


def is_user(name: str) -> bool:
    return name.casefold() in (USER, "the user", "用户")


def meet(store: Store, said: Statement, record: Record, now: datetime) -> None:
    """Make known whom a memory is about, under the names that are free. Call inside `writing`."""
    type: EntityType = "person" if record.category == "relation" else "other"
    named = [*said.mentions, *(Mention(one, type) for one in record.entities if not is_user(one))]
    if record.project not in ("", GLOBAL_PROJECT):
        named.append(Mention(record.project, "project"))
    known = store.entities_named([alias for one in named for alias in one.aliases])
    mentions = tuple(
        one._replace(aliases=tuple(alias for alias in one.aliases if alias not in known))
        for one in named
    )
    # Only who is known by an alias would be renamed, and such aliases are left out
    learn(store, said._replace(mentions=mentions), now, lambda old, new: None)


def statements_in(text: str, at: datetime) -> list[tuple[Candidate, list[str]]]:
    """What a text that was said at `at` states, each with the sentences that it was read from."""
    text = tame(text)
    try:
        fragments = fragments_of(0, text)
        found = read(TurnInContext(text, at, fragments)).candidates
    except (ValueError, LookupError, AttributeError, RecursionError):
        return []  # the rules stumbled over it, and it is kept by its words
    return [
        (one, [part.text for part in fragments if part.n in one.statement.fragments])
        for one in found
    ]
