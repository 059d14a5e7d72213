"""Secrets in a plain statement, and everything else that is said as it was said."""

from __future__ import annotations

import pytest

from loxodon import Memory
from loxodon.guard.guard import Guard
from loxodon.guard.policy import built_in
from loxodon.guard.statement_checks import asked_for
from tests.each import each
from tests.guard.text_rules import kept_turns


@pytest.fixture(scope="module")
def guard() -> Guard:
    return Guard(built_in)


@each(
    "text",
    [
        "I've saved your notes to daily/2026-02-22.md and linked them",
        "先用 SQLite，Phase 2 再考虑 Neo4j。",
        "my password is trivial",
        "The password is now required for /api/v2",
        "his wifi password is ridiculous.",
        "The user's password is never logged.",
        "entry code 404 not found",
        "the tea kettle's code is 2000 lines of PHP",
        "密码是明文，太危险了",
        "密码换成FaceID了",
        "成功的密码是“坚持”。",
        "银行卡密码是“本人生日”那种最危险",
        "验证码错误码 10086",
    ],
)
def test_what_is_said_about_passwords_stays(memory: Memory, text: str) -> None:
    memory.add([{"role": "user", "content": text, "id": text}], session="s")
    assert memory.journal()[-1].content == text


@each(
    ("text", "secret"),
    [
        ("my wifi password is tulip42", "tulip42"),
        ("pw for the server: Br1ghtM00n!", "Br1ghtM00n"),
        ("密码是lanlan99", "lanlan99"),
        ("门禁密码 4471", "4471"),
    ],
)
def test_a_plain_statement_is_journalled_without_its_secret(
    memory: Memory, text: str, secret: str
) -> None:
    memory.add([{"role": "user", "content": text, "id": text}], session="s")
    kept = memory.journal()[-1].content
    assert secret not in kept
    assert kept.startswith(text.partition(secret)[0] + "[secret: ")
    assert not memory.recall(secret).items


def test_what_is_kept_of_a_turn_does_not_hang_on_the_turns_before(guard: Guard) -> None:
    said = [
        "I changed my bank password yesterday",
        "The meeting is at 1830 in room 4471",
        "Phase 2 needs Neo4j5",
        "wifi password resets are annoying",
        "hunter2 was a funny meme",
    ]
    assert kept_turns(said) == said
    assert kept_turns(said[::-1]) == said[::-1]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("What's the PIN for your new bank card?", "pin"),
        ("Sure. What is the combination of the safe?", "door-code"),
        ("保险柜密码多少？", "password"),
        ("what is the password policy?", ""),
        ("Did you set the alarm code?", ""),
        ("what's the code for?", ""),
        ("密码是什么时候改的？", ""),
        ("What's the error code?", ""),
        ("Which PIN did you choose for the card?", "pin"),
        ("What's the safe code, in case you forget it?", "door-code"),
        ("Could I have the gate code?", "door-code"),
        ("Please enter your PIN.", "pin"),
        ("车库密码多少？我帮您记着。", "password"),
        ("提取码是多少？", "share-code"),
        ("Which password should we rotate first?", ""),
        ("What's the password? And what year did we move?", ""),
        ("密码是多少？另外快递单号发我", ""),
    ],
)
def test_what_a_question_asks_for(text: str, kind: str) -> None:
    assert asked_for(text) == kind


def test_a_pin_is_a_number_and_a_password_may_be_a_quoted_phrase(guard: Guard) -> None:
    assert guard.answered("GPIO13, next to ground", ["What's the PIN?"]).startswith("GPIO13")
    phrase = guard.answered('"correct horse staple"', ["What's the password?"])
    assert phrase == '"[secret: password]"'


def test_policy_says_which_kinds_are_held_back(guard: Guard) -> None:
    policy = built_in()
    allowing = Guard(lambda: policy._replace(actions={**policy.actions, "password": "allow"}))
    text = "the wifi password is mochi2020"
    assert "mochi2020" not in guard.clean(text)
    assert allowing.clean(text) == text
