"""Whatever is killed and however many flush at once, what was said is known, and known once."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

from loxodon import Memory

CITIES = ("Leeds", "York", "Bath", "Wells", "Hull")
LIVES = f"""
import sys
from loxodon import Memory
home, name = sys.argv[1:]
with Memory.open(home) as memory:
    for n, city in enumerate({CITIES!r}):
        text = f"My friend {{name}}{{chr(97 + n)}} lives in {{city}}"
        memory.add([{{"role": "user", "content": text, "id": f"{{name}}{{n}}"}}], session=name)
        print(flush=True)
        memory.flush()
"""


def start(home: Path, name: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", LIVES, str(home), name],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def test_several_processes_flush_and_some_are_killed(tmp_path: Path) -> None:
    Memory.open(tmp_path).close()
    names = ("Tom", "Ada", "Zoe")
    for turns in (1, 2):
        one = start(tmp_path, "Tom")
        assert one.stdout is not None
        for _ in range(turns):
            one.stdout.readline()
        one.kill()  # in the midst of what it does
        one.communicate()
    running = [start(tmp_path, name) for name in names]
    for each in running:
        _, said = each.communicate(timeout=120)
        assert each.returncode == 0, said.decode()
    with Memory.open(tmp_path) as memory:
        memory.flush()
        assert len(memory.journal()) == len(names) * len(CITIES)
        assert memory.status().pending == 0
        found = Counter(one.content for one in memory.list(kind="fact"))
        homes = [text for text in found if " lives in " in text]
        assert len(homes) == len(names) * len(CITIES)
        assert set(found.values()) == {1}
        assert memory.validate() == []
