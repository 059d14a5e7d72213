"""Chinese sentences cut into clauses, each with its subject."""

from __future__ import annotations

import re
from collections.abc import Mapping

from loxodon.language.statements import USER, Clause, Named, met
from loxodon.language.words import Words
from loxodon.text.wordlists import TO_SIMPLIFIED

WORDS = Words("loxodon.language.zh", cased=True)
_like = WORDS.like
attribute_of = WORDS.attribute_of
_CANTONESE = str.maketrans(
    {"係": "是", "喺": "在", "嘅": "的", "唔": "不", "咗": "了", "佢": "他", "冇": "没有"}
)
_CONTRAST = re.compile(r"(不是[^，]{1,16}?)，(?:而)?是(?=[^，])")
_JOIN = "\uff5c"  # Stands for the comma of `不是A，是B` while a sentence is cut


def evened(text: str) -> str:
    """A text in simplified script, its commas even and its spaces gone."""
    text = text.translate(_CANTONESE).translate(TO_SIMPLIFIED)
    return WORDS.rewritten(text, "evened").strip("， ")


def without_lead(text: str) -> str:
    """Somebody's words from where they begin to tell something: without `对了，`."""
    return _like["filler"].sub("", text, count=1) or text


def speaks_of_others(text: str) -> bool:
    """Whether somebody but the speaker may be whom a bare `老公` belongs to."""
    return _like["others"].search(text) is not None


def people_of(text: str) -> list[Named]:
    """Whom a text names of the user's people."""
    found = [
        Named(WORDS.usual(one["relation"]), one["name"] or "", bool(one["how"]))
        for way in ("who_is", "called", "held", "person")
        for one in _like[way].finditer(text)
        if way == "person" or _outright(text, one)
    ]
    return found + ([Named()] if _like["besides"].search(text) else [])


def _outright(text: str, found: re.Match[str]) -> bool:
    """Whether somebody is said to be the one: not supposed, asked, or what another says."""
    if _ASKS.search(text):
        return False
    before = _PAUSE.split(text[: found.start()])[-1]
    after = _light(_PAUSE.split(text[found.end() :].lstrip("了，,"))[0])
    return not _timed(_light(before))[0] and not _like["hedge"].fullmatch(after)


_PAUSE = re.compile(r"[，。；！,;!:：\s]")
_ASKS = re.compile('[?？]["”’」』)）\\s~～]*$')


def clauses_of(
    sentence: str, known: Mapping[str, str], alone: bool = False, first: bool = True
) -> list[Clause]:
    """The clauses of a sentence, of a message that is `alone` about the speaker, the `first`."""
    found: list[Clause] = []
    before: Clause | None = None
    text = _CONTRAST.sub(rf"\1{_JOIN}是", evened(sentence))
    for part in _like["connective"].split(text):
        light = _light(part)
        if not light:
            continue
        known = met(known, people_of(part), WORDS.pronouns)
        says = _like["who_is"].fullmatch(light) or _like["held"].fullmatch(light)
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
    if text[0] in "他她它" or _like["opens"].search(before.rest):
        return []
    rest = _timed(_like["joins"].sub("", text))[0]
    shared = before._replace(text=text, rest=rest, when="", timeless="", loose=False)
    return [shared] if rest else []


def strangers(text: str) -> list[Clause]:
    """A clause as one about somebody whom it names in full: `张三在上海工作`."""
    found = _like["stranger"].match(text)
    name = found["name"] if found else ""
    return [Clause(text, "person", text[len(name) :], name, name, "", name)] if name else []


def _named(clause: Clause) -> Clause:
    """Who is told of, with the name that the clause itself gives: `叫乐乐`."""
    names = _like["names_itself"]
    found = names.fullmatch(clause.rest) if clause.relation and not clause.name else None
    if found is None or re.search("[我你他她它了着个]", found["name"]):
        return clause
    name = found["name"]
    return clause._replace(subject=name, name=name, shown=clause.shown + name)


def _light(text: str) -> str:
    """A clause without what only leads up to it or trails behind."""
    text = _like["tail"].sub("", text.strip("， "))
    for _ in range(3):
        text = _like["filler"].sub("", text).strip("，、 ：:\"'“”")
    return _like["tail"].sub("", text.replace("啦", "了"))


