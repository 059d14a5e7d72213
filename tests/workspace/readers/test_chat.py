"""Chat logs in plain text."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from loxodon.workspace.readers import Reading, read
from tests.each import each

SHANGHAI = timezone(timedelta(hours=8))


def log(text: str, name: str = "chat.txt") -> Reading:
    return read(text.encode(), name, "chat", SHANGHAI)


def who_said(text: str, name: str = "chat.txt") -> list[tuple[str, str]]:
    reading = log(text, name)
    assert not reading.problems
    return [(draft.speaker or draft.role, draft.content) for draft in reading.drafts]


def times(text: str, name: str = "chat.txt") -> list[str]:
    return [d.at.strftime("%m-%d %H:%M:%S") if d.at else "" for d in log(text, name).drafts]


# -- styles --------------------------------------------------------------------------------------


@each(
    "text",
    [
        "[2026-02-04 10:30] Alice: hi\n[2026-02-04 10:31] Bob: hello\n",
        "[2026-02-04 10:30]Alice：hi\n[2026-02-04 10:31]Bob：hello\n",
        "2026-02-04 10:30:00 - Alice: hi\n2026-02-04 10:31:00 - Bob: hello\n",
        "2026-02-04T10:30:00 Alice: hi\n2026-02-04T10:31:00 Bob: hello\n",
        "2026-02-04T10:30:00+08:00 Alice: hi\n2026-02-04T10:31:00+08:00 Bob: hello\n",
        "2026/2/4 10:30 Alice: hi\n2026/2/4 10:31 Bob: hello\n",
        "04/02/2026, 10:30 - Alice: hi\n04/02/2026, 10:31 - Bob: hello\n",
        "04.02.26, 10:30 - Alice: hi\n04.02.26, 10:31 - Bob: hello\n",
        "\u200e[04/02/26, 10:30:00\u202fAM] Alice: hi\n[04/02/26, 10:31:00\u202fAM] Bob: hello\n",
        "--- 2026-02-04 ---\n[10:30] Alice: hi\n[10:31] Bob: hello\n",
        "2026年2月4日\n[10:30] Alice：hi\n[10:31] Bob：hello\n",
        "2026年2月4日 星期三\n上午10:30 Alice：hi\n上午10:31 Bob：hello\n",
        "Wednesday, February 4, 2026\n10:30 AM Alice: hi\n10:31 AM Bob: hello\n",
        "== 4 Feb 2026 ==\n(10:30) Alice: hi\n(10:31) Bob: hello\n",
        "Alice 2026-02-04 10:30\nhi\n\nBob 2026-02-04 10:31\nhello\n",
        "Alice 2026年2月4日 10:30\nhi\nBob 2026年2月4日 10:31\nhello\n",
        "Alice, [04.02.2026 10:30]\nhi\n\nBob, [04.02.2026 10:31]\nhello\n",
        "2026-02-04 10:30:00 Alice\nhi\n2026-02-04 10:31:00 Bob\nhello\n",
    ],
)
def test_ways_to_mark_who_speaks_and_when(text: str) -> None:
    assert who_said(text) == [("Alice", "hi"), ("Bob", "hello")]
    assert times(text) == ["02-04 10:30:00", "02-04 10:31:00"]


def test_no_stamps() -> None:
    reading = log("Alice: hi\nBob: hello\nthere\n")
    assert [(d.line, d.role, d.speaker, d.content, d.at) for d in reading.drafts] == [
        (1, "user", "Alice", "hi", None),
        (2, "user", "Bob", "hello\nthere", None),
    ]
    assert {(d.chat, d.origin, d.session, d.id) for d in reading.drafts} == {
        ("direct", "group", "", "")
    }


def test_a_wechat_export() -> None:
    text = (
        "张三 2026-02-04 10:30\n晚上吃什么？\n我的想法是：火锅\n\n李四 2026-02-04 10:31:05\n好的\n"
    )
    assert who_said(text) == [("张三", "晚上吃什么？\n我的想法是：火锅"), ("李四", "好的")]
    assert times(text) == ["02-04 10:30:00", "02-04 10:31:05"]


def test_names_with_only_a_time() -> None:
    text = "张三 10:30\n你好\n李四 10:31\n早\n"
    assert who_said(text) == [("张三", "你好"), ("李四", "早")]
    assert times(text) == ["", ""]
    assert times(text, "2026-02-04.txt") == ["02-04 10:30:00", "02-04 10:31:00"]


def test_a_whatsapp_export() -> None:
    text = (
        "04/02/2026, 10:29 - Messages and calls are end-to-end encrypted.\n"
        "04/02/2026, 10:30 - +49 151 2345678: Hallo\n"
        "04/02/2026, 10:31 - Dr. Ann Lee: list:\n"
        "- milk: two\n"
        "Note: and bread\n"
        "https://example.org: look\n"
        "10:30 would suit me\n"
    )
    assert who_said(text) == [
        ("system", "Messages and calls are end-to-end encrypted."),
        ("+49 151 2345678", "Hallo"),
        (
            "Dr. Ann Lee",
            "list:\n- milk: two\nNote: and bread\nhttps://example.org: look\n10:30 would suit me",
        ),
    ]
    assert log(text).drafts[0].origin == "file"


def test_a_copy_from_chatgpt() -> None:
    text = "You said:\nwhat is a tern?\nChatGPT said:\nA seabird.\nFamily: Laridae\n"
    assert who_said(text) == [
        ("user", "what is a tern?"),
        ("ChatGPT", "A seabird.\nFamily: Laridae"),
    ]


# -- when ----------------------------------------------------------------------------------------


def test_day_and_month() -> None:
    assert times("04/02/2026, 10:30 - A: x\n05/02/2026, 10:30 - B: y\n") == [
        "02-04 10:30:00",
        "02-05 10:30:00",
    ]
    assert times("04/02/2026, 10:30 - A: x\n13/02/2026, 10:30 - B: y\n")[0] == "02-04 10:30:00"
    assert times("04/02/2026, 10:30 - A: x\n04/13/2026, 10:30 - B: y\n")[0] == "04-02 10:30:00"


def test_a_log_that_writes_dates_both_ways_has_problems() -> None:
    reading = log("13/02/2026, 10:30 - A: x\n04/13/2026, 10:30 - B: y\n")
    assert [(n, str(e)) for n, e in reading.problems] == [(2, "the date 04/13/2026 does not exist")]
    assert len(reading.drafts) == 1


def test_a_date_that_does_not_exist_takes_its_message_with_it() -> None:
    reading = log("2026-02-30 10:30 - Alice: hi\nmore\n2026-02-04 10:31 - Bob: hello\n")
    assert [(n, str(e)) for n, e in reading.problems] == [(1, "the date 2026-02-30 does not exist")]
    assert reading.problems[0][1].hint
    assert [draft.content for draft in reading.drafts] == ["hello"]


def test_a_separator_that_does_not_exist() -> None:
    reading = log("--- 2026-02-30 ---\n[10:30] Alice: hi\n[10:31] Bob: hello\n")
    assert [line for line, _ in reading.problems] == [1]
    assert len(reading.drafts) == 2


def test_midnight_begins_the_next_day() -> None:
    text = "--- 2026-02-04 ---\n[23:59] Alice: night\n[00:10] Bob: morning\n[09:00] Alice: hi\n"
    assert times(text) == ["02-04 23:59:00", "02-05 00:10:00", "02-05 09:00:00"]


@pytest.mark.parametrize("day", ["9999-12-31", "0001-01-01", "0000-01-01", "99999-01-01"])
def test_years_at_the_ends_of_the_calendar(day: str) -> None:
    for text in (f"[{day} 23:59] Alice: a\n[00:10] Bob: b\n", f"--- {day} ---\n[23:59] A: a\n"):
        assert all(draft.at is None for draft in log(text).drafts)


def test_the_calendar_does_not_run_out() -> None:
    text = "--- 9998-12-30 ---\n" + "[23:59] Alice: a\n[00:10] Bob: b\n" * 400
    assert len(log(text).drafts) == 800


def test_separators_change_the_day() -> None:
    text = "--- 2026-02-04 ---\nAlice: a\n2026年2月5日 下午3:20\nBob: b\n【2026-02-06】\nAlice: c\n"
    assert times(text) == ["02-04 00:00:00", "02-05 15:20:00", "02-06 00:00:00"]


def test_a_time_with_its_own_zone() -> None:
    [draft] = log("[2026-02-04 10:30:00 UTC] Alice: hi\n").drafts
    assert draft.at == datetime(2026, 2, 4, 10, 30, tzinfo=UTC)


# -- who -----------------------------------------------------------------------------------------


@each("name", ["User", "Human", "Me", "我", "用户", "You", "me"])
def test_names_of_the_user(name: str) -> None:
    first = log(f"{name}: hi\nAssistant: hello\n").drafts[0]
    assert (first.role, first.speaker, first.origin) == ("user", "", "user")


@each("name", ["Assistant", "AI", "Bot", "助手", "机器人", "小助手", "assistant"])
def test_names_of_the_assistant(name: str) -> None:
    second = log(f"User: hi\n{name}：hello\n").drafts[1]
    assert (second.role, second.speaker, second.origin) == ("assistant", "", "assistant")


@pytest.mark.parametrize("name", ["ChatGPT", "Claude", "DeepSeek", "豆包"])
def test_models_keep_their_name(name: str) -> None:
    second = log(f"User: hi\n{name}: hello\n").drafts[1]
    assert (second.role, second.speaker) == ("assistant", name)


def test_system_and_tool() -> None:
    reading = log("System: be kind\nUser: hi\nTool: 42\nAssistant: hello\n")
    assert [d.role for d in reading.drafts] == ["system", "user", "tool", "assistant"]


def test_where_the_user_is_known_the_others_are_not_the_user() -> None:
    reading = log("我：晚上吃什么\n小红：火锅\n")
    assert [(d.speaker, d.origin, d.chat) for d in reading.drafts] == [
        ("", "user", "direct"),
        ("小红", "group", "direct"),
    ]


def test_more_than_two_people_are_a_group() -> None:
    reading = log("我：晚上吃什么\n小红：火锅\n小明：烤肉\n")
    assert {draft.chat for draft in reading.drafts} == {"group"}
    unknown = log("Ann: a\nBen: b\nCem: c\n")
    assert {(d.chat, d.origin) for d in unknown.drafts} == {("group", "group")}
    with_bot = log("Ann: a\nBen: b\nBot: c\n")
    assert {draft.chat for draft in with_bot.drafts} == {"direct"}


# -- what is not a speaker -----------------------------------------------------------------------


def test_headings_in_an_answer_are_not_speakers() -> None:
    text = "User: tea?\nNote: green\nAssistant: Yes.\nPros: healthy\nCons: bitter\nUser: ok\n"
    assert who_said(text) == [
        ("user", "tea?\nNote: green"),
        ("assistant", "Yes.\nPros: healthy\nCons: bitter"),
        ("user", "ok"),
    ]
    chinese = "用户：我想学做菜\n助手：好的\n建议：先学炒蛋\n用户：他告诉我：要用大火\n"
    assert who_said(chinese) == [
        ("user", "我想学做菜"),
        ("assistant", "好的\n建议：先学炒蛋"),
        ("user", "他告诉我：要用大火"),
    ]


@each(
    "line",
    [
        "https://example.org/a: see there",
        "10:30 is fine: really",
        "Note: bring milk",
        "PS: and bread",
        "注意：带伞",
        "我的想法是：去吃火锅",
        "他跟我讲：明天放假，记得早起",
        "the plan is: go",
        "this, that and more: all of it",
        "def f(x): return x",
        "std::vector<int> v",
        "C:\\temp is full",
        "key:value",
        "- item: text",
        "**Bold**: text",
        "> quoted: text",
        "A sentence. Another one: with a colon",
        "an entire line of words that goes on for longer than a name: x",
        ": nothing before",
        "2 cups: flour",
    ],
)
def test_lines_that_go_on_with_a_message(line: str) -> None:
    assert who_said(f"Alice: hi\n{line}\nBob: hello\n") == [
        ("Alice", f"hi\n{line}"),
        ("Bob", "hello"),
    ]


def test_a_stamped_log_has_no_speakers_without_a_stamp() -> None:
    text = (
        "[2026-02-04 10:30] Alice: a joke\nMe: knock\nDoor: who\n[2026-02-04 10:31] Bob: ha\n"
        "[2026-02-04 10:32] Alice: 10:45?\nBob: quick one\n"
    )
    assert who_said(text) == [
        ("Alice", "a joke\nMe: knock\nDoor: who"),
        ("Bob", "ha"),
        ("Alice", "10:45?\nBob: quick one"),
    ]


@pytest.mark.parametrize(
    "times",
    [("[2026-02-04 10:30] ", "[2026-02-04 10:31] "), ("10:30 ", "10:31 ")],
    ids=["stamped", "timed"],
)
def test_a_line_without_a_time_goes_on_with_a_timed_message(times: tuple[str, str]) -> None:
    text = f"{times[0]}Bob: I copied this:\nUser: I live in Rome\n{times[1]}User: ok\n"
    assert who_said(text) == [("Bob", "I copied this:\nUser: I live in Rome"), ("user", "ok")]


def test_a_stamp_inside_a_message_of_a_plain_log() -> None:
    lines = "".join(f"Alice: question {n}\nBob: answer {n}\n" for n in range(10))
    text = lines + "Alice: today\n10:30 Dentist: bring the card\nBob: ok\n"
    assert who_said(text)[-2:] == [("Alice", "today\n10:30 Dentist: bring the card"), ("Bob", "ok")]


def test_empty_lines_and_messages() -> None:
    assert who_said("Alice: hi\n\n\nthere\n\nBob:\nAlice: x\n\n") == [
        ("Alice", "hi\n\n\nthere"),
        ("Alice", "x"),
    ]


def test_a_title_is_nobodys() -> None:
    text = "Chat with the team\n\nAlice: hi\nBob: hello\n"
    assert who_said(text) == [("system", "Chat with the team"), ("Alice", "hi"), ("Bob", "hello")]


@pytest.mark.parametrize(
    "text",
    [
        "Once upon a time there was a log.\nIt had nobody in it.\n",
        "从前有一座山，山里有一座庙。\n",
        "Just one.\nOr two.\nOr three.\nOr four.\nOr five.\nOr six.\nReasons: many\nCauses: few\n",
        "Title\nIngredients: flour\nmore\n",
        "Let us meet at 10:30\n",
    ],
)
def test_what_is_not_a_chat_is_one_problem(text: str) -> None:
    reading = log(text)
    assert not reading.drafts
    assert [(n, str(e)) for n, e in reading.problems] == [
        (1, "no line starts with a speaker's name")
    ]
    assert "--format" in reading.problems[0][1].hint


def test_names_in_other_scripts() -> None:
    assert who_said("Zoë Müller: hi\nИван: привет\nさくら：やあ\n민준: 안녕\n") == [
        ("Zoë Müller", "hi"),
        ("Иван", "привет"),
        ("さくら", "やあ"),
        ("민준", "안녕"),
    ]


def test_a_log_that_has_grown_begins_with_what_it_was() -> None:
    before = "[2026-02-04 10:30] Alice: hi\n[2026-02-04 10:31] Bob: hello\n"
    was, now = log(before).drafts, log(before + "[2026-02-04 10:32] Alice: bye\n").drafts
    assert now[:2] == was


def test_the_headings_of_an_assistant_are_not_people() -> None:
    log = "Me: how?\nAssistant: Sure, the steps:\nStep 1: preheat\nIngredients: eggs\n    a: b\n"
    assert [draft.role for draft in read(log.encode(), "m.txt").drafts] == ["user", "assistant"]


def test_settings_are_not_a_chat() -> None:
    text = "name: x\n" + "\n".join(f"line {n} of something else" for n in range(60))
    reading = read(text.encode(), "notes.txt")
    assert not reading.drafts
    assert reading.problems
