"""The ranking of a search: the same as SQLite's own bm25."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import apsw

from loxodon.store import Filter
from loxodon.store.store import Store
from loxodon.text.words import query_words
from tests.clock import NOW
from tests.store.contracts import key, record, turn
from tests.store.sqlite.test_store import opened

WORDS = ["tea", "milk", "river", "walk", "piano", "猫", "喜欢", "咖啡", "周末", "爬山", "garden"]


def text(chance: random.Random) -> str:
    weights = [1, *range(1, len(WORDS))]
    return " ".join(chance.choices(WORDS, weights, k=chance.randint(1, 9)))


def by_sqlite(path: Path, index: str, words: list[str]) -> dict[int, float]:
    prefixes = (f'"{word.removesuffix("*")}"' + "*" * word.endswith("*") for word in words)
    connection = apsw.Connection(str(path))
    rows: list[Any] = connection.execute(
        f"SELECT rowid, -bm25({index}) FROM {index} WHERE {index} MATCH ?", (" OR ".join(prefixes),)
    ).fetchall()
    connection.close()
    return {row: round(score, 9) for row, score in rows}


def compare(store: Store, path: Path, queries: list[str]) -> None:
    for index, name in (("turns", "turn_index"), ("memories", "memory_index")):
        for query in queries:
            words = query_words(query)
            hits = store.search(index, words, Filter(), 1_000)  # type: ignore[arg-type]
            ours = {hit.row: round(hit.score, 9) for hit in hits}
            assert ours == by_sqlite(path, name, words), (index, query)
            first = store.search(index, words, Filter(), 3)  # type: ignore[arg-type]
            assert [round(hit.score, 9) for hit in first] == sorted(ours.values())[:-4:-1]


def test_scores_are_those_of_sqlite(tmp_path: Path) -> None:
    chance, path = random.Random(7), tmp_path / "x.db"
    queries = [text(chance) for _ in range(20)] + ["猫", "tea", "咖"]
    store, other = opened(path), opened(path)
    with store.writing():
        said = [turn(text(chance), id=str(n)) for n in range(120)]
        store.append([(one, key(one.id)) for one in said])
        kept = [store.insert(record(text(chance)), "captured") for _ in range(60)]
    compare(store, path, queries)
    for writer, rest in ((store, kept[:20]), (other, kept[20:40])):  # also by another process
        with writer.writing():  # what was edited and archived is another length, or gone
            for one in rest[:14]:
                writer.update(one.id, None, "edited", NOW, {"content": text(chance)})
            for one in rest[14:]:
                writer.update(one.id, None, "archived", NOW, {"state": "archived"})
        compare(store, path, queries)
    store.close()
    other.close()
