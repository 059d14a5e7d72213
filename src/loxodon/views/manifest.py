"""What was last written to a folder of text views, and what has happened to each file since.

The manifest `state/views.json` has the hash, size and time of each file, and which version of which
memory is on an editable page. Behind it an export tells of each file before it puts that in its
place, so that those of an export that was cut short are known too.

A generated page says so in its first line, and a file that does not is never replaced:

    <!-- loxodon view: projects.md · space: "main" · version: 2 -->    Markdown
    {"loxodon": {"view": "tags.json", "space": "main", "version": 2},  JSON

JSON lines are records only; they are known by the manifest.
"""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Callable, Mapping
from contextlib import suppress
from hashlib import file_digest, sha256
from typing import Any, Literal, NamedTuple

from loxodon.errors import InputError, NotFoundError
from loxodon.journal.lines import unreadable
from loxodon.security.paths import is_inside, opened

VERSION = 2  # of the formats; a file with a higher one is refused
INSIGHTS = "insights.md"  # the one page whose edits `sync` takes in
MANIFEST = "state/views.json"
LOCK = "state/views.lock"
DRAFT = "state/views.draft"  # where a file is written before it is put in its place
SINCE = "\n\n"  # before what an export tells behind the manifest; there is none within
MOST_BYTES = 256 << 20  # of a page that is read
_HEAD_BYTES = 4_096  # of a file that say whether it is a view
_TICK = 2_000_000_000  # nanoseconds within which two changes of a file may have the same time
_COMMENT = re.compile(
    r'<!-- loxodon view: (?P<view>[^\n]*?) · space: (?P<space>"(?:[^"\\\n]|\\.)*")'
    r" · version: (?P<version>\d{1,9})\b"
)
_OURS = re.compile(  # the front matter of a segment, a page whose end was lost, a line of layer2
    r'---\r?\nloxodon: |\s*\{\s*"loxodon"\s*:\s*\{\s*"view"|\{"id": "[fbs]_.{1,3000}"score_at": "'
)


class View(NamedTuple):
    """The text of a file, and the memories on it, each with the version that is written."""

    text: str
    ids: Mapping[str, int] = {}


class Planned(NamedTuple):
    """A file that need not be made: while the basis is the same, so is the text."""

    name: str  # within the folder of views, with slashes: `layer2/active/facts.jsonl`
    basis: str  # empty where the view has to be made to know
    make: Callable[[], View]


def based_on(*parts: object) -> str:
    """A basis: the format, and what a view depends on."""
    return "/".join(map(str, (VERSION, *parts)))


class Written(NamedTuple):
    sha256: str
    size: int
    mtime_ns: int
    basis: str = ""
    ids: Mapping[str, int] = {}


class Manifest(NamedTuple):
    space: str
    version: int  # 0 until the first export is through
    files: Mapping[str, Written]
    mtime: int  # when it was written itself, in nanoseconds
    masked: bool = False  # copies that earlier versions wrote, with numbers masked


class ViewMarker(NamedTuple):
    view: str
    space: str
    version: int


Change = Literal["same", "edited", "gone"]


# Marks


def mark(view: str, space: str) -> dict[str, Any]:
    """The value of the key `loxodon` in a generated JSON file."""
    return {"view": view, "space": space, "version": VERSION}


def comment(view: str, space: str, note: str = "") -> str:
    """The first line of a generated Markdown page; `note` is a word to its reader."""
    parts = [f"loxodon view: {_plain(view)}", f"space: {json.dumps(_plain(space))}"]
    return f"<!-- {' · '.join([*parts, f'version: {VERSION}', *([note] if note else [])])} -->"


def _plain(text: str) -> str:
    """Text that ends neither a comment nor a line."""
    return re.sub(r"[\x00-\x1f\x7f\x85\u2028\u2029]", " ", text).replace("--", "‐‐")


def marker_of(text: str) -> ViewMarker | None:
    """What the start of a page says of it, if it was generated. Front matter is not looked at."""
    start = text[:_HEAD_BYTES].lstrip("\ufeff \r\n\t")
    if found := _COMMENT.match(start):
        return ViewMarker(found["view"], json.loads(found["space"]), int(found["version"]))
    if key := re.match(r'\{\s*"loxodon"\s*:\s*', start):
        with suppress(ValueError, RecursionError, TypeError, KeyError):
            value = json.JSONDecoder().raw_decode(start, key.end())[0]
            return ViewMarker(value["view"] + "", value["space"] + "", value["version"] + 0)
    return None


def is_view(start: str) -> bool:
    return marker_of(start) is not None or bool(_OURS.match(start.lstrip("\ufeff")))


