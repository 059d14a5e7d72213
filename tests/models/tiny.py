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


def model() -> bytes:
    """Look each token up."""
    gather = _field(1, "table") + _field(1, "input_ids") + _field(2, "tokens") + _field(4, "Gather")
    graph = _field(1, gather) + _field(2, "lookup") + _field(5, _tensor("table", TABLE))
    graph += _field(11, _value("input_ids", _INT64, "batch", "length"))
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


def folder(path: Path) -> str:
    """Write the model into a folder; its path."""
    path.mkdir(parents=True)
    (path / "model.onnx").write_bytes(model())
    (path / "tokenizer.json").write_text(tokenizer(), "utf-8")
    (path / "config.json").write_text('{"pad_token_id": 0}')
    (path / "tokenizer_config.json").write_text('{"model_max_length": 64, "pad_token": "[UNK]"}')
    return str(path)
