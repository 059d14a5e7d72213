"""What a model's decision about a known memory means for the store.

A model that was shown a memory may say that something new takes its place, that it is over, or that
it was said again. What was said later than the words it decides from stays all the same, and a
guess never takes the place of a fact: these hold for models as they do for rules.
"""

from __future__ import annotations

from collections.abc import Callable

from loxodon.types import Record
from loxodon.write.extract import Candidate
from loxodon.write.reconcile import Plan, said_at


def decided(candidate: Candidate, target: Record | None, compared: Callable[[], Plan]) -> Plan:
    """The plan for a candidate that a model decided about; `compared` is what the rules make of it,
    for what the model left open."""
    says = bool(candidate.statement.content)
    if target is None or target.state != "active" or target.kind == "summary":
        # It changed while the model was thinking: what is new is still new.
        return compared() if says and candidate.does == "update" else Plan("nothing")
    if candidate.does == "same":
        return Plan("confirm", target)
    if said_at(target) > candidate.said_at:
        return Plan("late", target) if says else Plan("nothing")
    if candidate.does == "end":
        return Plan("nothing", retracted=(target,))
    if candidate.statement.confidence < 1 and target.kind == "fact":
        return Plan("hold", target)
    found = compared()
    if found.target is not None and found.target.id == target.id and found.outcome != "hold":
        return found._replace(outcome="update")
    others = tuple(one for one in found.replaced if one.id != target.id)
    if found.outcome in ("confirm", "update"):  # the new is known already, the old goes
        return found._replace(replaced=(target, *others))
    return found._replace(outcome="add", target=None, replaced=(target, *others))
