"""Rules for what holds: who someone is, where they live and work, health, likes, things, plans."""

from __future__ import annotations

from loxodon.write.en.rules import Rule

HEALTH = (
    Rule(
        r"(?:is|are|feels|has been)(?: (?:a bit|really|very|quite|pretty|so|still"
        r"|getting))* (?P<v>bad|sore|dodgy|painful|swollen|stiff|knackered|injured|weak|numb"
        r"|inflamed|playing up|acting up)\b", "symptom", topic="health", of="thing"),
    Rule(r"(?:is|are) (?:a|an) (?:[\w-]+ ){0,2}(?P<v>{PET})(?=$|[,;.]| and| who)", "pet",
        topic="pets", of="person"),
    Rule(r"{BE} (?:deathly |seriously |hospital )?(?:allergic|intolerant) to {LIST}", "allergy",
        topic="health"),
    Rule(
        r"(?:has|has got|has had|suffers from) (?:an? |some )?"
        r"(?:(?:mild|severe|bad|slight|serious|bit of a|major|terrible|strong|nasty) )*(?:(?:allerg(?:y"
        r"|ies)|intolerance) to (?P<v2>[^,;]+)|(?P<v>[\w' -]+?) (?:allergy|allergies|intolerance))", "allergy", topic="health"),
    Rule(
        r"(?:can't|cannot|mustn't|isn't able to|shouldn't) (?:have|eat|drink|take|tolerate|do"
        r"|digest) {V}", "avoids", positive=False, topic="diet"),
    Rule(
        r"(?:doesn't|does not|never|won't) (?:eats?|drinks?|have|touch(?:es)?|do) (?P<v>(?:meat"
        r"|pork|beef|chicken|fish|seafood|shellfish|eggs?|dairy|milk|cheese|gluten|wheat|nuts"
        r"|peanuts|alcohol|caffeine|coffee|tea|sugar|spicy|spicy food|red meat|carbs|bread|garlic"
        r"|onions?|gelatine?|wine|beer)\b[^,;]*?)(?=$|[,;]| because| and is | so )", "diet",
        positive=False, topic="diet"),
    Rule(
        r"(?:{BE}|eats|follows|keeps|is on|was on)(?: (?:a|an|the|strictly|strict|mostly|lifelong"
        r"|lapsed))* (?P<v>{DIET})\b(?! (?:recipes?|food|options?))", "diet", topic="diet"),
    Rule(
        r"{BE}(?: an?| the| type \d| t[12]| legally| partially| clinically| severely| registered"
        r"| profoundly| mildly| a bit| slightly)*(?: red[- ]green)? (?P<v>{ILL})\b", "condition",
        topic="health"),
    Rule(
        r"(?:has|has had|has got|suffers from|lives with|struggles with|was diagnosed with"
        r"|got diagnosed with|is diagnosed with|has been diagnosed with|developed|got"
        r"|came down with|is recovering from|battles|deals with)(?: (?:a|an|the|some|really|bad"
        r"|mild|severe|chronic|beginnings of|early|stage|type|\d|terrible|touch of|bit of|case of"
        r"|\w+ly))* (?P<v>{CONDITION})\b", "condition", topic="health"),
    Rule(
        r"(?:takes|is taking|is on|has been on|has been taking|was on|was put on|got put on"
        r"|has been put on|started|has started|started taking|uses|is using|was prescribed"
        r"|got prescribed|is prescribed|injects|wears)(?: (?:a|an|the|daily|my|some"
        r"|\d+ ?m[cg]g?(?: of)?))* (?P<v>{MED}\b(?:[ ,]+\d+ ?m[cg]g?)?|\w+(?= \d+ ?m[cg]g?\b))",
        "medication", topic="health"),
    Rule(r"(?:has )?put the user on (?P<v>{MED}|\w+(?= \d+ ?m[cg]))", "medication", topic="health"),
    Rule(r"{BE} (?:\d+ (?:weeks|months) )?(?P<v>pregnant|expecting)\b", "pregnancy",
        topic="health"),
    Rule(r"(?:is|are) due (?P<v>(?:in|on|mid|early|late|the|\d|{MONTH}).*)", "pregnancy",
        topic="health", of="user"),
    Rule(
        r"(?:is having|is getting|had|has had|is booked in for|is booked for|is scheduled for"
        r"|needs|is waiting for|is due|has|underwent|will have|is going in for)(?: (?:a|an|the|my"
        r"|their|his|her))? (?P<v>(?:[\w-]+ ){0,3}(?:surgery|operation|op|lasik|transplant"
        r"|replacement|c-section|caesarean|biopsy|bypass|appendectomy|mastectomy|hysterectomy"
        r"|vasectomy|chemo|chemotherapy|radiotherapy|dialysis|ivf|colonoscopy|endoscopy|mri"
        r"|root canal|braces))\b", "surgery", topic="health"),
    Rule(
        r"(?:broke|tore|sprained|twisted|fractured|injured|pulled|dislocated|hurt|snapped"
        r"|ruptured|did|has broken|has torn|wrecked|buggered|tweaked|strained|put out"
        r"|has done) (?:their|his|her|my|a|an|the) (?P<v>(?:[\w-]+ ){0,2}(?:leg|arm|ankle|wrist"
        r"|knee|back|shoulder|foot|toe|finger|hip|rib|ribs|collarbone|achilles|acl|hamstring|calf"
        r"|neck|thumb|hand|elbow|meniscus|groin|quad|nose|jaw|tendon|disc))\b", "injury",
        topic="health"),
    Rule(
        r"(?:can't|cannot|isn't able to|is unable to|isn't allowed to) (?P<v>drive|swim|walk|hear"
        r"|smell|run|fly|lift|climb|kneel)(?=$|[,;]| because| any| far| due| so\b| and\b)",
        "condition", positive=False, topic="health"),
    Rule(
        r"(?:doesn't|does not|never|can't|cannot|hasn't|never learned to) (?P<v>drive|drink|smoke"
        r"|cook|swim|vape|ski|eat breakfast|speak \w+|fly|gamble|do drugs)(?=$|[,;.]| any| at all"
        r"| or | and | so | because)", "habit", positive=False, topic="habit"),
    Rule(r"(?:is|are) (?:terrified|scared|afraid|frightened|petrified) of {V}", "avoids",
        topic="fear"),
    Rule(r"wears {V}", "uses", topic="body"),
    Rule(r"(?:smokes|vapes|drinks)\b(?: {V})?", "habit", topic="habit"),
    Rule(
        r"(?:had|has had) (?:a|an) (?:bad |nasty |wee |little |small |serious "
        r"|minor )?(?P<v>(?:\w+ )?(?:fall|accident|stroke|heart attack|seizure|crash|miscarriage"
        r"|concussion|panic attack|breakdown))\b", "event", topic="health"),
)  # fmt: skip

