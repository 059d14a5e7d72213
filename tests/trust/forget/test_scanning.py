from __future__ import annotations

import json
from pathlib import Path

import pytest

from loxodon import Memory
from loxodon.guard.guard import Guard
from tests.clock import Clock


def test_which_memory_a_history_names_is_never_taken_for_a_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Memory.open(tmp_path, clock=Clock()) as memory:
        record = memory.capture("likes green tea")
        memory.edit(record.id, content="likes black tea")
        erasure = memory.workspace.store.erasure
        row, version, before = next(iter(erasure.histories()))
        named = {"replaces": "f_20260204_002", "derived_from": '["f_20260204_002"]'}
        told = {**json.loads(before), **named, "basis": "f_20260204_002"}
        with memory.workspace.store.writing():
            erasure.set_history(row, version, json.dumps(told))

        def all_hidden(guard: Guard, value: dict[str, object]) -> dict[str, object]:
            return {name: "hidden" if isinstance(one, str) else one for name, one in value.items()}

        monkeypatch.setattr(Guard, "value", all_hidden)
        memory.scan(mend=True)
        *_, before = next(iter(erasure.histories()))
    found = json.loads(before)
    assert {name: found[name] for name in named} == named
    assert found["id"] == record.id
    assert found["content"] == found["basis"] == "hidden"
