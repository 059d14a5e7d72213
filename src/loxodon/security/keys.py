"""Keys for what must be recognised or sealed: all derived from one master secret of the home.

The master is in HOME/keys/master, in the environment, or in the system's keyring, as the setting
`keys.source` says. It is made when it is first needed. From then on each space that used it has a
mark of it (SPACE/key.mark, a fingerprint that tells nothing about the key), so that a master which
is gone, or is another, is an error, and never silently a new one: with another key every tombstone
and every seal would look like nobody's.
"""

from __future__ import annotations

import hmac
import os
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

from loxodon import files
from loxodon.errors import KeyProblemError, install_hint
from loxodon.filelock import lock_on
from loxodon.layout import KEY_MARK, KEYS, SPACES
from loxodon.spaces import space_path

FILE = "master"
MARK = KEY_MARK
VARIABLE = "LOXODON_KEY_MASTER"
PURPOSES = ("audit", "tombstone", "signature", "transcripts")
SIZE = 32
_SERVICE = "loxodon"
_LOCK_SECONDS = 30.0


def mac_with(key: bytes) -> Callable[[bytes], bytes]:
    """HMAC-SHA256 under one key."""
    return partial(mac, key)


def mac(key: bytes, data: bytes) -> bytes:
    """HMAC-SHA256 of `data` under `key`."""
    return hmac.digest(key, data, "sha256")


class Keys(NamedTuple):
    """The keys of a home."""

    home: str
    source: str = "file"
    environ: Mapping[str, str] = os.environ

    def key(self, purpose: str, space: str = "") -> bytes:
        """The key for one of `PURPOSES`; with `space` one that no other space has.

        Raises KeyProblemError where the master is gone, is not the one that was used before, or
        cannot be read.
        """
        if purpose not in PURPOSES:
            raise ValueError(f"no such purpose of a key: {purpose}")
        master = self._master()
        if space:
            self._mark(space, master)
        return mac(master, "\0".join(("loxodon", purpose, space)).encode("utf-8", "surrogatepass"))

    def fingerprint(self) -> str:
        """What tells two masters apart and nothing else; empty where there is none yet."""
        master = self.master()
        return _fingerprint(master) if master else ""

    def master(self) -> bytes | None:
        """The master itself; None where there is none yet."""
        return self._found()

    def adopt(self, master: bytes) -> None:
        """Have the master of another place, which this one is a copy of; refuse to change one."""
        found = self._found()
        if found is None:
            files.make_folder(os.path.dirname(self.path))
            self._keep(master.hex())
        elif found != master:
            raise KeyProblemError(
                "{home} has another master key",
                hint="choose an empty database or folder",
                home=self.home,
            )

    @property
    def path(self) -> str:
        """Where the master is, or would be, as a file."""
        return os.path.join(self.home, KEYS, FILE)

    def _master(self) -> bytes:
        return self._found() or self._made()

    def _found(self) -> bytes | None:
        if self.source == "env":
            return self._from_environment()
        if self.source == "keyring":
            text = _keyring(lambda ring: ring.get_password(_SERVICE, self._entry))
            return _parsed(text, "the system's keyring") if text else None
        try:
            return _parsed(files.read(self.path).decode("ascii", "replace"), self.path)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise KeyProblemError(
                "cannot read the master key {path}: {reason}",
                hint="check its permissions; only its owner may read it",
                path=self.path,
                reason=error.strerror or str(error),
            ) from None

    def _from_environment(self) -> bytes:
        text = self.environ.get(VARIABLE, "")
        if not text:
            raise KeyProblemError(
                "the master key should be in {variable}, which is not set",
                hint="set it to 64 hexadecimal digits, or change the setting keys.source",
                variable=VARIABLE,
            )
        return _parsed(text, VARIABLE)

    @property
    def _entry(self) -> str:
        return f"master:{self.home}"

    def _made(self) -> bytes:
        """A new master, where there never was one; another process may make it meanwhile."""
        folder = os.path.dirname(self.path)
        try:
            files.make_folder(folder)
            lock = lock_on(os.path.join(folder, "lock"))
            try:
                lock.acquire(_LOCK_SECONDS)
                found = self._found()
                if found is None:
                    self._refuse_if_lost()
                    found = os.urandom(SIZE)
                    self._keep(found.hex())
                return found
            finally:
                lock.close()
        except OSError as error:
            raise KeyProblemError(
                "cannot create the master key {path}: {reason}",
                hint="check the folder's permissions and the free disk space",
                path=self.path,
                reason=error.strerror or str(error),
            ) from None

    def _keep(self, text: str) -> None:
        if self.source == "keyring":
            _keyring(lambda ring: ring.set_password(_SERVICE, self._entry, text))
            return
        files.replace(self.path, text.encode("ascii") + b"\n")
        for folder in (os.path.dirname(self.path), self.home):  # before any mark of it
            files.sync_folder(folder)

    def _refuse_if_lost(self) -> None:
        spaces = os.path.join(self.home, SPACES)
        for name in files.names(spaces):
            mark = os.path.join(spaces, name, MARK)
            if files.exists(mark):
                raise KeyProblemError(
                    "the master key of {home} is missing: {mark} shows that there was one",
                    hint="restore it from a copy. If you have none, delete that file: a new key "
                    "is created, and what the old key protected (tombstones, sealed "
                    "transcripts, the audit log so far) can no longer be verified or read",
                    home=self.home,
                    mark=mark,
                )

    def _mark(self, space: str, master: bytes) -> None:
        """Note in a space which master it uses; refuse another than it used before."""
        folder = space_path(self.home, space)
        path, mine = os.path.join(folder, MARK), _fingerprint(master)
        try:
            noted = files.read(path).decode("ascii", "replace").strip()
        except FileNotFoundError:
            noted = ""
        except OSError as error:
            raise KeyProblemError(
                "cannot read {path}: {reason}",
                hint="check its permissions; only its owner may read it",
                path=path,
                reason=error.strerror or str(error),
            ) from None
        if noted and noted != mine:
            raise KeyProblemError(
                "the master key does not match the space {space}",
                hint="restore the right key; its fingerprint is in {path}",
                space=repr(space),
                path=path,
            )
        if not noted and (files.shared(folder) or os.access(folder, os.W_OK)):
            files.replace(path, mine.encode("ascii") + b"\n")


def _fingerprint(master: bytes) -> str:
    return mac(master, b"loxodon\0fingerprint")[:8].hex()


def _parsed(text: str, where: str) -> bytes:
    try:
        found = bytes.fromhex(text.strip())
    except ValueError:
        found = b""
    if len(found) != SIZE:
        raise KeyProblemError(
            "the master key in {where} is invalid",
            hint="it must be 64 hexadecimal digits; restore it from a copy",
            where=where,
        )
    return found


def _keyring(ask: Callable[[Any], Any]) -> Any:
    """What the system's keyring says; imported here, since few homes have their key there."""
    try:
        import keyring
        from keyring.errors import KeyringError
    except ImportError:
        raise KeyProblemError(
            "the master key is in the system keyring, but `keyring` is not installed",
            hint=install_hint(),
            extra="encryption",
        ) from None
    try:
        return ask(keyring)
    except (KeyringError, RuntimeError) as error:  # RuntimeError: no backend on this machine
        raise KeyProblemError(
            "cannot use the system keyring: {reason}",
            hint="unlock it, or change the setting keys.source to file or env",
            reason=str(error).splitlines()[0] if str(error) else type(error).__name__,
        ) from None
