"""What a recall from the shell loads: each module and pattern is time before the first line.

Times depend on the machine; what is loaded and compiled does not.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from loxodon import Memory

COUNTED = """
import json, sys
from re import _compiler
own = set(sys.modules)
compiled = []
make = _compiler.compile
def counted(pattern, *flags):
    compiled.append(str(pattern))
    return make(pattern, *flags)
_compiler.compile = counted
from loxodon.serve.cli import main
code = main(sys.argv[1:])
import typing
slow = [
    f"{kind.__module__}.{kind.__qualname__}"
    for name, module in list(sys.modules.items()) if name.startswith("loxodon")
    for kind in vars(module).values()
    if isinstance(kind, type) and typing.NamedTuple in vars(kind).get("__orig_bases__", ())
]
loaded = sorted(set(sys.modules) - own)
print(json.dumps({"code": code, "loaded": loaded, "compiled": compiled, "slow": slow}),
      file=sys.stderr)
"""
UNWANTED = frozenset(
    (
        "asyncio",
        "base64",
        "dataclasses",
        "email",
        "hashlib",
        "http",
        "importlib.resources",
        "inspect",
        "locale",
        "logging",
        "numpy",
        "pathlib",
        "random",
        "rich",
        "rjieba",
        "shutil",
        "socket",
        "ssl",
        "string",
        "subprocess",
        "tempfile",
        "threading",
        "tomlkit",
        "urllib.parse",
        "zipfile",
        "loxodon.client",
        "loxodon.documents",
        "loxodon.language.reader",
        "loxodon.measure",
        "loxodon.messages.zh",
        "loxodon.models",
        "loxodon.recall.gate",
        "loxodon.serve.host",
        "loxodon.serve.http",
        "loxodon.services.knowledge",
        "loxodon.standing",
        "loxodon.store.worklog",
        "loxodon.working",
        "loxodon.workspace",
        "loxodon.write.journal",
        "loxodon.write.phases",
    )
)
RULES = frozenset(("re2", *(f"loxodon.trust.guard.{name}" for name in ("find", "policy", "rules"))))
"""What looks for numbers, which most texts have no sign of."""


SAID = (
    "My sister Mei moved to a small village near the sea and paints all day",
    "We had noodles with peanut sauce for lunch and went for a long walk",
)
HOOK = ("hook", "claude-code", "UserPromptSubmit")
NUMBER = "Call the dentist, the number is +44 20 7946 0018"


def told(home: Path, *said: str) -> Path:
    with Memory.open(home) as memory:
        memory.add([{"role": "user", "content": text, "id": str(n)} for n, text in enumerate(said)])
        memory.capture("Mei is the user's sister", entities=["Mei"])
    return home


def recalled(home: Path, query: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-c", COUNTED, "--home", str(home), "recall", query],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
        env={"PATH": "", "LANG": "en_GB.UTF-8"},
    )
    found: dict[str, Any] = json.loads(done.stderr)
    assert found["code"] == 0
    assert "1. " in done.stdout
    return found


def test_what_a_cold_recall_loads(tmp_path: Path) -> None:
    found = recalled(told(tmp_path / "home", *SAID), "Where does Mei live?")
    loaded = set(found["loaded"])
    assert loaded & (UNWANTED | RULES) == set()
    assert len([name for name in loaded if name.startswith("loxodon")]) <= 119
    assert len(loaded) <= 157
    assert len(found["compiled"]) <= 44
    assert found["slow"] == []  # values are made without typing, which takes long


def test_what_the_hook_of_a_prompt_loads(tmp_path: Path) -> None:
    """People wait for it before each prompt: little more than for a recall."""
    home = told(tmp_path / "home", *SAID)
    done = subprocess.run(
        [sys.executable, "-c", COUNTED, "--home", str(home), *HOOK],
        input=json.dumps({"prompt": "Where does Mei live?", "transcript_path": "/none"}),
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
        env={"PATH": "", "HOME": str(tmp_path), "LANG": "en_GB.UTF-8"},
    )
    assert "village near the sea" in done.stdout
    loaded = set(json.loads(done.stderr)["loaded"])
    assert {"loxodon.connect.hook", "loxodon.recall.gate"} <= loaded
    needed = {"loxodon.recall.gate", "loxodon.workspace"}
    assert loaded & UNWANTED <= needed
    assert "loxodon.workspace.openclaw.install" not in loaded


def test_a_number_loads_the_rules_and_little_else(tmp_path: Path) -> None:
    found = recalled(told(tmp_path / "home", *SAID, NUMBER), "the number of the dentist")
    loaded = set(found["loaded"])
    assert loaded >= RULES
    assert loaded & UNWANTED == set()
    assert found["slow"] == []
