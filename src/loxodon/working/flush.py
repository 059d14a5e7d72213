"""The flush before a compaction: what matters is saved before a summary takes its place.

It is due once in each cycle. What was said is journalled and made known by the rules, so that
nothing depends on a model. Then the agent's own model gets a silent turn: the conversation as it
stands, and the request to write down what must outlive it, or `NO_REPLY`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from loxodon.errors import BadReplyError, LoxodonError
from loxodon.models.prompts import prompt
from loxodon.text.language import language_of
from loxodon.text.similarity import covers
from loxodon.text.words import index_words
from loxodon.types import Kind
from loxodon.working.context import Shown, joined
from loxodon.working.shapes import Message, text_of

if TYPE_CHECKING:
    from loxodon.memory import Memory

# Sends messages to the agent's model and returns what it says
Ask = Callable[[Sequence[Message]], str]

SILENCE = "NO_REPLY"
_MOST_NOTES = 40
_LONGEST_NOTE = 500
_SURE, _UNSURE = 0.6, 0.5
_SAME = 0.8  # Share of a note's words that a memory must have for the note to say nothing new
_SPOKEN = 0.5  # Share of a note's words that must have been spoken
_NEAR = 5  # Messages that a note is compared with: those that share most words with it
_BULLET = re.compile(r"^\s*(?:[-*•·]\s+|\d{1,3}[.)、]\s*)")
_AROUND = " \t\r\n*_`\"'.。“”「」[]()<>"


class Flushed(NamedTuple):
    learned: int = 0  # Memories that the rules made or changed
    noted: tuple[str, ...] = ()  # The ids of memories made of the model's notes
    problem: str = ""  # Why it could not be done, or not by the model


def flush_due(tokens: int, flush_at: int, compactions: int, flushed_in: int | None) -> bool:
    """Whether what matters should be saved: near the limit, once between two compactions."""
    return tokens >= flush_at and flushed_in != compactions


def is_silent(text: str) -> bool:
    """Whether an answer says only that there is none: nobody should see it."""
    bare = text.rpartition("</think>")[2].strip(_AROUND)
    return bare.upper().replace(" ", "_") in (SILENCE, "")


def reason(error: LoxodonError) -> str:
    return error.localized()[0]


def careful(ask: Ask) -> Ask:
    """The same, raising nothing but a LoxodonError, whatever client is behind it."""

    def asked(messages: Sequence[Message]) -> str:
        try:
            reply = ask(messages)
            if isinstance(reply, str):
                return reply
            reason = f"{type(reply).__name__} instead of text"
        except LoxodonError:
            raise
        except Exception as error:  # a caller's own code: it must not end a conversation
            reason = type(error).__name__
        raise BadReplyError(
            "the agent's model cannot be asked: {reason}",
            hint="the conversation continues; the rules decide what is saved",
            reason=reason,
        )

    return asked


def learned(memory: Memory) -> int:
    """Make what was just said known by the rules; how many memories that made or changed."""
    counts = memory.flush().counts
    return sum(counts.get(name, 0) for name in ("added", "updated", "superseded", "corrected"))


def silent_turn(ask: Ask, messages: Sequence[Message], today: datetime, said: str) -> list[str]:
    """What the agent's model notes about the conversation, in the language of what was said.

    The request comes last, so that the conversation is in the provider's cache, and as the user's:
    some models take a system message only at the beginning.
    """
    language = language_of(said)
    user = prompt("flush_user", language, today=f"{today:%Y-%m-%d}", silence=SILENCE)
    wanted = {"role": "user", "content": f"{prompt('flush_system', language)}\n\n{user}"}
    return notes_in(ask(joined([*messages, wanted])))


def notes_in(reply: str) -> list[str]:
    """The notes in an answer, a line each; none where it is silent."""
    if is_silent(reply):
        return []
    found: dict[str, None] = {}
    lines = reply.rpartition("</think>")[2].splitlines()
    for line in [line for line in lines if _BULLET.match(line)] or lines:
        note = _BULLET.sub("", line).strip().strip("*").strip()
        is_heading = line.lstrip().startswith(("#", "```", "<")) or note.endswith((":", "："))
        if 4 <= len(note) <= _LONGEST_NOTE and not is_heading and not is_silent(note):
            found[note] = None
    return list(found)[:_MOST_NOTES]


def save(memory: Memory, notes: Sequence[str], shown: Sequence[Shown]) -> list[str]:
    """Make memories of notes that say something new; their ids.

    A note that what was said bears out is a fact, one that only speaks of the same a belief, and
    one that speaks of something else is none. All are the assistant's words, whatever they claim.
    """
    from loxodon.models.grounding import objection

    texts = [text_of(one.message) for one in shown if one.role in ("user", "assistant")]
    said = [(frozenset(index_words(text)), text) for text in texts if text]
    ids = []
    for note in notes:
        words = frozenset(index_words(note))
        near = sorted(said, key=lambda one: -len(words & one[0]))[:_NEAR]
        spoken = frozenset[str]().union(*(has for has, _ in near))
        if not near or len(words & spoken) < _SPOKEN * len(words) or _is_known(memory, note):
            continue
        if objection(note, "\n".join(text for _, text in near), language_of(note)):
            record = memory.capture(note, "belief", confidence=_UNSURE, origin="assistant")
        else:
            record = memory.capture(note, importance=_SURE, origin="assistant")
        ids.append(record.id)
    return ids


def _is_known(memory: Memory, note: str) -> bool:
    kinds: tuple[Kind, ...] = ("fact", "belief")
    found = [item for kind in kinds for item in memory.recall(note, _NEAR, kind=kind).items]
    return any(covers(item.content, note) >= _SAME for item in found)
