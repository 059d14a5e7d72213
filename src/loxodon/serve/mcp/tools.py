"""What an agent can call: a tool for each thing that it may want, by one or more verbs.

`_TABLE` has a paragraph for each; its verbs say who may use it:

    name | verbs | traits (see `Tool`) | title
    what it is for
    argument kind  what it means; `!` marks what is needed, `@` an argument of a verb

What a tool is called, how it is described and what it answers (`shapes.py`) is made for a model,
which has nothing else to go by. That is why tools are not derived from verbs one by one.

`memory_search` and `memory_get` are shaped as in OpenClaw, and answered by the same function as its
plugin is. A tool gets the memory and who hears its answer. Where others hear it
(`chat` is not `direct`) a private memory is as if it were not there, and what tells of the user as
a whole (`private`) is not offered.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from loxodon.errors import InputError, no_memory
from loxodon.memory import Memory, verb_named
from loxodon.messages import current, t
from loxodon.serve.cli.table import joined
from loxodon.serve.http.fields import kind_of
from loxodon.serve.http.wire import Schema
from loxodon.serve.mcp import shapes
from loxodon.serve.mcp.asking import Action, require
from loxodon.serve.mcp.shapes import (
    Forgotten,
    HeldBack,
    Journalled,
    Known,
    Memories,
    Page,
    Recalled,
    Reviewed,
    Steps,
    Waiting,
    Worked,
)
from loxodon.text.language import language_of
from loxodon.trust.access.tokens import Right
from loxodon.trust.origin.instructions import found_in
from loxodon.trust.origin.own import own_words
from loxodon.types import Added, Chat, Record
from loxodon.verbs import Argument

Given = dict[str, Any]
Run = Callable[[Memory, Chat, Given], Any]

LISTED = 20
_MOST_LISTED = 200
_SESSIONS: dict[Chat, str] = {"direct": "main", "group": "group", "room": "room"}
"""The keys by which OpenClaw says who hears it, and so what `answer` may tell."""


class Tool(NamedTuple):
    """One thing that an agent can call."""

    name: str
    verbs: str
    """What it does with the memory."""
    title: str
    about: str
    takes: tuple[Argument, ...]
    run: Run
    show: Callable[[Any], str]
    """The result as text."""
    overwrites: bool
    """Whether it changes what is there, rather than adding to it."""
    repeatable: bool
    """Whether a second call with the same arguments changes nothing more."""
    private: bool
    """Whether it is for the user alone."""
    long: bool
    """Whether it can take long; it is then handed `progress`."""
    journals: bool
    """Whether it journals what was said, where the server does; it is then handed `session`."""

    @property
    def writes(self) -> bool:
        return any(verb_named(verb).access != "read" for verb in self.verbs.split())

    @property
    def owners(self) -> bool:
        """Whether it is the owner's, as the same is over HTTP: not for an agent, nor a lesser
        token."""
        return all(verb_named(verb).access == "owner" for verb in self.verbs.split())


def schema_of(tool: Tool) -> Schema:
    """What it takes, in as few words as will do: a model reads this with every prompt."""

    def described(one: Argument) -> Schema:
        kind = kind_of(one)
        schema: Schema = {
            name: part for name, part in kind.schema.items() if name in ("type", "enum", "items")
        }
        if kind.nullable:
            schema["type"] = [schema["type"], "null"]
        return {**schema, "description": one.about} if one.about else schema

    found: Schema = {"type": "object", "properties": {o.name: described(o) for o in tool.takes}}
    needed = [one.name for one in tool.takes if one.required]
    return {**found, "required": needed} if needed else found


def offered(chat: Chat, right: Right = "owner", *, journals: bool = True) -> tuple[Tool, ...]:
    """The tools for an agent whose answers are heard in `chat`, and that has a right; where nothing
    is to be journalled, without the one that only does that."""
    found = [one for one in TOOLS if chat == "direct" or not one.private]
    found = [one for one in found if journals or one.name != "journal"]
    if right == "read":
        found = [one for one in found if not one.writes]
    return tuple(one for one in found if right == "owner" or not one.owners)


# What is looked up


def _answer(memory: Memory, chat: Chat, want: str, given: Given) -> Given:
    from loxodon.workspace.openclaw.answer import answer

    return answer(memory.workspace, {**given, "want": want, "session": _SESSIONS[chat]})


def _search(memory: Memory, chat: Chat, given: Given) -> Given:
    return _answer(memory, chat, "search", given)


def _get(memory: Memory, chat: Chat, given: Given) -> Given:
    if not given.get("path") and not given.get("id"):
        raise InputError("no path or id given", hint="give one of them")
    return _answer(memory, chat, "get", given)


def _recall(memory: Memory, chat: Chat, given: Given) -> Recalled:
    """What belongs to a message, before it is journalled: it is no memory of itself."""
    session, message = given.pop("session", ""), given.pop("message")
    found = memory.recall(message, chat=chat, in_view=(message,), **given)
    if session and message.strip():
        handed_in(memory, session, {"user": message})
    return shapes.recalled(found)


def _list(memory: Memory, chat: Chat, given: Given) -> Memories:
    limit = min(given.pop("limit", LISTED) or _MOST_LISTED, _MOST_LISTED)
    if chat == "direct":
        found: Sequence[Record] = memory.list(limit=limit + 1, **given)
    else:
        found = memory.within(chat=chat).list(limit=limit + 1, **given)
    return Memories(tuple(map(shapes.known, found[:limit])), len(found) > limit)


def _history(memory: Memory, chat: Chat, given: Given) -> Steps:
    return history_of(memory, chat, seen(memory, chat, given["id"]).id)


def history_of(memory: Memory, chat: Chat, id: str) -> Steps:
    """The versions of a memory; what it was while it was private stays so."""
    steps = [
        shapes.step(one)
        for one in memory.history(id)
        if chat == "direct" or one.record.audience != "private"
    ]
    return Steps(id, tuple(steps))


def _snapshot(memory: Memory, chat: Chat, given: Given) -> Page:
    return Page(snapshot_page(memory, given.get("language", current())))


def snapshot_page(memory: Memory, language: str) -> str:
    """The snapshot, which tells by what tool there is more."""
    *lines, last = memory.snapshot(language).rsplit("\n", 1)
    return "\n".join([*lines, named_tools(last)])


def seen(memory: Memory, chat: Chat, id: str) -> Record:
    """The memory called `id`, where whoever is listening may know of it; else NotFoundError."""
    record = memory.get(id)
    if chat != "direct" and record.audience == "private":
        raise no_memory(record.id)
    return record


# What was said


def _journal(memory: Memory, chat: Chat, given: Given) -> Journalled:
    session = given.pop("session")
    said = {role: text for role, text in given.items() if text.strip()}
    if not said:
        raise InputError("no message given", hint="give `user`, `assistant` or both")
    done = handed_in(memory, session, said)
    return shapes.journalled(done, doubtful=_is_doubtful(said.get("user", "")))


def handed_in(memory: Memory, session: str, said: Mapping[str, str]) -> Added:
    """Journal what was said, by role and in order, without what was just journalled.

    The agent says what the user typed, and nobody else can: it counts like what a program passes on
    (`relayed`), unless it reads like an instruction that a page would give. Behind a wall they are
    the agent's own words.
    """
    new = [(role, memory.guard.clean(text).strip()) for role, text in said.items()]
    # While the engine is off there is no journal to look into: a message may be added twice then.
    tail = memory.journal(session=session, limit=len(new)) if memory.config.enabled else []
    last = [(one.role, one.content) for one in tail]
    known = next((n for n in range(len(new), 0, -1) if last[-n:] == new[:n]), 0)
    turns = [
        {
            "role": role,
            "content": text,
            "origin": "relayed" if role == "user" and not _is_doubtful(text) else "assistant",
        }
        for role, text in said.items()
    ]
    return memory.add(turns[known:], session)


def _is_doubtful(text: str) -> bool:
    """Whether what is said to be the user's own words may well be of a page that tricked the agent.
    A few honest wishes are worded like that; those the user confirms."""
    return bool(found_in(own_words(text), "web"))


def session_of(memory: Memory, name: str) -> str:
    """The session of today's conversation with the client of this name."""
    return f"mcp-{memory.now():%Y-%m-%d}-{name}"


