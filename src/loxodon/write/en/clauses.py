"""A clause read as a subject and what is said of it, in the third person.

`read_clause` finds who or what a clause is about: the user (also where "I" was left out), someone
of theirs, a thing of theirs, someone named before. Where that is not clear there is no clause.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from loxodon.text.stopwords import ENGLISH
from loxodon.write.en.clean import without_asides
from loxodon.write.en.elided import completed
from loxodon.write.en.patterns import Lazy
from loxodon.write.en.person import (
    ADVERBS,
    Tokens,
    agree,
    expand,
    resolve_s,
    rewritten,
    text_of,
    tokens_of,
)  # fmt: skip
from loxodon.write.en.scene import Scene, Someone, is_name
from loxodon.write.en.subjects import Subject, capital, is_own, people, subject_of
from loxodon.write.en.verbs import (
    AUXILIARIES,
    forms_of,
    is_finite,
    is_noun_too,
    participle_of,
    third_person,
)  # fmt: skip
from loxodon.write.en.words import CONDITIONS, alternatives
from loxodon.write.statements import USER


class Clause(NamedTuple):
    """Who or what, and what is said of it: `The user's sister` + `lives in Cork`."""

    subject: str
    """As a sentence begins with it."""
    key: str
    """`user`, a name, or a relation or thing (`sister`, `driving test`)."""
    predicate: str
    """From the verb on, in the third person."""
    stated: bool = True
    """False where the subject was left out and had to be supplied."""
    of: str = ""
    """Of a thing or relation: whose it is, `user` or a name; empty for nobody's; `?` for a name
    that nobody introduced, `??` for a word that may be one."""
    sure: bool = True
    """False for "it", which need not mean anything."""

    @property
    def content(self) -> str:
        return f"{self.subject} {self.predicate}"


def read_clause(text: str, scene: Scene, running: str = USER, asked: str = "") -> Clause | None:
    """The clause that `text` (bare) is. `running` is whom the last clause was about, `asked` what
    the assistant had asked."""
    text = _RELATIVE.sub(r"\1 ", _LEAD_IN.sub("", without_asides(text)))
    text = _AND_I.sub(r"me and my \1 ", text)
    text = _KIN_AND_I.sub(r"me and my \1 ", text)
    text = _NO_COPULA.sub(
        r"\1 is \2", _NEXT_UP.sub("my next plan is ", _COLON.sub(r"\1 is ", text))
    )
    text = _RULED.sub(r"my \1 was \2", text)
    text = _RIP.sub(r"\1 died", _DISLOCATED.sub(r"my \3\1\2", text))
    if inverted := _INVERTED.fullmatch(text):
        text = f"my {inverted['noun']} is {inverted['what']}"
    if days := _ON_DAYS.fullmatch(text):
        return Clause(capital(days["days"]), "schedule", f"are {days['what']} for the user")
    tokens = tokens_of(text)
    if not tokens or len(tokens) > 60:
        return None
    if mine := _MINE.fullmatch(text):
        what = re.sub(r"^(?:my|our)\b", "the user's", mine["what"])
        said = f"{mine['be']} {mine['kin']} of" if mine["kin"] else _belongs(mine["be"])
        return Clause(capital(what), what.lower(), f"{said} the user")
    if for_me := _FOR_ME.fullmatch(text):
        return Clause("The user", USER, f"goes for {for_me[1]}")
    if (settled := _IT_IS.fullmatch(text)) and settled["what"].lower() not in ENGLISH:
        return Clause("The user", USER, f"decided on {settled['what']}")
    tokens, adjunct = _adjunct_last(tokens)
    first = tokens[0].lower()
    if first == "we" and (group := _GROUP.match(text)):
        if group["called"]:
            return Clause("The user's group", "group", f"is called {group['called']}", of=USER)
        kind = (
            "company"
            if group["n"] or group["kind"] not in ("band", "family", "household", "team", "lab")
            else group["kind"]
        )
        said = f"has {group['n']} people{group['rest']}" if group["n"] else f"is {group['what']}"
        return Clause(f"The user's {kind}", kind, said, of=USER)
    if first in ("i", "we"):
        return _of_user(tokens[1:] + adjunct, scene)
    if first in ("me", "myself") and len(tokens) > 3 and tokens[1].lower() in ("and", "&"):
        return _compound(tokens, scene)
    if first in ("it", "that") and (illness := _diagnosis().match(text)):
        return _diagnosed(illness, scene, running)
    if first == "it" and _TAKES_ME.match(text):
        effort = rewritten(expand(tokens[1:]), False, scene, "it")
        return Clause("It", "time", text_of(effort)) if effort else None
    if first in ("he", "she", "they", "it", "its") and len(tokens) > 1:
        return _of_pronoun(first, tokens, adjunct, scene)
    if first == "there" and (there := _THERE.match(text)):
        rest = rewritten(tokens_of(there["rest"]), False, scene, "")
        return (
            Clause("There", USER, f"{(there['be'] or 'is').strip()} {text_of(rest)}", of="the")
            if rest
            else None
        )
    if first in ("you", "your", "who", "which", "what", "there", "these", "those", "if"):
        return None
    gerund = "ing" in forms_of(first) and tokens[1:2] not in (["is"], ["was"], ["has"], ["'s"])
    if gerund and (at := _gerund_ends(tokens)):
        return _of_doing(tokens, at, scene)
    found = None if gerund else _of_noun(tokens, adjunct, scene)
    if found and found.of != "??":
        return found
    if own := _around_user(tokens, scene):
        return own
    whole = completed(text, scene, running, asked)
    return (_from_completed(whole, scene) if whole else None) or found


def _gerund_ends(tokens: Tokens) -> int:
    """Where the verb is of which a doing is the subject: `running every day keeps me sane`; 0 where
    the doing is what is told of the user."""
    for at in range(1, min(len(tokens), 14)):
        word, before = tokens[at].lower(), tokens[at - 1].lower()
        if word in _ENDS_DOING:
            return 0
        if at > 1 and word in _OF_DOING:
            return at
        if (
            "s" in forms_of(word)
            and before not in _BEFORE_NOUN
            and not before.isdigit()
            and (not is_noun_too(forms_of(word)["s"]) or tokens[at + 1 : at + 2] in _DONE_TO)
        ):
            return at
    return 0


_ENDS_DOING = frozenset(
    ", ; : ( because since so but while when that who which if and as until after before where how what"
    " why whether than i we he she they it".split()
)
_OF_DOING = frozenset("is was isn't wasn't has can will would could should may might must".split())
"""Verbs that follow a doing as their subject: `finding a flat was hard`."""
_MUCH_PRAISED = Lazy(
    r"(?:(?:so|really|always|super|such an?|an?|the|absolutely|very|pretty|be|been) )*(?:key|vital|crucial|amazing|awesome|great|best"
    r"|lovely|cool|tough|tricky|hard|scary|rewarding|valuable|fun|inspiring|incredible|wonderful|essential)\b",
    re.I,
)
_DONE_TO = (["me"], ["us"], ["my"], ["our"], ["so"], ["a"], ["the"])


def _of_doing(tokens: Tokens, at: int, scene: Scene) -> Clause | None:
    """A doing and what it does to the user; of what it is in general nothing is to be kept."""
    if not {"me", "my", "us", "our"} & {part.lower() for part in tokens[at:]}:
        return None
    if tokens[at].lower().endswith("n't") or _MUCH_PRAISED.match(" ".join(tokens[at + 1 :])):
        return None
    subject = rewritten(expand(tokens[:at]), True, scene, "")
    predicate = rewritten(expand(tokens[at:]), True, scene, "")
    if not subject or not predicate:
        return None
    said = text_of(predicate)
    if "the user" not in said:
        said = re.sub(r"\btheir\b", "the user's", said, count=1)
    return Clause(capital(text_of(subject)), text_of(subject).lower(), said)


_RULED = Lazy(
    r"^((?:(?!my\b|our\b|the\b|his\b|her\b|their\b|i\b|we\b)[a-z-]+ ){0,2}(?:permission|visa|application|appeal|loan|mortgage|grant|claim"
    r"|permit|licence|license|parole|bail|asylum|funding|refund|extension)) (refused|granted|approved|denied|rejected|declined|turned down)$",
    re.I,
)
"""How an authority decided, without a verb: `planning permission refused`."""
_MINE = Lazy(
    r"(?P<what>(?!(?:it|that|this|those|these|they|he|she|there|which|who|what|all|i|you)\b)[\w' -]{4,60}?) (?P<be>is|are|was|were)"
    r" (?:(?P<kin>(?:an? )?[a-z]+(?: [a-z]+)?) of )?(?:mine|ours)",
    re.I,
)
"""`two of the boats are ours`: whose something is, said last."""


def _belongs(be: str) -> str:
    return {"is": "belongs to", "are": "belong to"}.get(be.lower(), "belonged to")


_KIN_AND_I = Lazy(
    r"^(girlfriend|boyfriend|wife|husband|partner|missus|mum|mom|dad|sister|brother|mate|fiancée?) and (?:i|me)\b ?",
    re.I,
)
"""`gf and I`, without "my"."""
_ON_DAYS = Lazy(
    r"(?P<days>(?:mon|tues|wednes|thurs|fri|satur|sun)days(?:(?:,| and|, and) \w+days)*) (?:are|is) (?:for |my |our )?"
    r"(?P<what>(?!the\b|so\b|always\b|really\b|such\b|bad\b|worst\b|best\b|not\b)[a-z][\w' -]{2,40})",
    re.I,
)
_NEXT_UP = Lazy(r"^next (?:up|stop|on (?:the|my) list)(?: is|'s|:)? (?=\S)", re.I)
_NO_COPULA = Lazy(
    r"^((?:my|our) [a-z]+(?: [a-z]+)?) (not (?:so |very |that |too )?[a-z]+|very [a-z]+|so [a-z]+)$",
    re.I,
)
"""`my English not so good`."""
_COLON = Lazy(r"^((?:my|our) [a-z' -]{2,30}[a-z]): (?=\S)", re.I)
"""`our trip: Lake Bled`."""
_TAKES_ME = Lazy(
    r"it (?:(?:usually|only|always|normally|still) )?(?:takes|took|costs?) (?:me|us)\b.*\b(?:to|for) \w+.*",
    re.I,
)
_LEAD_IN = Lazy(
    r"^(?:(?:speaking|talking) of|as for|regarding|concerning|when it comes to|in terms of) [^,]{1,60},"
    r" (?=\S)",
    re.I,
)
_IT_IS = Lazy(r"(?:so |ok |okay )?(?P<what>(?:the |a |an )?[\w&'. +#-]{2,40}?) it is", re.I)
"""`RabbitMQ it is`: what was settled on."""
_FOR_ME = Lazy(r"it's ((?:the|a|an) [\w' -]{3,40}) for me", re.I)
_THERE = Lazy(
    r"there(?:'s|(?P<be> is| are| was| were| might be| may be| could be)) (?P<rest>\S.*)", re.I
)
_AND_I = Lazy(r"^(?:my|our|the) ([\w' -]{2,40}?) and (?:i|me|myself)\b ?", re.I)
"""`my fiancé Emre and I`."""
_DISLOCATED = Lazy(
    r"^(?:she|he|they)((?:'s|'re| is| was| has| works"
    r"| lives)\b)([^,]*), my ([\w-]+(?: [A-Z]\w+)?)$",
    re.I,
)
"""`she's a lawyer, my sister`."""
_RELATIVE = Lazy(
    r"^((?:my|our) (?:[\w-]+ ){0,3}?[\w-]+),? (?:who(?:m|se)?|which)(?:'s| is| has"
    r"|'ve)? (?:[^,;]{1,60}?, (?=\w)|[^,;]{1,40}?,? )(?=(?:\w+s|\w+ed|plays|is|wants|said|says|has|starts|works|loves|hates|will"
    r"|keeps|can|can't|goes|lives|just|got|thinks|told|was|likes|does|doesn't)\b)",
    re.I,
)
"""A relative clause between a subject and its verb; `asides` reads what it says."""
_INVERTED = Lazy(
    r"(?P<what>(?!(?:it|that|this|he|she|they|there|i|we|what|who|which|the"
    r"|eggs?)\b)[\w&'. -]{2,40}?) (?:is|are|was) (?:my|our) "
    r"(?P<noun>(?:(?:new|old|first|second|native|current|main) )?(?:employer|language"
    r"|mother tongue|boss|manager|landlord|hometown|home town|name|surname|job|occupation"
    r"|hobby|specialty|speciality|major|school|team|doctor|gp|dentist|therapist|car|bike"
    r"|phone|laptop|goal|target|budget|deadline|favou?rite(?: [\w ]+)?|go-to(?: [\w ]+)?"
    r"|birthday|bank|gym|stop|airport|station|local|husband|wife|partner|boyfriend"
    r"|girlfriend))"
    r"(?:,? not .*)?",
    re.I,
)
"""`BSL is my first language`: said the other way round."""


_GROUP = Lazy(
    r"we(?:'re| are) (?:(?P<what>(?:an? )(?:[\w-]+ ){0,4}?(?P<kind>agency|company|startup"
    r"|firm|team|business|band|charity|studio|practice|lab|household|family|co-op|shop)\b.*)"
    r"|called (?P<called>(?-i:[A-Z])?\w.{1,40})"
    r"|(?P<n>\d+)(?: people| strong| of us)?(?P<rest>(?: now)?)$)",
    re.I,
)
"""`we're a 6 person agency`, `we're 11 now`: a group speaks, not a person."""


def _adjunct_last(tokens: Tokens) -> tuple[Tokens, Tokens]:
    """A time or place that stands before "I" put to the end: "since May I live", "mondays I've"."""
    first = tokens[0].lower()
    if (first in _ADJUNCT_FIRST or "ing" in forms_of(first)) and "," in tokens[1:20]:
        at = tokens.index(",", 1)
        whose = ("i", "we") if "ing" in forms_of(first) else _SUBJECT_FIRST
        if tokens[at + 1 : at + 2] and tokens[at + 1].lower() in whose:
            adjunct = expand([first, *tokens[1:at]])
            return tokens[at + 1 :], [",", *adjunct] if "ing" in forms_of(first) else adjunct
    if (first in _ADJUNCT_FIRST and tokens[1:2] != ["time"]) or re.fullmatch(_DAY, first):
        inner = first in _SUBORDINATORS and tokens[1].lower() in _SUBJECT_FIRST
        for at in range(3 if inner else 1, min(len(tokens), 12 if inner else 8)):
            owner = tokens[at].lower() in ("my", "our")
            if owner and tokens[at - 1].lower() in (
                *_ADJUNCT_FIRST,
                "of",
                "to",
                "and",
                "than",
                "like",
            ):
                continue
            if owner or tokens[at].lower() in ("i", "we", "he", "she"):
                adjunct = [part for part in tokens[:at] if part != ","]
                adjunct[0] = adjunct[0].lower()
                if re.fullmatch(_DAY, first):
                    adjunct = ["on", *adjunct]
                return tokens[at:], adjunct
    return tokens, []


_ADJUNCT_FIRST = frozenset(
    """
    since in at on for from during every after before last this next most now these nowadays today
    with until under between without because due thanks when while although though once whenever
    despite within throughout around over as by twice
    """.split()
)
_SUBORDINATORS = frozenset("when while although though once whenever because since after".split())
_SUBJECT_FIRST = frozenset(["i", "we", "he", "she", "they", "my", "our", "it"])
_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|weekends?"


# --- the user -------------------------------------------------------------------------------------


def _of_user(rest: Tokens, scene: Scene) -> Clause | None:
    rest = expand(rest)
    verb = next((t for t in rest if t.lower() not in ADVERBS and t != ","), "")
    if not verb or (not verb.isalpha() and verb.lower() not in AUXILIARIES and "-" not in verb):
        return None
    known = verb.lower() in AUXILIARIES or forms_of(verb.lower()) or verb.endswith("ed")
    if not known:
        if verb.lower() in ENGLISH or len(rest) < 2 or verb[0].isupper():
            return None
        rest[rest.index(verb)] = f"{verb}s"  # a verb that is in no list, after "I"
    predicate = rewritten(agree(rest), True, scene, "")
    return Clause("The user", USER, text_of(predicate)) if predicate else None


def _compound(tokens: Tokens, scene: Scene) -> Clause | None:
    """`me and my cousin Leo run …`: the user and someone else."""
    at = _verb_at(tokens, 2, plural=True)
    if not at:
        return None
    other = rewritten(expand(tokens[2:at]), True, scene, "")
    predicate = rewritten(expand(tokens[at:]), True, scene, text_of(tokens[2:at]))
    named = scene.named(tokens[at - 1])
    if is_name(named) and not scene.find(named):
        scene.meet(Someone(named))
    if not other or not predicate:
        return None
    return Clause(f"The user and {text_of(other)}", USER, text_of(predicate))


def _from_completed(whole: tuple[str, str], scene: Scene) -> Clause | None:
    """A clause whose subject was left out: `whole` is the subject's key and the predicate."""
    key, said = whole
    tokens = expand(tokens_of(said))
    if key == USER:
        predicate = rewritten(agree(tokens), True, scene, "")
        return Clause("The user", USER, text_of(predicate), stated=False) if predicate else None
    if key.startswith("the user's "):
        predicate = rewritten(tokens, False, scene, key)
        thing = key.removeprefix("the user's ")
        return Clause(capital(key), thing, text_of(predicate), False, USER) if predicate else None
    someone = scene.find(key) or Someone(key)
    predicate = rewritten(agree(tokens), False, scene, someone.full)
    if not predicate:
        return None
    return Clause(capital(someone.full), someone.name, text_of(predicate), stated=False)


