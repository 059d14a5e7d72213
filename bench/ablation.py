"""What each ingredient of a recall earns: the same questions with one of them taken out at a time.

python bench/ablation.py FILE... --keep DIR     R@10 and NDCG@10 of each variant, beside the whole

Ingest takes most of the time, so the memories are those that `loxodon bench retrieval --keep DIR`
left there. A variant changes one
constant or function of `loxodon.recall` in this process; nothing in the package knows of it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib import import_module
from typing import Any

from loxodon.cli.bench import (
    RANKED,
    ROOM,
    as_conversation,
    chosen_embedder,
    for_measuring,
    kept_home,
    read,
    scores,
)
from loxodon.config import Config, EmbedderConfig
from loxodon.memory import Memory
from loxodon.store import Nature

Patch = tuple[str, str, Any]


def _always(value: Any) -> Callable[..., Any]:
    return lambda *args, **kwargs: value


def _one_question(question: Any) -> Any:
    return _ASKED(question._replace(asks=question.asks[:1]))


_ASKED = import_module("loxodon.recall.words").asked_words


def _without(*names: str) -> list[Patch]:
    """Both tables of weights with these parts counting nothing."""
    look = import_module("loxodon.recall.look")
    none = dict.fromkeys(names, 0.0)
    return [("recall.look", table, {**getattr(look, table), **none}) for table in _TABLES]


_TABLES = ("ASKED", "TOLD")
VARIANTS: dict[str, list[Patch]] = {
    "everything": [],
    "without what stands around a turn": _without("around", "setting"),
    "surroundings whatever the journal is": [
        ("store.indexes", "nature_of", lambda stored: Nature(0.9, 24.0))
    ],
    "without what hits have in common": _without("alike"),
    "without words for the same": _without("related"),
    "without meaning": _without("meaning", "setting"),
    "words of the asking count in full": [("recall.words", "_ASKING", frozenset())],
    "a message as a question": [("recall.understand", "tells_more", _always(False))],
    "without the speaker": [("recall.look", "NAMED", 1.0)],
    "the assistant counts in full": [("recall.look", "BY_ASSISTANT", 1.0)],
    "several questions as one": [("recall.words", "asked_words", _one_question)],
    "without memories": [("recall.words", "memories", _always({}))],
    "turns and memories do not lift each other": [("recall.order", "_LIFT", 0.0)],
    "without times": [("recall.order", "IN_TIME", 1.0), *_without("time", "then")],
    "without recency": [("recall.order", "_RECENCY", 0.0)],
    "the order of time left alone": [("recall.recency", "_by_time", _always(None))],
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


def measured(file: str, config: Config, args: argparse.Namespace) -> tuple[float, float]:
    """R@10 and NDCG@10 of a file, in percent."""
    found = []
    now = [datetime.now(UTC)]
    for talk in read(file, as_conversation)[: args.limit or None]:
        home = kept_home(talk, config, args.keep)
        with Memory.open(home, config=config, clock=lambda: now[0]) as memory:
            memory._embedders.use(chosen_embedder(config.embedder))
            now[0] = talk["end"]
            memory.embed()
            for question in talk["questions"]:
                if question["evidence"] and question["category"] not in args.leave_out:
                    now[0] = question["asked_at"]
                    items = memory.recall(question["text"], RANKED, ROOM).items
                    turns = [one.turn for item in items for one in item.sources if one.turn]
                    ranking = list(dict.fromkeys(turns))
                    found.append(scores(question["evidence"], ranking, ()))
    number = len(found) or 1
    return (
        100 * sum(one["r@10"] for one in found) / number,
        100 * sum(one["ndcg@10"] for one in found) / number,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+")
    parser.add_argument("--keep", required=True, help="the folder with the memories")
    parser.add_argument("--limit", type=int, default=0, help="conversations of each file")
    parser.add_argument("--leave-out", action="append", default=[])
    parser.add_argument("--only", default="", help="variants whose name has this")
    parser.add_argument("--embedder", default="none", help="with this embedder")
    args = parser.parse_args()
    embedder = EmbedderConfig(kind=args.embedder)
    config = for_measuring(Config())._replace(embedder=embedder)
    print(f"{'':44}" + "".join(f"{name.rsplit('/', 1)[-1][:18]:>20}" for name in args.files))
    for name, patches in VARIANTS.items():
        if args.only not in name:
            continue
        with patched(patches):
            cells = [measured(file, config, args) for file in args.files]
        print(f"{name:44}" + "".join(f"{r10:>12.1f} {ndcg:>7.1f}" for r10, ndcg in cells))
        sys.stdout.flush()


if __name__ == "__main__":
    main()
