"""Two sentences that say different things of one thing."""

from __future__ import annotations

import pytest

from loxodon.write.frames import begins_alike, recounted, rescheduled, settles
from tests.write.said import known, said


@pytest.mark.parametrize(
    ("new", "old", "found"),
    [
        ("The user had their hip replacement", "The user is waiting for a hip replacement", True),
        ("The user gave up on Ulysses", "The user is reading Ulysses", True),
        ("The user bought a triathlon suit", "The user is training for a triathlon", False),
        ("The user gave up sugar", "The user is reading Ulysses", False),
        ("The user gave up on Ulysses", "The user read Ulysses", False),
    ],
)
def test_what_became_of_something_settles_it(new: str, old: str, found: bool) -> None:
    assert settles(said(new).statement, known(said(old))) is found


@pytest.mark.parametrize(
    ("new", "old", "found"),
    [
        ("The user deploys to Fly.io now", "The user deploys to Heroku", True),
        ("The user is finally sleeping well", "The user sleeps badly", True),
        ("The user has a dog now", "The user has a cat", False),
        ("The user paints now", "The user sings", False),
    ],
)
def test_two_sentences_begin_alike_up_to_a_verb_that_tells(new: str, old: str, found: bool) -> None:
    assert begins_alike(said(new).statement, known(said(old))) is found


def test_another_number_of_the_same_is_a_recount() -> None:
    assert recounted("The user is down to 32 hens", "The user has 40 hens")
    assert recounted("The user charges 35 an hour", "The user tutors for 30 quid an hour")
    assert not recounted("The user has 2 kids", "The user has 3 cats")
    assert not recounted("The user ran for 3 days", "The user rested for 2 days")


def test_how_often_and_at_what_hour_are_said_anew() -> None:
    old = known(said("The user walks their dog twice a day"))
    assert rescheduled(said("The user only walks the dog once a day").statement, old)
    assert not rescheduled(said("The user brushes their teeth once a day").statement, old)
