"""What the assistant says it did for the user or settled with them."""

from __future__ import annotations

import re

from loxodon.text import sentences
from loxodon.write.en.clean import bare, plain, spelled
from loxodon.write.en.patterns import Lazy
from loxodon.write.en.verbs import forms_of

_DID = Lazy(
    r"(?:i(?:'ve| have)?|we(?:'ve| have)?) "
    r"(?:(?:now|just|also|already|successfully|then|went ahead and) )*"
    r"(?P<verb>[a-z]+)\b(?P<rest>.*)",
    re.I,
)
_DEEDS = frozenset(
    """
    added agreed arranged assigned attached blocked booked built bought called cancelled canceled
    changed cleaned closed committed compiled completed configured confirmed contacted converted
    copied corrected created decided deleted deployed disabled downloaded drafted edited emailed
    enabled exported extended filed finished fixed formatted generated imported installed invited
    linked logged made marked merged migrated moved noted notified opened ordered organised
    organized paid posted pushed put ran recorded refactored refunded registered removed renamed
    renewed replaced replied rescheduled reserved reset resolved restarted restored reverted
    rewrote saved scheduled sent set settled shared shipped signed sorted started stopped
    submitted subscribed switched tested transferred turned unsubscribed updated upgraded uploaded
    wrote chose chosen picked
    """.split()
)
_NOT_DEED = Lazy(
    r"\b(?:if you|would you|could|should|might|can i|shall i|let me know if|example|sample)\b|\?$",
    re.I,
)
_MOST_WORDS = 34


def deeds(text: str) -> list[str]:
    """Sentences in the third person, one for each deed; advice and offers are none."""
    found = []
    for sentence in sentences.split(text[:20_000]):
        words = bare(spelled(plain(sentence)))
        match = _DID.match(words)
        if not match or len(words.split()) > _MOST_WORDS or _NOT_DEED.search(words):
            continue
        verb = match["verb"].lower()
        if verb not in _DEEDS or not (
            {"past", "participle"} & set(forms_of(verb)) or verb.endswith("ed")
        ):
            continue
        rest = _to_third(match["rest"].strip(" .!:"))
        if len(rest.split()) < 2 or rest.startswith(("a draft", "that ")):
            continue
        who = "The assistant and the user" if words.lower().startswith("we") else "The assistant"
        found.append(f"{who} {verb} {rest}")
    return found


_SECOND = (
    (re.compile(r"\byou(?:'re| are)\b", re.I), "the user is"), (re.compile(r"\byou(?:'ve| have)\b",
        re.I), "the user has"),
    (re.compile(r"\byour\b", re.I), "the user's"), (re.compile(r"\byours\b", re.I), "the user's"),
    (re.compile(r"\byou\b", re.I), "the user"), (re.compile(r"\bmy\b", re.I), "its"),
    (re.compile(r"\bwe(?:'ve| have)?\b", re.I), "they"),
)  # fmt: skip


def _to_third(text: str) -> str:
    for pattern, meaning in _SECOND:
        text = pattern.sub(meaning, text)
    return re.split(r"\s+[-–]\s+|;", text)[0].strip(" ,.!")


__all__ = ["deeds"]
