"""Train the model of secrets told in words (`trust/guard/told.bin`), and say how good it is.

    python tools/train_secrets.py                  each author held out in turn, then train on all
    python tools/train_secrets.py --quick          train on all only

The talk is in `data/secrets/*.jsonl`, one file for each author: `{"id", "lang", "turns": [{"role",
"content"}], "secret": [what must not be kept]}`; `honest.jsonl` is ordinary talk, and `frames.txt`
has sentences with places to fill, so that the words of `cues.py` are all met. What the attacks of
the tests are made of is trained on too. Only authors are held out and counted. Needs numpy.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np

from loxodon.trust.guard import cues
from loxodon.trust.guard.find import Finder
from loxodon.trust.guard.guard import LATELY, EarlierTurn, Guard
from loxodon.trust.guard.policy import built_in
from loxodon.trust.guard.tagging import BUCKETS, HEAD, TaggedText, Tagger
from loxodon.types import Draft

ROOT = Path(__file__).parent.parent
MARKER = "[secret: password]"
STEPS = 100
PENALTY = 2e-6
LEAST = 3
"""Texts that a feature must be seen in to count."""
KEY = 20
"""Characters from which on a secret is a key, which rules know by its form."""
FILLED = 14
"""How often a frame is filled."""
SHARED = ("frames", "honest", "known")
"""What is no author's, and always trained on."""
Array = np.ndarray[Any, Any]


class Talk(NamedTuple):
    author: str
    turns: tuple[str, ...]
    secrets: tuple[str, ...]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="train on all, hold nobody out")
    args = parser.parse_args()
    talks = everything()
    if not args.quick:
        for author in sorted({one.author for one in talks}.difference(SHARED)):
            print(f"{author} held out")
            for line in report(
                held_out(talks, author), [one for one in talks if one.author == author]
            ):
                print(f"  {line}")
    (ROOT / "src" / "loxodon" / "trust" / "guard" / "told.bin").write_bytes(
        packed(fit(prepared(filled(talks))))
    )


def everything() -> list[Talk]:
    paths = sorted((ROOT / "data" / "secrets").glob("*.jsonl"))
    return [*(one for path in paths for one in read(path)), *known()]


def held_out(talks: Sequence[Talk], author: str) -> Tagger:
    """A model that has never seen what an author wrote."""
    return Tagger(packed(fit(prepared(filled([one for one in talks if one.author != author])))))


def read(path: Path) -> Iterator[Talk]:
    for line in path.read_text("utf-8").splitlines():
        one = json.loads(line)
        turns = tuple(turn["content"] for turn in one["turns"])
        yield Talk(path.stem, turns, tuple(one["secret"]))


def known() -> Iterator[Talk]:
    """What the tests of the guard are made of, drawn otherwise than there."""
    sys.path.insert(0, str(ROOT))
    from tests.attacks import fresh_cases, held_out_cases
    from tests.attacks import personal_cases as personal
    from tests.attacks import secret_cases as secrets
    from tests.attacks.typed import lines, typed
    from tests.cases import cases

    guard = ROOT / "tests" / "trust" / "guard"
    for of in ("what_is_told_in_passing_is_not_kept", "what_only_sounds_like_it_stays"):
        for one in cases(str(guard / "test_tagging.py"), of):
            yield Talk("known", (one["text"],), (one["secret"],) if "secret" in one else ())
    for name in ("told", "unseen", "third", "fourth", "untouched"):
        for about, language in product(("secrets", "honest"), ("en", "zh")):
            for line in lines(typed(name, about, language), Random(0)):  # noqa: S311
                yield Talk("known", (line.text,), line.secrets)
    for of in ("an_answer_is_held_back", "what_answers_nothing_stays"):
        for one in cases(str(guard / "test_answers.py"), of):
            head, _, tail = one["answer"].partition("{{")
            secret, _, rest = tail.partition("}}")
            said = (*one["before"], head + secret + rest)
            yield Talk("known", said, (secret,) if secret else ())
    rng = Random(11)  # noqa: S311
    made = [
        *secrets.positives(rng, 800),
        *held_out_cases.secrets(rng, 300),
        *fresh_cases.secrets(rng, 300),
    ]
    for case in made:
        if len(case.secret) <= KEY:
            yield Talk("known", (case.text,), (case.secret,))
    honest = [
        *secrets.look_alikes(rng, 800),
        *personal.look_alikes(rng, 800),
        *personal.positives(rng, 300),
        *held_out_cases.honest(),
        *fresh_cases.honest(),
    ]
    for case in honest:
        yield Talk("known", (case.text,), ())


