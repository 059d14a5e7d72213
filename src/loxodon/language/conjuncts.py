"""What a clause says of its subject, one thing after another: `I'm vegan, 34 and work at Tesco`.

Where one thing ends and the next begins is not told by words but by what can be read: a verb that
a frame reads begins another, and `and` joins two words of one thing where a frame reads it so.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from loxodon.language.frames import FrameMatch
from loxodon.language.statements import Clause

if TYPE_CHECKING:
    from loxodon.language.reader import Grammar

Read = tuple[Clause, FrameMatch]
# A clause, or part of one, and the frame that reads it, if one does
Said = tuple[Clause, FrameMatch | None]
_MOST = 8  # Joints of a clause; one with more is a list
# What may hold for the verb after an `and`, too: `I want to move to York and work at Tesco`
_LEADS = re.compile(
    r"\b(?:to|will|would|can|cannot|could|shall|should|might|may|must|not|never)\b", re.I
)
_WORD = re.compile(r"\S+")


def goes_on(clause: Clause, match: FrameMatch) -> bool:
    """Whether what is joined to a clause is told as outright as the clause itself."""
    outright = match.frame.positive and clause.act != "end"
    return outright and match.frame.category not in ("plan", "event")


def conjuncts(
    grammar: Grammar, clause: Clause, matched: Callable[[Clause], Read | None]
) -> list[Said]:
    """What a clause says, one thing after another."""
    rest = clause.rest
    known: dict[str, Read | None] = {}
    joints = grammar.joints(rest)[:_MOST]
    starts = [0, *(start for _, start in joints)]
    ends = [*(end for end, _ in joints), len(rest)]
    count = len(ends)

    def read(one: Clause) -> Read | None:
        if one.rest not in known:
            known[one.rest] = matched(one)
        return known[one.rest]

    def ways(start: int, end: int) -> list[Clause]:
        return grammar.sharing(clause, rest[start:end]) if end - start < len(rest) else [clause]

    def begins(n: int) -> bool:
        return any(read(one) for end in ends[n:] for one in ways(starts[n], end)[:1])

    def part(first: int, stop: int) -> tuple[Read | None, int]:
        """The longest part from there on that is read; not where the next word may belong to it."""
        for last in reversed(range(first, stop)):
            found = next(filter(None, map(read, ways(starts[first], ends[last]))), None)
            word = _WORD.match(rest, starts[last + 1]) if last + 1 < stop else None
            if found and not (word and any(map(read, ways(starts[first], word.end())))):
                return found, last + 1
        return None, stop

    def unread(start: int, end: int) -> Said:
        return Clause(rest[start:end], "part", subject=clause.subject, raw=rest[start:end]), None

    said: list[Said] = []
    at = 0
    while at < count:
        match, after = part(at, next((n for n in range(at + 1, count) if begins(n)), count))
        start, end = starts[at], ends[after - 1]
        said.append(match or unread(start, end))
        if not (goes_on(*match) if match else not _LEADS.search(rest, start, end)):
            said += [unread(starts[after], len(rest))] if after < count else []
            break
        at = after
    some = any(match for _, match in said)
    # nobody knows what half of a clause means that is about nobody
    whole = clause.who in ("", "bare") and not all(match for _, match in said)
    return said if some and not whole else [(clause, None)]
