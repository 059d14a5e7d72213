"""What other programs keep of a person, taken into a memory.

    memory   MEMORY.md, USER.md, daily notes, a three-layer memory: a file of them, or a folder
    mem0     what mem0 exports as JSON
    list     a JSON list of things to remember, or one object a line
    chatgpt  the archive that ChatGPT exports
    claude   the archive that Claude exports
    claude-code  transcripts of Claude Code
    tiered   the SQLite database of a four-tier memory
    config   the settings of a three-layer or a four-tier memory

Each format has a reader, which finds; `take` takes in. The same import again adds nothing.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterator, Mapping
from datetime import tzinfo
from typing import TYPE_CHECKING

from loxodon.errors import InputError, NotFoundError, UsageError
from loxodon.imports import chats, markdown, records, settings, tiered
from loxodon.imports.document import elements, whole
from loxodon.imports.found import Around, Found, NewMemory, Reader, Setting, Talk, problem
from loxodon.imports.package import Package
from loxodon.imports.take import Job, Taker
from loxodon.journal.lines import DATABASE_MARK
from loxodon.security.import_settings import Choice
from loxodon.store import Progress
from loxodon.store.store import Store
from loxodon.types import FileProblem, Imported

if TYPE_CHECKING:
    from loxodon.memory import Memory

READERS: Mapping[str, Reader] = {
    "memory": markdown.read,
    "mem0": records.read_mem0,
    "list": records.read_list,
    "chatgpt": chats.read_chatgpt,
    "claude": chats.read_claude,
    "claude-code": chats.read_transcripts,
    "tiered": tiered.read,
    "config": settings.read,
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
    settings: bool = False,
    take: Collection[str] = (),
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
        choice = Choice(settings, tuple(take))
        total = _readable(package, around, kind, choice)
        job = Job(kind, dry_run, total, progress, choice)
        return Taker(memory, store, job).take(_found(package, around, kind))


def _found(package: Package, around: Around, kind: str) -> Iterator[Found]:
    for name in package.outside:
        error = InputError("it is a link out of the folder, or not a regular file", hint="not read")
        yield problem(name, 0, error)
    yield from READERS[kind](package, around)


def _readable(package: Package, around: Around, kind: str, choice: Choice) -> int:
    """How much there is to take; an InputError where it cannot be read, or none of it is good."""
    total = 0
    offered: list[str] = []
    first: FileProblem | None = None
    one: Found | None = None
    for one in READERS[kind](package, around):
        if isinstance(one, FileProblem):
            first = first or one
        elif isinstance(one, Talk):
            total += len(one.turns)
        elif isinstance(one, NewMemory | Setting):
            total += 1
            offered += [one.name] if isinstance(one, Setting) else []
    if not total and first is not None and kind != "config":
        raise InputError(
            "nothing in {file} can be imported as {format}: {reason}",
            hint="set another format with --format, or check the file",
            file=package.name,
            format=kind,
            reason=first.what,
        )
    if one is None:
        raise InputError(
            "{file} contains nothing to import as {format}",
            hint="set another format with --format, or check the file",
            file=package.name,
            format=kind,
        )
    choice.check(offered)
    return total


# What kind of thing something is, by its content first


def detect(package: Package) -> str:
    """The format; an InputError where nothing tells."""
    if package.alone:
        return _kind_of_file(package, package.names[0])
    json_files, lines = (
        [name for name in package.names if name.lower().endswith(end)]
        for end in (".json", ".jsonl")
    )
    exports = chats.files_of(package) or [
        name for name in json_files if name.lower().endswith(("memories.json", "projects.json"))
    ]
    if not exports and any(map(markdown.is_part, package.names)):
        return "memory"
    if not exports and any(_is_transcript(package.head(name)) for name in lines):
        return "claude-code"
    if not exports and len(json_files) != 1:
        raise _unknown(package.name)
    return _kind_of_json(package, (exports or json_files)[0])


def _kind_of_file(package: Package, name: str) -> str:
    head = package.head(name).lstrip(b"\xef\xbb\xbf \t\r\n")
    if head.startswith(DATABASE_MARK):
        return "tiered"
    if markdown.is_note(name):
        return "memory"
    if head[:1] not in (b"[", b"{", b"/"):
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
    return chats.is_claude_code_entry(_first_line(head), head)


def _kind_of_json(package: Package, name: str) -> str:
    place, first = next(elements(package, name, ("conversations", *records.LISTS)), ("[0]", "-"))
    if place.startswith(".") and place != ".":  # under a name: what stands beside it may tell more
        document = whole(package, name)
        first = document if "loxodon" in document or settings.is_config(document) else first
    return _kind_of(first, name)


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
        "config": settings.is_config,
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
