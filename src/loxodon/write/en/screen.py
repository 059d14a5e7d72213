"""Which fragments are not the user's facts, and why: what is quoted, invented, supposed, joked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from loxodon.write.en.clean import bare, plain, spelled
from loxodon.write.en.foreign import is_foreign, is_own_text
from loxodon.write.en.patterns import Lazy
from loxodon.write.statements import Fragment, Line, Said

_FICTION = Lazy(
    r"\b(?:role[- ]?play|rp\b|let'?s (?:play|pretend|rp)|pretend (?:you|to be|that|we|i)"
    r"|act (?:as|like) (?:a|an|if|my|the|you)|answer as (?:a|an|the|my|if)|imagine (?:you|i"
    r"|we|that|a)"
    r"|you(?:'re| are) (?:the|now|a|an) (?!best|star|legend|lifesaver|great)\w+"
    r"|stay in character|in character"
    r"|(?:write|draft|compose|make up|tell|give|continue|finish|create|generate)(?: me"
    r"| us)?(?: up)? (?:a|an|another|the|some|my|one|two|three|five"
    r"|\d+)?\s?(?:[\w'-]+\s){0,4}?"
    r"(?:stor(?:y|ies)|poem|poems|haiku|limerick|sonnet|song|lyrics|rap|verse|novel|chapter"
    r"|scene|screenplay|script|dialogue|fanfic|fan fiction|fairy ?tale|monologue|fable|joke"
    r"|jokes|riddle|backstory|character|villain|sketch|example sentences?|sentences?|sample"
    r"|dummy|fake|sitcom|plot|dating profile for|persona)"
    r"|haiku about|poem about|story about|limerick about|song about|(?:d&d|dnd) (?:character"
    r"|campaign)|my (?:oc|character|protagonist|narrator|main character|villain)\b"
    r"|let'?s (?:rehearse|act out|improvise|improv|simulate|do a (?:mock|skit|scene|sketch))|mock (?:trial|interview|exam)"
    r"|you (?:play|prosecute|be) (?:the|a|an|my)\b|be (?-i:[A-Z])\w+ with me|i'?ll (?:be|play) (?:the (?!one)|an? )\w+[,;] (?:and )?you"
    r"|(?:d&d|dnd|dungeons) (?:time|night|session)\b.*:|(?:rank|choose between|pick one|pick between) (?:my|these|the|two|three)[\w ]{0,20}:"
    r"|first[- ]person (?:story|narrative)|in the voice of|word problem|maths? problem)",
    re.I,
)
_PASTED = Lazy(
    r"\b(?:translat\w*|proof ?read\w*|summari[sz]\w*|paraphras\w*|rephras\w*|rewrit\w*"
    r"|re-?word\w*|polish\w*|correct (?:this|the|my)|fix (?:the grammar|this (?:text|sentence"
    r"|paragraph)|my (?:grammar|english|spelling))"
    r"|(?:put|turn|convert|change|make|transform) (?:this|it|the following|these)(?: \w+)? (?:in|into|to) (?:the |an? |some )?"
    r"(?:past|present|future|passive|active|plural|third|first|second|limerick|haiku|poem|sonnet|rap|bullets?|prose|formal|informal"
    r"|plain|simple|proper|better|(?-i:[A-Z])\w+|dialogue|tweet|verse|rhyme|reported|indirect)"
    r"|critique|edit (?:this|my)|grammar check|improve (?:this|my)|tl;?dr|reply to this"
    r"|respond to this|answer this|what does this (?:mean|say)|analy[sz]e this (?:text|mail"
    r"|email|message|poem)|explain this (?:text|passage|quote)"
    r"|how (?:do|would) (?:you|i) say|make this (?:sound|more|shorter|better)|shorten this"
    r"|here(?:'s| is) (?:the|an|my) (?:email|mail|text|article|message|draft|essay|paragraph"
    r"|transcript|cover letter|abstract)|caption for|is this (?:grammatically "
    r"|sentence )?(?:right|correct|ok|okay|good)|complete the sentence|example sentence"
    r"|he wrote|she wrote|they wrote|the (?:email|article|message|text) (?:says|reads))\b",
    re.I,
)
_LEAVES = Lazy(
    r"\b(?:anyway|anyways|back to (?:real|reality)|real life|irl|ooc|out of character"
    r"|end of (?:role|story)|ok(?:ay)? (?:so|now) (?:i|my)|btw|by the way|unrelated"
    r"|different question|new topic|on another note|in other news|speaking of me|ok stop"
    r"|enough of that|thanks that was)\b",
    re.I,
)
_SUPPOSED = Lazy(
    r"(?:^|[\s,;(])(?:if (?:i|we|my \w+) (?:were|was|had|won|could|lived|worked|got|moved"
    r"|ever|didn't|wasn't|became|did|get|win|quit|find)"
    r"|if only|what if|imagine|(?<!i )(?<!I )suppose|supposing|let'?s say|hypothetical(?:ly)?|in theory"
    r"|theoretically|in (?:an ideal|a perfect|a dream) world|in another life|in my (?:next life|dreams)"
    r"|i wish(?! to\b)|i'd (?:be|have|live|buy|love to (?:have|live|be)|kill|give anything|quit"
    r"|move)\b|i would (?:be|have|live|buy|kill|quit|never|probably)\b|would(?:n't)? it be"
    r"|wouldn't mind"
    r"|when i (?:die|win)|once i'm rich|if money|asking for a friend|a friend was asking|just asking)\b",
    re.I,
)
_JOKE = Lazy(
    r"\b(?:jk|j/k|just kidding|only kidding|kidding|just joking|only joking|i'm joking|joking"
    r"|april fools?'?|/s|not really lol|pulling your leg|just messing|had you there|gotcha)\b",
    re.I,
)
_SARCASM = Lazy(
    r"^(?:oh (?:great|joy|wonderful|fantastic|brilliant|goody)|well isn't that|how lovely"
    r"|yes,? i'?m clearly|yeah right|sure,? because|oh yes,? because|wow,? thanks"
    r"|great,? just great)\b"
    r"|\boh yeah,? i (?:just |absolutely )?love\b|\babsolute dream\b|\bjust what i needed\b"
    r"|\bi just LOVE\b|\bbest (?:company|service|airline"
    r"|\w+) ever,|\bsaid no one ever|\bas if!|\bfirstborn\b|\bcall me (?:gordon|einstein"
    r"|sherlock|picasso|mozart)\b",
    re.I,
)
_IDIOM = Lazy(
    r"\b(?:(?:basically|practically|literally|officially) an? [\w ]{3,20} at this point|for a (?:hundred|thousand|million) (?:years|times)"
    r"|could (?:eat|murder|kill for|do with) an? (?:horse|\w+)|like a dog|to the dogs|killing me|kill me|starving"
    r"|starved|spirit animal|(?:a|total) (?:potato|raccoon)|over the moon|under the weather|piece of cake"
    r"|raining cats"
    r"|break a leg|once in a blue moon|cost(?:s)? an arm|bite the bullet|hit the sack"
    r"|my whole personality|living my best life|cry me a river|shoot me|pray for me|kill for"
    r"|dying (?:to|for|of|here|inside)|dead inside|brain(?:'s| is)? (?:fog|fried|mush|dead)"
    r"|losing my mind|lost my mind|going (?:mad|crazy|insane|bananas|mental)|in (?:pieces"
    r"|bits|stitches)|over it|on fire|on cloud nine"
    r"|(?:is|are|'s) (?:such )?an? (?:total |complete |absolute |bit of a |proper "
    r"|real )?(?:dinosaur|nightmare|joke|legend|saint|angel|riot|monster|beast|machine|mess"
    r"|disaster|dream|star|hoot|gem|menace|pain|hero|beauty|treat|delight|shambles|circus|zoo"
    r"|idiot|muppet|clown|vampire|hermit|robot|sloth|ghost|potato|genius|lifesaver|struggle|struggle bus|goblin|gremlin|zombie|wreck"
    r"|baby|princess|diva|drama queen|boss)$"
    r"|(?:i'm|i am|im) (?:so |just |really |legit |literally |basically |a bit |such an? "
    r"|all |feeling |super |totally |proper |very |pretty |kinda |kind of )*(?:done|tired"
    r"|exhausted|bored|hungry|thirsty|knackered|shattered|sleepy|cold|hot|fed up|annoyed"
    r"|stuck|confused|lost|dead|dying|ok|okay|fine|good|great|happy|sad|ready|back|here|sorry"
    r"|late|busy|free|excited|nervous|stressed|paranoid|idiot|nocturnal|screwed|doomed|crying"
    r"|sobbing|screaming|buzzing|gutted|chuffed|relieved|thrilled|proud|alright|well|cool"
    r"|down|up|in|out|off|not sure|sure|speechless|impressed|jealous|done with everything"
    r"|stupid|dumb|an idiot|driving|in the car|on the (?:bus|train|phone)|at work|walking|typing on"
    r"|writing it down|vomiting.*|obsessed with you|not convinced|not bothered|most grateful"
    r"|so grateful|grateful)(?: (?:today|now|tonight|right now|lol|with everything"
    r"|at the moment|again|about it|actually|rn|with (?:it|this|that)))*$"
    r")\b",
    re.I,
)
_VENT = Lazy(
    r"^(?:(?:just |so |really |proper |pretty |very |too )*(?:tired|annoyed|nervous|relieved"
    r"|excited|exhausted|knackered|slowly|buzzing|gutted|happy|sad|feeling (?:ok|okay|good"
    r"|better|fine|great|bad|rubbish|awful|rough|low|down|sick)|way happier|much better"
    r"|everything|nothing|completely|totally|boxes everywhere|drinks on me|same place"
    r"|up and down|not bad|can't complain|living the dream|could be worse"
    r"|so far so good)(?: and \w+)?"
    r"|everything'?s \w+|life'?s \w+|what a (?:day|week|year|mess|nightmare|journey)"
    r"|today was (?!my\b|the\b).*|such a .*|the things i do .*|so much for .*|no one ever .*|people (?!(?:call|at|in|on|from|say i)\b).*"
    r"|nature'?s .*|it(?:'s| is) (?:what it is|all good|a long story|a lot|been a (?:day"
    r"|week))"
    r"|(?:it|that|this|he|she|they)(?:'s| is| was| were| are| seems?| looks?| sounds?) (?:so "
    r"|really |just |very |a bit |pretty |quite |too |such a |a |an |seems? )*(?:good boy"
    r"|good girl|good one|lovely|great|nice|sound|cute|riot|mess|fine|ok|okay|fun|funny"
    r"|hilarious|sweet|weird|annoying|boring|hard|easy|tough|amazing|awesome|brilliant"
    r"|useless|impossible|thrilled|mint|class|ace|wild|mad|insane|crazy|cool|gross|sad"
    r"|the best|the worst|legend|star|good|bad|beautiful|gorgeous|adorable|ridiculous|silly"
    r"|unfair|rubbish|rough|a lot|too much|a joke))$",
    re.I,
)
_PUZZLE = Lazy(
    r"\b(?:a train leaves|has \d+ (?:apples|oranges|marbles|sweets|coins)|how many .* (?:left"
    r"|in total)|twice (?:his|her|as old))\b",
    re.I,
)
_WRONG = Lazy(
    r"\b(?:wrong (?:chat|window|person|tab)|sorry (?:that was|meant) for|not meant for you"
    r"|ignore that message|my (?:kid|cat|toddler) typed that)\b",
    re.I,
)
_OTHER_SPEAKER = Lazy(
    r"\b(?:this is \w+'s (?:husband|wife|mum|mom|dad|brother|sister|son|daughter|friend"
    r"|partner) (?:typing|here|speaking|writing)|typing for (?:him|her|my))\b",
    re.I,
)
_LYRIC = Lazy(
    r"[♪♫]|\b(?:song lyrics?|the lyrics (?:go|are)|how does (?:that|the) song go)\b", re.I
)
_TO_ASSISTANT = Lazy(r"\b(?:you|your|you're|u r)\b(?! know\b)", re.I)


_LETTER = Lazy(
    r"(?:Dear (?:Sir|Madam|Mr|Mrs|Ms|Dr|Hiring|Team|Colleagues|All|[A-Z]\w+,)"
    r"|To whom it may concern)"
)


_LETTER_ASK = Lazy(
    r"\b(?:is this (?:ok|okay|good|right)|how does this (?:sound|read)|proofread|check this"
    r"|mistakes|typos|sincerely|regards|apply for|faithfully)\b",
    re.I,
)


_BACK = Lazy(
    r"\b(?:ok(?:ay)? stop|real me|in real life|irl|out of character|ooc|anyway|enough)\b", re.I
)


_MOST = 4_000
"""How much of a turn is looked at for what kind of turn it is; no fragment of speech is longer."""


def reasons(said: Said) -> list[str]:
    """For each fragment why it is not the user's fact; an empty string where nothing says so."""
    text = plain(said.text[:_MOST])
    whole = _turn_reason(text, said.before)
    found = [whole or _own_reason(fragment) for fragment in said.fragments]
    if said.before and said.before[-1].role == "assistant":
        found = [
            reason or ("accepted" if _accepts(fragment.text) else "")
            for reason, fragment in zip(found, said.fragments, strict=True)
        ]
    if not whole:
        _pasted_after(said, found)
        _joked_before(said.fragments, found)
        _negated_after(said.fragments, found)
        _supposed_on(said.fragments, found)
        if _in_fiction(said.before):
            _played_before(said.fragments, found)
    return found


