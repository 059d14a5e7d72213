"""What waits while the engine is off: text that is read back, once."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from loxodon.live.pending import Pending, PendingEntry, parse, text_of
from loxodon.types import Source, Turn
from tests.clock import NOW
from tests.long import count

TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=80)


def turn(text: str, **more: str) -> Turn:
    return Turn("monday", more.pop("id", ""), "user", text, NOW, **more)  # type: ignore[arg-type]


def pending(folder: Path) -> Pending:
    return Pending(str(folder), str(folder / "workspace"), "main")


@settings(max_examples=count(60, 200))
@given(st.lists(st.tuples(TEXT, TEXT), max_size=4), st.booleans())
def test_an_entry_is_read_back_as_it_was(said: list[tuple[str, str]], memory: bool) -> None:
    fields = {
        "content": "",
        "kind": "fact",
        "tags": ("a", "-->"),
        "entities": (),
        "importance": 0.5,
        "expires_at": NOW,
    }
    entries = [
        PendingEntry(
            b"%16d" % n,
            turn(text, speaker=name),
            {**fields, "content": text} if memory else None,
            Source(file="a > b", line=3) if memory else None,
        )
        for n, (text, name) in enumerate(said)
    ]
    parsed = parse("# 2026-02-04\n" + "".join(map(text_of, entries)))
    assert parsed.entries == entries
    assert parsed.rest == ""


@settings(max_examples=100)
@given(st.text(max_size=300))
def test_any_text_can_be_read(text: str) -> None:
    whole = text_of(PendingEntry(b"k" * 16, turn("said")))
    assert parse(text + "\n" + whole).entries[-1].turn.content.startswith("said")


def test_what_was_cut_by_a_power_failure_does_not_spoil_the_next(tmp_path: Path) -> None:
    held = pending(tmp_path)
    held.append([PendingEntry(b"1" * 16, turn("first"))], NOW)
    (file,) = (tmp_path / "workspace" / "memory" / "loxodon-pending").iterdir()
    whole = text_of(PendingEntry(b"2" * 16, turn("second\nline")))
    for cut in range(1, len(whole), 3):
        file.write_text(
            "# 2026-02-04\n" + text_of(PendingEntry(b"1" * 16, turn("first"))) + whole[:cut]
        )
        held.append([PendingEntry(b"3" * 16, turn("third"))], NOW)
        found = {one.key: one.turn.content for one in held.entries()}
        assert found[b"1" * 16] == "first"
        assert found[b"3" * 16] == "third"


def test_what_was_cut_is_taken_when_it_is_said_again(tmp_path: Path) -> None:
    held, entry = pending(tmp_path), PendingEntry(b"1" * 16, turn("第一句\nand the second"))
    whole = text_of(entry).encode()
    for cut in range(1, len(whole) - 1):
        held.append([PendingEntry(b"0" * 16, turn("before"))], NOW)
        (file,) = (tmp_path / "workspace" / "memory" / "loxodon-pending").iterdir()
        file.write_bytes(whole[:cut])
        assert held.append([entry], NOW) == [True]
        assert held.append([entry], NOW) == [False]
        assert held.entries() == [entry]
        file.unlink()


def test_the_same_entry_is_kept_once_a_day(tmp_path: Path) -> None:
    held, entry = pending(tmp_path), PendingEntry(b"1" * 16, turn("first"))
    assert held.append([entry, entry], NOW) == [True, False]
    assert held.append([entry], NOW) == [False]
    assert held.append([entry], NOW + timedelta(days=1)) == [True]
    assert held.entries() == [entry]
    assert held.entries(["2026-02-03"]) == []


def test_the_file_is_for_its_owner_only(tmp_path: Path) -> None:
    pending(tmp_path).append([PendingEntry(b"1" * 16, turn("first"))], NOW)
    (file,) = (tmp_path / "workspace" / "memory" / "loxodon-pending").iterdir()
    assert file.stat().st_mode & 0o077 == 0
    assert "> first" in file.read_text("utf-8")


def test_a_long_session_is_read_back() -> None:
    entry = PendingEntry(b"1" * 16, turn("first")._replace(session="s" * 512))
    assert parse(text_of(entry)).entries == [entry]


def test_what_somebody_spoilt_is_left_as_text() -> None:
    whole = text_of(PendingEntry(b"1" * 16, turn("first")))
    for old, new in (
        ('"user"', '"king"'),
        ('"key": "', '"key": "x'),
        ('"at": "', '"at": "x'),
        ('"session": "monday"', '"session": ""'),
        ('"role"', '"rank"'),
    ):
        spoilt = whole.replace(old, new)
        assert spoilt != whole
        parsed = parse(spoilt)
        assert parsed.entries == []
        assert "> first" in parsed.rest
