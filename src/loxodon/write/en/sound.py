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
    r"|really|is|has|was|been|are|were|does|with|from|for|if only|although|though|unless|whether)$"
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
    r"|(?:would|'d) rather\b.*|only needed?\b.*|just needed\b.*"
    r"|(?:really |just |also )*(?:wants?|needs?|would like|hopes?|is (?:trying|looking|hoping)) to (?:make sure|ensure|know|see|hear"
    r"|understand|figure|find (?:out|some|a good|a way|the best|new|more)|come up with|get (?:some|more|a better|a sense)|learn more"
    r"|explore (?:more|some|other)|take the next|start by|try (?:it|that|this|those|them|some)|look into|do (?:it|this|that)"
    r"|incorporate|emphasi[sz]e|highlight|double[- ]check|be sure)\b.*"
    r"|is (?:in the mood for|on the right track|always looking|open to|all about)\b.*"
    r"|(?:has been|is) looking for (?:a way|ways|some|something|new|more|any|ideas|recommendations|tips|advice)\b.*"
    r"|(?:really |also |just )*needs? (?:some|a bit of|a little) (?:inspiration|motivation|guidance|ideas|clarity|context)\b.*"
    r"|(?:probably )?should\b.*|wants? the (?:tone|table|text|list|e-?mail|letter|code|title|output|image|font|colou?r|style|intro"
    r"|ending|wording|format)\b.*|was (?:just )?(?:reading|thinking|talking|looking|watching)\b.*\b(?:and|when) (?:wondered"
    r"|was wondering|noticed)\b.*|needs? something\b.*|(?:has|have) (?:attached|pasted|uploaded|copied|included)\b.*|(?:really )?(?:apologi[sz]es|appreciates)\b.*"
    r"|has a (?:fun fact|question|request|favou?r|idea|feeling)\b.*|(?:will|is going to) (?:definitely |also )?(?:start (?:by|with|filling)|check"
    r"|look into|keep (?:that|this|it|those))\b.*)$"
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
_DANGLING = Lazy(
    r"^The user (?:(?:is|has|was|had|will|would|can|can't|could|won't|didn't|doesn't|does|did|might|also|just|still|always|never"
    r"|really|finally|already|probably|been|going|trying|hoping|planning|wanting|to|not|usually|even|definitely) )*"
    r"[a-z]+(?: (?:up|out|off|on|in|back|down|with|about|for|at|to|over|of|using|doing|getting|trying|making))*"
    r" (?:it|them|this|that one|those|these|that)\b(?! (?:[a-z]+ )?(?:to|when|that|if|hard|easy|difficult|how|because"
    r"|year|week|month|summer|winter|spring|autumn|morning|evening|is|was|kind|type|[a-z]+ing)\b)"
    r"(?! (?-i:[A-Z])| [a-z]+ (?:in|at|on|from|with)\b)"
)
"""Something done to a thing that the sentence does not name."""
_OPEN_END = Lazy(r"\b(?:it|this|that|them|those|these|there|both|either|though|anyway|stuff)$")


def is_sound(statement: Statement) -> bool:
    """Whether a statement is a whole sentence that tells something."""
    content = statement.content
    if _BROKEN.search(content):
        return False
    if _VAGUE.match(content) or _ASKED_FOR.match(content):
        return False
    if _DANGLING.match(content) and not statement.over:
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
_NAMED = Lazy(
    r" (?:is|was|are) (?:an? |the |with |from |in |at |between |out of |on |ex-)|(?<!^)\b[A-Z][A-Za-z]"
)
