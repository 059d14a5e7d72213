"""How far `estimate` is from the o200k tokenizer, on files of yours.

    python bench/tokens.py FILE...          the error by file and size, and the speed of both
    python bench/tokens.py --fit FILE...    src/loxodon/tokens.json, fitted anew

A .jsonl file gives each string under a key `text` or `content`, any other file its paragraphs. They
are measured as they are, and joined with their neighbours to texts of 200 tokens and more.
`lines` is the sum of the estimates of a text's lines against the count of the whole text.

A file given to --fit weighs as much as any other, and twice as much if given twice. The tables:
added     what a word costs above one token for its kind, and for the sign before it: at once, and
          for each of its letters
grams     the same for each three of its letters, at a place they are hashed to: nothing for "?", a
          twentieth of a token more or less for each character after or before it
singles   Chinese characters of one token that are not in pairs
pairs     pairs of one token, the second characters written after the first
"""

from __future__ import annotations

import json
import math
import random
import statistics
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, pairwise

from splintr import Tokenizer

from loxodon import tokens

_encode = Tokenizer.from_pretrained("o200k_base").encode_ordinary


def real(text: str) -> int:
    return len(_encode(text))


def main(arguments: Sequence[str]) -> int:
    if arguments[:1] == ["--fit"] and len(arguments) > 1:
        fit(arguments[1:])
    elif arguments and not arguments[0].startswith("-"):
        measure(arguments)
    else:
        print(__doc__)
        return 2
    return 0


def texts_in(path: str) -> list[str]:
    """The texts of one file, in order."""
    with open(path, encoding="utf-8", errors="replace") as file:
        if path.endswith(".jsonl"):
            return [text for line in file if line.strip() for text in _strings(json.loads(line))]
        return [text for text in file.read().split("\n\n") if text.strip()]


def _strings(value: object, key: str = "") -> Iterator[str]:
    if isinstance(value, str) and key in ("text", "content"):
        yield value
    elif isinstance(value, dict):
        for inner_key, inner in value.items():
            yield from _strings(inner, inner_key)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner, key)


# Measuring


def measure(paths: Sequence[str]) -> None:
    """Print the error table, a row for each file and size, and the speed."""
    print(f"{'':24}{'tokens':>9}{'texts':>7}{'mean':>8}{'worst':>16}{'under':>7}{'>10%':>7}")
    everything = []
    for path in paths:
        texts = texts_in(path)
        everything += texts
        joined = list(_joined(texts, 200))
        counts = [(tokens.estimate(text), real(text)) for text in texts]
        name = path.rsplit("/", 1)[-1][:23]
        _print_tokens(name, [(e, r) for e, r in counts if 0 < r < 30])
        _print_percent("", "30-199", [(e, r) for e, r in counts if 30 <= r < 200])
        _print_percent("", "200-", [(tokens.estimate(text), real(text)) for text in joined])
        _print_percent("", "lines", [(_by_lines(text), real(text)) for text in joined])
    kilobytes = sum(len(text.encode(errors="replace")) for text in everything) / 1024
    for what, count in (("estimate", tokens.estimate), ("o200k", real)):
        started = time.perf_counter()
        for text in everything:
            count(text)
        print(f"{what:9}{(time.perf_counter() - started) * 1e6 / kilobytes:7.1f} µs per KB")


def _joined(texts: Sequence[str], least: int) -> Iterator[str]:
    gathered: list[str] = []
    size = 0
    for text in texts:
        gathered.append(text)
        size += real(text)
        if size >= least:
            yield "\n".join(gathered)
            gathered, size = [], 0


def _by_lines(text: str) -> int:
    return sum(map(tokens.estimate, text.splitlines()))


def _print_tokens(name: str, counts: Sequence[tuple[int, int]]) -> None:
    if not counts:
        print(name)
        return
    off = [estimated - counted for estimated, counted in counts]
    worst = f"{min(off):+d} to {max(off):+d}"
    under = sum(error < -2 for error in off) / len(off)
    print(
        f"{name:24}{'1-29':>9}{len(off):7}{statistics.mean(off):+8.1f}{worst:>16}{under:7.1%}"
        "        (tokens, under by more than 2)"
    )


