"""The file of a backup: a ZIP archive with the hash of each part, that ends with one of all of it.

    manifest.json                     what is in it, of when, and the SHA-256 and size of each part
    spaces/<folder>/loxodon.db        a space as it was in one moment; encrypted if it was
    spaces/<folder>/loxodon.db.check  of an encrypted one
    spaces/<folder>/sessions/…        transcripts, where an earlier version made the backup
    spaces/<folder>/forgotten         what must not come back
    config.toml                       settings, without keys
    policy.toml                       where there is one

Nothing is believed of such a file before it was checked: all of its bytes, names and sizes, and how
much would come out of it (`journal/lines.py`). The manifest of an encrypted backup also has a keyed
hash of itself.
"""

from __future__ import annotations

import io
import json
import os
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from hashlib import sha256
from typing import IO, Any, NamedTuple

from loxodon.errors import InputError, LockedStoreError
from loxodon.files import private
from loxodon.journal.lines import check_unpacked, unreadable
from loxodon.security.keys import mac
from loxodon.store import Progress
from loxodon.store.driver import newer
from loxodon.store.sqlite.cipher import Keys

MANIFEST = "manifest.json"
VERSION = 1
_PURPOSE = b"loxodon\0backup"
_MOST_MANIFEST = 256 << 20
_PIECE = 1 << 20
_END_BYTES, _DIGEST_BYTES = 22, 64  # of the record at the end of a ZIP archive, of its comment
_EDGES = (b"PK\3\4", b"PK\5\6")  # how the first part and that record begin
# What reading an archive that is spoilt may raise: OSError for places that no file has.
_SPOILT = (
    *(zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, OverflowError),
    *(ValueError, NotImplementedError, RuntimeError),
)


class BackedUpSpace(NamedTuple):
    folder: str
    space: str  # its name; empty where it is encrypted, and only the database tells
    encrypted: bool


