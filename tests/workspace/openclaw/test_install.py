"""An install puts everything in its place; an uninstall leaves every byte as it was."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from loxodon import Memory
from loxodon.errors import InputError, NotFoundError
from loxodon.serve.cli import main
from loxodon.workspace.openclaw import blocks, edits, install, json5
from loxodon.workspace.openclaw.follow import state_folder
from loxodon.workspace.openclaw.install import InstallPlan

CONFIG = """// mine
{
  agents: { defaults: { workspace: "WORKSPACE" } }, // here
  gateway: { auth: { token: 's3cret' } },
}
"""
RULES = "# Rules\n\nBe kind.\n"


class Place:
    """A user's folders, with an OpenClaw in one of them."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.home = root / "home"
        self.state = root / "state"
        self.workspace = root / "ws 工作"
        self.config = self.state / "openclaw.json"
        self.rules = self.workspace / "AGENTS.md"
        self.state.mkdir()
        self.workspace.mkdir()
        self.config.write_text(CONFIG.replace("WORKSPACE", str(self.workspace)), "utf-8")
        self.config.chmod(0o600)
        self.rules.write_text(RULES, "utf-8")

    def plan(self, space: str = "main") -> InstallPlan:
        place = install.place_of(str(self.home), space, str(self.state), "")
        return install.plan_install(place)

    def install(self) -> None:
        self.plan().carry_out()

    def uninstall(self) -> InstallPlan:
        plan = install.plan_uninstall(str(self.home))
        plan.carry_out()
        return plan

    def all(self) -> dict[str, tuple[int, bytes]]:
        """Every file and folder there is, with its mode."""
        found = sorted(self.root.rglob("*"))
        modes = {path: stat.S_IMODE(path.stat().st_mode) for path in found}
        return {
            str(path): (modes[path], path.read_bytes() if path.is_file() else b"") for path in found
        }

    def setting(self, *path: str) -> Any:
        node = json5.parse(self.config.read_text("utf-8")).at(path)
        return None if node is None else node.value


@pytest.fixture
def place(tmp_path: Path) -> Place:
    (tmp_path / "home").mkdir()
    return Place(tmp_path)


def test_everything_is_put_in_its_place(place: Place) -> None:
    place.install()
    skill = place.workspace / "skills" / "loxodon"
    assert (skill / "SKILL.md").read_text("utf-8").startswith("---\nname: loxodon\n")
    assert (skill / "scripts" / "memory.py").exists()
    plugin = place.state / "extensions" / "loxodon"
    assert json.loads((plugin / "openclaw.plugin.json").read_text())["kind"] == "memory"
    run = json.loads((plugin / "command.json").read_text("utf-8"))
    assert run["command"][0] == sys.executable
    assert run["state"] == str(place.state)
    assert run["job"]["schedule"] == {"kind": "cron", "expr": "0 3 * * *"}
    assert run["job"]["payload"]["argv"][-1] == "consolidate"
    assert place.setting("plugins", "slots", "memory") == "loxodon"
    assert place.setting("plugins", "entries", "loxodon", "hooks", "allowConversationAccess")
    assert place.setting("mcp") is None
    assert place.setting("gateway", "auth", "token") == "s3cret"
    assert "// mine" in place.config.read_text("utf-8")
    assert place.rules.read_text("utf-8").startswith(RULES)
    assert blocks.present(place.rules.read_text("utf-8"))
    with Memory.open(place.home) as memory:
        assert memory.workspace.path == str(place.workspace)
    assert all(one.state == "there" for one in install.parts(str(place.home)))


def test_an_uninstall_leaves_every_byte_as_it_was(place: Place) -> None:
    before = place.all()
    place.install()
    assert place.all() != before
    assert place.uninstall().left == []
    assert place.all() == before
    assert install.parts(str(place.home)) == []
    assert install.plan_uninstall(str(place.home)).changes == []


