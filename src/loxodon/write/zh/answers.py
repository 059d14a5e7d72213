"""Short answers: what the assistant asked is the frame of what the user says.

`framed` gives the clauses that an answer stands for, as if the user had said them in full.
"""

from __future__ import annotations

from loxodon.write.statements import Said
from loxodon.write.zh.clean import HAN, count_han, plain, tidy
from loxodon.write.zh.people import THE_USER, person_pattern
from loxodon.write.zh.scene import Scene
from loxodon.write.zh.speech import is_chat
from loxodon.write.zh.words import pattern

_YES = (
    r"^(?:嗯+|对+|对的|对啊|对呀|是|是的|是啊|是呀|没错|有|有的|确实|yes|yep|嗯对"
    r"|对对对|当然)(?=$|[，,。！! ~～])"
)
_NOUN = rf"[{HAN}A-Za-z0-9·+ ]{{1,16}}"


def confirmed(question: str, answer: str) -> str:
    """What a yes says: 搬去杭州了？ 嗯 gives 我搬去杭州了. Empty where it says nothing."""
    if not question or not pattern(_YES).match(answer.strip()):
        return ""
    asked = pattern(r"^.*[，,。！!]").sub("", question)
    asked = pattern(r"^(?:那|所以|这么说|听起来|看来|也就是说|那么)+[，,]?").sub("", asked)
    if pattern(
        r"什么|啥|怎么|咋|哪|谁|几|多少|为什么|还是|是不是|有没有|能不能|要不要|如何"
        r"|需要我|要我|好吗|可以吗|确定|感觉|准备好"
    ).search(asked):
        return ""
    if count_han(asked) < 4 or not pattern(r"(?:吗|了|吧|呢)$").search(asked):
        return ""
    said = (
        pattern(r"(?:吗|吧|呢|了吗|的吗)$").sub("", asked).replace("您", "你").replace("你", "我")
    )
    if pattern(rf"^[{HAN}]{{2,6}}是(?:老家|家乡|老公|老婆|儿子|女儿)").match(said):
        said = said.replace("是", "是我", 1)
    return said


def framed(question: str, bare: str, scene: Scene, before: str) -> str:
    """A short answer made a whole clause, or empty. `before` is what the user stated last."""
    if not question or (is_chat(bare) and bare not in ("没有", "没")):
        return ""
    if pattern(r"叫什么|什么名字|名字叫|怎么称呼|叫啥|名字是").search(question):
        return _name_given(question, bare, scene)
    if (
        pattern(r"谁").search(question)
        and count_han(bare) <= 6
        and pattern(rf"^(?:我|是我)?[{HAN}]{{1,5}}$").match(bare)
    ):
        return question.replace("谁", bare.removeprefix("是"), 1)
    if pattern(r"(?:怎么了|怎么回事|什么病|出什么事|咋了|什么情况|哪里不舒服)$").search(question):
        who = scene.last_named()
        if (
            who
            and who is not THE_USER
            and not pattern("^[我他她它没]").match(bare)
            and count_han(bare) <= 12
        ):
            return f"{_spoken(who.display)}{bare}"
        return ""
    if whole := _put_in(question, bare):
        return whole
    if not pattern(rf"^{_NOUN}$").match(bare) or pattern(
        r"[了过着]|我|不|没|是|在|有|想|要"
    ).search(bare):
        return ""
    if found := pattern(
        rf"(?:哪个|哪一个|什么|哪种|哪一?类|哪方面的?|哪里的)(?P<n>[{HAN}]{{1,4}}?)(?:的"
        rf"|呢|了|啊|比较|方向)?$"
    ).search(question):
        if found["n"] in ("样", "时候", "意思", "事", "人", "么", "打算", "想法", "办", "计划"):
            return ""
        return f"{before}，{found['n']}是{bare}" if before else f"我的{found['n']}是{bare}"
    if found := pattern(rf"(?P<n>[{HAN}]{{2,6}})(?:定|选|挑|想|确定|决定)(?:好)?了吗$").search(
        question
    ):
        return f"我的{found['n']}是{bare}"
    if found := pattern(
        rf"(?:你的?|您的?)(?P<n>[{HAN}]{{2,6}})(?:是|在)(?:什么|哪|多少|几)[{HAN}]{{0,2}}$"
    ).search(question):
        return f"我的{found['n']}是{bare}"
    if pattern(r"(?:在|住|去)哪(?:里|儿|个城市|个省|座城市)?$|哪个城市$").search(question):
        verb = pattern(r"(在|住|去|来自)哪").search(question)
        return f"我{ {'住': '住在'}.get(verb[1], verb[1]) if verb else '在' }{bare}"
    return ""