class Writer(AbstractContextManager["Writer"]):
    """Puts parts into a file that is not in its place yet."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._zip = zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1)
        self._parts: dict[str, dict[str, Any]] = {}

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
        self._parts[name] = {"sha256": digest.hexdigest(), "size": size}

    def finish(
        self, made_at: str, schema: int, spaces: tuple[BackedUpSpace, ...], keys: Keys
    ) -> None:
        """The manifest and the digest, which make it whole."""
        manifest: dict[str, Any] = {
            "loxodon": {"backup": VERSION},
            "made_at": made_at,
            "schema": schema,
            "spaces": [held._asdict() for held in spaces],
            "parts": self._parts,
        }
        manifest["seal"] = _seal(manifest, keys[0]) if keys else ""
        self.put(MANIFEST, io.BytesIO(json.dumps(manifest, ensure_ascii=False).encode()))
        self._zip.comment = bytes(_DIGEST_BYTES)
        self._zip.close()
        self._file.write(_digest(self._file, lambda done, total: None))


def _digest(file: IO[bytes], progress: Progress) -> bytes:
    """Of all bytes of a file before the digest that it ends with, up to which it is read."""
    found, size = sha256(), max(0, file.seek(0, os.SEEK_END) - _DIGEST_BYTES)
    file.seek(0)
    for at in range(0, size, _PIECE):
        found.update(file.read(min(_PIECE, size - at)))
        progress(min(at + _PIECE, size), size)
    return found.hexdigest().encode()


def _seal(manifest: dict[str, Any], key: bytes) -> str:
    said = json.dumps({**manifest, "seal": ""}, sort_keys=True, ensure_ascii=False)
    return mac(key, _PURPOSE + said.encode("utf-8")).hex()


class Reader:
    """A backup that is open; its manifest was checked, the parts are as they are taken out."""

    def __init__(self, path: str, archive: zipfile.ZipFile, size: int) -> None:
        self.path = path
        self._zip = archive
        sizes = {entry.filename: entry.file_size for entry in archive.infolist()}
        check_unpacked(path, size, sum(entry.file_size for entry in archive.infolist()))
        try:
            sizes.pop(MANIFEST)
            with archive.open(MANIFEST) as file:
                self._manifest = json.loads(file.read(_MOST_MANIFEST))
            version = self._manifest["loxodon"]["backup"]
            self.made_at = str(self._manifest["made_at"])
            self.schema = int(self._manifest["schema"])
            self.spaces = [
                BackedUpSpace(str(one["folder"]), str(one["space"]), bool(one["encrypted"]))
                for one in self._manifest["spaces"]
            ]
            self.parts = {
                str(name): (str(one["sha256"]), int(one["size"]))
                for name, one in self._manifest["parts"].items()
            }
        except (*_SPOILT, LookupError, TypeError, AttributeError, RecursionError):
            raise _not_whole(path, InputError("its manifest is missing or invalid")) from None
        if version != VERSION:
            raise newer(path, version, VERSION)
        databases = {f"spaces/{held.folder}/loxodon.db" for held in self.spaces}
        twice = len(archive.infolist()) != len(sizes) + 1
        listed = {name: size for name, (_, size) in self.parts.items()}
        if sizes != listed or twice or not databases or not databases <= {*sizes}:
            raise _not_whole(path, InputError("its content does not match its manifest"))

    @property
    def is_encrypted(self) -> bool:
        return any(held.encrypted for held in self.spaces)

    def check_seal(self, keys: Keys) -> None:
        """Refuse an encrypted backup that was changed by somebody without its key."""
        seals = {_seal(self._manifest, key) for key in keys}
        if self.is_encrypted and self._manifest.get("seal") not in seals:
            raise LockedStoreError(
                "the key does not match {path}, or the file was changed",
                hint="set LOXODON_KEY to the key it was created with, or use another backup",
                path=self.path,
            )

    def extract(self, name: str, path: str) -> None:
        """Write a part to a new file, for its owner only, and on disk."""
        with open(path, "xb", opener=private) as file:
            for piece in self.pieces(name):
                file.write(piece)
            file.flush()
            os.fsync(file.fileno())

    def pieces(self, name: str) -> Iterator[bytes]:
        """A part, piece by piece; an error at its end where it is not what it should be."""
        (wanted, most), digest, size = self.parts[name], sha256(), 0
        try:
            with self._zip.open(name) as file:
                while (piece := file.read(_PIECE)) and size <= most:
                    size += len(piece)
                    digest.update(piece)
                    yield piece
        except _SPOILT:
            raise _not_whole(self.path, InputError("a part of it is damaged")) from None
        if size != most or digest.hexdigest() != wanted:
            raise _not_whole(self.path, InputError("its content does not match its manifest"))


def _not_whole(path: str, reason: InputError) -> InputError:
    return InputError(
        "{path} is not a complete backup: {reason}",
        hint="use another copy or another backup; nothing was changed",
        path=path,
        reason=reason,
    )


@contextmanager
def opened(path: str, progress: Progress) -> Iterator[Reader]:
    """A backup, its bytes and its manifest checked."""
    try:
        archive = zipfile.ZipFile(path)
    except (FileNotFoundError, IsADirectoryError, PermissionError) as error:
        raise unreadable(path, error.strerror or "") from None
    except _SPOILT:
        raise _not_whole(path, InputError("it is not an archive, or its end is missing")) from None
    with archive, open(path, "rb") as file:
        begins, _, ends = file.read(4), file.seek(-_END_BYTES, os.SEEK_END), file.read(4)
        is_old = (begins, ends) == _EDGES  # from an earlier version, without a digest
        if not is_old and _digest(file, progress) != file.read():
            raise _not_whole(path, InputError("it was changed"))
        reader = Reader(path, archive, os.path.getsize(path))
        for name in reader.parts if is_old else ():
            for _ in reader.pieces(name):
                pass
        yield reader
