"""Endings: what was said later of what was found, and says that it is over.

"I quit the library, I start as a gardener on Monday" has no word of "where do I work?", and so no
other route finds it. But it names what the old answer names: the library. So the rare words of the
best findings are looked up, and a later turn is brought that says of one of these that it is over.
`recency` then puts it before what it ends.
"""

from __future__ import annotations

import re

from loxodon.recall.fuse import Pool, order
from loxodon.recall.understand import Question, asks_for_state, compiled
from loxodon.store.store import Store
from loxodon.text.language import language_of
from loxodon.text.similarity import gist
from loxodon.text.words import index_words

_FEW = 3  # so many turns are hardly any; and so many of the best findings are followed
_WORDS = 24
_READ = 600
_SHORT = 300  # characters of a text that is followed: what a longer one names is beside the point
_CLAUSE = re.compile(r"[,.;:!?，。；：！？\n]+")


def ended_since(store: Store, pool: Pool, question: Question) -> dict[int, float]:
    """Later turns that say that what the best findings tell is over, by row: the score of that."""
    if not asks_for_state(question):
        return {}
    best = sorted((one for one in pool.values() if one.note is None), key=order)[:_FEW]
    turns = store.turns([one.key.row for one in best if one.key.is_turn])
    told = []
    for one in best:
        turn, record = turns.get(one.key.row) if one.key.is_turn else None, one.record
        what = turn or record
        if what is None or len(what.content) > _SHORT:
            continue
        at = turn.at if turn else record.valid_from or record.created_at if record else None
        # A pair of characters with one that only holds the sentence together is no word.
        words = {
            word
            for word in index_words(what.content)
            if (word.isascii() or len(gist(word).words) > 1) and word not in question.words
        }
        told.append((one.score, at, turn.speaker if turn else None, words))
    named = dict.fromkeys(word for *_, some in told for word in sorted(some))
    rare = store.rare("turns", list(named)[:_WORDS], _FEW)
    later = store.turns({row for rows in rare.values() for row in rows})
    brought: dict[int, float] = {}
    for score, at, speaker, some in told:
        wanted = some & rare.keys()
        for row in {row for word in wanted for row in rare[word]}:
            turn = later.get(row)
            if (
                turn is not None
                and at is not None
                and turn.at > at
                and turn.role != "assistant"
                and speaker in (None, turn.speaker)
                and not wanted.isdisjoint(_over(turn.content[:_READ]))
            ):
                brought[row] = max(brought.get(row, 0.0), score)
    return brought


def _over(text: str) -> set[str]:
    """The words of what a text says is over: in English what stands right behind the words for
    that, or what they end with ("Oskar moved out"); a Chinese clause is of one thing."""
    language, words = language_of(text), set[str]()
    for clause in _CLAUSE.split(text):
        found = compiled(language, "ENDS").search(clause)
        if found is None:
            continue
        if language == "en":
            thing = compiled("en", "ENDED").match(clause[found.end() :].strip())
            clause = thing["thing"] if thing else clause[: found.start()]
        words.update(index_words(clause))
    return words
