"""English sentences cut into clauses, each with its subject."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache, partial
from importlib.resources import files
from typing import Any

from loxodon.language.attributes import ATTRIBUTES
from loxodon.language.statements import USER, Clause, Named, met

_NAME = r"(?:(?:Mr|Mrs|Ms|Miss|Dr|Prof)\.? )?[A-Z][a-zà-öø-ÿ]+(?:[-' ][A-Z][a-zà-öø-ÿ]+)?"


@cache
def _table() -> dict[str, dict[str, Any]]:
    return tomllib.loads((files("loxodon.language.en") / "words.toml").read_text("utf-8"))


def pronouns() -> dict[str, str]:
    """The relations that `he` and `she` may stand for."""
    return _table()["pronouns"]


class _Words:
    """The tables of words, as patterns."""

    def __init__(self) -> None:
        table = _table()
        clause = {
            name: "|".join(sorted(words.split("|"), key=len, reverse=True))
            for name, words in table["clause"].items()
        }
        attribute = {
            word.replace("-", " "): name
            for name, words in table["relations"].items()
            for word in words.split()
        }
        attribute |= {word.replace("-", " "): "pet" for word in table["pets"]["words"].split()}
        plural = frozenset(table["plural"]["words"].split())
        people = "|".join(
            re.escape(word).replace(r"\ ", "[- ]")
            for word in sorted((*attribute, *plural), key=len, reverse=True)
        )
        adjectives = "|".join(clause["adjectives"].split())
        of_mine = rf"(?:my|our) (?P<how>(?:(?:{adjectives}|\d+[- ]year[- ]old|\w+[- ]year[- ]old) )*)(?P<relation>{people})\b"
        ends = r"(?=\s*(?:[.,;!]|$| and | who ))"
        days = table["name"]["weekday"]
        never = table["name"]["never"].replace("DAY", days)
        no_day = rf"(?!(?:{days}){table['name']['time']})"
        holders = "|".join(word for word, about in attribute.items() if ATTRIBUTES[about].one)
        naming = r"(?:(?:his|her|its) name(?: is|'s)|(?:he|she|it)(?: is|'s) (?:called|named)|(?:I|we) (?:call|named) (?:him|her|it))"
        starters = clause["starters"] + r"|(?:his|her|its) name(?:'s| is)"
        starters += r"|the (?:\w+ ){1,3}(?:is|was|are|were|has|will)"
        join = r"and|but|so|because|cos|bc|though|although|plus|while|whereas"
        of = partial(re.compile, flags=re.I)
        self.written_out, self.known_as = (
            [(re.compile(like), instead) for like, instead in table[name]["pairs"]]
            for name in ("written_out", "known_as")
        )
        self.filler = of(rf"^(?:(?:{clause['fillers']}|{clause['now']})(?![\w'])[\s,:;!.…–—-]*)+")
        # Fillers that a quotation need not begin with
        self.lead = of(
            rf"^(?:(?:{clause['fillers']})\s?[,:;!…–—-]+\s*|(?:and|but|so|because|by the way|btw|oh)\s+)+(?=\S)"
        )
        self.adverb = of(rf"\b(?:{clause['adverbs']}|(?<!from )now(?! in\b))\b ?")
        self.tail = of(rf"(?:[ ,]+(?:{clause['tails']}|{clause['now']}))+$")
        self.cut = of(
            rf"(?:,\s*|\s+)(?:{join})\s+(?=(?:{starters})\b)|[,;]\s+(?=(?:{starters})\b)"
            rf"|\s+[-–—]+\s+|\s*\.\.\.+\s*|;\s+|,?\s+(?:because|cos|bc)\s+|:\s+(?=(?:{starters})\b)"
            r"|,?\s+so\s+(?=(?:no|not|nothing|anything|keep|avoid|don't|never|only|nowhere)\b)"
        )
        self.hedge = of(
            rf"^(?:{clause['hedges']})\b[ ,]*(?:that )?|\b(?:probably|maybe|perhaps|possibly|apparently) "
        )
        self.bare = of(rf"(?:{clause['bare']})\b")
        self.person = of(rf"{of_mine}(?:,? {no_day}(?-i:(?P<name>{_NAME}))\b,?)?")
        # `Tom is my manager`
        self.introduced = of(rf"(?-i:(?:^|[.,;] )(?P<name>{_NAME})) is {of_mine}{ends}")
        # `my husband's name is Carl`
        self.called = of(
            rf"{of_mine}(?:'s name is| is called| is named),? (?-i:(?P<name>{_NAME})){ends}"
        )
        # `my manager is Tom`, of those whom one has one of
        self.held = of(
            rf"(?:my|our) (?P<how>(?:(?:{adjectives}) )*)(?P<relation>{holders}) is (?:now )?"
            rf"(?!(?:{never})\b)(?-i:(?P<name>{_NAME})){ends}"
        )
        # `I have a cat, her name is Miso`
        self.had = of(
            rf"\b(?:I|we) (?:\w+ ){{0,2}}?(?:have|got|adopted|rescued|bought) (?:a|an) (?P<how>(?:[\w-]+ ){{0,3}}?)"
            rf"(?P<relation>{people})\b(?: (?:last|this|in|from|a) [\w ]{{2,20}})?(?:,| and|, and)? "
            rf"{naming} (?-i:(?P<name>{_NAME})){ends}"
        )
        # `I have a new manager now, Tom`
        self.new = of(
            rf"\b(?:I|we) (?:have|got|have got) an? (?P<how>new )(?P<relation>{holders})(?: now)?,? "
            rf"(?:called |named )?(?-i:(?P<name>{_NAME})){ends}"
        )
        # A clause that only names who was told of before it
        self.naming = of(rf"{naming} (?-i:(?P<name>{_NAME}))")
        # `my son Leo, who is five, …`
        self.aside = of(
            rf"(?P<who>{of_mine}(?:,? (?-i:{_NAME}))?), (?:who (?P<does>\w+\b[^,;.]{{2,60}})"
            r"|(?P<is>an? [^,;.]{3,40}|(?:aged )?(?P<age>\d{1,3}|[a-z]+)(?: years old)?)), (?=\w)"
        )
        self.stranger = re.compile(
            rf"(?!(?i:{never})\b)(?P<name>[A-Z][a-z]+ [A-Z][a-z]+)"
            r"(?= (?:works?|lives?|moved|likes?|loves?|is|has|studies)\b)"
        )
        self.others = of(table["others"]["like"].replace("PEOPLE", people))
        # What attribute a relation is, by its word
        self.attribute = attribute
        # That somebody has not the place that a relation names: `my former manager`
        self.past = of(rf"\b(?:{clause['past']})\b")
        self.plural = plural
        # Of whom one has many: without a name nobody can tell which
        self.several = frozenset(table["several"]["words"].split())
        # The usual word for a relation, by the others
        self.one_name = {
            word: name for name, words in table["one_name"].items() for word in words.split()
        }


_words = cache(_Words)


def written_out(text: str) -> str:
    """A text with contractions and chat spelling written out."""
    for like, instead in _words().written_out:
        text = like.sub(instead, text)
    return text.strip()


def without_lead(text: str) -> str:
    """Somebody's words from where they begin to tell something: without `by the way,`."""
    return str(_words().lead.sub("", text, count=1))


