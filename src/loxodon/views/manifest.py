"""What was last written to a folder of views, and what has happened to it since.

The manifest `state/views.json` has the hash, size and time of each file, and which version of which
memory stands in it. By it an unchanged file is known without reading it, and one that a person
edited is known as edited. While an export runs, what it writes is noted in `state/views.part`
before it is moved into place: one that is killed leaves no file that looks like somebody's edit.
"""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from typing import Any, Literal, NamedTuple

from loxodon.errors import InputError, NotFoundError
from loxodon.security.paths import is_inside, opened
from loxodon.views import VERSION, bad_view, marker_of

MANIFEST = "state/views.json"
PART = "state/views.part"
MOST_BYTES = 256 << 20
"""A view that is larger is not read."""
HEAD_BYTES = 4_096
"""Of a file that say whether it is a view."""
_TICK = 20_000_000
"""Nanoseconds within which two changes of a file may have the same time."""
_COARSE_TICK = 2_000_000_000
"""The same where times are kept in whole seconds."""

_EDITABLE = re.compile(
    r"insights\.md|insights/\d{4,}-\d\d\.md|projects\.md|"
    r"layer2/(?:active|archive)/(?:facts|beliefs|summaries)\.jsonl"
)


def editable(name: str) -> bool:
    """Whether what a person changes in a view is taken in by `sync`; others are only written."""
    return _EDITABLE.fullmatch(name) is not None


class Written(NamedTuple):
    """A file as it was last written."""

    sha256: str
    size: int
    mtime: int
    """Nanoseconds."""
    basis: str = ""
    ids: Mapping[str, int] = {}
    was: str = ""
    """The hash it had before, where it is not known whether the writing came to its end."""


class Manifest(NamedTuple):
    """What was last written to a folder."""

    space: str
    masked: bool
    files: Mapping[str, Written]
    mtime: int
    """When it was written itself, in nanoseconds."""


Change = Literal["same", "edited", "gone"]


def load(root: str) -> Manifest | None:
    """The manifest of the folder of views at `root`; None where there is none.

    Raises InputError for one that cannot be read, or that a newer Loxodon wrote.
    """
    try:
        text, _ = read(root, MANIFEST)
        mtime = os.stat(os.path.join(root, MANIFEST)).st_mtime_ns
    except NotFoundError:
        text, mtime = "", 0
    parts = _parts(root)
    if not text and not parts:
        return None
    try:
        kept = json.loads(text) if text else {"loxodon": parts[0][1]["loxodon"], "files": {}}
        found, newer = _manifest(kept, mtime), kept["loxodon"]["version"] > VERSION
        rows = {_name(name): written_of(row) for name, row in parts if name}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        reason = InputError(
            "it was not written by Loxodon",
            hint="move it away; `loxodon sync` and `loxodon export` write it again",
        )
        raise bad_view(MANIFEST, 0, reason) from None
    if newer:
        reason = InputError("it was written by a newer version of Loxodon", hint="update Loxodon")
        raise bad_view(MANIFEST, 0, reason)
    return found._replace(files={**found.files, **rows})


def _manifest(kept: Any, mtime: int) -> Manifest:
    mark = kept["loxodon"]
    files = {_name(name): written_of(row) for name, row in kept["files"].items()}
    return Manifest(str(mark["space"]), mark.get("masked") is True, files, mtime)


def _name(name: str) -> str:
    """A name that stays within the folder, whoever wrote the manifest; else ValueError."""
    if not name or "\0" in name or any(part in ("", ".", "..") for part in name.split("/")):
        raise ValueError(name)
    return name


def written_of(row: Mapping[str, Any]) -> Written:
    ids = {str(id): int(version) for id, version in row.get("ids", {}).items()}
    return Written(
        str(row["sha256"]),
        int(row["size"]),
        int(row["mtime_ns"]),
        str(row.get("basis", "")),
        ids,
        str(row.get("was", "")),
    )


def row_of(written: Written) -> dict[str, Any]:
    row: dict[str, Any] = {
        "sha256": written.sha256,
        "size": written.size,
        "mtime_ns": written.mtime,
        "basis": written.basis,
        "ids": written.ids,
        "was": written.was,
    }
    return {name: value for name, value in row.items() if value or name in ("size", "mtime_ns")}