def _clause(text: str, known: Mapping[str, str], before: Clause | None, alone: bool) -> Clause:
    hedge = _like["hedge"].search(text)
    plain = text[: hedge.start()] + text[hedge.end() :] if hedge else text
    if hedge and _like["risky"].search(plain):
        return Clause(text)
    time = kind = ""
    after, early = _timed(plain)
    if re.match("，?我", after):  # `现在我…` says what `我现在…` does
        plain, (time, kind) = after.lstrip("，"), early
    clause = _with_subject(plain, known, before, alone)
    if not clause.who:
        return Clause(plain, hedged=hedge is not None)
    stands_alone = text[0] not in "他她它"  # a pronoun was replaced by whom it means
    clause = clause._replace(text=text if stands_alone else clause.text, hedged=hedge is not None)
    rest, inside = _timed(clause.rest)
    time, kind = (time, kind) if time else inside
    if not time:
        return clause._replace(rest=rest)
    timeless = kind == "since" or (kind == "past" and _like["change"].search(rest) is not None)
    whole = clause._replace(rest=time + rest)
    return whole._replace(when=time, timeless=rest) if timeless else whole


def bare_of(text: str) -> str:
    """What is left of the head of a clause without the speaker, adverbs, times, and with whom."""
    own = re.sub("^我们?", "", text.rpartition("，")[2])
    rest = re.sub("(?:[跟和与]|同(?![学事桌乡屋])).{1,5}$", "", _timed(_light(own))[0])
    return rest.strip("人把给在")


def _timed(rest: str) -> tuple[str, tuple[str, str]]:
    """What follows a subject, or a clause, without adverbs at its head, and the time there."""
    time = ("", "")
    while True:
        if adverb := _like["adverb"].match(rest):
            rest = rest[adverb.end() :]
            continue
        kinds = () if time[0] else ("since", "past", "future")
        times = [(one[0], kind) for kind in kinds if (one := _like[kind].match(rest))]
        found = max(times, key=lambda one: len(one[0]), default=("", ""))
        end = len(found[0])
        if not end or end == len(rest) or rest[end] in "是的岁":
            return rest, time
        time, rest = found, rest[end:]


def _with_subject(
    text: str, known: Mapping[str, str], before: Clause | None, alone: bool
) -> Clause:
    if relation := known.get(text[:1]) if text[:1] in "他她它" and text[1:2] != "们" else "":
        name = known.get(relation, "")
        who = "pet" if attribute_of(relation) == "pet" else "person"
        shown = f"用户的{relation}{name}"
        return Clause(shown + text[1:], who, text[1:], name or relation, shown, relation, name)
    if found := _like["person"].match(text):
        return _person(text, found, text[found.end() :], known)
    both = _like["both"].match(text)
    if both and both["relation"] in WORDS.kept:
        return Clause(text, "we", text[both.end() :], USER, "用户")
    if re.match("我们?家[在住]", text):
        return Clause(text, "user", text[text.index("家") :], USER, "用户")
    if found := re.match(r"我们家?|我家里?|我和我?家人", text):
        return Clause(text, "we", text[found.end() :], USER, "用户")
    if found := re.match(r"我(?!俩|等)", text):
        return Clause(text, "user", text[1:], USER, "用户")
    for one in sorted((*known.values(), *known), key=len, reverse=True):  # names, then aliases
        if len(one) > 1 and text.startswith(one) and one not in WORDS.kept:
            name = known.get(one, one)
            return Clause(text, "person", text[len(one) :], name, name, "", name)
    if (found := _like["bare"].match(text)) and (alone or (before and before.who == "user")):
        return _person(text, found, text[found.end() :], known)
    if before and before.who != "user" and any(map(text.startswith, WORDS.kept)):
        return Clause(text)  # somebody of theirs: neither whom it was about, nor the user's
    if before and _like["introduced"].search(before.text):  # `养了只猫，它叫…`
        text = re.sub("^[他她它](?=叫|名)", "", text)
    if before and _like["starter"].match(text):
        if (found := _like["introduced"].search(before.text)) and before.subject == USER:
            if re.match("叫|名叫|名字|今年|是|在|才", text):  # 对花生过敏 may be either
                return _person(text, found, text, {})
        elif not _like["opens"].search(before.rest):
            return before._replace(text=text, rest=text, when="", timeless="")
        return Clause(text)
    who = "bare" if before is None and _like["starter"].match(text) else ""
    return Clause(text, who, text, USER, "用户")


def _person(text: str, found: re.Match[str], rest: str, known: Mapping[str, str]) -> Clause:
    relation = WORDS.usual(found["relation"])
    about, several = attribute_of(relation), relation in WORDS.several
    name = found.groupdict().get("name") or ""
    before = known.get(relation, "") if about and not several else ""
    if not name and before and found.groupdict().get("how"):  # somebody else than before
        return Clause(text)
    name = name or before
    if not name and several and not re.match("叫|名", rest):
        return Clause(text)
    who = "pet" if about == "pet" else "person" if about else "people"
    return Clause(text, who, rest, name or relation, f"用户的{relation}{name}", relation, name)
