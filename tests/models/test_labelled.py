"""With a model that answers ideally the memory is nearly ideal; with none that can read, no worse
than the rules make it. `make test-model` shows the whole table."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest

from tests.models.labelled import ADDS, CHANGES, FULL, Score, cases, ideal, score, shown
from tests.models.server import Scene, Stage, says

EVERY = 6
"""Every sixth case is enough to notice, and fast."""


def at(server: Stage, **more: Any) -> dict[str, Any]:
    return {"base_url": f"http://127.0.0.1:{server.port}/v1", "name": "m", "retries": 0, **more}


def share(found: Score, kinds: tuple[str, ...]) -> float:
    return sum(found.passed[kind] for kind in kinds) / sum(found.of[kind] for kind in kinds)


def test_there_are_sixty_cases_and_forty_changes() -> None:
    chosen = cases()
    assert len(chosen) == 60
    assert sum(any(c["type"] in CHANGES for c in case["checks"]) for case in chosen) == 40


def test_an_ideal_model_makes_the_memory_nearly_ideal(server: Stage) -> None:
    chosen = cases(every=EVERY)
    server.play(ideal(server, chosen))
    found = score(chosen, **at(server, extraction="full"))
    assert found.changed == found.changing, found.failed
    assert share(found, ADDS) >= 0.95, found.failed
    assert share(found, ("never",)) == 1.0, found.failed


def yes_to_all(server: Stage) -> Scene:
    """A model that takes every message for a fact and the end of all that is known."""

    def scene(handler: BaseHTTPRequestHandler) -> None:
        lines = shown(server.requests[-1].body)
        known = [label.split()[0] for label, _ in lines if label.startswith("m")]
        says(
            {
                label.split()[0]: [
                    {**FULL, "do": "add", "words": text, "content": f"The user: {text}"[:80]},
                    *({"do": "end", "id": id, "words": text} for id in known),
                ]
                for label, text in lines
                if label[0].isdigit()
            }
        )(handler)

    return scene


def silent_to_all(server: Stage) -> Scene:
    """A model to which nothing is worth remembering."""

    def scene(handler: BaseHTTPRequestHandler) -> None:
        lines = shown(server.requests[-1].body)
        says({label.split()[0]: [] for label, _ in lines if label[0].isdigit()})(handler)

    return scene


@pytest.mark.parametrize("mode", ["residue", "full"])
@pytest.mark.parametrize("play", [yes_to_all, silent_to_all])
def test_a_model_that_cannot_read_leaves_what_the_rules_made(
    server: Stage, mode: str, play: Any
) -> None:
    chosen = cases(every=2 * EVERY)
    server.play(play(server))
    found = score(chosen, **at(server, extraction=mode))
    assert found.passed == score(chosen).passed
