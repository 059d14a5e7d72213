"""Values that English sentences give: days, hours, dates, amounts, ranks, counts, names.

Two sentences about one thing that give different values of one kind say different things of it:
`pays $1500 in rent` and `rent went up to $1700`. What they share besides tells whether it is one
thing; which words that takes is the caller's to say.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from loxodon.text.words import fold, index_words

_NUMBER_WORDS = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "twenty thirty forty fifty"
)
_RANK_WORDS = "first second third fourth fifth sixth seventh eighth ninth tenth final"
_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_NOT_UNITS = (
    "over to in at on and or so a an per since for from of with is was now the by than but as am pm"
    " more new other good long each times"
)
_NO_UNIT = frozenset(_NOT_UNITS.split())
_LENGTHS = {"hour": "length", "hr": "length", "minute": "length", "min": "length"}
_LIGHT_WORDS = """
    get got gets getting go goes going went gone come came coming make made making take takes took
    have has had use uses used using do does did be is are was been being move moved moving change
    changed changing switch switched switching swap swapped start started starting begin began keep
    put set work works working live lives living want wants need needs like likes likely say said
    day days daily week weeks weekly month months monthly year years time times thing things stuff
    lot bit new old current currently own really just only still also already recently finally
    now back up down around about every each morning evening night today lately anymore instead
    everything something anything early late next last first main whole back-up latest usually
    user user's they their them level number amount total raise raised rise rose bump bumped
    increase lower lowered drop
    dropped cut hit reach reached hour hours minute minutes pay pays paid cost costs
"""


@cache
def _light() -> frozenset[str]:
    return frozenset(index_words(_LIGHT_WORDS))


@lru_cache(maxsize=4_096)
def values_of(text: str) -> dict[str, frozenset[str]]:
    """The values in a sentence by their kind."""
    found: dict[str, set[str]] = {}
    for match in _value().finditer(text):
        kind, value = _kind_of(match)
        if kind:
            found.setdefault(kind, set()).add(value)
    return {kind: frozenset(values) for kind, values in found.items()}


def _kind_of(match: re.Match[str]) -> tuple[str, str]:
    kind = match.lastgroup or ""
    if kind == "ranked":
        return f"rank:{_singular(match['ranked'])}", fold(match["rank"])
    if kind == "place":
        return f"rank:{fold(match['of'])}", match["place"]
    if kind == "unit":
        unit = _singular(match["unit"])
        if unit in _NO_UNIT:
            return ("number", match["count"]) if match["count"][0].isdigit() else ("", "")
        return _LENGTHS.get(unit, f"count:{unit}"), fold(match["count"])
    if kind == "name" and fold(match[0]) in ("user", "the user"):
        return "", ""
    return kind, _singular(match[0]) if kind == "weekday" else fold(match[0]).strip(" ,.")


def _singular(word: str) -> str:
    folded = fold(word)
    return {"percent": "%", "kilo": "kg", "lb": "pound"}.get(
        folded.removesuffix("s"), folded.removesuffix("s")
    )


@cache
def _value() -> re.Pattern[str]:
    numbers, ranks = _NUMBER_WORDS.replace(" ", "|"), _RANK_WORDS.replace(" ", "|")
    return re.compile(
        rf"(?P<clock>(?<!\d)\d{{1,2}}[:.]\d\d(?: ?[ap]m\b)?(?![\d%])(?! ?(?:percent|kg|kilos|mg"
        rf"|km))"
        rf"|\b\d{{1,2}} ?[ap]m\b|(?<=\bat )\d{{1,2}}(?=$|,| every| on | in | now| each| most| to ))"
        rf"|(?P<date>\d{{4}}-\d\d(?:-\d\d)?|(?:\d{{1,2}}(?:st|nd|rd"
        rf"|th)? (?:of )?)?\b(?:{_MONTHS})\b"
        rf"(?: \d{{1,2}}(?:st|nd|rd|th)?\b)?(?:,? \d{{4}})?|\b(?:spring|summer|autumn|winter)"
        rf"(?: \d{{4}})?|(?<=the )\d{{1,2}}(?:st|nd|rd|th)(?=$|,| at| of the month))"
        rf"|(?P<money>[$£€₹] ?\d[\d.,]*(?: ?(?:k|m|grand|million)\b)?"
        rf"|\b\d[\d.,]*(?:k|m| ?(?:quid|dollars|euros|bucks|grand))\b)"
        rf"|\b(?P<rank>\d+(?:st|nd|rd|th)|{ranks})[ -](?P<ranked>[a-z]+)"
        rf"|\b(?P<of>[A-Z][A-Za-z]{{2,}}|grade|year|chapter|level|stage|phase|room|floor|gate"
        rf"|version"
        rf"|platform|class|form|page|unit|week|part|season|book) v?(?P<place>\d[\d.]*)\b(?!%)"
        rf"|\b(?P<often>(?:once|twice|(?:\d+|{numbers})(?: times)?) (?:an?|per|every|each)"
        rf" (?:day|week|month|year))\b"
        rf"|\b(?P<length>(?:half )?an hour(?: and a half)?)\b"
        rf"|(?<![\w.])(?P<count>\d[\d.,]*|{numbers})[ -]?(?P<unit>%|[A-Za-z]+)"
        rf"|\b(?P<weekday>(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?)\b"
        rf"|(?<![\w.])(?P<number>\d[\d.,/]*)"
        rf"|(?<=[\w,] )(?<!'s )(?P<name>[A-Z][\w+#&'.-]*(?: [A-Z][\w+#&'.-]*)*)"
    )


@lru_cache(maxsize=4_096)
def topics_of(text: str) -> frozenset[str]:
    """The words (stems) that tell what a sentence is about, its values aside."""
    rest = _value().sub(lambda found: f" {found['unit'] or found['name'] or ''} ", text)
    return frozenset(word for word in index_words(rest) if word.isascii()) - _light()


def conflicts(new: str, old: str) -> frozenset[str]:
    """The kinds of which both sentences give values, and have none in common."""
    first, second = values_of(new), values_of(old)
    kinds = {kind for kind in first.keys() & second.keys() if not first[kind] & second[kind]}
    if "number" in first and not kinds:  # `to 10`: the unit goes without saying
        kinds = {
            kind
            for kind, values in second.items()
            if kind.startswith(("count:", "money")) and not first["number"] & values
        }
    return frozenset(kinds)


__all__ = ["conflicts", "topics_of", "values_of"]
