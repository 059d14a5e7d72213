"""What is over and what has taken its place: 不喝咖啡了, 舍曲林停了, 换成, 搬到, 改到周四.

`change_of` looks at a clause that was already written in the third person and says how it bears on
what was known before: the act, the words for the old thing, and a sentence with the new truth.
"""

from __future__ import annotations

from typing import NamedTuple

from loxodon.write.statements import Act
from loxodon.write.zh.about_self import CITIES
from loxodon.write.zh.clean import HAN
from loxodon.write.zh.leaving import (
    finished,
    known_as,
    recovered,
    same_deed,
    stops_medicine,
    topic_of_change,
)
from loxodon.write.zh.person import Clause
from loxodon.write.zh.syntax import ends_in_noun, is_noun, noun_head
from loxodon.write.zh.third import SHORT, long_relations
from loxodon.write.zh.words import FAMILY, NO_LONGER, POSSESSIONS, alternatives, pattern


class Change(NamedTuple):
    act: Act = "state"
    content: str = ""
    over: tuple[str, ...] = ()
    attribute: str = ""
    value: str = ""
    positive: bool = True
    of_user: bool = False
    """Whether it bears on what is known of the user, though another does it."""


_THING = rf"[{HAN}A-Za-z0-9+ .-]"
_ADVERB = (
    "(?:已经|早就|早|现在|目前|也|都|就|全|昨天|今天|前天|上周|上个月|上月|去年"
    "|今年|最近|终于|刚|刚刚|后来|暂时|彻底|真的?|又|全都|正式)*"
)

GIVEN_UP = (
    "停 退订 退 取消 卖 注销 卸载 戒 断 推翻 扔 删 放弃 出 退掉 停"
    "掉 卖掉 pass 否 清 清仓 抛 割 戒掉 断掉 解除 终止 中止 撤销 删"
    "除 送人 处理 撤 停用 弃用 废弃 退租 退保 退出 弃 摘 置换 退坑 弃坑 脱坑 辞 辞退 推 推掉 搁置 砍 砍掉 拉黑 卸 断供"
)
"""What one does to a thing one is done with."""
GONE = (
    "退费 转让 解散 下线 停更 黄 倒闭 结束 散 掰 吹 没 丢 坏 报废 作"
    "废 过期 到期 跑路 关门 停业 飞跑 跑丢 走丢 摔碎 摔碎屏 泡"
    "汤 凉 崩 解体 停办 关停 关 拆 掉 死 凉凉 出手 转手 回血 被偷 被拒 被毙 被否 被取消 被叫停 被砍"
    " 被封 被收走 阵亡 退役 罢工 下市 断货 停产 拒签 告吹 易主 送走 拒 毙 没影 没戏 没下文 没成 落空 流产 停摆 停播 停刊 鸽 泡了 关张 闭店 撤店"
    " 散伙 散场 过世 毁约 爽约 违约 撤销 无效 失效 失败"
)
"""What a thing does that is over."""
_HABITUAL = "喝吃抽跑住在用做玩学看听养开写打骑坐练订买追刷带教送卖种信爱喜怕"
_DIED = r"(?:去世|过世|离世|病逝|走了|死了|没了|不在了|牺牲|往生|飞跑了|跑丢了|走丢了|安乐死)"


_LEFT_WORK = (
    r"(?:辞职|离职|裸辞|(?<!不)辞了|被[^，]{0,6}?(?:裁|优化|辞退|开除|炒)|失业|下岗|提离职)"
)
_PARTED = r"(?:分手|离婚|离了|掰了|分了|分开|断交|绝交|拉黑|散伙|拆伙)"


def change_of(clause: Clause) -> Change:
    """How a clause bears on what was so before."""
    for look in (
        _forgotten,
        _dead,
        _departed,
        _parted,
        _left_work,
        _healed,
        _stopped,
        _over_by_grammar,
        _fronted,
        _given_up,
        _changed,
        _opposite,
    ):
        if found := look(clause):
            return found
    return Change()


_HANDLE = (
    r"(?<=.{2})的?(?:位置|职务|职位|位子|资格|身份|名额|账号|账户|[那这][套个台辆家份边趟张次场部门]|[那这]件?事[儿情]?)$"
    r"|^[那这](?:一)?[张台辆只条部本家份套间趟款双件把块场次门节位个](?=.{2})"
)
"""What is put around a thing to take hold of it: 队长的位置, Python的那套, 那张游泳卡."""
_DEED_OF = {
    "跑步": "跑", "抽烟": "抽", "喝酒": "酒", "博士": "读博", "画画": "画", "唱歌": "唱", "打球": "球",
    "健身": "健身房", "阿姨": "保姆", "保姆": "阿姨", "减肥": "减脂", "牙套": "正畸", "弹琴": "琴",
}  # fmt: skip
"""The word by which a deed or a helper may have been spoken of before."""


