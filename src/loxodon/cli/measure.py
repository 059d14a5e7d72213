"""How good a memory is, measured: labelled conversations take the path that a user's do.

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

import os
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache, partial
from itertools import groupby, pairwise
from math import ceil, log2
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from loxodon import config as settings
from loxodon.clock import parse_instant, zone_named
from loxodon.config import Config, EmbedderConfig, WorkspaceConfig
from loxodon.errors import InputError, UsageError
from loxodon.journal.jsonl import draft_from_mapping
from loxodon.journal.lines import as_object, parse_line
from loxodon.memory import Memory
from loxodon.recall.understand import understand
from loxodon.tokens import estimate
from loxodon.types import Item, Recall

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


# Files


def read(name: str, parse: Callable[[Line], T], example: str) -> list[T]:
    """What `parse` makes of each line of a file (`-` for standard input); one InputError for all
    bad lines."""
    try:
        with nullcontext(sys.stdin.buffer) if name == "-" else open(name, "rb") as file:
            lines = file.read().removeprefix(b"\xef\xbb\xbf").split(b"\n")
    except OSError as error:
        raise InputError(
            "cannot read {file}: {reason}",
            hint="check the file name and its permissions",
            file=name,
            reason=error.strerror or str(error),
        ) from None
    found: list[T] = []
    problems: list[tuple[int, InputError]] = []
    for number, line in enumerate(lines, 1):
        try:
            if line.strip():
                found.append(parse(as_object(parse_line(line.decode()))))
        except UnicodeDecodeError:
            hint = "save the file as UTF-8 and read it again"
            problems.append((number, InputError("the line is not UTF-8 text", hint=hint)))
        except InputError as error:
            problems.append((number, error))
    if problems:
        raise InputError(
            "cannot use {file}: {n} invalid line",
            plural="cannot use {file}: {n} invalid lines",
            hint="a line is a conversation: {example}",
            problems=problems,
            file=name,
            n=len(problems),
            example=example,
        )
    if not found:
        raise InputError(
            "{file} contains no conversations",
            hint="a line is a conversation: {example}",
            file=name,
            example=example,
        )
    return found


def unfit(field: str) -> InputError:
    return InputError(
        "{field} is missing or has the wrong type", hint="write it as in the example", field=field
    )


def fitted(value: Any, shape: Any, where: str = "") -> Any:
    """A JSON value as `shape` has it: objects and lists of them, and at the leaves functions that
    raise ValueError for what does not fit. An InputError names the field."""
    if isinstance(shape, dict):
        before = f"{where}." if where else ""
        return {name: fitted(value.get(name), one, before + name) for name, one in shape.items()}
    if isinstance(shape, list):
        if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
            raise unfit(where)
        return [fitted(one, shape[0], f"{where}[{n}]") for n, one in enumerate(value)]
    try:
        return shape(value)
    except ValueError:
        raise unfit(where) from None


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError
    return value


def _name(value: object) -> str:
    """An id or a category: text, or a number that is taken as such."""
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        raise ValueError
    return str(value)


def _ids(value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise ValueError
    return tuple(dict.fromkeys(map(_name, value)))


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
    speaker: str
    text: str
    at: datetime


class LabelledSession(NamedTuple):
    id: str
    turns: tuple[LabelledTurn, ...]


class LabelledQuestion(NamedTuple):
    id: str
    text: str
    category: str
    evidence: tuple[str, ...]  # turns that have the answer; nobody who asks reads this
    asked_at: datetime | None


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
        nothing = datetime(2000, 1, 1, tzinfo=UTC)
        return max((turn.at for turn in self.turns), default=nothing) + timedelta(minutes=1)


class RetrievalOptions(NamedTuple):
    limit: int = 0  # conversations of each file; 0 for all
    categories: tuple[str, ...] = ()  # of questions; empty for all
    updates: tuple[str, ...] = ()  # categories in which the newest evidence holds
    leave_out: tuple[str, ...] = ()  # categories that are not part of the overall figures
    top: int = FITTING  # items of the context that R@1k is about
    crossed: bool = False  # ask each conversation's questions of another too, which has no answer
    jobs: int = 1  # processes
    keep: str = ""  # a folder in which memories are kept, and reused; empty for none


class Answer(NamedTuple):
    """What a memory had on one question, and what that is worth."""

    conversation: str
    question: LabelledQuestion
    ranks: dict[str, int | None]  # of the evidence
    ranked: int
    tokens: int
    ms: float
    again_ms: float | None  # the same once more, when an embedder has embedded the question
    silence: tuple[bool, bool]  # whether it is empty, unsure
    scores: dict[str, float]  # empty without evidence, as nothing can be right then
    not_there: int  # evidence that names no turn
    update: tuple[bool, bool, int, int] | None
    """Whether the newest evidence that was found comes first, whether the question asks for the
    past, how many older ones are handed over and how many of these without a mark; None where no
    older one was found."""


class Ingested(NamedTuple):
    """What became of a conversation."""

    answers: tuple[Answer, ...]
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

    def moment(value: object) -> datetime | None:
        return parse_instant(_text(value), zone) if value is not None else None

    speaker = {"speaker": lambda value: value if isinstance(value, str) else ""}
    turn = {"id": _name, "role": _text, **speaker, "text": _text, "at": moment}
    category = {"category": lambda value: _name(value) if value is not None else ""}
    question = {"id": _name, "text": _text, **category, "evidence": _ids, "asked_at": moment}
    shape = {
        "id": _name,
        "sessions": [{"id": _name, "at": moment, "turns": [turn]}],
        "questions": [question],
    }

    def conversation(value: Line) -> Conversation:
        found = fitted(value, shape)
        sessions = []
        for n, one in enumerate(found["sessions"]):
            for place, said in enumerate(one["turns"]):
                if said["at"] is None and one["at"] is None:
                    raise InputError(
                        "{field} is missing or has the wrong type",
                        hint="give the session or each turn a time",
                        field=f"sessions[{n}].at",
                    )
                said["at"] = said["at"] or one["at"] + place * _APART
            sessions.append(
                LabelledSession(one["id"], tuple(LabelledTurn(**t) for t in one["turns"]))
            )
        asked = tuple(LabelledQuestion(**one) for one in found["questions"])
        done = Conversation(found["id"], tuple(sessions), asked)
        for id, times in Counter(turn.id for turn in done.turns).items():
            if times > 1:
                raise InputError(
                    "the turn {id} appears twice in the conversation",
                    hint="evidence refers to turns by id: give each turn its own id",
                    id=repr(id),
                )
        return done

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
    embedders(config.embedder)
    zone = zone_named(config.timezone) or UTC
    conversations = [read_conversations(name, zone, options.limit) for name in files]
    if options.categories:
        for file in conversations:
            for m, one in enumerate(file):
                kept = [each for each in one.questions if each.category in options.categories]
                file[m] = one._replace(questions=tuple(kept))
    strange = _strangers(conversations) if options.crossed else {}
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
    model = config.model.replace(extraction="rules")
    zone = config.timezone or "UTC"
    return config.replace(timezone=zone, model=model, workspace=WorkspaceConfig())


@lru_cache(maxsize=1)
def embedders(config: EmbedderConfig) -> Sequence[ChosenEmbedder]:
    """The embedders of `config`, loaded once; a ConfigError where they cannot be made."""
    from loxodon.models.embedders import chosen

    return chosen(config)


def _strangers(
    files: Sequence[Sequence[Conversation]],
) -> dict[tuple[int, int], list[tuple[int, str]]]:
    """By place (file, conversation), the questions of others that are asked there, and whose.

    A conversation's questions are asked of the next one of its file; of one that is alone there,
    of the first one of the next file. Nobody is asked his own.
    """
    found: dict[tuple[int, int], list[tuple[int, str]]] = {}
    for n, file in enumerate(files):
        for m, one in enumerate(file):
            place = (n, (m + 1) % len(file)) if len(file) > 1 else ((n + 1) % len(files), 0)
            if place != (n, m):
                found.setdefault(place, []).extend((n, each.text) for each in one.questions)
    return found


def kept_home(conversation: Conversation, config: Config, keep: str) -> str:
    """Where the memory of a conversation is kept; with an embedder, a copy of the one without."""
    from hashlib import sha256
    from shutil import copytree

    def digest(value: object) -> str:
        return sha256(repr(value).encode()).hexdigest()[:24]

    said = [(s.id, *t[:-1], t.at.isoformat()) for s in conversation.sessions for t in s.turns]
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
    config = config.replace(workspace=WorkspaceConfig(views="off"))  # nobody reads them
    with (
        temporary,
        folder as home,
        Memory.open(home, config=config, clock=lambda: now[0]) as memory,
    ):
        memory._embedders.use(embedders(config.embedder))
        turns, add_s, consolidate_s = 0, 0.0, 0.0
        if memory.status().last_consolidation is None:
            started = perf_counter()
            for session in one.sessions:
                now[0] = max((turn.at for turn in session.turns), default=now[0])
                turns += _added(memory, one.id, session)
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


def _added(memory: Memory, conversation: str, session: LabelledSession) -> int:
    """Add a session; how many turns. Those without words no journal can keep."""
    turns = [
        {
            "id": turn.id,
            "role": turn.role,
            "speaker": turn.speaker,
            "content": turn.text,
            "at": turn.at.isoformat(),
        }
        for turn in session.turns
        if turn.text.strip()
    ]
    try:
        return memory.add(turns, session=session.id).added if turns else 0
    except InputError as error:
        raise InputError(
            "conversation {id}, session {session}: {error}",
            hint="{error_hint}",
            id=repr(conversation),
            session=repr(session.id),
            error=error,
        ) from None


def _answer(memory: Memory, one: Conversation, question: LabelledQuestion, top: int) -> Answer:
    """Ask a question in all ways; only then is its evidence looked at."""

    def timed() -> tuple[Recall, float]:
        started = perf_counter()
        return memory.recall(question.text), (perf_counter() - started) * 1000

    def turns(items: Iterable[Item]) -> list[str]:
        found = (source.turn for item in items for source in item.sources if source.turn)
        return list(dict.fromkeys(found))

    def is_past(item: Item) -> bool:
        return bool(item.valid_until or item.why.get("again")) or item.state == "archived"

    usual, ms = timed()  # first: what it leaves warm would flatter it
    again = timed()[1] if memory.config.embedder.kind != "none" else None
    ranking = turns(memory.recall(question.text, RANKED, ROOM).items)
    fitting = memory.recall(question.text, top, HANDED)
    handed = turns(fitting.items)

    said = {turn.id: turn for turn in one.turns if turn.id in question.evidence}
    # Evidence may stand in the context in its words, whatever item it is part of.
    context = " ".join(fitting.context.split())
    words = {id: " ".join(turn.text.split())[:_COMPARED] for id, turn in said.items()}
    quoted = turns(item for item in fitting.items if item.kind == "turn")
    quoted += [id for id, text in words.items() if text in context]
    newest = max((turn.at for turn in said.values()), default=one.end)
    older = {id for id, turn in said.items() if turn.at < newest}
    found = [id for id in ranking if id in said]
    update = None
    if older.intersection(found):
        asked = understand(question.text, question.asked_at or newest)
        shown = older.intersection(handed)
        unmarked = shown.difference(turns(filter(is_past, fitting.items)))
        update = found[0] not in older, asked.tense == "past", len(shown), len(unmarked)
    place = {id: rank for rank, id in enumerate(ranking, 1)}
    return Answer(
        one.id,
        question,
        {id: place.get(id) for id in question.evidence},
        len(ranking),
        fitting.tokens,
        ms,
        again,
        (not usual.items, usual.unsure),
        scores(question.evidence, ranking, handed, quoted) if question.evidence else {},
        len(question.evidence) - len(said),
        update,
    )


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
        "r@5": share(ranking[:5]),
        "r@10": share(ranking[:10]),
        "r@20": share(ranking[:20]),
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
    counted = [row for row in rows if row.question.category not in options.leave_out]

    def average(some: Iterable[Answer]) -> Figures:
        return mean([row.scores for row in some if row.scores])

    def abstention(found: Sequence[tuple[bool, bool]]) -> Figures:
        n, empty = len(found), sum(empty for empty, _ in found)
        return {"n": n, "abstains": percent(sum(map(any, found)), n), "empty": percent(empty, n)}

    report: Figures = {"file": name, "overall": average(counted)}
    if options.leave_out:
        report["overall_with_left_out"] = average(rows)
    categories = {row.question.category for row in rows}
    numbers = sorted(filter(str.isdecimal, categories), key=int)
    report["categories"] = {
        one: average(row for row in rows if row.question.category == one)
        for one in (*numbers, *sorted(categories.difference(numbers)))
    }
    if options.updates:
        report["updates"] = _updates(
            [row.update for row in rows if row.update and row.question.category in options.updates]
        )
    report["latency_ms"] = latency(row.ms for row in rows)
    if again := [row.again_ms for row in rows if row.again_ms is not None]:
        report["latency_without_embedder_ms"] = latency(again)
    tokens = [row.tokens for row in rows]
    turns, add_s = sum(one.turns for one in done), sum(one.add_s for one in done)
    consolidate_s = sum(one.consolidate_s for one in done)
    own = abstention([row.silence for row in counted if row.question.evidence])
    return report | {
        "tokens": {"mean": round(sum(tokens) / (len(tokens) or 1)), "most": max(tokens, default=0)},
        "conversations": len(done),
        "without_evidence": sum(not row.question.evidence for row in rows),
        "evidence_not_there": sum(row.not_there for row in rows),
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


def _details(file: str, row: Answer) -> Figures:
    """One question's result: ids and numbers, none of the words."""
    return {
        "file": os.path.basename(file),
        "conversation": row.conversation,
        "question": row.question.id,
        "category": row.question.category,
        "ranks": row.ranks,
        "ranked": row.ranked,
        "tokens": row.tokens,
        "ms": round(row.ms, 2),
        "abstains": any(row.silence),
        **{name: round(value, 4) for name, value in row.scores.items()},
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
    found = fitted(value, {"id": _name, "turns": [dict]})
    if not found["turns"]:
        raise unfit("turns")
    drafts = []
    for n, turn in enumerate(found["turns"]):
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
    checks = fitted(value.get("checks"), [dict], "checks")
    about = value.get("about")
    return Case(
        found["id"],
        about if isinstance(about, str) else "",
        tuple(sessions),
        tuple(_check(one, f"checks[{n}]") for n, one in enumerate(checks)),
    )


def _check(value: Line, where: str) -> Check:
    type = value.get("type")
    if not isinstance(type, str) or type not in LOOKS_FOR:
        raise InputError(
            "{field} is not a type of check: {type}",
            hint="use one of {types}",
            field=f"{where}.type",
            type=repr(type),
            types=", ".join(LOOKS_FOR),
        )
    wanted = ("present", "absent", "once")
    shape = {one: _groups for one in wanted if one in value or one in LOOKS_FOR[type]}
    return Check(type, **fitted(value, shape, where))


def _groups(value: object) -> Groups:
    """`[["a", "b"], ["c"]]`; a group of one text may be written without its brackets."""
    some = [value] if isinstance(value, str) else value
    if not isinstance(some, list) or not some:
        raise ValueError
    groups = [[one] if isinstance(one, str) else one for one in some]
    for group in groups:
        if not isinstance(group, list) or not group or not all(map(_text, group)):
            raise ValueError
    return tuple(map(tuple, groups))


def measure_writing(
    files: Sequence[str],
    config: Config,
    *,
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
    config = (config if model else for_measuring(config)).replace(
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


def _having(groups: Groups, kept: Iterable[FinalMemory]) -> list[FinalMemory]:
    return [one for one in kept if _has(groups, one.content)]


def _has(groups: Groups, content: str) -> bool:
    lower = content.lower()
    return all(any(text.lower() in lower for text in group) for group in groups)


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
        asked = ("tokens", "questions", "refused")
        counts = {what: sum(one.model[what] for _, one in done) for what in asked}
        report["model"] = {**counts, "failed": len(problems), "problem": next(iter(problems), "")}
    failures = [
        {
            "case": case.id,
            "about": case.about,
            "said": [
                f"{str(t.get('at'))[:10]} {t.get('role')}: {t.get('content')}" for t in case.turns
            ],
            "memories": [memory._asdict() for memory in one.kept],
            "ended": list(one.ended),
            "failed": failed,
            "not_done": not_done,
        }
        for case, one in done
        for failed in [[c.shown() for c in case.checks if not holds(c, one.kept)]]
        for not_done in [
            [c.shown() for c in case.checks if holds(c, one.kept) and not is_right(c, one)]
        ]
        if failed or not_done
    ]
    return report, failures
