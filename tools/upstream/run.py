"""Runs the tests of LangGraph's stores, of the Agents SDK's sessions and of mem0 against ours.

    python tools/upstream/run.py --into FOLDER [--mem0 CHECKOUT] [--all]

The tests are those of the versions that are installed. They are taken from the source packages on
the package index, which are kept in the folder; mem0's has none, so that a checkout must be named.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tarfile
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent


class Suite(NamedTuple):
    """Tests of another project."""

    stand_in: str
    package: str
    tests: str


SUITES = (
    Suite("langgraph", "langgraph-checkpoint", "tests/test_store.py"),
    Suite(
        "langgraph", "langgraph-checkpoint-sqlite", "tests/test_store.py tests/test_async_store.py"
    ),
    Suite(
        "agents", "openai-agents", "tests/memory/test_session.py tests/memory/test_session_limit.py"
    ),
    Suite("mem0", "mem0ai", "tests/test_main.py tests/test_memory.py"),
)


def source_of(package: str, into: Path) -> Path:
    """The folder with the source of the installed version of a package."""
    name = f"{package.replace('-', '_')}-{version(package)}"
    if not (into / name).exists():
        into.mkdir(parents=True, exist_ok=True)
        download = "-m pip download --quiet --no-deps --no-build-isolation --no-binary :all:"
        wanted = ["--dest", str(into), f"{package}=={version(package)}"]
        subprocess.run([sys.executable, *download.split(), *wanted], check=True)  # noqa: S603
        with tarfile.open(into / f"{name}.tar.gz") as archive:
            archive.extractall(into, filter="data")
    return into / name


def run(suite: Suite, source: Path, more: list[str]) -> int:
    print(f"{suite.package} {version(suite.package)}", flush=True)
    plain = "-m pytest -q -rfEs -p no:cacheprovider -o addopts= -o asyncio_mode=auto -p stand_ins"
    command = [sys.executable, *plain.split(), "--stand-in", suite.stand_in, *more]
    path = os.pathsep.join((str(HERE), os.environ.get("PYTHONPATH", "")))
    environ = {**os.environ, "PYTHONPATH": path.strip(os.pathsep)}
    command += suite.tests.split()
    return subprocess.run(command, cwd=source, env=environ).returncode  # noqa: S603


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--into", type=Path, required=True, help="where sources are kept")
    parser.add_argument("--mem0", type=Path, help="a checkout of mem0")
    parser.add_argument("--all", action="store_true", help="leave nothing out")
    args = parser.parse_args()
    failed = 0
    for suite in SUITES:
        if suite.stand_in == "mem0" and not args.mem0:
            print("mem0ai: not run; name a checkout of mem0 (MEM0=…)")
            continue
        source = args.mem0 if suite.stand_in == "mem0" else source_of(suite.package, args.into)
        failed |= run(suite, source.resolve(), ["--all"] if args.all else [])
    return failed


if __name__ == "__main__":
    sys.exit(main())
