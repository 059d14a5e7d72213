"""Commands about a home: its state and settings, spaces, tokens, the policy, the audit log."""

from __future__ import annotations

import os
from collections import Counter
from typing import Any

from loxodon import config as settings
from loxodon import files
from loxodon.cli import view
from loxodon.cli.call import Call, Result, ask, read_file, unconfirmed, words
from loxodon.cli.forget import deleted_spaces, paused, receipt
from loxodon.cli.parser import arg, command, whole
from loxodon.errors import UsageError
from loxodon.forget.receipts import Receipt
from loxodon.messages import t, tn
from loxodon.security.audit_log import Verified

_YES = arg("--yes", "do not ask for confirmation")
_IDS = 3  # of an entry of the audit log that a person is shown; JSON has all


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
    with call.opened() as memory:
        found = memory.status()
        has_model = bool(memory.config.model.name)
    told = ("attempts", "stopped", "error", "phase", "aside", "clock", "paused", "turns_ahead")
    shown = view.record(found, *told, "due", "enabled", *([] if has_model else ["waiting"]))
    if not found.enabled:
        waiting = tn(
            "{n} entry is kept in a file until it is turned on again",
            "{n} entries are kept in files until it is turned on again",
            found.pending,
        )
        shown = [view.pairs([(t("home"), found.home), (t("space"), found.space)])]
        shown += [t("the memory engine is turned off"), waiting]
    if found.paused:
        shown.append(paused(found.paused))
    if found.clock:
        shown.append(view.doubted(found.clock))
    if found.turns_ahead:
        shown.append(view.ahead(found.turns_ahead))
    if found.stopped:
        said = tn(
            "stopped after {n} attempt: {reason}; retry with `loxodon consolidate --force`",
            "stopped after {n} attempts: {reason}; retry with `loxodon consolidate --force`",
            found.attempts,
            reason=found.error or t("it was interrupted"),
        )
        shown.append(said)
    if found.failed:
        names = ", ".join(found.aside) + (", …" if found.failed > len(found.aside) else "")
        said = tn(
            "{n} message could not be processed: {names}; it stays in the journal",
            "{n} messages could not be processed: {names}; they stay in the journal",
            found.failed,
            names=names,
        )
        shown.append(said)
    if found.reviews:
        shown.append(t("to answer what waits for you: `loxodon review`"))
    if found.reminders or found.failing:
        shown.append(t("plans past due, and why a job fails: `loxodon schedule`"))
    return Result(found, shown)


@command(verb="stats")
def stats(call: Call) -> Result:
    """Count what this memory holds."""
    with call.opened() as memory:
        found = memory.stats()
    return Result(found, view.record(found))


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
        raise UsageError(
            "--unset needs the name of a setting",
            hint="list all settings with `loxodon config --all`",
        )
    if call.key and (call.value is not None or call.unset):
        if call.key == "tokenizer" and call.value:
            from loxodon.tokens import counter

            counter(call.value)  # says what to install, before every recall would
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
    arg("ACTION", "what to do", choices=("list", "delete", "deleted")),
    arg("NAME", "the space to delete", nargs="?"),
    arg("--dry-run", "show what would be deleted, without deleting it"),
    _YES,
)
def space(call: Call) -> Result:
    """List the spaces, delete one with everything in it, or list those that were deleted."""
    from loxodon.forget.spaces import receipts

    if (call.action == "delete") != bool(call.name):
        raise UsageError(
            "delete needs the name of a space; list and deleted take none",
            hint="see `loxodon space --help`",
        )
    if call.action == "delete":
        return _delete(call)
    if call.action == "deleted":
        gone = receipts(call.root, call.clock())
        data = [{"space": name, "receipt": one} for name, one in gone]
        return Result(data, deleted_spaces(gone) or t("no space has been deleted yet"))
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
        with view.Bar(t("deleting")) as bar:
            return delete(call.folder, call.name, call.config, keys, now, **how, progress=bar)

    if not call.yes and not call.dry_run:
        call.see_a_terminal(unconfirmed())
        planned = deleted(dry_run=True)
        view.show(*receipt(planned, gone=False))
        question = t("This deletes the space with all its files. Type its name to confirm: ")
        if ask(question) != call.name:
            return Result({"done": False, "receipt": planned})
    done = not call.dry_run
    found = deleted(dry_run=call.dry_run)
    return Result({"done": done, "receipt": found}, receipt(found, gone=done))


# Tokens


