"""What a clause gives under a cue: `the wifi password is …`, `密码我又改了，这回是…`, `… opens the gate`.

A cue is a word by which secrets are told (`cues.py`). From there the clause is read word by word:
what links (`is`, `:`, `改成`) is waited for, what only fills is passed over, and what stands behind a
link, or alone between commas, is weighed: is it what the cue asks for, or is the cue only talked
about (`too short`, `on the fridge`, `忘了`)? An answer to a question is read the same way, as if the
cue stood before it. Only a few words around a cue are read, whatever the length of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import re2  # type: ignore[import-untyped]

from loxodon.trust import weighing
from loxodon.trust.weighing import Worth

AFTER, BEFORE = 160, 90
"""Characters that are read behind a cue, and before it."""
_SENTENCES = 2
_TOKENS = 40
_MORE = 7
"""Words that are still read when something was given: `… or …`, `from … to …`."""


class Told(NamedTuple):
    """Where something stands that is told as a secret, and whether that is sure."""

    start: int
    end: int
    sure: bool


class Token(NamedTuple):
    text: str
    start: int
    end: int
    form: str
    """word, han, quoted, link, pause, stop"""

    @property
    def low(self) -> str:
        return self.text.lower()


_TOKEN = re.compile(
    r"(?P<quoted>(?<![A-Za-z0-9])(?:\"[^\"\n]{2,64}\"|“[^”\n]{2,64}”|「[^」\n]{2,64}」|『[^』\n]{2,64}』|【[^】\n]{2,64}】"
    r"|《[^》\n]{2,64}》|‘[^’\n]{2,64}’|'[^'\n]{2,64}'(?![A-Za-z])|`{1,3}[^`\n]{2,64}`{1,3}|\*\*[^*\n]{2,64}\*\*))"
    r"|(?P<link>=>|:=|={1,3}|[-–—]{1,2}>|→|[:：](?!//))"
    r"|(?P<stop>[.!?]+(?=[\s\"'”’)]|$)|[。！？!?\n…]+)"
    r"|(?P<pause>[,;，；、()（）|]+|[-–—~]+(?=\s)|/(?=\s))"
    r"|(?P<han>[\u3400-\u9fff\u3007]+)"
    r"|(?P<word>(?:[^\s\"“”‘’'`,，;；。、<>「」『』（）()|【】！？：…\u3400-\u9fff\u3007\[\]]|['’](?=[A-Za-z]))+)"
)
_TRAILING = ".:?!*_~"


def tokens(text: str, start: int, end: int) -> list[Token]:
    """The words and marks of a piece of text."""
    found: list[Token] = []
    for match in _TOKEN.finditer(text, start, end):
        form = match.lastgroup or "word"
        it, first = match[0], match.start()
        if form == "quoted":
            marks = 2 if it.startswith("**") else len(it) - len(it.lstrip("`")) or 1
            found.append(Token(it[marks:-marks], first + marks, match.end() - marks, form))
        elif form == "word" and (plain := it.rstrip(_TRAILING)) != it:
            if plain:
                found.append(Token(plain, first, first + len(plain), form))
            mark = "stop" if any(c in ".?!" for c in it[len(plain) :]) else "link"
            mark = mark if ":" not in it[len(plain) :] else "link"
            found.append(Token(it[len(plain) :], first + len(plain), match.end(), mark))
        else:
            found.append(Token(it, first, match.end(), form))
        if len(found) >= _TOKENS:
            break
    return found


# Behind a cue


def told(text: str, cue: tuple[int, int], room: tuple[int, int], takes: str) -> Iterator[Told]:
    """What the clause around a cue gives; `room` is the part of the text that may be read."""
    start, end = cue
    first, last = max(room[0], start - BEFORE), min(room[1], end + AFTER)
    if weighing.is_other(text[first:start], takes):
        return
    if weighing.is_about(text[end:last]):
        takes = "mixed"
    if takes in ("pair", *_LEADS):
        yield from _led(text, start, end, (first, last), takes)
        return
    found = list(_Reading(text, tokens(text, end, last), takes, text[first:start]).told())
    yield from found or _said_before(text, first, start, takes)


# Across messages

_CLAUSE_START = re.compile(r"[.!?。！？\n,，;；:：]")
_CLAUSE_END = re.compile(r"[.!?。！？\n]|$")
_YES_OR_NO = re.compile(r"(?i)\W*(?:is|are|was|were|has)\b")
_NO_ASKING = re.compile(
    r"(?i)\b(?:how|why|when|where|who|whose|did|does|should|would|change|reset|forgot|forget|lost|wrong|store|generate|pick|"
    r"choose)\b|怎么|为什么|为啥|在哪|哪里|哪儿|谁|忘|改|换|错|强度|多久|安全吗|什么时候"
)
_ASKING = re.compile(
    r"(?i)\b(?:what|what's|whats|which|remind|tell|give|gimme|send|sending|text|texting|dm|message|share|here|here's|need|want|enter|"
    r"type|input|provide|confirm|know|remember|have|got|say)\b|多少|什么|啥|几|来着|告诉|发我|发你|给我|给你|发给|发一下|报一下|说一下|说下|求|问|要|输入|记得|知道"
)
_ENDS = re2.compile(
    r"(?i)^\s*(?:is|are|was|be|['’]s|is it|again|please|pls|now|(?:for|of|to) [\w' ]{1,30}|是|就是|呢|啊|吗|呀|[:：=\-–—>~…]|\s)*$"
)


def asks(text: str, cue: tuple[int, int]) -> bool:
    """Whether a cue is asked for or announced, so that what comes next may be it."""
    start, end = cue
    behind = max(
        (one.end() for one in _CLAUSE_START.finditer(text, max(0, start - 80), start)),
        default=max(0, start - 80),
    )
    stop = _CLAUSE_END.search(text, end, min(len(text), end + 60))
    lead, tail = text[behind:start], text[end : stop.start() if stop else end + 60]
    if (
        weighing.is_about(tail)
        or _NO_ASKING.search(lead)
        or _NO_ASKING.search(tail)
        or _YES_OR_NO.match(lead)
    ):
        return False
    is_last = not text[end + len(tail) :].strip(" \n?？.。!！")
    asked = stop is not None and stop[0] in ("?", "？")
    if asked or _ASKING.search(lead) or _ASKING.search(tail):
        return len(tail) <= 40
    return is_last and _ENDS.match(tail) is not None and len(text) <= AFTER


def answered(text: str, takes: str) -> Iterator[Told]:
    """What a text gives that answers a question for something secret."""
    yield from _Reading(text, tokens(text, 0, len(text)), takes, "", answers=True).told()


class _Reading:
    """A clause while it is read."""

    def __init__(
        self, text: str, found: Sequence[Token], takes: str, before: str, answers: bool = False
    ) -> None:
        self._text, self._tokens, self._takes = text, found, takes
        self._generic = weighing.is_generic(before)
        self._answers = answers
        self._changed = weighing.has_changed(before)
        self._linked = answers  # what gives a value stands right before
        self._fresh = True  # at the beginning of a clause, or right behind the cue
        self._near = True  # so near the cue that plain words may be meant
        self._asked = False
        self._sentences = 0
        self._left = _TOKENS
        self._said = False  # whether a word said that it is

    def told(self) -> Iterator[Told]:
        at = 0
        while at < len(self._tokens) and self._sentences < _SENTENCES and self._left:
            worth = self._worth(at)
            if worth is not None:
                self._left = _MORE
                yield Told(worth.start, worth.end, worth.sure)
                at = worth.next
                self._linked = at < len(self._tokens) and self._tokens[at].low in weighing.JOINS
                self._fresh = self._near = False
                at += self._linked
                continue
            self._step(at)
            self._left -= 1
            at += 1

    def _step(self, at: int) -> None:
        """Pass over a word, and note what it says of the next."""
        one = self._tokens[at]
        if one.form in ("stop", "pause"):
            if one.form == "stop":
                self._sentences += "\n" not in one.text or self._sentences > 0
                self._asked = "?" in one.text or "？" in one.text
                self._near = self._asked
            self._linked = self._asked
            self._fresh = True
        elif one.form == "link" or weighing.is_link(
            one, self._tokens[max(0, at - 4) : at], self._changed
        ):
            self._linked, self._fresh, self._said = True, False, True
            self._generic = self._generic or one.low == "be"
        elif one.form == "word" and one.low in weighing.FILLERS:
            self._near = self._near and one.low not in weighing.BREAKS
        else:
            if one.form == "word":
                opens = at > 0 or self._answers or one.low in weighing.OPENERS
                self._near = self._near and opens and at < 8 and one.low not in weighing.BREAKS
            self._changed = self._changed or weighing.has_changed(one.text)
            self._linked = one.form == "han" and weighing.links_zh(one.text)
            self._fresh = one.form == "han" and _goes_on_in_latin(
                self._text[one.end : one.end + 12]
            )

    def _worth(self, at: int) -> Worth | None:
        """What stands here, where it may be what the cue is about."""
        one = self._tokens[at]
        if one.form in ("link", "pause", "stop"):
            return None
        if one.form == "han":
            return weighing.han(self._tokens, at, self._takes, self._linked, self._near)
        beside = at == 0 or self._tokens[at - 1].low.endswith(("'s", "’s"))
        if not (self._linked or self._fresh or beside):
            return None
        worth = weighing.firm(self._tokens, at, self._takes)
        if worth is not None:
            alone = self._fresh and worth.strong and weighing.is_alone(self._tokens, worth.next)
            if self._answers and at < _MORE and self._linked and not self._said:
                return worth if weighing.is_alone(self._tokens, worth.next, loose=True) else None
            if not (self._linked or alone or (beside and worth.strong and not self._answers)):
                return None
            return worth if worth.strong or not self._is_code(at) else None
        if not (self._linked and self._near) or self._generic or self._is_code(at):
            return None
        return weighing.words(self._tokens, at, self._takes, self._answers)

    def _is_code(self, at: int) -> bool:
        """Whether a word is assigned or compared, as names and calls are in programs."""
        one = self._tokens[at]
        return self._text[one.end : one.end + 1] in ("(", "[") or any(
            before.form == "link" and before.text.strip("=:") == "" and "=" in before.text
            for before in self._tokens[max(0, at - 2) : at]
        )


def _goes_on_in_latin(text: str) -> bool:
    """Whether a space and a word of other letters follow, which end a clause of Chinese."""
    return text[:1] == " " and any(c.isascii() and c.isalpha() for c in text[1:].partition(" ")[0])


# Before a cue

_VALUE = r"[^\s\"“”‘’'`,，;；。、<>「」『』（）()|【】：\p{Han}\[\]]{3,64}"
_BEFORE = re2.compile(
    rf"(?:^|[\s\"“「'‘`，,。:：(（\p{{Han}}])({_VALUE})[\"”」'’`]?"
    r"(?:,?\s(?:is|was|as|are|being|will be|for|=|[-–—]+|that['’]s|it['’]s|this is)\s"
    r"|[,，]?\s?(?:就?是|当|作为?|做|这是|那是|为|[（(]))"
    r"(?:\s?[A-Za-z0-9'’\-]{1,14}|\s?\p{Han}{1,8}){0,4}\s?$"
)
_APPOSED = re2.compile(
    r"([^\n.!?。！？,，]{4,60})[,，]\s?(?:that['’]s|this is|it['’]s|这就?是|那就?是|就是)\s?(?:[\w'’]{1,12}\s){0,3}$"
)
"""`… , that's the password`"""
_DONE = re2.compile(
    rf"(?:^|[\s\"“'‘`，,。:：(（])({_VALUE})[\"”'’`]?\s(?:will |should |also |still |now |just )?$"
)


def _said_before(
    text: str, first: int, start: int, takes: str, pattern: Any = _BEFORE
) -> Iterator[Told]:
    """`hunter2 is the wifi password`, `4471是门禁密码`; with `_DONE`, `4471 opens …`."""
    if takes == "answer":
        return
    before = text[first:start]
    match = pattern.search(before)
    found = list(_firm(text, first + match.start(1), first + match.end(1), takes)) if match else []
    if not found and (match := _APPOSED.search(before)):
        said = tokens(text, first + match.start(1), first + match.end(1))
        worths = [weighing.firm(said, at, takes) for at in range(len(said))]
        found = [
            Told(one.start, one.end, one.sure) for one in worths if one is not None and one.strong
        ][-1:]
    yield from found


def _firm(text: str, start: int, end: int, takes: str) -> Iterator[Told]:
    found = tokens(text, start, end)
    worth = weighing.firm(found, 0, takes) if found else None
    if worth is not None and worth.strong:
        yield Told(worth.start, worth.end, worth.sure)


# Where what is done says it

_Q = r"[\"'“‘`]?"
_USER = r"[A-Za-z][\w.@+\-]{0,60}?"
_PAIRS = re2.compile(
    rf"(?:(?:\bas\b|\bis\b|\bare\b|[:：=是为用]|\bwith\b|\busing\b)\s{{0,2}}{_Q}{_USER}{_Q}(?:\s?[/|:,，、]\s?|"
    rf"\s?(?:\band\b|\bwith\b|\busing\b|&|\+|和|\s)\s?)|{_USER}\s?/\s?|(?:\bwith\b|\busing\b|用)\s?){_Q}"
)
"""What leads to the second of a pair: `log in as … with`, `admin /`, `with`."""
_LEADS = {
    "entry": re2.compile(
        r"(?:\s[a-z']{1,12}){0,4}?\s(?:with|using|by (?:typing|entering|pressing)|via|if you (?:type|enter|press|punch in))"
        r"\s(?:(?:the|code|number|pin|a|quick) ){0,2}"
    ),
    "typed": re2.compile(
        r"(?: in\b| into\b| the\b| code\b| number\b| pin\b|[入上下个了：:]|密码){0,3}\s?"
    ),
}
"""What stands between a cue and what it is done with."""
_CLAUSE = re.compile(r"(?:[^\n.!?。！？]|[.!?](?=\S))*")


_OBJECT = re.compile(
    r"(?i)(?:gets?|lets?|buzz)|\w+ (?:the|my|our|your|his|her|their|it|up|both|all|everything)\b"
)


def _led(text: str, start: int, end: int, room: tuple[int, int], takes: str) -> Iterator[Told]:
    """`log in as … with …`, `the gate opens with …`, `… gets you in`, `punch in … at the gate`."""
    first, last = room
    around = text[max(first, start - 60) : min(last, end + 60)]
    if takes != "pair" and not weighing.has_lock(around):
        return
    if takes == "pair":
        clause = _CLAUSE.match(text, end, last)
        leads = list(_PAIRS.finditer(clause[0] if clause else ""))
    else:
        leads = [match for match in (_LEADS[takes].match(text[end:last]),) if match]
    for lead in leads:
        found = list(_firm(text, end + lead.end(), last, "mixed" if takes == "pair" else takes))
        if found:
            yield from found
            return
    if takes == "entry" and _OBJECT.match(text[start : end + 12]):
        yield from _said_before(text, first, start, takes, _DONE)
