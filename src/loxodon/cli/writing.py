"""`loxodon bench writing`: how well labelled conversations become memories."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC
from itertools import chain, groupby
from typing import Any, NamedTuple

from loxodon.cli import view
from loxodon.cli.bench import Figures, Sets, built, for_measuring, percent, read, share
from loxodon.clock import zone_named
from loxodon.config import Config, EmbedderConfig
from loxodon.errors import InputError, UsageError
from loxodon.journal.jsonl import draft_from_mapping
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


def read_cases(name: str, timezone: str = "UTC") -> list[Figures]:
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
        sessions: list[Figures] = []
        for id, some in groupby(value["turns"], key=lambda turn: turn.get("session", "")):
            drafts = [(turn, draft_from_mapping(turn, n, zone)) for n, turn in enumerate(some, 1)]
            turns = [{**turn, "at": draft.at or turn["at"]} for turn, draft in drafts]
            sessions.append({"id": id, "turns": turns})
        ends = [max(turn["at"] for turn in one["turns"]) for one in sessions]
        if not ends or ends != sorted(ends):
            raise InputError("the turns are missing or not in chronological order")
        told = {"id": str(value["id"]), "about": value.get("about", ""), "turns": value["turns"]}
        told |= {"sessions": sessions, "end": ends[-1]}
        return {**told, "checks": [*map(checked, value["checks"])]}

    return read(name, case)


def measure(sets: Sets, how: Any, config: Config) -> list[Figures]:
    """A report on each file; with `--model`, the model of `config` is asked too."""
    if how.model and config.model.mode == "rules":
        hint = "set model.base_url and model.name, or measure without --model"
        raise UsageError("no model is configured", hint=hint)
    alone = for_measuring(config)._replace(embedder=EmbedderConfig(kind="none"))
    config = alone._replace(model=config.model) if how.model else alone
    reports = []
    for name, cases in sets.items():
        some = view.watched(cases[: how.limit or None])
        reports.append({"file": name, **_report([written(case, config) for case in some], how)})
    return reports


def written(case: Figures, config: Config) -> Figures:
    """A case with what became of it: its sessions taken in, one after the other, by a memory of its
    own."""
    kept: list[Figures] = []
    ended: list[str] = []  # what was there once, and was ended or put in other words
    with built(case, config, daily=True) as (memory, _, took):
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
    return {**case, "kept": kept, "ended": ended, "said": said, "left": left, "took": took}


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
    """Whether a check holds because something was done: what is there now was revised, what is
    gone was there and was ended."""
    if not holds(check, case["kept"]):
        return False
    if check["type"] == "update":
        revised = (one["content"] for one in case["kept"] if one["revised"])
        return any(_has(check["present"], content) for content in revised)
    ended = check["type"] not in ("supersede", "retract")
    return ended or any(_has(check["absent"], content) for content in case["ended"])


def _report(cases: Sequence[Figures], how: Any) -> Figures:
    """What the cases of one file came to, and what failed."""
    figures: dict[str, list[bool]] = {one.figure: [] for one in CHECKS.values()}
    operations: dict[str, list[bool]] = {one.operation: [] for one in CHECKS.values()}
    types: dict[str, list[bool]] = {}
    failures: list[Figures] = []
    for case in cases:
        wrong: dict[str, list[Figures]] = {"failed": [], "not_done": []}
        for check in case["checks"]:
            right, done = holds(check, case["kept"]), _is_done(check, case)
            types.setdefault(check["type"], []).append(right)
            figures[CHECKS[check["type"]].figure].append(right)
            operations[CHECKS[check["type"]].operation].append(done)
            if not done:
                wrong["not_done" if right else "failed"].append(check)
        if any(wrong.values()):
            talk = [f"{str(x['at'])[:10]} {x['role']}: {x['content']}" for x in case["turns"]]
            told = {"case": case["id"], "about": case["about"], "said": talk}
            failures.append({**told, "memories": case["kept"], "ended": case["ended"], **wrong})
    said, left = (sum(case[name] for case in cases) for name in ("said", "left"))
    took = [case["took"] for case in cases]

    def shares(some: Mapping[str, Sequence[bool]]) -> Figures:
        return {name: share(passed) for name, passed in some.items()}

    report: Figures = {
        "cases": len(cases),
        "turns": sum(len(case["turns"]) for case in cases),
        "memories": sum(len(case["kept"]) for case in cases),
        **shares(figures),
        "types": shares(types),
        "operations": shares({"overall": [*chain(*operations.values())], **operations}),
        "denoising": {"tokens": said, "left": left, "share": percent(left, said)},
        "consolidate_s": round(sum(one["consolidate_s"] for one in took), 2),
    }
    if how.failures:
        report["failures"] = failures
    if how.model:
        problems = [one["problem"] for one in took if one["problem"]]
        asked = {"tokens": sum(one["tokens"] for one in took), "failed": len(problems)}
        report["model"] = {**asked, "problem": "".join(problems[:1])}
    return report
