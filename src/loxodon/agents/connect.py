"""Connecting an agent, and taking that back.

What was done is recorded in `connections.json` in the home, to the letter. Connecting first undoes
what it did before, in thought, so that it can be repeated, and an upgrade is one. Nothing is
written before all of it is known to be possible.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any, Literal

from loxodon.agents import json5, toml
from loxodon.agents.changes import Files, InstallChange, InstallPlan, read_record
from loxodon.agents.json5 import ConfigEdit
from loxodon.agents.supported import AGENTS, NAME, AgentFile, hook_of, path_of, server_of
from loxodon.errors import InputError, NotFoundError

RECORD = "connections.json"
_EMPTY = "{\n}\n"
_NONE: dict[str, Any] = {"wanted": [], "files": {}}  # The record of an agent that is not connected
Record = dict[str, Any]
State = Literal["connected", "changed", "not connected", "not found"]


def plan_connect(home: str, name: str, folder: str, command: list[str]) -> InstallPlan:
    agent, files = AGENTS[name], Files()
    if not os.path.isdir(folder):
        raise NotFoundError(
            "{agent} was not found: there is no folder {path}",
            hint="start it once, then try again",
            agent=agent.title,
            path=folder,
        )
    record, paths = recorded(home), {path_of(folder, file): file for file in agent.files}
    wanted = [server_of(name, command), *(hook_of(name, hook, command) for hook in agent.hooks)]
    old = record.pop(name, _NONE)
    if old["wanted"] == wanted and list(old["files"]) == list(paths) and is_whole(old):
        return InstallPlan([])
    _undo(files, old["files"])
    changed = {path: _changed(files, path, name, file, command) for path, file in paths.items()}
    record[name] = {"wanted": wanted, "files": changed}
    # The record is written first, and taken away last: what is half done can then be undone.
    return InstallPlan([*_recording(home, record), *files.changes()])


def plan_remove(home: str, name: str) -> InstallPlan:
    record, files = recorded(home), Files()
    if name not in record:
        return InstallPlan([])
    _undo(files, record.pop(name)["files"])
    return InstallPlan([*files.changes(), *_recording(home, record)])


def recorded(home: str) -> Record:
    agents: Record = read_record(os.path.join(home, RECORD)).get("agents", {})
    return agents


def _recording(home: str, record: Record) -> list[InstallChange]:
    """The change to the record itself, which goes with the last agent."""
    files, document = Files(), {"version": 1, "agents": record}
    text = json.dumps(document, ensure_ascii=False, indent=1) + "\n"
    files.put(os.path.join(home, RECORD), text if record else None)
    return files.changes()


# --- One file -------------------------------------------------------------------------------------


def _changed(
    files: Files, path: str, name: str, file: AgentFile, command: list[str]
) -> dict[str, Any]:
    """Lay the changes over a file; what must be known to undo them."""
    before = files.text(path)
    text = before or ""
    done: list[ConfigEdit] = []
    try:
        if path.endswith(".toml"):
            place = (*file.servers, NAME)
            if toml.value_at(text, place) is not None:
                raise _taken(place)
            text, piece = toml.put(text, place, server_of(name, command))
            done.append(ConfigEdit(place, piece, None, len(place)))
        else:
            text, done = _with_members(text if text.strip() else _EMPTY, name, file, command)
    except InputError as error:
        raise _at(path, error) from None
    files.put(path, text)
    blank = before if before is not None and not before.strip() else None
    return {"made": before is None, "blank": blank, "edits": [one._asdict() for one in done]}


def _with_members(
    text: str, name: str, file: AgentFile, command: list[str]
) -> tuple[str, list[ConfigEdit]]:
    done: list[ConfigEdit] = []
    root = json5.parse(text)
    if file.servers:
        # Where the servers are: OpenCode 2 has them one level below where OpenCode 1 has them
        deeper = (*file.servers, "servers")
        node = root.at(deeper) if name == "opencode" else None
        newer = node is not None and isinstance(node.value, dict) and "type" not in node.value
        path = (*(deeper if newer else file.servers), NAME)
        if root.at(path) is not None:
            raise _taken(path)
        text, edit = json5.put(text, path, server_of(name, command))
        done += [edit] if edit else []
    for hook in AGENTS[name].hooks if file.hooks else ():
        text, added = json5.append(text, ("hooks", hook.event), hook_of(name, hook, command))
        done.append(added)
    return text, done


def _taken(path: tuple[str, ...]) -> InputError:
    return InputError(
        "it already has {name}, which was not added by `loxodon connect`",
        hint="remove that entry, then try again",
        name=".".join(path),
    )


def _at(path: str, error: InputError) -> InputError:
    return InputError("{path}: {error}", hint="{error_hint}", path=path, error=error)


def _undo(files: Files, record: Mapping[str, Any]) -> None:
    """Lay the files out as they were before, with what was changed in them since."""
    for path, done in record.items():
        text = files.text(path)
        if text is None:
            continue
        in_toml = path.endswith(".toml")
        try:
            for edit in reversed([ConfigEdit.of(one) for one in done["edits"]]):
                drop = toml.drop(text, edit.path, edit.piece) if in_toml else None
                text = json5.undone(text, edit) if drop is None else drop
        except InputError as error:
            raise _at(path, error) from None
        empty = not text.strip() if in_toml else json5.parse(text).value == {}
        if empty:
            text = None if done["made"] else text if done["blank"] is None else done["blank"]
        files.put(path, text)


# --- Looking --------------------------------------------------------------------------------------


def is_whole(record: Mapping[str, Any]) -> bool:
    def stands(path: str, edit: ConfigEdit) -> bool:
        text = Files().text(path) or ""
        if path.endswith(".toml"):
            return toml.value_at(text, edit.path) is not None
        return json5.stands(text, edit)

    try:
        return all(
            stands(path, ConfigEdit.of(edit))
            for path, done in record["files"].items()
            for edit in done["edits"]
        )
    except InputError:
        return False


def state_of(record: Mapping[str, Any], folder: str) -> State:
    """How an agent is connected, told by its record, empty where it is not, and its folder."""
    if not record:
        return "not connected" if os.path.isdir(folder) else "not found"
    return "connected" if is_whole(record) else "changed"
