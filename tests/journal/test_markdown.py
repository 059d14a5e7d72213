"""Daily notes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

from loxodon.types import Turn
from tests.cases import cases
from tests.clock import NOW
from tests.each import each
from tests.journal.added import Added, add

SHANGHAI = timezone(timedelta(hours=8))


def note(text: str, name: str = "memory/2026-02-18.md") -> Added:
    return add(text, name=name)


def at(hour: int, minute: int = 0, day: int = 18) -> datetime:
    return datetime(2026, 2, day, hour, minute, tzinfo=SHANGHAI)


def heading(text: str) -> Turn:
    (turn,) = note(f"# 2026-02-18\n{text}\nbody\n").turns
    return turn


def test_a_daily_note() -> None:
    reading = note(
        "# 2026-02-18\n"
        "\n"
        "## 10:30 AM - API 讨论\n"
        "讨论了 REST 和 GraphQL。决策：用 REST。\n"
        "关键端点：/users。\n"
        "\n"
        "## 2:15 PM - Deployment\n"
        "Deployed v2.3.0.\n",
        "anything.md",
    )
    assert not reading.problems
    assert [(one.content, one.at) for one in reading.turns] == [
        ("API 讨论\n讨论了 REST 和 GraphQL。决策：用 REST。\n关键端点：/users。", at(10, 30)),
        ("Deployment\nDeployed v2.3.0.", at(14, 15)),
    ]
    assert {(one.session, one.role, one.origin) for one in reading.turns} == {
        ("2026-02-18", "user", "file")
    }


@each(("line", "hour", "minute", "title"), cases(__file__, "headings"))
def test_headings(line: str, hour: int, minute: int, title: str) -> None:
    draft = heading(line)
    assert draft.at == at(hour, minute)
    assert draft.content == (f"{title}\nbody" if title else "body")


def test_a_time_in_utc() -> None:
    assert heading("## 09:05 UTC Thing").at == datetime(2026, 2, 18, 9, 5, tzinfo=UTC)


def test_a_section_without_a_time_has_that_of_the_one_before() -> None:
    reading = note("intro\n## 14:05 a\nx\n## b\ny\n# Another title\nz\n")
    assert [draft.at for draft in reading.turns] == [at(0), at(14, 5), at(14, 5), at(0)]


@each(("name", "session"), cases(__file__, "the_day_in_the_file_name"))
def test_the_day_in_the_file_name(name: str, session: str) -> None:
    [draft] = note("## 14:05\nwords\n", name).turns
    assert draft.session == session
    assert draft.at == (at(14, 5) if session == "2026-02-18" else NOW)


def test_a_heading_knows_the_day_better_than_the_file_name() -> None:
    reading = note(
        "# 2026-02-19 Thursday\nfirst\n## 10:00 a\nb\n# 2026年2月20日 星期五\n第二天\n"
        "## 2026-02-21 11:00 Trip\nc\n# Session: 2026-02-22 01:35:30 UTC\nd\n"
    )
    assert [(draft.session, draft.at) for draft in reading.turns] == [
        ("2026-02-19", at(0, day=19)),
        ("2026-02-19", at(10, day=19)),
        ("2026-02-20", at(0, day=20)),
        ("2026-02-21", at(11, day=21)),
        ("2026-02-22", datetime(2026, 2, 22, 1, 35, 30, tzinfo=UTC)),
    ]
    assert reading.texts == [
        "first",
        "a\nb",
        "第二天",
        "Trip\nc",
        "Session: 2026-02-22 01:35:30 UTC\nd",
    ]


def test_a_day_that_does_not_exist_is_a_problem_and_its_text_is_kept() -> None:
    reading = note("# 2026-02-30\nwords\n## 10:00 a\nb\n")
    assert reading.problems == [(1, "the date 2026-02-30 does not exist")]
    assert [draft.session for draft in reading.turns] == ["2026-02-18"] * 2


@each(("text", "contents"), cases(__file__, "sections"))
def test_each_section_is_a_turn_but_for_what_openclaw_wrote(text: str, contents: list[str]) -> None:
    found = note(text)
    assert (found.texts, found.problems) == (contents, [])


def test_date_of_front_matter() -> None:
    (turn,) = note("---\ntitle: x\ndate: 2026-02-17\n---\nwords\n", "ideas.md").turns
    assert (turn.content, turn.session) == ("words", "2026-02-17")


# -- long sections -------------------------------------------------------------------------------


def test_a_long_section_is_a_turn_for_each_paragraph() -> None:
    one, two = "第一段。" * 300, "second paragraph. " * 60
    code = "```\n" + "x = 1\n\n" * 50 + "```"
    items = [f"- item {n} " + "word " * 150 for n in range(3)]
    text = f"## 10:00 Title\n{one}\n\n### Sub\n\n{two}\n\n{code}\n\n" + "\n".join(items) + "\n"
    reading = note(text)
    assert reading.texts == [
        f"Title\n{one}",
        f"Title\n### Sub\n{two}",
        f"Title\n{code}",
        *(f"Title\n{item}" for item in items),
    ]
    assert {draft.at for draft in reading.turns} == {at(10)}
