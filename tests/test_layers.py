"""A module imports only what stands on its own layer or below it.

`ARCHITECTURE.md` draws the layers. An import that is only for types does not count: nothing is
loaded by it. One inside a function does.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import loxodon

SOURCE = Path(loxodon.__file__).parent
LAYERS = (
    "errors messages",
    "clock files filelock layout",
    "text tokens",
    "types config spaces",
    "paging",
    "language models.encoder",
    # What is needed to keep text safely, before there is a store.
    """
    guard security.actor security.paths security.keys
    forget.marks forget.names
    """,
    "store",
    "models journal",
    "guard.quarantine guard.speakers security",
    "verbs fields",
    "consolidate",
    "recall",
    "guard.agent_words status compat.documents",
    "agents views notes working jobs imports backup.archive backup.create",
    "backup forget security.inspection security.audit_log old_files",
    """
    memory opening consolidate.journalling consolidate.knowledge
    recall.recalling recall.overviews
    """,
    # What opens memories to make, mend or replace them.
    "views.plain security.encryption backup.restore backup.moving views.restore",
    "client cli compat http jobs.runner mcp proxy __main__",
)
# The imports that go up, and why
UPWARDS = {
    ("memory", "views.plain"): "opening a memory whose engine is off gives the one of plain files",
    ("opening", "security.encryption"): "opening a home finishes an encryption that was cut short",
}
HEIGHT = {name: n for n, names in enumerate(LAYERS) for name in names.split()}


def _layer(module: str) -> int:
    parts = module.split(".")
    for n in range(len(parts), 0, -1):
        if (found := HEIGHT.get(".".join(parts[:n]))) is not None:
            return found
    raise AssertionError(f"{module} is on no layer")


def _modules() -> dict[str, Path]:
    found = {}
    for path in SOURCE.rglob("*.py"):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        if name:
            found[name] = path
    return found


def _is_for_types(test: ast.expr) -> bool:
    return any(isinstance(one, ast.Name) and one.id == "TYPE_CHECKING" for one in ast.walk(test))


def _run(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a module, without what only a type checker reads."""
    left = [tree]
    while left:
        node = left.pop()
        if isinstance(node, ast.If) and _is_for_types(node.test):
            continue
        yield node
        left += ast.iter_child_nodes(node)


def _imported(tree: ast.AST, modules: dict[str, Path]) -> Iterator[str]:
    for node in _run(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("loxodon"):
            package = (node.module or "").removeprefix("loxodon").removeprefix(".")
            for name in node.names:
                inner = f"{package}.{name.name}".removeprefix(".")
                if inner in modules or package:
                    yield inner if inner in modules else package
        elif isinstance(node, ast.Import):
            for name in node.names:
                if name.name.startswith("loxodon."):
                    yield name.name.removeprefix("loxodon.")


def test_no_module_imports_from_above() -> None:
    modules = _modules()
    up = {
        (module, other)
        for module, path in modules.items()
        for other in _imported(ast.parse(path.read_text("utf-8")), modules)
        if _layer(other) > _layer(module)
    }
    assert up == UPWARDS.keys()
    assert [name for name in HEIGHT if name not in modules] == []
