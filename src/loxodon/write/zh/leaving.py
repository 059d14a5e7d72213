"""What a clause leaves behind: what was given away, got over, finished, or has another value now.

Each function looks at a predicate in plain words and gives the words by which the old thing may be
known. A phrase with 的 in it is known by all its parts: 打算的雅思 is any plan that has both words.
"""

from __future__ import annotations

from loxodon.write.zh.about_life import DRUGS, ILLNESSES
from loxodon.write.zh.clean import HAN
from loxodon.write.zh.syntax import noun_head
from loxodon.write.zh.words import BODY, pattern

_THING = rf"[{HAN}A-Za-z0-9+ .《》-]"
_BETWEEN = (
    "(?:已经|早就|现在|目前|也|都|就|全|昨天|今天|前天|上周|上个月|上月|去年|今年"
    "|最近|终于|刚刚?|后来|又|临时|总算|直接|正式|我|可能)*"
)
_INTO = (
    "(?:改名(?:叫|为|成)?|改签?(?:叫|去|到|成|为|在|至)|换(?:到|成|为|去|了)|变(?:成|为"
    "|更为)|升级?(?:到|成|为|至)|提[高升]?到|增加?到|减[少到]?到?|缩[短减]?到|推迟?到"
    "|延[期长后]?[到至]|提前到|顺延到|挪[到去]|调整?(?:到|成|为|去)|转[到成为去]|迁移?[到去]+"
    "|搬[到去]|[涨降跌掉长瘦胖砍压移切拖加砍]+(?:到|至)|定[在到为成]|[改换染变转调搬退]回|改(?=[用讲考打演唱投做学吃喝坐骑走跑练教卖种弹养穿看读报订]|[0-9一二三四五六七八九十]|周|星期|下周|明天|[0-9一二三四五六七八九十]+[点月号])"
    "|换(?=[^了，个成到去来]{2,8}了))(?:了)?"
)
_NOT_A_TOPIC = (
    r"^(?:用户|我|这学期|下学期|本学期|这周|这个月|现在|目前|已经|又|最近|今年|去年|上周|上个?月|刚|原来|后来|终于|每"
    r"|也|都|就|没|不|要|想|打算|准备|可能|应该|决定|从|把|被|给|跟|和|在|由|将|下|明|因为"
    r"|已|还|再|才|自己|一直|本来|搬|换|改|[0-9一二三四五六七八九十]+[月点号])"
)
_CONTAINERS = frozenset(
    "公司 单位 学校 家 家里 店 店里 部门 团队 孩子 工作 项目 人 生活 老家 我们 厂里 时间 名字".split()
)
"""Much can be said of these; that one thing of them has changed ends none of the rest."""
_ASPECT = r"(?:的?(?:时间|日期|日子|地点|计划|价格|名字|名|方案|安排|目标|数量|水平|那事|的事|比例|额度|利率|密码|大小|级别|品牌|牌子|型号|账号))$"
_SEEN = r"^[^，]{0,6}?(?:复查|体检|检查|化验|测|发现|显示|查出来?|医生说|结果|说是?)+(?=[^，]{2})"


def topic_of_change(predicate: str) -> tuple[str, str] | None:
    """What has another value, and the value: 血糖降到6.1了, 蜜月改去斐济了."""
    found = pattern(
        rf"^(?:现在|目前|这学期|今年|最近|已经|又)*(?P<t>{_THING}{{2,10}}?){_BETWEEN}{_INTO}"
        rf"(?P<v>[^，]{{1,20}}?)了?(?:，.*)?$"
    ).match(predicate) or pattern(
        rf"^(?:(?:现在|目前|如今)(?P<t>{_THING}{{2,8}}?)|(?P<u>{_THING}{{2,8}}?)(?:现在|目前|如今|已经))"
        rf"(?:是|叫|用的是?|在|有|只有)(?P<v>[^，]{{1,20}}?)了?(?:，.*)?$"
    ).match(predicate)
    if not found:
        return None
    topic = found["t"] or found["u"]
    if pattern(_NOT_A_TOPIC).match(topic):
        return None
    topic = pattern(_SEEN).sub("", topic).strip(" 的")
    topic = pattern(
        r"(?:[0-9]+年)?(?:[0-9]+月|下个?月|下周|这周|明年|今年|月底|年底|[上下]半年)$"
    ).sub("", topic)
    return (topic, found["v"]) if len(topic) > 1 else None


def known_as(topic: str) -> tuple[str, ...]:
    """The names by which a topic of a change may have been spoken of."""
    if topic in _CONTAINERS or pattern(rf"^[小老阿][{HAN}]$").match(topic):
        return ()  # that one thing of someone has changed ends none of the rest
    short = pattern(_ASPECT).sub("", topic).rpartition("的")[2]
    halves = f"{short[:2]}的{short[2:]}" if len(short) == 4 and not short.isascii() else ""
    return tuple(
        dict.fromkeys(
            word for word in (topic, short, halves) if len(word) > 1 and word not in _CONTAINERS
        )
    )


_UNDERWAY = "没有 没 不会 打算 准备 计划 报名 备考 想 在考 在学 在读 在追 在看 在写 在做 正在 在办 在等 申请".split()


