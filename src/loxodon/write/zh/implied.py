"""What a Chinese statement changes without naming it: 改缬沙坦了, 第九本了, 排除了, 散了.

Who has told something once leaves it out the next time: the owner, the thing, the noun of a number.
`resumed` looks among the memories kept last for the one that such a statement goes on with. It
completes the statement from that memory, or at least says which memory it takes the place of. What
fits two memories equally well fits none: better nothing than a wrong end.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache

from loxodon.types import Record
from loxodon.write.domains import domains_of
from loxodon.write.extract import Candidate, candidate_of
from loxodon.write.statements import USER, Statement
from loxodon.write.zh.habits import opposed, tells_habit
from loxodon.write.zh.syntax import words_in

Recent = Callable[[], Sequence[Record]]

_LADDERS = tuple(
    line.split()
    for line in (
        "青铜 白银 黄金 铂金 钻石 星耀 大师 王者",
        "A1 A2 B1 B2 C1 C2",
        "N5 N4 N3 N2 N1",
        "科一 科二 科三 科四",
        "小班 中班 大班 一年级 二年级 三年级 四年级 五年级 六年级 初一 初二 初三 高一 高二 高三 大一 大二 大三 大四 研一 研二 研三",
        "白带 黄带 橙带 绿带 蓝带 紫带 棕带 黑带",
        "初稿 二稿 三稿 四稿 终稿 定稿",
        "一审 二审 终审 再审",
        "初试 笔试 一面 二面 三面 终面 复试",
    )
)
"""Stages that one goes through: who is at one has left those before it."""
_NUMERAL = "零一二两三四五六七八九十百千万半"
_COLOURS = "红橙黄绿青蓝紫黑白灰粉棕褐金银"


def is_left_open(statement: Statement) -> bool:
    """Whether a statement is only worth keeping if a memory tells what it is about."""
    return statement.act == "change" and statement.category == "temp"


def is_undoing(text: str) -> bool:
    """Whether a clause is a verb of ending, and no more: 散了, 全挂闲鱼出掉了."""
    return bool(_undoing().match(text))


def may_be_resumed(text: str) -> bool:
    """Whether a clause that names nobody may go on with something told before."""
    value = _value().match(text)
    if value:
        rung = any(_rung(value["v"]) in ladder for ladder in _LADDERS)
        told = value["u"] or value["th"] or text.endswith("了")
        if rung or (value["n"] and told):
            return True
    if _undoing().match(text) or _posted().match(text) or _bare_result().match(text):
        return True
    switch = _switch().match(text)
    return (switch is not None and len(switch["x"]) > 1) or bool(_happens().search(text))


def resumed(candidate: Candidate, recent: Recent) -> Candidate | None:
    """The statement with what it leaves out; as it is where it leaves nothing out, and None where
    it says nothing without a memory that is not there."""
    statement = candidate.statement
    if candidate.language != "zh" or statement.confidence < 1:
        return candidate
    steps = (
        _named_anew, _left_hospital, _succeeded, _revalued, _switched, _undone, _settled,
        _lived_otherwise, _moved_out, _transferred, _befell,
    )  # fmt: skip
    recent = cache(recent)
    for complete in steps:
        if found := complete(statement, recent):
            return candidate_of(found, "zh", candidate.importance, candidate.said_at)
    return None if is_left_open(statement) else candidate


def _facts(recent: Recent, kind: str = "fact") -> Iterator[Record]:
    return (one for one in recent() if one.kind == kind and one.positive)


def _whole(record: Record) -> str:
    """All that a memory says, as the words for what is over."""
    return record.content.removeprefix("用户的").removeprefix("用户")


def _instead(statement: Statement, record: Record, content: str = "", value: str = "") -> Statement:
    """The statement in the place of a memory, of whom and what that was about."""
    category = record.category if statement.category == "temp" else statement.category
    if not content:
        return statement._replace(
            act="change", over=(*statement.over, _whole(record)), category=category
        )
    return statement._replace(
        content=content, subject=record.subject, attribute=record.attribute if value else "",
        value=value, act="change", over=(_whole(record),), category=category,
    )  # fmt: skip


# --- a new value, alone ---------------------------------------------------------------------------


@cache
def _value() -> re.Pattern[str]:
    return re.compile(
        r"^(?:用户的?)?(?:已经|都|现在|终于|总算|刚|又|都已经|目前)*"
        r"(?:到|升到?|上|破|过|超|突破|看到|写到|读到|追到|打到|学到|攒到?|攒够|存到|涨到|拿到|过了)?(?:了)?"
        rf"(?P<v>(?P<th>第)?(?P<n>[0-9]+(?:\.[0-9]+)?|[{_NUMERAL}]+)(?P<u>[本章集课关级页册卷季期轮遍楼层分段斤个只人字单章节篇km]{{0,2}}|公里|公斤)"
        r"|[A-Z][0-9]|[\u4e00-\u9fff]{2,3}?)"
        r"(?:了|过线|到手|达成|通过|拿下|啦|的了)?$"
    )


def _revalued(statement: Statement, recent: Recent) -> Statement | None:
    """第九本了, 破两千了, 钻石: how far it is now, of what was told before."""
    found = _value().match(statement.content) if statement.subject == USER else None
    if not found:
        return None
    if ladder := next((one for one in _LADDERS if _rung(found["v"]) in one), None):
        return _climbed(statement, found["v"], ladder, recent)
    if not found["n"] or not is_left_open(statement):
        return None
    fits = [
        (record, old)
        for record in _facts(recent)
        if (old := _measured(record.content, found)) and record.subject
    ]
    if not fits or (not found["u"] and len(fits) > 1):
        return None
    record, old = fits[0]
    return _instead(statement, record, record.content.replace(old, found["v"], 1))


def _rung(words: str) -> str:
    return words.replace("科目", "科")


def _climbed(
    statement: Statement, value: str, ladder: Sequence[str], recent: Recent
) -> Statement | None:
    for record in recent():
        told = _rung(record.content)
        rung = next((step for step in ladder if step in told and step != _rung(value)), "")
        if rung and record.kind == "fact" and (record.subject == USER or is_left_open(statement)):
            if not is_left_open(statement):
                return _instead(statement, record)
            old = rung if rung in record.content else rung.replace("科", "科目")
            head, _, _ = record.content.partition(old)
            return _instead(statement, record, f"{head.rstrip('，')}{value}", value)
    return None


def _measured(content: str, new: re.Match[str]) -> str:
    """The amount in a memory that a new one of the same unit takes the place of."""
    unit = re.escape(new["u"]) if new["u"] else r"(?:多|来)?(?:块|元|个)?"
    for old in re.finditer(
        rf"(?P<th>第)?(?P<n>[0-9]+(?:\.[0-9]+)?|[{_NUMERAL}]+)(?:多|来)?{unit}(?![年月日号点岁{_NUMERAL}0-9])",
        content,
    ):
        same = bool(old["th"]) == bool(new["th"]) and old["n"] != new["n"]
        large = len(new["n"]) > 1 and re.search("[千百万]|[0-9]{3}", old["n"])
        if same and (new["u"] or large):
            return old[0]
    return ""


# --- one thing for another ------------------------------------------------------------------------


@cache
def _switch() -> re.Pattern[str]:
    return re.compile(
        r"^(?:用户)?(?:已经|又|就|都|现在|后来|干脆|直接|最后|还是|全|也)*"
        r"(?:(?:换|改|挪|转|切|滚|搬|迁|染(?=回|成))(?P<to>回来|回去|回|成|到|去|为|用|吃|喝|戴|穿|学|叫|上|玩|坐|骑|练|养|看)?|重[刷染装做])"
        r"(?:了|过)?，?(?P<x>[^，了过]{0,10}?)(?:的)?了?(?P<tail>，.*)?$"
    )


def _switched(statement: Statement, recent: Recent) -> Statement | None:
    """改缬沙坦了, 换大提琴了: something of one kind for another, whosever it is."""
    found = _switch().match(statement.content) if statement.subject == USER else None
    if not found or "把" in statement.content:
        return None
    thing = found["x"]
    if len(thing) < 2 or re.search("[我你他她]|用户|[工单方手身]|[0-9]|周|时间", thing):
        return None
    if found["to"] == "叫":
        return _renamed(statement, thing, recent)
    for record in _facts(recent):
        if old := _of_its_kind(thing, record, statement.attribute == "medication"):
            first = record.content.split("，")[0]
            if old == thing or old not in first:
                continue
            content = first.replace(old, thing, 1) + (found["tail"] or "")
            return _instead(statement, record, content, thing if old == record.value else "")
    branded = [one for one in list(_facts(recent))[:_NEAREST] if _brand_in(one)]
    named = {tag for _, tag in words_in(thing)} <= _NAMES
    if named and len(branded) == 1 and statement.content.removeprefix("用户")[:1] == "换":
        first = branded[0].content.split("，")[0]
        old = _brand_in(branded[0])
        content = first.replace(old, thing, 1) + (found["tail"] or "")
        return _instead(statement, branded[0], content)
    return None


_NEAREST = 8
_NAMES = frozenset(["nr", "nrt", "nz", "nt", "eng"])
_BRANDED = frozenset(["", "setting", "uses", "owns", "car", "phone", "computer", "medication"])


def _brand_in(record: Record) -> str:
    """The name that a memory ends with, of a thing that is used: 西门子."""
    found = re.search("(?:是|用|戴|穿|的是)(?P<y>[^，是用]{2,6})$", record.content.split("，")[0])
    if not found or record.attribute not in _BRANDED or "叫" in record.content:
        return ""
    tags = [tag for _, tag in words_in(found["y"])]
    return str(found["y"]) if tags and tags[0] in _NAMES else ""


def _renamed(statement: Statement, name: str, recent: Recent) -> Statement | None:
    """改叫木子: whoever or whatever was named last."""
    for record in _facts(recent):
        called = re.search("叫(?P<n>[^，叫]{1,8})$", record.content.split("，")[0])
        if called and called["n"] != name:
            first = record.content.split("，")[0]
            return _instead(statement, record, first[: called.start("n")] + name, name)
    return None


def _named_anew(statement: Statement, recent: Recent) -> Statement | None:
    """名字也改了，叫夜宵摊: of a thing that has a name; a person would say so of themselves."""
    found = re.match(
        "用户的名字(?:也|又|都)?(?:改|换)了，(?:现在)?(?:叫|改叫)(?P<n>[^，]{1,14})$",
        statement.content,
    )
    return _renamed(statement, found["n"], recent) if found else None


@cache
def _in_hospital() -> re.Pattern[str]:
    return re.compile("住院|病房|手术|支架|ICU|重症|心梗|脑梗|骨折|发烧|肺炎")


def _left_hospital(statement: Statement, recent: Recent) -> Statement | None:
    """出院回石家庄了: whoever was in hospital when it was last told."""
    said = re.match(
        "用户说?(?P<s>(?:已经|今天|昨天|终于)*(?:出院|退烧|康复|痊愈).*)", statement.content
    )
    if not said or statement.subject != USER:
        return None
    ill = next((one for one in _facts(recent) if _in_hospital().search(one.content)), None)
    owner = re.match("用户的[\u4e00-\u9fff]{2}", ill.content) if ill else None
    if ill is None or owner is None or ill.subject == USER:
        return None
    return statement._replace(content=f"{owner[0]}{said['s']}", subject=ill.subject)


def _of_its_kind(thing: str, record: Record, drug: bool = False) -> str:
    """The thing in a memory that another of its kind may take the place of."""
    first = record.content.split("，")[0]
    hue = re.search(f"[^用户的刷染了成]{{1,2}}[{_COLOURS}]色?$", first)
    for old in (record.value, hue[0] if hue else "", *_things_in(first)):
        if len(old) < 2 or old not in first or thing in first:
            continue
        if domains_of(thing) & domains_of(old):
            return old
        ends = {thing.removesuffix("色")[-1], old.removesuffix("色")[-1]}
        alike = len(ends) == 1 or ends <= set(_COLOURS)
        if not thing.isascii() and alike and first.endswith(old):
            return old
        if record.attribute == "medication" and old == record.value and (drug or _is_drug(thing)):
            return old
    return ""


def _things_in(text: str) -> tuple[str, ...]:
    words = words_in(text.removeprefix("用户"))
    found = []
    for n, (word, tag) in enumerate(words):
        if tag[0] == "n" and len(word) > 1:
            joined = n + 1 < len(words) and words[n + 1][0] in _COLOURS
            found.append(word + words[n + 1][0] if joined else word)
        elif tag == "eng":
            found.append(word)
    return tuple(reversed(found))


def _is_drug(thing: str) -> bool:
    return bool(re.search("[坦平汀素林胺酮唑啶芬普利仑片丸]$|胶囊|双胍|洛尔", thing))


# --- what is over, by what became of it -----------------------------------------------------------

_UNDONE = {
    "刮": "胡子 胡须 络腮胡 留胡 留了胡",
    "剃": "胡子 长发 头发",
    "剪": "长发 留长",
    "卸载": "刷短 短视频 短剧 手游 游戏 抖音",
    "散": "球队 乐队 社团 剧团 合唱团 车队 合伙 搭子",
    "退坑": "手游 游戏 公会 追星 汉服 手办 玩",
    "弃坑": "手游 游戏 公会 追星 汉服 手办 玩",
    "散伙": "合伙",
    "出掉": "摆着 收藏 囤 手办",
    "挂闲鱼": "摆着 收藏 囤 手办",
    "拆": "牙套 石膏 支架 钢板",
    "摘": "牙套 戴着",
    "退": "会员 年卡 月卡 健身卡 网课",
    "停更": "公众号 频道 连载 播客",
    "注销": "公众号 账号 执照 网店",
}
"""Verbs that have no object said, and what they may put an end to."""


@cache
def _undoing() -> re.Pattern[str]:
    verbs = "|".join(sorted(_UNDONE, key=len, reverse=True))
    return re.compile(
        rf"^(?:用户)?(?:已经|都|全|早就?|上周|昨天|前天|也|就|给|俩|两人|把它)*(?P<v>{verbs})"
        r"(?:干净|光|掉|短)*了?(?:出掉了)?$"
    )


_PARTS = ("散", "散伙", "停更")
_BY_ITSELF = ("退坑", "弃坑")


def _told_of(said: str, verb: str, record: Record) -> str:
    """The verb with what it ends: 用户把络腮胡刮干净了, 用户的羽毛球队散了."""
    thing = next(iter(_things_in(record.content.split("，")[0])), "")
    if not thing or verb in _BY_ITSELF:
        return f"用户{said}"
    return f"用户的{thing}{said}" if verb in _PARTS else f"用户把{thing}{said}"


def _undone(statement: Statement, recent: Recent) -> Statement | None:
    """散了, 卸载了, 退坑: the verb alone; what it ends was told before."""
    if statement.subject != USER or not is_left_open(statement):
        return None
    found = _undoing().match(statement.content)
    if not found:
        return None
    ended = _UNDONE[found["v"]].split()
    for record in _facts(recent):
        if any(word in record.content for word in ended):
            content = _told_of(statement.content.removeprefix("用户"), found["v"], record)
            return statement._replace(
                content=content, act="end", over=(_whole(record),), positive=False,
                category="status", subject=record.subject,
            )  # fmt: skip
    return None


# --- a suspicion, and what came of it -------------------------------------------------------------


@cache
def _result() -> re.Pattern[str]:
    return re.compile(
        r"(?<!去)(?:查|测|化验|检测|检查|鉴定|抽血|拍片|拍了|B超|彩超|CT|核磁|报告|复查|活检|散瞳|凿开|拆开|掌眼|问了|问过|问清)"
        r"|指标正常|功正常|全绿|阴性|排除了|结果(?:是|正常|出来了)|" + _NOTHING_IN_IT
    )


_NOTHING_IN_IT = (
    "(?:冤枉|错怪)(?:了?[他她它人]|好人)了?|虚惊一场|没有的事|没那回事|没这回事|想多了|白担心"
)


@cache
def _bare_result() -> re.Pattern[str]:
    return re.compile(
        rf"^(?:问了|查了|结果|原来)?，?(?:{_NOTHING_IN_IT})|^(?:化验|检查|复查|指标|结果|体检)(?:都|全|一切)*(?:绿|正常|没事|没问题|阴性)"
        r"|^(?:已经)?排除了$"
    )


def is_bare_result(text: str) -> bool:
    """Whether a clause only says how a suspicion came out: 虚惊一场."""
    return bool(_bare_result().match(text))


_HELPERS = ("师傅", "医生", "大夫", "专家", "技师", "物业", "中介")


def _settled(statement: Statement, recent: Recent) -> Statement | None:
    """散瞳查过，排除了: what was only thought before is known now."""
    content = statement.content
    if not _result().search(content) or re.search("等|出结果|还没|要去|准备|预约|下周", content):
        return None
    if statement.category == "plan" or (statement.act == "end" and statement.over):
        return None
    beliefs = list(_facts(recent, "belief"))[:4]
    same = [one for one in beliefs if one.subject == statement.subject]
    if len(beliefs) == 1 and (statement.subject == USER or statement.subject in _HELPERS):
        same = beliefs
    if len(same) != 1:
        return None
    record = same[0]
    if re.search(_NOTHING_IN_IT, content):
        return statement._replace(act="end", category="temp", over=(_whole(record),))
    owner = re.search("用户的[\u4e00-\u9fff]{2}|用户家[猫狗]", record.content)
    if owner and statement.subject == USER and not content.startswith("用户的"):
        content = f"{owner[0]}{content.removeprefix('用户')}"
        statement = statement._replace(content=content, subject=record.subject)
    elif is_left_open(statement):
        statement = statement._replace(content=f"用户{content}", subject=record.subject)
    return _instead(statement, record)


# --- ways of life ---------------------------------------------------------------------------------


def _lived_otherwise(statement: Statement, recent: Recent) -> Statement | None:
    """每月存两千 ends 月光族: habits that nobody has together."""
    if is_left_open(statement) or not tells_habit(statement.content):
        return None
    over = tuple(
        _whole(record)
        for record in recent()
        if record.subject == statement.subject and opposed(statement.content, record.content)
    )
    if not over:
        return None
    return statement._replace(act="change", over=(*statement.over, *over))


# --- what befell a thing that a memory names ------------------------------------------------------


@cache
def _happens() -> re.Pattern[str]:
    """A thing, and what was done to it or became of it."""
    return re.compile(
        r"^(?P<t>[^，我你他她它这那]{2,6}?)(?:也|都|全|已经|早|昨天|上周|上个?月|前天|终于)*"
        r"(?P<v>(?:让|被|给|叫)[^，了]{1,8}?(?:刨|砍|拆|拔|铲|偷|收|扔|卖|砸|撞|烧|淹|啃|咬|拿|抢|挖|封|剪|开)[走掉坏死光烂除]?了"
        r"|(?:过户|转让|转手|送|捐|卖|让|盘|抵|挂)(?:给[^，]{1,8}|出去|掉|闲鱼[^，]{0,4})了"
        r"|(?:枯死|枯|蔫|死|坏|丢|没|塌|倒|报废|散架|散|碎|黄|停产|下架)[掉光]?了)"
    )


def _befell(statement: Statement, recent: Recent) -> Statement | None:
    """石榴让施工队刨了: what was had is no more, if it was."""
    said = statement.content.removeprefix("用户的").removeprefix("用户")
    found = _happens().match(said) if statement.act in ("state", "change") else None
    if not found or statement.subject != USER:
        return None
    thing = found["t"]
    for record in _facts(recent):
        if thing in record.content and record.attribute not in ("allergy", "condition"):
            return statement._replace(
                content=f"用户的{said}", act="end", positive=False,
                over=(_whole(record),), category="status", subject=record.subject,
            )  # fmt: skip
    return None


def _moved_out(statement: Statement, recent: Recent) -> Statement | None:
    """公婆搬去小叔子那儿了: who lived with the user does no longer."""
    if statement.subject == USER or not re.search(
        "搬(?:去|到|走|出|回)[^，]*了", statement.content
    ):
        return None
    called = re.match("用户的(?P<k>[\u4e00-\u9fff]{2})", statement.content)
    names = {statement.subject, called["k"] if called else statement.subject}
    for record in _facts(recent):
        if record.attribute == "living_with" and any(name in record.content for name in names):
            return _instead(statement, record)
    return None


# --- who has a role now ---------------------------------------------------------------------------


@cache
def _successor() -> re.Pattern[str]:
    name = "姓[\u4e00-\u9fff](?=的|$|，)|[\u4e00-\u9fff]{1,2}(?:老师|医生|大夫|教练|师傅|姐|哥|总|阿姨)|[小老阿][\u4e00-\u9fff]|[A-Z][a-z]+"
    return re.compile(
        r"^(?:群里|现在|后来|公司|学校|就|也)*(?:"
        rf"(?:接手|接任|接班|接替|顶替|顶上|顶班|新来|新换|继任|补位)(?:的|了|[他她]的|是)*(?:人|那位|个|老师|同事)?(?:是|叫|姓)?(?P<a>{name}|(?<=姓)[\u4e00-\u9fff]|(?<=[叫是])[\u4e00-\u9fff]{{2,3}})"
        rf"|换(?:成|了|来)*(?:一?[个位])(?P<b>{name})"
        rf"|(?:往后|以后|现在|今后|之后)(?:有事|都|就|要|得)*(?:找|问|联系)(?P<c>{name})"
        rf"|[^，]{{1,4}}(?:归|由|交给|轮到)(?P<d>{name})"
        rf"|(?:给|帮)我(?:介绍|推荐|转|换)(?:了|给)(?P<e>{name}))"
        r"(?:的|了)?(?:接手|接|对接|带|负责|顶上|打|管|教|做)?$"
    )


def names_successor(text: str) -> bool:
    """Whether a clause says who has taken over, and not what: 接手的姓冉."""
    return bool(_successor().match(text))


def _succeeded(statement: Statement, recent: Recent) -> Statement | None:
    """施蕾休产假去了，接手的姓冉: who has the role of the one who left."""
    left, comma, then = statement.content.rpartition("，")
    found = _successor().match(then) if comma and is_left_open(statement) else None
    if not found:
        return None
    name = next(group for group in found.groups() if group)
    surname = name.startswith("姓") or (len(name) == 1)
    for record in recent():
        first = record.content.split("，")[0]
        role = re.search(
            r"^(?P<r>用户[^，]{2,12}?)(?:是|叫|姓)(?:用户的?)?(?P<n>[^，是叫姓]{1,4})$", first
        ) or re.search(r"^(?P<r>用户[^，]{2,10}?)(?P<n>[小老阿][\u4e00-\u9fff])", first)
        if role and record.kind == "fact" and role["n"] in left and name not in first:
            verb = "" if name.startswith("姓") else "姓" if surname else "是"
            content = f"{role['r']}{verb}{name}"
            value = name.removeprefix("姓")
            return _instead(statement, record, content, value)
    return None


# --- another place or post ------------------------------------------------------------------------


@cache
def _transfer() -> re.Pattern[str]:
    return re.compile(
        r"(?:(?:调|弄|挪|分|派|安排|借调|抽调|提|轮转?|转|并|划|换|发配|塞)(?:上去|下去|过去|上来)?(?:到|去|进|在|打|做|带|管|当)"
        r"|让用户(?:去|接|带|管|负责|做|教|顶|当|打)|接(?:手|管)了?|改(?:带|教|管|打|踢|负责|做)|这会儿在|(?:现在|眼下|目前)(?:在|负责|带|管))"
        r"(?P<x>[^，了]{2,12})"
    )


@cache
def _post() -> re.Pattern[str]:
    """Where someone stands in their work, school or team."""
    return re.compile(
        r"^(?:用户|用户的[^，在是]{1,4})(?:的?[^，在]{0,4}里?)?(?:现在|眼下|目前|平时|天天|一直)?"
        r"(?:(?P<at>在[^，]{0,10}(?:柜台?|楼|科|组|部|处|岗|线|车间|门店|店|(?<!上)班|站|哨所|点|厂|校区|中心|窗口|前台|后厨|仓|连|营))"
        r"|(?P<duty>(?:(?:负责|带|管|教|对接)(?![^，]*(?:娃|孩子|女|儿|猫|狗|饭|家务|老人|用户))|(?:踢|打)(?=[^，]{0,2}(?:前锋|中锋|后卫|前腰|中场|边锋|控卫|二传|主攻|副攻|门将|大前|小前)))[^，]{2,10})|(?P<turn>[^，]{0,4}(?:轮转|分|派|调|轮)[到在去进][^，]{2,10}))"
    )


@cache
def _posted() -> re.Pattern[str]:
    return re.compile(
        r"^(?:[^，]{1,4}起|这会儿|现在|眼下)?(?:挪|调|转|分|派|轮)(?:到|进|去)[^，了]{2,10}了?$|^这会儿在[^，了]{2,8}$"
    )


def _transferred(statement: Statement, recent: Recent) -> Statement | None:
    """领导让我接西南 ends 负责华北: one post for another, told with another verb."""
    if statement.attribute in ("home", "employer") or statement.act == "end":
        return None
    moved = _transfer().search(statement.content)
    planned = re.search("打算|想|可能|要是|如果|准备|听说", statement.content)
    if not moved or planned:
        return None
    whose = {statement.subject}
    if is_left_open(statement):
        whose = {record.subject for record in _facts(recent)}
    elif "让用户" in statement.content or "把用户" in statement.content:
        whose = {USER}
    for record in _facts(recent):
        if record.subject not in whose or moved["x"][:2] in record.content:
            continue
        if is_left_open(statement):
            placed = record.attribute == "setting" and "在" in record.content
            if not placed and not _post().match(record.content):
                continue
            head = re.split("在|轮转|分到|负责|管|带", record.content)[0]
            said = statement.content.removeprefix("用户")
            return _instead(statement, record, f"{head}{said}")
        if _post().match(record.content) and record.attribute not in ("home", "pet", "medication"):
            return _instead(statement._replace(subject=record.subject), record)
    return None
