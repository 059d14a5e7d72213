"""The last touch on a sentence, and whether it is fit to be shown: case, articles, mentions."""

from __future__ import annotations

import re
from functools import cache

from loxodon.write.en.patterns import Lazy
from loxodon.write.en.scene import Scene, is_name
from loxodon.write.en.verbs import forms_of, is_finite
from loxodon.write.en.words import (
    CALENDAR,
    LANGUAGES,
    MONTHS,
    NATIONALITIES,
    PLACES,
    WEEKDAYS,
    alternatives,
    as_set,
)  # fmt: skip
from loxodon.write.statements import EntityType, Mention


@cache
def _proper() -> re.Pattern[str]:
    words = f"{WEEKDAYS} {LANGUAGES} {NATIONALITIES} {PLACES}"
    words = re.sub(
        r"\b(?:polish|bath|reading|turkey|china|latin|creole|kiwi|queens|bsl|asl|nyc)\b", "", words
    )
    days = r"|(?:mon|tues|wednes|thurs|fri|satur|sun)days"
    return re.compile(
        rf"(?<![\w'-]){alternatives(words)}(?![\w-])|\b(?:{days[1:]})\b|(?<=in |on "
        rf"|of ){alternatives(MONTHS)}\b|\b{alternatives(MONTHS)} (?=\d)|(?<=[^-]\d )(?<!-\d\d "
        rf"){alternatives(MONTHS)}\b|(?<=since |until ){alternatives(MONTHS)}\b",
        re.I,
    )


_TAGS = Lazy(
    r"(?:,? (?:(?:and )?never (?:was|were|have|has|had|did|will)|lol|haha+|lmao+|tbh|ngl|btw|though|tho|innit|i guess|you know|from there"
    r"|obviously|etc|as usual|either|basically|honestly|literally))+$",
    re.I,
)
_INSIDE = Lazy(
    r",? \b(?:like|um|uh|er|you know|basically|literally|honestly|obviously|kind of|sort of|well"
    r"|lol|haha|btw|by the way)\b,(?= )|(?<= )(?:um|uh|erm|lol|haha|basically|literally|honestly"
    r"|like(?= (?:[£$€]?\d"
    r"|five|two|three|really|properly))) ",
    re.I,
)
_BARE_DAY = Lazy(
    r"(?<= )(?P<before>[\w']+)(?P<gap>,? )(?P<day>(?:mon|tues|wednes|thurs|fri|satur"
    r"|sun)days?)\b",
    re.I,
)
_NO_ON = frozenset(
    """
    on last next this every each by until since from to before after of and or till through a the
    other alternate except maundy black good easter first second third fourth
    """.split()
)
_BARE_MONTH = Lazy(
    r"\b(?!on |in |by |from |to |until |since |of |before |after |and |or |the |mid |due |is "
    r"|was )(\w+) ((?:jan|febr|sept|octo|nov|decem|april|june|july|august|march"
    r"|may)\w* \d{1,2}\b(?!\d))",
    re.I,
)
_PAST_DAY = Lazy(r"\bon (?=(?:mon|tues|wednes|thurs|fri|satur|sun)day\b)", re.I)


def polished(content: str) -> str:
    """`content` with its fillers gone and its proper nouns in capitals."""
    content = _INSIDE.sub(" ", content)
    content = re.sub(r"\s+", " ", content).strip(" ,;:-.!?(*/&+")
    if content.count('"') % 2:
        content = content.strip('"')
    content = _TAGS.sub("", content).strip(" ,;:-.!")
    content = _LOOSE_SO.sub("", content)
    content = re.sub(r"(?<=\w{3} )(?:over |out )?there$", "", content).strip()
    content = re.sub(r"\bworks how an?\b", "works as a", content)
    content = re.sub(r"^(The user wants the assistant .*) and don't\b", r"\1 and not to", content)
    content = re.sub(r",? and (?:really )?wants? to (?:make sure|know|ensure)\b.*$", "", content)
    content = re.sub(r",? and no (?:patience|time|clue|idea|money|energy|life)$", "", content)
    content = re.sub(
        r"\b((?:mon|tues|wednes|thurs|fri|satur|sun)day) (evening|morning|afternoon)s\b",
        r"\1s in the \2",
        content,
        flags=re.I,
    )
    content = _BARE_DAY.sub(_with_on, _DAYS.sub(_listed, content))
    content = _BARE_MONTH.sub(r"\1 on \2", content)
    if _is_past(content):
        content = _PAST_DAY.sub("last ", content)
    content = _proper().sub(_capitalised, content)
    content = re.sub(
        r"\b(a) (?=(?:[aeio]|un|ur|up)\w)(?!one|once|eu|uni|ur[aeiou])", r"\1n ", content
    )
    content = re.sub(
        r"\b(is|was|has been) (?=(?:accountant|engineer|electrician|artist|actor|architect)\b)",
        r"\1 an ",
        content,
    )
    content = re.sub(
        r"\b(is|was|has been) (?=(?:teacher|nurse|doctor|student|lawyer|manager|developer"
        r"|programmer|driver|carer|farmer|designer|consultant|chef|cook|mechanic|plumber)\b)",
        r"\1 a ",
        content,
    )
    content = re.sub(r"\bhas got\b", "has", content)
    content = re.sub(r"\bis (big|huge|massive) fan\b", r"is a \1 fan", content)
    content = _AFTER_VERB.sub(lambda found: found[1] + found[2].lower(), content)
    if content.count("(") != content.count(")"):
        content = content.replace("(", "").replace(")", "")
    return content[:1].upper() + content[1:]


