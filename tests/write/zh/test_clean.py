from __future__ import annotations

import pytest

from loxodon.write.zh.clean import Script, plain, tidy


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("我係廣東人", "我是广东人"),
        ("佢唔食辣", "他不食辣"),
        ("俺们村", "我们村"),
        ("我先再在家", "我现在在家"),
    ],
)
def test_dialect_and_script_are_made_even(said: str, meant: str) -> None:
    assert plain(said) == meant


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("嗯嗯那个其实我住在武汉啦", "我住在武汉了"),
        ("我养了只猫哈哈哈😂", "我养了只猫"),
        ("对了，我换工作了", "我换工作了"),
        ("我开滴滴", "我开滴滴"),
        ("我开了家酒吧", "我开了家酒吧"),
    ],
)
def test_fillers_go_and_words_stay(said: str, kept: str) -> None:
    assert tidy(said) == kept


def test_a_sentence_is_given_back_in_the_characters_it_was_written_in() -> None:
    assert Script("我養了兩隻貓").restore("用户养了两只猫") == "用戶養了兩隻貓"
    assert Script("我养了两只猫").restore("用户养了两只猫") == "用户养了两只猫"
