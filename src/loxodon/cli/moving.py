"""`loxodon move`: all spaces into a PostgreSQL database, or back into files."""

from __future__ import annotations

import os
from argparse import Namespace

from loxodon import config as settings
from loxodon.cli import view
from loxodon.cli.opening import Outcome, clock_of, home_of, root_of, settings_of
from loxodon.clock import zone_named
from loxodon.errors import NotFoundError
from loxodon.messages import t


def run(args: Namespace) -> Outcome:
    from loxodon.backup.moving import move
    from loxodon.http.host import Host

    home, config = home_of(args), settings_of(args)
    with Host(home) as host:
        spaces = host.spaces()
    if not spaces:
        raise NotFoundError(
            "no memory found at {home}",
            hint="create one with `loxodon init`, or choose another place with --home or "
            "LOXODON_HOME",
            home=root_of(args),
        )
    clock = clock_of(args, zone_named(config.timezone))
    with view.Bar(t("moving")) as bar:
        found = move(home, config, args.to, spaces, clock, bar)
    data = found._asdict()
    set_above = os.environ.get("LOXODON_STORE", "")

    def show() -> None:
        print(
            t(
                "moved {turns} and {memories} of {spaces} to {to}, and verified them",
                turns=view.turn_count(found.turns),
                memories=view.memory_count(found.memories),
                spaces=", ".join(map(view.safe, found.spaces)),
                to=view.safe(found.to),
            )
        )
        print(t("the memory at {home} is unchanged; delete it when you like", home=root_of(args)))
        if set_above and settings.without_password(set_above) != found.to:
            print(t("LOXODON_STORE or --store still names another place"))

    return Outcome(data, show)
