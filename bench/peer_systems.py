"""Other ways to keep and find what was said, behind one small protocol: what `peers.py` measures.

Each is used as its own documentation shows, with no language model, on disk where it can be, and
with one embedder for all of them. What the embedder takes is counted apart (`Vectors.seconds`), so
that a system is measured by what it does with the vectors.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from math import log
from time import perf_counter
from typing import Any, NamedTuple, Protocol

import Stemmer

from loxodon.text.wordlists import ENGLISH

os.environ["MEM0_TELEMETRY"] = "False"  # they would call out otherwise
os.environ["ANONYMIZED_TELEMETRY"] = "False"
os.environ.setdefault("OPENAI_API_KEY", "unused")  # asked for at construction, never used


class Said(NamedTuple):
    """A turn, as every system gets it: `text` begins with who said it."""

    id: str
    session: str
    text: str


class Peer(Protocol):
    def add(self, turns: Sequence[Said]) -> None: ...

    def search(self, question: str, k: int) -> list[str]:
        """The ids of the best `k` turns, or of fewer."""


class Vectors:
    """An embedder that all share: each text is embedded once, and the time it took is known."""

    def __init__(self, embed: Callable[[list[str]], Sequence[Sequence[float]]]) -> None:
        self._embed = embed
        self._known: dict[str, list[float]] = {}
        self.seconds = 0.0
        self.size = len(self.of(["size"])[0])

    def of(self, texts: Sequence[str]) -> list[list[float]]:
        started = perf_counter()
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        for start in range(0, len(new), 64):
            batch = new[start : start + 64]
            for text, vector in zip(batch, self._embed(batch), strict=True):
                self._known[text] = [float(value) for value in vector]
        self.seconds += perf_counter() - started
        return [self._known[text] for text in texts]

    def forget(self) -> None:
        """Let go of the vectors of a conversation that is done with."""
        self._known.clear()


class Bm25:
    """Plain BM25 in memory: English stop words and stemming, Chinese characters and pairs."""

    K1, B = 1.0, 0.75

    def __init__(self, folder: str, vectors: Vectors) -> None:
        self._ids: list[str] = []
        self._lengths: list[int] = []
        self._lists: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)

    def add(self, turns: Sequence[Said]) -> None:
        for turn in turns:
            words = _words(turn.text)
            for word, count in Counter(words).items():
                self._lists[word].append((len(self._ids), count))
            self._ids.append(turn.id)
            self._lengths.append(len(words))

    def search(self, question: str, k: int) -> list[str]:
        total = len(self._ids)
        usual = sum(self._lengths) / total
        scores: defaultdict[int, float] = defaultdict(float)
        for word in dict.fromkeys(_words(question)):
            found = self._lists.get(word, ())
            rarity = log(1 + (total - len(found) + 0.5) / (len(found) + 0.5))
            for row, count in found:
                size = 1 - self.B + self.B * self._lengths[row] / usual
                scores[row] += rarity * count * (self.K1 + 1) / (count + self.K1 * size)
        best = sorted(scores, key=lambda row: (-scores[row], row))
        return [self._ids[row] for row in best[:k]]


_WORD = re.compile(r"[a-z0-9]+|[\u4e00-\u9fff]+")
_stem = Stemmer.Stemmer("english").stemWord


def _words(text: str) -> list[str]:
    """Nothing of our own but the list of stop words: a yardstick must not grow with what it
    measures."""
    words: list[str] = []
    for piece in _WORD.findall(text.lower()):
        if piece[0] >= "\u4e00":
            words += [*piece, *(piece[i : i + 2] for i in range(len(piece) - 1))]
        elif piece not in ENGLISH:
            words.append(_stem(piece))
    return words


class Mem0:
    """mem0 on Qdrant, its default, kept on disk; `infer=False` keeps what was said as it is."""

    def __init__(self, folder: str, vectors: Vectors, store: str = "qdrant") -> None:
        import mem0  # type: ignore[import-not-found,unused-ignore]

        path = os.path.join(folder, store)
        options: dict[str, object] = {
            "path": path,
            "collection_name": "bench",
            "embedding_model_dims": vectors.size,
        }
        if store == "qdrant":
            options["on_disk"] = True
        self._memory: Any = mem0.Memory.from_config(
            {
                "vector_store": {"provider": store, "config": options},
                "history_db_path": os.path.join(folder, f"{store}-history.db"),
            }
        )
        self._memory.embedding_model = _Mem0Embedder(vectors)

    def add(self, turns: Sequence[Said]) -> None:
        for turn in turns:
            said = [{"role": "user", "content": turn.text}]
            self._memory.add(said, user_id="u", infer=False, metadata={"turn": turn.id})

    def search(self, question: str, k: int) -> list[str]:
        found = self._memory.search(question, top_k=k, filters={"user_id": "u"}, threshold=0.0)
        return [one["metadata"]["turn"] for one in found["results"]]


class _Mem0Embedder:
    def __init__(self, vectors: Vectors) -> None:
        self._vectors = vectors

    def embed(self, text: str, *_: object, **__: object) -> list[float]:
        return self._vectors.of([text])[0]

    def embed_batch(self, texts: list[str], *_: object, **__: object) -> list[list[float]]:
        return self._vectors.of(texts)


class LangGraph:
    """LangGraph's store on SQLite with sqlite-vec, or in memory where SQLite takes no extension."""

    _NAMESPACE = ("memories",)

    def __init__(self, folder: str, vectors: Vectors) -> None:
        import sqlite3

        index: Any = {"dims": vectors.size, "embed": vectors.of, "fields": ["text"]}
        self._store: Any
        if hasattr(sqlite3.Connection, "enable_load_extension"):
            from langgraph.store.sqlite import SqliteStore  # type: ignore[import-not-found,unused-ignore]

            path = os.path.join(folder, "langgraph.db")
            connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
            self._store = SqliteStore(connection, index=index)
            self._store.setup()
        else:
            from langgraph.store.memory import InMemoryStore  # type: ignore[import-not-found,unused-ignore]

            self._store = InMemoryStore(index=index)

    def add(self, turns: Sequence[Said]) -> None:
        for turn in turns:
            self._store.put(self._NAMESPACE, turn.id, {"text": turn.text})

    def search(self, question: str, k: int) -> list[str]:
        return [one.key for one in self._store.search(self._NAMESPACE, query=question, limit=k)]


