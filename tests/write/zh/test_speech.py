from __future__ import annotations

import pytest

from loxodon.write.zh.speech import is_chat


@pytest.mark.parametrize(
    "text", ["哈哈哈哈", "哈" * 38, "好的好的谢谢啦～", "嗯嗯嗯！！", "Thanks哈哈"]
)
def test_laughing_and_thanking_is_chat(text: str) -> None:
    assert is_chat(text)


@pytest.mark.parametrize("text", ["哈" * 38 + "狗", "thankyou" + "哈" * 30 + "狗"])
def test_who_laughs_long_and_says_something_is_understood_at_once(text: str) -> None:
    assert not is_chat(text)  # each 哈 more took twice as long
