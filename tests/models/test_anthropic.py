"""Anthropic's OpenAI-compatible endpoint, played as its documentation tells of it: a bearer key,
`response_format` ignored, JSON in prose, rate limits with `retry-after`, 529 when overloaded."""

from __future__ import annotations

import json
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from loxodon import Memory
from loxodon.errors import BusyModelError, RejectedModelError
from loxodon.models.chat import ChatModel, ModelQuestion, ModelReply
from tests.clock import Clock
from tests.models.labelled import sat, shown
from tests.models.server import KEY, Scene, Stage, answers

SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
QUESTION = ModelQuestion("count", "en", "Count.", "one, two", SCHEMA, 50)
SAID = "The greenhouse is Olek's now, I handed him the keys for good"
KNOWN = "Olek has the keys to the user's greenhouse"
OVERLOADED = b'{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}'


def failed(status: int, kind: str, message: str = "…", **headers: str) -> Scene:
    """An error, in the shape of OpenAI's, as the endpoint gives it."""
    body = {"error": {"code": None, "message": message, "type": kind, "param": None}}
    return answers(status, json.dumps(body).encode(), **headers)


def claude(server: Stage, reply: Callable[[dict[str, Any]], object]) -> Scene:
    """Answer in prose with a fence, because nothing makes it keep to a schema."""

    def scene(handler: BaseHTTPRequestHandler) -> None:
        request = server.requests[-1]
        assert request.path == "/v1/chat/completions"
        if request.headers["Authorization"] != f"Bearer {KEY}":
            return failed(401, "authentication_error", "invalid x-api-key")(handler)
        text = f"Here is the object:\n\n```json\n{json.dumps(reply(request.body))}\n```"
        message = {"role": "assistant", "content": text}
        body = {
            "id": "msg_01",
            "object": "chat.completion",
            "created": 1770000000,
            "model": request.body["model"],
            "system_fingerprint": "",
            "choices": [
                {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}
            ],
            "usage": {"prompt_tokens": 700, "completion_tokens": 80, "total_tokens": 780},
        }
        return answers(200, json.dumps(body).encode(), request_id="req_01")(handler)

    return scene


def counts(_: dict[str, Any]) -> object:
    return {"n": 2}


def asked(server: Stage, **values: Any) -> tuple[ModelReply[int], list[float]]:
    """Its answer to a question, and how long it was waited for."""
    waits: list[float] = []
    model = ChatModel(server.config(**values), sleep=waits.append)
    return model.ask(QUESTION, lambda value: int(value["n"])), waits


def test_json_in_prose_is_read_and_paid_for(server: Stage) -> None:
    server.play(claude(server, counts))
    assert asked(server) == (ModelReply(2, 700, 80), [])


def test_a_rate_limit_is_waited_for_as_long_as_it_says(server: Stage) -> None:
    limit = failed(429, "rate_limit_error", retry_after="7")
    server.play(limit, answers(529, OVERLOADED), claude(server, counts))
    reply, waits = asked(server)
    assert (reply.value, waits) == (2, [7.0, 2.0])


def test_one_that_stays_overloaded_is_left_for_the_next_run(server: Stage) -> None:
    server.play(answers(529, OVERLOADED))
    with pytest.raises(BusyModelError, match="529"):
        asked(server, retries=2)
    assert len(server.requests) == 3


def test_a_model_that_takes_no_temperature(server: Stage) -> None:
    complaint = failed(400, "invalid_request_error", "`temperature` is deprecated for this model.")
    server.play(complaint, claude(server, counts))
    assert asked(server)[0].value == 2
    assert "temperature" not in server.requests[-1].body


def test_a_wrong_key_is_said(server: Stage) -> None:
    server.play(claude(server, counts))
    with pytest.raises(RejectedModelError, match="key"):
        asked(server, api_key="sk-ant-wrong")


def test_a_conversation_becomes_memories(server: Stage, tmp_path: Path, clock: Clock) -> None:
    item = {"do": "add", "words": SAID, "content": KNOWN, "subject": "Olek"}  # the rest left out

    def reply(body: dict[str, Any]) -> object:
        lines = shown(body)
        if body["response_format"]["json_schema"]["name"] == "trial":
            return sat(lines)
        return {label.split()[0]: [item] for label, text in lines if text == SAID}

    server.play(failed(429, "rate_limit_error", retry_after="0"), claude(server, reply))
    config = {
        "model.base_url": f"http://127.0.0.1:{server.port}/v1/",
        "model.name": "claude",
        "model.api_key": KEY,
        "model.extraction": "full",
        "workspace.views": "off",
    }
    with Memory.open(tmp_path / "home", config=config, clock=clock) as memory:
        memory.add([{"role": "user", "content": SAID}], session="s")
        done = memory.consolidate()
        assert done.problem == ""
        assert KNOWN in [one.content for one in memory.list()]
