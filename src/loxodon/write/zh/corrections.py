"""Corrections: 不对，是…; 说错了; 是489不是498. The right words go where the wrong ones stood."""

from __future__ import annotations

from typing import NamedTuple

from loxodon.write.zh.clean import HAN, tidy
from loxodon.write.zh.words import pattern

_SLIP = (
    r"(?:不对不对|不对|不不不|不不|哦不是|哦不对|哦不|啊不是|啊不对|啊不|噢不|喔不"
    r"|诶不对|诶不是|欸不对|欸不是|等等|等一下|错了错了|错了|(?:我)?(?:上次|之前|昨天|前天|前面|刚才|上回)?(?:我)?(?:跟你)?(?:说|打|写|看"
    r"|记|搞|弄|输|听|念|算)(?:错|岔|快|反|串|混)(?:行|题|页|人|地方)?了?|刚才?说错了?|口误|手滑|手误|更正一?下?|更正"
    r"|(?:上文|前文|上述|前述|以上)(?:信息|内容|所述)?有误|纠正一?下?|纠正|应该说|准确(?:地|来)?说|准确讲|不是的|不，|不是，)"
)
_THING = rf"[{HAN}A-Za-z0-9.+ -]"


class Correction(NamedTuple):
    right: str
    """What is right: a value, or a clause that says it anew."""
    wrong: str = ""


def correction_in(text: str) -> Correction | None:
    """What a clause (plain) puts right, if it does."""
    lead = pattern(
        rf"^(?:不好意思|抱歉|对不起|等下|等会|等一下|啊|哦|诶|欸|噢|唉|哎呀?"
        rf"|嗯)*[，, ]?(?:我)?(?:一直)?{_SLIP}[，,。！! 、…]*"
    ).match(text)
    body = text[lead.end() :] if lead else text
    body = body.strip("，,。！! ~～")
    found = pattern(
        rf"^(?:其实|应该)?(?:是|在|叫)?(?P<b>{_THING}{{1,14}}?)[，, ]*(?:而)?(?:不是|并非"
        rf"|没有在?)(?P<a>{_THING}{{1,12}}?)(?:[，。]|$)"
    ).match(body)
    if found:
        return Correction(_core(found["b"]), found["a"].strip())
    if found := pattern(
        rf"^(?:其实)?(?:不是|并非)(?P<a>{_THING}{{1,12}}?)[，, ]*(?:而)?(?:是|叫"
        rf"|在)(?P<b>{_THING}{{1,14}}?)(?:[，。]|$)"
    ).match(body):
        return Correction(_core(found["b"]), found["a"].strip())
    if not lead or not body:
        return None
    return Correction(_core(body))


def denied(text: str) -> str:
    """What a clause says it is not: 不是中兴."""
    found = pattern(
        rf"^(?:而|并)?(?:不是|并非|没在)(?P<a>{_THING}{{1,12}}?)(?:[，。！!了啦的]|$)"
    ).match(text.strip())
    return found["a"].strip() if found else ""


def misreported(text: str, rest: str) -> tuple[str, str, str] | None:
    """What a clause says was said wrongly before, if what follows puts it right: of whom, with
    which verb, and the wrong words where it repeats them."""
    found = pattern(
        r"^(?:我)?(?:上次|之前|刚才|前面|前天|昨天|上回)(?:我)?(?:跟你)?(?:说|讲|提)的?(?P<s>[^，]{1,8}?)(?P<be>在|是|叫|有)"
        r"(?P<w>[^，]{1,12}?)$"
    ).match(text.strip("，,。 "))
    if found and pattern(r"其实|不对|错|混|岔|应该").search(rest):
        return found["s"], found["be"], found["w"]
    found = pattern(
        r"^(?:哎呀|啊|诶)?(?:我)?(?:之前|上次|刚才|前面|昨天)?(?:说|记|写)?的?(?P<s>(?:我的?)?[^，我]{1,6}?)的?"
        r"(?P<of>名字|名称|名|生日|年龄|地址|电话|号码|日期|时间)?(?:我)?(?:上次|之前|刚才|前面|当时|一直)?(?:我)?(?:打|说|写|记|搞|弄)?(?:错了|不对|有误|岔了|反了|混了)$"
    ).match(text.strip("，,。 "))
    if found and found["of"] and pattern(r"^(?:其实|应该|正确的)*(?:是|叫|在)").match(rest):
        named = found["of"] in ("名字", "名称", "名")
        of = "" if named else f"的{found['of']}"
        return found["s"] + of, "叫" if named else "是", ""
    return None


def right_words(text: str) -> str:
    """The words that a correcting clause puts in: the end of 阿光是在中山大学."""
    text = pattern(
        r"^[^，]{0,8}?(?:说)?[那这它]?(?:是在|应该是|其实是|实为|应为|更为|是|在|叫)(?=.)"
    ).sub("", tidy(text))
    return _core(pattern(r"[，,].*$").sub("", text))