# --- someone or something else --------------------------------------------------------------------


def _of_pronoun(first: str, tokens: Tokens, adjunct: Tokens, scene: Scene) -> Clause | None:
    rest = expand([first, *tokens[1:]])[1:] + adjunct
    if first == "they" and (done := _done_to_user(rest, scene)):
        return done
    someone = scene.meant_by(first)
    if first == "they" and (not someone or someone.gender) and scene.group:
        predicate = rewritten(rest, False, scene, scene.group)
        key = scene.group.removeprefix("the user's ")
        return (
            Clause(capital(scene.group), key, text_of(predicate), False, USER)
            if predicate
            else None
        )
    if first == "they" and someone and someone.gender:
        return None
    if someone is None:
        if first == "it" and scene.things:
            thing = scene.things[-1]
            predicate = rewritten(rest, False, scene, thing)
            key = thing.removeprefix("the user's ").removeprefix("the ")
            return (
                Clause(capital(thing), key, text_of(predicate), False, USER, False)
                if predicate
                else None
            )
        return None
    if first == "its" or not _is_verb_first(rest):
        return None
    if first == "they":
        rest = agree(rest)
    predicate = rewritten(rest, False, scene, someone.full)
    if not predicate:
        return None
    return Clause(
        capital(someone.full), someone.name, text_of(predicate), False, sure=first != "it"
    )


