"""Finds dates in a text and tells which moments they mean.

A text is read from left to right. Each word or character that can begin a date is tried against
the few rules that begin so; a date takes the part of the day and the time that follow it (明天 +
下午 + 三点), and two dates joined by "to" make a span. Nothing that has been read is read again, so
the work grows with the length of the text and no faster.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import NamedTuple

from loxodon.text.dates import reckoning as cal
from loxodon.text.dates.reckoning import Clock, DatedText, DatePiece, Grain, Span
from loxodon.text.dates.rules import DATE_RULES, TIME_RULES, Words, before, believed, cue_at
from loxodon.text.dates.table import DATES, SECOND, TIMES, Rule, compiled, key_of, token


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


def find_moments(text: str, at: datetime, *, asked: bool = False) -> list[Moment]:
    """Every moment that `text`, said at `at`, names, in order.

    With `asked`, words that leave open which one they mean (in March) are the latest before `at`.
    """
    said, done = cal.hear(text, at, asked=asked), 0
    found = []
    for match in token(said.text.isascii()).finditer(said.text):
        start, end, key = *match.span(), key_of(match[0])
        if start < done or key not in SECOND:
            continue
        if SECOND[key] and said.text[end : end + 1] not in SECOND[key]:
            continue
        # v1.2.3, 192.168.1.1, 555-2026, $5: a number that is part of something else.
        if key == "#" and before(said, start, "[a-z0-9][-./]|[0-9]:|[a-z_$#@+]"):
            continue
        moment, end = _read(said, start)
        found += [moment] if moment else []
        done = max(done, end)
    return found


def parse_moment(text: str, at: datetime, *, asked: bool = False) -> Moment | None:
    """The moment that the whole of `text` names; None where it names none, or says more."""
    said = cal.hear(text, at, whole=True, asked=asked)
    start, end = len(text) - len(text.lstrip()), len(text.rstrip())
    lead = compiled(r"(?:on|in|at|during) |[在于]").match(said.text, start)
    for i in (start, lead.end()) if lead else (start,):
        found, reached = _read(said, i)
        if found and reached == end:
            return found
    return None


def until(text: str, at: datetime) -> datetime | None:
    """When what `text` names is over: the end of a day, a month, a year."""
    found = parse_moment(text, at)
    named = r"[0-9]{4}|年|last|ago|yesterday|past|previous|[昨前上去]"
    if found and found.until <= at and not compiled(named).search(text.lower()):
        return cal.shift(found.until, "year", 1)  # the end of March, said in April
    return found.until if found else None


# --- Dates and times ------------------------------------------------------------------------------


class _AbsentError(Exception):
    """A date that does not exist was read, up to `end`."""

    def __init__(self, end: int) -> None:
        self.end = end


def _matches(
    said: DatedText, i: int, table: dict[str, list[Rule]]
) -> Iterator[tuple[str, int, Words]]:
    """The rules of `table` that match at i: their name, where the match ends, and its words."""
    first = token(said.text.isascii()).match(said.text, i)
    for rule in table.get(key_of(first[0]), ()) if first else ():
        if rule.follow and said.text[i + 1 : i + 2] not in rule.follow:
            continue
        if m := compiled(rule.pattern).match(said.text, i):
            yield rule.name, m.end(), {k: v for k, v in m.groupdict().items() if v}


def _date_at(said: DatedText, i: int, edged: bool = False) -> tuple[DatePiece, int] | None:
    """The date that begins at i, and where it ends."""
    if not edged and (edge := compiled("{EDGEOF}").match(said.text, i)):
        unit, end = edge[2], edge.end()
        got = (cal.whole_unit(said.today, unit), end) if unit else _date_at(said, end, edged=True)
        piece = cal.edge_of(got[0], edge[1] or edge[3]) if got else None
        return (piece, got[1]) if got and piece else None
    if not edged and (week := compiled(r"(?:the )?week of (?:the )?").match(said.text, i)):
        got = _date_at(said, week.end(), edged=True)
        return (_week_around(got[0]), got[1]) if got and got[0].grain == "day" else None
    for name, end, words in _matches(said, i, DATES):
        try:
            if believed(said, name, i, end, words) and (found := DATE_RULES[name](said, words)):
                return found, end
        except (ValueError, OverflowError):
            raise _AbsentError(end) from None
    return None


def _week_around(piece: DatePiece) -> DatePiece:
    return cal.mapped(piece, "week", lambda since, _: cal.unit_at(since, "week"))


def _dated(said: DatedText, i: int) -> tuple[DatePiece, int] | None:
    """A date with the weekday beside it: Monday, March 5; 2月4日(周三); Tuesday last week."""
    got = _date_at(said, i)
    if got is None or got[0].grain != "day" or got[0].recurring:
        return got
    if that := compiled(r"的?[那当][一个]?{WEEK}(?![一二三四五六日天末])").match(said.text, got[1]):
        return _week_around(got[0]), that.end()
    if got[0].lean != "weekday":
        weekday = compiled("{BESIDE}").match(said.text, got[1])
        return got[0], weekday.end() if weekday else got[1]
    glues = (compiled(f"(?:'s|,)? ?(?:of )?{the}").match(said.text, got[1]) for the in ("", "the "))
    other = next((other for glue in glues if glue and (other := _date_at(said, glue.end()))), None)
    if other and other[0].grain == "week" and not other[0].recurring:
        return DatePiece(*cal.days_from(other[0].since, got[0].since.weekday()), "day"), other[1]
    if not other or other[0].grain != "day" or other[0].lean == "weekday":
        return got
    again, day = other[0].again, got[0].since.weekday()
    of_year = other[0].lean == "near"  # or of a month that is not named
    spans = cal.occurrences(again, 3 if of_year else 1) if again else []
    near = sorted((abs(s - said.today), s, u) for s, u in spans if s.weekday() == day)
    kept = other if of_year or not again else got
    return (DatePiece(*near[0][1:], "day"), other[1]) if near else kept


def _clocks_at(said: DatedText, i: int, after: str) -> tuple[list[Clock], int]:
    """A part of the day, a time, or the one and then the other; `after` is the grain before it."""
    clocks: list[Clock] = []
    end = i
    while len(clocks) < 2:
        glue = compiled("{GLUE}").match(said.text, end) if after else None
        start = glue.end() if glue else end
        for name, stop, words in _matches(said, start, TIMES):
            clock = TIME_RULES[name](said, start, stop, words, after)
            if clock and not (clock.grain == "part" and after == "part"):
                clocks.append(clock)
                end = stop
                break
        else:
            break
        if clocks[-1].grain != "part":
            break
        after = "part"
    return clocks, end


def _point(said: DatedText, i: int, between: bool = False) -> tuple[DatePiece, int] | None:
    """A date, a time of day or two, or both in either order: 明天下午三点, 9:30 to 11 on Friday."""
    got = _dated(said, i)
    clocks: list[Clock] = []
    ends: list[Clock] = []
    grain, end = (got[0].grain, got[1]) if got else ("", i)
    if grain in ("", "day", "part"):
        clocks, end = _clocks_at(said, end, grain)
        grain = clocks[-1].grain if clocks else grain
    if got is None and not clocks:
        return None
    join = compiled("{JOIN}").match(said.text, end) if grain in ("hour", "minute") else None
    if join and ("and" not in join[0] or between):
        ends, stop = _clocks_at(said, join.end(), "part")
        end = stop if ends else end
    if got is None:
        glue = compiled(r",? (?:on )?").match(said.text, end)
        got = _dated(said, glue.end()) if glue else None
        if got and got[0].grain == "day":  # 3pm tomorrow
            end = got[1]
        elif clocks[0].grain == "part" and said.text[i].isascii():
            return None  # "the morning of" nothing
        else:
            got = cal.any_of(lambda k: cal.unit_at(said.today, "day", k), "day", "this"), end
    piece = got[0]
    for clock in clocks:
        piece = cal.narrow(piece, clock)
    return (_lasting(piece, ends) if ends else piece), end


def _lasting(piece: DatePiece, clocks: list[Clock]) -> DatePiece:
    """From a time of day to another: 下午两点到四点, 9am to 5."""

    def change(since: datetime, _: datetime) -> Span:
        last = DatePiece(*cal.days_from(since.replace(hour=0, minute=0)), "day")
        for clock in clocks:
            last = cal.narrow(last, clock)
        half, until = timedelta(hours=12), last.since
        if not clocks[-1].sure and until - half > since:
            return since, until - half
        return since, until if until > since else until + half

    return cal.mapped(piece, "span", change)


# --- Which one is meant ---------------------------------------------------------------------------


def _second(
    said: DatedText, piece: DatePiece, i: int, between: bool
) -> tuple[DatePiece, int] | None:
    """What follows a "to" at i: another date, or the number that ends the first one."""
    join = compiled("{JOIN}").match(said.text, i)
    if not join or piece.recurring or ("and" in join[0] and not between):
        return None
    j, word = join.end(), join[0].strip()
    if piece.grain == "year" and (m := compiled("([0-9]{4})(?![0-9])年?").match(said.text, j)):
        return DatePiece(*cal.months_from(int(m[1]), 1, 12), "year", True), m.end()
    m = compiled("{LASTDAY}").match(said.text, j)
    # 3月1日到5日, "June 8-12"; not 今天到5号楼, "2026-02-04 - 3 items".
    dated = piece.grain == "day" and (piece.fixed or (piece.again and piece.lean != "weekday"))
    if m and dated and (m[2] or word == join[0] or word.isalpha()):
        n = cal.number_of(m[1])
        last = cal.mapped(piece, "day", lambda since, _: cal.days_from(since.replace(day=n)))
        return last, m.end()
    try:
        return _point(said, j)
    except _AbsentError:
        return None


def _settle(said: DatedText, piece: DatePiece, cue: int) -> DatePiece:
    """The piece as the one of its occurrences that is meant: back for cue -1, ahead for 1."""
    if piece.again is None:
        return piece
    options, past, ahead = [], [], []
    for reach in (1, 9):
        options = cal.occurrences(piece.again, reach)
        if piece.lean == "weekday" and not (said.whole and said.asked):  # who means today says so
            options = [o for o in options if not said.today <= o[0] < said.today + timedelta(1)]
        past = [o for o in options if o[0] <= said.now]
        ahead = [o for o in options if o[1] > said.now]
        if past and ahead:
            break
    lean = "coming" if cue == 1 or piece.recurring else "recent" if cue == -1 else piece.lean
    if lean in ("coming", "weekday"):
        span = (ahead or options[-1:])[0]
        lately = [one for one in past if said.today - one[0] < timedelta(26)]
        if lately and piece.grain == "day" and span[0] - said.today > timedelta(339):
            span = lately[-1]  # a day of last week is not the one in a year
    elif lean == "recent":
        span = (past or options[:1])[-1]
    elif lean == "near":
        span = min(options, key=lambda o: abs(o[0] - said.today))
    else:
        span = piece.since, piece.until
    return piece._replace(since=span[0], until=span[1])


def _between(said: DatedText, a: DatePiece, b: DatePiece, cue: int) -> DatePiece:
    """From a to b, where either may still be any of several."""
    if a.again and (cue == -1 or not b.again):
        b = _settle(said, b, cue)
        a = a._replace(since=max(o[0] for o in cal.occurrences(a.again, 9) if o[0] <= b.since))
    else:
        a = _settle(said, a, cue)
        if b.again:
            since, until = min(o for o in cal.occurrences(b.again, 9) if o[0] >= a.since)
            b = b._replace(since=since, until=until)
    until = b.since if b.grain in ("hour", "minute") else b.until
    return DatePiece(a.since, until, "span", a.fixed and b.fixed, False, a.again or b.again, a.lean)


def _read(said: DatedText, i: int) -> tuple[Moment | None, int]:
    """The moment that begins at i, and where reading goes on."""
    try:
        opened = compiled("from |(between )|[从自]").match(said.text, i)
        between = bool(opened and opened[1])
        first = _point(said, opened.end() if opened else i, between)
        if first is None:
            return None, i
        piece, end = first
        timed = piece.grain == "span" and compiled("{JOIN}").search(said.text, i, end)
        second = None if timed else _second(said, piece, end, between)
        if second:
            end = second[1]
        elif opened and not timed:
            return None, i
        hour = piece.lean == "this" and piece.grain in ("hour", "minute", "part")
        cue = cue_at(said, i, end, hour) if piece.again or (second and second[0].again) else 0
        if said.asked:
            if cue == 2 and piece.lean in ("weekday", "coming"):
                piece = piece._replace(recurring=True)
            # Only some words make a question about what is to come: not "remember", not "should"
            ahead = compiled("{PLAN}|{PLANZH}").search(said.text, max(0, i - 60), end + 60)
            cue = 1 if cue == 1 and ahead else -1
        elif cue == -1 and piece.lean == "this" and said.text[end - 1] in "底末尾":
            cue = 1  # 月底就到期了: this month's, whatever has changed
        piece = _between(said, piece, second[0], cue) if second else _settle(said, piece, cue)
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
