"""Asking: what is tried again, what is told to the model, what it costs, and what is given up."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from loxodon.config import ModelConfig
from loxodon.errors import (
    BadReplyError,
    BusyModelError,
    ConfigError,
    ModelError,
    RejectedModelError,
    SpentModelError,
    UnreachableModelError,
)
from loxodon.models.chat import MOST_WAIT, ChatModel, ModelQuestion, ModelReply, cost
from loxodon.models.ledger import Ledger
from loxodon.models.replies import UnfitError
from tests.each import each
from tests.models.server import KEY, Stage, answers, completion, says, silent
from tests.models.test_ledger import Pages

SECRET = "我对花生过敏 and nobody may read it in a log"
SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
QUESTION = ModelQuestion("count", "en", "Count.", SECRET, SCHEMA, 50)


class Asker:
    """A model of the server's, the waits it made and the book it wrote."""

    def __init__(self, server: Stage, cap: int = 0, **values: Any) -> None:
        self.waits: list[float] = []
        self.book = Pages()
        self.model = ChatModel(
            server.config(**values), Ledger(self.book, "2026-02-04", cap), self.waits.append
        )

    def __call__(
        self, read: Callable[[Any], int] = lambda value: int(value["n"])
    ) -> ModelReply[int]:
        return self.model.ask(QUESTION, read)

    def fails(self, kind: type[ModelError]) -> ModelError:
        with pytest.raises(kind) as caught:
            self()
        error = caught.value
        assert type(error) is kind
        shown = repr([error, error.localized("zh"), error.hint, error.values, error.__cause__])
        assert KEY not in shown
        assert SECRET not in shown
        return error


def test_a_good_answer(server: Stage) -> None:
    server.play(says({"n": 3}, usage={"prompt_tokens": 20, "completion_tokens": 6}))
    asked = Asker(server)
    assert asked() == ModelReply(3, 20, 6)
    assert asked.book.rows == [("2026-02-04", "count", 20, 6)]
    (request,) = server.requests
    assert request.body == {
        "model": "test",
        "messages": [{"role": "system", "content": "Count."}, {"role": "user", "content": SECRET}],
        "stream": False,
        "max_tokens": 50,
        "temperature": 0.3,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "count", "strict": True, "schema": SCHEMA},
        },
    }


def test_a_cost_that_the_server_does_not_tell_is_estimated(server: Stage) -> None:
    server.play({"n": 3})
    reply = Asker(server)()
    assert reply.tokens_in > 10
    assert 2 < reply.tokens_out < 20


@pytest.mark.parametrize("status", [429, 500, 502, 503, 529])
def test_a_busy_server_is_asked_again_and_waited_for(server: Stage, status: int) -> None:
    server.play(answers(status), answers(status), answers(status), says({"n": 3}))
    asked = Asker(server)
    assert asked().value == 3
    assert asked.waits == [1, 2, 4]


def test_a_busy_server_says_how_long(server: Stage) -> None:
    server.play(answers(429, Retry_After="3"), answers(503, Retry_After="0"), says({"n": 3}))
    asked = Asker(server)
    assert asked().value == 3
    assert asked.waits == [3, 0]


def test_a_server_that_is_busy_for_long_is_left_alone(server: Stage) -> None:
    server.play(answers(429, Retry_After="3600"))
    asked = Asker(server)
    asked.fails(BusyModelError)
    assert (asked.waits, len(server.requests)) == ([], 1)


def test_a_server_that_stays_busy(server: Stage) -> None:
    server.play(answers(500, f"you sent {SECRET} with {KEY}".encode()))
    asked = Asker(server, retries=7)
    error = asked.fails(BusyModelError)
    assert asked.waits == [1, 2, 4, 8, 16, MOST_WAIT, MOST_WAIT]
    assert (error.tokens_in, error.tokens_out, asked.book.rows) == (0, 0, [])


def test_a_server_that_is_not_there(server: Stage) -> None:
    asked = Asker(server, base_url="http://127.0.0.1:1/v1", retries=1)
    asked.fails(UnreachableModelError)
    assert asked.waits == [1]
    assert asked.book.rows == []


def test_what_was_sent_in_vain_is_counted(server: Stage) -> None:
    server.play(silent(server))
    asked = Asker(server, timeout=0.5, retries=1)  # time enough to send it
    error = asked.fails(UnreachableModelError)
    assert error.tokens_in > 20
    assert len(asked.book.rows) == 2


@pytest.mark.parametrize("status", [301, 307, 401, 403, 404, 405, 413])
def test_what_asking_again_would_not_change(server: Stage, status: int) -> None:
    server.play(answers(status, KEY.encode(), Location="http://example.invalid/"))
    asked = Asker(server)
    error = asked.fails(RejectedModelError)
    assert str(status) in str(error)
    assert (asked.waits, len(server.requests)) == ([], 1)


@pytest.mark.parametrize("status", [400, 422])
def test_a_server_that_knows_no_schema(server: Stage, status: int) -> None:
    server.play(answers(status, b"unknown field: response_format"), '```json\n{"n": 3}\n```')
    asked = Asker(server)
    assert asked().value == 3
    assert asked().value == 3
    has = ["response_format" in request.body for request in server.requests]
    assert has == [True, False, False]  # it is remembered


