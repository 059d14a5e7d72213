"""Clauses that leave out what they speak of because it was just spoken of: 算了不考了, 黄了, 又改了."""

from __future__ import annotations

import re
from collections.abc import Sequence

from loxodon.write.statements import USER, Said, Statement
from loxodon.write.zh.changes import GIVEN_UP, GONE
from loxodon.write.zh.clean import HAN, plain, tidy
from loxodon.write.zh.leaving import given_up_before
from loxodon.write.zh.syntax import noun_head, without_side, words_in
from loxodon.write.zh.words import BODY, PLAIN_RELATION, alternatives, pattern

_LEAD = r"^(?:算了|还是|那|后来|结果|现在|又|我|就|也|都|先|最后|最终|已经|刚|直接|决定|想了想|可能|唉|哎|[，, ])*"
_A_TIME = (
    r"(?:[上下这本]*个?(?:周|星期|礼拜)[一二三四五六日天末]|[0-9一二三四五六七八九十]+[月号点日]|明天|后天|大后天|明年|下个?月|下周"
    r"|上午|下午|晚上|早上|中午|[0-9]+[:：][0-9]+|月底|年底|五一|国庆|元旦|春节)"
)
_MOVED = (
    r"(?:时间|日期|地点)?(?:改|换|变|调|推迟|提前|延期?|挪|推|顺延)(?:期|时间)?(?:了|到|成|在|至)*"
)


def refers(bare: str) -> bool:
    """Whether a clause says what becomes of something that it does not name."""
    return bool(_not_done().match(bare) or _gone().match(bare) or _moved().match(bare))


def _not_done() -> re.Pattern[str]:
    return pattern(
        rf"{_LEAD}不(?P<w>想|打算|准备|用|能|敢|再)?(?P<v>(?![行了过到见错对好少止得起是知想舒在难疼痛饿困累忙])[{HAN}]{{1,2}}?)了?(?<=了)吧?$"
    )


def _gone() -> re.Pattern[str]:
    return pattern(rf"{_LEAD}(?P<v>{alternatives(GIVEN_UP)}|{alternatives(GONE)})(?:了|掉了)吧?$")


def _moved() -> re.Pattern[str]:
    return pattern(rf"{_LEAD}(?P<m>{_MOVED})(?P<t>{_A_TIME}[^，]{{0,10}})?了?$")


def named_before(texts: Sequence[str], place: int) -> str:
    """The thing that one of the clauses just before named: 中药 in 中药太苦，停了."""
    for text in reversed(texts[max(0, place - 3) : place]):
        bare = tidy(text)
        if pattern("[我你他她]").match(bare):
            break
        head = without_side(noun_head(bare) or given_up_before(bare))
        if head and head not in BODY.split() and head not in PLAIN_RELATION:
            return head
    return ""


def filled(bare: str, thing: str) -> str:
    """The clause with the thing it leaves out."""
    if found := _not_done().match(bare):
        return f"不{found['w'] or ''}{found['v']}{thing}了"
    if found := _gone().match(bare):
        return f"{thing}{found['v']}了"
    found = _moved().match(bare)
    return f"{thing}改到{found['t']}" if found and found["t"] else ""


def spoken_of(said: Said) -> Statement | None:
    """What the session spoke of last, if that is still so."""
    last = said.earlier[-1] if said.earlier else None
    return last if last and last.positive and last.act != "end" else None


def completed_from(bare: str, last: Statement, following: str = "") -> str:
    """The clause with what it leaves out, in the first person; empty where that cannot be told."""
    content = plain(last.content).split("，")[0]
    mine = "我" if last.subject == USER else ""
    if found := _not_done().match(bare):
        thing = _object_of(content, found["v"])
        return f"{mine}不{found['w'] or ''}{found['v']}{thing}了" if thing else ""
    if found := _gone().match(bare):
        thing = _object_of(content, "")
        if not thing:
            return ""
        given = found["v"] in GIVEN_UP.split()
        return f"{mine}{found['v']}了{thing}" if given else f"{thing}{found['v']}了"
    found = _moved().match(bare)
    if not found:
        return ""
    thing = _object_of(content, "")
    when = found["t"] or (
        following if pattern(rf"^(?:到|成|在)?{_A_TIME}").match(following) else ""
    )
    return f"{thing}改到{pattern('^[到成在]').sub('', when)}" if thing and when else ""


def _object_of(content: str, verb: str) -> str:
    """What a sentence is about: what its verb has behind it, else the noun it ends with."""
    body = pattern(r"^用户的?").sub("", content)
    if verb and verb in body:
        rest = pattern(
            r"^(?:了|到|上|过|着)?(?:一?[个张台辆只条部本家份套间趟款双件把块场次门节位])?"
        ).sub("", body.partition(verb)[2])
        if 0 < len(rest) <= 12:
            return rest.removesuffix("了")
    noun = ""
    for word, tag in reversed(words_in(body)):
        if (
            tag[0] not in "nj"
            and tag not in ("vn", "eng", "a", "b", "x")
            and not (noun and tag == "uj")
        ):
            if noun:
                break
            continue
        noun = word + noun
    noun = noun.lstrip("的")
    return noun if len(noun) > 1 else ""
