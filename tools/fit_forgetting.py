"""Fit what counts how much for a message as what a request to forget means.

python tools/fit_forgetting.py AUTHOR …         About five minutes for three authors.

Plays the requests of these authors in tests/unseen (none that data/forget has, from which the
encoder has learned: it is too sure of those), each as it stands and among messages of others.
Prints the weights of `first` and `with` in src/loxodon/forget/decision.toml: fitted to all, and to
all but one author, with how well they tell what that one means (the area under the curve).
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tests.clock import Clock
from tests.unseen.judge import CASES, Case, cases

from loxodon import Memory
from loxodon.forget import requests as forgetting
from loxodon.language.worth import encoder
from loxodon.types import Turn

Floats = NDArray[Any]
OTHERS = 20  # messages of others among which a request is tried, too
LEAST = 3.0  # how much weights are held down


def main() -> int:
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    told = {one: [*cases("forget_requests", CASES / one)] for one in sys.argv[1:]}
    firsts: dict[str, list[Any]] = {author: [] for author in told}
    pairs: dict[str, list[Any]] = {author: [] for author in told}
    for author, each in told.items():
        for case in (one for one in each if one["gone"]):
            more = [x for some in told.values() for x in some if x["lang"] == case["lang"]]
            for others in ([], random.Random(7).sample(more, min(OTHERS, len(more)))):  # noqa: S311
                for first, pair in evidence(case, [one for one in others if one is not case]):
                    firsts[author] += first
                    pairs[author] += pair
    for name, known in (("first", firsts), ("with", pairs)):
        print(name, weights(*columns(known, told)).round(2).tolist())
        for author in told if len(told) > 1 else ():
            fitted = weights(*columns(known, [one for one in told if one != author]))
            x, y, _ = columns(known, [author])
            print(
                f"    without {author}: {area(x @ fitted, y):.3f} of it", fitted.round(2).tolist()
            )
    return 0


def evidence(case: Case, others: Sequence[Case]) -> Iterator[tuple[list[Any], list[Any]]]:
    """What speaks for each message of a case, alone and beside each that is meant; and whether it
    is meant."""
    clock = Clock()
    with tempfile.TemporaryDirectory() as home, Memory.open(home, clock=clock) as memory:
        for n, one in enumerate((*others, case)):
            for m, turn in enumerate(one["turns"]):
                stays = any(mark in turn["content"] for mark in one["stays"])
                if stays or one is case:
                    clock.now += timedelta(minutes=1)
                    at = {"id": f"m{n}-{m}", "at": clock.now.isoformat()}
                    memory.add([{**turn, **at}], session="talk")
        memory.consolidate(force=True)
        store, asks = memory._store, clock.now + timedelta(minutes=1)
        turn = Turn("", "talk", "user", case["request"], asks, ref=f"t_{forgetting._COMING}")
        for request in forgetting._requests(store, turn):
            asked = turn.content[request.start : request.end]
            said = forgetting._said(store, turn, request.what or asked)
            near = encoder().embed([one.text for one in said]) @ encoder().embed([asked])[0]
            places = [said[n] for n in (-near).argsort()[: forgetting._READ]]
            found = forgetting._evidence(store, asked, places)
            meant = [any(mark in one.text for mark in case["gone"]) for one in places]
            pairs = []
            vectors = encoder().embed([one.text for one in places])
            for n in (n for n, is_it in enumerate(meant) if is_it):
                rest = [m for m in range(len(places)) if m != n]
                beside = forgetting._odds(asked, [places[m] for m in rest], places[n].text)
                nearer = vectors[rest] @ vectors[n]
                for m, nearness in zip(rest, nearer - nearer.mean() if rest else (), strict=True):
                    told = (*found[places[m]], beside[places[m]], nearness)
                    pairs.append((told, meant[m], 1 / sum(meant)))
            yield (
                [(found[one], is_it, 1.0) for one, is_it in zip(places, meant, strict=True)],
                pairs,
            )


def columns(known: dict[str, list[Any]], authors: Any) -> tuple[Floats, Floats, Floats]:
    x, y, share = zip(*(one for author in authors for one in known[author]), strict=True)
    return np.array(x, float), np.array(y, float), np.array(share, float)


def weights(x: Floats, y: Floats, share: Floats) -> Floats:
    """A logistic regression by Newton's method; the constant among the evidence is held loosely."""
    scale = np.where(x.std(0) > 0, x.std(0), 1.0)
    z, held = x / scale, np.diag(np.where(x.std(0) > 0, LEAST, 1e-6))
    found = np.zeros(x.shape[1])
    for _ in range(50):
        likely = 1 / (1 + np.exp(-np.clip(z @ found, -30, 30)))
        slope = z.T @ (share * (likely - y)) + held @ found
        found -= np.linalg.solve((z.T * (share * likely * (1 - likely))) @ z + held, slope)
    return np.asarray(found / scale)


def area(scores: Floats, y: Floats) -> float:
    yes, no = scores[y == 1][:, None], scores[y == 0][None]
    return float((yes > no).mean() + (yes == no).mean() / 2)


if __name__ == "__main__":
    sys.exit(main())
