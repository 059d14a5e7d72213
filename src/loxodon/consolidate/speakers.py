"""Who is meant by "the user": whoever speaks without a name.

The rules read every message as the user's own. What somebody says who has a name is about them, by
that name, unless it is known to be the user's.
"""

from __future__ import annotations

import re

from loxodon.consolidate.extract import Candidate
from loxodon.language.statements import USER
from loxodon.store.store import Store
from loxodon.text.words import fold
from loxodon.types import ROLES, Turn


def another(store: Store, turn: Turn) -> str:
    """The name of the one who speaks; empty where there is none, or it is the user's."""
    name = turn.speaker.strip()
    if name.casefold() in ("", *ROLES):
        return ""
    known = [fold(one.value) for one in store.latest("about", (USER, "name"), _NAMES) if one.value]
    return "" if any(fold(name) in (one, one.split()[0]) for one in known) else name


_NAMES = 20


def said_by(candidate: Candidate, name: str) -> Candidate:
    """`candidate` as a statement of the person called `name`."""
    statement = candidate.statement
    if statement.quoted:
        content, owned, of = (
            re.sub("^(?:The user|用户)", lambda _: name, statement.content),
            False,
            "",
        )
    elif candidate.language == "zh":
        content = statement.content.replace("用户", name)
        owned = f"用户的{statement.subject}" in statement.content
        of = f"{name}的{statement.subject}"
    else:
        content = _named(statement.content, name)
        owned = f"the user's {statement.subject}".casefold() in statement.content.casefold()
        of = f"{name}'s {statement.subject}"
    subject = name if statement.subject == USER else of if owned else statement.subject
    value = _named(statement.value, name).replace("用户", name)
    statement = statement._replace(content=content, subject=subject, value=value)
    return candidate._replace(statement=statement)


def _named(content: str, name: str) -> str:
    return re.sub(r"\b[Tt]he user\b", lambda _: name, content)
