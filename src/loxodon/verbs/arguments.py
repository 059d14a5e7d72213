"""What verbs, commands and tools take: each argument with its kind and what it means.

A kind is only a name here, because a cold command loads this: `serve/http/fields.py` checks values
that came as JSON, `serve/cli/parser.py` those that were typed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from loxodon.types import AUDIENCES, CATEGORIES, CHATS, KINDS, ORIGINS

TEXT, TEXTS, WORDS, PATH = "text", "texts", "words", "path"
WHOLE, NUMBER, FLAG = "whole", "number", "flag"
SIZE, CURSOR = "size", "cursor"
MOMENT, MOMENT_OR_NONE = "moment", "moment or none"
TURNS, HISTORY, CONVERSATION = "turns", "history", "conversation"
Kind = str | tuple[str, ...]
"""What an argument can be: one of these, or one of some names. `WORDS` is free text that need not
be quoted on the command line; `PATH` names a file of the machine that the memory is on."""


class Argument(NamedTuple):
    """One argument of a verb, a command or a tool."""

    name: str
    kind: Kind
    about: str
    required: bool = False
    typed: str = ""
    """How it is typed, where that does not follow from its name and kind: `--type`, `QUERY…`."""
    default: Any = None
    """What a command has where it is not typed."""
    most: int = 0
    """Characters that its text may have, or each of its texts, at least one; 0 for any text."""


def shared(written: str, about: str) -> Iterator[Argument]:
    """Arguments of this module by their names (`@TOP @BUDGET`), in other words where some are
    given; `!` makes one needed, `?` not."""
    for name in written.replace("@", "").split():
        found = globals()[name.rstrip("!?")]
        for one in (found,) if isinstance(found, Argument) else found:
            needed = one.required if name[-1] not in "!?" else name[-1] == "!"
            yield one._replace(about=about.strip() or one.about, required=needed)


def joined(paragraph: str) -> list[str]:
    """The lines of a paragraph of a table, which are indented; one that is indented further goes on
    with the one before."""
    return paragraph.replace("\n        ", " ").replace("\n    ", "\n").split("\n")


QUERY = Argument("query", TEXT, "any text; there is no query syntax")
SINCE = Argument("since", MOMENT, "only from this time on")
UNTIL = Argument("until", MOMENT, "only before this time")
LIMIT = Argument("limit", WHOLE, "show the latest N (0 for all)")
PAGE = (
    Argument("limit", SIZE, "maximum number of items on the page"),
    Argument("cursor", CURSOR, "`next` of the previous page; omit it for the first"),
)
VERSION = Argument("version", WHOLE, "fail if the memory is no longer at this version")
LANGUAGE = Argument("language", ("en", "zh"), "language of the page (en)")
CHAT = Argument("chat", CHATS, "who sees the answer; group leaves out private memories")
MESSAGE = Argument("message", TEXT, "the message that the agent will reply to", required=True)
STATE = Argument("state", CONVERSATION, "the state from the previous answer")
EXPLAIN = Argument("explain", FLAG, "also return the trace: how the result was found")
REVEAL = Argument("reveal", FLAG, "show numbers that are normally masked")
TOP = Argument("top", WHOLE, "maximum number of items (10)")
BUDGET = Argument("budget", WHOLE, "maximum number of tokens (1000)", typed="--budget TOKENS")
KIND = Argument("kind", KINDS, "only this kind")
ITEM_KIND = Argument("kind", (*KINDS, "turn", "note"), "only this kind")
FILTERS = (
    Argument("project", TEXT, "only in this project"),
    Argument("topic", TEXT, "only on this topic"),
    Argument("tag", TEXT, "only with this tag"),
    Argument("entity", TEXT, "only about this person, place or thing, by any of its names"),
)
AS_OF = Argument("as_of", MOMENT, "what was known at this time")
PROFILE = Argument("profile", TEXT, "use this ranking (setting recall.profile)")
IN_VIEW = Argument(
    "in_view", TEXTS, "what the agent already sees: turns by text or ref, files by name"
)
LISTED = Argument("state", ("active", "archived", "all"), "which memories to list (active)")
SESSION = Argument("session", TEXT, "only from this session")
CONTENT = Argument("content", TEXT, "what to remember", required=True, most=10_000)
IMPORTANCE = Argument("importance", NUMBER, "how much it matters (0.5)")
CONFIDENCE = Argument("confidence", NUMBER, "how certain it is")
ENTITIES = Argument("entities", TEXTS, "people, places or projects it is about", most=200)
TAGS = Argument("tags", TEXTS, "tags", most=200)
PROJECT = Argument("project", TEXT, "the project it belongs to", most=200)
TOPIC = Argument("topic", TEXT, "the topic within the project", most=200)
CATEGORY = Argument(
    "category", CATEGORIES, "what sort of information it is", typed="--category NAME"
)
EXPIRES = Argument("expires_at", MOMENT_OR_NONE, "when it expires; null for never")
AUDIENCE = Argument(
    "audience", AUDIENCES, "who may see it: private (only you), group (group chats too) or all"
)
ORIGIN = Argument("origin", ORIGINS, "where the text came from (the user, or the agent itself)")
LABELS = (IMPORTANCE, CONFIDENCE, ENTITIES, TAGS, PROJECT, TOPIC, CATEGORY)
VALID_FROM = Argument("valid_from", MOMENT_OR_NONE, "since when it has been true")
VALID_UNTIL = Argument("valid_until", MOMENT_OR_NONE, "until when it was true")
DUE_AT = Argument("due_at", MOMENT_OR_NONE, "when a plan is due")
DONE = Argument("done", FLAG, "whether a plan is done")
TOKEN = Argument(
    "token",
    TEXT,
    "idempotency token: repeating the call with it has no further effect; can also be sent as "
    "the header Idempotency-Key",
)
FORCE = Argument("force", FLAG, "run even if nothing is pending, or after three failures")
IF_DUE = Argument("if_due", FLAG, "run only if it is due")
PHASE = Argument("phase", WHOLE, "run only this phase, 1 to 7")
DRY_RUN = Argument("dry_run", FLAG, "show what would be done, without doing it")
IDS = Argument("ids", TEXTS, "memories (f_…), turns (t_…) or entities (e_…)")
BY_TOPIC = Argument("topic", TEXT, "everything under this topic or tag")
BY_SESSION = Argument("session", TEXT, "everything in this conversation")
ALL = Argument("all", FLAG, "everything")
OP = Argument("op", TEXT, "only entries of this operation, such as recall")
ABOUT_ID = Argument(
    "id", TEXT, "only entries about this memory or message: shows who read it", typed="--id ID"
)
HELD = Argument("limit", WHOLE, "maximum number of entries, newest first (50)")
FORMAT = Argument("format", TEXT, "format of the file; detected if omitted")
WHOSE = Argument(
    "user", TEXT, "only import this person's memories, if the file has several people's"
)
TRY_IMPORT = Argument("dry_run", FLAG, "show what would be imported, without importing")


def names_of(text: str) -> list[str]:
    """Names separated by commas, of either script."""
    return [
        name.strip()
        for name in text.replace("，", ",").replace("、", ",").split(",")
        if name.strip()
    ]
