"""What is close in meaning, with the real encoder that the extra brings."""

from __future__ import annotations

from pathlib import Path

import pytest

from loxodon import Memory
from tests.recall.test_routes import DAY, talk

SAID = (
    "Xavier likes pho",
    "The tram to the harbour was late again",
    "My sister Mei studies in Osaka",
    "We deploy the shop on Tuesdays",
    "Grandpa taught me a card game",
)


@pytest.mark.parametrize("known", [False, True], ids=["turns", "memories"])
@pytest.mark.parametrize("few", [2, 5])
def test_among_few_texts_the_closest_is_found(tmp_path: Path, few: int, known: bool) -> None:
    config = {"embedder.kind": "use"}
    with Memory.open(tmp_path, config=config, clock=lambda: DAY) as memory:
        for n, text in enumerate(SAID[:few]):
            talk(memory, str(n), DAY, f"user: {text}")
        if known:
            memory.consolidate(force=True)
        memory.embed()
        assert "pho" in memory.recall("What do people like to eat?").items[0].content
