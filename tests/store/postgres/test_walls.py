"""Walls in PostgreSQL: row-level security by space, agent and audience, whatever the query."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest

from loxodon.errors import StoreError
from loxodon.language.statements import Fragment
from loxodon.store import Chunk, Filter, NoteFile, QuarantinedText, QuestionVector, StoredReceipt
from loxodon.store.driver import HOLE, SQL, entries
from loxodon.store.postgres.database import PostgresDatabase
from loxodon.store.postgres.pool import ROLE, Session, begin, close_pools, connect, role_of
from loxodon.store.primary import PRIMARY_TABLES
from loxodon.store.store import Store
from loxodon.store.walls import Wall
from loxodon.text.words import query_words
from loxodon.types import Entity, Event, Segment, Source
from tests.clock import NOW
from tests.store.contracts import DAY, key, quiet, record, turn
from tests.store.contracts.vectors import MODEL, fill, some
from tests.store.postgres.listening import listening
from tests.store.postgres.server import OWNER, Server
from tests.store.postgres.test_store import opened

WALLS = (Wall("coder"), Wall(group=True), Wall("coder", group=True))
_NUMBERS = (
    "counters meta common_words memory_uses unindexed model_use reviews vector_models vectors",
    "vector_signs vector_todo tombstones spaces migrations",
)
# Tables of a space, and of all, without words of anybody; see tests/attacks/test_canaries.py
NUMBERS = frozenset(name for names in _NUMBERS for name in names.split())
WORDS = frozenset({"words", "indexed"})  # the index: what it leads to is looked up behind the wall
OTHERS, PRIVATE = "xanadu", "yonder"  # what another agent has, and what no group may hear


def driver(store: Store) -> PostgresDatabase:
    assert isinstance(store._db, PostgresDatabase)
    return store._db


def told(url: str, space: str = "main") -> Store:
    """A store in which another agent, and the owner in private, have put their word everywhere."""
    store, both = opened(url, space), f"{OTHERS} {PRIVATE}"
    with store.writing():
        store.append([(turn("shown", id="1", chat="group"), key("1"))])
        store.insert(record("shown", audience="group", sources=(Source("s", "1"),)), "captured")
        _tell(store, OTHERS, 2, "writer", "group")
        _tell(store, PRIVATE, 3, "", "direct")
        store.documents.put((both,), "k", "{}", both, NOW)
        file = NoteFile("/r", PRIVATE, "note", 1, 1, b"h")
        store.workspace_data.put_file(file, [Chunk(PRIVATE, 1, 1, PRIVATE)], NOW)
        store.worklog.put_page(both, "", both, "{}", NOW)
        store.execute("set_mark", both, "", "{}", NOW)
        store.execute("put_audit", 1, both, b"")
        store.working_sessions.put(both, "{}")
        store.working_sessions.append(both, 0, [both])
        store.execute_many("put_receipt", [StoredReceipt("r", NOW, both, "", {}, ())])
        store._db.run(f"INSERT INTO home_state VALUES ('{both} {space}', '', 0)")
        store.execute("put_vector_model", MODEL, b"")
    fill(store, some(3))
    return store


def _tell(store: Store, word: str, seq: int, agent: str, chat: str) -> None:
    log, audience = store.worklog, "private" if chat == "direct" else "group"
    store.append([(turn(word, word, "1", chat=chat, agent=agent), key(str(seq)))])
    kept = store.insert(
        record(word, agent=agent, audience=audience, sources=(Source(word, "1"),), tags=(word,)),
        "captured",
    )
    store.update(kept.id, None, "edited", NOW, {"content": f"{word} again"})
    store.execute("put_call", word, b"", 1, NOW, kept.id)
    log.put_segments([Segment(word, seq, seq, NOW, NOW, word, (), word)])
    store.execute_many("cut_fragment", [Fragment(seq, 1, word, "statement")])
    store.execute_many("put_candidate", [(seq, f'"{word}"')])
    event = Event("2026-02-04", NOW, word, "", "", word, 1, "user", agent=agent)
    store.execute("put_event", *event)
    with store.writing_as(agent):
        log.put_entity(Entity(word, "person", (), NOW, NOW))
    store.execute("put_import", f"{OTHERS} {PRIVATE} {seq}".encode(), kept.id, NOW)
    held = QuarantinedText(0, None, kept.id, 0, 0, word, "", "web", NOW, "held", None)
    store.quarantine.put([held, held._replace(turn=seq, memory="")])


def hidden(wall: Wall) -> list[str]:
    """The words that may not be seen."""
    return [OTHERS] * bool(wall.agent) + [PRIVATE] * wall.group


def asked(connection: Session, sql: str) -> list[str]:
    return [str(row[0]) for row in connection.execute(sql).fetchall()]


def tables(connection: Session, of_a_space: bool = False) -> list[str]:
    having = (
        "AND EXISTS (SELECT 1 FROM information_schema.columns c WHERE c.table_schema = 'loxodon' "
        "AND c.table_name = tablename AND c.column_name = 'space_id')"
    )
    sql = "SELECT tablename FROM pg_tables WHERE schemaname = 'loxodon' "
    return asked(connection, f"{sql} {having if of_a_space else ''} ORDER BY 1")


@contextmanager
def raw(store: Store, wall: Wall) -> Iterator[Session]:
    """A connection with the settings of a transaction, and no views before the tables."""
    with connect(driver(store).url) as connection:
        role = role_of(driver(store).url)
        connection.execute(begin(driver(store).id, wall, role, lock_seconds=5.0))
        connection.execute("SET LOCAL search_path = pg_catalog")
        yield connection
        connection.execute("ROLLBACK")


def telling(connection: Session, words: Iterable[str]) -> set[str]:
    """The tables that have one of these words."""
    found = set()
    for table in tables(connection):
        rows = repr(connection.execute(f"SELECT * FROM loxodon.{table}").fetchall())
        if any(word in rows for word in words):
            found.add(table)
    return found


# Between spaces


@pytest.mark.parametrize("login", [OWNER, "postgres"])
def test_query_that_forgets_its_space_sees_nothing(postgres_url: str, login: str) -> None:
    """For the owner of the tables, and for a superuser, who takes on a role that is bound."""
    url = postgres_url.replace(OWNER, login, 1)
    ada, bob = told(url, "ada"), told(url, "bob")
    with connect(url) as connection:
        role = role_of(url)
        assert role == ("" if login == OWNER else ROLE)
        for table in tables(connection, of_a_space=True):
            connection.execute("BEGIN" + (f"; SET LOCAL ROLE {role}" if role else ""))
            assert connection.execute(f"SELECT count(*) FROM loxodon.{table}").fetchall() == [(0,)]
            connection.execute("ROLLBACK")
            connection.execute(begin(driver(ada).id, Wall(), role, lock_seconds=0.0))
            rows = connection.execute(f"SELECT DISTINCT space_id FROM loxodon.{table}").fetchall()
            assert rows in ([], [(driver(ada).id,)]), table
            connection.execute("ROLLBACK")
    for sql in (
        f"INSERT INTO loxodon.meta (space_id, name, value) VALUES ({driver(bob).id}, 'x', 'y')",
        f"UPDATE loxodon.meta SET space_id = {driver(bob).id}",
    ):
        with pytest.raises(StoreError, match="row-level security"), ada.writing():
            ada._db.run(sql)
    with ada.writing():
        ada._db.run(f"DELETE FROM loxodon.turns WHERE space_id = {driver(bob).id}")
    assert len(bob.journal(Filter(), 0)) == 3
    for store in (ada, bob):
        store.close()


def test_every_table_has_its_walls(postgres_url: str) -> None:
    """A table that is added must be thought about: here, and in a migration."""
    opened(postgres_url).close()
    with connect(postgres_url) as connection:
        of_a_space = tables(connection, of_a_space=True)
        assert PRIMARY_TABLES.keys() <= {*of_a_space}
        bound = asked(
            connection,
            "SELECT c.relname FROM pg_class c JOIN pg_policy p ON p.polrelid = c.oid "
            "WHERE c.relrowsecurity AND c.relforcerowsecurity AND p.polcmd = '*' "
            "AND pg_get_expr(p.polqual, p.polrelid) LIKE '(space_id = %space())' ORDER BY 1",
        )
        assert bound == of_a_space
        space = "JOIN pg_attribute a ON a.attname = 'space_id' AND a.attrelid ="
        for led_by_another in (
            f"SELECT indexrelid::regclass FROM pg_index i {space} i.indrelid "
            "WHERE indrelid::regclass::text LIKE 'loxodon.%' AND indkey[0] <> a.attnum",
            f"SELECT conname FROM pg_constraint c {space} c.conrelid WHERE contype = 'f' "
            "AND connamespace = 'loxodon'::regnamespace AND conkey[1] <> a.attnum",
        ):
            assert asked(connection, led_by_another) == []
        walled = asked(
            connection, "SELECT tablename FROM pg_policies WHERE policyname = 'own_wall'"
        )
        views = asked(connection, "SELECT viewname FROM pg_views WHERE schemaname = 'loxodon_wall'")
        assert {*views} == {"sessions", "entities", "jobs"}  # columns that may not be seen
        assert {*tables(connection)} == {*walled, *views} | NUMBERS | WORDS


# Within a space


def test_nothing_is_written_for_another_agent(postgres_url: str) -> None:
    store = told(postgres_url)
    with store.reading():
        ((others, id),) = store._db.all("SELECT row, id FROM memories WHERE agent = 'writer'")
    coder = store.behind(Wall("coder"))
    for sql in (
        f"INSERT INTO loxodon.memory_labels (label, name, memory) VALUES ('tag', 'x', {others})",
        f"INSERT INTO loxodon.memory_sources VALUES (DEFAULT, {others}, 9, '', '', NULL, '', 0)",
        f"INSERT INTO loxodon.memory_changes VALUES (DEFAULT, {others}, 9, 0, 'edited', NULL)",
        "UPDATE loxodon.turns SET agent = 'writer' WHERE agent = ''",
        "INSERT INTO loxodon.entity_names (agent, name, entity) VALUES ('writer', 'x', 1)",
        "INSERT INTO loxodon.documents SELECT * FROM (VALUES (loxodon.space(), 99, '//', '', '', "
        "'', 0, 0, 0.0::double precision, 0)) v",
    ):
        with pytest.raises(StoreError, match="row-level security"), coder.writing():
            coder._db.run(sql)
    with coder.writing():
        coder._db.run("DELETE FROM loxodon.memory_labels")
        coder._db.run("DELETE FROM loxodon.tokens")
        assert coder.insert(record("mine", agent="writer"), "captured").agent == "coder"
    assert [one.id for one in store.latest("tag", OTHERS, 9)] == [id]
    for one in (store, coder):
        one.close()


def test_group_keeps_what_it_cannot_see(postgres_url: str) -> None:
    """What it notes in private, or makes so, is out of its sight and in the owner's."""
    owner = opened(postgres_url)
    group = owner.behind(Wall(group=True))
    with group.writing():
        group.append([(turn("said", id="1"), key("1"))])
        noted = group.insert(record("note", sources=(Source("s", "1"),), tags=("t",)), "captured")
        own = record("mine", audience="group", trust="group", tags=("t",))
        mine = group.insert(own, "captured")
        group.update(mine.id, 1, "edited", NOW, {"audience": "private", "tags": ("u",)})
        # From then on it is as if the turn had never been said, and still is not said twice.
        assert (group.find(Filter()), group.journal(Filter(), 0)) == ([], [])
        assert group.append([(turn("said", id="1"), key("1"))])[0] is not None
        assert group.scalar("session_size", "s") == 1
    kept = {one.id: one for one in owner.find(Filter())}
    assert (kept[noted.id].sources, kept[mine.id].version) == ((Source("s", "1"),), 2)
    for tag, id in (("u", mine.id), ("t", noted.id)):
        assert [one.id for one in owner.latest("tag", tag, 9)] == [id]
    for one in (owner, group):
        one.close()


