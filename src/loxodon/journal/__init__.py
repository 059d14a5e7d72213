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

import json
from datetime import tzinfo
from importlib import import_module
from typing import Any, cast

from loxodon.errors import UsageError
from loxodon.journal import lines
from loxodon.journal.lines import DATABASE_MARK, FORMATS, Format, Reading

__all__ = ["DATABASE_MARK", "FORMATS", "Format", "Reading", "read"]

_HEAD = 50  # lines that are looked at to tell the kind of a file


def read(
    data: bytes, name: str, format: Format | None = None, zone: tzinfo | None = None
) -> Reading:
    """The turns in a file, read as `format`, or as what it looks like; times are in `zone`."""
    from loxodon.journal.transcripts import AGENTS

    file = lines.split_lines(data)
    head = [text for text in file.texts[:_HEAD] if text.strip()]
    kind = format or _kind_of(head, name.lower())
    if kind not in FORMATS:
        about: Any = {"format": lines.shown(kind), "formats": ", ".join(FORMATS)}
        raise UsageError("unknown format {format}", hint="use one of {formats}", **about)
    # A reader is imported only when such a file is read.
    module = None if kind in AGENTS else import_module(f"{__name__}.{kind}")
    reader = getattr(module, f"read_{kind}") if module else AGENTS[kind].read
    drafts, problems = reader(file, name, zone)
    return Reading(kind, drafts, sorted(problems, key=lambda problem: problem[0]))


def _kind_of(head: list[str], name: str) -> Format:
    """The kind of a file by the lines that it begins with and its name, in small letters."""
    from loxodon.journal.transcripts import AGENTS

    for line in head:
        try:
            entry = json.loads(line) if line.lstrip().startswith("{") else None
        except (ValueError, RecursionError):
            continue
        if isinstance(entry, dict):
            kind = entry.get("type")
            agent = next((name for name, one in AGENTS.items() if one.begins(entry)), "")
            message = kind == "message" and isinstance(entry.get("message"), dict)
            of_tree = isinstance(kind, str) and "id" in entry and ("parentId" in entry or message)
            of_openclaw = of_tree or (kind == "session" and "role" not in entry)
            return cast(Format, agent or ("openclaw" if of_openclaw else "jsonl"))
    # No line is an object of its own: it may be one document over many lines. `[10:30] Alice: hi`
    # begins with a bracket too, and so does a link in Markdown.
    first = head[0].strip() if head else ""
    is_list = first == "[" or (first[:1] == "[" and first[1:].lstrip()[:1] in ("{", "[", "]"))
    if first.startswith("{") or is_list or name.endswith((".jsonl", ".ndjson", ".json")):
        return "jsonl"
    headed = any(line.lstrip("#")[:1] == " " for line in head if line.startswith("#"))
    return "markdown" if headed or name.endswith((".md", ".markdown")) else "chat"
