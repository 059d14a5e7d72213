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
    asked: str  # the question as the user sees it
    state: str  # differs for every action and for every wording of what it is about
    command: str  # what the user can run instead


def question_of(memory: Memory, action: Action, id: str) -> Question:
    """What the user is asked; NotFoundError if nothing has this id, ForbiddenError if whoever asks
    is not the owner."""
    memory.store.for_owner()
    if action == "confirm":
        belief = memory.get(id)
        about = f"v{belief.version}\n{belief.content}"
        command = ["review", "--confirm", id, "--version", str(belief.version)]
        asked = t("Is this true? {text}", text=_shown(memory, belief.content))
        for one in memory.reviews():
            if one.belief.id == id != one.against.id:
                about += f"\n{one.against.id}"
                text = _shown(memory, one.against.content)
                asked += "\n" + t("It would replace: {text}", text=text)
    elif action == "forget":
        if not id.startswith(("f_", "b_", "s_", "t_")):
            hint = "use an id such as f_…, b_…, s_… or t_… from `loxodon recall`"
            raise InputError("{id} is neither a memory nor a message", hint=hint, id=repr(id))
        about = (memory.turn(id) if id.startswith("t_") else memory.get(id)).content
        counts = counted(memory.forget(id, dry_run=True).erased)
        asked = t("Delete this permanently? {text}", text=_shown(memory, about))
        asked, command = f"{asked}\n{t('would delete: {counts}', counts=counts)}", ["forget", id]
    else:
        about = next((one.text for one in memory.quarantine(limit=0) if one.id == id), "")
        if not about:
            hint = "list the quarantine with `loxodon quarantine`"
            raise NotFoundError("{id} is not in quarantine", hint=hint, id=repr(id))
        asked = t("May your agent see this text, which was held back? {text}", text=about[:_SHOWN])
        command = ["quarantine", "release", id]
    state = sha256("\0".join((action, id, about)).encode("utf-8", "surrogatepass")).hexdigest()
    space = [] if memory.space == "main" else ["--space", memory.space]
    return Question(asked, state, shlex.join(["loxodon", *space, *command]))


def _shown(memory: Memory, text: str) -> str:
    return memory.guard.shown(text[:_SHOWN], private=True)


def require(memory: Memory, action: Action, id: str, agreed: str) -> None:
    """Raise ForbiddenError unless `agreed` is the state of this question as it reads now."""
    question = question_of(memory, action, id)
    if agreed != question.state:
        hint = "ask the user to run: {command}"
        raise ForbiddenError("only the user can allow this", hint=hint, command=question.command)
