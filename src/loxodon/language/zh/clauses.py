"""Chinese sentences cut into clauses, each with its subject."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from loxodon.language.attributes import ATTRIBUTES
from loxodon.language.statements import USER, Clause, Named, met
from loxodon.text.wordlists import TO_SIMPLIFIED

_HAN = r"[\u4e00-\u9fff]"
_CANTONESE = str.maketrans(
    {"係": "是", "喺": "在", "嘅": "的", "唔": "不", "咗": "了", "佢": "他", "冇": "没有"}
)
_CONTRAST = re.compile(r"(不是[^，]{1,16}?)，(?:而)?是(?=[^，])")
_CONNECTIVE = re.compile(
    r"，(?!尤其|特别是|特别喜欢)|(?<=[^，])(?=(?:但是|不过(?=我|现在|最近|今年|也)|可是|而且|并且|然后|所以|因为|以及我|而我|但我))"
)
_JOIN = "\uff5c"  # Stands for the comma of `不是A，是B` while a sentence is cut


@cache
def table() -> dict[str, Any]:
    return tomllib.loads((files("loxodon.language.zh") / "words.toml").read_text("utf-8"))


def any_of(words: Any) -> str:
    return "|".join(map(re.escape, sorted(words, key=len, reverse=True)))


class _Words:
    """The tables of words, as patterns."""

    def __init__(self) -> None:
        all_ = table()
        clause, time, name = all_["clause"], all_["time"], all_["name"]
        kept: dict[str, str] = {}
        attribute: dict[str, str] = {}
        groups = {**all_["relations"], "pet": all_["pets"]["words"], "": all_["plural"]["words"]}
        for about, words in groups.items():
            for one in words.split():
                ways = one.split("=")
                kept |= dict.fromkeys(ways, ways[0])
                attribute.setdefault(ways[0], about)
        follows = r"(?=(?:的|外号|小名|绰号|昵称|也|都|还|就|又|很|不|没|今年|去年|现在|已经|最近|刚|在|是|叫|住|有|对|喜欢|爱|讨厌|怕|会|养|搬|换|做|当|属|生日|考|读|上|学|结婚|离婚|怀孕|得了|患|退休|辞职|离职|入职|每|从|身高|特别|要|下|昨|前|上|吃|喝|打算|准备|生|戒|确诊|跳槽|升|转|买|开|来自|去|毕业|被|和|跟|满|\d|[一二两三四五六七八九十]{1,3}岁))"
        full = rf"(?:{name['double']}){_HAN}{{1,2}}?|[{name['surname']}]{_HAN}{{1,2}}?"
        called = rf"(?!{name['never']})(?:{full}|[小阿老大]{_HAN}{{1,2}}?|(?P<twice>{_HAN})(?P=twice)|[A-Z][A-Za-z]{{1,14}})"
        people = any_of(kept)
        holders = any_of(
            way for way, one in kept.items() if attribute[one] and ATTRIBUTES[attribute[one]].one
        )
        new = r"(?P<how>新来?的?|现任的?)?"
        numbered = r"(?:[这那]|一|二|三|四|两|几)?[个位只条名]"
        of = re.compile
        self.evened = [(of(like), instead) for like, instead in all_["evened"]["pairs"]]
        self.filler = of(
            rf"^(?:(?:{clause['fillers']})(?=[，、。！!~ ]|$)[，、。！!~ ]*)+|^(?:但是?|不过|可是|而且|并且|所以|因为|因此|然后|另外|其实|关键是|重要的是|重点是|由于|虽然|尽管|毕竟|反正|顺便说一?下|对了|话说|说实话|记住|请记住|记得|别忘了|以及|而|说真的|说起来|医生说|嗯+|哦|啊|emm+|h[hi]+|btw|hello|ok|ps|lol|haha)(?=我)",
            re.I,
        )
        self.adverb = of(rf"(?:{clause['adverbs']})(?=.)")
        self.tail = of(rf"(?>{clause['tails']})++$")
        self.hedge = of(f"(?:{clause['hedges']})")
        self.risky = of(clause["risky"])
        self.starter = of(f"(?:{clause['starters']})")
        self.opens = of(clause["opens"])
        self.others = of(clause["others"])
        self.since = of(f"(?:{time['since']})")
        self.past = of(f"(?:{time['past']})")
        self.future = of(f"(?:{time['future']})")
        self.change = of(time["change"])
        self.person = of(
            rf"(?:我们?|我们?家)(?:的|那个|家)?{new}(?P<relation>{people})(?:[，]?(?:叫)?(?!{name['day']})(?P<name>{called}){follows})?"
        )
        self.stranger = of(rf"(?!{name['never']})(?P<name>{full}){follows}")
        self.bare = of(rf"(?P<relation>{any_of(all_['bare']['words'].split())})(?P<name>(?!))?")
        self.introduced = of(
            rf"(?:有|养)了?(?:着)?{numbered}?(?:[\u4e00-\u9fff]{{0,5}}的)?[大小]?(?P<relation>{people})$"
        )
        # `张三是我同事`
        self.who_is = of(
            rf"(?:^|(?<=[，。；！]))(?P<name>{called})(?<![不没])就?是我们?(?:的|家)?(?:大学|高中|初中|最好的|好)?{new}(?P<relation>{people})(?=[，。；！了啊]|$)"
        )
        # `我老公叫阿强`
        self.called = of(
            rf"我们?(?:的|家)?{new}(?P<relation>{people})的?(?:名字)?叫(?P<name>{called})(?=[，。；！]|$)"
        )
        # `我的领导是王磊`, of those whom one has one of
        self.held = of(
            rf"(?:我们?的?|现在的?){new}(?P<relation>{holders})(?P<now>现在)?(?:是|(?P<changed>换成了?))(?P<name>(?!{name['never']})(?:{full})(?<![{name['kind']}])|[{name['surname']}](?:教授|老师|医生|大夫|主任)|(?(changed)[A-Z][a-z]{{1,14}}|(?!)))(?(changed)了?|(?(now)了?))(?=[，。；！]|$)"
        )
        # Somebody else, whom a pronoun may mean as well
        self.besides = of(
            all_["others"]["like"].replace("PEOPLE", people).replace("CALLED", called)
        )
        # How a relation is kept (`妈`: 妈妈)
        self.kept = kept
        self.attribute = attribute
        self.plural = frozenset(one for one, about in attribute.items() if not about)
        self.several = frozenset(all_["several"]["words"].split())


_words = cache(_Words)


def evened(text: str) -> str:
    """A text in simplified script, its commas even and its spaces gone."""
    text = text.translate(_CANTONESE).translate(TO_SIMPLIFIED)
    for like, instead in _words().evened:
        text = like.sub(instead, text)
    return text.strip("， ")


def without_lead(text: str) -> str:
    """Somebody's words from where they begin to tell something: without `对了，`."""
    return _words().filler.sub("", text, count=1) or text


