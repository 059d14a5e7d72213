"""A LangGraph store in a Loxodon home.

    from loxodon import Memory
    from loxodon.compat.langgraph import LoxodonStore

    with Memory.open("~/.loxodon") as memory:
        graph = builder.compile(store=LoxodonStore(memory))

Values are JSON and come back exactly. They are documents of the memory's space: durable, shared
with other processes, and in its exports. A search finds them by their words, in any language,
without an embedder; or with LangGraph's `index` by meaning:

    LoxodonStore(memory, index={"dims": 1536, "embed": embed, "fields": ["text"]})
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from loxodon.compat import vectors
from loxodon.compat.documents import Document, Documents, Scored, Wanted
from loxodon.compat.edge import in_thread
from loxodon.compat.filters import langgraph_admits
from loxodon.errors import CallError, ConfigError

if TYPE_CHECKING:
    from loxodon.memory import Memory

try:
    from langgraph.store.base import (  # type: ignore[import-not-found, unused-ignore]
        BaseStore,
        GetOp,
        IndexConfig,
        Item,
        ListNamespacesOp,
        MatchCondition,
        Op,
        PutOp,
        Result,
        SearchItem,
        SearchOp,
        TTLConfig,
        ensure_embeddings,
        get_text_at_path,
        validate_op_namespace,
    )
except ImportError as error:
    raise ConfigError(
        "the LangGraph store needs {module}, which cannot be imported: {reason}",
        hint="install it with `pip install langgraph`",
        module="langgraph",
        reason=error,
    ) from None

ROOT = "langgraph"  # What every namespace begins with in the space, which LangGraph keeps to itself
# The same for the vectors of values: objects of each text that was embedded, and its vector. What
# is forgotten of such a text takes the vector with it, as that of any name in a document.
VECTORS = "langgraph-vectors"
_ALL = 1 << 40


class _Embedded(NamedTuple):
    """What an embedder made of the texts of a batch."""

    questions: Mapping[str, vectors.Vector] = {}
    texts: Mapping[str, vectors.Vector] = {}


class LoxodonStore(BaseStore):  # type: ignore[misc, unused-ignore]
    """A `BaseStore` on a memory, which stays whose it is: closing it is up to the caller.

    `index` and `ttl` are LangGraph's own. The `fields` of an index are the parts of a value that it
    is found by (`["text"]`, `["messages[*].content"]`), where `put` names none; all of it without.
    With `embed` values are found by meaning, and without by their words. What has expired is not
    told, and is taken away with the next write.
    """

    supports_ttl = True

    def __init__(
        self, memory: Memory, *, index: IndexConfig | None = None, ttl: TTLConfig | None = None
    ) -> None:
        self._documents: Documents = memory.documents
        self.index_config = index
        given: Mapping[str, Any] = index or {}
        self._size: int = given.get("dims") or 0
        # LangGraph's store in SQLite calls them otherwise.
        self._fields: list[str] | None = given.get("fields") or given.get("text_fields")
        self.embeddings = ensure_embeddings(given["embed"]) if given.get("embed") else None
        self.ttl_config = ttl

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Do several things at once: all that is read is as it was before what is written."""
        given = _checked(ops)
        if self.embeddings is None:
            return self._done(given, _Embedded())
        questions, texts = self._to_embed(given)
        made = self.embeddings.embed_documents(texts) if texts else []
        asked = [self.embeddings.embed_query(one) for one in questions]
        return self._done(given, _embedded(questions, asked, texts, made))

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """The same, without keeping the event loop waiting."""
        given = _checked(ops)
        if self.embeddings is None:
            return await in_thread(lambda: self._done(given, _Embedded()))
        questions, texts = self._to_embed(given)
        made = await self.embeddings.aembed_documents(texts) if texts else []
        asked = await asyncio.gather(*map(self.embeddings.aembed_query, questions))
        found = _embedded(questions, asked, texts, made)
        return await in_thread(lambda: self._done(given, found))

    def _to_embed(self, ops: Sequence[Op]) -> tuple[list[str], list[str]]:
        """The questions and the texts of values in a batch."""
        questions = {op.query: None for op in ops if isinstance(op, SearchOp) and op.query}
        texts = {text: None for op in _puts(ops) for text in self._texts_of(op)}
        return list(questions), list(texts)

    def _texts_of(self, op: PutOp) -> list[str]:
        """The texts of a value that are embedded, as the value will be kept."""
        if op.value is None or op.index is False:
            return []
        value = self._documents.cleaned(op.value)
        paths = (self._fields if op.index is None else op.index) or ["$"]
        found = [one for path in paths for one in get_text_at_path(value, path)]
        return list(dict.fromkeys(found))

    def _done(self, ops: Sequence[Op], embedded: _Embedded) -> list[Result]:
        results: list[Result] = [self._read(op, embedded) for op in ops]
        if last := _puts(ops):
            with self._documents.together():
                for op in last:
                    self._write(op, embedded)
        return results

    def sweep_ttl(self) -> int:
        """Take away what has expired; how many those were."""
        return self._documents.sweep()

    def _read(self, op: Op, embedded: _Embedded) -> Result:
        if isinstance(op, GetOp):
            found = self._documents.get((ROOT, *op.namespace), op.key, refresh=op.refresh_ttl)
            if found and op.refresh_ttl:
                self._refresh_vectors(op.namespace, [found])
            return Item(**_fields_of(found)) if found else None
        if isinstance(op, SearchOp):
            question = embedded.questions.get(op.query or "")
            documents = self._search(op) if question is None else self._near(op, question)
            if op.refresh_ttl:
                self._refresh_vectors(op.namespace_prefix, documents)
            return [SearchItem(**_fields_of(one), score=one.score) for one in documents]
        if isinstance(op, ListNamespacesOp):
            return self._namespaces(op)
        if isinstance(op, PutOp):
            return None
        raise ValueError(f"Unknown operation type: {type(op)}")

    def _search(self, op: SearchOp, scored: Scored | None = None) -> list[Document]:
        """The values that are wanted: by their words, or by a score."""
        return self._documents.search(
            (ROOT, *op.namespace_prefix),
            op.query or "",
            wanted=_wanted(op.filter or {}),
            limit=op.limit,
            offset=op.offset,
            refresh=op.refresh_ttl,
            scored=scored,
        )

    def _near(self, op: SearchOp, question: vectors.Vector) -> list[Document]:
        """The values that are wanted, by their meaning; those without a vector come last."""
        beside = self._documents.search((VECTORS, *op.namespace_prefix), limit=_ALL)
        scores = vectors.nearness(question, [one.value for one in beside])
        made = {
            (one.namespace[1:], one.key): score for one, score in zip(beside, scores, strict=True)
        }
        return self._search(op, lambda names, key: made.get((names[1:], key)))

    def _refresh_vectors(self, begin: tuple[str, ...], documents: Sequence[Document]) -> None:
        """Let the vectors of documents stay as long as these do."""
        fleeting = [one for one in documents if one.minutes is not None]
        if self.embeddings is not None and fleeting:
            told = {((VECTORS, *one.namespace[1:]), one.key) for one in fleeting}
            self._documents.search(
                (VECTORS, *begin),
                limit=len(told),
                scored=lambda names, key: 1.0 if (names, key) in told else None,
                refresh=True,
            )

    def _namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        found = [namespace[1:] for namespace in self._documents.namespaces((ROOT,))]
        conditions = op.match_conditions or ()
        found = [one for one in found if all(_matches(condition, one) for condition in conditions)]
        if op.max_depth is not None:
            found = sorted({namespace[: op.max_depth] for namespace in found})
        return found[op.offset : op.offset + op.limit]

    def _write(self, op: PutOp, embedded: _Embedded) -> None:
        namespace, beside = (ROOT, *op.namespace), (VECTORS, *op.namespace)
        self._documents.delete(beside, op.key)  # also one that another store has put
        if op.value is None:
            self._documents.delete(namespace, op.key)
            return
        fields = self._fields if op.index is None else op.index
        self._documents.put(
            namespace, op.key, op.value, text=_found_by(op.value, fields), minutes=op.ttl
        )
        if self.embeddings is None:
            return
        made = {one: vectors.kept(embedded.texts[one], self._size) for one in self._texts_of(op)}
        if made:
            self._documents.put(beside, op.key, made, text="", minutes=op.ttl)


