"""What kind of thing is said: the table `speech.toml` of a language, and how it is looked up.

A sentence is a statement, a question, an instruction or chat; a statement may still be one that
nobody tells of themselves (`never`), or part of fiction. `weight` is how much the way of saying it
adds to its importance.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from functools import cached_property, lru_cache
from importlib.resources import files
from typing import Any

from loxodon.language.statements import Act, Type
from loxodon.language.worth import SURELY, intents, judge
from loxodon.text.patterns import any_case

MOST = 400  # Characters of a sentence that are looked at; a longer one is no saying of a person
_TYPES: tuple[Type, ...] = ("chat", "question", "instruction")


class Speech:
    """The table of one language."""

    def __init__(self, package: str) -> None:
        self._package = package
        self._compiled: dict[tuple[str, str], re.Pattern[str]] = {}

    @cached_property
    def table(self) -> dict[str, Any]:
        return tomllib.loads((files(self._package) / "speech.toml").read_text("utf-8"))

    def like(self, section: str, name: str = "like") -> re.Pattern[str]:
        """A pattern of the table, compiled when it is first asked for."""
        key = section, name
        if key not in self._compiled:
            self._compiled[key] = _any(self.table[section][name])
        return self._compiled[key]

    @cached_property
    def _lists(self) -> dict[str, list[tuple[Any, re.Pattern[str]]]]:
        """What a row of these sections gives, and its pattern."""
        gives = {"never": "name", "weight": "adds", "act": "act"}
        return {
            section: [(one[name], _any(one["like"])) for one in self.table[section]]
            for section, name in gives.items()
        }

    def type(self, sentence: str) -> Type:
        """What kind of sentence it is."""
        text = sentence[:MOST].strip()
        for name in _TYPES:
            if self.like(name).search(text):
                asks = name == "question" and self.like("instruction", "polite").search(text)
                return "instruction" if asks else name
        return "statement"

    @lru_cache(maxsize=200)  # noqa: B019  there is one for each language, asked again and again
    def never(self, sentence: str) -> str:
        """Why a statement tells nothing of whoever makes it; empty where it may."""
        if len(sentence) > MOST:
            return "long"
        return next((name for name, like in self._lists["never"] if like.search(sentence)), "")

    def is_fiction(self, text: str, before: Sequence[str]) -> bool:
        """Whether a message is part of a story or a game, or was pasted."""
        return any(self.like("fiction").search(one[:2_000]) for one in (text, *before[-4:]))

    def takes_back(self, text: str) -> bool:
        """Whether a message says that the one before it was not meant."""
        return len(text) <= MOST and self.like("takes_back").search(text) is not None

    def tells(self, sentence: str) -> bool:
        """Whether a sentence speaks of the speaker or their people."""
        return self.like("own").search(sentence) is not None

    def has(self, sentence: str, section: str, name: str = "like") -> bool:
        """Whether a sentence has what a section of the table says."""
        return self.like(section, name).search(sentence) is not None

    def told(self, question: str) -> str:
        """What a question tells that asks whether it was told: `did I mention that …`"""
        found = self.like("question", "telling").search(question)
        return question[found.end() :].rstrip("?？吗没 ") if found else ""

    def kind(self, sentence: str) -> str:
        """Whether somebody says what was decided, solved or done; empty for nothing of these."""
        kinds = ("decision", "solution", "event")
        return next((one for one in kinds if self.has(sentence, "work_kind", one)), "")

    def thing(self, sentence: str, before: str) -> str:
        """The thing by its name that a sentence tells of, or the one `before` where it goes on."""
        for like in ("like", "within") if len(sentence) <= MOST else ():
            found = self.like("thing", like).match(sentence)
            if found and (thing := found["name"] or before):
                return thing
        return ""

    def marked(self, sentence: str) -> str | None:
        """What somebody says that matters: `don't forget that …`; None where they do not say so."""
        found = self.like("marked").match(sentence) if len(sentence) <= MOST else None
        return sentence[found.end() :] if found else None

    def weight(self, sentence: str) -> float:
        return float(sum(adds for adds, like in self._lists["weight"] if like.search(sentence)))

    def wishes(self, sentence: str, working: bool = False) -> bool:
        """Whether a sentence asks something of the listener for good; while they work on something,
        it must say so."""
        if len(sentence) > MOST or not self.has(sentence, "standing", "words"):
            return False
        if working and not self.has(sentence, "standing"):
            return False
        if self.never(sentence) not in ("", "thinking", "of you"):
            return False
        judged = judge(sentence)
        told = judged.topic == "wish" and judged.keep >= SURELY
        return told or intents([sentence])[0].wish >= _WISHED

    def plainly(self, sentence: str) -> str:
        """A wish without the politeness around it, as an order; any other sentence as it is."""
        found = self.like("politeness").search(sentence[:MOST])
        if not found:
            return sentence
        rest = self.like("politeness").sub("", sentence[found.start() : MOST])
        verb, gap, rest = rest.partition(" ")
        verb = self.table["politeness"]["plainly"].get(verb.lower(), verb)
        return f"{sentence[: found.start()]}{verb}{gap}{rest}".strip(" ?？")

    def correction(self, sentence: str) -> tuple[str, str] | None:
        """The right and the wrong word of a sentence that puts one in the place of the other."""
        for like in self.table["correction"]["like"] if len(sentence) <= MOST else ():
            if found := re.search(like, sentence, re.I):
                return found["right"].strip(), found["wrong"].strip()
        return None

    def act(self, text: str) -> tuple[Act, tuple[str, ...], int]:
        """What a clause or a sentence does to what was known, the words for what is over, and where
        it says so."""
        for act, like in self._lists["act"]:
            if found := like.search(text):
                groups = found.groupdict()
                verb = groups.pop("verb", None) or ""
                ends = self.like("over", "ends")  # where it goes on with when and why
                over = tuple(
                    "job" if name == "job" else verb + ends.split(words.strip(), maxsplit=1)[0]
                    for name, words in groups.items()
                    if words
                )
                return act, over, found.start()
        return "state", (), 0


_WISHED = 0.6  # How likely a sentence must be a wish


def _any(like: str | Sequence[str]) -> re.Pattern[str]:
    parts = [like] if isinstance(like, str) else like
    return any_case("|".join(f"(?:{part})" for part in parts))
