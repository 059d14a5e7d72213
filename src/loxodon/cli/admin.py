"""Commands about a home: its state and settings, spaces, tokens, the policy, the audit log,
backups, repair, encryption, and where its data is."""

from __future__ import annotations

import os
from typing import Any

from loxodon import config as settings
from loxodon import files
from loxodon.agents import json5
from loxodon.backup import create, moving
from loxodon.backup import restore as restoring
from loxodon.cli import commands, view
from loxodon.cli.commands import CHAT, Call, Result, arg, command, derived, moment, read_file, words
from loxodon.errors import DamagedStoreError, UsageError
from loxodon.guard.guard import Guard
from loxodon.guard.policy import FILE, parsed
from loxodon.http.host import Host
from loxodon.messages import t
from loxodon.opening import keys_for
from loxodon.security import tokens
from loxodon.security.encryption import recode
from loxodon.security.keys import NEXT_VARIABLE, VARIABLE, KeySource
from loxodon.spaces import has_space
from loxodon.views.restore import restore as restore_views

derived("stats")
derived("rebuild-index", about="Rebuild every index from the data.", verb="rebuild_index")
derived("audit", arg("--by NAME", "only entries of this agent", dest="agent"), verb="audit.entries")
derived(
    "verify-audit",
    verb="audit.verify",
    exit_code=lambda found: 0 if found.sound else DamagedStoreError.exit_code,
)


@command()
def init(call: Call) -> Result:
    """Create a memory: a home, a space and its database."""
    existed = has_space(call.root, call.space)
    if call.store and settings.load(call.home_folder).store.url != call.store:
        settings.write(call.home_folder, "store.url", call.store)  # so that the next command has it
    call.opened(make=True).close()
    data = {"home": call.root, "space": call.space, "created": not existed}
    return Result(data, t("the memory at {home} (space {space}) is ready", **data))


@command(verb="status")
def status(call: Call) -> Result:
    """Show the state of this memory."""
    found = call.do()
    said = commands.TABLE["said"]["status"]
    hints = [t(what_to_do) for name, what_to_do in said.items() if getattr(found, name)]
    if not found.enabled:
        hints += [t("the memory engine is turned off; waiting in files: {n}", n=found.pending)]
    return Result(found, hide="attempts phase due enabled waiting", note="\n".join(hints))


@command(
    arg("KEY", "name of a setting; lists the main and the changed ones if omitted", nargs="?"),
    arg("VALUE", "its new value", nargs="?"),
    arg("--all", "list all settings"),
    arg("--unset", "reset the setting to its default"),
    arg("--from FILE", "take over the values of a config.json of another memory", dest="file"),
)
def config(call: Call) -> Result:
    """Show or change the settings."""
    if call.file:
        taken, left = settings.counterparts(json5.parse(read_file(call.file).decode()).value)
        for name, value in taken.items():
            settings.write(call.home_folder, name, settings.written(value))
        now = settings.shown(settings.load(call.home_folder))
        return Result({"taken": {name: now[name] for name in taken}, "without a counterpart": left})
    if call.key and (call.value is not None or call.unset):
        settings.write(call.home_folder, call.key, None if call.unset else call.value)
        if call.key not in settings.DEFAULTS:  # something unknown was taken out
            return Result({})
    found = settings.load(call.home_folder, os.environ)
    values, known = settings.shown(found), settings.described()
    if call.key:
        settings.known(call.key)
        return Result({call.key: values[call.key]}, settings.written(values[call.key]))
    main = [name for name, one in known.items() if one.main]
    names = [*values] if call.all else [*dict.fromkeys((*main, *settings.changed(found)))]
    rows = []
    for name in names:
        value, about = settings.written(values[name]), t(known[name].about)
        rows.append({"name": name, "value": value, "what it does": about})
    others = len(values) - len(names)
    more = t("{n} more settings: `loxodon config --all`", n=others) if others else ""
    if given := ", ".join(one.variable for one in known.values() if os.environ.get(one.variable)):
        more = t("set by the environment: {names}", names=given) + "\n" + more
    return Result({name: values[name] for name in names}, view.listing(rows), note=more)


