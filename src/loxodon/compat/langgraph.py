"""A LangGraph store in a Loxodon home.

    from loxodon import Memory
    from loxodon.compat.langgraph import LoxodonStore

    with Memory.open("~/.loxodon") as memory:
        graph = builder.compile(store=LoxodonStore(memory))

Values are JSON and come back exactly. They are documents of the memory's space: durable, shared
with other processes, and in its exports. A search finds them by their words, in any language,
without an embedder.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from loxodon.compat.filters import langgraph_admits
from loxodon.documents import Document, Documents
from loxodon.errors import ConfigError

if TYPE_CHECKING:
    from loxodon.memory import Memory

try:
    from langgraph.store.base import (  # type: ignore[import-not-found, unused-ignore]
        BaseStore,
        GetOp,
        Item,
        ListNamespacesOp,
        MatchCondition,
        Op,
        PutOp,
        Result,
        SearchItem,
        SearchOp,
        TTLConfig,
        get_text_at_path,
        tokenize_path,
        validate_op_namespace,
    )
except ImportError as error:
    raise ConfigError(
        "the LangGraph store needs {module}, which cannot be imported: {reason}",
        hint="install it with `pip install langgraph`",
        module="langgraph",
        reason=error,
    ) from None

ROOT = "langgraph"
"""What every namespace begins with in the space, which LangGraph keeps to itself."""


class LoxodonStore(BaseStore):  # type: ignore[misc, unused-ignore]
    """A `BaseStore` on a memory, which stays whose it is: closing it is up to the caller.

    `fields` are the parts of a value that it is found by (`["text"]`, `["messages[*].content"]`),
    where `put` names none; all of it without. `ttl` is LangGraph's own; what has expired is not
    told, and is taken away with the next write.
    """

    supports_ttl = True

    def __init__(
        self, memory: Memory, *, fields: list[str] | None = None, ttl: TTLConfig | None = None
    ) -> None:
        self._documents: Documents = memory.documents
        self._fields = fields
        self.ttl_config = ttl

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Do several things at once: all that is read is as it was before what is written."""
        given = list(ops)
        for op in given:
            validate_op_namespace(op)
        results: list[Result] = [self._read(op) for op in given]
        last = {(op.namespace, op.key): op for op in given if isinstance(op, PutOp)}
        if last:
            with self._documents.together():
                for op in last.values():
                    self._write(op)
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """The same, without keeping the event loop waiting."""
        return await asyncio.to_thread(self.batch, list(ops))

    def sweep_ttl(self) -> int:
        """Take away what has expired; how many those were."""
        return self._documents.sweep()

    def _read(self, op: Op) -> Result:
        if isinstance(op, GetOp):
            found = self._documents.get((ROOT, *op.namespace), op.key, refresh=op.refresh_ttl)
            return Item(**_fields_of(found)) if found else None
        if isinstance(op, SearchOp):
            return self._search(op)
        if isinstance(op, ListNamespacesOp):
            return self._namespaces(op)
        if isinstance(op, PutOp):
            return None
        raise ValueError(f"Unknown operation type: {type(op)}")

    def _search(self, op: SearchOp) -> list[SearchItem]:
        conditions: Mapping[str, Any] = op.filter or {}
        found = self._documents.search(
            (ROOT, *op.namespace_prefix),
            op.query or "",
            wanted=(lambda value: langgraph_admits(conditions, value)) if conditions else None,
            limit=op.limit,
            offset=op.offset,
            refresh=op.refresh_ttl,
        )
        return [SearchItem(**_fields_of(one), score=one.score) for one in found]

    def _namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        found = [namespace[1:] for namespace in self._documents.namespaces((ROOT,))]
        conditions = op.match_conditions or ()
        found = [one for one in found if all(_matches(condition, one) for condition in conditions)]
        if op.max_depth is not None:
            found = sorted({namespace[: op.max_depth] for namespace in found})
        return found[op.offset : op.offset + op.limit]

    def _write(self, op: PutOp) -> None:
        namespace = (ROOT, *op.namespace)
        if op.value is None:
            self._documents.delete(namespace, op.key)
            return
        fields = self._fields if op.index is None else op.index
        self._documents.put(
            namespace, op.key, op.value, text=_found_by(op.value, fields), minutes=op.ttl
        )


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
    return "\n".join(
        text for path in fields for text in get_text_at_path(value, tokenize_path(path))
    )


def _matches(condition: MatchCondition, namespace: tuple[str, ...]) -> bool:
    """Whether a namespace begins or ends like a path, of which `*` may be any name."""
    path = tuple(condition.path)
    if condition.match_type not in ("prefix", "suffix"):
        raise ValueError(f"Unsupported match type: {condition.match_type}")
    if len(namespace) < len(path):
        return False
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[-len(path) :]
    return not path or all(wanted in ("*", name) for wanted, name in zip(path, part, strict=True))
