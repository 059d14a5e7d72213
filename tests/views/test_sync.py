"""Edits of real views, taken into a real memory."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Barrier

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loxodon import InputError, Memory
from loxodon.types import FileProblem
from loxodon.views.sync import Synced
from tests.clock import NOW, Clock
from tests.long import count

FACTS = "layer2/active/facts.jsonl"
MANY = 20
"""Entries that a file may lose before somebody has to confirm it."""


class Desk:
    """A memory, its views, and a person who edits them."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.root = Path(memory.workspace.path) / "memory"

    def text(self, name: str = "insights.md") -> str:
        return (self.root / name).read_text("utf-8")

    def write(self, text: str, name: str = "insights.md") -> None:
        (self.root / name).write_text(text, "utf-8", newline="")

    def change(self, old: str, new: str, name: str = "insights.md") -> None:
        text = self.text(name)
        assert text.count(old) == 1, (old, text)
        self.write(text.replace(old, new), name)

    def append(self, text: str, name: str = "insights.md") -> None:
        self.write(self.text(name) + text, name)

    def line(self, id: str, name: str = FACTS) -> str:
        return next(line for line in self.text(name).splitlines() if f'"id": "{id}"' in line)

    def set(self, id: str, name: str = FACTS, **values: object) -> None:
        """Change fields of a line of JSON."""
        line = self.line(id, name)
        changed = json.dumps({**json.loads(line), **values}, ensure_ascii=False)
        self.change(line, changed, name)

    def entry(self, id: str) -> str:
        """The entry of a memory in insights.md, as it stands there."""
        text = self.text()
        start = text.index(f"- [{id}]")
        end = text.find("`v", start)
        return text[start : text.index("\n", end) + 1]

    def sync(self, **how: bool) -> Synced:
        return self.memory.workspace.sync(**how)


@pytest.fixture
def desk(memory: Memory) -> Desk:
    memory.capture("The user drinks tea", tags=["drinks"])
    memory.capture("用户住在杭州", project="homes")
    memory.capture("Rex is a dog", importance=0.8)
    memory.workspace.export()
    return Desk(memory)


def quiet(synced: Synced) -> bool:
    return synced._replace(indexed=Synced().indexed) == Synced()


def shape(found: tuple[FileProblem, ...]) -> list[tuple[str, int]]:
    return [(one.file, one.line) for one in found]


TEA, HOME, REX = "f_20260204_001", "f_20260204_002", "f_20260204_003"


def test_edits_are_the_users_own_changes(desk: Desk) -> None:
    desk.change("drinks tea", "drinks espresso")
    desk.change("tags: [drinks]", "tags: [drinks, 茶]")
    desk.change("用户住在杭州", "用户搬到了成都\n  在春熙路旁边")
    desk.set(REX, content="Rex is a cat", tags=["pets"], importance=0.25)
    assert set(desk.sync().edited) == {TEA, HOME, REX}
    tea, home, rex = (desk.memory.get(id) for id in (TEA, HOME, REX))
    assert (tea.content, tea.tags) == ("The user drinks espresso", ("drinks", "茶"))
    assert home.content == "用户搬到了成都\n在春熙路旁边"
    assert (rex.content, rex.tags, rex.importance) == ("Rex is a cat", ("pets",), 0.25)
    assert [step.change for step in desk.memory.history(TEA)] == ["captured", "edited"]
    assert desk.memory.recall("espresso").items[0].id == TEA
    assert desk.memory.recall("春熙路").items[0].id == HOME
    assert "Rex is a cat" in desk.text()
    assert "`v2`" in desk.entry(TEA)
    desk.change("importance: 0.25", "importance: 0.9")
    assert desk.sync().edited == (REX,)
    assert quiet(desk.sync())


def test_what_a_person_writes_is_understood(desk: Desk) -> None:
    new = """
- 我养了一只猫
- **Tea**: likes it green,
  and hot
  `tags: [tea，绿茶, "a, b"]` `importance: 0.9`
+ Rex
    - nested

  after an empty line
- once there was a boat `not: meta`
lazily continued
"""
    desk.change("## Archived facts", new + "\n## Archived facts")
    synced = desk.sync()
    assert (len(synced.added), synced.problems) == (4, ())
    found = {one.content: one for one in map(desk.memory.get, synced.added)}
    tea = found["Tea: likes it green,\nand hot"]
    assert (tea.tags, tea.importance) == (("tea", "绿茶", "a, b"), 0.9)
    assert "我养了一只猫" in found
    assert "Rex\n  - nested\n\nafter an empty line" in found
    assert "once there was a boat `not: meta`\nlazily continued" in found
    assert quiet(desk.sync())


