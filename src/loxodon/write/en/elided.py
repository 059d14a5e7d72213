"""Clauses whose subject or verb was left out, completed: "been off work", "vegan btw".

In chat, English drops "I am", "I have", "my … is". What is left tells which: a verb form, a state,
a job, an illness, a number of children, a refusal ("no pork"). The answer is whom it is about and
a predicate that begins with its verb, still in the first person's words.
"""

from __future__ import annotations

import re
from functools import cache

from loxodon.write.en.labels import Completed, article, counted, described, due, labelled
from loxodon.write.en.patterns import Lazy
from loxodon.write.en.person import ADVERBS
from loxodon.write.en.scene import Scene
from loxodon.write.en.verbs import AUXILIARIES, Form, forms_of, is_noun_too
from loxodon.write.en.words import (
    CONDITION_ADJECTIVES,
    CONDITIONS,
    DIETS,
    JOBS,
    LANGUAGES,
    MEDICINES,
    NATIONALITIES,
    alternatives,
    as_set,
)  # fmt: skip
from loxodon.write.statements import USER


def completed(text: str, scene: Scene, running: str, asked: str) -> Completed | None:
    """Whom `text` (bare, with no subject of its own) is about, and its predicate."""
    text = text.strip(" .!,;:-")
    words = text.split()
    if not words or len(words) > 40 or running == "?":
        return None
    if lasted := _SO_LONG.match(text):
        return USER, f"{'have' if lasted['of'] else 'am'} {text}"
    if life := _job_life().match(text):
        return USER, f"am {article(life['role'])} {life['role']}"
    if asked and re.search(r"\bwould you\b", asked) and "base" in forms_of(words[0].lower()):
        return None
    for rule in (labelled, counted, _refused, _state, _job, _ill, due, described, _verb):
        found = rule(text, scene, running, asked)
        if found:
            return found
    return None


# --- labels ---------------------------------------------------------------------------------------


# --- numbers of people ----------------------------------------------------------------------------


# --- refusals -------------------------------------------------------------------------------------

_FOODS = """
    meat pork beef chicken lamb fish seafood shellfish prawns shrimp crab egg eggs dairy milk cheese
    butter cream yoghurt yogurt gluten wheat bread pasta rice nuts peanuts peanut almonds cashews
    walnuts sesame soy soya tofu garlic onion onions mushrooms mushroom tomatoes tomato aubergine
    eggplant coriander cilantro olives peppers chilli chillies spicy_food spice sugar salt honey
    caffeine coffee tea alcohol wine beer gelatine gelatin red_meat processed_food fast_food carbs
    potatoes corn beans lentils celery mustard lupin sulphites fruit citrus bananas strawberries
    kiwi avocado pineapple coconut paneer ghee bacon ham sausages chocolate sweets crisps cake
"""


@cache
def _no() -> re.Pattern[str]:
    return re.compile(
        rf"(?:still\s+)?no\s+(?P<more>more\s+)?(?P<what>{alternatives(_FOODS)}(?:(?:,| or"
        rf"| and|, or|,? and)\s+(?:no\s+)?{alternatives(_FOODS)})*)"
        r"(?!-)(?P<rest>\b.*)",
        re.I,
    )


_NOTHING = frozenset(
    """
    idea ideas worries worry problem problems rush proof time clue luck way thanks sleep reply
    answer change news date need point doubt wonder one pressure offence offense judgement regrets
    spoilers names
    """.split()
)
_NO_MORE = Lazy(
    r"no more (?P<what>[\w' -]{2,40}?)(?: for (?:me|us))?(?: ever again| anymore"
    r"| ever)?(?P<tail>,.*)?$",
    re.I,
)
_NONE_UNTIL = Lazy(
    r"no (?P<what>(?!more\b|one\b)[a-z-]+(?: [a-z-]+)?) (?:till|until|before|unless) \w+ ?\w+", re.I
)
"""What has to wait: `no dog until there's a garden`."""
_WISHES = Lazy(
    r"(?P<only>(?!not\b|the only|always\b|never\b|usually\b|often\b)[a-z][\w' -]{2,30}?) only(?: now| please)?(?:,.*)?"
    r"|always (?P<always>[\w' -]{2,25})|no (?P<no>[\w-]+(?: [\w-]+)?)(?: ever| please)?",
    re.I,
)
"""A taste in two words: `trains only`, `always decaf`, `no techno`."""


