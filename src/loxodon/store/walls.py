"""Walls inside a space: what an agent, and a chat that others hear, can see of a store.

A space is a file, and nothing can look across. Agents and audiences share a file, so here a wall
is a view: before any table with content in it stands a view of the same name, in the connection's
own `temp` schema, where SQLite looks first. Whatever is asked through that connection, by whatever
query, today's or one that is written next year, meets the view: search, counts, histories, lookups
by id. What is not to be seen is not there, by the same path and with the same words as what never
was. Only what writes names the tables themselves (`Database.stand_before`).

| | sees |
|---|---|
| the owner (no agent) | everything |
| an agent | its own, what is nobody's (agent ''), and memories whose audience is `all` |
| a group | no private memory, no turn of a direct chat nor one that a private memory came from, |
| | no note, document or page |
| one agent's consolidation (`alone`) | memories and entities that are exactly its own |

What is written through a wall is bound by it too: turns and memories are the agent's, in its own
voice (`voice`), and of the memories that it sees it changes its own (`check_change`).

What agents of one space do share, because it is the same file: how common words are (which orders
what is found), the numbers in ids, and the size of the file. Who must not share even that gets a
space of their own.
"""

from __future__ import annotations

from collections.abc import Mapping

from loxodon.errors import ForbiddenError, InputError
from loxodon.store.documents import Namespace, path_of
from loxodon.trust.origin.provenance import OWN
from loxodon.types import Origin, Record
from loxodon.values import NamedTuple

MAX_AGENT = 64
_MARKS = frozenset("@~/\\")
"""Characters that no agent's name has: sessions are told apart with the first two."""


MAY_NAME: frozenset[Origin] = frozenset({"assistant", "tool", "web", "group"})
"""Origins that whoever is behind a wall may give to words: of any other the user's facts are
read."""


class Wall(NamedTuple):
    """What a store is bound to; as it is, to nothing."""

    agent: str = ""
    group: bool = False
    alone: bool = False
    """Only what is exactly this agent's (where that is empty: nobody's)."""
    relays: bool = False
    """Whether the owner says that whoever is behind it hands on the user's own words."""

    @property
    def stands(self) -> bool:
        return bool(self.agent) or self.group or self.alone

    @property
    def speaks(self) -> bool:
        """Whether who is behind it speaks for themselves, and not for the user."""
        return self.stands and not self.alone and not self.relays

    @property
    def voice(self) -> Origin:
        """Whose words it is that come through this wall, where they claim to be the user's."""
        if not self.speaks:
            return "user"
        return "group" if self.group else "assistant"

    def heard(self, origin: Origin) -> Origin:
        """The origin of words that come through this wall and claim to be of `origin`."""
        return origin if origin in MAY_NAME or not self.speaks else self.voice

    def owns(self, record: Record) -> bool:
        """Whether a memory is for whoever is behind this wall to change as they like."""
        if not self.stands or self.alone:
            return True
        if not self.agent:
            return record.trust == "group" and not record.agent
        return record.agent == self.agent and (self.relays or record.trust not in OWN)

    def check_change(self, record: Record, *, vouched: bool = False) -> None:
        """Refuse a change of a memory that is not for whoever is behind this wall.

        What is not theirs they change by its words alone, and only where those are `vouched` for:
        where the user said them. What hangs on the words changes with them.
        """
        if self.owns(record):
            return
        if record.agent not in ("", self.agent):
            raise ForbiddenError(
                "{id} belongs to another agent: you can read it, but not change it",
                hint="only that agent or the owner can change it; save a memory of your own "
                "instead",
                id=record.id,
            )
        if not vouched:
            raise ForbiddenError(
                "{id} belongs to the owner: you can read it, but not change it",
                hint="ask the owner; an agent can only change its text, to what the user said",
                id=record.id,
            )

    def session(self, name: str) -> str:
        """The name of a session of whoever is behind this wall.

        Two agents who both call theirs `default` have two, so that neither learns from a number,
        or from being told that a turn is known, what the other has there.
        """
        mark = self.agent + ("~group" if self.group else "")
        return name if not mark or name.endswith(f"@{mark}") else f"{name}@{mark}"

    def token(self, name: str) -> str:
        """An idempotency token of whoever is behind this wall; nobody else has the same."""
        if self.agent or self.group:
            return self.session(name)
        return f"{name}@" if "@" in name else name  # what an agent's ends with has no @ at its end

    def admits(self, agent: str, audience: str) -> bool:
        """Whether a memory may be seen, by whose it is and who may be told."""
        if self.group and audience == "private":
            return False
        return not self.agent or agent in ("", self.agent) or audience == "all"


def checked_agent(name: object) -> str:
    """The name of an agent, or empty for none; an InputError for what cannot be one."""
    printable = isinstance(name, str) and len(name) <= MAX_AGENT and name.isprintable()
    if isinstance(name, str) and printable and name == name.strip() and not _MARKS & set(name):
        return name
    raise InputError(
        "{agent} is not a valid agent name",
        hint="use 1 to {most} printable characters, without @ ~ / \\",
        agent=repr(name)[:80],
        most=MAX_AGENT,
    )


def owners_only() -> ForbiddenError:
    """The error for what is done to a space as a whole, asked for from behind a wall."""
    return ForbiddenError(
        "only the owner of the memory can do this",
        hint="repeat it without an agent, and not in a group chat; background jobs do it "
        "automatically",
    )


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
    return {**found, **_BEHIND, **_entities(wall), **_files(wall)}


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
    **{name: _NOTHING.format(name) for name in ("pages", "followed", "imports", "receipts")},
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


def documents_of(agent: str) -> Namespace:
    """The namespace that an agent's documents are in."""
    return (f"@{agent}",) if agent else ()


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
