"""What a sentence tells by the way: who someone is ("my boss Ulla"), what a request supposes
("on my iPad"), and wishes that hold from now on ("always answer in French")."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from loxodon.write.en.clauses import Clause
from loxodon.write.en.clean import bare
from loxodon.write.en.elided import completed
from loxodon.write.en.kin import introduced, kin_in, with_article
from loxodon.write.en.patterns import Lazy
from loxodon.write.en.person import expand, rewritten, text_of, tokens_of
from loxodon.write.en.polish import mentions_of, polished
from loxodon.write.en.recognise import recognise, relation_attribute
from loxodon.write.en.scene import NAME, Scene, Someone, gender_of, is_name, relations_in
from loxodon.write.en.words import (
    PETS,
    PLACES,
    RELATIONS,
    alternatives,
    as_set,
)  # fmt: skip
from loxodon.write.statements import USER, Mention, Statement


def asides_of(
    text: str, scene: Scene, told: set[str], relations: Mapping[str, str]
) -> list[Statement]:
    """The statements that `text` (spelled) makes in passing; `told` are names already known,
    `relations` what the memory knows them to be."""
    found = []
    for one in relations_in(text):
        before = relations.get(one.name.lower(), "")
        if one.name.lower() not in told:
            found.append(introduced(one))
        elif (
            before
            and before != one.relation
            and relation_attribute(before) == relation_attribute(one.relation) == "partner"
        ):
            found.append(introduced(one)._replace(act="change", over=(before,)))
    if not _called_so().fullmatch(bare(text)):
        found += _called(text, scene, told)
    found += _who(text, scene)
    found += _in_brackets(text, scene)
    found += _ages(text, scene)
    found += _devices(text)
    if called := _CALLED_ME.search(text):
        name = called["name"]
        found.append(
            Statement(f"The user goes by {name}", USER, "nickname", name, "identity", topic="name")
        )
    found += kin_in(text, scene)
    return found


@cache
def _naming() -> re.Pattern[str]:
    return re.compile(
        r"(?:that's |(?:her|his|its|their) name(?:'s| is) |(?:she|he|it)(?:'s| is) (?:called"
        r"|named) |(?:calling|called|named|naming) (?:her |him |it "
        rf"|them )?)?(?P<name>{NAME})(?:,? (?:the|my) (?P<rel>[\w-]+))?",
        re.I,
    )


def name_given(text: str, scene: Scene) -> Someone | None:
    """Whoever was spoken of without a name, where `text` (bare) does nothing but name them."""
    found = _naming().fullmatch(text.strip(" .!"))
    if not found or not is_name(found["name"]) or found["name"].lower() in as_set(PLACES):
        return None
    relation = (found["rel"] or "").lower()
    whom = (
        next((one for one in reversed(scene.people) if one.relation == relation == one.name), None)
        if relation
        else scene.nameless()
    )
    if whom is None:
        return None
    scene.people.remove(whom)
    named = whom._replace(name=found["name"])
    scene.meet(named)
    return named


@cache
def _called_so() -> re.Pattern[str]:
    return re.compile(
        rf"(?:my|our) (?:\w+ )?(?P<rel>{alternatives(RELATIONS + PETS)})(?:(?:'s| is"
        r"| are) (?:called|named)|'s name(?:'s| is)) (?P<name>[\w'-]+)",
        re.I,
    )


def called_so(text: str, scene: Scene) -> Someone | None:
    """`my dog's called Fidget`: someone and their name, and nothing else."""
    found = _called_so().fullmatch(text.strip(" .!"))
    if not found:
        return None
    name = scene.cased.get(found["name"].lower(), found["name"][:1].upper() + found["name"][1:])
    relation = found["rel"].lower()
    someone = Someone(name, relation, gender_of(relation), relation in as_set(PETS))
    scene.meet(someone)
    return someone


@cache
def _bracketed() -> re.Pattern[str]:
    people = alternatives(RELATIONS + PETS)
    return re.compile(
        rf"(?P<name>{NAME}) \((?:my|our) (?P<rel>{people})\)|\b(?:the|my"
        rf"|our) (?P<rel6>{people}) \((?P<name6>{NAME})\)|(?P<name2>{NAME}),? (?:my"
        rf"|our) (?P<rel2>{people})\b(?=[ ,(]|$)"
        rf"|\b(?:my|our|a|an|the) (?:[\w-]+ ){{0,2}}?(?P<rel3>{people})(?:,| is|'s"
        r"| who is)? (?:called|named) (?P<name3>[\w'-]+)"
        r"|\b(?:i|we)(?:'ve| have)(?: got)? (?:a"
        rf"|an) (?:new )?(?P<rel5>{people}),? (?P<name5>{NAME})"
        r"|(?:^|[.!] |, )(?P<rel4>boss|landlord|manager|hubby|husband"
        rf"|wife) (?P<name4>{NAME})(?='s| is| wants| said| has|,)",
        re.I,
    )


def _called(text: str, scene: Scene, told: set[str]) -> list[Statement]:
    """`Fidget (my dog)`, `Tom my brother`, `a rabbit called Pip`."""
    found = []
    for one in _bracketed().finditer(text):
        name = (
            one["name"]
            or one["name2"]
            or one["name3"]
            or one["name4"]
            or one["name5"]
            or one["name6"]
        )
        relation = (
            one["rel"] or one["rel2"] or one["rel3"] or one["rel4"] or one["rel5"] or one["rel6"]
        ).lower()
        name = name.removesuffix("'s")
        if one["name3"] and name.islower():
            name = scene.cased.get(name, name.capitalize())
        if not is_name(name) or (
            one["rel3"]
            and re.search(r"\b(?:a|an|the) \S*\s?$", text[: one.start("rel3")])
            and relation not in as_set(PETS)
        ):
            continue
        owned = (
            re.search(
                r"\b(?:i|we)(?:'ve| have|'m| am)?(?: \w+){0,3} (?:a|an|the) ?(?:[\w-]+ ){0,2}$",
                text[: one.start("rel3")],
                re.I,
            )
            if one["rel3"]
            else True
        )
        if not owned and not re.search(r"\b(?:my|our) (?:\w+ )?$", text[: one.start("rel3")], re.I):
            continue
        someone = Someone(name, relation, gender_of(relation), relation in as_set(PETS))
        scene.meet(someone)
        if name.lower() not in told:
            found.append(introduced(someone))
            told.add(name.lower())
    return found


@cache
def _relative() -> re.Pattern[str]:
    people = alternatives(RELATIONS + PETS)
    return re.compile(
        rf"(?:\b(?:my|our) (?:\w+ )?(?P<rel>{people})(?:,? (?P<name>{NAME}))?"
        rf"|(?P<from>{NAME} from (?:work|school|uni|church|the gym|my \w+))),? (?:who"
        r"|that)(?P<said>(?:'s| (?:also |only |just |still |never |always |really )*(?:can't|doesn't|won't"
        r"|\w+s|\w+ed))\b[^,;.]*?)"
        r"(?=$|[,;.!?]| so | but | and (?:my|i|the)\b| (?:plays|is|are|wants|said|says|has"
        r"|starts|works|loves|will|keeps|can|goes|lives)\b)",
        re.I,
    )


def _who(text: str, scene: Scene) -> list[Statement]:
    """`my cousin Pia who is a diver`: what a relative clause says of someone."""
    found = []
    for one in _relative().finditer(text):
        relation, name = (one["rel"] or "").lower(), one["name"] or ""
        tokens = expand(tokens_of("who" + one["said"]))[1:]
        said = rewritten(tokens, False, scene, name)
        if not said:
            continue
        subject = f"The user's {relation} {name}".strip()
        if one["from"]:
            subject = name = re.sub(r"\bmy\b", "the user's", one["from"])
        clause = Clause(subject, name or relation, text_of(said), of=USER)
        what = recognise(clause)
        content = polished(clause.content)
        if what.attribute:
            found.append(
                Statement(
                    content,
                    name or relation,
                    what.attribute,
                    what.value,
                    "relation",
                    what.act,
                    mentions=mentions_of(content, scene),
                    topic=what.topic,
                )
            )
    return found


_DETAILS = Lazy(
    rf"(?P<name>{NAME}),? (?:my|our) (?P<rel>[\w-]+(?: in law)?) \((?P<inner>[^()\d][^()]{{3,"
    rf"80}})\)",
    re.I,
)


def _in_brackets(text: str, scene: Scene) -> list[Statement]:
    """`Ned my uncle (baker, lives in Hove)`."""
    found = []
    for one in _DETAILS.finditer(text):
        if one["rel"].lower() not in as_set(RELATIONS):
            continue
        name = one["name"]
        for part in one["inner"].split(","):
            whole = completed(part.strip(), scene, name, "")
            said = rewritten(expand(tokens_of(whole[1])), False, scene, name) if whole else None
            if whole and said and whole[0] == name:
                clause = Clause(
                    f"The user's {one['rel'].lower()} {name}", name, text_of(said), of=USER
                )
                what = recognise(clause)
                content = polished(clause.content)
                found.append(
                    Statement(
                        content,
                        name,
                        what.attribute,
                        what.value,
                        "relation",
                        topic=what.topic,
                        mentions=mentions_of(content, scene),
                    )
                )
    return found


_AGED = Lazy(rf"(?P<name>{NAME}) \((?:aged? )?(?P<age>\d{{1,2}})(?: ?(?:yo|years old|months))?\)")
_AGED_KIND = Lazy(
    r"\bmy (?P<age>\d{1,2})[- ]?(?:yo|y/o|year[- ]old|yr[- ]old)(?: (?P<rel>son|daughter|boy"
    r"|girl|kid|nephew|niece|brother|sister|dog|cat|grandson|granddaughter))?\b",
    re.I,
)


def _ages(text: str, scene: Scene) -> list[Statement]:
    """`Una (7)`, `my 4yo`."""
    found = []
    for one in _AGED.finditer(text):
        name, age = one["name"], one["age"]
        found.append(_aged(name, age, f"{name} is {age}", Mention(name, "person")))
        scene.meet(Someone(name))
    for one in _AGED_KIND.finditer(text):
        kind = (one["rel"] or "child").lower()
        found.append(_aged(kind, one["age"], f"The user has a {one['age']}-year-old {kind}", None))
    return found


def _aged(subject: str, age: str, content: str, mention: Mention | None) -> Statement:
    return Statement(
        content,
        subject,
        "age",
        age,
        "relation",
        mentions=(mention,) if mention else (),
        topic="family",
    )


_CALLED_ME = Lazy(
    r"\b(?:everyone|everybody|people|they|(?:all )?my (?:friends|mates|family|colleagues)|friends|mates|most people|folks)"
    r"(?: just| all| always| mostly| usually)* calls? me (?P<name>(?-i:[A-Z])[\w'-]+)",
    re.I,
)
_DEVICE = Lazy(
    r"\b(?:on|with|for|in|from|to) (?:my|our) (?:old "
    r"|new )?(?P<what>(?P<phone>iphone(?: \d+\w*)?(?: pro| max| mini| plus)*"
    r"|pixel(?: \d+\w*)?(?: pro)?|samsung(?: galaxy)?(?: \w?\d+)?|galaxy \w?\d+)"
    r"|(?P<computer>macbook(?: pro| air)?(?: m\d)?|thinkpad(?: \w+)?|imac|chromebook"
    r"|steam deck)"
    r"|(?P<car>(?:\d{4} )?(?:subaru|toyota|honda|ford|vauxhall|vw|bmw|audi|tesla|nissan"
    r"|hyundai|kia|mazda|volvo|skoda|fiat|renault|peugeot|fiesta|golf|corsa|civic|corolla"
    r"|prius)(?: \w+)?))\b",
    re.I,
)


def _devices(text: str) -> list[Statement]:
    """`how do I … on my macbook` tells that the user has one."""
    found = []
    for one in _DEVICE.finditer(text):
        attribute = "phone" if one["phone"] else "computer" if one["computer"] else "car"
        what = one["what"]
        found.append(
            Statement(
                f"The user has {with_article(what)}",
                USER,
                attribute,
                what,
                "status",
                topic=attribute,
            )
        )
    return found


# --- wishes ---------------------------------------------------------------------------------------


__all__ = ["asides_of", "called_so", "name_given"]
