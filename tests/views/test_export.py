"""An export: what is on disk, when it changes, and what is left alone."""

from __future__ import annotations

import json
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from loxodon import Memory
from loxodon.errors import InputError
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


def parsed(memory: Memory, name: str) -> Any:
    return json.loads((views(memory) / name).read_text("utf-8"))


def lines(memory: Memory, name: str) -> list[dict[str, Any]]:
    """The memories of a file."""
    return [json.loads(line) for line in (views(memory) / name).read_text("utf-8").splitlines()]


def files(root: Path) -> dict[str, tuple[int, bytes]]:
    return {
        str(path.relative_to(root)): (path.stat().st_mtime_ns, path.read_bytes())
        for path in root.rglob("*")
        if path.is_file()
    }


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")


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


def test_facts_stand_in_insights_and_projects(lived: Memory) -> None:
    text = (views(lived) / "insights.md").read_text("utf-8")
    for one in lived.list(kind="fact", state="all"):
        assert f"- [{one.id}] " in text
        assert one.content in text
    assert "## 归档事实" in text  # most of the memories are Chinese
    assert text.index("old news") > text.index("## 归档事实")
    assert "`tags: [发布]`" in text
    text = (views(lived) / "projects.md").read_text("utf-8")
    assert "## Loxodon\n\n- [f_20260204_001] 发布定在周五\n\n- [ ] [f_" in text


def test_line_of_a_memory_begins_as_in_the_layout(memory: Memory) -> None:
    memory.capture("用户对花生过敏", importance=1.0, entities=["用户"])
    memory.capture("maybe in tech", "belief", confidence=0.6)
    memory.archive(memory.capture("both", "summary").id)
    memory.workspace.export()
    (fact,) = lines(memory, "layer2/active/facts.jsonl")
    begin = ["id", "content", "importance", "score", "entities", "created", "source"]
    assert list(fact)[:7] == begin
    assert (fact["created"], fact["source"]) == ("2026-02-04T10:00:00Z", "capture:#1")
    assert {"confidence", "basis"} < lines(memory, "layer2/active/beliefs.jsonl")[0].keys()
    (summary,) = lines(memory, "layer2/archive/summaries.jsonl")
    assert summary["source_facts"] == []
    assert "state" not in summary


def test_indexes_lead_to_memories(lived: Memory) -> None:
    old = lived.capture("Mei visits", entities=["Mei", "loxodon"]).id
    lived.workspace.export()
    tags = parsed(lived, "tags.json")
    assert tags["index"]["发布"]["insights"] == ["f_20260204_001"]
    assert tags["meta"] == {
        **tags["meta"],
        "total_tags": len(tags["index"]),
        "last_updated": "2026-02-04T10:00:00Z",
    }
    segments = {id for tag in tags["index"].values() for id in tag["segments"]}
    assert segments == {"2026-02-04-001"}
    relations = parsed(lived, "layer2/index/relations.json")
    assert old in relations["Mei"]["facts"]
    assert relations["Loxodon"]["facts"] == [old]  # beside the mark of the file
    timeline = list(parsed(lived, "layer2/index/timeline.json").values())[1:]
    assert {id for ids in timeline for id in ids} == {one.id for one in lived.list()}
    entities = parsed(lived, "layer2/entities/_index.json")["entities"]
    (id,) = [one["id"] for one in entities if one["name"] == "Mei"]
    mei, card = parsed(lived, f"layer2/entities/{id}.json"), lived.entity("Mei")
    assert mei["related_facts"] == list(card.facts)
    assert {name: one["value"] for name, one in mei["attributes"].items()} == {
        name: one.value for name, one in card.attributes.items()
    }
    lived.archive(old)
    lived.workspace.export()
    assert old not in json.dumps(parsed(lived, "layer2/index/relations.json"))


def test_day_reads_well(memory: Memory) -> None:
    memory.add(
        [
            {"role": "user", "content": "hello\nthere", "speaker": "Ada", "at": "2026-02-04 17:00"},
            {"role": "assistant", "content": "good morning", "at": "2026-02-04T16:10:00+08:00"},
            {"role": "user", "content": "much later", "at": "2026-02-05T01:00:00+08:00"},
        ],
        session="monday",
    )
    memory.workspace.export()
    assert "> much later" in (views(memory) / "daily/2026-02-05.md").read_text("utf-8")
    found = (views(memory) / "daily/2026-02-04.md").read_text("utf-8").splitlines()
    assert found[2] == "# 2026-02-04"
    assert found[4] == "## 16:10:00 assistant · monday"
    assert found[8] == "## 17:00:00 Ada · monday"
    assert found[9:] == ["", "> hello", "> there"]


def test_segment_has_its_times_with_zones(memory: Memory) -> None:
    at = "2026-02-04T18:00:00.123+08:00"
    memory.add([{"role": "user", "content": "My sister Mei lives in Osaka.", "at": at}])
    memory.consolidate(force=True)
    (path,) = (views(memory) / "segments").iterdir()
    assert "started_at: 2026-02-04T18:00:00.123+08:00" in path.read_text("utf-8")


def test_only_what_changed_is_written(lived: Memory) -> None:
    before = files(views(lived))
    lived.edit("f_20260204_001", content="发布改到周四")
    lived.workspace.export()
    after = files(views(lived))
    changed = {name for name in after if after[name] != before.get(name)}
    assert {"insights.md", "projects.md", "layer2/active/facts.jsonl"} <= changed
    assert not {name for name in changed if name.startswith(("daily/", "layer2/archive"))}
    assert "发布改到周四" in after["insights.md"][1].decode()


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