@pytest.mark.parametrize(
    "rules",
    [
        "",
        "x",
        "x\n",
        "x\n\n",
        "a\r\nb\r\n",
        "a\r\nb",
        "\ufeffx\n",
        "# 规则\n\n要友善。\n",
        "no end \t",
    ],
)
@pytest.mark.parametrize(
    "config",
    [
        "{}",
        "{\n}\n",
        '{"a": 1}',
        '{"plugins": {"slots": {"memory": "memory-core"}}}',
        "{ plugins: { allow: ['x'], entries: { other: {} } }, }",
        "{ plugins: { allow: ['x',], entries: { other: {} } }, }",
        "{plugins: {allow: [ /* y */ ]}}",
        '{\r\n  "mcp": {\r\n    "servers": {}\r\n  }\r\n}\r\n',
        "{\n  plugins: {\n    slots: { memory: 'memory-lancedb' }, // for now\n  },\n}\n",
    ],
)
def test_whatever_the_files_were_like(place: Place, rules: str, config: str) -> None:
    place.rules.write_bytes(rules.encode())
    place.config.write_bytes(config.encode())
    (place.state / "workspace").symlink_to(place.workspace)
    before = place.all()
    for _ in range(2):
        place.install()
        assert place.setting("plugins", "slots", "memory") == "loxodon"
        assert "loxodon" in (place.setting("plugins", "allow") or ["loxodon"])
    place.uninstall()
    assert place.all() == before


def test_a_second_install_changes_nothing(place: Place) -> None:
    place.install()
    assert place.plan().changes == []


def test_an_upgrade_replaces_what_the_last_version_put_there(place: Place) -> None:
    before = place.all()
    place.install()
    _as_by_an_older_version(place)
    place.install()
    assert not (place.workspace / "skills" / "loxodon" / "old.md").exists()
    assert "old words" not in place.rules.read_text("utf-8")
    assert "memory_search" in place.rules.read_text("utf-8")
    place.uninstall()
    assert place.all() == before


def _as_by_an_older_version(place: Place) -> None:
    """Let the record and the files say that another kit was installed."""
    path = place.home / install.RECORD
    record = json.loads(path.read_text("utf-8"))
    old = place.workspace / "skills" / "loxodon" / "old.md"
    old.write_text("old")
    record["files"][str(old)] = install._digest(b"old")
    piece = record["blocks"][str(place.rules)]
    changed = piece.replace("memory_search", "old words")
    record["blocks"][str(place.rules)] = changed
    place.rules.write_text(place.rules.read_text("utf-8").replace(piece, changed), "utf-8")
    path.write_text(json.dumps(record), "utf-8")


def test_an_mcp_server_of_an_earlier_version_goes(place: Place) -> None:
    before = place.all()
    place.install()
    path = place.home / install.RECORD
    record = json.loads(path.read_text("utf-8"))
    server = ("mcp", "servers", "loxodon")
    text, edit = edits.put(place.config.read_text("utf-8"), server, {"command": "python"})
    assert edit
    record["edits"].append(edit._asdict())
    record["setting"] = {k: v for k, v in record.pop("settings")[0].items() if k != "name"}
    place.config.write_text(text, "utf-8")
    path.write_text(json.dumps(record), "utf-8")
    place.install()
    assert place.setting("mcp") is None
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
        assert blocks.present((folder / "AGENTS.md").read_text("utf-8"))
        assert "回忆" in (folder / "skills" / "loxodon" / "SKILL.md").read_text("utf-8")
        (folder / "memory").mkdir()
    (named / "memory" / "2026-05-10.md").write_text("The yacht is called Ondine")
    with Memory.open(place.home) as memory:
        memory.workspace.index()
        assert "Ondine" in memory.recall("What is the yacht called?").context
    assert place.plan().changes == []
    found = install.parts(str(place.home))
    assert [one.state for one in found] == ["there"] * len(found)
    assert len([one for one in found if one.name == "skill"]) == 3
    (named / "memory" / "2026-05-10.md").unlink()
    for folder in (work, named):
        (folder / "memory").rmdir()
    place.uninstall()
    ours = ("spaces", "audit", "keys")
    kept = {path for path in place.all() if not any(f"/home/{one}" in path for one in ours)}
    assert kept == set(before)


