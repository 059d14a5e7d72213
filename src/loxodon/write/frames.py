"""Two sentences that say different things of one thing, told by how they are made.

`The user calls their mum every Sunday` and `… every Wednesday now` begin alike; `had their knee
replacement` settles `is on the waiting list for a knee replacement`; `down to 32 hens` counts what
`has 40 hens` did. What these find is about English sentences; of Chinese ones they say nothing,
where not said otherwise.
"""

from __future__ import annotations

import re
from functools import cache

from loxodon.text.similarity import gist
from loxodon.text.words import fold, index_words
from loxodon.types import Record
from loxodon.write.domains import domains_of
from loxodon.write.statements import USER, Statement
from loxodon.write.values import conflicts, topics_of

_CLOSE = 0.5
"""Share of the words of the shorter of two sentences that make them about one thing."""

_MORE_OF = (
    "allergy condition medication language skill pet child sibling relative friend colleague "
    "likes dislikes avoids owns plays reads watches visited degree certificate project knows"
)
_GATHERS = frozenset(_MORE_OF.split())
"""Attributes of which one more is no other one: `allergic to cats now` leaves the nuts."""
_VERBS = (
    "is are was were be been will have has had does did goes gets got takes uses likes loves plays "
    "wants needs can eats drinks speaks owns keeps made makes"
)
_COMMON_VERBS = frozenset(_VERBS.split())


