"""Commands about files: text views, notes, and what other programs keep."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any

from loxodon import files
from loxodon.cli import view
from loxodon.cli.agents import STATE
from loxodon.cli.call import LISTED, Call, Result
from loxodon.cli.parser import arg, command
from loxodon.errors import InputError, StaleEditError
from loxodon.journal.follow import Followed
from loxodon.memory import Memory
from loxodon.messages import t, tn
from loxodon.notes.index import Indexed
from loxodon.types import FileProblem
from loxodon.views.sync import Synced

if TYPE_CHECKING:
    from loxodon.views.watch import Round

_LINE = 80  # characters of a memory that a sync tells
REASONS = {
    "branch": "messages of abandoned branches",
    "generated": "files that Loxodon wrote",
    "not memory": "other files",
    "deleted": "deleted at the source",
    "private": "conversations marked as not to be remembered",
    "metadata": "fields with no counterpart here",
    "other user": "other people's memories",
}
"""Why something was not imported, where one word does not say it."""


@command(
    arg("DIR", "folder to write to (default: the workspace, setting workspace.path)", nargs="?"),
    arg("--about NAME", "only what is known about NAME, as one JSON file"),
    arg("--plain", "write plain text although this memory is encrypted; needs DIR"),
    verb="workspace.export",
    without="folder",
)
def export(call: Call) -> Result:
    """Write the memory as text you can read and edit."""
    if call.about:
        return _export_about(call)
    with call.opened() as memory, view.Bar(t("writing")) as bar:
        found = memory.workspace.export(call.dir, **call.given(), plain=call.plain, progress=bar)
    said = t(
        "files written: {written}, unchanged: {unchanged}, removed: {removed}",
        written=found.written,
        unchanged=found.unchanged,
        removed=found.removed,
    )
    return Result(found, [found.folder, said], view.problem_lines(found.kept))


def _export_about(call: Call) -> Result:
    """All that is known about someone or something, as one file or on standard output."""
    from loxodon.security.paths import allowed_path
    from loxodon.views import copies

    path = call.dir or ""
    with call.opened() as memory:
        if path and memory.encrypted and not call.plain:
            raise InputError(
                "this memory is encrypted, but the file would be plain text",
                hint="to write it anyway, add --plain",
            )
        found: Any = memory.guard.shown_value(
            memory.subject(call.about), private=True, reveal=call.reveal
        )
        folder = memory.workspace.folder
    text = view.json_text(found) + "\n"
    if not path:
        return Result(found, text.removesuffix("\n"))
    path = allowed_path(call.folder, path)
    copies.note(folder, path, "file")
    try:
        files.replace(path, text.encode("utf-8", "replace"))
    except OSError as error:
        raise InputError(
            "cannot write {path}: {reason}",
            hint="choose a file in an existing folder",
            path=path,
            reason=error.strerror or str(error),
        ) from None
    counts = {name: len(getattr(found, name)) for name in ("memories", "turns", "events", "notes")}
    return Result({"file": path, **counts}, view.record({"file": path, **counts}))


# Importing


@command(
    arg(
        "--format",
        "format of the file; detected if omitted",
        choices=("memory", "mem0", "list", "chatgpt", "claude", "tiered"),
    ),
    verb="workspace.take_in",
)
def import_(call: Call) -> Result:
    """Import memories and chats from another program."""
    with call.opened(make=not call.dry_run) as memory, view.Bar(t("importing")) as bar:
        found = memory.workspace.take_in(**call.given(), progress=bar)
    dry = call.dry_run
    said = t("would import, as {format}:", format=found.format)
    shown: list[object] = [said if dry else t("imported, as {format}:", format=found.format)]
    shown += view.record(found._replace(skipped={}, problems=(), format=""))
    if found.skipped:
        skipped = [(t(REASONS.get(why, why)), n) for why, n in found.skipped.items()]
        shown += [t("skipped:"), view.pairs((f"  {why}", n) for why, n in skipped)]
    if found.turns and not dry:
        shown.append(t("next: `loxodon consolidate` turns the messages into memories"))
    if found.memories and not dry:
        shown.append(
            t(
                "these memories are marked as imported; if they are all yours, confirm them with "
                "`loxodon review --confirm-all import`"
            )
        )
    said = t("not imported: ")
    return Result(
        {"dry_run": dry, **found._asdict()}, shown, view.problem_lines(found.problems, said)
    )


# Syncing


@command(
    arg(
        "--deletions",
        "archive every memory whose line was deleted, even if there are many or they have changed "
        "since",
    ),
    verb="workspace.sync",
)
def sync(call: Call) -> Result:
    """Apply your edits of the text views, and index your notes."""
    with call.opened() as memory:
        found = memory.workspace.sync(**call.given())
        lines = _synced(memory, found)
    code = StaleEditError.exit_code if found.conflicts else 0
    code = code or (InputError.exit_code if found.problems else 0)
    return Result(found, lines or t("nothing was changed"), _complaints(found), code)


@command(
    arg("--follow", "also add the conversations of your agents as they grow; see `loxodon follow`"),
    STATE,
    verb="workspace.sync",
    takes=False,
)
def watch(call: Call) -> Result:
    """Sync on every change, until stopped."""
    import signal
    from threading import Event

    from loxodon.agents.openclaw.follow import state_folder
    from loxodon.http.wire import plain
    from loxodon.journal.follow import found_agents
    from loxodon.views.watch import watch

    stop = Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    with call.opened() as memory:
        begun = [t("watching {path}; press Ctrl-C to stop", path=memory.workspace.path)]

        def tell(round: Round) -> None:
            if call.json:
                found: dict[str, object] = plain(round._replace(error=None))
                if round.error:
                    message, hint = round.error.localized()
                    found["error"] = {"code": round.error.code, "message": message, "hint": hint}
                print(json.dumps(found, ensure_ascii=False), flush=True)
                return
            added = [followed(round.followed)[0]] if round.followed and round.followed.added else []
            view.show(*begun, *_synced(memory, round.synced), *added)
            begun.clear()
            sys.stdout.flush()
            view.warn(*_complaints(round.synced, round.followed))
            if round.error:
                message, hint = round.error.localized()
                view.warn(t("error: {message}", message=f"{message} ({hint})" if hint else message))

        agents = found_agents(os.environ) if call.follow else []
        claw = state_folder(call.state, os.environ)
        # Where no agent is there, following OpenClaw says so.
        follows = call.state or (call.follow and (os.path.isdir(claw) or not agents))
        watch(memory.workspace, stop, tell, claw if follows else None, agents)
    return Result({}, printed=True)


def _synced(memory: Memory, found: Synced) -> list[str]:
    """What was done, a line for each memory."""
    lines = []
    for name in ("added", "edited", "archived", "unarchived"):
        for id in getattr(found, name):
            first = "" if ":" in id else memory.get(id).content.split("\n", 1)[0]
            cut = f"{first[:_LINE]}…" if len(first) > _LINE else first
            # A place in a file, of a dry run, has no content yet.
            lines.append(f"{view.label(name)} {id}" + (f": {cut}" if first else ""))
    if found.indexed.read or found.indexed.removed:
        read, removed = found.indexed.read, found.indexed.removed
        lines.append(t("notes read: {read}, removed: {removed}", read=read, removed=removed))
    return lines


def _complaints(found: Synced, more: Followed | None = None) -> list[str]:
    """What was not taken."""
    problems = (*found.problems, *found.indexed.problems, *(more.problems if more else ()))
    lines = view.problem_lines(found.conflicts, t("conflict") + ": ")
    lines += view.problem_lines(problems, t("problem") + ": ")
    return lines + view.problem_lines(found.notes, t("note") + ": ")


def followed(found: Followed) -> list[str]:
    """What was taken from transcripts of agents."""
    from loxodon.cli.memory import changed

    lines = [
        t("turns added: {added}, already known: {known}", added=found.added, known=found.known)
    ]
    said = t(
        "transcripts read: {read}, unchanged: {unchanged}, without a person: {skipped}",
        read=found.read,
        unchanged=found.unchanged,
        skipped=found.skipped,
    )
    return [*lines, said, *([changed(found.changed)] if found.changed else [])]


@command(arg("--no-read", "only list what is already indexed"), verb="workspace.index")
def sources(call: Call) -> Result:
    """Index the notes that changed, and list them."""
    indexed = Indexed()
    with call.opened() as memory:
        if not call.no_read:
            with view.Bar(t("reading notes")) as bar:
                indexed = memory.workspace.index(bar)
        found, path = memory.workspace.sources(), memory.workspace.path
    told = {problem.file for problem in indexed.problems}
    problems = list(indexed.problems)
    problems += [
        FileProblem(one.file, 0, one.problem)
        for one in found
        if one.problem and one.file not in told
    ]
    shown: list[object] = []
    if not call.no_read:
        shown.append(
            tn(
                "{n} file read, {unchanged} unchanged, {removed} removed",
                "{n} files read, {unchanged} unchanged, {removed} removed",
                indexed.read,
                unchanged=indexed.unchanged,
                removed=indexed.removed,
            )
        )
    if found:
        rows = [(one.file, view.label(one.role), str(one.chunks)) for one in found[:LISTED]]
        shown.append(view.Table(("file", "kind", "chunks"), rows))
        if len(found) > LISTED:
            shown.append(t("… and {n} more; --json lists all", n=len(found) - LISTED))
    else:
        shown.append(
            t(
                "no notes at {path}; set their folders with workspace.path and workspace.folders",
                path=path,
            )
        )
    data = {
        "workspace": path,
        "indexed": indexed._replace(problems=()),
        "files": found,
        "problems": problems,
    }
    return Result(data, shown, view.problem_lines(problems))
