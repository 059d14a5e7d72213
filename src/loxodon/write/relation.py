"""What a memory is to a new statement: the same, more or less of it, its contrary, what it ends.

Pure, and for every language alike: attributes decide where both have one, then what the statement
declares over, then the words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Literal

from loxodon.text.similarity import covers, gist, likeness
from loxodon.text.words import fold, index_words
from loxodon.types import Record
from loxodon.write.attributes import (
    ATTRIBUTES,
    DESCRIBED,
    IMPLIED_BY,
    LASTING,
    OF_SOMETHING,
    OF_THINGS,
    OPPOSITES,
    PROGRESSING,
    family_of,
    same_aspect,
)
from loxodon.write.domains import BY_NAME, TOOLS, domains_of, kinds_of
from loxodon.write.frames import (
    begins_alike,
    decided_anew,
    is_thing,
    journey,
    leaves_role,
    of_another,
    recounted,
    redecided,
    rescheduled,
    revalued,
    same_doing,
    settles,
    timed,
)  # fmt: skip
from loxodon.write.frames_zh import came_about, of_nobody, told_anew
from loxodon.write.statements import USER, Statement

_SAME = 0.8
_FRAME = 0.7
"""Likeness, numbers aside, of two sentences that give one thing two values."""
_WHOLE = 0.95
_CLOSE = 0.5
_TOPIC = 0.3
_NAMED = 0.6
"""Share of the words of a phrase that a memory must have to be meant by it."""

_TOLD_OF = ("condition", "surgery", "injury")
_MUCH = 4
"""Words (characters of Chinese) that make news of what was told before."""

_LIGHT = frozenset({"trip", "thing", "plan", "holiday", "idea", "stuff", "busi", "whole"})
"""Words that name nothing by themselves, by their stems."""

Relation = Literal["same", "richer", "poorer", "contradicts", "ended", "unrelated"]


_WITH = "丈夫 妻子 男朋友 女朋友 对象 未婚夫 未婚妻 老伴 husband wife girlfriend boyfriend"
_PARTNERS = frozenset(_WITH.split())
_WITHOUT = "单身 单身狗 没对象 没有对象 没男朋友 没女朋友 没有男朋友 没有女朋友 single"
_ALONE = frozenset(_WITHOUT.split())


def rewords(statement: Statement) -> bool:
    """Whether a statement only says that one word was wrong: `it is 1989, not 1988`."""
    return statement.act == "correct" and statement.category == "temp" and bool(statement.over)


def forgets(statement: Statement) -> bool:
    """Whether a statement only asks that something be forgotten."""
    return statement.act == "end" and statement.category == "temp" and bool(statement.over)


def relation(statement: Statement, record: Record) -> Relation:
    """What `record` is to a new statement."""
    if forgets(statement):
        return "ended" if any(names(record, words) for words in statement.over) else "unrelated"
    if rewords(statement):
        wrong = any(fold(words) in fold(record.content) for words in statement.over)
        return "contradicts" if wrong else "unrelated"
    if leaves_role(statement, record):
        return "ended"
    if statement.act in ("end", "change") and _is_meant(statement, record):
        return "ended" if statement.act == "end" else "contradicts"
    if statement.subject in _PARTNERS and record.attribute == "marital_status":
        return "contradicts" if record.value in _ALONE else "unrelated"
    if record.subject == statement.subject and came_about(statement, record):
        return "contradicts"
    if record.subject and not _concerns(statement, record):
        return "ended" if _ends_subject(statement, record) else "unrelated"
    if _gone(statement) and record.subject == statement.subject and not negative(record):
        return "ended"
    if statement.act == "end" and statement.attribute == "living_with" != record.attribute:
        told = record.subject == statement.subject != USER and record.attribute == ""
        if told and any(names(record, words) for words in statement.over):
            return "ended"  # what a flatmate was like to live with
    if statement.act == "correct" and any(names(record, words) for words in statement.over):
        return "contradicts"
    if statement.act in ("change", "correct") and recounted(statement.content, record.content):
        return "contradicts"
    of_two = statement.attribute in OF_THINGS and not _one_thing(statement, record)
    if statement.attribute and statement.attribute == record.attribute and not of_two:
        found = _by_value(statement, record)
        if found != "unrelated":
            return found
    elif _same_value(statement.value, record.value):
        if record.attribute in OPPOSITES.get(statement.attribute, ()):
            return "contradicts"
        if record.attribute in IMPLIED_BY.get(statement.attribute, ()):
            return "poorer"
    if settles(statement, record) or rescheduled(statement, record) or redecided(statement, record):
        return "contradicts"
    if same_doing(statement, record) and not negative(record):
        return _size(statement.content, record.content)
    if told_anew(statement, record) and not negative(record):
        return "contradicts"
    if _promoted(statement, record):
        return "contradicts"
    if revalued(statement, record):
        return "contradicts"
    if statement.act in ("end", "change", "correct"):
        found = _by_what_is_over(statement, record)
        if found != "unrelated":
            return found
    return _by_words(statement, record)


def _is_meant(statement: Statement, record: Record) -> bool:
    """Whether a statement has all the words of a memory for what is over (see `zh/implied.py`)."""
    words = record.content.removeprefix("用户的").removeprefix("用户")
    own = record.subject == statement.subject
    shared = record.kind == "belief" or record.attribute == "living_with"
    return (own or shared) and words != record.content and words in statement.over


def _by_value(statement: Statement, record: Record) -> Relation:
    """Two statements of the same attribute of the same subject."""
    if _same_value(statement.value, record.value):
        if statement.positive == negative(record):
            return "contradicts"
        return _about_one_thing(statement, record)
    if not ATTRIBUTES[statement.attribute].one:
        return "unrelated"
    anew = statement.act == "change" and _shares_more(statement, record)
    if statement.attribute in OF_SOMETHING and not anew and not _same_frame(statement, record):
        return "unrelated"
    if statement.attribute == "reply_style" and not same_aspect(statement.value, record.value):
        return "unrelated"
    return "ended" if statement.act == "end" and not statement.value else "contradicts"


def _promoted(statement: Statement, record: Record) -> bool:
    """Whether a new post takes the place of one that was told together with its employer."""
    risen = statement.act == "change" and statement.attribute == "occupation"
    return risen and record.attribute == "employer" and bool(re.search("[当做任]", record.content))


def _shares_more(statement: Statement, record: Record) -> bool:
    """Whether both speak of more than the thing that is over."""
    over = {word for words in statement.over for word in gist(words).words}
    return bool((gist(statement.content).words & gist(record.content).words) - over)


def _same_frame(statement: Statement, record: Record) -> bool:
    """Whether both give a value for the same thing: the dentist is not the eye doctor."""
    if statement.subject != USER:
        return True
    new, old = (
        gist(content.replace(value, " ")).words
        for content, value in (
            (statement.content, statement.value),
            (record.content, record.value),
        )
    )
    return not new or not old or len(new & old) / min(len(new), len(old)) >= _FRAME


def _about_one_thing(statement: Statement, record: Record) -> Relation:
    """Two statements that give one attribute one value, and may say different things of it."""
    if _dated(statement.content, record.content):
        return "contradicts" if statement.act in ("change", "correct") else "unrelated"
    if statement.act in ("change", "correct"):
        one, other = gist(statement.content).numbers, gist(record.content).numbers
        if one != other and one and other:
            return "contradicts"
    found = _size(statement.content, record.content)
    if found != "same" or likeness(statement.content, record.content) >= _CLOSE:
        return found
    if statement.attribute in PROGRESSING:
        return "contradicts"  # the exam that was failed is passed now
    news = gist(statement.content).words - gist(record.content).words
    if statement.attribute in _TOLD_OF and len(news) >= _MUCH:
        return "unrelated"  # more is known of the illness, or what became of it
    return "unrelated" if statement.attribute in DESCRIBED else "same"


def _by_what_is_over(statement: Statement, record: Record) -> Relation:
    """What a statement that says `no longer`, `now` or `not … but` does to a memory."""
    named = any(names(record, words) for words in statement.over)
    if negative(record) and statement.act != "correct":
        # What was given up is taken up again; that it is over is no news.
        named = named or (bool(record.value) and _has_kind(statement.content, record.value))
        resumed = statement.act == "change" and statement.positive and named
        return "contradicts" if resumed else "unrelated"
    if not _same_family(statement, record):
        pupil = record.attribute == "school" and " is at " in statement.content
        changed = pupil and statement.act == "change" and statement.attribute == "employer"
        return "contradicts" if changed else "unrelated"
    if statement.attribute == "schedule" and not timed().search(record.content):
        return "unrelated"  # the appointment is moved, not the dentist
    health = statement.topic == "health" and statement.act == "end"
    ill = record.attribute == "condition" and fold(record.value) in map(fold, statement.over)
    parts = any("的" in words and names(record, words) for words in statement.over)
    kept = record.attribute in LASTING and not health and not ill and not parts
    if kept and not _shares_more(statement, record):
        return "unrelated"  # the cat is gone, the allergy is not
    if statement.act == "end":
        if named or (not statement.over and statement.attribute == record.attribute != ""):
            return "ended"
        if statement.attribute == "occupation" and record.attribute in ("employer", "workplace"):
            return "ended"  # who has retired works nowhere
        return "unrelated"
    if named:
        return "contradicts"
    if re.search("另一|另外一|别的|其他", statement.content):
        return "unrelated"
    if not statement.over and statement.attribute == record.attribute == "medication":
        return "contradicts"  # one drug for another
    if record.category in ("event", "relation"):
        return "unrelated"
    if statement.attribute in OF_THINGS and record.subject not in (USER, statement.subject):
        return "unrelated"  # another coach is no other adviser
    if statement.over:  # it says what has changed, if not by the same name
        told = domains_of(" ".join(statement.over))
        if all("的" in words for words in statement.over):
            return "unrelated"  # it is known by all its parts, or not at all
        if told:
            same = told & domains_of(record.content) and not of_another(statement, record)
            return "contradicts" if same else "unrelated"
        whose = _owner(statement.subject, statement.attribute)
        if statement.act != "change" or whose != USER:
            same = statement.act == "change" and _topical(_told_of(statement), record.content)
            return "contradicts" if same else "unrelated"
    alike = (
        _topical(_told_of(statement), of_nobody(record.content, statement.subject))
        or decided_anew(statement, record)
        or begins_alike(statement, record)
        or recounted(statement.content, record.content)
        or (_same_domain(_told_of(statement), record.content) and not of_another(statement, record))
        or _remeasured(statement.content, record.content)
    )
    return "contradicts" if alike else "unrelated"


def _has_kind(content: str, thing: str) -> bool:
    """Whether a sentence names a thing, or a kind of it: wine is alcohol."""
    words = set(re.findall(r"[a-z-]+", fold(content)))
    return bool(words & kinds_of(thing))


def _by_words(statement: Statement, record: Record) -> Relation:
    """Two statements with no attribute in common: the same words say the same."""
    content, kept = statement.content, record.content
    if _two_things(statement, record):
        return "same" if fold(content) == fold(kept) else "unrelated"
    like = likeness(content, kept)
    numbers, others = gist(content).numbers, gist(kept).numbers
    whole = max(like, covers(content, kept), covers(kept, content))
    if whole >= _FRAME and statement.positive == negative(record):
        return "contradicts"
    if numbers != others and numbers and others:
        return "contradicts" if like >= _FRAME and not _dated(content, kept) else "unrelated"
    if like >= _SAME or max(covers(content, kept), covers(kept, content)) >= _WHOLE:
        return _size(content, kept)
    return "unrelated"


def _two_things(statement: Statement, record: Record) -> bool:
    """Whether attributes or values tell that two sentences are about different things."""
    if not statement.attribute or not record.attribute:
        return False
    if statement.attribute != record.attribute:
        return not family_of(statement.attribute) == family_of(record.attribute) != ""
    if statement.value in record.content and record.value in statement.content:
        return False  # the cat, and its name
    # `_by_value` found them to be two; what is alike but for its number is one that has changed.
    values = bool(statement.value and record.value)
    return values and likeness(statement.value, record.value) < _FRAME


def _size(content: str, kept: str) -> Relation:
    """Whether a sentence that says the same as `kept` says more, or less."""
    new, old = gist(content), gist(kept)
    more = (new.words | new.numbers) - (old.words | old.numbers)
    less = (old.words | old.numbers) - (new.words | new.numbers)
    if more and not less:
        return "richer"
    return "poorer" if less and not more else "same"


def _same_value(a: str, b: str) -> bool:
    one, other = fold(a), fold(b)
    if one == other:
        return True
    if not one or not other:
        return False
    first, second = gist(a), gist(b)
    if first.numbers != second.numbers:
        return False
    if one.isascii() and other.isascii():
        words, others = index_words(one), index_words(other)
        return bool(words and others) and (
            words[: len(others)] == others or others[: len(words)] == words
        )
    if one in other or other in one:
        return len(one) > 1 and len(other) > 1
    return bool(first.words) and first.words == second.words


def names(record: Record, phrase: str) -> bool:
    """Whether a memory is one of what `phrase` names."""
    wanted = fold(phrase).strip()
    if not wanted:
        return False
    text = fold(f"{record.content}\n{record.value}")
    if any(kind in text for kind in kinds_of(phrase)):
        return True
    if wanted in _JOURNEYS and journey().search(record.content):
        return True
    if wanted in BY_NAME and BY_NAME[wanted] in domains_of(record.content):
        return True
    plain = wanted.isascii() and " " not in wanted
    if plain and _compound().search(text, max(0, text.find(wanted))):
        return False
    if any("\u4e00" <= c <= "\u9fff" for c in wanted) and not _ends_a_word(wanted, text):
        return False
    if not wanted.isascii() or _compact(wanted) != wanted:
        parts = [part for part in wanted.split("的") if part]
        bare = _compact(text).replace("的", "")
        if _compact(wanted).replace("的", "") in bare or all(_has(part, text) for part in parts):
            return True
        if _apart(wanted, bare):
            return True
        held = len(wanted) > 2 and wanted[-1] in "局课班群"
        if held and record.attribute not in ("skill", "likes"):
            return wanted[:-1] in text  # the class that is over was for this
        both, has = gist(phrase), gist(record.content)
        known = both.words <= has.words and both.numbers <= has.numbers
        return wanted.isascii() and len(both.words) > 1 and known
    if any(c.isdigit() for c in wanted) and not wanted.isdigit() and " " not in wanted:
        return _compact(wanted).removesuffix("s") in _compact(text)  # xt30 is the X-T30
    words, numbers = gist(phrase)
    words = words - _LIGHT or words  # the Japan trip is what is planned for Japan
    has = gist(record.content)
    if numbers - has.numbers:
        return False
    if not words:
        return bool(numbers)
    return len(words & has.words) / len(words) >= _NAMED


_JOURNEYS = frozenset(["trip", "holiday", "vacation", "travel plans", "flights", "flight"])
_MAKES = "店馆厅机豆杯厂商师员粮砂器品行社吧包瓶油味色园院校会所城卡盒膏水"
"""What makes another word of the one before it: 咖啡机, 酒店, 健身卡."""


def _ends_a_word(wanted: str, text: str) -> bool:
    """Whether Chinese `wanted`, where it stands in `text`, is a word or the end of one.

    Chinese names kinds by their last part: 白酒 is 酒, 酒店 is not.
    """
    if wanted not in text:
        return True  # its parts may stand apart
    import rjieba

    ends, at = set(), 0
    for word in rjieba.cut(text):
        at += len(word)
        ends.add(at)
    found = list(re.finditer(re.escape(wanted), text))
    if any(one.end() in ends for one in found):
        return True
    # Words are not always told apart well: 年会定在 is still about the 年会.
    return len(wanted) > 1 and any(text[one.end() : one.end() + 1] not in _MAKES for one in found)


def _has(part: str, text: str) -> bool:
    """Whether `text` has a part of a name; of a long Chinese one both halves will do."""
    if part in text:
        return True
    return len(part) > 3 and not part.isascii() and part[:-2] in text and part[-2:] in text


def _apart(wanted: str, text: str) -> bool:
    """Whether a Chinese name stands in `text` with a bit more inside it: 游泳卡 in 游泳馆的年卡."""
    if len(wanted) == 2 and wanted[1] in "语大":  # 西语 is 西班牙语, 苏大 苏州大学
        return bool(re.search(f"{re.escape(wanted[0])}[\u4e00-\u9fff]{{1,3}}{wanted[1]}", text))
    if not 3 <= len(wanted) <= 6 or wanted.isascii() or wanted[:2] not in text:
        return False
    rest = text[text.index(wanted[:2]) + 2 :].split("，")[0]
    return 0 <= rest.find(wanted[2:]) <= 4


@cache
def _compound() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:coffee|tea|wine|beer|dog|cat|car|phone|gym|milk|meat|fish)s? (?:tables?|shops?"
        r"|houses?|bars?|machines?|makers?|committees?|cups?|mugs?|beans?|company|companies|park"
        r"|food|insurance|cases?|allergy|allergies)\b"
    )


def _ends_subject(statement: Statement, record: Record) -> bool:
    """`Biscuit died` ends what is known of Biscuit, and `the user has a dog named Biscuit`."""
    if statement.act != "end":
        return False
    named = {fold(name) for name in (*statement.over, statement.subject)}
    if fold(record.subject) in named:
        return True
    if negative(record):
        return False
    gone = statement.subject != "user" and fold(statement.subject) in map(fold, statement.over)
    return gone and any(names(record, name) for name in (statement.subject, *statement.over))


def _gone(statement: Statement) -> bool:
    """Whether whom a statement is about is no more."""
    of_one = statement.act == "end" and statement.subject != USER and statement.topic == "loss"
    return of_one and fold(statement.subject) in map(fold, statement.over)


def _concerns(statement: Statement, record: Record) -> bool:
    """Whether both are about the same; what others do to the user may change what is so of them."""
    if record.subject == statement.subject:
        return True
    things = is_thing(statement) and is_thing(record)
    if things and _same_thing(record.subject, statement.subject):
        return True
    if statement.act == "state":
        if is_thing(statement) and record.subject == USER:
            return settles(statement, record) or redecided(statement, record)
        named = statement.subject == USER and is_thing(record) and record.attribute == "schedule"
        return named and _names_head(record.subject, statement.content)
    if _touches(statement, record):
        return True
    if _owner(record.subject, record.attribute) == _owner(statement.subject, statement.attribute):
        return True
    if statement.act == "change" and record.subject in statement.over:
        return True  # the new flatmate takes the place of the old one
    if statement.attribute == "holder" and f"{statement.subject}{record.subject}" in record.content:
        return True
    if record.subject[:1].islower() and any(
        fold(words) == fold(record.subject) or _same_thing(record.subject, words)
        for words in statement.over
    ):
        return record.subject != USER and statement.attribute in ("", record.attribute)
    whose = f"the user's {fold(statement.subject)}"
    if record.subject == USER and fold(record.content).startswith((f"{whose} ", f"{whose}'s ")):
        return True
    thing = statement.subject[:1].islower() and statement.subject != USER
    if record.subject == USER and thing and statement.subject in statement.over:
        return True
    if record.subject == USER and thing and " " in statement.subject:
        return names(record, statement.subject)
    if statement.subject == USER and _in_place(record, statement.over):
        return True
    if USER not in (record.subject, statement.subject):
        return _same_thing(record.subject, statement.subject)
    born = statement.subject in ("孩子", "儿子", "女儿", "老大", "老二")
    meant = any(len(words) > 1 and names(record, words) for words in statement.over)
    if record.subject == USER and meant and (statement.subject in record.content or born):
        return True  # the kitten that has a name now is the one found without
    if record.subject != USER:  # whose it is may go without saying: 芭蕾不学了
        unnamed = not statement.content.isascii() and statement.act in ("end", "change")
        return unnamed and meant
    told = re.sub(r"用户的|\b[Tt]he user's\b", "", statement.content)
    return "用户" in told or "the user" in told.lower()


def _one_thing(statement: Statement, record: Record) -> bool:
    """Whether what is said of a thing is said of the same one."""
    if statement.subject == record.subject:
        return True
    things = is_thing(statement) and is_thing(record)
    return things and _same_thing(record.subject, statement.subject)


def _touches(statement: Statement, record: Record) -> bool:
    """Whether one is about a thing that the other names: `migrated the backend to Postgres`."""
    of_user = all(one.subject == USER or is_thing(one) for one in (statement, record))
    if of_user and domains_of(statement.content) & domains_of(record.content) & TOOLS:
        return True
    if is_thing(record) and statement.subject == USER:
        return _names_head(record.subject, statement.content)
    if not is_thing(statement) or record.subject != USER:
        return False
    over = any(names(record, words) for words in statement.over)
    return over or _names_head(statement.subject, record.content)


def _names_head(subject: str, content: str) -> bool:
    """Whether a sentence has the word that a thing is called by, the last of its words."""
    stems = index_words(subject)
    return bool(stems) and stems[-1] in index_words(content)


def _owner(subject: str, attribute: str) -> str:
    """Whose life it is: what a thing or a role of the user's is like is so of the user."""
    return USER if attribute in OF_THINGS else subject


