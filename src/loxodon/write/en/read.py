"""Phase 3 of English: what the fragments that were kept say."""

from __future__ import annotations

from collections.abc import Sequence

from loxodon.write.en.reading import interpret
from loxodon.write.en.sound import is_sound
from loxodon.write.statements import Said, Statement, Verdict


def read(said: Said, verdicts: Sequence[Verdict]) -> list[Statement]:
    """The statements of the fragments whose verdict is to keep them."""
    return [
        statement
        for reading, verdict in zip(interpret(said), verdicts, strict=True)
        if verdict.keep
        for statement in reading.statements
        if is_sound(statement)
    ]


__all__ = ["read"]
