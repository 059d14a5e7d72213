"""Where a space lives: a folder in the home, named so that no two spaces ever share one.

A plain name is its own folder. Any other (`Alice`, `a/b`, `张三`) is kept by a digest, because file
systems fold case and Unicode forms. The database inside knows the name of its space.
"""

from __future__ import annotations

import os
import re
from hashlib import sha256

from loxodon import files
from loxodon.errors import InputError, NotFoundError, disk_errors
from loxodon.layout import SPACES

MAX_NAME = 128

_PLAIN = re.compile(r"(?!(?:con|prn|aux|nul|(?:com|lpt)[0-9])\Z)[a-z0-9][a-z0-9_-]{0,62}")


def space_path(home: str, space: str) -> str:
    return os.path.join(home, SPACES, folder_name(space))


def space_folder(home: str, space: str, *, make: bool) -> str:
    """The folder of a space; NotFoundError if it is not there, unless to `make` it."""
    folder, on_disk = space_path(home, space), not files.shared(home)
    if make and on_disk:  # elsewhere, whoever opens the store of a space makes it
        with disk_errors(folder):
            _make_private(folder)
    elif on_disk and not os.path.isdir(home):
        hint = "create one with `loxodon init`, or choose another place with --home or LOXODON_HOME"
        raise NotFoundError("no memory found at {home}", hint=hint, home=home)
    elif not make and not has_space(home, space):
        raise no_space(space)
    return folder


def has_space(home: str, space: str) -> bool:
    if there := files.shared(home):
        return space in there[0].spaces()
    return os.path.isdir(space_path(home, space))


def no_space(space: str) -> NotFoundError:
    """Whoever asks may be anywhere, and is not told where the home is."""
    hint = "list them with `loxodon space list`, or create it with `loxodon --space {space} init`"
    return NotFoundError("no space named {space}", hint=hint, space=repr(space))


def _make_private(path: str) -> None:
    """Make a folder that only its owner can enter, and that a power cut cannot take away."""
    if os.path.isdir(path):
        return
    _make_private(above := os.path.dirname(path))
    os.makedirs(path, mode=0o700, exist_ok=True)
    files.sync_folder(above)


def folder_name(space: str) -> str:
    if not isinstance(space, str) or not 0 < len(space) <= MAX_NAME or not space.isprintable():
        said, hint = repr(space)[:60], "use 1 to {most} printable characters"
        raise InputError("{space} is not a valid space name", hint=hint, space=said, most=MAX_NAME)
    if _PLAIN.fullmatch(space):  # and none that Windows keeps for devices
        return space
    return "~" + sha256(space.encode("utf-8", "surrogatepass")).hexdigest()[:40]


def home_at(path: str) -> str:
    """The full path of a home; an InputError for a path that no folder can have."""
    if not path or not path.isprintable():
        hint = "give the path of a folder, in UTF-8"
        raise InputError("this path cannot be used as a home", hint=hint)
    return os.path.abspath(os.path.expanduser(path))
