"""A clause and what was recognised in it, made a statement, or several."""

from __future__ import annotations

import re

from loxodon.write.attributes import ATTRIBUTES
from loxodon.write.en.changes import effective
from loxodon.write.en.clauses import Clause
from loxodon.write.en.clean import bare
from loxodon.write.en.patterns import Lazy
from loxodon.write.en.polish import mentions_of, polished
from loxodon.write.en.recognise import (
    USERS_OWN,
    is_person,
    relation_attribute,
    relation_in,
)
from loxodon.write.en.rules import Found
from loxodon.write.en.scene import Scene
from loxodon.write.en.words import WEEKDAYS, alternatives
from loxodon.write.statements import USER, Statement

RELATED = frozenset(
    """
    partner manager doctor teacher therapist landlord child parent sibling relative friend
    colleague pet neighbour ex knows living_with
    """.split()
)
"""Attributes whose value is someone: `my boss is Ulla` is about the user."""


_WEEKLY = Lazy(
    rf"(?P<day>{alternatives(WEEKDAYS)}s)(?: is| are|:)?(?: (?:i've got|i have|i do|i'm at"
    r"|i go to|we have|we do))? (?P<what>[^,]+)",
    re.I,
)


def weekly(text: str) -> list[Clause]:
    """`mondays I have band, fridays chess`: a clause for each day."""
    parts = [part.strip() for part in text.split(",")]
    found = [_WEEKLY.fullmatch(part) for part in parts]
    if len(parts) < 2 or not all(found):
        return []
    return [
        Clause("The user", USER, f"has {bare(one['what'])} on {one['day'].capitalize()}")
        for one in found
        if one
    ]


def denial(wrong: Statement, right: Statement) -> Statement | None:
    """Where a statement was corrected to be about someone else: that it is not so of the first."""
    if wrong.subject == right.subject or wrong.subject == USER:
        return None
    content = re.sub(r"\b(is|are|was|has|can|will|does)\b", r"\1 not", wrong.content, count=1)
    if content == wrong.content:
        return None
    return wrong._replace(
        content=content.replace("has not ", "does not have "), act="correct", positive=False
    )


def statement_of(
    clause: Clause, found: Found, scene: Scene, confidence: float = 1.0, basis: str = ""
) -> Statement:
    """A clause and what was found in it as a statement."""
    content = polished(scene.named(clause.content))
    subject = _subject(clause, found)
    if lately := _LATELY.search(subject):
        subject = subject[: lately.start()]
        found = found._replace(act="change") if found.act == "state" else found
    relation = scene.relation_of.get(subject.lower(), "")
    known = ATTRIBUTES.get(found.attribute)
    category = known.category if known else _category(clause, found)
    negative = re.match(
        r"(?:doesn't|does not|isn't|is not|can't|cannot|never|hasn't|won't|no longer|didn't"
        r"|has no (?!longer|idea|choice|time|problem|issue|plans))\b",
        clause.predicate,
    )
    act = found.act
    if act == "state" and known and known.one and re.search(r"\bnow\b", clause.predicate):
        act = "change"
    if act == "state" and found.attribute in ("plan", "decision") and "instead" in clause.predicate:
        act = "change"
    wrong = re.search(r",? not (?:on |in |at )?(?P<old>[\w ]{2,20})$", found.value)
    actually = known and known.one and re.search(r"\b(?:actually|in fact)\b", clause.predicate)
    if found.attribute and (wrong or actually):
        act = "correct"
        if wrong:
            found = found._replace(value=found.value[: wrong.start()], over=(wrong["old"],))
            content = re.sub(
                rf",? not (?:on |in |at )?{re.escape(wrong['old'])}", "", content, flags=re.I
            )
    elif aside := _NOT_SO.search(content):
        act, content = "correct", content[: aside.start()]
        found = found._replace(over=(*found.over, aside["old"]))
    over = found.over
    if found.attribute == "schedule" and act == "change" and clause.of == USER and not over:
        over = (clause.key,)
    if found.attribute == "marital_status" and act == "change":
        over = ("girlfriend", "boyfriend", "fiancé", "fiancée", "fiance")
    if (
        found.attribute == "home"
        and act == "change"
        and relation_attribute(relation) == "living_with"
    ):
        act, over = "end", (subject, relation)
    lost = found.topic == "loss" or subject.lower() in map(str.lower, over)
    if (
        found.attribute in ("partner", "pet", "living_with") or (not found.attribute and lost)
    ) and (act == "end" and relation):
        over = (*over, relation)
    made = Statement(
        content=content,
        subject=subject,
        attribute=found.attribute,
        value=scene.named(found.value),
        category=category,
        act=act,
        over=tuple(scene.named(word) for word in over),
        positive=found.positive and not negative,
        confidence=confidence,
        basis=basis,
        mentions=mentions_of(content, scene),
        topic=found.topic,
    )
    return effective(made, clause.predicate)


