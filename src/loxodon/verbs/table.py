"""Every verb of a memory, declared once: what it takes and gives, who may use it, and where.

The audit log and the walls take their lists of verbs from here, the HTTP server its routes, checks
and descriptions, the client its addresses. Commands and MCP tools say which verb they are about,
which decides who may use them. The signatures are those of `Memory`; tests hold them against this.

`_TABLE` has a paragraph for each verb that has a route. Its first line is

    name | on record, wall | method, path and more of the route | type of what it gives

The name is the method of `Memory`, or of what it has (`workspace.sync`). A type in brackets is a
list; before a colon stands the field of the answer that has it. The second line says what the verb
does, the others what it takes, with what it means after two spaces; what stands in braces in the
path comes before that. `!` marks what is needed, `?` what is not though it mostly is. A line that
begins with a method is one more route.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Literal, NamedTuple, cast

from loxodon.verbs.arguments import CURSOR, Argument, joined, shared

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
_MASKED = (
    "Turn Record Version Note Review Held Entity Card Segment Event Inspected Subject "
    "Today Moment Graph Related Labels"
)
"""Values with content, which surfaces show with identity and card numbers masked."""


class Route(NamedTuple):
    """A verb over HTTP, at a path within `/v1/spaces/{space}`."""

    method: str
    path: str
    about: str = ""
    """What it does, where that differs from the verb."""
    called: str = ""
    """`as=`: what the operation is called, where not like the verb."""
    only: str = ""
    """The one argument that it takes, where not all of the verb."""
    right: Right | Literal[""] = ""
    """The right that it needs, where that does not follow from the verb."""
    status: int = 200
    make: bool = False
    """Whether a space that is not there is made; otherwise it is not found."""
    long: Literal["", "kept", "cut"] = ""
    """Work that can take long and tells how it comes along: `kept` where it goes on though whoever
    asked is gone, `cut` where it is then given up."""
    silent: bool = False
    """Whether long work tells nothing on its way."""
    given: Mapping[str, Any] = {}
    """Arguments that are handed on unless the request has others: `refresh=true`."""


class Verb(NamedTuple):
    """One thing that can be done with a memory; see the module."""

    name: str
    record: OnRecord
    wall: Rule
    route: str = ""
    gives: str = ""
    about: str = ""
    lines: tuple[str, ...] = ()
    group: str = ""
    """The heading that it stands under."""

    @property
    def takes(self) -> tuple[Argument, ...]:
        return takes(self.lines)

    @property
    def routes(self) -> tuple[Route, ...]:
        more = [line.partition("  ") for line in self.lines if _is_route(line)]
        first = [_route(self.route, "")] if self.route else []
        return (*first, *(_route(at, about) for at, _, about in more))

    @property
    def right(self) -> Right:
        """The right that a token needs for it."""
        return _RIGHTS[self.wall]

    @property
    def paged(self) -> bool:
        """Whether it lists by pages (`loxodon.verbs.paging`)."""
        return any(one.kind == CURSOR for one in self.takes)

    @property
    def masked(self) -> bool:
        """Whether it gives memories or turns, which surfaces show with personal numbers masked."""
        return self.gives.strip("[]") in _MASKED.split()


def _is_route(line: str) -> bool:
    return line.startswith(("GET /", "POST /", "DELETE /"))


def _route(written: str, about: str) -> Route:
    method, path, *words = written.split()
    how: dict[str, Any] = {"given": {}}
    for word in words:
        name, _, value = word.partition("=")
        if name in ("kept", "cut"):
            how["long"] = name
        elif name in ("as", "only", "right", "status", "make", "silent"):
            known = {"as": "called"}.get(name, name)
            how[known] = int(value) if name == "status" else value or True
        else:
            how["given"][name] = value == "true"
    return Route(method, path, about.strip(), **how)


@cache
def takes(lines: tuple[str, ...]) -> tuple[Argument, ...]:
    """The arguments that lines of a table have."""
    found: list[Argument] = []
    for line in lines:
        spelling, _, about = line.partition("  ")
        if spelling[0] == "@":
            found += shared(spelling, about)
        elif not _is_route(line):
            name, kind = spelling.rstrip("!").split()
            names = tuple(kind.split("|"))
            found.append(
                Argument(name, names if names[1:] else kind, about, spelling.endswith("!"))
            )
    return tuple(found)


def _verbs() -> Iterator[Verb]:
    group = ""
    for paragraph in _TABLE.strip().split("\n\n"):
        if paragraph[0] == "#":
            group = paragraph[2:]
        else:
            head, about, *lines = joined(paragraph)
            name, rules, route, gives = head.split(" | ")
            yield Verb(name, *_rules(rules), route, gives, about, tuple(lines), group)
    for rules, names in _WITHOUT_ROUTE.items():
        for name in names.split():
            yield Verb(name, *_rules(rules))


def _rules(written: str) -> tuple[OnRecord, Rule]:
    record, _, wall = written.rpartition(" ")
    return cast(OnRecord, record), cast(Rule, wall)


_TABLE = """
# Messages

