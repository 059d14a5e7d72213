"""The route over the journal: turns with the words of the question, and their neighbours.

A turn is scored with its neighbours. Words of the question that it lacks but a neighbour has count
too, less with distance. So an answer that shares no word with the question is found. How much
neighbours count depends on the journal (`store.nature`): in a conversation they are about the same
thing, in a collection of notes they are not. There, similarity to the best hits leads on, wherever
a note is: from "the one who is 36" to the cousin, and from the cousin to her school.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from heapq import nlargest
from typing import NamedTuple

from loxodon.recall.fuse import LEADING, Parts, Terms, rarity, worth_of
from loxodon.store import Filter, Having, Nature, Place
from loxodon.store.store import Store
from loxodon.text.similarity import cosine, unit
from loxodon.text.words import index_words

CANDIDATES = 100  # turns that the words lead to
_SEEDS = 50  # those of them whose neighbours are looked at
_KEPT = 60  # turns and neighbours that go on to be weighed
_LENT = (0.8, 0.45)  # what a word of a neighbour counts, by its distance
_BY_ASSISTANT = 0.6  # an assistant's long answers touch on many things that were not asked about
LEAST_COHESION = 0.15  # where turns in a row have no more in common, neighbours lend nothing
_MOST_COHESION = 0.7  # from here on, nothing is looked for by what hits have in common
_NEGLIGIBLE = 0.02
_HOPS = 5  # hits that lead on
_HOP_FROM = 0.4  # how good a hit must be, beside the best, to lead on
_HOP_WORDS = 16
_HOP_LIST = 300  # a word that more turns have leads nowhere
_HOP_READ = 20
_READ = 600  # characters of a turn that is led to

Scores = dict[int, dict[str, float]]  # by row: what each way of finding it gave


class FoundTurns(NamedTuple):
    """What the journal has on a question."""

    scores: Scores
    terms: Terms  # what was looked for, as the other routes should look for it
    having: Having
    places: dict[int, Place]


def matching_turns(
    store: Store,
    terms: Terms,
    where: Filter,
    nature: Nature,
    top: int,
    asks: bool,
    weights: Parts,
    voice: Callable[[Place], float],
) -> FoundTurns:
    """Turns that match, unweighed, and what stands around them where that counts."""
    having = store.having("turns", terms.all)
    if len(terms.words) > LEADING:  # the rarest lead; a word that nothing has leads nowhere
        last = {word: -n for n, word in enumerate(terms.words)}
        rarest = sorted(last, key=lambda word: (having.counts.get(word) or having.rows, last[word]))
        terms = terms._replace(words=tuple(rarest))
    worth = worth_of(terms, having)
    scores: Scores = {}
    for hit in store.search("turns", terms.leading, where, max(CANDIDATES, 2 * top)):
        scores[hit.row] = {"words": hit.score}
    _add_common(scores, terms, having, worth)
    if terms.related:
        part = sum(weight for _, weight in terms.related) / len(terms.related)
        words = [word for word, _ in terms.related]
        for hit in store.search("turns", words, where, CANDIDATES // 2):
            scores.setdefault(hit.row, {})["related"] = part * hit.score
    places = store.places(scores)

    def best(number: int) -> list[int]:
        """The best rows by what was found and who said it; of equals the newer."""
        totals = [
            (sum([weights[name] * value for name, value in found.items()]) * voice(place), row)
            for row, found in scores.items()
            if (place := places.get(row)) is not None
        ]
        return [row for _, row in sorted(totals, reverse=True)[:number]]

    # In a group nothing may show what stands beside a turn: that may be private.
    beside_too = weights["around"] and nature.cohesion > LEAST_COHESION
    if beside_too and not where.session and where.audience is None:
        for row, value in _lent(store, best(_SEEDS), places, terms, having, worth).items():
            # Who names a thing wants what has it; who asks, what stands beside it too.
            if asks or row in scores:
                scores.setdefault(row, {})["around"] = value * nature.cohesion
        places |= store.places(row for row in scores if row not in places)
    kept = best(max(_KEPT, 2 * top))
    return FoundTurns({row: scores[row] for row in kept}, terms, having, places)


def _add_common(scores: Scores, terms: Terms, having: Having, worth: Mapping[str, float]) -> None:
    """Add what light words tell, and what the index makes too little of common ones.

    FTS5 gives a word nothing that half of the rows have, which in a small journal are most words.
    """
    missing = {word: worth[word] for word in (*terms.light, *terms.words[LEADING:])}
    for word in terms.leading:
        count = having.counts.get(word, 0.0)
        given = math.log(max(1.0, (having.rows - count + 0.5) / (count + 0.5)))
        missing[word] = worth[word] - given
    for word, part in missing.items():
        if part > _NEGLIGIBLE and word in having.lists:
            for row in scores.keys() & having.lists[word].keys():
                scores[row]["words"] += part


def _lent(
    store: Store,
    seeds: Sequence[int],
    places: Mapping[int, Place],
    terms: Terms,
    having: Having,
    worth: Mapping[str, float],
) -> dict[int, float]:
    """What neighbours lend: for each word that a turn lacks, the most that one has to give."""
    beside = store.beside(seeds)
    chains = [(*reversed(before), row, *after) for row, (before, after) in beside.items()]
    by_assistant = {row for row, place in places.items() if place.role == "assistant"}
    lent: dict[int, float] = {}
    for word in terms.all:
        rows = having.lists.get(word, {})
        most: dict[int, float] = {}
        for chain in chains:
            for i, row in enumerate(chain):
                if row in rows:
                    part = _BY_ASSISTANT if row in by_assistant else 1.0
                    for j in range(max(0, i - len(_LENT)), min(len(chain), i + len(_LENT) + 1)):
                        if chain[j] not in rows:
                            share = _LENT[abs(i - j) - 1] * part
                            most[chain[j]] = max(most.get(chain[j], 0.0), share)
        for row, share in most.items():
            lent[row] = lent.get(row, 0.0) + worth[word] * share
    return lent


def hops(
    store: Store, totals: Mapping[int, float], words: Sequence[str], nature: Nature
) -> dict[int, float]:
    """Turns that have much in common with the best of `totals`: how much, from 0 to 1."""
    if nature.cohesion >= _MOST_COHESION or not totals:
        return {}
    best = max(totals.values())
    seeds = sorted(totals, key=lambda row: (-totals[row], -row))[:_HOPS]
    leading = store.turns([row for row in seeds if totals[row] >= _HOP_FROM * best])
    texts = {row: index_words(leading[row].content[:_READ]) for row in seeds if row in leading}
    asked = set(words)
    # In the order of the text: that of a set would be another in each process.
    told = dict.fromkeys(word for text in texts.values() for word in text if word not in asked)
    having = store.having("turns", list(told)[:_HOP_WORDS])
    worth = {word: rarity(having, word) for word in having.counts}
    other = rarity(having, "")
    shared: dict[int, float] = {}
    for word, rows in having.lists.items():
        if 1 < len(rows) <= _HOP_LIST:
            for row in rows:
                shared[row] = shared.get(row, 0.0) + worth[word]

    def vector(text: Sequence[str]) -> dict[str, float]:
        return unit({word: worth.get(word, other) for word in dict.fromkeys(text)})

    vectors = {row: vector(text) for row, text in texts.items()}
    led = nlargest(_HOP_READ, shared, key=lambda row: (shared[row], row))
    found: dict[int, float] = {}
    for row, turn in store.turns(led).items():
        own = vector(index_words(turn.content[:_READ]))
        alike = max(
            (
                totals[seed] / best * cosine(own, one)
                for seed, one in vectors.items()
                if seed != row
            ),
            default=0.0,
        )
        if alike > 0:
            found[row] = (1 - nature.cohesion) * alike
    return found
