"""What each ingredient of a recall earns: the same questions with one of them taken out at a time.

python bench/ablation.py FILE... --keep DIR     R@10 and NDCG@10 of each variant, beside the whole

Ingest takes most of the time, so memories are kept in DIR and used again. A variant changes one
constant or function of `loxodon.recall` in this process; nothing in the package knows of it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from loxodon.config import Config, EmbedderConfig
from loxodon.measure.retrieval import Options, measure
from loxodon.store import Nature

Patch = tuple[str, str, Any]


def _always(value: Any) -> Callable[..., Any]:
    return lambda *args, **kwargs: value


_ASKED = import_module("loxodon.recall.routes")._asked


def _one_question(question: Any) -> Any:
    return _ASKED(question._replace(asks=question.asks[:1]))


def _without(*names: str) -> list[Patch]:
    """Both tables of weights with these parts counting nothing."""
    found: list[Patch] = []
    for table in ("ASKED", "TOLD"):
        parts = getattr(import_module("loxodon.recall.weights"), table)
        found.append(("recall.routes", table, {**parts, **dict.fromkeys(names, 0.0)}))
    return found


VARIANTS: dict[str, list[Patch]] = {
    "everything": [],
    "without what stands around a turn": _without("around", "setting"),
    "surroundings whatever the journal is": [
        ("store.nearby", "nature", lambda stored: Nature(0.9, 24.0))
    ],
    "without segments": _without("segment"),
    "without what hits have in common": _without("alike"),
    "without words for the same": _without("related"),
    "without meaning": _without("meaning", "setting"),
    "words of the asking count in full": [("recall.terms", "_ASKING", frozenset())],
    "a message as a question": [("recall.understand", "tells_more", _always(False))],
    "without the speaker": [("recall.rank", "NAMED", 1.0)],
    "the assistant counts in full": [("recall.rank", "BY_ASSISTANT", 1.0)],
    "several questions as one": [("recall.routes", "_asked", _one_question)],
    "without the focus of a question": [
        ("recall.understand", "pivoted", _always(False)),
        ("recall.understand", "without_meta", lambda text, language: text),
    ],
    "without memories": [("recall.routes", "_memories", _always({}))],
    "turns and memories do not lift each other": [("recall.link", "LIFT", 0.0)],
    "without times": [("recall.rank", "IN_TIME", 1.0), *_without("time", "then")],
    "without entities and labels": _without("entity", "beside", "label"),
    "without category and recency": [
        ("recall.relevance", "_CATEGORY", 0.0),
        ("recall.relevance", "_RECENCY", 0.0),
    ],
    "what only asks counts in full": [("recall.holds", "ONLY_ASKS", 1.0)],
    "the order of time left alone": [("recall.holds", "_newest_first", _always(None))],
}


@contextmanager
def patched(patches: list[Patch]) -> Iterator[None]:
    before = []
    for module, name, value in patches:
        found = import_module(f"loxodon.{module}")
        before.append((found, name, getattr(found, name)))
        setattr(found, name, value)
    try:
        yield
    finally:
        for found, name, value in before:
            setattr(found, name, value)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+")
    parser.add_argument("--keep", required=True, help="a folder for the memories")
    parser.add_argument("--limit", type=int, default=0, help="conversations of each file")
    parser.add_argument("--leave-out", action="append", default=[])
    parser.add_argument("--only", default="", help="variants whose name has this")
    parser.add_argument("--embedder", default="none", help="with this embedder")
    args = parser.parse_args()
    options = Options(limit=args.limit, leave_out=tuple(args.leave_out), keep=args.keep)
    config = Config()._replace(embedder=EmbedderConfig(kind=args.embedder))
    print(f"{'':44}" + "".join(f"{name.rsplit('/', 1)[-1][:18]:>20}" for name in args.files))
    for name, patches in VARIANTS.items():
        if args.only not in name:
            continue
        with patched(patches):
            reports = [one.report["overall"] for one in measure(args.files, config, options)]
        cells = [f"{one['r@10']:>12.1f} {one['ndcg@10']:>7.1f}" for one in reports]  # type: ignore[index]
        print(f"{name:44}" + "".join(cells))
        sys.stdout.flush()


if __name__ == "__main__":
    main()
