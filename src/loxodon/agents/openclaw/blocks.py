"""A part of someone's file that is ours, between two marks; the rest is theirs.

<!-- loxodon:begin -->
…
<!-- loxodon:end -->
"""

from __future__ import annotations

import re

from loxodon.journal.markdown import OUR_BEGIN as BEGIN
from loxodon.journal.markdown import OUR_END as END

_BLOCK = re.compile(rf"{BEGIN}.*?{END}(?:\r?\n)?", re.DOTALL)


def appended(text: str, body: str) -> tuple[str, str]:
    """`text` with a block at its end, and what was put there as one piece.

    The piece brings the line breaks it needs, so that taking it out gives back every byte.
    """
    eol = "\r\n" if "\r\n" in text else "\n"
    piece = eol.join([BEGIN, *body.strip("\n").split("\n"), END, ""])
    if text.endswith(eol):
        piece = eol + piece
    elif text:
        piece = eol + eol + piece
    return text + piece, piece


def without(text: str, piece: str = "") -> str:
    """`text` without its block: exactly as before where `piece` still stands, else by its marks."""
    if piece and text.count(piece) == 1:
        return text.replace(piece, "")
    return _BLOCK.sub("", text)


def present(text: str) -> bool:
    return _BLOCK.search(text) is not None
