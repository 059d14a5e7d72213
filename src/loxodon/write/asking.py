"""Asking a model for what the rules left: the bridge between consolidation and `models/`.

Whatever the model does, nothing is lost: a fragment that it did not answer waits on the desk, a
summary keeps the words of its facts, a belief its confidence. No question is asked inside a
transaction, so that nobody waits for a model in order to write.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from itertools import groupby, islice
from typing import NamedTuple, TypeVar

from loxodon.config import ModelConfig
from loxodon.errors import BadReplyError, ModelError, SpentModelError
from loxodon.language.statements import Fragment, Said
from loxodon.models import tasks
from loxodon.models.chat import ChatModel, Reply
from loxodon.models.ledger import Ledger
from loxodon.store import Filter, Store
from loxodon.text.language import language_of
from loxodon.text.similarity import gist
from loxodon.text.words import query_words
from loxodon.trust.provenance import is_own, speaks_for_user
from loxodon.types import Event, Record, Turn
from loxodon.write import themes
from loxodon.write.extract import Candidate, candidate_of
from loxodon.write.keep import Keeper
from loxodon.write.pages.profile import Change
from loxodon.write.residue import Asked, Left, Residue

BATCH_TOKENS = 6_000
"""The most in one question, its longest answer included, however much may be spent in a day."""
WEIGHED = 5
"""Beliefs that are weighed against new facts in one run."""

T = TypeVar("T")
_Decided = tuple[list[tuple[int, Candidate]], set[tuple[int, int]]]
"""What was read, with the turn each is from, and the places of the fragments that are decided."""
_Read = tuple[list[tuple[int, Candidate]], set[int]]
"""The same of whole turns: what was read, and the numbers of the turns that are decided."""


class _Item(NamedTuple):
    """A fragment that somebody should decide, wherever it waited."""

    fragment: Fragment
    before: str
    at: datetime
    language: str

    @property
    def place(self) -> tuple[int, int]:
        return self.fragment.turn, self.fragment.n


class Asking(Residue):
    """A model decides, within the tokens of the day."""

    def __init__(
        self, store: Store, config: ModelConfig, day: str, clean: Callable[[str], str] = str
    ) -> None:
        self._store = store
        self._ledger = Ledger(StoreBook(store), day, config.cap)
        self._model = ChatModel(config, self._ledger, clean=clean)
        self.thorough = config.mode == "full"
        self.problem = ""
        self._down = False

    def read(self, left: Left, turns: Sequence[Turn]) -> Asked:
        found, answered = self._read_whole(turns) if self.thorough else ([], set())
        # Where it saw nothing, what the rules saw there stays.
        instead_of = frozenset(turn for turn, _ in found)
        fresh = [_Item(one, _before(said), said.at, language_of(said.text)) for said, one in left]
        items = [*fresh, *self._older({item.place for item in fresh})]
        decided = {item.place for item in items if item.fragment.turn in answered}
        items = [item for item in items if item.place not in decided]
        for language in ("zh", "en"):
            asked = [item for item in items if item.language == language]
            read, settled = self._decide(asked, language)
            found += read
            decided |= settled
        return Asked(found, sorted(decided), instead_of)

    def _older(self, fresh: set[tuple[int, int]]) -> list[_Item]:
        """What earlier runs left waiting, oldest first."""
        waiting = self._store.desk.fragments("waiting")
        turns = self._store.turns(list({one.turn for one in waiting}))
        return [
            _Item(one, "", turn.at, language_of(turn.content))
            for one in waiting
            if (turn := turns.get(one.turn)) and (one.turn, one.n) not in fresh
        ]

    def _decide(self, items: Sequence[_Item], language: str) -> _Decided:
        """What fragments say, and which of them are decided, in as many questions as there is room
        for."""
        found: list[tuple[int, Candidate]] = []
        places: set[tuple[int, int]] = set()
        while items:
            decided, asked = self._decide_some(items, language)
            if decided is None:
                break
            found += decided[0]
            places |= decided[1]
            items = items[asked:]
        return found, places

    def _decide_some(self, items: Sequence[_Item], language: str) -> tuple[_Decided | None, int]:
        """The same of the first of them, and how many that were; None where there is no answer."""
        numbered = [
            tasks.Item(n, item.fragment.text, item.before) for n, item in enumerate(items, 1)
        ]
        fitting = tasks.extract_that_fit(numbered, language, self._room())
        if not fitting:
            return None, 0
        reply = self._ask(lambda: tasks.extract(self._model, fitting, language))
        if reply is None:
            return None, 0
        found = []
        for one in reply.found:
            item = items[one.number - 1]
            candidate = candidate_of(one.statement, language, _IMPORTANCE, item.at)
            found.append((item.fragment.turn, candidate))
        answered = {one.number for one in reply.found} | set(reply.nothing)
        return (found, {items[n - 1].place for n in answered}), len(fitting)

    def _room(self) -> int:
        """The most tokens of one question."""
        room = self._ledger.room()
        return BATCH_TOKENS if room is None else min(room, BATCH_TOKENS)

    def _read_whole(self, turns: Sequence[Turn]) -> _Read:
        """Whole conversations, session by session, in questions that the model can hold."""
        found: list[tuple[int, Candidate]] = []
        read: set[int] = set()
        for _, group in groupby(sorted(turns, key=lambda one: one.session), _session_of):
            session = list(group)
            while session:
                done, some = self._read_some(session)
                if done is None:
                    break
                found += done[0]
                read |= done[1]
                session = session[some:]
        return found, read

    def _read_some(self, turns: Sequence[Turn]) -> tuple[_Read | None, int]:
        """The same of the first turns of one session, and how many that were."""
        language = language_of("\n".join(one.content for one in turns if one.role == "user"))
        lines = [
            tasks.Line(n, one.role, one.speaker, one.content, speaks_for_user(one))
            for n, one in enumerate(turns, 1)
        ]
        some = tasks.batch_that_fit(lines, language, self._room())
        if not some:
            return None, 0
        reply = self._ask(lambda: tasks.read_batch(self._model, some, language))
        if reply is None:
            return None, 0
        found = []
        for one in reply.found:
            turn = turns[one.number - 1]
            candidate = candidate_of(one.statement, language, _IMPORTANCE, turn.at)
            found.append((_number(turn), candidate))
        answered = {one.number for one in reply.found} | set(reply.nothing)
        return (found, {_number(turns[n - 1]) for n in answered}), len(some)

    def compress_day(self, events: Sequence[Event]) -> Sequence[tuple[Candidate, Event]] | None:
        told = [event for event in events if event.summary]
        if not told or not self.thorough:  # what the rules left of it, it was asked already
            return ()
        language = language_of("\n".join(event.summary for event in told))
        summaries = [event.summary for event in told]
        reply = self._ask(lambda: tasks.compress_day(self._model, summaries, language))
        if reply is None:
            return None
        return [
            (candidate_of(one.statement, language, _IMPORTANCE, event.at), event)
            for one in reply.found
            for event in [told[one.number - 1]]
        ]

    def portrait(self, core: Sequence[Record], changes: Sequence[Change]) -> str:
        if not core or not self.thorough:
            return ""
        entries = [one.content for one in core]
        language = language_of("\n".join(entries))
        changed = [one.record.content for one in changes]
        return self._ask(lambda: tasks.portrait(self._model, entries, changed, language)) or ""

    def afterwards(self, changed: Iterable[Record], now: datetime) -> None:
        facts = [one for one in changed if one.kind == "fact" and one.state == "active"]
        # Only the owner's word settles what was supposed.
        self._weigh_beliefs([one for one in facts if is_own(one.trust)], now)
        if self.thorough:
            for agent, theirs in themes.by_agent(facts):
                with self._store.writing_as(agent):
                    touched = [
                        (theme, themes.summary_of(self._store, theme))
                        for one in theirs
                        for theme in themes.all_themes(self._store, one)
                    ]
                for summary in dict(touched).values():
                    self._reword(summary, now)

    def _weigh_beliefs(self, facts: Sequence[Record], now: datetime) -> None:
        """Ask about beliefs that the rules found nothing to say about."""
        pairs = ((belief, fact) for fact in facts for belief in self._beliefs_near(fact))
        for belief, fact in islice(pairs, WEIGHED):
            verdict = self._verdict(belief.content, fact.content)
            if verdict in ("confirm", "deny"):
                self._settle_belief(belief, verdict, now)

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
        return self._ask(lambda: tasks.weigh_belief(self._model, belief, fact, language))

    def _reword(self, summary: Record | None, now: datetime) -> None:
        """A summary in better words than those of its facts, one after the other."""
        if summary is None or summary.updated_at != now:
            return
        facts = [one.content for id in summary.derived_from if (one := self._store.get(id))]
        language = language_of(summary.content)
        text = self._ask(lambda: tasks.summarise(self._model, facts, language))
        if text and text != summary.content:
            with self._store.writing():
                kept = self._store.get(summary.id)
                if kept is not None and kept.version == summary.version:
                    self._store.update(summary.id, None, "reworded", now, {"content": text})

    def _ask(self, question: Callable[[], Reply[T]]) -> T | None:
        """The answer; None where there is none, or no tokens are left for it."""
        if self._down:
            return None  # a moment ago it did not answer
        try:
            reply = question()
        except ModelError as error:
            self.tokens += error.tokens_in + error.tokens_out
            if not isinstance(error, SpentModelError):
                self.problem = error.localized()[0]
                self._down = not isinstance(error, BadReplyError)
            return None
        self.tokens += reply.tokens_in + reply.tokens_out
        return reply.value


_IMPORTANCE = 0.5
"""Of what a model reads whole, which no rule has weighed."""


class StoreBook:
    """The ledger in the store; each entry is on disk at once, because it was spent."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def spend(self, day: str, phase: str, tokens_in: int, tokens_out: int) -> None:
        with self._store.writing():
            self._store.desk.spend(day, phase, tokens_in, tokens_out)

    def spent(self, day: str) -> int:
        return self._store.desk.spent(day)


def _before(said: Said) -> str:
    return said.before[-1].content if said.before else ""


def _may_touch(belief: Record, fact: Record) -> bool:
    same = belief.agent == fact.agent  # what one agent is told settles nothing of another
    return same and bool(gist(belief.content).words & gist(fact.content).words)


def _session_of(turn: Turn) -> str:
    return turn.session


def _number(turn: Turn) -> int:
    return int(turn.ref[2:])
