"""A database from before the word lists were in blocks; `test_same` compares the lists."""

from __future__ import annotations

import pytest

from loxodon.store import Filter
from loxodon.store.driver import migrations as every_migration
from loxodon.store.postgres import migrations
from loxodon.text.words import index_words, query_words
from tests.store.contracts import quiet
from tests.store.postgres.server import OWNER, Server
from tests.store.postgres.test_store import opened as in_postgres


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
