"""What every reader shares: the lines of a file, the objects in them, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any, Literal, NamedTuple, TypeVar, get_args

from loxodon.errors import InputError
from loxodon.types import Draft

Format = Literal["jsonl", "openclaw", "claude-code", "codex", "gemini-cli", "markdown", "chat"]
FORMATS: tuple[Format, ...] = get_args(Format)
Entry = Mapping[str, object]
Numbered = tuple[int, Entry]  # with the number of its line, from 1
Trouble = tuple[int, InputError]  # a line, from 1, and what is wrong with it
Read = tuple[list[Draft], list[Trouble]]
T = TypeVar("T")

TEXT_PARTS = ("text", "Text", "input_text", "output_text", "refusal")  # parts that have words
DATABASE_MARK = b"SQLite format 3\0"  # how every SQLite database begins
MAX_LINE = 16 << 20  # bytes; a longer line is not parsed
MAX_TEXT = 4 << 20  # bytes of the text of one turn
MAX_NAME = 512  # characters of an id, a session, a speaker or a channel
# What may be unpacked of an archive: text packs ten to one, rarely fifty to one.
_MOST_RATIO, _INNOCENT, _MOST_UNPACKED = 100, 64 << 20, 64 << 30


class Reading(NamedTuple):
    format: Format
    drafts: list[Draft]
    problems: list[Trouble]


class FileLines(NamedTuple):
    """A file as lines of text, without their line ends."""

    texts: list[str]  # empty for a line that was refused; its reason is in `problems`
    problems: list[Trouble]


def split_lines(data: bytes) -> FileLines:
    """The lines of `data`: UTF-8, with or without a byte order mark, or UTF-16 with one."""
    if data.startswith(DATABASE_MARK):
        hint = "`loxodon add` reads text; export the conversation as text first"
        error = InputError("the file is an SQLite database, not text", hint=hint)
        return FileLines([], [(1, error)])
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        # An odd last byte is half a character of a file still being written.
        text = data[: len(data) & ~1].decode("utf-16", "surrogatepass")
    else:
        text = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")
    # Not splitlines: it would also break at U+2028, which JSON allows inside a string.
    texts = text.replace("\r\n", "\n").split("\n")
    if texts[-1] == "":
        texts.pop()
    problems: list[Trouble] = []
    # Nearly every file is clean: look at all of it once before looking at each line.
    if len(data) > MAX_LINE or "\0" in text or not _is_whole(text):
        for number, line in enumerate(texts, 1):
            try:
                check_text(line, MAX_LINE)
            except InputError as refusal:
                texts[number - 1] = ""
                problems.append((number, refusal))
    bad, total = len(problems), len(texts)
    if bad > 3 and bad * 2 > total:
        # One problem in place of thousands for a picture, or text in another encoding.
        hint = "if it is text in another encoding, such as GBK, save it as UTF-8 first"
        error = InputError(
            "{bad} of the {total} lines are not UTF-8 text", hint=hint, bad=bad, total=total
        )
        return FileLines([], [(1, error)])
    return FileLines(texts, problems)


def objects_in(lines: FileLines, problems: list[Trouble], before: int = 0) -> Iterator[Numbered]:
    """The JSON objects, one a line; lines that are none go to `problems`. `before` stand above."""
    problems += [(before + number, error) for number, error in lines.problems]
    for number, text in enumerate(lines.texts, before + 1):
        if text.strip():
            try:
                yield number, as_object(parse_line(text))
            except InputError as error:
                problems.append((number, error))


def drafts_in(numbered: Iterable[tuple[int, T]], read: Callable[[int, T], Draft | None]) -> Read:
    """The turns that `read` finds in what is numbered, and what it refuses."""
    drafts: list[Draft] = []
    problems: list[Trouble] = []
    for number, one in numbered:
        try:
            if draft := read(number, one):
                drafts.append(draft)
        except InputError as error:
            problems.append((number, error))
    return drafts, problems


def parse_line(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        # Not every one is a JSONDecodeError: of deep nesting, or a number of 5,000 digits.
        raise InputError(
            "the line is not JSON: {reason} at column {column}",
            hint="write one JSON object per line",
            reason=getattr(error, "msg", "too long or too deep").removesuffix(" starting at"),
            column=getattr(error, "colno", 1),
        ) from None


def as_object(value: object) -> Entry:
    """`value` where it is a JSON object; raises InputError for any other."""
    if isinstance(value, dict | Mapping):  # dict first: that is quick
        return value
    hint = "write one JSON object per line, with a role and content"
    raise InputError("the line is not a JSON object", hint=hint)


def word(entry: Entry, name: str) -> str:
    """A field that is text; empty where it is not."""
    value = entry.get(name)
    return value if isinstance(value, str) else ""


def inner(entry: object, name: str) -> Mapping[str, Any]:
    """A field that is an object; empty where there is no such."""
    value = entry.get(name) if isinstance(entry, Mapping) else None
    return value if isinstance(value, Mapping) else {}


def words_of(content: object) -> str:
    """The text of a message or of its parts, without pictures, calls and what tools gave back."""
    texts: list[str] = []
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, Mapping) and part.get("type", "text") in TEXT_PARTS:
            texts.append("" if part.get("thought") else word(part, "text") or word(part, "refusal"))
    return "\n".join(filter(None, texts))


def _is_whole(text: str) -> bool:
    """Whether text has no half of a character, which UTF-8 cannot write."""
    try:
        return text.isascii() or bool(text.encode("utf-8"))
    except UnicodeEncodeError:
        return False


def check_text(text: str, most: int = MAX_TEXT) -> None:
    if "\0" in text:
        raise InputError("the text contains a NUL character", hint="remove it")
    if not _is_whole(text):
        hint = "save the file as UTF-8; or remove what was cut in the middle of a character"
        raise InputError("the text contains half a character, or is not UTF-8", hint=hint)
    size = len(text) if text.isascii() else len(text.encode("utf-8"))
    if size > most:
        about: Any = {"size": f"{size / 2**20:.1f}", "most": most >> 20}
        hint = "split it into several messages"
        raise InputError("the text is {size} MiB long; the limit is {most} MiB", hint=hint, **about)


def checked(draft: Draft) -> Draft:
    """`draft`, if the journal can keep it; else raises InputError."""
    check_text(draft.content)
    for field in ("id", "session", "speaker", "channel"):
        check_name(getattr(draft, field), field)
    return draft


def check_name(text: str, field: str) -> None:
    if len(text) > MAX_NAME:
        hint = "shorten it"
        about: Any = {"field": field, "count": len(text), "most": MAX_NAME, "hint": hint}
        raise InputError("the {field} is {count} characters long; the limit is {most}", **about)
    if any(ord(c) < 32 for c in text) or not _is_whole(text):
        raise InputError(
            "the {field} {value} contains a control character or half a character",
            hint="remove it",
            field=field,
            value=shown(text),
        )


def check_unpacked(name: str, size: int, unpacked: int) -> None:
    """Refuse a file of `size` bytes out of which so much comes, or would, that it is a trap."""
    most = min(_MOST_UNPACKED, max(_INNOCENT, size * _MOST_RATIO))
    if unpacked > most:
        raise InputError(
            "{file} unpacks to more than {most} MiB, which is too large for an export",
            hint="unpack and check it yourself; nothing was imported",
            file=name,
            most=most >> 20,
        )


def shown(value: object) -> str:
    """A value as an error message may show it: short, and safe to print."""
    if isinstance(value, int) and abs(value) >= 10**25:
        return f"10^{int(value.bit_length() * 0.30103)}"  # thousands of digits help nobody
    text = repr(value)
    return text if len(text) <= 60 else text[:59] + "…"


def unreadable(path: str, reason: str) -> InputError:
    hint = "check the file name and its permissions"
    return InputError("cannot read {file}: {reason}", hint=hint, file=path, reason=reason)


def stem_of(name: str) -> str:
    """The last part of a path, without its folders (of either kind) and its extension."""
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    head, dot, _ = last.rpartition(".")
    return head if dot and head else last


def session_of(name: str) -> str:
    """The session that a file is named after; empty where its name cannot be one."""
    with suppress(InputError):  # file names may hold any bytes
        check_name(stem_of(name), "session")
        return stem_of(name)
    return ""
