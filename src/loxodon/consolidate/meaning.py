"""What a memory that was written, not said, is about: where its words make one plain statement,
what is said later can confirm it or take its place."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

from loxodon.consolidate.entities import learn
from loxodon.consolidate.phrases import pattern, phrases
from loxodon.consolidate.read import Candidate, fragments_of
from loxodon.consolidate.read import read as read_turn
from loxodon.language.attributes import IMPORTANCE
from loxodon.language.statements import USER, Statement, TurnInContext
from loxodon.store.store import Store
from loxodon.text.bounds import tame
from loxodon.types import Record

MOST_READ = 300  # Characters; what is longer is more than one statement


def weight_of(category: str) -> float:
    """How much what is of a category matters by itself."""
    if category in ("config", "solution", "credential"):
        category = "decision"
    return IMPORTANCE.get("temp" if category == "debug" else category, IMPORTANCE["fact"])


# What is read where nothing is plain
UNREAD = Candidate(Statement("", "", category="", importance=0.0), datetime.min)


def meaning_of(text: str, at: datetime) -> Candidate:
    """What `text`, written at `at`, says; `UNREAD` where that is not plain."""
    if len(text) > MOST_READ or "\n" in text:
        return UNREAD
    found = [one for one, _ in read(as_said(text), at)]
    # `my sister Mei lives in Cork` says also who Mei is, which her memory is filed under.
    subjects = {one.statement.subject for one in found}
    found = [one for one in found if one.statement.value not in subjects]
    if len(found) != 1 or found[0].statement.act not in ("state", "change"):
        return UNREAD
    said = found[0].statement
    named = tuple(one for one in said.mentions if one.name in text and not is_user(one.name))
    subject = USER if is_user(said.subject) else said.subject
    said = said._replace(subject=subject, mentions=named)
    if not said.attribute or said.value not in text:
        said = said._replace(subject="", attribute="", value="", mentions=())
    category = "" if said.category == "fact" else said.category
    basis = text if said.confidence < 1 else ""
    return found[0]._replace(statement=said._replace(category=category, basis=basis))


def revised(record: Record, content: str, at: datetime) -> dict[str, Any]:
    """What else of a memory changes when a person gives it other words."""
    old = record.value
    if not old or old not in record.content or old in content:
        return {}
    said = meaning_of(content, at).statement
    same = (said.subject, said.attribute) == (record.subject, record.attribute)
    new = said.value if same else ""
    fields: dict[str, Any] = {"value": new}
    for name in ("tags", "entities"):
        # `花生` is in the tag `花生过敏` too; where the new value is not plain, such a tag goes.
        told = [one for one in getattr(record, name) if one == old or one not in old]
        names = [one.replace(old, new) if new or old not in one else "" for one in told]
        fields[name] = tuple(dict.fromkeys(filter(None, names)))
    return fields


def is_user(name: str) -> bool:
    return name.casefold() in (USER, "the user", "用户")


def meet(store: Store, said: Statement, now: datetime) -> None:
    """Make known whom a memory is about, under the names that are free. Call inside `writing`."""
    if not said.attribute:
        return
    known = store.entities_named([alias for one in said.mentions for alias in one.aliases])
    mentions = tuple(
        one._replace(aliases=tuple(alias for alias in one.aliases if alias not in known))
        for one in said.mentions
    )
    # Only who is known by an alias would be renamed, and such aliases are left out
    learn(store, said._replace(mentions=mentions), now, lambda old, new: None)


def read(text: str, at: datetime) -> list[tuple[Candidate, list[str]]]:
    """What a text that was said at `at` states, each with the sentences that it was read from."""
    text = tame(text)
    try:
        fragments = fragments_of(0, text)
        found = read_turn(TurnInContext(text, at, fragments)).candidates
    except (ValueError, LookupError, AttributeError, RecursionError):
        return []  # the rules stumbled over it, and it is kept by its words
    return [
        (one, [part.text for part in fragments if part.n in one.statement.fragments])
        for one in found
    ]


_DATED = re.compile(r"\W{0,3}\d{4}-\d{1,2}-\d{1,2}\W{1,3}")
_USER = re.compile(r"(?:the )?user(?P<own>'s|’s)? (?P<verb>\w+)?", re.IGNORECASE)
_FIELD, _VERBS = pattern("fields"), phrases()["verbs"].split()


def as_said(text: str) -> str:
    """A note about the user as the user would say it, which is what the rules read."""
    if text.startswith("用户"):
        return f"我{text.removeprefix('用户')}"
    text = _DATED.sub("", text, count=1) if text[:8].lstrip("[(").startswith("20") else text
    about, field = _USER.match(text), _FIELD.match(text)
    first = text.split(" ", 1)[0]
    if about and about["own"]:
        return f"My {text[about.end('own') :].lstrip()}"
    if about and about["verb"]:
        return f"I {_first_person(about['verb'])}{text[about.end() :]}"
    if field:
        return f"My {field[1].lower()} is {text[field.end() :]}"
    if first.lower() in _VERBS:
        return f"I {_first_person(first.lower())}{text[len(first) :]}"
    return text


def _first_person(verb: str) -> str:
    irregular = {"is": "am", "has": "have", "was": "was", "does": "do"}
    plain = re.sub(r"(?<=ch|sh|ss)es$|(?<=x)es$|(?<=[a-z])ies$|(?<!s)s$", "-", verb)
    return irregular.get(verb) or plain.replace("-", "y" if verb.endswith("ies") else "")
