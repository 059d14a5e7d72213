"""Every command of `loxodon`: what it is for, what it takes, and which verb it is about.

`_TABLE` has a paragraph for each. Its first line is

    name | verb | where it is done | what else people type for it | options that exclude each other

The verb (`loxodon.verbs`) decides who may use the command and what is masked; one without a verb
is the owner's. It is done in `commands.py` unless a module and a function are named. The second
line says what it is for. The others have its arguments, as they are typed, with what they mean
after two spaces:

    FILE…             one or more; `[FILE]` one or none, `[FILE…]` any number
    --yes             a flag
    --top N = 10      a whole number (`_KINDS` has what is not text), and what it is if not given
    --me NAME…        can be given several times
    --type a|b        one of these; `ACTION=a|b` where it is no option, or has a name of its own
    --for TIME as t   is `args.t`
    @top @budget      arguments of its verb; `@recall.top` of another, `@YES` of several commands
    @top  maximum     the same, in other words
    writing:          what follows is under this heading
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from loxodon.verbs import FLAG, NUMBER, TEXT, TEXTS, WHOLE, WORDS, Argument, ArgumentKind, Verb

_KINDS = {
    "N": WHOLE,
    "TOKENS": WHOLE,
    "SECONDS": NUMBER,
    "QUERY": WORDS,
    "MESSAGE": WORDS,
    "TEXT": WORDS,
    "+TAG|-TAG": WORDS,
}
"""What a value is that is written so; else it is text. Words are what is no option's value."""
_METAVARS = {WHOLE: "N", NUMBER: "0..1", TEXTS: "A,B", TEXT: "NAME"}
_REQUIRED = "required"


class Command(NamedTuple):
    """One command; see the module."""

    group: str
    """The heading under which help lists it; empty for those of every day."""
    name: str
    about: str
    lines: tuple[str, ...]
    verb: str = ""
    run: str = ""
    also: str = ""
    one_of: str = ""

    @property
    def parts(self) -> dict[str, list[Argument]]:
        """What it takes, by the heading that it stands under."""
        heading, found = "", dict[str, list[Argument]]({"": []})
        for line in self.lines:
            if line[-1] == ":":
                heading = line[:-1]
                found[heading] = []
            else:
                found[heading] += _arguments(line, self.verb)
        return found

    @property
    def takes(self) -> list[Argument]:
        return [one for some in self.parts.values() for one in some]

    @property
    def agents(self) -> bool:
        """Whether an agent may use it, as far as the memory lets it."""
        if not self.verb:
            return self.name == "mcp"
        return _verb(self.verb).agents

    @property
    def masked(self) -> bool:
        """Whether it shows memories or turns, in which identity and card numbers are masked."""
        return bool(self.verb) and self.agents and bool(_verb(self.verb).masked)


def _verb(name: str) -> Verb:
    from loxodon.memory import verb_named

    return verb_named(name)


def spelled(one: Argument) -> str:
    """How an argument is typed."""
    value = "|".join(one.kind) if isinstance(one.kind, tuple) else _METAVARS.get(one.kind, "")
    return one.typed or f"--{one.name.replace('_', '-')} {value}".rstrip()


def joined(paragraph: str) -> list[str]:
    """The lines of a paragraph of a table, which are indented; one that is indented further goes on
    with the one before."""
    return paragraph.replace("\n        ", " ").replace("\n    ", "\n").split("\n")


def _arguments(line: str, verb: str = "") -> Iterator[Argument]:
    """What a line says that a command about a verb takes."""
    spelling, _, about = line.partition("  ")
    spelling, _, default = spelling.partition(" = ")
    if spelling[0] != "@":
        yield _argument(spelling, about, default)
        return
    for name in spelling.split():
        if name in _SHARED:
            for each in joined(_SHARED[name].strip()):
                yield from _arguments(each)
        else:
            of, _, argument = name[1:].rpartition(".")
            one = _verb(of or verb).argument(argument)
            value = _value(default, one.kind)
            yield one._replace(about=about.strip() or one.about, required=False, default=value)


