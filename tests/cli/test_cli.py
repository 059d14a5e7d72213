"""The command line where it is about terminals, pipes, processes, models and other programs."""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import apsw
import pytest

from loxodon import Memory
from tests.agents.openclaw.made import OpenClaw, talk
from tests.cli.shell import INHERITED, LOXODON, Shell, typed
from tests.clock import NOW, Clock
from tests.forked import COLD
from tests.imports.exports import put_zip, trip
from tests.models.labelled import sat, shown
from tests.models.server import Stage, answers, says, stage

# What takes long to import, and no recall without an embedder needs
HEAVY = {
    *("asyncio", "email", "http", "httpx", "numpy", "socket", "ssl", "starlette", "uvicorn"),
    "loxodon.guard.find",
}


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path / "home")


@pytest.fixture
def filled(shell: Shell) -> Shell:
    shell("add", str(Path(__file__).parent / "conversation.jsonl"))
    shell("capture", "用户对花生过敏", "--importance", "1.0")
    return shell


# --- Terminals, pipes and files -------------------------------------------------------------------


def test_reader_that_leaves_early_is_no_error(filled: Shell) -> None:
    command = f"set -o pipefail; {LOXODON} journal --json | head -c 1"
    environment = filled.environment
    done = subprocess.run(
        ["bash", "-c", command], capture_output=True, env=environment, timeout=300
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_validate_reports_damage_by_its_exit_code(filled: Shell) -> None:
    assert "no problems found" in filled.text("validate")
    database = apsw.Connection(str(filled.home / "spaces" / "main" / "loxodon.db"))
    database.execute("DELETE FROM turn_index WHERE rowid = 1")
    database.close()
    done = filled.process("validate", "--json", code=7)
    assert json.loads(done.stdout)["problems"][0]["where"] == "turn_index"
    filled("rebuild-index")
    filled("validate")


@pytest.mark.parametrize(
    ("number", "said"), [(errno.ENOSPC, b"the disk is full"), (errno.EROFS, b"cannot write")]
)
def test_a_full_or_read_only_disk_is_said(
    filled: Shell, monkeypatch: pytest.MonkeyPatch, number: int, said: bytes
) -> None:
    def refuses(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number), "x.db")

    monkeypatch.setattr("loxodon.forget.erase.forget", refuses)
    assert said in filled("forget", "--all", "--yes", code=7).stderr


