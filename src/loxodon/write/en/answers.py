"""Short answers, read in the frame of what the assistant had asked."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from loxodon.text import sentences
from loxodon.text.stopwords import ENGLISH
from loxodon.write.en.clauses import Clause, read_clause
from loxodon.write.en.clean import bare, plain, spelled
from loxodon.write.en.patterns import Lazy
from loxodon.write.en.scene import NAME, Scene, is_name
from loxodon.write.en.turned import turned
from loxodon.write.en.verbs import forms_of, is_finite, third_person
from loxodon.write.en.words import (
    CONDITION_ADJECTIVES,
    DIETS,
    JOBS,
    NATIONALITIES,
    PLACES,
    RELATIONS,
    as_set,
)
from loxodon.write.statements import USER, Line


def question_of(before: Sequence[Line]) -> str:
    """The last question of the assistant's last turn; empty where it asked none."""
    if not before or before[-1].role != "assistant":
        return ""
    asked = [
        one for one in sentences.split(before[-1].content[-2_000:]) if one.rstrip().endswith("?")
    ]
    return plain(asked[-1]) if asked else ""


_MOST_WORDS = 14
_YES = Lazy(
    r"\W*(?:yes|yep|yeah|yup|yea|ya|aye|correct|right|exactly|indeed|sure|i am|i do|i have"
    r"|still (?:am|do|is)?|of course|definitely|absolutely|mhm)\b[\s,.!-]*(?P<rest>.*)",
    re.I | re.S,
)
_NO = Lazy(
    r"\W*(?:no|nope|nah|not (?:any ?more|yet|really)|i'm not|i don't"
    r"|i haven't)\b[\s,.!-]*(?P<rest>.*)",
    re.I | re.S,
)
_BRIEF = Lazy(
    r"(?:'?s fine|is fine|is good|works|will do|please|for me|it is|then|,? i (?:think|guess)"
    r"|probably|mainly|mostly|actually)+$",
    re.I,
)

_NAME = Lazy(r"\b(?:call you|your name|who am i (?:speaking|talking)|name\?)", re.I)
_HOME = Lazy(
    r"\bwhere (?:are you (?:based|located|living|from now)|do you live|in the world)"
    r"|\bwhich city (?:are you (?:in|based|living|located)|do you live)|\bwhat city\b|\byour (?:location|city)\b"
    r"|where(?:abouts)? are you\?",
    re.I,
)
_FROM = Lazy(r"\bwhere are you from\b|\bwhere (?:did you grow|were you born)", re.I)
_JOB = Lazy(
    r"\bwhat do you do\b(?! (?:on|with|when|for fun|in your))|\b(?:your|what's your) (?:job"
    r"|line of work|occupation|profession)|\bdo for (?:work|a living)\b",
    re.I,
)
_AGE = Lazy(r"\bhow old are you\b|\byour age\b", re.I)
_STUDY = Lazy(
    r"\bwhat (?:do|are) you (?:study|studying|majoring)|\byour (?:major|degree|subject)\b", re.I
)
_WHAT_DO = Lazy(
    r"\b(?:what|which)(?: (?P<noun>[\w ]{1,30}?))? do you (?:usually |normally |mostly "
    r"|mainly )?(?P<verb>\w+)(?P<rest>[^?]*)\?",
    re.I,
)
_WHICH = Lazy(
    r"\b(?:which|what)(?:'s your| is your| are your| kind of| sort of| type of"
    r"| exact)? (?P<noun>(?!(?:is|are|do|does|did|was|were|will|has|have|happens|makes|brings|about|would|if|can|should|did|time|kind|else"
    r"|the)\b)[a-z][\w -]{1,25}?)(?: (?:is it|are you (?:on|using|in|with|thinking)"
    r"|would you (?:like|prefer)|should i use|works best|do you mean|are we talking))?\?",
    re.I,
)
_ARE_YOU = Lazy(
    r"\bare you (?P<rest>(?!sure|okay|ok|ready|kidding|serious|free|interested|looking|able|there"
    r"|saying|asking|feeling|alright|happy)[^?]{2,60})\?",
    re.I,
)
_DO_YOU = Lazy(
    r"\bdo you (?P<verb>(?!want|need|mean|know|think|remember|mind"
    r"|prefer me)\w+)(?P<rest>[^?]{0,60})\?",
    re.I,
)
_HAVE_YOU = Lazy(r"\bhave you (?:got|had) (?P<rest>[^?]{2,60})\?", re.I)
_NOT_ANSWER = Lazy(
    r"\b(?:you|idk|dunno|maybe|not sure|depends|whatever|(?:any|every|no)thing(?! (?:with|but|containing|except"
    r"|spicy|too)\b)|all of|none|hmm|good question|ask|why|what|how|the usual)\b|\?",
    re.I,
)


