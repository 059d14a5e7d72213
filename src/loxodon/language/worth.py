"""Whether a sentence is worth keeping as it was said: a small linear model.

Weights are in `worth.bin` of a language: one signed byte for each bucket of hashed n-grams, and a
few for signs of form: what the sentence looks like, and what `speech.toml` says of it. Trained by
`tools/train_worth.py` on sentences written and labelled for it.
"""

from __future__ import annotations

import math
import re
import struct
from functools import cached_property
from importlib.resources import files
from zlib import crc32

from loxodon.language.speech import Speech

BITS = 17
BUCKETS = 1 << BITS
_PERSON = re.compile(r"\b(?:i|i'm|im|i've|my|me|we|our|we're|mine)\b|我|咱|俺", re.I)
_YOU = re.compile(r"\b(?:you|your|u|ur)\b|你|您", re.I)
VAGUE = re.compile(r"\b(?:it|that|this|they|those|these)\b|这|那|它|他们|她们", re.I)
_WORD = re.compile(r"[a-z0-9']+|[\u4e00-\u9fff]")


def signs(sentence: str, speech: Speech) -> list[float]:
    """What a sentence looks like, and how it is said, apart from its words."""
    begins = _PERSON.match(sentence.strip())
    type = speech.type(sentence)
    length = len(sentence) if sentence.isascii() else 2.5 * len(sentence)
    return [
        1.0,
        float(sentence.rstrip().endswith(("?", "？"))),
        float("!" in sentence or "！" in sentence),
        float(_PERSON.search(sentence) is not None),
        float(_YOU.search(sentence) is not None),
        float(any(map(str.isdigit, sentence))),
        float(begins is not None),
        float(VAGUE.search(sentence) is not None),
        float(any(one.isupper() for one in sentence[1:])),
        min(length, 200) / 100,
        float(length < 18),
        *(float(type == one) for one in ("question", "instruction", "chat")),
        float(speech.tells(sentence)),
        float(speech.act(sentence)[0] != "state"),
        float(speech.hedged(sentence)),
        *map(float, speech.signs(sentence)),
    ]


def grams(sentence: str) -> set[int]:
    """The buckets of the n-grams of a sentence: characters 2 to 5, words 1 to 3."""
    text = f" {sentence.lower().strip()} "
    found = {
        crc32(text[i : i + n].encode()) for n in (2, 3, 4, 5) for i in range(len(text) - n + 1)
    }
    words = _WORD.findall(text)
    for n in (1, 2, 3):
        found |= {
            crc32(("w " + " ".join(words[i : i + n])).encode()) for i in range(len(words) - n + 1)
        }
    return {one & (BUCKETS - 1) for one in found}


class Worth:
    def __init__(self, package: str, speech: Speech, least: float, unsaid: float) -> None:
        self._package = package
        self._speech = speech
        self.unsaid = unsaid  # The same for one that does not say whom it is about
        self.least = least  # The score from which on a sentence is kept

    @cached_property
    def _weights(self) -> tuple[list[float], float, memoryview]:
        data = (files(self._package) / "worth.bin").read_bytes()
        scale, *form = struct.unpack(f"<{(len(data) - BUCKETS) // 4}f", data[:-BUCKETS])
        return form, scale, memoryview(data)[-BUCKETS:].cast("b")

    def score(self, sentence: str) -> float:
        """From 0 to 1: how likely a person would want it kept."""
        form, scale, weights = self._weights
        found = grams(sentence[:400])
        total = sum(a * b for a, b in zip(form, signs(sentence[:400], self._speech), strict=True))
        total += scale * sum(weights[one] for one in found) / math.sqrt(len(found) or 1)
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))
