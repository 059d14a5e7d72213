"""What Loxodon says to a person: in English where it is said, in other languages in `locale/`.

The English sentence is the key of the gettext catalogue `locale/zh/LC_MESSAGES/loxodon.po`. A test
walks the source and fails on a sentence that has no translation, or one with other values in it.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from functools import cache, lru_cache

LANGUAGES = ("en", "zh")

_language = "en"


def use(language: str) -> None:
    """Set the language of this process, by its name or a locale's such as `zh_CN.UTF-8`; only entry
    points call this."""
    global _language
    _language = "zh" if language.lower().startswith("zh") else "en"


def current() -> str:
    return _language


def t(text: str, lang: str | None = None, /, **values: object) -> str:
    """`text` with its `{values}` filled in, in `lang` (that of the process when None)."""
    text = _forms((text,), lang or _language)[0]
    return text.format(**values) if values else text


def tn(one: str, many: str, n: int, lang: str | None = None, /, **values: object) -> str:
    """The sentence for `n` things: `tn("{n} turn", "{n} turns", 3)`; see `t`."""
    return _forms((one, many), lang or _language)[0 if n == 1 else -1].format(n=n, **values)


@lru_cache(1_000)
def _forms(english: tuple[str, ...], language: str) -> Sequence[str]:
    """A sentence, or its forms for one and for many, in a language that may not have it."""
    if language == "en":
        return english
    known = _catalogue(language)
    start = known.find(f"\nmsgid {json.dumps(english[0], ensure_ascii=False)}\n")
    said = re.findall(r'(?m)^msgstr(?:\[\d\])? (".*")$', known[start : known.find("\n\n", start)])
    return [json.loads(one) for one in said] or english


@cache
def _catalogue(language: str) -> str:
    """The .po file of a language, each string on one line. It is read as it is, not compiled, so
    that a checkout, a wheel and an editable install need no build step."""
    path = os.path.join(os.path.dirname(__file__), "locale", language, "LC_MESSAGES", "loxodon.po")
    with open(path, encoding="utf-8") as file:
        return file.read().replace('"\n"', "")  # a string may go on in the next line
