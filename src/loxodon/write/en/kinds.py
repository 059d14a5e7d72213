"""What kind of thing a piece of a message is: statement, question, instruction or chat."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from loxodon.write.en.clean import bare, plain, spelled
from loxodon.write.en.patterns import Lazy
from loxodon.write.en.words import alternatives
from loxodon.write.statements import Type

_CHAT = """
    hi hello hey heya hiya yo sup gday g'day howdy morning evening good_morning good_afternoon
    good_evening good_night goodnight night night_night nite gn gm bye byee byeee byebye goodbye
    cya see_ya see_you see_you_later later laters ttyl take_care cheerio ta_ta ciao adios peace
    ok okay k kk okey okie okay_cool alright right righto sure yes yep yup yeah yea ye yass no nope
    nah aye fine good great perfect brilliant excellent lovely nice cool cool_cool awesome amazing
    fab fabulous fantastic superb sweet sick dope lit neat grand class mint ace lush wicked sorted
    legend goat wow whoa woah omg omfg wtf oh ooh aw aww ah haha hahaha lol lmao rofl heh hehe hmm
    hm mm mhm eh meh ugh oof yikes damn dang thanks thank_you thank_you_so_much thanks_a_lot
    thanks_so_much many_thanks much_appreciated appreciate_it appreciated cheers ta ty tysm thx
    gracias merci danke arigato shukriya orale np no_problem no_worries anytime welcome sorry
    my_bad oops whoops please go_on go_ahead go yes_please yes_pls no_thanks nice_one well_done
    good_job great_job good_point fair_enough fair makes_sense got_it gotcha understood noted
    will_do on_it done sounds_good sounds_great looks_good love_it i_love_it exactly indeed
    true totally absolutely definitely of_course obviously same same_here agreed deal word preach
    good_to_know interesting really seriously wait hold_on one_minute one_sec one_moment brb
    anyway anyways whatever idk dunno i_don't_know no_idea maybe perhaps eh_maybe we'll_see
    you're_the_best you're_amazing you_rock you're_a_star you're_a_legend you're_a_lifesaver
    never_mind nevermind nvm forget_it that's_it that's_all that's_fine that's_great that's_ok
    that's_perfect it's_fine it's_ok ok_it's_fine no_rush congrats congratulations party_time
    happy_new_year merry_christmas happy_birthday ramadan_mubarak eid_mubarak happy_diwali
    hows_it_going how's_it_going how_are_you what's_up whats_up jk just_kidding kidding test testing
    that'll_do that'll_do_nicely good_shout oh_well oh_no aw_no oh_dear yay woohoo hooray
    more again next continue keep_going carry_on good_one nice_nice not_really not_yet
