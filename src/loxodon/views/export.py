"""An export: every view of a memory, from one moment of its store, into a folder."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from itertools import chain

from loxodon.errors import LoxodonError, UsageError
from loxodon.guard.guard import Guard
from loxodon.layout import VIEWS
from loxodon.messages import LANGUAGES, current
from loxodon.security.paths import is_closed
from loxodon.store import Filter, Progress
from loxodon.store.store import Store
from loxodon.text.language import language_of
from loxodon.types import Exported
from loxodon.views import (
    Planned,
    View,
    bad_view,
    copies,
    days,
    entities,
    indexes,
    insights,
    pages,
    projects,
    records,
    segments,
    state,
    tags,
)
from loxodon.views.folder import Folder
from loxodon.views.held import held_back
from loxodon.views.manifest import astray
from loxodon.views.mask import masked_view
from loxodon.views.workspace import TROUBLE, Workspace

_SAMPLE = 200
"""Memories by which the language of the views is told."""


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
    are made whatever they were based on; the others stay as they are.
    """
    if masked and folder is None:
        raise UsageError(
            "masked copies need a folder of their own",
            hint="`loxodon export DIR --masked` writes them there",
        )
    path = folder or workspace.path
    root = os.path.join(path, VIEWS)
    if is_closed(workspace.memory.home, path, root):
        raise bad_view(root, 0, astray())
    with (
        Folder(root, workspace.store.space, masked=masked, settled=settled) as held,
        workspace.store.reading(),
    ):
        if path != workspace.usual:
            copies.note(workspace.folder, path, "export" if folder else "workspace")
        total = max(len(held.known), 1)
        for done, planned in enumerate(_planned(workspace, held.known), 1):
            if not (anew and not anew(planned.name) and held.keep(planned.name)):
                planned = _masked(planned, workspace.memory.guard) if masked else planned
                held.put(planned, anew=anew is not None)
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


def _planned(workspace: Workspace, known: Mapping[str, str]) -> Iterator[Planned]:
    """Every view in order: first what a store can be made of, or a person edits."""
    store, zone = workspace.store, workspace.zone
    bases, space = store.primary.bases(), store.space
    language = _language(workspace)
    held = held_back(store).memories
    facts = cache(lambda: [one for one in store.find(Filter(kind="fact")) if one.id not in held])
    number = store.counts().kinds["fact"]
    return chain(
        records.views(store, zone, bases, workspace.rendered),
        insights.views(space, bases, language, known, number, facts),
        projects.views(space, bases, language, facts),
        days.views(store, zone, bases),
        segments.views(store, bases, known),
        entities.views(store, zone, bases),
        state.views(store, zone, bases),
        tags.views(space, bases, facts, lambda: segments.tagged(store)),
        indexes.views(store, zone, bases),
        pages.views(workspace.memory, store, bases, language),
    )


def _masked(planned: Planned, guard: Guard) -> Planned:
    def make() -> View:
        return masked_view(planned.make(), guard)

    return planned._replace(make=make)


def _language(workspace: Workspace) -> str:
    """The language of headings: the one that is set, else that of most of the memories."""
    chosen = workspace.memory.config.language
    if chosen in LANGUAGES:
        return chosen
    store: Store = workspace.store
    said = [one.content for one in store.find(Filter(state="active"), _SAMPLE)]
    said = said or [turn.content for turn in store.journal(Filter(), _SAMPLE)]
    found = Counter(map(language_of, said)).most_common(1)
    return found[0][0] if found else current()