# The folder


def test_files_are_for_their_owner_only(lived: Memory) -> None:
    for path in (views(lived), *views(lived).rglob("*")):
        mode = stat.S_IMODE(path.stat().st_mode)
        assert mode == (0o700 if path.is_dir() else 0o600), path
        assert not path.name.endswith(".tmp")


def test_file_that_is_not_ours_is_never_replaced(memory: Memory) -> None:
    own = {"tags.json": '{"mine": 1}', "insights.md": "# my own insights\n"}
    views(memory).mkdir(parents=True)
    for name, text in own.items():
        (views(memory) / name).write_text(text, "utf-8")
    memory.capture("tea")
    done = memory.workspace.export()
    assert {one.file for one in done.kept} == set(own)
    assert all(one.what and one.hint for one in done.kept)
    for name, text in own.items():
        assert (views(memory) / name).read_text("utf-8") == text


def test_edits_of_views_that_are_not_read_back_are_set_aside(lived: Memory) -> None:
    for n, name in enumerate(("USER.md.edited", "USER.md.edited-2")):
        edit(views(lived) / "USER.md", "\n# ", f"\nmine {n}\n# ")
        lived.capture(f"The user plays game {n}")
        assert [one.file for one in lived.workspace.export().kept] == ["USER.md"]
        assert f"mine {n}" in (views(lived) / name).read_text("utf-8")
        assert "mine" not in (views(lived) / "USER.md").read_text("utf-8")


def test_views_that_are_no_more_go(lived: Memory) -> None:
    at = "2026-02-03T10:00:00+08:00"
    lived.add([{"role": "user", "content": "hello there", "at": at}], session="tuesday")
    lived.workspace.export()
    assert (views(lived) / "daily" / "2026-02-03.md").exists()
    lived.forget(lived.journal(session="tuesday")[0].ref)
    lived.workspace.export()
    assert not (views(lived) / "daily" / "2026-02-03.md").exists()


def test_file_that_was_deleted_or_emptied_comes_back(lived: Memory) -> None:
    before = files(views(lived))
    (views(lived) / "insights.md").write_bytes(b"")  # as a power cut leaves it
    (views(lived) / "tags.json").unlink()
    assert lived.workspace.export().written == 2
    assert (views(lived) / "insights.md").read_bytes() == before["insights.md"][1]


def test_links_that_leave_the_folder_are_not_followed(memory: Memory, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("x")
    views(memory).mkdir(parents=True)
    (views(memory) / "layer2").symlink_to(outside)
    (views(memory) / "insights.md").symlink_to(outside / "secret.md")
    memory.capture("tea")
    kept = {one.file for one in memory.workspace.export().kept}
    assert {"insights.md", "layer2/active/facts.jsonl"} <= kept
    assert [path.name for path in outside.iterdir()] == ["secret.md"]
    assert (outside / "secret.md").read_text() == "x"


def test_spaces_do_not_mix(lived: Memory, tmp_path: Path, clock: Clock) -> None:
    lived.workspace.export(tmp_path / "out")
    with Memory.open(tmp_path / "home", "other", {}, clock) as other:
        other.capture("mine alone")
        with pytest.raises(InputError, match="main"):
            other.workspace.export(tmp_path / "out")
    manifest = tmp_path / "out" / "memory" / "state" / "views.json"
    whole = manifest.read_text("utf-8").replace('"version"', '"masked": true, "version"', 1)
    manifest.write_text(whole, "utf-8")  # as earlier versions wrote it
    with pytest.raises(InputError, match="masked"):
        lived.workspace.export(tmp_path / "out")


def test_list_of_views_cannot_point_outside(lived: Memory) -> None:
    path, victim = views(lived) / "state" / "views.json", views(lived).parent / "victim.md"
    victim.write_text((views(lived) / "USER.md").read_text("utf-8"), "utf-8")
    kept = json.loads(path.read_text("utf-8"))
    kept["files"]["../victim.md"] = kept["files"]["USER.md"]
    path.write_text(json.dumps(kept), "utf-8")
    lived.workspace.export()
    assert victim.exists()


def test_exports_at_once_do_not_mix(lived: Memory) -> None:
    config = {"timezone": "Asia/Shanghai"}

    def run(name: str) -> None:
        with Memory.open(lived.home, config=config, clock=lived.now) as memory:
            for n in range(5):
                memory.capture(f"{name} {n}")
                memory.workspace.export()

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(run, "ab"))
    synced = lived.workspace.sync()
    assert (synced.edited, synced.archived, synced.conflicts) == ((), (), ())
    assert len(lines(lived, "layer2/active/facts.jsonl")) == len(lived.list(kind="fact"))


def test_the_manifest_is_on_disk_after_what_it_tells_of(
    lived: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a power cut leaves an old page that seems to have been edited."""
    done: list[str] = []
    monkeypatch.setattr("loxodon.files.sync_folder", done.append)
    monkeypatch.setattr("loxodon.files.replace", lambda path, *rest: done.append(path))
    lived.capture("My bike is green")
    lived.workspace.export()
    root = str(views(lived))
    assert done[-2:] == [f"{root}/state/views.json", f"{root}/state"]
    assert root in done[:-2]
