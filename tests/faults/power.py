"""Disks as a power cut would leave them, made from what was recorded of a piece of work.

What a file was given since it was last synced may be there, or not, or in part, in any order, torn
at sectors; names that were made, changed or taken away since their folder was synced may be as they
were before. What was synced is there. The work runs once; every moment of it can then be cut, any
number of times: `python -m tests.faults.power WORK RUNS SEED CONTROL` prints what it found, and
what CONTROL cuts found on a disk that ignores every sync.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from random import Random
from typing import Any, NamedTuple

from tests.faults.disk import Disk, Step, mounted
from tests.faults.run import Batch
from tests.faults.work import WORKS, run

SECTOR = 512
MODES = ("lost", "kept", "part", "reordered", "torn")  # what becomes of what was not synced


class File:
    """What a file holds for certain, and what it was given since."""

    def __init__(self, data: bytes = b"") -> None:
        self.certain = data
        self.since: list[Step] = []

    def sync(self) -> None:
        self.certain, self.since = _applied(self.certain, self.since), []

    def left(self, mode: str, random: Random) -> bytes:
        """What is found after a power cut."""
        if mode == "lost":
            return self.certain
        steps = [one for one in self.since if mode == "kept" or random.random() < 0.6]
        if mode == "reordered":
            random.shuffle(steps)
        if mode == "torn":
            steps = [piece for one in steps for piece in _sectors(one, random)]
        return _applied(self.certain, steps)


def _applied(data: bytes, steps: list[Step]) -> bytes:
    held = bytearray(data)
    for step in steps:
        if step.what == "truncate":
            del held[step.offset :]
            held += bytes(step.offset - len(held))
        else:
            held += bytes(max(0, step.offset - len(held)))
            held[step.offset : step.offset + len(step.data)] = step.data
    return bytes(held)


def _sectors(step: Step, random: Random) -> list[Step]:
    """A write as the sectors of it that reached the disk."""
    if step.what != "write":
        return [step]
    found = []
    at = 0
    while at < len(step.data):
        end = min(len(step.data), at + SECTOR - (step.offset + at) % SECTOR)
        if random.random() < 0.7:
            found.append(step._replace(offset=step.offset + at, data=step.data[at:end]))
        at = end
    return found


class Change(NamedTuple):
    """A name that was given to a file (None: to a folder), or taken away."""

    path: str
    file: File | None
    gone: str = ""  # the name that it had before, or the one that is no more


class State:
    """All files of a disk at a moment of the work, as they are and as they are for certain."""

    def __init__(self, root: str) -> None:
        self.names: dict[str, File | None] = {}
        for folder, folders, names in os.walk(root):
            self.names.update((os.path.join(folder, name), None) for name in folders)
            for name in names:
                with open(os.path.join(folder, name), "rb") as file:
                    self.names[os.path.join(folder, name)] = File(file.read())
        self.certain = dict(self.names)
        self._since: dict[str, list[Change]] = {}

    def take(self, step: Step) -> None:
        held = self.names.get(step.path)
        if step.what in ("write", "truncate") and held:
            held.since.append(step)
        elif step.what == "sync" and held:
            held.sync()
        elif step.what == "syncdir":
            for change in self._since.pop(step.path, ()):
                _name(self.certain, change)
        elif step.what == "create":
            self._change(Change(step.path, File()))
        elif step.what == "mkdir":
            self._change(Change(step.path, None))
        elif step.what == "delete":
            self._change(Change("", None, step.path))
        elif step.what == "rename":
            self._change(Change(step.to, held, step.path))

    def _change(self, change: Change) -> None:
        _name(self.names, change)
        folder = os.path.dirname(change.path or change.gone)
        self._since.setdefault(folder, []).append(change)

    def left(self, mode: str, random: Random) -> dict[str, bytes | None]:
        """What is found after a power cut: the content of each file, None for a folder."""
        names = dict(self.certain)
        for changes in self._since.values():
            kept = {"lost": 0, "kept": len(changes)}.get(mode, random.randint(0, len(changes)))
            for change in changes[:kept]:
                _name(names, change)
        return {
            path: None if file is None else file.left(mode, random)
            for path, file in sorted(names.items())
        }


def _name(names: dict[str, File | None], change: Change) -> None:
    if change.gone:
        names.pop(change.gone, None)
    if change.path:
        names[change.path] = change.file


class Cuts(Batch):
    """A piece of work, recorded, and the disks that power cuts make of it."""

    steps: Sequence[Step] = ()

    def record(self) -> None:
        """Do the work once and keep what it does to the disk."""
        home = self._fresh()
        disk = Disk(os.path.dirname(home), recording=True)
        with mounted(disk):
            run(self.work, home, lambda name: disk.note(Step("ack", name)))
        self.steps = disk.recorded or []

    def cut(self, at: int, mode: str, seed: int, syncs: bool) -> list[str]:
        """Everything that is wrong when the power goes off before step `at`."""
        root = os.path.dirname(self._fresh())
        state = State(root)
        for step in self.steps[:at]:
            if syncs or step.what not in ("sync", "syncdir"):
                state.take(step)
        shutil.rmtree(root)
        os.mkdir(root)
        for path, data in state.left(mode, Random(seed)).items():
            if not os.path.isdir(os.path.dirname(path)):
                continue  # its folder is lost, and it with the folder
            if data is None:
                os.mkdir(path, 0o700)
            else:
                with open(path, "wb") as file:
                    file.write(data)
        return self.wrong([step.path for step in self.steps[:at] if step.what == "ack"])


def cuts(work: Cuts, runs: int, seed: int, syncs: bool = True) -> dict[str, Any]:
    """What so many cuts at random moments find, and how many acknowledged deeds they looked for."""
    random = Random(seed)
    violations = []
    looked_for = 0
    for number in range(runs):
        at, mode = random.randint(1, len(work.steps)), MODES[number % len(MODES)]
        looked_for += sum(step.what == "ack" for step in work.steps[:at])
        found = work.cut(at, mode, seed + number, syncs)
        violations += [f"cut at {at}, {mode}, {seed + number}: {one}" for one in found]
    done = {"steps": len(work.steps), "runs": runs, "acknowledged": looked_for}
    return {**done, "violations": violations}


def main(name: str, runs: int, seed: int, control: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        work = Cuts(WORKS[name], folder)
        work.record()
        return {**cuts(work, runs, seed), "control": cuts(work, control, seed, syncs=False)}


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], *map(int, sys.argv[2:])), ensure_ascii=False))
