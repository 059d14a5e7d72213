"""The route over the journal: turns with the words of the question, and their neighbours.

Words of the question that a turn lacks but a neighbour has count too, less with distance; how much
depends on the journal (`store.nature`). In a collection of notes, similarity to the best hits leads
on instead: from "the one who is 36" to the cousin, and from the cousin to her school.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from heapq import nlargest
from math import prod

from loxodon.recall.fuse import rarity, worth_of
from loxodon.recall.look import Key, Look, Shares, Terms
from loxodon.store import Having, Place
from loxodon.text.similarity import cosine, unit
from loxodon.text.words import index_words

LEADING = 48  # words that lead a search: the rarest of a message; others weigh what these find
_CANDIDATES = 100  # turns that the words lead to
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


def matching_turns(look: Look, terms: Terms) -> tuple[Terms, Having, Shares]:
    """Turns that match, unweighed, with what stands around them where that counts; and what was
    looked for, as the other routes should look for it."""
    store, where, weights = look.store, look.where, look.weights
    having = store.having("turns", terms.all)
    if len(terms.words) > LEADING:  # a word that nothing has leads nowhere
        last = {word: -n for n, word in enumerate(terms.words)}
        rarest = sorted(last, key=lambda word: (having.counts.get(word) or having.rows, last[word]))
        terms = terms._replace(words=tuple(rarest))
    if not look.has_turns:
        return terms, having, {}
    leading = terms.words[:LEADING]
    worth = worth_of(terms, having)
    hits = store.search("turns", leading, where, max(_CANDIDATES, 2 * look.top))
    scores: Scores = {hit.row: {"words": hit.score} for hit in hits}
    # Light words, and common ones: FTS5 gives a word nothing that half of the rows have, which in
    # a small journal are most words.
    missing = {word: worth[word] for word in (*terms.light, *terms.words[LEADING:])}
    for word in leading:
        count = having.counts.get(word, 0.0)
        given = math.log(max(1.0, (having.rows - count + 0.5) / (count + 0.5)))
        missing[word] = worth[word] - given
    for word, part in missing.items():
        if part > _NEGLIGIBLE and word in having.lists:
            for row in scores.keys() & having.lists[word].keys():
                scores[row]["words"] += part
    if terms.related:
        part = sum(weight for _, weight in terms.related) / len(terms.related)
        words = [word for word, _ in terms.related]
        for hit in store.search("turns", words, where, _CANDIDATES // 2):
            scores.setdefault(hit.row, {})["related"] = part * hit.score
    places = store.places(scores)

    def best(number: int) -> list[int]:
        """The best rows by what was found and who said it; of equals the newer."""
        totals = []
        for row, found in scores.items():
            if place := places.get(row):
                total = sum([weights[name] * value for name, value in found.items()])
                totals.append((total * prod(look.voice(place).values()), row))
        return [row for _, row in sorted(totals, reverse=True)[:number]]

    # In a group nothing may show what stands beside a turn: that may be private.
    beside_too = weights["around"] and look.nature.cohesion > LEAST_COHESION
    if beside_too and not where.session and where.audience is None:
        for row, value in _lent(look, best(_SEEDS), places, terms, having, worth).items():
            # Who names a thing wants what has it; who asks, what stands beside it too.
            if look.question.kind != "none" or row in scores:
                scores.setdefault(row, {})["around"] = value * look.nature.cohesion
        places |= store.places(row for row in scores if row not in places)
    shares: Shares = {}
    for row in best(max(_KEPT, 2 * look.top)):
        look.found(Key("turns", row)).place = places[row]
        shares[Key("turns", row)] = scores[row]
    return terms, having, shares


def _lent(
    look: Look,
    seeds: Sequence[int],
    places: Mapping[int, Place],
    terms: Terms,
    having: Having,
    worth: Mapping[str, float],
) -> dict[int, float]:
    """What neighbours lend: for each word that a turn lacks, the most that one has to give."""
    beside = look.store.beside(seeds)
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


def alike(look: Look) -> dict[int, float]:
    """Turns that have much in common with the best ones that were found: how much, from 0 to 1."""
    store, cohesion = look.store, look.nature.cohesion
    totals = {key.row: found.score for key, found in look.pool.items() if key.is_turn}
    if cohesion >= _MOST_COHESION or not totals:
        return {}
    best = max(totals.values())
    seeds = sorted(totals, key=lambda row: (-totals[row], -row))[:_HOPS]
    leading = store.turns([row for row in seeds if totals[row] >= _HOP_FROM * best])
    texts = {row: index_words(leading[row].content[:_READ]) for row in seeds if row in leading}
    # In the order of the text: that of a set would be another in each process.
    told = dict.fromkeys(word for text in texts.values() for word in text)
    asked = set(look.question.words)
    having = store.having("turns", [word for word in told if word not in asked][:_HOP_WORDS])
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
    found: dict[int, float] = {}
    led = nlargest(_HOP_READ, shared, key=lambda row: (shared[row], row))
    for row, turn in store.turns(led).items():
        own = vector(index_words(turn.content[:_READ]))
        near = [totals[one] / best * cosine(own, vectors[one]) for one in vectors if one != row]
        if max(near, default=0.0) > 0:
            found[row] = (1 - cohesion) * max(near)
    return found
