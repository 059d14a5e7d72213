"""What can be asked over HTTP: the one table, from which routes, checks and descriptions are made.

A path is within `/v1/spaces/{space}`. The fields stand in the query of a GET and in the JSON body
of the others; what stands in braces in the path is handed on under that name. They are called what
the library calls them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple

from loxodon.errors import DamagedStoreError
from loxodon.fields import SENSITIVITIES
from loxodon.memory import Memory
from loxodon.serve.http.fields import (
    CONVERSATION,
    FLAG,
    HISTORY,
    LANGUAGE,
    MOMENT,
    MOMENT_OR_NONE,
    NUMBER,
    TEXT,
    TEXTS,
    TURNS,
    WHOLE,
    Field,
    choice,
)
from loxodon.standing import Stats, Status
from loxodon.store import Note
from loxodon.trust.audit.auditing import AuditEntry
from loxodon.trust.audit.inspection import Inspected, Subject
from loxodon.trust.audit.verifying import Verified
from loxodon.types import (
    AUDIENCES,
    CATEGORIES,
    CHATS,
    KINDS,
    ORIGINS,
    Added,
    Backup,
    Card,
    Consolidated,
    Embedded,
    Entity,
    Event,
    Exported,
    Frame,
    Gate,
    Held,
    Imported,
    Indexed,
    Job,
    Pause,
    Problem,
    Ran,
    Recall,
    Receipt,
    Record,
    Review,
    Segment,
    SourceFile,
    Synced,
    Turn,
    Version,
)

Given = Mapping[str, Any]
Long = Literal["", "kept", "cut"]


class Operation(NamedTuple):
    """One thing that can be asked."""

    name: str
    method: str
    path: str
    about: str
    run: Callable[[Memory, dict[str, Any]], object]
    gives: Any
    """The type of what comes back, for its description."""
    takes: tuple[Field, ...] = ()
    make: bool = False
    """Whether a space that is not there is made; otherwise it is not found."""
    long: Long = ""
    """Work that can take long and tells how it comes along: `kept` where it goes on though whoever
    asked is gone, `cut` where it is then given up."""
    status: int = 200
    local: tuple[str, ...] = ()
    """Fields that name files of this machine: only for the owner of all spaces, who is on it."""


class ProfilePage(NamedTuple):
    """The profile, as Markdown."""

    profile: str


class SnapshotPage(NamedTuple):
    """The snapshot, as Markdown."""

    snapshot: str


class Checked(NamedTuple):
    """What a check of the data found."""

    ok: bool
    problems: list[Problem]


class Touched(NamedTuple):
    """How many of the memories there are."""

    touched: int


class Rebuilt(NamedTuple):
    """How many rows were indexed."""

    indexed: int


class Resumed(NamedTuple):
    """Whether it was paused."""

    resumed: bool


class Due(NamedTuple):
    """Why something is due; empty where it is not."""

    consolidation: str
    flush: str


def _verb(name: str) -> Callable[[Memory, dict[str, Any]], object]:
    """A method of the memory that takes just these fields."""

    def run(memory: Memory, given: dict[str, Any]) -> object:
        found: object = getattr(memory, name)(**given)
        return found

    return run


def _shown(name: str) -> Callable[[Memory, dict[str, Any]], object]:
    """The same for one that gives memories or turns: numbers of people come as masks."""

    def run(memory: Memory, given: dict[str, Any]) -> object:
        reveal = given.pop("reveal", False)
        found: object = getattr(memory, name)(**given)
        return memory.guard.shown_value(found, private=False, reveal=reveal)

    return run


def _workspace(name: str) -> Callable[[Memory, dict[str, Any]], object]:
    def run(memory: Memory, given: dict[str, Any]) -> object:
        found: object = getattr(memory.workspace, name)(**given)
        return found

    return run


def _recall(memory: Memory, given: dict[str, Any]) -> Recall:
    explain = given.pop("explain", False)
    found = memory.recall(**given)
    return found if explain else found._replace(trace=None)


def _context(memory: Memory, given: dict[str, Any]) -> Frame:
    explain = given.pop("explain", False)
    frame = memory.assemble(**given)
    if explain or frame.recall is None:
        return frame
    return frame._replace(recall=frame.recall._replace(trace=None))


def _validate(memory: Memory, given: dict[str, Any]) -> Checked:
    try:
        found = memory.validate(**given)
    except DamagedStoreError as error:
        message, hint = error.localized("en")
        found = [Problem(memory.home, message, hint)]
    return Checked(not found, found)


def _flush(memory: Memory, given: dict[str, Any]) -> Consolidated:
    return memory.flush()


def _profile(memory: Memory, given: dict[str, Any]) -> ProfilePage:
    return ProfilePage(memory.profile(**given))


def _profile_anew(memory: Memory, given: dict[str, Any]) -> ProfilePage:
    return ProfilePage(memory.profile(**given, refresh=True))


def _snapshot(memory: Memory, given: dict[str, Any]) -> SnapshotPage:
    return SnapshotPage(memory.snapshot(**given))


def _touch(memory: Memory, given: dict[str, Any]) -> Touched:
    return Touched(memory.touch(**given))


def _rebuild(memory: Memory, given: dict[str, Any]) -> Rebuilt:
    return Rebuilt(memory.rebuild_index(**given))


def _forget(memory: Memory, given: dict[str, Any]) -> Receipt:
    return memory.forget(*given.pop("ids", ()), **given)


def _resume(memory: Memory, given: dict[str, Any]) -> Resumed:
    return Resumed(memory.resume())


def _due(memory: Memory, given: dict[str, Any]) -> Due:
    return Due(memory.consolidation_due(), memory.flush_due())


def _jobs(memory: Memory, given: dict[str, Any]) -> list[Job]:
    return memory.schedule.jobs()


def _run_job(memory: Memory, given: dict[str, Any]) -> Ran:
    return memory.schedule.run(given["job"])


def _sources(memory: Memory, given: dict[str, Any]) -> list[SourceFile]:
    return memory.workspace.sources()


_LIMIT = Field("limit", WHOLE, "show the latest N entries; 0 for all")
_SINCE = Field("since", MOMENT, "from then on")
_UNTIL = Field("until", MOMENT, "before then")
_VERSION = Field("version", WHOLE, "fail if the memory is no longer at this version")
_LANGUAGE = Field("language", LANGUAGE, "en or zh; en where not given")
_CHAT = Field("chat", choice(*CHATS), "who sees the answer; group leaves out private memories")
_AUDIENCE = Field("audience", choice(*AUDIENCES), "who may be told")
_MESSAGE = Field("message", TEXT, "what was said", required=True)
_STATE = Field("state", CONVERSATION, "the state of the answer before")
_EXPLAIN = Field("explain", FLAG, "with the trace: how it came about")
_REVEAL = Field("reveal", FLAG, "with numbers of people as they are, not as masks")
_ABOUT = (
    Field("importance", NUMBER, "0 to 1: how much it matters"),
    Field("confidence", NUMBER, "0 to 1: how sure it is"),
    Field("entities", TEXTS, "people, places or projects it is about"),
    Field("tags", TEXTS, "tags"),
    Field("project", TEXT, "the project it belongs to"),
    Field("topic", TEXT, "the topic within the project"),
    Field("category", choice(*CATEGORIES), "what sort of thing it is"),
    Field("expires_at", MOMENT_OR_NONE, "when it ends; null for never"),
)
_FILTERS = (
    Field("project", TEXT, "only in this project"),
    Field("topic", TEXT, "only on this topic"),
    Field("tag", TEXT, "only with this tag"),
    Field("entity", TEXT, "only about this person, place or thing"),
    _SINCE,
    _UNTIL,
)
_RECALL = (
    Field("query", TEXT, "any text; there is no query syntax", required=True),
    Field("top", WHOLE, "most items"),
    Field("budget", WHOLE, "most tokens of the context"),
    Field("kind", choice(*KINDS, "turn", "note"), "only this kind"),
    *_FILTERS,
    Field("as_of", MOMENT, "what was known then"),
    Field("profile", TEXT, "with this ranking"),
    _CHAT,
    Field("in_view", TEXTS, "turns that the agent has before it, by their words or refs"),
    _EXPLAIN,
    _REVEAL,
)
_TOKEN = Field(
    "token", TEXT, "the same call with the same one is done once; or as the header Idempotency-Key"
)
_EDIT = (
    _VERSION,
    _TOKEN,
    Field("content", TEXT, "the new words"),
    *_ABOUT,
    Field("subject", TEXT, "whom or what it says something about"),
    Field("attribute", TEXT, "what of it"),
    Field("value", TEXT, "and what that is"),
    _AUDIENCE,
    Field("sensitivity", choice(*SENSITIVITIES), "how sensitive it is"),
    Field("valid_from", MOMENT_OR_NONE, "since when it holds"),
    Field("valid_until", MOMENT_OR_NONE, "until when it held"),
    Field("due_at", MOMENT_OR_NONE, "when a plan is due"),
    Field("done", FLAG, "whether a plan is done"),
)
_FOLDER = Field("folder", TEXT, "write it there; else into the workspace")
_PATH = Field("path", TEXT, "a file, an archive or a folder of this machine", required=True)

OPERATIONS: tuple[Operation, ...] = (
    # What is said
    Operation(
        "add",
        "POST",
        "/turns",
        "Journal turns, in order. What is answered is on disk. A turn the journal already has, by "
        "its id or by its time and words, is not added again.",
        _verb("add"),
        Added,
        (
            Field("turns", TURNS, "the turns, oldest first", required=True),
            Field("session", TEXT, "the session of turns that name none"),
            Field(
                "me",
                TEXTS,
                "the names by which the user speaks in them: theirs are the user's "
                "own words, and those of others who are named are not",
            ),
        ),
        make=True,
    ),
    Operation(
        "journal",
        "GET",
        "/turns",
        "Turns as they were said, oldest first; with a query those that match it, best first.",
        _shown("journal"),
        list[Turn],
        (
            Field("query", TEXT, "any text; there is no query syntax"),
            Field("session", TEXT, "only from this session"),
            _SINCE,
            _UNTIL,
            _LIMIT,
            _REVEAL,
        ),
    ),
    Operation(
        "turn",
        "GET",
        "/turns/{ref}",
        "One turn, by its ref (t_512).",
        _shown("turn"),
        Turn,
        (_REVEAL,),
    ),
    # What is known
    Operation(
        "capture",
        "POST",
        "/memories",
        "Keep a memory as it is given.",
        _shown("capture"),
        Record,
        (
            Field("content", TEXT, "what to remember", required=True),
            Field("kind", choice(*KINDS), "a fact, or a belief that is not certain"),
            *_ABOUT,
            _AUDIENCE,
            Field(
                "origin",
                choice(*ORIGINS),
                "where the words came from: the user's where not given, of an agent its own",
            ),
            _TOKEN,
        ),
        make=True,
        status=201,
    ),
    Operation(
        "list",
        "GET",
        "/memories",
        "Memories, newest first.",
        _shown("list"),
        list[Record],
        (
            Field("kind", choice(*KINDS), "only this kind"),
            Field("state", choice("active", "archived", "all"), "active where not given"),
            Field("audience", choice(*AUDIENCES), "only with this audience"),
            *_FILTERS,
            _LIMIT,
            _REVEAL,
        ),
    ),
    Operation("get", "GET", "/memories/{id}", "One memory.", _shown("get"), Record, (_REVEAL,)),
    Operation(
        "edit",
        "PATCH",
        "/memories/{id}",
        "Change a memory; what it was stays in its history.",
        _shown("edit"),
        Record,
        _EDIT,
    ),
    Operation(
        "archive",
        "POST",
        "/memories/{id}/archive",
        "Take a memory out of ordinary recall; it is kept.",
        _shown("archive"),
        Record,
        (_VERSION,),
    ),
    Operation(
        "unarchive",
        "POST",
        "/memories/{id}/unarchive",
        "Bring an archived memory back.",
        _shown("unarchive"),
        Record,
        (_VERSION,),
    ),
    Operation(
        "history",
        "GET",
        "/memories/{id}/history",
        "Every version of a memory, oldest first.",
        _shown("history"),
        list[Version],
        (_REVEAL,),
    ),
    Operation(
        "confirm",
        "POST",
        "/memories/{id}/confirm",
        "A belief is so: it becomes a fact, and what it contradicts is over.",
        _shown("confirm"),
        Record,
        (_VERSION,),
    ),
    Operation(
        "reject",
        "POST",
        "/memories/{id}/reject",
        "A belief is not so: it is archived.",
        _shown("reject"),
        Record,
        (_VERSION,),
    ),
    Operation(
        "touch",
        "POST",
        "/touch",
        "Note that memories were used.",
        _touch,
        Touched,
        (Field("ids", TEXTS, "the ids of the memories", required=True),),
    ),
    Operation(
        "note",
        "GET",
        "/notes/{id}",
        "A note of a file, as a recall found it (n_12).",
        _shown("note"),
        Note,
    ),
    Operation(
        "reviews",
        "GET",
        "/reviews",
        "Beliefs that wait to be confirmed or rejected.",
        _shown("reviews"),
        list[Review],
    ),
    Operation(
        "quarantine",
        "GET",
        "/quarantine",
        "Instructions that were found in others' words and are held back, newest first.",
        _shown("quarantine"),
        list[Held],
        (
            Field(
                "state",
                choice("held", "released", "dropped", "unclear", "all"),
                "held where not given",
            ),
            Field("limit", WHOLE, "most of them (50); 0 for all"),
        ),
    ),
    Operation(
        "release",
        "POST",
        "/quarantine/{id}/release",
        "Let what is held be told again: fenced, with its origin.",
        _shown("release"),
        Held,
    ),
    Operation(
        "drop",
        "POST",
        "/quarantine/{id}/drop",
        "Never tell what is held; the message stays in the journal.",
        _shown("drop"),
        Held,
    ),
    Operation(
        "entities",
        "GET",
        "/entities",
        "Whom and what the memories are about.",
        _shown("entities"),
        list[Entity],
    ),
    Operation(
        "entity",
        "GET",
        "/entities/{name}",
        "All that is known of one, by any of its names.",
        _shown("entity"),
        Card,
    ),
    Operation(
        "segments",
        "GET",
        "/segments",
        "What was said, in stretches of one topic.",
        _shown("segments"),
        list[Segment],
        (_SINCE,),
    ),
    Operation(
        "events",
        "GET",
        "/events",
        "A line for each session and day.",
        _shown("events"),
        list[Event],
        (_SINCE,),
    ),
    Operation(
        "profile",
        "GET",
        "/profile",
        "The core of what is known of the user, as Markdown.",
        _profile,
        ProfilePage,
        (_LANGUAGE,),
    ),
    Operation(
        "refresh_profile",
        "POST",
        "/profile",
        "The same, made anew.",
        _profile_anew,
        ProfilePage,
        (_LANGUAGE,),
    ),
    # What is remembered
    Operation(
        "recall",
        "POST",
        "/recall",
        "What the memory has on a question, best first, and a block of text to hand to an agent.",
        _recall,
        Recall,
        _RECALL,
    ),
    Operation(
        "recall_by_query",
        "GET",
        "/recall",
        "The same, with everything in the address.",
        _recall,
        Recall,
        _RECALL,
    ),
    Operation(
        "context",
        "POST",
        "/context",
        "All that an agent should have before it when it replies to a message.",
        _context,
        Frame,
        (
            _MESSAGE,
            Field("soul", TEXT, "who the agent is; else SOUL.md of the home"),
            Field("history", HISTORY, "what the agent has of the conversation already"),
            _CHAT,
            _STATE,
            Field("top", WHOLE, "most memories"),
            Field("budget", WHOLE, "most tokens"),
            _EXPLAIN,
        ),
    ),
    Operation(
        "gate",
        "POST",
        "/gate",
        "Whether a message is worth a recall, and why.",
        _verb("gate"),
        Gate,
        (_MESSAGE, _CHAT, _STATE),
    ),
    Operation(
        "snapshot",
        "GET",
        "/snapshot",
        "What a conversation should start with.",
        _snapshot,
        SnapshotPage,
        (_LANGUAGE,),
    ),
    # What is made of it
    Operation(
        "consolidate",
        "POST",
        "/consolidate",
        "Make knowledge of what was said since the last time.",
        _verb("consolidate"),
        Consolidated,
        (
            Field("force", FLAG, "run even if nothing is pending, or after three failures"),
            Field("if_due", FLAG, "only if it is due"),
            Field("phase", WHOLE, "run only this phase, 1 to 7"),
        ),
        long="kept",
    ),
    Operation(
        "flush",
        "POST",
        "/flush",
        "Make what was just said known, without the nightly work.",
        _flush,
        Consolidated,
        long="kept",
    ),
    Operation(
        "embed",
        "POST",
        "/embed",
        "Give vectors to what has none yet.",
        _verb("embed"),
        Embedded,
        long="kept",
    ),
    Operation("due", "GET", "/due", "Why a consolidation or a flush is due.", _due, Due),
    Operation(
        "schedule",
        "GET",
        "/schedule",
        "What runs by itself: what is due, and how it went.",
        _jobs,
        list[Job],
    ),
    Operation(
        "run_job",
        "POST",
        "/schedule/{job}",
        "Run a job of the schedule now.",
        _run_job,
        Ran,
        long="kept",
    ),
    Operation(
        "reminders",
        "GET",
        "/reminders",
        "Plans whose time has come and that are not done.",
        _shown("due_reminders"),
        list[Record],
        (Field("limit", WHOLE, "most of them"),),
    ),
    # Control
    Operation(
        "forget",
        "POST",
        "/forget",
        "Erase something for good, everywhere, and keep it from coming back: by ids, or by one of "
        "the others. The answer is a receipt without the words.",
        _forget,
        Receipt,
        (
            Field("ids", TEXTS, "memories (f_…), turns (t_…), entities (e_…)"),
            Field("entity", TEXT, "every sentence that names it, by any of its names"),
            Field("also", TEXTS, "with an entity, other names that go too"),
            Field("topic", TEXT, "everything under this topic or tag"),
            Field("session", TEXT, "everything in this conversation"),
            Field("since", MOMENT, "what was said from then on"),
            Field("all", FLAG, "everything"),
            Field(
                "dry_run",
                FLAG,
                "only count what would go, and name what an entity is called and "
                "what looks like it",
            ),
        ),
        long="kept",
    ),
    Operation(
        "audit",
        "GET",
        "/audit",
        "Who read and wrote what, oldest first; nothing of what was said.",
        lambda memory, given: memory.audit.entries(**{"limit": 100, **given}),
        list[AuditEntry],
        (
            Field("id", TEXT, "only about this memory or turn: who saw it"),
            Field("op", TEXT, "only entries of this operation, such as recall"),
            Field("surface", TEXT, "only what came by it: cli, http, mcp, …"),
            Field("agent", TEXT, "only what was for this agent"),
            _SINCE,
            _UNTIL,
            _LIMIT,
        ),
    ),
    Operation(
        "verify_audit",
        "POST",
        "/audit/verify",
        "Check that the audit log, its head and the signatures are as they were written.",
        lambda memory, given: memory.audit.verify(),
        Verified,
    ),
    Operation(
        "receipts",
        "GET",
        "/receipts",
        "What was forgotten when and by whom, newest first.",
        _verb("receipts"),
        list[Receipt],
    ),
    Operation(
        "pause",
        "POST",
        "/pause",
        "Journal and learn nothing from now on; recall goes on.",
        _verb("pause"),
        Pause,
        (Field("until", MOMENT, "when it ends; else when it is resumed"),),
    ),
    Operation("resume", "POST", "/resume", "End a pause.", _resume, Resumed),
    Operation(
        "inspect",
        "GET",
        "/inspect/{name}",
        "All that there is on a memory, a turn, a note or an entity.",
        _shown("inspect"),
        Inspected,
        (_REVEAL,),
    ),
    Operation(
        "subject",
        "GET",
        "/subjects/{name}",
        "All that is known about someone or something.",
        _shown("subject"),
        Subject,
        (_REVEAL,),
    ),
    # Care
    Operation("status", "GET", "/status", "Where this memory stands.", _verb("status"), Status),
    Operation("stats", "GET", "/stats", "What this memory holds, counted.", _verb("stats"), Stats),
    Operation(
        "validate",
        "POST",
        "/validate",
        "Look for damage in the data and its indexes.",
        _validate,
        Checked,
        long="cut",
    ),
    Operation(
        "rebuild_index",
        "POST",
        "/rebuild-index",
        "Make every index anew from the data.",
        _rebuild,
        Rebuilt,
        long="cut",
    ),
    Operation(
        "backup",
        "POST",
        "/backup",
        "Write this space to one file, in the folder that the settings name.",
        _verb("backup"),
        Backup,
        long="kept",
    ),
    # The workspace
    Operation(
        "export",
        "POST",
        "/workspace/export",
        "Write the memory as text.",
        _workspace("export"),
        Exported,
        (_FOLDER, Field("masked", FLAG, "mask addresses, numbers and keys")),
        long="cut",
        local=("folder",),
    ),
    Operation(
        "sync",
        "POST",
        "/workspace/sync",
        "Take in what was changed in the text views.",
        _workspace("sync"),
        Synced,
        (
            Field("deletions", FLAG, "archive all that was deleted, however much"),
            Field("dry_run", FLAG, "show what would be done, without doing it"),
        ),
    ),
    Operation(
        "index",
        "POST",
        "/workspace/index",
        "Read the notes that changed.",
        _workspace("index"),
        Indexed,
        long="cut",
    ),
    Operation(
        "sources",
        "GET",
        "/workspace/sources",
        "The files that were read.",
        _sources,
        list[SourceFile],
    ),
    Operation(
        "import",
        "POST",
        "/workspace/import",
        "Take in what another program keeps.",
        _workspace("take_in"),
        Imported,
        (
            _PATH,
            Field("format", TEXT, "format of the file; detected if omitted"),
            Field(
                "user", TEXT, "only import this person's memories, if the file has several people's"
            ),
            Field("dry_run", FLAG, "show what would be imported, without importing"),
        ),
        make=True,
        long="cut",
        local=("path",),
    ),
)

PROGRESSING = frozenset(one.name for one in OPERATIONS if one.long) - {"flush", "run_job", "forget"}
"""Those whose work calls `progress`."""
