"""The embedder of a memory: created on first use, shared by all views of the memory."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from loxodon.errors import ConfigError, LoxodonError
from loxodon.layout import EMBEDDING_LOCK

if TYPE_CHECKING:
    from loxodon.config import EmbedderConfig
    from loxodon.consolidate.embedding import Embedded
    from loxodon.models.embedders import ChosenEmbedder, Questioner
    from loxodon.opening import OpenSpace
    from loxodon.store import Coverage, Progress


class Embedders:
    """The configured embedder for texts and questions, if any."""

    def __init__(self, settings: EmbedderConfig) -> None:
        self._settings = settings
        self._chosen: ChosenEmbedder | None = None
        self._questioner: Questioner | None = None
        self._given = False

    def use(self, chosen: ChosenEmbedder | None) -> None:
        """Use this one instead of the configured one; it is not recreated after a fork."""
        self._chosen, self._given = chosen, chosen is not None

    def after_fork(self) -> None:
        """Drop our models: their threads and sockets do not survive a fork."""
        self._questioner = None
        if not self._given:
            self._chosen = None

    @property
    def are_set(self) -> bool:
        return self._chosen is not None or self._settings.kind != "none"

    def chosen(self) -> ChosenEmbedder | None:
        """The configured embedder, created once."""
        if self._chosen is None:
            from loxodon.models.embedders import chosen

            self._chosen = chosen(self._settings)
        return self._chosen

    def questioner(self) -> Questioner | None:
        """Embeds questions; None if no embedder is set."""
        if self._questioner is None and self.are_set:
            from loxodon.models.embedders import Questioner

            self._questioner = Questioner(self.chosen, self._settings.query_timeout)
        return self._questioner

    def embed(
        self, space: OpenSpace, progress: Progress | None = None, *, again: bool = True
    ) -> Embedded:
        """Embed what of a space is not embedded yet; see `embedding.embed`."""
        from loxodon.consolidate.embedding import Embedded, embed

        count, lock = 0, os.path.join(space.folder, EMBEDDING_LOCK)
        if chosen := self.chosen():
            count = embed(space.store, chosen, lock, space.guard.clean, progress, again=again)
        return Embedded(count, self.coverage(space))

    def embed_quietly(self, space: OpenSpace) -> int:
        """Embed at the end of a consolidation and return how many; `status` reports failures."""
        try:
            return self.embed(space, again=False).embedded if self.are_set else 0
        except ConfigError:
            return 0

    def coverage(self, space: OpenSpace) -> tuple[Coverage, ...]:
        """How many texts of a space the embedder has embedded; if it cannot be used, why."""
        from loxodon.store import Coverage

        try:
            chosen = self.chosen() if self.are_set else None
        except LoxodonError as error:
            return (Coverage("", 0, 0, 0, error.localized()[0]),)
        return (space.store.vectors.coverage(chosen.embedder.name),) if chosen else ()
