"""Bits that belong to the sentence before them, and are put to it."""

from __future__ import annotations

from loxodon.write.attributes import ATTRIBUTES
from loxodon.write.statements import USER, Fragment, Mention
from loxodon.write.zh.attributes import NOTHING, recognise
from loxodon.write.zh.beliefs import hedge_of
from loxodon.write.zh.changes import change_of
from loxodon.write.zh.context import left_behind
from loxodon.write.zh.people import THE_USER, Who, naming
from loxodon.write.zh.person import Clause, stands_alone
from loxodon.write.zh.phrasing import announced, polished
from loxodon.write.zh.reading import Reading, size
from loxodon.write.zh.sentence import is_sound, relabelled
from loxodon.write.zh.third import third_person
from loxodon.write.zh.words import pattern

_ANEW = r"^(?:现在|如今|目前|最后|最终|结果|后来|于是|所以|就|又|只好|干脆|直接)*(?:现在|改|换|转|还是|最后|最终|选|定|去了)"
"""A bit that tells how it is after what was said before it."""
_DEPENDS = (
    r"^(?:主要|专门|尤其|特别是|每[天周月年晚次隔个]|一[天周月年][^，]{1,6}次|[0-9一二两三四五六七八九十]+[块元万千百k]+[^，]{0,4}$|月费|年费)"
    r"(?!.*(?:上班|睡|起床|跑步|健身))"
)
"""How often, of what kind, for how much: said of what was told before it."""
_LONGEST = 70
"""A sentence takes no more bits after it than fit in this many characters."""
_TRIFLE = r"^.{1,4}都.{1,3}了$|对不住|对不起|[看记搞说](?:错|岔)了|^先.{1,2}着$|要命$"


URGED = (
    r"[^，]{0,4}(?:骂|逼|劝|催|训|念叨|拦|提醒|吓|批评|警告|勒令|押|盯|数落)(?:醒|住|着|了|过)*用户"
)
"""What makes the user change: whatever follows is what they do."""


def joins(
    reading: Reading, fragment: Fragment, text: str, bare: str, clause: Clause, strong: bool
) -> bool:
    """Whether a bit goes on with the sentence before it instead of being one."""
    if not reading.found or fragment.n - 1 not in reading.found[-1].fragments:
        return False
    last = reading.found[-1]
    if last.category == "temp" and last.act in ("change", "correct"):
        return False
    if (
        clause.who is THE_USER
        and last.subject != USER
        and pattern(f"[^，]*?{URGED}").match(last.content)
    ):
        return False
    if len(last.content) + len(bare) > _LONGEST or pattern(r"[。！!\n]\s*$").search(
        reading.said.fragments[fragment.n - 1].text
    ):
        return False
    meant = pattern(r"(?<![其吉伐排维])[他她它](?!们|人|乡|国|汀)").search(bare)
    if meant and meant.start() and reading.scene.meant_by(meant[0]) == reading.scene.running:
        return False  # 十三岁，每天遛它: who does it is another
    if pattern(r"^(?:主要是|因为|毕竟|由于|图的?是|就是因为|谁让)").match(text):
        return last.act != "end"
    if pattern(
        r"(?:定|定下来|出来|改|变|调整?|换|换[\u4e00-\u9fff]{1,3}|选好|想好|取好名字|有结果)了$"
    ).search(last.content):
        return not clause.explicit
    if pattern(r"^(?:叫|名叫|名字叫|取名)").match(bare):
        return last.attribute not in ("name", "age") and reading.scene.running.gender != "it"
    if pattern(r"^(?:换|让|由|不用)(?:我|他|她)").match(bare):
        return True
    if pattern(r"^(?:就)?住").match(bare) and pattern(
        r"出差|旅游|旅行|去[^，]{1,6}玩|度假|开会|比赛|培训|周末"
    ).search(last.content):
        return True  # where one stays on a journey is not where one lives
    if _leans_back(bare) or (not clause.explicit and _is_of_a_thing(last.content, bare)):
        return True
    if clause.explicit and (size(clause.predicate) > 2 or clause.who is THE_USER):
        return False
    if "截止" in bare[:2] or pattern(r"^(?:不|也|都|很|最)?(?:喜欢|想要|不要|愿意|同意)$").match(
        clause.predicate
    ):
        return True
    if pattern(r"^(?:就)?在[^，]{2,12}$").match(bare) and _is_a_place(bare):
        return last.attribute not in ("name", "age", "zodiac", "hometown")
    if (
        not clause.explicit
        and pattern(_DEPENDS).match(bare)
        and last.act == "state"
        and not (last.attribute in ATTRIBUTES and ATTRIBUTES[last.attribute].one)
    ):
        return True
    leans = pattern(r"^(?:还|也|又|再|而且|并且|同时)").match(bare)
    return not strong and (bool(leans) or not (stands_alone(bare) and size(bare) >= 7))


