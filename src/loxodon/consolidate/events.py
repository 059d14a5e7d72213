"""What a conversation was about, in one line: the note that a day is remembered by.

A note is a clause that the user said, without what leads up to it: `allergic to peanuts` of
`ok so i'm allergic to peanuts`. Each segment gives its best one first, the rest of the line goes to
the best of what is left. Nothing is invented, and neither code nor keys are shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import import_module
from itertools import groupby, islice
from typing import NamedTuple

from loxodon.consolidate.denoise import is_question, is_small_talk, sayable
from loxodon.consolidate.segment import TurnSegment
from loxodon.guard import provenance
from loxodon.guard.provenance import is_of_oneself
from loxodon.text.language import language_of
from loxodon.text.sentences import split
from loxodon.text.words import fold, index_words
from loxodon.tokens import Counter
from loxodon.types import Event, Turn

LONGEST = 200  # Characters of a line


def events_of(segments: Sequence[TurnSegment], count: Counter) -> list[Event]:
    """An event for each session and day of `segments` on which anything was said, in their order.

    The day is that of whoever spoke, by the clock on their wall.
    """
    days = groupby(segments, key=lambda one: (one.session, f"{one.started:%Y-%m-%d}"))
    events = [_event(date, list(group), count) for (_, date), group in days]
    return [event for event in events if event.summary]


def _event(date: str, segments: Sequence[TurnSegment], count: Counter) -> Event:
    turns = [turn for one in segments for turn in one.turns]
    speaking = _speaking(turns)
    return Event(
        date=date,
        at=segments[0].started,
        channel=turns[0].channel,
        sender=next((turn.speaker for turn in speaking if turn.speaker), ""),
        session=segments[0].session,
        summary=event_line(turns, segments),
        tokens=sum(count(turn.content) for turn in turns),
        trust=provenance.least(map(provenance.content_origin, speaking)),
        agent=turns[0].agent,
    )


def _speaking(turns: Sequence[Turn]) -> list[Turn]:
    """The turns of the user; where there is none, all."""
    return [turn for turn in turns if turn.role == "user"] or list(turns)


class _Note(NamedTuple):
    place: int  # Where it stands among all notes
    segment: int
    text: str
    words: frozenset[str]
    weight: float


def event_line(turns: Sequence[Turn], segments: Sequence[TurnSegment]) -> str:
    """What `turns`, cut into `segments`, were about: at most `LONGEST` characters, or nothing.

    In the language that most of what the user said is in.
    """
    speaking = _speaking(turns)
    language = _language(speaking)
    mark = "；" if language == "zh" else "; "
    chosen: list[_Note] = []
    room = LONGEST
    for note in _ranked(_notes(segments, {turn.role for turn in speaking}, language)):
        cost = len(note.text) + len(mark) * bool(chosen)
        # Left out if most of what it says is said by another
        if cost <= room and not any(
            len(note.words & other.words) >= _SAME * len(note.words) for other in chosen
        ):
            chosen.append(note)
            room -= cost
    return mark.join(note.text for note in sorted(chosen))


def _language(turns: Sequence[Turn]) -> str:
    words = dict.fromkeys(("en", "zh"), 0)
    for turn in turns:
        text = turn.content[:_SAMPLE]
        words[language_of(text)] += len(_CHARACTER_OR_WORD.findall(text))
    return max(words, key=lambda language: words[language])


_SAMPLE = 400  # Characters of a turn that count for the language: a pasted page is not the user's


def _ranked(notes: Sequence[_Note]) -> list[_Note]:
    """The best note of each segment, then the best of what is left."""
    best: dict[int, _Note] = {}
    for note in notes:
        if note.segment not in best or note.weight > best[note.segment].weight:
            best[note.segment] = note
    first = set(best.values())
    return sorted(notes, key=lambda note: (note not in first, -note.weight, note.place))


_SAME = 0.6


# --- notes --------------------------------------------------------------------------------------

_MOST_CLAUSES = 400  # Clauses of a segment that are looked at: a pasted page has thousands
_LEAST_WEIGHT = 2.0  # Of a note that is not the best of its segment
_STATED = 1.5
_NUMBERED = 0.5
_A_WORD = 0.15
_MOST_COUNTED = 6


def _notes(segments: Sequence[TurnSegment], roles: set[str], language: str) -> list[_Note]:
    found: list[_Note] = []
    for n, segment in enumerate(segments):
        said = [_said(turn) for turn in segment.turns if turn.role in roles]
        here = _notes_of(said, segment.tags, language) or _topic_of(said, segment.topic)
        found += [note._replace(place=len(found) + i, segment=n) for i, note in enumerate(here)]
    return found


def _said(turn: Turn) -> str:
    """The words of a turn; of what a program passed on, without what reads like an order."""
    if turn.origin != "relayed":
        return turn.content
    return "\n".join(filter(is_of_oneself, split(turn.content)))


def _notes_of(said: Sequence[str], tags: Sequence[str], language: str) -> list[_Note]:
    fitting = [text for text in said if language_of(text) == language]
    found = []
    for clause in islice(_clauses(fitting, language), _MOST_CLAUSES):
        text = _trimmed(clause, language)
        if _is_note(text, tags, language):
            words = frozenset(index_words(text))
            # How much a note says of what its segment is about, the first keywords counting most
            folded = fold(text)
            weight = sum(2 - n / len(tags) for n, tag in enumerate(tags) if fold(tag) in folded)
            weight += _A_WORD * min(len(words), _MOST_COUNTED)
            weight += _NUMBERED * any(map(str.isdigit, text))
            weight = weight if is_question(clause) else weight * _STATED
            found.append(_Note(0, 0, text, words, weight))
    heaviest = max((note.weight for note in found), default=0.0)
    return [note for note in found if note.weight >= min(heaviest, _LEAST_WEIGHT)]


def _topic_of(said: Sequence[str], topic: str) -> list[_Note]:
    """The topic as the only note, if the user named it: what was said made none."""
    if fold(topic) not in fold("\n".join(said)):
        return []
    return [_Note(0, 0, topic, frozenset(index_words(topic)), 0.0)]


def _clauses(texts: Sequence[str], language: str) -> Iterator[str]:
    cut = _cuts(language)
    speech = import_module(f"loxodon.language.{language}").grammar.speech
    for text in texts:
        for sentence in split(text):
            if is_small_talk(sentence) or speech.never(sentence) in _PASSING:
                continue
            asked = "?" if is_question(sentence) else ""
            for clause in cut.split(sayable(sentence)):
                for part in _parts(clause.strip(), language):
                    if speech.never(part) not in _PASSING:
                        yield part + asked


# What nobody wants to read of a day: how it felt at the moment
_PASSING = ("mood", "reaction", "encouragement", "doing now")


def _parts(clause: str, language: str) -> list[str]:
    """A clause, or what it is made of where it is too long for a note."""
    if _length(clause, language) <= _LENGTHS[language][1]:
        return [clause] if clause else []
    return [part for one in _joints(language).split(clause) if (part := one.strip())]


def _is_note(text: str, tags: Sequence[str], language: str) -> bool:
    """Whether a trimmed clause can stand by itself in a list of notes."""
    if _DANGLING.match(text) or is_small_talk(text):
        return False
    least, most = _LENGTHS[language]
    return least <= _length(text, language) <= most or text in tags


def _length(text: str, language: str) -> int:
    return len(_CHARACTER_OR_WORD.findall(text)) if language == "zh" else text.count(" ") + 1


_CHARACTER_OR_WORD = re.compile(r"[\u3400-\u9fff]|[^\W\u3400-\u9fff]+")

# Characters of a Chinese note, words of an English one: what is shorter says too little
_LENGTHS = {"zh": (3, 24), "en": (2, 14)}
# What a clause begins with that nobody understands without the one before it
_DANGLING = re.compile(
    r"(?:its?|that|thats|this|these|those|he|she|they|them|him|her|his|you|your|there|which|what|so"
    r"|if)\b|[他她它你您这那哪]|如果|要是|假如",
    re.IGNORECASE,
)


@cache
def _cuts(language: str) -> re.Pattern[str]:
    if language == "zh":
        han = "[\u3400-\u9fff]"
        return re.compile(rf"[，,；;：。！？!?…～~—\n]+|:(?=\s|$)|(?<={han})\s+(?={han})")
    begins = (
        r"(?=(?:i(?! (?:are|were|aren'?t|weren'?t)\b)|we|my|our|he|she|they|it|now|then|pls|please"
        r"|can|what|how|no|don'?t)\b)"
    )
    return re.compile(
        r"[;!?…\n]+|[,:](?=\s|$)|\s[-–—]+\s|\s(?:but|because|cos|although|though)\s"
        rf"|\s(?:and|so)\s{begins}",
        re.IGNORECASE,
    )


@cache
def _joints(language: str) -> re.Pattern[str]:
    if language == "zh":
        return re.compile(r"(?=然后|但是?|所以|因为|而且|不过|还有|就是|后来|结果)|\s+")
    return re.compile(r"\s(?:and|or|so|who|which|where|when|while|then|that)\s", re.IGNORECASE)


def _trimmed(clause: str, language: str) -> str:
    """A clause without what leads up to it and trails off."""
    text = _LEAD[language].sub("", clause.rstrip("?？"), count=1)
    text = _TRAIL.sub("", text.strip(" ,，.。!！~～…*_-")).strip()
    for pair in ("“”", "‘’", "（）", "()", "「」", "《》"):
        if text.count(pair[0]) != text.count(pair[1]):
            text = text.replace(pair[0], "").replace(pair[1], "")
    return text.replace('"', "") if text.count('"') % 2 else text


_TRAIL = re.compile(
    r"(?>(?:[^\w%）)”’\"」》+#]|[吗呢吧啊呀哦嘛啦哈诶]"
    r"|\s(?:lol|haha|tbh|btw|though|right|please|pls|ok|anyway)\b)+)\Z"
)


_LEAD = {
    "en": re.compile(
        r"(?>(?:ok|okay|so|well|um|uh|erm|right|hey|hi|hello|oh|omg|and|but|also|btw|by the way"
        r"|plus|anyway|actually|honestly|basically|yeah|yep|yes|fyi|lol|just|because|cos|now|apparently"
        r"|(?:quick |small )?update|good news|reminder that|remember(?: that)?|as you know|thanks"
        r"|i (?:think|guess|mean|believe|know|said)(?: that)?|note that|don'?t forget(?: that)?"
        r"|no(?=[,.!])|there(?:'s| is) a chance(?: that)?|did you know(?: that)?"
        r"|they(?:'ve| have)(?= \w+ (?:my|our)\b))"
        r"\b[\s,:.!]*)*+"
        r"(?>(?:can|could|would|will) (?:you|u|i)(?: please| pls)?\s+|please\s+|pls\s+)?+"
        r"(?>(?:help|find|give|tell|show|make|write|get|plan|teach|remind) (?:me|us)"
        r"(?: (?:to|with|about|of|understand|find|write|plan))?\s+"
        r"|(?:i|we)(?:'d| would) (?:like|love) (?:to |some )?(?:help with )?"
        r"|(?:i|we) (?:need|want)(?: (?:some |your )?help(?: with)?| to| you to)?\s+"
        r"|how (?:do|can|should|would|to) ?(?:i|we|you)?\s+"
        r"|what(?:'s| is| are) |do you know (?:anything about |if )?"
        r"|any (?:tips|advice|ideas|suggestions|recommendations) (?:on|for|about) )?+"
        r"(?>(?:i|we)(?:['’](?:m|ve|d|ll|re)|m|ve)?\b\s*(?:(?:am|(?:have|had)(?! to\b)|was|were"
        r"|will|would|are|been|just|also|finally|really|actually|always|recently|mostly)\b\s*)*+)?+"
        r"(?>(?:a|an|the|some|my|our)\b\s+)?+",
        re.IGNORECASE,
    ),
    "zh": re.compile(
        r"(?>(?:嗯+|哦+|啊+|哎呀?|唉|诶|欸|喂|嗨|[呵哈]+|等等|对了|话说|另外|还有|顺便|反正|其实|就是说?"
        r"|然后呢?|所以|但是?|不过|而且|因为|那个|那么|那(?=我)|好的|行吧?|ok|告诉你个?[好坏]?消息"
        r"|[跟和]你[说讲]个?件?事?|记住|别忘了?|提醒我|我觉得|我跟你[说讲]哈?)[\s，,：:、]*)*+"
        r"(?>(?:你?能不能|可不可以|可以|能|请|麻烦你?|想)?(?:帮我|给我|替我|教我)|请问|麻烦你?)?+"
        r"(?>我们?不是(?=.{1,40}[嘛吗么]\Z)|我们?(?=[在是对要想有喜不没今明后下上最刚已也就还用住做去买把被给从跟和养学开吃喝打得报换入"
        r"搬考写准计决参负现]))?+",
        re.IGNORECASE,
    ),
}