def test_of_a_page_with_lines_that_make_no_sense_nothing_is_taken(desk: Desk) -> None:
    text = """- good news
  `importance: banana` `tags: [a`

a stray paragraph
- [f_20260204_777] **Label**:
-
- [f_2026_2] mangled
| a table | is fine |

"""
    desk.change("## Archived facts", text + "## Archived facts")
    first = desk.text().split("- good news")[0].count("\n")
    synced = desk.sync()
    assert synced.added == ()
    assert sorted(one.line - first for one in synced.problems) == [2, 2, 4, 5, 6, 7]
    assert {one.file for one in synced.problems} == {"insights.md"}


def test_plan_that_is_ticked_is_done(desk: Desk) -> None:
    plan = desk.memory.capture("write it", category="plan", project="homes")
    desk.memory.edit(plan.id, due_at=NOW)
    desk.memory.workspace.export()
    assert "  `due: 2026-02-04`" in desk.text("projects.md")
    desk.change(f"- [ ] [{plan.id}]", f"- [x] [{plan.id}]", "projects.md")
    assert desk.sync().edited == (plan.id,)
    assert desk.memory.get(plan.id).done


def test_new_lines_are_new_memories_with_their_place_as_source(desk: Desk) -> None:
    entry = desk.entry(REX)
    desk.change(entry, entry + "\n- Rex hates the vacuum cleaner\n")
    desk.append("\n- 阳台要重新刷漆\n", "projects.md")
    desk.append('{"content": "喜欢爬山", "tags": ["运动"], "subject": "user"}\n', FACTS)
    desk.append('{"content": "may like jazz", "confidence": 0.4}\n', "layer2/active/beliefs.jsonl")
    found = {one.content: one for one in map(desk.memory.get, desk.sync().added)}
    rex = found["Rex hates the vacuum cleaner"]
    assert (rex.trust, rex.kind, rex.sources[0].session) == ("user", "fact", "capture")
    assert (rex.sources[1].file, (rex.sources[1].line or 0) > 1) == ("memory/insights.md", True)
    assert f"[{rex.id}]" in desk.text()
    assert found["阳台要重新刷漆"].project == "homes"
    assert (found["喜欢爬山"].tags, found["喜欢爬山"].subject) == (("运动",), "user")
    jazz = found["may like jazz"]
    assert (jazz.kind, jazz.confidence) == ("belief", 0.4)
    assert quiet(desk.sync())


def test_deleted_lines_archive(desk: Desk) -> None:
    desk.change(desk.entry(TEA), "")
    desk.change(desk.line(REX) + "\n", "", FACTS)
    assert set(desk.sync().archived) == {TEA, REX}
    assert desk.memory.get(TEA).state == "archived"
    assert desk.memory.history(TEA)[-1].change == "archived"
    assert TEA in desk.text("layer2/archive/facts.jsonl")
    desk.change(desk.entry(TEA), "")  # of one that is archived it is only noted
    synced = desk.sync()
    assert (synced.archived, TEA in synced.notes[0].what) == ((), True)
    assert quiet(desk.sync())


def test_lines_are_moved_to_the_archived_and_back(desk: Desk) -> None:
    line = desk.line(TEA)
    desk.change(line + "\n", "", FACTS)
    desk.append(line + "\n", "layer2/archive/facts.jsonl")
    synced = desk.sync()
    assert (synced.archived, synced.conflicts) == ((TEA,), ())
    line = desk.line(TEA, "layer2/archive/facts.jsonl")
    desk.change(line + "\n", "", "layer2/archive/facts.jsonl")
    desk.append(line + "\n", FACTS)
    assert desk.sync().unarchived == (TEA,)
    assert desk.memory.get(TEA).state == "active"
    assert quiet(desk.sync())


# Conflicts


