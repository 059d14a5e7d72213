"""`loxodon bench writing`: how well labelled conversations become memories."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC
from itertools import chain, groupby
from time import perf_counter
from typing import Any, NamedTuple

from loxodon.cli import view
from loxodon.cli.bench import Figures, for_measuring, percent, read, share
from loxodon.cli.call import Call
from loxodon.clock import zone_named
from loxodon.config import Config, EmbedderConfig
from loxodon.errors import InputError, UsageError
from loxodon.journal.jsonl import draft_from_mapping
from loxodon.memory import Memory
from loxodon.tokens import estimate


class Check(NamedTuple):
    fields: tuple[str, ...]  # that it must have
    figure: str  # of the report, which it counts for
    operation: str


CHECKS = {
    "add": Check(("present",), "additions", "ADD"),
    "update": Check(("present",), "changes", "UPDATE"),
    "supersede": Check(("present", "absent"), "changes", "DELETE"),
    "retract": Check(("absent",), "changes", "DELETE"),
    "never": Check(("absent",), "never", "NOOP"),
    "repeat": Check(("once",), "duplicates", "NOOP"),
    "belief": Check(("present",), "beliefs", "ADD"),
}
# How a memory ends that something else was said of.
_ENDED = ("superseded", "corrected", "retracted", "denied", "confirmed")


def read_cases(name: str, timezone: str = "UTC", limit: int = 0) -> list[Figures]:
    """The cases of a file, their turns in sessions with the time at which each was over; times
    without an offset are in `timezone`."""
    zone = zone_named(timezone) or UTC

    def groups(value: Any) -> list[list[str]]:
        """`[["a", "b"], ["c"]]`; a group of one text may be written without its brackets."""
        some = [value] if isinstance(value, str) else value
        return [[text.lower() for text in ([one] if isinstance(one, str) else one)] for one in some]

    def checked(check: Figures) -> Figures:
        if check.get("type") not in CHECKS:
            raise InputError("{type} is not a type of check", type=repr(check.get("type")))
        for field in CHECKS[check["type"]].fields:
            if not check[field]:
                raise KeyError(field)
        return {name: one if name == "type" else groups(one) for name, one in check.items()}

    def case(value: Figures) -> Figures:
        sessions = []
        for _, some in groupby(value["turns"], key=lambda turn: turn.get("session", "")):
            turns = list(some)
            drafts = [draft_from_mapping(one, n, zone) for n, one in enumerate(turns, 1)]
            ends = max(draft.at or turn["at"] for draft, turn in zip(drafts, turns, strict=True))
            sessions.append((ends, turns))
        if not sessions or sessions != sorted(sessions, key=lambda one: one[0]):
            raise InputError("the turns are missing or not in chronological order")
        told = {"id": str(value["id"]), "about": value.get("about", ""), "turns": value["turns"]}
        return {**told, "sessions": sessions, "checks": [*map(checked, value["checks"])]}

    return read(name, case, limit)


def measure(call: Call, config: Config) -> list[Figures]:
    """Each file's report; with `--model`, the model of `config` is asked too."""
    if call.model and config.model.mode == "rules":
        raise UsageError(
            "no model is configured",
            hint="set model.base_url and model.name, or measure without --model",
        )
    alone = for_measuring(config)._replace(embedder=EmbedderConfig(kind="none"))
    config = alone._replace(model=config.model) if call.model else alone
    read = {name: read_cases(name, config.timezone, call.limit) for name in call.file}
    return [
        {"file": name, **_report([written(case, config) for case in view.watched(cases)], call)}
        for name, cases in read.items()
    ]


