"""English verbs: which word is a form of one, and the third person of each.

The list need not be whole: what is not in it is told by its ending where that is safe. It serves
to find where a clause has its verb, and to turn "I work" into "the user works".
"""

from __future__ import annotations

from functools import cache
from typing import Literal

Form = Literal["base", "s", "past", "participle", "ing"]

AUXILIARIES = frozenset(
    """
    am is are was were be been being have has had do does did will would shall should can could may
    might must isn't aren't wasn't weren't haven't hasn't hadn't don't doesn't didn't won't wouldn't
    shan't shouldn't can't cannot couldn't mightn't mustn't needn't ain't
    """.split()
)
MODALS = frozenset(
    """
    will would shall should can could may might must won't wouldn't shan't shouldn't can't cannot
    couldn't mightn't mustn't needn't
    """.split()
)
_THIRD = {
    "am": "is", "are": "is", "were": "was", "have": "has", "do": "does", "don't": "doesn't",
    "haven't": "hasn't", "aren't": "isn't", "weren't": "wasn't", "ain't": "isn't",
    "'m": "is", "'re": "is", "'ve": "has", "need": "needs", "dare": "dares",
}  # fmt: skip

_REGULAR = """
    disband dissolve fizzle peter terrify accept ache achieve act adapt add admire adopt adore afford agree aim allow annoy answer
    apologise appear apply appreciate argue arrange arrive ask assist attend avoid back bake bathe
    battle beg behave believe belong blame bleach blog board boil book bore borrow bother bounce
    brew brush burn cancel care carpool carry cause celebrate change charge chase chat check chew
    choreograph claim clash clean climb close coach code collect combine comment commute compete
    complain complete compose compost concern confirm connect consider consult contract contribute
    control convert cook cope correct count cover crack crash crave create crochet cross cry cure
    cycle dance date deal debug decide decline declutter decorate defend delay delete deliver
    depend deploy deserve design despise destroy detest develop diagnose dip direct disagree
    discover discuss dislike ditch dive divorce donate double doubt download draft dread dress
    drop dump earn edit educate email embroider emigrate employ encourage end enjoy enlist enrol
    enroll ensure enter escape establish estimate evict exercise exist expect experience explain
    explore export face fail faint fancy farm fast fear ferment file fill film finish fish fix
    focus fold follow forage force foster free freelance function gain game gamble garden
    gather graduate grill grind groom guess guide hack handle hang happen hate head heal help hike
    hire hit hope host hug hunt identify ignore illustrate imagine immigrate import improve
    include increase inherit injure insist install intend interview introduce invest invite
    involve iron jog join journal judge juggle jump keep kick kill kiss knit knock lack land last
    laugh launch learn lease lecture lift like limit link list listen live loathe lock lodge log
    long look love lower lug major manage march mark marry matter measure mediate meditate
    memorise mend mentor mess migrate mind miss mix monitor move mow murder name need negotiate
    network nurse obey object observe offer open operate oppose order organise organize outsource
    overcome overdose own pack paint paraglide park part participate pass paste pause perform
    permit phone photograph pick pickle place plan plant play plead please podcast point polish
    post postpone pour practice practise pray prefer prepare present press pretend prevent print
    process produce program promise promote propose protect prove provide publish pull pump punch
    purchase push qualify question queue race rain raise reach react realise realize receive
    reckon recognise recommend recover recycle reduce refactor refer refuse register regret reject
    relapse relax release rely relocate remain remember remind remove renew renovate rent repair
    replace reply report represent request require rescue research resent reserve resign resist
    respect respond rest restart retire retrain return reuse review revise rewrite roast rock roll
    row ruin rush sail sauna save scan scare schedule score scrap scream scuba search seem
    separate serve service settle sew share ship shop shout show sign ski skate skip sketch slip
    smell smoke smile snack sneeze snore sort sound specialise specialize spell spill split
    sponsor sprain squat stack start stay step stitch stock stop store stream stretch struggle
    study subscribe succeed suffer suggest suit supervise supply support suppose surf survive
    suspect swap switch talk taper taste test text thank tidy tie tolerate touch tour track trade
    train translate transfer trash travel treat trip trust try tune turn tutor twist type undergo
    unsubscribe update upgrade upload use vape visit volunteer vomit vote wait walk wake want warn
    wash waste watch water weigh whisper wish wonder work worry worship wrap yell
    nuke wind chuck ban restore click
    flog ring swim relocate rehearse dictate rotate celebrate raise supervise rip dethrone shave
    grab nab snag bag ace flunk smash nail crush yank zap zip spawn rock-climb freelance co-own
    co-run job-share house-sit babysit kayak bike box bowl fence forget commission consult invoice
    onboard prototype provision containerise dockerise benchmark reckon tend tick transcribe trek
    trial troubleshoot tweak vet wean whittle wire zone sub sit-up supplement swim bike bum camp
    caddie canoe cater chair channel chant cheer clerk breastfeed budget bulk cram crew cull cut
    drum dye embark enforce exhibit fly-fish forage franchise fundraise gig glaze graze
    home-educate homeschool hoover hop host hustle incubate intern irrigate invent jam jar lapse
    lay-off liaise magnetise manufacture milk moonlight nap overhaul pilot plough plumb plaster
    reopen repeal overturn revoke rescind abolish weave sleepwalk stammer stutter busk preach preside procrastinate prune purl quilt rear recruit rehearse retake rig roster rotate
    rough scaffold sculpt season shadow shear shoot skimp slum sow spar spin-off stargaze sublet
    subcontract swot temp till tile tinker top totter tow trap upcycle weld whisk
"""
_IRREGULAR = """
    be was been | have had had | do did done | go went gone | get got got | make made made
    take took taken | come came come | see saw seen | know knew known | think thought thought
    say said said | tell told told | find found found | give gave given | feel felt felt
    leave left left | put put put | mean meant meant | keep kept kept | let let let
    begin began begun | show showed shown | hear heard heard | run ran run | bring brought brought
    write wrote written | sit sat sat | stand stood stood | lose lost lost | pay paid paid
    meet met met | set set set | lead led led | understand understood understood
    speak spoke spoken | read read read | spend spent spent | grow grew grown | win won won
    teach taught taught | buy bought bought | send sent sent | build built built
    fall fell fallen | cut cut cut | sell sold sold | drive drove driven | break broke broken
    wear wore worn | eat ate eaten | drink drank drunk | sleep slept slept | sing sang sung
    ride rode ridden | fly flew flown | draw drew drawn | choose chose chosen | rise rose risen
    swim swam swum | throw threw thrown | catch caught caught | fight fought fought
    hold held held | hit hit hit | hurt hurt hurt | quit quit quit | cost cost cost | bet bet bet
    become became become | forget forgot forgotten | hide hid hidden | bite bit bitten
    freeze froze frozen | steal stole stolen | wake woke woken | tear tore torn | sow sowed sown
    swear swore sworn | shake shook shaken | sink sank sunk | ring rang rung | spin spun spun
    stick stuck stuck | strike struck struck | lend lent lent | bend bent bent | feed fed fed
    breed bred bred | bleed bled bled | shoot shot shot | shut shut shut | split split split
    spread spread spread | lay laid laid | lie lay lain | dig dug dug | burst burst burst
    sweep swept swept | weep wept wept | deal dealt dealt | dream dreamt dreamt
    learn learnt learnt | burn burnt burnt | spell spelt spelt | smell smelt smelt
    knit knitted knitted | sew sewed sewn | mow mowed mown | shear sheared shorn
    overcome overcame overcome | overhear overheard overheard | rebuild rebuilt rebuilt
    rewrite rewrote rewritten | retake retook retaken | undergo underwent undergone
    withdraw withdrew withdrawn | babysit babysat babysat | oversleep overslept overslept
    forbid forbade forbidden | forgive forgave forgiven | kneel knelt knelt | leap leapt leapt
    hang hung hung | light lit lit | seek sought sought | sell-out sold-out sold-out
    dump dumped dumped | die died died | tie tied tied | born bore born | sublet sublet sublet
    upset upset upset | wed wed wed | bid bid bid | cast cast cast | shrink shrank shrunk
    breastfeed breastfed breastfed | rid rid rid | spring sprang sprung | swing swung swung
"""