add | writes says | POST /turns make | Added
    Add turns to the journal, in order. They are on disk when the answer comes. A turn that
        the journal already has, by its id or by its time and text, is not added again; one with
        neither is new.
    turns turns!  the turns, oldest first
    session text  session for turns that name none
    me texts  the user's names in these turns; other named speakers are other people

journal | reads sees | GET /turns | [Turn]
    List turns: the latest, in order of time; the next page has those before. With a query:
        those that match, best first, on one page.
    @QUERY @SESSION @SINCE @UNTIL @PAGE @REVEAL

turn | reads sees | GET /turns/{ref} | Turn
    Return one turn, by its ref (t_512).
    @REVEAL

sessions | reads sees | GET /sessions | [Session]
    List the conversations in the journal, the one that began last first.
    @SINCE @UNTIL @PAGE

# Memories

capture | writes says | POST /memories status=201 make | Record
    Save one memory as given.
    @CONTENT
    @KIND  a fact, or a belief that is not certain
    @LABELS @EXPIRES @AUDIENCE @ORIGIN @TOKEN

list | reads sees | GET /memories | [Record]
    List memories, newest first.
    @KIND @LISTED
    @AUDIENCE  only what this audience may see
    @FILTERS @SINCE @UNTIL @PAGE @REVEAL

get | reads sees | GET /memories/{id} | Record
    Return one memory.
    @REVEAL

edit | writes own | PATCH /memories/{id} | Record
    Change a memory; the old version stays in its history.
    @VERSION @TOKEN
    @CONTENT?  the new text
    @LABELS @EXPIRES
    subject text  whom or what it is about
    attribute text  which property of the subject
    value text  the value of that property
    @AUDIENCE
    sensitivity low|medium|high  how sensitive it is
    @VALID_FROM @VALID_UNTIL @DUE_AT @DONE

archive | writes own | POST /memories/{id}/archive | Record
    Hide a memory from recall; it is kept.
    @VERSION

unarchive | writes own | POST /memories/{id}/unarchive | Record
    Bring back an archived memory.
    @VERSION

history | reads sees | GET /memories/{id}/history | [Version]
    List every version of a memory, oldest first.
    @PAGE @REVEAL

confirm | writes owner | POST /memories/{id}/confirm right=write | Record
    Confirm a belief: it becomes a fact, and what it contradicts ends.
    @VERSION

reject | writes own | POST /memories/{id}/reject | Record
    Reject a belief: it is archived.
    @VERSION

touch | works sees | POST /touch right=write | touched: int
    Record that memories were used. Returns how many of them exist.
    ids texts!  the ids of the memories

note | reads sees | GET /notes/{id} | Note
    Return one chunk of a note, as found by a recall (n_12).

reviews | reads sees | GET /reviews | [Review]
    List beliefs to review, oldest first.
    @PAGE

quarantine | reads sees | GET /quarantine right=owner | [Held]
    List instructions found in other people's text and held back, and what the user asked to
        have forgotten (`reason` begins with `forget`), newest first.
    state held|released|dropped|unclear|all  which entries (held)
    @PAGE

release | writes owner | POST /quarantine/{id}/release | Held
    Release a held-back text: it is shown again, quoted and with its origin.

drop | writes owner | POST /quarantine/{id}/drop | Held
    Hide a held-back text forever; the message stays in the journal.

