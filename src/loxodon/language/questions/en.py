"""English words that show what a message wants from the memory. Pure data: sources of patterns.

The patterns are applied to lower-case text with plain apostrophes. `gate` and `understand` compile
them on first use.
"""

from __future__ import annotations

_AUX = (
    r"(?:is|are|am|was|were|do|does|did|can|could|should|would|will|shall|has|have|had|may|might)"
)
_MONTH = "january|february|march|april|may|june|july|august|september|october|november|december"
_DAY = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_SAID = (
    "said|told|mentioned|suggested|recommended|gave|wrote|showed|explained|listed|promised|asked"
    "|advised|proposed|sent|helped"
)
_AGREED = (
    "discussed|talked|agreed|decided|spoke|chatted|chose|settled|planned|picked|worked|went"
    "|covered|set|did|used|made|configured|looked|stayed|ordered|built|tried|had|were|said"
)

REQUESTED = r"""
\b(?:do|did|don't|can|could|will|would) (?:you|u) (?:still |even |happen to )?(?:remember|recall)\b
|^(?:remember|recall) (?:when|what|who|how|where|why|that|the|my|our|me)\b
|(?:^|[,.!?;:] ?|\b(?:you|please|and|to|just|also|kindly|could|can) )remind (?:me|us) (?!to\b|at\b|in\b|every\b|tomorrow\b|on\b|when\b|later\b|tonight\b|again in\b)
|\bremind (?:me|us)$|\b(?:help me|let me|try to) (?:recall|remember)\b|\bjog my memory\b
|\b(?:i|i've|we've|we) (?:completely |totally |just )?(?:forgot|forgotten|forget)\b
|\b(?:can't|cannot|couldn't|can not|don't|do not|didn't) (?:quite |really |seem to |for the life of me )?(?:remember|recall)\b
|\b(?:have|did|had) i (?:ever |already )?(?:mention|mentioned|tell|told|say|said)\b
|\b(?:what|when|where|who|which|how) (?:\w+ ){0,3}i (?:tell|told|mention|mentioned|say|said)\b
|\bi (?:ever |already )?(?:told|mentioned to) you\b
|\b(?:what|everything|all|how much|anything) (?:do )?you (?:\w+ )?(?:know|remember|recall) (?:about|of) (?:me|us|my|our)\b
|(?<!let )(?<!did )\b(?:you know|knowing) (?:me|my|what i|how i|i)\b
|\b(?:search|check|look in|consult|look through|dig through|go through) (?:your|the|my|our) (?:memory|memories|notes|history|logs?|records?|journal)\b
|\b(?:in|from) (?:your|my) (?:memory|memories)\b|^/(?:recall|remember|memory)\b
|\bwhat(?:'s| is| was| were| are) (?:\w+ ){0,6}again\??$
"""

PAST = rf"""
\blast (?:time|week|night|month|year|weekend|spring|summer|autumn|fall|winter|{_DAY}|{_MONTH}
|conversation|chat|session|meeting|one|thing|message|call|visit|trip|decade|semester|quarter|sprint)\b
|\byesterday\b|\bthe (?:other|day before) (?:day|week|night|yesterday)\b|\bago\b
|\bearlier\b|\bpreviously\b|\bback (?:when|then|in)\b|\boriginally\b|\bformerly\b
|\b(?:like|as|than|same as|from|never|ever) before\b|\b(?:i|we|you|they|he|she)(?:'ve| have|'d| had|'s| has)? (?:never |already |always )?used to\b
|\b(?:where|what) we (?:left off|were)\b|\bleft off\b|\bpick(?:ing)? up (?:from )?where\b
|\b(?:the|our|my) (?:usual|old|former|ex|previous|original|earlier|last)\b|\bas (?:usual|always)\b
|\bsame as\b|\bas (?:we |i |you )?(?:discussed|agreed|planned|mentioned|promised|said|decided)\b
|\bwe(?:'ve| had| have|'d)? (?:already |once |just |finally |last |previously )?(?:{_AGREED})\b
|\byou(?:'ve| had| have|'d)? (?:already |once |just |kindly |previously )?(?:{_SAID})\b
|\bi(?:'ve| had| have|'d)? (?:already|previously|once|recently) \w+
|\bi (?:told|asked|showed|sent|gave|mentioned to) you\b
|\b(?:still|keeps?) (?:not|have|having|has|no|can't|cannot|doesn't|isn't|broken|getting|failing|happening|waiting)\b
|\b(?:is|are|was|came|comes) back(?: again)?(?:$|[,.!?])
|\bwhen (?:i|we|you) (?:was|were|lived|worked|moved|started|first|met|went|got|had)\b
|\b(?:in|since|during|until|from) (?:(?:19|20)\d\d|(?:{_MONTH}) (?:19|20)\d\d)\b
|\b(?:since|from|in) (?:last|this morning|(?:the )?(?:beginning|start) of)\b
|\b(?:sent|bought|made|wrote|met|went|saw|started|visited|booked|paid|said|got|had|was|were|did) (?:\w+ ){{0,5}}?(?:in|on|last|over|around) (?:{_MONTH}|{_DAY}|christmas|easter|new year)
|\bthat (?:time|day|night|trip|one time|evening|weekend|summer)\b|\bonce upon\b|\bold times\b
"""

