"""What other programs keep of a person, taken into a memory.

    memory   MEMORY.md, USER.md, daily notes, a three-layer memory: a file of them, or a folder
    mem0     what mem0 exports as JSON
    chatgpt  the archive that ChatGPT exports
    claude   the archive that Claude exports
    claude-code  transcripts of Claude Code
    tiered   the SQLite database of a four-tier memory

Each format has a reader, which finds; `take` takes in. The same import again adds nothing.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import closing

from loxodon.errors import InputError, NotFoundError, UsageError
from loxodon.imports import chats, markdown, records
from loxodon.imports.package import Around, Package, Reader, problem
from loxodon.imports.take import Imported, Taker
from loxodon.journal.lines import DATABASE_MARK
from loxodon.journal.transcripts import is_claude_code
from loxodon.messages import t
from loxodon.store import Progress
from loxodon.types import FileProblem
from loxodon.views.workspace import Workspace

READERS: Mapping[str, Reader] = {
    "memory": markdown.read,
    "mem0": records.read_mem0,
    "chatgpt": chats.read_chatgpt,
    "claude": chats.read_claude,
    "claude-code": chats.read_transcripts,
    "tiered": records.read_tiered,
}


def take_in(
    workspace: Workspace,
    path: str,
    format: str | None = None,
    *,
    user: str = "",
    dry_run: bool = False,
    progress: Progress | None = None,
) -> Imported:
    memory = workspace.memory
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
    around = Around(memory.now(), workspace.zone, user)
    stray = InputError("it is a link out of the folder, or not a regular file", hint="not read")
    with closing(Package(path, memory.home)) as package:
        kind = format or detect(package)
        found = list(READERS[kind](package, around))  # the whole, so that nothing is half taken
        problems = [one for one in found if isinstance(one, FileProblem)]
        if len(problems) == len(found):
            raise InputError(
                "nothing in {file} can be imported as {format}: {reason}",
                hint="set another format with --format, or check the file",
                file=package.name,
                format=kind,
                reason=problems[0].what if problems else t("it has no entries"),
            )
        problems = [*(problem(name, 0, stray) for name in package.outside), *problems]
    return Taker(workspace, kind, problems, progress, dry=dry_run).take(found)


def detect(package: Package) -> str:
    """The format, by the content first; an InputError where nothing tells."""
    names = package.names
    documents = [name for name in names if name.lower().endswith(".json")]
    if package.alone:
        head = package.head(names[0]).lstrip(b"\xef\xbb\xbf \t\r\n")
        if head.startswith(DATABASE_MARK):
            return "tiered"
        if _is_transcript(head):
            return "claude-code"
        if markdown.is_note(names[0]) or markdown.is_part(names[0]):
            return "memory"
        is_document = head[:1] in (b"[", b"{") and not names[0].lower().endswith(".jsonl")
        documents = names if is_document else []
    elif exports := chats.files_of(package) or [*filter(chats.is_of_claude, documents)]:
        documents = exports[:1]
    elif any(map(markdown.is_part, names)):
        return "memory"
    elif any(_is_transcript(package.head(n)) for n in names if n.lower().endswith(".jsonl")):
        return "claude-code"
    lists = ("conversations", *records.LISTS)
    elements = package.elements(documents[0], lists) if len(documents) == 1 else iter(())
    _, first = next(elements, ("", None))
    # The format that has elements such as the first of this file
    kinds = {"chatgpt": chats.is_chatgpt, "claude": chats.is_claude, "mem0": records.is_mem0}
    for kind, fits in kinds.items():
        if fits(first):
            return kind
    raise InputError(
        "cannot detect the format of {file}",
        hint="set it with --format: {formats}; add conversations with `loxodon add`",
        file=package.name,
        formats=", ".join(READERS),
    )


def _is_transcript(head: bytes) -> bool:
    """Whether Claude Code wrote a file that begins so; a line too long to be parsed has marks."""
    try:
        first = json.loads(head.partition(b"\n")[0])
    except (ValueError, RecursionError):
        return head[:1] == b"{" and b'"sessionId":' in head and b'"parentUuid":' in head
    return isinstance(first, dict) and is_claude_code(first)