def _turn_reason(text: str, before: Sequence[Line]) -> str:
    """What makes a whole turn nobody's fact."""
    if _FICTION.search(text) and not _PERSONAL.search(text):
        return "fiction"
    if _in_fiction(before) and not _LEAVES.search(text):
        return "fiction"
    if _SARCASM.search(text):
        return "sarcasm"
    if _PUZZLE.search(text):
        return "puzzle"
    if _WRONG.search(text):
        return "mistake"
    if _OTHER_SPEAKER.search(text):
        return "someone else"
    if _LYRIC.search(text):
        return "lyrics"
    if _LETTER.match(text) and _LETTER_ASK.search(text):
        return "quoted"
    return ""


_PERSONAL = Lazy(
    r"\b(?:i(?:'m| am) (?:writing|working on|allergic|a \w+ (?:at|in))|my (?:daughter|son|kid"
    r"|wife|husband|mum|mom|dad|boss|name)\b)",
    re.I,
)
"""What the user says of themselves beside asking for a story; then fragments are judged singly."""


def _in_fiction(before: Sequence[Line]) -> bool:
    """Whether the session is still in the middle of a story, role-play or such."""
    inside = False
    for line in before:
        if line.role != "user":
            continue
        text = plain(line.content[:2_000])
        if _FICTION.search(text) and not _PERSONAL.search(text):
            inside = True
        elif _LEAVES.search(text) or (inside and not _continues(text)):
            inside = False
    return inside


