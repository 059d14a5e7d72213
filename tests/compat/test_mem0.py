"""mem0's `Memory`: one contract, for the real one and for ours; and what ours makes of messages.

The real one gets an embedder that counts words, and no model: what it is told is kept as it is.
"""

from __future__ import annotations

import asyncio
import inspect
import sys
import tomllib
from collections.abc import Callable, Iterator
from datetime import timedelta
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest

from loxodon import Memory as Space
from loxodon.compat.mem0 import AsyncMemory, Memory
from loxodon.errors import ConfigError, LoxodonError
from tests.cases import cases
from tests.clock import Clock
from tests.each import each
from tests.looking import files_with

REAL = find_spec("mem0") is not None
needs_mem0 = pytest.mark.skipif(not REAL, reason="needs mem0: make test-compat")
SIZE = 512
SIGNATURES = tomllib.loads(Path(__file__).with_name("mem0.toml").read_text("utf-8"))


class Words:
    """An embedder for the real mem0: a text is how often it has each word."""

    def embed(self, text: str, *_: object, **__: object) -> list[float]:
        vector = [0.001] * SIZE
        for word in text.lower().split():
            vector[crc32(word.encode()) % SIZE] += 1.0
        return vector

    def embed_batch(self, texts: list[str], *_: object, **__: object) -> list[list[float]]:
        return [self.embed(text) for text in texts]


def real(folder: Path, patch: pytest.MonkeyPatch) -> Any:
    patch.setenv("MEM0_TELEMETRY", "False")
    patch.setenv("MEM0_DIR", str(folder / "mem0"))
    patch.setenv("OPENAI_API_KEY", "unused")
    patch.setitem(sys.modules, "fastembed", None)  # would download a model for it
    import mem0  # type: ignore[import-not-found, unused-ignore]

    options = {
        "path": str(folder / "q"),
        "collection_name": "t",
        "embedding_model_dims": SIZE,
        "on_disk": True,
    }
    made = mem0.Memory.from_config(
        {
            "vector_store": {"provider": "qdrant", "config": options},
            "history_db_path": str(folder / "history.db"),
        }
    )
    made.embedding_model = Words()
    return made


@pytest.fixture(params=[pytest.param("mem0", marks=needs_mem0), "loxodon"])
def either(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Any]:
    if request.param == "mem0":
        made = real(tmp_path, monkeypatch)
        yield made
        made.vector_store.client.close()
    else:
        made = Memory({"home": str(tmp_path / "home")})
        yield made
    made.close()


@pytest.fixture
def ours(tmp_path: Path, clock: Clock) -> Iterator[Memory]:
    with Memory({"home": str(tmp_path / "home")}, clock=clock) as made:
        yield made


def keep(memory: Any, *texts: str, **more: Any) -> list[str]:
    """Keep texts as they are; their ids."""
    messages = [{"role": "user", "content": text} for text in texts]
    results = memory.add(messages, infer=False, **more)["results"]
    return [one["id"] for one in results]


def told(answer: Any) -> list[str]:
    return sorted(one["memory"] for one in answer["results"])


# What both promise


def test_kept_texts_are_told_with_their_event(either: Any) -> None:
    messages = [
        {"role": "system", "content": "be kind"},
        {"role": "user", "content": "likes tea", "name": "ann"},
        {"role": "assistant", "content": "noted"},
    ]
    results = either.add(messages, user_id="u", infer=False)["results"]
    assert [(one["memory"], one["event"], one["role"], one["actor_id"]) for one in results] == [
        ("likes tea", "ADD", "user", "ann"),
        ("noted", "ADD", "assistant", None),
    ]
    for one in ("likes cake", {"role": "user", "content": "likes cake"}):
        assert told(either.add(one, user_id="u", infer=False)) == ["likes cake"]


def test_memory_has_the_same_fields(either: Any) -> None:
    given = {"user_id": "u", "agent_id": "a", "run_id": "r"}
    forged = {"k": [1], "user_id": "v"}  # metadata cannot say whose it is
    (id,) = keep(either, "likes tea", metadata=forged, **given)
    found = either.get(id)
    wanted = {"id": id, "memory": "likes tea", "metadata": {"k": [1]}, "role": "user", **given}
    assert found.items() >= {**wanted, "score": None}.items()
    assert found["hash"] == "333eb7a1a291340c4a5e076606a7774e"
    assert found["created_at"] <= found["updated_at"]
    (listed,) = either.get_all(filters={"user_id": "u"})["results"]
    assert listed == {name: one for name, one in found.items() if name != "score"}
    (searched,) = either.search("tea", filters={"user_id": "u"})["results"]
    assert {**searched, "score": None} == found
    assert 0 < searched["score"] <= 1


