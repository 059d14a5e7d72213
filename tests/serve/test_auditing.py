"""`loxodon audit`, as a user runs it."""

from __future__ import annotations

import json
import os
import sqlite3
from pathlib import Path

from tests.serve.shell import typed


def loxodon(home: Path, *words: str, language: str = "C.UTF-8") -> tuple[int, str, str]:
    done = typed("--home", str(home), *words, env={**os.environ, "LC_ALL": language})
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def test_show_verify_and_accept(tmp_path: Path) -> None:
    home = tmp_path / "home"
    loxodon(home, "init")
    id = json.loads(loxodon(home, "capture", "likes tea", "--json")[1])["id"]
    loxodon(home, "recall", "tea")
    code, text, _ = loxodon(home, "audit")
    assert code == 0
    assert "capture" in text
    assert "cli" in text
    found = json.loads(loxodon(home, "audit", "--id", id, "--op", "recall", "--json")[1])
    assert [one["op"] for one in found["entries"]] == ["recall"]
    assert json.loads(loxodon(home, "audit", "--actor", "http", "--json")[1]) == {"entries": []}
    assert loxodon(home, "audit", "verify")[0] == 0

    with sqlite3.connect(home / "spaces" / "main" / "loxodon.db") as database:
        database.execute("DELETE FROM audit WHERE n = (SELECT max(n) FROM audit)")
    code, text, _ = loxodon(home, "audit", "verify")
    assert code == 7
    assert "missing" in text
    assert "trusted up to entry" in text
    assert "缺失" in loxodon(home, "audit", "verify", language="zh_CN.UTF-8")[1]
    data = json.loads(loxodon(home, "audit", "verify", "--json")[1])
    assert not data["ok"]
    assert {one["kind"] for one in data["findings"]} >= {"cut"}

    assert loxodon(home, "audit", "accept")[0] == 2
    assert loxodon(home, "audit", "accept", "--yes")[0] == 0
    assert loxodon(home, "audit", "verify")[0] == 0

    (home / "keys" / "master").unlink()
    code, _, error = loxodon(home, "audit", "verify")
    assert code == 10
    assert "master key" in error


def test_backup_learning_and_restore_are_no_tampering(tmp_path: Path) -> None:
    home, copy = tmp_path / "home", str(tmp_path / "copy")
    talk = tmp_path / "talk.txt"
    talk.write_text("user: My phone is 13900139000.\nuser: I'm allergic to peanuts.\n")
    for words in (
        ("capture", "my number is 13800138000"),
        ("backup", copy),
        ("add", str(talk)),
        ("consolidate",),
        ("restore", copy, "--replace"),
        ("consolidate",),
        ("capture", "my number is 13700137000"),
    ):
        assert loxodon(home, *words)[0] == 0
        for check in (("audit", "verify"), ("validate",)):
            code, text, error = loxodon(home, *check)
            assert code == 0, (words, text, error)