def finished(predicate: str) -> tuple[str, ...]:
    """What was planned or under way, in a clause that says it is done: 小说写完了, 驾照到手了."""
    if paid := pattern(
        rf"^(?:[^，]{{0,8}}把)?(?P<t>{_THING}{{2,10}}?){_BETWEEN}(?:提前)?[还付结交][清完]了"
    ).match(predicate):
        debt = pattern(r"(?:提前)?(?:的[钱债款])?$").sub("", paid["t"])
        return (
            f"还的{debt}",
            f"欠的{debt}",
            f"{debt}的还",
            *((debt,) if debt.startswith("欠") else ()),
        )
    found = pattern(
        rf"^(?P<t>{_THING}{{2,12}}?){_BETWEEN}(?:(?P<v>写|考|读|看|追|学|做|办|装|修|拍|背|刷|翻译"
        rf"|录|还|弄|搞)(?:完|好|成)|到手|拿到手?|拿下|考过|考出来|[考办拿批]下来|批|下来|通过"
        rf"|结束)(?:了|啦)"
    ).match(predicate) or pattern(
        rf"^{_BETWEEN}(?P<v>写|考|读|看|追|学|做|办|装|修|拍|拿|通)(?:完|到|下|上|过|好)了?"
        rf"(?P<t>{_THING}{{2,12}}?)了?(?:，.*)?$"
    ).match(predicate)
    if not found or pattern(_NOT_A_TOPIC).match(found["t"]):
        return ()
    thing = pattern(r"(?<=.{2})(?:考试|证书|证|手续|项目|那个|的)$").sub("", found["t"])
    verb = found["v"] or ""
    ongoing = (*_UNDERWAY, f"在{verb}", f"要{verb}") if verb else _UNDERWAY
    return tuple(f"{sign}的{thing}" for sign in ongoing)


def recovered(predicate: str) -> str:
    """The illness that is over, or was none: 脂肪肝没了, 没有甲亢, 排除了哮喘."""
    found = pattern(
        rf"(?P<a>{ILLNESSES})(?:[^，不没]{{0,4}})(?:好了|没了|没有了|消失|痊愈|治好|治愈|康复|根治"
        rf"|转阴|恢复正常|正常了|不见了|排除|消了)|(?:没有|没得|不是|没查出|排除了?|治好了?"
        rf"|并非)(?P<b>{ILLNESSES})"
    ).search(predicate)
    return (found["a"] or found["b"]) if found else ""


def stops_medicine(predicate: str) -> str:
    """The drug that is no longer taken; 药 for all of them."""
    found = pattern(
        rf"(?P<a>{DRUGS}|药)(?:[^，]{{0,4}})(?:停了|停掉|断了|不吃了|不用吃了|不用打了|不打了)"
        rf"|(?:不用|不再|不)(?:再)?(?:吃|服|打)(?P<b>{DRUGS}|药)了|停药了?$"
    ).search(predicate)
    return (found["a"] or found["b"] or "药") if found else ""


_TAKEN_UP = "卖种教弹拉送播练骑坐投订写画拍修追听读跑住睡养讲考打演唱报"


def same_deed(predicate: str) -> tuple[str, ...]:
    """What is done otherwise from now on, by its verb: 改卖枇杷 ends 卖脐橙."""
    found = pattern(rf"(?:改|换)(?P<v>[{_TAKEN_UP}])(?!了|练|师|室|授|材)").search(predicate)
    return (found["v"],) if found else ()


_WORN = (
    r"太|不|没|坏|腻|吐|漂移|超|病|疼|痛|贵|卡|慢|掉|断|涨|满|难|累|吵|远|关|黄|拒|退|[搞弄整害]得|便秘|过敏|拉肚子|吃力"
    r"|费|闹|漏|裂|碎|老化|淘汰|过时|倒闭|搬|撤|鸽|抢|挤|差|烂|旧|脏|臭"
)
"""What is said of a thing that one is about to part with."""


def given_up_before(clause: str) -> str:
    """What the clause before a change is done with: 印象笔记 in 印象笔记太卡."""
    found = pattern(
        rf"^(?:我(?:的|们)?|那个?|原来的?|之前的?)?(?P<h>[A-Za-z][A-Za-z0-9.+ -]*[A-Za-z0-9+](?=[{HAN}])"
        rf"|(?:(?![不没我你他她了])[{HAN}A-Za-z0-9]){{2,8}}?)(?:那边|那个|这个|那套|那家)?(?:实在|真的?|总是?|一直"
        rf"|也|就|又|现在|已经|说|坑)*(?:(?<=[A-Za-z0-9])|太|不行|不好|不想|不用|坏|坚持不|走|停|卖|到期|跑|下市|卡|贵|慢|老是"
        rf"|用不|吃不|学不|受不了|没|离职|退|丢|摔|垮|倒|涨价|关|黄|掰|报废|pass|出了|吵|远|辞|被)"
    ).match(clause)
    if found and not pattern(_NOT_A_TOPIC).match(found["h"]):
        return found["h"].strip()
    head = noun_head(clause)
    if head and pattern(_WORN).search(clause[len(head) :]) and head not in BODY.split():
        return head
    used = pattern(rf"(?:喝|吃|用|穿|开|骑|玩|听|看)(?P<h>{_THING}{{2,6}}?)(?:{_WORN})").search(
        clause
    )
    if used:
        return used["h"]
    taken = pattern(rf"^我?们?把(?P<h>{_THING}{{2,6}}?)(?:给|剪|卖|退|停|拆|扔|换|送)").match(
        clause
    )
    return taken["h"] if taken else ""