def test_users_agents_and_runs_are_apart(either: Any) -> None:
    keep(either, "tea of u", user_id="u")
    keep(either, "tea of u in r", user_id="u", run_id="r")
    keep(either, "tea of v", user_id="v")
    keep(either, "tea of a", agent_id="a")
    for ask in (either.get_all, lambda **more: either.search("tea", **more)):
        assert told(ask(filters={"user_id": "u"})) == ["tea of u", "tea of u in r"]
        assert told(ask(filters={"user_id": "u", "run_id": "r"})) == ["tea of u in r"]
        assert told(ask(filters={"agent_id": "a"})) == ["tea of a"]
        assert told(ask(filters={"user_id": "nobody"})) == []
    either.delete_all(user_id="u", run_id="r")
    assert told(either.get_all(filters={"user_id": "u"})) == ["tea of u"]
    assert either.delete_all(user_id="u") == {"message": "Memories deleted successfully!"}
    assert told(either.get_all(filters={"user_id": "u"})) == []
    assert told(either.get_all(filters={"user_id": "v"})) == ["tea of v"]
    either.reset()
    assert told(either.get_all(filters={"user_id": "v"})) == []
    assert told(either.get_all(filters={"agent_id": "a"})) == []
    keep(either, "tea again", user_id="u")
    assert told(either.get_all(filters={"user_id": "u"})) == ["tea again"]


def test_conditions_on_metadata(either: Any) -> None:
    for n, (text, kind) in enumerate([("one tea", "x"), ("two tea", "x"), ("three tea", "y")], 1):
        keep(either, text, user_id="u", metadata={"n": n, "kind": kind})
    for asked, found in (
        ({"n": 1}, ["one tea"]),
        ({"n": {"gte": 1, "lt": 3}}, ["one tea", "two tea"]),
        ({"n": {"in": [1, 3]}}, ["one tea", "three tea"]),
        ({"kind": {"ne": "x"}}, ["three tea"]),
        ({"AND": [{"kind": "x"}, {"n": {"gt": 1}}]}, ["two tea"]),
        ({"OR": [{"n": 1}, {"kind": "y"}]}, ["one tea", "three tea"]),
        ({"NOT": [{"kind": "x"}]}, ["three tea"]),
    ):
        assert told(either.search("tea", filters={"user_id": "u", **asked})) == found


def test_best_comes_first_and_top_k_cuts(either: Any) -> None:
    keep(either, "green tea in spring", "black coffee at noon", "tea", user_id="u")
    results = either.search("green tea in spring", filters={"user_id": "u"}, top_k=2)["results"]
    assert results[0]["memory"] == "green tea in spring"
    assert len(results) <= 2
    assert len(either.get_all(filters={"user_id": "u"}, top_k=2)["results"]) == 2
    scores = [one["score"] for one in results]
    assert scores == sorted(scores, reverse=True)


def test_update_delete_and_history(either: Any) -> None:
    id, other = keep(either, "likes tea", "likes cake", user_id="u", metadata={"a": 1})
    assert either.update(id, "likes coffee") == {"message": "Memory updated successfully!"}
    steps = either.history(id)
    named = ("memory_id", "old_memory", "new_memory", "event", "is_deleted")
    assert [tuple(step[name] for name in named) for step in steps] == [
        (id, None, "likes tea", "ADD", False),
        (id, "likes tea", "likes coffee", "UPDATE", False),
    ]
    more = {"id", "created_at", "updated_at", "actor_id", "role"}
    assert set(steps[0]) == {*named, *more}
    either.update(id, metadata={"b": 2})
    found = either.get(id)
    assert (found["memory"], found["metadata"]) == ("likes coffee", {"a": 1, "b": 2})
    either.update(memory_id=id, data="likes water")
    assert "likes water" in told(either.search("water", filters={"user_id": "u"}))
    assert either.delete(id) == {"message": "Memory deleted successfully!"}
    assert either.get(id) is None
    assert told(either.get_all(filters={"user_id": "u"})) == ["likes cake"]
    assert told(either.search("water or cake", filters={"user_id": "u"})) == ["likes cake"]
    assert either.get(other)["memory"] == "likes cake"


