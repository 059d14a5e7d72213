"""Commands about memories and messages: adding, finding, showing and changing them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import tzinfo
from typing import TYPE_CHECKING, Any

from loxodon.cli import view
from loxodon.cli.call import Call, Result, past, read_file, words
from loxodon.cli.parser import arg, command
from loxodon.cli.view import paint
from loxodon.errors import InputError, UsageError
from loxodon.messages import current, t, tn

if TYPE_CHECKING:
    from loxodon.journal import Reading
    from loxodon.types import Draft, Item, Recall, Record, Turn

ID = arg("ID", "id of the memory, such as f_20260204_001")
_NARROW = 90  # columns below which a table of memories has no room for the memories
_PEOPLE = 12  # of a log that are named
FORMATS = ("jsonl", "openclaw", "claude-code", "codex", "gemini-cli", "markdown", "chat")
_UNFOLLOWED = ("version", "updated_at", "accessed_at", "confirmed_at", "access_count", "strength")
"""Fields of a memory that change by themselves."""


# Adding


@command(
    arg("FILE", "a file, or - for standard input", nargs="+"),
    arg("--format", "format of the file; detected if omitted", choices=FORMATS),
    arg("--session NAME", "session for messages that name none (default: the file name)"),
    arg(
        "--me NAME",
        "your name in the file; can be repeated, and can be given later for the same file",
        action="append",
    ),
    arg("--skip-bad", "add the valid lines and report the others"),
    verb="add_drafts",
)
def add(call: Call) -> Result:
    """Add conversations to the journal, from files or standard input."""
    from loxodon.clock import zone_named
    from loxodon.security.paths import allowed_path

    for name in call.file:
        if name != "-":
            allowed_path(call.folder, name)
    zone = zone_named(call.config.timezone)
    # All files are read before any is journalled: a bad line refuses them all.
    files = [(name, _read(name, call, zone)) for name in call.file]
    _check_names(call.me, [draft for _, one in files for draft in one.drafts])
    results = []
    with call.opened(make=True) as memory, view.Bar(t("journalling")) as bar:
        for name, reading in files:
            names = [call.session] if call.session else _session_names(name, f"{memory.now():%F}")
            results.append(memory.add_drafts(reading.drafts, names, bar, me=call.me))
        is_new = memory.config.enabled and memory.status().last_consolidation is None
    total = results[0]
    for one in results[1:]:
        pairs: Any = zip(total, one, strict=True)
        total = type(total)(*(x + y for x, y in pairs))
    skipped = [
        {"file": _shown_name(name), "line": line, "message": error.localized()[0]}
        for name, reading in files
        for line, error in reading.problems
    ]
    shown = [
        t("turns added: {added}, already known: {known}", added=total.added, known=total.known)
    ]
    if total.changed:
        shown += [changed(total.changed)]
    if n := total.paused:
        shown += [t("skipped {n}: recording is paused, or was paused at their time", n=n)]
    if n := total.forgotten:
        shown += [t("skipped {n}: they were forgotten before", n=n)]
    if n := total.claimed:
        shown += [t("turns whose author is now known: {n}", n=n)]
    if n := total.asked:
        shown += [t("requests to forget something: {n}; see `loxodon review`", n=n)]
    shown += [t("nothing was found to forget about: {what}", what=one) for one in total.unfound]
    for (name, _), result in zip(files, results, strict=True):
        if result.people:
            shown += _whose(name, result.people)
    if is_new and total.added:
        shown += [
            t(
                "next: `loxodon consolidate` turns this into memories; "
                "`loxodon recall` finds the messages already"
            )
        ]
    data = {name: _once(value) for name, value in total._asdict().items()}
    said = [t("skipped {file} line {line}: {message}", **one) for one in skipped]
    return Result({**data, "skipped": skipped}, shown, said)


def _once(value: object) -> object:
    return list(dict.fromkeys(value)) if isinstance(value, list | tuple) else value


def changed(n: int) -> str:
    return t(
        "{n} of those have the same id but a different text; the journal keeps the first text", n=n
    )


def _shown_name(name: str) -> str:
    return "standard input" if name == "-" else os.fsencode(name).decode("utf-8", "replace")


def _read(name: str, call: Call, zone: tzinfo | None) -> Reading:
    """What a file has in it: text, or the database that OpenClaw keeps its sessions in."""
    from loxodon.journal import is_database, read

    data = read_file(name)
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
            file=_shown_name(name),
            n=len(reading.problems),
        )
    if not reading.drafts:
        raise InputError(
            "{file} contains no messages",
            hint="write lines such as {example}, or set the format with --format",
            file=_shown_name(name),
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
                hint="names found: {names}"
                if people
                else "leave out --me: nobody in it has a name",
                name=repr(name),
                names=_people([*people.values()]),
            )


def _whose(file: str, people: Sequence[str]) -> list[str]:
    """What to say of a file in which people are named and nobody is known to be the user."""
    from shlex import quote

    return [
        t(
            "cannot tell which messages in {file} are yours; it has messages from: {names}",
            file=file,
            names=_people(people),
        ),
        t(
            "the messages can be searched, but nothing is learned from them until you say which "
            "name is yours: {command}",
            command=f"loxodon add {quote(file)} --me {quote(people[0])}",
        ),
    ]


def _people(people: Sequence[str]) -> str:
    more = len(people) - _PEOPLE
    return ", ".join(people[:_PEOPLE]) + (t(" and {n} more", n=more) if more > 0 else "")


def _session_names(name: str, today: str) -> list[str]:
    """What the session of a file may be called, best first: its name, then with its folder."""
    if name == "-":
        return [f"stdin-{today}"]
    path = os.fsencode(os.path.abspath(name)).decode("utf-8", "replace")
    stem = os.path.splitext(os.path.basename(path))[0]
    folder = os.path.basename(os.path.dirname(path))
    fuller = f"{folder}/{stem}" if folder else stem
    return [stem, fuller, *(f"{fuller} ({n})" for n in range(2, 100))]


@command(
    arg("--kind --type", "a fact, or a belief that is not certain", choices=("fact", "belief")),
    verb="capture",
    words="content",
    without="origin",
)
def capture(call: Call) -> Result:
    """Save one memory in your own words."""
    with call.opened(make=True) as memory:
        record = memory.capture(**call.given(memory.now()))
    return Result(record, t("remembered as {id}", id=record.id))


# Finding


@command(
    arg("--explain", "explain why each item was found"),
    verb="recall",
    words="query",
    without="in_view",
)
def recall(call: Call) -> Result:
    """Search the memory."""
    with call.opened() as memory:
        answer = memory.recall(**call.given(memory.now()), reveal=call.reveal)
        budget = memory.config.recall.budget if call.budget is None else call.budget
    shown = items(answer.items, explain=call.explain)
    if not answer.items:
        shown.append(_why_nothing(answer))
    elif answer.unsure:
        shown.append(paint(t("possibly none of this answers the question"), "yellow"))
    summary = t(
        "found {n}, {tokens} of {budget} tokens, {ms} ms",
        n=len(answer.items),
        tokens=answer.tokens,
        budget=budget,
        ms=f"{answer.elapsed_ms:.1f}",
    )
    for left in answer.left_out:
        if left.reason == "top":
            summary += "; " + t("{n} more beyond --top", n=left.number)
        elif left.reason == "budget":
            summary += "; " + t("{n} did not fit into the budget", n=left.number)
    shown.append(paint(summary, "dim"))
    if call.explain:
        from loxodon.cli import explain

        shown.append(explain.recall(answer))
    return Result(answer if call.explain else answer._replace(trace=None), shown)


def _why_nothing(answer: Recall) -> str:
    left = {one.reason for one in answer.left_out}
    if not answer.gate.recall:
        return t("the query has no words to look for")
    if "budget" in left:
        return t("nothing fits into the budget")
    return t("no items requested") if "top" in left else t("nothing related was found")


def items(found: Sequence[Item], *, explain: bool) -> list[str | None]:
    """What was recalled: the words, what and where they are from, and why they came."""
    from loxodon.recall.context import marks, who

    lines: list[str | None] = []
    for n, item in enumerate(found, 1):
        speaker = who(item.why.get("speaker", ""), current()) if item.kind == "turn" else ""
        before = speaker or item.why.get("heading", "")
        said = f"{before}: {item.content}" if before else item.content
        said = "\n   ".join(said.splitlines())
        note = paint(marks(item, current()), "yellow")
        lines.append(
            f"{paint(f'{n}.', 'bold')} {paint(f'[{view.day(item.at)}]', 'cyan')} {note}{said}"
        )
        about = [view.label("file note" if item.kind == "note" else item.kind), item.id]
        if item.sources:
            about.append(t("from {place}", place=view.place(item.sources[0])))
        if item.tags:
            about.append(t("tags: {tags}", tags=", ".join(item.tags)))
        lines.append("   " + paint(" · ".join(about), "dim"))
        if explain:
            from loxodon.cli import explain as explaining

            lines += ["   " + paint(line, "yellow") for line in explaining.item(item)]
    return lines


@command(
    arg("--soul FILE", "file that describes the agent (default: SOUL.md)"),
    arg("--workspace DIR", "folder of SOUL.md (default: the home)"),
    arg("--explain", "show why each part was chosen, and its tokens, instead of the text"),
    verb="assemble",
    words="message",
)
def context(call: Call) -> Result:
    """Print everything an agent should see before it replies."""
    given = call.given()
    if path := given.get("soul"):
        from loxodon.recall.assemble import SOUL_FILE
        from loxodon.security import paths

        if path != "-":
            path = paths.allowed_path(call.folder, path, [os.path.join(call.folder, SOUL_FILE)])
        given["soul"] = read_file(path).decode("utf-8-sig", "replace")
    with call.opened() as memory:
        frame = memory.assemble(**given, workspace=call.workspace)
    if call.explain:
        from loxodon.cli import explain

        return Result(frame, explain.frame(frame))
    return Result(
        frame._replace(recall=frame.recall and frame.recall._replace(trace=None)), frame.text
    )


@command(verb="list")
def list_(call: Call) -> Result:
    """List memories, newest first."""
    with call.opened() as memory:
        found = memory.list(**call.given(memory.now()))
    some, more = call.listed(found)
    return Result(found, [*records(some), more])


def records(found: Sequence[Record]) -> list[object]:
    """Memories as a table, or below each other on a narrow terminal."""
    import sys

    if not found:
        return [t("no memories")]
    rows = [
        (
            one.id,
            one.kind,
            f"{one.importance:.2f}",
            f"{one.strength:.2f}",
            view.day(one.valid_from or one.created_at),
            one.content + (f"  [{t('archived')}]" if one.state == "archived" else ""),
            ", ".join(one.tags),
        )
        for one in found
    ]
    if sys.stdout.isatty() and os.get_terminal_size().columns < _NARROW:
        return [f"{row[5]}\n  {paint(f'{row[0]} · {row[2]} · {row[4]}', 'dim')}" for row in rows]
    return [view.Table(("id", "kind", "importance", "strength", "since", "memory", "tags"), rows)]


@command(arg("--on WHEN", "only from that day, week or month"), verb="journal", words="query")
def journal(call: Call) -> Result:
    """Show or search past messages."""
    if call.on is not None and (call.since is not None or call.until is not None):
        raise UsageError(
            "--on cannot be combined with --since or --until",
            hint="use either --on, or --since and --until",
        )
    with call.opened() as memory:
        now = memory.now()
        given = call.given(now)
        if call.on is not None:
            given["since"], given["until"] = past(call.on, now)
        found = memory.journal(**given)
        held: dict[str, list[str]] = {}
        for one in [] if call.json else memory.quarantine("held", 0):
            held.setdefault(one.turn, []).append(one.id)
    some, more = call.listed(found, last=not call.query)
    return Result(found, [*_chat(some, now.tzinfo, held), more])


def _chat(found: Sequence[Turn], zone: tzinfo | None, held: dict[str, list[str]]) -> list[str]:
    """Turns under the day (in the user's zone) and session they belong to; `held` has by their
    refs what of them is told to nobody else."""
    lines, last = [] if found else [t("no turns")], ""
    for turn in found:
        at = turn.at.astimezone(zone)
        heading = f"{view.day(at)}  {turn.session}"
        if heading != last:
            lines.append(paint(heading, "bold"))
            last = heading
        text = "\n    ".join(turn.content.splitlines())
        who = paint(turn.speaker or turn.role, "cyan")
        lines.append(f"  {at:%H:%M} {who}: {text} {paint(turn.ref, 'dim')}")
        if ids := held.get(turn.ref):
            lines.append("    " + paint(t("held back: {ids}", ids=", ".join(ids)), "dim"))
    return lines


# Showing one


@command(arg("ID", "id of a memory (f_…), a message (t_…) or a chunk of a note (n_…)"), verb="get")
def show(call: Call) -> Result:
    """Show a memory, or a message (t_…)."""
    with call.opened() as memory:
        if call.id.startswith("t_") or ":" in call.id:
            turn = memory.turn(call.id)
            held = [one.id for one in memory.quarantine(limit=0) if one.turn == turn.ref]
            said = t("held back: {ids}", ids=", ".join(held)) if held else None
            return Result(turn, [turn.content, said, *view.record(turn, "content")])
        if call.id.startswith("n_"):
            note = memory.note(call.id)
            return Result(note, _note(note))
        record = memory.get(call.id)
    return Result(record, _record(record))


def _record(one: Record) -> list[object]:
    return [paint(one.content, "bold"), *view.record(one, "content")]


def _note(note: Any) -> list[object]:
    file, chunk = note
    path = os.path.join(file.root, file.path)
    return [chunk.text, view.pairs([(t("file"), path)]), *view.record(chunk, "text")]


@command(ID, verb="history", without="limit")
def history(call: Call) -> Result:
    """Show every version of a memory."""
    with call.opened() as memory:
        found = memory.history(call.id)
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
        found: Any = memory.guard.shown_value(
            memory.inspect(" ".join(call.id)), private=True, reveal=call.reveal
        )
    one = _record(found.record) if found.record else _note(found.note) if found.note else []
    return Result(found, [*one, *view.record(found, "record", "note")])


@command(arg("NAME", "any name of the entity", nargs="?"), verb="entities", without="limit")
def entities(call: Call) -> Result:
    """List known people, places and things, or show one."""
    with call.opened() as memory:
        if call.name is None:
            found = memory.entities()
            rows = [(one.name, t(one.type), ", ".join(one.aliases)) for one in found]
            table = view.Table(("name", "type", "also called"), rows)
            return Result(found, table if found else t("no entities yet"))
        card = memory.entity(call.name)
        known = [memory.get(id) for id in (*card.facts, *card.beliefs, *card.summaries)]
    heading = f"{paint(card.entity.name, 'bold')} ({t(card.entity.type)})"
    values = {name: one.value for name, one in card.attributes.items()}
    about = view.record({"also called": card.entity.aliases, **values})
    return Result(card, [heading, *about, *records(known)])


@command(
    arg("--refresh", "rebuild it now, as the weekly job does"), verb="profile", without="language"
)
def profile(call: Call) -> Result:
    """Show the core facts about the user."""
    with call.opened() as memory:
        text = memory.profile(current(), refresh=call.refresh)
    return Result({"profile": text}, text)


@command(verb="snapshot", without="language")
def snapshot(call: Call) -> Result:
    """Print what a conversation should start with."""
    with call.opened() as memory:
        text = memory.snapshot(current())
    return Result({"snapshot": text}, text)


# Changing one


@command(
    ID,
    arg(
        "--content TEXT",
        "the new text, or - for standard input; without any option, your editor opens",
    ),
    arg("--done", "whether a plan is done", choices=("yes", "no")),
    verb="edit",
)
def edit(call: Call) -> Result:
    """Change a memory; the old version stays in its history."""
    with call.opened() as memory:
        given = call.given(memory.now())
        version = given.pop("version", None)
        if call.content is not None:
            given["content"] = words([call.content])
        if call.done is not None:
            given["done"] = call.done == "yes"
        record = memory.get(call.id)
        if not given:
            given["content"] = _from_editor(record.content)
            version = record.version if version is None else version
        edited = memory.edit(call.id, version=version, **given)
    if edited.version == record.version:
        return Result(edited, t("{id} is unchanged", id=edited.id))
    said = t("{id} is now at version {version}", id=edited.id, version=edited.version)
    return Result(edited, said)


def _from_editor(text: str) -> str:
    """The text as the user's editor leaves it."""
    import shlex
    import subprocess
    import tempfile

    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if not editor:
        raise UsageError(
            "no change given",
            hint="give --content or another option, or set EDITOR to edit the text in your editor",
        )
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "memory.txt")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text + "\n")
        try:
            code = subprocess.run([*shlex.split(editor), path]).returncode  # noqa: S603
            if code:
                raise OSError(0, t("exit code {code}", code=code))
            with open(path, encoding="utf-8") as file:
                return file.read()
        except (OSError, ValueError) as error:  # ValueError: a quote is open, or it is not UTF-8
            raise InputError(
                "the editor {editor} failed: {reason}",
                hint="the memory was not changed",
                editor=editor,
                reason=getattr(error, "strerror", None) or error,
            ) from None


