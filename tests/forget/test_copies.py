"""Text that was written to other folders: nothing of it is overlooked, whatever the settings say
now."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from errno import ENOSPC
from pathlib import Path
from typing import Any

import pytest

from loxodon import Memory
from loxodon.cli import main
from loxodon.forget.receipts import Receipt
from tests.cli.shell import Shell
from tests.clock import Clock
from tests.forget.test_forgetting import TALK, known, say
from tests.looking import files_with


def opened(home: Path, clock: Clock, place: Path | None = None, **given: Any) -> Memory:
    """A memory whose views are written to `place`."""
    path = {} if place is None else {"workspace.path": str(place)}
    return Memory.open(home, config={"timezone": "Asia/Shanghai", **path, **given}, clock=clock)


def moved(home: Path, clock: Clock, tmp_path: Path) -> tuple[Path, Path]:
    """A memory whose views were written to two places, the first of which is out of use."""
    old, new = tmp_path / "old place", tmp_path / "new place"
    with opened(home, clock, old) as memory:
        say(memory, clock, *TALK)
        memory.consolidate()
    with opened(home, clock, new) as memory:
        memory.workspace.export()
    assert files_with(["Zorinda"], old)
    assert files_with(["Zorinda"], new)
    return old, new


def told(receipt: Receipt, what: str) -> list[str]:
    return [one.file for one in receipt.files if one.what == what]


def test_views_of_a_folder_that_is_out_of_use_lose_it_too(
    home: Path, clock: Clock, tmp_path: Path
) -> None:
    old, new = moved(home, clock, tmp_path)
    with opened(home, clock, new) as memory:
        receipt = memory.forget(entity="Zorinda")
        assert not files_with(["Zorinda", "Quilltech"], tmp_path)
        assert receipt.files == ()
        assert receipt.erased["views out of use"] > 5
        assert not (old / "memory").exists()
        assert files_with(["Biscuit"], new)
        assert memory.validate() == []


def test_what_a_person_changed_there_is_named(home: Path, clock: Clock, tmp_path: Path) -> None:
    old, new = moved(home, clock, tmp_path)
    edited = old / "memory" / "insights.md"
    edited.write_text(edited.read_text() + "\nZorinda likes tea, I wrote.\n")
    own = old / "memory" / "mine.md"
    own.write_text("My own words.\n")
    with opened(home, clock, new) as memory:
        planned = memory.forget(entity="Zorinda", dry_run=True)
        receipt = memory.forget(entity="Zorinda")
        assert told(planned, "changed") == told(receipt, "changed")
        assert {*told(receipt, "changed")} == {str(edited)}
        assert receipt.files[0].line > 0
        assert memory.receipts()[0].files == receipt.files
    found = files_with(["Zorinda"], tmp_path)
    assert found == {"Zorinda": [os.path.relpath(edited, tmp_path)]}
    assert own.exists()


def test_a_folder_that_is_not_there_is_named(home: Path, clock: Clock, tmp_path: Path) -> None:
    old, new = moved(home, clock, tmp_path)
    shutil.move(old, tmp_path / "unplugged")
    with opened(home, clock, new) as memory:
        receipt = memory.forget(entity="Zorinda")
        assert told(receipt, "away") == [str(old)]
    shutil.move(tmp_path / "unplugged", old)
    with opened(home, clock, new) as memory:  # and goes when it is there again
        memory.forget(known(memory, "花生").id)
    assert not files_with(["Zorinda", "花生"], tmp_path)


def test_a_copy_that_was_exported_is_written_anew(home: Path, clock: Clock, tmp_path: Path) -> None:
    with opened(home, clock) as memory:
        say(memory, clock, *TALK)
        memory.consolidate()
        memory.workspace.export(tmp_path / "copy")
        memory.forget(entity="Zorinda")
        assert not files_with(["Zorinda"], tmp_path)
        assert files_with(["Biscuit"], tmp_path / "copy")


@pytest.mark.parametrize("is_first", [True, False])
@pytest.mark.parametrize("room", [3, 12])
def test_views_of_an_export_that_was_cut_short_lose_it_too(
    home: Path, clock: Clock, tmp_path: Path, is_first: bool, room: int
) -> None:
    def put(draft: str, path: str, real: Callable[[str, str], None] = os.replace) -> None:
        if draft.endswith("views.draft") and next(left, None) is None:
            raise OSError(ENOSPC, os.strerror(ENOSPC))
        real(draft, path)

    left = iter(range(room))
    with opened(home, clock) as memory:
        if not is_first:
            say(memory, clock, "I moved to Lisbon.")
            memory.consolidate()
        say(memory, clock, *TALK)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(os, "replace", put)
            memory.consolidate()
        assert memory.workspace.trouble
        assert files_with(["Zorinda"], Path(memory.workspace.path))
        assert memory.forget(entity="Zorinda").files == ()
        assert not files_with(["Zorinda"], tmp_path)
        assert files_with(["Biscuit"], Path(memory.workspace.path))
        assert not [*tmp_path.rglob("*.edited")]


# -- encrypting ------------------------------------------------------------------------------------


def left_by_encrypting(home: Path) -> list[str]:
    key = str(home.parent / "keys" / "key")
    words = ("encrypt", "--key-file", key, "--make-key")
    found: list[str] = Shell(home).json(*words)["left"]
    return found


def test_encrypting_names_what_it_may_not_remove(home: Path, clock: Clock, tmp_path: Path) -> None:
    old, new = moved(home, clock, tmp_path)
    assert main(["--home", str(home), "config", "workspace.path", str(new)]) == 0
    with opened(home, clock, new) as memory:
        memory.workspace.export(tmp_path / "copy")
    edited = old / "memory" / "insights.md"
    edited.write_text(edited.read_text() + "\nZorinda likes tea, I wrote.\n")
    shutil.move(tmp_path / "copy", tmp_path / "unplugged")
    assert {*left_by_encrypting(home)} == {str(edited), str(tmp_path / "copy")}
    assert set(files_with(["Zorinda"], old)["Zorinda"]) == {"memory/insights.md"}
