"""Two Chinese sentences of which the newer tells how the same thing is now.

`told_anew`: they are made alike, or measure alike, and differ in a value. `came_about`: what was
not so yet, or was planned, has happened. Both want a sentence that says so (现在, 了): two plain
sentences are two facts.
"""

from __future__ import annotations

import re
from functools import cache

from loxodon.text.similarity import gist
from loxodon.text.words import fold
from loxodon.types import Record
from loxodon.write.attributes import OF_THINGS
from loxodon.write.domains import domains_of
from loxodon.write.statements import USER, Statement

_MORE_OF = (
    "allergy condition medication language skill pet child sibling relative friend colleague "
    "likes dislikes avoids owns plays reads watches visited degree certificate project knows"
)
_GATHERED = frozenset(_MORE_OF.split())
"""Attributes of which one more is no other one."""


@cache
def _now() -> re.Pattern[str]:
    """That it is so now, whatever was so before."""
    return re.compile(
        "现在|目前|如今|最近|今年|这学期|这阵子|这个月|眼下|近来|从[^，]{1,10}(?:起|开始)|以后|今后"
    )


@cache
def _not_told() -> re.Pattern[str]:
    """What a Chinese sentence may have or not without saying anything else."""
    return re.compile(
        "^用户的?|现在|目前|如今|最近|今年|这学期|这个月|眼下|近来|已经|开始"
        "|改(?=[用吃喝坐骑穿做学玩看])|[又都就也还只才]|了$"
    )


_ONE_MORE = frozenset("有养买会交收认")
"""Verbs of which one more thing takes no other's place."""


def told_anew(statement: Statement, record: Record) -> bool:
    """Whether a Chinese sentence says how it is now, and a memory of the same made told otherwise:
    用户现在用Cursor写代码 and 用户用VSCode写代码, 最近能睡八个小时了 and 每天睡六个小时."""
    new, old = statement.content, record.content
    if not _han().search(new) or not _han().search(old):
        return False
    if statement.attribute in _GATHERED and "最" not in new:
        return False
    now = bool(_now().search(new)) or statement.act == "change"
    if (now or new.endswith("了")) and _in_other_numbers(new, old):
        return True
    habits = statement.attribute == record.attribute == "habit"
    if now and habits and domains_of(new) & domains_of(old):
        return True
    goals = statement.attribute == record.attribute == "goal"
    if goals and statement.act == "change" and _amounts(new).keys() & _amounts(old).keys():
        return True
    if statement.attribute not in OF_THINGS:
        new, old = of_nobody(new, statement.subject), of_nobody(old, statement.subject)
    return now and _made_alike(_not_told().sub("", new), _not_told().sub("", old))


def of_nobody(content: str, subject: str) -> str:
    """A Chinese sentence without the name of whom it is about: two sentences share that."""
    if subject == USER or subject.isascii():
        return content
    return re.sub(f"^(?:用户的)?[^，是在]{{0,3}}?{re.escape(subject)}", "", content)


@cache
def _awaited() -> re.Pattern[str]:
    """That something is not so yet, or about to be."""
    return re.compile(
        "还没|尚未|没有?(?=消息|结果|定|下来|到|办|找到|拿到|收到|通过|装)|在等|等着|等(?=[^，]{1,6}(?:结果|通知|消息|排期))|正在|还在|快要?[^，快]{1,4}了|快到期|待定|在谈|谈着"
    )


@cache
def _intended() -> re.Pattern[str]:
    return re.compile(
        "打算|准备|计划|考虑|想(?=[去买考换学做办报搬])|要(?=[去做买考办交换搬])|申请"
    )


@cache
def _done() -> re.Pattern[str]:
    return re.compile("[^不没要快，]{1,8}(?:了|过)(?:，|$)|成功|完成|搞定|到手|通过|结果是|确诊")


def came_about(statement: Statement, record: Record) -> bool:
    """Whether what a Chinese memory says is not so yet, or planned, has come about: 稿子被录用了,
    of what was 还没消息."""
    new, old = statement.content, record.content
    if not statement.positive or not _han().search(new) or not _done().search(new):
        return False
    if _awaited().search(new) or _intended().search(new):
        return False
    waits = _awaited().search(old)
    if not waits and not _intended().search(old):
        return False
    shared = _words(new) & _words(old)
    if waits and waits[0] in ("正在", "还在", "在谈"):
        return old[waits.end() : waits.end() + 2] in new
    if waits:
        return bool(shared)
    told = gist(_intended().sub("", old)).words - _COUNTING
    both = told & gist(new).words
    return bool(shared) and len(both) >= 3 and len(both) * 2 >= len(told)


