"""From the bytes a server answered to the JSON object that was asked for.

Models put prose or fences around JSON, think aloud before it, stop half-way, refuse, or answer
something else. What cannot be used raises `UnfitError`, with a reason to tell the model.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple, cast

Schema = Mapping[str, Any]

TEXT: Schema = {"type": "string"}
_TRIES = 8  # places at which a JSON object may begin in prose


class UnfitError(Exception):
    """An answer that cannot be used; the message is for the model that gave it."""


class RefusedError(UnfitError):
    """An answer in the right shape, of which nothing can be believed."""


class Message(NamedTuple):
    text: str  # empty where there is none, or a refusal
    tokens_in: int = 0  # what it cost, where the server says so
    tokens_out: int = 0
    cut: bool = False  # it stopped at its limit of tokens


def record(properties: dict[str, Schema]) -> Schema:
    """The shape of an object that has these and nothing else."""
    shape = {"type": "object", "properties": properties, "required": list(properties)}
    return {**shape, "additionalProperties": False}


def array(items: Schema) -> Schema:
    """The shape of a list."""
    return {"type": "array", "items": items}


def message_of(body: bytes) -> Message:
    """The message in a server's answer."""
    try:
        data = json.loads(body.decode("utf-8-sig"))
        choice = data["choices"][0]
        said, ended = choice["message"], choice.get("finish_reason")
        content, used = said.get("content"), data.get("usage") or {}
        if said.get("refusal") or ended == "content_filter":
            content = ""
        if isinstance(content, list):  # some servers answer in parts
            content = "".join(part["text"] for part in content if part.get("type") == "text")
        costs = [used.get("prompt_tokens"), used.get("completion_tokens")]
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return Message("")
    sent, got = (one if type(one) is int and 0 < one < 10**9 else 0 for one in costs)
    return Message(content if isinstance(content, str) else "", sent, got, ended == "length")


def value_of(text: str) -> dict[str, Any]:
    """The JSON object in what a model said."""
    text = text.rpartition("</think>")[2].strip()
    if not text:
        raise UnfitError("the answer is empty")
    for start in [match.start() for match in re.finditer(r"\{", text)][:_TRIES]:
        try:
            value = json.JSONDecoder().raw_decode(text, start)[0]
        except (ValueError, RecursionError):  # no JSON, or nested a thousand deep
            continue
        if value:
            return cast(dict[str, Any], value)
    raise UnfitError("there is no whole JSON object in the answer")


def check_length(sentence: str, most: Mapping[str, int], language: str) -> None:
    """Raise UnfitError for a sentence that is empty or too long: characters in Chinese, words in
    English."""
    if not sentence:
        raise UnfitError("a sentence is empty")
    size = len(sentence) if language == "zh" else len(sentence.split())
    # Nobody's words have twelve letters on average: a long run without spaces is no sentence.
    if size > most[language] or len(sentence) > 12 * most["en"]:
        unit = "characters" if language == "zh" else "words"
        raise UnfitError(f"a text has more than {most[language]} {unit}")
