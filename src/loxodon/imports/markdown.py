"""A memory kept as files: Markdown, and the layers of a three-layer memory beside it.

    MEMORY.md, USER.md             each entry becomes a memory, in the words of the file
    2026-01-18.md                  daily notes become turns, from which consolidation learns; what
                                   is marked W:, B: or O: there is a memory
    layer2/active/facts.jsonl      what a three-layer memory knows; also beliefs and summaries
    layer2/archive/facts.jsonl     what it has put away

Its other files (snapshot, indexes, state) are made of these. One file may also come alone.

A bullet is an entry, with its continuation lines; so is a paragraph, or a few sentences of a long
one. The headings above say what it is about and of which project.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from datetime import tzinfo
from importlib.resources import files
from typing import NamedTuple

from loxodon.errors import InputError
from loxodon.imports import records
from loxodon.imports.package import Around, Found, NewMemory, Package, problem
from loxodon.journal import read as read_turns
from loxodon.journal.lines import split_lines
from loxodon.journal.markdown import fence_after
from loxodon.journal.moments import day_in_name
from loxodon.language.projects import named_project
from loxodon.notes.blocks import BULLET
from loxodon.notes.chunk import chunks
from loxodon.store import Chunk
from loxodon.text import sentences
from loxodon.types import Kind, Source
from loxodon.views.manifest import is_view

_MOST_NOTE = 64 << 20  # bytes of a note
_HEAD = 4_096  # bytes in which a file that Loxodon wrote says so
_MEMORY = re.compile(r"(?:.*/)?(?:memory|user)\.(?:md|markdown)", re.IGNORECASE)
_POOL = re.compile(r"(?:(?:.*/)?layer2/(active|archive)/)?(facts|beliefs|summaries)\.jsonl")
_KINDS: dict[str, Kind] = {"facts": "fact", "beliefs": "belief", "summaries": "summary"}


def is_note(name: str) -> bool:
    return name.lower().endswith((".md", ".markdown"))


def _is_daily(name: str) -> bool:
    """Whether a file is named after a day: `2026-02-18.md`, `2026-02-18-trip.md`."""
    return is_note(name) and day_in_name(name) is not None


def is_part(name: str) -> bool:
    """Whether a file of a folder is one that such a memory is known by."""
    return bool(_POOL.fullmatch(name) or _MEMORY.fullmatch(name)) or _is_daily(name)


def read(package: Package, around: Around) -> Iterator[Found]:
    for name in package.names:
        if not (is_part(name) or package.alone):
            continue
        try:
            if is_view(package.head(name, _HEAD).decode("utf-8", "replace")):
                continue  # made from a memory of ours
            if pool := _POOL.fullmatch(name):
                kind, archived = _KINDS[pool[2]], pool[1] == "archive"
                yield from records.read_layer(package, name, around, kind, archived=archived)
                continue
            if daily := _is_daily(name):
                found = read_turns(package.read(name, _MOST_NOTE), name, "markdown", around.zone)
                yield from (problem(name, line, error) for line, error in found.problems)
                # Read as a file they would only be found; imported, they are learned from.
                yield from (one._replace(origin=None) for one in found.drafts)
            yield from _remembered(package, name, around, daily)
        except InputError as error:
            yield problem(name, 0, error)


def _remembered(package: Package, name: str, around: Around, daily: bool) -> Iterator[Found]:
    """The entries of a file; of a day's notes those that say what they are."""
    lines = split_lines(package.read(name, _MOST_NOTE))
    yield from (problem(name, line, error) for line, error in lines.problems)
    written = package.modified(name)
    for entry in entries(lines.texts, name, around.zone):
        at, core = entry.chunk.at, entry.category in ("identity", "preference")
        text, category, sure = entry.text, entry.category, 1.0
        if typed := _TYPED.match(text):
            category, sure = _TYPES[typed[1]]
            text, sure = text[typed.end() :], float(typed[2] or sure)
        elif daily:
            continue
        yield NewMemory(
            text,
            ("memory", text),
            Source(file=name, line=entry.line),
            "fact" if sure == 1 else "belief",
            category,
            1.0 if core else entry.chunk.importance,
            sure,
            own=True,
            trust="import" if daily else "file",
            project=entry.chunk.project or entry.project or named_project(text),
            tags=entry.chunk.triggers,
            entities=tuple(_PERSON.findall(text)) if category == "relation" else (),
            since=at if at and at <= around.now else None,
            confirmed_at=written,
            done=entry.done,
        )