def _words(text: str) -> set[str]:
    """The longer words of a Chinese sentence."""
    import rjieba

    return {word for word in rjieba.cut(text) if len(word) > 1} - _PLAIN_WORDS


_PLAIN = (
    "用户 现在 已经 还没 没有 最近 今年 目前 准备 打算 计划 公司 孩子 女儿 儿子 妈妈 爸爸 老公 "
    "老婆 老师 一个 自己 因为 上班 工作 时候 时间 可以 开始 每天 结果 消息 在等 正在 妹妹 弟弟 "
    "哥哥 姐姐 丈夫 妻子 奶奶 爷爷 朋友 同事 学校 家里 医院 医生"
)
_PLAIN_WORDS = frozenset(_PLAIN.split())


def _made_alike(one: str, other: str) -> bool:
    """Whether two sentences begin and end alike, with other words between."""
    shorter = min(len(one), len(other))
    ahead = next((n for n in range(shorter) if one[n] != other[n]), shorter)
    left = range(shorter - ahead)
    behind = next((n for n in left if one[-1 - n] != other[-1 - n] or one[-1 - n].isdigit()), 0)
    same = ahead + behind
    if not one or one[0] in _ONE_MORE or same == len(one) or same == len(other):
        return False
    if ahead >= 2 and one.startswith(_SLOTS):
        return True
    telling = set(one[:ahead] + one[len(one) - behind :]) - (_COUNTING - {"最"}) - _HOURS
    return ahead > 0 and len(telling) >= 3 and same * 2 >= shorter


_HOURS = frozenset("个小时钟分次公里点早晚上午下")
_TIMES = "睡前 早上 中午 晚上 周末 饭后 午休 下班后 早饭 午饭 晚饭 早餐 午餐 晚餐"
_SLOTS = tuple(_TIMES.split())
"""Times that one does one thing at: 睡前看书, 现在睡前刷手机."""


def _in_other_numbers(new: str, old: str) -> bool:
    """Whether two sentences measure the same thing, and find different numbers."""
    if _dated_zh().search(new) and not re.search("起|开始|现在", new):
        return False
    ours, theirs = _amounts(new), _amounts(_dated_zh().sub("", old))
    units = [unit for unit in ours.keys() & theirs.keys() if ours[unit] != theirs[unit]]
    if units and _BEST.search(new) and _BEST.search(old):
        return True
    one, other = (gist(text).words - _COUNTING - _NUMERALS for text in (new, old))
    for unit in units:
        told, known = one - set(unit), other - set(unit)
        if told & known and len(told & known) * 2 > min(len(told), len(known)):
            return True
    return False


_NUMERALS = frozenset("零一二两三四五六七八九十百千万半")
_BEST = re.compile("最好成绩|个人最佳|PB|最高纪录|最好的成绩|纪录是")
_COUNTING = frozenset("每天日周月年星期现最近今多共总只上下能大概差约名")


def _amounts(text: str) -> dict[str, str]:
    return {
        (match["unit"] or match["thing"] or "元").removeprefix("个"): match["n"] or match["sum"]
        for match in _amount().finditer(fold(text))
    }


@cache
def _amount() -> re.Pattern[str]:
    return re.compile(
        r"(?P<n>[0-9][0-9.]*|[零一二两三四五六七八九十百千万半]+)(?:多|来|几)?"
        r"(?:(?P<unit>个?(?:小时|钟头|分钟|公里|公斤|人(?!民)|岁|次|杯|块|元|万|字|分(?!之)|页|级|度|集|章|片|粒|斤|遍|节|篇|单|件|本|门|款|家"
        r"|桌|平米?|平方|米|亩|毫克|kg|km|mg|k|w|%|粉丝|段|星|组|瓶|支|根|包))|个(?P<thing>[\u4e00-\u9fff]{2}))"
        r"|(?P<sum>[一二两三四五六七八九十]+[千万百][一二两三四五六七八九]?|[0-9]{3,6})(?![年个月日号点:0-9])"
    )


@cache
def _han() -> re.Pattern[str]:
    return re.compile("[\u4e00-\u9fff]")


@cache
def _dated_zh() -> re.Pattern[str]:
    return re.compile(r"[0-9]{4}年(?:[0-9]{1,2}月)?(?:[0-9]{1,2}日)?|昨[天晚]|前天|上次|今[天早晚]")
