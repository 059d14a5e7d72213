"""Consolidation: conversations become knowledge, in seven phases.

    1  segment      cuts what was said into fragments, segments and events
    2  read         what it says, as sentences that stand alone
    3  ask          a model about what was not understood, where one is set
    4  reconcile    adds, updates, supersedes, retracts; summaries, entities
    5  decay        archives what faded, lifts what was used
    6  index        keywords of what changed, vectors of what has none
    7  snapshot     what a conversation starts with

Phases 1 to 4 go through a batch of turns at a time; each of them is one transaction that also notes
which phase is next. The others may be done twice. So a run goes on where the last was cut short.
What passes from phase to phase is in the work log.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from itertools import groupby, islice, pairwise
from operator import attrgetter
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from loxodon.clock import to_stored
from loxodon.consolidate import compress, decay, doubts, themes
from loxodon.consolidate.keep import Keeper, learned_from, record_of
from loxodon.consolidate.pages import renewed_snapshots
from loxodon.consolidate.read import Asking, Candidate, ModelAnswer, fragments_of, read
from loxodon.consolidate.schedule import CRON, MOST_ATTEMPTS, has_come
from loxodon.consolidate.segment import PAUSE, events_of, number, said_in, segments
from loxodon.errors import ConsolidationError, LoxodonError, StoreError, UnreachableStoreError
from loxodon.guard import provenance, quarantine
from loxodon.language.statements import CONTEXT, Fragment, PriorTurn, TurnInContext
from loxodon.language.worth import judge, judge_all
from loxodon.store import clock_check
from loxodon.text.bounds import CLOSELY, tame
from loxodon.types import CAPTURED, NOTHING, Event, Record, Segment, Turn

if TYPE_CHECKING:
    from loxodon.consolidate.model_reading import ModelReader
    from loxodon.opening import OpenSpace

PHASES = 7
BATCH = 100  # Turns in hand at a time, and what follows in the same talk
_MOST = 1_000  # up to so many; always so many where a model is asked
_THOROUGH = 60  # where it reads all of them: the next see what was learned from these
_RECONCILED = 5  # The phase that follows once what is in hand has become memories
_INDEXED = 2_000
_ASKED = 3  # Times that a model is asked about a piece it says nothing believable about
_RUN = attrgetter("attempts", "last_run")  # Of the work log: what no two runs have in common

T = TypeVar("T")
# Called with the phase that begins, how many turns are done and how many there are
OnPhase = Callable[[int, int, int], None] | None


class Consolidated(NamedTuple):
    """What a consolidation did."""

    ran: bool
    reason: str  # why it ran, or why not
    turns: int = 0
    counts: Mapping[str, int] = NOTHING  # by change: `added`, `superseded`, `archived`, …
    seconds: Mapping[int, float] = NOTHING  # what each phase took
    tokens: int = 0  # that a model took
    problem: str = ""  # why the model could not be asked, where it could not
    views: str = ""  # why the text views could not be written, where they could not
    clock_doubted_until: datetime | None = None  # it has jumped: nothing was archived for its age
    model: Asking | None = None  # None without a model


class TakenOverError(Exception):
    """Another run has begun, and goes on with what this one had in hand."""


class Run:
    """One consolidation of one space. Whoever calls holds the lock between runs."""

    def __init__(
        self,
        space: OpenSpace,
        now: datetime,
        model: ModelReader | None,
        embed: Callable[[], int],
        on_phase: OnPhase = None,
        force: bool = False,
    ) -> None:
        self._space, self._store, self._worklog = space, space.store, space.store.worklog
        self._now, self._model, self._embed, self._on_phase = now, model, embed, on_phase
        self._force, self._thorough = force, model is not None and model.thorough
        self._counts: Counter[str] = Counter()
        self._seconds: Counter[int] = Counter()
        self._failed: dict[int, tuple[str, str]] = {}
        self._aside: set[int] = set()
        self._patient = False
        self._changed: set[str] = set()
        self._turns = 0
        self._held: datetime | None = None
        self._begun_as: tuple[object, ...] = ()
        first = (self._segment, self._read, self._ask, self._reconcile)
        self._phases = (*first, self._decay, self._index, self._snapshot)

    def all(self, reason: str) -> Consolidated:
        """Every phase for all that is pending; the daily work, and the weekly where it is due or
        the reason, before the indexes and the snapshot, which tell of it."""
        with self._begun():
            self._learn()
            if not self._turns:  # what waits is asked about also when nothing new was said
                self._ask_again()
            if not self._held:  # else no day or week is over by this clock
                self._counts += compress.daily(self._store, self._now)
                last = None if reason == "weekly" else self._worklog.work().weekly_at
                if has_come(CRON["weekly"], last, self._now, self._space.zone):
                    self._counts += compress.weekly(self._store, self._now, self._model)
            for phase in range(max(_RECONCILED, self._worklog.work().phase), PHASES + 1):
                self._set(phase=phase)
                self._do(phase)
            self._follow_up()
        return self._outcome(reason, phase=0, attempts=0, last_success=self._now)

    def flush(self) -> Consolidated:
        """Phases 1 to 4 and 6 for all that is pending; the rest waits for the nightly run."""
        work = self._worklog.work()
        if work.phase >= _RECONCILED:  # one of those was cut short
            return self.all("flush")
        if not work.phase and not self._store.scalar("count_pending", work.done_to):
            return Consolidated(False, "nothing is pending")
        self._patient = True
        return self._between_nights("flush", self._learn)

    def decide(self) -> Consolidated:
        """Make memories of what a model decides about what waits, where nothing is in hand."""
        if self._worklog.work().phase:
            return Consolidated(False, "not due")
        return self._between_nights("undecided", self._ask_again)

    def _between_nights(self, reason: str, learn: Callable[[], None]) -> Consolidated:
        with self._begun():
            learn()
            self._set(phase=6)
            self._do(6)
            self._follow_up()
        return self._outcome(reason, phase=0, attempts=0)

    def only(self, phase: int) -> Consolidated:
        """One phase by itself; of 1 to 4, with those before it that are still to be done."""
        with self._begun():
            first, pending = phase, True
            if phase < _RECONCILED:
                begun = 0 < self._worklog.work().phase < _RECONCILED
                pending = begun or self._take_up(self._store.scalar("last_turn"))
                first = self._worklog.work().phase
            for one in range(first, phase + 1) if pending else ():
                self._do(one)
            if phase == 6:
                self._counts["embedded"] += self._embed()
        return self._outcome("asked for" if pending else "nothing is pending", attempts=0)

    def _follow_up(self) -> None:
        """Embed what is new, and ask whether what it seems to replace still holds."""
        self._counts["embedded"] += self._embed()
        self._counts["doubted"] += doubts.ask(self._store, sorted(self._changed), self._now)

    @contextmanager
    def _begun(self) -> Iterator[None]:
        """One attempt; if it fails, `status` can say why."""
        with self._store.writing():
            work = self._worklog.work()
            if work.attempts >= MOST_ATTEMPTS and not self._force:
                message = "consolidation failed {n} times: {reason}"
                hint = "retry with `loxodon consolidate --force`; no messages are lost"
                why = work.error or "it was interrupted"
                raise ConsolidationError(message, hint=hint, n=work.attempts, reason=why)
            attempts = work.attempts + 1
            self._worklog.set_work(work._replace(attempts=attempts, last_run=self._now, error=""))
            self._begun_as = _RUN(self._worklog.work())
        if work.phase or work.attempts:  # what a run has learned that was cut short is still new
            last, latest = work.last_success, self._store.find(doubts.FACTS, doubts.MOST)
            self._changed |= {one.id for one in latest if not last or one.created_at >= last}
        failed = self._store.query_as(Fragment, "fragments", "failed", -1)
        self._aside = {one.turn for one in failed}
        try:
            self._held = clock_check.look(self._store, self._now)
            yield
        except TakenOverError:
            raise
        except (KeyboardInterrupt, UnreachableStoreError):  # which is no failed attempt
            with suppress(StoreError, TakenOverError):
                self._set(attempts=max(0, self._worklog.work().attempts - 1))
            raise
        except Exception as error:
            text = error.localized("en")[0] if isinstance(error, LoxodonError) else repr(error)
            with suppress(StoreError, TakenOverError):  # a full disk has no room for this either
                self._set(error=text[:500])
            raise

    @contextmanager
    def _writing(self, **work: Any) -> Iterator[None]:
        """A transaction that also notes `work`, unless another run has begun: the lock can be lost
        with a connection."""
        with self._store.writing():
            if _RUN(self._worklog.work()) != self._begun_as:
                raise TakenOverError
            yield
            if work:
                self._worklog.set_work(self._worklog.work()._replace(**work))

    def _learn(self) -> None:
        """Phases 1 to 4 for all that was said before this run began."""
        upto = self._store.scalar("last_turn")
        while True:
            for phase in range(self._worklog.work().phase or _RECONCILED, _RECONCILED):
                self._do(phase)
            if not self._take_up(upto):
                return

    def _ask_again(self) -> None:
        """Phases 3 and 4 for what waits for a model, where nothing is in hand."""
        if self._model:
            self._set(phase=3, upto=self._worklog.work().done_to)
            self._do(3)
            self._do(4)

    def _take_up(self, upto: int) -> bool:
        """Take the next turns up to number `upto` in hand; whether there are any."""
        done_to, most = self._worklog.work().done_to, _THOROUGH if self._thorough else _MOST
        turns = self._store.query_turns("turns_after", done_to, upto, most)
        if not turns and not self._store.scalar("count_fragments", "again"):
            return False
        least = _MOST if self._model else BATCH  # what a model is asked first is the best of many
        # What follows in the same talk, or on the same day, may be one segment or event with it
        ends = (
            a
            for a, b in islice(pairwise(turns), least - 1, None)
            if a.session != b.session or (b.at - a.at > PAUSE and a.at.date() != b.at.date())
        )
        self._set(upto=number(next(ends, turns[-1])) if turns else done_to, phase=1)
        return True

    def _do(self, phase: int) -> None:
        started = perf_counter()
        if self._on_phase:
            self._on_phase(phase, self._worklog.work().done_to, self._store.scalar("last_turn"))
        self._phases[phase - 1]()
        self._seconds[phase] += perf_counter() - started  # type: ignore[assignment]
        if phase >= _RECONCILED and self._worklog.work().phase == phase:
            self._set(phase=(phase + 1) % (PHASES + 1))

    def _set(self, **values: Any) -> None:
        with self._writing(**values):
            pass

    def _outcome(self, reason: str, **values: object) -> Consolidated:
        self._set(**values)
        for stage in ("waiting", "failed"):
            self._counts[stage] = self._store.scalar("count_fragments", stage)
        counts = {name: n for name, n in sorted(self._counts.items()) if n}
        seconds = {phase: round(s, 4) for phase, s in sorted(self._seconds.items())}
        done = Consolidated(
            True, reason, self._turns, counts, seconds, clock_doubted_until=self._held
        )
        if self._model is None:
            return done
        report, problem = self._model.report, self._model.problem
        return done._replace(tokens=sum(report.tokens.values()), problem=problem, model=report)

    def _segment(self) -> None:
        turns = [one for one in self._in_hand() if self._safely(one, said_in, one) is not None]
        # In one go, which is faster than sentence by sentence
        judge_all(one.text for turn in turns for one in said_in(turn) if one.own)
        talks = [self._talk(session, said) for session, said in _by_session(turns)]
        fragments: list[Fragment] = []
        again = self._hear(self._store.query_turns("turns_to_read_again", _MOST))
        for turn in filter(provenance.speaks_for_user, (*again, *turns)):
            fragments += self._safely(turn, fragments_of, number(turn), turn.content) or ()
        with self._writing(phase=2):
            self._worklog.let_go(map(number, again))
            for cuts, instead_of, events in talks:
                self._worklog.put_segments(cuts, instead_of)
                self._store.execute_many("put_event", events)
            self._store.execute_many("cut_fragment", fragments)
            self._put_aside()
        self._turns += len(turns) + len(again)

    def _talk(
        self, session: str, turns: Sequence[Turn]
    ) -> tuple[list[Segment], list[int], list[Event]]:
        """The segments of a session's new turns, the numbers of those they take the place of, and
        events."""
        cuts, first = segments(turns), number(turns[0])
        events, replaced = events_of(cuts, self._space.count), []
        for last in self._store.query_as(Segment, "last_segment", session):
            goes_on = last.last_turn < first and abs(turns[0].at - last.ended_at) <= PAUSE
            # One that is very long is left as it is: each run would have to read all of it again.
            if goes_on and last.last_turn - last.first_turn < _MOST:
                before = self._store.query_turns("turns_from", session, last.first_turn, first - 1)
                cuts, replaced = segments([*self._hear(before), *turns]), [last.no]
        return [one.kept for one in cuts], replaced, events

    def _read(self) -> None:
        turns = {number(turn): turn for turn in self._in_hand()}
        before = self._context([*turns.values()], self._worklog.work().done_to)
        known: dict[str, dict[str, str]] = {}
        found: list[tuple[int, Candidate]] = []
        taken_back: list[int] = []
        left: list[Fragment] = []
        cut = self._store.query_as(Fragment, "fragments", "cut", -1)
        for no, pieces in groupby(cut, key=attrgetter("turn")):
            fragments, turn, (lines, last) = [*pieces], turns[no], before[no]
            if turn.agent not in known:
                known[turn.agent] = self._worklog.aliases(turn.agent)
            text = tame(turn.content, CLOSELY)
            said = TurnInContext(text, turn.at, fragments, lines, known[turn.agent])
            if (told := self._safely(turn, read, said)) is None:
                continue
            if told.takes_back and last:
                found = [one for one in found if one[0] != last]
                taken_back.append(last)
            for candidate in told.candidates:
                what = candidate.statement
                for mention in what.mentions:
                    if mention.aliases:
                        names = (mention.name, *mention.aliases)
                        known[turn.agent] |= dict.fromkeys(names, mention.name)
                if turn.origin == "relayed":
                    words = [one.text for one in fragments if one.n in what.fragments]
                    about = what.category, what.attribute, what.subject
                    vouched = provenance.is_users_statement(*about, words)
                    candidate = candidate._replace(vouched=vouched)
                found.append((no, candidate))
            left += [one for one in fragments if self._thorough or one.n in told.doubtful]
        if self._model:  # else they are judged when there is one to be asked
            judge_all(one.text for one in left)
        with self._writing(phase=3):
            # Retract what earlier runs learned from turns that were not meant, and only from these
            for record in learned_from(self._store, taken_back):
                self._retract(record)
            self._store.execute_many("put_candidate", [(no, one.to_json()) for no, one in found])
            self._put_aside()
            worth = [judge(one.text).keep if self._model else 0.0 for one in left]
            waiting = [(keep, one.turn, one.n) for keep, one in zip(worth, left, strict=True)]
            self._store.execute_many("wait", waiting)
            self._store.execute("drop_cut_fragments")

    def _context(
        self, turns: Sequence[Turn], done_to: int
    ) -> dict[int, tuple[list[PriorTurn], int]]:
        """The talk before each turn, and the number of the user's turn before it, by number."""
        found: dict[int, tuple[list[PriorTurn], int]] = {}
        for session, said in _by_session(turns):
            first, query = number(said[0]), self._store.query_turns
            before = self._hear(query("turns_before", session, first, CONTEXT))
            if first <= done_to:  # read again: others have said something between them
                said = self._hear(query("turns_from", session, first, number(said[-1])))
            lines: list[PriorTurn] = []
            last = 0
            for turn in (*before, *said):
                found[number(turn)] = lines[-CONTEXT:], last
                last = number(turn) if turn.role == "user" else last
                if provenance.is_context(turn):
                    lines.append(PriorTurn(turn.role, tame(turn.content, CLOSELY), turn.at))
        return found

    def _ask(self) -> None:
        asked = ModelAnswer()
        if self._model:
            asked = self._model.read(self._in_hand(), self._hear, patient=self._patient)
        with self._writing(phase=4):  # what it decided takes the place of what the rules read
            self._store.execute_many("drop_candidate", [(no,) for no in asked.dropped])
            found = [(no, one.to_json()) for no, one in asked.found]
            self._store.execute_many("put_candidate", found)
            self._store.execute_many("drop_waiting", asked.settled)
            self._store.execute_many("put_off", asked.in_vain)
            self._store.execute("drop_asked_fragments", _ASKED)
            for record in asked.taken_back:
                if (kept := self._store.get(record.id)) and kept.version == record.version:
                    self._retract(kept)

    def _retract(self, record: Record) -> None:
        self._store.update(record.id, None, "retracted", self._now, {"state": "archived"})
        self._counts["retracted"] += 1

    def _reconcile(self) -> None:
        rows = [row for row in self._store.query("candidates") if row[1] not in self._aside]
        turns = self._store.turns([turn for _, turn, _ in rows])
        staged = [(Candidate.from_json(body), turn) for _, turn, body in rows]
        # Agent by agent, so that the walls between them are moved as seldom as can be.
        staged.sort(key=lambda one: (turns[one[1]].agent, one[0].said_at, one[1]))
        new = [(one, record_of(one, turns[no], self._now)) for one, no in staged]
        tentative = [record for one, record in new if one.statement.tentative]
        beside = [record for one, record in new if not one.statement.tentative]
        replacing = doubts.replacing(self._store, tentative, beside)  # long before others must wait
        keeper = Keeper(self._store, self._now, self._was_forgotten, replacing)

        def take(candidate: Candidate, turn: Turn) -> None:
            with self._store.writing():  # by itself: one that fails leaves nothing behind
                keeper.take(candidate, turn)

        with self._writing(phase=_RECONCILED, done_to=self._worklog.work().upto):
            for agent, theirs in groupby(staged, key=lambda one: turns[one[1]].agent):
                with self._store.writing_as(agent):
                    for candidate, no in theirs:
                        self._safely(turns[no], take, candidate, turns[no])
            changed = list(keeper.changed.values())
            renewed = themes.renew(self._store, changed, self._now)
            self._store.execute("drop_candidates")
            self._put_aside()
        self._counts += keeper.counts + Counter(summaries=len(renewed))
        self._changed |= keeper.changed.keys()
        if self._model:
            self._model.afterwards(changed, renewed, self._now)

    def _was_forgotten(self, record: Record, at: datetime) -> bool:
        """Whether a memory restates something that was forgotten after it was said."""
        marks = self._space.forgotten()
        return marks is not None and marks.cut(record.content, to_stored(at)[0]) != record.content

    def _decay(self) -> None:
        with self._writing():
            if not self._held:
                self._counts += decay.lift(self._store, self._now)
                self._counts += decay.let_go(self._store, self._now)
            # What faded, or a person edited or archived, is no longer told by a summary.
            last = self._store.query_records("last_changed", _INDEXED)
            others = [one for one in last if one.id not in self._changed]
            self._counts["summaries"] += len(themes.renew(self._store, others, self._now))

    def _index(self) -> None:
        done = _INDEXED
        while done == _INDEXED:
            with self._writing():
                done = self._worklog.index(_INDEXED)
                self._counts["indexed"] += done

    def _snapshot(self) -> None:
        space = self._space
        pages = renewed_snapshots(self._store, space.config, self._now, space.count)
        with self._writing():
            for page in pages:
                self._worklog.put_page(*page, self._now)
            self._counts["snapshots"] += len(pages)

    def _safely(self, turn: Turn, rules: Callable[..., T], *given: Any) -> T | None:
        """What the rules make of a turn; None for one they cannot deal with, which is put aside."""
        try:
            return rules(*given)
        except StoreError:
            raise
        except Exception as error:  # any text is possible, and so is any mistake in a rule
            self._failed[number(turn)] = (turn.content, repr(error))
            return None

    def _put_aside(self) -> None:
        for turn, (text, error) in self._failed.items():
            self._store.execute("drop_fragments", turn)
            self._store.execute("fail_turn", turn, text, error)
        self._aside |= self._failed.keys()
        self._failed.clear()

    def _in_hand(self) -> list[Turn]:
        work = self._worklog.work()
        again = self._store.query_turns("turns_being_read_again", work.done_to)
        turns = [*again, *self._store.query_turns("turns_after", work.done_to, work.upto, -1)]
        return self._hear([turn for turn in turns if turn.channel != CAPTURED])

    def _hear(self, turns: Sequence[Turn]) -> list[Turn]:
        """Turns as they may be read, without those that were put aside."""
        left = [turn for turn in turns if number(turn) not in self._aside]
        return quarantine.read(self._store, left)


def _by_session(turns: Sequence[Turn]) -> Iterator[tuple[str, list[Turn]]]:
    found: dict[str, list[Turn]] = {}
    for turn in turns:
        found.setdefault(turn.session, []).append(turn)
    yield from found.items()
