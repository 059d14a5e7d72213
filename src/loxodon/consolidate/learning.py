"""Consolidation, and the optional model for it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from loxodon.consolidate.consolidation import Consolidation

if TYPE_CHECKING:
    from loxodon.consolidate.consolidation import HandedOut
    from loxodon.consolidate.residue import Residue
    from loxodon.models.chat import ChatModel
    from loxodon.opening import OpenSpace
    from loxodon.types import Record


def consolidation(space: OpenSpace, embed: Callable[[], int]) -> Consolidation:
    """The consolidation of a space; it calls `embed` at its end."""
    return Consolidation(
        space.store,
        space.folder,
        space.config,
        space.zone,
        space.count,
        lambda: residue(space),
        embed,
        (lambda record, at: _was_forgotten(space, record, at)) if space.has_forgotten else None,
    )


def _was_forgotten(space: OpenSpace, record: Record, at: datetime) -> bool:
    """Whether a memory restates something that was forgotten after it was said, for example in a
    transcript that is read only now."""
    from loxodon.clock import to_stored

    marks = space.forgotten()
    return marks is not None and marks.cut(record.content, to_stored(at)[0]) != record.content


def residue(space: OpenSpace) -> Residue:
    """What decides the cases that the rules could not: a model, if one is set."""
    model = space.config.model
    if model.mode == "rules":
        from loxodon.consolidate.residue import Residue

        return Residue(thorough=model.thorough)
    from loxodon.consolidate.model_reading import ModelResidue

    return ModelResidue(space.store, model, space.now(), space.guard.clean)


def chat_model(space: OpenSpace) -> ChatModel:
    """The configured model, within its daily token limit; ConfigError if none is set."""
    from loxodon.consolidate.model_reading import StoreBook
    from loxodon.models.chat import ChatModel, Ledger

    model, day = space.config.model, f"{space.now():%Y-%m-%d}"
    ledger = Ledger(StoreBook(space.store), day, model.cap)
    return ChatModel(model, ledger, clean=space.guard.clean)


def handed_out(space: OpenSpace, found: HandedOut) -> HandedOut:
    """A question for an agent, without text that must not leave the memory."""
    if not found.ticket:
        return found
    from loxodon.models.prompts import cleaned

    return found._replace(data=cleaned(found.data, space.guard.clean))


def flush_due(space: OpenSpace, began: datetime | None = None) -> str:
    """Why a flush is due; empty if it is not."""
    from loxodon.consolidate.buffer import BUFFER_TOKENS, buffered, flush_due

    with space.store.reading():
        waiting = buffered(space.store, space.count, BUFFER_TOKENS)
    return flush_due(waiting, space.now(), space.config.buffer.quiet, BUFFER_TOKENS, began)
