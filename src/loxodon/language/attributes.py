"""What can be known of someone, by name, and whether it has one value at a time.

An attribute with one value replaces what was known before; one with many gathers. A statement that
fits none of these is kept under no attribute, and compared by its words.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Literal, NamedTuple

About = Literal[
    "identity", "health", "safety", "preference", "relation", "change", "decision", "fact",
    "temporary",
]  # fmt: skip
"""What an attribute is about; `IMPORTANCE` says how much that matters by itself."""

IMPORTANCE: dict[About, float] = {
    "identity": 1.0, "health": 1.0, "safety": 1.0,
    "preference": 0.8, "relation": 0.8, "change": 0.8, "decision": 0.8,
    "fact": 0.5, "temporary": 0.2,
}  # fmt: skip


class Attribute(NamedTuple):
    one: bool
    """One value at a time."""
    about: About
    category: str

    @property
    def importance(self) -> float:
        return IMPORTANCE[self.about]


_ONE = {
    "identity": (
        "name nickname age birthday gender nationality hometown zodiac occupation native_language "
        "religion marital_status blood_type height weight eyesight shoe_size clothes_size "
        "education grade salary ethnicity"
    ),
    "change": (
        "home employer workplace school major partner_status commute car phone computer "
        "living_with bedtime wake_time"
    ),
    "preference": "reply_language reply_style form_of_address units favourite",
    "decision": "deploy_target database default_branch version",
    "relation": "partner manager doctor teacher therapist landlord holder",
    "fact": "size theme contact budget timezone goal deadline schedule price score record setting",
}
_MANY = {
    "health": "allergy condition medication dose diet surgery injury symptom vaccine pregnancy",
    "safety": "emergency_contact safety",
    "preference": "likes dislikes prefers avoids",
    "relation": "child parent sibling relative friend colleague pet neighbour ex knows",
    "identity": "language skill degree certificate",
    "decision": "decision uses stack rule convention",
    "change": "event",
    "fact": "owns hobby habit plan project membership subscription visited reads plays watches",
    "temporary": "todo reminder mood feeling",
}
_CATEGORY: dict[About, str] = {
    "identity": "identity", "health": "health", "safety": "health", "preference": "preference",
    "relation": "relation", "change": "status", "decision": "decision", "fact": "fact",
    "temporary": "temp",
}  # fmt: skip
_OWN_CATEGORY = {
    "plan": "plan", "goal": "plan", "deadline": "plan", "todo": "plan", "reminder": "plan",
    "uses": "config", "stack": "config", "version": "config", "convention": "config",
    "event": "event", "deploy_target": "config", "database": "config", "default_branch": "config",
    "schedule": "plan",
}  # fmt: skip


def _table() -> dict[str, Attribute]:
    found: dict[str, Attribute] = {}
    for one, groups in ((True, _ONE), (False, _MANY)):
        for about, names in groups.items():
            for name in names.split():
                category = _OWN_CATEGORY.get(name, _CATEGORY[about])  # type: ignore[index]
                found[name] = Attribute(one, about, category)  # type: ignore[arg-type]
    return found


ATTRIBUTES = _table()

OPPOSITES: dict[str, tuple[str, ...]] = {
    "likes": ("dislikes", "avoids"),
    "prefers": ("dislikes", "avoids"),
    "dislikes": ("likes", "prefers"),
    "avoids": ("likes", "prefers", "diet"),
}
"""Of one thing only one of these is true."""

_PROGRESSING = (
    "certificate medication plan goal project score deadline schedule surgery subscription "
    "reminder todo membership"
)
PROGRESSING = frozenset(_PROGRESSING.split())
"""Of one of these the newest is what holds: the exam that was failed is passed."""

_DESCRIBED = "pet child parent sibling relative friend colleague neighbour ex knows owns decision"
DESCRIBED = frozenset((*_DESCRIBED.split(), "event", "project", "uses", "stack", "rule"))
"""Many things can be said of one of these: two sentences on one dog are two facts."""

LASTING = ("allergy", "condition")
"""What one does not lose by giving up something of the same name."""
OF_SOMETHING = frozenset(
    ["doctor", "teacher", "favourite", "setting", "version", "goal", "price", "score", "record"]
)
"""One value at a time, but of one thing: the best film is not the best colour."""

OF_THINGS = frozenset(["setting", "schedule", "holder", "score", "price", "deadline", "version"])
"""Attributes of things and roles in a life (the rent, the adviser), not of people."""

IMPLIED_BY: dict[str, tuple[str, ...]] = {
    "avoids": ("allergy", "diet", "dislikes"),
    "diet": ("allergy", "avoids", "dislikes"),
    "dislikes": ("avoids", "diet"),
    "allergy": ("condition",),
    "symptom": ("allergy", "condition"),
}
"""What one need not be told who knows the other: who is allergic to it does not eat it."""

_FAMILIES = (
    "likes dislikes prefers avoids favourite diet habit hobby medication reads plays watches",
    "employer workplace occupation salary commute",
    "school major education grade degree",
    "home living_with hometown",
)


def family_of(attribute: str) -> str:
    """What kind of thing an attribute is about, where another kind is surely not meant."""
    return next((names for names in _FAMILIES if attribute in names.split()), "")


_ASPECTS = (
    r"short|long|brief|concise|detail|length|sentence|paragraph|words|简短|简洁|精简|详细|短|长|字|句|啰嗦|废话",
    r"emoji|smiley|表情|颜文字",
    r"bullet|list|table|heading|markdown|bold|列表|要点|分点|表格|标题|加粗",
    r"english|spanish|french|german|chinese|japanese|korean|italian|portuguese|中文|英文|英语|日语|日文|双语|粤语",
    r"formal|casual|direct|friend|polite|tone|blunt|honest|gentle|joke|正式|口语|直接|语气|客气|敬语|幽默|安慰",
    r"code|example|explain|explanation|代码|示例|例子|解释|注释|步骤",
    r"grams|cups|metric|imperial|celsius|fahrenheit|miles|kilomet|公制|英制|摄氏|华氏",
    r"question|apolog|反问|提问|道歉",
)


_OF_ANY_WISH = frozenset(
    ["user", "give", "always", "with", "when", "that", "keep", "write", "tell", "make"]
)


@cache
def _aspects() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(words, re.I) for words in _ASPECTS)


def same_aspect(one: str, other: str) -> bool:
    """Whether two wishes for replies are about one side of them: their length, their tone."""
    both = [{n for n, side in enumerate(_aspects()) if side.search(text)} for text in (one, other)]
    if all(both) or not (one + other).isascii():
        return bool(both[0] & both[1]) or not all(both)
    words = [set(re.findall(r"[a-z]{4,}", text.lower())) for text in (one, other)]
    return bool((words[0] & words[1]) - _OF_ANY_WISH)


_PLACES = frozenset(["home", "hometown", "workplace", "employer", "school", "nationality"])
_NAMES = frozenset(["name", "nickname", "form_of_address"])
_NUMBERS = frozenset(["age", "height", "weight", "salary", "price", "score", "shoe_size"])
_LONGEST = {"zh": 24, "en": 60}
"""Characters of the value of an attribute that has one value; a longer one is a clause."""
_TIME = (
    r"(?i)\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:today|tomorrow|tonight|morning"
    r"|afternoon|evening|o'clock|[ap]m|january|february|march|april|may|june|july|august|september"
    r"|october|november|december|spring|summer|autumn|winter|week|month|year)s?\b"
    r"|(?:周|星期|礼拜)[一二三四五六日天]|今天|明天|昨天|上午|下午|点半|点钟|[0-9一二三四五六七八九十]+月"
)
_AMOUNT = (
    r"\d|[零〇一二两三四五六七八九十百千万]|\b(?:one|two|three|four|five|six|seven|eight|nine|ten"
    r"|\w+teen|\w+ty|hundred|grand)\b"
)


def plausible(attribute: str, value: str, language: str) -> bool:
    """Whether `value` can be the value of an attribute: a wrong one would replace a right one."""
    if not value:
        return True
    if ATTRIBUTES[attribute].one and len(value) > _LONGEST[language]:
        return False
    named = attribute in _PLACES or attribute in _NAMES
    clause = re.search(r"\b(?:because|so that|and (?:is|was|has))\b", value)
    if named and (clause or re.search(_TIME, value) or not any(map(str.isalpha, value))):
        return False
    if attribute in _NAMES:
        return not any(map(str.isdigit, value)) and len(value.split()) <= 5
    if attribute in _NUMBERS:
        return bool(re.search(_AMOUNT, value.lower()))
    return True
