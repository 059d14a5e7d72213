"""`loxodon demo`: an example memory, and what to try on it."""

from __future__ import annotations

import shutil
import sys
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence

from loxodon.cli import view
from loxodon.cli.opening import Outcome, clock_of
from loxodon.messages import current, t
from loxodon.spaces import home_at

DEFAULT = "~/.loxodon-demo"
_TRY: dict[str, tuple[tuple[str, ...], ...]] = {
    "en": (
        ("ui",),
        ("list", "--limit", "10"),
        ("recall", "Where do I live?", "--top", "3", "--explain"),
        ("recall", "Where did I live?", "--as-of", "3 months ago", "--top", "3"),
        ("context", "What should I cook for my sister Ingrid?"),
        ("entities", "Tomás"),
        ("review",),
        ("quarantine",),
    ),
    "zh": (
        ("ui",),
        ("list", "--limit", "10"),
        ("recall", "我住在哪里？", "--top", "3", "--explain"),
        ("recall", "我住在哪里？", "--as-of", "三个月前", "--top", "3"),
        ("context", "给我姐姐沈知夏做饭要注意什么？"),
        ("entities", "苏念"),
        ("review",),
        ("quarantine",),
    ),
}
"""What to try, in the space of each language."""


def run(args: Namespace) -> Outcome:
    from loxodon.cli.demo import building

    home = home_at(args.dir or args.named_home or DEFAULT)
    building.refuse_other(home)
    if args.replace or not building.is_whole(home):
        shutil.rmtree(home, ignore_errors=True)
        with view.Bar(t("building")) as bar:
            building.build(home, clock_of(args, None)(), bar)
    tried = list(_tried(home, building.SPACES))

    def show() -> None:
        print(t("an example memory is in {home}; nothing in it is yours. Try:", home=home))
        for words in tried:
            print(f"  loxodon {' '.join(map(_quoted, words))}")

    if args.tour and not args.json:
        return Outcome({}, lambda: _tour(tried))
    return Outcome({"home": home, "try": [["loxodon", *words] for words in tried]}, show)


def _tried(home: str, spaces: Mapping[str, str]) -> Iterator[list[str]]:
    """The commands to try, in the language of whoever asks."""
    space = spaces[current()]
    named = [] if space == "main" else ["--space", space]
    for words in _TRY[current()]:
        yield ["--home", home, *named, *words]


def _tour(tried: Sequence[Sequence[str]]) -> None:
    """Run what there is to try, but what stays open."""
    from loxodon.cli.main import main

    for words in tried:
        if words[-1] != "ui":
            print(f"\n$ loxodon {' '.join(map(_quoted, words))}", flush=True)
            main(list(words))
            sys.stdout.flush()


def _quoted(word: str) -> str:
    plain = word and word.replace("/", "").replace("-", "").replace(".", "").isalnum()
    return word if plain and word.isascii() else f'"{word}"'
