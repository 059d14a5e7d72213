"""The examples of the design documents, row by row, and other phrases of the same kind."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from loxodon import Memory
from loxodon.cli import main
from loxodon.status import EXPECTED
from tests.cases import cases
from tests.clock import NOW, Clock
from tests.long import some

ROWS = some(cases(__file__, "row"), 4)


def talk(memory: Memory, clock: Clock, said: list[Any]) -> None:
    """Say one thing after another, each learned before the next; `[day, text]` on a day, and what
    is to be captured with its fields."""
    for n, text in enumerate(said):
        if isinstance(text, dict):
            memory.capture(**text)
            continue
        if isinstance(text, list):
            day, text = text
            clock.now = datetime.fromisoformat(day).replace(hour=10, tzinfo=NOW.tzinfo)
        clock.now += timedelta(minutes=1)
        memory.add([{"id": f"m{n}", "role": "user", "content": text}], session=f"{clock.now:%d}")
        memory.consolidate(force=True)


@pytest.mark.parametrize("row", ROWS, ids=[f"{row['name']} {row['said'][-1]}" for row in ROWS])
def test_a_row_is_replayed(tmp_path: Path, clock: Clock, row: dict[str, Any]) -> None:
    config = {"timezone": "Asia/Shanghai", "workspace.views": "off", **row.get("config", {})}
    with Memory.open(tmp_path, config=config, clock=clock) as memory:
        talk(memory, clock, row["said"])
        known = {one.content: one for one in memory.list()}
        for content, fields in row.get("known", {}).items():
            assert content in known, list(known)
            told = {name: getattr(known[content], name) for name in fields}
            assert json.loads(json.dumps(told)) == fields
        for words in row.get("unknown", ()):
            assert not any(words in content for content in known), list(known)
        assert row.get("over", []) == [one.content for one in memory.list(state="archived")]
        if asks := row.get("asks"):
            assert asks == [one.belief.content for one in memory.reviews()]
        assert not row.get("sensitive") or {one.sensitivity for one in known.values()} == {"high"}
        assert all(memory.gate(one).recall for one in row.get("recalled", ()))
        for question, line in row.get("context", {}).items():
            assert line in memory.recall(question).context
        for name, aliases in row.get("entities", {}).items():
            assert {*aliases} <= {*memory.entity(name).entity.aliases}


def views(tmp_path: Path, clock: Clock, said: list[Any], config: dict[str, Any]) -> Path:
    with Memory.open(tmp_path / "home", config=config, clock=clock) as memory:
        talk(memory, clock, said)
        return Path(memory.workspace.path) / "memory"


@pytest.mark.parametrize("page", cases(__file__, "page"), ids=lambda page: str(page["name"]))
def test_a_page_is_replayed(tmp_path: Path, clock: Clock, page: dict[str, Any]) -> None:
    config = {"timezone": "Asia/Shanghai", "language": "zh"}
    folder = views(tmp_path, clock, page["said"], config)
    for name, lines in page["files"].items():
        text = (folder / name).read_text("utf-8")
        assert [line for line in lines if line not in text] == [], text
    for name, lines in page.get("without", {}).items():
        assert not any(line in (folder / name).read_text("utf-8") for line in lines)


def test_a_phase_alone_and_a_crowded_memory_of_001(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.add([{"role": "user", "content": "我叫张三", "id": "m0"}])
    assert memory.consolidate(phase=2).ran
    assert memory.status().crowded == ()
    assert EXPECTED["active"] == 200
    monkeypatch.setitem(EXPECTED, "active", 2)
    for n in range(3):
        memory.capture(f"用户的第{n}个设备放在{n}号柜")
    assert memory.status().crowded == ("active",)


@pytest.mark.parametrize("case", cases(__file__, "config"), ids=lambda case: str(case["name"]))
def test_a_configuration_of_a_document_is_taken_over(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], case: dict[str, Any]
) -> None:
    (path := tmp_path / "config.json").write_text(
        f"// {path}\n{json.dumps(case['given'])}", "utf-8"
    )
    main(["--home", str(tmp_path), "--json", "config", "--from", str(path)])
    assert json.loads(capsys.readouterr().out) == case["found"]
    main(["--home", str(tmp_path), "--json", "config", "--all"])
    assert case["found"]["taken"].items() <= json.loads(capsys.readouterr().out).items()


def test_what_the_environment_sets_is_shown_as_in_004(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in {"MODEL": "gpt-5", "MAX_TOKENS": "128000", "ENABLED": "false"}.items():
        monkeypatch.setenv(f"LOXODON_MEMORY_{name}", value)
    main(["--home", str(tmp_path), "--json", "config", "--all"])
    shown = {"model.name": "gpt-5", "model.max_tokens": 128_000, "enabled": False}
    assert shown.items() <= json.loads(capsys.readouterr().out).items()


def test_a_memory_file_of_003_is_core_knowledge(memory: Memory, tmp_path: Path) -> None:
    path = tmp_path / "MEMORY.md"
    for line, day in {
        "Prefers TypeScript over JavaScript": None,
        "[2025-11-03] Prefers tabs": "2025-11-03",
        "Prefers dark mode (added 2025-07-01)": "2025-07-01",
        "喜欢喝茶（2025年5月1日添加）": "2025-05-01",
        "Prefers trains (until 2025-08-01)": None,
        "Prefers tea `created: 2025-06-02`": "2025-06-02",
    }.items():
        path.write_text(f"## User Preferences\n- {line}\n", "utf-8")
        memory.workspace.take_in(str(path))
        one = memory.list()[0]
        assert (one.kind, one.category, one.importance) == ("fact", "preference", 1.0)
        assert line.split(" (")[0].split("] ")[-1].split(" `")[0] in memory.snapshot()
        since = one.valid_from
        assert (since and f"{since:%Y-%m-%d}") == day, line


def test_small_talk_alone_is_no_segment_of_000(memory: Memory, clock: Clock) -> None:
    talk(memory, clock, ["好的", "谢谢", "吃了没", "今天真的好累啊哈哈", "um, well, you know"])
    assert memory.segments() == []
    talk(memory, clock, [["2026-02-05", "我下周要去成都"]])
    assert [one.text for one in memory.segments()] == ["我下周要去成都"]


def test_the_frame_of_000_has_the_files_of_a_workspace(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    notes = {"USER.md": "喜欢直接的回答", "memory/2026-02-04.md": "接口定了 REST"}
    for name, text in {**notes, "memory/2026-02-02.md": "前天的事"}.items():
        (tmp_path / name).write_text(text, "utf-8")
    frame = memory.assemble("接口用什么？", workspace=tmp_path)
    assert notes["USER.md"] in frame.profile
    assert notes["memory/2026-02-04.md"] in frame.recent
    assert "前天的事" not in frame.text
    group = memory.assemble("接口用什么？", workspace=tmp_path, chat="group")
    assert not any(text in group.text for text in notes.values())


def test_day_notes_of_003_say_what_a_line_is(memory: Memory, tmp_path: Path) -> None:
    lines = ["W: Kuzu 是图数据库", "WB: 不是前缀", "B: 部署了 v2.3.0", "- O(c=0.8): 用户更喜欢茶"]
    (tmp_path / "2026-02-03.md").write_text("\n".join(lines), "utf-8")
    memory.workspace.take_in(str(tmp_path))
    told = {one.content: (one.kind, one.category, one.confidence) for one in memory.list()}
    assert told == {
        "Kuzu 是图数据库": ("fact", "fact", 1.0),
        "部署了 v2.3.0": ("fact", "event", 1.0),
        "用户更喜欢茶": ("belief", "preference", 0.8),
    }


def test_a_days_notes_stand_once(memory: Memory, clock: Clock, tmp_path: Path) -> None:
    clock.now = datetime(2026, 2, 18, 18, tzinfo=NOW.tzinfo)
    (tmp_path / "memory").mkdir()
    notes = "# 2026-02-18\n\n## 10:30 AM - 接口\n讨论了 REST。决策：使用 REST 保持简单。\n"
    (tmp_path / "memory" / "2026-02-18.md").write_text(notes, "utf-8")
    (tmp_path / "USER.md").write_text("- 用户喜欢喝茶\n", "utf-8")
    memory.workspace.take_in(str(tmp_path))
    memory.consolidate(force=True)
    frame = memory.assemble("接口为什么用 REST？", workspace=tmp_path).text
    assert frame.count("使用 REST 保持简单") == 1
    assert frame.count("用户喜欢喝茶") == 1


def test_the_figures_of_001_agree(
    memory: Memory, clock: Clock, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = ["我们决定用 REST", "我今天去了北京", "通过升级驱动解决了死锁问题", "我叫张三"]
    talk(memory, clock, [["2026-02-03", one] for one in said])
    talk(memory, clock, [["2026-02-04", "我可能住在上海"]])
    found = memory.stats()
    assert found.kinds == {"fact": 4, "belief": 1, "summary": 1}
    assert f"记忆数：{found.total} | 活跃：{found.active}" in memory.snapshot("zh")
    assert found.next_consolidation
    main(["--home", str(tmp_path / "home"), "stats"])
    out = capsys.readouterr().out
    assert "fact 4 (67%), belief 1 (17%), summary 1 (17%)" in out


def test_contacts_and_projects_of_a_memory_file_of_003_are_known(
    memory: Memory, tmp_path: Path
) -> None:
    text = '## Preferences\n- Working on project "Acme Dashboard"\n## Key Contacts\n'
    text += "- Alice (alice@acme.example) - Design lead\n- 王芳：产品经理"
    (tmp_path / "MEMORY.md").write_text(text, "utf-8")
    memory.workspace.take_in(str(tmp_path))
    types = {one.name: one.type for one in memory.entities() if one.name != "user"}
    assert types == {"Acme Dashboard": "project", "Alice": "person", "王芳": "person"}
    assert memory.reviews() == []


def test_the_history_of_002_has_nothing_that_was_forgotten(tmp_path: Path) -> None:
    home = tmp_path / "home"
    said = [["2026-02-04", "我在北京工作"], ["2026-02-05", "我在上海工作"]]
    facts = views(tmp_path, Clock(), said, {}) / "layer2" / "active" / "facts.jsonl"
    assert "北京" in facts.read_text("utf-8")
    assert main(["--home", str(home), "forget", "--entity", "北京", "--yes"]) == 0
    assert "北京" not in facts.read_text("utf-8")
    assert "上海" in facts.read_text("utf-8")
