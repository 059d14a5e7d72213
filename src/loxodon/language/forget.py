"""Requests to forget: whether somebody asks for it, as our encoder judges, and what is meant, read
by the table `forget.toml`.

    Please forget what I told you about the will.      the will
    把我的旧工号忘了吧                                    我的旧工号
    Forget what I just said. 刚才那句当我没说               what was said last
    Forget it. Don't let me forget the milk. 别忘了买菜     nothing

It is said to whoever remembers: not in quotation marks, in a letter or behind a colon.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple

from loxodon.language.worth import intents
from loxodon.text.language import language_of
from loxodon.text.patterns import Patterns
from loxodon.text.sentences import spans
from loxodon.text.words import simplified

MOST = 600  # Characters of a message that can be a request; a longer one is a document
_MOST_SENTENCE = 200
_LIKELY = 0.8  # from which on a sentence asks for it
PERHAPS = 0.15  # from which on it may, if what it names was told
# Nearly all requests have one of these, most messages none: those are not judged at all
_SIGN = re.compile(
    r"(?i)(?<![a-z])(?:forg|un-?(?:say|said|hear|know|rem|see|lear)|del|eras|remov|rid\b|memor|remem|stor|sav"
    r"|record|note|on file|files?\b|retain|kee?p|hold|hang|pretend|never|wip|clear|clean|scrub|purg"
    r"|discard|expung|stri[kc]|scra|los[et]|drop|ditch|take|pull|retract|withdraw|gone|can go\b"
    r"|toss|throw|log|track|bin\b|burn|shred|cross|destr|mind|head|brain|vanish|disappear|let\b|redact|blank"
    r"|bring|mention|raise|stop|private|off\b|outta|out of|history|profile|bury|leave|trace|books"
    r"|no more|carry|know(?:ing|n)?\b|knew|act\b|imagin)"
    r"|[忘记記删刪抹清擦划劃除留当當撤销銷丢扔撕消脑腦档檔甩抠挖烂收提]|(?<![缓緩快内內库庫])存(?![储儲在])|没[说了]|不算|作废|失忆"
    r"|[去拿][掉走下了]|弄走|翻篇|保密|听见|知道|归零|不要[了再]|别再|再说|[说谈]起|放下|心上"
)
# What needs no judging: that something is to be remembered, kept secret, or what is mine forgotten
_KEEPS = re.compile(
    r"(?i)\W*(?:(?:please|pls|can you|could you) )?(?:remember|record|note)\b(?! to (?:forget|del))"
    r"|\W*请?你?(?:记住|记下|记得)|.*(?<![别要用必])[你得]?帮我记"
    r"|\W*(?:千万|请)*(?:别|不要|勿)忘(?!.*[删清抹除])"
    r"|\W*忘(?:了|记)[^，。？吧]{1,20}了[，。]"  # 忘了…了, 我把…了 tell of it
    r"|\W*我们?(?:把[^，。]+了\W*$|正?在)|.*[永从绝]不(?:会|再)?遗?忘"
    r"|(?=.*[一-鿿])(?!.*(?:[忘删抹清擦划除撤销丢扔撕消烧碎没不唔别勿莫甭无免作空翻失去掉走放停甩抠挖烂断洗]"
    r"|当(?![前时天然])|归零|保密|forg|delet|remov|eras|drop|save))"  # neither undone nor denied
    r"|(?!.*(?:[忘删抹清]|forget|delet|remov|eras)).*(?:(?:别|不[要许能准])[^，。]{0,16}"
    r"(?:告诉|[给让跟对向和])我?(?:.{1,2}人|同事|老[板公婆]|领导|朋友|[爸妈])|[要得请我]保密|(?:don'?t"
    r"|never|not) (?:share|disclose|reveal|(?:tell|mention|let)\b.*\b(?:any|other|people)))"
)
_ASKS = re.compile(
    r"(?i)\W*(?:(?:please|pls) )?forget (?:about )?(?:my|(?:that|who|how) i|what i (?:said|told))"
    r" [^,;:?]+$"
    r"|\W*请?你?(?:把我的?[^，。？]{1,20}忘[了掉]吧?|忘[记掉]我的[^，。？了]{1,20})\W*$"
    r"|[^，,。？?说]{2,20}事情?(?:烦?请|麻烦|拜托)[你您]?(?:都|彻底)?忘[了掉记]吧?(?:$|[，,。!！])"
)
_QUOTED = re.compile(
    r"\"[^\"\n]*\"|“[^”\n]*”|「[^」\n]*」|『[^』\n]*』|«[^»\n]*»|(?<!\w)'[^'\n]+'(?!\w)"
)
_LETTER = re.compile(
    r"(?i)^\W*(?:dear|to whom)\b|^\W*(?:尊敬的|亲爱的|敬爱的)|\n\W*(?:best|yours|regards|love)\b"
)
_AGAIN = re.compile(r"(?i)\b(?:it|them)\b|它")  # what was named before
_GONE = "\ufffc"
_EDGE = " ,，.。!！?？;；:：…~～—–-='’()^"


class Request(NamedTuple):
    """That something is to be forgotten."""

    start: int
    end: int  # Where it stands in the message: what is meant, the wish, and what only says it again
    # What is meant, as said: `my divorce`, `I smoke`, `小林的生日`; empty for what was said last
    what: str
    is_sure: bool = True  # if not, it is one only where what it names was told


def may_ask(text: str) -> bool:
    """Whether a message may have a request in it; most have not."""
    return len(text) <= MOST and _SIGN.search(text) is not None and not _LETTER.search(text)


def requests(text: str, least: float = _LIKELY) -> list[Request]:
    """The requests to forget in a message, in order."""
    if not may_ask(text):
        return []
    masked = _QUOTED.sub(lambda found: _GONE * len(found[0]), text)
    parts = [(start, end, _wish(masked[start:end])) for start, end in spans(masked)]
    parts = [one for one in parts if 0 < len(one[2]) <= _MOST_SENTENCE]
    asking = _asking([sentence for _, _, sentence in parts], least)
    found: list[Request] = []
    said: list[tuple[int, str]] = []  # the sentences before a wish, which may name what it means
    for (start, end, sentence), asks in zip(parts, asking, strict=True):
        before = masked[:start].rstrip()
        if before.endswith((":", "：")):
            said = []
            continue
        grammar = _grammar(language_of(sentence))
        follows = bool(found) and found[-1].end == len(before)
        meant = grammar.meant(sentence, [one for _, one in said]) if asks else None
        what, at = meant or ("", None)
        again = meant and (not what or _AGAIN.search(sentence))
        if follows and (again or grammar.like["again"].fullmatch(sentence)):
            found[-1] = found[-1]._replace(end=end)
            continue
        if meant:
            is_sure = least == _LIKELY and what != sentence.strip(_EDGE)  # which nothing in it asks
            found.append(Request(start if at is None else said[at][0], end, what, is_sure))
            said = []
        else:
            said.append((start, sentence))
    return found


def _wish(sentence: str) -> str:
    """A sentence without its clauses that say what is to stay."""
    sentence = simplified(sentence).replace("’", "'")
    return _grammar(language_of(sentence)).like["stays"].sub("", sentence)


def _asking(sentences: Sequence[str], least: float) -> list[bool]:
    """Which sentences ask; the likeliest one where only all of them together do."""
    each = (*sentences, " ".join(sentences))
    likely = [one.forget for one in intents(each)]
    asks = [
        _ASKS.match(one) is not None or (share >= least and not _KEEPS.match(one))
        for one, share in zip(each, likely, strict=True)
    ]
    if asks.pop() and not any(asks):
        most = max(likely[:-1])
        asks[likely.index(most)] = most >= PERHAPS or bool(_AGAIN.search(sentences[-1]))
    return asks


@lru_cache(maxsize=2_000)  # each step of a consolidation asks for the same messages
def without_requests(text: str) -> str:
    """A message without its requests to forget: what they name is not told by them."""
    for one in reversed([it for it in requests(text) if it.is_sure]):
        text = text[: one.start] + text[one.end :]
    return text


class _Grammar:
    """The table of one language."""

    def __init__(self, language: str) -> None:
        import tomllib  # few messages ask for anything of the kind
        from importlib.resources import files

        path = files(f"loxodon.language.{language}") / "forget.toml"
        table: dict[str, Any] = tomllib.loads(path.read_text("utf-8"))
        names: dict[str, str] = table.pop("names")
        table["before"] = rf"^(?:{table['before']}(?=$|[^\w']|[^\x00-\x7f])[\s,]*)+"
        table["after"] = rf"(?:(?:^|[\s,]+|(?=[^\x00-\x7f])){table['after']})+$"
        self.like = Patterns(names | table)

    def meant(self, sentence: str, before: Sequence[str]) -> tuple[str, int | None] | None:
        """What a sentence that asks means, if not somebody's words; which one before names it."""
        clauses = self._clauses(sentence)
        likely = [min(one.forget, _LIKELY) for one in intents(clauses)]
        own = likely.index(max(likely))  # the first that asks, else what comes nearest to it
        told: list[tuple[int | None, list[str]]] = [(None, [clauses[own]]), (None, clauses[:own])]
        told += [(at, self._clauses(one)) for at, one in enumerate(before)]
        for at, parts in told:
            if any(self.like["last"].search(one) for one in parts):
                return "", at
            if what := next(filter(None, map(self._named, parts)), ""):
                return None if _GONE in what else (what, at)
        if self.like["pointing"].search(sentence):
            return "", None
        what = next(filter(None, map(self._named, clauses[own + 1 :])), "")
        return (what, None) if what and _GONE not in what else None

    def _clauses(self, sentence: str) -> list[str]:
        cuts = [one.span() for one in self.like["clause"].finditer(sentence)]
        starts, ends = [0, *(end for _, end in cuts)], [*(at for at, _ in cuts), len(sentence)]
        return [sentence[start:end] for start, end in zip(starts, ends, strict=True)]

    def _named(self, clause: str) -> str:
        """What a clause names, without the words that only ask."""
        if self.like["meta"].fullmatch(clause.strip(_EDGE)):
            return ""
        clause, before = self.like["lately"].sub(" ", clause), ""
        while clause != before:
            before, clause = clause, clause.strip(_EDGE)
            for edge in ("after", "before"):
                clause = self.like[edge].sub("", clause).strip(_EDGE)
        return "" if len(clause) < 2 or self.like["meta"].fullmatch(clause) else clause


_grammar = cache(_Grammar)
