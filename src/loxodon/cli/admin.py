"""Commands about a home: its state and settings, spaces, tokens, the policy, the audit log."""

from __future__ import annotations

import os
from typing import Any

from loxodon import config as settings
from loxodon import files
from loxodon.cli import view
from loxodon.cli.call import Call, Result, moment, read_file, words
from loxodon.cli.learn import erased
from loxodon.cli.parser import CHAT, YES, arg, command, derived
from loxodon.errors import UsageError
from loxodon.messages import t

# What to do about something that the status shows.
HINTS = {
    "stopped": "it stopped after several attempts; retry with `consolidate --force`",
    "reviews": "to answer what waits for you: `loxodon review`",
    "reminders": "plans past due: `loxodon schedule`",
    "failing": "why a job fails: `loxodon schedule`",
    "crowded": "more memories than expected (about 200 active, 5,000 in all): `loxodon stats`",
}

derived("stats", "Count what this memory holds.")


@command()
def init(call: Call) -> Result:
    """Create a memory: a home, a space and its database."""
    from loxodon.spaces import has_space

    existed = has_space(call.root, call.space)
    if call.store and settings.load(call.folder).store.url != call.store:
        settings.write(call.folder, "store.url", call.store)  # so that the next command has it
    with call.opened(make=True) as memory:
        data = {"home": memory.root, "space": memory.space, "created": not existed}
    return Result(data, t("the memory at {home} (space {space}) is ready", **data))


@command(verb="status")
def status(call: Call) -> Result:
    """Show the state of this memory."""
    found = call.do()
    hints = [t(said) for name, said in HINTS.items() if getattr(found, name)]
    if not found.enabled:
        hints += [t("the memory engine is turned off; waiting in files: {n}", n=found.pending)]
    vectors = [
        f"{one.model} {one.embedded}/{one.embedded + one.pending} {one.error}".rstrip()
        for one in found.embedding
    ]
    hidden = ("attempts", "phase", "due", "enabled", "waiting")
    lines = view.record({**found._asdict(), "embedding": vectors}, *hidden)
    return Result(found, lines, note="\n".join(hints))


@command(
    arg("KEY", "name of a setting; lists the main and the changed ones if omitted", nargs="?"),
    arg("VALUE", "its new value", nargs="?"),
    arg("--all", "list all settings"),
    arg("--unset", "reset the setting to its default"),
)
def config(call: Call) -> Result:
    """Show or change the settings."""
    if call.key and (call.value is not None or call.unset):
        settings.write(call.folder, call.key, None if call.unset else call.value)
        if call.key not in settings.KEYS:  # something unknown was taken out
            return Result({})
    found = settings.with_environment(settings.load(call.folder), os.environ)
    values = settings.shown(found)
    if call.key:
        settings.known(call.key)
        return Result({call.key: values[call.key]}, settings.written(values[call.key]))
    names = [*values] if call.all else [*dict.fromkeys((*settings.MAIN, *settings.changed(found)))]
    rows = [
        {
            "name": name,
            "value": settings.written(values[name]),
            "what it does": t(settings.KEYS[name].about),
        }
        for name in names
    ]
    left = len(values) - len(names)
    more = t("{n} more settings: `loxodon config --all`", n=left) if left else ""
    if given := ", ".join(one for one in settings.ENVIRONMENT if os.environ.get(one)):
        more = t("set by the environment: {names}", names=given) + "\n" + more
    return Result({name: values[name] for name in names}, view.listing(rows), note=more)


