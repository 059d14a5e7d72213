"""`loxodon space`: which spaces there are, and deleting one."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable

from loxodon.cli import view
from loxodon.cli.control import see_that_somebody_is_there, show_receipt
from loxodon.cli.opening import Outcome, clock_of, home_of, root_of, settings_of
from loxodon.clock import zone_named
from loxodon.errors import UsageError
from loxodon.forget.receipts import counted
from loxodon.forget.spaces import delete, receipts
from loxodon.http.host import Host
from loxodon.messages import t
from loxodon.types import Receipt


def run(args: Namespace) -> Outcome:
    if (args.action == "delete") != bool(args.name):
        raise UsageError(
            "delete needs the name of a space; list and deleted take none",
            hint="see `loxodon space --help`",
        )
    return ACTIONS[args.action](args)


def _list(args: Namespace) -> Outcome:
    with Host(home_of(args)) as host:
        found = host.spaces()

    def show() -> None:
        for name in found or [t("no spaces yet")]:
            print(view.safe(name))

    return Outcome({"spaces": found}, show)


def _delete(args: Namespace) -> Outcome:
    if not args.yes:
        see_that_somebody_is_there(args)
        planned = _deleted(args, dry_run=True)
        if args.dry_run or not _agreed(args, planned):
            return Outcome(
                {"done": False, "receipt": planned},
                lambda: show_receipt(planned, gone=False) if args.dry_run else None,
            )
    receipt = _deleted(args, dry_run=args.dry_run)
    done = not args.dry_run
    return Outcome({"done": done, "receipt": receipt}, lambda: show_receipt(receipt, gone=done))


def _agreed(args: Namespace, planned: Receipt) -> bool:
    """Whether to go on: what would go is shown, and the name has to be typed."""
    show_receipt(planned, gone=False)
    ask = t("This deletes the space with all its files. Type its name to confirm: ")
    return input(ask).strip() == str(args.name)


def _deleted(args: Namespace, *, dry_run: bool) -> Receipt:
    from loxodon.opening import keys_for

    home, config = home_of(args), settings_of(args)
    now = clock_of(args, zone_named(config.timezone))()
    with view.Bar(t("deleting")) as bar:
        return delete(
            home,
            args.name,
            config,
            keys_for(home, config),
            now,
            root=root_of(args),
            dry_run=dry_run,
            progress=bar,
        )


def _were(args: Namespace) -> Outcome:
    now = clock_of(args, zone_named(settings_of(args).timezone))()
    found = receipts(root_of(args), now)

    def show() -> None:
        if not found:
            print(t("no space has been deleted yet"))
        for name, one in found:
            told = f"{one.id}  {view.minute(one.at)}  {one.by}  {name}: {counted(one.erased)}"
            print(view.safe(told))

    return Outcome([{"space": name, "receipt": one} for name, one in found], show)


ACTIONS: dict[str, Callable[[Namespace], Outcome]] = {
    "list": _list,
    "delete": _delete,
    "deleted": _were,
}
