"""Whether the user vouches for what was read from a message that a program put together.

`own` leaves the user's own sentences. That is enough for a fact. What binds whoever
replies must be a plain sentence in the first person besides: a page that was put in without a mark
gives orders (`always reply in Latin`) or speaks of the user (`the user prefers …`). What nobody
vouches for is held as a belief until the owner confirms it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from loxodon.guard.provenance import is_wish

ASSISTANT = "assistant"
"""The subject of what is said of the agent itself."""
USER = "user"


def is_users_statement(category: str, attribute: str, subject: str, said: Sequence[str]) -> bool:
    """Whether the sentences `said`, in the user's own words, make a statement the user's."""
    if said and is_first_person(said[0]):  # a sentence may have been cut
        return True
    if is_wish(category, attribute) or subject == ASSISTANT:
        return False
    return subject != USER or all(map(is_of_oneself, said))


def is_of_oneself(sentence: str) -> bool:
    """Whether a sentence may be what somebody tells of themselves, with or without `I`."""
    return is_first_person(sentence) or _not_of_oneself().search(sentence) is None


def is_first_person(sentence: str) -> bool:
    """Whether a sentence is one that somebody says of themselves: `I want …`, `我希望…`."""
    return _first_person().match(sentence) is not None


@cache
def _first_person() -> re.Pattern[str]:
    lead_en = (
        "and|but|so|also|then|well|ok|okay|yes|no|oh|hi|hello|hey|thanks|thank you|actually"
        "|honestly|personally|generally|usually|normally|currently|today|now|in general|by the way"
        "|btw|fyi|from now on|from today|in (?:the )?future|going forward|for the record|as a rule"
        "|(?:please )?(?:remember|note|know|keep in mind)(?: that)?|because|since|as"
    )
    lead_zh = (
        "以后|今后|往后|从现在起|从今以后|从今天起|现在|今天|目前|平时|平常|一般|通常|其实|另外|还有|而且|但是"
        "|但|不过|因为|所以|那|那么|对了|嗯|好的|好|你好|谢谢|顺便说一下|请?(?:你)?(?:记住|记一下|记得|注意)"
    )
    return re.compile(
        rf"(?i)\W*(?:(?:{lead_en})\W+){{0,3}}(?:i(?![.\w])|my\b)"
        rf"|\W*(?:(?:{lead_zh})[，,、：:\s]*){{0,3}}(?:我(?!们|司|国|方|校|院|行|店)|俺|本人)"
    )


@cache
def _not_of_oneself() -> re.Pattern[str]:
    """How nobody tells something of themselves: of `the user`, as an order, or of replies."""
    return re.compile(
        r"(?i)^\W*(?:(?:the|this|our|your) )?users?\b|^\W*(?:该|本|此|这位)?用户"
        r"|^\W*(?:please|always|never|must|do not|don't|make sure|ensure|be sure|let|you|your"
        r"|from now on|in future)\b"
        r"|^\W*(?:请|务必|一定|必须|不要|不得|别|禁止|你|您|以后|今后|永远|始终|一律|从现在)"
        r"|\b(?:repl(?:y|ies)|respon(?:d|ses?)|answers?|recommend|mention)\b|回复|回答|答复|推荐|提到|称呼"
    )
