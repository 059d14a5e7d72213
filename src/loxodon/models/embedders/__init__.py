"""Embedders: texts to vectors, so that what means the same is found in other words.

An `Embedder` has one method and a name. `chosen` makes those that the settings ask for: one for
every text, and beside it, where set, one for English. `questions.Questioner` embeds what is asked,
`write/embedding.py` what is kept. Nothing here is imported unless an embedder is set, and the
libraries that a model needs only when it is used.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from loxodon.config import EmbedderConfig
from loxodon.errors import ConfigError, install_hint

if TYPE_CHECKING:
    from numpy.typing import NDArray

AT_ONCE = 4
"""Requests that an endpoint is sent at a time."""


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
    language: str = ""
    """Texts of this language only; empty for all."""
    at_once: int = 1
    """Batches that it may be given at a time."""
    asker: Embedder | None = None
    """The same model for questions, where that differs: no second try while somebody waits."""


def chosen(config: EmbedderConfig) -> list[ChosenEmbedder]:
    """The embedders that the settings ask for, the one for every text first; none for `none`.

    Raises ConfigError where something that they need is missing.
    """
    if config.kind == "none":
        return []
    need("numpy", "semantic")
    found = [_MAKERS[config.kind](config)]
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


def _use(config: EmbedderConfig) -> ChosenEmbedder:
    from loxodon.models.embedders.use import UseEmbedder

    return ChosenEmbedder(UseEmbedder())


def _folder(config: EmbedderConfig) -> ChosenEmbedder:
    if not config.path:
        raise ConfigError(
            "embedder.kind is onnx, but embedder.path is empty",
            hint="set embedder.path to a folder with model.onnx and tokenizer.json",
        )
    return ChosenEmbedder(_onnx(config.path))


def _onnx(path: str) -> Embedder:
    from loxodon.models.embedders.onnx import OnnxEmbedder

    return OnnxEmbedder(path)


def _openai(config: EmbedderConfig) -> ChosenEmbedder:
    from loxodon.models.embedders.endpoint import EndpointEmbedder

    asker = EndpointEmbedder(config, timeout=config.query_timeout, tries=1)
    return ChosenEmbedder(EndpointEmbedder(config), "", AT_ONCE, asker)


_MAKERS: dict[str, Callable[[EmbedderConfig], ChosenEmbedder]] = {
    "use": _use,
    "onnx": _folder,
    "openai": _openai,
}
