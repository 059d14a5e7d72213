"""Asking a model: the bridge between consolidation and `models/`.

Whatever the model does, nothing is lost: what it did not answer waits on and stands as the rules
read it. No question is asked inside a transaction, so that nobody waits for a model to write.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from functools import partial
from itertools import islice
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from loxodon.consolidate import passages, themes
from loxodon.consolidate.keep import Keeper
from loxodon.consolidate.passages import WHOLE_BATCH, Asking, Hear, ModelAnswer, Passage, Stack
from loxodon.errors import BadReplyError, ModelError, SpentModelError
from loxodon.guard.provenance import is_own
from loxodon.messages import LANGUAGES, t
from loxodon.models import tasks
from loxodon.models.chat import ChatModel, Ledger
from loxodon.models.reading import ModelReading, believed, question
from loxodon.store import Filter
from loxodon.text.language import language_of
from loxodon.text.words import query_words
from loxodon.types import Record, Turn

if TYPE_CHECKING:
    from loxodon.opening import OpenSpace

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


def chat_model(space: OpenSpace) -> ChatModel:
    """The configured model, within its daily token limit; ConfigError if none is set."""
    model = space.config.model
    cap = model.daily_tokens_full if model.extraction == "full" else model.daily_tokens
    ledger = Ledger(space.store, f"{space.now():%Y-%m-%d}", cap)
    return ChatModel(model, ledger, clean=space.guard.clean)


class ModelReader:
    """Decides what the rules could not, within the tokens of the day."""

    def __init__(self, space: OpenSpace) -> None:
        self._config = space.config.model
        self.thorough = self._config.extraction == "full"  # whether all that was said is to be read
        self.most_turns = TURNS if self.thorough else 0  # in hand; 0 for as many as the rules take
        self._store, self._now = space.store, space.now()
        self.model = chat_model(space)
        self._model_set = json.dumps([self._config.address, self._config.name, tasks.VERSION])
        self.problem = ""  # why it could not be asked
        self._down = False
        self._able: dict[str, bool] = {}
        self._counts: Counter[str] = Counter()
        self._did: Counter[str] = Counter()
        self._refused: Counter[str] = Counter()

    @property
    def report(self) -> Asking:
        n, tokens = self._counts, self.model.ledger.by_task
        by = dict(self._did), dict(self._refused), dict(+tokens)
        return Asking(n["questions"], n["asked"], n["decided"], *by)

    def read(self, turns: Sequence[Turn], hear: Hear, *, patient: bool = False) -> ModelAnswer:
        """Decide what waits; `turns` are those in hand. Who is patient waits for a whole batch."""
        groups: dict[tuple[str, ...], list[Passage]] = {}
        for one in passages.waiting(self._store, turns, thorough=self.thorough):
            session = one.turn.session if self.thorough else ""
            groups.setdefault((one.turn.agent, one.language, session), []).append(one)
        stacks: list[Stack] = []
        room = self.model.ledger.room()
        least = min(WHOLE_BATCH, 2 * room // 3) if patient and not self.thorough else 0
        for left in groups.values():
            # The most promising first; where all is read, in the order of the talk
            left.sort(key=lambda one: (0 if self.thorough else -one.worth, one.no))
            while left and self._is_able_in(left[0].language):
                most = min(self._config.max_tokens, room)
                stack, fits = passages.that_fit(self._store, left, hear, most)
                if stack is None or question(stack.batch).cost < least:
                    break
                stacks.append(stack)
                room -= question(stack.batch).cost
                left = left[fits:]
        answers = []
        for stack in stacks:
            reading = self._ask(partial(self._reading, stack))
            if reading is not None:
                answer = passages.answered(self._store, stack, reading)
                self._counts += Counter(asked=len(stack.passages), decided=len(reading.decided))
                # A note is dropped also where it was told anew
                dropped = len(answer.dropped) + len(answer.taken_back)
                self._did.update(one.do for one in reading.items if one.do != "drop")
                self._did += Counter(drop=dropped)
                self._refused.update(reason for _, reason in reading.refused)
                answers.append(answer)
        columns = zip(*answers, strict=True)
        return ModelAnswer(*([one for part in column for one in part] for column in columns))

    def _reading(self, stack: Stack) -> ModelReading:
        """What a model says to one question; nothing decided where none of it can be believed."""
        try:
            return self.model.ask(question(stack.batch), partial(believed, batch=stack.batch))
        except BadReplyError as error:
            if not error.values.get("refused"):
                raise
            return ModelReading([], set(), [("", str(error.values["reason"]))])

    def _is_able_in(self, language: str) -> bool:
        """Whether the model reads a language well enough to be asked; see `models/tasks.py`."""
        if not self._config.check:
            return True
        if language not in self._able:
            text, model_set, at = self._store.worklog.page(TRIAL, language) or ("[0, 0]", "", None)
            passed, of, *failed = json.loads(text)
            found = tasks.Trial(passed, of, tuple(failed))
            lately = at is not None and self._now - at < TRIED_AGAIN
            if model_set != self._model_set or not (found.good or lately):
                tried = self._ask(lambda: self.attempt(language))
                if tried is None:
                    return False  # it could not be asked: another time
                found = tried
            self._able[language] = found.good
            if not found.good and not self.problem:
                self.problem = t(
                    "the model read only {n} of {of} test sentences correctly, so it is not "
                    "used; see `loxodon model check`",
                    n=found.passed,
                    of=found.of,
                )
        return self._able[language]

    def attempt(self, language: str) -> tasks.Trial:
        """Have the model read the test sentences, and keep how it did."""
        found = tasks.attempt(self.model, language)
        text = json.dumps([found.passed, found.of, *found.failed], ensure_ascii=False)
        with self._store.writing():
            self._store.worklog.put_page(TRIAL, language, text, self._model_set, self._now)
        return found

    def merge(self, facts: Sequence[Record]) -> list[tuple[list[Record], str]]:
        """Facts of a partition that one sentence can tell, and that sentence."""
        contents = [one.content for one in facts]
        language = language_of("\n".join(contents))
        found = self._ask(lambda: tasks.merge(self.model, contents, language), language) or []
        return [([facts[n] for n in places], content) for places, content in found]

    def portrait(self, core: Sequence[Record], changed: Iterable[Record]) -> str:
        """A few words on the user and the week."""
        if not core or not self.thorough:
            return ""
        lines = [("known", one.content) for one in core]
        language = language_of("\n".join(text for _, text in lines))
        lines += [("changed", one.content) for one in changed]
        told = self._ask(lambda: tasks.text_on(self.model, "portrait", lines, language), language)
        return told or ""

    def afterwards(
        self, changed: Iterable[Record], summaries: Iterable[Record], now: datetime
    ) -> None:
        """Better what a run has changed: weigh beliefs, reword summaries."""
        # Only the owner's word settles what was supposed.
        facts = (one for one in changed if one.kind == "fact" and is_own(one.trust))
        held = (one for one in facts if one.state == "active")
        pairs = ((belief, fact) for fact in held for belief in self._beliefs_near(fact))
        for belief, fact in islice(pairs, WEIGHED):
            self._weigh(belief, fact.content, now)
        for one in summaries:
            if self.thorough and one.state == "active":
                self._reword(one, now)

    def _beliefs_near(self, fact: Record) -> list[Record]:
        """Beliefs of the same agent about the subject of a fact (or captured, about nobody knows
        whom) that have words of it, the nearest first."""
        where = Filter(kind="belief")
        hits = self._store.search("memories", query_words(fact.content), where, WEIGHED)
        found = self._store.records(hit.row for hit in hits)
        near = [found[hit.row] for hit in hits if hit.row in found]
        return [o for o in near if o.subject in ("", fact.subject) and o.agent == fact.agent]

    def _weigh(self, belief: Record, fact: str, now: datetime) -> None:
        """Have a model say what a fact makes of a belief that the rules found nothing to say of."""
        language, guess, model = language_of(fact), belief.content, self.model
        verdict = self._ask(lambda: tasks.weigh_belief(model, guess, fact, language), language)
        with self._store.writing():
            kept = self._store.get(belief.id)
            if verdict not in ("confirm", "deny") or kept is None or kept.version != belief.version:
                return  # or it changed while the model was thinking
            keeper = Keeper(self._store, now)
            if verdict == "confirm":
                keeper.promote(kept, None)
            else:
                keeper.deny(kept)
            themes.renew(self._store, list(keeper.changed.values()), now)

    def _reword(self, summary: Record, now: datetime) -> None:
        """A summary, or the profile of somebody, in better words than those of its facts."""
        language, model, theme = language_of(summary.content), self.model, summary.value
        facts = [one.content for id in summary.derived_from if (one := self._store.get(id))]
        name = "" if theme.startswith(themes.DAY) else theme.partition(":")[2]
        lines, task = tasks.numbered(facts, name), "entity" if name else "summarise"
        text = self._ask(lambda: tasks.text_on(model, task, lines, language), language)
        with self._store.writing():
            kept = self._store.get(summary.id)
            if text and text != summary.content and kept and kept.version == summary.version:
                self._store.update(summary.id, None, "reworded", now, {"content": text})

    def _ask(self, question: Callable[[], T], language: str = "") -> T | None:
        if self._down or (language and not self._is_able_in(language)):
            return None
        try:
            answer = question()
        except ModelError as error:
            if not isinstance(error, SpentModelError):
                self.problem = error.localized()[0]
                self._down = self._down or not isinstance(error, BadReplyError)
            return None
        self._counts["questions"] += 1
        return answer


def check(space: OpenSpace) -> ModelChecked:
    """Have the model read the test sentences of every language, and keep how it did."""
    config, reader, tried = space.config.model, ModelReader(space), []
    ledger = reader.model.ledger
    for language in LANGUAGES:
        started = perf_counter()
        sent, received = ledger.sent, ledger.received
        passed, of, failed, problem = reader.attempt(language)
        how = perf_counter() - started, ledger.sent - sent, ledger.received - received
        tried.append(ModelTried(language, passed, of, failed, *how, problem))
    good = all(one.passed >= tasks.ENOUGH for one in tried)
    schemas = reader.model.keeps_to_schemas
    return ModelChecked(config.name, config.address, schemas, good, tuple(tried))
