"""The times of a question: what `test_understand` does not show on whole questions."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

from loxodon.recall.times import events_of, times_of
from tests.each import each

AT = datetime(2026, 2, 4, 10, 30, tzinfo=timezone(timedelta(hours=8)))


def days(text: str, language: str) -> list[tuple[str, str]]:
    return [
        (str(when.since or "")[:10], str(when.until or "")[:10])
        for when in times_of(text, AT, language)
    ]


@each(
    ("text", "since", "until"),
    [
        ("what did I say before March", "", "2025-03-01"),
        ("what did I say after March", "2025-04-01", ""),
        ("what did I say since March", "2025-03-01", ""),
        ("what had I said by March", "", "2025-04-01"),
        ("what had I said as of March 2024", "", "2024-04-01"),
        ("what happened around 5 May", "2025-05-03", "2025-05-08"),
        ("三月之前我说了什么", "", "2025-03-01"),
        ("三月以后我说了什么", "2025-04-01", ""),
        ("三月以来我说了什么", "2025-03-01", ""),
        ("从去年三月开始我学了什么", "2025-03-01", ""),
        ("截至去年三月我有多少钱", "", "2025-04-01"),
        ("5月5号左右发生了什么", "2025-05-03", "2025-05-08"),
    ],
)
def test_a_range_may_have_one_end(text: str, since: str, until: str) -> None:
    language = "en" if text.isascii() else "zh"
    assert days(text, language) == [(since, until)]


def test_what_was_hours_ago_was_about_then() -> None:
    (when,) = times_of("what did I say two hours ago", AT, "en")
    assert when.since is not None
    assert when.until is not None
    assert when.since < AT - timedelta(hours=2) < when.until
    assert when.until - when.since > timedelta(minutes=30)


def test_recently_is_a_month_and_says_that_it_is_loose() -> None:
    (when,) = times_of("我最近在忙什么", AT, "zh")
    assert (when.grain, when.until) == ("recent", None)
    assert when.since == AT - timedelta(30)
    assert [when.grain for when in times_of("最近三天我吃了什么", AT, "zh")] == ["span"]


@each(
    ("text", "language"),
    [
        ("what do I eat after work", "en"),
        ("what do I do before bed", "en"),
        ("what did I say before that", "en"),
        ("when did I say it", "en"),
        ("三天之前我说了什么", "zh"),
        ("很久以前的事", "zh"),
        ("以前我住哪", "zh"),
        ("平时我吃什么", "zh"),
        ("what is the difference between my boots and the cheap ones", "en"),
    ],
)
def test_no_event_is_read_into_other_words(text: str, language: str) -> None:
    assert events_of(text, times_of(text, AT, language), language) == ()
