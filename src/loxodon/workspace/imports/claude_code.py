"""Transcripts of Claude Code: a file of `~/.claude/projects`, or a folder of them.

They are read as `loxodon follow` reads them, so that what was followed is not imported again.
"""

from __future__ import annotations

from collections.abc import Iterator

from loxodon.errors import InputError
from loxodon.journal.coding_agents import is_claude_code, read_claude_code
from loxodon.journal.lines import split_lines
from loxodon.workspace.imports.found import Around, Found, Talk, problem
from loxodon.workspace.imports.package import Package

FORMAT = "claude-code"
_BATCH = 500


def is_entry(value: object) -> bool:
    """Whether a line is one of such a transcript."""
    return isinstance(value, dict) and is_claude_code(value)


def is_head(head: bytes) -> bool:
    """Whether a file that begins so is one, where its first line is too long to be read at once."""
    return head[:1] == b"{" and b'"sessionId":' in head and b'"parentUuid":' in head


def read(package: Package, around: Around) -> Iterator[Found]:
    alone = not (package.is_folder or package.is_archive)
    files = [name for name in package.names if alone or name.lower().endswith(".jsonl")]
    if not files:
        raise InputError(
            "{file} contains no Claude Code transcript",
            hint="give a .jsonl file of ~/.claude/projects, or a folder of them",
            file=package.name,
        )
    for name in files:
        drafts, problems = read_claude_code(split_lines(package.read(name)), name, around.zone)
        yield from (problem(name, line, error) for line, error in problems)
        for start in range(0, len(drafts), _BATCH):
            yield Talk(tuple(drafts[start : start + _BATCH]))
