"""Finds what a message asks: the parts that are questions, the kind of answer, and the tense.

People lead up to a question, add another, or first say that they are asking. Pure text functions,
independent of what the memory contains.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import islice
from types import ModuleType
from typing import Literal, NamedTuple

from loxodon.language.questions import en as words_en
from loxodon.language.questions import zh as words_zh
from loxodon.text.words import fold

# The kind of answer; `none` where nothing is asked
Kind = Literal[
    "who", "when", "where", "how_many", "yes_no", "which", "what", "why", "how", "list", "none"
]
Tense = Literal["current", "past", "any"]  # What holds now, what held once, or either

_PARTS = 4  # Questions of one message that are told apart
_LONGEST = 400  # Characters of one question
_RAMBLING = 40  # Characters from which a message is looked through for where the question begins


_SAID = 3  # Sentences from which on a message may be more than a question
_ASKED = 0.6  # Share of sentences that ask, above which the message is a question


class Ask(NamedTuple):
    """One question of a message."""

    text: str
    kind: Kind


def asks_of(text: str, language: str) -> tuple[Ask, ...]:
    """The questions in `text`, in order, at most four; the whole text where none is."""
    sentences = _sentences(text)
    found = _after_pivots(text, language)
    if not found:
        found = [one for one in sentences if kind_of(one, language) != "none"]
    elif kind_of(sentences[-1], language) != "none" and found[-1][-8:] not in sentences[-1]:
        found.append(sentences[-1])  # people ask last
    asks = [Ask(part, kind_of(part, language)) for part in found[:_PARTS]]
    return tuple(asks) or (Ask(text.strip(), "none"),)


def pivoted(text: str, language: str) -> bool:
    """Whether the message says where its question begins, after talk of other things."""
    return bool(_after_pivots(text, language))


def tells_more(text: str, language: str) -> bool:
    """Whether a message tells more than it asks: several sentences, few of them questions.

    What someone said in quotation marks is told like the rest. Who ends by turning to a question,
    or by asking to be reminded, asks, whatever was said before.
    """
    found = _re(r"[^.?!。？！;；\n]{3,}[.?!。？！;；\n]*").findall(text)
    found = [one for one in found if len(one) > 5 or not one.isascii()]  # not the "C." of a name
    if len(found) < _SAID or sum(one[-1] in "?？" for one in found) > _ASKED * len(found):
        return False
    if found[-1][-1] not in "?？":
        return True
    last = "".join(found[-2:])
    turns = needed(language, "PIVOT", last.lower()) and compiled(language, "PIVOT").search(last)
    return not turns and without_meta(found[-1], language) == found[-1]


def last_talk(text: str, language: str) -> str:
    """The words that ask for the talk before this one, whatever it was about."""
    if not needed(language, "LAST", text.lower()):
        return ""
    found = compiled(language, "LAST").search(text)
    return found[0] if found else ""


def without_meta(text: str, language: str) -> str:
    """The text without what it says of the asking: `can you remind me`, 你还记得."""
    if not needed(language, "META", text.lower()):
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


def kind_of(text: str, language: str) -> Kind:
    """The kind of answer that one question asks for."""
    lower = text.lower().strip()
    earliest: tuple[int, Kind] | None = None
    for kind, guard, source in words_for(language).KINDS:
        if kind == "yes_no" and earliest is not None:
            break  # English asks with the first word that can, and so only where no other does
        found = _re(source).search(lower) if _has_any(guard, lower) else None
        if found is None:
            continue
        if language == "zh":  # the most telling word asks, wherever it stands
            return "what" if kind == "yes_no" and _re(_TELL).search(lower) else kind
        if earliest is None or found.start() < earliest[0]:
            earliest = found.start(), kind
    if earliest is not None and earliest[1] != "yes_no":
        return earliest[1]
    if without_meta(lower, language) != lower and lower.endswith(("?", "？")):
        return "what"  # "could you remind me of the brand": not whether, but which
    return "yes_no" if earliest is not None or lower.endswith(("?", "？")) else "none"


def tense_of(text: str, language: str) -> Tense:
    """Whether a question asks for what is, or for what was."""
    lower = text.lower()
    now = compiled(language, "NOW").search(lower) is not None
    # What is compared with before asks for both.
    then = compiled(language, "THEN").search(_re(_THAN).sub(" ", lower)) is not None
    if now == then:
        return "any"
    return "current" if now else "past"


def _after_pivots(text: str, language: str) -> list[str]:
    """What follows each place where the message turns to its question, up to the end of it."""
    if len(text) < _RAMBLING or not needed(language, "PIVOT", text.lower()):
        return []
    found: list[str] = []
    masked = _masked(text)
    for match in islice(compiled(language, "PIVOT").finditer(text), 2 * _PARTS):
        last = match.end() + _LONGEST
        end = _re(r"[?？]|[。!！\n]|\.\s").search(masked, match.end(), last)
        part = text[match.end() : end.end() if end else last].strip()
        if kind_of(part, language) == "none":
            continue
        if found and found[-1].endswith(part):  # "wait, what I really want to ask is …"
            found.pop()
        found.append(part)
    return found


def _sentences(text: str) -> list[str]:
    found, start, masked = [], 0, _masked(text)
    for match in _re(r"[.?!。？！;；\n]+").finditer(masked):
        end = match.end()
        if match[0] == "." and _is_inside(text, end):
            continue
        if any(map(str.isalnum, text[start:end])):
            found.append(text[start:end].strip())
        start = end
    if any(map(str.isalnum, text[start:])):
        found.append(text[start:].strip())
    return found or [text]


def _is_inside(text: str, end: int) -> bool:
    """Whether the full stop before `end` ends no sentence: 3.5, e.g., Dr. Webb."""
    follows = text[end : end + 1]
    if follows.isascii() and follows.isalnum():
        return True
    short = _re(r"(?i)\b(?:e\.g|i\.e|etc|vs|mr|mrs|ms|dr|approx)$")
    return short.search(text, max(0, end - 8), end - 1) is not None


def _masked(text: str) -> str:
    """The text with what ends a sentence blotted out inside quotation marks."""
    if not any(mark in text for mark in '"“「《'):
        return text

    def blotted(quoted: re.Match[str]) -> str:
        return str(_re(r"[.?!。？！;；]").sub("_", quoted[0]))

    quotes = r"\"[^\"\n]{1,300}\"|“[^”\n]{1,300}”|「[^」\n]{1,300}」|《[^》\n]{1,80}》"
    return str(_re(quotes).sub(blotted, text))


def words_for(language: str) -> ModuleType:
    """The word lists of a language."""
    return words_zh if language == "zh" else words_en


def needed(language: str, name: str, lower: str) -> bool:
    """Whether a pattern can match at all: compiling one costs more than to look."""
    return _has_any(words_for(language).GUARDS[name], lower)


def compiled(language: str, name: str) -> re.Pattern[str]:
    """A pattern of a language by name; compiled when it is first needed."""
    source: str = getattr(words_for(language), name)
    return _re(source.replace("\n", ""), re.IGNORECASE)


def _has_any(guard: str, lower: str) -> bool:
    return not guard or any(word in lower for word in _words(guard))


@cache
def _words(guard: str) -> list[str]:
    return [word.replace("_", " ") for word in guard.split()]


_THAN = r"\bthan\b[^,.;?!]*|比[^，。；？！]{0,4}(?:以前|之前|过去|从前|原来|当初|先前)"
# Whether one can be told is not what is asked
_TELL = "(?:能|可以|可否|能不能|可不可以|麻烦).{0,6}(?:告诉|提醒|说|给|发|查|推荐|介绍)"
_re = cache(re.compile)
