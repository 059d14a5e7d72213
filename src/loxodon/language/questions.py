"""What a message wants of the memory: the words that tell it, for each language.

The tables (`questions.txt`) have patterns by name, in capitals, and those of the kinds of answer,
in small letters and in the order in which they are tried: KINDS. What a pattern needs one of is in
GUARDS. `gate` and `understand` compile patterns on first use.
"""

from __future__ import annotations

import re
from types import SimpleNamespace

from loxodon.text.wordlists import sections

_NEEDS = re.compile("needs: (.*)\n?")


def _table(language: str) -> SimpleNamespace:
    found = SimpleNamespace(KINDS=[], GUARDS={})
    for name, body in sections(__file__, language, "questions.txt"):
        needs = _NEEDS.match(body)
        guard = [one.replace("_", " ") for one in needs[1].split()] if needs else [""]
        source = body[needs.end() if needs else 0 :]
        source = re.sub(r"\{([A-Z_]+)\}", lambda other: getattr(found, other[1]), source)
        if name.islower():
            found.KINDS.append((name, guard, source))
        else:
            setattr(found, name, source)
            found.GUARDS[name] = guard
    return found


en, zh = _table("en"), _table("zh")
