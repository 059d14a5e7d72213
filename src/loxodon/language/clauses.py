"""A clause with its subject told apart: what frames are matched against."""

from __future__ import annotations

from typing import NamedTuple

from loxodon.language.statements import USER, Act


class Clause(NamedTuple):
    text: str
    """Evened out: contractions written out, fillers gone."""
    who: str = ""
    """`user`, `we`, `person`, `pet`, `bare` where the subject was left out; empty where it is
    nobody that is known: such a clause is never read."""
    rest: str = ""
    """What follows the subject."""
    subject: str = USER
    shown: str = ""
    """The subject in a sentence that stands alone: `The user's sister Mei`."""
    relation: str = ""
    """What the subject is to the user: `sister`, `妹妹`."""
    name: str = ""
    when: str = ""
    """A time at its end, that is said of all of it."""
    timeless: str = ""
    """`rest` without that time."""
    act: Act = "state"
    hedged: bool = False
    loose: bool = False
    """Whether its subject was left out where that may mean anybody: then it can only change what is
    known already."""
    raw: str = ""
    """The words as they were said."""
