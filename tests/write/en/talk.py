"""A conversation read turn by turn, as consolidation does it."""

from __future__ import annotations

from datetime import UTC, datetime

from loxodon.write.en import judge, read, split
from loxodon.language.statements import Fragment, Line, Said, Statement, Verdict

AT = datetime(2026, 3, 19, 10, tzinfo=UTC)


def fragments(text: str) -> list[Fragment]:
    return [Fragment(0, n, *piece) for n, piece in enumerate(split(text))]


def said_last(*turns: str) -> tuple[list[Verdict], list[Statement]]:
    """What the last turn comes to; a turn that begins with `A:` is the assistant's."""
    before: list[Line] = []
    earlier: list[Statement] = []
    known: dict[str, str] = {}
    verdicts: list[Verdict] = []
    found: list[Statement] = []
    for turn in turns:
        role, text = ("assistant", turn[2:].strip()) if turn.startswith("A:") else ("user", turn)
        if role == "user":
            said = Said(text, AT, fragments(text), before[-8:], list(earlier), dict(known))
            verdicts = judge(said)
            found = read(said, verdicts)
            earlier += found
            for statement in found:
                for mention in statement.mentions:
                    known |= dict.fromkeys(mention.aliases, mention.name)
        before.append(Line(role, text, AT))
    return verdicts, found


def statements(*turns: str) -> list[Statement]:
    return said_last(*turns)[1]


def contents(*turns: str) -> list[str]:
    return [statement.content for statement in statements(*turns)]


def the(*turns: str, attribute: str) -> Statement:
    """The one statement of the last turn with that attribute."""
    found = [one for one in statements(*turns) if one.attribute == attribute]
    assert len(found) == 1, contents(*turns)
    return found[0]
