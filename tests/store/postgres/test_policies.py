"""Walls inside a space: row-level security by agent and audience, however a table is named."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import psycopg
import pytest

from loxodon.errors import StoreError
from loxodon.language.statements import Fragment
from loxodon.store import Chunk, CompletedCall, Filter, NoteFile, QuarantinedText, StoredReceipt
from loxodon.store.audit_rows import AuditRow
from loxodon.store.database import migrations as files_of
from loxodon.store.postgres import migrations
from loxodon.store.postgres.pool import Session, begin, connect, role_of
from loxodon.store.postgres.store import PostgresStore
from loxodon.store.sqlite.views import views_of
from loxodon.store.walls import Wall
from loxodon.types import Entity, Event, Segment, Source
from tests.clock import NOW
from tests.store.contracts import key, record, turn
from tests.store.postgres.server import OWNER, Server
from tests.store.postgres.test_store import opened

WALLS = (Wall("coder"), Wall(group=True), Wall("coder", group=True))
NUMBERS = frozenset(
    {
        "counters",
        "meta",
        "common_words",
        "memory_uses",
        "unindexed",
        "model_use",
        "reviews",
        "vector_models",
        "vectors",
        "vector_todo",
        "tombstones",
        "signatures",
        "spaces",
        "migrations",
    }
)
"""Tables of a space, and of all, without words of anybody; see tests/attacks/test_canaries.py."""
WORDS = frozenset({"words", "indexed"})
"""The index: what it leads to is looked up behind the wall."""
NOTES = frozenset({"source_files", "chunks", "chunk_places"})
OTHERS, PRIVATE = "xanadu", "yonder"
"""What another agent has, and what no group may hear."""


def told(url: str, audited: bool = True) -> PostgresStore:
    """A store in which another agent, and the owner in private, have put their word everywhere."""
    store, both = opened(url), f"{OTHERS} {PRIVATE}"
    with store.writing():
        store.append([(turn("shown", id="1", chat="group"), key("1"))])
        store.insert(record("shown", audience="group", sources=(Source("s", "1"),)), "captured")
        _tell(store, OTHERS, 2, "writer", "group")
        _tell(store, PRIVATE, 3, "", "direct")
        store.documents.put((both,), "k", "{}", both, NOW, None, None)
        file = NoteFile("/r", PRIVATE, "note", 1, 1, b"h")
        store.workspace_data.put_file(file, [Chunk(PRIVATE, 1, 1, PRIVATE)], NOW)
        store.worklog.put_page(both, "", both, "{}", NOW)
        store.workspace_data.set_mark(both, "", "{}", NOW)
        if audited:
            store.audit_rows.append([AuditRow(1, both, b"")])
        store.erasure.put_receipts([StoredReceipt("r", 5, both, "", "", "")])
        for table in ("files", "home_files"):
            store._db.run(
                f"INSERT INTO {table} (name, start, data, made) VALUES ('{both}', 0, '', 0)"
            )
    return store


def _tell(store: PostgresStore, word: str, seq: int, agent: str, chat: str) -> None:
    log, audience = store.worklog, "private" if chat == "direct" else "group"
    store.append([(turn(word, word, "1", chat=chat, agent=agent), key(str(seq)))])
    kept = store.insert(
        record(word, agent=agent, audience=audience, sources=(Source(word, "1"),), tags=(word,)),
        "captured",
    )
    store.update(kept.id, None, "edited", NOW, {"content": f"{word} again"})
    store.tokens.put(word, CompletedCall(b"", kept.id, 1), NOW, NOW)
    log.put_segments([Segment(word, seq, seq, NOW, NOW, word, (), word)])
    log.put_fragments([Fragment(seq, 1, word, "statement")])
    log.put_candidates([(seq, f'"{word}"')])
    log.put_event(Event("2026-02-04", NOW, word, "", "", word, 1, "user", agent=agent))
    with store.writing_as(agent):
        log.put_entity(Entity(word, "person", (), NOW, NOW))
    store.workspace_data.put_import(f"{OTHERS} {PRIVATE} {seq}".encode(), kept.id, NOW)
    held = QuarantinedText(0, None, kept.id, 0, 0, word, "", "web", NOW, "held", None)
    store.quarantine.put([held, held._replace(turn=seq, memory="")])


def hidden(wall: Wall) -> list[str]:
    """The words that may not be seen."""
    return [OTHERS] * bool(wall.agent) + [PRIVATE] * wall.group


def _tables(connection: Session) -> list[str]:
    sql = "SELECT tablename::text FROM pg_tables WHERE schemaname = 'loxodon' ORDER BY 1"
    return [name for (name,) in connection.execute(sql).fetchall()]


@contextmanager
def raw(store: PostgresStore, wall: Wall) -> Iterator[Session]:
    """A connection with the settings of a transaction, and no views before the tables."""
    with connect(store._url) as connection:
        role = role_of(store._url, connection)
        connection.execute(begin(store._db.id, wall, role, reading=False))
        connection.execute("SET LOCAL search_path = pg_catalog")
        yield connection
        connection.execute("ROLLBACK")


def _telling(connection: Session, words: Iterable[str]) -> set[str]:
    """The tables that have one of these words."""
    found = set()
    for table in _tables(connection):
        rows = repr(connection.execute(f"SELECT * FROM loxodon.{table}").fetchall())
        if any(word in rows for word in words):
            found.add(table)
    return found


def test_every_table_has_its_wall(postgres_url: str) -> None:
    """A table that is added must be thought about: here, and in a file."""
    opened(postgres_url).close()
    with connect(postgres_url) as connection:
        find = "SELECT tablename::text FROM pg_policies WHERE policyname = 'own_wall'"
        walled = {name for (name,) in connection.execute(find).fetchall()}
        find = "SELECT viewname::text FROM pg_views WHERE schemaname = 'loxodon_wall'"
        views = {name for (name,) in connection.execute(find).fetchall()}
        tables = {*_tables(connection)}
    assert views == {"sessions", "entities", "jobs"}  # columns that may not be seen
    assert tables == walled | views | NUMBERS | WORDS
    in_a_file = {name for wall in WALLS for name in views_of(wall)}
    assert walled | {"jobs"} == in_a_file | {"files", "home_files"}


@pytest.mark.parametrize("login", [OWNER, "postgres"])
def test_whatever_name_a_table_is_given(postgres_url: str, login: str) -> None:
    store = told(postgres_url.replace(OWNER, login, 1))
    with raw(store, Wall()) as connection:
        walled = {*_tables(connection)} - NUMBERS - WORDS - {"jobs"}
        # So that what follows can fail, for each.
        assert _telling(connection, [PRIVATE]) >= walled
        assert _telling(connection, [OTHERS]) >= walled - NOTES
    for wall in WALLS:
        with raw(store, wall) as connection:
            assert _telling(connection, hidden(wall)) <= WORDS
            # What cannot be seen cannot be changed either.
            for table in walled:
                column = "made" if table == "home_files" else "space_id"
                change = f"UPDATE loxodon.{table} SET {column} = {column} RETURNING *"
                rows = repr(connection.execute(change).fetchall())
                assert not any(word in rows for word in hidden(wall)), table
    with raw(
        store, Wall()
    ) as connection:  # a setting alone is enough, and one that is missing safe
        connection.execute("SET LOCAL loxodon.agent = 'coder'")
        assert _telling(connection, [OTHERS]) <= WORDS
    store.close()


def test_nothing_is_written_for_another(postgres_url: str) -> None:
    """Nor is anything added to what cannot be seen."""
    store = told(postgres_url)
    with store.reading():
        ((others, id),) = store._db.all("SELECT row, id FROM memories WHERE agent = 'writer'")
    coder = store.behind(Wall("coder"))
    for sql in (
        f"INSERT INTO memory_labels (label, name, memory) VALUES ('tag', 'x', {others})",
        f"INSERT INTO memory_sources VALUES (DEFAULT, {others}, 9, '', '', NULL, '', 0)",
        f"INSERT INTO memory_changes VALUES (DEFAULT, {others}, 9, 0, 'edited', NULL)",
        "UPDATE turns SET agent = 'writer' WHERE agent = ''",
        "INSERT INTO entity_names (agent, name, entity) VALUES ('writer', 'x', 1)",
        "INSERT INTO documents SELECT * FROM (VALUES (loxodon.space(), 99, '//', '', '', '', 0, 0, "
        "0.0::double precision, 0)) v",
    ):
        with pytest.raises(StoreError, match="row-level security"), coder.writing():
            coder._db.run(sql)
    with coder.writing():
        coder._db.run("DELETE FROM memory_labels")
        coder._db.run("DELETE FROM tokens")
        assert coder.insert(record("mine", agent="writer"), "captured").agent == "coder"
    assert [one.id for one in store.latest("tag", OTHERS, 9)] == [id]
    for one in (store, coder):
        one.close()


def test_a_group_keeps_what_it_cannot_see(postgres_url: str) -> None:
    """What it notes in private, or makes so, is out of its sight and in the owner's."""
    owner = opened(postgres_url)
    group = owner.behind(Wall(group=True))
    with group.writing():
        group.append([(turn("said", id="1"), key("1"))])
        noted = group.insert(record("note", sources=(Source("s", "1"),), tags=("t",)), "captured")
        own = record("mine", audience="group", trust="group", tags=("t",))
        mine = group.insert(own, "captured")
        group.update(mine.id, 1, "edited", NOW, {"audience": "private", "tags": ("u",)})
        assert group.find(Filter()) == []
        # From then on it is as if the turn had never been said, and still is not said twice.
        assert group.journal(Filter(), 0) == []
        assert group.append([(turn("said", id="1"), key("1"))])[0] is not None
        assert group.session_size("s") == 1
    kept = {one.id: one for one in owner.find(Filter())}
    assert (kept[noted.id].sources, kept[mine.id].version) == ((Source("s", "1"),), 2)
    assert [one.id for one in owner.latest("tag", "u", 9)] == [mine.id]
    assert [one.id for one in owner.latest("tag", "t", 9)] == [noted.id]
    for one in (owner, group):
        one.close()


