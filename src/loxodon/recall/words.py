"""Words: what in turns, memories and notes has the words of each thing that is asked.

All are scored alike, with the word rarity of the journal: the bm25 scores of two indexes cannot be
compared. Words that a turn lacks but a neighbour has count too, less with distance; how much
depends on the journal (`store.nature`). In a collection of notes, what hits have in common leads on
instead: from "the one who is 36" to the cousin, and from the cousin to her school.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from heapq import nlargest

from loxodon.recall.look import Key, Look, Shares, Terms
from loxodon.recall.understand import Question, without_asking
from loxodon.store import Filter, Having, Index, Place, Standing
from loxodon.text.related import SAME, expand
from loxodon.text.similarity import cosine, unit
from loxodon.text.wordlists import words_of
from loxodon.text.words import among, index_words, query_words

_LEADING = 48  # words that lead a search: the rarest of a message; others weigh what these find
_CANDIDATES: Mapping[Index, int] = {"turns": 100, "memories": 16, "archive": 16, "chunks": 24}
_SEEDS = 50  # turns whose neighbours are looked at
_KEPT = 60  # turns and neighbours that go on to be weighed
_LENT = (0.8, 0.45)  # what a word of a neighbour counts, by its distance
_BY_ASSISTANT = 0.6  # an assistant's long answers touch on many things that were not asked about
LEAST_COHESION = 0.15  # where turns in a row have no more in common, neighbours lend nothing
_MOST_COHESION = 0.7  # from here on, nothing is looked for by what hits have in common
_NEGLIGIBLE = 0.02
_FEW = 3  # memories that match; with fewer the archive is asked
_ALIAS = 0.5
_TRANSLATED = 2.5  # a word in the other language, beside other words for the same
_SUMMARY = 0.3  # a summary has a little of everything; what it was made of says it better
_NOTE_WORDS = 80.0  # of a note that is neither long nor short: a piece of a file has more
# Share of what a question's words tell that a match must have for words to count in full beside
# meaning: words that lead nowhere must not stand above what was meant
_CARRIED = 0.9
_LIGHT = 0.5  # what a word of the asking counts: "how many days had passed between the wedding and"
_ASKING = words_of("asking")


def by_words(look: Look) -> None:
    """Find what has the words of each question of a message, and fuse it into the pool."""
    question = look.question
    each: list[tuple[Shares, float]] = []
    for words, related in asked_words(question):
        light = tuple(word for word in words if word in _ASKING)
        telling = tuple(word for word in words if word not in _ASKING)
        terms = Terms(telling or light, light if telling else (), tuple(related))
        if question.tells:  # in a message none of the words only asks; vectors have more of it
            counted = Counter(index_words(question.focus)) if not look.view else {}
            often = {word: counted[word] for word in words if counted.get(word, 0) > 1}
            terms = Terms(tuple(words), (), tuple(related), often)
        having = look.store.having("turns", terms.all)
        if len(terms.words) > _LEADING:  # a word that nothing has leads nowhere
            last = {word: -n for n, word in enumerate(terms.words)}
            rarest = sorted(last, key=lambda w: (having.counts.get(w) or having.rows, last[w]))
            terms = terms._replace(words=tuple(rarest))
        shares = _turns(look, terms, having) if look.has_turns else {}
        shares |= memories(look, terms, having) if look.has_memories else {}
        shares |= _matching(look, "chunks", terms, having) if look.has_notes else {}
        look.each.append((terms, having))
        beside_meaning = look.view is not None and not question.tells
        each.append((shares, sum(_worth(terms, having).values()) if beside_meaning else 0.0))
    _fuse(look, each)


def asked_words(question: Question) -> Iterator[tuple[list[str], list[tuple[str, float]]]]:
    """For each thing that is asked its words, and the words for the same."""
    asks = question.asks if len(question.asks) > 1 and not question.tells else ()
    found = [(query_words(without_asking(ask.text, question.language)), ask.text) for ask in asks]
    found = [one for one in found if one[0]] or [(list(question.words), question.focus)]
    names = [name for one in question.entities for name in one.names[1:]]
    others = dict.fromkeys(word for name in names[:12] for word in query_words(name))
    aliases = [(word, _ALIAS) for word in others if word not in question.words]
    # The words that only name a time: what is asked for was not said in them
    times = [time.text for time in question.times if not time.recurring]
    dates = {word for text in times for word in query_words(text)}
    for words, text in found:
        related = [(one.word, one.weight) for one in expand(words, text)]
        yield [word for word in words if word not in dates], related + aliases


def _fuse(look: Look, each: Sequence[tuple[Shares, float]]) -> None:
    """Add what was found for each question (and what its words tell together, where meaning counts
    too), on a scale on which the best match by words has 1: otherwise the question with the rarer
    words would take all the room."""
    weights, scaled = look.weights, []
    for shares, whole in each:
        best = max((parts.get("words", 0.0) for parts in shares.values()), default=0.0)
        best = best or max((sum(parts.values()) for parts in shares.values()), default=0.0) or 1.0
        scaled.append((shares, 1 / max(best, _CARRIED * whole)))
    for key, found in look.pool.items():
        own = [(shares.get(key, {}), scale) for shares, scale in scaled]
        sums = [
            scale * sum([value * weights[name] for name, value in parts.items()])
            for parts, scale in own
        ]
        best_parts, scale = own[sums.index(max(sums))]
        # The best that it is for any of the questions, and what it is for all together
        part = 1.0 if len(own) == 1 else 0.5
        for name, value in best_parts.items():
            found.add(name, value * scale * part)
        if len(own) > 1:
            found.add("all questions", sum(sums) / len(sums) / 2)


def is_light(words: Sequence[str]) -> bool:
    """Whether words only ask, and tell nothing of what is asked for."""
    return all(word in _ASKING for word in words)


def _worth(terms: Terms, having: Having) -> dict[str, float]:
    """What each word tells: the rarer the more, as bm25 has it."""
    found = {
        word: rarity(having, word) * _saturated(float(terms.often.get(word, 1)), 1.0, 1.0)
        for word in terms.words
    }
    return found | {word: _LIGHT * rarity(having, word) for word in terms.light}


def rarity(having: Having, word: str) -> float:
    """How much it tells that a text has `word`."""
    count = having.counts.get(word, 0.0)
    return math.log(1 + (having.rows - count + 0.5) / (count + 0.5)) if having.rows else 1.0


def _saturated(times: float, length: float, mean: float) -> float:
    """What a word that a text has so many times adds, as bm25 has it; 1 for an average text."""
    return times * 2.2 / (times + 1.2 * (0.25 + 0.75 * length / mean))


def _related(look: Look, index: Index, terms: Terms, most: int) -> dict[int, float]:
    """Rows with other words for the same: how well they match, as far as these are the same."""
    if not terms.related:
        return {}
    mean = sum(weight for _, weight in terms.related) / len(terms.related)
    # A word of several pieces (`ice cream`, 羽毛 毛球) needs all of them.
    pieces = {word: word.split() for word, _ in terms.related}
    sought = list(dict.fromkeys(piece for some in pieces.values() for piece in some))
    lists, is_chinese = look.store.having(index, sought).lists, look.question.language == "zh"
    found: dict[int, float] = {}
    for row, score in look.store.search(index, sought, look.where, most):
        for word, weight in terms.related:
            if all(row in lists.get(piece, (row,)) for piece in pieces[word]):
                is_translation = weight == SAME and word.isascii() == is_chinese
                part = _TRANSLATED if is_translation else mean
                found[row] = max(found.get(row, 0.0), part * score)
    return found


def _turns(look: Look, terms: Terms, having: Having) -> Shares:
    """Turns that match, unweighed, with what stands around them where that counts."""
    store, where, weights = look.store, look.where, look.weights
    leading, most, worth = terms.words[:_LEADING], _CANDIDATES["turns"], _worth(terms, having)
    hits = store.search("turns", leading, where, max(most, 2 * look.top))
    scores: dict[int, dict[str, float]] = {hit.row: {"words": hit.score} for hit in hits}
    # Light words, and common ones: FTS5 gives a word nothing that half of the rows have, which in
    # a small journal are most words.
    missing = {word: worth[word] for word in (*terms.light, *terms.words[_LEADING:])}
    for word in leading:
        count = having.counts.get(word, 0.0)
        given = math.log(max(1.0, (having.rows - count + 0.5) / (count + 0.5)))
        missing[word] = worth[word] - given
    for word, part in missing.items():
        if part > _NEGLIGIBLE and word in having.lists:
            for row in scores.keys() & having.lists[word].keys():
                scores[row]["words"] += part
    for row, score in _related(look, "turns", terms, most // 2).items():
        scores.setdefault(row, {})["related"] = score
    places = store.places(scores)

    def best(number: int) -> list[int]:
        """The best rows by what was found and who said it; of equals the newer."""
        totals = []
        for row, found in scores.items():
            if place := places.get(row):
                total = sum([weights[name] * value for name, value in found.items()])
                totals.append((total * math.prod(look.voice(place).values()), row))
        return [row for _, row in sorted(totals, reverse=True)[:number]]

    # In a group nothing may show what stands beside a turn: that may be private.
    beside_too = weights["around"] and look.nature.cohesion > LEAST_COHESION
    if beside_too and not where.session and where.audience is None:
        for row, value in _lent(look, best(_SEEDS), places, having, worth).items():
            # Who names a thing wants what has it; who asks, what stands beside it too.
            if look.question.kind != "none" or row in scores:
                scores.setdefault(row, {})["around"] = value * look.nature.cohesion
        places |= store.places(row for row in scores if row not in places)
    shares: Shares = {}
    for row in best(max(_KEPT, 2 * look.top)):
        look.found(Key("turns", row)).place = places[row]
        shares[Key("turns", row)] = scores[row]
    return shares


def _lent(
    look: Look,
    seeds: Sequence[int],
    places: Mapping[int, Place],
    having: Having,
    worth: Mapping[str, float],
) -> dict[int, float]:
    """What neighbours lend: for each word that a turn lacks, the most that one has to give."""
    beside = look.store.beside(seeds)
    chains = [(*reversed(before), row, *after) for row, (before, after) in beside.items()]
    by_assistant = {row for row, place in places.items() if place.role == "assistant"}
    lent: dict[int, float] = {}
    for word, value in worth.items():
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
            lent[row] = lent.get(row, 0.0) + value * share
    return lent


_HOPS = 5  # hits that lead on
_HOP_FROM = 0.4  # how good a hit must be, beside the best, to lead on
_HOP_WORDS = 16
_HOP_LIST = 300  # a word that more turns have leads nowhere
_HOP_READ = 20
_READ = 600  # characters of a turn that is led to


def alike(look: Look) -> dict[int, float]:
    """Turns that have much in common with the best ones that were found: how much, from 0 to 1."""
    store, cohesion = look.store, look.nature.cohesion
    totals = {key.row: found.score for key, found in look.pool.items() if key.is_turn}
    is_plain = look.where == Filter(kind=look.where.kind) and look.question.kind != "none"
    if not is_plain or not look.weights["alike"] or cohesion >= _MOST_COHESION or not totals:
        return {}
    seeds = sorted(totals, key=lambda row: (-totals[row], -row))[:_HOPS]
    least = _HOP_FROM * totals[seeds[0]]
    leading = store.turns([row for row in seeds if totals[row] >= least])
    texts = {row: index_words(leading[row].content[:_READ]) for row in seeds if row in leading}
    # In the order of the text: that of a set would be another in each process.
    told = dict.fromkeys(word for text in texts.values() for word in text)
    telling = [word for word in told if word not in look.question.words][:_HOP_WORDS]
    having = store.having("turns", telling, ranks=False)
    worth, unlisted = {word: rarity(having, word) for word in having.counts}, rarity(having, "")
    shared: dict[int, float] = {}
    for word, rows in having.lists.items():
        for row in rows if 1 < len(rows) <= _HOP_LIST else ():
            shared[row] = shared.get(row, 0.0) + worth[word]

    def vector(text: Sequence[str]) -> dict[str, float]:
        return unit({word: worth.get(word, unlisted) for word in text})

    vectors = {row: vector(text) for row, text in texts.items()}
    found: dict[int, float] = {}
    led = nlargest(_HOP_READ, zip(shared.values(), shared, strict=True))
    for row, turn in store.turns(row for _, row in led).items():
        own = vector(index_words(turn.content[:_READ]))
        near = (1 - cohesion) * max(totals[one] * cosine(own, vectors[one]) for one in texts)
        if near > totals.get(row, 0.0):  # nothing is above a hit by being like it
            found[row] = near - totals.get(row, 0.0)
    return found


def _matching(look: Look, index: Index, terms: Terms, journal: Having) -> Shares:
    """Memories or notes of an index that match and have not expired, unweighed."""
    store, is_notes = look.store, index == "chunks"
    most = max(_CANDIDATES[index], look.top + look.top // 2)
    rows = {hit.row for hit in store.search(index, terms.words[:_LEADING], look.where, most)}
    others = _related(look, index, terms, most // 2)
    if not rows and not others:
        return {}
    here = store.having(index, terms.all)
    # How rare words are in the journal; in notes too, which may have more words than was said
    known = [one for one in ((journal, here) if is_notes else (journal,)) if one.rows]
    total = max([1, *(one.rows for one in known)])
    counts = {
        word: total * max((one.counts.get(word, 0.0) / one.rows for one in known), default=0.0)
        for word in terms.all
    }
    worth = _worth(terms._replace(often={}), Having(total, counts, {}))
    unlisted = [word for word in worth if word not in here.lists]
    mean = max(look.nature.words, _NOTE_WORDS) if is_notes else look.nature.words
    shares: Shares = {}
    for found in look.fetch(index, {*rows, *others}):
        row = found.key.row
        own = {word for word in worth if row in here.lists.get(word, ())}
        own.update(among(unlisted, found.said) if unlisted else ())
        text = found.record.content if found.record else found.note.chunk.text if found.note else ""
        length = len(text) / 6 if text.isascii() else float(len(text))  # about, in words
        factor = _SUMMARY if found.kind == "summary" else 1.0
        part = factor * _saturated(1.0, length, mean)
        shares[found.key] = {"words": part * sum(worth[word] for word in sorted(own))}
        if row in others:
            shares[found.key]["related"] = factor * others[row]
    return shares


def memories(look: Look, terms: Terms, having: Having) -> Shares:
    """Memories that match; of the archive too, where few do or the past is asked for."""
    as_of = look.as_of
    shares = _matching(look, "memories", terms, having)
    if not look.asks_past and len(shares) >= _FEW:
        return shares
    archived = _matching(look, "archive", terms, having)
    rows = [key.row for key in archived]
    standing: dict[int, Standing] = dict(look.store.query("standing", rows))
    # What someone put away by hand does not come back by itself, nor a guess that is settled.
    settled = ("put away", "rejected") if as_of is None else ("put away",)
    gone = {key for key in archived if standing.get(key.row) in settled}
    if as_of is not None:
        gone |= _unknown_at(look, as_of, (archived | shares).keys() - gone)
    for key in gone:
        look.pool.pop(key, None)
    return {key: parts for key, parts in (shares | archived).items() if key not in gone}


def _unknown_at(look: Look, as_of: datetime, keys: Iterable[Key]) -> set[Key]:
    """Memories that were not known at a moment, or held no more; others get the words of then."""
    told = look.store.query("told_at", [key.row for key in keys])
    since = {row: look.store.moment(at) for row, at in told}
    gone: set[Key] = set()
    known = [(key, record) for key in keys if (record := look.pool[key].record)]
    for key, record in known:
        ended = record.valid_until is not None and record.valid_until <= as_of
        if ended or since.get(key.row, record.created_at) > as_of:
            gone.add(key)
        elif record.version > 1:
            versions = [one.record for one in look.store.history(record.id) if one.at <= as_of]
            if own := [one for one in versions if one.id == record.id]:
                look.pool[key].record = record._replace(content=own[-1].content)
    return gone
