"""Which clauses say something worth keeping, and where one is several."""

from __future__ import annotations

import re

from loxodon.text.stopwords import ENGLISH
from loxodon.write.en.clauses import Clause
from loxodon.write.en.patterns import Lazy
from loxodon.write.en.person import ADVERBS
from loxodon.write.en.recognise import recognise
from loxodon.write.en.rules import Found
from loxodon.write.en.verbs import forms_of
from loxodon.write.statements import USER


def parts_of(clause: Clause) -> list[Clause]:
    """A clause with several verbs as several clauses where each says something of its own."""
    pieces = _AND.split(clause.predicate)
    if len(pieces) == 1:
        return [clause]
    parts = [clause._replace(predicate=piece.strip(" ,")) for piece in pieces]
    read = [recognise(part) for part in parts]
    if all(found.attribute or (found.act != "state" and found.over) for found in read):
        return parts
    return [clause]


_AND = Lazy(
    r"(?:,|,? (?:and|but))(?: also| now| then| still)? (?=(?:is|has|was|works|lives|loves|likes"
    r"|hates|plays|does|doesn't|can't|speaks|studies|runs|drives|uses|wants|moved|started"
    r"|takes|went|goes|has been|keeps|teaches|owns|eats|drinks|bought|got|sold|joined"
    r"|switched|quit|left|isn't|won't|never|cancelled|canceled|dropped|gave up|stopped|closed"
    r"|ended|deleted|ditched|starts|began|signed|adopted|retired|resigned|put)\b)"
)


_BLAND = Lazy(
    r"(?:hasn't|haven't|has not) (?:seen|heard|got|had) any|(?:is|are|was"
    r"|were) (?:all )?(?:fine|ok|okay|good|great|alright|lovely|nice"
    r"|brilliant)\b|(?:is|was|are|has been|were)(?: \w+)?$|(?:did|does|has|had|got|thinks?"
    r"|knows?|guess(?:es)?|means?|says?|said|sees?|feels?|tried|forgot|remembers?|wonders?"
    r"|hopes?)(?: (?:it|that|this|so|them|the maths|a lot|what|stuff))?$"
    r"|(?:didn't|doesn't|don't|can't|couldn't) (?:know|believe|think|remember|see|understand"
    r"|tell|wait|sleep|help|get|say|find|hear)\b"
    r"|(?:just )?(?:said|asked|told(?! the user (?:\w+ )?(?:to|not to) )|mentioned|meant|called|texted|emailed|saw"
    r"|heard|noticed|read that|clicked|tried|opened|typed|pasted|copied|checked|looked"
    r"|figured|wondered|burned|burnt|overslept|sobbed|cried|laughed|forgot|woke)\b"
    r"|(?:is|was) (?:asking|wondering|trying to figure|looking at|typing|talking|saying"
    r"|guessing|joking|staying$|waiting on|in the car|trying to figure|trying$)\b"
    r"|(?:is|was) (?:(?:so|very|pretty|quite) )?(?:not )?(?:sure|certain|all set|glad|excited|happy|open to|willing)\b"
    r"|had no idea\b"
    r"|(?:sounds?|looks?|seems?) (?:like )?(?:a |an |really |so |very |pretty |quite |absolutely )*(?:perfect|great|good"
    r"|nice|fun|lovely|interesting|amazing|awesome|delicious|ideal|cool|helpful|fine|right|cute|adorable|sweet"
    r"|beautiful|gorgeous|stunning|happy|incredible|wonderful|yummy|tasty|cosy|cozy|precious|peaceful)\b"
    r"|(?:(?:totally|completely|fully|really|definitely|absolutely|so|wholeheartedly) )*agrees?(?: with (?:it|that|this|them|him|her))?$"
    r"|is (?:copying|pasting|sending|typing|saving|printing|reading|trying|using|forwarding) (?:this|that|it|them|these)\b"
    r"|should (?:really |probably |just )?(?:go|get|do|be|start|stop|have)\b"
    r"|(?:used to|always|would always) say|always said|(?:is |was )?(?:just )?testing\b"
    r"|thinks? (?:she|he|it|they|that)\b|is going to (?:nap|sleep|bed|cry|eat|shower|lie|die"
    r"|go|try|see|be sick|scream)\b"
    r"|(?:can|could) (?:do|get|see|use|try|think|tell|imagine|have)\b|(?:will|would) (?:think"
    r"|try|see|do|say|check|ask|look|give|let|be)\b"
    r"|(?:went|came|put|got|made|goes|turned|keeps|kept) (?:\w+ ?){0,2}$|(?:needs"
    r"|wants) (?:this|it|that|a coffee|a drink|a nap|sleep|help)\b",
    re.I,
)


