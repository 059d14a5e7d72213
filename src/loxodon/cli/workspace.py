"""Commands about files: text views, notes, and what other programs keep."""

from __future__ import annotations

from loxodon.cli.call import Call, Result
from loxodon.cli.parser import arg, command
from loxodon.errors import InputError, StaleEditError
from loxodon.messages import t


@command(
    arg("DIR", "folder to write to (default: the workspace, setting workspace.path)", nargs="?"),
    arg("--plain", "write plain text although this memory is encrypted; needs DIR"),
    verb="workspace.export",
    without="folder",
)
def export(call: Call) -> Result:
    """Write the memory as text you can read and edit."""
    return Result(call.do(call.dir, plain=call.plain))


@command(
    arg("--format memory|mem0|chatgpt|claude|tiered", "format of the file; detected if omitted"),
    verb="workspace.take_in",
)
def import_(call: Call) -> Result:
    """Import memories and chats from another program."""
    found = call.do(make=not call.dry_run)
    then = t(
        "next: `loxodon consolidate` turns messages into memories; if imported memories "
        "are all yours, confirm them with `loxodon review --confirm-all import`"
    )
    data = {"dry_run": call.dry_run, **found._asdict()}
    return Result(data, note="" if call.dry_run else then)


@command(
    arg("--deletions", "archive every memory whose line was deleted, even if many"),
    verb="workspace.sync",
)
def sync(call: Call) -> Result:
    """Apply your edits of the text views, and index your notes."""
    found = call.do()
    code = InputError.exit_code if found.problems else 0
    code = StaleEditError.exit_code if found.conflicts else code
    indexed = found.indexed.read or found.indexed.removed
    changed = found.added or found.edited or found.archived or indexed
    note = "" if changed else t("nothing was changed")
    return Result(found, hide="" if indexed else "indexed", note=note, code=code)


@command(verb="workspace.index")
def sources(call: Call) -> Result:
    """List the notes that are indexed."""
    with call.opened() as memory:  # for the owner, as what indexes them
        return Result(memory.workspace.sources())