# Words for people and animals by what they are to someone; some only with a `my` before them
RELATION = r"""
\b(?:(?:my|our|his|her|their|your|the|a|an) )?(?:(?:step|god|grand|great-?grand|ex-?|half-)?
(?:mother|father|mom|mum|mam|dad|parent|brother|sister|son|daughter|child|wife|husband|girlfriend|boyfriend)
(?:-in-law)?s?|mommy|mummy|daddy|grandma|grandpa|granny|nan|nana|grandad|granddad|gran|in-laws?|kids?
|children|babies|baby|toddler|twins?|siblings?|bro|sis|hubby|spouse|fianc[eé]e?|partners?|uncle|aunt
|auntie|aunty|cousins?|nephews?|nieces?|grandchild(?:ren)?|grandkids?|grandparents?|family|relatives?
|friends?|bestie|best friend|buddy|mates?|flatmates?|room-?mates?|housemates?|neighbou?rs?|colleagues?
|co-?workers?|boss(?:es)?|managers?|supervisors?|mentors?|professors?|teachers?|tutors?|coach(?:es)?|trainers?
|therapists?|doctors?|dentists?|gp|physio|landlords?|landlady|lawyers?|accountants?|barbers?|nann(?:y|ies)
|babysitters?|clients?|customers?|interns?|teammates?|classmates?|date(?! of\b)|ex|crush|team lead|ceo|cto
|dogs?|cats?|pupp(?:y|ies)|kittens?|pets?|vet|hamster|parrot|rabbit|goldfish|pony|godmother|godfather)\b(?!-)
"""

# Relations that are as often anybody's: "cats sleep a lot" says nothing of the user
NEEDS_MY = frozenset(
    """
    date ex mate mates partner partners baby babies cat cats dog dogs client clients customer
    customers doctor doctors teacher teachers coach trainer child children family friend friends
    manager managers rabbit parrot pet pets team lead vet nan gran professor lawyer lawyers dentist
    twin twins intern interns neighbor neighbour tutor tutors
    """.split()
)

PROJECT = r"""
\b(?:(?:the|our|my|this|that) (?:\w+ ){0,2}?)(?:projects?|repo(?:sitory)?|codebase|back-?end|front-?end|pipeline|roadmap
|sprint|milestone|release|deploy(?:ment)?s?|spec|specs|specification|backlog|tickets?|issue tracker|api|schema|migration
|stack|staging|production|prod|server|servers|database|cluster|build|deadline|launch|architecture|thesis
|dissertation|startup|app|website|site|team|company|office|client|contract|budget|proposal|side project|library
|framework|ci|branch|conventions?|style guide|wiki|board|okrs?|kpis?|paper|novel|course|garden|renovation)\b
|\b(?:deadline|milestone|roadmap|sprint goals?|release checklist|tech stack|action items?|meeting notes)\b
|\bproject (?!manager\b)\w+
"""

