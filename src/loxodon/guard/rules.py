"""What text is looked through for: the rules of `rules.toml`, whose head says what they consist of.

A pattern is in the syntax of RE2, which takes time in proportion to the text whatever the text is.
"""

from __future__ import annotations

import os
import re
import tomllib
from functools import cache
from typing import Any, Literal, NamedTuple, get_args

# What opens something; who somebody is; how they are reached; what is nobody else's affair
Family = Literal["secret", "identity", "contact", "private"]
# Kept and shown; kept, and shown as a mask; not kept at all
Action = Literal["allow", "mask", "never"]
ACTIONS: tuple[Action, ...] = get_args(Action)
FAMILIES: tuple[Family, ...] = get_args(Family)
# What is done where nobody has said otherwise
BY_FAMILY: dict[Family, Action] = {
    "secret": "never",
    "identity": "mask",
    "contact": "mask",
    "private": "allow",
}
_FRAGMENT = re.compile(r"<([A-Z][A-Z_0-9]*)>")


class Rule(NamedTuple):
    kind: str
    pattern: str
    family: Family = "secret"
    keywords: tuple[str, ...] = ()
    prefilter: str = ""
    entropy: float = 0.0
    check: str = ""


@cache
def built_in() -> tuple[Rule, ...]:
    """The rules, in the order in which they are tried."""
    return tuple(
        Rule(
            given["kind"],
            expanded(given["pattern"]),
            given.get("family", "secret"),
            tuple(given.get("keywords", ())),
            expanded(given.get("prefilter", "")),
            given.get("entropy", 0.0),
            given.get("check", ""),
        )
        for given in _data()["rules"]
    )


def words(name: str) -> tuple[str, ...]:
    """A list of words that the checks need."""
    return tuple(_data()["words"][name])


def expanded(pattern: str) -> str:
    """A pattern with the fragments that it names in their places."""
    fragments: dict[str, str] = _data()["fragments"]
    while (found := _FRAGMENT.sub(lambda name: fragments[name[1]], pattern)) != pattern:
        pattern = found
    return pattern


@cache
def _data() -> dict[str, Any]:
    with open(os.path.join(os.path.dirname(__file__), "rules.toml"), "rb") as file:
        return tomllib.load(file)


def label_of(kind: str) -> str:
    """A kind as a marker says it."""
    return kind.replace("-", " ")