def _end(content: str, *over: str, attribute: str = "", value: str = "") -> Change:
    bare = (pattern(_HANDLE).sub("", word.strip(" 的了，")) for word in over)
    words = [word for word in bare if word]
    words += [_DEED_OF[word] for word in words if word in _DEED_OF]
    return Change("end", content, tuple(dict.fromkeys(words)), attribute, value, False)


def _forgotten(clause: Clause) -> Change | None:
    found = pattern(
        rf"(?:别再提|不要再提|忘了|忘掉|别记)(?P<o>{_THING}{{1,10}}?)(?:了|吧|这事)?$"
    ).search(clause.predicate)
    if found and "忘了" not in found[0][:2]:
        return _end(f"用户不想再提{found['o']}", found["o"])
    return None


_REPLACEABLE = (
    "室友",
    "教练",
    "健身教练",
    "房东",
    "邻居",
    "保姆",
    "主唱",
    "同桌",
    "医生",
    "鼓手",
    "贝斯手",
    "合伙人",
)


def _dead(clause: Clause) -> Change | None:
    who = clause.who
    titled = pattern(r"(?:医生|大夫|老师|教练|经理|主任|阿姨)$").search(who.name)
    if (titled or who.relation in _REPLACEABLE) and pattern(
        r"^[^，]{0,4}(?:退休|离职|辞职|调走|走|搬走|搬出去|回国|跳槽|跑|退队|辞工)了"
    ).match(clause.predicate):
        surname = f"姓{who.name[0]}" if titled and len(who.name) > 2 else ""
        return _end(clause.content, who.name or who.relation, surname)
    if who.gender == "it" and pattern(
        r"^[^，]{0,6}(?:(?:送|让|转|过继|寄养)给|送(?:到|去|回)?[^，]{1,8}(?:养|那儿?|家)了?$|送人|送走|送养|卖了|丢了|跑了|找不到了)"
    ).match(clause.predicate):
        return _end(clause.content, who.name or who.relation)
    if who.key == "user" or not pattern(_DIED).search(clause.predicate):
        return None
    gone = pattern(r"走了|没了|不在了").search(clause.predicate)
    if pattern("能|会|可以|先|要|想|自己|慢慢|学|[家店国厂司]走").search(clause.predicate):
        return None
    close = who.gender == "it" or who.relation not in (
        "",
        "同事",
        "老板",
        "朋友",
        "室友",
        "客户",
        "组长",
    )
    if gone and not (
        close and pattern(rf"^[{HAN}]{{0,6}}(?:走了|没了|不在了)$").match(clause.predicate)
    ):
        return None
    return _end(clause.content, who.name or who.relation)


_HELD = (
    "教练 私教 老板 领导 经理 主管 组长 老大 导师 班主任 老师 医生 室友 合租 保姆 阿姨 主唱 鼓手 贝斯 带 房东 "
    "对接 家教 助理 店长 队长 leader 同桌 合伙"
)


def _departed(clause: Clause) -> Change | None:
    """阿强离职了: whatever he was to the user in some place, he is no longer; a friend he stays."""
    who = clause.who
    if who.key == "user" or who.relation in FAMILY or not (who.name or who.relation):
        return None
    if not pattern(
        r"^[^，不]{0,6}(?:退休|离职|辞职|辞|调走|调离|走|搬走|搬出去|搬家|回国|跳槽|跑路|退队|辞工|不干|不做|不教"
        r"|不带|被裁|转行|高升|毕业|退出|出国|休产假|生孩子去|退)了"
    ).match(clause.predicate):
        return None
    name = who.name or who.relation
    over = [f"{role}的{name}" for role in _HELD.split()]
    if titled := pattern(rf"^([{HAN}])(?:阿姨|老师|医生|教练|姐|哥|总|师傅|经理)$").match(name):
        over.append(f"姓{titled[1]}")
    return Change("end", clause.content, tuple(over), positive=False, of_user=True)


