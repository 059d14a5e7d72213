"""What of a stretch of talk is kept: small talk and repetitions go, what was told stays."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loxodon.text.sentences import split
from loxodon.text.words import index_words
from loxodon.write.denoise import (
    KEEP,
    Sentence,
    is_code,
    is_small_talk,
    kept,
    sayable,
    sentences_of,
)
from tests.each import each
from tests.growth import linear

CASES = Path(__file__).parent.parent / "consolidation" / "cases"


def denoise(sentences: Sequence[str], keep: float = KEEP) -> list[str]:
    """What is kept of them, as text."""
    return [sentences[n] for n in kept([Sentence(s, index_words(s)) for s in sentences], keep)]


@each(
    "text",
    [
        "hey",
        "Good morning!",
        "Thank you so much!!",
        "hahahaha ok",
        "lollll",
        "Sounds good.",
        "Hmmmm",
        "How can I help you today?",
        "You're welcome!",
        "Nice to meet you.",
        "👌",
        "...",
        "早呀",
        "你好！",
        "好的好的，谢谢你啦",
        "嗯嗯 拜拜👋",
        "哈哈哈哈哈",
        "辛苦了～",
        "知道了",
        "收到！",
        "有什么可以帮你的吗？",
        "不客气",
        "ok 谢谢",
        "原来如此",
        "恭喜恭喜！",
        "謝謝你",
    ],
)
def test_small_talk(text: str) -> None:
    assert is_small_talk(text)


@each(
    "text",
    [
        "I like tea",
        "he's great at chess",
        "thanks to my aunt",
        "good morning runs are hard",
        "4",
        "hello kitty fan",
        "Leeds",
        "我对花生过敏",
        "谢谢我妈",
        "好吃",
        "早起很难",
        "拜访客户",
        "住校",
        "了不起的盖茨比",
    ],
)
def test_not_small_talk(text: str) -> None:
    assert not is_small_talk(text)


def test_greetings_and_thanks_go() -> None:
    said = [
        "Hi there!",
        "I moved to Leeds in May.",
        "Congrats!",
        "谢谢！",
        "我在美团做后端。",
        "ok",
    ]
    assert denoise(said) == ["I moved to Leeds in May.", "我在美团做后端。"]


def test_a_bare_answer_stays_with_its_question() -> None:
    assert denoise(["Are you still off dairy?", "yes"]) == ["Are you still off dairy?", "yes"]
    assert denoise(["你抽烟吗？", "不会"]) == ["你抽烟吗？", "不会"]
    assert denoise(["I bought a new bike.", "yes"]) == ["I bought a new bike."]


def test_what_is_said_again_goes() -> None:
    said = ["I'm allergic to peanuts.", "i'm allergic to peanuts!!", "So I'm allergic to peanuts."]
    assert denoise(said, keep=1) == ["So I'm allergic to peanuts."]
    assert denoise(["我对花生过敏", "我对花生过敏的哦"], keep=1) == ["我对花生过敏的哦"]


@each(
    ("one", "other"),
    [
        ("I can drive", "I can not drive"),
        ("我会开车", "我不会开车"),
        ("我喝咖啡", "我喝咖啡了"),
        ("she likes tea", "he likes tea"),
        ("I live in Leeds", "I lived in Leeds"),
        ("my weight is 70", "my weight is 71"),
        ("Anna beat Ben at chess", "Ben beat Anna at chess"),
        ("I write C at work", "I write C++ at work"),
        ("我弟弟在西安", "我弟弟不在西安"),
    ],
)
def test_what_only_looks_alike_stays(one: str, other: str) -> None:
    assert denoise([one, other], keep=1) == [one, other]


def test_of_the_same_words_the_users_stay() -> None:
    said = [Sentence("Product marketing manager?", ["product", "market", "manag"], own=False)]
    said += sentences_of("Product *marketing* manager.")
    assert kept(said) == [1]


def test_the_share_and_the_order() -> None:
    said = [f"The {name} is in the {place}." for name in "abcdefgh" for place in ("barn", "attic")]
    left = denoise(said, keep=0.5)
    assert len(left) == 8
    assert left == [one for one in said if one in left]
    assert len(denoise(said)) == 12


def test_what_is_specific_is_not_the_first_to_go() -> None:
    said = [
        "the weather has been rather mild and pleasant lately",
        "people were walking around town quite happily",
        "remember the gate",
        "Mia turned 7",
        "not the blue one",
        "there was music coming from somewhere nearby",
        "记住密码在抽屉里",
        "everything felt somewhat calmer than before",
    ]
    left = denoise(said, keep=0.6)
    assert {"remember the gate", "Mia turned 7", "not the blue one", "记住密码在抽屉里"} < set(left)


def test_what_others_said_goes_before_what_the_user_said() -> None:
    user = sentences_of("We keep two goats. The shed leaks. Corn is up.")
    told = sentences_of(
        "Goats need minerals. A tarpaulin helps sheds. Corn prices vary.", own=False
    )
    assert {0, 1, 2} <= set(kept(user + told, keep=0.5))


def test_never_none_of_them() -> None:
    assert denoise([]) == []
    assert denoise(["ok"]) == ["ok"]
    assert denoise(["ok", "thank you", "👍"]) == ["thank you"]
    assert denoise(["Only this."], keep=0.01) == ["Only this."]


def cases(language: str) -> list[dict[str, Any]]:
    lines = (CASES / f"{language}_dev.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_must_be_learned_survives(language: str) -> None:
    survived = asked = 0
    for case in cases(language):
        said = [one for turn in case["turns"] for one in split(turn["content"])]
        whole, left = "\n".join(said).lower(), "\n".join(denoise(said)).lower()
        for check in case["checks"]:
            if check["type"] == "add":
                groups = [[s.lower() for s in group] for group in check["present"]]
                if all(any(s in whole for s in group) for group in groups):
                    asked += 1
                    survived += all(any(s in left for s in group) for group in groups)
    assert asked > 100
    assert survived >= 0.97 * asked


@each(
    ("text", "shown"),
    [
        ("see https://example.com/a?b=1 for the plan", "see for the plan"),
        ("mail me at jo.doe+x@example.co.uk please", "mail me at please"),
        ("my key sk-proj-Ab12Cd34Ef56Gh78 leaked", "my key leaked"),
        ("commit 9f86d081884c7d659a2feaa0c55ad015 broke it", "commit broke it"),
        ("card 4111111111111111 was charged", "card was charged"),
        ("the password is hunter2", ""),
        ("wifi密码是abc12345", ""),
        ("我的验证码 884213", ""),
        ("I forgot my password again", "I forgot my password again"),
        ("state-of-the-art-models-2026 are fun", "state-of-the-art-models-2026 are fun"),
        ("```python\nx = 1\n```", ""),
        ("for (int i = 0; i < n; i++) { sum += a[i]; }", ""),
        ("我们用 k8s + argo cd", "我们用 k8s + argo cd"),
    ],
)
def test_what_may_be_shown(text: str, shown: str) -> None:
    assert sayable(text) == shown


def test_talk_is_no_code() -> None:
    assert not is_code("stepson Jordan (16) and my own two (Ella, Max) don't get on")
    assert not is_code("换成云南保山+埃塞，成本降了两成")


@given(st.lists(st.text(max_size=60), max_size=12), st.floats(0, 1))
@settings(max_examples=60)
def test_any_text_is_thinned_in_order(said: list[str], keep: float) -> None:
    left = denoise(said, keep)
    rest = iter(said)
    assert all(one in rest for one in left)
    assert bool(left) == bool(said)


@pytest.mark.parametrize(
    "unit", ["a", "你", "哈", "ha", "“", "😀", "\n", "x@", "密码", "password "]
)
def test_long_text_takes_no_longer_for_being_odd(unit: str) -> None:
    def thinned(text: str) -> None:
        denoise([text, *split(text)])
        sayable(text)

    linear(thinned, lambda n: unit * n, 48_000 // len(unit))


def test_many_sentences() -> None:
    def said(count: int) -> list[str]:
        return [f"box {n} holds {n % 7} of the {n % 11} lamps" for n in range(count)]

    assert len(linear(denoise, said, 4_000)) == 3_000
