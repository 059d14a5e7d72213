"""Files for `add`: reading them whole, or saying why not."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Sequence
from datetime import datetime, tzinfo
from io import BufferedIOBase

from loxodon.errors import InputError
from loxodon.guard.speakers import key_of
from loxodon.journal import Format, Reading, is_database, read
from loxodon.messages import t
from loxodon.types import Draft

MAX_FILE = 1 << 30
_SHOWN = 12
"""People of a log that are named."""


def read_files(
    names: Sequence[str], format: Format | None, skip_bad: bool, zone: tzinfo | None
) -> tuple[list[tuple[str, list[Draft]]], list[dict[str, object]]]:
    """The turns of each file, and the lines left out on request.

    All files are read before any is journalled: a bad line refuses them all.
    """
    files: list[tuple[str, list[Draft]]] = []
    skipped: list[dict[str, object]] = []
    for name in names:
        shown = "standard input" if name == "-" else os.fsencode(name).decode("utf-8", "replace")
        reading = _read(name, format, zone)
        if reading.problems and not (skip_bad and reading.drafts):
            some = "fix these lines, or skip them with --skip-bad"
            none = "no line is valid: fix the file, or set its format with --format"
            raise InputError(
                "{file}: nothing was added: {n} invalid line",
                plural="{file}: nothing was added: {n} invalid lines",
                hint=some if reading.drafts else none,
                problems=reading.problems,
                file=shown,
                n=len(reading.problems),
            )
        if not reading.drafts:
            raise InputError(
                "{file} contains no messages",
                hint="write lines such as {example}, or set the format with --format",
                file=shown,
                example='{"role": "user", "content": "…"}',
            )
        files.append((name, reading.drafts))
        skipped += [
            {"file": shown, "line": line, "message": error.localized()[0]}
            for line, error in reading.problems
        ]
    return files, skipped


def check_names(me: Sequence[str], files: Sequence[tuple[str, list[Draft]]]) -> None:
    """Refuse a name that nobody has in any of the files."""
    from loxodon.journal.chat import OWNERS

    said = [one for _, drafts in files for one in drafts]
    people = {key_of(one.speaker): one.speaker for one in said if one.speaker}
    # What `Me:` says is the user's already, and has no name.
    known = {
        *people,
        *(OWNERS if any(one.role == "user" and not one.speaker for one in said) else ()),
    }
    for name in me:
        if key_of(name) not in known:
            raise InputError(
                "nobody called {name} wrote a message in it",
                hint="names found: {names}"
                if people
                else "leave out --me: nobody in it has a name",
                name=repr(name),
                names=_listed([*people.values()]),
            )


def how_to_say(file: str, people: Sequence[str]) -> list[str]:
    """What to tell of a file in which people are named and nobody is known to be the user."""
    if not people:
        return []
    return [
        t(
            "cannot tell which messages in {file} are yours; it has messages from: {names}",
            file=file,
            names=_listed(people),
        ),
        t(
            "the messages can be searched, but nothing is learned from them until you say which "
            "name is yours: {command}",
            command=f"loxodon add {shlex.quote(file)} --me {shlex.quote(people[0])}",
        ),
    ]


def _listed(people: Sequence[str]) -> str:
    more = len(people) - _SHOWN
    return ", ".join(people[:_SHOWN]) + (t(" and {n} more", n=more) if more > 0 else "")


def _read(name: str, format: Format | None, zone: tzinfo | None) -> Reading:
    """What a file has in it: text, or the database that OpenClaw keeps its sessions in."""
    if format not in (None, "openclaw") or not _is_database(name):
        return read(bytes_of(name), name, format, zone)
    from loxodon.journal.openclaw_db import read_database

    reading = read_database(name, zone)
    if not reading.drafts and len(reading.problems) == 1 and not reading.problems[0][0]:
        raise reading.problems[0][1]  # it is about the file, not about a line
    return reading


def _is_database(name: str) -> bool:
    try:
        with open(name, "rb") as file:
            return is_database(file.read(16))
    except OSError:  # reading it will say why
        return False


def session_names(name: str, now: datetime) -> list[str]:
    """What the session of a file may be called, best first: its name, then with its folder."""
    if name == "-":
        return [f"stdin-{now:%Y-%m-%d}"]
    path = os.fsencode(os.path.abspath(name)).decode("utf-8", "replace")
    stem = os.path.splitext(os.path.basename(path))[0]
    folder = os.path.basename(os.path.dirname(path))
    fuller = f"{folder}/{stem}" if folder else stem
    return [stem, fuller, *(f"{fuller} ({n})" for n in range(2, 100))]


def bytes_of(name: str) -> bytes:
    """All of a file, or of standard input."""
    try:
        if name != "-":
            with open(name, "rb") as file:
                return _limited(file, name)
        if sys.stdin is None:
            raise OSError(0, "it is closed")
        return _limited(sys.stdin.buffer, name)  # type: ignore[arg-type]
    except OSError as error:
        raise InputError(
            "cannot read {file}: {reason}",
            hint="check the file name and its permissions",
            file=name,
            reason=error.strerror or str(error),
        ) from None


def _limited(file: BufferedIOBase, name: str) -> bytes:
    data = file.read(MAX_FILE + 1)
    if len(data) > MAX_FILE:
        raise InputError(
            "{file} is larger than {most} MiB",
            hint="split it into smaller files",
            file=name,
            most=MAX_FILE >> 20,
        )
    return data
