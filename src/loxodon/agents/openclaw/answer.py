"""What the plugin in OpenClaw asks for, and the answer: one JSON object each way.

The plugin knows nothing of memories: it passes on what OpenClaw asked, with the key of the session
it is in, and OpenClaw gets what comes back. So what may be told to whom is decided here.

| want | with | answer |
|---|---|---|
| prompt | message, history | system: the snapshot; context: memories that belong to it |
| search | query, maxResults, minScore, corpus | results, as `memory_search` gives them |
| get | path, from, lines; or id | text, as `memory_get` gives it |
| remember | text, importance | id and kind: what was remembered, and whether it is believed |
| turn | agent | added: what was journalled of what was said |
| command | name, args | text: what a person is told |
| chat | – | chat: who hears it |

Each has `session`, the key; and `channel`, `sender`, `owners`, `allowed` and `main`, by which
`chats` tells whether the owner alone hears the answer.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Literal

from loxodon.agents.hooks import learn
from loxodon.agents.openclaw.chats import chat_of, owners_of, texts_in
from loxodon.consolidate.pages import told_in
from loxodon.errors import InputError, LoxodonError, NotFoundError
from loxodon.fields import retagged
from loxodon.guard.quarantine import heard, without_held
from loxodon.journal.follow import Followed
from loxodon.journal.lines import word
from loxodon.journal.openclaw import own_words
from loxodon.layout import VIEWS
from loxodon.messages import current, t
from loxodon.notes.index import folders_of
from loxodon.recall.gate import should_recall
from loxodon.security.paths import opened
from loxodon.text.language import language_of
from loxodon.text.quote import clean
from loxodon.types import KINDS, Chat, Item, Kind, Record
from loxodon.views.workspace import Workspace

Answer = dict[str, Any]
_MOST_RESULTS = 50
_MOST_LINES = 2_000
_MOST_BYTES = 8 << 20
_LEARNING = 3.0  # seconds that the first message of a session waits for what was just said
_MOST_HISTORY = 40  # messages that are looked through for what the agent has before it already
# What each corpus that OpenClaw's tool knows is here; there is no wiki.
_CORPORA: dict[str, tuple[Kind | Literal["turn", "note"] | None, ...]] = {
    "all": (None,),
    "sessions": ("turn",),
    "memory": (*KINDS, "note"),  # each by itself: together a turn may stand for its memory
}
# Files that OpenClaw loads by itself, and up to how many characters it does not cut them
_LOADED = {"MEMORY.md": 20_000, "USER.md": 4_000}
_TEXT = (".md", ".txt", ".json", ".jsonl")


def answer(workspace: Workspace, request: Mapping[str, object]) -> Answer:
    want = word(request, "want")
    chat = chat_of(
        word(request, "session"),
        word(request, "channel"),
        word(request, "main"),
        word(request, "sender"),
        owners_of(texts_in(request.get("owners")), texts_in(request.get("allowed"))),
    )
    if want == "chat":
        return {"chat": chat}
    if want == "turn":
        try:
            followed = _follow(workspace, request)
        finally:
            _read_notes(workspace)
        if workspace.memory.flush_due():
            learn(workspace.memory)
        return {"added": followed.added, "problems": [one.what for one in followed.problems]}
    if want not in _ANSWERS:
        raise InputError("the plugin sent an unknown request: {want}", want=repr(want))
    if want == "search":
        _read_notes(workspace)
    if want == "remember" and chat == "direct":
        with suppress(LoxodonError):  # the user's words of this turn may bear it out
            _follow(workspace, request)
    return _ANSWERS[want](_bound(workspace, word(request, "session")), request, chat)


def _follow(workspace: Workspace, request: Mapping[str, object]) -> Followed:
    agent = word(request, "agent")
    return workspace.follow(word(request, "state") or None, (agent,) if agent else ())


def _read_notes(workspace: Workspace) -> None:
    """Read what was written into the agent's notes; what cannot be read now is read later."""
    with suppress(LoxodonError):
        workspace.index()


def _bound(workspace: Workspace, session: str) -> Workspace:
    """The workspace as the agent of a session sees it, where agents are kept apart."""
    parts = session.strip().split(":")
    if workspace.memory.config.workspace.agents != "apart" or workspace.memory.agent:
        return workspace
    agent = parts[1] if parts[0].lower() == "agent" and len(parts) > 1 else ""
    return workspace.memory.within(agent).workspace if agent else workspace