def _refused(text: str, scene: Scene, running: str, asked: str) -> Completed | None:
    """`no pork, halal only`, `no more gluten for me`, `still no eggs`."""
    key = (
        running
        if running != USER and scene.find(running) and text.lower().startswith("still")
        else USER
    )
    found = _no().match(text)
    if found:
        rest = found["rest"].strip(" ,.")
        rest = re.sub(r"\b(?:for me|ever again|ever|please|either|again)\b", "", rest).strip(" ,")
        verb = (
            "drink"
            if found["what"].lower().split()[0] in ("coffee", "tea", "alcohol", "wine", "beer")
            else "eat"
        )
        if found["what"].lower().startswith("caffeine"):
            verb = "have"
        no = "no longer" if found["more"] else "don't" if key == USER else "doesn't"
        still = "still " if text.lower().startswith("still") else ""
        if found["more"] and key != USER:
            verb += "s"
        if re.match(r"(?:at the|in the (?:shop|house|fridge)|left|here|there)\b", rest):
            return None
        cause = re.match(r"(?:after|before|in|on|because|since|as|during|when|or)\b", rest)
        said = f"{still}{no} {verb} {found['what']}"
        diet = re.search(rf"\b({alternatives(DIETS)})\b", rest, re.I)
        if diet and not cause:
            return (
                key,
                f"{said} and {'am' if key == USER else 'is'} "
                f"{diet[1]}{' only' if 'only' in rest else ''}",
            )
        return key, f"{said} {rest}".strip() if cause else said
    wish = _WISHES.fullmatch(text)
    if (
        wish
        and key == USER
        and not re.search(r"\b(?:i|my|you|is|are|was|the|it|recipes?)\b", text, re.I)
    ):
        if (
            wish["no"]
            and wish["no"].split()[-1].lower() not in _NOTHING
            and (asked == "wish" or text.lower().endswith(" ever"))
        ):
            return USER, f"want no {wish['no']}"
        if wish["only"] and not forms_of(wish["only"].split()[0].lower()):
            return USER, f"only want {wish['only']}"
        if wish["always"] and not forms_of(wish["always"].split()[0].lower()):
            return USER, f"always want {wish['always']}"
    until = _NONE_UNTIL.match(text)
    if until and until["what"].split()[-1].lower() not in _NOTHING:
        return USER, f"want {text}"
    more = _NO_MORE.match(text)
    if more and not re.search(r"\b(?:questions?|time|room|messages?|of)\b", more["what"]):
        return USER, f"no longer have {more['what']}"
    return None


# --- states ---------------------------------------------------------------------------------------

_STATE = """
    allergic_to intolerant_to terrified_of scared_of afraid_of obsessed_with addicted_to hooked_on
    into single married divorced separated widowed engaged retired pregnant unemployed jobless
    self_employed self-employed freelance freelancing based_in born_in raised_in originally_from
    from back_in back_at living_in located_in stuck_in new_to fluent_in good_at bad_at rubbish_at
    interested_in sick_of tired_of keen_on fond_of due_in due_on due_mid due expecting
    diagnosed_with recovering_from booked_on booked_in signed_up_for signed_up enrolled_in
    engaged_to married_to responsible_for in_charge_of head_of on_leave on_maternity_leave
    on_sabbatical off_sick off_work part_time part-time full_time full-time halfway_through
    not_married not_vegan not_vegetarian not_allergic_to not_religious not_keen_on not_a_fan_of
    not_a_big_fan_of not_a_huge_fan_of not_the_biggest_fan_of big_fan_of huge_fan_of not_into
    halfway nearly_done_with partly_retired semi-retired semi_retired left-handed right-handed
    between_jobs out_of_work on_benefits on_probation on_parole snowed_in housebound homeless
"""


