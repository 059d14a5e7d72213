"""A model behind an address: what is asked, what is asked again, and what is given up.

`Memory.check_model` asks two questions, one in each language, and tells how they were answered.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from loxodon import Memory
from loxodon.consolidate.model_reading import ModelChecked
from loxodon.errors import ConfigError, ModelError, UnreachableModelError
from tests.each import each
from tests.models.labelled import sat, shown
from tests.models.server import KEY, Scene, Stage, answers, completion, says, silent

Open = Callable[..., Memory]


@pytest.fixture
def opened(tmp_path: Path, server: Stage) -> Iterator[Open]:
    """Opens a home with the model of the server."""
    memories: list[Memory] = []

    def one(**model: Any) -> Memory:
        at = f"http://127.0.0.1:{server.port}/v1"
        given = {"base_url": at, "name": "test", "api_key": KEY, "daily_tokens": 0}
        config = {f"model.{name}": value for name, value in (given | model).items()}
        memories.append(Memory.open(tmp_path / f"home{len(memories)}", config=config))
        return memories[-1]

    yield one
    for memory in memories:
        memory.close()


def well(server: Stage, wrap: str = "{}", **more: Any) -> Scene:
    """Answer ideally, with something around it."""

    def scene(handler: BaseHTTPRequestHandler) -> None:
        answer = json.dumps(sat(shown(server.requests[-1].body)), ensure_ascii=False)
        says(wrap.replace("{}", answer), **more)(handler)

    return scene


def fails(memory: Memory, kind: type[ModelError], text: str = ".") -> ModelError:
    with pytest.raises(kind, match=text) as caught:
        memory.check_model()
    error = caught.value
    told = repr([error, error.localized("zh"), error.hint, error.values, error.__cause__])
    assert KEY not in told
    return error


def passed(found: ModelChecked) -> list[int]:
    return [one.passed for one in found.tried]


@pytest.mark.parametrize("path", ["/v1/", "/v1/chat/completions"])
def test_request_and_cost(server: Stage, opened: Open, path: str) -> None:
    server.play(well(server, usage={"prompt_tokens": 700, "completion_tokens": 80}))
    found = opened(base_url=f"http://127.0.0.1:{server.port}{path}").check_model()
    assert (passed(found), found.good, found.keeps_to_schemas) == ([10, 10], True, True)
    assert [(one.tokens_in, one.tokens_out) for one in found.tried] == [(700, 80)] * 2
    request = server.requests[0]
    assert request.path == "/v1/chat/completions"
    assert request.headers["Authorization"] == f"Bearer {KEY}"
    assert request.headers["Content-Type"] == "application/json"
    form = request.body.pop("response_format")
    assert (form["type"], form["json_schema"]["strict"]) == ("json_schema", True)
    assert [turn["role"] for turn in request.body.pop("messages")] == ["system", "user"]
    assert request.body.pop("max_tokens") > 100
    assert request.body == {"model": "test", "stream": False, "temperature": 0.3}


def test_without_a_key_or_a_cost(server: Stage, opened: Open) -> None:
    server.play(well(server))
    found = opened(api_key="").check_model()
    assert "Authorization" not in server.requests[0].headers
    assert all(one.tokens_in > 100 and one.tokens_out > 50 for one in found.tried)  # estimated


def failing(status: int) -> Scene:
    """As Anthropic's endpoint says it."""
    error = {"type": "error", "error": {"type": "overloaded_error", "message": f"no {KEY}"}}
    return answers(status, json.dumps(error).encode(), Retry_After="0")


@pytest.mark.parametrize("status", [429, 503, 529])
def test_busy_server_is_asked_again_and_then_left(server: Stage, opened: Open, status: int) -> None:
    server.play(failing(status), failing(status), failing(status), well(server))
    assert opened().check_model().good
    server.play(failing(status))
    assert str(status) in str(fails(opened(retries=2), UnreachableModelError))
    assert len(server.requests) == 5 + 3


