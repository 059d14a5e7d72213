"""English sentences cut into clauses, each with its subject."""

from __future__ import annotations

import re
from collections.abc import Mapping

from loxodon.language.statements import USER, Clause, Named, met
from loxodon.language.words import Words

WORDS = Words("loxodon.language.en", cased=False)
_like = WORDS.like
attribute_of = WORDS.attribute_of


def written_out(text: str) -> str:
    """A text with contractions and chat spelling written out."""
    return WORDS.rewritten(text, "written_out").strip()


def without_lead(text: str) -> str:
    """Somebody's words from where they begin to tell something: without `by the way,`."""
    return _like["lead"].sub("", text, count=1)


def people_of(text: str) -> list[Named]:
    """Whom a text names of the user's people."""
    text = WORDS.rewritten(text, "known_as")
    named = [one for way in ("had", "new", "person") for one in _like[way].finditer(text)]
    # A name may as well be a day: `my friend Friday moved` does not say which
    found = [
        _named(one)
        for one in (*_said_to_be(text), *named)
        if not _asked(text, one)
        and not (one.re is _like["person"] and _like["weekday"].fullmatch(one["name"] or ""))
    ]
    return found + _all_named(text) + ([Named()] if _like["others"].search(text) else [])


def _said_to_be(text: str) -> list[re.Match[str]]:
    """Who is said outright to be somebody: not supposed, asked, or told of what another says."""
    if not _like["person"].search(text):  # most sentences name nobody
        return []
    parts = [part for part in _like["cut"].split(text) if part]
    light = [_light(part) for part in parts]
    told = [
        part
        for n, part in enumerate(parts)
        if not _like["hedge"].search(light[n])
        and not any(map(_like["hedge"].fullmatch, light[n + 1 : n + 2]))
        and not part.rstrip(" \"')").endswith("?")
    ]
    found = [one for part in told for one in _like["introduced"].finditer(part)]
    ways = (_like["called"], _like["held"])
    return found + [one for part in told for like in ways if (one := like.match(_light(part)))]


def _named(found: re.Match[str]) -> Named:
    if _is_past(found):
        return Named()
    relation = WORDS.usual(found["relation"])
    return Named(relation, found["name"] or "", "new " in found["how"].lower())


def _is_past(found: re.Match[str]) -> bool:
    """Whether it is not who has a place that only one can have: `my former manager`."""
    return WORDS.has_one(found["relation"]) and _like["is_past"].search(found["how"]) is not None


def _asked(text: str, named: re.Match[str]) -> bool:
    """Whether a name is only asked about: `is my manager Tom?`, `should I call my dog Rex?`."""
    if named.string != text or not named["name"]:
        return False
    before, after = text[: named.start()], text[named.end("name") :]
    if re.search(r"\b(?:re)?(?:nam|call)(?:e|ed|ing)? $", before, re.I):
        return True
    asks = re.search(r"(?:\b(?:is|was)(?:n't| not)?|\bwho's) $", before, re.I) is not None
    return asks and "?" in after and re.match(r"\s*[,?]", after) is not None


_ONE_OF = {"kids": "child", "children": "child", "boys": "son", "girls": "daughter"}


def one_of(several: str) -> str:
    """The usual word for one of several: `kids`: child."""
    return WORDS.usual(_ONE_OF.get(several, several.removesuffix("s")))


def _all_named(text: str) -> list[Named]:
    """`I have two kids, Ben and Zoe`: each of them by what they are."""
    found = _like["several"].search(written_out(text))
    if found is None:
        return []
    relation = one_of(found["all"])
    return [Named(relation, name.strip()) for name in re.split(r",? and |, ", found["names"])]


def strangers(text: str) -> list[Clause]:
    """A clause as one about somebody whom it names in full: `Zhang San works in Shanghai`."""
    found = _like["stranger"].match(text)
    name = found["name"] if found else ""
    return [Clause(text, "person", text[len(name) + 1 :], name, name, "", name)] if name else []


def clauses_of(sentence: str, known: Mapping[str, str]) -> list[Clause]:
    """The clauses of a sentence. `known` has the names of people by what they are called."""
    found: list[Clause] = []
    sentence = WORDS.rewritten(sentence.replace("’", "'"), "known_as")
    plain = _asides_out(sentence)
    for part in filter(None, _like["cut"].split(plain)):
        raw = (part if plain == sentence else sentence).strip(" ,;")
        light = _light(written_out(part))
        before, known = known, met(known, people_of(part), WORDS.pronouns)
        if not light:
            continue
        ways = (_like[way].fullmatch(light) for way in ("introduced", "held", "naming"))
        if says := next(filter(None, ways), None):
            if any(one.name == says["name"] for one in people_of(sentence)):
                continue
            if says.re is _like["naming"]:  # of whom is not clear, and so not what else is told
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
    found = _like["aside"].search(sentence)
    if found is None or (found["age"] and not _like["age"].fullmatch(found["age"])):
        return sentence
    said = found["does"] or f"is {re.sub('(?i)^aged ', '', found['is'])}"
    who = found["who"]
    return f"{sentence[: found.start()]}{who} {said}; {who} {sentence[found.end() :]}"


