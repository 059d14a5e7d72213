"""Nouns that stand for a sentence: `budget 90`, `2 kids`, `interview friday`, `tiny kitchen`."""

from __future__ import annotations

import re
from functools import cache

from loxodon.write.en.patterns import Lazy
from loxodon.write.en.scene import Scene
from loxodon.write.en.verbs import forms_of
from loxodon.write.en.words import PETS, RELATIONS, alternatives
from loxodon.write.statements import USER

Completed = tuple[str, str]


_LABEL = Lazy(
    r"(?:my |our |the )?(?P<label>(?:new |current |next |old |main |new year's |this year's |long[- ]term |fitness )?(?:day job|side hustle"
    r"|job|role|stack(?: at work)?|tech stack|budget|deadline|target|goal"
    r"|favou?rite [a-z ]{2,20}|rent|salary|hobby|hobbies|diet|allergies|allergy|pets?"
    r"|location|address|height|weight|size|name|age"
    r"|working title|title|word count|summer hours|opening hours|winter hours|hours|shift"
    r"|shifts|dream job|major|degree|course|school|uni|team"
    r"|languages?|bike|car|phone|laptop|setup|kit|gear|landlord|boss|manager|pb|personal best"
    r"|day rate|rate|height|blood type|star sign"
    r"|insurance|firm choice|first choice|timezone|time zone|email|plan))"
    r"(?: from now| from \w+)?(?:\s*[:=]\s*| (?=(?:is )?[£$€]?\d))(?:is )?(?P<value>\S.*)",
    re.I,
)


def labelled(text: str, scene: Scene, running: str, asked: str) -> Completed | None:
    """`day job: baker`, `budget 90`."""
    found = _LABEL.fullmatch(text)
    if not found:
        return None
    label = re.sub(r"^(new|next) (?=favou?rite)", "", found["label"].lower())
    verb = (
        "are"
        if label
        in (
            "summer hours",
            "hours",
            "opening hours",
            "winter hours",
            "allergies",
            "hobbies",
            "languages",
            "shifts",
        )
        else "is"
    )
    now = (
        " now"
        if found["label"].lower().startswith("new ") and label != found["label"].lower()
        else ""
    )
    to = (
        "to "
        if label.endswith(("goal", "target", "plan"))
        and "base" in forms_of(found["value"].split()[0].lower())
        else ""
    )
    return f"the user's {label}", f"{verb}{now} {to}{found['value']}"


@cache
def _count() -> re.Pattern[str]:
    plural = (
        "kids children sons daughters boys girls sisters brothers siblings cats dogs "
        "chickens hens horses"
        " rabbits grandkids grandchildren grandsons granddaughters siblings cousins nephews "
        "nieces roommates"
        " flatmates housemates employees tenants cows sheep goats pigs puppies kittens "
        "stepkids stepsons"
    )
    one = alternatives(RELATIONS + PETS)
    return re.compile(
        r"(?:(?:\d+|one|two|three|four|five|six|seven|eight|nine"
        rf"|ten)\s+(?:\w+\s+)?{alternatives(plural)}\b.*"
        rf"|(?:(?:\d+\.?\s+)?me,?\s+(?:and\s+)?(?:my\s+)?(?:the\s+)?(?P<list>(?:{one}"
        rf"|\w+ {alternatives(plural)})(?:,|\s+and|\s+&|$).*)))",
        re.I,
    )


def counted(text: str, scene: Scene, running: str, asked: str) -> Completed | None:
    """`2 kids, Una and Ned`; `me, husband, two boys`."""
    found = _count().fullmatch(text)
    if not found:
        return None
    if found["list"]:
        people = [one.strip() for one in re.split(r",|\band\b|&", found["list"]) if one.strip()]
        people = [
            one if re.match(r"\w+ \w+", one) or one.endswith("s") else f"a {one}" for one in people
        ]
        joined = ", ".join(people[:-1]) + (" and " if len(people) > 1 else "") + people[-1]
        return USER, f"have {joined}"
    if re.search(r"\b(?:lives?|are|is|has|have|was|were|wants?|needs?)\b", text.split(":")[0]):
        return None
    return USER, f"have {text}"