_ASKED_FOR = (
    r"(?:什么时候|什么时间|几点钟?|几号|哪一?天|哪[里儿]|哪(?:个|座|一个|家|所|种|些|款|几个?)(?:学校|大学|城市|区|省|国家"
    r"|公司|医院|专业|牌子|部门|行业|平台|方向|年级|班|领域|品牌|地区|乐队|球队|演员|歌手|作家)?"
    r"|多少(?:钱|个|岁|天|年|人)?|多大年纪|多大|多久|多长时间|多高|多重|几(?:口人|岁|个人|个孩子|个|年|次|天|年级|只|位|点|月)"
    r"|(?:什么样的|什么|啥)(?:食物|东西|运动|工作|专业|方向|牌子|型号|类型|口味|菜系?|乐器|语言|车|手机|电脑|书|药|病|症状"
    r"|水果|颜色|音乐|电影|游戏|宠物|品种|颜色|风格|爱好|兴趣|忌口|职业|项目|课|题材|歌手|作家|城市|地方|动物)?)"
)
_UNITS = {"岁": "岁", "多大": "岁", "几口": "口人", "几个孩": "个孩子", "几年级": "年级"}


def _put_in(question: str, bare: str) -> str:
    """The question with the answer in the place of what it asks for: 您对什么过敏？ 虾。"""
    asked = pattern(r"^.*[，,。！!：:；;]").sub("", question)
    asked = pattern(r"^(?:请问|那么?|方便问一?下|能告诉我|对了|所以|另外|想问一?下)+").sub(
        "", asked
    )
    asked = pattern(r"(?:呢|啊|呀|吗|嘛|啦|的呢)+$").sub("", asked)
    if (
        pattern("[我他她它]|怎么|为什么|需要|是不是|能不能|要不要").search(asked)
        or count_han(bare) > 14
    ):
        return ""
    if denied := _yes_or_no(asked, bare):
        return denied
    if pattern(r"[我你您他她，,]|了$|不|没|是|^(?:在|有|想|要|看|随便|都|因为)").search(bare):
        return ""
    if person_pattern().match(bare) or pattern(r"怎么样|什么样|为啥|觉得").search(asked):
        return ""
    options = pattern(
        rf"^(?P<h>.*?)(?P<a>[{HAN}A-Za-z]{{1,6}}?)还是(?P<b>[{HAN}A-Za-z]{{1,6}})$"
    ).match(asked)
    if (
        options
        and pattern("[你您]").search(asked)
        and bare in options["h"] + options["a"] + options["b"]
    ):
        head = options["h"]
        verb = pattern(
            r"^.*(?:喜欢|爱|用|喝|吃|选|要|在|住|坐|偏好|倾向)(?:喝|吃|用|看|玩|听)?"
        ).match(head + options["a"])
        return _as_mine(verb[0] + bare) if verb else ""
    found = pattern(_ASKED_FOR).search(asked)
    if not found or not pattern("[你您]|^(?:有|对|在|住|平时|一般|今年)").search(asked):
        return ""
    if kept := pattern(
        r"有(?:什么|啥|哪些)(?P<n>爱好|兴趣|忌口|症状|特长|计划|目标|宠物|病)"
    ).search(asked):
        if kept["n"] == "宠物":
            return f"我有{bare}"
        return f"我的{kept['n']}是{bare}"
    if bare.endswith("的") and asked.endswith("的"):
        asked = asked[:-1]
    unit = next((unit for sign, unit in _UNITS.items() if sign in found[0]), "")
    if unit and not pattern(r"^[0-9一二两三四五六七八九十百半]+$").match(bare):
        unit = "人" if bare.endswith("口") else ""
    return _as_mine(asked[: found.start()] + bare + unit + asked[found.end() :])


