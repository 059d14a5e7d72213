"""Whom and what the memories are about, each with a name, other names (`妹妹` for 小美) and a type;
what is known of them is in the memories whose subject they are. And who speaks."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from loxodon.language.statements import USER, Mention, Statement
from loxodon.store.store import Store
from loxodon.text.words import fold
from loxodon.types import KINDS, ROLES, Entity, Turn

if TYPE_CHECKING:
    from loxodon.consolidate.read import Candidate

_NAMES = 20  # Names of the user that are looked at
_FACTS = 200  # Memories that a card is made of, the newest
# Called with an old and a new name of a subject, for the memories about it
Rename = Callable[[str, str], None]


class Attribute(NamedTuple):
    """What something is for an entity, and since when that is known."""

    value: str
    updated_at: datetime


class Card(NamedTuple):
    """An entity with all that is known of it."""

    entity: Entity
    attributes: Mapping[str, Attribute]
    facts: tuple[str, ...]
    beliefs: tuple[str, ...]
    summaries: tuple[str, ...]  # the ids of the memories about it, newest first


def learn(store: Store, statement: Statement, now: datetime, rename: Rename) -> None:
    named = [one for one in statement.mentions if one.name != USER]
    known = {fold(name) for one in named for name in (one.name, *one.aliases)}
    if statement.subject == USER:
        name = (statement.value,) if statement.attribute == "name" and statement.value else ()
        if name or USER not in store.entities_named([USER]):  # nothing else changes it
            named.append(Mention(USER, "person", name))
    elif fold(statement.subject) not in {"", *known}:
        named.append(Mention(statement.subject))
    for mention in named:
        if statement.act == "change" and statement.value == mention.name:
            mention = mention._replace(aliases=())  # `my manager` has been somebody else so far
        _take_in(store, mention, now, rename)


def _take_in(store: Store, mention: Mention, now: datetime, rename: Rename) -> None:
    found = store.entities_named((mention.name, *mention.aliases))
    same = [found[mention.name]] if mention.name in found else []
    name = same[0].name if same else mention.name
    # The sister and Mei turn out to be one. Someone who has the user's name is still someone else.
    for alias in mention.aliases if mention.name != USER else ():
        one = found.get(alias)
        if one and fold(one.name) == fold(alias) and one not in same:
            rename(one.name, name)
            same.append(one)
    for other in same[1:]:
        store.worklog.drop_entity(other.no)
    # Two sisters are two people: a relation leads to the one it first led to.
    own = [alias for alias in mention.aliases if alias not in found or found[alias] in same]
    names = [one for entity in same for one in (entity.name, *entity.aliases)]
    entity = same[0] if same else Entity(name, mention.type, (), now, now)
    type = mention.type if entity.type == "other" else entity.type
    entity = entity._replace(name=name, type=type, aliases=_with(names, own, name))
    store.worklog.put_entity(entity._replace(updated_at=now))


def hand_over(store: Store, statement: Statement, before: Collection[str], now: datetime) -> None:
    """Let `my manager` lead to who is that now, and no more to one of those who were `before`."""
    for mention in statement.mentions if before else ():
        found = store.entities_named((mention.name, *mention.aliases))
        held = {fold(one) for one in mention.aliases}
        entity = found.get(mention.name)
        for alias in mention.aliases:
            old = found.get(alias)
            if entity and old and old != entity and fold(old.name) in map(fold, before):
                left = tuple(one for one in old.aliases if fold(one) not in held)
                store.worklog.put_entity(old._replace(aliases=left, updated_at=now))
                aliases = _with(entity.aliases, [alias], entity.name)
                entity = store.worklog.put_entity(entity._replace(aliases=aliases))


def _with(names: Iterable[str], more: Iterable[str], name: str) -> tuple[str, ...]:
    """Names and more names, each once, without the main one."""
    found = {fold(one): one for one in (*names, *more)}
    found.pop(fold(name), None)
    return tuple(found.values())


def card(store: Store, entity: Entity) -> Card:
    about = store.latest("about", (entity.name,), _FACTS)
    ids = {one.id for one in about}
    named = [one for one in store.latest("entity", entity.name, _FACTS) if one.id not in ids]
    attributes: dict[str, Attribute] = {}
    for record in about:
        lasts = record.positive and record.category not in ("event", "plan", "decision")
        if record.kind == "fact" and record.attribute and record.value and lasts:
            at = record.confirmed_at or record.created_at
            attributes.setdefault(record.attribute, Attribute(record.value, at))
    by_kind = (tuple(o.id for o in (*about, *named) if o.kind == kind) for kind in KINDS)
    return Card(entity, attributes, *by_kind)


def another(store: Store, turn: Turn) -> str:
    """The name of the one who speaks; empty where there is none, or it is the user's."""
    name = turn.speaker.strip()
    if name.casefold() in ("", *ROLES):
        return ""
    known = [fold(one.value) for one in store.latest("about", (USER, "name"), _NAMES) if one.value]
    return "" if any(fold(name) in (one, one.split()[0]) for one in known) else name


def said_by(candidate: Candidate, name: str) -> Candidate:
    """What the rules read as the user's own, as a statement of who is called `name`."""
    statement = candidate.statement
    content, subject = statement.content, statement.subject
    if subject == USER:
        subject = name
    elif not statement.quoted and f"用户的{subject}" in content:
        subject = f"{name}的{subject}"
    elif not statement.quoted and f"the user's {subject}".casefold() in content.casefold():
        subject = f"{name}'s {subject}"
    # Of a quotation only who says it is put in other words
    user = re.compile(r"^(?:The user|用户)" if statement.quoted else r"\b[Tt]he user\b|用户")
    content = user.sub(lambda _: name, content)
    value = re.sub(r"\b[Tt]he user\b|用户", lambda _: name, statement.value)
    statement = statement._replace(content=content, subject=subject, value=value)
    return candidate._replace(statement=statement)
