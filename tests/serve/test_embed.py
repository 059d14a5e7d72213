"""`loxodon embed`, and what `status` says of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from loxodon.serve.cli import main
from tests.models.embedders.tiny import folder


def run(home: Path, *words: str) -> int:
    return main(["--home", str(home), *words])


def test_texts_are_embedded_and_it_is_said_how_far(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = tmp_path / "home"
    run(home, "capture", "cat sleeps")
    assert run(home, "embed") == 0
    assert "no embedder is configured" in capsys.readouterr().out
    run(home, "config", "embedder.kind", "onnx")
    run(home, "config", "embedder.path", folder(tmp_path / "model"))
    capsys.readouterr()
    assert run(home, "embed", "--status", "--json") == 0
    (model,) = json.loads(capsys.readouterr().out)["models"]
    assert (model["embedded"], model["pending"]) == (0, 2)
    assert run(home, "embed") == 0
    assert "2 texts embedded" in capsys.readouterr().out
    assert run(home, "status") == 0
    assert "2 embedded, 0 pending" in capsys.readouterr().out
    assert run(home, "stats") == 0
    assert "2 embedded, 0 pending" in capsys.readouterr().out


def test_an_embedder_that_cannot_be_used_is_an_error_only_where_it_is_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = tmp_path / "home"
    run(home, "capture", "cat sleeps")
    run(home, "config", "embedder.kind", "onnx")
    assert run(home, "embed") == 6
    assert "embedder.path is empty" in capsys.readouterr().err
    for command in (["status"], ["consolidate"], ["recall", "cat"]):
        assert run(home, *command) == 0
    run(home, "config", "embedder.kind", "openai")
    run(home, "config", "embedder.base_url", "http://127.0.0.1:9/v1")
    run(home, "config", "embedder.name", "any")
    assert run(home, "recall", "cat") == 0
