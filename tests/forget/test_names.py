"""Whom a forgetting by name is about: other names of theirs, and names that only look like it."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from loxodon import Memory
from loxodon.errors import ForbiddenError, NotFoundError, UsageError
from tests.cases import cases
from tests.cli.shell import Shell
from tests.clock import Clock
from tests.forget.test_forgetting import opened, say, texts
from tests.long import some
from tests.looking import files_with


@pytest.mark.parametrize("case", some(cases(__file__, "forgotten"), 2), ids=lambda one: one["case"])
def test_what_goes_by_a_name_and_what_stays(home: Path, clock: Clock, case: dict[str, Any]) -> None:
    with opened(home, clock) as memory:
        say(memory, clock, *case["said"])
        memory.consolidate()
        names = case["names"]
        for name in names:
            receipt = memory.forget(entity=name)
        assert texts(memory) == case["left"]
        assert not files_with(case.get("gone", []), home)
        assert {*case.get("near", [])} <= {*receipt.near}
        assert {*receipt.near}.isdisjoint(case.get("others", []))
        assert receipt.doubtful == tuple(case.get("doubtful", []))
        assert memory.validate() == []


@pytest.mark.parametrize("things", [one["things"] for one in cases(__file__, "alike")])
def test_addresses_and_numbers_are_forgotten_alone(
    home: Path, clock: Clock, things: list[str]
) -> None:
    """Nobody means one who speaks of another that contains it."""
    for n, one in enumerate(things):
        others = [other for other in things if other != one]
        with opened(home / str(n), clock) as memory:
            for name in things:
                say(memory, clock, f"The new one is {name}", session="talk")
            memory.forget(entity=one)
            assert {*texts(memory)} == {f"The new one is {name}" for name in others}
            for name in others:
                memory.capture(f"The new one is {name}")
            kept = memory.capture(f"The new one is {one}")
            memory.forget(kept.id)
            assert {record.content for record in memory.list()} == {
                f"The new one is {name}" for name in others
            }


def test_the_only_friend_goes_with_a_yes(home: Path, clock: Clock) -> None:
    with opened(home, clock) as memory:
        say(memory, clock, "My friend Zorinda likes tea.", "OK.", "My friend called again.")
        memory.consolidate()
        planned = memory.forget(entity="Zorinda", dry_run=True)
        assert planned.doubtful == ("My friend called again.",)
        assert memory.forget(entity="Zorinda", doubtful=True).doubtful == ()
        assert texts(memory) == ["OK."]


def test_near_names_that_nobody_says_any_more_are_not_listed(home: Path, clock: Clock) -> None:
    with opened(home, clock) as memory:
        say(memory, clock, "My friend Anna likes chess.", "OK.", "My boss Annie called.")
        memory.consolidate()
        assert "Annie" in memory.forget(entity="Anna").near
        memory.forget(entity="Annie")
        assert not files_with(["Annie", "Anna"], home)


def test_person_is_exported_and_erased_in_every_space(home: Path, clock: Clock) -> None:
    shell = Shell(home)
    for space in ("main", "work"):
        with Memory.open(home, space, clock=clock) as memory:
            say(memory, clock, "My sister Zorinda sails. It rains.")
            memory.capture("Has been allergic to walnuts since 2019", entities=["Zorinda"])
            memory.consolidate()
    shell("--space", "empty", "capture", "It snows.")
    lines = [json.loads(line) for line in shell.text("person", "export", "Zorinda").splitlines()]
    kinds = {(row["space"], *row.keys() - {"space"}) for row in lines}
    assert kinds == {*product(("main", "work"), ("entity", "memory", "turn"))}
    said = [row["turn"]["content"] for row in lines if "turn" in row]
    assert said.count("My sister Zorinda sails. It rains.") == 2
    planned = shell.json("person", "erase", "Zorinda", "--dry-run")
    assert (planned["done"], [*planned["receipts"]]) == (False, ["main", "work"])
    shell("person", "erase", "Zorinda", code=UsageError.exit_code)  # nobody was asked
    assert files_with(["Zorinda"], home)
    assert b"deleted:" in shell("person", "erase", "Zorinda", "--yes").stdout
    assert not files_with(["Zorinda", "walnuts"], home)
    assert files_with(["It rains.", "It snows."], home)
    for action in ("export", "erase"):
        shell("person", action, "Zorinda", code=NotFoundError.exit_code)
    shell("--agent", "helper", "person", "export", "Zorinda", code=ForbiddenError.exit_code)


def test_what_was_captured_goes_with_whom_it_is_about(home: Path, clock: Clock) -> None:
    with opened(home, clock) as memory:
        memory.capture("Has been allergic to walnuts since 2019", entities=["Zorinda"])
        memory.capture("Plays the xylophone", tags=["Zorinda"])
        memory.capture("The user lives in Leeds")
        memory.consolidate()
        memory.forget(entity="Zorinda")
        assert texts(memory) == ["The user lives in Leeds"]
        assert not files_with(["Zorinda", "walnuts", "xylophone"], home)
        assert memory.validate() == []


def test_audit_log_has_the_ids_of_what_was_forgotten(home: Path, clock: Clock) -> None:
    with opened(home, clock) as memory:
        say(memory, clock, "My uncle Zebulon is a welder.", "OK.", "I met Zebulon. I like tea.")
        memory.consolidate()
        gone = {one.id for one in memory.list() if "Zebulon" in one.content}
        memory.forget(entity="Zebulon")
        (entry,) = [one for one in memory.audit.entries() if one.op == "forget"]
        assert gone | {"t_1", "t_3"} <= {*entry.ids}
        assert "Zebulon" not in repr([*memory.audit.entries()])
