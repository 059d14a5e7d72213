"""Commands that stop remembering: forget, pause and resume."""

from __future__ import annotations

import re

from loxodon.cli import view
from loxodon.cli.call import Call, Result, span
from loxodon.cli.parser import YES, arg, command
from loxodon.forget.receipts import Receipt, counted
from loxodon.messages import t

LEFT = {
    "": "still in your own files, which Loxodon never changes:",
    "changed": "still in text views that you edited:",
    "copy": "still in copies that you made:",
    "backup": "not deleted: backups that contain it:",
    "away": "text views were written to these folders, which cannot be found now:",
}
"""What is said of files that still have it, by what they are."""


@command(
    arg("ID", "memories (f_…), turns (t_…) or entities (e_…)", nargs="*", dest="ids"),
    arg("--also NAME", "with --entity: also delete this name; can be repeated", action="append"),
    arg("--last TIME", "everything said in the last 90m, 12h, 7d or 2w"),
    YES,
    arg("--receipts", "list what was forgotten, without its content"),
    verb="forget",
    without="since only",
)
def forget(call: Call) -> Result:
    """Delete something permanently, everywhere."""
    from loxodon.forget.select import Selection

    with call.opened() as memory:
        if call.receipts:
            return Result(memory.receipts())
        chosen = call.given()
        ids, dry_run = chosen.pop("ids"), chosen.pop("dry_run", False)
        if call.last:
            chosen["since"] = memory.now() - span(call.last)
        _ = Selection(tuple(ids), **chosen).what  # complains before anybody is asked to confirm it
        if not dry_run:
            call.see_a_terminal()

        def forgotten(dry_run: bool) -> Receipt:
            with view.Bar(call.command) as bar:
                return memory.forget(*ids, **chosen, dry_run=dry_run, progress=bar)

        if dry_run or not call.yes:
            planned = forgotten(dry_run=True)
            if dry_run:
                return Result({"done": False, "receipt": planned}, receipt(planned, gone=False))
            view.show(*receipt(planned, gone=False))
            if planned.near:
                names = call.answer(t("Forget any of these names too? Separate them by commas: "))
                chosen["also"] = [*chosen["also"], *filter(None, re.split("[,，、 ]+", names))]
            if planned.doubtful:
                question = t("Delete the sentences that may be about it too? [y/N] ")
                chosen["doubtful"] = call.agrees(question)
            if not call.agrees(t("Delete it permanently? [y/N] ")):
                return Result({"done": False, "receipt": planned}, t("nothing was changed"))
        done = forgotten(dry_run=False)
    return Result({"done": True, "receipt": done}, receipt(done, gone=True))


def receipt(one: Receipt, *, gone: bool) -> list[str]:
    """What was deleted, or would be, and where it still stands."""
    counts = counted(one.erased)
    lines = [t("would delete: {counts}", counts=counts)]
    if gone:
        lines = [t("deleted: {counts}", counts=counts), t("receipt {id}", id=one.id)]
    if len(one.names) > 1:
        lines.append(t("under the names: {names}", names=", ".join(one.names)))
    if one.doubtful:
        lines += [t("may be about it, kept (add --doubtful to delete):"), *one.doubtful]
    if one.near:
        near = ", ".join(f"{name.name} ({name.turns})" for name in one.near)
        lines.append(t("may be its own names, kept (add --also NAME): {names}", names=near))
    for what, title in LEFT.items():
        places = [f"{f.file}:{f.line}" if f.line else f.file for f in one.files if f.what == what]
        lines += [t(title), *(f"  {place}" for place in places)] if places else []
    if gone:
        lines.append(t("backups stored elsewhere still contain it, until they are restored here"))
    return lines


@command(
    arg("--for TIME", "for this long: 90m, 12h, 7d or 2w (default: until `loxodon resume`)"),
    verb="pause",
    without="until",
)
def pause(call: Call) -> Result:
    """Stop recording and learning for a while; recall still works."""
    length = getattr(call, "for")
    found = call.do(call.clock() + span(length) if length else None, make=True)
    return Result({"paused": found}, paused(found.until))


def paused(until: object) -> str:
    if until is None:
        return t("paused: nothing is recorded or learned until `loxodon resume`")
    return t("paused until {until}: nothing is recorded or learned", until=view.in_words(until))


@command(verb="resume")
def resume(call: Call) -> Result:
    """End a pause."""
    was = call.do()
    return Result(
        {"resumed": was}, t("recording resumed") if was else t("recording was not paused")
    )