def begins_alike(statement: Statement, record: Record) -> bool:
    """Whether two English sentences begin alike up to their verb, and go on in another way."""
    same = statement.attribute == record.attribute
    if (same and statement.attribute in _GATHERS) or (
        not same and statement.attribute and record.attribute
    ):
        return False
    one, other = _frame_words(statement.content), _frame_words(record.content)
    alike = next(
        (n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
        min(len(one), len(other)),
    )
    if statement.subject != USER:
        subject = f"the user's {statement.subject}".split()
        return (same and statement.attribute == "uses") or alike > len(subject)
    return alike > 4 or _same_verb(one, other)


def _same_verb(one: list[str], other: list[str]) -> bool:
    """Whether two sentences about the user have one verb that tells, in whatever form."""
    if one[:2] != ["the", "user"] or other[:2] != ["the", "user"]:
        return False
    new, old = (_verb_of(words[2:]) for words in (one, other))
    if not new or not old or {new, old} & _COMMON_VERBS:
        return False
    return index_words(new) == index_words(old)


def _verb_of(words: list[str]) -> str:
    """The verb that a predicate begins with; of `has been sleeping` it is `sleeping`."""
    at = next((n for n, word in enumerate(words) if word not in _AUXILIARIES), len(words))
    if at < len(words) and (at == 0 or words[at].endswith("ing")):
        return words[at]
    return words[0] if words else ""


_HELPING = "is are was were be been being has have had will"
_AUXILIARIES = frozenset(_HELPING.split())


@cache
def _pending() -> re.Pattern[str]:
    """What is still to come or going on, and what it is of."""
    return re.compile(
        r"\b(?:(?:is|are|was)(?: \w+ly| still| currently)? (?:waiting|planning|hoping|going"
        r"|applying|training|learning|reading|expecting|saving|looking|thinking|trying"
        r"|considering|studying"
        r"|preparing|getting|having|writing|building|working|due|on the waiting list|booked"
        r"|scheduled)|(?:wants|needs|hopes|plans|has|intends|would like) to|applied"
        r"|has an? (?=[\w ]*(?:appointment|interview|exam|test|surgery|operation|scan)))\b"
        r"(?P<of>.*)",
        re.IGNORECASE,
    )


@cache
def _outcome() -> re.Pattern[str]:
    """Verbs that say how it came out."""
    return re.compile(
        r"^\S+(?: \S+){0,4}? (?:has |have |finally |just |already |is |was |were |got )*(?:had|got"
        r"|did|didn't|gave up|given up|put|hold off|held off|holding off|cancelled|canceled"
        r"|called off|dropped|quit|finished|completed|passed|failed|decided|postponed|submitted"
        r"|pulled out|withdrew|abandoned|scrapped|arrived|came through|went|visited|took|bought"
        r"|received|accepted|rejected|turned down|signed|sent|renewed|ran|published|done|off"
        r"|over)\b"
    )


@cache
def _of_time() -> re.Pattern[str]:
    """When, at the end of a sentence."""
    return re.compile(
        r"\b(?:in|on|at|by|for|until|from|next|this|late|early) (?:the )?(?:\d|january|february"
        r"|march|april|may|june|july|august|september|october|november|december|spring|summer"
        r"|autumn|winter|mon|tues|wednes|thurs|fri|satur|sun|week|month|year|next|end)\S*.*$",
        re.IGNORECASE,
    )


def settles(statement: Statement, record: Record) -> bool:
    """Whether a statement tells what became of something that was to come or going on.

    `had their knee replacement` settles `is on the waiting list for a knee replacement`: the thing
    waited for is what the verb has for its object, no part of a longer name (`a triathlon suit`).
    """
    if statement.confidence < 1 or statement.category == "plan":
        return False
    waited = _pending().search(record.content)
    if waited and is_thing(statement) and _over_with().search(statement.content):
        return bool(set(index_words(statement.subject)[-1:]) & set(index_words(waited["of"])))
    same = is_thing(record) and record.subject == statement.subject
    if same and _mended().search(statement.content):
        return _faulty().search(record.content) is not None
    if _qualifies(statement.content, record.content):
        return True
    told = _outcome().match(statement.content) if waited else None
    if waited is None or told is None:
        return False
    of = _of_time().sub("", waited["of"]).split(",")[0]
    words = [word for word in re.findall(r"[A-Za-z][\w'-]+", of) if gist(word).words]
    if not words:
        return False
    head = gist(words[-1]).words
    rest = re.findall(r"[\w'-]+", re.split("[,;]", statement.content[told.end() :])[0])
    for n, word in enumerate(rest):
        if gist(word).words == head:
            after = rest[n + 1] if n + 1 < len(rest) else ""
            return not after or not gist(after).words or after in _AFTER_OBJECT
    return False


def _qualifies(content: str, kept: str) -> bool:
    """Whether who was learning something has passed: `is a learner driver`, `passed first time`."""
    was = _learner().match(kept)
    has = _passed().match(content) if was else None
    if not was or not has:
        return False
    stem = index_words(was["of"])[-1]
    return bool(has["how"]) or any(word[:4] == stem[:4] for word in index_words(has["what"] or ""))


@cache
def _learner() -> re.Pattern[str]:
    return re.compile(r"^The user is an? (?:learner|trainee|student|apprentice) (?P<of>\w+)")


@cache
def _passed() -> re.Pattern[str]:
    return re.compile(
        r"^The user (?:has |finally |just )*(?:passed|qualified)"
        r" (?:(?P<how>first time\b|second time\b|today\b|at last\b|with )|(?P<what>.+))"
    )


@cache
def _over_with() -> re.Pattern[str]:
    """What has come that was waited for."""
    return re.compile(
        r"\b(?:approved|denied|rejected|accepted|granted|refused|arrived|came|come|delivered"
        r"|fell through|is here"
        r"|issued|went (?:well|badly|fine|ok|great)|is (?:over|done|finished))\b"
    )


@cache
def _mended() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:fixed|repaired|mended|sorted|replaced|working (?:again|fine|now)|back (?:up"
        r"|online|from|in)"
        r"|as good as new|healed|better|cleared up)\b"
    )


@cache
def _faulty() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:broken|broke|not working|isn't working|doesn't work|down|leaking|leaks|cracked"
        r"|at the (?:garage"
        r"|mechanic\w*|shop)|in the shop|dead|stuck|sore|hurts?|aches?|faulty|acting up"
        r"|playing up|won't)\b"
    )


def same_doing(statement: Statement, record: Record) -> bool:
    """Whether one says what someone is and the other what they do, and it is the same: `tunes
    harps` and `is a harp tuner`."""
    if statement.act != "state" or not statement.positive or statement.confidence < 1:
        return False
    both = [_is_doer().match(content) for content in (statement.content, record.content)]
    if sum(one is not None for one in both) != 1 or statement.subject != record.subject:
        return False
    doer = next(one for one in both if one)
    other = record.content if both[0] else statement.content
    does = [_root(word) for word in index_words(other) if gist(word).words]
    told = [_root(word) for word in index_words(doer["of"] or "") if gist(word).words]
    head = _root(index_words(doer["who"])[-1])
    return head in does and bool(told) and set(told) < set(does)


