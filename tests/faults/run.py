"""Runs pieces of work with a fault at one point each, and looks at what is left.

A process of its own, because it forks for every run: `python -m tests.faults.run WORKS RUNS SEED`
(names with commas between; 0 runs are one at every point) prints what it found as JSON. With KIND
POINT PART after these it does that one run again.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
import traceback
from collections import Counter
from contextlib import suppress
from random import Random
from typing import Any

from loxodon import Memory
from loxodon.errors import LoxodonError
from tests.faults import disk as disks
from tests.faults.disk import KILLED, KINDS, Disk, Fault, mounted
from tests.faults.work import WORKS, Work, opened, problems, run, truth, views

# How a process ends whose work was refused with one of our errors, or with anything else
FAILED, CRASHED = 11, 12


class Batch:
    """One piece of work, its undisturbed end, and the faults it is put through."""

    def __init__(self, work: Work, folder: str) -> None:
        self.work = work
        self._folder = folder
        disks.plain()
        self._template = os.path.join(folder, "template")
        os.mkdir(self._template)
        work.prepare(os.path.join(self._template, "home"))
        home = self._fresh()
        run(work, home, lambda name: None)  # loads what is loaded when first needed
        home = self._fresh()
        disk = Disk(os.path.dirname(home))
        with mounted(disk):
            run(work, home, lambda name: None)
        self.points = disk.points
        with opened(home, work.days) as memory:
            if wrong := problems(memory):
                raise SystemExit(f"undisturbed, and yet: {wrong}")
            self._truth, self._texts = truth(memory), views(memory)

    def _fresh(self) -> str:
        """The home to begin with, anew; always in the same place, which is written into it."""
        path = os.path.join(self._folder, "run")
        shutil.rmtree(path, ignore_errors=True)
        shutil.copytree(self._template, path)
        return os.path.join(path, "home")

    def faults(self, runs: int, seed: int) -> list[Fault]:
        """A fault at every point, of a kind that can happen there; or `runs` of these."""
        random = Random(seed)
        every = []
        for at, what in enumerate(self.points, 1):
            kind = random.choice([kind for kind, where in KINDS.items() if what in where])
            every.append(Fault(kind, at, round(random.random(), 3)))
        return random.sample(every, runs) if runs else every

    def violations(self, fault: Fault) -> tuple[str, list[str]]:
        """How the disturbed run ended, and everything that is wrong after it."""
        home = self._fresh()
        ended, told, hit = _disturbed(self.work, home, fault)
        found = [told[-1]] if ended == "crashed" else []
        acknowledged = [line[4:] for line in told if line.startswith("ack ")]
        if ended == "done" and len(acknowledged) < len(self.work.deeds):
            found.append("it ended without having done all")
        return ended, [f"{one} [{hit}]" for one in [*found, *self.wrong(acknowledged)]]

    def wrong(self, acknowledged: list[str]) -> list[str]:
        """What is wrong with the home that a fault has left, now and when it is done again."""
        home = os.path.join(self._folder, "run", "home")
        try:
            return self._looked_at(home, acknowledged) + self._done_again(home)
        except Exception as error:  # whatever it is, it is a finding, and the next run must go on
            return [f"afterwards: {type(error).__name__}: {error}"]

    def _looked_at(self, home: str, acknowledged: list[str]) -> list[str]:
        with opened(home, self.work.days) as memory:
            found = problems(memory)
            lost = [name for name in self._undone(memory) if name in acknowledged]
        return found + [f"acknowledged and lost: {name}" for name in lost]

    def _undone(self, memory: Memory) -> list[str]:
        return [one.name for one in self.work.deeds if one.name != "views" and not one.done(memory)]

    def _done_again(self, home: str) -> list[str]:
        run(self.work, home, lambda name: None)
        with opened(home, self.work.days) as memory:
            found = problems(memory)
            found += [f"done again, and not done: {name}" for name in self._undone(memory)]
            held = truth(memory), self._truth
            texts = views(memory), self._texts
        for kind, is_now, should in (("list of", *held), ("view", *texts)):
            for name in sorted(is_now.keys() | should.keys()):
                one, other = is_now.get(name), should.get(name)
                if one != other:
                    found.append(f"the {kind} {name} ended otherwise: {_difference(one, other)}")
        return found


def _difference(is_now: object, should: object) -> str:
    """The first thing that differs, shortened."""
    if isinstance(is_now, list) and isinstance(should, list):
        for one, other in zip(is_now, should, strict=False):
            if one != other:
                return f"{one!s:.600} for {other!s:.600}"
        return f"{len(is_now)} rows for {len(should)}: {[*is_now, *should][-1]!s:.300}"
    return f"{is_now!r:.300} for {should!r:.300}"


def _disturbed(work: Work, home: str, fault: Fault) -> tuple[str, list[str], str]:
    """Do the work in a process of its own with a fault: how it ended, and what it told us."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        code = CRASHED
        with suppress(BaseException):
            code = _child(work, home, fault, writing)
        os._exit(code)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as pipe:
        told = pipe.read().splitlines()
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    ended = {0: "done", FAILED: "refused", KILLED: "killed"}.get(code, "crashed")
    if ended == "crashed" and not (told and told[-1].startswith("crash ")):
        told.append(f"crash: exit code {code}")
    hit = next((line[4:] for line in told if line.startswith("hit ")), "")
    return ended, told, hit


def _child(work: Work, home: str, fault: Fault, pipe: int) -> int:
    def tell(line: str) -> None:
        disks._REAL["write"](pipe, f"{line}\n".encode())

    disk = Disk(os.path.dirname(home), fault)
    code, crash = 0, ""
    with mounted(disk):
        try:
            run(work, home, lambda name: tell(f"ack {name}"))
        except (LoxodonError, OSError):
            code = FAILED
        except SystemError as error:  # what APSW makes of an error that SQLite has overlooked
            code = FAILED if "with an exception set" in str(error) else CRASHED
        except Exception as error:  # told to the parent, which counts it as a violation
            frames = traceback.extract_tb(error.__traceback__)
            ours = [f"{one.name}:{one.lineno}" for one in frames if "/loxodon/" in one.filename]
            crash = f"crash {type(error).__name__}: {error} at {ours[-2:]}"
            code = CRASHED
    tell(f"hit {disk.hit}")
    if crash:
        tell(crash)
    return code


def batch(name: str, runs: int, seed: int) -> dict[str, Any]:
    kinds: Counter[str] = Counter()
    endings: Counter[str] = Counter()
    violations = []
    with tempfile.TemporaryDirectory() as folder:
        one = Batch(WORKS[name], folder)
        for fault in one.faults(runs, seed):
            ended, found = one.violations(fault)
            kinds[fault.kind] += 1
            endings[ended] += 1
            violations += [f"{name} {fault}: {each}" for each in found]
    done = {"points": len(one.points), "runs": kinds.total()}
    return {**done, "kinds": kinds, "ended": endings, "violations": violations}


if __name__ == "__main__":
    work, amount, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    if len(sys.argv) > 4:
        with tempfile.TemporaryDirectory() as place:
            again = Fault(sys.argv[4], int(sys.argv[5]), float(sys.argv[6]))
            print(Batch(WORKS[work], place).violations(again))
    else:
        reports = {name: batch(name, amount, seed) for name in work.split(",")}
        print(json.dumps(reports, ensure_ascii=False))
