"""From the bytes a server answered to a value of the shape that was asked for.

Models put prose or fences around JSON, think aloud before it, stop half-way, refuse, or answer
something else. What cannot be made into the value raises `UnfitError`, with a reason that can be
told to the model.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple, NoReturn

Schema = Mapping[str, Any]

TEXT: Schema = {"type": "string"}
_TRIES = 8  # places at which a JSON object may begin in prose
_FENCED = re.compile(r"```[a-zA-Z]{0,16}[ \t]{0,16}\n(.*?)```", re.DOTALL)
_TYPES: dict[str, type | tuple[type, ...]] = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "number": (int, float),
}


class UnfitError(Exception):
    """An answer that cannot be used; the message is for the model that gave it."""


class RefusedError(UnfitError):
    """An answer in the right shape, of which nothing can be believed."""


class Message(NamedTuple):
    """What the model said, and what the server says it cost (None where it does not say)."""

    text: str
    tokens_in: int | None
    tokens_out: int | None
    cut: bool  # it stopped at its limit of tokens


def record(properties: dict[str, Schema]) -> Schema:
    """The shape of an object that has these and nothing else."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def array(items: Schema) -> Schema:
    """The shape of a list."""
    return {"type": "array", "items": items}


def message_of(body: bytes) -> Message:
    """The message in a server's answer; UnfitError where there is none, or only a refusal."""
    try:
        data = _loads(body.decode("utf-8-sig"))
        choice = data["choices"][0]
        said, ended = choice["message"], choice.get("finish_reason")
        refused, content = said.get("refusal"), said.get("content")
    except ValueError:  # UTF-8 that is none, too
        raise UnfitError("the answer is not JSON") from None
    except (KeyError, IndexError, TypeError, AttributeError):
        raise UnfitError("the answer has no message") from None
    if refused or ended == "content_filter":
        raise UnfitError("the question was refused")
    if isinstance(content, list):  # some servers answer in parts
        texts = [one.get("text") for one in content if isinstance(one, dict)]
        content = "".join(text for text in texts if isinstance(text, str))
    used = data.get("usage") if isinstance(data.get("usage"), dict) else {}
    tokens = _count(used.get("prompt_tokens")), _count(used.get("completion_tokens"))
    return Message(content if isinstance(content, str) else "", *tokens, ended == "length")


def _count(number: object) -> int | None:
    return number if type(number) is int and 0 <= number < 10**9 else None


def value_of(text: str, schema: Schema) -> Any:
    """The JSON value in what a model said, checked against `schema`."""
    text = text.rpartition("</think>")[2].strip()
    if not text:
        raise UnfitError("the answer is empty")
    end = text.rfind("}") + 1
    braces = [match.start() for match in re.finditer(r"\{", text)][:_TRIES]
    for candidate in (text, *_FENCED.findall(text)[:_TRIES], *(text[at:end] for at in braces)):
        try:
            value = _loads(candidate)
        except ValueError:
            continue
        _check(value, schema)
        return value
    raise UnfitError("there is no whole JSON object in the answer")


def _loads(text: str) -> Any:
    def no_number(text: str) -> NoReturn:
        raise ValueError(text)  # NaN and Infinity are no JSON

    try:
        return json.loads(text, parse_constant=no_number)
    except RecursionError:  # nested a thousand deep: not what was asked for
        raise ValueError("nested too deep") from None


def _check(value: object, schema: Schema, where: str = "the answer") -> None:
    """Raise UnfitError where `value` has another shape than `schema`: types, enum and required."""
    wanted = schema["type"]
    if not isinstance(value, _TYPES[wanted]) or isinstance(value, bool):
        raise UnfitError(f"{where} must be of type {wanted}")
    if "enum" in schema and value not in schema["enum"]:
        raise UnfitError(f"{where} must be one of {', '.join(schema['enum'])}")
    if isinstance(value, dict):
        for name in schema["required"]:
            if name not in value:
                raise UnfitError(f"{where} lacks {name}")
            _check(value[name], schema["properties"][name], name)
    elif isinstance(value, list):
        for n, one in enumerate(value):
            _check(one, schema["items"], f"{where}[{n}]")


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
