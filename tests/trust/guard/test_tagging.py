"""Secrets that are told in passing, and what is only said in the same words."""

from __future__ import annotations

import importlib
import json
from importlib.resources import files
from pathlib import Path

import pytest

from loxodon.trust.guard.guard import Guard
from loxodon.trust.guard.policy import built_in
from loxodon.trust.guard.signs import has_sign
from loxodon.trust.guard.tagging import tokens
from tests.cases import cases
from tests.each import each
from tests.long import LONG, count, figure


@pytest.fixture(scope="module")
def guard() -> Guard:
    return Guard(built_in)


@each(("text", "secret"), cases(__file__, "what_is_told_in_passing_is_not_kept"))
def test_what_is_told_in_passing_is_not_kept(guard: Guard, text: str, secret: str) -> None:
    assert secret not in guard.clean(text)
    assert has_sign(text)


@each("text", cases(__file__, "what_only_sounds_like_it_stays"))
def test_what_only_sounds_like_it_stays(guard: Guard, text: str) -> None:
    assert guard.shown(guard.clean(text), private=False) == text


TALKS = Path(__file__).parents[3] / "data" / "secrets"
EVERY = count(4, 1)
STOPPED, STOPPED_LATER, TOUCHED = (0.5, 0.4, 0.03) if LONG else (0.45, 0.3, 0.03)
"""Of an author whom the model has not met: in one turn, over turns, and of near misses. The short
form learns from every fourth talk, and so a little less."""


def test_an_author_whom_the_model_has_not_met() -> None:
    pytest.importorskip("numpy")
    train = importlib.import_module("tools.train_secrets")
    talks = train.everything()
    others = [one for one in talks if one.author != "a1"]
    found = train.measured(
        train.held_out(others[::EVERY], "a1"), [one for one in talks if one.author == "a1"]
    )
    shares = {name: share for name, (_, share) in found.items()}
    figure(
        "told_author_held_out",
        **{name.replace(" ", "_"): f"{share:.4f}" for name, share in shares.items()},
    )
    assert shares["one turn"] >= STOPPED
    assert shares["over turns"] >= STOPPED_LATER
    assert shares["honest"] <= TOUCHED


@pytest.mark.parametrize("path", sorted(TALKS.glob("*.jsonl")), ids=lambda path: path.stem)
def test_what_was_cleaned_once_stays_as_it_is(guard: Guard, path: Path) -> None:
    for line in path.read_text("utf-8").splitlines()[:: count(3, 1)]:
        for turn in json.loads(line)["turns"]:
            clean = guard.clean(turn["content"])
            assert guard.clean(clean) == clean
            seen = guard.shown(clean, private=True)
            assert guard.shown(seen, private=True) == seen
            assert seen == turn["content"] or has_sign(turn["content"]), turn


def test_the_weights_are_small() -> None:
    assert len((files("loxodon.trust.guard") / "told.bin").read_bytes()) <= 256 << 10


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("pw:Tulip_42!", ["pw", ":", "tulip_42", "!"]),
        ("门禁#4471#进", ["门", "禁", "#4471#", "进"]),
        ("it's **bold** [secret: pin] ok", ["it's", "**", "bold", "**", "[secret]", "ok"]),
    ],
)
def test_words_and_marks(text: str, words: list[str]) -> None:
    assert [one.low for one in tokens(text)] == words
    assert all(text[one.start : one.end].strip() for one in tokens(text))


def test_policy_says_which_kinds_are_held_back(guard: Guard) -> None:
    policy = built_in()
    allowing = Guard(lambda: policy._replace(actions={**policy.actions, "password": "allow"}))
    text = "the wifi password is mochi2020"
    assert "mochi2020" not in guard.clean(text)
    assert allowing.clean(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "The password policy is at https://example.org/d/1mGZ0x-fakeDoc7KQ/edit#heading-174312",
        "For the login page we went with #F4A261 and #264653",
        "My public key is ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIN0vT6yQ3mX1kqRz8WbUcJp5sLhG2dFe7",
        "the password comes from ${DB_PASSWORD_7Qx} there",
    ],
)
def test_what_only_looks_odd_is_left(text: str) -> None:
    assert Guard(built_in).taken(text).text == text


PAGE = """Here are some ideas for a secret garden:

1. **Use Wi-Fi whenever possible:** it keeps your photos up-to-date.
2. **Pin important messages:** the combination of a 1-inch border and a 6.5-mile trail.
3. **Key takeaways**: a 20th-century password to the past.

* 2 tablespoons of honey
* **Reindeer Games:** set up a few hoops
"""


def test_a_page_that_an_assistant_wrote_keeps_its_words() -> None:
    guard = Guard(built_in)
    assert guard.clean(PAGE) == PAGE
    told = f"{PAGE}\n4. **Your Wi-Fi**: the password is gruyere-417-Kestrel\n"
    assert "gruyere-417-Kestrel" not in guard.clean(told)
    assert guard.clean(told).startswith(PAGE)


@pytest.mark.parametrize(
    "text",
    [
        "I just got back from a tour focused on 20th-century art. Who are the key artists?",
        "Can you keep this up-to-date? The password manager comes later.",
    ],
)
def test_a_compound_is_a_secret_only_where_its_sentence_names_one(text: str) -> None:
    assert Guard(built_in).clean(text) == text


def test_a_compound_that_is_told_as_a_secret_is_one() -> None:
    assert "20th-century" not in Guard(built_in).clean("the wifi password is 20th-century")
