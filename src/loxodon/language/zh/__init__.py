"""Chinese: how talk becomes knowledge without a model.

frames.toml   what whole clauses tell           speech.toml   what kinds of things are said
words.toml    people, fillers, times
clauses.py    a sentence cut into clauses with their subjects
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache

from loxodon.language import reader
from loxodon.language.frames import FrameMatch, Frames
from loxodon.language.speech import Speech
from loxodon.language.statements import Clause, Fragment, Piece, Reading, TurnInContext
from loxodon.language.zh.clauses import (
    WORDS,
    attribute_of,
    bare_of,
    clauses_of,
    evened,
    people_of,
    sharing,
    speaks_of_others,
    strangers,
    without_lead,
)
from loxodon.text import sentences
from loxodon.text.patterns import any_case

_HERE = "loxodon.language.zh"
_SPEECH = Speech(_HERE)
# Why not only a clause but its whole sentence tells nothing
_OF_ALL = ("long", "supposed", "dream", "quoted", "reported", "second hand")


@cache
def _frames() -> Frames:
    return Frames(_HERE, lambda verb: verb, spaced=False)


class _Chinese:
    """The grammar, for one message."""

    language = "zh"
    speech = _SPEECH
    attribute_of = staticmethod(attribute_of)
    evened = staticmethod(evened)
    sharing = staticmethod(sharing)
    strangers = staticmethod(strangers)
    people = staticmethod(people_of)
    pronouns = WORDS.pronouns

    def __init__(self, text: str, first: str) -> None:
        self._alone = not speaks_of_others(text)
        self._first = first

    @property
    def frames(self) -> Frames:
        return _frames()

    def clauses(self, sentence: str, known: Mapping[str, str]) -> list[Clause]:
        first = sentence.startswith(self._first) or self.speech.type(sentence) == "instruction"
        joined = re.findall("、([^，、；,;。]+)", sentence)
        if joined and all(self.frames.match(one, one, "user", small=False) for one in joined):
            sentence = sentence.replace("、", "，")  # each tells something of its own
        found = clauses_of(sentence, known, self._alone, first)
        if self.speech.never(evened(sentence)) in _OF_ALL:
            # a supposition holds for what follows it
            return [one._replace(who="") for one in found]
        return found

    def joints(self, text: str) -> list[tuple[int, int]]:
        return []  # each has its comma, where clauses are cut

    def settled(self, clause: Clause) -> Clause | None:
        changed = WORDS.like["changed"].fullmatch(clause.rest)
        if not changed:
            return None
        rest = f"{changed['thing']}{'读' if changed['up'] else '在'}{changed['value']}"
        head = clause.text.removesuffix(clause.rest)
        return clause._replace(rest=rest, text=head + rest, timeless=rest)

    def of_nobody(self, text: str) -> bool:
        return not bare_of(text)

    def small(self, text: str) -> bool:
        return False

    def third_person(self, clause: Clause, match: FrameMatch) -> str:
        subject = "用户" if match.frame.whole else clause.shown
        text = match.frame.say
        if clause.hedged:
            text = re.sub(r"\{S\}|\{S的\}\w+?(?=是)", r"\g<0>可能", text)
        if clause.when:
            text = text.replace("{S}", f"{{S}}{clause.when}")
        return match.filled(text, S=subject, S的=f"{subject}的").replace("我的", "自己的")

    def quoted(self, words: str, asked: str = "") -> str:
        words = words.strip().rstrip("。；，,;")
        return f"用户（被问到“{asked}”）：“{words}”" if asked else f"用户：“{without_lead(words)}”"

    def related(self, relation: str, name: str) -> str:
        return f"{name}是用户的{relation}"

    def introduced(self, told: str, relation: str, name: str) -> str:
        several = re.search("[两俩三四五六七八九十几二2-9、和]", told)
        return f"{told}，叫{name}" if relation in told and not several else ""


_MOST = 100  # Characters of a fragment
_AT_MOST = re.compile(rf".{{1,{_MOST}}}(?:(?<=[了的])|$)|.{{1,{_MOST}}}", re.S)


def split(text: str) -> list[Piece]:
    """A message cut into its clauses, each with its type; a sentence ends in a closing mark."""
    found = []
    for sentence in sentences.split(text):
        parts = [one for one in WORDS.like["cut"].split(sentence) if one]
        run_on = WORDS.like["run_on"].split
        parts = [p for one in parts for p in (run_on(one) if len(one) > _MOST else [one])]
        parts = [p for one in parts for p in _AT_MOST.findall(one)]
        for n, part in enumerate(parts):
            type = _SPEECH.type(evened(part) if not re.search("[?？]", part) else part)
            # a greeting before a comma belongs to what follows it
            greets = type == "chat" and n < len(parts) - 1
            found.append(Piece(part, "statement" if greets else type))
    return found


grammar = _Chinese("", "")  # The tables of the language, for whoever looks at them


def read(said: TurnInContext) -> Reading:
    if any(re.search(like, said.text) for like in _SPEECH.table["task"]["like"]):
        return Reading((), takes_back=_SPEECH.takes_back(said.text))
    asked = (one for one in said.fragments if one.type != "statement" or one.text.isascii())
    work = next((one.n for one in asked if _WORK.search(one.text)), None)
    fragments = _closed([one for one in said.fragments if work is None or one.n < work])
    first = next((one.text for one in fragments if one.type == "statement"), "")
    return reader.read(_Chinese(said.text, first), said._replace(fragments=fragments))


_WORK = any_case("|".join(_SPEECH.table["work"]["like"]))


def _closed(fragments: Sequence[Fragment]) -> list[Fragment]:
    """What is told before a question, a request or a laugh is a sentence of its own."""
    found = list(fragments)
    for n, one in enumerate(fragments):
        after = fragments[n + 1] if n + 1 < len(fragments) else None
        if one.type != "statement" or not after or after.text.startswith(reader.BUT):
            continue
        if not one.text.endswith(("，", ",", "：", "；", ";", " ")):  # the end of a line
            found[n] = one._replace(text=one.text + "。")
        elif (
            after.type != "statement"
            and not _TAG.match(after.text)
            and _SPEECH.never(one.text) != "supposed"  # that holds for what is asked, too
            and not _SPEECH.wishes(one.text + after.text)
        ):
            found[n] = one._replace(text=one.text[:-1] + "；")
    return found


_TAG = re.compile(r"(?:对|是|好|行|可以|没错)[吗吧不么]")
