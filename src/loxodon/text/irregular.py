"""English words whose forms the stemmer does not bring together. Pure data: form to base.

`bought` is to be found by `buy`, `children` by `child`, `colour` by `color`. Some forms are also
words of their own; each is decided by what it mostly is when people chat:

- taken as the form: `found` (find), `left` (leave), `saw` (see), `fell` (fall), `felt` (feel),
  `spoke` (speak), `broke` (break), `led` (lead), `won` (win), `thought` (think), `fed` (feed).
  To found, the left, a saw, LEDs are still found by their own word, only with company.
- left alone: `rose`, `wound`, `bore`, `born`, `lay`, `dove`, `ground`, `bound`, `bit`, `shot`,
  `sat` (Saturday), `stuck`, `leaves` (of absence, or leaves home), `lives` (in Berlin), `bases`,
  `axes`, `dice`, `better`, `worse`.
"""

from __future__ import annotations

_VERBS = """
awoke awake, awoken awake, ate eat, eaten eat, beaten beat, became become, began begin, begun begin,
bent bend, bitten bite, blew blow, blown blow, bought buy, bred breed, broke break, broken break,
brought bring, built build, burnt burn, came come, caught catch, chose choose, chosen choose,
clung cling, crept creep, dealt deal, drank drink, drawn draw, dreamt dream, drew draw,
driven drive, drove drive, drunk drink, dug dig, fallen fall, fed feed, fell fall, felt feel,
fled flee, flew fly, flown fly, forbade forbid, forbidden forbid, forgave forgive,
forgiven forgive, forgot forget, forgotten forget, fought fight, found find, froze freeze,
frozen freeze, gave give, given give, goes go, gone go, got get, gotten get, grew grow, grown grow,
heard hear, held hold, hid hide, hidden hide, hung hang, kept keep, knelt kneel, knew know,
known know, laid lay, leant lean, leapt leap, learnt learn, led lead, left leave, lent lend,
lit light, lost lose, made make, meant mean, met meet, mistaken mistake, mistook mistake,
misunderstood misunderstand, outgrew outgrow, overate overeat, overcame overcome,
overheard overhear, overslept oversleep, paid pay, proven prove, ran run, rang ring,
rebuilt rebuild, repaid repay, retold retell, rewritten rewrite, rewrote rewrite, ridden ride,
risen rise, rode ride, rung ring, said say, sang sing, sank sink, saw see, seen see, sent send,
sewn sew, shaken shake, shone shine, shook shake, shown show, shrank shrink, shrunk shrink,
slept sleep, slid slide, smelt smell, sold sell, sought seek, sped speed, spelt spell, spent spend,
spilt spill, spoilt spoil, spoke speak, spoken speak, sprang spring, sprung spring, spun spin,
stole steal, stolen steal, stood stand, struck strike, stung sting, sung sing, sunk sink,
swam swim, swept sweep, swollen swell, swore swear, sworn swear, swum swim, swung swing,
taken take, taught teach, thought think, threw throw, thrown throw, told tell, took take, tore tear,
torn tear, undergone undergo, understood understand, undertaken undertake, undertook undertake,
underwent undergo, undid undo, undone undo, went go, wept weep, withdrawn withdraw,
withdrew withdraw, woke wake, woken wake, won win, wore wear, worn wear, woven weave, wove weave,
written write, wrote write
"""

_NOUNS = """
alumni alumnus, analyses analysis, appendices appendix, bacteria bacterium, businessmen businessman,
businesswomen businesswoman, buses bus, cacti cactus, calves calf, children child,
craftsmen craftsman, crises crisis, criteria criterion, diagnoses diagnosis, elves elf,
feet foot, firemen fireman, fishermen fisherman, freshmen freshman, fungi fungus, gases gas,
geese goose, gentlemen gentleman, godchildren godchild, grandchildren grandchild, halves half,
hypotheses hypothesis, indices index, housewives housewife, knives knife, lenses lens, lice louse,
loaves loaf, matrices matrix, men man, mice mouse, midwives midwife, oases oasis, oxen ox,
phenomena phenomenon, policemen policeman, policewomen policewoman, postmen postman,
programme program, programmes program, quizzes quiz,
salesmen salesman, saleswomen saleswoman, scarves scarf, schoolchildren schoolchild,
shelves shelf, bookshelves bookshelf, snowmen snowman, stepchildren stepchild,
sportsmen sportsman, sportswomen sportswoman, syllabi syllabus, teeth tooth, theses thesis,
thieves thief, vertices vertex, wharves wharf, wives wife, wolves wolf, women woman,
workmen workman
"""

# One spelling for the two sides of the Atlantic. These are compared as stems, so that `colours` and
# `colouring` go with `colour`.
_SPELLINGS = """
aeroplane airplane, aluminium aluminum, anaemia anemia, analyse analyze, apologise apologize,
armour armor, behaviour behavior, catalogue catalog, centre center, colour color, cosy cozy,
criticise criticize, defence defense, diarrhoea diarrhea, dialogue dialog, doughnut donut,
favour favor, favourite favorite, fibre fiber, flavour flavor, gray grey, harbour harbor,
honour honor, humour humor, jewellery jewelry, kilometre kilometer, labour labor, licence license,
litre liter, metre meter, moustache mustache, mum mom, mummy mommy, neighbour neighbor,
neighbourhood neighborhood, offence offense, optimise optimize, organise organize,
paediatrician pediatrician, practise practice, pyjamas pajamas, realise realize,
recognise recognize, rumour rumor, sceptical skeptical, theatre theater, tumour tumor, tyre tire,
whisky whiskey, yoghurt yogurt
"""


def _table(block: str) -> dict[str, str]:
    pairs = (pair.split() for pair in block.split(","))
    return {form: base for form, base in pairs}  # noqa: C416  strict typing wants the two named


# The base of a form, both in small letters; the base is then stemmed as any word
BASES: dict[str, str] = _table(_VERBS) | _table(_NOUNS)

# Those of them that tell of what is over, or of what is done to somebody
PAST: frozenset[str] = frozenset(_table(_VERBS)) - {"goes"}

# The spelling that a word is searched by, for one that has two
SPELLINGS: dict[str, str] = _table(_SPELLINGS)