@command(
    arg("ACTION add|list|revoke", "what to do"),
    arg("NAME", "name of the token", nargs="?", default=""),
    arg("--for SPACE", "only this space; can be repeated", action="append", dest="spaces"),
    arg("--for-agent NAME", "the agent that uses it (default: you, the owner)", default=""),
    CHAT,
    arg("--rights metrics|read|write|owner", "what it may do (write)", default="write"),
    arg("--expires WHEN", "when it stops working, such as 2027-01-31 or in two weeks"),
)
def token(call: Call) -> Result:
    """Create and revoke access tokens for programs; --relays-user is for those of agents."""
    if call.action == "revoke":
        return Result(tokens.revoke(call.root, call.name)._replace(sha256=""))
    if call.action == "list":
        return Result([one._replace(sha256="") for one in tokens.read(call.root)])
    if call.relays_user and not (call.for_agent or call.chat != "direct"):
        raise UsageError("--relays-user is only for the token of an agent or a group")
    now = call.clock()
    ends = moment(call.expires, now) if call.expires else None
    # Whoever names a space with --space means that one, not all of them.
    spaces = tuple(call.spaces or ((call.space,) if call.space != "main" else ()))
    who: Any = {"relays": call.relays_user, "expires": ends.isoformat() if ends else ""}
    wanted = tokens.Grant(call.name, spaces, call.for_agent, call.chat, call.rights, **who)
    grant, secret = tokens.add(call.root, wanted, now)
    names = ", ".join(grant.spaces) or t("all spaces")
    scope = t("it can access {spaces} ({rights})", spaces=names, rights=grant.rights)
    how = t("it will not be shown again; servers now require one: Authorization: Bearer TOKEN")
    return Result({**grant._replace(sha256="")._asdict(), "token": secret}, [secret, scope, how])


@command(
    arg("ACTION check|use", "check a text, use a file as the policy", nargs="?"),
    arg("TEXT", "the text, or - for standard input; with use, the file", nargs="*"),
)
def policy(call: Call) -> Result:
    """Show what is stored, masked or refused; check a text."""
    path = os.path.join(call.root, FILE)
    if call.action == "use":
        name = words(call.text)
        rules = read_file(name)
        parsed(rules, name)  # says what is wrong with it
        files.make_folder(call.root)
        files.replace(path, rules)
        return Result({"file": path}, t("the policy of {home} was changed", home=call.root))
    guard = Guard.of(call.root)
    actions = guard.policy.actions
    if call.action == "check":
        text = words(call.text or ["-"])
        met, taken = guard.incoming.found(text), guard.taken(text)
        found = [{**one._asdict(), "action": actions[one.kind]} for one in met]
        # Even here the text is told as it would be shown: a terminal has a scrollback.
        private, public = (guard.shown(taken.text, private=one) for one in (True, False))
        data = {"private": private, "shown": public, "sensitivity": taken.sensitivity}
        return Result({"found": found, **data})
    kinds = [
        {"kind": kind, "family": family, "action": actions[kind], "own": kind in guard.policy.own}
        for kind, family in dict.fromkeys((one.kind, one.family) for one in guard.policy.rules)
    ]
    how = t("change them in {path}, or with `loxodon policy use FILE`", path=path)
    told = {"kinds": kinds, "exceptions": list(guard.policy.exceptions)}
    return Result({**told, "file": path if files.exists(path) else ""}, hide="file", note=how)


# Backups and repair


@command(
    arg("FILE", "file to write (default: one in backup.folder)", nargs="?", dest="path"),
    arg("--all", "back up all spaces in the home"),
    arg("--overwrite", "overwrite an existing file"),
    verb="backup",
    for_files="backup",
)
def backup(call: Call) -> Result:
    """Back up the memory to one file, while it is in use."""
    if call.all:
        how: Any = {"config": call.config, "keys": keys_for(call.home_folder, call.config)}
        how |= {"overwrite": call.overwrite, "now": call.clock(), "progress": view.progress}
        found = create.backup(call.home_folder, _spaces(call), call.path, whole=True, **how)
    else:
        found = call.do()
    key = t("It is encrypted. The key is not in the backup: keep a copy of it.")
    return Result(found, note=key if found.encrypted else "")


