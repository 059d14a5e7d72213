"""`loxodon bench`: how good a memory is. Labelled conversations take the path of a user's.

**Retrieval**, one conversation a line:

    {"id", "sessions": [{"id", "at", "turns": [{"id", "role", "speaker", "text", "at"?}]}],
     "questions": [{"id", "text", "category", "evidence": [turn ids], "asked_at"}]}

Each becomes a memory of its own: `add` session by session, `consolidate` once, then `recall` for
each question at the time it was asked: as a user does (latency, and whether it is empty or unsure;
with an embedder once more, without its own time), for many items (R@k, NDCG, MRR), and for what
fits 1,000 tokens (R@1k). An item that is no turn stands for the turns it was drawn from. `r@1k`
counts those of the context's items, `r@1k_text` only turns whose own words are in it.

**Writing**, one case a line:

    {"id", "about"?, "turns": [{"session", "at", "role", "content", "speaker"?}],
     "checks": [{"type": "add", "present": [["Leeds", "West Yorkshire"]]}]}

`add` and `consolidate` session by session, each when it was over. Then the checks are held against
what the memory has. A check looks for a list of groups: a memory is meant that has of each group at
least one text, in any case of letters.

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

import json
import os
import tempfile
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache, partial
from itertools import groupby, pairwise
from math import ceil, log2
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, get_args, get_origin, get_type_hints

from loxodon import config as settings
from loxodon.cli import view
from loxodon.cli.call import Call, Result, read_file
from loxodon.cli.parser import arg, command, whole
from loxodon.clock import parse_instant, zone_named
from loxodon.config import Config, EmbedderConfig, WorkspaceConfig
from loxodon.errors import InputError, UsageError
from loxodon.memory import Memory
from loxodon.messages import t
from loxodon.types import Item

if TYPE_CHECKING:
    from loxodon.models.embedders import ChosenEmbedder

Figures = dict[str, Any]
Line = Mapping[str, Any]
Progress = Callable[[int, int], None]
T = TypeVar("T")
R = TypeVar("R")

RANKED = 100  # items that a ranking is asked for
ROOM = 1_000_000  # tokens that a ranking may take: as good as no budget
HANDED = 1_000  # tokens of the context that R@1k is about
FITTING = 100  # items that a context may have: more than fit
_COMPARED = 300  # characters of a turn by which its words are looked for in a context
_APART = timedelta(seconds=1)  # between turns of a session that has one time for all
_SHOWN = ("r@5", "r@10", "r@20", "r@1k", "r@1k_text", "ndcg@10", "mrr")
_OF_RETRIEVAL = ("embedder", "profile", "category", "leave_out", "updates", "crossed", "details")
_OF_WRITING = ("failures", "only", "model")


@command(
    arg("WHAT", "what to measure", choices=("retrieval", "writing")),
    arg("FILE", "labelled conversations, or - for standard input", nargs="+"),
    arg("--set KEY=VALUE", "override a setting; can be repeated", action="append"),
    arg("--limit N", "only the first N conversations of each file", type=whole, default=0),
    arg("--jobs N", "number of parallel processes (1)", type=whole, default=1),
    arg("--failures", "writing: list the conversations that failed a check"),
    arg("--only TEXT", "writing: only conversations whose id contains this text"),
    arg("--model", "writing: also use the configured model, which may cost money"),
    arg("--embedder KIND[:PATH]", "retrieval: use this embedder (setting embedder.kind)"),
    arg("--profile NAME", "retrieval: how to rank (setting recall.profile)"),
    arg("--category NAME", "retrieval: only questions of this category", action="append"),
    arg("--leave-out NAME", "retrieval: not part of the overall figures", action="append"),
    arg("--updates NAME", "retrieval: is the newest answer first?", action="append"),
    arg("--top N", "retrieval: maximum number of items in the context", type=whole),
    arg("--crossed", "retrieval: also ask each what only another can answer"),
    arg("--details FILE", "retrieval: write the result of each question to this file"),
    arg("--keep DIR", "retrieval: keep the memories in this folder, and reuse those there"),
)
def bench(call: Call) -> Result:
    """Measure how well memories are written and found."""
    others = (*_OF_RETRIEVAL, "top", "keep") if call.what == "writing" else _OF_WRITING
    for name in others:
        if getattr(call, name):
            raise UsageError(
                "`bench {what}` does not accept --{name}",
                hint="see `loxodon bench --help`",
                what=call.what,
                name=name.replace("_", "-"),
            )
    config, jobs = _config(call), max(1, call.jobs)
    with view.Bar(t("measuring")) as bar:
        if call.what == "retrieval":
            options = RetrievalOptions(
                call.limit,
                tuple(call.category),
                tuple(call.updates),
                tuple(call.leave_out),
                FITTING if call.top is None else call.top,
                call.crossed,
                jobs,
                call.keep or "",
            )
            found = measure_retrieval(call.file, config, options, bar)
        else:
            only = call.only or ""
            found = measure_writing(call.file, config, call.limit, only, call.model, jobs, bar)
    if call.details is not None:
        with open(call.details, "w", encoding="utf-8") as file:
            for _, rows in found:
                file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    files = [{**one, "failures": bad} if call.failures else one for one, bad in found]
    changed = settings.changed(config)
    shown = [part for one in files for part in (*_failures(one), *_table(one), "")]
    if changed:
        said = ", ".join(f"{name}={value}" for name, value in changed.items())
        shown.append(t("settings: {settings}", settings=said))
    return Result({"files": files, "settings": changed}, shown)


def _config(call: Call) -> Config:
    """The settings of the home, and what this command sets above them."""
    given: dict[str, object] = {}
    if call.embedder is not None:
        kind, colon, path = call.embedder.partition(":")
        given = {"embedder.kind": kind, **({"embedder.path": path} if colon else {})}
    if call.profile is not None:
        given["recall.profile"] = call.profile
    for text in call.set:
        name, equals, value = text.partition("=")
        if not equals:
            raise UsageError(
                "{text} is not KEY=VALUE", hint="write it as recall.top=20", text=repr(text)
            )
        given[name] = value
    # What is measured is made for it.
    config = call.config._replace(store=settings.StoreConfig())
    return settings.from_mapping({**settings.flat(config), **given})


def _table(report: Line) -> list[object]:
    """The figures of one file as a table, and what else is known of it."""
    title = view.paint(os.path.basename(report["file"]), "bold")
    if "overall" in report:
        figures = {t("overall"): report["overall"], **report["categories"]}
        if "overall_with_left_out" in report:
            figures[t("overall, all categories")] = report["overall_with_left_out"]
        rows = [
            (name or "—", one["n"], *(f"{one[key]:.1f}" if key in one else "—" for key in _SHOWN))
            for name, one in figures.items()
        ]
        table = view.Table(("category", "questions", *map(str.upper, _SHOWN)), rows)
        rest: tuple[str, ...] = ("file", "overall", "overall_with_left_out", "categories")
    else:
        figures = {name: report[name] for name in FIGURES}
        figures |= {f"operation {name}": one for name, one in report["operations"].items()}
        rows = [
            (name, one["n"], one["right"], f"{one['share']:.1f}%")
            for name, one in figures.items()
            if one["n"]
        ]
        table = view.Table(("", "checks", "right", "share"), rows)
        rest = ("file", "failures", "types", "operations", *FIGURES)
    return [title, table, *view.record(report, *rest)]


def _failures(report: Line) -> Iterator[object]:
    for one in report.get("failures", ()):
        yield view.paint(f"{one['case']} {one['about']}".strip(), "bold")
        yield from (f"  {line}" for line in one["said"])
        yield from (f"    [{memory['kind']}] {memory['content']}" for memory in one["memories"])
        for check in one["failed"]:
            yield "    " + view.paint(t("failed: {check}", check=view.in_words(check)), "red")
        for check in one["not_done"]:
            yield "    " + t(
                "the memory was not changed for it: {check}", check=view.in_words(check)
            )


# Files


def read(name: str, parse: Callable[[Line], T], example: str) -> list[T]:
    """What `parse` makes of each line of a file; one InputError for all bad lines."""
    from loxodon.journal.lines import as_object, parse_line

    found: list[T] = []
    problems: list[tuple[int, InputError]] = []
    for number, line in enumerate(read_file(name).removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        try:
            if line.strip():
                found.append(parse(as_object(parse_line(line.decode()))))
        except UnicodeDecodeError:
            hint = "save the file as UTF-8 and read it again"
            problems.append((number, InputError("the line is not UTF-8 text", hint=hint)))
        except InputError as error:
            problems.append((number, error))
    if problems or not found:
        raise InputError(
            "cannot use {file}: {n} invalid line",
            plural="cannot use {file}: {n} invalid lines",
            hint="a line is a conversation: {example}",
            problems=problems,
            file=name,
            n=len(problems),
            example=example,
        )
    return found


def unfit(field: str) -> InputError:
    return InputError(
        "{field} is missing or has the wrong type", hint="write it as in the example", field=field
    )


def made(kind: Any, value: Any, zone: tzinfo, where: str = "") -> Any:
    """A JSON value as a type: a NamedTuple of objects, tuples of lists, text (also of a number),
    times. An InputError names the field that does not fit."""
    if hasattr(kind, "_fields") and isinstance(value, dict):
        given = {}
        for name, hint in get_type_hints(kind).items():
            if value.get(name) is not None:
                inner = f"{where}.{name}" if where else name
                given[name] = made(hint, value[name], zone, inner)
            elif name not in kind._field_defaults:
                raise unfit(f"{where}.{name}" if where else name)
        return kind(**given)
    if get_origin(kind) is tuple and isinstance(value, list):
        inner = get_args(kind)[0]
        return tuple(made(inner, one, zone, f"{where}[{n}]") for n, one in enumerate(value))
    if kind is str and isinstance(value, str | int) and not isinstance(value, bool):
        return str(value)
    if kind == datetime | None and isinstance(value, str):
        return parse_instant(value, zone)
    if kind is dict and isinstance(value, dict):
        return value
    raise unfit(where)


def shared(
    run: Callable[[T], R], tasks: Sequence[T], jobs: int, progress: Progress | None
) -> Iterator[R]:
    """Each task done, in order, by as many processes as asked for."""
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    pool = ProcessPoolExecutor(jobs, get_context("spawn")) if jobs > 1 else None
    with pool or nullcontext():
        for n, done in enumerate(pool.map(run, tasks) if pool else map(run, tasks), 1):
            if progress:
                progress(n, len(tasks))
            yield done


def percent(part: float, whole: int) -> float:
    """A share in percent; 0 of nothing is 0."""
    return round(100 * part / whole, 2) if whole else 0.0


# Retrieval


class LabelledTurn(NamedTuple):
    id: str
    role: str
    text: str
    speaker: str = ""
    at: datetime | None = None


class LabelledSession(NamedTuple):
    id: str
    turns: tuple[LabelledTurn, ...]
    at: datetime | None = None


class LabelledQuestion(NamedTuple):
    id: str
    text: str
    evidence: tuple[str, ...]  # turns that have the answer; nobody who asks reads this
    category: str = ""
    asked_at: datetime | None = None


class Conversation(NamedTuple):
    """What becomes one memory, and what is asked of it."""

    id: str
    sessions: tuple[LabelledSession, ...]
    questions: tuple[LabelledQuestion, ...]

    @property
    def turns(self) -> list[LabelledTurn]:
        return [turn for session in self.sessions for turn in session.turns]

    @property
    def end(self) -> datetime:
        """A minute after the last turn."""
        times = [turn.at for turn in self.turns if turn.at]
        return max(times, default=datetime(2000, 1, 1, tzinfo=UTC)) + timedelta(minutes=1)


class RetrievalOptions(NamedTuple):
    limit: int = 0  # conversations of each file; 0 for all
    categories: tuple[str, ...] = ()  # of questions; empty for all
    updates: tuple[str, ...] = ()  # categories in which the newest evidence holds
    leave_out: tuple[str, ...] = ()  # categories that are not part of the overall figures
    top: int = FITTING  # items of the context that R@1k is about
    crossed: bool = False  # ask each conversation's questions of another too, which has no answer
    jobs: int = 1  # processes
    keep: str = ""  # a folder in which memories are kept, and reused; empty for none


class Ingested(NamedTuple):
    """What became of a conversation."""

    answers: tuple[Figures, ...]
    strange: tuple[tuple[bool, bool], ...]  # the silence of answers to others' questions
    turns: int
    add_s: float
    consolidate_s: float
    not_embedded: int


def read_conversations(name: str, zone: tzinfo = UTC, limit: int = 0) -> list[Conversation]:
    """The conversations of a file; times without an offset are in `zone`."""
    example = (
        '{"id": "c1", "sessions": [{"id": "s1", "at": "2026-02-04T10:30:00", "turns": '
        '[{"id": "t1", "role": "user", "text": "…"}]}], "questions": '
        '[{"id": "q1", "text": "…", "category": "…", "evidence": ["t1"]}]}'
    )

    def conversation(value: Line) -> Conversation:
        found: Conversation = made(Conversation, value, zone)
        sessions = []
        for n, one in enumerate(found.sessions):
            if one.at is None and any(turn.at is None for turn in one.turns):
                raise unfit(f"sessions[{n}].at")
            turns = [
                turn if turn.at or one.at is None else turn._replace(at=one.at + place * _APART)
                for place, turn in enumerate(one.turns)
            ]
            sessions.append(one._replace(turns=tuple(turns)))
        for id, times in Counter(turn.id for turn in found.turns).items():
            if times > 1:
                raise InputError(
                    "the turn {id} appears twice in the conversation",
                    hint="evidence refers to turns by id: give each turn its own id",
                    id=repr(id),
                )
        questions = (
            one._replace(evidence=tuple(dict.fromkeys(one.evidence))) for one in found.questions
        )
        return found._replace(sessions=tuple(sessions), questions=tuple(questions))

    return read(name, conversation, example)[: limit or None]


def measure_retrieval(
    files: Sequence[str],
    config: Config,
    options: RetrievalOptions,
    progress: Progress | None = None,
) -> list[tuple[Figures, list[Figures]]]:
    """Each file's report, and a row for each question. The model of `config` is not asked.

    Files that cannot be read and embedders that cannot be had are errors before anything runs.
    """
    config = for_measuring(config)
    chosen_embedder(config.embedder)
    zone = zone_named(config.timezone) or UTC
    conversations = [read_conversations(name, zone, options.limit) for name in files]
    if options.categories:
        for file in conversations:
            for m, one in enumerate(file):
                kept = [each for each in one.questions if each.category in options.categories]
                file[m] = one._replace(questions=tuple(kept))
    # By place (file, conversation), the questions of others that are asked there, and whose: those
    # of the one before in its file, or where that is the only one, of the file before.
    strange: dict[tuple[int, int], list[tuple[int, str]]] = {}
    for n, file in enumerate(conversations if options.crossed else ()):
        for m, one in enumerate(file):
            place = (n, (m + 1) % len(file)) if len(file) > 1 else ((n + 1) % len(files), 0)
            if place != (n, m):
                strange.setdefault(place, []).extend((n, each.text) for each in one.questions)
    places = [(n, m) for n, file in enumerate(conversations) for m in range(len(file))]
    tasks = [(conversations[n][m], [one for _, one in strange.get((n, m), ())]) for n, m in places]
    done: list[list[Ingested]] = [[] for _ in files]
    crossed: list[list[tuple[bool, bool]]] = [[] for _ in files]
    run = partial(_asked, config=config, top=options.top, keep=options.keep)
    for place, found in zip(places, shared(run, tasks, options.jobs, progress), strict=True):
        done[place[0]].append(found)
        for (asker, _), silence in zip(strange.get(place, ()), found.strange, strict=True):
            crossed[asker].append(silence)
    return [
        (
            _report(name, done[n], crossed[n], options),
            [_details(name, row) for one in done[n] for row in one.answers],
        )
        for n, name in enumerate(files)
    ]


def for_measuring(config: Config) -> Config:
    """`config` without what differs from machine to machine, and without a model."""
    model = config.model._replace(extraction="rules")
    zone = config.timezone or "UTC"
    return config._replace(timezone=zone, model=model, workspace=WorkspaceConfig())


@lru_cache(maxsize=1)
def chosen_embedder(config: EmbedderConfig) -> ChosenEmbedder | None:
    """The embedder of `config`, loaded once; a ConfigError where it cannot be made."""
    from loxodon.models.embedders import chosen

    return chosen(config)


def kept_home(conversation: Conversation, config: Config, keep: str) -> str:
    """Where the memory of a conversation is kept; with an embedder, a copy of the one without."""
    from hashlib import sha256
    from shutil import copytree

    def digest(value: object) -> str:
        return sha256(repr(value).encode()).hexdigest()[:24]

    said = [(s.id, *turn) for s in conversation.sessions for turn in s.turns]
    # How recall is set is part of what is asked, not of what is read.
    changed = settings.changed(config)
    read = {k: v for k, v in changed.items() if not k.startswith(("recall.", "embedder."))}
    seen = {k: v for k, v in changed.items() if k.startswith("embedder.")}
    plain = os.path.join(keep, digest((said, read)))
    home = f"{plain}-{digest(seen)}" if seen else plain
    if os.path.exists(plain) and not os.path.exists(home):
        copytree(plain, home)
    return home


def _asked(
    task: tuple[Conversation, Sequence[str]], config: Config, top: int, keep: str
) -> Ingested:
    """Ingest a conversation into a memory of its own, and ask it its questions and others'."""
    one, strange = task
    now = [one.end]
    temporary = tempfile.TemporaryDirectory(prefix="loxodon-bench-")
    folder = nullcontext(kept_home(one, config, keep)) if keep else temporary
    config = config._replace(workspace=WorkspaceConfig(views="off"))  # nobody reads them
    with (
        temporary,
        folder as home,
        Memory.open(home, config=config, clock=lambda: now[0]) as memory,
    ):
        memory._embedders.use(chosen_embedder(config.embedder))
        turns, add_s, consolidate_s = 0, 0.0, 0.0
        if memory.status().last_consolidation is None:
            started = perf_counter()
            for session in one.sessions:
                now[0] = max((turn.at for turn in session.turns if turn.at), default=now[0])
                said = [
                    {**turn._asdict(), "content": turn.text}
                    for turn in session.turns
                    if turn.text.strip()  # no journal can keep one without words
                ]
                turns += memory.add(said, session=session.id).added if said else 0
            added = perf_counter()
            now[0] = one.end
            memory.consolidate(force=True)
            add_s, consolidate_s = added - started, perf_counter() - added
        pending = sum(model.pending for model in memory.embed().models)
        answers = []
        for question in one.questions:
            now[0] = question.asked_at or one.end
            answers.append(_answer(memory, one, question, top))
        now[0] = one.end
        silent = tuple((not found.items, found.unsure) for found in map(memory.recall, strange))
    return Ingested(tuple(answers), silent, turns, add_s, consolidate_s, pending)


