"""The ledger: what was used, and whether there is more."""

from __future__ import annotations

from loxodon.models.ledger import Ledger


class Pages:
    """A book in memory."""

    def __init__(self) -> None:
        self.rows: list[tuple[str, str, int, int]] = []

    def spend(self, day: str, phase: str, tokens_in: int, tokens_out: int) -> None:
        self.rows.append((day, phase, tokens_in, tokens_out))

    def spent(self, day: str) -> int:
        return sum(row[2] + row[3] for row in self.rows if row[0] == day)


def test_a_day_has_its_own_cap() -> None:
    book = Pages()
    today, tomorrow = Ledger(book, "2026-02-04", 100), Ledger(book, "2026-02-05", 100)
    assert not today.hold(101)
    assert today.hold(100)
    today.release(100)
    today.record("reading", 60, 10)
    assert today.room() == 30
    assert not today.hold(31)
    assert tomorrow.hold(100)
    today.record("summarise", 60, 10)  # a server may take more than it was allowed
    assert today.room() == 0
    assert book.rows[0] == ("2026-02-04", "reading", 60, 10)


def test_what_is_on_its_way_counts() -> None:
    ledger = Ledger(Pages(), "2026-02-04", 100)
    assert ledger.hold(60)
    assert not ledger.hold(60)
    ledger.record("reading", 20, 5)
    ledger.release(60)
    assert ledger.room() == 75
    assert ledger.hold(60)


def test_no_cap_is_no_limit() -> None:
    ledger = Ledger(Pages(), "2026-02-04", 0)
    assert ledger.room() is None
    assert ledger.hold(10**9)
