"""The walls of each backend from within: what the canary suite looks at below the surfaces."""

from __future__ import annotations

from collections.abc import Iterator, Set
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import apsw

from loxodon import Memory
from loxodon.store.walls import Wall
from tests.looking import rows_of

if TYPE_CHECKING:
    from tests.store.postgres.server import Server

WALLS = (Wall("coder"), Wall(group=True), Wall("coder", True))


class Backend(Protocol):
    """Where the spaces of a home are, and what stands before their tables."""

    url: str  # the setting `store.url`

    def tables(self, memory: Memory) -> Set[str]:
        """The tables of a space, without those that indexes are kept in."""
        ...

    def walled(self, memory: Memory, wall: Wall) -> Set[str]:
        """The tables that a wall stands before."""
        ...

    def listening(self, memory: Memory) -> AbstractContextManager[list[str]]:
        """A context in which every statement of a memory is noted in the list."""
        ...

    def held(self, home: Path) -> Iterator[tuple[str, bytes]]:
        """All bytes that are kept, each with the space that they are of; empty for none."""
        ...

    def audit(self, home: Path) -> bytes:
        """The audit logs of all spaces."""
        ...


class Files:
    """SQLite: a view in the connection's own schema."""

    url = ""

    def tables(self, memory: Memory) -> Set[str]:
        store: Any = memory._store
        rows = store._db.all(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' "
            "AND name NOT LIKE '%\\_index%' ESCAPE '\\'"
        )
        return {name for (name,) in rows}

    def walled(self, memory: Memory, wall: Wall) -> Set[str]:
        from loxodon.store.sqlite.database import views_of

        return views_of(wall).keys()

    @contextmanager
    def listening(self, memory: Memory) -> Iterator[list[str]]:
        found: list[str] = []
        store: Any = memory._store
        connection = store._db._connection
        connection.trace_v2(1, lambda event: found.append(event["sql"]))
        try:
            yield found
        finally:
            connection.trace_v2(0, None)

    def held(self, home: Path) -> Iterator[tuple[str, bytes]]:
        for path in home.rglob("*"):
            if path.is_file():
                parts = path.relative_to(home).parts
                yield parts[1] if parts[0] == "spaces" else "", path.read_bytes()

    def audit(self, home: Path) -> bytes:
        found = b""
        for path in home.glob("spaces/*/loxodon.db"):
            connection = apsw.Connection(str(path), apsw.SQLITE_OPEN_READONLY)
            entries = connection.execute("SELECT entry FROM audit").fetchall()
            connection.close()
            found += "".join(str(entry) for (entry,) in entries).encode()
        return found


class Postgres:
    """PostgreSQL: row-level security."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self.url = server.database()
        self._database = self.url.rpartition("/")[2]

    def tables(self, memory: Memory) -> Set[str]:
        rows = self._server.ask(
            "SELECT relname FROM pg_class WHERE relnamespace = 'loxodon'::regnamespace "
            "AND relkind = 'r' AND relrowsecurity AND relforcerowsecurity "
            "AND relname NOT IN ('words', 'indexed', 'files')",
            self._database,
        )
        return {str(name) for (name,) in rows}

    def walled(self, memory: Memory, wall: Wall) -> Set[str]:
        """Those with a policy beside that of their space, or a view for one of their columns."""
        rows = self._server.ask(
            "SELECT tablename FROM pg_policies WHERE policyname = 'own_wall' UNION "
            "SELECT viewname FROM pg_views WHERE schemaname = 'loxodon_wall'",
            self._database,
        )
        return {str(name) for (name,) in rows}

    def listening(self, memory: Memory) -> AbstractContextManager[list[str]]:
        from tests.store.postgres.listening import listening

        return listening()

    def held(self, home: Path) -> Iterator[tuple[str, bytes]]:
        rows = self._server.ask("SELECT id, name FROM loxodon.spaces", self._database)
        names = {id: str(name) for id, name in rows}
        for _, space, data in rows_of(self._server, self.url):
            yield names.get(space, ""), data

    def audit(self, home: Path) -> bytes:
        rows = self._server.ask("SELECT entry FROM loxodon.audit", self._database)
        return "".join(str(entry) for (entry,) in rows).encode()
