"""What the rules of the tables make of the words that they matched.

A resolver raises ValueError for a date that does not exist: then nothing of it counts. It gives
None where the words name no date, and `believed` tells where those around speak against one: then
other rules may try.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from loxodon.text.dates import reckoning as cal
from loxodon.text.dates import table
from loxodon.text.dates.reckoning import Clock, DatedText, DatePiece, Grain, Lean
from loxodon.text.dates.table import compiled

Words = dict[str, str]  # What the groups of a rule matched, without those that did not

# --- Context --------------------------------------------------------------------------------------

_CUES = (
    "(?P<got>{GOT})|(?P<past>{PASTZH}|{PAST})|(?P<ahead>{AHEADZH}|{AHEAD})"
    "|(?P<habit>{HABITZH}|{HABIT})|(?P<due>{DUEZH}|{DUE})"
)


def before(said: DatedText, i: int, pattern: str) -> bool:
    """Whether `pattern` stands right before position i."""
    return compiled(f"(?:{pattern})$").search(said.text[max(0, i - 24) : i]) is not None


def _is_behind(said: DatedText, i: int) -> bool:
    """Whether a preposition before i asks for a date, or a weekday is beside it."""
    return said.whole or before(said, i, "{BEHIND}|(?:{WDAY}),? ")


def _counts(said: DatedText, end: int) -> bool:
    follows = compiled("{COUNTED}").match(said.text, end)
    return follows is not None and not said.raw[follows.end() - 1].isupper()


def cue_at(said: DatedText, start: int, end: int, hour: bool = False) -> int:
    """-1 where the nearest verb of the sentence looks back, 1 ahead, 2 for a habit, 0 for none."""
    text, low = said.text, max(0, start - 160)  # "met X, an old colleague from …, on May 3"
    if compiled("(?:{MOVED}|{MOVEDZH})$").search(text, max(0, start - 60), start):
        return 1
    if compiled(r"\bsince (?:the )?$").search(text, max(0, start - 10), start):
        reason = r"(?:'s| (?:is|was|isn't|wasn't|will|has|works|suits))\b"  # since Monday is free
        if not compiled(reason).match(text, end):
            return -1
    if text[start - 1 : start] in ("从", "自"):
        if compiled("{SINCEZH}").match(text, end):
            return -1
    elif not hour and compiled("{STARTZH}").match(text, end):
        return 1
    left = max(text.rfind(mark, low, start) for mark in ".!?。;\n") + 1
    stop = compiled(r"[!?。;\n]|\. ").search(text, end, end + 60)
    nearest, cue, appointed = 999, 0, 0
    for m in compiled(_CUES).finditer(text, max(left, low), stop.start() if stop else end + 60):
        if m.lastgroup == "habit":
            return 2
        gap = text[end : m.start()] if m.start() >= end else text[m.end() : start]
        distance = len(gap) + 30 * ("," in gap)  # a verb of the same clause first
        if m.lastgroup == "due":
            appointed = 1
        elif not start < m.end() <= end and distance < nearest:
            nearest, cue = distance, -1 if m.lastgroup == "past" else 1
    return cue or (0 if hour else appointed)


def believed(said: DatedText, rule: str, start: int, end: int, words: Words) -> bool:
    """Whether what stands around the words lets them be a date."""
    if not words and rule == "calendar":
        return False
    if rule == "iso":
        return not before(said, start, r"(?:version|ver|release|build|版本号?|\bv)[.:是]? ?")
    if rule == "away":  # "I learnt it in two weeks" and 三天内做完了 are lengths of time
        length = words.get("lead", words.get("way")) in ("in", "within", "内")
        return not length or cue_at(said, start, end) != -1
    if rule in ("year", "the_day"):
        return _is_behind(said, start) and not _counts(said, end)
    if rule == "relative":
        name, which = words.get("name") or words.get("weekday") or "", words["which"]
        ambiguous = ["sun", "sat", "mon", "wed"]
        ambiguous += ["may", "march", "mar", "fall"] if which == "this" else []
        if name in ambiguous and not said.whole and not said.raw[end - len(name)].isupper():
            return False  # "this may be", "next sat down"
        # "she is coming Thursday"
        return which != "coming" or not before(said, start, r"(?:\b(?:is|are|was|be)|'s|'re|'m) ")
    if rule == "weekday":
        return _weekday_believed(said, start, end, words["weekday"])
    if rule == "month":
        return _month_believed(said, start, words)
    if rule == "calendar" and "season" in words and "year" not in words and not said.whole:
        # a 春天 without a year or a verb is any spring
        told = not words["season"].isascii() or before(said, start, r"\b(?:in|over|during) ")
        return told and cue_at(said, start, end) in (-1, 1)
    return True


def _weekday_believed(said: DatedText, start: int, end: int, day: str) -> bool:
    if not day.isascii():
        # Nothing tells whether what holds from a weekday on has begun: 从周五起在三班
        begins = before(said, start, "[从自]") and compiled("起|开始").match(said.text, end)
        return not begins or said.asked or cue_at(said, start, end) != 0
    noun = r" (?!(?:after|before|morning|afternoon|evening|night|of|we|i)\b)[a-z]+"
    if day.endswith("day") and before(said, start, r"\bthe "):
        return not compiled(noun).match(said.text, end)  # "the Sunday mass"
    if day.endswith(("day", "weekend")) or said.whole:
        return True
    # "sun" and "sat" must look like a day
    follows = compiled(r"\.?,? (?:[0-9a]|morning|afternoon|evening|night)").match(said.text, end)
    proper = follows is not None and said.raw[start].isupper()
    return proper or before(said, start, r"\b(?:on|by|until|till|from|to|since) ")


def _month_believed(said: DatedText, start: int, words: Words) -> bool:
    """A bare month needs words before it that ask for one, if it may be a verb or a name."""
    name, day = words["month"], "day" in words
    i = said.text.index(name, start)
    nth = compiled("[0-9]{TH}").search(said.text, start, i)
    verb = name in ("may", "march", "mar") and not (nth or said.whole or said.raw[i].isupper())
    person = name in ("may", "march", "april", "june", "august") or len(name) < 4
    if "year" not in words and not _is_behind(said, start) and (verb or (person and not day)):
        return False
    return not (verb and not day and before(said, i, r"\b(?:to|on|through) "))


# --- Dates ----------------------------------------------------------------------------------------


def _in_year(words: Words) -> tuple[int, int, Grain] | None:
    """(first month, months, grain) of the part of a year that the words name."""
    if "month" in words:
        return table.MONTH.get(words["month"][:3]) or cal.number_of(words["month"]), 1, "month"
    if "season" in words:
        return table.SEASON[words["season"]], 3, "season"
    for name, length in (("quarter", 3), ("half", 6)):
        if name in words:
            n = table.ORDINAL.get(words[name]) or cal.number_of(words[name])
            return length * n - length + 1, length, "quarter" if length == 3 else "span"
    return None


def _resolve(said: DatedText, words: Words, recurring: bool = False) -> DatePiece | None:
    """A day, week, month or year (last, this, next or any), and what the words name inside it."""
    year, which = words.get("year", ""), words.get("which") or words.get("part", "")
    inside, weekday = _in_year(words), words.get("weekday", "")
    recurring = recurring or which in ("every", "each")
    unit = table.UNIT.get(words.get("unit", ""), words.get("unit", ""))
    if inside or year or "end" in words:
        unit = "year"
    elif not unit:
        unit = "week" if weekday else "month" if words.keys() & {"day", "edge"} else "day"
    if year:
        if not (found := _year(said, words)):
            return None
        piece = found
    elif which and not recurring:
        piece = cal.whole_unit(said.today, unit, table.OFFSET.get(which, 0))
    else:
        lean: Lean = "weekday" if weekday else "this"
        if recurring or weekday in ("末", "weekend"):
            lean = "coming"
        elif inside and inside[2] != "span":
            lean = "near" if "day" in words else "recent"
        grain = cal.whole_unit(said.today, unit).grain
        piece = cal.any_of(lambda k: cal.unit_at(said.today, unit, k), grain, lean, recurring)
    if inside:
        first, length, grain = inside
        piece = cal.mapped(piece, grain, lambda s, _: cal.months_from(s.year, first, length))
    if weekday.startswith(("末", "weekend")):
        piece = cal.mapped(piece, "span", lambda s, _: cal.days_from(s, 5, 2))
    elif weekday:
        n = table.WEEKDAY[weekday[:3]]
        piece = cal.mapped(piece, "day", lambda s, _: cal.days_from(s, n))
    if "day" in words:
        day = cal.number_of(words["day"])
        piece = cal.mapped(piece, "day", lambda s, _: cal.days_from(s.replace(day=day)))
    if "part" in words:
        return cal.narrow(piece, part_of_day(words["part"]))
    edge = words.get("edge", "")[:1] or words.get("end", "")[-1:]
    return cal.edge_of(piece, edge) if edge else piece


def _year(said: DatedText, words: Words) -> DatePiece | None:
    """The year of "2024", 二〇二四年, 98年, 去年, "last year"."""
    word = words["year"].removesuffix(" year").rstrip("年 ")
    if word in table.OFFSET:
        return cal.whole_unit(said.today, "year", table.OFFSET[word])
    year = cal.number_of(word)
    # 10年 and 5000年 are lengths of time; 98年 and 08年 are years.
    length = word[0] not in "089" if len(word) == 2 else not 1000 <= year < 2200
    if length and len(words) == 1:
        return None
    year += 0 if len(word) > 2 else 1900 if year >= 50 else 2000
    return DatePiece(*cal.months_from(year, 1, 12), "year", True)


def _relative(said: DatedText, words: Words) -> DatePiece | None:
    """Last, this or next: week, month, quarter, year, weekday, weekend, season, month by name."""
    which, n = words["which"], table.OFFSET[words["which"]]
    coming, weekday = "coming" in which, words.get("weekday", "")
    if name := words.get("name"):
        season = name in table.SEASON
        month, length = (table.SEASON[name], 3) if season else (table.MONTH[name[:3]], 1)
        spans = [cal.months_from(said.today.year + k, month, length) for k in (-2, -1, 0, 1)]
        if n < 0:
            span = max(s for s in spans if s[1] <= said.now)
        else:  # in February, this winter is the one that began last year
            span = spans[2 + n] if n or spans[1][1] <= said.now else spans[1]
        return DatePiece(*span, "season" if length == 3 else "month")
    if weekday == "weekend" and coming:
        return _resolve(said, {"which": "this", "weekday": weekday})
    if weekday[:3] in table.WEEKDAY and which.isascii() and (coming or n < 0):
        # "last Tuesday" is the latest, 上周二 that of last week
        ahead = (table.WEEKDAY[weekday[:3]] - said.today.weekday() - 1) % 7 + 1
        days = ahead if coming else -(-ahead % 7 or 7) + 7 * (n + 1)
        return DatePiece(*cal.days_from(said.today, days), "day")
    if "unit" in words and ("past" in which or ("the" in words and which == "last")):
        # "the last week" ends today, "last week" on Sunday
        return cal.around(said, words["unit"], 1, -1)
    return _resolve(said, words)


_HALF = {"minute": ("minute", 1), "hour": ("minute", 30), "day": ("hour", 12), "week": ("day", 4)}
_HALF |= {
    "month": ("week", 2),
    "quarter": ("month", 2),
    "year": ("month", 6),
    "decade": ("year", 5),
}


def _amount(words: Words) -> tuple[str, int, int] | None:
    """(unit, least, most) of an amount of time in whole units: a year and a half is 18 months."""
    word, unit = words["many"], table.UNIT.get(words["unit"], words["unit"])
    after_month = words["unit"] in ("月", "季度") and "ge" not in words  # 三月后
    after_year = words["unit"] == "年" and len(word) == 4 and "百" not in word  # 2000年后
    if after_month or after_year:
        return None
    half = word == "半" or "half" in word
    if half:
        low = high = 0
    elif word in ("几", "several") or "few" in word:
        low, high = 2, 6
    elif len(word) == 2 and word[0] in table.COUNT and word[1] in table.COUNT:  # 两三天
        low, high = sorted((table.COUNT[word[0]], table.COUNT[word[1]]))
    else:
        low = high = 2 if "couple" in word else cal.number_of(word)
    if words["unit"] == "fortnight":
        low, high = 2 * low, 2 * high
    if half or "plus" in words or "more" in words:
        unit, n = _HALF[unit]
        low, high = 2 * n * low + n, 2 * n * high + n
    return unit, low, high


def _away(said: DatedText, words: Words) -> DatePiece | None:
    """三天前, 过两天, three days ago, in two weeks, a week from tomorrow; 三天内, within 3 days."""
    if not (amount := _amount(words)):
        return None
    unit, low, high = amount
    way = words.get("way", words.get("lead", "")).removeprefix("from ")
    if way in ("内", "within"):
        return cal.around(said, unit, high, 1)
    if way in ("前", "ago", "back"):
        return cal.apart(said, unit, low, high, -1)
    # Who types a date counts to the day; who says "in two weeks" means some day of that week
    if way in ("today", "tomorrow") or (said.whole and unit not in ("minute", "hour")):
        return cal.whole_unit(cal.shift(said.today, unit, low), "day", table.OFFSET.get(way, 0))
    return cal.apart(said, unit, low, high, 1)


def _stretch(said: DatedText, words: Words) -> DatePiece | None:
    """最近三天, 这几天, 未来两周, the last 3 days, the next few weeks."""
    if not (amount := _amount(words)):
        return None
    (unit, low, high), lead, many = amount, words["lead"], words["many"]
    if lead == "前":  # 前几天 was a little while ago, 前三天 are the first three
        return cal.apart(said, unit, 2, 6, -1) if many in ("几", "两") else None
    if lead == "这" and many == "一":
        return cal.whole_unit(said.today, unit) if unit not in ("minute", "hour") else None
    return cal.around(said, unit, min(high, low + 1), 1 if lead[0] in "未接往今nfc" else -1)


def _iso(said: DatedText, words: Words) -> DatePiece | None:
    """2026-02-04, 2026/2/4, 2026.2.4, also with a time and an offset; 2026-02; 20260204."""
    year, month = int(words["y"]), int(words["m"])
    clear = "sep" in words and ("d" in words or (words["sep"] == "-" and len(words["m"]) == 2))
    if not clear and not (said.whole and ("sep" in words or len(said.text.strip()) == 8)):
        return None
    if "d" not in words:
        return DatePiece(*cal.months_from(year, month, 1), "month", True)
    day, hour, minute, second = (int(words.get(name, "0")) for name in ("d", "h", "min", "s"))
    since = datetime(year, month, day, hour, minute, second)
    if "h" not in words:
        return DatePiece(*cal.days_from(since), "day", True)
    if "z" in words:
        aware = datetime.fromisoformat(since.isoformat() + words["z"].replace("z", "+00:00"))
        since = aware.astimezone(said.at.tzinfo or UTC).replace(tzinfo=None, fold=0)
    return DatePiece(since, since + timedelta(minutes=1), "minute", True)


def _every(said: DatedText, words: Words) -> DatePiece | None:
    """每周三, 每个月1号, 每年3月5日, 每晚, every Monday, every other week, weekly on Fridays."""
    if "days" not in words:
        return _resolve(said, words, recurring=True)
    monday = cal.unit_at(said.today, "week")[0]
    name = compiled("mon|tue|wed|thu|fri|sat|sun|(?<!作)[一二三四五六日天1-7]")
    days = sorted({table.WEEKDAY[day] for day in name.findall(words["days"])}) or list(range(5))

    def again(k: int) -> cal.Span:
        return cal.days_from(monday, days[k % len(days)] + k // len(days) * 7)

    return cal.any_of(again, "day", "coming", True)


DATE_RULES: dict[str, Callable[[DatedText, Words], DatePiece | None]] = {
    **dict.fromkeys(("day", "weekday", "month_day", "the_day"), _resolve),
    **dict.fromkeys(("calendar", "month", "year"), _resolve),
    "iso": _iso,
    "relative": _relative,
    "away": _away,
    "stretch": _stretch,
    "every": _every,
    "now": lambda said, _: cal.apart(said, "minute", 0, 0, 1) if said.whole else None,
}

# --- Times of day ---------------------------------------------------------------------------------

_PART_ENDS = {0: 6, 6: 12, 11: 13, 12: 18, 17: 20, 18: 24, 22: 28}


def part_of_day(word: str) -> Clock:
    word = word.rpartition(" ")[2].replace("午夜", "深夜")
    hour = table.HOUR.get(word, table.HOUR.get(word[0], 0))
    return Clock(60 * hour, 60 * (_PART_ENDS[hour] - hour), "part")


def _time(hour: int, minute: int | None, sure: bool) -> Clock | None:
    if not 0 <= hour <= 24 or (minute or 0) > 59:
        return None
    start = 60 * hour + (minute or 0)
    return Clock(start, 60, "hour", sure) if minute is None else Clock(start, 1, "minute", sure)


def _time_part(said: DatedText, start: int, end: int, words: Words, after: str) -> Clock | None:
    """下午, 晚, "morning" behind a date, "the morning of"."""
    word = words.get("part") or words["of"]
    time = compiled(" ?(?:[0-9]{1,2}|[一二两三四五六七八九十]{1,3})[点时:]").match(said.text, end)
    alone = len(word) > 1 and not word.isascii()
    return part_of_day(word) if after or alone or time or "of" in words else None


def _time_zh(said: DatedText, start: int, end: int, words: Words, after: str) -> Clock | None:
    """三点半, 15时30分. A bare 三点 is a time only where the words around do not count points."""
    hour = cal.number_of(words["h"])
    if len(words) == 2:
        points = "建议|意见|原因|要求|理由|想法|看法|好处|问题|内容|[间候代期段]"
        if compiled(points + "|[都也儿点不没]" * (hour == 1)).match(said.text, end):
            return None
        if not after or (hour == 1 and after != "part"):
            goes_on = r"$|[见开到至去起出上下吃睡集走回打左前以之后才还就要会有约的叫接送提]|\W"
            if hour == 1 or words["mark"] == "时" or not compiled(goes_on).match(said.text, end):
                return None
            if before(said, start, "[有第这那几早晚差快慢了说提列讲下分]"):
                return None
    minute = 30 if "half" in words else {"一": 15, "三": 45}.get(words.get("quarter", ""))
    if "m" in words or "mm" in words:
        minute = cal.number_of(words.get("m") or words["mm"])
    return _time(hour, minute, words["h"][0] in "0零〇")


def _time_en(said: DatedText, start: int, end: int, words: Words, after: str) -> Clock | None:
    """3pm, 15:30, 7 o'clock, half past six, 10 in the evening, noon; behind a date also "at 5"."""
    if "word" in words:
        return _time(24 if words["word"] == "midnight" else 12, None, True)
    if len(words) == 1:
        dated = after or compiled(" (?:on|today|tomorrow|next|this)").match(said.text, end)
        if not (dated and before(said, start, r"\bat ") and not _counts(said, end)):
            return None
    hour, half = cal.number_of(words["h"]), (words.get("ampm") or words.get("later") or "")[:1]
    if half:
        hour = hour % 12 + (12 if half == "p" else 0) if 1 <= hour <= 12 else -1
    elif "part" in words and hour < 12 and words["part"] != "morning":
        hour += 12
    minute = 30 if "past" in words else int(words["m"]) if "m" in words else None
    return _time(hour, minute, bool(half) or "part" in words or words["h"][0] == "0")


TIME_RULES: dict[str, Callable[[DatedText, int, int, Words, str], Clock | None]] = {
    "time_part": _time_part,
    "time_zh": _time_zh,
    "time_en": _time_en,
}