def attribute_of(relation: str) -> str:
    """What attribute of the user a relation is; empty for several people."""
    return str(_words().attribute.get(relation.lower().replace("-", " "), ""))


def people_of(text: str) -> list[Named]:
    """Whom a text names of the user's people."""
    words = _words()
    named = [one for like in (words.had, words.new, words.person) for one in like.finditer(text)]
    # Whether a name may as well be a day: `my friend Friday moved` does not say which
    found = [
        _named(one)
        for one in (*_said_to_be(text), *named)
        if not _asked(text, one)
        and not (
            one.re is words.person
            and re.fullmatch(_table()["name"]["weekday"], one["name"] or "", re.I) is not None
        )
    ]
    found += _all_named(text)
    found = [one._replace(relation=words.one_name.get(one.relation, one.relation)) for one in found]
    return found + ([Named()] if words.others.search(text) else [])


def _said_to_be(text: str) -> list[re.Match[str]]:
    """Who is said outright to be somebody: not supposed, asked, or told of what another says."""
    words = _words()
    if not words.person.search(text):  # most sentences name nobody
        return []
    parts = [part for part in words.cut.split(text) if part]
    light = [_light(part) for part in parts]
    told = [
        part
        for n, part in enumerate(parts)
        if not words.hedge.search(light[n])
        and not any(map(words.hedge.fullmatch, light[n + 1 : n + 2]))
        and not part.rstrip(" \"')").endswith("?")
    ]
    found = [one for part in told for one in words.introduced.finditer(part)]
    ways = (words.called, words.held)
    return found + [one for part in told for like in ways if (one := like.match(_light(part)))]


