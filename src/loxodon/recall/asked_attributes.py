"""Finds the attribute that a question is about, as memories name it.

"Where do I live?" and 我住哪儿 ask for `home`, whatever words it was told in. The table has the
most common questions. A wrong guess costs little: these results compete with those of words.
"""

from __future__ import annotations

import re
from functools import cache

from loxodon.recall.understand import Question, compiled
from loxodon.text.words import fold

USER = "user"  # The subject of what the user says of themselves (`language/statements.py`)

# Attributes, then what questions for them say. Those behind a stroke are not what is asked for, but
# tell of it. In English a word matches where it begins one.
_TABLE = """
home / living_with | live, living, address, reside, moved to | 住, 家在, 地址, 搬到
employer workplace occupation | work for, do i work, employer, company, workplace | 公司, 上班
occupation employer workplace | for a living, job, profession, what do i do | 职业, 职位, 做什么
employer workplace occupation | occupation | 单位, 工作
name nickname form_of_address | my name, am i called, call me | 我叫什么, 名字, 称呼
age | how old, age | 几岁, 多大, 年纪, 年龄
birthday | birthday, born | 生日, 出生
hometown | hometown, am i from, come from | 老家, 家乡, 哪里人
allergy / avoids diet condition | allerg | 过敏
diet / avoids allergy condition | eat, diet | 饮食, 吃素
avoids allergy diet / condition | avoid, not eat, can't i eat | 忌口, 不能吃, 吃不了, 不吃
medication dose / condition | medic, pill, tablet, dose | 药, 剂量
condition / medication allergy | condition, illness, ill, health | 病, 毛病, 身体
commute | commute, get to work | 通勤, 上下班
car | car, drive | 车
school major | school, university, college, study, major | 学校, 大学, 专业, 读书
education degree | degree, education | 学历
language native_language | language, speak, learning | 语言, 会说, 学什么
hobby likes | hobb, free time, interests | 爱好, 兴趣, 业余
favourite likes | favourite, favorite, do i like | 喜欢, 最爱
dislikes avoids | dislike, hate | 讨厌, 不喜欢
bedtime wake_time habit | wake, get up, bed, sleep | 起床, 睡
salary | salary, earn | 工资, 薪水, 收入
height weight | tall, height, weigh | 身高, 体重, 多高, 多重
reply_language reply_style | reply, answer me, respond | 回复, 回答
"""
# These are the user's own, though they name someone else: whose boss, whose dog.
_OF_USER = """
partner partner_status | wife, husband, partner, fianc, spouse | 老婆, 老公, 妻子, 丈夫, 爱人
partner partner_status | boyfriend, girlfriend | 男朋友, 女朋友, 男友, 女友, 对象
marital_status partner_status | married, single | 结婚, 单身
manager | boss, manager, supervisor | 老板, 上司, 领导, 经理
pet | dog, cat, pet | 宠物, 猫, 狗
child | kid, child, son, daughter | 孩子, 儿子, 女儿
sibling | sister, brother, sibling | 妹妹, 姐姐, 弟弟, 哥哥
relative | niece, nephew, cousin | 侄, 外甥, 表
doctor therapist | doctor, dentist, therapist | 医生, 牙医
teacher | teacher, tutor, coach | 老师, 教练
"""


def asked_attributes(question: Question) -> dict[tuple[str, str], bool]:
    """The (subject, attribute) pairs that a question may be after, most likely ones first; each
    with whether it is what the question asks for, or only tells of it."""
    text = fold(question.focus)
    names = [one.entity.name for one in question.entities]
    own = _OWN.search(text) is not None or question.language == "zh"
    rows = _matching(text, _TABLE)
    subjects = names or (
        [USER] if own and rows and not is_of_another(text, question.language) else []
    )
    found: dict[tuple[str, str], bool] = {}
    for attributes in rows:
        asked = attributes.index("/") if "/" in attributes else len(attributes)
        for n, attribute in enumerate(attributes):
            for subject in subjects if n != asked else ():
                pair = subject, attribute
                found[pair] = n < asked or found.get(pair, False)
    for attributes in _matching(text, _OF_USER) if own else ():
        found |= {(USER, attribute): True for attribute in attributes}
    return found


def asks_of_user(question: Question) -> bool:
    """Whether someone asks for an attribute of themselves: 我住哪儿, where do I live."""
    if question.entities or question.kind == "none" or len(question.asks) > 1:
        return False
    text = fold(question.focus)
    if not _OWN.search(text) or not _matching(text, _TABLE):
        return False
    return not is_of_another(text, question.language)


def is_of_another(text: str, language: str) -> bool:
    """Whether a text is about someone by what they are to the user, and not about the user:
    我哥做什么生意, what does my cousin do."""
    folded = fold(text)
    people = compiled(language, "RELATION").finditer(folded)
    mine = any(_MINE.search(folded[: one.end()], max(0, one.start() - 12)) for one in people)
    return mine or _NAMED.match(text) is not None


_OWN = re.compile(r"\b(?:i|my|me|we|our)\b|[我咱]")
_MINE = re.compile(r"\b(?:my|our) (?:\w+ )?[\w'-]+$|[我咱](?:们|家)?的?(?:\w{1,3})$")


# A sentence about somebody by name: `Eve lives in Berlin`
_NAMED = re.compile(r"(?:[A-Z][\w'’-]+ ){1,3}(?:[a-z]+s|has)\b(?!.*\b(?:I|[Ww]e|[Mm]y|[Oo]ur)\b)")


def _matching(text: str, table: str) -> list[list[str]]:
    """The attributes that a folded text names, a list for each row of a table."""
    return [
        attributes
        for attributes, english, chinese in _rows(table)
        if any(word in text for word in chinese) or any(f" {one}" in f" {text}" for one in english)
    ]


@cache
def _rows(table: str) -> list[tuple[list[str], list[str], list[str]]]:
    rows = [line.split(" | ") for line in table.strip().splitlines()]
    return [(names.split(), en.split(", "), zh.split(", ")) for names, en, zh in rows]
