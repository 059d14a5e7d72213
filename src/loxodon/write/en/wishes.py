"""Wishes that hold beyond a conversation: reminders, ways of answering, what to be called."""

from __future__ import annotations

import re

from loxodon.write.en.clean import bare
from loxodon.write.en.patterns import Lazy
from loxodon.write.en.person import expand, rewritten, text_of, tokens_of
from loxodon.write.en.polish import mentions_of, polished
from loxodon.write.en.scene import Scene
from loxodon.write.en.verbs import third_person
from loxodon.write.statements import USER, Statement

_REMIND = Lazy(
    r"(?:please |can you |could you |pls )*(?:remind|nudge|ping|alert"
    r"|wake) me (?!how\b|what\b|why\b|where\b|which\b|who\b|again\b)(?P<what>(?:\w.*)?\b(?:to|about|of|that|when|at|every|on|in|a \w+ before)\b.*)",
    re.I,
)


_SIGN = Lazy(
    r"\bsign (?:everything|it|my \w+|letters|off)(?: off)? as (?P<name>(?-i:[A-Z])\w+(?: "
    r"(?-i:[A-Z])\w+)*)",
    re.I,
)
_STYLE = Lazy(
    r"(?:please )?(?:(?P<keep>(?:keep|make) (?:your |all |all your )?(?:answers?|replies"
    r"|responses|explanations|messages|it|things) (?:\w+ )*(?:short|brief|simple|concise"
    r"|formal|casual|under|below|to)\b.*)"
    r"|(?P<no>(?:don't|do not|never|no need to) (?:use|include|add|give me|send|call me"
    r"|start with|end with) .*(?:emojis?|bullet|jargon|headings?|markdown|tables?|exclamation"
    r"|slang|acronyms|disclaimers?|sugar|buddy|mate|sir).*)"
    r"|(?P<use>(?:use|give me|write in|answer in|reply in|respond in"
    r"|speak) .*(?:bullet points?|paragraphs?|plain english|simple (?:words|english|steps)"
    r"|(?:easy|simple|short|plain|small|simpler) (?:words|language|sentences)|large|tables|emojis?|formal|informal|lists?|examples|answers|replies|explanations)\b.*))",
    re.I,
)


_ALWAYS = Lazy(
    r"(?:(?:and|so|ok|please|also|just),? )*(?:(?:from now on|in future|in the future"
    r"|going forward|as a rule|by default|henceforth|whenever \w+[\w ]*),? (?P<after>.+)"
    r"|(?P<lead>always|never|only ever|only|stop) (?P<what>(?:use|using|answer|reply|respond"
    r"|write|speak|talk|call|give|show|include|recommend|suggest|format|explain|assume|send"
    r"|with)\b.+)"
    r"|(?P<before>(?:use|answer|reply|respond|write|speak|call me|give me|keep|don't use"
    r"|don't call)\b.+?) (?:from now on|in future|going forward|always|every time|by default)"
    r"|(?P<when>(?:reply|respond|write|speak|switch|describe|explain|tell|show|ask|check|warn|remind|correct|give|use|answer"
    r"|send|suggest|translate|read|include|add)\b.+ (?:when|whenever|every time) i\b.+))",
    re.I,
)


_CALL = Lazy(
    r"(?:please |just |you (?:can|may|also|should) )*(?:also )?call me (?P<name>(?-i:[A-Z])"
    r"[\w'-]+|[a-z]+(?=$|[.,!]))",
    re.I,
)


_FORGET = Lazy(
    r"(?:please )?(?:forget|ignore|delete)(?: about)? (?:the|that|my"
    r"|what i said about(?: the| my)?) (?P<what>(?!message|last|bit|part"
    r"|that)[\w' -]{2,40}?)(?: (?:thing|stuff|bit|idea|plan|business))?",
    re.I,
)


