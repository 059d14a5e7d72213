"""What a predicate says of its subject: attribute and value, by the patterns of each theme."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import NamedTuple

from loxodon.write.attributes import ATTRIBUTES
from loxodon.write.statements import About
from loxodon.write.zh import about_life, about_self
from loxodon.write.zh.syntax import words_in
from loxodon.write.zh.words import CHILDREN, PLAIN_RELATION, pattern


class Found(NamedTuple):
    attribute: str = ""
    value: str = ""
    of: str = ""
    """What has the value, where that is not the subject of the clause: 雅思 has a score."""


NOTHING = Found()
_SHORT = {
    "科一": "科目一",
    "科二": "科目二",
    "科三": "科目三",
    "科四": "科目四",
    "滴酒不沾": "酒",
    "不吃辣": "辣",
    "吃不了辣": "辣",
}
_HAD = (
    "owns",
    "car",
    "phone",
    "computer",
    "pet",
    "subscription",
    "membership",
    "home",
    "employer",
    "school",
)
_PLACED = frozenset(["home", "hometown", "workplace", "employer", "school"])
_WISH = (
    r"(?:想|打算|准备|考虑|计划|要|将|考|面试)[^，]{0,6}$|^(?:想|打算|准备|考虑|计划"
    r"|下周|下个?月|明年|明天)"
)


@cache
def _table() -> tuple[tuple[str, re.Pattern[str]], ...]:
    listed = (*about_self.patterns(), *about_life.patterns())
    return tuple((name, re.compile(source)) for name, source in listed)


_NOT_A_VALUE = re.compile(
    r"^[0-9一二两三四五六七八九十几半百]+(?:多|来)?个?(?:天|年|月|小时|钟头|分钟|次|回|遍|趟|星期|礼拜|周|晚上?|阵子)$"
    r"|^(?:趟|次|回)|^(?:的|了|是|个|一个|这|那|些|点|什么|啥|就|都|也|很|不|没|得|着|过|我|你|他"
    r"|她|它|用户|里|上|下|一起|一下|现在|今天)*$"
    r"|^(?:了|的|着|过|得)|^(?:改|换|变)了?$|^[去来]住|^从小"
)


@lru_cache(maxsize=512)
def recognise(predicate: str) -> Found:
    """The attribute and the value that a predicate (plain, without its subject) gives."""
    if pattern(
        r"^(?:我|用户)?(?:等(?=.{2,}了，)|之前|以前|曾经?|原来|从前|当年|过去|小时候|年轻时|年轻的时候|那时候?|当时|退休前|[上读][^，]{1,3}的?时候?)"
    ).match(predicate):
        return NOTHING  # what used to be is not what is
    for name, compiled in _table():
        found = compiled.search(predicate)
        if not found:
            continue
        groups = found.groupdict()
        value = (groups.get("v") or groups.get("w") or "").strip(" ，,、的")
        if name == "plan" and pattern("不会|不想|没打算|不打算").search(predicate):
            continue
        value = value.removesuffix("了") if len(value) > 1 else value
        value = pattern(
            r"^(?:现在|目前|真的?|一点儿?|完全|根本|连)+(?=.)|(?<=.)(?:(?<![成京首新江丰于花古])都|也)$"
        ).sub("", value)
        if name in _HAD and pattern(r"没有?(?:买|换|提|入|租)|不(?:买|换|提)").search(predicate):
            return NOTHING
        if name in _PLACED and (pattern("[了着]|过的").search(value) or _ends_in_verb(value)):
            continue  # a place holds no verb
        if value and not _NOT_A_VALUE.match(value) and not pattern("[^是]是[^是]").search(value):
            wished = name in _HAD and pattern(_WISH).search(
                predicate[: found.start("v") if groups.get("v") else found.end()]
            )
            if name == "owns" and value in PLAIN_RELATION:
                name = "child" if PLAIN_RELATION[value] in CHILDREN else "knows"
            of = (groups.get("w") or "") if name == "score" and groups.get("v") else ""
            return Found("plan" if wished else name, _SHORT.get(value, value), of)
    return NOTHING


def _ends_in_verb(value: str) -> bool:
    """老家种地: a place, and what is done there."""
    words = words_in(value)
    return len(words) > 1 and words[0][1] in ("ns", "s", "n", "f") and words[-1][1] == "v"


def about_of(predicate: str) -> About:
    """What a clause is about, for its importance."""
    if pattern(r"过敏|自杀|自残|急救|报警|家暴|紧急联系人|血型|心梗|休克|禁忌").search(predicate):
        return "health"
    found = recognise(predicate)
    return ATTRIBUTES[found.attribute].about if found.attribute in ATTRIBUTES else "fact"
