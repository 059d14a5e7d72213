"""Commands about memories and messages: adding, finding, showing and changing them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from loxodon.cli import view
from loxodon.cli.call import Call, Result, past, read_file, words
from loxodon.cli.parser import arg, command, derived
from loxodon.cli.view import paint
from loxodon.errors import InputError, UsageError
from loxodon.messages import current, t

if TYPE_CHECKING:
    from loxodon.journal import Reading
    from loxodon.types import Added, Draft, Recall, Record

ID = arg("ID", "id of the memory, such as f_20260204_001")
FORMATS = ("jsonl", "openclaw", "claude-code", "codex", "gemini-cli", "markdown", "chat")
_UNFOLLOWED = ("version", "updated_at", "accessed_at", "confirmed_at", "access_count", "strength")
"""Fields of a memory that change by themselves."""

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
derived(
    "archive",
    "Hide a memory from recall; it is kept.",
    ID,
    said="archived {id}; `loxodon unarchive {id}` restores it",
)


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
    _check_names(call.me, [draft for _, one in files for draft in one.drafts])
    done: list[Added] = []
    with call.opened(make=True) as memory, view.Bar(call.command) as bar:
        for name, reading in files:
            names = [call.session] if call.session else _session_names(name, f"{memory.now():%F}")
            done.append(memory.add_drafts(reading.drafts, names, bar, me=call.me))
        is_new = memory.config.enabled and memory.status().last_consolidation is None
    total: dict[str, Any] = dict(done[0]._asdict())
    for one in done[1:]:
        total = {name: value + getattr(one, name) for name, value in total.items()}
    for name in ("sessions", "people", "unfound"):
        total[name] = list(dict.fromkeys(total[name]))
    skipped = [
        {"file": _shown(name), "line": line, "message": error.localized()[0]}
        for name, reading in files
        for line, error in reading.problems
    ]
    added, known = total["added"], total["known"]
    lines: list[object] = [
        t("turns added: {added}, already known: {known}", added=added, known=known)
    ]
    lines += view.record(total, "added", "known", "sessions", "people")
    for (name, _), one in zip(files, done, strict=True):
        if one.people:
            whose = t(
                "nothing is learned from {file} until you say with --me who you are", file=name
            )
            lines += [whose, t("names found: {names}", names=", ".join(one.people))]
    if is_new and added:
        lines.append(t("next: `loxodon consolidate` turns this into memories"))
    warnings = [t("skipped {file} line {line}: {message}", **one) for one in skipped]
    return Result({**total, "skipped": skipped}, lines, warnings)


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


def _check_names(me: Sequence[str], said: Sequence[Draft]) -> None:
    """Refuse a name that nobody has in any of the files."""
    from loxodon.guard.speakers import key_of
    from loxodon.journal.chat import OWNERS

    people = {key_of(one.speaker): one.speaker for one in said if one.speaker}
    # What `Me:` says is the user's already, and has no name.
    nameless = OWNERS if any(one.role == "user" and not one.speaker for one in said) else ()
    for name in me:
        if key_of(name) not in {*people, *nameless}:
            raise InputError(
                "nobody called {name} wrote a message in it",
                hint="names found: {names}",
                name=repr(name),
                names=", ".join(people.values()) or "—",
            )


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
    budget = call.config.recall.budget if call.budget is None else call.budget
    summary = t(
        "found {n}, {tokens} of {budget} tokens, {ms} ms",
        n=len(answer.items),
        tokens=answer.tokens,
        budget=budget,
        ms=f"{answer.elapsed_ms:.1f}",
    )
    if "top" in left:
        summary += "; " + t("{n} more beyond --top", n=left["top"])
    if "budget" in left:
        summary += "; " + t("{n} did not fit into the budget", n=left["budget"])
    lines.append(paint(summary, "dim"))
    if call.explain:
        return Result(answer, [*lines, view.explained(answer)])
    return Result(answer._replace(trace=None), lines)


@command(
    arg("--soul FILE", "file that describes the agent (default: SOUL.md)"),
    arg("--workspace DIR", "folder of SOUL.md (default: the home)"),
    arg("--explain", "show why each part was chosen, and its tokens, instead of the text"),
    verb="assemble",
    words="message",
)
def context(call: Call) -> Result:
    """Print everything an agent should see before it replies."""
    if path := call.soul:
        from loxodon.recall.assemble import SOUL_FILE
        from loxodon.security import paths

        if path != "-":
            path = paths.allowed_path(call.folder, path, [os.path.join(call.folder, SOUL_FILE)])
        call.soul = read_file(path).decode("utf-8-sig", "replace")
    found = call.do(workspace=call.workspace)
    if call.explain:
        return Result(found, view.frame(found))
    return Result(
        found._replace(recall=found.recall and found.recall._replace(trace=None)), found.text
    )


@command(arg("--on WHEN", "only from that day, week or month"), verb="journal", words="query")
def journal(call: Call) -> Result:
    """Show or search past messages."""
    if call.on is None:
        return Result(call.do())
    if call.since is not None or call.until is not None:
        raise UsageError("--on cannot be combined with --since or --until")
    since, until = past(call.on, call.clock())
    return Result(call.do(since=since, until=until))


@command(arg("ID", "id of a memory (f_…), a message (t_…) or a chunk of a note (n_…)"), verb="get")
def show(call: Call) -> Result:
    """Show a memory, or a message (t_…)."""
    with call.opened() as memory:
        if call.id.startswith("n_"):
            note = memory.note(call.id)
            path = os.path.join(note.file.root, note.file.path)
            return Result(
                note, [note.chunk.text, *view.record({"file": path, **note.chunk._asdict()})]
            )
        is_turn = call.id.startswith("t_") or ":" in call.id
        found: Any = memory.turn(call.id) if is_turn else memory.get(call.id)
    return Result(found, [paint(found.content, "bold"), *view.record(found, "content")])


@command(ID, verb="history", without="limit")
def history(call: Call) -> Result:
    """Show every version of a memory."""
    found = call.do(call.id)
    lines: list[str] = []
    before: Record | None = None
    for version in found:
        number = paint(f"v{version.version}", "bold")
        lines.append(f"{number}  {view.minute(version.at)}  {t(version.change)}")
        for name, new in version.record._asdict().items():
            old = getattr(before, name) if before else None
            first = name == "content" or (name == "basis" and new)
            if name not in _UNFOLLOWED and new != old and (before or first):
                was = f"{view.in_words(old)} → " if before else ""
                lines.append(f"    {name}: {was}{view.in_words(new)}")
        before = version.record
    return Result(found, lines)


@command(arg("ID", "id of a memory, message, note or entity, or a name", nargs="+"), verb="inspect")
def inspect(call: Call) -> Result:
    """Show everything about a memory, a message or a person."""
    with call.opened() as memory:
        found = memory.inspect(" ".join(call.id))
        return Result(memory.guard.shown_value(found, private=True, reveal=call.reveal))


@command(arg("NAME", "any name of the entity", nargs="?"), verb="entities", without="limit")
def entities(call: Call) -> Result:
    """List known people, places and things, or show one."""
    if call.name is None:
        return Result(call.do())
    with call.opened() as memory:
        card = memory.entity(call.name)
        known = [memory.get(id) for id in (*card.facts, *card.beliefs, *card.summaries)]
    values = {name: one.value for name, one in card.attributes.items()}
    about = view.record({"also called": card.entity.aliases, **values})
    title = f"{paint(card.entity.name, 'bold')} ({t(card.entity.type)})"
    return Result(card, [title, *about, *view.listing(known)])


@command(
    arg("--refresh", "rebuild it now, as the weekly job does"), verb="profile", without="language"
)
def profile(call: Call) -> Result:
    """Show the core facts about the user."""
    text = call.do(current(), refresh=call.refresh)
    return Result({"profile": text}, text)


@command(verb="snapshot", without="language")
def snapshot(call: Call) -> Result:
    """Print what a conversation should start with."""
    text = call.do(current())
    return Result({"snapshot": text}, text)


@command(
    ID,
    arg("--content TEXT", "the new text, or - for standard input"),
    arg("--done", "whether a plan is done", choices=("yes", "no")),
    verb="edit",
)
def edit(call: Call) -> Result:
    """Change a memory; the old version stays in its history."""
    if call.content is not None:
        call.content = words([call.content])
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