@cache
def _states() -> re.Pattern[str]:
    own = alternatives(_STATE + CONDITION_ADJECTIVES + DIETS)
    lead = (
        r"(?:(?:not|no longer|also|still|just|only|now|currently|recently|happily|newly|totally"
        r"|fully|strictly|mostly|severely|mildly|really|very|pretty"
        r"|deathly|absolutely|a bit|extremely"
        r"|officially|proper|t1|t2|type 1|type 2|red[- ]green)\s+)*"
    )
    return re.compile(rf"{lead}(?P<state>{own})(?![\w-])(?!'s)(?P<rest>.*)", re.I | re.S)


_DAYS_AT = Lazy(
    r"(?:back (?:up |down )?to )?(?P<n>(?:\d|two|three|four|five"
    r"|six) days(?: a week)?)(?: (?P<where>in the office|from home|on site|at work|remote"
    r"|a week))?(?P<rest>.*)",
    re.I,
)
_HERE = Lazy(r"\s+(?:here|btw|myself|too|as well)(?=$|,)", re.I)
_PREPOSITION = Lazy(
    r"(?P<where>(?:no longer |not |still |now )?(?:in|at|near|outside|just outside|up in"
    r"|down in|over in|out in|with) (?-i:[A-Z])[\w' .,&-]{1,60}|on (?:a|an|the) (?:zero hours"
    r"|fixed[- ]term|student|work|skilled|h1b|h-1b|spouse|tourist) .*"
    r"|(?:down|up|back) to \d.*|back (?:on|at|in|with) (?:the )?[\w' -]{3,30}"
    r"|on \d+ ?m[cg]g?\b.*|off (?P<off>[\w' -]{2,30}?) now|on (?-i:[A-Z])[\w. -]{1,25} now|on (?P<med>[a-z]+ine"
    r"|[a-z]+pril|[a-z]+sartan"
    r"|[a-z]+statin)\b.*)",
    re.I,
)


def _state(text: str, scene: Scene, running: str, asked: str) -> Completed | None:
    """`vegan`, `allergic to cats`, `originally from Lund`, `off notion now`."""
    text = _HERE.sub("", text)
    key = running if running != USER and scene.find(running) else USER
    verb = "am" if key == USER else "is"
    year = re.fullmatch(
        r"(?P<n>first|second|third|fourth|final|\d(?:st|nd|rd|th)) year (?P<rest>(?:at|of|student"
        r"|doing|in|studying)\b.*)",
        text,
        re.I,
    )
    if year and not re.match(r"of (?:the|my)", year["rest"]):
        return USER, f"am in {year['n']} year {year['rest']}"
    days = _DAYS_AT.fullmatch(text)
    if days and (days["where"] or text.lower().startswith("back")):
        where = f" {days['where']}" if days["where"] else ""
        back = "back to " if text.lower().startswith("back") else ""
        return USER, f"am {back}{days['n']}{where}{days['rest']}"
    found = _states().fullmatch(text)
    if found:
        rest = found["rest"]
        if re.match(
            r"\s+(?:recipes?|food|stuff|options?|meals?|dishes|place|restaurant|version"
            r"|suggestions?)\b",
            rest,
        ):
            return None
        state = found["state"].lower()
        if state in ("from", "into", "due", "back in") and not re.search(r"\w", rest):
            return None
        if state == "from" and not re.match(r"\s+(?-i:[A-Z])", rest):
            return None
        if state == "married" and not rest and asked:
            return key, f"{verb} married"
        return key, f"{verb} {text}"
    placed = _PREPOSITION.fullmatch(text)
    if placed:
        if placed["off"]:
            return key, f"{verb} off {placed['off']} now"
        return key, f"{verb} {text}"
    return None


# --- jobs and illnesses ---------------------------------------------------------------------------

