"""Who and what is spoken of: relations, names, pets, and the one a pronoun means."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import NamedTuple

from loxodon.write.statements import USER, Mention
from loxodon.write.zh.clean import HAN
from loxodon.write.zh.words import (
    DOUBLE_SURNAMES,
    FAMILY,
    FEMALE,
    MALE,
    NOT_NAMES,
    PARTNERS,
    PETS,
    PLAIN_RELATION,
    SHORT_RELATION,
    SURNAMES,
    alternatives,
    pattern,
)


class Who(NamedTuple):
    """Someone or something that sentences are about."""

    display: str
    """How a sentence names them: 用户, 用户的妹妹小美, 团团."""
    key: str
    """The subject of a statement: `user`, a name, else the relation."""
    relation: str = ""
    name: str = ""
    gender: str = ""
    """`f`, `m`, `it` for animals and things, empty where it is not known."""

    @property
    def mention(self) -> Mention:
        kind = "pet" if self.gender == "it" else "person"
        aliases = (self.relation,) if self.name and self.relation else ()
        return Mention(self.name or self.relation, kind, aliases)  # type: ignore[arg-type]


THE_USER = Who("用户", USER)
_PASSING = ("相亲对象", "暧昧对象")

_STOPS = (
    "在是说去要想也都今昨明下上跟和把被给最现升离考怀换搬结生有没不很"
    "会能真做当开住读教管叫姓喜爱觉老的他她来回到过走从对打买卖又就还"
    "已"
    "刚才准报退转调那这怎什为哪谁多几咋归判拿得帮陪找请让叫忘，,。！!？?、；; ：:（(“”\"'》】~～…"
)
"""Characters that a name is over at: most verbs and adverbs begin with one of them."""


@cache
def name_pattern(tag: str = "") -> str:
    """The source of a pattern for a name of a person; `tag` keeps two in one pattern apart."""
    not_names = alternatives(NOT_NAMES)
    stops = re.escape(_STOPS)
    stop = f"(?=[{stops}]|$)"
    return (
        rf"(?!{not_names})(?:"
        rf"[A-Z][a-z]{{1,14}}(?: [A-Z][a-z]+)?"
        rf"|大[{SURNAMES}](?=[{stops}])"
        rf"|[小老阿](?![{stops}])[{HAN}A-Z](?:[a-z]+|(?![{HAN}])|(?=[{HAN}]))"
        rf"|(?:{alternatives(DOUBLE_SURNAMES)})[{HAN}]{{1,2}}?{stop}"
        rf"|[{SURNAMES}](?:老师|总|哥|姐|叔|姨|工|医生|大夫|教授|师傅|老板|主任|经理|律师"
        rf"|导|阿姨|叔叔|先生|女士|同学|教练)"
        rf"|[{SURNAMES}][{HAN}]{{1,2}}?(?:老师|教授|医生|总)?{stop}"
        rf"|(?P<twice{tag}>(?![{stops}])[{HAN}])(?P=twice{tag}){stop}"
        rf")"
    )


@cache
def _long_relations() -> str:
    return alternatives(word for word in PLAIN_RELATION if len(word) > 1)


@cache
def _short_relations() -> str:
    return alternatives(SHORT_RELATION)


@cache
def person_pattern() -> re.Pattern[str]:
    """A person by relation, by relation and name, or by a name alone."""
    own = "(?P<own>我们?家?的?|他们?家?的?|她们?家?的?)?"
    name = name_pattern()
    return re.compile(
        rf"{own}(?:(?P<long>(?:新|前|小学|初中|高中|大学|公司|部门"
        rf"|隔壁)?(?:{_long_relations()}))"
        rf"|(?<=[我们家])(?P<short>{_short_relations()})(?![{HAN}]{{0}}(?:妹|弟|姐|哥|媳"
        rf"|夫)))"
        rf"(?:的?名字)?(?:叫|名叫|，叫)?(?P<name>{name})?(?:老师(?=是|在|说|做|的))?"
    )


@cache
def pets() -> str:
    return alternatives(PETS)


@cache
def pet_pattern() -> re.Pattern[str]:
    counted = "(?:那|这)?(?:[一两二三四五六七八九十0-9几])?(?:只|条|头|匹|缸)?[小大老]?"
    return re.compile(
        rf"我们?家?的?{counted}(?P<pet>{pets()})(?:(?:，)?(?:它)?(?:叫|名叫|名字叫"
        rf"|名字是))?(?P<name>(?![{re.escape(_STOPS)}])[{HAN}]{{2,3}}?(?=[{re.escape(_STOPS)}]"
        rf"|$)|[A-Z][a-z]+)?"
    )


def gender_of(relation: str) -> str:
    plain = PLAIN_RELATION.get(relation, relation)
    return "f" if plain in FEMALE else "m" if plain in MALE else ""


def spoken_relation(word: str) -> str:
    """A relation as a sentence writes it: 妈 becomes 妈妈, 闺女 stays."""
    return SHORT_RELATION.get(word, word)


def person(relation: str, name: str, known: Mapping[str, str], owner: str = "用户") -> Who:
    """Someone by what they are to the user and their name, either of which may be unknown."""
    word = spoken_relation(relation)
    plain = PLAIN_RELATION.get(relation, word)
    called = name or known.get(plain, "") or known.get(word, "")
    shown = name or (called if plain in FAMILY and plain not in PARTNERS else "")
    display = f"{owner}的{word}{shown}" if word else name
    if name and plain in _PASSING:
        display = name  # when they part, what is known of the person stays
    if name[-2:] == plain or (name.endswith(word) and word):
        display = f"{owner}的{name}" if name == word else f"{owner}的{word}{name}"
    return Who(display, called or plain, plain, called, gender_of(plain))


def people_in(text: str, known: Mapping[str, str]) -> Iterator[Who]:
    """Everyone and every pet that `text` (plain) speaks of, in order."""
    found: list[tuple[int, Who]] = []
    for match in person_pattern().finditer(text):
        relation = match["long"] or match["short"]
        if relation and not _is_part_of_word(text, match):
            found.append((match.start(), person(relation, match["name"] or "", known)))
    found += [
        (match.start(), pet(match["pet"], match["name"] or "", known))
        for match in pet_pattern().finditer(text)
    ]
    found += _named(text, known)
    for _, who in sorted(found, key=lambda one: one[0]):
        yield who


def _named(text: str, known: Mapping[str, str]) -> Iterator[tuple[int, Who]]:
    """What a clause gives a name to: 元宝是我儿子, 有只猫叫团团."""
    relations = f"{_long_relations()}|{_short_relations()}"
    for match in pattern(
        rf"(?:^|[，。！ ])(?P<name>[{HAN}]{{2,3}}"
        rf"|[A-Z][a-z]+)(?:就)?是我们?家?的?(?P<what>{relations}|{pets()})"
    ).finditer(text):
        relation, name = match["what"], match["name"]
        who = (
            person(relation, name, known)
            if relation in PLAIN_RELATION
            else pet(relation, name, known)
        )
        yield match.start(), who
    for match in pattern(rf"是我们?的?(?P<what>{relations})(?P<name>[{HAN}]{{2,3}})$").finditer(
        text
    ):
        if not pattern(rf"^[{re.escape(_STOPS)}]").match(match["name"]):
            yield match.start(), person(match["what"], match["name"], known)
    for match in pattern(
        rf"(?:有|养|来|买|捡|领养|收养)了?[一两0-9]?[只条头个匹](?P<what>{pets()})"
    ).finditer(text):
        yield match.start(), pet(match["what"], "", known)
    for match in pattern(
        rf"(?:有|养了?|领养了?"
        rf"|买了?)(?:[一两二三四五六七八九十0-9几])?[只条头个匹][小大老]?(?P<what>{pets()})(?:，)?(?:叫"
        rf"|名叫|名字叫)(?P<name>[{HAN}]{{2,3}}?(?=[{re.escape(_STOPS)}]|$)|[A-Z][a-z]+)"
    ).finditer(text):
        yield match.start(), pet(match["what"], match["name"], known)


def _is_part_of_word(text: str, match: re.Match[str]) -> bool:
    """老师 in 音乐老师傅, 孩子 in 孩子王: a relation inside something longer."""
    follows = text[match.end() : match.end() + 1]
    return (match["long"] in ("老师", "先生", "姑娘", "兄弟") and follows in "傅们") or (
        match["long"] == "客户" and follows in "端服"
    )


def pet(kind: str, name: str, known: Mapping[str, str]) -> Who:
    called = name or known.get(kind, "")
    display = f"用户的{kind}{name}"
    return Who(display, called or kind, kind, called, "it")


def given_name(predicate: str) -> str:
    """The name that a predicate gives its subject: 叫建军, 名字是年糕."""
    return (
        naming(predicate)
        if pattern(
            r"^(?:现在)?(?:改名)?(?:的?(?:名字|小名|大名|乳名))?(?:就)?(?:叫|名叫|是叫|取名"
            r"|取好名字了，叫)"
        ).match(predicate)
        else ""
    )


def naming(text: str) -> str:
    """The name that `text` gives with 叫: “半糖时光”, 年糕."""
    found = pattern(
        rf"(?:叫做?|名叫|名字是|取名|起名|改名)(?:叫)?[“\"「『《]([^”\"」』》]{{1,20}})[”\"」』》]"
        rf"|(?:叫做?|名叫|名字是|取名"
        rf"|起名)(?:叫)? ?([{HAN}]{{1,6}}?(?=了?[，,。！!？?…；; ]|了?$)"
        rf"|[A-Za-z][\w .'-]{{0,24}}?(?=[，,。！!？?…； ]*(?:[{HAN}]|$)))"
    ).search(text)
    return (found[1] or found[2] or "").strip() if found else ""