def _named(found: re.Match[str]) -> Named:
    relation, how = found["relation"].lower(), found["how"]
    if _is_past(relation, how):
        return Named()
    return Named(relation, found["name"] or "", "new " in how.lower())


def _is_past(relation: str, how: str) -> bool:
    """Whether it is not who has a place that only one can have: `my former manager`."""
    about = attribute_of(relation)
    return bool(about) and ATTRIBUTES[about].one and _words().past.search(how) is not None


def _asked(text: str, named: re.Match[str]) -> bool:
    """Whether a name is only asked about: `is my manager Tom?`, `should I call my dog Rex?`."""
    if named.string != text or not named["name"]:
        return False
    before, after = text[: named.start()], text[named.end("name") :]
    if re.search(r"\b(?:re)?(?:nam|call)(?:e|ed|ing)? $", before, re.I):
        return True
    asks = re.search(r"(?:\b(?:is|was)(?:n't| not)?|\bwho's) $", before, re.I) is not None
    return asks and "?" in after and re.match(r"\s*[,?]", after) is not None


_SEVERAL = re.compile(
    rf"\b(?:I|we) (?:have|have got|'ve got) (?:a |an |\w+ )?(?:(?:\w+ ){{0,2}})(?P<all>kids|children|sons|daughters|boys|girls|dogs|cats|brothers|sisters)"
    rf"(?:,| called| named|:| -)+ (?P<names>{_NAME}(?:, {_NAME}){{0,4}},? and {_NAME})(?=\s*(?:[.,;!]|$))"
)
_ONE_OF = {"kids": "child", "children": "child", "boys": "son", "girls": "daughter"}


def one_of(several: str) -> str:
    """The usual word for one of several: `kids`: child."""
    one = _ONE_OF.get(several, several.removesuffix("s"))
    return str(_words().one_name.get(one, one))


def _all_named(text: str) -> list[Named]:
    """`I have two kids, Ben and Zoe`: each of them by what they are."""
    found = _SEVERAL.search(written_out(text))
    if found is None:
        return []
    relation = one_of(found["all"])
    return [Named(relation, name.strip()) for name in re.split(r",? and |, ", found["names"])]


def strangers(text: str) -> list[Clause]:
    """A clause as one about somebody whom it names in full: `Zhang San works in Shanghai`."""
    found = _words().stranger.match(text)
    name = found["name"] if found else ""
    return [Clause(text, "person", text[len(name) + 1 :], name, name, "", name)] if name else []


def clauses_of(sentence: str, known: Mapping[str, str]) -> list[Clause]:
    """The clauses of a sentence. `known` has the names of people by what they are called."""
    words = _words()
    found: list[Clause] = []
    sentence = sentence.replace("’", "'")
    for like, instead in words.known_as:
        sentence = like.sub(instead, sentence)
    plain = _asides_out(sentence)
    for part in filter(None, words.cut.split(plain)):
        raw = (part if plain == sentence else sentence).strip(" ,;")
        light = _light(written_out(part))
        before, known = known, met(known, people_of(part), pronouns())
        if not light:
            continue
        ways = (words.introduced, words.held, words.naming)
        if says := next(filter(None, (like.fullmatch(light) for like in ways)), None):
            if any(one.name == says["name"] for one in people_of(sentence)):
                continue
            if says.re is words.naming:  # of whom is not clear, and so not what else is told
                whole = _clause(_light(written_out(sentence)), before)
                return [whole._replace(raw=sentence.strip(" ,;"), rest="")]
        clause = _clause(light, before)
        if clause.who == "bare" and found:  # a sentence may begin without its subject
            own = all(one.who in ("user", "we", "bare") for one in found)
            clause = clause._replace(loose=True, who="bare" if own else "")
        found.append(clause._replace(raw=raw))
    return found