def _parted(clause: Clause) -> Change | None:
    if not (found := pattern(_PARTED).search(clause.predicate)) or noun_head(clause.predicate):
        return None
    if pattern(
        r"闹离婚|(?:我|还|都|很|一直|^)想离婚|要离婚|(?:我|还|都|很|一直|^)想分手|闹分手"
        r"|没离|不离|差点"
    ).search(clause.predicate):
        return None
    if pattern("^前|男朋友|女朋友|对象").search(clause.who.relation):
        ex = clause.who.display.removeprefix("用户的")
        return _end(
            f"用户和{ex}{clause.predicate}",
            clause.who.name,
            attribute="marital_status",
            value=found[0],
        )
    if clause.who.key != "user":
        return Change(
            "change", clause.content, (), "marital_status", "离婚" if "离" in found[0] else "分手"
        )
    other = pattern(
        rf"(?:和|跟|与|同)(?P<o>[{HAN}A-Za-z]{{1,8}}?)(?:的)?(?:已经|刚|上周|昨天|今天"
        rf"|彻底)?(?:{_PARTED})"
    ).search(clause.content)
    value = "离婚" if "离" in found[0] else "分手"
    return _end(
        clause.content,
        other["o"] if other else "",
        "男朋友",
        "女朋友",
        "对象",
        *(("老公", "老婆", "丈夫", "妻子", "爱人") if value == "离婚" else ()),
        attribute="marital_status",
        value=value,
    )


def _left_work(clause: Clause) -> Change | None:
    found = pattern(_LEFT_WORK).search(clause.predicate)
    if not found or pattern(
        rf"(?:打算|准备|想|要|会|考虑|计划|决定|月底?就?|就){_ADVERB}(?:辞职|离职|裸辞)|提离职流程"
    ).search(clause.predicate):
        return None
    if not pattern(r"了|的|已经|被|中|过").search(clause.predicate):
        return None
    org = pattern(rf"从(?P<o>{_THING}{{2,10}}?)(?:里|那边|这边)?(?:{_LEFT_WORK})").search(
        clause.predicate
    ) or pattern(rf"(?P<o>{_THING}{{2,10}}?)(?:也|已经|那边|这边)?(?:{_LEFT_WORK})").match(
        clause.predicate
    )
    old = (
        org["o"]
        if org
        and not pattern(r"上|去|今|昨|前|刚|已|现|最近|月|年|周|我|用户|也|又|终于").match(org["o"])
        else ""
    )
    content = clause.content
    if old and f"从{old}" not in content:
        content = f"{clause.who.display}从{old}离职了"
    return _end(content, old or "公司", attribute="employer", value=old)


def _healed(clause: Clause) -> Change | None:
    """脂肪肝没了, 没有甲亢, 药停了: what one had, or took for it, is over."""
    if pattern(r"(?:还|都|一直)没好|没好了?$").search(clause.predicate):
        return None
    if illness := recovered(clause.predicate):
        return _end(clause.content, illness, attribute="condition", value=illness)
    drug = stops_medicine(clause.predicate)
    if not drug:
        return None
    named = (drug,) if drug != "药" else ()
    return _end(clause.content, *named, attribute="medication", value="".join(named))


_CANNOT = (
    r"[回干走爬跑吃喝睡坐站拿搬买写读学待呆挤赶追抢扛忍熬撑带教管玩打看听想记认找得养做停改进出说修]"
    r"不(?:动|去|来|了|下|上|起|住|成|完|出|开|掉|惯|进|着|回|过)"
)


