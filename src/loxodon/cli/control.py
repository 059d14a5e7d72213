"""The commands that are the owner's hand on the memory: forget, pause, resume, inspect, and all
that is known about someone as a file."""

from __future__ import annotations

import re
import sys
from argparse import Namespace
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from loxodon import files
from loxodon.cli import view
from loxodon.cli.opening import Outcome, home_of, opened
from loxodon.errors import InputError, UsageError
from loxodon.forget.receipts import counted
from loxodon.memory import Memory
from loxodon.messages import t, tn
from loxodon.security.inspection import Inspected, Subject, markdown
from loxodon.security.paths import named
from loxodon.types import FileProblem, Pause, Receipt
from loxodon.views import copies

_UNITS = {"m": 1, "h": 60, "d": 1_440, "w": 10_080}
_SHOWN_FILES = 20
AGREED = ("y", "yes", "是", "好")


def span(text: str) -> timedelta:
    """A length of time as it is typed: 90m, 12h, 7d, 2w."""
    match = re.fullmatch(r"\s*(\d{1,6})\s*([mhdw])\s*", text)
    if match is None or not int(match[1]):
        raise InputError(
            "{text} is not a duration", hint="write it as 90m, 12h, 7d or 2w", text=repr(text[:40])
        )
    return timedelta(minutes=int(match[1]) * _UNITS[match[2]])


# Forgetting


def forget(args: Namespace) -> Outcome:
    if args.receipts:
        return _receipts(args)
    with opened(args) as memory:
        chosen = _chosen(args, memory.now())
        if args.dry_run or not args.yes:
            see_that_somebody_is_there(args)
            planned = _forgotten(memory, chosen, dry_run=True)
            if args.dry_run:
                return Outcome(_data(planned, False), lambda: show_receipt(planned, gone=False))
            if not _agreed(memory, chosen, planned):
                return Outcome(_data(planned, False), lambda: None)
        receipt = _forgotten(memory, chosen)
    return Outcome(_data(receipt, True), lambda: show_receipt(receipt, gone=True))


def _forgotten(memory: Memory, chosen: dict[str, Any], *, dry_run: bool = False) -> Receipt:
    said = t("looking for it") if dry_run else t("forgetting")
    with view.Bar(said) as bar:
        rest = {name: value for name, value in chosen.items() if name != "ids"}
        return memory.forget(*chosen["ids"], **rest, dry_run=dry_run, progress=bar)


def _chosen(args: Namespace, now: datetime) -> dict[str, Any]:
    """What is named, as `Memory.forget` takes it; InputError where that is nothing."""
    from loxodon.forget.select import Selection

    try:
        since = now - span(args.last) if args.last else None
    except OverflowError:
        raise InputError("{text} is not a duration", text=repr(args.last[:40])) from None
    chosen = {
        "ids": args.ids,
        "entity": args.entity,
        "topic": args.topic,
        "session": args.session,
        "since": since,
        "all": args.all,
        "also": args.also,
        "doubtful": args.doubtful,
    }
    _ = Selection(**chosen).what  # before anybody is asked to confirm it
    return chosen


def see_that_somebody_is_there(args: Namespace) -> None:
    """Refuse to delete where nobody can be asked."""
    if not args.dry_run and (args.json or not (sys.stdin and sys.stdin.isatty())):
        raise UsageError(
            "this deletes data permanently, and there is no terminal to confirm it",
            hint="preview with --dry-run, then add --yes",
        )


def _agreed(memory: Memory, chosen: dict[str, Any], planned: Receipt) -> bool:
    """Whether to go on: what would go is shown first. Names that look alike can be added."""
    show_receipt(planned, gone=False)
    while planned.near:
        ask = t(
            "Forget any of these names too? Enter them separated by commas, or press Enter "
            "to skip: "
        )
        also = [name.strip() for name in re.split("[,，、]", input(ask)) if name.strip()]
        if not also:
            break
        chosen["also"] = [*chosen["also"], *also]
        planned = _forgotten(memory, chosen, dry_run=True)
        show_receipt(planned, gone=False)
    if planned.doubtful:
        chosen["doubtful"] = _is_yes(t("Delete the sentences that may be about it too? [y/N] "))
    return _is_yes(t("Delete it permanently? [y/N] "))


def _is_yes(question: str) -> bool:
    return input(question).strip().lower() in AGREED


def _data(receipt: Receipt, done: bool) -> dict[str, Any]:
    return {"done": done, "receipt": receipt}


def show_receipt(receipt: Receipt, *, gone: bool) -> None:
    counts = counted(receipt.erased)
    if not gone:
        print(t("would delete: {counts}", counts=counts))
    else:
        print(t("deleted: {counts}", counts=counts))
        print(t("receipt {id}", id=receipt.id))
    if len(receipt.names) > 1:
        print(view.safe(t("under the names: {names}", names=", ".join(receipt.names))))
    if receipt.doubtful:
        print(t("may be about it, kept:"))
        for sentence in receipt.doubtful:
            print(view.safe(f"  {sentence}"))
        if not sys.stdin.isatty():
            print(t("to delete these too, add --doubtful"))
    if receipt.near:
        near = ", ".join(f"{one.name} ({one.turns})" for one in receipt.near)
        print(view.safe(t("other names that may be its own, kept: {names}", names=near)))
        if not sys.stdin.isatty():
            print(t("to delete one of them too, add --also NAME"))
    for what, title in _left().items():
        _show_places(title, [one for one in receipt.files if one.what == what])
    if gone:
        print(
            t(
                "backups stored elsewhere still contain it; it is removed when they are restored "
                "here"
            )
        )


