"""Guesses that name only what is suspected, and what became of them; and news taken back.

"My money's on the bearings" guesses without a sentence that could be hedged. "Bearings it was" makes
it a fact, "foxes are off the hook" ends it, "they didn't" takes back what was just said.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from loxodon.write.en.patterns import Lazy
from loxodon.write.en.rules import tidy
from loxodon.write.en.verbs import is_finite
from loxodon.write.statements import USER, Statement

_GUESS = 0.4
_SUSPECTS = Lazy(
    r"(?:my money(?:'s| is)|i'd put (?:my )?money|i would put (?:my )?money|my bet(?:'s| is)) on"
    r" (?P<a>[^,;]{3,50})(?P<rest>$|[,;].*)"
    r"|(?P<who>my [\w-]+|(?-i:[A-Z])\w+)(?:'d| would) (?:put (?:his |her |their )?money|bet) on (?P<b>[^,;]{3,50})(?:$|[,;].*)"
    r"|(?:i(?:'d| would)? bet|my guess:) (?:it's|it is|it was) (?P<c>[^,;]{3,60})(?:$|[,;].*)"
    r"|(?:it |this |that )?(?:could|might|may)(?: well)? be (?P<d>(?:the )?[a-z]{3,} [a-z]+ing (?:the|my|our|at|into|in) [^,;]{3,40})(?:$|[,;].*)",
    re.I | re.S,
)


def suspected(text: str, topic: str = "") -> Statement | None:
    """`my money's on the bearings`: a belief, as what the user suspects. `topic`: the words before
    it, where they are no sentence."""
    found = _SUSPECTS.fullmatch(text) if len(text) < 160 else None
    if found is None:
        return None
    what = tidy(found["a"] or found["b"] or found["c"] or found["d"], True)
    if re.search(r"\b(?:i|you|your|me|my|we|our|it|that|this)\b", what, re.I):
        what = re.sub(r"\b(?:my|our)\b", "the user's", what, flags=re.I)
        if re.search(r"\b(?:i|you|your|me|we|it|that|this)\b", what, re.I):
            return None
    who, subject = "The user", USER
    if found["who"]:
        subject = re.sub(r"^my ", "", found["who"], flags=re.I)
        who = f"The user's {subject}" if subject != found["who"] else subject
    words = topic.strip(" ,:.-").split()
    noun = 0 < len(words) <= 4 and not any(is_finite(word.lower()) for word in words)
    about = f" for the {' '.join(words)}" if noun and words[0].islower() else ""
    return Statement(f"{who} suspects {what}{about}", subject, confidence=_GUESS, basis=text)


_SETTLED = Lazy(
    r"(?:and |so |yes,? |yep,? |sure enough,? )*(?:(?P<a>(?:the )?[a-z][\w' -]{2,25}) it was(?: after all| indeed| then)?"
    r"|(?:it|that) (?:was|is|'s) (?:indeed )?(?P<b>(?:the |an? )?[a-z][\w' -]{2,25}?) (?:after all|indeed|all along))",
    re.I,
)
_CLEARED = Lazy(
    r"(?:and |so |but )?(?:(?P<a>(?:the )?[\w'][\w' -]{1,25}?)(?:'s| is| are) (?:off the hook|in the clear|innocent|ruled out|exonerated|cleared)"
    r"|(?:it|that) (?:wasn't|was not|isn't|is not) (?:the )?(?P<b>[\w'][\w' -]{1,25}?)(?: after all| then))",
    re.I,
)


def settled(text: str) -> Statement | None:
    """What became of a guess: `bearings it was`, `foxes are off the hook`."""
    if len(text) > 60:
        return None
    if found := _SETTLED.fullmatch(text):
        what = tidy(found["a"] or found["b"])
        if what.lower() in _NOTHING:
            return None
        return Statement(
            f"It was the {what}, as the user had suspected",
            USER,
            act="correct",
            over=(f"suspects {what}",),
        )
    if found := _CLEARED.fullmatch(text):
        what = tidy(found["a"] or found["b"])
        if what.lower() in _NOTHING:
            return None
        return Statement(
            f"It was not {what}",
            USER,
            category="temp",
            act="end",
            over=(f"suspects {what}",),
            positive=False,
        )
    return None


_CALLED_OFF = Lazy(
    r"(?:ok(?:ay)?,? |that's |right,? )*(?:enough (?:of|with) (?:the|your|those|these) (?P<a>[a-z][\w -]{2,30})"
    r"|(?:the|your) (?P<b>[a-z][\w -]{2,30}?) can (?:stop|end|go)(?: now)?)[.! ]*",
    re.I,
)
_WISHED = frozenset(
    """
    question reminder opening greeting check-in nagging quote joke update sign-off emoji ending nudge
    prompt pun proverb summary disclaimer
    """.split()
)
_PAID = Lazy(
    r"(?P<a>[A-Z][a-z]+)(?:'s| has| was| got)?(?: been)? paid(?: back| off)?(?:,.*)?|(?:i |we |I )?(?:'ve |have )?(?:finally )?paid (?P<b>[A-Z][a-z]+|my [a-z-]+) back(?:,.*)?"
)


_HANDED_ON = Lazy(
    r"(?:the |my )?(?P<a>(?:[a-z-]+ ){0,2}?[a-z]+)(?: (?:vest|badge|keys?|hat|role|duties|job|post|armband|gavel|baton))?"
    r"(?: has| have| is|'s) (?:gone|passed|been (?:passed|handed)) (?:over |on )?to (?P<n>[A-Z][\w-]+)(?P<r>$|[,;].*)"
    r"|(?P<m>[A-Z][\w-]+)(?:'s| has| is)? (?:took|taken|taking|takes) over (?:as |from me as |the )?(?:the )?"
    r"(?P<b>(?:[a-z-]+ ){0,2}?[a-z]+)(?: role| job| duties)?(?P<s>$|[,;].*| from me.*| (?:in|on|last|this|since) .*)"
)
_ROLES = frozenset(
    """
    treasurer secretary chair chairman chairwoman captain coach warden organiser organizer editor
    head lead rep steward supervisor host moderator referee goalkeeper umpire cook driver scorer
    choirmaster conductor librarian governor churchwarden trustee deputy foreman shopkeeper
    """.split()
)


def _handed_on(text: str) -> Statement | None:
    """`Petra took over as treasurer`: if that was the user, it is so no more."""
    found = _HANDED_ON.fullmatch(text)
    if found is None:
        return None
    role, name = found["a"] or found["b"], found["n"] or found["m"]
    if role.split()[-1] not in _ROLES:
        return None
    content = f"{name} has taken over as {role}"
    return Statement(content, USER, category="status", act="end", over=(role,))


def called_off(text: str) -> Statement | None:
    """That something wished for, or owed, is so no more: `enough of the proverb openings`."""
    if len(text) > 80:
        return None
    if handed := _handed_on(text):
        return handed
    found = _CALLED_OFF.fullmatch(text)
    words = (found["a"] or found["b"]).lower().split() if found else []
    if words and words[-1].removesuffix("s") in _WISHED:
        what = " ".join(words)
        over = (what, " ".join(words[:-1])) if len(words) > 1 else (what,)
        return Statement(
            f"The user no longer wants the {what}", USER, "", "", "status", "end", over, False
        )
    if paid := _PAID.fullmatch(text):
        name = re.sub(r"^my ", "their ", paid["a"] or paid["b"])
        return Statement(
            f"The user has paid {name} back",
            USER,
            category="status",
            act="end",
            over=(f"owes {name}",),
        )
    return None


_NOTHING = frozenset("he she they it that this i we you there what who fun great true".split())
_NOT_SO = Lazy(
    r"(?:(?:no|nope|wait|phew|oh|and|but|hang on|turns out)[, ]+)*(?P<who>we|they|she|he|it|i)(?:'re|'s|'ve|'m)? ?"
    r"(?:are|is|am|have|has|did|do|does|was|were|will|wo|ca)? ?(?:n't|not)(?: after all| actually| at all| then)?"
    r"(?:[,.!;:]+(?! (?:and|but|so|or|too|i|we)\b).{0,60})?",
    re.I,
)


def taken_back(text: str, earlier: Sequence[Statement], last: str) -> Statement | None:
    """`they didn't`, `she's not!`: that the news of the user's last message (`last`) was wrong."""
    found = _NOT_SO.fullmatch(text.strip(" ,;")) if len(text) < 50 else None
    if found is None or not earlier:
        return None
    news = earlier[-1]
    shared = set(re.findall(r"[a-z]{4,}", last.lower())) & set(
        re.findall(r"[a-z]{4,}", news.content.lower())
    )
    if not shared:
        return None
    if found["who"].lower() in ("he", "she") and news.subject == USER:
        return None
    content = f"It is not so: {news.content}"
    return Statement(content, news.subject, "", "", "temp", "end", (news.content,), False)


__all__ = ["called_off", "settled", "suspected", "taken_back"]
