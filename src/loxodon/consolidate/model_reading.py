"""Asking a model: the bridge between consolidation and `models/`.

Whatever the model does, nothing is lost: what it did not answer waits in the work log and stands as
the rules read it, a summary keeps the words of its facts, a belief its confidence. No question is
asked inside a transaction, so that nobody waits for a model in order to write.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from itertools import islice
from threading import Lock
from time import perf_counter
from typing import NamedTuple, TypeVar

from loxodon.config import ModelConfig
from loxodon.consolidate import passages, themes
from loxodon.consolidate.extract import Candidate, candidate_of
from loxodon.consolidate.keep import Keeper, StoreView
from loxodon.consolidate.pages.profile import ProfileChange
from loxodon.consolidate.passages import Passage, Stack
from loxodon.consolidate.reconcile import said_at
from loxodon.consolidate.residue import Asking as Report
from loxodon.consolidate.residue import Hear, ModelAnswer, Residue
from loxodon.errors import BadReplyError, ModelError, SpentModelError
from loxodon.guard.provenance import is_own
from loxodon.messages import LANGUAGES, t
from loxodon.models import tasks
from loxodon.models.chat import ChatModel, Ledger, ModelReply
from loxodon.models.reading import Batch, KnownMemory, ModelReading, PromptMessage, read, size
from loxodon.store import Filter
from loxodon.store.store import Store
from loxodon.text.language import language_of
from loxodon.text.similarity import gist
from loxodon.text.words import query_words
from loxodon.types import Event, Record, Turn

# The most in one question, its longest answer included, however much may be spent in a day
BATCH_TOKENS = 6_000
LEAST_BATCH = 3_000  # Less is not asked where more waits: the question itself would be most of it
TURNS = 60  # Turns in hand where all is read: the next see what was learned from them
WEIGHED = 5  # Beliefs that are weighed against new facts in one run
# A model that did not read well may be another by then, under the same name
TRIED_AGAIN = timedelta(days=1)
TRIAL = "trial"

T = TypeVar("T")


class ModelTried(NamedTuple):
    """How a model did on the test sentences of a language."""

    language: str
    passed: int
    of: int
    failed: tuple[str, ...]  # the sentences that it did not read well
    seconds: float
    tokens_in: int
    tokens_out: int
    problem: str = ""  # why there was no answer that can be used, where there was none


class ModelChecked(NamedTuple):
    """What the model that is set can do."""

    name: str
    base_url: str
    keeps_to_schemas: bool  # whether the server takes a JSON schema
    good: bool  # whether it reads well enough to decide, in every language
    tried: tuple[ModelTried, ...]


class ModelResidue(Residue):
    """A model decides, within the tokens of the day."""

    def __init__(
        self, store: Store, config: ModelConfig, now: datetime, clean: Callable[[str], str] = str
    ) -> None:
        super().__init__(thorough=config.thorough)
        self._store = store
        self._config = config
        self._now = now
        self._book = StoreBook(store)
        self._ledger = Ledger(self._book, f"{now:%Y-%m-%d}", config.cap)
        self._model = ChatModel(config, self._ledger, clean=clean)
        self.most_turns = TURNS if self.thorough else 0
        self.problem = ""
        self._down = False
        self._nonsense = False
        self._lock = Lock()
        self._able: dict[str, bool] = {}
        self._counts: Counter[str] = Counter()
        self._did: Counter[str] = Counter()
        self._refused: Counter[str] = Counter()

    @property
    def report(self) -> Report:  # type: ignore[override]
        counts = self._counts
        return Report(
            counts["questions"],
            counts["asked"],
            counts["decided"],
            dict(self._did),
            dict(self._refused),
            dict(self._book.by_task),
        )

    # Reading

    def read(self, turns: Sequence[Turn], hear: Hear, *, patient: bool = False) -> ModelAnswer:
        found = passages.waiting(self._store, turns, thorough=self.thorough)
        stacks: list[Stack] = []
        spent = 0
        for group in passages.by(self._together, found):
            if not self._able_in(group[0].language):
                continue
            left = sorted(group, key=lambda one: (-one.worth, one.no))
            room = self._ledger.room()
            room = None if room is None else room - spent
            planned = self._planned(left, hear, room, patient and not self.thorough)
            spent += sum(size(one.batch) for one in planned)
            stacks += planned
        return passages.joined(self._answers(stacks))

    def _together(self, passage: Passage) -> tuple[str, ...]:
        """What is asked about together: of one agent and language; where all is read, of one
        session."""
        session = passage.turn.session if self.thorough else ""
        return (passage.turn.agent, passage.language, session)

    def _planned(
        self, left: Sequence[Passage], hear: Hear, room: int | None, patient: bool
    ) -> list[Stack]:
        """Questions about passages, the most promising first, as many as there is room for."""
        planned: list[Stack] = []
        while left:
            most = BATCH_TOKENS if room is None else min(room, BATCH_TOKENS)
            some = sorted(left, key=lambda one: one.no) if self.thorough else left
            stack, fits = passages.that_fit(self._store, some, hear, most)
            if stack is None or (fits < len(some) and most < LEAST_BATCH):
                break
            if patient and size(stack.batch) < LEAST_BATCH:
                break
            if not self.thorough:  # chosen by worth, told in order
                chosen = sorted(some[:fits], key=lambda one: one.no)
                stack = passages.stack_of(self._store, chosen, hear)
            planned.append(stack)
            room = None if room is None else room - size(stack.batch)
            left = some[fits:]
        return planned

    def _answers(self, stacks: Sequence[Stack]) -> list[ModelAnswer]:
        """What a model says to questions, a few of which are on their way at once."""
        if not stacks:
            return []
        with ThreadPoolExecutor(self._config.parallel) as pool:
            asked = [pool.submit(self._reading, one) for one in stacks]
            readings = [one.result() for one in asked]
        return [
            self._noted(stack, reading)
            for stack, reading in zip(stacks, readings, strict=True)
            if reading is not None
        ]

    def _reading(self, stack: Stack) -> ModelReading | None:
        """What a model says to one question; nothing decided where it said nothing that can be
        believed."""

        def question() -> ModelReply[ModelReading]:
            try:
                return read(self._model, stack.batch)
            except BadReplyError as error:
                if not error.values.get("refused"):
                    raise
                refused = [("", str(error.values["reason"]))]
                return ModelReply(
                    ModelReading([], set(), refused), error.tokens_in, error.tokens_out
                )

        return self._ask(question)

    def _noted(self, stack: Stack, reading: ModelReading) -> ModelAnswer:
        asked = passages.answered(self._store, stack, reading)
        self._counts["asked"] += len(stack.passages)
        self._counts["decided"] += len(reading.decided)
        self._did.update(passages.counted(asked, reading))
        self._refused.update(reason for _, reason in reading.refused)
        return asked

    # Whether it can

    def _able_in(self, language: str) -> bool:
        """Whether the model reads a language well enough to be asked; see `models/tasks.py`."""
        if not self._config.check:
            return True
        if language not in self._able:
            kept = tried(self._store, self._config, language, self._now)
            if kept is None and (kept := self._attempted(language)):
                put_trial(self._store, self._config, language, kept, self._now)
            if kept is None:
                return False  # it could not be asked: another time
            self._able[language] = kept.good
            if not kept.good and not self.problem:
                self.problem = t(
                    "the model read only {n} of {of} test sentences correctly, so it is not "
                    "used; see `loxodon model check`",
                    n=kept.passed,
                    of=kept.of,
                )
        return self._able[language]

    def _attempted(self, language: str) -> tasks.Trial | None:
        """How it does on the test sentences; None where it could not be asked."""
        found = self._ask(lambda: tasks.attempt(self._model, language))
        return tasks.Trial.none(language) if found is None and self._nonsense else found

    # Days, partitions, summaries, beliefs and the portrait

    def compress_day(self, events: Sequence[Event]) -> Sequence[tuple[Candidate, Event]] | None:
        told = [event for event in events if event.summary]
        if not told or not self.thorough:  # what the rules left of it, it was asked already
            return ()
        language = language_of("\n".join(event.summary for event in told))
        if not self._able_in(language):
            return None if self._down else ()
        with self._store.writing_as(told[0].agent):
            near = StoreView(self._store).like(" ".join(one.summary for one in told)[:500], 12)
        known = [KnownMemory(one.id, one.content, one.valid_from or said_at(one)) for one in near]
        batch = Batch([PromptMessage(one.summary, one.at) for one in told], known, (), language)
        reading = self._ask(lambda: read(self._model, batch, "compress"))
        if reading is None:
            return None
        return [
            (
                candidate_of(one.statement, language, one.importance, told[one.line].at),
                told[one.line],
            )
            for one in reading.items
            if one.statement is not None
        ]

    def merge(self, facts: Sequence[Record]) -> Sequence[tuple[Sequence[Record], str]]:
        if not self.thorough or len(facts) < 2:
            return ()
        contents = [one.content for one in facts]
        language = language_of("\n".join(contents))
        if not self._able_in(language):
            return ()
        found = self._ask(lambda: tasks.merge(self._model, contents, language)) or []
        return [([facts[n] for n in one.places], one.content) for one in found]

    def portrait(self, core: Sequence[Record], changes: Sequence[ProfileChange]) -> str:
        if not core or not self.thorough:
            return ""
        entries = [one.content for one in core]
        language = language_of("\n".join(entries))
        if not self._able_in(language):
            return ""
        changed = [one.record.content for one in changes]
        return self._ask(lambda: tasks.portrait(self._model, entries, changed, language)) or ""

    def afterwards(self, changed: Iterable[Record], now: datetime) -> None:
        facts = [one for one in changed if one.kind == "fact" and one.state == "active"]
        # Only the owner's word settles what was supposed.
        # Ask about beliefs that the rules found nothing to say about
        pairs = (
            (belief, fact)
            for fact in [one for one in facts if is_own(one.trust)]
            for belief in self._beliefs_near(fact)
        )
        for belief, fact in islice(pairs, WEIGHED):
            verdict = self._verdict(belief.content, fact.content)
            if verdict in ("confirm", "deny"):
                self._settle_belief(belief, verdict, now)
        if self.thorough:
            for agent, theirs in themes.by_agent(facts):
                with self._store.writing_as(agent):
                    touched = [
                        (theme, themes.summary_of(self._store, theme))
                        for one in theirs
                        for theme in themes.all_themes(self._store, one)
                    ]
                for theme, summary in dict(touched).items():
                    self._reword(theme, summary, now)

    def _beliefs_near(self, fact: Record) -> list[Record]:
        """Beliefs about the subject of a fact (or captured, about nobody knows whom) that have
        words of it, the nearest first."""
        words = query_words(fact.content)
        hits = self._store.search("memories", words, Filter(kind="belief"), WEIGHED)
        found = self._store.records(hit.row for hit in hits)
        near = [found[hit.row] for hit in hits if hit.row in found]
        return [one for one in near if one.subject in ("", fact.subject) and _may_touch(one, fact)]

    def _settle_belief(self, belief: Record, verdict: str, now: datetime) -> None:
        with self._store.writing():
            kept = self._store.get(belief.id)
            if kept is None or kept.version != belief.version:
                return  # it changed while the model was thinking
            keeper = Keeper(self._store, now)
            if verdict == "confirm":
                keeper.promote(kept, None)
            else:
                keeper.deny(kept)
            themes.renew(self._store, list(keeper.changed.values()), now)

    def _verdict(self, belief: str, fact: str) -> str | None:
        language = language_of(fact)
        if not self._able_in(language):
            return None
        return self._ask(lambda: tasks.weigh_belief(self._model, belief, fact, language))

    def _reword(self, theme: str, summary: Record | None, now: datetime) -> None:
        """A summary, or the profile of somebody, in better words than those of its facts one after
        the other."""
        if summary is None or summary.updated_at != now:
            return
        facts = [one.content for id in summary.derived_from if (one := self._store.get(id))]
        language = language_of(summary.content)
        if not self._able_in(language):
            return
        name = theme.partition(":")[2] if not theme.startswith(themes.DAY) else ""
        text = self._ask(
            lambda: (
                tasks.entity(self._model, name, facts, language)
                if name
                else tasks.summarise(self._model, facts, language)
            )
        )
        if text and text != summary.content:
            with self._store.writing():
                kept = self._store.get(summary.id)
                if kept is not None and kept.version == summary.version:
                    self._store.update(summary.id, None, "reworded", now, {"content": text})

    def _ask(self, question: Callable[[], ModelReply[T]]) -> T | None:
        """The answer; None where there is none, or no tokens are left for it."""
        if self._down:
            return None  # a moment ago it did not answer
        try:
            reply = question()
        except ModelError as error:
            with self._lock:
                self._nonsense = isinstance(error, BadReplyError)
                self.tokens += error.tokens_in + error.tokens_out
                if not isinstance(error, SpentModelError):
                    self.problem = error.localized()[0]
                    self._down = self._down or not self._nonsense
            return None
        with self._lock:
            self.tokens += reply.tokens_in + reply.tokens_out
            self._counts["questions"] += 1
        return reply.value


class StoreBook:
    """The ledger in the store; each entry is on disk at once, because it was spent."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.by_task: Counter[str] = Counter()

    def spend(self, day: str, phase: str, tokens_in: int, tokens_out: int) -> None:
        self.by_task[phase] += tokens_in + tokens_out
        with self._store.writing():
            self._store.execute("spend", day, phase, tokens_in, tokens_out)

    def spent(self, day: str) -> int:
        return int(self._store.scalar("spent", day))