def _left() -> dict[str, str]:
    """What is said of files in which it still stands, by why."""
    return {
        "": t("still in your own files, which Loxodon never changes:"),
        "changed": t("still in text views that you edited:"),
        "copy": t("still in copies that you made:"),
        "backup": t("not deleted: backups that contain it:"),
        "away": t("text views were written to these folders, which cannot be found now:"),
    }


def _show_places(title: str, places: Sequence[FileProblem]) -> None:
    if not places:
        return
    print(title)
    for one in places[:_SHOWN_FILES]:
        print("  " + view.safe(f"{one.file}:{one.line}" if one.line else one.file))
    if len(places) > _SHOWN_FILES:
        print("  " + t("and {n} more", n=len(places) - _SHOWN_FILES))


def _receipts(args: Namespace) -> Outcome:
    with opened(args) as memory:
        found = memory.receipts()

    def show() -> None:
        if not found:
            print(t("nothing has been forgotten yet"))
        for one in found:
            print(
                view.safe(
                    f"{one.id}  {view.minute(one.at)}  {one.by}  {one.what}: {counted(one.erased)}"
                )
            )

    return Outcome(found, show)


# Pauses


def pause(args: Namespace) -> Outcome:
    with opened(args, make=True) as memory:
        now = memory.now()
        found = memory.pause(now + span(args.length) if args.length else None)
    return Outcome({"paused": found}, lambda: print(paused(found)))


def paused(pause: Pause) -> str:
    if pause.until is None:
        return t("paused: nothing is recorded or learned until `loxodon resume`")
    return t("paused until {until}: nothing is recorded or learned", until=view.minute(pause.until))


def resume(args: Namespace) -> Outcome:
    with opened(args) as memory:
        was = memory.resume()
    said = t("recording resumed") if was else t("recording was not paused")
    return Outcome({"resumed": was}, lambda: print(said))


# Looking


def inspect(args: Namespace) -> Outcome:
    with opened(args) as memory:
        found: Inspected = memory.guard.shown_value(
            memory.inspect(" ".join(args.name)), private=True, reveal=args.reveal
        )
    return Outcome(found, lambda: _show_all(found))


def _show_all(found: Inspected) -> None:
    if found.record:
        view.record(found.record)
    elif found.turn:
        view.turn(found.turn)
    elif found.note:
        view.note(found.note)
    elif found.card:
        print(view.safe(" / ".join((found.card.entity.name, *found.card.entity.aliases))))
    _part(t("sources"), [f"{one.ref} {one.role}: {one.content}" for one in found.sources])
    _part(
        t("history"),
        [f"{view.minute(one.at)} {one.change}: {one.record.content}" for one in found.history],
    )
    about = t("known about it") if found.card else t("derived from it")
    _part(about, [f"{one.id} {one.content}" for one in found.made])
    _part(t("found by"), [", ".join(found.found_by)] if found.found_by else [])
    _part(
        t("seen by"),
        [
            f"{view.minute(one.at)} {one.op} {one.surface} {one.agent} {one.caller}".rstrip()
            for one in found.seen
        ],
    )


def _part(title: str, lines: Sequence[str]) -> None:
    if lines:
        print(view.paint(title, "bold"))
        for line in lines:
            print("  " + view.safe(" ".join(line.split())))


# A subject as a file


def export_about(args: Namespace) -> Outcome:
    """All that is known about someone or something, as one file or on standard output."""
    path = args.dir or ""
    with opened(args) as memory:
        if path and memory.encrypted and not args.plain:
            raise InputError(
                "this memory is encrypted, but the file would be plain text",
                hint="to write it anyway, add --plain",
            )
        found: Subject = memory.guard.shown_value(
            memory.subject(args.about), private=True, reveal=args.reveal
        )
        folder = memory.workspace.folder
    text = markdown(found) if path.endswith((".md", ".markdown")) else view.json_text(found) + "\n"
    if not path:
        return Outcome(found, lambda: print(text, end=""))
    path = named(home_of(args), path)
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
    counts = {
        "file": path,
        "memories": len(found.memories),
        "turns": len(found.turns),
        "events": len(found.events),
        "notes": len(found.notes),
    }
    said = t(
        "wrote {memories}, {turns}, {events} and {notes} to {file}",
        memories=view.memory_count(len(found.memories)),
        turns=view.turn_count(len(found.turns)),
        events=tn("{n} event", "{n} events", len(found.events)),
        notes=tn("{n} note", "{n} notes", len(found.notes)),
        file=path,
    )
    return Outcome(counts, lambda: print(view.safe(said)))
