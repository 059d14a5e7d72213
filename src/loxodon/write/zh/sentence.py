"""One clause made a statement, and the last look at it before it leaves."""

from __future__ import annotations

from loxodon.write.statements import USER, Statement
from loxodon.write.zh.attributes import NOTHING, Found, recognise
from loxodon.write.zh.beliefs import Hedge
from loxodon.write.zh.changes import Change, change_of, is_negative
from loxodon.write.zh.clean import HAN, count_han
from loxodon.write.zh.labels import category_of, mentions_of, topic_of
from loxodon.write.zh.leaving import known_as
from loxodon.write.zh.people import given_name
from loxodon.write.zh.person import Clause
from loxodon.write.zh.phrasing import completed
from loxodon.write.zh.third import long_relations
from loxodon.write.zh.words import (
    CHILDREN,
    DOUBLE_SURNAMES,
    LEAD_WORDS,
    PARTNERS,
    PLAIN_RELATION,
    SURNAMES,
    alternatives,
    pattern,
)

ROLES = (
    "班长|社长|会长|团长|学委|课代表|领队|徒弟|对接人|联系人|负责人|同桌|室友|搭档|合伙人|主治|牙医|班主任|导师|主唱|鼓手"
    "|吉他手|贝斯手|队长|组长|经理|主管|老板|领导|房东|教练|私教|辅导员|主治医生"
    "|主治|家教|保姆|店长|校长|数学老师|语文老师|英语老师"
)


_A_TIME = (
    r"[0-9一二两三四五六七八九十]+(?:点|月(?!薪)|号|日)|[周号日][一二三四五六日天末]|星期|礼拜|上午|下午|晚上|早上|中午"
    r"|明[天年早晚]|后天|下周|下个?月|[0-9]+[:：/][0-9]+|年底|月[底初]|季度|每[天晚周月年隔]|[寒暑]假|[春夏秋冬][节天季]"
)
_OF_PEOPLE = (
    "marital_status",
    "employer",
    "workplace",
    "school",
    "occupation",
    "age",
    "home",
    "pregnancy",
    "likes",
    "dislikes",
    "condition",
    "uses",
)
"""What is said of people: in 用户的公司前台小李要结婚了 it is not the user who marries."""


