"""`loxodon quarantine`: what was held back of others' words, and what becomes of it."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence

from loxodon.cli import view
from loxodon.cli.opening import Outcome, opened
from loxodon.errors import UsageError
from loxodon.guard.provenance import whence
from loxodon.guard.quarantine import is_asked
from loxodon.messages import current, t
from loxodon.types import Held


def run(args: Namespace) -> Outcome:
    if args.decision is None:
        return _listed(args)
    if args.id is None:
        raise UsageError(
            "no id given", hint="give an id such as q_12; `loxodon quarantine` lists them"
        )
    with opened(args) as memory:
        if args.decision == "release":
            held = memory.release(args.id)
            said = t("released {id}: {text}", id=held.id, text=held.text)
        else:
            held = memory.drop(args.id)
            said = t("dropped {id}", id=held.id)
    return Outcome(held, lambda: print(view.safe(said)))


def _listed(args: Namespace) -> Outcome:
    with opened(args) as memory:
        found: list[Held] = memory.quarantine("all" if args.all else "held", 0)
    # What the user asked to have forgotten is told by `review`, and was no other's word.
    found = [one for one in found if not is_asked(one.reason)][: args.limit or None]
    return Outcome(found, lambda: _show(found))


def _show(found: Sequence[Held]) -> None:
    if not found:
        print(t("nothing is in quarantine"))
        return
    for one in found:
        about = [one.reason, whence(one.origin, current()), view.day(one.at)]
        about += [one.turn or one.memory] + ([one.state] if one.state != "held" else [])
        print(f"{view.paint(one.id, 'bold')}  {', '.join(about)}")
        print("  " + view.safe(" ".join(one.text.split())))
    print(t("`loxodon quarantine release ID` or `loxodon quarantine drop ID`"))
