"""The lists of words in blocks, against those of SQLite; and a database from before."""

from __future__ import annotations

import random
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loxodon.store import Filter
from loxodon.store.database import migrations as every_migration
from loxodon.store.fulltext import FullText, Narrowed
from loxodon.store.postgres import fulltext, migrations
from loxodon.text.words import index_words, query_words
from tests.long import count as how_many
from tests.store.postgres.server import OWNER, Server
from tests.store.postgres.test_store import opened as in_postgres
from tests.store.sqlite.test_store import opened as in_file

_WORDS = ["tea", "teapot", "milk", "猫咪", "花"]
_ASKED = [*_WORDS, "tea*", "猫*"]
_numbers = count()


def _seen(text: FullText, chance: random.Random) -> list[object]:
    said: list[object] = [dict(one) for one in text.lists("turns", _ASKED)]
    said += [text.size("turns"), sorted(text.few("turns", _WORDS, 1_000).items())]
    for _ in range(8):
        words = chance.sample(_ASKED, chance.randint(1, 3))
        first, last = sorted(chance.sample(range(80), 2))
        for near in (Narrowed(), Narrowed(between=(first, last))):
            for every in (True, False):
                said.append(text.newest("turns", words, every, near, chance.randint(1, 30)))
    return said


@settings(max_examples=how_many(4, 60))
@given(seed=st.integers(0, 1 << 30), rows=st.sampled_from((1, 3, 7)))
def test_blocks_hold_what_was_put_in(
    shared_postgres: str, tmp_path_factory: pytest.TempPathFactory, seed: int, rows: int
) -> None:
    stores = (
        in_file(tmp_path_factory.mktemp("text") / "x.db"),
        in_postgres(shared_postgres, f"text/{next(_numbers)}"),
    )
    found = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fulltext, "_ROWS", rows)
        for store in stores:
            chance, text = random.Random(seed), store._indexes.text
            put: dict[int, list[str]] = {}
            for _ in range(6):
                with store.writing():
                    new = chance.sample(range(1, 80), chance.randint(1, 20))
                    store._indexes.drop("turns", put.keys() & set(new))
                    for row in sorted(new):
                        put[row] = chance.choices(_WORDS, k=chance.randint(0, 9))
                    store._indexes.put("turns", [(row, " ".join(put[row])) for row in sorted(new)])
                    gone = chance.sample(sorted(put), len(put) // 4)
                    store._indexes.drop("turns", gone)
                    put = {row: words for row, words in put.items() if row not in gone}
            with store.reading():
                found.append(_seen(text, chance))
                for word, n, _ in text.sums("turns", 0, 0, 0):
                    said = [index_words(" ".join(words)).count(word) for words in put.values()]
                    assert n == sum(said)
            store.close()
    assert found[1] == found[0]


def test_a_database_from_before_there_were_blocks(
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
    texts = {3: "tea with milk, tea", 511: "milk", 512: "tea 猫咪"}
    for space in (1, 2):
        postgres.ask(f"INSERT INTO loxodon.spaces (name) VALUES ('s{space}')", "older")
    postgres.ask("INSERT INTO loxodon.sessions VALUES (2, 1, 's', 3, 0, 0)", "older")
    for row, text in texts.items():
        words = index_words(text)
        of = "2, {}, 1, '{}', '{}', 'user', '', '', '', 'user', 0, 0, '{}'"
        values = of.format(row, row, row, text)
        postgres.ask(f"INSERT INTO loxodon.turns VALUES ({values})", "older")
        listed = "{" + ",".join(sorted(set(words))) + "}"
        values = f"2, 1, {row}, {len(words)}, '{listed}'"
        postgres.ask(f"INSERT INTO loxodon.indexed VALUES ({values})", "older")
        for word in set(words):
            values = f"2, {row}, {words.count(word)}, {len(words)}, 1, '{word}'"
            postgres.ask(f"INSERT INTO loxodon.words VALUES ({values})", "older")
    total = sum(len(index_words(text)) for text in texts.values())
    counts = f"(2, 'rows_turns', 3), (2, 'rows_turns_words', {total})"
    postgres.ask(f"INSERT INTO loxodon.counters VALUES {counts}", "older")
    assert migrations.migrate(url) == 1
    store = in_postgres(url, "s2")
    with store.reading():
        assert [hit.row for hit in store.search("turns", query_words("tea"), Filter(), 9)] == [
            3,
            512,
        ]
        assert not [
            one for one in store.check(lambda done, total: None) if "turn_index" in str(one)
        ]
    store.close()
    assert not in_postgres(url, "s1").search("turns", query_words("tea"), Filter(), 9)
