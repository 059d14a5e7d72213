"""Phase 2 for Chinese: which fragments of a user's turn are worth keeping, and why not.

What the whole turn is comes first (a task with pasted text, a story, a dream, a joke, a message for
someone else); then each fragment by itself. A fragment is kept when it says something of the user's
life: it names the user or someone of theirs, or says without a subject what only a person does.
"""

from __future__ import annotations

from functools import cache
from re import Pattern
from re import compile as compiled

from loxodon.write.statements import Fragment, Said, Verdict
from loxodon.write.zh import signs
from loxodon.write.zh.about_self import JOBS
from loxodon.write.zh.answers import adopted, framed
from loxodon.write.zh.attributes import about_of, recognise
from loxodon.write.zh.beliefs import unhedged
from loxodon.write.zh.changes import what_is_over
from loxodon.write.zh.clean import SHORT, count_han, plain, tidy
from loxodon.write.zh.implied import is_bare_result
from loxodon.write.zh.leaving import finished, topic_of_change
from loxodon.write.zh.people import person_pattern, pets
from loxodon.write.zh.person import of_an_occasion, opens_with_own, stands_alone
from loxodon.write.zh.phrasing import straightened
from loxodon.write.zh.reference import named_before, refers, spoken_of
from loxodon.write.zh.scene import Scene, asked, earlier_text
from loxodon.write.zh.speech import is_chat, is_instruction, is_question, is_reminder, is_rule
from loxodon.write.zh.split import is_foreign
from loxodon.write.zh.syntax import noun_head
from loxodon.write.zh.words import PLAIN_RELATION, pattern

# --- what a whole turn is -------------------------------------------------------------------------


@cache
def _lyrical() -> Pattern[str]:
    return compiled(signs.LYRICAL)


MANY = 300
"""A message of more fragments is a document: what is in it is not for rules to tell."""


def judge(said: Said) -> list[Verdict]:
    """A verdict for each fragment of a user's turn."""
    whole = plain(said.text[:20_000])
    reason = _turn_reason(whole, said)
    verdicts: list[Verdict] = []
    hypothetical = made_up = False
    reviewed = bool(said.fragments) and bool(
        pattern(signs.REVIEW).match(tidy(plain(said.fragments[0].text)))
    )
    for fragment in said.fragments[:MANY]:
        text = plain(fragment.text)
        if pattern(signs.HYPOTHETICAL).search(text) or pattern(signs.CITED).search(text):
            hypothetical = True
        if reason:
            verdicts.append(Verdict(False, reason=reason))
            continue
        goes_on = bool(verdicts) and not _ends_sentence(said.fragments[fragment.n - 1].text)
        before = verdicts[-1] if goes_on else None
        kept = any(verdict.keep for verdict in verdicts)
        if reviewed and verdicts and _describes(text, said.fragments[fragment.n - 1], before):
            verdicts.append(Verdict(False, reason="comment"))
            continue
        if made_up and "我" not in text:
            verdicts.append(Verdict(False, reason="fiction"))
            continue
        made_up = made_up or bool(pattern(signs.WRITES_FICTION).search(text))
        verdict = _judged(fragment, text, said, hypothetical, before, kept)
        if verdict.keep and _is_dictated(fragment, verdicts, said, tidy(text)):
            verdict = Verdict(False, reason="request")
        verdicts.append(verdict)
        if _ends_sentence(fragment.text):
            hypothetical = False
    rest = len(said.fragments) - len(verdicts)
    return verdicts + [Verdict(None, reason="long")] * rest


_NEAR = 8
"""How many fragments around one may say what it is about."""


def _asks_for_something(said: Said) -> bool:
    ends = [*said.fragments[:_NEAR], *said.fragments[_NEAR:][-_NEAR:]]
    return any(is_instruction(plain(one.text)) for one in ends)


