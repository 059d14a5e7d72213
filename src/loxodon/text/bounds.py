"""Text from outside, as much of it as rules are given.

What a rule takes may grow with a power of its text. People's text has blanks, marks and an end; a
stretch that has none of them is shortened here, before a rule sees it. The journal keeps every
character, and what was said is found by it.
"""

from __future__ import annotations

import re

# Characters of one message that are looked at: its first and its last half of that
LONGEST = 50_000
# The same of what is read closely. Nobody types so much: what stands between was pasted.
CLOSELY = 8_000

# Characters of white space, of a number, of what has no blank in it, of what has no mark either
# where no blanks are used. At these bounds a message of `CLOSELY` characters made of nothing else
# takes no longer than one of ordinary sentences.
_BLANK, _NUMBER, _WORD, _CLAUSE = 64, 48, 256, 1_000
_LEFT_OUT = "…"
_BLANKS = re.compile(rf"\s{{{_BLANK + 1},}}")
_OVERLONG = {
    _NUMBER: rf"\d[\d.,:/+-]{{{_NUMBER},}}",
    # No blanks, and no characters of scripts without blanks; written as ranges, because a
    # complement of this size takes `re` longer to compile than a recall takes.
    _WORD: rf"[!-\x9f\xa1-\u1fff\u200b-\u2e7f]{{{_WORD + 1},}}",
    _CLAUSE: rf"[^\s,.!?;:，。、！？；：…]{{{_CLAUSE + 1},}}",
}


def tame(text: str, most: int = LONGEST) -> str:
    """`text` with what is over-long shortened."""
    if len(text) > most:
        half = (most - 3) // 2
        text = f"{text[:half]}\n{_LEFT_OUT}\n{text[-half:]}"
    if len(text) <= _NUMBER:
        return text
    text = _BLANKS.sub(lambda run: "\n\n" if "\n" in run[0] else " ", text)
    longest = max(map(len, text.split()), default=0)
    for bound, pattern in _OVERLONG.items():
        if longest > bound:
            text = re.sub(pattern, lambda run: run[0][: bound - 1] + _LEFT_OUT, text)  # noqa: B023
    return text
