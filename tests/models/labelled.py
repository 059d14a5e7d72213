"""Sixty labelled conversations, what an ideal model answers about them, and how well they are kept.

`cases/*.jsonl` has cases as `loxodon bench writing` reads them, with one field more: `ideal`, the
items that a good reader would answer for each of the user's messages. The conversations and checks
were written by somebody who knew neither the rules nor the prompts, the ideal answers by hand
afterwards; no prompt was tuned to them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.cli.shell import typed
from tests.models.server import Scene, Stage, says

HERE = Path(__file__).parent
LANGUAGES = ("en", "zh")
CHANGES = ("update", "supersede", "retract")
Case = dict[str, Any]


def cases(*languages: str, every: int = 1) -> list[Case]:
    """The cases of some languages, or of both; one of `every`."""
    return [
        json.loads(line)
        for language in languages or LANGUAGES
        for line in _lines(HERE / "cases" / f"{language}.jsonl")[::every]
    ]


def _lines(path: Path) -> list[str]:
    return path.read_text("utf-8").splitlines()


def score(chosen: Sequence[Case], **model: Any) -> dict[str, Any]:
    """What `loxodon bench writing` reports of conversations, with a model or without one."""
    with TemporaryDirectory() as home:
        path = Path(home, "cases.jsonl")
        kept = [{name: one[name] for name in one if name != "ideal"} for one in chosen]
        path.write_text("".join(json.dumps(one) + "\n" for one in kept), "utf-8")
        options = [
            word for name, value in model.items() for word in ("--set", f"model.{name}={value}")
        ]
        env = {"HOME": home, "LOXODON_HOME": f"{home}/home", "LANG": "C.UTF-8", "TZ": "UTC"}
        options += ["--model"] if model else []
        words = ("bench", "writing", str(path), "--failures", "--json", *options)
        done = typed(*words, env=env)
        assert done.returncode == 0, done.stderr.decode()
        told = json.loads(done.stdout)
        found: dict[str, Any] = told.get("files", [told])[0]
        return found


def right(found: dict[str, Any], figure: str) -> tuple[int, int]:
    """How many checks of a figure hold, of how many."""
    return found[figure]["right"], found[figure]["n"]


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


TRIAL = [json.loads(line) for line in _lines(HERE / "trial.jsonl")]
"""The test sentences, and what is right to do with each."""


def sat(lines: Shown) -> dict[str, Any]:
    """An ideal answer to the test sentences."""

    def wanted(text: str) -> list[dict[str, Any]]:
        (one,) = [one for one in TRIAL if one["text"] == text]
        if one["known"]:
            item = {"do": one["do"][0], "words": text, "of": one["known"]}
        elif one["has"]:
            item = {"do": "add", "words": text}
        else:
            return []
        user = "The user" if text.isascii() else "用户"
        return [{**item, "content": f"{user}: {one['has'][0]}" if one["has"] else ""}]

    return answer(lines, wanted)


def _bare(text: str) -> str:
    """A text without the blanks, which pieces of it lose."""
    return "".join(text.split())


def ideal(server: Stage) -> Scene:
    """A model that has read the cases, and answers nothing where it knows nothing."""
    items: dict[str, list[dict[str, Any]]] = {}
    for case in cases():
        said = [turn["content"] for turn in case["turns"] if turn["role"] == "user"]
        items |= dict(zip(said, case["ideal"], strict=True))

    def wanted(text: str) -> list[dict[str, Any]]:
        whole = [one for words, one in items.items() if _bare(text) in _bare(words)]
        found = whole[0] if whole else []
        return [one for one in found if _bare(one["words"]) in _bare(text)]

    def scene(handler: BaseHTTPRequestHandler) -> None:
        body = server.requests[-1].body
        name = body["response_format"]["json_schema"]["name"]
        if name == "reading":
            reply = answer(shown(body), wanted)
        else:
            reply = {"verdict": "unrelated", "summary": "", "portrait": "", "profile": ""}
        says(reply)(handler)

    return scene