def is_slip(text: str) -> bool:
    """Whether a clause is nothing but 说错了 or 哦不."""
    return bool(
        pattern(
            rf"^(?:不好意思|抱歉|对不起|等下|等会|等一下|啊|哦|诶|欸|噢|唉|哎呀?"
            rf"|嗯)*[，, ]?(?:我)?(?:一直)?(?:{_SLIP}|不|不是)[了啊呀，,。！! 、…]*$"
        ).match(text)
    )


def _core(text: str) -> str:
    return pattern(r"^(?:应该|其实|而)?(?:是|在|叫)(?=.)").sub("", text.strip(" ，,。"))


_DIGITS = "0-9"
_CHINESE = "零一二两三四五六七八九十百千万"
_SHAPES = (
    r"[上下]*(?:下|上|这|本)?(?:下)?(?:周|星期|礼拜)[一二三四五六日天末]",
    rf"(?:农历|阴历)?[正腊冬{_CHINESE}{_DIGITS}]+月(?:初|廿)?[{_CHINESE}{_DIGITS}]+[日号]?",
    rf"初[{_CHINESE}]",
    rf"[{_DIGITS}]+[:：][{_DIGITS}]+",
    r"属[鼠牛虎兔龙蛇马羊猴鸡狗猪]",
    (
        rf"[{_DIGITS}{_CHINESE}.]+(?:多)?(?:岁|栋|号楼|单元|楼|层|室|块|元|万|分|斤|公斤"
        rf"|个人|个月|个|点半?|年级|年|号|日|月|周|天|小时|分钟|米|平|度|期|班|路|次|人"
        rf"|只|条|头|口|匹|棵|桌|盒|瓶|杯|本|支|颗|台|辆|套|间|家|份|节|门|公里|mg|毫克|微克|片|%)"
    ),
    rf"[{_DIGITS}]+(?:\.[{_DIGITS}]+)?",
    rf"[{_CHINESE}]{{2,}}",
)


def replaced(earlier: str, correction: Correction) -> tuple[str, str] | None:
    """`earlier` with the right words in the place of the wrong ones, and those; None if there is
    no place for them."""
    right, wrong = correction
    right = pattern(r"(?:了|才对|哈|的)$").sub("", pattern(r"[，,].*$").sub("", right))
    if wrong and wrong in earlier:
        return earlier.replace(wrong, right, 1), wrong
    shorter = pattern(rf"初[{_CHINESE}]$").search(right)
    if shorter and earlier.endswith(shorter[0]) and right != shorter[0]:
        return earlier[: -len(shorter[0])] + right, shorter[0]
    if moved := _at_another_hour(earlier, right):
        return moved
    for shape in _SHAPES:
        new = pattern(shape).match(right)
        if not new:
            continue
        found = list(pattern(shape).finditer(earlier))
        same = [one for one in found if _unit(one[0]) == _unit(new[0])] or (
            found if _unit(new[0]) == "" else []
        )
        if same and (wrong == "" or wrong in same[0][0]):
            old = same[-1]
            return earlier[: old.start()] + new[0] + earlier[old.end() :], old[0]
        if not found and _unit(new[0]) == "":
            continue
    bare = pattern(rf"^[{_DIGITS}]+$").match(right)
    if bare and (last := list(pattern(rf"[{_DIGITS}]+").finditer(earlier))):
        old = last[-1]
        return earlier[: old.start()] + right + earlier[old.end() :], old[0]
    return None


def _at_another_hour(earlier: str, right: str) -> tuple[str, str] | None:
    """是四点, of what was said for three and is kept as 15:00."""
    clock = pattern(r"(?<![0-9])([0-9]{1,2}):([0-9]{2})(?![0-9])").search(earlier)
    said = pattern(
        r"^(?:上午|下午|晚上|早上|中午)?(?P<h>[0-9]{1,2}|[一二两三四五六七八九]|十[一二]?)点(?P<m>半)?钟?$"
    ).match(right)
    if not clock or not said:
        return None
    hour = (
        int(said["h"])
        if said["h"].isdigit()
        else "零一二三四五六七八九十".find(said["h"].replace("两", "二"))
    )
    hour = hour if hour >= 0 else 10 + "零一二".find(said["h"][1])
    if hour < 12 <= int(clock[1]):
        hour += 12
    return earlier.replace(clock[0], f"{hour:02d}:{'30' if said['m'] else '00'}", 1), clock[0]


def _unit(word: str) -> str:
    for kind in "周星礼属":
        if kind in word:
            return kind
    word = word.replace("初", "").replace("廿", "").replace("农历", "").replace("阴历", "")
    return pattern(rf"[{_DIGITS}{_CHINESE}.]+").sub("", word)
