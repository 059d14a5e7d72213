"""Journalling what agents write down of their conversations, once and as it grows.

How far each transcript was read is put down with what was journalled of it, so that a run that is
killed reads the same again and adds nothing. Nothing of an agent's is ever written to.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from loxodon.errors import InputError
from loxodon.messages import tn
from loxodon.types import Draft, FileProblem, Followed
from loxodon.workspace.readers.lines import Trouble
from loxodon.workspace.transcript_files import Mark, TranscriptPart, parsed_mark

if TYPE_CHECKING:
    from loxodon.workspace.workspace import Workspace

_BATCH = 1_000
"""Turns that are gathered before they are journalled, with the marks of where they came from."""
_MOST_PROBLEMS = 100
"""Problems of one transcript that are told."""


class Following:
    """What one run found so far, and what waits to be journalled."""

    def __init__(self, workspace: Workspace, name: str) -> None:
        self._memory = workspace.memory
        self._store = workspace.store
        self._zone = workspace.zone
        self._name = name
        self._waiting: list[tuple[str, str, TranscriptPart]] = []
        self._found = Followed()
        self._sessions: dict[str, None] = {}
        self._problems: list[FileProblem] = []
        self._agent = ""
        """Whose turns they are, where agents are kept apart."""

    def result(self) -> Followed:
        self._flush()
        return self._found._replace(sessions=tuple(self._sessions), problems=tuple(self._problems))

    def tell(self, file: str, problems: Sequence[Trouble]) -> None:
        for line, error in problems[:_MOST_PROBLEMS]:
            message, hint = error.localized()
            self._problems.append(FileProblem(file, line, message, hint))
        left = len(problems) - _MOST_PROBLEMS
        if left > 0:
            more = tn("{n} more line cannot be read", "{n} more lines cannot be read", left)
            self._problems.append(FileProblem(file, 0, more))

    def _mark(self, path: str) -> Mark:
        return parsed_mark(self._store.workspace_data.mark(path))

    def _lies_still(self, path: str, mark: Mark) -> bool:
        try:
            stat = os.stat(path)
        except OSError:
            return False
        return (mark.get("size"), mark.get("mtime")) == (stat.st_size, stat.st_mtime_ns)

    def _wait(self, path: str, session: str, part: TranscriptPart) -> None:
        """Put what is new in a transcript with what waits."""
        self._waiting.append((path, session, part))
        if sum(len(part.drafts) for _, _, part in self._waiting) >= _BATCH:
            self._flush()

    def _check(self) -> None:
        """Raises InputError where what waits may be torn; what is read from whole files is not."""

    def _flush(self) -> None:
        """Journal what waits, and put down how far it was read."""
        self._check()
        waiting, self._waiting = self._waiting, []
        drafts = [draft for _, _, part in waiting for draft in part.drafts]
        if drafts:
            drafts = [_relayed(draft) for draft in drafts]
            if self._agent:
                drafts = [draft._replace(agent=self._agent) for draft in drafts]
            added = self._memory.add_drafts(drafts, [self._name])
            self._count(added=added.added, known=added.known, changed=added.changed)
            if added.added:
                self._sessions.update(dict.fromkeys(added.sessions))
        # A run that is killed here reads the same again, and adds nothing.
        self._set_marks([(path, session, part.mark) for path, session, part in waiting])

    def _set_marks(self, marks: Sequence[tuple[str, str, Mapping[str, object]]]) -> None:
        if marks:
            now = self._memory.now()
            with self._store.writing():
                for path, session, mark in marks:
                    self._store.workspace_data.set_mark(path, session, json.dumps(mark), now)

    def _count(self, **more: int) -> None:
        now = self._found._asdict()
        self._found = self._found._replace(**{name: now[name] + n for name, n in more.items()})


def _relayed(draft: Draft) -> Draft:
    """A draft of the user's words, which a program may have put files and quotations into."""
    return draft._replace(origin="relayed") if draft.origin == "user" else draft


def as_input(error: OSError | InputError, path: str) -> InputError:
    """Why a transcript could not be read."""
    if isinstance(error, InputError):
        return error
    return InputError(
        "cannot read {file}: {reason}",
        hint="check the file name and its permissions",
        file=path,
        reason=error.strerror or str(error),
    )


def stray() -> InputError:
    """What is said of a transcript that is not where the agent keeps them."""
    return InputError(
        "it is a link out of the agent's folder, and was not followed",
        hint="put the file itself there",
    )


def within(root: str, path: str) -> bool:
    """Whether a path leads into a folder, links and all; `root` is a real path."""
    return os.path.realpath(path).startswith(root + os.sep)
