"""Two sentences that tell two values of one thing, and two that only look like it."""

from __future__ import annotations

import pytest

from loxodon.text.things import valued_anew


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("My rent is 900 a month", "My rent is 950 a month"),
        ("My rent is 900 a month", "My rent went up, it's 950 a month now"),
        ("I weigh 92 kg", "I weigh 85 kg now"),
        ("My phone is a Pixel 6", "I got a new phone, it is a Galaxy S24"),
        ("My flight to Oslo leaves at 7:15", "My flight to Oslo now leaves at 9:40"),
        ("Our wedding is on 5 September", "We changed the date, our wedding is on 19 September"),
        ("I write my letters in German", "From now on I write my letters in English"),
        ("The user's gym is PureGym", "My gym is JD now"),
        ("我的房租每个月3200块", "我的房租涨了，现在每个月3600块"),
        ("我写代码主要用PyCharm", "我换编辑器了，现在写代码主要用VS Code"),
        ("我们组的周会定在周一上午", "我们组的周会改到周四下午了"),
        ("我的健身教练是阿杰", "我换教练了，现在的健身教练是娜姐"),
    ],
)
def test_of_two_values_of_one_thing_the_later_is_current(old: str, new: str) -> None:
    assert valued_anew(new, old, "", announced=False)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("My gym is PureGym", "My wife's gym is now JD"),
        ("Our staging server listens on port 8081", "Our main server now listens on port 8443"),
        ("I meet Anna on Fridays for tea", "I meet Ben on Mondays for tea now"),
        ("I have a boat called Ark", "I also have a boat called Ida now"),
        ("I have a meeting with Sam at 9:30", "I have a meeting with Sam at 14:00"),
        ("I've seen Star Wars 4", "I've seen Star Wars 5"),
        ("My bank is Monzo", "My bank is not Lloyds now"),
        ("My rent is 900, and I have a cellar", "My rent is 950"),
        ("我手机是小米13", "我换手机壳了"),
        ("我在学古筝", "我现在在学二胡了"),
        ("我跑了5公里", "我跑了10公里"),
    ],
)
def test_two_things_or_two_of_a_kind_stay(old: str, new: str) -> None:
    assert not valued_anew(new, old, "", announced=False)


def test_whom_two_sentences_are_about_need_not_be_named_alike() -> None:
    moved = "Theo changed schools, he goes to St Anne's Academy now"
    assert valued_anew(moved, "My son Theo goes to Hillside Primary", "Theo", announced=True)
    assert valued_anew(
        "妞妞现在在蓝天幼儿园上学", "我女儿妞妞在阳光幼儿园上学", "妞妞", announced=True
    )
