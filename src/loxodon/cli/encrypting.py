"""The commands that encrypt a memory, decrypt it, and give it another key."""

from __future__ import annotations

import os
import sys
from argparse import Namespace

from loxodon.cli import view
from loxodon.cli.opening import Outcome, clock_of, home_of, refuse_shared, settings_of
from loxodon.clock import zone_named
from loxodon.config import Config
from loxodon.messages import t, tn
from loxodon.security.encryption import Recoded, decrypt, encrypt, rekey
from loxodon.security.keys import NEXT_VARIABLE, VARIABLE, KeySource


def run_encrypt(args: Namespace) -> Outcome:
    refuse_shared(args, "encryption")
    home, config = _about(args)
    clock = clock_of(args, zone_named(config.timezone))
    with view.Bar(t("encrypting")) as bar:
        found = encrypt(
            home, config, os.environ, clock, _source(args, home), make=args.make_key, progress=bar
        )

    def show() -> None:
        print(
            tn(
                "encrypted {n} database; the key is in {key}",
                "encrypted {n} databases; the key is in {key}",
                found.spaces,
                key=found.key,
            )
        )
        print(
            t("Keep a copy of the key in another place: without it, nobody can read this memory.")
        )
        print(
            t(
                "The plain text that Loxodon had written is overwritten; a disk or file system "
                "that keeps old blocks (SSDs, snapshots) may still hold some of it."
            )
        )
        if found.left:
            print(
                t(
                    "Not removed, and possibly still plain text (files you edited, your backups "
                    "and copies, folders that cannot be found):"
                ),
                file=sys.stderr,
            )
        for path in found.left:
            print("  " + view.safe(path), file=sys.stderr)

    return Outcome(found, show)


def run_decrypt(args: Namespace) -> Outcome:
    refuse_shared(args, "encryption")
    home, config = _about(args)
    with view.Bar(t("decrypting")) as bar:
        found = decrypt(home, config, os.environ, progress=bar)
    return Outcome(
        found, lambda: print(tn("decrypted {n} database", "decrypted {n} databases", found.spaces))
    )


def run_rekey(args: Namespace) -> Outcome:
    refuse_shared(args, "encryption")
    home, config = _about(args)
    with view.Bar(t("changing the key")) as bar:
        found = rekey(
            home, config, os.environ, _source(args, home), make=args.make_key, progress=bar
        )
    return Outcome(found, lambda: _show_rekeyed(found))


def _show_rekeyed(found: Recoded) -> None:
    print(
        tn(
            "{n} database has a new key; the key is in {key}",
            "{n} databases have a new key; the key is in {key}",
            found.spaces,
            key=found.key,
        )
    )
    if found.key == f"${NEXT_VARIABLE}":
        print(
            t(
                "From now on, {variable} must have the value of {next}.",
                variable=VARIABLE,
                next=NEXT_VARIABLE,
            )
        )


def _about(args: Namespace) -> tuple[str, Config]:
    return home_of(args), settings_of(args)


def _source(args: Namespace, home: str) -> KeySource | None:
    """The place that was named; None for that of the settings."""
    if args.env:
        return KeySource("env", VARIABLE)
    if args.keyring:
        return KeySource("keyring", f"database:{home}")
    if args.key_file:
        return KeySource("file", os.path.abspath(os.path.expanduser(args.key_file)))
    return None
