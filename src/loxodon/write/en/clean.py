"""From how people type to plain English: spelling of chats, fillers, asides.

`plain` changes only how characters are written, `spelled` how words are, `bare` takes away what
says nothing: "ok so um", "btw", "lol", emoji. None of them changes what is said.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from loxodon.text.steps import charge
from loxodon.write.en.patterns import Lazy
from loxodon.write.en.verbs import AUXILIARIES, forms_of
from loxodon.write.en.words import MONTHS, RELATIONS, WEEKDAYS, alternatives, as_set

_CHARACTERS = str.maketrans(
    {"’": "'", "‘": "'", "ʼ": "'", "`": "'", "“": '"', "”": '"', "…": "...", "\u00a0": " "}
    | dict.fromkeys(map(ord, "\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\ufe0f"), "")
    | {0x2014: " - ", 0x2013: "-"}
)
_EMOJI = Lazy(
    "[\u2190-\u21ff\u2300-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff\U000e0000-\U000e007f]+"
)
_SMILEY = Lazy(r"(?<!\w)(?:[:;=]['`-]?[)(DPpOo/\\|3]+|<3+|\^_?\^|[xX]{2,}|[xX]D)(?!\w)")
_SPACE = Lazy(r"\s+")

_SPELLINGS = {
    "im": "i'm", "ive": "i've", "dont": "don't", "cant": "can't", "wont": "won't",
    "isnt": "isn't", "arent": "aren't", "wasnt": "wasn't", "werent": "weren't",
    "doesnt": "doesn't", "didnt": "didn't", "havent": "haven't", "hasnt": "hasn't",
    "hadnt": "hadn't", "couldnt": "couldn't", "wouldnt": "wouldn't", "shouldnt": "shouldn't",
    "thats": "that's", "whats": "what's", "wheres": "where's", "hows": "how's", "whos": "who's",
    "theres": "there's", "heres": "here's", "hes": "he's", "shes": "she's", "theyre": "they're",
    "theyve": "they've", "weve": "we've", "youre": "you're", "youve": "you've", "youll": "you'll",
    "theyll": "they'll", "itll": "it'll", "thatll": "that'll", "aint": "ain't",
    "gonna": "going to", "gonnae": "going to", "gon": "going to", "wanna": "want to",
    "gotta": "have to", "hafta": "have to", "tryna": "trying to", "finna": "going to",
    "outta": "out of", "lotta": "lot of", "kinda": "kind of", "sorta": "sort of",
    "dunno": "don't know",
    "gimme": "give me", "lemme": "let me", "u": "you", "ur": "your", "r": "are", "n": "and",
    "bc": "because", "cos": "because", "coz": "because", "cuz": "because", "'cause": "because",
    "becos": "because", "becuz": "because", "w/o": "without", "w/": "with", "wo": "without",
    "tho": "though", "thru": "through", "rn": "right now", "atm": "at the moment", "abt": "about",
    "yrs": "years", "yr": "year", "hrs": "hours", "mins": "minutes", "wks": "weeks",
    "mths": "months",
    "ppl": "people", "tmrw": "tomorrow", "tmr": "tomorrow", "2moro": "tomorrow", "2nite": "tonight",
    "tonite": "tonight", "bday": "birthday", "b'day": "birthday", "hubs": "husband",
    "hubby": "husband", "gf": "girlfriend", "bf": "boyfriend", "fav": "favourite",
    "fave": "favourite", "favrite": "favourite", "favorit": "favourite", "favourit": "favourite", "mum-in-law": "mother-in-law", "mom-in-law": "mother-in-law",
    "til": "until", "till": "until", "'til": "until", "xmas": "Christmas", "defo": "definitely",
    "def": "definitely", "prob": "probably", "probs": "probably", "prolly": "probably",
    "govt": "government", "dept": "department", "appt": "appointment", "uni": "uni",
    "me'self": "myself", "meself": "myself", "ya": "you", "yous": "you", "y'all": "you",
    "okey": "ok", "plz": "please", "pls": "please", "thx": "thanks", "ty": "thanks",
    "enginer": "engineer", "apartement": "apartment", "recieve": "receive",
    "definately": "definitely",
    "alergic": "allergic", "allergie": "allergy", "vegeterian": "vegetarian", "tuesdy": "tuesday",
    "wensday": "wednesday", "wednsday": "wednesday", "febuary": "february", "i'am": "i am",
    "doin": "doing", "goin": "going", "livin": "living", "workin": "working", "tryin": "trying",
    "gettin": "getting", "lookin": "looking", "thinkin": "thinking", "needa": "need to",
    "em": "them", "'em": "them", "cuppa": "cup of tea", "hv": "have", "tht": "that", "wud": "would",
    "shud": "should", "cud": "could", "bcz": "because", "coworker": "coworker", "mam": "mam",
    "ma'am": "ma'am", "fiancee": "fiancée", "wld": "would", "msg": "message", "tmrrw": "tomorrow",
    "trukcs": "trucks", "sept": "september", "w": "with", "wk": "week", "nxt": "next",
    "too.": "too.", "dr": "Dr", "mr": "Mr", "mrs": "Mrs",
}  # fmt: skip
_ITS = Lazy(
    r"\bits(?= (?:a|an|the|not|so|too|very|really|my|our|been|just|still|also|all|only|called"
    r"|for|in|on|at|due"
    r"|going|getting|about|like|hard|good|bad|great|fine|ok|nice|ancient|old|new|\w+ing)\b)"
    r"|^its(?= [A-Za-z]+[.!]?$)",
    re.I,
)
_CAUSE = Lazy(r"\bcause(?= (?:my|i|i'm|it|it's|the|he|she|they|we|half|our|of)\b)", re.I)
_CLEFT = Lazy(
    r"^what i (?P<how>(?:really|absolutely|mostly|truly|also) )?(?P<verb>love|like|hate|enjoy|play|eat"
    r"|drink|study|teach|collect|miss|fear|dread|prefer|can't stand)(?: most| the most)? is (?P<what>\S)",
    re.I,
)
"""`what I love is baking`: I love baking."""
_PHASE = Lazy(
    r"^((?:my |our )?[\w-]+(?: [A-Z][\w-]+)?)'s ([a-z-]+?)s? (?:phase|craze|obsession|mania|stage|era|fad)"
    r"(?: is| has|'s)? (?:over|done|died|passed|ended|finished|gone|dead|history)(?: (?:now|finally|with|and gone))*$",
    re.I,
)
"""`Mira's horse phase is over`: she is over horses."""


def _grown_out(found: re.Match[str]) -> str:
    who = found[1]
    named = " " not in who and who.lower() not in as_set(RELATIONS)
    return f"{who.capitalize() if named else who} is over {found[2]}s"


_BRED = Lazy(r"^((?-i:[A-Z])[\w-]+(?: (?-i:[A-Z])[\w-]+)?) born and (?:bred|raised)\b", re.I)
_BIT_OF = Lazy(r"^bit of a(?=n? )", re.I)
_MYSELF = Lazy(r"^(?:(?:hi|hello|hey)[,.!]? )?myself (?=[A-Z][a-z]+(?:$|[ ,.]))", re.I)
_DOUBLED = Lazy(
    r"^((?:ok |so |and |basically )*(?:my|our) (?:(?:big|little|old|older|younger|best|ex|eldest|youngest) )?[a-z-]+"
    r"(?: (?-i:[A-Z])\w+)?),? (?:he|she|they)(?= (?:is|has|was|does|\w+s)\b)",
    re.I,
)
"""`my husband he drives a truck`: the pronoun says the subject again."""
_CLEFT_DO = Lazy(
    r"^what i (?:actually |really |in fact )?do(?: for (?:a living|work))? is (?:i )?(?=\w)", re.I
)
_RENTS = Lazy(
    r"\b(rent|boiler|landlord|mum|dad|mom|boss|car|train|wife|husband|flight|wedding|contract"
    r"|lease)s(?= (?:going|been|gone|due|up|off|cancelled|called|coming|leaving|a|an|not|in"
    r"|on)\b| [£$€]?\d)",
    re.I,
)
_ILL = Lazy(
    r"^(ill|id)(?= [a-z]+)|(?<=[,;.] )(ill|id)(?= [a-z]+)|(?<=\byeah )(ill|id)(?= [a-z]+)", re.I
)
_WORD = Lazy(r"[\w'/][\w'/-]*")
_STRESS = Lazy(r"(?<!\w)[*_~]{1,2}(\w[^*_~\n]{0,60}?)[*_~]{1,2}(?!\w)")


@cache
def _swappable() -> frozenset[str]:
    """Words that a slip of two letters is put right to: teh, jsut, gilrfriend, spetember."""
    common = (
        "the and just from with have that this they what when where your because about work live"
        " moved good hello there their engineer allergic married birthday school house"
    )
    long_ones = {word for word in as_set(RELATIONS + MONTHS + WEEKDAYS) if len(word) > 5}
    return frozenset(common.split()) | long_ones


_LONGEST_WORD = 20
_REAL_WORDS = frozenset(
    ("form", "fro", "whit", "hose", "then", "them", "thy", "diary", "angle", "three", "sue")
)


def _unswapped(word: str) -> str:
    """`word`, or the common word it is with two neighbouring letters exchanged."""
    if not 3 <= len(word) <= _LONGEST_WORD or word in _REAL_WORDS or not word.isalpha():
        return word
    for i in range(len(word) - 1):
        swapped = word[:i] + word[i + 1] + word[i] + word[i + 2 :]
        if swapped != word and swapped in _swappable():
            return swapped
    return word


def plain(text: str) -> str:
    """Straight quotes, single spaces, no emoji."""
    charge(len(text))
    text = text.translate(_CHARACTERS)
    if not text.isascii():
        text = _EMOJI.sub(" ", text)
    return _SPACE.sub(" ", text).strip()


@lru_cache(maxsize=512)
def spelled(text: str) -> str:
    """`text` (plain) with the spelling of chats written out."""
    text = _STRESS.sub(r"\1", _SMILEY.sub(" ", text))
    text = _short_days(_ITS.sub("it's", text))
    text = _ME_MUM.sub("my ", _MISSUS.sub(r"\1 wife", text))
    text = _CAUSE.sub("because", text)
    text = _put_straight(text)
    text = _RENTS.sub(r"\1's", text)
    text = _ILL.sub(lambda found: "i'll" if found[0].lower() == "ill" else "i'd", text)
    text = _SPACE.sub(" ", _WORD.sub(_word, text)).strip()
    return _TITLED.sub(lambda found: found[1] + found[2].upper(), text)


_MISSUS = Lazy(r"\b(my|the) (?:mrs|missus|missis)\b(?! [A-Z])", re.I)
_ME_MUM = Lazy(
    r"(?<!give )(?<!tell )(?<!send )(?<!show )\bme (?=(?:mum|mam|dad|da|nan|mate|mates|brother|sister|wife|husband|gran|son"
    r"|daughter|boss|car|house|job|knee|back|phone)\b)",
    re.I,
)
_SHORT_DAY = Lazy(r"\b(?:mon|tues?|weds?|thu(?:rs?)?|fri|sat|sun)\b(?!['.-]\w)", re.I)
_ONE_DAY = Lazy(
    r"\b(?<=on |by )(?:mon|tues?|weds?|thu(?:rs?)?|fri|sat|sun)\b(?= |$|[,.!?])|\b(?:tues|weds|thurs?)\b",
    re.I,
)
_LONG_DAYS = {
    "mo": "monday", "tu": "tuesday", "we": "wednesday", "th": "thursday", "fr": "friday",
    "sa": "saturday", "su": "sunday",
}  # fmt: skip


def _short_days(text: str) -> str:
    """`text` with `tues and thurs` written out; one short word alone may be another (`sun`)."""
    several = len(_SHORT_DAY.findall(text)) > 1
    return (_SHORT_DAY if several else _ONE_DAY).sub(
        lambda day: _LONG_DAYS[day[0][:2].lower()], text
    )


_TITLED = Lazy(r"\b((?:Mr|Mrs|Ms|Miss|Dr)\.? )([a-z])(?=[a-z]{2})")


def _put_straight(text: str) -> str:
    """`text` with its beginning in the usual order: `what I love is tea`, `my husband he drives`."""
    lower = text[:40].lower()
    if "'s " in lower:
        text = _PHASE.sub(_grown_out, text)
    if lower.startswith("what i "):
        return _CLEFT_DO.sub("i ", _CLEFT.sub(r"i \g<how>\g<verb> \g<what>", text))
    if "myself " in lower:
        return _MYSELF.sub("i'm ", text)
    if lower.startswith("bit of a"):
        return _BIT_OF.sub("i'm a bit of a", text)
    if " born and " in lower:
        return _BRED.sub(r"i was born and raised in \1", text)
    return _DOUBLED.sub(r"\1 ", text) if "my " in lower or "our " in lower else text


def _word(found: re.Match[str]) -> str:
    word = found[0]
    lower = word.lower()
    if lower in ("bf's", "gf's", "hubby's", "fav's"):
        return f"{_SPELLINGS[lower[:-2]]}'s"
    if word in _IN_LAWS:
        return _IN_LAWS[word]
    if lower in _SPELLINGS:
        if lower in ("dr", "mr", "mrs") or not (word.isupper() and len(word) > 1):
            return _SPELLINGS[lower]
        return _SPELLINGS[lower] if "'" in _SPELLINGS[lower] else word
    if word.isupper() and len(word) > 1 and _shouted(lower):
        return lower
    if word.islower() and not forms_of(lower):
        return _unswapped(word)
    return word


_IN_LAWS = {
    "MIL": "mother-in-law", "FIL": "father-in-law", "SIL": "sister-in-law", "BIL": "brother-in-law",
}  # fmt: skip
_SHOUTED = frozenset(
    """
    not no never always again so very really just still all every only too much love hate done ever
    now finally also time old new good bad great best worst and the a of in at on for to with but or
    my me i'm i've we he she it they that this there orange free yes
    """.split()
)


def _shouted(lower: str) -> bool:
    return lower in _SHOUTED or lower in AUXILIARIES


# --- fillers --------------------------------------------------------------------------------------

_OPENERS = """
    oh ooh ok okay k kk so well um uh uhm er erm hmm hm mm ah aw aww right anyway anyways btw fyi
    also and but plus then yeah yep yup ye yes ya aye nope nah like honestly tbh ngl look listen
    hey hi ok_so hey_so hello heya hiya gday g'day yo hola bro bruh mate dude omg omfg wow whoa
    yay ugh lol lmao lmaooo haha hahaha hah ha sadly unfortunately luckily thankfully obviously
    basically literally technically frankly seriously essentially ps eh meh welp alright righto
    sigh sooo soo phew huh now_then by_the_way by_the_by good_news bad_news big_news quick_update
    small_update update news just_so_you_know just_so_you_have_it_right just_to_let_you_know
    just_fyi just_saying fun_fact full_disclosure for_the_record for_context some_context context
    for_reference for_future_reference for_info note reminder_that reminder remember_that remember please_remember_that
    please_remember do_remember please_note_that please_note note_that keep_in_mind_that
    keep_in_mind bear_in_mind_that bear_in_mind don't_forget_that don't_forget in_case_you_forgot
    as_you_know as_i_said like_i_said as_i_told_you as_mentioned as_i_mentioned i_mean i_meant
    you_know you_see see to_be_honest to_be_fair to_be_clear in_fact as_it_happens the_thing_is
    thing_is truth_is guess_what guess_who did_i_mention did_i_tell_you i_should_mention
    i_should_say i_forgot_to_say i_forgot_to_mention forgot_to_say forgot_to_mention i_told_you
    one_more_thing one_thing another_thing another_one first_of_all first firstly second secondly
    between_us keep_it_between_us_but keep_it_between_us don't_tell_anyone_but be_gentle
    ok_be_gentle important in_other_words long_story_short believe_it_or_not not_gonna_lie
    not_going_to_lie no_joke for_real fr so_yeah yeah_so oh_and and_oh on_top_of_that besides
    what's_more i'm_telling_you i_must_say i_have_to_say i_gotta_say all_good no_worries
    no_problem np cheers thanks thank_you ta lovely perfect great nice cool sweet brilliant fab
    fabulous awesome sorted sorry apologies my_bad oops whoops i'm_afraid happy_to_say glad_to_say
    proud_to_say it's_official finally the_good_news_is_that the_good_news_is the_bad_news_is
    long_story for_what_it's_worth fwiw in_my_case personally as_for_me me_personally dear
    hello_dear hi_there good_morning good_evening good_afternoon morning evening man gosh goodness
    jeez jesus christ damn dang yikes oof fyi unrelated_but random_but side_note on_a_side_note
    on_another_note speaking_of_which that_said having_said_that mind_you thing_is tbf imo imho
    iirc afaik hi_po po i_need_to_fix_something quick_correction small_thing heads_up
    just_a_heads_up new_info new_development plot_twist turns_out it_turns_out and_yes and_no
    not_diagnosed_or_anything_but i_did_it did_it i_can't_believe_it can't_believe_it actually
    well_actually this_is_important_but new_plan change_of_plan wait_no no_wait wait hang_on
    hold_on scratch_that please just_an_update an_update little_update life_update asking_because
    whatever given_that given considering_that considering seeing_as bearing_in_mind_that
    one_thing_you_should_know_about_me_is_that one_thing_you_should_know_is_that
    you_should_know_that you_should_know i_should_add_that i_should_add i_might_add
    i_forgot_to_tell_you i_wanted_to_tell_you i_wanted_to_let_you_know_that for_the_sake_of_context
    let_me_tell_you_that let_me_add_that it's_worth_mentioning_that worth_mentioning
    what_matters_is_that what_matters_is what's_important_is_that what's_important_is
    whats_important_is never_mind_the_mess the_main_thing_is_that my_situation_is_this i_wish_to_inform_you_that
    i_would_like_to_inform_you_that i'm_writing_to_inform_you_that i_am_writing_to_inform_you_that
    i_wanted_to_say just_wanted_to_say just_wanted_to_let_you_know_that just_wanted_to_let_you_know
    kindly_note_that kindly_note please_be_advised_that be_advised_that please_be_aware_that
    be_aware_that dear_assistant dear_ai dear_sir dear_madam dear_friend a_bit_of_background
    bit_of_background some_background quick_background a_little_about_me little_about_me
    a_bit_about_me about_me my_background for_your_information
