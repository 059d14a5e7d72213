"""Both backends give the same: on the same data, item for item and score for score."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loxodon.errors import LoxodonError
from loxodon.store import CompletedCall, Filter, QuarantinedText, QuestionVector, Vector
from loxodon.store.primary import PRIMARY_TABLES
from loxodon.store.store import Store
from loxodon.store.vector_math import unit
from loxodon.store.walls import Wall
from loxodon.text.words import query_words
from loxodon.types import Event, Source
from tests.clock import NOW
from tests.long import count as how_many
from tests.store.contracts import DAY, key, quiet, record, turn
from tests.store.postgres.test_store import opened as in_postgres
from tests.store.sqlite.test_store import opened as in_file

_WORDS = [
    "tea",
    "milk",
    "river",
    "piano",
    "walks",
    "walking",
    "garden",
    "猫",
    "我喜欢咖啡",
    "周末爬山",
    "Mei",
    "Leeds",
]
_WORDS += ["don't", "naïve", "café", "C++", "🎹", "''", "%_\\"]
_INDEXES: tuple[Any, ...] = ("turns", "memories", "archive", "segments")
_numbers = count()


class _Close(float):
    """A score: both add the same numbers, in another order."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, float) and math.isclose(self, other, rel_tol=1e-9, abs_tol=1e-9)

    __hash__ = None  # type: ignore[assignment]


def _text(chance: random.Random) -> str:
    weights = [1 + 9 * (n % 7 == 0) for n in range(len(_WORDS))]
    return " ".join(chance.choices(_WORDS, weights, k=chance.randint(1, 9)))


def _told(seed: int) -> Callable[[Store], None]:
    """Something to do to a store: the same for the same seed."""

    def tell(store: Store) -> None:
        chance = random.Random(seed)
        ids: list[str] = []
        for n in range(chance.randint(3, 9)):
            at = NOW + timedelta(hours=chance.randint(-900, 900))
            with store.writing():
                said = [
                    turn(_text(chance), session=chance.choice("ab"), id=f"{n}-{m}", at=at)
                    for m in range(chance.randint(0, 12))
                ]
                said = [one._replace(chat=chance.choice(("direct", "group"))) for one in said]
                store.append([(one, key(f"{one.session}/{one.id}")) for one in said])
                for _ in range(chance.randint(0, 5)):
                    new = record(
                        _text(chance),
                        kind=chance.choice(("fact", "belief", "summary")),
                        tags=tuple(chance.sample(_WORDS, 2)),
                        project=chance.choice(("Home", "home", "_global")),
                        audience=chance.choice(("private", "group", "all")),
                        agent=chance.choice(("", "x", "y")),
                        importance=chance.random(),
                        created_at=at,
                        sources=(Source("a", f"{n}-0"),),
                    )
                    ids.append(store.insert(new, "captured").id)
                for id in chance.sample(ids, min(len(ids), 2)):
                    if not _change(store, chance, id):
                        ids.remove(id)
        with store.writing():
            while store.worklog.index(50):
                pass
            vectors = np.random.default_rng(seed).standard_normal((12, 16)).astype(np.float32)
            halves = unit(vectors)[0].astype(np.float16)
            store.vectors.begin("m")
            store.vectors.put(
                "m", [Vector("turns", n + 1, bytes([n]), h.tobytes()) for n, h in enumerate(halves)]
            )

    return tell


def _change(store: Store, chance: random.Random, id: str) -> bool:
    """Change a memory; whether it is still there."""
    how = chance.randrange(4)
    if how == 0:
        store.update(id, None, "edited", NOW, {"content": _text(chance), "tags": ("x",)})
    elif how == 1:
        store.update(id, None, "archived", NOW, {"state": "archived"})
    elif how == 2:
        store.update(id, None, "unarchived", NOW, {"state": "active", "valid_until": NOW})
    else:
        store.erasure.drop_memories(store.erasure.rows_of([id]))
    return store.get(id) is not None


def _written(store: Store, seed: int) -> list[str]:
    """What is written from behind a wall, and what becomes of it."""
    chance, said = random.Random(seed + 3), []
    for n in range(12):
        try:
            with store.writing():
                said.append(repr(_write(store, chance, n)))
        except LoxodonError as error:
            said.append(type(error).__name__)
    return said