_NOUNS_TOO = frozenset(
    """
    act aim answer back bank bike board book bowl box budget camp care cause chair change channel
    charge check code coach comment concern contract control cook count cover crew cut cycle dance
    date deal design doubt dress drop drum email end exercise experience face farm fear file film
    fish focus function game garden grill group guide hand head help home hope host hug intern
    iron journal judge jam jar kick lack land launch lease lecture lift limit link list lock lodge
    log look love march mark matter mind mix monitor name need network nurse object offer order
    pack paint park part pass paste pause phone photograph pickle pilot place plan plant play
    podcast point polish post practice present press print process produce program promise pump
    punch purchase push question queue race rain reach report request rescue research reserve
    respect rest return review rock roll row run ruin sail sauna save scan schedule score scrap
    search season service set shadow share ship shop show sign skate sketch slip smell smoke smile
    snack sort sound spell split sponsor squat stack start stay step stitch stock stop store
    stream stretch struggle study suit supplement supply support surf suspect swap switch talk
    taste temp test text till tile top total touch tour tow track trade train transfer trap trash
    travel treat trial trip trust try tune turn tutor twist type update upgrade use vet visit vote
    wait walk wash waste watch water wire work worry wrap zone break build buy cast catch cost
    draw dream drink drive fall feed feel fight find fly hit hold hurt keep lead lie light meet
    mean pay put read ride ring rise say sing sit sleep spin spread stand stick strike swim throw
    wake wear win bit left
    """.split()
)
"""Bases that are as often nouns: after a noun they are no sign of a verb by themselves."""

