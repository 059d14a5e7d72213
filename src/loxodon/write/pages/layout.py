"""Lines on a page of so many tokens: sections with their shares, and nothing said twice."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from loxodon.text import quote
from loxodon.text.markdown import item, one_line
from loxodon.tokens import Counter, cut
from loxodon.types import Record
from loxodon.write.pages.ranking import said_by
from loxodon.write.pages.wording import about, clause_of, pieces

SHORT = 40  # Tokens that a line may always take; a longer one is cut to the share that it stands in


class PageLine(NamedTuple):
    """A line to be written, and the memory that it tells."""

    text: str
    note: str = ""  # Our own words behind it, which are not cut with it
    record: Record | None = None
    mark: str = ""  # Our own words before it


class PageContents:
    """What stands on a page already."""

    def __init__(self, known: Mapping[str, Record]) -> None:
        self._known = known
        self._ids: set[str] = set()
        self._pieces: dict[str, set[str]] = {}
        self._lines: set[str] = set()

    def has(self, line: PageLine) -> bool:
        """Whether a line would say nothing new."""
        record, text = line.record, one_line(line.text)
        if record is None or not text:
            return not text or text in self._lines
        if record.id in self._ids:
            return True
        if record.kind == "summary":
            return any(fact.id in self._ids for fact in said_by(record, self._known))
        return pieces(clause_of(record)) <= self._pieces.get(about(record).casefold(), set())

    def add(self, line: PageLine) -> None:
        """Remember that a line was placed; a summary says its facts too."""
        record = line.record
        if record is None:
            self._lines.add(one_line(line.text))
            return
        self._ids |= {record.id, *(fact.id for fact in said_by(record, self._known))}
        self._pieces.setdefault(about(record).casefold(), set()).update(pieces(clause_of(record)))


class PageDraft:
    """A page in the making: its sections, and the room that is left."""

    def __init__(
        self,
        head: Sequence[str],
        foot: Sequence[str],
        budget: int,
        count: Counter,
        said: PageContents,
    ) -> None:
        self._head, self._foot, self._budget, self._count = head, foot, budget, count
        self._said = said
        self._sections: dict[str, list[str]] = {}
        self.room = self._left = max(0, budget - self.cost(*head, *foot))

    def cost(self, *lines: str) -> int:
        """The tokens that lines take, each with its end."""
        return sum(self._count(line) + 1 for line in lines)

    def fill(self, heading: str, lines: Iterable[PageLine], share: float) -> None:
        """Place what fits into a share of the room, under a heading, and was not said yet."""
        room = min(self._left, self.room * share)
        placed: list[str] = []
        for line in lines:
            if self._said.has(line):
                continue
            written = self._written("- ", line, room)
            cost = self.cost(written) + (0 if placed else self.cost("", heading))
            # The first may take more than the share: better one rule than none.
            if cost <= (room if placed else self._left):
                placed.append(written)
                self._said.add(line)
                self._left -= cost
                room -= cost
        self._sections[heading] = placed

    def rank(
        self,
        heading: str,
        top: Sequence[PageLine],
        details: Callable[[PageLine], Iterable[PageLine]],
        kept: int,
        first: Sequence[float],
    ) -> None:
        """Place a numbered list: the higher a line stands, the more of its details are told.

        The `first` have their shares of the room; the rest is for the others, their lines before
        their details. What one does not use goes on to the next; `kept` tokens of the room stay
        free.
        """
        room = self._left - kept - self.cost("", heading)
        shares = (*first, max(0.0, 1 - sum(first)))
        granted, spent = 0.0, 0
        entries: list[list[str]] = []
        waiting: list[tuple[list[str], PageLine]] = []
        for place, line in enumerate(top):
            granted += room * shares[place] if place < len(shares) else 0
            written = self._written(f"{len(entries) + 1}. ", line, granted - spent)
            cost = self.cost(written)
            if self._said.has(line) or spent + cost > room:
                continue
            self._said.add(line)
            entries.append([written])
            spent += cost
            if place < len(first):
                spent += self._enrich(entries[-1], details(line), granted - spent)
            else:
                waiting.append((entries[-1], line))
        for entry, line in waiting:
            spent += self._enrich(entry, details(line), granted - spent)
        self._left -= spent + (self.cost("", heading) if entries else 0)
        self._sections[heading] = [line for entry in entries for line in entry]

    def _enrich(self, entry: list[str], details: Iterable[PageLine], room: float) -> int:
        """Put the details that fit below an entry; the tokens they take."""
        spent = 0
        for line in details:
            if room - spent < SHORT // 4:  # no line is so short: the others need not be asked for
                break
            written = self._written("   - ", line, room - spent)
            cost = self.cost(written)
            if not self._said.has(line) and spent + cost <= room:
                entry.append(written)
                self._said.add(line)
                spent += cost
        return spent

    def _written(self, mark: str, line: PageLine, room: float) -> str:
        most = max(SHORT, int(room))
        text = item(cut(quote.line(line.text), most, self._count))
        return f"{mark}{line.mark}{text}{line.note}"

    def text(self, order: Sequence[str]) -> str:
        """The page, its sections in this order; never over the budget."""
        while True:
            text = self._joined(order)
            if self._count(text) <= self._budget:
                return text
            # Lines together may take a little more than one by one: the last placed goes first.
            full = [heading for heading in self._sections if self._sections[heading]]
            if not full:
                return cut(text, self._budget, self._count)
            self._sections[full[-1]].pop()

    def _joined(self, order: Sequence[str]) -> str:
        lines = list(self._head)
        for heading in order:
            if placed := self._sections.get(heading):
                lines += ["", heading, *placed]
        return "\n".join([*lines, *self._foot])