def _root(stem: str) -> str:
    """A stem without what makes a doer of a verb, and the letter that goes before it."""
    return re.sub(r"(?:er|or|e)$", "", stem) if len(stem) > 3 else stem


@cache
def _is_doer() -> re.Pattern[str]:
    return re.compile(
        r"^The user is an? (?P<of>(?:[a-z-]+ ){0,2})(?P<who>[a-z]{3,}(?:er|or))(?=$|[,;]| here)"
    )


def redecided(statement: Statement, record: Record) -> bool:
    """Whether a sentence says what a thing will be, of which something else was planned or chosen:
    `the honeymoon will be in Norway` and `decided on Crete for the honeymoon`."""
    if not is_thing(statement) or record.subject != USER or statement.confidence < 1:
        return False
    will = _will_be().search(statement.content)
    of = re.search(
        rf"\b(?:the|their) (?:\w+ )?{re.escape(fold(statement.subject))}\b(?! \w+ing\b)",
        fold(record.content),
    )
    if not will or not of or not _intends().match(record.content):
        return False
    when = timed().search(will["what"]) is not None
    return when == (timed().search(record.content) is not None)


@cache
def _will_be() -> re.Pattern[str]:
    return re.compile(
        r" (?:will (?:now )?(?:be|have)|is (?:now )?going to (?:be|have)|is to be) (?P<what>.+)"
    )


@cache
def _intends() -> re.Pattern[str]:
    return re.compile(
        r"^The user (?:has |is )?(?:decided|chosen|chose|picked|plans|planning|going|having"
        r"|painting|booked|booking|settled|went|opted|getting|holding|doing|making|using|wants)\b"
    )


_NO_NOUN = (
    "aside off away today yesterday last this in on at for with and because so until to after "
    "again instead next early late from by"
)
_AFTER_OBJECT = frozenset(_NO_NOUN.split())


def decided_anew(statement: Statement, record: Record) -> bool:
    """Whether both settle the same thing: the white tiles, and the blue ones before."""
    both = statement.attribute == record.attribute and statement.attribute in ("decision", "plan")
    return both and bool(gist(statement.value).words & gist(record.value).words)


def _frame_words(content: str) -> list[str]:
    return [word for word in fold(content).split() if word not in _SMALL]


_ADVERBS = "finally about only now usually always normally still currently just also really mostly"
_SMALL = frozenset(_ADVERBS.split())


def rescheduled(statement: Statement, record: Record) -> bool:
    """Whether one thing that is done has another time of day, or is done more or less often."""
    hours = [_hour().search(content) for content in (statement.content, record.content)]
    if all(hours) and statement.subject == record.subject and statement.positive:
        new, old = (one for one in hours if one)
        return bool(new["up"]) == bool(old["up"]) and new["n"] != old["n"]
    one, other = _often().findall(statement.content), _often().findall(record.content)
    if not one or not other or one == other:
        return False
    first, second = gist(statement.content).words, gist(record.content).words
    alike = _same_verb(_frame_words(statement.content), _frame_words(record.content))
    return alike or len(first & second) / min(len(first), len(second)) >= _CLOSE


@cache
def _hour() -> re.Pattern[str]:
    """When someone gets up, or goes to bed: the number, and which of the two."""
    return re.compile(
        r"(?:(?P<up>\bup)|(?P<bed>\bto (?:bed|sleep)|\b(?:sleeps|asleep))) (?:at|around|by"
        r"|before|until)"
        r"(?: about| around)? (?=(?P<n>\d[\d:.]*))",
        re.IGNORECASE,
    )


@cache
def _often() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:to bed|get(?:s|ting)? up|wak(?:es?|ing) up|up) at (\d[\d:.]*(?: ?[ap]m)?)"
        r"|\b(once|twice|\w+ times) (?:an?|per|every) (?:day|week|month|year)\b",
        re.IGNORECASE,
    )


