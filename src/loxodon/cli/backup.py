"""Commands that keep a memory whole: backups, repair, encryption, and where its data is."""

from __future__ import annotations

import os
from typing import Any

from loxodon import config as settings
from loxodon.cli import view
from loxodon.cli.call import Call, Result
from loxodon.cli.parser import arg, command, derived, whole
from loxodon.errors import DamagedStoreError, UsageError
from loxodon.messages import t
from loxodon.spaces import space_folder
from loxodon.types import Problem

derived("rebuild-index", "Rebuild every index from the data.", verb="rebuild_index")


@command(
    arg("FILE", "file to write (default: in backup.folder, named by date and time)", nargs="?"),
    arg("--all", "back up all spaces in the home"),
    arg("--keep N", "backups to keep in the folder (backup.keep); not with FILE", type=whole),
    arg("--overwrite", "overwrite an existing file"),
    verb="backup",
    for_files="backup",
)
def backup(call: Call) -> Result:
    """Back up the memory to one file, while it is in use."""
    from loxodon.backup.create import backup
    from loxodon.http.host import Host
    from loxodon.opening import keys_for

    how: dict[str, Any] = {"overwrite": call.overwrite, "keep": call.keep}
    if call.all:
        spaces = _spaces(call)
        with Host(call.folder) as host:
            for space in spaces:  # which brings each up to date, and says what is wrong with it
                with host.using(space, make=False) as memory:
                    memory.for_owner()
            how |= {"config": call.config, "keys": keys_for(call.folder, call.config)}
            how |= {"whole": True, "now": call.clock(), "progress": view.progress}
            found = backup(call.folder, spaces, call.file, **how)
    else:
        found = call.do(call.file, **how)
    key = t("It is encrypted. The key is not in the backup: keep a copy of it.")
    return Result(found, note=key if found.encrypted else "")


def _spaces(call: Call) -> list[str]:
    from loxodon.http.host import Host

    with Host(call.folder) as host:
        found = host.spaces()
    if not found:
        space_folder(call.root, call.space, make=False)  # says that there is no memory
    return found


@command(
    arg("SOURCE", "a backup, or a folder of text views written by `loxodon export`"),
    arg("--replace", "replace the current memory; the old database is kept"),
    arg("--as", "restore the backup of another space into this one", dest="other"),
    arg("--all", "restore all spaces in the backup"),
    for_files="restore",
)
def restore(call: Call) -> Result:
    """Restore a memory from a backup or from its text views."""
    from loxodon.backup.restore import restore
    from loxodon.views.restore import restore as restore_views

    source = os.path.abspath(os.path.expanduser(call.source))
    how: dict[str, Any] = {"config": call.config, "clock": call.clock, "replace": call.replace}
    how["progress"] = view.progress
    if not os.path.isfile(source):
        if call.other or call.all:
            raise UsageError("--as and --all need a backup, and {path} is not one", path=source)
        return Result(restore_views(call.source, call.folder, call.space, **how))
    how |= {"environ": os.environ, "other": call.other}
    found = restore(source, call.folder, None if call.all else call.space, **how)
    if call.all:
        return Result({"spaces": {name: one._asdict() for name, one in found.items()}})
    return Result(found[call.space])


@command(verb="validate")
def validate(call: Call) -> Result:
    """Check the data and its indexes for damage."""
    try:
        found = call.do()
    except DamagedStoreError as error:
        found = [Problem(call.folder, *error.localized())]
    note = "" if found else t("no problems found")
    code = DamagedStoreError.exit_code if found else 0
    return Result({"ok": not found, "problems": found}, hide="ok", note=note, code=code)


@command(
    arg("--from SOURCE", "a backup or a folder of text views to restore from", dest="source"),
    for_files="repair",
)
def repair(call: Call) -> Result:
    """Repair a damaged memory."""
    from loxodon.backup.restore import repair

    how: dict[str, Any] = {"config": call.config, "clock": call.clock, "source": call.source or ""}
    found = repair(call.folder, call.space, **how, progress=view.progress)
    return Result(found, note="" if found.problems else t("no problems found"))


# Encryption


@command(
    arg("--keyring", "use the key in the system keyring"),
    arg("--key-file FILE", "use the key or passphrase in this file"),
    arg("--env", "use the key in LOXODON_KEY"),
    arg("--make-key", "create a new key there"),
    one_of="--keyring --key-file --env",
    for_files="encryption",
)
def encrypt(call: Call) -> Result:
    """Encrypt every database in the home."""
    from loxodon.security.keys import VARIABLE, KeySource

    source = None  # the key is where the settings say
    if call.env:
        source = KeySource("env", VARIABLE)
    elif call.keyring:
        source = KeySource("keyring", f"database:{call.folder}")
    elif call.key_file:
        source = KeySource("file", os.path.abspath(os.path.expanduser(call.key_file)))
    note = t(
        "Keep a copy of the key in another place: without it, nobody can read this memory.\n"
        "Plain text was removed; disks and snapshots may still hold some of it."
    )
    return _recoded(call, source, make=call.make_key, note=note)


@command(for_files="encryption")
def decrypt(call: Call) -> Result:
    """Decrypt the databases."""
    return _recoded(call)


@command(for_files="encryption")
def rekey(call: Call) -> Result:
    """Change the encryption key."""
    return _recoded(call)


def _recoded(call: Call, source: Any = None, *, make: bool = False, note: str = "") -> Result:
    from loxodon.security.encryption import recode
    from loxodon.security.keys import NEXT_VARIABLE, VARIABLE

    work: Any = call.command.name
    how: Any = {"make": make, "progress": view.progress}
    found = recode(call.folder, call.config, os.environ, work, source, **how)
    left = [t("Not removed, and possibly still plain text:"), *found.left] if found.left else []
    if found.key == f"${NEXT_VARIABLE}":
        names = {"variable": VARIABLE, "next": NEXT_VARIABLE}
        note = t("From now on, {variable} must have the value of {next}.", **names)
    return Result(found, hide="left", note=note, warnings=left)


# PostgreSQL


@command(arg("--to PLACE", "postgresql://user@host/database, or a folder", required=True))
def move(call: Call) -> Result:
    """Move all spaces into a PostgreSQL database, or back into files."""
    from loxodon.backup.moving import move

    found = move(call.folder, call.config, call.to, _spaces(call), call.clock, view.progress)
    kept = t("the memory at {home} is unchanged; delete it when you like", home=call.root)
    return Result(found, note=kept)


@command(
    arg("ACTION setup|migrate", "make the roles (as SQL), or bring the schema up to date"),
    arg("--apply URL", "run it as an administrator (postgresql://admin@host/database)"),
)
def postgres(call: Call) -> Result:
    """Set up or migrate a PostgreSQL database."""
    from loxodon.store.postgres import migrations

    if call.action == "migrate":
        url = call.config.store.url
        if not url:
            raise UsageError(
                "the memory is in files, which are migrated when they are opened",
                hint="name the database: `loxodon --store postgresql://user@host/database migrate`",
            )
        applied = migrations.migrate(url, grant=True)
        return Result({"store": settings.without_password(url), "applied": applied})
    if not call.apply:
        sql = migrations.setup_sql()
        return Result({"sql": sql}, sql.removesuffix("\n"))
    settings.checked("store.url", call.apply)
    migrations.setup(call.apply)
    return Result({"store": settings.without_password(call.apply)})