def _in_place(record: Record, over: Sequence[str]) -> bool:
    """Whether what is over is what a thing of the user's was said to be, or to be with."""
    content = fold(record.content)
    own = content.startswith("the user's ") and is_thing(record)
    return own and any(words and content.endswith(f" {fold(words)}") for words in over)


def _same_thing(a: str, b: str) -> bool:
    """Whether two things that are no names may be one: `thesis deadline` and `deadline`."""
    one, other = sorted((fold(a), fold(b)), key=len)
    if re.match(rf"{re.escape(one)} (?:to|for|of|with|in|at|from|on) ", other):
        return True
    return other.endswith(f" {one}") or (not one.isascii() and len(one) > 1 and one in other)


def _same_family(statement: Statement, record: Record) -> bool:
    """A drink given up is no job given up: `no coffee any more` leaves `works in a coffee shop`."""
    one, other = family_of(statement.attribute), family_of(record.attribute)
    if {statement.attribute, record.attribute} == {"home", "workplace"}:
        return True  # who leaves a town leaves its office too
    return not one or not other or one == other


def _topical(content: str, kept: str) -> bool:
    """Whether two sentences are about the same thing, though they say different things of it."""
    one, other = gist(content).words - _OF_TIME, gist(kept).words - _OF_TIME
    shared = one & other
    least = 3 if any(not word.isascii() for word in shared) else 2
    return len(shared) >= least and len(shared) / min(len(one), len(other)) >= _TOPIC


