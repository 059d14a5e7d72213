"""What an agent can call: a function for each tool, by one or more verbs.

A tool's documentation is what the model is told of it. Its arguments, their types and help are
those of the verbs; what a model must be told differently, or what no verb takes, stands with the
tool. The verbs also say who may use it.

A tool gets the memory, who hears its answer, and what it was given. Where others hear it (`chat` is
not `direct`) a private memory is as if it were not there, and what tells of the user as a whole
(`private`) is not offered.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from loxodon.errors import InputError
from loxodon.guard.own_words import own_words
from loxodon.guard.quarantine import found_in
from loxodon.http.fields import schema_of
from loxodon.http.wire import Schema
from loxodon.mcp import shapes
from loxodon.mcp.asking import Action, require
from loxodon.mcp.shapes import Shape
from loxodon.memory import VERBS, Memory
from loxodon.messages import current
from loxodon.types import Added, Chat
from loxodon.verbs import FLAG, TEXT, WHOLE, Argument, Verb

Given = dict[str, Any]
Run = Callable[[Memory, Chat, Given], Shape]
Show = Callable[[Shape], str]

_LISTED, _MOST_LISTED = 20, 200  # memories of a list, where the agent does not say, and at most
# The keys by which OpenClaw says who hears it, and so what `answer` may tell
_SESSIONS: dict[Chat, str] = {"direct": "main", "group": "group", "room": "room"}
ID = Argument("id", TEXT, "", required=True)
CHANGES: dict[str, Any] = {"overwrites": True, "repeatable": True}


class Tool(NamedTuple):
    name: str
    about: str
    verbs: tuple[Verb, ...]  # what it does with the memory
    takes: tuple[Argument, ...]
    run: Run
    show: Show  # the result as text
    overwrites: bool = False  # whether it changes what is there, rather than adding to it
    repeatable: bool = False  # whether a second call with the same arguments changes nothing more
    private: bool = False  # whether it is for the user alone
    long: bool = False  # whether it can take long; it is then handed `progress`
    journals: bool = False  # whether it journals what was said; it is then handed `session`
    asks: Action | None = None  # what the user has to allow, where an `id` is given

    @property
    def writes(self) -> bool:
        return any(verb.access != "read" for verb in self.verbs)

    @property
    def schema(self) -> Schema:
        """What it takes, in as few words as will do: a model reads this with every prompt."""
        fields: Schema = {}
        for one in self.takes:
            whole = {**schema_of(one._replace(most=0)), "description": one.about}
            told = ("type", "enum", "items", *(["description"] if one.about else []))
            fields[one.name] = {name: whole[name] for name in told if name in whole}
        needed = [one.name for one in self.takes if one.required]
        more: Schema = {"required": needed} if needed else {}
        return {"type": "object", "properties": fields, **more}

    def asked_for(self, given: Given) -> Action | None:
        """What a call needs the user's consent for; None if it needs none."""
        needed = given.get("id") and given.get("decision", "confirm") == "confirm"
        return self.asks if needed else None


TOOLS: list[Tool] = []


def tool(
    verbs: str,
    *own: Argument,
    show: Show = shapes.plain_text,
    bare: str = "",
    told: Mapping[str, str] = {},
    **traits: Any,
) -> Callable[[Run], Run]:
    """Declare a tool with arguments of its own and of its verbs: those that a model is `told` of in
    other words, and the `bare` ones, whose name says it."""
    used = tuple(VERBS[name] for name in verbs.split())
    known = {one.name: one for verb in reversed(used) for one in verb.arguments}
    words = {**told, **dict.fromkeys(bare.split(), "")}
    arguments = (*own, *(known[name]._replace(about=about) for name, about in words.items()))

    def declare(run: Run) -> Run:
        about = " ".join((run.__doc__ or "").split())
        TOOLS.append(Tool(run.__name__, about, used, arguments, run, show, **traits))
        return run

    return declare


@tool(
    "recall journal entities",
    Argument("maxResults", WHOLE, ""),
    Argument("corpus", ("all", "memory", "sessions"), "sessions: past messages only"),
    show=shapes.search_text,
    bare="query",
)
def memory_search(memory: Memory, chat: Chat, given: Given) -> Shape:
    """Search facts, preferences, people, plans, past messages and notes, in any wording. Call it
    before you answer about earlier talks, the user, their people or projects, or something not in
    view (“as we said”, “上次”)."""
    return _answer(memory, chat, "search", given)


