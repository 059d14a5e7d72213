"""Two sentences that say different things of one thing, told by how they are made.

`The user calls their mum every Sunday` and `… every Wednesday now` begin alike; `had their knee
replacement` settles `is on the waiting list for a knee replacement`; `down to 32 hens` counts what
`has 40 hens` did. What these find is about English sentences; of Chinese ones they say nothing,
where not said otherwise.
"""

from __future__ import annotations

import re
from functools import cache

from loxodon.text.similarity import gist
from loxodon.text.words import fold, index_words
from loxodon.types import Record
from loxodon.write.statements import USER, Statement

_CLOSE = 0.5
"""Share of the words of the shorter of two sentences that make them about one thing."""

_MORE_OF = (
    "allergy condition medication language skill pet child sibling relative friend colleague "
    "likes dislikes avoids owns plays reads watches visited degree certificate project knows"
)
_GATHERS = frozenset(_MORE_OF.split())
"""Attributes of which one more is no other one: `allergic to cats now` leaves the nuts."""
_VERBS = (
    "is are was were be been will have has had does did goes gets got takes uses likes loves plays "
    "wants needs can eats drinks speaks owns keeps made makes"
)
_COMMON_VERBS = frozenset(_VERBS.split())


def begins_alike(statement: Statement, record: Record) -> bool:
    """Whether two English sentences begin alike up to their verb, and go on in another way."""
    same = statement.attribute == record.attribute
    if (same and statement.attribute in _GATHERS) or (
        not same and statement.attribute and record.attribute
    ):
        return False
    one, other = _frame_words(statement.content), _frame_words(record.content)
    alike = next(
        (n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
        min(len(one), len(other)),
    )
    if statement.subject != USER:
        subject = f"the user's {statement.subject}".split()
        return (same and statement.attribute == "uses") or alike > len(subject)
    return alike > 4 or _same_verb(one, other)


def _same_verb(one: list[str], other: list[str]) -> bool:
    """Whether two sentences about the user have one verb that tells, in whatever form."""
    if one[:2] != ["the", "user"] or other[:2] != ["the", "user"]:
        return False
    new, old = (_verb_of(words[2:]) for words in (one, other))
    if not new or not old or {new, old} & _COMMON_VERBS:
        return False
    return index_words(new) == index_words(old)


def _verb_of(words: list[str]) -> str:
    """The verb that a predicate begins with; of `has been sleeping` it is `sleeping`."""
    at = next((n for n, word in enumerate(words) if word not in _AUXILIARIES), len(words))
    if at < len(words) and (at == 0 or words[at].endswith("ing")):
        return words[at]
    return words[0] if words else ""


_HELPING = "is are was were be been being has have had will"
_AUXILIARIES = frozenset(_HELPING.split())


@cache
def _pending() -> re.Pattern[str]:
    """What is still to come or going on, and what it is of."""
    return re.compile(
        r"\b(?:(?:is|are|was)(?: \w+ly| still| currently)? (?:waiting|planning|hoping|going"
        r"|applying|training|learning|reading|expecting|saving|looking|thinking|trying|considering|studying"
        r"|preparing|getting|having|writing|building|working|due|on the waiting list|booked"
        r"|scheduled)|(?:wants|needs|hopes|plans|has|intends|would like) to|applied"
        r"|has an? (?=[\w ]*(?:appointment|interview|exam|test|surgery|operation|scan)))\b"
        r"(?P<of>.*)",
        re.IGNORECASE,
    )


@cache
def _outcome() -> re.Pattern[str]:
    """Verbs that say how it came out."""
    return re.compile(
        r"^\S+(?: \S+){0,4}? (?:has |have |finally |just |already |is |was |were |got )*(?:had|got"
        r"|did|didn't|gave up|given up|put|hold off|held off|holding off|cancelled|canceled"
        r"|called off|dropped|quit|finished|completed|passed|failed|decided|postponed|submitted"
        r"|pulled out|withdrew|abandoned|scrapped|arrived|came through|went|visited|took|bought"
        r"|received|accepted|rejected|turned down|signed|sent|renewed|ran|published|done|off"
        r"|over)\b"
    )


@cache
def _of_time() -> re.Pattern[str]:
    """When, at the end of a sentence."""
    return re.compile(
        r"\b(?:in|on|at|by|for|until|from|next|this|late|early) (?:the )?(?:\d|january|february"
        r"|march|april|may|june|july|august|september|october|november|december|spring|summer"
        r"|autumn|winter|mon|tues|wednes|thurs|fri|satur|sun|week|month|year|next|end)\S*.*$",
        re.IGNORECASE,
    )


def settles(statement: Statement, record: Record) -> bool:
    """Whether a statement tells what became of something that was to come or going on.

    `had their knee replacement` settles `is on the waiting list for a knee replacement`: the thing
    waited for is what the verb has for its object, no part of a longer name (`a triathlon suit`).
    """
    if statement.confidence < 1 or statement.category == "plan":
        return False
    waited = _pending().search(record.content)
    told = _outcome().match(statement.content) if waited else None
    if waited is None or told is None:
        return False
    of = _of_time().sub("", waited["of"]).split(",")[0]
    words = [word for word in re.findall(r"[A-Za-z][\w'-]+", of) if gist(word).words]
    if not words:
        return False
    head = gist(words[-1]).words
    rest = re.findall(r"[\w'-]+", statement.content[told.end() :])
    for n, word in enumerate(rest):
        if gist(word).words == head:
            after = rest[n + 1] if n + 1 < len(rest) else ""
            return not after or not gist(after).words or after in _AFTER_OBJECT
    return False


_NO_NOUN = (
    "aside off away today yesterday last this in on at for with and because so until to after "
    "again instead next early late from by"
)
_AFTER_OBJECT = frozenset(_NO_NOUN.split())


def decided_anew(statement: Statement, record: Record) -> bool:
    """Whether both settle the same thing: the white tiles, and the blue ones before."""
    both = statement.attribute == record.attribute and statement.attribute in ("decision", "plan")
    return both and bool(gist(statement.value).words & gist(record.value).words)


def _frame_words(content: str) -> list[str]:
    return [word for word in fold(content).split() if word not in _SMALL]


_ADVERBS = "finally about only now usually always normally still currently just also really mostly"
_SMALL = frozenset(_ADVERBS.split())


def rescheduled(statement: Statement, record: Record) -> bool:
    """Whether one thing that is done has another time of day, or is done more or less often."""
    one, other = _often().findall(statement.content), _often().findall(record.content)
    if not one or not other or one == other:
        return False
    first, second = gist(statement.content).words, gist(record.content).words
    alike = _same_verb(_frame_words(statement.content), _frame_words(record.content))
    return alike or len(first & second) / min(len(first), len(second)) >= _CLOSE


@cache
def _often() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:to bed|get up|gets up|wakes? up|up) at (\d[\d:.]*(?: ?[ap]m)?)"
        r"|\b(once|twice|\w+ times) (?:an?|per|every) (?:day|week|month|year)\b",
        re.IGNORECASE,
    )


