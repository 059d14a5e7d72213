"""Which model a chat talks with."""

from __future__ import annotations

from loxodon.config import ChatConfig, Config


def model_of(config: Config, base_url: str = "", name: str = "") -> ChatConfig:
    """The model that is asked for, else that of `[chat]`, else the memory's own.

    A key goes only to the address that it stands beside in the settings; one of `[chat]` that has
    no address there is for any that is named.
    """
    chat, model = config.chat, config.model
    address = base_url or chat.base_url or model.base_url
    if chat.base_url == address or not chat.base_url:
        known, key = chat.name, chat.api_key
    else:
        known, key = "", ""
    if address == model.base_url:
        known, key = known or model.name, key or model.api_key
    return ChatConfig(address, name or known, key, chat.timeout)
