"""`loxodon token`: who may ask the servers of this home, and for what."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable

from loxodon.clock import zone_named
from loxodon.config import load
from loxodon.errors import UsageError
from loxodon.messages import t
from loxodon.serve.cli import view
from loxodon.serve.cli.opening import Outcome, clock_of, home_of
from loxodon.trust.access import tokens as access
from loxodon.trust.access.tokens import RIGHTS, Grant
from loxodon.types import CHATS


def build(parser: ArgumentParser) -> None:
    """What `token` takes."""
    parser.add_argument("action", choices=tuple(ACTIONS), help=t("what to do"))
    parser.add_argument("name", metavar="NAME", nargs="?", default="",
                        help=t("what the token is called"))  # fmt: skip
    about = t("a space that it reaches, and no other; may be given again (all)")
    parser.add_argument("--for", dest="spaces", metavar="SPACE", action="append", help=about)
    about = t("the agent that it is; else the owner, who sees every agent's")
    parser.add_argument("--agent", metavar="NAME", default="", help=about)
    parser.add_argument("--chat", choices=CHATS, default="direct",
                        help=t("who hears it; in a group nothing private is told"))  # fmt: skip
    about = t("it hands on what the user said; else all that an agent says is its own word")
    parser.add_argument("--relays-user", action="store_true", help=about)
    about = t("read, write (the default; also to remember and change) or owner (everything)")
    parser.add_argument("--rights", choices=RIGHTS, default="write", help=about)


def run(args: Namespace) -> Outcome:
    if (args.action == "list") == bool(args.name):
        raise UsageError(
            "add and revoke take the name of a token, and list takes none",
            hint="`loxodon token --help` shows what it takes",
        )
    return ACTIONS[args.action](args)


def _add(args: Namespace) -> Outcome:
    home = home_of(args)
    now = clock_of(args, zone_named(load(home).timezone))()
    if args.relays_user and not (args.agent or args.chat != "direct"):
        raise UsageError(
            "--relays-user is for the token of an agent or a group",
            hint="name the agent with --agent; who has the owner's token may relay the user anyway",
        )
    wanted = Grant(args.name, tuple(args.spaces or ()), args.agent, args.chat, args.rights,
                   relays=args.relays_user)  # fmt: skip
    grant, token = access.add(home, wanted, now)

    def show() -> None:
        print(token)
        print(t("this is the only time it is shown; send it as Authorization: Bearer TOKEN"))
        print(t("from now on the servers of this home answer only who has a token"))

    return Outcome({**_told(grant), "token": token}, show)


def _list(args: Namespace) -> Outcome:
    found = access.read(home_of(args))

    def show() -> None:
        if not found:
            print(t("no tokens"))
        for one in found:
            spaces = ", ".join(one.spaces) or t("all spaces")
            parts = [one.rights, spaces, *([f"@{one.agent}"] if one.agent else []),
                     *([one.chat] if one.chat != "direct" else []),
                     *([t("relays the user")] if one.relays else []), one.made]  # fmt: skip
            print(f"{view.paint(view.safe(one.name), 'bold')}  {view.safe('  '.join(parts))}")

    return Outcome([_told(one) for one in found], show)


def _revoke(args: Namespace) -> Outcome:
    gone = access.revoke(home_of(args), args.name)
    return Outcome(_told(gone), lambda: print(t("revoked {name}", name=view.safe(gone.name))))


def _told(grant: Grant) -> dict[str, object]:
    """A grant as it may be shown: its digest leads nowhere, and is nobody's business."""
    found = grant._asdict()
    del found["digest"]
    return found


ACTIONS: dict[str, Callable[[Namespace], Outcome]] = {
    "add": _add,
    "list": _list,
    "revoke": _revoke,
}
