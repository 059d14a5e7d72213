"""An install puts everything in its place; an uninstall leaves every byte as it was."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import tomllib
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loxodon import Memory
from tests.agents.openclaw.place import RULES, Place
from tests.cases import cases
from tests.cli.shell import typed
from tests.each import each
from tests.long import count

SLOT = '"memory": "loxodon"'
BLOCK = "<!-- loxodon:begin -->"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_install_puts_everything_in_its_place(place: Place) -> None:
    found = place.install()
    assert found["done"]
    assert {one["change"] for one in found["changes"]} == {"new", "changed"}
    skill = place.workspace / "skills" / "loxodon"
    assert (skill / "SKILL.md").read_text("utf-8").startswith("---\nname: loxodon\n")
    assert (skill / "scripts" / "memory.py").exists()
    assert json.loads((place.plugin / "openclaw.plugin.json").read_text())["kind"] == "memory"
    run = json.loads((place.plugin / "command.json").read_text("utf-8"))
    assert run["command"][0] == sys.executable
    assert run["state"] == str(place.state)
    assert run["job"]["schedule"] == {"kind": "cron", "expr": "0 3 * * *"}
    assert run["job"]["payload"]["argv"][-1] == "consolidate"
    text = place.config.read_text("utf-8")
    for words in (SLOT, "allowConversationAccess", "token: 's3cret'", "// mine"):
        assert words in text
    assert "mcp" not in text
    assert place.rules.read_text("utf-8").startswith(RULES)
    assert BLOCK in place.rules.read_text("utf-8")
    with Memory.open(place.home) as memory:
        assert memory.workspace.path == str(place.workspace)
    assert {state for states in place.status().values() for state in states} == {"there"}
    assert place.install()["changes"] == []


def test_uninstall_leaves_every_byte_as_it_was(place: Place) -> None:
    before = place.all()
    place.install()
    assert place.all() != before
    assert place.uninstall()["left"] == []
    assert place.all() == before
    assert place.status() == {}
    assert place.uninstall()["changes"] == []


@each("text", cases(__file__, "rules"))
def test_uninstall_restores_any_rules(text: str) -> None:
    with TemporaryDirectory() as root:
        place = Place(Path(root))
        place.rules.write_bytes(text.encode())
        before = place.all()
        place.install()
        assert BLOCK in place.rules.read_text("utf-8")
        place.uninstall()
        assert place.all() == before


def restores(config: str) -> None:
    with TemporaryDirectory() as root:
        place = Place(Path(root))
        place.config.write_bytes(config.encode())
        before = place.all()
        for _ in range(2):
            place.install()
            text = place.config.read_text("utf-8")
            assert '"loxodon"' in text
            assert "allow: [" not in text or text.count('"loxodon"') > 2
        place.uninstall()
        assert place.all() == before


@each("text", cases(__file__, "configs"))
def test_uninstall_restores_any_config(text: str) -> None:
    restores(text)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=10,
)


@settings(max_examples=count(4, 10))
@given(st.dictionaries(st.text(max_size=9), VALUES, max_size=4), st.sampled_from([None, 2, "\t"]))
def test_uninstall_restores_any_json(document: dict[str, object], indent: int | str | None) -> None:
    restores(json.dumps(document, ensure_ascii=False, indent=indent))


@each("text", [one["text"] for one in cases(__file__, "no_configs")] + ["[" * 5_000, "\0"])
def test_nothing_is_written_where_the_config_is_wrong(text: str) -> None:
    with TemporaryDirectory() as root:
        place = Place(Path(root))
        place.config.write_bytes(text.encode())
        before = place.all()
        place.install(code=4)
        assert place.all() == before


def test_upgrade_replaces_what_the_last_version_put_there(place: Place) -> None:
    before = place.all()
    place.install()
    skill = place.workspace / "skills" / "loxodon" / "SKILL.md"
    record = json.loads(place.record.read_text("utf-8"))
    old = skill.with_name("old.md")
    old.write_bytes(skill.read_bytes())
    record["files"][str(old)] = record["files"][str(skill)]
    piece = record["blocks"][str(place.rules)]
    changed = piece.replace("memory_search", "old words")
    record["blocks"][str(place.rules)] = changed
    place.rules.write_text(place.rules.read_text("utf-8").replace(piece, changed), "utf-8")
    place.record.write_text(json.dumps(record), "utf-8")
    place.install()
    assert not old.exists()
    assert "old words" not in place.rules.read_text("utf-8")
    assert "memory_search" in place.rules.read_text("utf-8")
    place.uninstall()
    assert place.all() == before


def test_every_agent_has_the_rules_and_its_notes_are_searched(place: Place) -> None:
    work, named = place.workspace / "work", place.root / "named"
    agents = '{defaults: {workspace: "WS"}, list: [{id: "main", workspace: "WS"}, {id: "work"}],'
    agents += ' entries: {writer: {workspace: "NAMED"}, nobody: {}}}'
    agents = agents.replace("WS", str(place.workspace)).replace("NAMED", str(named))
    place.config.write_text(f"{{ agents: {agents} }}", "utf-8")
    for folder in (work, named):
        folder.mkdir()
        (folder / "AGENTS.md").write_text("# 规则\n要友善。\n", "utf-8")
    before = place.all()
    place.install()
    for folder in (work, named):
        assert BLOCK in (folder / "AGENTS.md").read_text("utf-8")
        assert "回忆" in (folder / "skills" / "loxodon" / "SKILL.md").read_text("utf-8")
    note = named / "memory" / "2026-05-10.md"
    note.parent.mkdir()
    note.write_text("The yacht is called Ondine")
    with Memory.open(place.home) as memory:
        memory.workspace.index()
        assert "Ondine" in memory.recall("What is the yacht called?").context
    assert place.install()["changes"] == []
    assert {*place.status()["skill"]} == {"there"}
    note.unlink()
    note.parent.rmdir()
    place.uninstall()
    assert place.all() == before


def test_second_profile_does_not_take_the_memory_of_the_first(place: Place) -> None:
    place.install()
    second = place.root / ".openclaw-work"
    second.mkdir()
    (place.root / ".openclaw" / "workspace-work").mkdir(parents=True)
    before = place.all()
    words = ("install", "--yes", "--json")
    done = place.type(*words, code=4, OPENCLAW_PROFILE="work")
    assert b"another OpenClaw" in done.stderr
    assert place.all() == before
    home = str(place.root / "second")
    place.type(*words, OPENCLAW_PROFILE="work", LOXODON_HOME=home)
    assert (place.root / ".openclaw" / "workspace-work" / "skills" / "loxodon").is_dir()
    assert {state for states in place.status().values() for state in states} == {"there"}


def make_newer(place: Place) -> None:
    """An OpenClaw that keeps its sessions in a database."""
    folder = place.state / "agents" / "main" / "agent"
    folder.mkdir(parents=True)
    (folder / "openclaw-agent.sqlite").write_bytes(b"")


def test_older_and_newer_openclaw_are_set_up_differently(place: Place) -> None:
    beat = place.workspace / "HEARTBEAT.md"
    beat.write_text("# 心跳\n")
    place.rules.write_text("# 规则\n要友善。\n", "utf-8")
    across = "rememberAcrossConversations"
    before = place.all()
    place.install()
    assert across not in place.config.read_text("utf-8")  # an older one refuses what it knows not
    assert str(place.plugin) in place.config.read_text("utf-8")
    assert "48 小时" in beat.read_text("utf-8")
    assert "长期记忆" in place.rules.read_text("utf-8")
    skill = place.workspace / "skills" / "loxodon" / "SKILL.md"
    assert "回复之前先回忆" in skill.read_text("utf-8")
    place.uninstall()
    assert place.all() == before
    make_newer(place)
    before = place.all()
    place.install()
    assert f'"{across}": false' in place.config.read_text("utf-8")
    assert '"paths"' not in place.config.read_text("utf-8")
    assert beat.read_text() == "# 心跳\n"
    place.uninstall()
    assert place.all() == before


def test_what_the_user_changed_since_stays(place: Place) -> None:
    place.install()
    text = place.rules.read_text("utf-8").replace("memory_search", "whatever")
    place.rules.write_text("Above.\n" + text + "\nBelow.\n", "utf-8")
    config = place.config.read_text("utf-8").replace(SLOT, '"memory": "memory-wiki"')
    place.config.write_text(config, "utf-8")
    skill = place.workspace / "skills" / "loxodon" / "SKILL.md"
    skill.write_text("mine now")
    assert place.status()["rules"] == ["edited"]
    (left,) = place.uninstall()["left"]
    assert left["path"] == str(skill)
    assert "modified" in left["why"]
    rules = place.rules.read_text("utf-8")
    assert rules.startswith("Above.\n" + RULES)
    assert rules.endswith("\nBelow.\n")
    assert BLOCK not in rules
    assert '"memory-wiki"' in place.config.read_text("utf-8")
    assert "loxodon" not in place.config.read_text("utf-8")
    assert [path.name for path in skill.parent.iterdir()] == ["SKILL.md"]


def test_settings_that_openclaw_wrote_anew_lose_only_what_is_ours(place: Place) -> None:
    place.config.write_text('{"plugins": {"slots": {"memory": "memory-core"}}, "x": 1}')
    place.install()
    found = json.loads(place.config.read_text("utf-8"))
    found["meta"] = {"lastTouchedVersion": "2026.9.6"}
    found["plugins"]["entries"]["other"] = {"enabled": True}
    found["mcp"] = {"servers": {"docs": {"url": "http://127.0.0.1"}}}
    place.config.write_text(json.dumps(found, indent=4, sort_keys=True))
    place.uninstall()
    assert json.loads(place.config.read_text("utf-8")) == {
        "plugins": {"slots": {"memory": "memory-core"}, "entries": {"other": {"enabled": True}}},
        "mcp": {"servers": {"docs": {"url": "http://127.0.0.1"}}},
        "meta": {"lastTouchedVersion": "2026.9.6"},
        "x": 1,
    }


def test_views_go_and_edited_ones_stay(place: Place) -> None:
    before = place.all()
    place.install()
    with Memory.open(place.home) as memory:
        memory.capture("The user lives in Hangzhou")
        memory.workspace.export()
    insights = place.workspace / "memory" / "insights.md"
    whole = insights.read_text("utf-8")
    insights.write_text(whole + "\n- mine\n", "utf-8")
    shown = json.loads(place.type("uninstall", "--dry-run", "--json").stdout)
    assert str(insights) in [one["path"] for one in shown["left"]]
    insights.write_text(whole, "utf-8")
    assert {"change": "removed", "path": str(insights)} in place.uninstall()["changes"]
    assert place.all() == before


@each("text", cases(__file__, "settings"))
def test_settings_of_the_user_come_back(text: str) -> None:
    with TemporaryDirectory() as root:
        place = Place(Path(root))
        config = place.home / "config.toml"
        config.write_bytes(text.encode())
        place.install()
        with Memory.open(place.home) as memory:
            assert memory.workspace.path == str(place.workspace)
        place.uninstall()
        assert config.read_bytes() == text.encode()


@each("before", ["", "language = 'zh'\n", "[recall]\ntop = 5\n"])
def test_settings_that_were_written_since_stay(before: str) -> None:
    with TemporaryDirectory() as root:
        place = Place(Path(root))
        config = place.home / "config.toml"
        config.write_text(before)
        place.install()
        for key, value in (("workspace.views", "off"), ("schedule.daily", "0 4 * * *")):
            done = typed("config", key, value, env={"LOXODON_HOME": str(place.home)})
            assert done.returncode == 0
        set_here = {"workspace": {"views": "off"}, "schedule": {"daily": "0 4 * * *"}}
        place.install()
        run = json.loads((place.plugin / "command.json").read_text())
        assert run["job"]["schedule"]["expr"] == "0 4 * * *"
        place.uninstall()
        assert tomllib.loads(config.read_text("utf-8")) == tomllib.loads(before) | set_here


def test_another_space_keeps_its_own_folder(place: Place) -> None:
    place.install("--space", "阿明")
    assert not (place.home / "config.toml").exists()
    assert "阿明" in json.loads((place.plugin / "command.json").read_text("utf-8"))["command"]


def test_rules_that_are_missing_or_elsewhere_are_left_alone(place: Place) -> None:
    other = place.root / "elsewhere.md"
    place.rules.rename(other)
    assert "does not exist" in place.install()["left"][0]["why"]
    assert not place.rules.exists()
    place.uninstall()
    place.rules.symlink_to(other)
    assert "link" in place.install()["left"][0]["why"]
    assert other.read_text("utf-8") == RULES


def test_config_is_made_where_there_is_none(place: Place) -> None:
    place.config.unlink()
    before = place.all()
    place.install()
    assert SLOT in place.config.read_text("utf-8")
    assert stat.S_IMODE(place.config.stat().st_mode) == 0o600
    place.uninstall()
    assert place.all() == before


@pytest.mark.parametrize(
    ("name", "data", "told"),
    [
        ("AGENTS.md", b"\xff\xfe\x00", b"not UTF-8"),
        ("skills/loxodon/SKILL.md", b"theirs", b"not created by Loxodon"),
        ("BOOTSTRAP.md", b"Who am I?", b"BOOTSTRAP.md"),
    ],
)
def test_workspace_that_is_not_ready_is_refused(
    place: Place, name: str, data: bytes, told: bytes
) -> None:
    path = place.workspace / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    before = place.all()
    words = ("install", "--state", str(place.state), "--yes")
    assert told in place.type(*words, code=4).stderr
    assert place.all() == before


def test_change_is_shown_first_and_confirmed(place: Place) -> None:
    before = place.all()
    words = ("install", "--state", str(place.state))
    out = place.type(*words, "--dry-run").stdout.decode()
    for path in (place.rules, place.config):
        assert f"changed  {path}" in out
    assert "s3cret" not in out
    place.type(*words, code=2)  # nobody to be asked
    assert place.all() == before
    for answer in ("n", "", "是"):
        ours, theirs = os.openpty()
        os.write(ours, f"{answer}\n".encode())
        command = [sys.executable, "-m", "loxodon", "openclaw", *words, "--home", str(place.home)]
        done = subprocess.run(command, stdin=theirs, capture_output=True, text=True)
        os.close(ours)
        os.close(theirs)
        assert done.returncode == 0, done.stderr
        assert (place.all() == before) == (answer != "是")
    assert str(place.rules) in place.type("status").stdout.decode()
    assert "s3cret" not in place.type("uninstall", "--yes").stdout.decode()


def test_channels_without_an_owner_are_told(place: Place) -> None:
    words = ("install", "--state", str(place.state), "--yes")
    assert b"ownerAllowFrom" not in place.type(*words).stdout
    channels = (
        "{ telegram: { allowFrom: ['*'] }, slack: { allowFrom: ['U1'] }, irc: {enabled: false} }"
    )
    text = place.config.read_text("utf-8").replace("{", f"{{ channels: {channels},", 1)
    place.config.write_text(text, "utf-8")
    place.type("uninstall", "--yes")
    assert b"telegram" in place.type(*words).stdout
    text = text.replace("{", "{ commands: { ownerAllowFrom: ['telegram:42'] },", 1)
    place.config.write_text(text, "utf-8")
    assert b"ownerAllowFrom" not in place.type(*words).stdout


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="Python itself can unpack")
def test_scripts_of_the_skill_call_the_memory(place: Place) -> None:
    place.install()
    scripts = place.workspace / "skills" / "loxodon" / "scripts"
    # What lies in the folder it runs in is not taken for the program.
    (place.workspace / "loxodon.py").write_text("raise SystemExit(9)")

    def run(name: str, *words: str, code: int = 0, **environment: str) -> str:
        done = subprocess.run(
            [sys.executable, str(scripts / name), *words],
            capture_output=True,
            text=True,
            env=os.environ | environment,
            cwd=place.workspace,
        )
        assert done.returncode == code, done.stderr
        return done.stdout

    run("memory.py", "init")
    labels = ("--type", "fact", "--importance", "1.0", "--entities", "用户")
    run("memory.py", "capture", "-- 用户对花生过敏", *labels)
    assert "花生" in run("recall_memory.py", "--query=--花生")
    assert "花生" not in run("recall_memory.py", "--query", "花生", "--chat", "group")
    asked = ("--query", "花生", "--chat", "direct")
    assert "花生" not in run("recall_memory.py", *asked, LOXODON_CHAT="group")
    assert json.loads(run("memory.py", "stats", "--json"))["active"] == 1
    run("memory.py", "consolidate", "--force")
    run("memory.py", "forget", code=2)
