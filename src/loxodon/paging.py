"""Lists, a page at a time: what a verb that lists returns, and the cursor that leads to the rest.

    page = memory.list(limit=100)
    while page.next:
        page = memory.list(limit=100, cursor=page.next)

A cursor is the place of an item in the order of its list. It holds no text of the memory and is no
secret: what may be seen is decided anew for every page. What is added meanwhile is found where the
order puts it, and nothing that stays comes twice or is passed over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Generic, NamedTuple, TypeVar

from loxodon.errors import CursorError

Item = TypeVar("Item")
Key = tuple[int | str, ...]  # the place of an item in the order of its list
Slice = tuple[list[Item], Key | None]  # items in order, and the key of the last if more follow

MOST, USUAL = 1_000, 100  # items of one page over HTTP
_LONGEST = 4_000  # characters of a cursor: a path may be in it
_WHOLE = range(-(1 << 63), 1 << 63)


class Order(NamedTuple):
    """How a list is ordered."""

    parts: tuple[type, ...]  # of what type the parts of its keys are
    backwards: bool = False  # pages go back in time while each is in order, as in a chat


# The verbs that list by pages.
ORDERS: Mapping[str, Order] = {
    "list": Order((int, int)),
    "journal": Order((int, int), backwards=True),
    "sessions": Order((int,)),
    "timeline": Order((int, int)),
    "history": Order((int,)),
    "reviews": Order((int, int)),
    "quarantine": Order((int,)),
    "entities": Order((int,)),
    "segments": Order((int, int)),
    "events": Order((str, int, int)),
    "due_reminders": Order((int, int)),
    "receipts": Order((int, str)),
    "audit.entries": Order((int,), backwards=True),
    "workspace.sources": Order((str,)),
}


class Page(list[Item], Generic[Item]):
    """A list, and the cursor of what follows it."""

    def __init__(self, items: Iterable[Item] = (), next: str | None = None) -> None:
        super().__init__(items)
        self.next = next  # the `cursor` of the next page; None if this is the last


def paged(verb: str, cursor: str, read: Callable[[Key | None], Slice[Item]]) -> Page[Item]:
    """The page of a verb's list at `cursor` (empty: the first); `read` gives what comes after a
    key."""
    items, last = read(_key(verb, cursor) if cursor else None)
    if ORDERS[verb].backwards:
        items = items[::-1]
    return Page(items, None if last is None else cursor_of(verb, last))


def cursor_of(verb: str, key: Key) -> str:
    """The cursor of what follows an item."""
    import json
    from base64 import urlsafe_b64encode

    said = json.dumps([verb, *key], ensure_ascii=False, separators=(",", ":"))
    return urlsafe_b64encode(said.encode()).decode("ascii").rstrip("=")


def _key(verb: str, cursor: object) -> Key:
    import json
    from base64 import urlsafe_b64decode

    try:
        if not isinstance(cursor, str) or len(cursor) > _LONGEST:
            raise ValueError
        of, *key = json.loads(urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        if of != verb or [type(part) for part in key] != list(ORDERS[verb].parts):
            raise ValueError
        # Types first: to look for a float in a range goes through all of it
        sound = all(isinstance(part, str) or part in _WHOLE for part in key)
        if not sound or cursor_of(verb, tuple(key)) != cursor:
            raise ValueError
    except (ValueError, TypeError, RecursionError):  # which a UnicodeError is too
        raise CursorError(
            "this cursor does not belong to this list",
            hint="send `next` of the previous page unchanged, or no cursor for the first page",
        ) from None
    return tuple(key)


def cut(items: Iterable[tuple[Key, Item]], limit: int, after: Key | None) -> Slice[Item]:
    """A slice of a whole list, each item with its key, in order: for lists that are short."""
    rest = [(key, item) for key, item in items if after is None or key > after]
    some = rest[:limit] if limit else rest
    return [item for _, item in some], some[-1][0] if len(some) < len(rest) else None
