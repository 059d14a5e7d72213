"""Conversations and what a recall should make of them: `recall_cases.jsonl`.

A case has talks, each some days after 1 February 2026, and questions on 1 March, or on the day
`now`. Of the items that are found, `first`, `last`, `among2` … say where a text must be, `order`
how they begin, `items` what they are; `past` and `marked` are texts that must be told as such.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from loxodon import Memory
from loxodon.types import Recall
from tests.clock import Clock
from tests.long import some
from tests.recall.talking import DAY, shown, talk

CASES: list[dict[str, Any]] = [
    json.loads(line)
    for line in (Path(__file__).parent / "recall_cases.jsonl").read_text("utf-8").splitlines()
]
Wanted = dict[str, Any]


@pytest.mark.parametrize("case", some(CASES, 2), ids=lambda case: case["id"])
def test_recall_of_labelled_conversations(memory: Memory, clock: Clock, case: Wanted) -> None:
    clock.now = now = datetime(2026, 3, 1, 12, tzinfo=UTC)
    for n, one in enumerate(case["talks"]):
        at = DAY + timedelta(days=one["day"])
        if one.get("then"):
            clock.now = at
        if one["lines"]:
            talk(memory, one.get("session", f"s{n}"), at, *one["lines"])
        for given in one.get("captures", ()):
            memory.capture(**given)
        if case.get("consolidate") == "each":
            memory.consolidate(force=True)
    clock.now = DAY + timedelta(days=case["now"]) if "now" in case else now
    if case.get("consolidate") == "end":
        memory.consolidate(force=True)
    for ask in case["asks"]:
        options = dict(ask.get("options", {}))
        for name in ask.keys() & {"as_of", "until"}:
            options[name] = DAY + timedelta(days=ask[name])
        wrong = faults(memory.recall(ask["query"], **options), ask)
        assert not wrong, (ask["query"][-80:], wrong)


def faults(found: Recall, wanted: Wanted) -> list[str]:
    """The names of what is not as wanted, with what was found."""
    texts = shown(found) or [""]
    again = {item.content for item in found.items if item.why.get("again")}
    ended = {item.content for item in found.items if item.valid_until}
    routes = {name for item in found.items for name in item.why["routes"]}

    def has(some: Any, text: str) -> bool:
        return any(text in one for one in some)

    right: dict[str, Callable[[Any], bool]] = {
        "items": lambda want: shown(found) == want,
        "first": lambda want: want in texts[0],
        "last": lambda want: want in texts[-1],
        "among2": lambda want: has(texts[:2], want),
        "among3": lambda want: has(texts[:3], want),
        "among4": lambda want: has(texts[:4], want),
        "order": lambda want: want[0] in texts[0] and has(texts[1:2], want[1]),
        "present": lambda want: has(texts, want),
        "absent": lambda want: not has(texts, want),
        "context": lambda want: want in found.context,
        "not_context": lambda want: want not in found.context,
        "unsure": lambda want: found.unsure is want,
        "past": lambda want: has(ended, want),
        "marked": lambda want: not want or has(again | ended, want),
        "not_again": lambda want: not has(again, want),
        "route": lambda want: found.items[0].why["routes"][want] > 0,
        "no_route": lambda want: want not in routes,
    }
    unknown = wanted.keys() - right.keys() - {"query", "options", "as_of", "until"}
    assert not unknown, unknown
    return [
        f"{name}: {wanted[name]!r} in {texts}"
        for name in wanted.keys() & right.keys()
        if not right[name](wanted[name])
    ]
