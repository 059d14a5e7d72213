"""Requests to forget: what somebody asks to have forgotten, read from the table `forget.toml`.

    Please forget what I told you about the will.      the will
    把我的旧工号忘了吧                                    我的旧工号
    Forget it. Don't let me forget the milk. 别忘了买菜     nothing

A request is a sentence of its own, said to whoever remembers: it begins with what asks, and nobody
else says it (it is not in quotation marks, in a story or behind a colon). What it names must be
something that can be remembered.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any, NamedTuple

from loxodon.text.language import language_of
from loxodon.text.patterns import any_case, lazy
from loxodon.text.sentences import spans
from loxodon.text.words import simplified

MOST = 1_500
"""Characters of a message that can be a request; a longer one is a document."""
_MOST_SENTENCE = 200
_CHARACTER = r"(?:[^\s,;:.!?…—，。；：！？、\"“”「」]|[.:](?=\w)|,(?=\d)|[ 、])"
_WHAT = _CHARACTER + "{1,80}?"
_NAME = lazy(r"\{([a-z]+)\}")
_SIGN = lazy(
    r"(?i)forget|delet|eras|remov|wip|clear|scrub|purg|discard|remember|memori[sz]|get(?:ting)? rid"
    r"|忘|记|記|删|刪|抹|清|移除|没.{0,4}[说提讲說講]过|沒.{0,4}[說提講]過"
)
_QUOTED = lazy(r"\"[^\"\n]*\"|“[^”\n]*”|「[^」\n]*」|『[^』\n]*』|«[^»\n]*»|(?<!\w)'[^'\n]+'(?!\w)")
_LETTER = lazy(
    r"(?i)^\W*(?:dear|to whom)\b|^\W*(?:尊敬的|亲爱的|敬爱的)|\n\W*(?:best|yours|regards|love)\b"
)
_WORD = lazy(r"\w")
_GONE = "\ufffc"


class Request(NamedTuple):
    """That something is to be forgotten."""

    start: int
    end: int
    """Where it stands in the message: the sentence, and those after it that only say it again."""
    what: str
    """What is meant, in the words of whoever asks: `my divorce`, `I smoke`, `小林的生日`."""
    sure: bool
    """Whether it can mean nothing else than what is remembered."""


def may_ask(text: str) -> bool:
    """Whether a message may have a request in it; most have not."""
    return len(text) <= MOST and _SIGN.search(text) is not None


def requests(text: str) -> list[Request]:
    """The requests to forget in a message, in order."""
    if not may_ask(text) or _LETTER.search(text):
        return []
    masked = _QUOTED.sub(lambda found: _GONE * len(found[0]), text)
    found: list[Request] = []
    for start, end in spans(masked):
        before = masked[:start].rstrip()
        if end - start > _MOST_SENTENCE or before.endswith((":", "：")):
            continue
        sentence = simplified(masked[start:end])
        grammar = _grammar(language_of(sentence))
        if asked := grammar.read(sentence):
            what, sure = asked
            found.append(Request(start, end, what, sure))
        elif found and found[-1].end == len(before) and grammar.is_again(sentence):
            found[-1] = found[-1]._replace(end=end)
    return found


def without_requests(text: str) -> str:
    """A message without its requests to forget: what they name is not told by them."""
    for one in reversed(requests(text)):
        text = text[: one.start] + text[one.end :]
    return text


class _Grammar:
    """The table of one language."""

    def __init__(self, language: str) -> None:
        import tomllib  # few messages ask for anything of the kind
        from importlib.resources import files

        path = files(f"loxodon.language.{language}") / "forget.toml"
        self.table: dict[str, Any] = tomllib.loads(path.read_text("utf-8"))
        self._forms = [
            (self._compiled(one["like"]), one.get("asked", False), one.get("sure", True))
            for one in self.table["form"]
        ]
        self._polite = any_case(self.table["polite"])
        self._again = any_case(self.table["again"])
        self._past = any_case(self.table.get("past", "(?!)"))
        self._dismissed = any_case(self.table["dismissed"])
        self._nothing = any_case(self.table["nothing"])
        self._trimmed = any_case(self.table["trimmed"])

    def _compiled(self, like: str) -> re.Pattern[str]:
        names = {**self.table["names"], "what": _WHAT, "character": _CHARACTER}
        while like != (filled := _NAME.sub(lambda found: names[found[1]], like)):
            like = filled  # a name may have others in it
        parts = like.split("(?P<what>")  # a name may stand once in a pattern
        like = parts[0] + "".join(f"(?P<what{n}>{part}" for n, part in enumerate(parts[1:]))
        lead, ask, end = (self.table[name] for name in ("lead", "ask", "end"))
        return any_case(
            rf"^{lead}(?P<ask>{ask})?{lead}(?:{like})(?:[ ,，]*{end})*"
            rf"(?P<tail>$|[ ]?(?:[,;:.!?…—，。；：！？–]|-(?!\w)).*$)"
        )

    def read(self, sentence: str) -> tuple[str, bool] | None:
        """What a sentence asks to have forgotten, and whether that is all that it can mean."""
        wish = self._again.sub("", sentence)
        polite = any(map(self._polite.search, (sentence, wish)))
        # What looks like the wish said again may be all of it: `官司的事，请你别记了`.
        return self._read(wish, polite=polite) or self._read(sentence, polite=polite)

    def is_again(self, sentence: str) -> bool:
        """Whether a sentence only says again what was asked before it, or thanks."""
        return self._again.fullmatch(f", {sentence}") is not None

    def _read(self, sentence: str, *, polite: bool) -> tuple[str, bool] | None:
        for like, asked, sure in self._forms:
            found = like.match(sentence)
            if found is None:
                continue
            bare = not polite and not found["ask"]
            if bare and (
                asked or self._past.search(sentence) or self._dismissed.match(found["tail"])
            ):
                continue
            what = next(one for name, one in found.groupdict().items() if one and "what" in name)
            what = self._named(what)
            if what and _GONE not in what and not self._nothing.search(what):
                return what, sure and not (bare and _WORD.search(found["tail"]))
        return None

    def _named(self, what: str) -> str:
        """What is meant, without the words that only hold the request together."""
        before = ""
        while what != before:
            before, what = what, self._trimmed.sub("", what.strip(" ,，.'’"))
        return what


@cache
def _grammar(language: str) -> _Grammar:
    return _Grammar(language)