_SO_LONG = Lazy(
    r"(?:nearly |almost |over |about |just )?(?:\d+|an?|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen"
    r"|twenty|thirty) (?:days|weeks|months|years)"
    r" (?:(?P<of>of (?!the\b|this\b|it\b)\w|as an? )|sober\b|clean\b|single\b|smoke[- ]free\b|post[- ]?op\b"
    r"|post[- ]?partum\b|into (?:the|my|an?|our)\b|out of (?!stock)\w|married\b)",
    re.I,
)
"""How long something has gone on, by itself: `six months sober`, `ten years of night shifts`."""
_DOERS = (
    "grower keeper maker player tuner smoker drinker sleeper sleepwalker runner walker hiker climber swimmer cyclist rower"
    " fosterer collector brewer weaver knitter widow widower orphan stonemason signalman vegetarian twitcher birder angler"
    " surfer skier gamer sculptor breeder grandparent fan speaker teetotaller expat immigrant refugee introvert insomniac"
    " night_owl mum mom dad mother father parent"
)
"""Nouns of what one is besides a job; who writes one and nothing else is it."""
_EX = Lazy(r"(?:ex|former)[- ](?!wife|husband|partner|boyfriend|girlfriend|boss)[a-z]{3,}", re.I)


@cache
def _job_life() -> re.Pattern[str]:
    return re.compile(rf"(?P<role>(?:\w+ )?{alternatives(JOBS)}) life\b", re.I)


@cache
def _jobs() -> re.Pattern[str]:
    job = (
        rf"(?:{alternatives(JOBS + _DOERS)}|\w{{3,}}(?:ologist|ographer|grapher)|beginner|newbie|noob"
        r"|first[- ]timer|introvert|extrovert|night owl|morning person|single (?:mum|mom|dad"
        r"|parent)|mum of \w+|mom of \w+|dad of \w+|father of \w+|mother of \w+)"
    )
    return re.compile(
        rf"(?P<lead>(?:a|an|the)\s+)?(?P<role>(?:[\w'+#*/.-]+\s+){{0,4}}?{job})(?![\w'])"
        r"(?P<rest>(?:\s+(?:here|at|in|for|on|by|of|from|with|to|and|until|since|working"
        r"|based|now|life)\b.*|,.*|\s*\(.*)?)$",
        re.I | re.S,
    )


_NO_ROLE = Lazy(
    r"\b(?:my|our|your|his|her|their|i|you|we|he|she|they|it|the|this|that|is|are|was|no|not"
    r"|for|with|to|of|any|some|how|what|new|best|good|gift|and)\b"
    r"|'s\b(?! apprentice)",
    re.I,
)


def _job(text: str, scene: Scene, running: str, asked: str) -> Completed | None:
    """`electrician, self employed`, `night porter at Ritz`, `keen beginner at chess`."""
    if (was := _EX.match(text)) and not asked and re.match(r"$|,| here\b", text[was.end() :]):
        doer = was[0].split("-")[-1].lower() in as_set(JOBS + _DOERS)
        return USER, f"am {'an ' if doer else ''}{text}"
    found = _jobs().fullmatch(text)
    if not found or _NO_ROLE.search(found["role"]):
        return None
    if asked not in ("", "wish") and not re.search(
        r"\b(?:do|work|job|occupation|profession|study|role)\b", asked
    ):
        return None
    rest = re.sub(r"^\s+(?:here|life)\b", "", found["rest"])
    words = found["role"].split()
    first = words[0].lower()
    alone = not found["rest"].strip() and not found["lead"]
    if (
        forms_of(first)
        and len(words) > 1
        and first
        not in (
            "complete",
            "retired",
            "practising",
            "travel",
            "train",
            "test",
            "design",
            "claims",
            "data",
            "student",
            "support",
            "research",
            "project",
            "product",
            "junior",
            "senior",
            "lead",
            "account",
            "bus",
            "police",
            "sales",
            "finance",
        )
    ):
        return None
    if alone and not (asked or len(words) > 1 or len(text.split()) == 1):
        return None
    if re.search(r"^\s*,?\s*(?:wants?|is|are|was|said|says|needs?|has|will|just|keeps?)\b", rest):
        return None
    key = running if running != USER and scene.find(running) and not asked else USER
    verb = "am" if key == USER else "is"
    return key, f"{verb} {article(found['role'])} {found['role']}{rest}"