def is_worth(clause: Clause, found: Found, confidence: float, basis: str = "") -> bool:
    """Whether a clause says something worth keeping."""
    words = clause.predicate.split()
    if (
        _INVENTED.match(clause.subject)
        or _PASSING.match(clause.predicate)
        or _CLIENT.search(clause.content)
        or _POINTS.match(clause.predicate)
    ):
        return False
    if found.attribute in ("plan",) and clause.key == USER and _BLAND.match(clause.predicate):
        return False
    if clause.key != USER and _LITTLE_SCENE.match(clause.predicate):
        return False
    if clause.of == "??" and (found.attribute not in _OF_LOWER or not (found.value or found.over)):
        return False
    if clause.of == "the" and re.search(r"\d year old|\b(?:youngest|eldest|oldest)\b", clause.key):
        return bool(found.attribute) or len(words) >= 3
    if clause.of and clause.of != "?" and came_out(clause.predicate):
        return True
    if clause.of == "the":
        told = bool(re.match(r"(?!i\b)(?:.* )?(?:thinks?|reckons?|believes?|says?)$", basis, re.I))
        if re.match(
            r"(?:has )?(?:refused|rejected|approved|declined|accepted|offered|cancelled"
            r"|confirmed)\b",
            clause.predicate,
        ):
            return True
        if _TURNED_OUT.match(clause.predicate):
            return True
        mine = "the user" in clause.predicate
        dated = found.attribute in ("schedule", "price") or (
            found.act in ("change", "end") and bool(found.value or found.over)
        )
        if found.act == "end" and found.over:
            return True
        return not _BLAND.match(clause.predicate) and (
            (mine and len(words) > 3) or dated or (confidence < 1 and not told)
        )
    if found.act != "state":
        led = found.attribute in ("decision", "avoids") and " the user" in clause.predicate
        if clause.of == "?" and found.attribute not in _OF_STRANGERS and not led:
            return False
        return bool(found.attribute) or (bool(found.over or found.value) and clause.of != "?")
    if not clause.sure and found.attribute in ("plan", "habit", "uses", "owns", "hobby", "likes"):
        return False
    if found.attribute:
        return clause.of != "?" or found.attribute in _OF_STRANGERS
    if not clause.sure and re.match(r"is an? (?-i:[A-Z])", clause.predicate):
        return True
    if _STANDING.match(clause.predicate) or (
        clause.key == USER and _MANAGED.match(clause.predicate)
    ):
        return True
    if _does(clause, words) or (
        len(words) == 2 and words[0] in ("is", "are") and words[1] in _ORIENTED
    ):
        return True
    named = clause.of not in ("", "?", "??") and re.fullmatch(
        r"(?:is|are) ([a-z]{4,})", clause.predicate
    )
    if named and not _IDLE.fullmatch(named[1]) and not _ADJECTIVE.search(named[1]):
        return named[1] not in ENGLISH and not forms_of(named[1])
    solid = bool(
        re.search(r"\d|[A-Z]\w|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b", clause.predicate)
    )
    if clause.of == "?" and (
        "the user" in clause.predicate or (confidence < 1 and _LIFE.search(clause.predicate))
    ):
        return len(words) >= 3 and not _BLAND.match(clause.predicate)
    if not clause.sure and confidence < 1 and len(words) >= 3:
        return True
    if clause.key == USER and confidence < 1 and basis and len(words) == 2 and words[0] == "is":
        return not _IDLE.fullmatch(words[1])
    if (
        clause.of in ("?", "??")
        or not clause.sure
        or (
            _BLAND.match(clause.predicate)
            and not (solid and (clause.of or len(words) >= 6 or _WENT.match(clause.predicate)))
        )
    ):
        return False
    if len(clause.subject.split()) > 4 and len(words) >= 2:
        return True
    return len(words) >= (2 if solid else 3 if clause.stated or clause.key != USER else 4)


