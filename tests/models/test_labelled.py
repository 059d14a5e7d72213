"""With a model that answers ideally the memory is nearly ideal; with none that can read, no worse
than the rules make it."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest

from tests.long import count
from tests.models.labelled import FULL, cases, ideal, right, score, shown
from tests.models.server import Scene, Stage, says

EVERY = count(15, 6)
"""Every tenth case is enough to notice, and fast."""
FIGURES = ("additions", "changes", "never")


def at(server: Stage, **more: Any) -> dict[str, Any]:
    return {"base_url": f"http://127.0.0.1:{server.port}/v1", "name": "m", "retries": 0, **more}


def test_an_ideal_model_makes_the_memory_nearly_ideal(server: Stage) -> None:
    chosen = cases(every=EVERY)
    server.play(ideal(server))
    found = score(chosen, **at(server, extraction="full", check=False))
    for figure in FIGURES:
        good, of = right(found, figure)
        assert good >= 0.95 * of, found["failures"]


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
    found, rules = score(chosen, **at(server, extraction=mode)), score(chosen)
    for figure in FIGURES:
        assert right(found, figure) == right(rules, figure)
