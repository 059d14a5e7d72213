"""People and animals named together, born, or described in passing."""

from __future__ import annotations

import re
from functools import cache

from loxodon.write.en.patterns import Lazy
from loxodon.write.en.recognise import relation_attribute
from loxodon.write.en.scene import NAME, Scene, Someone, gender_of, is_name
from loxodon.write.en.words import (
    CONDITION_ADJECTIVES,
    DIETS,
    JOBS,
    PETS,
    RELATIONS,
    alternatives,
    as_set,
)  # fmt: skip
from loxodon.write.statements import USER, Mention, Statement

_TWO = Lazy(
    r"\b(?:my|our)(?: own)? (?P<n>two|three|four|five|\d)(?: (?P<kind>kids|children|boys"
    r"|girls|sons|daughters|cats|dogs|sisters"
    rf"|brothers))?,? (?P<names>{NAME}(?:, {NAME})*,? (?:and|&) {NAME})"
)


_NAMES_ARE = Lazy(rf"\b(?:their|the) names are (?P<names>{NAME}(?:, {NAME})*,? (?:and|&) {NAME})")


_MANY = Lazy(
    r"\b(?P<kind>cats|dogs|kids|children|sons|daughters|boys|girls|chickens|hens|rabbits|sisters"
    r"|brothers|horses|goats|puppies|kittens|twins)\b",
    re.I,
)


_BORN = Lazy(
    r"(?<!seeing )(?<!dating )(?<!met )(?<!with )\b(?:a|little|baby|healthy) (?P<kind>girl|boy|daughter|son),? (?:called "
    rf"|named )?(?P<name>{NAME})"
)


_ANOTHERS = Lazy(
    r"\b(?:friends?|mates?|cousin|colleague|coworker|co-worker|neighbou?rs?|boss|aunt|uncle|niece|nephew|(?-i:[A-Z][a-z]+))"
    r"(?:,| (?:and|from|at)\b[^.!?]{0,40}?)?(?: [A-Z]\w+,?)?(?: just| recently| has| have)* (?:had|welcomed|have|has|gave birth)\b",
    re.I,
)
"""Someone else whose baby it is."""


_NAMED_IT = Lazy(rf"\b(?:named|called|naming|calling) (?P<kind>her|him) (?P<name>{NAME})")
_MOTHER = Lazy(
    r"\b(?P<who>sister|sis|brother|cousin|best friend|friend|daughter|niece)(?: [A-Z]\w+)?(?: has"
    r"|'s)?(?: just)? had (?:her|his|their|a|the) (?:\w+ )?(?:baby|twins)",
    re.I,
)


_OPERATION = Lazy(
    rf"\b(?P<name>{NAME})'s (?P<what>(?:[a-z]+ )?(?:operation|op|surgery|chemo|transplant|wedding"
    r"|graduation|christening|funeral))\b"
)


def kin_in(text: str, scene: Scene) -> list[Statement]:
    """`my two, Ida and Finn`; `their names are …`; `Una's knee surgery`."""
    found = []
    two = _TWO.search(text)
    if two:
        kind = two["kind"] or "children"
        found.append(
            _several(f"The user has {two['n']} {kind}, {two['names']}", kind, two["names"])
        )
    names = _NAMES_ARE.search(text)
    if names and scene.many:
        kind = scene.many
        found.append(
            _several(f"The user's {kind} are called {names['names']}", kind, names["names"])
        )
    found += _described(text)
    if many := _MANY.search(text):
        scene.many = many["kind"].lower()
    if mother := _MOTHER.search(text):
        scene.parent = {"sis": "sister"}.get(mother["who"].lower(), mother["who"].lower())
    born = _BORN.search(text)
    if not scene.parent and _ANOTHERS.search(text[: born.start()] if born else text):
        whose = re.search(
            r"\b(cousin|colleague|coworker|neighbou?r|boss|aunt|uncle|mate)", text, re.I
        )
        if re.search(r"\b(?:baby|girl|boy|twins|birth)\b", text, re.I):
            scene.parent = whose[1].lower() if whose else "friend"
    named = _NAMED_IT.search(text) if scene.parent else None
    born = born or named
    if born and is_name(born["name"]):
        kinds = {"girl": "daughter", "boy": "son", "her": "daughter", "him": "son"}
        kind = kinds.get(born["kind"], born["kind"])
        baby = next(
            (
                one
                for one in reversed(scene.people)
                if re.search(r"baby|grandchild|niece|nephew", one.relation)
            ),
            None,
        )
        relation = baby.relation if baby and baby.relation != "baby" else kind
        if scene.parent:
            kin = {
                "sister": {"daughter": "niece", "son": "nephew"},
                "brother": {"daughter": "niece", "son": "nephew"},
                "daughter": {"daughter": "granddaughter", "son": "grandson"},
            }
            relation = kin.get(scene.parent, {}).get(kind, f"{scene.parent}'s {kind}")
        someone = Someone(born["name"], relation, gender_of(kind))
        scene.meet(someone)
        found.append(introduced(someone))
    for one in _OPERATION.finditer(text):
        what = one["what"]
        if is_name(one["name"]) and not re.search(
            rf"{re.escape(one['name'])}'s {re.escape(what)} (?:is|was|went|has)\b", text
        ):
            found.append(
                Statement(
                    f"{one['name']} is having {with_article(what)}",
                    one["name"],
                    "surgery",
                    what,
                    "relation",
                    topic="family",
                )
            )
    return found


