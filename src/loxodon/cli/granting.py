"""`loxodon token`: who may ask the servers of this home, and for what."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable

from loxodon.cli import view
from loxodon.cli.control import span
from loxodon.cli.opening import Outcome, clock_of, home_of, root_of
from loxodon.clock import zone_named
from loxodon.config import load
from loxodon.errors import UsageError
from loxodon.messages import t
from loxodon.security import tokens as access
from loxodon.security.tokens import Grant


def run(args: Namespace) -> Outcome:
    if (args.action == "list") == bool(args.name):
        raise UsageError(
            "add and revoke need a token name; list takes none", hint="see `loxodon token --help`"
        )
    return ACTIONS[args.action](args)


def _add(args: Namespace) -> Outcome:
    home = home_of(args)
    now = clock_of(args, zone_named(load(home).timezone))()
    if args.relays_user and not (args.agent or args.chat != "direct"):
        raise UsageError(
            "--relays-user is only for the token of an agent or a group",
            hint="add --agent NAME; an owner token can pass on the user's words anyway",
        )
    # Whoever names a space with --space means that one, not all of them.
    named = (args.space,) if args.space != "main" else ()
    wanted = Grant(
        args.name,
        tuple(args.spaces or named),
        args.agent,
        args.chat,
        args.rights,
        relays=args.relays_user,
        expires=(now + span(args.expires)).isoformat(timespec="seconds") if args.expires else "",
    )
    grant, token = access.add(root_of(args), wanted, now)

    def show() -> None:
        print(token)
        spaces = ", ".join(map(view.safe, grant.spaces)) or t("all spaces")
        print(t("it can access {spaces} ({rights})", spaces=spaces, rights=grant.rights))
        print(t("it will not be shown again; send it as Authorization: Bearer TOKEN"))
        print(t("from now on, the servers of this home require a token"))

    return Outcome({**_told(grant), "token": token}, show)


def _list(args: Namespace) -> Outcome:
    found = access.read(root_of(args))

    def show() -> None:
        if not found:
            print(t("no tokens"))
        for one in found:
            spaces = ", ".join(one.spaces) or t("all spaces")
            parts = [
                one.rights,
                spaces,
                *([f"@{one.agent}"] if one.agent else []),
                *([one.chat] if one.chat != "direct" else []),
                *([t("passes on the user's words")] if one.relays else []),
                one.made,
                *([t("until {until}", until=one.expires)] if one.expires else []),
            ]
            print(f"{view.paint(view.safe(one.name), 'bold')}  {view.safe('  '.join(parts))}")

    return Outcome([_told(one) for one in found], show)


def _revoke(args: Namespace) -> Outcome:
    gone = access.revoke(root_of(args), args.name)
    return Outcome(_told(gone), lambda: print(t("revoked {name}", name=view.safe(gone.name))))


def _told(grant: Grant) -> dict[str, object]:
    """A grant as it may be shown: its digest leads nowhere, and is nobody's business."""
    found = grant._asdict()
    del found["digest"]
    return found


ACTIONS: dict[str, Callable[[Namespace], Outcome]] = {"add": _add, "list": _list, "revoke": _revoke}