_CAME_OUT = Lazy(
    r"(?:is|are|was|were|has been|have been|got|has|have)(?: just| finally| now| already| been)?"
    r" (?:approved|denied|rejected|accepted|granted|refused|fixed|repaired|delivered|delayed|confirmed|postponed"
    r"|booked|finalised|finalized|renewed|extended|(?:planned|scheduled|set|booked|due) (?:for|on|in|at) \S)"
    r"|(?:came|has come) back (?:all )?(?:clear|negative|positive|normal|benign|fine|clean|inconclusive)\b",
    re.I,
)
"""How something came out that one has been waiting for."""


def _does(clause: Clause, words: list[str]) -> bool:
    """Whether a clause says in two words what someone does: `eats meat`, `plays golf`."""
    if len(words) != 2 or clause.of in ("?", "??", "the") or not clause.sure:
        return False
    verb, thing = words[0].lower(), words[1].lower()
    known = forms_of(verb)
    return "s" in known and known["s"] not in _SAYING and thing not in ENGLISH and (
        thing.isalpha() and len(thing) > 2 and not thing.endswith("ly") and thing not in ADVERBS
        and not {"past", "participle", "ing"} & set(forms_of(thing)) - set()
    )  # fmt: skip


_TURNED_OUT = Lazy(
    r"(?:will|is going to|are going to|is|are) (?:now )?(?:be |have )?.+\b(?:after all|instead)$",
    re.I,
)
"""What a thing will be that was to be something else."""
_MANAGED = Lazy(
    r"(?:has )?(?:passed|failed|won|graduated|qualified|completed) (?:(?:the|their|as) \w+|(?:first|second|third) time\b)",
    re.I,
)
"""What someone has achieved, or not."""
_STANDING = Lazy(
    r"is (?:an? )?(?:ex-[a-z]{3,}|between jobs|out of work|on benefits|on parole|homeless)\b", re.I
)
"""A state that tells of a life in two words."""
_ORIENTED = frozenset(
    "gay bi bisexual lesbian queer trans transgender nonbinary non-binary asexual straight".split()
)
_SAYING = frozenset(
    "say think know mean guess hope feel look seem sound agree see need want hear get tell ask".split()
)


def came_out(predicate: str) -> bool:
    """Whether a predicate tells how something came out, or for when it is set."""
    return _CAME_OUT.match(predicate) is not None


_ADJECTIVE = Lazy(r"(?:y|ing|ed|ful|ous|ive|al|ible|able|ent|ant|ic|ish|less|st)$|^(?:well|home|here|back|away|open"
                  r"|awake|asleep|alive|dead|huge|cute|nice|rude|late|poor|rich|full|free|cold|warm|clear|normal)$")  # fmt: skip
