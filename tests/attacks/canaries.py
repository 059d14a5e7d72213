"""A home full of canaries: every space, agent and audience has words that nobody else may see.

A secret is a sentence with two made-up words, a key and a value. Whoever asks may know the key, and
asks for it everywhere; the value must not be in a single byte of what comes back, unless the secret
is theirs to see. Words in a request may come back as an echo, so a value is never in one that is
not the secret's own.
"""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import NamedTuple

from loxodon import Memory
from loxodon.config import EXTRA_TOOLS
from loxodon.types import Audience, Chat
from tests.cli.shell import Shell
from tests.clock import NOW, Clock
from tests.long import count
from tests.security.tokens import token

from .backends import Backend

SPACES = ("ada", "张三")
AGENTS = ("", "coder", "小秘")
CONFIG = {"timezone": "Asia/Shanghai"}
_LETTERS = "bcdfghjklmnpqrstvwxz"
_SAID = (
    "My sister {key} works at {value}.",
    "My friend {value} lives in {key}.",
    "I am allergic to {key} and to {value}.",
    "My project {key} is about {value}.",
    "我的同事{value}住在{key}。",
    "我最喜欢的{key}是{value}。",
    "我对{key}和{value}过敏。",
)


class Viewer(NamedTuple):
    """Who asks."""

    space: str
    agent: str = ""
    chat: Chat = "direct"

    @property
    def token(self) -> str:
        return f"{self.space} {self.agent} {self.chat}"


class Secret(NamedTuple):
    """What only some may see."""

    space: str
    agent: str
    audience: Audience
    key: str
    value: str
    said: str

    def is_for(self, viewer: Viewer) -> bool:
        if self.space != viewer.space:
            return False
        if viewer.chat != "direct" and self.audience == "private":
            return False
        return not viewer.agent or self.agent in ("", viewer.agent) or self.audience == "all"


VIEWERS = tuple(
    Viewer(space, agent, chat)
    for space in SPACES
    for agent in AGENTS
    for chat in ("direct", "group")
)


class World:
    """The home, its secrets, and who has which token."""

    def __init__(self, home: Path, seed: int, backend: Backend) -> None:
        self.home = home
        self.backend = backend
        self.rng = Random(seed)
        self.clock = Clock(NOW)
        self.secrets: list[Secret] = []
        self.tokens: dict[Viewer, str] = {}
        self._numbers = 0

    def fill(self) -> None:
        """Let everybody say and capture something, and make knowledge of it."""
        self.home.mkdir(mode=0o700)
        if self.backend.url:
            Shell(self.home)("config", "store.url", self.backend.url)
        Shell(self.home)("config", "mcp.tools", " ".join(EXTRA_TOOLS))
        for viewer in VIEWERS:
            words = ["--for", viewer.space, "--chat", viewer.chat, "--rights", "write"]
            words += ["--for-agent", viewer.agent] if viewer.agent else []
            words += ["--relays-user"] if viewer.agent or viewer.chat == "group" else []
            self.tokens[viewer] = token(self.home, viewer.token, *words)
        for space in SPACES:
            with self.opened(space) as memory:
                for agent in AGENTS:
                    for chat in ("direct", "group"):
                        heard = memory.within(agent, chat, relays=True)
                        self.tell(heard, Viewer(space, agent, chat), count(1, 3))
                    for audience in ("private", "group", "all"):
                        self.capture(memory.within(agent), Viewer(space, agent), audience)
                memory.consolidate()

    def opened(self, space: str) -> Memory:
        config = {**CONFIG, "store.url": self.backend.url}
        return Memory.open(self.home, space, config, self.clock)

    def word(self) -> str:
        return "".join(self.rng.choices(_LETTERS, k=9)).capitalize()

    def secret(self, viewer: Viewer, audience: Audience) -> Secret:
        """A new secret of whoever says it."""
        key, value = self.word(), self.word()
        said = self.rng.choice(_SAID).format(key=key, value=value)
        found = Secret(viewer.space, viewer.agent, audience, key, value, said)
        self.secrets.append(found)
        return found

    def said(self, viewer: Viewer) -> dict[str, object]:
        """A new secret as a turn."""
        self._numbers += 1
        secret = self.secret(viewer, "private" if viewer.chat == "direct" else "group")
        return {
            "role": "user",
            "content": secret.said,
            "id": f"m{self._numbers}",
            "chat": viewer.chat,
        }

    def tell(self, memory: Memory, viewer: Viewer, count: int) -> None:
        memory.add([self.said(viewer) for _ in range(count)], "default")

    def capture(self, memory: Memory, viewer: Viewer, audience: Audience) -> None:
        secret = self.secret(viewer, audience)
        memory.capture(
            secret.said,
            audience=audience,
            entities=[secret.key],
            tags=[secret.key],
            project=secret.key,
            topic=secret.key,
        )

    def hidden(self, viewer: Viewer) -> list[Secret]:
        """What this one may not see."""
        return [one for one in self.secrets if not one.is_for(viewer)]

    def leaked(self, viewer: Viewer, data: bytes | str) -> list[Secret]:
        """The secrets that are in an answer and should not be."""
        text = data.decode("utf-8", "replace") if isinstance(data, bytes) else data
        folded = text.casefold()
        return [one for one in self.hidden(viewer) if one.value.casefold() in folded]

    def foreign(self, viewer: Viewer) -> Secret:
        return self.rng.choice(self.hidden(viewer))

    def ids(self, viewer: Viewer) -> dict[str, list[str]]:
        """Names of things that are there, and that this one may not know of."""
        with self.opened(viewer.space) as memory:
            own = memory.within(viewer.agent, viewer.chat)
            seen = {one.id for one in own.list(state="all")}
            turns = {one.ref for one in own.journal()}
            return {
                "memory": [one.id for one in memory.list(state="all") if one.id not in seen],
                "turn": [one.ref for one in memory.journal() if one.ref not in turns],
            }