def answered(core: str, text: str, before: Sequence[Line], scene: Scene) -> Clause | None:
    """What a turn's first fragment says as the answer to the assistant's question."""
    asked = question_of(before)
    if not asked or len(text.split()) > _MOST_WORDS or _NOT_ANSWER.search(core):
        return None
    core = _SMALL.sub("", core)
    if named := _names_asked(core, asked):
        return named
    named_only = re.match(r"(?:my|our)\b", core, re.I) and not any(
        is_finite(word) or word.endswith("'s") for word in core.lower().split()
    )
    if named_only:
        return _asked_about(core, asked)
    if re.match(r"(?:i|we|my|our|he|she|it|they|me)\b(?!')", core, re.I) or re.match(
        r"(?:i'm|i've|it's|he's|she's|we're)\b", core, re.I
    ):
        return None
    agreed = _agreed(text, asked, scene)
    if agreed:
        return agreed
    short = _BRIEF.sub("", re.split(r"\. |[!;]|, (?:well|but|so|just)\b", core)[0]).strip(" .,!-")
    if not short or _YES.match(text) or _NO.match(text):
        return None
    short = _small_first(short)
    if framed := _asked_about(short, asked):
        return framed
    for pattern, frame in _FRAMES:
        if pattern.search(asked):
            said = frame(short)
            return Clause("The user", USER, said) if said else turned(short, asked)
    return turned(short, asked) or _framed(short, asked)


def _small_first(short: str) -> str:
    """An answer as it goes on with a sentence: `About fifteen years` with a small letter."""
    first = short.split()[0].lower().strip(",")
    if first in ENGLISH or forms_of(first) or first in _ORDINARY:
        return short[:1].lower() + short[1:]
    return short


_ORDINARY = frozenset(
    """
    one two three four five six seven eight nine ten eleven twelve once twice near around about
    roughly almost nearly every daily weekly usually normally sometimes late early mid maybe half
    """.split()
)
_SMALL = Lazy(r"^(?:(?:just|only|mostly|mainly|actually|oh|well|um|erm|like),? )+(?=\S)", re.I)
_NAME_OF = Lazy(
    r"\byour (?P<noun>[\w -]{2,25}?)(?:'s|s') names?\b|\bnames? of your (?P<of>[\w -]{2,25}?)\b"
)
_NAME_IS = Lazy(
    rf"(?:(?:her|his|its|their) names?(?:'s| is| are) |(?:she|he|it|they)(?:'s|'re| is| are) (?:called|named) )?"
    rf"(?P<name>{NAME}(?:,? and {NAME})?)",
    re.I,
)


def _names_asked(core: str, asked: str) -> Clause | None:
    """`her name is Pickle` after "What's your dog's name?"."""
    of, given = _NAME_OF.search(asked), _NAME_IS.fullmatch(core.strip(" .!"))
    if not of or not given or not is_name(given["name"].split()[0]):
        return None
    noun = of["noun"] or of["of"]
    return Clause(
        f"The user's {noun}",
        noun,
        f"{'are' if noun.endswith('s') else 'is'} called {given['name']}",
        of=USER,
    )