entities | reads sees | GET /entities | [Entity]
    List known people, places and things, in the order they were first named.
    @PAGE

entity | reads sees | GET /entities/{name} | Card
    Return what is known about a person, place or thing, by any of its names.

segments | reads sees | GET /segments | [Segment]
    List segments: parts of conversations about one topic, in order of time.
    @SINCE @PAGE

events | reads sees | GET /events | [Event]
    List events: one line for each session and day, in order of time.
    @SINCE @PAGE

profile | reads sees | GET /profile | profile: str
    Return the core facts about the user, as Markdown.
    @LANGUAGE
    POST /profile as=refresh_profile right=owner refresh=true  Rebuild the profile and return it.

# Overviews

today | reads sees | GET /today | Today
    Return what was learned, changed and ended since a time, and what waits for an answer.
    since moment  from this time on (default: the last week)
    limit whole  maximum number of each (50)
    @REVEAL

timeline | reads sees | GET /timeline | [Moment]
    List turns, newest first, each with the memories drawn from it.
    @SESSION @SINCE @UNTIL @PAGE @REVEAL

graph | reads sees | GET /graph | Graph
    Return the people and things that memories are about, and what ties them.
    limit whole  maximum number of nodes, the strongest first (150; 0 for all)
    until moment  as it was at this time
    around text  only this person or thing, by name or id, and its neighbours

related | reads sees | GET /memories/{id}/related | Related
    Return where a memory was said, what it replaced, and what was drawn from it.
    @REVEAL

strength | reads sees | GET /memories/{id}/strength | Strength
    Return the strength of a memory over time, and how it will fade.
    days whole  how many days to look ahead (180)

labels | reads sees | GET /labels | Labels
    List the projects, topics, tags and entities of active memories, the most used first.
    limit whole  maximum number of each (100)

# Recall

recall | reads sees | POST /recall | Recall
    Search the memory. Returns items, best first, and a block of text for an agent.
    @QUERY! @TOP @BUDGET @ITEM_KIND @FILTERS @SINCE @UNTIL @AS_OF @PROFILE @CHAT @IN_VIEW
    @EXPLAIN @REVEAL
    GET /recall as=recall_by_query  The same, with all fields in the query.

assemble | reads sees | POST /context as=context | Frame
    Return everything an agent should see before it replies to a message.
    @MESSAGE
    soul text  description of the agent (default: SOUL.md in the home)
    history history  messages of this conversation that the agent has
    @CHAT @STATE
    @TOP  maximum number of memories (10)
    @BUDGET  maximum number of tokens (4000)
    @EXPLAIN

gate | sees | POST /gate | Gate
    Say whether a message is worth a recall, and why.
    @MESSAGE @CHAT @STATE

snapshot | reads sees | GET /snapshot | snapshot: str
    Return what a conversation should start with, as Markdown.
    @LANGUAGE

# Consolidation and jobs

consolidate | works owner | POST /consolidate kept | Consolidated
    Turn new messages into facts, beliefs and summaries.
    @FORCE @IF_DUE @PHASE

flush | works owner | POST /flush kept silent | Consolidated
    Learn from the latest messages, without the nightly work.

embed | works owner | POST /embed kept | Embedded
    Compute missing vectors, for search by meaning.

consolidation_due | sees | GET /due as=due | Due
    Say why a consolidation or a flush is due; empty if it is not.

schedule.jobs | sees | GET /schedule as=schedule | [Job]
    List the background jobs: when they are due, and how they last went.

schedule.run | works owner | POST /schedule/{job} as=run_job kept silent | Ran
    Run a background job now.

due_reminders | reads sees | GET /reminders as=reminders | [Record]
    List plans that are due and not done, earliest first.
    @PAGE

# Control

forget | writes owner | POST /forget kept silent | Receipt
    Delete something permanently, everywhere, and keep it from coming back: by ids, or by
        one of the other fields. Returns a receipt without the deleted text.
    @IDS
    entity text  every sentence that names it, by any of its names
    also texts  with an entity: also delete these names
    doubtful flag  with an entity: also delete the sentences that may be about it, as a preview
        lists them
    @BY_TOPIC @BY_SESSION
    since moment  everything said from this time on
    @ALL
    only flag  with ids: delete nothing else that says the same, and of the messages a memory was
        drawn from only the sentences that say it
    dry_run flag  only count what would be deleted
    DELETE /memories/{id} as=delete_memory only=dry_run kept silent  Delete a memory permanently,
        with what says the same and the words it came from. To only hide it, archive it.
    DELETE /turns/{ref} as=delete_turn only=dry_run kept silent  Delete a turn permanently, with
        what is known only from it.
    DELETE /sessions/{session} as=delete_session only=dry_run kept silent  Delete a conversation
        permanently, with what is known only from it.

