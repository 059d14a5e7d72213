"""Dates, times and relative dates in Chinese and English text, resolved against a moment.

A text is read from left to right. Each word or character that can begin a date is tried against
the few rules that begin so; a date takes the part of the day and the time that follow it (明天 +
下午 + 三点), and two dates joined by "to" make a span. Nothing that has been read is read again, so
the work grows with the length of the text and no faster.

What the words mean:

- Days begin at local midnight, weeks on Monday. Seasons are whole months of the northern year; a
  winter belongs to the year in which it begins.
- 上周三, 这周三, 下周三 are the Wednesdays of last, this and next week. "last Tuesday" is the
  latest before today, "this Friday" that of this week, "next Friday" that of next week. So for
  months and seasons: "last October" is the latest that is over, "next March" that of next year.
- "two weeks ago" is the whole week that lay then, 3个月以后 the whole month: who counts in weeks
  does not mean a day. Hours and minutes give the minute. "A few" and 几 are two to six.
- "the last 3 days" are today and the three before it; "the next 3 days" today and the three after.
- 月初, 月中, 月底 are the thirds of a month; 年初 and 年底 the first and the last two months.
- An hour from 1 to 6 that says neither morning nor afternoon is in the afternoon, unless it is
  written as 03:30.
- Words that do not say which one they mean (Monday, in March, 2月4号, 三点) follow the nearest
  verb: back for 了, 过, was, -ed; ahead for 要, 会, will, going to, and beside what is appointed
  (exam, deadline, 到期) unless a verb looks back. Without such a cue a weekday is
  the next one (never today), a weekend the one that is not over, a month, quarter or season the
  latest that has begun, a day of the year the nearest, a day of the month this month's, a time
  today's. After "since" and before 以来 the latest is meant; 从周五起 without a verb or an adverb
  that tells may mean either and is read as none.
- What recurs gives its first occurrence that is not over.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from functools import cache
from typing import NamedTuple

from loxodon.text.dates.reckoning import (
    Clock,
    DatedText,
    DatePiece,
    Grain,
    RuleMatch,
    Span,
    any_of,
    compiled,
    cue_at,
    day_of,
    days_from,
    edge_of,
    hear,
    mapped,
    months_from,
    number_of,
    occurrences,
    settle,
    shift,
    unit_at,
    whole_unit,
)
from loxodon.text.dates.rules import (
    away,
    bare_week,
    before,
    calendar,
    day_word,
    decade,
    en_month,
    en_season,
    en_year,
    every,
    iso,
    month_day,
    narrow,
    nth_day,
    relative_to,
    right_now,
    stretch,
    time_en,
    time_part,
    time_zh,
    zh_calendar,
)
from loxodon.text.dates.words import BEGINNINGS, GRAMMAR, MONTHS, NUM
from loxodon.text.steps import charge

_YEAR_OR_PAST = r"[0-9]{4}|年|last|ago|yesterday|past|previous|[昨前上去]"
_AHEAD = (
    r"\b(?:will|going to|gonna|shall|plans?|planning|planned|upcoming|booked|scheduled)\b|'ll\b"
    r"|打算|计划|准备|预计|将(?![军近])|要(?![求紧是不点素么])"
)
_BARE_WEEKDAY = (
    r"^\s*(?:(?:on )?(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*"
    r"|(?:周|週|星期|礼拜|禮拜)[一二三四五六日天])\s*$"
)


class Moment(NamedTuple):
    """A stretch of time that a text names."""

    text: str  # The words that name it
    start: int
    end: int
    since: datetime  # Aware, in the zone of the reference; inclusive
    until: datetime  # Exclusive
    grain: Grain
    recurring: bool = False  # Every Monday, 每周三: since and until give the next occurrence
    relative: bool = False  # Whether its words mean another day when they are said on another day


def find_moments(text: str, at: datetime) -> list[Moment]:
    """Every moment that `text`, said at `at`, names: in order, none over another."""
    return list(_scan(text, at))


def find_asked(text: str, at: datetime) -> list[Moment]:
    """Every moment that a question asked at `at` names.

    Who asks, asks for what was: words that leave open which one they mean (in March, on Friday,
    5月5号) are the latest before `at`, unless the question looks ahead by itself. A weekday beside
    a word for a habit recurs.
    """
    return list(_scan(text, at, asked=True))


def parse_moment(text: str, at: datetime) -> Moment | None:
    """The moment that the whole of `text` names; None where it names none, or says more."""
    said = hear(text, at, whole=True)
    start, end = len(text) - len(text.lstrip()), len(text.rstrip())
    lead = compiled(r"(?:on|in|at|during) |[在于]").match(said.text, start)
    for i in (start, lead.end()) if lead else (start,):
        found, reached = _read(said, i)
        if found and reached == end:
            return found
    return None


def parse_past(text: str, at: datetime) -> Moment | None:
    """`parse_moment` for a question about the past: a bare weekday is today or the last one."""
    found = parse_moment(text, at)
    if found is None or found.since <= at or not compiled(_BARE_WEEKDAY).search(text.lower()):
        return found
    return found._replace(since=found.since - timedelta(7), until=found.until - timedelta(7))


def until(text: str, at: datetime) -> datetime | None:
    """When what `text` names is over: the end of a day, a month, a year.

    A count from now (in two weeks, 一个月后) is over when that much time has passed, though as a
    stretch of time it is the whole week or month.
    """
    found = parse_moment(text, at)
    if found is not None and found.until <= at and not compiled(_YEAR_OR_PAST).search(text.lower()):
        return shift(found.until, "year", 1)  # the end of March, said in April
    if found is None or found.grain not in ("week", "month", "quarter", "year"):
        return found and found.until
    if not compiled(r"^\s*(?:in|after|within) |from now\s*$|[后後]\s*$").search(text.lower()):
        return found.until
    midnight = at.replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None)
    since = found.since.replace(tzinfo=None)
    n = 0
    while unit_at(midnight, found.grain, n)[0] < since:
        n += 1
    return shift(at, found.grain, n)


def absolute(
    text: str, at: datetime, language: str, stays: Callable[[Moment], bool] | None = None
) -> str:
    """`text` with each relative expression replaced by the date that it means.

    What recurs stays, and what may be said of any year or day ("my birthday is March 5"), and
    what `stays` says does.
    """
    out, done = [], 0
    for moment in _scan(text, at):
        if moment.relative and not (stays and stays(moment)):
            lead, form = text[done : moment.start], format_date(moment, language)
            done = moment.end
            follows = text[moment.end : moment.end + 9]
            if (
                moment.grain == "span"
                and moment.since < at < moment.until
                and _goes_on(moment.text)
            ):
                lead, form, done = _since(lead, moment, follows, language)
            elif language != "zh" and moment.text[0].isascii():
                lead, form = _with_preposition(lead, form, moment, follows)
            out += [lead, form]
    return "".join(out) + text[done:]


def _goes_on(text: str) -> bool:
    """Whether a stretch of time is the one up to now."""
    return bool(
        compiled(r"(?i)(?:the |these )?(?:past|last|previous)\b|过去|最近|近|这").match(text)
    )


def _since(lead: str, moment: Moment, follows: str, language: str) -> tuple[str, str, int]:
    """`for the past three weeks` as `since …`: what leads up to it, the date, and its end."""
    day = _ymd(moment.since, zh=language == "zh")
    if language == "zh":
        rest = compiled(r"(?:以|之)?[来内间里中]").match(follows)
        return lead, f"{day}以来", moment.end + (rest.end() if rest else 0)
    given = compiled(r"(?i)\b(?:for|over|in|during|within) $").search(lead)
    word = "Since" if (given[0] if given else moment.text)[0].isupper() else "since"
    return lead[: given.start()] if given else lead, f"{word} {day}", moment.end


# --- Reading --------------------------------------------------------------------------------------


class _AbsentError(Exception):
    """A date that does not exist was read, up to `end`."""

    def __init__(self, end: int) -> None:
        self.end = end


_RESOLVERS: dict[str, Callable[[DatedText, RuleMatch], DatePiece | None]] = {
    "iso": iso,
    "nth": nth_day,
    "day_word": day_word,
    "relative": relative_to,
    "bare_week": bare_week,
    "month_day": month_day,
    "away": away,
    "stretch": stretch,
    "zh_calendar": zh_calendar,
    "calendar": calendar,
    "decade": decade,
    "every": every,
    "en_month": en_month,
    "en_year": en_year,
    "en_season": en_season,
    "now": right_now,
}
_TIMES: dict[str, Callable[[DatedText, RuleMatch, str], Clock | None]] = {
    "time_part": time_part,
    "time_zh": time_zh,
    "time_en": time_en,
}
_OPENERS = "从 自 from between week end start beginning middle early mid late"
_EDGE_OF = (
    r"(?:the )?(?:(end|start|beginning|middle) of (?:(?:the |this )?(week|month|quarter|year)\b)?"
    r"|(early|mid|late)[ -](?!week|month|quarter|year))"
)
_GLUE = r"(?: ?的)?[ ,]{0,2}(?:at |around |about |by |from |in the |@ ?|大概|大约|差不多|约)?"
# By what a rule begins with: (the characters that may come next, resolver, pattern)
_Table = dict[str, list[tuple[str, str, str]]]


@cache
def _grammar() -> tuple[dict[str, str], _Table, _Table]:
    """The fragments by name; by beginning the rules for dates, and those for times of day."""
    fragments: dict[str, str] = {}
    # No rule begins with an opener, but a date may.
    dates: _Table = {word: [("", "", "")] for word in _OPENERS.split()}
    times: _Table = {}
    for entry in re.split(r"\n+(?=\w)", GRAMMAR.strip()):
        head, *lines = (line.strip() for line in entry.split("\n"))
        if head[0].isupper():
            name, _, body = head.partition(" = ")
            fragments[name] = body + "".join(lines)
            continue
        name, _, begins = head.partition(": ")
        table = times if name.startswith("time") else dates
        for begin in re.sub(r"\{(\w+)\}", lambda m: BEGINNINGS[m[1]], begins).split():
            firsts, _, follow = begin.rstrip("]").partition("[")
            follow = follow.replace("#", "0123456789").replace("〇", NUM)
            for first in [firsts] if firsts.isascii() else firsts:
                table.setdefault(first, []).append((follow, name, "".join(lines)))
    return fragments, dates, times


@cache
def _pattern(source: str) -> re.Pattern[str]:
    """A pattern of the grammar with its fragments put in; compiled when it is first needed."""
    while fragment := re.search(r"\{([A-Z]+)\}", source):
        source = source.replace(fragment[0], f"(?:{_grammar()[0][fragment[1]]})")
    return re.compile(source)


@cache
def _follows() -> dict[str, str]:
    """What a date may begin with, and the characters that may come after it."""
    follows: dict[str, str] = {}
    for table in _grammar()[1:]:
        for first, rules in table.items():
            chars = "" if any(not rule[0] for rule in rules) else "".join(r[0] for r in rules)
            known = follows.get(first, chars)
            follows[first] = known + chars if known and chars else ""
    follows["〇"] = "个多来分小钟天日周星礼月季年点时号世 夜晚"
    return follows


@cache  # a class of Chinese characters takes longer to compile than all of it for English
def _token(ascii_only: bool) -> re.Pattern[str]:
    """What finds a word, a number or a character that a date may begin with."""
    if ascii_only:
        return re.compile("[a-z]+|[0-9]+")
    single = "".join(first for first in _follows() if not first.isascii() and first != "〇")
    return re.compile(f"[a-z]+|[0-9]+|[{NUM}]+|[{single}]")


def _key(token: str) -> str:
    return "#" if token[0] in "0123456789" else "〇" if token[0] in NUM else token


def _tries(said: DatedText, i: int, table: _Table) -> Iterator[tuple[str, RuleMatch]]:
    """The rules of `table` that match at i."""
    token = _token(said.text.isascii()).match(said.text, i)
    for follow, name, source in table.get(_key(token[0]), ()) if token else ():
        if not name or (follow and said.text[i + 1 : i + 2] not in follow):
            continue
        if m := _pattern(source).match(said.text, i):
            yield name, RuleMatch(i, m.end(), {k: v for k, v in m.groupdict().items() if v})


def _date_at(said: DatedText, i: int, edged: bool = False) -> tuple[DatePiece, int] | None:
    """The date that begins at i, and where it ends."""
    edge = None if edged else compiled(_EDGE_OF).match(said.text, i)
    if edge:
        unit, end = edge[2], edge.end()
        got = (whole_unit(said.today, unit), end) if unit else _date_at(said, end, edged=True)
        piece = edge_of(got[0], edge[1] or edge[3]) if got else None
        return (piece, got[1]) if got and piece else None
    week = None if edged else compiled(r"(?:the )?week of (?:the )?").match(said.text, i)
    if week:
        got = _date_at(said, week.end(), edged=True)
        if got is None or got[0].grain != "day":
            return None
        return mapped(got[0], "week", lambda since, _: unit_at(since, "week")), got[1]
    for name, hit in _tries(said, i, _grammar()[1]):
        try:
            found = _RESOLVERS[name](said, hit)
        except (ValueError, OverflowError):
            raise _AbsentError(hit.end) from None
        if found:
            return found, hit.end
    return None


def _dated(said: DatedText, i: int) -> tuple[DatePiece, int] | None:
    """A date with the weekday beside it: Monday, March 5; 2月4日(周三); Tuesday last week."""
    got = _date_at(said, i)
    if got is None or got[0].grain not in ("day", "week") or got[0].recurring:
        return got
    that = compiled(r"的?[那当][一个]?(?:周|星期|礼拜)(?![一二三四五六日天末])").match(
        said.text, got[1]
    )
    if that and got[0].grain == "day":
        return mapped(got[0], "week", lambda since, _: unit_at(since, "week")), that.end()
    glue = compiled(r"(?:'s|,)? (?:of |on )?| ?\(|[的是]|").match(said.text, got[1])
    other = _date_at(said, glue.end()) if glue else None
    if glue is None or other is None or other[0].recurring:
        return got
    (a, b), end = (got[0], other[0]), other[1]
    end += "(" in glue[0] and said.text.startswith(")", end)
    if "weekday" in (a.lean, b.lean) and "week" in (a.grain, b.grain):
        week, day = (a, b) if a.grain == "week" else (b, a)
        return DatePiece(*days_from(week.since, day.since.weekday()), "day"), end
    if a.lean == "weekday" and b.grain == "day" and b.lean != "weekday":
        return b, end
    if b.lean == "weekday" and a.lean != "weekday" and a.grain == "day":
        return (a, end) if a.again or a.since.weekday() == b.since.weekday() else got
    return got


def _clocks_at(said: DatedText, i: int, after: str) -> tuple[list[Clock], int]:
    """A part of the day, a time, or the one and then the other; `after` is the grain before it."""
    clocks: list[Clock] = []
    end = i
    while len(clocks) < 2:
        glue = compiled(_GLUE).match(said.text, end) if after else None
        for name, hit in _tries(said, glue.end() if glue else end, _grammar()[2]):
            clock = _TIMES[name](said, hit, after)
            if clock and not (clock.grain == "part" and after == "part"):
                clocks.append(clock)
                end = hit.end
                break
        else:
            break
        if clocks[-1].grain != "part":
            break
        after = "part"
    return clocks, end


def _point(said: DatedText, i: int) -> tuple[DatePiece, int] | None:
    """A date, a time of day, or both in either order."""
    got = _dated(said, i)
    if got and got[0].grain not in ("day", "part"):
        return got
    clocks, end = _clocks_at(said, got[1] if got else i, got[0].grain if got else "")
    if got is None:
        if not clocks:
            return None
        got = _day_behind(said, end)
        if got is None and clocks[0].grain == "part" and said.text[i].isascii():
            return None  # "the morning of" nothing
        got = got or (any_of(lambda k: unit_at(said.today, "day", k), "day", "this"), end)
        end = got[1]
    piece = got[0]
    for clock in clocks:
        piece = narrow(piece, clock)
    return piece, end


def _day_behind(said: DatedText, i: int) -> tuple[DatePiece, int] | None:
    """The day that follows a time: 3pm tomorrow, 9:15 on Friday."""
    glue = compiled(r",? (?:on )?").match(said.text, i)
    got = _dated(said, glue.end()) if glue else None
    return got if got and got[0].grain == "day" else None


def _second(
    said: DatedText, piece: DatePiece, i: int, between: bool
) -> tuple[DatePiece, int] | None:
    """What follows a "to" at i: another date, or the number or time that ends the first one."""
    join = compiled(r" ?[-~到至] ?| (?:to|until|till|through|thru|and) ").match(said.text, i)
    if not join or piece.recurring or ("and" in join[0] and not between):
        return None
    j, word = join.end(), join[0].strip()
    if piece.grain in ("hour", "minute"):
        clocks, end = _clocks_at(said, j, "part")
        if clocks:
            return _timed_span(said, piece, clocks, end)
    if piece.grain == "year" and (m := compiled("([0-9]{4})(?![0-9])年?").match(said.text, j)):
        return DatePiece(*months_from(int(m[1]), 1, 12), "year", True), m.end()
    m = compiled(
        r"([0-9]{1,2}|[一二三四五六七八九十廿卅]{1,3})(?:([日号])|st|nd|rd|th)?"
        rf"(?![0-9:年月点%{NUM}]|[-/.][0-9]| ?[ap]m\b)"
    ).match(said.text, j)
    # 3月1日到5日, "June 8-12"; not 今天到5号楼, "2026-02-04 - 3 items".
    dated = piece.grain == "day" and (piece.fixed or (piece.again and piece.lean != "weekday"))
    if m and dated and (m[2] or word == join[0] or word.isalpha()):
        n = number_of(m[1])
        return mapped(piece, "day", lambda since, _: day_of(since, n)), m.end()
    try:
        return _point(said, j)
    except _AbsentError:
        return None


def _timed_span(
    said: DatedText, piece: DatePiece, clocks: list[Clock], end: int
) -> tuple[DatePiece, int]:
    """A time of day to another: 下午两点到四点, 9am to 5, 9:30 to 11 on Friday."""

    def change(since: datetime, _: datetime) -> Span:
        last = DatePiece(*days_from(since.replace(hour=0, minute=0), 0), "day")
        for clock in clocks:
            last = narrow(last, clock)
        half, until = timedelta(hours=12), last.since
        if not clocks[-1].sure and until - half > since:
            return since, until - half
        return since, until if until > since else until + half

    span = mapped(piece, "span", change)
    day = _day_behind(said, end) if piece.lean == "this" and piece.again else None
    if day is None:
        return span, end
    midnight = span.since.replace(hour=0, minute=0)
    offsets = span.since - midnight, span.until - midnight
    return mapped(day[0], "span", lambda s, _: (s + offsets[0], s + offsets[1])), day[1]


def _between(said: DatedText, a: DatePiece, b: DatePiece, cue: int) -> DatePiece:
    """From a to b, where either may still be any of several."""
    if b.grain == "span" and a.grain in ("hour", "minute"):
        return settle(said, b, cue)
    if a.again and (cue == -1 or not b.again):
        b = settle(said, b, cue)
        a = a._replace(since=max(o[0] for o in occurrences(a.again, 9) if o[0] <= b.since))
    else:
        a = settle(said, a, cue)
        if b.again:
            since, until = min(o for o in occurrences(b.again, 9) if o[0] >= a.since)
            b = b._replace(since=since, until=until)
    until = b.since if b.grain in ("hour", "minute") else b.until
    return DatePiece(a.since, until, "span", a.fixed and b.fixed, False, a.again or b.again, a.lean)


def _read(said: DatedText, i: int) -> tuple[Moment | None, int]:
    """The moment that begins at i, and where reading goes on."""
    try:
        opened = compiled("from |(between )|[从自]").match(said.text, i)
        first = _point(said, opened.end() if opened else i)
        if first is None:
            return None, i
        piece, end = first
        second = _second(said, piece, end, bool(opened and opened[1]))
        if second:
            end = second[1]
        elif opened:
            return None, i
        hour = piece.lean == "this" and piece.grain in ("hour", "minute", "part")
        cue = cue_at(said, i, end, hour) if piece.again or (second and second[0].again) else 0
        if said.asked:
            if cue == 2 and piece.lean in ("weekday", "coming"):
                piece = piece._replace(recurring=True)
            # Only some words make a question about what is to come: not "remember", not "should"
            ahead = compiled(_AHEAD).search(said.text, max(0, i - 60), end + 60)
            cue = 1 if cue == 1 and ahead else -1
        piece = _between(said, piece, second[0], cue) if second else settle(said, piece, cue)
        if piece.since >= piece.until:
            return None, end
        zone = said.at.tzinfo
        since, until = piece.since.replace(tzinfo=zone), piece.until.replace(tzinfo=zone)
        told = cue in (-1, 1) or (piece.lean in ("weekday", "coming") and cue == 0)
        relative = not piece.fixed and not piece.recurring and (piece.again is None or told)
        words = said.raw[i:end]
        return Moment(words, i, end, since, until, piece.grain, piece.recurring, relative), end
    except _AbsentError as absent:
        return None, absent.end
    except (ValueError, OverflowError):
        return None, i


def _scan(text: str, at: datetime, asked: bool = False) -> Iterator[Moment]:
    charge(len(text))
    said, done = hear(text, at, asked=asked), 0
    follows = _follows()
    for token in _token(said.text.isascii()).finditer(said.text):
        start, key = token.start(), _key(token[0])
        if start < done or key not in follows:
            continue
        if follows[key] and said.text[token.end() : token.end() + 1] not in follows[key]:
            continue
        # v1.2.3, 192.168.1.1, 555-2026, $5: a number that is part of something else.
        if key == "#" and before(said, start, "[a-z0-9][-./]|[0-9]:|[a-z_$#@+]"):
            continue
        found, end = _read(said, start)
        if found:
            yield found
        done = max(done, end)


# --- Writing --------------------------------------------------------------------------------------

# By what is named: the English and the Chinese form.
_FORMS = {
    "minute": ("{day} {time}", "{day}{time}"),
    "hour": ("{day} {time}", "{day}{time}"),
    "part": ("the {part} of {day}", "{day}{part}"),
    "day": ("{day}", "{day}"),
    "week": ("the week of {day}", "{day}那一周"),
    "month": ("{month} {y}", "{y}年{month}"),
    "quarter": ("Q{quarter} {y}", "{y}年第{quarter}季度"),
    "year": ("{y}", "{y}年"),
    "season": ("{season} {y}", "{y}年{season}天"),
    "span": ("{day} to {last}", "{day}到{last}"),
    "times": ("{day} {time} to {end}", "{day}{time}到{end}"),
    "decade": ("the {y}s", "{y}年代"),
    "weekend": ("the weekend of {day}", "{day}那个周末"),
    "half": ("the {half} half of {y}", "{y}年{half}半年"),
    "third": ("{third} {month} {y}", "{y}年{month}{third}旬"),
    "end": ("the end of {month} {y}", "{y}年{month}底"),
    "edge": ("{edge} {y}", "{y}年年{edge}"),
}
_PARTS = {
    0: ("early hours", "凌晨"),
    6: ("morning", "上午"),
    11: ("midday", "中午"),
    12: ("afternoon", "下午"),
    17: ("early evening", "傍晚"),
    18: ("evening", "晚上"),
    22: ("night", "深夜"),
}
_NAMES = {
    "season": (("winter", "spring", "summer", "autumn"), "冬春夏秋"),
    "quarter": ("1234", "一二三四"),
    "half": (("first", "second"), "上下"),
    "third": (("early", "mid", "late"), "上中下"),
    "edge": (("early", "mid", "late"), "初中底"),
}


def format_date(moment: Moment, language: str) -> str:
    """The date in words that mean the same on any day: 2026-02-04, 2026年2月4日, February 2026."""
    zh, since, until = language == "zh", moment.since, moment.until
    kind = _span_kind(since, until) if moment.grain == "span" else moment.grain
    if kind == "third" and compiled(r"(?i)\bend\b|[底末尾]").search(moment.text):
        kind = "end"
    which = {
        "season": since.month // 3 % 4,
        "quarter": (since.month - 1) // 3,
        "half": since.month // 7,
        "third": (since.day - 1) // 10,
        "edge": since.month // 5,
    }.get(kind, 0)
    end = f"{until.hour:02}:{until.minute:02}"
    if kind == "times" and since.date() != until.date():
        end = f"{_ymd(until, zh)}{'' if zh else ' '}{end}"
    return _FORMS[kind][zh].format(
        y=since.year,
        month=f"{since.month}月" if zh else MONTHS.split()[since.month - 1],
        day=_ymd(since, zh),
        last=_ymd(until - timedelta(1), zh) if kind == "span" else "",
        time=f"{since.hour:02}:{since.minute:02}",
        end=end,
        part=_PARTS.get(since.hour, ("", ""))[zh],
        **({kind: _NAMES[kind][zh][which]} if kind in _NAMES else {}),
    )


def _ymd(when: datetime, zh: bool) -> str:
    return f"{when.year}年{when.month}月{when.day}日" if zh else when.date().isoformat()


def _span_kind(since: datetime, until: datetime) -> str:
    """The name a span goes by, if it has one."""
    if since.hour or since.minute or until.hour or until.minute:
        return "times"
    months = (until.year - since.year) * 12 + until.month - since.month
    if since.day == until.day == 1 and since.month == 1 and months == 120:
        return "decade"
    if since.day == until.day == 1 and since.month in (1, 7) and months == 6:
        return "half"
    if since.day == until.day == 1 and since.month in (1, 6, 11) and months == 2:
        return "edge"
    if (since.day, until.day) in ((1, 11), (11, 21), (21, 1)) and until - since < timedelta(12):
        return "third"
    return "weekend" if since.weekday() == 5 and until - since == timedelta(2) else "span"


def _with_preposition(lead: str, form: str, moment: Moment, follows: str) -> tuple[str, str]:
    """What stands before an English date and the date, with the preposition that it takes."""
    if compiled(
        r"(?i)\b(?:by|since|until|till|from|to|before|after|during|through|of|for|over) $"
    ).search(lead[-9:]):
        return lead, form
    word = {"minute": "at", "hour": "at", "day": "on", "part": "on"}.get(moment.grain, "in")
    if moment.grain == "span":
        word = "on" if "weekend" in form else "from" if " to " in form else "in"
        word = "at" if form.startswith("the end") else word
    first = moment.text
    if first.endswith("ago"):  # a month is no more precise than "about"
        lead = compiled(r"(?i)\b(?:about|around|roughly|approximately|nearly|almost) $").sub(
            "", lead
        )
    if given := compiled(r"(?i)\b(?:on|in|at) $").search(lead[-4:]):
        lead, first = lead[: len(lead) - len(given[0])], given[0]
    elif compiled(r"['’]s|\s(?:is|was|are|were)\b").match(follows):
        return lead, form
    opens = first[0].isupper() and not compiled(r"\w[,;:]? ?$").search(lead)
    return lead, f"{word.capitalize() if opens else word} {form}"