def _continues(text: str) -> bool:
    """Whether a turn goes on with what the assistant is inventing."""
    words = text.split()
    return len(words) <= 30 and (
        text.startswith(('"', "*", "'"))
        or len(words) <= 8
        or bool(_ALTERS.search(text))
        or '"' in text
    )


_ALTERS = Lazy(
    r"^(?:now|make|change|add|give|more|less|shorter|longer|another|again|ok|and|but|then|no"
    r"|yes|continue|the|she|he|they|should|can|could|what if|rewrite|same)\b",
    re.I,
)


def _own_reason(fragment: Fragment) -> str:
    if len(fragment.text) > _MOST or is_foreign(fragment.text):
        return "quoted"
    if fragment.type == "chat":
        return "chat"
    words = spelled(plain(fragment.text))
    core = bare(words)
    if not core:
        return "chat"
    if _INVENTS.search(words):
        return "fiction"
    if _SUPPOSED.search(f" {words}") or re.match(
        r"(?:so |ok |and )*say (?:i|we|my)\b", words, re.I
    ):
        return "supposed"
    if _JOKE.search(words):
        return "joke"
    if _MOCKS.search(words):
        return "sarcasm"
    if (len(core.split()) <= _MOST_IDLE and _IDIOM.search(core)) or re.search(
        r"\bomg\b.*\bblind\b", words, re.I
    ):
        return "idiom"
    if _VENT.match(core.strip(" .!?")):
        return "small talk"
    if fragment.type in ("question", "instruction"):
        return fragment.type
    return ""