def test_a_second_profile_does_not_take_the_memory_of_the_first(place: Place) -> None:
    place.install()
    second = place.root / ".openclaw-work"
    second.mkdir()
    older = place.root / ".openclaw" / "workspace-work"
    older.mkdir(parents=True)
    assert state_folder(None, {"OPENCLAW_PROFILE": "work"}).endswith("/.openclaw-work")
    other = install.place_of(str(place.home), "main", str(second), "")
    assert other.workspace == str(older)
    before = place.all()
    with pytest.raises(InputError, match="another OpenClaw"):
        install.plan_install(other)
    assert place.all() == before
    home = place.root / "second"
    home.mkdir()
    install.plan_install(other._replace(home=str(home))).carry_out()
    assert all(one.state == "there" for one in install.parts(str(place.home)))


def test_the_newer_openclaw_is_told_what_its_own_memory_cannot_do(place: Place) -> None:
    across = ("memory", "search", "rememberAcrossConversations")
    place.install()
    assert place.setting(*across) is None  # an older one refuses what it does not know
    plugin = str(place.state / "extensions" / "loxodon")
    assert place.setting("plugins", "load", "paths") == [plugin]
    place.uninstall()
    (place.state / "agents" / "main" / "agent").mkdir(parents=True)
    (place.state / "agents" / "main" / "agent" / "openclaw-agent.sqlite").write_bytes(b"")
    before = place.all()
    place.install()
    assert place.setting(*across) is False
    assert place.setting("plugins", "load") is None
    place.uninstall()
    assert place.all() == before


def test_what_the_user_writes_around_our_block_stays(place: Place) -> None:
    place.install()
    text = place.rules.read_text("utf-8")
    place.rules.write_text("Above.\n" + text + "\nBelow.\n", "utf-8")
    place.uninstall()
    assert place.rules.read_text("utf-8") == "Above.\n" + RULES + "\nBelow.\n"


def test_an_edited_block_goes_all_the_same(place: Place) -> None:
    place.install()
    text = place.rules.read_text("utf-8").replace("memory_search", "whatever")
    place.rules.write_text(text, "utf-8")
    states = {one.name: one.state for one in install.parts(str(place.home))}
    assert states["rules"] == "edited"
    place.uninstall()
    assert place.rules.read_text("utf-8").strip() == RULES.strip()


def test_settings_that_openclaw_wrote_anew_lose_only_what_is_ours(place: Place) -> None:
    place.config.write_text('{"plugins": {"slots": {"memory": "memory-core"}}, "x": 1}')
    (place.state / "workspace").symlink_to(place.workspace)
    place.install()
    found = json5.parse(place.config.read_text("utf-8")).value
    assert isinstance(found, dict)
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


def test_a_slot_that_another_took_since_stays_theirs(place: Place) -> None:
    place.install()
    text = place.config.read_text("utf-8")
    place.config.write_text(text.replace('"memory": "loxodon"', '"memory": "memory-wiki"'), "utf-8")
    place.uninstall()
    assert place.setting("plugins", "slots", "memory") == "memory-wiki"
    assert place.setting("plugins", "entries") is None


def test_a_file_of_ours_that_someone_edited_is_kept_and_told(place: Place) -> None:
    place.install()
    skill = place.workspace / "skills" / "loxodon" / "SKILL.md"
    skill.write_text("mine now")
    place.install()
    assert skill.read_text() == "mine now"
    assert place.uninstall().left == [(str(skill), "edited")]
    assert skill.read_text() == "mine now"
    assert not (skill.parent / "scripts").exists()


def test_views_go_and_edited_ones_stay(place: Place) -> None:
    before = place.all()
    place.install()
    with Memory.open(place.home) as memory:
        memory.capture("The user lives in Hangzhou")
        memory.workspace.export()
    insights = place.workspace / "memory" / "insights.md"
    assert insights.exists()
    plan = install.plan_uninstall(str(place.home))
    assert str(insights) in plan.views
    insights.write_text(insights.read_text("utf-8") + "\n- mine\n", "utf-8")
    assert (str(insights), "edited") in install.plan_uninstall(str(place.home)).left
    insights.write_text(insights.read_text("utf-8").removesuffix("\n- mine\n"), "utf-8")
    place.uninstall()
    ours = ("spaces", "audit", "keys")  # what the memory keeps of itself stays with it
    kept = {path for path in place.all() if not any(f"/home/{one}" in path for one in ours)}
    assert kept == set(before)


