"""Whether a message is worth a recall, and why: `gate_cases.jsonl` has what each should give.

Rules were written with the cases of part `dev` in sight; those of part `held` only judge.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from loxodon import Memory
from loxodon.types import Gate
from tests.clock import Clock
from tests.each import each
from tests.growth import level

CASES: list[dict[str, Any]] = [
    json.loads(line)
    for line in (Path(__file__).parent / "gate_cases.jsonl").read_text("utf-8").splitlines()
]
NAMES = sorted({name for case in CASES for name in case.get("names", ())})


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    with Memory.open(tmp_path_factory.mktemp("empty"), clock=Clock()) as memory:
        yield memory


@pytest.fixture(scope="module")
def knowing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """A memory that knows the names in the cases."""
    said = [
        f"My friend {name.title()} lives in Leeds."
        if name.isascii()
        else f"我的朋友{name}住在杭州。"
        for name in NAMES
    ]
    with Memory.open(tmp_path_factory.mktemp("knowing"), clock=Clock()) as memory:
        memory.add([{"role": "user", "content": text, "id": text} for text in said])
        memory.consolidate(force=True)
        yield memory


def verdict(case: dict[str, Any], empty: Memory, knowing: Memory) -> Gate:
    """What the gate says of a case, after the messages that came before it."""
    memory, state = knowing if "names" in case else empty, None
    for earlier in case.get("after", ()):
        state = memory.assemble(earlier, state=state).state
    return memory.gate(case["text"], state=state)


@each("case", [case for case in CASES if case["part"] == "dev"])
def test_gate_gives_the_right_answer_and_reason(
    case: dict[str, Any], empty: Memory, knowing: Memory
) -> None:
    gate = verdict(case, empty, knowing)
    assert (gate.recall, gate.reason in case["why"]) == (case["recall"], True), gate


@pytest.mark.parametrize("language", ["zh", "en"])
def test_gate_on_held_out_messages(language: str, empty: Memory, knowing: Memory) -> None:
    held = [case for case in CASES if case["part"] == "held" and case["id"].startswith(language)]
    assert len(held) >= 40
    gates = [(verdict(case, empty, knowing), case) for case in held]
    assert sum(gate.recall == case["recall"] for gate, case in gates) >= 0.95 * len(held)
    assert sum(gate.reason in case["why"] for gate, case in gates) >= 0.85 * len(held)


def test_long_message_may_ask_at_its_end(empty: Memory) -> None:
    page = "The committee met and took note of the report. " * 200
    gate = empty.gate(page + "\nDo you remember what we decided about it?")
    assert gate.reason == "requested"


@each(
    "piece", ["哈", "a", "ok ", "(", "if (", "a.b(", '{"', "\n", "谢谢你", "我妈说", "\u200d", "?"]
)
def test_gate_reads_no_more_of_a_megabyte_than_of_a_page(piece: str, empty: Memory) -> None:
    level(empty.gate, lambda n: piece * n, 1_000_000 // len(piece))
