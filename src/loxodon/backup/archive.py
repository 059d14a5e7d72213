"""The file of a backup: a ZIP archive whose manifest has the hash of each part.

    manifest.json                     what is in it, of when, and the SHA-256 and size of each part
    spaces/<folder>/loxodon.db        a space as it was in one moment; encrypted if it was
    spaces/<folder>/loxodon.db.check  of an encrypted one
    spaces/<folder>/sessions/…        transcripts, where an earlier version made the backup
    spaces/<folder>/forgotten         what must not come back
    config.toml                       settings, without keys
    policy.toml, keys/stretch.json    where there are some; never a key

Nothing is believed of such a file before it was checked: names, sizes and hashes, how much would
come out of it (`journal/unpacking.py`) and how much that would take on disk. The manifest
of an encrypted backup also has a keyed hash of itself.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from typing import IO, Any, NamedTuple

from loxodon.errors import FullStoreError, InputError, LockedStoreError
from loxodon.journal.unpacking import Allowance
from loxodon.security.keys import mac
from loxodon.store import Progress
from loxodon.store.sqlite.cipher import Keys

MANIFEST = "manifest.json"
VERSION = 1
_PURPOSE = b"loxodon\0backup"
_MOST_PARTS = 1_000_000
_MOST_MANIFEST = 256 << 20
_PIECE = 1 << 20
_SPOILT = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    OverflowError,
    ValueError,
    NotImplementedError,
    RuntimeError,
)
"""What reading an archive that is spoilt may raise: OSError for places that no file has."""
_FOLDER = r"(?:[a-z0-9][a-z0-9_-]{0,62}|~[0-9a-f]{40})"
_NAME = re.compile(
    rf"config\.toml|policy\.toml|keys/stretch\.json|spaces/{_FOLDER}/(?:loxodon\.db(?:\.check)?"
    r"|forgotten|sessions/[A-Za-z0-9][A-Za-z0-9-]{0,63}\.jsonl|sessions/sessions\.json)"
)


class BackupPart(NamedTuple):
    sha256: str
    size: int


class BackedUpSpace(NamedTuple):
    """A space in a backup."""

    folder: str
    space: str
    """Its name; empty where it is encrypted, and only the database tells."""
    encrypted: bool


class Manifest(NamedTuple):
    """What a backup has."""

    made_at: str
    schema: int
    spaces: tuple[BackedUpSpace, ...]
    parts: Mapping[str, BackupPart]
    seal: str = ""


# Writing


class Writer:
    """Puts parts into a file that is not in its place yet."""

    def __init__(self, file: IO[bytes]) -> None:
        self._zip = zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1)
        self.parts: dict[str, BackupPart] = {}

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, *error: object) -> None:
        """One that was not finished stays as it is: nobody closes it when the disk has failed."""
        self._zip.fp = None

    def put(self, name: str, source: IO[bytes], *, stored: bool = False) -> None:
        """A part, out of an open file; `stored` as it is, since it cannot become smaller."""
        about = zipfile.ZipInfo(name)
        about.compress_type = zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED
        about.external_attr = 0o600 << 16
        digest, size = sha256(), 0
        with self._zip.open(about, "w", force_zip64=True) as target:
            while piece := source.read(_PIECE):
                digest.update(piece)
                size += len(piece)
                target.write(piece)
        self.parts[name] = BackupPart(digest.hexdigest(), size)

    def finish(
        self, made_at: str, schema: int, spaces: tuple[BackedUpSpace, ...], keys: Keys
    ) -> None:
        """The manifest, which makes it whole."""
        manifest = Manifest(made_at, schema, spaces, self.parts)
        seal = _seal(manifest, keys[0]) if keys else ""
        data = json.dumps(_plain(manifest._replace(seal=seal)), ensure_ascii=False)
        about = zipfile.ZipInfo(MANIFEST)
        about.external_attr = 0o600 << 16
        self._zip.writestr(about, data)
        self._zip.close()


def _plain(manifest: Manifest) -> dict[str, Any]:
    return {
        "loxodon": {"backup": VERSION},
        **manifest._asdict(),
        "spaces": [held._asdict() for held in manifest.spaces],
        "parts": {name: part._asdict() for name, part in manifest.parts.items()},
    }


def _seal(manifest: Manifest, key: bytes) -> str:
    said = json.dumps(_plain(manifest._replace(seal="")), sort_keys=True, ensure_ascii=False)
    return mac(key, _PURPOSE + said.encode("utf-8")).hex()


# Reading


class Reader:
    """A backup that is open; `manifest` was checked, the parts are as they are taken out."""

    def __init__(self, path: str, archive: zipfile.ZipFile, size: int) -> None:
        self.path = path
        self._allowance = Allowance(path, size)
        self._zip = archive
        self.manifest = self._read_manifest()

    def _read_manifest(self) -> Manifest:
        entries = self._zip.infolist()
        self._allowance.check(sum(entry.file_size for entry in entries))
        names = [entry.filename for entry in entries]
        if len(entries) > _MOST_PARTS or len({*names}) != len(names) or MANIFEST not in names:
            raise self._wrong(InputError("it has no manifest, or a duplicate entry"))
        about = self._zip.getinfo(MANIFEST)
        if about.file_size > _MOST_MANIFEST:
            raise self._wrong(InputError("its manifest is too large"))
        try:
            with self._zip.open(MANIFEST) as file:
                given = json.loads(file.read(_MOST_MANIFEST))
            version = given["loxodon"]["backup"]
            found = _manifest(given)
        except (*_SPOILT, KeyError, TypeError, AttributeError, RecursionError):
            raise self._wrong(InputError("its manifest is invalid")) from None
        if version != VERSION:
            raise InputError(
                "{path} was written by a newer version of Loxodon",
                hint="install that version of Loxodon or a later one; nothing was changed",
                path=self.path,
            )
        self._check_parts(found, entries)
        return found

    def _check_parts(self, manifest: Manifest, entries: list[zipfile.ZipInfo]) -> None:
        if {entry.filename for entry in entries} != {*manifest.parts, MANIFEST}:
            raise self._wrong(InputError("its content does not match its manifest"))
        for entry in entries:
            if entry.filename == MANIFEST:
                continue
            size = manifest.parts[entry.filename].size
            plain = entry.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
            if not _NAME.fullmatch(entry.filename) or entry.file_size != size or not plain:
                raise self._wrong(InputError("a part of it does not match its manifest"))
        for held in manifest.spaces:
            if f"spaces/{held.folder}/loxodon.db" not in manifest.parts:
                raise self._wrong(InputError("one of its spaces has no database"))

    def check_room(self, folder: str) -> None:
        """Refuse what would not fit on the disk."""
        size = sum(part.size for part in self.manifest.parts.values())
        if size > shutil.disk_usage(folder).free:
            raise FullStoreError(
                "cannot write {path}: the disk is full",
                hint="free some disk space and try again; everything acknowledged is safe",
                path=folder,
            )

    def check_seal(self, keys: Keys) -> None:
        """Refuse an encrypted backup that was changed by somebody without its key."""
        if any(held.encrypted for held in self.manifest.spaces):
            if not keys:
                raise LockedStoreError(
                    "{path} is encrypted, but no key was given",
                    hint="set LOXODON_KEY to the key it was created with, or put that key where "
                    "the settings encryption.* say",
                    path=self.path,
                )
            if self.manifest.seal not in {_seal(self.manifest, key) for key in keys}:
                raise LockedStoreError(
                    "the key does not match {path}, or the file was changed",
                    hint="use the key it was created with, or another backup",
                    path=self.path,
                )

    def verify(self, progress: Progress) -> None:
        """Read every part, and hold it against its hash."""
        for number, name in enumerate(self.manifest.parts, 1):
            for _ in self._pieces(name):
                pass
            progress(number, len(self.manifest.parts))

    def extract(self, name: str, path: str) -> None:
        """Write a part to a new file, for its owner only, and on disk."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        with open(os.open(path, flags, 0o600), "wb") as file:
            for piece in self._pieces(name):
                file.write(piece)
            file.flush()
            os.fsync(file.fileno())

    def data(self, name: str) -> bytes:
        """A small part, whole; empty where there is none."""
        return b"".join(self._pieces(name)) if name in self.manifest.parts else b""

    def named(self, folder: str, rest: str) -> list[str]:
        """The parts of a space whose names begin so."""
        start = f"spaces/{folder}/{rest}"
        return sorted(name for name in self.manifest.parts if name.startswith(start))

    def _pieces(self, name: str) -> Iterator[bytes]:
        """A part, piece by piece; an error at its end where it is not what it should be."""
        part, digest, size = self.manifest.parts[name], sha256(), 0
        try:
            with self._zip.open(name) as file:
                while piece := file.read(_PIECE):
                    size += len(piece)
                    if size > part.size:
                        raise self._wrong(InputError("a part of it does not match its manifest"))
                    digest.update(piece)
                    yield piece
        except _SPOILT:
            raise self._wrong(InputError("a part of it is damaged")) from None
        if size != part.size or digest.hexdigest() != part.sha256:
            raise self._wrong(InputError("a part of it does not match its manifest"))

    def _wrong(self, reason: InputError) -> InputError:
        return not_whole(self.path, reason)