def test_a_setting_of_the_user_comes_back(place: Place) -> None:
    texts = ['[workspace]\npath = "/elsewhere"  # mine\nviews = "off"\n', "language = 'zh'\n"]
    texts += ["# nothing\n", "[workspace]\n", "[recall]\ntop = 5", "[recall]\r\ntop = 5\r\n"]
    texts += ["[workspace]\nviews = 'off'\n\n[recall]\ntop = 5\n"]
    for text in texts:
        (place.home / "config.toml").write_bytes(text.encode())
        place.install()
        with Memory.open(place.home) as memory:
            assert memory.workspace.path == str(place.workspace)
        place.uninstall()
        assert (place.home / "config.toml").read_bytes() == text.encode()


def test_settings_that_were_written_since_stay(place: Place) -> None:
    """By `loxodon config`, which writes below the header that the install put there."""
    config = place.home / "config.toml"
    for before in ("", "language = 'zh'\n", "[recall]\ntop = 5\n"):
        config.write_text(before)
        place.install()
        for key, value in (("workspace.views", "off"), ("schedule.daily", "0 4 * * *")):
            assert main(["config", key, value, "--home", str(place.home)]) == 0
        expected = tomllib.loads(before) | {
            "workspace": {"views": "off"},
            "schedule": {"daily": "0 4 * * *"},
        }
        place.install()
        ours = expected | {"workspace": {"views": "off", "path": str(place.workspace)}}
        assert tomllib.loads(config.read_text("utf-8")) == ours
        place.uninstall()
        assert tomllib.loads(config.read_text("utf-8")) == expected


def test_no_nightly_run_where_none_is_wanted(place: Place) -> None:
    for daily, expected in (("", None), ("30 4 * * *", "30 4 * * *")):
        (place.home / "config.toml").write_text(f'[schedule]\ndaily = "{daily}"\n')
        place.install()
        run = json.loads((place.state / "extensions" / "loxodon" / "command.json").read_text())
        assert (run["job"] and run["job"]["schedule"]["expr"]) == expected


def test_another_space_keeps_its_own_folder(place: Place) -> None:
    place.plan("阿明").carry_out()
    assert not (place.home / "config.toml").exists()
    plugin = place.state / "extensions" / "loxodon" / "command.json"
    assert "阿明" in json.loads(plugin.read_text("utf-8"))["command"]


def test_the_older_openclaw_gets_its_heartbeat_check(place: Place) -> None:
    beat = place.workspace / "HEARTBEAT.md"
    beat.write_text("# 心跳\n")
    place.rules.write_text("# 规则\n要友善。\n", "utf-8")
    before = place.all()
    place.install()
    assert "48 小时" in beat.read_text("utf-8")
    assert "长期记忆" in place.rules.read_text("utf-8")
    skill = place.workspace / "skills" / "loxodon" / "SKILL.md"
    assert "回复之前先回忆" in skill.read_text("utf-8")
    place.uninstall()
    assert place.all() == before
    (place.state / "agents" / "main" / "agent").mkdir(parents=True)
    (place.state / "agents" / "main" / "agent" / "openclaw-agent.sqlite").write_bytes(b"")
    place.install()
    assert beat.read_text() == "# 心跳\n"


def test_rules_that_are_not_there_are_not_made(place: Place) -> None:
    place.rules.unlink()
    plan = place.plan()
    assert plan.left == [(str(place.rules), "missing")]
    plan.carry_out()
    assert not place.rules.exists()


def test_a_link_that_leaves_the_workspace_is_left_alone(place: Place) -> None:
    other = place.root / "elsewhere.md"
    place.rules.rename(other)
    place.rules.symlink_to(other)
    plan = place.plan()
    assert plan.left == [(str(place.rules), "elsewhere")]
    plan.carry_out()
    assert other.read_text("utf-8") == RULES


