"""How a clause is built, told from a dictionary where no list of words knows it.

An unknown noun is still a noun: `noun_head` finds the one that a clause opens with, `is_topic`
whether a clause names a thing and says nothing of it yet (瑜伽课那个，).
"""

from __future__ import annotations

from functools import lru_cache

from loxodon.write.zh.words import pattern

_LONGEST = 60
_NOUNS = frozenset("n nr ns nt nz nrt nrfg ng vn an j eng s nl".split())
_INSIDE = _NOUNS | frozenset("a b m q uj mq".split())
"""What may stand in a phrase with a noun, before it."""
_NO_NOUNS = frozenset(
    "结果 原因 情况 时候 时间 问题 感觉 人 人家 别人 大家 有人 东西 事 事情 样子 地方 个人 自己 家里 网上 系 头 全部 关键".split()
)


_NO_NOUN_BEGINS = frozenset("太很挺超不没也都就又还已被把给跟在是有说我你他她这那")
"""What an unknown word that was taken for a noun may begin with: 太苦 is none."""


@lru_cache(maxsize=1_024)
def words_in(text: str) -> tuple[tuple[str, str], ...]:
    """The words of a text (its first), each with its part of speech."""
    # Imported here: it loads a dictionary.
    import rjieba

    return tuple(rjieba.tag(text[:_LONGEST]))


def noun_head(text: str) -> str:
    """The noun phrase that a clause opens with where a predicate follows it, else nothing."""
    end = at = 0
    words = words_in(text)
    for n, (word, tag) in enumerate(words):
        if tag not in _INSIDE or (
            n == 0 and (tag in ("uj", "m") or (tag == "q" and len(word) < 2))
        ):
            break
        if word[0] in _NO_NOUN_BEGINS:
            break
        at += len(word)
        if tag in _NOUNS:
            end = at
    if text[end : end + 1] in ("了", "掉") and words[n - 1][1] in ("n", "vn") and n > 1:
        end -= len(words[n - 1][0])  # no noun has 了 behind it: 退坑 is what was done
    head = text[:end]
    if len(head) < 2 or end == len(text) or head in _NO_NOUNS:
        return ""
    return "" if text[end] in "的，,、和跟与" else head


def nouns_in(phrase: str) -> tuple[str, ...]:
    """The nouns of a phrase that name something by themselves: 有道 in 有道广告."""
    return tuple(
        word
        for word, tag in words_in(phrase)
        if tag in _NOUNS and len(word) > 1 and word not in _SIDES and word not in _NO_NOUNS
    )


_SIDES = frozenset(
    "预算 价格 广告 效果 味道 质量 口感 名额 老师 老板 时间 地点 费用 压力 强度 难度 环境 位置 服务 态度 功能 界面 速度 作业 房东".split()
)
"""Sides of a thing: that one of them is bad is said of the thing."""


def without_side(phrase: str) -> str:
    """The thing of which a phrase names a side: 有道 of 有道广告."""
    side = next(
        (word for word in _SIDES if phrase.endswith(word) and len(phrase) > len(word) + 1), ""
    )
    return phrase.removesuffix(side).rstrip("的")


def is_noun(text: str) -> bool:
    """Whether a text is a noun phrase and nothing else."""
    words = words_in(text)
    return (
        bool(words)
        and len(text) <= 14
        and words[-1][1] in _NOUNS
        and all(tag in _INSIDE for _, tag in words)
        and text not in _NO_NOUNS
    )


def ends_in_noun(text: str) -> bool:
    """Whether a short text is a thing named by what is done with it: 外包合同."""
    words = words_in(text)
    return (
        len(words) == 2
        and words[0][1] in ("v", "a", "vn")
        and len(words[0][0]) > 1
        and words[1][1] == "n"
    )


_MARK = r"(?:那个|这个|那边|这边|那块|这块|方面|[这那]件?事[儿情]?|的事[儿情]?|那趟|那次|的话|嘛|呢|啊|哈|这门课|那门课)+"


def topic_in(clause: str) -> str:
    """The thing that a clause names and marks as what it goes on about: 瑜伽课 in 瑜伽课那个，."""
    found = pattern(
        rf"^(?:至于|说到|关于|对了|那个)?(?P<t>[^，,我你他她它这那]{{2,12}}?){_MARK}[，, ]*$"
    ).match(clause)
    if found is None:
        return ""
    topic = found["t"].rstrip("的")
    if topic.startswith(("没", "不", "有")):
        return ""  # 没有的事: a denial
    last = words_in(topic)[-1:]
    return (
        topic if is_noun(topic) or (last and last[0][1] in ("v", "vn") and len(topic) <= 4) else ""
    )
