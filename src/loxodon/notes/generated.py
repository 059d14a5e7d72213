"""What in a file its author did not write: a memory must not learn from its own output.

OpenClaw's dreams and promotions, the rules that `loxodon openclaw install` put into AGENTS.md, and
blocks of recalled memories that found their way into a note.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from loxodon.agents.openclaw.blocks import BEGIN, END
from loxodon.journal.markdown import heading_of, made_by_openclaw

_RECALLED = re.compile(r"[\s>]{0,40}\[(?:Related memories|相关记忆)\]\s{0,9}(?:[(（]|$)")
_RECALLED_END = re.compile(r"[\s>]{0,40}\[(?:End of related memories|相关记忆结束)\]")
_ENTRY = re.compile(r"[\s>]{0,40}\d{1,4}\. \[\d{4}-\d\d-\d\d\] |[\s>]{0,40} {3}\S|[\s>]*$")
"""A line of such a block: the first of an entry, or another."""


def generated(lines: Sequence[str]) -> set[int]:
    """The numbers (from 1) of the lines that are not the author's own."""
    found = made_by_openclaw(lines)
    number = 1
    while number <= len(lines):
        line = lines[number - 1]
        end = 0
        if BEGIN in line:
            end = _end_of_rules(lines, number)
        elif "[" in line[:60] and _RECALLED.match(line):
            end = _end_of_recalled(lines, number)
        if end:
            found.update(range(number, end + 1))
        number = max(end, number) + 1
    return found


def _end_of_rules(lines: Sequence[str], start: int) -> int:
    """The last line of our block; one without its end reaches to the next heading."""
    heading = 0
    for number in range(start, len(lines) + 1):
        line = lines[number - 1]
        if END in line:
            return number
        if number > start and BEGIN in line:
            return heading or number - 1
        # The block itself begins with a heading.
        if not heading and number > start + 1 and 0 < heading_of(line)[0] <= 2:
            heading = number - 1
    return heading or len(lines)


def _end_of_recalled(lines: Sequence[str], start: int) -> int:
    """The last line of a recalled block; one without its end has only what looks like an entry."""
    entries, number = start, start + 1
    while number <= len(lines):
        line = lines[number - 1]
        if _RECALLED_END.match(line):
            return number
        if not _ENTRY.match(line):
            break
        if line.strip():
            entries = number
        number += 1
    return entries
