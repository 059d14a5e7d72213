"""Looking for words in every byte below a folder, in the forms in which bytes can have them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path


def forms(word: str) -> set[bytes]:
    """A word as UTF-8 and UTF-16, as JSON escapes it, and as indexes fold it."""
    spelled = {word, word.lower(), word.upper()}
    found = set[bytes]()
    for one in spelled:
        found |= {one.encode(), one.encode("utf-16-le"), one.encode("utf-16-be")}
        found.add(json.dumps(one).strip('"').encode())
    return found


def files_with(words: Iterable[str], home: Path) -> dict[str, list[str]]:
    """The files below `home` that have any of these words, by word."""
    found: dict[str, list[str]] = {}
    wanted = {word: forms(word) for word in words}
    for folder, _, names in os.walk(home):
        for name in names:
            path = os.path.join(folder, name)
            data = Path(path).read_bytes()
            for word, spelled in wanted.items():
                if any(one in data for one in spelled):
                    found.setdefault(word, []).append(os.path.relpath(path, home))
    return found