IDENTITY = (
    Rule(r"(?:is|was)(?: now)?(?: going to be)? (?:about|on|set in) {V}", "theme",
        topic="work", of="thing"),
    Rule(
        r"(?:goes by|is going by|prefers to be called|likes to be called|wants to be called)"
        r" (?P<v>[^,;]+?)(?=$|[,;]| but| and| because)", "form_of_address", topic="name", of="user"),
    Rule(
        r"(?:is called|goes by|is going by|is named|prefers to be called|likes to be called"
        r"|wants to be called) (?P<v>[^,;]+?)(?=$|[,;]| but| and| because)", "name", topic="name"),
    Rule(
        r"(?:is|are|'s) (?P<v>\d{1,3})(?:(?: years?)?[- ]old| yo| y/o)?(?=$|[,;.]| and| now| so"
        r"| but| in | on | this | next | as | with | who | because)(?! (?:weeks|months|days))",
        "age", topic="age"),
    Rule(
        r"(?:is|are) (?P<v>(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
        r"|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty"
        r"|fifty|sixty|seventy|eighty|ninety)(?:-\w+)?)(?: years? old)?(?=$|[,;.]| and| now| so"
        r"| but)", "age", topic="age"),
    Rule(
        r"(?:is|are) in (?:their|his|her) (?P<v>(?:early |mid |late |mid-|late-|early-)?(?:teens"
        r"|twenties|thirties|forties|fifties|sixties|seventies|eighties|\d0s))", "age",
        topic="age"),
    Rule(
        r"(?:will turn|turns|turn|will be|is turning|is going to be) (?P<v>\d{1,3})\b(?!:|%"
        r"| (?:weeks|days|minutes))", "birthday", topic="age"),
    Rule(r"(?:was born|is born) (?:in|on) (?P<v>(?:the )?(?:\d|{MONTH}\b)[^,;]*)", "birthday",
        topic="age"),
    Rule(r"(?:was born|is born) (?:in|on|at)\b.*", topic="origin"),
    Rule(
        r"(?:is|are|comes|come|hails|originates)(?: originally)? (?:originally )?from "
        r"(?P<v>{PLACE}(?:, {PLACE})?)(?=$|[,;.]| but| and| so| originally)", "hometown",
        topic="origin"),
    Rule(r"(?:grew up|was raised|was brought up|was born and raised) (?:in|on|near) {V}",
        "hometown", topic="origin"),
    Rule(
        r"(?:is|are)(?: an?| half| part| originally| ethnically)* (?P<v>{NATION})(?=$|[,;.]| but"
        r"| and| by | so| living| working)", "nationality", topic="origin"),
    Rule(
        r"(?:speaks|is fluent in|can speak|knows|understands)(?: (?:fluent|some|a little|a bit of"
        r"|basic|good))* (?P<v>{LANGUAGE}\b.*)", "language", topic="language"),
    Rule(r"{BE} an? native (?P<v>{LANGUAGE}) speaker", "native_language", topic="language"),
    Rule(
        r"(?P<v>weaves|knits|crochets|sews|quilts|busks|juggles|sculpts|whittles|meditates|fosters|vapes|snores|sleepwalks"
        r"|stammers|stutters|homeschools|sails|surfs|skis|freelances)$", "habit", of="user"),
    Rule(
        r"(?:is|has been)(?: (?:happily|newly|recently))? (?P<v>single|married|divorced|widowed"
        r"|separated|engaged|a widow|a widower|in a relationship)\b", "marital_status",
        topic="relationship"),
    Rule(
        r"(?:is seeing|is dating|started seeing|started dating|has started seeing"

            r"|is going out with|met) (?P<v>someone|(?-i:[A-Z])\w+|a (?:girl|guy|man|woman"
            r"|lad)[^,;]*)", "partner", topic="relationship", of="user"),
    Rule(
        r"(?:is|stands) (?P<v>\d'\s?\d{1,2}\"?|\d ?(?:ft|foot|feet) ?\d{0,2}|1[.,]\d\d ?m"
        r"|\d{3} ?cm)(?: tall)?\b", "height", topic="body"),
    Rule(r"(?:weighs|is) (?P<v>\d+(?:\.\d)? ?(?:kg|kilos?|stone|lbs?|pounds))\b", "weight",
        topic="body"),
    Rule(r"(?:is|takes|wears)(?: an?)? size (?P<v>\d+\w?)(?: (?:feet|shoes?))?", "shoe_size",
        topic="body"),
    Rule(
        r"(?:is|are) (?:a |an )?(?:practising |practicing |devout |lapsed )?(?P<v>muslim"
        r"|christian|catholic|protestant|jewish|hindu|sikh|buddhist|atheist|agnostic|jain|quaker"
        r"|mormon|orthodox)\b", "religion", topic="religion"),
    Rule(r"(?:is fasting|fasts|observes|keeps)\b(?: {V})?", "habit", topic="religion"),
)  # fmt: skip