_MOCKS = Lazy(
    r"\b(?:love|adore|enjoy|live for)s? (?:it )?when .*\b(?:breaks?|broken|fails?|crash(?:es)?|stops?|dies|cancels?|cancelled"
    r"|delayed|ignores?|leaks?|freezes|hangs up|goes down|late)\b|, said (?:nobody|no one)\b|^(?:so |really |just |absolutely )?"
    r"(?:thrilled|delighted|overjoyed) to (?:be (?:on hold|stuck)|wait)\b",
    re.I,
)
"""A liking of what nobody likes."""
_ACCEPTS = Lazy(
    r"(?:(?:i think|i guess|maybe|perhaps|hm+|then|so|ok|okay|thanks|great),? )*(?:i'll|i will|i'm going to|i might"
    r"|i may|i can|i could|let me|i'd (?:love|like) to|will)(?: (?:definitely|probably|also|just|certainly"
    r"|totally|have to|need to|be sure to|make sure to|go ahead and|try to|def|surely))*"
    r" (?:check|look (?:into|at|up|for)|try (?!to\b)|give (?:it|that|this|them|those|these|the|your|both"
    r"|[A-Z])|keep (?:that|this|those|these|it|them|in mind)"
    r"|pick (?:some|one|it|them|up)|get (?:some|one of|that|those)|have a (?:look|think|go)|bear|consider|explore|read up|take a look|think"
    r" about|see (?:if|what|how|which|whether)|do (?:that|this)|(?:use|add|include|incorporate|apply|follow)"
    r" (?:that|this|those|these|them|your|some of)|start (?:with|by)|stick with (?:that|this|your))\b",
    re.I,
)
_OWN_DATE = Lazy(
    r"\b(?:tomorrow|tonight|today|next|this (?:week|month|year|summer|winter)|on \w+day|\w+day|at \d|in \d"
    r"|my (?:wife|husband|doctor|gp|boss|mum|mom|dad|nurse|therapist|vet|lawyer|landlord))\b",
    re.I,
)


