"""Turns of phrase put into plain words, so that one rule reads them all.

"A dubbing house took me on" is "I got hired by a dubbing house", "no car" is "I have no car". A
phrase is only looked at where it has a word that gives it away.
"""

from __future__ import annotations

import re
from functools import cache

from loxodon.write.en.words import JOBS, RELATIONS, as_set

_ORG = r"(?P<who>(?:(?:an?|the|my|our) )?[\w&' -]{2,30}?)"
_TURNS: tuple[tuple[str, str, str], ...] = (
    ("me", rf"{_ORG}(?:'ve| have|'s| has)? (?:(?:took|taken) me on|(?:hired|recruited|poached) me)(?P<rest>$|[,;]? .*)",
        r"i got hired by \g<who>\g<rest>"),
    ("me", rf"{_ORG}(?:'ve| have|'s| has)? (?:let me go|laid me off|sacked me|fired me|made me redundant|showed me the door"
        r"|gave me the (?:boot|sack|push|chop))(?P<rest>$|[,;]? .*)", r"i was let go from \g<who>\g<rest>"),
    ("me", r"(?:so )?(?:they|they've|work|the (?:boss|club|team|school|office|committee))(?: have| has|'ve got|'s got| got| put)? ?me"
        r" (?P<what>(?:doing|running|driving|selling|teaching|covering|managing|making|cleaning|training) [\w' -]{3,40}|on (?:mornings|nights|days"
        r"|earlies|lates|afternoons|evenings|weekends|reception|tills|the (?:till|door|desk|phones|bar)))", r"i'm \g<what> now"),
    ("salaried", r"(?:i )?(?:went|gone|going|'ve gone) salaried\b(?P<rest>.*)", r"i gave up freelance, salaried now\g<rest>"),
    ("more", r"(?P<what>[a-z][\w' -]{2,25}?) (?:is |are )?no more(?: for (?:me|us))?", r"no more \g<what>"),
    ("finished", r"(?P<what>[a-z][\w' -]{2,25}?) finished for (?:me|us)", r"no more \g<what>"),
    ("that", r"(?:now |already )*(?:it is|it's|is) (?:already |now )?(?P<long>\w+ (?:days|weeks|months|years)) (?:that|since) i (?P<what>.+)",
        r"i \g<what> for \g<long> now"),
    ("tolerance", r"(?P<what>(?:zero|no) tolerance (?:for|of) [\w' -]{3,30}?)(?: here| from me)?(?P<rest>$|,.*)", r"i have \g<what>\g<rest>"),
    ("never", r"never again (?P<what>an? [\w' -]{3,40})", r"i never want \g<what> again"),
    ("anything", r"anything but (?P<what>[\w' -]{3,25}?)(?P<on> (?:on|in|for) my [a-z]+)?(?P<rest>$|,.*)", r"i avoid \g<what>\g<on>\g<rest>"),
)  # fmt: skip
_LACKED = frozenset(
    """
    car telly tv television siblings brothers sisters kids children garden oven freezer dishwasher
    smartphone phone mobile computer laptop pets dog cat balcony lift elevator internet wifi
    broadband microwave bath bathtub shower washing_machine dryer driveway garage licence license
    passport degree tattoos family partner husband wife parents grandparents grandchildren religion
    mortgage debts insurance pension savings spleen appendix gallbladder thyroid tonsils sense_of_smell
    sense_of_direction central_heating air_con attic cellar basement bike printer scanner landline
    facebook instagram whatsapp social_media credit_card bank_account kitchen blender processor
    """.split()
)
_HOW_LACKED = r"(?: (?:in (?:our|my|this) (?:house|home|flat|family)|here|either|at home|of my own|of our own|at all|any ?more|and never had))?"


_CUES = frozenset(cue for cue, _, _ in _TURNS)


@cache
def _turns(cue: str) -> list[tuple[re.Pattern[str], str]]:
    """The phrases that one word gives away: no other need be compiled."""
    return [
        (re.compile(pattern, re.I | re.S), plain) for word, pattern, plain in _TURNS if word == cue
    ]


def reworded(text: str) -> str:
    """`text` (bare) in plain words, where it is one of the phrases known here."""
    if len(text) > 200:
        return text
    words = set(re.findall(r"[a-z]+", text.lower()))
    for cue in sorted(words & _CUES):
        for pattern, plain in _turns(cue):
            if (found := pattern.fullmatch(text)) and not _clausal(found):
                return found.expand(plain)
    return _lacking(text) or text


def _clausal(found: re.Match[str]) -> bool:
    """Whether what was taken for a noun begins a clause of its own."""
    noun = found.groupdict().get("who") or found.groupdict().get("what") or ""
    return bool(
        re.match(r"(?:i|we|you|he|she|they|it|that|there|and|but|what|who|if)\b", noun, re.I)
    )


def _lacking(text: str) -> str:
    """`no car, so …` says what the user has not; `no worries` does not."""
    found = re.match(
        rf"no (?P<what>[a-z]+(?: (?:of )?[a-z]+){{0,2}}?)(?P<how>{_HOW_LACKED})(?=$|[,;]| (?:so|hence|because|since|but)\b)",
        text,
        re.I,
    )
    if not found or re.match(r", no ", text[found.end() :]):
        return ""
    what = found["what"].lower()
    lasting = found["how"] and not re.match(r" (?:here|either|at all|any ?more)$", found["how"])
    if not lasting and what.replace(" ", "_") not in _LACKED and what.split()[-1] not in _LACKED:
        return ""
    rest = re.sub(r"^[,;]? ?(?:so|hence)\b.*", "", text[found.end() :])
    return f"i have no {found['what']}{found['how']}{rest}"


_BY_ROLE = r"(?P<role>[a-z][a-z-]+) (?P<name>[A-Z][a-z]+) (?=(?:is|was|has|had|will|won't|can't|says|said|reckons|thinks|wants|told|keeps|got|sent|gave|[a-z]+s|[a-z]+ed)\b)"
_TITLES = frozenset(
    "king queen pope saint president minister officer judge captain sergeant detective doctor nurse".split()
)


def by_role(text: str) -> str:
    """`solicitor Adaeze reckons`: whoever names someone by what they do has them."""
    found = re.match(_BY_ROLE, text)
    if not found or found["role"] in _TITLES or found["role"] not in as_set(RELATIONS + JOBS):
        return text
    return f"my {text}"


__all__ = ["by_role", "reworded"]