receipts | reads owner | GET /receipts | [Receipt]
    List what was forgotten, when and by whom, newest first.
    @PAGE

audit.entries | owner | GET /audit as=audit | [AuditEntry]
    List who read and wrote what, without any content: the latest entries, in order of time;
        the next page has those before.
    @ABOUT_ID @OP
    surface text  only entries of this interface: cli, http, mcp, …
    agent text  only entries of this agent
    @SINCE @UNTIL @PAGE

audit.verify | owner | POST /audit/verify as=verify_audit | Verified
    Check the audit log, its head and the signatures for tampering.

pause | writes owner | POST /pause | Pause
    Stop recording and learning; recall still works.
    until moment  when the pause ends (default: when resumed)

resume | writes owner | POST /resume | resumed: bool
    End a pause. Returns whether there was one.

inspect | reads owner | GET /inspect/{name} | Inspected
    Return everything about a memory, a message, a note or an entity.
    @REVEAL

subject | reads owner | GET /subjects/{name} | Subject
    Return everything known about a person, place or thing.
    @REVEAL

# Maintenance

status | sees | GET /status | Status
    Return the state of this memory.

stats | sees | GET /stats | Stats
    Count what this memory holds.

validate | works owner | POST /validate cut | Checked
    Check the data and its indexes for damage.

rebuild_index | works owner | POST /rebuild-index cut | indexed: int
    Rebuild every index from the data. Returns how many rows were indexed.

backup | reads owner | POST /backup kept | Backup
    Back up this space to one file, in the folder of the setting backup.folder.

backups | owner | GET /backups | [BackupFile]
    List the backups of this space in the folder of the setting backup.folder, newest first.

settings | owner | GET /settings | [Setting]
    List every setting, with where it comes from. Secrets are masked.

# The workspace

workspace.export | reads owner | POST /workspace/export cut | Exported
    Write the memory as text.
    folder path  folder to write to (default: the workspace)
    masked flag  mask addresses, numbers and keys

workspace.sync | writes owner | POST /workspace/sync | Synced
    Apply edits of the text views, and index the notes.
    deletions flag  archive every memory whose line was deleted
    @DRY_RUN

workspace.index | works owner | POST /workspace/index cut | Indexed
    Index the notes that changed.

workspace.sources | sees | GET /workspace/sources right=owner | [SourceFile]
    List the indexed notes, by name.
    @PAGE

workspace.take_in | writes owner | POST /workspace/import as=import make cut | Imported
    Import memories and chats from another program.
    path path!  a file, an archive or a folder
    @FORMAT @WHOSE @TRY_IMPORT
"""
_WITHOUT_ROUTE = {
    "reads sees": "drawn_from changes_since schedule.reminders",
    "reads owner": "hand_out",
    "reads keeps": "documents.get documents.newest documents.search documents.namespaces",
    "writes says": "add_drafts remember",
    "writes own": "revise",
    "writes owner": "take_entries trust_clock unarchive_run audit.accept",
    "writes keeps": (
        "documents.put documents.append documents.delete documents.clear documents.pop"
    ),
    "works owner": (
        "scan check_model take_answer workspace.renew workspace.follow workspace.follow_agent "
        "schedule.run_due"
    ),
    "works keeps": "documents.sweep",
    "sees": (
        "flush_due next_consolidation forgotten refuse_if_paused schedule.due schedule.failing "
        "schedule.wait schedule.waiting"
    ),
    "keeps": "documents.together documents.cleaned",
    "owner": "beside timekeeping",
}
"""Verbs of the library alone, or of commands and tools."""

VERBS: tuple[Verb, ...] = tuple(_verbs())
BY_NAME: Mapping[str, Verb] = {one.name: one for one in VERBS}