_OF_TIME = frozenset("每天周月年日时小现最近今")
"""Characters that two Chinese sentences share without being about one thing."""


def _told_of(statement: Statement) -> str:
    """What a statement says, without whom it says it of: that it is a wife is no news of one."""
    if _owner(statement.subject, statement.attribute) == USER:
        return statement.content
    bare = re.sub(r"^用户的[^，是在]{1,3}|^[Tt]he user's \w+", "", statement.content)
    return of_nobody(bare, statement.subject)


def _same_domain(content: str, kept: str) -> bool:
    """Whether both tell of one side of life, and neither of a single day."""
    if _date().search(kept):
        return False
    return bool(domains_of(content) & domains_of(kept))


def _remeasured(content: str, kept: str) -> bool:
    """Whether one tells what the other does in another number of the same telling unit."""
    new, old = units(content), units(kept)
    return any(new[unit][0] != old[unit][0] for unit in new.keys() & old.keys())


def units(text: str) -> dict[str, tuple[str, str]]:
    """What is measured: the number of each unit, and both as they stand."""
    return {fold(match["unit"]): (match["number"], match[0]) for match in _measure().finditer(text)}


@cache
def _measure() -> re.Pattern[str]:
    return re.compile(
        r"(?P<number>\d+(?:\.\d+)?) ?(?P<unit>微克|毫克|公里|公斤|千克|斤|平米|平方|微升|毫升"
        r"|(?:mg|mcg|ug|kg|lbs?|km|miles?|ml|bpm|kcal)(?![A-Za-z]))",
        re.IGNORECASE,
    )


