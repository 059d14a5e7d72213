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
from collections.abc import Sequence
from datetime import date, tzinfo
from typing import NamedTuple

from loxodon.errors import InputError
from loxodon.journal.lines import FileLines, Read, Trouble, check_text, session_of, stem_of
from loxodon.journal.moments import MIDNIGHT, Clock, match_clock, match_day, moment, search_day
from loxodon.types import Draft

_LONG_SECTION = 2000  # characters; a longer section becomes a turn for each paragraph
OUR_BEGIN, OUR_END = "<!-- loxodon:begin -->", "<!-- loxodon:end -->"
_RECALLED = re.compile(r"[\s>]{0,40}\[(?:Related memories|相关记忆)\]\s{0,9}(?:[(（]|$)")
_RECALLED_END = re.compile(r"^[\s>]{0,40}\[(?:End of related memories|相关记忆结束)\]")
_RECALLED_LINE = re.compile(r"[\s>]{0,40}\d{1,4}\. \[\d{4}-\d\d-\d\d\] |[\s>]{0,40} {3}\S|[\s>]*$")
_DREAMING = "openclaw:dreaming:"
_DREAM_END = re.compile(f"{_DREAMING}.*:end|/openclaw:dreaming|end openclaw:dreaming")
_PROMOTION = "openclaw-memory-promotion:"
_SEPARATORS = " \t-–—:：|·,，."
_BULLETS = ("- ", "* ", "+ ")

Numbered = tuple[int, str]  # a line, with its number before it


class _Section:
    """A heading and what stands below it, while it is being read."""

    def __init__(self, line: int, level: int, title: str, day: date | None, clock: Clock) -> None:
        self.line = line
        self.level = level
        self.title = title
        self.day = day
        self.clock = clock
        self.body: list[Numbered] = []
        self.emptied = False  # whether something below it was left out


class _Heading(NamedTuple):
    title: str
    day: date | None
    clock: Clock | None


def read_markdown(lines: FileLines, name: str, zone: tzinfo | None) -> Read:
    """The turns of a note, and its lines that cannot be read."""
    problems = list(lines.problems)
    texts = [text or "" for text in lines.texts]
    after, day = _front_matter(texts)
    left_out = generated(texts)
    left_out.update(range(1, after + 1))
    drafts: list[Draft] = []
    for section in _sections(texts, left_out, day or day_in_name(name), problems):
        session = section.day.isoformat() if section.day else session_of(name)
        at = moment(section.day, section.clock, zone) if section.day else None
        for line, content in _turns(section):
            try:
                check_text(content)
            except InputError as error:
                problems.append((line, error))
            else:
                drafts.append(Draft(line, "user", content, session, at=at, origin="file"))
    return drafts, problems


def _front_matter(texts: Sequence[str]) -> tuple[int, date | None]:
    """How many lines of front matter the note begins with, and the date they give."""
    if not texts or texts[0].rstrip() != "---":
        return 0, None
    day: date | None = None
    for count, text in enumerate(texts[1:], 2):
        if text.rstrip() in ("---", "..."):
            return count, day
        if text.startswith("date:"):
            found = match_day(text[5:].strip(" \"'"))
            try:
                day = found[0].resolve() if found else None
            except InputError:
                day = None  # the headings and the file name may know better
    return 0, None


def day_in_name(name: str) -> date | None:
    found = match_day(stem_of(name).replace("_", "-"))
    try:
        return found[0].resolve() if found and not found[0].ambiguous else None
    except InputError:
        return None


def generated(texts: Sequence[str]) -> set[int]:
    """The numbers (from 1) of the lines that programs wrote from what they had read: a memory must
    not learn from its own output. OpenClaw's dreams and promotions, our block in AGENTS.md, and
    blocks of recalled memories."""
    left_out: set[int] = set()
    number = 1
    while number <= len(texts):
        end = _end_of_generated(texts, number)
        left_out.update(range(number, end + 1))
        number = max(end, number) + 1
    return left_out


