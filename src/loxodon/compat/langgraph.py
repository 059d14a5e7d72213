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

from asyncio import to_thread
from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

from loxodon.compat.documents import Document, Documents
from loxodon.compat.filters import langgraph_admits
from loxodon.errors import ConfigError

if TYPE_CHECKING:
    from loxodon.memory import Memory

try:
    from langgraph.store import base  # type: ignore[import-not-found, unused-ignore]
except ImportError as error:
    raise ConfigError(
        "the LangGraph store needs {module}, which cannot be imported: {reason}",
        hint="install it with `pip install langgraph`",
        module="langgraph",
        reason=error,
    ) from None

ROOT = "langgraph"  # What every namespace begins with in the space, which LangGraph keeps to itself


class LoxodonStore(base.BaseStore):  # type: ignore[misc, unused-ignore]
    """A `BaseStore` on a memory, which stays whose it is: closing it is up to the caller.

    `index` is LangGraph's own: its `fields` are the parts of a value that it is found by
    (`["text"]`, `["messages[*].content"]`), where `put` names none; all of it without. Values are
    kept until they are deleted: there is no `ttl`.
    """

    def __init__(self, memory: Memory, *, index: Any = None) -> None:
        self._documents: Documents = memory.documents
        self.index_config = index
        self._fields: list[str] | None = (index or {}).get("fields")

    def batch(self, ops: Iterable[base.Op]) -> list[base.Result]:
        """Do several things at once: all that is read is as it was before what is written."""
        given = list(ops)
        for op in given:
            base.validate_op_namespace(op)
        results: list[base.Result] = [self._read(op) for op in given]
        # Where the same is written twice, the last counts.
        puts = {(op.namespace, op.key): op for op in given if isinstance(op, base.PutOp)}
        if puts:
            with self._documents.together():
                for op in puts.values():
                    self._write(op)
        return results

    async def abatch(self, ops: Iterable[base.Op]) -> list[base.Result]:
        """The same, without keeping the event loop waiting."""
        return await to_thread(self.batch, list(ops))

    def _read(self, op: base.Op) -> base.Result:
        if isinstance(op, base.GetOp):
            one = self._documents.get((ROOT, *op.namespace), op.key)
            return base.Item(**_fields_of(one)) if one else None
        if isinstance(op, base.SearchOp):
            documents = self._documents.search(
                (ROOT, *op.namespace_prefix),
                op.query or "",
                wanted=partial(langgraph_admits, op.filter) if op.filter else None,
                limit=op.limit,
                offset=op.offset,
            )
            return [base.SearchItem(**_fields_of(one), score=one.score) for one in documents]
        if isinstance(op, base.ListNamespacesOp):
            found = [namespace[1:] for namespace in self._documents.namespaces((ROOT,))]
            paths = op.match_conditions or ()
            found = [one for one in found if all(_matches(path, one) for path in paths)]
            if op.max_depth is not None:
                found = sorted({namespace[: op.max_depth] for namespace in found})
            return found[op.offset : op.offset + op.limit]
        if isinstance(op, base.PutOp):
            return None
        raise ValueError(f"Unknown operation type: {type(op)}")

    def _write(self, op: base.PutOp) -> None:
        namespace = (ROOT, *op.namespace)
        if op.value is None:
            self._documents.delete(namespace, op.key)
            return
        fields = self._fields if op.index is None else op.index
        text: str | None = None  # by all of its words
        if fields is False:
            text = ""
        elif isinstance(fields, list | tuple) and "$" not in fields:
            texts = (one for path in fields for one in base.get_text_at_path(op.value, path))
            text = "\n".join(texts)
        self._documents.put(namespace, op.key, op.value, text=text)


def _fields_of(document: Document) -> dict[str, Any]:
    names = ("key", "value", "created_at", "updated_at")
    return {"namespace": document.namespace[1:], **{one: getattr(document, one) for one in names}}


def _matches(condition: base.MatchCondition, namespace: tuple[str, ...]) -> bool:
    """Whether a namespace begins or ends like a path, of which `*` may be any name."""
    path = tuple(condition.path)
    if condition.match_type not in ("prefix", "suffix"):
        raise ValueError(f"Unsupported match type: {condition.match_type}")
    if len(namespace) < len(path):
        return False
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[-len(path) :]
    return not path or all(wanted in ("*", name) for wanted, name in zip(path, part, strict=True))