def test_a_memory_that_has_moved_on_is_a_conflict_and_the_file_stays(desk: Desk) -> None:
    desk.change("drinks tea", "drinks espresso")
    desk.memory.edit(TEA, content="The user drinks milk")
    before = desk.text()
    synced = desk.sync()
    assert shape(synced.conflicts)[0][0] == "insights.md"
    assert "espresso" in synced.conflicts[0].what
    assert "milk" in synced.conflicts[0].what
    assert desk.memory.get(TEA).content == "The user drinks milk"
    assert desk.text() == before
    assert desk.sync().conflicts == synced.conflicts


def test_conflict_is_settled_by_naming_the_newer_version_or_saying_the_same(desk: Desk) -> None:
    for wanted in ("espresso", "milk"):
        desk.memory.edit(TEA, content="The user drinks tea")
        desk.memory.workspace.export()
        version = desk.memory.get(TEA).version
        desk.change("drinks tea", "drinks espresso")
        desk.memory.edit(TEA, content="The user drinks milk")
        assert desk.sync().conflicts
        entry = desk.entry(TEA)
        changed = entry.replace(f"`v{version}`", f"`v{version + 1}`")
        desk.change(entry, changed if wanted == "espresso" else entry.replace("espresso", "milk"))
        assert desk.sync().conflicts == ()
        assert desk.memory.get(TEA).content == f"The user drinks {wanted}"
        assert quiet(desk.sync())


def test_ids_and_versions_that_are_not_known(desk: Desk) -> None:
    rex = desk.entry(REX)
    desk.change(rex, f"{rex}\n- [f_20200101_007] Kept in another home\n")
    entry = desk.entry(TEA)
    desk.change(entry, entry.replace("tea", "rum").replace("`v1`", "`v9`"))
    synced = desk.sync()
    assert (synced.edited, synced.archived, synced.added) == ((), (), ())
    assert [one.file for one in synced.problems] == ["insights.md"]
    desk.change("`v9`", "`v1`")
    synced = desk.sync()
    assert (synced.edited, len(synced.added)) == ((TEA,), 1)
    assert desk.memory.get(synced.added[0]).content == "Kept in another home"
    assert any("f_20200101_007" in one.what for one in synced.notes)


def test_memory_that_was_forgotten_does_not_come_back_by_an_old_view(desk: Desk) -> None:
    old = desk.text()
    desk.memory.forget(REX)
    desk.write(old)
    synced = desk.sync()
    assert synced.added == ()
    assert all("Rex" not in one.content for one in desk.memory.list(state="all"))


def test_field_that_is_not_for_editing_changes_nothing(desk: Desk) -> None:
    desk.set(REX, n=77)
    synced = desk.sync()
    assert synced.edited == ()
    assert desk.memory.get(REX).version == 1


def test_the_other_lines_of_a_file_with_a_conflict_wait(desk: Desk) -> None:
    desk.change("drinks tea", "drinks espresso")
    desk.memory.edit(TEA, content="The user drinks milk")
    rex = desk.entry(REX)
    desk.change(rex, rex.replace("a dog", "a cat") + "\n- one new thing\n")
    synced = desk.sync()
    assert (synced.edited, synced.added) == ((), ())
    desk.change("espresso", "milk")
    synced = desk.sync()
    assert (synced.edited, len(synced.added)) == ((REX,), 1)
    assert quiet(desk.sync())


def test_a_newer_change_elsewhere_in_the_memory_stays(desk: Desk) -> None:
    desk.change("drinks tea", "drinks espresso")
    desk.memory.edit(TEA, tags=["drinks", "morning"])
    assert desk.sync().edited == (TEA,)
    record = desk.memory.get(TEA)
    assert (record.content, record.tags) == ("The user drinks espresso", ("drinks", "morning"))


def test_edits_in_two_files_that_agree_are_one_edit(desk: Desk) -> None:
    desk.change("drinks tea", "drinks espresso")
    desk.set(TEA, content="The user drinks espresso", project="drinks")
    assert desk.sync().edited == (TEA,)
    record = desk.memory.get(TEA)
    assert (record.content, record.project) == ("The user drinks espresso", "drinks")
    assert record.version == 2


def test_different_edits_in_two_files_are_a_conflict(desk: Desk) -> None:
    desk.change("drinks tea", "drinks espresso")
    desk.set(TEA, content="The user drinks cocoa")
    desk.change(desk.entry(REX), "")
    desk.set(REX, content="Rex is a cat")
    synced = desk.sync()
    assert {one.file for one in synced.conflicts} == {"insights.md", FACTS}
    assert desk.memory.get(TEA).version == desk.memory.get(REX).version == 1


