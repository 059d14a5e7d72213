"""The command that writes a backup."""

from __future__ import annotations

from argparse import Namespace

from loxodon.cli import view
from loxodon.cli.opening import Outcome, clock_of, home_of, opened, refuse_shared, settings_of
from loxodon.clock import zone_named
from loxodon.errors import NotFoundError, UsageError
from loxodon.messages import t
from loxodon.opening import keys_for
from loxodon.types import Backup


def run(args: Namespace) -> Outcome:
    refuse_shared(args, "backup")
    if args.keep is not None and (args.file or not args.keep):
        raise UsageError(
            "--keep must be at least 1, and cannot be combined with FILE",
            hint="omit FILE; backups then go to the folder in the setting backup.folder",
        )
    with view.Bar(t("backing up")) as bar:
        if args.all:
            found = _all(args, bar)
        else:
            with opened(args) as memory:
                found = memory.backup(
                    args.file, overwrite=args.overwrite, keep=args.keep, progress=bar
                )
    return Outcome(found, lambda: _show(found))


def _all(args: Namespace, bar: view.Bar) -> Backup:
    from loxodon.backup.create import backup
    from loxodon.http.host import Host

    home, config = home_of(args), settings_of(args)
    with Host(home) as host:
        spaces = host.spaces()
        for space in spaces:  # which brings each up to date, and says what is wrong with it
            host.memory(space, make=False).for_owner()
    if not spaces:
        raise NotFoundError(
            "no memory found at {home}",
            hint="create one with `loxodon init`, or choose another place with --home or "
            "LOXODON_HOME",
            home=home,
        )
    return backup(
        home,
        spaces,
        args.file,
        config=config,
        keys=keys_for(home, config),
        now=clock_of(args, zone_named(config.timezone))(),
        keep=args.keep,
        overwrite=args.overwrite,
        whole=True,
        progress=bar,
    )


def _show(found: Backup) -> None:
    print(view.safe(found.path))
    print(
        t(
            "backed up {turns} and {memories} of {spaces} ({size} MB), and verified the file",
            turns=view.turn_count(found.turns),
            memories=view.memory_count(found.memories),
            spaces=", ".join(found.spaces),
            size=f"{found.size / 1e6:.1f}",
        )
    )
    if found.encrypted:
        print(
            t(
                "It is encrypted with the key of this memory. The key is not in the backup: keep "
                "a copy of it."
            )
        )
    if found.removed:
        print(t("older backups removed: {n}", n=len(found.removed)))
