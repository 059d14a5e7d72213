"""How much may come out of something packed: archives, backups, compressed messages.

A few megabytes can be made to unpack to any size. Nothing that people export does so: text packs
ten to one, rarely fifty to one. What an archive says of itself is looked at first, so that most
traps are refused at once; and what comes out is counted as it is read, whatever it says.
"""

from __future__ import annotations

from loxodon.errors import InputError

MOST_RATIO = 100
"""Bytes that may come out for each that is there."""
INNOCENT = 64 << 20
"""Bytes that may come out however little is there: no machine minds them."""
MOST_BYTES = 64 << 30
MOST_PARTS = 100_000


class Allowance:
    """What may still be unpacked of one file of `size` bytes, over all that is in it."""

    def __init__(self, name: str, size: int) -> None:
        self._name = name
        self._most = min(MOST_BYTES, max(INNOCENT, size * MOST_RATIO))
        self._out = 0

    def check(self, claimed: int) -> None:
        """Refuse a file that says itself that too much is in it."""
        if claimed > self._most:
            raise self._trap()

    def take(self, size: int) -> None:
        """Count what came out; an InputError where it is too much."""
        self._out += size
        self.check(self._out)

    def _trap(self) -> InputError:
        return InputError(
            "{file} unpacks to more than {most} MiB, which is too large for an export",
            hint="unpack and check it yourself; nothing was imported",
            file=self._name,
            most=self._most >> 20,
        )
