"""`loxodon migrate` and `loxodon postgres`: what an administrator of PostgreSQL does."""

from __future__ import annotations

from argparse import Namespace

from loxodon.cli import view
from loxodon.cli.opening import Outcome, settings_of
from loxodon.config import checked, without_password
from loxodon.errors import UsageError
from loxodon.messages import t


def migrate(args: Namespace) -> Outcome:
    url = settings_of(args).store.url
    if not url:
        raise UsageError(
            "the memory is in files, which are migrated when they are opened",
            hint="name the database: `loxodon --store postgresql://user@host/database migrate`",
        )
    from loxodon.store.postgres import migrations

    data = {"store": without_password(url), "applied": migrations.migrate(url, grant=True)}
    said = t("{store} is up to date; migrations applied: {applied}", **data)
    return Outcome(data, lambda: print(view.safe(said)))


def setup(args: Namespace) -> Outcome:
    from loxodon.store.postgres import migrations

    sql = migrations.setup_sql()
    if not args.apply:
        return Outcome({"sql": sql}, lambda: print(sql, end=""))
    checked("store.url", args.apply)
    migrations.setup(args.apply)
    data = {"store": without_password(args.apply)}
    said = t("{store} has the roles loxodon_migrator, loxodon_app and loxodon_backup", **data)
    return Outcome(data, lambda: print(view.safe(said)))
