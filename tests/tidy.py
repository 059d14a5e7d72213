"""What tests leave behind: in the repository, in the home folder, and where temporary files go."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

_CACHES = ("__pycache__", "node_modules")


class Stamp(NamedTuple):
    """What tells a file from the same file after somebody wrote to it."""

    inode: int
    size: int
    changed: int


def stamps(folder: Path, counts: Callable[[str], bool] = lambda name: True) -> dict[str, Stamp]:
    """Every file below a folder, and every folder with nothing in it; only names that count."""
    found: dict[str, Stamp] = {}
    for place, folders, names in os.walk(folder):
        folders[:] = [one for one in folders if counts(one)]
        if not folders and not names and place != str(folder):
            found[os.path.relpath(place, folder)] = Stamp(0, 0, 0)
        for name in filter(counts, names):
            path = os.path.join(place, name)
            try:
                seen = os.lstat(path)
            except FileNotFoundError:  # another's, that is gone by now
                continue
            found[os.path.relpath(path, folder)] = Stamp(
                seen.st_ino, seen.st_size, seen.st_mtime_ns
            )
    return found


def differences(before: Mapping[str, Stamp], after: Mapping[str, Stamp]) -> Sequence[str]:
    """What was made, changed or removed, one line each."""
    told = dict.fromkeys(after.keys() - before.keys(), "made")
    told |= dict.fromkeys(before.keys() - after.keys(), "removed")
    told |= {name: "changed" for name in before if name in after and before[name] != after[name]}
    return [f"{what}: {name}" for name, what in sorted(told.items())]


def no_cache(name: str) -> bool:
    """Whether a name is not hidden, nor that of what may be made anew at any time."""
    return not name.startswith(".") and name not in _CACHES and not name.endswith(".egg-info")