"""
_QUESTION_START = Lazy(
    r"(?:what|what's|whats|which|who|who's|whose|whom|when(?! (?:i|we|my|our|he"
    r"|she|they|you)\b)|when's|where|where's|why|how|how's|how'd|what're)\b"
    r"(?! (?:i (?:like|love|hate|do|need|want)|it is|we (?:do|need)) (?:is|are)\b)"
    r"|(?:is|are|does|can|could|would|should|shall|will|isn't|aren't|doesn't|couldn't"
    r"|wouldn't|shouldn't)"
    r" (?:the|a|an|my|our|your|his|her|its|their|this|that|these|those|anyone|someone|any"
    r"|some|people|one|\w+s)\b"
    r"(?! (?:is|are|was) )"
    r"|(?:is|are|was|were|am|do|does|did|can|could|would|should|shall|will|has|have|had|isn't"
    r"|aren't|wasn't"
    r"|don't|doesn't|didn't|can't|couldn't|wouldn't|shouldn't|won't|haven't|hasn't|may|might)"
    r" (?:i|you|we|he|she|it|they|there)\b(?! (?:is|are|was) )"
    r"|(?:is|are) (?!going to)\w+ing \w+|where (?:in|near|is|are|can|to)\b|do (?:most|all|any|dogs"
    r"|cats|people|kids|babies|the)\b"
    r"|(?:any|some|got any|have any|good|best) (?:\w+ ){0,2}(?:tips?|ideas?|advice|recs?"
    r"|recommendations?|suggestions?"
    r"|thoughts|alternatives?|tricks|options|chance|idea|way|ways|good)\b"
    r"|(?:thoughts|opinions|options|recs|ideas|pros cons|pros and cons|same q|quick q"
    r"|quick question)\b"
    r"|(?:is|does|do|did|are|was|can|will|has|should|could|would) (?:it|[A-Za-z]+) "
    r"(?:work|true|worth|safe|ok|okay|normal|possible|better|bad|good|legal|necessary"
    r"|contagious|any|still|have|need|eat|mean|take)\b"
    r"|(?:worth|recs for|ideas for|symptoms of|difference between|meaning of|tips for"
    r"|recipe for|recipes? with)\b"
    r"|menu$|how come|wonder(?:ing)? (?:if|whether|what|how|why)|i wonder|do you|did you"
    r"|are you|have you"
    r"|would you|will you|could you|can you|you (?:know|think|reckon|got|have) (?:any|a|what"
    r"|how|if|of)\b"
    r"|(?:i(?:'m| am) )?(?:still )?(?:not sure|unsure|not certain) (?:if|whether|how|what|which|why|where)\b"
    r"|(?:i(?:'m| am| was|'ve been| have been) |was )?(?:just |also )?(?:curious|wondering)\b"
    r"(?! (?:if|whether) (?:i(?:'m| am|'ve| have| might| may)|my \w+ (?:is|has|might))\b)"
    r"|does anyone|anyone (?:know|else)|(?:asking|ask) (?:hypothetically|if|whether)",
    re.I,
)
_ORDER_VERBS = """
    add analyse analyze answer apply arrange ask assume brainstorm build calculate call change
    check choose clean compare compose continue convert correct count create critique cut debug
    define delete describe design display distract do_it do_the do_me double-check draft draw edit
    elaborate estimate evaluate examine expand explain extract fetch fill find fix format generate
    get_me give go_through guide help hit_me ignore imagine improve insert investigate keep_it
    let_me_know let's list look look_up make match modify move_it name order organise organize
    outline paraphrase pick plan please point polish predict pretend print proofread propose
    provide pull put_it put_together quiz rank rate read rearrange recall recommend redo reduce
    refactor remind remove rename rephrase replace reply research resend respond restart retry
    review rewrite roast roleplay role-play rotate run save say schedule search see_if send set
    share shorten show sing solve sort speak spell split stick stop_with stop_using stop_the
    suggest sum summarise summarize switch_the take_a tell teach test think_of throw_in translate
    swap merge combine reverse reword tweak adjust trim lengthen simplify clarify refine undo
    try turn_this turn_it type update upload use verify walk_me warn watch_out word write act open
    close play redo shout roast cheer cancel delete forget_about forget_that haiku poem limerick
    remember_for remember_to scrap_the scrap_that skip_the ditch_the drop_the avoid_the swap_the forget_the
