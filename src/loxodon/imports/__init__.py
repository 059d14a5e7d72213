"""What other programs keep of a person, taken into a memory.

    memory   MEMORY.md, USER.md and daily notes: a file of them, or a folder
    mem0     what mem0 exports as JSON
    list     a JSON list of things to remember, or one object a line
    chatgpt  the archive that ChatGPT exports
    claude   the archive that Claude exports
    claude-code  transcripts of Claude Code
    tiered   the SQLite database of a four-tier memory
    config   the settings of a three-layer or a four-tier memory

Each format is a file here with a reader, which finds; `take` takes in. The same import again adds
nothing.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from datetime import tzinfo
from importlib import import_module
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

from loxodon.errors import InputError, NotFoundError, UsageError
from loxodon.imports.found import Around, Found, NewMemory, Reader, Setting, Talk, problem
from loxodon.imports.package import Package
from loxodon.store import Progress
from loxodon.store.store import Store
from loxodon.trust.access.offered import Choice
from loxodon.types import FileProblem, Imported

if TYPE_CHECKING:
    from loxodon.memory import Memory

Format = Literal["memory", "mem0", "list", "chatgpt", "claude", "claude-code", "tiered", "config"]
FORMATS: tuple[Format, ...] = get_args(Format)

_MODULES: Mapping[Format, str] = {
    "memory": "tree",
    "mem0": "mem0",
    "list": "plain",
    "chatgpt": "chatgpt",
    "claude": "claude",
    "claude-code": "claude_code",
    "tiered": "tiered",
    "config": "settings",
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
    from loxodon.imports.take import Taker

    if format is not None and format not in FORMATS:
        raise UsageError(
            "unknown format {format}",
            hint="use one of {formats}",
            format=repr(format),
            formats=", ".join(FORMATS),
        )
    if not os.path.exists(path):
        raise NotFoundError(
            "not found: {path}", hint="check the name of the file or folder", path=repr(path)
        )
    if not dry_run:
        memory.refuse_if_paused()
    around = Around(memory.now(), zone, user)
    with Package(path, memory.home) as package:
        kind = format if format is not None else detect(package)
        read = _reader(kind)
        choice = Choice(settings, tuple(take))
        total, offered = _readable(read, package, around, kind)
        choice.check(offered)
        taker = Taker(
            memory, store, kind, dry=dry_run, progress=progress, total=total, choice=choice
        )
        return taker.take(chain(_outside(package), read(package, around)))


def _outside(package: Package) -> Iterator[Found]:
    for name in package.outside:
        yield problem(
            name,
            0,
            InputError("it is a link out of the folder, or not a regular file", hint="not read"),
        )


def _readable(
    read: Reader, package: Package, around: Around, kind: Format
) -> tuple[int, list[str]]:
    """How much there is to take, and which settings; an InputError where it cannot be read, or
    none of it is good."""
    total = 0
    offered: list[str] = []
    first: FileProblem | None = None
    for one in read(package, around):
        if isinstance(one, Talk):
            total += len(one.turns)
        elif isinstance(one, NewMemory):
            total += 1
        elif isinstance(one, Setting):
            total += 1
            offered.append(one.name)
        elif isinstance(one, FileProblem):
            first = first or one
    if not total and first is not None and kind != "config":
        raise InputError(
            "nothing in {file} can be imported as {format}: {reason}",
            hint="set another format with --format, or check the file",
            file=package.name,
            format=kind,
            reason=first.what,
        )
    return total, offered


def _reader(kind: Format) -> Reader:
    # Each is imported only when such a thing is.
    return cast(Reader, import_module(f"{__name__}.{_MODULES[kind]}").read)


def detect(package: Package) -> Format:
    """What kind of thing this is, by its content first; an InputError where nothing tells."""
    from loxodon.imports import chatgpt, tree

    if package.is_folder or package.is_archive:
        named = chatgpt.files_of(package) or _named(package, "memories.json", "projects.json")
        if not named and tree.has_memory(package):
            return "memory"
        if not named and _has_transcripts(package):
            return "claude-code"
        documents = [name for name in package.names if name.lower().endswith(".json")]
        named = named or (documents if len(documents) == 1 else [])
        if named:
            return _kind_of_json(package, named[0])
        raise _unknown(package.name)
    return _kind_of_file(package)


def _has_transcripts(package: Package) -> bool:
    from loxodon.imports import claude_code

    lines = (package.head(one) for one in package.names if one.lower().endswith(".jsonl"))
    return any(claude_code.is_entry(_first_line(one)) or claude_code.is_head(one) for one in lines)


def _named(package: Package, *wanted: str) -> list[str]:
    return [name for name in package.names if name.rsplit("/", 1)[-1].lower() in wanted]


def _kind_of_file(package: Package) -> Format:
    from loxodon.imports import claude_code, plain, tiered, tree

    name = package.names[0]
    head = package.head(name).lstrip(b"\xef\xbb\xbf \t\r\n")
    if head.startswith(tiered.MAGIC):
        return "tiered"
    if tree.is_note(name):
        return "memory"
    if head[:1] not in (b"[", b"{", b"/"):
        raise _unknown(package.name)
    if plain.one_a_line(package, name):
        if claude_code.is_entry(_first_line(head)) or claude_code.is_head(head):
            return "claude-code"
        return _kind_of(_first_line(head), name)
    return _kind_of_json(package, name)


def _first_line(head: bytes) -> object:
    import json

    line = head.partition(b"\n")[0]
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return {"content": "-"}  # too long, or broken: its reader says which line is


def _kind_of_json(package: Package, name: str) -> Format:
    from loxodon.imports.document import elements

    lists = ("conversations", "results", "memories", "facts", "items", "data")
    place, first = next(elements(package, name, lists), ("[0]", "-"))
    if place.startswith("."):  # under a name: what stands beside it may tell more
        from loxodon.imports.document import whole

        document = whole(package, name)
        if _marked(document):
            first = document
    return _kind_of(first, name)


def _marked(document: Any) -> bool:
    from loxodon.imports import settings

    return isinstance(document, Mapping) and ("loxodon" in document or settings.is_config(document))


def _kind_of(first: object, name: str) -> Format:
    """The format that has such an element."""
    from loxodon.imports import chatgpt, claude, mem0, plain, settings

    if isinstance(first, Mapping) and "loxodon" in first:
        raise InputError(
            "{file} is a text view written by Loxodon",
            hint="apply its edits with `loxodon sync`, or restore all of it with `loxodon restore`",
            file=name,
        )
    if chatgpt.is_conversation(first):
        return "chatgpt"
    if claude.is_conversation(first) or claude.is_memory(first) or claude.is_project(first):
        return "claude"
    if settings.is_config(first):
        return "config"
    if mem0.is_memory(first) or mem0.is_change(first):
        return "mem0"
    if plain.is_memory(first):
        return "list"
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
        formats=", ".join(FORMATS),
    )