WORK = (
    Rule(
        r"(?:works|is working|has been working|has worked|worked)(?: (?:as|how|like))(?: an?"
        r"| the)? (?P<v>[^,;]+?)(?= at | for | in | with | and |$|[,;]| since)", "occupation",
        topic="work"),
    Rule(
        r"(?:{BE}|got a job as|trained as|is training as|is training to be)(?: (?:a|an|the"
        r"|one of the|only))? (?P<v>(?!\w+ing (?:a|an|the|to|my|their|for|with|at|on"
        r"|in)\b)(?:(?!(?:a|the|to|of|for|my|their|with|by|and|in|on"
        r"|at)\b)[\w'&/+.#-]+ ){0,4}?{JOB})(?![\w'-])(?! (?:friend|brother|sister|wife|husband"
        r"|of mine))", "occupation", topic="work"),
    Rule(
        r"{BE} (?P<v>(?:(?:the )?(?:head|director|vp|chief|vice president"
        r"|captain) of [\w &-]+?|in (?:sales|marketing|finance|hr|it|tech|construction|insurance"
        r"|logistics|publishing|the (?:raf|army|navy|police|civil service|marines|air force))"
        r"|(?:the )?founder|tech lead|(?:a |an )?self[- ]employed|(?:a |an )?freelance[\w ]*"
        r"|(?:a |the )?(?:full[- ]time |part[- ]time )?(?:carer|stay[- ]at[- ]home \w+)|(?:a "
        r"|an )?(?:\d\w\w|first|second|third|final)[- ]year [\w ]+?))(?= at | for | in | with "
        r"| and | on |$|[,;]| now)", "occupation", topic="work"),
    Rule(
        r"(?:teaches|lectures in|lectures|practises|practices) (?P<v>[^,;]+?)(?= at | in (?:a"
        r"|the) |$|[,;]| to )", "occupation", topic="work"),
    Rule(
        r"(?:works|is working|has been working|has worked|is employed|interns|temps"
        r"|freelances|consults|does \w+)(?: (?:part[- ]time|full[- ]time|remotely|nights|shifts"
        r"|offshore|mostly))* (?:at|for|with|by) (?P<v>(?!home|night|weekends|myself|the kids|fun|the family|a living|charity|their|his|her"

            r"|the moment)[^,;]+?)(?=$|[,;]| in (?:the |{PLACE})| as | on | since| for \d| and "
            r"|\.)", "employer", topic="work"),
    Rule(
        r"(?:is|has been)(?: now)? at (?P<v>(?-i:(?!The "
        r"|A )[A-Z][\w&'.-]*(?: (?:& )?[A-Z][\w&'.-]*)*))(?=$|[,;]| in\b| now\b| as\b| doing\b"
        r"| since\b| for\b| normally\b)", "employer", topic="work"),
    Rule(
        r"(?:sees|is seeing|goes to|is going to) (?:a|an|my|the|their) (?P<v>therapist|counsellor"
        r"|counselor|psychologist|psychiatrist|physio|chiropractor|osteopath|personal trainer"
        r"|tutor|nutritionist|dietitian|life coach)\b", "habit", topic="health"),
    Rule(
        r"(?:runs|owns|co-owns|manages|founded|started|set up|co-founded|has|operates|opened"
        r"|launched) (?:a|an|the|my|their|his|her|our)(?: [\w'-]+){0,4}? (?P<v>(?:\w+ )?(?:shop"
        r"|store|business|company|agency|cafe|café|restaurant|salon|studio|startup|practice|farm"
        r"|truck|stall|bakery|bar|pub|gym|clinic|nursery|service|firm|garage|brewery|consultancy"
        r"|label|club|channel|podcast|hotel|b&b|guesthouse|school))\b", "occupation", topic="work"),
    Rule(
        r"(?:works|is|works mostly|is mostly|is in the office)(?: from)? (?P<v>(?:from home"
        r"|remote|remotely|hybrid|in the office|nights|shifts|part[- ]time|full[- ]time"
        r"|\w+ days(?: a week)?|offshore|freelance|4 days|four days)\b.*)", "schedule",
        topic="work"),
    Rule(
        r"works in (?P<v>hr|it|sales|marketing|finance|insurance|retail|construction|logistics"
        r"|healthcare|education|tech|biotech|pharma|advertising|publishing|journalism|hospitality"
        r"|banking|consulting|law|real estate|pr|recruitment|procurement|operations|accounting"
        r"|admin|customer (?:service|support|success)|public relations|government|politics"
        r"|software|cyber ?security|data science|design|fashion|film|tv|media|music|catering"
        r"|engineering|manufacturing|research|academia|mental health|social (?:care|work))\b",
        "occupation", topic="work"),
    Rule(r"(?:is|was)(?: now)? at (?P<v>[$£€]\d[\d,]{3,}.*|\d{2,3}k)", "salary", topic="work",
        of="user"),
    Rule(r"(?:was|got|has been)(?: \w+)? (?:bumped|raised|upped|moved|put)(?: up)? (?:to|on) "
        r"(?P<v>[$£€]\d[\d,]{3,}.*|[$£€]?\d{2,3}k)", "salary", "change", topic="work", of="user"),
    Rule(r"(?:charges|earns|makes|is paid|gets paid|is on) (?P<v>{MONEY}.*)", "salary",
        topic="money"),
    Rule(
        r"(?:commutes|drives|cycles|walks|takes the (?:bus|train|tram|tube|metro|subway)"
        r"|gets the (?:bus|train|tram|tube|metro))(?: (?:to|into|in to) (?:work|the office|town"
        r"|school|uni|campus)| by [\w ]+)(?P<v>.*)", "commute", topic="commute"),
    Rule(
        r"(?:is taking|takes|is getting|gets|catches) (?P<v>the (?:\w+ )?(?:bus|train|tram|tube"
        r"|metro|subway|ferry|coach))\b", "commute", topic="commute"),
)  # fmt: skip