def test_a_config_that_is_a_link_is_changed_where_it_is(place: Place) -> None:
    other = place.root / "dotfiles.json"
    place.config.rename(other)
    place.config.symlink_to(other)
    before = other.read_bytes()
    place.install()
    assert place.config.is_symlink()
    assert b"loxodon" in other.read_bytes()
    place.uninstall()
    assert other.read_bytes() == before


def test_no_config_at_all(place: Place) -> None:
    place.config.unlink()
    (place.state / "workspace").symlink_to(place.workspace)
    before = place.all()
    place.install()
    assert place.setting("plugins", "slots", "memory") == "loxodon"
    assert stat.S_IMODE(place.config.stat().st_mode) == 0o600
    place.uninstall()
    assert place.all() == before


def test_nothing_is_written_where_something_is_wrong(place: Place) -> None:
    (place.state / "workspace").symlink_to(place.workspace)
    odd: list[tuple[Path, bytes]] = [(place.rules, b"\xff\xfe\x00")]
    odd += [(place.config, data) for data in (b"{ not json", b"[]", b'{"plugins": 1}', b"\xff")]
    for name, data in odd:
        kept = name.read_bytes()
        name.write_bytes(data)
        before = place.all()
        with pytest.raises(InputError):
            place.install()
        assert place.all() == before
        name.write_bytes(kept)


def test_a_folder_of_that_name_that_is_not_ours_is_refused(place: Place) -> None:
    theirs = place.workspace / "skills" / "loxodon"
    theirs.mkdir(parents=True)
    (theirs / "SKILL.md").write_text("theirs")
    before = place.all()
    with pytest.raises(InputError, match="not created by Loxodon"):
        place.install()
    assert place.all() == before


def test_an_openclaw_that_has_not_met_its_owner_is_left_alone(place: Place) -> None:
    (place.workspace / "BOOTSTRAP.md").write_text("Who am I?")
    before = place.all()
    with pytest.raises(InputError, match=r"BOOTSTRAP\.md"):
        place.install()
    assert place.all() == before


def test_no_openclaw_no_workspace(place: Place) -> None:
    with pytest.raises(NotFoundError):
        install.place_of(str(place.home), "main", str(place.root / "nothing"), "")
    with pytest.raises(NotFoundError):
        install.place_of(str(place.home), "main", str(place.state), str(place.root / "nothing"))


def test_a_damaged_record_is_told(place: Place) -> None:
    place.install()
    for text in ("{", "[]", '{"version": 9}'):
        (place.home / install.RECORD).write_text(text)
        with pytest.raises(InputError):
            install.plan_uninstall(str(place.home))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder_is_told(place: Place) -> None:
    place.workspace.chmod(0o500)
    with pytest.raises(InputError):
        place.install()


# As a user


def _typed(place: Place, *words: str) -> list[str]:
    return ["openclaw", *words, "--home", str(place.home)]