def attribute_of(relation: str) -> str:
    """What attribute of the user a relation is; empty for several people."""
    words = _words()
    return str(words.attribute.get(words.kept.get(relation, relation), ""))


def speaks_of_others(text: str) -> bool:
    """Whether somebody but the speaker may be whom a bare `老公` belongs to."""
    return _words().others.search(text) is not None


def people_of(text: str) -> list[Named]:
    """Whom a text names of the user's people."""
    words = _words()
    ways = (words.who_is, words.called, words.held, words.person)
    named = [
        one
        for like in ways
        for one in like.finditer(text)
        if like is words.person or _outright(text, one)
    ]
    found = [
        Named(words.kept[one["relation"]], one["name"] or "", bool(one["how"])) for one in named
    ]
    return found + ([Named()] if words.besides.search(text) else [])


def _outright(text: str, found: re.Match[str]) -> bool:
    """Whether somebody is said to be the one: not supposed, asked, or what another says."""
    if _ASKS.search(text):
        return False
    before = _PAUSE.split(text[: found.start()])[-1]
    after = _light(_PAUSE.split(text[found.end() :].lstrip("了，,"))[0])
    return not _timed(_light(before))[0] and not _words().hedge.fullmatch(after)


_PAUSE = re.compile(r"[，。；！,;!:：\s]")
_ASKS = re.compile('[?？]["”’」』)）\\s~～]*$')