"""
_CLOSERS = """
    but_jesus but_christ but_god but_hey by_the_way by_the_by incidentally remember
    lol lmao lmaooo rofl haha hahaha hahahaha hah heh hehe btw tbh ngl though anyway anyways
    you_know obviously obvs please thanks thank_you cheers ta innit mate bro dude yeah huh eh
    right_now at_the_moment would_you_believe would_you_believe_it can_you_believe
    can_you_believe_it can_you_believe_that in_case_you_forgot as_you_know just_so_you_know fyi
    of_course as_well too either apparently_lol i'm_afraid if_you_must_know if_you're_wondering
    in_case_you're_wondering like so_there there's_that and_stuff and_all or_something or_whatever
    and_so_on and_everything and_such and_that etc you_see i_must_say i_have_to_say to_be_honest
    to_be_fair honestly sadly unfortunately no_joke for_real fr seriously ok okay alright hey ugh
    sigh omg wow yay idk dunno whatever fingers_crossed touch_wood knock_on_wood mad imo imho tbf
    keep_forgetting so_yeah so if_that_makes_sense if_it_matters if_it_helps if_that_helps
    if_relevant don't_judge dont_judge sorry pal hun love dear xx xxx though_lol yk man i_know
    hands_down
"""


@cache
def _opener() -> re.Pattern[str]:
    return re.compile(
        rf"(?:(?:{alternatives(_OPENERS)})(?![\w'-])(?!\s+(?:my|the|is|was"
        r"|and)\b(?<=^like\s))[\s,.!:;-]*|[\s,.!:;)(\"*/&+-]+)",
        re.I,
    )


@cache
def _closer() -> re.Pattern[str]:
    return re.compile(
        rf"(?:[\s,.!;:(\"*/&+-]+|(?<![\w'-]){alternatives(_CLOSERS)}[\s.!,;)]*)$", re.I
    )


_IF_YOU = Lazy(
    r"(?<=\w),? (?:if|in case) (?:you(?:'re| (?:need|want|care|must|were|are|ever|could|can|have|haven't|didn't|remember))"
    r"|(?:that|it) (?:matters|helps|makes|is relevant|counts))\b[^,;]{0,40}$",
    re.I,
)
_NOT_OPENERS = Lazy(
    r"(?:so (?:far|much|many)|like(?:s|d)? (?:it|to|my)|right-|well[- ]known|right handed"
    r"|then again|no one"
    r"|(?:first|second|third) (?:one|draft|day|grade|place|year|time|child|kid|home|job|floor"
    r"|language)|thing is called"
    r"|lovely \w+ (?:is|who)|love |news(?:letter|paper)|note(?:book|s)|update[sd]\b|context window"
    r"|important to|remember(?:s|ed)\b|great[- ](?:aunt|uncle|grand)|personally i|see(?:ing"
    r"|s)? (?:a|my|dr)|"
    r"morning(?:s| )|evening(?:s| )|finally got|man(?:ager|aged)|see\b|ma\b|dear\b(?= \w+'s))",
    re.I,
)


@lru_cache(maxsize=512)
def bare(text: str) -> str:
    """`text` (spelled) without what opens and closes it and says nothing."""
    for _ in range(8):
        found = _opener().match(text)
        if not found or not found[0] or _NOT_OPENERS.match(text):
            break
        text = text[found.end() :]
    if " if " in text or " in case " in text:
        text = _IF_YOU.sub("", text)
    for _ in range(6):
        found = _closer().search(text)
        if not found or not found[0]:
            break
        word = found[0].strip(" .!,;")
        if word.isupper() and len(word) > 1 and not text.isupper():
            break  # TA, a teaching assistant, is no thanks
        text = text[: found.start()]
    return _LOOSE_END.sub("", text.strip())


_LOOSE_END = Lazy(r",? (?:but|and|so|or)$", re.I)


_ASIDE = Lazy(r"\s*\(([^()]*)\)")
_KEPT_ASIDE = Lazy(
    r"\d|^(?:the )?(?:my|our) |^[A-Z]|^with |^for |^in |^at |^from |^mostly|^not ", re.I
)


def without_asides(text: str) -> str:
    """`text` without bracketed remarks; what is a number, a name or a detail stays."""

    def kept(found: re.Match[str]) -> str:
        inner = found[1].strip()
        short = len(inner.split()) <= 4 and _KEPT_ASIDE.search(inner)
        return (
            found[0]
            if short and not re.search(r"\b(?:i|you|lol|weird|know)\b", inner, re.I)
            else ""
        )

    return _ASIDE.sub(kept, text)


__all__ = ["bare", "plain", "spelled", "without_asides"]
