"""Retrieval, measured: does a recall bring the turns that have the answer?

Each conversation becomes a memory of its own in a temporary home, by the path that a user has:
`add` session by session, `consolidate` once, then `recall` for each question, at the time it was
asked. Evidence is looked at only when all answers are in. Each question is asked three times:

    as a user does                       latency, and whether the answer is empty or unsure; with an
                                         embedder twice, the second time without its own time
    for many items and no tight budget   the ranking: R@k, NDCG, MRR
    for what fits 1,000 tokens           the context: R@1k, tokens

An item that is no turn stands for the turns it was drawn from, in their order. R@1k counts the
turns that the context's items stand for; the stricter `r@1k_text` only those whose own words are
in it (of a long turn, the snippet).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

from loxodon import config as settings
from loxodon.clock import zone_named
from loxodon.config import Config, EmbedderConfig, WorkspaceConfig
from loxodon.errors import InputError
from loxodon.measure.conversations import (
    Conversation,
    Labelled,
    LabelledQuestion,
    only,
    read_conversations,
)
from loxodon.measure.lines import Progress, lines_of, shared
from loxodon.measure.metrics import NAMES, Scores, mean, percent, percentile, scores
from loxodon.memory import Memory
from loxodon.recall.understand import understand
from loxodon.types import Item, Recall

if TYPE_CHECKING:
    from loxodon.models.embedders import ChosenEmbedder

RANKED = 100
"""Items that a ranking is asked for."""
ROOM = 1_000_000
"""Tokens that a ranking may take: as good as no budget."""
HANDED = 1_000
"""Tokens of the context that R@1k is about."""
FITTING = 100
"""Items that a context may have: more than fit, since each takes a dated line and its source."""
_COMPARED = 300
"""Characters of a turn by which its words are looked for in a context."""

Figures = dict[str, object]


class RetrievalOptions(NamedTuple):
    """What to measure."""

    limit: int = 0
    """Conversations of each file; 0 for all."""
    categories: tuple[str, ...] = ()
    """Only questions of these; of all where none is named."""
    updates: tuple[str, ...] = ()
    """Categories whose evidence says the same thing anew, of which the newest holds."""
    leave_out: tuple[str, ...] = ()
    """Categories reported by themselves, and not part of the overall figures."""
    top: int = FITTING
    """Most items of the context that R@1k is about."""
    crossed: bool = False
    """Whether each conversation's questions are also asked of another, where nothing answers."""
    jobs: int = 1
    """Processes that share the work."""
    keep: str = ""
    """A folder in which the memories are kept, and taken from where they are there already: for
    whoever changes how recall works and not what it reads. Empty for none."""


class RetrievalAnswer(NamedTuple):
    """What a memory had on one question."""

    ranking: tuple[str, ...]
    """Turn ids, best first, each once."""
    handed: tuple[str, ...]
    """The turns that the context has or stands for."""
    quoted: tuple[str, ...]
    """Those of them that are in the context as turns."""
    past: tuple[str, ...]
    """Those that the context marks as past, or as spoken of again."""
    context: str
    tokens: int
    ms: float
    again_ms: float | None
    """The same once more, where an embedder was asked for the question before: without its time."""
    silent: Silence


class Silence(NamedTuple):
    """Whether a memory owned up to having nothing."""

    empty: bool
    unsure: bool

    @property
    def abstains(self) -> bool:
        return self.empty or self.unsure


class RetrievalTask(NamedTuple):
    """One conversation to ingest, its questions, and those of another to ask it as well."""

    conversation: Conversation
    strange: tuple[LabelledQuestion, ...]
    config: Config
    top: int
    keep: str


class RetrievalResult(NamedTuple):
    """What became of a task."""

    answers: tuple[RetrievalAnswer, ...]
    strange: tuple[Silence, ...]
    turns: int
    add_s: float
    consolidate_s: float
    not_embedded: int
    """Texts that the embedder failed on, which makes what was measured worth less."""


class RetrievalReport(NamedTuple):
    """All that was found in one file, ready to be reported; `each` has one row a question."""

    report: Figures
    each: list[Figures]


