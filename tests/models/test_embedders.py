"""Texts and questions as vectors: what is asked of an embedder, and what happens where it fails."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler
from importlib.util import find_spec
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from loxodon import Memory
from loxodon.errors import ConfigError, UnreachableModelError
from loxodon.types import Recall
from tests.clock import Clock
from tests.each import each
from tests.forked import COLD
from tests.models.server import KEY, Scene, Stage, answers, silent
from tests.models.toys import Toy, raising, vector_of

CAT = "My tomcat sleeps all day"


def filled(home: Path, toy: Toy | None = None, **settings: Any) -> Memory:
    """A memory with a few texts, one of which is about a cat."""
    config = {f"embedder.{name}": value for name, value in settings.items()}
    memory = Memory.open(home, config=config, clock=Clock(), embedder=toy)
    memory.add([{"role": "user", "content": text} for text in (CAT, "我住在杭州", "I sell tea")])
    return memory


def by_meaning(found: Recall) -> int:
    assert found.trace
    return found.trace.routes.get("meaning", 0)


def trouble(found: Recall) -> str:
    assert found.trace
    return " ".join(found.trace.trouble)


def ask(memory: Memory, question: str = "who is a tomcat's friend?") -> Recall:
    return memory.recall(question)


# -- questions -----------------------------------------------------------------------------------


def test_question_finds_texts_by_their_vectors(tmp_path: Path) -> None:
    toy = Toy()
    with filled(tmp_path, toy) as memory:
        assert memory.embed().embedded == 3
        toy.batches.clear()
        assert ask(memory).items[0].content == CAT
        assert by_meaning(ask(memory)) > 0
        assert len(toy.batches) == 1  # the same question is embedded once
        ask(memory, "问" * 100_000)
        assert len(toy.texts[-1]) <= 2_000  # a long one is cut
        ask(memory, " \n")
        assert len(toy.batches) == 2


@each(
    "bad",
    [
        [[float("nan")] * 64],
        [[0.0] * 64],
        [[float("inf")] * 64],
        [],
        [[1.0], [2.0]],
        None,
        "text",
        [[]],
        [["a"]],
        5,
    ],
)
def test_what_is_no_vector_is_a_problem_and_not_an_error(tmp_path: Path, bad: object) -> None:
    toy = Toy()
    with filled(tmp_path / f"{bad}"[:40].replace("/", ""), toy) as memory:
        memory.embed()
        toy.instead = lambda texts: bad
        found = ask(memory)
        assert found.items[0].content == CAT
        assert trouble(found)


def test_embedder_that_failed_is_left_alone_for_a_while(tmp_path: Path) -> None:
    toy = Toy()
    with filled(tmp_path, toy) as memory:
        memory.embed()
        toy.instead = raising(UnreachableModelError("it is down"))
        toy.batches.clear()
        for question in ("who is a tomcat?", "what of the tomcat?"):
            found = ask(memory, question)
            assert "it is down" in trouble(found)
        assert len(toy.batches) == 1


def test_embedder_that_is_slow_is_not_waited_for(tmp_path: Path) -> None:
    over, toy = Event(), Toy()

    def slow(texts: Sequence[str]) -> object:
        over.wait(60)
        return [vector_of(text) for text in texts]

    with filled(tmp_path, toy, query_timeout=0.05) as memory:
        memory.embed()
        assert by_meaning(ask(memory, "tomcat first")) > 0  # loading may take longer than that
        toy.instead = slow
        found = ask(memory, "tomcat second")
        assert found.items
        assert "0.05" in trouble(found)
        over.set()


# -- an endpoint ---------------------------------------------------------------------------------


def at(server: Stage, **more: Any) -> dict[str, Any]:
    address = f"http://127.0.0.1:{server.port}/v1"
    return {"kind": "openai", "base_url": address, "name": "e5", "api_key": KEY, **more}


def vectors(server: Stage, order: int = 1) -> Scene:
    def scene(handler: BaseHTTPRequestHandler) -> None:
        texts = server.requests[-1].body["input"]
        data = [{"index": n, "embedding": vector_of(text)} for n, text in enumerate(texts)]
        answers(200, json.dumps({"data": data[::order]}).encode())(handler)

    return scene


def test_texts_are_sent_and_vectors_come_back(server: Stage, tmp_path: Path) -> None:
    server.play(vectors(server, -1))  # the order is told by their numbers
    with filled(tmp_path, **at(server)) as memory:
        done = memory.embed()
        assert done.embedded == 3
        assert done.models[0].model == f"e5 at http://127.0.0.1:{server.port}/v1"
        request = server.requests[0]
        assert request.path == "/v1/embeddings"
        assert request.headers["Authorization"] == f"Bearer {KEY}"
        assert request.body["model"] == "e5"
        assert CAT in request.body["input"]
        assert ask(memory).items[0].content == CAT
        assert by_meaning(ask(memory)) > 0


def busy(status: int) -> Scene:
    return answers(status, Retry_After="0")


def failed(memory: Memory) -> str:
    """Why a run could not embed anything."""
    done = memory.embed()
    assert done.embedded == 0
    error = done.models[0].error
    assert KEY not in error
    return error


def test_busy_server_is_asked_three_times(server: Stage, tmp_path: Path) -> None:
    with filled(tmp_path, **at(server)) as memory:
        server.play(busy(503), busy(429), vectors(server))
        assert memory.embed().embedded == 3
        memory.add([{"role": "user", "content": "more tea"}])
        for scene, times in ((busy(500), 3), (answers(429, Retry_After="3600"), 1)):
            server.play(scene)
            server.requests.clear()
            assert "busy or has failed" in failed(memory)
            assert len(server.requests) == times


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413])
def test_refusal_is_not_repeated_and_tells_no_secret(
    server: Stage, tmp_path: Path, status: int
) -> None:
    server.play(answers(status, f"your key {KEY} and your text {CAT}".encode()))
    with filled(tmp_path, **at(server)) as memory:
        said = failed(memory)
    assert str(status) in said
    assert CAT not in said


@each(
    "body",
    [
        b"",
        b"not json",
        b"[]",
        b'{"data": 5}',
        b'{"data": [[1, 2]]}',
        b'{"data": [{"embedding": "AAAA"}]}',
        b'{"data": [{"embedding": [{}]}]}',
        b'{"data": [{"index": 7, "embedding": [1]}]}',
        b"[" * 100_000,
    ],
)
def test_answer_that_is_not_one_vector_a_text_is_refused(
    server: Stage, tmp_path: Path, body: bytes
) -> None:
    server.play(answers(200, body))
    home = tmp_path / f"h{abs(hash(body))}"
    with filled(home, **at(server)) as memory:
        assert "not one vector for each text" in failed(memory)


def test_endpoint_that_says_nothing_is_no_hindrance(server: Stage, tmp_path: Path) -> None:
    server.play(vectors(server))
    with filled(tmp_path, **at(server, query_timeout=0.1)) as memory:
        memory.embed()
        ask(memory, "what about the cat?")  # the first question has longer: a model is loaded
        server.play(silent(server))
        found = ask(memory, "what about the tomcat?")
        assert found.items[0].content == CAT
        assert trouble(found)


# -- models on this machine ----------------------------------------------------------------------


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"kind": "fastembed"}, "needs a name"),
        ({"kind": "openai"}, "both a base URL and a name"),
    ]
    for number, (settings, told) in enumerate(wrong):
        if settings["kind"] != "openai" and not find_spec("fastembed"):
            told = "needs fastembed, which is not installed"
        home = tmp_path / f"home{number}"
        with filled(home, **settings) as memory, pytest.raises(ConfigError, match=told):
            memory.embed()


def test_own_encoder_finds_what_means_the_same(tmp_path: Path) -> None:
    with Memory.open(tmp_path, clock=Clock()) as memory:
        texts = ("我对花生过敏", "The stock market fell on Monday", "🦜")
        memory.add([{"role": "user", "content": text} for text in texts])
        assert memory.embed().embedded == 3
        assert memory.recall("Which nuts must I not eat?").items[0].content == texts[0]


_RUN = """
import os, sys
from loxodon import Memory
with Memory.open(sys.argv[1], config={"embedder.kind": sys.argv[2]}) as memory:
    memory.add([{"role": "user", "content": "I like my cat"}])
    memory.recall("cat"); memory.status(); memory.embed()
assert ("numpy" in sys.modules) == (sys.argv[2] != "none")
"""


def test_nothing_heavy_is_loaded_without_and_nothing_is_left_with_a_model(tmp_path: Path) -> None:
    user = tmp_path / "user"
    user.mkdir()
    environment = {**os.environ, "HOME": str(user), "TMPDIR": str(user)}
    for name, model in (("a", "none"), ("b", "auto")):
        command = [*COLD, "-c", _RUN, str(tmp_path / name), model]
        subprocess.run(command, env=environment, check=True)
        assert list(user.iterdir()) == []