@cache
def _as_one() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    job = alternatives(JOBS)
    adjective = alternatives(CONDITION_ADJECTIVES + DIETS)
    people = alternatives(RELATIONS)
    return (
        re.compile(
            rf"(?:^|[,.!] )(?:speaking )?(?:as|being) an? (?P<what>(?:[\w-]+ ){{0,2}}?(?:{job}"
            rf"|{adjective}|(?:single )?(?:mum|mom|dad|parent)(?: of \w+)?)(?=,| (?:i|my|it|we"
            r"|what|can|is)\b)|(?!(?:result|rule|matter|kid|child|teen\w*|bonus|gift|treat|reminder"
            r"|side|follow|consequence|whole|last|first|starting|general|quick|backup|way|group|family"
            r"|couple|team|company)\b)(?:[\w&'/+-]+ ){0,7}?[\w&'/+.-]+(?=, (?:i|i'm|i've|my|we|what|can"
            r"|could|how|do|is)\b))",
            re.I,
        ),
        re.compile(rf"\bmy (?P<what>{adjective}) (?P<rel>{people})(?: (?P<name>{NAME}))?\b", re.I),
        re.compile(
            rf"\bmy (?P<rel>{people})(?: (?P<name>{NAME}))?'s (?P<age>\d{{1,3}})(?:st|nd|rd|th)\b",
            re.I,
        ),
    )


def _described(text: str) -> list[Statement]:
    """`as a nurse, I …`; `my diabetic dad`; `my wife's 50th`."""
    role, adjective, birthday = _as_one()
    found = []
    if one := role.search(text):
        what = one["what"]
        kind = (
            "diet"
            if what.lower() in as_set(DIETS)
            else "condition"
            if what.lower() in as_set(CONDITION_ADJECTIVES)
            else "occupation"
            if what.split()[-1].lower() in as_set(JOBS)
            else ""
        )
        found.append(Statement(f"The user is {with_article(what)}", USER, kind, what, topic="self"))
    for one in adjective.finditer(text):
        whom = f"{one['rel'].lower()} {one['name'] or ''}".strip()
        what = one["what"].lower()
        kind = "diet" if what in as_set(DIETS) else "condition"
        found.append(
            Statement(
                f"The user's {whom} is {what}",
                one["name"] or one["rel"].lower(),
                kind,
                what,
                "health",
                topic="health",
            )
        )
    for one in birthday.finditer(text):
        whom = f"{one['rel'].lower()} {one['name'] or ''}".strip()
        found.append(
            Statement(
                f"The user's {whom} is turning {one['age']}",
                one["name"] or one["rel"].lower(),
                "birthday",
                one["age"],
                "relation",
                topic="family",
            )
        )
    return found


def _several(content: str, kind: str, names: str) -> Statement:
    pets = kind.rstrip("s") in as_set(PETS)
    attribute = "pet" if pets else "sibling" if kind in ("sisters", "brothers") else "child"
    mentions = tuple(
        Mention(name, "pet" if pets else "person") for name in re.split(r",? (?:and|&) |, ", names)
    )
    return Statement(content, USER, attribute, names, "relation", mentions=mentions, topic="family")


def introduced(one: Someone) -> Statement:
    """`Ingrid is the user's sister`; of a pet, that the user has it."""
    if one.owner != "the user":
        content = f"{one.owner[:1].upper()}{one.owner[1:]}'s {one.relation} is called {one.name}"
    elif one.pet:
        content = f"The user has {with_article(one.relation)} called {one.name}"
    else:
        content = f"{one.name} is the user's {one.relation}"
    mention = Mention(one.name, "pet" if one.pet else "person", (one.relation,))
    return Statement(
        content,
        USER,
        relation_attribute(one.relation),
        one.name,
        "relation",
        mentions=(mention,),
        topic="people",
    )


def with_article(noun: str) -> str:
    return f"{'an' if noun[:1] in 'aeio' else 'a'} {noun}"


__all__ = ["introduced", "kin_in", "with_article"]