def _answer(memory: Memory, one: Conversation, question: LabelledQuestion, top: int) -> Figures:
    """Ask a question in all ways; only then is its evidence looked at."""
    from loxodon.recall.understand import understand

    def turns(items: Iterable[Item]) -> list[str]:
        found = (source.turn for item in items for source in item.sources if source.turn)
        return list(dict.fromkeys(found))

    def is_past(item: Item) -> bool:
        return bool(item.valid_until or item.why.get("again")) or item.state == "archived"

    started = perf_counter()
    usual = memory.recall(question.text)  # first: what it leaves warm would flatter it
    ms, again = (perf_counter() - started) * 1000, None
    if memory.config.embedder.kind != "none":  # the same once more, with the question embedded
        started = perf_counter()
        memory.recall(question.text)
        again = (perf_counter() - started) * 1000
    ranking = turns(memory.recall(question.text, RANKED, ROOM).items)
    fitting = memory.recall(question.text, top, HANDED)
    handed = turns(fitting.items)

    evidence = question.evidence
    said = {turn.id: turn for turn in one.turns if turn.id in evidence}
    # Evidence may stand in the context in its words, whatever item it is part of.
    context = " ".join(fitting.context.split())
    words = {id: " ".join(turn.text.split())[:_COMPARED] for id, turn in said.items()}
    quoted = turns(item for item in fitting.items if item.kind == "turn")
    quoted += [id for id, text in words.items() if text in context]
    newest = max((turn.at for turn in said.values() if turn.at), default=one.end)
    older = {id for id, turn in said.items() if turn.at and turn.at < newest}
    found = [id for id in ranking if id in said]
    update = None  # None where no older evidence was found
    if older.intersection(found):
        asked = understand(question.text, question.asked_at or newest)
        shown = older.intersection(handed)
        unmarked = shown.difference(turns(filter(is_past, fitting.items)))
        update = found[0] not in older, asked.tense == "past", len(shown), len(unmarked)
    place = {id: rank for rank, id in enumerate(ranking, 1)}
    return {
        "conversation": one.id,
        "question": question,
        "ranks": {id: place.get(id) for id in evidence},
        "ranked": len(ranking),
        "tokens": fitting.tokens,
        "ms": ms,
        "again_ms": again,
        "silence": (not usual.items, usual.unsure),
        "scores": scores(evidence, ranking, handed, quoted) if evidence else {},
        "not_there": len(evidence) - len(said),
        "update": update,
    }