def _stopped(clause: Clause) -> Change | None:
    """不喝咖啡了, 不在云帆了, 再也不吃榴莲了, 看不了恐怖片了."""
    quit = pattern(rf"^(?:[^，戒]{{0,6}})戒掉?了?(?P<o>{_THING}{{1,6}}?)了(?:，|$)").match(
        clause.predicate
    )
    if quit and not quit["o"].startswith(("烟", "酒", "糖")):
        return _end(clause.content, quit["o"])
    if cannot := pattern(rf"[看吃喝玩听做跑打]不了(?P<o>{_THING}{{1,8}}?)了(?:，|$)").search(
        clause.predicate
    ):
        return _end(clause.content, cannot["o"])
    if left := pattern(
        rf"从(?P<o>{_THING}{{2,10}}?)(?:里|那边|那儿)?(?:接回来|接出来|接回家|接走|转出来|拿回来|搬?出来|搬走|搬出去?|离开|走|润|跑路|撤|退出"
        rf"|退下来|下来|逃离|毕业)了|(?:逃离|搬离|撤离|脱离)了?(?P<p>{_THING}{{2,8}}?)(?:了|，|$)"
    ).search(clause.predicate):
        return _end(clause.content, left["o"] or left["p"])
    if pattern(_CANNOT).search(clause.predicate):  # 回不去了, 干不动了: nothing was given up
        return None
    found = pattern(
        rf"^(?P<lead>[^，不]{{0,8}}?)(?:再也|以后|现在|已经|都|就"
        rf"|也)*不(?:再)?(?P<want>想|用|敢|能|打算|准备"
        rf"|需要)?(?P<v>喜欢|习惯|参加|[{HAN}])(?P<o>{_THING}{{0,12}}?)了(?P<tail>，.*)?$"
    ).match(clause.predicate)
    if (
        not found
        or found["v"] in "行了过到见错对好少止得起是知户"
        or pattern(r"受不了|忍不了|来不及|不行了|差不多").search(clause.predicate)
    ):
        return None
    lead, verb, thing, tail = (
        found["lead"].strip("，, "),
        found["v"],
        found["o"],
        found["tail"] or "",
    )
    want = found["want"] or ""
    if thing.endswith("破") or "规矩" in thing:
        return None
    if pattern(r"(?:得|很|太|挺|吃|睡|走|动|跑|看|听|找|买|说|做|喝)$").search(
        lead
    ):  # 吃不下了: cannot
        return None
    topic = ""
    thing = thing.strip()
    if found := pattern(r"^(?:[^，]{0,4})(?:决定|打算|准备|想好)(?:以后)?$").match(lead):
        lead = found[0]
    elif lead and not pattern(
        r"今|明|昨|最近|以后|现在|从|后来|终于|真|其实|酒店的话|我|用户"
    ).match(lead):
        topic = pattern(
            r"(?:那边|那里|那个|那家|那份|这边|就|也|都|已经|的话|基本|几乎|彻底|完全|暂时|早就)+$"
        ).sub("", lead)
        lead = ""
    over = thing or topic
    if not over and not pattern("去|干|做|辞|结|住").match(verb):
        return None
    spoken = f"不{want}{verb}{thing or ''}{topic if not thing else ''}了"
    if verb in _HABITUAL and not want and verb not in "住在":
        spoken = f"不再{verb}{thing or topic}"
    if topic and thing:
        spoken = f"{topic}{spoken}"
    attribute = {"在": "employer", "住": "home"}.get(verb, "")
    if verb == "在" and over in CITIES.split():
        attribute = "home"
    if len(thing) == 1 or (want in ("用", "需要") and thing):
        over = f"{verb}{thing}"  # 跑步, 异地, 戴眼镜: the verb is part of the thing
    over_words = (
        (over, topic)
        if over
        else ({"辞": "辞职", "结": "结婚", "干": "工作", "去": "", "住": ""}.get(verb, ""),)
    )
    if verb == "辞":
        spoken = "不辞职了"
    return _end(
        f"{clause.who.display}{lead}{spoken}{tail}",
        *over_words,
        attribute=attribute,
        value=over if attribute else "",
    )


_OWNED = tuple(word for word in POSSESSIONS.split() if len(word) > 1)
_MEASURED = r"^[那这](?:一)?[张台辆只条部本家份套间趟款双件把块场次门节位个](?=.)"


def what_is_over(text: str) -> tuple[str, str, str] | None:
    """The thing that a clause opens with, what became of it, and the rest: 奶茶店|关了|，…."""
    told = pattern(
        rf"^(?P<t>[^，]{{1,16}}?)(?P<v>(?:被[^，]{{0,6}}?)?(?:{alternatives(GIVEN_UP)}|{alternatives(GONE)})(?:了吧?|掉了?))(?P<rest>(?:，.*)?)$"
    ).match(text)
    if not told:
        return None
    start, verb = told["t"], told["v"]
    if pattern("(?:快要?|就要|即将|马上要?|差点|可能|应该|没|不|想|要|打算|准备)$").search(start):
        return None
    adverbs = pattern(rf"{_ADVERB}$").search(start)
    cuts = (len(start), adverbs.start() if adverbs else 0)
    for cut in cuts:
        thing = pattern(_HANDLE).sub("", pattern(_MEASURED).sub("", start[:cut].lstrip("的")))
        named = is_noun(thing) or ends_in_noun(thing) or thing.endswith(_OWNED)
        if (
            thing
            and named
            and not pattern("[我你他她]|用户|^[把被给跟和在没不又都也就从对]").search(thing)
        ):
            return thing, start[cut:] + verb, told["rest"]
    return None


