"""Consolidation: conversations become knowledge, in seven phases.

    1  fragments and segments     what was said, cut
    2  reading                    what it says, as sentences that stand alone
    3  asking                     a model about what was not understood, where one is set
    4  keeping the store right    added, updated, superseded, retracted; summaries, entities
    5  strength                   what faded is archived, what was used is lifted
    6  indexes                    keywords of what changed, vectors of what has none
    7  snapshot                   what a conversation starts with

Every phase is one transaction that also notes which phase is next (the sixth, where very much has
changed, several of 2,000 memories each): a run that is killed leaves whole phases behind it, and
the next goes on at the one that was cut short. What passes from phase to phase is in the work
log (`WorkLog`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime, tzinfo
from itertools import groupby
from time import perf_counter
from typing import NamedTuple, ParamSpec, TypeVar

from loxodon.config import Config
from loxodon.consolidate import compress, decay, themes
from loxodon.consolidate.attempt import Attempt
from loxodon.consolidate.denoise import Sentence
from loxodon.consolidate.events import events_of
from loxodon.consolidate.extract import Candidate, fragments_of, judge_together, read, rules_for
from loxodon.consolidate.keep import IsForgotten, Keeper
from loxodon.consolidate.passages import from_json, to_json
from loxodon.consolidate.residue import Asking, ModelAnswer, Residue
from loxodon.consolidate.schedule import has_come
from loxodon.consolidate.segment import PAUSE, segments
from loxodon.consolidate.segment import TurnSegment as Cut
from loxodon.consolidate.segment import said_in as sentences_in
from loxodon.consolidate.snapshot import renewed_snapshots
from loxodon.errors import LoxodonError, StoreError, UnreachableStoreError
from loxodon.guard import provenance, quarantine
from loxodon.guard.instructions import found_in
from loxodon.guard.provenance import is_users_statement
from loxodon.language.statements import CONTEXT, Fragment, PriorTurn, TurnInContext
from loxodon.language.worth import judge, judge_all
from loxodon.store import Work, clock_check
from loxodon.store.clock_check import Doubted
from loxodon.store.store import Store
from loxodon.text.bounds import CLOSELY, tame
from loxodon.text.steps import counted
from loxodon.tokens import Counter as TokenCounter
from loxodon.types import CAPTURED, NOTHING, Event, Record, Segment, Turn

PHASES = 7
BATCH = 1_000  # Turns in hand at a time
# What may be done for one message at a time (see `text.steps`): 300 times what the longest of the
# labelled cases takes, three times what any message takes that `text.bounds` has shortened
MOST_STEPS = 2_000_000
_AFTER = 5  # The phase that follows once what is in hand has become memories
_INDEXED = 2_000
_ASKED = 3  # Times that a model is asked about a piece it says nothing believable about

P = ParamSpec("P")
T = TypeVar("T")
# Does what turns ask to have forgotten; how many ask
Obey = Callable[[Sequence[Turn], datetime], int]
# Called with the phase that begins, how many turns are done and how many there are
OnPhase = Callable[[int, int, int], None]


class Consolidated(NamedTuple):
    """What a consolidation did."""

    ran: bool
    reason: str  # why it ran, or why not
    turns: int = 0
    # by change: `added`, `updated`, `superseded`, `archived`, …
    counts: Mapping[str, int] = NOTHING
    seconds: Mapping[int, float] = NOTHING  # what each phase took
    tokens: int = 0  # that a model took
    problem: str = ""  # why the model could not be asked, where it could not
    views: str = ""  # why the text views could not be written, where they could not
    held: Doubted | None = None  # set if the clock is doubted: nothing was archived or compressed
    model: Asking | None = None  # None without a model


class _Context:
    """What was said before each of the turns in hand, and what that has told."""

    def __init__(
        self,
        turns: Sequence[Turn],
        store: Store,
        hear: Callable[[Sequence[Turn]], Sequence[Turn]],
        done_to: int,
    ) -> None:
        self._store = store
        self._known: dict[str, dict[str, str]] = {}
        self._lines: dict[int, tuple[list[PriorTurn], int]] = {}
        self._last: dict[int, int] = {}
        for session, said in by_session(turns):
            before = hear(store.query_turns("turns_before", session, number(said[0]), CONTEXT))
            lines: list[PriorTurn] = []
            last = 0
            if number(said[0]) <= done_to:  # read again: others have said something between them
                said = [
                    *hear(
                        store.query_turns("turns_from", session, number(said[0]), number(said[-1]))
                    )
                ]
            for turn in (*before, *said):
                self._lines[number(turn)] = lines, len(lines)
                self._last[number(turn)] = last
                last = number(turn) if turn.role == "user" else last
                if provenance.is_context(turn):
                    lines.append(PriorTurn(turn.role, tame(turn.content, CLOSELY), turn.at))

    def before(self, turn: Turn) -> list[PriorTurn]:
        """The turns before one of its session."""
        lines, n = self._lines[number(turn)]
        return lines[max(0, n - CONTEXT) : n]

    def said_last(self, turn: Turn) -> int:
        """The number of the user's turn before one; 0 where there is none."""
        return self._last.get(number(turn), 0)

    def known(self, turn: Turn) -> dict[str, str]:
        """Who goes by other names, as far as the agent of a turn knows."""
        if turn.agent not in self._known:
            self._known[turn.agent] = self._store.worklog.aliases(turn.agent)
        return self._known[turn.agent]

    def add(self, turn: Turn, read: Sequence[Candidate]) -> None:
        known = self.known(turn)
        for one in read:
            for mention in one.statement.mentions:
                if mention.aliases:
                    known |= dict.fromkeys((mention.name, *mention.aliases), mention.name)