@tool(
    "get turn",
    Argument("id", TEXT, "f_…, b_…, s_…, t_…"),
    Argument("path", TEXT, "such as memory/insights.md"),
    Argument("from", WHOLE, "first line"),
    Argument("lines", WHOLE, ""),
)
def memory_get(memory: Memory, chat: Chat, given: Given) -> Shape:
    """Read a memory or message by id, or lines of a file of the workspace by path."""
    if not given.get("path") and not given.get("id"):
        raise InputError("no path or id given", hint="give one of them")
    return _answer(memory, chat, "get", given)


def _answer(memory: Memory, chat: Chat, want: str, given: Given) -> Shape:
    from loxodon.agents.openclaw.answer import answer

    return answer(memory.workspace, {**given, "want": want, "session": _SESSIONS[chat]})


@tool(
    "recall",
    Argument("message", TEXT, "what the user typed, word for word", required=True),
    told={"budget": "in tokens"},
    bare="project",
    journals=True,
)
def recall_context(memory: Memory, chat: Chat, given: Given) -> Shape:
    """Call it with each message of the user, before you reply: what the memory has on it, as one
    block. The message is journalled."""
    session, message = given.pop("session", ""), given.pop("message")
    found = memory.recall(message, chat=chat, in_view=(message,), **given)
    if session and message.strip():  # only now: a message is no memory of itself
        handed_in(memory, session, {"user": message})
    # The words are there once: some clients give their model this in the place of the text.
    told = shapes.picked(found, "context", "tokens", "unsure")
    return {**told, "ids": [one.id for one in found.items]}


@tool("list", told={"since": "ISO 8601"}, bare="kind state tag entity limit")
def list_memories(memory: Memory, chat: Chat, given: Given) -> Shape:
    """List what is known, newest first. To find something by what it says, use memory_search."""
    limit = min(given.pop("limit", _LISTED), _MOST_LISTED)
    found = _seen_in(memory, chat).list(limit=limit + 1, **given)
    return {"memories": [*map(shapes.memory_of, found[:limit])], "more": len(found) > limit}


@tool("history", ID)
def history(memory: Memory, chat: Chat, given: Given) -> Shape:
    """Every version of a memory, oldest first."""
    id = _seen_in(memory, chat).get(given["id"]).id
    found = [  # what it was while it was private stays so
        shapes.picked(one, "version", "at", "change")
        | shapes.picked(one.record, "content", "state", "importance", "confidence")
        for one in memory.history(id)
        if chat == "direct" or one.record.audience != "private"
    ]
    return {"id": id, "versions": found}


@tool("snapshot", bare="language", private=True)
def snapshot(memory: Memory, chat: Chat, given: Given) -> Shape:
    """A page on the user: who they are, what matters now. Read it once, at the start."""
    return {"text": for_agents(memory.snapshot(given.get("language", current())))}


def _seen_in(memory: Memory, chat: Chat) -> Memory:
    """The memory as whoever is listening may know it."""
    return memory if chat == "direct" else memory.within(chat=chat)


@tool(
    "add",
    Argument("user", TEXT, "the user's message, word for word"),
    Argument("assistant", TEXT, "your reply, or its gist"),
    show=shapes.journal_text,
    private=True,
    journals=True,
)
def journal(memory: Memory, chat: Chat, given: Given) -> Shape:
    """Call it after each reply: the memory learns from what the user says. Nothing from tools,
    files or web pages."""
    session = given.pop("session")
    said = {role: text for role, text in given.items() if text.strip()}
    if not said:
        raise InputError("no message given", hint="give `user`, `assistant` or both")
    done = handed_in(memory, session, said)
    return {
        "added": done.added,
        "paused": bool(done.paused),
        "asked": done.asked,  # how many ask to have something forgotten, which was put away
        "unfound": done.unfound,  # what else is asked to be forgotten
        "doubtful": _is_doubtful(said.get("user", "")),  # and so is not taken for the user's words
    }


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
    turns = []
    for role, text in [*said.items()][known:]:
        origin = "relayed" if role == "user" and not _is_doubtful(text) else "assistant"
        turns.append({"role": role, "content": text, "origin": origin})
    return memory.add(turns, session)


def _is_doubtful(text: str) -> bool:
    """Whether what is said to be the user's own words may well be of a page that tricked the agent.
    A few honest wishes are worded like that; those the user confirms."""
    return bool(found_in(own_words(text), "web"))


