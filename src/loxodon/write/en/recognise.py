"""What a clause is about: its attribute and value, and whether it states, changes or ends."""

from __future__ import annotations

import re
from functools import cache

from loxodon.write.attributes import OF_THINGS, plausible
from loxodon.write.domains import BY_NAME, TOOLS, domains_of
from loxodon.write.en.clauses import Clause
from loxodon.write.en.endings import CHANGES, ENDS
from loxodon.write.en.patterns import Lazy
from loxodon.write.en.rules import Found, Rule, compiled, light, tidy
from loxodon.write.en.scene import is_name
from loxodon.write.en.themes import PLANS, STATES
from loxodon.write.en.words import BEINGS, JOBS, PETS, RELATIONS, as_set
from loxodon.write.statements import USER


@cache
def _rules() -> tuple[tuple[re.Pattern[str], Rule], ...]:
    return compiled((*ENDS, *CHANGES, *STATES, *PLANS))


_NO_VALUE = frozenset(
    """
    it this that them him her here there one ones something anything everything nothing stuff
    things thing lot
    """.split()
)
_OF_BEINGS = frozenset(["name", "hobby", "habit", "plays", "reads", "watches", "skill"])
"""What only someone can have or do."""
_KEEPS_ARTICLE = frozenset(("occupation", "plan", "decision", "project", "owns"))


def recognise(clause: Clause) -> Found:
    """What the clause says, by the first rule that fits; empty where none does."""
    if clause.subject in ("It", "There"):
        return Found()
    predicate = re.sub(r"^has got\b", "has", _PLURAL.sub(_singular, light(clause.predicate)))
    if clause.of == USER and clause.key != USER:
        found = _of_thing(clause, predicate)
        if found:
            return found
    elif clause.of == "the" and (timed := _IS.match(predicate)) and _TIME.match(timed["v"]):
        new = "change" if _NOW.search(clause.predicate) else "state"
        return Found("schedule", tidy(timed["v"]), new, (), True, clause.key)  # type: ignore[arg-type]
    for pattern, rule in _rules():
        if not _fits(rule, clause):
            continue
        match = pattern.match(predicate)
        if match and (found := _found(match, rule, clause)):
            thing = clause.of and not is_person(clause)
            if found.attribute == "theme" and clause.key.split()[-1].lower() not in _HAS_THEME:
                return Found(topic=found.topic)  # `the shed is on a slope`
            if thing and found.act == "state" and found.attribute in _OF_BEINGS:
                return Found(topic=found.topic)  # what a thing is called is not the user's name
            return found
    return Found()


_HAS_THEME = frozenset(
    "thesis dissertation paper essay book novel project talk presentation podcast article chapter research phd course report "
    "series blog memoir film play documentary masters postdoc study script story lecture".split()
)
_PLURAL = Lazy(r"^(?:are|were|have|don't|aren't)\b(?! not? )")


def _singular(found: re.Match[str]) -> str:
    """The verb of several as of one: the rules are written for one."""
    return {"are": "is", "were": "was", "have": "has", "don't": "doesn't", "aren't": "isn't"}[
        found[0]
    ]


_OF_PEOPLE = frozenset(("home", "employer", "school", "occupation", "diet", "age", "membership"))
_HOMES = frozenset(("place", "home", "house", "flat", "apartment", "address", "family"))


def _fits(rule: Rule, clause: Clause) -> bool:
    own = rule.attribute in _OF_PEOPLE and clause.of == USER
    if own and clause.key != USER and not is_person(clause):
        return rule.attribute == "home" and clause.key.split()[-1].lower() in _HOMES
    if not rule.of:
        return True
    if rule.of == "user":
        return clause.key == USER
    thing = clause.of in (USER, "the") and not is_person(clause)
    return thing if rule.of == "thing" else clause.key != USER and not thing


def is_person(clause: Clause) -> bool:
    """Whether a clause is about someone, not something."""
    last = clause.key.split()[-1].lower() if clause.key else ""
    named = clause.key[:1].isupper() and clause.key.split()[-1][:1].isupper()
    kind = clause.key.lower().replace(" in law", "-in-law").split()[-1:]
    return named or any(
        one in as_set(BEINGS) or one.removesuffix("s") in as_set(BEINGS) for one in (last, *kind)
    )