def _print_percent(name: str, size: str, counts: Sequence[tuple[int, int]]) -> None:
    if not counts:
        return
    off = [(estimated - counted) / counted for estimated, counted in counts]
    worst = f"{min(off):+.1%} to {max(off):+.1%}"
    under = sum(error < 0 for error in off) / len(off)
    beyond = sum(abs(error) > 0.1 for error in off) / len(off)
    mean = statistics.mean(off)
    print(f"{name:24}{size:>9}{len(off):7}{mean:+8.1%}{worst:>16}{under:7.1%}{beyond:7.1%}")


# Fitting

GRAMS = 4093
"""Places for the threes of letters: a prime, so that they spread."""
SAMPLES = 6_000_000
RARE = 8e-6
"""The share of all pairs of a Chinese text below which a pair is not worth its place."""


def fit(paths: Sequence[str]) -> None:
    """Print the tables."""
    words: defaultdict[str, float] = defaultdict(float)
    pairs: defaultdict[str, float] = defaultdict(float)
    chinese = 0
    for path, weight in Counter(paths).items():
        texts = texts_in(path)
        size = sum(map(len, texts))
        pieces = Counter(piece for text in texts for piece in tokens.PIECE.findall(text))
        for piece, count in pieces.items():
            if tokens.parts(piece):
                words[piece] += weight * count / size
        spoken = Counter(a + b for text in texts for a, b in pairwise(text) if _is_han(b))
        if 20 * (said := spoken.total()) > size:
            chinese += weight
            for pair, count in spoken.items():
                pairs[pair] += weight * count / said
    found = _fit_words(words)
    found |= _fit_han([pair for pair, share in pairs.items() if share > RARE * chinese])
    with open(tokens.__file__.removesuffix("py") + "json", "w", encoding="utf-8") as file:
        file.write(json.dumps(found, ensure_ascii=False, indent=1) + "\n")


def _is_han(character: str) -> bool:
    return "\u3400" <= character <= "\u9fff"


def _fit_words(words: Mapping[str, float]) -> dict[str, object]:
    """Gradient descent (AdaGrad) on words drawn as often as they occur."""
    names = {name: place for place, name in enumerate(tokens.ADDED, GRAMS)}
    items = []
    for piece in words:
        lead, body, kind = tokens.parts(piece) or ("", "", "")
        places = (names[kind], names.get(lead[-1:], names["?"]))
        extra = real(piece) - max(1, len(lead))
        letters = f"`{body.lower()}`".encode()
        threes = zip(letters, letters[1:], letters[2:], strict=False)
        grams = [(a * 961 + b * 31 + c) % GRAMS for a, b, c in threes]  # as `tokens.py` has them
        items.append((grams, places, len(body) / 8, extra))
    weights = [0.0] * (GRAMS + 2 * len(names))
    squares = [1e-3] * len(weights)
    chances = list(accumulate(words.values()))
    draw = random.Random(0)
    for done in range(0, SAMPLES, 100_000):
        rate = 0.15 * (1 - done / SAMPLES) + 0.01
        for grams, places, length, extra in draw.choices(items, cum_weights=chances, k=100_000):
            slopes = [place + len(names) for place in places]
            guess = sum(weights[place] for place in (*grams, *places))
            guess += length * sum(weights[place] for place in slopes)
            root = math.sqrt(guess * guess + 0.05)
            error = ((guess + root) / 2 - extra) * (1 + guess / root)
            if abs(error) < 0.01:
                continue
            for place in (*grams, *places):
                squares[place] += error * error
                weights[place] -= rate * error / math.sqrt(squares[place])
            for place in slopes:
                squares[place] += (error * length) ** 2
                weights[place] -= rate * error * length / math.sqrt(squares[place])
    added = {
        name: (round(weights[place], 2), round(weights[place + len(names)] / 8, 3))
        for name, place in names.items()
    }
    steps = (max(35, min(91, ord("?") + round(20 * weight))) for weight in weights[:GRAMS])
    return {"added": added, "grams": bytes(steps).decode()}


def _fit_han(common: Sequence[str]) -> dict[str, object]:
    followers: defaultdict[str, str] = defaultdict(str)
    for pair in sorted(common):
        if real(pair) == 1 and pair[0] != "|":
            followers[pair[0]] += pair[1]
    pairs = "|".join(first + rest for first, rest in followers.items())
    characters = map(chr, range(0x3400, 0xA000))
    singles = (one for one in characters if one not in pairs and real(one) == 1)
    return {"singles": "".join(singles), "pairs": pairs}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
