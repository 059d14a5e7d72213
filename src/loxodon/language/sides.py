"""Which side of life a memory is about (`job`, `home`, `diet`): a small linear model for each.

A change that names only a side (`I handed in my notice`) is of the one memory on it; which one that
is, these models tell. What a change is about must be said outright (`[side]` of `speech.toml`): of
a sentence that does not name it they tell too little to end anything, only enough to spare a memory
that is plainly on another side.

Weights are in `sides.bin` of a language, one signed byte for each bucket of hashed words and side;
`tools/train_sides.py` trains them on the memories of `data/changes`.
"""

from __future__ import annotations

import math
import re
import struct
from functools import cache, lru_cache
from importlib.resources import files
from itertools import pairwise
from zlib import crc32

from loxodon.text.language import language_of
from loxodon.text.words import fold

SIDES = (
    "job",
    "home",
    "partner",
    "pet",
    "vehicle",
    "phone",
    "computer",
    "diet",
    "drink",
    "exercise",
    "learning",
    "study",
    "medication",
    "allergy",
    "condition",
    "trip",
    "date",
    "commute",
    "schedule",
    "sleep",
    "carer",
    "replies",
    "name",
)
BITS = 13
BUCKETS = 1 << BITS
_OF_ATTRIBUTE = {
    "job": "employer workplace occupation",
    "home": "home",
    "partner": "partner marital_status partner_status",
    "pet": "pet",
    "vehicle": "car",
    "phone": "phone",
    "computer": "computer",
    "diet": "diet",
    "study": "school major grade",
    "medication": "medication dose",
    "allergy": "allergy",
    "condition": "condition injury pregnancy symptom",
    "date": "deadline",
    "commute": "commute",
    "sleep": "bedtime wake_time",
    "carer": "doctor teacher therapist manager",
    "name": "nickname form_of_address",
}
_SAID = re.compile(r"(?:The user: |用户：)“(.*)”.{0,40}", re.S)
_PART = re.compile(r"[，。；、,;.!?！？]\s*|(?<=[\u4e00-\u9fff])\s+(?=[\u4e00-\u9fff])")
_SHORT = 4
_WORD = re.compile(r"[a-z0-9']+|[\u4e00-\u9fff]")


def side_of(attribute: str) -> str:
    """The side of life that an attribute is of; empty for one that is of none of these."""
    return _attributes().get(attribute, "")


@cache
def _attributes() -> dict[str, str]:
    return {name: side for side, names in _OF_ATTRIBUTE.items() for name in names.split()}


@lru_cache(maxsize=4_096)
def grams(text: str) -> frozenset[int]:
    """The buckets of a text: words, and runs of two (Latin, with how they begin) or three
    characters."""
    words = _WORD.findall(fold(text))
    found = set(words)
    found.update(map(" ".join, pairwise(words)))
    if text.isascii():
        found.update(f"^{word[:n]}" for word in words for n in (4, 5) if len(word) > n)
    else:
        found.update(map(" ".join, zip(words, words[1:], words[2:], strict=False)))
    return frozenset(crc32(one.encode()) & (BUCKETS - 1) for one in found)


@lru_cache(maxsize=4_096)
def share(side: str, text: str) -> float:
    """From 0 to 1: how likely a memory is about a side of life."""
    said = _SAID.fullmatch(text)
    words = said[1] if said else text
    parts = [one for one in _PART.split(words) if len(one) > _SHORT]
    return max(_share(side, one, language_of(text)) for one in {words, *parts})


def _share(side: str, text: str, language: str) -> float:
    scale, bias, weights = _model(language)
    at = SIDES.index(side) * BUCKETS
    found = grams(text)
    total = bias[SIDES.index(side)]
    total += scale * sum(weights[at + one] for one in found) / math.sqrt(len(found) or 1)
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))


@cache
def _model(language: str) -> tuple[float, tuple[float, ...], memoryview]:
    data = (files(f"loxodon.language.{language}") / "sides.bin").read_bytes()
    head = struct.unpack_from(f"<{len(SIDES) + 1}f", data)
    return head[0], head[1:], memoryview(data)[4 * len(head) :].cast("b")