def _found(match: re.Match[str], rule: Rule, clause: Clause) -> Found | None:
    groups = match.groupdict()
    article = rule.attribute in _KEEPS_ARTICLE
    value = tidy(groups.get("v") or groups.get("v2") or "", article)
    over = tidy(groups.get("thing") or groups.get("o") or groups.get("o2") or "")
    attribute = rule.attribute
    if groups.get("thing") and (head := head_attribute(over)):
        attribute, over = head, ""
    if ("v" in groups or "v2" in groups) and (value.lower() in _NO_VALUE):
        return None
    if "o" in groups and groups["o"] and over.lower() in _NO_VALUE:
        over = ""
    over = tidy(_LEADING.sub("", over))
    shorter = _GIVEN_TO.split(over, maxsplit=1)[0] if rule.act == "end" else ""
    named = _GENERIC.sub("", over)
    if rule.act == "change" and named.lower() in BY_NAME:
        named = ""  # a phone plan is no phone
    overs = tuple(part for part in (over, named, shorter) if part)
    if attribute == "degree" and rule.act == "change":
        attribute = "major"
    overs = tuple(dict.fromkeys(overs))
    if rule.act == "end" and not overs:
        overs = tuple(dict.fromkeys(w for o in _ended(clause) for w in (o, _NAMED_BY.sub("", o))))
    if attribute in ("home", "employer", "school") and not plausible(attribute, value, "en"):
        return None  # rehearsals that moved to Wednesdays live nowhere
    if attribute == "home" and domains_of(value) & TOOLS:
        attribute = "uses"  # who has moved to Firefox does not live there
    if attribute == "pet" and (called := _CALLED_SO.match(value)):
        value = called["name"]
    if attribute == "allergy":
        value = re.sub(r"(?<=[a-z]{2}[^s])s$", "", value)
    about = over if groups.get("thing") and rule.attribute else ""
    if groups.get("thing") and attribute in OF_THINGS:
        about = tidy(groups["thing"])
    if about and attribute != "schedule":
        overs = tuple(part for part in (tidy(groups.get("o") or ""),) if part)
    return Found(attribute, value, rule.act, overs, rule.positive, rule.topic, about)


_LEADING = Lazy(
    r"^(?:(?:on|of|about|with|from|at|being|doing|going|using|having|reading|watching|listening to|whole|entire|old|trying to"
    r"|wanting to|becoming) )+",
    re.I,
)
"""What stands before the thing that is over: `gave up on being a pilot`."""
_CALLED_SO = Lazy(r"[\w' -]+? (?:named|called) (?P<name>(?-i:[A-Z])[\w'-]*)$", re.I)
_GIVEN_TO = Lazy(
    r" to (?:an? |the |my |their |some|(?-i:[A-Z]))| and (?:\w+ed|went|took|got|bought)\b| for good\b",
    re.I,
)
"""What stands after the thing that is over: `sold Blaze to a family in Kent`."""
_GENERIC = Lazy(
    r" (?:membership|subscription|account|course|class|classes|lessons|thing|plan|gym|trip|holiday"
    r"|appointment|habit|diet|idea|contract|order|booking)$",
    re.I,
)


_NAMED_BY = Lazy(
    r" (?:membership|subscription|account|course|class|classes|lessons|thing|plan|gym|trip|holiday|appointment"
    r"|contract|order|booking|house|flat|place|deal|sale|offer|tickets|tour|visit|interview|weekend|flights?"
    r"|concert|job|role|move|vacation|cruise|getaway|reservation)$",
    re.I,
)
"""What something that falls through is called besides its name: `the Whitstable house`."""


def head_attribute(thing: str) -> str:
    """The attribute that a thing is of by its last words: a `day rate` is a salary."""
    lower = re.sub(r"^(?:the|their|his|her|my|our|new) ", "", thing.lower())
    lower = re.split(r" (?:for|of|in|at) ", lower)[0]
    for head, attribute in _HEADS.items():
        if lower == head or lower.endswith(f" {head}"):
            return attribute
    return ""


def _ended(clause: Clause) -> tuple[str, ...]:
    """The words for what ended where the predicate has none: its subject."""
    if clause.key == USER:
        others = re.sub(r"^The user(?: and )?", "", clause.subject)
        return (others,) if others else ()
    return (clause.key,)


# --- things of the user's -------------------------------------------------------------------------

