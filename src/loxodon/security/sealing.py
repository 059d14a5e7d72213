"""Lines of text that only the key of the database opens.

What lies beside an encrypted database, such as what waits while the engine is off, is kept as
sealed lines: ChaCha20-Poly1305, a key derived from that of the database, each line for itself, so
that appending stays one write. A line is bound to the name of its file. A file may hold both kinds
of lines, as it does where encrypting was cut short.
"""

from __future__ import annotations

import os
from base64 import b64decode, b64encode
from collections.abc import Sequence
from typing import TYPE_CHECKING

from loxodon.errors import KeyProblemError, install_hint
from loxodon.security.keys import mac

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

MARK = b"loxodon-sealed:"
_NONCE = 12
_PURPOSE = b"loxodon\0transcripts"


class Seal:
    """Closes lines with the first of its keys and opens them with any."""

    def __init__(self, keys: Sequence[bytes]) -> None:
        cipher = _cipher()
        self._ciphers = [cipher(mac(key, _PURPOSE)) for key in keys]

    def closed(self, line: bytes, name: str) -> bytes:
        """A line, without its end, as it may stand in the file called `name`."""
        nonce = os.urandom(_NONCE)
        return MARK + b64encode(nonce + self._ciphers[0].encrypt(nonce, line, name.encode()))

    def opened(self, line: bytes, name: str) -> bytes | None:
        """What `closed` was given; a line that is not sealed as it is; None for one that does not
        open: it is damaged, of another file, or of another key."""
        if not line.startswith(MARK):
            return line
        try:
            data = b64decode(line[len(MARK) :].strip(), validate=True)
        except ValueError:
            return None
        for cipher in self._ciphers:
            if (found := _decrypted(cipher, data, name)) is not None:
                return found
        return None


def _decrypted(cipher: ChaCha20Poly1305, data: bytes, name: str) -> bytes | None:
    from cryptography.exceptions import InvalidTag

    try:
        return cipher.decrypt(data[:_NONCE], data[_NONCE:], name.encode())
    except (InvalidTag, ValueError):
        return None


def _cipher() -> type[ChaCha20Poly1305]:
    try:
        from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
    except ImportError:
        raise KeyProblemError(
            "an encrypted memory needs `cryptography`, which is not installed",
            hint=install_hint(),
            extra="encryption",
        ) from None
    return ChaCha20Poly1305


# Files of lines


def shut(data: bytes, name: str, seal: Seal | None) -> bytes:
    """Whole lines as they may stand in the file called `name`."""
    if seal is None:
        return data
    return b"".join(seal.closed(line, name) + b"\n" for line in data.split(b"\n") if line)


def plain_line(line: bytes, name: str, seal: Seal | None) -> bytes:
    """What a line of the file called `name` says; one that does not open says what it is."""
    if seal is None:
        return line
    found = seal.opened(line, name)
    return line if found is None else found


def read_lines(path: str, seal: Seal | None = None) -> list[bytes]:
    """The lines of a file, sealed or not, without their ends."""
    with open(path, "rb") as file:
        data = file.read()
    name = os.path.basename(path)
    return [plain_line(line, name, seal) for line in data.split(b"\n") if line.strip()]
