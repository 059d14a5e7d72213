"""`loxodon bench`: labelled conversations take the path of a user's; what comes of it is counted.

docs/reference.md has the formats of the files, docs/benchmarks.md what the figures mean.
"""

from __future__ import annotations

import os
import tempfile
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache, partial
from hashlib import sha256
from itertools import groupby
from math import ceil, log2
from multiprocessing import get_context
from shutil import copytree
from time import perf_counter
from typing import Any

from loxodon import config as settings
from loxodon.cli import view
from loxodon.cli.call import Call, Result, read_file
from loxodon.cli.parser import arg, command, whole
from loxodon.cli.published import in_our_form
from loxodon.clock import parse_instant, zone_named
from loxodon.config import Config, EmbedderConfig, WorkspaceConfig
from loxodon.errors import InputError, UsageError
from loxodon.journal.jsonl import draft_from_mapping
from loxodon.journal.lines import as_object, parse_line
from loxodon.memory import Memory
from loxodon.models.embedders import ChosenEmbedder, chosen
from loxodon.recall.understand import understand
from loxodon.tokens import estimate
from loxodon.types import Item

Figures = dict[str, Any]

RANKED, ROOM = 100, 1_000_000  # items and tokens of the ranking that R@k is about
FITTING, HANDED = 100, 1_000  # items and tokens of the context that R@1k is about
_COMPARED = 300  # characters of a turn by which its words are looked for in a context
# The options that each kind of measurement has beside those of all
_OPTIONS = {
    "retrieval": ("category", "keep", "leave_out", "updates", "crossed"),
    "writing": ("model",),
    "answers": ("category", "keep", "reader", "judge", "strict", "budget", "details"),
}


@command(
    arg("WHAT", "what to measure", choices=tuple(_OPTIONS)),
    arg("FILE", "labelled conversations, or - for standard input", nargs="+"),
    arg("--set KEY=VALUE", "override a setting; can be repeated", action="append"),
    arg("--limit N", "only the first N conversations (answers: questions)", type=whole, default=0),
    arg("--jobs N", "number of parallel processes (1)", type=whole, default=1),
    arg("--failures", "writing: list the conversations that failed a check"),
    arg("--model", "writing: also use the configured model, which may cost money"),
    arg("--reader MODEL", "answers: 'URL NAME' or a command (default: the configured model)"),
    arg("--judge MODEL", "answers: the same for the judge (default: the reader)"),
    arg("--strict", "answers: right only if all of the reference is there"),
    arg("--budget TOKENS", "answers: maximum number of tokens of a context", type=whole),
    arg("--details FILE", "answers: append every answer; those there are not asked again"),
    arg("--embedder KIND[:NAME]", "use this embedder (setting embedder.kind)"),
    arg("--category NAME", "only questions of this category", action="append"),
    arg("--leave-out NAME", "retrieval: not part of the overall figures", action="append"),
    arg("--updates NAME", "retrieval: is the newest answer first?", action="append"),
    arg("--crossed", "retrieval: also ask each what only another can answer"),
    arg("--keep DIR", "keep the memories in this folder, and reuse those there"),
)
def bench(call: Call) -> Result:
    """Measure how well memories are written and found, and what a reader answers with them."""
    given = dict(one.partition("=")[::2] for one in call.set)
    if call.embedder:
        kind, colon, name = call.embedder.partition(":")
        given |= {"embedder.kind": kind, **({"embedder.name": name} if colon else {})}
    # What is measured is made for it: a home in a database stays out of this.
    own = call.config._replace(store=settings.StoreConfig(), embedder=EmbedderConfig(kind="none"))
    config = settings.from_mapping({**settings.flat(own), **given})
    options = {name: value for name in _OPTIONS[call.what] if (value := getattr(call, name))}
    how: dict[str, Any] = {"limit": call.limit, **options}
    if call.what == "answers":
        from loxodon.cli.answers import measure_answers

        files = measure_answers(call.file, config, **how)
    elif call.what == "retrieval":
        files = measure_retrieval(call.file, config, jobs=call.jobs, **how)
    else:
        files = measure_writing(call.file, config, jobs=call.jobs, **how)
    shown: list[object] = []
    for one in files:
        failed = one.get("failures", []) if call.failures else one.pop("failures", []) and []
        shown += [line for failure in failed for line in view.record(failure)]
        shown += [*view.record(one, "failures"), ""]
    changed = settings.changed(config)
    return Result({"files": files, "settings": changed}, [*shown, *view.record(changed)])