def join(reading: Reading, fragment: Fragment, text: str, bare: str) -> None:
    reason = pattern(r"^(?:主要是(?:因为)?|因为|毕竟|由于|图的?是|就是因为|谁让)").match(text)
    rest = third_person(bare, reading.scene, reading.scene.running)
    last = reading.found[-1]
    if rest is None or size(rest) < 2 or pattern(_TRIFLE).search(bare):
        return
    name = naming(bare)
    hedge = hedge_of(bare)
    mentions = last.mentions
    if name and last.value:
        mentions += (Mention(name, "pet" if last.attribute == "pet" else "other", (last.value,)),)
        if last.attribute == "pet":
            reading.scene.remember(Who(name, name, last.value, name, "it"))
            reading.scene.running = Who(name, name, last.value, name, "it")
    but = pattern(r"^(?:但是?|可是|不过|就是)(?=.{2})").match(text)
    before = last.content
    if _is_dated(rest) and not pattern(r"(?:定|改|换)了$").search(before):
        before = before.removesuffix("了")  # a 了 beside it puts a date into the past
    elif _is_dated(before):
        rest = rest.removesuffix("了")
    content = announced(before, rest)
    if reason or but:
        content = f"{before}，{'因为' if reason else '但'}{rest}"
    change = change_of(Clause(reading.scene.running, rest, content, False))
    over = change.over if change.act == "end" else ()
    anew = last.act == "state" and (change.act == "change" or bool(pattern(_ANEW).match(bare)))
    if anew:
        left = left_behind(reading, rest)
        old = last.value and any(last.value in word or word in last.value for word in left)
        last = last._replace(act="change", over=(*last.over, *change.over, *left))
        if old:  # what it had been, not what it is
            last = last._replace(attribute="", value="")
    found = recognise(content.removeprefix("用户的").removeprefix("用户"))
    if pattern(r"^(?:一个|大的|小的|其中)").match(bare):
        found = NOTHING  # 一个上三年级: said of one of them
    if last.act == "change" and any(found.value and found.value in word for word in last.over):
        found = NOTHING  # what it had been, not what it is
    if not is_sound(polished(content)):
        return
    reading.found[-1] = last._replace(
        content=content,
        mentions=mentions,
        act="end" if over and last.act == "state" else last.act,
        positive=last.positive and not (over and last.act == "state"),
        over=last.over + over,
        subject=found.of
        if found.of and not last.attribute and last.subject == USER
        else last.subject,
        attribute=last.attribute or found.attribute,
        value=last.value or found.value,
        project=last.project
        or (name if pattern("project|项目|app|产品|网站|小程序").search(content) else ""),
        confidence=min(last.confidence, hedge.confidence),
        basis=last.basis or hedge.words,
        fragments=(*last.fragments, fragment.n),
    )
    reading.found[-1] = relabelled(reading.found[-1])


def _leans_back(bare: str) -> bool:
    """上次…, 再也不…, 雷打不动…: such a clause leans on the one before it."""
    return bool(
        pattern(
            r"^(?:一个[^，]{2,}一个|大的|小的|其中|上次|再也|连|后来|幸好|还好|不然|否则|雷打不动|一觉|每次都|双胞胎|是(?!做"
            r"|干|搞|开)[^，]{1,6}的$)"
        ).match(bare)
    )


_THINGS = (
    "车|房子|新房|项目|公司|店|网店|产品|网站|小程序|平台|系统|手机|电脑|相机|论文|课题|公众号|频道|app|App|APP|车子|博客|乐队"
    "|快递|包裹|行李|订单|合同|航班|机票|护照|签证|简历|空调|冰箱|洗衣机|键盘|显示器|耳机"
)


def _is_of_a_thing(content: str, bare: str) -> bool:
    """我的车被追尾了，现在还在修理厂: the car is there, not its owner."""
    return bool(
        pattern(
            rf"^[^，]{{0,24}}?用户(?:[^，]{{0,8}}的)?(?:{_THINGS})(?:[是叫被在有还]|已经|刚|昨|今|上|出|坏|到|快)"
        ).match(content)
        and pattern(
            r"^(?:现在|目前|最近)?(?:是一|是个|还在|正在|预计|已经|刚|叫|名叫|主要(?:做|是|面向|卖)|专门|总部|一共|大概|被|停在|放在|卡在|用的)"
        ).match(bare)
    )


def _is_a_place(bare: str) -> bool:
    """在回龙观, 在瑞金医院: where what was just said is, not where someone works or lives."""
    found = recognise(bare)
    return not pattern(
        r"做|当|读|上班|工作|教|开|卖|打|住|学|念|干|跑|等|看|写|带|搞|装修|找|备|吃|喝|复|考|申"
    ).search(bare) and found.attribute not in ("occupation",)


def _is_dated(content: str) -> bool:
    return bool(
        pattern(
            r"[0-9一二三四五六七八九十]+月|[0-9]+/[0-9]+|早上|晚上|上午|下午|周[一二三四五六日末]"
        ).search(content)
    )
