"""Corrections: what was said wrong is put right in the sentence it stood in."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import cache

from loxodon.write.en.clean import bare
from loxodon.write.en.patterns import Lazy
from loxodon.write.en.rules import tidy
from loxodon.write.en.scene import Scene, is_name
from loxodon.write.en.verbs import AUXILIARIES, forms_of
from loxodon.write.en.words import (
    DIETS,
    JOBS,
    LANGUAGES,
    MONTHS,
    PLACES,
    RELATIONS,
    WEEKDAYS,
    alternatives,
    as_set,
)  # fmt: skip
from loxodon.write.statements import Statement

_OOPS = (
    r"(?:oh |sorry,? |ah |oops,? |whoops,? |hang on,? |hold on,? |well,? |ok(?:ay)? |argh,? "
    r"|ugh,? )*"
    r"(?:no,? wait|wait,? no|no no|scratch that|correction|i mean|i meant|my mistake|my bad"
    r"|i misread(?: it| that)?|i got (?:it|that) wrong|i was wrong|make that|or rather|rather"
    r"|i tell a lie|scrap that|strike that|silly me|it says(?: here)?|make it|for \w+'s sake|slip of the \w+"
    r"|no,? hang on|no,? hold on|oops|whoops|i stand corrected|that should (?:be|read|say)|should(?:'ve| have) (?:said|been)"
    r"|oh no|no sorry|sorry|wait|no|nope|typo|actually(?: correction)?|actually no|fine)"
)
_WITHIN = Lazy(
    r"(?P<old>[£$€]?\d[\d.,:]*\w*|[\w'-]+)(?P<unit>(?: (?!no\b|wait\b"
    rf"|sorry\b)[a-z]+){{0,2}})\s*(?:,|\.\.\.|\.\.|-"
    rf"|…)\s*(?:{_OOPS})[,.\s-]+(?P<new>[£$€]?\d[\d.,:]*\w*|[\w'-]+)(?=$|[\s,.!;])",
    re.I,
)


def within(text: str) -> str:
    """`text` with a slip put right that it corrects itself: "6 mugs... no 7" is "7 mugs"."""
    start = 0
    while found := _WITHIN.search(text, start):
        if _kind(found["old"]) and _kind(found["old"]) == _kind(found["new"]):
            return f"{text[: found.start()]}{found['new']}{found['unit']}{text[found.end() :]}"
        start = found.end("old")
    return text


@cache
def _kinds() -> tuple[tuple[str, re.Pattern[str]], ...]:
    colours = "red blue green yellow black white grey gray pink purple orange brown navy teal beige"
    numbers = "one two three four five six seven eight nine ten eleven twelve twenty thirty"
    return (
        ("number", re.compile(rf"[£$€]?\d[\d.,:]*\w*|{alternatives(numbers)}", re.I)),
        ("day", re.compile(rf"{alternatives(WEEKDAYS)}s?", re.I)),
        ("month", re.compile(alternatives(MONTHS), re.I)),
        ("colour", re.compile(alternatives(colours), re.I)),
        ("diet", re.compile(alternatives(DIETS), re.I)),
        ("language", re.compile(alternatives(LANGUAGES), re.I)),
        ("relation", re.compile(alternatives(RELATIONS), re.I)),
    )


def _kind(word: str) -> str:
    for name, pattern in _kinds():
        if pattern.fullmatch(word.strip()):
            return name
    if word.lower() in as_set(PLACES):
        return "name"
    return "name" if is_name(word.split()[0] if word.split() else "") else ""


_NOT_X = Lazy(
    rf"(?:{_OOPS}[,.]?\s+)?(?:it's |it is |that's |she's |he's )?not (?:the |a "
    rf"|an )?(?P<old>[\w' -]{{1,30}}?)[,.;]\s*(?:but |it's |it is |she's |he's |the |a "
    rf"|an )*(?P<new>[\w' -]{{1,30}}?)(?:[.!,].*)?",
    re.I | re.S,
)
_Y_NOT_X = Lazy(
    r"(?:it's |it is |that's |actually |no,? )+(?P<new>[\w' -]{1,30}?),? not (?:the |a "
    r"|an )?(?P<old>[\w' -]{1,30})",
    re.I,
)
_OOPS_Y = Lazy(
    rf"(?:{_OOPS})[,.:;]?\s+(?:with a \w\. |it's |it is |that's |we're "
    rf"|so )*(?P<new>(?:[^,.;!]|\.(?=\d)){{1,40}}?)(?P<tail>(?:[!,;]|\.(?!\d)).*)?",
    re.I | re.S,
)
_STARTS = Lazy(rf"(?:{_OOPS})\b", re.I)
_THEY_DID = Lazy(
    r"(?:(?:ha|no|oh|sorry|actually|wait|oops|i mean|silly me)[,. ]+)*(?:it was |it's )?(?P<who>(?:(?:the|my|our) )?[\w-]+)"
    r" (?:did(?: it| that)?|is|does|was|who did(?: it)?)(?:,? (?:i mean|i meant|sorry|actually))?,?",
    re.I,
)
"""`the plasterer is, I mean`: it was someone else."""
_OR_IS_IT = Lazy(
    r"or (?:is|was) (?:it|that) (?:the |on |in |at )?(?P<new>[^,;?]{1,25})\??,? (?:yes|yeah|yep|yup|right),? (?:it's |the |on |in |at )?(?P=new).*",
    re.I | re.S,
)
"""`118, or is it 181, yes 181`."""
_WITH_A = Lazy(r"with an? \w[.,]? (?P<new>(?-i:[A-Z])\w+)\b.*", re.I | re.S)


_IT_IS = r"(?:it's|it is|it was|that's|she's|he's|they're|i meant|i mean|it should be|should be)"
_TERM = r"(?:the |an? )?(?P<{0}>[£$€]?[\w&'.:/-]+(?: [\w&'.:/-]+){{0,3}}?)"
_RECALLED = Lazy(
    rf".*?\b(?:i (?:said|told you|wrote|put|mentioned|typed) (?:it was |it's |that )?"
    rf"{_TERM.format('a')}(?: before| earlier| last time| the other day| yesterday)?"
    rf",?(?: but| and| sorry| however)*,? (?:actually )?{_IT_IS}(?: actually)? {_TERM.format('b')}"
    rf"|did i (?:say|write|put|type) {_TERM.format('i')}[?,]* (?:sorry,? )?{_IT_IS} {_TERM.format('j')}"
    rf"|(?:it's|is|isn't|was|wasn't|that's|she's|he's)(?: not| actually not)? "
    rf"{_TERM.format('c')},? (?:but )?{_IT_IS} (?:actually )?{_TERM.format('d')}"
    rf"|{_IT_IS} (?:actually )?{_TERM.format('e')},? not {_TERM.format('f')}"
    rf"|{_TERM.format('g')} should (?:be|have been|read|say) {_TERM.format('h')})"
    r"(?:,? (?:i'm|i am|i was|that|which|who|with an? \w|sorry|my bad|my mistake)\b.*)?[.!]*",
    re.I | re.S,
)
"""One word put in the place of another that was said some other day."""
_OWNS_UP = Lazy(
    r"\b(?:sorry|correction|i meant|i said|i told you|i wrote|i mentioned|i typed|my mistake|my bad"
    r"|did i (?:say|write|put|type)|wrong|typo|mixed up|misremembered|actually|should (?:be|have been|read|say))\b",
    re.I,
)
_NO_TERM = frozenset(("it", "that", "this", "so", "me", "you", "them", "him", "her", "not", "just"))


def recalled(text: str) -> Statement | None:
    """That a word said some other day was wrong; the memory that has it will be put right."""
    found = _RECALLED.fullmatch(text) if len(text) <= 200 else None
    if found is None:
        return None
    old = tidy(found["a"] or found["c"] or found["f"] or found["g"] or found["i"] or "")
    new = tidy(found["b"] or found["d"] or found["e"] or found["h"] or found["j"] or "")
    old, new = (_PLACED.sub("", words) for words in (old, new))
    if min(len(old), len(new)) < 2 or {old.lower(), new.lower()} & _NO_TERM or old == new:
        return None
    if found["c"] and " not " not in text.lower() and "n't " not in text.lower():
        return None
    alike = _kind(old.split()[0]) != "" and _kind(old.split()[0]) == _kind(new.split()[0])
    if not alike and not _OWNS_UP.search(text):
        return None
    content = f"The user meant {new}, not {old}"
    return Statement(content, "user", "", new, "temp", "correct", (old,))


_SPELT = Lazy(
    r"(?:(?:oh|and|by the way|btw|sorry|actually),? )*(?:(?:he|she|they|we|i) (?:actually )?(?:spells?|writes?) (?:it|that|his name|her name)"
    r"|(?:it's |that's |his name's |her name's )?(?:actually )?(?:spelled|spelt|written))(?: as)? (?P<new>(?-i:[A-Z])[\w'-]+)(?:[,.;].*)?",
    re.I,
)


def respelt(text: str, earlier: Sequence[Statement]) -> Statement | None:
    """`he spells it Alun`: that a name is written otherwise, wherever it stands."""
    found = _SPELT.fullmatch(text.strip(" .!")) if len(text) < 80 else None
    for statement in reversed(earlier[-6:]) if found else ():
        new = found["new"]  # type: ignore[index]
        if old := _mistyped(statement.content, new, 0.5):
            return Statement(
                f"The user meant {new}, not {old}", "user", "", new, "temp", "correct", (old,)
            )
    return None


_PLACED = Lazy(r"^(?:from|in|at|on|called|named|with|for) ", re.I)
_GOT_WRONG = Lazy(
    r"(?:sorry,? |oops,? |ah,? |so )*(?:i|you|we)(?:'ve| have)?(?: just)? (?:got|had|have|put|wrote"
    r"|gave you|spelled|spelt) (?:my|our|the) (?P<what>[\w' -]{3,40}?)(?: down)? wrong(?: before"
    r"| earlier| last time)?[,.;]* (?:sorry,? )?(?:it's|it is|that's|it should be|should be)"
    r" (?:actually )?(?P<right>[^,;]{1,40}?)(?: with an? .*)?[.!]*",
    re.I,
)


def got_wrong(text: str) -> str:
    """`I got my sister's birthday wrong, it's 13 May` as a clause: `my sister's birthday is …`."""
    found = _GOT_WRONG.fullmatch(text)
    return f"my {found['what']} is {found['right']}" if found else ""


_WRONG = Lazy(
    r"\W*(?:(?:oh|ah|sorry|oops|wait|no|hm+)[,. ]+)*(?:correction|i (?:was|am) wrong|i'm wrong"
    r"|i got (?:that|it|this) wrong|my mistake|my bad|i misremembered|i misspoke|i made a mistake"
    r"|(?:just )?to correct (?:myself|something|that)|i mixed (?:it|that|them) up|that was (?:wrong"
    r"|a typo))(?: (?:earlier|before|there|last time))?\W*",
    re.I,
)


def owns_up(text: str) -> bool:
    """Whether a fragment only says that something was wrong."""
    return len(text) < 60 and _WRONG.fullmatch(text) is not None


_CORRECTS = Lazy(
    r"(?:oh |sorry,? |oops,? |wait,? |no,? )*(?:correction|i meant|i mean|my mistake|scratch that"
    r"|i was wrong|i got that wrong|i misspoke|to correct myself)\b",
    re.I,
)


def corrects(text: str) -> bool:
    """Whether `text` begins with words that say that what was said before was wrong."""
    return _CORRECTS.match(text) is not None


Correction = tuple[Statement, Statement]
"""What was said wrong, and the same put right."""


def corrected(
    text: str, scene: Scene, earlier: Sequence[Statement], denied: bool = False
) -> Correction | None:
    """The earlier statement that `text` (spelled) corrects, and as it should have been. `denied`:
    the fragment before it said "no"."""
    text = text.strip(" .!")
    if not earlier or len(text.split()) > 24:
        return None
    for pattern in (_NOT_X, _Y_NOT_X):
        found = pattern.fullmatch(text)
        if found:
            made = _swapped(tidy(found["old"]), tidy(bare(found["new"])), scene, earlier)
            if made:
                return made
    if recounted := _recounted(text, earlier):
        return recounted
    if moved := _moved(value_alone(text) if denied else "", earlier):
        return moved
    date = _date().search(text)
    if date and (denied or _STARTS.match(text)) and (redated := _redated(date[0], text, earlier)):
        return redated
    if denied and (len(text.split()) <= 3 or value_alone(text)):
        return _put_right(tidy(value_alone(text) or bare(text)), earlier)
    if (other := _THEY_DID.fullmatch(text)) and (right := _of_other(other["who"], earlier)):
        return right
    if again := _OR_IS_IT.fullmatch(text):
        return _put_right(tidy(again["new"]), earlier)
    spelt = _WITH_A.fullmatch(text)
    if spelt:
        return _put_right(spelt["new"], earlier)
    found = _OOPS_Y.fullmatch(text)
    if found and _STARTS.match(text):
        return _put_right(tidy(bare(found["new"])), earlier)
    return None


def _of_other(who: str, earlier: Sequence[Statement]) -> Correction | None:
    """The last statement, of someone or something else instead."""
    last, new = earlier[-1], re.sub(r"^(?:the|my|our) ", "", who, flags=re.I)
    old = last.subject
    doer = new != who and re.search(r"(?:er|or|ist|ian|man|woman)$", new)
    known = doer or new.lower() in as_set(RELATIONS + JOBS) or is_name(new)
    if old in ("user", new) or not known or not re.search(rf"\b{re.escape(old)}\b", last.content):
        return None
    wrong, right = _replaced(last, old, new)
    if is_name(new):
        right = right._replace(content=right.content.replace(f"The user's {new} ", f"{new} "))
    return wrong, right


@cache
def _bare_value() -> re.Pattern[str]:
    numbers = "one two three four five six seven eight nine ten eleven twelve twenty thirty"
    return re.compile(
        rf"(?:at |on |in |the )?(?:[£$€]?\d[\d.,:]*(?:k|[ap]m|st|nd|rd|th)?|{alternatives(numbers)}"
        rf"|{alternatives(WEEKDAYS)}|{alternatives(MONTHS)}|noon|midnight)"
        rf"(?: (?:[ap]m|o'clock|{alternatives(_UNITS)}|of {alternatives(MONTHS)}|{alternatives(MONTHS)}))?",
        re.I,
    )


_UNITS = """
    feet foot metres meters inches cm mm km miles yards kilos kg grams pounds lbs stone ounces litres
    pints gallons hours minutes days weeks months years degrees percent quid euros dollars people
