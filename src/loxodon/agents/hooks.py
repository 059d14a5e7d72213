"""What an agent's hooks ask, and the answer.

A hook gets one JSON object: `session_id`, `transcript_path`, `cwd`, `hook_event_name`, and `prompt`
or `source`. The answer is one too, or nothing. The same names are used by Claude Code, Codex and
Gemini CLI. What is journalled is read from the transcript, as `loxodon follow` does, so that the
two together journal nothing twice.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from loxodon import files
from loxodon.agents.supported import AGENTS, Action, command_of
from loxodon.consolidate.pages import told_in
from loxodon.errors import BusyStoreError, NotFoundError, UsageError
from loxodon.journal.follow import recent
from loxodon.journal.transcripts import AGENTS as FOLLOWED
from loxodon.journal.transcripts import project_at
from loxodon.messages import current, tn
from loxodon.security.paths import is_inside

if TYPE_CHECKING:
    from loxodon.memory import Memory

LOG = "hooks.log"
TOLD = "hook-sessions.json"
WAIT = 1.0  # seconds that a hook waits for others who write
_LEARNING = 3.0  # seconds that a start waits for what was just said to become known
_SESSIONS = 50  # that are remembered in `TOLD`
_STARTED: list[subprocess.Popen[bytes]] = []  # what still learns
_KEPT_LOG = 100  # lines


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
    folder, session = request.get("cwd"), str(request.get("session_id", ""))
    project = project_at(folder) if isinstance(folder, str) else ""
    memory.workspace.store.wait_at_most(WAIT)
    problems: list[str] = []
    if path and action != "prompt":
        # A start also takes up what a session that was killed has left.
        known = action in ("start", "end")
        try:
            found = memory.workspace.follow_agent(agent, path, known=known, project=project)
            problems = [f"{one.file}:{one.line}: {one.what}" for one in found.problems]
        except (BusyStoreError, NotFoundError) as error:  # the transcript stays: it is read later
            problems = [error.localized()[0]]
    if action == "prompt":
        return _prompt(memory, agent, path, request, project, event), problems
    if action == "end" or (action == "turn" and memory.flush_due()):
        learn(memory)
    # A conversation that goes on has the snapshot already.
    if action != "start" or request.get("source") == "resume":
        return {}, problems
    learn(memory, WAIT if problems else _LEARNING)
    text = memory.snapshot(current(), project=project) if memory.list(limit=1) else ""
    if not text:
        return {}, problems
    told = {"hookEventName": event, "additionalContext": text}
    _put_told(memory.home, session, told_in(memory.workspace.store, text))
    return {"hookSpecificOutput": told}, problems


def _transcript(agent: str, request: Mapping[str, object]) -> str:
    path, folder = request.get("transcript_path"), FOLLOWED[agent].folder(os.environ)
    return path if isinstance(path, str) and is_inside(path, folder) else ""


def _prompt(
    memory: Memory, agent: str, path: str, request: Mapping[str, object], project: str, event: str
) -> dict[str, object]:
    """What is remembered for a prompt and the agent does not have, with a line for the person."""
    given = request.get("prompt")
    prompt = FOLLOWED[agent].own_words(given).strip() if isinstance(given, str) else ""
    if not prompt or not memory.gate(prompt).recall:
        return {}
    told = _told(memory.home).get(str(request.get("session_id", "")), [])
    in_view = [*(recent(agent, path) if path else ()), *told]
    found = memory.recall(prompt, in_view=in_view, here=project)
    if not found.context:
        return {}
    said = tn("Loxodon: {n} memory recalled", "Loxodon: {n} memories recalled", len(found.items))
    return {
        "systemMessage": said,
        "hookSpecificOutput": {"hookEventName": event, "additionalContext": found.context},
    }


def learn(memory: Memory, seconds: float = 0.0) -> None:
    """Make what was just said known, in a process of its own; wait at most `seconds`."""
    if not memory.config.enabled or memory.paused or not memory.schedule.waiting():
        return
    whole = memory.consolidation_due() in ("daily", "overdue", "backlog", "interrupted")
    words = ["consolidate", "--if-due"] if whole else ["schedule", "--run", "flush"]
    process = subprocess.Popen(  # noqa: S603 our own program
        [*command_of(memory.home, memory.space), *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=memory.home if os.path.isdir(memory.home) else None,
        start_new_session=True,
    )
    _STARTED[:] = [one for one in _STARTED if one.poll() is None] + [process]
    with suppress(subprocess.TimeoutExpired):
        process.wait(seconds)


# What the snapshot told each session, by the ids of the memories: it is not recalled again


def _told(home: str) -> dict[str, list[str]]:
    with suppress(OSError, ValueError), open(os.path.join(home, TOLD), encoding="utf-8") as file:
        return dict(json.load(file))
    return {}


def _put_told(home: str, session: str, ids: list[str]) -> None:
    kept = {name: one for name, one in _told(home).items() if name != session}
    newest = dict([*kept.items(), (session, ids)][-_SESSIONS:])
    with suppress(OSError):
        files.replace(os.path.join(home, TOLD), json.dumps(newest).encode(), files.PRIVATE)


# Why hooks did less than they should


def note(home: str, line: str) -> None:
    """Put down why a hook did less than it should; the agent goes on without hearing of it."""
    _put_log(home, [*noted(home), line.replace("\n", " ")])


def _put_log(home: str, lines: list[str]) -> None:
    with suppress(OSError):
        os.makedirs(home, mode=0o700, exist_ok=True)
        text = "".join(f"{one}\n" for one in lines[-_KEPT_LOG:])
        files.replace(os.path.join(home, LOG), text.encode(), files.PRIVATE)


def noted(home: str) -> list[str]:
    path = os.path.join(home, LOG)
    with suppress(OSError), open(path, encoding="utf-8", errors="replace") as file:
        return file.read().splitlines()
    return []


def succeeded(home: str, agent: str, event: str) -> None:
    lines = noted(home)
    left = [line for line in lines if f" {agent} {event}: " not in line]
    if len(left) < len(lines):
        _put_log(home, left)