def article(noun: str) -> str:
    first = noun.split()[0]
    if first.isupper() and len(first) <= 4:
        return "an" if first[0] in "FHLMNRSXAEIO" else "a"
    return (
        "an"
        if first[0].lower() in "aeiou" and not first.lower().startswith(("uni", "eu", "use"))
        else "a"
    )


_EVENTS = """
    interview exam exams midterms finals test driving_test flight train appointment dentist
    doctors wedding funeral christening birthday party meeting presentation viva recital gig
    concert game match race marathon half_marathon 10k surgery op operation scan check-up checkup
    mri blood_test first_day last_day deadline trip holiday conference move hearing audition
    rehearsal shift reunion graduation baby_shower hen_do stag_do date viewing inspection mot
    delivery parents_evening anniversary booking reservation haircut physio therapy
    visa_appointment citizenship_test
"""


@cache
def _due_event() -> re.Pattern[str]:
    time = (
        r"(?:on |at |in |next |this |the |tomorrow|tonight|today"
        rf"|every )*(?:{alternatives(_DAYS)}s?|tomorrow|tonight|today|next (?:week|month"
        r"|year)|this (?:week|month|weekend|summer|autumn|winter|spring)"
        rf"|{alternatives(_MONTH_NAMES)}|\d{{1,2}}(?:st|nd|rd|th|[:.]\d\d| ?[ap]m)|in (?:\d+"
        r"|two|three|a few|a couple of) (?:days|weeks|months|hours)|in an hour)\b.*"
    )
    return re.compile(
        r"(?:(?:big|another|final|first|second|third|important|work|school|job|team|maths"
        r"|chemistry|english|annual|family|my|our|a|an|the|got"
        rf"|have) )*(?P<what>{alternatives(_EVENTS)}(?: (?:for|with|at|to"
        rf"|in) (?!{alternatives(_DAYS)}|the \d|\d)[\w' ]{{2,30}}?)?)(?: is|'s"
        rf"|:)? (?P<when>{time})",
        re.I,
    )


_DAYS = (
    "monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thurs fri sat "
    "sun"
)


_MONTH_NAMES = (
    "january february march april may june july august september october november december jan "
    "feb mar apr jun jul aug sept oct nov dec"
)


def due(text: str, scene: Scene, running: str, asked: str) -> Completed | None:
    """`interview friday at 2`, `wedding in june`: something that is to come."""
    found = _due_event().fullmatch(text)
    if not found or re.search(r"\b(?:ideas?|recs|tips|outfit|menu|plans?)\b", text, re.I):
        return None
    what = found["what"]
    plural = what.lower().endswith("s") and not what.lower().endswith("ss")
    plural = plural or what.lower().startswith(("therapy", "physio"))
    return USER, f"have {'' if plural else article(what) + ' '}{what} {found['when']}"


@cache
def _kept_thing() -> re.Pattern[str]:
    thing = (
        "flat house apartment garden kitchen balcony oven car bike budget family commute room "
        "place yard studio cottage dog cat terrace freezer fridge allotment"
    )
    adjective = (
        "north_facing south_facing east_facing west_facing tiny small big large little old new "
        "shared rented studio ground_floor top_floor basement second_hand low tight long "
        "terraced detached semi_detached one_bed two_bed three_bed open_plan gas electric "
        "induction huge massive cramped"
    )
    return re.compile(
        r"(?:(?:really|very|quite|pretty"
        rf"|super) )?(?:{alternatives(adjective)},? )+{alternatives(thing)}(?P<rest>(?:,| in "
        r"| with | so | but |$).*)",
        re.I,
    )


def described(text: str, scene: Scene, running: str, asked: str) -> Completed | None:
    """`north facing flat`, `tiny kitchen`: what the user has, described."""
    if not _kept_thing().fullmatch(text):
        return None
    return USER, f"have {article(text)} {text}"


__all__ = ["Completed", "article", "counted", "described", "due", "labelled"]