_LONG = 400  # characters of a paragraph that is cut into its sentences
_FULL = 55  # columns that a line has at least which was broken for its length
_ENDS = tuple(".!?:;。！？：；…")
_BOLD_HEADING = re.compile(r"\*\*([^*]{1,80}?)[:：]?\*\*[:：]?\s*")
_BOX = re.compile(r"\[( |x|X|✓)\]\s+")
_NO_WORDS = re.compile(r"\s*([-_*=])(?:\s*\1){2,}\s*|\s*<!--.{0,500}?-->\s*")  # rules, comments
# How a form is to be filled in
_HELP = re.compile(r"[_*]?[(（][^)）]*[)）][_*]?|_[^_]*_|\*[^*]*\*")
# A fact of the world, an experience, or an opinion and how sure it is: `O(c=0.9) @Ann: likes tea`
_TYPED = re.compile(r"([WBO])(?:\(c=(0?\.\d{1,4}|1(?:\.0)?)\))?(?:[:：]\s*| @(?=\w))(?=\S)")
_TYPES = {"W": ("fact", 1.0), "B": ("event", 1.0), "O": ("preference", 0.6)}
# Whom a line about one person begins with: `Alice (alice@acme.com) - Design lead`
_PERSON = re.compile(r"^(?:[A-Z]\w+(?: [A-Z]\w+)?|[\u4e00-\u9fff]{2,4})(?=\s?[(（:：,，–—]| -)")
_BOLD = re.compile(r"\*\*([^*\n]+?)\*\*|__([^_\n]+?)__")
_HEADINGS = tomllib.loads((files(__package__) / "headings.toml").read_text("utf-8"))
_CATEGORIES = {
    category: re.compile(rf"(?<![a-z])(?:{words})", re.IGNORECASE)
    for category, words in _HEADINGS.items()
}
_PROJECT = re.compile(r"(?:project|项目)\s*[:：]\s*(.{1,100})", re.IGNORECASE)
_PROJECTS = re.compile(
    r"(?:(?:active|current|my|key|ongoing|other) )?projects?|(?:当前|活跃|进行中的?|我的|重点)?项目"
    r"(?:列表|清单)?",
    re.IGNORECASE,
)


class Entry(NamedTuple):
    line: int
    text: str
    category: str  # what the headings say that it is
    project: str
    done: bool  # a box that is ticked
    chunk: Chunk  # with what is written about it


def entries(lines: Sequence[str], name: str, zone: tzinfo | None) -> Iterator[Entry]:
    """The entries of a note, in order, without code."""
    for chunk in chunks(lines, name, "user" if "user." in name.lower() else "memory", zone):
        first = lines[chunk.first_line - 1]
        if first.lstrip().startswith("#"):  # a heading with nothing below
            continue
        titles = [_plain(title) for title in chunk.heading.split(" > ")]
        is_bullet = BULLET.match(first) is not None
        for line, text in _bullet(chunk) if is_bullet else _paragraphs(chunk):
            if bold := _BOLD_HEADING.fullmatch(text):  # it stands for a heading
                titles.append(bold[1])
                continue
            box = _BOX.match(text)
            text = _plain(text[box.end() :] if box else text)
            # A form that nobody has filled in (`Name:`), or what says how to fill it in
            is_help = not is_bullet and _HELP.fullmatch(text)
            if not text or text.endswith((":", "：")) or is_help:
                continue
            category, project = _about(titles)
            category, done = "plan" if box else category, bool(box and box[1] != " ")
            is_long = not is_bullet and len(text) > _LONG
            for piece in sentences.split(text) if is_long else [text]:
                yield Entry(line, piece, category, project, done, chunk)


def _bullet(chunk: Chunk) -> Iterator[tuple[int, str]]:
    """A bullet with those below it; these apart where it only says what they are of."""
    head, *below = chunk.text.split("\n")
    if below and head.rstrip("* ").endswith((":", "：")):
        for line, text in enumerate(below, chunk.first_line + 1):
            yield line, f"{_plain(head)} {BULLET.sub('', text).strip()}"
    else:
        yield chunk.first_line, "\n".join([head, *map(str.strip, below)])


def _paragraphs(chunk: Chunk) -> Iterator[tuple[int, str]]:
    """The lines that belong together: one goes on in the next where it is full."""
    run: list[str] = []
    fence, first = "", 0
    for number, raw in enumerate([*chunk.text.split("\n"), ""], chunk.first_line):
        is_code = bool(fence)
        fence = fence_after(fence, raw)
        text, last = raw.strip().removeprefix(">").strip(), run[-1] if run else ""
        is_full = len(last) + sum(c > "\u1100" for c in last) > _FULL
        if run and not (text and is_full and not last.endswith(_ENDS)):
            yield first, "\n".join(run)
            run = []
        if text and not (is_code or fence or _NO_WORDS.fullmatch(text[:600])):
            first = first if run else number
            run.append(text)


def _about(titles: Sequence[str]) -> tuple[str, str]:
    """The category and the project that the headings above say, the nearest first."""
    category = project = ""
    for title, above in zip(titles[::-1], [*titles[-2::-1], ""], strict=False):
        found = (c for c, words in _CATEGORIES.items() if words.search(title[:200]))
        category = category or next(found, "")
        if named := _PROJECT.fullmatch(title):
            project = named[1].strip()
        elif _PROJECTS.fullmatch(above):
            project = title[:100].strip()
    return category, project


def _plain(text: str) -> str:
    return _BOLD.sub(lambda found: found[1] or found[2], text).strip()
