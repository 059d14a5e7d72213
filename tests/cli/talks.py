"""Small labelled conversations in both languages, for the tests of measuring."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

from tests.cases import cases

Talk = dict[str, Any]


def turn(id: str, text: str) -> Talk:
    return {"id": id, "role": "user", "speaker": "user", "text": text}


def question(id: str, text: str, evidence: list[str], **more: Any) -> Talk:
    return {"id": id, "text": text, "category": "plain", "evidence": evidence, **more}


def garden() -> Talk:
    return deepcopy(cases(__file__, "talks")[0])


def harbour() -> Talk:
    return deepcopy(cases(__file__, "talks")[1])


def written(folder: Path, *talks: Talk, name: str = "talks.jsonl") -> str:
    """The path of a file with these conversations."""
    path = folder / name
    path.write_text("".join(json.dumps(talk, ensure_ascii=False) + "\n" for talk in talks), "utf-8")
    return str(path)