def _checked(ops: Iterable[Op]) -> list[Op]:
    given = list(ops)
    for op in given:
        validate_op_namespace(op)
    return given


def _puts(ops: Sequence[Op]) -> list[PutOp]:
    """What is written; where the same is written twice, the last."""
    return [*{(op.namespace, op.key): op for op in ops if isinstance(op, PutOp)}.values()]


def _embedded(
    questions: Sequence[str],
    asked: Sequence[vectors.Vector],
    texts: Sequence[str],
    made: Sequence[vectors.Vector],
) -> _Embedded:
    if len(made) != len(texts):
        raise CallError(
            "the embedder made {count} vectors of {texts} texts", count=len(made), texts=len(texts)
        )
    return _Embedded(dict(zip(questions, asked, strict=True)), dict(zip(texts, made, strict=True)))


def _wanted(conditions: Mapping[str, Any]) -> Wanted | None:
    return (lambda value: langgraph_admits(conditions, value)) if conditions else None


def _fields_of(document: Document) -> dict[str, Any]:
    return {
        "namespace": document.namespace[1:],
        "key": document.key,
        "value": document.value,
        "created_at": document.created_at,
        "updated_at": document.updated_at,
    }


def _found_by(value: Mapping[str, Any], fields: list[str] | bool | None) -> str | None:
    """What a value is found by; None for all of its words."""
    if fields is False:
        return ""
    if fields is None or isinstance(fields, bool) or "$" in fields:
        return None
    return "\n".join(text for path in fields for text in get_text_at_path(value, path))


def _matches(condition: MatchCondition, namespace: tuple[str, ...]) -> bool:
    """Whether a namespace begins or ends like a path, of which `*` may be any name."""
    path = tuple(condition.path)
    if condition.match_type not in ("prefix", "suffix"):
        raise ValueError(f"Unsupported match type: {condition.match_type}")
    if len(namespace) < len(path):
        return False
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[-len(path) :]
    return not path or all(wanted in ("*", name) for wanted, name in zip(path, part, strict=True))