# Frames

_NAMES = (
    "password pw passcode PIN code combo login passphrase key",
    "密码 口令 密码 暗号 验证码 进门码",
)
_USERS = ("kate bob jane ops deploy guest", "小王 张三")
_SLOT = re.compile(r"\{(\w+)\}")


def filled(talks: Sequence[Talk]) -> list[Talk]:
    """Talks, and frames that are filled with the secrets of these."""
    rng = Random(3)  # noqa: S311
    secrets = [one for talk in talks for one in talk.secrets if " " not in one and len(one) < 30]
    values = {
        "code": [one for one in secrets if one[0].isdigit() and len(one) < 8],
        "pass": [one for one in secrets if any(map(str.isalpha, one))],
        "word": [one for one in secrets if one.isalpha()],
    }
    words = {
        "name": _NAMES,
        "thing": by_script(cues.THINGS),
        "other": by_script(cues.OTHERS),
        "user": tuple(map(" ".join, zip(by_script(cues.USERS), _USERS, strict=True))),
    }
    lines = (ROOT / "data" / "secrets" / "frames.txt").read_text("utf-8").splitlines()
    found = list(talks)
    for line in lines * FILLED:
        if line[0] not in "+-":
            continue
        script = any("\u4e00" <= c <= "\u9fff" for c in line)
        told: list[str] = []

        def slot(match: re.Match[str], script: bool = script, told: list[str] = told) -> str:
            if match[1] in words:
                return rng.choice(words[match[1]][script].split())
            told.append(redrawn(rng.choice(values[match[1]]), rng))
            return told[-1]

        turns = tuple(one.strip() for one in _SLOT.sub(slot, line[2:]).split("|"))
        found.append(Talk("frames", turns, tuple(told) if line[0] == "+" else ()))
    return found


def by_script(words: str) -> tuple[str, str]:
    plain = " ".join(one for one in words.split() if one.isascii())
    return plain, " ".join(one for one in words.split() if not one.isascii())


def redrawn(value: str, rng: Random) -> str:
    return "".join(rng.choice("0123456789") if c.isdigit() else c for c in value)


# Examples


class Examples(NamedTuple):
    """Words: the buckets of each, whether it is told as a secret, and which text it is of."""

    columns: Array
    rows: Array
    told: Array
    text: Array


def prepared(talks: Sequence[Talk]) -> Examples:
    finder = Finder(built_in())
    columns: list[int] = []
    sizes, told, texts = [], [], []
    number = 0
    for talk in talks:
        for example in examples(talk, finder):
            number += 1
            reading = TaggedText(example.text, example.lately)
            marked = secret_places(example.text, talk.secrets)
            for n in reading.read(example.is_named):
                one = reading.tokens[n]
                buckets = set(reading.features(n))
                columns += buckets
                sizes.append(len(buckets))
                told.append(any(one.start < end and start < one.end for start, end in marked))
                texts.append(number)
    rows = np.repeat(np.arange(len(sizes)), sizes)
    print(f"  {len(talks)} talks, {number} texts, {len(sizes)} words, {sum(told)} told")
    return Examples(np.array(columns), rows, np.array(told, dtype=float), np.array(texts))


class Example(NamedTuple):
    """A text with what was said before it, as the guard sees it."""

    text: str
    lately: tuple[EarlierTurn, ...]
    is_named: bool


