"""Who and what has been named in a conversation, and whom a pronoun means."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from loxodon.text.stopwords import ENGLISH
from loxodon.write.en.clean import plain, spelled
from loxodon.write.en.kinds import is_order
from loxodon.write.en.patterns import Lazy
from loxodon.write.en.verbs import forms_of
from loxodon.write.en.words import (
    BEINGS,
    FEMALE,
    JOBS,
    LANGUAGES,
    MALE,
    MONTHS,
    NATIONALITIES,
    PETS,
    PLACES,
    RELATIONS,
    WEEKDAYS,
    alternatives,
    as_set,
)  # fmt: skip
from loxodon.write.statements import USER, Line, Mention, Statement


class Someone(NamedTuple):
    """A person or pet that was named."""

    name: str
    """The name, or where none is known the relation (`sister`)."""
    relation: str = ""
    gender: str = ""
    pet: bool = False
    owner: str = "the user"
    """Whose they are."""

    @property
    def full(self) -> str:
        """How a sentence speaks of them: `Ingrid`, `the user's sister`."""
        return self.name if self.name != self.relation else f"{self.owner}'s {self.relation}"


NAME = (
    r"(?-i:(?:(?:Mr|Mrs|Ms|Miss|Dr|Prof|Sir|Auntie|Uncle|Aunt|Coach|Father"
    r"|Sister)\.? )?[A-Z][\w'’-]*[\wé](?: (?:[A-Z][\w'-]*\w|Mc[A-Z]\w+|de|van|von|al))?)"
)
_ADJECTIVES = (
    r"(?:(?:new|old|little|big|older|elder|younger|eldest|oldest|youngest|middle|dear|own"
    r"|lovely|poor|late|best|close|good"
    r"|twin|baby|first|second|third|ex|current|former|long-term|line|direct|great|rescue"
    r"|teenage|eldest|step|half|own|\d+[- ]?(?:yo|year[- ]old|y/o)|physio"
    r"|\w+ese|wee|maternal|paternal|primary|head)\s+)*"
)


@cache
def named_relation() -> re.Pattern[str]:
    """`my sister Ingrid`, `our dog, Rex`, `my son (Tom)`, `boss Ulla`."""
    people = alternatives(RELATIONS)
    pets = alternatives(PETS)
    return re.compile(
        rf"\b(?:(?P<owner>my|our|the user's|the(?= {pets}))"
        rf"\s+(?P<kind>{_ADJECTIVES}(?:(?P<rel>{people})|(?P<pet>{pets}))|middle one"
        r"|little one)"
        rf"(?:,? (?:called|named|whose name is))?,? \(?(?P<name>{NAME})(?!\w))",
        re.I,
    )


@cache
def _not_names() -> frozenset[str]:
    common = """
        one two three four five six seven eight nine ten twenty both neither either none half several
        few dozens plenty growing having being twice near around
        i i'm i've i'd i'll ok okay yes no hi hello hey well so but and the a an my our your his
        her its their we he she they it this that these those there here what when where why who
        how which anyway also thanks thank please good great lovely nice day week month year today
        tomorrow yesterday tonight monday's english maths science history lol omg tbh btw mum mom
        dad mummy daddy mam nan gran grandma grandad grandpa granny god christmas easter ramadan
        eid diwali hanukkah halloween thanksgiving second first third last next every each some
        any most many few both all another other same new old north south east west central street
        road avenue tv pc ai uk us usa eu hr it ceo cto nhs gp mr mrs ms dr prof every always
        never sometimes usually once just maybe perhaps honestly sorry someone everyone nobody
        everybody anyone people memorial tension party fishing gst apologies not too very been
        because since although though while bsl asl cbse jee icu phd mba bsc msc ba ma gcse gcses
        mot rto acl lasik pb tafe llc actually apparently basically finally recently currently
        unfortunately luckily hopefully correction update obviously seriously literally sadly lately
        nowadays later then now again instead however turns besides meanwhile ugh wow yeah nope
    """
    return (
        frozenset(common.split()) | ENGLISH | as_set(MONTHS + WEEKDAYS + LANGUAGES + NATIONALITIES)
    )


_CAPITALISED = Lazy(r"(?<![\w'])[A-ZÀ-Þ][\w-]*[a-zà-ÿ\d][\w-]*")


def is_name(word: str) -> bool:
    """Whether `word` is written like the name of someone or something."""
    bare = word.split("'")[0]
    lower = bare.lower()
    if not bare or not bare[0].isupper() or lower in _not_names() or lower in as_set(RELATIONS):
        return False
    if bare.isupper() and len(bare) > 5:
        return False
    forms = forms_of(lower)
    if forms and ("s" in forms or ("past" in forms and "base" not in forms)):
        return lower in _VERBS_AND_NAMES
    return not (forms and is_order(lower)) and lower not in ("read", "done", "been", "got", "live")


_VERBS_AND_NAMES = frozenset(
    "rose drew parks marks banks brooks wills sprung may hale jets".split()
)


def names_in(text: str) -> list[str]:
    """The capitalised words of `text` that are names, in order."""
    return [found[0] for found in _CAPITALISED.finditer(text) if is_name(found[0])]


@cache
def _genders() -> Mapping[str, str]:
    return dict.fromkeys(as_set(FEMALE), "f") | dict.fromkeys(as_set(MALE), "m")


def gender_of(relation: str) -> str:
    last = relation.split()[-1] if relation else ""
    return _genders().get(relation, _genders().get(last, ""))


_PRONOUNS = {
    "he": "m", "him": "m", "his": "m", "he's": "m", "himself": "m",
    "she": "f", "her": "f", "hers": "f", "she's": "f", "herself": "f",
    "it": "it", "its": "it", "it's": "it", "they": "", "them": "", "their": "", "they're": "",
}  # fmt: skip


class Scene:
    """The people and things of a conversation so far; the last named comes last."""

    def __init__(self, known: Mapping[str, str]) -> None:
        self.people: list[Someone] = []
        self.things: list[str] = []
        self.old = 0
        """How many of the things were named before this turn."""
        self.recase = True
        """Names may have to be put in capitals: whoever writes "i" small writes them small, too."""
        self.parent = ""
        """Whose baby was just spoken of: `sister`."""
        self.group = ""
        """The last people spoken of together, as a sentence names them: `the user's parents`."""
        self.many = ""
        """The last people or animals spoken of together: `cats`."""
        self.cased: dict[str, str] = {}
        self.relation_of: dict[str, str] = {}
        """Relations by lower-case name."""
        self.known: dict[str, Someone] = {}
        """Whom the memory knows, though this session has not named them: no pronoun means them."""
        for alias, name in known.items():
            lower = alias.lower()
            if lower in as_set(RELATIONS) or lower in as_set(PETS):
                self.relation_of[name.lower()] = lower
            if name[:1].isupper():
                self._case(name)
                self.known[name.lower()] = Someone(
                    name,
                    self.relation_of.get(name.lower(), ""),
                    gender_of(lower),
                    lower in as_set(PETS),
                )

    def _case(self, name: str) -> None:
        for part in name.split():
            if part[:1].isupper() and part.lower() not in _not_names():
                self.cased.setdefault(part.lower().rstrip("."), part)

    def meet(self, someone: Someone) -> None:
        """`someone` was just named."""
        lower = someone.name.lower()
        relation = someone.relation or self.relation_of.get(lower, "")
        old = self.find(someone.name)
        gender = someone.gender or gender_of(relation) or (old.gender if old else "")
        pet = someone.pet or relation in as_set(PETS) or bool(old and old.pet)
        if old:
            self.people = [one for one in self.people if one is not old]
            relation = relation or old.relation
        if relation and lower != relation:
            self.relation_of[lower] = relation
            self.people = [one for one in self.people if one.name != relation]
        self.people.append(Someone(someone.name, relation, gender, pet, someone.owner))
        self._case(someone.name)

    def nameless(self) -> Someone | None:
        """Whoever was spoken of last, if only by what they are: `my niece`."""
        last = self.people[-1] if self.people else None
        return last if last and last.name == last.relation else None

    def find(self, name: str) -> Someone | None:
        lower = name.lower()
        for one in reversed(self.people):
            if one.name.lower() == lower or lower in one.name.lower().split():
                return one
        return self.known.get(lower)

    def meant_by(self, pronoun: str) -> Someone | None:
        """Whom `pronoun` means, where that is clear."""
        gender = _PRONOUNS.get(pronoun.lower())
        if gender is None:
            return None
        if gender == "it":
            return next((one for one in reversed(self.people) if one.pet), None)
        fitting = [one for one in self.people if not gender or one.gender in (gender, "")]
        if not fitting:
            return None
        chosen = fitting[-1]
        if gender and not chosen.gender and not chosen.pet:
            self.people[self.people.index(chosen)] = chosen._replace(gender=gender)
        return chosen

    def hear(self, text: str) -> None:
        """Note the people that `text` (spelled) names."""
        for someone in relations_in(text):
            self.meet(someone)
        for found in _TITLED.finditer(text):
            gender = {"mr": "m", "sir": "m"}.get(
                found[1].lower(), "f" if found[1] in ("Mrs", "Ms", "Miss") else ""
            )
            self.meet(Someone(found[0], "", gender))
        for found in _POSSESSOR.finditer(text):
            if (
                is_name(found[1])
                and not self.find(found[1])
                and found[1].lower() not in as_set(PLACES)
            ):
                self.meet(Someone(found[1]))
        self._hear_others(text)
        taken = {part.lower() for one in self.people for part in one.name.split()}
        for name in names_in(text):
            if _is_written_so(name, text):
                self._case(name)
            if name.lower() in taken and (one := self.find(name)) in self.people and one:
                self.people.remove(one)
                self.people.append(one)
        for found in _bare_relation().finditer(text):
            relation = found["rel"].lower()
            if not any(one.relation == relation for one in self.people):
                self.meet(Someone(relation, relation))

    def _hear_others(self, text: str) -> None:
        """Note people who are someone else's: `Priya and her husband Karan`, `Tom left his wife`."""
        for found in _others().finditer(text):
            relation, name = found["rel"].lower(), found["name"] or ""
            whose = found["whose"].lower()
            owner = (
                self.meant_by(whose) if whose in ("his", "her") else self.find(found["whose"][:-2])
            )
            if name and is_name(name):
                self.meet(Someone(name, "", gender_of(relation)))
            elif owner and not any(one.relation == relation for one in self.people):
                self.meet(Someone(relation, relation, gender_of(relation), False, owner.full))
        if seeing := _SEEING.search(text):
            self.meet(Someone(seeing[1], "partner"))
        for found in _CALLED_SO.finditer(text):
            if is_name(found[1]) and found[0].split()[0].lower() in as_set(JOBS + BEINGS):
                self.meet(Someone(found[1]))

    def named(self, text: str) -> str:
        """`text` with the names known here in their right case."""
        if not self.cased or not self.recase:
            return text
        return re.sub(r"[a-zà-ÿ][\w-]+", lambda found: self._right(found[0]), text)

    def _right(self, word: str) -> str:
        if word in _COMMON_NAMES_TOO or forms_of(word):
            return word
        return self.cased.get(word, word)


