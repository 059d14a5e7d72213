"""What a statement does to what was known, told by words that any sentence may have.

`endings` knows verbs that end or change something. Here is what holds whatever the verb: "now" and
"these days" say that it was otherwise before, "instead of" names what was, and some events end a
state without naming it: who has had her baby is no longer pregnant.
"""

from __future__ import annotations

import re

from loxodon.write.en.patterns import Lazy
from loxodon.write.en.person import ADVERBS
from loxodon.write.en.rules import realised, tidy
from loxodon.write.en.verbs import AUXILIARIES
from loxodon.write.en.words import PETS, as_set
from loxodon.write.statements import USER, Act, Statement

_NOW = Lazy(
    r"(?<!while )(?<!years )(?<!months )(?<!weeks )(?<!\bdays )(?<!year )\b(?:now(?!here)|these days|nowadays|from now on|from (?:today|tomorrow|next \w+)"
    r"|going forward"
    r"|from (?:january|february|march|april|may|june|july|august|september|october|november"
    r"|december)|as of \w+|finally|once again|instead|in the end|after all)\b(?! that)"
    r"|^has been \w+ing\b.* (?:lately|recently|since (?:the|my|their|his|her|a|an)\b.*)"
    r"|\b(?:back|up|down) to\b|\bback (?:on|in|into|with|at)\b|\bagain$",
    re.I,
)
"""Words that say that it was otherwise before."""
_LASTING = Lazy(
    r"The user (?:might|may|could|can|will|would|wants|needs|hopes|plans|feels|thinks|knows|gets it"
    r"|is (?:trying|looking|thinking|wondering|ready|fine|good|sure|happy|sad|tired|stuck))\b",
    re.I,
)
"""Sentences whose "now" is the moment, or only to come."""
_INSTEAD = Lazy(
    r"\b(?:instead of|rather than|in place of|in favou?r over) (?:a |an |the |their |my |going to "
    r"|going |using |doing |taking )*(?P<old>[\w&'. +#-]{2,40}?)"
    r"(?=$|[,;.]| now\b| because| since| for | in (?:the|order)| so | and | on | at | from )",
    re.I,
)
_NO_MORE = Lazy(
    r",? (?:and |so )?(?:no more|not|goodbye|bye bye) (?P<old>[\w&':. -]{3,30}?)"
    r"(?: for the user| any ?more)?$",
    re.I,
)
"""What a sentence ends with that says what it is instead of: `works days now, no more nights`."""
_NEW_ONE = Lazy(
    r"(?:has|got|hired|found|chose|picked|was given|was assigned)(?: been given)? (?:a|an|their|his"
    r"|her) new (?P<role>(?:[a-z]+ ){0,2}?[a-z]+)(?:,| called| named| is|$)",
    re.I,
)
_RESUMED = Lazy(
    r"(?:has )?(?:started|begun|began|taken up|took up|resumed|is back on|is back to|went back to"
    r"|has gone back to|got back into|is back into)(?: (?:doing|having|drinking|eating|playing|taking|going to"
    r"|smoking|using|a glass of|some|the|to))* (?P<old>[\w' -]{3,30}?)(?: again)?"
    r"(?=$|,| on | in | at | again| because| for | with )",
    re.I,
)
"""Something taken up that may have been given up before."""
_SAT = Lazy(
    r"(?:has )?(?:finally )?(?:passed|failed|aced|flunked|retook|resat|took|sat|got through|cleared)"
    r" (?:(?:the|their|his|her|a|an) )?(?P<old>(?:[\w-]+ ){0,3}?(?:test|exam|probation|trial|qualifying|exams|bar|viva|interview"
    r"|licence|license|finals|course|module|theory(?: test)?|IELTS|TOEFL|SAT|GRE|GCSEs?|A-levels?))\b",
    re.I,
)
"""An exam taken: what was said of it before is past."""
_MOVED_WITHIN = Lazy(
    r"(?:has |was |has been |got )?(?:moved|transferred|switched|changed|reassigned|promoted"
    r"|upgraded|downgraded)(?: over| up| down)? to (?:the |a |an )?(?:[\w-]+ )?(?P<old>team|room|desk"
    r"|ward|class|group|department|shift|branch|unit|floor|division|squad|gate|seat|line|tariff"
    r"|stream|campus|office)\b",
    re.I,
)
_CAUSES = Lazy(
    r"(?P<born>\bhad (?:a|her|his|their|the|our) (?:[\w-]+ ){0,3}?(?:baby|twins|girl|boy|son"
    r"|daughter)\b|\bgave birth\b|\b(?:baby|girl|boy|son|daughter|twins) (?:was|were|is) (?:born"
    r"|here)\b)"
    r"|(?P<apart>\b(?:divorced?|separated|separating|splitting up|split up|broken? up|broke up)\b|\b(?:returned|gave back|took off) the (?:engagement |wedding )?ring\b)"
    r"|(?P<wed>\b(?:got|just) (?:married|hitched)\b|\btied the knot\b)"
    r"|(?P<paired>\b(?:seeing|dating) (?:someone|a (?:guy|girl|man|woman)|(?!Dr|Mr|Mrs|Ms|Miss|Prof)(?-i:[A-Z]))|\b(?:has|have|got) (?:a|an)"
    r" (?:new )?(?:girlfriend|boyfriend|partner)\b|\bin a relationship\b|\bmet someone\b)"
    r"|(?P<graduated>\bgraduated\b|\bfinished (?:uni|university|college|school|(?:their|his|her)"
    r" (?:degree|masters?|phd|studies))\b|\bgot (?:their|his|her) degree\b)"
    r"|(?P<sight>\b(?:had|got|did) (?:lasik|laser eye|eye surgery))"
    r"|(?P<own>\b(?:got|found|rented|bought|has|moved into) (?:their|his|her) own (?:apartment|flat|place"
    r"|house|studio|home)\b)"
    r"|(?P<joined>\bmoved in(?: with the user|$))"
    r"|(?P<conceived>\b(?:is|got|was) (?:\w+ )?pregnant\b|\bis expecting\b)"
    r"|(?P<home>\b(?:came|is|has come|got|back) home(?!-)|\b(?:discharged|out of hospital|home from (?:the )?hospital|left hospital)\b)"
    r"|(?P<hired>\b(?:got|found|landed|started|has) (?:a|an|the|their|his|her) (?:new )?"
    r"(?:[\w-]+ )?job\b|\bgot hired\b)"
    r"|(?P<meat>\b(?:eat|eats|eating|ate|back on) (?:meat|chicken|fish|beef|bacon|dairy|cheese"
    r"|eggs)\b)"
    r"|(?P<pet>\b(?:adopted|got|rescued|bought) (?:a|an|two|our|their) (?:[\w-]+ ){0,2}?(?:cat"
    r"|kitten|dog|puppy|rabbit|hamster|parrot)(?=$|,| called| named| from| last| and | in | on | today))",
    re.I,
)
_ENDED_BY: dict[str, tuple[str, ...]] = {
    "born": ("pregnant", "expecting", "having a baby", "due in"),
    "apart": ("married", "engaged", "husband", "wife", "dating"),
    "wed": ("girlfriend", "boyfriend", "fiancé", "fiancée", "fiance", "engaged", "single"),
    "paired": ("single",),
    "graduated": ("studying", "majoring", "student", "undergraduate", "final year"),
    "home": ("in hospital", "in the hospital", "hospital", "icu", "deployed", "in rehab"),
    "hired": ("unemployed", "out of work", "job hunting", "looking for work", "between jobs"),
    "meat": ("vegetarian", "vegan", "pescatarian", "plant-based"),
    "pet": ("any pets", "no pets"),
    "joined": ("lives alone", "living alone", "lives by"),
    "conceived": ("trying for a baby", "trying to conceive", "trying for another"),
    "sight": ("glasses", "contacts", "contact lenses"),
    "own": ("lives with", "living with", "lives at home", "roommate", "flatmate"),
}
"""What is over once something of the kind has happened; words that memories of it have."""