@command(
    arg("ACTION list|delete|deleted", "what to do"),
    arg("NAME", "the space to delete", nargs="?"),
    arg("--dry-run", "show what would be deleted, without deleting it"),
    YES,
)
def space(call: Call) -> Result:
    """List the spaces, delete one with everything in it, or list those that were deleted."""
    from loxodon.forget.receipts import counted
    from loxodon.forget.spaces import receipts
    from loxodon.http.host import Host

    if (call.action == "delete") != bool(call.name):
        raise UsageError("delete needs the name of a space; list and deleted take none")
    if call.action == "deleted":
        found = receipts(call.root)
        told = [f"{r['space']}: {r['at']}  {counted(r['erased'])}  {r['id']}" for r in found]
        return Result(found, told or t("nothing found"))
    with Host(call.folder, call.clock) as host:
        if call.action == "list":
            return Result({"spaces": (names := host.spaces())}, names or t("no spaces yet"))
        question = t("This deletes the space with all its files. Type its name to confirm: ")
        return erased(call, lambda dry: host.delete(call.name, dry_run=dry), question, call.name)


@command(
    arg("ACTION add|list|revoke", "what to do"),
    arg("NAME", "name of the token", nargs="?", default=""),
    arg("--for SPACE", "only this space; can be repeated", action="append", dest="spaces"),
    arg("--agent NAME", "the agent that uses it (default: you, the owner)", default=""),
    CHAT,
    arg("--relays-user", "it passes on what the user said, not only its own words"),
    arg("--rights metrics|read|write|owner", "what it may do (write)", default="write"),
    arg("--expires WHEN", "when it stops working, such as 2027-01-31 or in two weeks"),
)
def token(call: Call) -> Result:
    """Create and revoke access tokens for programs."""
    from loxodon.security import tokens

    def told(grant: tokens.Grant) -> dict[str, object]:
        return {name: one for name, one in grant._asdict().items() if name != "digest"}

    if (call.action == "list") == bool(call.name):
        raise UsageError("add and revoke need a token name; list takes none")
    if call.action == "revoke":
        return Result(told(tokens.revoke(call.root, call.name)))
    if call.action == "list":
        return Result([told(one) for one in tokens.read(call.root)])
    if call.relays_user and not (call.agent or call.chat != "direct"):
        raise UsageError("--relays-user is only for the token of an agent or a group")
    now = call.clock()
    ends = moment(call.expires, now) if call.expires else None
    # Whoever names a space with --space means that one, not all of them.
    spaces = tuple(call.spaces or ((call.space,) if call.space != "main" else ()))
    who: Any = {"relays": call.relays_user, "expires": ends.isoformat() if ends else ""}
    wanted = tokens.Grant(call.name, spaces, call.agent, call.chat, call.rights, **who)
    grant, secret = tokens.add(call.root, wanted, now)
    names = ", ".join(grant.spaces) or t("all spaces")
    scope = t("it can access {spaces} ({rights})", spaces=names, rights=grant.rights)
    how = t("it will not be shown again; servers now require one: Authorization: Bearer TOKEN")
    return Result({**told(grant), "token": secret}, [secret, scope, how])


@command(
    arg("ACTION check|use", "check a text, use a file as the policy", nargs="?"),
    arg("TEXT", "the text, or - for standard input; with use, the file", nargs="*"),
)
def policy(call: Call) -> Result:
    """Show what is stored, masked or refused; check a text."""
    from loxodon.guard.guard import Guard
    from loxodon.guard.policy import FILE, parsed

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
        found = [
            {"kind": one.kind, "family": one.family, "start": one.start, "end": one.end}
            | {"action": actions[one.kind]}
            for one in guard.incoming.found(text)
        ]
        taken = guard.taken(text)
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
    file = path if files.exists(path) else ""
    return Result({**told, "file": file}, view.listing(kinds), note=how)


@command(
    arg("ACTION show|verify", "verify looks for tampering", nargs="?"),
    arg("--by NAME", "only entries of this agent", dest="agent"),
    verb="audit.entries",
)
def audit(call: Call) -> Result:
    """Show who read and wrote what, and check that log for tampering."""
    if call.action != "verify":
        return Result({"entries": (found := call.do())}, view.listing(found))
    with call.opened() as memory:
        seen = memory.audit.verify()
    return Result({"ok": seen.sound, **seen._asdict()}, code=0 if seen.sound else 7)
