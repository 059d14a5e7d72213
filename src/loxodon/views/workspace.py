"""The workspace of a memory: the same memory as text, and the files that stand beside it.

    with Memory.open("~/.loxodon") as memory:
        memory.workspace.export()     # the memory, as text
        memory.workspace.sync()       # what you changed there, and your own notes

`export` writes the text, `sync` takes edits in; `notes/` reads notes, `imports/` what other
programs keep, `journal/` and `agents/` follow agents.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, NamedTuple

from loxodon import layout
from loxodon.errors import UsageError, refused
from loxodon.fields import number
from loxodon.paging import Key, Page, cut, paged
from loxodon.security.paths import allowed_path
from loxodon.store import NoteFile, Progress
from loxodon.verbs import PATH, Arg, Cursor, DryRun, Limit, Route, verb

if TYPE_CHECKING:
    from loxodon.config import Config
    from loxodon.imports.take import Imported
    from loxodon.journal.follow import Followed
    from loxodon.memory import Memory
    from loxodon.notes.index import Indexed
    from loxodon.views.export import Exported
    from loxodon.views.sync import Synced

TROUBLE = "views"  # the page that says why the views could not be written


def workspace_of(folder: str, config: Config) -> str:
    """Where the text views of the space in `folder` are kept now."""
    path = config.workspace.path if os.path.basename(folder) == "main" else ""
    return os.path.abspath(os.path.expanduser(path or os.path.join(folder, layout.WORKSPACE)))


class SourceFile(NamedTuple):
    file: str
    role: str  # `memory`, `user`, `soul`, `agents`, `daily` or `note`
    size: int
    chunks: int
    problem: str = ""  # why it could not be read, or what of it was left out


class Workspace:
    """See the module. Made by `Memory.workspace`."""

    def __init__(self, memory: Memory) -> None:
        self.memory, self.store, self.zone = memory, memory.store, memory.zone
        self.folder = memory.folder  # the folder of the space, with its database
        own = os.path.join(memory.home, layout.SPACES, os.path.basename(self.folder))
        # Where the workspace is unless a setting says another place
        self.usual = os.path.abspath(os.path.join(own, layout.WORKSPACE))
        self._requested = os.path.join(own, layout.FILES)
        # The folder: the views are in `memory/` in it, the agent's own files beside that
        self.path = workspace_of(own, memory.config)

    @property
    def has_views(self) -> bool:
        """Whether the memory is written out as text by itself."""
        return self.memory.config.workspace.views == "on" and self.memory.has_views

    @property
    def is_empty(self) -> bool:
        counts = self.store.counts()
        return not (counts.turns or counts.active or counts.archived)

    @verb("POST /workspace/export", access="owner", audit="reads", long=True)
    def export(
        self,
        folder: Annotated[
            str | os.PathLike[str] | None, Arg("folder to write to (default: the workspace)", PATH)
        ] = None,
        *,
        plain: bool = False,
        progress: Progress | None = None,
        settled: Mapping[str, str] | None = None,
    ) -> Exported:
        """Write the memory as text.

        It goes into `memory/` of the workspace, or of `folder`. What is not Loxodon's is left, and
        so is a view with edits until `sync` has taken them in; `settled` names those that it has,
        each with the hash of what it read. `plain` allows it for an encrypted memory.
        """
        from loxodon.views.export import export

        given = (
            None if folder is None else allowed_path(self.memory.home, folder, [self._requested])
        )
        if self.memory.keys and (given is None or not plain):
            raise UsageError(
                "this memory is encrypted, so it is not exported as text",
                hint="to export it anyway, run `loxodon export DIR --plain`; anyone who can read "
                "that folder can then read everything",
            )
        if given is None and not self.memory.has_views:
            raise refused("views")
        return export(self, given, progress=progress, settled=settled)

    @verb(access="owner", audit="works")
    def renew(self) -> str:
        """Take in what was edited, then write the views; why that could not be done, else empty."""
        from loxodon.views.export import renew

        return renew(self)

    @property
    def trouble(self) -> str:
        """Why the views could not be written the last time, in English; empty where they could."""
        page = self.store.worklog.page(TROUBLE, "")
        return page[0] if page else ""

    @verb("POST /workspace/sync", access="owner", audit="writes")
    def sync(
        self,
        *,
        deletions: Annotated[bool, Arg("archive every memory whose line was deleted")] = False,
        dry_run: DryRun = False,
    ) -> Synced:
        """Apply edits of the text views, and index the notes.

        An entry that was edited edits the memory, a new one is captured, a deleted one archives.
        What the memory has changed meanwhile is left and reported, as is a view that has lost most
        of its entries; `deletions` archives these all the same.
        """
        from loxodon.views.sync import sync

        return sync(self, deletions=deletions, dry_run=dry_run)

    @verb("POST /workspace/index", access="owner", audit="works", long=True)
    def index(self, progress: Progress | None = None) -> Indexed:
        """Index the notes that changed: the agent's own files, and the user's Markdown."""
        from loxodon.notes.index import index

        return index(self, progress)

    @verb(Route("GET /workspace/sources", access="owner"), audit="reads")
    def sources(self, *, limit: Limit = 0, cursor: Cursor = "") -> Page[SourceFile]:
        """List the indexed notes, by name."""
        number("limit", limit)
        return paged("workspace.sources", cursor, lambda after: cut(self._files(), limit, after))

    def _files(self) -> list[tuple[Key, SourceFile]]:
        counts = {(root, path): n for root, path, n in self.store.query("chunk_counts")}
        found: list[tuple[Key, SourceFile]] = []
        for file in self.store.query_as(NoteFile, "files"):
            path = os.path.join(file.root, *file.path.split("/"))
            chunks = counts.get((file.root, file.path), 0)
            found.append(((path,), SourceFile(path, file.role, file.size, chunks, file.problem)))
        return sorted(found)

    @verb(access="owner", audit="works")
    def follow(self, state: str | None = None, agents: Sequence[str] = ()) -> Followed:
        """Journal what OpenClaw's agents (all, or these ids) and their people said since."""
        from loxodon.agents.openclaw.follow import follow, state_folder

        return follow(self, allowed_path(self.memory.home, state_folder(state, os.environ)), agents)

    @verb(access="owner", audit="works")
    def follow_agent(
        self,
        agent: str,
        file: str = "",
        progress: Progress | None = None,
        *,
        known: bool = False,
        project: str = "",
    ) -> Followed:
        """Journal what was said to a coding agent since, in all of its transcripts or in one."""
        from loxodon.journal.follow import follow_agent
        from loxodon.journal.transcripts import AGENTS

        folder = allowed_path(self.memory.home, AGENTS[agent].folder(os.environ))
        return follow_agent(self, agent, folder, file, progress, known=known, project=project)

    @verb(
        "POST /workspace/import",
        access="owner",
        audit="writes",
        name="import",
        makes_space=True,
        long=True,
    )
    def take_in(
        self,
        path: Annotated[str, Arg("a file, an archive or a folder", PATH)],
        format: Annotated[str | None, Arg("format of the file; detected if omitted")] = None,
        *,
        user: Annotated[
            str, Arg("only import this person's memories, if the file has several people's")
        ] = "",
        dry_run: Annotated[bool, Arg("show what would be imported, without importing")] = False,
        progress: Progress | None = None,
    ) -> Imported:
        """Import memories and chats from another program.

        See `loxodon.imports` for the formats. The same again adds nothing. What cannot be read as a
        whole is refused with an InputError before anything is taken.
        """
        from loxodon.imports import take_in

        path = allowed_path(self.memory.home, path, [self._requested])
        return take_in(self, path, format, user=user, dry_run=dry_run, progress=progress)
