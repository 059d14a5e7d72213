"""What a new statement is to something known: the same, more or less of it, its contrary, its end,
or nothing.

Nothing is ended that is not plainly the same thing: the same subject and the same attribute that
has one value at a time, or the words that the statement itself says are over.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Literal

from loxodon.language.attributes import ATTRIBUTES, OF_SOMETHING, OPPOSITES, family_of
from loxodon.language.domains import kinds_of
from loxodon.language.sides import share, side_of
from loxodon.language.statements import USER, Statement
from loxodon.text.numbers import COUNTED
from loxodon.text.similarity import covers, gist, likeness, opposed
from loxodon.text.words import fold
from loxodon.types import Record

Relation = Literal["same", "richer", "poorer", "contradicts", "ended", "unrelated"]
ALIKE = ("same", "richer", "poorer")
_SAME = 0.65
"""How much two sentences without an attribute share that say the same."""
_HAPPENS = ("event", "plan", "todo", "reminder", "decision")
"""Attributes whose value is what something is about, rather than what it is."""
_OWN_WORDS = 2
"""Words that a sentence may have of its own and still tell the same as another."""
_WHOLLY = 0.95
"""How much of one is in another that says more."""


def relation(new: Statement, old: Record) -> Relation:
    """What `new` is to `old`."""
    if not new.content:  # a wrong word and the right one, whoever they were said of
        return (
            "contradicts" if any(names(words, old.content) for words in new.over) else "unrelated"
        )
    if fold(new.subject) != fold(old.subject or USER):
        return "ended" if _ends_someone(new, old) or _left(new, old) else "unrelated"
    if other_project(new, old):
        return "unrelated"
    if _parts_with(new, old):
        return "ended"
    if new.attribute and new.attribute == old.attribute:
        return _of_one_attribute(new, old)
    if old.attribute in OPPOSITES.get(new.attribute, ()) and _values(new.value, old.value):
        return "contradicts"
    if new.act != "state" and _speaks_of(new, old):
        return "ended" if new.act == "end" else "contradicts"
    if not new.attribute and old.attribute:
        if _dosed_anew(new.content, old.content):
            return "contradicts"
        return "poorer" if _told_again(new, old) else "unrelated"
    if new.attribute or old.attribute:
        return "unrelated"
    return _of_words(new, old)


_ABOUT_IT = 0.5
_MORE = 8
"""Words, or Chinese characters, that may be said around a fact that is told again."""


def _told_again(new: Statement, old: Record) -> bool:
    """Whether somebody's own words say what is known already: the same value, on the same side of
    life, and little else."""
    side = side_of(old.attribute)
    said, known, value = gist(new.content), gist(old.content), gist(old.value)
    more = _MORE // 2 if all(map(str.isascii, said.words)) else _MORE
    return (
        bool(side and value.words)
        and new.act == "state"
        and old.positive
        and not negative(new.content)
        and value.words <= said.words
        and value.numbers <= said.numbers
        and len(said.words | said.numbers) <= len(known.words | known.numbers) + more
        and share(side, new.content) >= _ABOUT_IT
    )


def other_project(new: Statement, old: Record) -> bool:
    """Whether two things are told of different projects: one never touches the other's."""
    return (
        bool(new.project)
        and not old.project.startswith("_")
        and fold(new.project) != fold(old.project)
    )


def _of_one_attribute(new: Statement, old: Record) -> Relation:
    alike = _values(new.value, old.value)
    one = ATTRIBUTES[new.attribute].one
    if new.act == "end":
        over = alike or (one and not new.value) or _speaks_of(new, old)
        return "ended" if over and old.positive else "same" if alike else "unrelated"
    if new.positive != old.positive:
        return "contradicts" if alike else "unrelated"
    if alike and new.attribute in _HAPPENS and _apart(new.content, old.content):
        return "unrelated"
    if alike:
        return _fuller(new.content, old.content) if alike == "same" else alike
    if (new.act != "state" and _speaks_of(new, old)) or _recounted(new.value, old.value):
        return "contradicts"
    if not one or (new.attribute in OF_SOMETHING and _of_what(new) != _of_what(old)):
        return "unrelated"
    return "contradicts"


