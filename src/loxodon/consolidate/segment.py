"""Segments: stretches of a conversation that are about one thing; and the events of a day.

A pause of over half an hour cuts, and so does a change of topic: somebody says so (`换个话题`, `on
another note`), or the exchanges before and after have next to nothing in common, while those on
either side do. Nothing is cut between a question and its answer. What is kept of a segment is
without small talk and repetitions, and without what says least.

An event is what a session was about on one day, in one line of clauses that the user said. Nothing
is invented, and neither code nor keys are shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from datetime import timedelta
from functools import lru_cache
from itertools import groupby, islice, pairwise
from math import ceil
from typing import NamedTuple

from loxodon.consolidate.phrases import any_of, pattern, phrases
from loxodon.consolidate.read import rules_of
from loxodon.guard import provenance
from loxodon.language import worth
from loxodon.text.bounds import tame
from loxodon.text.keywords import quick
from loxodon.text.language import language_of
from loxodon.text.sentences import split
from loxodon.text.wordlists import CHINESE_CHARACTERS, CHINESE_PROTECTED, CHINESE_WORDS, FILLERS
from loxodon.text.words import fold, index_words
from loxodon.tokens import Counter as TokenCounter
from loxodon.types import GENERAL_TOPIC, ROLES, Event, Segment, Turn

PAUSE = timedelta(minutes=30)
_LEAST = 3  # Turns on either side of a change that only the words show
_LEAST_ANNOUNCED = 2  # Turns before a change that somebody announces
_WINDOW = 3  # Exchanges on either side that are compared
_LEAST_TAGS, _MOST_TAGS, _LONGEST_TAG = 3, 6, 40

_OPENINGS = rf"(?>(?:{'|'.join(phrases()['openings'])})[\s,，.。!！]+)*+"
_ANNOUNCED, _HINTED = pattern("announced", _OPENINGS), pattern("hinted", _OPENINGS)
_CUTS, _LEAD, _DANGLING = pattern("cuts"), pattern("lead"), pattern("dangling")


class TurnSegment(NamedTuple):
    """Turns of one session that are about one thing, and the segment that is kept of them."""

    said: Sequence[Turn]
    kept: Segment


class Sentence(NamedTuple):
    """A sentence with the words that it is weighed by."""

    text: str
    words: Sequence[str]  # Its `index_words`
    own: bool = True  # Said by the user


def number(turn: Turn) -> int:
    return int(turn.ref[2:])


def said_in(turn: Turn) -> Sequence[Sentence]:
    return sentences_of(turn.content, turn.role == "user")


@lru_cache(maxsize=2_000)  # each step of a run asks for the same
def sentences_of(text: str, own: bool = True) -> Sequence[Sentence]:
    return [Sentence(one, index_words(one), own) for one in split(tame(text))]


def segments(turns: Sequence[Turn]) -> list[TurnSegment]:
    """The segments of one session, whose turns are in order; none of what is only small talk."""
    pauses = [n for n in range(1, len(turns)) if turns[n].at - turns[n - 1].at > PAUSE]
    stretches = [turns[a:b] for a, b in zip([0, *pauses], [*pauses, len(turns)], strict=True)]
    cuts = [_segment(part) for one in stretches if one for part in _by_topic(one)]
    return [one for one in cuts if one.kept.text]


def _by_topic(turns: Sequence[Turn]) -> Iterator[Sequence[Turn]]:
    """A stretch without a pause, cut where its topic changes."""
    # The turn that each exchange begins with
    starts = [0, *(n for n in range(1, len(turns)) if _begins(turns[n - 1], turns[n]))]
    exchanges = [turns[a:b] for a, b in zip(starts, [*starts[1:], None], strict=True)]
    words = [
        {w for turn in one for said in said_in(turn) for w in said.words if _tells(w)}
        for one in exchanges
    ]
    first = 0
    for n in range(1, len(starts)):
        opening, length = turns[starts[n]], starts[n] - starts[first]
        before, after = words[max(first, n - _WINDOW) : n], words[n : n + _WINDOW]
        common = len(set().union(*before) & set().union(*after))
        together = sum(len(a & b) for side in (before, after) for a, b in pairwise(side))
        if _opens_with(opening, _ANNOUNCED):
            changes = length >= _LEAST_ANNOUNCED
        elif _opens_with(opening, _HINTED):
            changes = length >= _LEAST_ANNOUNCED and common <= 1
        else:
            least = min(length, len(turns) - starts[n])
            changes = least >= _LEAST and common == 0 and together >= 2
        if changes:
            yield turns[starts[first] : starts[n]]
            first = n
    yield turns[starts[first] :]


def _opens_with(turn: Turn, like: re.Pattern[str]) -> bool:
    """Whether a turn opens so; a word of thanks may come first."""
    return any(like.match(one.text) for one in said_in(turn)[:2])


def _begins(before: Turn, turn: Turn) -> bool:
    """Whether an exchange begins with `turn`: a user says it, and not in answer to a question."""
    if turn.role != "user":
        return False
    same = (before.role, before.speaker) == (turn.role, turn.speaker)
    if same or not is_question(before.content) or _opens_with(turn, _ANNOUNCED):
        return True
    return any(is_question(one.text) for one in said_in(turn))


def _tells(word: str) -> bool:
    """Whether a word says something of a topic."""
    if word in CHINESE_WORDS or word in _FILLERS:
        return False
    if word[0] < "\u3400":
        return len(word) > 2 and not word.isdigit()
    return len(word) > 1 and (word in CHINESE_PROTECTED or CHINESE_CHARACTERS.isdisjoint(word))


_FILLERS = frozenset().union(*map(index_words, FILLERS))


# What is worth keeping

KEEP = 0.75
_LONGEST_SMALL_TALK = 80  # Characters
_TOLD, _ASKED = 0.1, 0.7  # What is said to the user weighs so much; and what asks, of its weight
_MOST_SIGNS = 0.12  # Of the characters of what is no code

_ASKS, _LAUGHTER, _DRAWN_OUT = map(pattern, ("asks", "laughter", "drawn_out"))
_LINK_OR_KEY, _SIGN = map(pattern, ("link_or_key", "sign"))
_REPLY = re.compile(rf"[\W_]*{any_of('replies')}")
_SMALL_TALK = re.compile(rf"[\W_]*+(?:{any_of('replies', 'small_talk')}[\W_]*+)*+")


def kept(sentences: Sequence[Sentence], keep: float = KEEP) -> list[int]:
    """The places of the share `keep` of `sentences` that tells most; none of small talk."""
    said: dict[str, int] = {}
    for n, one in enumerate(sentences):
        speech = rules_of(language_of(one.text)).grammar.speech
        passing = is_small_talk(one.text) or (one.own and speech.never(one.text) == "mood")
        if passing and not _answers(sentences, n):
            continue
        words = re.sub(r"[^\w+#]+", " ", _sounded(one.text)).strip()
        known = said.setdefault(words, n)
        if one.own and not sentences[known].own:  # said by both sides, the user's stays
            said[words] = n
    telling = sorted(said.values())
    most = ceil(len(telling) * keep)
    if most == len(telling):
        return telling
    # What the user said weighs what it is worth, what was said to them less
    left = [sentences[n] for n in telling]
    worth.judge_all(one.text for one in left if one.own)
    weights: list[float] = []
    for n, one in enumerate(left):
        judged = worth.judge(one.text) if one.own else None
        weight = max(judged.keep + judged.referring, _TOLD) if judged else _TOLD
        weight *= _ASKED if is_question(one.text) else 1
        weights.append(max(weight, weights[-1]) if n and _answers(left, n) else weight)
    heaviest = sorted(range(len(telling)), key=lambda i: (-weights[i], i))
    return sorted(telling[i] for i in heaviest[: max(1, most)])


def is_question(text: str) -> bool:
    return _ASKS.search(text[-40:]) is not None


def is_small_talk(text: str) -> bool:
    """Whether a sentence is nothing but phrases that greet, thank, agree, laugh or fill a pause."""
    return len(text) <= _LONGEST_SMALL_TALK and bool(_SMALL_TALK.fullmatch(_sounded(text)))


def _answers(sentences: Sequence[Sentence], place: int) -> bool:
    """Whether a sentence is a bare yes or no to the question before it."""
    asked = place and is_question(sentences[place - 1].text)
    return bool(asked and _REPLY.match(_sounded(sentences[place].text)))


def _sounded(text: str) -> str:
    """A text without what only draws a sound out: hmmmm, 哈哈哈哈"""
    return _LAUGHTER.sub("haha", _DRAWN_OUT.sub(r"\1", fold(text)))


def _sayable(text: str) -> str:
    """A sentence as it may be shown in a headline: without links and keys; empty if it is code."""
    signs = len(_SIGN.findall(text))
    if text.startswith(("```", "~~~")) or (signs > 2 and signs > _MOST_SIGNS * len(text)):
        return ""
    return " ".join(_LINK_OR_KEY.sub(" ", text).split())


def _segment(turns: Sequence[Turn]) -> TurnSegment:
    sentences = [(turn, one) for turn in turns for one in said_in(turn)]
    chosen = [sentences[n] for n in kept([one for _, one in sentences])]
    # The keywords of what the user said; of what others said, where that gives too few
    tags = _keywords(one.text for _, one in chosen if one.own)
    if len(tags) < _LEAST_TAGS:
        tags += _keywords(one.text for _, one in chosen if not one.own)
        tags = list(dict.fromkeys(tags))[:_LEAST_TAGS]
    first, last = turns[0], turns[-1]
    text = "\n".join(_line(*one) for one in chosen)
    about = tags[0] if tags else GENERAL_TOPIC, tuple(tags), text
    segment = Segment(first.session, number(first), number(last), first.at, last.at, *about)
    return TurnSegment(turns, segment)


def _keywords(sentences: Iterable[str]) -> list[str]:
    found = quick("\n".join(map(_sayable, sentences)), _MOST_TAGS)
    return [one for one in found if len(one) <= _LONGEST_TAG and not is_small_talk(one)]


def _line(turn: Turn, sentence: Sentence) -> str:
    """A sentence, and who said it where it was not the user."""
    named = turn.speaker and turn.speaker not in ROLES
    mark = ("" if turn.role == "user" else "> ") + (f"{turn.speaker}: " if named else "")
    return mark + sentence.text


# Events

LONGEST = 200  # Characters of a line
_SAME = 0.6  # A note is left out if so much of it is said by another
_MOST_CLAUSES = 400  # Clauses of a segment that are looked at: a pasted page has thousands
_LEAST_WEIGHT = 2.0  # Of a note that is not the best of its segment
_LENGTHS = {"zh": (3, 24), "en": (2, 14)}  # Characters or words of a note
_CHARACTER_OR_WORD = re.compile(r"[\u3400-\u9fff]|[^\W\u3400-\u9fff]+")
_COUNTS = {"asked": 1.0, "told": 1.5, "lasting": 1.5, "done": 3.0}  # By kind of what is said
# What nobody wants to read of a day: how it felt at the moment
_PASSING = ("mood", "reaction", "encouragement", "doing now")


class _Note(NamedTuple):
    text: str
    words: frozenset[str]
    weight: float
    is_best: bool = False  # Of its segment


def events_of(segments: Sequence[TurnSegment], count: TokenCounter) -> list[Event]:
    """An event for each session and day of `segments`, by the clock of who spoke, in order."""
    found = []
    days = groupby(segments, key=lambda one: (one.kept.session, f"{one.kept.started_at:%Y-%m-%d}"))
    for (session, date), group in days:
        of_day = list(group)
        turns = [turn for one in of_day for turn in one.said]
        speaking = [turn for turn in turns if turn.role == "user"] or turns
        roles = {turn.role for turn in speaking}
        if summary := _line_of([note for one in of_day for note in _notes(one, roles)]):
            sender = next((turn.speaker for turn in speaking if turn.speaker), "")
            tokens = sum(count(turn.content) for turn in turns)
            trust = provenance.least(map(provenance.content_origin, speaking))
            about = of_day[0].kept.started_at, session, turns[0].channel, sender, summary
            found.append(Event(date, *about, tokens, trust, agent=turns[0].agent))
    return found


def _line_of(notes: Sequence[_Note]) -> str:
    """The best note of each segment, then what else fits and says something new, in order."""
    mark = "；" if language_of("".join(one.text for one in notes)) == "zh" else "; "
    chosen: list[int] = []
    room = LONGEST
    for n in sorted(range(len(notes)), key=lambda n: (not notes[n].is_best, -notes[n].weight, n)):
        cost = len(notes[n].text) + len(mark) * bool(chosen)
        said, least = notes[n].words, _SAME * len(notes[n].words)
        if cost <= room and not any(len(said & notes[m].words) >= least for m in chosen):
            chosen.append(n)
            room -= cost
    return mark.join(notes[n].text for n in sorted(chosen))


def _notes(segment: TurnSegment, roles: Set[str]) -> list[_Note]:
    said = [one for one in segment.said if one.role in roles]
    tags, topic = segment.kept.tags, segment.kept.topic
    found = []
    clauses = list(islice(_clauses(said), _MOST_CLAUSES))
    busy = any(kind == "done" for _, kind in clauses)
    for text, kind in clauses:
        # It must be able to stand by itself in a list of notes
        language = language_of(text)
        length = len(_CHARACTER_OR_WORD.findall(text)) if language == "zh" else text.count(" ") + 1
        least, most = _LENGTHS[language]
        fits = least <= length <= most or text in tags
        if not fits or (busy and kind == "lasting") or _DANGLING.match(text) or is_small_talk(text):
            continue
        words, folded = frozenset(index_words(text)), fold(text)
        # How much a note says of what its segment is about, the first keywords counting most
        weight = sum(2 - n / len(tags) for n, tag in enumerate(tags) if fold(tag) in folded)
        weight += 0.15 * min(len(words), 6) + 0.5 * any(map(str.isdigit, text))
        found.append(_Note(text, words, _COUNTS[kind] * weight))
    if found:
        best = max(found, key=lambda one: one.weight)
        found = [one for one in found if one.weight >= min(best.weight, _LEAST_WEIGHT)]
        return [one._replace(is_best=one is best) for one in found]
    named = any(fold(topic) in fold(text) for turn, text in _told(said))
    return [_Note(topic, frozenset(index_words(topic)), 0.0, is_best=True)] if named else []


def _clauses(said: Sequence[Turn]) -> Iterator[tuple[str, str]]:
    """What was said, clause by clause without what leads up to them, and of which kind it is."""
    for turn, sentence in _told(said):
        speech = rules_of(language_of(turn.content)).grammar.speech
        if is_small_talk(sentence) or speech.never(sentence) in _PASSING:
            continue
        kind = "done" if speech.kind(sentence) else "asked" if is_question(sentence) else "told"
        if kind == "told" and (speech.tells(sentence) or worth.judge(sentence).keep >= worth.LEAST):
            kind = "lasting"  # what the user is like is so every day
        for clause in _CUTS.split(_sayable(sentence)):
            text = _LEAD.sub("", clause.strip(), count=1).strip(" ,，.。!！?？~～…*_-")
            if text and speech.never(text) not in _PASSING:
                yield text, kind


def _told(said: Sequence[Turn]) -> Iterator[tuple[Turn, str]]:
    """What was said, sentence by sentence; of what a program passed on, without orders."""
    for turn in said:
        for one in said_in(turn):
            if turn.origin != "relayed" or provenance.is_of_oneself(one.text):
                yield turn, one.text
