"""Train the keep/drop model of a language (`language/*/worth.bin`) and say how good it is.

    python tools/train_worth.py en                  five folds by conversation, then train on all
    python tools/train_worth.py en --ask FILE…      and ask it about other labelled sentences

The sentences are in `data/worth/LANGUAGE_*.txt`: one a line, `label TAB speaker TAB sentence`, and
a line `# …` before each conversation; and what is known in `data/changes`, all of it worth keeping.
FILE is of the first form, or JSONL (`lang`, `text`, `keep`).
Needs numpy.
"""

from __future__ import annotations

import argparse
import json
import struct
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from loxodon.language import en, zh
from loxodon.language.speech import BUCKETS, Speech, grams, signs

ROOT = Path(__file__).parent.parent
STEPS = 200
PENALTY = 1e-4
Array = np.ndarray[Any, Any]


class Sentence(NamedTuple):
    talk: str
    text: str
    keep: int


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("language", choices=["en", "zh"])
    parser.add_argument("--ask", nargs="*", default=[], help="other labelled sentences")
    args = parser.parse_args()
    found = [
        one
        for path in sorted((ROOT / "data" / "worth").glob(f"{args.language}_*.txt"))
        for one in sentences_of(path, args.language)
    ]
    found += known(args.language)
    keep = np.array([one.keep for one in found], dtype=float)
    print(f"{args.language}: {len(found)} sentences, {keep.mean():.1%} worth keeping")
    speech = {"en": en, "zh": zh}[args.language].grammar.speech
    data = features([one.text for one in found], speech)
    talks = sorted({one.talk for one in found})
    fold = {talk: n % 5 for n, talk in enumerate(talks)}
    folds = np.array([fold[one.talk] for one in found])
    scores = np.zeros(len(found))
    for n in range(5):
        model = fit(data.of(folds != n), keep[folds != n])
        scores[folds == n] = predict(model, data.of(folds == n))
    report("five folds by conversation", scores, keep)
    model = fit(data, keep)
    for path in args.ask:
        asked = sentences_of(Path(path), args.language)
        labels = np.array([one.keep for one in asked], dtype=float)
        report(
            Path(path).name, predict(model, features([one.text for one in asked], speech)), labels
        )
    write(model, ROOT / "src" / "loxodon" / "language" / args.language / "worth.bin")


def sentences_of(path: Path, language: str) -> list[Sentence]:
    found = []
    talk = path.stem
    for n, line in enumerate(path.read_text("utf-8").splitlines()):
        if path.suffix == ".jsonl":
            one = json.loads(line)
            if one["lang"] == language:
                found.append(Sentence(one.get("conversation", ""), one["text"], int(one["keep"])))
        elif line.startswith("#"):
            talk = f"{path.stem}:{n}"
        elif line.strip():
            label, _, text = line.split("\t", 2)
            found.append(Sentence(talk, text.strip(), int(label)))
    return found


_STRETCH = 40
"""Sentences of one author that are taken together, as if they were a conversation."""


def known(language: str) -> list[Sentence]:
    found: dict[str, Sentence] = {}
    for path in sorted((ROOT / "data" / "changes").glob(f"{language}_*.tsv")):
        for n, line in enumerate(path.read_text("utf-8").splitlines()):
            text = line.split("\t")[2]
            found[text] = Sentence(f"{path.stem}:{n // _STRETCH}", text, 1)
    return list(found.values())


class Features(NamedTuple):
    """The buckets of each sentence, and its signs of form."""

    buckets: list[Array]
    form: Array

    def of(self, which: Array) -> Features:
        return Features(
            [one for one, yes in zip(self.buckets, which, strict=True) if yes], self.form[which]
        )


def features(texts: list[str], speech: Speech) -> Features:
    return Features(
        [np.fromiter(grams(text[:400]), dtype=np.int64) for text in texts],
        np.array([signs(text[:400], speech) for text in texts]),
    )


class Model(NamedTuple):
    form: Array
    grams: Array


def _flat(data: Features) -> tuple[Array, Array, Array]:
    sizes = np.array([len(one) for one in data.buckets])
    rows = np.repeat(np.arange(len(sizes)), sizes)
    return np.concatenate(data.buckets), rows, 1 / np.sqrt(np.maximum(sizes, 1))


def predict(model: Model, data: Features) -> Array:
    columns, rows, scale = _flat(data)
    total = np.bincount(rows, model.grams[columns], len(scale)) * scale + data.form @ model.form
    scores: Array = 1 / (1 + np.exp(-total))
    return scores


def fit(data: Features, keep: Array) -> Model:
    """Logistic regression with a penalty on size, by Adam over all sentences at once."""
    columns, rows, scale = _flat(data)
    weights = [np.zeros(data.form.shape[1]), np.zeros(BUCKETS)]
    first = [np.zeros_like(one) for one in weights]
    second = [np.zeros_like(one) for one in weights]
    for step in range(1, STEPS + 1):
        total = np.bincount(rows, weights[1][columns], len(scale)) * scale + data.form @ weights[0]
        error = (1 / (1 + np.exp(-total)) - keep) / len(keep)
        slopes = [
            data.form.T @ error,
            np.bincount(columns, (error * scale)[rows], BUCKETS) + PENALTY * weights[1],
        ]
        for n, slope in enumerate(slopes):
            first[n] = 0.9 * first[n] + 0.1 * slope
            second[n] = 0.99 * second[n] + 0.01 * slope**2
            rate = 0.05 / (1 + step / 80)
            weights[n] -= (
                rate * (first[n] / (1 - 0.9**step)) / (np.sqrt(second[n] / (1 - 0.99**step)) + 1e-9)
            )
    return Model(weights[0], weights[1])


def report(name: str, scores: Array, keep: Array) -> None:
    order = np.argsort(-scores)
    ranks = np.argsort(np.argsort(scores))
    kept = keep == 1
    auc = (ranks[kept].sum() - kept.sum() * (kept.sum() - 1) / 2) / (kept.sum() * (~kept).sum())
    right = np.cumsum(keep[order])
    parts = []
    for share in (0.4, 0.5, 0.6, 0.7):
        n = int(np.searchsorted(right, share * kept.sum())) + 1
        parts.append(f"{share:.0%}: {right[n - 1] / n:.0%} (at {scores[order[n - 1]]:.2f})")
    print(
        f"  {name}: {len(keep)} sentences, AUC {auc:.3f}; share kept: precision  {'  '.join(parts)}"
    )


def write(model: Model, path: Path) -> None:
    most = float(np.abs(model.grams).max())
    head = [most / 127, *model.form.tolist()]
    packed = struct.pack(f"<{len(head)}f", *head)
    path.write_bytes(packed + np.round(model.grams / most * 127).astype(np.int8).tobytes())


if __name__ == "__main__":
    main()
