"""Changes of tags, as they are typed: `+a -b`."""

from __future__ import annotations

from collections.abc import Sequence

from loxodon.errors import UsageError
from loxodon.serve.cli.parser import names_of


def retagged(tags: Sequence[str], changes: Sequence[str]) -> tuple[str, ...]:
    """The tags after `changes`; a UsageError where one of them is none."""
    found = dict.fromkeys(tags)
    for change in changes:
        names = names_of(change[1:])
        if change[:1] not in ("+", "-") or not names:
            raise UsageError(
                "{change} is not a tag change", hint="write +name or -name", change=repr(change)
            )
        for name in names:
            if change[0] == "+":
                found[name] = None
            else:
                found.pop(name, None)
    return tuple(found)
