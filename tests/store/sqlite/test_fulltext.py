"""The lists of words, and the ranking made of them: the same as SQLite's own bm25."""

from __future__ import annotations

import random
from pathlib import Path

from loxodon.store import Filter
from loxodon.store.sqlite import fulltext
from loxodon.store.sqlite.fulltext import any_of
from loxodon.store.sqlite.store import SqliteStore
from loxodon.text.words import query_words
from tests.clock import NOW
from tests.store.contracts import key, record, turn
from tests.store.sqlite.test_store import opened

WORDS = ["tea", "milk", "river", "walk", "piano", "猫", "喜欢", "咖啡", "周末", "爬山", "garden"]


def _text(chance: random.Random) -> str:
    return " ".join(
        chance.choices(WORDS, weights=[1, *range(1, len(WORDS))], k=chance.randint(1, 9))
    )


def _sqlite(store: SqliteStore, index: str, words: list[str]) -> dict[int, float]:
    rows = store._db.all(
        f"SELECT rowid, -bm25({index}) FROM {index} WHERE {index} MATCH ?", (any_of(words),)
    )
    return {row: round(score, 9) for row, score in rows}


def _same(store: SqliteStore, queries: list[str]) -> None:
    for index, name in (("turns", "turn_index"), ("memories", "memory_index")):
        for query in queries:
            words = query_words(query)
            hits = store.search(index, words, Filter(), 1_000)  # type: ignore[arg-type]
            ours = {hit.row: round(hit.score, 9) for hit in hits}
            assert ours == _sqlite(store, name, words), (index, query)
            first = store.search(index, words, Filter(), 3)  # type: ignore[arg-type]
            assert [round(hit.score, 9) for hit in first] == sorted(ours.values())[:-4:-1]


def test_scores_are_those_of_sqlite(tmp_path: Path) -> None:
    chance = random.Random(7)
    queries = [_text(chance) for _ in range(20)] + ["猫", "tea", "咖"]
    store = opened(tmp_path / "x.db")
    with store.writing():
        said = [turn(_text(chance), id=str(n)) for n in range(120)]
        store.append([(one, key(one.id)) for one in said])
        kept = [store.insert(record(_text(chance)), "captured") for _ in range(60)]
    with store.reading():
        _same(store, queries)
    with store.writing():  # what was edited and archived is another length, or gone
        for one in kept[:20]:
            store.update(one.id, None, "edited", NOW, {"content": _text(chance)})
        for one in kept[20:30]:
            store.update(one.id, None, "archived", NOW, {"state": "archived"})
        _same(store, queries)
    _same(store, queries)
    store.close()


def test_another_process_that_changes_rows_is_noticed(tmp_path: Path) -> None:
    one, other = opened(tmp_path / "x.db"), opened(tmp_path / "x.db")
    with one.writing():
        kept = [one.insert(record(text), "captured") for text in ("tea", "tea tea milk")]
    _same(one, ["tea"])
    with other.writing():
        other.update(kept[0].id, None, "edited", NOW, {"content": "tea " * 30})
    _same(one, ["tea"])
    one.close()
    other.close()


def test_packed_numbers() -> None:
    assert fulltext.numbers(b"") == []
    assert fulltext.numbers(b"\x05\x81\x00\x7f") == [5, 128, 127]
