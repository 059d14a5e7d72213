"""The pipeline: from a question to the few hundred most relevant tokens, stage by stage.

    understand   what is asked, of whom and of what time
    routes       search along each route, all into one pool, and fuse what they found
    order        weigh what is known of each result; a turn and the memory drawn from it as one
    recency      what holds now first, what asks below what answers
    order        whether the best results can answer at all
    fit          the items as they are shown, within the budget

The gate (`gate.py`) decides before this whether a message is worth a recall.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import datetime
from time import perf_counter
from typing import TYPE_CHECKING, Any

from loxodon.errors import LoxodonError
from loxodon.recall.fit import block, items_of, rounded
from loxodon.recall.look import FLOOR, Look
from loxodon.recall.order import is_unsure, link, weigh
from loxodon.recall.recency import current_first
from loxodon.recall.routes import is_bare_last, search
from loxodon.recall.understand import understand
from loxodon.store import Filter, QuestionVector
from loxodon.types import Considered, Gate, LeftOut, Recall, Trace

if TYPE_CHECKING:
    from loxodon.opening import OpenSpace

_RANKED = 40  # how many of the best findings are linked and put in order
_NEXT = 10  # how many of those that just missed it the trace names
_BREADTH = 2  # times as many items for a question that asks for several things


def recall(
    space: OpenSpace,
    query: str,
    where: Filter,
    *,
    top: int | None,
    budget: int,
    meaning: Callable[[str], tuple[str, Any] | None],
    as_of: datetime | None,
    profile: str,
    in_view: frozenset[str],
    here: str,
    shown: Callable[[str], str],
) -> Recall:
    """What the memory has on `query`: at most `top` items whose block is within `budget` tokens.

    Without a `top`, as many as usual, and more where the question asks for a list. A turn whose
    words (folded) or ref, a memory whose id, or a note whose file, is `in_view` is passed over; so
    is what was drawn from such turns alone. What belongs to another project than `here` comes
    last, with the name of its own. Every text comes as `shown` makes it.
    """
    started = perf_counter()
    if as_of is not None:
        where = where._replace(until=min(as_of, where.until) if where.until else as_of)
    look = searched(space, query, where, top, meaning, as_of, profile)
    question, is_default = look.question, look.profile == "default"
    if not question.words and not question.last:
        return Recall(query, Gate(False, "empty"), (), (), "", 0, 0.0, unsure=True)
    weigh(look)
    ranked = link(look, max(_RANKED, 3 * look.top) if is_default else len(look.pool))
    ranked = current_first(look, ranked)
    unsure = is_unsure(look, ranked)
    if not is_default:
        from loxodon.recall.profiles import arranged  # most recalls have none

        ranked = arranged(look, ranked)
    elif not question.tells and ranked:
        least = FLOOR * ranked[0].score  # a piece of a file has other things in it, too
        ranked = [one for one in ranked if one.note or one.score >= least]
    items, fates, recut = items_of(look, ranked, in_view, here, shown)
    more = None if unsure or question.tells else recut
    told = question.language, unsure, more, space.config.recall.sources
    context, tokens, chosen = block(items, budget, space.count, *told)
    left = (
        LeftOut("budget", len(items) - len(chosen)),
        LeftOut("top", len(ranked) - len(items) - len(fates)),
        LeftOut("view", sum(fate == "view" for fate in fates.values())),
    )
    fates |= {item.id: "budget" for item in items} | {item.id: "shown" for item in chosen}
    considered = []
    for one in ranked[: len(fates) + _NEXT]:
        why = rounded(one.routes), rounded(one.factors), fates.get(one.id, "top")
        considered.append(Considered(one.id, one.kind, round(one.score, 4), *why))
    routes = Counter(name for found in look.pool.values() for name in found.routes)
    return Recall(
        query,
        Gate(True, "asked"),
        chosen,
        tuple(one for one in left if one.number > 0),
        context,
        tokens,
        round((perf_counter() - started) * 1000, 3),
        Trace(question, dict(routes), tuple(considered), look.profile, tuple(look.problems)),
        unsure,
    )


def searched(
    space: OpenSpace,
    query: str,
    where: Filter,
    top: int | None,
    meaning: Callable[[str], tuple[str, Any] | None],
    as_of: datetime | None,
    profile: str,
) -> Look:
    """The question as it was understood, and all that was found, not yet weighed."""
    store, now = space.store, space.now()
    # In a group nobody is looked up by other names: that these are the same may be private.
    known = [store.named] if where.audience is None else []
    question = understand(query, as_of or now, *known)
    if not question.words and not question.last:
        return Look(store, question, where, now)
    if top is None:
        top = space.config.recall.top * (_BREADTH if question.kind in ("list", "how_many") else 1)
    if is_bare_last(question):
        profile = "default"  # no formula orders what has no word of the question: the newest first
    look = Look(store, question, where, now, as_of, top, profile)
    try:
        if store.query("vector_models") and (asked := meaning(question.focus)):
            asks = question.language if question.kind != "none" else ""
            look.view = QuestionVector(*asked, asks=asks, told=question.tells)
    except LoxodonError as error:  # words find something too
        look.problems.append(f"meaning: {error.localized()[0]}")
    search(look)
    return look
