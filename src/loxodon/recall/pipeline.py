"""The pipeline: from a question to the few hundred most relevant tokens, stage by stage.

    understand   what is asked, of whom and of what time
    routes       search along each route, all into one pool, and fuse what they found
    order        weigh what is known of each result; a turn and the memory drawn from it as one
    recency      what holds now first, what asks below what answers
    confidence   whether the best results can answer at all
    fit          the items as they are shown, within the budget

The gate (`gate.py`) decides before this whether a message is worth a recall.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from time import perf_counter
from typing import TYPE_CHECKING

from loxodon.recall.confidence import is_unsure
from loxodon.recall.context import block
from loxodon.recall.fit import items_of, rounded
from loxodon.recall.look import Look
from loxodon.recall.order import Linked, link, weigh
from loxodon.recall.recency import current_first
from loxodon.recall.routes import is_bare_last, search
from loxodon.recall.understand import nobody, understand
from loxodon.store import Filter
from loxodon.store.store import Store
from loxodon.tokens import Counter
from loxodon.types import Considered, Gate, LeftOut, Recall, Stage, Trace

if TYPE_CHECKING:
    from loxodon.models.embedders import EmbeddedQuestion as Meaning

_RANKED = 40  # how many of the best findings are linked and put in order
_NEXT = 10  # how many of those that just missed it the trace names
_FLOOR = 0.2  # how good, beside the best, a finding must be to answer a question
_BREADTH = 2  # times as many items for a question that asks for several things


def recall(
    store: Store,
    query: str,
    where: Filter,
    *,
    top: int | None,
    usual: int,
    budget: int,
    now: datetime,
    count: Counter,
    meaning: Callable[[str], Meaning] | None = None,
    as_of: datetime | None = None,
    profile: str = "default",
    in_view: frozenset[str] = frozenset(),
    here: str = "",
    shown: Callable[[str], str] = str,
) -> Recall:
    """What the memory has on `query`: at most `top` items whose block is within `budget` tokens.

    Without a `top`, as many as `usual`, and more where the question asks for a list. A turn whose
    words (folded) or ref, a memory whose id, or a note whose file, is `in_view` is passed over; so
    is what was drawn from such turns alone. What belongs to another project than `here` comes
    last, with the name of its own. Every text comes as `shown` makes it.
    """
    watch = _Watch()
    if as_of is not None:
        where = where._replace(until=min(as_of, where.until) if where.until else as_of)
    look = searched(store, query, where, now, top, usual, meaning, as_of)
    watch.lap("search")
    question, top = look.question, look.top
    if not question.words and not question.last:
        return Recall(query, Gate(False, "empty"), (), (), "", 0, watch.total(), unsure=True)
    if is_bare_last(question):
        profile = "default"  # no formula orders what has no word of the question: the newest first
    if profile != "default":
        from loxodon.recall import profiles  # most recalls have none

        profiles.widen(look, profile)
    weigh(look)
    ranked = link(look, max(_RANKED, 3 * top) if profile == "default" else len(look.pool))
    ranked = current_first(look, ranked)
    unsure = is_unsure(look, ranked)
    if profile != "default":
        ranked = profiles.arranged(look, ranked, profile)
    elif not question.tells and ranked:
        least = _FLOOR * ranked[0].found.score  # a piece of a file has other things in it, too
        ranked = [one for one in ranked if one.found.note or one.found.score >= least]
    watch.lap("order")
    items, passed = items_of(look, ranked, in_view, here, shown)
    chosen = block(items, budget, count, question.language, unsure)
    watch.lap("fit")
    left = (
        LeftOut("budget", len(items) - len(chosen.items)),
        LeftOut("top", len(ranked) - len(items) - len(passed)),
        LeftOut("view", sum(fate == "view" for fate in passed.values())),
    )
    fates = passed | {item.id: "budget" for item in items}
    fates |= {item.id: "shown" for item in chosen.items}
    return Recall(
        query,
        Gate(True, "asked"),
        chosen.items,
        tuple(one for one in left if one.number > 0),
        chosen.text,
        chosen.tokens,
        watch.total(),
        _trace(look, ranked, fates, watch.stages, profile),
        unsure,
    )


def searched(
    store: Store,
    query: str,
    where: Filter,
    now: datetime,
    top: int | None,
    usual: int,
    meaning: Callable[[str], Meaning] | None,
    as_of: datetime | None,
) -> Look:
    """The question as it was understood, and all that was found, not yet weighed."""
    # In a group nobody is looked up by other names: that these are the same may be private.
    names = store.named if where.audience is None else nobody
    question = understand(query, as_of or now, names)
    if not question.words and not question.last:
        return Look(store, question, where, now)
    asked = meaning(question.focus) if meaning else None
    compared = asked and asked.view and store.query("vector_models")
    views = [asked.view._replace(told=question.tells)] if asked and asked.view and compared else ()
    if top is None:
        top = usual * (_BREADTH if question.kind in ("list", "how_many") else 1)
    look = Look(store, question, where, now, views, as_of, top)
    search(look)
    if asked and asked.problem:
        look.problems.append(f"meaning: {asked.problem}")
    return look


class _Watch:
    """How long each stage takes."""

    def __init__(self) -> None:
        self._started = self._last = perf_counter()
        self.stages: list[Stage] = []

    def lap(self, name: str) -> None:
        """What was done since the last lap is called `name`."""
        now = perf_counter()
        self.stages.append(Stage(name, round((now - self._last) * 1000, 3)))
        self._last = now

    def total(self) -> float:
        return round((perf_counter() - self._started) * 1000, 3)


def _trace(
    look: Look,
    ranked: Sequence[Linked],
    fates: Mapping[str, str],
    stages: Sequence[Stage],
    profile: str,
) -> Trace:
    """What was understood, found and weighed, what became of it, and how long each stage took."""
    considered = tuple(
        Considered(
            one.id,
            one.kind,
            round(one.score, 4),
            rounded(one.routes),
            rounded(one.factors),
            fates.get(one.id, "top"),
        )
        for one, _ in ranked[: len(fates) + _NEXT]
    )
    problems = tuple(look.problems)
    return Trace(look.question, look.counts(), considered, tuple(stages), profile, problems)