@cache
def _diagnosis() -> re.Pattern[str]:
    return re.compile(
        r"(?:it|that)(?:'s| is| was)?(?P<maybe> (?:could|might"
        r"|may) (?:well )?be)? (?:definitely "
        rf"|actually )?(?:an? )?(?P<what>{alternatives(CONDITIONS)})\b.*",
        re.I,
    )


def _diagnosed(found: re.Match[str], scene: Scene, running: str) -> Clause:
    """`it is asthma`: whoever was spoken of has it."""
    someone = scene.find(running) if running != USER else None
    verb = "might have" if found["maybe"] else "has"
    if someone:
        return Clause(capital(someone.full), someone.name, f"{verb} {found['what']}", False)
    return Clause("The user", USER, f"{verb} {found['what']}", False)


def _is_verb_first(rest: Tokens) -> bool:
    verb = next((t.lower() for t in rest if t.lower() not in ADVERBS), "")
    return verb in AUXILIARIES or bool(forms_of(verb))


def _done_to_user(rest: Tokens, scene: Scene) -> Clause | None:
    """`they've cancelled my op`: nobody in particular did it, so it was done."""
    lower = [part.lower() for part in rest]
    will = (
        "is going to be"
        if lower[:3] == ["are", "going", "to"]
        else "will be"
        if lower[0] == "will"
        else ""
    )
    skip = (
        3 if will.startswith("is going") else 1 if will or lower[0] in ("have", "are", "had") else 0
    )
    while skip < len(lower) and lower[skip] in ADVERBS:
        skip += 1
    if skip >= len(lower) - 1:
        return None
    verb, objects = lower[skip], rest[skip + 1 :]
    base = next(iter(forms_of(verb).values()), "") or (verb if verb in _ALTERED else "")
    named = objects[0].lower() == "the" and (
        any(is_name(part) for part in objects[1:3]) or verb in _ALTERED
    )
    if not base or not (objects[0].lower() in ("my", "me", "us", "our") or named):
        return None
    done = participle_of(verb)
    if objects[0].lower() in ("me", "us"):
        tail = rewritten(objects[1:], True, scene, "")
        return Clause("The user", USER, f"{will or 'was'} {done} {text_of(tail or [])}".strip())
    end = next(
        (n for n, t in enumerate(objects) if n > 1 and t.lower() in _AFTER_OBJECT), len(objects)
    )
    thing = text_of(objects[1:end])
    scene.things.append(f"the user's {thing}")
    tail = rewritten(objects[end:], False, scene, thing)
    comma = "," if tail and tail[0] == "," else ""
    said = f"{will or 'was'} {done}{comma} {text_of(tail or [])}".strip()
    return Clause(f"The {thing}" if named else f"The user's {thing}", thing, said, of=USER)