def read(name: str, parse: Callable[[Any], Figures], limit: int = 0) -> list[Figures]:
    """What `parse` makes of each line of a file; one InputError for all bad lines."""
    found: list[Figures] = []
    problems: list[tuple[int, InputError]] = []
    text = read_file(name).decode("utf-8-sig", "replace")
    # One value on each line, or all of them in an array
    values: Any = parse_line(text) if text.lstrip().startswith("[") else text.split("\n")
    for number, value in enumerate(values, 1):
        try:
            if not isinstance(value, str):
                found.append(parse(as_object(value)))
            elif value.strip():
                found.append(parse(as_object(parse_line(value))))
        except InputError as error:
            problems.append((number, error))
        except KeyError as error:
            problems.append((number, InputError("{field} is missing", field=error.args[0])))
        except (TypeError, AttributeError, ValueError) as error:
            problems.append((number, InputError("a field has a wrong type: {error}", error=error)))
    if problems or not found:
        raise InputError(
            "cannot use {file}: {n} invalid line",
            plural="cannot use {file}: {n} invalid lines",
            hint="a line is a conversation; see `loxodon bench` in docs/reference.md",
            problems=problems,
            file=name,
            n=len(problems),
        )
    return found[: limit or None]


def shared(run: Callable[[Figures], Figures], tasks: Sequence[Figures], jobs: int) -> list[Figures]:
    """Each task done, in order, by as many processes as asked for."""
    found = []
    with ProcessPoolExecutor(jobs, get_context("spawn")) if jobs > 1 else nullcontext() as pool:
        for done in (pool.map if pool else map)(run, tasks):
            found.append(done)
            view.progress(len(found), len(tasks))
    return found


def percent(part: float, whole: int) -> float:
    return round(100 * part / whole, 2) if whole else 0.0


def for_measuring(config: Config) -> Config:
    """`config` without what differs from machine to machine, and without a model."""
    return config._replace(
        timezone=config.timezone or "UTC",
        model=config.model._replace(extraction="rules"),
        workspace=WorkspaceConfig(views="off"),
    )


# Retrieval


def read_conversations(name: str, zone: tzinfo = UTC, limit: int = 0) -> list[Figures]:
    """The conversations of a file: every turn with its time, which without an offset is in `zone`,
    and `end`, a minute after the last."""

    def said(turn: Figures, session: Figures, place: int) -> Figures:
        at = parse_instant(turn.get("at") or session["at"], zone)
        at += timedelta(seconds=0 if turn.get("at") else place)
        told = {name: turn.get(name, "") for name in ("role", "speaker")}
        return {"id": str(turn["id"]), "content": turn["text"], "at": at, **told}

    def conversation(value: Figures) -> Figures:
        value = in_our_form(value)
        sessions: list[Figures] = [
            {"id": str(one["id"]), "turns": [said(x, one, n) for n, x in enumerate(one["turns"])]}
            for one in value["sessions"]
        ]
        every = [turn for session in sessions for turn in session["turns"]]
        for id, times in Counter(turn["id"] for turn in every).items():
            if times > 1:
                raise InputError("the turn {id} appears twice in the conversation", id=repr(id))
        last = max((turn["at"] for turn in every), default=datetime(2000, 1, 1, tzinfo=UTC))
        end = last + timedelta(minutes=1)
        questions = [
            {
                "id": f"{value['id']}/{one.get('id', n)}",
                "text": one["text"],
                "answer": str(one.get("answer") or ""),
                "category": str(one.get("category", "")),
                "evidence": list(dict.fromkeys(map(str, one["evidence"]))),
                "asked_at": parse_instant(one["asked_at"], zone) if one.get("asked_at") else end,
            }
            for n, one in enumerate(value["questions"])
        ]
        return {"id": value["id"], "sessions": sessions, "questions": questions, "end": end}

    return read(name, conversation, limit)


def measure_retrieval(
    files: Sequence[str],
    config: Config,
    *,
    category: Collection[str] = (),
    updates: Collection[str] = (),
    leave_out: Collection[str] = (),
    crossed: bool = False,
    keep: str | None = None,
    limit: int = 0,
    jobs: int = 1,
) -> list[Figures]:
    """Each file's report. The model of `config` is not asked. Files that cannot be read and
    embedders that cannot be had are errors before anything runs."""
    config = for_measuring(config)
    chosen_embedder(config.embedder)
    zone = zone_named(config.timezone) or UTC
    talks = [
        {**one, "file": name} for name in files for one in read_conversations(name, zone, limit)
    ]
    for talk in talks:
        asked = talk["questions"]
        talk["questions"] = [one for one in asked if not category or one["category"] in category]
    # What each is asked that only the one before can answer.
    strange = [talks[n - 1] if crossed and len(talks) > 1 else None for n in range(len(talks))]
    tasks = [{**talk, "strange": other} for talk, other in zip(talks, strange, strict=True)]
    done = shared(partial(_ingested, config=config, keep=keep), tasks, jobs)
    reports = []
    for name in files:
        own = [one for one in done if one["file"] == name]
        rows = [row for one in done for row in one["rows"] if row["file"] == name]
        reports.append({"file": name, **_report(own, rows, updates, leave_out, crossed)})
    return reports


