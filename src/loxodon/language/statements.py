"""What is said, cut and read: the values that pass from a reader to the memory.

A turn is cut into fragments, and what these say is read as statements: sentences that stand alone,
which `consolidate/reconcile.py` compares with what the memory holds.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

if TYPE_CHECKING:
    from loxodon.language.reader import Grammar

Type = Literal["statement", "question", "instruction", "chat"]

EntityType = Literal["person", "place", "organisation", "project", "product", "pet", "other"]

# `state`: it is so. `change`: it is so now, and something else was before (moved, switched to).
# `end`: something is over or not so (no longer, quit, cancelled). `correct`: what was said before
# was wrong (no, it is …).
Act = Literal["state", "change", "end", "correct"]

MOST_CHARACTERS = 100  # Of a statement in Chinese
MOST_WORDS = 40  # Of one in English

USER = "user"  # The subject of what the user says of themselves, in every language


class Piece(NamedTuple):
    """A stretch of a turn that can be judged by itself."""

    text: str
    type: Type


class Fragment(NamedTuple):
    """A piece, and where it stands."""

    turn: int  # The number of the turn in the journal
    n: int  # Its place in the turn, from 0
    text: str
    type: Type


class Mention(NamedTuple):
    """Someone or something that a statement names."""

    name: str
    type: EntityType = "other"
    # Other names for the same, such as `妹妹` or `sister` for the user's sister 小美
    aliases: tuple[str, ...] = ()


class Statement(NamedTuple):
    """One thing said, as a sentence that can be understood alone."""

    # In the third person (`用户…`, `The user…`), or the speaker's own words in quotation marks.
    # Without a full stop. Dates may still be relative: they are made absolute in one place.
    content: str
    # `user`, or the name (else the relation: `妹妹`, `sister`) of whom or what it is about
    subject: str = USER
    # A name from `attributes.py`; empty for what is kept in somebody's own words
    attribute: str = ""
    value: str = ""
    category: str = "fact"  # One of `types.CATEGORIES`
    act: Act = "state"
    # The words for what is over, was before, or was wrong (`咖啡`, `Pixel`, `498`), as said
    over: tuple[str, ...] = ()
    positive: bool = True  # False for `does not like`, `has no`, `does not eat`
    # Below 1 where it was hedged, guessed or told second-hand: then it is a belief
    confidence: float = 1.0
    basis: str = ""  # Of a belief: what it rests on (the words said)
    mentions: tuple[Mention, ...] = ()
    project: str = ""
    topic: str = ""  # A word or two: `diet`, `工作`
    fragments: tuple[int, ...] = ()  # The numbers (`Fragment.n`) of the fragments it was read from
    importance: float = 0.5
    quoted: bool = False  # Whether it is kept in the speaker's own words
    # Whether it is worth keeping only if it changes something that is known
    tentative: bool = False
    right: str = ""  # Of a correction: the word that is right where `over` is wrong
    # Whether nobody said it: it is supposed from what was said (`inference.py`), where nothing is
    # known
    inferred: bool = False


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


class PriorTurn(NamedTuple):
    """An earlier turn of the same session."""

    role: str
    content: str
    at: datetime


class TurnInContext(NamedTuple):
    """A user's turn with what stands around it: all that reading may look at."""

    text: str
    at: datetime
    fragments: Sequence[Fragment]
    # The turns before it in the session, oldest first, at most `CONTEXT`; the last of them is what
    # the user may be answering
    before: Sequence[PriorTurn] = ()
    # Names by what else they are called: `{"妹妹": "小美"}`, `{"sister": "Mei"}`
    known: Mapping[str, str] = {}
    # Whether nobody else was spoken of just before, whom a left out subject may mean
    alone: bool = True


CONTEXT = 8


class Reading(NamedTuple):
    statements: Sequence[Statement]
    # Fragments that may say something that was not understood: what a model is asked about
    unclear: Sequence[int] = ()
    takes_back: bool = False  # Whether it says that the message before it was not meant


class Language(Protocol):
    """The rules of one language; the packages `language.zh` and `language.en` are two."""

    grammar: "Grammar"

    def split(self, text: str) -> list[Piece]: ...  # Every word is in one piece
    def read(self, said: TurnInContext) -> Reading: ...