# What makes no sense


def test_nonsense_values_are_reported_with_their_line(desk: Desk) -> None:
    desk.change("importance: 0.8", "importance: banana")
    desk.change("drinks tea", "drinks espresso")
    synced = desk.sync()
    assert synced.edited == ()
    (problem,) = synced.problems
    number = desk.text().split("banana")[0].count("\n") + 1
    assert (problem.file, problem.line) == ("insights.md", number)
    assert "banana" in desk.text()
    desk.change("banana", "0.7")
    assert set(desk.sync().edited) == {TEA, REX}


def test_nonsense_in_json_is_reported_with_its_line(desk: Desk) -> None:
    odd: list[object] = [7, "much", None, [], float("nan"), True]
    for number, value in enumerate(odd):
        desk.set(REX, importance=value)
        desk.set(TEA, content=f"The user drinks {number} cups")
        synced = desk.sync()
        assert synced.edited == ()
        assert shape(synced.problems) == [(FACTS, 3)]


@pytest.mark.parametrize("name", ["insights.md", "projects.md"])
def test_a_list_cut_in_the_middle_archives_nothing(desk: Desk, name: str) -> None:
    desk.memory.capture("The roof leaks", project="homes")
    desk.sync()
    whole = desk.text(name)
    first, last = whole.index("- [f_") + 1, whole.index(f"[{HOME}]") + len(HOME)
    for end in range(first, last, count(7, 1)):
        if name == "projects.md" and whole[:end].endswith("\n"):
            continue  # which might be what a person wanted
        desk.write(whole[:end], name)
        synced = desk.sync()
        assert (synced.added, synced.edited, synced.archived) == ((), (), ()), whole[:end]
    desk.write(whole, name)
    assert quiet(desk.sync())


@pytest.mark.parametrize("name", ["insights.md", "projects.md", FACTS])
def test_view_edited_into_nonsense_changes_nothing(desk: Desk, name: str) -> None:
    ours, theirs = ("- ours", "- theirs") if name != FACTS else ('{"content": "a"}', "{}")
    whole = (desk.root / name).read_bytes()
    merging = f"<<<<<<< HEAD\n{ours}\n=======\n{theirs}\n>>>>>>> other\n".encode()
    half = whole[: len(whole) - 40]
    for data in (whole + merging, b"\xff\xfe\x00", b"\x00" * 50, b"<<<<<<< HEAD\n", b"{", b"[]\n"):
        (desk.root / name).write_bytes(data)
        synced = desk.sync()
        assert (synced.added, synced.edited, synced.archived) == ((), (), ())
        assert [one.file for one in synced.problems] == [name]
        assert (desk.root / name).read_bytes() == data
    (desk.root / name).write_bytes(half)
    assert desk.sync().archived == ()
    assert desk.memory.validate() == []


def test_a_view_that_was_not_edited_there_does_not_undo_the_edit_of_another(desk: Desk) -> None:
    desk.change("drinks tea", "drinks rum")
    desk.append("{broken\n", FACTS)  # so that it is read again, and stays as it is
    assert desk.sync().edited == (TEA,)
    assert desk.sync().edited == ()
    assert desk.memory.get(TEA).content == "The user drinks rum"


def test_entry_that_is_there_twice_is_a_conflict(desk: Desk) -> None:
    line = desk.line(TEA)
    desk.change(line, line.replace("drinks tea", "drinks gin"), FACTS)
    desk.append(line.replace("drinks tea", "drinks rum") + "\n", FACTS)
    entry = desk.entry(HOME)
    desk.change(entry, f"{entry}\n{entry.replace('杭州', '成都')}")
    synced = desk.sync()
    assert not synced.edited
    assert (FACTS, 4) in shape(synced.conflicts)
    assert {one.file for one in (*synced.conflicts, *synced.problems)} == {FACTS, "insights.md"}


def test_an_empty_or_missing_file_is_written_anew(desk: Desk) -> None:
    before = desk.text()
    desk.write("")
    (desk.root / FACTS).unlink()
    assert quiet(desk.sync())
    assert desk.text() == before
    assert TEA in desk.text(FACTS)