@command(
    arg("ACTION", "what to do", choices=("add", "list", "revoke")),
    arg("NAME", "name of the token", nargs="?", default=""),
    arg(
        "--for SPACE",
        "a space it can access; can be repeated (default: all)",
        action="append",
        dest="spaces",
    ),
    arg(
        "--agent NAME",
        "the agent that uses it; without this, the owner, who can access every agent's memories",
        default="",
    ),
    arg(
        "--chat",
        "who sees the answer; group leaves out private memories",
        choices=("direct", "group", "room"),
        default="direct",
    ),
    arg(
        "--relays-user",
        "it passes on what the user said; without this, everything it sends counts as the agent's "
        "own words",
    ),
    arg(
        "--rights",
        "permissions: read, write (default; also add and change memories) or owner (everything)",
        choices=("metrics", "read", "write", "owner"),
        default="write",
    ),
)
def token(call: Call) -> Result:
    """Create and revoke access tokens for programs."""
    from loxodon.security import tokens

    if (call.action == "list") == bool(call.name):
        raise UsageError(
            "add and revoke need a token name; list takes none", hint="see `loxodon token --help`"
        )
    if call.action == "revoke":
        gone = tokens.revoke(call.root, call.name)
        return Result(_told(gone), t("revoked {name}", name=gone.name))
    if call.action == "list":
        found = tokens.read(call.root)
        rows = [
            (
                one.name,
                one.rights,
                ", ".join(one.spaces) or t("all spaces"),
                one.agent and f"@{one.agent}",
                one.chat + ("  " + t("passes on the user's words") if one.relays else ""),
                one.made,
                one.expires,
            )
            for one in found
        ]
        table = view.Table(("name", "rights", "spaces", "agent", "chat", "made", "expires"), rows)
        return Result([_told(one) for one in found], table if found else t("no tokens"))
    if call.relays_user and not (call.agent or call.chat != "direct"):
        raise UsageError(
            "--relays-user is only for the token of an agent or a group",
            hint="add --agent NAME; an owner token can pass on the user's words anyway",
        )
    # Whoever names a space with --space means that one, not all of them.
    spaces = tuple(call.spaces or ((call.space,) if call.space != "main" else ()))
    now = call.clock()
    wanted = tokens.Grant(
        call.name, spaces, call.agent, call.chat, call.rights, relays=call.relays_user
    )
    grant, secret = tokens.add(call.root, wanted, now)
    names = ", ".join(grant.spaces) or t("all spaces")
    shown = [
        secret,
        t("it can access {spaces} ({rights})", spaces=names, rights=grant.rights),
        t("it will not be shown again; send it as Authorization: Bearer TOKEN"),
        t("from now on, the servers of this home require a token"),
    ]
    return Result({**_told(grant), "token": secret}, shown)


def _told(grant: Any) -> dict[str, object]:
    """A grant as it may be shown: its digest leads nowhere, and is nobody's business."""
    return {name: one for name, one in grant._asdict().items() if name != "digest"}


# The policy


@command(
    arg(
        "ACTION",
        "check shows how a text would be treated; scan looks for stored data that the policy "
        "forbids; use makes a file the policy; without any, list the kinds",
        choices=("check", "scan", "use"),
        nargs="?",
    ),
    arg("TEXT", "the text, or - for standard input; with use, the file", nargs="*"),
    arg("--mend", "remove what scan finds"),
    verb="scan",
    takes=False,
)
def policy(call: Call) -> Result:
    """Show what is stored, masked or refused; check a text; scan stored data."""
    from loxodon.guard.guard import Guard

    if call.action not in ("check", "use") and call.text:
        raise UsageError("only `policy check` takes a text", hint="`loxodon policy check TEXT`")
    if call.mend and call.action != "scan":
        raise UsageError("only `policy scan` accepts --mend", hint="`loxodon policy scan --mend`")
    if call.action is None:
        return _kinds(Guard.of(call.root), call)
    return {"check": _check, "scan": _scan, "use": _use}[call.action](call)


def _kinds(guard: Any, call: Call) -> Result:
    from loxodon.guard.policy import FILE

    policy = guard.policy
    counted = Counter((rule.kind, rule.family) for rule in policy.rules)
    kinds = [
        {
            "kind": kind,
            "family": family,
            "action": policy.actions[kind],
            "own": kind in policy.own,
            "rules": n,
        }
        for (kind, family), n in counted.items()
    ]
    path = os.path.join(call.root, FILE)
    data = {
        "file": path if files.exists(path) else "",
        "kinds": kinds,
        "exceptions": list(policy.exceptions),
    }
    rows = [(one["kind"], one["family"], one["action"]) for one in kinds]
    how = t("change them in {path}; see `loxodon policy --help`", path=path)
    if files.shared(path):
        how = t("change them with `loxodon policy use FILE`")
    return Result(data, [view.Table(("kind", "family", "action"), rows), how])


