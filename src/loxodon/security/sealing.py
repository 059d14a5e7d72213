"""Lines of text that only the key of the database opens: what waits while the engine is off.

Each line is sealed for itself with ChaCha20-Poly1305 and bound to the name of its file, so that
appending stays one write. A file may also have plain lines, where encrypting was cut short.
"""

from __future__ import annotations

import os
from base64 import b64decode, b64encode
from collections.abc import Sequence

from loxodon.errors import INSTALL, KeyProblemError
from loxodon.security.keys import mac

_MARK = b"loxodon-sealed:"
_NONCE = 12


class Seal:
    """Closes lines with the first of its keys and opens them with any."""

    def __init__(self, keys: Sequence[bytes]) -> None:
        try:
            from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
        except ImportError:
            raise KeyProblemError(
                "an encrypted memory needs `cryptography`, which is not installed",
                hint=INSTALL,
                extra="encryption",
            ) from None
        self._ciphers = [ChaCha20Poly1305(mac(key, b"loxodon\0transcripts")) for key in keys]

    def closed(self, line: bytes, name: str) -> bytes:
        """A line, without its end, as it may stand in the file called `name`."""
        nonce = os.urandom(_NONCE)
        return _MARK + b64encode(nonce + self._ciphers[0].encrypt(nonce, line, name.encode()))

    def opened(self, line: bytes, name: str) -> bytes | None:
        """What `closed` was given; a line that is not sealed as it is; None for one that does not
        open: it is damaged, of another file, or of another key."""
        from cryptography.exceptions import InvalidTag

        if not line.startswith(_MARK):
            return line
        for cipher in self._ciphers:
            try:
                data = b64decode(line[len(_MARK) :].strip(), validate=True)
                return cipher.decrypt(data[:_NONCE], data[_NONCE:], name.encode())
            except (InvalidTag, ValueError):
                continue
        return None
