"""`loxodon bench writing`: how well labelled conversations become memories."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from datetime import UTC
from itertools import groupby
from time import perf_counter
from typing import Any

from loxodon.cli import view
from loxodon.cli.bench import Figures, for_measuring, percent, read
from loxodon.clock import zone_named
from loxodon.config import Config, EmbedderConfig
from loxodon.errors import InputError, UsageError
from loxodon.journal.jsonl import draft_from_mapping
from loxodon.memory import Memory
from loxodon.tokens import estimate

# The types of checks and what each must have; what is reported, and the types that it counts.
LOOKS_FOR = {
    "add": ("present",),
    "belief": ("present",),
    "update": ("present",),
    "supersede": ("present", "absent"),
    "retract": ("absent",),
    "repeat": ("once",),
    "never": ("absent",),
}
FIGURES = {
    "additions": ("add",),
    "changes": ("update", "supersede", "retract"),
    "never": ("never",),
    "duplicates": ("repeat",),
    "beliefs": ("belief",),
}
OPERATIONS = {
    "overall": tuple(LOOKS_FOR),
    "ADD": ("add", "belief"),
    "UPDATE": ("update",),
    "DELETE": ("supersede", "retract"),
    "NOOP": ("repeat", "never"),
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
        if check.get("type") not in LOOKS_FOR:
            raise InputError("{type} is not a type of check", type=repr(check.get("type")))
        for field in LOOKS_FOR[check["type"]]:
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


def measure(
    files: Sequence[str], config: Config, *, model: bool = False, limit: int = 0
) -> list[Figures]:
    """Each file's report; `model` also asks the model of `config`."""
    if model and config.model.mode == "rules":
        raise UsageError(
            "no model is configured",
            hint="set model.base_url and model.name, or measure without --model",
        )
    alone = for_measuring(config)._replace(embedder=EmbedderConfig(kind="none"))
    config = alone._replace(model=config.model) if model else alone
    read = {name: read_cases(name, config.timezone, limit) for name in files}
    reports = []
    for name, cases in read.items():
        done = []
        for case in cases:
            done.append(written(case, config))
            view.progress(len(done), len(cases))
        reports.append(_report(name, done, model))
    return reports


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
    if check["type"] in OPERATIONS["UPDATE"]:
        revised = (one["content"] for one in case["kept"] if one["revised"])
        return any(_has(check["present"], content) for content in revised)
    if check["type"] in OPERATIONS["DELETE"]:
        return any(_has(check["absent"], content) for content in case["ended"])
    return True


def _report(name: str, cases: Sequence[Figures], model: bool) -> Figures:
    """What the cases of one file came to, and what failed."""
    checked: list[tuple[str, bool, bool]] = []
    failures = []
    for case in cases:
        found = [
            (one, held := holds(one, case["kept"]), held and _is_done(one, case))
            for one in case["checks"]
        ]
        checked += [(one["type"], held, done) for one, held, done in found]
        if not all(done for _, _, done in found):
            turns = case["turns"]
            failures.append(
                {
                    "case": case["id"],
                    "about": case["about"],
                    "said": [f"{str(x['at'])[:10]} {x['role']}: {x['content']}" for x in turns],
                    "memories": case["kept"],
                    "ended": case["ended"],
                    "failed": [one for one, held, _ in found if not held],
                    "not_done": [one for one, held, done in found if held and not done],
                }
            )

    def share(types: Collection[str], at: int = 1) -> Figures:
        counted = [one[at] for one in checked if one[0] in types]
        right = sum(map(bool, counted))
        return {"n": len(counted), "right": right, "share": percent(right, len(counted))}

    tokens, left, seconds = (sum(one[k] for one in cases) for k in ("tokens", "left", "seconds"))
    report: Figures = {
        "file": name,
        "cases": len(cases),
        "turns": sum(len(case["turns"]) for case in cases),
        "memories": sum(len(case["kept"]) for case in cases),
        **{figure: share(types) for figure, types in FIGURES.items()},
        "types": {type: share([type]) for type, *_ in checked},
        "operations": {operation: share(types, 2) for operation, types in OPERATIONS.items()},
        "denoising": {"tokens": tokens, "left": left, "share": percent(left, tokens)},
        "consolidate_s": round(seconds, 2),
        "failures": failures,
    }
    if model:
        problems = [case["problem"] for case in cases if case["problem"]]
        counts = sum((case["model"] for case in cases), Counter[str]())
        asked = {what: counts[what] for what in ("tokens", "questions", "refused")}
        report["model"] = {**asked, "failed": len(problems), "problem": next(iter(problems), "")}
    return report
