"""A sentence model small enough to be written here: it looks each word up in a table.

An ONNX file is a protocol buffer, and these few fields are all that a look-up takes.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from pathlib import Path

WORDS = ("[UNK]", "cat", "dog", "猫", "狗", "sleeps")
TABLE = ((0.1, 0.1), (1, 0), (0, 1), (1, 0.1), (0.1, 1), (0.5, 0.5))
_FLOAT, _INT64 = 1, 7


def _varint(value: int) -> bytes:
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*found, value])


def _field(number: int, value: int | str | bytes) -> bytes:
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    data = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _tensor(name: str, rows: Sequence[Sequence[float]]) -> bytes:
    numbers = [number for row in rows for number in row]
    shape = _field(1, len(rows)) + _field(1, len(rows[0]))
    data = struct.pack(f"<{len(numbers)}f", *numbers)
    return shape + _field(2, _FLOAT) + _field(8, name) + _field(9, data)


def _value(name: str, kind: int, *sizes: str | int) -> bytes:
    dims = b"".join(
        _field(1, _field(1, size) if isinstance(size, int) else _field(2, size)) for size in sizes
    )
    return _field(1, name) + _field(2, _field(1, _field(1, kind) + _field(2, dims)))


def model(pooled: bool = False) -> bytes:
    """Look each token up; `pooled` gives the largest of each number instead of one a token."""
    gather = _field(1, "table") + _field(1, "input_ids") + _field(2, "tokens") + _field(4, "Gather")
    graph = _field(1, gather) + _field(2, "lookup") + _field(5, _tensor("table", TABLE))
    graph += _field(11, _value("input_ids", _INT64, "batch", "length"))
    if pooled:
        axes = _field(1, "axes") + _field(8, 1) + _field(20, 7)
        keep = _field(1, "keepdims") + _field(3, 0) + _field(20, 2)
        top = _field(1, "tokens") + _field(2, "sentence") + _field(4, "ReduceMax")
        graph += _field(1, top + _field(5, axes) + _field(5, keep))
        graph += _field(12, _value("sentence", _FLOAT, "batch", 2))
    else:
        graph += _field(11, _value("attention_mask", _INT64, "batch", "length"))
        graph += _field(12, _value("tokens", _FLOAT, "batch", "length", 2))
    return _field(1, 8) + _field(7, graph) + _field(8, _field(1, "") + _field(2, 13))


def tokenizer() -> str:
    return json.dumps(
        {
            "version": "1.0",
            "truncation": None,
            "padding": None,
            "added_tokens": [],
            "normalizer": {"type": "Lowercase"},
            "pre_tokenizer": {"type": "Whitespace"},
            "post_processor": None,
            "decoder": None,
            "model": {
                "type": "WordLevel",
                "vocab": {word: n for n, word in enumerate(WORDS)},
                "unk_token": "[UNK]",
            },
        }
    )


def folder(path: Path, model_name: str = "model.onnx", pooled: bool = False) -> str:
    """Write the model into a folder; its path."""
    (path / model_name).parent.mkdir(parents=True, exist_ok=True)
    (path / model_name).write_bytes(model(pooled))
    (path / "tokenizer.json").write_text(tokenizer(), "utf-8")
    return str(path)