def statement_of(clause: Clause, hedge: Hedge) -> Statement:
    """What a clause says, with all that can be told of it."""
    whole = completed(clause.predicate, clause.explicit)
    own = clause.content == f"用户的{clause.predicate}"
    if whole != clause.predicate and not own and clause.content.endswith(clause.predicate):
        content = clause.content[: len(clause.content) - len(clause.predicate)] + whole
        clause = clause._replace(predicate=whole, content=content)
    change = change_of(clause)
    found = recognise(clause.predicate)
    if found.attribute == "name" and pattern("[也又都还已得没不要想]").match(found.value):
        found = NOTHING  # 名字也改了: what became of it is no name
    if change.attribute:
        found = Found(change.attribute, change.value or found.value)
    content = change.content or clause.content
    subject = USER if change.of_user else clause.who.key
    if change.of_user and not change.attribute:
        found = NOTHING  # who has left their job is another
    if (
        clause.content == f"用户的{clause.predicate}"
        and not change.attribute
        and found.attribute in _OF_PEOPLE
        and not pattern(r"^(?:工作|职业|岗位|职位|家|老家|地址|新地址|预产期|专业|学校)").match(
            clause.predicate
        )
    ):
        found = NOTHING
    if friend := pattern(
        rf"^有(?:个|一个|位|俩"
        rf"|两"
        rf"个)(?P<r>{long_relations()})(?P<rest>[在是做当去].+)$"
    ).match(clause.predicate):
        subject, found = PLAIN_RELATION[friend["r"]], recognise(friend["rest"])
    if (
        shared := pattern(
            rf"^用户(?:现在|目前)?(?:和|跟)(?P<v>[{HAN}A-Za-z]{{1,8}}?)(?:一起|一块儿?)?(?:住|合租|同住|同居)(?!院)"
        ).match(content)
        if not found.attribute
        else None
    ):
        found = Found("living_with", shared["v"])
    name = given_name(clause.predicate)
    if name and clause.who.relation:
        subject, found = USER, Found(_relation_attribute(clause), name)
        if pattern(r"^(?:现在)?(?:改名|改)|^现在").match(clause.predicate):
            change = Change("change", over=(f"叫的{clause.who.relation[-1:]}",))
    elif holder := _holder(content):
        subject, found = holder[0], Found("holder", holder[1])
    elif topic := pattern(
        rf"^用户的(?:[{HAN}]{{1,3}}的)?(?P<t>(?!时间|日期)[{HAN}]{{2,4}}?)(?:的?时间|的?日期)?(?:(?=每[周天月])|(?=(?:周|星期|礼拜)[一二三四五六日天])"
        rf"|改成|改到|改签到|改在|改|定在|推迟到|提前到|挪到|是(?=周)|在(?=周|每))(?P<v>.+)$"
    ).match(content):
        if not pattern(_A_TIME).search(topic["v"]):
            found = found if found.attribute else Found("setting", topic["v"].removesuffix("了"))
            subject = topic["t"] if found.attribute == "setting" else subject
        elif clause.who.key == USER:
            subject, found = topic["t"], Found("schedule", topic["v"])
        else:
            change = change._replace(attribute="")
            found = NOTHING
    elif clause.who.key == USER and (
        topic := pattern(
            rf"^用户(?:的|现在|目前)*(?:店里)?(?P<t>[{HAN}]{{2,5}}?)(?:一直|现在"
            rf"|目前)?(?:是(?:发到|在)?|用的是|换成了?|改成了?|发到|打到|存到|在|搬到?|搬去|挪到"
            rf"|全在)(?P<v>[{HAN}A-Za-z0-9+]{{2,16}}?)(?:了|里)?$"
        ).match(content)
    ):
        loose = topic["v"].endswith("的") or not _is_a_topic(topic["t"])
        if not found.attribute and change.act != "end" and not loose:
            subject, found = topic["t"].removeprefix("新"), Found("setting", topic["v"])
    if (
        found.attribute in ("setting", "schedule")
        and change.act == "state"
        and pattern(r"改|换|挪|推迟|提前").search(content)
    ):
        change = change._replace(act="change", over=known_as(subject))
    if newly := pattern(rf"^用户的?新(?:的|来的)?(?P<n>[{HAN}]{{1,4}}?)(?:是|叫|在|姓|用)").match(
        content
    ):
        change = change._replace(act="change", over=(*change.over, *known_as(newly["n"])))
    if found.of and subject == USER:
        subject = found.of
    if newer := pattern(rf"新(?P<r>{ROLES})").search(content):
        change = change._replace(act="change", over=(newer["r"],))
    if change.act == "end" and found.attribute in ("likes", "habit", "plan", "decision", "uses"):
        found = NOTHING
    return Statement(
        content=content,
        subject=subject,
        attribute=found.attribute,
        value=found.value,
        category=category_of(clause.predicate, found.attribute, change.act),
        act=change.act,
        over=change.over,
        positive=change.positive and not is_negative(clause.predicate),
        confidence=hedge.confidence,
        basis=hedge.words,
        mentions=mentions_of(clause.who, found, name),
        project=found.value if found.attribute == "project" else "",
        topic=topic_of(found.attribute, content),
    )


def _is_a_topic(words: str) -> bool:
    """Whether words name a thing that has a setting: no time, no adverb, no bit of grammar."""
    return not (
        pattern(r"[的和跟与是在有了着过我要想被把给对让去开从最很]|现$").search(words)
        or any(words.startswith(lead) for lead in LEAD_WORDS.split())
    )


def relabelled(statement: Statement) -> Statement:
    """A statement to which a bit was joined: 拼配改了，换成云南豆 is about what the blend is."""
    if held := _holder(statement.content):
        over = (*statement.over, held[0])
        return statement._replace(
            subject=held[0], attribute="holder", value=held[1], act="change", over=over
        )
    found = pattern(
        rf"^用户的?(?P<t>[{HAN}]{{2,5}})(?:改|换|定)了，(?:换成|改成|现在是"
        rf"|是)(?P<v>[{HAN}A-Za-z0-9+]{{2,16}})"
    ).match(statement.content)
    holder = pattern(
        rf"换(?P<r>{ROLES})了，(?:现在)?是(?:[^，]{{0,6}}的)?(?P<v>[{HAN}]{{1,3}}(?:老师"
        rf"|教练|总|医生)|[小老阿][{HAN}])"
    ).search(statement.content)
    if holder:
        return statement._replace(
            subject=holder["r"],
            attribute="holder",
            value=holder["v"],
            act="change",
            over=(holder["r"],),
        )
    moved = pattern(r"换(?P<t>宿舍|房子|住处|地方住|公司|工作|单位)了，(?P<v>[^，]{2,14})").search(
        statement.content
    )
    if moved:
        attribute = "home" if moved["t"] in ("宿舍", "房子", "住处", "地方住") else "employer"
        return statement._replace(attribute=attribute, value=moved["v"], act="change")
    if not statement.attribute and (named := _holder(statement.content)):
        return statement._replace(subject=named[0], attribute="holder", value=named[1])
    if found and statement.attribute in ("", "setting"):
        return statement._replace(
            subject=found["t"],
            attribute="setting",
            value=found["v"],
            act="change",
            over=(found["t"],),
        )
    return statement


