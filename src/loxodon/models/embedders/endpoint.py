"""An embedding model behind an address: any server with OpenAI's `/embeddings`."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from time import sleep as pause
from typing import Any

from loxodon.config import EmbedderConfig, checked
from loxodon.errors import (
    BadReplyError,
    BusyModelError,
    ConfigError,
    RejectedModelError,
    UnreachableModelError,
)
from loxodon.models.wire import Answer, post

TRIES = 3
FIRST_WAIT = 1.0
MOST_WAIT = 30.0
"""A server that wants us to wait longer is asked at the next run instead."""
_PATH = "/embeddings"
_MOST_BYTES = 64 << 20
_SECTION = "embedder"


class EndpointEmbedder:
    """A model at an address. `sleep` is handed in so that tests need not wait."""

    def __init__(
        self,
        config: EmbedderConfig,
        timeout: float | None = None,
        tries: int = TRIES,
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
        self._timeout = timeout or config.timeout
        self._tries = tries
        self._sleep = sleep

    @property
    def name(self) -> str:
        # With the address: servers call different models by the same name.
        return f"{self._model} at {self._url}"

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        for left in range(self._tries - 1, -1, -1):
            try:
                answer = post(
                    self._url,
                    self._key,
                    {"model": self._model, "input": list(texts)},
                    self._timeout,
                    _PATH,
                    _MOST_BYTES,
                    _SECTION,
                )
                _check_status(answer)
                return vectors_in(answer.body, len(texts))
            except (UnreachableModelError, BusyModelError) as error:
                if not left or not self._waited(error, self._tries - 1 - left):
                    raise
        raise AssertionError  # not reached: the last try returns or raises

    def _waited(self, error: UnreachableModelError | BusyModelError, attempt: int) -> bool:
        """Whether it is worth asking again; if so, the time to wait has passed."""
        asked = error.values.get("wait")
        seconds = asked if isinstance(asked, float) else FIRST_WAIT * 2**attempt
        if seconds > MOST_WAIT:
            return False
        self._sleep(seconds)
        return True


def vectors_in(body: bytes, count: int) -> list[list[float]]:
    """The vectors of an answer, in the order of the texts."""
    try:
        data: Any = json.loads(body)["data"]
        placed = {int(one.get("index", n)): one["embedding"] for n, one in enumerate(data)}
        found = [[float(number) for number in placed[n]] for n in range(count)]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError):
        found = []
    if len(found) != count or len(data) != count:
        raise BadReplyError(
            "the embedder's answer is not one vector for each text",
            hint="check that embedder.base_url and embedder.name belong to an embedding model",
        )
    return found


def _check_status(answer: Answer) -> None:
    """Raise what the status of an answer means. The server's own words may repeat ours: unsaid."""
    status = answer.status
    if status == 200:
        return
    if status in (408, 409, 425, 429) or status >= 500:
        raise BusyModelError(
            "the embedder is busy or has failed (HTTP {status})",
            hint="the remaining texts are embedded in the next run",
            status=status,
            wait=answer.retry_after,
        )
    if status in (400, 413, 422):  # it may be these texts only
        raise BadReplyError(
            "the embedder rejected these texts (HTTP {status})",
            hint="check embedder.name, and the maximum input length of the model",
            status=status,
        )
    if status in (401, 403):
        raise RejectedModelError(
            "the embedder rejected the API key (HTTP {status})",
            hint="check embedder.api_key or LOXODON_EMBEDDER_API_KEY",
            status=status,
        )
    raise RejectedModelError(
        "the embedder's server rejected the request (HTTP {status})",
        hint="check embedder.base_url (it often ends in /v1) and embedder.name",
        status=status,
    )
