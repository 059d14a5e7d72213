"""What someone is called besides: names that were said to be theirs, and names that only look so.

    Mei is my sister, everyone calls her Lily.     Lily is another name of Mei
    我妹妹小美，小名美美。                             美美 is another name of 小美
    Annie, 张三丰, anna@example.com.au              are near to Anna, 张三, anna@example.com

The first are forgotten with the name; the others are shown, for nobody but a person can tell.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from loxodon.text.sentences import split
from loxodon.text.words import fold
from loxodon.trust.forget.tombstones import has_name, plain, thing_of, things

_ROUNDS = 3
"""How often another name may have another name."""
_MOST_NEAR = 20
_ALIKE = 2
"""Letters in which two names may differ that are near."""
_LATIN = r"[A-Z][\w'’-]{0,30}(?: [A-Z][\w'’-]{0,30}){0,2}"
_WHO = r"(?:everyone|everybody|people|friends|family|we|i|they|all|mom|mum|dad|colleagues)"
_CALLED = (
    # English
    r"(?:also|better|otherwise) known as|\ba\.?k\.?a\.?|\bnicknamed|\bgoes by(?: the name(?: of)?)?"
    rf"|\bknown (?:to|among) [a-z ]{{1,20}} as|\b{_WHO}(?: all| just| always| usually)? calls? "
    r"(?:her|him|them|it)|\bcalled (?:her|him|them)|\bshort for"
    r"|\b(?:nick|pet |stage |maiden |full |real |birth |other )name(?: is|'s|’s|:| was)?"
    r"|\balias(?: is|:)?",
    # Chinese
    r"(?:小名|乳名|大名|学名|全名|本名|真名|原名|外号|绰号|昵称|别名|笔名|艺名|网名|花名|英文名|中文名)"
    r"(?:就|也)?(?:是|叫做|叫|为|：|:)?|又名|又叫|也叫|人称|别称"
    r"|(?:大家|我们|人们|朋友|家里人?|同事|同学|都)们?(?:都|也|平时|一般)*(?:叫|喊|称呼?)[她他它]为?",
)
_HAN_NAME = r"[\u4e00-\u9fff]{1,4}"
_REFERRING = re.compile(
    r"\b(?:she|he|her|him|they|them|his|their)\b|[她他]|名(?:是|叫|为)|外号|绰号", re.I
)
_NO_NAME = frozenset("去来吃喝回在做不没把给帮上下起看说走过快别等到出进去睡写买什怎么谁")
"""What no name begins with: 叫她去吃饭."""
_KIN = frozenset("妈爸爹娘哥姐弟妹爷奶叔姨舅姑嫂婶伯公婆夫妻儿女家的们老师同学先生小姐")
_ROLES = frozenset(
    {
        "朋友",
        "同事",
        "室友",
        "邻居",
        "老板",
        "上司",
        "经理",
        "客户",
        "闺蜜",
        "发小",
        "同桌",
        "对象",
        "女友",
        "男友",
        "女朋友",
        "男朋友",
        "伴侣",
        "孩子",
        "宝宝",
        "亲戚",
        "队友",
        "领导",
        "助理",
        "医生",
        "教练",
        "房东",
        "猫",
        "狗",
        "宠物",
        "公司",
        "学校",
        "项目",
    }
)
_FORMS = ("{0}{0}", "阿{0}", "小{0}", "老{0}", "大{0}", "{0}儿", "{0}姐", "{0}哥", "{0}妹", "{0}弟")
"""How a Chinese name of one character is made familiar."""


@cache
def _called() -> re.Pattern[str]:
    name = rf"(?P<name>{_LATIN}|{_HAN_NAME})"
    after = r" (?:and|but|because|since|by|who|at|in)\b"
    ends = rf"(?=[”\"」』’']?\s*(?:[，。！？、；：,.!?;:()（）\n]|$|{after}))"
    return re.compile(rf"(?:(?i:{'|'.join(_CALLED)}))\s*[“\"「『‘']?{name}{ends}")


@cache
def _before() -> re.Pattern[str]:
    return re.compile(rf"({_LATIN}|{_HAN_NAME})[\s,，（(]*(?:is|was|的)?\s*$")


def is_proper(name: str) -> bool:
    """Whether this is somebody's own name: `sister` and `妹妹` are what many are called."""
    if name.isascii():
        return name[:1].isupper() or "@" in name
    return name not in _ROLES and not set(name) <= _KIN


def said_aliases(texts: Iterable[str], names: Iterable[str], known: Iterable[str]) -> list[str]:
    """The names that `texts` say someone with `names` has too; `known` are names of anybody."""
    found = dict.fromkeys(names)
    given, held = set(map(fold, found)), list(texts)
    everybody = [name for name in known if len(name) > 1]
    for _ in range(_ROUNDS):
        more = [
            other
            for text in held
            for other in _in_text(text, list(found), everybody)
            if fold(other) not in set(map(fold, found))
        ]
        if not more:
            break
        found |= dict.fromkeys(more)
    return [name for name in found if fold(name) not in given]