LIVING = (
    Rule(
        r"(?:lives|is living|has lived|has been living|resides|stays|is staying"
        r"|is settled)(?: (?:here|alone|currently))? (?:in|at|near|on|outside|just outside|out in"
        r"|up in|down in|over in|above|by) (?P<v>[^,;]+?)(?=$|[,;.]| with | since| for | because"
        r"| so | but | and | now| at the moment| until)", "home", topic="home"),
    Rule(
        r"(?:is|are)(?: currently)?(?: based| located| situated| living| up| down| over| out"
        r"| back)? (?:in|near|outside|outside of|just outside) (?P<v>{PLACE})(?=$|[,;.]| so\b"

            r"| but\b| and\b| now\b| with (?:my|their|his|her)\b| because\b| these days"
            r"| originally)", "home", topic="home"),
    Rule(
        r"(?:is|lives|has moved|stays) (?:in|at) (?P<v>sheltered housing|(?:a |an )?(?:care"
        r"|nursing|retirement|group) home|assisted living|(?:student )?halls|a hostel"
        r"|temporary accommodation|a hotel|a caravan|a houseboat|barracks)\b", "home",
        topic="home"),
    Rule(
        r"(?:is|works)(?: back)?(?: up| down)?(?: to| for)? (?P<v>(?:\d|two|three|four|five"
        r"|six) days\b.*)", "schedule", topic="work"),
    Rule(r"(?:lives|is living|stays) with [^,;]+? (?:in|near) (?P<v>{PLACE})", "home",
        topic="home"),
    Rule(r"(?:lives|is living|stays|shares a (?:house|flat|place)|flatshares) with (?P<v>[^,;]+)",
        "living_with", topic="home"),
    Rule(r"(?:rents|is renting) (?P<v>[^,;]+?) (?:in|near) (?P<v2>{PLACE})(?=$|[,;])", "home",
        topic="home"),
    Rule(
        r"(?:goes to|attends|is at|is starting at|starts at|started at|is going to start at"
        r"|got into|got accepted (?:to|at|into)|got a place at|got admission in|got admitted to"
        r"|is enrolled at|studies at|is studying at|accepted an offer from|transferred to"
        r"|graduated from|is off to|took) (?P<v>(?:[\w'.-]+ ){0,4}?(?:school|college|university"
        r"|uni|academy|elementary|middle|high|primary|nursery|kindergarten|polytechnic|institute"
        r"|nit \w+|iit \w+|ucl|mit|lse|ucla|ucsd|kcl|nyu)\b)", "school", topic="education"),
    Rule(
        r"(?:studies|is studying|is reading|majors in|is majoring in|is doing (?:a|an|my|their"
        r"|his|her) (?:degree|masters?|phd|doctorate|ba|bsc|msc|mba|course|diploma|apprenticeship"
        r"|a[- ]levels?) in|has a degree in|did (?:a|an|my|their) (?:degree|masters?|phd) in"
        r"|is doing (?:a |an )?(?:phd|masters?) (?:in|on)) (?P<v>[^,;]+?)(?= at | in (?:a|the) |$"
        r"|[,;]| and )", "major", topic="education"),
    Rule(
        r"(?:is in|starts|is starting|is going into|started|has started|went into|is entering|entered"
        r"|moved up to|is now in) (?:the |their |his |her )?(?P<v>(?:year|grade|class|std"
        r"|form|p)\s?\d+|\d+(?:st|nd|rd|th) (?:grade|year|std|standard)|(?:first|second|third"
        r"|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|final|senior|junior"
        r"|freshman|sophomore) (?:grade|year|form)|reception|kindergarten|nursery|preschool"
        r"|college|uni|university|high school|middle school|sixth form|primary school"
        r"|secondary school)\b", "grade", topic="education"),
    Rule(r"(?:is|are) still (?:at|in) (?P<v>school|college|uni|university|nursery)\b", "grade",
        topic="education"),
    Rule(
        r"(?:has|has got) (?:an?|my|their|the) (?P<v>(?:\w+ ){0,3}(?:exam|test|interview"
        r"|appointment|meeting|flight|deadline|viva|audition|hearing|scan|check-?up|recital"
        r"|rehearsal|presentation)\b.*)", "plan", topic="plans"),
    Rule(
        r"(?:passed|got|has|earned|completed|achieved) (?:their |his |her |my |the |a "
        r"|an )?(?P<v>(?:[A-Z]\d|[\w-]+) (?:certificate|certification|exam|licence|license"
        r"|diploma|grade \d)|N[1-5]|[ABC][12]|driving test|bar exam|IELTS[\w. ]*|TOEFL[\w ]*"
        r"|GCSEs?[\w ]*)", "certificate", topic="education"),
    Rule(
        r"(?:is learning|has been learning|is teaching themselves|is picking up|is taking|takes"
        r"|is doing) (?P<v>(?:\w+ )?(?:{LANGUAGE}|guitar|piano|violin|cello|drums|python|coding"
        r"|sign language|karate|judo|salsa|pottery|knitting)(?: (?:lessons|classes))?)", "skill",
        topic="learning"),
)  # fmt: skip

