"""An agent in a model's place: what waits is handed to it, its answer taken with the same checks.

A ticket says what was handed out: the pieces of messages, the memories and the notes by their
numbers and ids. So nothing is kept between the two calls, an answer is compared with what was
really said, and one that comes late, after something else has decided, is refused.
"""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections import Counter
from typing import Any

from loxodon.errors import InputError
from loxodon.models.reading import KnownMemory, believed, question
from loxodon.models.replies import UnfitError, record, value_of
from loxodon.store.store import Store
from loxodon.types import Asking, HandedOut, Record
from loxodon.write import passages
from loxodon.write.passages import Passage, Stack
from loxodon.write.reconcile import said_at
from loxodon.write.residue import Asked, Hear

MOST_TOKENS = 4_000  # Of one question: an agent has other work in its window


def hand_out(store: Store, hear: Hear, *, thorough: bool) -> HandedOut:
    """A question about the most promising of what waits."""
    waiting = passages.waiting(store, (), thorough=thorough)
    groups = passages.by(lambda one: (one.turn.agent, one.language), waiting)
    if not groups:
        return HandedOut("")
    best = max(groups, key=lambda group: max(one.worth for one in group))
    chosen = sorted(best, key=lambda one: (-one.worth, one.no))
    _, fits = passages.that_fit(store, chosen, hear, MOST_TOKENS)
    some = sorted(chosen[: max(fits, 1)], key=lambda one: one.no)
    stack = passages.stack_of(store, some, hear)
    asked = question(stack.batch)
    pieces = [[one.no, *one.numbers] for one in stack.passages.values()]
    known = [one.id for one in stack.batch.known]
    told = json.dumps([pieces, known, _meant(stack)], separators=(",", ":"))
    ticket = urlsafe_b64encode(told.encode()).decode()
    return HandedOut(ticket, asked.system, asked.user, len(waiting) - len(some))


def answered(
    store: Store, hear: Hear, ticket: str, answer: str, *, thorough: bool
) -> tuple[Asked, Asking]:
    """What an answer changes, and a report; InputError where it cannot be used."""
    stack = _stack(store, hear, ticket, thorough)
    try:
        reading = believed(value_of(answer, record({})), stack.batch)
    except UnfitError as error:
        raise InputError(
            "the answer cannot be used: {reason}",
            hint="fix it and call again with the same ticket",
            reason=str(error),
        ) from None
    asked = passages.answered(store, stack, reading)
    did = passages.counted(asked, reading)
    # By the number of the message, so that the agent sees what to mend.
    refused = Counter(f"{number}: {reason}" for number, reason in reading.refused)
    return asked, Asking(1, len(stack.passages), len(reading.decided), did, dict(refused))


def _meant(stack: Stack) -> list[int | str]:
    return [one.id if isinstance(one, Record) else one for one in stack.hints]


def _stack(store: Store, hear: Hear, ticket: str, thorough: bool) -> Stack:
    """The question that a ticket names, as it was handed out."""
    pieces, ids, meant = _told(ticket)
    waiting = {one.no: one for one in passages.waiting(store, (), thorough=thorough)}
    some: list[Passage] = []
    for no, *numbers in pieces:
        one = waiting.get(no)
        if one is None or list(one.numbers) != numbers:
            raise _late()
        some.append(one)
    stack = passages.stack_of(store, some, hear)
    records = [store.get(id) for id in ids]
    known = [
        KnownMemory(one.id, one.content, one.valid_from or said_at(one))
        for one in records
        if one is not None
    ]
    if len(known) != len(ids) or _meant(stack) != meant:
        raise _late()
    return stack._replace(batch=stack.batch._replace(known=known))


def _told(ticket: str) -> tuple[list[list[int]], list[str], list[Any]]:
    try:
        pieces, ids, meant = json.loads(urlsafe_b64decode(ticket.encode()))
        good = all(isinstance(n, int) for one in pieces for n in one) and pieces
        good = good and all(isinstance(id, str) for id in ids) and isinstance(meant, list)
    except (ValueError, TypeError):
        good = False
    if not good:
        raise InputError(
            "this is not a valid ticket", hint="use the ticket that came with the question"
        )
    return pieces, ids, meant


def _late() -> InputError:
    return InputError(
        "the content of this ticket has changed since", hint="call again without a ticket"
    )