def test_expired_memory_is_told_only_when_asked_for(either: Any) -> None:
    keep(either, "tea of old", user_id="u", expiration_date="2020-01-01")
    keep(either, "tea to come", user_id="u", expiration_date="2099-01-01")
    assert told(either.get_all(filters={"user_id": "u"})) == ["tea to come"]
    both = either.get_all(filters={"user_id": "u"}, show_expired=True)
    assert told(both) == ["tea of old", "tea to come"]
    assert {one["expiration_date"] for one in both["results"]} == {"2020-01-01", "2099-01-01"}


WRONG: list[Callable[[Any], Any]] = [
    lambda memory: memory.delete("no-such-id"),
    lambda memory: memory.update("no-such-id", "text"),
    lambda memory: memory.update("no-such-id"),
    lambda memory: memory.search("tea"),
    lambda memory: memory.search("", filters={"user_id": "u"}),
    lambda memory: memory.search("tea", filters={"user_id": "u"}, threshold=2),
    lambda memory: memory.search("tea", filters={"user_id": "u"}, top_k=-1),
    lambda memory: memory.get_all(),
    lambda memory: memory.get_all(filters={"user_id": "a b"}),
    lambda memory: memory.delete_all(),
    lambda memory: memory.add("tea", user_id="", infer=False),
    lambda memory: memory.add("tea", user_id="u", expiration_date="tomorrow"),
]
OURS: list[Callable[[Any], Any]] = [
    lambda memory: memory.add(5, user_id="u"),
    lambda memory: memory.add(["tea"], user_id="u"),
    lambda memory: memory.add("tea", user_id="u", memory_type="procedural_memory"),
    lambda memory: memory.add("tea", user_id="u", metadata={"x": object()}, infer=False),
    lambda memory: memory.add("tea", user_id="x" * 500),
    lambda memory: memory.get_all(filters={"user_id": {"in": ["a"]}}),
    lambda memory: memory.search("tea", user_id="u", reference_date="soon"),
    lambda memory: keep(memory, "likes tea", "x" * 20_000, user_id="u"),
]


def test_invalid_calls_are_value_errors(either: Any) -> None:
    if not isinstance(either, Memory):  # its ids are UUIDs, and its store says so in its own way
        either.vector_store.get = lambda vector_id: None
    for call in WRONG:
        with pytest.raises(ValueError):
            call(either)


def test_what_ours_refuses_and_does_not_know(ours: Memory, tmp_path: Path) -> None:
    ours.search("tea", user_id="u")
    ours.get_all(user_id="u")
    ours.delete_all(user_id="u")
    assert ours.get("no-such-id") is ours.get("f_20260101_001@u") is None
    assert ours.history("no-such-id") == ours.history("f_20260101_001@nobody") == []
    assert not (tmp_path / "home" / "spaces").exists()  # asking makes none
    for call in OURS:
        with pytest.raises(LoxodonError):
            call(ours)
    assert told(ours.get_all(user_id="u")) == []


# What ours makes of messages


def test_messages_become_memories(ours: Memory) -> None:
    said = [
        {"role": "user", "content": "My name is Ann and I live in Leeds."},
        {"role": "assistant", "content": "Nice to meet you, Ann."},
    ]
    results = ours.add(said, user_id="ann", metadata={"from": "web"})["results"]
    assert [(one["memory"], one["event"]) for one in results] == [
        ("The user's name is Ann", "ADD"),
        ("The user lives in Leeds", "ADD"),
    ]
    found = ours.get(results[1]["id"])
    assert found is not None
    assert (found["metadata"], found["user_id"]) == ({"from": "web"}, "ann")


def test_change_is_told_as_added_and_deleted(ours: Memory) -> None:
    (first,) = ours.add("我住在杭州", user_id="u")["results"]
    assert ours.add("我住在杭州", user_id="u")["results"] == []  # nothing new
    added, gone = ours.add("我搬到上海了", user_id="u")["results"]
    assert (added["event"], "上海" in added["memory"]) == ("ADD", True)
    assert (gone["event"], gone["id"]) == ("DELETE", first["id"])
    assert ours.get(first["id"]) is None