def _in_text(text: str, names: list[str], known: list[str]) -> Iterator[str]:
    before, last = False, ""
    for sentence in split(text):
        here = any(has_name(plain(sentence), plain(name)) for name in names)
        referring = bool(_REFERRING.search(sentence))
        about = here or (before and referring)
        for match in _called().finditer(sentence) if about else ():
            other = match["name"].strip()
            if other[0] in _NO_NAME:
                continue
            if fold(other) not in map(fold, names):
                yield other
            else:  # the name that is known is the second one
                first = _first_name(sentence[: match.start()], known)
                first = first or (_last_name(last, known) if referring else [])
                yield from (one for one in first if fold(one) not in map(fold, names))
        before, last = here or (about and before), sentence


def _first_name(text: str, known: list[str]) -> list[str]:
    """Whose other name is told behind `text`."""
    found = _names_in(text, known)
    if not found and (match := _before().search(text)) and match[1].isascii():
        found = [re.sub(r"['’]s$", "", match[1])]
    return found[:1]


def _last_name(text: str, known: list[str]) -> list[str]:
    """Whom a sentence speaks of that the next one calls `her`."""
    return (_names_in(text, known) or _inner_name().findall(text))[:1]


def _names_in(text: str, known: list[str]) -> list[str]:
    words = plain(text)
    return [name for name in known if is_proper(name) and has_name(words, plain(name))]


@cache
def _inner_name() -> re.Pattern[str]:
    return re.compile(r"(?<=[a-z,] )[A-Z][a-z]+\b")  # the first word of a sentence is no sign


# Near ones


def longer(name: str, known: Iterable[str]) -> list[str]:
    """Those of `known` that are names of others and have `name` in them: Anna Bell, 张三丰."""
    own = plain(name)
    return [
        other
        for other in dict.fromkeys(known)
        if len(plain(other)) > len(own)
        and has_name(plain(other), own)
        and _is_of_another(other, name)
    ]


def _is_of_another(other: str, name: str) -> bool:
    """Whether a longer name is no more than that: `小美妈妈` and `Anna's mother` name both."""
    if name.isascii() or other.isascii():
        words = re.sub(rf"(?i)\b{re.escape(name)}\b", "", other, count=1).split()
        return bool(words) and all(word[0].isupper() for word in words)
    rest = other.replace(name, "", 1)
    return 0 < len(rest) <= 2 and not _KIN & set(rest)


def dictionary_words(text: str, name: str) -> list[str]:
    """Longer words of the dictionary that a name stands in: 张三 in 张三丰."""
    import rjieba

    return [
        word
        for word in rjieba.cut(text, False)
        if name in word and word != name and _is_of_another(word, name)
    ]


def near(names: Iterable[str], known: Iterable[str], texts: Iterable[str]) -> list[str]:
    """Names that look like one of `names` and are not it, of those that are known or stand in what
    was said."""
    own = list(names)
    given = set(map(fold, own))
    words: dict[str, None] = dict.fromkeys(known)
    forms = [form for name in own for form in _familiar(name)]
    is_thing = any(map(thing_of, own))
    for text in texts:
        words |= dict.fromkeys(_capitalised().findall(text))
        if is_thing:
            words |= dict.fromkeys(things(fold(text)))
        words |= dict.fromkeys(form for form in forms if form in text)
    found = [
        word
        for word in words
        if fold(word) not in given and any(word in forms or _is_near(word, one) for one in own)
    ]
    return sorted(found)[:_MOST_NEAR]


@cache
def _capitalised() -> re.Pattern[str]:
    return re.compile(r"\b[A-Z][a-z]{2,}\b")


def _familiar(name: str) -> list[str]:
    """小美: 美美, 阿美, 美儿."""
    if not re.fullmatch(_HAN_NAME, name) or len(name) < 2:
        return []
    return [form.format(name[-1]) for form in _FORMS]


def _is_near(word: str, name: str) -> bool:
    one, other = fold(word), fold(name)
    if thing_of(name) or thing_of(word):
        one, other = thing_of(name), thing_of(word)
        return bool(one and other) and one != other and (one in other or other in one)
    if not (one.isascii() and other.isascii()):
        if not (re.fullmatch(_HAN_NAME, word) and re.fullmatch(_HAN_NAME, name)):
            return False
        if one in other or other in one:
            return min(len(one), len(other)) > 1
        differ = sum(a != b for a, b in zip(one, other, strict=False))
        return len(one) == len(other) and len(one) > 2 and differ == 1
    if min(len(one), len(other)) < 3:
        return False
    if set(one.split()) & set(other.split()):
        return True
    return one[:3] == other[:3] and _distance(one, other) <= _ALIKE


def _distance(one: str, other: str) -> int:
    """In how many letters two words differ."""
    row = list(range(len(other) + 1))
    for n, letter in enumerate(one, 1):
        last, row[0] = row[0], n
        for m, against in enumerate(other, 1):
            last, row[m] = row[m], min(row[m] + 1, row[m - 1] + 1, last + (letter != against))
    return row[-1]