def _is_dictated(fragment: Fragment, verdicts: list[Verdict], said: Said, bare: str) -> bool:
    """Whether a fragment is what a text to be written is to say, or a line of a form to be filled."""
    if fragment.text.rstrip().endswith(("：", ":")) and len(said.fragments) > fragment.n + 1:
        introduces = pattern(r"(?:说|发|写|问|回|唱|话)$").search(fragment.text.rstrip("：: "))
        return bool(introduces) or said.fragments[fragment.n + 1].type == "chat"
    if any(verdict.reason == "request" for verdict in verdicts):
        told = any(
            pattern(r"^(?:就|你就)?说(?:我|是)").match(tidy(plain(one.text)))
            for one in said.fragments[max(0, fragment.n - _NEAR) : fragment.n]
        )
        if told or _is_content_of(said.fragments[fragment.n - 1], said, bare):
            return True
    form = len(
        pattern(r"(?:^|[，,；;\s])[\u4e00-\u9fff]{2,4}[：:]").findall(plain(said.text[:600]))
    )
    return form >= 2 and _asks_for_something(said)


def _describes(text: str, last: Fragment, before: Verdict | None) -> bool:
    """Whether a fragment only goes on describing the thing that a turn reviews."""
    if "我" in text or person_pattern().match(tidy(text)) or is_question(text):
        return bool(pattern("对我来说|让我|给我").search(text))
    return _ends_sentence(last.text) or before is None or not before.keep


def _ends_sentence(text: str) -> bool:
    return bool(pattern(r"[。！!？?\n]\s*$").search(text))


def _turn_reason(whole: str, said: Said) -> str:
    """Why nothing in a turn is the user's fact, or nothing."""
    checks = (
        ("fiction", signs.FICTION),
        ("fiction", signs.PLAYED),
        ("dream", signs.DREAM),
        ("sarcasm", signs.SARCASM),
        ("joke", signs.MEMES),
        ("mistaken", signs.WRONG_WINDOW),
    )
    for reason, source in checks:
        if pattern(source).search(whole):
            return reason
    if pattern(
        r"^(?:妈|爸|妈妈|爸爸|老婆|老公|媳妇|宝贝|宝|亲爱的|哥|姐|老板|领导"
        r"|[张王李刘陈杨赵黄周吴徐孙][总姐哥工]|亲)[，,～~]?(?:我|你|今晚|晚上|方案|文件"
        r"|快递|饭)"
    ).match(whole):
        return "mistaken"
    if pattern(
        r"^(?:各位)?(?:[\u4e00-\u9fff]?(?:老师|总|经理|主任|阿姨|师傅|房东|客服|领导"
        r"|家长|业主|亲)们?)(?:您|你)?好[，,！! ]"
    ).match(whole):
        return "mistaken"
    if len(set(_lyrical().findall(whole))) >= 2 and not pattern(
        r"工作|上班|公司|岁|住在|喜欢|买|考"
    ).search(whole):
        return "lyrics"
    if _is_verse(whole):
        return "lyrics"
    return "fiction" if _goes_on_with_fiction(whole, said) else ""


def _is_verse(whole: str) -> bool:
    """床前明月光，疑是地上霜: two lines of five or of seven, without a word of talk."""
    found = pattern(
        r"(?:^|[，。！？：“\s])([\u4e00-\u9fff]{5}|[\u4e00-\u9fff]{7})[，,]([\u4e00-\u9fff]{5}|[\u4e00-\u9fff]{7})(?=[，。！？”\s]|$)"
    ).search(whole)
    return (
        found is not None
        and len(found[1]) == len(found[2])
        and not stands_alone(found[1])
        and not pattern("[我你他她了的在有不没吗呢个岁和也都很就]").search(found[1])
        and not pattern("[你他她了的在吗呢个岁和也都很就]").search(found[2])
    )


