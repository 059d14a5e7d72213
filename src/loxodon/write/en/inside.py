"""What a question or a request supposes of the user: "tips for my bad knee?" tells of a bad knee.

Whoever asks for help says by the way what they have, where they live and what they are about to do.
Each pattern finds one such phrase and makes the clause of it that it would be by itself.
"""

from __future__ import annotations

import re
from functools import cache

from loxodon.text.stopwords import ENGLISH
from loxodon.write.en.clauses import Clause, read_clause
from loxodon.write.en.labels import article
from loxodon.write.en.patterns import Lazy
from loxodon.write.en.person import expand, rewritten, text_of, tokens_of
from loxodon.write.en.scene import Scene, is_name
from loxodon.write.en.verbs import forms_of, is_finite, is_noun_too
from loxodon.write.en.words import CONDITIONS, alternatives
from loxodon.write.statements import USER


def supposed(text: str, scene: Scene) -> list[Clause]:
    """The clauses that a question or request (spelled) takes for granted."""
    if not re.search(r"\b(?:my|our|i|i'm|i've|we|we're|mine)\b", text, re.I):
        return []
    found = [*_ailments(text), *_whereabouts(text, scene), *_to_come(text, scene)]
    found += [*_counted(text, scene), *_dealt_with(text, scene), *_more_of(text, scene)]
    if grounds := _grounds(text, scene):
        found.append(grounds)
    return found


_BAD = (
    "bad broken sprained injured dodgy weak arthritic torn sore swollen stiff fractured bruised "
    "severe chronic mild irregular herniated slipped dislocated high low"
)


@cache
def _ailing() -> re.Pattern[str]:
    part = (
        r"(?:(?:left|right|lower|upper) )?(?:knees?|back|shoulders?|hips?|wrists?|ankles?|elbows?|neck|heart|eyes?"
        r"|eyesight|hearing|stomach|foot|feet|legs?|arms?|hands?|fingers?|toes?|ribs?|disc|jaw|thumb|hamstrings?|blood"
        r" pressure|cholesterol|blood sugar|iron|pain|cough|insomnia|anxiety|headaches?|migraines?)"
    )
    return re.compile(
        rf"\b(?:my|our)(?: own)? (?P<what>(?:{alternatives(_BAD)}) {part}|(?:(?:{alternatives(_BAD)}|type [12]) )?"
        rf"{alternatives(CONDITIONS)})\b(?! (?:is|was|has|medication|meds|doctor|nurse|test|appointment)\b|'s)",
        re.I,
    )


_NO_ARTICLE = Lazy(
    r"(?:s|pressure|cholesterol|sugar|iron|pain|eyesight|hearing|feet|insomnia|anxiety)$", re.I
)


def _ailments(text: str) -> list[Clause]:
    """`my bad left knee`, `my asthma`."""
    found = []
    for one in _ailing().finditer(text):
        what = one["what"]
        bare_noun = _NO_ARTICLE.search(what) or what.split()[0].lower() not in _BAD.split()
        found.append(
            Clause("The user", USER, f"has {what if bare_noun else f'{article(what)} {what}'}")
        )
    return found


_PLACED = Lazy(
    r"\b(?:my|our) (?P<what>(?:[a-z-]+ ){0,2}?(?:flat|house|home|place|apartment|condo|studio|cottage|farm|office|shop|cafe"
    r"|café|restaurant|school|garden|allotment|room|gym|company|parents|family|sister|brother|mum|mom|dad|grandparents"
    r"|boat|cabin|caravan|land|salon|bakery|clinic|practice|church|choir|band|team|son|daughter|uncle|aunt|cousin))"
    r" (?P<where>(?:in|near|outside) (?-i:[A-Z])[\w'-]+(?: (?-i:[A-Z])[\w'-]+)*)",
    re.I,
)


def _whereabouts(text: str, scene: Scene) -> list[Clause]:
    """`my rented flat in Leith`."""
    found = []
    for one in _PLACED.finditer(text):
        if re.match(r" (?:is|was|has|are|were)\b", text[one.end() :]):
            continue
        what = one["what"]
        verb = "are" if what.lower().endswith(("parents", "grandparents")) else "is"
        found.append(Clause(f"The user's {what}", what.lower(), f"{verb} {one['where']}", of=USER))
    return found


_EVENT = Lazy(
    r"\b(?:my|our) (?P<what>(?:(?!bad|old|last|previous|recent|next|first|whole|entire)[a-z-]+ ){0,2}?(?P<noun>trip|holiday|flight"
    r"|wedding|exams?|interview|vacation|honeymoon|marathon|conference|hike|appointment|driving test|surgery|operation"
    r"|presentation|audition|anniversary|move|wedding|cruise|race|viva|recital|gig|stag do|hen do|reunion|expedition))"
    r"(?P<rest>(?: (?:to|in|on|at|with|for|next|this|tomorrow|from|around|through|of) (?!help|you|me\b|it\b)"
    r"[^,.?!;]{2,60}?)+)(?=$|[,.?!;]| (?:so|and|but|what|how|which|that|who)\b)",
    re.I,
)


