"""A clause with its subject told apart: what frames are matched against."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from loxodon.language.statements import USER, Act


class Clause(NamedTuple):
    text: str  # Evened out: contractions written out, fillers gone
    # `user`, `we`, `person`, `pet`, `bare` where the subject was left out, `part` of what is left
    # of a clause that was read; empty where it is nobody that is known: such a clause is never read
    who: str = ""
    rest: str = ""  # What follows the subject
    subject: str = USER
    shown: str = ""  # The subject in a sentence that stands alone: `The user's sister Mei`
    relation: str = ""  # What the subject is to the user: `sister`, `妹妹`
    name: str = ""
    when: str = ""  # A time at its end, that is said of all of it
    timeless: str = ""  # `rest` without that time
    act: Act = "state"
    hedged: bool = False
    # Whether its subject was left out where that may mean anybody: then it can only change what is
    # known already
    loose: bool = False
    raw: str = ""  # The words as they were said


class Named(NamedTuple):
    """One of the user's people, as a text names them; all empty for somebody else."""

    relation: str = ""
    name: str = ""
    new: bool = False  # Whether they have taken another's place: `my new manager`


def met(
    known: Mapping[str, str], people: Iterable[Named], pronouns: Mapping[str, str]
) -> dict[str, str]:
    """`known` with people who were named by relation and name: a pronoun means the one relation
    that it can, and nobody where there are two."""
    found = dict(known)
    for relation, name, _ in people:
        if not relation:
            found |= dict.fromkeys(pronouns, "")
        if name:
            found |= {relation: name, name: name}
        for pronoun, relations in pronouns.items():
            if relation in relations.split():
                found[pronoun] = relation if found.get(pronoun, relation) == relation else ""
    return found
