"""Our own small encoder, for Chinese and English: how near two texts are in meaning, whether a
sentence is worth keeping, with its topic, what a message asks for, what a request to forget means,
and whether what is said later replaces what is known.

Four layers of a transformer in numpy, with weights of one byte each. `tools/train_encoder.py` and
`tools/train_reader.py` make them; MODEL.md beside this file says from what, and how good they are.
"""

from __future__ import annotations

import json
import os
import re
import unicodedata
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from functools import cache, lru_cache, partial
from itertools import accumulate, groupby
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from loxodon.text.words import simplified

Floats = NDArray[np.float32]
Starts = NDArray[np.intp]  # of texts, or of parts of them, among the tokens of a batch

_HERE = os.path.dirname(__file__)
TOPICS = (
    *("identity", "home", "work", "study", "family", "relation", "pet", "health", "diet", "like"),
    *("dislike", "habit", "skill", "possession", "plan", "event", "wish", "opinion", "finance"),
    *("project", "ended", "other"),
)
LONGEST = 128  # tokens of a text that are read
_BATCH_TOKENS = 256  # about, in a batch: what the caches of one core hold
_REMEMBERED = 5_000  # texts whose vectors are kept, at 1.5 KB each
# A large matrix is copied before each use, which for a few rows takes longer than all the rest;
# blocks of so many of its columns are used as they lie.
_FEW_ROWS, _COLUMNS, _WHOLE = 48, 32, 1 << 20
_HEADS, _LAYERS = 12, 4
_UNKNOWN, SEPARATOR = 1, 2  # tokens: a word that is not known, what is between two texts
SHARES = 60, 64  # the most tokens of two texts read together
SHARES_OF_THREE = 30, 46, 50  # the same of a request, what is known to be meant, and a text
_LONGEST_CJK_TOKEN, _LONGEST_WORD = 4, 30  # characters
_PIECE = re.compile(r"[\u3400-\u9fff]+|[a-z0-9]+|\S")


class Judgement(NamedTuple):
    """What the encoder thinks of a sentence."""

    keep: float  # how likely it is worth keeping as it stands
    referring: float  # how likely it is worth keeping, but not understandable alone
    topic: str


class Intent(NamedTuple):
    """How likely a message asks for one of these."""

    forget: float  # that something be forgotten
    wish: float  # to be answered in some way from now on


class Change(NamedTuple):
    """What something said later is to something known."""

    same: float  # how likely it says the same
    replaces: float  # how likely what is known holds no more
    part: float  # how likely a part of it does not, and the rest still does


class Tokenizer:
    """Cuts texts into tokens: known Chinese words and characters, words and pieces of words."""

    def __init__(self) -> None:
        with open(os.path.join(_HERE, "vocabulary.txt"), encoding="utf-8") as file:
            self._ids = {word: number for number, word in enumerate(file.read().splitlines())}

    def tokens(self, text: str) -> list[int]:
        """The numbers of the tokens of a text; at least one."""
        folded = unicodedata.normalize("NFKD", simplified(text)).lower()
        if not folded.isascii():
            folded = "".join(char for char in folded if not unicodedata.combining(char))
        found: list[int] = []
        for piece in _PIECE.findall(folded):
            is_cjk = "\u3400" <= piece[0] <= "\u9fff"
            found += self._longest(piece, _LONGEST_CJK_TOKEN) if is_cjk else self._word(piece)
            if len(found) >= LONGEST:
                break
        return found[:LONGEST] or [_UNKNOWN]

    @lru_cache(maxsize=50_000)  # noqa: B019  there is one tokenizer
    def _word(self, word: str) -> list[int]:
        """The pieces of a word, of which those after the first are marked."""
        if len(word) > _LONGEST_WORD:
            return [_UNKNOWN]
        found = self._longest(word, _LONGEST_WORD, "##")
        return [_UNKNOWN] if _UNKNOWN in found else found

    def _longest(self, run: str, most: int, mark: str = "") -> list[int]:
        """The longest known tokens, one after another, of at most so many characters."""
        found, at = [], 0
        while at < len(run):
            for end in range(min(len(run), at + most), at, -1):
                if number := self._ids.get(mark * (at > 0) + run[at:end]):
                    break
            found.append(number or _UNKNOWN)
            at = end
        return found


