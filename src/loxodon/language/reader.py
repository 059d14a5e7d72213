"""What a message says: frames where a clause is wholly understood, else the person's own words.

The order, for each sentence of a message:

1. What nobody tells of themselves is left: questions, requests, suppositions, jokes, fiction,
   reactions, what is said of "you" (`speech.toml` of a language).
2. Each clause is held against the frames. One that is read wholly becomes a statement in the third
   person, with attribute and value.
3. What was not read that way is kept as it was said, if it speaks of the person or of their people,
   can be understood alone, and is worth it (`worth.py`), else with the sentence around it; its
   words are never rewritten.

No clause has a subject by default: one that is about nobody who is known is read by nobody.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple, Protocol

from loxodon.language import worth
from loxodon.language.attributes import ATTRIBUTES
from loxodon.language.conjuncts import Said, conjuncts, goes_on
from loxodon.language.frames import FrameMatch, Frames
from loxodon.language.inference import supposed
from loxodon.language.speech import Speech
from loxodon.language.statements import (
    USER,
    Act,
    Clause,
    EntityType,
    Fragment,
    Mention,
    Named,
    Reading,
    Statement,
    TurnInContext,
    met,
)
from loxodon.text.dates import find_moments
from loxodon.text.sentences import split
from loxodon.text.similarity import sense
from loxodon.text.things import own_words

HEDGED = 0.6  # How sure one can be of what was said with a `maybe`
OWN_WORDS = 0.4  # The importance of what is kept as it was said; of health as much as a frame's
LASTING = 0.6  # The same of what hardly changes in a year
_LASTS = ("identity", "home", "work", "family", "relation", "health", "diet", "skill")


class Grammar(Protocol):
    """What of a language the reader needs."""

    language: str
    speech: Speech

    @property
    def frames(self) -> Frames: ...
    @property
    def pronouns(self) -> Mapping[str, str]: ...  # Relations that a pronoun may stand for
    def clauses(self, sentence: str, known: Mapping[str, str]) -> list[Clause]: ...
    # Where a clause may join two things that it says of its subject: `and`, a comma
    def joints(self, text: str) -> list[tuple[int, int]]: ...
    # What a text may say of the subject of a clause that it is part of, or follows
    def sharing(self, before: Clause, text: str) -> list[Clause]: ...
    def people(self, text: str) -> list[Named]: ...  # Of the user
    def evened(self, text: str) -> str: ...  # With short forms written out
    # A clause that tells a change, as one that tells what is so since then
    def settled(self, clause: Clause) -> Clause | None: ...
    # Whether the head of a clause names nobody but the speaker, and nothing
    def of_nobody(self, text: str) -> bool: ...
    def strangers(self, text: str) -> list[Clause]: ...  # Of somebody named in full
    def small(self, text: str) -> bool: ...  # Whether a message is written without capitals
    def third_person(self, clause: Clause, match: FrameMatch) -> str: ...
    # Words as they were said, with the question that they answer
    def quoted(self, words: str, asked: str = "") -> str: ...
    # What attribute of the user a relation is (`sister`: sibling)
    def attribute_of(self, relation: str) -> str: ...
    def related(self, relation: str, name: str) -> str: ...  # `Mei is the user's sister`
    # `a cat` with its name; empty where it is no one of that relation
    def introduced(self, told: str, relation: str, name: str) -> str: ...


def _is_ahead(text: str, at: datetime) -> bool:
    return any(one.since > at and not one.recurring for one in find_moments(text, at))


class _Sentence(NamedTuple):
    text: str
    type: str
    numbers: tuple[int, ...]
    at: datetime = datetime.max  # When it was said
    lead: str = ""  # What announces it: `请记住：`


def read(grammar: Grammar, said: TurnInContext) -> Reading:
    speech = grammar.speech
    if speech.is_fiction(said.text, [line.content for line in said.before]):
        return Reading(())
    told: list[_Told] = []
    unclear: list[int] = []
    known = {name: one for name, one in said.known.items() if name not in grammar.pronouns}
    small = grammar.small(said.text)
    alone = said.alone
    taken_back, thing = False, ""
    users = [line.content for line in said.before if line.role == "user"]
    for part in (one for text in users for one in split(text)):
        thing = speech.thing(part, thing)  # it may go on with what was told of one
    busy = any(speech.type(one) == "instruction" and _is_task(grammar, one) for one in users[-1:])
    sentences = [
        part for one in sentences_of(said.fragments) for part in _apart(grammar, one, known)
    ]
    asked_for = [one for one in sentences if one.type in ("instruction", "question")]
    tasks = [one for one in asked_for if _is_task(grammar, one.text)]
    lead = ""
    for sentence in sentences:
        sentence = whole = sentence._replace(at=said.at, lead=lead)
        lead = sentence.text if sentence.text.rstrip().endswith(("：", ":")) else ""
        if sentence.type == "question" and (said_so := speech.told(sentence.text)):
            sentence = sentence._replace(text=said_so, type="statement")
        if (matter := speech.marked(sentence.text)) is not None:
            kind = sentence.type if sentence.type == "statement" else speech.type(matter)
            whole = sentence = sentence._replace(text=matter, type=kind, lead=sentence.text)
        working = busy or any(one.text != sentence.text for one in tasks)
        # Whether a sentence of one language stands in another: to be translated, or learned
        if _HAN.search(sentence.text) is not None and _LATIN.search(sentence.text) is not None:
            told.append(_Told(whole._replace(type=_FOREIGN)))
            continue
        if speech.takes_back(sentence.text):
            taken_back, told = taken_back or not any(one.statements for one in told), []
        clauses = grammar.clauses(sentence.text, known) if sentence.type != "chat" else []
        order = sentence._replace(text=speech.plainly(sentence.text), type="instruction")
        if order.text != sentence.text:
            plainly = grammar.clauses(order.text, known)
            if any(_match(grammar, order, one, small) for one in plainly):
                sentence, clauses = order, plainly
        people = _people(grammar, sentence)
        tellable = [one for one in clauses if alone or one.who != "bare"]
        found = people + [
            one
            for one in _read(grammar, sentence, tellable, small, working)
            if not (one.quoted and any(_only_names(one, who) for who in people))
        ]
        alone = alone and all(one.who in ("user", "we", "bare") for one in clauses)
        known |= {alias: m.name for one in found for m in one.mentions for alias in m.aliases}
        known = met(known, grammar.people(sentence.text), grammar.pronouns)
        thing = speech.thing(sentence.text, thing) if sentence.type == "statement" else ""
        found = _of_thing(grammar, sentence, found, thing) if thing else found
        if not found and sentence.type == "statement":
            unclear += sentence.numbers
        own = all(one.who in ("user", "we", "bare", "") for one in clauses)
        if sentence.type == "statement" and own and not speech.never(sentence.text):
            found += supposed(grammar.language, sentence.text)
        weight = speech.weight(sentence.lead + sentence.text)
        weighed = [  # the way of saying it adds or takes
            one._replace(
                importance=round(min(1.0, max(0.1, one.importance + weight)), 2),
                fragments=sentence.numbers,
            )
            for one in found
        ]
        told.append(_Told(whole, weighed))
    statements = _in_passages(grammar, said, told, bool(tasks))
    each = {(one.content, one.value): one for one in reversed(_in_one(grammar, statements))}
    return Reading(list(reversed(each.values())), unclear, taken_back)


class _Told(NamedTuple):
    """A sentence of a message, where it stands there, and what was read of it."""

    sentence: _Sentence
    statements: Sequence[Statement] = ()
    start: int = 0
    end: int = 0

    @property
    def own(self) -> list[Statement]:
        """What of it is kept in its own words."""
        return [one for one in self.statements if one.quoted]


def _in_passages(
    grammar: Grammar, said: TurnInContext, told: Sequence[_Told], working: bool
) -> list[Statement]:
    """What sentences tell. Own words are those of all the sentences side by side that tell
    something: one alone leaves out what the one before it named."""
    runs: list[list[_Told]] = []
    end, size, is_open, is_supposed, done = 0, 0.0, False, False, False
    for part in told:
        words = part.sentence.text.strip(_MARKS)
        start = max(said.text.find(words, end), end)
        end = min(start + len(words), len(said.text))
        length, telling = _length(said.text[start:end]), _is_telling(grammar, part)
        joined = runs and said.text[:start].rstrip().endswith(_COMMAS)
        if joined and is_supposed and _THEN.search(words):
            part = _Told(part.sentence._replace(type="question"))  # what would be so then
        is_supposed = grammar.speech.never(words) == "supposed"
        happened = any(one.category in _HAPPENED for one in part.own)
        two = done and happened  # what was done, and what else was: two memories of one day
        if joined or (is_open and telling and not two and size + length <= _PASSAGE):
            size, is_open, done = size + length, is_open or telling, done or happened
        else:
            size, is_open, done = length, telling, happened
            runs.append([])
        runs[-1].append(part._replace(start=start, end=end))
    statements: list[Statement] = []
    for run in runs:
        found = [one for part in run for one in part.statements]
        if passage := _passage(grammar, said, run, working):
            found = [one for one in found if not one.quoted] + [passage]
        statements += found
    return statements


_HAPPENED = ("decision", "solution", "event")
_MARKS = " \n。，；：、,;:"
_COMMAS = ("，", "：", "、", ",", ":")
_PASSAGE = 60  # Words, or twice as many Chinese characters, of several sentences
_QUESTION, _ANSWER = 20, 12  # The same of a question that is kept with its answer
_THEN = re.compile(r"(?i)就|那|便|\b(?:then|would|will)\b|'(?:d|ll)\b")
_FOREIGN = "foreign"  # The type of a sentence that is there to be translated, or learned


def _length(text: str) -> float:
    return len(_HAN.findall(text)) / 2 + len(re.findall(r"[A-Za-z0-9']+", text))


def _is_telling(grammar: Grammar, told: _Told) -> bool:
    """Whether a sentence may stand in a passage: no question, wish, guess, joke, nor what is told
    of a thing."""
    speech, text = grammar.speech, told.sentence.text
    if told.sentence.type != "statement" or speech.never(text) in (*_UNTRUE, "second hand"):
        return False
    things = [who for one in told.own for who in one.mentions if who.type == "other"]
    wish = any(one.category == "preference" for one in told.own)
    return not things and not wish and not speech.has(text, "hedge")


def _passage(
    grammar: Grammar, said: TurnInContext, run: Sequence[_Told], working: bool
) -> Statement | None:
    """Sentences in their own words, if they are worth keeping; None for what frames have read."""
    own = [one for part in run for one in part.own]
    wish = any(one.category == "preference" for one in own)

    def adds(part: _Told) -> bool:
        asks = part.sentence.type in ("question", "instruction") and not wish
        return bool(part.own) or not (part.statements or asks)

    adding = [n for n, part in enumerate(run) if adds(part)]
    run = run[adding[0] : adding[-1] + 1] if adding else ()
    foreign = any(part.sentence.type == _FOREIGN for part in run)
    if not run or foreign or any(one.confidence < 1 for one in own):
        return None
    text = said.text[run[0].start : run[-1].end].strip()
    telling = all(_is_telling(grammar, part) for part in run)
    judged, tells = worth.judge(text), grammar.speech.tells(text)
    asked = _asked(said) if telling and run[0].start == 0 and not working else ""
    kept = any(not one.tentative for one in own)
    never = all(grammar.speech.never(part.sentence.text) for part in run)
    if not kept and telling and not never and "[secret" not in text:
        best = max(worth.judge(part.sentence.text).keep for part in run)
        sure = working or best < worth.MAYBE
        kept = judged.keep >= (worth.SURELY if sure else worth.LEAST)
        kept = kept and judged.topic != "wish"  # which is about the task, if it is no standing one
        if not kept and asked:
            answer = worth.judge(f"{asked} {text}")
            kept = answer.keep + answer.referring >= worth.ANSWER
    if not kept:
        return None
    # Only what names nobody may be about what was asked
    asked = asked if not tells and _length(text) <= _ANSWER else ""
    acting = [one for one in own if one.act != "state"] or own
    base = acting[0] if acting else Statement("", quoted=True, importance=OWN_WORDS)
    ill = telling and grammar.frames.of_health(grammar.evened(text))
    categories = ["health"] * ill + [one.category for one in own if one.category != "fact"]
    return base._replace(
        content=grammar.quoted(text, asked),
        over=tuple(dict.fromkeys(words for one in own for words in one.over)),
        category=categories[0] if categories else "fact",
        importance=max(
            [LASTING if judged.topic in _LASTS else OWN_WORDS, *(one.importance for one in own)]
        ),
        topic=base.topic if wish else judged.topic,
        mentions=tuple(dict.fromkeys(who for one in own for who in one.mentions)),
        fragments=tuple(n for part in run for n in part.sentence.numbers),
        tentative=False,
    )


def _asked(said: TurnInContext) -> str:
    """The question that a message answers: the last sentence before it, if it is a short one."""
    if not said.before or said.before[-1].role != "assistant":
        return ""
    sentences = re.split(r"(?<=[.!?。！？])\s*|\n", said.before[-1].content.strip()[-400:])
    last = next((one.strip() for one in reversed(sentences) if one.strip()), "")
    one_language = bool(_HAN.search(last)) == bool(_HAN.search(said.text))
    short = one_language and _length(last) <= _QUESTION
    return last if short and last.endswith(("?", "？")) else ""


def _is_task(grammar: Grammar, asked: str) -> bool:
    """Whether something asked for is to be done now: neither a standing wish nor a rule."""
    order = _Sentence(asked, "instruction", ())
    found = [_match(grammar, order, one, False) for one in grammar.clauses(asked, {})]
    is_rule = any(one and one[1].frame.attribute == "rule" for one in found)
    return not is_rule and not grammar.speech.wishes(asked)


def sentences_of(fragments: Sequence[Fragment]) -> Iterator[_Sentence]:
    """Fragments joined to the sentences that they were cut from, at a comma or before a `but`."""
    whole: list[Fragment] = []
    for n, fragment in enumerate(fragments, 1):
        whole.append(fragment)
        but = any(after.text.startswith(BUT) for after in fragments[n : n + 1])
        joined = but or fragment.text.endswith(_GOES_ON)
        if not joined or fragment.type != "statement" or n == len(fragments):
            text = "".join(one.text for one in whole)
            yield _Sentence(text, fragment.type, tuple(one.n for one in whole))
            whole = []


BUT = ("但是", "不过", "然而", "可是")
_GOES_ON = ("，", "：", "、", ",", ", ", " ")


def _read(
    grammar: Grammar, sentence: _Sentence, clauses: Sequence[Clause], small: bool, working: bool
) -> list[Statement]:
    """What a sentence says: by frames, and what is left of it in its own words."""
    wish = grammar.speech.wishes(sentence.text, working)
    if not wish and (not clauses or (working and grammar.speech.wishes(sentence.text))):
        return []
    items: list[Said] = []
    before: Clause | None = None
    for clause in clauses:
        said = _conjuncts(grammar, sentence, clause, before, small)
        if working and any(
            match and _of_replies(match) and not grammar.speech.wishes(one.text, working)
            for one, match in said
        ):
            said = [(clause, None)]
        items += said
        before, match = said[-1]
        before = before if match and goes_on(before, match) else None
    found = [_statement(grammar, one, match) for one, match in items if match]
    if wish and not (found and all(match for _, match in items)):
        return found + _own_words(grammar, sentence, sentence.text, clauses, wish=True)
    if not found:
        asks = sentence.type != "statement"
        if own := _own_words(grammar, sentence, sentence.text, clauses, asks):
            return own
        # Not all that somebody says in one breath is worth as much.
        items = [(one, None) for one in clauses if len(clauses) > 1]
    bracketed = _IN_BRACKETS.findall(sentence.text)  # which no clause has
    items += [(Clause(one, raw=one), None) for one in bracketed if len(one) > 3]
    if sentence.type != "statement":  # health counts wherever it is told
        ill = grammar.frames.of_health
        items = [one for one in items if not one[1] and ill(grammar.evened(one[0].raw))]
        items = [one for one in items if grammar.speech.type(one[0].raw) == "statement"]
    return _left(grammar, sentence, items) + found


_IN_BRACKETS = re.compile(r"[(（〔]([^()（）〔〕]+)[)）〕]")


def _left(grammar: Grammar, sentence: _Sentence, items: Sequence[Said]) -> list[Statement]:
    """What frames have left of a sentence: what somebody's clauses tell, or all of it in its own
    words where the rest tells something of whom the sentence is about."""
    about = next((one for one, match in items if match), None)
    told: list[Statement] = []
    left: list[Clause] = []
    for n, (one, match) in enumerate(items):
        own = []
        if not match and one.who not in ("", "bare", "part"):
            own = _own_words(grammar, sentence, one.raw, [one])
        told += own
        leads = n == 0 and not one.who  # only up to the rest
        if about and not match and not own and not leads and _tells(grammar, one, about):
            left.append(one)
    if about and left:
        rest = " ".join(one.raw for one in left)
        zh = grammar.language == "zh"
        who = ("我" if zh else "I ") if about.subject == USER else about.shown + " " * (not zh)
        if (
            any(one.who == "part" for one in left)
            or grammar.frames.of_health(grammar.evened(rest))
            or _is_ahead(rest, sentence.at)
            or max(worth.judge(one).keep for one in (rest, who + rest)) >= worth.REST
        ):
            whole = [about._replace(raw=""), *left]
            own = _own_words(grammar, sentence, sentence.text, whole, half=True)
            told += [one for one in own if not one.tentative]
    return told


def _tells(grammar: Grammar, clause: Clause, about: Clause) -> bool:
    """Whether what no frame has read tells something, and not only that something is over."""
    speech, text = grammar.speech, grammar.evened(clause.raw)
    never = speech.never(text)
    if speech.type(text) != "statement" or (never and (never != _UNNAMED or about.subject == USER)):
        return False
    return speech.act(text)[0] in ("state", "change")


_UNNAMED = "somebody not named"


def _conjuncts(
    grammar: Grammar, sentence: _Sentence, clause: Clause, before: Clause | None, small: bool
) -> list[Said]:
    """What a clause says, read by frames where they can."""
    ways = [clause]
    if before and clause.who in ("", "bare"):
        ways = [*grammar.sharing(before, clause.text), clause]
    if not clause.who:
        ways += [one._replace(hedged=clause.hedged) for one in grammar.strangers(clause.text)]
    ways += [one for one in map(grammar.settled, ways) if one]
    for one in ways:
        said = conjuncts(grammar, one, lambda way: _match(grammar, sentence, way, small))
        if any(match for _, match in said):
            return said
    return [(clause, None)]


_LATIN = re.compile(r"(?:\b[a-z']{1,20} ){4}", re.I)
_HAN = re.compile("[\u4e00-\u9fff]")


def _match(
    grammar: Grammar, sentence: _Sentence, clause: Clause, small: bool
) -> tuple[Clause, FrameMatch] | None:
    """The frame that reads a clause, and the clause as it reads it."""
    asks = sentence.type == "instruction"
    never = "" if asks else grammar.speech.never(clause.text)
    if sentence.type == "question" or (never and never not in _WISHED):
        return None
    match = grammar.frames.match(clause.rest, clause.text, clause.who, small)
    if match:
        clause = clause._replace(when="")
    elif clause.when:
        match = grammar.frames.match(clause.timeless, clause.text, clause.who, small)
    if match is None:
        return None
    attribute = match.frame.attribute
    if attribute in ("plan", "todo") and grammar.speech.has(clause.raw, "habit"):
        return None  # `I usually swim on Fridays` is no plan
    told = ("nickname", "reminder", *((_WISHED.get(never, "")).split() if not asks else ()))
    if (asks or never) and not (_of_replies(match) or match.frame.subject or attribute in told):
        return None
    if attribute == "reminder" and grammar.speech.never(sentence.text) == "supposed":
        return None
    mine = clause.who == "user" or sentence.text.startswith(clause.text)
    if attribute == "todo" and match.frame.whole and not mine:
        return None  # whoever was spoken of before may be the one who does it
    loose = clause.loose and match.frame.act == "state" and not match.frame.whole
    guess = clause.hedged and (match.frame.act != "state" or match.frame.whole)  # ends nothing
    return None if loose or guess else (clause, match)


# What tells nothing of the speaker, and may still say how they want to be answered, or what they
# have to do; and the attributes that it may tell of
_WISHED = {"thinking": "plan", "of you": "", "doing now": "todo"}
_WISHED["of software"] = "decision uses project stack"


def _of_replies(match: FrameMatch) -> bool:
    return match.frame.attribute in ("reply_language", "reply_style", "units", "rule")


def _statement(grammar: Grammar, clause: Clause, match: FrameMatch) -> Statement:
    frame = match.frame
    value, mentions = match.filled(frame.value), _mentions(clause)
    if frame.attribute == "name" and not clause.hedged:
        if clause.who == "person" and clause.name not in ("", value):
            # `Li Wei` is what `小李` is called in full
            mentions = (Mention(value, "person", (clause.name,)),)
            clause = clause._replace(subject=value)
        elif grammar.attribute_of(clause.relation):
            return _relation(grammar, clause.relation, value)
    if frame.attribute == "nickname" and mentions:
        mentions = (mentions[0]._replace(aliases=(*mentions[0].aliases, value)),)
    for kind, text in match.kinds:
        if kind in ("named", "works"):
            names = _LISTED.split(_IN_BRACKETS.sub("", text).strip())
            mentions += tuple(Mention(name, "project") for name in names if name)
        elif kind in _THINGS and _NAME.fullmatch(text):
            mentions += (Mention(text, _THINGS[kind]),)
    known = ATTRIBUTES[frame.attribute]
    end = clause.act == "end"
    named = match.filled(frame.over, S=clause.subject)
    over = (*named.split("|"), match.slots.get("old", ""), clause.rest * end)
    return Statement(
        grammar.third_person(clause, match),
        frame.subject or (USER if frame.whole else clause.subject),
        frame.attribute,
        value,
        frame.category or known.category,
        "end" if end else frame.act,  # type: ignore[arg-type]
        tuple(filter(None, over)),
        frame.positive and not end,
        HEDGED if clause.hedged else frame.confidence,
        mentions=mentions,
        project=match.slots.get("p", ""),
        importance=frame.importance if frame.importance is not None else known.importance,
        tentative=(clause.loose and not frame.whole)
        or (clause.who == "bare" and "bare" not in frame.who),
    )


# The slots of frames that hold a name, and what of
_THINGS: dict[str, EntityType] = dict.fromkeys(("place", "town"), "place")
_THINGS |= dict.fromkeys(("acquaintance", "whom"), "person")
_THINGS |= dict.fromkeys(("org", "company", "school", "firm"), "organisation")
_LISTED = re.compile(r"\s*(?:[,，、和]|\band\b)\s*")  # Between names
# A name, and not only what kind of place or firm it is
_NAME = re.compile(
    "[A-Z][^,]{1,40}|(?![一某这那几家本]|.{0,4}(?:老家|国外|农村|乡下|附近|公司|大厂|企)$)"
    "[\u4e00-\u9fff][^，、和]{1,20}"
)


def _mentions(clause: Clause) -> tuple[Mention, ...]:
    if clause.subject == USER:
        return ()
    type = "pet" if clause.who == "pet" else "person"
    aliases = (clause.relation,) if clause.relation and clause.name else ()
    return (Mention(clause.name or clause.subject, type, aliases),)  # type: ignore[arg-type]


_NOT_SO = ("supposed", "dream", "joke", "quoted", "reported", "long")


def _people(grammar: Grammar, sentence: _Sentence) -> list[Statement]:
    """Who somebody is to the user, wherever they are named: a request tells it too."""
    if grammar.speech.never(sentence.text) in _NOT_SO:
        return []
    return [
        _relation(grammar, relation, name, "change" if new else "state")
        for relation, name, new in grammar.people(sentence.text)
        if name and grammar.attribute_of(relation)
    ]


def _relation(grammar: Grammar, relation: str, name: str, act: Act = "state") -> Statement:
    attribute = grammar.attribute_of(relation)
    known = ATTRIBUTES[attribute]
    type: EntityType = "pet" if attribute == "pet" else "person"
    return Statement(
        grammar.related(relation, name),
        USER,
        attribute,
        name,
        known.category,
        act,
        mentions=(Mention(name, type, (relation,)),),
        importance=known.importance,
    )


def _only_names(quote: Statement, who: Statement) -> bool:
    """Whether somebody's own words say no more than who a person is to them."""
    rest = {*sense(own_words(quote.content))} - {*sense(who.content), *_NAMING}
    return quote.act in ("state", "change") and not rest