class TakenOverError(Exception):
    """Another run has begun, and goes on with what this one had in hand."""


class Run:
    """One consolidation of one store. Whoever calls holds the lock between runs."""

    def __init__(
        self,
        store: Store,
        config: Config,
        now: datetime,
        count: TokenCounter,
        residue: Residue,
        attempt: Attempt,
        on_phase: OnPhase | None = None,
        embed: Callable[[], int] = lambda: 0,
        zone: tzinfo | None = None,
        is_forgotten: IsForgotten | None = None,
    ) -> None:
        self._store = store
        self._is_forgotten = is_forgotten
        self._worklog = store.worklog
        self._config = config
        self._now = now
        self._count = count
        self._residue = residue
        self._attempt = attempt
        self._embed = embed
        self._zone = zone
        self._on_phase = on_phase or (lambda phase, done, total: None)
        self._counts: Counter[str] = Counter()
        self._seconds: dict[int, float] = {}
        self._failed: dict[int, tuple[str, str]] = {}
        self._aside: set[int] = set()
        self._patient = False
        self._summed_up: set[str] = set()
        self._turns = 0
        self._held: Doubted | None = None
        self._signed: tuple[object, ...] = ()

    def all(self, reason: str) -> Consolidated:
        """Every phase for all that is pending, then the daily and weekly work that is due.

        What is said while it runs waits for the next run, so that each comes to an end.
        """
        with self._begun():
            upto = self._store.scalar("last_turn")
            self._go_on()
            while self._take_up(upto):
                self._go_on()
            if not self._turns:
                self._ask_again()
            for phase in range(max(_AFTER, self._worklog.work().phase), PHASES + 1):
                self._set(phase=phase)
                self._one(phase)
            self._compress()
            self._counts["embedded"] += self._embed()  # last, for what compressing made too
        self._set(phase=0, attempts=0, last_success=self._now)
        return self._outcome(reason)

    def flush(self, reason: str) -> Consolidated:
        """What was just said becomes known: phases 1 to 4 and 6, for all that is pending.

        The rest waits for the nightly run. One of these that was cut short is brought to its end.
        """
        if self._worklog.work().phase >= _AFTER:
            return self.all(reason)
        self._patient = True
        with self._begun():
            upto = self._store.scalar("last_turn")
            self._go_on()
            while self._take_up(upto):
                self._go_on()
            self._set(phase=6)
            self._one(6)
            self._counts["embedded"] += self._embed()
        self._set(phase=0, attempts=0)
        return self._outcome(reason)

    def week(self) -> Consolidated:
        """The weekly work by itself."""
        with self._begun():
            if not self._held:
                self._counts += compress.weekly(self._store, self._now, self._residue)
        self._set(attempts=0)
        return self._outcome("weekly")

    def undecided(self) -> Consolidated:
        """Ask once more about what waits for a model; nothing else."""
        with self._begun():
            self._ask_again()
            if self._worklog.work().phase:
                self._set(phase=6)
                self._one(6)
        self._set(phase=0, attempts=0)
        return self._outcome("undecided")

    def only(self, phase: int) -> Consolidated:
        """One phase by itself: 1 takes turns up, 2 to 4 go on with what is in hand."""
        with self._begun():
            pending = phase != 1 or self._take_up(self._store.scalar("last_turn"))
            if pending:
                self._one(phase)
            if phase == 6:
                self._counts["embedded"] += self._embed()
        self._set(attempts=0)
        return self._outcome("asked for" if pending else "nothing is pending")

    # The course of a run

    @contextmanager
    def _begun(self) -> Iterator[None]:
        """One attempt; if it fails, `status` can say why."""
        with self._store.writing():
            attempts = self._worklog.work().attempts + 1
            self._sign(attempts=attempts, last_run=self._now, error="")
        self._give_up(self._attempt.fatal)
        self._aside = {one.turn for one in self._worklog.fragments("failed")}
        try:
            self._held = clock_check.look(self._store, self._now)
            yield
            self._attempt.done()
        except TakenOverError:
            raise
        except KeyboardInterrupt:  # somebody wants it to stop: that is no failed attempt
            self._take_back_attempt()
            raise
        except UnreachableStoreError:  # nor is it one where the database went away
            self._attempt.done()
            self._take_back_attempt()
            raise
        except Exception as error:
            self._attempt.done()  # it says why, and that is no message's doing
            text = error.localized("en")[0] if isinstance(error, LoxodonError) else repr(error)
            # A full disk has no room for this either.
            with suppress(StoreError, TakenOverError):
                self._set(error=text[:500])
            raise
        finally:
            self._attempt.close()

    def _take_back_attempt(self) -> None:
        with suppress(StoreError, TakenOverError):
            self._set(attempts=max(0, self._worklog.work().attempts - 1))

    def _give_up(self, turn: int) -> None:
        """Put a turn aside over which runs have ended; those say nothing against the next."""
        for no, one in self._store.turns([turn]).items() if turn else ():
            with self._writing():
                self._worklog.fail_turn(no, one.content, "runs were cut short while they read it")
                self._sign(attempts=1)

    def _sign(self, **values: object) -> None:
        """Note in a transaction that it is this run that works, and how it stands."""
        self._worklog.set_work(self._worklog.work()._replace(**values))  # type: ignore[arg-type]
        self._signed = _signature(self._worklog.work())

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """A transaction of this run.

        The lock between runs can be lost, with the connection to a server. Where another run has
        begun since, a TakenOverError: it goes on with what is in hand.
        """
        with self._store.writing():
            if _signature(self._worklog.work()) != self._signed:
                raise TakenOverError
            yield

    def _take_up(self, upto: int) -> bool:
        """Take the next turns up to number `upto` in hand; whether there are any."""
        done_to = self._worklog.work().done_to
        turns = self._store.query_turns(
            "turns_after", done_to, upto, self._residue.most_turns or BATCH
        )
        if not turns and not self._store.scalar("count_fragments", "again"):
            return False
        self._set(upto=number(turns[-1]) if turns else done_to, phase=1)
        return True

    def _go_on(self) -> None:
        """Make memories of what is in hand, if anything is."""
        phase = self._worklog.work().phase
        for rest in range(phase, _AFTER) if phase else ():
            self._one(rest)

    def _one(self, phase: int) -> None:
        started = perf_counter()
        done = self._worklog.work().done_to
        self._on_phase(phase, done, self._store.scalar("last_turn"))
        getattr(self, f"_phase_{phase}")()
        self._seconds[phase] = self._seconds.get(phase, 0.0) + perf_counter() - started

    def _set(self, **values: object) -> None:
        with self._writing():
            self._worklog.set_work(self._worklog.work()._replace(**values))  # type: ignore[arg-type]

    def _outcome(self, reason: str) -> Consolidated:
        self._counts["waiting"] = self._store.scalar("count_fragments", "waiting")
        self._counts["failed"] = self._store.scalar("count_fragments", "failed")
        counts = {name: n for name, n in sorted(self._counts.items()) if n}
        seconds = {phase: round(s, 4) for phase, s in sorted(self._seconds.items())}
        return Consolidated(
            True,
            reason,
            self._turns,
            counts,
            seconds,
            self._residue.tokens,
            self._residue.problem,
            held=self._held,
            model=self._residue.report,
        )

    # Phase 1: fragments and segments

    def _phase_1(self) -> None:
        work = self._worklog.work()
        turns = self._in_hand(work)
        talks = [self._talk(session, said) for session, said in by_session(turns)]
        fragments: list[Fragment] = []
        again = self._hear(self._store.query_turns("turns_to_read_again", BATCH))
        for turn in filter(provenance.speaks_for_user, (*again, *turns)):
            fragments += self._read(turn, fragments_of, number(turn), turn.content) or ()
        with self._writing():
            self._worklog.let_go(map(number, again))
            for talk in talks:
                self._worklog.put_segments(talk.segments, talk.instead_of)
                for event in talk.events:
                    self._worklog.put_event(event)
            self._store.execute_many("cut_fragment", fragments)
            self._put_aside()
            self._worklog.set_work(work._replace(phase=2))
        self._turns += len(turns) + len(again)

    def _talk(self, session: str, turns: Sequence[Turn]) -> _Talk:
        """What a session's new turns make, together with the segment that they go on with."""
        cuts = segments(turns, self._sentences)
        events = [*events_of(cuts, self._count), *self._deeds(turns)]
        last = self._worklog.last_segment(session)
        if last is None or not goes_on(last, turns[0]):
            return _Talk([kept_segment(one) for one in cuts], (), events)
        upto = self._store.query_turns("turns_from", session, last.first_turn, number(turns[-1]))
        cuts = segments(self._hear(upto), self._sentences)
        return _Talk([kept_segment(one) for one in cuts], (last.no,), events)

    def _sentences(self, turn: Turn) -> Sequence[Sentence]:
        return self._read(turn, sentences_in, turn) or ()

    def _deeds(self, turns: Sequence[Turn]) -> Iterator[Event]:
        """What the assistant did."""
        for turn in turns:
            if turn.role == "assistant":
                text = tame(turn.content, CLOSELY)
                for deed in self._read(turn, rules_for(text)[1].deeds, text) or ():
                    if found_in(deed, "tool"):
                        continue  # what it says it will always do is no deed
                    yield Event(
                        f"{turn.at:%Y-%m-%d}",
                        turn.at,
                        turn.session,
                        turn.channel,
                        "assistant",
                        deed,
                        0,
                        turn.origin,
                        agent=turn.agent,
                    )

    # Phase 2: reading

    def _phase_2(self) -> None:
        work = self._worklog.work()
        turns = self._in_hand(work)
        context = _Context(turns, self._store, self._hear, work.done_to)
        found: list[tuple[int, Candidate]] = []
        taken_back: list[int] = []
        left: list[Fragment] = []
        cut = list(self._cut(turns))
        judge_together(fragments for _, fragments in cut)
        for turn, fragments in cut:
            text = tame(turn.content, CLOSELY)
            said = TurnInContext(
                text, turn.at, fragments, context.before(turn), context.known(turn)
            )
            if (told := self._read(turn, read, said)) is None:
                continue
            if told.takes_back and (meant := context.said_last(turn)):
                found = [one for one in found if one[0] != meant]
                taken_back.append(meant)
            context.add(turn, told.candidates)
            candidates = told.candidates
            if turn.origin == "relayed":
                candidates = [vouched(one, fragments) for one in candidates]
            found += [(number(turn), one) for one in candidates]
            wanted = self._residue.wants(told, fragments)
            left += [one for one in fragments if one.n in wanted]
        judge_all(one.text for one in left)
        with self._writing():
            # Retract what earlier runs learned from turns that were not meant, and only from these
            drawn = self._store.drawn_from(taken_back)
            rows = [row for found in drawn.values() for row in found]
            for row, record in self._store.records(rows).items():
                if record.state == "active" and len(self._store.sources([row]).get(row, ())) == 1:
                    self._retract(record)
            self._store.execute_many("put_candidate", [(turn, to_json(one)) for turn, one in found])
            self._put_aside()
            self._store.execute_many(
                "wait", [(judge(one.text).keep, one.turn, one.n) for one in left]
            )
            self._store.execute("drop_cut_fragments")
            self._worklog.set_work(work._replace(phase=3))

    # Phase 3: asking

    def _phase_3(self) -> None:
        work = self._worklog.work()
        turns = self._in_hand(work)
        asked = self._residue.read(turns, self._hear, patient=self._patient)
        with self._writing():
            self._take_in(asked)
            self._worklog.set_work(work._replace(phase=4))

    def _ask_again(self) -> None:
        """What waits is asked about also when nothing new was said."""
        work = self._worklog.work()
        asked = self._residue.read((), self._hear)
        if asked == ModelAnswer():
            return
        with self._writing():
            self._take_in(asked)
            self._worklog.set_work(work._replace(phase=4, upto=work.done_to))
        self._one(4)

    def hear(self, turns: Sequence[Turn]) -> list[Turn]:
        """Turns as they may be read and shown."""
        return self._hear(turns)

    def take_answer(self, asked: ModelAnswer) -> Consolidated:
        """Make memories of what somebody else than our model has read of what waits."""
        with self._begun():
            work = self._worklog.work()
            with self._writing():
                self._take_in(asked)
                self._worklog.set_work(work._replace(phase=4, upto=work.done_to))
            self._one(4)
            self._set(phase=6)
            self._one(6)
        self._set(phase=0, attempts=0)
        return self._outcome("answered")

    def _take_in(self, asked: ModelAnswer) -> None:
        """Put what a model decided in the place of what the rules read."""
        self._store.execute_many("drop_candidate", [(no,) for no in asked.dropped])
        self._store.execute_many("put_candidate", [(no, to_json(one)) for no, one in asked.found])
        self._store.execute_many("drop_waiting", asked.settled)
        self._store.execute_many("put_off", asked.in_vain)
        self._store.execute("drop_asked_fragments", _ASKED)
        for record in asked.taken_back:
            kept = self._store.get(record.id)
            if kept is not None and kept.version == record.version:
                self._retract(kept)

    def _retract(self, record: Record) -> None:
        self._store.update(record.id, None, "retracted", self._now, {"state": "archived"})
        self._counts["retracted"] += 1

    # Phase 4: keeping the store right

    def _phase_4(self) -> None:
        work = self._worklog.work()
        staged = [
            (from_json(body), turn)
            for _, turn, body in self._store.query("candidates")
            if turn not in self._aside
        ]
        turns = self._store.turns([turn for _, turn in staged])
        # Agent by agent, so that the walls between them are moved as seldom as can be.
        staged.sort(key=lambda one: (turns[one[1]].agent, one[0].said_at, one[1]))
        keeper = Keeper(self._store, self._now, self._is_forgotten)
        with self._writing():
            for agent, theirs in groupby(staged, key=lambda one: turns[one[1]].agent):
                with self._store.writing_as(agent):
                    for candidate, no in theirs:
                        self._read(turns[no], self._take, keeper, candidate, turns[no])
            keeper.counts["summaries"] += themes.renew(
                self._store, list(keeper.changed.values()), self._now
            )
            self._store.execute("drop_candidates")
            self._put_aside()
            self._worklog.set_work(work._replace(phase=_AFTER, done_to=work.upto))
        self._counts += keeper.counts
        self._summed_up |= keeper.changed.keys()
        self._residue.afterwards(keeper.changed.values(), self._now)

    def _take(self, keeper: Keeper, candidate: Candidate, turn: Turn) -> None:
        with self._store.writing():  # by itself: one that cannot be taken leaves nothing behind
            keeper.take(candidate, turn)

    # Phases 5 to 7

    def _phase_5(self) -> None:
        with self._writing():
            if not self._held:
                self._counts += decay.lift(self._store, self._now)
                self._counts += decay.let_go(self._store, self._now)
            # What faded, or a person edited or archived, is no longer told by a summary.
            others = [
                one
                for one in self._store.query_records("last_changed", _INDEXED)
                if one.id not in self._summed_up
            ]
            self._counts["summaries"] += themes.renew(self._store, others, self._now)
            self._advance(5)

    def _phase_6(self) -> None:
        done = _INDEXED
        while done == _INDEXED:
            with self._writing():
                done = self._worklog.index(_INDEXED)
                self._counts["indexed"] += done
                if done < _INDEXED:
                    self._advance(6)

    def _phase_7(self) -> None:
        rewritten = renewed_snapshots(self._store, self._config, self._now, self._count)
        with self._writing():
            for page in rewritten:
                self._worklog.put_page(*page, self._now)
            self._counts["snapshots"] += len(rewritten)
            self._advance(7)

    def _advance(self, phase: int) -> None:
        """Note that a phase is done, in the transaction in which it was."""
        work = self._worklog.work()
        if work.phase == phase:
            self._worklog.set_work(work._replace(phase=(phase + 1) % (PHASES + 1)))

    def _compress(self) -> None:
        if self._held:  # no day or week is over by this clock
            return
        self._counts += compress.daily(self._store, self._now, self._residue)
        weekly = self._config.schedule.weekly
        if has_come(weekly, self._worklog.work().weekly_at, self._now, self._zone):
            self._counts += compress.weekly(self._store, self._now, self._residue)

    def _read(
        self, turn: Turn, rules: Callable[P, T], *given: P.args, **named: P.kwargs
    ) -> T | None:
        """What the rules make of a turn; None for one that they cannot deal with, or not in
        `MOST_STEPS`.

        That one is put aside: it stops no run, and is not lost.
        """
        self._attempt.at(number(turn))
        try:
            with counted(MOST_STEPS):
                return rules(*given, **named)
        except StoreError:
            raise
        except Exception as error:  # any text is possible, and so is any mistake in a rule
            self._failed[number(turn)] = (turn.content, repr(error))
            return None

    def _put_aside(self) -> None:
        for turn, (text, error) in self._failed.items():
            self._worklog.fail_turn(turn, text, error)
        self._aside |= self._failed.keys()
        self._failed.clear()

    # What the phases look at

    def _in_hand(self, work: Work) -> list[Turn]:
        again = self._store.query_turns("turns_being_read_again", work.done_to)
        turns = [*again, *self._store.query_turns("turns_after", work.done_to, work.upto, -1)]
        return self._hear([turn for turn in turns if turn.channel != CAPTURED])

    def _hear(self, turns: Sequence[Turn]) -> list[Turn]:
        """Turns as they may be read, without those that were put aside."""
        left = [turn for turn in turns if number(turn) not in self._aside]
        return quarantine.read(self._store, left)

    def _cut(self, turns: Sequence[Turn]) -> Iterator[tuple[Turn, list[Fragment]]]:
        """Those of the turns in hand that have fragments, with these, in order."""
        numbered = {number(turn): turn for turn in turns}
        for no, group in groupby(self._worklog.fragments("cut"), key=lambda one: one.turn):
            yield numbered[no], list(group)