@pytest.mark.parametrize("status", [307, 401, 404])
def test_what_asking_again_would_not_change(server: Stage, opened: Open, status: int) -> None:
    server.play(answers(status, KEY.encode(), Location="http://example.invalid/"))
    assert str(status) in str(fails(opened(), ModelError))
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("complaint", "without"),
    [
        (b"unknown field: response_format", {"response_format"}),
        (b"Use 'max_completion_tokens' instead of 'max_tokens'.", {"max_tokens"}),
        (b"`temperature` is deprecated for this model.", {"temperature"}),
    ],
)
def test_server_that_does_not_take_a_field(
    server: Stage, opened: Open, complaint: bytes, without: set[str]
) -> None:
    server.play(answers(400, complaint), well(server))
    found = opened().check_model()
    assert (found.good, found.keeps_to_schemas) == (True, without != {"response_format"})
    first, *rest = (request.body for request in server.requests)
    assert without <= first.keys()
    assert len(rest) == 2  # it is remembered for the second question
    assert all(not without & body.keys() for body in rest)
    assert all(("max_completion_tokens" in body) == ("max_tokens" in without) for body in rest)


def test_model_is_told_once_what_was_wrong(server: Stage, opened: Open) -> None:
    server.play("blah " * 50_000, "four", well(server))
    assert opened().check_model().good
    told = server.requests[1].body["messages"]
    assert [turn["role"] for turn in told] == ["system", "user", "assistant", "user"]
    assert told[2]["content"].startswith("blah")
    assert len(told[2]["content"]) < 2_500  # a long one is not repeated whole
    assert "no whole JSON object" in told[3]["content"]
    assert len(server.requests[2].body["messages"]) == 2


def test_answer_that_was_cut_gets_more_room(server: Stage, opened: Open) -> None:
    server.play(says('{"1', "length"), says('{"1": ', "length"), well(server))
    assert opened().check_model().good
    room = [request.body["max_tokens"] for request in server.requests[:3]]
    assert room == [room[0], 2 * room[0], 4 * room[0]]


@each(
    "wrap",
    [
        "  {}\n",
        "```json\n{}\n```",
        "Sure! Here is the JSON:\n\n{}\n\nI hope this helps.",
        "<think>Well, {maybe} … </think>{}",
        "好的，结果如下：{}。",
        "\ufeff{}",
    ],
)
def test_json_in_prose_is_found(server: Stage, opened: Open, wrap: str) -> None:
    server.play(well(server, wrap))
    assert passed(opened().check_model()) == [10, 10]


BAD = [
    says(""),
    says("I'm sorry, but I can't help with that."),
    says("{}"),
    says('{"1": "x"}'),
    says('{"1":' * 100_000),
    says("<think>" * 100_000),
    answers(200, b""),
    answers(200, b"<html>login</html>"),
    answers(200, "{}".encode("utf-16")),
    answers(200, b'{"choices": [null]}'),
    answers(200, b'{"choices": [{"text": "old"}]}'),
    completion({"content": None, "tool_calls": [{"id": "x"}]}),
    completion({"content": None, "refusal": "no"}),
    completion({"content": "x"}, "content_filter"),
    says('{"1": [', "length"),
    says({"1": []}, usage={"prompt_tokens": "x", "completion_tokens": -1}),
]


@pytest.mark.parametrize("scene", BAD, ids=range(len(BAD)))
def test_nonsense_is_no_answer_and_paid_for(server: Stage, opened: Open, scene: Scene) -> None:
    server.play(scene)
    found = opened(retries=1).check_model()
    assert (found.good, max(passed(found)) < 8) == (False, True)
    assert all(one.tokens_in > 100 for one in found.tried)
    if len(server.requests) == 4:
        assert all("cannot be used" in one.problem for one in found.tried)