@command(
    ID,
    arg("+TAG|-TAG", "+a adds the tag a, -b removes the tag b", nargs="+", dest="text"),
    verb="edit",
    takes=False,
)
def tag(call: Call) -> Result:
    """Add tags to a memory, or remove them."""
    from loxodon.fields import retagged

    retagged((), call.text)  # complains before anything is opened
    with call.opened() as memory:
        record = memory.get(call.id)
        tags = retagged(record.tags, call.text)
        if tags != record.tags:
            record = memory.edit(call.id, version=record.version, tags=tags)
    said = t("{id} now has the tags {tags}", id=record.id, tags=", ".join(record.tags) or "—")
    return Result(record, said)


@command(ID, verb="archive")
def archive(call: Call) -> Result:
    """Hide a memory from recall; it is kept."""
    with call.opened() as memory:
        record = memory.archive(call.id, **call.given())
    said = t("archived {id}; `loxodon unarchive {id}` restores it", id=record.id)
    return Result(record, said)


@command(
    arg("ID", "id of the memory, such as f_20260204_001", nargs="?"),
    arg(
        "--run WHEN",
        "restore everything that this run archived because of its age; `loxodon clock` lists "
        "the runs",
    ),
    verb="unarchive",
)
def unarchive(call: Call) -> Result:
    """Bring back an archived memory, or everything that a run archived."""
    if bool(call.id) == bool(call.run):
        raise UsageError("give the id of a memory, or a run with --run")
    with call.opened() as memory:
        if call.run:
            from loxodon.clock import parse_instant

            found = memory.unarchive_run(parse_instant(call.run, memory.now().tzinfo))
            said = tn("active again: {n} memory", "active again: {n} memories", len(found))
            return Result(found, said)
        record = memory.unarchive(call.id, **call.given())
    return Result(record, t("{id} is active again", id=record.id))
