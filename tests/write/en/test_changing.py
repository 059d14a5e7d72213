"""What is known after someone said, some weeks later, that it has changed."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from loxodon import Memory
from tests.write.en.talk import AT


def after(home: Path, *sayings: str) -> str:
    """The active memories once each saying was consolidated, weeks apart, in small letters."""
    now: list[datetime] = [AT]
    with Memory.open(home, config={}, clock=lambda: now[0]) as memory:
        for n, saying in enumerate(sayings):
            turn = {"role": "user", "content": saying, "at": now[0].isoformat()}
            memory.add([turn], session=f"s{n}")
            memory.consolidate(force=True)
            now[0] += timedelta(days=21)
        return "\n".join(one.content for one in memory.list() if one.kind != "summary").lower()


@pytest.mark.parametrize(
    ("first", "then", "new", "old"),
    [
        # what has another value, though no verb or attribute is the same
        ("I pay $1250 in rent.", "They raised my rent to $1400.", "1400", "1250"),
        ("My flight to Oslo leaves on the 12th.", "My flight got pushed to the 14th.", "14th",
         "12th"),
        ("My daughter is in 4th grade.", "My daughter started 5th grade.", "5th", "4th"),
        ("My credit score is 640.", "My credit score is up to 700.", "700", "640"),
        ("I have a standup at 9:15 every morning.", "Standup is at 11 now.", "11", "9:15"),
        ("I see my therapist on Mondays.", "My therapist moved me to Thursdays.", "thursday",
         "monday"),
        ("I wake up at 8.", "I've been getting up at 6:15.", "6:15", "at 8"),
        ("Our wedding is on May 3.", "We had to postpone the wedding to August 9.", "august",
         "may 3"),
        # one tool for another, whoever uses it
        ("Our backend uses MySQL.", "We migrated the backend to Postgres.", "postgres", "mysql"),
        ("We use Jira for tickets.", "The team switched to Linear.", "linear", "jira"),
        ("I use Chrome.", "I've moved to Firefox.", "firefox", "chrome"),
        # someone else does it
        ("I take ibuprofen for my knee.", "My doctor swapped ibuprofen for naproxen.", "naproxen",
         "takes ibuprofen"),
        ("Rent's 950.", "Landlord's put the rent up to 1025.", "1025", "950"),
        ("My brother lives in Leeds.", "My brother and his wife moved to Cardiff.", "cardiff",
         "leeds"),
        # what came of it
        ("I'm waiting for my visa.", "My visa was approved.", "approved", "waiting"),
        ("My boiler is broken.", "The boiler's been fixed.", "fixed", "broken"),
        ("I wear glasses.", "I had LASIK last week.", "lasik", "glasses"),
        ("I don't drink alcohol.", "I have a glass of wine with dinner these days.", "wine",
         "doesn't drink"),
    ],
)  # fmt: skip
def test_what_is_new_takes_the_place_of_the_old(
    tmp_path: Path, first: str, then: str, new: str, old: str
) -> None:
    kept = after(tmp_path, first, then)
    assert new in kept
    assert old not in kept


@pytest.mark.parametrize(
    ("first", "then", "gone"),
    [
        ("My manager is Oona.", "Oona left the company.", "manager is"),
        ("My dentist is Dr. Sato.", "Dr. Sato closed her practice.", "dentist is"),
        ("Our nanny is Ilse.", "Ilse quit last week.", "nanny is"),
        ("We're going to Japan in August.", "The Japan trip is cancelled.", "going to japan"),
        ("We're going to Peru in August.", "We cancelled the trip.", "going to peru"),
        ("I'm planning to run the Ghent Marathon.", "I won't be running Ghent after all.",
         "planning to run"),
        ("I go to the gym every day.", "I haven't been to the gym in months.", "every day"),
        ("I drive a Honda Civic.", "I sold my car.", "drives a honda"),
        ("I have a parrot named Kiwi.", "We lost Kiwi last night.", "parrot"),
    ],
)  # fmt: skip
def test_what_is_over_goes(tmp_path: Path, first: str, then: str, gone: str) -> None:
    assert gone not in after(tmp_path, first, then)


@pytest.mark.parametrize(
    ("first", "then", "stays"),
    [
        ("My manager is Oona.", "Oona gave up coffee.", "manager"),
        ("My sister takes ibuprofen.", "My doctor swapped ibuprofen for naproxen.", "sister"),
        ("I have yoga on Mondays.", "I have a yoga workshop on Saturday.", "monday"),
        ("My phone is a Pixel 8.", "I switched my phone plan to Mint.", "pixel"),
        ("I'm going to apply for a grant.", "We cancelled the trip.", "grant"),
        ("I have 3 meetings on Mondays.", "I have 2 meetings on Tuesdays.", "3 meetings"),
        ("I paid $20 for lunch on 3 March 2026.", "Lunch went up to $25.", "20"),
    ],
)
def test_what_is_about_something_else_stays(
    tmp_path: Path, first: str, then: str, stays: str
) -> None:
    assert stays in after(tmp_path, first, then)


@pytest.mark.parametrize("saying", ["My friend Joel passed too", "Bitcoin dropped to 60k"])
def test_nobody_dies_of_an_exam_and_the_world_is_nobodys(tmp_path: Path, saying: str) -> None:
    kept = after(tmp_path, "My friend Joel sings in a choir", saying)
    assert "joel is the user's friend" in kept
    assert "bitcoin" not in kept


def test_hours_that_are_of_no_day_are_not_dated(tmp_path: Path) -> None:
    kept = after(tmp_path, "I gave up on the 5am thing", "I work Monday to Thursday")
    assert "the 5am thing" in kept
    assert "monday to thursday" in kept
