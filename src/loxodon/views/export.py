"""An export: every view of a memory, from one moment of its store, into a folder."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from itertools import chain
from typing import Any

from loxodon.errors import LoxodonError, UsageError
from loxodon.guard.guard import Guard
from loxodon.layout import VIEWS
from loxodon.messages import LANGUAGES, current
from loxodon.security.paths import is_closed
from loxodon.store import Filter, Progress
from loxodon.text.language import language_of
from loxodon.views import copies, dump, insights, pages, records
from loxodon.views.folder import Exported, Folder
from loxodon.views.manifest import Planned, View, astray, bad_view
from loxodon.views.workspace import TROUBLE, Workspace

_SAMPLE = 200  # memories by which the language of the pages is told


def export(
    workspace: Workspace,
    folder: str | None = None,
    *,
    masked: bool = False,
    progress: Progress | None = None,
    settled: Mapping[str, str] | None = None,
    anew: Callable[[str], bool] | None = None,
) -> Exported:
    """Write every view where it differs; see `Workspace.export`.

    After something was erased, which bases do not tell, `anew` says by their names which views
    are made whatever they were based on. Masked copies have no dump: they are never read back.
    """
    if masked and folder is None:
        raise UsageError(
            "masked copies need a folder of their own",
            hint="`loxodon export DIR --masked` writes them there",
        )
    path = folder or workspace.path
    root = os.path.join(path, VIEWS)
    store, guard = workspace.store, workspace.memory.guard
    if is_closed(workspace.memory.home, path, root):
        raise bad_view(root, 0, astray())
    with Folder(root, store.space, masked=masked, settled=settled) as held, store.reading():
        if path != workspace.usual:
            copies.note(workspace.folder, path, "export" if folder else "workspace")
        content = pages.Content(workspace.memory, store, workspace.zone, _language(workspace))
        shown = chain(records.views(content), insights.views(content), pages.views(content))
        dumped = dump.views(store, content.bases, content.held) if not masked else ()
        total = max(len(held.known), 1)
        for done, planned in enumerate(chain(dumped, shown), 1):
            planned = _masked(planned, guard) if masked else planned
            held.put(planned, anew=anew is not None and anew(planned.name))
            if progress:
                progress(done, max(done, total))
        return held.finish()


def renew(workspace: Workspace) -> str:
    """Take in edits and write the views; see `Workspace.renew`."""
    from loxodon.views.sync import take_in

    if not workspace.memory.has_views:
        return ""
    counts = workspace.store.counts()
    if not (counts.turns or counts.active or counts.archived):
        return ""
    if workspace.trouble:  # taken back before the views are written, which would have it in them
        _keep_trouble(workspace, "")
    try:
        export(workspace, settled=take_in(workspace).settled)
    except (LoxodonError, OSError) as error:
        with suppress(LoxodonError):  # a disk that is full has no room for this either
            _keep_trouble(workspace, str(error))
        return str(error)
    return ""


def _keep_trouble(workspace: Workspace, text: str) -> None:
    with workspace.store.writing():
        workspace.store.worklog.put_page(TROUBLE, "", text, "{}", workspace.memory.now())


def _language(workspace: Workspace) -> str:
    """The language of headings: the one that is set, else that of most of the memories."""
    chosen = workspace.memory.config.language
    if chosen in LANGUAGES:
        return chosen
    store = workspace.store
    said = [one.content for one in store.find(Filter(state="active"), _SAMPLE)]
    said = said or [turn.content for turn in store.journal(Filter(), _SAMPLE)]
    found = Counter(map(language_of, said)).most_common(1)
    return found[0][0] if found else current()


def _masked(planned: Planned, guard: Guard) -> Planned:
    """A view to show to others: what the policy masks or never keeps is masked; its mark stays."""

    def values(value: Any) -> Any:
        if isinstance(value, list):
            return [values(one) for one in value]
        if isinstance(value, dict):
            return {
                guard.shown(name, private=False): one if name == "loxodon" else values(one)
                for name, one in value.items()
            }
        return guard.shown(value, private=False) if isinstance(value, str) else value

    def make() -> View:
        text, ids = planned.make()
        if planned.name.endswith(".json"):
            found = json.dumps(values(json.loads(text)), ensure_ascii=False, indent=1)
            return View(f"{found}\n", ids)
        if planned.name.endswith(".jsonl"):
            lines = (values(json.loads(line)) for line in text.split("\n") if line)
            text = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in lines)
            return View(text, ids)
        first, end, rest = text.partition("\n")
        return View(first + end + guard.shown(rest, private=False), ids)

    return planned._replace(make=make)
