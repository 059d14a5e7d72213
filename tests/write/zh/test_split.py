from __future__ import annotations

import re
import time

import pytest

from loxodon.write.zh import split
from loxodon.write.zh.split import MOST_CHARACTERS


def texts(message: str) -> list[str]:
    return [piece.text for piece in split(message)]


def test_each_clause_that_says_something_is_a_piece() -> None:
    assert texts("我叫张三，在北京工作，明天要开会") == ["我叫张三", "在北京工作", "明天要开会"]


def test_spaces_stand_for_commas_where_people_type_none() -> None:
    assert texts("昨天搬完家了 新房子在城东 离公司近") == [
        "昨天搬完家了",
        "新房子在城东",
        "离公司近",
    ]


def test_a_connective_stays_with_what_it_opens() -> None:
    assert texts("我喜欢爬山。另外，我养了一只狗") == ["我喜欢爬山。", "另外，我养了一只狗"]


def test_an_amount_stays_with_what_it_measures() -> None:
    assert texts("我租了间房，两千五一个月") == ["我租了间房，两千五一个月"]


def test_a_fact_is_cut_from_the_question_behind_it() -> None:
    pieces = split("我家狗八岁了该打什么疫苗")
    assert [piece.text for piece in pieces] == ["我家狗八岁了", "该打什么疫苗"]
    assert [piece.type for piece in pieces] == ["statement", "question"]


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("我在医院上班", "statement"),
        ("附近有好吃的吗", "question"),
        ("帮我写一封邮件", "instruction"),
        ("以后都用中文回答", "instruction"),
        ("哈哈哈哈", "chat"),
        ("谢谢啦", "chat"),
        ("👍", "chat"),
    ],
)
def test_each_piece_has_its_type(message: str, kind: str) -> None:
    assert [piece.type for piece in split(message)] == [kind]


def test_code_stays_whole() -> None:
    code = "```python\nname = '李四'\nprint(name)\n```"
    assert code in texts(f"为什么报错\n{code}")


def test_what_is_pasted_behind_a_task_stays_whole() -> None:
    pasted = "我家住在海边，我爸爸是渔民。"
    assert texts(f"翻译成英文：{pasted}") == ["翻译成英文：", pasted]


def test_a_sentence_in_quotes_is_someone_elses_and_a_name_is_not() -> None:
    assert "“我下个月要去当兵了，别等我。”" in texts(
        "他跟我说“我下个月要去当兵了，别等我。”然后走了"
    )
    assert texts("我开了家店叫“小满”") == ["我开了家店叫“小满”"]


def test_no_piece_of_talk_is_too_long() -> None:
    pieces = texts("我今天说了很多很多话一直没有停" * 40)
    assert max(map(len, pieces)) <= MOST_CHARACTERS


@pytest.mark.parametrize(
    "message",
    [
        "我叫王五，在成都上班！你呢？对了，我养猫……叫咪咪",
        "说实话吧 我不太喜欢吃辣的 但是我老公喜欢",
        "我用iPhone 15，系统是iOS 18.2，还行",
        "哎你帮我记一下啊我换了新手机号尾号六六八八然后我老公的也换了",
        "表格：\n| 名字 | 年龄 |\n| 小李 | 20 |",
    ],
)
def test_every_word_lands_in_some_piece(message: str) -> None:
    def words(text: str) -> str:
        return re.sub(r"[\s，,；;]", "", text)

    assert words("".join(texts(message))) == words(message)


@pytest.mark.parametrize(
    "message",
    [
        "", "   ", "\n\n", "，，，", "。", "？！", "\x00\x01", "\u202e我叫张三\u202c",
        "مرحبا 我叫张三", "🙂" * 50, "“未完的引号", "（没关上的括号，还有话", "我" * 3_000,
        "，" * 3_000, "了该" * 3_000,
    ],
)  # fmt: skip
def test_any_input_is_safe(message: str) -> None:
    split(message)


def test_time_grows_with_length_and_no_faster() -> None:
    def seconds(text: str) -> float:
        start = time.perf_counter()
        split(text)
        return time.perf_counter() - start

    split("我在北京，")
    short, long = seconds("我在北京住，" * 500), seconds("我在北京住，" * 5_000)
    assert long < 40 * max(short, 0.005)
