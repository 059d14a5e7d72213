"""Commands about memories, messages and files: adding, finding, showing and changing them."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING, Any

from loxodon.cli import view
from loxodon.cli.commands import Call, Result, arg, command, derived, read_file
from loxodon.clock import zone_named
from loxodon.errors import InputError, StaleEditError
from loxodon.messages import t
from loxodon.security.paths import allowed_path
from loxodon.types import FileProblem

if TYPE_CHECKING:
    from loxodon.journal import Reading

ID = arg("ID", "id of the memory, such as f_20260204_001")
FORMATS = "jsonl|openclaw|claude-code|codex|gemini-cli|markdown|chat"
IMPORTS = "memory|mem0|chatgpt|claude|claude-code|tiered"

derived("list", about="List memories, newest first.")
derived("journal", about="Show or search past messages.", words="query")
derived("archive", ID, said="archived {id}; `loxodon unarchive {id}` restores it")
derived("unarchive", ID, said="{id} is active again")
derived("entities", about="List known people, places and things; `inspect NAME` shows one.")
derived("history", ID, about="Show every version of a memory.", without="limit")
derived(
    "inspect",
    arg("ID", "id of a memory, message, note or entity, or a name", nargs="+", dest="name"),
)
derived("profile", about="Show the core facts about the user.")
derived("snapshot", about="Print what a conversation should start with.")
DONE = arg("--done yes|no", "whether a plan is done")
derived("edit", ID, DONE, said="{id} is now at version {version}")
derived(
    "capture",
    arg("--kind --type fact|belief", "a fact, or a belief that is not certain"),
    about="Save one memory in your own words.",
    words="content",
    without="origin",
    makes=True,
    said="remembered as {id}",
)
derived(
    "export",
    arg("DIR", "folder to write to (default: setting workspace.path)", nargs="?", dest="folder"),
    arg("--plain", "write plain text although this memory is encrypted; needs DIR"),
    about="Write the memory as text you can read and edit.",
    verb="workspace.export",
    without="folder",
)
derived(
    "import",
    arg(f"--format {IMPORTS}", "format of the file; detected if omitted"),
    about="Import memories and chats from another program.",
    verb="workspace.take_in",
    makes=True,
    note="next: `loxodon consolidate`; if it is all yours: `loxodon review --confirm-all import`",
)


@command(
    arg("FILE", "a file, or - for standard input", nargs="+"),
    arg(f"--format {FORMATS}", "format of the file; detected if omitted"),
    arg("--session NAME", "session for messages that name none (default: the file name)"),
    arg("--me NAME", "your name in the file; can be repeated, and given later", action="append"),
    arg("--skip-bad", "add the valid lines and report the others"),
    verb="add_drafts",
)
def add(call: Call) -> Result:
    """Add conversations to the journal, from files or standard input."""
    # All files are read before any is journalled: a bad line refuses them all.
    files = [(name, _read(name, call)) for name in call.file]
    counts: Counter[str] = Counter()
    lists: dict[str, list[Any]] = {"sessions": [], "people": [], "unfound": []}
    skipped, notes = list[FileProblem](), list[str]()
    with call.opened(make=True) as memory:
        for name, reading in files:
            names = [call.session] if call.session else _session_names(name, f"{memory.now():%F}")
            done = memory.add_drafts(reading.drafts, names, view.progress, me=call.me)._asdict()
            for field, found in lists.items():
                found += [one for one in done.pop(field) if one not in found]
            counts.update(done)
            bad = [(line, *error.localized()) for line, error in reading.problems]
            skipped += [FileProblem(view.visible(name), *one) for one in bad]
        if memory.config.enabled and counts["added"] and not memory.status().last_consolidation:
            notes.append(t("next: `loxodon consolidate` turns this into memories"))
    if people := ", ".join(lists["people"]):
        said = t("nothing is learned until you say with --me who you are: {names}", names=people)
        notes.append(said)
    return Result({**counts, **lists, "skipped": skipped}, note="\n".join(notes))


def _read(name: str, call: Call) -> Reading:
    """What a file has in it: text, or the database that OpenClaw keeps its sessions in."""
    from loxodon.journal import DATABASE_MARK, openclaw_db, read

    if name != "-":
        if not os.path.exists(name):
            hint = "check its name; to save one memory in your own words: `loxodon capture TEXT`"
            raise InputError("there is no file {file}", hint=hint, file=repr(name))
        allowed_path(call.home_folder, name)
    data, zone = read_file(name), zone_named(call.config.timezone)
    if call.format in (None, "openclaw") and name != "-" and data.startswith(DATABASE_MARK):
        reading = openclaw_db.read_database(name, zone)
    else:
        reading = read(data, name, call.format, zone)
    if reading.problems and not (call.skip_bad and reading.drafts):
        raise InputError(
            "{file}: nothing was added: {n} invalid line",
            plural="{file}: nothing was added: {n} invalid lines",
            hint="fix these lines, skip them with --skip-bad, or set the format with --format",
            problems=reading.problems,
            file=view.visible(name),
            n=len(reading.problems),
        )
    if not reading.drafts:
        message, like = "{file} contains no messages", '{"role": "user", "content": "…"}'
        hint = "write lines such as {example}, or set the format with --format"
        raise InputError(message, hint=hint, file=view.visible(name), example=like)
    return reading


def _session_names(name: str, today: str) -> list[str]:
    """What the session of a file may be called, best first: its name, then with its folder."""
    if name == "-":
        return [f"stdin-{today}"]
    folder, file = os.path.split(os.path.splitext(view.visible(os.path.abspath(name)))[0])
    fuller = f"{os.path.basename(folder)}/{file}".removeprefix("/")
    return [file, fuller, *(f"{fuller} ({n})" for n in range(2, 100))]


@command(
    arg("--explain", "explain why each item was found"),
    verb="recall",
    words="query",
    without="in_view",
)
def recall(call: Call) -> Result:
    """Search the memory."""
    answer = call.do()
    lines = [*view.items(answer.items, explain=call.explain)]
    if not answer.items:
        lines.append(t("nothing related was found"))
    elif answer.unsure:
        lines.append(t("possibly none of this answers the question"))
    told = {"found": len(answer.items), "tokens": answer.tokens}
    told["left_out"] = sum(one.number for one in answer.left_out)
    lines.append(f"{view.in_words(told)}, {answer.elapsed_ms:.1f} ms".removeprefix(", "))
    if call.explain:
        return Result(answer, [*lines, *view.record(answer.trace or {})])
    return Result(answer._replace(trace=None), lines)


@command(
    arg("--workspace DIR", "folder of SOUL.md, USER.md and memory/DAY.md (default: the home)"),
    verb="assemble",
    words="message",
    without="soul",
)
def context(call: Call) -> Result:
    """Print everything an agent should see before it replies."""
    found = call.do()
    if found.recall:  # how each memory was found is told by `recall --explain`
        found = found._replace(recall=found.recall._replace(trace=None))
    return Result(found, found.text)


@command(arg("ID", "id of a memory (f_…), a message (t_…) or a chunk of a note (n_…)"), verb="get")
def show(call: Call) -> Result:
    """Show a memory, or a message (t_…)."""
    with call.opened() as memory:
        if call.id.startswith("n_"):
            return Result(memory.note(call.id))
        is_turn = call.id.startswith("t_") or ":" in call.id
        return Result(memory.turn(call.id) if is_turn else memory.get(call.id), hide="positive")


@command(
    arg("--deletions", "archive every memory whose line was deleted, even if many"),
    verb="workspace.sync",
)
def sync(call: Call) -> Result:
    """Apply your edits of the text views, and index your notes."""
    found = call.do()
    code = InputError.exit_code if found.problems else 0
    return Result(found, code=StaleEditError.exit_code if found.conflicts else code)
