"""Claude Code, Codex and Gemini CLI: where their transcripts are, and how a line becomes a turn.

Only what a person or the agent said becomes turns. What tools print there is files and builds,
which nobody said, and what programs put into the user's name is taken off. OpenClaw, whose sessions
are branched and may be in a database, is in `openclaw` and `openclaw_db`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import tzinfo
from functools import cache
from typing import Any, NamedTuple

from loxodon.errors import InputError
from loxodon.journal.lines import (
    Entry,
    FileLines,
    Numbered,
    Read,
    Trouble,
    check_name,
    check_text,
    inner,
    objects_in,
    session_of,
    word,
)
from loxodon.types import IN_PROJECT, ORIGIN_OF_ROLE, Draft, Role

_MOST_BLOCKS = 200  # taken off one message; a hostile one may have a million
_TEXT_PARTS = ("text", "Text", "input_text", "output_text")
# How a block that `recall` made begins, what its first line has, and its last line
_RECALLED = (
    ("[Related memories] (", "recalled by Loxodon", "[End of related memories]"),
    ("[相关记忆]（", "Loxodon", "[相关记忆结束]"),
)


class Opening(NamedTuple):
    """What the beginning of a transcript says of all of it, and later parts do not repeat."""

    session: str
    spoken: bool = True  # False where nobody speaks in it but programs
    parent: str = ""  # the session that it begins with a copy of
    person: bool = True  # False while a program speaks in the user's name, where turns tell that
    project: str = ""  # what is worked on


class CodingAgent(NamedTuple):
    """Where an agent keeps its transcripts, and how they are read."""

    title: str
    variable: str  # the environment variable that names its folder
    inside: str  # where its folder is in the one that the variable names; empty for that one
    usual: str
    patterns: tuple[str, ...]
    begins: Callable[[Entry], bool]  # whether a transcript of its may begin with this entry
    said: Callable[[int, Entry, Opening, tzinfo | None], Opening | Draft | None]
    own_words: Callable[[str], str]  # what the person wrote of a message in their name

    def folder(self, environment: Mapping[str, str]) -> str:
        given = environment.get(self.variable, "").strip()
        path = os.path.join(given, self.inside) if given else self.usual
        return os.path.abspath(os.path.expanduser(path))

    def read(self, lines: FileLines, name: str, zone: tzinfo | None) -> Read:
        problems: list[Trouble] = []
        entries = objects_in(lines, problems)
        drafts, bad, _ = self.turns(entries, Opening(session_of(name)), zone)
        return drafts, problems + bad

    def turns(
        self, entries: Iterable[Numbered], opening: Opening, zone: tzinfo | None
    ) -> tuple[list[Draft], list[Trouble], Opening]:
        """The turns in numbered entries; of those with the same id the last counts."""
        found: dict[str, Draft] = {}
        problems: list[Trouble] = []
        for line, entry in entries:
            try:
                said = self.said(line, entry, opening, zone)
            except InputError as error:
                problems.append((line, error))
                continue
            if isinstance(said, Opening):
                opening = said
            elif said and opening.person:
                project = opening.project and IN_PROJECT + opening.project
                session, channel = said.session or opening.session, said.channel or project
                text = said.content.strip()
                found[said.id] = said._replace(content=text, session=session, channel=channel)
        return list(found.values()) if opening.spoken else [], problems, opening


def draft_of(
    line: int, role: Role, text: str, id: str, at: object, zone: tzinfo | None, **more: Any
) -> Draft | None:
    """The turn of something said; None where no words are left. Raises InputError."""
    from loxodon.journal.moments import read_instant, to_zone

    text = without_recalled(text) if role == "user" else text
    if not text.strip():
        return None
    check_text(text)
    moment = to_zone(read_instant(at, zone), zone) if at else None
    draft = Draft(line, role, text, id=id, at=moment, origin=ORIGIN_OF_ROLE[role])._replace(**more)
    for name, field in ((id, "id"), (draft.session, "session"), (draft.speaker, "speaker")):
        check_name(name, field)
    return draft


@cache
def project_at(folder: str) -> str:
    """The name of the repository that a folder is in; empty where it is in none."""
    at = os.path.abspath(folder) if folder and "\0" not in folder else ""
    while at and not os.path.exists(os.path.join(at, ".git")):
        at = os.path.dirname(at) if os.path.dirname(at) != at else ""
    name = os.path.basename(at)[:100]
    return name if name.isprintable() else ""


def _text_in(value: object) -> str:
    """Text, or the text of parts; what has none, such as a picture or a call, is left out."""
    texts: list[str] = []
    for part in value if isinstance(value, list) else [value]:
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, Mapping) and part.get("type", "text") in _TEXT_PARTS:
            texts.append("" if part.get("thought") else word(part, "text"))
    return "\n".join(filter(None, texts))


def without_blocks(text: str, marks: Sequence[tuple[str, str]]) -> str:
    """`text` without what stands between these marks; what never ends goes to the end."""
    for begin, end in marks:
        for _ in range(_MOST_BLOCKS):
            start = text.find(begin)
            if start < 0:
                break
            stop = text.find(end, start)
            text = text[:start] + (text[stop + len(end) :] if stop >= 0 else "")
    return text


def _tags(names: str) -> list[tuple[str, str]]:
    return [(f"<{name}>", f"</{name}>") for name in names.split()]


def without_recalled(text: str) -> str:
    """`text` without the blocks of memories that Loxodon made."""
    for begin, has, end in _RECALLED if "Loxodon" in text else ():
        pieces: list[str] = []
        rest = "\n" + text
        while "\n" + begin in rest:
            before, _, block = rest.partition("\n" + begin)
            inside, closed, after = block.partition("\n" + end)
            if not closed:
                break
            ours = has in inside.partition("\n")[0]
            pieces.append(before if ours else f"{before}\n{begin}{inside}\n{end}")
            rest = after
        text = "".join([*pieces, rest]).removeprefix("\n")
    return text


# -- Claude Code: each line is an object with a type. `user` and `assistant` have a message as the
# API takes it; one answer may be spread over several lines, each with its own id. What was said and
# then taken back by going to an earlier place is in the file, and is read: it was said, and the
# hooks journal a turn before anybody can take it back.

# Lines of agents that the agent calls, put in by programs, summaries, and failures.
_CLAUDE_NOT_SAID = ("isSidechain", "isMeta", "isCompactSummary", "isApiErrorMessage")
# Tags around notes to the model, commands and what they printed, what is open in the editor.
_CLAUDE_PUT_IN = _tags(
    "system-reminder command-name command-message command-args local-command-caveat"
    " local-command-stdout local-command-stderr bash-input bash-stdout bash-stderr"
    " task-notification ide_opened_file ide_selection user-prompt-submit-hook"
)


def _claude_said(line: int, entry: Entry, opening: Opening, zone: tzinfo | None) -> Draft | None:
    role: Role = "user" if entry.get("type") == "user" else "assistant"
    if entry.get("type") != role or any(entry.get(flag) for flag in _CLAUDE_NOT_SAID):
        return None
    # `claude -p` and the SDK are called by programs: what they ask is not what a person said.
    by_program = word(entry, "entrypoint").startswith("sdk")
    if by_program or inner(entry, "origin").get("kind", "human") != "human":
        return None
    message = inner(entry, "message")
    content = message.get("content")
    blocks = content if isinstance(content, list) else []
    # What a tool gave back is handed over in the user's name.
    result = any(isinstance(one, dict) and one.get("type") == "tool_result" for one in blocks)
    if (role == "user" and result) or message.get("model") == "<synthetic>":
        return None
    text = _claude_own_words(_text_in(content)) if role == "user" else _text_in(content)
    # A session that was forked begins with copies, which name what they are copies of.
    copied = inner(entry, "forkedFrom")
    id = word(copied, "messageUuid") or word(entry, "uuid") or str(line)
    session = word(copied, "sessionId") or word(entry, "sessionId")
    project = project_at(word(entry, "cwd"))
    where = {"session": session, "channel": IN_PROJECT + project if project else ""}
    return draft_of(line, role, text, id, entry.get("timestamp"), zone, **where)


def _claude_own_words(text: str) -> str:
    text = without_blocks(text, _CLAUDE_PUT_IN)
    return "" if text.lstrip().startswith("[Request interrupted by user") else text


def is_claude_code(entry: Entry) -> bool:
    if "parentUuid" in entry and "sessionId" in entry:
        return True
    kind = word(entry, "type")
    if kind == "queue-operation":
        return "operation" in entry and "sessionId" in entry
    marks = {"summary": "leafUuid", "file-history-snapshot": "snapshot"}
    return marks.get(kind, "?") in entry


# -- Codex: a line is `{"timestamp", "type", "payload"}`. `event_msg` has what the person typed and
# what the agent answered: as an item that is completed, or in earlier versions as a message, never
# as both. `response_item` has the same as the model gets it, among instructions and files, and is
# not read. Messages have no ids; a rollout is only ever added to, so that a line is one by its
# number. One session may be gone on with by a person and by a program (`codex exec resume`); in
# later versions each turn says which.

_CODEX_SPEAKERS: dict[str, Role] = {
    "UserMessage": "user",
    "AgentMessage": "assistant",
    "user_message": "user",
    "agent_message": "assistant",
}
_CODEX_PUT_IN = _tags("environment_context user_instructions turn_aborted hook_context")
# How a message begins that tells of the editor, and what stands before the person's words
_CODEX_EDITOR = ("# Context from my IDE setup:", "## My request for Codex:")


def _codex_said(
    line: int, entry: Entry, opening: Opening, zone: tzinfo | None
) -> Opening | Draft | None:
    payload, kind = inner(entry, "payload"), word(entry, "type")
    if line == 1:
        source = payload.get("source", "")
        # Where a person types; others are programs: `exec`, servers, agents that agents call.
        person = source in ("cli", "vscode", "")
        session = word(payload, "id") or opening.session
        # What `exec` began a person may go on with.
        spoken, parent = person or source == "exec", word(payload, "forked_from_id")
        return Opening(session, spoken, parent, person, project_at(word(payload, "cwd")))
    if begun := inner(payload, "turn_attribution"):
        by_agent = begun.get("parent_turn_id") or begun.get("initiating_agent_path")
        return opening._replace(person=begun.get("turn_trigger") == "user" and not by_agent)
    if kind != "event_msg" or payload.get("kind", "plain") not in ("plain", None):
        return None
    if word(payload, "type") == "item_completed":
        item = inner(payload, "item")
        speaker, text = word(item, "type"), _text_in(item.get("content"))
    else:
        speaker, text = word(payload, "type"), word(payload, "message")
    role = _CODEX_SPEAKERS.get(speaker)
    if role is None:
        return None
    text = _codex_own_words(text) if role == "user" else text
    return draft_of(line, role, text, str(line), entry.get("timestamp"), zone)


def _codex_own_words(text: str) -> str:
    if text.startswith("# AGENTS.md instructions for "):
        return ""
    begin, words = _CODEX_EDITOR
    if text.startswith(begin) and words in text:
        text = text.partition(words)[2]
    return without_blocks(text, _CODEX_PUT_IN)


# -- Gemini CLI: the first line says of what session it is. The others are messages, each with an id
# and written again when there is more to say of it, or changes to what the first line said (`$set`,
# which may bring the messages as the model has them now: shortened, and with summaries; these are
# not read). What older versions wrote, one JSON object with all messages, is not read either.

_GEMINI_SPEAKERS: dict[str, Role] = {"user": "user", "gemini": "assistant"}
_GEMINI_PUT_IN = _tags("hook_context session_context state_snapshot")
# With these the program itself makes the model go on. They show what the user said last, as if it
# were said again.
_GEMINI_GO_ON = ("System: ", "Please continue.")


def _gemini_said(
    line: int, entry: Entry, opening: Opening, zone: tzinfo | None
) -> Opening | Draft | None:
    if "projectHash" in entry and word(entry, "sessionId"):
        spoken = entry.get("kind") != "subagent"
        return opening._replace(session=word(entry, "sessionId"), spoken=spoken)
    role = _GEMINI_SPEAKERS.get(word(entry, "type"))
    if role is None or not word(entry, "id"):
        return None
    shown, text = entry.get("displayContent"), _text_in(entry.get("content") or "")
    if role == "user":
        if shown and text.startswith(_GEMINI_GO_ON):
            return None
        text = _gemini_own_words(_text_in(shown) if shown else text)
    return draft_of(line, role, text, word(entry, "id"), entry.get("timestamp"), zone)


def _gemini_own_words(text: str) -> str:
    # Files that were named in a message stand below it; a command of the user's is told the model.
    text = text.partition("\n--- Content from referenced files ---")[0]
    text = without_blocks(text, _GEMINI_PUT_IN)
    return "" if text.startswith("I ran the following shell command:\n```sh\n") else text


_CLAUDE = ("Claude Code", "CLAUDE_CONFIG_DIR", "", "~/.claude", ("projects/*/*.jsonl",))
_ROLLOUTS = ("sessions/*/*/*/rollout-*.jsonl", "archived_sessions/rollout-*.jsonl")
_CODEX = ("Codex", "CODEX_HOME", "", "~/.codex", _ROLLOUTS)
_CHATS = ("tmp/*/chats/session-*.jsonl",)
_GEMINI = ("Gemini CLI", "GEMINI_CLI_HOME", ".gemini", "~/.gemini", _CHATS)
AGENTS = {
    "claude-code": CodingAgent(*_CLAUDE, is_claude_code, _claude_said, _claude_own_words),
    "codex": CodingAgent(
        *_CODEX, lambda entry: entry.get("type") == "session_meta", _codex_said, _codex_own_words
    ),
    "gemini-cli": CodingAgent(
        *_GEMINI, lambda entry: "projectHash" in entry, _gemini_said, _gemini_own_words
    ),
}