def bad_view(file: str, line: int, reason: InputError) -> InputError:
    """The error for a line (from 1; 0 for the whole file) of a view that cannot be read."""
    if line:
        return InputError(
            "{file}, line {line}: {reason}",
            hint="fix the line, or delete it",
            file=file,
            line=line,
            reason=reason,
        )
    return InputError("{file}: {reason}", hint="{reason_hint}", file=file, reason=reason)


def newer() -> InputError:
    return InputError("it was written by a newer version of Loxodon", hint="update Loxodon")


def astray() -> InputError:
    return InputError("it is not a file in this folder", hint="move it away")


def of_other_space(root: str, owner: str) -> InputError:
    return InputError(
        "{path} contains the text views of the space {owner}",
        hint="select that space with --space, or choose another folder",
        path=root,
        owner=repr(owner),
    )


# The manifest


def load(root: str) -> Manifest | None:
    """The manifest at `root`; None where there is none. Raises InputError for nonsense."""
    try:
        text, _ = read(root, MANIFEST)
        if not text:
            return None
        whole, *since = text.split(SINCE)
        kept = json.loads(whole)
        about, files = kept["loxodon"], _rows(kept)
        for part in since:
            with suppress(json.JSONDecodeError):  # half of one, after which nothing was done
                for name, row in _rows(json.loads(part)).items():
                    if hash_of(os.path.join(root, name)) == row.sha256:
                        files[name] = row
        mtime = os.stat(os.path.join(root, MANIFEST)).st_mtime_ns
        space, masked = str(about["space"]), about.get("masked") is True
        found = Manifest(space, int(about["version"]), files, mtime, masked)
    except NotFoundError:
        return None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        reason = InputError(
            "it was not written by Loxodon",
            hint="move it away; `loxodon sync` and `loxodon export` write it again",
        )
        raise bad_view(MANIFEST, 0, reason) from None
    if found.version > VERSION:
        raise bad_view(MANIFEST, 0, newer())
    return found


def _rows(kept: Mapping[str, Any]) -> dict[str, Written]:
    files: dict[str, Written] = {}
    for name, row in kept["files"].items():
        if not name or "\0" in name or {"", ".", ".."} & {*name.split("/")}:
            raise ValueError(name)  # it stays within the folder, whoever wrote the manifest
        ids = {str(id): int(version) for id, version in row.get("ids", {}).items()}
        size, mtime, basis = int(row["size"]), int(row["mtime_ns"]), str(row.get("basis", ""))
        files[name] = Written(str(row["sha256"]), size, mtime, basis, ids)
    return files


def dumped(space: str, files: Mapping[str, Written], version: int = VERSION) -> bytes:
    rows = {}
    for name, one in sorted(files.items()):
        rows[name] = {key: it for key, it in one._asdict().items() if it not in ("", {})}
    document = {"loxodon": mark(MANIFEST, space) | {"version": version}, "files": rows}
    return (json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode("utf-8")


# The files


def read(root: str, name: str, most: int = MOST_BYTES) -> tuple[str, str]:
    """The text of a view, line ends untouched, and its hash; no link that leads out is followed."""
    path = os.path.join(root, name)
    try:
        if not is_inside(path, root) or not stat.S_ISREG(os.stat(path).st_mode):
            raise bad_view(name, 0, astray())
        with os.fdopen(opened(path, root), "rb") as file:
            data = file.read(most + 1)
    except (FileNotFoundError, NotADirectoryError):
        raise NotFoundError("not found: {path}", path=path) from None
    except OSError as error:
        raise unreadable(path, error.strerror or str(error)) from None
    if len(data) > most:
        reason = InputError("it is larger than {n} MB", hint="move it away", n=most >> 20)
        raise bad_view(name, 0, reason)
    try:
        return data.decode("utf-8"), sha256(data).hexdigest()
    except UnicodeDecodeError:
        raise bad_view(name, 0, InputError("it is not UTF-8", hint="save it as UTF-8")) from None


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
    if not stat.S_ISREG(about.st_mode) or about.st_size != written.size:
        return "edited"
    # A later edit has a later time, unless it came at once.
    settled = manifest.mtime - written.mtime_ns > _TICK
    if about.st_mtime_ns == written.mtime_ns and settled:
        return "same"
    return "same" if hash_of(path) == written.sha256 else "edited"


def head(path: str) -> str:
    """The start of a file, which says whether it is a view; empty where it cannot be read."""
    with suppress(OSError), open(path, "rb") as file:
        return file.read(_HEAD_BYTES).decode("utf-8", "replace")
    return ""


def hash_of(path: str) -> str:
    for _ in range(2):  # a disk may fail once; what cannot be read counts as somebody's own
        with suppress(OSError), open(path, "rb") as file:
            return file_digest(file, "sha256").hexdigest()
    return ""