def scores(
    evidence: Sequence[str],
    ranking: Sequence[str],
    handed: Collection[str],
    quoted: Collection[str],
) -> dict[str, float]:
    """The scores of one question that has evidence, between 0 and 1.

    `ranking` has each turn once, best first; `handed` the turns that the context has or stands
    for, `quoted` those that it has in their own words. NDCG has binary gains.
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
    name: str,
    done: Sequence[Ingested],
    crossed: Sequence[tuple[bool, bool]],
    options: RetrievalOptions,
) -> Figures:
    """What the answers to one file's questions are worth together."""
    rows = [answer for one in done for answer in one.answers]
    by_category: dict[str, list[Figures]] = {}
    for row in rows:
        by_category.setdefault(row["question"].category, []).append(row)
    counted = [row for row in rows if row["question"].category not in options.leave_out]

    def average(some: Iterable[Figures]) -> Figures:
        return mean([row["scores"] for row in some if row["scores"]])

    def abstention(found: Sequence[tuple[bool, bool]]) -> Figures:
        n, empty = len(found), sum(empty for empty, _ in found)
        return {"n": n, "abstains": percent(sum(map(any, found)), n), "empty": percent(empty, n)}

    report: Figures = {"file": name, "overall": average(counted)}
    if options.leave_out:
        report["overall_with_left_out"] = average(rows)
    numbers = sorted(filter(str.isdecimal, by_category), key=int)
    ordered = (*numbers, *sorted(by_category.keys() - numbers))
    report["categories"] = {one: average(by_category[one]) for one in ordered}
    if options.updates:
        some = [row for name in options.updates for row in by_category.get(name, ())]
        report["updates"] = _updates([row["update"] for row in some if row["update"]])
    report["latency_ms"] = latency(row["ms"] for row in rows)
    if again := [row["again_ms"] for row in rows if row["again_ms"] is not None]:
        report["latency_without_embedder_ms"] = latency(again)
    tokens = [row["tokens"] for row in rows]
    turns, add_s = sum(one.turns for one in done), sum(one.add_s for one in done)
    consolidate_s = sum(one.consolidate_s for one in done)
    own = abstention([row["silence"] for row in counted if row["question"].evidence])
    return report | {
        "tokens": {"mean": round(sum(tokens) / (len(tokens) or 1)), "most": max(tokens, default=0)},
        "conversations": len(done),
        "without_evidence": sum(not row["question"].evidence for row in rows),
        "evidence_not_there": sum(row["not_there"] for row in rows),
        "not_embedded": sum(one.not_embedded for one in done),
        "ingest": {
            "turns": turns,
            "add_s": round(add_s, 2),
            "consolidate_s": round(consolidate_s, 2),
            "turns_per_s": round(turns / (add_s + consolidate_s)) if turns else 0,
        },
        "abstention": {"true": own} | ({"crossed": abstention(crossed)} if options.crossed else {}),
    }


