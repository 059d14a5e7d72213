"""Names and roles, where somebody is to be forgotten: what is theirs, and what only may be.

    Anna                in `Anna's car`; not in `Anna-Maria`, `anna` or `Anna Bell`, who is known
    张三                 in 张三来了; not in 张三丰
    my friend           may be Anna, where she is the only friend
    Annie, 美美          may be what Anna and 小美 are called

What may be is shown, for nobody but a person can tell.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from loxodon.forget.tombstones import has_name, plain, thing_of, things, tokens_of
from loxodon.language.en import clauses as english
from loxodon.language.zh import clauses as chinese
from loxodon.text.names import parts_of
from loxodon.text.related import related
from loxodon.text.words import fold, stem_of

_MOST_NEAR = 20
_HAN_NAME = r"[\u4e00-\u9fff]{1,4}"
_FORMS = ("{0}{0}", "阿{0}", "小{0}", "老{0}", "大{0}", "{0}儿", "{0}姐", "{0}哥", "{0}妹", "{0}弟")
"""How a Chinese name of one character is made familiar."""
_CALENDAR = re.compile(
    r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|January|February|March|April|June|July|August"
    r"|September|October|November|December"
)


def is_role(name: str) -> bool:
    """Whether this is what many are called: `sister`, 同事."""
    return bool(english.attribute_of(name) or chinese.attribute_of(name))


def roles_in(text: str) -> list[str]:
    """The roles that a text has, folded, the longest first."""
    return [part.name for part in parts_of(fold(text)) if is_role(part.name)]


def is_word(name: str) -> bool:
    """Whether a name is a word too: Frank, Rose, Will."""
    return len(tokens_of(name)) == 1 and (not stem_of(fold(name)) or bool(related(fold(name))))


def speaks_of(role: str, text: str) -> bool:
    """Whether a text speaks of the user's own: `my friend`, `the user's friend`, 我朋友."""
    if role.isascii():
        return bool(re.search(rf"(?i)\b(?:my|our|user's) (?:\w+ )?{re.escape(role)}\b", text))
    return bool(re.search(rf"(?:我|我的|我们|咱|用户的?){re.escape(role)}", text))


# Names of others


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
    rest = re.sub(rf"(?i){re.escape(name)}(?:'s\b)?", "", other, count=1).strip()
    if name.isascii() or other.isascii():
        return bool(rest) and all(word[0].isupper() for word in rest.split())
    return 0 < len(rest) <= 2 and not is_role(rest)


def dictionary_words(text: str, name: str) -> list[str]:
    """What a name is only a part of by the words of the dictionary: 张三 in 张三丰, and 小美 in
    小美丽, which is 小 and 美丽."""
    import rjieba

    edges, at = [0], 0
    for word in rjieba.cut(text, False):
        at += len(word)
        edges.append(at)
    found = []
    for match in re.finditer(re.escape(name), text):
        start = max(edge for edge in edges if edge <= match.start())
        end = min(edge for edge in edges if edge >= match.end())
        found.append(text[start:end])
    return [one for one in found if one != name and _is_of_another(one, name)]


# Names that may be theirs


def near(names: Iterable[str], known: Iterable[str], texts: Iterable[str]) -> list[str]:
    """Names that may be short forms of `names`, or somebody else's: of those that are known or
    stand in what was said, those that look like one or stand beside one."""
    own = list(names)
    forms = [form for name in own for form in _familiar(name)]
    is_thing = any(map(thing_of, own))
    alike, beside = dict.fromkeys(known), dict[str, None]()
    for text in texts:
        named = dict.fromkeys(_capitalised().findall(text))
        alike |= named
        alike |= dict.fromkeys(things(fold(text))) if is_thing else {}
        beside |= dict.fromkeys(form for form in forms if form in text)
        if not is_thing and any(has_name(plain(text), plain(name)) for name in own):
            beside |= dict.fromkeys(_called().findall(text))
            beside |= {word: None for word in named if f" {word}" in text}
    found = {word for word in alike if any(_is_near(word, one) for one in own)}
    within = {fold(part) for one in found for part in tokens_of(one)[1:]}
    found |= {word for word in beside if fold(word) not in within}
    found |= {part for one in own if not thing_of(one) for part in tokens_of(one)}
    given = set(map(fold, own))
    return sorted(
        word for word in found if fold(word) not in given and not _CALENDAR.fullmatch(word)
    )[:_MOST_NEAR]


@cache
def _capitalised() -> re.Pattern[str]:
    return re.compile(r"\b[A-Z][a-z]{2,}\b")


@cache
def _called() -> re.Pattern[str]:
    return re.compile(
        r"(?:小名|乳名|大名|外号|绰号|昵称|又名|又叫|也叫|[叫喊][她他它])[是叫]?([\u4e00-\u9fff]{2,3})"
    )


def _familiar(name: str) -> list[str]:
    """小美: 美美, 阿美, 美儿."""
    if not re.fullmatch(_HAN_NAME, name) or len(name) < 2:
        return []
    return [form.format(name[-1]) for form in _FORMS if form.format(name[-1]) != name]


def _is_near(word: str, name: str) -> bool:
    one, other = fold(word), fold(name)
    if thing_of(name) or thing_of(word):
        one, other = thing_of(name), thing_of(word)
        return bool(one and other) and one != other and (one in other or other in one)
    if not (one.isascii() and other.isascii()):
        return min(len(one), len(other)) > 1 and one != other and (one in other or other in one)
    return min(len(one), len(other)) > 2 and (
        one[:3] == other[:3] or bool(set(one.split()) & set(other.split()))
    )
