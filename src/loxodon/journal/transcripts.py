"""Claude Code, Codex and Gemini CLI: where their transcripts are, and how a line becomes a turn.

Only what a person or the agent said becomes turns. What tools print there is files and builds,
which nobody said, and what programs put into the user's name is taken off. The words by which all
that is known are in `agents.toml`. OpenClaw, whose sessions are branched and may be in a database,
is in `openclaw` and `openclaw_db`.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import tzinfo
from functools import cache
from typing import Any, NamedTuple

from loxodon.errors import InputError
from loxodon.journal import lines
from loxodon.journal.lines import Entry, FileLines, Numbered, Read, Trouble, inner, word
from loxodon.types import IN_PROJECT, ORIGIN_OF_ROLE, Draft, Role

with open(os.path.join(os.path.dirname(__file__), "agents.toml"), "rb") as _file:
    WRITTEN: Mapping[str, Any] = tomllib.load(_file)
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


class Message(NamedTuple):
    speaker: str
    text: str
    id: str
    at: object
    session: str = ""
    project: str = ""


class CodingAgent(NamedTuple):
    """Where an agent keeps its transcripts, and how they are read; see `agents.toml`."""

    begins: Callable[[Entry], bool]  # whether a transcript of its may begin with this entry
    said: Callable[[int, Entry, Opening], Opening | Message | None]
    title: str
    variable: str
    inside: str
    usual: str
    patterns: Sequence[str]
    speakers: Mapping[str, Role]
    put_in: Sequence[str]
    not_own: Sequence[str] = ()
    below: str = ""
    editor: Sequence[str] = ()

    def folder(self, environment: Mapping[str, str]) -> str:
        given = environment.get(self.variable, "").strip()
        path = os.path.join(given, self.inside) if given else self.usual
        return os.path.abspath(os.path.expanduser(path))

    def own_words(self, text: str) -> str:
        """What the person wrote of a message in their name."""
        begin, words = self.editor or ("", "")
        if words and text.startswith(begin) and words in text:
            text = text.partition(words)[2]
        text = text.partition(self.below)[0] if self.below else text
        text = without_blocks(text, [(f"<{tag}>", f"</{tag}>") for tag in self.put_in])
        return "" if text.lstrip().startswith(tuple(self.not_own)) else without_recalled(text)

    def read(self, file: FileLines, name: str, zone: tzinfo | None) -> Read:
        problems: list[Trouble] = []
        entries = lines.objects_in(file, problems)
        drafts, bad, _ = self.turns(entries, Opening(lines.session_of(name)), zone)
        return drafts, problems + bad

    def turns(
        self, entries: Iterable[Numbered], opening: Opening, zone: tzinfo | None
    ) -> tuple[list[Draft], list[Trouble], Opening]:
        """The turns in numbered entries; of those with the same id the last counts."""
        found: dict[str, Draft] = {}
        problems: list[Trouble] = []
        for line, entry in entries:
            try:
                said = self.said(line, entry, opening)
                if isinstance(said, Opening):
                    opening = said
                elif said and opening.person and (role := self.speakers.get(said.speaker)):
                    text = self.own_words(said.text) if role == "user" else said.text
                    project = said.project or opening.project
                    where = {"session": said.session or opening.session}
                    where |= {"channel": IN_PROJECT + project} if project else {}
                    draft = draft_of(line, role, text.strip(), said.id, said.at, zone, **where)
                    found |= {draft.id: draft} if draft else {}
            except InputError as error:
                problems.append((line, error))
        return list(found.values()) if opening.spoken else [], problems, opening


def draft_of(
    line: int, role: Role, text: str, id: str, at: object, zone: tzinfo | None, **more: Any
) -> Draft | None:
    """The turn of something said; None where no words are left. Raises InputError."""
    from loxodon.journal.moments import read_instant, to_zone

    if not text.strip():
        return None
    moment = to_zone(read_instant(at, zone), zone) if at else None
    draft = Draft(line, role, text, id=id, at=moment, origin=ORIGIN_OF_ROLE[role])
    return lines.checked(draft._replace(**more))


@cache
def project_at(folder: str) -> str:
    """The name of the repository that a folder is in; empty where it is in none."""
    at = os.path.abspath(folder) if folder and "\0" not in folder else ""
    while at and not os.path.exists(os.path.join(at, ".git")):
        at = os.path.dirname(at) if os.path.dirname(at) != at else ""
    name = os.path.basename(at)[:100]
    return name if name.isprintable() else ""


def without_blocks(text: str, marks: Iterable[Sequence[str]]) -> str:
    """`text` without what stands between these marks; what never ends goes to the end."""
    for begin, end in marks:
        if begin in text:
            block = rf"{re.escape(begin)}.*?(?:{re.escape(end)}|\Z)"
            text = re.sub(block, "", text, flags=re.DOTALL)
    return text


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


def _claude_said(line: int, entry: Entry, opening: Opening) -> Message | None:
    if any(entry.get(flag) for flag in _CLAUDE_NOT_SAID):
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
    if result or message.get("model") == "<synthetic>":
        return None
    # A session that was forked begins with copies, which name what they are copies of.
    copied = inner(entry, "forkedFrom")
    id = word(copied, "messageUuid") or word(entry, "uuid") or str(line)
    session = word(copied, "sessionId") or word(entry, "sessionId")
    project, at = project_at(word(entry, "cwd")), entry.get("timestamp")
    return Message(word(entry, "type"), lines.words_of(content), id, at, session, project)


def is_claude_code(entry: Entry) -> bool:
    marks = {
        "queue-operation": {"operation", "sessionId"},
        "summary": {"leafUuid"},
        "file-history-snapshot": {"snapshot"},
    }
    usual = {"parentUuid", "sessionId"}
    return usual <= entry.keys() or marks.get(word(entry, "type"), usual) <= entry.keys()


# -- Codex: a line is `{"timestamp", "type", "payload"}`. `event_msg` has what the person typed and
# what the agent answered: as an item that is completed, or in earlier versions as a message, never
# as both. `response_item` has the same as the model gets it, among instructions and files, and is
# not read. Messages have no ids; a rollout is only ever added to, so that a line is one by its
# number. One session may be gone on with by a person and by a program (`codex exec resume`); in
# later versions each turn says which.


def _codex_said(line: int, entry: Entry, opening: Opening) -> Opening | Message | None:
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
        speaker, text = word(item, "type"), lines.words_of(item.get("content"))
    else:
        speaker, text = word(payload, "type"), word(payload, "message")
    return Message(speaker, text, str(line), entry.get("timestamp"))


# -- Gemini CLI: the first line says of what session it is. The others are messages, each with an id
# and written again when there is more to say of it, or changes to what the first line said (`$set`,
# which may bring the messages as the model has them now: shortened, and with summaries; these are
# not read). What older versions wrote, one JSON object with all messages, is not read either.

# With these the program itself makes the model go on. They show what the user said last, as if it
# were said again.
_GEMINI_GO_ON = ("System: ", "Please continue.")


def _gemini_said(line: int, entry: Entry, opening: Opening) -> Opening | Message | None:
    if "projectHash" in entry and word(entry, "sessionId"):
        spoken = entry.get("kind") != "subagent"
        return opening._replace(session=word(entry, "sessionId"), spoken=spoken)
    speaker, id = word(entry, "type"), word(entry, "id")
    shown, text = entry.get("displayContent"), lines.words_of(entry.get("content") or "")
    if shown and speaker == "user":
        if text.startswith(_GEMINI_GO_ON):
            return None
        text = lines.words_of(shown)
    return Message(speaker, text, id, entry.get("timestamp")) if id else None


_READERS: dict[str, tuple[Callable[[Entry], bool], Any]] = {
    "claude-code": (is_claude_code, _claude_said),
    "codex": (lambda entry: entry.get("type") == "session_meta", _codex_said),
    "gemini-cli": (lambda entry: "projectHash" in entry, _gemini_said),
}
AGENTS = {name: CodingAgent(*reader, **WRITTEN[name]) for name, reader in _READERS.items()}