_OFFERS = Lazy(
    r"\b(?P<a>[\w' +-]{2,25}?) (?:vs\.?|versus|or) (?P<b>[\w' +-]{2,25}?)(?=[?.,!]|$)|\b\d\)", re.I
)
_IT_IS = Lazy(r"(?P<what>[\w' +-]{2,30}?) it is(?: then)?", re.I)
_FOR = Lazy(r"\bfor (?P<what>(?:the|my|our|a) [\w' -]{2,30}?)(?=[?.!,]|$)", re.I)


_OFFERED_IDLY = Lazy(r"^(?:maybe|perhaps|how about|what about|you could|try)\b", re.I)
_ABOUT_STATE = Lazy(r"(?:[\w ]{1,20}[,!.] )?(?:is|are|was|were|do|does|did|have|has|will)\b", re.I)


def chosen(core: str, before: Sequence[Line]) -> Clause | None:
    """`oak` after "oak or pine?", `Sunday it is`: a choice among what was offered."""
    if not before or before[-1].role != "assistant" or len(core.split()) > 6:
        return None
    if _OFFERED_IDLY.search(before[-1].content):
        return None
    if _PREFER.search(before[-1].content):
        return None
    said = _IT_IS.fullmatch(core)
    if not said and _ABOUT_STATE.match(question_of(before)):
        return None  # "is this for work or for fun?" asks what is so, not for a choice
    offered = plain(before[-1].content[-600:])
    what = said["what"] if said else core.strip(" .!")
    if not said and not (
        len(what) > 3
        and _OFFERS.search(offered)
        and re.search(rf"\b{re.escape(what)}\b", offered, re.I)
    ):
        return None
    if re.match(
        r"(?:i|no|yes|ok|the (?:first|second|last)|both|neither|that|this|fine|as)\b", what, re.I
    ):
        return None
    asked = next((plain(line.content) for line in reversed(before) if line.role == "user"), "")
    purpose = _FOR.search(asked)
    if re.search(r"\b\w+days\b", asked, re.I) and re.fullmatch(r"\w+day", what, re.I):
        what = f"{what.capitalize()}s"
    about = f" for {re.sub(r'^(?:my|our) ', 'the ', purpose['what'])}" if said and purpose else ""
    return Clause("The user", USER, f"decided on {what}{about}")


_THIS_IS = Lazy(
    rf"(?P<greets>hi,? |hello,? |hey,? |so |and |dear assistant,? |good (?:morning|evening|afternoon),? )*"
    rf"(?:it's |this is |i'm |i am |(?P<bare>(?={NAME} (?:here|speaking)$)))"
    rf"(?P<name>{NAME})(?P<tail>(?: here| again| now| speaking)?)"
    rf"(?:,? (?:nice|pleased|great|good|lovely) to meet you(?: all)?)?",
    re.I,
)


_WHAT_ONE_IS = frozenset(
    "newbie beginner noob lurker introvert extrovert same student looky look over still smoker insomniac widow widower".split()
)


def own_name(text: str, before: Sequence[Line]) -> Clause | None:
    """`it's Nora Quist here`: who is speaking."""
    found = _THIS_IS.fullmatch(text.strip(" .,!"))
    if found and is_name(found["name"]) and (found["tail"] or " " in found["name"] or not before):
        lower = found["name"].lower()
        if lower in as_set(PLACES):
            return None
        what = lower in as_set(JOBS + RELATIONS + DIETS + NATIONALITIES + CONDITION_ADJECTIVES)
        if found["bare"] is not None and (what or not found["greets"] or lower in _WHAT_ONE_IS):
            return None  # `vegan here` gives no name
        now = " now" if found["tail"].strip() == "now" else ""
        return Clause("The user's name", "name", f"is{now} {found['name']}", of=USER)
    small = re.fullmatch(r"it's (?P<name>[a-z]{3,12})", text.strip(" .,!"))
    if small and not before and small["name"] not in ENGLISH and not forms_of(small["name"]):
        return Clause("The user's name", "name", f"is {small['name'].capitalize()}", of=USER)
    return None


