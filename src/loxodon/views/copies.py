"""Where a memory was ever written as text, so that nothing of it is overlooked later.

The setting `workspace.path` may change, and an export may go anywhere. Each place is noted in the
file SPACE/copies, one JSON object a line, before anything is written there; forgetting and
encrypting look at all of them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Literal

from loxodon import files
from loxodon.config import Config
from loxodon.errors import LoxodonError
from loxodon.layout import COPIES, VIEWS, WORKSPACE
from loxodon.security.paths import is_inside
from loxodon.spaces import space_path
from loxodon.store import Progress
from loxodon.types import FileProblem
from loxodon.views import manifest
from loxodon.views.workspace import Workspace
from loxodon.views.workspace import workspace_of as workspace_of

# A folder that the views were kept in, or one that they were exported to
Kind = Literal["workspace", "export"]


def known(folder: str) -> dict[str, Kind]:
    """The places of the space in `folder`, each as it was last used."""
    found: dict[str, Kind] = {}
    path = os.path.join(folder, COPIES)
    for line in files.read(path).split(b"\n") if files.exists(path) else ():
        with suppress(ValueError, TypeError, KeyError):  # a line that a kill cut short
            row = json.loads(line)
            found[row["path"]] = row["kind"]
    return found


def note(folder: str, path: str, kind: Kind) -> None:
    """Note a place, on disk, where it is not known as that."""
    if known(folder).get(path) == kind:
        return
    row = json.dumps({"path": path, "kind": kind}, ensure_ascii=False)
    # Begun on a line of its own: the last run may have been killed within one.
    files.append(os.path.join(folder, COPIES), f"\n{row}\n".encode("utf-8", "surrogateescape"))


def folders(folder: str, current: str, usual: str) -> dict[str, Kind]:
    """Every folder of views that a space may have, the one in use first."""
    own: dict[str, Kind] = {current: "workspace", usual: "workspace"}
    return own | known(folder) | own


def text_left(
    home: str, folder: str, space: str, config: Config, *, remove: bool = False
) -> Iterator[FileProblem]:
    """Where text of a space stays: views that a person has changed, places that cannot be reached,
    backups. With `remove`, the views go that are as Loxodon wrote them."""
    on_disk = os.path.abspath(space_path(home, space))  # not where the state is in a database
    usual, workspace = os.path.join(on_disk, WORKSPACE), workspace_of(on_disk, config)
    for path in folders(folder, workspace, usual):
        root = os.path.join(path, VIEWS)
        if os.path.isdir(path):
            if remove:
                removed(root, space)
            yield from (FileProblem(view, 0, "changed") for view in changed(root, space))
        elif path not in (workspace, usual):
            yield FileProblem(path, 0, "away")
    from loxodon.backup.create import found  # not for a command that only counts

    yield from (FileProblem(one.path, 0, "backup") for one in found(home, space, config, None))


# After something was erased


def renewed(
    workspace: Workspace,
    settled: Mapping[str, str],
    *,
    dry: bool = False,
    progress: Progress | None = None,
) -> int:
    """Write the views without what was erased, everywhere; how many went that are out of use."""
    from loxodon.views.export import export

    gone = 0
    for path, kind in folders(workspace.folder, workspace.path, workspace.usual).items():
        root = os.path.join(path, VIEWS)
        found = _of_space(root, workspace.store.space)
        if found is None:
            continue
        in_use = path == workspace.path
        if found.masked or (not in_use and kind == "workspace"):
            gone += len(found.files)
            if not dry:
                removed(root, found.space)
        elif not dry:
            folder, since = (None, settled) if in_use else (path, {})
            try:
                export(workspace, folder, settled=since, anew=True, progress=progress)
            except (LoxodonError, OSError):  # `status` tells of it; what was erased goes anyway
                removed(root, found.space)
    return gone


def removed(root: str, space: str) -> None:
    """Take away the views of a space at `root` that are as Loxodon wrote them."""
    if found := _of_space(root, space):
        for name in found.files:
            path = os.path.join(root, *name.split("/"))
            if manifest.change_of(root, name, found) == "same" and is_inside(path, root):
                os.unlink(path)
        for name in (manifest.MANIFEST, manifest.LOCK, manifest.DRAFT):
            with suppress(FileNotFoundError):
                os.unlink(os.path.join(root, *name.split("/")))
    for place, _, _ in os.walk(root, topdown=False):
        with suppress(OSError):  # one that has something of somebody's in it
            os.rmdir(place)


def changed(root: str, space: str) -> list[str]:
    """The files below `root` that say they are views of a space, but are not as we wrote them."""
    known = _of_space(root, space)
    found = []
    for place, _, names in os.walk(root):
        for path in (os.path.join(place, name) for name in sorted(names)):
            view = os.path.relpath(path, root).replace(os.sep, "/")
            if known and view in {*known.files, manifest.MANIFEST}:
                own = view == manifest.MANIFEST or manifest.change_of(root, view, known) == "same"
            else:  # of a view that does not say of which space it is, it may be this one
                start = manifest.head(path)
                marker = manifest.marker_of(start)
                own = not manifest.is_view(start) or bool(marker and marker.space != space)
            found += [] if own else [path]
    return found


def _of_space(root: str, space: str) -> manifest.Manifest | None:
    """The manifest at `root`; None where nobody can say which views of the space are there."""
    with suppress(LoxodonError):
        found = manifest.load(root)
        return found if found and found.space == space else None
    return None