_UNITS = Lazy(
    r"(?:please )?(?:(?:use|give me|stick to|in) |(?=.* (?:always|from (?:now|here) on)$)|(?:give me|show|put|use|i (?:need|want|use)) (?:the |all )?(?:temperatures?"
    r"|distances?|weights?|measurements?|prices?|units|lengths?|times?|amounts?|quantities) in )(?P<what>metric|imperial|celsius|fahrenheit"
    r"|kilometres|kilometers|miles|grams|cups|british (?:english|spelling)|american (?:english|spelling)"
    r"|24[- ]?h(?:our)?(?: time| clock)?|pounds|euros|dollars|kg|kilos)(?: units"
    r"| only)?(?: please)?(?:,? (?:from (?:now|here) on|always))?",
    re.I,
)


def standing_wish(text: str, scene: Scene) -> Statement | None:
    """A request that holds beyond this conversation: a reminder, a way of answering, a name."""
    core = bare(text)
    forget = _FORGET.fullmatch(core)
    if forget:
        what = forget["what"]
        return Statement(
            f"The user asked to forget about the {what}",
            USER,
            "",
            "",
            "status",
            "end",
            (what,),
            False,
        )
    called = _CALL.match(core)
    if called and called["name"].lower() not in (
        "when",
        "back",
        "later",
        "that",
        "crazy",
        "stupid",
        "at",
        "if",
        "old",
        "a",
    ):
        name = called["name"][:1].upper() + called["name"][1:]
        return Statement(
            f"The user wants to be called {name}",
            USER,
            "form_of_address",
            name,
            "preference",
            topic="name",
        )
    units = _UNITS.fullmatch(core)
    if units:
        what = units["what"]
        return Statement(
            f"The user wants {what} to be used", USER, "units", what, "preference", topic="replies"
        )
    remind = _REMIND.fullmatch(core)
    if remind:
        what = rewritten(expand(tokens_of(remind["what"])), True, scene, "")
        if what:
            content = polished(scene.named(f"The user wants to be reminded {text_of(what)}"))
            return Statement(
                content,
                USER,
                "reminder",
                text_of(what),
                "plan",
                mentions=mentions_of(content, scene),
                topic="reminder",
            )
    style = _STYLE.fullmatch(re.sub(r"^(?:from now on|in future|going forward),? ", "", core))
    signed = _SIGN.search(core)
    if signed:
        name = signed["name"]
        return Statement(
            f"The user's name is {name}", USER, "name", name, "identity", "change", topic="name"
        )
    if style and not re.search(r"\b(?:this|that|email|letter|essay|poem|story)\b", core, re.I):
        words = re.sub(
            r"\bwhen you (?:answer|reply to|talk to) me\b|\b(?:please|pls)\b", "", core
        ).strip(" ,")
        words = re.sub(r"^(?:from now on|in future|going forward),? |\byour ", "", words)
        if style["no"]:
            words = re.sub(r"^(?:don't|do not|never|no need to) ", "", words)
        said = rewritten(expand(tokens_of(words[:1].lower() + words[1:])), True, scene, "")
        if said:
            content = (
                f"The user wants the assistant {'not ' if style['no'] else ''}to {text_of(said)}"
            )
            return Statement(
                polished(content),
                USER,
                "reply_style",
                text_of(said),
                "preference",
                positive=not style["no"],
                topic="replies",
            )
    if told := _told_how(text, scene):
        return told
    always = _ALWAYS.fullmatch(core)
    if not always:
        return None
    if always["after"] or always["before"] or always["when"]:
        wish, lead = (
            (always["after"] or always["before"] or always["when"]),
            "" if not always["when"] else "when",
        )
    else:
        wish, lead = always["what"], always["lead"].lower()
    if re.match(r"(?:i|i'm|my|we)\b", wish, re.I):
        return None
    said = rewritten(expand(tokens_of(wish)), True, scene, "")
    if not said:
        return None
    positive = lead not in ("never", "stop") and not re.match(
        r"(?:don't|never|no|stop)\b", wish, re.I
    )
    words = re.sub(r"^(?:don't|never|stop) ", "", text_of(said))
    words = re.sub(r"^with (?:the |all the |all these |these )?", "use ", words)
    always_ = (
        "always "
        if lead in ("", "always") and positive
        else f"{lead} "
        if lead.startswith("only")
        else ""
    )
    words = _PLEASE.sub("", words[:1].lower() + words[1:])
    content = f"The user wants the assistant {'' if positive else 'not '}to {always_}{_base(words)}"
    return Statement(
        polished(content),
        USER,
        "reply_style",
        words,
        "preference",
        positive=positive,
        topic="replies",
    )


