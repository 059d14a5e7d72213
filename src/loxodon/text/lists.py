"""Taking one thing out of a list inside a sentence, and putting another in its place."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache


def without(sentence: str, thing: str) -> str:
    """`sentence` without `thing`, where it stands in a list with others; else empty.

    `allergic to egg and sesame` without `egg` is `allergic to sesame`; `订了网易云和爱奇艺` without
    `爱奇艺` is `订了网易云`.
    """
    if thing.lower() not in sentence.lower() or not _listing().search(sentence):
        return ""
    for pattern, rest in _patterns(re.escape(thing)):
        found, n = pattern.subn(rest, sentence, count=1)
        if n and not _with().search(sentence[: pattern.search(sentence).start()]):  # type: ignore[union-attr]
            return found.strip()
    return ""


def without_part(sentence: str, is_over: Callable[[str], bool]) -> str:
    """Somebody's own words, in quotation marks, without the one part that is over, where the others
    tell something of the speaker too; else empty.

    `“I keep bees, and I've got a kiln”` without what speaks of a kiln is `“I keep bees …”`.
    """
    found = _quoted().fullmatch(sentence)
    if found is None:
        return ""
    parts = [one for one in _parts().split(found[2]) if one]
    about = [is_over(one) for one in parts]
    at = about.index(True) if sum(about) == 1 else -1
    left = [one for n, one in enumerate(parts) if n != at]
    if at < 0 or not any(_told().search(one) and len(one) > 5 for one in left):
        return ""
    words = ("".join(some).strip(" ,;，；、") for some in (parts[:at], parts[at + 1 :]))
    return f"{found[1]}“{' … '.join(words).strip()}”{found[3]}"


@cache
def _quoted() -> re.Pattern[str]:
    return re.compile(r"([^“]{1,20})“(.{1,600})”(.{0,60})", re.S)


@cache
def _parts() -> re.Pattern[str]:
    """Where a part begins that does not go on with what the one before it speaks of."""
    go_on = r"(?!(?:he|she|it|they|that|this|which|who|him|her)\b|[他她它这那])"
    return re.compile(
        rf"(?<=[,;，；、])(?=\s*{go_on})|(?=\s+and {go_on})"
        rf"|(?<=[\u4e00-\u9fff])(?=\s+{go_on}[\u4e00-\u9fff])",
        re.I,
    )


@cache
def _told() -> re.Pattern[str]:
    """A part that tells something of the speaker, or is one of those that were counted."""
    return re.compile(r"\b(?:i|i'm|im|i've|ive|my|we|our|two|both)\b|[我俺咱俩]|两[个头场家]", re.I)


@cache
def _listing() -> re.Pattern[str]:
    """What a sentence with a list in it has."""
    return re.compile(r", | and |[、和跟与及]", re.IGNORECASE)


@cache
def _with() -> re.Pattern[str]:
    """A sentence so far of which 和 goes on with `together with`, not with a list."""
    return re.compile(r"^用户(?:的[一-鿿]{1,4})?$")


_OTHER = r"(?!the user|its? |they )"
"""What goes on with another sentence, not with the list."""


def _patterns(thing: str) -> list[tuple[re.Pattern[str], str]]:
    one = rf"(?:\b(?:an?|the|their) )?(?<![A-Za-z0-9]){thing}(?:s|es)?(?![A-Za-z0-9])"
    han = rf"(?<![一-鿿]){thing}|(?<=[、和跟与及了过着的是有在用吃喝买订学养看听玩打会爱]){thing}"
    tail = r"[一-鿿A-Za-z0-9]{0,4}"
    return [
        (re.compile(rf", {one},? and ", re.IGNORECASE), " and "),
        # What follows a comma with no "and" after it is said of the thing: `a club, 14 seats`.
        (re.compile(rf"{one}(?: and |, and |, (?=[^,;]+(?:, [^,;]+)*,? and )){_OTHER}", re.I), ""),
        (re.compile(rf"(?:,? and ){one}(?=$|[,.;)])|, {one}(?=, [^;]* and )", re.IGNORECASE), ""),
        (re.compile(rf"(?:{han}){tail}?[、和跟与及]", re.IGNORECASE), ""),
        (re.compile(rf"[、和跟与及]{thing}{tail}?(?=$|[，。；、])", re.IGNORECASE), ""),
    ]
