"""Provenance: what a text may become follows from where it came from, never from its wording.

| origin | may become |
|---|---|
| user | the user's facts, preferences, wishes, in the user's own sentences (`own_words.py`) |
| file | the same: the owner's own files |
| relayed | what the user said in a message that a program put together: facts, and wishes in plain
  first-person sentences; any other wish is supposed until the owner confirms it |
| assistant | what the assistant noted; a fact only where the user's words bear it out |
| import | facts; a preference or a standing wish only supposed, until the owner confirms it |
| group, tool, web | nothing by itself: it is found by a recall, fenced, and says whence it came |

What is drawn from several is trusted as the least of them. What is trusted less never changes what
is trusted more: at most it asks (`loxodon review`). What the owner confirms is the owner's word.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from loxodon.messages import t
from loxodon.types import Kind, Origin, Record, Turn

if TYPE_CHECKING:
    from loxodon.consolidate.reconcile import Plan

OWN: tuple[Origin, ...] = ("user", "file")  # whose words are the owner's own
_LEAST_FIRST: tuple[Origin, ...]
_LEAST_FIRST = ("web", "tool", "group", "import", "relayed", "assistant", "file", "user")
_SAID_BY_USER = frozenset({"user", "import", "relayed"})
# Attributes that bind whoever replies
WISHES = frozenset(("rule", "reply_style", "reply_language", "avoids", "form_of_address", "units"))
WISHES |= {"emergency_contact", "safety"}
UNCONFIRMED = 0.6  # how sure one can be of what nobody confirmed
USER, _ASSISTANT = "user", "assistant"  # subjects of what is said of the user and of the agent


def is_own(origin: str) -> bool:
    """Whether a text of this origin is the owner's own word."""
    return origin in OWN


def rank(origin: Origin) -> int:
    """How far an origin is trusted: the more, the higher."""
    # One that nobody knows, in a damaged row, is trusted like the least.
    return _LEAST_FIRST.index(origin) if origin in _LEAST_FIRST else 0


def least(origins: Iterable[Origin]) -> Origin:
    """What is drawn from several is trusted as the least of them."""
    return min(origins, key=rank)


def speaks_for_user(turn: Turn) -> bool:
    """Whether a turn is the user's own words, from which facts are read."""
    return turn.role == "user" and turn.origin in _SAID_BY_USER and bool(turn.content.strip())


def content_origin(turn: Turn) -> Origin:
    """Where what a turn tells comes from."""
    if turn.role == "system":
        return "tool"
    return "user" if turn.origin == "relayed" else turn.origin


def shown_origin(turn: Turn) -> Origin:
    """Whose words a turn is told as."""
    if turn.origin != "relayed":
        return turn.origin
    from loxodon.guard.own_words import others  # most turns have no use for it

    return "relayed" if others(turn.content) else "user"


def voice(turn: Turn) -> str:
    """Who says a turn, by name or role: in the user's role only the user speaks as the user."""
    if turn.speaker or turn.role != "user" or turn.origin in (*_SAID_BY_USER, *OWN):
        return turn.speaker or turn.role
    return "assistant" if turn.origin == "assistant" else ""


def is_context(turn: Turn) -> bool:
    """Whether a turn may tell what the user's next words mean."""
    return turn.role in ("user", "assistant") and turn.origin not in ("tool", "web")


def waits(record: Record) -> bool:
    """Whether a memory is told to nobody until the owner confirms it."""
    return record.trust == "relayed"


def is_wish(category: str, attribute: str) -> bool:
    """Whether a memory would bind or describe whoever replies: a preference or a standing wish."""
    return category == "preference" or attribute in WISHES


def kind_for(origin: Origin, kind: Kind, confidence: float, wish: bool) -> tuple[Kind, float]:
    """The kind and confidence that something learned from `origin` may have."""
    if kind != "fact" or is_own(origin) or not wish:
        return kind, confidence
    return "belief", min(confidence, UNCONFIRMED)


def bounded(plan: Plan, origin: Origin) -> Plan:
    """`plan` without what a statement of this origin may not do to what is trusted more."""
    if is_own(origin):
        return plan
    target = plan.target
    firm = [one for one in plan.of("superseded", "retracted") if rank(one.trust) > rank(origin)]
    outcome = plan.outcome
    if outcome in ("confirm", "update") and target and rank(target.trust) > rank(origin):
        outcome = "nothing"  # it is known already, on better authority
    elif outcome == "add" and firm:
        outcome, target = "hold", firm[0]
    changes = tuple(one for one in plan.changes if rank(one[1].trust) <= rank(origin))
    return plan._replace(outcome=outcome, target=target, changes=changes)


def origin_label(origin: str, language: str) -> str:
    """Where untrusted words came from, for whoever reads them; empty for the owner's own."""
    return {
        "web": t("from a web page", language),
        "tool": t("from a tool", language),
        "group": t("from a group chat", language),
        "import": t("from an import", language),
        "relayed": t("passed on by a program", language),
        "assistant": t("noted by the assistant", language),
    }.get(origin, "")


# Messages that a program put together. The user's own sentences are enough for a fact. What binds
# whoever replies must be a plain sentence in the first person besides: a page that was put in
# without a mark gives orders (`always reply in Latin`) or speaks of `the user`.


def is_users_statement(category: str, attribute: str, subject: str, said: Sequence[str]) -> bool:
    """Whether the sentences `said`, in the user's own words, make a statement the user's."""
    if said and is_first_person(said[0]):  # a sentence may have been cut
        return True
    if is_wish(category, attribute) or subject == _ASSISTANT:
        return False
    return subject != USER or all(map(is_of_oneself, said))


def is_of_oneself(sentence: str) -> bool:
    """Whether a sentence may be what somebody tells of themselves, with or without `I`."""
    from loxodon.guard.own_words import words  # a recall has no use for it

    return is_first_person(sentence) or words("not_of_oneself").search(sentence) is None


def is_first_person(sentence: str) -> bool:
    """Whether a sentence is one that somebody says of themselves: `I want …`, `我希望…`."""
    from loxodon.guard.own_words import words  # a recall has no use for it

    return words("told_of_oneself").match(sentence) is not None
