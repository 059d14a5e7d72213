"""What is said where the program that Loxodon plugs into is not installed."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from loxodon.errors import ConfigError


@pytest.mark.skipif(find_spec("langgraph") is not None, reason="LangGraph is installed")
def test_without_langgraph_it_says_what_to_install() -> None:
    with pytest.raises(ConfigError, match="langgraph") as caught:
        import loxodon.compat.langgraph  # noqa: F401
    assert "pip install langgraph" in caught.value.hint