@cache
def _illness() -> re.Pattern[str]:
    return re.compile(
        r"(?P<what>(?:(?:mild|severe|bad|chronic|early|stage \d|type \d|a|an|the|seasonal"
        r"|terrible|really bad|nut|peanut|egg|milk|dairy|fish|shellfish|wheat|soy|sesame"
        r"|latex|penicillin|pollen|dust|cat|dog|bee|food|tree nut|gluten|lactose)\s+)*"
        rf"(?:{alternatives(CONDITIONS)}|allergy|intolerance))(?P<rest>(?:\s+(?:since|for"
        r"|from|on|in|too|after|mainly|mostly)\b.*|[,.].*)?)",
        re.I | re.S,
    )


@cache
def _medicine() -> re.Pattern[str]:
    return re.compile(
        rf"(?P<what>{alternatives(MEDICINES)})(?P<rest>(?:\s+(?:\d+ ?(?:m[cg]g?)?|every|each"
        r"|twice|once|daily|at|in|for|since)\b.*|,.*)?)",
        re.I | re.S,
    )


def _ill(text: str, scene: Scene, running: str, asked: str) -> Completed | None:
    """`nut allergy too`, `dementia`, `antihistamine every day`."""
    key = running if running != USER and scene.find(running) else USER
    have = "have" if key == USER else "has"
    found = _illness().fullmatch(text)
    if found:
        what = re.sub(r"\s+too\b", "", text)
        article = ""
        if re.search(r"(?:allergy|intolerance)$", found["what"], re.I) and not re.match(
            r"an? ", text, re.I
        ):
            article = "an " if text[0].lower() in "aeiou" else "a "
        return key, f"{have} {article}{what}"
    if _medicine().fullmatch(text) and len(text.split()) > 1:
        return key, f"{'take' if key == USER else 'takes'} {text}"
    language = re.fullmatch(rf"({alternatives(LANGUAGES)})(,? (?:and|&|,) .*)", text, re.I)
    if language and re.search(r"language|speak", asked):
        return USER, f"speak {text}"
    nation = re.fullmatch(alternatives(NATIONALITIES), text, re.I)
    return (USER, f"am {text}") if nation and asked else None


# --- verbs ----------------------------------------------------------------------------------------

_NOT_USER = frozenset(
    """
    rained snowed poured back
    bit is are was were be being does sounds seems looks feels works goes depends means makes helps
    turned turns went-on worked helped let lets see saw looked sounded seemed felt happened guess
    wish thank thanks sorry bet hope suppose imagine say said been-there agreed understood noted
    kidding joking love-it speaking considering regarding depending talking nothing something
    anything everything morning evening during according including fucking freaking fishing
    respect agree disagree appreciate
    """.split()
)


