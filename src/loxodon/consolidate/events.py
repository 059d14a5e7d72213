"""What a conversation was about, in one line: the note that a day is remembered by.

A note is a clause that the user said, without what leads up to it: `allergic to peanuts` of
`ok so i'm allergic to peanuts`. Each segment gives its best one first, the rest of the line goes to
the best of what is left. Nothing is invented, and neither code nor keys are shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
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
_SAME = 0.6  # A note is left out if so much of it is said by another
_SAMPLE = 400  # Characters of a turn that count for the language: a pasted page is not the user's
_MOST_CLAUSES = 400  # Clauses of a segment that are looked at: a pasted page has thousands
_LEAST_WEIGHT = 2.0  # Of a note that is not the best of its segment
_LENGTHS = {"zh": (3, 24), "en": (2, 14)}  # Characters or words of a note
# What nobody wants to read of a day: how it felt at the moment
_PASSING = ("mood", "reaction", "encouragement", "doing now")


class _Note(NamedTuple):
    text: str
    words: frozenset[str]
    weight: float
    is_first: bool = False  # The best of its segment


def events_of(segments: Sequence[TurnSegment], count: Counter) -> list[Event]:
    """An event for each session and day of `segments` on which anything was said, in their order.

    The day is that of whoever spoke, by the clock on their wall.
    """
    found = []
    days = groupby(segments, key=lambda one: (one.session, f"{one.started:%Y-%m-%d}"))
    for (session, date), group in days:
        of_day = list(group)
        turns = [turn for one in of_day for turn in one.turns]
        speaking = [turn for turn in turns if turn.role == "user"] or turns
        if summary := _line(of_day, speaking):
            event = Event(
                date=date,
                at=of_day[0].started,
                channel=turns[0].channel,
                sender=next((turn.speaker for turn in speaking if turn.speaker), ""),
                session=session,
                summary=summary,
                tokens=sum(count(turn.content) for turn in turns),
                trust=provenance.least(map(provenance.content_origin, speaking)),
                agent=turns[0].agent,
            )
            found.append(event)
    return found


def _line(segments: Sequence[TurnSegment], speaking: Sequence[Turn]) -> str:
    """What segments were about, in the language that most of what was said is in."""
    words = {"en": 0, "zh": 0}
    for turn in speaking:
        text = turn.content[:_SAMPLE]
        words[language_of(text)] += len(_CHARACTER_OR_WORD.findall(text))
    language = max(words, key=lambda one: words[one])
    roles = {turn.role for turn in speaking}
    notes = [note for one in segments for note in _notes(one, roles, language)]
    mark = "；" if language == "zh" else "; "
    chosen: list[int] = []
    room = LONGEST
    for n in sorted(range(len(notes)), key=lambda n: (not notes[n].is_first, -notes[n].weight, n)):
        cost = len(notes[n].text) + len(mark) * bool(chosen)
        said, least = notes[n].words, _SAME * len(notes[n].words)
        if cost <= room and not any(len(said & notes[m].words) >= least for m in chosen):
            chosen.append(n)
            room -= cost
    return mark.join(notes[n].text for n in sorted(chosen))


def _notes(segment: TurnSegment, roles: Set[str], language: str) -> list[_Note]:
    """The notes of a segment, in their order; its topic as the only one, if what was said made
    none and the user named it."""
    # Of what a program passed on, without what reads like an order
    said = [
        turn.content
        if turn.origin != "relayed"
        else "\n".join(filter(is_of_oneself, split(turn.content)))
        for turn in segment.turns
        if turn.role in roles
    ]
    found = []
    tags = segment.tags
    fitting = [text for text in said if language_of(text) == language]
    for clause, asked in islice(_clauses(fitting, language), _MOST_CLAUSES):
        text = _trimmed(clause, language)
        if not _is_note(text, tags, language):
            continue
        words, folded = frozenset(index_words(text)), fold(text)
        # How much a note says of what its segment is about, the first keywords counting most
        weight = sum(2 - n / len(tags) for n, tag in enumerate(tags) if fold(tag) in folded)
        weight += 0.15 * min(len(words), 6) + 0.5 * any(map(str.isdigit, text))
        found.append(_Note(text, words, weight if asked else 1.5 * weight))
    if found:
        best = max(found, key=lambda one: one.weight)
        found = [one for one in found if one.weight >= min(best.weight, _LEAST_WEIGHT)]
        return [one._replace(is_first=one is best) for one in found]
    topic = segment.topic
    named = fold(topic) in fold("\n".join(said))
    return [_Note(topic, frozenset(index_words(topic)), 0.0, is_first=True)] if named else []


def _clauses(texts: Sequence[str], language: str) -> Iterator[tuple[str, bool]]:
    """The clauses of texts, and whether their sentence asks."""
    speech = import_module(f"loxodon.language.{language}").grammar.speech
    for sentence in (one for text in texts for one in split(text)):
        if is_small_talk(sentence) or speech.never(sentence) in _PASSING:
            continue
        for clause in _CUTS[language].split(sayable(sentence)):
            if clause.strip() and speech.never(clause.strip()) not in _PASSING:
                yield clause.strip(), is_question(sentence)


def _is_note(text: str, tags: Sequence[str], language: str) -> bool:
    """Whether a trimmed clause can stand by itself in a list of notes."""
    if _DANGLING.match(text) or is_small_talk(text):
        return False
    least, most = _LENGTHS[language]
    return least <= _length(text, language) <= most or text in tags


def _length(text: str, language: str) -> int:
    return len(_CHARACTER_OR_WORD.findall(text)) if language == "zh" else text.count(" ") + 1


def _trimmed(clause: str, language: str) -> str:
    """A clause without what leads up to it and trails off."""
    text = _LEAD[language].sub("", clause.rstrip("?？"), count=1)
    text = _TRAIL.sub("", text.strip(" ,，.。!！~～…*_-")).strip()
    for pair in ("“”", "‘’", "（）", "()", "「」", "《》", '""'):
        if text.count(pair[0]) != text.count(pair[1]) or (pair == '""' and text.count('"') % 2):
            text = text.replace(pair[0], "").replace(pair[1], "")
    return text


_CHARACTER_OR_WORD = re.compile(r"[\u3400-\u9fff]|[^\W\u3400-\u9fff]+")
# What a clause begins with that nobody understands without the one before it
_DANGLING = re.compile(
    r"(?:its?|that|thats|this|these|those|he|she|they|them|him|her|his|you|your|there|which|what|so"
    r"|if)\b|[他她它你您这那哪]|如果|要是|假如",
    re.IGNORECASE,
)
_CUTS = {
    "zh": re.compile(r"[，,；;：。！？!?…～~—\n]+|:(?=\s|$)|(?<=[㐀-鿿])\s+(?=[㐀-鿿])"),
    "en": re.compile(
        r"[;!?…\n]+|[,:](?=\s|$)|\s[-–—]+\s|\s(?:but|because|cos|although|though)\s|\s(?:and|so)\s"
        r"(?=(?:i(?! (?:are|were|aren'?t|weren'?t)\b)|we|my|our|he|she|they|it|now|then|pls|please"
        r"|can|what|how|no|don'?t)\b)",
        re.IGNORECASE,
    ),
}
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