LIKES = (
    Rule(
        r"(?:prefers|would rather have|would rather|favou?rs) {V}(?: (?:to|over|than"
        r"|rather than) (?P<o>[^,;]+))?", "prefers", topic="taste"),
    Rule(
        r"(?:doesn't|does not|never|didn't|isn't|is not)(?: (?:even|really|much|particularly|ever"
        r"|like to))* (?:likes?|loves?|enjoys?|care for|fancy|rate|get on with|keen on|a (?:big "
        r"|huge )?fan of|into|fond of|want|do well with) {LIST}", "dislikes", positive=False,
        topic="taste"),
    Rule(r"(?:can't|cannot|couldn't) (?:stand|bear|abide|stomach|be doing with|deal with) {LIST}",
        "dislikes", positive=False, topic="taste"),
    Rule(
        r"(?:hates|dislikes|detests|loathes|despises|is sick of|is fed up with|is tired of|avoids"
        r"|dreads) {LIST}", "dislikes", positive=False, topic="taste"),
    Rule(
        r"(?:is never|will never|won't)(?: be)? (?:touching|buying|using|eating|drinking"
        r"|going near|doing|going to|touch|buy|use|eat|drink|do) {V}(?: again)?", "avoids",
        positive=False, topic="taste"),
    Rule(
        r"(?:likes|loves|enjoys|adores|is into|is obsessed with|is mad about|is crazy about"
        r"|is a (?:big |huge |massive )?fan of|is keen on|is fond of|is hooked on|is addicted to"
        r"|is partial to|loved|liked|enjoyed|adored|is really into|worships|is passionate about"
        r"|has a thing for|has a soft spot for|lives for|swears by|is mad on|is nuts about"
        r"|grew to love) (?!it$|this$|that$|them$|him$|her$){LIST}", "likes", topic="taste"),
    Rule(r"(?:is|are) (?P<v>[\w-]+)[- ](?:mad|obsessed|crazy)\b", "likes", topic="taste"),
    Rule(
        r"(?:wants|would like|prefers|needs) (?P<v>(?:\w+ ){0,3}(?:replies|answers|responses"

            r"|explanations|bullet points|paragraphs|summaries|emojis?|tables|examples"
            r"|steps)\b[^,;]*)", "reply_style", topic="replies"),
    Rule(r"(?:mains|supports|follows|roots for|barracks for) {V}", "likes", topic="taste"),
)  # fmt: skip

