"""Chinese as people type it, made even: one script, plain words for dialect, no fillers.

`plain` is what every rule looks at. `Script` remembers how the writer wrote, so that what is read
from a traditional text can be given back in it.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from loxodon.text.steps import charge
from loxodon.text.variants import SIMPLIFIED, TRADITIONAL
from loxodon.write.zh.words import CANTONESE, CLOSINGS, DIALECT, OPENINGS, alternatives, pattern

HAN = "\u4e00-\u9fff"


@cache
def _to_simplified() -> dict[int, int]:
    return {ord(a): ord(b) for a, b in zip(TRADITIONAL, SIMPLIFIED, strict=True)}


@cache
def _dialect() -> re.Pattern[str]:
    return re.compile(alternatives([*CANTONESE, *DIALECT]))


@cache
def _dialect_words() -> dict[str, str]:
    return CANTONESE | DIALECT


def simplified(text: str) -> str:
    """`text` in simplified characters, each in its place."""
    return text.translate(_to_simplified())


_INVISIBLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]+")


def plain(text: str) -> str:
    """`text` in simplified characters and plain words, in which the rules are written."""
    charge(len(text))
    return _plain(text) if len(text) > SHORT else _plain_again(text)


def _plain(text: str) -> str:
    # 係 is 是 in Cantonese and 系 in its simplified form: dialect goes first.
    text = text.replace("係", "是") if "係" in text else text
    text = _INVISIBLE.sub("", text).translate(_to_simplified())
    return _dialect().sub(lambda found: _dialect_words()[found[0]], text)


SHORT = 400
"""The several looks that are taken at a short text share what the first one found."""
_plain_again = lru_cache(maxsize=512)(_plain)


_WRITTEN = "户现这对时个说让为从没还经过来会离职换听觉块钱岁车学妈给"
_WRITTEN_IN_FULL = "戶現這對時個說讓為從沒還經過來會離職換聽覺塊錢歲車學媽給"
"""Characters that the rules put in themselves, for who writes in the traditional script."""


class Script:
    """How a writer writes: gives a sentence in plain words back in their characters."""

    def __init__(self, text: str) -> None:
        self._back: dict[int, str] = {}
        if text.isascii():
            return
        for character, simple in zip(text, simplified(text), strict=True):
            if character != simple and character not in "係妳牠":
                self._back.setdefault(ord(simple), character)
        if len(self._back) >= 2:
            for simple, full in zip(_WRITTEN, _WRITTEN_IN_FULL, strict=True):
                self._back.setdefault(ord(simple), full)

    def restore(self, content: str) -> str:
        return content.translate(self._back) if self._back else content


# --- fillers --------------------------------------------------------------------------------------

_EMOJI = "\u2600-\u27bf\ufe0f\u200d\u2190-\u21ff\u2b00-\u2bff\U0001f000-\U0001faff"
_FACES = r"\[[\u4e00-\u9fff]{1,4}\]|[:;]-?[()DPp]|\^_\^|orz|QAQ|TAT|T_T|Orz|OTZ|\bq[aw]q\b"
_LAUGHS = (
    r"[哈呵嘿嘻噗]{2,}|呜{2,}|嘤{2,}|啊{2,}|哇{2,}|(?<![0-9])(?:2333*|6{3,})(?![0-9])|\bhhh+\b|\blol\b"
    r"|\bhaha+\b|xs(?![a-z])"
    r"|笑死我?了?|笑哭|狗头|捂脸|大哭|裂开"
)

_AFTER = "[，,。.!！?？、…~～—:： \u3000]*"


@cache
def _leading() -> re.Pattern[str]:
    # A filler that is also a word (记得, 就是, 其实) only goes where more follows it.
    words = alternatives(OPENINGS)
    return re.compile(rf"(?:{words}){_AFTER}(?=.{{2}})")


@cache
def _trailing() -> re.Pattern[str]:
    return re.compile(rf"(?:[，,。.!！?？…~～ ]+|{alternatives(CLOSINGS)})$")


_STAY = (
    r"记得.{0,2}(?:小时候|以前|当时)|重要的(?!是)|可以[^，]|好[^，,。 的吧嘞]|就是[个一]|就[我他她]"
    r"|对[^，,。 的啊呀了哦]|真的(?:很|假)|还有[一二两三四五六七八九十几0-9半个]"
    r"|关键[人词]|早[^，,。]"
    r"|那个(?!其实|就是|我|他|她|那个)|那[边里天年次时会阵种家只条位台辆套趟部本间份把张块件款双栋场]|就[在读住]|毕竟是|最后一|第[一二三四](?![，,、：: ])"
    r"|行[政程李业]|额[头度]|害怕|切[菜肉了除]|哈[尔弗佛密士]|靠[近窗谱山海着]"
    r"|因为(?:工作|身体|家里)?原因"
    r"|一是一|但凡|记下了|重点[高中大学]|但[愿是]?$|注意力|记住(?:他|她|的)"
    r"|要说(?:服|明)|诶嘿|早[就上班餐饭点]"
    r"|首先锋|其次[于品]|最后(?:我|还是|决定|选|听)|结果(?:出|是|显|还|没)|恩[施爱]"
    r"|好[几多久]|行[走医]|嗯呐"
    r"|更新(?:了|换)|报告(?:[里中写交]|出)|我[说去靠天]"
    r"|可以(?:说|吃|喝)|就(?:去|要|想|会|业|读|诊|医|考|用|选|定)|只是.{0,2}[个一]|告诉你们"
)
"""Openings of a clause that look like a filler and are none."""


def tidy(text: str) -> str:
    """`text` without emoji, laughter, fillers before and particles after it."""
    return _tidy(text) if len(text) > SHORT else _tidy_again(text)


def _tidy(text: str) -> str:
    text = pattern(rf"[{_EMOJI}]+|{_FACES}").sub(" ", text)
    text = pattern(_LAUGHS).sub(" ", text)
    text = pattern(r"[\s\u3000]+").sub(" ", text).strip(" ，,。.!！、…~～—;；:：")
    text = pattern(r"(?<![是对好的行事了吗么])[啦喽咯]$").sub("了", text)
    text = without_opening(text)
    while found := _trailing().search(text):
        if found.start() < 2 or _keeps_ending(text, found):
            break
        text = text[: found.start()]
    text = pattern(rf"(?<=[{HAN}a-zA-Z])(?:嘛|呢(?!子))(?=[{HAN}])").sub("", text)
    that = rf"(?<=[{HAN}]{{2}})那个(?=[{HAN}]{{1,4}}(?:厂|店|公司|学校|医院|小区|项目))"
    text = pattern(that).sub("的", text)
    text = pattern(r"^我[呀啊呢嘛吧](?=.)").sub("我", text)
    text = pattern(rf"(?<=[{HAN}]的)[那这]个(?=[{HAN}]{{2}})").sub("", text)
    text = pattern(rf"(?<=我)这个(?=[{HAN}]{{2}})").sub("", text)
    text = pattern(rf"(?<=在)[这那][家个所](?=[{HAN}]{{2}})").sub("一家", text)
    text = pattern(
        rf"(?<=[{HAN}]{{2}})那个(?=(?:专业|课|班|项目|岗位|工作|活|单子|客户|合同|订单"
        rf"|比赛|考试|手术))"
    ).sub("的", text)
    text = pattern(rf"(?<=[姐妈爸哥弟妹])那个(?=[{HAN}])").sub("的", text)
    text = pattern(rf"^那个(?=[{HAN}]{{3}})|(?<=[成吃用叫在开买换])那个(?=[{HAN}]{{2}})").sub(
        "", text
    )
    text = pattern(rf"(?<=[我厂司店])那个(?=[{HAN}]{{2}})|就很?是?那个(?=[{HAN}])").sub("", text)
    return text.strip(" ，,。")


_tidy_again = lru_cache(maxsize=512)(_tidy)


def without_opening(text: str) -> str:
    for _ in range(6):
        found = _leading().match(text)
        if not found or (pattern(_STAY).match(text) and not _has_pause(found[0])):
            break
        text = text[found.end() :]
    return text


def _has_pause(opening: str) -> bool:
    return opening[-1] in "，,。.!！?？、…~～—:： "


def _keeps_ending(text: str, found: re.Match[str]) -> bool:
    """Whether the last words mean something: 酒吧, 贴吧, 不好吧."""
    word = found[0]
    if word == "吧":
        return text[-2:] in ("酒吧", "网吧", "贴吧", "书吧", "茶吧", "水吧")
    if word == "真的":
        return text.endswith(("是真的", "当真的"))
    return (word == "呀" and text.endswith("咿呀")) or (word == "哩" and text.endswith("哔哩"))


def count_han(text: str) -> int:
    return sum("\u4e00" <= character <= "\u9fff" for character in text)
