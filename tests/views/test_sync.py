"""Edits of real views, taken into a real memory."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Barrier

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loxodon import Memory
from loxodon.errors import InputError
from loxodon.types import FileProblem
from loxodon.views.sync import Synced
from tests.clock import Clock
from tests.long import count

FACTS = "layer2/active/facts.jsonl"
MANY = 20  # entries that a file may lose before somebody has to confirm it


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
    desk.change("Rex is a dog", "Rex is a cat")
    desk.change("importance: 0.8", "importance: 0.25")
    assert set(desk.sync().edited) == {TEA, HOME, REX}
    tea, home, rex = (desk.memory.get(id) for id in (TEA, HOME, REX))
    assert (tea.content, tea.tags) == ("The user drinks espresso", ("drinks", "茶"))
    assert home.content == "用户搬到了成都\n在春熙路旁边"
    assert (rex.content, rex.importance) == ("Rex is a cat", 0.25)
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


def test_new_lines_are_new_memories_with_their_place_as_source(desk: Desk) -> None:
    entry = desk.entry(REX)
    desk.change(entry, entry + "\n- Rex hates the vacuum cleaner\n")
    desk.append("\n- 阳台要重新刷漆\n  `project: homes`\n")
    found = {one.content: one for one in map(desk.memory.get, desk.sync().added)}
    rex = found["Rex hates the vacuum cleaner"]
    assert (rex.trust, rex.kind, rex.sources[0].session) == ("user", "fact", "capture")
    assert (rex.sources[1].file, (rex.sources[1].line or 0) > 1) == ("memory/insights.md", True)
    assert f"[{rex.id}]" in desk.text()
    assert found["阳台要重新刷漆"].project == "homes"
    assert quiet(desk.sync())


def test_deleted_lines_archive(desk: Desk) -> None:
    desk.change(desk.entry(TEA), "")
    assert desk.sync().archived == (TEA,)
    assert desk.memory.get(TEA).state == "archived"
    assert desk.memory.history(TEA)[-1].change == "archived"
    assert TEA in desk.text("layer2/archive/facts.jsonl")
    desk.change(desk.entry(TEA), "")  # of one that is archived it is only noted
    synced = desk.sync()
    assert (synced.archived, TEA in synced.notes[0].what) == ((), True)
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


def test_a_list_cut_in_the_middle_archives_nothing(desk: Desk) -> None:
    desk.memory.capture("The roof leaks", project="homes")
    desk.sync()
    whole = desk.text()
    first, last = whole.index("- [f_") + 1, whole.index(f"[{HOME}]") + len(HOME)
    for end in range(first, last, count(7, 1)):
        desk.write(whole[:end])
        synced = desk.sync()
        assert (synced.added, synced.edited, synced.archived) == ((), (), ()), whole[:end]
    desk.write(whole)
    assert quiet(desk.sync())


def test_view_edited_into_nonsense_changes_nothing(desk: Desk) -> None:
    name = "insights.md"
    whole = (desk.root / name).read_bytes()
    merging = b"<<<<<<< HEAD\n- ours\n=======\n- theirs\n>>>>>>> other\n"
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


def test_entry_that_is_there_twice_is_a_conflict(desk: Desk) -> None:
    entry = desk.entry(HOME)
    desk.change(entry, f"{entry}\n{entry.replace('杭州', '成都')}")
    synced = desk.sync()
    assert not synced.edited
    assert {one.file for one in synced.conflicts} == {"insights.md"}


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
    synced = desk.sync()
    assert synced.added == ()
    assert [one.file for one in synced.problems] == ["insights.md"]


# Deletions


def many(memory: Memory) -> Desk:
    for n in range(2 * MANY + 2):
        memory.capture(f"thing number {n}")
    memory.workspace.export()
    return Desk(memory)


def test_a_file_that_lost_most_of_its_lines_archives_only_when_told(memory: Memory) -> None:
    desk = many(memory)
    first, *entries = desk.text().split("\n\n- ")
    desk.write("\n\n- ".join([first, *entries[:MANY]]) + "\n")
    synced = desk.sync()
    assert not synced.archived
    assert shape(synced.conflicts) == [("insights.md", 0)]
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


def test_views_of_another_space_are_refused(desk: Desk, tmp_path: Path, clock: Clock) -> None:
    with Memory.open(tmp_path / "home", "other", {}, clock) as other:
        other.capture("mine alone")
        other.workspace.export()
        desk.write((Path(other.workspace.path) / "memory" / "insights.md").read_text("utf-8"))
    synced = desk.sync()
    assert (synced.added, [one.file for one in synced.problems]) == ((), ["insights.md"])


def test_an_edit_is_taken_once_by_syncs_of_the_same_moment(desk: Desk) -> None:
    entry = desk.entry(REX)
    desk.change(entry, f"{entry}\n- only once\n")
    together = Barrier(4)

    def run(_: int) -> int:
        with Memory.open(desk.memory.home, config=desk.memory.config) as memory:
            together.wait(300)
            return len(memory.workspace.sync().added)

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(run, range(4))) >= 1
    assert [one.content for one in desk.memory.list()].count("only once") == 1


def test_an_older_copy_changes_nothing(desk: Desk) -> None:
    before = desk.text()
    desk.change("drinks tea", "drinks rum")
    desk.sync()
    desk.write(before)
    desk.sync()
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
        synced = desk.sync()
        assert len(synced.added) == 1
        assert synced == Synced(added=synced.added, indexed=synced.indexed)
        for record in kept:
            now = memory.get(record.id)
            assert (now.content, now.tags, now.project) == (
                record.content,
                record.tags,
                record.project,
            )
        assert quiet(desk.sync())