def measure(
    files: Sequence[str],
    config: Config,
    options: RetrievalOptions,
    progress: Progress | None = None,
) -> list[RetrievalReport]:
    """Measure every file with `config`, all in one run. The model of `config` is not asked.

    A file that cannot be read, or has a bad line, is an InputError, and an embedder that cannot be
    had a ConfigError, before anything is measured.
    """
    config = _for_measuring(config)
    _embedders(config.embedder)
    read = [_chosen(name, config, options) for name in files]
    strange = _strangers(read) if options.crossed else {}
    places = [(n, m) for n, file in enumerate(read) for m in range(len(file))]
    tasks = [
        RetrievalTask(
            read[n][m].conversation,
            tuple(one for _, one in strange.get((n, m), ())),
            config,
            options.top,
            options.keep,
        )
        for n, m in places
    ]
    done: list[list[RetrievalResult]] = [[] for _ in files]
    crossed: list[list[Silence]] = [[] for _ in files]
    for place, found in zip(places, shared(run, tasks, options.jobs, progress), strict=True):
        done[place[0]].append(found)
        for (asker, _), silence in zip(strange.get(place, ()), found.strange, strict=True):
            crossed[asker].append(silence)
    return [_outcome(name, read[n], done[n], crossed[n], options) for n, name in enumerate(files)]


def _for_measuring(config: Config) -> Config:
    """`config` without what differs from machine to machine, and without a model."""
    model = replace(config.model, extraction="rules")
    zone = config.timezone or "UTC"
    return replace(config, timezone=zone, model=model, workspace=WorkspaceConfig())


def _chosen(name: str, config: Config, options: RetrievalOptions) -> list[Labelled]:
    zone = zone_named(config.timezone) or UTC
    found = read_conversations(lines_of(name), name, zone)
    return [only(one, options.categories) for one in found[: options.limit or None]]


def _strangers(
    files: Sequence[Sequence[Labelled]],
) -> dict[tuple[int, int], list[tuple[int, LabelledQuestion]]]:
    """By place (file, conversation), the questions of others that are asked there, and whose.

    A conversation's questions are asked of the next one of its file; of one that is alone there,
    of the first one of the next file. Nobody is asked his own.
    """
    found: dict[tuple[int, int], list[tuple[int, LabelledQuestion]]] = {}
    for n, file in enumerate(files):
        for m, one in enumerate(file):
            place = (n, (m + 1) % len(file)) if len(file) > 1 else ((n + 1) % len(files), 0)
            if place != (n, m):
                asked = [(n, question) for question in one.conversation.questions]
                found.setdefault(place, []).extend(asked)
    return found


def run(task: RetrievalTask) -> RetrievalResult:
    """Ingest the conversation of `task` into a memory of its own, and ask it every question."""
    import tempfile

    if task.keep:
        return _run_in(_kept_home(task), task)
    with tempfile.TemporaryDirectory(prefix="loxodon-bench-") as home:
        return _run_in(home, task)


def _kept_home(task: RetrievalTask) -> str:
    """Where the memory of `task` is kept; with another embedder, a copy of the one without."""
    said = [
        (session.id, *turn[:-1], turn.at.isoformat())
        for session in task.conversation.sessions
        for turn in session.turns
    ]
    # How recall is set is part of what is asked, not of what is read.
    changed = settings.changed(task.config)
    read = {k: v for k, v in changed.items() if not k.startswith(("recall.", "embedder."))}
    seen = {k: v for k, v in changed.items() if k.startswith("embedder.")}
    plain = os.path.join(task.keep, _digest((said, read)))
    if not seen:
        return plain
    home = f"{plain}-{_digest(seen)}"
    if os.path.exists(plain) and not os.path.exists(home):
        from shutil import copytree

        copytree(plain, home)
    return home


def _digest(value: object) -> str:
    from hashlib import sha256

    return sha256(repr(value).encode()).hexdigest()[:24]


def _run_in(home: str, task: RetrievalTask) -> RetrievalResult:
    conversation = task.conversation
    end = (conversation.ends_at or datetime(2000, 1, 1, tzinfo=UTC)) + timedelta(minutes=1)
    now = [end]
    config = replace(task.config, workspace=WorkspaceConfig(views="off"))  # nobody reads them
    with Memory.open(home, config=config, clock=lambda: now[0]) as memory:
        # Loaded once for all conversations: that takes seconds, and is no part of what is measured.
        memory._embedders.use(_embedders(task.config.embedder))
        turns, add_s, consolidate_s = 0, 0.0, 0.0
        if memory.status().last_consolidation is None:
            turns, add_s = _journalled(memory, conversation, now)
            now[0] = end
            started = perf_counter()
            memory.consolidate(force=True)
            consolidate_s = perf_counter() - started
        pending = sum(model.pending for model in memory.embed().models)
        answers = []
        for question in conversation.questions:
            now[0] = question.asked_at or end
            answers.append(_answer(memory, question.text, task.top))
        now[0] = end
        strange = tuple(_silence(memory.recall(one.text)) for one in task.strange)
    return RetrievalResult(tuple(answers), strange, turns, add_s, consolidate_s, pending)