# What is changed


_ASKS: dict[str, Action] = {"forget": "forget", "review": "confirm", "quarantine": "release"}


def asked_for(tool: str, given: Given) -> Action | None:
    """What a call needs the user's consent for; None if it needs none."""
    if not given.get("id") or (tool == "review" and given.get("decision") != "confirm"):
        return None
    return _ASKS.get(tool)


def _forget(memory: Memory, chat: Chat, given: Given) -> Forgotten:
    """One thing, and only if the user agreed: a slip of an agent erases nothing."""
    require(memory, "forget", given["id"], given.get("agreed", ""))
    receipt = memory.forget(given["id"])
    files = tuple(f"{one.file}:{one.line}" for one in receipt.files)
    return Forgotten(receipt.id, receipt.erased, files)


def _remember(memory: Memory, chat: Chat, given: Given) -> Known:
    """The words are the agent's, whatever they say of the user: that is what they are trusted for.

    Whoever serves says who may be told, where the agent does not.
    """
    return shapes.known(memory.remember(**given))


def _update(memory: Memory, chat: Chat, given: Given) -> Known:
    id = given.pop("id")
    if not given.keys() - {"version"}:
        raise InputError("no change given", hint="give a field and its new value")
    return shapes.known(memory.revise(seen(memory, chat, id).id, **given))


