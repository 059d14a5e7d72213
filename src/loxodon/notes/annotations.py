"""What is written about a line, beside what it says.

    - Deploys on Fridays <!-- trigger: deploy, ship --> <!-- importance: 9 --> <!-- project: x -->

    <!-- observed: 2026-02-04 | status: superseded -->
    - Lives in Berlin

    - W: The office is in Osaka        W the world, B an experience, O an opinion

Annotations are taken out of the text. Other comments are their author's words and stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date
from typing import Literal, NamedTuple

from loxodon.errors import InputError
from loxodon.journal.moments import match_day

Type = Literal["", "world", "experience", "opinion"]

_MOST_TRIGGERS = 32
_LONGEST = 200
"""Characters of a trigger or the name of a project."""
_KEYS = {
    "trigger": "trigger",
    "triggers": "trigger",
    "触发": "trigger",
    "触发词": "trigger",
    "importance": "importance",
    "重要性": "importance",
    "重要度": "importance",
    "project": "project",
    "项目": "project",
    "observed": "observed",
    "观察": "observed",
    "观察于": "observed",
    "status": "status",
    "状态": "status",
}
_OVER = frozenset({"superseded", "retracted", "已取代", "被取代", "已失效", "失效"})
_TYPES: dict[str, Type] = {"W": "world", "B": "experience", "O": "opinion"}


class Annotations(NamedTuple):
    """What annotations say of a piece of text."""

    triggers: tuple[str, ...] = ()
    importance: float | None = None
    project: str = ""
    observed: date | None = None
    superseded: bool = False
    type: Type = ""

    def and_(self, other: Annotations) -> Annotations:
        """Both; where they differ, the greater importance and what was said first."""
        if self == NOTHING or other == NOTHING:  # nearly always
            return other if self == NOTHING else self
        importances = [i for i in (self.importance, other.importance) if i is not None]
        return Annotations(
            tuple(dict.fromkeys((*self.triggers, *other.triggers)))[:_MOST_TRIGGERS],
            max(importances, default=None),
            self.project or other.project,
            self.observed or other.observed,
            self.superseded or other.superseded,
            self.type or other.type,
        )


NOTHING = Annotations()


def annotated(line: str) -> tuple[str, Annotations]:
    """A line without its annotations, and what they say."""
    if "<!--" not in line:
        return line, NOTHING
    kept: list[str] = []
    marks = NOTHING
    at = 0
    while (start := line.find("<!--", at)) >= 0:
        end = line.find("-->", start + 4)
        if end < 0:
            break
        said = _read(line[start + 4 : end])
        kept.append(line[at : start if said else end + 3])
        if said:
            marks = marks.and_(said)
        at = end + 3
    kept.append(line[at:])
    text = "".join(kept)
    return (text.rstrip() if marks != NOTHING else text), marks


def _read(comment: str) -> Annotations | None:
    """What a comment says; None for one that is no annotation."""
    marks = NOTHING
    known = False
    for part in comment.split("|"):
        key, colon, value = part.replace("：", ":", 1).partition(":")
        name = _KEYS.get(key.strip().lower(), "")
        if not colon or not name:
            continue
        known = True
        marks = marks.and_(_mark(name, value.strip()))
    return marks if known else None


def _mark(name: str, value: str) -> Annotations:
    if name == "trigger":
        return Annotations(triggers=_names(value, ",;，；、"))
    if name == "importance":
        return Annotations(importance=_importance(value))
    if name == "project":
        return Annotations(project=next(iter(_names(value, ";；")), ""))
    if name == "observed":
        return Annotations(observed=day_at_start(value))
    return Annotations(superseded=value.lower() in _OVER)


def _names(value: str, separators: str) -> tuple[str, ...]:
    parts = re.split(f"[{separators}]", value)
    return tuple(dict.fromkeys(p.strip()[:_LONGEST] for p in parts if p.strip()))[:_MOST_TRIGGERS]


def _importance(value: str) -> float | None:
    """1 to 10, as OpenClaw has it, or a share; None for anything else."""
    value = value.removesuffix("/10").strip()
    if not re.fullmatch(r"\d{1,2}(?:\.\d{1,6})?", value):
        return None
    number = float(value)
    if "." not in value or number > 1:
        number /= 10
    return number if number <= 1 else None


def day_at_start(text: str) -> date | None:
    """The day that a text begins with, where there is such a day and it is clear which."""
    found = match_day(text.lstrip("([（*_ "))
    if found is None or found[0].ambiguous:
        return None
    try:
        return found[0].resolve()
    except InputError:
        return None


# --- Types ----------------------------------------------------------------------------------------

_MARKED = re.compile(
    r"\s{0,40}(?:[-*+•]\s{1,9})?(?:\*\*)?"
    r"(?:\[([A-WYZ])\]|【([A-Z])】|\(([A-Z])\)"
    r"|([A-Z])(?:\(c\s?=\s?[\d.]{1,6}\))?(?:\*\*)?\s?[:：](?![/\\]))(?:\*\*)?\s{0,9}(?=\S)"
)
"""A letter that stands for something: `[W]`, `W:`, `**O**:`, `O(c=0.9):`."""
_BARE = re.compile(r"\s{0,40}[-*+•]\s{1,9}([WBO])(\(c\s?=\s?[\d.]{1,6}\))?\s{1,9}(@)?(?=\S)")
"""A letter that may be a word: `- W The office is in Osaka`, but also `- B vitamins`."""
_BULLET = re.compile(r"\s{0,40}[-*+•]\s")


class Prefixes(NamedTuple):
    """How the lines of one section mark their type."""

    marked: bool
    bare: bool

    def read(self, line: str) -> tuple[str, Type]:
        """A line without its prefix, and the type it stands for."""
        if self.marked and (found := _MARKED.match(line)):
            return _without(line, found.end()), _TYPES[_letter(found)]
        if (found := _BARE.match(line)) and (self.bare or found[2] or found[3]):
            # `@Name` is part of what is said.
            end = found.start(3) if found[3] else found.end()
            return _without(line, end), _TYPES[found[1]]
        return line, ""


def prefixes_of(lines: Iterable[str]) -> Prefixes:
    """What the beginnings of a section's lines mean.

    A and B in a dialogue, or the choices of a question, are no types: one letter beyond W, B and O
    settles that. A bare letter is one only where most bullets have it, two or more.
    """
    letters: set[str] = set()
    bare = bullets = 0
    for line in lines:
        if found := _MARKED.match(line):
            letters.add(_letter(found))
        bullets += _BULLET.match(line) is not None
        bare += _BARE.match(line) is not None
    return Prefixes(bool(letters) and letters <= _TYPES.keys(), bare >= 2 and bare * 2 > bullets)


def _letter(found: re.Match[str]) -> str:
    return next(letter for letter in found.groups() if letter)


def _without(line: str, end: int) -> str:
    """The line without its prefix, which ends at `end`; a bullet stays one."""
    bullet = _BULLET.match(line)
    return (line[: bullet.end()] if bullet else "") + line[end:]


# --- Front matter ---------------------------------------------------------------------------------


class FrontMatter(NamedTuple):
    """The lines between `---` with which a note may begin."""

    lines: int = 0
    day: date | None = None
    title: str = ""
    marks: Annotations = NOTHING


_LONGEST_FRONT = 400


def front_matter(lines: Sequence[str]) -> FrontMatter:
    """What simple front matter says by `date`, `title`, `tags` and `project`."""
    if not lines or lines[0].rstrip() != "---":
        return FrontMatter()
    found = FrontMatter()
    tags: list[str] = []
    listing = False
    for number, line in enumerate(lines[1:_LONGEST_FRONT], 2):
        if line.rstrip() in ("---", "..."):
            marks = found.marks.and_(Annotations(triggers=tuple(tags[:_MOST_TRIGGERS])))
            return found._replace(lines=number, marks=marks)
        key, colon, value = line.partition(":")
        value = value.strip().strip("\"'")
        if listing and line.lstrip().startswith("- "):
            tags.extend(_tags(line.lstrip()[2:]))
        elif colon and line[:1].strip():
            name = key.strip().lower()
            listing = name == "tags" and not value
            tags.extend(_tags(value) if name == "tags" else ())
            found = _with(found, name, value)
    return FrontMatter()


def _with(found: FrontMatter, name: str, value: str) -> FrontMatter:
    if name in ("date", "created", "day") and found.day is None:
        return found._replace(day=day_at_start(value))
    if name == "title":
        return found._replace(title=value[:_LONGEST])
    if name == "project":
        return found._replace(marks=found.marks._replace(project=value[:_LONGEST]))
    return found


def _tags(value: str) -> tuple[str, ...]:
    names = _names(value.strip().strip("[]"), ",，、")
    return tuple(name.strip("\"' ").lstrip("#") for name in names)
