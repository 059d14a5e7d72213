"""What waits, as questions for whoever reads it; and an answer, as what it changes.

A passage is what of one message waits. Passages of one agent and one language make a question, each
with the talk just before it, the nearest memories, and what the rules read of it. The same is
handed to a model (`model_reading.py`) and to an agent that reads in its place (`consolidation.py`).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from loxodon.consolidate.extract import Candidate, candidate_of, rules_for
from loxodon.consolidate.keep import StoreView
from loxodon.consolidate.reconcile import said_at
from loxodon.consolidate.residue import Hear, ModelAnswer
from loxodon.guard.provenance import is_context, is_users_statement, speaks_for_user
from loxodon.language.statements import Fragment, Mention, Statement
from loxodon.models.grounding import stands
from loxodon.models.reading import (
    Batch,
    Hint,
    KnownMemory,
    ModelReading,
    PromptMessage,
    ReadItem,
    size,
)
from loxodon.store import Filter
from loxodon.store.store import Store
from loxodon.text.sentences import split
from loxodon.tokens import cut, estimate
from loxodon.types import Record, Turn

BEFORE = 4  # Messages before a passage that are shown with it
_CONTEXT_TOKENS = 60  # Of one of them
_NEAR = 5  # Memories that are shown for the words of one passage
MOST_KNOWN = 24  # Memories in one question


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
    in_hand = {_number(one): one for one in turns}
    read: dict[int, list[tuple[int, Candidate]]] = {}
    for no, turn, body in store.query("candidates"):
        read.setdefault(turn, []).append((no, from_json(body)))
    pieces: dict[int, list[tuple[Fragment, float]]] = {}
    for *row, worth in store.query("waiting"):
        fragment = Fragment(*row)
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
        learned = () if no in in_hand else _learned(store, no, thorough)
        worth = max(worth for _, worth in group)
        language = rules_for(text)[0]
        found.append(Passage(said, no, numbers, text, worth, language, tuple(ours), learned))
    return found


def _learned(store: Store, turn: int, thorough: bool) -> tuple[Record, ...]:
    """What was learned from one turn alone, and nobody has touched since; where only what was
    doubtful is asked about, no more than that."""
    rows = store.drawn_from([turn]).get(turn, [])
    sources = store.sources(rows)
    return tuple(
        record
        for row, record in store.records(rows).items()
        if record.state == "active"
        and record.kind != "summary"
        and record.version == 1
        and len(sources.get(row, ())) == 1
        and (thorough or not record.attribute or record.kind == "belief")
    )


def stack_of(store: Store, passages: Sequence[Passage], hear: Hear) -> Stack:
    """One question about passages of one agent and one language."""
    lines: list[PromptMessage] = []
    hints: list[Hint] = []
    meant: list[int | Record] = []
    placed: dict[int, Passage] = {}
    last: dict[str, int] = {}
    for one in passages:
        session = one.turn.session
        lines += [
            PromptMessage(_part(said), said.at, said.role, said.speaker, asked=False)
            for said in hear(store.query_turns("turns_before", session, one.no, BEFORE))
            if _number(said) > last.get(session, 0) and is_context(said)
        ]
        last[session] = one.no
        placed[len(lines)] = one
        told = [(no, said.statement.content) for no, said in one.read if said.statement.content]
        meant += [*(no for no, _ in told), *one.learned]
        texts = [*(text for _, text in told), *(record.content for record in one.learned)]
        hints += [Hint(len(lines), text) for text in texts]
        lines.append(PromptMessage(one.text, one.turn.at, "user", one.turn.speaker))
    known = _known(store, passages, {one.id for passage in passages for one in passage.learned})
    return Stack(Batch(lines, known, hints, passages[0].language), placed, meant)


def _part(turn: Turn) -> str:
    """What of a message helps to understand the next: of the user's how it begins, of others' how
    it ends, because there they ask what the user answers."""
    text = turn.content
    if turn.role == "user" or estimate(text) <= _CONTEXT_TOKENS:
        return cut(text[: 10 * _CONTEXT_TOKENS], _CONTEXT_TOKENS)
    kept = ""
    for sentence in reversed(split(text[-10 * _CONTEXT_TOKENS :])):
        if estimate(longer := f"{sentence} {kept}".strip()) >= _CONTEXT_TOKENS:
            break
        kept = longer
    return f"… {kept}".strip()


def _known(store: Store, passages: Sequence[Passage], left_out: set[str]) -> list[KnownMemory]:
    """The memories nearest to passages: by subject and attribute, by words, then what matters
    most."""
    found: dict[str, Record] = {}
    with store.writing_as(passages[0].turn.agent):
        view = StoreView(store)
        for one in passages:
            for _, read in one.read:
                said = read.statement
                near = view.about(said.subject, said.attribute) if said.attribute else ()
                found |= {record.id: record for record in near[:_NEAR]}
            found |= {record.id: record for record in view.like(one.text, _NEAR)}
        strongest = store.find(Filter(state="active"), 2 * MOST_KNOWN, strongest=True)
        found |= {one.id: one for one in strongest if one.kind != "summary" and one.id not in found}
    left = [one for id, one in found.items() if id not in left_out][:MOST_KNOWN]
    return [KnownMemory(one.id, one.content, one.valid_from or said_at(one)) for one in left]


def that_fit(
    store: Store, passages: Sequence[Passage], hear: Hear, room: int
) -> tuple[Stack | None, int]:
    """A question about the first passages that `room` tokens are enough for, and how many these
    are; None where not even one is."""
    fits = len(passages)
    while fits:
        stack = stack_of(store, passages[:fits], hear)
        if size(stack.batch) <= room:
            return stack, fits
        fits = fits * 3 // 4
    return None, 0


def answered(store: Store, stack: Stack, reading: ModelReading) -> ModelAnswer:
    """What a reading changes."""
    settled: list[tuple[int, int]] = []
    in_vain: list[tuple[int, int]] = []
    for line, passage in stack.passages.items():
        places = settled if line in reading.decided else in_vain
        places += [(passage.no, n) for n in passage.numbers]
    gone = [meant for k, meant in enumerate(stack.hints) if _is_dropped(k, stack.batch, reading)]
    found: list[tuple[int, Candidate]] = []
    for item in reading.items:
        passage = stack.passages[item.line]
        if (candidate := _candidate(store, item, passage)) is not None:
            found.append((passage.no, candidate))
    dropped = [one for one in gone if not isinstance(one, Record)]
    taken_back = [one for one in gone if isinstance(one, Record)]
    return ModelAnswer(found, settled, dropped, taken_back, in_vain)


def _is_dropped(k: int, batch: Batch, reading: ModelReading) -> bool:
    """Whether a note goes: the message has nothing to remember, the note was dropped, or what it
    has in the user's own words is told anew. A message that was not answered keeps its notes."""
    hint = batch.hints[k]
    items = [item for item in reading.items if item.line == hint.line]
    if not items:
        return hint.line in reading.decided
    return any(
        item.hint == k or (item.statement is not None and stands(hint.text, item.words))
        for item in items
    )


