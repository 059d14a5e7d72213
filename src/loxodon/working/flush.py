"""The flush before a compaction: what matters is saved before a summary takes its place.

It is due once in each cycle, when the context comes near the size at which it is compacted. Then
the agent's own model gets a silent turn: the conversation as it stands, and the request to write
down what must outlive it, or `NO_REPLY`. Its notes become memories. With or without a model, what
was said is journalled and made known by the rules first (`Memory.flush`), so that nothing depends
on an answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from loxodon.errors import LoxodonError, RejectedModelError
from loxodon.text.language import language_of
from loxodon.text.similarity import covers
from loxodon.text.words import index_words
from loxodon.types import Kind
from loxodon.working.context import Shown, joined
from loxodon.working.prompts import prompt
from loxodon.working.shapes import Message, text_of

if TYPE_CHECKING:
    from loxodon.memory import Memory

# Sends messages to the agent's model and returns what it says; raises a LoxodonError
Ask = Callable[[Sequence[Message]], str]

SILENCE = "NO_REPLY"
_MOST_NOTES = 40
_LONGEST_NOTE = 500
_SURE, _UNSURE = 0.6, 0.5
_SAME = 0.8  # Share of a note's words that a memory must have for the note to say nothing new
_SPOKEN = 0.5  # Share of a note's words that must have been spoken
_NEAR = 5  # Messages that a note is compared with: those that share most words with it


class Flushed(NamedTuple):
    """What a flush saved."""

    learned: int = 0  # Memories that the rules made or changed
    noted: tuple[str, ...] = ()  # The ids of memories made of the model's notes
    # Why it could not be done, or not by the model; it will be tried again where it could not
    problem: str = ""
    done: bool = True


def flush_due(tokens: int, flush_at: int, compactions: int, flushed_in: int | None) -> bool:
    """Whether what matters should be saved now.

    `tokens` is the size of the context, `flush_at` where a flush is due (`Limits`), `compactions`
    how often this session was compacted, and `flushed_in` that number at the last flush.
    """
    return tokens >= flush_at and flushed_in != compactions


# --- The silent turn ------------------------------------------------------------------------------


def silent_turn(ask: Ask, messages: Sequence[Message], today: datetime, language: str) -> list[str]:
    """What the agent's model notes about the conversation that it sees.

    The request comes last, so that the conversation is in the provider's cache.
    """
    day = f"{today:%Y-%m-%d}"
    system = prompt("flush_system", language)
    user = prompt("flush_user", language, today=day, silence=SILENCE)
    wanted: list[dict[str, Any]] = [{"role": "user", "content": user}]
    try:
        reply = ask([*messages, {"role": "system", "content": system}, *wanted])
    except RejectedModelError:  # some take a system message only at the beginning
        wanted = [{"role": "user", "content": f"{system}\n\n{user}"}]
        reply = ask(joined([*messages, *wanted]))
    return notes_in(reply)


def notes_in(reply: str) -> list[str]:
    """The notes in an answer, a line each; none where it is silent."""
    if is_silent(reply):
        return []
    found: dict[str, None] = {}
    lines = reply.rpartition("</think>")[2].splitlines()
    for line in [line for line in lines if _BULLET.match(line)] or lines:
        note = _BULLET.sub("", line).strip().strip("*").strip()
        plain = line.lstrip().startswith(("#", "```", "<")) or note.endswith((":", "："))
        if len(note) >= 4 and len(note) <= _LONGEST_NOTE and not plain and not is_silent(note):
            found[note] = None
    return list(found)[:_MOST_NOTES]


_BULLET = re.compile(r"^\s*(?:[-*•·]\s+|\d{1,3}[.)、]\s*)")


def save(memory: Memory, notes: Sequence[str], shown: Sequence[Shown]) -> list[str]:
    """Make memories of notes that say something new; their ids.

    A note that what was said bears out is a fact, one that only speaks of the same a belief, and
    one that speaks of something else is none. All are the assistant's words, whatever they claim.
    """
    texts = [text_of(one.message) for one in shown if one.role in ("user", "assistant")]
    texts = [text for text in texts if text]
    said = [(frozenset(index_words(text)), text) for text in texts]
    ids = []
    for note in notes:
        words = frozenset(index_words(note))
        near = sorted(said, key=lambda one: -len(words & one[0]))[:_NEAR]
        spoken = frozenset[str]().union(*(has for has, _ in near))
        if len(words & spoken) < _SPOKEN * len(words) or _is_known(memory, note):
            continue
        if _is_said(note, "\n".join(text for _, text in near)):
            record = memory.capture(note, importance=_SURE, origin="assistant")
        else:
            record = memory.capture(note, "belief", confidence=_UNSURE, origin="assistant")
        ids.append(record.id)
    return ids


def _is_known(memory: Memory, note: str) -> bool:
    kinds: tuple[Kind, ...] = ("fact", "belief")
    found = [item for kind in kinds for item in memory.recall(note, _NEAR, kind=kind).items]
    return any(covers(item.content, note) >= _SAME for item in found)


def _is_said(note: str, said: str) -> bool:
    """Whether a note says what was said."""
    from loxodon.models.grounding import Evidence, objection

    return bool(said) and not objection(note, Evidence(said), language_of(note))


def learned(memory: Memory) -> int:
    """Make what was just said known by the rules; how many memories that made or changed."""
    counts = memory.flush().counts
    return sum(counts.get(name, 0) for name in ("added", "updated", "superseded", "corrected"))


def reason(error: LoxodonError) -> str:
    """Why something failed, for the one who asked for it."""
    return error.localized()[0]


# --- Silence --------------------------------------------------------------------------------------


def is_silent(text: str) -> bool:
    """Whether an answer says only that there is none: nobody should see it."""
    bare = text.rpartition("</think>")[2].strip(_AROUND)
    return bare.upper().replace(" ", "_") in (SILENCE, "")


_AROUND = " \t\r\n*_`\"'.。“”「」[]()<>"