_VOWELS = frozenset("aeiou")


def _third(base: str) -> str:
    if base.endswith(("s", "x", "z", "ch", "sh")) or base == "go" or base == "undergo":
        return base + "es"
    if base.endswith("y") and base[-2:-1] not in _VOWELS:
        return base[:-1] + "ies"
    return base + "s"


def _doubles(base: str) -> bool:
    """Whether the last letter is doubled before -ed and -ing: stop, plan, prefer."""
    if len(base) < 3 or base[-1] in "wxyaeiou" or base[-2] not in _VOWELS or base[-3] in _VOWELS:
        return False
    return sum(letter in _VOWELS for letter in base) == 1 or base in (
        "prefer", "refer", "regret", "cancel", "travel", "admit", "commit", "permit", "unplug",
        "enrol", "transfer", "control", "program", "pedal", "model", "label", "quarrel", "patrol",
    )  # fmt: skip


def _ed(base: str) -> str:
    if base.endswith("e"):
        return base + "d"
    if base.endswith("y") and base[-2:-1] not in _VOWELS:
        return base[:-1] + "ied"
    return base + base[-1] + "ed" if _doubles(base) else base + "ed"


def _ing(base: str) -> str:
    if base in ("die", "lie", "tie"):
        return base[0] + "ying"
    if base.endswith("e") and not base.endswith(("ee", "oe", "ye")) and base != "be":
        return base[:-1] + "ing"
    doubled = _doubles(base) or base in ("run", "get", "put", "set", "sit", "cut", "quit", "win")
    return base + base[-1] + "ing" if doubled else base + "ing"


@cache
def _forms() -> dict[str, dict[Form, str]]:
    """Every form, with what it can be, and the base of each."""
    found: dict[str, dict[Form, str]] = {}

    def note(word: str, form: Form, base: str) -> None:
        found.setdefault(word, {}).setdefault(form, base)

    for line in _IRREGULAR.replace("\n", "|").split("|"):
        if line.strip():
            base, past, participle = line.split()
            note(base, "base", base)
            note(past, "past", base)
            note(participle, "participle", base)
            note(_third(base), "s", base)
            note(_ing(base), "ing", base)
    for base in _REGULAR.split():
        known = "base" in found.get(base, {})
        note(base, "base", base)
        note(_third(base), "s", base)
        note(_ing(base), "ing", base)
        if not known or base in ("learn", "burn", "spell", "smell", "dream"):
            note(_ed(base), "past", base)
            note(_ed(base), "participle", base)
        if base.endswith("el") or base == "enrol":  # travelled and traveled
            note(base + "ed", "past", base)
            note(base + "led", "past", base)
            note(base + "ling", "ing", base)
            note(base + "ing", "ing", base)
    for word in ("is", "has", "does"):
        found.pop(word, None)
    return found


def forms_of(word: str) -> dict[Form, str]:
    """What forms `word` (lower case) can be, each with its base; empty for no verb known."""
    return _forms().get(word, {})


def is_finite(word: str) -> bool:
    """Whether `word` can be the verb of a clause after a noun: an auxiliary, -s or past form."""
    if word in AUXILIARIES:
        return word not in ("be", "been", "being")
    forms = forms_of(word)
    if "past" in forms:
        return True
    return "s" in forms and forms["s"] not in _NOUNS_TOO


@cache
def _participles() -> dict[str, str]:
    return {forms["participle"]: word for word, forms in _forms().items() if "participle" in forms}


def participle_of(word: str) -> str:
    """The past participle of a verb in any form; the word itself where none is known."""
    base = next(iter(forms_of(word).values()), word)
    return _participles().get(base, word)


@cache
def _pasts() -> dict[str, str]:
    return {forms["past"]: word for word, forms in _forms().items() if "past" in forms}


def past_of(base: str) -> str:
    """The past form of a verb; empty where none is known."""
    return _pasts().get(base, "")


def is_noun_too(base: str) -> bool:
    return base in _NOUNS_TOO


_PAST_RATHER = frozenset(
    """
    put read cut hit set quit split shut bet
    """.split()
)
"""Past forms that look like the base; who says "I quit" tells of the past."""


def third_person(word: str) -> str:
    """The form of a verb that goes with "the user"; past forms and modals stay as they are."""
    lower = word.lower()
    if lower in _THIRD:
        return _THIRD[lower]
    if lower in AUXILIARIES:
        return lower
    forms = forms_of(lower)
    if "base" in forms and not ("past" in forms and lower in _PAST_RATHER):
        return _third(lower)
    return word


__all__ = [
    "AUXILIARIES",
    "MODALS",
    "Form",
    "forms_of",
    "is_finite",
    "is_noun_too",
    "participle_of",
    "past_of",
    "third_person",
]