def _end_of_generated(texts: Sequence[str], start: int) -> int:
    """The last line of what a program wrote from `start` on; 0 where it wrote nothing there."""
    text = texts[start - 1]
    if _PROMOTION in text:
        return _end_of_promotion(texts, start)
    if "[" in text[:60] and _RECALLED.match(text):
        end, inside = _RECALLED_END, _RECALLED_LINE
    elif OUR_BEGIN in text:
        end, inside = re.compile(re.escape(OUR_END)), None
    elif _DREAMING in text:
        end, inside = _DREAM_END, None
    else:
        return 0
    last = heading = 0
    for number, line in enumerate(texts[start - 1 :], start):
        if end.search(line):
            return number
        if number > start and (OUR_BEGIN in line or _DREAMING in line):
            return heading or number - 1
        if inside and number > start and not inside.match(line):
            return last
        last = number if line.strip() else last
        # The block itself may begin with a heading.
        if not heading and number > start + 1 and 0 < heading_of(line)[0] <= 2:
            heading = number - 1
    # Without its end it reaches to the next heading, so that no other note is lost.
    return last if inside else heading or len(texts)


def _end_of_promotion(texts: Sequence[str], start: int) -> int:
    """The last line of the list item that stands below a promotion marker."""
    number = start + 1
    if number > len(texts) or not texts[number - 1].startswith(_BULLETS):
        return start
    while number < len(texts):
        following = texts[number]
        if not following.strip() or following.startswith(_BULLETS) or _PROMOTION in following:
            break
        if heading_of(following)[0]:
            break
        number += 1
    return number


def _sections(
    texts: Sequence[str], left_out: set[int], day: date | None, problems: list[Trouble]
) -> list[_Section]:
    """The note in sections; the text before its first heading is one too."""
    current = _Section(1, 0, "", day, MIDNIGHT)
    sections = [current]
    fence = ""
    for number, text in enumerate(texts, 1):
        if number in left_out:
            current.emptied = True
            continue
        inside = bool(fence)
        fence = fence_after(fence, text)
        level, title = (0, "") if inside or fence else heading_of(text)
        if not 0 < level <= 2:
            current.body.append((number, text))
            continue
        try:
            heading = read_heading(level, title)
        except InputError as error:
            problems.append((number, error))
            heading = _Heading(title, None, None)
        clock = heading.clock or (MIDNIGHT if heading.day or level == 1 else current.clock)
        on = heading.day or current.day
        current = _Section(number, level, heading.title, on, clock)
        sections.append(current)
    return sections


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


def read_heading(level: int, title: str) -> _Heading:
    """The day and the time that a heading gives; what it begins with is not part of its title.

    Raises InputError for a day that does not exist.
    """
    at_start = match_day(title)
    found = at_start or (search_day(title) if level == 1 else None)
    day = None
    rest = title
    if found:
        day = found[0].resolve()
        rest = title[found[1] :].lstrip(_SEPARATORS + "T")
    clock = match_clock(rest.lstrip("[(（"))
    if clock is None:
        return _Heading(rest if at_start else title, day, None)
    if found and not at_start:
        return _Heading(title, day, clock[0])
    rest = rest.lstrip("[(（")[clock[1] :]
    second = rest.lstrip(" ")
    if second[:1] in tuple("-–—~～至到"):  # 10:30 - 11:00
        second = second[1:].lstrip(" ")
        if (until := match_clock(second)) is not None:
            rest = second[until[1] :]
    return _Heading(rest.lstrip(_SEPARATORS + "])）"), day, clock[0])


def _turns(section: _Section) -> list[Numbered]:
    """The turns of a section: itself, or its paragraphs where it is long."""
    filled = [place for place, (_, text) in enumerate(section.body) if text.strip()]
    body = section.body[filled[0] : filled[-1] + 1] if filled else []
    if not body:
        # A title alone is a note ("## 15:00 Dentist"), but that of a whole file is only its name.
        alone = section.title and section.level == 2 and not section.emptied
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