def _goes_on_with_fiction(whole: str, said: Said) -> bool:
    """Whether a turn only works on the story, translation or text of the turn before it."""
    played = any(
        line.role == "user"
        and pattern(
            r"角色扮演|扮演|来练|相声|接龙|来编|一起编|你(?:来)?[当做]我|模拟(?:面试|对话)|你(?:来)?(?:当|是"
            r"|演|扮|装)[^，]{1,6}[，,]?我(?:来)?(?:当|是|演|扮|装)"
            rf"|{signs.PLAYED}"
        ).search(plain(line.content[:500]))
        for line in said.before
    )
    before = earlier_text(said)
    if played and pattern(signs.ROLE_OVER).search(whole):
        return False
    if played or not before or len(whole) > 60:
        return played
    told = said.before[-1].content[:40] if said.before else ""
    if pattern(r"从前|故事写好|很久以前|^故事").search(plain(told)) and "我" not in whole:
        return True
    task = pattern(signs.FICTION).search(before) or pattern(r"翻译|润色|改写|续写|仿写").search(
        before
    )
    return bool(task) and not pattern("我|咱|俺").search(whole)


# --- a fragment -----------------------------------------------------------------------------------


def _judged(
    fragment: Fragment,
    text: str,
    said: Said,
    hypothetical: bool,
    before: Verdict | None,
    any_kept: bool,
) -> Verdict:
    bare = tidy(straightened(text))
    reason = _dropped(fragment, text, bare, said, hypothetical, before, any_kept)
    if reason:
        return Verdict(False, reason=reason)
    about = about_of(pattern("^(?:我|本人)(?:们)?").sub("", bare))
    if is_rule(text):
        return Verdict(True, "preference", _bonus(text, plain(said.text[:SHORT])), "rule")
    if before and before.reason == "rule" and is_instruction(text):
        return Verdict(True, "preference", 0.0, "rule")
    return Verdict(True, about, _bonus(text, plain(said.text[:SHORT])))