_LIKES_IT = Lazy(
    r"i(?: really| also| do)? (?:like|love) (?:the|that|this|your|those|these) (?:idea|ideas|suggestions?|sound|look|tips?"
    r"|recommendations?)\b|i(?:'ve| have) heard (?:great|good|of|about|a lot|so much)\b",
    re.I,
)


def _accepts(text: str) -> bool:
    """Whether a fragment only takes up what the assistant proposed: "I'll check those out"."""
    words = bare(spelled(plain(text)))
    if _LIKES_IT.match(words):
        return True
    return _ACCEPTS.match(words) is not None and _OWN_DATE.search(words) is None


_INVENTS = Lazy(
    r"\bin (?:my|our|the) (?:novel|story|short story|script|screenplay|comic|campaign|dreams?|fan ?fic|fic|sims)\b"
    r"|\b(?:game|story|scenario|world) (?:where|in which) i(?:'m| am)\b",
    re.I,
)
"""Where what is told is made up."""
_MOST_IDLE = 10
"""Words of a fragment that an idiom makes idle; a longer one says something beside it."""
_TEXT = Lazy(
    r"\b(?:post|email|mail|letter|bio|tweet|caption|reply|speech|toast|review|text|message"
    r"|policy|article|ad|advert|listing|quote|sentence|sentences|paragraph|lyrics"
    r"|transcript|abstract|description|spec|ticket|statement|slogan|headline|essay|script"
    r"|exercise|homework|passage|notice|sign|invitation|(?:this|following|maths?|word|exam|essay"
    r"|interview) (?:question|problem)|todo list)\b[^:]{0,40}:",
    re.I,
)
"""A kind of text, and a colon after which it stands."""