@tool(
    "remember capture",
    Argument(
        "quote", TEXT, "the user's own words that say it; without them the user has to confirm it"
    ),
    Argument("kind", ("fact", "belief"), "belief: you only suppose it"),
    told={"importance": "0 to 1: 1 for an allergy, 0.7 for preferences", "expires_at": "ISO 8601"},
    show=shapes.memory_text,
    bare="content entities tags audience",
    repeatable=True,
)
def remember(memory: Memory, chat: Chat, given: Given) -> Shape:
    """Keep one thing: when the user asks to (“记住”), corrects you for good, or says what would
    hurt to lose. One statement that can be understood alone: third person, names, absolute dates
    (“The user is allergic to peanuts”). Never a password or key."""
    return shapes.memory_of(memory.remember(**given))


@tool(
    "revise edit archive unarchive",
    ID,
    Argument("archived", FLAG, "true takes it out of recall, false brings it back"),
    told={"version": "refuse if it is no longer this", "valid_until": "ISO 8601"},
    show=shapes.memory_text,
    bare="content importance audience due_at done",
    **CHANGES,
)
def update_memory(memory: Memory, chat: Chat, given: Given) -> Shape:
    """Correct, complete or archive a memory; what it was stays in its history."""
    archived, version = given.pop("archived", None), given.pop("version", None)
    record = _seen_in(memory, chat).get(given.pop("id"))
    if given:
        record = memory.revise(record.id, version=version, **given)
        version = None
    elif archived is None:
        raise InputError("no change given", hint="give a field and its new value")
    if archived is not None:
        change = memory.archive if archived else memory.unarchive
        record = change(record.id, version=version)
    return shapes.memory_of(record)


@tool("forget", ID, private=True, asks="forget", **CHANGES)
def forget(memory: Memory, chat: Chat, given: Given) -> Shape:
    """Erase a memory or message for good, with the words it came from. Only if the user asks for
    that (“彻底忘掉”); they are asked to confirm it."""
    require(memory, "forget", given["id"], given.get("agreed", ""))
    receipt = memory.forget(given["id"])
    files = [f"{one.file}:{one.line}" for one in receipt.files]  # the user's, which we never change
    return {"receipt": receipt.id, "erased": receipt.erased, "files": files}


@tool(
    "reviews confirm reject",
    Argument("id", TEXT, "b_…"),
    Argument("decision", ("confirm", "reject"), ""),
    private=True,
    asks="confirm",
    **CHANGES,
)
def review(memory: Memory, chat: Chat, given: Given) -> Shape:
    """List what waits for the user's word; with id and decision, decide one. The user is asked to
    confirm it."""
    decided: Shape | None = None
    if ("id" in given) != ("decision" in given):
        hint = "give both, or neither"
        raise InputError("an id and a decision must be given together", hint=hint)
    if "id" in given:
        version = memory.get(given["id"]).version  # that the user is asked about, and no later
        decide = memory.reject
        if given["decision"] == "confirm":
            require(memory, "confirm", given["id"], given.get("agreed", ""))
            decide = memory.confirm
        decided = shapes.memory_of(decide(given["id"], version=version))
    waiting = []
    for one in memory.reviews():
        against = shapes.memory_of(one.against) if one.against.id != one.belief.id else None
        belief = shapes.memory_of(one.belief)
        waiting.append({"belief": belief, "against": against, "asked_at": one.asked_at})
    return {"waiting": waiting, "decided": decided}


@tool(
    "quarantine release", Argument("id", TEXT, "q_…"), overwrites=True, private=True, asks="release"
)
def quarantine(memory: Memory, chat: Chat, given: Given) -> Shape:
    """List what is held back of tools, pages and other people, without its words; with an id,
    release one. The user is asked to confirm it."""
    if given.get("id"):
        require(memory, "release", given["id"], given.get("agreed", ""))
        memory.release(given["id"])
    held = []
    for one in memory.quarantine():  # without the words, which are kept from agents above all
        about = shapes.picked(one, "id", "reason", "origin", "at")
        held.append({**about, "source": one.turn or one.memory})
    return {"held": held}


@tool("consolidate", repeatable=True, long=True)
def consolidate(memory: Memory, chat: Chat, given: Given) -> Shape:
    """Learn from new messages now, which also happens by itself. Only if the user asks for it
    (“整理记忆”)."""
    done = memory.consolidate(**given)
    counts = {name: n for name, n in done.counts.items() if n}
    problem = done.problem or done.views
    return {**shapes.picked(done, "ran", "reason", "turns"), "counts": counts, "problem": problem}


def for_agents(text: str) -> str:
    """`text` with tools in the place of commands that an agent cannot type: a command is called
    like a verb."""
    instead = {verb.name: one.name for one in reversed(TOOLS) for verb in one.verbs}
    named = re.compile(r"`loxodon ([a-z-]+)[^`]*`")
    return named.sub(lambda one: f"`{instead[one[1]]}`" if one[1] in instead else one[0], text)
