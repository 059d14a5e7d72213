"""What the user wants of the assistant and that lasts: reminders, and rules for its replies."""

from __future__ import annotations

from loxodon.write.statements import USER, Statement
from loxodon.write.zh.clean import HAN, plain, tidy
from loxodon.write.zh.labels import topic_of
from loxodon.write.zh.scene import Scene
from loxodon.write.zh.speech import FORGET
from loxodon.write.zh.syntax import words_in
from loxodon.write.zh.third import third_person
from loxodon.write.zh.words import pattern


def reminder(bare: str, scene: Scene) -> Statement | None:
    """提醒我… as something the user has to do."""
    text = pattern(
        r"(?:请|麻烦|帮我|你|到时候|记得|到时|可以)*(?:提醒一?下?我|别忘了|喊我一声|叫我一声"
        r"|别让我忘了?)(?:一下|一声)?(?:要|得|记得|去)?"
    ).sub("", bare)
    text = text.strip(" ，,：:")
    if len(text) < 3:
        return None
    text = pattern(r"^(?:我)?(?:要|得)").sub("", text)
    text = pattern(
        r"^([0-9一二三四五六七八九十]+月[0-9一二三四五六七八九十]+[号日]"
        r"|[上下这]?个?周[一二三四五六日末]|明天|后天|今晚)((?:上午|下午|晚上"
        r"|早上)?(?:[0-9一二三四五六七八九十]+点半?)?)(?:我)?(?:要|得|去)?"
    ).sub(r"在\1\2", text)
    rest = third_person(text, scene)
    if not rest:
        return None
    return Statement(
        f"用户要{rest}", USER, "reminder", rest, "plan", topic=topic_of("reminder", rest)
    )


_ADDRESS = (
    rf"(?:叫|喊|称呼|唤|call)(?: )?(?:我|me)(?:为|做|作"
    rf"|一声)?[ “\"「]?(?P<v>[{HAN}]{{1,5}}?|[A-Za-z][A-Za-z ]{{1,16}}?"
    rf"|[{HAN}]{{0,3}}[A-Za-z]{{1,12}})[”\"」 ]?(?:就行|就好|就可以|即可|吧|啦"
    rf"|好了)*(?=[，,。！! ]|$)"
)
_LANGUAGE = (
    r"(?:用|说|讲|拿)(?P<v>中文|英文|英语|粤语|日语|日文|繁体|繁体中文|简体|简体中文"
    r"|普通话|法语|法文|德语|韩语|大白话|白话)(?:来|跟我|和我)?(?:回|答|说|聊|讲"
    r"|沟通|交流|就|写)"
)


def rule(text: str, scene: Scene) -> Statement | None:
    """How the assistant should call the user, answer, or behave."""
    if found := pattern(FORGET).match(text.strip("，,。！! ")):
        return _forget(found["o"] or found["p"])
    stop = pattern(
        rf"(?:别|不要|不许|甭)(?:再)?(?:叫|喊|称呼)我[“「\"]?(?P<v>[{HAN}A-Za-z]{{1,8}}?)[”」\"]?(?:了|啦|$|，)"
    ).search(text)
    if stop:
        return Statement(
            f"用户不希望被叫作{stop['v']}", USER, "form_of_address", stop["v"], act="end",
            over=(stop["v"],), positive=False, topic="回复方式",
        )  # fmt: skip
    if found := pattern(
        rf"(?:别|不要|甭)再?提(?P<o>[{HAN}A-Za-z]{{1,10}}?)(?:了|这事|$|，)"
    ).search(text):
        return Statement(
            f"用户不想再提{found['o']}", USER, "", "", "status", "end", (found["o"],), False
        )
    if found := pattern(
        rf"(?P<o>[0-9月日号{HAN}]{{2,12}}?)(?:那个|这个|的)?(?:就)?(?:别|不要|不用)(?:再)?记了?"
    ).search(text):
        return _forget(found["o"])
    if found := pattern(_ADDRESS).search(text):
        return Statement(
            f"用户希望被称为{found['v'].strip()}",
            USER,
            "form_of_address",
            found["v"].strip(),
            act="change",
            topic="回复方式",
        )
    bare = pattern(
        r"^(?:以后|今后|往后|从现在(?:起|开始)|从今(?:以后|往后)|你|您|能不能|可不可以|能否|请|麻烦|记住|记得"
        r"|都|另外|还有|就|还是|也|那|太累了，?|，|,)+"
    ).sub("", tidy(text))
    if not bare:
        return None
    if found := pattern(_LANGUAGE).search(text):
        return Statement(
            f"用户希望助手用{found['v']}回复",
            USER,
            "reply_language",
            found["v"],
            "preference",
            "change",
            topic="回复方式",
        )
    wished = pattern(
        r"^我(?:更|比较|还是|最|个人)*(?P<not>不喜欢|讨厌|不希望|不想|受不了)?(?:喜欢|希望|习惯|宁愿)?[你您]"
    ).match(bare)
    if wished:
        bare = ("不要" if wished["not"] else "") + bare[wished.end() :]
    bare = pattern(r"^(?:跟|和|对)我(?=说话|聊天)").sub("", bare)
    addressed = pattern(r"(?:你|您)(?![^“]*”)")
    rest = third_person(addressed.sub("", bare), scene)
    if not rest:
        return None
    rest = pattern(r"给用户(?=写|讲|推荐|发|解释|回|用)").sub("", rest)
    rest = pattern(r"(?<=时|候|前|都)请").sub("", rest)
    # How long and how formal an answer is has one value; other wishes stand side by side.
    style = pattern(
        r"简短|简洁|简单|详细|精简|啰嗦|废话|[长短]|[0-9一二两三四五六七八九十几百]+(?:句|个?字|段)|语气|正式|口语|幽默|温柔"
        r"|严肃|活泼|随意|直接"
    ).search(rest)
    units = pattern(r"公制|英制|摄氏|华氏|公里|英里|公斤|磅").search(rest)
    return Statement(
        f"用户希望助手{rest}",
        USER,
        "reply_style" if style else "units" if units else "rule",
        rest,
        "preference",
        positive=not rest.startswith(("别", "不")),
        topic="回复方式",
    )


