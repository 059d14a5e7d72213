"""A question of the assistant's turned into the statement that a short answer to it makes.

"How long have you been playing the violin?" answered by "about fifteen years" states that the user
has been playing the violin for about fifteen years.
"""

from __future__ import annotations

import re

from loxodon.write.en.clauses import Clause
from loxodon.write.en.patterns import Lazy
from loxodon.write.en.verbs import forms_of, past_of, third_person
from loxodon.write.en.words import MONTHS, WEEKDAYS, as_set
from loxodon.write.statements import USER

_QUESTION = Lazy(
    r"(?:^|.*[,.:;!-] |(?:and|so|but|great|nice|thanks|ok|okay)[,!]? )?"
    r"(?P<wh>how (?:long|old|tall|often|far|big|heavy|much|many)|what time|what kind of|what sort of"
    r"|what type of|what|which|where(?:abouts)?|when|who)(?P<noun>(?: (?!is\b|are\b|do\b|does\b|did\b"
    r"|have\b|has\b|was\b|were\b|will\b|would\b|can\b)[\w'-]+){0,4})"
    r"(?: (?P<aux>is|are|was|were|do|does|did|have|has|will|would|can)|'(?P<short>s|re))"
    r" (?P<subject>you|(?:your|the) (?:[\w'-]+ ?){1,4}?)(?P<rest>(?: [\w',-]+)*)\?",
    re.I,
)
_EVER = Lazy(
    r"(?:^|.*[,.:;!-] )(?P<aux>have|do|are|did) you (?:ever |still |usually )?(?P<rest>[\w',' -]+)\?",
    re.I,
)
_HOW_OFTEN = Lazy(
    r"(?:about |around |only |just |at least |roughly )?(?:once|twice|\w+ times|every|daily|weekly"
    r"|monthly|in \d|last|since|years ago|a few|a couple|most|for \w+ (?:years|months|weeks))\b",
    re.I,
)
_HAS_PLACE = Lazy(r"(?:in|at|near|on|from|to|outside|by|around|between|with|under|over)\b", re.I)
_NOT_SUBJECTS = Lazy(r"(?:you|there|it|that|this|these|those|they|which|who)\b", re.I)


def turned(answer: str, asked: str) -> Clause | None:
    """The clause that `answer` (bare, short) makes of what the assistant had asked."""
    if _NOT_SUBJECTS.match(answer) or not re.search(r"\w", answer):
        return None
    found = _QUESTION.fullmatch(asked.strip())
    if found is None:
        return _how_often(answer, asked) or _since_or_who(answer, asked)
    whose, rest = found["subject"].lower(), found["rest"].strip(" ,")
    aux = (found["aux"] or {"s": "is", "re": "are"}[found["short"].lower()]).lower()
    if whose != "you":
        whose, rest = _whole_noun(whose, rest, aux)
    if re.search(r"\b(?:you|your|me|i)\b", rest, re.I):
        return None
    if whose.startswith("the ") and (found["wh"].lower() in ("what", "who") or len(whose) < 5):
        return None
    if rest == "do" and aux in ("do", "does") and found["wh"].lower() == "what":
        return _is_by_trade(answer, whose)
    said = _said(aux, rest.split(), whose == "you")
    object_ = _object(found["wh"].lower(), found["noun"].strip(), answer, rest, said)
    if not said or not object_:
        return None
    said = f"{said} {object_}"
    if whose == "you":
        return Clause("The user", USER, said)
    noun = whose.removeprefix("your ").removeprefix("the ")
    return Clause(f"The user's {noun}", noun, said, of=USER)


def _whole_noun(whose: str, rest: str, aux: str) -> tuple[str, str]:
    """`your`, and all the words up to a verb: the noun may have several."""
    words = [*whose.split(), *rest.split()]
    being = aux in ("is", "are", "was", "were")
    if being and words[0] == "the" and re.fullmatch(_HAS_PLACE_END, words[-1]):
        return " ".join(words[:-1]), words[-1]
    wanted = {"ing", "participle"} if being else {"base", "ing"}
    at = next(
        (
            n
            for n, word in enumerate(words)
            if n > 1
            and wanted & set(forms_of(word.lower()))
            and not _HAS_PLACE.fullmatch(words[n - 1])
            and not (being and {"base"} & set(forms_of(word.lower())))
        ),
        len(words),
    )
    return " ".join(words[:at]), " ".join(words[at:])


def _said(aux: str, rest: list[str], of_user: bool) -> str:
    """The verb of the answer, from the auxiliary of the question and what follows it."""
    if aux in ("is", "are", "was", "were"):
        verb = {"are": "is", "were": "was"}.get(aux, aux) if of_user else aux
        return " ".join([verb, *rest])
    if not rest:
        return ""
    while len(rest) > 1 and rest[0].lower() in (
        "ever",
        "usually",
        "normally",
        "typically",
        "mostly",
    ):
        rest = rest[1:]
    if aux in ("have", "has"):
        return " ".join(["has", *rest])
    if aux in ("do", "does"):
        known = "base" in forms_of(rest[0].lower())
        return " ".join([third_person(rest[0].lower()), *rest[1:]]) if known else ""
    if aux == "did":
        past = past_of(rest[0].lower())
        return " ".join([past, *rest[1:]]) if past else ""
    return " ".join([aux, *rest])


