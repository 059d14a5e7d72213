"""Cursors: what comes back from them, and what is no cursor."""

from __future__ import annotations

from base64 import urlsafe_b64encode

import pytest

from loxodon import Memory
from loxodon.errors import CursorError
from loxodon.verbs.paging import ORDERS, cursor_of
from loxodon.verbs.table import VERBS


def test_every_verb_that_takes_a_cursor_has_an_order() -> None:
    assert {one.name for one in VERBS if one.paged} == ORDERS.keys()
    listing = {one.name for one in VERBS if one.gives.startswith("[")}
    # There are as many as there are jobs and settings, and as backups are kept.
    assert listing - ORDERS.keys() == {"schedule.jobs", "settings", "backups"}


def encoded(text: str) -> str:
    return urlsafe_b64encode(text.encode()).decode().rstrip("=")


BAD = [
    "nonsense",
    "令牌",
    "=",
    "x" * 100_000,
    encoded("{}"),
    encoded("5"),
    encoded("[]"),
    encoded('["list",1]'),
    encoded('["list",1,2,3]'),
    encoded('["list",1,"2"]'),
    encoded('["list",1,true]'),
    encoded('["list",1,2.0]'),
    encoded('["list", 1, 2]'),
    encoded(f'["list",1,{1 << 63}]'),
    encoded("[" * 3_000),
    encoded('["journal",1,2]'),
    cursor_of("list", (1, 2)) + "=",
    cursor_of("list", (1, 2))[:-1],
]


@pytest.mark.parametrize("bad", BAD)
def test_a_garbled_cursor_is_refused(memory: Memory, bad: str) -> None:
    with pytest.raises(CursorError, match="does not belong to this list"):
        memory.list(cursor=bad)


def test_a_text_in_a_cursor_that_is_no_text_is_refused(memory: Memory) -> None:
    with pytest.raises(CursorError):
        memory.receipts(cursor=encoded('["receipts",1,"\\ud800"]'))


def test_the_audit_log_is_walked_back(memory: Memory) -> None:
    for n in range(4):
        memory.capture(f"m{n}")
    whole = memory.audit.entries()
    page = memory.audit.entries(limit=3)
    found = [*page]
    while page.next:
        memory.capture("meanwhile")
        page = memory.audit.entries(limit=3, cursor=page.next)
        found[:0] = page
    assert found == whole
    assert len(found) > 4
    captured = memory.audit.entries(op="capture", limit=1)
    before = memory.audit.entries(op="capture", limit=1, cursor=captured.next or "")
    assert before[0].n < captured[0].n