def _updates(rows: Sequence[tuple[bool, bool, int, int]]) -> Figures:
    """Of questions about what changed: how often the newest evidence that was found comes before
    all that is older, and how much of the older is handed over without a mark.

    Some ask for what was before, as recall understands them: there an older one should come first.
    """
    now = [first for first, past, *_ in rows if not past]
    then = [first for first, past, *_ in rows if past]
    shown = sum(row[2] for row in rows)
    return {
        "n": len(rows),
        "newest_first": percent(sum(now + then), len(rows)),
        "of_the_past": len(then),
        "older_first_of_the_past": percent(len(then) - sum(then), len(then)),
        "newest_first_of_the_others": percent(sum(now), len(now)),
        "older_shown": shown,
        "older_unmarked": percent(sum(row[3] for row in rows), shown),
    }


def _details(file: str, row: Figures) -> Figures:
    """One question's result: ids and numbers, none of the words."""
    return {
        "file": os.path.basename(file),
        "conversation": row["conversation"],
        "question": row["question"].id,
        "category": row["question"].category,
        **{name: row[name] for name in ("ranks", "ranked", "tokens")},
        "ms": round(row["ms"], 2),
        "abstains": any(row["silence"]),
        **{name: round(value, 4) for name, value in row["scores"].items()},
    }


