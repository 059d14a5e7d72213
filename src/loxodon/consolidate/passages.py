"""What waits for a model, as questions for it; and an answer, as what it changes.

What the rules kept in somebody's own words, found doubtful, or dropped as unclear waits in the work
log; what they read of it stands until a model decides. A passage is what of one message waits.
Passages of one agent and one language make a question, each with the talk just before it, the
nearest memories, and what the rules read of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from loxodon.consolidate.read import Candidate, ReadTurn, candidate_of, rules_for
from loxodon.consolidate.reconcile import known_about, known_like, said_at
from loxodon.guard.provenance import is_context, is_users_statement, speaks_for_user
from loxodon.language.statements import Fragment, Statement
from loxodon.language.worth import judge
from loxodon.models.grounding import stands
from loxodon.models.reading import (
    Batch,
    Hint,
    KnownMemory,
    ModelReading,
    PromptMessage,
    ReadItem,
    question,
)
from loxodon.store import Filter
from loxodon.store.store import Store
from loxodon.tokens import cut, estimate
from loxodon.types import NOTHING, Record, Turn

BEFORE = 4  # Messages before a passage that are shown with it
_CONTEXT_TOKENS = 60  # Of one of them
_NEAR = 5  # Memories that are shown for the words of one passage
MOST_KNOWN = 24  # Memories in one question
WHOLE_BATCH = 3_000  # Tokens below which a question is brief: its own words would be most of it

# Turns as they may be read: without what is in quarantine or another's
Hear = Callable[[Sequence[Turn]], Sequence[Turn]]


class Asking(NamedTuple):
    """What a run asked a model, and what that changed."""

    questions: int = 0
    asked: int = 0  # messages, or parts of them, that it was asked about
    decided: int = 0  # those of them that it answered in a way that can be believed
    did: Mapping[str, int] = NOTHING  # answers by kind: `add`, `update`, `end`, `same`, `drop`
    refused: Mapping[str, int] = NOTHING  # what was not believed, by the reason
    tokens: Mapping[str, int] = NOTHING  # by task


class ModelAnswer(NamedTuple):
    """What became of what a model was asked about."""

    found: Sequence[tuple[int, Candidate]] = ()  # what it read, by the number of the turn
    settled: Sequence[tuple[int, int]] = ()  # fragments (turn, n) that are decided now
    dropped: Sequence[int] = ()  # the numbers of candidates of the rules that it did not keep
    taken_back: Sequence[Record] = ()  # the same of what the rules had read in an earlier run
    in_vain: Sequence[tuple[int, int]] = ()  # fragments of which it said nothing believable


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


def wanted(told: ReadTurn, fragments: Sequence[Fragment], thorough: bool) -> set[int]:
    """The numbers of the fragments of a turn that a model should decide."""
    if thorough:
        return {one.n for one in fragments}
    said = [one.statement for one in told.candidates]
    doubtful = [one for one in said if one.quoted or one.tentative or one.confidence < 1]
    return {*told.unclear, *(n for one in doubtful for n in one.fragments)}


def waiting(store: Store, turns: Sequence[Turn], *, thorough: bool) -> list[Passage]:
    """What waits, in the order of the journal; `turns` are those in hand."""
    in_hand = {int(one.ref[2:]): one for one in turns}
    read: dict[int, list[tuple[int, Candidate]]] = {}
    for no, turn, body in store.query("candidates"):
        read.setdefault(turn, []).append((no, Candidate.from_json(body)))
    pieces: dict[int, list[tuple[Fragment, float]]] = {}
    for *row, worth in store.query("waiting"):
        fragment = Fragment(*row)
        worth = worth or judge(fragment.text).keep  # read when there was no model to be asked
        pieces.setdefault(fragment.turn, []).append((fragment, worth))
    known = store.turns([no for no in pieces if no not in in_hand])
    found = []
    for no, group in pieces.items():
        said = in_hand.get(no) or known.get(no)
        if said is None or not speaks_for_user(said):
            continue
        numbers = tuple(one.n for one, _ in group)
        texts = [one.text.strip() for one, _ in group]
        text = ("" if rules_for(texts[0])[0] == "zh" else " ").join(texts)
        ours = [one for one in read.get(no, ()) if {*one[1].statement.fragments} <= {*numbers}]
        learned = tuple(
            one
            for one in (learned_from(store, [no]) if no not in in_hand else ())
            if one.version == 1 and (thorough or not one.attribute or one.kind == "belief")
        )
        worth, language = max(worth for _, worth in group), rules_for(text)[0]
        found.append(Passage(said, no, numbers, text, worth, language, tuple(ours), learned))
    return found


def learned_from(store: Store, turns: Sequence[int]) -> list[Record]:
    """Facts and beliefs that nothing but one of these turns bears out."""
    rows = [row for rows in store.drawn_from(turns).values() for row in rows]
    sources, records = store.sources(rows), store.records(rows)
    alone = [one for row, one in records.items() if len(sources.get(row, ())) == 1]
    return [one for one in alone if one.state == "active" and one.kind != "summary"]


def _stack_of(store: Store, passages: Sequence[Passage], hear: Hear, brief: bool) -> Stack:
    """One question about passages of one agent and one language."""
    lines: list[PromptMessage] = []
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
                lines.append(PromptMessage(text, said.at, said.role, said.speaker, asked=False))
        last[session] = one.no
        line = len(lines)
        placed[line] = one
        read = ((no, made.statement.content) for no, made in one.read)
        hints += [(Hint(line, content), no) for no, content in read if content]
        hints += [(Hint(line, record.content), record) for record in one.learned]
        lines.append(PromptMessage(one.text, one.turn.at, "user", one.turn.speaker))
    known = _known(store, passages, {one.id for some in passages for one in some.learned})[:most]
    batch = Batch(lines, known, [hint for hint, _ in hints], passages[0].language, brief)
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
    gone = [meant for k, meant in enumerate(stack.hints) if _is_dropped(k, stack.batch, reading)]
    asked = [(stack.passages[item.line], item) for item in reading.items if item.do != "drop"]
    made = [(passage.no, _candidate(store, item, passage)) for passage, item in asked]
    return ModelAnswer(
        found=[(no, one) for no, one in made if one is not None],
        settled=[place for decided, place in places if decided],
        dropped=[one for one in gone if not isinstance(one, Record)],
        taken_back=[one for one in gone if isinstance(one, Record)],
        in_vain=[place for decided, place in places if not decided],
    )


def _is_dropped(k: int, batch: Batch, reading: ModelReading) -> bool:
    """Whether a note goes: its message was answered with nothing, it was dropped or told anew."""
    hint = batch.hints[k]
    items = [item for item in reading.items if item.line == hint.line]
    if not items:
        return hint.line in reading.decided
    return any(
        item.hint == k or (item.statement is not None and stands(hint.text, item.words))
        for item in items
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
    statement = item.statement._replace(fragments=passage.numbers, importance=item.importance)
    made = candidate_of(statement, passage.language, at)
    about = (statement.category, statement.attribute, statement.subject)
    return made._replace(
        valid_from=item.since or made.valid_from,
        tags=item.tags,
        does="update" if item.do == "update" else "",
        target=item.target,
        vouched=passage.turn.origin == "relayed" and is_users_statement(*about, [item.words]),
    )
