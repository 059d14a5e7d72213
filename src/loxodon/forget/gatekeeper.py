"""Who keeps out what was forgotten: whatever comes in is held against the tombstones of a space."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from loxodon.clock import to_stored
from loxodon.forget.tombstones import Marker, Marks, Tombstone
from loxodon.security.keys import Keys
from loxodon.types import Turn

if TYPE_CHECKING:
    from loxodon.config import Config
    from loxodon.store.store import Store
    from loxodon.types import Draft


class Admitted(NamedTuple):
    """What of turns may be journalled."""

    keyed: list[tuple[Turn, bytes]]
    forgotten: int = 0
    """Those that were forgotten, and are not taken again."""


class Gatekeeper:
    """Holds what comes in against the tombstones of a space, which are read when they change."""

    def __init__(self, home: str, config: Config, store: Store) -> None:
        self._home = home
        self._config = config
        self._store = store
        self._version = ""
        self._marks: Marks | None = None

    def marks(self) -> Marks | None:
        """The tombstones; None where nothing was ever forgotten."""
        if (version := self._store.tombstones_version) != self._version:
            kept = [Tombstone(*one) for one in self._store.erasure.tombstones()]
            marker = marker_of(self._home, self._config, self._store.space)
            self._marks, self._version = Marks(marker, kept) if kept else None, version
        return self._marks

    def admitted(
        self, drafts: Sequence[Draft | None], keyed: list[tuple[Turn, bytes]], live: bool
    ) -> Admitted:
        """Those turns that were not forgotten, without what of them was.

        Of one without a time nobody knows how old it is, unless whoever hands it in is `live`.
        """
        marks = self.marks()
        if marks is None:
            return Admitted(keyed)
        found: list[tuple[Turn, bytes]] = []
        for draft, (turn, key) in zip(drafts, keyed, strict=True):
            undated = draft is not None and draft.at is None
            at = to_stored(turn.at)[0]
            called, turn = turn.session, _placed(marks, turn, 0 if undated and not live else at)
            when = None if undated and not live else at
            if turn.session != called and marks.bars(b"", called, "", when):
                continue
            if marks.bars(key, turn.session, turn.content, when):
                continue
            if undated and live and marks.bars(key, "", "", None):
                continue  # the same turn once more, as any other that is known
            at = 0 if undated and not live else at
            if turn.speaker and marks.named(turn.speaker, at):
                continue
            rest, key = marks.left_of(key, turn.content)
            content = marks.cut(rest, at)
            if content != rest:
                key = marks.marker.key(key)
            if content != turn.content:
                turn = turn._replace(content=content)
            if content.strip():
                found.append((turn, key))
        return Admitted(found, len(keyed) - len(found))


def _placed(marks: Marks, turn: Turn, at: int) -> Turn:
    """A turn whose session and channel are not called after what was forgotten."""
    if not marks.cuts:
        return turn
    session = marks.session_name(turn.session, at)
    channel = turn.channel if marks.cut(turn.channel, at) == turn.channel else ""
    if (session, channel) == (turn.session, turn.channel):
        return turn
    return turn._replace(session=session, channel=channel)


def marker_of(home: str, config: Config, space: str) -> Marker:
    """What makes the tombstones of a space, with its own key."""
    return Marker(Keys(home, config.keys.source).key("tombstone", space))
