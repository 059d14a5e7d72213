"""Embedders: texts to vectors, so that what means the same is found in other words.

`chosen` makes the one that the settings ask for. `Questioner` embeds what is asked, quickly or not
at all, because somebody waits; `consolidate/embedding.py` what is kept. The libraries that a model
needs are imported when it is used.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from importlib.util import find_spec
from time import monotonic
from typing import TYPE_CHECKING, Any, Protocol

from loxodon.config import EmbedderConfig
from loxodon.errors import INSTALL, BadReplyError, ConfigError, LoxodonError, UnreachableModelError
from loxodon.language.worth import encoder
from loxodon.models.wire import Endpoint, patiently, within

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from loxodon.store.vector_math import Floats

_TIMEOUT = 60.0  # seconds for a batch
_MOST_BYTES = 64 << 20  # of an endpoint's answer
_MOST_CHARACTERS = 2_000
_LOAD_SECONDS = 30.0  # what a model may take for its first question: it is loaded then
_PAUSE_SECONDS = 30.0  # how long an embedder that failed is left alone
_REMEMBERED = 256  # questions


class Embedder(Protocol):
    """What turns texts into vectors, which are compared only where its name is the same."""

    @property
    def name(self) -> str: ...

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]] | NDArray[Any]:
        """One vector for each text, in order, all of one size. Raises where it cannot."""


def chosen(config: EmbedderConfig) -> Embedder | None:
    """The embedder that the settings ask for; ConfigError where something it needs is missing."""
    if config.kind in ("none", "auto"):
        return encoder() if config.kind == "auto" else None
    if config.kind == "openai":
        return EndpointEmbedder(config)
    if find_spec("fastembed") is None:
        raise ConfigError(
            "the embedder needs {module}, which is not installed",
            hint=INSTALL,
            module="fastembed",
            extra="fastembed",
        )
    return FastEmbedder(config.name)


class FastEmbedder:
    """A model of the package fastembed, by its name."""

    def __init__(self, name: str) -> None:
        if not name:
            hint = "set embedder.name to a model of fastembed, such as BAAI/bge-small-zh-v1.5"
            raise ConfigError("the embedder needs a name", hint=hint)
        self.name, self._model_name = f"fastembed {name}", name

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        return list(self._model.embed(list(texts)))

    @cached_property
    def _model(self) -> Any:
        # The runtime sends events to its makers unless it is told not to before it is loaded.
        os.environ["ORT_DISABLE_TELEMETRY"] = "1"
        from fastembed import TextEmbedding

        # Its own default is the folder for temporary files, which a restart empties.
        cache = os.environ.get("FASTEMBED_CACHE_PATH") or os.path.expanduser("~/.cache/fastembed")
        try:
            return TextEmbedding(self._model_name, cache, threads=1)
        except Exception as error:  # the libraries raise what they like, some of it plain Exception
            raise ConfigError(
                "cannot load the model {name}: {reason}",
                hint="check embedder.name, and that the download is complete",
                name=self._model_name,
                reason=str(error)[:200],
            ) from None


class EndpointEmbedder:
    """A model behind an address: any server with OpenAI's `/embeddings`."""

    at_once, retries = 4, 2  # batches that it is sent at a time; of one, where it is busy

    def __init__(self, config: EmbedderConfig) -> None:
        if not config.base_url or not config.name:
            raise ConfigError(
                "the embedder needs both a base URL and a name",
                hint="set embedder.base_url and embedder.name (LOXODON_EMBEDDER_BASE_URL, "
                "LOXODON_EMBEDDER_MODEL); a local server takes any name",
            )
        self._endpoint = Endpoint("embedder", config, "/embeddings", _TIMEOUT, _MOST_BYTES)
        # With the address: servers call different models by the same name.
        self.name = f"{config.name} at {config.base_url}"

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        body = {"model": self._endpoint.config.name, "input": list(texts)}
        status, answer = self._endpoint.post(body)
        if status in (400, 413, 422):  # it may be these texts only
            raise BadReplyError(
                "the embedder rejected these texts (HTTP {status})",
                hint="check embedder.name, and the maximum input length of the model",
                status=status,
            )
        if status != 200:
            raise self._endpoint.rejected(status)
        try:
            data: Any = json.loads(answer)["data"]
            placed = {int(one.get("index", n)): one["embedding"] for n, one in enumerate(data)}
            return [placed[n] for n in range(len(texts))]
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            raise BadReplyError(
                "the embedder's answer is not one vector for each text",
                hint="check that embedder.base_url and embedder.name belong to an embedding model",
            ) from None


def vectors(
    embedder: Embedder, texts: Sequence[str], seconds: float, retries: int = 0
) -> tuple[Floats, list[bool]]:
    """A unit vector for each text, and which of them are good, at least one. An embedder may be
    anybody's code: whatever it does within `seconds`, or does not, ends in one of our errors."""
    from loxodon.store.vector_math import unit, usable

    try:
        found = within(seconds, lambda: patiently(lambda: embedder.embed(texts), retries))
    except TimeoutError:
        raise UnreachableModelError(
            "the embedder did not answer within {seconds} seconds", seconds=f"{seconds:g}"
        ) from None
    except LoxodonError:
        raise
    except Exception as error:  # it raises what it likes
        raise BadReplyError("the embedder failed: {reason}", reason=repr(error)[:200]) from None
    each = usable(found, len(texts))
    if each is None or not any((made := unit(each))[1]):
        raise BadReplyError("the embedder gave no usable vector")
    return made


class Questioner:
    """Embeds questions, and never waits twice for an embedder that fails."""

    def __init__(self, choose: Callable[[], Embedder | None], seconds: float) -> None:
        self._choose, self._seconds = choose, seconds
        self._error: LoxodonError | None = None  # why it could not be asked last
        self._failed_at = 0.0
        self._vector: Any = lru_cache(_REMEMBERED)(self._embed)

    def ask(self, text: str) -> tuple[str, Any] | None:
        """The configured model's name, and `text` as it sees it; a LoxodonError where it cannot."""
        text = text.strip()[:_MOST_CHARACTERS]
        embedder = self._choose() if text else None
        return (embedder.name, self._vector(embedder, text)) if embedder else None

    def _embed(self, embedder: Embedder, text: str) -> Any:
        if self._error and monotonic() - self._failed_at < _PAUSE_SECONDS:
            raise self._error
        # A model is loaded for its first question.
        loaded = self._vector.cache_info().currsize
        seconds = self._seconds if loaded else max(_LOAD_SECONDS, self._seconds)
        try:
            found, _ = vectors(embedder, [text], seconds)
        except LoxodonError as error:
            self._error, self._failed_at = error, monotonic()
            raise
        return found[0]
