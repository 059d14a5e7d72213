"""Whether what a model says was said: its words, names and numbers against those of the source.

A model may word things, not know them. The checks are strict: a good sentence lost costs little,
because the journal has the words it came from; an invented one is a lie in somebody's memory. The
words are in `grounding.toml`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from importlib.resources import files
from operator import itemgetter

from loxodon.text.wordlists import CHINESE_CHARACTERS, ENGLISH
from loxodon.text.words import fold, index_words

_WORDS = tomllib.loads((files(__package__) / "grounding.toml").read_text("utf-8"))
_PATTERNS = {name: re.compile(pattern) for name, pattern in _WORDS["patterns"].items()}
_GLUE_EN = _WORDS["glue_en"].split()
_GLUE_ZH = re.compile(_WORDS["glue_zh"].strip())
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")
_NUMBERS: dict[str, int] = _WORDS["numbers"]
_GLUE_STEMS = {*index_words(" ".join([*_GLUE_EN, *filter(str.isascii, _NUMBERS)]))}

# One in so many words, and one in so many characters, may be a sentence's own; more of them where
# it rests on a quotation.
_OWN, _OWN_QUOTING = (4, 5), (2, 2)


def objection(
    text: str, said: str, language: str, *, words: str = "", context: str = "", averse: bool = False
) -> str:
    """Why a sentence that was read from what was `said` cannot be kept; empty where it can.

    It may rest on some of those `words`, borrow from the `context`, and tell what somebody is
    averse to, which needs no "not".
    """
    near = closest(words or text, said)
    clause = words or near
    if any(one.rstrip().endswith(("?", "？")) for one in (text, clause, near)):
        return "a question is no statement"
    if not shares(text, said):
        return "it speaks of something else"
    if has("is_user", text) and has("that", clause) and not has("own", clause):
        return "it is not about the user"
    denies = negated(text) and not averse and not _denies(clause)
    if denies or _affirms_what_is_denied(text, clause):
        return "it says the contrary"
    return invented(text, f"{said}\n{context}", language, _OWN_QUOTING if words else _OWN)


def invented(content: str, source: str, language: str, own: tuple[int, int] = _OWN) -> str:
    """What of a sentence, beside its point, is not in its source; empty where all is."""
    if _PATTERNS["markup"].search(content):
        return "it is no plain sentence"
    if _PATTERNS["other_person"].search(content):
        return "it is not in the third person"
    han = len(_HAN.findall(content))
    # A Chinese sentence may be mostly the names of products, an English one name a Chinese person.
    if not (han > 0 if language == "zh" else han <= len(content) // 4):
        return "it is in another language"
    if not _numbers(content) <= _numbers(source):
        return "it has a number of its own"
    nicknames = _PATTERNS["chinese_nickname"].findall(fold(content))
    is_named = names(content, language) <= _latin(source)
    if not is_named or not all(one in fold(source) for one in nicknames):
        return "it has a name of its own"
    known, stems, characters = _units(source), set(_stems(content)), _characters(content)
    strange = sum(c not in known for c in characters)
    if len(stems - known) > len(stems) // own[0] or strange > len(characters) // own[1]:
        return "it has words of its own"
    return ""


def bad_length(sentence: str, most: Mapping[str, int], language: str) -> str:
    """Why a sentence is too long, in characters of Chinese or words of English, or too short."""
    units, name = (sentence, "characters") if language == "zh" else (sentence.split(), "words")
    # Nobody's words have twelve letters on average: a long run without spaces is no sentence.
    if len(units) > most[language] or len(sentence) > 12 * most["en"]:
        return f"a text has more than {most[language]} {name}"
    return "" if sentence else "a sentence is empty"


def stands(text: str, words: str) -> bool:
    """Whether `words` stand in `text`, whatever their case, spaces and punctuation."""
    quoted, letters = ("".join(filter(str.isalnum, fold(one))) for one in (words, text))
    return len(quoted) > 1 and quoted in letters


def contains(text: str, part: str) -> bool:
    """Whether `part` stands in `text`, whatever its case."""
    return bool(part.strip()) and fold(part.strip()) in fold(text)


def has(pattern: str, text: str) -> bool:
    """Whether a text has one of the words of a pattern in `grounding.toml`."""
    return bool(_PATTERNS[pattern].search(fold(text)))


def negated(text: str) -> bool:
    """Whether a sentence says that something is not so."""
    return has("not_en", text) or has("not_zh", _PATTERNS["no_negation"].sub("", fold(text)))


def _denies(clause: str) -> bool:
    return negated(clause) or has("over", clause)


def turned(text: str, said: str) -> bool:
    """Whether a text that sums up `said` denies a clause of it, or affirms what it denies."""
    if negated(text) and not _denies(said):
        return True
    clauses = [(_units(clause), _denies(clause)) for clause in _PATTERNS["parts"].split(text)]
    for part in _PATTERNS["parts"].split(said):
        units = _units(part)
        shared, denied = max(((len(units & has), no) for has, no in clauses), key=itemgetter(0))
        if shared and denied != _denies(part):
            return True
    return False


def _affirms_what_is_denied(content: str, said: str) -> bool:
    """Of "I don't drink tea, coffee is fine" it may affirm the coffee."""
    wanted, parts = _units(content), _PATTERNS["parts"].split(said)
    denied = [_units(part) for part in parts if negated(part)]
    plain = {unit for part in parts if not negated(part) for unit in _units(part)}
    contrary = not wanted & plain or any(wanted & units - plain for units in denied)
    return bool(denied) and contrary and not _denies(content)


def shares(a: str, b: str) -> bool:
    """Whether two texts have a word of content in common."""
    return not _units(a).isdisjoint(_units(b))


def lost(content: str, fact: str) -> bool:
    """Whether a sentence leaves out a number or a Latin name of a fact that it stands for."""
    named = names(fact, "en") - {"user"}
    return not (_numbers(fact) <= _numbers(content) and named <= _latin(content))


def closest(content: str, said: str) -> str:
    """The clause of `said` that has most of the words of `content`."""
    wanted = _units(content)
    return max(_PATTERNS["clauses"].split(said), key=lambda clause: len(wanted & _units(clause)))


def names(text: str, language: str) -> set[str]:
    """The Latin names of a text, folded: in English what is capitalised, in Chinese every word."""
    if language != "en":
        return _latin(text)
    words = _PATTERNS["latin_word"].findall(text)
    capitals = " ".join(word for word in words if word != word.lower())
    return _latin(capitals) - ENGLISH - set(_GLUE_EN)


def _latin(text: str) -> set[str]:
    return {fold(word).removesuffix("'s") for word in _PATTERNS["latin_word"].findall(text)}


def _numbers(text: str) -> set[int]:
    """The values of the numbers in a text, in digits or words."""
    folded = fold(text)
    found = {int(digits) for digits in re.findall(r"\d+", folded) if len(digits) < 30}
    return found | {_NUMBERS[one] for one in (*_latin(folded), *folded) if one in _NUMBERS}


def _units(text: str) -> set[str]:
    """What a text speaks of: stems and single Chinese characters, without glue."""
    return {*_stems(text), *_characters(text)}


def _stems(text: str) -> list[str]:
    words = index_words(_HAN.sub(" ", text))
    return [word for word in words if word not in _GLUE_STEMS and not word.isdecimal()]


def _characters(text: str) -> list[str]:
    """The Chinese characters that mean something."""
    empty = CHINESE_CHARACTERS | _NUMBERS.keys()
    return [c for c in _GLUE_ZH.sub(" ", fold(text)) if _HAN.match(c) and c not in empty]
