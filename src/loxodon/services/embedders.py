"""The embedders of a memory: made when they are first needed, shared by all who look through it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from loxodon.errors import ConfigError
from loxodon.layout import EMBEDDING_LOCK

if TYPE_CHECKING:
    from loxodon.config import EmbedderConfig
    from loxodon.models.embedders import ChosenEmbedder
    from loxodon.models.embedders.questions import Questioner
    from loxodon.services.space import OpenSpace
    from loxodon.types import Coverage
    from loxodon.write.embedding import Embedding


class Embedders:
    """What turns texts and questions into vectors, if anything is set that does."""

    def __init__(self, settings: EmbedderConfig) -> None:
        self._settings = settings
        self._chosen: Sequence[ChosenEmbedder] | None = None
        self._questioner: Questioner | None = None
        self._given = False

    def use(self, chosen: Sequence[ChosenEmbedder]) -> None:
        """Take these in the place of those that the settings name; they are not ours to make."""
        self._chosen, self._given = chosen or None, bool(chosen)

    def after_fork(self) -> None:
        """Models have threads and sockets, which a fork does not take along."""
        self._questioner = None
        if not self._given:
            self._chosen = None

    @property
    def are_set(self) -> bool:
        return self._chosen is not None or self._settings.kind != "none"

    def chosen(self) -> Sequence[ChosenEmbedder]:
        """Those that are set, made once."""
        if self._chosen is None:
            from loxodon.models.embedders import chosen

            self._chosen = chosen(self._settings)
        return self._chosen

    def questioner(self) -> Questioner | None:
        """What embeds questions; None where no embedder is set."""
        if self._questioner is None and self.are_set:
            from loxodon.models.embedders.questions import Questioner

            self._questioner = Questioner(self.chosen, self._settings.query_timeout)
        return self._questioner

    def embedding(self, space: OpenSpace) -> Embedding:
        """What gives the texts of a space their vectors."""
        from loxodon.write.embedding import Embedding

        lock = os.path.join(space.folder, EMBEDDING_LOCK)
        return Embedding(space.store, self.chosen, lock, space.guard.sent)

    def embed_quietly(self, space: OpenSpace) -> int:
        """What a consolidation has embedded; what goes wrong is told by `status`."""
        if not self.are_set:
            return 0
        try:
            return self.embedding(space).run(again=False).embedded
        except ConfigError:
            return 0

    def coverage(self, space: OpenSpace) -> tuple[Coverage, ...]:
        """How far each has come in a space."""
        return self.embedding(space).coverage() if self.are_set else ()