def _holder(content: str) -> tuple[str, str] | None:
    """The role and who has it: 教练是陈师傅, 队长换成老金."""
    found = pattern(
        rf"(?P<r>{ROLES})(?:现在|已经|也|定了，)?(?:是|为|变更为|改为|换成|换成了|改成"
        rf"|换了|叫|姓)(?:用户的)?(?:高中同学|同学|同事"
        rf"|朋友)?(?P<v>[{HAN}]{{1,4}}?(?:老师)?|[{HAN}]?[A-Z][\w. ]*)了?$"
    ).search(content)
    if not found or not pattern(
        rf"[A-Z]|[小老阿]|[{SURNAMES}][^人]{{0,3}}$|(?:{alternatives(DOUBLE_SURNAMES)})"
        rf"|.*(?:老师|教授|总|哥|姐|医生|教练)$"
    ).match(found["v"]):
        return None
    return found["r"], found["v"]


def _relation_attribute(clause: Clause) -> str:
    relation = clause.who.relation
    if clause.who.gender == "it":
        return "pet"
    if relation in PARTNERS:
        return "partner"
    return "child" if relation in CHILDREN else "knows"


_UNFINISHED = (
    r"(?:因为|所以|但是|如果|的话|(?<![一两三几])把|被|跟|和|与|(?<![现存内所])在|从"
    r"|(?<!反)对|给|是|的时候|(?<![需重])要|(?<=[都也就能不还将才该定])会|让|就"
    r"|(?<![成首])都|也|很|非常|这么|那么|一个|这个|那个|那段|那里|那儿)$"
)
_DEICTIC = (
    r"这(?!些$|份|片|条街|栋|层楼|一带|附近|个?月|周|学期|[几两]天|[几两些]年|阵子|个?星期|个?礼拜"
    r"|段时间|次|几年|辈子|边|儿|方面|学年|半年|一年|里|么多年)|那玩意"
    r"|(?<![上下壁门])那家(?!医院|公司|店)|那种$|这个(?!月|星期|礼拜|学期|周)|那个"
)


_GLUED = (
    r"(?:的时候|因为|但是|如果|或者|而且|所以|把|被|向|往)$|^用户(?:[吗呢吧啊呀]|对对|是是|嗯|哦|哈)"
    r"|^用户(?:地点|时间|地址|成本|\w{2}成本|价格|费用|规模|效果|质量|天气|环境|气氛|当事人|对方|结果|原因|情况"
    r"|内容|主题|题目|标题|答案|选项|步骤|首先|其次|总之|比如|例如)(?:[在是又很太都也更最比，]|$|\w某)"
)
"""Half a clause, or 用户 before a clause that has a subject of its own."""


_BARE = (
    r"用户(?:\d{4}年(?:\d{1,2}月)?(?:\d{1,2}日)?)?[又也都还就终于现在已经]*"
    r"[改换挪推延调定升降涨跌上](?:到|成|为|在|至|了)?"
    r"(?:第?[\d一二三四五六七八九十]+[年月日号点个副:0-9上下午]*)?了?$"
)
"""That something changed, and not what: 用户改到3月27日."""


_EMPTY = (
    r"(?:用户|医生让用户)(?:终于|总算|已经|都|就|也)*(?:(?:去看|搬|看|问|试|做|弄|搞|写|说|用|吃)(?:完|过|好)了|破功了|吃的|去的|用的|做的"
    r"|没(?:啥|什么)打算|(?:反而)?不太?懂)$"
)
"""That something was done, and not what."""


def is_sound(content: str) -> bool:
    """Whether a sentence can be shown: someone is in it, and it is whole."""
    outside = pattern(r"《[^》]*》|“[^”]*”|「[^」]*」").sub("某", content)
    if (
        count_han(content) + len(pattern("[0-9A-Za-z]+").findall(content)) * 2 < 4
        or len(content) > 300
    ):
        return False
    if pattern(r"我|[你您]|[?？]|(?<![其吉排维])[他她它](?!人|国|乡|汀|克|命|美|达拉非)").search(
        outside
    ):
        return False
    if pattern(_UNFINISHED).search(outside) or pattern(_DEICTIC).search(outside):
        return False
    asks = pattern(r"什么|怎么|为什么|多少|哪个|哪里|是不是|能不能|要不要").search(outside)
    if asks and not pattern(r"没什么|什么的|不怎么|没怎么|没多少").search(outside):
        return False
    if content in ("用户自己", "用户这边") or "用户用户" in content:
        return False
    if pattern("用户[、和]用户").match(content) or pattern(_GLUED).search(content):
        return False
    if pattern(_BARE).match(content) or pattern(_EMPTY).match(content):
        return False
    return bool(pattern(r"用户|助手").search(content)) or count_han(content) >= 5
