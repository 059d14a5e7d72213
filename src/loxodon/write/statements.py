"""What is said, cut and read: the values that pass between the phases of consolidation.

A turn is cut into fragments (phase 1), each fragment gets a verdict (phase 2), and what was kept is
read as statements (phase 3): sentences that stand alone, which `reconcile` compares with what the
memory holds (phase 4). `write/zh` and `write/en` do the first three for their language.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Literal, NamedTuple, Protocol

Type = Literal["statement", "question", "instruction", "chat"]

About = Literal[
    "identity", "health", "safety", "preference", "relation", "change", "decision", "fact",
    "temporary",
]  # fmt: skip
"""What a fragment is about; `IMPORTANCE` says how much that matters by itself."""

IMPORTANCE: dict[About, float] = {
    "identity": 1.0, "health": 1.0, "safety": 1.0,
    "preference": 0.8, "relation": 0.8, "change": 0.8, "decision": 0.8,
    "fact": 0.5, "temporary": 0.2,
}  # fmt: skip

EntityType = Literal["person", "place", "organisation", "project", "product", "pet", "other"]

Act = Literal["state", "change", "end", "correct"]
"""`state`: it is so. `change`: it is so now, and something else was before (moved, switched to).
`end`: something is over or not so (no longer, quit, cancelled). `correct`: what was said before was
wrong (no, it is …)."""

USER = "user"
"""The subject of what the user says of themselves, in every language."""


class Piece(NamedTuple):
    """A stretch of a turn that can be judged by itself."""

    text: str
    type: Type


class Fragment(NamedTuple):
    """A piece, and where it stands."""

    turn: int
    """The number of the turn in the journal."""
    n: int
    """Its place in the turn, from 0."""
    text: str
    type: Type


class Verdict(NamedTuple):
    """What screening made of a fragment."""

    keep: bool | None
    """None where the rules cannot tell."""
    about: About = "fact"
    bonus: float = 0.0
    """What the way it was said adds to its importance or takes from it."""
    reason: str = ""
    """One English word or two: `question`, `greeting`, `quoted`, `fiction`, …"""

    @property
    def importance(self) -> float:
        return min(1.0, max(0.0, IMPORTANCE[self.about] + self.bonus))


class Mention(NamedTuple):
    """Someone or something that a statement names."""

    name: str
    type: EntityType = "other"
    aliases: tuple[str, ...] = ()
    """Other names for the same, such as `妹妹` or `sister` for the user's sister 小美."""


class Statement(NamedTuple):
    """One thing said, as a sentence that can be understood alone."""

    content: str
    """In the third person (`用户…`, `The user…`), in the language it was said in, without a full
    stop. Dates may still be relative: they are made absolute for all languages in one place."""
    subject: str = USER
    """`user`, or the name (else the relation: `妹妹`, `sister`) of whom or what it is about."""
    attribute: str = ""
    """A name from `attributes.py`; empty where the statement fits none."""
    value: str = ""
    category: str = "fact"
    """One of `types.CATEGORIES`."""
    act: Act = "state"
    over: tuple[str, ...] = ()
    """The words for what is over, was before, or was wrong (`咖啡`, `Pixel`, `498`), as said."""
    positive: bool = True
    """False for `does not like`, `has no`, `does not eat`."""
    confidence: float = 1.0
    """Below 1 where it was hedged, guessed or told second-hand: then it is a belief."""
    basis: str = ""
    """Of a belief: what it rests on (the words said)."""
    mentions: tuple[Mention, ...] = ()
    project: str = ""
    topic: str = ""
    """A word or two: `diet`, `工作`."""
    fragments: tuple[int, ...] = ()
    """The numbers (`Fragment.n`) of the fragments it was read from."""


class Line(NamedTuple):
    """An earlier turn of the same session."""

    role: str
    content: str
    at: datetime


class Said(NamedTuple):
    """A user's turn with what stands around it: all that judging and reading may look at."""

    text: str
    at: datetime
    fragments: Sequence[Fragment]
    before: Sequence[Line] = ()
    """The turns before it in the session, oldest first, at most `CONTEXT`; the last of them is what
    the user may be answering."""
    earlier: Sequence[Statement] = ()
    """What was read from those, oldest first."""
    known: Mapping[str, str] = {}
    """Names by what else they are called: `{"妹妹": "小美"}`, `{"sister": "Mei"}`."""


CONTEXT = 8


class Language(Protocol):
    """The rules of one language; the modules `write.zh` and `write.en` are two."""

    def split(self, text: str) -> list[Piece]:
        """Phase 1: cut a message into pieces, each with its type. Every word is in one piece."""
        ...

    def judge(self, said: Said) -> list[Verdict]:
        """Phase 2: a verdict for each fragment of a user's turn."""
        ...

    def read(self, said: Said, verdicts: Sequence[Verdict]) -> list[Statement]:
        """Phase 3: what the fragments that were kept say."""
        ...

    def deeds(self, text: str) -> list[str]:
        """What the assistant says it did or settled with the user, in the third person."""
        ...
