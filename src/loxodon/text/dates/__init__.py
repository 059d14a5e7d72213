"""Dates, times and relative dates in Chinese and English text, resolved against a moment.

`zh.txt` and `en.txt` are the tables of patterns, `rules` says what each of them means, `reading`
finds dates in a text and `writing` puts them into words. What the words mean:

- Days begin at local midnight, weeks on Monday. Seasons are whole months of the northern year.
- 上周三, 下周三 are the Wednesdays of last and next week. "last Tuesday" is the latest before
  today, "next Friday" that of next week; "last October" the latest that is over.
- "two weeks ago" is the whole week that lay then: who counts in weeks does not mean a day. "A few"
  and 几 are two to six. "the last 3 days" are today and the three before it.
- 月初, 月中, 月底 are the thirds of a month; without a month, 月底 is this one's.
- An hour from 1 to 6 that says neither morning nor afternoon is in the afternoon, but for 03:30.
- Words that do not say which one they mean (Monday, in March, 2月4号, 三点) follow the nearest
  verb: back for 了, 过, was, -ed; ahead for 要, 会, will, going to, "starting on", and beside what
  is appointed (exam, deadline, 到期). Without a verb a weekday is the next one, a month the latest
  that has begun, a day of the year the nearest, a day of the month this month's, a time today's.
- What recurs gives its first occurrence that is not over.
"""

from __future__ import annotations

from loxodon.text.dates.reading import Moment, find_moments, parse_moment, until
from loxodon.text.dates.writing import absolute, format_date

__all__ = ["Moment", "absolute", "find_moments", "format_date", "parse_moment", "until"]
