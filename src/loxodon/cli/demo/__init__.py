"""`loxodon demo`: an example memory, a few months of somebody's talk with an agent, in English and
in Chinese.

The talk is in `en.toml` and `zh.toml`; memories are made of it the way they are always made, with a
clock that goes from the first day to the present.
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
import tomllib
from datetime import datetime, timedelta
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from loxodon.cli import view
from loxodon.cli.commands import Call, Result, arg, command
from loxodon.errors import InputError
from loxodon.memory import Memory
from loxodon.messages import current, t
from loxodon.spaces import home_at

SPACES = {"en": "main", "zh": "zh"}  # the space of each language
_MARK = "example"  # a file in the home that says that it is one, and may be replaced
_ROLES = {">": "user", "<": "assistant", "w": "tool"}


@command(arg("--replace", "rebuild it as of today"))
def demo(call: Call) -> Result:
    """Build an example memory, a few months of a life, in --home or ~/.loxodon-demo."""
    home = home_at(call.home or "~/.loxodon-demo")
    is_example = Path(home, _MARK).exists()
    if not is_example and os.path.exists(home) and (os.path.isfile(home) or os.listdir(home)):
        hint = "choose a folder that is empty or does not exist: loxodon --home DIR demo"
        raise InputError(
            "{path} contains something other than an example memory", hint=hint, path=home
        )
    if call.replace or not is_example:
        shutil.rmtree(home, ignore_errors=True)
        os.makedirs(home, mode=0o700)
        Path(home, _MARK).write_text("An example made by `loxodon demo`\n", "utf-8")
        for n, (language, space) in enumerate(SPACES.items(), 1):
            _build(home, language, space, call.clock())
            view.progress(n, len(SPACES))
    space = SPACES[current()]
    start = ["--home", home, *([] if space == "main" else ["--space", space])]
    tries = _example(current())["try"]
    if not find_spec("starlette"):  # of the extra `serve`
        tries.remove("ui")
    tried = [[*start, *shlex.split(words)] for words in tries]
    said = t("an example memory is in {home}; nothing in it is yours. Try:", home=home)
    data = {"home": home, "try": [["loxodon", *words] for words in tried]}
    beside = os.path.join(os.path.dirname(sys.executable), "loxodon")
    program = "loxodon" if shutil.which("loxodon") else beside  # as it can be typed here
    return Result(data, [said, *(f"  {shlex.join([program, *words])}" for words in tried)])


def _example(language: str) -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name(f"{language}.toml").read_text("utf-8"))


def _build(home: str, language: str, space: str, now: datetime) -> None:
    """Live through the talk in a language, as if the last had been just before `now`."""
    clock = [now]
    # No settings of anybody: a model that is set would be asked, and paid for.
    with Memory.open(home, space, {"workspace.views": "off"}, lambda: clock[0]) as memory:
        for talk in _example(language)["talks"]:
            day = now - timedelta(days=talk["days_ago"])
            clock[0] = datetime.combine(day, talk["at"], now.tzinfo)
            for line in talk["said"]:
                kind, _, words = line.partition(" ")
                clock[0] += timedelta(seconds=20)
                if kind == "?":
                    memory.recall(words)
                    continue
                origin = {"origin": "web"} if kind == "w" else {}
                turn = {"role": _ROLES[kind], "content": words, "at": clock[0], **origin}
                memory.add([turn], talk["session"])
            clock[0] += timedelta(hours=2)  # the night after it
            memory.consolidate()
    with Memory.open(home, space, {}, lambda: now) as memory:
        memory.workspace.renew()
