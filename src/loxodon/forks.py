"""What a forked process must not share with the one that it was forked from.

A child has copies of its parent's locks, connections and threads' state, and none of its threads:
a lock that another thread held is held for ever, letting go of a file lock lets go of the parent's,
and SQLite may not even close a connection that was opened before the fork. So whatever holds such a
thing says so here (`tell`), and its `after_fork` is called in every child, before anything else: it
leaves what is the parent's alone, and gets its own when it is next used.
"""

from __future__ import annotations

import os
from typing import Protocol
from weakref import WeakSet


class Holder(Protocol):
    def after_fork(self) -> None:
        """We are in a child: have nothing any more that is the parent's. Must not wait."""
        ...


_holders: WeakSet[Holder] = WeakSet()


def tell(holder: Holder) -> None:
    """Call its `after_fork` in every child that is forked while it lives."""
    _holders.add(holder)


def leave(it: object) -> None:
    """Never let this be destroyed: what that does would be done to the parent's."""
    import ctypes

    ctypes.pythonapi.Py_IncRef(ctypes.py_object(it))


def _in_child() -> None:
    for holder in list(_holders):
        holder.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