_ALTERED = frozenset(
    """
    upped raised lowered increased reduced doubled halved cut cancelled canceled postponed moved
    pushed extended changed closed scrapped delayed renamed rescheduled stopped bumped
    """.split()
)
"""What others do to a thing that is the user's affair, though it is only called "the"."""
_AFTER_OBJECT = frozenset(
    """
    to from until by for on in because due since off again up down ,
    """.split()
)


def _of_noun(tokens: Tokens, adjunct: Tokens, scene: Scene) -> Clause | None:
    """A clause whose subject is a noun: `my sister`, `dad`, `Ingrid`, `the new boiler`."""
    plural = bool(
        re.search(
            r"\b(?:and|parents|kids|children|boys|girls|folks|twins|both|\w+s)$", tokens[0].lower()
        )
    )
    at = _verb_at(tokens, 1, plural)
    if not at:
        return None
    noun = tokens[:at]
    if noun and noun[-1].lower() in ("he", "she", "they", "it") and len(noun) > 1:
        noun = noun[:-1]
    subject = subject_of(noun, scene)
    if subject is None or subject.of == "??":
        subject = _acting_on_user(noun, tokens[at:]) or subject
    if subject is None:
        return None
    rest = (
        expand(tokens[at:])
        if tokens[at] != "'s"
        else [resolve_s(tokens, at), *expand(tokens[at + 1 :])]
    )
    predicate = rewritten(rest + adjunct, subject.key == USER, scene, subject.text)
    if not predicate:
        return None
    if (
        "base" in forms_of(predicate[0].lower())
        and not plural
        and " and " not in subject.text
        and not subject.text.endswith("s")
    ):
        predicate[0] = third_person(predicate[0])
    return Clause(subject.text, subject.key, text_of(predicate), of=subject.of)