_LATELY = Lazy(r" (?:these days|nowadays|now|right now|at the moment|lately|currently)$", re.I)
"""What a subject may end with that is no part of its name."""
_NOT_SO = Lazy(
    r",? (?:and )?not (?:in |on |at |with |for |from |a |an |the |as )*"
    r"(?P<old>(?-i:[A-Z£$€]|\d{3})[\w&'.:,-]*(?: (?-i:[A-Z0-9])[\w&'.-]*)*)(?: any ?more)?$",
    re.I,
)
"""What a sentence ends with that says what is wrong: `from Braga, not Porto`."""


def _subject(clause: Clause, found: Found) -> str:
    """Whom a statement is filed under: the user, where it tells who someone of theirs is."""
    if found.about:
        return found.about
    if found.act != "state" and (_treats(clause, found) or _led_to(clause, found)):
        return USER
    if clause.of == USER and (
        both := re.match(r"([\w' -]+?) and (?:his|her|their|the) ", clause.key)
    ):
        return both[1]
    if clause.of == USER and clause.key != USER:
        if found.attribute == "name" and not clause.key.lower().endswith("name"):
            return clause.key
        kin = relation_in(clause) or clause.key
        related = found.attribute in RELATED and relation_attribute(kin) == found.attribute
        if related or (found.attribute in USERS_OWN and not is_person(clause)):
            return USER
        if found.attribute == "schedule":
            return re.sub(
                r" (?:sessions?|appointments?|class|classes|lessons?|time)$", "", clause.key
            )
    if found.attribute == "medication" and re.match(
        r"(?:has )?(?:put|took|taken|is taking|weaned) the user o(?:n|ff)\b", clause.predicate
    ):
        return USER
    return clause.key


def _led_to(clause: Clause, found: Found) -> bool:
    """Whether someone got the user to choose something, or forbade it."""
    said = re.match(r"(?:has )?[a-z]+ the user\b", clause.predicate)
    return said is not None and found.attribute in ("decision", "avoids")


def _treats(clause: Clause, found: Found) -> bool:
    """Whether who looks after the user's health changed what they take."""
    kin = relation_in(clause) or clause.key.lower()
    if clause.of != USER or relation_attribute(kin) not in ("doctor", "therapist"):
        return False
    return found.attribute in ("medication", "uses", "dose") or "mg" in clause.predicate


_AT_WORK = Lazy(
    r"(?P<role>(?:is|was|works as|has been)(?: now| still| currently)? (?:an? "
    r"|the )?[^,;]*?) (?:at|for|with) (?P<org>(?:a |an |the )?(?:[\w&'.-]+ )*?"
    r"(?:(?-i:[A-Z])[\w&'.-]*(?: (?:& )?(?-i:[A-Z])[\w&'.-]*)*|firm|company|agency|bank"
    r"|hospital|school|startup|council|charity|shop|hotel|comp)\b.*)"
)


def at_work(clause: Clause, found: Found) -> list[tuple[Clause, Found]]:
    """What someone is, and where: two things that change apart."""
    match = _AT_WORK.fullmatch(clause.predicate) if found.attribute == "occupation" else None
    if match is None or re.search(
        r"\b(?:year|phd|student|undergrad|teaches|team)\b", match["role"]
    ):
        return [(clause, found)]
    org = re.split(r",(?! [A-Z])| in (?=[A-Z])| as | since | for \d| day in", match["org"])[0]
    place = re.search(r" (in [A-Z][\w' -]*?)(?=$|,| and )", match["org"])
    role = clause._replace(predicate=match["role"])
    if clause.of == USER and clause.key in ("day job", "job", "role"):
        clause = Clause("The user", USER, "")
    work = clause._replace(predicate=f"works at {org.strip(' ,')}{' ' + place[1] if place else ''}")
    return [(role, found), (work, Found("employer", org.strip(" ,"), found.act, (), True, "work"))]


_PLACE_OF = Lazy(r".*\d.* (?P<where>(?:in|at) (?-i:[A-Z])[\w' -]+?)(?=$|,)")


def takes_place(clause: Clause, found: Found) -> list[tuple[Clause, Found]]:
    """Where something is held, apart from when: the place stays when the day is moved."""
    match = (
        _PLACE_OF.match(clause.predicate) if found.attribute == "schedule" and clause.of else None
    )
    if match is None or clause.key == USER:
        return []
    return [
        (
            clause._replace(predicate=f"is {match['where']}"),
            Found("", "", "state", (), True, found.topic),
        )
    ]


def _category(clause: Clause, found: Found) -> str:
    if found.act in ("end", "change"):
        return "status"
    if re.match(
        r"(?:will|is going to|plans|wants to|is having|has to|needs to)\b", clause.predicate
    ):
        return "plan"
    return "fact"


__all__ = ["RELATED", "at_work", "denial", "statement_of", "takes_place", "weekly"]
