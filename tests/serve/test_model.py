"""`loxodon model check` and `consolidate --model-report`, against a server on the loopback."""

from __future__ import annotations

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from tests.models.labelled import sat, shown
from tests.models.server import Stage, answers, says, stage
from tests.serve.test_knowledge import Run, parsed, run  # noqa: F401 (a fixture)


@pytest.fixture
def server(run: Run) -> Iterator[Stage]:  # noqa: F811
    with stage() as one:
        run("init")
        run("config", "model.base_url", f"http://127.0.0.1:{one.port}/v1")
        run("config", "model.name", "test")
        run("config", "model.retries", "0")
        yield one


def well(server: Stage) -> Any:
    def scene(handler: BaseHTTPRequestHandler) -> None:
        says(sat(shown(server.requests[-1].body)))(handler)

    return scene


def test_a_model_that_reads_well(server: Stage, run: Run) -> None:  # noqa: F811
    server.play(well(server))
    said = run("model", "check")
    assert said.count("10 of 10 sentences read correctly") == 2
    assert "the model will be used" in said
    found = parsed(run, "model", "check")
    assert found["good"]
    assert found["keeps_to_schemas"]
    assert [one["language"] for one in found["tried"]] == ["en", "zh"]
    assert "会使用这个模型" in run("model", "check", lang="zh_CN.UTF-8")


def test_one_whose_server_takes_no_schema(server: Stage, run: Run) -> None:  # noqa: F811
    def scene(handler: BaseHTTPRequestHandler) -> None:
        body = server.requests[-1].body
        if "response_format" in body:
            answers(400, b'{"error": "response_format is not supported"}')(handler)
        else:
            says(sat(shown(body)))(handler)

    server.play(scene)
    found = parsed(run, "model", "check")
    assert (found["good"], found["keeps_to_schemas"]) == (True, False)


def test_one_that_talks_nonsense_ends_with_8(server: Stage, run: Run) -> None:  # noqa: F811
    server.play(says("no idea"))
    found = parsed(run, "model", "check", code=8)
    assert not found["good"]
    assert [one["passed"] for one in found["tried"]] == [0, 0]
    assert "cannot be used" in found["tried"][0]["problem"]


def test_one_that_is_down_is_an_error(server: Stage, run: Run) -> None:  # noqa: F811
    server.play(answers(500))
    assert "HTTP 500" in run("model", "check", code=8)


def test_none_that_is_set(run: Run) -> None:  # noqa: F811
    run("init")
    assert "needs both a base URL and a name" in run("model", "check", code=6)


def test_a_report_of_what_was_asked(server: Stage, run: Run, tmp_path: Path) -> None:  # noqa: F811
    run("config", "model.check", "false")
    talk = tmp_path / "talk.txt"
    talk.write_text("Me: Zephyr on the invoices, as ever\n")
    run("add", str(talk))
    server.play(says({"1": []}, usage={"prompt_tokens": 700, "completion_tokens": 40}))
    said = run("consolidate", "--model-report")
    assert "1, 1 decided" in said
    assert "tokens for reading" in said
    assert "740" in said


def test_without_a_model_the_report_says_so(run: Run, tmp_path: Path) -> None:  # noqa: F811
    talk = tmp_path / "talk.txt"
    talk.write_text("Me: I live in Leeds\n")
    run("add", str(talk))
    assert "no model is configured" in run("consolidate", "--model-report")
