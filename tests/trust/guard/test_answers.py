"""Answers to a question for something secret, in one call and over several."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from loxodon import Memory
from loxodon.trust.guard.guard import Guard
from loxodon.trust.guard.policy import built_in
from loxodon.types import Draft
from loxodon.working.session import Session
from tests.each import each

ANSWERS = [
    (("what's the wifi code?",), "{{hunter2}}"),
    (("what's the wifi password?",), "{{hunter2}}"),
    (("what's the wifi password?",), "it's {{tulip-42}}"),
    (("wifi password?",), "{{banana}}"),
    (("whats ur netflix pw",), "{{popcorn lover}}"),
    (("and the alarm code?",), "{{4471}}"),
    (("what's the door code again?", "hang on"), "{{4471#}}"),
    (("can you send me the password for the NAS?", "sure", "here it comes:"), "{{tulip-42}}"),
    (("the wifi password is",), "{{mochi2020}}"),
    (("here's the password:",), "{{mochi2020}}"),
    (("密码多少？",), "{{mochi2020}}"),
    (("wifi密码是啥",), "{{lanlan99}}"),
    (("门禁密码是多少来着",), "{{2580}}"),
    (("你家wifi密码多少", "等下我看看"), "{{meimei520}}"),
    (("密码发你",), "{{meimei520}}"),
    (("密码：",), "{{meimei520}}"),
    (("保险柜密码？",), "{{12-34-56}}"),
    (("支付密码告诉我一下",), "{{240315}}"),
    (("口令是什么",), "{{芝麻开门}}"),
    (("暗号？",), "{{天王盖地虎}}"),
    (("What is your PIN?",), "{{6634}}"),
    (("do you remember the gate code?",), "I think it's {{2244}}"),
    (("what's the combo for the bike lock",), "{{7-4-2}}"),
    (("What's your security question answer?",), "{{Biscuit}}"),
    (("passcode for the ipad?",), "{{one one two three five eight}}"),
    (("what's the password?",), "try {{Zebra99}}"),
    (("what's the password?",), "sure! {{Zebra99}}"),
    (("what's the password?",), "{{Rosebud}}"),
    (("what was the passphrase?",), "{{lobster in a tuxedo}}"),
    (("验证码多少",), "{{604118}}"),
    (("可以告诉我wifi的密码吗",), "当然，{{qwer1234}}"),
    (("手机锁屏密码？",), "{{幺二三四}}"),
    (("can i have the wifi password pls",), "yep {{guacamole77}}"),
    (("I need the login password for the printer",), "{{Pr1ntMe}}"),
    (("got the garage code?",), "yeah, {{9021}}"),
]
NO_ANSWERS = [
    (("what's the wifi password?",), "no idea"),
    (("what's the wifi password?",), "it's the usual"),
    (("what's the wifi password?",), "ask Tom"),
    (("what's the wifi password?",), "it's on the fridge"),
    (("what's the wifi password?",), "I'll text you"),
    (("what's the wifi password?",), "sent"),
    (("what's the wifi password?",), "dunno, sorry"),
    (("what's the wifi password?",), "why?"),
    (("did you change your password?",), "yes"),
    (("did you change your password?",), "yesterday at 1830"),
    (("how long should a password be?",), "at least 12"),
    (("which password manager do you use?",), "Bitwarden"),
    (("where is the password stored?",), "keychain"),
    (("how do I reset my password?",), "Settings"),
    (("what's the error code?",), "1045"),
    (("what's the zip code?",), "94107"),
    (("what's the promo code?",), "SAVE20"),
    (("密码多少？",), "忘了"),
    (("密码多少？",), "问小王"),
    (("密码多少？",), "不知道"),
    (("密码多少？",), "我一会儿发你"),
    (("密码改了吗？",), "改了"),
    (("密码在哪",), "冰箱上"),
    (("怎么改密码",), "设置里"),
    (("I forgot my password",), "lol again?"),
    (("I forgot my password",), "2024 is not your year"),
    (("what's the dress code?",), "casual"),
    (("what's the token limit?",), "8000"),
    (("what's the password?",), "one sec"),
    (("what's the password?",), "thanks!"),
    (("what's the password?",), "who wants to know"),
    (("what's the password?",), "same as last time"),
    (("what's the password?",), "haha nice try"),
    (("what's the password?",), "I have a meeting at 3"),
    (("what's the password?",), "let me check"),
    (("what's the password?",), "you first"),
    (("what time is it?",), "1830"),
    (("how much was it?",), "4471"),
    (("what's your dog's name?",), "Biscuit"),
    (("code review?",), "tomorrow"),
]


@pytest.fixture(scope="module")
def guard() -> Guard:
    return Guard(built_in)


def last(guard: Guard, texts: tuple[str, ...]) -> str:
    drafts = [Draft(line=n, role="user", content=text) for n, text in enumerate(texts, 1)]
    return guard.drafts(drafts, lambda session: ())[-1].content


@each(("before", "answer"), ANSWERS)
def test_an_answer_is_held_back(guard: Guard, before: tuple[str, ...], answer: str) -> None:
    (secret,) = re.findall(r"\{\{(.+?)\}\}", answer)
    kept = last(guard, (*before, answer.replace("{{", "").replace("}}", "")))
    assert secret not in kept
    assert "[secret: password]" in kept


@each(("before", "answer"), NO_ANSWERS)
def test_what_answers_nothing_stays(guard: Guard, before: tuple[str, ...], answer: str) -> None:
    assert last(guard, (*before, answer)) == answer


def test_it_is_held_back_when_messages_come_one_by_one(memory: Memory) -> None:
    said = ["what's the wifi password?", "one sec", "tulip-42"]
    for n, text in enumerate(said):
        memory.add([{"role": "user", "content": text, "id": f"m{n}"}], session="s")
    assert [turn.content for turn in memory.journal()] == [*said[:2], "[secret: password]"]
    assert not memory.recall("tulip").items


def test_a_question_of_another_session_is_none(memory: Memory) -> None:
    memory.add([{"role": "user", "content": "what's the wifi password?"}], session="a")
    memory.add([{"role": "user", "content": "tulip-42"}], session="b")
    assert memory.journal()[-1].content == "tulip-42"


def test_a_question_of_long_ago_is_none(memory: Memory) -> None:
    said = ["what's the wifi password?", "no idea", "ok", "see you", "tulip-42"]
    memory.add([{"role": "user", "content": text} for text in said], session="s")
    assert [turn.content for turn in memory.journal()] == said


def test_the_same_again_adds_nothing(memory: Memory) -> None:
    said = [
        {"role": "assistant", "content": "what's the door code?"},
        {"role": "user", "content": "4471"},
    ]
    assert memory.add(said, session="s").added == 2
    again = memory.add(said, session="s")
    assert (again.added, again.known) == (0, 2)


def test_a_transcript_has_no_answer_either(memory: Memory) -> None:
    session = Session.open(memory, "main")
    session.add({"role": "user", "content": "what's the wifi password?"})
    session.add({"role": "assistant", "content": "tulip-42"})
    assert "tulip-42" not in Path(session.path).read_text("utf-8")
    assert [turn.content for turn in memory.journal()][-1] == "[secret: password]"


def test_a_policy_that_allows_passwords_allows_answers(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "policy.toml").write_text('[kinds]\npassword = "allow"\n', "utf-8")
    with Memory.open(home) as memory:
        memory.add(
            [{"role": "user", "content": "wifi password?"}, {"role": "user", "content": "tulip-42"}]
        )
        assert memory.journal()[-1].content == "tulip-42"