@lru_cache(maxsize=1)
def chosen_embedder(config: EmbedderConfig) -> ChosenEmbedder | None:
    """The embedder of `config`, loaded once; a ConfigError where it cannot be made."""
    return chosen(config)


def kept_home(talk: Figures, config: Config, keep: str) -> str:
    """Where the memory of a conversation is kept; with an embedder, a copy of the one without."""

    def digest(value: object) -> str:
        return sha256(repr(value).encode()).hexdigest()[:24]

    # How recall is set is part of what is asked, not of what is read.
    changed = settings.changed(config)
    read = {k: v for k, v in changed.items() if not k.startswith(("recall.", "embedder."))}
    seen = {k: v for k, v in changed.items() if k.startswith("embedder.") and v != "none"}
    plain = os.path.join(keep, digest((talk["sessions"], read)))
    home = f"{plain}-{digest(seen)}" if seen else plain
    if os.path.exists(plain) and not os.path.exists(home):
        copytree(plain, home)
    return home


@contextmanager
def built(
    talk: Figures, config: Config, keep: str | None
) -> Iterator[tuple[Memory, list[datetime], Figures]]:
    """A memory that a conversation was ingested into, its clock, and what that took."""
    now = [talk["end"]]
    with (
        tempfile.TemporaryDirectory(prefix="loxodon-bench-") as folder,
        Memory.open(
            kept_home(talk, config, keep) if keep else folder, config=config, clock=lambda: now[0]
        ) as memory,
    ):
        memory._embedders.use(chosen_embedder(config.embedder))
        found: Figures = {"turns": 0, "add_s": 0.0, "consolidate_s": 0.0}
        if memory.status().last_consolidation is None:
            started = perf_counter()
            for session in talk["sessions"]:
                # No journal can keep a turn without words.
                if said := [turn for turn in session["turns"] if turn["content"].strip()]:
                    now[0] = max(turn["at"] for turn in said)
                    found["turns"] += memory.add(said, session=session["id"]).added
            found["add_s"] = perf_counter() - started
            now[0] = talk["end"]
            memory.consolidate(force=True)
            found["consolidate_s"] = perf_counter() - started - found["add_s"]
        found["not_embedded"] = sum(model.pending for model in memory.embed().models)
        yield memory, now, found


def _ingested(talk: Figures, config: Config, keep: str | None) -> Figures:
    """Ingest a conversation into a memory of its own, and ask it its questions and others'."""
    rows = []
    with built(talk, config, keep) as (memory, now, found):
        for question in talk["questions"]:
            now[0] = question["asked_at"]
            rows.append({"file": talk["file"], **_answer(memory, talk, question)})
        now[0] = talk["end"]
        for question in talk["strange"]["questions"] if talk["strange"] else ():
            silence = _silence(memory.recall(question["text"]))
            rows.append({"file": talk["strange"]["file"], **silence, "crossed": True})
    return {"file": talk["file"], **found, "rows": rows}


def _silence(found: Any) -> Figures:
    return {"empty": not found.items, "abstains": not found.items or found.unsure}


def _turns(items: Iterable[Item]) -> list[str]:
    """The turns that items come from, each once."""
    found = (source.turn for item in items for source in item.sources if source.turn)
    return list(dict.fromkeys(found))