def _asides_out(sentence: str) -> str:
    """A sentence in which what is said of somebody in passing is a clause of its own: `my son Leo
    is five; my son Leo is allergic to milk`."""
    found = _words().aside.search(sentence)
    if found is None or (found["age"] and not _AGE.fullmatch(found["age"])):
        return sentence
    said = found["does"] or f"is {re.sub('(?i)^aged ', '', found['is'])}"
    who = found["who"]
    return f"{sentence[: found.start()]}{who} {said}; {who} {sentence[found.end() :]}"


_AGE = re.compile(
    r"\d+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty",
    re.I,
)


def joints_of(text: str) -> list[tuple[int, int]]:
    """Where a clause may join two things that it says of its subject."""
    return [found.span() for found in _JOINT.finditer(text)]


_JOINT = re.compile(
    r",? (?:and|but|plus)(?: also)? (?![A-Z])|, (?!like )(?:also )?| (?=with (?:my|our|two|three|a)\b)"
)


def sharing(before: Clause, text: str) -> list[Clause]:
    """What a text may say of the subject of a clause that it is part of, or follows."""
    if before.rest.startswith(text):
        head = before.text.removesuffix(before.rest[len(text) :])
        return [_timed(before._replace(text=head, rest=text))]
    if before.rest.startswith("'s "):  # what goes on is said of a thing
        return []
    if before.who in ("", "bare"):
        return [_timed(before._replace(text=text, rest=text))]
    subject = {"user": "I", "we": "we"}.get(before.who, before.shown)
    verb = re.match(r"(?:am|is|are|have|has) ", before.rest)
    verbs = ["", verb[0]] if verb and not re.fullmatch(_NAME, text) else [""]
    return [
        _timed(before._replace(text=f"{subject} {one}{text}", rest=one + text)) for one in verbs
    ]


def _light(text: str) -> str:
    """A clause without what only leads up to it, fills it, or trails behind."""
    words = _words()
    text = re.sub(r"\([^)]*\)", "", text)
    for _ in range(3):
        text = words.filler.sub("", text).strip(" ,.!?:;-–—…~")
    text = re.sub(r"\s+", " ", words.tail.sub("", text)).strip(" ,.!?:-–—…~")
    if early := _EARLY.match(text):
        text = f"{text[early.end() :]} {text[0].lower()}{early['when'][1:]}"
    return text


_MIGHT = re.compile(
    r"\b(?:might|may|could)(?: well| also| possibly)? (be|have)(?= (?!been|to)\w)", re.I
)
_ENDED = re.compile(
    r"^(?P<who>I|we|my [\w' ]{2,30}?|[A-Z]\w+) (?:(?:do|does|am|are|is) (?:not|no longer) (?P<a>.+?) (?:any ?more|any longer)"
    r"|(?:(?P<be>am|are|is) )?no longer (?P<b>.+)|(?P<be2>am|are|is) not (?P<c>.+?) any ?more)$",
    re.I,
)
_MONTH = "january|february|march|april|may|june|july|august|september|october|november|december"
_WHEN = (
    r"(?P<when>(?:(?:since|for|until|from|as of|in|on|over|about|around|almost|nearly) )*"
    r"(?:last|this|next|the past|early|late|mid)? ?(?:today|yesterday|tomorrow|tonight|"
    r"(?:last|this|next|past) (?:week|weekend|month|year|spring|summer|autumn|fall|winter|night|[a-z]+day|"
    rf"{_MONTH})|"
    r"(?:(?:a few|a couple of|several|one|two|three|four|five|six|seven|eight|nine|ten|a|an|\d+) (?:days?|weeks?|months?|years?|decades?)(?: (?:ago|now))?)|"
    rf"(?:{_MONTH})(?: \d{{1,2}}(?:st|nd|rd|th)?)?(?:,? \d{{4}})?|"
    rf"(?:19|20)\d\d|\d{{1,2}}(?:st|nd|rd|th)? (?:of )?(?:{_MONTH})(?: \d{{4}})?))"
)
_TIME = re.compile(rf"[ ,]+{_WHEN}$", re.I)
_EARLY = re.compile(rf"(?!\d|{_MONTH}){_WHEN},? (?=(?:I|we|my|our)\b)", re.I)


