"""Commands that keep a memory whole: backups, repair, encryption, and where its data is."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from loxodon import config as settings
from loxodon.backup.create import Backup
from loxodon.cli import view
from loxodon.cli.admin import spaces_of
from loxodon.cli.call import Call, Result
from loxodon.cli.parser import arg, command, whole
from loxodon.errors import DamagedStoreError, NotFoundError, UsageError
from loxodon.messages import t, tn
from loxodon.types import Problem

if TYPE_CHECKING:
    from loxodon.security.encryption import Recoded
    from loxodon.security.keys import Work

_LOST = 7  # the exit code of damage


@command(
    arg(
        "FILE", "file to write (default: a file named by date and time in backup.folder)", nargs="?"
    ),
    arg("--all", "back up all spaces in the home"),
    arg(
        "--keep N",
        "number of backups to keep in the folder (setting backup.keep); not with FILE",
        type=whole,
    ),
    arg("--overwrite", "overwrite an existing file"),
    verb="backup",
)
def backup(call: Call) -> Result:
    """Back up the memory to one file, while it is in use."""
    call.refuse_shared("backup")
    if call.keep is not None and (call.file or not call.keep):
        raise UsageError(
            "--keep must be at least 1, and cannot be combined with FILE",
            hint="omit FILE; backups then go to the folder in the setting backup.folder",
        )
    with view.Bar(t("backing up")) as bar:
        how: dict[str, Any] = {"overwrite": call.overwrite, "keep": call.keep, "progress": bar}
        if call.all:
            found = _back_up_all(call, how)
        else:
            with call.opened() as memory:
                found = memory.backup(call.file, **how)
    shown = [found.path, *view.record(found, "path", "encrypted", "removed")]
    if found.encrypted:
        shown.append(
            t(
                "It is encrypted with the key of this memory. The key is not in the backup: keep "
                "a copy of it."
            )
        )
    if found.removed:
        shown.append(t("older backups removed: {n}", n=len(found.removed)))
    return Result(found, shown)


def _back_up_all(call: Call, how: dict[str, Any]) -> Backup:
    from loxodon.backup.create import backup
    from loxodon.http.host import Host
    from loxodon.opening import keys_for

    spaces = _spaces(call)
    with Host(call.folder) as host:
        for space in spaces:  # which brings each up to date, and says what is wrong with it
            host.memory(space, make=False).for_owner()
    how |= {"config": call.config, "keys": keys_for(call.folder, call.config), "whole": True}
    return backup(call.folder, spaces, call.file, now=call.clock(), **how)


def _spaces(call: Call) -> list[str]:
    if found := spaces_of(call):
        return found
    raise NotFoundError(
        "no memory found at {home}",
        hint="create one with `loxodon init`, or choose another place with --home or LOXODON_HOME",
        home=call.root,
    )


@command(
    arg("SOURCE", "a backup, or a folder of text views written by `loxodon export`"),
    arg("--replace", "replace the current memory; the old database is kept"),
    arg("--as", "restore the backup of another space into this one", dest="other"),
    arg("--all", "restore all spaces in the backup"),
)
def restore(call: Call) -> Result:
    """Restore a memory from a backup or from its text views."""
    call.refuse_shared("restore")
    source = os.path.abspath(os.path.expanduser(call.source))
    how: dict[str, Any] = {"config": call.config, "clock": call.clock, "replace": call.replace}
    if not os.path.isfile(source):
        from loxodon.views.restore import restore as restore_views

        if call.other or call.all:
            raise UsageError(
                "--as and --all need a backup, and {path} is not one",
                hint="create one with `loxodon backup`",
                path=source,
            )
        with view.Bar(t("restoring")) as bar:
            found = restore_views(call.source, call.folder, call.space, **how, progress=bar)
        return Result(found, _restored(found), view.problem_lines(found.edited))
    from loxodon.backup.restore import restore

    space = None if call.all else call.space
    with view.Bar(t("restoring")) as bar:
        how |= {"environ": os.environ, "other": call.other, "progress": bar}
        every = restore(source, call.folder, space, **how)
    if not call.all:
        return Result(every[call.space], _restored(every[call.space]))
    last = list(every.values())[-1]  # the settings came with all of them
    shown = [
        line for name, one in every.items() for line in (name, *_restored(one._replace(offered={})))
    ]
    return Result({"spaces": every}, [*shown, *_offered(last.offered)])


def _restored(found: Any) -> list[str]:
    turns, memories = view.turn_count(found.turns), view.memory_count(found.memories)
    lines = [t("restored {turns} and {memories}", turns=turns, memories=memories)]
    if found.before:
        lines.append(t("the old database is now {path}", path=found.before))
    return [*lines, *_offered(found.offered)]


def _offered(left: Mapping[str, Any]) -> list[str]:
    """Which settings were not applied, and how to set each."""
    from shlex import quote

    lines = [t("these settings were not applied; set the ones you trust:")] if left else []
    for name, value in left.items():
        if name == "policy":
            n = len(str(value).splitlines())
            lines.append("  " + t("policy.toml ({n} lines): copy it out of the backup, a ZIP", n=n))
        else:
            lines.append(f"  loxodon config {name} {quote(settings.written(value))}")
    return lines


@command(verb="validate")
def validate(call: Call) -> Result:
    """Check the data and its indexes for damage."""
    ahead = 0
    try:
        with call.opened() as memory, view.Bar(t("checking")) as bar:
            found = memory.validate(bar)
            ahead = 0 if found or not memory.config.enabled else memory.status().turns_ahead
    except DamagedStoreError as error:
        found = [Problem(call.folder, *error.localized())]
    shown = [f"{view.paint(one.where, 'red')}: {one.what} ({one.hint})" for one in found]
    shown = shown or [view.paint(t("no problems found"), "green")]
    data = {"ok": not found, "problems": found, "turns_ahead": ahead}
    shown += [view.ahead(ahead)] if ahead else []  # no damage: the words are as they were said
    return Result(data, shown, code=_LOST if found else 0)


@command(
    arg(
        "--from SOURCE",
        "a backup or a folder of text views to restore from",
        dest="source",
        default="",
    )
)
def repair(call: Call) -> Result:
    """Repair a damaged memory."""
    from loxodon.backup.repair import repair

    call.refuse_shared("repair")
    how: dict[str, Any] = {"config": call.config, "clock": call.clock, "source": call.source}
    with view.Bar(t("repairing")) as bar:
        found = repair(call.folder, call.space, **how, progress=bar)
    if not found.problems:
        return Result(found, view.paint(t("no problems found"), "green"))
    if found.rebuilt:
        return Result(found, t("rebuilt the derived data; nothing was lost"))
    how = {"source": found.source, "n": found.added}
    said = t("restored from {source}; messages added from the damaged file: {n}", **how)
    shown = [said]
    shown.append(t("the old database is now {path}", path=found.before))
    return Result(found, shown)


@command(verb="rebuild_index")
def rebuild_index(call: Call) -> Result:
    """Rebuild every index from the data."""
    with call.opened() as memory, view.Bar(t("indexing")) as bar:
        rows = memory.rebuild_index(bar)
    return Result({"indexed": rows}, tn("{n} row indexed", "{n} rows indexed", rows))


# Encryption

KEY = (
    arg("--keyring", "use the key in the system keyring"),
    arg("--key-file FILE", "use the key or passphrase in this file"),
    arg("--env", "use the key in LOXODON_KEY"),
    arg("--make-key", "create a new key there"),
)


def _recode(call: Call, work: Work, said: str) -> Recoded:
    """Encrypt, decrypt or rekey the databases of a home."""
    from loxodon.security.encryption import recode
    from loxodon.security.keys import VARIABLE, KeySource

    call.refuse_shared("encryption")
    source, make = None, False  # the key is where the settings say
    if work != "decrypt":
        make = call.make_key
        if call.env:
            source = KeySource("env", VARIABLE)
        elif call.keyring:
            source = KeySource("keyring", f"database:{call.folder}")
        elif call.key_file:
            source = KeySource("file", os.path.abspath(os.path.expanduser(call.key_file)))
    with view.Bar(said) as bar:
        return recode(call.folder, call.config, os.environ, work, source, make=make, progress=bar)


@command(*KEY, one_of="--keyring --key-file --env")
def encrypt(call: Call) -> Result:
    """Encrypt every database in the home."""
    found = _recode(call, "encrypt", t("encrypting"))
    shown = [
        tn(
            "encrypted {n} database; the key is in {key}",
            "encrypted {n} databases; the key is in {key}",
            found.spaces,
            key=found.key,
        ),
        t("Keep a copy of the key in another place: without it, nobody can read this memory."),
        t(
            "The plain text that Loxodon had written is overwritten; a disk or file system that "
            "keeps old blocks (SSDs, snapshots) may still hold some of it."
        ),
    ]
    left = t(
        "Not removed, and possibly still plain text (files you edited, your backups and copies, "
        "folders that cannot be found):"
    )
    return Result(found, shown, [left, *(f"  {path}" for path in found.left)] if found.left else [])


@command()
def decrypt(call: Call) -> Result:
    """Decrypt the databases."""
    found = _recode(call, "decrypt", t("decrypting"))
    return Result(found, tn("decrypted {n} database", "decrypted {n} databases", found.spaces))


@command(*KEY, one_of="--keyring --key-file --env")
def rekey(call: Call) -> Result:
    """Change the encryption key."""
    from loxodon.security.keys import NEXT_VARIABLE, VARIABLE

    found = _recode(call, "rekey", t("changing the key"))
    said = tn(
        "{n} database has a new key; the key is in {key}",
        "{n} databases have a new key; the key is in {key}",
        found.spaces,
        key=found.key,
    )
    names = {"variable": VARIABLE, "next": NEXT_VARIABLE}
    move = t("From now on, {variable} must have the value of {next}.", **names)
    return Result(found, [said, move if found.key == f"${NEXT_VARIABLE}" else None])


# PostgreSQL


@command(
    arg(
        "--to PLACE",
        "address of the database (postgresql://user@host/database), or folder of the new home",
        required=True,
    )
)
def move(call: Call) -> Result:
    """Move all spaces into a PostgreSQL database, or back into files."""
    from loxodon.backup.moving import move

    spaces = _spaces(call)
    with view.Bar(t("moving")) as bar:
        found = move(call.folder, call.config, call.to, spaces, call.clock, bar)
    said = t(
        "moved {turns} and {memories} of {spaces} to {to}, and verified them",
        turns=view.turn_count(found.turns),
        memories=view.memory_count(found.memories),
        spaces=", ".join(found.spaces),
        to=found.to,
    )
    kept = t("the memory at {home} is unchanged; delete it when you like", home=call.root)
    above = os.environ.get("LOXODON_STORE", "")
    still = t("LOXODON_STORE or --store still names another place")
    other = above and settings.without_password(above) != found.to
    return Result(found._asdict(), [said, kept, still if other else None])


@command(
    arg(
        "ACTION",
        "setup: print or run the SQL that makes the roles for migrations, servers and backups; "
        "migrate: bring the schema up to date, and grant the roles what they need",
        choices=("setup", "migrate"),
    ),
    arg("--apply URL", "run it as an administrator (postgresql://admin@host/database)"),
)
def postgres(call: Call) -> Result:
    """Set up or migrate a PostgreSQL database."""
    url = call.config.store.url
    if call.action == "migrate" and not url:
        raise UsageError(
            "the memory is in files, which are migrated when they are opened",
            hint="name the database: `loxodon --store postgresql://user@host/database migrate`",
        )
    from loxodon.store.postgres import migrations

    if call.action == "migrate":
        applied = migrations.migrate(url, grant=True)
        data = {"store": settings.without_password(url), "applied": applied}
        return Result(data, t("{store} is up to date; migrations applied: {applied}", **data))
    if not call.apply:
        sql = migrations.setup_sql()
        return Result({"sql": sql}, sql.removesuffix("\n"))
    settings.checked("store.url", call.apply)
    migrations.setup(call.apply)
    where = {"store": settings.without_password(call.apply)}
    said = t("{store} has the roles loxodon_migrator, loxodon_app and loxodon_backup", **where)
    return Result(where, said)