def _whole(request: Mapping[str, object], name: str, default: int, most: int) -> int:
    value = request.get(name)
    if not isinstance(value, int | float) or isinstance(value, bool) or value != value:
        return default
    return int(max(1, min(value, most)))


def _prompt(workspace: Workspace, request: Mapping[str, object], chat: Chat) -> Answer:
    """The snapshot is the owner's: it stays out of every chat that others hear."""
    memory = workspace.memory
    message, _, group = own_words(word(request, "message"))
    chat = "group" if group else chat
    texts = [own_words(text)[0] for text in texts_in(request.get("history"))[-_MOST_HISTORY:]]
    system = context = ""
    if chat == "direct":
        if not texts:  # a session begins: it knows what was said in the one before
            learn(memory, _LEARNING)
        if memory.list(limit=1):
            system = memory.snapshot(language_of(message))
    # whom we know is no secret to the owner alone
    known = workspace.store.entities_named if chat == "direct" else None
    if should_recall(message, known=known).recall:
        if chat == "direct":  # OpenClaw puts these notes whole into the prompt of every such chat
            files = ((name, os.path.join(workspace.path, name)) for name in _LOADED)
            texts += [
                name
                for name, path in files
                if os.path.isfile(path) and os.stat(path).st_size <= _LOADED[name]
            ]
            texts += told_in(workspace.store, system)
        context = memory.recall(message, chat=chat, in_view=texts).context
    return {"system": system, "context": context}


def _search(workspace: Workspace, request: Mapping[str, object], chat: Chat) -> Answer:
    top = _whole(request, "maxResults", workspace.memory.config.recall.top, _MOST_RESULTS)
    corpus = _CORPORA.get(word(request, "corpus") or "all", ())
    found = [
        workspace.memory.recall(word(request, "query"), top, kind=kind, chat=chat)
        for kind in corpus
    ]
    items = sorted((item for one in found for item in one.items), key=lambda item: -item.score)
    best = max((one.score for one in items), default=0.0) or 1.0
    least = request.get("minScore")
    least = least if isinstance(least, int | float) and least == least else 0.0
    results = [_result(one, one.score / best) for one in items[:top] if one.score / best >= least]
    return {"results": results, "unsure": all(one.unsure for one in found)}


def _result(item: Item, score: float) -> Answer:
    """As OpenClaw's own search gives it; `path` is a file and its line, or the id to get it by."""
    source = next((one for one in item.sources if one.file), None)
    line = source.line if source else 1
    return {
        "id": item.id,
        "path": source.file if source else item.id,
        "startLine": line,
        "endLine": line + item.content.count("\n"),
        "score": round(max(score, 0.0), 4),
        "snippet": clean(item.content),
        "source": "sessions" if item.kind == "turn" else "memory",
        "kind": item.kind,
        "at": item.at.isoformat(timespec="seconds"),
        **({"validUntil": f"{item.valid_until:%Y-%m-%d}"} if item.valid_until else {}),
    }


def _remember(workspace: Workspace, request: Mapping[str, object], chat: Chat) -> Answer:
    """The words are the agent's: a fact where the user's own words bear them out."""
    if chat != "direct":
        return {"status": "refused", "reason": t("notes are only kept in a private chat")}
    given = request.get("importance")
    known = isinstance(given, int | float) and not isinstance(given, bool)
    more: dict[str, Any] = {"importance": given} if known else {}
    record = workspace.memory.remember(word(request, "text"), **more)
    return {"status": "ok", "id": record.id, "kind": record.kind, "text": record.content}


def _get(workspace: Workspace, request: Mapping[str, object], chat: Chat) -> Answer:
    path, memory = word(request, "path"), workspace.memory
    is_id = path[:2] in ("f_", "b_", "s_", "t_") and not {"/", "."} & {*path}
    name = word(request, "id") or (path if is_id else "")
    found: Answer = {"status": "ok", "id": name}
    try:
        if name:
            text = _known(workspace, name, chat)
        else:
            first = _whole(request, "from", 1, 1 << 40)
            count = _whole(request, "lines", _MOST_LINES, _MOST_LINES)
            whole = _lines_of(workspace, path, chat, word(request, "workspace"))
            lines = without_held(workspace.store, whole)
            part = lines[first - 1 : first - 1 + count]
            text, about = "\n".join(part), {"lines": len(part), "totalLines": len(lines)}
            found = {"status": "ok", "path": path, "from": first, **about}
    except NotFoundError as error:
        return {"status": "not_found", "path": path or name, "text": "", "reason": str(error)}
    text = memory.guard.clean(text)  # of a file, which anyone may have written
    return found | {"text": memory.guard.shown(text, private=chat == "direct")}


