"""What kind of saying a piece of talk is: a statement, a question, an instruction or chat."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from loxodon.write.statements import Type
from loxodon.write.zh.clean import HAN, count_han, plain, tidy
from loxodon.write.zh.words import (
    ACKNOWLEDGEMENTS,
    GREETINGS,
    INSTRUCTION_VERBS,
    QUESTION_WORDS,
    alternatives,
    pattern,
)

_NOT_ASKED = (
    r"没(?:有)?(?:什么|啥|怎么|咋|多少|几|谁|哪)|不(?:怎么|咋|知道|清楚|晓得|确定"
    r"|记得)|什么的|什么都|啥都|啥也|什么也|谁都|谁也|怎么都|怎么也|哪都"
    r"|哪里都|哪儿都|多少都|好几|十几|几十|几百|几千|几万|几年|几个月|几天(?:就|前"
    r"|了|都)|这几|那几|近几|前几|后几|头几|每隔几"
    r"|谁知道|鬼知道|天知道|不管|无论|随便什么|多少有|多少会|多少钱都|没多久|多久没"
    r"|不多久|怎么说呢|(?<![是吗])什么之类|谁让|谁叫|哪怕"
    r"|哪有|有几个(?!人)|几乎|几率|茶几|几何|为什么.{0,12}的原因|怎么.{1,6}都|哪天"
    r"|什么时候都|不知.{0,4}谁|能多.{1,3}就"
    r"|多大.{0,3}都|啥时候都|有什么说什么|想.{0,2}什么就|怎么回事儿?都|试了几|买了几"
    r"|去了几|剩几|有几|差几|几块|几口|过几|隔几"
)
_RULE = (
    r"(?:(?:^|[，。！!？?；;,\n ]|你|那|请|记住|能|以|[就还]是)以后|(?:你|请|记住)每次"
    r"|每次(?=[^，。]{0,4}(?:回答|回复|推荐|给我|发我|写代码|解释|聊天))|今后|往后"
    r"|从现在(?:起|开始)|从今(?:以后|往后|天起)|从此|一律|永远"
    r"|下次|日后|记住|记得|统统|全部都)"
    r".{0,14}(?:别|不要|不用|不准|勿|少|多|用|按|都|回|答|叫|称呼|说|给|写|发|直接|先|请|以)"
    r"|(?:别|不要|不用|请勿|甭)(?:再|老|总|总是)(?:给我|跟我|对我)?(?:推荐|推|发|用"
    r"|说|叫|加|带|贴|放|写|回|讲|提|列|给)"
    r"|(?:别|不要|请勿|甭|少)(?:给我|跟我|对我)?(?:推荐|推|发|用|说|加|带|贴|放|写"
    r"|回|讲|列|给|整|搞)?[^，。]{0,6}(?:表情|图片|表格|套话|链接|markdown|客套|废话"
    r"|敬语|emoji|术语|英文|中文|列表|免责|道歉|鸡汤|大道理|剧透|长篇)"
    r"|[0-9月日号\u4e00-\u9fff]{2,10}(?:那个|这个)(?:就)?(?:别|不要|不用)(?:再)?记"
    r"|(?<!我)(?:用|拿|讲|说)(?:中文|英文|英语|粤语|日语|日文|繁体|简体|大白话|白话|普通话"
    r"|法语|法文|德语|韩语|markdown|纯文本|人话)(?:来|跟我)?(?:回|答|说|聊|讲|沟通"
    r"|交流|就)"
    r"|(?:回复|回答|说话|语气|代码|注释|命令|例子|格式)(?:尽量|请|要|得|得要"
    r"|最好)?(?:简短|简洁|简单|详细|口语|正式|直接|用(?![的了着])|别|不要|短|长|温柔|幽默)"
    r"|^(?:还是|就|回复|回答|你|以后)+(?:尽量|要)?(?:简短|简洁|详细|精简|口语|正式|直接|随意|短|长)(?:一?点|些)(?:吧|就行|就好|回)*$"
    r"|(?:给|发)(?:我)?(?:的)?(?:命令|代码|链接|图|图片|表格|例子|答案|建议)(?:别"
    r"|不要|要|请|都|尽量)"
    r"|(?:我|本人)(?:更|比较|还是|最|个人)?(?:喜欢|希望|习惯|宁愿|不喜欢|讨厌|不希望|不想|受不了)你(?!能?(?:给|帮|再|告诉|提供|推荐))"
    r"|(?:跟|和|对|给|为|帮|替)我(?:说话|聊天|写代码|写东西|写|回复|回答|讲解?|解释|推荐|发消息|算|翻译)[^，。]{0,8}?"
    r"(?:的时候|时(?![间候代长尚]))|(?:跟|和|对)我(?:说话|聊天)(?:就)?(?:别|不要|不用|要|尽量|直接)"
    r"|^(?:你|请|麻烦)?(?:在)?(?:回答|回复|解释|写代码|写东西|推荐|翻译|举例|讲解|总结|列清单|做计划)[^，。]{0,10}(?:的时候|时(?![间候代长尚])|之前)"
    r"|^推荐[^，。]{1,6}前先"
    r"|(?:单位|时间|日期|温度|货币|价格|金额|长度|距离|重量)(?:都|一律|请|统一|全部?|也)+(?:用|按|写)"
    r"|^(?:请|你|麻烦|也|还有)*(?:不要|别|不用|少|不必)(?:再)?(?:在)?(?:每次|(?:回答|回复|话|消息)(?:里|中|时|的?时候|的?结尾|的?开头|的?最后)|(?:结尾|最后)再?问我)"
    r"|(?:[你您](?:到时候|以后|平时|也|就|可)*|的时候，?|时，?)(?:别|不要|少)(?:再|老)?(?:给|跟|对|替)我"
    r"|(?:的时候|时)[，,]?(?:我)?希望[你您]|希望[你您](?:以后|每次|都|尽量|能?直接)"
    r"|^[^，我]{2,8}(?:请|就|都)?(?:少|别|不要|甭)(?:再|老)?给我(?:推|推荐|发|整|看)"
    r"|(?:不许|不准|禁止|别|不要|甭|少)(?:再)?(?:写|说|用|加|带|出现|来)[“「]"
    r"|(?<![人们都总老])(?:叫|喊|称呼|唤)我(?!妈|爸|去|来|回|起|们)|(?:call me)"
)
_REMINDER = (
    r"(?:别忘了|记得)(?=[^，]{0,3}(?:明天|后天|今晚|下个?[周月]|下?周[一二三四五六日]|[0-9]+[月号点]))|提醒我|喊我一声|叫我一声|提醒一下我|提醒下我|别让我忘|记得叫我|到时候叫我"
    r"|到时候喊我|到时候提醒"
)


FORGET = (
    r"^(?:请|麻烦|帮我|你|那|就|把|还是|对了|算了|[，, ])*(?:我)?(?:之前|上次|刚才|前面|以前|昨天)?(?:我)?(?:跟你)?(?:说|提|讲|告诉你)?过?的?"
    r"(?P<o>(?!我|你|这|那|它)[^，。你]{2,12}?)(?:的事[儿情]?|那[件个]?事[儿情]?|这[件个]?事[儿情]?|那个|这个|那条|这条|的记录|的信息)?"
    r"[，,]?(?:你|您|都|就|也|请|给我|帮我)*"
    r"(?:忘了吧|忘掉吧?|忘记吧|(?:别|不要|不用|甭)(?:再)?(?:记|存|留|保存|记录|提)(?:着|住|下)?了?吧?|删(?:了|掉|除)吧?|抹(?:了|掉)|清(?:掉|除))"
    r"(?:[，,](?:别|不要|不用)(?:再)?(?:记|存|留|保存)(?:着|住|下)?了?吧?)?$"
    r"|^(?:请|麻烦|你|就|帮我)*(?:忘掉|忘记|忘了|别记|不要记|删掉|删除)(?:我)?(?:之前|上次|刚才)?(?:我)?(?:说|提|讲)?过?的?(?P<p>(?!我|你|这|那|它)[^，。你]{2,12}?)(?:吧|了)?$"
)
"""A wish that something said before be forgotten."""


_GUESSED = (
    r"^(?!.*(?:什么|怎么|多少|哪|谁|几|啥|咋|你|您|我[记搞弄看听说想]))(?:我(?:家|们)?(?:这|的)?)?(?:(?:会不会|该不会|莫不|别|不会)是[^，]{3,16}"
    r"|(?:总|老|一直)(?:觉得|感觉)[^，]{4,16}|[^，]{2,10}(?:得有|怕是|八成|多半|大概率)[^，]{2,12}吧?)"
    r"[啊呀吧了]*[?？]?$"
)
"""A guess in the form of a question: it says what someone thinks."""


@cache
def _chat() -> Any:
    import re2  # type: ignore[import-untyped]  # `re` takes twice as long for each 哈 more

    words = alternatives(GREETINGS.split() + ACKNOWLEDGEMENTS.split())
    tails = "[啊呀啦哈呢嘛哦噢喔哟咯喽呗吧哩的了诶欸唉～~!！。，,.…？? ]*"
    called = "(?:(?:小?助手|亲爱的?|亲|宝子?|大佬|机器人)[，, ]?)?"
    return re2.compile(rf"(?i){called}(?:(?:{words}){tails})+\n?$")


@cache
def _question_word() -> re.Pattern[str]:
    return re.compile(alternatives(QUESTION_WORDS))


@cache
def _not_asked() -> re.Pattern[str]:
    return re.compile(_NOT_ASKED)


@cache
def _instruction() -> re.Pattern[str]:
    lead = (
        r"(?:那|那么|就|再|先|麻烦|请|帮忙|顺便|你|您|你就|你再|你先|你来|你能|能|可以"
        r"|快|赶紧|另外|最后|ok|好|好的|不错|嗯|直接)?[，, ]?"
    )
    return re.compile(rf"{lead}(?:{alternatives(INSTRUCTION_VERBS)})", re.IGNORECASE)


def is_chat(text: str) -> bool:
    """Whether `text` (plain) greets, thanks, agrees, laughs or sighs, and no more."""
    bare = tidy(text)
    if len(text) <= 12 and pattern(r"(?:晚安|拜拜|再见|回见|明天见)[啦了哦呀~～！!。]*$").search(
        text
    ):
        return True
    return count_han(bare) + len(pattern("[a-zA-Z]{2,}|[0-9]+").findall(bare)) == 0 or (
        len(text) < 40 and bool(_chat().match(bare) or _chat().match(text.strip()))
    )


_OWN_FUTURE = r"(?:^|[，, ])(?:以后|今后|往后)(?:就|都|一直|也)*(?:在|住|去|是|要|得|会|能|想|打算|准备|不[^要用许准必][^，]{0,6}了)(?!.*[你您])"
"""What someone will do from now on themselves: 以后都在深圳."""


def is_rule(text: str) -> bool:
    """Whether `text` tells the assistant how to behave from now on."""
    if pattern(FORGET).match(text.strip("，,。！!~～ ")):
        return True
    if pattern(_OWN_FUTURE).search(text) and not pattern("回答|回复|提醒|推荐|说话|叫我").search(
        text
    ):
        return False
    return bool(pattern(_RULE).search(text)) and not pattern(_REMINDER).search(text)


def is_reminder(text: str) -> bool:
    return bool(pattern(_REMINDER).search(text))


def is_question(text: str) -> bool:
    """Whether `text` (plain) asks."""
    bare = text.rstrip(" ~～…。.!！啊呀呢哈哦嘛噢吧")
    if pattern(_GUESSED).match(text):
        return False
    if pattern(r"[?？][\s~～!！?？)）”\"]*$").search(text):
        return True
    if pattern(r"(?:吗|么|嘛|不|没|没有|不行|不呀|呗)$").search(bare) and _asks_by_ending(bare):
        return True
    if pattern(r"(?<![差爱])([\u4e00-\u9fff])不\1(?![\u4e00-\u9fff]*的人)").search(text):
        return True
    rest = _not_asked().sub("", text)
    return bool(_question_word().search(rest))


def _asks_by_ending(bare: str) -> bool:
    if bare.endswith(("吗", "么")):
        return not bare.endswith(("什么", "那么", "这么", "要么", "多么"))
    # 能不放花生不, 好了没: a verb, then its bare denial.
    return bool(
        pattern(
            r"(?:能|可以|要|会|是|有|好|行|够|得|用|吃|去|对|晓得|知道).{0,12}(?:不|没)$"
        ).search(bare)
        or pattern(r"了没(?:有)?$").search(bare)
    )


def is_instruction(text: str) -> bool:
    """Whether `text` (plain) asks the assistant to do something."""
    bare = tidy(text)
    if pattern(
        r"^(?:我|又|就|还|已经|刚)*(?:请|找|帮|写|查|做|列|算|画|换|加|接|弄|搞|整)(?:了|过|的是)(?!吧)"
    ).match(bare):
        return False  # it is told, not asked for
    if pattern(
        r"^把(?:第|这|那|它|上面|标题|开头|结尾|前|后|最后|文章|代码)[^，]{0,10}(?:删|改"
        r"|换|去|加|缩|调|翻|扩|写|移)"
    ).match(bare):
        return True
    return bool(_instruction().match(bare) or _instruction().match(text)) or bool(
        pattern(
            r"(?:帮|给|替|为)我.{0,6}(?:整理|处理|核对|检查|回复|起草|拟|编|写|改|翻|列|查"
            r"|算|看|找|想|做|推荐|分析|总结|润色|规划|安排|讲|说|画|生成|解释|起|取|选|挑"
            r"|记)|陪我(?:聊|玩|说)"
        ).search(text)
    )


def type_of(text: str) -> Type:
    """The type of a piece of talk."""
    said = plain(text)
    if is_chat(said):
        return "chat"
    if is_reminder(said):
        return "statement"
    if is_question(said):
        return "question"
    if is_rule(said) or is_instruction(said):
        return "instruction"
    return "statement"


__all__ = ["HAN", "is_chat", "is_instruction", "is_question", "is_reminder", "is_rule", "type_of"]
