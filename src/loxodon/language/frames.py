"""Frames: what a whole clause says, as a table of patterns.

A frame reads one way of telling one thing. It is an entry of `frames.toml` of a language:

    [[frame]]
    attribute = "home"                       what of its subject it tells
    match = ["<live> [right] in {place}"]    what follows the subject, to the end of the clause
    say = "{S} lives in {place}"             the sentence that is kept
    value = "{place}"                        where that is not the only slot
    who = "user we person"                   whose clause it may be; user and person where not said
    yes = "I live in Leeds => The user lives in Leeds"
    no = "I live in hope"                    both are its tests

In a pattern `<live>` is a verb in the present, `(a|b)` one of several words, `[a|b]` words that may
be left out, and `{place}` or `{old:place}` a slot. A pattern that begins with `*` is the whole
clause, of the user. `'s name` is what belongs to the subject: `my name`, `my sister's name`.

A frame fires only where it accounts for the whole clause and each slot holds what it may: a half
understood clause is read by none.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from loxodon.text.patterns import any_case

Who = str  # `user`, `we`, `person`, `pet`, or `bare` where the subject was left out


class Slot(NamedTuple):
    """What may stand in a place of a pattern; compiled when it is first asked."""

    like: str
    never: str = ""
    small: str = ""  # The same for somebody who writes no capitals
    cased: bool = False

    def holds(self, text: str, small: bool) -> bool:
        like = _compiled(self.small) if small and self.small else _compiled(self.like, self.cased)
        if len(text) > 80 or not like.fullmatch(text):
            return False
        return not (self.never and _compiled(self.never).search(text))


class Pattern(NamedTuple):
    source: str
    slots: Mapping[str, str]  # The kind of each slot by its name
    whole: bool
    # Words that stand in whatever it matches, one of each group: most clauses are told by these
    # alone, and the pattern need not be compiled for them
    needs: tuple[tuple[str, ...], ...]

    def match(self, text: str, lower: str) -> re.Match[str] | None:
        for words in self.needs:
            for word in words:
                if word in lower:
                    break
            else:
                return None
        return _compiled(self.source).fullmatch(text)


@cache
def _compiled(source: str, cased: bool = False) -> re.Pattern[str]:
    return re.compile(source) if cased else any_case(source)


class ClauseFrame(NamedTuple):
    attribute: str
    say: str
    value: str
    who: frozenset[Who]
    patterns: tuple[Pattern, ...]
    act: str = "state"
    over: str = ""
    subject: str = ""  # Whom it is about where that is not the subject of the clause
    importance: float | None = None
    category: str = ""
    confidence: float = 1.0
    positive: bool = True
    yes: tuple[str, ...] = ()
    no: tuple[str, ...] = ()

    @property
    def whole(self) -> bool:
        """Whether it reads whole clauses, and names the user itself."""
        return all(one.whole for one in self.patterns)


class FrameMatch(NamedTuple):
    frame: ClauseFrame
    slots: Mapping[str, str]
    kinds: Sequence[tuple[str, str]]  # The kind of each slot, and what stands in it

    def filled(self, template: str, **names: str) -> str:
        return _PLACE.sub(lambda found: {**self.slots, **names}[found[1]], template)


_PLACE = re.compile(r"\{([\w']+)\}")
_TOKEN = re.compile(r"\{(\w+)(?::(\w+))?\}|<([\w' ]+)>|\[([^\]]+)\]|\(([^)]+)\)|(\s+)")
_SPACE = r"\s+"
_LEFT_OUT = rf"{_SPACE})?"


class Frames:
    """The frames of one language, found by the words that they begin with."""

    def __init__(self, package: str, verb: Callable[[str], str], spaced: bool) -> None:
        table = tomllib.loads((files(package) / "frames.toml").read_text("utf-8"))
        self._verb = verb
        self._spaced = spaced
        self._macros: dict[str, str] = table.get("words", {})
        self.slots: dict[str, Slot] = {}
        for name, one in table["slot"].items():
            like, never, small = (
                self._expanded(one.get(key, "")) for key in ("like", "never", "small")
            )
            self.slots[name] = Slot(like, never, small, one.get("cased", False))
        self.frames = [self._frame(one) for one in table["frame"]]
        self.health: Mapping[str, Any] = table["health"]
        like = self._expanded(self.health["like"])
        self._ill = like.replace("{illness}", self.slots["illness"].like)
        self._of = {
            who: [one for one in self.frames if who in one.who]
            for who in ("user", "we", "person", "people", "pet", "bare")
        }
        # What changes something may leave its subject out: then it only touches what is known.
        self._of["bare"] = [one for one in self.frames if "bare" in one.who or one.act != "state"]
        # A clause about nobody who is known is read only by what names the user itself.
        self._of[""] = [one for one in self.frames if one.whole]

    def of_health(self, text: str) -> bool:
        """Whether words that no frame reads tell of somebody's illness or allergy."""
        return _compiled(self._ill).search(text) is not None

    def match(self, rest: str, clause: str, who: Who, small: bool) -> FrameMatch | None:
        """What a clause says: `rest` is what follows its subject."""
        texts = {True: (clause, clause.lower()), False: (rest, rest.lower())}
        for frame in self._of[who]:
            for pattern in frame.patterns:
                if not (found := pattern.match(*texts[pattern.whole])):
                    continue
                slots = {k: v.strip() for k, v in found.groupdict().items() if v}
                kinds = [(of, slots[name]) for name, of in pattern.slots.items() if name in slots]
                if all(self.slots[kind].holds(text, small) for kind, text in kinds):
                    return FrameMatch(frame, slots, kinds)
        return None

    def _frame(self, one: Mapping[str, Any]) -> ClauseFrame:
        match = _listed(one["match"])
        patterns = tuple(self._pattern(text) for text in match)
        names = [name for pattern in patterns for name in pattern.slots]
        value = one.get("value", f"{{{names[0]}}}" if names else "")
        who = frozenset(one.get("who", "user person").split())
        given = {name: one[name] for name in ClauseFrame._field_defaults if name in one}
        given |= {name: tuple(_listed(one.get(name, ()))) for name in ("yes", "no")}
        return ClauseFrame(one["attribute"], one["say"], value, who, patterns, **given)

    def _expanded(self, text: str) -> str:
        return re.sub(r"@([a-z_]+)", lambda found: f"(?:{self._macros[found[1]]})", text)

    def _pattern(self, text: str) -> Pattern:
        """A pattern of the table as a regular expression."""
        whole = text.startswith("*")
        text = text.lstrip("* ")
        slots: dict[str, str] = {}
        parts: list[str] = []
        needs: list[tuple[str, ...]] = []
        at = 0
        for found in _TOKEN.finditer(text):
            if literal := text[at : found.start()]:
                parts.append(re.escape(literal))
                needs.append((literal,))
            at = found.end()
            name, kind, verb, optional, choice, space = found.groups()
            if name:
                slots[name] = kind or name
                parts.append(f"(?P<{name}>.+?)")
            elif verb:
                parts.append(f"(?:{self._verb(verb)})")
                needs.append(tuple(self._verb(verb).split("|")))
            elif choice:
                parts.append(f"(?:{_spaces(choice)})")
                needs.append(tuple(choice.split("|")))
            elif space:
                parts += [] if parts[-1].endswith(_LEFT_OUT) else [_SPACE]
            elif not self._spaced:
                parts.append(f"(?:{optional})?")
            elif at == len(text):  # at the end it takes the space before it along
                parts = parts[:-1] if parts[-1] == _SPACE else parts
                parts.append(f"(?:{_SPACE}(?:{_spaces(optional)}))?")
            else:
                parts.append(f"(?:(?:{_spaces(optional)}){_LEFT_OUT}")
        if literal := text[at:]:
            parts.append(re.escape(literal))
            needs.append((literal,))
        source = self._expanded("".join(parts).replace(r"\@", "@"))
        for name, kind in slots.items() if len(slots) > 1 else ():
            # Slots side by side are told apart by what each may hold
            slot = self.slots[kind]
            if len(slot.like) < _SHORT and not (self._spaced and (slot.cased or slot.small)):
                source = source.replace(f"(?P<{name}>.+?)", f"(?P<{name}>{slot.like})")
        # The words that a pattern cannot do without, those first that are least often said
        plain = {
            tuple(map(str.lower, words)) for words in needs if all(map(_PLAIN.fullmatch, words))
        }
        needed = tuple(sorted(plain, key=lambda words: (-min(map(len, words)), len(words), words)))
        return Pattern(source, slots, whole, needed)


_SHORT = 1_500  # Characters of a pattern that may stand within others; a list of all places may not
_PLAIN = re.compile(r"[\w' -]+")


def _spaces(words: str) -> str:
    return words.replace(" ", _SPACE)


def _listed(one: str | Sequence[str]) -> Sequence[str]:
    return [one] if isinstance(one, str) else one