def _place(short: str) -> str:
    if len(short.split()) > 5:
        return ""
    if re.match(r"(?:near|outside|just outside|by|around|close to|between)\b", short, re.I):
        return f"lives {short[:1].lower()}{short[1:]}"
    name = short.removeprefix("in ").removeprefix("In ")
    return f"lives in {name[:1].upper()}{name[1:]}"


def _job(short: str) -> str:
    if re.match(r"(?:a|an|the)\b", short, re.I):
        return f"is {short}"
    if forms_of(short.split()[0].lower()):
        return ""
    return (
        f"is {'an' if short[0].lower() in 'aeio' else 'a'} {short}"
        if len(short.split()) <= 8
        else ""
    )


_FRAMES: tuple[tuple[Lazy, Callable[[str], str]], ...] = (
    (
        _NAME,
        lambda short: (
            f"is called {short[:1].upper()}{short[1:]}" if len(short.split()) <= 3 else ""
        ),
    ),
    (
        _FROM,
        lambda short: f"is from {short.removeprefix('from ')}" if len(short.split()) <= 5 else "",
    ),
    (_HOME, _place),
    (_JOB, _job),
    (_AGE, lambda short: f"is {short}" if re.match(r"\d", short) else ""),
    (_STUDY, lambda short: f"studies {short}" if len(short.split()) <= 6 else ""),
)


def _framed(short: str, asked: str) -> Clause | None:
    """The answer to "which …?" and "what … do you …?"."""
    if len(short.split()) > 12 or re.match(
        r"(?:no|not|don't|ok|sure|fine|good|thanks)\b", short, re.I
    ):
        return None
    doing = _WHAT_DO.search(asked)
    if (
        doing
        and "base" in forms_of(doing["verb"].lower())
        and doing["verb"].lower()
        not in ("think", "mean", "want", "need", "say", "reckon", "feel", "do")
    ):
        rest = doing["rest"].strip()
        if rest in ("from", "with", "on", "in", "at", "to", "for", "about"):
            return Clause("The user", USER, f"{third_person(doing['verb'].lower())} {rest} {short}")
        tail = (
            f" {rest}" if rest and not re.search(r"\byou", rest) and len(rest.split()) <= 4 else ""
        )
        return Clause("The user", USER, f"{third_person(doing['verb'].lower())} {short}{tail}")
    which = _WHICH.search(asked)
    if which and re.search(r"\w{3}", short):
        noun = which["noun"].strip().lower()
        if noun.split()[-1] in _NOT_OWNED or noun.split()[0] in ("happened", "brings", "kind"):
            return None
        plural = noun.endswith("s") and not noun.endswith("ss")
        return Clause(f"The user's {noun}", noun, f"{'are' if plural else 'is'} {short}", of=USER)
    return None


_NOT_OWNED = frozenset(
    """
    way thing things happened matter issue problem question mind one ones feature topic context
    vibe reason audience story mood
    """.split()
)