def _over_by_grammar(clause: Clause) -> Change | None:
    """奶茶店上个月关了, 成都那趟取消了: any noun, and that it is no more."""
    if (
        clause.explicit
        and clause.content != f"用户的{clause.predicate}"
        and clause.who.key != "user"
    ):
        return None
    found = what_is_over(clause.predicate)
    if not found or not clause.content.endswith(clause.predicate):
        return None
    thing, verb, rest = found
    given = pattern(rf"^(?P<a>{_ADVERB})(?P<v>{alternatives(GIVEN_UP)})(?:了|掉了?)$").match(verb)
    if given:
        return _end(
            f"{clause.who.display}{given['a']}{given['v'].removesuffix('掉')}了{thing}{rest}", thing
        )
    return _end(f"{clause.who.display}的{thing}{verb}{rest}", thing)


def _fronted(clause: Clause) -> Change | None:
    """舍曲林停了, 爱奇艺退订了, 全马计划取消: the thing first, then what became of it."""
    verbs = alternatives(GIVEN_UP)
    found = pattern(
        rf"^(?P<t>{_THING}{{1,12}}?)(?P<adv>{_ADVERB})(?P<v>{verbs})(?P<done>了|掉|掉了"
        rf"|成功)?(?P<rest>，.*)?$"
    ).match(clause.predicate)
    if (
        found
        and not pattern(
            r"(?:快|快要|就要|即将|马上|差点)$|[了才就]|^(?:被|我|用户|已|终|没|不|要|想|打算|准备|能|会|该|又|就|全都|都|也|医生|跟"
            r"|和|给|申请|提前|刚|上|下|昨|今|每|天天|在)|把|[还付结交理弄]$"
        ).search(found["t"])
        and (found["done"] or found["v"].endswith("掉") or found["v"] in ("取消", "退订"))
    ):
        if found["t"].endswith(("那边", "那里")):
            return _end(
                f"{clause.who.display}的{found['t'][:-2]}{found['v']}了{found['rest'] or ''}",
                found["t"][:-2],
            )
        thing = (
            pattern(r"(?:那套|那个|那边|那辆|那台|那家|计划|账号)$").sub("", found["t"])
            or found["t"]
        )
        verb = found["v"].removesuffix("掉")
        return _end(
            f"{clause.who.display}{found['adv']}{verb}了{found['t'].lstrip('的')}{found['rest'] or ''}",
            thing,
        )
    if found := pattern(
        rf"^(?P<t>{_THING}{{2,10}}?){_ADVERB}(?:(?:送|让|转|捐|过户|留)给[^，]{{1,8}}?(?:了|养)"
        rf"|给(?:用户的)?(?:{long_relations()}|[{SHORT}])了)"
    ).match(clause.predicate.removeprefix("把")):
        return _end(clause.content, found["t"])
    gone = alternatives(GONE)
    found = pattern(
        rf"^(?P<t>{_THING}{{2,10}}?)(?:那边|那里)?{_ADVERB}(?P<v>{gone}|停)(?:了|掉了)(?:，.*)?$"
    ).match(clause.predicate)
    if found and not pattern(
        r"^(?:把|被|我|用户|已|没|不|要|想|刚|上|下|昨|今|就|都|也|全)|(?:快|快要|就要|即将|马上|差点)$"
    ).search(found["t"]):
        subject = clause.who.display
        own = clause.content if clause.explicit else f"{subject}的{clause.predicate}"
        thing = pattern(r"^[^，]{0,6}?(?:发现|显示|查出|测出)").sub("", found["t"])
        return _end(own, thing)
    found = pattern(
        rf"^(?P<t>{_THING}{{2,10}}?)把(?P<o>{_THING}{{1,10}}?)(?:撤|取消|停|退|收回|砍)(?:了|掉)"
    ).match(clause.predicate)
    if found:
        return _end(clause.content, found["t"] + found["o"], found["t"], found["o"])
    return None


