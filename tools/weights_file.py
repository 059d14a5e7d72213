"""The file with the weights of our own encoder (src/loxodon/models/encoder/weights.bin).

Its head is JSON: for each part the type of its numbers, its shape and where it starts. A matrix is
two parts, whole numbers of one byte (`q:NAME`) and a scale for each row (`s:NAME`); anything small
is one part of half floats. Needs only numpy.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Parts = dict[str, NDArray[Any]]

PATH = Path(__file__).parent.parent / "src/loxodon/models/encoder/weights.bin"


def read(path: Path = PATH) -> Parts:
    data = path.read_bytes()
    start = 8 + int.from_bytes(data[:8], "little")
    return {
        name: np.frombuffer(data, kind, int(np.prod(shape)), start + at).reshape(shape)
        for name, (kind, shape, at) in json.loads(data[8:start]).items()
    }


def write(parts: Parts, path: Path = PATH) -> None:
    ends = np.cumsum([0, *(part.nbytes for part in parts.values())]).tolist()
    head = {
        name: [part.dtype.str, list(part.shape), start]
        for (name, part), (start, _) in zip(parts.items(), pairwise(ends), strict=True)
    }
    told = json.dumps(head).encode()
    told += b" " * (-(len(told) + 8) % 64)
    data = b"".join(np.ascontiguousarray(part).tobytes() for part in parts.values())
    path.write_bytes(len(told).to_bytes(8, "little") + told + data)


def quantised(weights: Mapping[str, NDArray[Any]], matrix: int) -> Parts:
    """The parts for `weights`; what is two-dimensional and has more numbers than `matrix` is kept
    in bytes."""
    parts: Parts = {}
    for name, values in weights.items():
        if values.ndim == 2 and values.size > matrix:
            scale = np.abs(values).max(1) / 127 + 1e-12
            parts[f"q:{name}"] = np.round(values / scale[:, None]).astype(np.int8)
            parts[f"s:{name}"] = scale.astype(np.float16)
        else:
            parts[name] = values.astype(np.float16)
    return parts


def restored(parts: Parts) -> Parts:
    """The weights that parts stand for, in single precision."""
    found = {name: part.astype(np.float32) for name, part in parts.items() if name[1:2] != ":"}
    for name in [one.removeprefix("q:") for one in parts if one.startswith("q:")]:
        scale = parts[f"s:{name}"].astype(np.float32)
        found[name] = parts[f"q:{name}"].astype(np.float32) * scale[:, None]
    return found
