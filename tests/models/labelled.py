"""Sixty labelled conversations, what an ideal model answers about them, and how well they are kept.

`cases/*.jsonl` has cases as `loxodon bench writing` reads them, with one field more: `ideal`, the
items that a good reader would answer for each of the user's messages. The conversations and checks
were written by somebody who knew neither the rules nor the prompts, the ideal answers by hand
afterwards; no prompt was tuned to them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from datetime import UTC
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

from loxodon.config import Config, ModelConfig, WorkspaceConfig
from loxodon.measure.cases import Case, read_cases
from loxodon.measure.writing import WritingOptions, WritingReport, WritingTask, outcome, run
from loxodon.models import trial
from tests.models.server import Scene, Stage, says

CASES = Path(__file__).parent / "cases"
LANGUAGES = ("en", "zh")
CHANGES = ("update", "supersede", "retract")


def cases(*languages: str, every: int = 1) -> list[Case]:
    """The cases of some languages, or of both; one of `every`."""
    return [
        case
        for language in languages or LANGUAGES
        for case in read_cases(_lines(language), language, UTC)[::every]
    ]


def _lines(language: str) -> list[bytes]:
    return (CASES / f"{language}.jsonl").read_bytes().splitlines()


def score(chosen: Iterable[Case], **model: Any) -> WritingReport:
    """How well conversations are kept with a model (settings of `[model]`), or without one."""
    config = Config(
        timezone="UTC", model=ModelConfig(**model), workspace=WorkspaceConfig(views="off")
    )
    chosen = list(chosen)
    done = [run(WritingTask(case, config)) for case in chosen]
    return outcome("", chosen, done, WritingOptions(model=True, failures=True))


def right(found: WritingReport, figure: str) -> tuple[int, int]:
    """How many checks of a figure hold, of how many."""
    figures: Any = found.report[figure]
    return figures["right"], figures["n"]


def line(name: str, found: WritingReport) -> str:
    """A row of the table."""
    report: Any = found.report
    shares = "  ".join(
        f"{what} {good}/{of} {100 * good / max(of, 1):.0f}%".ljust(22)
        for what, (good, of) in {
            "additions": right(found, "additions"),
            "changes": right(found, "changes"),
            "must not": right(found, "never"),
        }.items()
    )
    spent = report["model"]
    return (
        f"{name:<8} {shares} memories {report['memories']}  tokens {spent['tokens']}  "
        f"questions {spent['questions']}  refused {spent['refused']}"
    )


# A model that answers ideally

Shown = list[tuple[str, str]]


def shown(body: dict[str, Any]) -> Shown:
    """The lines of a question: label and text."""
    lines = body["messages"][1]["content"].splitlines()[1:-1]
    found = [re.match(r'(.*?) (".*")$', line) for line in lines]
    return [(one[1], json.loads(one[2])) for one in found if one]


FULL = {
    "id": "",
    "subject": "user",
    "attribute": "",
    "value": "",
    "kind": "fact",
    "category": "fact",
    "importance": 0.5,
    "confidence": 1,
    "project": "",
    "topic": "",
    "tags": [],
    "since": "",
    "mentions": [],
}


def answer(lines: Shown, wanted: Callable[[str], list[dict[str, Any]]]) -> dict[str, Any]:
    """The items that are wanted of each numbered line, with the ids of what they are `of`; the
    notes of the rules are dropped, because it tells all itself."""
    known = {label.split()[0]: text for label, text in lines if re.match(r"m\d", label)}
    notes: dict[str, list[str]] = {}
    number = ""
    for label, _ in lines:
        if label.startswith("h"):
            notes.setdefault(number, []).append(label)
        else:
            number = label.split()[0]
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
        number = label.split()[0]
        items += [{"do": "drop", "id": id} for id in notes.get(number, ())]
        found[number] = items
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


def _bare(text: str) -> str:
    """A text without the blanks, which pieces of it lose."""
    return "".join(text.split())


def ideal(server: Stage) -> Scene:
    """A model that has read the cases, and answers nothing where it knows nothing."""
    items: dict[str, list[dict[str, Any]]] = {}
    for case in [json.loads(one) for language in LANGUAGES for one in _lines(language)]:
        said = [turn["content"] for turn in case["turns"] if turn["role"] == "user"]
        items |= dict(zip(said, case["ideal"], strict=True))

    def wanted(text: str) -> list[dict[str, Any]]:
        whole = [one for words, one in items.items() if _bare(text) in _bare(words)]
        found = whole[0] if whole else []
        return [one for one in found if _bare(one["words"]) in _bare(text)]

    def scene(handler: BaseHTTPRequestHandler) -> None:
        body = server.requests[-1].body
        name = body["response_format"]["json_schema"]["name"]
        if name in ("reading", "compress"):
            reply = answer(shown(body), wanted)
        else:
            reply = {"verdict": "unrelated", "summary": "", "portrait": "", "profile": ""}
        says(reply)(handler)

    return scene
