from __future__ import annotations

import pytest

from tests.write.zh.talk import only, read


@pytest.mark.parametrize(
    ("text", "content", "over"),
    [
        ("我不喝奶茶了", "用户不再喝奶茶", "奶茶"),
        ("快递不送了", "用户不再送快递", "快递"),
        ("腾讯视频退订了", "用户退订了腾讯视频", "腾讯视频"),
        ("健身卡取消了", "用户取消了健身卡", "健身卡"),
        ("我把摩托车卖了", "用户把摩托车卖了", "摩托车"),
        ("我和小雅分手了", "用户和小雅分手了", "小雅"),
        ("我从华润离职了", "用户从华润离职了", "华润"),
        ("我戒烟半年了", "用户戒烟半年了", "抽烟"),
    ],
)
def test_what_is_over_is_named(text: str, content: str, over: str) -> None:
    found = only(text)
    assert found.act == "end"
    assert over in found.over
    assert found.content == content


@pytest.mark.parametrize(
    ("text", "attribute", "value"),
    [
        ("我搬到无锡了", "home", "无锡"),
        ("我跳槽到小米了", "employer", "小米"),
        ("手机换成OPPO了", "phone", "OPPO"),
        ("例会改到周五下午", "schedule", "周五下午"),
    ],
)
def test_what_takes_the_place_of_something_is_a_change(
    text: str, attribute: str, value: str
) -> None:
    found = only(text)
    assert (found.act, found.attribute, found.value) == ("change", attribute, value)


def test_the_old_thing_is_said_where_it_was_said() -> None:
    assert only("我从中兴跳到了荣耀").over == ("中兴",)


def test_a_death_ends_what_was_known_of_the_animal() -> None:
    found = read("我家猫豆包昨天走了")[0]
    assert (found.act, found.over) == ("end", ("豆包",))


def test_plans_to_change_are_no_changes() -> None:
    assert only("我打算明年换工作").act == "state"
    assert only("我想辞职").act == "state"


def test_a_new_holder_of_a_role_replaces_the_old() -> None:
    found = only("我的导师是王建民老师")
    assert (found.subject, found.attribute, found.value) == ("导师", "holder", "王建民老师")
