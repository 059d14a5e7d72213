"""Commands about memories and messages: adding, finding, showing and changing them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from loxodon.cli import view
from loxodon.cli.call import Call, Result, read_file
from loxodon.cli.parser import arg, command, derived
from loxodon.cli.view import paint
from loxodon.errors import InputError, UsageError
from loxodon.messages import t

if TYPE_CHECKING:
    from loxodon.journal import Reading
    from loxodon.types import Recall

ID = arg("ID", "id of the memory, such as f_20260204_001")
_TEXTS = ("message", "soul", "profile", "memories", "recent", "text", "state")
"""The fields of a frame that are not about how it came together."""
FORMATS = ("jsonl", "openclaw", "claude-code", "codex", "gemini-cli", "markdown", "chat")

derived(
    "capture",
    "Save one memory in your own words.",
    arg("--kind --type", "a fact, or a belief that is not certain", choices=("fact", "belief")),
    words="content",
    without="origin",
    make=True,
    said="remembered as {id}",
)
derived("list", "List memories, newest first.")
derived("journal", "Show or search past messages.", words="query")
derived(
    "archive",
    "Hide a memory from recall; it is kept.",
    ID,
    said="archived {id}; `loxodon unarchive {id}` restores it",
)
derived("history", "Show every version of a memory.", ID, without="limit")
derived(
    "inspect",
    "Show everything about a memory, a message or a person.",
    arg("ID", "id of a memory, message, note or entity, or a name", nargs="+"),
)
derived(
    "profile",
    "Show the core facts about the user.",
    arg("--refresh", "rebuild it now, as the weekly job does"),
)
derived("snapshot", "Print what a conversation should start with.")


@command(
    arg("FILE", "a file, or - for standard input", nargs="+"),
    arg("--format", "format of the file; detected if omitted", choices=FORMATS),
    arg("--session NAME", "session for messages that name none (default: the file name)"),
    arg("--me NAME", "your name in the file; can be repeated, and given later", action="append"),
    arg("--skip-bad", "add the valid lines and report the others"),
    verb="add_drafts",
)
def add(call: Call) -> Result:
    """Add conversations to the journal, from files or standard input."""
    # All files are read before any is journalled: a bad line refuses them all.
    files = [(name, _read(name, call)) for name in call.file]
    total: dict[str, Any] = {}
    lines: list[object] = []
    with call.opened(make=True) as memory, view.Bar(call.command) as bar:
        for name, reading in files:
            names = [call.session] if call.session else _session_names(name, f"{memory.now():%F}")
            done = memory.add_drafts(reading.drafts, names, bar, me=call.me)
            total = {k: total[k] + v if total else v for k, v in done._asdict().items()}
            if done.people:
                people = ", ".join(done.people)
                lines += [
                    t(
                        "nothing is learned from {file} until you say with --me who you are",
                        file=name,
                    ),
                    t("names found: {names}", names=people),
                ]
        if memory.config.enabled and total["added"] and not memory.status().last_consolidation:
            lines.append(t("next: `loxodon consolidate` turns this into memories"))
    for name in ("sessions", "people", "unfound"):
        total[name] = list(dict.fromkeys(total[name]))
    skipped = [
        {"file": _shown(name), "line": line, "message": error.localized()[0]}
        for name, reading in files
        for line, error in reading.problems
    ]
    added = t("turns added: {added}, already known: {known}", **total)
    rest = view.record(total, "added", "known", "sessions", "people")
    warnings = [t("skipped {file} line {line}: {message}", **one) for one in skipped]
    return Result({**total, "skipped": skipped}, [added, *rest, *lines], warnings)


def _shown(name: str) -> str:
    return "standard input" if name == "-" else os.fsencode(name).decode("utf-8", "replace")


def _read(name: str, call: Call) -> Reading:
    """What a file has in it: text, or the database that OpenClaw keeps its sessions in."""
    from loxodon.clock import zone_named
    from loxodon.journal import is_database, read
    from loxodon.security.paths import allowed_path

    if name != "-":
        allowed_path(call.folder, name)
    data, zone = read_file(name), zone_named(call.config.timezone)
    if call.format in (None, "openclaw") and name != "-" and is_database(data[:16]):
        from loxodon.journal.openclaw_db import read_database

        reading = read_database(name, zone)
        if not reading.drafts and len(reading.problems) == 1 and not reading.problems[0][0]:
            raise reading.problems[0][1]  # it is about the file, not about a line
    else:
        reading = read(data, name, call.format, zone)
    if reading.problems and not (call.skip_bad and reading.drafts):
        raise InputError(
            "{file}: nothing was added: {n} invalid line",
            plural="{file}: nothing was added: {n} invalid lines",
            hint="fix these lines, or skip them with --skip-bad"
            if reading.drafts
            else "no line is valid: fix the file, or set its format with --format",
            problems=reading.problems,
            file=_shown(name),
            n=len(reading.problems),
        )
    if not reading.drafts:
        raise InputError(
            "{file} contains no messages",
            hint="write lines such as {example}, or set the format with --format",
            file=_shown(name),
            example='{"role": "user", "content": "…"}',
        )
    return reading


def _session_names(name: str, today: str) -> list[str]:
    """What the session of a file may be called, best first: its name, then with its folder."""
    if name == "-":
        return [f"stdin-{today}"]
    path = os.fsencode(os.path.abspath(name)).decode("utf-8", "replace")
    folder, file = os.path.split(os.path.splitext(path)[0])
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
    answer: Recall = call.do(reveal=call.reveal)
    lines = view.items(answer.items, explain=call.explain)
    left = {one.reason: one.number for one in answer.left_out}
    if not answer.items and not answer.gate.recall:
        lines.append(t("the query has no words to look for"))
    elif not answer.items:
        lines.append(t("nothing related was found"))
    elif answer.unsure:
        lines.append(paint(t("possibly none of this answers the question"), "yellow"))
    summary = t(
        "found {n}, {tokens} of {budget} tokens, {ms} ms",
        n=len(answer.items),
        tokens=answer.tokens,
        budget=call.config.recall.budget if call.budget is None else call.budget,
        ms=f"{answer.elapsed_ms:.1f}",
    )
    if "top" in left:
        summary += "; " + t("{n} more beyond --top", n=left["top"])
    if "budget" in left:
        summary += "; " + t("{n} did not fit into the budget", n=left["budget"])
    lines.append(paint(summary, "dim"))
    if call.explain:
        return Result(answer, [*lines, *view.record(answer.trace or {})])
    return Result(answer._replace(trace=None), lines)


@command(
    arg("--workspace DIR", "folder of SOUL.md, which describes the agent (default: the home)"),
    arg("--explain", "show why each part was chosen, and its tokens, instead of the text"),
    verb="assemble",
    words="message",
    without="soul",
)
def context(call: Call) -> Result:
    """Print everything an agent should see before it replies."""
    found = call.do(workspace=call.workspace)
    if call.explain:
        items = view.items(found.recall.items if found.recall else (), explain=True)
        return Result(found, [*view.record(found, *_TEXTS, "recall"), *items])
    recalled = found.recall and found.recall._replace(trace=None)
    return Result(found._replace(recall=recalled), found.text)


@command(arg("ID", "id of a memory (f_…), a message (t_…) or a chunk of a note (n_…)"), verb="get")
def show(call: Call) -> Result:
    """Show a memory, or a message (t_…)."""
    with call.opened() as memory:
        if call.id.startswith("n_"):
            note = memory.note(call.id)
            path = os.path.join(note.file.root, note.file.path)
            return Result(note, view.record({"file": path, **note.chunk._asdict()}))
        is_turn = call.id.startswith("t_") or ":" in call.id
        found: Any = memory.turn(call.id) if is_turn else memory.get(call.id)
    return Result(found, [paint(found.content, "bold"), *view.record(found, "content")])


@command(arg("NAME", "any name of the entity", nargs="?"), verb="entities", without="limit")
def entities(call: Call) -> Result:
    """List known people, places and things, or show one."""
    if call.name is None:
        return Result(call.do())
    with call.opened() as memory:
        return Result(memory.entity(call.name))


@command(ID, arg("--done", "whether a plan is done", choices=("yes", "no")), verb="edit")
def edit(call: Call) -> Result:
    """Change a memory; the old version stays in its history."""
    done = {} if call.done is None else {"done": call.done == "yes"}
    edited = call.do(call.id, **done)
    said = t("{id} is now at version {version}", id=edited.id, version=edited.version)
    return Result(edited, said)


@command(
    arg("ID", "id of the memory, such as f_20260204_001", nargs="?"),
    arg("--run WHEN", "restore all that this run archived; `loxodon clock` lists the runs"),
    verb="unarchive",
)
def unarchive(call: Call) -> Result:
    """Bring back an archived memory, or everything that a run archived."""
    if bool(call.id) == bool(call.run):
        raise UsageError("give the id of a memory, or a run with --run")
    if call.id:
        return Result(found := call.do(call.id), t("{id} is active again", id=found.id))
    from loxodon.clock import parse_instant

    with call.opened() as memory:
        return Result(memory.unarchive_run(parse_instant(call.run, memory.now().tzinfo)))