THINGS = (
    Rule(
        r"(?:has|has got) (?:an? |some )?(?P<v>(?:bad|dodgy|weak|broken|sprained|torn|injured|arthritic|stiff|sore|swollen"
        r"|fractured|herniated|slipped|dislocated|high|low|irregular|chronic)(?: left| right| lower| upper)? (?:knee|back"
        r"|shoulder|hip|wrist|ankle|elbow|neck|heart|eye|eyesight|hearing|foot|leg|arm|hand|finger|toe|rib|disc|jaw|thumb"
        r"|hamstring|blood pressure|cholesterol|blood sugar|iron|pain)s?)\b", "condition", topic="health"),
    Rule(
        r"(?:has|has got) (?:an? |the )?(?P<v>(?:[\w-]+ ){0,2}?(?:trip|holiday|flight|exams?|interview|vacation|honeymoon"
        r"|conference|appointment|driving test|surgery|operation|presentation|audition|cruise|viva|recital|gig|meeting)"
        r"\b.*)", "plan", topic="plans"),
    Rule(
        r"(?:got|had|has had|has got|received) (?:the|a|an|my|their"
        r"|some) (?P<v>(?:[\w-]+ ){0,2}(?:promotion|job|offer|raise|results|extension|review|cold"
        r"|flu|interview|place|visa|diagnosis|refund|pay rise|scholarship|bonus|grant|reaction"
        r"|accident|baby))\b", "event", topic="events"),
    Rule(
        r"(?:has|has got|owns|keeps|adopted|has adopted|got|rescued|bought|is getting|is adopting"
        r"|looks after|fosters)(?: (?:a|an|the|my|our|two|three|four|five|\d+|some|another|little"
        r"|old|new|big|\d+[- ]year[- ]old|tiny|lovely))* (?P<v>(?:\w+ )?{PET}s?(?:,? (?:called"
        r"|named) [^;]+)?)(?=$|[,;.]| and | who| which| from | since| last| in | on | so| but"
        r"| because)", "pet", topic="pets"),
    Rule(
        r"(?:has|has got)(?: (?:a|an|the|my|our|two|three|four|five|six|\d+|one|no|any|little"
        r"|teenage|grown|young|twin|baby|new))* (?P<v>(?:\w+ )?(?:sons?|daughters?|kids?|children"
        r"|boys?|girls?|twins|baby|child|toddler|grandkids|grandchildren|grandsons?"
        r"|granddaughters?)\b[^;]*)", "child", topic="family"),
    Rule(
        r"(?:has|has got)(?: (?:a|an|the|two|three|four|five|\d+|one|older|younger|little|big"
        r"|twin|half|step))* (?P<v>(?:sisters?|brothers?|siblings?)\b[^;]*)", "sibling",
        topic="family"),
    Rule(
        r"(?:has|has got)(?: (?:a|an|the|new|lovely|old|great|\w+))? (?P<v>(?:husband|wife"
        r"|girlfriend|boyfriend|partner|fianc[ée]e?)\b[^;]*)", "partner", topic="family"),
    Rule(
        r"(?:drives|bought|got|has|owns|leases|rides)(?: (?:a|an|the|my|new|old|used"
        r"|second[- ]hand|red|blue|black|white|grey|silver|\d{4}|diesel|electric|hybrid|battered"
        r"|little))* (?P<v>(?:subaru|toyota|honda|ford|vauxhall|vw|volkswagen|bmw|audi|mercedes"
        r"|merc|tesla|nissan|hyundai|kia|mazda|volvo|skoda|seat|fiat|renault|peugeot|citroen"
        r"|dacia|mini|jeep|chevy|chevrolet|dodge|gmc|ram|lexus|suzuki|mitsubishi|porsche|jaguar"
        r"|land rover|range rover|fiesta|golf|polo|corsa|astra|focus|civic|corolla|prius|camry"
        r"|yaris|transit|outback|forester|model [3ysx]|maruti|tata|mahindra|car|truck|van|suv"
        r"|hatchback|estate|pickup)\b[^,;]*)", "car", topic="car"),
    Rule(
        r"(?:uses|has|got|bought|is on|switched to|owns|is using|upgraded to|ended up with"
        r"|went for)(?: (?:a|an|the|my|new|old|used|refurbished))* (?P<v>(?:iphone|pixel|samsung"
        r"|galaxy|oneplus|xiaomi|huawei|nokia|motorola|fairphone|nothing phone|android phone"
        r"|android)\b[^,;]*?)(?=$|[,;]| for | so | and | but )", "phone", topic="devices"),
    Rule(
        r"(?:uses|has|got|bought|built|owns|is using|works on|is on)(?: (?:a|an|the|my|new|old"
        r"|used|refurbished|gaming|work))* (?P<v>(?:macbook|mac|imac|mac mini|thinkpad|dell"
        r"|surface|chromebook|laptop|desktop|pc|gaming pc|lenovo|hp|asus|acer"
        r"|framework)\b[^,;]*?)(?=$|[,;]| for | so | and | but | instead)", "computer",
        topic="devices"),
    Rule(
        r"(?:uses|is using|runs on|relies on|works with|is built (?:with|on|in)|builds with"
        r"|writes (?:in|with)|deploys (?:to|on|with)|hosts on|codes in|tracks everything (?:in"
        r"|with)|tracks [\w ]+ (?:in|with)|is written in|shoots (?:with|on)|is shooting with"
        r"|records with|banks with|is with (?!the\b|a\b|an\b|their\b)|is on (?!the\b|a\b|an\b|their\b)|plays on|edits (?:in|with)|cooks (?:with"
        r"|on)) (?!the go|board|time|top|call|it|me|track|holiday|leave|my"
        r"|their)(?P<v>[^;]+?)(?=$|;| for | because| since| so | but | and (?:is|the user|it))",
        "uses", topic="tools"),
    Rule(
        r"(?:is building|is writing|is working on|is developing|is making|is designing"
        r"|is creating|maintains|is coding|wrote|built|created|launched|shipped|released"
        r"|is converting|is restoring|is renovating|is doing up|is knitting|is sewing"
        r"|is recording) (?P<v>(?:a|an|the|my|our|their|some|another) [^;]+?)(?=$|;|,| because"
        r"| so | but | in (?:my|their) (?:spare|free) time)", "project", topic="projects"),
    Rule(
        r"(?:subscribes to|is subscribed to|pays for|has a subscription to|signed up (?:for|to"
        r"|with)|joined|is a member of|belongs to|is part of|is in) (?P<v>(?:netflix|spotify"
        r"|disney\+?|hulu|hbo|prime|amazon prime|youtube premium|apple music|audible|patreon"
        r"|[\w' -]*?(?:gym|club|choir|band|society|association|union|committee|team|group|church"
        r"|mosque|temple|league))\b[^,;]*)", "membership", topic="membership"),
    Rule(
        r"(?:plays|is playing)(?: (?:a lot of|some|mostly|mainly|lots of|the"
        r"|a bit of))* (?P<v>[^,;]+?)(?=$|[,;]| with | on | at | for | every| in | since)", "plays",
        topic="hobby"),
    Rule(r"(?:watches|is watching|binges|only watches) {V}", "watches", topic="media"),
    Rule(r"(?:reads|is reading) {V}", "reads", topic="media"),
    Rule(
        r"(?:collects|grows|keeps|breeds|does(?! (?:the|most|about|not|all|a lot|\d|some|it|that|everything|nothing|this)\b)|practises|practices|bakes|brews|paints|fishes"
        r"|gardens|runs|swims|cycles|climbs|hikes|knits|sews|sings|dances|skis|surfs|sails|rows"
        r"|coaches|volunteers|meditates|cooks)\b(?: (?P<v>(?!or |and )[^,;]+?))?(?=$|[,;]| at | with | in "
        r"| on | every| for | because| so | and )", "hobby", topic="hobby"),
    Rule(
        r"(?:has|has got|owns|bought|got|picked up|inherited|ended up with|purchased"
        r"|treated themselves to|built) (?P<v>(?:a|an|the|my|our|their|some|two|three|four|five"
        r"|six|\d+|another|about|like|lots of|over|new)\b[^;]*?)(?=$|;| because| so | but "
        r"| and (?:is|the user|it)| which| for (?:my|their))", "owns", topic="things"),
)  # fmt: skip