class _Talk(NamedTuple):
    """What phase 1 makes of a session's new turns."""

    segments: Sequence[Segment]
    instead_of: Sequence[int]
    events: Sequence[Event]


def vouched(candidate: Candidate, fragments: Sequence[Fragment]) -> Candidate:
    """What was read from a message that a program passed on, as far as the user vouches for it."""
    one = candidate.statement
    said = [fragment.text for fragment in fragments if fragment.n in one.fragments]
    return candidate._replace(
        vouched=is_users_statement(one.category, one.attribute, one.subject, said)
    )


def goes_on(last: Segment, turn: Turn) -> bool:
    """Whether a segment may go on with a turn that came later.

    One that is very long is left as it is: each run would have to read all of it again.
    """
    near = abs(turn.at - last.ended_at) <= PAUSE
    return near and last.last_turn < number(turn) and last.last_turn - last.first_turn < BATCH


def kept_segment(cut: Cut) -> Segment:
    """A segment as the work log keeps it."""
    return Segment(
        cut.session,
        number(cut.turns[0]),
        number(cut.turns[-1]),
        cut.started,
        cut.ended,
        cut.topic,
        cut.tags,
        cut.text,
    )


def _signature(work: Work) -> tuple[object, ...]:
    """What no two runs have in common."""
    return work.attempts, work.last_run


def number(turn: Turn) -> int:
    """The number of a turn in the journal."""
    return int(turn.ref[2:])


def by_session(turns: Sequence[Turn]) -> Iterator[tuple[str, list[Turn]]]:
    """Turns by session, in the order in which the sessions begin."""
    found: dict[str, list[Turn]] = {}
    for turn in turns:
        found.setdefault(turn.session, []).append(turn)
    yield from found.items()
