"""Commands about a home: its state and settings, spaces, tokens, the policy, the audit log."""

from __future__ import annotations

import os
from typing import Any

from loxodon import config as settings
from loxodon import files
from loxodon.cli import view
from loxodon.cli.call import Call, Result, future, read_file, words
from loxodon.cli.learn import paused, receipt
from loxodon.cli.parser import CHAT, YES, action, arg, command, derived, whole
from loxodon.errors import UsageError
from loxodon.messages import t, tn

HINTS = {
    "stopped": "it stopped after several attempts; retry with `consolidate --force`",
    "reviews": "to answer what waits for you: `loxodon review`",
    "reminders": "plans past due: `loxodon schedule`",
    "failing": "why a job fails: `loxodon schedule`",
}
"""What to do about something that the status shows."""

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
    shown = view.record(found, "attempts", "phase", "clock", "paused", "due", "enabled", "waiting")
    if not found.enabled:
        shown.append(t("the memory engine is turned off; waiting in files: {n}", n=found.pending))
    if found.paused:
        shown.append(paused(found.paused.until))
    if found.clock:
        shown.append(view.doubted(found.clock))
    return Result(
        found, [*shown, *(t(said) for name, said in HINTS.items() if getattr(found, name))]
    )


@command(
    arg("KEY", "name of a setting; lists the main and the changed ones if omitted", nargs="?"),
    arg("VALUE", "its new value", nargs="?"),
    arg("--all", "list all settings"),
    arg("--unset", "reset the setting to its default"),
)
def config(call: Call) -> Result:
    """Show or change the settings."""
    if call.unset and not call.key:
        raise UsageError("--unset needs the name of a setting")
    if call.key and (call.value is not None or call.unset):
        if call.key == "tokenizer" and call.value:
            from loxodon.tokens import counter

            counter(call.value)  # says what to install, before every recall would
        settings.write(call.folder, call.key, None if call.unset else call.value)
        if call.key not in settings.KEYS:  # something unknown was taken out
            return Result({})
    found = settings.load(call.folder)
    values = settings.shown(found)
    if call.key:
        settings.known(call.key)
        return Result({call.key: values[call.key]}, settings.written(values[call.key]))
    main = () if call.all else (*settings.MAIN, *settings.changed(found))
    names = list(dict.fromkeys(main or values))
    rows = [(one, settings.written(values[one]), t(settings.KEYS[one].about)) for one in names]
    left = len(values) - len(names)
    more = t("{n} more settings: `loxodon config --all`", n=left) if left else None
    table = view.Table(("setting", "value", "what it does"), rows)
    return Result({name: values[name] for name in names}, [table, more])


@command(
    action("list|delete|deleted", "what to do"),
    arg("NAME", "the space to delete", nargs="?"),
    arg("--dry-run", "show what would be deleted, without deleting it"),
    YES,
)
def space(call: Call) -> Result:
    """List the spaces, delete one with everything in it, or list those that were deleted."""
    from loxodon.forget.spaces import receipts
    from loxodon.http.host import Host

    if (call.action == "delete") != bool(call.name):
        raise UsageError("delete needs the name of a space; list and deleted take none")
    if call.action == "deleted":
        gone = receipts(call.root, call.clock())
        data = [{"space": name, "receipt": one} for name, one in gone]
        return Result(data, [f"{name}: {view.in_words(one.at)}  {one.id}" for name, one in gone])
    with Host(call.folder, call.clock) as host:
        if call.action == "list":
            names = host.spaces()
            return Result({"spaces": names}, names or t("no spaces yet"))
        if not call.yes and not call.dry_run:
            call.see_a_terminal()
            planned = host.delete(call.name, dry_run=True)
            view.show(*receipt(planned, gone=False))
            question = t("This deletes the space with all its files. Type its name to confirm: ")
            if call.answer(question) != call.name:
                return Result({"done": False, "receipt": planned}, t("nothing was changed"))
        found, done = host.delete(call.name, dry_run=call.dry_run), not call.dry_run
    return Result({"done": done, "receipt": found}, receipt(found, gone=done))


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

    def told(grant: tokens.Grant) -> dict[str, object]:
        return {name: one for name, one in grant._asdict().items() if name != "digest"}

    if (call.action == "list") == bool(call.name):
        raise UsageError("add and revoke need a token name; list takes none")
    if call.action == "revoke":
        gone = tokens.revoke(call.root, call.name)
        return Result(told(gone), t("revoked {name}", name=gone.name))
    if call.action == "list":
        found = [told(one) for one in tokens.read(call.root)]
        return Result(found, view.listing(found) if found else t("no tokens"))
    if call.relays_user and not (call.agent or call.chat != "direct"):
        raise UsageError("--relays-user is only for the token of an agent or a group")
    now = call.clock()
    ends = future(call.expires, now).isoformat() if call.expires else ""
    # Whoever names a space with --space means that one, not all of them.
    spaces = tuple(call.spaces or ((call.space,) if call.space != "main" else ()))
    who: Any = {"relays": call.relays_user, "expires": ends}
    wanted = tokens.Grant(call.name, spaces, call.agent, call.chat, call.rights, **who)
    grant, secret = tokens.add(call.root, wanted, now)
    names = ", ".join(grant.spaces) or t("all spaces")
    scope = t("it can access {spaces} ({rights})", spaces=names, rights=grant.rights)
    how = t("it will not be shown again; servers now require one: Authorization: Bearer TOKEN")
    return Result({**told(grant), "token": secret}, [secret, scope, how])