def _spaces(call: Call) -> list[str]:
    """The spaces of the home, each brought up to date; an error where one cannot be used."""
    with Host(call.home_folder) as host:
        found = host.spaces() or [call.space]
        for space in found:
            with host.using(space, make=False) as memory:
                memory.store.for_owner()
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
    source = os.path.abspath(os.path.expanduser(call.source))
    how: dict[str, Any] = {"config": call.config, "clock": call.clock, "replace": call.replace}
    how["progress"] = view.progress
    if not os.path.isfile(source):
        if call.other or call.all:
            raise UsageError("--as and --all need a backup, and {path} is not one", path=source)
        return Result(restore_views(call.source, call.home_folder, call.space, **how))
    how["other"] = call.other
    found = restoring.restore(source, call.home_folder, None if call.all else call.space, **how)
    if call.all:
        return Result({"spaces": {name: one._asdict() for name, one in found.items()}})
    return Result(found[call.space])


@command(verb="validate")
def validate(call: Call) -> Result:
    """Check the data and its indexes for damage."""
    found = call.do()
    note = "" if found else t("no problems found")
    code = DamagedStoreError.exit_code if found else 0
    return Result({"ok": not found, "problems": found}, hide="ok", note=note, code=code)


@command(
    arg("--from SOURCE", "a backup or a folder of text views to restore from", dest="source"),
    for_files="repair",
)
def repair(call: Call) -> Result:
    """Repair a damaged memory."""
    how: dict[str, Any] = {"config": call.config, "clock": call.clock, "source": call.source or ""}
    found = restoring.repair(call.home_folder, call.space, **how, progress=view.progress)
    return Result(found, note="" if found.problems else t("no problems found"))


# Encryption


@command(
    arg("--keyring", "use the key in the system keyring"),
    arg("--key-file FILE", "use the key in this file"),
    arg("--env", "use the key in LOXODON_KEY"),
    arg("--make-key", "create a new key there"),
    one_of="--keyring --key-file --env",
    for_files="encryption",
)
def encrypt(call: Call) -> Result:
    """Encrypt every database in the home."""
    places = {
        "env": call.env and VARIABLE,
        "keyring": call.keyring and f"database:{call.home_folder}",
        "file": call.key_file and os.path.abspath(os.path.expanduser(call.key_file)),
    }  # else the key is where the settings say
    source = next((KeySource(kind, name) for kind, name in places.items() if name), None)
    note = t(
        "Keep a copy of the key in another place: without it, nobody can read this memory.\n"
        "Plain text was removed; disks and snapshots may still hold some of it."
    )
    return _recoded(call, source, make=call.make_key, note=note)


def _recoded(call: Call, source: Any = None, *, make: bool = False, note: str = "") -> Result:
    how: Any = {"work": call.command.name, "source": source, "make": make}
    found = recode(call.home_folder, call.config, **how, progress=view.progress)
    left = [t("Not removed, and possibly still plain text:"), *found.left] if found.left else []
    if found.key == f"${NEXT_VARIABLE}":
        names = {"variable": VARIABLE, "next": NEXT_VARIABLE}
        note = t("From now on, {variable} must have the value of {next}.", **names)
    return Result(found, hide="left", note=note, warnings=left)


command(name="decrypt", about="Decrypt the databases.", for_files="encryption")(_recoded)
command(name="rekey", about="Change the encryption key.", for_files="encryption")(_recoded)


# PostgreSQL


@command(arg("--to PLACE", "postgresql://user@host/database, or a folder", required=True))
def move(call: Call) -> Result:
    """Move all spaces into a PostgreSQL database, or back into files."""
    spaces, home = _spaces(call), call.home_folder
    found = moving.move(home, call.config, call.to, spaces, call.clock, view.progress)
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
            hint = "name the database: `loxodon --store postgresql://user@host/database migrate`"
            raise UsageError("files are migrated when they are opened", hint=hint)
        applied = migrations.migrate(url, grant=True)
        return Result({"store": settings.without_password(url), "applied": applied})
    if not call.apply:
        sql = migrations.setup_sql()
        return Result({"sql": sql}, sql.removesuffix("\n"))
    settings.checked("store.url", call.apply)
    migrations.setup(call.apply)
    return Result({"store": settings.without_password(call.apply)})
