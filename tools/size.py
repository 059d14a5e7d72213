"""Hold the lines of Python that each package has: they may shrink, never grow.

python tools/size.py            compare with size.toml; exit 1 if a package has grown
python tools/size.py --lower    write the smaller figures to size.toml

When a package is dissolved, those that take its code over may grow by as much as it had, once: the
figure of the whole source still never rises.
"""

from __future__ import annotations

import sys
import tomllib
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIMITS = ROOT / "tools" / "size.toml"


def lines() -> dict[str, int]:
    """Lines of Python by package of the source, of all of it, and of the tests."""
    found: Counter[str] = Counter()
    source = ROOT / "src" / "loxodon"
    for path in source.rglob("*.py"):
        parts = path.relative_to(source).parts
        found[parts[0] if len(parts) > 1 else "top"] += path.read_text("utf-8").count("\n")
    found["source"] = found.total()
    for path in (ROOT / "tests").rglob("*.py"):
        found["tests"] += path.read_text("utf-8").count("\n")
    return dict(found)


def main(arguments: list[str]) -> int:
    limits = tomllib.loads(LIMITS.read_text("utf-8"))
    now = lines()
    if arguments == ["--lower"]:
        dissolved = sum(n for name, n in limits.items() if name not in now)
        grown = sum(max(0, n - limits.get(name, 0)) for name, n in now.items() if name != "source")
        moved = grown <= dissolved and now["source"] <= limits["source"]
        limits = {
            name: n if moved else min(n, limits.get(name, n)) for name, n in sorted(now.items())
        }
        LIMITS.write_text("".join(f"{name} = {n}\n" for name, n in limits.items()), "utf-8")
    grown = {name: n - limits.get(name, 0) for name, n in now.items() if n > limits.get(name, 0)}
    for name, more in grown.items():
        print(f"{name}: {now[name]} lines, {more} more than tools/size.toml allows")
    return bool(grown)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
