"""Train the models of the sides of life (`language/*/sides.bin`) and say how good they are.

    python tools/train_sides.py en

The sentences are in `data/changes/LANGUAGE_*.tsv`, one author a file: side, what the second is to
the first (`replaces`, `same`, `both`), what is known, what is told later, and whether that is of
the same person. Each author is asked of models that the others trained. Needs numpy.
"""

from __future__ import annotations

import argparse
import struct
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from loxodon.language.sides import BUCKETS, SIDES, grams

ROOT = Path(__file__).parent.parent
STEPS = 120
PENALTY = 1e-5
TOLD_LATER = 0.5
"""What a sentence counts that was told later: it names its side less plainly."""
Array = np.ndarray[Any, Any]


class Pair(NamedTuple):
    author: str
    side: str
    relation: str
    known: str
    later: str
    same_person: bool


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("language", choices=["en", "zh"])
    args = parser.parse_args()
    pairs = pairs_of(args.language)
    right = {at: np.zeros((len(SIDES), 3), dtype=int) for at in (0.2, 0.3, 0.5)}
    for held in sorted({one.author for one in pairs}):
        model = fit([one for one in pairs if one.author != held])
        asked = [one for one in pairs if one.author == held]
        scores = predict(model, features([one.known for one in asked]))
        is_so = np.array([[one.side == side for side in SIDES] for one in asked])
        for at, counts in right.items():
            told = scores >= at
            counts += np.stack([(told & is_so).sum(0), told.sum(0), is_so.sum(0)], axis=1)
    for at, counts in right.items():
        found, told, all_ = counts.sum(0)
        print(f"{args.language} from {at}: precision {found / told:.1%}, recall {found / all_:.1%}")
    for n, side in enumerate(SIDES):
        print(f"  {side:11}", *(f"{c[n][0]}/{c[n][1]} of {c[n][2]}" for c in right.values()))
    write(fit(pairs), ROOT / "src" / "loxodon" / "language" / args.language / "sides.bin")


def pairs_of(language: str) -> list[Pair]:
    found = []
    for path in sorted((ROOT / "data" / "changes").glob(f"{language}_*.tsv")):
        for line in path.read_text("utf-8").splitlines():
            side, relation, known, later, same = line.split("\t")
            found.append(
                Pair(path.stem, side.partition("/")[0], relation, known, later, same == "1")
            )
    return found


def features(texts: list[str]) -> Array:
    found = np.zeros((len(texts), BUCKETS), dtype=np.float32)
    for row, text in zip(found, texts, strict=True):
        buckets = list(grams(text))
        row[buckets] = 1 / np.sqrt(len(buckets) or 1)
    return found


class Model(NamedTuple):
    grams: Array
    bias: Array


def predict(model: Model, data: Array) -> Array:
    scores: Array = 1 / (1 + np.exp(-(data @ model.grams + model.bias)))
    return scores


def fit(pairs: list[Pair]) -> Model:
    """Logistic regression for each side against all others, by Adam over all sentences at once."""
    later = [one for one in pairs if one.same_person]
    data = features([one.known for one in pairs] + [one.later for one in later])
    is_so = np.array([[one.side == side for side in SIDES] for one in pairs + later], np.float32)
    counts = np.array([1.0] * len(pairs) + [TOLD_LATER] * len(later), np.float32)[:, None]
    model = Model(
        np.zeros((BUCKETS, len(SIDES)), np.float32), np.full(len(SIDES), -3.0, np.float32)
    )
    first = [np.zeros_like(one) for one in model]
    second = [np.zeros_like(one) for one in model]
    for step in range(1, STEPS + 1):
        error = (predict(model, data) - is_so) * counts / len(data)
        slopes = (data.T @ error + PENALTY * model.grams, error.sum(0))
        for n, slope in enumerate(slopes):
            first[n] = 0.9 * first[n] + 0.1 * slope
            second[n] = 0.99 * second[n] + 0.01 * slope**2
            rate = 0.3 / (1 + step / 30)
            model[n][...] -= (
                rate * (first[n] / (1 - 0.9**step)) / (np.sqrt(second[n] / (1 - 0.99**step)) + 1e-8)
            )
    return model


def write(model: Model, path: Path) -> None:
    most = float(np.abs(model.grams).max())
    head = struct.pack(f"<{len(SIDES) + 1}f", most / 127, *model.bias.tolist())
    path.write_bytes(head + np.round(model.grams.T / most * 127).astype(np.int8).tobytes())


if __name__ == "__main__":
    main()