PREFERENCE = r"""
\b(?:recommend|recommendations?|suggest|suggestions?|advise|propose)\b
|\b(?:i|we|i'd|we'd) (?:really |actually |generally |usually |much |absolutely |would |do |kinda |always ){0,3}(?:like|love|hate|dislike|prefer|enjoy|adore|despise|loathe|fancy|favou?r)\b(?! (?:you to|to know|help|it if)\b)
|\b(?:can't|cannot|don't|do not|never) (?:really |usually )?(?:stand|eat|drink|like|enjoy|tolerate|bear|watch)\b
|\b(?:my|your|his|her) (?:\w+ )?(?:favou?rites?|preferences?|taste|go-to|diet|style|routine|size|allerg(?:y|ies))\b|\bfavou?rites?\b
|\b(?:ideas?|tips|options|inspiration|something|somewhere|anything) (?:for|to|on|under|nice|good|fun|new|spicy|sweet|light|quick)\b
|\b(?:any|got any|some) (?:ideas?|tips|suggestions?|advice|thoughts|recommendations?)\b(?! (?:why|what|how|if|who|when|where|which)\b)
|\bwhat (?:should|shall|could|can|would) (?:i|we) (?:\w+ )?(?:eat|cook|wear|watch|read|buy|get|make|order|play|do|listen|bring|give|drink|bake|visit|try|see)\b
|\bwhere (?:should|shall|could|can|would) (?:i|we) (?:go|eat|stay|travel|have)\b
|\b(?:pick|choose|find) (?:me |us )?(?:a|an|some|something|somewhere)\b
|\bin the mood for\b|\blooking for (?:a|an|some|something|somewhere)\b|\bwhich (?:one )?(?:should|would|shall) (?:i|we)\b
|\bfor (?:someone like me|my taste)\b|\bgift ideas?\b
"""

CONFIGURATION = r"""
\b(?:passwords?|passcode|pin code|passphrase|credentials?|log-?ins?|usernames?|user name|account (?:number|name|id)|api keys?
|tokens?|wi-?fi|vpn|router|port|ports|proxy|ssh|hostname|ip address|dns|endpoint|env(?:ironment)? (?:vars?|variables?)
|configs?|configured|configuration|configure|settings?|set-?up|setup|preferences file|dotfiles|keybindings?|shortcuts?|defaults?
|licen[cs]e (?:key|number|plate)|serial number|member(?:ship)? (?:number|id)|frequent flyer|booking (?:reference|number)
|policy number|subscription|time ?zone|locale|version do (?:we|i)|(?:vim|emacs|vscode|tmux|zsh|bash|git) (?:config|settings|setup))\b
"""

OWN = (
    r"\b(?:i|i'm|i've|i'll|i'd|im|ive|my|mine|myself|we|we're|we've|we'll|our|ours)\b"
    r"|\bfor (?:me|us)\b|\b(?:book|make|plan|order|get|cook|build|design|prepare|schedule|draw up) (?:me|us) (?:a|an|some|the)\b"
)

QUESTION = rf"""
\?(?![\w=&%])|(?:^|[.!?;:\n]\s*|,\s+(?=what|who|when|where|which|why|how)|\b(?:and|so|but|ok|okay|hey|well|hi|then|also|or|um|oh)[, ]\s*)
(?:what|what's|whats|who|who's|whom|whose|when|when's|where|where's|which|why|why's|how|how's|hows|{_AUX}(?:n't)? (?:i|you|we|they|he|she|it|there|the|this|that|these|those|my|our|your|his|her|their|a|an|any|anyone|anybody|people|[a-z]+ (?:is|are|be|have|has|a|an|the|to|on|in|of|good|better|worth|still|open|work|mean|cost|take|need|go|come|get|make|like|eat|live|ever|really|any))\b)
|\b(?:any idea|do you know|wonder(?:ing)? (?:if|whether|what|how|why|when|where|who|which)|tell me (?:what|who|when|where|which|why|how|if|whether)
|not sure (?:if|whether|what|how|why|when|where|who|which)|want to know|like to know|need to know|curious (?:about|if|whether|what|how|why)|any idea(?:s)?|what about|how about)\b
|\b(?:right|no|yes|correct|didn't we|don't you|isn't it|aren't they|wasn't it|didn't i|haven't we|won't it)\?$
"""