def examples(talk: Talk, finder: Finder) -> Iterator[Example]:
    lately: list[EarlierTurn] = []
    for turn in talk.turns:
        before = tuple(lately[-LATELY:])
        kept = turn
        for secret in sorted(talk.secrets, key=len, reverse=True):
            kept = kept.replace(secret, MARKER)
        # What is beside it is looked at again.
        for text in (turn, kept) if kept not in (turn, MARKER) else (turn,):
            weighs = finder.weighs(text, before)
            if weighs is not None:
                yield Example(text, before, weighs)
        lately.append(EarlierTurn(kept, finder.is_named(turn)))


def secret_places(text: str, secrets: Iterable[str]) -> list[tuple[int, int]]:
    found = []
    for secret in secrets:
        at = text.find(secret)
        while at >= 0:
            found.append((at, at + len(secret)))
            at = text.find(secret, at + 1)
    return found


# The model


class Model(NamedTuple):
    base: float
    weights: Array


def fit(data: Examples) -> Model:
    """Logistic regression with a penalty on size, by Adam over all words at once."""
    columns, rows, told = data.columns, data.rows, data.told
    size = int(data.text.max()) + 1
    pairs = np.unique(columns.astype(np.int64) * size + data.text[rows])
    common = np.bincount(pairs // size, minlength=BUCKETS) >= LEAST
    keep = common[columns]
    columns, rows = columns[keep], rows[keep]
    weights, base = np.zeros(BUCKETS), -3.0
    first, second = np.zeros(BUCKETS + 1), np.zeros(BUCKETS + 1)
    for step in range(1, STEPS + 1):
        total = np.bincount(rows, weights[columns], len(told)) + base
        error = (1 / (1 + np.exp(-total)) - told) / len(told)
        slope = np.append(
            np.bincount(columns, error[rows], BUCKETS) + PENALTY * weights, error.sum()
        )
        first = 0.9 * first + 0.1 * slope
        second = 0.99 * second + 0.01 * slope**2
        rate = 0.05 / (1 + step / 60)
        move = rate * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.99**step)) + 1e-8)
        weights, base = weights - move[:-1], base - move[-1]
    return Model(base, weights)


def packed(model: Model) -> bytes:
    most = float(np.abs(model.weights).max())
    steps = np.round(model.weights / most * 127).astype(np.int8)
    return HEAD.pack(most / 127, model.base) + steps.tobytes()


# How good it is


def report(tagger: Tagger, talks: Sequence[Talk]) -> Iterator[str]:
    for name, (number, share) in measured(tagger, talks).items():
        yield f"{name}: {number} talks, {share:.1%} {'touched' if name == 'honest' else 'stopped'}"


def measured(tagger: Tagger, talks: Sequence[Talk]) -> dict[str, tuple[int, float]]:
    """How many talks there are of each sort, and which share is touched, or stopped."""
    guard = Guard(built_in)
    guard.engine.finder.tagger = tagger
    parts: dict[str, list[bool]] = {}
    for talk in talks:
        kept = is_kept(guard, talk)
        name = (
            "honest" if not talk.secrets else "one turn" if len(talk.turns) == 1 else "over turns"
        )
        parts.setdefault(name, []).append(kept if name == "honest" else not kept)
    return {name: (len(found), sum(found) / len(found)) for name, found in parts.items()}


def is_kept(guard: Guard, talk: Talk) -> bool:
    """Whether a secret is kept; of an honest talk, whether anything is touched."""
    drafts = [Draft(line=n, role="user", content=turn) for n, turn in enumerate(talk.turns, 1)]
    kept = [one.content for one in guard.drafts(drafts, lambda session: ())]
    if not talk.secrets:
        return any(
            guard.shown(one, private=True) != turn
            for one, turn in zip(kept, talk.turns, strict=True)
        )
    return any(secret in one for secret in talk.secrets for one in kept)


if __name__ == "__main__":
    main()