def _given_up(clause: Clause) -> Change | None:
    """卖了燕郊那套, 戒了烟, 退出乐队, 退队了, 最后没买特斯拉."""
    if after_all := pattern(
        rf"(?:最后|最终|还是|结果|后来)?没有?(?:买|去|考|报|参加|学|换|选|租|辞)(?!过)(?:成)?(?P<o>{_THING}{{2,10}}?)(?:，|$)"
    ).match(clause.predicate):
        wished = ("打算", "准备", "考虑", "想", "计划", "可能")
        return _end(clause.content, *(f"{sign}的{after_all['o']}" for sign in wished))
    found = pattern(
        rf"^{_ADVERB}(?:把)?(?P<v>辞掉?|退订|退出|退掉?|取消|卖掉?|注销|卸载|戒掉?|停掉?|放弃"
        rf"|推翻|退群|退队|退社|退学|退租|断了|停用|告别|不干|拉黑"
        rf"|离开|[推甩扔丢关拆]掉)(?:了|(?<=[掉出弃别订消销开]))(?P<o>{_THING}{{1,14}}?)(?:了|那套|那个)?(?:，.*)?$"
    ).match(clause.predicate)
    if (
        found
        and found["v"] not in ("断了",)
        and not pattern(r"[0-9一二两三四五六七八九十几半]+(?:个|年|天|月|次|万|斤|杯|单|块)").match(
            found["o"]
        )
    ):
        return _end(clause.content, found["o"])
    found = pattern(
        rf"^(?:跟|和|与)(?P<o>{_THING}{{2,10}}?)(?:的)?(?:合同|合约|合作)?(?:到期"
        rf"|期满)?(?:没|不|未)(?:再)?续"
    ).match(clause.predicate)
    if found:
        return _end(clause.content, found["o"])
    found = pattern(rf"不用(?:用户|我)(?P<v>{_THING}{{1,6}}?)了$").search(clause.predicate)
    if found:
        return _end(clause.content, found["v"])
    found = pattern(
        rf"^(?P<a>{_ADVERB})(?:改掉了|把)(?P<o>{_THING}{{1,12}}?)(?:都|全|也|已经)*(?:(?:卖|退|停|戒"
        rf"|取消|注销|卸载?|扔|删|送|关|转|让|借|捐|辞|撤|拆|推|拒|砍|清|割|丢|弄丢|出手?|盘|处理"
        rf"|退租)(?:给[^，]{{1,8}}?|出去|走|人|让)?(?:了|掉)|的习惯)"
    ).match(clause.predicate)
    if found:
        return _end(clause.content, found["o"])
    found = pattern(
        r"(?P<v>退队|退群|退社|退学|戒烟|戒酒|戒糖|断药|停药|退赛|停课|退房|关店"
        r"|停播)(?:了|成功|(?:满|有|快)?[0-9一二两三四五六七八九十百千半几]+个?(?:天|年|月"
        r"|周))"
    ).search(clause.predicate)
    if found:
        nouns = {
            "戒烟": ("抽烟", "吸烟", "抽"),
            "戒酒": ("喝酒",),
            "退队": ("乐队", "球队", "队", "主唱"),
            "退学": ("读",),
            "停药": ("吃药",),
            "关店": ("店",),
        }
        return _end(
            clause.content,
            *nouns.get(found["v"], (found["v"][-1],)),
            *((clause.who.name,) if clause.who.name else ()),
        )
    found = pattern(
        rf"(?P<o>烟|酒|奶茶|咖啡|糖|海鲜|啤酒|游戏|[{HAN}]{{1,6}})(?:全|真|都|也|已经"
        rf"|彻底)*(?:戒|断)(?:了|掉)"
    ).search(clause.predicate)
    if found:
        things = pattern(r"海鲜|啤酒|白酒|烟|酒|奶茶|咖啡|糖|游戏").findall(found["o"]) or [
            found["o"]
        ]
        return _end(clause.content, *things)
    return None


_TIME = (
    r"(?:[0-9一二两三四五六七八九十]+[点月号日]|周[一二三四五六日天末]|星期|礼拜"
    r"|上午|下午|晚上|早上|明天|后天|下周|下个?月)"
)


_AS_OF_NOW = r"^(?:(?:现在|目前|如今|已经)(?:只|就|都|改|不|全|没)|(?:以后|今后)[^，]{2})"