_WENT = Lazy(r"(?:went|came|put|got|made|goes|turned|keeps|kept)\b.*(?-i:[A-Z\d])")
_PASSING = Lazy(
    r"(?:has|has got) \d+ (?:minutes?|mins|hours?|seconds) (?:before|until|left|to)\b|is at \d+%|says? (?:error|access"
    r"|invalid)\b|(?:just |only )?(?:made|had|ate|drank|finished|poured) (?:an? |some |my |their )?(?:coffee|tea|lunch|dinner"
    r"|breakfast|snack|toast)$|(?:is|was) (?:sitting|standing|waiting|walking|lying|typing) (?:in|at|on|here|outside)\b"
    r"|hurts? (?:today|now|right now|so much)|(?:just )?(?:got|gets|keeps getting|is getting) (?:an?|this|the) (?:\w+ )?error\b"
    r"|(?:throws|crashes|fails|returns|raises|segfaults|won't (?:compile|run|build|start|load))\b|is so (?:stupid|dumb|tired|bored|hungry)\b|swears\b|(?:has|got) (?:an? |some )?leftover"
)
"""What will be gone within the hour."""
_LITTLE_SCENE = Lazy(
    r"(?:has )?just (?:knocked|thrown|threw|spilled|spilt|landed|flown|flew|jumped|bit|bitten|peed|puked|vomited|walked"
    r"|sat|climbed|stolen|stole|eaten|ate|licked|scratched|woken|woke|run|ran|burst|crashed into|fallen|fell|handed)\b"
    r"|(?:has )?(?:thrown|threw|spilled|spilt|knocked|sneezed|puked|vomited|peed) .*\b(?:at|on|over|onto) (?:the user|me)$"
    r"|(?:will|is going to|would|'ll) (?:(?:so|totally|absolutely|actually) )?(?:cry|laugh|flip|freak|die|scream|lose it|faint"
    r"|kill the user|(?:love|hate|like) (?:it|that|this|them|these|those))\b",
    re.I,
)
"""What someone or an animal has done this minute, or how they will take something."""
_IDLE = Lazy(
    r"right|wrong|fine|ok|okay|good|great|mad|crazy|silly|weird|funny|late|ready|lost|stuck|done|lucky|sure|better"
)
_OF_LOWER = frozenset(
    """
    home employer age school diet condition allergy major
    """.split()
)
"""The same for a word that is only guessed to be a name, as it is written small."""


_LIFE = Lazy(
    r"\b(?:leaving|moving|quitting|pregnant|married|engaged|proposing|propose|retiring|dating"
    r"|divorc\w+|promoted|fired|ill|dying)\b"
)
"""What people do in their lives: of a name nobody introduced, it is more than news."""


_INVENTED = Lazy(
    r"^The user's (?:next |main |first |last |other |only )?(?:question|point|guess|query|issue is|problem is) ?|^The (?:economy|government"
    r"|president|weather|world|internet|election|stock market|market|country|dollar|euro)\b"
    r"|^The user's (?:main |new )?(?:detective|protagonist|hero|heroine|villain|narrator|character"
    r"|antagonist|love interest|sidekick)\b"
)


_CLIENT = Lazy(
    r"^The user's (?i:[\w-]+ )?(?i:client|customer|patient|guest)s?\b"
    r"(?: (?:probably )?(?:wants?|needs?|asks?|asked|wanted)\b|(?!.*[A-Z\d]\w*.*)|.*\bhas\b)"
)


_POINTS = Lazy(
    r"(?:\w+ ){1,2}?(?:that one|this one|those|these|that|this|one|some|it all|it|any|the stuff)"
    r"(?:$|,| (?:every|again|now|too|in|on|at|for|to|with|yesterday|today|all)\b)"
    r"|(?:is|are) (?:not )?the user's\b|has (?:two|three|four|five|\d+)$|(?:is|was) there\b"
    r"|(?:has|had) been there\b|(?:lives|is|was) here\b",
    re.I,
)
"""Predicates that only point to something."""


_OF_STRANGERS = frozenset(
    """
    allergy condition diet age birthday school grade occupation employer home likes dislikes avoids
    medication pregnancy hometown plays schedule language hobby partner child pet plan major skill
    surgery injury living_with
    """.split()
)
"""What makes a name that nobody introduced someone of the user's, not someone in the news."""


__all__ = ["came_out", "is_worth", "parts_of"]
