"""What is close in meaning, with the real encoder that the extra brings."""

from __future__ import annotations

from pathlib import Path

import pytest

from loxodon import Memory
from loxodon.models.embedders.use import UseEmbedder
from tests.recall.test_routes import DAY, talk

SAID = (
    "Xavier likes pho",
    "The tram to the harbour was late again",
    "My sister Mei studies in Osaka",
    "We deploy the shop on Tuesdays",
    "Grandpa taught me a card game",
)


@pytest.fixture(scope="module")
def encoder() -> UseEmbedder:
    """Made once: to read its weights takes longer than all the rest."""
    return UseEmbedder()


@pytest.mark.parametrize("few", [2, 5])
def test_among_few_texts_the_closest_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, encoder: UseEmbedder, few: int
) -> None:
    monkeypatch.setattr("loxodon.models.embedders.use.UseEmbedder", lambda: encoder)
    config = {"embedder.kind": "use"}
    with Memory.open(tmp_path, config=config, clock=lambda: DAY) as memory:
        for n, text in enumerate(SAID[:few]):
            talk(memory, str(n), DAY, f"user: {text}")
        for _ in ("turns", "memories"):
            memory.embed()
            assert "pho" in memory.recall("What do people like to eat?").items[0].content
            memory.consolidate(force=True)
