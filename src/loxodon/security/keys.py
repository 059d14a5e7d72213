"""The keys of a home, and where they are kept: in a file, an environment variable or the keyring.

The master key (`keys.source`) recognises what was forgotten and signs the audit log. Each space has
its fingerprint (SPACE/key.mark), so that one that is gone is never silently replaced. The database
key (`encryption.key`) opens encrypted databases; while a home gets another, they open with either.
Both are 32 random bytes, written as 64 hexadecimal digits.
"""

from __future__ import annotations

import hmac
import json
import os
from base64 import b64decode, b64encode
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from typing import Any, Literal, NamedTuple

from loxodon import files
from loxodon.config import EncryptionConfig
from loxodon.errors import INSTALL, KeyProblemError, disk_errors
from loxodon.filelock import lock_at
from loxodon.layout import KEY_MARK, KEYS, RECODING
from loxodon.spaces import space_path

VARIABLE = "LOXODON_KEY"
NEXT_VARIABLE = "LOXODON_KEY_NEXT"
_MASTER_VARIABLE = "LOXODON_KEY_MASTER"
_SIZE = 32
_SERVICE = "loxodon"
_LONGEST = 4_096
_LOCK_SECONDS = 30.0
_SEALED = b"loxodon-sealed:"
_NONCE = 12


def mac(key: bytes, data: bytes) -> bytes:
    return hmac.digest(key, data, "sha256")


class KeySource(NamedTuple):
    kind: str  # `file`, `env` or `keyring`
    name: str  # the path, the variable or the entry

    def __str__(self) -> str:
        if self.kind == "keyring":
            return f"keyring:{_SERVICE}/{self.name}"
        return f"${self.name}" if self.kind == "env" else self.name

    def read(self) -> str:
        """What stands there; empty for nothing."""
        if self.kind == "env":
            return os.environ.get(self.name, "").strip()
        if self.kind == "keyring":
            return (_keyring(lambda ring: ring.get_password(_SERVICE, self.name)) or "").strip()
        try:
            return files.read(self.name)[:_LONGEST].decode("utf-8").strip()
        except FileNotFoundError:
            return ""
        except (OSError, UnicodeDecodeError) as error:
            raise KeyProblemError(
                "cannot read the key in {path}: {reason}",
                hint="check its permissions, and that it contains only the key",
                path=self.name,
                reason=error,
            ) from None

    def write(self, text: str) -> None:
        if self.kind == "env":
            raise KeyProblemError(
                "cannot create a key in an environment variable",
                hint="set {variable} to 64 hexadecimal digits, and try again",
                variable=self.name,
            )
        if self.kind == "keyring":
            _keyring(lambda ring: ring.set_password(_SERVICE, self.name, text))
            return
        with disk_errors(self.name):
            files.make_folder(os.path.dirname(self.name))
            files.replace(self.name, text.encode("ascii") + b"\n")
            files.sync_folder(os.path.dirname(self.name))

    @property
    def next(self) -> KeySource:
        """Where the next key waits while this one is still needed."""
        return self._replace(name=NEXT_VARIABLE if self.kind == "env" else f"{self.name}.next")

    def take_next(self) -> None:
        """Have the key that waited; twice is fine, and an environment is the user's to change."""
        waiting = self.next
        if self.kind == "file" and os.path.exists(waiting.name):
            os.replace(waiting.name, self.name)
            files.sync_folder(os.path.dirname(self.name))
        elif self.kind == "keyring" and (text := waiting.read()):
            self.write(text)
            _keyring(lambda ring: ring.delete_password(_SERVICE, waiting.name))

    def make(self) -> None:
        """Put a new key here; a KeyProblemError where there is one."""
        if self.kind != "env" and self.read():
            raise KeyProblemError(
                "there is already a key in {place}",
                hint="omit --make-key to use it, or choose another place",
                place=str(self),
            )
        self.write(os.urandom(_SIZE).hex())


def _keyring(ask: Callable[[Any], Any]) -> Any:
    """What the system's keyring says; imported here, since few homes have their key there."""
    try:
        import keyring
    except ImportError:
        raise _not_installed("keyring") from None
    try:
        return ask(keyring)
    except (keyring.errors.KeyringError, RuntimeError) as error:  # RuntimeError: no backend
        raise KeyProblemError(
            "cannot use the system keyring: {reason}",
            hint="unlock it, or keep the key in a file or the environment",
            reason=(str(error) or type(error).__name__).splitlines()[0],
        ) from None


def _not_installed(package: str) -> KeyProblemError:
    said = "this needs the package `{package}`, which is not installed"
    return KeyProblemError(said, hint=INSTALL, package=package, extra="encryption")