def _archive(memory: Memory, chat: Chat, given: Given) -> Known:
    id = seen(memory, chat, given["id"]).id
    change = memory.unarchive if given.get("undo") else memory.archive
    return shapes.known(change(id))


def _review(memory: Memory, chat: Chat, given: Given) -> Reviewed:
    decided: Record | None = None
    if ("id" in given) != ("decision" in given):
        raise InputError(
            "an id and a decision must be given together", hint="give both, or neither"
        )
    if "id" in given:
        version = memory.get(given["id"]).version  # that the user is asked about, and no later
        if given["decision"] == "confirm":
            require(memory, "confirm", given["id"], given.get("agreed", ""))
            decided = memory.confirm(given["id"], version=version)
        else:
            decided = memory.reject(given["id"], version=version)
    waiting = tuple(map(shapes.waiting, memory.reviews()))
    return Reviewed(waiting, shapes.known(decided) if decided else None)


def _quarantine(memory: Memory, chat: Chat, given: Given) -> HeldBack:
    """That something is held, not what: the words are kept from agents above all."""
    if given.get("id"):
        require(memory, "release", given["id"], given.get("agreed", ""))
        memory.release(given["id"])
    return HeldBack(tuple(map(shapes.held, memory.quarantine())))


def _consolidate(memory: Memory, chat: Chat, given: Given) -> Worked:
    return shapes.worked(memory.consolidate(**given))


def _read_waiting(memory: Memory, chat: Chat, given: Given) -> Waiting:
    """Hand out what waits, or take an answer; with the answer's ticket comes what it did."""
    if not given.get("ticket"):
        found = memory.hand_out()
        return Waiting(found.ticket, found.instructions, found.data, found.left, {}, {})
    done = memory.take_answer(given["ticket"], given.get("answer", ""))
    did, refused = (done.model.did, done.model.refused) if done.model else ({}, {})
    return Waiting("", "", "", done.counts.get("waiting", 0), did, refused)


# The prompt


def recall_prompt(memory: Memory, chat: Chat, message: str, session: str = "") -> str:
    """A message with what the memory has on it put before; it is journalled in a `session`."""
    found = _recall(memory, chat, {"message": message, "session": session})
    told = found.context or t("nothing related was found", language_of(message))
    return f"{told}\n\n{message}"


