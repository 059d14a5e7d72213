"""Files as turns: what kind of file it is, and the reader for that kind.

    jsonl     one JSON object a line, or a JSON array of them
    openclaw  a session transcript of OpenClaw, or its database of them (`openclaw_db`)
    claude-code, codex, gemini-cli  a transcript of that agent
    markdown  daily notes
    chat      a chat log in plain text

A reader takes bytes and gives drafts. It never fails on a file: a line that cannot be read becomes
a problem with its number, and the caller decides whether to go on without it.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import tzinfo

from loxodon.errors import UsageError
from loxodon.types import Draft
from loxodon.workspace.readers.jsonl import draft_from_mapping
from loxodon.workspace.readers.lines import (
    DATABASE_MARK,
    FORMATS,
    MAX_LINE,
    MAX_TEXT,
    FileLines,
    Format,
    Reading,
    Trouble,
    shown,
    split_lines,
)

__all__ = [
    "FORMATS",
    "MAX_LINE",
    "MAX_TEXT",
    "Draft",
    "Format",
    "Reading",
    "detect",
    "draft_from_mapping",
    "is_database",
    "read",
]

Reader = Callable[[FileLines, str, tzinfo | None], tuple[list[Draft], list[Trouble]]]
"""Takes the lines of a file, its name and a zone."""

_HEAD = 50
"""Lines that are looked at to tell the kind of a file."""
_JSON_NAMES = (".jsonl", ".ndjson", ".json")
_GEMINI = ('"sessionId"', '"projectHash"', '"messages"')
"""What a transcript of Gemini CLI that is one document begins with."""
_MARKDOWN_NAMES = (".md", ".markdown")


def read(
    data: bytes, name: str, format: Format | None = None, zone: tzinfo | None = None
) -> Reading:
    """The turns in a file called `name`, read as `format` (as what it looks like when None).

    Times without an offset are in `zone` (the machine's when None).
    """
    lines = split_lines(data)
    kind = format or detect("\n".join(text or "" for text in lines.texts[:_HEAD]), name)
    drafts, problems = _reader(kind)(lines, name, zone)
    return Reading(kind, drafts, sorted(problems, key=lambda problem: problem[0]))


def _reader(kind: Format) -> Reader:
    # Each is imported only when such a file is read.
    if kind == "jsonl":
        from loxodon.workspace.readers.jsonl import read_jsonl

        return read_jsonl
    if kind == "openclaw":
        from loxodon.workspace.readers.openclaw import read_openclaw

        return read_openclaw
    if kind == "claude-code":
        from loxodon.workspace.readers.claude_code import read_claude_code

        return read_claude_code
    if kind == "codex":
        from loxodon.workspace.readers.codex import read_codex

        return read_codex
    if kind == "gemini-cli":
        from loxodon.workspace.readers.gemini_cli import read_gemini

        return read_gemini
    if kind == "markdown":
        from loxodon.workspace.readers.markdown import read_markdown

        return read_markdown
    if kind == "chat":
        from loxodon.workspace.readers.chatlog import read_chat

        return read_chat
    raise UsageError(
        "unknown format {format}",
        hint="use one of {formats}",
        format=shown(kind),
        formats=", ".join(FORMATS),
    )


def is_database(head: bytes) -> bool:
    """Whether a file that begins so is an SQLite database: no text, and not to be read whole."""
    return head.startswith(DATABASE_MARK)


def detect(head: str, name: str) -> Format:
    """What kind of file begins with `head`: its content decides, then its name."""
    lowered = name.lower()
    lines = head.removeprefix("\ufeff").split("\n")[:_HEAD]
    filled = [line for line in lines if line.strip()]
    kind = _json_kind(filled)
    if kind is not None:
        return kind
    if lowered.endswith(_JSON_NAMES):
        return "jsonl"
    if lowered.endswith(_MARKDOWN_NAMES) or any(_is_heading(line) for line in filled):
        return "markdown"
    return "chat"


def _json_kind(lines: list[str]) -> Format | None:
    """The kind of lines that are JSON; None where they are something else."""
    import json

    for line in lines:
        if not line.lstrip().startswith("{"):
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            return _kind_of_entry(value)
    # No line is an object of its own: it may be one document over many lines.
    first = lines[0].strip() if lines else ""
    if first.startswith("{"):
        return "gemini-cli" if all(name in "".join(lines) for name in _GEMINI) else "jsonl"
    # `[10:30] Alice: hi` begins with a bracket too, and so does a link in Markdown.
    if first == "[" or (first.startswith("[") and first[1:].lstrip()[:1] in ("{", "[", "]")):
        return "jsonl"
    return None


def _kind_of_entry(entry: dict[str, object]) -> Format:
    """What kind of file has this as its first object."""
    from loxodon.workspace.readers.claude_code import is_claude_code
    from loxodon.workspace.readers.codex import is_codex
    from loxodon.workspace.readers.gemini_cli import is_gemini

    if is_claude_code(entry):
        return "claude-code"
    if is_codex(entry):
        return "codex"
    if is_gemini(entry):
        return "gemini-cli"
    return "openclaw" if _is_openclaw(entry) else "jsonl"


def _is_openclaw(entry: dict[str, object]) -> bool:
    kind = entry.get("type")
    if kind == "session":
        return "role" not in entry
    if not isinstance(kind, str) or "id" not in entry:
        return False
    return "parentId" in entry or (kind == "message" and isinstance(entry.get("message"), dict))


def _is_heading(line: str) -> bool:
    marks = len(line) - len(line.lstrip("#"))
    return 0 < marks <= 6 and line[marks : marks + 1] == " "
