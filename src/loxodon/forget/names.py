"""Names as whole words in their case, and those that may be meant besides.

    Anna          in `Anna's car`; not in `Anna-Maria`, `anna` or `Anna Bell`, who is known
    张三           in 张三来了; not in 张三丰
    ana@b.org     not in dana@b.org; 4711 not in 47112

`my friend`, Annie or 美美 may be meant besides, which is shown: nobody but a person can tell.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from importlib.resources import files
from itertools import accumulate
from typing import NamedTuple
from unicodedata import normalize

from loxodon.language.en import clauses as english
from loxodon.language.zh import clauses as chinese
from loxodon.text.patterns import Patterns
from loxodon.text.words import fold

_MOST_NEAR = 20
_TELEPHONE = 7  # digits from which on the signs between them are a matter of taste
_table = tomllib.loads((files("loxodon.forget") / "names.toml").read_text("utf-8"))
like = Patterns({name: one.replace("\n", "") for name, one in _table.items()}, cased=True)


class Token(NamedTuple):
    """A word, an address, a number, a character of a script without spaces; or several of them."""

    written: str
    start: int
    end: int


def visible(text: str) -> str:
    """A text as it looks: without what takes no room, and in plain letters."""
    return text if text.isascii() else normalize("NFKC", like["unseen"].sub("", text))


def tokens(text: str) -> list[Token]:
    found = []
    for one in like["token"].finditer(text):
        kind = str(one.lastgroup)
        written = one[kind] if kind == "word" else fold(one[kind])
        if kind == "site":
            written = written.removeprefix("www.").rstrip("/")
        elif kind == "number" and sum(map(str.isdigit, written)) >= _TELEPHONE:
            written = re.sub(r"[^\d+]", "", written)
        if kind != "sign" or written.isalnum():
            found.append(Token(written, *one.span()))
    return found


def windows(text: str, size: int = 0) -> Iterator[Token]:
    """Each so many tokens of a text that stand side by side, or all of them, as one."""
    found = tokens(text)
    size = size or len(found) or 1
    for n in range(len(found) - size + 1):
        some = found[n : n + size]
        written = like["gap"].sub("", " ".join(one.written for one in some))
        yield Token(written, some[0].start, some[-1].end)


def places(text: str, name: str) -> list[Token]:
    """Where a text has a name as whole words, in any case."""
    wanted = fold("".join(one.written for one in windows(name)))
    last = wanted.rpartition(" ")[2]
    # However a number is spelled, it ends in the same digit.
    if not last or (last if last.isalpha() else last[-1]) not in fold(text):
        return []
    return [one for one in windows(text, len(tokens(name))) if fold(one.written) == wanted]


def has_name(text: str, *names: str) -> bool:
    return any(places(visible(text), name) for name in names)


def is_address(name: str) -> bool:
    """Whether a name is an address, a number or a handle."""
    found = like["token"].fullmatch(name.strip())
    return found is not None and found.lastgroup in ("mail", "site", "handle", "number")


def is_role(name: str) -> bool:
    """Whether this is what many are called: `sister`, 同事."""
    return bool(english.attribute_of(name) or chinese.attribute_of(name))


def speaks_of(role: str, text: str) -> bool:
    """Whether a text speaks of the user's own: `my friend`, `the user's friend`, 我朋友."""
    return re.search(_table["own"].format(re.escape(role)), text) is not None


def is_word(text: str, place: Token) -> bool:
    """Whether a name can only be the word that it is, too: `Mark my words`, `in May`."""
    around = f"{text[: place.start]}<{text[place.start : place.end]}>{text[place.end :]}"
    return like["ordinary"].search(around) is not None


def longer_name(text: str, place: Token, known: Iterable[str]) -> str:
    """Somebody else's name that a name in a text is only a part of."""
    name = text[place.start : place.end]
    others = (re.escape(one) for one in known if name in one)
    spans = [found.span() for one in others for found in re.finditer(one, text)]
    if not name.isascii():
        import rjieba

        edges = [0, *accumulate(map(len, rjieba.cut(text, False))), len(text)]
        first = max(edge for edge in edges if edge <= place.start)
        spans.append((first, min(edge for edge in edges if edge >= place.end)))
    longer = (text[a:b] for a, b in spans if a <= place.start and place.end <= b)
    return next((one for one in longer if _is_of_another(one, name)), "")


def _is_of_another(other: str, name: str) -> bool:
    """Whether a longer name is no more than that: `小美妈妈` and `Anna's mother` name both."""
    rest = re.sub(rf"(?i){re.escape(name)}(?:'s\b)?", "", other, count=1).strip()
    if name.isascii() or other.isascii():
        return bool(rest) and all(word[0].isupper() for word in rest.split())
    return 0 < len(rest) <= 2 and not is_role(rest)


def near(names: Sequence[str], known: Iterable[str], texts: Iterable[str]) -> list[str]:
    """Names that may be short forms of `names`, or somebody else's."""
    names = [name for name in names if not is_address(name)]
    han = [name for name in names if re.fullmatch(r"[\u4e00-\u9fff]{2,4}", name)]
    forms = [form.format(name[-1]) for name in han for form in _table["familiar"].split()]
    found = {part.written for name in names for part in tokens(name)}
    found.update(one for one in known if any(_is_near(one, name) for name in names))
    for text in map(visible, texts):
        words = like["may_be_called"].findall(text)
        found.update(form for form in forms if form in text)
        found.update(one for one in words if any(_is_near(one, name) for name in names))
        if there := [it for name in names for it in places(text, name)]:
            found.update(longer_name(text, it, known) for it in there)
            found.update(like["called"].findall(text))
    others = {one for one in found if fold(one) not in map(fold, names) and len(one) > 1}
    return sorted(one for one in others if not like["calendar"].fullmatch(one))[:_MOST_NEAR]


def _is_near(word: str, name: str) -> bool:
    one, other = fold(word), fold(name)
    if not (one.isascii() and other.isascii()):
        return min(len(one), len(other)) > 1 and (one in other or other in one)
    shared = set(one.split()) & set(other.split()) or (not word.isalpha() and other in one)
    return min(len(one), len(other)) > 2 and (one[:3] == other[:3] or bool(shared))