_HAS_PLACE_END = r"(?:in|at|on|from|to|with|by|for)"


def _object(asked_for: str, noun: str, answer: str, rest: str, said: str) -> str:
    """The answer as it stands after the verb: `for three years`, `in Lund`, `two cats`."""
    first = answer.split()[0].lower().strip(",")
    if asked_for == "how long" and said in ("is", "are", "was", "were"):
        return answer
    if asked_for == "how long" and not re.match(r"(?:since|for|from|until|all)\b", answer, re.I):
        return f"for {answer}"
    if asked_for in ("how many", "how much") and noun:
        if noun.split()[-1].lower() in answer.lower():
            return answer
        count, mark, more = answer.partition(",")
        return f"{count} {noun}{mark}{more}"
    bare_end = not rest or not _HAS_PLACE.fullmatch(rest.split()[-1])
    if asked_for.startswith("where") and bare_end and not _HAS_PLACE.match(answer):
        return f"in {answer}" if answer[:1].isupper() else f"at {answer}"
    if asked_for in ("when", "what time") and _CLOCK.match(answer):
        return f"at {answer}"
    if (asked_for == "when" or noun.endswith("days")) and first.rstrip("s") in _WEEK:
        return f"on {answer}"
    if asked_for == "when" and first in as_set(MONTHS):
        return f"in {answer}"
    return answer


_CLOCK = Lazy(r"(?:half|quarter|\d{1,2}(?:[:.]\d\d| ?[ap]m|ish| o'clock)?(?:$|[ ,]))", re.I)
_WEEK = as_set(WEEKDAYS) | frozenset("mon tue tues wed weds thu thur thurs fri sat sun".split())


def _how_often(answer: str, asked: str) -> Clause | None:
    """`twice, in 2014` after "Have you ever been to Japan?"."""
    found = _EVER.fullmatch(asked.strip())
    if not found or not _HOW_OFTEN.match(answer) or re.search(r"\byour?\b", found["rest"], re.I):
        return None
    said = _said(found["aux"].lower(), found["rest"].strip().split(), True)
    return Clause("The user", USER, f"{said} {answer[:1].lower()}{answer[1:]}") if said else None


def _is_by_trade(answer: str, whose: str) -> Clause | None:
    """`arborist` after "What does your sister do?"."""
    if forms_of(answer.split()[0].lower()) or len(answer.split()) > 6:
        return None
    a = "" if re.match(r"(?:an?|the|in|at|for|with)\b", answer, re.I) else (
        "an " if answer[0].lower() in "aeiou" else "a "
    )  # fmt: skip
    if whose == "you":
        return Clause("The user", USER, f"is {a}{answer}")
    noun = whose.removeprefix("your ").removeprefix("the ")
    return Clause(f"The user's {noun}", noun, f"is {a}{answer}", of=USER)


_SINCE_WHEN = Lazy(r"(?:.*[,.:;!-] )?since when have you (?P<rest>[\w' -]+)\?", re.I)
_WHO_DOES = Lazy(r"(?:.*[,.:;!-] )?who (?P<verb>[a-z]+s) (?P<rest>[\w',' -]+)\?", re.I)


def _since_or_who(answer: str, asked: str) -> Clause | None:
    """`2021` after "Since when have you lived abroad?", `Gitte, mostly` after "Who drives you?"."""
    if found := _SINCE_WHEN.fullmatch(asked.strip()):
        since = answer if re.match(r"(?:since|for)\b", answer, re.I) else f"since {answer}"
        return Clause("The user", USER, f"has {found['rest']} {since}")
    found = _WHO_DOES.fullmatch(asked.strip())
    name = re.match(r"(?P<name>[A-Z][a-z]+|my [a-z-]+)(?:,? (?P<how>[a-z]+))?$", answer)
    if not found or not name or "s" not in forms_of(found["verb"].lower()):
        return None
    rest = re.sub(r"\byou're\b|\byou are\b", "the user is", found["rest"])
    rest = re.sub(r"\byou\b", "the user", re.sub(r"\byour\b", "the user's", rest))
    who = re.sub(r"^my ", "", name["name"])
    shown = who if who == name["name"] else f"The user's {who}"
    how = f"{name['how']} " if name["how"] in ("mostly", "usually", "always", "sometimes") else ""
    return Clause(shown, who, f"{how}{found['verb']} {rest}", of="" if who == shown else USER)


__all__ = ["turned"]
