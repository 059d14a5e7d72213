"""Many cases in one test: all that fail are told at once.

For lists whose cases take microseconds, where setting up a test for each takes most of the time.
What needs a memory, a folder or a patch of its own is parametrised as usual.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any

import pytest

_SHOWN = 20


def each(
    names: str | Sequence[str], cases: Iterable[Any]
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """As `pytest.mark.parametrize` reads, but one test for all the cases; a case may be a mapping
    of the names."""
    words = names.replace(",", " ").split() if isinstance(names, str) else list(names)
    rows = [_row(words, case) for case in cases]
    assert rows, "no cases"

    def of(check: Callable[..., None]) -> Callable[..., None]:
        @wraps(check)
        def all_of_them(**given: Any) -> None:
            failed = []
            for row in rows:
                try:
                    check(**dict(zip(words, row, strict=True)), **given)
                except (Exception, pytest.fail.Exception) as error:
                    failed.append(f"{row!r}\n    {type(error).__name__}: {error}")
            if failed:
                told = "\n".join(failed[:_SHOWN])
                raise AssertionError(f"{len(failed)} of {len(rows)} cases fail:\n{told}")

        parameters = inspect.signature(check).parameters.values()
        left = [one for one in parameters if one.name not in words]
        all_of_them.__signature__ = inspect.Signature(left)  # type: ignore[attr-defined]
        return all_of_them

    return of


def _row(words: list[str], case: Any) -> tuple[Any, ...]:
    if isinstance(case, dict) and case.keys() == set(words):
        return tuple(case[word] for word in words)
    return (case,) if len(words) == 1 else tuple(case)
