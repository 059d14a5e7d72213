"""How sure a sentence is: what is hedged or told second-hand becomes a belief."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from loxodon.write.en.patterns import Lazy
from loxodon.write.en.verbs import forms_of, is_noun_too
from loxodon.write.en.words import RELATIONS, alternatives


class Hedged(NamedTuple):
    """A sentence without its hedge, and how sure it is."""

    text: str
    confidence: float = 1.0
    basis: str = ""
    softened: bool = False
    """The sentence must still say that it is not sure: its hedge was taken away."""


_STRONG, _HEDGE, _TOLD = 0.4, 0.6, 0.5

_LEADING = (
    (
        r"there(?:'s| is) a (?:good |small |slight |decent |real )?(?:chance"
        r"|possibility)(?: that)?", _STRONG),
    (r"(?:it's|it is) possible(?: that)?", _STRONG),
    (
        r"(?:i(?:'m| am) )?not (?:100%|entirely|totally|completely|really)? ?(?:sure"
        r"|certain)(?: that| but)?,?", _STRONG),
    (
        r"i(?:'m| am)?(?: also| do| kind of)? (?:starting to )?(?:suspect(?:ing)?"
        r"|wonder(?:ing)? (?:if|whether))(?: that)?", _STRONG),
    (r"according to (?:my |our |the )?[\w' ]{2,30},", _TOLD),
    (
        r"i(?:'ve| have|'ve got| have got| got)? (?:an? |this |half an? )?(?:strong |sneaking |nagging |gut |funny )*(?:feeling|hunch"
        r"|suspicion|inkling|premonition)(?: that)?|something tells me(?: that)?|my (?:hunch|theory|suspicion|bet|gut feeling) is(?: that)?"
        r"|i(?:'d| would)? bet(?: you)?(?: that)?(?= (?:my|our|the|he|she|they|we|it's|(?-i:[A-Z])))", _STRONG),
    (r"(?:maybe|perhaps|possibly|could be(?: that)?)", _STRONG),
    (
        r"(?:i(?:'m| am) )?(?:pretty|fairly|quite|almost|reasonably|99%|90%) (?:sure|certain"
        r"|confident)(?: that)?", _HEDGE),
    (

            r"(?:i(?: do| really| honestly| kind of| kinda)? |(?=reckon|guess))(?:think|believe"
            r"|reckon|guess|suppose"
        r"|assume|imagine|expect|feel like|figure|gather)(?: that| like)?", _HEDGE),
    (r"i (?:get|got|have) the (?:impression|feeling|sense)(?: that)?", _HEDGE),
    (
        r"(?:it (?:looks|seems|sounds|feels) (?:like|as if|as though|that)|it seems|looks like|seems like"
        r"|seems|sounds like)", _HEDGE),
    (
        r"(?:probably|presumably|most likely|likely|chances are|odds are|in all likelihood"
        r"|my guess is|i'd say|i would say)(?: that)?,?", _HEDGE),
    (r"(?:as far as i know|if i remember (?:right|correctly|rightly)|from memory|iirc|afaik),?",
        _HEDGE),
    (
        r"(?:apparently|supposedly|allegedly|reportedly|rumou?r has it|they say"
        r"|(?:the )?(?:rumou?r|word|gossip|talk)(?: (?:at|around|in|on) [\w ]{2,20}?)? is"
        r"|people say|i've heard|i heard|heard|i hear|i read)(?: that)?,?", _TOLD),
)  # fmt: skip
_INNER = (
    (
        r"\bmight [a-z]+|\b(?:may|could)(?: well| also| possibly)? (?:sell|leave|close|buy|quit|stop|change|come|join|try|switch"
        r"|cancel|retire|be|have|need|get|go|not|move|end"
        r"|want|start|do|take|become|lose)\b",
        _STRONG,
    ),
    (r"\b(?:maybe|perhaps|possibly)\b", _STRONG),
    (r"\b(?:probably|presumably|most likely|likely to|apparently|supposedly|allegedly)\b", _HEDGE),
    (r"\b(?:seems? to|appears? to)\b", _HEDGE),
)
_TRAILING = (
    (
        r",? (?:i think|i guess|i believe|i reckon|we reckon|i suppose|i'd guess|i assume"
        r"|i imagine|or so i think|probably|maybe|perhaps|possibly|not sure|not 100% sure)$",
        _HEDGE),
    (
        r",? but (?:idk|i don't know|don't know|not sure|who knows|i'm not (?:sure|convinced|certain))$",
        _STRONG),
    (
        r",? (?:apparently|supposedly|i'm told|i hear|or so i've heard|so they say"
        r"|according to (?!(?:my|the) (?:last |latest )?(?:bloods?|tests?|results|scan|doctor"
        r"|gp)).{2,40})$", _TOLD),
)  # fmt: skip
_OPINION = Lazy(
    r"(?:i(?:'d| would)? (?:prefer|like|love|hate|want|need|should|'ll|will|'m going"
    r"|am going)|i'm (?:going|gonna)|it(?:'s| is| was)|that(?:'s| is| was)|this is)\b",
    re.I,
)
"""After "I think" this is an opinion or a wish, not a fact held for likely."""


_PREDICATE = Lazy(
    r"(?:is|was|has|might|may|could|can|would|will|should|must|isn't|wasn't|won't|sounds?|looks?|works?|makes?|helps?)\b",
    re.I,
)
"""A verb where a subject was expected: the "that" before it was one."""


_FACTIVE = Lazy(
    r"^(?:i|we)(?:(?:'ve|'d| have| had)?(?: also| just| recently| only| now| already)*"
    r" (?:know|noticed|realised|realized|remember(?:ed)?|found out|discovered|learned|learnt|recall|forgot to"
    r" (?:mention|say|tell you)|(?:should|must|have to|need to|can) (?:mention|say|admit)"
    r")|(?:'m| am) (?:(?:so|really|very|just) )*(?:happy|glad|proud|pleased|delighted|sad|sorry|relieved)(?: to (?:say|report"
    r"|tell you))?)(?: that)?,? "
    r"(?=(?:i|we|my|our|she|he)(?:'\w+)? \w+)",
    re.I,
)
"""What only says how the user came to know it."""


_COULD_BE = Lazy(
    r"^(?:it )?could be (?:the|my) ([\w' -]{2,30}?) (giving|causing|making|doing) ", re.I
)


_WHO_KNOWS = Lazy(
    r"\b(?:doc|docs|doctors?|gp|consultant|vet|dentist|hospital|bank|landlord|landlady|school|hr"
    r"|midwife|surgeon|optician|council|nursery|clinic|specialist|dermatologist|physio)$",
    re.I,
)
"""Who says what is so, because it is theirs to say."""


@cache
def _tellers() -> re.Pattern[str]:
    who = (
        rf"(?:(?:my|our|the|his|her|an?)\s+(?:former |old |ex[ -]|new |eldest |younger |older |little |big )?)?"
        rf"(?:{alternatives(RELATIONS)}"
        r"|vet|doc|docs|doctors|school|hospital|work|hr|bank|recruiter|nursery|council"
        r"|police|consultant|everyone|people|someone)"
        r"(?: (?-i:[A-Z])\w+)?(?: (?:at|from|in|down) (?:the |my )?[a-z]+)?|(?-i:[A-Z][\w-]+)"
        r"|she|he|they"
    )
    verb = (
        r"(?:says?|said|thinks?|thought|reckons?|reckoned|believes?|told me|tells me|suspects?"
        r"|mentioned|claims?|swears|is (?:sure|convinced)|are (?:sure|convinced)|rang to say"
        r"|called to say|texted to say|hinted|insists?|warned me|agreed that|confirmed that"
        r"|promised that|agreed|confirmed)"
    )
    return re.compile(
        rf"(?P<who>(?:{who}))(?: also| just| always| keeps? (?:on )?saying)? (?P<verb>{verb})(?: "
        r"that)?[,:]? (?P<said>\S.*)",
        re.I | re.S,
    )


@cache
def _compiled() -> tuple[tuple[tuple[re.Pattern[str], float], ...], ...]:
    return (
        tuple((re.compile(rf"(?:{p})\s+(?=\S)", re.I), c) for p, c in _LEADING),
        tuple((re.compile(p, re.I), c) for p, c in _INNER),
        tuple((re.compile(p, re.I), c) for p, c in _TRAILING),
    )


def unhedged(text: str) -> Hedged:
    """`text` (bare) without "I think", "she says" and the like, and how sure it is."""
    leading, inner, trailing = _compiled()
    text = _FACTIVE.sub("", text)
    text = re.sub(r",? (?:we|i) (?:reckon|think|guess)(?=,)", "", text)
    text = _COULD_BE.sub(r"my \1 might be \2 ", text)
    confidence, basis, softened = 1.0, "", False
    told = _tellers().match(text)
    if told and _is_order(told["said"]):
        return Hedged(
            "", _TOLD, told["who"]
        )  # what someone told the user to do is no fact of theirs
    if told and _is_sentence(told["said"]):
        basis = f"{told['who']} {told['verb']}"
        text = told["said"]
        known = _WHO_KNOWS.search(told["who"]) and told["verb"].lower().startswith(
            ("say", "said", "told")
        )
        if not known and not re.match(r"(?:agreed|confirmed|promised)", told["verb"], re.I):
            confidence, softened = _TOLD, True
    for _ in range(3):
        for pattern, sure in leading:
            found = pattern.match(text)
            if found:
                rest = text[found.end() :]
                opinion = (
                    sure == _HEDGE and _OPINION.match(rest) and not re.match(r"it(?:'s| is) ", rest)
                )
                if not opinion:
                    confidence = min(confidence, sure)
                    basis = basis or found[0].strip(" ,")
                    softened = True
                if found[0].rstrip().endswith(" that") and _PREDICATE.match(rest):
                    return Hedged(
                        f"that {rest}", confidence, basis, softened
                    )  # "I think that might"
                text = rest
                break
        else:
            break
    for pattern, sure in trailing:
        found = pattern.search(text)
        if found:
            text = text[: found.start()]
            confidence, basis, softened = min(confidence, sure), basis or found[0].strip(" ,"), True
    for pattern, sure in inner:
        found = pattern.search(text)
        if found:
            confidence, basis, softened = min(confidence, sure), basis or found[0], False
            break
    return Hedged(text.strip(), confidence, basis, softened)


def _is_order(said: str) -> bool:
    first, second = [*said.lower().split(), "", ""][:2]
    forms = forms_of(first)
    if "base" not in forms or "past" in forms:
        return False
    return not is_noun_too(first) or second in (
        "with",
        "by",
        "the",
        "a",
        "an",
        "at",
        "on",
        "using",
        "my",
    )


def _is_sentence(said: str) -> bool:
    return len(said.split()) >= 2 and not re.match(
        r"(?:\w+ )?(?:not )?to \w+|(?:hi|hello|yes|no|thx|thanks|ok|it all|so|you|that's|to|about|of|by|at|with|what|how|why|a lot"
        r"|things?)\b(?! \w+ing)",
        said,
        re.I,
    )


def softened(predicate: str) -> str:
    """`predicate` with "probably" in its place."""
    predicate = re.sub(r"^has got\b", "has", predicate)
    found = re.match(r"(?P<verb>(?:is|are|was|were|will|can|has|have|had)(?= (?!to )))", predicate)
    if found and not (
        found["verb"] in ("has", "have", "had")
        and not re.match(r"\w+ (?:been|gone|left|moved|got|had)\b", predicate)
    ):
        return f"{found['verb']} probably{predicate[found.end() :]}"
    return f"probably {predicate}"


__all__ = ["Hedged", "softened", "unhedged"]
