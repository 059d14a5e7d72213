"""Fragments read as statements: the part that judging and reading share.

`interpret` looks at a turn once and says of each fragment why it is dropped or what it states;
`judge` and `read` take their share of that.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from loxodon.text.stopwords import ENGLISH
from loxodon.write.en.answers import aimed, answered, chosen, own_name, question_of, rest_of
from loxodon.write.en.asides import asides_of, called_so, name_given
from loxodon.write.en.changes import alters
from loxodon.write.en.clauses import Clause, of_any_thing, read_clause
from loxodon.write.en.clean import bare, plain, spelled
from loxodon.write.en.corrections import (
    corrected,
    corrects,
    got_wrong,
    makes_that,
    owns_up,
    recalled,
    respelt,
    value_alone,
    within,
)  # fmt: skip
from loxodon.write.en.elided import completed
from loxodon.write.en.hedges import softened, unhedged
from loxodon.write.en.inside import supposed
from loxodon.write.en.kin import introduced
from loxodon.write.en.labels import article
from loxodon.write.en.pairs import paired
from loxodon.write.en.patterns import Lazy
from loxodon.write.en.person import agree, expand, rewritten, text_of, tokens_of
from loxodon.write.en.pointing import goes_on, with_noun
from loxodon.write.en.polish import polished, sound
from loxodon.write.en.recognise import recognise, relation_in
from loxodon.write.en.rewording import by_role, reworded
from loxodon.write.en.rules import Found
from loxodon.write.en.scene import Scene, Someone, is_name, own_things, scene_of
from loxodon.write.en.screen import reasons
from loxodon.write.en.sound import is_sound
from loxodon.write.en.stating import (
    RELATED,
    at_work,
    denial,
    statement_of,
    takes_place,
    weekly,
)  # fmt: skip
from loxodon.write.en.suspicions import called_off, settled, suspected, taken_back
from loxodon.write.en.verbs import forms_of, is_finite, is_noun_too, participle_of
from loxodon.write.en.wishes import standing_wish
from loxodon.write.en.words import NATIONALITIES, PETS, PLACES, RELATIONS, alternatives, as_set
from loxodon.write.en.worth import came_out, is_worth, parts_of
from loxodon.write.statements import USER, Fragment, Line, Mention, Said, Statement


class Reading(NamedTuple):
    """What a fragment came to: statements, or why there are none."""

    statements: tuple[Statement, ...] = ()
    reason: str = ""


_Key = tuple[
    str, tuple[Fragment, ...], tuple[Line, ...], tuple[Statement, ...], tuple[tuple[str, str], ...]
]


def interpret(said: Said) -> tuple[Reading, ...]:
    """A reading of each fragment of a turn."""
    known = tuple(sorted(said.known.items()))
    return _interpret(
        (said.text, tuple(said.fragments), tuple(said.before), tuple(said.earlier), known), said.at
    )


@lru_cache(maxsize=8)
def _interpret(key: _Key, at: object) -> tuple[Reading, ...]:
    text, fragments, before, earlier, pairs = key
    known = dict(pairs)
    said = Said(text, at, fragments, before, earlier, known)  # type: ignore[arg-type]
    why = reasons(said)
    scene = scene_of(before, earlier, known)
    scene.old = len(scene.things)
    scene.recase = re.search(r"\bI\b", text[:_LONGEST]) is None
    reader = _Reader(said, scene, known)
    if fragments and not set(why) & _UNREAL and (each := paired(spelled(plain(text[:_LONGEST])))):
        listed = tuple(one._replace(fragments=(fragments[0].n,)) for one in each)
        return (Reading(listed), *(Reading((), "listed") for _ in fragments[1:]))
    readings = [reader.read(n, reason) for n, reason in enumerate(why)]
    return tuple(_without(reading, reader.withdrawn) for reading in readings)


def _without(reading: Reading, withdrawn: set[str]) -> Reading:
    """A reading without the statements that the same turn takes back."""
    kept = tuple(one for one in reading.statements if one.content not in withdrawn)
    return Reading(kept, reading.reason or ("" if kept else "corrected"))


_SILENT = frozenset(
    (
        "quoted",
        "fiction",
        "sarcasm",
        "puzzle",
        "mistake",
        "someone else",
        "lyrics",
        "joke",
        "supposed",
        "chat",
    )
)


_UNREAL = _SILENT - {"chat"}
_UNKNOWN = "?"
"""Whom a clause is about that has a pronoun of nobody known: a verb after it is not the user's."""