def test_superuser_is_bound_by_a_role(postgres: Server) -> None:
    """It makes the role with the schema, and every transaction takes it on."""
    postgres.ask("CREATE DATABASE by_superuser")
    url = postgres.url("by_superuser", "postgres")
    store = told(url, "ada")
    with store.reading():
        assert store._db.all("SELECT current_user::text") == [(ROLE,)]
    with pytest.raises(StoreError, match="must be owner"), store.writing():
        store._db.run("DROP TABLE loxodon.turns")
    store.close()
    close_pools()
    with psycopg.connect(url) as connection:
        assert connection.execute(
            f"SELECT rolbypassrls OR rolcanlogin FROM pg_roles WHERE rolname = '{ROLE}'"
        ).fetchone() == (False,)


# Every query is bound to its space by an index


def test_every_query_is_bound_to_its_space_by_an_index(postgres_url: str) -> None:
    with listening() as sent:
        store = told(postgres_url)
        use(store)
        use(store.behind(Wall("a")))
    of_all = {one.text for one in entries([f"{SQL}/postgres/directory.sql"])}
    whole = {sql for sql in store._db.sql.values() if not HOLE.search(sql) and "?" not in sql}
    every = {*sent, *(whole - of_all)}
    kinds = ("SELECT", "WITH", "INSERT", "UPDATE", "DELETE")
    plans = {sql for sql in every if sql.split()[0] in kinds}
    assert len(plans) > 200
    wrong = []
    with connect(postgres_url) as connection:
        for wall in (Wall(), Wall("a")):
            connection.execute(begin(driver(store).id, wall, "", lock_seconds=5.0))
            connection.execute("SET LOCAL enable_seqscan = off")
            for sql in sorted(plans):
                plan = connection.execute(f"EXPLAIN (GENERIC_PLAN, FORMAT JSON) {sql}")
                wrong += [(sql, node) for node in unbound(plan.fetchall()[0][0][0]["Plan"])]
            connection.execute("ROLLBACK")
    assert not wrong, json.dumps(wrong[:3], indent=1)
    store.close()


