"""Walls as SQLite keeps them up: a view before every table with content in it.

The view has the name of the table and stands in the connection's own `temp` schema, where SQLite
looks first. Whatever is asked through that connection, by whatever query, today's or one that is
written next year, meets the view: search, counts, histories, lookups by id. What is not to be seen
is not there, by the same path and with the same words as what never was. Only what writes names the
tables themselves (`Database.stand_behind`).
"""

from __future__ import annotations

from collections.abc import Mapping

from loxodon.store.walls import Wall, documents_of, path_of


def views_of(wall: Wall) -> Mapping[str, str]:
    """The view that stands before each table, by name, those that others look at first."""
    if not wall.stands:
        return {}
    memory = " AND ".join(_memory(wall))
    found = {
        "memories": f"SELECT * FROM main.memories t WHERE {memory}",
        "memory_labels": f"SELECT * FROM main.memory_labels t WHERE {_OF_MEMORY}",
    }
    if wall.alone:
        own = f"agent = {_quoted(wall.agent)}"
        names = ("entities", "entity_names")
        return {**found, **{name: f"SELECT * FROM main.{name} WHERE {own}" for name in names}}
    found["turns"] = f"SELECT * FROM main.turns t WHERE {' AND '.join(_turn(wall))}"
    return {**found, **_BEHIND, **_entities(wall), **_files(wall), **_working(wall)}


_OF_MEMORY = "EXISTS (SELECT 1 FROM memories m WHERE m.row = t.memory)"

_OF_TURN = "EXISTS (SELECT 1 FROM turns u WHERE u.seq = t.turn)"

_NOTHING = "SELECT * FROM main.{} WHERE 0"

_BEHIND = {
    "memory_changes": f"SELECT * FROM main.memory_changes t WHERE {_OF_MEMORY}",
    # Where a memory comes from is told as far as that may be seen itself.
    "memory_sources": f"SELECT * FROM main.memory_sources t WHERE {_OF_MEMORY} AND "
    "EXISTS (SELECT 1 FROM turns u WHERE u.seq = t.seq)",
    "tokens": f"SELECT * FROM main.tokens t WHERE {_OF_MEMORY}",
    "sessions": "SELECT s.no, s.id, "
    "(SELECT count(*) FROM turns u WHERE u.session = s.no) AS turns, "
    "(SELECT min(u.at) FROM turns u WHERE u.session = s.no) AS first_at, "
    "(SELECT max(u.at) FROM turns u WHERE u.session = s.no) AS last_at "
    "FROM main.sessions s WHERE EXISTS (SELECT 1 FROM turns u WHERE u.session = s.no)",
    # A stretch of talk is told where all of it may be.
    "segments": "SELECT * FROM main.segments t WHERE NOT EXISTS (SELECT 1 FROM main.turns u "
    "WHERE u.session = t.session AND u.seq BETWEEN t.first_turn AND t.last_turn "
    "AND u.seq NOT IN (SELECT v.seq FROM turns v WHERE v.seq = u.seq))",
    "fragments": f"SELECT * FROM main.fragments t WHERE {_OF_TURN}",
    "candidates": f"SELECT * FROM main.candidates t WHERE {_OF_TURN}",
    "quarantine": "SELECT * FROM main.quarantine t WHERE CASE WHEN t.turn IS NOT NULL "
    f"THEN {_OF_TURN} ELSE EXISTS (SELECT 1 FROM memories m WHERE m.id = t.memory) END",
    "jobs": "SELECT name, last_at, seconds, '{}' AS counts, succeeded_at, failed_at, '' AS error, "
    "failures, runs FROM main.jobs",
    # Pages are the owner's; what is read from behind a wall is made anew of what can be seen.
    **{
        name: _NOTHING.format(name)
        for name in ("pages", "followed", "imports", "receipts", "audit")
    },
}


def _memory(wall: Wall) -> list[str]:
    if wall.alone:
        return [f"t.agent = {_quoted(wall.agent)}"]
    found = [f"(t.agent IN ('', {_quoted(wall.agent)}) OR t.audience = 'all')"] * bool(wall.agent)
    return [*found, *(["t.audience <> 'private'"] if wall.group else [])]


def _turn(wall: Wall) -> list[str]:
    found = [f"t.agent IN ('', {_quoted(wall.agent)})"] if wall.agent else []
    if wall.group:
        found.append(
            "t.chat <> 'direct' AND NOT EXISTS (SELECT 1 FROM main.memory_sources s "
            "JOIN main.memories m ON m.row = s.memory WHERE s.seq = t.seq "
            "AND m.audience = 'private')"
        )
    return found


def _entities(wall: Wall) -> Mapping[str, str]:
    """An entity is its agent's; a group knows those that a memory it may hear is filed under, by
    that name alone."""
    own = f"t.agent IN ('', {_quoted(wall.agent)})" if wall.agent else "1"
    filed = "EXISTS (SELECT 1 FROM memory_labels l WHERE l.label = 'entity' AND l.name = "
    events = f"SELECT * FROM main.events t WHERE {own}"
    if not wall.group:
        return {
            "entities": f"SELECT * FROM main.entities t WHERE {own}",
            "entity_names": f"SELECT * FROM main.entity_names t WHERE {own}",
            "events": events,
        }
    return {
        "entity_names": f"SELECT * FROM main.entity_names t WHERE {own} AND {filed} t.name)",
        "entities": "SELECT t.no, t.name, t.type, '[]' AS aliases, t.created_at, t.updated_at, "
        f"t.agent FROM main.entities t WHERE {own} AND EXISTS (SELECT 1 FROM entity_names n "
        "WHERE n.entity = t.no AND n.agent = t.agent)",
        # An event is of a session and a day, and has no chat of its own.
        "events": f"{events} AND NOT EXISTS (SELECT 1 FROM main.sessions s "
        "JOIN main.turns u ON u.session = s.no WHERE s.id = t.session "
        "AND u.seq NOT IN (SELECT v.seq FROM turns v WHERE v.seq = u.seq))",
    }


def _files(wall: Wall) -> Mapping[str, str]:
    """Notes are the owner's and for the agents, not for a group; documents are each agent's own."""
    if wall.group:
        names = ("source_files", "chunks", "chunk_places", "documents")
        return {name: _NOTHING.format(name) for name in names}
    path = path_of(documents_of(wall.agent))
    begin, end = _quoted(path), _quoted(f"{path[:-1]}0")  # '0' comes right after '/'
    where = f"namespace >= {begin} AND namespace < {end}"
    return {"documents": f"SELECT * FROM main.documents WHERE {where}"}


def _working(wall: Wall) -> Mapping[str, str]:
    own = f"owner = {_quoted(wall.mark)}"
    names = ("working_sessions", "transcript_lines")
    return {name: f"SELECT * FROM main.{name} WHERE {own}" for name in names}


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