def test_the_change_is_shown_first(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    before = place.all()
    assert main(_typed(place, "install", "--state", str(place.state), "--dry-run")) == 0
    out = capsys.readouterr().out
    assert "+<!-- loxodon:begin -->" in out
    assert '+ plugins.slots.memory: "loxodon"' in out
    assert "s3cret" not in out
    assert place.all() == before
    assert main(_typed(place, "install", "--state", str(place.state))) == 2  # nobody to be asked
    assert place.all() == before


def test_a_person_is_asked(place: Place) -> None:
    before = place.all()
    for answer in ("n", "", "是"):
        ours, theirs = os.openpty()
        os.write(ours, f"{answer}\n".encode())
        words = _typed(place, "install", "--state", str(place.state))
        done = subprocess.run(
            [sys.executable, "-m", "loxodon", *words], stdin=theirs, capture_output=True, text=True
        )
        os.close(ours)
        os.close(theirs)
        assert done.returncode == 0, done.stderr
        assert "+<!-- loxodon:begin -->" in done.stdout
        assert (place.all() == before) == (answer != "是")


def test_from_the_command_line(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(_typed(place, "install", "--state", str(place.state), "--yes", "--json")) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["done"]
    assert {one["change"] for one in found["changes"]} == {"new", "changed"}
    assert main(_typed(place, "status", "--json")) == 0
    assert json.loads(capsys.readouterr().out)["installed"]
    assert main(_typed(place, "status")) == 0
    assert str(place.rules) in capsys.readouterr().out
    assert main(_typed(place, "uninstall", "--yes")) == 0
    assert "s3cret" not in capsys.readouterr().out
    assert main(_typed(place, "status")) == 0
    assert main(_typed(place, "uninstall", "--yes", "--json")) == 0


def test_what_is_needed_and_missing_is_told(
    place: Place, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    install_it = _typed(place, "install", "--state", str(place.state), "--yes")
    assert main(install_it) == 0
    assert "ownerAllowFrom" not in capsys.readouterr().out
    monkeypatch.setattr(install, "can_unpack", lambda: False)
    before = place.all()
    assert main(install_it) == 6
    assert "[workspace]" in capsys.readouterr().err
    assert place.all() == before
    channels = (
        "{ telegram: { allowFrom: ['*'] }, slack: { allowFrom: ['U1'] }, irc: {enabled: false} }"
    )
    text = place.config.read_text("utf-8").replace("{", f"{{ channels: {channels},", 1)
    place.config.write_text(text, "utf-8")
    assert main(_typed(place, "status")) == 0
    out = capsys.readouterr().out
    assert "[workspace]" in out
    assert "on telegram OpenClaw" in out
    assert main(_typed(place, "status", "--json")) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["missing"], found["unowned"]) == ("workspace", ["telegram"])
    monkeypatch.undo()
    text = text.replace("{", "{ commands: { ownerAllowFrom: ['telegram:42'] },", 1)
    place.config.write_text(text, "utf-8")
    assert main(_typed(place, "status")) == 0
    assert "ownerAllowFrom" not in capsys.readouterr().out


def test_the_scripts_of_the_skill_call_the_memory(place: Place) -> None:
    place.install()
    scripts = place.workspace / "skills" / "loxodon" / "scripts"

    def run(name: str, *words: str, **environment: str) -> str:
        done = subprocess.run(
            [sys.executable, str(scripts / name), *words],
            capture_output=True,
            text=True,
            env=os.environ | environment,
            cwd=place.workspace,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    # What lies in the folder it runs in is not taken for the program.
    (place.workspace / "loxodon.py").write_text("raise SystemExit(9)")
    run("memory.py", "init")
    run(
        "memory.py",
        "capture",
        "-- 用户对花生过敏",
        "--type",
        "fact",
        "--importance",
        "1.0",
        "--entities",
        "用户",
    )
    assert "花生" in run("recall_memory.py", "--query=--花生")
    assert "花生" not in run("recall_memory.py", "--query", "花生", "--chat", "group")
    assert "花生" not in run("recall_memory.py", "--query", "花生", LOXODON_CHAT="group")
    assert "花生" not in run(
        "recall_memory.py", "--query", "花生", "--chat", "direct", LOXODON_CHAT="group"
    )
    assert json.loads(run("memory.py", "stats", "--json"))["active"] == 1
    run("memory.py", "consolidate", "--force")
    refused = subprocess.run([sys.executable, str(scripts / "memory.py"), "forget"])
    assert refused.returncode == 2


def test_the_plugin_is_answered_on_standard_input(place: Place) -> None:
    place.install()
    command = json.loads(
        (place.state / "extensions" / "loxodon" / "command.json").read_text("utf-8")
    )["command"]

    def ask(request: bytes) -> subprocess.CompletedProcess[bytes]:
        words = [*command, "openclaw", "answer", "--json"]
        return subprocess.run(words, input=request, capture_output=True, cwd=place.workspace)

    done = ask(b'{"want": "chat", "session": "agent:main:main"}')
    assert json.loads(done.stdout) == {"chat": "direct"}
    for nonsense in (b"", b"[]", b"{", b"\xff", b"[" * 100_000, b'{"want": "x"}'):
        assert ask(nonsense).returncode == 4