def _dropped(
    fragment: Fragment,
    text: str,
    bare: str,
    said: Said,
    hypothetical: bool,
    before: Verdict | None,
    any_kept: bool,
) -> str:
    """Why a fragment is not kept, or nothing."""
    if is_foreign(fragment.text) or _is_pasted(fragment, said):
        return "quoted"
    if (
        fragment.n == 0
        and len(said.fragments) > 1
        and (bare in PLAIN_RELATION or pattern(JOBS).fullmatch(bare))
    ):
        return "chat"
    if fragment.type == "chat" or is_chat(text):
        denies = bare in ("没有", "没") and framed(asked(said), bare, Scene(said), "")
        return "" if denies or _answers(bare, said) else "chat"
    if pattern(signs.TAKEN_BACK).search(text):
        return "joke"
    if is_bare_result(bare) and not any_kept:
        return "unrelated"
    if hypothetical:
        return "hypothetical"
    if is_reminder(text):
        return "" if count_han(bare) > 7 else "request"
    if is_rule(text) and not pattern(signs.STUDY_PROBLEM).search(text):
        return ""
    if before and before.reason == "rule" and is_instruction(text):
        return ""
    if is_question(text):
        return "question"
    if (
        before
        and before.reason in ("request", "quoted")
        and pattern(signs.OF_A_REQUEST).match(bare)
    ):
        return "request"
    if (
        before
        and before.reason in ("question", "general")
        and pattern(r"^(?:听说|据说|好像|可能|应该)(?:在|是|又|还|也|都|已经)").match(bare)
        and "我" not in said.fragments[fragment.n - 1].text
    ):
        return "general"
    if pattern(r"^(?:那)?就?说我|^就说").match(text):
        return "request"
    if pattern(r"^(?:不要|别|不许|不准)再?(?:跟|给|对|问|笑|催|逼|烦|骗|说)我").match(bare):
        return "request"
    if pattern(r"^(?:不要|别|不许|不准)(?!是|人)").match(bare) and not pattern("我").search(bare):
        return "request"
    if (
        is_instruction(text)
        and not (before and before.keep and _done_by_another(said.fragments[fragment.n - 1], bare))
        and not pattern(r"我.{0,8}(?:过敏|不吃|是|在|有|喜欢)|我[^，]{0,6}了$").search(text)
    ):
        return "request"
    reason = before and before.keep and pattern(r"^(?:但|可是|不过|因为|主要是|就是)").match(text)
    reason = reason or pattern(signs.TASTE).match(bare)
    if not reason and (pattern(signs.FEELING).match(bare) or pattern(signs.COMPLAINT).search(bare)):
        return "feeling"
    if adopted(text, said):
        return ""
    if refers(bare) and (
        (not any_kept and spoken_of(said))
        or named_before([plain(one.text) for one in said.fragments[: fragment.n]][-3:], 3)
    ):
        return ""
    if before and before.keep and _done_by_another(said.fragments[fragment.n - 1], bare):
        return ""
    if pattern(signs.WANTED).match(bare) and not pattern(signs.SOUGHT_IN_LIFE).search(bare):
        return "request"
    if pattern(signs.SOURCE_ONLY).search(bare) or pattern(signs.META).search(bare):
        return "comment"
    if pattern(signs.PROVERB).search(bare) or pattern(signs.STUDY_PROBLEM).search(bare):
        return "saying"
    goes_on = before is not None and before.keep is True
    whole_clause = goes_on and count_han(bare) >= 6 and not pattern("[了的]$").search(bare)
    if _takes_advice(text, said) or (not whole_clause and _comments(bare, said)):
        return "comment"
    if pattern(signs.COMMENT).match(bare):
        return "comment"
    if not goes_on and pattern(signs.SURROUNDINGS).match(bare):
        return "comment"
    if pattern("[你您]").search(_without_asides(bare)) and not _names_user(bare):
        return "comment"
    of_everyone = pattern(signs.GENERAL).match(bare) and not of_an_occasion(bare)
    if of_everyone or pattern(signs.HEARD).search(bare):
        return "general"
    if pattern(signs.OPINION_OF_OTHERS).search(bare) and not pattern(
        r"^(?:其实|但)?我(?:也|还是|个人|一直)?(?:觉得|认为|以为|相信)"
    ).match(bare):
        return "opinion"
    lasting = pattern(signs.LASTING).search(bare) and not pattern(r"(?:今天|刚才|今晚)才").search(
        bare
    )
    lasting = lasting or _is_an_experience(bare)
    if pattern(signs.MOMENT).search(bare) and not lasting:
        return "momentary"
    goes_on_so = before and before.reason == "momentary" and not lasting
    if goes_on_so and not recognise(bare).attribute and not noun_head(bare):
        return "momentary"
    if fragment.n == 0 and asked(said) and framed(asked(said), bare, Scene(said), ""):
        return "request" if _is_of_the_task(said) else ""
    if pattern(signs.UNINFORMATIVE).match(bare):
        return "empty"
    if count_han(bare) + len(pattern(r"[A-Za-z0-9]+").findall(bare)) * 2 < 2:
        return "empty"
    if (
        before
        and before.reason == "request"
        and _is_content_of(said.fragments[fragment.n - 1], said, bare)
    ):
        return "request"
    own = pattern(r"我|咱|俺").search(bare) or person_pattern().search(bare) or of_an_occasion(bare)
    after_general = before is not None and before.reason == "general"
    worldly = after_general or _is_about_the_world(unhedged(bare))
    if not own and not any_kept and worldly and not _is_topic_comment(bare):
        return "general"
    if not said.before and fragment.n == 0 and pattern(signs.REVIEW).match(bare):
        return ""
    if goes_on or _is_of_the_user(bare, said) or _may_be_of_the_user(bare, said, before):
        return ""
    return "unrelated"


def _done_by_another(last: Fragment, bare: str) -> bool:
    """我妈来了，帮我带孩子: who was just spoken of does it, not the assistant."""
    return bool(
        pattern(
            r"^(?:还|也|天天|经常|每天)?(?:帮|给|陪|替|教)我(?!写|查|算|翻|推|看看|找|想|改|列|生成|总结|分析|解释|讲|说)"
        ).match(bare)
        and person_pattern().match(tidy(plain(last.text)))
    )