def tried(store: Store, config: ModelConfig, language: str, now: datetime) -> tasks.Trial | None:
    """How the model that is set did on the test sentences, where that is known and not long ago."""
    page = store.worklog.page(TRIAL, language)
    if page is None or page[1] != _model_of(config):
        return None
    passed, of, *failed = json.loads(page[0])
    found = tasks.Trial(passed, of, tuple(failed))
    return found if found.good or now - page[2] < TRIED_AGAIN else None


def put_trial(
    store: Store, config: ModelConfig, language: str, found: tasks.Trial, now: datetime
) -> None:
    """Keep how a model did."""
    text = json.dumps([found.passed, found.of, *found.failed], ensure_ascii=False)
    with store.writing():
        store.worklog.put_page(TRIAL, language, text, _model_of(config), now)


def _model_of(config: ModelConfig) -> str:
    return json.dumps([config.address, config.name, tasks.VERSION])


def _may_touch(belief: Record, fact: Record) -> bool:
    same = belief.agent == fact.agent  # what one agent is told settles nothing of another
    return same and bool(gist(belief.content).words & gist(fact.content).words)


def check(model: ChatModel, store: Store, config: ModelConfig, now: datetime) -> ModelChecked:
    """Have it read the test sentences of every language, and keep how it did; ModelError where it
    cannot be asked at all."""
    tried = []
    for language in LANGUAGES:
        found, one = _tried(model, language)
        tried.append(one)
        put_trial(store, config, language, found, now)
    good = all(one.passed >= tasks.ENOUGH for one in tried)
    return ModelChecked(config.name, config.address, model.keeps_to_schemas, good, tuple(tried))


def _tried(model: ChatModel, language: str) -> tuple[tasks.Trial, ModelTried]:
    started = perf_counter()
    try:
        found, tokens_in, tokens_out = tasks.attempt(model, language)
    except BadReplyError as error:  # it answers, and nothing that can be used
        none = tasks.Trial.none(language)
        took = perf_counter() - started
        return none, ModelTried(
            language,
            0,
            none.of,
            none.failed,
            took,
            error.tokens_in,
            error.tokens_out,
            error.localized()[0],
        )
    took = perf_counter() - started
    return found, ModelTried(
        language, found.passed, found.of, found.failed, took, tokens_in, tokens_out
    )