# A sentence that asks, with or without a question mark
ASKED = rf"""
\?\W*$|^(?:(?:and|so|but|ok|okay|hey|well|hi|then|also|um|oh|btw|sorry|please|by the way)[, ]+)*
(?:(?:what|who|where|when|why|how)(?:'?s|'re| {_AUX}(?:n't)?) (?!a\b)|(?:what|which|whose|how (?:many|much|old|long|often|far|big|tall))
(?: [\w'-]+){{1,4}} {_AUX}\b|{_AUX}(?:n't)? (?:i|you|we|they|he|she|it|there|my|our|your|his|her|their|the|this|that|any|anyone|anybody)\b
|any idea\b|(?:tell|remind) me (?:what|who|where|when|why|how|which)\b)
"""

TOPIC = (
    r"^(?:by the way|btw|changing (?:the )?(?:subject|topic)|new (?:topic|subject)|on (?:another|a different) (?:note|topic)"
    r"|moving on|something else|different (?:topic|question)|speaking of|about|regarding|concerning|as for|let's talk about|one more thing|also)\b"
)

ACKNOWLEDGEMENT = """
oh|ah|aha|ahh|hm|hmm|mm|mmm|uh|um|well|so|and|but|then|now|just|really|very|too|quite|pretty|absolutely|totally|all|ok|okay|okie|k|kk|yes|yeah|yea|yep|yup|ya|aye|no|nope|nah
|sure|right|alright|fine|good|great|nice|cool|awesome|amazing|wonderful|fantastic|brilliant|excellent|perfect|lovely|neat|sweet|super|splendid|wow|whoa|yay|woo|woohoo|hurray|congrats|congratulations
|thanks|thank you|thankyou|thx|ty|tysm|cheers|ta|much appreciated|appreciated|appreciate it|i appreciate it|many thanks|thanks a lot|thanks a bunch|thanks a million|thanks a ton|please|pls|plz|so much|very much|a lot|again
|for that|for the help|for your help|for everything|of course|no problem|no worries|no need|no rush|no way|np|you're welcome|welcome|my pleasure|got it|gotcha|i see|i get it|i understand|understood|makes sense|make sense|noted
|fair enough|fair point|good point|good one|good idea|good job|good work|good to know|good call|good stuff|well done|nicely done|sounds good|sounds great|sounds fine|sounds perfect|sounds lovely|sounds like a plan
|that's|thats|that is|it's|this is|it is|that|this|it|one|to me|with me|by me|for me|works|work|works for me|let's do it|let's do that|go ahead|do it|will do|can do|done|agreed|agree|i agree|exactly|precisely|indeed|true|correct
|definitely|certainly|for sure|i think so|i guess|i guess so|i suppose|i suppose so|maybe|perhaps|ha|haha|hahah|hahaha|hahahaha|hehe|hehehe|lol|lolol|lmao|rofl|xd|hilarious|funny|so funny|interesting|impressive|helpful|useful
|my bad|oops|sorry|apologies|no bother|never mind|nevermind|nvm|forget it|don't worry|don't worry about it|it's ok|it's okay|that's ok|whatever|oh well|too bad|what a shame|what a pity|damn|bummer|ouch|oh no
|oh my god|oh my gosh|oh my goodness|omg|my god|jesus|holy cow|holy moly|you're the best|you're amazing|you're a star|you're a legend|you're right|you're awesome|you're great|you're too kind|you're so kind|you rock|you legend|you star
|i love it|i love this|i love that|love it|love this|love that|like it|what i needed|what i wanted|what i meant|what i was looking for|all good|all set|all clear|all done|that's all|that's it|i'm good|i'm fine|i'm ok|i'm okay|we're good
|not bad|not really|not yet|not now|deal|bingo|bravo|kudos|respect|ready|the best|best|man|mate|dude|buddy|friend|guys|team|everyone|there|for now|today|is|was|be|are|a|the|an|you|u|do|think|also|let me see|let me think|let me check|let me try
|hold on|one sec|one second|one moment|wait|brb|later|talk later
"""