# Writing

LOOKS_FOR = {
    "add": ("present",),
    "belief": ("present",),
    "update": ("present",),
    "supersede": ("present", "absent"),
    "retract": ("absent",),
    "repeat": ("once",),
    "never": ("absent",),
}
"""The types of checks, and what each must have."""
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

Groups = tuple[tuple[str, ...], ...]


class Check(NamedTuple):
    """What a memory should or should not hold; what is not looked for is empty."""

    type: str
    present: Groups = ()
    absent: Groups = ()
    once: Groups = ()

    def shown(self) -> Figures:
        return {name: value for name, value in self._asdict().items() if value}


class Case(NamedTuple):
    """What becomes one memory, and what is looked for in it."""

    id: str
    about: str
    sessions: tuple[tuple[datetime, tuple[Line, ...]], ...]
    """When each was over, and its turns, as `Memory.add` takes them."""
    checks: tuple[Check, ...]

    @property
    def turns(self) -> list[Line]:
        return [turn for _, turns in self.sessions for turn in turns]


class FinalMemory(NamedTuple):
    """A memory at the end of a case."""

    kind: str
    content: str
    revised: bool = False  # made of something that was known before


class WritingResult(NamedTuple):
    """What became of a case."""

    kept: tuple[FinalMemory, ...]
    ended: tuple[str, ...]  # what was there once, and was ended or put in other words
    tokens: int  # of all that was said
    left: int  # of that, what denoising left
    seconds: float
    model: Counter[str]  # tokens that it took, questions it answered, answers refused
    problem: str  # why the model could not be asked