Done = tuple[Run, Callable[[Any], str]]
_DONE: dict[str, Done] = {
    "memory_search": (_search, shapes.show_hits),
    "memory_get": (_get, shapes.show_text),
    "recall_context": (_recall, shapes.show_recalled),
    "journal": (_journal, shapes.show_journalled),
    "remember": (_remember, shapes.show_known),
    "update_memory": (_update, shapes.show_known),
    "archive_memory": (_archive, shapes.show_known),
    "forget": (_forget, shapes.show_forgotten),
    "list_memories": (_list, shapes.show_memories),
    "history": (_history, shapes.show_steps),
    "review": (_review, shapes.show_reviewed),
    "quarantine": (_quarantine, shapes.show_held),
    "snapshot": (_snapshot, shapes.show_page),
    "consolidate": (_consolidate, shapes.show_worked),
    "read_waiting": (_read_waiting, shapes.show_waiting),
}
"""How a tool is done, and how its result is told."""
_TABLE = f"""
memory_search | recall | | Search the memory
    Search facts, preferences, decisions, people, plans, past messages and notes, in any wording
        and language. Call it before you answer about earlier talks, the user, their people or
        projects, or if something is meant that is not in view (“as we said”, “上次”).
    query text!
    maxResults whole
    corpus all|memory|sessions  sessions: past messages only

memory_get | get turn | | Read from the memory
    Read a memory or message by id, or lines of a file of the workspace by path.
    id text  f_…, b_…, s_…, t_…
    path text  such as memory/insights.md
    from whole  first line
    lines whole

recall_context | recall | journals | Recall what is relevant to a message
    Call it with each message of the user, before you reply: what the memory has on it, as one
        block. The message is journalled.
    message text!  what the user typed, word for word
    budget whole  in tokens
    project text
    since moment  ISO 8601
    until moment

journal | add | private journals | Journal what was said
    Call it after each reply: the memory learns from what the user says. Nothing from tools, files
        or web pages.
    user text  the user's message, word for word
    assistant text  your reply, or its gist

remember | remember | repeatable | Remember something
    Keep one thing. Call it when the user asks to (“remember…”, “记住”), corrects you for good, or
        says something that would hurt to lose. One statement that can be understood alone: third
        person, names, absolute dates (“The user is allergic to peanuts”). Never a password or key.
    content text!
    quote text  the user's words that say it, from a journalled message, word for word; without it
        the user has to confirm it
    kind fact|belief  belief: you only suppose it
    importance number  0 to 1: 1 if it would do harm to forget it (an allergy), 0.7 for
        preferences and decisions
    entities texts  people, places, projects by name
    tags texts
    project text
    @capture.expires_at  ISO 8601
    @capture.audience  private: only the user; all: every agent

update_memory | revise | overwrites repeatable | Change a memory
    Correct or complete a memory; what it was stays in its history.
    id text!
    version whole  refuse if it is no longer this
    content text  the new statement
    importance number
    entities texts
    tags texts
    audience private|group|all
    @capture.expires_at  ISO 8601
    @edit.valid_until  until when it was true
    @edit.due_at  of a plan
    done flag  of a plan

archive_memory | archive unarchive | overwrites repeatable | Archive a memory
    Take a wrong or unwanted memory out of recall (“忘了它吧”). It is kept.
    id text!
    undo flag  bring it back

forget | forget | overwrites repeatable private | Delete permanently
    Erase a memory or message for good, with the words it came from. Only if the user asks for that
        (“彻底忘掉”); they are asked to confirm it.
    id text!

list_memories | list | | List memories
    List what is known, newest first. To find something by what it says, use memory_search.
    kind fact|belief|summary
    state active|archived|all
    project text
    tag text
    entity text  a person, place or thing
    since moment  ISO 8601
    until moment
    limit whole  {LISTED}

history | history | | History of a memory
    Every version of a memory, oldest first.
    id text!

review | reviews confirm reject | overwrites repeatable private | Beliefs to confirm or reject
    List what waits for the user's word; with id and decision, decide one. The user is asked to
        confirm it.
    id text  b_…
    decision confirm|reject

quarantine | quarantine release | overwrites private | Quarantined instructions
    List what is held back of tools, pages and other people, without its words; with an id,
        release one. The user is asked to confirm it.
    id text  q_…

snapshot | snapshot | private | What a conversation starts with
    A page on the user: who they are, what matters now. Read it once, at the start.
    language en|zh

consolidate | consolidate | repeatable long | Consolidate new messages
    Learn from new messages now; it also happens by itself. Only if the user asks (“整理记忆”).

read_waiting | hand_out take_answer | overwrites private | Read unclear messages
    Hand out messages that the rules could not read, with a ticket and instructions; then take your
        answer. Only if the user asks to tidy up the memory.
    ticket text
    answer text  the JSON object, as text
"""


_INSTEAD = {
    "add": "journal",
    "archive": "archive_memory",
    "capture": "remember",
    "consolidate": "consolidate",
    "edit": "update_memory",
    "entities": "memory_search",
    "forget": "forget",
    "get": "memory_get",
    "history": "history",
    "journal": "memory_search",
    "list": "list_memories",
    "quarantine": "quarantine",
    "recall": "memory_search",
    "review": "review",
    "snapshot": "snapshot",
    "unarchive": "archive_memory",
}
"""The tool for what a hint would have a person type."""
_COMMAND = re.compile(r"`loxodon ([a-z-]+)[^`]*`")


def hint_for_agents(hint: str) -> str:
    """A hint that names tools; one with a command that no tool stands for is the user's."""
    told = named_tools(hint)
    return t("for the user: {hint}", hint=told) if _COMMAND.search(told) else told


def named_tools(text: str) -> str:
    """`text` with tools in the place of commands that an agent cannot type."""
    return _COMMAND.sub(lambda one: f"`{_INSTEAD[one[1]]}`" if one[1] in _INSTEAD else one[0], text)


_TRAITS = ("overwrites", "repeatable", "private", "long", "journals")


def _takes(lines: Sequence[str]) -> tuple[Argument, ...]:
    """The arguments that lines of the table have."""
    found = []
    for line in lines:
        spelling, _, about = line.partition("  ")
        if spelling[0] == "@":
            verb, _, name = spelling[1:].rpartition(".")
            one = verb_named(verb).argument(name)
            found.append(one._replace(about=about or one.about))
        else:
            name, kind = spelling.rstrip("!").split()
            names = tuple(kind.split("|"))
            found.append(Argument(name, names if names[1:] else kind, about, spelling[-1] == "!"))
    return tuple(found)


def _tools() -> Iterator[Tool]:
    for paragraph in _TABLE.strip().split("\n\n"):
        head, about, *lines = joined(paragraph)
        name, verbs, traits, title = (one.strip() for one in head.split("|"))
        flags = (one in traits.split() for one in _TRAITS)
        yield Tool(name, verbs, title, about, _takes(lines), *_DONE[name], *flags)


TOOLS: tuple[Tool, ...] = tuple(_tools())