def test_a_server_that_wants_other_names(server: Stage) -> None:
    server.play(
        answers(400, b"'max_tokens' is not supported. Use 'max_completion_tokens' instead."),
        answers(400, b"'temperature' does not support 0.3 with this model."),
        says({"n": 3}),
    )
    assert Asker(server)().value == 3
    body = server.requests[-1].body
    assert body["max_completion_tokens"] == 50
    assert "response_format" in body
    assert not {"max_tokens", "temperature"} & body.keys()


def test_a_request_that_is_wrong_in_another_way(server: Stage) -> None:
    server.play(answers(400, b"the context is too long"))
    asked = Asker(server)
    asked.fails(RejectedModelError)
    assert len(server.requests) == 2
    server.play({"n": 3})
    asked()
    assert "response_format" in server.requests[-1].body  # that was not it


def test_the_model_is_told_once_what_was_wrong(server: Stage) -> None:
    server.play("three", "four", {"n": 3})
    asked = Asker(server)
    assert asked().value == 3
    told = server.requests[1].body["messages"]
    assert [turn["role"] for turn in told] == ["system", "user", "assistant", "user"]
    assert told[2]["content"] == "three"
    assert "no whole JSON object" in told[3]["content"]
    assert len(server.requests[2].body["messages"]) == 2
    assert asked.waits == []
    assert len(asked.book.rows) == 3


def test_the_reader_s_own_objection_is_told_too(server: Stage) -> None:
    def even(value: Any) -> int:
        if value["n"] % 2:
            raise UnfitError("n must be even")
        return int(value["n"])

    server.play({"n": 3}, {"n": 4})
    assert Asker(server)(even).value == 4
    assert "n must be even" in server.requests[1].body["messages"][3]["content"]


def test_a_long_bad_answer_is_not_repeated_whole(server: Stage) -> None:
    server.play("blah " * 50_000, {"n": 3})
    Asker(server)()
    assert len(server.requests[1].body["messages"][2]["content"]) < 2_500


def test_a_cut_answer_gets_more_room(server: Stage) -> None:
    server.play(says('{"n', "length"), says('{"n": ', "length"), says({"n": 3}))
    assert Asker(server)().value == 3
    assert [request.body["max_tokens"] for request in server.requests] == [50, 100, 200]
    server.play(says({"n": 3}, "length"))
    assert Asker(server)().value == 3  # whole after all


@pytest.mark.parametrize(
    "scene",
    [
        says(""),
        says("I'm sorry, but I can't help with that."),
        says("{}"),
        says({"n": "3"}),
        says("nothing to remember"),
        answers(200, b""),
        answers(200, b"<html>login</html>"),
        answers(200, b"\xff\xff"),
        answers(200, b"{}"),
        answers(200, b'{"error": {"code": 1}}'),
        completion({"content": None, "tool_calls": [{"id": "x"}]}),
        completion({"content": None, "refusal": "no"}),
        completion({"content": "x"}, "content_filter"),
        says('{"n": 3', "length"),
    ],
)
def test_nonsense_is_no_answer(server: Stage, scene: Any) -> None:
    server.play(scene)
    asked = Asker(server, retries=2)
    error = asked.fails(BadReplyError)
    assert len(server.requests) == 3
    assert error.tokens_in > 0  # it was paid for
    assert sum(row[2] for row in asked.book.rows) == error.tokens_in


def test_a_streamed_answer_is_taken(server: Stage) -> None:
    event = {"choices": [{"delta": {"content": '{"n": 3}'}}]}
    data = f"data: {json.dumps(event)}\n\ndata: [DONE]\n\n".encode()
    server.play(answers(200, data, Content_Type="text/event-stream; charset=utf-8"))
    assert Asker(server)().value == 3


def test_a_broken_exchange_then_a_good_one(server: Stage) -> None:
    server.play(lambda handler: handler.connection.close(), says({"n": 3}))
    asked = Asker(server)
    assert asked().value == 3
    assert asked.waits == [1]


def test_the_cap_is_asked_before_every_request(server: Stage) -> None:
    server.play("nonsense")
    asked = Asker(server, cap=cost(QUESTION) + 10)
    error = asked.fails(SpentModelError)
    assert len(server.requests) == 1  # the second would have been too much
    assert error.tokens_in > 0
    assert asked.book.spent("2026-02-04") <= cost(QUESTION) + 10
    server.requests.clear()
    Asker(server, cap=cost(QUESTION) - 1).fails(SpentModelError)
    assert server.requests == []


def test_without_a_ledger_nothing_is_counted(server: Stage) -> None:
    server.play({"n": 3})
    assert ChatModel(server.config()).ask(QUESTION, lambda value: value["n"]).value == 3


@each(
    "config",
    [
        ModelConfig(),
        ModelConfig(name="x"),
        ModelConfig("http://127.0.0.1"),
        ModelConfig("ftp://host", "x"),
        ModelConfig("http://127.0.0.1", "x", f"{KEY}\nX: y"),
        ModelConfig("http://127.0.0.1", "x", f"{KEY}钥"),
        ModelConfig(f"https://u:{KEY}@host", "x"),
    ],
)
def test_settings_that_make_no_model(config: ModelConfig) -> None:
    with pytest.raises(ConfigError) as caught:
        ChatModel(config)
    assert KEY not in f"{caught.value} {caught.value.hint} {caught.value.values}"