def read_cases(name: str, zone: tzinfo = UTC) -> list[Case]:
    """The cases of a file; times without an offset are in `zone`."""
    example = (
        '{"id": "c1", "turns": [{"session": "s1", "at": "2026-02-04T10:30:00", "role": "user", '
        '"content": "I live in Leeds"}], "checks": [{"type": "add", "present": [["Leeds"]]}]}'
    )
    return read(name, partial(_case, zone=zone), example)


def _case(value: Line, zone: tzinfo) -> Case:
    from loxodon.journal.jsonl import draft_from_mapping

    id = made(str, value.get("id"), zone, "id")
    said, checked = (
        made(tuple[dict, ...], value.get(name), zone, name)  # type: ignore[type-arg]
        for name in ("turns", "checks")
    )
    if not said:
        raise unfit("turns")
    drafts = []
    for n, turn in enumerate(said):
        try:
            draft = draft_from_mapping(turn, n + 1, zone)
        except InputError as error:
            raise InputError(
                "{field}: {error}", hint="{error_hint}", field=f"turns[{n}]", error=error
            ) from None
        if draft.at is None:
            raise unfit(f"turns[{n}].at")
        drafts.append((str(turn.get("session", "")), draft.at, turn))
    sessions = []
    for _, some in groupby(drafts, key=lambda one: one[0]):
        _, times, turns = zip(*some, strict=True)
        sessions.append((max(times), turns))
    for n, ((one, _), (other, _)) in enumerate(pairwise(sessions), 2):
        if other < one:
            raise InputError(
                "session {n} ends before the previous one",
                hint="put the turns in chronological order",
                n=n,
            )
    checks = (_check(one, f"checks[{n}]") for n, one in enumerate(checked))
    return Case(id, str(value.get("about") or ""), tuple(sessions), tuple(checks))


