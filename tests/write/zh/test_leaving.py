from __future__ import annotations

import pytest

from loxodon import Memory
from loxodon.write.zh.leaving import (
    finished,
    given_up_before,
    known_as,
    recovered,
    stops_medicine,
    topic_of_change,
)
from tests.write.talks import known, said
from tests.write.zh.talk import only, read


@pytest.mark.parametrize(
    ("predicate", "topic", "value"),
    [
        ("尿酸降到380了", "尿酸", "380"),
        ("彩排挪到礼堂了", "彩排", "礼堂"),
        ("复查肌酐降到90了", "肌酐", "90"),
        ("窗帘换成米色的了", "窗帘", "米色的"),
        ("现在队服是蓝色", "队服", "蓝色"),
    ],
)
def test_what_has_another_value_now(predicate: str, topic: str, value: str) -> None:
    assert topic_of_change(predicate) == (topic, value)


@pytest.mark.parametrize("predicate", ["打算改成周二", "我换了", "", "，" * 9, "在苏州上班"])
def test_not_everything_is_a_topic_that_changed(predicate: str) -> None:
    assert topic_of_change(predicate) is None


def test_a_topic_is_known_by_its_short_name_too() -> None:
    assert known_as("花店的招牌") == ("花店的招牌", "招牌")
    assert known_as("发布日期") == ("发布日期", "发布")
    assert known_as("公司") == ()


def test_what_is_finished_was_under_way() -> None:
    assert "在写的剧本" in finished("剧本写完了")
    assert "备考的法考" in finished("法考通过了")
    assert finished("剧本没写完") == ()


def test_what_one_got_over() -> None:
    assert recovered("湿疹全好了") == "湿疹"
    assert recovered("没有哮喘") == "哮喘"
    assert recovered("有湿疹") == ""
    assert stops_medicine("布洛芬停了") == "布洛芬"
    assert stops_medicine("药也不吃了") == "药"


def test_what_the_clause_before_a_change_is_done_with() -> None:
    assert given_up_before("Figma太贵") == "Figma"
    assert given_up_before("旧冰箱坏了") == "旧冰箱"
    assert given_up_before("我不想去") == ""


def test_whoever_has_left_a_role_is_still_who_they_are() -> None:
    found = only("小顾离职了")
    assert found.act == "end"
    assert "教练的小顾" in found.over
    assert "小顾" not in found.over


def test_a_role_that_changed_hands_names_its_new_holder() -> None:
    found = read("换家教了，姓邵")[-1]
    assert (found.subject, found.attribute, found.value) == ("家教", "holder", "邵")


def test_a_word_put_right_stands_alone_where_nothing_was_said_before() -> None:
    found = only("不是紫砂，是白瓷")
    assert (found.act, found.over, found.value) == ("correct", ("紫砂",), "白瓷")


def test_what_was_said_wrongly_of_someone_is_said_anew() -> None:
    found = only("上次说小顾在顺丰，其实是在京东，我记混了")
    assert found.content == "小顾在京东"
    assert (found.act, found.over) == ("correct", ("顺丰",))


@pytest.mark.parametrize(
    ("before", "after", "gone", "new"),
    [
        ("我住在苏州园区", "我从园区搬走了，现在住昆山", "住在苏州", "昆山"),
        ("我有轻度湿疹", "复查了，湿疹没了", "有轻度湿疹", "没了"),
        ("我在写一本食谱", "我的食谱写完了", "在写", "写完"),
        ("我有一台收音机", "收音机送给表弟了", "有一台", "送给"),
        ("我的网名叫远山", "我网名改成近水了", "远山", "近水"),
        ("我们的数据库是Oracle", "我们把数据库从Oracle迁移到了TiDB", "是Oracle", "TiDB"),
        ("我儿子读的是土木工程", "不是土木工程，是水利工程，我记岔了", "土木", "水利"),
        ("记账我用挖财", "挖财太卡，我换到有知有行了", "用挖财", "有知有行"),
        ("我的家教姓尤", "我换家教了，姓邵", "姓尤", "邵"),
        ("我可能要去西宁分部", "不去西宁分部了", "可能", "不去"),
    ],
)
def test_the_new_takes_the_place_of_the_old(
    memory: Memory, before: str, after: str, gone: str, new: str
) -> None:
    for n, text in enumerate((before, after)):
        memory.add(said(text, session=f"s{n}"))
        memory.consolidate(force=True)
    assert known(memory, new)
    assert not known(memory, gone)


@pytest.mark.parametrize(
    ("before", "after", "kept"),
    [
        ("我在顺丰上班", "我们公司换了新食堂", "顺丰"),
        ("我会弹琵琶", "最近开始学古筝了", "琵琶"),
        ("我老婆是药师", "我老婆调到急诊了", "药师"),
        ("我的导师是石教授", "我的教练换成小顾了", "石教授"),
        ("我在备考法考", "雅思考完了，7分", "法考"),
        ("我大儿子上初一，小儿子上大班", "大儿子上初二了", "大班"),
        ("我和小顾是大学同学", "小顾离职了", "同学"),
    ],
)
def test_nothing_else_is_touched(memory: Memory, before: str, after: str, kept: str) -> None:
    for n, text in enumerate((before, after)):
        memory.add(said(text, session=f"s{n}"))
        memory.consolidate(force=True)
    assert known(memory, kept)
