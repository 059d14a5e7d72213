"""Sixty labelled conversations, what an ideal model answers about them, and how well they are kept.

`cases/*.jsonl`, a case a line: `turns` ([day, u or a, words]; each day is a session), `checks` as
in `tests/consolidation`, and `ideal`, the items that a perfect reader would answer for each of the
user's messages. Nothing was written for them: they came before the questions that are asked.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from http.server import BaseHTTPRequestHandler
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from loxodon import Memory
from loxodon.measure.cases import Check
from loxodon.measure.writing import Kept, holds
from loxodon.models import trial
from tests.models.server import Scene, Stage, says

CASES = Path(__file__).parent / "cases"
ADDS = ("add", "belief")
CHANGES = ("supersede", "retract")
Case = dict[str, Any]


class Score(NamedTuple):
    """Checks that hold, by kind, and what it took."""

    passed: Counter[str]
    of: Counter[str]
    changed: int
    """Conversations in which all that changed is right."""
    changing: int
    tokens: int
    failed: list[str]

    def line(self, name: str) -> str:
        def share(kinds: Sequence[str]) -> str:
            good, all = (sum(count[kind] for kind in kinds) for count in (self.passed, self.of))
            return f"{good}/{all} {100 * good / max(all, 1):.0f}%"

        return (
            f"{name:<16} additions {share(ADDS):<12} changes {share(CHANGES):<12} "
            f"changed conversations {self.changed}/{self.changing}  "
            f"must not {share(('never',)):<12} tokens {self.tokens}"
        )


def cases(language: str = "", every: int = 1) -> list[Case]:
    """The cases of a language, or of both; one of `every`."""
    names = [language] if language else ["en", "zh"]
    return [
        json.loads(line)
        for name in names
        for line in (CASES / f"{name}.jsonl").read_text("utf-8").splitlines()[::every]
    ]


def score(chosen: Iterable[Case], **model: Any) -> Score:
    """How well conversations are kept with a model (settings of `[model]`), or without one."""
    passed: Counter[str] = Counter()
    of: Counter[str] = Counter()
    changed = changing = tokens = 0
    failed = []
    for case in chosen:
        kept, took = consolidated(case, **model)
        tokens += took
        wrong = [check for check in case["checks"] if not holds(Check(**check), kept)]
        of.update(check["type"] for check in case["checks"])
        passed.update(check["type"] for check in case["checks"] if check not in wrong)
        if any(check["type"] in CHANGES for check in case["checks"]):
            changing += 1
            changed += not any(check["type"] in CHANGES for check in wrong)
        if wrong:
            failed.append(f"{case['id']} {wrong} {[one.content for one in kept]}")
    return Score(passed, of, changed, changing, tokens, failed)


def consolidated(case: Case, **model: Any) -> tuple[list[Kept], int]:
    """What the memory holds once each day was added and consolidated, and the tokens."""
    config = {"workspace.views": "off", **{f"model.{key}": one for key, one in model.items()}}
    now = [datetime.fromisoformat(f"{case['turns'][0][0]}T09:00:00+00:00")]
    tokens = 0
    with (
        tempfile.TemporaryDirectory() as home,
        Memory.open(home, config=config, clock=lambda: now[0]) as memory,
    ):
        for day, said in groupby(case["turns"], key=lambda turn: turn[0]):
            now[0] = datetime.fromisoformat(f"{day}T09:00:00+00:00")
            memory.add(
                [{"role": "user" if who == "u" else "assistant", "content": words, "id": f"{n}",
                  "at": now[0].isoformat()} for n, (_, who, words) in enumerate(said)],
                session=day,
            )  # fmt: skip
            tokens += memory.consolidate(force=True).tokens
        return [Kept(one.kind, one.content) for one in memory.list()], tokens


# A model that answers ideally

Shown = list[tuple[str, str]]


def shown(body: dict[str, Any]) -> Shown:
    """The lines of a question: label and text."""
    lines = body["messages"][1]["content"].splitlines()[1:-1]
    found = [re.match(r'(.*?) (".*")$', line) for line in lines]
    return [(one[1], json.loads(one[2])) for one in found if one]


FULL = {
    "id": "", "subject": "user", "attribute": "", "value": "", "kind": "fact", "category": "fact",
    "importance": 0.5, "confidence": 1, "project": "", "topic": "", "tags": [], "since": "",
    "mentions": [],
}  # fmt: skip


def answer(lines: Shown, wanted: Callable[[str], list[dict[str, Any]]]) -> dict[str, Any]:
    """The items that are wanted of each numbered line, with the ids of what they are `of`."""
    known = {label.split()[0]: text for label, text in lines if re.match(r"m\d", label)}
    found: dict[str, Any] = {}
    for label, text in lines:
        if not label[0].isdigit():
            continue
        items = []
        for one in wanted(text):
            item = {**FULL, **one} if one["do"] in ("add", "update") else dict(one)
            if "of" in one:
                of = item.pop("of")
                ids = [id for id, told in known.items() if of in told]
                if not ids and one["do"] != "update":
                    continue
                item["id"] = ids[0] if ids else ""
                item["do"] = one["do"] if ids else "add"
            items.append(item)
        found[label.split()[0]] = items
    return found


def sat(lines: Shown) -> dict[str, Any]:
    """An ideal answer to the test sentences."""
    everything = [one for language in trial.SENTENCES.values() for one in language]

    def wanted(text: str) -> list[dict[str, Any]]:
        (one,) = [one for one in everything if one.text == text]
        if one.known:
            item = {"do": one.do[0], "words": text, "of": one.known}
        elif one.has:
            item = {"do": "add", "words": text}
        else:
            return []
        user = "The user" if text.isascii() else "用户"
        return [{**item, "content": f"{user}: {one.has[0]}" if one.has else ""}]

    return answer(lines, wanted)


def ideal(server: Stage, chosen: Sequence[Case]) -> Scene:
    """A model that has read the cases, and answers nothing where it knows nothing."""
    items = {
        text: wanted
        for case in chosen
        for text, wanted in zip(
            [words for _, who, words in case["turns"] if who == "u"], case["ideal"], strict=True
        )
    }

    def wanted(text: str) -> list[dict[str, Any]]:
        whole = [one for words, one in items.items() if text in words]
        found = whole[0] if whole else []
        return [one for one in found if one["words"] in text]

    def scene(handler: BaseHTTPRequestHandler) -> None:
        body = server.requests[-1].body
        name = body["response_format"]["json_schema"]["name"]
        if name == "trial":
            reply = sat(shown(body))
        elif name in ("reading", "compress"):
            reply = answer(shown(body), wanted)
        else:
            reply = {"verdict": "unrelated", "summary": "", "portrait": "", "profile": ""}
        says(reply)(handler)

    return scene