def test_files_that_are_not_read_back_or_not_ours_are_told_of(desk: Desk, tmp_path: Path) -> None:
    before = desk.text("tags.json")
    desk.write(before[:-20], "tags.json")
    synced = desk.sync()
    assert ([one.file for one in synced.notes], synced.problems) == (["tags.json"], ())
    assert desk.text("tags.json") == before
    assert desk.text("tags.json.edited") == before[:-20]  # set aside
    desk.write("no JSON at all {", "tags.json")  # without its mark it is somebody's own
    assert [one.file for one in desk.sync().notes] == ["tags.json"]
    assert desk.text("tags.json") == "no JSON at all {"
    secret = tmp_path / "secret.md"
    secret.write_text(desk.text() + "\n- stolen\n", "utf-8")
    (desk.root / "insights.md").unlink()
    (desk.root / "insights.md").symlink_to(secret)  # a link that leads out is not followed
    (desk.root / "projects.md").unlink()
    (desk.root / "projects.md").mkdir()
    synced = desk.sync()
    assert synced.added == ()
    assert {"insights.md", "projects.md"} <= {one.file for one in synced.problems}


def test_an_editor_that_writes_crlf_changes_nothing(desk: Desk) -> None:
    for name in ("insights.md", "projects.md", FACTS):
        desk.write(desk.text(name).replace("\n", "\r\n"), name)
    synced = desk.sync()
    assert quiet(synced), synced
    assert "\r" not in desk.text()


# Deletions


def many(memory: Memory) -> Desk:
    for n in range(2 * MANY + 2):
        memory.capture(f"thing number {n}")
    memory.workspace.export()
    return Desk(memory)


def test_a_file_that_lost_most_of_its_lines_archives_only_when_told(memory: Memory) -> None:
    desk = many(memory)
    desk.write("\n".join(desk.text(FACTS).split("\n")[:MANY]) + "\n", FACTS)
    synced = desk.sync()
    assert not synced.archived
    assert shape(synced.conflicts) == [(FACTS, 0)]
    assert len(desk.sync(deletions=True).archived) == MANY + 2
    assert quiet(desk.sync())


def test_a_deleted_line_of_a_memory_that_moved_on_is_a_conflict(desk: Desk) -> None:
    desk.memory.edit(TEA, content="The user drinks milk")
    desk.change(desk.entry(TEA), "")
    synced = desk.sync()
    assert not synced.archived
    assert "milk" in synced.conflicts[0].what
    assert desk.sync(deletions=True).archived == (TEA,)


# How it is done


def test_a_dry_run_tells_and_touches_nothing(desk: Desk) -> None:
    desk.change("drinks tea", "drinks espresso")
    desk.change(desk.entry(HOME), "- something new\n")
    before = desk.text()
    synced = desk.sync(dry_run=True)
    assert (synced.edited, synced.archived) == ((TEA,), (HOME,))
    assert synced.added[0].startswith("insights.md:")
    assert desk.text() == before
    assert desk.memory.get(TEA).version == 1
    assert len(desk.memory.list()) == 3


def test_without_a_manifest_the_versions_in_the_views_tell(desk: Desk) -> None:
    (desk.root / "state" / "views.json").unlink()
    desk.change("drinks tea", "drinks espresso")
    desk.change(desk.entry(REX), "")
    synced = desk.sync()
    assert (synced.edited, synced.archived) == ((TEA,), ())


def test_views_of_another_space_and_masked_copies_are_refused(
    desk: Desk, tmp_path: Path, clock: Clock
) -> None:
    with Memory.open(tmp_path / "home", "other", {}, clock) as other:
        other.capture("mine alone")
        other.workspace.export()
        desk.write((Path(other.workspace.path) / "memory" / "insights.md").read_text("utf-8"))
    synced = desk.sync()
    assert (synced.added, [one.file for one in synced.problems]) == ((), ["insights.md"])
    desk.memory.workspace.export(str(tmp_path / "masked"), masked=True)
    config = {"workspace.path": str(tmp_path / "masked")}
    with (
        Memory.open(tmp_path / "home", config=config, clock=clock) as memory,
        pytest.raises(InputError, match="masked"),
    ):
        memory.workspace.sync()


def test_what_cannot_be_written_is_reported_and_the_edit_kept(desk: Desk) -> None:
    desk.change("drinks tea", "drinks espresso")
    lock = desk.root / "state" / "views.lock"
    lock.unlink()
    lock.mkdir()
    synced = desk.sync()
    assert synced.edited == (TEA,)
    assert len(synced.problems) == 1
    lock.rmdir()
    assert quiet(desk.sync())
    assert "`v2`" in desk.entry(TEA)


