"""Journalling one turn at a time beside mem0's `add(infer=False)`, in one run: `make bench-peers`.

mem0 gets an embedder that costs nothing (a hash), no model, and its local stores, so that only the
keeping is measured. Both keep the same turns, each on disk before the next, taking turns so that a
busy moment hits both. Our full-text index is current after each turn; mem0 has none here.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
from time import perf_counter

os.environ["MEM0_TELEMETRY"] = "False"  # it would call out otherwise
os.environ.setdefault("OPENAI_API_KEY", "unused")  # asked for at construction, never used

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from loxodon import Memory
from text import Talk

TURNS = 300
DIMENSIONS = 64


class HashEmbedder:
    """A vector at no cost: what mem0 spends on a real embedder is not what we compare."""

    def embed(self, text: str, *_: object, **__: object) -> list[float]:
        seed = hash(text)
        return [((seed >> (n % 48)) & 255) / 255 + 0.001 for n in range(DIMENSIONS)]

    def embed_batch(self, texts: list[str], *_: object, **__: object) -> list[list[float]]:
        return [self.embed(text) for text in texts]


def open_mem0(folder: str, store: str) -> object:
    import mem0  # type: ignore[import-not-found,unused-ignore]

    options: dict[str, object] = {"path": os.path.join(folder, store), "collection_name": "bench",
                                  "embedding_model_dims": DIMENSIONS}  # fmt: skip
    if store == "qdrant":
        options["on_disk"] = True
    memory = mem0.Memory.from_config(
        {
            "vector_store": {"provider": store, "config": options},
            "history_db_path": os.path.join(folder, f"{store}-history.db"),
        }
    )
    memory.embedding_model = HashEmbedder()
    return memory


def main() -> None:
    talk = Talk()
    said = [talk.turn(140) for _ in range(TURNS)]
    times: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder, Memory.open(os.path.join(folder, "home")) as ours:
        peers = {f"mem0_{store}": open_mem0(folder, store) for store in ("faiss", "qdrant")}
        for n, text in enumerate(said):
            message = {"role": "user", "content": text}
            started = perf_counter()
            ours.add([{**message, "id": str(n)}], session="live")
            times.setdefault("loxodon", []).append(perf_counter() - started)
            for name, peer in peers.items():
                started = perf_counter()
                peer.add([message], user_id="u", infer=False)  # type: ignore[attr-defined]
                times.setdefault(name, []).append(perf_counter() - started)
    plain = statistics.median(times["loxodon"])
    for name, found in times.items():
        middle = statistics.median(found)
        row = {"p50_ms": round(middle * 1e3, 3), "p99_ms": round(sorted(found)[-3] * 1e3, 3),
               "ratio_to_loxodon": round(middle / plain, 1)}  # fmt: skip
        print(f"{name}: {json.dumps(row)}")


if __name__ == "__main__":
    main()