def _answer(memory: Memory, talk: Figures, question: Figures) -> Figures:
    """Ask a question in all ways; only then is its evidence looked at."""
    text, evidence = question["text"], question["evidence"]
    started = perf_counter()
    usual = memory.recall(text)  # first: what the others leave warm would flatter it
    row: Figures = {"ms": (perf_counter() - started) * 1000, "again_ms": None, **_silence(usual)}
    if memory.config.embedder.kind != "none":  # once more, with the question embedded
        started = perf_counter()
        memory.recall(text)
        row["again_ms"] = (perf_counter() - started) * 1000
    ranking = _turns(memory.recall(text, RANKED, ROOM).items)
    fitting = memory.recall(text, FITTING, HANDED)
    handed = _turns(fitting.items)

    every = (turn for session in talk["sessions"] for turn in session["turns"])
    said = {turn["id"]: turn for turn in every if turn["id"] in evidence}
    # Evidence may stand in the context in its words, whatever item it is part of.
    context = " ".join(fitting.context.split())
    quoted = _turns(item for item in fitting.items if item.kind == "turn")
    quoted += [
        id for id, turn in said.items() if " ".join(turn["content"].split())[:_COMPARED] in context
    ]
    row |= {
        "category": question["category"],
        "evidence": len(evidence),
        "not_there": len(evidence) - len(said),
        "tokens": fitting.tokens,
        "scores": scores(evidence, ranking, handed, quoted) if evidence else {},
    }
    newest = max((turn["at"] for turn in said.values()), default=None)
    older = {id for id, turn in said.items() if turn["at"] != newest}
    found = [id for id in ranking if id in said]
    if older.intersection(found):
        past = (one for one in fitting.items if one.valid_until or one.why.get("again"))
        shown = older.intersection(handed)
        row["newest_first"] = found[0] not in older
        row["of_the_past"] = understand(text, question["asked_at"]).tense == "past"
        row["older_shown"] = len(shown)
        row["older_unmarked"] = len(shown.difference(_turns(past)))
    return row


def scores(
    evidence: Sequence[str],
    ranking: Sequence[str],
    handed: Collection[str],
    quoted: Collection[str],
) -> dict[str, float]:
    """The scores of one question that has evidence, between 0 and 1; NDCG has binary gains.

    `ranking` has each turn once, best first; `handed` the turns that the context has or stands
    for, `quoted` those that it has in their own words.
    """

    def share(found: Collection[str]) -> float:
        return sum(turn in found for turn in evidence) / len(evidence)

    ranks = [rank for rank, turn in enumerate(ranking, 1) if turn in evidence]
    best = sum(1 / log2(rank + 1) for rank in range(1, min(10, len(evidence)) + 1))
    return {
        **{f"r@{n}": share(ranking[:n]) for n in (5, 10, 20)},
        "r@1k": share(handed),
        "r@1k_text": share(quoted),
        "ndcg@10": sum(1 / log2(rank + 1) for rank in ranks if rank <= 10) / best,
        "mrr": 1 / ranks[0] if ranks else 0.0,
    }


def mean(found: Sequence[Mapping[str, float]]) -> Figures:
    """How many questions, and each score averaged over them, in percent."""
    names = found[0] if found else ()
    averages = {name: percent(sum(one[name] for one in found), len(found)) for name in names}
    return {"n": len(found), **averages}


def latency(values: Iterable[float]) -> dict[str, float]:
    """The least values that half, and 99 in 100, do not exceed; 0 where there are none."""
    ordered = sorted(values) or [0.0]
    return {f"p{n}": round(ordered[ceil(len(ordered) * n / 100) - 1], 2) for n in (50, 99)}


def _report(
    done: Sequence[Figures],
    every: Sequence[Figures],
    updates: Collection[str],
    leave_out: Collection[str],
    crossed: bool,
) -> Figures:
    """What the answers to one file's questions are worth together."""
    rows = [row for row in every if "crossed" not in row]
    counted = [row for row in rows if row["category"] not in leave_out]
    names = sorted({row["category"] for row in rows}, key=lambda n: (not n.isdecimal(), len(n), n))
    groups = {name: [row for row in rows if row["category"] == name] for name in names}

    def average(some: Sequence[Figures]) -> Figures:
        return mean([row["scores"] for row in some if row["scores"]])

    def share(some: Sequence[Figures], name: str) -> float:
        return percent(sum(row[name] for row in some), len(some))

    def abstention(some: Sequence[Figures]) -> Figures:
        return {"n": len(some), **{name: share(some, name) for name in ("abstains", "empty")}}

    report: Figures = {"overall": average(counted)}
    if leave_out:
        report["overall_with_left_out"] = average(rows)
    report["categories"] = {name: average(some) for name, some in groups.items()}
    if updates:
        changed = [row for row in rows if row["category"] in updates and "newest_first" in row]
        others = [row for row in changed if not row["of_the_past"]]
        shown = sum(row["older_shown"] for row in changed)
        report["updates"] = {
            "n": len(changed),
            "newest_first": share(changed, "newest_first"),
            "of_the_past": len(changed) - len(others),
            "newest_first_of_the_others": share(others, "newest_first"),
            "older_shown": shown,
            "older_unmarked": percent(sum(row["older_unmarked"] for row in changed), shown),
        }
    report["latency_ms"] = latency(row["ms"] for row in rows)
    if again := [row["again_ms"] for row in rows if row["again_ms"] is not None]:
        report["latency_without_embedder_ms"] = latency(again)
    tokens = [row["tokens"] for row in rows] or [0]
    ingest = {k: sum(one[k] for one in done) for k in ("turns", "add_s", "consolidate_s")}
    ingest["turns_per_s"] = ingest["turns"] / (ingest["add_s"] + ingest["consolidate_s"] or 1)
    report |= {
        "tokens": {"mean": round(sum(tokens) / len(tokens)), "most": max(tokens)},
        "conversations": len(done),
        "without_evidence": sum(not row["evidence"] for row in rows),
        "evidence_not_there": sum(row["not_there"] for row in rows),
        "not_embedded": sum(one["not_embedded"] for one in done),
        "ingest": {name: round(value, 2) for name, value in ingest.items()},
        "abstention": {"true": abstention([row for row in counted if row["evidence"]])},
    }
    if crossed:
        report["abstention"]["crossed"] = abstention([row for row in every if "crossed" in row])
    return report


