"""Writes dates in words that mean the same on any day."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from loxodon.text.dates.reading import Moment, find_moments
from loxodon.text.dates.table import MONTH, compiled

_MONTHS = {n: name.capitalize() for name, n in reversed(MONTH.items())}  # the first is in full
# By the hour at which it begins
_PARTS = {0: "early hours", 6: "morning", 11: "midday", 12: "afternoon"}
_PARTS |= {17: "early evening", 18: "evening", 22: "night"}
_PARTS_ZH = dict(zip(_PARTS, ("凌晨", "上午", "中午", "下午", "傍晚", "晚上", "深夜"), strict=True))
_SEASONS = ("winter", "spring", "summer", "autumn")
_THIRDS = ("early", "mid", "late")


def format_date(moment: Moment, language: str) -> str:
    """The date in words that mean the same on any day: 2026-02-04, 2026年2月4日, February 2026."""
    zh, since, until = language == "zh", moment.since, moment.until
    kind = _span_kind(since, until) if moment.grain == "span" else moment.grain
    if kind == "third" and compiled(r"(?i)\bend\b|[底末尾]").search(moment.text):
        kind = "end"
    y, m, hour, day, time = since.year, since.month, since.hour, _ymd(since, zh), f"{since:%H:%M}"
    month = f"{y}年{m}月" if zh else f"{_MONTHS[m]} {y}"
    quarter, third = (m - 1) // 3, (since.day - 1) // 10
    last = _ymd(until, zh) if kind == "times" else _ymd(until - timedelta(1), zh)
    end = f"{until:%H:%M}"
    if since.date() != until.date():
        end = f"{last}{'' if zh else ' '}{end}"
    forms = {
        "minute": (f"{day} {time}", f"{day}{time}"),
        "hour": (f"{day} {time}", f"{day}{time}"),
        "part": (f"the {_PARTS.get(hour)} of {day}", f"{day}{_PARTS_ZH.get(hour)}"),
        "day": (day, day),
        "week": (f"the week of {day}", f"{day}那一周"),
        "month": (month, month),
        "quarter": (f"Q{quarter + 1} {y}", f"{y}年第{'一二三四'[quarter]}季度"),
        "season": (f"{_SEASONS[m // 3 % 4]} {y}", f"{y}年{'冬春夏秋'[m // 3 % 4]}天"),
        "year": (f"{y}", f"{y}年"),
        "span": (f"{day} to {last}", f"{day}到{last}"),
        "times": (f"{day} {time} to {end}", f"{day}{time}到{end}"),
        "weekend": (f"the weekend of {day}", f"{day}那个周末"),
        "half": (f"the {('first', 'second')[m // 7]} half of {y}", f"{y}年{'上下'[m // 7]}半年"),
        "third": (f"{_THIRDS[third % 3]} {month}", f"{month}{'上中下'[third % 3]}旬"),
        "end": (f"the end of {month}", f"{month}底"),
        "edge": (f"{_THIRDS[m // 5]} {y}", f"{y}年年{'初中底'[m // 5]}"),
    }
    return forms[kind][zh]


def _ymd(when: datetime, zh: bool) -> str:
    return f"{when.year}年{when.month}月{when.day}日" if zh else when.date().isoformat()


def _span_kind(since: datetime, until: datetime) -> str:
    """The name a span goes by, if it has one."""
    if since.hour or since.minute or until.hour or until.minute:
        return "times"
    months = (until.year - since.year) * 12 + until.month - since.month
    if since.day == until.day == 1 and (months, since.month) in ((6, 1), (6, 7)):
        return "half"
    if since.day == until.day == 1 and (months, since.month) in ((2, 1), (2, 6), (2, 11)):
        return "edge"
    if (since.day, until.day) in ((1, 11), (11, 21), (21, 1)) and until - since < timedelta(12):
        return "third"
    return "weekend" if since.weekday() == 5 and until - since == timedelta(2) else "span"


def absolute(
    text: str, at: datetime, language: str, stays: Callable[[Moment], bool] | None = None
) -> str:
    """`text` with each relative expression replaced by the date that it means."""
    out, done = [], 0
    up_to_now = compiled(r"(?i)(?:the |these )?(?:past|last|previous)\b|过去|最近|近|这")
    for moment in find_moments(text, at):
        if not moment.relative or (stays and stays(moment)):
            continue
        lead, form = text[done : moment.start], format_date(moment, language)
        follows = text[moment.end : moment.end + 9]
        done = moment.end
        inside = moment.grain == "span" and moment.since < at < moment.until
        if inside and up_to_now.match(moment.text):
            lead, form, done = _since(lead, moment, follows, language)
        elif language != "zh" and moment.text[0].isascii():
            lead, form = _with_preposition(lead, form, moment, follows)
        out += [lead, form]
    return "".join(out) + text[done:]


def _since(lead: str, moment: Moment, follows: str, language: str) -> tuple[str, str, int]:
    """`for the past three weeks` as `since …`: what leads up to it, the date, and its end."""
    day = _ymd(moment.since, zh=language == "zh")
    if language == "zh":
        rest = compiled(r"(?:以|之)?[来内间里中]").match(follows)
        return lead, f"{day}以来", moment.end + (rest.end() if rest else 0)
    given = compiled(r"(?i)\b(?:for|over|in|during|within) $").search(lead)
    word = "Since" if (given[0] if given else moment.text)[0].isupper() else "since"
    return lead[: given.start()] if given else lead, f"{word} {day}", moment.end


def _with_preposition(lead: str, form: str, moment: Moment, follows: str) -> tuple[str, str]:
    """What stands before an English date and the date, with the preposition that it takes."""
    if compiled("(?i)(?:{LEADS}) $").search(lead[-9:]):
        return lead, form
    word = {"minute": "at", "hour": "at", "day": "on", "part": "on"}.get(moment.grain, "in")
    if moment.grain == "span":
        word = "on" if "weekend" in form else "from" if " to " in form else "in"
        word = "at" if form.startswith("the end") else word
    first = moment.text
    if first.endswith("ago"):  # a month is no more precise than "about"
        about = r"(?i)\b(?:about|around|roughly|approximately|nearly|almost) $"
        lead = compiled(about).sub("", lead)
    if given := compiled(r"(?i)\b(?:on|in|at) $").search(lead[-4:]):
        lead, first = lead[: len(lead) - len(given[0])], given[0]
    elif compiled(r"['’]s|\s(?:is|was|are|were)\b").match(follows):
        return lead, form
    opens = first[0].isupper() and not compiled(r"\w[,;:]? ?$").search(lead)
    return lead, f"{word.capitalize() if opens else word} {form}"