def _changed(clause: Clause) -> Change | None:
    """换成, 改到, 搬到, 跳槽, 升: something else from now on."""
    text = clause.predicate
    if guided := pattern(
        rf"^(?:现在|目前|如今)(?:改)?(?:跟着?|找的?是?|看的?是?|是)(?P<n>[{HAN}A-Za-z]{{1,4}}?)(?P<t>老师|教授|导师|教练|师傅|大夫|医生)"
    ).match(text):
        roles = {"教练": ("教练", "私教"), "大夫": ("主治", "医生是"), "医生": ("主治", "医生是")}
        return Change(
            "change", clause.content, roles.get(guided["t"], ("导师", "老师是", "师傅是"))
        )
    if role := pattern(rf"换(?:了|个|一个|位|掉)*(?P<r>{alternatives(_HELD)})(?:了|，|$)").search(
        text
    ):
        return Change("change", clause.content, (role["r"], *_ended_by(text)))
    if married := pattern(
        rf"^用户(?:和|跟|与)(?P<n>[{HAN}A-Za-z]{{2,6}}?)(?:上周|昨天|上个?月|刚|已经|正式)*(?:订婚|结婚|领证|领了证)"
    ).match(clause.content):
        kinds = ("女朋友", "男朋友", "对象", "相亲对象", "未婚夫", "未婚妻")
        return Change(
            "change", clause.content, (*(f"{kind}的{married['n']}" for kind in kinds), "单身")
        )
    moved = pattern(rf"^(?P<t>[店厂房班群]|{_THING}{{2,6}}?)(?:已经|也|刚)?(?:搬|迁)[到去]").match(
        text
    )
    if moved and is_noun(moved["t"]) and moved["t"] not in ("公司", "单位", "学校"):
        return Change("change", clause.content, (f"{moved['t']}的在", f"{moved['t']}在"))
    if pattern(
        r"^(?:就|又|直接|已经|现在|后来|都|最后|最终|干脆|只好|刚)*(?:改|换|转)(?![了善变天行学院账发载身让弯机动向移播基岗正个届换到成])[^了，]{2,8}了?(?:，|$)"
    ).match(text):
        return Change("change", clause.content, (*same_deed(text), *_ended_by(text)))
    if pattern(r"^(?:最后|最终|结果)(?:还是|我|就)*(?:选|去|定|送|买|报|上|签|用|租|找)").match(
        text
    ):
        return Change("change", clause.content, _ended_by(text))
    if (
        (head := noun_head(text))
        and pattern(_AS_OF_NOW).match(text[len(head) :])
        and clause.who.key == "user"
    ):
        return Change("change", clause.content, known_as(head))
    if found := pattern(
        rf"从(?P<a>(?:(?!开始|起|月|年|周){_THING}){{1,12}}?)(?:换|改|搬|转|迁移|迁|跳槽?|升级?|调整?|切换?|移)(?:到|成|去|为"
        rf"|用|了)+(?P<b>{_THING}{{1,14}}?)(?:了|，|$)"
    ).search(text):
        return Change("change", clause.content, known_as(found["a"]), "", found["b"])
    if found := pattern(
        rf"把(?P<a>{_THING}{{1,12}}?)(?:换|改|替换|用(?=[^，]{{1,10}}重))(?:成|为|到"
        rf"|了)*(?P<b>{_THING}{{1,14}}?)(?:了|，|$)"
    ).search(text):
        return Change("change", clause.content, known_as(found["a"]), "", found["b"])
    if topic := topic_of_change(text):
        dated = pattern(_TIME).search(topic[1])
        wished = pattern(
            r"(?:打算|想|准备|计划|要|考虑|可能)[^，]{0,4}(?:换|改|搬|转|升|调)"
        ).search(text)
        if not wished:
            return Change(
                "change", clause.content, known_as(topic[0]), "schedule" if dated else "", topic[1]
            )
    if now := pattern(
        rf"^(?:现在|目前|如今)(?P<t>{_THING}{{2,6}}?)(?:也|全|基本)*(?:都|只|就|一律)"
    ).match(text):
        topic_now = pattern("^(?:一点儿?|一口|一滴)(?=.)").sub("", now["t"])
        return Change("change", clause.content, known_as(topic_now) or (topic_now, "此前"))
    if now := pattern(
        rf"^(?:现在|目前|如今)(?:都|改|只|基本|就|还)*(?P<v>用|去|吃|喝|坐|骑|穿|跟|唱|演|打|弹|教|负责|主攻|从事)(?P<o>{_THING}{{2,12}}?)了?$"
    ).match(text):
        deed = (now["v"],) if len(now["v"]) > 1 or now["v"] in "骑唱演弹教" else ()
        return Change(
            "change", clause.content, (*deed, f"{now['v']}的{now['o'][-2:]}", *_ended_by(text))
        )
    if counted := pattern(
        rf"(?:现在|一共|总共|目前)[^，]{{0,6}}?[0-9一二两三四五六七八九十百]+(?P<m>[只个条口台辆套间家名位亩头])(?P<n>(?!小时|月|星期|钟头|礼拜|多月)[{HAN}]{{1,3}}?)了?$"
    ).search(text):
        return Change("change", clause.content, (counted["m"] + counted["n"],))
    if turned := pattern(
        rf"^(?P<t>{_THING}{{2,8}}?)(?:又|也|都|临时)*(?:改|换|变|调整|更新)了(?:，.*)?$"
    ).match(text):
        return Change("change", clause.content, known_as(turned["t"]))
    if liked := pattern(
        rf"(?:现在|其实|还是|反而)+[^，]{{0,2}}更喜欢[^，]{{1,8}}的(?P<n>[{HAN}]{{2,4}})$"
    ).search(text):
        return Change("change", clause.content, (f"喜欢的{liked['n']}",))
    if begun := pattern(r"开始(?P<v>[学练玩看读养种做追])").search(
        text
    ):  # one more, if not given up before
        return Change("change", clause.content, (f"不{begun['v']}", *_ended_by(text)))
    if over := same_deed(text):
        return Change("change", clause.content, over)
    if pattern(
        r"换成|换了(?![^，]{0,2}(?:次|回|遍))|改成|改(?=[用吃喝练买坐骑做学玩看叫名为到去投开打穿走住])|搬到|搬去|搬来|搬回|搬进"
        r"|搬完|跳槽|入职|转学|转到|转去|转行|转岗|转正|调到|调去|调走|(?<!小)升(?!级|学"
        r"|初|旗)|晋升|提拔|提的|提了.{0,3}(?:长|主任|经理|主管)|加到|涨到|降到|减到"
        r"|涨价|加薪|换到|切到|切换到|迁到|迁移到|推迟到|提前到|延期到|回归|升为|改主意"
        r"|去了|现在是|现在在(?!学|看|读|玩|追|做|准备|备|考|练|写|等|找|忙|想|吃|用|研究)|现在改|又改|又抽|又喝|现在用|现在开|现在骑|现在住|all in"
        r"|变更为|调任|重构成|重写成|改写成|改造成|派到|派去|外派|[瘦胖减降]到|最(?:喜欢|爱)(?=[^，]*了$)|现在[^，]{0,2}最(?:喜欢|爱)|现在[^，]{0,2}(?:支持|粉)|转粉|改粉|开始(?:开|用|吃|喝|跑|干|抽|坐|骑|走|住|穿|睡|早|去)|转(?=[A-Z做战型投学])|(?<![更交兑])换(?=[^了，个成到]{2,8}了)|每[^，]{1,6}只|携号转网|升级到|升级成|升级(?=[^，]{2,6}了)|爱上"
    ).search(text) and not pattern(
        r"(?:打算|想|准备|计划|要|可能|考虑|估计|明年|下个?月|如果)[^，]{0,6}(?:换|改|搬"
        r"|跳|转|升|去|调)"
    ).search(text):
        return Change("change", clause.content, _ended_by(text))
    if pattern(
        r"(?:现在|目前)[^，]{0,6}[0-9一二两三四五六七八九十百]+(?:个|人|块|元|万|斤|公斤"
        r"|度|%|平|单|级|段|星|微克|mg|片)[^，]{0,4}(?:了)?$|(?:现在"
        r"|目前)[^，]{0,4}(?:一小时|每小时|一节|一个月"
        r"|每月)[0-9一二两三四五六七八九十百千万]+$"
    ).search(text) and not pattern("岁|点|年了|个月了|天了|月[0-9]").search(text):
        return Change("change", clause.content)
    return None


