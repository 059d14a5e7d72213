"""Writing, measured: does a conversation become the memories that it should?

Each case becomes a memory of its own in a temporary home, by the path that a user has: `add` and
`consolidate`, session by session, each when it was over. Then its checks are held against what the
memory has, and against how it came to have it:

    ADD      add, belief   something is there, for a belief as a guess
    UPDATE   update        something is there, as a richer form of what was there
    DELETE   supersede     something is there in the place of something else
             retract       something is there no more
    NOOP     repeat        something is there exactly once
             never         something is not there

A check holds by what is there in the end. The operation is right only if it was carried out too:
what was never learned cannot be deleted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC
from time import perf_counter
from typing import NamedTuple

from loxodon.clock import zone_named
from loxodon.config import Config, EmbedderConfig, WorkspaceConfig
from loxodon.errors import InputError, UsageError
from loxodon.measure.cases import Case, Check, Groups, read_cases
from loxodon.measure.lines import Progress, lines_of, shared
from loxodon.measure.metrics import percent
from loxodon.memory import Memory
from loxodon.tokens import estimate

FIGURES = {
    "additions": ("add",),
    "changes": ("update", "supersede", "retract"),
    "never": ("never",),
    "duplicates": ("repeat",),
    "beliefs": ("belief",),
}
"""What is reported, and the types of checks that it counts."""
OPERATIONS = {
    "ADD": ("add", "belief"),
    "UPDATE": ("update",),
    "DELETE": ("supersede", "retract"),
    "NOOP": ("repeat", "never"),
}
_ENDED = ("superseded", "corrected", "retracted", "denied", "confirmed")
"""How a memory ends that something else was said of."""

Figures = dict[str, object]


class WritingOptions(NamedTuple):
    """What to measure."""

    limit: int = 0
    """Cases of each file; 0 for all."""
    only: str = ""
    """Cases whose id has this in it."""
    model: bool = False
    """Whether the model of the settings is asked, as in a real memory."""
    failures: bool = False
    """Whether what failed is reported, with the words."""
    jobs: int = 1
    """Processes that share the work."""


class FinalMemory(NamedTuple):
    """A memory at the end of a case."""

    kind: str
    content: str
    revised: bool = False
    """Whether it was made of something that was known before."""


class WritingTask(NamedTuple):
    case: Case
    config: Config


class WritingResult(NamedTuple):
    """What became of a case."""

    kept: tuple[FinalMemory, ...]
    ended: tuple[str, ...]
    """What was there once, and was ended or put in other words."""
    tokens: int
    """Of all that was said."""
    left: int
    """Of that, what denoising left."""
    seconds: float
    model_tokens: int
    questions: int
    """That a model answered."""
    refused: int
    """What it said that was not believed."""
    problem: str
    """Why the model could not be asked, where it could not."""


class WritingReport(NamedTuple):
    """What was found in one file, ready to be reported."""

    report: Figures
    failures: list[Figures]


def measure(
    files: Sequence[str], config: Config, options: WritingOptions, progress: Progress | None = None
) -> list[WritingReport]:
    """Measure every file with `config`, all in one run.

    A file that cannot be read, or has a bad line, is an InputError before anything is measured.
    """
    config = _for_measuring(config, options)
    zone = zone_named(config.timezone) or UTC
    read = [_chosen(read_cases(lines_of(name), name, zone), name, options) for name in files]
    tasks = [WritingTask(case, config) for cases in read for case in cases]
    done = iter(list(shared(run, tasks, options.jobs, progress)))
    return [
        outcome(name, cases, [next(done) for _ in cases], options)
        for name, cases in zip(files, read, strict=True)
    ]


def _for_measuring(config: Config, options: WritingOptions) -> Config:
    """`config` without what differs from machine to machine, and without what writes nothing."""
    if options.model and config.model.mode == "rules":
        raise UsageError(
            "no model is configured",
            hint="set model.base_url and model.name, or measure without --model",
        )
    model = config.model if options.model else replace(config.model, extraction="rules")
    return replace(
        config,
        timezone=config.timezone or "UTC",
        model=model,
        embedder=EmbedderConfig(),
        workspace=WorkspaceConfig(views="off"),
    )


def _chosen(cases: Sequence[Case], name: str, options: WritingOptions) -> list[Case]:
    found = [case for case in cases if options.only in case.id][: options.limit or None]
    if not found:
        raise InputError(
            "{file} has no case whose id contains {text}", file=name, text=repr(options.only)
        )
    return found


def run(task: WritingTask) -> WritingResult:
    """Take the sessions of a case in, one after the other, into a memory of its own."""
    import tempfile

    case = task.case
    now = [case.ends[0]]
    with (
        tempfile.TemporaryDirectory(prefix="loxodon-bench-") as home,
        Memory.open(home, config=task.config, clock=lambda: now[0]) as memory,
    ):
        tokens, questions, refused, problem, seconds = 0, 0, 0, "", 0.0
        for turns, end in zip(case.sessions, case.ends, strict=True):
            now[0] = end
            memory.add(turns)
            started = perf_counter()
            outcome = memory.consolidate(force=True)
            seconds += perf_counter() - started
            tokens += outcome.tokens
            if outcome.model is not None:
                questions += outcome.model.questions
                refused += sum(outcome.model.refused.values())
            problem = problem or outcome.problem
        kept, ended = _held(memory)
        said = sum(estimate(turn.content) for turn in memory.journal())
        left = sum(estimate(_bare(segment.text)) for segment in memory.segments())
    return WritingResult(
        kept, ended, said, min(left, said), seconds, tokens, questions, refused, problem
    )


def _held(memory: Memory) -> tuple[tuple[FinalMemory, ...], tuple[str, ...]]:
    """What a memory has, and what it had."""
    kept: list[FinalMemory] = []
    ended: list[str] = []
    for record in memory.list(state="all"):
        *before, last = memory.history(record.id)
        was = [one.record.content for one in before if one.record.content != record.content]
        if record.state == "active":
            kept.append(FinalMemory(record.kind, record.content, bool(was or record.replaces)))
            ended += was
        elif last.change in _ENDED and record.kind != "summary":
            ended += [record.content, *was]
    return tuple(kept), tuple(ended)


def _bare(text: str) -> str:
    """A segment without the marks of who speaks, which nobody said."""
    return "\n".join(line.removeprefix("> ") for line in text.splitlines())


def holds(check: Check, kept: Iterable[FinalMemory]) -> bool:
    """Whether a memory holds what a check wants."""
    kept = list(kept)
    if check.once and len([one for one in _having(check.once, kept) if one.kind != "summary"]) != 1:
        return False
    present = _having(check.present, kept)
    if check.type == "belief":
        present = [one for one in present if one.kind == "belief"]
    return not (check.present and not present) and not (
        check.absent and _having(check.absent, kept)
    )


def is_right(check: Check, done: WritingResult) -> bool:
    """Whether a check holds, and the operation that it stands for was carried out."""
    if not holds(check, done.kept):
        return False
    if check.type in OPERATIONS["UPDATE"]:
        return any(one.revised for one in _having(check.present, done.kept))
    if check.type in OPERATIONS["DELETE"]:
        return any(_has(check.absent, content) for content in done.ended)
    return True


def _having(groups: Groups, kept: Iterable[FinalMemory]) -> list[FinalMemory]:
    return [one for one in kept if _has(groups, one.content)]


def _has(groups: Groups, content: str) -> bool:
    lower = content.lower()
    return all(any(text.lower() in lower for text in group) for group in groups)


def outcome(
    name: str, cases: Sequence[Case], done: Sequence[WritingResult], options: WritingOptions
) -> WritingReport:
    """What the cases of one file came to."""
    checked = [
        (check.type, holds(check, one.kept), is_right(check, one))
        for case, one in zip(cases, done, strict=True)
        for check in case.checks
    ]
    held = [(type, right) for type, right, _ in checked]
    carried = [(type, right) for type, _, right in checked]
    tokens, left = sum(one.tokens for one in done), sum(one.left for one in done)
    report: Figures = {
        "file": name,
        "cases": len(cases),
        "turns": sum(len(case.turns) for case in cases),
        "memories": sum(len(one.kept) for one in done),
        **{figure: _share(held, types) for figure, types in FIGURES.items()},
        "types": {type: _share(held, [type]) for type in dict(held)},
        "operations": {
            "overall": _share(carried, dict(carried)),
            **{operation: _share(carried, types) for operation, types in OPERATIONS.items()},
        },
        "denoising": {"tokens": tokens, "left": left, "share": percent(left, tokens)},
        "consolidate_s": round(sum(one.seconds for one in done), 2),
    }
    if options.model:
        problems = [one.problem for one in done if one.problem]
        report["model"] = {
            "tokens": sum(one.model_tokens for one in done),
            "questions": sum(one.questions for one in done),
            "refused": sum(one.refused for one in done),
            "failed": len(problems),
            "problem": next(iter(problems), ""),
        }
    failures = [_failure(*one) for one in zip(cases, done, strict=True)] if options.failures else []
    return WritingReport(report, [one for one in failures if one["failed"] or one["not_done"]])


def _share(checked: Iterable[tuple[str, bool]], types: Iterable[str]) -> Figures:
    counted = [right for type, right in checked if type in types]
    right = sum(counted)
    return {"n": len(counted), "right": right, "share": percent(right, len(counted))}


def _failure(case: Case, done: WritingResult) -> Figures:
    """A case, what became of it, and the checks that do not hold or were not carried out."""
    return {
        "case": case.id,
        "about": case.about,
        "said": [_said(turn) for turn in case.turns],
        "memories": [one._asdict() for one in done.kept],
        "ended": list(done.ended),
        "failed": [_shown(one) for one in case.checks if not holds(one, done.kept)],
        "not_done": [
            _shown(one) for one in case.checks if holds(one, done.kept) and not is_right(one, done)
        ],
    }


def _said(turn: Mapping[str, object]) -> str:
    return f"{str(turn.get('at'))[:10]} {turn.get('role')}: {turn.get('content')}"


def _shown(check: Check) -> Figures:
    return {name: value for name, value in check._asdict().items() if value}
