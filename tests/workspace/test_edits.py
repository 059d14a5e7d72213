"""What becomes of a person's changes: the record when it was written, the view, the record now."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import pytest

from loxodon import fields
from loxodon.types import Kind, Record, State
from loxodon.workspace.edits import (
    MANY,
    CurrentMemories,
    Edit,
    EditedEntry,
    EditedView,
    SyncPlan,
    decide,
    digests,
)

THEN = datetime(2026, 2, 4, tzinfo=UTC)


def record(id: str = "f_20260204_001", content: str = "tea", **more: Any) -> Record:
    return Record(id, "main", "fact", content, THEN, THEN, 0.9, **more)


def check(values: Mapping[str, Any], kind: Kind) -> dict[str, Any]:
    return fields.checked(values, kind, None)


class Steps:
    """Memories, each with its versions, the last one as it is now."""

    def __init__(self, *steps: Record) -> None:
        self.steps = {(one.id, one.version): one for one in steps}
        self.now = {one.id: one for one in steps}

    def plan(self, *pages: EditedView, deletions: bool = False) -> SyncPlan:
        held = CurrentMemories(self.now, lambda *step: self.steps.get(step), check)
        return decide(pages, held, deletions)


def line(
    content: str = "tea",
    id: str = "f_20260204_001",
    version: int = 0,
    no: int = 3,
    state: State | None = "active",
    file: str = "insights.md",
    **said: Any,
) -> EditedEntry:
    return EditedEntry(file, no, {"content": content, **said}, id, version, state=state)


def unsettled(plan: SyncPlan) -> set[str]:
    """Views that hold something which was not taken."""
    return {one.file for one in (*plan.conflicts, *plan.problems)}


def page(*lines: EditedEntry, written: Mapping[str, int] | None = None, **more: Any) -> EditedView:
    file = lines[0].file if lines else more.pop("file", "insights.md")
    written = {one.id: 1 for one in lines if one.id} if written is None else written
    return EditedView(file, lines, more.pop("family", file), written=written, **more)


def nothing(plan: SyncPlan) -> bool:
    return not (plan.edits or plan.new or plan.conflicts or plan.problems)


def test_what_stands_as_it_was_written_is_no_change() -> None:
    assert nothing(Steps(record()).plan(page(line(tags=(), importance=0.5))))


def test_only_what_was_changed_is_edited() -> None:
    plan = Steps(record(tags=("a",))).plan(page(line("coffee", tags=("a",))))
    assert plan.edits == [
        Edit("f_20260204_001", {"content": "coffee"}, None, frozenset({"insights.md"}))
    ]
    assert not unsettled(plan)


def test_a_number_that_the_view_has_rounded_is_no_change() -> None:
    assert nothing(Steps(record(importance=0.123456)).plan(page(line(importance=0.1235))))


def test_a_newer_change_elsewhere_in_the_memory_is_no_conflict() -> None:
    steps = Steps(record(), record(version=2, tags=("drinks",)))
    (edit,) = steps.plan(page(line("coffee", version=1))).edits
    assert edit.fields == {"content": "coffee"}


def test_a_newer_change_of_the_same_field_is_a_conflict_with_both_texts() -> None:
    steps = Steps(record(), record(content="milk", version=2))
    plan = steps.plan(page(line("coffee", version=1)))
    (conflict,) = plan.conflicts
    assert (conflict.file, conflict.line) == ("insights.md", 3)
    assert "coffee" in conflict.what
    assert "milk" in conflict.what
    assert "2" in conflict.hint
    assert not plan.edits
    assert unsettled(plan) == {"insights.md"}


def test_a_conflict_is_over_when_the_line_names_the_newer_version_or_says_the_same() -> None:
    steps = Steps(record(), record(content="milk", version=2))
    (edit,) = steps.plan(page(line("coffee", version=2))).edits
    assert edit.fields == {"content": "coffee"}
    assert nothing(steps.plan(page(line("milk", version=1))))


def test_an_older_copy_of_a_view_undoes_nothing() -> None:
    steps = Steps(record(), record(content="milk", version=2))
    old = page(line("tea", version=1), written={"f_20260204_001": 2, "f_20260204_002": 1})
    steps.now["f_20260204_002"] = record("f_20260204_002")
    plan = steps.plan(old)
    assert not plan.edits
    assert [one.line for one in plan.conflicts] == [0]


def test_a_version_that_never_was_is_a_problem() -> None:
    plan = Steps(record()).plan(page(line("coffee", version=9)))
    assert not plan.edits
    assert [(one.file, one.line) for one in plan.problems] == [("insights.md", 3)]


def test_nonsense_is_reported_and_the_other_lines_are_taken() -> None:
    steps = Steps(record(), record("f_20260204_002", "milk"))
    plan = steps.plan(page(line(importance=7.0), line("coffee", "f_20260204_002", no=9)))
    assert [edit.id for edit in plan.edits] == ["f_20260204_002"]
    assert [one.line for one in plan.problems] == [3]


def test_one_edit_in_two_views_is_one_edit() -> None:
    steps = Steps(record())
    plan = steps.plan(page(line("coffee")), page(line("coffee", file="projects.md", state=None)))
    (edit,) = plan.edits
    assert edit.files == {"insights.md", "projects.md"}


def test_edits_of_different_fields_in_two_views_are_both_taken() -> None:
    plan = Steps(record()).plan(page(line("coffee")), page(line(file="projects.md", project="x")))
    (edit,) = plan.edits
    assert edit.fields == {"content": "coffee", "project": "x"}


def test_different_edits_in_two_views_are_a_conflict_in_both() -> None:
    plan = Steps(record()).plan(page(line("coffee")), page(line("milk", file="projects.md")))
    assert not plan.edits
    assert unsettled(plan) == {"insights.md", "projects.md"}
    assert all("coffee" in one.what and "milk" in one.what for one in plan.conflicts)


def test_deleted_in_one_view_and_edited_in_another_is_a_conflict() -> None:
    steps = Steps(record(), record("f_20260204_002"))
    other = line("tea", "f_20260204_002")
    without = page(other, written={"f_20260204_001": 1, "f_20260204_002": 1})
    plan = steps.plan(without, page(line("coffee", file="projects.md")))
    assert not plan.edits
    assert unsettled(plan) == {"insights.md", "projects.md"}


@pytest.mark.parametrize(("was", "wished"), [("active", "archived"), ("archived", "active")])
def test_an_entry_that_was_moved_changes_its_state(was: State, wished: State) -> None:
    (edit,) = Steps(record(state=was)).plan(page(line(state=wished))).edits
    assert (edit.fields, edit.state) == ({}, wished)


def test_a_line_that_was_deleted_archives() -> None:
    steps = Steps(record(), record("f_20260204_002"))
    plan = steps.plan(page(line(), written={"f_20260204_001": 1, "f_20260204_002": 1}))
    (edit,) = plan.edits
    assert (edit.id, edit.state) == ("f_20260204_002", "archived")


def test_a_deleted_line_of_a_memory_that_was_changed_is_a_conflict() -> None:
    steps = Steps(
        record(), record("f_20260204_002"), record("f_20260204_002", "a newer thing", version=2)
    )
    shown = page(line(), written={"f_20260204_001": 1, "f_20260204_002": 1})
    plan = steps.plan(shown)
    assert not plan.edits
    assert "a newer thing" in plan.conflicts[0].what
    assert [edit.state for edit in steps.plan(shown, deletions=True).edits] == ["archived"]


def test_a_deleted_line_of_a_memory_that_was_only_used_archives() -> None:
    used = record("f_20260204_002", version=2, access_count=1)
    steps = Steps(record(), record("f_20260204_002"), used)
    plan = steps.plan(page(line(), written={"f_20260204_001": 1, "f_20260204_002": 1}))
    assert [edit.id for edit in plan.edits] == ["f_20260204_002"]


def test_a_deleted_line_of_an_archived_memory_is_only_noted() -> None:
    steps = Steps(record(), record("f_20260204_002", state="archived"))
    plan = steps.plan(page(line(), written={"f_20260204_001": 1, "f_20260204_002": 1}))
    assert nothing(plan)
    assert "f_20260204_002" in plan.notes[0].what


def test_deletions_are_not_believed_where_the_view_cannot_be_read_whole() -> None:
    from loxodon.types import FileProblem

    steps = Steps(record(), record("f_20260204_002"))
    problem = FileProblem("insights.md", 9, "cut")
    shown = page(line(), written={"f_20260204_001": 1, "f_20260204_002": 1}, problems=(problem,))
    assert not steps.plan(shown).edits
    assert not steps.plan(shown, deletions=True).edits


def test_an_entry_may_be_among_what_cannot_be_read_in_a_view_of_the_family() -> None:
    from loxodon.types import FileProblem

    steps = Steps(record(), record("f_20260204_002"))
    shown = page(line(), written={"f_20260204_001": 1, "f_20260204_002": 1}, family="layer2")
    broken = EditedView("beliefs", (), "layer2", (FileProblem("beliefs", 2, "cut"),))
    plan = steps.plan(shown, broken)
    assert not plan.edits
    assert unsettled(plan) == {"insights.md", "beliefs"}


def test_an_entry_that_moved_to_another_view_of_its_family_is_not_deleted() -> None:
    steps = Steps(record(), record("f_20260204_002"))
    first = page(line(), written={"f_20260204_001": 1, "f_20260204_002": 1}, family="insights")
    moved = line(id="f_20260204_002", file="insights/2026-02.md")
    assert nothing(steps.plan(first, page(moved, written={}, family="insights")))


@pytest.mark.parametrize("left", [0, 1, MANY])
def test_a_view_that_lost_most_of_its_entries_archives_only_when_told_so(left: int) -> None:
    ids = [f"f_20260204_{n:03d}" for n in range(2 * MANY + 2)]
    steps = Steps(*(record(id) for id in ids))
    shown = page(*(line(id=id) for id in ids[:left]), written=dict.fromkeys(ids, 1))
    plan = steps.plan(shown)
    assert not plan.edits
    assert [one.line for one in plan.conflicts] == [0]
    assert len(steps.plan(shown, deletions=True).edits) == len(ids) - left


def test_a_view_that_lost_half_of_its_entries_is_believed() -> None:
    ids = [f"f_20260204_{n:03d}" for n in range(2 * MANY + 2)]
    steps = Steps(*(record(id) for id in ids))
    shown = page(*(line(id=id) for id in ids[: MANY + 1]), written=dict.fromkeys(ids, 1))
    assert len(steps.plan(shown).edits) == MANY + 1


def test_an_entry_without_an_id_is_new() -> None:
    (new,) = Steps().plan(page(line("new", id=""))).new
    assert new.line.fields == {"content": "new"}


@pytest.mark.parametrize("content", ["", " ", "x" * 10_001, "a\0b", "\ud800"])
def test_what_cannot_be_kept_is_no_new_memory(content: str) -> None:
    plan = Steps().plan(page(line(content, id="")))
    assert not plan.new
    assert [one.line for one in plan.problems] == [3]


def test_an_unknown_id_is_a_new_memory_and_noted() -> None:
    plan = Steps().plan(page(line("from elsewhere"), written={}))
    assert [new.line.fields["content"] for new in plan.new] == ["from elsewhere"]
    assert "f_20260204_001" in plan.notes[0].what
    assert not unsettled(plan)


def test_a_memory_that_was_erased_does_not_come_back_by_an_old_view() -> None:
    plan = Steps().plan(page(line()))
    assert not plan.new
    assert [one.line for one in plan.problems] == [3]


def test_the_same_id_twice_is_taken_where_both_say_the_same() -> None:
    steps = Steps(record())
    assert len(steps.plan(page(line("coffee"), line("coffee", no=8))).edits) == 1
    plan = steps.plan(page(line("coffee"), line("milk", no=8)))
    assert not plan.edits
    assert "3, 8" in plan.conflicts[0].what


def test_what_is_not_for_editing_is_noted() -> None:
    shown = line()._replace(fixed={"trust": "web"})
    plan = Steps(record()).plan(page(shown))
    assert nothing(plan)
    assert "trust" in plan.notes[0].what


# A view that could not be written anew


def test_what_was_taken_of_a_view_is_not_taken_again() -> None:
    steps = Steps(record(), record(content="coffee", version=2))
    shown = page(line("coffee", version=1), line("new", id=""))
    new = steps.plan(shown).new[0]
    again = shown._replace(taken={"f_20260204_001": 2}, known={new.digest: "f_20260204_002"})
    assert nothing(steps.plan(again))


def test_a_second_edit_of_such_a_view_is_no_conflict_with_the_first() -> None:
    steps = Steps(record(), record(content="coffee", version=2))
    shown = page(line("cocoa", version=1), taken={"f_20260204_001": 2})
    (edit,) = steps.plan(shown).edits
    assert edit.fields == {"content": "cocoa"}


def test_a_memory_archived_by_such_a_view_may_be_brought_back_elsewhere() -> None:
    gone = record("f_20260204_002", version=2, state="archived")
    back = record("f_20260204_002", version=3)
    steps = Steps(record(), record("f_20260204_002"), gone, back)
    shown = page(
        line(), written={"f_20260204_001": 1, "f_20260204_002": 1}, taken={"f_20260204_002": 2}
    )
    plan = steps.plan(shown)
    assert nothing(plan)
    assert not plan.notes


def test_an_edit_on_top_of_ones_own_is_no_conflict_though_the_editor_has_the_old_version() -> None:
    steps = Steps(record(), record(content="coffee", version=2))
    shown = page(line("cocoa", version=1), written={"f_20260204_001": 2})
    assert steps.plan(shown).conflicts
    (edit,) = steps.plan(shown._replace(ours={"f_20260204_001": 2})).edits
    assert edit.fields == {"content": "cocoa"}
    steps = Steps(*steps.steps.values(), record(content="milk", version=3))
    assert steps.plan(shown._replace(ours={"f_20260204_001": 2})).conflicts


def test_an_editor_that_has_the_old_versions_but_says_the_same_may_delete() -> None:
    steps = Steps(record(), record(content="coffee", version=2), record("f_20260204_002"))
    shown = page(line("coffee", version=1), written={"f_20260204_001": 2, "f_20260204_002": 1})
    assert [edit.id for edit in steps.plan(shown).edits] == ["f_20260204_002"]


def test_entries_that_say_the_same_are_told_apart() -> None:
    same = line("new", id="")
    assert len(set(digests([same, same, line("other", id="")]))) == 3