def joints_of(text: str) -> list[tuple[int, int]]:
    """Where a clause may join two things that it says of its subject."""
    return [found.span() for found in _like["joint"].finditer(text)]


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
    verbs = ["", verb[0]] if verb and not _like["name"].fullmatch(text) else [""]
    return [
        _timed(before._replace(text=f"{subject} {one}{text}", rest=one + text)) for one in verbs
    ]


def _light(text: str) -> str:
    """A clause without what only leads up to it, fills it, or trails behind."""
    text = text if _like["listing"].match(text) else re.sub(r"\([^)]*\)", "", text)
    for _ in range(3):
        text = _like["filler"].sub("", text).strip(" ,.!?:;-–—…~")
    text = re.sub(r"\s+", " ", _like["tail"].sub("", text)).strip(" ,.!?:-–—…~")
    if early := _like["early"].match(text):
        text = f"{text[early.end() :]} {text[0].lower()}{early['when'][1:]}"
    return text


def _clause(text: str, known: Mapping[str, str]) -> Clause:
    said, text = text, _like["hedge"].sub("", text, count=1).strip(" ,")
    text = _like["might"].sub(lambda may: {"be": "is"}.get(may[1], may[1] or ""), text, count=1)
    hedged = text != said
    ended = _like["ended"].match(text)
    if ended:
        be = ended["be"] or ended["be2"] or ("am" if " am " in text else "")
        verb = next(one for one in (ended["a"], ended["b"], ended["c"]) if one)
        be = be or (re.search(r" (am|are|is) (?:not|no longer) ", text) or ["", ""])[1]
        text = " ".join(filter(None, (ended["who"], be, verb)))
    plain = re.sub(r"\s+", " ", _like["adverb"].sub("", text)).strip()
    clause = _with_subject(plain, known)._replace(hedged=hedged)
    return _timed(clause._replace(act="end") if ended else clause)


def _timed(clause: Clause) -> Clause:
    """A clause with the time at its end told apart."""
    time = _like["timed"].search(clause.rest)
    when, timeless = (time["when"], clause.rest[: time.start()]) if time else ("", "")
    return clause._replace(when=when, timeless=timeless)


def _with_subject(text: str, known: Mapping[str, str], meant: bool = False) -> Clause:
    """`meant`: whoever goes by a relation is the one who was just named."""
    if found := _like["person"].match(text):
        relation, name = WORDS.usual(found["relation"]), found["name"] or ""
        about = WORDS.attribute_of(relation)
        which = _like["which"].search(found["how"])
        several = relation in WORDS.several
        before = known.get(relation, "") if about and not which and (meant or not several) else ""
        if not name and before and "new " in found["how"].lower():  # somebody else than before
            return Clause(text)
        if _is_past(found):
            return Clause(text)
        name = name or before
        rest = _rest(text[found.end() :])
        if rest is None or (not name and several and not rest.startswith("'s ")):
            return Clause(text)
        called = f"{which[0].lower()} {relation}" if which and not name else relation
        shown = f"The user's {called}" + (f" {name}" if name else "")
        who = "pet" if about == "pet" else "person" if about else "people"
        return Clause(text, who, rest, name or called, shown, relation, name)
    if re.match(r"I\b(?!')", text):
        return Clause(text, "user", text[1:].strip(), USER, "The user")
    if found := _like["we"].match(text):
        return Clause(text, "we", text[found.end() :].strip(), USER, "The user")
    if found := re.match(r"(?:my|our) (?=\w)", text, re.I):
        return Clause(text, "user", "'s " + text[found.end() :], USER, "The user")
    pronoun = re.match(r"(?P<who>he|she)\b(?!')", text, re.I)
    if pronoun and (one := known.get(pronoun["who"].lower())):
        return _with_subject(f"my {one}{text[pronoun.end() :]}", known, meant=True)
    named = _like["begins_named"].match(text)
    name = known.get(named["name"], named["name"]) if named else ""
    if name in known.values():
        rest = _rest(text[named.end() :]) if named else None
        if rest is not None:
            return Clause(text, "person", rest, name, name, "", name)
    return Clause(text, "bare" if _like["starts_bare"].match(text) else "", text, USER, "The user")


def _rest(text: str) -> str | None:
    """What follows a person: their doing, or what is theirs (`'s name`); None for anything else."""
    if re.match(r"'s? (?:name|birthday|job|favou?rite|age|surname|phone|number|e-?mail)\b", text):
        return "'s " + text.split(" ", 1)[1]
    if found := re.match(r"'s (?=\S)", text):  # `my sister's a nurse`
        return "is " + text[found.end() :]
    return text.strip() if text.startswith(" ") else None
