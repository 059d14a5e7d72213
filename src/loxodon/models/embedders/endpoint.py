"""An embedding model behind an address: any server with OpenAI's `/embeddings`."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from time import sleep as pause
from typing import Any

from loxodon.config import EmbedderConfig, checked
from loxodon.errors import BadReplyError, BusyModelError, ConfigError, UnreachableModelError
from loxodon.models.wire import check_status, post, retry_wait

_TRIES = 3
_TIMEOUT = 60.0  # seconds for a batch
_MOST_BYTES = 64 << 20  # of an answer


class EndpointEmbedder:
    """A model at an address. `sleep` is handed in so that tests need not wait."""

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