def of_any_thing(text: str, scene: Scene) -> Clause | None:
    """A clause about any noun at all, as if it were the user's: `launch slipped to May`."""
    tokens = tokens_of(text)
    if not 1 < len(tokens) <= 25:
        return None
    at = _verb_at(tokens, 1, tokens[0].lower().endswith("s")) or next(
        (
            n
            for n in range(1, min(len(tokens) - 1, 5))
            if "s" in forms_of(tokens[n].lower()) and tokens[n + 1].lower() in _AFTER_UNLISTED
        ),
        0,
    )
    noun = [
        part for part in tokens[:at] if part.lower() not in ("the", "this", "that", "our", "my")
    ]
    if not at or not 0 < len(noun) <= 4 or not all(re.match(r"[\w&'+-]+$", part) for part in noun):
        return None
    if (
        noun[0].lower() in ENGLISH
        or noun[0].lower() in _NO_ACTOR
        or (len(noun) == 1 and _is_verb(noun[0].lower()))
    ):
        return None
    rest = (
        expand(tokens[at:])
        if tokens[at] != "'s"
        else [resolve_s(tokens, at), *expand(tokens[at + 1 :])]
    )
    key = scene.named(text_of(noun))
    predicate = rewritten(rest, False, scene, key)
    if not predicate:
        return None
    shown = key if key[0].isupper() else f"the {key}"
    return Clause(capital(shown), key.lower(), text_of(predicate), of=USER)


