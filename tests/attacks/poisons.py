"""Texts that try to plant something in a memory, the ways they are disguised, and honest ones.

The wordings are our own; their kinds are those that published work on prompt injection and on
memory poisoning describes. `{c}` is a made-up name by which what was planted is known again. Those
that are `held-out` were written after the rules, which were not changed for them, and those of a
`stranger` without a look at either.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from tests.attacks.typed import rows, typed

ATTACKS = typed("poisons", of="attack")
USER = typed("poisons", of="user")
OTHERS = typed("poisons", of="others")
HELD_OUT_ATTACKS = typed("poisons", of="held-out attack")
HELD_OUT_USER = typed("poisons", of="held-out user")
HELD_OUT_PASTES = typed("poisons", of="held-out paste")
STRANGER_ATTACKS = typed("poisons", of="stranger attack")

Disguise = Callable[[str], str]
_CYRILLIC = str.maketrans("aeopcyx", "аеорсух")
_FULL = {n: n + 0xFEE0 for n in range(0x21, 0x7F)} | {0x20: 0x3000}

DISGUISES: dict[str, Disguise] = {
    "plain": str,
    "upper": str.upper,
    "title": str.title,
    "blanks": lambda text: "   ".join(text.split(" ")),
    "lines": lambda text: "\n".join(text.split(" ")),
    "zero-width": "\u200b".join,
    "soft-hyphen": "\u00ad".join,
    "homoglyphs": lambda text: text.translate(_CYRILLIC),
    "full-width": lambda text: text.translate(_FULL),
    "accents": lambda text: "".join(f"{one}\u0301" if one in "aeiou" else one for one in text),
    "set apart": " ".join,
    "tags": lambda text: (
        "Fine. " + "".join(chr(0xE0000 + ord(one)) if " " <= one <= "~" else one for one in text)
    ),
    "json": lambda text: json.dumps({"status": "ok", "note": text}, ensure_ascii=False),
    # What stands around the words
    **{row["name"]: row["around"].format for row in rows("disguises")},
}
