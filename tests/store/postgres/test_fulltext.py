"""The word lists of PostgreSQL give the same as those of SQLite, also after a migration."""

from __future__ import annotations

import random
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loxodon.store import Filter
from loxodon.store.database import migrations as every_migration
from loxodon.store.postgres import migrations
from loxodon.store.store import Store
from loxodon.text.words import index_words, query_words
from tests.clock import NOW
from tests.long import count as how_many
from tests.store.contracts import key, quiet, record, turn
from tests.store.postgres.server import OWNER, Server
from tests.store.postgres.test_store import opened as in_postgres
from tests.store.sqlite.test_store import opened as in_file

WORDS = ["tea", "teapot", "milk", "猫咪", "花"]
QUERIES = (*WORDS, "tea milk", "猫", "花 teapot tea")
_numbers = count()


def written(store: Store, seed: int) -> list[object]:
    """What a store finds after many small writes: rows are added, changed and dropped."""
    chance, ids = random.Random(seed), list[str]()

    def text() -> str:
        return " ".join(chance.choices(WORDS, k=chance.randint(1, 9)))

    for n in range(6):
        with store.writing():
            said = [turn(text(), id=f"{n}-{m}") for m in range(chance.randint(1, 20))]
            store.append([(one, key(one.id)) for one in said])
            ids += [store.insert(record(text()), "captured").id for _ in range(8)]
            for id in chance.sample(ids, 5):
                store.update(id, None, "edited", NOW, {"content": text()})
            gone = chance.sample(ids, 3)
            store.erasure.drop_memories(store.erasure.rows_of(gone))
            ids = [id for id in ids if id not in gone]
    found: list[object] = []
    with store.reading():
        for query in QUERIES:
            for index in ("turns", "memories"):
                hits = store.search(index, query_words(query), Filter(), 200)  # type: ignore[arg-type]
                found.append({hit.row: round(hit.score, 6) for hit in hits})
                having = store.having(index, query_words(query))  # type: ignore[arg-type]
                found.append((having.rows, {word: dict(r) for word, r in having.lists.items()}))
    assert store.check(quiet) == []
    return found


@settings(max_examples=how_many(4, 60))
@given(seed=st.integers(0, 1 << 30), rows=st.sampled_from((1, 3, 7)))
def test_blocks_of_any_size_find_what_sqlite_finds(
    shared_postgres: str, tmp_path_factory: pytest.TempPathFactory, seed: int, rows: int
) -> None:
    file = in_file(tmp_path_factory.mktemp("text") / "x.db")
    server = in_postgres(shared_postgres, f"text/{next(_numbers)}")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("loxodon.store.postgres.fulltext._ROWS", rows)
        assert written(server, seed) == written(file, seed)
    file.close()
    server.close()


def test_database_from_before_there_were_blocks(
    postgres: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    postgres.database()
    postgres.ask(f"CREATE DATABASE older OWNER {OWNER}")
    postgres.ask("CREATE EXTENSION vector", "older")
    url, known = postgres.url("older"), every_migration("postgres")
    with monkeypatch.context() as patch:
        before = [path for path in known if not path.endswith("0006_words.sql")]
        patch.setattr(migrations, "migrations", lambda backend: before)
        migrations.migrate(url)

    def put(table: str, *values: object) -> None:
        shown = ", ".join(str(one) if isinstance(one, int) else f"'{one}'" for one in values)
        postgres.ask(f"INSERT INTO loxodon.{table} VALUES ({shown})", "older")

    texts = {3: "tea with milk, tea", 511: "milk", 512: "tea 猫咪"}
    for space in (1, 2):
        postgres.ask(f"INSERT INTO loxodon.spaces (name) VALUES ('s{space}')", "older")
    put("sessions", 2, 1, "s", 3, 0, 0)
    for row, text in texts.items():
        words = index_words(text)
        put("turns", 2, row, 1, f"{row}", f"{row}", "user", "", "", "", "user", 0, 0, text)
        put("indexed", 2, 1, row, len(words), "{" + ",".join(sorted(set(words))) + "}")
        for word in set(words):
            put("words", 2, row, words.count(word), len(words), 1, word)
    put("counters", 2, "rows_turns", 3)
    put("counters", 2, "rows_turns_words", sum(len(index_words(text)) for text in texts.values()))
    assert migrations.migrate(url) == 1
    store = in_postgres(url, "s2")
    hits = store.search("turns", query_words("tea"), Filter(), 9)
    assert [hit.row for hit in hits] == [3, 512]
    assert not [one for one in store.check(quiet) if "turn_index" in str(one)]
    store.close()
    assert not in_postgres(url, "s1").search("turns", query_words("tea"), Filter(), 9)