def effective(statement: Statement, predicate: str) -> Statement:
    """`statement` with what it changes, where its words say so and its verb did not."""
    if statement.act in ("end", "correct") and statement.over:
        return _with_causes(statement, predicate)
    instead = _INSTEAD.search(predicate)
    if instead and (old := tidy(instead["old"])):
        statement = statement._replace(act="change", over=(*statement.over, old))
    elif named := _named_over(statement, predicate):
        statement = statement._replace(act="change", over=(*statement.over, named))
    elif statement.subject != USER and _DOSE.search(predicate):
        over = (*statement.over, statement.subject)
        statement = statement._replace(act="change", over=over)
    elif (
        statement.act == "state"
        and statement.positive
        and _NOW.search(predicate)
        and not _LASTING.match(statement.content)
    ):
        statement = statement._replace(act="change")
    if statement.act == "state" and (given_up := _given_up(predicate)):
        return statement._replace(act="end", over=(given_up,), positive=False)
    if statement.act == "state" and statement.positive and alters(predicate):
        statement = statement._replace(act="change")
    if statement.act == "state" and (levels := _other_levels(statement.content)):
        statement = statement._replace(act="change", over=levels)
    return _with_causes(statement, predicate)


_ALTERING = frozenset(
    """
    moved moving migrated migrating switched switching changed changing swapped swapping replaced
    replacing upgraded upgrading downgraded rewrote rewriting rewritten ported porting converted
    converting transitioned refinanced renewed relocated relocating transferred transferring
    rescheduled postponed bumped raised lowered upped increased decreased reduced extended shortened
    shifted pushed slipped jumped climbed rose risen fell fallen crept gained doubled tripled halved
    promoted demoted reassigned redid redone rebuilt rebuilding renamed rebranded revised adjusted
    settled opted chose picked downsized
    remarried resat redecorated repainted rehomed rebooked updated exceeded surpassed topped
    """.split()
)
"""Verbs that say of anything that it is otherwise than before."""
_SMALL = ADVERBS | AUXILIARIES | {"got", "gotten", "been", "had", "to"}