_HEADS = {
    "name": "name", "full name": "name", "first name": "name", "surname": "name",
    "nickname": "nickname",
    "age": "age", "birthday": "birthday", "address": "home", "home": "home", "hometown": "hometown",
    "job": "occupation", "day job": "occupation", "role": "occupation", "job title": "occupation",
    "employer": "employer", "work": "employer", "company": "employer", "salary": "salary",
    "day rate": "salary", "rate": "salary", "budget": "budget", "deadline": "deadline",
    "rent": "price",
    "target": "goal", "goal": "goal", "height": "height", "weight": "weight",
    "shoe size": "shoe_size",
    "car": "car", "phone": "phone", "laptop": "computer", "computer": "computer", "pc": "computer",
    "school": "school", "uni": "school", "university": "school", "major": "major",
    "degree": "degree",
    "first language": "native_language", "native language": "native_language",
    "mother tongue": "native_language",
    "timezone": "timezone", "time zone": "timezone", "blood type": "blood_type",
    "star sign": "zodiac",
    "stack": "stack", "tech stack": "stack", "database": "database",
    "default branch": "default_branch",
    "pb": "record", "personal best": "record", "religion": "religion", "nationality": "nationality",
    "hobby": "hobby", "hobbies": "hobby", "allergy": "allergy", "allergies": "allergy",
    "diet": "diet",
    "side hustle": "project", "plan": "plan", "due date": "pregnancy", "commute": "commute",
    "bedtime": "bedtime",
    "number": "contact", "phone number": "contact", "email": "contact", "handle": "contact",
    "hours": "schedule", "summer hours": "schedule", "opening hours": "schedule",
    "winter hours": "schedule",
    "shift": "schedule", "shifts": "schedule", "pickup": "schedule", "dream": "goal",
    "pronouns": "gender",
}  # fmt: skip

RELATION_ATTRIBUTES = {
    "partner": """
        wife husband girlfriend boyfriend partner fiancé fiancée fiance fiancee spouse missus
        other_half better_half hubby wifey""",
    "manager": """
        boss manager line_manager supervisor advisor adviser pi team_lead tech_lead director""",
    "doctor": """
        doctor gp dentist consultant surgeon dermatologist cardiologist neurologist oncologist
        ob obgyn ob-gyn obstetrician gynaecologist gynecologist midwife paediatrician pediatrician
        optician optometrist orthodontist physio physiotherapist nurse endocrinologist""",
    "teacher": "teacher tutor coach trainer professor lecturer headteacher principal",
    "therapist": "therapist counsellor counselor psychiatrist psychologist",
    "landlord": "landlord landlady",
    "child": """son daughter kid child baby toddler stepson stepdaughter stepchild eldest oldest
        youngest middle_one little_one lad boy girl twin twins kids children boys girls godson
        goddaughter teenager teen""",
    "parent": """
        mother mom mum mam mama mommy mummy amma father dad dada daddy papa appa parent parents
        stepmother stepmum stepmom stepfather stepdad folks ma pa""",
    "sibling": """
        sister sis brother bro sibling siblings stepsister stepbrother half-sister half-brother""",
    "friend": "friend best_friend mate bestie bff buddy pal duo",
    "colleague": """colleague coworker co-worker teammate assistant apprentice intern co-founder
        cofounder business_partner mentor mentee employee client""",
    "neighbour": "neighbour neighbor",
    "living_with": "roommate roomie flatmate housemate lodger",
    "ex": "ex ex-wife ex-husband ex-girlfriend ex-boyfriend",
    "pet": PETS,
}


@cache
def _attribute_of() -> dict[str, str]:
    return {
        relation: attribute
        for attribute, words in RELATION_ATTRIBUTES.items()
        for relation in as_set(words)
    }


def relation_attribute(relation: str) -> str:
    """The attribute under which someone of that relation is kept."""
    last = relation.split()[-1] if relation else ""
    if relation.startswith(("ex ", "ex-")):
        return "ex"
    if "'s " in relation:
        return "knows"  # someone else's
    table = _attribute_of()
    if relation in table or last in table:
        return table.get(relation, table.get(last, ""))
    return "relative" if relation in as_set(RELATIONS) and _is_kin(relation) else "knows"


def _is_kin(relation: str) -> bool:
    return bool(
        re.search(
            r"cousin|aunt|uncle|niece|nephew|gran|\bnan\b|in.law|relative|god|great|gramps|nana",
            relation,
        )
    )


_NAME_VALUE = Lazy(
    r"(?:is|are)(?: now)? (?:called |named |an? )?(?P<v>(?-i:(?:(?:Mr|Mrs|Ms|Miss|Dr"
    r"|Prof)\.? )?[A-Z][\w'-]+(?: [A-Z][\w'-]+)*))(?=$|[,;.]| at | from | and | who | now)"
)
_CALLED = Lazy(
    r"(?:is|are|was) (?:called|named) (?P<v>[^,;]+?)(?=$|[,;.]| and | who | because| after )", re.I
)
_BECAME = Lazy(
    r"(?:has |have |is |are |was |just |been |got )*(?:changed|changing|gone|went|going|moved|moving|switched"
    r"|raised|bumped|dropped|fell|rose|risen|jumped|increased|cut|lowered|reduced|extended|pushed|slipped)"
    r"(?: up| down| back| out)?(?: from [^,;]+?)? to (?P<v>[^;]+)",
    re.I,
)
"""What something of the user's has come to: `my number changed to …`."""
_ALTERED_TO = Lazy(
    r"(?:been )?(?:\w+ed|put|cut|brought|going|gone|up|down)(?: up| down| back| forward)? (?:to|until) "
)
_NOW = Lazy(r"\b(?:now|from now on|these days)\b", re.I)
_IS = Lazy(r"(?:is|are|was|were|will be|has been|'s)(?: now| still| currently)? (?P<v>[^;]+)", re.I)
_TIME = Lazy(
    r"(?:on |at |in |the |due |every |from |first |last |until |moved to )*(?:\d{1,2}(?:st|nd"
    r"|rd|th)?\b(?! (?:met|feet|foot|inch|cm|mm|km|mile|kilo|kg|gram|pound|lit|degree|percent|people|points|pages|years?|floor))|\d{1,2}[:.]\d\d|mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug"
    r"|sep|oct|nov|dec"
    r"|tomorrow|today|tonight|next|this|first|last|noon|midnight|half past|spring|summer"
    r"|autumn|winter)",
    re.I,
)


