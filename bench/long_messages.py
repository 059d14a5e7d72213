"""What one message of a megabyte costs in processor time: to keep, and to the recalls beside it.

    python bench/long_messages.py

Each recall is the median of 30 in the home that has the message; `without` is that of the same
questions, in turns with them, in a home that has all but the message.
"""

from __future__ import annotations

import base64
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
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
QUESTIONS = {
    "beside it": ("where do I live?", "who is Ann?"),
    "of tea": ("which tea do I like?", "我喜欢喝什么茶？"),
}
"""What no message of these answers, and what two of them have the words of."""


def main() -> int:
    heads = "".join(f"{f'{kind}, ms':>14}{'without':>9}{'ratio':>7}" for kind in QUESTIONS)
    print(f"{'1 MB of':<20}{'add, s':>8}{heads}")
    for name, text in LONG.items():
        with tempfile.TemporaryDirectory() as folder:
            added, times = measured(Path(folder), text)
        ratios = "".join(f"{a:>14.2f}{b:>9.2f}{a / b:>7.2f}" for a, b in times)
        print(f"{name:<20}{added:>8.2f}{ratios}")
    return 0


def measured(folder: Path, text: str) -> tuple[float, list[tuple[float, float]]]:
    with Memory.open(folder / "long") as long, Memory.open(folder / "short") as short:
        for memory in (long, short):
            memory.add([{"role": "user", "content": one} for one in SAID], "before")
        added = seconds(lambda: long.add([{"role": "user", "content": text}], "long"))
        return added, [recalled(long, short, each) for each in QUESTIONS.values()]


def recalled(long: Memory, short: Memory, questions: Sequence[str]) -> tuple[float, float]:
    """Milliseconds of a recall in each, in turns, after one that loads what it needs."""
    found: dict[Memory, list[float]] = {long: [], short: []}
    for question in islice(cycle(questions), RECALLS + 2):
        for memory, times in found.items():
            times.append(1_000 * seconds(partial(memory.recall, question)))
    beside, without = (statistics.median(times[2:]) for times in found.values())
    return beside, without


def seconds(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


if __name__ == "__main__":
    sys.exit(main())
