"""A memory's sentence taken apart: whom it is about, and what it says of them."""

from __future__ import annotations

import re
from typing import NamedTuple

from loxodon.language.statements import USER
from loxodon.text.language import language_of
from loxodon.text.markdown import one_line
from loxodon.text.words import fold
from loxodon.types import Record

LONGEST = 400  # Characters of a sentence that are looked at; what is longer is no sentence
_USER = re.compile(r"(?i)用[户戶]|(?:the )?user\b")


class Clause(NamedTuple):
    """A sentence taken apart."""

    lead: str  # The words that name whom it is about; empty where it cannot be cut
    rest: str  # What is said of them; the whole sentence where it cannot be cut
    language: str


def sentence(record: Record) -> str:
    """The words of a memory on one line, without the full stop."""
    return one_line(record.content).rstrip(" 。.；;，,、")


def language_in(text: str) -> str:
    """The language of a sentence; one about `用户` is Chinese, whatever names it has."""
    found = _USER.match(text)
    return language_of(found[0] if found else text)


def about(record: Record) -> str:
    """Whom a memory is about; empty where nothing tells."""
    return record.subject or (USER if _USER.match(record.content) else "")


def clause_of(record: Record) -> Clause:
    """The sentence of a memory, cut behind the name of whom it is about."""
    text = sentence(record)
    language = language_in(text)
    name = about(record)
    found = _USER.match(text) if name == USER else re.match(re.escape(name), text, re.I)
    lead = found[0] if found else ""
    rest = text[len(lead) :]
    # What is theirs, or stands apart from the name, is told with it: `用户的猫…`, `The user: “…”`
    whole = (
        not lead or len(text) > LONGEST or re.match(r"\s*(?:的|['’:：,，(（“]|and\b|、|和)", rest)
    )
    if whole or (language == "en" and not rest.startswith(" ")):
        return Clause("", text, language)
    return Clause(lead, rest.lstrip(), language)


def without_verb(text: str) -> str:
    """An English sentence about someone, with a comma in the place of its verb: what it names
    stands apart then. A verb stays, between commas, where it has no object."""
    lead = _USER.match(text)
    found = _VERB.match(text, lead.end() if lead else 0)
    if found is None or not (lead or found["name"]):
        return text
    verb = f" {found['verb']}," if found["alone"] is not None else ""
    return f"{text[: found.end('name')].rstrip()},{verb}{text[found.end('verb') :]}"


_VERB = re.compile(
    r" ?(?P<name>(?:[A-Z][\w'’-]{0,40} ){0,4})"
    r"(?:(?:no longer|never|still|often|always|also|now|[a-z]{1,20}ly) ){0,3}"
    r"(?P<verb>[a-z]{1,20}(?:s|ed))\b(?!['’])"
    r"(?P<alone>(?= (?:to|at|in|on|for|with|from|as|of|about|by|near|over|every|after)\b|$))?"
)


def says(summary: str, fact: Record) -> bool:
    """Whether the words of a summary have what a fact behind it says."""
    return fold(clause_of(fact).rest) in fold(summary)


def pieces(clause: Clause) -> frozenset[str]:
    """What a sentence says, comma by comma: equal pieces of one subject say the same."""
    text = fold(clause.rest[:LONGEST])
    return frozenset(piece for part in re.split(r"[,，；;。]", text) if (piece := part.strip()))
