from __future__ import annotations

import pytest

from tests.write.en.talk import statements


@pytest.mark.parametrize(
    ("turn", "over"),
    [
        ("I gave up coffee", "coffee"),
        ("i no longer drink coffee", "coffee"),
        ("came off the metformin in april", "metformin"),
        ("cancelled my gym membership", "gym membership"),
        ("sold the van", "van"),
        ("I stopped running", "running"),
        ("the cruise is off", "cruise"),
        ("dropped out of uni", "uni"),
        ("we had to put our dog down", "dog"),
    ],
)
def test_what_is_over_is_named(turn: str, over: str) -> None:
    (found,) = [one for one in statements(turn) if one.act == "end"]
    assert over in found.over
    assert not found.positive


@pytest.mark.parametrize(
    ("turn", "attribute", "value"),
    [
        ("we've moved to Ghent", "home", "Ghent"),
        ("bought a flat in Ghent", "home", "Ghent"),
        ("i went vegan in march", "diet", "vegan"),
        ("I got promoted to team lead", "occupation", "team lead"),
        ("starting at Acme in june", "employer", "Acme"),
        ("just turned 40", "age", "40"),
        ("new boss is Ulla", "manager", "Ulla"),
        ("my deadline is 3 May now", "deadline", "3 May"),
    ],
)
def test_what_changes_is_a_change(turn: str, attribute: str, value: str) -> None:
    (found,) = [one for one in statements(turn) if one.attribute == attribute]
    assert (found.act, found.value) == ("change", value)


def test_a_switch_names_the_old_and_the_new() -> None:
    (found,) = statements("we switched from Jira to Linear")
    assert (found.act, found.value, found.over) == ("change", "Linear", ("Jira",))


def test_whom_the_user_parted_from_is_over() -> None:
    (found,) = statements("me and Otto broke up")
    assert (found.act, found.attribute, found.over) == ("end", "partner", ("Otto",))


def test_who_ended_up_with_something_has_not_ended_it() -> None:
    assert all(one.act != "end" for one in statements("ended up with a Canyon bike"))
