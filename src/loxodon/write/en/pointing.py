"""What points to a thing named before: "it", "one", "its title", where the noun stands elsewhere.

A noun that only the assistant used is put in its place; what is said of a thing that the user just
named is told by `goes_on`, so that it can be joined to the sentence that names it.
"""

from __future__ import annotations

import re

from loxodon.write.en.patterns import Lazy
from loxodon.write.en.verbs import forms_of, is_noun_too
from loxodon.write.en.words import BEINGS, as_set

_A_THING = Lazy(
    r"\b(?:an?|any) (?P<noun>(?:[a-z-]+ )?[a-z-]{3,})"
    r"(?=[?.,!;]|$| (?:in|for|on|at|to|with|from|of|near|or|and)\b)",
    re.I,
)
_NO_THING = frozenset(
    "bit lot few way idea while time moment plan tip try look note kind sort type hand chance "
    "question step place part version option good great start couple".split()
)
_ONE = Lazy(
    r"(?P<lead>(?:(?:yes|yeah|yep|yup|no|nope|oh|and|but|already|just|actually)[, ]+)*(?:(?:i|we)(?:'ve| have|'d|'m| am)? ?)?"
    r"(?:already |just |actually |also )?(?:had|have|got|bought|own|use|ordered|found|keep|booked|built|made|inherited"
    r"|rent|fitted|installed|joined|planted|(?:been )?given)) one\b(?! of\b| day\b| time\b| more\b| (?:and|or) the\b)",
    re.I,
)
_ON_IT = Lazy(
    r"(?P<lead>(?:(?:yes|yeah|yep|yup|oh|and|,)[, ]+)*(?:i'm|i am|we're|we are|i've been|we've been|i've|we've) [\w' -]{2,40}?"
    r" (?:on|in|at|for|of|with|to)) it(?=$|[,.!]| (?:since|for|now|already)\b)",
    re.I,
)


def with_noun(text: str, offered: str) -> str:
    """`text` with the noun that "one" or "it" stands for, where only the assistant (`offered`)
    used it: after "You might want a dashcam", "had one fitted" is "had a dashcam fitted"."""
    one, it = _ONE.match(text), _ON_IT.match(text)
    if not one and not it:
        return text
    nouns = [found["noun"] for found in _A_THING.finditer(offered[-400:])]
    nouns = [noun for noun in nouns if not {*noun.split()} & (_NO_THING | as_set(BEINGS))]
    if len({*nouns}) != 1:
        return text
    noun = nouns[-1]
    if one:
        a = "an" if noun[0] in "aeiou" else "a"
        return f"{one['lead']} {a} {noun}{text[one.end() :]}"
    lead = it["lead"] if it else ""
    return f"{lead} the {noun}{text[it.end() if it else 0 :]}"


_IT_DOES = Lazy(
    r"(?:and |but |so )?(?P<who>it|they|its [a-z]+)(?P<verb>'s|'re| [a-z]+)\b ?(?P<rest>.*)", re.I
)
_DID_IT = Lazy(
    r"(?:my|our|the|his|her|(?-i:[A-Z])[a-z]+) ?(?:[\w' -]{2,30}? )?(?P<verb>[a-z]+)(?: me)? (?:it|them)\b(?P<rest>.*)"
)
_FEELS = frozenset("hates loves adores detests loathes dreads resents".split())
_FINDS_IT = Lazy(
    r"(?:and |but |which )?(?:i|we) (?:(?:really|honestly|just|absolutely|do|secretly|quite) )*(?:find|found|hate|love|like|adore|dread"
    r"|loathe|detest|enjoy|resent|can't (?:stand|bear)|am (?:allergic to|terrified of|scared of|proud of|sick of))"
    r" (?:that|it|them|this)\b(?!')(?P<rest>.*)",
    re.I,
)
_TELLS = Lazy(
    r"\d|(?<=[a-z,] )[A-Z][a-z]|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day|\b(?:january|february|march"
    r"|april|june|july|august|september|october|november|december|daily|weekly|monthly|quarterly|yearly|annually"
    r"|fortnightly|twice|in aid of|made (?:of|from)|run by|belongs? to|one|two|three|four|five|six|seven|eight|nine|ten"
    r"|eleven|twelve|dozen|hundred|me|my|us|our)\b"
)
_BE = frozenset("s re is are was were has have will".split())
_OPINION = frozenset(
    "great good nice lovely bad awful terrible amazing fine ok okay fun hard easy sad funny weird "
    "cool brilliant perfect annoying boring crazy wild cute".split()
)


def goes_on(text: str, last: str) -> bool:
    """Whether `text` (bare) tells more of a thing that the sentence before it (`last`) named."""
    words = text.split()
    if not 3 <= len(words) <= 22 or text.rstrip().endswith("?"):
        return False
    if words[0].lower().startswith("they") and not _has_plural(last):
        return False
    if _FINDS_IT.fullmatch(text):
        return True
    if found := _IT_DOES.fullmatch(text):
        verb = found["verb"].strip(" '").lower()
        known = verb in _BE or forms_of(verb) or re.match(r"(?:me|us)\b", found["rest"])
        if not known or set(found["rest"].lower().split()) & _OPINION:
            return False
        return _TELLS.search(text, found.end("who")) is not None
    found = _DID_IT.fullmatch(text)
    if found is None or "past" not in forms_of(found["verb"].lower()):
        return found is not None and found["verb"].lower() in _FEELS
    return _TELLS.search(found["rest"]) is not None


def _has_plural(text: str) -> bool:
    """Whether a sentence names several of something."""
    found = re.findall(r"(?<=[a-z,] )[a-z]{3,}s\b", text)
    return any(not forms_of(word) or is_noun_too(word[:-1]) for word in found)


__all__ = ["goes_on", "with_noun"]
