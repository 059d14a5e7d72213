"""What a later session leaves out because an earlier one has told it."""

from __future__ import annotations

import pytest

from loxodon import Memory
from loxodon.write.zh.habits import opposed
from loxodon.write.zh.implied import is_undoing, may_be_resumed, names_successor
from tests.write.talks import known, said


def hear(memory: Memory, *sessions: str) -> None:
    for n, text in enumerate(sessions):
        memory.add(said(text, session=f"s{n}"))
        memory.consolidate(force=True)


@pytest.mark.parametrize(
    ("before", "after", "gone", "new"),
    [
        # a new value, alone
        ("我背单词背到第三轮", "第五轮了", "第三轮", "第五轮"),
        ("我攒了三万", "五万了", "三万", "五万"),
        ("我儿子上中班", "大班了", "中班", "大班"),
        ("考驾照，科目二还没过", "到科三啦", "科目二", "科三"),
        ("我段位白银", "钻石！！", "白银", "钻石"),
        # one thing for another
        ("我爸降压药吃氨氯地平", "改缬沙坦了", "氨氯地平", "爸爸降压药吃缬沙坦"),
        ("女儿学小提琴", "换大提琴了", "小提琴", "女儿学大提琴"),
        ("客厅刷的米白", "重刷了，雾霾蓝的", "米白", "客厅刷的雾霾蓝"),
        ("网名叫山鬼", "改叫木子了", "山鬼", "网名叫木子"),
        # who has a role now
        ("我班主任叫施蕾", "施蕾休产假去了，接手的姓冉", "班主任叫施蕾", "班主任姓冉"),
        ("我们部门主管是老秦", "老秦调走了，接任的是小葛", "主管是老秦", "主管是小葛"),
        ("我健身教练叫Leo", "Leo离职了，以后找Max带", "教练叫Leo", "教练是Max"),
        # another place or post
        ("我在二号线车间", "厂里把我调到质检科了", "二号线", "质检科"),
        ("我负责华北片区", "领导让我接西南", "华北", "西南"),
        ("球队里我踢左后卫", "教练把我提上去打前腰", "左后卫", "前腰"),
        # a way of life given up
        ("我是夜猫子，凌晨才睡", "体检吓到了，现在十点就睡", "夜猫子", "十点就睡"),
        ("无辣不欢", "胃出血之后只吃清淡的", "无辣不欢", "清淡"),
        ("月光族，工资到手就没", "我爸骂醒我了，开始记账", "到手就没", "用户开始记账"),
        # what became of it
        ("院里种着两棵石榴", "石榴让施工队刨了", "种着两棵", "石榴让施工队刨"),
        ("留了络腮胡", "刮干净了", "留了络腮胡", "刮干净"),
        ("跟姥姥住一起", "姥姥搬去舅舅家了", "跟姥姥住", "搬去舅舅家"),
        # a suspicion settled
        ("估计我甲减了", "抽血，甲功正常，缺铁", "甲减", "缺铁"),
        ("怀疑楼上漏水", "师傅凿开看了，自家管子裂的", "楼上漏水", "自家管子"),
    ],
)
def test_what_is_left_out_is_known(
    memory: Memory, before: str, after: str, gone: str, new: str
) -> None:
    hear(memory, before, after)
    assert known(memory, new)
    assert not known(memory, gone)


@pytest.mark.parametrize(
    ("before", "after", "kept"),
    [
        ("我开特斯拉", "换发型了", "特斯拉"),
        ("我和老婆住上海", "散了散了", "老婆"),
        ("我打羽毛球，带两个孩子", "领导让我接西南片区", "羽毛球，带两个孩子"),
        ("我有两只猫", "看见三只松鼠了", "两只猫"),
        ("我喜欢宅家", "我妹爱爬山", "宅家"),
        ("我怀疑自己甲亢", "我妈体检结果正常", "甲亢"),
        ("我月薪八千", "这双鞋两千了", "八千"),
        ("我家种了石榴", "邻居的石榴死了", "种了石榴"),
        ("我在腾讯上班，负责支付", "领导让我接广告业务", "腾讯"),
        ("我同事小佟是蒙古族", "小佟升主管了", "蒙古族"),
        ("我抽烟", "我爸戒烟了", "用户抽烟"),
    ],
)
def test_what_fits_something_else_leaves_it(
    memory: Memory, before: str, after: str, kept: str
) -> None:
    hear(memory, before, after)
    assert known(memory, kept)


@pytest.mark.parametrize("alone", ["第九本了", "破两千了！", "散了", "虚惊一场", "钻石！！"])
def test_without_a_memory_nothing_is_kept(memory: Memory, alone: str) -> None:
    hear(memory, alone)
    assert not memory.list()


def test_clauses_that_leave_something_out() -> None:
    assert may_be_resumed("第九本了")
    assert may_be_resumed("改缬沙坦了")
    assert not may_be_resumed("天气不错")
    assert is_undoing("刮干净了")
    assert not is_undoing("我把书卖了")
    assert names_successor("接手的姓冉")
    assert not names_successor("换成Postgres了")


def test_two_sides_of_a_habit() -> None:
    assert opposed("用户每月存两千，开始记账", "用户是月光族")
    assert not opposed("用户是月光族", "用户是月光族，存不下钱")
    assert not opposed("用户喜欢看电影", "用户是月光族")


def test_a_thing_has_another_name(memory: Memory) -> None:
    hear(memory, "我们乐队叫末班车，我打鼓", "名字也改了，叫夜宵摊")
    assert known(memory, "乐队叫夜宵摊")
    assert not known(memory, "末班车")


def test_whoever_was_in_hospital_has_left_it(memory: Memory) -> None:
    hear(memory, "我爸住院了，心梗", "出院回石家庄了")
    assert known(memory, "爸爸出院")


def test_only_the_half_that_changed_goes(memory: Memory) -> None:
    hear(memory, "租客小傅做美甲的，押一付三", "小傅改押一付一了")
    assert known(memory, "美甲")
    assert known(memory, "押一付一")
    assert not known(memory, "押一付三")
