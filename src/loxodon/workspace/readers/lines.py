"""What every reader shares: the lines of a file, and what is refused in them."""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

from loxodon.errors import InputError
from loxodon.types import Draft

Format = Literal["jsonl", "openclaw", "claude-code", "codex", "gemini-cli", "markdown", "chat"]
FORMATS: tuple[Format, ...] = get_args(Format)

Trouble = tuple[int, InputError]
"""A line number (1-based) and what is wrong with that line."""

DATABASE_MARK = b"SQLite format 3\0"
"""How every SQLite database begins."""
MAX_LINE = 16 * 2**20
"""Bytes of one line; a longer one is not parsed."""
MAX_TEXT = 4 * 2**20
"""Bytes of the text of one turn."""
MAX_NAME = 512
"""Characters of an id, a session, a speaker or a channel."""


class Reading(NamedTuple):
    """What a file had in it: the good lines as drafts, the bad ones as problems."""

    format: Format
    drafts: list[Draft]
    problems: list[Trouble]


class FileLines(NamedTuple):
    """A file as lines of text, without their line ends."""

    texts: list[str | None]
    """None for a line that was refused; its reason is in `problems`."""
    problems: list[Trouble]
    whole: bool
    """Whether the last line has its line end: one without may still be being written."""


def split_lines(data: bytes) -> FileLines:
    """The lines of `data`: UTF-8, with or without a byte order mark, or UTF-16 with one.

    A line ends at a newline only. `str.splitlines` would also break at U+2028, which JSON allows
    inside a string.
    """
    if data.startswith(DATABASE_MARK):
        return FileLines([], [(1, _database())], True)
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        # An odd last byte is half a character of a file still being written.
        even = data[:-1] if len(data) % 2 else data
        return _sift(even.decode("utf-16", "surrogatepass"), checked=False, size=len(data))
    data = data.removeprefix(b"\xef\xbb\xbf")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return _sift_bytes(data)
    return _sift(text, checked=True, size=len(data))


def _sift(text: str, *, checked: bool, size: int) -> FileLines:
    """The lines of decoded text; `checked` says that it came from valid UTF-8."""
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    texts: list[str | None] = list(text.split("\n"))
    whole = _drop_end(texts)
    problems: list[Trouble] = []
    # Nearly every file is clean: look at the whole text once before looking at each line.
    if not checked or size > MAX_LINE or "\0" in text:
        for index, line in enumerate(texts):
            refusal = _refusal(line or "")
            if refusal is not None:
                texts[index] = None
                problems.append((index + 1, refusal))
    return _unless_binary(FileLines(texts, problems, whole))


def _sift_bytes(data: bytes) -> FileLines:
    """The lines of a file that is not UTF-8 throughout: each is decoded on its own."""
    texts: list[str | None] = []
    problems: list[Trouble] = []
    for number, raw in enumerate(data.split(b"\n"), 1):
        text, refusal = _decoded(raw.removesuffix(b"\r"))
        texts.append(text)
        if refusal is not None:
            problems.append((number, refusal))
    return _unless_binary(FileLines(texts, problems, _drop_end(texts)))


def _drop_end(texts: list[str | None]) -> bool:
    """Take off the empty piece after the last newline; says whether there was one."""
    whole = texts[-1] == ""
    if whole:
        texts.pop()
    return whole


def _decoded(raw: bytes) -> tuple[str | None, InputError | None]:
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        return None, InputError(
            "the line is not UTF-8 text (byte {byte} at position {position})",
            hint="save the file as UTF-8 and read it again",
            byte=f"0x{raw[error.start]:02x}",
            position=error.start + 1,
        )
    refusal = _refusal(text)
    return (None, refusal) if refusal is not None else (text, None)


def _refusal(line: str) -> InputError | None:
    # A character is at most four bytes, so that a short line need not be measured.
    if len(line) * 4 > MAX_LINE:
        size = len(line.encode("utf-8", "surrogatepass"))
        if size > MAX_LINE:
            return InputError(
                "the line is {size} long; the limit is {most}",
                hint="split it, or remove what is not conversation",
                size=_mebibytes(size),
                most=_mebibytes(MAX_LINE),
            )
    if "\0" in line:
        return InputError(
            "the line contains a NUL character",
            hint="remove it; if this is not a text file, it cannot be read",
        )
    return None


def _unless_binary(lines: FileLines) -> FileLines:
    """One problem in place of thousands for a picture, a database, or text in another encoding."""
    bad, total = len(lines.problems), len(lines.texts)
    if bad <= 3 or bad * 2 <= total:
        return lines
    error = InputError(
        "{bad} of the {total} lines are not UTF-8 text",
        hint="if it is text in another encoding, such as GBK, save it as UTF-8 first",
        bad=bad,
        total=total,
    )
    return FileLines([], [(1, error)], lines.whole)


def _database() -> InputError:
    return InputError(
        "the file is an SQLite database, not text",
        hint="`loxodon add` reads text; export the conversation as text first",
    )


def check_text(text: str) -> None:
    """Raise InputError for the text of a turn that the journal cannot keep."""
    if "\0" in text:
        raise InputError("the text contains a NUL character", hint="remove it")
    if text.isascii():
        size = len(text)
    else:
        try:
            size = len(text.encode("utf-8"))
        except UnicodeEncodeError as error:
            raise InputError(
                "the text contains half a character ({code} at position {position})",
                hint="it was cut in the middle of an emoji or a rare character; remove that half",
                code=f"U+{ord(text[error.start]):04X}",
                position=error.start + 1,
            ) from None
    if size > MAX_TEXT:
        raise InputError(
            "the text is {size} long; the limit for one message is {most}",
            hint="split it into several messages",
            size=_mebibytes(size),
            most=_mebibytes(MAX_TEXT),
        )


def check_name(text: str, field: str) -> None:
    """Raise InputError for a session, id, speaker or channel that the journal cannot keep."""
    if text.isascii() and text.isprintable() and len(text) <= MAX_NAME:
        return
    if len(text) > MAX_NAME:
        raise InputError(
            "the {field} is {count} characters long; the limit is {most}",
            hint="shorten it",
            field=field,
            count=len(text),
            most=MAX_NAME,
        )
    if any(ord(c) < 32 or 0xD800 <= ord(c) < 0xE000 for c in text):
        raise InputError(
            "the {field} {value} contains a control character or half a character",
            hint="remove it",
            field=field,
            value=shown(text),
        )


def shown(value: object) -> str:
    """A value as an error message may show it: short, and safe to print."""
    if isinstance(value, str):
        return repr(value if len(value) <= 60 else value[:59] + "…")
    if isinstance(value, int) and abs(value) >= 10**25:
        return f"10^{int(value.bit_length() * 0.30103)}"  # thousands of digits help nobody
    return str(value) if isinstance(value, int | float) else f"({type(value).__name__})"


def stem_of(name: str) -> str:
    """The last part of a path, without its folders (of either kind) and its extension."""
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    head, dot, _ = last.rpartition(".")
    return head if dot and head else last


def session_of(name: str) -> str:
    """The session that a file is named after; empty where its name cannot be one."""
    stem = stem_of(name)
    try:
        check_name(stem, "session")
    except InputError:  # file names may hold any bytes
        return ""
    return stem


def _mebibytes(size: int) -> str:
    return f"{size / 2**20:.1f} MiB"
