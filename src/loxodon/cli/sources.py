"""The command that reads notes and lists them."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Sequence

from loxodon.cli import view
from loxodon.cli.opening import Outcome, opened
from loxodon.messages import t, tn
from loxodon.types import FileProblem, Indexed, SourceFile

_LISTED = 50
"""Files that a person is shown; JSON has all."""


def run(args: Namespace) -> Outcome:
    with opened(args) as memory:
        workspace = memory.workspace
        indexed = Indexed()
        if not args.no_read:
            with view.Bar(t("reading notes")) as bar:
                indexed = workspace.index(bar)
        files = workspace.sources()
        path = workspace.path
    problems = _problems(indexed, files)
    data = {
        "workspace": path,
        "indexed": indexed._replace(problems=()),
        "files": files,
        "problems": problems,
    }

    def show() -> None:
        if not args.no_read:
            print(
                tn(
                    "{n} file read, {unchanged} unchanged, {removed} removed",
                    "{n} files read, {unchanged} unchanged, {removed} removed",
                    indexed.read,
                    unchanged=indexed.unchanged,
                    removed=indexed.removed,
                )
            )
        _show_files(files, path)
        for problem in problems:
            _show_problem(problem)

    return Outcome(data, show)


def _problems(indexed: Indexed, files: Sequence[SourceFile]) -> list[FileProblem]:
    """What is wrong now, and what was when a file was last read."""
    told = {problem.file for problem in indexed.problems}
    before = [FileProblem(one.file, 0, one.problem) for one in files if one.problem]
    return [*indexed.problems, *(one for one in before if one.file not in told)]


def _show_files(files: Sequence[SourceFile], path: str) -> None:
    if not files:
        print(
            view.safe(
                t(
                    "no notes at {path}; set their folders with workspace.path and "
                    "workspace.folders",
                    path=path,
                )
            )
        )
        return
    headings = ((t("file"), True), (t("kind"), False), (t("chunks"), False))
    roles = {
        "memory": t("memory"),
        "user": t("user"),
        "daily": t("daily note"),
        "note": t("other note"),
    }
    view.table(
        headings,
        [
            (view.safe(one.file), roles.get(one.role, one.role), str(one.chunks))
            for one in files[:_LISTED]
        ],
    )
    if len(files) > _LISTED:
        more = len(files) - _LISTED
        print(t("… and {n} more; --json lists all", n=more))


def _show_problem(problem: FileProblem) -> None:
    where = f"{problem.file}:{problem.line}" if problem.line else problem.file
    hint = f" ({problem.hint})" if problem.hint else ""
    print(view.safe(f"{where}: {problem.what}{hint}"), file=sys.stderr)