@lru_cache(maxsize=1)
def _embedders(config: EmbedderConfig) -> Sequence[ChosenEmbedder]:
    """The embedders of `config`; a ConfigError where they cannot be made."""
    from loxodon.models.embedders import chosen

    return chosen(config)


def _journalled(
    memory: Memory, conversation: Conversation, now: list[datetime]
) -> tuple[int, float]:
    """Add the sessions, each as it ended; how many turns, and the seconds it took.

    A turn without words is nothing that a journal can keep.
    """
    added = 0
    seconds = 0.0
    for session in conversation.sessions:
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
        if not turns:
            continue
        now[0] = max(turn.at for turn in session.turns)
        started = perf_counter()
        try:
            added += memory.add(turns, session=session.id).added
        except InputError as error:
            raise InputError(
                "conversation {id}, session {session}: {error}",
                hint="{error_hint}",
                id=repr(conversation.id),
                session=repr(session.id),
                error=error,
            ) from None
        seconds += perf_counter() - started
    return added, seconds


def _answer(memory: Memory, text: str, top: int) -> RetrievalAnswer:
    usual, ms = _timed(memory, text)  # first: what it leaves warm would flatter it
    again = _timed(memory, text)[1] if memory.config.embedder.kind != "none" else None
    ranked = memory.recall(text, RANKED, ROOM)
    fitting = memory.recall(text, top, HANDED)
    return RetrievalAnswer(
        _turns(ranked.items),
        _turns(fitting.items),
        _turns(item for item in fitting.items if item.kind == "turn"),
        _turns(item for item in fitting.items if _is_past(item)),
        fitting.context,
        fitting.tokens,
        ms,
        again,
        _silence(usual),
    )


def _timed(memory: Memory, text: str) -> tuple[Recall, float]:
    started = perf_counter()
    answer = memory.recall(text)
    return answer, (perf_counter() - started) * 1000


def _is_past(item: Item) -> bool:
    return bool(item.valid_until or item.why.get("again")) or item.state == "archived"


def _turns(items: Iterable[Item]) -> tuple[str, ...]:
    """The turns that items are or were drawn from, in order, each once."""
    return tuple(
        dict.fromkeys(source.turn for item in items for source in item.sources if source.turn)
    )


def _silence(answer: Recall) -> Silence:
    return Silence(not answer.items, answer.unsure)


def _outcome(
    name: str,
    file: Sequence[Labelled],
    done: Sequence[RetrievalResult],
    crossed: Sequence[Silence],
    options: RetrievalOptions,
) -> RetrievalReport:
    """What the answers to one file's questions are worth; here the evidence is first looked at."""
    rows = [
        _Row(one.conversation.id, question, evidence, answer, _scores(one, evidence, answer))
        for one, found in zip(file, done, strict=True)
        for question, evidence, answer in zip(
            one.conversation.questions, one.evidence, found.answers, strict=True
        )
    ]
    counted = [row for row in rows if row.question.category not in options.leave_out]
    report: Figures = {"file": name, "overall": _mean(counted)}
    if options.leave_out:
        report["overall_with_left_out"] = _mean(rows)
    names = sorted({row.question.category for row in rows}, key=_natural)
    report["categories"] = {
        one: _mean([row for row in rows if row.question.category == one]) for one in names
    }
    if options.updates:
        changed = [row for row in rows if row.question.category in options.updates]
        report["updates"] = _updates(file, changed)
    report["latency_ms"] = _latency([row.answer.ms for row in rows])
    again = [row.answer.again_ms for row in rows if row.answer.again_ms is not None]
    if again:
        report["latency_without_embedder_ms"] = _latency(again)
    tokens = [row.answer.tokens for row in rows]
    report["tokens"] = {
        "mean": round(sum(tokens) / (len(tokens) or 1)),
        "most": max(tokens, default=0),
    }
    report["conversations"] = len(file)
    report["without_evidence"] = sum(not row.evidence for row in rows)
    report["evidence_not_there"] = _strays(file)
    report["not_embedded"] = sum(one.not_embedded for one in done)
    report["ingest"] = _ingest(done)
    true = _abstention([row.answer.silent for row in counted if row.evidence])
    strange = {"crossed": _abstention(crossed)} if options.crossed else {}
    report["abstention"] = {"true": true, **strange}
    return RetrievalReport(report, [_each(name, row) for row in rows])


class _Row(NamedTuple):
    conversation: str
    question: LabelledQuestion
    evidence: tuple[str, ...]
    answer: RetrievalAnswer
    scores: Scores | None
    """None for a question without evidence, which nothing can be right for."""