def _manifest(given: Any) -> Manifest:
    spaces = tuple(
        BackedUpSpace(str(one["folder"]), str(one["space"]), bool(one["encrypted"]))
        for one in given["spaces"]
    )
    parts = {
        str(name): BackupPart(str(one["sha256"]), int(one["size"]))
        for name, one in given["parts"].items()
    }
    if not spaces or any(part.size < 0 for part in parts.values()):
        raise ValueError
    return Manifest(
        str(given["made_at"]), int(given["schema"]), spaces, parts, str(given.get("seal", ""))
    )


def not_whole(path: str, reason: InputError) -> InputError:
    """The error for a file that is no backup, or no longer."""
    return InputError(
        "{path} is not a complete backup: {reason}",
        hint="use another copy or another backup; nothing was changed",
        path=path,
        reason=reason,
    )


@contextmanager
def opened(path: str) -> Iterator[Reader]:
    """A backup, its manifest checked."""
    try:
        file = open(path, "rb")  # noqa: SIM115
    except OSError as error:
        raise InputError(
            "cannot read {path}: {reason}",
            hint="check its permissions",
            path=path,
            reason=error.strerror or str(error),
        ) from None
    with file:
        try:
            archive = zipfile.ZipFile(file)
        except _SPOILT:
            reason = InputError("it is not an archive, or its end is missing")
            raise not_whole(path, reason) from None
        with archive:
            yield Reader(path, archive, os.fstat(file.fileno()).st_size)