def _candidate(store: Store, item: ReadItem, passage: Passage) -> Candidate | None:
    """What the store is to take in for an item."""
    at, language = passage.turn.at, passage.language
    if item.do == "drop":
        return None
    if item.statement is None:
        record = store.get(item.target)
        if record is None:
            return None
        said = record.content if item.do == "same" else ""
        statement = Statement(said, record.subject, record.attribute, record.value)
        made = Candidate(statement, language, record.importance, at)
        return made._replace(does=item.do, target=item.target)
    statement = item.statement._replace(fragments=passage.numbers)
    made = candidate_of(statement, language, item.importance, at)
    about = (statement.category, statement.attribute, statement.subject)
    return made._replace(
        valid_from=item.since or made.valid_from,
        tags=item.tags,
        does="update" if item.do == "update" else "",
        target=item.target,
        vouched=passage.turn.origin == "relayed" and is_users_statement(*about, [item.words]),
    )


def counted(asked: ModelAnswer, reading: ModelReading) -> dict[str, int]:
    """What was done, by kind; a note is dropped also where it was told anew."""
    did = Counter(one.do for one in reading.items if one.do != "drop")
    return dict(+(did + Counter(drop=len(asked.dropped) + len(asked.taken_back))))


def joined(answers: Iterable[ModelAnswer]) -> ModelAnswer:
    """What several answers change together."""
    return ModelAnswer(
        *([one for part in column for one in part] for column in zip(*answers, strict=True))
    )


def by(key: Callable[[Passage], object], passages: Iterable[Passage]) -> list[list[Passage]]:
    """Passages in groups, in the order in which these begin."""
    found: dict[object, list[Passage]] = {}
    for one in passages:
        found.setdefault(key(one), []).append(one)
    return list(found.values())


def _number(turn: Turn) -> int:
    return int(turn.ref[2:])


_TIMES = ("said_at", "valid_from", "due_at", "expires_at")


def to_json(candidate: Candidate) -> str:
    """A candidate as text."""
    kept: dict[str, Any] = candidate._asdict()
    for name in _TIMES:
        kept[name] = kept[name] and kept[name].isoformat()
    kept["statement"] = candidate.statement._asdict()
    return json.dumps(kept, ensure_ascii=False)


def from_json(text: str) -> Candidate:
    """The candidate that `to_json` wrote."""
    kept: dict[str, Any] = json.loads(text)
    for name in _TIMES:
        kept[name] = kept[name] and datetime.fromisoformat(kept[name])
    said = kept["statement"]
    said["mentions"] = tuple(
        Mention(name, type, tuple(aliases)) for name, type, aliases in said["mentions"]
    )
    said["over"], said["fragments"] = tuple(said["over"]), tuple(said["fragments"])
    kept["statement"] = Statement(**said)
    kept["tags"] = tuple(kept["tags"])
    return Candidate(**kept)