def _to_come(text: str, scene: Scene) -> list[Clause]:
    """`my trip to Norway next week`."""
    found = []
    for one in _EVENT.finditer(text):
        if re.match(r"(?: \w+)? (?:is|was|are|were|has|went)\b", one["rest"]):
            continue
        rest = rewritten(expand(tokens_of(one["rest"].strip())), True, scene, "")
        if rest and not any(is_finite(word.lower()) for word in rest):
            what = one["what"]
            noun = what if what.lower().endswith("s") else f"{article(what)} {what}"
            found.append(Clause("The user", USER, f"has {noun} {text_of(rest)}"))
    return found


_OWN_COUNT = Lazy(
    r"\b(?:my|our) (?P<n>\d+|two|three|four|five|six|seven|eight|nine|ten|twelve) (?P<what>(?!year|day|week|month|hour|minute"
    r"|mile|km|am|pm|o'clock|th\b)(?:[a-z-]+ ){0,2}?[a-z-]+s)(?=$|[,.?!;]| (?:in|on|at|to|for|with|when|and|while|is|are)\b)",
    re.I,
)


def _counted(text: str, scene: Scene) -> list[Clause]:
    """`my 57 rare records`."""
    return [
        Clause("The user", USER, f"has {one['n']} {one['what']}")
        for one in _OWN_COUNT.finditer(text)
    ]


_DEALT = Lazy(
    r"\b(?P<what>(?:the|a|an|some|those|these|my|our) (?:[\w\"'-]+ ){0,5}?[\w\"'-]+)(?: (?:that|which))?"
    r" i(?P<verb>(?:'ve| have)?(?: (?:just|recently|only|already))? (?:got|bought|ordered|made|adopted|inherited|found|won"
    r"|received|attended|joined|started|planted|baked|visited|built|picked up|was given|signed up for|booked)"
    r"|(?:'m| am)(?: currently| also)? (?!looking|trying|thinking|wondering|hoping|talking|asking|referring|having|going|getting"
    r"|using|seeing|saying|feeling)\w+ing(?: (?:on|for|at|in))?)"
    r"(?P<rest>(?: (?:yesterday|today|last|next|this|on|in|from|for|at|with|two|three|a|an|about|over)\b[^,.?!;]{0,50}?)?)"
    r"(?=$|[,.?!;]| (?:to|and|but|so|because|which|who|is|are|was|has|that|or)\b)",
    re.I,
)


def _dealt_with(text: str, scene: Scene) -> list[Clause]:
    """`the air fryer I got yesterday`, `a dinner party I'm hosting`."""
    found = []
    for one in _DEALT.finditer(text):
        what = re.sub(r"^(?:those|these) ", "some ", one["what"], flags=re.I)
        words = what.lower().split()
        if words[-1] in ENGLISH or words[-1] in _VAGUE or len(words) < 2:
            continue
        clause = read_clause(f"i{one['verb']} {what}{one['rest']}", scene)
        if clause and clause.key == USER:
            found.append(clause)
    return found


_VAGUE = frozenset(
    "thing things one ones stuff way ways time times day place part reason person people".split()
)


_MORE_OF = Lazy(
    r"\b(?:my|our) (?P<what>(?:[a-z-]+ )?[a-z-]+)(?:,)? (?:which|that) (?P<said>(?P<verb>is|has|was|[a-z]+s|[a-z]+ed)"
    r" [^,.?!;]{3,70})",
    re.I,
)


def _more_of(text: str, scene: Scene) -> list[Clause]:
    """`my book club which meets every other Thursday`."""
    found = []
    for one in _MORE_OF.finditer(text):
        verb = one["verb"].lower()
        if verb not in ("is", "has", "was") and not forms_of(verb):
            continue
        clause = read_clause(f"my {one['what']} {one['said']}", scene)
        if clause and clause.of == USER:
            found.append(clause)
    return found


_GROUND = Lazy(
    r"(?:^|[,;] | )(?:given(?: that)?|considering(?: that)?|because|since|as|now that|seeing as|bearing in mind(?: that)?|but)"
    r" (?P<said>(?:(?P<thing>(?:my|our) [^,.?!;]{3,60})|(?:i|i'm|i've|we|we're|we've|mine's) [^,.?!;]{4,90}))",
    re.I,
)
_LATER = Lazy(r"(?<=\w )(?P<said>(?:my|our) [a-z][^,.?!;]{6,90})$", re.I)
_WISHING = Lazy(
    r"(?:i|we)(?:'d| would|'m| am)? (?:like|love|want|need|wonder|can|could|should|hope|looking|wondering)\b",
    re.I,
)


def _grounds(text: str, scene: Scene) -> Clause | None:
    """`…, given my high blood pressure`, `… because mine's a Pixel`, `… my exams start on 14 May`."""
    for one in _GROUND.finditer(text):
        said = one["said"]
        if _WISHING.match(said) or re.search(r"\byou\b", said):
            continue
        clause = read_clause(said, scene)
        if clause and (clause.key == USER or clause.of == USER):
            return clause
    for later in _LATER.finditer(text):
        before = text[: later.start()].rstrip(" ").rsplit(None, 1)[-1].lower()
        if before in ENGLISH or (forms_of(before) and not is_noun_too(before)) or is_name(before):
            continue
        clause = read_clause(later["said"], scene)
        if clause and clause.of == USER:
            return clause
    return None


__all__ = ["supposed"]
