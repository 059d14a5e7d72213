"""Which message is being read, noted where it outlives a process that is killed over it.

A run goes on where the one before was cut short. If that was at a message that no run survives, the
next would die there too, and all that follow. So the number of the message is in a file while it is
read; two runs that end over the same one are enough, and it is put aside. The file is not synced:
a power cut, which loses it, is no message's doing.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import BinaryIO

from loxodon import files
from loxodon.errors import StoreError

MARK = "consolidation.mark"
_ENOUGH = 2


class Attempt:
    """The mark of one run. That it cannot be written is no reason to fail."""

    def __init__(self, folder: str) -> None:
        self._path = os.path.join(folder, MARK)
        self._died, self._times = _read(self._path)
        self._file: BinaryIO | None = None  # kept open: every message is noted

    @property
    def fatal(self) -> int:
        """The message over which enough runs have ended; 0 for none."""
        return self._died if self._times >= _ENOUGH else 0

    def at(self, turn: int) -> None:
        """A message is about to be read."""
        times = self._times if turn == self._died else 0
        with suppress(OSError, StoreError):
            if there := files.shared(self._path):
                there[0].replace(there[1], b"%016d %02d\n" % (turn, times), durable=False)
                return
            if self._file is None:
                self._file = open(self._path, "wb", buffering=0, opener=files.private)  # noqa: SIM115
            self._file.seek(0)
            self._file.write(b"%016d %02d\n" % (turn, times))

    def done(self) -> None:
        """None is being read any more."""
        self.close()
        with suppress(OSError, StoreError):
            files.remove(self._path)

    def close(self) -> None:
        """The run ends; the mark stays where it is."""
        if self._file is not None:
            self._file.close()
            self._file = None


def _read(path: str) -> tuple[int, int]:
    """The message that a run ended over, and how many runs have."""
    try:
        turn, times = files.read(path)[:32].split()
        return int(turn), int(times) + 1
    except (OSError, ValueError):
        return 0, 0