def clauses_of(
    sentence: str, known: Mapping[str, str], alone: bool = False, first: bool = True
) -> list[Clause]:
    """The clauses of a sentence, of a message that is `alone` about the speaker, the `first`."""
    found: list[Clause] = []
    before: Clause | None = None
    text = _CONTRAST.sub(rf"\1{_JOIN}是", evened(sentence))
    for part in _CONNECTIVE.split(text):
        light = _light(part)
        if not light:
            continue
        people = people_of(part)
        known = met(known, people, table()["pronouns"])
        says = _words().who_is.fullmatch(light) or _words().held.fullmatch(light)
        if says and any(one.name == says["name"] for one in people_of(sentence)):
            before = _with_subject(says["name"], known, None, alone)
            continue
        clause = _clause(light, known, before, alone)
        if clause.who == "bare" and (found or not first):
            clause = clause._replace(loose=True) if alone else Clause(light)
        found.append(clause._replace(raw=part.replace(_JOIN, "，").strip("， ")))
        before = _named(clause) if clause.who not in ("", "bare") else None
    return found


def sharing(before: Clause, text: str) -> list[Clause]:
    """What a text may say of the subject of the clause before it: `对坚果过敏`."""
    if text[0] in "他她它" or _words().opens.search(before.rest):
        return []
    rest = _timed(_JOINS.sub("", text))[0]
    return (
        [before._replace(text=text, rest=rest, when="", timeless="", loose=False)] if rest else []
    )


def strangers(text: str) -> list[Clause]:
    """A clause as one about somebody whom it names in full: `张三在上海工作`."""
    found = _words().stranger.match(text)
    name = found["name"] if found else ""
    return [Clause(text, "person", text[len(name) :], name, name, "", name)] if name else []


_JOINS = re.compile("(?:而且|并且|另外|同时|以及|不过|但是?|可是)+")
_CALLED = re.compile(r"(?:的?名字|名)?(?:就|是)?叫(?P<name>[\u4e00-\u9fff]{1,3}|[A-Za-z]{2,12})")


def _named(clause: Clause) -> Clause:
    """Who is told of, with the name that the clause itself gives: `叫乐乐`."""
    found = _CALLED.fullmatch(clause.rest) if clause.relation and not clause.name else None
    if found is None or re.search("[我你他她它了着个]", found["name"]):
        return clause
    name = found["name"]
    return clause._replace(subject=name, name=name, shown=clause.shown + name)


def _light(text: str) -> str:
    """A clause without what only leads up to it or trails behind."""
    words = _words()
    text = words.tail.sub("", text.strip("， "))
    for _ in range(3):
        text = words.filler.sub("", text).strip("，、 ：:\"'“”")
    return str(words.tail.sub("", text.replace("啦", "了")))


def _clause(text: str, known: Mapping[str, str], before: Clause | None, alone: bool) -> Clause:
    words = _words()
    hedge = words.hedge.search(text)
    plain = text[: hedge.start()] + text[hedge.end() :] if hedge else text
    if hedge and words.risky.search(plain):
        return Clause(text)
    time = kind = ""
    after, early = _timed(plain)
    if re.match("，?我", after):  # `现在我…` says what `我现在…` does
        plain, (time, kind) = after.lstrip("，"), early
    clause = _with_subject(plain, known, before, alone)
    if not clause.who:
        return Clause(text)
    stands_alone = text[0] not in "他她它"  # a pronoun was replaced by whom it means
    clause = clause._replace(text=text if stands_alone else clause.text, hedged=hedge is not None)
    rest, inside = _timed(clause.rest)
    time, kind = (time, kind) if time else inside
    if not time:
        return clause._replace(rest=rest)
    timeless = kind == "since" or (kind == "past" and words.change.search(rest) is not None)
    whole = clause._replace(rest=time + rest)
    return whole._replace(when=time, timeless=rest) if timeless else whole


def bare_of(text: str) -> str:
    """What is left of the head of a clause without the speaker, adverbs, times, and with whom."""
    own = re.sub("^我们?", "", text.rpartition("，")[2])
    rest = re.sub("(?:[跟和与]|同(?![学事桌乡屋])).{1,5}$", "", _timed(_light(own))[0])
    return rest.strip("人把给在")


