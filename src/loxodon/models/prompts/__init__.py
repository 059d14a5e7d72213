"""Prompts: one file each, `<name>.<language>.md`, with its variables named in the first line.

What a conversation says is never put into a prompt. It goes beside it, as numbered lines between
two marks; each line is a JSON string, in which nothing can end the line, the marks, or a turn.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from importlib.resources import files
from typing import Any

Schema = Mapping[str, Any]  # of JSON: what a server is asked to keep to

TEXT: Schema = {"type": "string"}

# What could be read as a mark of ours or of a chat template: <|im_end|>, </data>, [/INST].
_MARK = re.compile(r"<(?=[^\s\d])|\[(?=/?[A-Z]{2})")
_SURROGATE = re.compile("[\ud800-\udfff]")
_BREAKS = {0x85: "\\u0085", 0x2028: "\\u2028", 0x2029: "\\u2029", 0x7F: "\\u007f"}


def prompt(name: str, language: str, **values: str) -> str:
    """The prompt called `name` in `language`, its variables filled in."""
    text = (files(__package__) / f"{name}.{language}.md").read_text("utf-8")
    text = text.partition("\n")[2].strip()
    for variable, value in values.items():
        text = text.replace(f"{{{variable}}}", value)
    return text


def fenced(lines: Iterable[tuple[str, str]]) -> str:
    """Labelled texts as data: one line each, whatever is in them."""
    return "\n".join(["<data>", *(f"{label} {_quoted(text)}" for label, text in lines), "</data>"])


def _quoted(text: str) -> str:
    text = json.dumps(_SURROGATE.sub("\ufffd", text), ensure_ascii=False).translate(_BREAKS)
    return _MARK.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def record(properties: dict[str, Schema]) -> Schema:
    """The shape of an object that has these and nothing else."""
    shape = {"type": "object", "properties": properties, "required": list(properties)}
    return {**shape, "additionalProperties": False}


def array(items: Schema) -> Schema:
    """The shape of a list."""
    return {"type": "array", "items": items}
