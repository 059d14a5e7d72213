"""Which files of this machine a memory may be pointed at, to read them or to write there.

The home is not for anybody to name: it has the keys, the tokens, the settings, and the databases
and texts of every space, and what is taken in is told by the next recall. What lies in a folder
that was named is reached by no link that leaves it. Who may name a file at all is for the surface
to say: over HTTP only files of the space (`layout.FILES`).
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable

from loxodon.errors import ForbiddenError, InputError


def allowed_path(home: str, path: str | os.PathLike[str], but: Iterable[str] = ()) -> str:
    """The full path of a file or folder that was named; a ForbiddenError for one of the home."""
    try:
        full = os.path.abspath(os.path.expanduser(os.fspath(path)))
        real = os.path.realpath(full)
    except ValueError:  # a zero byte
        raise InputError("{path} is not a valid path", path=repr(path)) from None
    if is_inside(real, home) and not any(is_inside(real, one) for one in but):
        raise ForbiddenError(
            "{path} is inside the Loxodon home, where no other files are read or written",
            hint="choose a file or folder outside it",
            path=full,
        )
    return full


def is_inside(path: str, folder: str) -> bool:
    """Whether a path, links resolved, is a folder or lies in it."""
    real, top = os.path.realpath(path), os.path.realpath(folder)
    return real == top or real.startswith(top.rstrip(os.sep) + os.sep)


def is_closed(home: str, root: str, path: str) -> bool:
    """Whether something below a folder that was named is not to be looked at."""
    is_of_home = bool(home) and is_inside(path, home) and not is_inside(root, home)
    return is_of_home or not is_inside(path, root)


def opened(path: str, root: str, home: str = "") -> int:
    """A descriptor of a plain file at or below `root`, for reading."""
    refused = OSError(errno.EACCES, os.strerror(errno.EACCES), path)
    real = os.path.realpath(path)
    if is_closed(home, root, real):
        raise refused
    flags = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    # Not through a link that was put there since, nor waiting for someone to write to a pipe.
    flags |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    descriptor = os.open(real, flags)
    # What was a file when it was listed may be a link by now.
    if not stat.S_ISREG(os.fstat(descriptor).st_mode) or os.path.realpath(real) != real:
        os.close(descriptor)
        raise refused
    return descriptor