_NAMING = frozenset([*"我们新叫是的名字", "my", "i", "our", "called", "named", "new", "name"])


def _apart(grammar: Grammar, sentence: _Sentence, known: Mapping[str, str]) -> list[_Sentence]:
    """A sentence, and the question or request that it ends with."""
    text = sentence.text
    if sentence.type == "statement" and grammar.speech.never(text) != "of you":
        return [sentence]
    for n, clause in enumerate(grammar.clauses(text, known)):
        type = grammar.speech.type(clause.raw)
        if n and type in ("question", "instruction") and clause.raw in text:
            rest, asked = text[: text.index(clause.raw)], text[text.index(clause.raw) :]
            rest = rest.rstrip(" ,;:，；：-–—")
            never = _never(grammar, rest) or grammar.speech.type(rest) != "statement"
            if never or _CUT_SHORT.search(rest) or _TAG.fullmatch(asked):
                break
            told = sentence._replace(text=rest, type="statement")
            return [told, sentence._replace(text=asked, type=type)]
    return [sentence]


_TAG = re.compile(r"(?i)(?:[\w'’]+\W+){1,3}|.{1,4}[?？]\W*")
# A sentence that ends like this was cut within a clause
_CUT_SHORT = re.compile(
    r"(?i)\b(?:an?|the|to|of|or|and|for|with|in|on|at|by|from|that|which|as|than|about|to \w+)$"
)
# What is never said outright, and may still be a guess worth keeping
_GUESSED = ("thinking", "second hand")
# What is never so, however much it tells
_UNTRUE = (
    *("supposed", "dream", "joke", "not come about", "of the past", "as a figure"),
    *("other tongue", "long", "an order to disregard", "reported"),
)
# The same, however sure our encoder is
_FIRM = (
    *("dream", "joke", "not come about", "of the past", "of software", "other tongue", "long"),
    *("an order to disregard", _UNNAMED),
)
# What tells nothing of the speaker, and may tell what was decided or found out at work
_MARKED = 0.3  # what who says that it matters adds at least
_POINTING = 2  # Words that may only point at something: `remember this`
_OF_WORK = ("of software", "reaction", "doing now", "of the moment")
# Something is handed over with a request: text to be worked on, which nobody says
_HANDED = re.compile(r"[:：\"“‘「『《]|(?<!\w)'\w")


