from __future__ import annotations

import pytest

from loxodon.language.statements import IMPORTANCE
from tests.write.zh.talk import verdicts


@pytest.mark.parametrize(
    "text",
    [
        "早上好呀",
        "好的谢谢",
        "今天天气真好",
        "附近哪家火锅好吃",
        "推荐几部电影",
        "再短一点",
        "我先去洗澡了",
        "累死了",
        "你真聪明",
        "如果我有一千万就去环游世界",
        "昨晚梦见自己会飞",
        "牛顿是英国人",
        "听说油价又要涨",
        "呵呵，老板可真大方",
        "路漫漫其修远兮",
        "帮我把这句翻译成英文：我是一名飞行员",
        "我们来玩角色扮演，你是老师我是学生",
        "妈我今晚不回家吃饭了",
        "不好意思发错人了",
        "开玩笑的",
    ],
)
def test_nothing_of_it_is_kept(text: str) -> None:
    assert not any(verdict.keep for verdict in verdicts(text))


@pytest.mark.parametrize(
    "text",
    [
        "我对芒果过敏",
        "在医院当护士",
        "我妹在大阪读书",
        "每天六点起床",
        "血压有点高",
        "下个月要去西安出差",
        "房租涨到三千了",
    ],
)
def test_what_is_of_the_users_life_is_kept(text: str) -> None:
    assert all(verdict.keep for verdict in verdicts(text))


def test_a_request_may_carry_a_fact() -> None:
    request, fact = verdicts("推荐个早餐，我乳糖不耐受")
    assert (request.keep, fact.keep) == (False, True)


def test_the_pieces_of_a_text_to_be_written_are_no_facts() -> None:
    assert not any(one.keep for one in verdicts("帮我写份简历，姓名赵敏，28岁，会计专业"))


def test_a_turn_that_goes_on_with_a_story_tells_nothing() -> None:
    found = verdicts("他住在山洞里，养了一条龙", "给我写个童话故事", "> 从前有个少年……")
    assert not any(one.keep for one in found)


def test_a_verdict_on_advice_is_small_talk() -> None:
    assert not verdicts("冷敷没什么用", "> 可以试试冷敷或者热敷。")[0].keep


@pytest.mark.parametrize(
    ("text", "importance"),
    [
        ("我对花生过敏", 1.0),
        ("我喜欢吃辣", 0.8),
        ("顺便说一下我喜欢吃辣", 0.6),
        ("记住，我喜欢吃辣", 1.0),
    ],
)
def test_importance_is_what_it_is_about_and_how_it_was_said(text: str, importance: float) -> None:
    assert verdicts(text)[-1].importance == pytest.approx(importance)


def test_every_verdict_has_a_known_subject() -> None:
    assert all(one.about in IMPORTANCE for one in verdicts("我叫小周，住在武汉，养了两只猫"))


def test_a_document_is_not_for_rules_to_tell() -> None:
    found = verdicts("我在北京。" * 400)
    assert found[-1].keep is None


@pytest.mark.parametrize(
    "text",
    [
        "我想找一款适合新手的相机",
        "我需要一份两天的苏州攻略",
        "我希望你能给我一个更详细的例子",
        "据统计，全国有两亿人失眠",
        "我爸说吃夜宵会折寿",
        "老舍说过，我家院子里有棵石榴树",
        "群里有人说：我捡到一部手机",
        "尊敬的领导：我因病请假两天。帮我润色",
        "发条短信给客户，就说我明天过去",
        "姓名：赵四，年龄：30，职业：司机，帮我排成表格",
        "我们来玩成语接龙，我先来",
        "我给你讲个笑话：我有个邻居，他养了一条龙",
        "白日依山尽，黄河入海流",
        "我去上个厕所",
        "第三题我选了A",
        "甲方应于七日内支付定金",
    ],
)
def test_talk_that_is_no_fact_of_the_users(text: str) -> None:
    assert not any(verdict.keep for verdict in verdicts(text))


@pytest.mark.parametrize(
    ("advice", "text"),
    [
        ("> 建议您每天散步。", "好主意，我回头试试"),
        ("> 推荐您看《边城》。", "嗯，我加到书单里了"),
        ("> 可以去外婆家吃。", "外婆家听起来挺好的"),
    ],
)
def test_advice_taken_is_no_fact(advice: str, text: str) -> None:
    assert not any(verdict.keep for verdict in verdicts(text, advice))


def test_in_a_story_only_its_writer_is_real() -> None:
    kept = [one.keep for one in verdicts("我在写一部小说，男主是个铁匠，讨厌下雨")]
    assert kept == [True, False, False]


@pytest.mark.parametrize(
    "text", ["离过一次婚，孩子归我", "北漂第五年，住回龙观", "家里暖气不热，我冻感冒了"]
)
def test_what_is_told_without_a_subject_is_kept_beside_what_has_one(text: str) -> None:
    assert all(verdict.keep for verdict in verdicts(text))


@pytest.mark.parametrize(
    ("turn", "before"),
    [
        ("我在霞飞路开事务所，养了只黑猫。", "对个戏：我是民国侦探"),
        ("我左眼瞎了，带着一头狼。", "跑团哈，我的角色叫灰烬"),
        ("我家昨晚被撬了，丢了两根金条。", "你扮警察我扮报案的"),
    ],
)
def test_nothing_is_kept_from_within_a_game(turn: str, before: str) -> None:
    assert not any(verdict.keep for verdict in verdicts(turn, before, "> 请"))


@pytest.mark.parametrize("text", ["我喜欢玩剧本杀", "我女儿演过话剧", "我练口语三年了"])
def test_who_plays_in_life_is_no_player_now(text: str) -> None:
    assert all(verdict.keep for verdict in verdicts(text))


@pytest.mark.parametrize("text", ["现在奶茶店一家挨一家", "房贷利率降得挺猛", "差点坐过"])
def test_what_the_world_is_like_is_not_kept(text: str) -> None:
    assert not any(verdict.keep for verdict in verdicts(text))