def recounted(content: str, kept: str) -> bool:
    """Whether both count the same things, and find another number of them."""
    new, old = _counts(content), _counts(kept)
    return any(new[thing] != old[thing] for thing in new.keys() & old.keys())


def _counts(text: str) -> dict[str, str]:
    """Things by how many there are of them; not lengths of time, which count anything."""
    found = {}
    for match in _count().finditer(fold(text)):
        thing = (match["thing"] or match["per"] or match["rank"]).removesuffix("s")
        if match["per"] or thing not in _TIMES:
            found[thing] = match["number"] or match["rate"] or match["place"]
    return found


_LENGTHS = "day week month year hour minute second time morning night am pm of"
_TIMES = frozenset(_LENGTHS.split())


@cache
def timed() -> re.Pattern[str]:
    """What a sentence has that says when: a number, a day, a month, in either language."""
    return re.compile(
        r"\d|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day|\b(?:january|february|march|april|may"
        r"|june|july|august|september|october|november|december|noon"
        r"|morning|afternoon|evening|nights?|days?|shifts?)"
        r"|[周点号月日天晚早]|星期|礼拜",
        re.IGNORECASE,
    )


@cache
def _count() -> re.Pattern[str]:
    words = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
    return re.compile(
        r"(?<![\w.])(?P<rate>\d[\d.,]*k?)(?: quid| pounds| dollars| euros| bucks)?"
        r" (?P<per>(?:an?|per) (?:hour|day|week|month|year))\b"
        r"|\b(?P<rank>year|grade|room|level|stage|phase|chapter|floor|gate|platform|node|python"
        r"|class) (?P<place>\d[\d.]*)\b"
        rf"|\b(?P<number>\d[\d.,]*|{words}) (?P<thing>[a-z]{{3,}})"
    )


__all__ = ["begins_alike", "decided_anew", "recounted", "rescheduled", "settles", "timed"]