def _never(grammar: Grammar, text: str) -> str:
    """Why a statement tells nothing; empty for what only looks so, and is surely worth keeping."""
    never = grammar.speech.never(text)
    may_be = never and never not in _FIRM
    return "" if may_be and worth.judge(text).keep >= worth.SURELY else never


def _own_words(
    grammar: Grammar,
    sentence: _Sentence,
    text: str,
    clauses: Sequence[Clause],
    asks: bool = False,
    half: bool = False,
    wish: bool = False,
) -> list[Statement]:
    """A stretch of talk as it was said, if it stands alone and is worth keeping."""
    if "[secret" in text or text.rstrip().endswith(("：", ":")):
        return []  # without what was taken out of it, or follows, it tells nothing
    speech = grammar.speech
    wanted = asks or wish  # which is no guess, whatever they think beside it
    hedged = not wanted and speech.has(sentence.text, "hedge")
    never = _never(grammar, text)
    kind = "" if asks or hedged or half else speech.kind(text)
    if kind and (never in _OF_WORK or (kind, never) == ("solution", "supposed")):
        never = ""  # `restarting it helped` says 就好了, too
    plain = _UNLESS.split(text, maxsplit=1)[0]  # health counts, whatever else is supposed
    if never == "supposed" and plain != text and grammar.frames.of_health(grammar.evened(plain)):
        never = grammar.speech.never(plain)
    change = _Change() if hedged else _changes(grammar, text, clauses)
    if never and not wish and not (hedged and never in _GUESSED) and not change.right:
        return []
    if asks and (_HANDED.search(text) or speech.has(text, "question", "whether")):
        return []
    first = clauses[0] if clauses else None
    ahead = not asks and _is_ahead(text, sentence.at)
    ill = grammar.frames.of_health(grammar.evened(text))
    bare = first is not None and first.who == "bare"
    about = text != sentence.text or bare or ahead or speech.tells(text)
    least = worth.LEAST if about and not asks else worth.SURELY
    # A guess is worth what it would be if it were so
    plainly = speech.like("hedge").sub("", text).strip(" ，,") if hedged else text
    keep = max(worth.judge(one).keep for one in (text, plainly))
    worthy = (about and (ill or (ahead and speech.tells(text)))) or keep >= least
    weight = speech.weight(sentence.lead + sentence.text)
    says_something = _length(text) > _POINTING if sentence.lead else keep >= worth.MAYBE
    marked = not asks and weight >= _MARKED and says_something
    kept = half or wish or ((worthy or bool(kind) or marked) and (hedged or not never))
    somebody = not asks and any(one.who for one in clauses)
    # What changes something known is worth keeping; `keep.py` says whether it does.
    denies = somebody and speech.has(text, "denial")
    may_change = not asks and not never and (keep >= worth.MAYBE or denies)
    if not kept and not change.over and not may_change and not (change.act != "state" and somebody):
        return []
    of_work = {"": "", "event": "plan"}.get(kind, "decision")  # which matters as much as that
    matters = "condition" if ill else "rule" if wish else of_work
    statement = Statement(
        grammar.quoted(text),
        act=change.act,
        over=change.over,
        right=change.right,
        category="health" if ill else "preference" if wish else kind or "fact",
        importance=ATTRIBUTES[matters].importance if matters else OWN_WORDS,
        topic="" if wish else worth.judge(text).topic,
        quoted=True,
        tentative=not kept,
    )
    if hedged or (first and first.hedged and not wanted):
        statement = statement._replace(confidence=HEDGED)
    if first and first.who in ("person", "pet"):
        mentions = () if hedged else _mentions(first)
        statement = statement._replace(subject=first.subject, mentions=mentions)
    return [statement]


