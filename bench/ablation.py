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

from loxodon.config import Config
from loxodon.measure.retrieval import Options, measure
from loxodon.store import Nature

Patch = tuple[str, str, Any]


def _always(value: Any) -> Callable[..., Any]:
    return lambda *args, **kwargs: value


_ASKED = import_module("loxodon.recall.routes")._asked


def _one_question(question: Any) -> Any:
    return _ASKED(question._replace(asks=question.asks[:1]))


VARIANTS: dict[str, list[Patch]] = {
    "everything": [],
    "without what stands around a turn": [("recall.spoken", "_LEAST_COHESION", 2.0)],
    "surroundings whatever the journal is": [
        ("store.nearby", "nature", lambda stored: Nature(0.9, 24.0))
    ],
    "without segments": [("recall.segments", "SEGMENT", 0.0)],
    "without what hits have in common": [("recall.spoken", "_MOST_COHESION", -1.0)],
    "without words for the same": [("recall.routes", "expand", _always([]))],
    "words of the asking count in full": [("recall.terms", "_ASKING", frozenset())],
    "without the speaker": [("recall.fuse", "_NAMED", 1.0)],
    "the assistant counts in full": [("recall.fuse", "_BY_ASSISTANT", 1.0)],
    "several questions as one": [("recall.routes", "_asked", _one_question)],
    "without the focus of a question": [
        ("recall.understand", "pivoted", _always(False)),
        ("recall.understand", "without_meta", lambda text, language: text),
    ],
    "without memories": [("recall.routes", "_memories", _always({}))],
    "turns and memories do not lift each other": [("recall.link", "LIFT", 0.0)],
    "without times": [("recall.rank", "_IN_TIME", 1.0), ("recall.routes", "_TIME", 0.0)],
    "without entities and labels": [
        ("recall.routes", "_ENTITY", 0.0),
        ("recall.routes", "_BESIDE", 0.0),
        ("recall.routes", "_LABEL", 0.0),
        ("recall.routes", "_BARE_LABEL", 0.0),
    ],
    "without category and recency": [
        ("recall.relevance", "_CATEGORY", 0.0),
        ("recall.relevance", "_RECENCY", 0.0),
    ],
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
    args = parser.parse_args()
    options = Options(limit=args.limit, leave_out=tuple(args.leave_out), keep=args.keep)
    print(f"{'':44}" + "".join(f"{name.rsplit('/', 1)[-1][:18]:>20}" for name in args.files))
    for name, patches in VARIANTS.items():
        if args.only not in name:
            continue
        with patched(patches):
            reports = [one.report["overall"] for one in measure(args.files, Config(), options)]
        cells = [f"{one['r@10']:>12.1f} {one['ndcg@10']:>7.1f}" for one in reports]  # type: ignore[index]
        print(f"{name:44}" + "".join(cells))
        sys.stdout.flush()


if __name__ == "__main__":
    main()