_HOW = Lazy(
    r"(?:please |pls |and |also |so |ok,? |but )*(?:"
    r"(?:in|with|for) (?:all )?(?:of )?your (?:replies|answers|responses|messages|explanations),? (?:please )?"
    r"(?P<within>.+)"
    r"|when(?:ever)? you (?P<doing>[^,]{3,60}?)(?:, | (?=(?:use|keep|give|write|make|don't|please|always|never|stick|put"
    r"|include|skip|avoid|start) ))(?:please )?(?P<then>.+)"
    r"|(?:(?:and|so|but) )*(?:please )?you (?P<neednt>don't (?:need|have) to|needn't|can stop|should stop|should(?: always)?|can always"
    r"|must|may|can just|can)(?P<need> (?:explain|call|write|use|give|keep|answer|speak|talk|show|skip|send|ask|apologi[sz]\w+"
    r"|remind\w*|repeat\w*|tell|be|assume|include|add|say|ending|using|asking)\b.+)"
    r"|i (?:really )?(?P<feel>like|love|prefer|appreciate|hate|dislike|don't like|can't stand|find it annoying)(?: it)? (?:when|if|how)"
    r" you (?P<felt>.+)"
    r"|(?P<stop>stop|quit|avoid) (?P<ing>\w+ing (?!it\b|that\b|this\b|there\b|here\b).+)"
    r"|(?P<use>(?:use|keep|stick to|give me|write|spell|put|format|show) .+? (?:when(?:ever)? (?:you|writing|answering|talking"
    r"|replying|explaining)|in (?:all )?your (?:replies|answers|messages)|for me always).*)"
    r"|(?P<address>(?:address|refer to) me .+)"
    r"|(?:can|could|would|will) you (?:please )?(?P<please>(?:stop|always|never|avoid|quit|only|be (?:more|less|a bit"
    r"|a little|as)|keep (?:your|it|them|things|answers|replies))\b.+)"
    r"|i(?:'d| would) (?:like|prefer|love|appreciate it if|rather)(?: for)? you (?P<not>not )?(?:to |would |could )?"
    r"(?P<like>(?:not (?:to )?)?(?:address|call|speak|talk|answer|reply|respond|explain|always|never|use|keep|stop"
    r"|write|avoid|refer|didn't)\b.+)"
    r"|(?P<no>(?:no more|no|without|skip the|drop the|less|fewer) (?:[\w-]+ )?(?:emojis?|exclamation (?:marks|points)"
    r"|bullet points|jargon|tables|headings|apologies|apologi[sz]ing|disclaimers|small talk|links|slang|markdown"
    r"|lists|caps|preamble|fluff|filler|lectures?|pleasantries)\b.*)"
    r"|(?P<banned>(?:all |any )?(?:emojis?|exclamation (?:marks|points)|bullet points|jargon|tables|headings|disclaimers|small talk"
    r"|slang|markdown|lists|preamble|smileys|abbreviations|acronyms|puns|buzzwords))(?: are| is)(?: now| strictly)? (?:banned|forbidden|off limits|off the table"
    r"|out|a no-go|not allowed|verboten).*"
    r"|(?P<ever>(?:don't|do not|never) (?:ever )?(?:recommend|suggest|offer|show|give|send|mention|ask|call|use|tell"
    r"|remind|address|assume|include)\b.+)"
    r"|(?P<to>(?:talk|speak|write|explain (?:things|everything)|treat|address) (?:to )?me"
    r" (?:like|as if|as|in|with)\b.+))",
    re.I,
)
"""Ways of saying how the assistant is to behave."""
_FEELS = {
    "don't like": "doesn't like",
    "can't stand": "can't stand",
    "find it annoying": "dislikes",
}
_ONCE = Lazy(
    r"\b(?:this (?:email|letter|essay|text|time|one|list|recipe)|the (?:email|letter|story|poem|spoiler|ending|end)"
    r"|yet|it|now|today|tonight|for this)\b",
    re.I,
)
_YOUR_WAY = Lazy(
    r",? when(?:ever)? you (?:answer|write|reply|talk|respond|speak|message)(?: to)?(?: me)?\b|\byour |\?"
    r"|,? (?:please|pls|thanks|thank you|ok|okay)$",
    re.I,
)
_PLEASE = Lazy(r",? \b(?:please|pls|plz|thanks)\b", re.I)
_TITLES = Lazy(
    r"(?:address|call|refer to) (?:me )?(?:\w+ly )?(?:as )?(?P<name>(?:(?-i:Dr|Mr|Mrs|Ms|Prof)\.? )?(?-i:[A-Z])[\w'-]+(?: (?-i:[A-Z])[\w'-]+)*)"
)


