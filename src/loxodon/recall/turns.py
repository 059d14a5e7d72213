"""The route over the journal: turns with the words of the question, and their neighbours.

A turn is scored with its neighbours. Words of the question that it lacks but a neighbour has count
too, less with distance. So an answer that shares no word with the question is found. How much
neighbours count depends on the journal (`store.nature`): in a conversation they are about the same
thing, in a collection of notes they are not. There, similarity to the best hits leads on, wherever
a note is: from "the one who is 36" to the cousin, and from the cousin to her school.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from heapq import nlargest
from typing import NamedTuple

from loxodon.recall.rank import Voices
from loxodon.recall.terms import LEADING, Terms, rarity, worth_of
from loxodon.recall.weights import Parts
from loxodon.store import Beside, Filter, Having, Nature, Place
from loxodon.store.store import Store
from loxodon.text.similarity import cosine, unit
from loxodon.text.words import index_words

CANDIDATES = 100  # Turns that the words lead to
_SEEDS = 50  # Those of them whose neighbours are looked at
_KEPT = 60  # Turns and neighbours that go on to be weighed
_LENT = (0.8, 0.45)  # What a word of a neighbour counts, by its distance
_BY_ASSISTANT = 0.6  # An assistant's long answers touch on many things that were not asked about
# Where turns in a row have no more in common than this, neighbours lend nothing
_LEAST_COHESION = 0.15
_MOST_COHESION = 0.7  # From here on, nothing is looked for by what hits have in common
_NEGLIGIBLE = 0.02
_HOPS = 5
_HOP_FROM = 0.4  # How good a hit must be, beside the best, to lead on
_HOP_WORDS = 16
_HOP_LIST = 300  # A word that more turns have leads nowhere
_HOP_READ = 20
_READ = 600  # Characters of a turn that is led to


class FoundTurn(NamedTuple):
    """What the journal has on a question."""

    scores: dict[int, dict[str, float]]  # By row: what each way of finding it gave
    terms: Terms  # What was looked for, as the other routes should look for it
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
    voices: Voices,
) -> FoundTurn:
    """Turns that match, with what each way of finding them gave, unweighed, and what stands around
    them where that counts."""
    having = store.having("turns", terms.all)
    terms = terms.rarest_first(having)
    worth = worth_of(terms, having)
    scores: dict[int, dict[str, float]] = {}
    for hit in store.search("turns", terms.leading, where, max(CANDIDATES, 2 * top)):
        scores[hit.row] = {"words": hit.score}
    _add_common(scores, terms, having, worth)
    if terms.related:
        _add_related(store, scores, terms, where)
    places = store.places(scores)
    best = _Best(places, voices, weights)
    # In a group nothing may show what stands beside a turn: that may be private.
    beside_too = weights["around"] and nature.cohesion > _LEAST_COHESION
    if beside_too and not where.session and where.audience is None:
        seeds = best.of(scores, _SEEDS)
        lent = _lent(store.beside(seeds), places, terms, having, worth)
        for row, value in lent.items():
            # Who names a thing wants what has it; who asks, what stands beside it too.
            if asks or row in scores:
                scores.setdefault(row, {})["around"] = value * nature.cohesion
        places |= store.places(row for row in scores if row not in places)
    kept = best.of(scores, max(_KEPT, 2 * top))
    return FoundTurn({row: scores[row] for row in kept}, terms, having, places)


class _Best:
    """Puts turns in order by what each way of finding them counts, and who said them."""

    def __init__(self, places: Mapping[int, Place], voices: Voices, weights: Parts) -> None:
        self._places = places
        self._voices = voices
        self._weights = weights

    def of(self, scores: Mapping[int, Mapping[str, float]], number: int) -> list[int]:
        """The best rows first; of equals the newer."""
        weights, places, part = self._weights, self._places, self._voices.part
        totals = [
            (sum([weights[name] * value for name, value in found.items()]) * part(places[row]), row)
            for row, found in scores.items()
            if row in places
        ]
        totals.sort(reverse=True)
        return [row for _, row in totals[:number]]


def _add_common(
    scores: dict[int, dict[str, float]], terms: Terms, having: Having, worth: Mapping[str, float]
) -> None:
    """Add what light words tell, and what the index makes too little of common ones.

    FTS5 gives a word nothing that half of the rows have, which in a small journal are most words.
    """
    missing = {word: worth[word] for word in (*terms.light, *terms.words[LEADING:])}
    missing |= {word: worth[word] - _given(having, word) for word in terms.leading}
    for word, part in missing.items():
        if part > _NEGLIGIBLE and word in having.lists:
            for row in scores.keys() & having.lists[word].keys():
                scores[row]["words"] += part


def _given(having: Having, word: str) -> float:
    """What FTS5's bm25 has a word tell."""
    count = having.counts.get(word, 0.0)
    return math.log(max(1.0, (having.rows - count + 0.5) / (count + 0.5)))


def _add_related(
    store: Store, scores: dict[int, dict[str, float]], terms: Terms, where: Filter
) -> None:
    """What is said in other words."""
    parts = dict(terms.related)
    mean = sum(parts.values()) / len(parts)
    for hit in store.search("turns", list(parts), where, CANDIDATES // 2):
        scores.setdefault(hit.row, {})["related"] = mean * hit.score


def _lent(
    beside: Mapping[int, Beside],
    places: Mapping[int, Place],
    terms: Terms,
    having: Having,
    worth: Mapping[str, float],
) -> dict[int, float]:
    """What neighbours lend: for each word that a turn lacks, the most that one has to give."""
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
    shared: dict[int, float] = {}
    for word, rows in having.lists.items():
        if 1 < len(rows) <= _HOP_LIST:
            weight = rarity(having, word)
            for row in rows:
                shared[row] = shared.get(row, 0.0) + weight
    led = nlargest(_HOP_READ, shared, key=lambda row: (shared[row], row))
    open_ = 1 - nature.cohesion
    telling = _Telling({word: rarity(having, word) for word in having.counts}, rarity(having, ""))
    vectors = {row: _vector(text, telling) for row, text in texts.items()}
    found: dict[int, float] = {}
    for row, turn in store.turns(led).items():
        vector = _vector(index_words(turn.content[:_READ]), telling)
        each = [
            totals[seed] / best * cosine(vector, other)
            for seed, other in vectors.items()
            if seed != row
        ]
        alike = max(each, default=0.0)
        if alike > 0:
            found[row] = open_ * alike
    return found


class _Telling(NamedTuple):
    """What words tell, reckoned once for dozens of texts."""

    counted: Mapping[str, float]
    other: float  # What any word tells that was not counted


def _vector(words: Sequence[str], telling: _Telling) -> dict[str, float]:
    counted, other = telling
    return unit({word: counted.get(word, other) for word in dict.fromkeys(words)})