def one_a_line(top: Mapping[str, Any], name: str, rows: Mapping[str, Any]) -> str:
    """A JSON object whose last value has many entries, one a line.

    So a person can look through them, and it takes a tenth of what `indent` does.
    """
    lines = [f"{_json(key)}: {_json(value)}" for key, value in rows.items()]
    return "".join((_json(top)[:-1], f", {_json(name)}: {{\n", ",\n".join(lines), "\n}}\n"))


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _parts(root: str) -> list[tuple[str, dict[str, Any]]]:
    """What an export that did not come to its end has noted; its last line may be cut."""
    try:
        with open(os.path.join(root, PART), encoding="utf-8", errors="replace") as file:
            lines = file.read(MOST_BYTES).split("\n")
    except OSError:
        return []
    found: list[tuple[str, dict[str, Any]]] = []
    for line in lines:
        with suppress(ValueError, AttributeError, RecursionError):
            row = json.loads(line)
            found.append((str(row.pop("name", "")), row))
    return found if found and "loxodon" in found[0][1] else []


def read(root: str, name: str, most: int = MOST_BYTES) -> tuple[str, str]:
    """The text of a view as it is now, line ends untouched, and its hash.

    NotFoundError where it is not there; InputError for what is too large, is not UTF-8, or is not
    a plain file inside the folder: a link that leads out of it is not followed.
    """
    path = os.path.join(root, name)
    try:
        if not is_inside(path, root):
            raise bad_view(name, 0, astray())
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise bad_view(name, 0, astray())
        with os.fdopen(opened(path, root), "rb") as file:
            data = file.read(most + 1)
    except (FileNotFoundError, NotADirectoryError):
        raise NotFoundError("not found: {path}", path=path) from None
    except OSError as error:
        raise InputError(
            "cannot read {path}: {reason}",
            hint="check its permissions",
            path=path,
            reason=error.strerror or str(error),
        ) from None
    if len(data) > most:
        reason = InputError("it is larger than {n} MB", hint="move it away", n=most >> 20)
        raise bad_view(name, 0, reason)
    try:
        return data.decode("utf-8"), sha256(data).hexdigest()
    except UnicodeDecodeError:
        reason = InputError("it is not UTF-8", hint="save it as UTF-8")
        raise bad_view(name, 0, reason) from None


def astray() -> InputError:
    return InputError("it is not a file in this folder", hint="move it away")


def change_of(root: str, name: str, manifest: Manifest) -> Change:
    """Whether a file is as it was written; it is read only where its size and time do not tell."""
    written = manifest.files[name]
    path = os.path.join(root, name)
    try:
        about = os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return "gone"
    except OSError:
        return "edited"  # or so it may be: nobody lets us look
    if not stat.S_ISREG(about.st_mode):
        return "edited"
    as_written = about.st_size == written.size
    if as_written and about.st_mtime_ns == written.mtime and _settled(written.mtime, manifest):
        return "same"
    if not as_written and not written.was:
        return "edited"
    found = hash_of(path)
    return "same" if found and found in (written.sha256, written.was) else "edited"


def _settled(mtime: int, manifest: Manifest) -> bool:
    """Whether a later edit would have a later time: so much later was the manifest written."""
    coarse = mtime % 1_000_000_000 == 0
    return manifest.mtime - mtime > (_COARSE_TICK if coarse else _TICK)


def hash_of(path: str) -> str:
    """SHA-256 of a file, read in pieces; empty where it cannot be read."""
    digest = sha256()
    try:
        with open(path, "rb") as file:
            while piece := file.read(1 << 20):
                digest.update(piece)
    except OSError:
        return ""
    return digest.hexdigest()


def is_view(start: str) -> bool:
    """Whether the first lines of a file say that it is a generated one."""
    if marker_of(start) is not None:
        return True
    start = start.lstrip("\ufeff")
    # One whose end was lost is still ours; one that lost its beginning is not.
    return bool(re.match(r'---\r?\nloxodon: |\s*\{\s*"loxodon"\s*:\s*\{\s*"view"', start))
