"""USER.md, the profile, and layer1/snapshot.md, what a conversation starts with. Written only.

They are as consolidation last made them. Where it has not yet, or what they tell of has changed
since, they are made now, and stay until a memory changes: a day that passes changes no file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from loxodon.store.store import Store
from loxodon.views import Planned, View, based_on, comment

if TYPE_CHECKING:
    from loxodon.memory import Memory

PROFILE = "USER.md"
SNAPSHOT = "layer1/snapshot.md"


def views(
    memory: Memory, store: Store, bases: Mapping[str, str], language: str
) -> Iterator[Planned]:
    memories = [basis for name, basis in sorted(bases.items()) if name.startswith("memories/")]
    made = {name: store.worklog.page(name, language) for name in ("profile", "snapshot")}
    times = {name: page[2].timestamp() if page else 0 for name, page in made.items()}

    def profile() -> View:
        text = _profile(store, memory.now(), language)
        return View(PROFILE, f"{comment(PROFILE, store.space)}\n\n{text}\n")

    def snapshot() -> View:
        mark = comment(SNAPSHOT, store.space)
        return View(SNAPSHOT, f"{mark}\n\n{memory.snapshot(language)}\n")

    yield Planned(PROFILE, based_on(language, times["profile"], *memories), profile)
    yield Planned(SNAPSHOT, based_on(language, times["snapshot"], *memories), snapshot)


def _profile(store: Store, now: datetime, language: str) -> str:
    """The profile; where it has to be made, a model is not asked for its portrait."""
    from loxodon.write import compress
    from loxodon.write.residue import Residue

    return compress.profile(store, now, language, Residue())
