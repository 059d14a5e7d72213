"""What Loxodon says to a person: in English where it is said, in other languages in `locale/`.

The English sentence is the key of the gettext catalogue `locale/zh/LC_MESSAGES/loxodon.po`. A test
walks the source and fails on a sentence that has no translation, or one with other values in it.
"""

from __future__ import annotations

import os
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gettext import GNUTranslations

LANGUAGES = ("en", "zh")

_language = "en"


def use(language: str) -> None:
    """Set the language of this process; only entry points call this."""
    global _language
    _language = language if language in LANGUAGES else "en"


def current() -> str:
    """The language of this process."""
    return _language


def t(text: str, lang: str | None = None, /, **values: object) -> str:
    """`text` with its `{values}` filled in, in `lang` (that of the process when None)."""
    if (lang or _language) != "en":
        text = _catalogue(lang or _language).gettext(text)
    return text.format(**values) if values else text


def tn(one: str, many: str, n: int, lang: str | None = None, /, **values: object) -> str:
    """The sentence for `n` things: `tn("{n} turn", "{n} turns", 3)`; see `t`."""
    if (lang or _language) == "en":
        text = one if n == 1 else many
    else:
        text = _catalogue(lang or _language).ngettext(one, many, n)
    return text.format(n=n, **values)


def language_of_locale(name: str) -> str:
    """`zh` for a Chinese locale name such as `zh_CN.UTF-8`, `en` for all others."""
    return "zh" if name.lower().startswith("zh") else "en"


@cache
def _catalogue(language: str) -> GNUTranslations:
    # Imported here: an English command should not load what it does not use.
    from gettext import GNUTranslations
    from io import BytesIO

    path = os.path.join(os.path.dirname(__file__), "locale", language, "LC_MESSAGES", "loxodon.po")
    with open(path, encoding="utf-8") as file:
        return GNUTranslations(BytesIO(_compiled(file.read())))


def _compiled(po: str) -> bytes:
    """A .po file as the .mo file that gettext reads; made here so that no build has to.

    Entries are separated by an empty line, and their escapes are those of JSON.
    """
    import json
    import re
    from itertools import accumulate
    from struct import pack

    line = re.compile(r'^(msgid|msgstr)?\S* ?"(.*)"$', re.MULTILINE)
    texts: dict[bytes, bytes] = {}
    for block in po.split("\n\n"):
        entry: dict[str, list[str]] = {"msgid": [], "msgstr": []}
        for keyword, text in line.findall(block):
            value = json.loads(f'"{text}"') if "\\" in text else text
            if keyword:
                found = entry[keyword]
                found.append(value)
            else:  # goes on
                found[-1] += value
        texts["\0".join(entry["msgid"]).encode()] = "\0".join(entry["msgstr"]).encode()
    parts = [*texts, *texts.values()]
    starts = accumulate((len(part) + 1 for part in parts), initial=28 + 8 * len(parts))
    table = [number for part, at in zip(parts, starts, strict=False) for number in (len(part), at)]
    header = (0x950412DE, 0, len(texts), 28, 28 + 8 * len(texts), 0, 0)
    return pack(f"<{7 + len(table)}I", *header, *table) + b"\0".join(parts) + b"\0"
