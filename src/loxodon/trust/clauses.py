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
from typing import NamedTuple

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
    if weighing.is_something_else(text[first:start], text[start:end], text[end:last]):
        return
    if takes in _LED:
        yield from _led(text, start, end, (first, last), takes)
        return
    found = list(_Reading(text, tokens(text, end, last), takes, text[first:start]).told())
    yield from found or _said_before(text, first, start, takes)


def answered(text: str, takes: str) -> Iterator[Told]:
    """What a text gives that answers a question for something secret."""
    reading = _Reading(text, tokens(text, 0, min(len(text), AFTER)), takes, "", answers=True)
    yield from reading.told()


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
            self._linked = self._linked and one.form == "pause" or self._asked
            self._fresh = True
        elif one.form == "link" or weighing.is_link(one, self._tokens[max(0, at - 4) : at], self._changed):
            self._linked, self._fresh = True, False
            self._generic = self._generic or one.low == "be"
        elif one.form == "word" and one.low in weighing.FILLERS:
            self._near = self._near and one.low not in weighing.BREAKS
        else:
            if one.form == "word":
                opens = at > 0 or self._answers or one.low in weighing.OPENERS
                self._near = self._near and opens and at < 8 and one.low not in weighing.BREAKS
            self._changed = self._changed or weighing.has_changed(one.text)
            self._linked = one.form == "han" and weighing.links_zh(one.text)
            self._fresh = one.form == "han" and self._text[one.end : one.end + 1] == " "

    def _worth(self, at: int) -> Worth | None:
        """What stands here, where it may be what the cue is about."""
        one = self._tokens[at]
        if one.form in ("link", "pause", "stop"):
            return None
        if one.form == "han":
            return weighing.han(self._tokens, at, self._takes, self._linked, self._near)
        beside = at == 0
        if not (self._linked or self._fresh or beside):
            return None
        worth = weighing.firm(self._tokens, at, self._takes)
        if worth is not None:
            alone = self._fresh and weighing.is_alone(self._tokens, worth.next)
            return worth if self._linked or alone or (beside and worth.strong) else None
        if not (self._linked and self._near) or self._generic:
            return None
        return weighing.words(self._tokens, at, self._takes, self._answers)


# Before a cue

_VALUE = r"[^\s\"“”‘’'`,，;；。、<>「」『』（）()|【】：\u3400-\u9fff\[\]]{3,64}"
_BEFORE = re.compile(
    rf"(?:^|[\s\"“「'‘`，,。:：(（\u3400-\u9fff])(?P<it>{_VALUE})[\"”」'’`]?"
    r"(?P<link>,?\s(?:is|was|as|are|being|will be|for|=|[-–—]+|that['’]s|it['’]s|this is)\s"
    r"|[,，]?\s?(?:就?是|当|作为?|做|这是|那是|为))"
    r"(?:\s?[A-Za-z0-9'’\-]{1,14}|\s?[\u3400-\u9fff]{1,8}){0,4}\s?$"
)  # fmt: skip


def _said_before(text: str, first: int, start: int, takes: str) -> Iterator[Told]:
    """`hunter2 is the wifi password`, `4471是门禁密码`."""
    match = _BEFORE.search(text, first, start)
    if match is not None and takes != "answer":
        yield from _firm(text, match.start("it"), match.end("it"), takes)


def _firm(text: str, start: int, end: int, takes: str) -> Iterator[Told]:
    found = tokens(text, start, end)
    worth = weighing.firm(found, 0, takes) if found else None
    if worth is not None and worth.strong:
        yield Told(worth.start, worth.end, worth.sure)


# Where what is done says it

_Q = r"[\"'“‘`]?"
_LED = {
    "pair": re.compile(
        rf"[^\n.!?。！？]{{0,40}}?(?:\bas\b|\bis\b|\bare\b|[:：=是为用]|\bwith\b|\busing\b)\s{{0,2}}{_Q}[A-Za-z][\w.@+\-]{{0,60}}?{_Q}"
        rf"(?:\s?[/|:,，、]\s?|\s?(?:\band\b|\bwith\b|\busing\b|&|\+|和|\s)\s?){_Q}(?=\S{{5}})"
    ),
    "entry": re.compile(
        r"(?:\s(?:it|the|my|our|your|[a-z]{1,12})){0,4}?\s(?:with|using|by (?:typing|entering|pressing)|via|if you (?:type|enter|press|punch in))"
        r"\s(?:(?:the|code|number|pin|a|quick) ){0,2}"
    ),
    "typed": re.compile(r"(?: in\b| into\b| the\b| code\b| number\b| pin\b|[入上下个了：:]|密码){0,3}\s?"),
}
"""What stands between a cue and what it is done with."""
_DONE = re.compile(rf"(?:^|[\s\"“'‘`，,。:：(（])(?P<it>{_VALUE})[\"”'’`]?\s(?:will |should |also |still |now |just )?$")


def _led(
    text: str, start: int, end: int, room: tuple[int, int], takes: str
) -> Iterator[Told]:
    """`log in as … with …`, `the gate opens with …`, `… gets you in`, `punch in … at the gate`."""
    first, last = room
    if takes != "pair" and not weighing.has_lock(text[max(first, start - 60) : min(last, end + 60)]):
        return
    match = _LED[takes].match(text, end, last)
    found = list(_firm(text, match.end(), last, takes)) if match else []
    if not found and takes == "pair" and (match := _WITH.match(text, end, last)):
        found = list(_firm(text, match.end(), last, takes))
    if not found and takes == "entry" and (match := _DONE.search(text, first, start)):
        found = list(_firm(text, match.start("it"), match.end("it"), takes))
    yield from found


_WITH = re.compile(rf"[^\n.!?。！？]{{0,30}}?(?:\bwith\b|\busing\b|用)\s?{_Q}")
