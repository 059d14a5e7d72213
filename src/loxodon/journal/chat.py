"""Chat logs in plain text, as people export and paste them.

    [2026-02-04 10:30] Alice: hi          04/02/2026, 10:30 - Alice: hi
    Alice: hi                             张三 2026-02-04 10:30
                                          你好

A log keeps to one way of marking who speaks, which is told by the whole file; every other line goes
on with the message above it. User, Me, 我 are the user, Assistant, Claude, 助手 the assistant, any
other name is a person: their words have the origin `group`, until `Memory.add_drafts` is told which
of them is the user (`me`). A log with more than two people is a group chat.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from datetime import time, timedelta, tzinfo
from importlib.resources import files
from typing import NamedTuple

from loxodon.errors import InputError
from loxodon.journal.lines import FileLines, Read, Trouble, checked, drafts_in
from loxodon.journal.moments import MIDNIGHT, Day, day_in_name, match_clock, match_day, moment
from loxodon.types import ORIGIN_OF_ROLE, Chat, Draft, Role

_MAX_SPEAKER = 30  # characters of a name
_TABLE = tomllib.loads((files(__package__) / "chat.toml").read_text("utf-8"))
_MODELS = frozenset(_TABLE["names"]["models"].split())
_ROLES: dict[str, Role] = dict.fromkeys(_MODELS, "assistant")
_ROLES |= {name: role for role, names in _TABLE["roles"].items() for name in names.split()}
_NOT_NAMES = frozenset(_TABLE["names"]["prose"].split())
# What may be a name where only a colon after it says so: Latin words with capitals, or up to twelve
# characters of another script without those that a Chinese sentence has.
_LATIN_NAME = re.compile(r"[@~+_]?[^\W\d_][\w\-'.@~+()]*(?: [^\sa-z][\w\-'.@~+()]*){0,3}")
_OTHER_NAME = re.compile(
    r"(?=[^\W\d_])[^，。；！？、…“”‘’《》,;!?\"<>{}|\\/=`*#$%^&"
    "的是了说在有这那就都和与及请把被让给吗呢吧如下你他她它们要会很也还但因所]{1,12}"
)
_NAMED = re.compile(r"([^:：]{1,60}?)\s*[:：](?!//)(.*)")
_RULE = " \t-=—–*_#~·[]【】()（）<>"
_DASHES = "-–—|•·"
_ODD = str.maketrans({"\u202f": " ", "\xa0": " "})  # spaces that phones put into exports
_INVISIBLE = "\u200e\u200f\u202a\u202c\ufeff"  # marks of writing direction

Stamp = tuple[Day | None, time | None, int, bool]  # up to where, and whether in brackets


class _Header(NamedTuple):
    """A line that may begin a message."""

    style: str  # `line`: a stamp, and the text is on it; `block`: the text is below; `plain`
    name: str
    text: str
    day: Day | None = None
    clock: time | None = None


def read_chat(lines: FileLines, name: str, zone: tzinfo | None) -> Read:
    problems = list(lines.problems)
    texts = [text.strip(_INVISIBLE).translate(_ODD) for text in lines.texts]
    headers = _of_one_style([_header(text) for text in texts], texts)
    if not any(headers) and any(text.strip() for text in texts):
        error = InputError(
            "no line starts with a speaker's name",
            hint="a chat log has lines such as Alice: hi; for another kind of file, set --format",
        )
        return [], [*problems, (1, error)]
    messages = _messages(texts, headers, name, zone, problems) if any(headers) else []
    keys = {_key_of(message.speaker) for message in messages if message.speaker}
    people = sum(key not in _ROLES for key in keys)
    is_group = people + any(_ROLES.get(key) == "user" for key in keys) > 2
    chat: Chat = "group" if is_group else "direct"
    said = ((one.line, _attributed(one)._replace(chat=chat)) for one in messages)
    drafts, bad = drafts_in(said, lambda _, one: checked(one) if one.content else None)
    return drafts, problems + bad


def _header(text: str) -> _Header | None:
    """What the line would begin, were it the start of a message."""
    bare = text.strip()
    stamp = _stamp(bare)
    if stamp is None:
        indented = text.startswith(("    ", "\t"))  # a piece of code or a list in a message
        return _name_first(bare) or (None if indented else _plain_header(bare))
    day, clock, end, bracket = stamp
    rest = bare[end:].lstrip(" \t" + _DASHES)
    marked = bracket or bare[end:].lstrip().startswith(tuple(_DASHES))
    # Almost anything before a colon is a name here, but a time and a sentence.
    found = _NAMED.match(rest)
    name, text = (found[1].strip(), found[2]) if found else ("", "")
    # WhatsApp shows the number of someone without a name; nothing else before a colon is digits.
    is_clock = (name[-1:].isdigit() and text[:1].isdigit()) or (name.isdigit() and len(name) < 5)
    many = name.count(" ") > (2 if ". " in name else 5)
    if name and not (is_clock or many or any(c in "。！？；，!?;" for c in name)):
        is_name = day or marked or _is_name(name)
        return _Header("line", name, text.strip(), day, clock) if is_name else None
    if day and clock and not marked and _is_name(rest):
        return _Header("block", rest, "", day, clock)
    is_notice = rest and (bracket or (day and clock))
    return _Header("line", "", rest, day, clock) if is_notice else None


def _stamp(text: str) -> Stamp | None:
    bracket = text.startswith(("[", "【", "("))
    day, end = match_day(text, int(bracket)) or (None, int(bracket))
    clock, end = match_clock(text, len(text) - len(text[end:].lstrip(" \t,，T"))) or (None, end)
    closed = text[end:].lstrip(" ")
    if not (day or clock) or (bracket and not closed.startswith(("]", "】", ")"))):
        return None
    return day, clock, len(text) - len(closed) + 1 if bracket else end, bracket


def _separator(text: str) -> tuple[Day | None, time | None]:
    """The day (and time) of a line that has nothing else: `--- 2026-02-04 ---`."""
    bare = text.strip(_RULE)
    stamp = _stamp(bare)
    return stamp[:2] if stamp and stamp[0] and stamp[2] == len(bare) else (None, None)


def _name_first(bare: str) -> _Header | None:
    """`张三 2026-02-04 10:30`, `Alice, [04.02.2026 10:30]`: the text is on the lines below."""
    if len(bare) > _MAX_SPEAKER + 40 or bare[-1:] not in tuple("0123456789])】分mMzZ"):
        return None
    for gap in re.finditer(r"[ \t,](?=[^ \t])", bare[: _MAX_SPEAKER + 2]):
        stamp = _stamp(bare[gap.end() :])
        if stamp and stamp[2] == len(bare) - gap.end():
            name = bare[: gap.end()].rstrip(" \t,，:：")
            return _Header("block", name, "", *stamp[:2]) if _is_name(name) else None
    return None


def _plain_header(bare: str) -> _Header | None:
    """`Alice: hi` without a stamp, where what stands before a colon is often no name."""
    name, text = found.groups() if (found := _NAMED.match(bare)) else ("", "")
    if not name or not _is_name(name) or text.startswith(("/", ":")):
        return None
    # In Chinese nothing need stand between the colon and the words.
    wide = "：" in bare[: len(bare) - len(text)] or not (name + text[:1]).isascii()
    return _Header("plain", name, text.strip()) if wide or not text[:1].strip() else None


def _of_one_style(headers: list[_Header | None], texts: list[str]) -> list[_Header | None]:
    """The lines that begin a message: those of the style that the log has."""
    count = Counter(header.style for header in headers if header)
    best = "block" if count["block"] > count["line"] else "line"
    dated = any(one and one.style == best and one.day for one in headers)
    # In a log with dates, prose may have more colons than there are messages, but not by much.
    if count[best] * (5 if dated else 1) < max(count["plain"], 1):
        best = "plain"
    # Where an assistant speaks, what else has a colon is mostly its own headings (`Pros: …`), which
    # must not become a person's words: besides those named by their role only the first to speak
    # does, and where no user is named, who speaks more than once.
    keys = Counter(_key_of(one.name) for one in headers if one and one.style == best)
    roles, heard = {_ROLES.get(key) for key in keys}, set(keys)
    if best == "plain" and "assistant" in roles:
        often = 1 if "user" not in roles else len(texts)
        heard = {key for key in keys if key in _ROLES or keys[key] > often} | {next(iter(keys))}
    chosen = [
        one if one and one.style == best and _key_of(one.name) in heard else None for one in headers
    ]
    # With a speaker on so few lines, or so late, the file is something else: prose, settings, code.
    places = {n for n, one in enumerate(chosen) if one}
    filled = [n for n, text in enumerate(texts) if text.strip() and not _separator(text)[0]]
    is_rare = len(filled) > 20 and len(places) * 20 < len(filled)
    is_early = places & {*filled[: 5 if len(places) > 1 else 1]}
    return chosen if dated or (is_early and not is_rare) else [None] * len(headers)


def _messages(
    texts: list[str],
    headers: list[_Header | None],
    name: str,
    zone: tzinfo | None,
    problems: list[Trouble],
) -> list[Draft]:
    """The messages with their lines; a time alone is of the day that the log has come to."""
    unclear = [one.day for one in headers if one and one.day and one.day.ambiguous]
    # Day first, unless the log shows that it cannot be.
    month_first = any(day.month > 12 for day in unclear) and all(day.day <= 12 for day in unclear)
    today, clock = day_in_name(name), MIDNIGHT
    found: list[tuple[Draft, list[str]]] = []
    for line, (text, header) in enumerate(zip(texts, headers, strict=True), 1):
        day, now = header[3:] if header else _separator(text)
        try:
            if day:
                today, clock = day.resolve(month_first=month_first), now or MIDNIGHT
            elif now:
                # 23:50 is followed by 00:10 of the next day.
                if today and clock.hour - now.hour >= 12 and today.year < 9999:
                    today += timedelta(days=1)
                clock = now
        except InputError as error:
            problems.append((line, error))
            found.append((Draft(0, "system", ""), []))  # its lines go with it
            continue
        if header:
            at = moment(today, clock, zone) if today else None
            found.append((Draft(line, "system", "", at=at, speaker=header.name), [header.text]))
        elif not day and found:
            found[-1][1].append(text)
        elif not day and text.strip():
            found.append((Draft(line, "system", ""), [text]))
    return [draft._replace(content="\n".join(said)) for draft, said in found if draft.line]


def _attributed(message: Draft) -> Draft:
    key = _key_of(message.speaker)
    is_person = bool(key) and key not in _ROLES
    role: Role = _ROLES.get(key, "user" if is_person else "system")
    # The name by itself, without the `said` and the marks that stood around it.
    shown = message.speaker.strip(" *~").removesuffix(" said").removesuffix("说").rstrip()
    return message._replace(
        role=role,
        content=message.content.strip(),
        speaker=shown if is_person or key in _MODELS else "",
        origin="group" if is_person else ORIGIN_OF_ROLE[role],
    )


def _key_of(name: str) -> str:
    """What two spellings of one name have in common; `You said` is how ChatGPT is copied."""
    return name.casefold().strip(" *@~").removesuffix(" said").removesuffix("说").rstrip()


def _is_name(name: str) -> bool:
    """Whether this may be a name, where nothing but a colon after it says so."""
    key = _key_of(name)
    if key in _ROLES:
        return True
    if len(name) > _MAX_SPEAKER or key.rstrip(" 0123456789") in _NOT_NAMES or name.endswith("."):
        return False
    latin = all(ord(c) < 0x2E80 for c in name)  # Zoë, Иван: as a Latin name
    return (_LATIN_NAME if latin else _OTHER_NAME).fullmatch(name) is not None
