"""An embedder behind an address: what it is sent, and everything a server can do wrong."""

from __future__ import annotations

import json
from typing import Any

import pytest

from loxodon.config import EmbedderConfig
from loxodon.errors import (
    BadReplyError,
    BusyModelError,
    ConfigError,
    RejectedModelError,
    UnreachableModelError,
)
from loxodon.models.embedders.endpoint import EndpointEmbedder, vectors_in
from tests.each import each
from tests.models.server import KEY, Stage, answers, silent


def config(server: Stage, **values: Any) -> EmbedderConfig:
    address = f"http://127.0.0.1:{server.port}/v1"
    return EmbedderConfig("openai", base_url=address, name="e5", api_key=KEY)._replace(**values)


def gives(*vectors: object, **more: Any) -> Any:
    data = [{"object": "embedding", "index": n, "embedding": v} for n, v in enumerate(vectors)]
    return answers(200, json.dumps({"data": data, **more}).encode())


class Waits(list[float]):
    """What stands in for sleeping."""

    def __call__(self, seconds: float) -> None:
        self.append(seconds)


def test_texts_are_sent_and_vectors_come_back(server: Stage) -> None:
    server.play(gives([1, 2], [3.5, 4]))
    embedder = EndpointEmbedder(config(server))
    assert embedder.embed(["a", "花生"]) == [[1.0, 2.0], [3.5, 4.0]]
    (request,) = server.requests
    assert request.path == "/v1/embeddings"
    assert request.headers["Authorization"] == f"Bearer {KEY}"
    assert request.body == {"model": "e5", "input": ["a", "花生"]}
    assert embedder.name == f"e5 at http://127.0.0.1:{server.port}/v1"


def test_vectors_are_put_in_the_order_of_the_texts(server: Stage) -> None:
    data = [{"index": 1, "embedding": [2]}, {"index": 0, "embedding": [1]}]
    assert vectors_in(json.dumps({"data": data}).encode(), 2) == [[1.0], [2.0]]
    bare = [{"embedding": [1]}, {"embedding": [2]}]
    assert vectors_in(json.dumps({"data": bare}).encode(), 2) == [[1.0], [2.0]]


@each(
    "body",
    [
        b"",
        b"not json",
        b"[]",
        b'{"data": 5}',
        b'{"data": [[1, 2]]}',
        b'{"data": []}',
        b'{"data": [{"embedding": "AAAA"}]}',
        b'{"data": [{"embedding": null}]}',
        b'{"data": [{"embedding": [{}]}]}',
        b'{"data": [{"index": 7, "embedding": [1]}]}',
        b'{"data": [{"embedding": [1]}, {"embedding": [1]}]}',
        b"[" * 100_000,
    ],
)
def test_what_is_not_one_vector_a_text_is_refused(body: bytes) -> None:
    with pytest.raises(BadReplyError, match="not one vector for each text"):
        vectors_in(body, 1)


def test_a_busy_server_is_asked_three_times(server: Stage) -> None:
    waits = Waits()
    server.play(answers(503), answers(429, Retry_After="7"), gives([1, 0]))
    assert EndpointEmbedder(config(server), sleep=waits).embed(["a"]) == [[1.0, 0.0]]
    assert waits == [1.0, 7.0]
    server.play(answers(500))
    with pytest.raises(BusyModelError):
        EndpointEmbedder(config(server), sleep=waits).embed(["a"])
    assert len(server.requests) == 6


def test_one_that_asks_for_a_long_wait_is_left_alone(server: Stage) -> None:
    waits = Waits()
    server.play(answers(429, Retry_After="3600"))
    with pytest.raises(BusyModelError):
        EndpointEmbedder(config(server), sleep=waits).embed(["a"])
    assert waits == []


def test_one_that_is_not_there_is_tried_three_times(server: Stage) -> None:
    waits = Waits()
    gone = config(server, base_url="http://127.0.0.1:9/v1")
    with pytest.raises(UnreachableModelError) as caught:
        EndpointEmbedder(gone, sleep=waits).embed(["a"])
    assert waits == [1.0, 2.0]
    assert "embedder.base_url" in caught.value.hint


def test_one_that_says_nothing_is_given_up(server: Stage) -> None:
    server.play(silent(server))
    with pytest.raises(UnreachableModelError, match=r"0\.1 seconds"):
        EndpointEmbedder(config(server), timeout=0.1, tries=1).embed(["a"])


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (401, RejectedModelError),
        (403, RejectedModelError),
        (404, RejectedModelError),
        (400, BadReplyError),
        (413, BadReplyError),
    ],
)
def test_a_refusal_is_not_repeated_and_tells_no_secret(
    server: Stage, status: int, kind: type[Exception]
) -> None:
    server.play(answers(status, f"your key {KEY} and your text hello".encode()))
    with pytest.raises(kind) as caught:
        EndpointEmbedder(config(server)).embed(["hello"])
    assert len(server.requests) == 1
    said = f"{caught.value} {caught.value.localized('zh')}"  # type: ignore[attr-defined]
    assert KEY not in said
    assert "hello" not in said


@pytest.mark.parametrize("missing", ["base_url", "name"])
def test_it_needs_an_address_and_a_name(server: Stage, missing: str) -> None:
    with pytest.raises(ConfigError, match="both a base URL and a name"):
        EndpointEmbedder(config(server, **{missing: ""}))