_WHEN_ARE = Lazy(
    r"\b(?:when|where|how long) are you (?P<verb>\w+ing)(?P<rest> (?:to|in|from|for|until))?\b",
    re.I,
)
_WHERE_DO = Lazy(
    r"\bwhere do you (?P<verb>work|study|teach|train|shop|bank|park|sleep|go to school)\b", re.I
)
_WHEN_IS = Lazy(r"\bwhen(?:'s| is| are) (?:your|the) (?P<noun>[\w' -]{2,30}?)\?", re.I)
_WHO_IS = Lazy(r"\bwho(?:'s| is) your (?P<noun>[\w' -]{2,25}?)\?", re.I)
_HOW_MANY = Lazy(
    r"\bhow many (?P<noun>(?!people|hours|days|times)[\w ]{3,25}?)(?: do you have| have you got"
    r"| are there)?\?",
    re.I,
)
_PREFER = Lazy(
    r"\b(?:do|would) you (?:prefer|rather|like) (?P<a>[\w' -]{2,30}?) or (?P<b>[\w' -]{2,30}?)\?",
    re.I,
)
_DIETARY = Lazy(r"\b(?:dietary|diet|eat|food)\b", re.I)
_ANY = Lazy(
    r"(?:^|[,.!] |\b(?:do you have|have you got|got|are there) )any (?:other |particular |special |specific )?"
    r"(?P<noun>(?:dietary |food |favou?rite |medical |health )?(?:pets|animals|kids|children|siblings|hobbies|injuries"
    r"|restrictions|requirements|preferences|conditions|constraints|dislikes|plans|experience))\b",
    re.I,
)
_HAD = frozenset("pets animals kids children siblings injuries conditions experience plans".split())
_THE = Lazy(
    r"\b(?:what|who|where|when)(?:'s| is) the (?P<noun>(?:[a-z]+ )?(?:occasion|budget|deadline|event|venue|theme|dress code"
    r"|destination|breed|model|goal|timeline|group size|diagnosis|due date|course|subject|recipient))\b[^?]{0,20}\?",
    re.I,
)
_ALLERGIES = Lazy(r"\ballerg(?:y|ies|ic)\b", re.I)


def _asked_about(short: str, asked: str) -> Clause | None:
    """The answer to "when are you going?", "how many students?", "do you prefer tea or coffee?"."""
    going = _WHEN_ARE.search(asked)
    if going and not re.match(r"(?:home|not|no)\b", short, re.I):
        rest = going["rest"] or (
            " in"
            if asked.lower().lstrip().startswith("where")
            and not re.match(r"(?:to|in|at|near|on)\b", short)
            else ""
        )
        return Clause("The user", USER, f"is {going['verb'].lower()}{rest} {short}")
    where = _WHERE_DO.search(asked)
    if where:
        at = "" if re.match(r"(?:at|in|from|for)\b", short) else "at "
        return Clause("The user", USER, f"{third_person(where['verb'].lower())} {at}{short}")
    when = _WHEN_IS.search(asked) or _WHO_IS.search(asked)
    if when and re.search(r"\w{2}", short):
        noun = when["noun"].lower()
        return Clause(
            f"The user's {noun}", noun, f"{'are' if noun.endswith('s') else 'is'} {short}", of=USER
        )
    many = _HOW_MANY.search(asked)
    if many and re.match(
        r"(?:about |around |like |only |just )?(?:\d|one|two|three|four|five|six|seven|eight|nine"
        r"|ten|a (?:few|couple|dozen))",
        short,
        re.I,
    ):
        return Clause("The user", USER, f"has {short} {many['noun'].lower()}")
    prefer = _PREFER.search(asked)
    if prefer:
        first = short.split(",")[0].strip().lower()
        if first and any(first in option.lower() for option in (prefer["a"], prefer["b"])):
            return Clause("The user", USER, f"prefers {first}")
    if (
        _ALLERGIES.search(asked)
        and len(short.split()) <= 10
        and not re.search(r"\b(?:allerg|no|none|not|halal|vegan|only)", short, re.I)
    ):
        return Clause(
            "The user",
            USER,
            f"is allergic to {re.sub(r'^(?:just|only|yes|mainly) ', '', short[:1].lower() + short[1:])}",
        )
    if _DIETARY.search(asked) and re.match(r"(?:any|no|every)thing |only |mostly ", short, re.I):
        return Clause("The user", USER, f"eats {short[:1].lower()}{short[1:]}")
    if (any_ := _ANY.search(asked)) and len(short.split()) <= 10:
        noun = any_["noun"].lower()
        if noun.split()[-1] in _HAD:
            return Clause("The user", USER, f"has {short[:1].lower()}{short[1:]}")
        if not re.match(r"(?:not|no|yes|sure|please)\b", short, re.I):
            return Clause(
                f"The user's {noun}", noun, f"are {short[:1].lower()}{short[1:]}", of=USER
            )
    if (the := _THE.search(asked)) and len(short.split()) <= 12:
        said = re.sub(r"^(?:my|our)\b", "the user's", short, flags=re.I)
        if not re.search(r"\b(?:my|our|me|i)\b", said, re.I):
            return Clause(f"The user's {the['noun']}", the["noun"], f"is {said}", of=USER)
    return None


