"""layer2/entities/: whom and what the memories are about.

`_index.json` has all entities and is read back; `e_001.json` and the others show what is known of
each, which is in the memories.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import tzinfo
from functools import partial
from typing import Any, NamedTuple

from loxodon.errors import InputError
from loxodon.store.primary import PRIMARY_TABLES, Row
from loxodon.store.store import Store
from loxodon.text.words import fold
from loxodon.views import Planned, View, bad_view, based_on, head, moment_text
from loxodon.views import reading as read
from loxodon.views.reading import Object, field, json_object

INDEX = "layer2/entities/_index.json"
_MOST = 200
"""Memories of a kind that a file names, the newest."""
_MEMORY = {name: place for place, name in enumerate(PRIMARY_TABLES["memories"].columns)}


class _Known(NamedTuple):
    """What is known of a name, newest first."""

    about: list[Row]
    """Memories of which it is the subject."""
    named: list[Row]
    """Others that name it."""


# Writing


def views(store: Store, zone: tzinfo | None, bases: Mapping[str, str]) -> Iterator[Planned]:
    """The list of entities, and a file for each."""
    entities = list(store.primary.dump("entities"))
    yield Planned(INDEX, based_on(bases["entities"]), lambda: _index(store.space, entities))
    active = "+".join(bases[name] for name in sorted(bases) if name.endswith("/active"))
    known: dict[tuple[str, str], _Known] = {}

    def make(name: str, entity: Row) -> View:
        if not known:
            known.update(_known(store))
        about = known.get((entity[6], fold(entity[1])), _Known([], []))
        return _card(name, store.space, entity, about)

    for entity in entities:
        name = f"layer2/entities/{_id(entity[0])}.json"
        basis = based_on(bases["entities"], active)
        yield Planned(name, basis, partial(make, name, entity))


def _id(no: int) -> str:
    return f"e_{no:03d}"


def _index(space: str, entities: list[Row]) -> View:
    rows = [
        {
            "id": _id(no),
            "name": name,
            "type": type,
            "aliases": json.loads(aliases),
            "created": moment_text(created),
            "updated": moment_text(updated),
            **({"agent": agent} if agent else {}),
        }
        for no, name, type, aliases, created, updated, agent in entities
    ]
    lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    mark = json.dumps(head(INDEX, space), ensure_ascii=False)
    return View(INDEX, f'{{"loxodon": {mark},\n"entities": [\n{lines}\n]}}\n')


def _known(store: Store) -> dict[tuple[str, str], _Known]:
    """What the active memories of each agent have on each name, in one pass, newest first."""
    found: dict[tuple[str, str], _Known] = {}
    rows = [row for row in store.primary.dump("memories") if row[_MEMORY["state"]] == "active"]
    for row in reversed(rows):
        subject = fold(row[_MEMORY["subject"]]) if row[_MEMORY["subject"]] else ""
        agent = row[_MEMORY["agent"]]
        if subject:
            found.setdefault((agent, subject), _Known([], [])).about.append(row)
        names = row[_MEMORY["entities"]]
        for name in {fold(one) for one in json.loads(names)} if names != "[]" else ():
            if name != subject:
                found.setdefault((agent, name), _Known([], [])).named.append(row)
    return found


def _card(name: str, space: str, entity: Row, known: _Known) -> View:
    no, called, type, aliases, created, updated, agent = entity
    attributes: dict[str, Any] = {}
    for row in known.about:
        attribute, value = row[_MEMORY["attribute"]], row[_MEMORY["value"]]
        if row[_MEMORY["kind"]] == "fact" and attribute and value:
            since = row[_MEMORY["confirmed_at"]]
            since = row[_MEMORY["created_at"]] if since is None else since
            attributes.setdefault(attribute, {"value": value, "updated": moment_text(since)})
    found: Object = {
        "loxodon": head(name, space),
        "id": _id(no),
        "name": called,
        "type": type,
        "aliases": json.loads(aliases),
        **({"agent": agent} if agent else {}),
        "created": moment_text(created),
        "updated": moment_text(updated),
        "attributes": attributes,
    }
    for kind, key in (("fact", "facts"), ("belief", "beliefs"), ("summary", "summaries")):
        rows = [row for row in (*known.about, *known.named) if row[_MEMORY["kind"]] == kind]
        found[f"related_{key}"] = [row[_MEMORY["id"]] for row in rows[:_MOST]]
    return View(name, json.dumps(found, ensure_ascii=False, indent=1) + "\n")


# Reading


def parse(text: str) -> list[Row]:
    """The entities of `_index.json`, as the store dumps them."""
    rows = []
    found = json_object(INDEX, text).get("entities")
    if not isinstance(found, list):
        raise bad_view(INDEX, 0, InputError("{field} is missing", field="entities"))
    for place, one in enumerate(found, 1):
        try:
            rows.append(_row(one))
        except InputError as error:
            reason = InputError("entity {place}: {error}", place=place, error=error)
            raise bad_view(INDEX, 0, reason) from None
    return rows


def _row(found: object) -> Row:
    if not isinstance(found, dict):
        raise InputError("it is not a JSON object")
    aliases = json.dumps(list(field(found, "aliases", read.some_texts)), ensure_ascii=False)
    return (
        field(found, "id", _number),
        field(found, "name", read.a_text),
        field(found, "type", read.a_text),
        aliases,
        field(found, "created", read.a_moment),
        field(found, "updated", read.a_moment),
        field(found, "agent", read.a_text) if "agent" in found else "",
    )


def _number(value: object) -> int:
    if isinstance(value, str) and value.startswith("e_") and len(value) < 20:
        number = value[2:]
        if number.isascii() and number.isdecimal():
            return int(number)
    raise InputError("it is not an id such as e_001")
