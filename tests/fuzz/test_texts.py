"""Any text at all, in any language or none: as a question, as something said, as a date.

Nothing but an answer or one of our errors comes of it, in bounded time.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from random import Random

import pytest

from loxodon.consolidate.read import fragments_of, read
from loxodon.guard.guard import Guard
from loxodon.guard.policy import built_in
from loxodon.language.statements import TurnInContext
from loxodon.text import dates, keywords, sentences
from loxodon.text.language import language_of
from loxodon.text.words import index_words, query_words
from tests.clock import NOW
from tests.fuzz.made import cases, opened, survived, talked, text
from tests.long import count, figure


def _dates(given: str) -> None:
    for moment in dates.find_moments(given, NOW):
        for language in ("zh", "en"):
            dates.format_date(moment, language)
        assert moment.since is None or isinstance(moment.since, datetime)
    dates.find_moments(given, NOW, asked=True)
    dates.parse_moment(given, NOW)
    dates.until(given, NOW)
    dates.absolute(given, NOW, language_of(given))


def _words(given: str) -> None:
    index_words(given)
    query_words(given)
    assert all(start < end <= len(given) for start, end in sentences.spans(given))
    keywords.quick(given)


def _rules(given: str) -> None:
    """Cutting and reading one message."""
    read(TurnInContext(given, NOW, fragments_of(1, given)))


GUARD = Guard(built_in)


def _guard(given: str) -> None:
    """What was taken in has nothing left to take out, and shows as it is shown."""
    taken = GUARD.taken(given)
    assert GUARD.taken(taken.text).text == taken.text
    GUARD.shown(given, private=False)
    GUARD.shown(given, private=True)


PARTS: dict[str, tuple[Callable[[str], object], int, int]] = {
    "dates": (_dates, 150, 26_000),
    "words": (_words, 150, 22_000),
    "rules": (_rules, 30, 16_000),
    "guard": (_guard, 100, 16_000),
}


@pytest.mark.parametrize("part", PARTS)
def test_any_text_can_be_read(part: str) -> None:
    call, short, long = PARTS[part]
    done = survived(cases(part, count(short, long), text), call)
    figure("fuzz", part=part, cases=done)


def test_any_text_is_a_question_and_none_is_syntax(tmp_path: Path) -> None:
    with opened(talked(tmp_path / "home")) as memory:

        def ask(given: tuple[str, str]) -> None:
            query, how = given
            if how == "journal":
                memory.journal(query, limit=5)
            elif how == "assemble":
                memory.assemble(query)
            else:
                memory.recall(query, chat="group" if how == "group" else "direct")

        def make(random: Random) -> tuple[str, str]:
            return text(random), random.choice(("recall", "recall", "journal", "group", "assemble"))

        done = survived(cases("ask", count(40, 20_000), make), ask)
        figure("fuzz", part="recall", cases=done)
        assert memory.validate() == []


def test_any_text_can_be_said_and_is_kept_as_it_was(tmp_path: Path) -> None:
    """But for secrets, which are taken out of it."""
    with opened(tmp_path / "home") as memory:
        given = [
            one for one in cases("said", count(15, 3_000), text) if one.strip("\0 \t\n\r\x0b\x1f")
        ]
        said = [
            {"role": "user", "content": one, "id": f"{n}", "at": NOW.isoformat()}
            for n, one in enumerate(given)
        ]
        survived(iter(said), lambda one: memory.add([one], session="any"))
        for turn in memory.journal(session="any"):
            assert turn.content == memory.guard.taken(given[int(turn.id)]).text
        memory.consolidate()
        assert memory.validate() == []
        figure("fuzz", part="said", cases=len(given))