_IS_YOUR = Lazy(
    r"\b(?:is|are) your (?P<noun>[a-z]+) (?P<rest>(?:(?!you\b|your\b|i\b|me\b)[a-z-]+ ?){1,3})\?",
    re.I,
)


def rest_of(text: str) -> str:
    """What a short answer goes on to say after the answer proper: `Seun, but …`, `no, I …`."""
    said = _YES.match(text) or _NO.match(text)
    if said:
        return str(said["rest"]).strip(" ,.")
    cut = re.split(r"\. |[!;]|, (?:well|but|so|just)\b", text, maxsplit=1)
    return cut[1].strip(" ,.") if len(cut) > 1 else ""


_AIM = Lazy(
    r"\b(?P<noun>(?:main |biggest |current |long[- ]term )?(?:goal|aim|target|dream|plan|ambition|priority|objective))s?\b"
    r"|\b(?:hoping|want|trying|looking|working) (?:to|towards?)\b",
    re.I,
)


def aimed(core: str, before: Sequence[Line]) -> Clause | None:
    """`run a marathon by May` after "What's your goal?": not a request but what the user wants."""
    found = _AIM.search(question_of(before))
    if not found or "base" not in forms_of(core.split()[0].lower() if core else ""):
        return None
    if len(core.split()) > _MOST_WORDS or re.search(
        r"\b(?:me|you|your|this|that|it|please)\b", core, re.I
    ):
        return None
    noun = (found["noun"] or "goal").lower()
    return Clause(f"The user's {noun}", noun, f"is to {core[:1].lower()}{core[1:]}", of=USER)


def _agreed(text: str, asked: str, scene: Scene) -> Clause | None:
    """`yep, still vegan` after "Are you still vegan?": the question as a statement."""
    yes, no = _YES.match(text), _NO.match(text)
    if not yes and not no:
        return None
    rest = bare(spelled((yes or no)["rest"]))  # type: ignore[index]
    if yes and rest and read_clause(rest, scene, USER, asked):
        return None
    if yes and len(rest.split()) > 3:
        return None
    if no and (thing := _IS_YOUR.search(asked)):
        so = f"is not {thing['rest']}"
        more = f", {rest}" if rest and not read_clause(rest, scene, USER, asked) else ""
        return Clause(f"The user's {thing['noun']}", thing["noun"], so + more, of=USER)
    being, doing, having = _ARE_YOU.search(asked), _DO_YOU.search(asked), _HAVE_YOU.search(asked)
    if being and "your" not in being["rest"]:
        return Clause("The user", USER, f"is {'' if yes else 'not '}{being['rest'].strip()}")
    if having and "your" not in having["rest"]:
        return Clause(
            "The user", USER, f"{'has' if yes else 'does not have'} {having['rest'].strip()}"
        )
    if (
        doing
        and "base" in forms_of(doing["verb"].lower())
        and not re.search(r"\b(?:you|your|them|it|that|this)\b", doing["rest"])
    ):
        verb = third_person(doing["verb"].lower())
        if no:
            ended = re.match(r"\W*not any ?more\b", text, re.I)
            verb = f"no longer {verb}" if ended else f"does not {doing['verb'].lower()}"
        what = re.sub(r"\bany\b", "some" if yes else "any", doing["rest"])
        return Clause("The user", USER, f"{verb}{what}")
    return None


__all__ = ["aimed", "answered", "chosen", "own_name", "question_of", "rest_of"]