def _clause(text: str, known: Mapping[str, str]) -> Clause:
    hedge = _words().hedge.search(text)
    if hedge:
        text = (text[: hedge.start()] + text[hedge.end() :]).strip(" ,")
    if might := _MIGHT.search(text):
        hedge, verb = might, "is" if might[1] == "be" else "have"
        text = f"{text[: might.start()]}{verb}{text[might.end() :]}"
    ended = _ENDED.match(text)
    if ended:
        be = ended["be"] or ended["be2"] or ("am" if " am " in text else "")
        verb = next(one for one in (ended["a"], ended["b"], ended["c"]) if one)
        be = be or (re.search(r" (am|are|is) (?:not|no longer) ", text) or ["", ""])[1]
        text = " ".join(filter(None, (ended["who"], be, verb)))
    plain = re.sub(r"\s+", " ", _words().adverb.sub("", text)).strip()
    clause = _with_subject(plain, known)._replace(hedged=hedge is not None)
    return _timed(clause._replace(act="end") if ended else clause)


def _timed(clause: Clause) -> Clause:
    """A clause with the time at its end told apart."""
    time = _TIME.search(clause.rest)
    when, timeless = (time["when"], clause.rest[: time.start()]) if time else ("", "")
    return clause._replace(when=when, timeless=timeless)


# Which one of several somebody is
_WHICH = re.compile(
    r"\b(?:older|younger|elder|eldest|oldest|youngest|middle|little|big|twin)\b", re.I
)


def _with_subject(text: str, known: Mapping[str, str], meant: bool = False) -> Clause:
    """`meant`: whoever goes by a relation is the one who was just named."""
    words = _words()
    if found := words.person.match(text):
        relation, name = found["relation"].lower(), found["name"] or ""
        relation = words.one_name.get(relation, relation)
        one = relation not in words.plural
        which = _WHICH.search(found["how"])
        one_known = one and not which and (relation not in words.several or meant)
        before = known.get(relation, "") if one_known else ""
        if not name and before and "new " in found["how"].lower():  # somebody else than before
            return Clause(text)
        if _is_past(relation, found["how"]):
            return Clause(text)
        name = name or before
        rest = _rest(text[found.end() :])
        if rest is None or (not name and relation in words.several and not rest.startswith("'s ")):
            return Clause(text)
        called = f"{which[0].lower()} {relation}" if which and not name else relation
        shown = f"The user's {called}" + (f" {name}" if name else "")
        who = "pet" if words.attribute.get(relation.replace("-", " ")) == "pet" else "person"
        return Clause(text, who if one else "people", rest, name or called, shown, relation, name)
    if re.match(r"I\b(?!')", text):
        return Clause(text, "user", text[1:].strip(), USER, "The user")
    if found := re.match(
        r"(?:we|my family and I|my \w+ and I|me (?:and|n|an|&) (?:my )?\w+|[A-Z]\w+ and (?:I|me))\b",
        text,
        re.I,
    ):
        return Clause(text, "we", text[found.end() :].strip(), USER, "The user")
    if found := re.match(r"(?:my|our) (?=\w)", text, re.I):
        return Clause(text, "user", "'s " + text[found.end() :], USER, "The user")
    pronoun = re.match(r"(?P<who>he|she)\b(?!')", text, re.I)
    if pronoun and (relation := known.get(pronoun["who"].lower())):
        return _with_subject(f"my {relation}{text[pronoun.end() :]}", known, meant=True)
    named = re.match(rf"(?P<name>{_NAME})(?=[ '])", text)
    name = known.get(named["name"], named["name"]) if named else ""
    if name in known.values():
        rest = _rest(text[named.end() :]) if named else None
        if rest is not None:
            return Clause(text, "person", rest, name, name, "", name)
    return Clause(text, "bare" if words.bare.match(text) else "", text, USER, "The user")


def _rest(text: str) -> str | None:
    """What follows a person: their doing, or what is theirs (`'s name`); None for anything else."""
    if re.match(r"'s? (?:name|birthday|job|favou?rite|age|surname|phone|number|e-?mail)\b", text):
        return "'s " + text.split(" ", 1)[1]
    if found := re.match(r"'s (?=\S)", text):  # `my sister's a nurse`
        return "is " + text[found.end() :]
    return text.strip() if text.startswith(" ") else None