def use(store: Any) -> None:
    """Ask most of what there is to ask."""
    times: dict[str, Any] = {"since": NOW - 9 * DAY, "until": NOW + 9 * DAY}
    for query in ("apple pear", "苹", OTHERS):
        words = query_words(query)
        for index in ("turns", "memories", "archive", "segments", "chunks", "documents"):
            for where in (Filter(), Filter(**times), Filter(project="x", session="s")):
                store.search(index, words, where, 5)
            store.having(index, words)
            store.rare(index, words, 5)
    store.find(Filter(kind="fact", state="active", tag="t", entity="Mei", trust=("user",)))
    store.find(Filter(), strongest=True)
    store.foremost(Filter(), ["x"], 3)
    for ask in (store.records, store.turns, store.places, store.beside):
        ask([1, 2, 3])
    for name in ("standing", "successors", "told_at"):
        store.query(name, [1, 2, 3])
    for ask in (store.sources, store.drawn_from):
        ask([1, 2, 3])
    store.outcomes([1, 2, 3])
    store.named(["mei", "x"])
    store.latest("tag", "t", 3)
    store.admitted("turns", [1, 2], Filter(audience="group"))
    store.vectors.similar("turns", QuestionVector(MODEL, some(1)[0]), 3, Filter(**times))
    store.vectors.coverage(MODEL)
    store.counts()
    store.query("events", "")
    store.query_turns("turns_before", "s", 9, 3)
    store.workspace_data.notes([1])
    store.quarantine.in_turns([1, 2])
    store.documents.newest(("a",), 3)
    with store.writing():
        store.known([(turn("x"), key("1"))])
    if not store.wall.stands:
        store.history("f_20260204_001")
        assert store.check(quiet) == []
        for table in PRIMARY_TABLES:
            list(store.primary.dump(table))
        with store.writing():
            store.erasure.redact({1: ("gone", b"k")})
            store.erasure.drop_memories([2])
            store.erasure.rename("Mei", "Ann")
            store.worklog.index(10)