def _is_an_experience(bare: str) -> bool:
    """昨天我去面试了一家公司: what someone did on a day, told in full."""
    return bool(
        pattern(
            r"^(?:我们?|昨[天晚]我们?)(?:昨[天晚]|前天)?.{0,6}?(?:面试|参加|见|签|报名|收到|第一次|陪|带|去了)"
        ).match(bare)
        and pattern("昨[天晚]|前天").search(bare)
        and pattern("[了过]").search(bare)
        and count_han(bare) >= 9
    )


def _advice(said: Said) -> str:
    """What the assistant said last, unless it asked."""
    if not said.before or said.before[-1].role == "user" or asked(said):
        return ""
    return plain(said.before[-1].content[:2_000])


def _takes_advice(text: str, said: Said) -> bool:
    """好，从明天开始背: what was advised will be done, or not."""
    if _advice(said) and pattern(signs.ACCEPTED).match(tidy(text)):
        return True
    return bool(_advice(said)) and bool(
        pattern(
            r"^(?:好的?|行|嗯+|那|ok|可以)[，, ]?.{0,8}(?:试试|开始|从明天|今晚|这就|马上"
            r"|回头|改天|去看看|记下|不用)"
        ).match(text)
    )


def _comments(bare: str, said: Said) -> bool:
    """番茄工作法对我没用: what someone thinks of what the assistant spoke of; 太贵了."""
    if pattern("^我").match(bare) or person_pattern().match(bare) or recognise(bare).attribute:
        return False
    if pattern(
        r"^(?:太(?![极太原湖阳])|不够|有点|有些|真|超|好|挺|蛮|巨|贼|特别|非常|比较|很)(?!喜欢|爱|怕"
        r"|讨厌|想|会|擅长|熟|在意|重视|依赖|习惯)"
    ).match(bare):
        return "我" not in bare
    head = pattern(r"^[A-Za-z]{2,}|^[\u4e00-\u9fff]{2}").match(bare)
    return head is not None and head[0] in _advice(said) and not stands_alone(bare)


def _without_asides(text: str) -> str:
    return pattern(r"你(?:知道|懂|晓得|看|说)(?:的|吧|吗|不|了)?(?=[，,]|$)").sub("", text)


def _names_user(text: str) -> bool:
    return bool(pattern(r"(?:叫|喊|称呼|唤)我|跟你说|告诉你|call me").search(text))


def _is_pasted(fragment: Fragment, said: Said) -> bool:
    """Whether a fragment stands behind the colon of a task: 翻译：…"""
    at = said.text.find(fragment.text, 0, 20_000)
    head = plain(said.text[max(0, at - 40) : at]) if at > 0 else ""
    return bool(
        pattern(
            r"(?:翻译|润色|改写|总结|概括|缩写|扩写|续写|校对|回复|仿写|改下这份[^，]{0,6}"
            r"|修改|转发|这段话?|这封邮件)[^，。！？\n：:]{0,12}[：:]\s*$"
        ).search(head)
    )


def _is_of_the_task(said: Said) -> bool:
    """要什么风格的？ 古风: an answer that says how a text or a picture is to be."""
    if pattern("你.{0,3}(?:喜欢|爱)|您.{0,3}(?:喜欢|爱)").search(asked(said)):
        return False
    return is_instruction(earlier_text(said)) and bool(
        pattern(
            r"风格|字|语气|格式|主题|题材|多长|篇幅|用途|场合|开头|结尾|角色|主角|写给|发给|标题|版本|语言|对象|颜色|类型"
            r"|内容|名字|主人公|难度|希望|想要|侧重|重点|几[道篇段首条]"
        ).search(asked(said))
    )


