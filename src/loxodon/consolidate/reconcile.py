"""What a new statement means for what is known.

A statement is held against the memories about the same thing: those with its subject and attribute,
the five most similar in words, and those that have the words it declares over. Each of them says
the same, says more or less, contradicts it, is ended by it, or has nothing to do with it
(`relation`); `plan` makes of these one decision, which `keep.py` carries out.

Two statements are one only where every word that can change the meaning agrees. Nothing is ended
that is not plainly the same thing: another value of what has one value at a time, or the very thing
that the statement says is over.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from datetime import datetime
from typing import Literal, NamedTuple

from loxodon.consolidate.phrases import pattern, phrases, rewritten
from loxodon.consolidate.read import Candidate, certain
from loxodon.language.attributes import ATTRIBUTES, CALLED, OF_SOMETHING, OPPOSITES
from loxodon.language.statements import USER, Statement
from loxodon.store import Filter
from loxodon.store.store import Store
from loxodon.text.dates import find_moments
from loxodon.text.similarity import likeness, opposed, sense
from loxodon.text.things import apart, clauses_in, only_adds, own_words, valued_anew
from loxodon.text.words import fold, query_words
from loxodon.types import Kind, Record

SIMILAR = 5  # Memories looked at for their words where no subject and attribute leads to them
FIRM = 0.7  # Importance from which on a memory is not contradicted by a guess
_STABLE = ("name", "birthday", "gender", "blood_type", "ethnicity")
_ABOUT = 50
Relation = Literal["same", "richer", "poorer", "contradicts", "ended", "unrelated"]
ALIKE: tuple[Relation, ...] = ("same", "richer", "poorer")
Outcome = Literal["add", "confirm", "update", "hold", "late", "nothing"]
Related = Sequence[tuple[Relation, Record]]
OVER = ("contradicts", "ended")
# What becomes of a memory. `asked`: it stays, and is over if the user confirms the new one, which
# stands beside it. `doubted`: it stays, and waits for the user's word. `rewritten`: it stays true
# with the right word in the place of a wrong one.
Fate = Literal["superseded", "retracted", "rewritten", "denied", "promoted", "doubted", "asked"]


class Plan(NamedTuple):
    """What to do about one statement, and about what is known."""

    outcome: Outcome
    target: Record | None = None  # What is confirmed, made richer, or contradicted by a guess
    changes: tuple[tuple[Fate, Record], ...] = ()
    # Whether something stays though it speaks of what is over: it tells other things as well
    beside: bool = False

    def of(self, *fates: Fate) -> list[Record]:
        """The memories of which that becomes."""
        return [record for fate, record in self.changes if fate in fates]


def plan(candidate: Candidate, store: Store, turn: str) -> Plan:
    """What to do about a statement said in `turn` (`session:id`)."""
    statement, is_guess = candidate.statement, candidate.statement.confidence < 1
    related = _related(statement, store, turn)
    facts = [(how, one) for how, one in related if one.kind == "fact"]
    alike = [(how, one) for how, one in facts if how in ALIKE]
    beliefs = [one for how, one in related if one.kind == "belief" and how in ALIKE]
    if is_guess and (alike or beliefs):
        return Plan("nothing") if alike else Plan("confirm", beliefs[0])
    over = [one for how, one in facts if how in OVER and (not is_guess or one.importance >= FIRM)]
    for one in over:
        if said_at(one) > candidate.said_at:
            return Plan("late", one)  # an old transcript does not change what was true after it
    if is_guess:
        return Plan("hold", over[0]) if over else Plan("add")
    several = statement.quoted and len({one.sources for one in over}) > len(statement.over) > 0
    fates = [(_fate(statement, how, one, several), one) for how, one in related]
    steady = store.decay.config.importance.steady
    if steady and statement.act == "state" and not alike:  # said again, it is so
        held = [one for fate, one in fates if fate == "superseded" and one.importance >= steady]
        fates = [("asked" if one in held else fate, one) for fate, one in fates]
    changes = [(fate, one) for fate, one in fates if fate is not None]
    found = Plan(
        "nothing" if any(fate == "rewritten" for fate, _ in changes) else "add",
        changes=tuple(changes),
        beside=any(speaks_of(words, one) for words in statement.over for _, one in facts),
    )
    if not alike:
        return found
    content = statement.content
    how, target = max(alike, key=lambda one: (likeness(content, one[1].content), one[1].id))
    return found._replace(outcome="update" if how == "richer" else "confirm", target=target)


def _fate(statement: Statement, how: Relation, old: Record, several: bool) -> Fate | None:
    """What becomes of a memory by a plain statement that may mean `several`; None for nothing."""
    if old.kind == "belief":
        return "promoted" if how in ALIKE else "denied" if how in OVER else None
    if how not in OVER:
        return None
    fate: Fate = "superseded" if how == "contradicts" else "retracted"
    # Where somebody's own words may mean several things, only what they name alone is over.
    if several and sense(old.value) not in map(sense, statement.over):
        return "doubted"
    if statement.right and fate == "superseded":
        if old.attribute and corrected(statement, old.content) != old.content:
            return "rewritten"
        if not besides(statement):
            return None  # somebody's own words stay
    # It may cost somebody's health to take a memory for over that is not; and who somebody is
    # hardly changes by a sentence that does not say so.
    health = old.category == "health" and old.importance >= 1 and old.attribute != "diet"
    stable = old.attribute in _STABLE and statement.act == "state" and not statement.right
    return "asked" if old.positive and (health or stable) else fate


def corrected(statement: Statement, text: str) -> str:
    """A text with the right word in the place of the wrong one."""
    unit = statement.right.rpartition(" ")[2]  # `10 mg, not 5`
    for wrong in statement.over:
        whole = rf"(?<!\w){re.escape(wrong)}(?: {re.escape(unit)})?(?!\w)"
        whole = whole if wrong.isascii() else re.escape(wrong)
        text = re.sub(whole, lambda _: statement.right, text, flags=re.I)
    return text


def known_about(store: Store, *parts: str) -> list[Record]:
    """Facts and beliefs of a subject, or of it and an attribute, or of these and a value."""
    return [one for one in store.latest("about", parts, _ABOUT) if one.kind != "summary"]


def known_like(store: Store, text: str, limit: int, kind: Kind | None = None) -> list[Record]:
    """The facts and beliefs that share most words with `text`."""
    # Summaries repeat what facts say; asking for some more makes up for them.
    hits = store.search("memories", query_words(text), Filter(kind=kind), 2 * limit)
    rows = [hit.row for hit in hits]
    records, sources = store.records(rows), store.sources(rows)
    found = [row for row in rows if row in records and records[row].kind != "summary"][:limit]
    return [records[row]._replace(sources=sources.get(row, ())) for row in found]


def _related(statement: Statement, store: Store, turn: str) -> Related:
    """What a statement is to the memories that it could be about; and to copies of what is over."""
    related = [
        (how, record)
        for record in _near(statement, store)
        if (how := relation(statement, record)) in ALIKE
        or statement.act == "correct"
        # What is said in one breath fits together.
        or any(f"{one.session}:{one.turn}" != turn for one in record.sources)
        or not record.sources
    ]
    copies = {
        one.id: one
        for how, record in related
        if how in OVER
        for one in known_like(store, record.content, 2 * SIMILAR)
        if is_copy(one, record)
    }
    related = [one for one in related if one[1].id not in copies]
    return [*related, *(("ended", one) for one in copies.values())]


def _near(statement: Statement, store: Store) -> list[Record]:
    """The memories that a statement could be about, each once."""
    found = known_like(store, statement.content, SIMILAR)
    if statement.attribute:
        for attribute in (statement.attribute, *OPPOSITES.get(statement.attribute, ())):
            one = ATTRIBUTES[attribute].one or statement.act == "end"
            value = () if one else (statement.value,)
            found += known_about(store, statement.subject, attribute, *value)
    if statement.act != "state":
        for clause in clauses_in(statement.content):
            found += known_like(store, clause, SIMILAR)
    for words in statement.over:
        found += known_like(store, words, 2 * SIMILAR)
        found += known_about(store, words)
        for called in CALLED.get(fold(words), ()):
            found += known_about(store, statement.subject, called)
    return list({record.id: record for record in found}.values())


def said_at(record: Record) -> datetime:
    """When a memory was last said to be so."""
    return record.confirmed_at or record.valid_from or record.created_at


# What a statement is to a memory

# What ends only by a statement of the same attribute, or of the one person or illness itself
_FIXED = ("health", "identity", "relation", "preference")
_PLACES = ("home", "hometown", "workplace")
_FORM = 3  # Words that two wishes have before what they differ in
_SET = frozenset(["in", "as", "with", "to", "using", "on", "at", *"用以按为成说"])
_TO_BE = frozenset(sense(phrases()["to_be"]))
_PRESENT = dict(pair.split() for pair in phrases()["irregular"].split(","))
_counted, _article, _preposition = map(pattern, ("counted", "article", "before_day"))
_CHARACTERS = 4
_CORRECTING = frozenset(sense(phrases()["correcting"]))
# What one calls a thing by that was told as a doing
_STANDS_FOR = {"job": sense("work"), "trip": sense("fly go travel visit"), "flight": sense("fly")}
_BEFORE = frozenset(sense("at in on to with for from of by into about"))
_OWNED = frozenset(["my", "our", "his", "her", "their"])
_AFTER = _BEFORE.union(sense(phrases()["follows"]))
_WELL = "(?:已经|都|全|终于|彻底|完全|早就?)*(?:好了|痊愈|康复|治好|好利索)"
_WITHIN = "[^，开做当住去在吃喝打看学养是有]"
_between, _from_now_on, _apology = map(pattern, ("between", "from_now_on", "apology"))
_negation, _died, _allergy, _says_more = map(pattern, ["negation", "died", "allergy", "says_more"])


def relation(new: Statement, old: Record) -> Relation:
    """What `new` is to `old`."""
    in_project = new.project and not old.project.startswith("_")
    if in_project and fold(new.project) != fold(old.project):
        return "unrelated"
    # Whether whom a memory is about has died; who they were stays so
    named, died = [*map(fold, new.over)], _died.search(new.content)
    if died and fold(old.subject) in named and old.category != "identity":
        return "ended"
    borne = _borne_out(new.content, old) if old.kind == "belief" else None
    if fold(new.subject) != fold(old.subject or USER):
        if borne and fold(new.subject) in fold(old.content):  # the guess was of them
            return borne
        # Who died, or `is no longer my boss`; who `got divorced` is still a friend
        over = new.act == "end" and (died or _negation.search(new.content))
        whom = any(words.endswith(fold(new.subject)) for words in named)
        of_whom = whom and old.category == "relation" and is_over(new, old)
        return "ended" if over and of_whom else "unrelated"
    if new.attribute and new.attribute == old.attribute:
        found = _of_one_attribute(new, old)
        return found if found in ALIKE else borne or found
    if borne:
        return borne
    if old.attribute in OPPOSITES.get(new.attribute, ()) and _values(new, old):
        return "contradicts"
    if new.act != "state" and is_over(new, old):
        return "ended" if new.act == "end" else "contradicts"
    if new.attribute or old.attribute:
        one = not old.attribute or ATTRIBUTES[old.attribute].one or old.category not in _FIXED
        return "contradicts" if one and _valued_anew(new, old) else "unrelated"
    # Two sentences in people's own words are one where their words are, clause by clause
    if bool(_negation.search(new.content)) != bool(_negation.search(old.content)):
        return "unrelated"
    if sense(new.content) == sense(old.content):
        return "same"
    more = _more(*({*map(sense, clauses_in(text))} - {()} for text in (new.content, old.content)))
    return more or ("contradicts" if _valued_anew(new, old) else "unrelated")


def _borne_out(said: str, belief: Record) -> Relation | None:
    """Whether a clause of what is said has all words of a guess but when it is to be, in their
    order, or denies them."""
    guess = certain(belief.basis)  # as it was said with a `maybe`, if it was
    guess = own_words(certain(belief.content)) if guess == belief.basis else guess
    for moment in reversed(find_moments(guess, belief.created_at)):
        guess = _preposition.sub("", guess[: moment.start]) + guess[moment.end :]
    wanted = _plainly(guess)
    # 买车 is not in 买车票: a few characters must be what a clause ends with
    few = len(wanted) < _CHARACTERS and not "".join(wanted).isascii()
    for clause in clauses_in(said) if wanted else ():
        told = _plainly(clause)
        words = iter(told[-len(wanted) if few else 0 :])
        if told == wanted or (len(wanted) > 1 and all(word in words for word in wanted)):
            alike = bool(_negation.search(clause)) == bool(_negation.search(guess))
            return "richer" if alike else "contradicts"
    # Who has `a cat` has the one that they name
    whom = {*_plainly(_counted.sub("", belief.value))}
    named = belief.category == "relation" and whom and whom <= {*_plainly(said)}
    return "richer" if named and not _negation.search(said) else None


def _plainly(text: str) -> list[str]:
    """The words of a text, whoever says it, whether it is to be or is done, or is denied."""
    found = sense(rewritten("plainly", text))
    words = [_PRESENT.get(word.rstrip("<"), word.rstrip("<")) for word in found]
    return [word for word in words if word not in _TO_BE and not _negation.search(word)]


def _more(said: Set[object], known: Set[object]) -> Relation | None:
    """Which of two says more; None where each says something else."""
    return "richer" if said > known else "poorer" if said < known else None


# Of one attribute


def _of_one_attribute(new: Statement, old: Record) -> Relation:
    alike = _values(new, old)
    one = ATTRIBUTES[new.attribute].one
    if new.act == "end":
        over = alike or (one and not new.value) or is_over(new, old)
        return "ended" if over and old.positive else "same" if alike else "unrelated"
    if new.positive != old.positive:
        none = one and not (old if new.positive else new).value  # `has no car`
        return "contradicts" if alike or none else "unrelated"
    if alike == "same":
        return "same" if old.kind == "belief" else _of_one_value(new, old)
    if alike:
        return alike
    instead = one and (new.attribute not in OF_SOMETHING or _of_what(new) == _of_what(old))
    over = new.act != "state" and is_over(new, old)
    return "contradicts" if instead or over or _valued_anew(new, old) else "unrelated"


def _of_one_value(new: Statement, old: Record) -> Relation:
    """Of two sentences on one value, which says more; two that each say something else are two."""
    said, known = sense(certain(new.content)), sense(certain(old.content))
    if {*said} == {*known}:
        return "unrelated" if opposed(new.content, old.content) else "same"
    if more := _more({*said}, {*known}):
        return more
    rule = ATTRIBUTES[new.attribute]
    # `works for Ann as a cook` and `works for Bo as a cook`
    within = rule.one and all(apart(sense(new.content), sense(old.content)))
    anew = (rule.one or rule.about == "relation") and _valued_anew(new, old)
    return "contradicts" if within or anew else "unrelated"


def _values(new: Statement, old: Record) -> Relation | None:
    """Whether two values are one, and which says more; None where they are two."""
    one, other = (sense(_article.sub("", value)) for value in (new.value, old.value))
    if one == other and (one or fold(new.value) == fold(old.value)):
        return "same"
    if {*one} == {*other} and not opposed(new.value, old.value):
        return "same"
    rule = ATTRIBUTES[old.attribute]
    if rule.about == "relation" and not rule.one:  # `a cat` and `an orange cat called Mimi`
        more, less = {*one} - {*other}, {*other} - {*one}
        return None if more and less else "richer" if more else "poorer"
    if not rule.one:
        return None
    if _is_part(other, new.value):
        return "richer"
    return "poorer" if _is_part(one, old.value) else None


def _is_part(part: tuple[str, ...], value: str) -> bool:
    """Chinese goes from the large to the small: 北京 of 北京朝阳区."""
    begins = len(part) > 1 and not value.isascii() and sense(value)[: len(part)] == part
    return begins or part in _parts(value)


def _parts(value: str) -> set[tuple[str, ...]]:
    """What a value consists of that is a value too: `Leeds` of `Headingley, Leeds`, but not `York`
    of `New York`."""
    return {sense(part) for part in _between.split(value)} - {()}


def _of_what(told: Statement | Record) -> str:
    """What a value is of (`colour: teal`), or what somebody is to the user: a dentist is no
    therapist."""
    what, colon, _ = told.value.partition(":")
    if colon:
        return fold(what)
    who = ATTRIBUTES[told.attribute].about == "relation"
    return fold(told.content.replace(told.value, "")) if who else ""


def _valued_anew(new: Statement, old: Record) -> bool:
    """Whether two sentences tell two values of one thing."""
    if new.category == old.category == "preference":
        # Two wishes have one object, set to another value: `commit messages in English`
        alike = new.attribute == old.attribute != ""
        wishes = [one.value if alike else own_words(one.content) for one in (new, old)]
        head, value, before, _ = apart(*(sense(_from_now_on.sub("", text)) for text in wishes))
        return bool(value and before) and len(head) >= _FORM and head[-1] in _SET
    about = "" if fold(new.subject) == USER else new.subject
    return valued_anew(new.content, old.content, about, new.act in ("change", "correct"))


# What is over


def is_over(new: Statement, old: Record) -> bool:
    """Whether a memory tells of the very thing that a statement says is over, or was wrong."""
    if not old.positive or (new.right and not besides(new) <= {*sense(old.content)}):
        return False
    if old.category == "relation":
        return any(_is_whom(words, new, old) for words in new.over)
    if old.category in _FIXED and old.attribute not in ("diet", "medication", "dose", "occupation"):
        if old.attribute == "allergy":  # itself, and not what brings it on
            named = [_allergy.sub("", words) for words in new.over if _allergy.search(words)]
            return any({*sense(words)} == {*sense(old.value)} for words in named)
        illness = old.category == "health"
        return illness and any(sense(words) in _parts(old.value) for words in new.over)
    return _names_it(new, old)


def _is_whom(words: str, new: Statement, old: Record) -> bool:
    """Whether `words` name the one whom a memory is about: `my hamster Nugget`, or `Nugget`."""
    if new.act == "change" and ATTRIBUTES[old.attribute].one:  # `I've changed dentists`
        role = fold(old.content.replace(old.value, "")).rstrip(" s")
        if role.endswith(fold(words).rstrip("s")):
            return True
    said = {*sense(words if words.isascii() else _bare(words))} - _OWNED
    value = _counted.sub("", old.value)
    kind = said - {*"养有"}  # 不养猫了 is over of an orange cat called Mimi, too
    named = any({*part} <= said or {part[-1]} == kind != said for part in _parts(value))
    return named and said <= {*sense(old.content)}


def _names_it(new: Statement, old: Record) -> bool:
    told = clauses_in(old.value if old.attribute else old.content)
    if new.act == "correct":
        return len(told) == 1 and any(speaks_of(words, old) for words in new.over)
    if any(old.attribute in CALLED.get(fold(words), ()) for words in new.over):
        return True
    # Only the place is over where somebody lives or works: who cancels Paris may live there
    place = {*sense(old.value)} if old.attribute in _PLACES else set()
    over = [words for words in new.over if not {*sense(words)} <= place]
    if old.attribute:
        return len(told) == 1 and any(names(words, old.content) for words in over)
    # What tells several things stays until all of them are over.
    ended = {one for one in told if any(_ends(new, words, one) for words in over)}
    return bool(ended) and all(only_adds(one) for one in told if one not in ended)


def _ends(new: Statement, words: str, clause: str) -> bool:
    """Whether a clause tells of what is over. What is well again was told as what is hurt: a car
    that is mended is still there."""
    thing = re.escape(_bare(words))
    if not words.isascii() and re.search(thing + _WELL, new.content):
        return re.search(thing + r"[^，的是在]{0,4}[了着]", clause) is not None
    return names(words, clause)


def names(words: str, content: str) -> bool:
    """Whether a sentence tells of what `words` name: it is what the sentence is about, and does not
    only come up in it."""
    if not words.isascii():
        return len(_bare(words)) > 1 and _tells_han(words, re.sub(r"的|\s", "", own_words(content)))
    wanted = [word for word in sense(words) if word not in _BEFORE | _OWNED]
    last = words.split()[-1]
    if last[0].isupper():  # `Volvo V40` is a Volvo
        content = re.sub(rf"({re.escape(last)})(?: [A-Z\d][\w-]*)+", r"\1", own_words(content))
    told = sense(own_words(content))
    # A word that names a thing, or a doing that the thing is of
    akin = [{word, *_STANDS_FOR.get(word, ())} for word in wanted]
    at = [n for n, word in enumerate(told) if any(word in some for some in akin)]
    if not wanted or any(some.isdisjoint(told) for some in akin):
        return False
    before, after = told[1 : at[0]], told[at[-1] + 1 : at[-1] + 2]
    led = [word for word in before if word in _BEFORE]
    if len(led) > 1 or (led and not _OWNED.isdisjoint(before)):
        return False  # `our dog in the car`
    return all(word in _AFTER or word.isdigit() or word[-1] == "<" for word in after)


def _bare(words: str) -> str:
    """The name of a thing, without whose it is and which one of them."""
    which = "[这那](?:[辆只台个张份本部条家些边儿里])?"
    return re.sub(rf"^[把将给]?(?:我们?)?的?|{which}|的|\s", "", fold(words))


def _tells_han(words: str, said: str) -> bool:
    """A doing (喝咖啡, also in 每天喝两杯咖啡), a place (在肯德基), or a thing that the sentence
    ends with (爱奇艺会员, also in 爱奇艺连续包月会员): 咖啡 is not what 我在咖啡店上班 is about."""
    thing, said = _bare(words), fold(said)
    if thing[0] == "在":
        return thing in said
    if work := re.fullmatch("(.{2,}?)(?:职务|工作|活儿?|差事|兼职)", thing):
        return re.search(f"[在是当做给][^，]{{0,6}}{re.escape(work[1])}", said) is not None
    between = "[^，开住去在吃喝打看学养是有]" if thing[0] in "做当干" else _WITHIN
    thing = thing.lstrip("做当干")
    name = re.escape(thing)
    if re.search(f"[用叫]{name}|[跟和]{name}(?:谈恋爱|交往|在一起)", said):
        return True
    parts = ((re.escape(thing[:n]), re.escape(thing[n:])) for n in range(1, len(thing)))
    ways = [name, *(f"{head}{between}{{0,6}}{tail}" for head, tail in parts)]
    return any(re.search(way + r"(?=$|[，。、；和每一两三四五0-9（(了])", said) for way in ways)


def is_copy(one: Record, over: Record) -> bool:
    """Whether a memory was read from the same words as one that is over, and tells nothing else:
    the fact in a quotation; or the quotation of a fact, where all else in it only says more of it,
    as in `I live in Leeds, in a tiny terrace` and `My editor is Vim, I do all in it`."""
    if one.sources != over.sources or bool(one.attribute) == bool(over.attribute):
        return False
    if one.attribute:
        alike = one.subject == over.subject and one.category not in _FIXED
        return alike and {*sense(one.value)} <= {*sense(over.content)}
    value = over.value.rpartition(": ")[2].lower()
    rest = [clause for clause in clauses_in(one.content) if value not in clause.lower()]
    return value in one.content.lower() and all(map(_says_more.search, rest))


def speaks_of(words: str, old: Record) -> bool:
    """Whether what `words` name comes up in a memory."""
    if not words.isascii():
        return len(words) > 1 and fold(words) in fold(old.content)
    return bool(sense(words)) and {*sense(words)} <= {*sense(old.content)}


def besides(new: Statement) -> set[str]:
    """What a correction speaks of, apart from the wrong word and the right one."""
    said = {*sense(_apology.sub("", own_words(new.content)))}
    return said - {*sense(new.right)}.union(*map(sense, new.over)) - _CORRECTING