def test_fact_that_two_runs_told_belongs_to_both(ours: Memory) -> None:
    ours.add("I am allergic to peanuts", user_id="u", run_id="r1", metadata={"a": 1})
    ours.add("I am allergic to peanuts", user_id="u", run_id="r2", metadata={"b": 2})
    for run in ("r1", "r2"):
        (found,) = ours.get_all(user_id="u", run_id=run)["results"]
        assert (found["run_id"], found["metadata"]) == (run, {"a": 1, "b": 2})


def test_answer_may_stand_in_a_message(ours: Memory) -> None:
    ours.add("I moved to Berlin. What a bumpy ride!", user_id="u")
    assert told(ours.search("a bumpy ride", user_id="u")) == ["The user moved to Berlin"]


def test_question_without_matching_words_gets_important_memories(ours: Memory) -> None:
    ours.add("I am allergic to peanuts. I bought a green bicycle yesterday.", user_id="u")
    ours.add("I have two rabbits", user_id="u", agent_id="a")
    question = "What do you know about me?"
    found = ours.search(question, user_id="u")["results"]
    assert "peanuts" in found[0]["memory"]
    assert {one["score"] for one in found} == {0.0}
    assert len(found) == len(ours.get_all(user_id="u")["results"]) >= 2
    assert len(ours.search(question, user_id="u", limit=1)["results"]) == 1
    (only,) = ours.search(question, user_id="u", agent_id="a")["results"]
    assert "rabbits" in only["memory"]
    assert ours.search(question, user_id="u", threshold=0.1)["results"] == []


def test_memories_are_those_of_the_home(ours: Memory, tmp_path: Path, clock: Clock) -> None:
    with Space.open(tmp_path / "home", "ann", clock=clock) as space:
        space.capture("likes tea")
    assert told(ours.get_all(user_id="ann")) == ["likes tea"]
    (id,) = keep(ours, "likes coffee", user_id="ann")
    with Space.open(tmp_path / "home", "ann", clock=clock) as space:
        assert "coffee" in space.recall("coffee").context
    ours.delete(id)
    ours.reset()  # what others captured is not this one's to take away
    assert told(ours.get_all(user_id="ann")) == ["likes tea"]


def test_deleted_memory_is_gone_from_the_disk(ours: Memory, tmp_path: Path) -> None:
    (id,) = keep(ours, "likes Vorlund tea", user_id="u")
    keep(ours, "likes Quellin tea", user_id="v")
    ours.update(id, "likes Zorinda tea")
    ours.delete(id)
    assert ours.get(id) is None
    assert not files_with(["Vorlund", "Zorinda"], tmp_path / "home")
    ours.delete_all(user_id="v")
    assert not files_with(["Quellin"], tmp_path / "home")


def journal(home: Path, user: str) -> list[str]:
    with Space.open(home, user) as space:
        return [turn.content for turn in space.journal()]


def test_deleting_a_memory_removes_only_its_sentence(ours: Memory, tmp_path: Path) -> None:
    for n, case in enumerate(cases(__file__, "deleted")):
        user = f"u{n}"
        added = ours.add(case["said"], user_id=user)["results"]
        before = told(ours.get_all(user_id=user))
        ours.delete({one["memory"]: one["id"] for one in added}[case["deleted"]])
        gone = {case["deleted"], case.get("quoting")}  # and a memory that quotes the sentence
        assert told(ours.get_all(user_id=user)) == [one for one in before if one not in gone]
        assert journal(tmp_path / "home", user) == [case["left"]]


def test_delete_all_takes_only_what_was_added_here(
    ours: Memory, tmp_path: Path, clock: Clock
) -> None:
    home = tmp_path / "home"
    with Space.open(home, "u", clock=clock) as space:
        space.capture("The user plays the Zorinda")
        space.add([{"role": "user", "content": "I live in Leeds.", "id": "1"}], session="proxy")
        space.flush()
    ours.add("I live in Leeds. I am allergic to Vorlund.", user_id="u", run_id="r")
    ours.add("I live in Leeds too", user_id="u", agent_id="a")
    ours.add("Hm, Quellin?", user_id="u", agent_id="a")  # of which nothing is learned
    keep(ours, "The user plays the Zorinda", "likes Brumal tea", user_id="u", run_id="r")
    ours.delete_all(user_id="u")
    assert told(ours.get_all(user_id="u")) == [
        "The user lives in Leeds",
        "The user plays the Zorinda",
    ]
    assert journal(home, "u") == ["The user plays the Zorinda", "I live in Leeds."]
    assert not files_with(["Vorlund", "Quellin", "Brumal"], home)


