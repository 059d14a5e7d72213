"""One turn being read: what it says, whom it is about, and what was read from it so far."""

from __future__ import annotations

from collections.abc import Sequence

from loxodon.write.statements import Fragment, Said, Statement, Verdict
from loxodon.write.zh.clean import count_han, plain
from loxodon.write.zh.judge import MANY
from loxodon.write.zh.phrasing import straightened
from loxodon.write.zh.scene import Scene, asked
from loxodon.write.zh.words import pattern


class Reading:
    """The state that the parts of reading share."""

    def __init__(self, said: Said, verdicts: Sequence[Verdict]) -> None:
        self.said = said
        self.verdicts = verdicts
        self.scene = Scene(said)
        self.found: list[Statement] = []
        self.question = asked(said)
        self.slipped = False
        """Whether the last fragment said that something said before was wrong."""
        self.mistaken: tuple[str, str, str] | None = None
        """Of whom or what, with which verb, and what was said wrongly: 上次说小宋在腾讯."""
        self.put_right = -1
        """The fragment that the one before it has already read: 是B, after 不是A."""
        self.lost = False
        """Whether the last clause was about someone that could not be told."""
        self.retracted: tuple[str, ...] = ()
        """What a joke taken back had said, to be ended by the next statement."""
        self.place = 0
        """The fragment that is being read."""
        self.texts = [straightened(plain(one.text)) for one in said.fragments[:MANY]]


def ends_sentence(fragment: Fragment) -> bool:
    return bool(pattern(r"[。！!？?\n]\s*$").search(fragment.text))


def size(text: str) -> int:
    """How much a text says, in characters; a Latin word or a number counts two."""
    return count_han(text) + 2 * len(pattern(r"[A-Za-z]+|[0-9]+(?:\.[0-9]+)?").findall(text))