@command(
    action("check|use", "check a text, use a file as the policy", nargs="?"),
    arg("TEXT", "the text, or - for standard input; with use, the file", nargs="*"),
)
def policy(call: Call) -> Result:
    """Show what is stored, masked or refused; check a text."""
    from loxodon.guard.guard import Guard
    from loxodon.guard.policy import FILE, parsed

    if call.text and not call.action:
        raise UsageError("check and use take a text")
    path = os.path.join(call.root, FILE)
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
            for one in guard.incoming.found(text)
            for shown in [{name: getattr(one, name) for name in ("kind", "family", "start", "end")}]
        ]
        taken = guard.taken(text)
        # Even here the text is told as it would be shown: a terminal has a scrollback.
        private, public = (guard.shown(taken.text, private=one) for one in (True, False))
        told = {"private": private, "shown": public, "sensitivity": taken.sensitivity}
        none = t("nothing found: it would be stored and shown unchanged")
        return Result({"found": kinds, **told}, [*view.record(told)] if kinds else none)
    rules = [
        {"kind": kind, "family": family, "action": actions[kind], "own": kind in guard.policy.own}
        for kind, family in dict.fromkeys((one.kind, one.family) for one in guard.policy.rules)
    ]
    how = t("change them in {path}; see `loxodon policy --help`", path=path)
    if files.shared(path):
        how = t("change them with `loxodon policy use FILE`")
    listed = {"kinds": rules, "exceptions": list(guard.policy.exceptions)}
    listed["file"] = path if files.exists(path) else ""
    return Result(listed, [*view.listing(rules), how])


@command(
    action("show|verify", "verify looks for tampering", nargs="?"),
    arg("--actor NAME", "only entries of this interface or agent"),
    arg("--limit N", "show the latest N (0 for all)", type=whole, default=50),
    verb="audit.entries",
    without="surface agent",
)
def audit(call: Call) -> Result:
    """Show who read and wrote what, and check that log for tampering."""
    if call.action != "verify":
        found = [
            one
            for one in call.do(limit=0)
            if not call.actor or call.actor in (one.surface, one.agent)
        ]
        found = found[-call.limit :] if call.limit else found
        return Result({"entries": found}, view.listing(found))
    with call.opened() as memory:
        seen = memory.audit.verify()
    data = {"ok": seen.sound, **seen._asdict()}
    data["findings"] = [
        {"kind": one.kind, "entry": one.n, "message": one.said} for one in seen.findings
    ]
    shown = [one.said for one in seen.findings]
    if seen.sound:
        shown.append(tn("{n} entry is unchanged", "all {n} entries are unchanged", seen.entries))
    else:
        n, last = seen.trusted_to, seen.last
        shown.append(t("the log can be trusted up to entry {n} of {last}", n=n, last=last))
    return Result(data, shown, code=0 if seen.sound else 7)
