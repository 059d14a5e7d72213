"""Commands about a home: its state and settings, spaces, tokens, the policy, the audit log."""

from __future__ import annotations

import os
from collections import Counter
from typing import Any

from loxodon import config as settings
from loxodon import files
from loxodon.cli import view
from loxodon.cli.call import Call, Result, read_file, words
from loxodon.cli.forget import paused, receipt
from loxodon.cli.parser import CHAT, YES, action, arg, command, derived, whole
from loxodon.errors import UsageError
from loxodon.forget.receipts import Receipt
from loxodon.messages import t, tn

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
    ready = t("the memory at {home} (space {space}) is ready", **data)
    return Result(
        data, ready if existed else t("created a memory at {home} (space {space})", **data)
    )


@command(verb="status")
def status(call: Call) -> Result:
    """Show the state of this memory."""
    found = call.do()
    told = ("attempts", "stopped", "phase", "clock", "paused", "due", "enabled")
    shown = view.record(found, *told, *([] if call.config.model.name else ["waiting"]))
    if not found.enabled:
        shown.append(t("the memory engine is turned off; waiting in files: {n}", n=found.pending))
    if found.paused:
        shown.append(paused(found.paused.until))
    if found.clock:
        shown.append(view.doubted(found.clock))
    if found.stopped:
        shown.append(t("it stopped after several attempts; retry with `consolidate --force`"))
    if found.reviews:
        shown.append(t("to answer what waits for you: `loxodon review`"))
    if found.reminders or found.failing:
        shown.append(t("plans past due, and why a job fails: `loxodon schedule`"))
    return Result(found, shown)


@command(
    arg("KEY", "name of a setting; lists the main and the changed ones if omitted", nargs="?"),
    arg("VALUE", "its new value", nargs="?"),
    arg("--all", "list all settings"),
    arg("--unset", "reset the setting to its default"),
)
def config(call: Call) -> Result:
    """Show or change the settings."""
    home = call.folder
    if call.unset and not call.key:
        raise UsageError("--unset needs the name of a setting")
    if call.key and (call.value is not None or call.unset):
        settings.write(home, call.key, None if call.unset else call.value)
        if call.key not in settings.KEYS:  # something unknown was taken out
            return Result({})
    found = settings.load(home)
    values = settings.shown(found)
    if call.key:
        settings.known(call.key)
        value = values[call.key]
        return Result({call.key: value}, settings.written(value))
    main = () if call.all else (*settings.MAIN, *settings.changed(found))
    names = list(dict.fromkeys(main or values))
    rows = [(one, settings.written(values[one]), t(settings.KEYS[one].about)) for one in names]
    left = len(values) - len(names)
    more = t("{n} more settings: `loxodon config --all`", n=left) if left else None
    table = view.Table(("setting", "value", "what it does"), rows)
    return Result({name: values[name] for name in names}, [table, more])


# Spaces


@command(
    action("list|delete|deleted", "what to do"),
    arg("NAME", "the space to delete", nargs="?"),
    arg("--dry-run", "show what would be deleted, without deleting it"),
    YES,
)
def space(call: Call) -> Result:
    """List the spaces, delete one with everything in it, or list those that were deleted."""
    from loxodon.forget.spaces import receipts

    if (call.action == "delete") != bool(call.name):
        raise UsageError("delete needs the name of a space; list and deleted take none")
    if call.action == "delete":
        return _delete(call)
    if call.action == "deleted":
        gone = receipts(call.root, call.clock())
        data = [{"space": name, "receipt": one} for name, one in gone]
        return Result(data, [f"{name}: {view.minute(one.at)}  {one.id}" for name, one in gone])
    names = spaces_of(call)
    return Result({"spaces": names}, names or t("no spaces yet"))


def spaces_of(call: Call) -> list[str]:
    from loxodon.http.host import Host

    with Host(call.folder) as host:
        return host.spaces()


def _delete(call: Call) -> Result:
    from loxodon.forget.spaces import delete
    from loxodon.opening import keys_for

    def deleted(dry_run: bool) -> Receipt:
        keys, now = keys_for(call.folder, call.config), call.clock()
        how: dict[str, Any] = {"root": call.root, "dry_run": dry_run}
        with view.Bar(call.command) as bar:
            return delete(call.folder, call.name, call.config, keys, now, **how, progress=bar)

    if not call.yes and not call.dry_run:
        call.see_a_terminal()
        planned = deleted(dry_run=True)
        view.show(*receipt(planned, gone=False))
        question = t("This deletes the space with all its files. Type its name to confirm: ")
        if call.answer(question) != call.name:
            return Result({"done": False, "receipt": planned}, t("nothing was changed"))
    done = not call.dry_run
    found = deleted(dry_run=call.dry_run)
    return Result({"done": done, "receipt": found}, receipt(found, gone=done))


# Tokens


