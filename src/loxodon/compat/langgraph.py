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

import math
from collections.abc import Iterable, Mapping, Sequence
from operator import mul
from typing import TYPE_CHECKING, Any

from loxodon.compat.documents import Document, Documents, text_of
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
# A value with vectors is kept as an object of both. The vectors are named by the texts they were
# made of: what is forgotten of such a text takes the vector with it.
_VALUE, _VECTORS = "loxodon:value", "loxodon:vectors"

Vector = Sequence[float]


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
        self.embeddings: Any = ensure_embeddings(given["embed"]) if given.get("embed") else None
        self.ttl_config = ttl

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Do several things at once: all that is read is as it was before what is written."""
        given, questions, texts = self._planned(ops)
        made = self.embeddings.embed_documents(texts) if texts else []
        asked = [self.embeddings.embed_query(one) for one in questions]
        return self._done(given, dict(zip(questions, asked, strict=True)), texts, made)

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """The same, without keeping the event loop waiting."""
        given, questions, texts = self._planned(ops)
        made = await self.embeddings.aembed_documents(texts) if texts else []
        asked = [await self.embeddings.aembed_query(one) for one in questions]
        found = dict(zip(questions, asked, strict=True))
        return await in_thread(lambda: self._done(given, found, texts, made))

    def _planned(self, ops: Iterable[Op]) -> tuple[list[Op], list[str], list[str]]:
        """What is to be done, and the questions and texts of it that are to be embedded."""
        given = list(ops)
        for op in given:
            validate_op_namespace(op)
        if self.embeddings is None:
            return given, [], []
        questions = {op.query: None for op in given if isinstance(op, SearchOp) and op.query}
        texts = {text: None for op in _puts(given) for text in self._texts_of(op)}
        return given, list(questions), list(texts)

    def _texts_of(self, op: PutOp) -> list[str]:
        """The texts of a value that are embedded, as the value will be kept."""
        if op.value is None or op.index is False:
            return []
        value = self._documents.cleaned(op.value)
        paths = (self._fields if op.index is None else op.index) or ["$"]
        found = [one for path in paths for one in get_text_at_path(value, path)]
        return list(dict.fromkeys(found))

    def _done(
        self,
        ops: Sequence[Op],
        questions: Mapping[str, Vector],
        texts: Sequence[str],
        made: Sequence[Vector],
    ) -> list[Result]:
        if len(made) != len(texts):
            raise CallError(
                "the embedder made {count} vectors of {texts} texts",
                count=len(made),
                texts=len(texts),
            )
        for vector in made:
            if self._size and len(vector) != self._size:
                raise CallError(
                    "the embedder made a vector of {size} numbers, but `dims` is {dims}",
                    hint="set `dims` to the size of the embedder's vectors",
                    size=len(vector),
                    dims=self._size,
                )
        vectors = dict(zip(texts, made, strict=True))
        results: list[Result] = [self._read(op, questions) for op in ops]
        if last := _puts(ops):
            with self._documents.together():
                for op in last:
                    self._write(op, vectors)
        return results

    def sweep_ttl(self) -> int:
        """Take away what has expired; how many those were."""
        return self._documents.sweep()

    def _read(self, op: Op, questions: Mapping[str, Vector]) -> Result:
        if isinstance(op, GetOp):
            found = self._documents.get((ROOT, *op.namespace), op.key, refresh=op.refresh_ttl)
            return Item(**_fields_of(found)) if found else None
        if isinstance(op, SearchOp):
            question, conditions = questions.get(op.query or ""), op.filter or {}

            def wanted(value: Any) -> bool:
                return langgraph_admits(conditions, _own(value))

            documents = self._documents.search(
                (ROOT, *op.namespace_prefix),
                op.query or "",
                wanted=(lambda one: langgraph_admits(conditions, _own(one)))
                if conditions
                else None,
                limit=op.limit,
                offset=op.offset,
                refresh=op.refresh_ttl,
                scored=None if question is None else lambda one: _nearness(question, one),
            )
            return [SearchItem(**_fields_of(one), score=one.score) for one in documents]
        if isinstance(op, ListNamespacesOp):
            return self._namespaces(op)
        if isinstance(op, PutOp):
            return None
        raise ValueError(f"Unknown operation type: {type(op)}")

    def _namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        found = [namespace[1:] for namespace in self._documents.namespaces((ROOT,))]
        conditions = op.match_conditions or ()
        found = [one for one in found if all(_matches(condition, one) for condition in conditions)]
        if op.max_depth is not None:
            found = sorted({namespace[: op.max_depth] for namespace in found})
        return found[op.offset : op.offset + op.limit]

    def _write(self, op: PutOp, vectors: Mapping[str, Vector]) -> None:
        namespace = (ROOT, *op.namespace)
        if op.value is None:
            self._documents.delete(namespace, op.key)
            return
        fields = self._fields if op.index is None else op.index
        value, text = op.value, _found_by(op.value, fields)
        texts = self._texts_of(op) if vectors else []
        if made := {one: [round(float(n), 6) for n in vectors[one]] for one in texts}:
            value = {_VALUE: op.value, _VECTORS: made}
            text = text_of(op.value) if text is None else text
        self._documents.put(namespace, op.key, value, text=text, minutes=op.ttl)


def _puts(ops: Sequence[Op]) -> list[PutOp]:
    """What is written; where the same is written twice, the last."""
    return [*{(op.namespace, op.key): op for op in ops if isinstance(op, PutOp)}.values()]


def _own(value: Any) -> Any:
    """A value as it was put."""
    return value[_VALUE] if isinstance(value, Mapping) and _VECTORS in value else value


def _nearness(question: Vector, value: Any) -> float | None:
    """The best cosine of a question with a vector of a value; None where it has none."""
    made = value.get(_VECTORS, {}) if isinstance(value, Mapping) else {}
    found = [one for one in made.values() if isinstance(one, list) and len(one) == len(question)]
    return max((_cosine(question, one) for one in found), default=None)


def _cosine(one: Vector, other: Vector) -> float:
    lengths = math.hypot(*one) * math.hypot(*other)
    return sum(map(mul, one, other)) / lengths if lengths else 0.0


def _fields_of(document: Document) -> dict[str, Any]:
    return {
        "namespace": document.namespace[1:],
        "key": document.key,
        "value": _own(document.value),
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