PLANS = (
    Rule(
        r"(?:has |have )?(?:decided|chose|has chosen|picked|settled on|opted for|is going with"
        r"|is going for|went with|has gone with|has gone for|agreed on|decided on|agreed"
        r"|landed on|plumped for|is sticking with|stuck with|will use|will go with|will go for"
        r"|finalised|finalized|committed to)(?: (?:to|on|that|against|on using|to go with"
        r"|to use))?[: ]+{LIST}", "decision", topic="decision"),
    Rule(
        r"(?:is|are) (?:going to|planning to|planning on|hoping to|looking to|thinking of"
        r"|thinking about|considering|saving for|saving up for|training for|preparing for"
        r"|about to|aiming to|aiming for|getting married|getting (?!older|\w+er\b|about|around|\d|tired|sick)"
        r"|moving|starting|flying|travelling|traveling|visiting|off to|heading to|taking|going"
        r"|having (?!trouble|issues|problems|difficulty|\w+ed\b|fun|some (?:trouble|issues))|hosting|running"

            r"|doing|retiring|applying|trying to|expecting to|meant to|supposed to"
            r"|booked)\b(?P<v>.*)", "plan", topic="plans"),
    Rule(
        r"(?:(?:plans|intends|hopes|wants|aims|would like|would love|needs|has|means|has got"
        r"|is hoping|is keen) to|must|will|shall) (?P<v>(?!be able)\w.*)", "plan", topic="plans"),
    Rule(
        r"(?:booked|has booked|signed up for|applied to|applied for|has applied for|enrolled in"
        r"|registered for|entered) {V}", "plan", topic="plans"),
)  # fmt: skip

STATES = (*HEALTH, *IDENTITY, *LIVING, *WORK, *LIKES, *THINGS)

__all__ = ["PLANS", "STATES"]
