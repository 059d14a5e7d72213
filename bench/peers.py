"""Beside other systems, in one run: `make bench-peers`, with FILES="…" for retrieval too.

    python bench/peers.py [FILE…] [--only NAME,…] [--embedder KIND] [--limit N] [--leave-out NAME]

Without a file: journalling one turn at a time beside mem0's `add(infer=False)`. mem0 gets an
embedder that costs nothing (a hash), no model, and its local stores, so that only the keeping is
measured. Both keep the same turns, each on disk before the next, taking turns so that a busy moment
hits both. Our full-text index is current after each turn; mem0 has none here.

With files of labelled conversations (the format of `loxodon bench retrieval`): how much of the
evidence each system finds, how fast, and how long it takes to ingest. All get the same turns, each
with its speaker before it, and the same embedder, whose own time is not counted.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
from collections.abc import Sequence
from time import perf_counter
from typing import Any, NamedTuple

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from loxodon import Memory
from loxodon import config as settings
from loxodon.cli.bench import (
    HANDED,
    RANKED,
    as_conversation,
    latency,
    mean,
    measure_retrieval,
    read,
    scores,
)
from loxodon.recall.fit import SNIPPET
from loxodon.tokens import estimate
from peer_systems import PEERS, Mem0, Peer, Said, Vectors
from text import Talk

TURNS = 300
DIMENSIONS = 64
TOP = 10
"""Items of a search that is timed: what an agent asks for."""


def hashed(texts: Sequence[str]) -> list[list[float]]:
    """Vectors at no cost: what a peer spends on a real embedder is not what we compare."""
    seeds = [hash(text) for text in texts]
    return [[((seed >> (n % 48)) & 255) / 255 + 0.001 for n in range(DIMENSIONS)] for seed in seeds]


def journal() -> dict[str, dict[str, float]]:
    talk = Talk()
    said = [talk.turn(140) for _ in range(TURNS)]
    times: dict[str, list[float]] = {}
    vectors = Vectors(hashed)
    with tempfile.TemporaryDirectory() as folder, Memory.open(os.path.join(folder, "home")) as ours:
        peers = {f"mem0_{store}": Mem0(folder, vectors, store) for store in ("faiss", "qdrant")}
        for n, text in enumerate(said):
            started = perf_counter()
            ours.add([{"role": "user", "content": text, "id": str(n)}], session="live")
            times.setdefault("loxodon", []).append(perf_counter() - started)
            for name, peer in peers.items():
                started = perf_counter()
                peer.add([Said(str(n), "live", text)])
                times.setdefault(name, []).append(perf_counter() - started)
    plain = statistics.median(times["loxodon"])
    return {
        name: {
            "p50_ms": round(statistics.median(found) * 1e3, 3),
            "p99_ms": round(sorted(found)[-3] * 1e3, 3),
            "ratio_to_loxodon": round(statistics.median(found) / plain, 1),
        }
        for name, found in times.items()
    }


class Run(NamedTuple):
    """What one system did with one file."""

    scores: list[dict[str, float]]
    search_ms: list[float]
    ingest_s: float
    turns: int


def retrieval(path: str, args: argparse.Namespace) -> dict[str, dict[str, Any]]:
    """Every system on one file; ratios are to ours without an embedder."""
    conversations = read(path, as_conversation)[: args.limit or None]
    rows = {"loxodon": ours_on(path, args, {})}
    if args.embedder != "none":
        rows["loxodon_embedder"] = ours_on(path, args, embedder_settings(args.embedder))
    vectors = Vectors(embedder(args.embedder))
    for name in args.only.split(","):
        rows[name] = figures(peer_on(name, conversations, vectors, tuple(args.leave_out)))
    for row in rows.values():
        row["search_ratio"] = round(row["search_p50_ms"] / rows["loxodon"]["search_p50_ms"], 2)
        row["ingest_ratio"] = round(
            rows["loxodon"]["ingest_turns_per_s"] / row["ingest_turns_per_s"], 2
        )
    return rows


def ours_on(path: str, args: argparse.Namespace, given: dict[str, object]) -> dict[str, Any]:
    usual: Any = {"category": (), "crossed": False, "keep": None}
    how = argparse.Namespace(**usual, leave_out=args.leave_out)
    talks = read(path, as_conversation)[: args.limit or None]
    found = measure_retrieval(talks, how, settings.from_mapping(given))
    ingest, took = found["ingest"], found["latency_ms"]
    return {
        **found["overall"],
        "search_p50_ms": took["p50"],
        "search_p99_ms": took["p99"],
        "ingest_turns_per_s": ingest["turns_per_s"],
        "journal_turns_per_s": round(ingest["turns"] / ingest["add_s"]),
    }


def peer_on(
    name: str, conversations: Sequence[Any], vectors: Vectors, leave_out: tuple[str, ...]
) -> Run:
    run = Run([], [], 0.0, 0)
    with tempfile.TemporaryDirectory() as folder:  # imports and start-up are nobody's ingest
        peer = PEERS[name](folder, vectors)
        peer.add([Said("1", "s", "user: hello")])
        peer.search("hello", 1)
    for n, one in enumerate(conversations, 1):
        print(f"\r  {name}: {n}/{len(conversations)} ", end="", file=sys.stderr, flush=True)
        with tempfile.TemporaryDirectory() as folder:
            run = one_conversation(PEERS[name](folder, vectors), one, vectors, leave_out, run)
    print(file=sys.stderr)
    return run


def one_conversation(
    peer: Peer, one: Any, vectors: Vectors, leave_out: tuple[str, ...], run: Run
) -> Run:
    sessions = said(one)
    apart = vectors.seconds
    started = perf_counter()
    for turns in sessions:
        peer.add(turns)
    ingest = perf_counter() - started - (vectors.seconds - apart)
    texts = {turn.id: turn.text for turns in sessions for turn in turns}
    for question in one["questions"]:
        apart = vectors.seconds
        started = perf_counter()
        peer.search(question["text"], TOP)
        took = perf_counter() - started - (vectors.seconds - apart)
        run.search_ms.append(took * 1e3)
        ranking = peer.search(question["text"], min(RANKED, len(texts)))
        if question["evidence"] and question["category"] not in leave_out:
            run.scores.append(scores(question["evidence"], ranking, fitting(ranking, texts)))
    return run._replace(ingest_s=run.ingest_s + ingest, turns=run.turns + len(texts))


def said(conversation: Any) -> list[list[Said]]:
    """The turns of each session, as a peer gets them."""
    sessions = [
        [
            Said(turn["id"], session["id"], f"{turn['speaker'] or turn['role']}: {turn['content']}")
            for turn in session["turns"]
            if turn["content"].strip()
        ]
        for session in conversation["sessions"]
    ]
    return [turns for turns in sessions if turns]


def fitting(ranking: Sequence[str], texts: dict[str, str]) -> set[str]:
    """The best turns whose text, cut as ours is, fits the tokens that R@1k is about."""
    left = HANDED
    found = set()
    for id in ranking:
        left -= estimate(texts[id][:SNIPPET])
        if left < 0:
            break
        found.add(id)
    return found


def figures(run: Run) -> dict[str, Any]:
    return {
        **mean(run.scores),
        **{f"search_{name}_ms": value for name, value in latency(run.search_ms).items()},
        "ingest_turns_per_s": round(run.turns / max(run.ingest_s, 1e-6)),
    }


def embedder(spec: str) -> Any:
    """What makes vectors of texts: the one that ours gets."""
    from loxodon.models.embedders import chosen

    found = chosen(settings.from_mapping(embedder_settings(spec)).embedder)
    return found.embed if found else hashed


def embedder_settings(spec: str) -> dict[str, object]:
    kind, _, name = spec.partition(":")
    return {"embedder.kind": kind, **({"embedder.name": name} if name else {})}


def show(rows: dict[str, dict[str, Any]]) -> None:
    for name, row in rows.items():
        print(f"{name}: {json.dumps(row)}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("files", nargs="*", metavar="FILE", help="labelled conversations")
    parser.add_argument("--only", default=",".join(PEERS), help="systems to measure")
    parser.add_argument("--embedder", default="auto", help="auto, fastembed:NAME, or none")
    parser.add_argument("--limit", type=int, default=0, help="conversations of each file")
    parser.add_argument("--leave-out", action="append", default=[], help="a category not counted")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    found = {path: retrieval(path, args) for path in args.files} or {"journal": journal()}
    if args.json:
        print(json.dumps(found, indent=2))
        return
    for name, rows in found.items():
        print(os.path.basename(name))
        show(rows)


if __name__ == "__main__":
    main()