def test_no_statement_leaves_a_wall_open(postgres_url: str) -> None:
    """What goes past it does so for itself alone, and so does one that fails there."""
    store = told(postgres_url)
    coder: Any = store.behind(Wall("coder"))
    db, seen = coder._db, "SELECT count(*) FROM memories"
    (whole,) = store._db.all(seen)
    with coder.writing():
        (before,) = db.all(seen)
        assert db.all("SELECT count(*) FROM main.memories") == [whole] != [before]
        assert db.all(seen) == [before]
        with suppress(StoreError), coder.writing():
            db.all("SELECT 1 / 0 FROM main.memories")
        assert db.all(seen) == [before]
        with suppress(ValueError), coder.writing(), db.past_wall():
            assert db.all(seen) == [whole]
            raise ValueError
        assert db.all(seen) == [before]
        with coder.writing_as("writer"):
            assert db.all(seen) == [(1,)]
            assert db.all("SELECT DISTINCT agent FROM entities") == [("writer",)]
            assert len(db.all("SELECT 1 FROM turns")) == 3
        assert db.all(seen) == [before]
    with coder.reading():
        assert db.all("SELECT count(*) FROM main.memories") == [whole]
        assert db.all(seen) == [before]
    for one in (store, coder):
        one.close()


@pytest.mark.parametrize("login", [OWNER, "postgres"])
def test_behind_a_wall_there_is_no_key_and_no_other_space(postgres_url: str, login: str) -> None:
    url = postgres_url.replace(OWNER, login, 1)
    stores = [opened(url, name) for name in ("ada", "bob")]
    ada, bob = (store._db.id for store in stores)
    with raw(stores[0], Wall()) as connection:
        connection.execute("INSERT INTO loxodon.home_files VALUES ('master.key', 0, 'secret', 1)")
        connection.execute("COMMIT")
    for wall in (*WALLS, Wall("coder", alone=True)):
        with raw(stores[0], wall) as connection:
            for past in ("", "on"):  # the store's own bookkeeping does not get there either
                connection.execute(f"SET LOCAL loxodon.past = '{past}'")
                for sql in (
                    "SELECT name FROM loxodon.home_files",
                    "UPDATE loxodon.home_files SET data = '' RETURNING name",
                    "DELETE FROM loxodon.home_files RETURNING name",
                    f"SELECT name FROM loxodon.spaces WHERE id = {bob}",
                    f"UPDATE loxodon.spaces SET version = 0 WHERE id = {bob} RETURNING name",
                    "DELETE FROM loxodon.spaces RETURNING name",
                ):
                    assert connection.execute(sql).fetchall() == [], (wall, sql)
            assert connection.execute("SELECT id FROM loxodon.spaces").fetchall() == [(ada,)]
            for sql in (
                "INSERT INTO loxodon.spaces (name) VALUES ('carol')",
                "INSERT INTO loxodon.home_files VALUES ('tokens.json', 0, '', 1)",
                f"UPDATE loxodon.spaces SET id = {bob} + 1",
            ):
                connection.execute("SAVEPOINT before")
                with pytest.raises(psycopg.Error, match=r"row-level security|can only be updated"):
                    connection.execute(sql)
                connection.execute("ROLLBACK TO before")
    with raw(stores[0], Wall()) as connection:  # nor does the owner of another space
        for sql in (
            f"UPDATE loxodon.spaces SET version = 0 WHERE id = {bob} RETURNING name",
            f"DELETE FROM loxodon.spaces WHERE id = {bob} RETURNING name",
        ):
            assert connection.execute(sql).fetchall() == []
        assert connection.execute("SELECT name FROM loxodon.home_files").fetchall()
    for store in stores:
        store.close()


