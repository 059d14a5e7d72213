"""Daily notes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from loxodon.types import Draft
from loxodon.workspace.readers import Reading, read
from tests.each import each

SHANGHAI = timezone(timedelta(hours=8))


def note(text: str, name: str = "memory/2026-02-18.md") -> Reading:
    reading = read(text.encode(), name, zone=SHANGHAI)
    assert reading.format == "markdown"
    return reading


def contents(text: str) -> list[str]:
    reading = note(text)
    assert not reading.problems
    return [draft.content for draft in reading.drafts]


def at(hour: int, minute: int = 0, day: int = 18) -> datetime:
    return datetime(2026, 2, day, hour, minute, tzinfo=SHANGHAI)


def heading(text: str) -> Draft:
    [draft] = note(f"# 2026-02-18\n{text}\nbody\n").drafts
    return draft


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
    assert reading.drafts == [
        Draft(
            3,
            "user",
            "API 讨论\n讨论了 REST 和 GraphQL。决策：用 REST。\n关键端点：/users。",
            "2026-02-18",
            at=at(10, 30),
            origin="file",
        ),
        Draft(
            7, "user", "Deployment\nDeployed v2.3.0.", "2026-02-18", at=at(14, 15), origin="file"
        ),
    ]


@each(
    ("line", "hour", "minute", "title"),
    [
        ("## 14:05", 14, 5, ""),
        ("## 14:05 Title", 14, 5, "Title"),
        ("## 10:30 AM - Title", 10, 30, "Title"),
        ("## 10:30am: Title", 10, 30, "Title"),
        ("## 12:10 AM Title", 0, 10, "Title"),
        ("## 12:10 p.m. Title", 12, 10, "Title"),
        ("## 9 PM Title", 21, 0, "Title"),
        ("## [10:30] Title", 10, 30, "Title"),
        ("## 10:30-11:00 Title", 10, 30, "Title"),
        ("## 10:30 AM – 11:00 AM — Title", 10, 30, "Title"),
        ("## 下午3:20 会议", 15, 20, "会议"),
        ("## 下午 3：20 会议", 15, 20, "会议"),
        ("## 上午9点 站会", 9, 0, "站会"),
        ("## 晚上8点半 聚餐", 20, 30, "聚餐"),
        ("## 下午3点20分会议", 15, 20, "会议"),
        ("## 中午12:30 午饭", 12, 30, "午饭"),
        ("## 凌晨1:05 失眠", 1, 5, "失眠"),
        ("## 00:13 AEST — Title", 0, 13, "AEST — Title"),
        ("##   14:05   Title   ##", 14, 5, "Title"),
        ("## Title", 0, 0, "Title"),
        ("## 3点建议", 0, 0, "3点建议"),
        ("## 1:1 with Ann", 0, 0, "1:1 with Ann"),
        ("## 25:10 Title", 0, 0, "25:10 Title"),
        ("## 10:75 Title", 0, 0, "10:75 Title"),
    ],
)
def test_headings(line: str, hour: int, minute: int, title: str) -> None:
    draft = heading(line)
    assert draft.at == at(hour, minute)
    assert draft.content == (f"{title}\nbody" if title else "body")


def test_a_time_in_utc() -> None:
    assert heading("## 09:05 UTC Thing").at == datetime(2026, 2, 18, 9, 5, tzinfo=UTC)


def test_a_section_without_a_time_has_that_of_the_one_before() -> None:
    reading = note("intro\n## 14:05 a\nx\n## b\ny\n# Another title\nz\n")
    assert [draft.at for draft in reading.drafts] == [at(0), at(14, 5), at(14, 5), at(0)]


@each(
    ("name", "session"),
    [
        ("2026-02-18.md", "2026-02-18"),
        ("2026-02-18-call-with-ann.md", "2026-02-18"),
        ("/home/mei/memory/2026-02-18.md", "2026-02-18"),
        ("C:\\notes\\2026-02-18.md", "2026-02-18"),
        ("2026_02_18.md", "2026-02-18"),
        ("2026年2月18日.md", "2026-02-18"),
        ("ideas.md", "ideas"),
        ("2026-02-30.md", "2026-02-30"),
        ("odd\udcff name.md", ""),
    ],
)
def test_the_day_in_the_file_name(name: str, session: str) -> None:
    [draft] = note("## 14:05\nwords\n", name).drafts
    assert draft.session == session
    assert draft.at == (at(14, 5) if session == "2026-02-18" else None)


def test_a_heading_knows_the_day_better_than_the_file_name() -> None:
    reading = note(
        "# 2026-02-19 Thursday\nfirst\n## 10:00 a\nb\n# 2026年2月20日 星期五\n第二天\n"
        "## 2026-02-21 11:00 Trip\nc\n# Session: 2026-02-22 01:35:30 UTC\nd\n"
    )
    assert [(draft.session, draft.at) for draft in reading.drafts] == [
        ("2026-02-19", at(0, day=19)),
        ("2026-02-19", at(10, day=19)),
        ("2026-02-20", at(0, day=20)),
        ("2026-02-21", at(11, day=21)),
        ("2026-02-22", datetime(2026, 2, 22, 1, 35, 30, tzinfo=UTC)),
    ]
    assert [draft.content for draft in reading.drafts] == [
        "first",
        "a\nb",
        "第二天",
        "Trip\nc",
        "Session: 2026-02-22 01:35:30 UTC\nd",
    ]


def test_a_day_that_does_not_exist_is_a_problem_and_its_text_is_kept() -> None:
    reading = note("# 2026-02-30\nwords\n## 10:00 a\nb\n")
    assert [(n, str(e)) for n, e in reading.problems] == [(1, "the date 2026-02-30 does not exist")]
    assert [draft.session for draft in reading.drafts] == ["2026-02-18"] * 2


def test_front_matter_is_left_out_and_its_date_is_used() -> None:
    [draft] = note("---\ntitle: x\ndate: 2026-02-17\n---\nwords\n", "ideas.md").drafts
    assert (draft.line, draft.content, draft.session) == (5, "words", "2026-02-17")
    assert contents("---\nnever closed\n") == ["---\nnever closed"]
    assert contents("---\ndate: 2026-02-30\n---\nwords\n") == ["words"]


def test_text_before_the_first_section_is_a_turn_of_its_own() -> None:
    reading = note("\nfirst words\n\nmore\n\n## 10:00 a\nb\n")
    assert [(draft.line, draft.content) for draft in reading.drafts] == [
        (2, "first words\n\nmore"),
        (6, "a\nb"),
    ]


def test_deeper_headings_stay_in_their_section() -> None:
    assert contents("## 10:00 a\nb\n### c\nd\n#### e\n#hashtag\n") == [
        "a\nb\n### c\nd\n#### e\n#hashtag"
    ]


def test_a_title_alone() -> None:
    assert contents("# Notes\n## 16:00 Dentist\n\n## 17:00\n\n## Buy milk\n") == [
        "Dentist",
        "Buy milk",
    ]


@pytest.mark.parametrize("fence", ["```", "~~~", "````python"])
def test_code_is_not_read_for_headings(fence: str) -> None:
    close = fence.removesuffix("python")
    text = f"## 10:00 a\n{fence}\n## 11:00 not a heading\n# 2026-01-01\n{close}\n## 12:00 b\nc\n"
    first, second = note(text).drafts
    assert first.content == f"a\n{fence}\n## 11:00 not a heading\n# 2026-01-01\n{close}"
    assert (second.content, second.at) == ("b\nc", at(12))


# -- what OpenClaw wrote -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("<!-- openclaw:dreaming:light:start -->", "<!-- openclaw:dreaming:light:end -->"),
        ("<!-- openclaw:dreaming:rem -->", "<!-- /openclaw:dreaming:rem -->"),
        ("<!--openclaw:dreaming:deep:start-->", "<!--openclaw:dreaming:deep:end-->"),
    ],
)
def test_dreams_are_left_out_with_their_heading(start: str, end: str) -> None:
    text = (
        f"## 10:00 a\nb\n\n## Light Sleep\n\n{start}\n- Candidate: junk\n## inside\n{end}\n\n"
        "## 18:00 c\nd\n"
    )
    assert contents(text) == ["a\nb", "c\nd"]


def test_what_stands_beside_a_dream_is_kept() -> None:
    text = (
        "## 10:00 a\nbefore\n<!-- openclaw:dreaming:light:start -->\njunk\n"
        "<!-- openclaw:dreaming:light:end -->\nafter\n"
    )
    assert contents(text) == ["a\nbefore\nafter"]


def test_a_dream_without_an_end_reaches_to_the_next_heading() -> None:
    start = "<!-- openclaw:dreaming:rem:start -->"
    assert contents(f"## REM Sleep\n{start}\n- junk\n\n## 18:00 c\nd\n") == ["c\nd"]
    assert contents(f"## a\nb\n{start}\n- junk\n") == ["a\nb"]
    assert contents(f"{start}\njunk\n{start}\njunk\n## a\nb\n") == ["a\nb"]


def test_promotions_are_left_out_with_their_item() -> None:
    text = (
        "## Promoted From Short-Term Memory (2026-05-06)\n\n"
        "<!-- openclaw-memory-promotion:memory:memory/2026-05-01.md:3:3 -->\n"
        "- 用户反馈周报格式太丑 [score=0.878]\n  and its second line\n"
        "<!-- openclaw-memory-promotion:memory:memory/2026-05-01.md:12:12 -->\n"
        "- another\n"
        "- mine\n"
        "## Only promotions\n"
        "<!-- openclaw-memory-promotion:x -->\n"
        "- more\n"
        "## 10:00 a\nb\n"
    )
    assert contents(text) == ["Promoted From Short-Term Memory (2026-05-06)\n- mine", "a\nb"]


# -- long sections -------------------------------------------------------------------------------


def test_a_long_section_is_a_turn_for_each_paragraph() -> None:
    one, two = "第一段。" * 300, "second paragraph. " * 60
    code = "```\n" + "x = 1\n\n" * 50 + "```"
    items = [f"- item {n} " + "word " * 150 for n in range(3)]
    text = f"## 10:00 Title\n{one}\n\n### Sub\n\n{two}\n\n{code}\n\n" + "\n".join(items) + "\n"
    reading = note(text)
    assert [draft.content for draft in reading.drafts] == [
        f"Title\n{one}",
        f"Title\n### Sub\n{two}",
        f"Title\n{code}",
        *(f"Title\n{item}" for item in items),
    ]
    assert [draft.line for draft in reading.drafts] == [2, 4, 8, 111, 112, 113]
    assert {draft.at for draft in reading.drafts} == {at(10)}


def test_a_section_that_is_not_long_is_one_turn() -> None:
    assert len(contents("## a\n" + "word\n\n" * 300)) == 1


def test_a_wall_of_text_is_kept_whole() -> None:
    assert len(contents("## a\n" + "x" * 9000)) == 1


def test_lines_that_cannot_be_read_are_left_out_of_their_section() -> None:
    reading = read(b"## 10:00 a\nb\n\xff\xff\nc\n", "2026-02-18.md", zone=SHANGHAI)
    assert [line for line, _ in reading.problems] == [3]
    assert reading.drafts[0].content == "a\nb\n\nc"
