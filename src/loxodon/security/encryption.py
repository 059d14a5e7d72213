"""Where the key of an encrypted memory comes from.

The settings say it: `encryption.key` is `file` (the file named by `encryption.file`), `env`
(LOXODON_KEY) or `keyring` (the system's). What stands there is a key of 64 hexadecimal digits, or
a pass phrase, which scrypt stretches with a salt that is kept in HOME/keys/stretch.json. All
spaces of a home have one key; it is never on a command line, in config.toml or in a log.

While a memory is given another key, HOME/keys/next.json says where that one is. A database opens
with either, so that a re-keying which is cut short leaves nothing that cannot be read.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import lru_cache
from typing import Any, NamedTuple

from loxodon import files
from loxodon.config import EncryptionConfig
from loxodon.errors import KeyProblemError, install_hint
from loxodon.layout import KEYS, STRETCH
from loxodon.store.sqlite.cipher import KEY_BYTES

VARIABLE = "LOXODON_KEY"
NEXT_VARIABLE = "LOXODON_KEY_NEXT"
SERVICE = "loxodon"
NEXT = "next.json"
_LONGEST = 4_096
_SCRYPT = {"n": 1 << 15, "r": 8, "p": 1}
_MOST = {"n": 1 << 20, "r": 32, "p": 16}
"""Beyond these a file that somebody else wrote would only keep the machine busy."""


class KeySource(NamedTuple):
    """A place where a key is."""

    kind: str
    """`file`, `env` or `keyring`."""
    name: str
    """The path, the variable or the entry."""


def source_of(home: str, config: EncryptionConfig) -> KeySource | None:
    """Where the settings say that the key is; None where nothing is encrypted."""
    if config.key == "none":
        return None
    if config.key == "env":
        return KeySource("env", VARIABLE)
    if config.key == "keyring":
        return KeySource("keyring", f"database:{home}")
    if not config.file:
        raise KeyProblemError(
            "the key is in a file, but no file is set",
            hint="set it with `loxodon config encryption.file PATH`",
        )
    return KeySource("file", os.path.abspath(os.path.expanduser(config.file)))


def keys_of(home: str, config: EncryptionConfig, environ: Mapping[str, str]) -> tuple[bytes, ...]:
    """The keys of a home, the one that new files get first; none where nothing is encrypted.

    Raises KeyProblemError where the key is not where it should be.
    """
    source = source_of(home, config)
    if source is None:
        return ()
    following = next_source(home)
    found = []
    if following is not None:
        with suppress(KeyProblemError):  # it was put in its place, but for this note
            found.append(key_at(home, following, environ))
    try:
        found.append(key_at(home, source, environ))
    except KeyProblemError:
        if not found:
            raise
    return tuple(dict.fromkeys(found))


def key_at(home: str, source: KeySource, environ: Mapping[str, str]) -> bytes:
    """The key that is at `source`."""
    return key_from(text_at(source, environ), home)


def text_at(source: KeySource, environ: Mapping[str, str]) -> str:
    """What stands at `source`."""
    if source.kind == "env":
        found = environ.get(source.name, "").strip()
    elif source.kind == "keyring":
        found = (keyring(lambda ring: ring.get_password(SERVICE, source.name)) or "").strip()
    else:
        found = _in_file(source.name)
    if not found:
        raise KeyProblemError(
            "there is no key in {place}",
            hint="this memory is encrypted and cannot be read without its key",
            place=describe(source),
        )
    return found


def describe(source: KeySource) -> str:
    """A source as people are told of it."""
    if source.kind == "keyring":
        return f"keyring:{SERVICE}/{source.name}"
    return f"${source.name}" if source.kind == "env" else source.name


def _in_file(path: str) -> str:
    try:
        with open(path, "rb") as file:
            about = os.fstat(file.fileno())
            if os.name == "posix" and stat.S_IMODE(about.st_mode) & 0o077:
                raise KeyProblemError(
                    "the key file {path} can be read by other users",
                    hint="run `chmod 600 {path}`; if somebody may have read it, also run "
                    "`loxodon rekey`",
                    path=path,
                )
            return file.read(_LONGEST).decode("utf-8").strip()
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise KeyProblemError(
            "cannot read the key in {path}: {reason}",
            hint="check its permissions, and that it contains only the key",
            path=path,
            reason=getattr(error, "strerror", None) or "it is not text",
        ) from None


def key_from(text: str, home: str, how: Mapping[str, Any] | None = None) -> bytes:
    """The key that a text stands for: itself, or what becomes of a pass phrase.

    `how` it is stretched is the home's own unless it is given.
    """
    with suppress(ValueError):
        if len(text) == 2 * KEY_BYTES:
            return bytes.fromhex(text)
    return _stretched(text, json.dumps(dict(how or stretching(home))))


def stretching(home: str) -> dict[str, Any]:
    """How pass phrases of this home are stretched; made where it is first needed."""
    path = os.path.join(home, KEYS, STRETCH)
    try:
        with open(path, encoding="utf-8") as file:
            return checked_stretching(json.load(file), path)
    except FileNotFoundError:
        pass
    except (OSError, ValueError):
        raise _spoilt(path) from None
    made = {**_SCRYPT, "salt": os.urandom(16).hex()}
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    draft = f"{path}.{os.getpid()}"
    files.replace(draft, json.dumps(made).encode())
    try:
        os.link(draft, path)  # of two who make one at once, one is kept
    except FileExistsError:
        return stretching(home)
    finally:
        os.unlink(draft)
    files.sync_folder(os.path.dirname(path))
    return made


def checked_stretching(given: Any, path: str) -> dict[str, Any]:
    """What a file says of stretching, if it makes sense."""
    numbers = isinstance(given, dict) and all(
        isinstance(given.get(name), int) and 0 < given[name] <= most for name, most in _MOST.items()
    )
    if not numbers or not isinstance(given.get("salt"), str) or len(given["salt"]) < 16:
        raise _spoilt(path)
    return {name: given[name] for name in (*_MOST, "salt")}


def _spoilt(path: str) -> KeyProblemError:
    return KeyProblemError(
        "{path} is damaged, and the passphrase needs it to give the right key",
        hint="restore it from a backup; every backup contains it",
        path=path,
    )


@lru_cache(maxsize=4)
def _stretched(text: str, how: str) -> bytes:
    from hashlib import scrypt

    given = json.loads(how)
    return scrypt(
        text.encode(),
        salt=given["salt"].encode(),
        n=given["n"],
        r=given["r"],
        p=given["p"],
        maxmem=256 * given["n"] * given["r"],
        dklen=KEY_BYTES,
    )


# Making and moving keys


def make(source: KeySource) -> None:
    """Put a new key where there is none; a KeyProblemError where there is one."""
    text = os.urandom(KEY_BYTES).hex()
    if source.kind == "env":
        raise KeyProblemError(
            "cannot create a key in an environment variable",
            hint="set {variable} to 64 hexadecimal digits or a long passphrase, and try again",
            variable=source.name,
        )
    if source.kind == "keyring":
        if not keyring(lambda ring: ring.get_password(SERVICE, source.name)):
            keyring(lambda ring: ring.set_password(SERVICE, source.name, text))
            return
    else:
        try:
            os.makedirs(os.path.dirname(source.name), mode=0o700, exist_ok=True)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
            with open(os.open(source.name, flags, files.PRIVATE), "wb") as file:
                file.write(text.encode() + b"\n")
                file.flush()
                os.fsync(file.fileno())
            files.sync_folder(os.path.dirname(source.name))
            return
        except FileExistsError:
            pass
        except OSError as error:
            raise KeyProblemError(
                "cannot write a key to {path}: {reason}",
                hint="choose another file with --key-file",
                path=source.name,
                reason=error.strerror or str(error),
            ) from None
    raise KeyProblemError(
        "there is already a key in {place}",
        hint="omit --make-key to use it, or choose another place",
        place=describe(source),
    )


def beside(source: KeySource) -> KeySource:
    """Where the next key waits while the one at `source` is still needed."""
    if source.kind == "env":
        return KeySource("env", NEXT_VARIABLE)
    return KeySource(source.kind, f"{source.name}.next")


def put_in_place(next: KeySource, source: KeySource) -> None:
    """Let the key that waited at `next` be the one at `source`; twice is fine."""
    if next == source or next.kind == "env" or next.kind != source.kind:
        return
    if next.kind == "keyring":
        text = keyring(lambda ring: ring.get_password(SERVICE, next.name))
        if text:
            keyring(lambda ring: ring.set_password(SERVICE, source.name, text))
            keyring(lambda ring: ring.delete_password(SERVICE, next.name))
    elif os.path.exists(next.name):
        os.replace(next.name, source.name)
        files.sync_folder(os.path.dirname(source.name))


def next_source(home: str) -> KeySource | None:
    """Where the next key is, while a re-keying is under way."""
    try:
        with open(os.path.join(home, KEYS, NEXT), encoding="utf-8") as file:
            return KeySource(*map(str, json.load(file)))
    except (OSError, ValueError, TypeError):
        return None


def note_next(home: str, source: KeySource | None) -> None:
    """Note where the next key is, or that there is none any more."""
    path = os.path.join(home, KEYS, NEXT)
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    if source is not None:
        files.replace(path, json.dumps(source).encode())
    elif os.path.exists(path):
        os.unlink(path)
    files.sync_folder(os.path.dirname(path))


def keyring(ask: Callable[[Any], Any]) -> Any:
    """What the system's keyring says."""
    try:
        import keyring as rings
        from keyring.errors import KeyringError
    except ImportError:
        raise KeyProblemError(
            "the key is in the system keyring, but `keyring` is not installed",
            hint=install_hint(),
            extra="encryption",
        ) from None
    try:
        return ask(rings)
    except (KeyringError, RuntimeError) as error:  # RuntimeError: no backend on this machine
        raise KeyProblemError(
            "cannot use the system keyring: {reason}",
            hint="unlock it, or keep the key in a file or the environment",
            reason=(str(error) or type(error).__name__).splitlines()[0],
        ) from None
