"""English: how talk becomes knowledge without a model.

frames.toml   what whole clauses tell           speech.toml   what kinds of things are said
words.toml    people, fillers, where clauses end
clauses.py    a sentence cut into clauses with their subjects
"""

from __future__ import annotations

import re
from functools import cached_property

from loxodon.language import reader
from loxodon.language.en.clauses import (
    WORDS,
    attribute_of,
    clauses_of,
    joints_of,
    one_of,
    people_of,
    sharing,
    strangers,
    without_lead,
    written_out,
)
from loxodon.language.frames import FrameMatch, Frames
from loxodon.language.speech import Speech
from loxodon.language.statements import USER, Clause, Piece, Reading, TurnInContext
from loxodon.text import sentences

_HERE = "loxodon.language.en"
_IRREGULAR = {"be": "am|is|are", "have": "have|has", "do": "do|does", "go": "go|goes"}


def present(verb: str) -> str:
    """A verb in the present, in either person."""
    if verb in _IRREGULAR:
        return _IRREGULAR[verb]
    if re.search(r"[^aeiou]y$", verb):
        return f"{verb}|{verb[:-1]}ies"
    return f"{verb}|{verb}{'es' if re.search('(?:s|sh|ch|x|z|o)$', verb) else 's'}"


class _English:
    language = "en"
    speech = Speech(_HERE)

    @cached_property
    def frames(self) -> Frames:
        return Frames(_HERE, present, spaced=True)

    clauses = staticmethod(clauses_of)
    joints = staticmethod(joints_of)
    sharing = staticmethod(sharing)
    strangers = staticmethod(strangers)
    evened = staticmethod(written_out)
    people = staticmethod(people_of)
    pronouns = WORDS.pronouns
    attribute_of = staticmethod(attribute_of)

    def settled(self, clause: Clause) -> Clause | None:
        return None  # `moved to` has its frames

    def of_nobody(self, text: str) -> bool:
        return WORDS.like["speaker"].fullmatch(text) is not None

    def small(self, text: str) -> bool:
        return not any(map(str.isupper, re.sub(r"\bI\b|\b[A-Z]{2,}\b", "", text)))

    def third_person(self, clause: Clause, match: FrameMatch) -> str:
        subject = "The user" if match.frame.whole else clause.shown
        text = match.frame.say
        if clause.hedged:
            text = re.sub(r"(\{S\}(?: is\b)?|\{S's\}.* is\b)", r"\1 probably", text)
        if clause.act == "end" and match.frame.act != "end":
            text = text.replace("{S} is ", "{S} is no longer ").replace(
                "{S} has ", "{S} no longer has "
            )
            text = text if "no longer" in text else text.replace("{S}", "{S} no longer")
        text = match.filled(text, **{"S": subject, "S's": f"{subject}'s"})
        text = re.sub(r"\bmy\b", "their", text) if clause.subject == USER else text
        lasting = re.match(r"(?:since|for|until|from|every)\b", clause.when, re.I)
        happened = match.frame.act != "state" or match.frame.category in ("plan", "event")
        return f"{text} {clause.when}".strip() if lasting or happened else text

    def quoted(self, words: str, asked: str = "") -> str:
        words = words.strip(" .;,")
        if asked:
            return f"The user, asked “{asked}”: “{words}”"
        words = re.sub(r"[\s,;]+(?:so|and|but|while|because|or|then)$", "", without_lead(words))
        return f"The user: “{words}”"

    def related(self, relation: str, name: str) -> str:
        return f"{name} is the user's {relation}"

    def introduced(self, told: str, relation: str, name: str) -> str:
        *more, last = told.split()
        return f"{told} called {name}" if more[:1] == ["a"] and one_of(last) == relation else ""


grammar = _English()


_MOST = 100  # Characters; a longer sentence is cut wherever it pauses


def split(text: str) -> list[Piece]:
    """A message cut into its clauses, each with its type; a question or a request stays whole."""
    found = []
    for sentence in sentences.split(text):
        type = grammar.speech.type(sentence)
        cut = WORDS.like["pauses" if len(sentence) > _MOST else "tells_else"]
        parts = cut.split(sentence) if type == "statement" else [sentence]
        found += [Piece(part, type) for part in parts if part]
    return found


def read(said: TurnInContext) -> Reading:
    return reader.read(grammar, said)