_LOOSE_SO = Lazy(
    r",? so (?:(?:please|pls|cheap|just|anything|needs?|nothing|some|more|less"
    r"|only)\b)[^,;]{0,60}$|,? (?:remember|keep in mind|don't forget)\b.{0,40}$|,? (?:where|what"
    r"|how|which) (?:in|to|about)\b.{0,30}$",
    re.I,
)
_DAYS = Lazy(
    r"\b((?:mon|tues|wednes|thurs|fri|satur|sun)day)((?: (?:mon|tues|wednes|thurs|fri|satur"
    r"|sun)day)+)\b",
    re.I,
)


def _listed(found: re.Match[str]) -> str:
    """`Monday Wednesday Friday` is `Mondays, Wednesdays and Fridays`."""
    days = [f"{day.capitalize()}s" for day in found[0].split()]
    return f"{', '.join(days[:-1])} and {days[-1]}"


def _with_on(found: re.Match[str]) -> str:
    """`pilates Wednesdays` is `pilates on Wednesdays`."""
    if found["before"].lower() in _NO_ON or "day" in found["before"].lower() or "," in found["gap"]:
        return found[0]
    return f"{found['before']} on {found['day']}"


def _is_past(content: str) -> bool:
    """Whether the sentence tells of the past, so that its weekday is the last and not the next."""
    words = content.removeprefix("The user's").removeprefix("The user").split()[:6]
    verbs = [word for word in words if is_finite(word.lower())]
    if not verbs:
        return False
    first = verbs[0].lower()
    return first in ("was", "were", "had", "did") or (
        "past" in forms_of(first) and "base" not in forms_of(first)
    )


def _capitalised(found: re.Match[str]) -> str:
    word = found[0]
    return " ".join(part[:1].upper() + part[1:] for part in word.split(" "))


_UNSOUND = Lazy(
    r"\b(?:i|i'm|i've|me|my|mine|myself|we|us|our|you|your|yours|u)\b|\?|```|https?://\S{60}"
    r"|\bthe user the user\b|(?:\b(?:the|a|an|of|to|and|or|with|for|because|that|my|so|but|is"
    r"|at)$)"
    r"|^(?:The user|\S+) (?:\w+ly )?(?:is|has|was|does|did|are)$|[{}<>|\\]",
    re.I,
)


def sound(content: str) -> bool:
    """Whether a sentence can be shown: no first or second person, no loose end, long enough."""
    if len(content.split()) < 3 or len(content) < 8:
        return False
    return _UNSOUND.search(_TITLES.sub("", content)) is None


_AFTER_VERB = Lazy(
    r"^(The user (?:has|is|does|likes|plays) )(One|Two|Three|Four|Five|Six|Seven|Eight|Nine|Ten|No|Just|Mostly|Mainly"
    r"|About|Around|First|Only|Both|Some|Family)\b"
)
_TITLES = Lazy(r"\bUS\b|\"[^\"]*\"|(?<!\w)'[A-Z][^']*'(?!\w)")
"""What may have a first person in it: titles, and the United States."""


_ORGANISATION = Lazy(
    r"\b(?:works? (?:at|for)|joined|employed by|employer is|started at"
    r"|left) (?P<org>(?:the )?[A-Z][\w&'.-]*(?: (?:& )?[A-Z][\w&'.-]*)*)"
)
_PLACE = Lazy(r"\b(?:in|to|from|near|at) (?P<place>[A-ZÀ-Þ][\w'-]+(?: [A-ZÀ-Þ][\w'-]+)*)")
_PROJECT = Lazy(
    r"\b(?:app|project|novel|book|game|site|website|startup|company|shop|band|podcast|channel"
    r"|tool|library|blog|business|album)(?:,)? (?:is )?(?:called"
    r"|named) (?P<name>[A-Z][\w&' -]*\w)",
    re.I,
)


def mentions_of(content: str, scene: Scene) -> tuple[Mention, ...]:
    """The people, places and organisations that a sentence names."""
    found: dict[str, Mention] = {}
    for one in _ORGANISATION.finditer(content):
        _note(found, one["org"].removeprefix("the "), "organisation")
    for one in _PROJECT.finditer(content):
        if one["name"][:1].isupper():
            _note(found, one["name"], "project")
    for someone in scene.people:
        if someone.name != someone.relation and someone.name in content:
            aliases = (
                (someone.relation,) if someone.relation and " " not in someone.relation else ()
            )
            kind: EntityType = "pet" if someone.pet else "person"
            found.setdefault(someone.name.lower(), Mention(someone.name, kind, aliases))
    for one in _PLACE.finditer(content):
        name = one["place"]
        first = name.split()[0]
        known = is_name(first) or name.lower() in as_set(PLACES)
        if known and first.lower() not in as_set(CALENDAR):
            _note(found, name, "place")
    return tuple(found.values())


def _note(found: dict[str, Mention], name: str, kind: EntityType) -> None:
    name = name.removesuffix("'s")
    if name.lower() not in found:
        found[name.lower()] = Mention(name, kind)


__all__ = ["mentions_of", "polished", "sound"]
