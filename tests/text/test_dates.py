"""Dates in sentences as people write them, read on Wednesday 4 February 2026, 10:30 in Shanghai."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from loxodon.text.dates import Moment, absolute, find_moments, format_date, parse_moment
from tests.cases import cases
from tests.each import each
from tests.growth import linear
from tests.long import count

ZONE = timezone(timedelta(hours=8))
AT = datetime(2026, 2, 4, 10, 30, tzinfo=ZONE)


def instant(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=ZONE)


def named(sentence: str, words: str) -> Moment:
    """The moment that those words of the sentence name."""
    moments = [m for m in find_moments(sentence, AT) if m.text == words]
    assert len(moments) == 1, find_moments(sentence, AT)
    return moments[0]


def day(text: str, at: datetime = AT) -> str:
    """The first day of the one moment in `text`."""
    (moment,) = find_moments(text, at)
    return moment.since.date().isoformat()


@each(("sentence", "words", "since", "until", "grain"), cases(__file__, "finds"))
def test_finds(sentence: str, words: str, since: str, until: str, grain: str) -> None:
    moment = named(sentence, words)
    assert (moment.since, moment.until) == (instant(since), instant(until))
    assert (moment.grain, moment.recurring) == (grain, False)
    assert sentence[moment.start : moment.end] == words


@each(("sentence", "words", "since", "until", "grain"), cases(__file__, "finds_what_recurs"))
def test_finds_what_recurs(sentence: str, words: str, since: str, until: str, grain: str) -> None:
    moment = named(sentence, words)
    assert (moment.since, moment.until) == (instant(since), instant(until))
    assert (moment.grain, moment.recurring) == (grain, True)


@each("sentence", cases(__file__, "false_friends"))
def test_false_friends(sentence: str) -> None:
    assert find_moments(sentence, AT) == []


@each(("sentence", "words"), cases(__file__, "finds_each"))
def test_finds_each(sentence: str, words: list[str]) -> None:
    assert [m.text for m in find_moments(sentence, AT)] == words


@each(("sentence", "since"), cases(__file__, "which_one_is_meant"))
def test_which_one_is_meant(sentence: str, since: str) -> None:
    """The verb says which Monday, March or fourth is meant; the last ones have none."""
    assert day(sentence) == since


@each(
    ("question", "words", "since", "recurring"), cases(__file__, "finds_what_a_question_asks_for")
)
def test_finds_what_a_question_asks_for(
    question: str, words: str, since: str, recurring: bool
) -> None:
    """What was, unless the question looks ahead or names a habit."""
    (moment,) = find_moments(question, AT, asked=True)
    assert (moment.text, moment.since, moment.recurring) == (words, instant(since), recurring)


def test_weeks_turn_on_monday() -> None:
    sunday = datetime(2026, 2, 8, 23, 59, tzinfo=ZONE)
    monday = datetime(2026, 2, 9, 0, 0, tzinfo=ZONE)
    assert (day("上周三", sunday), day("上周三", monday)) == ("2026-01-28", "2026-02-04")
    assert (day("next Friday", sunday), day("next Friday", monday)) == ("2026-02-13", "2026-02-20")
    assert (day("last weekend", sunday), day("last weekend", monday)) == (
        "2026-01-31",
        "2026-02-07",
    )


def test_months_end_where_they_end() -> None:
    last = datetime(2024, 3, 31, 12, 0, tzinfo=ZONE)
    assert day("上个月", last) == "2024-02-01"
    assert day("一个月前", last) == "2024-02-01"
    assert find_moments("上个月底", last)[0].until == datetime(2024, 3, 1, tzinfo=ZONE)
    assert day("this winter", datetime(2026, 1, 10, tzinfo=ZONE)) == "2025-12-01"
    assert day("last winter", datetime(2026, 1, 10, tzinfo=ZONE)) == "2024-12-01"


def test_hours_ago_are_real_hours() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    (moment,) = find_moments("3 hours ago", datetime(2026, 3, 29, 5, 0, tzinfo=berlin))
    assert moment.since == datetime(2026, 3, 29, 1, 0, tzinfo=berlin)
    assert moment.since.tzinfo is berlin


@each(("text", "since", "until"), cases(__file__, "parses"))
def test_parses(text: str, since: str, until: str) -> None:
    moment = parse_moment(text, AT)
    assert moment is not None
    assert (moment.since, moment.until) == (instant(since), instant(until))


@each("text", cases(__file__, "does_not_parse"))
def test_does_not_parse(text: str) -> None:
    assert parse_moment(text, AT) is None


@each(("text", "english", "chinese"), cases(__file__, "formats"))
def test_formats(text: str, english: str, chinese: str) -> None:
    moment = parse_moment(text, AT)
    assert moment is not None
    assert (format_date(moment, "en"), format_date(moment, "zh")) == (english, chinese)


@each(("text", "language", "expected"), cases(__file__, "absolute"))
def test_absolute(text: str, language: str, expected: str) -> None:
    """But for what is absolute already, recurring, or said of any year and any day."""
    assert absolute(text, AT, language) == expected


# --- Any text -------------------------------------------------------------------------------------

PIECES = [one["text"] for one in cases(__file__, "pieces")]
texts = st.text(max_size=60) | st.lists(st.sampled_from(PIECES), max_size=12).flatmap(
    lambda words: st.sampled_from(["", " "]).map(lambda glue: glue.join(words))
)
moments_in_time = st.datetimes(timezones=st.sampled_from([ZONE, ZoneInfo("Europe/Berlin")]))


@given(text=texts, at=moments_in_time)
def test_any_text(text: str, at: datetime) -> None:
    end = 0
    for moment in find_moments(text, at):
        assert end <= moment.start < moment.end <= len(text)
        assert moment.text == text[moment.start : moment.end]
        assert moment.since < moment.until
        assert moment.since.tzinfo is moment.until.tzinfo is at.tzinfo
        assert format_date(moment, "en")
        assert format_date(moment, "zh")
        end = moment.end
    absolute(text, at, "en")
    absolute(text, at, "zh")
    whole = parse_moment(text, at)
    assert whole is None or whole.text == text.strip() or text.strip().endswith(whole.text)


@each("unit", cases(__file__, "time_grows_with_length_only"))
def test_time_grows_with_length_only(unit: str) -> None:
    def read(text: str) -> None:
        find_moments(text, AT)
        parse_moment(text, AT)

    linear(read, lambda n: unit * n, count(4_000, 32_000) // len(unit))
