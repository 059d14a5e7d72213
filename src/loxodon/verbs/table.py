"""Every verb of a memory, declared once: what it takes and gives, who may use it, and where.

The audit log and the walls take their lists of verbs from here, the HTTP server its routes, checks
and descriptions, the client its addresses. Commands and MCP tools say which verb they are about,
which decides who may use them. The signatures are those of `Memory`; tests hold them against this.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, cast

from loxodon.types import ORIGINS
from loxodon.values import NamedTuple
from loxodon.verbs import arguments as a
from loxodon.verbs.arguments import FLAG, HISTORY, MOMENT, PATH, TEXT, TEXTS, TURNS, WHOLE, Argument

OnRecord = Literal["reads", "writes", "works", ""]
"""How the audit log has a verb: with what it gave; always, because it writes; only by what it
wrote; or not at all, because it neither reads nor writes content. `touch` counts what was used
before, and is never part of the verb that happens to do it."""
Rule = Literal["sees", "says", "own", "keeps", "owner"]
"""What a verb is for whoever is behind a wall.

- sees: they are told of what the wall shows, and change nothing
- says: they add words, which are theirs
- own: they change memories, which must be theirs
- keeps: they keep documents, where they have a name to keep them under
- owner: they are refused
"""
Right = Literal["read", "write", "owner"]
"""What a token allows: to look; also to add and change; also what concerns a space as a whole."""
_RIGHTS: Mapping[Rule, Right] = {
    "sees": "read",
    "says": "write",
    "own": "write",
    "keeps": "write",
    "owner": "owner",
}
_MASKED = "Turn Record Version Note Review Held Entity Card Segment Event Inspected Subject"
"""Values with content, which surfaces show with identity and card numbers masked."""


class Route(NamedTuple):
    """A verb over HTTP, at a path within `/v1/spaces/{space}`."""

    at: str
    """The method and the path: `GET /memories/{id}`. What stands in braces comes first in the
    call."""
    called: str = ""
    """What the operation is called, where not like the verb."""
    about: str = ""
    """What it does, where that differs from the verb."""
    right: Right | Literal[""] = ""
    """The right that it needs, where that does not follow from the verb."""
    given: Mapping[str, Any] = {}
    """Arguments that are handed on unless the request has others."""
    status: int = 200
    make: bool = False
    """Whether a space that is not there is made; otherwise it is not found."""
    long: Literal["", "kept", "cut"] = ""
    """Work that can take long and tells how it comes along: `kept` where it goes on though whoever
    asked is gone, `cut` where it is then given up."""
    silent: bool = False
    """Whether long work tells nothing on its way."""


class Verb(NamedTuple):
    """One thing that can be done with a memory."""

    name: str
    """The method of `Memory`, or of what it has: `workspace.sync`."""
    record: OnRecord
    wall: Rule
    about: str = ""
    takes: tuple[Argument, ...] = ()
    gives: str = ""
    """The type of what it returns, in brackets for a list. Before a colon stands the field that has
    it in an answer, which must be an object or a list."""
    routes: tuple[Route, ...] = ()

    @property
    def right(self) -> Right:
        """The right that a token needs for it."""
        return _RIGHTS[self.wall]

    @property
    def masked(self) -> bool:
        """Whether it gives memories or turns, which surfaces show with personal numbers masked."""
        return self.gives.strip("[]") in _MASKED.split()


def _verb(
    head: str,
    about: str,
    takes: tuple[Argument, ...] = (),
    also: tuple[Route, ...] = (),
    **how: Any,
) -> Verb:
    """A verb by `name | record and wall | method and path | type`; `how` is of its route."""
    name, rules, at, gives = head.split(" | ")
    *record, wall = rules.split(" ")
    routes = (Route(at, **how), *also)
    return Verb(
        name, cast(OnRecord, "".join(record)), cast(Rule, wall), about, takes, gives, routes
    )


def _inner(record: OnRecord, wall: Rule, names: str, prefix: str = "") -> tuple[Verb, ...]:
    """Verbs of the library that have no route."""
    return tuple(Verb(prefix + name, record, wall) for name in names.split())


VERBS: tuple[Verb, ...] = (
    # Messages
    _verb(
        "add | writes says | POST /turns | Added",
        "Add turns to the journal, in order. They are on disk when the answer comes. A turn that "
        "the journal already has, by its id or by its time and text, is not added again.",
        (
            Argument("turns", TURNS, "the turns, oldest first", required=True),
            Argument("session", TEXT, "session for turns that name none"),
            Argument("me", TEXTS, "the user's names in these turns; others who are named are not"),
        ),
        make=True,
    ),
    _verb(
        "journal | reads sees | GET /turns | [Turn]",
        "List turns, oldest first, or those that match a query, best first.",
        (a.QUERY, a.SESSION, a.SINCE, a.UNTIL, a.LIMIT, a.REVEAL),
    ),
    _verb(
        "turn | reads sees | GET /turns/{ref} | Turn",
        "Return one turn, by its ref (t_512).",
        (a.REVEAL,),
    ),
    # Memories
    _verb(
        "capture | writes says | POST /memories | Record",
        "Save one memory as given.",
        (
            a.CONTENT,
            a.KIND._replace(about="a fact, or a belief that is not certain"),
            *a.LABELS,
            a.EXPIRES,
            a.AUDIENCE,
            Argument("origin", ORIGINS, "where the text came from (the user, or the agent itself)"),
            a.TOKEN,
        ),
        status=201,
        make=True,
    ),
    _verb(
        "list | reads sees | GET /memories | [Record]",
        "List memories, newest first.",
        (
            a.KIND,
            a.LISTED,
            a.AUDIENCE._replace(about="only what this audience may see"),
            *a.FILTERS,
            a.SINCE,
            a.UNTIL,
            a.LIMIT,
            a.REVEAL,
        ),
    ),
    _verb("get | reads sees | GET /memories/{id} | Record", "Return one memory.", (a.REVEAL,)),
    _verb(
        "edit | writes own | PATCH /memories/{id} | Record",
        "Change a memory; the old version stays in its history.",
        (
            a.VERSION,
            a.TOKEN,
            a.CONTENT._replace(about="the new text", required=False),
            *a.LABELS,
            a.EXPIRES,
            Argument("subject", TEXT, "whom or what it is about"),
            Argument("attribute", TEXT, "which property of the subject"),
            Argument("value", TEXT, "the value of that property"),
            a.AUDIENCE,
            Argument("sensitivity", ("low", "medium", "high"), "how sensitive it is"),
            a.VALID_FROM,
            a.VALID_UNTIL,
            a.DUE_AT,
            a.DONE,
        ),
    ),
    _verb(
        "archive | writes own | POST /memories/{id}/archive | Record",
        "Hide a memory from recall; it is kept.",
        (a.VERSION,),
    ),
    _verb(
        "unarchive | writes own | POST /memories/{id}/unarchive | Record",
        "Bring back an archived memory.",
        (a.VERSION,),
    ),
    _verb(
        "history | reads sees | GET /memories/{id}/history | [Version]",
        "Return every version of a memory, oldest first.",
        (a.REVEAL,),
    ),
    _verb(
        "confirm | writes owner | POST /memories/{id}/confirm | Record",
        "Confirm a belief: it becomes a fact, and what it contradicts ends.",
        (a.VERSION,),
        right="write",
    ),
    _verb(
        "reject | writes own | POST /memories/{id}/reject | Record",
        "Reject a belief: it is archived.",
        (a.VERSION,),
    ),
    _verb(
        "touch | works sees | POST /touch | touched: int",
        "Record that memories were used. Returns how many of them exist.",
        (Argument("ids", TEXTS, "the ids of the memories", required=True),),
        right="write",
    ),
    _verb(
        "note | reads sees | GET /notes/{id} | Note",
        "Return one chunk of a note, as found by a recall (n_12).",
    ),
    _verb(
        "reviews | reads sees | GET /reviews | [Review]", "List beliefs to review, oldest first."
    ),
    _verb(
        "quarantine | reads sees | GET /quarantine | [Held]",
        "List instructions found in other people's text and held back, newest first.",
        (Argument("state", ("held", "released", "dropped", "all"), "which entries (held)"), a.HELD),
        right="owner",
    ),
    _verb(
        "release | writes owner | POST /quarantine/{id}/release | Held",
        "Release a held-back text: it is shown again, quoted and with its origin.",
    ),
    _verb(
        "drop | writes owner | POST /quarantine/{id}/drop | Held",
        "Hide a held-back text forever; the message stays in the journal.",
    ),
    _verb(
        "entities | reads sees | GET /entities | [Entity]", "List known people, places and things."
    ),
    _verb(
        "entity | reads sees | GET /entities/{name} | Card",
        "Return what is known about a person, place or thing, by any of its names.",
    ),
    _verb(
        "segments | reads sees | GET /segments | [Segment]",
        "List segments: parts of conversations about one topic.",
        (a.SINCE,),
    ),
    _verb(
        "events | reads sees | GET /events | [Event]",
        "List events: one line for each session and day.",
        (a.SINCE,),
    ),
    _verb(
        "profile | reads sees | GET /profile | profile: str",
        "Return the core facts about the user, as Markdown.",
        (a.LANGUAGE,),
        also=(
            Route(
                "POST /profile",
                called="refresh_profile",
                about="Rebuild the profile and return it.",
                right="owner",
                given={"refresh": True},
            ),
        ),
    ),
    # Recall
    _verb(
        "recall | reads sees | POST /recall | Recall",
        "Search the memory. Returns items, best first, and a block of text for an agent.",
        (
            a.QUERY._replace(required=True),
            a.TOP,
            a.BUDGET,
            a.ITEM_KIND,
            *a.FILTERS,
            a.SINCE,
            a.UNTIL,
            a.AS_OF,
            a.PROFILE,
            a.CHAT,
            a.IN_VIEW,
            a.EXPLAIN,
            a.REVEAL,
        ),
        also=(
            Route(
                "GET /recall",
                called="recall_by_query",
                about="The same, with all fields in the query.",
            ),
        ),
    ),
    _verb(
        "assemble | reads sees | POST /context | Frame",
        "Return everything an agent should see before it replies to a message.",
        (
            a.MESSAGE,
            Argument("soul", TEXT, "description of the agent (default: SOUL.md in the home)"),
            Argument("history", HISTORY, "messages of this conversation that the agent has"),
            a.CHAT,
            a.STATE,
            a.TOP._replace(about="maximum number of memories (10)"),
            a.BUDGET._replace(about="maximum number of tokens (4000)"),
            a.EXPLAIN,
        ),
        called="context",
    ),
    _verb(
        "gate | sees | POST /gate | Gate",
        "Say whether a message is worth a recall, and why.",
        (a.MESSAGE, a.CHAT, a.STATE),
    ),
    _verb(
        "snapshot | reads sees | GET /snapshot | snapshot: str",
        "Return what a conversation should start with, as Markdown.",
        (a.LANGUAGE,),
    ),
    # Consolidation and jobs
    _verb(
        "consolidate | works owner | POST /consolidate | Consolidated",
        "Turn new messages into facts, beliefs and summaries.",
        (a.FORCE, a.IF_DUE, a.PHASE),
        long="kept",
    ),
    _verb(
        "flush | works owner | POST /flush | Consolidated",
        "Learn from the latest messages, without the nightly work.",
        long="kept",
        silent=True,
    ),
    _verb(
        "embed | works owner | POST /embed | Embedded",
        "Compute missing vectors, for search by meaning.",
        long="kept",
    ),
    _verb(
        "consolidation_due | sees | GET /due | Due",
        "Say why a consolidation or a flush is due; empty if it is not.",
        called="due",
    ),
    _verb(
        "schedule.jobs | sees | GET /schedule | [Job]",
        "List the background jobs: when they are due, and how they last went.",
        called="schedule",
    ),
    _verb(
        "schedule.run | works owner | POST /schedule/{job} | Ran",
        "Run a background job now.",
        called="run_job",
        long="kept",
        silent=True,
    ),
    _verb(
        "due_reminders | reads sees | GET /reminders | [Record]",
        "List plans that are due and not done.",
        (Argument("limit", WHOLE, "maximum number of plans (20)"),),
        called="reminders",
    ),
    # Control
    _verb(
        "forget | writes owner | POST /forget | Receipt",
        "Delete something permanently, everywhere, and keep it from coming back: by ids, or by one "
        "of the other fields. Returns a receipt without the deleted text.",
        (
            a.IDS,
            Argument("entity", TEXT, "every sentence that names it, by any of its names"),
            Argument("also", TEXTS, "with an entity: also delete these names"),
            a.BY_TOPIC,
            a.BY_SESSION,
            Argument("since", MOMENT, "everything said from this time on"),
            a.ALL,
            Argument(
                "dry_run",
                FLAG,
                "only count what would be deleted, and list the entity's names and similar ones",
            ),
        ),
        long="kept",
        silent=True,
    ),
    _verb(
        "receipts | reads owner | GET /receipts | [Receipt]",
        "List what was forgotten, when and by whom, newest first.",
    ),
    _verb(
        "audit.entries | owner | GET /audit | [Entry]",
        "List who read and wrote what, oldest first, without any content.",
        (
            a.ABOUT_ID,
            a.OP,
            Argument("surface", TEXT, "only entries of this interface: cli, http, mcp, …"),
            Argument("agent", TEXT, "only entries of this agent"),
            a.SINCE,
            a.UNTIL,
            a.LIMIT,
        ),
        called="audit",
        given={"limit": 100},
    ),
    _verb(
        "audit.verify | owner | POST /audit/verify | Verified",
        "Check the audit log, its head and the signatures for tampering.",
        called="verify_audit",
    ),
    *_inner("writes", "owner", "accept", "audit."),
    _verb(
        "pause | writes owner | POST /pause | Pause",
        "Stop recording and learning; recall still works.",
        (Argument("until", MOMENT, "when the pause ends (default: when resumed)"),),
    ),
    _verb(
        "resume | writes owner | POST /resume | resumed: bool",
        "End a pause. Returns whether there was one.",
    ),
    _verb(
        "inspect | reads owner | GET /inspect/{name} | Inspected",
        "Return everything about a memory, a message, a note or an entity.",
        (a.REVEAL,),
    ),
    _verb(
        "subject | reads owner | GET /subjects/{name} | Subject",
        "Return everything known about a person, place or thing.",
        (a.REVEAL,),
    ),
    # Maintenance
    _verb("status | sees | GET /status | Status", "Return the state of this memory."),
    _verb("stats | sees | GET /stats | Stats", "Count what this memory holds."),
    _verb(
        "validate | works owner | POST /validate | Checked",
        "Check the data and its indexes for damage.",
        long="cut",
    ),
    _verb(
        "rebuild_index | works owner | POST /rebuild-index | indexed: int",
        "Rebuild every index from the data. Returns how many rows were indexed.",
        long="cut",
    ),
    _verb(
        "backup | reads owner | POST /backup | Backup",
        "Back up this space to one file, in the folder of the setting backup.folder.",
        long="kept",
    ),
    # The workspace
    _verb(
        "workspace.export | reads owner | POST /workspace/export | Exported",
        "Write the memory as text.",
        (
            Argument("folder", PATH, "folder to write to (default: the workspace)"),
            Argument("masked", FLAG, "mask addresses, numbers and keys"),
        ),
        long="cut",
    ),
    _verb(
        "workspace.sync | writes owner | POST /workspace/sync | Synced",
        "Apply edits of the text views, and index the notes.",
        (Argument("deletions", FLAG, "archive every memory whose line was deleted"), a.DRY_RUN),
    ),
    _verb(
        "workspace.index | works owner | POST /workspace/index | Indexed",
        "Index the notes that changed.",
        long="cut",
    ),
    _verb(
        "workspace.sources | sees | GET /workspace/sources | [SourceFile]",
        "List the indexed notes.",
        right="owner",
    ),
    _verb(
        "workspace.take_in | writes owner | POST /workspace/import | Imported",
        "Import memories and chats from another program.",
        (
            Argument("path", PATH, "a file, an archive or a folder", required=True),
            a.FORMAT,
            a.WHOSE,
            a.TRY_IMPORT,
        ),
        called="import",
        make=True,
        long="cut",
    ),
    # What has no route
    *_inner("reads", "sees", "drawn_from changes_since"),
    *_inner("reads", "owner", "hand_out"),
    *_inner("writes", "says", "add_drafts remember"),
    *_inner("writes", "own", "revise"),
    *_inner("writes", "owner", "take_entries trust_clock unarchive_run"),
    *_inner("works", "owner", "scan check_model take_answer"),
    *_inner("", "sees", "flush_due next_consolidation forgotten refuse_if_paused"),
    *_inner("", "owner", "beside timekeeping"),
    *_inner("works", "owner", "renew follow", "workspace."),
    *_inner("reads", "keeps", "get newest search namespaces", "documents."),
    *_inner("writes", "keeps", "put append delete clear pop", "documents."),
    *_inner("works", "keeps", "sweep", "documents."),
    *_inner("", "keeps", "together", "documents."),
    *_inner("reads", "sees", "reminders", "schedule."),
    *_inner("works", "owner", "run_due", "schedule."),
    *_inner("", "sees", "due failing wait", "schedule."),
)
BY_NAME: Mapping[str, Verb] = {one.name: one for one in VERBS}