def _argument(spelling: str, about: str, default: str = "") -> Argument:
    spelling, _, name = spelling.partition(" as ")
    option, _, value = spelling.rpartition(" ")
    value = value.strip("[]…") if not option else value.removesuffix("…")
    name = name or (option or value.partition("=")[0]).strip("-").lower().replace("-", "_")
    kind: ArgumentKind = FLAG if value[:2] == "--" else _KINDS.get(value, TEXT)
    if kind == WORDS and option:
        kind = TEXT
    elif kind == TEXT and ("|" in value or ("=" in value and not option)):
        kind = tuple(value.rpartition("=")[2].split("|"))
    required = default == _REQUIRED
    unless = None if required else _value(default, kind)
    return Argument(name, kind, about.strip(), required, spelling, unless)


def _value(written: str, kind: ArgumentKind) -> str | int | float | None:
    if kind in (WHOLE, NUMBER) and written:
        return int(written) if kind == WHOLE else float(written)
    return "" if written == "''" else written or None


class _Commands(Mapping[str, Command]):
    """The commands by name, in the order of the table. One is read when it is asked for."""

    def __init__(self, table: str) -> None:
        self._paragraphs: dict[str, tuple[str, str]] = {}
        group = ""
        for paragraph in table.strip().split("\n\n"):
            if paragraph[0] == "#":
                group = paragraph[2:]
            else:
                self._paragraphs[paragraph.split(None, 1)[0]] = group, paragraph

    def __getitem__(self, name: str) -> Command:
        group, paragraph = self._paragraphs[name]
        head, about, *lines = joined(paragraph)
        more = (one.strip() for one in head.split("|")[1:])
        return Command(group, name, about, tuple(lines), *more)

    def __iter__(self) -> Iterator[str]:
        return iter(self._paragraphs)

    def __len__(self) -> int:
        return len(self._paragraphs)


