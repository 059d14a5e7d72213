"""Secrets that answer a question: the next message after "what is the PIN?" begins with one."""

from __future__ import annotations

import re
from functools import cache

from loxodon.guard.candidates import Candidate
from loxodon.guard.rules import expanded
from loxodon.guard.statement_checks import (
    COUNTED,
    ends_or_goes_on,
    follows,
    is_number,
    is_odd,
    quoted,
)
from loxodon.text.wordlists import ENGLISH

_FIRST = r"(?i)(?:(?:and|ok|okay|so|also|sorry|hey|hi|sure),? )*"
_SOUGHT = (
    r"(?:(?:the|your|my|our|his|her|their|ur) )?(?P<which>(?:[\w'’-]{1,20} ){0,4}?)"
    r"(?:(?P<password><PASSWORD>)|(?P<pin><PIN>)|(?P<door><DOOR_CODE>|combination|combo)"
    r"|(?P<card>cvv|cvc)|(?P<once><ONE_TIME_CODE>))"
)
_WHERE = (
    r"(?: (?:for|of|to|on|at|in|from) [^?]{1,60}?)?(?:,? (?:again|please|pls|then))?"
    r"(?:, (?:so|in case|if|just|to|before|since|because) [^?]{1,80})?"
)
_QUESTIONS = (
    f"{_FIRST}(?:do you (?:remember|know|have) |what(?:['’]?s| is| was| are) |here['’]?s )?"
    rf"{_SOUGHT}{_WHERE}(?:\s?\?| is| is:|:)",
    f"{_FIRST}(?:(?:(?:can|could|would|will) you )?(?:please )?(?:tell|give|send|read|remind)"
    r" me,? |(?:please )?(?:enter|type|provide) |(?:can|could|may) i (?:please )?(?:have|get) )"
    rf"{_SOUGHT}{_WHERE}[.!?]?",
    f"{_FIRST}(?:what|which) {_SOUGHT} (?:do|did|does|should) (?:you|i|we|he|she|they) "
    r"(?:use|choose|pick|set|enter|type|need)\b[^?]{0,60}\?",
)
_QUESTION_ZH = (
    r"(?:(?P<once><ONE_TIME_CODE_ZH>)|(?P<door>(?:门禁|单元门|进门|开门|开锁|解锁)[码碼])"
    r"|(?P<share>(?:提取|访问|分享)[码碼])|(?P<recovery>(?:恢复|备用)[码碼])|(?P<card>安全[码碼])"
    r"|(?P<password>密码|密碼|口令))(?:又?是|为)?"
    r"(?:(?:多少|什么|啥)(?:来着|呀|啊|呢)?\s?[?？]?|(?:呢|吗)\s?[?？]?|\s?[?？]|[:：]"
    r"|(?:发|给|告诉|报)给?我(?:一?下|吧|呗)?[。.!！]?)"
)
_KINDS = {
    "password": "password",
    "pin": "pin",
    "door": "door-code",
    "card": "card-code",
    "once": "one-time-code",
    "share": "share-code",
    "recovery": "recovery-code",
}
_SENTENCE = re.compile(r"[.!?。！？\n](?=\s|[^\x00-\x7f])")
_NOTE = re.compile(r"(?i)(?:i|we|thanks|thank you)\b[^?？]*|(?:我|谢)[^?？]*")
"""What is said behind a question and leaves it open: "I'll write it down." """
_LEAD = re.compile(
    r"(?i)\s*(?:(?:i think|it(?:['’]s| is)|that(?:['’]s| is)|its|sure|yes|yep|yeah|ok|okay|oh|right"
    r"|try|(?:就?是)|好的?|嗯|当然)[,，:：! ]*)*[\"'“「*`]{0,2}"
)
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
    while len(sentences) > 1 and _NOTE.fullmatch(sentences[-1]):
        del sentences[-1]
    sentence = sentences[-1]
    matches = (_pattern(form).fullmatch(sentence) for form in _QUESTIONS)
    # One that has a function word before the name is another question about it.
    found = next((one for one in matches if one and not ENGLISH & _words(one["which"])), None)
    found = found or _pattern(_QUESTION_ZH).search(sentence)
    if not found or found.end() < len(sentence):
        return ""
    return next(kind for name, kind in _KINDS.items() if found.groupdict().get(name))


def _words(text: str) -> set[str]:
    return set(text.lower().split())


def answer(text: str, kind: str = "password") -> tuple[int, int] | None:
    """Where a turn that may be an answer begins with a value."""
    lead = _LEAD.match(text, 0, 80)
    at = lead.end() if lead else 0
    if text[at - 1 : at] in tuple('"“`') and (phrase := _PHRASE.match(text, at)):
        one = Candidate(text, *phrase.span())
        if " " in one.it:
            return (one.start, one.end) if kind == "password" and quoted(one) else None
    found = _pattern("<ASCII>{3,64}").match(text, at)
    if found is None:
        return None
    one = Candidate(text, *found.span())
    rest = follows(one)[:1]
    is_value = kind != "pin" and is_odd(one.value) and (ends_or_goes_on(one) or not rest.isascii())
    if rest in COUNTED or not (is_value or is_number(one, 3)):
        return None
    return one.start, one.start + len(one.value)
