"""The example memory: what it has to show, and that it is never somebody's own."""

from __future__ import annotations

import json
from pathlib import Path

from loxodon import Memory
from tests.clock import NOW, Clock
from tests.serve.shell import typed

ENV = {"LANG": "C.UTF-8", "TZ": "Asia/Shanghai", "LOXODON_NOW": NOW.isoformat()}
MOVED = {"main": ("Bristol", "Lisbon"), "zh": ("成都", "杭州")}


def test_example_has_something_for_every_page_and_is_built_once(tmp_path: Path) -> None:
    home = tmp_path / "home"
    env = {**ENV, "HOME": str(tmp_path), "LOXODON_HOME": str(tmp_path / "own")}
    done = typed("--home", str(home), "demo", "--json", env=env)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["try"][0] == ["loxodon", "--home", str(home), "ui"]
    assert [one.name for one in tmp_path.iterdir()] == ["home"]
    for space, (before, after) in MOVED.items():
        with Memory.open(home, space, clock=Clock(NOW)) as memory:
            day = memory.today()
            for shown in (day.learned, day.reviews, day.doubtful, day.reminders, day.changed):
                assert shown
            assert day.ended
            assert (day.held, day.pending) == (2, 0)  # an instruction, and a request to forget
            (place,) = [
                one for one in memory.list() if one.subject == "user" and one.value == after
            ]
            related = memory.related(place.id)
            assert related.replaced is not None
            assert before in related.replaced.content
            assert len(memory.graph().nodes) > 15
            lifted = [one for one in memory.list() if one.access_count]
            assert {"used"} <= {mark.change for mark in memory.strength(lifted[0].id).marks}
            said = [one for one in memory.timeline() if one.turn.role == "user"]
            assert len([one for one in said if not one.memories]) <= 8  # most is worth keeping
            assert {one.trust for one in memory.list(state="all")} <= {"user", "assistant"}
            assert memory.validate() == []
    stamp = (home / "example").stat().st_mtime_ns
    assert b"loxodon --home" in typed("demo", str(home), env=env).stdout
    assert (home / "example").stat().st_mtime_ns == stamp
    mine = tmp_path / "mine"
    with Memory.open(mine) as memory:
        memory.capture("Mine")
    for words in (("demo", str(mine), "--replace"), ("--home", str(mine), "demo")):
        refused = typed(*words, env=env)
        assert refused.returncode != 0
        assert b"something other than" in refused.stderr
    with Memory.open(mine) as memory:
        assert memory.stats().active == 1