class _Reader:
    """Reads the fragments of one turn in order, and remembers whom it was about."""

    def __init__(self, said: Said, scene: Scene, known: Mapping[str, str]) -> None:
        self.said = said
        self.scene = scene
        self.known = known
        self.running = USER
        self.found: list[Statement] = []
        self.told: set[str] = {name.lower() for name in known.values()}
        self.asked = question_of(said.before)
        self.relations = {name.lower(): alias for alias, name in known.items()}
        """What the memory knows people to be, by name."""
        self.wishing = any(one.type == "instruction" for one in said.fragments)
        self.stressed = False
        """The user asked to remember what they are saying."""
        self.withdrawn: set[str] = set()
        """What a later fragment of the turn corrects."""
        self.swapped = ""
        """The kind of thing that the turn says was changed for another: "I switched banks"."""

    def read(self, n: int, reason: str) -> Reading:
        fragment = self.said.fragments[n]
        if reason == "quoted" or len(fragment.text) > _LONGEST:
            return Reading((), reason or "unclear")
        text = by_role(self._mine(n, within(spelled(plain(fragment.text)))))
        if n == 0 and self.said.before and self.said.before[-1].role == "assistant":
            text = with_noun(text, self.said.before[-1].content)
        self.stressed = _STRESSED.search(text) is not None
        if reason in ("", "question") and (reworded := self._reworded(n, text)):
            return self._reading(reworded, n, "")
        if _RESTATES.match(text) and any(
            "actually" in one.text for one in self.said.fragments[n + 1 :]
        ):
            self._clause(_RESTATES.sub("", text).strip(), ())  # for whom the next speaks of
            return Reading((), "restated")
        if reason == "chat" and n == 0 and self.asked:
            reply = answered(bare(text), text, self.said.before, self.scene)
            return self._reading(self._replied(reply) if reply else (), n, reason)
        if self.asked and n == 0 and _FOR_TASK.search(self.asked) and _MERE_VALUE.fullmatch(text):
            return Reading((), "task")
        if reason in ("", "instruction", "supposed") and (
            later := self._reconsidered(n, bare(text))
        ):
            return self._reading((later,), n, "")
        if reason == "joke" and (taken := self._taken_back()):
            return self._reading((taken,), n, reason)
        if reason in _SILENT:
            return Reading((), reason)
        if reason == "instruction" and makes_that(text):
            reason = ""
        self.scene.hear(text)
        extra = asides_of(text, self.scene, self.told, self.relations)
        text = _AGE_IN_BRACKETS.sub("", text)
        if reason == "question" or re.search(
            r"\b(?:pay off|fix|sell|use|descale|clean|replace|repair)\b", text
        ):
            self.scene.things += own_things(text)
        if reason == "instruction" and n == 0 and (aim := aimed(bare(text), self.said.before)):
            return self._reading((*self._replied(aim), *extra), n, "")
        wish = standing_wish(text, self.scene)
        if wish or reason in ("question", "instruction"):
            made = (wish, *extra) if wish else tuple(extra)
            return self._reading((*made, *(() if wish else self._supposed(text))), n, reason)
        if reason:
            return self._reading(tuple(extra), n, reason)
        denied = _STARRED.fullmatch(fragment.text.strip()) is not None
        if n > 0:
            before = self.said.fragments[n - 1].text.strip(" .,!")
            denied = denied or _DENIES.fullmatch(before) is not None
        # A value by itself that nobody asked for puts right the one just said.
        denied = denied or (not self.asked and value_alone(text) != "")
        if spelling := respelt(text, [*self.said.earlier, *self.found]):
            return self._reading((spelling, *extra), n, "")
        correction = corrected(text, self.scene, [*self.said.earlier, *self.found], denied)
        if correction:
            wrong, right = correction
            self.withdrawn |= {one.content for one in self.found if one == wrong}
            denied_so = denial(wrong, right)
            return self._reading((right, *([denied_so] if denied_so else []), *extra), n, "")
        if longer := self._continued(bare(text)):
            return self._reading((longer,), n, "")
        pointed = self._pointed(n, bare(text))
        if not pointed and (re.search("[A-Z]", text) or self._opens(n)):
            pointed = own_name(text, self.said.before)
        if pointed:
            return self._reading((*self._statements(pointed, 1.0, ""), *extra), n, "")
        topic = self.said.fragments[n - 1].text if n else ""
        guess = suspected(bare(text), topic) or settled(bare(text)) or called_off(bare(text))
        if not guess and n < 2 and not _YES_OR_NO.match(self.asked):
            guess = taken_back(text, self.said.earlier, self._last_said())
        if guess:
            return self._reading((guess, *extra), n, "")
        naming = name_given(bare(text), self.scene)
        if naming:
            self.running = naming.name
            return self._reading((introduced(naming), *extra), n, "")
        pick = chosen(bare(text), self.said.before)
        if pick:
            return self._reading((*self._statements(pick, 1.0, ""), *extra), n, "")
        if self._opens(n) and (longer := self._asked_more(bare(text))):
            return self._reading((longer, *extra), n, "")
        if self._opens(n) and not _WHAT_ON.fullmatch(self.asked.strip()):
            reply = answered(bare(text), text, self.said.before, self.scene)
            if reply:
                more = bare(rest_of(text))
                further = self._clause(more, extra) if len(more.split()) > 2 else ()
                return self._reading((*self._replied(reply), *further, *extra), n, "")
        week = weekly(bare(text))
        if week:
            made = tuple(s for one in week for s in self._statements(one, 1.0, ""))
            return self._reading((*made, *extra), n, "")
        named = called_so(bare(text), self.scene)
        if named:
            new = () if named.name.lower() in self.told else (introduced(named),)
            return self._reading((*new, *extra), n, "repeated")
        made = self._instead(bare(text)) or self._clause(bare(text), extra)
        if reasoned := self._because(n, text.strip(" .!,"), made):
            told = tuple(one for one in made if one.attribute)
            return self._reading((reasoned, *told, *extra), n, "")
        if not any(is_sound(one) for one in made):
            made = self._told_of_it(n, bare(text)) or made
        made = made or self._said_more(n, bare(text))
        if not made and (longer := self._of_it(n, bare(text))):
            return self._reading((longer, *extra), n, "")
        if not any(map(is_sound, made)) and (longer := self._explained(n, bare(text))):
            return self._reading((longer, *extra), n, "")
        made = made or self._run_on(bare(text), extra) or self._loose(bare(text))
        if not made and (longer := self._added(n, bare(text))):
            return self._reading((longer, *extra), n, "")
        if not made and (longer := self._placed(n, text)):
            return self._reading((longer, *extra), n, "")
        made = made or self._pieces(bare(text), extra) or self._listed(n, bare(text))
        if not made and (_GIVEN.match(text) or _CONTACT.search(text)):
            made = self._supposed(text)
        who = re.match(r"(?:he|she)(?![\w-])", bare(text), re.I)
        if not made and who and self.scene.meant_by(who[0].lower()) is None:
            self.running = _UNKNOWN
        if self._corrects(n, text):
            made = tuple(one._replace(act="correct") if one.act == "state" else one for one in made)
        return self._reading((*made, *extra), n, "" if made or extra else "unclear")

    def _last_said(self) -> str:
        """The user's turn before this one."""
        return next((one.content for one in reversed(self.said.before) if one.role == "user"), "")

    def _opens(self, n: int) -> bool:
        """Whether nothing but small talk stands before a fragment."""
        return all(self.said.fragments[m].type == "chat" for m in range(n))

    def _reading(self, made: Sequence[Statement], n: int, reason: str) -> Reading:
        kept = []
        for statement in made:
            statement = statement._replace(fragments=(self.said.fragments[n].n,))
            if sound(statement.content) and statement.content not in {
                one.content for one in self.found
            }:
                kept.append(statement)
                self.found.append(statement)
                self.told |= {m.name.lower() for m in statement.mentions if m.aliases}
        return Reading(tuple(kept), "" if kept else reason or "unclear")

    def _supposed(self, text: str) -> tuple[Statement, ...]:
        """What a question or request takes for granted."""
        made = [s for one in supposed(text, self.scene) for s in self._statements(one, 1.0, "")]
        return tuple(
            one._replace(act="state", over=()) if one.act == "change" else one for one in made
        )

    def _taken_back(self) -> Statement | None:
        """That the last turn was a joke, where things were read from it: they are over."""
        last = next(
            (line.content for line in reversed(self.said.before) if line.role == "user"), ""
        )
        joked = [
            one for one in self.said.earlier if one.value and one.value.lower() in last.lower()
        ]
        if self.found or not joked:
            return None
        over = tuple(one.value for one in joked[-3:])
        return Statement("The user was only joking", USER, "", "", "temp", "end", over, False)

    def _reworded(self, n: int, text: str) -> tuple[Statement, ...]:
        """What puts right a word of another day, in this fragment or in it and the next."""
        after = self.said.fragments[n + 1 : n + 2]
        whole = f"{text} {spelled(plain(after[0].text))}" if after else text
        if wrong := got_wrong(whole):
            return tuple(one._replace(act="correct") for one in self._clause(wrong, ()))
        said = [one.content.lower() for one in (*self.said.earlier, *self.found)]
        found = recalled(text) or recalled(whole)
        if found is None or any(found.over[0].lower() in content for content in said):
            return ()
        return (found,)

    def _corrects(self, n: int, text: str) -> bool:
        """Whether a fragment, or the one before or after it, says that something was wrong."""
        near = self.said.fragments[max(0, n - 1) : n + 2]
        return corrects(text) or any(owns_up(one.text) for one in near)

    def _continued(self, text: str) -> Statement | None:
        """The last statement with what was added to it: `all in Lund`, `12 km so far`."""
        if not self.found or not _ADDED.fullmatch(text) or self.found[-1].act == "end":
            return None
        last = self.found[-1]
        if last.attribute in ("age", "child", "name", "pet") or len(last.content.split()) > 20:
            return None
        return self._joined(last, f"{last.content}, {text}")

    def _joined(self, last: Statement, content: str) -> Statement | None:
        """The last statement made longer; None, and the last one stays, where that is no sentence."""
        longer = last._replace(content=polished(self.scene.named(content)))
        if len(content.split()) > _MOST_JOINED or not (is_sound(longer) and sound(longer.content)):
            return None
        self.withdrawn.add(last.content)
        return longer

    def _asked_more(self, text: str) -> Statement | None:
        """What the user last said with what the assistant then asked for in a word: `What on?`."""
        asked = _WHAT_ON.fullmatch(self.asked.strip())
        told = self.said.earlier[-1] if self.said.earlier else None
        words = text.split()
        if not asked or told is None or told.act == "end" or not 0 < len(words) <= 5:
            return None
        if any(is_finite(word.lower().strip(",.")) for word in words) or _NO_DETAIL.match(text):
            return None
        said = rewritten(expand(tokens_of(text)), True, self.scene, "")
        on = f"{asked['on'].strip()} " if asked["on"] else ""
        if not said or not set(self._last_said().lower().split()) & (
            set(told.content.lower().split()) - ENGLISH
        ):
            return None
        longer = told._replace(content=polished(f"{told.content}, {on}{text_of(said)}"))
        return longer if is_sound(longer) else None

    def _placed(self, n: int, text: str) -> Statement | None:
        """What the user last said, with where or with whom, where that was just asked: `yeah, at The Hangar`."""
        found = _WHERE_WITH.fullmatch(text.strip(" .!"))
        told = [one for one in self.said.earlier if one.subject == USER and one.act != "end"]
        if n or not found or not self.asked or not told or told[-1].attribute in RELATED:
            return None
        last = next(
            (line.content for line in reversed(self.said.before) if line.role == "user"), ""
        )
        shared = set(last.lower().split()) & set(told[-1].content.lower().split()) - ENGLISH
        where = (
            rewritten(expand(tokens_of(found["where"])), True, self.scene, "")
            if len(shared) > 1
            else None
        )
        longer = (
            told[-1]._replace(content=polished(f"{told[-1].content}, {text_of(where)}"))
            if where
            else None
        )
        return longer if longer and is_sound(longer) else None

    def _because(self, n: int, text: str, made: Sequence[Statement]) -> Statement | None:
        """The last statement with its reason: `…, because it needs no server`, `…, it was too slow`."""
        last = self._just_said(n, ended=True)
        found = _REASON.match(text)
        if last is None or not found:
            return None
        settled = last.attribute in ("decision", "plan", "uses", "avoids") or last.act != "state"
        if not found["because"] and (made or not settled):
            return None
        own = last.subject == USER and not re.match(r"(?:it|they)\b", found["why"], re.I)
        why = rewritten(expand(tokens_of(found["why"])), own, self.scene, last.content)
        return (
            self._joined(
                last, f"{last.content} {(found['because'] or 'because').lower()} {text_of(why)}"
            )
            if why
            else None
        )

    def _reconsidered(self, n: int, text: str) -> Statement | None:
        """The last statement with when it is to be thought over: `revisit once the grant is in`."""
        last = self._just_said(n, ended=True)
        if last is None or not _RECONSIDER.match(text) or len(text.split()) > 14:
            return None
        said = rewritten(expand(tokens_of(text)), True, self.scene, last.content)
        return self._joined(last, f"{last.content}, to {_theirs(text_of(said))}") if said else None

    def _explained(self, n: int, text: str) -> Statement | None:
        """What the user did or gave up, with the circumstance told right after it: `sold the boat,
        mooring fees doubled`."""
        last = self._just_said(n, ended=True)
        words = text.split()
        if last is None or not 3 <= len(words) <= 10 or not _SETTLED.match(last.content):
            return None
        opens = words[0].lower()
        if opens in _NO_GROUND or _WORLD.search(text) or "," in text or _CHEERS.search(text):
            return None
        if "base" in forms_of(opens) and not is_noun_too(opens):
            return None
        verb = next((at for at, word in enumerate(words[:6]) if is_finite(word.lower())), 0)
        short = re.match(
            r"(?:the |my |our )?[a-z]+'s (?:not|too|below|above|down|gone|got)\b", text, re.I
        )
        clash = words[0].endswith("s") and "base" in forms_of(words[1].lower())
        if not (verb or short or clash):
            return None
        said = rewritten(expand(tokens_of(text)), False, self.scene, last.content)
        return self._joined(last, f"{last.content}: {text_of(said)}") if said else None

    def _just_said(self, n: int, ended: bool = False) -> Statement | None:
        """What the fragment before stated, where something can be added to it."""
        before = self.said.fragments[n - 1].n if n else -1
        told = [
            one for one in self.found if one.fragments == (before,) and (ended or one.act != "end")
        ]
        return next((one for one in told if one.attribute not in RELATED), None)

    def _said_more(self, n: int, text: str) -> tuple[Statement, ...]:
        """What goes on about the thing of the fragment before: `it cost me 600 dollars` joins what
        was said of it; of `rehearsals are on Mondays` the rehearsals are the user's."""
        last = self._just_said(n)
        more = _MORE.match(text)
        mine = more and more["who"].lower() == "it" and re.search(r"\b(?:me|my|us|our)\b", text)
        if not last or not more or not (mine or _SOLID.search(text, more.end("who"))):
            return ()
        if more["noun"]:
            clause = read_clause(f"my {text}", self.scene, USER, "")
            return self._statements(clause, 1.0, "") if clause else ()
        if self.scene.meant_by("it"):
            return ()
        said = rewritten(expand(tokens_of(text)), False, self.scene, last.content)
        content = f"{last.content}, and {text_of(said)}" if said else ""
        longer = self._joined(last, content) if content else None
        return (longer,) if longer else ()

    def _told_of_it(self, n: int, text: str) -> tuple[Statement, ...]:
        """The last statement with what the next says of a thing that it names: `…, and their
        grandfather won it in Odessa`."""
        last = self._just_said(n)
        if last is None or not goes_on(text, last.content):
            return ()
        said = expand(tokens_of(re.sub(r"^(?:and|but|so|which) ", "", text, flags=re.I)))
        if said[0].lower() in ("i", "we"):
            rest = rewritten(agree(said[1:]), True, self.scene, last.content)
            rest = ["the", "user", *rest] if rest else rest
        else:
            rest = rewritten(said, False, self.scene, last.content)
        longer = (
            self._joined(last, f"{last.content}, and {_small(text_of(rest))}") if rest else None
        )
        return (longer,) if longer else ()

    def _of_it(self, n: int, text: str) -> Statement | None:
        """The last statement with what the user says of its thing: `… and wants it gone by May`."""
        last = self._just_said(n)
        found = _OF_IT.match(text)
        if last is None or last.subject != USER or not found or len(text.split()) > 16:
            return None
        said = rewritten(
            agree(expand(tokens_of(text[found.end("who") :]))), False, self.scene, last.content
        )
        if not said or not (forms_of(said[0].lower()) or said[0].lower() in ("is", "has", "does")):
            return None
        return self._joined(last, f"{last.content} and {_theirs(text_of(said))}")

    def _instead(self, text: str) -> tuple[Statement, ...]:
        """What someone likes now, said after what is over: `it's volcanoes now`."""
        found = _IT_IS_NOW.fullmatch(text)
        last = self.found[-1] if self.found else None
        if not found or not last or last.act != "end" or last.attribute != "likes":
            return ()
        who = "i am" if last.subject == USER else f"{last.subject} is"
        clause = read_clause(f"{who} into {found['what']} now", self.scene, USER, "")
        return self._statements(clause, 1.0, "") if clause else ()

    def _loose(self, text: str) -> tuple[Statement, ...]:
        """What a fragment says of the user that lacks both subject and verb: `not a morning
        person`, `just off a shift at the mill`, `24f, barista in Leeds`."""
        found = _BEING.match(text)
        if not found or self.running != USER:
            return ()
        returned = re.match(r"back to (?:an? |the )", text, re.I)
        if (
            found["where"]
            and not returned
            and not (_SOLID.search(text) or re.search(r"\b(?:my|our)\b", text))
        ):
            return ()
        clause = read_clause(f"i'm {text}", self.scene, USER, "")
        return self._statements(clause, 1.0, "") if clause else ()

    def _pieces(self, text: str, extra: Sequence[Statement]) -> tuple[Statement, ...]:
        """What a row of short pieces says, each by itself: `first time mum, 31 weeks, hate needles`."""
        pieces = [piece.strip(" .!") for piece in text.split(",")]
        if (
            self.running != USER
            or not 3 <= len(pieces) <= 8
            or any(len(one.split()) > 6 for one in pieces)
        ):
            return ()
        made: list[Statement] = []
        for piece in pieces:
            aged = re.fullmatch(r"(?:aged )?([1-9]\d)(?: ?(?:yo|f|m))?", piece, re.I)
            clause = Clause("The user", USER, f"is {aged[1]}") if aged else None
            if piece is pieces[0] and is_name(piece) and re.match(r"[1-9]\d$", pieces[1]):
                clause = Clause("The user's name", "name", f"is {piece}", of=USER)
            if clause is None and (whole := completed(piece, self.scene, USER, "")):
                clause = read_clause(f"i {whole[1]}", self.scene) if whole[0] == USER else None
            if clause is None and _MEASURED.match(piece):
                a = "" if piece[:1].isdigit() else f"{article(piece)} "
                clause = read_clause(f"i'm {a}{piece}", self.scene)
            if clause:
                made += self._statements(clause, 1.0, "")
        return tuple(made) if len(made) > 1 else ()

    def _came(self, n: int) -> Clause | None:
        """The thing of which the fragment before says no more than that it is here."""
        before = spelled(plain(self.said.fragments[n - 1].text)) if n else ""
        found = _CAME.fullmatch(bare(before))
        return (
            Clause(f"The user's {found['thing']}", found["thing"], "", of=USER) if found else None
        )

    def _listed(self, n: int, text: str) -> tuple[Statement, ...]:
        """Nothing but nouns and figures, said by way of introduction: `family of 5, one coeliac`,
        `37 weeks, baby girl`. Whoever lists them has them, or is so many weeks, feet or years."""
        words = text.split()
        if born := _BORN.fullmatch(text):
            name, over = born["name"], ("pregnant", "pregnancy")
            baby = Statement(
                f"The user has a new baby, {text}", USER, "child", name, "relation", "change", over
            )
            return (baby._replace(mentions=(Mention(name, "person"),), topic="family"),)
        if self.running != USER or not 3 <= len(words) <= 16:
            return ()
        if words[0].lower() in _OPENS_PHRASE:
            return ()
        if _NO_DETAIL.match(text) and not re.match(r"no \w+, no ", text, re.I):
            return ()
        if not _SOLID.search(text) or _ASKED_FOR.search(text) or re.search(r"[:=/]{2}", text):
            return ()
        if _COUNTDOWN.match(text) or re.search(
            r"[a-z]s (?:say|think|want|need|claim|expect)\b", text
        ):
            return ()
        if (
            any(_may_be_verb(word.lower().strip(",.!")) for word in words)
            or not text[:1].isalnum()
            or not words[-1].strip(",.!)").isalnum()
        ):
            return ()
        if came := self._came(n):
            return (
                statement_of(
                    came._replace(predicate=f"is {text_of(expand(tokens_of(text)))}"),
                    Found(),
                    self.scene,
                ),
            )
        being = _MEASURED.match(text) or words[0].lower() in as_set(NATIONALITIES)
        said = rewritten(expand(tokens_of(text)), True, self.scene, "")
        if not said:
            return ()
        clause = Clause(
            "The user", USER, f"{'is' if being else 'has'} {text_of(said)}", stated=False
        )
        return (statement_of(clause, Found(), self.scene),)

    def _added(self, n: int, text: str) -> Statement | None:
        """The statement just made with a detail that was put after it: `8 gigs of ram`."""
        last = self._just_said(n)
        if last is None:
            return None
        words = text.split()
        if not 2 <= len(words) <= 9 or _NO_DETAIL.match(text):
            return None
        if not (_SOLID.search(text) or _STATE_OF.match(text)):
            return None
        if any(is_finite(word.lower().strip(",.!")) for word in words):
            return None
        said = rewritten(expand(tokens_of(text)), last.subject == USER, self.scene, last.content)
        content = f"{last.content}, {text_of(said)}" if said else ""
        return self._joined(last, content) if content else None

    def _mine(self, n: int, text: str) -> str:
        """`mine's two` with the noun that it stands for, where one was named just before."""
        found = re.match(
            r"(?:and |but |so |because |since |as )*mine(?='s| is| are| was| has| have)", text, re.I
        )
        if not found:
            return text
        before = " ".join(one.text for one in self.said.fragments[max(0, n - 2) : n]).lower()
        nouns = [
            word
            for word in re.findall(r"[a-z-]+", before)
            if word in as_set(RELATIONS + PETS) or word in _DEVICES
        ]
        noun = next((word for word in nouns if word in _DEVICES), nouns[-1]) if nouns else ""
        return f"my {noun}{text[found.end() :]}" if noun else text

    def _pointed(self, n: int, text: str) -> Clause | None:
        """`that's my car`, `so that's the new budget`: said of what was named just before."""
        found = _THATS.fullmatch(text)
        if not found or not n:
            return None
        before = spelled(plain(self.said.fragments[n - 1].text))
        values = _VALUE.findall(before)
        if not values:
            return None
        new = " now" if found["new"] else ""
        noun = found["noun"]
        return Clause(f"The user's {noun}", noun, f"is{new} {values[-1].strip(' ?.!,')}", of=USER)

    def _run_on(self, text: str, extra: Sequence[Statement]) -> tuple[Statement, ...]:
        """What comes after a beginning that is no clause: "not for me, I can't stand wine"."""
        later = _LATER.search(text, 1)
        if later and _SUBORDINATE.search(text[: later.start()]):
            return ()
        return self._clause(text[later.start() :], extra) if later else ()

    def _clause(self, text: str, extra: Sequence[Statement]) -> tuple[Statement, ...]:
        if self.found and not self.asked and len(text.split()) == 1:
            return ()  # a word alone after a sentence belongs to that, and not to the user
        hedged = unhedged(reworded(text))
        asked = self.asked or ("wish" if self.wishing else "")
        self._step_back(hedged.basis)
        met = {one.name for one in self.scene.people}
        clause = read_clause(bare(hedged.text), self.scene, self.running, asked)
        if clause is None or (
            clause.of in ("?", "??", "the") and recognise(clause).attribute in ("", "schedule")
        ):
            clause = self._changed_thing(bare(hedged.text), met) or clause
        if clause is None and (teller := _TELLER.match(hedged.basis)):
            said = re.sub(r"^(?:he|she|they)\b", f"my {teller[1]}", bare(hedged.text), flags=re.I)
            clause = read_clause(said, self.scene, self.running, asked)
        if clause is None:
            return ()
        self.running = clause.key if clause.of in ("", "?", USER) else self.running
        if clause.key == USER:
            self.running = USER
        swapped = _SWAPPED.match(clause.predicate)
        if swapped and clause.key == USER:
            self.swapped = swapped["kind"].removesuffix("s")
            if not swapped["rest"]:
                return ()
        clause = self._filled(clause)
        if hedged.softened:
            clause = clause._replace(predicate=softened(clause.predicate))
        return self._statements(clause, hedged.confidence, hedged.basis, bool(extra))

    def _changed_thing(self, text: str, met: set[str]) -> Clause | None:
        """What became of something that is only named: `goa's cancelled`, `launch slipped`."""
        clause = of_any_thing(text, self.scene)
        if clause is None or _WORLD.search(clause.key):
            return None
        if someone := self.scene.find(clause.key):
            # A word that opens a sentence has a capital: `Standup is at 10 now` is of no one.
            place = clause.key.split()[-1] in as_set(PLACES)
            if someone.name in met or not (place or _OF_NO_ONE.match(clause.predicate)):
                return None
            self.scene.people.remove(someone)
        found = recognise(clause)
        over = found.act in ("end", "change") and bool(found.over or found.value)
        over = over or _DATED.match(clause.predicate) is not None
        over = over or _TIMED_NOW.search(clause.predicate) is not None
        over = over or (alters(clause.predicate) and _SOLID.search(clause.predicate) is not None)
        over = over or came_out(clause.predicate)
        over = over or (
            _HEADLINE.match(text) is not None and _VALUED.match(clause.predicate) is not None
        )
        return clause if over and not _BRIEFLY.search(text) else None

    def _step_back(self, basis: str) -> None:
        """Who tells something is not whom "she" means in what they tell."""
        for one in list(self.scene.people):
            if basis and re.search(rf"\b{re.escape(one.relation or one.name)}\b", basis, re.I):
                self.scene.people.remove(one)
                self.scene.people.insert(0, one)

    def _replied(self, reply: Clause) -> tuple[Statement, ...]:
        """What an answer says; being asked for, it is worth keeping however short."""
        return self._statements(reply, 1.0, "") or (
            statement_of(reply, recognise(reply), self.scene),
        )

    def _filled(self, clause: Clause) -> Clause:
        """A clause with what it only points to put in: "my dad has it", "going 12-19 May"."""
        predicate = clause.predicate
        if re.match(r"has (?:had )?it\b", predicate):
            value = next(
                (one.value for one in reversed(self.found) if one.attribute == "condition"), ""
            )
            return (
                clause._replace(predicate=re.sub(r"\bit\b", value, predicate, count=1))
                if value
                else clause
            )
        if re.match(
            r"is (?:going|flying|travelling|heading) (?:\d{1,2}(?:[-–]\d|st|nd|rd|th"
            r"| (?:of )?[a-z]{3,9}\b(?<!km)(?<!miles))|(?:in|on|for|with|next|this|from)\b)",
            predicate,
        ):
            place = _WHERE.search(spelled(plain(self.said.text)))
            if place and place[1] not in predicate:
                return clause._replace(
                    predicate=re.sub(r"^(is \w+)", rf"\1 to {place[1]}", predicate)
                )
        if one := re.match(r"is the one with (?:the |an? )?", predicate):
            return clause._replace(predicate=f"has {predicate[one.end() :]}")
        liked = re.match(
            r"((?:really |absolutely )?(?:loved|liked|hated|enjoyed|adored)) (?:that one|that|it"
            r"|this one)$",
            predicate,
        )
        titles = _TITLE.findall(plain(self.said.text)) if liked else []
        if liked and titles:
            return clause._replace(predicate=f"{liked[1]} {titles[-1]}")
        if clause.key != USER and (done := _DID_TO_THING.match(predicate)):
            thing = done["thing"]
            self.scene.things.append(f"the user's {thing}")
            said = f"was {participle_of(done['verb'])} {done['rest']}"
            return Clause(f"The user's {thing}", thing, said, of=USER)
        if thing := _OBJECT.match(predicate):
            self.scene.things.append(re.sub(r"^(?:their|the) ", "the user's ", thing[1]))
        seen = re.match(r"(?:is|started) (?:seeing|dating) someone$", predicate)
        if seen and clause.key == USER:
            self.scene.meet(Someone("partner", "partner"))
        pet = _got_pet().match(predicate)
        if pet:
            kind = pet["pet"].lower()
            owner = (
                "the user"
                if clause.key == USER
                else clause.subject[:1].lower() + clause.subject[1:]
            )
            self.scene.meet(Someone(kind, kind, "", True, owner))
        return clause

    def _statements(
        self, clause: Clause, confidence: float, basis: str, beside: bool = False
    ) -> tuple[Statement, ...]:
        made = []
        for part in parts_of(clause):
            found = recognise(part)
            if not is_worth(part, found, confidence, basis) and not (
                self.stressed and len(part.predicate.split()) >= 2
            ):
                continue
            if (
                found.attribute in RELATED
                and found.value[:1].isupper()
                and (relation_in(part) or part.key) in as_set(RELATIONS)
            ):
                self.scene.meet(Someone(found.value, relation_in(part) or part.key))
                self.running = found.value
            for piece, what in (*at_work(part, found), *takes_place(part, found)):
                one = statement_of(piece, what, self.scene, confidence, basis)
                if self.swapped and one.act in ("state", "change"):
                    one = one._replace(act="change", over=(*one.over, self.swapped))
                made.append(one)
        return tuple(made)


