"""Whether what stands behind the name of a secret in a plain statement is one.

What counts is where a value stands: behind the name of a secret and a word that links them. A value
looks like no word, or is a number that counts nothing. A word is a value only where the statement
says whose password it is, and ends there; the next message after "what is the PIN?" begins with
one. In doubt nothing is removed.
"""

from __future__ import annotations

import re
from functools import cache

from loxodon.guard.candidates import Candidate, add_checks
from loxodon.guard.rules import expanded, words
from loxodon.guard.secret_checks import COUNTED, ENDINGS, NO_PASSWORDS, is_no_password, is_technical
from loxodon.text.wordlists import ENGLISH

_NUMBER = re.compile(r"[#*]?\d(?:[ -]?\d){2,11}[#*]?")
_MEASURE = re.compile(  # Amounts, versions, dates and times
    r"(?i)[$€£¥]\d.*|\d{1,3}-[a-z]+|v?\d+(?:\.\d+)+|\d+(?:[:/]\d+)+|\d{4}-\d\d?-\d\d?"
    r"|\d{1,4}(?:st|nd|rd|th|am|pm|km|kg|gb|mb|kb|px|ms|min|hrs?|[a-z%])"
)
_LETTERS = re.compile(r"[A-Za-z]+")
_ODD = re.compile(r"(?=.*[A-Za-z]).*[0-9!@#$%^&*+=~|].*")
_WORD = re.compile(r"[A-Za-z]+(?:[-_][A-Za-z]+)*")
_SHORTEST_WORD = 6  # few places take a shorter password; what is said about one is mostly shorter
_ADJECTIVES = (*ENDINGS, "ic", "al", "ant", "ent", "some", "ish", "ary", "ory", "like", "wide")
_PARTICLES = "了啦哦噢喔呀啊哈呢吧"


def follows(one: Candidate) -> str:
    at = one.start + len(one.value)
    return one.text[at : at + 24].lstrip(" \t\"'`”’」』*")


def _ends(one: Candidate) -> bool:
    """Whether the statement ends behind the value."""
    rest = follows(one).lstrip(_PARTICLES)
    return not rest or not (rest[0].isalnum() or rest[0] in "-_/(（%°")


def ends_or_goes_on(one: Candidate) -> bool:
    """The same, or another clause begins: what a number counts is no function word."""
    word = _LETTERS.match(follows(one))
    return _ends(one) or (word is not None and word[0].lower() in ENGLISH)


def is_number(one: Candidate, least: int) -> bool:
    it = one.value
    if not _NUMBER.fullmatch(it) or _MEASURE.fullmatch(it) or one.before in tuple("$€£¥"):
        return False
    return sum(map(str.isdigit, it)) >= least and ends_or_goes_on(one)


def is_odd(it: str, least: int = 4) -> bool:
    """Letters with digits, or with signs that no word has."""
    if len(it) < least or not it.isascii() or not _ODD.fullmatch(it):
        return False
    if is_no_password(it) or _MEASURE.fullmatch(it) or is_technical(it.lower()):
        return False
    is_mail = "@" in it[1:] and "." in it.rpartition("@")[2]
    is_name = "_" in it and "pass" in it.lower()
    return not is_mail and not is_name and it.count("/") <= 1


def _is_word(it: str) -> bool:
    """A word that could be chosen as a password, and says nothing about one."""
    if len(it) < _SHORTEST_WORD or not _WORD.fullmatch(it):
        return False
    parts = it.lower().replace("_", "-").split("-")
    return (
        (it[1:].islower() or not it.isalpha())
        and not any(part in ENGLISH or part in NO_PASSWORDS for part in parts)
        and not parts[-1].endswith(_ADJECTIVES)
        and (not it.endswith("y") or it.endswith("ey"))
        and not is_technical(parts[0])
    )


_NAMES = re.compile(expanded(r"(?i)\b(?:<PASSWORD>)"))
_OWNERS = frozenset(("my", "your", "our", "his", "her", "their"))


def _says_whose(one: Candidate) -> bool:
    """Whether it is somebody's password: "my email password", "Ann's password for the NAS"."""
    before = one.lead(200)
    *_, name = _NAMES.finditer(before)
    lead = re.split(r"[.,;:!?\n]", before[: name.start()])[-1].lower().split()[-4:]
    return any(word in _OWNERS or word.endswith(("'s", "’s")) for word in lead)


def stated(one: Candidate) -> bool:
    it = one.value
    if it.isalpha():
        return _is_word(it) and _ends(one) and _says_whose(one)
    return changed(one) or (_is_word(it) and _ends(one))


def changed(one: Candidate) -> bool:
    return is_odd(one.value) or is_number(one, 4)