def _verb(text: str, scene: Scene, running: str, asked: str) -> Completed | None:
    """`moved to Leeds`, `been off work`, `learning Korean`, `can't stand wine`."""
    words = text.split()
    at = 0
    while (
        at < len(words) - 1
        and words[at].lower().strip(",") in ADVERBS | {"not", "finally", "have"}
        and at < 3
    ):
        if words[at].lower() == "have":
            break
        at += 1
    lead, verb = [word.lower() for word in words[:at]], words[at].lower().strip(",.!:")
    rest = words[at + 1 :]
    forms = forms_of(verb) or _unlisted(verb)
    other = running if running != USER and scene.find(running) else ""
    if running != USER and f"the user's {running}" in scene.things:
        other = f"the user's {running}"
    if verb in (
        "am",
        "can't",
        "cannot",
        "don't",
        "haven't",
        "didn't",
        "won't",
        "couldn't",
        "had",
        "have",
        "will",
        "must",
        "should",
        "wasn't",
        "might",
        "may",
        "could",
    ):
        if not rest or (verb in ("wasn't", "should")):
            return None
        return USER, " ".join([*lead, verb, *rest])
    if (
        verb == "was"
        and rest
        and (_AFTER_WAS & {rest[0].lower()} or "ing" in forms_of(rest[0].lower()))
    ):
        return other or USER, " ".join([*lead, verb, *rest])
    if verb in ("doesn't", "hasn't", "isn't", "has") and other and rest:
        return other, " ".join([*lead, verb, *rest])
    aged = verb == "turned" and rest and (rest[0][:1].isdigit() or rest[0].lower() == "down")
    goes_on = "s" in forms and other
    if (
        not forms
        or (verb in _NOT_USER and not aged and not goes_on)
        or (verb in AUXILIARIES and verb != "been")
    ):
        return None
    if not rest and not (verb in ("retired", "divorced", "graduated", "qualified") or asked):
        return None
    said = " ".join([verb, *rest])
    before = " ".join(lead) + " " if lead else ""
    if verb == "been":
        return other or USER, f"{'has' if other else 'have'} {before}been {' '.join(rest)}"
    if "not" in lead and "ing" not in forms:
        return None
    if "ing" in forms and verb == words[at].lower().strip(",.!"):
        if len(rest) == 0 or rest[0].lower() in ("is", "was", "are", "has"):
            return None
        return USER, f"am {before}{said}"
    if (
        verb in _UNDERGONE
        and rest
        and rest[0].lower() not in ("a", "an", "the", "my", "our", "his", "her")
    ):
        return other or USER, f"was {before}{said}"
    if "past" in forms and rest and rest[0].lower() in ("me", "us") and not other:
        if verb not in _DONE_TO_ONE:
            return None
        return USER, f"was {before}{verb} {' '.join(rest[1:])}"
    if "past" in forms and not (
        "base" in forms and verb not in ("quit", "put", "cut", "split", "hit")
    ):
        return other or USER, f"{before}{said}"
    if "participle" in forms and "base" not in forms:
        return other or USER, f"{'has' if other else 'have'} {before}{said}"
    if (
        "s" in forms
        and other
        and rest
        and rest[0].lower() not in ("for", "of", "is", "are", "and", "that")
    ):
        return other, f"{before}{said}"
    sure = (
        not is_noun_too(verb)
        or verb in _RATHER_VERBS
        or lead
        or (rest and rest[0].lower() in _AFTER_VERB)
    )
    if "base" in forms and verb != "last" and sure:
        return USER, f"{before}{said}"
    return None


_UNDERGONE = frozenset(
    "diagnosed prescribed referred promoted sacked evicted hospitalised hospitalized discharged dumped".split()
)
"""What is done to one: who says "diagnosed at 30" was."""
_AFTER_WAS = frozenset(
    "born raised diagnosed told offered made asked given supposed in at on a an up off out".split()
)


def _unlisted(verb: str) -> dict[Form, str]:
    """A verb that is in no list, told by its ending: `binned`, `shifted`."""
    if len(verb) < 5 or not verb.isalpha() or not verb.endswith("ed") or verb in _ADJECTIVES:
        return {}
    return {"past": verb[:-2], "participle": verb[:-2]}


_ADJECTIVES = frozenset(
    """
    tired bored excited annoyed indeed naked sacred wicked hundred kindred confused interested
    worried scared stressed shocked surprised disappointed embarrassed amazed exhausted relieved
    frustrated overwhelmed related based supposed unexpected limited mixed fried baked grilled
    roasted smoked boiled frozen used detailed advanced thrilled delighted overjoyed pleased
    """.split()
)
_DONE_TO_ONE = frozenset(
    """
    put swapped switched moved prescribed referred diagnosed promoted fired hired offered sent
    laid rejected accepted invited scammed dumped ghosted evicted sacked transferred discharged
    """.split()
)
_RATHER_VERBS = frozenset(
    """
    drink love need work play watch use cook run study visit travel hate keep live wear
    """.split()
)
_AFTER_VERB = frozenset(
    """
    in at on for with to a an the my our no some as from by two three every 20 it
    """.split()
)

__all__ = ["completed"]
