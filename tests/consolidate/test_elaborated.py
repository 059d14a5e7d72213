"""A sentence that only says more of a fact is over with it; one that tells another thing stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from loxodon import Memory


@pytest.mark.parametrize(
    ("first", "later", "left"),
    [
        ("We live in Leeds, in a terrace by the canal.", "We've moved to Bristol.", []),
        ("My favourite editor is Sublime, I do all in it.", "My favourite editor is Helix.", []),
        ("我住在苏州，离平江路走路十分钟。", "我们搬到了无锡。", []),
        ("I live in Leeds, deathly scared of dogs.", "I moved to York.", ["scared of dogs"]),
        ("I'm vegan, and deathly scared of dogs.", "I'm not vegan anymore.", ["scared of dogs"]),
    ],
)
def test_quotation_is_over_with_its_fact(
    tmp_path: Path, first: str, later: str, left: list[str]
) -> None:
    with Memory.open(tmp_path) as memory:
        for n, text in enumerate((first, later)):
            memory.add([{"role": "user", "content": text, "id": str(n)}], session="talk")
            memory.consolidate(force=True)
        quoted = [one.content for one in memory.list() if first[:6] in one.content]
    assert len(quoted) == len(left)
    assert all(word in quoted[0] for word in left)
