"""A page is read from an index in its order, and not sorted."""

from __future__ import annotations

from pathlib import Path

import pytest

from loxodon.store import Filter
from loxodon.store.pages import _FEW, LISTINGS, query
from loxodon.store.walls import Wall
from loxodon.verbs.paging import Key
from tests.store.contracts import record
from tests.store.sqlite.test_store import opened

USUAL = {"memories": "t.state = 'active'", "quarantine": "state = 'held'", "events": "date >= ''"}
"""The filters that a list has unless others are asked for."""
WALLS = (Wall(), Wall("coder"), Wall(group=True))


@pytest.mark.parametrize("wall", WALLS)
def test_no_page_is_sorted(tmp_path: Path, wall: Wall) -> None:
    """So a page costs the same at ten memories and at ten thousand. Behind a wall no index can be
    named, and what is due is picked out of what is active; few are."""
    store = opened(tmp_path / "x.db")
    store._db.stand_behind(wall)
    for name in LISTINGS.keys() - ({"due"} if wall.stands else set()):
        listing = LISTINGS[name]
        for after in (None, (0,) * len(listing.order)):
            for conditions in {"", USUAL.get(name, "")}:
                sql, values = query(listing, conditions, after)
                plan = store._db.all("EXPLAIN QUERY PLAN " + sql, [*values, 10])
                steps = [step for *_, step in plan]
                assert not [one for one in steps if "TEMP B-TREE" in one], (name, steps)
                if name in ("memories", "turns") and after:  # it begins where the last one ended
                    assert [one for one in steps if one.startswith("SEARCH t USING")], steps
    store.close()


def test_a_label_is_looked_up_where_few_have_it(tmp_path: Path) -> None:
    store = opened(tmp_path / "x.db")
    with store.writing():
        for n in range(_FEW + 2):
            store.insert(record(f"m{n}", tags=("common", *(["rare"] if n < 3 else []))), "captured")
    asked: list[str] = []
    whole = store._db.all

    def all(sql: str, values: object = ()) -> object:
        asked.append(sql)
        return whole(sql, values)  # type: ignore[arg-type]

    store._db.all = all  # type: ignore[method-assign, assignment]

    def names(tag: str, after: Key | None = None) -> list[str]:
        found, _ = store.pages.memories(Filter(tag=tag, state="active"), 2, after)
        return [one.content for one in found]

    assert names("rare") == ["m2", "m1"]
    assert [one for one in asked if "+t.created_at" in one]
    asked.clear()
    assert names("common") == [f"m{_FEW + 1}", f"m{_FEW}"]
    assert not [one for one in asked if "+t.created_at" in one]
    store.close()
