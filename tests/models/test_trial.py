"""The test sentences: what passes, and that a model that talks nonsense does not."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest

from loxodon.models import trial
from loxodon.models.chat import ChatModel
from tests.models.labelled import FULL, sat, shown
from tests.models.server import Stage, says


def attempt(server: Stage, language: str, answer: Any) -> trial.Trial:
    def scene(handler: BaseHTTPRequestHandler) -> None:
        says(answer(shown(server.requests[-1].body)))(handler)

    server.play(scene)
    return trial.attempt(ChatModel(server.config(retries=0)), language).value


@pytest.mark.parametrize("language", ["en", "zh"])
def test_an_ideal_model_passes(server: Stage, language: str) -> None:
    assert attempt(server, language, sat) == trial.Trial(10, 10, ())


@pytest.mark.parametrize("language", ["en", "zh"])
def test_one_that_says_nothing_does_not(server: Stage, language: str) -> None:
    found = attempt(server, language, lambda lines: {str(n): [] for n in range(1, 11)})
    assert not found.good
    assert found.passed == 4


@pytest.mark.parametrize("language", ["en", "zh"])
def test_one_that_keeps_everything_does_not(server: Stage, language: str) -> None:
    user = "The user says" if language == "en" else "用户说"

    def keeps(lines: Any) -> dict[str, Any]:
        texts = [text for label, text in lines if label[0].isdigit()]
        return {
            str(n): [{**FULL, "do": "add", "words": text, "content": f"{user} {text}"[:60]}]
            for n, text in enumerate(texts, 1)
        }

    assert not attempt(server, language, keeps).good