def _is_written_so(name: str, text: str) -> bool:
    """Whether a capital letter belongs to the word, and not to the beginning of a sentence or to a
    title: a word that is also written small, or that opens a sentence with no verb after it, is
    no name."""
    if re.search(rf"(?<![\w'-]){re.escape(name.lower())}(?![\w'-])", text):
        return False
    at = text.find(name)
    opens = not at or text[max(0, at - 2) : at] in (". ", "! ", "? ")
    if not opens:
        return True
    return (
        re.match(r"'s\b|,? (?:is|was|has|can|will|\w+ed|\w+s|and [A-Z])\b", text[at + len(name) :])
        is not None
    )


_SEEING = Lazy(
    r"\b(?:seeing|dating|going out with) (?:someone|somebody|a (?:guy|girl|woman|man|bloke|lad))(?: new)?,? (?:btw,? )?"
    r"(?:called |named )?([A-Z][a-z]+)"
)
_CALLED_SO = Lazy(r"\b[a-z-]+,? (?:called|named) ([A-Z][\w-]+)")


@cache
def _others() -> re.Pattern[str]:
    people = alternatives(FEMALE + MALE + " partner baby kid boss flatmate cousin")
    return re.compile(
        rf"\b(?P<whose>his|her|(?-i:[A-Z])[a-z]+'s) (?:new |old |little |older |younger )?(?P<rel>{people})\b(?!'s)"
        r"(?:,? (?P<name>(?-i:[A-Z])[\w-]+))?",
        re.I,
    )


