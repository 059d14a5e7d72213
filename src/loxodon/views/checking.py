"""Views that were damaged where they lie: part of `loxodon validate`.

A person who edits a file changes its time; a disk that loses a bit does not. So a file that has its
size and its time and not its hash was changed by nobody.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from loxodon.errors import InputError
from loxodon.layout import VIEWS
from loxodon.messages import t
from loxodon.types import Problem
from loxodon.views.manifest import MANIFEST, hash_of, load


def damaged_views(workspace: str) -> Iterator[Problem]:
    """The views of a workspace that are not as they were written, and that nobody edited."""
    root = os.path.join(workspace, VIEWS)
    try:
        manifest = load(root)
    except InputError as error:
        yield Problem(os.path.join(root, MANIFEST), *error.localized(), derived=True)
        return
    for name, written in manifest.files.items() if manifest else ():
        path = os.path.join(root, *name.split("/"))
        try:
            about = os.lstat(path)
        except OSError:  # taken away, which is for `sync` to tell
            continue
        if (about.st_size, about.st_mtime_ns) != (written.size, written.mtime):
            continue
        if hash_of(path) not in (written.sha256, written.was):
            hint = t("delete it; `loxodon export` writes it again")
            yield Problem(path, t("it differs from what was written"), hint, derived=True)
