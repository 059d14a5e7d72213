"""Summaries by a model: the agent's own, or the memory's where it may read whole conversations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from loxodon.errors import BadReplyError, LoxodonError, RejectedModelError
from loxodon.models.chat import ModelQuestion
from loxodon.text.language import language_of
from loxodon.working.compaction import Tell
from loxodon.working.flush import Ask
from loxodon.working.overflow import status_of
from loxodon.working.shapes import Message

if TYPE_CHECKING:
    from loxodon.memory import Memory

# Statuses of a server that does not take a request as it is; 500 is llama.cpp's, whose template has
# its own idea of where a system message may stand
_REFUSED = (400, 422, 500)
_AS_JSON = '\n\nJSON: {"summary": ""}'  # The memory's model is always asked for JSON


def careful(ask: Ask) -> Ask:
    """The same, raising nothing but a ModelError, whatever client is behind it."""

    def asked(messages: Sequence[Message]) -> str:
        try:
            reply = ask(messages)
        except LoxodonError:
            raise
        except Exception as error:  # a caller's own code: it must not end a conversation
            if status_of(error) in _REFUSED:
                raise RejectedModelError(
                    "the agent's model rejected the request: {reason}",
                    hint="the conversation continues; the rules decide what is saved",
                    reason=type(error).__name__,
                ) from error
            raise BadReplyError(
                "cannot reach the agent's model: {reason}",
                hint="the conversation continues; the rules decide what is saved",
                reason=type(error).__name__,
            ) from error
        if not isinstance(reply, str):
            raise BadReplyError(
                "the agent's model returned {type}, not text",
                hint="the function that calls it must return its text",
                type=type(reply).__name__,
            )
        return reply

    return asked


def by_agent(ask: Ask) -> Tell:
    """Summaries by the model that the agent talks with."""

    def tell(system: str, text: str, most: int) -> str:
        return ask([{"role": "system", "content": system}, {"role": "user", "content": text}])

    return tell


def by_memory(memory: Memory) -> Tell | None:
    """Summaries by the memory's own model, within its ledger.

    None where none is set or where it is not to be shown whole conversations
    (`model.extraction` is not `full`).
    """
    if memory.config.model.mode != "full":
        return None

    def tell(system: str, text: str, most: int) -> str:
        schema: dict[str, Any] = {
            "type": "object",
            "properties": {"summary": {"type": "string"}},
            "required": ["summary"],
            "additionalProperties": False,
        }
        question = ModelQuestion(
            "compaction", language_of(system), system + _AS_JSON, text, schema, 2 * most
        )
        reply = memory.chat_model().ask(question, lambda value: str(value["summary"]))
        return reply.value

    return tell