# Writing

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


def read_cases(name: str, zone: tzinfo = UTC, limit: int = 0) -> list[Figures]:
    """The cases of a file, their turns in sessions with the time at which each was over; times
    without an offset are in `zone`."""

    def case(value: Figures) -> Figures:
        sessions = []
        for _, some in groupby(value["turns"], key=lambda turn: turn.get("session", "")):
            turns = list(some)
            times = [
                draft_from_mapping(one, n, zone).at or one["at"] for n, one in enumerate(turns, 1)
            ]
            sessions.append((max(times), turns))
        if not sessions or sessions != sorted(sessions, key=lambda one: one[0]):
            raise InputError("the turns are missing or not in chronological order")
        checks = []
        for one in value["checks"]:
            if one.get("type") not in LOOKS_FOR:
                raise InputError("{type} is not a type of check", type=repr(one.get("type")))
            for name in LOOKS_FOR[one["type"]]:
                if not one[name]:
                    raise KeyError(name)
            checks.append({"type": one["type"], **{k: _groups(one[k]) for k in one if k != "type"}})
        kept = {"id": str(value["id"]), "about": value.get("about", "")}
        return {**kept, "turns": value["turns"], "sessions": sessions, "checks": checks}

    return read(name, case, limit)


def _groups(value: Any) -> list[list[str]]:
    """`[["a", "b"], ["c"]]`; a group of one text may be written without its brackets."""
    some = [value] if isinstance(value, str) else value
    groups = [[one] if isinstance(one, str) else one for one in some]
    return [[text.lower() for text in group] for group in groups]


def measure_writing(
    files: Sequence[str], config: Config, *, model: bool = False, limit: int = 0, jobs: int = 1
) -> list[Figures]:
    """Each file's report; `model` also asks the model of `config`."""
    if model and config.model.mode == "rules":
        raise UsageError(
            "no model is configured",
            hint="set model.base_url and model.name, or measure without --model",
        )
    alone = for_measuring(config)._replace(embedder=EmbedderConfig(kind="none"))
    config = alone._replace(model=config.model) if model else alone
    zone = zone_named(config.timezone) or UTC
    cases = [{**case, "file": name} for name in files for case in read_cases(name, zone, limit)]
    done = shared(partial(written, config=config), cases, jobs)
    return [_written(name, [one for one in done if one["file"] == name], model) for name in files]


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
        for end, turns in case["sessions"]:
            now[0] = end
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


def is_right(check: Figures, case: Figures) -> bool:
    """Whether the operation was carried out that a check which holds stands for."""
    if check["type"] in OPERATIONS["UPDATE"]:
        revised = (one["content"] for one in case["kept"] if one["revised"])
        return any(_has(check["present"], content) for content in revised)
    if check["type"] in OPERATIONS["DELETE"]:
        return any(_has(check["absent"], content) for content in case["ended"])
    return True


def _written(name: str, cases: Sequence[Figures], model: bool) -> Figures:
    """What the cases of one file came to, and what failed."""
    checked: list[tuple[str, bool, bool]] = []
    failures = []
    for case in cases:
        failed = [check for check in case["checks"] if not holds(check, case["kept"])]
        wrong = [one for one in case["checks"] if one not in failed and not is_right(one, case)]
        bad = (*failed, *wrong)
        checked += [(one["type"], one not in failed, one not in bad) for one in case["checks"]]
        said = [f"{str(one['at'])[:10]} {one['role']}: {one['content']}" for one in case["turns"]]
        told = {"case": case["id"], "about": case["about"], "said": said}
        told |= {"memories": case["kept"], "ended": case["ended"]}
        failures += [{**told, "failed": failed, "not_done": wrong}] if bad else []

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
