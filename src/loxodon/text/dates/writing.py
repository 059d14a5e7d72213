"""Writes dates in words that mean the same on any day."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from loxodon.text.dates.reading import Moment, find_moments
from loxodon.text.dates.table import MONTHS, compiled

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


def absolute(
    text: str, at: datetime, language: str, stays: Callable[[Moment], bool] | None = None
) -> str:
    """`text` with each relative expression replaced by the date that it means.

    What recurs stays, and what may be said of any year or day ("my birthday is March 5"), and
    what `stays` says does.
    """
    out, done = [], 0
    for moment in find_moments(text, at):
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