def alters(predicate: str) -> bool:
    """Whether the verb of a predicate says that something is otherwise than before."""
    words = re.findall(r"[\w'-]+", realised(predicate).lower())[:6]
    verb = next((word for word in words if word not in _SMALL), "")
    if verb in _ALTERING:
        return not {"will", "would", "might", "can", "could"} & set(words[:1])
    return _ARRIVED_AT.match(predicate) is not None


_ARRIVED_AT = Lazy(
    r"(?:has |is |was |just |have |are )*(?:went|gone|going|came|come|coming|dropped|dropping|grew"
    r"|grown|shrank|cut|brought|taken|took|put|hit|reached|passed|broke|crossed|lost|up|down)"
    r"(?: \w+){0,3}? ?(?:(?:up|down|back|out|in) )?(?:to|at|below|above|under|over|past)? ?[$£€]?\d",
    re.I,
)
"""Another number arrived at: `went down to 12`, `hit 40k`, `came back at 118`."""
_NOT_TO_BE = Lazy(
    r"(?:won't|will not|isn't|is not|aren't|are not|can't|cannot|couldn't)(?: be)?"
    r"(?: (?:able|going) to)? (?:\w+ing|come|go|make|attend|join|do|have|host|run|get|buy|move)"
    r"(?: to| for| in| with| on)? (?:(?:the|a|an|their|his|her|this|that) )?"
    r"(?P<old>[\w&' -]{3,40}?)(?=$|,|;| after all| this | next | in | on | because| since| until"
    r"| any ?more| now| due)",
    re.I,
)
_NOT_LATELY = Lazy(
    r"(?:hasn't|has not|haven't)(?: really| even| actually)? (?:been (?:to|on|in|doing|playing)|been"
    r"|\w+ed|gone to|gone|done|had|seen|drunk|eaten|taken|read|run|swum|ridden|written)"
    r"(?: to| on| in| at)? (?:(?:the|a|an|any|their|my) )?(?P<old>[\w&' -]{3,30}?) (?:in|for)"
    r" (?:over |about |nearly |almost |a few |a couple of |several |like )?(?:\w+ )?(?:weeks|months"
    r"|years|ages|a while|a long time|a month|a year|forever)",
    re.I,
)