_REASON = Lazy(
    r"(?:(?P<because>because|since|so that|given that|as(?= (?:i|we|my|our|it|the|he|she|they|there)\b))(?![\w'])|(?=(?:it|they|[a-z]+s|the [a-z]+)(?:'s|'re| is| are| was| were| has"
    r"| needs| gives?| takes?| kept| keeps| just)\b[a-z' ]*\b(?:too|so|more|less|[a-z]+er|better|faster|not|no|never|cheap|easy|"
    r"only|always|way)\b)) ?(?P<why>\S.*)",
    re.I,
)
"""Why something was decided or ended, said after it."""


def _small(text: str) -> str:
    """`text` without the capital that began its sentence, where that is no name's."""
    first = text.split()[0].lower() if text else ""
    small = first in ("the", "its", "it", "they", "their", "my", "our")
    return text[:1].lower() + text[1:] if small else text


def _theirs(text: str) -> str:
    return text.replace("the user's", "their")


_OF_IT = Lazy(
    r"(?P<who>i|we)(?:'ve|'m|'re)? (?!think|guess|hope|know|like|love|hate)[a-z]+(?: [a-z]+)? (?:it|them)\b(?= \w+ \w)",
    re.I,
)
_YES_OR_NO = Lazy(
    r"(?:.*[,.!:;-] )?(?:so |and )?(?:do|does|did|is|are|am|was|were|have|has|had|can|could|will|would|should)\b",
    re.I,
)
_WHAT_ON = Lazy(
    r"(?:(?:oh|ooh|nice|great|cool|lovely|fun|and)[,!. ]+)*(?:what|where|who|which|when|since when|whereabouts)(?: kind| sort| one)?"
    r"(?P<on> on| about| for| with| in| from| to| by)?\?",
    re.I,
)
_HEADLINE = Lazy(
    r"(?!water|bread|milk|rice|sugar|flour|dough|pasta|meat|chicken|beef|gold|silver|python|java|there'|that'|what'|let's|light|sound|fuel|petrol|diesel|oil|bitcoin)"
    r"(?-i:[a-z])[a-z-]{2,}(?: [a-z-]+)?(?:'s (?!been|got|just|gonna|so\b|not)| (?:has|sleeps|seats|holds|weighs|takes|measures|fits|runs on) )"
)
"""A thing without an article: `kiln's a front-loader`. Who speaks so speaks of their own."""
_VALUED = Lazy(
    r"(?:is (?:an?\b|the\b|at\b|on\b|in\b|for\b|about\b|(?=\d)|(?=(?-i:[A-Z])))|has|sleeps|seats|holds|weighs|takes|measures|fits|runs on).*(?:\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven"
    r"|twelve|twenty|thirty|forty|fifty|hundred)\b|(?-i:[A-Z]{2}))"
)
_OPENS_PHRASE = frozenset(
    "the on in at with for from to of by my our his her their this that these those".split()
)
_WHERE_WITH = Lazy(
    r"(?:(?:yes|yeah|yep|yup|no|nah|aye),? )?(?P<where>(?:at|in|with|near|from|by|through|on) (?!it\b|that\b|this\b|you\b|the same\b)"
    r"[\w'&. -]{3,50})",
    re.I,
)
_SUBORDINATE = Lazy(
    r"\b(?:if|whether|when|unless|than|as|like|that|think|thinks|thought|said|says|asked|until|before|after|while|how|what)\s*$",
    re.I,
)
_CONTACT = Lazy(r"[a-z] i(?:'m|'ve| am| got| bought| made) ", re.I)
_GIVEN = Lazy(
    r"(?:and |so |but )?(?:given|considering|with|for|due to|because of|despite|thanks to|as for) (?:my|our)\b",
    re.I,
)
_DEVICES = frozenset(
    "phone car laptop bike computer camera oven boiler fridge washer dishwasher mattress guitar piano tv tablet printer".split()
)
_DID_TO_THING = Lazy(
    r"(?:has )?(?P<verb>moved|changed|rescheduled|postponed|pushed|raised|put|increased|cut"
    r"|lowered|bumped)"
    r" the user's (?P<thing>[\w -]{2,30}?) (?P<rest>(?:up |down |back )?(?:to|from) .+)",
    re.I,
)


