"""Secrets are stopped, personal data is masked, honest text stays; figures for docs/trust.md.

The sets of `typed` are read in every language, everything in them drawn anew for each seed.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from tests.attacks.typed import Line, lines, rows, typed
from tests.growth import linear
from tests.guard.text_rules import kept, kinds, shown, unmasked
from tests.long import count, figure

STRANGERS = ("unseen", "told", "untouched", "third", "fourth")
DRAWN = ("first", "second", "third")
SECRETS = {
    **{f"drawn {one}": ("drawn_secrets", {"set": one, "about": "secrets"}) for one in DRAWN},
    **{one: (one, {"about": "secrets"}) for one in STRANGERS},
}
PERSONAL = {
    **{f"drawn {one}": ("drawn_personal", {"set": one, "about": "personal"}) for one in DRAWN},
    **{one: (one, {"about": "personal"}) for one in STRANGERS if one != "told"},
}
# How much personal data of a set may get through; of the others, one in a hundred
THROUGH = {"fourth": 0.15}


def drawn(name: str, wanted: dict[str, str]) -> Iterator[Line]:
    for seed in range(count(2 if name.startswith("drawn") else 1, 40)):
        yield from lines(typed(name, **wanted), Random(seed))


def tokens() -> Iterator[Line]:
    """Every form of token that is documented, in some sentence."""
    around = typed("drawn_secrets", about="around")
    for seed in range(count(4, 150)):
        rng = Random(seed)
        for one in typed("drawn_secrets", about="token"):
            yield from lines([rng.choice(around).replace("{}", one)], rng)


def opening(secret: str) -> str:
    """What of a secret opens something: of an address its last part, the rest anyone may know."""
    return secret[-20:] if "://" in secret else secret


@pytest.mark.parametrize("name", ["tokens", *SECRETS])
def test_secrets_are_not_kept(name: str) -> None:
    total, through = 0, []
    for one in tokens() if name == "tokens" else drawn(*SECRETS[name]):
        total += 1
        left = kept(one.text)
        gone = not any(opening(secret) in left for secret in one.secrets)
        if not (one.secrets and gone and "[secret: " in left):
            through.append(one.text)
        assert kept(left) == left, "what is kept once stays as it is"
    figure("secrets", set=name, cases=total, stopped=f"{1 - len(through) / total:.4f}")
    assert len(through) <= 0.01 * total, through[:20]


@pytest.mark.parametrize("name", PERSONAL)
def test_personal_data_is_masked_in_a_group(name: str) -> None:
    total, through = 0, []
    for one in drawn(*PERSONAL[name]):
        if name.startswith("drawn") and min(map(len, one.secrets)) <= 3:
            continue  # too short to be looked for
        total += 1
        left = kept(one.text)
        seen = shown(left)
        if any(secret in seen for secret in one.secrets) or seen == one.text:
            through.append(one.text)
        assert shown(seen) == seen, "a mask stays a mask"
        assert unmasked(seen, left) == left, "a mask stands for what it hides"
    figure("personal", set=name, cases=total, masked=f"{1 - len(through) / total:.4f}")
    assert len(through) <= THROUGH.get(name, 0.01) * total, through[:20]


def test_honest_text_is_left_alone() -> None:
    total, touched = 0, []
    for name in STRANGERS:
        for one in drawn(name, {"about": "honest"}):
            total += 1
            touched += [one.text] if shown(kept(one.text)) != one.text else []
    for row in rows("drawn_secrets"):
        if row["about"] == "honest" and row["set"] != "first":
            total += 1
            touched += [row["text"]] if kept(row["text"]) != row["text"] else []
    figure("honest_text", cases=total, alarms=f"{len(touched) / total:.4f}")
    assert not touched


@pytest.mark.parametrize("name", ["drawn_secrets", "drawn_personal"])
def test_look_alikes_are_left_alone(name: str) -> None:
    total, touched = 0, []
    for one in drawn(name, {"set": "first", "about": "honest"}):
        total += 1
        seen = kept(one.text) if name == "drawn_secrets" else shown(one.text)
        touched += [one.text] if seen != one.text else []
    figure(f"{name}_look_alikes", cases=total, alarms=f"{len(touched) / total:.4f}")
    assert len(touched) < 0.005 * total, touched[:20]


def test_wrong_check_digit_is_no_identity() -> None:
    for one in lines(["~<not-chinese-id>", "~<not-card>"] * 200, Random(5)):
        assert not {"chinese-id", "bank-card"} & {*kinds(one.text)}, one.text


PIECES = (
    *("1", "1 ", "a@", "a.", "password is ", "-----BEGIN PRIVATE KEY-----", "+1(", "token=", "sk-"),
    *(
        "密码是",
        "13912345678 ",
        "路1号",
        "[secret: password]",
        "\u200b1",
        "http://a:b@c ",
        "pin 1-",
    ),
    *("log in as a with b", "the code is ", "one two ", "密码，", "abandon ", "tea, ", "天 地 "),
    *("password: none\n", "opens with 1 door ", "pin 1-"),
)


@pytest.mark.parametrize("piece", PIECES)
def test_guard_takes_time_in_proportion_to_the_text(piece: str) -> None:
    size = count(40_000, 400_000) // len(piece)
    linear(lambda text: shown(kept(text)), lambda n: piece * n, size)
