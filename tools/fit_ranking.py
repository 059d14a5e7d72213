"""Fit what each part of a recall's score counts, and say how it generalises.

python tools/fit_ranking.py FILE... --keep DIR [--embedder auto]

FILE are labelled conversations (`loxodon bench retrieval`), DIR the memories that a bench kept of
them (`--keep`). For every question the parts of all turns that recall finds are read, once; with
`--embedder` the same again with meaning. The fit is a softmax over what was found for a question:
the turns with the answer should have most of it. Each set has equal say, whatever its size. Weights
stay near the ones in `recall/look.py` where the sets say little.

Half of each set is fitted on (every other conversation, or question where there is one
conversation) and the other half held back. The tables, on the halves held back, R@10:

    now         the weights of `recall/look.py`
    fitted      on all sets
    left out    fitted on the other sets: what to expect of talk that no one has seen
    without …   fitted, and one part taken away: what it earns

Turns only: what a memory adds by standing for its turn is not part of this.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from loxodon.cli import bench
from loxodon.cli.bench import as_conversation, chosen_embedder, for_measuring, kept_home
from loxodon.config import Config, EmbedderConfig
from loxodon.memory import Memory
from loxodon.recall import look as weights
from loxodon.recall import order
from loxodon.recall.pipeline import searched
from loxodon.store import Filter

Floats = NDArray[Any]
PARTS = ("related", "around", "alike", "meaning", "setting", "time", "then")
"""The parts that are fitted, beside that of the words, which is 1."""
FACTORS = {"assistant": "BY_ASSISTANT", "speaker": "NAMED", "time": "IN_TIME"}
_TRIED = (0.33, 0.5, 0.7, 0.85, 1.2, 1.4, 2.0, 3.0)
"""What a weight is multiplied by when another is looked for."""
_FIRST = 0.1
"""What a weight of 0 is taken for then."""
_ROUNDS = 2
_GAIN = 0.02
"""Points, over all sets, for which a weight is changed."""
_FLAT = dict.fromkeys(FACTORS.values(), 1.0)
_LEFT_OUT = "5"
"""LoCoMo's category whose evidence is a decoy."""