def _apart(new: str, old: str) -> bool:
    """Whether each of two sentences has much that the other lacks: two people met at one party."""
    one, other = gist(new).words, gist(old).words
    return min(len(one - other), len(other - one)) > _OWN_WORDS


def _fuller(new: str, old: str) -> Relation:
    """Of two sentences on one value, which says more."""
    one, other = gist(new), gist(old)
    if one.numbers >= other.numbers and one.words > other.words:
        return "richer"
    return "poorer" if one.words < other.words else "same"


def _speaks_of(new: Statement, old: Record) -> bool:
    """Whether a memory is of what a statement says is over, and of the same side of life."""
    sides = family_of(new.attribute), family_of(old.attribute)
    if not old.positive or (all(sides) and sides[0] != sides[1]):
        return False
    if new.side == "trip" and old.attribute and old.category not in ("plan", "event"):
        return False  # who does not go there may still like it, or live there
    return any(names(words, old.content) for words in new.over)


def _values(new: str, old: str) -> Relation | None:
    """Whether two values are one, and which says more; None where they are two."""
    a, b = fold(new).strip(), fold(old).strip()
    if a == b:
        return "same"
    one, other = gist(a), gist(b)
    if (
        not one.words
        or not other.words
        or (one.numbers != other.numbers and one.numbers and other.numbers)
        or opposed(a, b)
    ):
        return None
    if one.words == other.words:
        return "same"
    if one.words > other.words:
        return "richer"
    return "poorer" if one.words < other.words else None


_COUNTED = frozenset({*COUNTED, "eleven", "twelve", "no"})


def _recounted(new: str, old: str) -> bool:
    """Whether two values are so many of one thing: `two cats` and `three cats`."""
    one, other = gist(fold(new)), gist(fold(old))
    counts = [(one.words & _COUNTED) | one.numbers, (other.words & _COUNTED) | other.numbers]
    things = one.words - _COUNTED, other.words - _COUNTED
    return all(counts) and counts[0] != counts[1] and bool(things[0]) and things[0] == things[1]


def _of_what(told: Statement | Record) -> str:
    """What a value is of (`colour: teal`), or what somebody is to the user: a dentist is no
    therapist."""
    what, colon, _ = told.value.partition(":")
    if colon:
        return fold(what)
    who = ATTRIBUTES[told.attribute].about == "relation"
    return fold(told.content.replace(told.value, "")) if who else ""


def _of_words(new: Statement, old: Record) -> Relation:
    """Of two sentences in people's own words only what is nearly the same counts."""
    if fold(new.content) == fold(old.content):
        return "same"
    near = likeness(new.content, old.content) >= _SAME
    if gist(new.content).numbers != gist(old.content).numbers:
        anew = near and _counted_anew(new.content, old.content)
        return "contradicts" if anew or _dosed_anew(new.content, old.content) else "unrelated"
    if negative(new.content) != negative(old.content):
        return "contradicts" if near else "unrelated"
    if opposed(new.content, old.content) or _of_two(new.content, old.content):
        return "unrelated"
    if near:
        return "same"
    if covers(new.content, old.content) >= _WHOLLY and len(gist(old.content).words) > 2:
        return "richer"
    return "poorer" if new.act == "state" and _retold(new.content, old.content) else "unrelated"


_IS = re.compile(r"“(?:.{1,60}?)(?: is | are |是|叫)(?P<what>[^，,；;。.”]{1,24})[。.!！]?”")
_NAME = 3
"""Words, or characters less one, of what may be a name."""


