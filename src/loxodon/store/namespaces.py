"""How the namespace of a document is stored as text."""

from __future__ import annotations

from loxodon.store import Namespace


def path_of(namespace: Namespace) -> str:
    """A namespace as the store keeps it: one begins with another where their paths do."""
    return "".join(f"{name.replace('%', '%25').replace('/', '%2F')}/" for name in namespace)


def namespace_at(path: str) -> Namespace:
    """The namespace of a path."""
    return tuple(
        name.replace("%2F", "/").replace("%25", "%") for name in path.removesuffix("/").split("/")
    )
