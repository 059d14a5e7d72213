"""Commands that stop remembering: forget, pause and resume."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence

from loxodon.cli import view
from loxodon.cli.call import Call, Result, ask, span, unconfirmed
from loxodon.cli.parser import arg, command
from loxodon.errors import InputError
from loxodon.forget.receipts import Receipt, counted
from loxodon.messages import t
from loxodon.types import Pause

_FILES = 20  # that are named


@command(
    arg("ID", "memories (f_…), turns (t_…) or entities (e_…)", nargs="*", dest="ids"),
    arg("--also NAME", "with --entity: also delete this name; can be repeated", action="append"),
    arg("--last TIME", "everything said in the last 90m, 12h, 7d or 2w"),
    arg("--yes", "do not ask for confirmation"),
    arg("--receipts", "list what was forgotten, without its content"),
    verb="forget",
    without="since only",
)
def forget(call: Call) -> Result:
    """Delete something permanently, everywhere."""
    from loxodon.forget.select import Selection

    with call.opened() as memory:
        if call.receipts:
            found = memory.receipts()
            lines = [_receipt(one, one.what) for one in found]
            return Result(found, lines or t("nothing has been forgotten yet"))
        chosen = call.given()
        ids, dry_run = chosen.pop("ids"), chosen.pop("dry_run", False)
        if call.last:
            try:
                chosen["since"] = memory.now() - span(call.last)
            except OverflowError:
                raise InputError("{text} is not a duration", text=repr(call.last[:40])) from None
        _ = Selection(tuple(ids), **chosen).what  # complains before anybody is asked to confirm it

        def forgotten(dry_run: bool) -> Receipt:
            with view.Bar(t("looking for it") if dry_run else t("forgetting")) as bar:
                return memory.forget(*ids, **chosen, dry_run=dry_run, progress=bar)

        if dry_run or not call.yes:
            if not dry_run:
                call.see_a_terminal(unconfirmed())
            planned = forgotten(dry_run=True)
            if dry_run:
                return Result({"done": False, "receipt": planned}, receipt(planned, gone=False))
            view.show(*receipt(planned, gone=False))
            while planned.near:  # names that look alike can be added
                question = t(
                    "Forget any of these names too? Enter them separated by commas, or press Enter "
                    "to skip: "
                )
                also = [name.strip() for name in re.split("[,，、]", ask(question)) if name.strip()]
                if not also:
                    break
                chosen["also"] = [*chosen["also"], *also]
                planned = forgotten(dry_run=True)
                view.show(*receipt(planned, gone=False))
            if planned.doubtful:
                question = t("Delete the sentences that may be about it too? [y/N] ")
                chosen["doubtful"] = call.agreed(question)
            if not call.agreed(t("Delete it permanently? [y/N] ")):
                return Result({"done": False, "receipt": planned})
        done = forgotten(dry_run=False)
    return Result({"done": True, "receipt": done}, receipt(done, gone=True))


def _receipt(one: Receipt, what: str) -> str:
    return f"{one.id}  {view.minute(one.at)}  {one.by}  {what}: {counted(one.erased)}"


def receipt(one: Receipt, *, gone: bool) -> list[str]:
    """What was deleted, or would be, and where it still stands."""
    asked = sys.stdin is not None and sys.stdin.isatty()
    counts = counted(one.erased)
    lines = [t("would delete: {counts}", counts=counts)]
    if gone:
        lines = [t("deleted: {counts}", counts=counts), t("receipt {id}", id=one.id)]
    if len(one.names) > 1:
        lines.append(t("under the names: {names}", names=", ".join(one.names)))
    if one.doubtful:
        lines += [t("may be about it, kept:"), *(f"  {sentence}" for sentence in one.doubtful)]
        lines += [] if asked else [t("to delete these too, add --doubtful")]
    if one.near:
        near = ", ".join(f"{name.name} ({name.turns})" for name in one.near)
        lines.append(t("other names that may be its own, kept: {names}", names=near))
        lines += [] if asked else [t("to delete one of them too, add --also NAME")]
    for what, title in {
        "": t("still in your own files, which Loxodon never changes:"),
        "changed": t("still in text views that you edited:"),
        "copy": t("still in copies that you made:"),
        "backup": t("not deleted: backups that contain it:"),
        "away": t("text views were written to these folders, which cannot be found now:"),
    }.items():
        places = [f"{f.file}:{f.line}" if f.line else f.file for f in one.files if f.what == what]
        lines += [title, *(f"  {place}" for place in places[:_FILES])] if places else []
        if len(places) > _FILES:
            lines.append("  " + t("and {n} more", n=len(places) - _FILES))
    if gone:
        lines.append(
            t(
                "backups stored elsewhere still contain it; it is removed when they are restored "
                "here"
            )
        )
    return lines


def deleted_spaces(found: Sequence[tuple[str, Receipt]]) -> list[str]:
    return [_receipt(one, name) for name, one in found]


@command(
    arg("--for TIME", "for this long: 90m, 12h, 7d or 2w (default: until `loxodon resume`)"),
    verb="pause",
    without="until",
)
def pause(call: Call) -> Result:
    """Stop recording and learning for a while; recall still works."""
    with call.opened(make=True) as memory:
        length = getattr(call, "for")
        found = memory.pause(memory.now() + span(length) if length else None)
    return Result({"paused": found}, paused(found))


def paused(pause: Pause) -> str:
    if pause.until is None:
        return t("paused: nothing is recorded or learned until `loxodon resume`")
    return t("paused until {until}: nothing is recorded or learned", until=view.minute(pause.until))


@command(verb="resume")
def resume(call: Call) -> Result:
    """End a pause."""
    with call.opened() as memory:
        was = memory.resume()
    said = t("recording resumed") if was else t("recording was not paused")
    return Result({"resumed": was}, said)