def _check(value: Line, where: str) -> Check:
    type = value.get("type")
    if type not in LOOKS_FOR:
        raise InputError(
            "{field} is not a type of check: {type}",
            hint="use one of {types}",
            field=f"{where}.type",
            type=repr(type),
            types=", ".join(LOOKS_FOR),
        )
    wanted = [one for one in Check._fields[1:] if one in value or one in LOOKS_FOR[type]]
    return Check(type, **{one: _groups(value.get(one), f"{where}.{one}") for one in wanted})


def _groups(value: object, where: str) -> Groups:
    """`[["a", "b"], ["c"]]`; a group of one text may be written without its brackets."""
    some = [value] if isinstance(value, str) else value
    groups = (
        [[one] if isinstance(one, str) else one for one in some if one]
        if isinstance(some, list)
        else []
    )
    if not groups or not all(isinstance(text, str) for group in groups for text in group):
        raise unfit(where)
    return tuple(map(tuple, groups))


def measure_writing(
    files: Sequence[str],
    config: Config,
    limit: int = 0,
    only: str = "",
    model: bool = False,
    jobs: int = 1,
    progress: Progress | None = None,
) -> list[tuple[Figures, list[Figures]]]:
    """Each file's report, and the cases that failed. `only` is a part of the ids of cases; `model`
    also asks the model of `config`.

    A file that cannot be read, or has a bad line, is an InputError before anything is measured.
    """
    if model and config.model.mode == "rules":
        raise UsageError(
            "no model is configured",
            hint="set model.base_url and model.name, or measure without --model",
        )
    config = (config if model else for_measuring(config))._replace(
        timezone=config.timezone or "UTC",
        embedder=EmbedderConfig(),
        workspace=WorkspaceConfig(views="off"),
    )
    cases = []
    for name in files:
        found = read_cases(name, zone_named(config.timezone) or UTC)
        cases.append([case for case in found if only in case.id][: limit or None])
        if not cases[-1]:
            raise InputError(
                "{file} has no case whose id contains {text}", file=name, text=repr(only)
            )
    tasks = [case for some in cases for case in some]
    done = iter(list(shared(partial(written, config=config), tasks, jobs, progress)))
    return [
        _written(name, [(case, next(done)) for case in some], model)
        for name, some in zip(files, cases, strict=True)
    ]


