"""Requests to forget: what somebody asks to have forgotten, read from the table `forget.toml`.

    Please forget what I told you about the will.      the will
    把我的旧工号忘了吧                                    我的旧工号
    Forget what I just said. 刚才那句当我没说               what was said last
    Forget it. Don't let me forget the milk. 别忘了买菜     nothing

A request is a sentence of its own, said to whoever remembers: a command or a wish, a verb of
forgetting or of not keeping, and what is meant. Nobody else says it: it is not in quotation marks,
in a story or behind a colon.
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
    r"(?i)forget|write"
    r"|delet|eras|remov|wip|clear|scrub|purg|discard|remember|memor|get(?:ting)? rid"
    r"|expung|strike|scratch|lose|drop|nix|ditch|keep|stor|sav|record|retain|hold|hang|pretend"
    r"|act |imagine|take|retract|withdraw|gone|note|forgot|un-?(?:learn|hear)|toss|throw|kept|log"
    r"|track"
    r"|忘|记|記|删|刪|抹|清|擦|划|移除|去掉|存|留|当|當|算|装|裝|撤|作废|销毁|丢|扔"
)
_QUOTED = lazy(r"\"[^\"\n]*\"|“[^”\n]*”|「[^」\n]*」|『[^』\n]*』|«[^»\n]*»|(?<!\w)'[^'\n]+'(?!\w)")
_LETTER = lazy(
    r"(?i)^\W*(?:dear|to whom)\b|^\W*(?:尊敬的|亲爱的|敬爱的)|\n\W*(?:best|yours|regards|love)\b"
)
_YOU = lazy(r"(?i)\b(?:u|ya)\b")
_CLAUSE = lazy(r"[,;:，；：](?!\d)|\s[-–—]\s|—")
_GONE = "\ufffc"


class Request(NamedTuple):
    """That something is to be forgotten."""

    start: int
    end: int
    """Where it stands in the message: the sentence, and those after it that only say it again."""
    what: str
    """What is meant, in the words of whoever asks: `my divorce`, `I smoke`, `小林的生日`; empty for
    what was said last."""


def may_ask(text: str) -> bool:
    """Whether a message may have a request in it; most have not."""
    return len(text) <= MOST and _SIGN.search(text) is not None


def requests(text: str) -> list[Request]:
    """The requests to forget in a message, in order."""
    if not may_ask(text) or _LETTER.search(text):
        return []
    masked = _QUOTED.sub(lambda found: _GONE * len(found[0]), text)
    found: list[Request] = []
    last = (0, "")
    for start, end in spans(masked):
        before, sentence = masked[:start].rstrip(), _plainly(masked[start:end])
        if end - start > _MOST_SENTENCE or before.endswith((":", "：")):
            continue
        grammar = _grammar(language_of(sentence))
        what = grammar.read(sentence)
        follows = bool(found) and found[-1].end == len(before)
        if follows and (what == "" or grammar.is_again(sentence)):
            found[-1] = found[-1]._replace(end=end)
        elif what is not None:
            found.append(Request(start, end, what))
        elif not follows and (what := grammar.bare(sentence, last[1])):
            found.append(Request(last[0], end, what))
        last = (start, sentence)
    return found


def _plainly(sentence: str) -> str:
    """A sentence in the spelling of the tables."""
    return _YOU.sub("you", simplified(sentence).replace("’", "'"))


def without_requests(text: str) -> str:
    """A message without its requests to forget: what they name is not told by them."""
    for one in reversed(requests(text)):
        text = text[: one.start] + text[one.end :]
    return text


class _Form(NamedTuple):
    like: re.Pattern[str]
    asked: bool
    """Whether it takes a word of asking to be a request."""
    aside: bool
    """Whether it may only put something aside, or tell that it was forgotten."""
    elsewhere: bool
    """Whether it may be about a text at hand."""
    needs: re.Pattern[str]


_SIGNS = (
    *("polite", "again", "past", "question", "asking", "quoting", "idle", "told"),
    *("dismissed", "nothing", "elsewhere", "back", "trimmed"),
)
"""Entries of a table that are patterns of their own."""


class _Grammar:
    """The table of one language."""

    def __init__(self, language: str) -> None:
        import tomllib  # few messages ask for anything of the kind
        from importlib.resources import files

        path = files(f"loxodon.language.{language}") / "forget.toml"
        self._table: dict[str, Any] = tomllib.loads(path.read_text("utf-8"))
        self._forms = [
            _Form(
                self._compiled(one["like"]),
                one.get("asked", False),
                one.get("aside", False),
                one.get("elsewhere", False),
                any_case(self._filled(one.get("needs", ""))),
            )
            for one in self._table["form"]
        ]
        self._bare = self._compiled(self._table["bare"])
        self._like = {name: any_case(self._table.get(name, "(?!)")) for name in _SIGNS}

    def _filled(self, like: str) -> str:
        names = {**self._table["names"], "what": _WHAT, "character": _CHARACTER}
        while like != (filled := _NAME.sub(lambda found: names[found[1]], like)):
            like = filled  # a name may have others in it
        return like

    def _compiled(self, like: str) -> re.Pattern[str]:
        like = self._filled(like)
        for group in ("what", "back"):  # a name may stand once in a pattern
            first, *parts = like.split(f"(?P<{group}>")
            like = first + "".join(f"(?P<{group}{n}>{part}" for n, part in enumerate(parts))
        lead, ask, end = (self._filled(self._table[name]) for name in ("lead", "ask", "end"))
        return any_case(rf"^{lead}{ask}(?:{like}){end}(?P<tail>{self._table['tail']})")

    def read(self, sentence: str) -> str | None:
        """What a sentence asks to have forgotten, empty for what was said last; None for nothing.

        The request may begin with any clause; one without an object is about those before it.
        """
        for at in (0, *(found.end() for found in _CLAUSE.finditer(sentence))):
            before, rest = sentence[:at], sentence[at:].lstrip()
            if self._like["quoting"].search(before):
                return None
            if (what := self._read(rest)) is not None or (what := self.bare(rest, before)):
                return what
        return None

    def bare(self, sentence: str, before: str) -> str:
        """What the words before a wish without an object name; empty where there is no wish."""
        if not self._bare.match(sentence) or self._like["idle"].match(sentence):
            return ""
        what = self._named(before.rstrip("?？!！.。"))
        return "" if _GONE in what or self._like["nothing"].search(what) else what

    def _read(self, sentence: str) -> str | None:
        polite, told = (self._like[name].search(sentence) for name in ("polite", "told"))
        if self._like["question"].search(sentence) and not self._like["asking"].search(sentence):
            return None
        for form in self._forms:
            found = form.like.match(sentence)
            if found is None:
                continue
            is_aside = self._like["dismissed"].match(found["tail"]) or self._like["past"].search(
                sentence
            )
            if form.aside and not polite and is_aside:
                continue
            groups = {name: one for name, one in found.groupdict().items() if one}
            if any(name.startswith("back") for name in groups):
                return ""
            name = next(one for one in groups if one.startswith("what"))
            if self._like["back"].fullmatch(groups[name]):
                return ""
            about = sentence[found.start(name) :]
            if form.elsewhere and not told and self._like["elsewhere"].search(about):
                continue
            if not form.needs.search(sentence) or (form.asked and not polite):
                continue
            what = self._named(groups[name])
            if what and _GONE not in what and not self._like["nothing"].search(what):
                return what
        return None

    def _is_aside(self, sentence: str, tail: str) -> bool:
        return bool(self._like["dismissed"].match(tail) or self._like["past"].search(sentence))

    def is_again(self, sentence: str) -> bool:
        """Whether a sentence only says again what was asked before it, or thanks."""
        return self._like["again"].fullmatch(sentence) is not None

    def _named(self, what: str) -> str:
        """What is meant, without the words that only hold the request together."""
        before = ""
        while what != before:
            before, what = what, self._like["trimmed"].sub("", what.strip(" ,，.'’"))
        return what


@cache
def _grammar(language: str) -> _Grammar:
    return _Grammar(language)
