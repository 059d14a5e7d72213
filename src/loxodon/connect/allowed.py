"""Whether Codex runs the hooks that it was given: it does once the person has allowed each of them.

What was allowed is in its `config.toml`, as a hash of the hook under the place where it stands. It
is read here and never written: to allow is the person's.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from loxodon.errors import InputError
from loxodon.workspace.openclaw import json5, toml
from loxodon.workspace.openclaw.changes import Files


def are_allowed(folder: str, ours: list[Any]) -> bool:
    """Whether each of our entries in `hooks.json` may run; `ours` are the entries that we made."""
    path, files = os.path.join(folder, "hooks.json"), Files()
    places = dict.fromkeys((path, os.path.realpath(path)))
    try:
        given = json5.parse(files.text(path) or "{}").value
        config = toml.parsed(files.text(os.path.join(folder, "config.toml")) or "")
    except InputError:
        return False
    events = given.get("hooks") if isinstance(given, Mapping) else None
    state = _under(config, "hooks", "state")
    if _under(config, "features").get("hooks") is False:
        return False
    return all(
        any(_is_allowed(state.get(f"{at}:{_snake(event)}:{n}:0"), event, entry) for at in places)
        for event, entries in (events.items() if isinstance(events, Mapping) else ())
        for n, entry in enumerate(entries)
        if entry in ours
    )


def _is_allowed(state: object, event: str, entry: Mapping[str, Any]) -> bool:
    if not isinstance(state, Mapping) or state.get("enabled") is False:
        return False
    from hashlib import sha256

    said = {"event_name": _snake(event), "hooks": [{"async": False, **entry["hooks"][0]}]}
    text = json.dumps(said, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return bool(state.get("trusted_hash") == f"sha256:{sha256(text.encode()).hexdigest()}")


def _snake(event: str) -> str:
    return "".join(f"_{one.lower()}" if one.isupper() else one for one in event).lstrip("_")


def _under(config: Mapping[str, Any], *names: str) -> Mapping[str, Any]:
    found: Any = config
    for name in names:
        found = found.get(name) if isinstance(found, Mapping) else None
    return found if isinstance(found, Mapping) else {}