@cache
def journey() -> re.Pattern[str]:
    """A journey to come, whatever it was called."""
    return re.compile(
        r"\b(?:is|are|will be|plans to|wants to|has booked|booked) .*?(?:(?:going|flying"
        r"|travell?ing|off"
        r"|heading|driving|go|fly|travel) to (?:the )?[A-Z]|visiting [A-Z]|visit [A-Z]|(?:trip"
        r"|flights?"
        r"|holiday|vacation|cruise|cabin|getaway) )"
    )


_HELD = "manager colleague doctor teacher therapist landlord holder knows"
_ROLES = frozenset(_HELD.split())
"""What someone is to the user for as long as they do it."""


def leaves_role(statement: Statement, record: Record) -> bool:
    """Whether who had a role in the user's life has left it: `Priya left the company`."""
    if record.subject != USER or not statement.subject[:1].isupper() or statement.confidence < 1:
        return False
    name, value = fold(statement.subject), fold(record.value)
    if not value or (name != value and name not in value.split() and value not in name.split()):
        return False
    if record.attribute in ("living_with", "neighbour"):
        return _moves_away().search(statement.content) is not None
    return record.attribute in _ROLES and _leaves().search(statement.content) is not None


@cache
def _leaves() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:has |have |is |was |just |been |got )*(?:left(?! the user (?:a|some|the|alone))|quit"
        r"|resigned|retired|retiring|leaving|transferred|stepped down|moved on|moved to another"
        r"|moved teams"
        r"|fired|sacked|laid off|let go|made redundant|passed away|died|replaced|emigrated"
        r"|no longer (?:works?|with|part|at|the|their|teach\w*|coach\w*)"
        r"|(?:closed|sold|shut|closing|selling) (?:his|her|their|the) (?:\w+ )?(?:practice"
        r"|clinic|office"
        r"|shop|salon|studio|business|surgery)"
        r"|stopped (?:teaching|coaching|practi[sc]ing|taking|seeing|working)"
        r"|went on (?:maternity|paternity"
        r"|parental) leave|isn't (?:with|at) \w+ any ?more)\b",
        re.IGNORECASE,
    )


@cache
def _moves_away() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:(?:moved|moving) (?:out|away|to|in with|back|into)|left(?! the user)|passed away"
        r"|died"
        r"|sold (?:his|her|their|the) (?:house|home|flat|place)|no longer lives)\b",
        re.IGNORECASE,
    )


_ALIKE = 0.6
"""Share of the topics of the shorter of two sentences that they must have in common."""
_OF_ANY = frozenset(f"count:{unit}" for unit in ("week", "day", "month", "year", "time"))
"""Counts of time, which can be of anything."""


def revalued(statement: Statement, record: Record) -> bool:
    """Whether a sentence gives another value of what the memory gives one of.

    Who says that it has changed need share only what it is about; where nothing says so, it must
    be of things, or of a number of the same, and nearly all that the sentences are about.
    """
    kinds = conflicts(statement.content, record.content)
    if not kinds or statement.act == "end" or (not is_thing(record) and _happened(record.content)):
        return False
    whose = _beings() | {word for name in _subjects(statement, record) for word in topics_of(name)}
    one, other = topics_of(statement.content), topics_of(record.content)
    if is_thing(statement) or is_thing(record):
        whose = _beings()
    shared = (one & other) - whose
    if statement.act == "change" and _changed_thing(statement) in index_words(record.content):
        shared |= {"changed"}
    own = not statement.subject[:1].isupper()
    if statement.act == "change" and own and kinds & {"date", "money"}:
        shared |= domains_of(statement.content) & domains_of(record.content)
    counted = {kind for kind in kinds if ":" in kind} - _OF_ANY
    if _so_long().search(statement.content) and _so_long().search(record.content):
        counted |= kinds & {"count:week", "count:month"}
    if statement.act in ("change", "correct"):
        if kinds == {"name"}:
            head = _changed_thing(statement)
            return bool(head) and head in other
        return bool(shared or counted)
    if kinds - counted - {"money", "number", "often", "name"} and not is_thing(record):
        return False
    if counted and not kinds - counted - {"name"}:
        return True
    least = min(len(one - whose), len(other - whose))
    return bool(shared) and kinds != {"name"} and len(shared) / least >= _ALIKE


