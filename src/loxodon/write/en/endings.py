"""Rules for what ends, changes or is replaced. They come before all others: a sentence that says
that something is over must never be read as saying that it is so."""

from __future__ import annotations

from loxodon.write.en.rules import Rule

ENDS = (
    Rule(

            r"(?:has )?decided (?:not to|against)(?: \w+ing)? (?:open |buy |take |get |do |go to "
            r"|go |move to |have )?{O}",
        "", "end", False, "decision",
    ),
    Rule(r"(?:has|is|have|are)(?: fully| completely)? (?:healed|cleared up|gone away)\b",
        "", "end", False, "health", "thing"),
    Rule(r"(?:is |was |has been |got )?(?:repealed|lifted|overturned|revoked|rescinded|abolished)\b", "", "end",
        False, "change", "thing"),
    Rule(r"(?:has )?changed (?:their|his|her) minds? (?:about|on) {O}", "", "end", False, "decision"),
    Rule(
        r"(?:has )?(?:banned|barred|forbidden|forbade|prohibited|warned) the user(?: from| off)?"
        r" (?:(?:eating|drinking|playing|using|having|doing|going to) )?{O}", "avoids", "end", False, "habit",
        "person"),
    Rule(r"is (?:so |totally |completely |well )?over (?P<o>(?!the\b|it\b|that\b|this\b)[a-z-]+s)$",
        "likes", "end", False, "taste", "person"),
    Rule(r"(?:has )?(?:flogged|nuked|chucked|wound up|shut|packed in|jacked in) {O}",
        "", "end", False, "change"),
    Rule(r"(?:is|was|has been) (?:no longer|not) (?:allergic|intolerant) to {V}(?: any ?more)?",
        "allergy", "end", False, "health"),
    Rule(r"(?:isn't|wasn't) (?:allergic|intolerant) to {V}", "allergy", "end", False, "health"),
    Rule(
        r"(?:has )?(?:came|come|gone|went|weaned(?: themselves)?|tapered|is coming"
        r"|got) off (?:the |their |his |her )?(?P<v>(?P<o>{MED}|meds|medication|pill))\b",
        "medication", "end", False, "health"),
    Rule(
        r"(?:has )?(?:stopped|quit|finished|discontinued)(?: taking| using)? (?:the |their |his "
        r"|her )?(?P<v>(?P<o>{MED}))\b", "medication", "end", False, "health"),
    Rule(r"no longer (?:takes|needs|uses) (?:the |their )?(?P<v>(?P<o>{MED}))\b", "medication",
        "end", False, "health"),
    Rule(r"(?:has )?(?:took|taken|is taking|weaned) the user off (?:the )?(?P<v>(?P<o>[\w -]+))",
        "medication", "end", False, "health"),
    Rule(r"no longer works? (?:at|for|in) {O}", "employer", "end", False, "work"),
    Rule(r"(?:doesn't|does not) work (?:at|for|in) {O} any ?more", "employer", "end", False,
        "work"),
    Rule(r"(?:has )?(?:retired)(?: from {O})?", "occupation", "end", True, "work"),
    Rule(
        r"(?:has )?(?:left|quit|resigned from|walked out of|got fired from|was fired from"
        r"|was let go from|got laid off from|was laid off from) (?P<o>(?:the )?[\w&' "
        r".-]*?\b(?:practice|company|firm|job|council|library|school|army|navy|raf|bank|agency"
        r"|hospital|studio|startup|team|zoo|museum|hotel|factory|theatre|airport)|(?:the )?(?-i:[A-Z])[\w&'.-]*(?: (?-i:[A-Z])[\w&'.-]*)*|banking"
        r"|teaching|nursing|law|medicine|academia|retail|consulting|finance)\b", "employer", "end",
        False, "work"),
    Rule(
        r"(?:has )?(?:got|was|has been|been|is being|is getting) (?:laid off|fired|sacked"
        r"|made redundant|let go|furloughed)", "employer", "end", False, "work"),
    Rule(
        r"(?:has )?(?:quit|left|lost|handed in|resigned from|resigned|packed in"
        r"|jacked in)(?: (?:their|his|her) (?:old )?(?:job|notice|role|post|position))?$",
        "employer", "end", False, "work"),
    Rule(
        r"(?:has )?(?:quit|left|lost|packed in|jacked in|resigned from) (?:their|his|her"
        r"|the) (?:old |day )?(?:job|role|post|position)(?: (?:at|with|in) (?P<o>[\w&' -]+?)(?=$"
        r"|[,;]| on\b| last\b| and\b| yesterday| today))?", "employer", "end", False, "work"),
    Rule(
        r"(?:no longer lives? in|moved out of|has moved out of|moved away from|doesn't live in"
        r"|does not live in) {O}", "home", "end", False, "home"),
    Rule(r"(?:has )?left (?P<o>{PLACE})(?=$|[,;]| in\b| for good)", "home", "end", False, "home"),
    Rule(r"(?:has )?left (?!the user\b)(?P<o>[\w&' -]{2,30}?)(?=$|[,;]| in\b| last\b| and\b| to\b| for\b)",
        "employer", "end", False, "work", "person"),
    Rule(
        r"(?:has )?(?:split up|broken up|broke up|split|got divorced|divorced|separated"
        r"|called it quits|ended things)(?: with (?P<o>[^,;]+?))?(?=$|,| on | in | last "
        r"| yesterday| after | because| and )", "partner", "end", False, "relationship"),
    Rule(r"(?:aren't|are not|isn't|are no longer|is no longer) together(?: any ?more)?", "partner",
        "end", False, "relationship"),
    Rule(r"(?:(?:had|has had)(?: to)? )?(?:say|said) goodbye to {O}", "pet", "end", False, "pets"),
    Rule(
        r"(?:(?:had|has had)(?: to)? )?(?:put|have|had) (?P<o>[^,;]{2,30}?) (?:down|to sleep|put down"
        r"|put to sleep)", "pet", "end", False, "pets"),
    Rule(r"(?:put|had) {O} (?:down|put down|put to sleep)", "pet", "end", False, "pets", "user"),
    Rule(r"lost the baby\b", "pregnancy", "end", False, "loss", "user"),
    Rule(r"lost (?P<o>(?:the|their|his|her) (?:baby|{PET}|{PERSON})(?: (?-i:[A-Z])\w+)?)", "",
        "end", False, "loss"),
    Rule(r"lost (?P<o>(?-i:[A-Z])\w+)(?=$|,| on | last| this| in | yesterday| today| to | at | after)", "",
        "end", False, "loss", "user"),
    Rule(r"(?:miscarried|had a miscarriage|lost the pregnancy)", "pregnancy", "end", False,
        "health"),
    Rule(
        r"(?:has )?(?:passed away|died|passed on|was put down|was put to sleep"
        r"|crossed the rainbow bridge|passed(?= (?:peacefully|suddenly|quietly|in (?:his|her|their)"
        r" sleep|surrounded|from|at (?:home|\d)|last (?:night|week|month|year)|yesterday|this"
        r"|on \w+day|in (?:hospital|hospice|a hospice|the night|\d{4}|{MONTH}))\b))\b"
        r"(?! (?:the|his|her|their)\b)", "", "end", False, "loss", "person"),
    Rule(r"(?:has |is )?gone back to (?P<v>{PLACE})(?=$|[,;]| so\b| and\b)", "home", "change", True,
        "home", "person"),
    Rule(r"(?:has |is )?(?:long |now |all |finally )?gone$", "", "end", True, "change", "person"),
    Rule(r"(?:came|has come|is|got|is back|was sent) (?P<v>home)\b(?! (?:from work|schooled))", "", "change", True,
        "change", "person"),
    Rule(r"(?:came|has come|come) (?:off|out)(?=$|,| on | in | last| yesterday| today| this)", "", "end",
        False, "health", "thing"),
    Rule(
        r"(?:is|are|was|were|has been|have been|got)(?: put| now| placed)? on (?:hold|ice|pause|the back"
        r" burner)\b|(?:is|are|has been|was) (?:paused|suspended|parked|mothballed)\b", "", "end", True, "change", "thing"),
    Rule(
        r"(?:got|was given|has had|had) the (?:chop|boot|axe|push|heave-ho|bullet)\b|(?:has |have )?(?:fizzled out|petered out"
        r"|disbanded|dissolved|bit the dust|died a death|been disbanded|been wound up)\b|(?:is|are) (?:no more|history|kaput)\b",
        "", "end", False, "change", "thing"),
    Rule(r"(?:didn't|did not|isn't|won't be|is not) renew(?:ing)? {O}", "", "end", False, "change"),
    Rule(r"(?:hasn't|haven't|doesn't have) an? {O} any ?more|(?:has )?handed in the keys? (?:for|to|of) (?P<o2>(?:the |their )?[\w' -]+)",
        "", "end", False, "change"),
    Rule(r"(?:is|went|came|has come|has gone) off (?P<o>[\w -]{2,30}?)(?:,? and|,|;) (?:is )?(?:now )?on(?:to)?"
        r" (?P<v>[\w -]+?)(?: now)?(?=$|,)", "medication", "change", True, "health"),
    Rule(r"(?:has )?moved out\b", "living_with", "end", False, "home", "person"),
    Rule(
        r"(?:is|was|has been|are|were|got) (?:off|cancelled|canceled|called off|scrapped|over"
        r"|finished|axed|shelved)\b(?! (?:the|coffee|work|sick|for|caffeine|\w+ now))", "", "end",
        False, "change", "thing"),
    Rule(
        r"(?:fell through|isn't happening|is not happening|didn't happen|isn't going ahead"
        r"|won't happen)", "", "end", False, "change", "thing"),
    Rule(
        r"(?:is|has been|went) off (?P<v>(?P<o>dairy|gluten|coffee|caffeine|alcohol|booze|sugar"
        r"|meat|carbs|bread|social media|drink|smoking|[\w-]+))(?= now\b| for\b| since\b|$|,)", "",
        "end", False, "habit"),
    Rule(
        r"no longer (?:drinks|eats|smokes|plays|does|watches|uses|has|owns|drives|wears|goes to"
        r"|goes|likes|takes|lives with|reads|wants|needs|sees|keeps|runs|practises|practices"
        r"|studies|speaks|teaches|coaches|attends|subscribes to|pays for|rents|is) {O}", "", "end",
        False, "change"),
    Rule(
        r"no longer (?:eats|drinks|has) (?P<v>(?P<o>meat|pork|fish|dairy|milk|gluten|sugar|coffee"
        r"|caffeine|alcohol|bread|carbs|eggs?|cheese))\b", "diet", "end", False, "diet"),
    Rule(r"no longer {O}", "", "end", False, "change"),
    Rule(
        r"(?:(?:doesn't|does not|don't|can't(?! stand| bear| abide))(?: \w+(?: to| on| in| at| for"
        r"| with)?(?! any ?(?:more|longer)))?|isn't|is not|hasn't|aren't)(?: the| a| an| their)?"
        r" (?P<o>[^,;]+?)(?:,)? (?:any ?(?:more|longer)|these days|nowadays|at the moment|now)\b", "",
        "end", False, "change"),
    Rule(
        r"(?:had to |has had to |has to |is having to )(?:rehome|sell|give up|give away|cancel|quit"
        r"|stop|drop|close|return|pull out of|drop out of|get rid of|scrap|ditch|shut|call off"
        r"|withdraw from|part with) {O}", "", "end", False, "change"),
    Rule(r"(?:is|are|was|were) (?:finished|done|complete|completed|submitted|sold|gone|published)$",
        "", "end", True, "change", "thing"),
    Rule(
        r"(?:has )?(?:gave|given|handed|donated|lent|rehomed|returned) (?!up\b|in\b|birth|it\b"
        r"|off\b|out\b|away\b|notice|the user)(?P<o>(?:the |their |his"
        r" |her )?[\w' -]{2,30}?)(?: away| back| on| in| over)?(?: to .+|$)", "", "end", False,
        "change", "user"),
    Rule(
        r"(?:has |have )?(?:gone away|went away|ended|finished|wrapped up|expired|lapsed|folded"
        r"|closed down|shut down|came through|arrived|fell apart|came to an end|stopped)(?=$|,| after"
        r"| in | on | last| this| today| yesterday| at )", "", "end", False, "health", "thing"),
    Rule(
        r"(?:has )?(?:outgrew|outgrown|grew out of|grown out of|got over|gotten over|recovered from"
        r"|beat|beaten|overcame|overcome|shook off|came out of|got out of) {O}", "", "end", False,
        "health"),
    Rule(
        r"(?:has )?left (?P<o>(?:the|their) (?!house|home|room|door|light|key|phone|wallet|bag|car|oven"
        r"|window|country|city|building|shop|store|user)[\w' -]+?)(?=$|,| in | on | last| over | after"
        r"| because| this| and )", "", "end", False, "change", "user"),
    Rule(
        r"(?:has )?(?:come|came) (?:around|round) to {O}|(?:has )?(?:learned|learnt|taught themselves)"
        r"(?: how)? to (?P<o2>\w+)", "", "change", True, "change"),
    Rule(r"(?:rehomed|parted with|let go of) {O}", "", "end", False, "change"),
    Rule(r"(?:didn't|did not) (?:get|win|make|reach|land) (?P<o>(?:the|that|into|onto) .+?)(?=$|,| in | on )",
        "", "end", False, "change"),
    Rule(
        r"(?:has )?(?:got|had|gotten|having|getting) (?P<o>(?:the|their|his|her) [\w ]+?) (?:off|out"
        r"|removed|taken off|taken out)\b", "", "end", True, "health"),
    Rule(r"(?:let|lets) (?P<o>(?:the |their |his |her )?[\w' -]{2,30}?) (?:lapse|go|expire|run out)\b",
        "", "end", False, "change"),
    Rule(
        r"(?:is|are|has|have|feels?)(?: been)?(?: \w+ly| all| much| so much)? (?:better|healed"
        r"|recovered|cured|gone(?! (?:from|up|down|to|back|on|for))|back to normal|all clear|normal|under control|in remission"
        r"|in range)\b", "", "end", False, "health", "thing"),
    Rule(
        r"(?:died|broke|broke down|packed in|gave up the ghost|conked out|was stolen|got stolen"
        r"|got nicked|is broken|is a write[- ]off|was written off|was totalled|is dead)\b", "",
        "end", False, "change", "thing"),
    Rule(
        r"(?:has )?(?:dropped out of|pulled out of|pulling out of|backed out of|opted out of"
        r"|got out of|got rid of|gotten rid of) {O}", "", "end", False, "change"),
    Rule(
        r"(?:has )?(?:stopped|quit|given up|gave up|packed in|jacked in|cut out|kicked|dropped"
        r"|ditched|cancelled|canceled|deleted|uninstalled|unsubscribed from|sold|got rid of"
        r"|gotten rid of|binned|scrapped|abandoned|pulled out of|pulling out of|dropped out of"
        r"|withdrew from|backed out of|closed(?! on\b)|shut down|returned|ripped out|removed|gave away"
        r"|given away|donated|finished(?! up)|completed|lapsed|ended(?! up)|moved away from"
        r"|moved off|stepped down from|stepped back from|resigned as|opted out of|called off"
        r"|gone off|went off|got out of|broke up with|split up with|split with|divorced"
        r"|dumped) (?!(?:to|from|by|below|under|again|for)\b|\d)(?:doing |using |drinking |eating |playing |going to |taking |wearing "
        r"|watching |seeing |having |with )?{O}", "", "end", False, "change"),
    Rule(
        r"(?:is|are) (?:pulling out of|dropping|giving up|quitting|cancelling|selling"
        r"|getting rid of|stopping|leaving behind) {O}", "", "end", False, "change"),
    Rule(r"(?:has )?stopped (?P<o>\w+ing)\b", "", "end", False, "change"),
    Rule(
        r"(?:didn't|did not|wasn't able to) get (?P<o>(?:the |that |this )?[\w' -]*?(?:job|role"
        r"|place|part|flat|house|visa|position|internship|grant|scholarship|offer|gig))", "", "end",
        False, "change"),
    Rule(r"(?:was|got|has been) (?:rejected|turned down)(?: by| for| from)? {O}", "", "end", False,
        "change"),
    Rule(r"(?:rejected|turned down) the user\b", "", "end", False, "change"),
    Rule(
        r"(?:is|was|has been) (?P<o>{CONDITION}|smoke|alcohol|cancer|seizure|nicotine|sugar"
        r"|debt)[- ]free\b", "", "end", False, "health"),
    Rule(r"(?:is|are) no longer (?:with|at|on|in|into) {O}", "", "end", False, "change"),
    Rule(
        r"(?:is|was)(?: not|n't) (?P<o>(?:{ILL}|{DIET}|single|married|engaged|pregnant"
        r"|a [\w ]+))(?: any ?more)?$", "", "end", False, "change"),
)  # fmt: skip

