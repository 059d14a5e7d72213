"""The last look at a sentence: whether it says something whole that one would want to read later.

What the rules could not really read comes out as half a clause, a passing remark or a request in
the clothes of a fact. Better nothing than that: it waits for a model, and the journal has it.
"""

from __future__ import annotations

from loxodon.text.similarity import gist
from loxodon.write.en.patterns import Lazy
from loxodon.write.statements import Statement

_BROKEN = Lazy(
    r"\b(?:if|because|and|but|or|to|the|a|an|of|than|as|that|which|who|so|then|my|just|not|very"
    r"|really|is|has|was|been|are|were|with|from|for|if only|although|though|unless|whether)$"
    r"|\b(?:you|your|yours|please|pls|plz|me|my|mine|i|i'm|i've|we|our|us)\b(?!-)"
    r"|\bhas been (?:since|for|until)\b|\bevery (?:other|third|second) on \d"
    r"|^\S+(?: \S+)? (?:has|have) (?:scale|fix|make|write|add|keep|new story|give|change)\b"
    r"|\b(?:just|and|then|but|only) (?:fix|rewrite|shorten|translate|reword|proofread|summari[sz]e)\b"
    r"|\bif$|, (?:if|but|and|so)$|\b(?:the|a|their) (?:the|a|their|is|has|was)\b"
    r"|\b(?:is|are|was) (?:has|have|is|are|was|does|did)\b|^The user (?:The|A|An|Both|All)\b"
    r"|\bis not that\b|^The user has [A-Z]\w+ (?:just|already|finally|now) \w+ed\b"
)
_VAGUE = Lazy(
    r"^The user (?:(?:is|was|isn't|wasn't) (?:(?:still|also|just|all|not|so|too|very|really|quite"
    r"|pretty|a bit|kind of) )*(?:sure|certain|fine|ok|okay|good|great|done|back|ready|sorry|glad"
    r"|happy|sad|bored|hungry|excited|worried|there|here|it|that|this|one of (?:those|them|these)"
    r"|one|off|in|out|away|up|down|joking|kidding|lost|confused|stuck|curious|grateful|thankful"
    r"|impressed|convinced|torn|undecided|serious|honest|right|wrong|screwed|knackered|shattered)"
    r"|(?:has|had|needs?|wants?|is going|is about|is off) to (?:go|run|leave|head|dash|sleep|eat|say"
    r"|ask|admit|know|confess|bed|work now)(?: now| then)?"
    r"|(?:can|can't|could|couldn't|will|won't|would|wouldn't|should|might|does|doesn't|did|didn't)"
    r" (?:do|be|have|get|see|say|go|try|help|tell|wait|think|know|care|mind)"
    r"(?: (?:it|that|this|both|so|them|too|either|one|now|then))*"
    r"|(?:panicked|laughed|cried|smiled|sighed|agreed|nodded|blushed|screamed|cringed)(?: a (?:bit"
    r"|little|lot))?"
    r"|has (?:a )?(?:good|great|nice|lovely|fab|wonderful) (?:day|weekend|one|evening|night|week"
    r"|time|rest|trip)"
    r"|(?:got|did|made|took|gets|does|makes|takes|has|had|loves|likes|hates) (?:it|that|this|them|one"
    r"|ones|so|both|those|these)(?: (?:now|then|too|all|though))?"
    r"|(?:would|'d) rather\b.*|only needed?\b.*|just needed\b.*)$"
)
_ASKED_FOR = Lazy(
    r"^The user (?:needs|wants|would like|is after|is looking for|could use|could do with|has to"
    r" write|is writing) (?:(?:a|an|some|the|another|any|one|two|three|five|ten|new|quick|short"
    r"|good|nice|simple|better|funny|few|little|bit of|polite|formal|few more|\d+) )*(?:[a-z-]+ )?"
    r"(?:ads?|advert|leaflets?|flyers?|posters?|e-?mails?|letters?|poems?|speech|captions?|bio|blurb"
    r"|slogans?|tagline|template|list|recipes?|itinerary|summary|outline|draft|essay|titles?"
    r"|synonyms?|ideas?|tips?|advice|suggestions?|help|hand|opinion|recommendations?|quotes?|jokes?"
    r"|stor(?:y|ies)|script|posts?|captions?|reply|response|answers?|explanation|formula|function"
    r"|regex|query|table|rhyme|haiku|limerick|lyrics|paragraph|sentence|translation|pep talk)\b"
)
_OPEN_END = Lazy(r"\b(?:it|this|that|them|those|these|there|both|either|though|anyway|stuff)$")


def is_sound(statement: Statement) -> bool:
    """Whether a statement is a whole sentence that tells something."""
    content = statement.content
    if _BROKEN.search(content):
        return False
    if _VAGUE.match(content) or _ASKED_FOR.match(content):
        return False
    if statement.attribute or statement.over:
        return True
    told = gist(content)
    if _OPEN_END.search(content) and len(told.words) < _MUCH:
        return False
    if len(told.words) > 1 or told.numbers or statement.subject != "user":
        return True
    return not statement.positive or bool(_NAMED.search(content))


_MUCH = 4
"""Content words with which a sentence may end in `it` and still be understood."""
_NAMED = Lazy(r" (?:is|was|are) (?:an? |the |with |from |in |at )|(?<!^)\b[A-Z][A-Za-z]")
