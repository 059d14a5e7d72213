"""No verb of a memory can be left off the record."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from loxodon import Memory
from loxodon.compat.documents import Documents
from loxodon.errors import NotFoundError
from loxodon.live.schedule import Schedule
from loxodon.memory import all_verbs
from loxodon.trust.audit.witness import ids_in, is_id
from loxodon.workspace.workspace import Workspace
from tests.each import each

OPEN = {
    Memory: {
        # what it is, and what it is made of
        "open",
        "close",
        "now",
        "within",
        "as_agent",
        "for_owner",
        "chat_model",
        "beside",
        "refuse_if_paused",
        "forgotten",
        "after_fork",
        # when something is due, and how much there is: no content
        "flush_due",
        "consolidation_due",
        "next_consolidation",
        "gate",
        "status",
        "stats",
        "timekeeping",
        "settings",
        "backups",
    },
    Workspace: {"sources"},
    Documents: {"together", "cleaned"},
    Schedule: {"jobs", "due", "failing", "wait", "waiting"},
}
"""Verbs that read and write no content, and so are not on record."""


@pytest.mark.parametrize(
    ("kind", "part"),
    [(Memory, ""), (Workspace, "workspace"), (Documents, "documents"), (Schedule, "schedule")],
)
def test_every_verb_is_on_record_or_has_a_reason(kind: type, part: str) -> None:
    parted = {name.rpartition(".")[::2]: one for name, one in all_verbs().items()}
    named = {name for (of, name), one in parted.items() if of == part and one.audit}
    public = {
        name
        for name, value in inspect.getmembers_static(kind)
        if not name.startswith("_")
        and (inspect.isfunction(value) or isinstance(value, classmethod))
    }
    assert public - named == OPEN[kind]
    assert named - public == set()
    for name in named:
        assert hasattr(inspect.getattr_static(kind, name), "__wrapped__"), name


def test_what_is_asked_for_is_on_record_once(tmp_path: Path) -> None:
    with Memory.open(tmp_path) as memory:
        record = memory.capture("likes green tea")
        memory.assemble("which tea do I like?")
        memory.history(record.id)
        with pytest.raises(NotFoundError):
            memory.get("f_20200101_001")
        memory.edit(record.id, content="likes black tea")
        memory.edit(record.id, content="likes black tea")
        found = memory.audit.entries()
    assert [(one.op, one.outcome) for one in found] == [
        ("capture", "ok"),
        ("assemble", "ok"),
        ("history", "ok"),
        ("get", "not_found"),
        ("edit", "ok"),
        ("edit", "ok"),
    ]
    assert record.id in found[1].ids
    assert found[3].ids == ("f_20200101_001",)


def test_the_work_of_a_verb_has_its_name(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "home") as memory:
        memory.add([{"role": "user", "content": "I live in Leeds and I love jazz."}], "talk")
        memory.consolidate(force=True)
        memory.documents.put(("a",), "key", {"b": 1})
        memory.workspace.export(tmp_path / "out")
        ops = {one.op for one in memory.audit.entries()}
    assert {"add", "consolidate", "documents.put", "workspace.export"} <= ops
    assert "store" not in ops


@each("text", ["my name", "f_", "f_1_2_3", "x_1", "f_密码", "t_1x", "", "_", "f"])
def test_only_an_id_is_taken_for_one(text: str) -> None:
    assert not is_id(text)


def test_ids_are_found_in_what_verbs_give(tmp_path: Path) -> None:
    with Memory.open(tmp_path) as memory:
        memory.add([{"role": "user", "content": "green tea"}], session="talk")
        record = memory.capture("green tea")
        assert set(ids_in(memory.recall("tea"))) >= {record.id}
        assert set(ids_in(memory.journal())) == {"t_1", "t_2"}
        assert list(ids_in(memory.history(record.id))) == [record.id]
    assert list(ids_in("f_20261115_001")) == []
    assert list(ids_in(None)) == []
