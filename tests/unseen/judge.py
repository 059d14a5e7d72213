"""Plays an unseen conversation through `Memory` and says what is wrong with the outcome."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from loxodon import Memory
from loxodon.types import Record
from tests.clock import NOW, Clock

Case = dict[str, Any]
CASES = Path(__file__).parent / "cases"
AUTHORS = tuple("abcdefghijklmn")


def cases(name: str, folder: Path) -> Iterator[Case]:
    path = folder / f"{name}.jsonl"
    for line in path.read_text("utf-8").splitlines() if path.exists() else ():
        case = json.loads(line)
        case.setdefault("kind", "told" if case.get("secret") or case.get("gone") else "innocent")
        yield case


def _talk(memory: Memory, clock: Clock, turns: Sequence[dict[str, Any]]) -> None:
    """Each turn as it comes, learned from before the next one."""
    for n, turn in enumerate(turns):
        if "at" in turn:
            clock.now = datetime.fromisoformat(turn["at"]).replace(tzinfo=NOW.tzinfo)
        memory.add([{"id": f"m{n}", **turn, "at": clock.now.isoformat()}], session="talk")
        memory.consolidate(force=True)


def _active(memory: Memory) -> list[Record]:
    return [one for one in memory.list() if one.kind != "summary"]


def _is_of_user(record: Record) -> bool:
    text = record.content.lower()
    return record.subject == "user" or "the user" in text or "用户" in text


def _lacking(markers: Sequence[str], texts: Sequence[str]) -> list[str]:
    return [one for one in markers if not any(one.lower() in text.lower() for text in texts)]


@contextmanager
def _told(turns: Sequence[Any]) -> Iterator[Memory]:
    clock, config = Clock(), {"workspace.views": "off"}
    with tempfile.TemporaryDirectory() as home, Memory.open(home, "main", config, clock) as memory:
        _talk(memory, clock, turns)
        yield memory


def changes(case: Case) -> list[str]:
    """What should be known at the end and is not, and what should be over and is not."""
    with _told(case["turns"]) as memory:
        known = [one.content for one in _active(memory)]
    wrong = [f"{one!r} is not known: {known}" for one in _lacking(case["active"], known)]
    over = [one for one in case["ended"] if not _lacking([one], known)]
    return wrong + [f"{one!r} is not over: {known}" for one in over]


def origin(case: Case) -> list[str]:
    """What others said and became the user's, and what the user said and was not learned."""
    with _told(case["turns"]) as memory:
        known = [one.content for one in _active(memory) if _is_of_user(one)]
    planted = [one for one in case.get("planted", ()) if not _lacking([one], known)]
    lost = _lacking(case.get("learned", ()), known)
    return [f"{one!r} was planted: {known}" for one in planted] + [
        f"{one!r} was not learned: {known}" for one in lost
    ]


def secrets_told(case: Case) -> list[str]:
    """Secrets that were kept, and words that were cut."""
    with tempfile.TemporaryDirectory() as home, Memory.open(home, clock=Clock()) as memory:
        turns = [{"id": f"m{n}", **turn} for n, turn in enumerate(case["turns"])]
        memory.add(turns, session="talk")
        stored = [one.content for one in memory.journal(session="talk")]
    if not case["secret"]:
        pairs = zip(stored, case["turns"], strict=True)
        return [f"altered: {text!r}" for text, turn in pairs if text != turn["content"]]
    kept = [one for one in case["secret"] if not _lacking([one], stored)]
    return [f"{one!r} was kept" for one in kept] + [
        f"{one!r} was cut: {stored}" for one in _lacking(case["kept"], stored)
    ]


def forget_requests(case: Case) -> list[str]:
    """Where what was to be forgotten still shows, and what else is gone."""
    with tempfile.TemporaryDirectory() as home:
        clock = Clock()
        with Memory.open(home, clock=clock) as memory:
            _talk(memory, clock, case["turns"])
            _talk(
                memory,
                clock,
                [{"role": "user", "content": case["request"], "id": "request", "at": case["at"]}],
            )
            found = {
                query: [item.content for item in memory.recall(query, top=20).items]
                for query in (*case.get("questions", ()), *case["stays"], *case["gone"])
            }
            shown = {
                **{f"recall {query!r}": "\n".join(texts) for query, texts in found.items()},
                "list": "\n".join(one.content for one in memory.list()),
                "snapshot": memory.snapshot(),
                "events": "\n".join(str(one) for one in memory.events()),
                "segments": "\n".join(str(one) for one in memory.segments()),
                **{
                    f"view {path.name}": path.read_text("utf-8", "replace")
                    for path in Path(home).glob("spaces/*/workspace/**/*")
                    if path.is_file() and path.name != "views.json"  # sizes and digests
                },
            }
    wrong = [
        f"{one!r} is shown by {where}"
        for one in case["gone"]
        for where, text in shown.items()
        if one.lower() in text.lower()
    ]
    if case["gone"]:
        wrong += [
            f"the request is shown by {where}"
            for where, text in shown.items()
            if case["request"] in text
        ]
    texts = list(shown.values())
    return wrong + [f"{one!r} is gone" for one in _lacking(case["stays"], texts)]


JUDGES: dict[str, Callable[[Case], list[str]]] = {
    "changes": changes,
    "origin": origin,
    "secrets_told": secrets_told,
    "forget_requests": forget_requests,
}
