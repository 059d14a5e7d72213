"""Lists, a page at a time: what a verb that lists returns, and the cursor that leads to the rest.

    page = memory.list(limit=100)
    while page.next:
        page = memory.list(limit=100, cursor=page.next)

A cursor is the place of an item in the order of its list, so nothing that stays comes twice or is
passed over. It is no secret: what may be seen is decided anew for every page.
"""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Generic, TypeVar

from loxodon.errors import InputError

Item = TypeVar("Item")
Key = tuple[int | str, ...]  # the place of an item in the order of its list
Slice = tuple[list[Item], Key | None]  # items in order, and the key of the last if more follow

MOST, USUAL = 1_000, 100  # items of one page over HTTP
_LONGEST = 4_000  # characters of a cursor: a path may be in it
_WHOLE = range(-(1 << 63), 1 << 63)
# The verbs that list by pages, with the types of the parts of their keys.
ORDERS: Mapping[str, tuple[type, ...]] = {
    "list": (int, int),  # the time of creation, the number; newest first
    "journal": (int, int),  # the time, the number; newest first
    "sessions": (int,),  # the number; the one begun last first
    "timeline": (int, int),
    "history": (int,),  # the place in the list
    "reviews": (int, int),  # when it was asked, the number of the belief
    "quarantine": (int,),  # the number; newest first
    "entities": (int,),  # the number
    "segments": (int, int),  # the beginning, the number
    "events": (str, int, int),  # the day, the time, the number
    "due_reminders": (int, int),  # when it is due, the number
    "receipts": (int, str),  # the time, the id; newest first
    "audit.entries": (int,),  # the number
    "workspace.sources": (str,),  # the path
}
# Their pages go back in time while each is in order, as in a chat.
BACKWARDS = frozenset({"journal", "audit.entries"})


class Page(list[Item], Generic[Item]):
    """A list, and the cursor of what follows it."""

    def __init__(self, items: Iterable[Item] = (), next: str | None = None) -> None:
        super().__init__(items)
        self.next = next  # the `cursor` of the next page; None if this is the last


def paged(verb: str, cursor: str, read: Callable[[Key | None], Slice[Item]]) -> Page[Item]:
    """The page of a verb's list at `cursor`; `read` gives what comes after a key."""
    items, last = read(_key(verb, cursor) if cursor else None)
    following = None if last is None else cursor_of(verb, last)
    return Page(items[::-1] if verb in BACKWARDS else items, following)


def cursor_of(verb: str, key: Key) -> str:
    said = json.dumps([verb, *key], ensure_ascii=False, separators=(",", ":"))
    return urlsafe_b64encode(said.encode()).decode("ascii").rstrip("=")


def _key(verb: str, cursor: str) -> Key:
    with suppress(ValueError, TypeError, RecursionError):
        of, *key = json.loads(urlsafe_b64decode(cursor[:_LONGEST] + "=" * (-len(cursor) % 4)))
        # Types first: to look for a float in a range goes through all of it
        sound = of == verb and tuple(map(type, key)) == ORDERS[verb]
        sound = sound and all(isinstance(part, str) or part in _WHOLE for part in key)
        if sound and cursor_of(verb, tuple(key)) == cursor:
            return tuple(key)
    hint = "send `next` of the previous page unchanged, or no cursor for the first page"
    raise InputError("this cursor does not belong to this list", hint=hint)


def cut(items: Iterable[tuple[Key, Item]], limit: int, after: Key | None) -> Slice[Item]:
    """A slice of a whole list, each item with its key, in order: for lists that are short."""
    rest = [(key, item) for key, item in items if after is None or key > after]
    some = rest[:limit] if limit else rest
    return [item for _, item in some], some[-1][0] if len(some) < len(rest) else None