_SHARED = {
    "@ID": "ID  id of the memory, such as f_20260204_001",
    "@LIMIT": "--limit N  show the latest N (0 for all)",
    "@YES": "--yes  do not ask for confirmation",
    "@STATE": "--state DIR  OpenClaw's state folder (OPENCLAW_STATE_DIR, or ~/.openclaw)",
    "@TIMES": """
    --since WHEN  from this time on: 2026-02-04, 上周三, 3 days ago
    --until WHEN  up to this time, including that day
""",
    "@FIELDS": """
    @capture.importance @capture.confidence @capture.entities @capture.tags @capture.project
    @capture.topic
    @capture.category  one of {names}
    @capture.audience
    --expires WHEN  when it expires: 2026-12-31, tomorrow, in two weeks, 下个月底, never
""",
    "@ADDRESS": """
    --host ADDRESS = 127.0.0.1  address to listen on (127.0.0.1)
    --token TEXT = ''  access token that clients must send (LOXODON_TOKEN); required unless
        listening on this machine only
""",
    "@SETTINGS": """
    --with-settings  also apply the settings that come with it, except addresses, paths, keys and
        security settings
    --take SETTING…  also apply this setting, of any kind; can be repeated
""",
    "@KEY": """
    --keyring  use the key in the system keyring
    --key-file FILE  use the key or passphrase in this file
    --env  use the key in LOXODON_KEY
    --make-key  create a new key there
""",
}
_TABLE = """
add | add_drafts
    Add conversations to the journal, from files or standard input.
    FILE…  a file, or - for standard input
    --format jsonl|openclaw|claude-code|codex|gemini-cli|markdown|chat  format of the file;
        detected if omitted
    --session NAME = ''  session for messages that name none (default: the file name)
    --me NAME…  your name in the file; can be repeated, and can be given later for the same file
    --skip-bad  add the valid lines and report the others

consolidate | consolidate | knowledge.consolidate | learn
    Turn new messages into facts, beliefs and summaries.
    @force
    @if_due  run only if it is due; for use in a timer
    @phase
    --model-report  also show the questions to the model and what they changed

recall | recall | | search find ask
    Search the memory.
    QUERY…  any text; there is no query syntax
    @top @budget
    @explain  explain why each item was found
    @profile
    @chat = direct
    @kind @project @topic @tag @entity @TIMES
    --as-of WHEN  what was known at this time: 2026-02-04, 上周三, 3 days ago

context | assemble
    Print everything an agent should see before it replies.
    MESSAGE…  the message, or - for standard input
    @budget @top
    --soul FILE  file that describes the agent (default: SOUL.md)
    --workspace DIR  folder of SOUL.md (default: the home)
    --explain  show why each part was chosen, and its tokens, instead of the text
    @chat = direct

capture | capture | | remember save
    Save one memory in your own words.
    TEXT…  what to remember, or - for standard input
    --type fact|belief = fact  a fact, or a belief that is not certain
    @FIELDS

list | list | | ls
    List memories, newest first.
    @state = active
    @recall.kind @project @topic @tag @entity @audience
    @LIMIT

get | get | | show cat
    Show a memory, or a message (t_…).
    ID  id of a memory (f_…), a message (t_…) or a chunk of a note (n_…)

forget | forget | control.forget
    Delete something permanently, everywhere.
    [ID…] as ids  memories (f_…), turns (t_…) or entities (e_…)
    --entity ENTITY = ''  a person or thing, by any of its names: deletes every sentence that
        names it
    --topic TOPIC = ''  everything under this topic or tag
    --session SESSION = ''  everything in this conversation
    --also NAME…  with --entity: also delete this name; can be repeated
    --doubtful  with --entity: also delete sentences that may be about it, as --dry-run lists them
    --last TIME = ''  everything said in the last 90m, 12h, 7d or 2w
    @all
    @dry_run  show what would be done, without doing it
    @YES
    --receipts  list what was forgotten, without its content

status | status
    Show the state of this memory.

ui | | serving.run_ui | console web
    Open the console in your browser: what is known, why, and what waits for you.
    --port N = 8713  port to listen on ({default}); another one if it is in use
    --no-browser  only print the link

# Memories

journal | journal | | log
    Show or search past messages.
    [QUERY…]  any text; there is no query syntax
    --on WHEN  only from that day, week or month
    @TIMES @session @LIMIT

history | history
    Show every version of a memory.
    @ID

edit | edit
    Change a memory; the old version stays in its history.
    @ID
    --content TEXT  the new text, or - for standard input; without any option, your editor opens
    @FIELDS
    --done yes|no  whether a plan is done
    @version

tag | edit
    Add tags to a memory, or remove them.
    @ID
    +TAG|-TAG… as changes  +a adds the tag a, -b removes the tag b

archive | archive
    Hide a memory from recall; it is kept.
    @ID @version

unarchive | unarchive
    Bring back an archived memory, or everything that a run archived.
    [ID] = ''  id of the memory, such as f_20260204_001
    @version
    --run WHEN  restore everything that this run archived because of its age; `loxodon clock`
        lists the runs

inspect | inspect | control.inspect
    Show everything about a memory, a message or a person.
    ID… as name  id of a memory, message, note or entity, or a name
    @reveal

review | reviews | knowledge.review | | confirm reject confirm_all
    Show beliefs and requests to forget that need your answer.
    --confirm ID  this belief is true: make it a fact
    --reject ID  this belief is wrong: drop it; or undo a request to forget (q_…)
    --confirm-all ORIGIN=relayed|import|assistant|group|tool|web  everything from this origin is
        true: {names}
    @confirm.version @YES

entities | entities | knowledge.entities
    List known people, places and things, or show one.
    [NAME]  any name of the entity

profile | profile | knowledge.profile
    Show the core facts about the user.
    --refresh  rebuild it now, as the weekly job does

snapshot | snapshot
    Print what a conversation should start with.

# Data

init
    Create a memory: a home, a space and its database.

space | | spaces.run
    List the spaces, delete one with everything in it, or list those that were deleted.
    ACTION=list|delete|deleted  what to do
    [NAME] = ''  the space to delete
    --dry-run  show what would be deleted, without deleting it
    @YES

demo | | demonstrating.run | example
    Build an example memory with a few months of life in it, to try things on.
    [DIR]  folder for it (the one that --home names, or ~/.loxodon-demo); never your own memory
    --replace  rebuild it as of today
    --tour  also run the commands that it suggests

import | workspace.take_in | importing.run
    Import memories and chats from another program.
    PATH  a file, an archive or a folder
    --format memory|mem0|list|chatgpt|claude|tiered  format of the file; detected if omitted
    @user = ''
    @dry_run

export | workspace.export
    Write the memory as text you can read and edit.
    --about NAME = ''  only what is known about NAME, as one file (.json or .md)
    @recall.reveal
    [DIR]  folder to write to (default: the workspace, setting workspace.path)
    --masked  mask addresses, numbers and keys; masked copies cannot be synced or restored
    --plain  write plain text although this memory is encrypted; needs DIR

sync | workspace.sync | syncing.run_sync
    Apply your edits of the text views, and index your notes.
    --deletions  archive every memory whose line was deleted, even if there are many or they have
        changed since
    @dry_run

watch | workspace.sync | syncing.run_watch
    Sync on every change, until stopped.
    --follow  also add the conversations of your agents as they grow; see `loxodon follow`
    @STATE

sources | workspace.index | sources.run
    Index the notes that changed, and list them.
    --no-read  only list what is already indexed

backup | backup | backing_up.run
    Back up the memory to one file, while it is in use.
    [FILE]  file to write (default: a file named by date and time in backup.folder)
    --all  back up all spaces in the home
    --keep N  number of backups to keep in the folder (setting backup.keep); not with FILE
    --overwrite  overwrite an existing file

restore | | restoring.run
    Restore a memory from a backup or from its text views.
    SOURCE  a backup, or a folder of text views written by `loxodon export`
    --replace  replace the current memory; the old database is kept
    --as as other  restore the backup of another space into this one
    --all  restore all spaces in the backup
    @SETTINGS

move | | moving.run
    Move all spaces into a PostgreSQL database, or back into files.
    --to PLACE = required  address of the database (postgresql://user@host/database), or folder of
        the new home

migrate | | databases.migrate
    Bring the schema of the PostgreSQL database up to date, and grant its roles what they need.

postgres | | databases.setup
    Print the SQL that makes the roles of a PostgreSQL database, or run it.
    ACTION=setup  the roles for migrations, servers and backups
    --apply URL = ''  run it as an administrator (postgresql://admin@host/database)

# Servers

serve | | serving.run
    Serve the memory over HTTP, with the console for browsers, and run its background jobs.
    @ADDRESS
    --port N = 8710  port to listen on ({default}); 0 for any free port

proxy | | proxying.run
    Add memory to any client, as a proxy in front of its model.
    --upstream URL = required  base URL of the model's server, such as https://api.openai.com/v1
    @ADDRESS
    --port N = 8711  port to listen on ({default}); 0 for any free port
    --key-env NAME = ''  environment variable with the upstream's API key (default: each client
        sends its own)
    --space-by user|key|fixed = user  how to tell users apart: user (a header or the request's
        user), key (then also by API key) or fixed (a header only)
    --limit SECONDS = 1.5  how long a request waits for the memory, in seconds (1.5)
    --timeout SECONDS = 600  how long to wait for data from the upstream, in seconds (600)
    --explain  log the ids of recalled memories

mcp | | mcp.run
    Serve the memory to an agent over MCP.
    @recall.chat = direct
    @capture.audience  who may see memories saved here (private; with --chat group: group)
    --no-background  do not run the background jobs: flush, consolidate, heartbeat
    --background  run them; this is the default
    --no-journal  do not journal what is said; for an agent whose conversations are journalled
        in another way, such as by hooks
    --http  use streamable HTTP instead of standard input and output
    @ADDRESS
    --port N = 8712  port to listen on ({default}); 0 for any free port

connect | | connecting.run
    Connect an agent: memories before its prompts, and its conversations in the journal.
    [AGENT] = status  claude-code, codex, cursor, gemini-cli, opencode, vscode, claude-desktop or
        openclaw; status (default) shows all of them
    --remove  disconnect it: its files become as they were
    --dry-run  show what would change, without changing anything
    @YES

follow | workspace.follow_agent | following.run
    Journal what was said to your agents since the last time.
    [AGENT…] as agents  claude-code, codex, gemini-cli or openclaw (default: every one found)

hook | | hooking.run
    Answer a hook of a connected agent; for the agent, not for direct use.
    AGENT as on  the agent
    EVENT  the event, with its JSON on standard input

openclaw | | openclaw.run
    Use Loxodon with OpenClaw: follow its sessions, or install into it.
    ACTION=follow|install|uninstall|status|answer  what to do
    @STATE
    --agent ID…  only this agent's sessions; can be repeated
    --workspace DIR  the agent's workspace (as in OpenClaw's own settings)
    --dry-run  show what would change, without changing anything
    @YES

token | | granting.run
    Create and revoke access tokens for programs.
    ACTION=add|list|revoke  what to do
    [NAME] = ''  name of the token
    --for SPACE… as spaces  a space it can access; can be repeated (default: all)
    --agent NAME = ''  the agent that uses it; without this, the owner, who can access every
        agent's memories
    @recall.chat = direct
    --relays-user  it passes on what the user said; without this, everything it sends counts as
        the agent's own words
    --rights metrics|read|write|owner = write  permissions: metrics (only the figures of a server),
        read, write (default; also add and change memories) or owner (everything)
    --expires TIME = ''  it stops working after this long: 12h, 7d or 2w (default: never)

schedule | due_reminders | scheduling.schedule
    Show background jobs: what is next and what failed.
    --run JOB  run this job now: flush, daily, weekly, profile or heartbeat

# Safety

pause | pause | control.pause
    Stop recording and learning for a while; recall still works.
    --for TIME as length = ''  for this long: 90m, 12h, 7d or 2w (default: until `loxodon resume`)

resume | resume | control.resume
    End a pause.

quarantine | quarantine | quarantining.run
    List instructions found in other people's text and held back; release or drop one.
    [DECISION=release|drop]  release shows it again, with its origin; drop hides it forever;
        without either, list
    [ID]  id of the entry, such as q_12
    --all  also show released and dropped entries
    --limit N = 50  maximum number of entries, newest first (50)

policy | scan | policing.run
    Show what is stored, masked or refused; check a text; scan stored data.
    [ACTION=check|scan|use]  check shows how a text would be treated; scan looks for stored data
        that the policy forbids; use makes a file the policy; without any, list the kinds
    [TEXT…]  the text, or - for standard input; with use, the file
    --mend  remove what scan finds

audit | audit.entries | auditing.run
    Show who read and wrote what, and check that log for tampering.
    [WHAT=show|verify|accept] = show  show the entries, verify that none was tampered with, or
        accept the problems that verify found
    --since TIME  only entries since this time
    --actor NAME  only entries of this interface or agent
    @op @id
    --limit N = 50  show the latest N (0 for all)
    --yes  accept without asking

encrypt | | encrypting.run_encrypt | | keyring key_file env
    Encrypt every database in the home.
    @KEY

decrypt | | encrypting.run_decrypt
    Decrypt the databases.

rekey | | encrypting.run_rekey | | keyring key_file env
    Change the encryption key.
    @KEY

# Maintenance

config | | | settings
    Show or change the settings.
    [KEY]  name of a setting; lists the main and the changed ones if omitted
    [VALUE]  its new value
    --all  list all settings
    --unset  reset the setting to its default

embed | embed | knowledge.embed
    Compute missing vectors, for search by meaning.
    --status  only show the progress

model | check_model | knowledge.model
    Test the configured model: what works, how fast, how well it reads.
    ACTION=check  test the model with ten sentences in each language

stats | stats
    Count what this memory holds.

validate | validate
    Check the data and its indexes for damage.

repair | | repairing.run
    Repair a damaged memory, and report what was lost.
    --from SOURCE as source = ''  a backup, a database or a folder of text views to copy intact
        data from

rebuild-index | rebuild_index
    Rebuild every index from the data.

clock | timekeeping | knowledge.clock
    Show whether the system clock is trusted; confirm that it is right.
    --right  confirm that the clock is right

bench | | bench.bench
    Measure how well memories are written and found.
    WHAT=retrieval|writing  what to measure
    FILE…  labelled conversations, or - for standard input
    --set KEY=VALUE…  override a setting; can be repeated
    --limit N = 0  only the first N conversations of each file (0 for all)
    --jobs N = 1  number of parallel processes (1)
    writing:
    --failures  list the conversations that failed a check
    --only TEXT = ''  only conversations whose id contains this text
    --model  also use the configured model, which may cost money
    retrieval:
    --embedder KIND[:PATH]  use this embedder (setting embedder.kind)
    @recall.profile
    --category NAME…  only questions of this category; can be repeated
    --leave-out NAME…  exclude this category from the overall figures; can be repeated
    --updates NAME…  category of questions about updates: is the newest answer first?
    --top N = 100  maximum number of items in the context (default: as many as fit)
    --crossed  also ask each conversation a question that only another can answer
    --details FILE  write the result of each question to this file, one per line
    --keep DIR = ''  keep the memories in this folder, and reuse those already there

completion | | help.completion
    Print a script that completes commands in your shell.
    SHELL=bash|zsh|fish  which shell
"""

COMMANDS = _Commands(_TABLE)
