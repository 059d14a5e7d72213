"""A conversation in a few words, and what the rules of Chinese make of it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from loxodon.write import zh
from loxodon.language.statements import Fragment, Line, Said, Statement, Verdict

AT = datetime(2026, 3, 4, 10, 0, tzinfo=UTC)


def said(text: str, *before: str, known: Mapping[str, str] | None = None) -> Said:
    """The user's turn `text`; turns `before` it that begin with `>` are the assistant's."""
    fragments = [Fragment(1, n, *piece) for n, piece in enumerate(zh.split(text))]
    lines = [
        Line("assistant", line[1:].strip(), AT) if line.startswith(">") else Line("user", line, AT)
        for line in before
    ]
    return Said(text, AT, fragments, lines, earlier_of(before), known or {})


def earlier_of(before: tuple[str, ...]) -> list[Statement]:
    found: list[Statement] = []
    for n, line in enumerate(before):
        if not line.startswith(">"):
            turn = said(line, *before[:n])
            found += zh.read(turn, zh.judge(turn))
    return found


def verdicts(text: str, *before: str) -> list[Verdict]:
    return zh.judge(said(text, *before))


def read(text: str, *before: str, known: Mapping[str, str] | None = None) -> list[Statement]:
    turn = said(text, *before, known=known)
    return zh.read(turn, zh.judge(turn))


def contents(text: str, *before: str, known: Mapping[str, str] | None = None) -> list[str]:
    return [one.content for one in read(text, *before, known=known)]


def only(text: str, *before: str, known: Mapping[str, str] | None = None) -> Statement:
    found = read(text, *before, known=known)
    assert len(found) == 1, found
    return found[0]
