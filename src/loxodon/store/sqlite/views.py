"""Walls as SQLite keeps them up: a view before every table with content (`sql/sqlite/walls.sql`).

The view has the name of the table and stands in the connection's own `temp` schema, where SQLite
looks first. Whatever is asked through that connection, by whatever query, today's or one that is
written next year, meets the view: search, counts, histories, lookups by id. What is not to be seen
is not there, by the same path and with the same words as what never was. Only what writes names the
tables themselves.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from functools import cache

from loxodon.store.driver import HOLE, SQL, Entry, entries
from loxodon.store.walls import Wall, documents_of, path_of


def views_of(wall: Wall) -> Mapping[str, str]:
    """The view that stands before each table, by name."""
    kinds = {"alone"} if wall.alone else {"any", "group" if wall.group else "agent"}
    path = path_of(documents_of(wall.agent))
    texts = {
        "agent": wall.agent,
        "mark": wall.mark,
        "path": path,
        "path_end": f"{path[:-1]}0",  # '0' comes right after '/'
    }

    def quoted(hole: re.Match[str]) -> str:
        return "'" + texts[hole[1]].replace("'", "''") + "'"

    found = {}
    for one in _walls() if wall.stands else ():
        kind, _, table = one.name.partition("/")
        if one.kind == "name" and kind in kinds:
            found[table] = HOLE.sub(quoted, one.text)
    return found


@cache
def _walls() -> list[Entry]:
    return entries([os.path.join(SQL, "sqlite", "walls.sql")])