def _write(store: Store, chance: random.Random, n: int) -> object:
    how, session = chance.randrange(7), chance.choice("ab")
    audience = chance.choice(("private", "group", "all"))
    seen = store.find(Filter())
    one = chance.choice(seen) if seen else None
    if how == 0:  # some of it for the second time
        spoken = turn(_text(chance), session=session, id=f"0-{n % 3}")
        return store.append([(spoken, key(f"{session}/{spoken.id}"))])
    if how == 1 or one is None:
        source = Source(session, f"{n % 3}-0")
        new = record(_text(chance), audience=audience, tags=("t",), sources=(source,))
        return store.insert(new, "captured").id
    if how == 2:
        store.tokens.put("token", CompletedCall(b"", one.id, 1), NOW, NOW)
        return store.tokens.used("token", NOW)
    if how == 3:
        held = QuarantinedText(0, None, "", 0, 0, "x", "", "web", NOW, "held", None)
        (kept,) = store.quarantine.put([held])
        store.quarantine.of_memory(kept.no, one.id)
        return store.quarantine.find("held")
    if how == 4:
        store.worklog.put_event(
            Event(f"{NOW:%F}", NOW, session, "", "", "x", 1, "user", agent=store.wall.agent)
        )
        return store.worklog.events(), chance.random() < 0.5 and store.erasure.drop_events(
            session, [f"{NOW:%F}"]
        )
    if how == 5:
        return store.update(one.id, None, "edited", NOW, {"sources": (Source("b", "1-0"),)}).version
    values = {"audience": audience, "tags": (_text(chance),), "content": _text(chance)}
    return store.update(one.id, None, "edited", NOW, values, vouched=True).version


def _seen(store: Store, seed: int) -> dict[str, Any]:
    """What is asked of a store, and what it says."""
    chance = random.Random(seed + 1)
    since: dict[str, Any] = {"since": NOW - 20 * DAY, "until": NOW + 9 * DAY}
    filters = (Filter(), Filter(**since), Filter(audience="group"), Filter(project="HOME"))
    said: dict[str, Any] = {}
    for query in [_text(chance) for _ in range(2)] + ["猫", "tea"]:
        words = query_words(query)
        for index in _INDEXES:
            for n, where in enumerate(filters):
                hits = store.search(index, words, where, 200)
                said[f"{query}/{index}/{n}"] = {hit.row: _Close(hit.score) for hit in hits}
            having = store.having(index, words)
            said[f"{query}/{index}/having"] = (
                having.rows,
                {word: round(n, 6) for word, n in having.counts.items()},
                {word: dict(rows) for word, rows in having.lists.items()},
            )
            rare = store.rare(index, words, 6)
            said[f"{query}/{index}/rare"] = {word: sorted(rows) for word, rows in rare.items()}
    said["found"] = store.find(Filter())
    said["journal"] = store.journal(Filter(), 0)
    said["nature"], said["counts"] = store.nature(), store.counts()
    vector = np.random.default_rng(seed + 2).standard_normal(16).astype(np.float32)
    near = store.vectors.similar("turns", [QuestionVector("m", unit(vector[None])[0][0])], 9)
    said["near"] = [(one.row, round(one.score, 4)) for one in near]
    return said


@settings(max_examples=how_many(3, 60))
@given(seed=st.integers(0, 1 << 30), rows=st.sampled_from((1, 3, 7)), sampled=st.booleans())
def test_both_backends_say_the_same_on_the_same_data(
    shared_postgres: str,
    tmp_path_factory: pytest.TempPathFactory,
    seed: int,
    rows: int,
    sampled: bool,
) -> None:
    folder: Path = tmp_path_factory.mktemp("same")
    file = in_file(folder / "x.db")
    server = in_postgres(shared_postgres, f"same/{next(_numbers)}")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("loxodon.store.postgres.fulltext._ROWS", rows)
        if sampled:  # some words are common, in a store as small as this
            for module in ("search", "indexes"):
                patch.setattr(f"loxodon.store.{module}.SAMPLE_FROM", 12)
            patch.setattr("loxodon.store.search.COMMON", 4)
            patch.setattr("loxodon.store.search.LEAST_BUDGET", 6)
            patch.setattr("loxodon.store.search._SEEN", 2)
        for store in (file, server):
            _told(seed)(store)
        walls = (Wall(), Wall("x"), Wall("y", group=True))
        for wall in walls:
            one, other = (store.behind(wall) for store in (file, server))
            for store in (one, other):
                store.space = "main"
            if wall.stands:
                assert _written(other, seed) == _written(one, seed)
            with one.reading(), other.reading():
                expected, found = _seen(one, seed), _seen(other, seed)
            assert {name: found[name] for name in expected} == expected
            one.close()
            other.close()
        problems = [store.check(quiet) for store in (file, server)]
    for table in PRIMARY_TABLES:
        assert _rows(server, table) == _rows(file, table), table
    assert problems[0] == problems[1]
    file.close()
    server.close()


def _rows(store: Store, table: str) -> list[dict[str, Any]]:
    """The rows of a table, without the numbers that a backend keeps for itself."""
    named = [
        dict(zip(PRIMARY_TABLES[table].columns, row, strict=True))
        for row in store.primary.dump(table)
    ]
    return [
        row for row in named if table != "counters" or not str(row["name"]).startswith("vector")
    ]
