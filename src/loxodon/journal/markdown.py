"""Daily notes in Markdown.

    # 2026-02-18

    ## 10:30 AM - API 讨论
    讨论了 REST vs GraphQL。

A `##` section is one turn, said at its time of its day; a long one is a turn for each of its
paragraphs. The day comes from a heading, from `date:` in the front matter, or from the file name.

What OpenClaw's dreaming and its promotions wrote into a note is left out, and so is a heading that
has nothing else below it: that text was made from the notes, and a memory must not learn from its
own output.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from datetime import date, time, tzinfo
from typing import NamedTuple

from loxodon.errors import InputError
from loxodon.journal import moments
from loxodon.journal.lines import FileLines, Read, Trouble, checked, drafts_in, session_of
from loxodon.types import Draft

_LONG_SECTION = 2000  # characters; a longer section becomes a turn for each paragraph
_LONGEST_FRONT = 400  # lines of front matter
OUR_BEGIN, OUR_END = "<!-- loxodon:begin -->", "<!-- loxodon:end -->"
# What programs wrote: how it begins, and how it ends
_GENERATED = {
    re.compile(re.escape(OUR_BEGIN)): re.compile(re.escape(OUR_END)),
    re.compile("<!--.*openclaw:dreaming:"): re.compile(
        "openclaw:dreaming:.*:end|/openclaw:dreaming|end openclaw:dreaming"
    ),
    re.compile(r"^[\s>]{0,40}\[(?:Related memories|相关记忆)\]\s{0,9}(?:[(（]|$)"): re.compile(
        r"^[\s>]{0,40}\[(?:End of related memories|相关记忆结束)\]"
    ),
}
_PROMOTION = "openclaw-memory-promotion:"
_SEPARATORS = " \t-–—:：|·,，."
_BULLETS = ("- ", "* ", "+ ")
_UNTIL = " -–—~～至到"

Numbered = tuple[int, str]  # a line, with its number before it


class Section(NamedTuple):
    """A heading with what stands directly below it."""

    headings: tuple[str, ...]  # the titles above and its own, outermost first
    line: int  # of its heading; 0 for what stands before the first
    level: int
    title: str  # its own, without the day and the time that it begins with
    day: date | None
    clock: time
    lines: list[Numbered]


def read_markdown(lines: FileLines, name: str, zone: tzinfo | None) -> Read:
    texts, problems = lines.texts, list(lines.problems)
    after, front = front_fields(texts)
    left_out = generated(texts)
    day = moments.day_at_start(front.get("date", "")) or moments.day_in_name(name)
    found: list[tuple[int, Draft]] = []
    every = sections(texts, {*left_out, *range(1, after + 1)}, day, 2, problems)
    for section, end in zip(every, [*(one.line for one in every[1:]), len(texts) + 1], strict=True):
        session = section.day.isoformat() if section.day else session_of(name)
        at = moments.moment(section.day, section.clock, zone) if section.day else None
        emptied = not left_out.isdisjoint(range(section.line, end))
        for line, content in _turns(section, emptied=emptied):
            found.append((line, Draft(line, "user", content, session, at=at, origin="file")))
    drafts, bad = drafts_in(found, lambda _, draft: checked(draft))
    return drafts, problems + bad


def front_fields(texts: Sequence[str]) -> tuple[int, dict[str, str]]:
    """How many lines of simple front matter a note begins with, and its fields."""
    found: dict[str, str] = {}
    name = ""
    for number, line in enumerate(texts[:_LONGEST_FRONT], 1):
        if number == 1:
            if line.rstrip() != "---":
                break
        elif line.rstrip() in ("---", "..."):
            return number, found
        elif name == "tags" and line.lstrip().startswith("- "):
            found[name] += "," + line.lstrip()[2:]
        elif ":" in line and line[:1].strip():
            name, _, value = line.partition(":")
            name = name.strip().lower()
            found.setdefault(name, value.strip().strip("\"'"))
    return 0, {}


def generated(texts: Sequence[str]) -> set[int]:
    """The numbers of lines that programs made from notes: a memory must not learn from them."""
    left_out: set[int] = set()
    for start, text in enumerate(texts, 1):
        if start in left_out:
            continue
        if _PROMOTION in text:
            left_out.update(range(start, _end_of_promotion(texts, start) + 1))
        for begin, close in _GENERATED.items():
            if begin.search(text):
                left_out.update(range(start, _end_of_block(texts, start, close) + 1))
    return left_out


def _end_of_block(texts: Sequence[str], start: int, close: re.Pattern[str]) -> int:
    """The last line of a block; one without its end reaches to the next heading."""
    heading = 0
    for number, line in enumerate(texts[start - 1 :], start):
        if close.search(line):
            return number
        if not heading and number > start + 1 and 0 < heading_of(line)[0] <= 2:
            heading = number - 1
    return heading or len(texts)


def _end_of_promotion(texts: Sequence[str], start: int) -> int:
    end = start
    for line in texts[start:]:
        is_bullet, ends = line.startswith(_BULLETS), not line.strip() or _PROMOTION in line
        if is_bullet != (end == start) or ends or heading_of(line)[0]:
            break
        end += 1
    return end


def sections(
    texts: Sequence[str],
    left_out: Collection[int],
    day: date | None,
    deepest: int = 6,
    problems: list[Trouble] | None = None,
    title: str = "",
) -> list[Section]:
    """The note by its headings; a section without a day or a time has that of the one before."""
    current = Section((title,) if title else (), 0, 0, "", day, moments.MIDNIGHT, [])
    path, found, fence = [current], [current], ""
    for number, text in enumerate(texts, 1):
        if number in left_out:
            continue
        inside = bool(fence)
        fence = fence_after(fence, text)
        level, title = (0, "") if inside or fence else heading_of(text)
        if not 0 < level <= deepest or (not title and level > 2):
            current.lines.append((number, text))
            continue
        try:
            rest, on, at = read_heading(level, title)
        except InputError as error:
            rest, on, at = title, None, None
            if problems is not None:
                problems.append((number, error))
        clock = at or (moments.MIDNIGHT if on or level == 1 else current.clock)
        while path[-1].level >= level:
            path.pop()
        above = path[-1].headings
        titles = above if above[-1:] == (title,) else (*above, title)
        current = Section(titles, number, level, rest, on or current.day, clock, [])
        path.append(current)
        found.append(current)
    return found


def heading_of(text: str) -> tuple[int, str]:
    """The level and the title of a heading line; level 0 for any other line."""
    bare = text.lstrip(" ")
    if not bare.startswith("#") or len(text) - len(bare) > 3:
        return 0, ""
    title = bare.lstrip("#")
    level = len(bare) - len(title)
    if level > 6 or (title and title[0] not in " \t"):
        return 0, ""
    return level, title.strip().rstrip("#").rstrip()


def fence_after(fence: str, text: str) -> str:
    """The code fence that is open after this line, given the one open before it."""
    bare = text.strip()
    mark = bare[:1]
    if mark not in ("`", "~"):
        return fence
    run = bare[: len(bare) - len(bare.lstrip(mark))]
    if not fence:
        return run if len(run) >= 3 and not (mark == "`" and "`" in bare[len(run) :]) else ""
    return "" if run == bare and mark == fence[0] and len(run) >= len(fence) else fence


def read_heading(level: int, title: str) -> tuple[str, date | None, time | None]:
    """The title without the day and the time that it begins with, and these."""
    first = moments.match_day(title)
    found = first or (moments.match_day(title, anywhere=True) if level == 1 else None)
    day, rest = (found[0].resolve(), title[found[1] :]) if found else (None, title)
    bare = rest.lstrip(_SEPARATORS + "T" if found else "").lstrip("[(（")
    clock, end = moments.match_clock(bare) or (None, 0)
    if found != first or (clock is None and not found):
        return title, day, clock
    if clock is None:
        return rest.lstrip(_SEPARATORS + "T"), day, None
    bare = bare[end:].lstrip()
    if bare[:1] in tuple(_UNTIL):  # 10:30 - 11:00
        after = bare.lstrip(_UNTIL)
        bare = after[until[1] :] if (until := moments.match_clock(after)) else bare
    return bare.lstrip(_SEPARATORS + "])）"), day, clock


def _turns(section: Section, *, emptied: bool) -> list[Numbered]:
    """The turns of a section: itself, or its paragraphs where it is long."""
    filled = [place for place, (_, text) in enumerate(section.lines) if text.strip()]
    body = section.lines[filled[0] : filled[-1] + 1] if filled else []
    if not body:
        # A title alone is a note ("## 15:00 Dentist"), but that of a whole file is only its name.
        alone = section.title and section.level == 2 and not emptied
        return [(section.line, section.title)] if alone else []
    text = "\n".join(text for _, text in body)
    title = f"{section.title}\n" if section.title else ""
    if len(title) + len(text) <= _LONG_SECTION:
        return [(section.line if section.level else body[0][0], title + text)]
    return [(block[0][0], title + "\n".join(text for _, text in block)) for block in _blocks(body)]


def _blocks(body: list[Numbered]) -> list[list[Numbered]]:
    """The paragraphs of a long section; a list that is itself long is cut at its items."""
    paragraphs: list[list[Numbered]] = [[]]
    fence = ""
    for line in body:
        fence = fence_after(fence, line[1])
        if line[1].strip() or fence:
            paragraphs[-1].append(line)
        elif paragraphs[-1] and not heading_of(paragraphs[-1][-1][1])[0]:
            paragraphs.append([])  # a sub-heading stays with the paragraph below it
    blocks: list[list[Numbered]] = []
    for paragraph in paragraphs:
        long = sum(len(text) + 1 for _, text in paragraph) > _LONG_SECTION
        for place, line in enumerate(paragraph):
            if not place or (long and line[1].startswith(_BULLETS)):
                blocks.append([])
            blocks[-1].append(line)
    return blocks