def _scores(one: Labelled, evidence: tuple[str, ...], answer: RetrievalAnswer) -> Scores | None:
    if not evidence:
        return None
    said = set(answer.quoted) | _repeated(one.conversation, evidence, answer.context)
    return scores(evidence, answer.ranking, answer.handed, said)


def _repeated(conversation: Conversation, evidence: Sequence[str], context: str) -> set[str]:
    """Evidence turns whose words stand in a context, whatever item they are part of."""
    text = " ".join(context.split())
    wanted = frozenset(evidence)
    return {
        turn.id
        for session in conversation.sessions
        for turn in session.turns
        if turn.id in wanted and " ".join(turn.text.split())[:_COMPARED] in text
    }


def _mean(rows: Sequence[_Row]) -> dict[str, float]:
    return mean([row.scores for row in rows if row.scores is not None])


def _updates(file: Sequence[Labelled], rows: Sequence[_Row]) -> Figures:
    """Of questions about what changed: how often the newest evidence that was found comes before
    all that is older, and how much of the older is handed over without a mark.

    Some ask for what was before, as recall understands them: there an older one should come first.
    """
    said = {
        (one.conversation.id, turn.id): turn.at
        for one in file
        for session in one.conversation.sessions
        for turn in session.turns
    }
    first: list[bool] = []
    now: list[bool] = []
    then: list[bool] = []
    shown = unmarked = 0
    for row in rows:
        at = {
            turn: said[row.conversation, turn]
            for turn in row.evidence
            if (row.conversation, turn) in said
        }
        newest = max(at, key=lambda turn: at[turn], default="")
        older = {turn for turn in at if at[turn] < at[newest]}
        ranked = [turn for turn in row.answer.ranking if turn in at]
        if not older.intersection(ranked):
            continue
        first.append(ranked[0] not in older)
        asked_at = row.question.asked_at or at[newest]
        if understand(row.question.text, asked_at).tense == "past":
            then.append(not first[-1])
        else:
            now.append(first[-1])
        handed = older.intersection(row.answer.handed)
        shown += len(handed)
        unmarked += len(handed.difference(row.answer.past))
    return {
        "n": len(first),
        "newest_first": percent(sum(first), len(first)),
        "of_the_past": len(then),
        "older_first_of_the_past": percent(sum(then), len(then)),
        "newest_first_of_the_others": percent(sum(now), len(now)),
        "older_shown": shown,
        "older_unmarked": percent(unmarked, shown),
    }


def _latency(found: Sequence[float]) -> dict[str, float]:
    return {"p50": round(percentile(found, 0.5), 2), "p99": round(percentile(found, 0.99), 2)}


def _abstention(found: Sequence[Silence]) -> Figures:
    return {
        "n": len(found),
        "abstains": percent(sum(one.abstains for one in found), len(found)),
        "empty": percent(sum(one.empty for one in found), len(found)),
    }


def _ingest(done: Sequence[RetrievalResult]) -> Figures:
    turns = sum(one.turns for one in done)
    add_s, consolidate_s = sum(one.add_s for one in done), sum(one.consolidate_s for one in done)
    return {
        "turns": turns,
        "add_s": round(add_s, 2),
        "consolidate_s": round(consolidate_s, 2),
        "turns_per_s": round(turns / (add_s + consolidate_s)) if turns else 0,
    }


def _strays(file: Sequence[Labelled]) -> int:
    """How much evidence names no turn of its conversation, and can only be missed."""
    strays = 0
    for one in file:
        said = {turn.id for session in one.conversation.sessions for turn in session.turns}
        strays += sum(turn not in said for evidence in one.evidence for turn in evidence)
    return strays


def _each(file: str, row: _Row) -> Figures:
    """One question's result: ids and numbers, none of the words."""
    place = {turn: rank for rank, turn in enumerate(row.answer.ranking, 1)}
    found: Figures = {
        "file": os.path.basename(file),
        "conversation": row.conversation,
        "question": row.question.id,
        "category": row.question.category,
        "ranks": {turn: place.get(turn) for turn in row.evidence},
        "ranked": len(place),
        "tokens": row.answer.tokens,
        "ms": round(row.answer.ms, 2),
        "abstains": row.answer.silent.abstains,
    }
    if row.scores is not None:
        found |= {name: round(value, 4) for name, value in zip(NAMES, row.scores, strict=True)}
    return found


def _natural(name: str) -> tuple[bool, int, str]:
    """Numbers in their order, before names."""
    return (False, int(name), name) if name.isdecimal() else (True, 0, name)
