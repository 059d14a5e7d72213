"""What one message of a megabyte costs in processor time: to keep, and to the recalls beside it.

    python bench/long_messages.py

`recall` is the median of recalls in the home that has the message, `without` that of the same
questions, in turns with them, in a home that has all but the message.
"""

from __future__ import annotations

import base64
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from itertools import cycle, islice
from pathlib import Path

from loxodon import Memory

SIZE = 1_000_000
RECALLS = 30
_RANDOM = random.Random(27)
_HAN = "我你他在是有的不了这人来到时说出就可会那要天家茶，。"
LONG = {
    '"tea, "': "tea, " * (SIZE // 5),
    "digits": "".join(_RANDOM.choices("0123456789", k=SIZE)),
    '"password is "': "password is " * (SIZE // 12),
    '"password: none\\n"': "password: none\n" * (SIZE // 15),
    "base64": base64.b64encode(_RANDOM.randbytes(SIZE * 3 // 4)).decode(),
    "Chinese": "".join(_RANDOM.choices(_HAN, k=SIZE // 3)),
}
SAID = ("I live in Leeds.", "I love jazz and green tea.", "我喜欢喝绿茶。", "My sister is Ann.")
QUESTIONS = ("which tea do I like?", "where do I live?", "我喜欢喝什么茶？", "who is Ann?")


def main() -> int:
    print(f"{'1 MB of':<20} {'add, s':>10} {'recall, ms':>11} {'without, ms':>12} {'ratio':>6}")
    for name, text in LONG.items():
        with tempfile.TemporaryDirectory() as folder:
            added, beside, without = measured(Path(folder), text)
        print(
            f"{name:<20} {added:>10.2f} {beside:>11.2f} {without:>12.2f} {beside / without:>6.2f}"
        )
    return 0


def measured(folder: Path, text: str) -> tuple[float, float, float]:
    with Memory.open(folder / "long") as long, Memory.open(folder / "short") as short:
        for memory in (long, short):
            memory.add([{"role": "user", "content": one} for one in SAID], "before")
        added = seconds(lambda: long.add([{"role": "user", "content": text}], "long"))
        for memory in (long, short):
            memory.recall(QUESTIONS[0])
        beside, without = [], []
        for question in islice(cycle(QUESTIONS), RECALLS):
            beside.append(seconds(partial(long.recall, question)))
            without.append(seconds(partial(short.recall, question)))
    return added, 1_000 * statistics.median(beside), 1_000 * statistics.median(without)


def seconds(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


if __name__ == "__main__":
    sys.exit(main())
