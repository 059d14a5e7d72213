"""A sentence model in a folder, run for real."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from loxodon.errors import ConfigError
from loxodon.models.embedders.onnx import OnnxEmbedder, model_in
from tests.models.embedders.tiny import folder


def test_the_tokens_of_a_text_are_averaged(tmp_path: Path) -> None:
    found = OnnxEmbedder(folder(tmp_path)).embed(["cat", "Cat dog", "猫 sleeps", "cat cat cat dog"])
    assert np.allclose(found, [[1.0, 0.0], [0.5, 0.5], [0.75, 0.3], [0.75, 0.25]])


def test_padding_changes_nothing(tmp_path: Path) -> None:
    embedder = OnnxEmbedder(folder(tmp_path))
    texts = ["cat " * n for n in range(1, 60)] + ["dog"]
    assert np.allclose(embedder.embed(texts), [embedder.embed([text])[0] for text in texts])


def test_a_model_that_gives_one_vector_a_text_is_taken_at_its_word(tmp_path: Path) -> None:
    found = OnnxEmbedder(folder(tmp_path, pooled=True)).embed(["cat dog"])
    assert np.allclose(found, [[1, 1]])


def test_any_text_can_be_embedded(tmp_path: Path) -> None:
    texts = ["", " ", "\x00\x1b[2J", "🦜" * 50, "cat " * 200_000, "שלום"]
    found = OnnxEmbedder(folder(tmp_path)).embed(texts)
    assert found.shape == (6, 2)
    assert np.isfinite(found).all()


def test_a_text_is_cut_to_what_the_model_takes(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"max_position_embeddings": 2}))
    assert np.allclose(OnnxEmbedder(folder(tmp_path)).embed(["cat cat dog dog"]), [[1, 0]])


@pytest.mark.parametrize("name", ["onnx/model.onnx", "onnx/model_quantized.onnx"])
def test_a_folder_as_hubs_have_it(tmp_path: Path, name: str) -> None:
    path = folder(tmp_path, name)
    assert model_in(path) == str(tmp_path / name)
    assert np.allclose(OnnxEmbedder(path).embed(["cat"]), [[1, 0]])
    assert OnnxEmbedder(str(tmp_path / name)).name == OnnxEmbedder(path).name


def test_the_name_is_of_the_model_not_of_the_folder(tmp_path: Path) -> None:
    one = OnnxEmbedder(folder(tmp_path / "one"))
    same = OnnxEmbedder(folder(tmp_path / "two"))
    other = OnnxEmbedder(folder(tmp_path / "three", pooled=True))
    assert one.name == same.name != other.name


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"no model\.onnx"):
        OnnxEmbedder(str(tmp_path / "nowhere"))
    path = folder(tmp_path)
    (tmp_path / "tokenizer.json").unlink()
    with pytest.raises(ConfigError, match=r"no tokenizer\.json"):
        OnnxEmbedder(path)


@pytest.mark.parametrize("broken", ["model.onnx", "tokenizer.json"])
def test_a_file_that_is_no_model_is_refused(tmp_path: Path, broken: str) -> None:
    path = folder(tmp_path)
    (tmp_path / broken).write_text("half a downl")
    with pytest.raises(ConfigError, match="cannot load the model") as caught:
        OnnxEmbedder(path).embed(["cat"])
    assert "download is complete" in caught.value.hint


def test_the_runtime_neither_sends_nor_keeps_anything_of_its_own(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    model = folder(tmp_path)
    code = (
        "import sys; from loxodon.models.embedders.onnx import OnnxEmbedder\n"
        "OnnxEmbedder(sys.argv[1]).embed(['cat'])"
    )
    environment = {**os.environ, "HOME": str(home), "TMPDIR": str(home)}
    environment.pop("ORT_DISABLE_TELEMETRY", None)
    subprocess.run([sys.executable, "-c", code, model], env=environment, check=True)
    assert list(home.iterdir()) == []