def _known(workspace: Workspace, name: str, chat: Chat) -> str:
    """A memory or a turn; in a group only what was said in one, and memories for all."""
    memory = workspace.memory
    if name.startswith("t_"):
        turn = memory.turn(name)
        if chat != "direct" and turn.chat == "direct":
            raise NotFoundError("no turn with the id {ref}", ref=repr(name))
        return clean(heard(workspace.store, [turn])[0].content)
    record: Record = memory.get(name)
    if chat != "direct" and record.audience == "private":
        raise NotFoundError("no memory with the id {id}", id=repr(name))
    return clean(record.content)


def _lines_of(workspace: Workspace, path: str, chat: Chat, own: str) -> Sequence[str]:
    """The lines of a file of the workspace; groups get none, an agent no views."""
    missing = NotFoundError("file not found in the workspace: {path}", path=repr(path))
    if not path or "\0" in path or chat != "direct":
        raise missing
    others = folders_of(workspace, workspace.memory.config.workspace.others)
    root, agent = own if own in others else workspace.path, workspace.memory.agent
    real, inside = os.path.realpath(os.path.join(root, path)), os.path.realpath(root) + os.sep
    parts = real.removeprefix(inside).split(os.sep)
    of_views = agent and len(parts) > 1 and parts[0].lower() == VIEWS
    hidden = any(part.startswith(".") for part in parts)
    if not real.startswith(inside) or not real.lower().endswith(_TEXT) or hidden or of_views:
        raise missing
    try:
        with os.fdopen(opened(real, root, workspace.memory.home), "rb") as file:
            data = file.read(_MOST_BYTES + 1)
    except OSError:
        raise missing from None
    if len(data) > _MOST_BYTES:
        raise NotFoundError("{path} is too large to read", path=repr(path))
    return data.decode("utf-8-sig", "replace").splitlines()


def _command(workspace: Workspace, request: Mapping[str, object], chat: Chat) -> Answer:
    """What a person is told who types a command; in a group only a recall is answered."""
    name, words, memory = word(request, "name"), word(request, "args").split(), workspace.memory
    if name not in ("recall", "tag", "refresh"):
        raise InputError("the plugin sent an unknown request: {want}", want=repr(name))
    try:
        if name == "recall":
            found = memory.recall(" ".join(words), chat=chat).items if words else ()
            lines = [f"{n}. {_item_line(one)}" for n, one in enumerate(found, 1)]
            text = "\n".join(lines) or t("nothing found")
        elif chat != "direct":
            text = t("this command is only for the owner, in a private chat")
        elif name == "refresh":
            text = memory.profile(current(), refresh=True)
        elif name == "tag" and len(words) > 1:
            record = memory.get(words[0])
            tags = retagged(record.tags, words[1:])
            if tags != record.tags:
                record = memory.edit(record.id, version=record.version, tags=tags)
            shown = ", ".join(record.tags) or "—"
            text = t("{id} now has the tags {tags}", id=record.id, tags=shown)
        else:
            text = t("write it as {usage}", usage="/tag ID +a -b")
    except LoxodonError as error:
        text = "\n".join(filter(None, error.localized()))
    return {"text": text}


def _item_line(item: Item) -> str:
    said = " ".join(clean(item.content).split())
    over = t("until {date}", date=f"{item.valid_until:%Y-%m-%d}") if item.valid_until else ""
    about = [f"{item.at:%Y-%m-%d}", item.id, *([over] if over else [])]
    return f"{said} ({', '.join(about)})"


# What is asked of the memory as the agent of a session sees it
_ANSWERS: dict[str, Callable[[Workspace, Mapping[str, object], Chat], Answer]] = {
    "prompt": _prompt,
    "search": _search,
    "get": _get,
    "remember": _remember,
    "command": _command,
}
