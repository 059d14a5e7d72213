"""Files of labelled lines, and processes that share what is made of them."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from typing import Any, TypeVar

from loxodon.errors import InputError

Progress = Callable[[int, int], None]
T = TypeVar("T")
R = TypeVar("R")


def lines_of(name: str) -> list[bytes]:
    """The lines of a file, or of standard input where its name is `-`."""
    try:
        if name != "-":
            with open(name, "rb") as file:
                return file.readlines()
        if sys.stdin is None:
            raise OSError(0, "it is closed")
        return sys.stdin.buffer.readlines()
    except OSError as error:
        raise InputError(
            "cannot read {file}: {reason}",
            hint="check the file name and its permissions",
            file=name,
            reason=error.strerror or str(error),
        ) from None


def parsed(
    lines: Iterable[bytes], name: str, parse: Callable[[Mapping[str, Any]], T], example: str
) -> list[T]:
    """What `parse` makes of each line of a file called `name`; one InputError for all bad ones."""
    found: list[T] = []
    problems: list[tuple[int, InputError]] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            found.append(parse(_object(line, number)))
        except InputError as error:
            problems.append((number, error))
    if problems:
        raise InputError(
            "cannot use {file}: {n} invalid lines",
            hint="a line is a conversation: {example}",
            problems=problems,
            file=name,
            n=len(problems),
            example=example,
        )
    if not found:
        raise InputError(
            "{file} contains no conversations",
            hint="a line is a conversation: {example}",
            file=name,
            example=example,
        )
    return found


def _object(line: bytes, number: int) -> Mapping[str, Any]:
    try:
        # Decoded here, because json would guess at UTF-16 and UTF-32.
        value = json.loads(line.decode("utf-8-sig" if number == 1 else "utf-8"))
    except UnicodeDecodeError:
        raise InputError(
            "the line is not UTF-8 text", hint="save the file as UTF-8 and read it again"
        ) from None
    except json.JSONDecodeError as error:
        raise InputError(
            "the line is not JSON: {reason} at column {column}",
            hint="write one conversation per line",
            reason=error.msg,
            column=error.colno,
        ) from None
    except RecursionError:
        raise InputError("the JSON is nested too deeply") from None
    if not isinstance(value, dict):
        raise InputError(
            "the line is a JSON {type}, not an object",
            hint="write one conversation per line",
            type=type(value).__name__,
        )
    return value


def objects(value: Mapping[str, Any], field: str, where: str = "") -> list[Mapping[str, Any]]:
    """The list of objects in a field."""
    found = value.get(field)
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise unfit(where + field)
    return found


def name(value: Mapping[str, Any], field: str, where: str = "") -> str:
    """An id or a category: text, or a number that is taken as such."""
    found = value.get(field)
    if isinstance(found, int) and not isinstance(found, bool):
        found = str(found)
    if not isinstance(found, str) or not found:
        raise unfit(where + field)
    return found


def unfit(field: str) -> InputError:
    return InputError(
        "{field} is missing or has the wrong type", hint="write it as in the example", field=field
    )


def shared(
    run: Callable[[T], R], tasks: Sequence[T], jobs: int, progress: Progress | None
) -> Iterator[R]:
    """Each task done, in order, by as many processes as asked for."""
    if jobs > 1:
        from concurrent.futures import ProcessPoolExecutor
        from multiprocessing import get_context

        pool: ProcessPoolExecutor | None = ProcessPoolExecutor(jobs, get_context("spawn"))
    else:
        pool = None
    with pool or nullcontext():
        found = pool.map(run, tasks) if pool else map(run, tasks)
        for n, done in enumerate(found, 1):
            if progress:
                progress(n, len(tasks))
            yield done