CHANGES = (
    Rule(r"(?:has |is )?(?:just )?mov(?:ed|ing) in(?: with the user)?(?=$|,| last| this| on )",
        "living_with", "change", True, "home", "person"),
    Rule(
        r"(?:has |have |is |was |got )?(?:been )?(?:slipped|slid|drifted|bumped|delayed|pushed|moved"
        r"|postponed|put back|brought forward)(?: back| forward| out)?(?: from (?P<o>[\w ]+?))? (?:to"
        r"|until|till|by) (?P<v>(?:the |next |this |early |late |mid |mid-)?(?:{DAY}|\d|{MONTH}|tomorrow"
        r"|week|month|year|spring|summer|autumn|winter|q[1-4]).*)", "schedule", "change", True, "",
        "thing"),
    Rule(
        r"(?:has |have |is |was )?(?:been )?(?:jumped|gone up|went up|going up|gone down|went down"
        r"|risen|rose|rising|dropped|fallen|fell|climbed|grown|grew|shrunk|shrank|shot up|crept up"
        r"|come down|came down|up|down)(?: from (?P<o>[^,;]+?))? to {V}", "", "change", True, "",
        "thing"),
    Rule(r"(?:has )?renamed (?P<thing>(?:the|their|his|her) [\w' -]+?) (?:to|as) {VT}", "name",
        "change"),
    Rule(
        r"(?:has )?(?:rescheduled|postponed|moved|pushed|shifted|changed|brought|delayed|put)"
        r" (?P<thing>(?:the|their|his|her) [\w' -]+?)(?: back| forward| out| up)? (?:to|until|till)"
        r" (?P<v>(?:the |next |this |every |every other |each )?(?:{DAY}|\d|{MONTH}|tomorrow|week|month"
        r"|year|spring|summer|autumn|winter|noon).*)", "schedule", "change"),
    Rule(
        r"(?:has )?(?:rewrote|rewritten|rebuilt|ported|redid|redone|redesigned|reimplemented|moved)"
        r" (?P<thing>(?:the|their|his|her) [\w' -]+?)(?: from (?P<o>[\w .+#-]+?))? (?:in|to|with|using)"
        r" (?P<v>(?-i:[A-Z])[\w .+#-]*)", "uses", "change"),
    Rule(
        r"(?:has )?(?:traded|swapped|part-exchanged|exchanged)(?: in)? (?P<o>(?:the |their |his |her )?"
        r"[\w' -]{2,30}?)(?: in)? for {VT}", "uses", "change"),
    Rule(
        r"(?:has |is )?(?:gone|went|dropped|going|cut|cut back|stepped|back)(?: down| up| back)? to"
        r" (?P<v>(?:\w+ days\b|full[- ]time|part[- ]time|nights|days|\d+ hours).*)", "schedule",
        "change", True, "work"),
    Rule(r"(?:has )?changed to {V}", "", "change", True, "", "thing"),
    Rule(r"(?:is|was)(?: now)? (?:called|renamed(?: to)?) {V}", "name", "change", True,
        "name", "thing"),
    Rule(r"reports? to {V}(?: now)?", "manager", "change", True, "work", "user"),
    Rule(
        r"(?:has )?(?:moved|relocated|emigrated|shifted|is moving|is leaving for|is off to live"
        r"|left for)(?: (?:in|out|up|down|back|again|house|home))?(?: to| into|(?<=ing for)"
        r"|(?<=left for)) (?P<v>{PLACE}|a (?:care|nursing|retirement|new|bigger|smaller) [\w ]+"
        r"|sheltered housing|[\w' ]*?(?:house|flat|apartment|condo|village|town|city"
        r"|studio)[\w' ]*?)(?: from (?P<o>[^,;]+?))?(?=$|[,;]| from| for | on | in (?:the|\d"
        r"|january|february|march|april|may|june|july|august|september|october|november|december)"
        r"| with | last | this | next | because| when| after| before| and | to (?:be|live|work"
        r"|study|start|join))", "home", "change", True, "home"),
    Rule(r"(?:has )?(?:moved|relocated)(?: (?:here|there))? from (?P<o>{PLACE}) to {VT}", "home",
        "change", True, "home"),
    Rule(
        r"(?:is|has moved|moved|has come|came) back (?:in|to) (?P<v>{PLACE})(?=$|[,;]| with "
        r"| for | now| because| and | from )", "home", "change", True, "home"),
    Rule(
        r"(?:has )?(?:bought|purchased|got|closed on|rents|is renting|found) (?:a|an|our"
        r"|their)(?: new| own| little| small| tiny)? (?:house|flat|apartment|condo|studio|place"
        r"|room|bungalow|cottage|home|maisonette|terrace|duplex) (?:in|near|outside) {VT}", "home",
        "change", True, "home"),
    Rule(
        r"(?:is|are) at (?P<v>\d+[a-z]? [\w' ]+?(?:road|rd|street|st|avenue|ave|lane|drive|close"
        r"|row|way|court|crescent|place|terrace|gardens|blvd|boulevard)\b.*)", "home", "change",
        True, "home"),
    Rule(
        r"(?:has )?(?:went|gone|turned|became|become|is going)(?: fully| full"
        r"| properly)? (?P<v>{DIET})\b", "diet", "change", True, "diet"),
    Rule(
        r"(?:has )?(?:made|got promoted to|was promoted to|has been promoted to|been promoted to"
        r"|got made|became|moved up to|stepped up to|was made"
        r"|is becoming) (?P<v>(?:an? )?(?:[\w-]+ ){0,3}{JOB})\b", "occupation", "change", True,
        "work"),
    Rule(
        r"(?:is|are) (?:retraining|training|qualifying|studying) (?:as|to be"
        r"|to become) (?P<v>(?:an? )?(?:[\w-]+ ){0,3}?{JOB})\b", "occupation", "change", True,
        "work"),
    Rule(
        r"(?:has )?(?:quit|left|gave up|given up) (?P<o>[^,;]+?) to (?:become|be|train as"
        r"|retrain as|start) (?P<v>(?:an? )?[^,;]+?)(?=$|[,;]| and)", "occupation", "change", True,
        "work"),
    Rule(r"(?:has )?(?:qualified)(?: as (?P<v>[^,;]+))?", "occupation", "change", True, "work"),
    Rule(
        r"(?:got|is getting|has got|are getting) (?:a new|another) (?:job|gig|role"
        r"|position) (?:at|with|as|in) {VT}", "employer", "change", True, "work"),
    Rule(
        r"(?:has )?(?:joined|signed up (?:to|for|with|at)) (?P<v>(?:the |a |an )?[\w' -]*?(?:gym"
        r"|club|choir|band|class|course|group|league|library|society|team|discord|server|church"
        r"|scheme)\w*)", "membership", "change", True, "membership"),
    Rule(
        r"(?:is starting|starts|started|is going|is moving|has moved|moved)(?: at"
        r"| to) (?P<v>(?:[\w'.-]+ ){1,4}?(?:school|college|university|uni|academy|elementary"
        r"|middle|high|primary|nursery|kindergarten|sixth form))\b", "school", "change", True,
        "education"),
    Rule(
        r"(?:has )?(?:joined|started at|starting at|starts at|is starting at|is joining"
        r"|was hired by|got hired by|got hired at|landed a job at|got a job at|got a job with"
        r"|is moving to work (?:at|for)|jumped ship to|moved companies to) {VT}", "employer",
        "change", True, "work"),
    Rule(
        r"(?:has )?(?:upgraded|updated|moved|migrated|bumped)(?: everything| it"
        r"|(?P<thing> (?:the|their) \w+))? to (?P<v>(?P<o>[A-Za-z.+#]+) ?v?\d[\w.]*)", "version", "change", True,
        "tools"),
    Rule(
        r"(?:is staying and )?(?:is )?(?:switching|switched|moving|moved|changed|changing"
        r"|has switched)(?: over)? to (?P<v>(?:Dr|Prof|Mr|Mrs|Ms)\.? (?-i:[A-Z])[\w'. -]+?)(?=$"
        r"|[,;]| because| and| now)", "doctor", "change", True, "people", "user"),
    Rule(
        r"(?:switched|changed|swapped|has switched) (?:doctors|obs|gps|dentists|therapists"
        r"|midwives|consultants|physios|vets),? (?:is )?(?:seeing|to|and see|now with"

            r"|with) (?P<v>(?:Dr|Prof|Mr|Mrs|Ms)?\.? ?(?-i:[A-Z])[\w'. -]+?)(?=$|[,;]| now"
            r"| because)", "doctor", "change", True, "people", "user"),
    Rule(
        r"(?:has )?turned (?P<v>\d{1,3}|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty)(?:-\w+)?"
        r"|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen)\b", "age", "change", True, "age"),
    Rule(
        r"(?:has been|was|got|is) (?:swapped|switched|moved|changed"
        r"|put) (?:from (?P<o>{MED}) )?(?:on )?(?:to|onto) (?P<v>{MED}[^,;]*)", "medication",
        "change", True, "health"),
    Rule(
        r"(?:has )?(?:swapped|switched|moved|changed) (?:the user )?(?:over )?(?:from (?P<o>[\w' "
        r"-]+?) )?(?:on)?to (?P<v>{MED})\b", "medication", "change", True, "health"),
    Rule(
        r"(?:has )?(?:migrated|moved|ported|converted|switched|changed)(?: (?:the|their|our"
        r"|everything|all)(?: [\w-]+){0,3})? from (?P<o>[^,;]+?) to {VT}", "uses", "change"),
    Rule(
        r"(?:has )?(?:swapped|switched|replaced) (?!to\b|over\b|back\b|from\b|up\b)(?P<o>[^,;]+?)"
        r" (?:for|with|to) {VT}", "uses", "change"),
    Rule(
        r"(?:has )?(?:switched|changed|swapped|converted|migrated|gone over|went over|moved over"
        r"|moved across|transitioned|upgraded|downgraded|defected|jumped)(?: over| back"
        r"| across)? (?:to|onto) {VT}", "uses", "change"),
    Rule(
        r"(?:is|are) (?:switching|changing|swapping|migrating|moving over|transitioning"
        r"|upgrading)(?: over| back)? (?:to|onto) {VT}", "uses", "change"),
    Rule(
        r"(?:has )?(?:moved|transferred|switched) (?P<thing>(?:the|their|his"
        r"|her) [\w' -]+?) (?:over |across )?to {VT}", "uses", "change"),
    Rule(
        r"(?:has )?(?:went|gone|go|goes|ended up|decided to go|is going) (?:back )?(?:with"
        r"|for) {V} (?:instead|over|rather than)(?: of)?(?: (?P<o>[^,;]+))?", "decision", "change"),
    Rule(
        r"(?:has )?(?:talked|persuaded|coaxed|nudged|pushed|got|turned|steered|won|converted|sold|put) the user"
        r" (?:round |over )?(?:into|onto|on to|over to|round to|towards) {LIST}", "decision", "change", True,
        "decision", "person"),
    Rule(
        r"(?:has )?(?:dropped|ditched|swapped|gave up|given up) (?P<o>[^,;]+?) (?:for"
        r"|in favour of|in favor of) {VT}", "", "change"),
    Rule(
        r"(?:is|are|has been|was) (?:going|up|gone|going up|raised|increased|lowered|changed"
        r"|rising|down) from (?P<o>{MONEY}) to (?P<v>{MONEY})", "price", "change", True, "",
        "thing"),
    Rule(
        r"(?:has )?(?:put|raised|raising|upped|increased|bumped|lowered|cut|is raising|is putting"
        r"|dropped|pushed|extended|moved|changed|reduced|brought|took|switched) (?P<thing>(?:the|their|his|her"
        r"|[A-Z]\w+'s) [\w' -]+?) (?:up |down |back |out )?to (?P<v>[^,;]+?)(?=$|[,;]| and "
        r"| because| from )", "", "change"),
    Rule(
        r"(?:is|are|has|have|has been|was)(?: been)? ?(?:moved|pushed|shifted|changed|rescheduled"
        r"|postponed|moving|brought forward|pushed back|delayed|put back)(?: back"
        r"| forward)? (?:to|until|till) {V}", "schedule", "change", True, "", "thing"),
    Rule(
        r"(?:has|have|is|are|was|were)(?: been)? (?:moved|moving|changed|shifted|switched"
        r"|rescheduled) to (?P<v>(?:the )?(?:{DAY}|\d).*)", "schedule", "change"),
    Rule(r"(?:is|are) (?P<v>[^,;]+?) now$", "", "change", True, "", "thing"),
    Rule(r"(?:are|is) (?:official|together|an item|dating|a couple|going out)\b(?! any)", "partner",
        "change", True, "relationship"),
    Rule(r"(?:has )?(?:got|is) (?P<v>engaged)\b|(?:said yes|proposed)$", "marital_status", "change", True,
        "relationship"),
    Rule(r"(?:has )?(?:got|gotten|was|were) (?P<v>married)\b", "marital_status", "change", True,
        "relationship"),
)  # fmt: skip

__all__ = ["CHANGES", "ENDS"]
