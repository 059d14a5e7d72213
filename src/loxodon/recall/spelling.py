"""Near spellings: names one edit away, if nothing has the word as it was typed.

In Latin script that is one letter; in Chinese, one character that sounds or looks like the
right one (晓美 for 小美). Only for names: any other word that the memory lacks is usually just
missing, and words spelled like it mean something else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from loxodon.recall.understand import Question
from loxodon.store import Having
from loxodon.store.store import Store
from loxodon.text.words import fold, query_words, stem_of

_ALPHABET = "abcdefghijklmnopqrstuvwxyz"
_WORD = re.compile(r"[a-z]{4,20}")
_MOST = 2
_LOOKED_AT = 400  # Characters of a question in which names are looked for
_LONGEST = 4  # Characters of a Chinese name
_LETTERS = 4  # A shorter name is one edit away from too many others
# Characters of names that sound or look alike; those of a group are taken for each other
_ALIKE = """
小晓筱肖萧 张章彰 李里黎理礼 王汪旺 杨阳扬洋 刘柳 陈晨辰尘 赵照兆 周舟洲 吴武伍 徐许
朱祝珠 胡湖 林琳霖麟 何和禾贺荷 郭国 罗洛骆 梁良 宋颂 唐糖棠 谢榭 曹草 邓登 付傅富
程成诚承城 余于俞鱼虞 宇雨羽语玉 董冬东 袁源圆园缘媛苑 姜江 蒋讲 崔翠 谭檀 陆路璐露鹿
范凡帆 方芳坊 石诗师施时 任仁人 姚瑶遥 邱秋丘 侯候厚 孟梦 秦琴勤沁 白柏
闫阎严妍岩研颜言燕艳雁 段端 雷磊蕾垒 史思斯丝司 龙隆 陶涛滔桃 毛茂 郝浩昊皓豪好 顾古谷
邵绍少 万婉宛 钱倩茜乾 佳嘉家加 文雯纹闻 婷亭庭廷 伟维威玮薇微巍 丽莉利力立荔
静敬靖晶京菁 玲铃凌灵伶 强墙 军君钧均 华桦花 英瑛颖莹盈迎影 明铭鸣茗 慧惠卉会汇 娜那
敏闽 红虹宏洪鸿弘 霞侠夏 雪学 梅美媚妹 轩萱宣暄 泽则择 涵含寒晗韩函 欣新心馨鑫昕辛
怡宜仪依伊一艺毅义 梓子紫姿 鹏朋彭 飞菲霏妃 佩沛培 珍真贞臻 秀绣修 兰岚蓝澜 平萍苹
建健剑 志智致芝之 勇永咏泳 俊峻骏 杰洁捷婕 波博柏 斌彬宾滨 峰锋枫丰风 刚钢 亮靓 云芸韵
月悦越岳乐 青清晴卿庆 蓓贝 彤桐童同 可柯科 安桉 宁柠凝 未末 己已 戊戌 日曰
祁祈齐琪奇棋 天添田甜
"""


def near_names(store: Store, question: Question, having: Having) -> list[tuple[str, float]]:
    """The words of names that differ by one edit from words of the question that nothing has."""
    text = fold(question.focus[:_LOOKED_AT])
    has_name = question.entities or not any("\u4e00" <= char <= "\u9fff" for char in text)
    variants = set() if has_name else set(_han_variants(text, having))
    unknown = [
        word
        for word in dict.fromkeys(_WORD.findall(text))
        if (stem := stem_of(word)) and having.counts.get(stem) == 0
    ]
    variants |= {other for word in unknown[:_MOST] for other in _edits(word)}
    if not variants:
        return []
    found = store.entities_named(sorted(variants))
    words = dict.fromkeys(word for name in found for word in query_words(name))
    return [(word, 1.0) for word in words]


def _han_variants(text: str, having: Having) -> Iterator[str]:
    """Two to four characters with one exchanged for one like it, where nothing has this one beside
    its neighbours."""
    for at, char in enumerate(text):
        for other in _like().get(char, ""):
            for first in range(max(0, at - _LONGEST + 1), at + 1):
                for end in range(max(first + 2, at + 1), min(len(text), first + _LONGEST) + 1):
                    pairs = [text[n : n + 2] for n in (at - 1, at) if first <= n < end - 1]
                    if all(having.counts.get(pair) == 0 for pair in pairs):
                        yield text[first:at] + other + text[at + 1 : end]


@cache
def _like() -> dict[str, str]:
    """For each character of the groups the others that it may have been meant for."""
    found: dict[str, str] = {}
    for group in _ALIKE.split():
        for char in group:
            found[char] = found.get(char, "") + group.replace(char, "")
    return found


def _edits(word: str) -> Iterator[str]:
    """What is one letter more, less or other, or two letters exchanged."""
    for i in range(len(word) + 1):
        head, tail = word[:i], word[i:]
        if tail and len(word) > _LETTERS:
            yield head + tail[1:]
        if len(tail) > 1:
            yield head + tail[1] + tail[0] + tail[2:]
        for letter in _ALPHABET:
            yield head + letter + tail
            if tail:
                yield head + letter + tail[1:]