def next_to_name(one: Candidate) -> bool:
    """Nothing links it to the name: it must look like nothing else."""
    it = one.value
    if is_number(one, 4):
        return not (len(it) == 4 and it.startswith(("19", "20")))
    return is_odd(it, 5) and ends_or_goes_on(one)


def named_behind(one: Candidate) -> bool:
    after = one.text[one.end : one.end + 30]
    is_example = re.search(r"(?i)\b(?:most|least|worst|best)\b|最", after) is not None
    return is_odd(one.value, 5) and not is_example


def quoted(one: Candidate) -> bool:
    """Words in quotation marks: a message about a password is mostly made of such words."""
    parts = one.it.lower().split()
    about = sum(word in ENGLISH or word in NO_PASSWORDS for word in parts)
    # `password: "…"` alone in its line is a label or a template as likely as a password.
    is_setting = re.fullmatch(r"\W*[\w.-]+\s?:\W*", one.lead(80).rpartition("\n")[2])
    return (
        about * 2 < len(parts)
        and not is_setting
        and not is_no_password(one.it)
        and not one.it.endswith("?")
        and ends_or_goes_on(one)
    )


def stated_zh(one: Candidate) -> bool:
    it = one.value
    if follows(one)[:1] in COUNTED:
        return False
    if is_odd(it):
        return _ends(one) or one.after == " "
    return is_number(one, 3) or (_is_word(it) and _ends(one))


add_checks(
    *(stated, changed, next_to_name, named_behind, stated_zh),
    next_to_name_zh=lambda one: (
        follows(one)[:1] not in COUNTED and next_to_name(one) and _ends(one)
    ),
    trims=True,
)
add_checks(
    quoted,
    number=lambda one: is_number(one, 3),
    card_code=lambda one: is_number(one, 3) or follows(one).startswith("exp"),
    # Four by four letters, none of them a word that is said about passwords
    app_password=lambda one: (
        not any(word in ENGLISH or word in NO_PASSWORDS for word in one.it.lower().split())
    ),
    quoted_zh=lambda one: _ends(one) and not one.it.endswith(("?", "？")),
)


# Secrets that answer a question

_SENTENCE = re.compile(r"[.!?。！？\n](?=\s|[^\x00-\x7f])")
_PHRASE = re.compile(r"[A-Za-z0-9 ,.!'’-]{6,64}(?=[\"”`])")
_LATEST = 300  # characters of a turn in which a question is looked for, from its end


@cache
def _pattern(source: str) -> re.Pattern[str]:
    return re.compile(expanded(source))


def asked_for(text: str) -> str:
    """The kind of the secret that a turn asks for at its end, or nothing."""
    text = text[-_LATEST:].strip()
    ends = [one.end() for one in _SENTENCE.finditer(text, 0, max(0, len(text) - 1))]
    sentences = [text[a:b].strip() for a, b in zip([0, *ends], [*ends, len(text)], strict=True)]
    while len(sentences) > 1 and _pattern("<LEAVES_OPEN>").fullmatch(sentences[-1]):
        del sentences[-1]
    for form in words("questions"):
        found = _pattern(form).search(sentences[-1])
        if found and found.end() == len(sentences[-1]):
            named = found.groupdict()
            # One that has a function word before the name is another question about it.
            if not ENGLISH.intersection((named.pop("which", "") or "").lower().split()):
                return next(kind.replace("_", "-") for kind, it in named.items() if it)
    return ""


def answer(text: str, kind: str = "password") -> tuple[int, int] | None:
    """Where a turn that may be an answer begins with a value."""
    lead = _pattern("<BEFORE_ANSWER>").match(text, 0, 80)
    at = lead.end() if lead else 0
    if text[at - 1 : at] in tuple('"“`') and (phrase := _PHRASE.match(text, at)):
        one = Candidate(text, *phrase.span())
        if " " in one.it:
            return (one.start, one.end) if kind == "password" and quoted(one) else None
    found = _pattern("<ASCII>{3,64}").match(text, at)
    if found is None:
        return None
    if kind == "password" and found[0].rstrip(".!") == text[at:].strip(" .!\n"):
        alone = found[0].rstrip(".!")  # a word and nothing else, that is none one answers with
        if len(alone) > 7 and _is_word(alone) and not alone.lower().endswith("ever"):
            return at, at + len(alone)
    one = Candidate(text, *found.span())
    rest = follows(one)[:1]
    is_value = kind != "pin" and is_odd(one.value) and (ends_or_goes_on(one) or not rest.isascii())
    if rest in COUNTED or not (is_value or is_number(one, 3)):
        return None
    return one.start, one.start + len(one.value)
