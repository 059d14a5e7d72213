from __future__ import annotations

from tests.write.zh.talk import contents, only, read


def test_within_a_turn_only_the_right_value_is_read() -> None:
    assert contents("我今年28，哦不29了") == ["用户今年29岁"]
    assert contents("我儿子六岁，不对，七岁") == ["用户的儿子七岁"]


def test_a_correction_puts_the_right_value_in_the_place_of_the_wrong() -> None:
    found = only("说错了，是36栋", "我住26栋")
    assert (found.content, found.act, found.over) == ("用户住36栋", "correct", ("26栋",))


def test_the_wrong_words_tell_what_is_corrected() -> None:
    found = only("打错了，是中粮，不是中梁", "我在中梁上班")
    assert (found.content, found.over) == ("用户在中粮上班", ("中梁",))


def test_a_correction_keeps_the_subject_of_what_it_corrects() -> None:
    found = only("不好意思记错了，是六月初九", "我妈生日是六月初八")
    assert (found.subject, found.content) == ("妈妈", "用户的妈妈生日是六月初九")


def test_a_joke_taken_back_is_over() -> None:
    found = read("骗你的，我没有女朋友", "我要当爸爸了")
    assert found
    assert found[0].act == "end"


def test_something_the_user_wants_forgotten_is_over() -> None:
    found = only("那你把这个删了", "我银行卡尾号8899")
    assert found.act == "end"
    assert "8899" in found.over
    assert "8899" not in found.content


def test_a_reminder_can_be_cancelled() -> None:
    found = only("算了取消吧", "提醒我周六去取蛋糕")
    assert found.act == "end"
    assert "蛋糕" in found.content


def test_a_bare_word_takes_the_place_of_one_of_its_kind() -> None:
    found = only("啊不对，泸州", "我室友是宜宾的")
    assert (found.content, found.over) == ("用户的室友是泸州的", ("宜宾",))


def test_what_follows_a_slip_is_said_of_the_same_person() -> None:
    found = only("记岔了，只会法语", "我邻居会说德语法语")
    assert (found.content, found.act) == ("用户的邻居只会法语", "correct")
