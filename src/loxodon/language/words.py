"""The words by which clauses and the user's people are told apart: `words.toml` of a language."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cached_property, lru_cache
from importlib.resources import files
from typing import Any

from loxodon.language.attributes import ATTRIBUTES
from loxodon.text.patterns import Patterns


class Words:
    """The table of one language; its patterns are `like[name]`."""

    def __init__(self, package: str, *, cased: bool) -> None:
        text = (files(package) / "words.toml").read_text("utf-8")
        self._table: dict[str, Any] = tomllib.loads(text)
        # Relations that a pronoun may stand for
        self.pronouns: Mapping[str, str] = self._table["pronouns"]
        # Of whom one has many: without a name nobody can tell which
        self.several = frozenset(self._table["several"].split())
        # The word for a relation that is kept, by each word for it
        self.kept: dict[str, str] = {}
        self._attribute: dict[str, str] = {}
        for attribute, words in self._table["relations"].items():
            for ways in (one.replace("_", " ").split("=") for one in words.split()):
                self.kept |= dict.fromkeys(map(_spaced, ways), ways[0])
                self._attribute.setdefault(ways[0], attribute)
        people, holders = _any_of(self.kept), _any_of(filter(self.has_one, self.kept))
        patterns = {"people": people, "holders": holders, **self._table["patterns"]}
        self.like = Patterns(patterns, cased=cased)

    def usual(self, relation: str) -> str:
        """The word for a relation that is kept: `mother` for `Mum`."""
        relation = relation.lower()
        return self.kept.get(_spaced(relation), relation)

    def attribute_of(self, relation: str) -> str:
        """What attribute of the user a relation is; empty for several people."""
        return self._attribute.get(self.usual(relation), "")

    def has_one(self, relation: str) -> bool:
        """Whether one has one at a time: `manager`."""
        attribute = self.attribute_of(relation)
        return bool(attribute) and ATTRIBUTES[attribute].one

    @lru_cache(maxsize=200)  # noqa: B019  there is one for each language
    def rewritten(self, text: str, how: str) -> str:
        for like, instead in self._rewriting[how]:
            text = like.sub(instead, text)
        return text

    @cached_property
    def _rewriting(self) -> dict[str, list[tuple[re.Pattern[str], str]]]:
        return {
            how: [(re.compile(like), instead) for like, instead in pairs]
            for how, pairs in self._table["rewritten"].items()
        }


def _spaced(word: str) -> str:
    return word.replace("-", " ")


def _any_of(words: Iterable[str]) -> str:
    longest_first = sorted(words, key=len, reverse=True)
    return "|".join(re.escape(word).replace(r"\ ", "[- ]") for word in longest_first)
