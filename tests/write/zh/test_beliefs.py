from __future__ import annotations

import pytest

from tests.write.zh.talk import only


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("我可能要去长沙出差", "可能"),
        ("我老公好像不喜欢这份工作", "好像"),
        ("我估计要延期毕业了", "估计"),
        ("听说我们公司要搬去郊区", "听说"),
        ("我八成是感冒了", "八成"),
        ("感觉老李要辞职了", "感觉老"),
    ],
)
def test_a_hedge_makes_a_belief_with_its_basis(text: str, words: str) -> None:
    found = only(text)
    assert found.confidence < 1
    assert found.basis == words


def test_hearsay_is_less_sure_than_a_guess() -> None:
    assert only("听说我们部门要裁人").confidence < only("我们部门可能要裁人").confidence


@pytest.mark.parametrize("text", ["我觉得我更喜欢喝茶", "我住在大概三十平的房子里", "我不可能辞职"])
def test_an_opinion_or_a_rough_number_is_no_hedge(text: str) -> None:
    assert only(text).confidence == 1


@pytest.mark.parametrize(
    "text",
    [
        "该不会是智齿发炎吧",
        "我这近视得有六百度了吧？",
        "总觉得我婆婆耳朵背了？",
        "我疑心二手车是泡水车",
    ],
)
def test_a_guess_may_have_the_form_of_a_question(text: str) -> None:
    assert only(text).confidence < 1