def test_cap_of_the_day_is_asked_before_every_request(server: Stage, opened: Open) -> None:
    server.play("nonsense")
    memory = opened(daily_tokens=4_000, check=False)
    for n in range(5):
        memory.add([{"role": "user", "content": f"{n}? the invoices again, and Zephyr"}])
        memory.consolidate()
    sent = [len(json.dumps(one.body["messages"])) / 4 for one in server.requests]
    assert 0 < sum(sent) < 4_000
    tried = opened(daily_tokens=100).check_model().tried  # which does not count
    assert all(one.tokens_in > 100 for one in tried)


# What a connection does


@pytest.mark.parametrize(
    "base", ["http://127.0.0.1:1/v1", "http://no-such-host.invalid", "http://a..b"]
)
def test_server_that_is_not_there(opened: Open, base: str) -> None:
    fails(opened(base_url=base, retries=0), UnreachableModelError, "cannot reach")


def drips(server: Stage, begin: bytes, drip: bytes) -> Scene:
    def scene(handler: BaseHTTPRequestHandler) -> None:
        handler.close_connection = True
        handler.wfile.write(begin)
        while not server.over.wait(0.02):
            handler.wfile.write(drip)

    return scene


@pytest.mark.parametrize("where", ["before", "headers", "body", "body of unknown length"])
def test_server_that_is_silent_or_drips_is_hung_up_on(
    server: Stage, opened: Open, where: str
) -> None:
    begins = {
        "headers": b"HTTP/1.1 200 OK\r\nX-Long: ",
        "body": b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n",
        "body of unknown length": b"HTTP/1.1 200 OK\r\n\r\n",
    }
    server.play(silent(server) if where == "before" else drips(server, begins[where], b"x"))
    memory = opened(timeout=0.5, retries=0)
    fails(memory, UnreachableModelError, r"within 0\.5 seconds")
    assert memory.stats().ledger[0].tokens_in > 100  # it may be at work on it


def test_endless_body_is_given_up(server: Stage, opened: Open) -> None:
    server.play(drips(server, b"HTTP/1.1 200 OK\r\n\r\n", b"x" * 4_000_000))
    found = opened(retries=0).check_model()
    assert "longer than" in found.tried[0].problem


@each(
    "settings",
    [
        {"base_url": "", "name": ""},
        {"base_url": ""},
        {"name": ""},
        {"base_url": "ftp://host"},
        {"api_key": f"{KEY}\nX: y"},
        {"api_key": f"{KEY}钥"},
        {"base_url": f"https://u:{KEY}@host"},
    ],
)
def test_settings_that_make_no_model(opened: Open, settings: dict[str, str]) -> None:
    with pytest.raises(ConfigError) as caught:
        opened(**settings).check_model()
    assert KEY not in f"{caught.value} {caught.value.hint} {caught.value.values}"


READER = """
import json, re, sys
from tests.models.labelled import sat
found = [re.match(r'(.*?) (".*")$', line) for line in sys.stdin.read().splitlines()]
lines = [(one[1], json.loads(one[2])) for one in found if one]
print("Here it is:", "```json", json.dumps(sat(lines)), "```", sep=chr(10))
"""


def test_a_program_can_be_the_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    good, bad = tmp_path / "reader.py", tmp_path / "reader.sh"
    good.write_text(READER, "utf-8")
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    config = {"model.kind": "command", "model.command": f"{sys.executable} {good}"}
    with Memory.open(tmp_path / "good", config=config) as memory:
        assert memory.check_model().good
    bad.write_text('cat > "$0.asked"; echo "$LOXODON_READING" >> "$0.asked"; exit 3\n')
    config["model.command"] = f"sh {bad}"
    with Memory.open(tmp_path / "home", config=config) as memory:
        fails(memory, ModelError, "exit status 3")
        asked = Path(f"{bad}.asked").read_text("utf-8")
        assert asked.endswith("1\n")  # so that its own hooks do nothing
        memory.add([{"role": "user", "content": "I am allergic to peanuts."}])
        memory.consolidate(force=True)  # the rules go on without it
        assert [one.category for one in memory.list()] == ["health"]