def _is_verb(word: str) -> bool:
    """Whether a word is only a verb: `climbing` and `launch` can also be what is spoken of."""
    return bool(forms_of(word)) and not word.endswith("ing") and not is_noun_too(word)


_RIP = Lazy(r"^(?:r\.?i\.?p\.?|rest in peace,?) ((?!me\b|my\b)[\w-]+).*", re.I)


def _acting_on_user(noun: Tokens, rest: Tokens) -> Subject | None:
    """`pollen gives me hives`: something that does something to the user."""
    words = [part for part in noun if part != ","]
    lower = [part.lower() for part in rest]
    if (
        not {"me", "my", "us"} & set(lower)
        or len(words) > 3
        or not all(word.isalpha() for word in words)
    ):
        return None
    if (
        words[0].lower() in ENGLISH
        or forms_of(words[0].lower())
        or words[0].lower() in _NO_ACTOR
        or (lower[-1] in ("me", "us") and "of" in lower)
    ):
        return None
    return Subject(capital(text_of(words)), text_of(words).lower())


def _around_user(tokens: Tokens, scene: Scene) -> Clause | None:
    """A clause about something that has to do with the user, whatever its subject is: `one of my
    colleagues is moving`, `the shop that my aunt runs sells dresses`."""
    lower = [part.lower() for part in tokens]
    if not 5 <= len(tokens) <= 40 or not (lower[0] in _AROUND or is_name(tokens[0])):
        return None
    first = next(
        (n for n, part in enumerate(lower) if part in ("my", "our", "mine", "me", "us")), 0
    )
    at = next((n for n, part in enumerate(lower) if n > first and is_finite(part)), 0) or next(
        (n for n, part in enumerate(lower) if n > first and "s" in forms_of(part)), 0
    )
    if not first or first > 5 or not at or at + 2 > len(tokens) or "'s" in lower[at - 1 : at + 1]:
        return None
    subject = rewritten(expand(tokens[:at]), False, scene, "")
    predicate = rewritten(expand(tokens[at:]), False, scene, text_of(tokens[:at]))
    if not subject or not predicate:
        return None
    return Clause(capital(text_of(subject)), text_of(subject), text_of(predicate))


