"""What each rule of the grammar makes of the words that it matched.

A part of `dates`; nobody else uses it.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from loxodon.text.dates.reckoning import (
    Clock,
    DatedText,
    DatePiece,
    Grain,
    Lean,
    RuleMatch,
    Span,
    any_of,
    apart,
    around,
    compiled,
    cue_at,
    day_of,
    days_from,
    edge_of,
    mapped,
    months_from,
    number_of,
    shift,
    unit_at,
    whole_unit,
)
from loxodon.text.dates.words import (
    DIGIT,
    HALF,
    HOURS,
    MONTH,
    NUM,
    OFF,
    ORDINAL,
    SEASON,
    UNITS,
    WEEKDAY,
)

# --- What the rules make of their words -----------------------------------------------------------
# A resolver gives None where the context speaks against a date (other rules may try), and raises
# ValueError for a date that does not exist (then nothing of it counts).


def before(said: DatedText, i: int, pattern: str) -> bool:
    """Whether `pattern` stands right before position i."""
    return compiled(f"(?:{pattern})$").search(said.text[max(0, i - 24) : i]) is not None


def _asked(said: DatedText, i: int) -> bool:
    """Whether a preposition before i asks for a date."""
    prepositions = "in|on|by|since|until|till|from|to|before|after|during|through|of|around"
    return said.whole or before(said, i, rf"\b(?:{prepositions}|mid|early|late)[ -](?:the )?")


def _ends(said: DatedText, i: int) -> bool:
    """Whether no noun follows at i that the number before it could count: the 4th floor."""
    follows = compiled(
        r"[$%]|\s+(?!(?:and|or|but|with|for|in|at|to|on|i|we|he|she|they|it|you|my|our|the|an?|if|as"
        r"|so|then|when|is|was|were|will|because|there|this|that|until|till|sharp|after|alone"
        r"|today|tomorrow|tonight|next)\b)[a-z]"
    ).match(said.text, i)
    return follows is None or said.raw[follows.end() - 1].isupper()


def _proper(said: DatedText, i: int) -> bool:
    return said.whole or said.raw[i].isupper()


def day_word(said: DatedText, hit: RuleMatch) -> DatePiece | None:
    """今天, 大后天, tomorrow, tonight, this morning, last night."""
    word, part = hit.words.get("day", ""), hit.words.get("part", "")
    # 目前天气, 小明天生: the character belongs to the word before.
    if word in ("前", "后", "明") and before(said, hit.start, "[目以之今小聪文透]"):
        return None
    piece = whole_unit(said.today, "day", OFF.get(word or part, 0))
    return narrow(piece, _part(part)) if part else piece


def relative_to(said: DatedText, hit: RuleMatch) -> DatePiece | None:
    """Last, this or next: week, month, quarter, year, weekday, weekend, season, month by name."""
    words, which = hit.words, hit.words["which"]
    if which == "coming" and before(said, hit.start, r"(?:\b(?:is|are|was|be)|'s|'re|'m) "):
        return None  # "she is coming Thursday"
    if "name" in words:
        # Last, this or next summer or October
        name, n = hit.words["name"], OFF[hit.words["which"]]
        if (
            n == 0
            and name in ("may", "march", "mar", "fall")
            and not _proper(said, hit.end - len(name))
        ):
            return None  # "this may be"
        month, length = SEASON.get(name) or MONTH[name[:3]], 3 if name in SEASON else 1
        spans = [months_from(said.today.year + k, month, length) for k in (-2, -1, 0, 1)]
        if n < 0:
            span = max(s for s in spans if s[1] <= said.now)
        else:  # in February, this winter is the one that began last year
            span = spans[2 + n] if n or spans[1][1] <= said.now else spans[1]
        return DatePiece(*span, "season" if length == 3 else "month")
    if "weekday" in words:
        return _week_of(said, hit)
    unit = UNITS.get(words.get("unit", "周"), words.get("unit", ""))
    if which in ("earlier", "later"):
        since, until = unit_at(said.today, unit)
        passed = said.today + timedelta(1)
        return DatePiece(*((since, passed) if which == "earlier" else (said.today, until)), "span")
    if "past" in which or ("the" in words and which == "last"):
        return around(said, unit, 1, -1)  # "the last week" ends today, "last week" on Sunday
    piece = whole_unit(said.today, unit, OFF[which])
    if "day" in words:
        return DatePiece(*day_of(piece.since, number_of(words["day"])), "day")
    return edge_of(piece, words["edge"][0]) if "edge" in words else piece


def _week_of(said: DatedText, hit: RuleMatch) -> DatePiece | None:
    """上周三, 上个周末, last Tuesday, this coming Friday, next weekend."""
    which, weekday = hit.words["which"], hit.words["weekday"]
    n = OFF[which]
    if weekday in ("weekend", "末"):
        monday = unit_at(said.today, "week", 0 if "coming" in which else n)[0]
        return DatePiece(*days_from(monday, 5, 2), "span")
    if weekday in ("sun", "sat", "mon", "wed") and not _proper(said, hit.end - 3):
        return None
    ahead = (WEEKDAY[weekday[:3]] - said.today.weekday() - 1) % 7 + 1
    if "coming" in which:
        return DatePiece(*days_from(said.today, ahead), "day")
    if n < 0 and which.isascii():
        latest = ahead - 7 if ahead < 7 else -7
        return DatePiece(*days_from(said.today, latest + 7 * (n + 1)), "day")
    return DatePiece(*days_from(unit_at(said.today, "week", n)[0], WEEKDAY[weekday[:3]]), "day")


def nth_day(said: DatedText, hit: RuleMatch) -> DatePiece | None:
    """The first Monday of the month, the last Friday in May, 每月第二个周三."""
    words, which = hit.words, hit.words.get("which", "")
    weekday = WEEKDAY[words["weekday"][:3]]
    nth = 0 if words["nth"][0] in "l最" else ORDINAL.get(words["nth"]) or number_of(words["nth"][1])

    def day(month: datetime) -> Span:
        if nth:
            span = days_from(month, (weekday - month.weekday()) % 7 + 7 * (nth - 1))
        else:
            last = shift(month, "month", 1) - timedelta(1)
            span = days_from(last, -((last.weekday() - weekday) % 7))
        if span[0].month != month.month:
            raise ValueError("a month without a fifth one")
        return span

    if "month" in words:
        number = MONTH.get(words["month"][:3]) or number_of(words["month"])
        year = _year_of(said, words.get("year", ""))
        if year is not None:
            return DatePiece(*day(datetime(year, number, 1)), "day", words["year"][0].isdigit())
        return any_of(lambda k: day(datetime(said.today.year + k, number, 1)), "day", "near")
    month = unit_at(said.today, "month")[0]
    if which in ("the", "each", "every", "每"):
        return any_of(lambda k: day(shift(month, "month", k)), "day", "coming", True)
    return DatePiece(*day(shift(month, "month", OFF[which])), "day")


def _is_name(said: DatedText, hit: RuleMatch) -> bool:
    """Whether a weekday is called a name, or begins one: a dog called Friday, 叫周一帆."""
    if said.text[hit.start] == "周":
        goes_on = compiled(r"[\u4e00-\u9fff](?![\u4e00-\u9fff])|[\u4e00-\u9fff][是在的]")
        named = before(said, hit.start, "叫|名字是?|姓名[是:]? ?")
        return named and goes_on.match(said.text, hit.end) is not None
    called = r"\b(?:named|name is|(?:is|was|an? [a-z]{1,12}) called)|name's"
    return _proper(said, hit.start) and before(said, hit.start, f"(?:{called}) ")


def _may_begin(said: DatedText, hit: RuleMatch) -> bool:
    """Whether nothing tells if what holds from a weekday on has begun: 从周五起在三班."""
    starts = before(said, hit.start, "[从自]") and compiled("起|开始").match(said.text, hit.end)
    return bool(starts) and not said.asked and cue_at(said, hit.start, hit.end) == 0


def bare_week(said: DatedText, hit: RuleMatch) -> DatePiece | None:
    """A weekday or a weekend that does not say which. "sun" and "sat" must look like one."""
    day, i = hit.words["weekday"], hit.start
    # 两周一次, "on a Tuesday", "Black Friday"
    if before(said, i, rf"[个每圆0-9{NUM}]|\b(?:an?|any|black|cyber|good|maundy|super|fat) "):
        return None
    if _is_name(said, hit) or _may_begin(said, hit):
        return None
    noun = compiled(r" (?!(?:after|before|morning|afternoon|evening|night|of|we|i)\b)[a-z]+")
    if day.endswith("day") and before(said, i, r"\bthe ") and noun.match(said.text, hit.end):
        return None  # "the Sunday mass"
    if day.isalpha() and day.isascii() and not day.endswith(("day", "weekend")):
        follows = compiled(r"\.?,? (?:[0-9a]|morning|afternoon|evening|night)").match(
            said.text, hit.end
        )
        asked = said.whole or before(said, i, r"\b(?:on|by|until|till|from|to|since) ")
        if not asked and not (follows and _proper(said, i)):
            return None
    monday = unit_at(said.today, "week")[0]
    if day in ("末", "weekend"):
        return any_of(lambda k: days_from(monday, 5 + 7 * k, 2), "span", "coming")
    n = WEEKDAY[day[:3]]
    if later := hit.words.get("later"):
        ahead = (n - said.today.weekday() - 1) % 7 + 1
        return DatePiece(*days_from(said.today, ahead + (7 if later == "week" else 14)), "day")
    return any_of(lambda k: days_from(monday, n + 7 * k), "day", "weekday")


def _amount(words: dict[str, str]) -> tuple[str, int, int] | None:
    """(unit, least, most) of an amount of time in whole units: a year and a half is 18 months."""
    word, unit = words["many"], UNITS.get(words["unit"], words["unit"])
    if words["unit"] in ("月", "季度") and "ge" not in words:
        return None  # 三月后 is after March
    if words["unit"] == "年" and len(word) == 4 and "百" not in word:
        return None  # 2000年后 is after that year
    half = word == "半" or "half" in word
    if half:
        low = high = 0
    elif word in ("几", "several") or "few" in word:
        low, high = 2, 6
    elif len(word) == 2 and word[0] in DIGIT and word[1] in DIGIT:  # 两三天
        low, high = sorted((DIGIT[word[0]], DIGIT[word[1]]))
    else:
        low = high = 2 if "couple" in word else number_of(word)
    if words["unit"] == "fortnight":
        low, high = 2 * low, 2 * high
    if half or "plus" in words or "more" in words:
        unit, n = HALF[unit]
        low, high = 2 * n * low + n, 2 * n * high + n
    return unit, low, high


def away(said: DatedText, hit: RuleMatch) -> DatePiece | None:
    """三天前, 过两天, three days ago, in two weeks, a week from tomorrow; 三天内, within 3 days."""
    if "name" in hit.words:  # two summers ago
        month, n = SEASON[hit.words["name"]], number_of(hit.words["many"])
        spans = [months_from(said.today.year - k, month, 3) for k in range(-1, n + 2)]
        return DatePiece(*[span for span in spans if span[1] <= said.now][n - 1], "season")
    amount, lead = _amount(hit.words), hit.words.get("lead", "")
    way = hit.words.get("way", lead).removeprefix("from ")
    cue = cue_at(said, hit.start, hit.end) if way in ("in", "within", "内") else 0
    if not amount or (lead and cue == -1):  # "I learnt it in two weeks" is a length of time
        return None
    unit, low, high = amount
    if way in ("内", "within"):
        return around(said, unit, high, -1 if cue == -1 else 1)
    if way in ("today", "tomorrow"):
        return whole_unit(shift(said.today, unit, low), "day", OFF[way])
    return apart(said, unit, low, high, -1 if way in ("前", "ago", "back") else 1)


def stretch(said: DatedText, hit: RuleMatch) -> DatePiece | None:
    """最近三天, 这几天, 未来两周, the last 3 days, the next few weeks."""
    amount, lead, many = _amount(hit.words), hit.words["lead"], hit.words["many"]
    if not amount:
        return None
    unit, low, high = amount
    if lead == "前":  # 前几天 was a little while ago, 前三天 are the first three
        return apart(said, unit, 2, 6, -1) if many in ("几", "两") else None
    if lead == "这" and many == "一":
        return whole_unit(said.today, unit) if unit not in ("minute", "hour") else None
    return around(said, unit, min(high, low + 1), 1 if lead[0] in "未接往今nfc" else -1)


def _year_of(said: DatedText, word: str) -> int | None:
    """The year of "2024", 二〇二四年, 98年, 去年, "last year"."""
    near = OFF.get(word.removesuffix(" year").removesuffix("年"))
    if not word or near is not None:
        return said.today.year + (near or 0) if word else None
    word = word.rstrip("年 ")
    year = number_of(word)
    return year if len(word) > 2 else year + (1900 if year >= 50 else 2000)


def calendar(said: DatedText, hit: RuleMatch) -> DatePiece | None:
    """A year and what may go with it or stand alone: month, day, season, quarter, half, end."""
    words, year = hit.words, _year_of(said, hit.words.get("year", ""))
    fixed = words.get("year", "x")[0] in "0123456789〇零一二三四五六七八九"

    def one(make: Callable[[int], Span], grain: Grain, lean: Lean) -> DatePiece:
        if year is not None:
            return DatePiece(*make(year), grain, fixed)
        return any_of(lambda k: make(said.today.year + k), grain, lean)

    if "month" in words:
        month = MONTH.get(words["month"][:3]) or number_of(words["month"])
        if "day" in words:
            day = number_of(words["day"])
            return one(lambda y: day_of(datetime(y, month, 1), day), "day", "near")
        piece = one(lambda y: months_from(y, month, 1), "month", "recent")
        return edge_of(piece, words["edge"][0]) if "edge" in words else piece
    if "season" in words:
        month = SEASON[words["season"]]
        return one(lambda y: months_from(y, month, 3), "season", "recent")
    if "quarter" in words:
        month = 3 * (ORDINAL.get(words["quarter"]) or number_of(words["quarter"])) - 2
        return one(lambda y: months_from(y, month, 3), "quarter", "recent")
    if "half" in words:
        month = 6 * (ORDINAL.get(words["half"]) or number_of(words["half"])) - 5
        return one(lambda y: months_from(y, month, 6), "span", "this")
    piece = one(lambda y: months_from(y, 1, 12), "year", "this")
    if "end" in words:
        return edge_of(piece, words["end"][-1])
    # 10年 and 5000年 are lengths of time; 98年 and 08年 are years.
    short = fixed and len(words["year"].rstrip("年 ")) == 2 and words["year"][0] not in "089"
    return None if short or not 1000 <= piece.since.year < 2200 else piece


def zh_calendar(said: DatedText, hit: RuleMatch) -> DatePiece | None:
    # The lunar calendar is another one, and a 春天 without a year or a verb is any spring.
    if not hit.words or before(said, hit.start, "[农阴旧]历"):
        return None
    loose = "season" in hit.words and "year" not in hit.words and not said.whole
    return None if loose and cue_at(said, hit.start, hit.end) % 2 == 0 else calendar(said, hit)


def en_season(said: DatedText, hit: RuleMatch) -> DatePiece | None:
    told = (
        before(said, hit.start, r"\b(?:in|over|during) ") and cue_at(said, hit.start, hit.end) % 2
    )
    return calendar(said, hit) if told or said.whole or "year" in hit.words else None


def en_month(said: DatedText, hit: RuleMatch) -> DatePiece | None:
    """February 4th 2026, 4 Feb, March 2024; a bare month where the words before it ask for one."""
    name, asked, day = hit.words["month"], _asked(said, hit.start), "day" in hit.words
    i = said.text.index(name, hit.start)
    verb = name in ("may", "march", "mar") and not _proper(said, i)
    person = verb or name in ("may", "march", "april", "june", "august") or len(name) < 4
    if "year" not in hit.words and not asked and (verb or (person and not day)):
        return None
    if verb and not day and before(said, i, r"\b(?:to|on|through) "):
        return None
    return calendar(said, hit)


def en_year(said: DatedText, hit: RuleMatch) -> DatePiece | None:
    return calendar(said, hit) if _asked(said, hit.start) and _ends(said, hit.end) else None


def month_day(said: DatedText, hit: RuleMatch) -> DatePiece | None:
    """15号, 月底, the 4th, the 1st of every month, the 15th of next month."""
    which, month = hit.words.get("which", ""), unit_at(said.today, "month")[0]
    if "edge" in hit.words:
        if before(said, hit.start, f"[个每年0-9{NUM}]"):
            return None
        piece = any_of(lambda k: unit_at(month, "month", k), "month", "this")
        return edge_of(piece, hit.words["edge"])
    n = number_of(hit.words["day"])
    # "the 4th floor": believed behind a preposition, where no noun follows.
    english = said.text.startswith("the", hit.start) and not which
    if english and not (_asked(said, hit.start) and _ends(said, hit.end)):
        return None
    if which in ("this", "next", "last"):
        return DatePiece(*day_of(shift(month, "month", OFF[which]), n), "day")
    return any_of(lambda k: day_of(shift(month, "month", k), n), "day", "this", bool(which))


def decade(said: DatedText, hit: RuleMatch) -> DatePiece | None:
    """90年代, 上世纪八十年代, the 1990s, the 80s; not "in his 80s"."""
    n, century = number_of(hit.words["decade"]), hit.words.get("century", "")
    the = century or before(said, hit.start, r"\bthe (?:early|mid|late)[ -]'?|'")
    if n < 100 and said.text[hit.end - 1] == "s" and not the:
        return None
    if n < 100:
        n += 2000 if n < 30 and not century.endswith("纪") else 1900
    return DatePiece(*months_from(n, 1, 120), "span", True)


def iso(said: DatedText, hit: RuleMatch) -> DatePiece | None:
    """2026-02-04, 2026/2/4, 2026.2.4, also with a time and an offset; 2026-02; 20260204."""
    g = hit.words
    if before(said, hit.start, r"(?:version|ver|release|build|版本号?|\bv)[.:是]? ?"):
        return None
    clear = "sep" in g and ("d" in g or (g["sep"] == "-" and len(g["m"]) == 2))
    if not clear and not (said.whole and ("sep" in g or hit.end - hit.start == 8)):
        return None
    if "d" not in g:
        return DatePiece(*months_from(int(g["y"]), int(g["m"]), 1), "month", True)
    since = datetime(int(g["y"]), int(g["m"]), int(g["d"]))
    if "h" not in g:
        return DatePiece(*days_from(since, 0), "day", True)
    since = since.replace(hour=int(g["h"]), minute=int(g["min"]), second=int(g.get("s", "0")))
    if "z" in g:
        aware = datetime.fromisoformat(since.isoformat() + g["z"].replace("z", "+00:00"))
        since = aware.astimezone(said.at.tzinfo or UTC).replace(tzinfo=None, fold=0)
    return DatePiece(since, since + timedelta(minutes=1), "minute", True)


def right_now(said: DatedText, hit: RuleMatch) -> DatePiece | None:
    return apart(said, "minute", 0, 0, 1) if said.whole else None


def every(said: DatedText, hit: RuleMatch) -> DatePiece | None:
    """每周三, 每个月1号, 每年3月5日, 每晚, every Monday, every other week, weekly on Fridays."""
    words, monday = hit.words, unit_at(said.today, "week")[0]
    unit = UNITS.get(words.get("unit", "天"), words.get("unit", ""))
    if "days" in words or unit == "工作日":
        names = compiled("mon|tue|wed|thu|fri|sat|sun|[一二三四五六日天1-7]").findall(
            words.get("days", "")
        )
        days = sorted({WEEKDAY[name] for name in names}) or list(range(5))
        n = len(days)
        return any_of(lambda k: days_from(monday, days[k % n] + k // n * 7), "day", "coming", True)
    if "weekday" in words:
        return any_of(lambda k: days_from(monday, 5 + 7 * k, 2), "span", "coming", True)
    if "month" in words or "season" in words:
        piece = calendar(said, hit)
        return piece._replace(recurring=True) if piece else None
    grain = whole_unit(said.today, unit).grain
    piece = any_of(lambda k: unit_at(said.today, unit, k), grain, "coming", True)
    if "part" in words:
        return narrow(piece, _part(words["part"]))
    if "day" in words:
        day = number_of(words["day"])
        return mapped(piece, "day", lambda since, _: day_of(since, day))
    return edge_of(piece, words["edge"][0]) if "edge" in words else piece


# --- Times of day ---------------------------------------------------------------------------------


def _part(word: str) -> Clock:
    word = word.rpartition(" ")[2].replace("午夜", "深夜")
    low, high = HOURS.get(word) or HOURS[word[0]]
    return Clock(60 * low, 60 * (high - low), "part")


def _time(hour: int, minute: int | None, sure: bool) -> Clock | None:
    if not 0 <= hour <= 24 or (minute or 0) > 59:
        return None
    start = 60 * hour + (minute or 0)
    return Clock(start, 60, "hour", sure) if minute is None else Clock(start, 1, "minute", sure)


def narrow(piece: DatePiece, clock: Clock) -> DatePiece:
    """The time of day on the day (or in the part of the day) of the piece."""

    def change(since: datetime, _: datetime) -> Span:
        start, hour, part = clock.start, clock.start // 60, since.hour
        if piece.grain != "part":
            start += 720 if not clock.sure and 1 <= hour <= 6 else 0
        elif part == 0:  # 凌晨十二点
            start -= 720 if hour == 12 else 0
        elif part >= 18:  # 晚上十二点, 半夜两点: after midnight
            start += 1440 if hour < 5 else 720 if hour <= 12 else 0
        elif part >= 11:
            start += 720 if hour < 12 and (part > 11 or hour < 6) else 0
        since = since.replace(hour=0, minute=0) + timedelta(minutes=start)
        return since, since + timedelta(minutes=clock.length)

    return mapped(piece, clock.grain, change)


def time_part(said: DatedText, hit: RuleMatch, after: str) -> Clock | None:
    """下午, 晚, "morning" behind a date, "the morning of"."""
    word = hit.words.get("part") or hit.words["of"]
    time = compiled(" ?(?:[0-9]{1,2}|[一二两三四五六七八九十]{1,3})[点时:]").match(
        said.text, hit.end
    )
    alone = len(word) > 1 and not word.isascii()
    return _part(word) if after or alone or time or "of" in hit.words else None


def time_zh(said: DatedText, hit: RuleMatch, after: str) -> Clock | None:
    """三点半, 15时30分. A bare 三点 is a time only where the words around do not count points."""
    words, hour = hit.words, number_of(hit.words["h"])
    if len(words) == 2:
        points = "建议|意见|原因|要求|理由|想法|看法|好处|问题|内容|[间候代期段]"
        if compiled(points + "|[都也儿点不没]" * (hour == 1)).match(said.text, hit.end):
            return None
        goes_on = "$|[见开到至去起出上下吃睡集走回打左前以之后才还就要会有约的叫接送提]|\\W"
        if not after or (hour == 1 and after != "part"):
            if (
                hour == 1
                or words["mark"] == "时"
                or not compiled(goes_on).match(said.text, hit.end)
            ):
                return None
            if before(said, hit.start, "[有第这那几早晚差快慢了说提列讲下分]"):
                return None
    minute = 30 if "half" in words else {"一": 15, "三": 45}.get(words.get("quarter", ""))
    if "m" in words or "mm" in words:
        minute = number_of(words.get("m") or words["mm"])
    return _time(hour, minute, words["h"][0] in "0零〇")


def time_en(said: DatedText, hit: RuleMatch, after: str) -> Clock | None:
    """3pm, 15:30, 7 o'clock, half past six, 10 in the evening, noon; behind a date also "at 5"."""
    words, past = hit.words, hit.words.get("past", "")
    if "word" in words:
        return _time(24 if words["word"] == "midnight" else 12, None, True)
    if len(words) == 1:
        dated = after or compiled(" (?:on|today|tomorrow|next|this)").match(said.text, hit.end)
        if not (dated and before(said, hit.start, r"\bat ") and _ends(said, hit.end)):
            return None
    hour, half = number_of(words["h"]), (words.get("ampm") or words.get("later") or "")[:1]
    if half and not 1 <= hour <= 12:
        return None
    if half:
        hour = hour % 12 + (12 if half == "p" else 0)
    elif "part" in words and hour < 12 and words["part"] != "morning":
        hour += 12
    minute = int(words["m"]) if "m" in words else None
    if past:
        hour, minute = (hour - 1, 45) if past[-1] == "o" else (hour, 30 if past[0] == "h" else 15)
    return _time(hour, minute, bool(half) or "part" in words or words["h"][0] == "0")