def test_a_defect_is_one_line_with_what_to_do(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise ZeroDivisionError("so it goes")

    shell("init")
    monkeypatch.setattr(Memory, "open", fails)
    said = shell("list", code=1).stderr
    assert said.startswith(b"error: ZeroDivisionError: so it goes\nhint: ")
    with pytest.raises(ZeroDivisionError):
        shell("list", LOXODON_DEBUG="1")


def test_cold_recall_and_hook_import_nothing_heavy(tmp_path: Path) -> None:
    """Times depend on the machine; what is loaded does not."""
    with Memory.open(tmp_path / "home") as memory:
        memory.capture(
            "Mei is 34 and lives near the sea since 2019-05-01, 1200 km off", entities=["Mei"]
        )
        memory.forget(memory.capture("The user has a cat").id)
    (tmp_path / "home" / "config.toml").write_text('[embedder]\nkind = "none"\n', "utf-8")
    code = (
        "import runpy, sys\nsys.argv[1:] = {words!r}\n"
        "try:\n    runpy.run_module('loxodon', run_name='__main__')\n"
        "finally:\n    print(*sys.modules, file=sys.stderr)"
    )
    start = ["--home", str(tmp_path / "home")]
    prompt = json.dumps({"prompt": "Where does Mei live?", "transcript_path": "/none"})
    for words, given in (
        ([*start, "recall", "Where does Mei live?"], ""),
        ([*start, "hook", "claude-code", "UserPromptSubmit"], prompt),
    ):
        done = subprocess.run(
            [*COLD, "-c", code.format(words=words)],
            input=given,
            capture_output=True,
            text=True,
            timeout=300,
            env={**INHERITED, "HOME": str(tmp_path), "LANG": "en_GB.UTF-8"},
        )
        assert "near the sea" in done.stdout
        loaded = set(done.stderr.split())
        assert "loxodon.recall.pipeline" in loaded
        assert loaded & HEAVY == set()
        assert len([name for name in loaded if name.startswith("loxodon")]) < 140


# --- Models ---------------------------------------------------------------------------------------


@pytest.fixture
def model(shell: Shell) -> Iterator[Stage]:
    with stage() as one:
        shell("init")
        assert b"needs a base URL and a name" in shell("model", "check", code=6).stderr
        shell("config", "model.base_url", f"http://127.0.0.1:{one.port}/v1")
        shell("config", "model.name", "test")
        for name, value in (("retries", "0"), ("daily_tokens", "100000000")):
            shell("config", f"model.{name}", value)
        yield one


def test_model_check(model: Stage, shell: Shell) -> None:
    schemas = True

    def reads_well(handler: BaseHTTPRequestHandler) -> None:
        asked = model.requests[-1].body
        if "response_format" in asked and not schemas:
            answers(400, b'{"error": "response_format is not supported"}')(handler)
        else:
            says(sat(shown(asked)))(handler)

    model.play(reads_well)
    said = shell.text("model", "check")
    assert re.findall(r"(en|zh) +10 +10", said) == ["en", "zh"]
    assert re.search(r"good +yes", said)
    for schemas in (True, False):
        found = shell.json("model", "check")
        assert (found["good"], found["keeps_to_schemas"]) == (True, schemas)
    assert [one["language"] for one in found["tried"]] == ["en", "zh"]
    model.play(says("no idea"))
    found = shell.json("model", "check", code=8)
    assert not found["good"]
    assert [one["passed"] for one in found["tried"]] == [0, 0]
    assert "cannot be used" in found["tried"][0]["problem"]
    model.play(answers(500))
    assert b"HTTP 500" in shell("model", "check", code=8).stderr


def test_embedding_and_how_far_it_is(shell: Shell) -> None:
    shell("capture", "cat sleeps")
    shell("config", "embedder.kind", "none")
    assert "nothing was changed" in shell.text("embed")
    shell("config", "embedder.kind", "openai")
    assert b"needs both a base URL and a name" in shell("embed", code=6).stderr
    for command in (["status"], ["consolidate"], ["recall", "cat"]):  # which go on without it
        shell(*command)
    shell("config", "embedder.kind", "auto")
    (found,) = shell.json("status")["embedding"]
    assert (found["embedded"], found["pending"]) == (0, 2)
    assert "embedded  2" in shell.text("embed")
    assert re.search(r"loxodon-2 +2", shell.text("status"))
    shell("config", "embedder.kind", "openai")
    shell("config", "embedder.base_url", "http://127.0.0.1:9/v1")
    shell("config", "embedder.name", "any")
    assert "cat sleeps" in shell.text("recall", "cat")


# --- Other programs -------------------------------------------------------------------------------


def test_import_of_chats_and_memories(shell: Shell, tmp_path: Path) -> None:
    chats = {"conversations.json": [trip(), {"x": 1}]}
    path = str(put_zip(tmp_path / "chatgpt.zip", chats))
    assert shell.json("import", path, "--dry-run")["turns"] == 3
    said = shell.text("import", path)
    for text in ("chatgpt", "loxodon consolidate"):
        assert text in said
    assert "此前已有" in shell.text("import", path, LANG="zh_CN.UTF-8")
    found = shell.json("--space", "b", "import", path, "--format", "chatgpt")
    assert (found["turns"], found["memories"], found["known"]) == (3, 1, 0)
    assert found["problems"][0]["file"] == "conversations.json"
    shell("consolidate")
    assert "vegetarian" in shell.text("recall", "what do I not eat? vegetarian")
    broken = tmp_path / "x.json"
    broken.write_text('["a', "utf-8")
    assert b"hint:" in shell("import", str(broken), code=4).stderr
    missing = shell("import", str(tmp_path / "none"), code=3, LANG="zh_CN.UTF-8")
    assert "不存在" in missing.stderr.decode()
    assert b"--format" in shell("import", str(broken), "--format", "pigeon", code=2).stderr


def test_config_lists_the_main_settings_first(shell: Shell) -> None:
    assert len(shell.json("config")) == 12
    shell("config", "decay.fact", "0.01")
    assert list(shell.json("config"))[-1] == "decay.fact"  # what was changed is listed too
    assert "more settings: `loxodon config --all`" in shell.text("config")
    assert len(shell.json("config", "--all")) > 50


def test_openclaw_is_followed(shell: Shell, tmp_path: Path) -> None:
    assert b"OPENCLAW_STATE_DIR" in shell("openclaw", "follow", code=3).stderr
    for words in ((), ("dance",)):
        shell("openclaw", *words, code=2)
    claw = OpenClaw(tmp_path / ".openclaw")
    claw.file("old", talk("我姐姐住在大阪", "记住了"))
    claw.database("work").session("new", talk("the demo is on Friday"))
    assert shell.json("openclaw", "follow")["openclaw"]["added"] == 3
    assert "大阪" in shell.text("recall", "姐姐")
    database = str(claw.root / "agents" / "work" / "agent" / "openclaw-agent.sqlite")
    other = ("--space", "other")
    assert shell.json(*other, "add", database)["sessions"] == ["new"]
    assert shell.json(*other, "add", database, "--format", "openclaw")["known"] == 1
    path = claw.file("bad", talk("a"))
    path.write_text(path.read_text("utf-8") + "\x1b[31m{\n", "utf-8")
    done = shell("follow", "openclaw")
    assert b"bad.jsonl line 3" in done.stderr
    assert b"\x1b" not in done.stderr
    assert b"added" in done.stdout


def test_databases_of_others_are_refused(shell: Shell, tmp_path: Path) -> None:
    shell("init")
    other = shutil.copy(shell.home / "spaces" / "main" / "loxodon.db", tmp_path / "other.sqlite")
    assert b"no OpenClaw sessions" in shell("add", str(other), code=4).stderr


ENV = {"LANG": "C.UTF-8", "TZ": "Asia/Shanghai", "LOXODON_NOW": NOW.isoformat()}
MOVED = {"main": ("Bristol", "Lisbon"), "zh": ("成都", "杭州")}


def test_example_has_something_for_every_page_and_is_built_once(tmp_path: Path) -> None:
    home = tmp_path / "home"
    env = {**ENV, "HOME": str(tmp_path), "LOXODON_HOME": str(tmp_path / "own")}
    done = typed("--home", str(home), "demo", "--json", env=env)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["try"][0] == ["loxodon", "--home", str(home), "ui"]
    assert [one.name for one in tmp_path.iterdir()] == ["home"]
    for space, (before, after) in MOVED.items():
        with Memory.open(home, space, clock=Clock(NOW)) as memory:
            day = memory.today()
            for shown in (day.learned, day.reviews, day.doubtful, day.reminders, day.changed):
                assert shown
            assert day.ended
            assert (day.held, day.pending) == (2, 0)  # an instruction, and a request to forget
            (place,) = [
                one for one in memory.list() if one.subject == "user" and one.value == after
            ]
            related = memory.related(place.id)
            assert related.replaced is not None
            assert before in related.replaced.content
            assert len(memory.graph().nodes) > 15
            lifted = [one for one in memory.list() if one.access_count]
            assert {"used"} <= {mark.change for mark in memory.strength(lifted[0].id).marks}
            said = [one for one in memory.timeline() if one.turn.role == "user"]
            assert len([one for one in said if not one.memories]) <= 8  # most is worth keeping
            assert {one.trust for one in memory.list(state="all")} <= {"user", "assistant"}
            assert memory.validate() == []
    stamp = (home / "example").stat().st_mtime_ns
    assert b"loxodon --home" in typed("--home", str(home), "demo", env=env).stdout
    assert (home / "example").stat().st_mtime_ns == stamp
    mine = tmp_path / "mine"
    with Memory.open(mine) as memory:
        memory.capture("Mine")
    for words in ((), ("--replace",)):
        refused = typed("--home", str(mine), "demo", *words, env=env)
        assert refused.returncode != 0
        assert b"something other than" in refused.stderr
    with Memory.open(mine) as memory:
        assert memory.stats().active == 1
