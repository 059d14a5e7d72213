"""Text that must not be kept as it is, whoever hands it in."""

from __future__ import annotations

from loxodon.errors import InputError


def checked_text(text: object, what: str, limit: int) -> str:
    """`text` without surrounding space; an InputError about `what` if it cannot be kept."""
    if not isinstance(text, str):
        raise InputError("the {what} must be text, not {type}", what=what, type=type(text).__name__)
    text = text.strip()
    if not text:
        raise InputError("the {what} is empty", hint="give a text", what=what)
    if len(text) > limit:
        raise InputError(
            "the {what} has {length} characters; the limit is {limit}",
            hint="shorten it, or add the full text to the journal with `loxodon add`",
            what=what,
            length=len(text),
            limit=limit,
        )
    if "\0" in text:
        raise InputError("the {what} contains a NUL character", hint="remove it", what=what)
    if not text.isascii() and any("\ud800" <= c <= "\udfff" for c in text):
        raise InputError(
            "the {what} contains half a character (a lone surrogate)",
            hint="it was cut off or decoded incorrectly; send it as UTF-8",
            what=what,
        )
    return text