def _answers(bare: str, said: Said) -> bool:
    """Whether a bare yes answers a question about the user."""
    question = asked(said)
    return (
        bool(question)
        and bool(pattern(r"(?:你|您|^)?.{1,20}(?:吗|了|吧)$").search(question))
        and bool(pattern(r"^(?:嗯+|对|对的|对啊|是|是的|是啊|没错|有|有的|yes|yep)$").match(bare))
    )


def _is_of_the_user(bare: str, said: Said) -> bool:
    """Whether a statement is about the user's life."""
    if pattern(r"我|咱|俺").search(bare):
        return True
    if person_pattern().search(bare) or pattern(rf"^(?:{pets()})").match(bare):
        return True
    if any(
        name and (name in bare or (len(name) == 3 and name[1:] in bare))
        for name in said.known.values()
    ):
        return True
    said_of = unhedged(bare)
    if stands_alone(said_of) or pattern(
        r"^(?:[小老阿][\u4e00-\u9fff]|[\u4e00-\u9fff]{1,3}(?:老师|医生|教授|总|师傅"
        r"|经理|主任))(?=[\u4e00-\u9fff])"
    ).match(said_of):
        return True
    if recognise(said_of).attribute or of_an_occasion(said_of):
        return True
    if any(
        name and len(name) > 1 and name in bare
        for one in said.earlier
        for name in (one.subject, one.value)
    ):
        return True
    wanted = pattern(r"什么|啥|哪|谁|多少|几|多久|多大|怎么|(?:定|选|想|决定)好?了吗").search(
        asked(said)
    )
    return (bool(wanted) and len(bare) <= 12) or _is_topic_comment(bare)


def _may_be_of_the_user(bare: str, said: Said, before: Verdict | None) -> bool:
    """A statement that names nobody, where there is nothing else it could be about: what people tell
    of their life they tell without a subject."""
    if before and before.reason not in ("momentary", "feeling", "chat", "unrelated"):
        return False
    if count_han(bare) < 4 or _asks_for_something(said):
        return False
    if pattern(
        r"别|不要|[：:]|[股油房金物菜]价|股市|大盘|国足|联赛|世界杯|奥运|政策|^(?:听说|据说|网传|感觉|测试|第.{1,2}[题个条])|^[^，]{0,8}(?:太|好|真|超|绝|逗|离谱)"
    ).search(bare):
        return False
    if count_han(bare) * 2 < len(bare):
        return False
    company = any(
        plain(one.text).find(bare) < 0
        and not is_question(plain(one.text))
        and _is_of_the_user(tidy(plain(one.text)), said)
        for one in said.fragments[:_NEAR]
    )
    if not (company or said.earlier):
        return False
    spoken_of = {bare[at : at + 2] for at in range(len(bare) - 1)}
    told = plain(said.before[-1].content[:2_000]) if said.before else ""
    return not any(
        pattern(r"[\u4e00-\u9fff]{2}|[A-Za-z]{2}").match(bit) and bit in told for bit in spoken_of
    )


def _is_content_of(asked_for: Fragment, said: Said, bare: str) -> bool:
    """What a text to be written is to say: 写一段自我介绍，姓名李明，25岁."""
    whole = plain(said.text[:400])
    return (
        bool(
            pattern(
                r"(?:写|编|拟|起草|生成|做|改|出)[^，。]{0,10}(?:介绍|简历|文案|信|稿|报告|申请"
                r"|邮件|话术|请假条|通知|检讨|贺词|祝福|作文|故事|读后感|日记|推荐语|评语|题)"
            ).search(whole)
        )
        and "我" not in bare
        and not person_pattern().match(bare)
    )


def _is_about_the_world(bare: str) -> bool:
    """爱因斯坦是德国人: a name or noun nobody has spoken of, and what it is or did."""
    found = pattern(
        r"^(?P<head>[\u4e00-\u9fff·A-Za-z]{1,7}?[^的\W])(?:是|原名|本名|住在|出生|位于|需要|包含|源于|分为|是指"
        r"|属于|成立|发明|发现|说过|获得|又?(?:降价|涨价|发布|上映|夺冠|官宣|破产|上市))"
    ).match(bare)
    adverb = pattern(r"^(?:最后|最终|结果|后来|终于|还|到底)").match(bare)
    return found is not None and not adverb and not opens_with_own(found["head"])


