"""`loxodon restore` on a folder of text views, and whether two memories are equal."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from loxodon import Memory
from tests.cli.shell import typed
from tests.clock import Clock

CONFIG = {"timezone": "Asia/Shanghai", "embedder.kind": "none"}  # vectors are made anew
QUESTIONS = ("where do I live?", "花生", "小美在哪里", "what about tea", "sister Mei")
# What may differ after a restore: times of files, and keywords that were due
FRESHER = ("state/views.json", "state/views.lock", "layer2/index/keywords.json")


def restore(folder: Path, home: Path, *more: str, clock: Clock, code: int = 0) -> Any:
    environment = {
        "HOME": str(home.parent),
        "LOXODON_HOME": str(home),
        "LOXODON_NOW": clock.now.isoformat(),
        "LANG": "C.UTF-8",
        "TZ": "Asia/Shanghai",
    }
    done = typed("restore", str(folder), "--json", *more, env=environment)
    assert done.returncode == code, done.stderr.decode()
    return json.loads(done.stdout)


def share_key(one: Path, other: Path) -> None:
    """The home `other`, which may not be there yet, signs with the key of `one`."""
    if (one / "keys").exists():
        shutil.copytree(one / "keys", other / "keys", dirs_exist_ok=True)


def texts(folder: Path) -> dict[str, bytes]:
    """Every primary table is in the views, so that equal views are of equal memories."""
    root = folder / "memory"
    found = {str(one.relative_to(root)): one for one in root.rglob("*") if one.is_file()}
    return {name: path.read_bytes() for name, path in found.items() if name not in FRESHER}


def same(one: Memory, other: Memory) -> None:
    assert list(other.journal()) == list(one.journal())
    assert other.validate() == one.validate()
    records = list(one.list(state="all"))
    assert list(other.list(state="all")) == records
    for record in records:
        assert other.history(record.id) == one.history(record.id)
    # Of the place, not of what is kept there: where it is, its size, how long its log.
    here = one.status()._replace(home="", bytes=0)
    assert other.status()._replace(home="", bytes=0) == here
    for question in QUESTIONS:
        first, second = one.recall(question), other.recall(question)
        assert (first.items, first.context) == (second.items, second.context), question