GREETING = """
hi|hii|hiii|hey|heyy|hello|hellooo|hiya|howdy|yo|sup|what's up|whats up|wassup|greetings|good morning|good afternoon|good evening|good night|good day|morning|evening|night|night night|gm|gn|how are you|how are u|how are you doing
|how are you today|how are you doing today|how's it going|how is it going|how do you do|nice to meet you|nice to see you|nice to meet you too|long time no see|are you there|anyone there|you there|bye|bye bye|goodbye|good bye|see you|see ya
|see you later|see you tomorrow|see you soon|see you around|see you then|see ya later|see ya tomorrow|see you next week|see you on monday|later|take care|sleep well|sweet dreams|have a nice day|have a good day|have a great day|have a lovely day
|have a nice evening|have a good evening|have a good one|have a nice weekend|have a good weekend|have a great weekend|have a good night|have a good time|have a nice trip|have a good trip|you too|happy new year|happy birthday|happy holidays
|happy easter|happy thanksgiving|happy friday|happy christmas|merry christmas|cheers|there|again|everyone|all|folks|guys|friend|my friend|mate|and|to you|tomorrow|for now|thanks|ok
"""

CONTROL = r"""
(?:please |now |just |ok |okay |and |then )*(?:continue|go on|carry on|keep going|proceed|next|more|show more|tell me more|again|once more|one more(?: time)?|another(?: one)?|give me another(?: one)?|try again|retry|redo|undo|repeat(?: that)?|say (?:that|it) again
|start(?: over)?|restart|reset|stop(?: it)?|cancel|abort|quit|exit|pause|resume|confirm|confirmed|approve|accept|reject|skip(?: it)?|clear|help|menu|back|done|enter|submit|save|send(?: it)?|regenerate|rephrase
|shorter|longer|simpler|faster|slower|louder|make (?:it|this|that) (?:\w+ )?(?:shorter|longer|simpler|better|bigger|smaller|clearer|formal|funnier|bold|nicer|more \w+|less \w+)|do (?:it|that)(?: again)?|in (?:english|chinese|french|german|spanish)|yes do it|option [a-z0-9]|number \d+|the (?:first|second|third|last) one)(?: please| then| now| again)?
"""

# What may stand before the verb of a request
POLITE = (
    r"(?:hey|hi|ok|okay|now|so|then|and|please|pls|kindly|just|can|could|would|will|you|u|i want you to|i'd like you to|i need you to"
    r"|help me(?: to)?|let's|go ahead and|quickly|also|,|\s|be able to|like to)*"
)

COMMAND = r"""
(?:write|translate|summari[sz]e|paraphrase|rewrite|rephrase|reword|proofread|edit|correct|fix|debug|refactor|optimi[sz]e|format|convert|calculate|compute|solve|explain|define|describe|generate|create|make(?! sure\b)|draft|compose|draw|sketch|implement|code|add|remove|delete|insert|rename|copy|paste|replace|extract|parse|sort|filter|list|enumerate|count|compare|classify|analy[sz]e|evaluate|check|run|execute|compile|install|deploy|commit|push|pull|merge|rebase|revert|open|close|display|print|play|pause|mute|turn (?:on|off|up|down)|switch (?:on|off)|set (?:a|an|the)|restart|cancel|search for|google|look up|give me (?:a|an|another|the|some|\d+)|tell me a|act as|pretend|simplify|shorten|expand|elaborate|improve|polish|tidy|clean up|put (?:it|this|that)|turn (?:it|this|that|the)|apply|change|upload|download|export|import|remind me (?:to|at|in|every|tomorrow|on)|wake me|spell|roll|flip|transcribe|render|plot|visuali[sz]e|annotate|lint|repeat|reply)\b
"""

