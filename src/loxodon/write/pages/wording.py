"""A memory's sentence taken apart: whom it is about, and what it says of them.

Memories come from rules or from anybody's `capture`, so nothing here knows a template: the subject
is what stands at the beginning and names the user (`用户`, `The user`), or the subject of the
record, alone or behind what they are to the user (`用户的妹妹小美`, `The user's sister Mei`).
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from loxodon.language.attributes import ATTRIBUTES
from loxodon.language.statements import USER
from loxodon.text.language import language_of
from loxodon.text.markdown import one_line
from loxodon.text.wordlists import TO_SIMPLIFIED
from loxodon.text.words import fold
from loxodon.types import Record

LONGEST = 400  # Characters of a sentence that are looked at; what is longer is no sentence
_MOST_LEAD = 60

_KIN_ZH = (
    "爸爸 父亲 老爸 爸 老汉 妈妈 母亲 老妈 妈 父母 爸妈 爷爷 奶奶 外公 外婆 姥姥 姥爷 岳父 "
    "岳母 老丈人 丈母娘 公公 婆婆 丈夫 老公 先生 妻子 老婆 太太 爱人 媳妇 对象 伴侣 未婚夫 "
    "未婚妻 男朋友 女朋友 男友 女友 前夫 前妻 前任 哥哥 哥 弟弟 弟 姐姐 姐 妹妹 妹 嫂子 姐夫 "
    "妹夫 弟媳 堂哥 堂弟 堂姐 堂妹 表哥 表弟 表姐 表妹 儿子 女儿 孩子 宝宝 闺女 娃 双胞胎 老大 "
    "老二 孙子 孙女 外孙 侄子 侄女 外甥 外甥女 儿媳 女婿 叔叔 伯伯 大伯 舅舅 小舅 舅妈 姑姑 "
    "姑妈 姨妈 小姨 阿姨 婶婶 朋友 闺蜜 死党 哥们 发小 同学 室友 舍友 邻居 房东 网友 队友 战友 "
    "老乡 师兄 师姐 师弟 师妹 学长 学姐 学弟 学妹 同事 领导 上司 老板 经理 主管 组长 下属 助理 "
    "客户 合伙人 搭档 导师 老师 班主任 教练 师傅 师父 徒弟 学生 医生 大夫 律师 保姆 猫 狗 猫咪 "
    "狗狗 兔子 仓鼠 鹦鹉 乌龟 宠物 项目 公司 店 车 应用 网站 博客 小说 书 幺儿"
)
_KIN_EN = (
    "father dad daddy mother mum mom mam parents grandfather grandpa grandad granddad "
    "grandmother grandma granny gran nan nana husband wife spouse partner fiance fiancé fiancee "
    "fiancée boyfriend girlfriend ex brother sister sibling twin cousin son daughter child kid "
    "baby lad boy girl oldest eldest youngest grandson granddaughter nephew niece uncle aunt "
    "father-in-law mother-in-law brother-in-law sister-in-law son-in-law daughter-in-law "
    "stepfather stepmother stepson stepdaughter stepbrother stepsister godson goddaughter friend "
    "mate bestie roommate flatmate housemate neighbour neighbor landlord landlady classmate "
    "colleague coworker co-worker teammate boss manager supervisor lead mentor mentee assistant "
    "intern client customer cofounder co-founder teacher tutor coach trainer professor student "
    "doctor dentist therapist lawyer accountant cat dog puppy kitten rabbit hamster parrot horse "
    "tortoise pet project company shop startup app website site blog novel book car band team"
)
_NOT_THE_USER_ZH = "名(?![叫下])|组|群|体验|数|端|手册|界面|协议|量|增长|反馈|需求|故事"
_NOT_THE_USER_EN = (
    "interface|experience|name|names|account|accounts|base|story|stories|testing|tests?|ids?|"
    "table|data|model|manual|guide|input|group|groups|feedback|research|agent"
)


class Clause(NamedTuple):
    """A sentence taken apart."""

    # The words that name whom it is about, as they stand there; empty where it cannot be cut
    lead: str
    rest: str  # What is said of them; the whole sentence where it cannot be cut
    owned: bool  # Whether the rest is about something of theirs (`生日是…`, `birthday is …`)
    language: str


_USER = {
    "zh": re.compile(rf"(?:该|这位|本)?用户(?!{_NOT_THE_USER_ZH})(?:本人|自己)?"),
    "en": re.compile(rf"(?i)(?:the )?user\b(?! (?:{_NOT_THE_USER_EN})\b)"),
}


@cache
def _relation(language: str, named: bool) -> re.Pattern[str]:
    """The user and what someone is to them: `用户的大学同学`, `The user's best friend`.

    `named` with what may stand between that and a name.
    """
    words = (_KIN_ZH if language == "zh" else _KIN_EN).split()
    kin = "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
    if language == "zh":
        between = r"的?[，,:： （(「“]?" if named else ""
        return re.compile(rf"用户的?(?:[^的，。、]{{0,3}}?(?:{kin})的?){{1,2}}?{between}")
    between = r"(?: (?:called|named))?,? ?[(“\"]?" if named else ""
    return re.compile(
        rf"(?i)(?:the )?user['’]s (?:[\w'’-]+ ){{0,2}}?(?:ex-)?(?:{kin})\b"
        rf"(?:['’]s (?:{kin})\b)?{between}"
    )


def _plain(text: str) -> str:
    """`text` in simplified characters, as the patterns are; each stands where it stood."""
    return text if text.isascii() else text.translate(TO_SIMPLIFIED)


def sentence(record: Record) -> str:
    """The words of a memory on one line, without the full stop."""
    return one_line(record.content).rstrip(" 。.；;，,、")


def language_in(text: str) -> str:
    """The language of a sentence; one about `用户` is Chinese, whatever names it has."""
    if text.startswith(("用户", "用戶")):
        return "zh"
    return "en" if _USER["en"].match(text) else language_of(text)


def about(record: Record) -> str:
    """Whom a memory is about: its subject, else the user or the one of its entities it begins with.

    Empty where neither tells.
    """
    if record.subject:
        return record.subject
    text = sentence(record)[:LONGEST]
    for name in record.entities:
        if name.casefold() not in ("用户", "用戶", USER) and _named(text, name, language_in(text)):
            return name
    return USER if _USER[language_in(text)].match(_plain(text)) else ""


def clause_of(record: Record) -> Clause:
    """The sentence of a memory taken apart."""
    text = sentence(record)
    language = language_in(text)
    if len(text) > LONGEST:
        return Clause("", text, False, language)
    subject = about(record)
    if subject == USER:
        if turned := _TURNED[language].fullmatch(text):
            who, link, what = turned.group("who", "link", "what")
            return Clause(turned["user"].strip(), f"{what}{link}{who}", True, language)
        found = _USER[language].match(_plain(text))
        lead = text[: found.end()] if found else ""
    else:
        lead = _named(text, subject, language) or (_related(text, language) if subject else "")
    rest = text[len(lead) :]
    if not lead or not rest.strip():
        return Clause("", text, False, language)
    if language == "zh":
        whose = bool(re.match(r"\s*的(?![确確])", rest))
        rest = (rest.lstrip()[1:] if whose else rest).lstrip(" ，,：:")
        # `用户家种了…`: it is theirs without a 的 too.
        owned = whose or bool(re.match(r"家(?!住|在)|名下|村|公司|单位|學校|学校|店里", rest))
        rest = re.sub(r"^(?:也(?!许)|还(?=喜欢|爱|会|有|想|养|用|学|常))", "", rest)
        broken = rest.startswith(("、", "/"))
    else:
        owned = rest.startswith(("'s ", "’s "))
        rest = (rest[3:] if owned else rest).lstrip(" ,:")
        rest = re.sub(r"(?i)^also ", "", rest)
        broken = bool(
            re.match(r"(?i)(?:and|or|nor|as well as|who|whose|which|that)\b|[^\w\"'“(]", rest)
        )
    if broken or not any(map(str.isalnum, rest)):
        return Clause("", text, False, language)
    return Clause(lead, rest, owned, language)


def introduced(record: Record) -> str:
    """The name of the subject with what they are to the user, where a memory says just that."""
    text = sentence(record)
    if record.subject in ("", USER) or len(text) > _MOST_LEAD:
        return ""
    language = language_in(text)
    turned = _TURNED[language].fullmatch(text)
    if turned and fold(turned["who"]) == fold(record.subject):
        user = "用户的" if language == "zh" else "The user's "
        return f"{user}{turned['what']}{_gap(language)}{turned['who']}"
    called = _CALLED[language].fullmatch(text)
    if called and fold(called["who"]) == fold(record.subject):
        return f"{called['what']}{_gap(language)}{called['who']}"
    return ""


def without_verb(text: str) -> str:
    """An English sentence about someone, with a comma in the place of its verb: what it names
    stands apart then. A verb stays, between commas, where it has no object."""
    lead = _relation("en", named=True).match(text) or _USER["en"].match(text)
    found = _VERB.match(text, lead.end() if lead else 0)
    if found is None or not (lead or found["name"]):
        return text
    verb = f" {found['verb']}," if found["alone"] is not None else ""
    return f"{text[: found.end('name')].rstrip()},{verb}{text[found.end('verb') :]}"


_VERB = re.compile(
    r" ?(?P<name>(?:[A-Z][\w'’-]{0,40} ){0,4})"
    r"(?:(?:no longer|never|still|often|always|also|now|[a-z]{1,20}ly) ){0,3}"
    r"(?P<verb>[a-z]{1,20}(?:s|ed))\b(?!['’])"
    r"(?P<alone>(?= (?:to|at|in|on|for|with|from|as|of|about|by|near|over|every|after)\b|$))?"
)


def is_relation(name: str) -> bool:
    """Whether a subject is called by what they are (`妻子`, `mother`) rather than by a name."""
    return name.lower().rpartition(" ")[2] in _kin()


@cache
def _kin() -> frozenset[str]:
    return frozenset(_KIN_ZH.split() + _KIN_EN.split())


def _gap(language: str) -> str:
    return " " if language == "en" else ""


# `糖糖是用户的女儿`, `Mei is the user's sister`
_TURNED = {
    "zh": re.compile(
        r"(?P<who>[^，。；的]{1,12})(?P<link>是)(?P<user>用[户戶])的?(?P<what>[^，。；]{1,12})"
    ),
    "en": re.compile(
        r"(?P<who>[^,;.]{1,40}?)(?P<link> is )(?P<user>[Tt]he user)['’]s "
        r"(?P<what>[\w'’-]+(?: [\w'’-]+){0,3})"
    ),
}


# `用户的猫叫豆豆`, `The user's dog is called Rolo`
_CALLED = {
    "zh": re.compile(
        r"(?P<what>用[户戶]的?[^，。；的]{1,8})(?:的?名字)?(?:是|叫|名叫)(?P<who>[^，。；]{1,20})"
    ),
    "en": re.compile(
        r"(?P<what>[Tt]he user['’]s [\w'’-]+(?: [\w'’-]+){0,2}) is (?:called |named )?"
        r"(?P<who>[^,;.]+)"
    ),
}


def _named(text: str, name: str, language: str) -> str:
    """The beginning of `text` that names `name`; empty where it does not begin so."""
    plain = _plain(text)
    at = fold(plain[:_MOST_LEAD]).find(fold(name)) if name else -1
    end = at + len(name)
    # Folding may change lengths (ß, ligatures): then a name does not stand where it seems to.
    found = at >= 0 and fold(plain[at:end]) == fold(name)
    if not found or (language == "en" and plain[end : end + 1].isalnum()):
        return ""
    before = plain[:at]
    if not before:
        return text[:end]
    whose = before.lower() in ("用户的", "用户", "the user's ", "user's ", "the user’s ")
    if not whose and not _relation(language, True).fullmatch(before):
        return ""
    closing = re.compile(r"[）)」”\"]?,?").match(text, end)
    return text[: closing.end()] if closing else text[:end]


def _related(text: str, language: str) -> str:
    """The beginning of `text` that says who it is without the name: `用户的猫`, `The user's mum`.

    The subject may be called otherwise: by another word (`妻子` for `老婆`), or by a name that was
    learned later.
    """
    found = _relation(language, False).match(_plain(text))
    return text[: found.end()].removesuffix("的") if found else ""


class PredicateFrame(NamedTuple):
    """A predicate around its object, by which two that differ in nothing else are said as one."""

    before: str
    value: str
    after: str


_VERBS = {
    "zh": re.compile(
        r"(?:(?:很|非常|特别|最|不|不太)?喜欢|(?:最|不)?爱[吃喝看听玩]?|讨厌|不(?:再)?[吃喝]|会[说弹]|"
        r"擅长|养了|养着|拥有|使用)(?=[^，。；、的了]{1,12}$)"
    ),
    "en": re.compile(
        r"(?i)(?:(?:really )?(?:likes|loves|enjoys|hates|dislikes|speaks|plays|owns|uses|has)|"
        r"(?:does not|doesn['’]t) (?:like|eat|drink)|no longer (?:likes|eats|drinks)|"
        r"is allergic to|is fluent in) (?=[\w'’-]+(?: [\w'’-]+){0,3}$)"
    ),
}


def frame_of(record: Record, clause: Clause) -> PredicateFrame | None:
    """The predicate around the record's value, or around what a common verb is followed by."""
    rest = clause.rest
    known = ATTRIBUTES.get(record.attribute)
    if known and known.one:
        return None
    value = one_line(record.value)
    at = rest.find(value) if value else -1
    if (
        at < 0
        or rest.count(value) > 1
        or not (len(value) <= 40 and not re.search(r"[，。；,;:：.!?！？]", value))
    ):
        verb = _VERBS[clause.language].match(_plain(rest))
        if verb is None:
            return None
        at, value = verb.end(), rest[verb.end() :]
    before, after = rest[:at], rest[at + len(value) :]
    # Articles and numbers belong to the thing: `a cat and a dog`, `一只猫、一只狗`.
    article = re.search(
        r"(?i)\b(?:an?|the|some|one|two|three) $|[一两二三四五六七八九十几\d]{1,3}[\u4e00-\u9fff]$",
        before,
    )
    if article:
        before, value = before[: article.start()], article[0] + value
    return PredicateFrame(before, value, after) if before.strip() else None


def says(summary: str, fact: Record) -> bool:
    """Whether the words of a summary have what a fact behind it says."""
    text = fold(summary)
    clause = clause_of(fact)
    if fold(clause.rest) in text:
        return True
    if (name := introduced(fact)) and fold(name) in text:
        return True
    frame = frame_of(fact, clause)
    return frame is not None and all(fold(part).strip() in text for part in frame)


def pieces(clause: Clause) -> frozenset[str]:
    """What a sentence says, comma by comma: equal pieces of one subject say the same."""
    text = fold(clause.rest[:LONGEST])
    return frozenset(piece for part in re.split(r"[,，；;。]", text) if (piece := part.strip()))
