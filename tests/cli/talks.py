"""Small labelled conversations in both languages, for the tests of measuring."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

Talk = dict[str, Any]


def turn(id: str, text: str, **more: Any) -> Talk:
    return {"id": id, "role": "user", "speaker": "user", "text": text, **more}


def question(id: str, text: str, evidence: list[str], **more: Any) -> Talk:
    return {"id": id, "text": text, "category": "plain", "evidence": evidence, **more}


def garden() -> Talk:
    return {
        "id": "garden",
        "lang": "en",
        "sessions": [
            {
                "id": "s1",
                "at": "2026-01-05T09:00:00",
                "turns": [
                    turn("a1", "I planted three quince trees behind the shed."),
                    turn("a2", "The weather has been grey all week."),
                ],
            },
            {
                "id": "s2",
                "at": "2026-01-09T20:00:00",
                "turns": [
                    turn("b1", "Rosalind borrowed my wheelbarrow on Monday."),
                    turn("b2", "Supper was lentil soup again."),
                ],
            },
        ],
        "questions": [
            question("q1", "Who borrowed the wheelbarrow?", ["b1"], asked_at="2026-01-12T08:00:00"),
            question("q2", "Where are the quince trees?", ["a1"], category="place"),
        ],
    }


def harbour() -> Talk:
    return {
        "id": "harbour",
        "lang": "zh",
        "sessions": [
            {
                "id": "s1",
                "at": "2026-01-06T09:00:00+08:00",
                "turns": [
                    turn("x1", "我周三在码头修好了那艘旧帆船。"),
                    turn("x2", "今天只是随便聊聊。"),
                ],
            }
        ],
        "questions": [question("q1", "旧帆船是在哪里修的？", ["x1"], category="place")],
    }


def written(folder: Path, *talks: Talk, name: str = "talks.jsonl") -> str:
    """The path of a file with these conversations."""
    path = folder / name
    path.write_text("".join(json.dumps(talk, ensure_ascii=False) + "\n" for talk in talks), "utf-8")
    return str(path)