def _dated(content: str, kept: str) -> bool:
    """Two sentences with different dates tell of two events."""
    one, other = (set(_date().findall(text)) for text in (content, kept))
    return one != other and bool(one) and bool(other)


def _compact(text: str) -> str:
    return re.sub(r"[-_.\s]", "", text)


def negative(record: Record) -> bool:
    """Whether a memory says that something is not so, or is no more."""
    if record.subject:
        return not record.positive
    return bool(_negative().search(record.content))  # captured: nobody has read it


@cache
def _negative() -> re.Pattern[str]:
    return re.compile(
        r"不再|不(?!同|错|仅|但|过|少|久|断|知|止|论|管|用)|没有|没(?!关系|事)|未曾|从未|戒|停|取消|退订|分手|离婚|去世|"
        r"\b(?:not|no longer|never|without|stopped|quit|cancell?ed|ended|died|sold)\b|n't\b",
        re.IGNORECASE,
    )


@cache
def _date() -> re.Pattern[str]:
    return re.compile(
        r"\d{4}-\d{2}(?:-\d{2})?|\d{4}年(?:\d{1,2}月)?(?:\d{1,2}日)?"
        r"|(?:\d{1,2} )?(?:January|February|March|April|May|June|July|August|September|October"
        r"|November|December)(?: \d{1,2})?,? \d{4}"
    )