@cache
def _so_long() -> re.Pattern[str]:
    """How far someone is: `is 20 weeks along`."""
    return re.compile(r"^The user is (?:now |about |already )*\d+ (?:weeks|months)\b")


def _subjects(statement: Statement, record: Record) -> tuple[str, ...]:
    return tuple(one for one in (statement.subject, record.subject) if one != USER)


def is_thing(one: Statement | Record) -> bool:
    """Whether something is said of a thing of the user's, and not of someone."""
    if one.subject == USER or not one.subject or not one.subject.isascii():
        return False
    if fold(one.subject.split()[-1]) in _beings():
        return False
    return one.subject[:1].islower() or one.content.startswith(f"The user's {one.subject} ")


@cache
def _beings() -> frozenset[str]:
    from loxodon.write.en.words import BEINGS, as_set

    words = as_set(BEINGS)
    return words | {stem for word in words if word.isalpha() for stem in index_words(word)}


def of_another(statement: Statement, record: Record) -> bool:
    """Whether a sentence names what has changed, and that is nothing the memory tells of: a phone
    plan is no phone."""
    head = _changed_thing(statement)
    if not head or statement.subject != USER:
        return False
    return not domains_of(head) and head not in index_words(record.content)


def _changed_thing(statement: Statement) -> str:
    """The word (stem) for what a sentence says has changed: its subject, or what was changed."""
    if is_thing(statement):
        words = statement.subject
    else:
        found = _object_changed().search(statement.content)
        words = found["thing"] if found else ""
    stems = index_words(words)
    return stems[-1] if stems else ""


@cache
def _object_changed() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:the|their|his|her|its) (?P<thing>[a-z][\w-]*(?: [a-z][\w-]*){0,2}?)(?: over| up"
        r"| down"
        r"| across| back)? (?:to|in|into|onto|with|from|on|off|until|using|for) "
    )


def _happened(content: str) -> bool:
    """Whether an English sentence tells what happened, not what is."""
    from loxodon.write.en.verbs import forms_of, is_finite

    for word in content.split()[1:8]:
        if is_finite(word.lower()):
            forms = forms_of(word.lower())
            return "past" in forms and "base" not in forms
    return False


def recounted(content: str, kept: str) -> bool:
    """Whether both count the same things, and find another number of them."""
    new, old = _counts(content), _counts(kept)
    return any(new[thing] != old[thing] for thing in new.keys() & old.keys())


def _counts(text: str) -> dict[str, str]:
    """Things by how many there are of them; not lengths of time, which count anything."""
    found = {}
    for match in _count().finditer(fold(text)):
        thing = (match["thing"] or match["per"] or match["rank"]).removesuffix("s")
        if match["per"] or thing not in _TIMES:
            found[thing] = match["number"] or match["rate"] or match["place"]
    return found


_LENGTHS = "day week month year hour minute second time morning night am pm of"
_TIMES = frozenset(_LENGTHS.split())


@cache
def timed() -> re.Pattern[str]:
    """What a sentence has that says when: a number, a day, a month, in either language."""
    return re.compile(
        r"\d|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day|\b(?:january|february|march|april|may"
        r"|june|july|august|september|october|november|december|noon"
        r"|morning|afternoon|evening|nights?|days?|shifts?)"
        r"|[周点号月日天晚早]|星期|礼拜",
        re.IGNORECASE,
    )


@cache
def _count() -> re.Pattern[str]:
    words = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
    return re.compile(
        r"(?<![\w.])(?P<rate>\d[\d.,]*k?)(?: quid| pounds| dollars| euros| bucks)?"
        r" (?P<per>(?:an?|per) (?:hour|day|week|month|year))\b"
        r"|\b(?P<rank>year|grade|room|level|stage|phase|chapter|floor|gate|platform|node|python"
        r"|class) (?P<place>\d[\d.]*)\b"
        rf"|\b(?P<number>\d[\d.,]*|{words}) (?P<thing>[a-z]{{3,}})"
    )


__all__ = [
    "begins_alike", "decided_anew", "is_thing", "journey", "leaves_role", "of_another",
    "recounted", "redecided", "rescheduled", "revalued", "same_doing", "settles",
    "timed",
]  # fmt: skip
