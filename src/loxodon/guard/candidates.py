"""What has the form of a rule, and the checks that decide whether it is what it looks like."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple


class Candidate(NamedTuple):
    """Something that has the form of a rule, and where it stands."""

    text: str  # all of the text, folded to plain digits and letters
    start: int
    end: int
    name: str = ""  # what it is called there, where the rule says so

    @property
    def it(self) -> str:
        return self.text[self.start : self.end]

    @property
    def value(self) -> str:
        """Without the marks of a sentence behind it."""
        return self.it.rstrip(".,;:!?)]}>\"'`*，。；：！？）】》、")

    @property
    def digits(self) -> str:
        return "".join(filter(str.isdigit, self.it))

    @property
    def before(self) -> str:
        return self.text[self.start - 1 : self.start] if self.start else ""

    @property
    def after(self) -> str:
        return self.text[self.end : self.end + 1]

    def lead(self, size: int) -> str:
        """The characters right before it."""
        return self.text[max(0, self.start - size) : self.start]


Spans = Sequence[tuple[int, int]]  # what is hidden of a candidate; nothing where it is none
Check = Callable[[Candidate], Spans]
Test = Callable[[Candidate], bool]
_TRAILING = ".,;:)]}>\"'`*，。；：）】》、"
_JOINS = frozenset("-_./+:\\=#@&%~")  # what joins a number to more of the same: an id, a path


def is_part(c: str) -> bool:
    """Whether a character goes on with a word or a number."""
    return c.isascii() and c.isalnum()


def alone(one: Candidate) -> bool:
    """Not a piece of something longer: a word, a decimal, an id, a path."""
    if is_part(one.before) or is_part(one.after) or "_" in (one.before, one.after):
        return False
    text, start, end = one.text, one.start, one.end
    if one.before in _JOINS and start > 1 and is_part(text[start - 2]):
        return False
    if one.before in ("/", "#", "=", "%", "\\"):
        return one.before == "=" and not is_part(text[start - 2 : start - 1])
    return not (one.after in _JOINS and end + 1 < len(text) and is_part(text[end + 1]))


CHECKS: dict[str, Check] = {}  # by the names that `rules.toml` has for them


def add_checks(*tests: Test, trims: bool = False, **named: Test) -> None:
    """Add checks that hide what the tests accept."""

    def check(test: Test) -> Check:
        def spans(one: Candidate) -> Spans:
            size = max(1, len(one.it.rstrip(_TRAILING))) if trims else len(one.it)
            return [(one.start, one.start + size)] if test(one) else ()

        return spans

    CHECKS.update((name, check(test)) for name, test in named.items())
    CHECKS.update((test.__name__, check(test)) for test in tests)


add_checks(alone)
