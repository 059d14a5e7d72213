"""layer2/index/: which active memories have a keyword, are of a month, or name an entity.

They are shown for people and other programs; the store has its own. Nothing here is read back.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import tzinfo
from typing import Any

from loxodon.store.primary import PRIMARY_TABLES, Row
from loxodon.store.rows import moment
from loxodon.store.store import Store
from loxodon.views import Planned, View, based_on, head

KEYWORDS = "layer2/index/keywords.json"
TIMELINE = "layer2/index/timeline.json"
RELATIONS = "layer2/index/relations.json"

_MEMORY = {name: place for place, name in enumerate(PRIMARY_TABLES["memories"].columns)}
_PLURAL = {"fact": "facts", "belief": "beliefs", "summary": "summaries"}


def views(store: Store, zone: tzinfo | None, bases: Mapping[str, str]) -> Iterator[Planned]:
    """The indexes of keywords, entities and days."""
    active = "+".join(bases[name] for name in sorted(bases) if name.endswith("/active"))
    rows: list[Row] = []

    def memories() -> list[Row]:
        if not rows:
            rows.extend(
                row for row in store.primary.dump("memories") if row[_MEMORY["state"]] == "active"
            )
        return rows

    yield Planned(
        KEYWORDS,
        based_on(active, bases["unindexed"]),
        lambda: _view(KEYWORDS, store.space, _grouped(store.primary.labels("keyword"))),
    )
    yield Planned(
        TIMELINE,
        based_on(active, zone),
        lambda: _view(TIMELINE, store.space, _months(memories(), zone)),
    )
    yield Planned(
        RELATIONS, based_on(active), lambda: _view(RELATIONS, store.space, _relations(memories()))
    )


def _grouped(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, id in pairs:
        found.setdefault(name, []).append(id)
    return found


def _months(rows: Iterable[Row], zone: tzinfo | None) -> dict[str, list[str]]:
    """By the month since which a memory holds, or in which it was made; the newest first."""
    found = []
    for row in rows:
        since = row[_MEMORY["valid_from"]]
        at = moment(row[_MEMORY["created_at"]] if since is None else since, zone)
        found.append((f"{at.year:04d}-{at.month:02d}", at, row[0], row[_MEMORY["id"]]))
    return _grouped((month, id) for month, _, _, id in sorted(found, reverse=True))


def _relations(rows: Iterable[Row]) -> dict[str, dict[str, list[str]]]:
    found: dict[str, dict[str, list[str]]] = {}
    for row in rows:
        names = row[_MEMORY["entities"]]
        for name in json.loads(names) if names != "[]" else ():
            of = found.setdefault(name, {plural: [] for plural in _PLURAL.values()})
            of[_PLURAL[row[_MEMORY["kind"]]]].append(row[_MEMORY["id"]])
    return dict(sorted(found.items()))


def _view(name: str, space: str, index: Mapping[str, Any]) -> View:
    lines = [f'{{"loxodon": {json.dumps(head(name, space), ensure_ascii=False)}']
    for key, value in index.items():
        # The mark of the file has that name already.
        key = "Loxodon" if key == "loxodon" else key
        shown = json.dumps(key, ensure_ascii=False)
        lines.append(f"{shown}: {json.dumps(value, ensure_ascii=False)}")
    return View(name, ",\n".join(lines) + "}\n")