def unbound(plan: dict[str, Any]) -> list[dict[str, Any]]:
    """The scans of a plan that read a table without its space in the condition of an index."""
    found = []
    name = plan.get("Relation Name", "")
    of_ours = plan["Node Type"].endswith(("Seq Scan", "Index Scan", "Index Only Scan"))
    if of_ours and (name or "Index Name" in plan) and name not in ("spaces", "migrations"):
        catalog = name.startswith("pg_")
        if not catalog and "space_id" not in plan.get("Index Cond", ""):
            found.append({one: plan[one] for one in plan if one != "Plans"})
    for inner in plan.get("Plans", ()):
        found += unbound(inner)
    return found


@pytest.mark.parametrize("login", [OWNER, "postgres"])
def test_behind_a_wall_there_is_no_key_and_no_other_space(postgres_url: str, login: str) -> None:
    url = postgres_url.replace(OWNER, login, 1)
    stores = [opened(url, name) for name in ("ada", "bob")]
    ada, bob = (driver(store).id for store in stores)
    with raw(stores[0], Wall()) as connection:
        connection.execute("INSERT INTO loxodon.home_state VALUES ('master.key', 'secret', 1)")
        connection.execute("COMMIT")
    for wall in (*WALLS, Wall("coder", alone=True)):
        with raw(stores[0], wall) as connection:
            for past in ("", "on"):  # the store's own bookkeeping does not get there either
                connection.execute(f"SET LOCAL loxodon.past = '{past}'")
                for sql in (
                    "SELECT name FROM loxodon.home_state",
                    "UPDATE loxodon.home_state SET value = '' RETURNING name",
                    "DELETE FROM loxodon.home_state RETURNING name",
                    f"SELECT name FROM loxodon.spaces WHERE id = {bob}",
                    f"UPDATE loxodon.spaces SET version = 0 WHERE id = {bob} RETURNING name",
                    "DELETE FROM loxodon.spaces RETURNING name",
                ):
                    assert connection.execute(sql).fetchall() == [], (wall, sql)
            assert connection.execute("SELECT id FROM loxodon.spaces").fetchall() == [(ada,)]
            for sql in (
                "INSERT INTO loxodon.spaces (name) VALUES ('carol')",
                "INSERT INTO loxodon.home_state VALUES ('tokens.json', '', 1)",
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
        assert connection.execute("SELECT name FROM loxodon.home_state").fetchall()
    for store in stores:
        store.close()