def _may_be_verb(word: str) -> bool:
    """Whether a word may be the verb of a clause, so that it is no mere list of nouns."""
    if is_finite(word) or ("'" in word and not word[:1].isdigit()) or word in ("i", "mine"):
        return True
    return "base" in forms_of(word) and not is_noun_too(word)


_MORE = Lazy(
    r"(?P<who>it|they|this|these|those|the [a-z-]+(?: [a-z-]+)?|that(?=(?:'s| is| was)[\w ]*\d)"
    r"|(?P<noun>(?!(?:i|we|he|she|you|what|that|there|who|which|how|and|but|so|not|people|everyone|fuel"
    r"|price|prices|weather|pollen|traffic)\b)(?-i:[a-z-]{3,}(?: (?!is|are|was|has)[a-z-]+)?)))"
    r"(?:'s|'re|'ll|'ve|(?= (?:is|are|was|were|has|have|had|will|cost|costs|took|takes|came|comes|starts?"
    r"|ends?|ran|runs|goes|went|includes?|belongs?|arrives?|weighs?|holds?|lasts?|lasted|needs?)\b))",
    re.I,
)
_SOLID = Lazy(
    r"\d|(?<=[a-z,] )[A-Z][a-z]|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day|\b(?:january|february|march"
    r"|april|june|july|august|september|october|november|december|dollars|euros|pounds)\b"
)
_MOST_JOINED = 36
_BEING = Lazy(
    r"(?:just |currently |still |recently |always |proper )*(?:not (?:an? |the |really |much of an? |into |keen "
    r"|big |very |that |overly )|\d{2} ?(?:f|m|yo|y/o)\b|(?P<where>(?:fresh (?:off|from|out of)|back (?:from|in|at|to)"
    r"|home (?:from|with)|off (?:an?|the|to)|up (?:in|at)|down (?:in|at)|out (?:in|at)|stuck (?:in|at|with)|based (?:in"
    r"|at|near)|away (?:in|at|until)|on (?:an?|the|my|day|week|earlies|lates|nights|leave|call|holiday)|at (?:the|my)|under (?:the|an?)|halfway through)\b))",
    re.I,
)
_STATE_OF = Lazy(r"\w+(?:ed|lt|nt|de|ten) (?:on|in|at|by|for|to|with|from|of) \w", re.I)
_ASKED_FOR = Lazy(
    r"\b(?:recipes?|ideas?|tips?|plans?|lists?|emails?|templates?|help|thoughts|advice|options|gifts?|presents?"
    r"|names?|captions?|titles?|summary|translation|examples?|words|sentences|quotes?|jokes?|suggestions"
    r"|vs|versus|difference|meaning|synonyms?|lyrics|chapter|verse|score|result)\b",
    re.I,
)
_MEASURED = Lazy(
    r"\d+(?:'\d| (?:weeks?|months?|years?)\b)|(?:first[- ]time|single|proud|full[- ]time|part[- ]time|retired|total"
    r"|complete|keen|busy|working) \w+",
    re.I,
)
_STRESSED = Lazy(
    r"^(?:please |pls |and |also |ok |so )*(?:remember|do remember|don't forget|note|make a note|keep in mind|bear in mind"
    r"|for future reference)(?: that)?,? (?!to\b|me\b|when\b|how\b)",
    re.I,
)
_LONGEST = 4_000
"""No fragment of speech has more characters."""
_COUNTDOWN = Lazy(r"(?:only )?\d+ \w+ (?:to|until|till|left)\b", re.I)
_NO_DETAIL = Lazy(
    r"(?:thanks|thank|please|any|some|same|ok|no|yes|what|how|which|or|and then|for example|e\.g|like|lol|haha"
    r"|that|this|it|they|these|those|there|he|she|you|who|if|when|but|just|only|now|then|so"
    r"|by the way|speaking|regarding|as)\b",
    re.I,
)
_OBJECT = Lazy(
    r"(?:\w+ ){1,2}?((?:the|their) (?!user\b)[a-z]+(?: [a-z]+)?)(?=$| (?:today|yesterday|in|on|at|last|from"
    r"|with)\b)"
)
_TITLE = Lazy(r"(?<=[a-z] )([A-Z][\w']+(?: (?:of|the|and|in)? ?[A-Z][\w']+)*)")
_TIMED_NOW = Lazy(
    r"(?=.*\b(?:now|these days|from now on)\b).*(?:\d|day\b|days\b|week|month|morning|evening|night)",
    re.I,
)
_DATED = Lazy(
    r"(?:is|are|starts?|begins?|ends?|finishes|finish|(?:re)?opens?|closes|returns?|launch(?:es)?|expires?|leaves?|departs?|resumes?|kicks off|meets?|takes place|falls"
    r"|goes up|goes out|closes?|renews?|expires?|reopens?|arrives?|lands?|returns?|runs? out|retires?|must be|has to be|should be)"
    r"(?: (?:off|up|again|due))? (?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|on|at|in|every|from|the|next|this|a week|tomorrow|first|last|\d).*"
    r"(?:\d|day\b|days\b|week\b|month\b|tomorrow|january|february|march|april|june|july|august|september|october"
    r"|november|december)",
    re.I,
)
"""When something is or begins: what is dated is the user's affair, whoever's it is."""
_TELLER = Lazy(r"(?:my |our |the )?([a-z]+) (?:says?|said|told me|confirmed|agreed|thinks?)", re.I)
"""Who told something of themselves: `landlord confirmed he's selling`."""
_SWAPPED = Lazy(
    r"(?:has )?(?:just )?(?:switched|changed|swapped|moved) (?P<kind>(?!the\b|their\b|his\b|her\b)(?:[a-z-]+ )?[a-z]{3,}s)"
    r"(?P<rest>(?: (?:last|this|in|on|because|to)\b.*)?)$",
    re.I,
)
_OF_NO_ONE = Lazy(
    r"(?:is|was|has|has been|got|just|now|only|\w+ed|went|goes|going|rose|fell|up|down)(?: \w+){0,2}?"
    r" (?:to |until |at |on |for |every )*(?:[$£€]?\d|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february"
    r"|march|april|may\b|june|july|august|september|october|november|december|next|noon)"
    r"|(?:is|was|has been|got) (?:cancelled|canceled|called off|postponed|delayed|rescheduled)\b",
    re.I,
)
"""What is said of what takes place or has a price, not of people."""
_WORLD = Lazy(
    r"\b(?:prices?|s&p|dow|nasdaq|ftse|bitcoin|btc|ethereum|gas|petrol|oil|inflation|interest rates?|unemployment"
    r"|population|temperature|weather|dollar|euro|pound|stock|stocks|market|economy|sun|season|episode)\b",
    re.I,
)
"""What changes for everyone, and is nobody's."""
_BRIEFLY = Lazy(r"\b(?:error|exception|stack ?trace|null|undefined|line \d+)\b", re.I)
"""Words of talk about a program, where things change that are nobody's."""
_STARRED = Lazy(r"\*+ ?[\w'. -]{2,30}|[\w'. -]{2,30}\*")
"""A word with a star puts right one that was mistyped."""
_RESTATES = Lazy(r"(?:i|think i|i think i) (?:told you|said|mentioned)\b", re.I)
_AGE_IN_BRACKETS = Lazy(r" \((?:aged? )?\d{1,2}\)")
_ADDED = Lazy(
    r"(?:all|mostly|mainly|both|some) (?:in|at|around|from|near|over) .{2,40}|(?:about "
    r"|around |roughly |only )?[£$€]?\d[\d.,]*\s?(?:k|grand|kg|km|kilos?|words?|units?|miles?"
    r"|pages?|lbs?)\b(?!.*\b(?:is|are|was|has|were)\b).{0,30}",
    re.I,
)
_DENIES = Lazy(
    r".*\b(?:misread|got (?:it|that) wrong|made a mistake|typo|mixed (?:it|them) up)\b.*|(?:no"
    r"|nope|nah|wait|actually|hmm no|oops|sorry|wait no|no wait)",
    re.I,
)
_FOR_TASK = Lazy(
    r"\bshould (?:the|it|this|that|i (?:use|put|write|include|add)|we (?:use|put))\b|\b(?:for|in|on) the (?:chart|graph"
    r"|slides?|sign|script|e-?mail|table|poster|title|text|image|logo|diagram|flyer|banner|header|letter|card|caption)\b",
    re.I,
)
"""What the assistant asks to get on with what it is making."""
_MERE_VALUE = Lazy(
    r"(?!.*\b(?:i|i'm|i've|my|me|we|our|us|always|never)\b)[^\s.?!]+(?: [^\s.?!]+){0,9}[.!]?", re.I
)
_IT_IS_NOW = Lazy(
    r"(?:it's|it's all|now it's(?: all)?) (?P<what>[a-z-]+(?: [a-z-]+)?s)(?: now)?", re.I
)
_RECONSIDER = Lazy(
    r"(?:reconsider|revisit|review|rethink|decide again|look (?:at it )?again|think again)(?: it| that| this)? (?:if|when|once|after"
    r"|in|next|should|as soon as)\b",
    re.I,
)
_SETTLED = Lazy(
    r"The user (?:has |just |finally )*(?:sold|picked|chose|chosen|cancelled|canceled|quit|handed|gave|given|let|lets|dropped|returned"
    r"|swapped|shaved|went (?:for|with|back)|left|stopped|ditched|closed|moved|took|kept|switched|turned down|skipped|postponed"
    r"|pulled|put off|is (?:renting|selling))\b(?!.*:)",
)
"""What one does for a reason."""
_CHEERS = Lazy(
    r"\b(?:you|your|awesome|amazing|great|lovely|fun|nice|best|happy|beautiful|cute|worth|wonderful|incredible|super|fab|love|glad)\b",
    re.I,
)
_NO_GROUND = frozenset(
    "i i'm i've we we're you what which how why who can could should would is are do does did any please thanks that that's it"
    " it's this he she they there and but so or if not no yes".split()
)
_BORN = Lazy(
    r"(?P<name>(?-i:[A-Z])[\w'-]+)(?: (?-i:[A-Z])[\w'-]+)*,? (?:born [^,]+, )?(?:[2-5](?:[.,]\d+)? ?(?:kilos?|kg)|[4-9] ?(?:lbs?|pounds)(?: \d+ ?(?:oz|ounces)?)?)",
    re.I,
)
"""The news of a birth: a name and the weight of one newly born."""
_CAME = Lazy(
    r"(?:the|my|our|that) (?P<thing>[a-z-]+(?: [a-z-]+)?) (?:came|arrived|turned up|is here|has come|has arrived|got here)(?: today)?",
    re.I,
)
_THATS = Lazy(
    r"(?:so )?that's (?:my|our|the)(?P<new> new)? (?P<noun>car|bike|phone|laptop|hometown|budget"
    r"|deadline|target|goal|rent|address|limit|number|rate|school|job|team|bank|gym)\b.*",
    re.I,
)
_VALUE = Lazy(
    r"[£$€]?\d[\d.,]*k?\b|(?-i:[A-Z][\w'-]+(?: [A-Z][\w'-]+)*)|(?<=for an )[\w ]+(?=\?)"
    r"|(?<=for a )[\w ]+(?=\?)",
    re.I,
)
_LATER = Lazy(
    r"\b(?<=because )(?:my|our|i|we) |\bi(?:'m|'ve| can't| don't| have| am| was| hate| love| work"
    r"| live| like| need| use| got| turn)\b",
    re.I,
)
_WHERE = Lazy(r"\b(?:in|to|around|near) ([A-Z][\w'-]+(?: [A-Z][\w'-]+)*)")


@cache
def _got_pet() -> re.Pattern[str]:
    return re.compile(
        r"(?:just )?(?:adopted|got|bought|has|rescued|is getting) (?:a"
        rf"|an) (?:\w+ )?(?P<pet>{alternatives(PETS)})$",
        re.I,
    )


__all__ = ["Reading", "interpret"]