def relation_in(clause: Clause) -> str:
    """What someone is to the user, where the subject says only that: `The user's new boss`."""
    subject = clause.subject.removeprefix("The user's ").lower()
    for size in (3, 2, 1):
        tail = " ".join(subject.split()[-size:])
        if tail in as_set(BEINGS):
            return tail
    return ""


def _of_thing(clause: Clause, predicate: str) -> Found | None:
    """What is said of something of the user's, by what kind of thing it is."""
    key = relation_in(clause) or re.sub(
        r"^(?:new|current|old|next|main|own) ", "", clause.key.lower()
    )
    relation = key in as_set(RELATIONS) or key in as_set(PETS)
    change = bool(re.match(r"The user's new ", clause.subject)) or bool(
        re.search(r"\bnow\b", clause.predicate)
    )
    if relation or clause.subject.lower().endswith(f"'s {key}"):
        named = _CALLED.match(predicate) or (_NAME_VALUE.match(predicate) if relation else None)
        if named and relation and any(map(is_name, named["v"].split())):
            return Found(
                relation_attribute(key),
                tidy(named["v"]),
                "change" if change else "state",
                (),
                True,
                "people",
            )
    if relation or is_person(clause):
        return None
    if key.split()[-1].removesuffix("s") in as_set(RELATIONS):
        aged = re.fullmatch(
            r"(?:is|are) (?P<v>\d{1,2}(?:(?:,| and|, and) \d{1,2})*)(?: now)?", predicate
        )
        return Found("age", aged["v"], topic=key) if aged else None
    if last := re.match(r"last (?:day|shift|week)(?: at (?P<where>.+))?", clause.key, re.I):
        return Found("employer", "", "end", (last["where"],) if last["where"] else (), True, "work")
    attribute = "" if "'s " in key or "s' " in key else head_attribute(key.split(" at ")[0])
    match = _IS.match(predicate)
    if attribute and match and not re.match(r"(?:off|cancelled|over|gone|called)\b", match["v"]):
        value = tidy(re.split(r",(?!\d)| because | so | but ", match["v"])[0], True)
        if altered := _ALTERED_TO.match(value):
            value, change = value[altered.end() :], True
        if attribute == "name" and value.islower() and value.endswith("ed"):
            named = re.match(r"[a-z]+, ((?-i:[A-Z])[\w'-]+(?: [A-Z][\w'-]+)*)", match["v"])
            if named is None:
                return Found(topic=key)  # `hyphenated`, and no name
            value = named[1]
        which = attribute in ("car", "phone", "computer")
        if which and (
            (value.isalpha() and value.islower()) or re.match(r"(?:on|at|in|up|\d[\d,]* )\b", value)
        ):
            return Found(topic=key)  # how it is, not which
        if attribute == "occupation" and value.isalpha() and value.islower():
            return Found(attribute, value, topic=key) if value in as_set(JOBS) else Found(topic=key)
        return Found(attribute, value, "change" if change else "state", (), True, key)
    if attribute and (became := _BECAME.match(predicate)):
        value = tidy(re.split(r",(?!\d)| because | so | but ", became["v"])[0], True)
        return Found(attribute, value, "change", (), True, key)
    if key.startswith(("favourite", "favorite")):
        return match and Found(
            "favourite", tidy(match["v"]), "change" if change else "state", (), True, key
        )
    if match and _TIME.match(match["v"]):
        return Found("schedule", tidy(match["v"]), "change" if change else "state", (), True, key)
    return None


USERS_OWN = frozenset(_HEADS.values()) - {"schedule", "price", "plan", "hobby"}
"""Attributes that are the user's, though the sentence is about a thing: `my job is …`."""

__all__ = ["USERS_OWN", "is_person", "recognise", "relation_attribute", "relation_in"]