"""
_WANTS = Lazy(
    r"(?:can|could|would|will) (?:you|u|ya|we|i (?:get|have|ask))\b|(?:i(?:'d| would) (?:like"
    r"|love|want|need)|i(?: just| also)? (?:need|want)|need|want)"
    r" (?:you to|ya to|u to|your help|help|some help|some advice|advice|ideas|some ideas|recs"
    r"|suggestions|a hand"
    r"|(?:a|an|some|\d+|three|two|five|ten|another|the|like a)\b.{0,40}"
    r"(?:list|plan|recipe|recipes|email|mail|letter|bio|template|note|idea|ideas|text|message"
    r"|starter|drill|drills"
    r"|playlist|summary|draft|essay|poem|story|schedule|routine|table|chart|script|quote"
    r"|invoice|caption|slogan"
    r"|itinerary|headline|hashtags?|formula|query|regex|prompt|menu|pitch|logo|routes?|suggestions?|tips?|names?|title|titles|questions?|answers?|example|examples"
    r"|checklist|outline|crash course|announcement|update|blurb|gift|present|pressie|outfit"
    r"|costume|card"
    r"|toast|speech))"
    r"|(?:need|have) to write (?:a|an|my|some)\b"
    r"|(?:i(?:'m| am|'d| would|'ve)? )?(?:just |also |really |only )*(?:want to|wanting to|need to|like to|love to"
    r"|trying to|looking to|hoping to|have to|got to) (?:know|understand|find out|figure out|work out|convert|calculate"
    r"|translate|compare|ask (?:you|about|if|how|what|a)|hear (?:your|about|more|what)|see (?:if|how|what|whether)|check (?:if|whether|how)"
    r"|find the name|remember (?:the|what|how)|identify|phrase|word)\b"
    r"|(?:i(?:'ve| have)?(?: got)? |got |have )(?:a|another|one|some) (?:quick |more |few |weird |silly )?questions?\b"
    r"|(?:i'm )?working out (?:how|what|which)\b"
    r"|(?:i(?:'m| am) |we(?:'re| are) )?(?:also |just |currently |always |still |really )*(?:looking|hoping"
    r"|searching) for (?:(?:any|some|a few|more|the|a|an) )?(?:[\w-]+ ){0,3}?"
    r"(?:ideas?|recs?|recommendations?|suggestions?|tips?|advice|recipes?|help|inspo|information|info"
    r"|guidance|resources|ways|options|alternatives|assistance|guide|tutorials?|inspiration)\b"
    r"|(?:i(?:'m| am) |we(?:'re| are) )?(?:also |just |currently )*(?:looking|searching) for (?:some|any|a good|good"
    r"|something|somewhere|anything)\b"
    r"|help\b|(?:so )?send help|hit me|hit ya up|nudge me|ping me|wake me|remind me"
    r"|let me know|lmk|talk me through"
    r"|bring me|back to (?:spreadsheets|work|it|english|spanish|french|german|italian|japanese)\b|back to (?:the|my|our) [\w ]{2,25}$|less |fewer |shorter|longer\b"
    r"|more (?:formal|casual|detail|examples)"
    r"|one sentence|in (?:one|two|three|\d+) (?:sentences?|words?|lines?|paragraphs?)|tl;?dr"
    r"|you (?:can|could|should|also|must|need to|may) |(?:talk|speak|write) to me\b"
    r"|don't (?:even |ever )?(?:say|tell|bring|ask"
    r"|mention|use|include|give|suggest|plan|add"
    r"|mix|forget|worry|put|write|make|be|judge|recommend|call)\b|never (?:mind|suggest|use"
    r"|mention)\b|no need to|stop (?:with|using|suggesting|doing|saying|the)\b"
    r"|ignore\b|forget (?:about|that|it|what|i)\b|act as|pretend|imagine|lets? (?:do|play|go"
    r"|try|see|talk|start|say|pretend|make)"
    r"|let's|now (?:as|do|make|write|in|try|add|with|the)\b|as a (?:pirate|poem|haiku|song"
    r"|table|list|joke)"
    r"|same (?:but|thing|again|for)\b|try again|open the|start with (?:the|a) \w+$"
    r"|(?:\w+ )?(?:recipe|recipes|template|translation|synonyms?|haiku|poem|limerick"
    r"|invoice template|draft) (?:for|about|of|with)\b(?!.* (?:is|was|are) )",
    re.I,
)


@cache
def _chat() -> re.Pattern[str]:
    return re.compile(rf"(?:{alternatives(_CHAT)}(?:[\s,.!?~-]+|$))+$", re.I)


@cache
def _order() -> re.Pattern[str]:
    return re.compile(
        r"(?:(?:please|pls|kindly|just|now|then|also|and|ok|jarvis|claude|siri"
        rf"|alexa),? )*(?:{alternatives(_ORDER_VERBS)})(?![\w'-])",
        re.I,
    )


_FROM_NOW = Lazy(r"(?:from now on|in future|going forward|as a rule|by default),? ", re.I)
_THANKS = Lazy(
    r"(?:ok |great |perfect |lovely |brilliant )*(?:thank you|thanks|cheers|ta|thx"
    r"|ty)(?: (?:so much|a lot|again|very much))?(?: \w+){0,2}",
    re.I,
)
_GUESS = Lazy(r"(?:it )?could be (?:the|my) [\w' -]{2,30} (?:giving|causing|making)\b", re.I)
"""A guess put as a question."""
_GROUND = Lazy(
    r"(?:(?:and|but|because|since|as|given(?: that)?|considering(?: that)?|seeing as|now that"
    r"|bearing in mind(?: that)?) )+(?:i(?:'m|'ve)? (?!should|can|could|would|was wondering|want"
    r"|need)|(?:my|our) [\w ]{2,30} (?:is|has|can't|doesn't|won't|hates|loves|eats)\b|we(?:'re|'ve)? )",
    re.I,
)
"""What a question rests on: "…, given that I don't eat meat?"."""
_ASKING = Lazy(
    r"\b(?:what|which|how|why|where|who|whether|can (?:i|you|we)|could (?:i|you|we)|should|would"
    r"|is (?:it|there|that)|do you|any|ok|okay|right)\b",
    re.I,
)
_STRETCHED = Lazy(r"([a-zA-Z])\1{2,}")
_NOT_ORDER = Lazy(
    r"(?:(?:call|use|name|set|read|play|run|watch|review|research|order|test|plan|answer"
    r"|match|estimate|design|print"
    r"|point|rate|speak|help|look|sort|type|word|say|see|share|split|save|show|sing|search"
    r"|schedule|list|get|fill|find"
    r"|cut|count|count on|clean|change|check|build|teach|try|turn|write|make|move|keep|pick"
    r"|throw|roast|cancel|fix|edit|send)"
    r"(?:s|ed|d|ing|en)\b"
    r"|(?:read|cut|set|split|quit|put|let) (?:\w+ ){1,3}(?:yesterday|last|ago|every|on|in the)"
    r"|(?!\w+ (?:me|us|it|this|that)\b)(?:run|play|teach|coach|build|make|design|sell|write"
    r"|speak|research|review|fix|plan"
    r"|save|use|test|watch|help|sing|search|edit)"
    r" (?:\w+ ){0,3}(?:for a living|in my spare|every|at (?:a|the|my)\b|on (?:mon|tues|wednes"
    r"|thurs|fri|satur|sun)"
    r"|on the side|for (?:the|my)|with my)|cut down|set up (?:a|my)|use (?:it|them"
    r"|this) (?:every|all)"
    r"|word (?:on|is|at|around|in)\b|point is|name's|type (?:1|2|one|two)|test (?:results|came)|plan (?:is|ko|was)"
    r"|call me\b|answer is|order (?:came|arrived)"
    r"|play(?:ed|s|ing)|set in |split (?:up|from|with)|word count|match (?:day|is)|share a"
    r"|design is|share the (?:house|flat))",
    re.I,
)


@lru_cache(maxsize=512)
def type_of(text: str) -> Type:
    """The type of a piece of a user's message."""
    words = bare(spelled(plain(text)))
    whole = spelled(plain(text)).strip(" .!,:;-)(\"'")
    if _is_chat(whole) or _THANKS.fullmatch(whole) or not re.search(r"\w", words):
        return "chat"
    if text.rstrip(" \"')”*😅😂🙏!").endswith("?"):
        told = _GUESS.match(words) or (_GROUND.match(whole) and not _ASKING.search(whole))
        return "statement" if told else "question"
    if _QUESTION_START.match(words):
        return "question"
    if is_order(words):
        return "instruction"
    return "statement"


def _is_chat(whole: str) -> bool:
    if not whole or len(whole) > 80:
        return not whole
    return _chat().match(_STRETCHED.sub(r"\1", whole)) is not None or bool(_chat().match(whole))


def is_order(words: str) -> bool:
    """Whether `words` (bare) ask the assistant to do something."""
    words = _FROM_NOW.sub("", words)
    if _WANTS.match(words):
        return True
    return _order().match(words) is not None and not _NOT_ORDER.match(words)


__all__ = ["is_order", "type_of"]
