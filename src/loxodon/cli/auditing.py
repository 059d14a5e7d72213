"""The command that shows who read and wrote what, and whether that record can be believed."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence

from loxodon.cli import view
from loxodon.cli.opening import Outcome, opened
from loxodon.clock import parse_instant
from loxodon.errors import UsageError
from loxodon.messages import t, tn
from loxodon.security.audit_log import AuditEntry, Verified

_IDS = 3
"""Ids of an entry that a person is shown; JSON has all."""
_TAMPERED = 7


def run(args: Namespace) -> Outcome:
    """Run it."""
    return {"show": _show, "verify": _verify, "accept": _accept}[args.what](args)


def _show(args: Namespace) -> Outcome:
    with opened(args) as memory:
        now = memory.now()
        since = parse_instant(args.since, now.tzinfo) if args.since else None
        found = [
            one
            for one in memory.audit.entries(since=since, op=args.op or "", id=args.id or "")
            if not args.actor or args.actor in (one.surface, one.agent)
        ]
    found = found[-args.limit :] if args.limit else found
    return Outcome({"entries": found}, lambda: _print(found))


def _print(entries: Sequence[AuditEntry]) -> None:
    if not entries:
        print(t("no entries"))
        return
    headings = (
        ("n", False),
        (t("time"), False),
        (t("who"), False),
        (t("what"), False),
        (t("about"), True),
        (t("outcome"), False),
    )
    view.table(
        headings,
        [
            (
                str(one.n),
                f"{one.at:%Y-%m-%d %H:%M:%S}",
                view.safe(" ".join(filter(None, (one.surface, one.agent, one.caller)))),
                view.safe(one.op),
                view.safe(_about(one)),
                t("ok") if one.outcome == "ok" else view.safe(one.outcome),
            )
            for one in entries
        ],
    )


def _about(entry: AuditEntry) -> str:
    shown = ", ".join(entry.ids[:_IDS])
    return f"{shown}, …" if len(entry.ids) > _IDS or entry.more else shown


def _verify(args: Namespace) -> Outcome:
    with opened(args) as memory:
        found = memory.audit.verify()
    return _outcome(found)


def _accept(args: Namespace) -> Outcome:
    if not args.yes:
        raise UsageError(
            "accepting keeps all entries, but `audit verify` will no longer fail because of "
            "these problems",
            hint="run `loxodon audit verify` first, then repeat this command with --yes",
        )
    with opened(args) as memory:
        memory.audit.accept()
        found = memory.audit.verify()
    return _outcome(found)


def _outcome(found: Verified) -> Outcome:
    data = {
        "ok": found.sound,
        "entries": found.entries,
        "first": found.first,
        "last": found.last,
        "trusted_to": found.trusted_to,
        "signed": found.signed,
        "findings": [
            {"kind": one.kind, "entry": one.n, "message": one.said} for one in found.findings
        ],
        "notices": [
            {"kind": one.kind, "entry": one.n, "message": one.said} for one in found.notices
        ],
    }

    def show() -> None:
        for one in (*found.findings, *found.notices):
            print(view.safe(one.said))
        if not found.sound:
            print(
                t(
                    "the log can be trusted up to entry {n} of {last}",
                    n=found.trusted_to,
                    last=found.last,
                )
            )
        else:
            print(
                t(
                    "{entries}; {signatures}",
                    entries=tn(
                        "{n} entry is unchanged", "all {n} entries are unchanged", found.entries
                    ),
                    signatures=tn(
                        "{n} signature is valid", "{n} signatures are valid", found.signed
                    ),
                )
            )

    return Outcome(data, show, 0 if found.sound else _TAMPERED)