def _yes_or_no(asked: str, bare: str) -> str:
    """您吃辣吗？ 不吃。 您有过敏史吗？ 没有。"""
    found = pattern(
        rf"^(?:你|您)?(?P<adv>平时|一般|现在|目前|最近|以前|还|也|会|经常)*(?P<v>[{HAN}])(?P<o>[{HAN}A-Za-z]{{1,8}})$"
    ).match(asked)
    if not found or pattern(r"什么|哪|谁|几|多少|怎么|还是|好|可以|需要|行").search(asked):
        return ""
    if bare in ("没有", "没") and found["v"] == "有":
        return f"我没有{found['o']}"
    if bare in (f"不{found['v']}", f"从不{found['v']}", f"从来不{found['v']}", f"不太{found['v']}"):
        return f"我{bare}{found['o']}"
    return f"我{found['v']}{found['o']}" if bare == found["v"] and bare != "有" else ""


def _as_mine(text: str) -> str:
    mine = text.replace("您", "我").replace("你", "我")
    return mine if "我" in mine else f"我{mine}"


def _name_given(question: str, bare: str, scene: Scene) -> str:
    name = pattern(r"^(?:它|他|她)?(?:的?名字)?(?:就)?(?:叫做?|是)?").sub("", bare)
    if not pattern(rf"^(?:[{HAN}]{{1,5}}|[A-Za-z ]{{2,16}})$").match(name):
        return ""
    if pattern(r"你|您").search(question):
        return f"我叫{name}"
    who = scene.last_named()
    return f"{_spoken(who.display)}叫{name}" if who else ""


def _spoken(display: str) -> str:
    """How the user would say it, for the rules to read: 用户的妹妹 is 我妹妹."""
    return tidy(display.replace("用户的", "我", 1)) if display.startswith("用户的") else display


def in_the_past(question: str) -> bool:
    """Whether the question was about what used to be: 之前做什么方向？"""
    return bool(
        pattern(r"^(?:那)?(?:你|您)?(?:之前|以前|原来|此前|过去|从前|上一份)").search(question)
    )


def adopted(text: str, said: Said) -> str:
    """那就尤克里里吧: what the user picks from what the assistant proposed."""
    if not said.before or said.before[-1].role == "user":
        return ""
    found = pattern(
        rf"^(?:那|那么)?(?:我)?(?:就|还是)?(?P<v>选|要|用|买|去|学|吃|看|玩"
        rf"|试)?(?P<x>{_NOUN}?)(?:吧|好了|了)?$"
    ).match(text.strip(" ，,。！!~～"))
    if not found or len(found["x"]) < 2 or found["x"] not in plain(said.before[-1].content):
        return ""
    chosen = pattern(r"^(?:那|就|还是|选|要)").match(text)
    return f"我选择了{found['x']}" if chosen else ""


def refused(bare: str, said: Said) -> str:
    """没答应, 拒绝了: what was asked of the user before, and what they said to it."""
    found = pattern(
        r"^(?:我)?(?:当场|直接|已经|还)?(?P<v>拒绝|没答应|答应|同意|没同意|婉拒|推掉"
        r"|推辞|没去|没接受|接受)了?$"
    ).match(bare)
    if not found or not said.earlier:
        return ""
    asked_of = plain(said.earlier[-1].content)
    if not pattern(r"(?:让|叫|请|邀请|约|要求|派|安排|想让|给)用户").search(asked_of):
        return ""
    end = "" if found["v"].startswith("没") else "了"
    return f"{asked_of}，用户{found['v']}{end}"