def test_delete_all_of_a_run_or_an_agent_leaves_the_others_theirs(
    ours: Memory, tmp_path: Path
) -> None:
    ours.add("I am allergic to peanuts. I live in Leeds.", user_id="u", run_id="r1")
    ours.add("I am allergic to peanuts", user_id="u", run_id="r2")
    ours.add("I have two rabbits", user_id="u", run_id="r2", agent_id="a")
    ours.add("Hm.", user_id="u", agent_id="a")
    ours.delete_all(user_id="u", run_id="r1")
    assert told(ours.get_all(user_id="u", run_id="r1")) == []
    left = ["The user has two rabbits", "The user is allergic to peanuts"]
    assert told(ours.get_all(user_id="u", run_id="r2")) == told(ours.get_all(user_id="u")) == left
    ours.delete_all(user_id="u", agent_id="a")
    assert told(ours.get_all(user_id="u")) == ["The user is allergic to peanuts"]
    assert journal(tmp_path / "home", "u") == ["I am allergic to peanuts"]


def test_expiry_is_the_end_of_its_day(ours: Memory, clock: Clock) -> None:
    day = f"{clock.now:%Y-%m-%d}"
    keep(ours, "tea today", user_id="u", expiration_date=day)
    ours.add("I am in Leeds today", user_id="u", expiration_date=day)
    assert "tea today" in told(ours.get_all(user_id="u"))
    clock.now += timedelta(days=2)
    assert told(ours.get_all(user_id="u")) == []


@pytest.mark.parametrize("infer", [True, False])
def test_with_the_engine_off_nothing_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, infer: bool
) -> None:
    monkeypatch.setenv("LOXODON_ENABLED", "false")
    with Memory({"home": str(tmp_path)}) as off, pytest.raises(ConfigError, match="turned off"):
        off.add("likes tea", user_id="u", infer=infer)


def test_calls_from_an_event_loop(tmp_path: Path) -> None:
    async def play() -> None:
        async with AsyncMemory({"home": str(tmp_path)}) as memory:
            users = [f"u{n}" for n in range(4)]
            added = await asyncio.gather(
                *(memory.add(f"I am allergic to {user}", user_id=user) for user in users)
            )
            assert [len(one["results"]) for one in added] == [1] * 4
            id = added[2]["results"][0]["id"]
            assert "u2" in told(await memory.search("allergic", user_id="u2"))[0]
            await memory.update(id, "likes tea")
            assert len(await memory.history(id)) == 2
            await memory.delete(id)
            assert await memory.history(id) == []
            assert await memory.get(id) is None
            await memory.delete_all(user_id="u1")
            await memory.reset()
            assert told(await memory.get_all(user_id="u3")) == []

    asyncio.run(play())


# How it is called


def _parameters(method: Any) -> tuple[list[str], set[str]]:
    """Those that can be given by place, in order, and all."""
    found = [one for name, one in inspect.signature(method).parameters.items() if name != "self"]
    found = [one for one in found if one.kind is not inspect.Parameter.VAR_KEYWORD]
    places = [one.name for one in found if one.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]
    return places, {one.name for one in found}


@each("version", SIGNATURES)
def test_every_version_of_mem0_is_called_alike(version: str) -> None:
    for name, declared in SIGNATURES[version].items():
        before, _, after = declared.partition("*")
        asked = [one.strip() for one in before.split(",") if one.strip()]
        places, known = _parameters(getattr(Memory, name))
        if name == "update":  # the second was `data`, and is `text` now: by place they are one
            asked = ["text" if one == "data" else one for one in asked[:2]]
        assert places[: len(asked)] == asked, name
        assert {one.strip() for one in after.split(",") if one.strip()} <= known, name
        assert "data" in known or name != "update"
