"""What an agent's hooks ask, and the answer.

A hook gets one JSON object: `session_id`, `transcript_path`, `hook_event_name`, and `prompt` or
`source`. The answer is one too, or nothing. The same names are used by Claude Code, Codex and
Gemini CLI. What is journalled is read from the transcript, as `loxodon follow` does, so that the
two together journal nothing twice.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from loxodon.agents.supported import AGENTS, Action
from loxodon.errors import UsageError
from loxodon.journal.follow import recent, within
from loxodon.journal.transcripts import AGENTS as FOLLOWED
from loxodon.messages import current

if TYPE_CHECKING:
    from loxodon.memory import Memory

LOG = "hooks.log"
_MOST_LOG = 64 << 10
_KEPT_LOG = 100  # Bytes after which the log is cut, and lines that are kept then


def action_of(agent: str, event: str) -> Action:
    """What is done on an event; UsageError for one that is not ours."""
    known = {hook.event: hook.action for hook in AGENTS[agent].hooks} if agent in AGENTS else {}
    if event not in known:
        raise UsageError(
            "there is no hook {event} for {agent}",
            hint="run `loxodon connect {agent}` again",
            event=event,
            agent=agent,
        )
    return known[event]


def answer(
    memory: Memory, agent: str, event: str, request: Mapping[str, object]
) -> tuple[dict[str, object], list[str]]:
    """The answer to a hook, empty where there is nothing to say, and what went wrong."""
    action, path = action_of(agent, event), _transcript(agent, request)
    if action in ("start", "prompt"):
        text = (
            _start(memory, request) if action == "start" else _prompt(memory, agent, path, request)
        )
        told = {"hookEventName": event, "additionalContext": text}
        return ({"hookSpecificOutput": told} if text else {}), []
    if not path:
        return {}, []
    found = memory.workspace.follow_agent(agent, path, known=action == "end")
    return {}, [f"{one.file}:{one.line}: {one.what}" for one in found.problems]


def _transcript(agent: str, request: Mapping[str, object]) -> str:
    """The transcript that a request names, where it is one of the agent's."""
    path = request.get("transcript_path")
    root = os.path.realpath(FOLLOWED[agent].folder(os.environ))
    return path if isinstance(path, str) and within(root, path) else ""


def _start(memory: Memory, request: Mapping[str, object]) -> str:
    """The snapshot; a conversation that goes on has it already."""
    if request.get("source") == "resume" or not memory.list(limit=1):
        return ""
    return memory.snapshot(current())


def _prompt(memory: Memory, agent: str, path: str, request: Mapping[str, object]) -> str:
    """What is remembered for a prompt, without what the agent has before it already."""
    given = request.get("prompt")
    prompt = FOLLOWED[agent].own_words(given).strip() if isinstance(given, str) else ""
    if not prompt or not memory.gate(prompt).recall:
        return ""
    return memory.recall(prompt, in_view=recent(agent, path) if path else ()).context


def note(home: str, line: str) -> None:
    """Put down why a hook did less than it should; the agent goes on without hearing of it."""
    path = os.path.join(home, LOG)
    try:
        lines: list[str] = []
        if os.path.exists(path) and os.path.getsize(path) > _MOST_LOG:
            lines = noted(home)[-_KEPT_LOG:]
        os.makedirs(home, mode=0o700, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | (os.O_TRUNC if lines else os.O_APPEND)
        with os.fdopen(os.open(path, flags, 0o600), "w", encoding="utf-8") as file:
            file.writelines(one + "\n" for one in [*lines, line.replace("\n", " ")])
    except OSError:
        return


def noted(home: str) -> list[str]:
    """What was put down, oldest first."""
    try:
        with open(os.path.join(home, LOG), encoding="utf-8", errors="replace") as file:
            return file.read().splitlines()
    except OSError:
        return []
