"""An export: what is on disk, when it changes, and what consolidation does with it."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loxodon import Memory
from loxodon.errors import InputError, UsageError
from loxodon.types import Segment
from loxodon.workspace.views import insights, projects, segments
from loxodon.workspace.views.entries import state_of
from tests.clock import Clock

SAID = (
    "我对花生过敏，记住。",
    "我住在北京。",
    "我在一家银行上班。",
    "My sister Mei lives in Osaka.",
    "I'm learning the violin on Tuesdays.",
)


@pytest.fixture
def lived(memory: Memory) -> Memory:
    memory.add([{"role": "user", "content": text} for text in SAID], session="monday")
    memory.capture("发布定在周五", tags=["发布"], project="Loxodon")
    memory.capture("写迁移指南", category="plan", project="Loxodon")
    memory.archive(memory.capture("old news").id)
    memory.consolidate()
    return memory


def views(memory: Memory) -> Path:
    return Path(memory.workspace.path) / "memory"


def files(root: Path) -> dict[str, tuple[int, bytes]]:
    return {
        str(path.relative_to(root)): (path.stat().st_mtime_ns, path.read_bytes())
        for path in root.rglob("*")
        if path.is_file()
    }


def test_consolidation_writes_every_view(lived: Memory) -> None:
    found = set(files(views(lived)))
    assert {
        "insights.md",
        "tags.json",
        "projects.md",
        "USER.md",
        "layer1/snapshot.md",
        "segments/2026-02-04-001.md",
        "daily/2026-02-04.md",
        "layer2/entities/_index.json",
        *(
            f"layer2/{pool}/{kind}.jsonl"
            for pool in ("active", "archive")
            for kind in ("facts", "beliefs", "summaries")
        ),
        *(f"layer2/index/{name}.json" for name in ("keywords", "timeline", "relations")),
        *(f"state/{name}.json" for name in ("consolidation", "rankings", "pending_activate")),
    } <= found


def test_facts_stand_in_insights_with_all_that_is_said_of_them(lived: Memory) -> None:
    text = (views(lived) / "insights.md").read_text("utf-8")
    found = insights.parse("insights.md", text)
    assert not found.problems
    known = {one.id: one for one in lived.list(kind="fact", state="all")}
    assert {entry.id for entry in found.entries} == set(known)
    for entry in found.entries:
        one = known[entry.id]
        assert (entry.content, state_of(entry), entry.version, entry.importance) == (
            one.content,
            one.state,
            one.version,
            one.importance,
        )
        assert (entry.tags or ()) == one.tags
    assert "## 归档事实" in text  # most of the memories are Chinese


def test_projects_have_their_facts_and_plans(lived: Memory) -> None:
    text = (views(lived) / "projects.md").read_text("utf-8")
    assert "## Loxodon\n\n- [f_20260204_001] 发布定在周五\n\n### 计划\n\n- [ ] [f_" in text
    entries = projects.parse("projects.md", text).entries
    assert {entry.section for entry in entries} == {"Loxodon"}


def test_tags_lead_to_facts_and_segments(lived: Memory) -> None:
    found = json.loads((views(lived) / "tags.json").read_text("utf-8"))
    assert found["index"]["发布"]["insights"] == ["f_20260204_001"]
    assert found["meta"]["total_tags"] == len(found["index"])
    assert found["meta"]["last_updated"] == "2026-02-04T10:00:00Z"
    names = {id for tag in found["index"].values() for id in tag["segments"]}
    assert names == {"2026-02-04-001"}


def test_a_segment_is_what_the_store_has(lived: Memory) -> None:
    name = "segments/2026-02-04-001.md"
    text = (views(lived) / name).read_text("utf-8")
    assert "\nfact_count: 6\n" in text or "\nfact_count: 5\n" in text
    (row,) = lived._store.primary.dump("segments")
    assert segments.parse(name, text) == row
    assert segments.parse(name, text.replace("\n", "\r\n")) == row
    for nonsense in ("", "---\nloxodon: segment\n---\n\nx\n", text[:-1], text.replace("t_", "u_")):
        with pytest.raises(InputError, match="2026-02-04-001"):
            segments.parse(name, nonsense)


TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=40)


@given(TEXT, TEXT, st.lists(TEXT, max_size=3), TEXT.filter(bool))
def test_any_segment_comes_back(text: str, topic: str, tags: list[str], session: str) -> None:
    row = (
        7,
        session,
        12,
        20,
        1_770_199_200_123,
        1_770_199_260_000,
        -210,
        topic,
        json.dumps(tags, ensure_ascii=False),
        text,
    )
    view = segments.made("segments/x.md", row, "main", 3)
    assert segments.parse("segments/x.md", view.text) == row


def test_a_day_that_passes_changes_no_file(lived: Memory, clock: Clock) -> None:
    before = files(views(lived))
    for days in (0, 1, 40):
        clock.pass_days(days)
        done = lived.workspace.export()
        assert (done.written, done.removed, done.kept) == (0, 0, ())
    assert files(views(lived)) == before


def test_only_what_changed_is_written(lived: Memory) -> None:
    before = files(views(lived))
    lived.edit("f_20260204_001", content="发布改到周四")
    lived.workspace.export()
    after = files(views(lived))
    changed = {name for name in after if after[name] != before.get(name)}
    assert {"insights.md", "projects.md", "layer2/active/facts.jsonl"} <= changed
    assert not {name for name in changed if name.startswith(("daily/", "layer2/archive"))}
    assert "发布改到周四" in after["insights.md"][1].decode()


def test_many_facts_are_split_by_month_and_joined_again(
    memory: Memory, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = views(memory)

    def exported(split_above: int, join_below: int) -> list[str]:
        monkeypatch.setattr(insights, "SPLIT_ABOVE", split_above)
        monkeypatch.setattr(insights, "JOIN_BELOW", join_below)
        memory.workspace.export()
        return sorted(path.name for path in (root / "insights").glob("*"))

    for n in range(7):
        memory.capture(f"fact {n}")
        clock.pass_days(10)
    months = ["2026-02.md", "2026-03.md", "2026-04.md"]
    assert exported(7, 5) == []
    assert exported(6, 5) == months
    index = (root / "insights.md").read_text("utf-8")
    assert "| [2026-02](insights/2026-02.md) | 3 | 0 |" in index
    assert insights.parse("insights.md", index).entries == ()
    assert memory.workspace.export().written == 0
    assert exported(7, 5) == months  # not to and fro
    march = (root / "insights" / "2026-03.md").stat().st_mtime_ns
    memory.capture("one more")
    assert exported(9, 5) == months
    assert (root / "insights" / "2026-03.md").stat().st_mtime_ns == march
    assert exported(10, 9) == []
    entries = insights.parse("insights.md", (root / "insights.md").read_text("utf-8")).entries
    assert len(entries) == 8


@pytest.mark.parametrize(
    ("language", "heading"), [("en", "## Active facts"), ("zh", "## 活跃事实")]
)
def test_headings_are_in_the_language_that_is_set(
    tmp_path: Path, clock: Clock, language: str, heading: str
) -> None:
    with Memory.open(tmp_path, config={"language": language}, clock=clock) as memory:
        memory.capture("x" if language == "zh" else "喜欢喝茶")
        memory.workspace.export()
        assert heading in (views(memory) / "insights.md").read_text("utf-8")


def test_an_edit_is_kept_until_consolidation_takes_it_in(lived: Memory) -> None:
    path = views(lived) / "insights.md"
    path.write_text(path.read_text("utf-8").replace("发布定在周五", "发布定在周六"), "utf-8")
    assert [one.file for one in lived.workspace.export().kept] == ["insights.md"]
    assert "周六" in path.read_text("utf-8")
    lived.consolidate(force=True)
    assert lived.get("f_20260204_001").content == "发布定在周六"
    assert "`v2`" in path.read_text("utf-8")
    assert "周六" in (views(lived) / "projects.md").read_text("utf-8")


def test_nothing_is_made_for_an_empty_memory(memory: Memory) -> None:
    assert memory.consolidate(force=True).ran
    assert not Path(memory.workspace.path).exists()


def test_views_can_be_switched_off(tmp_path: Path, clock: Clock) -> None:
    with Memory.open(tmp_path, config={"workspace.views": "off"}, clock=clock) as memory:
        memory.add([{"role": "user", "content": SAID[0]}])
        assert memory.consolidate().ran
        assert not Path(memory.workspace.path).exists()


def test_what_cannot_be_written_fails_no_consolidation(tmp_path: Path, clock: Clock) -> None:
    (tmp_path / "file").write_text("x")
    config = {"workspace.path": str(tmp_path / "file" / "agent")}
    with Memory.open(tmp_path / "home", config=config, clock=clock) as memory:
        memory.add([{"role": "user", "content": SAID[0]}])
        done = memory.consolidate()
        assert done.ran
        assert done.counts["added"]
        assert "file" in done.views
        assert memory.status().views == done.views
        (tmp_path / "file").unlink()
        assert memory.consolidate(force=True).views == ""
        assert memory.status().views == ""
        assert memory.workspace.export().written == 0


def test_the_agents_own_files_are_not_touched(tmp_path: Path, clock: Clock) -> None:
    agent = tmp_path / "agent"
    (agent / "memory").mkdir(parents=True)
    own = {"MEMORY.md": "mine", "USER.md": "me", "memory/2026-02-04.md": "today"}
    for name, text in own.items():
        (agent / name).write_text(text)
    config = {"workspace.path": str(agent)}
    with Memory.open(tmp_path / "home", config=config, clock=clock) as memory:
        memory.add([{"role": "user", "content": SAID[0]}])
        memory.consolidate()
        assert (agent / "memory" / "insights.md").exists()
    with Memory.open(tmp_path / "home", "other", config=config, clock=clock) as memory:
        memory.capture("x")
        memory.workspace.export()
        assert not memory.workspace.path.startswith(str(agent))
    for name, text in own.items():
        assert (agent / name).read_text() == text


SECRETS = {
    "mail": "ada@example.org",
    "phone": "13800138000",
    "card": "4111 1111 1111 1111",
    "id": "11010519491231002X",
    "key": "sk-a8Kd93jfPq27mnXp1234",
}


def test_masked_copies_tell_no_numbers_and_go_nowhere_else(lived: Memory, tmp_path: Path) -> None:
    for name, secret in SECRETS.items():
        lived.capture(f"{name}是{secret}", tags=[secret], project=f"p {secret}")
        lived.add([{"role": "user", "content": f"call {secret} now", "id": name}])
    done = lived.workspace.export(tmp_path / "copy", masked=True)
    assert done.masked
    for name, (_, data) in files(tmp_path / "copy").items():
        for secret in SECRETS.values():
            assert secret not in data.decode(), name
        if name.endswith(".json"):
            json.loads(data)
    text = (tmp_path / "copy" / "memory" / "insights.md").read_text("utf-8")
    assert "[mail a••@example.org]" in text
    assert "[f_20260204_001]" in text  # ids stay
    assert json.loads((tmp_path / "copy/memory/state/views.json").read_text())["loxodon"]["masked"]
    with pytest.raises(UsageError):
        lived.workspace.export(masked=True)
    with pytest.raises(InputError):
        lived.workspace.export(tmp_path / "copy")


def test_times_with_milliseconds_and_zones_come_back(memory: Memory) -> None:
    memory.add([{"role": "user", "content": "x"}], session="s")
    at = datetime(2026, 2, 4, 10, 0, 0, 123_000, tzinfo=UTC)
    with memory._store.writing():
        memory._store.worklog.put_segments([Segment("s", 1, 1, at, at, "t", (), "x")])
    memory.workspace.export()
    (path,) = (views(memory) / "segments").iterdir()
    assert "started_at: 2026-02-04T10:00:00.123+00:00" in path.read_text("utf-8")
