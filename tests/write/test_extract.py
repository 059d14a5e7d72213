"""What holds for statements of every language: dates, limits, names, and what is not kept."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest

from loxodon.language.statements import PriorTurn, Statement, TurnInContext
from loxodon.text.bounds import CLOSELY
from loxodon.write.extract import Candidate, candidate_of, fitting, fragments_of, rules_for
from loxodon.write.extract import read as told_in
from tests.each import each

AT = datetime(2026, 2, 4, 18, 0, tzinfo=timezone(timedelta(hours=8)))


def read(text: str) -> list[Candidate]:
    return list(told_in(TurnInContext(text, AT, fragments_of(1, text))).candidates)


@pytest.mark.parametrize(
    ("text", "value"),
    [("其实我对猫不过敏", "猫"), ("我不对花生过敏", "花生"), ("I'm not allergic to cats", "cat")],
)
def test_the_denial_of_an_allergy_is_no_allergy(text: str, value: str) -> None:
    (found,) = read(text)
    assert not found.statement.positive
    assert value in found.statement.value


def test_a_relation_goes_by_one_name() -> None:
    mum, mother = read("My mum lives in Cork")[0], read("My mother lives in Cork")[0]
    assert mum.statement.subject == mother.statement.subject == "mother"


def test_who_opens_in_chinese_speaks_chinese_whatever_was_pasted() -> None:
    pasted = "帮我改一下语法：My name is Brent and I live in Denver. I love what you are building."
    assert rules_for(pasted)[0] == "zh"
    assert not read(pasted)


def test_a_plan_is_due_and_goes_a_while_after() -> None:
    plan = candidate_of(Statement("用户明天要交原型", category="plan"), "zh", 0.5, AT)
    assert plan.statement.content == "用户2026年2月5日要交原型"
    assert plan.due_at is not None
    assert plan.due_at.isoformat() == "2026-02-06T00:00:00+08:00"
    assert plan.expires_at == plan.due_at + timedelta(days=30)


def test_what_is_temporary_ends() -> None:
    found = candidate_of(Statement("用户有点累", category="temp"), "zh", 0.2, AT)
    assert found.expires_at == AT + timedelta(days=7)


def test_only_what_names_its_year_says_since_when() -> None:
    assert candidate_of(Statement("Mei is back in March"), "en", 0.5, AT).valid_from is None
    past = candidate_of(Statement("The user moved to York last year"), "en", 0.5, AT)
    assert past.valid_from is not None
    assert past.valid_from.year == 2025


@pytest.mark.parametrize("language", ["zh", "en"])
def test_no_sentence_is_too_long(language: str) -> None:
    long = "用户喜欢猫，" * 60 if language == "zh" else "The user likes cats, " * 40
    kept = fitting(long, language)
    assert len(kept) <= 100 if language == "zh" else len(kept.split()) <= 40
    assert kept[-1] not in "，, "


@pytest.mark.parametrize("text", ["a" * 300_000, "我住在北京" * 60_000, "😀" * 50_000])
def test_a_pasted_wall_of_text_is_read_at_its_ends_only(text: str) -> None:
    fragments = fragments_of(1, text)
    assert 0 < sum(len(one.text) for one in fragments) <= CLOSELY


@each(
    ("quote", "days", "category"),
    [
        ("我十点半关灯五点起", "", "fact"),
        ("我凌晨两三点才回家", "", "fact"),
        ("我8月份摔断过腿", "", "fact"),
        ("我们去年10月结的婚", "2025年10月", "fact"),
        ("我女儿9月上小学", "2026年9月", "plan"),
        ("I take my pills at 8am and 8pm", "", "fact"),
        ("I broke my wrist in August", "", "fact"),
        ("We always go to Cornwall in August", "", "fact"),
        ("I have a half marathon on January 17", "2027-01-17", "plan"),
        ("My driving test is at 9:15 on Friday", "2026-02-06 09:15", "plan"),
    ],
)
def test_a_day_stands_beside_own_words_only_where_it_is_certain(
    quote: str, days: str, category: str
) -> None:
    language = "en" if quote.isascii() else "zh"
    said = Statement(f"“{quote}”", quoted=True)
    found = candidate_of(said, language, 0.4, AT).statement
    assert found.content == (f"“{quote}” ({days})" if days else f"“{quote}”")
    assert found.category == category


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("the launch slipped to November 20", "The launch moved to 2026-11-20"),
        ("The exam's in January", "The exam is in January 2027"),
        ("上线推到4月底", "用户的日程：上线改到2026年4月底"),
        ("驾照考试在1月", "用户的日程：驾照考试在2027年1月"),
    ],
)
def test_what_is_appointed_looks_ahead(text: str, content: str) -> None:
    at = AT.replace(month=9 if text.isascii() else 3)
    found = told_in(TurnInContext(text, at, fragments_of(1, text))).candidates
    assert [one.statement.content for one in found] == [content]
    assert found[0].due_at is not None


@each(
    ("text", "found"),
    [
        ("I live in Hull. 我妹妹叫小雨。", ["The user lives in Hull", "小雨是用户的妹妹"]),
        (
            "我住在苏州。My brother Tom is a nurse. 我对花生过敏。",
            [
                "用户住在苏州",
                "Tom is the user's brother",
                "The user's brother Tom is a nurse",
                "用户对花生过敏",
            ],
        ),
        ("My brother came back. 住在苏州。", []),  # who is left out need not be the user
        (
            "我哥叫大伟。My boss Tom is here today. 他住在苏州。",
            ["大伟是用户的哥哥", "Tom is the user's boss"],
        ),
        ("如果我是你。I live in Leeds.", []),
        ("Once upon a time there was a king. 我住在苏州。", []),
        ("我们来角色扮演吧。I live in Camelot and my name is Arthur.", []),
        ("我住在苏州。Scratch that, I was wrong.", []),
        ("我住在苏州。\nI live in Leeds with my cat.", ["用户住在苏州"]),
        ("我住在苏州。I live in Leeds. 我叫小明。My name is Tom.", ["用户住在苏州", "用户叫小明"]),
        ("帮我翻译一下。I live in Hull and my name is Bob.", []),
        ("Translate this please. 我住在苏州。", []),
    ],
)
def test_each_sentence_is_read_in_its_own_language(text: str, found: list[str]) -> None:
    told = [one.statement for one in read(text)]
    assert [one.content for one in told if not one.quoted] == found


def test_who_had_asked_for_a_translation_goes_on_with_it() -> None:
    text = "我住在苏州。I live in Leeds with my cat."
    before = [PriorTurn("user", "帮我翻译下面的句子", AT)]
    found = told_in(TurnInContext(text, AT, fragments_of(1, text), before)).candidates
    assert [one.statement.content for one in found] == ["用户住在苏州"]


@each(
    ("text", "contents"),
    [
        ("我叫周二牛", ["用户叫周二牛"]),
        ("我同学周四维住在大连", ["周四维是用户的同学", "用户的同学周四维住在大连"]),
        ("我儿子叫周天佑", ["周天佑是用户的儿子"]),
        ("My name is Wednesday Holt", ["The user's name is Wednesday Holt"]),
        ("My boss is Monday Eze", ["Monday Eze is the user's boss"]),
        (
            "My neighbour Sunday Bello is allergic to nuts",
            [
                "Sunday Bello is the user's neighbour",
                "The user's neighbour Sunday Bello is allergic to nuts",
            ],
        ),
        # The one or the other: as it was said, and nobody is introduced by it.
        ("My cousin Tuesday moved to Ghent", ["The user's cousin Tuesday moved to Ghent"]),
        ("我徒弟周四去大连", ["用户的徒弟2026年2月5日要去大连"]),
        ("我婆婆周六要体检", ["用户的婆婆2026年2月7日要体检"]),
        ("我女儿周日出生的", ["用户：“我女儿周日出生的” (2026年2月1日)"]),
        (
            "My boss Monday night called",
            ["The user: “My boss Monday night called” (the evening of 2026-02-02)"],
        ),
        ("My dentist is Monday", ["The user: “My dentist is Monday” (2026-02-09)"]),
    ],
)
def test_a_weekday_in_a_name_is_no_date_and_one_beside_a_relation_no_name(
    text: str, contents: list[str]
) -> None:
    assert [one.statement.content for one in read(text)] == contents


@each(
    ("text", "due"),
    [
        ("I have to return the van before the 20th", "2026-02-20T00:00"),
        ("I have to return the van by the 20th", "2026-02-21T00:00"),
        ("I must file the claim before the end of March", "2026-04-01T00:00"),
        ("I have to ring the school before 3pm tomorrow", "2026-02-05T15:00"),
        ("我月底前要交论文", "2026-03-01T00:00"),
        ("我打算明天下午三点前寄合同", "2026-02-05T15:00"),
        ("Since Friday I rent a flat in Hull", None),
        ("我从周五起在三班上课", None),
        ("自从周六以来我一直住在岳父家", None),
    ],
)
def test_when_a_plan_is_late(text: str, due: str | None) -> None:
    (found,) = read(text)
    assert (found.due_at and found.due_at.isoformat()[:16]) == due


def test_the_end_of_a_month_stays_its_end() -> None:
    assert "2026年2月底前" in read("我月底前要交论文")[0].statement.content
