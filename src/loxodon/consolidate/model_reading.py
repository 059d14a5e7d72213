"""Asking a model: the bridge between consolidation and `models/`.

What the rules kept in somebody's own words, found doubtful, or dropped as unclear waits in the work
log; what they read of it stands until a model decides. A passage is what of one message waits.
Passages of one agent and one language make a question, each with the talk just before it, the
nearest memories, and what the rules read of it.

Whatever the model does, nothing is lost: what it did not answer waits on. No question is asked
inside a transaction, so that nobody waits for a model to write.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from itertools import groupby, islice
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from loxodon.consolidate import themes
from loxodon.consolidate.keep import Keeper, learned_from
from loxodon.consolidate.read import Asking, Candidate, ModelAnswer, candidate_of, rules_for
from loxodon.consolidate.reconcile import known_about, known_like, said_at
from loxodon.errors import BadReplyError, ModelError
from loxodon.guard.provenance import is_context, is_own, is_users_statement, speaks_for_user
from loxodon.language.statements import Fragment, Statement
from loxodon.language.worth import judge
from loxodon.messages import LANGUAGES, t
from loxodon.models import tasks
from loxodon.models.chat import ChatModel, Ledger
from loxodon.models.grounding import stands
from loxodon.models.reading import (
    Batch,
    Hint,
    KnownMemory,
    ModelReading,
    ReadItem,
    believed,
    question,
)
from loxodon.store import Filter
from loxodon.store.store import Store
from loxodon.text.language import language_of
from loxodon.tokens import cut, estimate
from loxodon.types import Record, Turn

if TYPE_CHECKING:
    from loxodon.opening import OpenSpace

WEIGHED = 5  # Beliefs that are weighed against new facts in one run
# A model that did not read well may be another by then, under the same name
TRIED_AGAIN = timedelta(days=1)
TRIAL = "trial"
BEFORE = 4  # Messages before a passage that are shown with it
_CONTEXT_TOKENS = 60  # Of one of them
_NEAR = 5  # Memories that are shown for the words of one passage
MOST_KNOWN = 24  # Memories in one question
WHOLE_BATCH = 3_000  # Tokens below which a question is brief: its own words would be most of it

T = TypeVar("T")
# Turns as they may be read: without what is in quarantine or another's
Hear = Callable[[Sequence[Turn]], Sequence[Turn]]


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
        for one in waiting(self._store, turns, thorough=self.thorough):
            session = one.turn.session if self.thorough else ""
            groups.setdefault((one.turn.agent, one.language, session), []).append(one)
        stacks: list[Stack] = []
        room = self.model.ledger.room()
        least = min(WHOLE_BATCH, 2 * room // 3) if patient and not self.thorough else 0
        for left in groups.values():
            # The most promising first; where all is read, in the order of the talk
            left.sort(key=lambda one: (0 if self.thorough else -one.worth, one.no))
            while left and self._is_able_in(left[0].language):
                stack, fits = that_fit(self._store, left, hear, min(self._config.max_tokens, room))
                if stack is None or question(stack.batch).cost < least:
                    break
                stacks.append(stack)
                room -= question(stack.batch).cost
                left = left[fits:]
        answers = []
        for stack in stacks:
            if (reading := self._ask(partial(self._reading, stack))) is not None:
                answer = answered(self._store, stack, reading)
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
        # Beliefs of the same agent on the same subject, or captured on nobody knows whose
        pairs = (
            (belief, fact)
            for fact in changed
            if (fact.kind, fact.state) == ("fact", "active") and is_own(fact.trust)
            for belief in known_like(self._store, fact.content, WEIGHED, kind="belief")
            if belief.subject in ("", fact.subject) and belief.agent == fact.agent
        )
        for belief, fact in islice(pairs, WEIGHED):
            self._weigh(belief, fact.content, now)
        for one in summaries:
            if self.thorough and one.state == "active":
                self._reword(one, now)

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
            if not error.values.get("spent"):
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


# Questions


class Passage(NamedTuple):
    """What of a turn waits."""

    turn: Turn
    no: int
    numbers: tuple[int, ...]  # Its fragments
    text: str
    worth: float
    language: str
    read: tuple[tuple[int, Candidate], ...] = ()  # What the rules read of it in this run, by number
    learned: tuple[Record, ...] = ()  # What they had read of it earlier, and nothing else bears out


class Stack(NamedTuple):
    """A question, and what its lines and hints stand for."""

    batch: Batch
    passages: Mapping[int, Passage]  # By their lines
    hints: Sequence[int | Record]  # Numbers of candidates, or memories


def waiting(store: Store, turns: Sequence[Turn], *, thorough: bool) -> list[Passage]:
    """What waits, in the order of the journal; `turns` are those in hand."""
    in_hand = {int(one.ref[2:]): one for one in turns}
    read: dict[int, list[tuple[int, Candidate]]] = {}
    for no, turn, body in store.query("candidates"):
        read.setdefault(turn, []).append((no, Candidate.from_json(body)))
    pieces = [(Fragment(*row), worth) for *row, worth in store.query("waiting")]
    known = store.turns({one.turn for one, _ in pieces} - in_hand.keys())
    found = []
    for no, some in groupby(pieces, key=lambda one: one[0].turn):
        said = in_hand.get(no) or known.get(no)
        if said is None or not speaks_for_user(said):
            continue
        group = list(some)
        numbers = tuple(one.n for one, _ in group)
        texts = [one.text.strip() for one, _ in group]
        text = ("" if rules_for(texts[0])[0] == "zh" else " ").join(texts)
        ours = [one for one in read.get(no, ()) if {*one[1].statement.fragments} <= {*numbers}]
        learned = tuple(
            one
            for one in (learned_from(store, [no]) if no not in in_hand else ())
            if one.version == 1 and (thorough or not one.attribute or one.kind == "belief")
        )
        # Some were read when there was no model to be asked
        worth = max(worth or judge(one.text).keep for one, worth in group)
        about = text, worth, rules_for(text)[0]
        found.append(Passage(said, no, numbers, *about, tuple(ours), learned))
    return found


def _stack_of(store: Store, passages: Sequence[Passage], hear: Hear, brief: bool) -> Stack:
    """One question about passages of one agent and one language."""
    lines: list[Turn] = []
    hints: list[tuple[Hint, int | Record]] = []
    placed: dict[int, Passage] = {}
    last: dict[str, int] = {}
    before, most = (1, 6) if brief else (BEFORE, MOST_KNOWN)
    for one in passages:
        session = one.turn.session
        for said in hear(store.query_turns("turns_before", session, one.no, before)):
            if int(said.ref[2:]) > last.get(session, 0) and is_context(said):
                # Of a long one the end: there is asked what the passage answers
                text, short = said.content, estimate(said.content) <= _CONTEXT_TOKENS
                text = text if short else f"… {cut(text[-4 * _CONTEXT_TOKENS :], _CONTEXT_TOKENS)}"
                lines.append(said._replace(content=text))
        last[session] = one.no
        line = len(lines)
        placed[line] = one
        read = ((no, made.statement.content) for no, made in one.read)
        hints += [(Hint(line, content), no) for no, content in read if content]
        hints += [(Hint(line, record.content), record) for record in one.learned]
        lines.append(one.turn._replace(content=one.text))
    known = _known(store, passages, {one.id for some in passages for one in some.learned})[:most]
    noted, language = [hint for hint, _ in hints], passages[0].language
    batch = Batch(lines, [*placed], known, noted, language, brief)
    return Stack(batch, placed, [meant for _, meant in hints])


def _known(store: Store, passages: Sequence[Passage], left_out: set[str]) -> list[KnownMemory]:
    """The memories nearest to passages: by subject and attribute, words, then importance."""
    near: list[Record] = []
    with store.writing_as(passages[0].turn.agent):
        for one in passages:
            for said in (read.statement for _, read in one.read if read.statement.attribute):
                near += known_about(store, said.subject, said.attribute)[:_NEAR]
            near += known_like(store, one.text, _NEAR)
        strongest = store.find(Filter(state="active"), 2 * MOST_KNOWN, strongest=True)
        near += [record for record in strongest if record.kind != "summary"]
    found = {record.id: record for record in near if record.id not in left_out}.values()
    return [KnownMemory(one.id, one.content, one.valid_from or said_at(one)) for one in found]


def that_fit(
    store: Store, passages: Sequence[Passage], hear: Hear, room: int
) -> tuple[Stack | None, int]:
    """A question about the first passages that `room` tokens are enough for, and how many."""
    fits = len(passages)
    while fits:
        first = sorted(passages[:fits], key=lambda one: one.no)
        stack = _stack_of(store, first, hear, brief=room < WHOLE_BATCH)
        if question(stack.batch).cost <= room:
            return stack, fits
        fits = fits * 3 // 4
    return None, 0


def answered(store: Store, stack: Stack, reading: ModelReading) -> ModelAnswer:
    places = [
        (line in reading.decided, (passage.no, n))
        for line, passage in stack.passages.items()
        for n in passage.numbers
    ]
    gone = []
    for k, (hint, meant) in enumerate(zip(stack.batch.hints, stack.hints, strict=True)):
        # A note goes if its message was answered with nothing, or it was dropped or told anew
        items = [item for item in reading.items if item.line == hint.line]
        anew = any(o.hint == k or (o.statement and stands(hint.text, o.words)) for o in items)
        if anew or (not items and hint.line in reading.decided):
            gone.append(meant)
    asked = [(stack.passages[item.line], item) for item in reading.items if item.do != "drop"]
    made = [(passage.no, _candidate(store, item, passage)) for passage, item in asked]
    return ModelAnswer(
        found=[(no, one) for no, one in made if one is not None],
        settled=[place for decided, place in places if decided],
        dropped=[one for one in gone if not isinstance(one, Record)],
        taken_back=[one for one in gone if isinstance(one, Record)],
        in_vain=[place for decided, place in places if not decided],
    )


def _candidate(store: Store, item: ReadItem, passage: Passage) -> Candidate | None:
    at = passage.turn.at
    if item.statement is None:
        if (record := store.get(item.target)) is None:
            return None
        said = record.content if item.do == "same" else ""
        statement = Statement(said, record.subject, record.attribute, record.value)
        statement = statement._replace(importance=record.importance)
        return Candidate(statement, at, does=item.do, target=item.target)
    statement = item.statement._replace(fragments=passage.numbers)
    made = candidate_of(statement, passage.language, at)
    about = (statement.category, statement.attribute, statement.subject)
    return made._replace(
        valid_from=item.since or made.valid_from,
        tags=item.tags,
        does="update" if item.do == "update" else "",
        target=item.target,
        vouched=passage.turn.origin == "relayed" and is_users_statement(*about, [item.words]),
    )
