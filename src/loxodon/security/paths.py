"""Which files of this machine a memory may be pointed at, to read them or to write there.

The home is not for anybody to name: it has the keys, the tokens, the settings, and the databases
and texts of every space, and what is taken in is told by the next recall. What lies in a folder
that was named is reached by no link that leaves it, and a file of the home by no hard link. Who may
name a file at all is for the surface to say: over HTTP only files of the space (`layout.FILES`).
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Iterator

from loxodon.errors import ForbiddenError, InputError


def allowed_path(home: str, path: str | os.PathLike[str], but: Iterable[str] = ()) -> str:
    """The full path of a file or folder that was named; a ForbiddenError for one of the home.

    `but` has folders of the home that may be named here.
    """
    try:
        full = os.path.abspath(os.path.expanduser(os.fspath(path)))
        real = os.path.realpath(full)
    except ValueError:  # a zero byte
        raise InputError("{path} is not a valid path", path=repr(path)) from None
    if not any(is_inside(real, one) for one in but) and (
        is_inside(real, home) or _is_linked(real, home)
    ):
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
    """Whether something below a folder that was named is not to be looked at: it leads out of the
    folder, or into the home where the folder itself is outside."""
    if not is_inside(path, root):
        return True
    return bool(home) and is_inside(path, home) and not is_inside(root, home)


def opened(path: str, root: str, home: str = "") -> int:
    """A descriptor of a plain file at or below `root`, for reading; an OSError for anything else.

    What was a file when it was listed may be a link by now: so it is the open file that is held
    against the path, after it was opened.
    """
    real = os.path.realpath(path)
    if is_closed(home, root, real):
        raise OSError(errno.EACCES, os.strerror(errno.EACCES), path)
    flags = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    # Not through a link that was put there since, nor waiting for someone to write to a pipe.
    flags |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    descriptor = os.open(real, flags)
    about = os.fstat(descriptor)
    homes = home and not is_inside(root, home) and _is_linked(descriptor, home)
    if homes or not stat.S_ISREG(about.st_mode) or not _is_still(real, about):
        os.close(descriptor)
        raise OSError(errno.EACCES, os.strerror(errno.EACCES), path)
    return descriptor


def _is_linked(file: str | int, home: str) -> bool:
    """Whether a file is one of the home by another name (a hard link)."""
    try:
        about = os.stat(file)
    except OSError:
        return False
    if about.st_nlink < 2 or not stat.S_ISREG(about.st_mode):
        return False
    return any(
        one.inode() == about.st_ino and os.path.samestat(one.stat(follow_symlinks=False), about)
        for one in _files(home)
    )


def _files(folder: str) -> Iterator[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        for one in entries:
            if one.is_dir(follow_symlinks=False):
                yield from _files(one.path)
            else:
                yield one


def _is_still(real: str, about: os.stat_result) -> bool:
    """Whether a path still leads to an open file, and by no link."""
    try:
        now = os.stat(real, follow_symlinks=False)
    except OSError:
        return False
    return os.path.realpath(real) == real and os.path.samestat(now, about)
