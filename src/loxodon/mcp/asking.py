"""What an agent may not do without the user: confirm a belief, delete for good, release from
quarantine.

Where the client can show a form (MCP calls that elicitation) the user is asked there. Otherwise the
agent is told the command that the user can run.
"""

from __future__ import annotations

import shlex
from hashlib import sha256
from typing import Literal, NamedTuple

from loxodon.errors import ForbiddenError, InputError, NotFoundError
from loxodon.forget.receipts import counted
from loxodon.memory import Memory
from loxodon.messages import t

Action = Literal["confirm", "forget", "release"]
_SHOWN = 500  # characters of a text in a question


class Question(NamedTuple):
    """Something that the user is asked to allow."""

    asked: str  # the question as the user sees it
    state: str  # differs for every action and for every wording of what it is about
    command: str  # what the user can run instead


def question_of(memory: Memory, action: Action, id: str) -> Question:
    """What the user is asked; NotFoundError if nothing has this id, ForbiddenError if whoever asks
    is not the owner."""
    memory.for_owner()
    asked, about, command = _ASKS[action](memory, id)
    state = sha256("\0".join((action, id, about)).encode("utf-8", "surrogatepass")).hexdigest()
    space = [] if memory.space == "main" else ["--space", memory.space]
    return Question(asked, state, shlex.join(["loxodon", *space, *command]))


def require(memory: Memory, action: Action, id: str, agreed: str) -> None:
    """Raise ForbiddenError unless `agreed` is the state of this question as it reads now."""
    question = question_of(memory, action, id)
    if agreed != question.state:
        raise ForbiddenError(
            "only the user can allow this",
            hint="ask the user to run: {command}",
            command=question.command,
        )


Asked = tuple[str, str, list[str]]
"""A question, all of the words that it is about, and the command that does the same."""


def _whether_true(memory: Memory, id: str) -> Asked:
    belief = memory.get(id)
    open = [one.against for one in memory.reviews() if one.belief.id == id]
    other = [one for one in open if one.id != id]
    lines = [t("Is this true? {text}", text=_shown(memory, belief.content))]
    lines += [t("It would replace: {text}", text=_shown(memory, one.content)) for one in other]
    about = "\n".join([f"v{belief.version}", belief.content, *(one.id for one in other)])
    command = ["review", "--confirm", id, "--version", str(belief.version)]
    return "\n".join(lines), about, command


def _whether_to_delete(memory: Memory, id: str) -> Asked:
    if not id.startswith(("f_", "b_", "s_", "t_")):
        raise InputError(
            "{id} is neither a memory nor a message",
            hint="use an id such as f_…, b_…, s_… or t_… from `loxodon recall`",
            id=repr(id),
        )
    text = (memory.turn(id) if id.startswith("t_") else memory.get(id)).content
    counts = counted(memory.forget(id, dry_run=True).erased)
    asked = t("Delete this permanently? {text}", text=_shown(memory, text))
    return f"{asked}\n{t('would delete: {counts}', counts=counts)}", text, ["forget", id]


def _whether_to_release(memory: Memory, id: str) -> Asked:
    held = [one for state in ("held", "unclear") for one in memory.quarantine(state, 0)]
    one = next((one for one in held if one.id == id), None)
    if one is None:
        raise NotFoundError(
            "{id} is not in quarantine",
            hint="list the quarantine with `loxodon quarantine`",
            id=repr(id),
        )
    asked = t("May your agent see this text, which was held back? {text}", text=one.text[:_SHOWN])
    return asked, one.text, ["quarantine", "release", id]


_ASKS = {"confirm": _whether_true, "forget": _whether_to_delete, "release": _whether_to_release}


def _shown(memory: Memory, text: str) -> str:
    return memory.guard.shown(text[:_SHOWN], private=True)