_AROUND = frozenset(
    """
    a an the one two three both some most all none half every each any nobody everyone everybody
    neither either another many few several at in on for with
    """.split()
)


_NO_ACTOR = frozenset(
    """
    people everything nothing something drinks fingers thanks god words things stuff someone none
    brain hips jesus
    """.split()
)


def _verb_at(tokens: Tokens, start: int, plural: bool) -> int:
    """Where the verb of a clause with a noun for its subject is; 0 for none."""
    joined = False
    for at in range(start, min(len(tokens), 14)):
        lower = tokens[at].lower()
        previous = tokens[at - 1].lower()
        if tokens[at] in ("May", "Will"):
            continue  # a month, a name
        if lower in ("and", "&"):
            joined = True
        if lower in ("because", "so", "but", "if", "who", "which", "that", "while") and at > start:
            return 0
        if lower == "'s":
            if resolve_s(tokens, at) != "'s":
                return at
            continue
        if previous in _BEFORE_NOUN and lower not in AUXILIARIES:
            continue
        if "s" in forms_of(lower) and (previous in people() or is_name(tokens[at - 1])):
            return at
        if (
            lower in ADVERBS
            and lower not in ("so", "kind", "sort", "of", "too", "both")
            and at + 1 < len(tokens)
        ):
            following = tokens[at + 1].lower()
            someone = previous in people() or is_name(tokens[at - 1])
            if is_finite(following) or "base" in forms_of(following):
                return at
            if someone and "s" in forms_of(following):
                return at
        if is_finite(lower):
            return at
        forms = forms_of(lower)
        owned = tokens[0].lower() in ("my", "our") and at >= 2 and at + 1 < len(tokens)
        if owned and "s" in forms and tokens[at + 1].lower() in _AFTER_UNLISTED:
            return at
        many = (
            plural or joined or previous.endswith("s") or previous in ("kids", "children", "people")
        )
        if "base" in forms and (many or (is_name(tokens[at - 1]) and not is_noun_too(lower))):
            return at
    if tokens[0].lower() in ("my", "our", "the") or is_own(tokens[:1]):
        for at in range(start + (tokens[0].lower() in ("my", "our", "the")), min(len(tokens), 6)):
            if "s" in forms_of(tokens[at].lower()):
                return at
    for at in range(1, min(len(tokens) - 1, 4)):
        one = tokens[at - 1].lower() in people() or is_name(tokens[at - 1])
        verb = tokens[at].islower() and tokens[at].isalpha() and len(tokens[at]) > 3
        if one and verb and tokens[at + 1].lower() in _BEGINS_OBJECT:
            return at
    if tokens[0].lower() in ("my", "our"):
        for at in range(2, min(len(tokens) - 1, 6)):
            if _UNLISTED.fullmatch(tokens[at]) and tokens[at + 1].lower() in _AFTER_UNLISTED:
                return at
    return 0


_BEGINS_OBJECT = frozenset(("the", "a", "an", "his", "her", "their", "my", "our", "off", "up"))
"""What comes after a verb, whichever it is, that stands right after someone."""
_UNLISTED = Lazy(r"[a-z]{3,}(?:[^s]s|ed)")
"""The form of a verb that no list knows."""
_AFTER_UNLISTED = frozenset(
    "in on at to the a an my our every from for with by out up down when until like it off over".split()
)


_BEFORE_NOUN = frozenset(
    """
    my our his her their the a an new old own this that first second last next
    """.split()
)


__all__ = ["Clause", "of_any_thing", "read_clause"]