"""


def is_value(text: str) -> bool:
    """Whether `text` is nothing but a number, an hour, a day or a month."""
    return len(text) < 30 and _bare_value().fullmatch(text.strip(" .!,*")) is not None


_SAYS_SO = Lazy(
    r"(?:(?:ugh|argh|oh|ah|ooh|hm+|and|but|ok|wait|hang on|dear me|drat|damn)[,. ]+)*(?P<new>[^,;!]{1,25}?)"
    r"(?:,? (?:(?:the|my|our|his|her|it|she|he|they) ?(?:new )?[\w' ]{0,20} ?(?:says?|said|reads|tells me|confirmed)"
    r"|according to .{3,30}|to be exact|to be precise|not [^,]{1,25}|sorry|even|actually|rather|i mean|i meant|though|my bad|oops"
    r"|silly me|i misread.{0,20}|i can't (?:count|read|add up|spell)))*[.!]*",
    re.I,
)


def value_alone(text: str) -> str:
    """The value that is all a fragment says, who says so aside: `ugh, Wednesday, the card says`."""
    found = _SAYS_SO.fullmatch(text) if len(text) < 80 else None
    return found["new"].strip() if found and is_value(found["new"]) else ""


_MAKE_THAT = Lazy(
    r"(?:oh |ah |sorry,? |actually,? |no,? |and )*make (?:that|it) (?P<new>[^,.;!]{1,25})", re.I
)


def makes_that(text: str) -> bool:
    """`make that 45` puts a number right, unlike `make it shorter`."""
    found = _MAKE_THAT.match(text)
    return found is not None and is_value(found["new"])


def _other_unit(new: str, earlier: Sequence[Statement]) -> Correction | None:
    """`2 feet`, after "2 metres deep": the same number of something else."""
    found = re.fullmatch(rf"(\d[\d.,]*) ({alternatives(_UNITS)})", new, re.I)
    for statement in reversed(earlier[-4:]) if found else ():
        pattern = rf"\b{re.escape(found[1])} ({alternatives(_UNITS)})\b"  # type: ignore[index]
        old = re.search(pattern, statement.content, re.I)
        if old and old[0].lower() != new.lower():
            return _replaced(statement, old[0], new)
    return None


def _swapped(old: str, new: str, scene: Scene, earlier: Sequence[Statement]) -> Correction | None:
    """The last statement with `old` in it, `new` in its place."""
    if not old or not new or old.lower() == new.lower():
        return None
    pattern = re.compile(rf"\b{re.escape(old)}\b", re.I)
    for statement in reversed(earlier):
        if pattern.search(statement.content):
            return _replaced(statement, old, new)
    return None


_COUNT = Lazy(
    r"(?:so |now |just |that's |it's |we have |i have |wait )*(?:(?P<n>\d[\d.,]*)|(?:the )?(?P<nth>first|second|third|fourth"
    r"|fifth|sixth|seventh|eighth|ninth|tenth|top|ground|\d+(?:st|nd|rd|th))) (?P<noun>[a-z]{3,})"
    r"(?:,? (?:sorry|i mean|actually|rather|i can't count|i meant))?",
    re.I,
)


def _recounted(text: str, earlier: Sequence[Statement]) -> Correction | None:
    """`9 hives`, after "8 wooden hives": the same things, another number of them."""
    found = _COUNT.fullmatch(text)
    if not found:
        return None
    number = r"first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|top|ground|\d+(?:st|nd|rd|th)"
    number, new = (number, found["nth"]) if found["nth"] else (r"\d[\d.,]*", found["n"])
    pattern = re.compile(rf"\b(?P<old>{number})(?= (?:[a-z]+ )?{re.escape(found['noun'])}\b)", re.I)
    for statement in reversed(earlier):
        old = pattern.search(statement.content)
        if old and old["old"].lower() != new.lower():
            return _replaced(statement, old["old"], new)
    return None


def _replaced(statement: Statement, old: str, new: str) -> Correction:
    if old[:1] in "£$€" and new[:1].isdigit():
        new = f"{old[0]}{new}"
    pattern = re.compile(rf"(?<!\w){re.escape(old)}(?!\w)", re.I)

    def put(text: str) -> str:
        return pattern.sub(lambda _: new, text, count=1)

    content = put(statement.content)
    return statement, statement._replace(
        content=content[:1].upper() + content[1:],
        subject=put(statement.subject),
        value=put(statement.value) if pattern.search(statement.value) else statement.value,
        act="correct",
        over=(old,),
        mentions=tuple(m for m in statement.mentions if m.name.lower() != old.lower()),
    )


@cache
def _date() -> re.Pattern[str]:
    month = alternatives(MONTHS)
    return re.compile(
        rf"\b(?:the )?\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {month}\b"
        rf"|\b{month} (?:the )?\d{{1,2}}(?:st|nd|rd|th)?\b|\b\d{{4}}-\d\d-\d\d\b",
        re.I,
    )


def _redated(new: str, text: str, earlier: Sequence[Statement]) -> Correction | None:
    """The last statement with a date, on another one."""
    for statement in reversed(earlier):
        old = _date().search(statement.content)
        if old and old[0].lower() != new.lower():
            wrong, right = _replaced(statement, old[0], new)
            more = re.search(rf"{re.escape(new)},? ((?:with|at|in|from) .{{3,40}})$", text)
            return wrong, right._replace(content=f"{right.content}, {more[1]}") if more else right
    return None


_CLOCK = Lazy(r"(?:at )?(?P<h>\d{1,2})(?:[.:](?P<m>\d\d))? ?(?P<half>[ap]m)?", re.I)
_DAY_OF = Lazy(r"(?:on )?(?:the )?(?P<day>\d{1,2})(?:st|nd|rd|th)", re.I)


def _moved(new: str, earlier: Sequence[Statement]) -> Correction | None:
    """The last statement at another time of the same kind, where its dates are absolute already."""
    if not new or not earlier:
        return None
    last = earlier[-1]
    day, clock = _DAY_OF.fullmatch(new), _CLOCK.fullmatch(new)
    if day and (old := _date().search(last.content)) and not old[0][:4].isdigit():
        return _replaced(last, old[0], re.sub(r"\d+(?:st|nd|rd|th)?", day["day"], old[0], count=1))
    if re.fullmatch(rf"(?:on )?{alternatives(WEEKDAYS)}", new, re.I):
        old = re.search(r"\b(?:on |at )?\d{4}-\d\d-\d\d\b", last.content)
        return _replaced(last, old[0], f"on {new.removeprefix('on ')}") if old else None
    old = re.search(r"(?<=\d\d-\d\d )(\d\d):\d\d\b", last.content)
    if clock and old and int(clock["h"]) < 25:
        hour = int(clock["h"])
        late = (clock["half"] or "").lower() == "pm" or (not clock["half"] and int(old[1]) >= 12)
        hour += 12 if late and hour < 12 else 0
        return _replaced(last, old[0], f"{hour:02}:{clock['m'] or '00'}")
    return None


def _put_right(new: str, earlier: Sequence[Statement]) -> Correction | None:
    """The statement whose value `new` is meant for: one like it, or one of its kind."""
    words = new.split()
    if (
        not words
        or len(words) > 6
        or words[0].lower() in ("i", "my", "we", "he", "she", "they", "it", "you")
    ):
        return None
    if any(word.lower() in AUXILIARIES for word in words[:3]) and len(words) > 2:
        return None
    for statement in reversed(earlier):
        if (
            statement.value
            and _alike(statement.value, new)
            and statement.value.lower() != new.lower()
        ):
            return _replaced(statement, statement.value, new)
    for statement in reversed(earlier[-4:]) if len(words) == 1 and new[:1].isupper() else ():
        if old := _mistyped(statement.content, new):
            return _replaced(statement, old, new)
    numbered = re.fullmatch(r"(?P<noun>[a-z]+) (?P<n>\d+)", new, re.I)
    for statement in reversed(earlier[-4:]) if numbered else ():
        pattern = rf"\b{re.escape(numbered['noun'])} (\d+)"  # type: ignore[index]
        if found := re.search(pattern, statement.content, re.I):
            return _replaced(statement, found[1], numbered["n"])  # type: ignore[index]
    if same_number := _other_unit(new, earlier):
        return same_number
    kind = _kind(words[0])
    if (
        not kind
        or (len(words) > 2 and kind != "number")
        or (forms_of(words[0].lower()) and not kind)
    ):
        return None
    for statement in reversed(earlier[-4:]):
        old = next(
            (
                word
                for word in re.findall(r"[£$€]?(?:\d[\d.,:]*\d|[\w'-]+)", statement.content)
                if word.lower() not in ("the", "user", "user's")
                and _kind(word) == kind
                and not (kind == "name" and statement.content.startswith(word))
            ),
            "",
        )
        if old and old.lower() != words[0].lower():
            whole = kind == "name" and all(word[:1].isupper() for word in words)
            return _replaced(statement, old, new if whole else words[0])
    return None


def _alike(old: str, new: str) -> bool:
    """Whether one is the other with a word more or a letter changed."""
    a, b = old.lower().split(), new.lower().split()
    shared = set(a) & set(b)
    if len(b) > 1 and shared and a[-1] == b[-1]:
        return True
    return len(a) == 1 == len(b) and SequenceMatcher(None, a[0], b[0]).ratio() > 0.75


def _mistyped(content: str, new: str, least: float = 0.7) -> str:
    """The name in `content` that `new` is nearly."""
    return next(
        (
            word
            for word in re.findall(r"[\w'-]+", content)
            if word[:1].isupper() and word.lower() not in ("the", new.lower())
            and SequenceMatcher(None, word.lower(), new.lower()).ratio() >= least
        ),
        "",
    )  # fmt: skip


__all__ = [
    "corrected", "corrects", "got_wrong", "makes_that", "owns_up", "recalled",
    "respelt", "value_alone", "within",
]  # fmt: skip