class Keys(NamedTuple):
    """Keys that are derived from the master key of a home."""

    home: str
    kind: str = "file"

    def key(self, purpose: str, space: str) -> bytes:
        """The key of a space for one purpose (audit, tombstone), which notes what its master is."""
        folder = space_path(self.home, space)
        path = os.path.join(folder, KEY_MARK)
        noted = KeySource("file", path).read()
        master = self.master() or (b"" if noted else self._made())
        fingerprint = mac(master, b"loxodon\0fingerprint")[:8].hex()
        if noted and noted != fingerprint:
            raise KeyProblemError(
                "the master key is missing, or does not match the space {space}",
                hint="restore it from a copy; its fingerprint is in {path}. If you have none, "
                "delete that file: a new key is created, and what the old one protected "
                "(tombstones, the audit log so far) can no longer be verified",
                space=repr(space),
                path=path,
            )
        if not noted and (files.shared(folder) or os.access(folder, os.W_OK)):
            files.replace(path, fingerprint.encode("ascii") + b"\n")
        return mac(master, "\0".join(("loxodon", purpose, space)).encode("utf-8", "surrogatepass"))

    def master(self) -> bytes | None:
        text = self._place.read()
        return _key_in(text, self._place) if text or self.kind == "env" else None

    def adopt(self, master: bytes) -> None:
        """Have the master of another place, which this one is a copy of; refuse to change one."""
        found = self.master()
        if found is None:
            self._place.write(master.hex())
        elif found != master:
            raise KeyProblemError(
                "{home} has another master key",
                hint="choose an empty database or folder",
                home=self.home,
            )

    @property
    def _place(self) -> KeySource:
        names = {"env": _MASTER_VARIABLE, "keyring": f"master:{self.home}"}
        return KeySource(self.kind, names.get(self.kind) or os.path.join(self.home, KEYS, "master"))

    def _made(self) -> bytes:
        """A new master; another process may make it meanwhile."""
        folder = os.path.join(self.home, KEYS)
        with suppress(OSError):  # writing the key says why not
            files.make_folder(folder)
        with closing(lock_at(os.path.join(folder, "lock"))) as lock:
            lock.acquire(_LOCK_SECONDS)
            if self.master() is None:
                self._place.write(os.urandom(_SIZE).hex())
                files.sync_folder(self.home)  # before any mark of it
            return self.master() or b""


# The key of the databases


def source_of(home: str, config: EncryptionConfig) -> KeySource | None:
    """Where the settings say that the key is; None where nothing is encrypted."""
    if config.key == "none":
        return None
    names = {"env": VARIABLE, "keyring": f"database:{home}"}
    path = os.path.abspath(os.path.expanduser(config.file))
    return KeySource(config.key, names.get(config.key, path))


def database_keys(home: str, config: EncryptionConfig) -> tuple[bytes, ...]:
    """The keys of a home, the one that new files get first; none where nothing is encrypted."""
    source, change = source_of(home, config), change_of(home)
    if source is None:
        return ()
    found: dict[bytes, None] = {}
    for one in (change.waiting, source) if change else (source,):
        try:
            found[key_at(one)] = None
        except KeyProblemError:  # of two one may be in its place already
            if one is source and not found:
                raise
    return tuple(found)


def key_at(source: KeySource) -> bytes:
    text = source.read()
    if not text:
        raise KeyProblemError(
            "there is no key in {place}",
            hint="put the key there; what is encrypted cannot be read without it",
            place=str(source),
        )
    if source.kind == "file" and os.name == "posix" and os.stat(source.name).st_mode & 0o077:
        raise KeyProblemError(
            "the key file {path} can be read by other users",
            hint="run `chmod 600 {path}`; if somebody may have read it, also run `loxodon rekey`",
            path=source.name,
        )
    return _key_in(text, source)


def _key_in(text: str, source: KeySource) -> bytes:
    with suppress(ValueError):
        if len(found := bytes.fromhex(text)) == _SIZE:
            return found
    raise KeyProblemError(
        "the key in {place} is missing or invalid",
        hint="it must be 64 hexadecimal digits; restore it from a copy. For a new one, run "
        "`openssl rand -hex 32`",
        place=str(source),
    )


Work = Literal["encrypt", "decrypt", "rekey"]


class Change(NamedTuple):
    """What is done to a home, noted in HOME/keys/recoding.json until all databases are done."""

    work: Work
    place: KeySource  # where the key belongs
    waiting: KeySource  # where a new key is until all databases have it


def change_of(home: str) -> Change | None:
    with suppress(OSError, ValueError, TypeError):
        work, place, waiting = json.loads(files.read(os.path.join(home, KEYS, RECODING)))
        return Change(work, KeySource(*place), KeySource(*(waiting or place)))
    return None


class Seal:
    """Seals lines of text that wait beside an encrypted database while the engine is off."""

    def __init__(self, keys: Sequence[bytes]) -> None:
        try:
            from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
        except ImportError:
            raise _not_installed("cryptography") from None
        self._ciphers = [ChaCha20Poly1305(mac(key, b"loxodon\0transcripts")) for key in keys]

    def closed(self, line: bytes, name: str) -> bytes:
        """A line, without its end, as it may stand in the file called `name`."""
        nonce = os.urandom(_NONCE)
        return _SEALED + b64encode(nonce + self._ciphers[0].encrypt(nonce, line, name.encode()))

    def opened(self, line: bytes, name: str) -> bytes | None:
        """What `closed` was given; a plain line as it is; None for one that does not open."""
        from cryptography.exceptions import InvalidTag

        if not line.startswith(_SEALED):
            return line
        for cipher in self._ciphers:
            with suppress(InvalidTag, ValueError):
                data = b64decode(line[len(_SEALED) :].strip(), validate=True)
                return cipher.decrypt(data[:_NONCE], data[_NONCE:], name.encode())
        return None