# Stems that a question about what was just said is made of
VAGUE = frozenset(
    """
    like work exact mean thing way think know want need make tell say go get do happen explain
    detail example better good sure actual realli possibl differ differently matter case point
    one lot kind sort part step idea reason option
    """.split()
)

# --- For `understand` -----------------------------------------------------------------------------

# What a question says of the asking itself, which nothing in a memory has
META = r"""
\b(?:can|could|would|will) you (?:please |kindly |also |just |possibly ){0,2}(?:remind|tell|help|show|give) me(?: again| please)?(?: (?:of|about|with))?\b
|\b(?:do|did|can|could) you (?:still |even |happen to |also ){0,2}(?:remember|recall|know)\b(?: (?:if|whether|when i (?:said|told you|mentioned)(?: that)?))?
|\b(?:please )?remind me(?: again)?(?: (?:of|about))?\b|\bhelp me (?:remember|recall)\b|\bjog my memory\b
|\b(?:i was|i am|i'm|i've been|was|just) (?:wondering|curious)(?: if you could| if| whether| about)?\b|\bi(?:'d| would) like to know\b|\bi (?:wanted|want|need) to (?:confirm|know|check|ask|follow up|double[- ]check|make sure|clarify|verify)(?: (?:on|with|about|if)){0,2}\b
|\b(?:i was|i'm|i am) (?:just )?(?:going|looking|thinking) (?:back |through |over |at |to |about ){1,4}(?:our|my|the)(?: (?:previous|last|earlier|past|old))? (?:conversations?|chats?|discussions?|messages?|talks?|notes?|history)(?: (?:about|on|regarding|where))?
|\b(?:in|from|during|regarding|about) our (?:previous|last|earlier|past) (?:conversation|chat|discussion|talk)(?: (?:about|on|regarding))?
|\b(?:you|we) (?:previously |earlier )?(?:mentioned|said|told me|talked about|discussed|recommended|suggested|listed|provided|gave)(?: that| earlier| before| previously){0,2}\b
|\bi (?:previously |earlier |once )?(?:mentioned|told you|said|was telling you)(?: (?:about|that|earlier|before|you)){0,3}\b|\bby the way\b|\bany idea\b|\bplease\b|\bthanks(?: in advance)?\b|\bi (?:still |vaguely |also )?remember(?:ed)?(?: that)?\b|\bif you (?:still )?remember(?:ed)?\b|\byou remember(?:ed)?\b|\bdo i remember correctly\b|\bas far as you know\b|\bfrom memory\b|\bas (?:i|we) (?:mentioned|discussed|said)\b
"""

