"""What Loxodon says to a person, in English and Chinese.

The English sentence is its own key and stands where it is said; `zh.py` has the Chinese for each.
A test walks the source and fails on a sentence without a translation, or with other values in it.
"""

from __future__ import annotations

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
    if (lang or _language) == "zh":
        # Imported here: an English command should not load the Chinese sentences.
        from loxodon.messages.zh import SENTENCES

        text = SENTENCES.get(text, text)
    elif 1 in values.values():
        text = _one_of_each(text, values)
    return text.format(**values) if values else text


_COUNTED = (
    "attempts beliefs conversations entities entries events files fragments lines memories "
    "messages notes plans sessions texts turns"
)


def _one_of_each(text: str, values: dict[str, object]) -> str:
    """An English sentence in which what a 1 counts is singular."""
    for name in [name for name, value in values.items() if value == 1]:
        for plural in _COUNTED.split():
            single = f"{plural[:-3]}y" if plural.endswith("ies") else plural[:-1]
            text = text.replace(f"{{{name}}} {plural}", f"{{{name}}} {single}")
    return text


def language_of_locale(name: str) -> str:
    """`zh` for a Chinese locale name such as `zh_CN.UTF-8`, `en` for all others."""
    return "zh" if name.lower().startswith("zh") else "en"
