"""`loxodon policy`: what is kept, masked or never kept; what would happen to a text; what is there
from before."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from typing import TYPE_CHECKING, NamedTuple

from loxodon import files
from loxodon.cli import view
from loxodon.cli.opening import Outcome, opened, root_of
from loxodon.errors import InputError, UsageError
from loxodon.guard.guard import Guard
from loxodon.guard.policy import FILE, parsed
from loxodon.messages import t

if TYPE_CHECKING:
    from loxodon.guard.scan import Scanned


class KindOf(NamedTuple):
    """A kind, and what is done with it."""

    kind: str
    family: str
    action: str
    own: bool
    rules: int


class FoundAt(NamedTuple):
    """Something in a text, without what it is."""

    kind: str
    family: str
    action: str
    start: int
    end: int


class Judged(NamedTuple):
    """What would happen to a text."""

    found: tuple[FoundAt, ...]
    private: str
    """As it would be shown in the owner's own chat."""
    shown: str
    """As it would be shown anywhere else."""
    sensitivity: str


def run(args: Namespace) -> Outcome:
    if args.action not in ("check", "use") and args.text:
        raise UsageError("only `policy check` takes a text", hint="`loxodon policy check TEXT`")
    if args.mend and args.action != "scan":
        raise UsageError("only `policy scan` accepts --mend", hint="`loxodon policy scan --mend`")
    if args.action == "scan":
        return _scan(args)
    if args.action == "use":
        return _use(args)
    guard = Guard.of(root_of(args))
    return _check(guard, args) if args.action == "check" else _list(guard, args)


def _list(guard: Guard, args: Namespace) -> Outcome:
    policy = guard.policy
    kinds: dict[str, KindOf] = {}
    for rule in policy.rules:
        before = kinds.get(rule.kind)
        kinds[rule.kind] = KindOf(
            rule.kind,
            rule.family,
            policy.actions[rule.kind],
            rule.kind in policy.own,
            before.rules + 1 if before else 1,
        )
    path = os.path.join(root_of(args), FILE)
    data = {
        "file": path if files.exists(path) else "",
        "kinds": list(kinds.values()),
        "exceptions": list(policy.exceptions),
    }

    def show() -> None:
        columns = ((t("kind"), False), (t("family"), False), (t("action"), False))
        view.table(columns, [(one.kind, one.family, one.action) for one in kinds.values()])
        if files.shared(path):
            print(t("change them with `loxodon policy use FILE`"))
        else:
            print(t("change them in {path}; see `loxodon policy --help`", path=view.safe(path)))

    return Outcome(data, show)


def _use(args: Namespace) -> Outcome:
    """Make a file the policy: in a database there is none that could be edited in place."""
    if len(args.text) != 1:
        raise UsageError("`policy use` takes one file", hint="`loxodon policy use FILE`")
    try:
        data = files.read(os.path.abspath(args.text[0]))
    except OSError as error:
        raise InputError(
            "cannot read {file}: {reason}", file=args.text[0], reason=error.strerror
        ) from None
    parsed(data, args.text[0])  # says what is wrong with it
    root = root_of(args)
    files.make_folder(root)
    files.replace(os.path.join(root, FILE), data)
    said = t("the policy of {home} was changed", home=view.safe(root))
    return Outcome({"file": os.path.join(root, FILE)}, lambda: print(said))


def _given(words: list[str]) -> str:
    if words and words != ["-"]:
        return " ".join(words)
    try:
        return sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError:
        raise InputError(
            "standard input is not UTF-8", hint="convert it with iconv, or set the locale to UTF-8"
        ) from None


def _check(guard: Guard, args: Namespace) -> Outcome:
    text = _given(args.text)
    actions = guard.policy.actions
    found = tuple(
        FoundAt(one.kind, one.family, actions[one.kind], one.start, one.end)
        for one in guard.engine.incoming.found(text)
    )
    taken = guard.taken(text)
    # Even here the text is told as it would be shown: a terminal has a scrollback.
    judged = Judged(
        found,
        guard.shown(taken.text, private=True),
        guard.shown(taken.text, private=False),
        taken.sensitivity,
    )

    def show() -> None:
        if not found:
            print(t("nothing found: it would be stored and shown unchanged"))
            return
        for one in found:
            print(f"{one.kind}  {one.family}  {one.action}  {one.start}-{one.end}")
        view.pairs(
            [
                (t("in private"), judged.private),
                (t("elsewhere"), judged.shown),
                (t("sensitivity"), judged.sensitivity),
            ]
        )

    return Outcome(judged, show)


def _scan(args: Namespace) -> Outcome:
    with opened(args) as memory:
        found = memory.scan(mend=args.mend)

    def show() -> None:
        _show_scanned(found)

    return Outcome(found, show, 0 if found.mended or not found.places else 1)


def _show_scanned(found: Scanned) -> None:
    if not found.places:
        print(t("no forbidden data is stored"))
        return
    kinds = ", ".join(f"{kind} {n}" for kind, n in sorted(found.found.items()))
    places = ", ".join(f"{place} {n}" for place, n in sorted(found.places.items()))
    said = (
        t("removed: {kinds} (in {places})", kinds=kinds, places=places)
        if found.mended
        else t(
            "stored although the policy forbids it: {kinds} (in {places})",
            kinds=kinds,
            places=places,
        )
    )
    print(view.safe(said))
    if not found.mended:
        print(t("remove it with `loxodon policy scan --mend`"))