class Chroma:
    """Chroma, persistent, by cosine; a session is added at once."""

    def __init__(self, folder: str, vectors: Vectors) -> None:
        import chromadb  # type: ignore[import-not-found,unused-ignore]

        self._vectors = vectors
        client: Any = chromadb.PersistentClient(path=os.path.join(folder, "chroma"))
        self._collection = client.create_collection(
            "bench", configuration={"hnsw": {"space": "cosine"}}, embedding_function=None
        )

    def add(self, turns: Sequence[Said]) -> None:
        texts = [turn.text for turn in turns]
        ids = [turn.id for turn in turns]
        self._collection.add(ids=ids, documents=texts, embeddings=self._vectors.of(texts))

    def search(self, question: str, k: int) -> list[str]:
        found = self._collection.query(
            query_embeddings=self._vectors.of([question]), n_results=k, include=[]
        )
        return [str(id) for id in found["ids"][0]]


class MemSearch:
    """memsearch on Milvus Lite: a Markdown file a session, a heading a turn, hybrid search."""

    def __init__(self, folder: str, vectors: Vectors) -> None:
        import memsearch.core  # type: ignore[import-not-found,unused-ignore]

        self._pages = os.path.join(folder, "pages")
        os.mkdir(self._pages)
        self._lines: dict[str, list[str]] = {}
        memsearch.core.get_provider = lambda *_, **__: _MemSearchEmbedder(vectors)
        self._memory: Any = memsearch.core.MemSearch(
            [self._pages], milvus_uri=os.path.join(folder, "milvus.db")
        )

    def add(self, turns: Sequence[Said]) -> None:
        """Write the session's page and index it; which turn each of its lines is of is noted."""
        path = os.path.join(self._pages, f"{len(self._lines):05d}.md")
        owners: list[str] = []
        with open(path, "w", encoding="utf-8") as file:
            for turn in turns:
                speaker, _, text = turn.text.partition(": ")
                page = f"## {speaker}\n\n{text}\n"
                file.write(page)
                owners += [turn.id] * page.count("\n")
        self._lines[os.path.realpath(path)] = owners
        asyncio.run(self._memory.index_file(path))

    def search(self, question: str, k: int) -> list[str]:
        return list(dict.fromkeys(id for ids, _ in self._found(question, k) for id in ids))

    def passages(self, question: str, k: int) -> list[tuple[str, str]]:
        """The best chunks, each with the turn that it begins in."""
        return [(ids[0], text) for ids, text in self._found(question, k)]

    def _found(self, question: str, k: int) -> Iterator[tuple[list[str], str]]:
        for one in asyncio.run(self._memory.search(question, top_k=k)):
            owners = self._lines[one["source"]]
            yield owners[int(one["start_line"]) - 1 : int(one["end_line"])], one["content"]


class _MemSearchEmbedder:
    model_name = "bench"
    batch_size = 64

    def __init__(self, vectors: Vectors) -> None:
        self._vectors = vectors
        self.dimension = vectors.size

    async def embed(self, texts: list[str]) -> list[list[float]]:
        return self._vectors.of(texts)


PEERS: dict[str, Callable[[str, Vectors], Peer]] = {
    "bm25": Bm25,
    "mem0": Mem0,
    "langgraph": LangGraph,
    "chroma": Chroma,
    "memsearch": MemSearch,
}