def _of_two(new: str, old: str) -> bool:
    """Whether each of two sentences ends in another name: `my friend is Ben` and `… is Lars`."""
    said = [_IS.search(fold(one)) for one in (new, old)]
    one, other = (gist(found["what"]).words if found else frozenset() for found in said)
    return bool(one - other) and bool(other - one) and max(len(one), len(other)) <= _NAME


_MOSTLY = 0.6
"""How much of the words of a sentence another has that tells it again."""
_FEW = 3


def _retold(new: str, old: str) -> bool:
    """Whether most of what a sentence speaks of was told before, and little else is."""
    said, known = gist(new).words, gist(old).words
    both = said & known
    least = _FEW if all(map(str.isascii, both)) else 2 * _FEW
    return (
        len(both) >= least
        and len(both) >= _MOSTLY * min(len(said), len(known))
        and len(said) <= len(known) + _FEW
    )


def _counted_anew(new: str, old: str) -> bool:
    """Whether two sentences in people's own words say the same with another number: what is so and
    not what happened, which may happen again."""
    said = [_number_out(one) for one in (new, old)]
    return said[0] == said[1] and _STANDS.search(new) is not None


def _dosed_anew(new: str, old: str) -> bool:
    """Whether two sentences name the same medicine in another dose."""
    doses = [_DOSE.findall(fold(one)) for one in (new, old)]
    named = gist(new).words & gist(old).words - _UNITS
    return all(doses) and doses[0] != doses[1] and any(len(one) > _DRUG for one in named)


_DOSE = re.compile(r"(\d+(?:\.\d+)?) ?(?:mg|mcg|µg|ml|毫克|微克|毫升)")
_UNITS = frozenset(["mg", "mcg", "ml"])
_DRUG = 5
"""Letters that the name of a medicine has, and common words mostly have not."""
_STANDS = re.compile(
    r"\b(?:is|are|am|have|i'm|weigh|earn|run|smoke|drink|pay|costs?)\b|是|有|每|现在|[0-9一二三四五六七八九十]+[斤岁块元]",
    re.I,
)


def _number_out(content: str) -> str:
    return re.sub(
        r"[\d.,:]+|[零一二两三四五六七八九十百千万半]+|\s+",
        " ",
        fold(content.split("“")[-1].split("”")[0]),
    ).strip()


def _ends_someone(new: Statement, old: Record) -> bool:
    """Whether somebody or something is gone that a memory is about: what was known is past."""
    gone = fold(new.subject)
    return (
        new.act == "end"
        and gone in map(fold, new.over)
        and gone in (fold(old.subject), fold(old.value))
    )


def _left(new: Statement, old: Record) -> bool:
    """Whether a memory of somebody calls them what they are to the user no more."""
    parted = new.act == "end" and new.side == "partner" and not old.attribute
    return (
        parted
        and any(names(words, old.content) for words in new.over)
        and share("partner", old.content) >= _PARTNER
    )


_PARTNER = 0.1
"""How likely such a memory speaks of a partner."""


def _parts_with(new: Statement, old: Record) -> bool:
    """Whether a memory says who somebody is to the user, and they are that no more."""
    known = ATTRIBUTES.get(old.attribute)
    if new.act != "end" or known is None or known.about != "relation":
        return False
    return any(fold(old.value) == fold(words) for words in new.over)


def names(words: str, content: str) -> bool:
    """Whether a sentence speaks of what `words` name, or of a kind of it."""
    wanted = gist(words)
    told = gist(content)
    if not wanted.words and not wanted.numbers:
        return bool(words.strip()) and fold(words.strip()) in fold(content)
    if wanted.words <= told.words and wanted.numbers <= told.numbers:
        return True
    return any(kind in fold(content) for kind in kinds_of(words))


def negative(text: str) -> bool:
    """Whether a sentence says that something is not so."""
    return _negation().search(text) is not None


@cache
def _negation() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:not|no|never|none|without|cannot|\w+n't)\b|不(?!仅|只|但|错|过)|没|别(?!人|的)|戒",
        re.I,
    )
