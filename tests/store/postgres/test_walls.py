"""Walls in PostgreSQL: row-level security between spaces, whatever the query."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import psycopg
import pytest

from loxodon.errors import NotFoundError
from loxodon.store import Chunk, Filter, NoteFile, QuestionVector
from loxodon.store.postgres.dialect import translated
from loxodon.store.postgres.pool import ROLE, begin, close_pools, connect, role_of
from loxodon.store.postgres.store import PostgresStore
from loxodon.store.primary import PRIMARY_TABLES
from loxodon.store.walls import Wall
from loxodon.text.words import query_words
from loxodon.types import Entity, Event, Segment, Source
from tests.clock import NOW
from tests.store.contracts import key, record, turn
from tests.store.contracts.vectors import MODEL, SIZE, fill, some
from tests.store.postgres.listening import listening
from tests.store.postgres.server import OWNER, Server
from tests.store.postgres.test_store import opened


def told(url: str, space: str) -> PostgresStore:
    """A store with something in every table that has words."""
    store = opened(url, space)
    with store.writing():
        said = [turn(f"{space} apple {n}", id=f"m{n}") for n in range(4)]
        store.append([(one, key(f"{n}")) for n, one in enumerate(said)])
        kept = store.insert(
            record(f"{space} pear", sources=(Source("s", "m1"),), tags=("t",), entities=("Mei",)),
            "captured",
        )
        store.insert(record("guess", kind="belief", replaces=kept.id, agent="a"), "learned")
        log = store.worklog
        log.put_segments([Segment("s", 1, 4, NOW, NOW, "topic", ("tag",), f"{space} plum")])
        log.put_entity(Entity("Mei", "person", ("Mimi",), NOW, NOW))
        log.put_event(Event("2026-02-04", NOW, "s", "", "", "said", 1, "user"))
        log.put_candidates([(1, "{}")])
        store.documents.put(("a", "b"), "k", "{}", f"{space} fig", NOW, 5.0, NOW)
        file = NoteFile("/r", "a.md", "note", 1, 1, b"h")
        store.workspace_data.put_file(file, [Chunk(f"{space} kiwi", 1, 1)], NOW)
        store.vectors.begin(MODEL)
    fill(store, some(4))
    return store


def tables(server: Server, url: str) -> list[str]:
    """All that belong to a space."""
    database = url.rsplit("/", 1)[1]
    found = server.ask(
        "SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid "
        "WHERE c.relnamespace = 'loxodon'::regnamespace AND c.relkind = 'r' "
        "AND a.attname = 'space_id' ORDER BY 1",
        database,
    )
    return [str(name) for (name,) in found]


@pytest.fixture
def two(postgres_url: str) -> Iterator[tuple[PostgresStore, PostgresStore]]:
    stores = told(postgres_url, "ada"), told(postgres_url, "bob")
    yield stores
    for store in stores:
        store.close()


@pytest.mark.parametrize("login", [OWNER, "postgres"])
def test_a_query_that_forgets_its_space_sees_nothing(
    postgres: Server, two: tuple[PostgresStore, PostgresStore], login: str
) -> None:
    """For the owner of the tables, and for a superuser, who takes on a role that is bound."""
    url = two[0]._url
    url = url.replace(OWNER, login, 1)
    opened(url, "ada").close()
    with connect(url) as connection:
        role = role_of(url, connection)
        assert role == ("" if login == OWNER else ROLE)
        for table in tables(postgres, url):
            connection.execute("BEGIN" + (f"; SET LOCAL ROLE {role}" if role else ""))
            assert connection.execute(f"SELECT count(*) FROM loxodon.{table}").fetchall() == [(0,)]
            connection.execute("ROLLBACK")
            connection.execute(begin(two[0]._db.id, Wall(), role, reading=True))
            rows = connection.execute(f"SELECT DISTINCT space_id FROM loxodon.{table}").fetchall()
            assert rows in ([], [(two[0]._db.id,)]), table
            connection.execute("ROLLBACK")


def test_nothing_can_be_put_into_another_space(two: tuple[PostgresStore, PostgresStore]) -> None:
    ada, bob = two
    for sql in (
        f"INSERT INTO loxodon.meta (space_id, name, value) VALUES ({bob._db.id}, 'x', 'y')",
        f"UPDATE loxodon.meta SET space_id = {bob._db.id}",
    ):
        with pytest.raises(Exception, match="row-level security"), ada.writing():
            ada._db.run(sql)
    with ada.writing():
        ada._db.run(f"DELETE FROM loxodon.turns WHERE space_id = {bob._db.id}")
    assert len(bob.journal(Filter(), 0)) == 4


def test_every_table_of_a_space_has_its_wall(postgres: Server, postgres_url: str) -> None:
    opened(postgres_url).close()
    found = tables(postgres, postgres_url)
    assert PRIMARY_TABLES.keys() <= {*found}
    database = postgres_url.rsplit("/", 1)[1]
    bound = postgres.ask(
        "SELECT c.relname FROM pg_class c JOIN pg_policy p ON p.polrelid = c.oid "
        "WHERE c.relrowsecurity AND c.relforcerowsecurity AND p.polcmd = '*' "
        "AND pg_get_expr(p.polqual, p.polrelid) LIKE '(space_id = %space())' ORDER BY 1",
        database,
    )
    assert [name for (name,) in bound] == found
    # Its space leads every key and index.
    led = postgres.ask(
        "SELECT i.indexrelid::regclass FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid "
        "JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'space_id' "
        "WHERE c.relnamespace = 'loxodon'::regnamespace AND i.indkey[0] <> a.attnum",
        database,
    )
    assert led == []
    referring = postgres.ask(
        "SELECT conname FROM pg_constraint c JOIN pg_attribute a "
        "ON a.attrelid = c.conrelid AND a.attname = 'space_id' "
        "WHERE c.contype = 'f' AND c.connamespace = 'loxodon'::regnamespace "
        "AND c.conkey[1] <> a.attnum",
        database,
    )
    assert referring == []


# Every query is bound to its space by an index


def test_every_query_is_bound_to_its_space_by_an_index(postgres: Server, postgres_url: str) -> None:
    with listening() as sent:
        store = told(postgres_url, "ada")
        _use(store)
        _use(store.behind(Wall("a")))
    asked = {*sent, *(translated(sql) for sql in store._db.sql.values())}
    plans = {
        sql for sql in asked if sql.split()[0] in ("SELECT", "WITH", "INSERT", "UPDATE", "DELETE")
    }
    assert len(plans) > 200
    wrong = []
    with connect(postgres_url) as connection:
        for wall in (Wall(), Wall("a")):
            connection.execute(begin(store._db.id, wall, "", reading=False))
            connection.execute("SET LOCAL enable_seqscan = off")
            for sql in sorted(plans):
                plan = connection.execute(f"EXPLAIN (GENERIC_PLAN, FORMAT JSON) {sql}")
                wrong += [(sql, node) for node in _unbound(plan.fetchall()[0][0][0]["Plan"])]
            connection.execute("ROLLBACK")
    assert not wrong, json.dumps(wrong[:3], indent=1)
    free = postgres.ask(  # without row-level security, nothing binds it: the test can tell
        "EXPLAIN (FORMAT JSON) SELECT 1 FROM loxodon.turns WHERE content = 'x'",
        postgres_url.rsplit("/", 1)[1],
    )
    assert _unbound(free[0][0][0]["Plan"])  # type: ignore[index]
    store.close()


def _use(store: Any) -> None:
    """Ask most of what there is to ask."""
    times: dict[str, Any] = {"since": NOW - timedelta(days=9), "until": NOW + timedelta(days=9)}
    owner = not store.wall.stands
    for query in ("apple pear", "苹", "plum fig kiwi"):
        words = query_words(query)
        for index in ("turns", "memories", "archive", "segments", "chunks", "documents"):
            for where in (Filter(), Filter(**times), Filter(project="x", session="s")):
                store.search(index, words, where, 5)
            store.having(index, words)
            store.rare(index, words, 5)
    rows = [1, 2, 3]
    store.find(Filter(kind="fact", state="active", tag="t", entity="Mei", trust=("user",)))
    store.find(Filter(), strongest=True)
    store.foremost(Filter(), ["x"], 3)
    for ask in (store.records, store.turns, store.places, store.beside, store.standing):
        ask(rows)
    for ask in (store.successors, store.told_at, store.sources, store.stretches):
        ask(rows)
    for ask in (store.drawn_from, store.outcomes):
        ask(rows)
    store.live(rows, NOW)
    store.history("f_20260204_001") if owner else None
    store.entities_named(["mei"])
    store.named(["mei", "x"])
    store.latest("tag", "t", 3)
    store.admitted("turns", rows, Filter(audience="group"))
    store.vectors.similar("turns", [QuestionVector(MODEL, some(1)[0])], 3, Filter(**times))
    store.vectors.coverage(MODEL)
    store.worklog.segments()
    store.worklog.events()
    store.worklog.reviews()
    store.worklog.turns_before("s", 9, 3)
    store.workspace_data.notes([1])
    store.quarantine.in_turns(rows)
    store.documents.newest(("a",), 3)
    store.counts()
    with store.writing():
        store.known([(turn("x"), key("1"))])
    if owner:
        assert store.check(lambda done, total: None) == []
        for table in PRIMARY_TABLES:
            list(store.primary.dump(table))
        with store.writing():
            store.erasure.redact({1: ("gone", b"k")})
            store.erasure.drop_memories([2])
            store.erasure.rename("Mei", "Ann")
            store.worklog.index(10)


def _unbound(plan: dict[str, Any]) -> list[dict[str, Any]]:
    """The scans of a plan that read a table without its space in the condition of an index."""
    found = []
    name = plan.get("Relation Name", "")
    of_ours = plan["Node Type"].endswith(("Seq Scan", "Index Scan", "Index Only Scan"))
    if of_ours and (name or "Index Name" in plan) and name not in ("spaces", "migrations"):
        catalog = name.startswith("pg_")
        if not catalog and "space_id" not in plan.get("Index Cond", ""):
            found.append({one: plan[one] for one in plan if one != "Plans"})
    for inner in plan.get("Plans", ()):
        found += _unbound(inner)
    return found


# Agents and groups


def test_a_wall_within_a_space(postgres_url: str) -> None:
    owner = opened(postgres_url)
    with owner.writing():
        owner.append([(turn("apple direct", id="1"), key("1"))])
        owner.append([(turn("apple group", id="2", chat="group"), key("2"))])
        mine = owner.insert(record("apple of a", agent="a"), "captured")
        other = owner.insert(record("apple of b", agent="b"), "captured")
        shared = owner.insert(record("apple of b for all", agent="b", audience="all"), "captured")
    agent, group = owner.behind(Wall("a")), owner.behind(Wall(group=True))
    assert {one.id for one in agent.find(Filter())} == {mine.id, shared.id}
    assert {one.id for one in group.find(Filter())} == {shared.id}
    assert [one.content for one in group.journal(Filter(), 0)] == ["apple group"]
    assert len(agent.search("memories", ["appl"], Filter(), 9)) == 2
    assert agent.get(other.id) is None
    with pytest.raises(NotFoundError):
        agent.history(other.id)
    with owner.writing_as("b"):
        assert {one.id for one in owner.find(Filter())} == {other.id, shared.id}
    assert len(owner.find(Filter())) == 3
    for store in (owner, agent, group):
        store.close()


def test_a_login_that_row_level_security_does_not_bind(postgres: Server) -> None:
    """A superuser makes the role with the schema, and every transaction takes it on."""
    postgres.ask("CREATE DATABASE by_superuser")
    url = postgres.url("by_superuser", "postgres")
    store = told(url, "ada")
    with store.reading():
        assert store._db.all("SELECT current_user::text") == [(ROLE,)]
    _use(store)
    with pytest.raises(Exception, match="must be owner"), store.writing():
        store._db.run("DROP TABLE loxodon.turns")
    store.close()
    close_pools()
    with psycopg.connect(url) as connection:
        assert connection.execute(
            f"SELECT rolbypassrls OR rolcanlogin FROM pg_roles WHERE rolname = '{ROLE}'"
        ).fetchone() == (False,)


def test_sizes_are_not_told_behind_a_wall(postgres_url: str) -> None:
    store = told(postgres_url, "ada")
    assert store.size() > 100
    assert store.behind(Wall("a")).size() == 0
    assert SIZE > 0
    store.close()
