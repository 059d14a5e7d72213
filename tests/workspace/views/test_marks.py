from __future__ import annotations

import json
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loxodon.clock import to_stored
from loxodon.workspace.views import (
    ViewMarker,
    comment,
    head,
    local_text,
    marker_of,
    moment_text,
    stored_moment,
)
from tests.each import each


@each("space", ["main", "张三", "a -- b", 'quo"te\\', "two\nlines", "-->"])
def test_a_mark_is_read_back(space: str) -> None:
    written = comment("projects.md", space)
    assert "\n" not in written
    assert written.count("-->") == 1
    found = marker_of(f"\ufeff{written}\r\n\n# text")
    assert found is not None
    assert (found.view, found.version) == ("projects.md", 1)
    mark = ViewMarker("tags.json", space, 1)
    whole = json.dumps({"loxodon": head("tags.json", space), "x": 1}, indent=1)
    assert marker_of(whole) == marker_of(whole.replace("\n", "\r\n")) == mark


@each(
    "text",
    [
        "",
        "# mine",
        "{}",
        '{"loxodon": 1}',
        '{"loxodon": {"view": 3}}',
        '{"a": 1, "loxodon": {}}',
        "<!-- loxodon view -->",
        '{"loxodon": ' + "[" * 100_000,
        " " * 10_000 + "<!-- loxodon",
        "x" * 5_000 + comment("a", "b"),
    ],
)
def test_what_is_not_marked_is_not_ours(text: str) -> None:
    assert marker_of(text) is None


@given(
    st.datetimes(
        min_value=datetime(2, 1, 1), max_value=datetime(9998, 12, 30), timezones=st.timezones()
    )
)
def test_moments_are_exact(moment: datetime) -> None:
    at, offset = to_stored(moment)
    assert stored_moment(moment_text(at)) == (at, 0)
    assert stored_moment(local_text(at, offset)) == (at, offset)


def test_moments_read_well() -> None:
    at = to_stored(datetime.fromisoformat("2026-02-04T18:30:00+08:00"))
    assert moment_text(at[0]) == "2026-02-04T10:30:00Z"
    assert local_text(*at) == "2026-02-04T18:30:00+08:00"
    assert moment_text(at[0] + 7) == "2026-02-04T10:30:00.007Z"
    assert local_text(0, -210) == "1969-12-31T20:30:00-03:30"
    for text in ("2026-02-04", "2026-02-04T10:30:00", "yesterday", ""):
        with pytest.raises(ValueError):
            stored_moment(text)
