"""Anybody's words inside our own Markdown: one line each, and no line that opens anything."""

from __future__ import annotations

import re

# Controls, halves of surrogate pairs, and marks that turn the direction of what follows them.
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]+")


def one_line(text: str) -> str:
    """`text` on one line, without what a reader cannot see and a terminal might obey."""
    return " ".join(_UNSEEN.sub(" ", text).split())


# What has a meaning at the beginning of a line: headings, quotes, lists, rules, links
_OPENING = re.compile(
    r"[#>|]|[-+*](?=\s|$)|([-_*])(?:\s*\1){2}|\[[^\]]{0,99}\](?=:|\s|$)|\d{1,9}[.)](?=\s|$)"
)


def item(text: str) -> str:
    """`text` as one line of a list, which no heading, fence, tag or list inside it can break."""
    line = one_line(text)
    if opening := _OPENING.match(line):
        at = opening.end() - 1 if line[0].isdecimal() else 0
        line = f"{line[:at]}\\{line[at:]}"
    line = re.sub(r"[`~]{3,}", lambda run: "".join(f"\\{sign}" for sign in run[0]), line)
    line = re.sub(r"<(?=[A-Za-z!/?])", r"\\<", line)
    ticks = [tick.start() for tick in re.finditer(r"(?<!\\)`", line)]
    if len(ticks) % 2:  # one without its partner
        line = f"{line[: ticks[-1]]}\\{line[ticks[-1] :]}"
    return line
