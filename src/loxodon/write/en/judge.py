"""Phase 2 of English: which fragments are worth keeping, and what they are about."""

from __future__ import annotations

from loxodon.write.attributes import ATTRIBUTES
from loxodon.write.en.reading import Reading, interpret
from loxodon.write.en.screen import bonus_of
from loxodon.write.statements import IMPORTANCE, About, Said, Statement, Verdict


def judge(said: Said) -> list[Verdict]:
    """A verdict for each fragment of a user's turn."""
    return [
        _verdict(reading, fragment.text)
        for reading, fragment in zip(interpret(said), said.fragments, strict=True)
    ]


def _verdict(reading: Reading, text: str) -> Verdict:
    if reading.statements:
        about = max((about_of(one) for one in reading.statements), key=IMPORTANCE.__getitem__)
        return Verdict(True, about, bonus_of(text), "")
    if reading.reason == "unclear" and len(text.split()) >= 4:
        return Verdict(None, "fact", bonus_of(text), "unclear")
    return Verdict(False, "fact", 0.0, reading.reason)


def about_of(statement: Statement) -> About:
    """What a statement is about."""
    known = ATTRIBUTES.get(statement.attribute)
    if known:
        return known.about
    if statement.category in ("relation", "preference", "health", "identity", "decision"):
        return statement.category  # type: ignore[return-value]
    if statement.act in ("change", "end", "correct"):
        return "change"
    return "temporary" if statement.category == "temp" else "fact"


__all__ = ["about_of", "judge"]