def _given_up(predicate: str) -> str:
    """What a sentence says will not be, or has not been for long: `won't be running Chicago`."""
    if found := _NOT_LATELY.match(predicate):
        return tidy(found["old"])
    if re.search(
        r"\b(?:after all|any ?more|now|this year|until)\b", predicate
    ) or predicate.startswith(("won't be ", "will not be ")):
        found = _NOT_TO_BE.match(predicate)
        return tidy(found["old"]) if found else ""
    return ""


_LEVEL = Lazy(
    r"\b(?P<level>[ABC][12])\b(?=.*?\b(?P<after>(?-i:[A-Z])[a-z]+))|(?P<before>(?-i:[A-Z])[a-z]+)"
    r" (?:is )?(?:now )?(?:at )?(?P<level2>[ABC][12])\b",
    re.I,
)
_PASSED_LEVEL = Lazy(r"\b(?:passed|got|has|reached|at) (?:the |their |a )?([ABC][12])\b", re.I)
_LEVELS = ("A1", "A2", "B1", "B2", "C1", "C2")


def _other_levels(content: str) -> tuple[str, ...]:
    """The levels of a language that who has this one is no longer at."""
    found = _LEVEL.search(content)
    if found is None:
        passed = _PASSED_LEVEL.search(content)
        return _LEVELS[: _LEVELS.index(passed[1].upper())] if passed else ()
    level, tongue = found["level"] or found["level2"], found["after"] or found["before"]
    return tuple(f"{one} {tongue}" for one in _LEVELS if one != level.upper())


_DOSE = Lazy(
    r"\b(?:\w+ed|put|cut|up|down|gone|went|now)\b.*\b\d+(?:\.\d+)? ?(?:mg|mcg|ml|units|puffs)\b",
    re.I,
)
"""Another amount of a medicine."""


_NEW_HOLDER = Lazy(
    r"The user's new (?P<role>[a-z' -]{3,25}?) (?:is|will be) |.* is the user's new (?P<role2>[a-z' -]{3,25})$"
)
"""Who has come in the place of someone: `the user's new nanny is Ines`."""


def _named_over(statement: Statement, predicate: str) -> str:
    """What a sentence names that was otherwise before, by one of several turns of phrase."""
    if statement.act not in ("state", "change") or not statement.positive:
        return ""
    for pattern in (_RESUMED, _SAT, _MOVED_WITHIN):
        if found := pattern.match(predicate):
            return tidy(found["old"])
    if found := _NEW_HOLDER.match(statement.content):
        return str(found["role"] or found["role2"])
    if (found := _NEW_ONE.match(predicate)) and found["role"].split()[-1] not in _NO_ROLE:
        return found["role"]
    last = _NO_MORE.search(predicate)
    return tidy(last["old"]) if last and statement.act == "change" else ""


_NO_ROLE = as_set(PETS) | {
    "friend", "baby", "brother", "sister", "cousin", "niece", "nephew", "song", "book", "recipe",
    "thing", "one", "idea", "house", "home", "hobby", "job", "family", "start", "life",
}  # fmt: skip


def _with_causes(statement: Statement, predicate: str) -> Statement:
    found = _CAUSES.search(f"{statement.subject} {predicate}")
    if found is None or (not statement.positive and found.lastgroup != "apart"):
        return statement
    if found.lastgroup == "apart" and statement.over and not found[0].endswith("ring"):
        return statement  # it says from whom
    over = (*statement.over, *_ENDED_BY[found.lastgroup or ""])
    act: Act = "change" if statement.act == "state" else statement.act
    own = statement.content.startswith(f"The user's {statement.subject} ") and (
        statement.subject in ("divorce", "wedding", "graduation", "baby")
    )
    subject = USER if own else statement.subject
    return statement._replace(act=act, over=tuple(dict.fromkeys(over)), subject=subject)


__all__ = ["alters", "effective"]