def _time(text: str) -> tuple[str, str]:
    """The time that a text begins with, the longest one, and its kind."""
    words = _words()
    found = [
        (one[0], kind)
        for kind, like in (("since", words.since), ("past", words.past), ("future", words.future))
        if (one := like.match(text))
    ]
    return max(found, key=lambda one: len(one[0]), default=("", ""))


def _timed(rest: str) -> tuple[str, tuple[str, str]]:
    """What follows a subject, or a clause, without adverbs at its head, and the time there."""
    words = _words()
    time = ("", "")
    while True:
        if adverb := words.adverb.match(rest):
            rest = rest[adverb.end() :]
            continue
        found = ("", "") if time[0] else _time(rest)
        end = len(found[0])
        if not end or end == len(rest) or rest[end] in "是的岁":
            return rest, time
        time, rest = found, rest[end:]


def _with_subject(
    text: str, known: Mapping[str, str], before: Clause | None, alone: bool
) -> Clause:
    words = _words()
    if relation := known.get(text[:1]) if text[:1] in "他她它" and text[1:2] != "们" else "":
        name = known.get(relation, "")
        who = "pet" if words.attribute.get(relation) == "pet" else "person"
        shown = f"用户的{relation}{name}"
        return Clause(shown + text[1:], who, text[1:], name or relation, shown, relation, name)
    if found := words.person.match(text):
        return _person(text, found, text[found.end() :], known)
    both = re.match(
        r"我(?:[和跟与]|同)(?:我)?(?P<relation>\w{1,4}?)(?:都|一起(?!住)|两个人?|俩)*(?=住(?!一起|在一起)|在|养|结婚|有|搬|离婚|分手)",
        text,
    )
    if both and both["relation"] in words.kept:
        return Clause(text, "we", text[both.end() :], USER, "用户")
    if re.match("我们?家[在住]", text):
        return Clause(text, "user", text[text.index("家") :], USER, "用户")
    if found := re.match(r"我们家?|我家里?|我和我?家人", text):
        return Clause(text, "we", text[found.end() :], USER, "用户")
    if found := re.match(r"我(?!俩|等)", text):
        return Clause(text, "user", text[1:], USER, "用户")
    for one in sorted((*known.values(), *known), key=len, reverse=True):  # names, then aliases
        if len(one) > 1 and text.startswith(one) and one not in words.kept:
            name = known.get(one, one)
            return Clause(text, "person", text[len(one) :], name, name, "", name)
    if (found := words.bare.match(text)) and (alone or (before and before.who == "user")):
        return _person(text, found, text[found.end() :], known)
    if before and before.who != "user" and any(map(text.startswith, words.kept)):
        return Clause(text)  # somebody of theirs: neither whom it was about, nor the user's
    if before and words.introduced.search(before.text):  # `养了只猫，它叫…`
        text = re.sub("^[他她它](?=叫|名)", "", text)
    if before and words.starter.match(text):
        of_before = before.text
        if (found := words.introduced.search(of_before)) and before.subject == USER:
            return (
                _person(text, found, text, {})
                if re.match("叫|名叫|名字|今年|是|对|在|才", text)
                else Clause(text)
            )
        if not words.opens.search(before.rest):
            return before._replace(text=text, rest=text, when="", timeless="")
        return Clause(text)
    return Clause(
        text, "bare" if before is None and words.starter.match(text) else "", text, USER, "用户"
    )


def _person(text: str, found: re.Match[str], rest: str, known: Mapping[str, str]) -> Clause:
    words = _words()
    relation = words.kept[found["relation"]]
    one = relation not in words.plural
    sure = one and relation not in words.several
    name = found.groupdict().get("name") or ""
    before = known.get(relation, "") if sure else ""
    if not name and before and found.groupdict().get("how"):  # somebody else than before
        return Clause(text)
    name = name or before
    if not name and relation in words.several and not re.match("叫|名", rest):
        return Clause(text)
    who = "people" if not one else "pet" if words.attribute[relation] == "pet" else "person"
    return Clause(text, who, rest, name or relation, f"用户的{relation}{name}", relation, name)