@command(
    action("add|list|revoke", "what to do"),
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
    from loxodon.text.dates import until

    if (call.action == "list") == bool(call.name):
        raise UsageError("add and revoke need a token name; list takes none")
    if call.action == "revoke":
        gone = tokens.revoke(call.root, call.name)
        return Result(_told(gone), t("revoked {name}", name=gone.name))
    if call.action == "list":
        found = [_told(one) for one in tokens.read(call.root)]
        heads = list(found[0]) if found else []
        table = view.Table(heads, [[*one.values()] for one in found])
        return Result(found, table if found else t("no tokens"))
    if call.relays_user and not (call.agent or call.chat != "direct"):
        raise UsageError("--relays-user is only for the token of an agent or a group")
    now = call.clock()
    ends = until(call.expires, now) if call.expires else None
    if call.expires and (ends is None or ends <= now):
        raise UsageError("{text} is not a time in the future", text=repr(call.expires))
    # Whoever names a space with --space means that one, not all of them.
    spaces = tuple(call.spaces or ((call.space,) if call.space != "main" else ()))
    who: Any = {"relays": call.relays_user, "expires": ends.isoformat() if ends else ""}
    wanted = tokens.Grant(call.name, spaces, call.agent, call.chat, call.rights, **who)
    grant, secret = tokens.add(call.root, wanted, now)
    names = ", ".join(grant.spaces) or t("all spaces")
    scope = t("it can access {spaces} ({rights})", spaces=names, rights=grant.rights)
    how = t("it will not be shown again; servers now require one: Authorization: Bearer TOKEN")
    return Result({**_told(grant), "token": secret}, [secret, scope, how])


def _told(grant: Any) -> dict[str, object]:
    """A grant as it may be shown: its digest leads nowhere, and is nobody's business."""
    return {name: one for name, one in grant._asdict().items() if name != "digest"}


# The policy


@command(
    action(
        "check|scan|use", "check a text, scan what is stored, use a file as the policy", nargs="?"
    ),
    arg("TEXT", "the text, or - for standard input; with use, the file", nargs="*"),
    arg("--mend", "remove what scan finds"),
    verb="scan",
)
def policy(call: Call) -> Result:
    """Show what is stored, masked or refused; check a text; scan stored data."""
    from loxodon.guard.guard import Guard
    from loxodon.guard.policy import FILE, parsed

    if (call.mend and call.action != "scan") or (call.text and call.action in (None, "scan")):
        raise UsageError("`policy scan` takes --mend, check and use take a text")
    path = os.path.join(call.root, FILE)
    if call.action == "scan":
        with call.opened() as memory:
            found = memory.scan(mend=call.mend)
        hint = [] if found.mended else [t("remove it with `loxodon policy scan --mend`")]
        none = t("no forbidden data is stored")
        shown = [*view.record(found), *hint] if found.places else none
        return Result(found, shown, code=1 if found.places and not found.mended else 0)
    if call.action == "use":
        data = read_file(" ".join(call.text))
        parsed(data, call.text[0])  # says what is wrong with it
        files.make_folder(call.root)
        files.replace(path, data)
        return Result({"file": path}, t("the policy of {home} was changed", home=call.root))
    guard = Guard.of(call.root)
    actions = guard.policy.actions
    if call.action == "check":
        text = words(call.text or ["-"])
        kinds = [
            {**shown, "action": actions[one.kind]}
            for one in guard.engine.incoming.found(text)
            for shown in [{name: getattr(one, name) for name in ("kind", "family", "start", "end")}]
        ]
        taken = guard.taken(text)
        # Even here the text is told as it would be shown: a terminal has a scrollback.
        private, public = (guard.shown(taken.text, private=one) for one in (True, False))
        told = {"private": private, "shown": public, "sensitivity": taken.sensitivity}
        none = t("nothing found: it would be stored and shown unchanged")
        return Result({"found": kinds, **told}, [*view.record(told)] if kinds else none)
    counted = Counter((rule.kind, rule.family) for rule in guard.policy.rules)
    rules: list[dict[str, Any]] = [
        {
            "kind": kind,
            "family": family,
            "action": actions[kind],
            "own": kind in guard.policy.own,
            "rules": n,
        }
        for (kind, family), n in counted.items()
    ]
    rows = [(one["kind"], one["family"], one["action"]) for one in rules]
    listed = {"kinds": rules, "exceptions": list(guard.policy.exceptions)}
    how = t("change them in {path}; see `loxodon policy --help`", path=path)
    if files.shared(path):
        how = t("change them with `loxodon policy use FILE`")
    table = view.Table(("kind", "family", "action"), rows)
    return Result({"file": path if files.exists(path) else "", **listed}, [table, how])


# The audit log


@command(
    action("show|verify|accept", "verify looks for tampering, accept keeps it", nargs="?"),
    arg("--actor NAME", "only entries of this interface or agent"),
    arg("--limit N", "show the latest N (0 for all)", type=whole, default=50),
    arg("--yes", "accept without asking"),
    verb="audit.entries",
    without="surface agent",
)
def audit(call: Call) -> Result:
    """Show who read and wrote what, and check that log for tampering."""
    if call.action == "accept" and not call.yes:
        raise UsageError("`audit verify` will no longer fail because of these problems: add --yes")
    with call.opened() as memory:
        if call.action == "accept":
            memory.audit.accept()
        if call.action in ("verify", "accept"):
            return _verified(memory.audit.verify())
        given = {**call.given(memory.now()), "limit": 0}
        found = [
            one
            for one in memory.audit.entries(**given)
            if not call.actor or call.actor in (one.surface, one.agent)
        ]
    found = found[-call.limit :] if call.limit else found
    return Result({"entries": found}, view.listing(found))


def _verified(found: Any) -> Result:
    data = {"ok": found.sound, **found._asdict()}
    for name in ("findings", "notices"):
        data[name] = [{"kind": one.kind, "entry": one.n, "message": one.said} for one in data[name]]
    shown = [one.said for one in (*found.findings, *found.notices)]
    if found.sound:
        shown.append(tn("{n} entry is unchanged", "all {n} entries are unchanged", found.entries))
    else:
        n, last = found.trusted_to, found.last
        shown.append(t("the log can be trusted up to entry {n} of {last}", n=n, last=last))
    return Result(data, shown, code=0 if found.sound else 7)