def _opposite(clause: Clause) -> Change | None:
    if clause.who.key != "user" and pattern(
        r"^(?:已经)?(?:回|搬|去|住到)[^，]{0,8}(?:老家|家|国|走|出去|住)了"
    ).match(clause.predicate):
        shared = ("跟用户住", "一起住", "同住", "带娃", "带孩子", "带的孩子")
        return Change("change", clause.content, shared)
    if clause.who.key != "user" and pattern(
        r"^(?:[^，]{0,6})(?:来|搬来|搬到|到|住进|住到)了?用户(?:这|家|们)"
    ).match(clause.predicate):
        return Change("change", clause.content, ("老家", "在老家", "住在"))
    over = _ended_by(clause.predicate)
    return Change("change", clause.content, over) if over else None


def _ended_by(predicate: str) -> tuple[str, ...]:
    """What is no longer so once that has happened."""
    ended = list(finished(predicate))
    for sign, over in NO_LONGER.items():
        if sign in predicate and not pattern(
            rf"(?:打算|准备|想|要|没|还没|未|快|等|何时|申请)[^，]{{0,4}}{sign}(?!.*(?:通过|成功))"
        ).search(predicate):
            ended += over
    return tuple(dict.fromkeys(ended))


def is_negative(predicate: str) -> bool:
    """Whether a predicate denies: does not like, has no, does not eat."""
    return bool(
        pattern(
            r"^[^，]{0,8}?(?:(?<![差])不(?!错|仅|只|但|过|小心|得不|少|断|停|同|久|甘|爽|易"
            r"|安|对劲|动|耐受)|没有?(?!准|多久|想到|事)|从不|滴酒不沾|拒绝|讨厌"
            r"|(?<![特分区级性])别|未)"
        ).search(predicate)
    )
