"""Dates, times and relative dates in Chinese and English text, resolved against a moment.

`zh.txt` and `en.txt` are the tables of patterns, `rules` says what each of them means, `reading`
finds dates in a text and `writing` puts them into words. What the words mean:

- Days begin at local midnight, weeks on Monday. Seasons are whole months of the northern year; a
  winter belongs to the year in which it begins.
- 上周三, 这周三, 下周三 are the Wednesdays of last, this and next week. "last Tuesday" is the
  latest before today, "this Friday" that of this week, "next Friday" that of next week. So for
  months and seasons: "last October" is the latest that is over, "next March" that of next year.
- "two weeks ago" is the whole week that lay then, 3个月以后 the whole month: who counts in weeks
  does not mean a day. Hours and minutes give the minute. "A few" and 几 are two to six.
- "the last 3 days" are today and the three before it; "the next 3 days" today and the three after.
- 月初, 月中, 月底 are the thirds of a month; 年初 and 年底 the first and the last two months.
  Without a month or a year 月底 and 年底 are this one's.
- An hour from 1 to 6 that says neither morning nor afternoon is in the afternoon, unless it is
  written as 03:30.
- Words that do not say which one they mean (Monday, in March, 2月4号, 三点) follow the nearest
  verb: back for 了, 过, was, -ed; ahead for 要, 会, will, going to, "starting on", and beside what
  is appointed (exam, deadline, 到期) unless a verb looks back. Without such a cue a weekday is
  the next one (never today), a weekend the one that is not over, a month, quarter or season the
  latest that has begun, a day of the year the nearest, a day of the month this month's, a time
  today's. After "since" and before 以来 the latest is meant; 从周五起 without a verb or an adverb
  that tells may mean either and is read as none.
- What recurs gives its first occurrence that is not over.
"""

from __future__ import annotations

from loxodon.text.dates.reading import (
    Moment,
    find_asked,
    find_moments,
    parse_moment,
    parse_past,
    until,
)
from loxodon.text.dates.writing import absolute, format_date

__all__ = [
    "Moment",
    "absolute",
    "find_asked",
    "find_moments",
    "format_date",
    "parse_moment",
    "parse_past",
    "until",
]