# The kinds of answer: what must be there, and what asks for it; the one that comes first in the
# text
KINDS = (
    (
        "why",
        "why how_come reason motiv cause made led inspired prompted",
        r"\bwhy\b|\bhow come\b|\bwhat(?:'s| is| was| were|'re| are)? (?:the |\w+'s |my |his |her |their ){0,3}(?:\w+ )?(?:reasons?|motivations?|causes?)\b|\bwhat (?:made|led|caused|inspired|motivated|prompted)\b|\bfor what reason\b",
    ),
    (
        "when",
        "when ago date day time year month week season hour decade",
        r"\bwhen\b(?! (?:i|we|you|he|she|they|it|my|our|the|his|her|did)\b(?!.*\?$))|\bwhen (?:did|do|does|is|was|were|will|are|am|has|have|had|should|can|could|would|might|'s)\b|\bsince when\b|\bhow long ago\b|\b(?:what|which|on what|in what|on which|in which) (?:\w+ )?(?:date|day|time|year|month|week|weekday|season|hour|decade)s?\b(?! (?:of|do) you\b)",
    ),
    (
        "how_many",
        "how number amount total percent price cost age weight height count sum score average distance duration budget size rate ratio salary speed balance",
        r"\bhow (?:many|much|long|often|old|far|big|tall|heavy|fast|high|large|deep|wide|frequently|soon|late|early)\b|\bwhat(?:'s| is| was| are| were)? (?:the |my |our |his |her |their |\w+'s |current |total ){0,4}(?:number|amount|total|percentage|price|cost|age|weight|height|count|sum|score|average|distance|duration|budget|size|rate|ratio|salary|speed|balance)\b|\bnumber of\b|\bin total\b|\bwhat percentage\b",
    ),
    (
        "list",
        "list name what which all_ everything",
        r"(?:^|[.?!,] |please |you )list\b|\bname (?:all|some|three|two|five|a few)\b|\b(?:what|which) are (?:all|some|the|my|his|her|their|our|\w+'s)\b|\bwhat (?:all|else)\b|\b(?:what|which) (?:\w+ ){0,3}?(?!(?:was|is|has|does|this|us|his|its|as|class|address|boss|status|process|business|thus|bus|dress|series|glass|gas)\b)\w+s (?:have|has|did|does|do|are|were|can|would|will|should|had|led|make|made)\b|\b(?:what|which) (?:kinds?|types?|sorts?) of \w+s\b|\b(?:what|which) (?:two|three|four|five|several|other|different)\b|\ball (?:the|of the|my)\b|\beverything\b",
    ),
    (
        "who",
        "who which what",
        r"\bwho(?:m|'s|se)?\b(?! (?:is|are|was|were|have|has|had|works?|lives?|lived|worked|likes?) .*\bwh)|\b(?:which|what) (?:person|people|friend|colleague|doctor|teacher|artist|author|singer|band|actor|family member|relative)\b",
    ),
    (
        "where",
        "where city country place town state location address airport neighb street region continent island",
        r"\bwhere\b(?! (?:the|i|you|we) )|\bwhere (?:did|do|does|is|was|were|will|are|am|has|have|had|should|can|could|would|might|'s)\b|\b(?:what|which|in what|in which|from which|to which|at which|at what) (?:\w+ )?(?:city|country|place|town|state|location|address|airport|neighbou?rhood|street|region|continent|island)\b|\bwhere(?:'s|'re)?\b",
    ),
    (
        "which",
        "which what _or_",
        r"\bwhich\b|\bwhat (?:kind|type|sort|brand|colou?r|model|genre) of\b|^(?:is|was|are|were|do|does|did) [^?]* (?<!and/)or [^?]*\?",
    ),
    (
        "what",
        "what any_ can_you could_you would_you",
        r"\bwhat(?:'s|'re)?\b|\bany (?:good )?(?:tips|ideas?|suggestions?|advice|recommendations?|thoughts)\b|\b(?:can|could|would) you (?:please )?(?:suggest|recommend|give|name|find|propose)\b",
    ),
    ("how", "how", r"\bhow(?:'s|'d|'re)?\b"),
    (
        "yes_no",
        "",
        r"(?:^|[,.;:!?] ?|\b(?:and|so|but) )(?:is|are|am|was|were|do|does|did|can|could|should|would|will|has|have|had|may|might|isn't|aren't|wasn't|weren't|don't|doesn't|didn't|haven't|hasn't)\b|\b(?:whether|if) (?:i|we|he|she|they|it|my|the)\b|\b(?:right|correct)\?",
    ),
)

