"""Reading labelled cases: what is taken, and what is refused with its line."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from loxodon.errors import InputError
from loxodon.measure.cases import EXAMPLE, Case, read_cases
from tests.each import each
from tests.measure.labelled import Line, cook, mover, said


def read(*cases: Line) -> list[Case]:
    return read_cases([json.dumps(case).encode() for case in cases], "file", UTC)


def test_a_case_is_read_whole() -> None:
    (one,) = read(mover())
    assert (one.id, one.about) == ("mover", "a move")
    assert [len(turns) for turns in one.sessions] == [2, 1]
    assert [end.day for end in one.ends] == [4, 20]
    assert [check.type for check in one.checks] == [
        "add",
        "supersede",
        "repeat",
        "never",
        "retract",
    ]


def test_a_group_of_one_needs_no_brackets() -> None:
    (one,) = read(mover())
    assert one.checks[0].present == (("peanuts",),)
    assert one.checks[2].once == (("peanuts", "nuts"),)
    assert one.checks[3].absent == (("noted",),)


def test_the_example_of_the_errors_is_a_case() -> None:
    (one,) = read_cases([EXAMPLE.encode()], "file", UTC)
    assert one.ends == (datetime(2026, 2, 4, 10, 30, tzinfo=UTC),)


Spoil = Callable[[Line], object]


@each(
    ("spoil", "told"),
    [
        (lambda c: c.pop("id"), "id is missing"),
        (lambda c: c.pop("turns"), "turns is missing"),
        (lambda c: c.update(turns=[]), "turns is missing"),
        (lambda c: c.pop("checks"), "checks is missing"),
        (lambda c: c["turns"][1].pop("at"), "turns[1].at is missing"),
        (lambda c: c["turns"][1].update(at="soon"), "turns[1]: "),
        (lambda c: c["turns"][1].update(role="king"), "turns[1]: unknown role 'king'"),
        (lambda c: c["turns"][1].pop("content"), "turns[1]: the message has no text"),
        (lambda c: c["checks"][0].update(type="maybe"), "checks[0].type is not a type of check"),
        (lambda c: c["checks"][0].pop("present"), "checks[0].present is missing"),
        (lambda c: c["checks"][1].pop("absent"), "checks[1].absent is missing"),
        (lambda c: c["checks"][0].update(present=[]), "checks[0].present is missing"),
        (lambda c: c["checks"][0].update(present=[[]]), "checks[0].present is missing"),
        (lambda c: c["checks"][0].update(present=[[7]]), "checks[0].present is missing"),
        (lambda c: c["checks"][0].update(present=7), "checks[0].present is missing"),
        (lambda c: c["turns"].append(said("x", "s3", 3)), "session 3 ends before"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(spoil: Spoil, told: str) -> None:
    case: Any = mover()
    spoil(case)
    with pytest.raises(InputError) as caught:
        read(cook(), case)
    ((line, problem),) = caught.value.problems
    assert line == 2
    assert str(problem).startswith(told)
    assert problem.hint