def _is_topic_comment(bare: str) -> bool:
    """What was done with something, the something first: 舍曲林停了, 科目二挂了两次."""
    if pattern(signs.OF_THE_WORLD).search(bare):
        return False
    return bool(
        topic_of_change(bare)
        or finished(bare)
        or what_is_over(bare)
        or pattern(r"^(?:现在|目前|如今|已经)(?:只|就|都|改|不|全|没)").match(
            bare[len(noun_head(bare)) :]
        )
        or pattern(r"^那[套辆台趟只条块份场间本部把张个家边件款双栋]").match(bare)
        or pattern(
            r"^.{1,8}(?:目标|计划|时间|地点|日期|预算|名字|价格|费用|房租|老师|教练|医生|名称|型号|颜色|尺寸|版本|题目"
            r"|风格)(?:是|在|叫|定|就是|还是)"
        ).match(bare)
        or pattern(
            r"^[^，]{1,10}(?:离职|辞职|走|搬走|回国|退休|坏|丢|到手|回血|出手|吹|黄|凉|关门|关张|倒闭|到期|送人|去世)了"
        ).match(bare)
        or pattern(r"^(?:已经?)?(?:逃离|离开|告别|找到|搬离|退出|all in)").match(bare)
        or pattern(r"^[A-Za-z][\w .+-]{0,14}(?:用|读|念|上班|实习|还差|还没|已经)").match(bare)
        or pattern(
            r"^[^，我你他她]{2,8}?(?:(?:一直|都|平时|主要|全)+(?:用|靠|走|上)的?是?[^，户于途]{2}|用的?是?[A-Z])"
        ).match(bare)
        or pattern(r"^.{1,6}那[套辆台趟只条块份场间本部把张]").match(bare)
        or pattern(r"^.{2,8}(?:降到|涨到|变成|改成|换成|减到|加到|升到)").match(bare)
        or pattern(r"^.{2,8}(?:还|一直)?(?:留着|在用|用着|在吃|没退|没停|还差)").match(bare)
        or pattern(
            r"^.{2,10}(?:给|发|下)(?:了)?(?:我)?offer|^.{2,8}不[\u4e00-\u9fff]{1,2}了$"
        ).match(bare)
        or pattern(
            r".{1,10}(?:退费|退订|退租|退学|退款|吃|喝|学|考|用|玩|读|练|买|卖|报|停|退|戒"
            r"|断|挂|过|换|改|订|定|取消|推翻|撤|拒|拆|摔|租|搬|放弃|养|种|投|转)(?:了|过|掉"
            r"|完|成|到|不了|不)"
        ).match(bare)
    )


_BONUSES = (
    (
        0.5,
        (
            r"记住|以后都|以后.{0,10}都|从现在起|从今以后|一定要记|千万记"
            r"|务必记|牢记|别忘了"
            r"|remember|from now on|记一下|记下来|帮我记"
        ),
    ),
    (0.3, r"重要|关键|要紧|important|切记|务必|千万"),
    (0.1, r"超级|特别特别|太.{1,4}了|最.{0,2}(?:爱|恨|讨厌|喜欢)|！！|!!|气死|激动|崩溃|绝对|打死"),
    (-0.2, r"顺便|顺带|by the way|btw|随口"),
)


def _bonus(text: str, whole: str) -> float:
    """What the way it was said adds to the importance; 记住 holds for the whole turn."""
    found = sum(amount for amount, source in _BONUSES if pattern(source).search(text))
    if not pattern(_BONUSES[0][1]).search(text) and pattern(
        r"^.{0,6}(?:记住|记一下|帮我记)|(?:记住|记一下|别忘了)[^，]{0,4}$"
    ).search(whole):
        found += 0.5
    return found