class Encoder:
    """The model; loading it takes a few milliseconds, since its file is mapped."""

    name = "loxodon-2"

    def __init__(self) -> None:
        self._tokens = Tokenizer().tokens
        with open(os.path.join(_HERE, "weights.bin"), "rb") as file:
            head = json.loads(file.read(int.from_bytes(file.read(8), "little")))
            start = file.tell()
            data = np.memmap(file, np.uint8, "r")
        self._data: dict[str, Any] = {}
        for name, (kind, shape, at) in head.items():
            self._data[name] = np.ndarray(shape, kind, data, start + at)
        # Texts are short: threads that wait for each other cost more than they do
        self._one_thread: Any = nullcontext
        if os.environ.get("OPENBLAS_NUM_THREADS") != "1":  # as the command line has it
            from threadpoolctl import ThreadpoolController

            self._one_thread = partial(ThreadpoolController().limit, limits=1)
        self._vectors: dict[str, Floats] = {}

    def embed(self, texts: Sequence[str]) -> Floats:
        """A unit vector for each text; one that was embedded or judged lately is remembered."""
        known = {one: self._vectors.get(one) for one in texts}
        new = [one for one, vector in known.items() if vector is None]
        for rows, hidden, starts, _ in self._read(map(self._tokens, new), layers=_LAYERS - 1):
            known |= self._placed([new[row] for row in rows], hidden, starts)
        return np.array([known[one] for one in texts], np.float32).reshape(-1, 384)

    def judge(self, sentences: Sequence[str]) -> list[Judgement]:
        """Whether each sentence is worth keeping, and its topic."""
        found = dict[int, Judgement]()
        for rows, hidden, starts, _ in self._read(map(self._tokens, sentences), layers=_LAYERS - 1):
            # Most of what is judged is also embedded, which is all but the last layer the same
            self._placed([sentences[row] for row in rows], hidden, starts)
            hidden = self._layer(hidden, starts, "worth.layer")
            pooled = [_means(hidden, starts), np.maximum.reduceat(hidden, starts)]
            inner = _gelu(self._mapped(np.concatenate(pooled, 1), "worth.a"))
            worth = _shares(self._mapped(inner, "worth.w")).tolist()
            topics = self._mapped(inner, "worth.t")[:, 1:].argmax(1)
            for row, (_, referring, keep), topic in zip(rows, worth, topics, strict=True):
                found[row] = Judgement(keep, referring, TOPICS[topic])
        return [found[row] for row in range(len(sentences))]

    def intents(self, messages: Sequence[str]) -> list[Intent]:
        """What each message asks for."""
        return [Intent(*one) for one in self._answers("intents", map(self._tokens, messages))]

    def changes(self, pairs: Sequence[tuple[str, str]]) -> list[Change]:
        """What the later of each two texts is to the earlier one."""
        read, (most, most_later) = self._tokens, SHARES
        texts = ([*read(a)[:most], SEPARATOR, *read(b)[:most_later]] for a, b in pairs)
        return [Change(*one) for one in self._answers("changes", texts)]

    def meant(self, request: str, texts: Sequence[str], known: str = "") -> list[float]:
        """How likely each text is what a request to forget is about; `known` is what surely is."""
        read, (most, most_known, most_text) = self._tokens, SHARES_OF_THREE
        asked = read(request)[:most] + (read("/") + read(known)[:most_known] if known else [])
        cut = ([*asked, SEPARATOR, *read(text)[:most_text]] for text in texts)
        return [likely for (likely,) in self._answers("meant", cut)]

    def _answers(self, reader: str, texts: Iterable[list[int]]) -> list[list[float]]:
        """How likely each answer of a reader but the first is, of each of these texts."""
        found = dict[int, list[float]]()
        for rows, hidden, starts, parts in self._read(texts, reader):
            pooled = [_means(hidden, starts), np.maximum.reduceat(hidden, starts)]
            if reader != "intents":
                one, other = (_means(hidden, parts)[n::2] for n in (0, 1))
                pooled = [one, other, np.abs(one - other), one * other]
            inner = _gelu(self._mapped(np.concatenate(pooled, 1), f"{reader}.inner"))
            shares = _shares(self._mapped(inner, f"{reader}.out"))[:, 1:].tolist()
            found |= zip(rows, shares, strict=True)
        return [found[row] for row in range(len(found))]

    def _placed(self, texts: Sequence[str], hidden: Floats, starts: Starts) -> dict[str, Floats]:
        """Where texts lie, by what all layers but the last made of them."""
        means = _means(self._layer(hidden, starts, f"l.{_LAYERS - 1}", "near"), starts)
        if len(self._vectors) > _REMEMBERED:
            self._vectors.clear()
        found = dict(zip(texts, means / np.linalg.norm(means, axis=1, keepdims=True), strict=True))
        self._vectors |= found
        return found

    def _read(self, texts: Iterable[list[int]], reader: str = "", layers: int = _LAYERS) -> Any:
        """Batches of texts alike in length: which they are, the hidden states of all their tokens,
        where each text starts in these, and where each of two read together does."""
        tokens = list(texts)
        order = sorted(range(len(tokens)), key=lambda row: len(tokens[row]))
        upto = dict(zip(order, accumulate(len(tokens[row]) for row in order), strict=True))
        with self._one_thread():
            for _, batch in groupby(order, key=lambda row: upto[row] // _BATCH_TOKENS):
                rows = list(batch)
                numbers = np.concatenate([tokens[row] for row in rows])
                lengths = [len(tokens[row]) for row in rows]
                starts = np.cumsum([0, *lengths[:-1]])
                scale = self._data["s:tokens"][numbers, None].astype(np.float32)
                hidden = self._data["q:tokens"][numbers] * scale
                hidden += self._weight("p").T[np.concatenate([*map(np.arange, lengths)])]
                parts = starts
                if reader:
                    parts = np.union1d(starts, np.flatnonzero(numbers == SEPARATOR) + 1)
                    second = (1 - np.isin(parts, starts)).repeat(np.diff([*parts, len(numbers)]))
                    hidden += self._weight(f"{reader}.segment").T[second]
                hidden = self._normalized(hidden, "n0")
                for number in range(layers):
                    hidden = self._layer(hidden, starts, f"l.{number}", reader)
                yield rows, hidden, starts, parts

    def _layer(self, hidden: Floats, starts: Starts, name: str, reader: str = "") -> Floats:
        """Attention within each text, then a network, each added and normalized. In place where it
        can be: what is allocated costs as much as what is computed."""
        mapped, attended = self._mapped(hidden, f"{name}.qkv", reader), np.empty_like(hidden)
        at, width = 0, hidden.shape[1] // _HEADS
        for length, alike in groupby(np.diff([*starts, len(hidden)]).tolist()):
            here = slice(at, at := at + length * len(list(alike)))
            heads = mapped[here].reshape(-1, length, 3, _HEADS, width)
            query, key, value = heads.transpose(2, 0, 3, 1, 4)
            weights = query @ key.transpose(0, 1, 3, 2)
            weights *= np.float32(width**-0.5)
            weights -= weights.max(-1, keepdims=True)
            np.exp(weights, out=weights)
            weights /= weights.sum(-1, keepdims=True)
            attended[here] = (weights @ value).transpose(0, 2, 1, 3).reshape(-1, hidden.shape[1])
        attended = self._mapped(attended, f"{name}.o", reader)
        hidden = self._normalized(hidden + attended, f"{name}.n1")
        inner = _gelu(self._mapped(hidden, f"{name}.f1", reader))
        hidden += self._mapped(inner, f"{name}.f2", reader)
        return self._normalized(hidden, f"{name}.n2")

    def _mapped(self, x: Floats, name: str, reader: str = "") -> Floats:
        """Rows times a matrix, as it was changed for a reader, and its bias."""
        few = reader == "intents" or (reader in ("", "near") and len(x) <= _FEW_ROWS)  # come singly
        blocks = self._matrix(f"{name}.weight", _COLUMNS if few else _WHOLE, reader)
        found: Floats = (x @ blocks).transpose(1, 0, 2).reshape(len(x), -1)
        found += self._weight(f"{name}.bias")
        return found

    def _normalized(self, x: Floats, name: str) -> Floats:
        """`x` itself, normalized."""
        share = np.float32(1 / x.shape[-1])  # not `mean`, which for a few rows takes twice as long
        x -= share * np.add.reduce(x, -1, keepdims=True)
        x /= np.sqrt(share * np.add.reduce(x * x, -1, keepdims=True) + np.float32(1e-12))
        x *= self._weight(f"{name}.weight")
        x += self._weight(f"{name}.bias")
        return x

    @cache  # noqa: B019  there is one encoder
    def _matrix(self, name: str, most: int, reader: str = "") -> Floats:
        """A matrix in blocks of at most so many columns."""
        rows = self._data[f"q:{name}" if f"q:{name}" in self._data else name]
        rows = rows.reshape(-1, min(most, len(rows)), rows.shape[1])
        found: Floats = rows.transpose(0, 2, 1).astype(np.float32, order="C")
        if f"s:{name}" in self._data:
            found *= self._data[f"s:{name}"].reshape(len(found), 1, -1)
        if reader:
            layer, one, _ = name.rsplit(".", 2)
            low, high = (self._weight(f"{reader}.{layer}.maps.{one}.{part}") for part in "ab")
            found += 2 * low @ high.reshape(len(found), -1, high.shape[1]).transpose(0, 2, 1)
        return found

    @cache  # noqa: B019  there is one encoder
    def _weight(self, name: str) -> Floats:
        if name in self._data:
            return np.asarray(self._data[name].T, np.float32)
        return np.asarray(self._matrix(name, _WHOLE)[0])


def _means(hidden: Floats, starts: Starts) -> Floats:
    """The mean of each stretch of tokens that starts at one of these."""
    lengths = np.diff(starts, append=len(hidden)).astype(np.float32)
    return np.asarray(np.add.reduceat(hidden, starts) / lengths[:, None])


def _shares(scores: Floats) -> Floats:
    scores = np.exp(scores - scores.max(1, keepdims=True))
    return np.asarray(scores / scores.sum(1, keepdims=True))


def _gelu(x: Floats) -> Floats:
    inner = x * x
    inner *= np.float32(0.7978845608 * 0.044715)
    inner += np.float32(0.7978845608)
    inner *= x
    np.tanh(inner, out=inner)
    inner += 1
    inner *= np.float32(0.5) * x
    return inner