def _told_how(text: str, scene: Scene) -> Statement | None:
    """How the assistant is to behave from now on, however that is put."""
    whole = text.strip(" .!")
    found = _HOW.fullmatch(whole) or _HOW.fullmatch(bare(text))
    if not found:
        return None
    order = next(
        found[name]
        for name in (
            "within", "then", "please", "like", "no", "banned", "ever", "to", "need", "felt", "ing", "use", "address",
        )
        if found[name] is not None
    ).strip()  # fmt: skip
    if found["felt"] and (
        liked := rewritten(expand(tokens_of(_YOUR_WAY.sub("", order))), True, scene, "")
    ):
        verb = "is" if liked[0].lower() == "are" else third_person(liked[0])
        feel = _FEELS.get(found["feel"].lower(), third_person(found["feel"].split()[0].lower()))
        return Statement(
            polished(f"The user {feel} it when the assistant {verb} {text_of(liked[1:])}"), USER, "reply_style",
            text_of(liked), "preference", positive=feel in ("likes", "loves", "prefers", "appreciates"), topic="replies",
        )  # fmt: skip
    order = re.sub(r" (?:now|again|from now on)$", "", _YOUR_WAY.sub("", order).strip(" .!,"))
    if titled := _TITLES.match(order):
        name = titled["name"]
        content = f"The user wants to be addressed as {name}"
        return Statement(content, USER, "form_of_address", name, "preference", topic="name")
    if (found["ever"] or found["then"] or found["need"] or found["ing"]) and _ONCE.search(order):
        return None
    neednt = (found["neednt"] or "").lower()
    refuses = (
        bool(found["no"] or found["banned"])
        or found["not"] is not None
        or found["stop"] is not None
    )
    refuses = refuses or neednt.startswith(("don't", "needn't")) or "stop" in neednt
    if neednt.startswith("should") and re.match(r"(?:be|know)\b", order, re.I):
        return None
    lead = re.match(r"(?:don't|do not|never|stop|quit|avoid|not(?: to)?|didn't|no more|no|without"
                    r"|skip the|drop the|less|fewer|(?P<more>always|only))\b(?: ever)? ", order, re.I)  # fmt: skip
    if lead and lead["more"] is None:
        refuses, order = True, order[lead.end() :]
    elif lead:
        order = order[lead.end() :]
    if found["no"] or found["banned"]:
        order = f"use {order}"
    said = rewritten(expand(tokens_of(order)), True, scene, "")
    if not said or len(said) < 2:
        return None
    words = text_of(said)
    words = _PLEASE.sub("", words[:1].lower() + words[1:])
    if re.match(r"\w+ing\b", words):
        how = f"The user wants the assistant to {'stop' if refuses else 'keep'} {words}"
    else:
        how = f"The user wants the assistant {'not ' if refuses else ''}to {'' if refuses else 'always '}{words}"
    if found["doing"] and (doing := rewritten(expand(tokens_of(found["doing"])), True, scene, "")):
        how += f" when it {third_person(doing[0])} {text_of(doing[1:])}"
    return Statement(
        polished(how),
        USER,
        "reply_style",
        words,
        "preference",
        positive=not refuses,
        topic="replies",
    )


def _base(words: str) -> str:
    first, _, rest = words.partition(" ")
    return f"{'use' if first.lower() == 'using' else first} {rest}".strip()


__all__ = ["standing_wish"]
