"""Files whose old content must not stay on disk: overwritten, then removed.

What a file system or a disk keeps elsewhere (snapshots, journals, the spare blocks of an SSD) is
beyond a program's reach. A removal that is cut short leaves `<file>.erasing`, and `sweep` ends it.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from loxodon import files

SUFFIX = ".erasing"
_PIECE = 1 << 20
_DRAFT = re.compile(r"\.\d+(?:-\d+)?\.tmp$")  # how `files.replace` calls them


def erase(path: str) -> None:
    """Overwrite a file and remove it; nothing where it is not there."""
    if there := files.shared(path):  # whose rows are the database's to overwrite
        with suppress(FileNotFoundError):
            there[0].remove(there[1])
        return
    if not os.path.islink(path):  # what it leads to is somebody else's
        try:
            with open(path, "r+b", buffering=0) as file:
                left = os.fstat(file.fileno()).st_size
                while left > 0:
                    left -= file.write(bytes(min(left, _PIECE)))
                os.fsync(file.fileno())
        except FileNotFoundError:
            return
    os.unlink(path)


def erase_folder(folder: str) -> None:
    """Overwrite and remove all files of a folder, then the folder. Links are removed as such."""
    for place, _, names in os.walk(folder):
        for name in names:
            erase(os.path.join(place, name))
    shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def replacing(path: str) -> Iterator[None]:
    """Whatever file has the name `path` before and not after is erased."""
    old = path + SUFFIX
    _finish(old)
    with suppress(OSError):  # there is none; or no links here, and its blocks are only freed
        os.link(path, old)
    try:
        yield
    finally:
        _finish(old)


def _finish(old: str) -> None:
    """End what was begun: `old` is the second name of a file, which may still be in use."""
    with suppress(FileNotFoundError):
        if os.path.samefile(old, old.removesuffix(SUFFIX)):
            os.unlink(old)
    erase(old)


def replace(path: str, data: bytes) -> None:
    """Put `data` in the place of a file in one step, and erase what was there."""
    with replacing(path):
        files.replace(path, data)
        files.sync_folder(os.path.dirname(path))


def sweep(folder: str) -> None:
    """End everything of this kind that was cut short in a folder and those within it."""
    for place, _, names in os.walk(folder):
        for name in names:
            if name.endswith(SUFFIX):
                _finish(os.path.join(place, name))
            elif _DRAFT.search(name):
                erase(os.path.join(place, name))
