"""Which embedders settings make."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from loxodon.config import EmbedderConfig
from loxodon.errors import ConfigError
from loxodon.models.embedders import AT_ONCE, chosen, need
from loxodon.models.embedders.endpoint import EndpointEmbedder
from loxodon.models.embedders.onnx import OnnxEmbedder
from loxodon.models.embedders.use import UseEmbedder
from tests.models.embedders.tiny import folder


def test_none_is_none() -> None:
    assert chosen(EmbedderConfig()) == []
    assert chosen(EmbedderConfig(english="somewhere")) == []


def test_each_kind_makes_its_own(tmp_path: Path) -> None:
    (use,) = chosen(EmbedderConfig("use"))
    assert isinstance(use.embedder, UseEmbedder)
    (onnx,) = chosen(EmbedderConfig("onnx", path=folder(tmp_path)))
    assert isinstance(onnx.embedder, OnnxEmbedder)
    (endpoint,) = chosen(EmbedderConfig("openai", base_url="http://127.0.0.1:9", name="m"))
    assert isinstance(endpoint.embedder, EndpointEmbedder)
    assert endpoint.at_once == AT_ONCE == 4
    assert endpoint.asker is not None
    assert endpoint.asker.name == endpoint.embedder.name


def test_english_may_have_a_model_of_its_own(tmp_path: Path) -> None:
    every, english = chosen(EmbedderConfig("use", english=folder(tmp_path)))
    assert (every.language, english.language) == ("", "en")
    assert isinstance(english.embedder, OnnxEmbedder)


def test_what_is_missing_is_said() -> None:
    with pytest.raises(ConfigError, match=r"embedder\.path is empty"):
        chosen(EmbedderConfig("onnx"))
    with pytest.raises(ConfigError, match="both a base URL and a name"):
        chosen(EmbedderConfig("openai"))
    with pytest.raises(ConfigError, match="cannot be imported") as caught:
        need("no_such_module", "semantic")
    assert '[semantic]"' in caught.value.hint
    assert "[semantic]" in caught.value.localized("zh")[1]


def test_without_an_embedder_nothing_heavy_is_loaded(tmp_path: Path) -> None:
    code = (
        "import sys; from loxodon import Memory\n"
        f"with Memory.open({str(tmp_path)!r}) as memory:\n"
        "    memory.add([{'role': 'user', 'content': 'I like tea'}])\n"
        "    memory.recall('tea'); memory.status(); memory.embed()\n"
        "assert 'numpy' not in sys.modules\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr.decode()
