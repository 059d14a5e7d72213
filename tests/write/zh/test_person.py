from __future__ import annotations

import pytest

from tests.write.zh.talk import contents, read


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("园艺交流会的地点是太原", ["园艺交流会的地点是太原"]),
        ("我将要参加的读书会，它的规模是五十人", ["用户将要参加的读书会的规模是五十人"]),
        ("我的邻居他是修表的", ["用户的邻居是修表的"]),
        ("我舅妈的生日是8月9号", ["用户的舅妈的生日是8月9号"]),
        ("楼下的孙阿姨最近跟她女儿吵架了", ["楼下的孙阿姨最近跟自己的女儿吵架了"]),
        ("扫地机器人真好用", ["用户觉得扫地机器人真好用"]),
    ],
)
def test_a_clause_that_names_its_subject_is_about_that(text: str, expected: list[str]) -> None:
    assert contents(text) == expected


def test_whose_it_is_goes_on_with_the_one_just_named() -> None:
    found = read("何晓峰是我的表弟，其教育背景是硕士")
    assert [one.content for one in found] == [
        "何晓峰是用户的表弟",
        "用户的表弟何晓峰的教育背景是硕士",
    ]
    assert found[1].subject == "何晓峰"


def test_they_are_the_two_spoken_of() -> None:
    found = contents("我妹嫁到了大连，妹夫是船员，他们有一个女儿")
    assert found[-1] == "用户的妹妹和妹夫有一个女儿"


def test_what_is_done_to_the_user_is_done_by_someone() -> None:
    assert contents("房东大姐人很热心，还经常给我送饺子") == [
        "用户的房东大姐人很热心，还经常给用户送饺子"
    ]


def test_a_thing_stays_the_subject_of_what_is_said_of_it() -> None:
    assert contents("我的车上周被追尾了，现在还在修理厂") == [
        "用户的车上周被追尾了，现在还在修理厂"
    ]


@pytest.mark.parametrize("text", ["我买了那台二手钢琴", "考上了公务员，住在单位宿舍"])
def test_no_sentence_lacks_its_subject(text: str) -> None:
    assert all(content.startswith("用户") for content in contents(text))


def test_a_name_out_of_textbooks_may_be_a_person() -> None:
    assert contents("我叫小明") == ["用户叫小明"]
    assert contents("我同事小华对海鲜过敏") == ["用户的同事小华对海鲜过敏"]
    assert contents("小明有5个苹果，给了小红2个，还剩几个") == []
    assert contents("小红每小时走4公里，求多久到学校") == []
