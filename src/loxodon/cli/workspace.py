"""Commands about files: text views, notes, and what other programs keep."""

from __future__ import annotations

from loxodon.cli import view
from loxodon.cli.call import Call, Result
from loxodon.cli.parser import arg, command
from loxodon.errors import InputError, StaleEditError
from loxodon.messages import t
from loxodon.notes.index import Indexed
from loxodon.types import FileProblem
from loxodon.views.sync import Synced


@command(
    arg("DIR", "folder to write to (default: the workspace, setting workspace.path)", nargs="?"),
    arg("--plain", "write plain text although this memory is encrypted; needs DIR"),
    verb="workspace.export",
    without="folder",
)
def export(call: Call) -> Result:
    """Write the memory as text you can read and edit."""
    found = call.do(call.dir, plain=call.plain)
    return Result(found, view.record(found, "kept"), view.problem_lines(found.kept))


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
    shown = [*view.record(found, "problems"), None if call.dry_run else then]
    data = {"dry_run": call.dry_run, **found._asdict()}
    return Result(data, shown, view.problem_lines(found.problems))


@command(
    arg("--deletions", "archive every memory whose line was deleted, even if many"),
    verb="workspace.sync",
)
def sync(call: Call) -> Result:
    """Apply your edits of the text views, and index your notes."""
    found = call.do()
    code = StaleEditError.exit_code if found.conflicts else 0
    code = code or (InputError.exit_code if found.problems else 0)
    return Result(found, _synced(found) or t("nothing was changed"), _complaints(found), code)


def _synced(found: Synced) -> list[str]:
    """What was done, a line for each memory."""
    changed = ("added", "edited", "archived")
    lines = [f"{view.label(name)} {id}" for name in changed for id in getattr(found, name)]
    if found.indexed.read or found.indexed.removed:
        read, removed = found.indexed.read, found.indexed.removed
        lines.append(t("notes read: {read}, removed: {removed}", read=read, removed=removed))
    return lines


def _complaints(found: Synced) -> list[str]:
    """What was not taken."""
    lines = view.problem_lines(found.conflicts, t("conflict") + ": ")
    problems = (*found.problems, *found.indexed.problems)
    return [*lines, *view.problem_lines(problems), *view.problem_lines(found.notes)]


@command(arg("--no-read", "only list what is already indexed"), verb="workspace.index")
def sources(call: Call) -> Result:
    """Index the notes that changed, and list them."""
    indexed = Indexed() if call.no_read else call.do()
    with call.opened() as memory:
        found, path = memory.workspace.sources(), memory.workspace.path
    told = {problem.file for problem in indexed.problems}
    problems = [FileProblem(one.file, 0, one.problem) for one in found if one.problem]
    problems = [*indexed.problems, *(one for one in problems if one.file not in told)]
    none = t(
        "no notes at {path}; set their folders with workspace.path and workspace.folders", path=path
    )
    indexed = indexed._replace(problems=())
    shown = [*view.record(indexed), *(view.listing(found) if found else [none])]
    data = {"workspace": path, "indexed": indexed, "files": found, "problems": problems}
    return Result(data, shown, view.problem_lines(problems))
