"""What is not the user's own speech: code, logs, tables, quoted and pasted text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from loxodon.write.en.patterns import Lazy

_LONGEST_LINE = 4_000
"""What is longer than this without a break was not typed by a person."""


_FENCED = Lazy(r"(?:```|~~~).*?(?:```|~~~|\Z)", re.DOTALL)


_QUOTE = Lazy(
    r"\"[^\"]{1,6000}\"|“[^”]{1,6000}”|«[^»]{1,6000}»|(?<=[:\s])'(?=\w)(?:[^'\n]"
    r"|(?<=\w)'(?=\w)){20,600}'(?=[\s.,?!]|$)"
)


_PASTED_LINE = Lazy(
    r"\s*(?:>|\||\{|\}|\[\s*[{\"]|</?\w+[^>]*>|#!/|\$ |at \w[\w.$]*\(|Traceback|File \""
    r"|(?:INFO|WARN|WARNING|ERROR|DEBUG|FATAL)\b"
    r"|\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[\d{2,4}[-:/]|(?:import|from|def|class|const|let|var"
    r"|function|public|private|return|#include"
    r"|SELECT|INSERT|UPDATE|CREATE|npm|pip|git|sudo|docker|kubectl)\s+\S+.*[;({:=\"*/-]"
    r"|\"[\w-]+\"\s*:|[\w.]+\s*[=:]\s*[\[{\"']|.*[{}]\s*$|\S*[=(].*;\s*$|(?:From|To|Subject|Sent|Cc|Date):\s)"
)


def stretches(text: str) -> Iterator[tuple[int, int, bool]]:
    """(start, end, foreign) of the user's own speech and of what was pasted or quoted."""
    position = 0
    for start, end in _foreign(text):
        if start < position:
            continue
        if position < start:
            yield position, start, False
        yield start, end, True
        position = end
    if position < len(text):
        yield position, len(text), False


def _foreign(text: str) -> list[tuple[int, int]]:
    found = [one.span() for one in _FENCED.finditer(text)] if "```" in text or "~~~" in text else []
    quoted = _QUOTE.finditer(text)
    found += [
        one.span()
        for one in quoted
        if len(one[0].split()) >= _QUOTED_WORDS and not _is_title(one[0])
    ]
    start = 0
    for line in text.splitlines(keepends=True):
        end = start + len(line)
        if len(line) > _LONGEST_LINE and " " not in line[:_LONGEST_LINE]:
            found.append((start, end))
        elif _PASTED_LINE.match(line[:400]):
            if found and found[-1][1] == start and found[-1][0] < start:
                found[-1] = (found[-1][0], end)
            else:
                found.append((start, end))
        start = end
    return sorted(found)


_QUOTED_WORDS = 4
"""A quotation this long is somebody's sentence; a shorter one is a name or a term."""


_SMALL = frozenset(
    [
        "a",
        "an",
        "and",
        "at",
        "by",
        "de",
        "for",
        "from",
        "in",
        "into",
        "is",
        "it",
        "la",
        "le",
        "of",
        "on",
        "or",
        "the",
        "to",
        "vs",
        "with",
        "you",
        "your",
    ]
)


def _is_title(quoted: str) -> bool:
    """Whether a quotation is the name of a book, film or course: all its weighty words are
    capitalised, and it is no sentence."""
    words = quoted.strip("\"“”«»'").split()
    weighty = [word for word in words if word.lower() not in _SMALL and word[:1].isalpha()]
    return (
        len(words) <= 14
        and bool(weighty)
        and all(word[:1].isupper() for word in weighty)
        and quoted.strip("\"“”«»'")[-1:] not in (".", "!", "?")
    )


_OWN_TEXT = Lazy(
    r"\bmy (?:own )?(?:(?!friend|mate|boss|mum|mom|dad|sister|brother|colleague)[a-z-]+ )?(?:bio|profile|cv|resume|résumé"
    r"|cover letter|summary|about me|about page|introduction|personal statement|intro|headline)\b(?! for (?:a|my|the) "
    r"(?:character|novel|story|friend|client))",
    re.I,
)
_INVENTED = Lazy(
    r"\b(?:character|fake|fictional|exercise|textbook|sample|example|made[- ]up|parody|satire)\b",
    re.I,
)


def is_own_text(text: str) -> bool:
    """Whether what a message quotes is what the user wrote of themselves: a profile, a CV."""
    return _OWN_TEXT.search(text) is not None and _INVENTED.search(text) is None


def is_foreign(text: str) -> bool:
    """Whether a piece is code, a log, or a quotation, and so nothing the user says."""
    stripped = text.strip()
    if stripped.startswith(("```", "~~~")) or _PASTED_LINE.match(stripped[:400]):
        return True
    quoted = stripped[:1] in "\"“«'" and stripped.rstrip(" .,!?")[-1:] in "\"”»'"
    return (quoted and len(stripped.split()) >= _QUOTED_WORDS) or len(stripped) > _LONGEST_LINE


__all__ = ["is_foreign", "is_own_text", "stretches"]