_TITLED = Lazy(r"\b(Mr|Mrs|Ms|Miss|Sir|Dr|Prof)\.? [A-Z][\w-]+")
_POSSESSOR = Lazy(r"(?<!\w)([A-Z][a-z][\w-]*)'s (?=[a-z])")
_COMMON_NAMES_TOO = frozenset(
    """
    will mark rose grace hope joy may june april art bill frank jack pat sue iris ivy
    """.split()
)


@cache
def _bare_relation() -> re.Pattern[str]:
    singular = [
        word
        for word in (FEMALE + MALE + NEUTRAL_ONE).split()
        if word not in ("so", "ma", "pa", "pop", "girl", "boy")
    ]
    family = "mum mom dad mam nan gran grandma grandad granny grandpa mummy daddy hubby"
    return re.compile(
        rf"\b(?:(?:my|our|the)\s+{_ADJECTIVES}|(?={alternatives(family)}\b))"
        rf"(?P<rel>{alternatives(' '.join(singular))})\b(?!'s? \w+ (?:is|was)\b)",
        re.I,
    )


NEUTRAL_ONE = """
    partner spouse cousin baby kid child flatmate roommate housemate lodger neighbour neighbor
    boss manager supervisor advisor mentor colleague friend mate teacher coach doctor gp dentist
    therapist physio nurse landlord tenant assistant little_one eldest oldest youngest toddler dog
    cat puppy kitten horse ex tutor lecturer professor trainer accountant lawyer solicitor vet
    midwife counsellor psychiatrist surgeon builder plumber cleaner nanny childminder babysitter
    team_lead apprentice intern co-founder
"""


