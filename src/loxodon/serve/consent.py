"""What only the user can allow, and how an agent shows that they did.

An agent confirms no belief, deletes nothing for good and releases nothing from quarantine by
itself. Its program asks the user (MCP calls that elicitation), or the user tells it a code that
`loxodon code` shows in their terminal. A code is for one action on one thing as it reads now. It is
derived from the key of the home, so that none is kept and none can be guessed.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from loxodon.errors import ForbiddenError, InputError, NotFoundError
from loxodon.memory import Memory
from loxodon.messages import t
from loxodon.trust.forget.receipts import counted
from loxodon.trust.rest.keys import Keys, mac

Action = Literal["confirm", "forget", "release"]
_LETTERS = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
"""None of which looks like another."""
_SHOWN = 500
"""Characters of a text that the user is asked about; all of it counts."""


class Question(NamedTuple):
    """Something that the user is asked to allow."""

    action: Action
    id: str
    about: str
    """What it is about, in full: a code is for no other."""
    asked: str
    """The question as the user sees it."""


def question_of(memory: Memory, action: Action, id: str) -> Question:
    """What the user is asked; NotFoundError if nothing has this id, ForbiddenError if it is not for
    whoever asks."""
    memory.for_owner()
    if action == "confirm":
        return _whether_true(memory, id)
    if action == "forget":
        return _whether_to_delete(memory, id)
    return _whether_to_release(memory, id)


def _whether_true(memory: Memory, id: str) -> Question:
    belief = memory.get(id)
    open = [one.against for one in memory.reviews() if one.belief.id == id]
    other = [one for one in open if one.id != id]
    lines = [t("Is this true? {text}", text=_shown(memory, belief.content))]
    lines += [t("It would replace: {text}", text=_shown(memory, one.content)) for one in other]
    about = "\n".join([f"v{belief.version}", belief.content, *(one.id for one in other)])
    return Question("confirm", id, about, "\n".join(lines))


def _whether_to_delete(memory: Memory, id: str) -> Question:
    if not id.startswith(("f_", "b_", "s_", "t_")):
        raise InputError(
            "{id} is neither a memory nor a message",
            hint="use an id such as f_…, b_…, s_… or t_… from `loxodon recall`",
            id=repr(id),
        )
    text = (memory.turn(id) if id.startswith("t_") else memory.get(id)).content
    counts = counted(memory.forget(id, dry_run=True).erased)
    asked = t("Delete this permanently? {text}", text=_shown(memory, text))
    return Question("forget", id, text, asked + "\n" + t("would delete: {counts}", counts=counts))


def _whether_to_release(memory: Memory, id: str) -> Question:
    held = [one for state in ("held", "unclear") for one in memory.quarantine(state, 0)]
    one = next((one for one in held if one.id == id), None)
    if one is None:
        raise NotFoundError(
            "{id} is not in quarantine",
            hint="list the quarantine with `loxodon quarantine`",
            id=repr(id),
        )
    asked = t("May your agent see this text, which was held back? {text}", text=one.text[:_SHOWN])
    return Question("release", id, one.text, asked)


def _shown(memory: Memory, text: str) -> str:
    return memory.guard.shown(text[:_SHOWN], private=True)


def code_of(memory: Memory, question: Question) -> str:
    """What the user tells an agent to allow just this."""
    return _sealed(memory, "code", question)


def state_of(memory: Memory, question: Question) -> str:
    """What an agent's program gives back with the user's answer, so that it is to this question."""
    return _sealed(memory, "state", question)


def _sealed(memory: Memory, use: str, question: Question) -> str:
    words = "\0".join((use, question.action, question.id, question.about))
    keys = Keys(memory.root, memory.config.keys.source)
    digest = mac(keys.key("consent", memory.space), words.encode("utf-8", "surrogatepass"))
    number = int.from_bytes(digest[:5], "big")
    letters = "".join(_LETTERS[number >> 5 * n & 31] for n in range(8))
    return f"{letters[:4]}-{letters[4:]}"


def require(memory: Memory, action: Action, id: str, *, agreed: str, code: str) -> None:
    """Raise ForbiddenError unless the user agreed to just this (`agreed` is the state of the
    question that they answered), or told this code."""
    question = question_of(memory, action, id)
    if agreed and agreed == state_of(memory, question):
        return
    if not code:
        raise ForbiddenError(
            "only the user can allow this",
            hint="ask the user to run `loxodon code {action} {id}` in a terminal and to tell you "
            "the code; then repeat this with the code",
            action=action,
            id=id,
        )
    wanted = code_of(memory, question).replace("-", "")
    if "".join(filter(str.isalnum, code.upper())) != wanted:
        raise ForbiddenError(
            "{code} is not the code for this",
            hint="a code is for one action on one thing as it reads now: ask the user to run "
            "`loxodon code {action} {id}` again",
            action=action,
            id=id,
            code=repr(code[:40]),
        )