def _use(call: Call) -> Result:
    """Make a file the policy: in a database there is none that could be edited in place."""
    from loxodon.guard.policy import FILE, parsed

    if len(call.text) != 1:
        raise UsageError("`policy use` takes one file", hint="`loxodon policy use FILE`")
    data = read_file(call.text[0])
    parsed(data, call.text[0])  # says what is wrong with it
    files.make_folder(call.root)
    path = os.path.join(call.root, FILE)
    files.replace(path, data)
    return Result({"file": path}, t("the policy of {home} was changed", home=call.root))


def _check(call: Call) -> Result:
    from loxodon.guard.guard import Guard

    guard = Guard.of(call.root)
    text = words(call.text or ["-"])
    actions = guard.policy.actions
    found = [
        {
            "kind": one.kind,
            "family": one.family,
            "action": actions[one.kind],
            "start": one.start,
            "end": one.end,
        }
        for one in guard.engine.incoming.found(text)
    ]
    taken = guard.taken(text)
    # Even here the text is told as it would be shown: a terminal has a scrollback.
    private, shown = (guard.shown(taken.text, private=one) for one in (True, False))
    data = {"found": found, "private": private, "shown": shown, "sensitivity": taken.sensitivity}
    if not found:
        return Result(data, t("nothing found: it would be stored and shown unchanged"))
    rows = [(t("in private"), private), (t("elsewhere"), shown)]
    rows.append((t("sensitivity"), taken.sensitivity))
    lines = ["{kind}  {family}  {action}  {start}-{end}".format(**one) for one in found]
    return Result(data, [*lines, view.pairs(rows)])


def _scan(call: Call) -> Result:
    with call.opened() as memory:
        found = memory.scan(mend=call.mend)
    if not found.places:
        return Result(found, t("no forbidden data is stored"))
    said = {
        name: ", ".join(f"{what} {n}" for what, n in sorted(counts.items()))
        for name, counts in (("kinds", found.found), ("places", found.places))
    }
    if found.mended:
        return Result(found, t("removed: {kinds} (in {places})", **said))
    lines = [
        t("stored although the policy forbids it: {kinds} (in {places})", **said),
        t("remove it with `loxodon policy scan --mend`"),
    ]
    return Result(found, lines, code=1)


# The audit log


@command(
    arg(
        "ACTION",
        "show the entries, verify that none was tampered with, or accept the problems that verify "
        "found",
        choices=("show", "verify", "accept"),
        nargs="?",
        default="show",
    ),
    arg("--actor NAME", "only entries of this interface or agent"),
    arg("--limit N", "show the latest N (0 for all)", type=whole, default=50),
    arg("--yes", "accept without asking"),
    verb="audit.entries",
    without="surface agent",
)
def audit(call: Call) -> Result:
    """Show who read and wrote what, and check that log for tampering."""
    if call.action == "accept" and not call.yes:
        raise UsageError(
            "accepting keeps all entries, but `audit verify` will no longer fail because of "
            "these problems",
            hint="run `loxodon audit verify` first, then repeat this command with --yes",
        )
    with call.opened() as memory:
        if call.action == "accept":
            memory.audit.accept()
        if call.action != "show":
            return _verified(memory.audit.verify())
        given = {**call.given(memory.now()), "limit": 0}
        found = [
            one
            for one in memory.audit.entries(**given)
            if not call.actor or call.actor in (one.surface, one.agent)
        ]
    found = found[-call.limit :] if call.limit else found
    rows = [
        (
            one.n,
            f"{one.at:%Y-%m-%d %H:%M:%S}",
            " ".join(filter(None, (one.surface, one.agent, one.caller))),
            one.op,
            ", ".join(one.ids[:_IDS]) + (", …" if len(one.ids) > _IDS or one.more else ""),
            one.outcome,
        )
        for one in found
    ]
    table = view.Table(("n", "time", "who", "what", "about", "outcome"), rows)
    return Result({"entries": found}, table if found else t("no entries"))


def _verified(found: Verified) -> Result:
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