def _pasted_after(said: Said, found: list[str]) -> None:
    """All that follows a request to translate, summarise or answer a text is that text."""
    if is_own_text(said.text[:_MOST]) and re.search('["“«]', said.text[:_MOST]):
        return
    for n, fragment in enumerate(said.fragments):
        request = _PASTED.search(fragment.text)
        colon = request and re.search(r":\s*(?:\S|$)", fragment.text[request.end() :])
        asked = fragment.type in ("instruction", "question") or request
        if colon or (
            _TEXT.search(fragment.text) and (asked or fragment.text.rstrip().endswith(":"))
        ):
            for later in range(n, len(found)):
                found[later] = "quoted"
            return


def _joked_before(fragments: Sequence[Fragment], found: list[str]) -> None:
    """A joke taken back takes back what was said before it in the same turn."""
    for n, reason in enumerate(found):
        if reason == "joke" or _JOKE.search(fragments[n].text):
            for earlier in range(n + 1):
                found[earlier] = found[earlier] or "joke"


def _negated_after(fragments: Sequence[Fragment], found: list[str]) -> None:
    """A lone "not" after a sentence, or "said nobody", turns it round."""
    for n in range(1, len(found)):
        if _NOT_AT_ALL.fullmatch(fragments[n].text):
            found[n - 1] = found[n] = "sarcasm"


_NOT_AT_ALL = Lazy(r"\W*(?:not|as if|said (?:nobody|no one)(?: ever)?)\W*", re.I)


def _played_before(fragments: Sequence[Fragment], found: list[str]) -> None:
    """Of a turn that ends a role-play, what comes before the end still belongs to it."""
    for n, fragment in enumerate(fragments):
        if _BACK.search(fragment.text):
            for earlier in range(n):
                found[earlier] = "fiction"
            return


def _supposed_on(fragments: Sequence[Fragment], found: list[str]) -> None:
    """What goes on with a supposition is one, too: "if I won, … and I'd buy"."""
    for n in range(1, len(found)):
        if (
            found[n - 1] == "supposed"
            and not found[n]
            and (
                re.match(
                    r"\W*(?:and|then|so|but)?\s*(?:i'd|i would|we'd|would|maybe|probably)\b",
                    fragments[n].text,
                    re.I,
                )
                or (
                    re.match(r"\W*(?:and|then)\b", fragments[n].text, re.I)
                    and fragments[n - 1].text.rstrip()[-1:] not in (".", "!", "?")
                )
            )
        ):
            found[n] = "supposed"


def speaks_to_assistant(words: str) -> bool:
    return _TO_ASSISTANT.search(words) is not None


# --- how it was said ------------------------------------------------------------------------------

_STRESS = (
    (
        r"\b(?:remember|from now on|don't forget|dont forget|keep in mind|bear in mind"
        r"|always remember|for future reference|going forward|note that|make a note)\b", 0.5),
    (
        r"\b(?:important|crucial|critical|vital|essential|life[- ]threatening"
        r"|serious(?:ly)? allergic|key thing)\b", 0.3),
    (
        r"!!+|\b[A-Z]{4,}\b|\b(?:absolutely|desperately|so much|really really|hate|love|terrified"
        r"|heartbroken|devastated|thrilled|over the moon|obsessed)\b|😭|😡|❤|🥰|💔", 0.1),
    (r"\b(?:by the way|btw|incidentally|fyi|side note)\b", -0.2),
)  # fmt: skip


@cache
def _stress() -> tuple[tuple[re.Pattern[str], float], ...]:
    return tuple((re.compile(p, re.I if "[A-Z]" not in p else 0), w) for p, w in _STRESS)


def bonus_of(text: str) -> float:
    """What the way something was said adds to its importance."""
    return round(sum(weight for pattern, weight in _stress() if pattern.search(text)), 2)


__all__ = ["bonus_of", "reasons", "speaks_to_assistant"]
