"""The multilingual encoder that the extra brings: the real one, offline."""

from __future__ import annotations

import numpy as np

from loxodon.models.embedders.use import UseEmbedder
from loxodon.store.vector_math import unit


def test_what_means_the_same_is_close_in_both_languages() -> None:
    embedder = UseEmbedder()
    texts = [
        "我对花生过敏",
        "I am allergic to peanuts",
        "The stock market fell on Monday",
        "",
        "🦜",
    ]
    found = np.asarray(embedder.embed(texts))
    assert found.shape == (5, 512)
    vectors, good = unit(found)
    assert good == [True] * 5
    assert vectors[0] @ vectors[1] > 0.5 > vectors[0] @ vectors[2] + 0.2
    assert "0." in embedder.name
    assert np.allclose(embedder.embed(texts[1:2])[0], found[1], atol=1e-4)
