"""Dates and times as people and programs write them in notes and chat logs."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from typing import NamedTuple

from loxodon.clock import in_zone, parse_instant
from loxodon.errors import InputError
from loxodon.journal.lines import shown, stem_of

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# 10**11 seconds is the year 5138 and 10**11 milliseconds is 1973: the size tells the unit.
_EPOCH_UNITS = (10**11, 1), (10**14, 10**3), (10**17, 10**6), (10**20, 10**9)
_LAST_YEAR = 2200  # a count that leads beyond it counts something else
_EPOCH_TEXT = re.compile(r"(?:\d{9,10}|\d{13}|\d{16})(?:\.\d*)?", re.ASCII)

_WEEKDAY = (
    r"(?:[（(]?(?:星期|周|週|礼拜)[一二三四五六日天][)）]?"
    r"|\(?(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?\)?)"
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = rf"({'|'.join(_MONTHS)})[a-z]{{0,6}}\.?"
_DAY = re.compile(
    rf"(?<!\d)(?:{_WEEKDAY}[,，]?[ \t]{{0,2}})?"
    r"(?:(\d{4})\s?[-/.年]\s?(\d{1,2})\s?[-/.月]\s?(\d{1,2})(?:\s?日)?"
    r"|(\d{1,2})([-/.])(\d{1,2})\5(\d{4}|\d{2})"
    rf"|{_MONTH} (\d{{1,2}})(?:st|nd|rd|th)?,? (\d{{4}})"
    rf"|(\d{{1,2}})(?:st|nd|rd|th)? {_MONTH},? (\d{{4}}))(?!\d)"
    rf"(?:[,，]?[ \t]{{0,2}}{_WEEKDAY})?",
    re.IGNORECASE,
)
_CLOCK = re.compile(
    r"(上午|下午|凌晨|清晨|早上|早晨|中午|傍晚|晚上|夜里)?\s?"
    r"(\d{1,2})(?:[:：](\d{2})(?:[:：](\d{2})(?:[.,]\d{1,9})?)?(?!\d)"
    # 3点 alone is a time only where it ends: 3点建议 is three suggestions.
    r"|\s?[点點时時](?:(\d{1,2})分?|(半)|[整钟鐘]|(?=$|[\s\-–—:：，,、)）\]~～至到]))"
    r"|(?=\s?[ap]\.?m\b))"
    r"(?:\s?([ap])\.?m(?![a-z])\.?)?"
    r"(?:\s?(Z|UTC|GMT)(?![\w])|\s?((?:UTC|GMT)?([+-])(\d{1,2})(?::?(\d{2}))?)(?![\w:]))?",
    re.IGNORECASE,
)


class Day(NamedTuple):
    """A date as written; in `04/02/2026` nothing says which of the two is the month."""

    year: int
    month: int
    day: int
    ambiguous: bool
    text: str

    def resolve(self, *, month_first: bool = False) -> date:
        swap = self.ambiguous and month_first
        month, day = (self.day, self.month) if swap else (self.month, self.day)
        try:
            # The first and the last year leave no room for a change of time zone.
            return date(self.year if 1 < self.year < 9999 else 0, month, day)
        except ValueError:
            raise InputError(
                "the date {date} does not exist",
                hint="correct it, or write it as 2026-02-04",
                date=self.text.strip(),
            ) from None


MIDNIGHT = time()


def match_day(text: str, start: int = 0, *, anywhere: bool = False) -> tuple[Day, int] | None:
    """The date that begins at `start`, or later with `anywhere`, and where it ends."""
    found = _DAY.search(text, start) if anywhere else _DAY.match(text, start)
    if found is None:
        return None
    year, month, day, first, _, second, late, name, d, y, of, named, in_ = found.groups()
    if year:
        parts = int(year), int(month), int(day)
    elif late:
        parts = int(late) + (2000 if len(late) == 2 else 0), int(second), int(first)
    else:
        parts = int(in_ or y), _MONTHS.index((name or named).lower()) + 1, int(of or d)
    return Day(*parts, bool(late), found[0]), found.end()


def day_at_start(text: str) -> date | None:
    """The day that a text begins with, where there is such a day and it is clear which."""
    found = match_day(text.lstrip("([（*_ \"'"))
    try:
        return found[0].resolve() if found and not found[0].ambiguous else None
    except InputError:
        return None


def day_in_name(name: str) -> date | None:
    return day_at_start(stem_of(name).replace("_", "-"))


def match_clock(text: str, start: int = 0) -> tuple[time, int] | None:
    """The time of day that begins at `start`, and where it ends; None for 25:61 too."""
    found = _CLOCK.match(text, start)
    if not found:
        return None
    part, hour_text, minute, second, minutes, half, letter, utc, offset, sign, east, rest = (
        found.groups()
    )
    hour, end = int(hour_text), found.end()
    if letter and hour > 12:
        return None
    if letter in ("p", "P") or part in ("下午", "傍晚", "晚上", "夜里"):
        hour += 12 if hour < 12 else 0
    elif part == "中午":
        hour += 12 if hour < 4 else 0
    elif (letter or part) and hour == 12:
        hour = 0
    zone: tzinfo | None = UTC if utc else None
    if offset and offset[0] == sign and not second:
        end = found.start(9)  # 10:30-11:00 is half an hour; only 10:30:00-11:00 has an offset
    elif offset and int(east) < 24:
        ahead = timedelta(hours=int(east), minutes=int(rest or 0) % 60)
        zone = timezone(-ahead if sign == "-" else ahead)
    try:
        minutes = 30 if half else int(minute or minutes or 0)
        return time(hour, minutes, int(second or 0), tzinfo=zone), end
    except ValueError:
        return None


def moment(day: date, clock: time, zone: tzinfo | None) -> datetime:
    """That time of that day: in its own zone where it names one, else in `zone`."""
    found = datetime.combine(day, clock)
    return found if found.tzinfo else in_zone(found, zone)


def to_zone(moment: datetime, zone: tzinfo | None) -> datetime:
    try:
        return moment.astimezone(zone)
    except (OverflowError, OSError, ValueError):  # years the C library cannot place
        return moment


def read_instant(value: object, zone: tzinfo | None) -> datetime:
    """The moment that a field names: ISO 8601, or a count since 1970. Raises InputError."""
    found: datetime | None = None
    # A count before ISO 8601, which reads the thirteen digits of a millisecond count as a date too.
    if isinstance(value, str):
        is_count = _EPOCH_TEXT.fullmatch(value.strip())
        found = _from_epoch(float(value), zone) if is_count else parse_instant(value, zone)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        found = _from_epoch(value, zone)
    elif isinstance(value, datetime):  # handed in by a program, not read from a file
        found = value if value.tzinfo is not None else in_zone(value, zone)
    if found is None or not 1 < found.year < 9999:
        raise InputError(
            "{value} is not a valid message time",
            hint="write it as 2026-02-04T10:30:00+08:00, or as seconds since 1970",
            value=shown(value),
        )
    return found


def _from_epoch(number: float, zone: tzinfo | None) -> datetime | None:
    units = next((units for most, units in _EPOCH_UNITS if abs(number) < most), None)
    if units is None or number / units < -6e10:  # NaN too, and what was before the calendar
        return None
    found = to_zone(_EPOCH + timedelta(microseconds=round(number * 10**6 / units)), zone)
    return found if found.year < _LAST_YEAR else None
