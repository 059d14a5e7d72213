"""Which model a chat talks with, and which key goes where."""

from __future__ import annotations

from loxodon.config import ChatConfig, Config, ModelConfig, from_mapping
from loxodon.serve.chat.model import model_of
from tests.each import each

HERE, THERE = "http://here/v1", "http://there/v1"
BOTH = Config(chat=ChatConfig(HERE, "talks", "chat-key"), model=ModelConfig(THERE, "reads", "own"))
OWN = Config(model=ModelConfig(THERE, "reads", "own"))


@each(
    ("config", "base_url", "name", "found"),
    [
        (Config(), "", "", ("", "", "")),
        (BOTH, "", "", (HERE, "talks", "chat-key")),
        (BOTH, "", "other", (HERE, "other", "chat-key")),
        (BOTH, THERE, "", (THERE, "reads", "own")),
        (BOTH, "http://elsewhere", "m", ("http://elsewhere", "m", "")),
        (OWN, "", "", (THERE, "reads", "own")),
        (OWN, "http://elsewhere", "m", ("http://elsewhere", "m", "")),
        (from_mapping({"chat.api_key": "k"}), HERE, "m", (HERE, "m", "k")),
        (from_mapping({"chat.name": "m", "model.base_url": HERE}), "", "", (HERE, "m", "")),
    ],
)
def test_the_model(config: Config, base_url: str, name: str, found: tuple[str, str, str]) -> None:
    assert model_of(config, base_url, name)[:3] == found