NOW = r"\b(?:now|nowadays|currently|current|these days|at the moment|at present|presently|present|still|today|any ?more|(?<!to )latest|most recent(?:ly)?|right now|so far|up to date|to date|as of (?:now|today)|yet|ongoing|up-to-date)\b"
ENDS = r"\b(?:quit(?:ting)?|resign(?:ed|ing)?|notice|retir(?:ed|ing)|laid off|fired|sacked|(?:gave|given|giving) up|ditch(?:ed|ing)|done with|sold|selling|got rid of|gave away|threw (?:out|away)|swapped|replac(?:ed|ing)|switch(?:ed|ing) from|mov(?:ed|ing) (?:out|away|on)|br(?:oke|oken) up|split up|divorced|cancel(?:l?ed|l?ing)|(?:is|are) gone|no longer|no more|any ?more)\b"
# What follows words of `ENDS`: the thing that is over, up to what is said of it
ENDED = r"^\W*(?:(?:on|at|from|of|as|in|with|out|the|my|our|an?|that|this|his|her|their|old|being|working|using) ){0,4}(?P<thing>(?:(?!(?:at|in|on|from|for|with|to|and|or|as|because|when|while|after|before|since)\b)[^\s]+ ?){1,4})"
CHANGES = (
    ENDS
    + r"|\b(?:now|these days|from (?:now|next|this) \w+|instead|new|since|so far|finally|already|by now|up to|down to|(?:an)?other|again|switch(?:ed|ing)?|chang(?:ed?|ing)|mov(?:ed?|ing)|replace|rais(?:ed?|ing)|lower(?:ed)?|left|leaving|stopp(?:ed|ing)|dropp(?:ed|ing)|finish(?:ed|ing)|closed|shut down|expired|ended|separated|(?:is|are) over|increas(?:ed?|ing)|reduc(?:ed?|ing)|upgrad(?:ed?|ing)|cut|push(?:ed)?|postponed?|delayed|doubled|extended|extension|start(?:s|ed|ing)|join(?:ed|ing)|became|(?:go|goes|went|gone) (?:up|down))\b"
)
THEN = r"\b(?:used to|previous(?:ly)?|former(?:ly)?|original(?:ly)?|initial(?:ly)?|back then|back when|at first|in the past(?! (?:few|couple|several|[0-9]+|one|two|three|four|five|six|week|month|year|day))|once|earlier|ex-\w+|(?<!how )(?<!year )(?<!years )(?<!months )old(?! enough)|at the time|in those days|prior|before (?:that|then|this|now)|before(?=[.?!]|$)|as of (?!now|today)|at that time|in the beginning|no longer|any longer|first started|when i was|(?:was|were) my)\b"

RECENTLY = r"\b(?:recently|lately|of late|these days|just recently|the other day)\b"

FROM = r"(?:\b(?:since|from|starting|beginning|as from) (?:the )?)$"
UPTO = r"(?:\b(?:as of|by|until|till|up to|through|as at) (?:the )?(?:end of )?)$"
PRIOR = r"(?:\b(?:before|prior to|earlier than) (?:the )?)$"
LATER = r"(?:\b(?:after|following|later than) (?:the )?)$"
ABOUT = r"(?:\b(?:around|about|circa|near|roughly|approximately) (?:the )?)$"
EVERY_YEAR = r"\b(?:birthdays?|born|birth|anniversar(?:y|ies))\b"

_TALKED = "talk(?:ing)?|discuss(?:ing)?|chat(?:ting)?|speak(?:ing)?|say(?:ing)?|cover(?:ing)?"
_A_TALK = "discussion|conversation|chat|talk|session"
LAST = rf"""
\bwhat (?:did|were) we (?:last )?(?:{_TALKED})(?: about)?(?: last time| last session| before| earlier)?
|\bwhere (?:did|were|was) we\b(?: (?:leave|left|stop) off)?(?: last time)?
|\b(?:pick(?:ing)? (?:it )?up|continue|carry on|resume|go on)(?: from)? where we (?:left off|stopped|were)
|\b(?:continue|resume|carry on with|go on with|back to) (?:our|the|that|this)(?: last| previous)? (?:{_A_TALK})
|\bwhat (?:was|is) (?:our|the|my) last (?:{_A_TALK}) about
"""
# Words (`_` for a space) of which a pattern needs one: without, it is neither tried nor compiled
GUARDS = {
    "LAST": "we_talk we_discuss we_chat we_speak we_say we_cover we_last we_left we_leave were_we we_were we_stop did_we was_we our_ the_ that_ this_ my_last",
    "META": "you_ remind recall remember memory wonder curious like_to_know to_confirm to_know to_check to_ask to_follow to_double to_make to_clarify to_verify i_was i'm_ i_am our_ i_mention i_told i_said by_the_way any_idea please thanks as_far",
    "RECENTLY": "recently lately of_late these_days other_day",
    "FORGET": "forget delet eras remov wip clear scrub purg discard remember memori rid",
}