_UNLESS = re.compile(r",? (?:unless|if|as long as|except when)\b|[，,]?(?:除非|如果|要是)", re.I)
_PASSING = "doing now"  # What is so for an hour, and changes nothing


def _of_thing(
    grammar: Grammar, sentence: _Sentence, found: Sequence[Statement], thing: str
) -> list[Statement]:
    """What a sentence tells of a thing of the user's work, in their own words; it is no wish."""
    found = [one for one in found if not one.quoted or one.category != "preference"]
    if not found and grammar.speech.never(sentence.text) in ("", "of software", _UNNAMED):
        topic = worth.judge(sentence.text).topic
        found = [Statement(grammar.quoted(sentence.text), quoted=True, topic=topic)]
    return [
        one._replace(subject=thing, mentions=(Mention(thing),), tentative=False)
        if one.quoted and one.subject == USER
        else one
        for one in found
    ]


class _Change(NamedTuple):
    act: Act = "state"
    over: tuple[str, ...] = ()
    right: str = ""


def _changes(grammar: Grammar, said: str, clauses: Sequence[Clause]) -> _Change:
    """What somebody's own words do to what was known, and the words for what is over."""
    if found := grammar.speech.correction(said):
        return _Change("correct", found[1:], found[0])
    whole = grammar.evened(said)
    act, over, at = grammar.speech.act(whole)
    if act == "correct":
        return _Change(act, over)
    change = _Change()
    if over and clauses and grammar.of_nobody(whole[:at]):  # `Sam and I broke up` is one clause
        change = _Change(act, tuple(_theirs(words, clauses[0]) for words in over))
    for clause in clauses:
        if clause.subject != clauses[0].subject or grammar.speech.never(clause.text) == _PASSING:
            continue
        text, who = grammar.evened(clause.raw), clause.name or clause.relation
        act, over, at = grammar.speech.act(text)
        named = clause.who in ("person", "pet") and who in text[:at]
        head = text[:at].partition(who)[2] if named else text[:at]
        # What has changed is told by what it is now; what is over must be the person's own.
        if act != "state" and (not over or grammar.of_nobody(head)):
            act = change.act if change.act != "state" else act
            over = (*change.over, *(_theirs(words, clause) for words in over))
            change = change._replace(act=act, over=tuple(dict.fromkeys(over)))
    return change