def relations_in(text: str) -> list[Someone]:
    """The people that `text` names together with what they are to the user."""
    found = []
    for one in named_relation().finditer(text):
        name = one["name"].removesuffix("'s")
        if not is_name(name.split()[-1]) or name.split()[0].lower() in _not_names() - {
            "mr",
            "mrs",
            "ms",
            "dr",
            "prof",
        }:
            continue
        second = name.split()
        if len(second) > 1 and second[-1].lower() in as_set(PLACES):
            name = second[0]
        kind = re.sub(
            r"^(?:new|old|dear|own|lovely|poor|current|late|little|big|good|close|rescue) ",
            "",
            one["kind"].lower(),
        )
        found.append(Someone(name, kind, gender_of(kind), one["pet"] is not None))
    return found


def own_things(text: str) -> list[str]:
    """The things of the user's that `text` names: `my flight was at 6`."""
    return [
        f"the user's {found[1]}"
        for found in re.finditer(
            r"\b(?:my|our) ((?:[a-z-]+ )?[a-z-]+)(?=[?.,!]|$| (?:is|was|in|on|for|to|with|and"
            r"|at|from)\b)",
            text,
        )
        if not set(found[1].split()) & as_set(BEINGS)
    ]


def scene_of(
    before: Sequence[Line], earlier: Iterable[Statement], known: Mapping[str, str]
) -> Scene:
    """The scene at the beginning of a turn."""
    scene = Scene(known)
    for line in before:
        if line.role == "user":
            text = spelled(plain(line.content[:4_000]))
            scene.hear(text)
            scene.things += own_things(text)
    for statement in list(earlier)[-12:]:
        for mention in statement.mentions:
            _meet_mention(scene, mention)
        subject = statement.subject
        if subject != USER and (subject[:1].isupper() or subject in as_set(BEINGS)):
            if (someone := scene.find(subject)) and someone in scene.people:
                scene.people.remove(someone)
                scene.people.append(someone)
            elif not any(one.relation == subject for one in scene.people):
                scene.meet(Someone(subject, subject if subject.islower() else ""))
    return scene


def _meet_mention(scene: Scene, mention: Mention) -> None:
    if mention.type in ("person", "pet") and not scene.find(mention.name):
        relation = next((alias for alias in mention.aliases if alias.islower()), "")
        scene.meet(Someone(mention.name, relation, "", mention.type == "pet"))
    elif mention.name[:1].isupper():
        for part in mention.name.split():
            if part[:1].isupper():
                scene.cased.setdefault(part.lower(), part)


__all__ = [
    "NAME", "Scene", "Someone", "gender_of", "is_name", "named_relation", "names_in", "own_things",
    "relations_in", "scene_of",
]  # fmt: skip