def _forget(thing: str) -> Statement:
    """What is to be forgotten: nothing of it is kept, not even that it was asked for."""
    thing = pattern(
        r"^(?:关于|我的?|那个|有关)+|(?:的事[儿情]?|那[件个]?事?[儿情]?|这[件个]?事?[儿情]?|的|给我)+$"
    ).sub("", thing)
    over = (thing, thing[0]) if len(thing) == 2 and words_in(thing)[0][1] == "v" else (thing,)
    return Statement(
        f"用户要求不再记{thing}", USER, category="temp", act="end", over=over, positive=False
    )


def cancelled(text: str, earlier: Statement) -> Statement | None:
    """算了取消吧, after a reminder: it is off."""
    if earlier.attribute not in ("reminder", "plan", "todo"):
        return None
    if not pattern(
        r"^(?:哦|嗯|啊|那)?(?:算了|还是)?[，, ]?(?:取消|不用提醒|别提醒|不用了|不去了"
        r"|撤销|删掉|删)(?:了|吧|掉|我|这个|提醒)*(?:[，,。！! ]|$)"
    ).match(text):
        return None
    what = pattern(
        r"[0-9年月日号:：]{2,}|(?:上午|下午|晚上|早上|中午|周[一二三四五六日末])|那一周|的?提醒"
    ).sub("", plain(earlier.value or earlier.content.removeprefix("用户要")))
    what = pattern("^(?:要|在|去)+").sub("", what)
    return Statement(
        f"用户取消了{what}的提醒" if earlier.attribute == "reminder" else f"用户取消了{what}",
        USER,
        "",
        "",
        "status",
        "end",
        (what, earlier.value),
        False,
        topic="计划",
    )


def forgotten(text: str, earlier: Statement) -> Statement | None:
    """那你把这个删了，别记: what was said before is not to be kept."""
    if not pattern(
        r"(?:把)?(?:这个|那个|这条|那条|它|刚才(?:说)?的|上面的)(?:删|忘|去)(?:了|掉)"
        r"|^(?:别|不要|不用)(?:再)?记(?:了|住|下|这个)*$|^(?:忘了|忘掉)(?:它|这个|吧"
        r"|这事)$"
    ).search(text.strip(" ，,。！!")):
        return None
    what = pattern(r"[0-9]{2,}|[A-Za-z0-9]*[0-9][A-Za-z0-9]*").sub(
        "", plain(earlier.content).removeprefix("用户的").removeprefix("用户")
    )
    if earlier.value:
        what = what.replace(plain(earlier.value), "")
    numbers = pattern(r"[0-9]{2,}").findall(earlier.content)
    over = tuple(word for word in (earlier.value, *numbers, what) if word)
    what = pattern(r"[是在，,：:的了叫]+$").sub("", what)
    return Statement(
        f"用户要求不要记录{what or '刚才说的内容'}",
        USER,
        "",
        "",
        "status",
        "end",
        over,
        False,
        topic="回复方式",
    )