class Found(NamedTuple):
    """What was found for all questions of a set: a row a question, filled up with zeros."""

    name: str
    parts: Floats
    """(questions, turns, 1 + parts): words first."""
    flags: Floats
    """(questions, turns, factors): whether each of `FACTORS` is at work."""
    rest: Floats
    """(questions, turns): the other factors, as they are; 0 where there is no turn."""
    right: Floats
    told: Floats
    """(questions,): whether it is a message."""
    answers: Floats
    """(questions,): how many turns have the answer, found or not."""
    held: Floats
    """(questions,): whether it is held back."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+")
    parser.add_argument("--keep", required=True)
    parser.add_argument("--limit", type=int, default=0, help="conversations of each file")
    parser.add_argument("--embedder", default="none", help="fit with this as well as without")
    args = parser.parse_args()
    kinds = dict.fromkeys(["none", args.embedder])
    sets = [read(file, args.keep, kind, args.limit) for file in args.files for kind in kinds]
    report(sets)


# --- Reading --------------------------------------------------------------------------------------


def read(file: str, keep: str, embedder: str, limit: int) -> Found:
    config = for_measuring(Config())._replace(embedder=EmbedderConfig(kind=embedder))
    name = os.path.basename(file).removesuffix(".jsonl")
    talks = bench.read(file, as_conversation)[: limit or None]
    each, told, answers, held = [], [], [], []
    for number, talk in enumerate(talks):
        for n, (rows, tells, wanted) in enumerate(asked(talk, config, keep)):
            each.append(rows)
            told.append(tells)
            answers.append(wanted)
            held.append((number if len(talks) > 1 else n) % 2 == 1)
    print(f"read {name}, embedder {embedder}: {len(each)} questions", file=sys.stderr)
    label = name if embedder == "none" else f"{name} + {embedder}"
    shape = len(each), max(map(len, each))
    parts = np.zeros((*shape, 1 + len(PARTS)), np.float32)
    flags = np.zeros((*shape, len(FACTORS)), bool)
    rest, right = np.zeros(shape, np.float32), np.zeros(shape, bool)
    for q, rows in enumerate(each):
        for t, row in enumerate(rows):
            parts[q, t], flags[q, t], rest[q, t], right[q, t] = row
    return Found(label, parts, flags, rest, right, *map(np.array, (told, answers, held)))


Row = tuple[list[float], list[bool], float, bool]


def asked(talk: Any, config: Config, keep: str) -> Iterator[tuple[list[Row], bool, int]]:
    """For each question its turns, whether it is a message, and how many answer it."""
    home = kept_home(talk, config, keep)
    now = [talk["end"]]
    with Memory.open(home, config=config, clock=lambda: now[0]) as memory:
        memory._embedders.use(chosen_embedder(config.embedder))
        for question in talk["questions"]:
            evidence = question["evidence"]
            if not evidence or question["category"] == _LEFT_OUT:
                continue
            now[0] = question["asked_at"]
            with memory._store.reading():
                meaning = partial(memory._embedders.ask, clean=str)
                look = searched(memory, question["text"], Filter(), 100, meaning, None, "default")
                order.weigh(look)
                turns = memory._store.turns([key.row for key in look.pool if key.is_turn])
            rows: list[Row] = []
            for key, found in look.pool.items():
                if not key.is_turn or key.row not in turns:
                    continue
                own = [found.parts.get(name, 0.0) for name in ("words", *PARTS)]
                own[0] += found.parts.get("all questions", 0.0)
                fixed = prod(v for k, v in found.factors.items() if k not in FACTORS)
                at_work = [name in found.factors for name in FACTORS]
                rows.append((own, at_work, fixed, turns[key.row].id in evidence))
            yield rows, look.question.tells, len(evidence)


# --- Fitting --------------------------------------------------------------------------------------

Model = dict[str, float]
"""Every weight: those for a question, those for a message (`told …`), and the factors."""


def now_in_use() -> Model:
    asked = {name: weights.ASKED[name] for name in PARTS}
    told = {f"told {name}": weights.TOLD[name] for name in PARTS}
    return asked | told | {name: getattr(weights, name) for name in FACTORS.values()}


def fitted(sets: Sequence[Found]) -> Model:
    """One weight after the other to what is best on the halves that are fitted on, twice round."""
    model = now_in_use()
    best = sum(worth(model, one, held=False) for one in sets)
    for _ in range(_ROUNDS):
        for name in model:
            own = model[name]
            for value in [0.0, *(round((own or _FIRST) * factor, 3) for factor in _TRIED)]:
                tried = model | {name: value}
                found = sum(worth(tried, one, held=False) for one in sets)
                if found > best + _GAIN * len(sets):
                    best, model = found, tried
    return model


def scored(model: Model, one: Found) -> Floats:
    """(questions, turns): the score of each turn."""
    asked = np.array([1.0, *(model[name] for name in PARTS)], np.float32)
    told = np.array([1.0, *(model[f"told {name}"] for name in PARTS)], np.float32)
    table = np.where(one.told[:, None], told, asked)
    factor = one.rest
    for n, name in enumerate(FACTORS.values()):
        factor = np.where(one.flags[:, :, n], factor * np.float32(model[name]), factor)
    score: Floats = np.einsum("qtp,qp->qt", one.parts, table) * factor
    return score


def worth(model: Model, one: Found, *, held: bool) -> float:
    """R@10 and NDCG@10, half and half, of the half that is held back or the other, in percent."""
    return 0.5 * recall_at_10(model, one, held) + 0.5 * ndcg_at_10(model, one, held)


def recall_at_10(model: Model, one: Found, held: bool = True) -> float:
    right = _best_ten(model, one)
    return 100 * float((right.sum(1) / one.answers)[one.held == held].mean())


def ndcg_at_10(model: Model, one: Found, held: bool = True) -> float:
    gain = 1 / np.log2(np.arange(2, 12))
    ideal = np.cumsum(gain)[np.minimum(one.answers, 10) - 1]
    found = (_best_ten(model, one) * gain).sum(1) / ideal
    return 100 * float(found[one.held == held].mean())


def _best_ten(model: Model, one: Found) -> Floats:
    """(questions, 10): whether each of the best ten has the answer."""
    score = scored(model, one)
    best = np.argsort(-score, axis=1, kind="stable")[:, :10]
    return np.take_along_axis(one.right, best, axis=1)


# --- Telling --------------------------------------------------------------------------------------


def report(sets: Sequence[Found]) -> None:
    whole = fitted(sets)
    kin = {one.name: one.name.partition(" + ")[0] for one in sets}
    apart = {
        name: fitted([one for one in sets if kin[one.name] != name])
        for name in dict.fromkeys(kin.values())
    }
    print(f"{'R@10, halves held back':28}" + "".join(f"{one.name[:20]:>22}" for one in sets))
    line("words alone", [recall_at_10(dict.fromkeys(whole, 0.0) | _FLAT, one) for one in sets])
    line("now", [recall_at_10(now_in_use(), one) for one in sets])
    line("fitted", [recall_at_10(whole, one) for one in sets])
    line("left out", [recall_at_10(apart[kin[one.name]], one) for one in sets])
    for name in PARTS:
        less = whole | {name: 0.0, f"told {name}": 0.0}
        line(f"without {name}", [recall_at_10(less, one) for one in sets])
    for name in FACTORS.values():
        line(f"without {name}", [recall_at_10(whole | {name: 1.0}, one) for one in sets])
    print()
    for name, value in whole.items():
        print(
            f"{name:20} {value:8.3f}   left out {[round(one[name], 3) for one in apart.values()]}"
        )


def line(name: str, values: Sequence[float]) -> None:
    print(f"{name:28}" + "".join(f"{value:>22.1f}" for value in values), flush=True)


if __name__ == "__main__":
    # A part that counts nothing is not looked for.
    sought = {name: value or 1e-9 for name, value in weights.TOLD.items()}
    vars(weights)["TOLD"] = sought
    main()
