"""What other programs keep of a person, taken into a memory.

    memory   MEMORY.md, USER.md, daily notes, a three-layer memory: a file of them, or a folder
    mem0     what mem0 exports as JSON
    list     a JSON list of things to remember, or one object a line
    chatgpt  the archive that ChatGPT exports
    claude   the archive that Claude exports
    claude-code  transcripts of Claude Code
    tiered   the SQLite database of a four-tier memory

Each format has a reader, which finds; `take` takes in. The same import again adds nothing.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from datetime import tzinfo
from typing import TYPE_CHECKING

from loxodon.errors import InputError, NotFoundError, UsageError
from loxodon.imports import chats, markdown, records
from loxodon.imports.found import Around, Found, NewMemory, Reader, Talk, problem
from loxodon.imports.package import Package
from loxodon.imports.take import Imported, Job, Taker
from loxodon.journal.lines import DATABASE_MARK
from loxodon.journal.transcripts import is_claude_code
from loxodon.messages import t
from loxodon.store import Progress
from loxodon.store.store import Store
from loxodon.types import FileProblem

if TYPE_CHECKING:
    from loxodon.memory import Memory

READERS: Mapping[str, Reader] = {
    "memory": markdown.read,
    "mem0": records.read_mem0,
    "list": records.read_list,
    "chatgpt": chats.read_chatgpt,
    "claude": chats.read_claude,
    "claude-code": chats.read_transcripts,
    "tiered": records.read_tiered,
}


def take_in(
    memory: Memory,
    store: Store,
    zone: tzinfo | None,
    path: str,
    format: str | None = None,
    *,
    user: str = "",
    dry_run: bool = False,
    progress: Progress | None = None,
) -> Imported:
    """What `Workspace.take_in` promises."""
    if format is not None and format not in READERS:
        raise UsageError(
            "unknown format {format}",
            hint="use one of {formats}",
            format=repr(format),
            formats=", ".join(READERS),
        )
    if not os.path.exists(path):
        raise NotFoundError(
            "not found: {path}", hint="check the name of the file or folder", path=repr(path)
        )
    if not dry_run:
        memory.refuse_if_paused()
    around = Around(memory.now(), zone, user)
    with Package(path, memory.home) as package:
        kind = format or detect(package)

        def found() -> Iterator[Found]:
            for name in package.outside:
                error = InputError(
                    "it is a link out of the folder, or not a regular file", hint="not read"
                )
                yield problem(name, 0, error)
            yield from READERS[kind](package, around)

        # Once to see that the whole can be read, so that nothing is half taken
        total, empty, first = 0, True, ""
        for one in READERS[kind](package, around):
            total += len(one.turns) if isinstance(one, Talk) else isinstance(one, NewMemory)
            first = first or (one.what if isinstance(one, FileProblem) else "")
            empty = False
        if empty or (not total and first):
            raise InputError(
                "nothing in {file} can be imported as {format}: {reason}",
                hint="set another format with --format, or check the file",
                file=package.name,
                format=kind,
                reason=first or t("it has no entries"),
            )
        return Taker(memory, store, Job(kind, dry_run, total, progress)).take(found())


def detect(package: Package) -> str:
    """The format, by the content first; an InputError where nothing tells."""
    names = package.names
    if package.alone:
        return _kind_of_file(package, names[0])
    named = [name for name in names if name.lower().endswith(".json")]
    of_claude = ("memories.json", "projects.json")
    exports = chats.files_of(package) or [one for one in named if one.lower().endswith(of_claude)]
    if not exports and any(map(markdown.is_part, names)):
        return "memory"
    lines = (package.head(name) for name in names if name.lower().endswith(".jsonl"))
    if not exports and any(map(_is_transcript, lines)):
        return "claude-code"
    if not exports and len(named) != 1:
        raise _unknown(package.name)
    return _kind_of_json(package, (exports or named)[0])


def _kind_of_file(package: Package, name: str) -> str:
    head = package.head(name).lstrip(b"\xef\xbb\xbf \t\r\n")
    if head.startswith(DATABASE_MARK):
        return "tiered"
    if markdown.is_note(name):
        return "memory"
    if head[:1] not in (b"[", b"{"):
        raise _unknown(package.name)
    if not records.one_a_line(package, name):
        return _kind_of_json(package, name)
    return "claude-code" if _is_transcript(head) else _kind_of(_first_line(head), name)


def _first_line(head: bytes) -> object:
    try:
        return json.loads(head.partition(b"\n")[0])
    except (ValueError, RecursionError):
        return {"content": "-"}  # too long, or broken: its reader says which line is


def _is_transcript(head: bytes) -> bool:
    """Whether Claude Code wrote a file that begins so; a line too long to be parsed has marks."""
    first = _first_line(head)
    marked = head[:1] == b"{" and b'"sessionId":' in head and b'"parentUuid":' in head
    return marked or (isinstance(first, dict) and is_claude_code(first))


def _kind_of_json(package: Package, name: str) -> str:
    inside = ("conversations", *records.LISTS)
    return _kind_of(next(package.elements(name, inside), ("", "-"))[1], name)


def _kind_of(first: object, name: str) -> str:
    """The format that has such an element."""
    if isinstance(first, Mapping) and "loxodon" in first:
        raise InputError(
            "{file} is a text view written by Loxodon",
            hint="apply its edits with `loxodon sync`, or restore all of it with `loxodon restore`",
            file=name,
        )
    kinds = {
        "chatgpt": chats.is_chatgpt,
        "claude": chats.is_claude,
        "mem0": records.is_mem0,
        "list": records.is_listed,
    }
    for kind, fits in kinds.items():
        if fits(first):
            return kind
    if isinstance(first, Mapping) and ("role" in first or "messages" in first):
        raise InputError(
            "{file} is a conversation, not a memory",
            hint="add conversations with `loxodon add`",
            file=name,
        )
    raise _unknown(name)


def _unknown(name: str) -> InputError:
    return InputError(
        "cannot detect the format of {file}",
        hint="set it with --format: {formats}",
        file=name,
        formats=", ".join(READERS),
    )