def written(case: Figures, config: Config) -> Figures:
    """A case with what became of it: its sessions taken in, one after the other, by a memory of its
    own."""
    now = [case["sessions"][0][0]]
    kept: list[Figures] = []
    ended: list[str] = []  # what was there once, and was ended or put in other words
    model, problem, seconds = Counter[str](), "", 0.0
    with (
        tempfile.TemporaryDirectory(prefix="loxodon-bench-") as home,
        Memory.open(home, config=config, clock=lambda: now[0]) as memory,
    ):
        for now[0], turns in case["sessions"]:
            memory.add(turns)
            started = perf_counter()
            outcome = memory.consolidate(force=True)
            seconds += perf_counter() - started
            model["tokens"] += outcome.tokens
            if outcome.model is not None:
                model["questions"] += outcome.model.questions
                model["refused"] += sum(outcome.model.refused.values())
            problem = problem or outcome.problem
        for record in memory.list(state="all"):
            *before, last = memory.history(record.id)
            was = [one.record.content for one in before if one.record.content != record.content]
            if record.state == "active":
                revised = bool(was or record.replaces)
                kept.append({"kind": record.kind, "content": record.content, "revised": revised})
                ended += was
            elif last.change in _ENDED and record.kind != "summary":
                ended += [record.content, *was]
        said = sum(estimate(turn.content) for turn in memory.journal())
        # Without the marks of who speaks, which nobody said.
        texts = [one.text.removeprefix("> ").replace("\n> ", "\n") for one in memory.segments()]
        left = min(sum(map(estimate, texts)), said)
    found = {"kept": kept, "ended": ended, "tokens": said, "left": left, "seconds": seconds}
    return {**case, **found, "model": model, "problem": problem}


def _has(groups: Iterable[Sequence[str]], content: str) -> bool:
    return all(any(text in content.lower() for text in group) for group in groups)


def holds(check: Figures, kept: Sequence[Figures]) -> bool:
    """Whether a memory holds what a check wants."""

    def having(what: str, *kinds: str) -> int:
        return sum(one["kind"] in kinds and _has(check[what], one["content"]) for one in kept)

    every = ("fact", "belief", "summary")
    kinds = ("belief",) if check["type"] == "belief" else every
    present = "present" not in check or having("present", *kinds)
    once = "once" not in check or having("once", "fact", "belief") == 1
    return bool(present and once and not ("absent" in check and having("absent", *every)))


def _is_done(check: Figures, case: Figures) -> bool:
    """Whether the operation was carried out that a check which holds stands for."""
    operation = CHECKS[check["type"]].operation
    if operation == "UPDATE":
        revised = (one["content"] for one in case["kept"] if one["revised"])
        return any(_has(check["present"], content) for content in revised)
    if operation == "DELETE":
        return any(_has(check["absent"], content) for content in case["ended"])
    return True


def _report(cases: Sequence[Figures], call: Call) -> Figures:
    """What the cases of one file came to, and what failed."""
    figures: dict[str, list[bool]] = {one.figure: [] for one in CHECKS.values()}
    operations: dict[str, list[bool]] = {one.operation: [] for one in CHECKS.values()}
    types: dict[str, list[bool]] = {}
    failures = []
    for case in cases:
        failed, not_done = [], []
        for check in case["checks"]:
            held = holds(check, case["kept"])
            done = held and _is_done(check, case)
            types.setdefault(check["type"], []).append(held)
            figures[CHECKS[check["type"]].figure].append(held)
            operations[CHECKS[check["type"]].operation].append(done)
            failed += [] if held else [check]
            not_done += [check] if held and not done else []
        if failed or not_done:
            told = {"case": case["id"], "about": case["about"]}
            said = [f"{str(x['at'])[:10]} {x['role']}: {x['content']}" for x in case["turns"]]
            told |= {"said": said, "memories": case["kept"], "ended": case["ended"]}
            failures.append({**told, "failed": failed, "not_done": not_done})

    def shares(some: Mapping[str, Sequence[bool]]) -> dict[str, Figures]:
        return {name: share(passed) for name, passed in some.items()}

    tokens, left, seconds = (sum(one[k] for one in cases) for k in ("tokens", "left", "seconds"))
    report: Figures = {
        "cases": len(cases),
        "turns": sum(len(case["turns"]) for case in cases),
        "memories": sum(len(case["kept"]) for case in cases),
        **shares(figures),
        "types": shares(types),
        "operations": shares({"overall": [*chain(*operations.values())], **operations}),
        "denoising": {"tokens": tokens, "left": left, "share": percent(left, tokens)},
        "consolidate_s": round(seconds, 2),
    }
    if call.failures:
        report["failures"] = failures
    if call.model:
        problems = [case["problem"] for case in cases if case["problem"]]
        counts = sum((case["model"] for case in cases), Counter[str]())
        asked = {what: counts[what] for what in ("tokens", "questions", "refused")}
        report["model"] = {**asked, "failed": len(problems), "problem": next(iter(problems), "")}
    return report
