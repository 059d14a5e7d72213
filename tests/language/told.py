"""What a language reads from a message, for the tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from loxodon.language.statements import Fragment, PriorTurn, Reading, Statement, TurnInContext
from tests.clock import NOW


def rules(language: str) -> Any:
    return import_module(f"loxodon.language.{language}")


def reading(
    language: str,
    text: str,
    known: Mapping[str, str] | None = None,
    before: Sequence[PriorTurn] = (),
) -> Reading:
    pieces = rules(language).split(text)
    fragments = [Fragment(1, n, *piece) for n, piece in enumerate(pieces)]
    found: Reading = rules(language).read(TurnInContext(text, NOW, fragments, before, known or {}))
    return found


def told(language: str, text: str, **more: Any) -> list[Statement]:
    return list(reading(language, text, **more).statements)


def framed(language: str, text: str, **more: Any) -> list[str]:
    """What frames read, as sentences; own words left aside."""
    return [one.content for one in told(language, text, **more) if not one.quoted]