@pytest.mark.parametrize("login", [OWNER, "postgres"])
def test_a_database_that_had_views(
    postgres: Server, monkeypatch: pytest.MonkeyPatch, login: str
) -> None:
    """It was made and filled before there were policies, and is opened with them."""
    postgres.ask(f"CREATE DATABASE before_{login} OWNER {OWNER}")
    postgres.ask("CREATE EXTENSION vector", f"before_{login}")
    url = postgres.url(f"before_{login}", login)
    made = [one for one in files_of("postgres") if one.rpartition("/")[2][:4] in _BEFORE]
    with monkeypatch.context() as patch:
        patch.setattr(migrations, "migrations", lambda backend: made)
        told(url, audited=False).close()
        with connect(url) as connection:
            assert "memories" in _views(connection)
    assert migrations.migrate(url) > 0
    store = opened(url)
    for wall in WALLS:
        behind = store.behind(wall)
        said = behind.journal(Filter(), 0)
        texts = [one.content for one in behind.find(Filter())] + [one.content for one in said]
        assert "shown" in texts
        assert not any(word in text for word in hidden(wall) for text in texts)
        assert behind.counts().sessions == len(said)
        with raw(store, wall) as connection:
            assert _telling(connection, hidden(wall)) <= WORDS
        behind.close()
    assert store.check(lambda done, total: None) == []
    assert len(store.find(Filter())) == 3
    with connect(url) as connection:
        assert _views(connection) == ["entities", "jobs", "sessions"]
    store.close()


_BEFORE = ("0001", "0002", "0003", "0004", "0006", "0007", "0100")
"""With 0006 and 0007, whose tables the code of today fills."""


def _views(connection: Session) -> list[str]:
    sql = "SELECT viewname::text FROM pg_views WHERE schemaname LIKE 'loxodon%' ORDER BY 1"
    return [name for (name,) in connection.execute(sql).fetchall()]