def _theirs(words: str, clause: Clause) -> str:
    """What is over, without whose it is where that is whom the clause is about."""
    who = clause.name or clause.relation
    return re.sub(rf"^(?:my )?{re.escape(who)}(?:'s |的)", "", words) if who else words


def _in_one(grammar: Grammar, statements: Sequence[Statement]) -> list[Statement]:
    """Statements, where `has a cat` and `Miso is the user's cat` are one that says both."""
    # Those that only say who somebody is to the user
    named = [
        one
        for one in statements
        if len(one.mentions) == 1
        and [grammar.related(a, m.name) for m in one.mentions for a in m.aliases] == [one.content]
    ]
    found = list(statements)
    for one in named:
        (mention,) = one.mentions
        for n, has in enumerate(found):
            plain = has.act == "state" and has.positive and has not in named
            if not plain or (has.subject, has.attribute) != (one.subject, one.attribute):
                continue
            name = re.escape(mention.name)
            if name.isascii():  # a whole word; a name of Han characters has no bounds
                name = rf"(?<![^\W\d_]){name}(?![^\W\d_])"
            told = has.value if re.search(name, has.value) else ""
            told = told or grammar.introduced(has.value, mention.aliases[0], mention.name)
            if told:
                content = has.content.replace(has.value, told)
                mentions = (*has.mentions, mention)
                found[n] = has._replace(content=content, value=told, mentions=mentions)
                found.remove(one)
                break
    return found