def test_an_edit_is_taken_once_by_syncs_of_the_same_moment(desk: Desk) -> None:
    entry = desk.entry(REX)
    desk.change(entry, f"{entry}\n- only once\n")
    together = Barrier(4)

    def run(_: int) -> int:
        with Memory.open(desk.memory.home, config=desk.memory.config) as memory:
            together.wait(60)
            return len(memory.workspace.sync().added)

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(run, range(4))) >= 1
    assert [one.content for one in desk.memory.list()].count("only once") == 1


def test_an_older_copy_changes_nothing_and_is_told_of(desk: Desk) -> None:
    before = desk.text()
    desk.change("drinks tea", "drinks rum")
    desk.sync()
    desk.write(before)
    (note,) = desk.sync().notes
    assert note.what == "not changed, because it has an older version: 1 entry"
    assert desk.memory.get(TEA).content == "The user drinks rum"
    assert quiet(desk.sync())


def test_an_editor_that_does_not_read_the_file_again_may_go_on(desk: Desk) -> None:
    """What it writes lacks the ids that the last sync has written."""
    rex = desk.entry(REX)
    desk.change(rex, f"{rex}\n- one new thing\n")
    before = desk.text()
    (added,) = desk.sync().added
    assert desk.text() != before
    desk.write(before.replace("drinks tea", "drinks rum"))
    synced = desk.sync()
    assert synced == Synced(edited=(TEA,), indexed=synced.indexed)
    assert desk.memory.get(added).state == "active"
    assert quiet(desk.sync())


ODD = st.text(
    st.one_of(
        st.sampled_from("\n\r\t `*[]#-&;x:v1\\|<>!{}\"'_\u2028\u0085\ufeff\u202e花生🦣"),
        st.characters(exclude_categories=["Cs"], exclude_characters="\0"),
    ),
    min_size=1,
    max_size=60,
)


@settings(max_examples=count(5, 12), database=None)
@given(contents=st.lists(ODD, min_size=1, max_size=5), names=st.lists(ODD, max_size=2))
def test_what_was_not_edited_stays_whatever_it_is(contents: list[str], names: list[str]) -> None:
    with TemporaryDirectory() as home, Memory.open(home, config={"language": "en"}) as memory:
        kept = []
        project = "".join(names) or "x"
        for content in contents:
            with suppress(InputError):  # such as nothing but spaces
                kept.append(memory.capture(content, tags=names, project=project))
        memory.capture("one more", project="y")
        memory.workspace.export()
        desk = Desk(memory)
        desk.change("## Archived facts", "- new here\n\n## Archived facts")
        desk.append("- new there\n", "projects.md")
        desk.append('{"content": "new line"}\n', FACTS)
        synced = desk.sync()
        assert len(synced.added) == 3
        assert synced == Synced(added=synced.added, indexed=synced.indexed)
        for record in kept:
            now = memory.get(record.id)
            assert (now.content, now.tags, now.project) == (
                record.content,
                record.tags,
                record.project,
            )
        assert quiet(desk.sync())


def test_views_of_the_version_before_are_taken_over(desk: Desk) -> None:
    """They had a header in JSON lines, fields for a restore, and no last line in projects.md."""
    manifest = json.loads(desk.text("state/views.json"))
    manifest["loxodon"]["version"] = 1
    header = {"loxodon": {"view": FACTS, "space": "main", "version": 1}}
    lines = [{**json.loads(line), "n": 1, "history": []} for line in desk.text(FACTS).splitlines()]
    old = {
        FACTS: "".join(f"{json.dumps(one)}\n" for one in [header, *lines]),
        "projects.md": desk.text("projects.md").replace("version: 2", "version: 1"),
    }
    old["projects.md"] = old["projects.md"].replace("\n  `v1`", "")
    for name, text in old.items():
        desk.write(text, name)
        data = text.encode()
        row = {"sha256": sha256(data).hexdigest(), "size": len(data)}
        manifest["files"][name] |= {**row, "basis": "1/x"}
    desk.write(json.dumps(manifest), "state/views.json")
    desk.change("Rex is a dog", "Rex is a cat", FACTS)
    assert desk.sync() == Synced(edited=(REX,))
    assert "loxodon" not in desk.text(FACTS)
    assert quiet(desk.sync())