def written(case: Case, config: Config) -> WritingResult:
    """Take the sessions of a case in, one after the other, into a memory of its own."""
    from loxodon.tokens import estimate

    now = [case.sessions[0][0]]
    with (
        tempfile.TemporaryDirectory(prefix="loxodon-bench-") as home,
        Memory.open(home, config=config, clock=lambda: now[0]) as memory,
    ):
        model, problem, seconds = Counter[str](), "", 0.0
        for end, turns in case.sessions:
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
        said = sum(estimate(turn.content) for turn in memory.journal())
        # Without the marks of who speaks, which nobody said.
        texts = [
            segment.text.removeprefix("> ").replace("\n> ", "\n") for segment in memory.segments()
        ]
        left = min(sum(map(estimate, texts)), said)
    return WritingResult(tuple(kept), tuple(ended), said, left, seconds, model, problem)


def _having(groups: Groups, kept: Iterable[FinalMemory]) -> list[FinalMemory]:
    return [one for one in kept if _has(groups, one.content)]


def _has(groups: Groups, content: str) -> bool:
    lower = content.lower()
    return all(any(text.lower() in lower for text in group) for group in groups)


def holds(check: Check, kept: Iterable[FinalMemory]) -> bool:
    """Whether a memory holds what a check wants."""
    kept = list(kept)
    present = _having(check.present, kept)
    if check.type == "belief":
        present = [one for one in present if one.kind == "belief"]
    once = [one for one in _having(check.once, kept) if one.kind != "summary"]
    return (
        (len(once) == 1 or not check.once)
        and bool(present or not check.present)
        and not (check.absent and _having(check.absent, kept))
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


def _written(
    name: str, done: Sequence[tuple[Case, WritingResult]], model: bool
) -> tuple[Figures, list[Figures]]:
    """What the cases of one file came to, and what failed."""
    held = [(check.type, holds(check, one.kept)) for case, one in done for check in case.checks]
    carried = [(check.type, is_right(check, one)) for case, one in done for check in case.checks]

    def share(checked: Iterable[tuple[str, bool]], types: Collection[str]) -> Figures:
        counted = [right for type, right in checked if type in types]
        right = sum(counted)
        return {"n": len(counted), "right": right, "share": percent(right, len(counted))}

    tokens, left = sum(one.tokens for _, one in done), sum(one.left for _, one in done)
    report: Figures = {
        "file": name,
        "cases": len(done),
        "turns": sum(len(case.turns) for case, _ in done),
        "memories": sum(len(one.kept) for _, one in done),
        **{figure: share(held, types) for figure, types in FIGURES.items()},
        "types": {type: share(held, [type]) for type in dict(held)},
        "operations": {
            "overall": share(carried, dict(carried)),
            **{operation: share(carried, types) for operation, types in OPERATIONS.items()},
        },
        "denoising": {"tokens": tokens, "left": left, "share": percent(left, tokens)},
        "consolidate_s": round(sum(one.seconds for _, one in done), 2),
    }
    if model:
        problems = [one.problem for _, one in done if one.problem]
        counts = sum((one.model for _, one in done), Counter[str]())
        asked = {what: counts[what] for what in ("tokens", "questions", "refused")}
        report["model"] = {**asked, "failed": len(problems), "problem": next(iter(problems), "")}
    failures = []
    for case, one in done:
        failed = [check.shown() for check in case.checks if not holds(check, one.kept)]
        not_done = [
            check.shown()
            for check in case.checks
            if holds(check, one.kept) and not is_right(check, one)
        ]
        if failed or not_done:
            said = (
                f"{str(t.get('at'))[:10]} {t.get('role')}: {t.get('content')}" for t in case.turns
            )
            failures.append(
                {
                    "case": case.id,
                    "about": case.about,
                    "said": list(said),
                    "memories": [memory._asdict() for memory in one.kept],
                    "ended": list(one.ended),
                    "failed": failed,
                    "not_done": not_done,
                }
            )
    return report, failures
