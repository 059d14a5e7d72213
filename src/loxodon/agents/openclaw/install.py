"""Setting Loxodon up in an OpenClaw, and taking it away without a trace.

What is put where:

    WORKSPACE/skills/loxodon/     the skill, in the workspace of each agent
    WORKSPACE/AGENTS.md           rules, in a marked block at its end
    WORKSPACE/HEARTBEAT.md        the 48-hour check, in a marked block (older OpenClaw only)
    STATE/extensions/loxodon/     the plugin: snapshot and memories before the prompt, the journal
                                  after the turn, tools, commands, the nightly run
    STATE/openclaw.json           the plugin in the memory slot
    HOME/config.toml              workspace.path; workspace.others where there are more agents
    HOME/openclaw-install.json    what was done, to the letter, so that it can be undone

An install first undoes the one before it, in thought, so that it can be repeated, and an upgrade is
one. Nothing is written before all of it is known to be possible.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from typing import Any, NamedTuple

from loxodon import config as settings
from loxodon.agents import json5, toml
from loxodon.agents.changes import Files, InstallChange, InstallPlan, new_folders, read_record
from loxodon.agents.json5 import ConfigEdit
from loxodon.agents.openclaw import blocks, kit_files, members
from loxodon.agents.openclaw.follow import DATABASE
from loxodon.agents.supported import command_of
from loxodon.errors import InputError, NotFoundError
from loxodon.journal.openclaw_db import can_unpack
from loxodon.layout import CONFIG, VIEWS
from loxodon.text.language import language_of
from loxodon.views.manifest import LOCK, MANIFEST, change_of, load

RECORD = "openclaw-install.json"
_RULES = "AGENTS.md"
_HEARTBEAT = "HEARTBEAT.md"
_BOOTSTRAP = "BOOTSTRAP.md"


class InstallPlace(NamedTuple):
    """Where the memory and the OpenClaw are."""

    home: str
    space: str
    state: str
    workspace: str
    config: str
    others: tuple[str, ...] = ()
    """The workspaces of further agents, which have the plugin too."""

    @property
    def workspaces(self) -> tuple[str, ...]:
        return (self.workspace, *self.others)

    @property
    def command(self) -> list[str]:
        return command_of(self.home, self.space)


class InstallPart(NamedTuple):
    """One thing that an install sets up, and how it is now."""

    name: str
    path: str
    state: str
    """`there`, `missing` or `edited`."""


def place_of(home: str, space: str, state: str, workspace: str, config: str = "") -> InstallPlace:
    """Where things are; `workspace` empty for the one that OpenClaw's config names."""
    if not os.path.isdir(state):
        raise NotFoundError(
            "no OpenClaw found at {state}",
            state=state,
            hint="start OpenClaw once, or set its state folder with --state",
        )
    config = os.path.expanduser(config) or os.path.join(state, "openclaw.json")
    agents = _agents(Files(), config)
    if not workspace:
        named = _text_at(agents, "defaults", "workspace")
        workspace = os.path.expanduser(named) if named else _usual_workspace(state)
    workspace = os.path.abspath(workspace)
    if not os.path.isdir(workspace):
        raise NotFoundError(
            "no workspace found at {workspace}",
            workspace=workspace,
            hint="start OpenClaw once, or set its folder with --workspace",
        )
    others = tuple(one for one in _workspaces(agents, state) if one != workspace)
    return InstallPlace(home, space, state, workspace, config, others)


def _usual_workspace(state: str) -> str:
    """Where the workspace is that nothing names; up to 2026.7 that of a profile is elsewhere."""
    usual = os.path.join(state, "workspace")
    name, _, profile = os.path.basename(state).partition("-")
    older = os.path.join(os.path.dirname(state), name, f"workspace-{profile}")
    return older if profile and not os.path.isdir(usual) else usual


def _agents(files: Files, config: str) -> Mapping[str, Any]:
    text = files.text(config)
    node = _document(text, config).at(("agents",)) if text else None
    return node.value if node is not None and isinstance(node.value, dict) else {}


def _workspaces(agents: Mapping[str, Any], state: str) -> list[str]:
    """The workspaces of agents that are listed; up to 2026.7 as a list, later by their ids."""
    listed, entries = agents.get("list"), agents.get("entries")
    known = dict(entries) if isinstance(entries, dict) else {}
    for one in listed if isinstance(listed, list) else ():
        if isinstance(one, dict) and isinstance(one.get("id"), str):
            known[one["id"]] = one
    base = _text_at(agents, "defaults", "workspace")
    found = []
    for id, entry in known.items():
        usual = os.path.join(base, id) if base else os.path.join(state, f"workspace-{id}")
        own = entry.get("workspace") if isinstance(entry, dict) else None
        path = own if isinstance(own, str) and own else usual
        found.append(os.path.abspath(os.path.expanduser(path)))
    return [one for one in dict.fromkeys(found) if os.path.isdir(one)]


def _text_at(value: object, *names: str) -> str:
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, str) else ""


def _document(text: str, path: str) -> json5.Node:
    try:
        return json5.parse(text)
    except InputError as error:
        raise InputError("{path}: {error}", hint="{error_hint}", path=path, error=error) from None


def missing_extra(state: str, workspace: str) -> str:
    """The extra that brings what is needed to read this OpenClaw's long messages; else empty."""
    return "" if can_unpack() or is_older(state, workspace) else "workspace"


def channels_without_owner(config: str) -> list[str]:
    """The channels on which OpenClaw knows nobody as its owner: they count as groups."""
    text = Files().text(config)
    return members.channels_of(text) if text and _document(text, config) else []


# --- Installing -----------------------------------------------------------------------------------


def plan_install(place: InstallPlace) -> InstallPlan:
    """What an install would change."""
    files = Files()
    record, left = recorded(place.home), list[tuple[str, str]]()
    if record:
        _check_same(place, record)
        left += _undo(files, record)
    else:
        _check_introduced(place)
    _check_free(place, record)
    made = _kit(files, place, record)
    done: dict[str, Any] = {
        "version": 1,
        "space": place.space,
        "state": place.state,
        "workspace": place.workspace,
        "config": place.config,
        "files": made,
        "notes": _had_notes(place, record),
        "blocks": dict(_blocks(files, place, left)),
        **_members(files, place),
        "settings": _settings(files, place),
    }
    changes = files.changes()
    old = [folder for folder in record.get("folders", ()) if os.path.isdir(folder)]
    done["folders"] = list(dict.fromkeys([*old, *new_folders(changes)]))
    changes = _with_record(place.home, changes, done)
    kept = {os.path.dirname(path) for path in made}
    gone = [f for f in old if not any(one == f or one.startswith(f + os.sep) for one in kept)]
    ours = frozenset(made) | frozenset(record.get("files", ()))
    return InstallPlan(changes, left, gone, ours, [])


def _had_notes(place: InstallPlace, record: Mapping[str, Any]) -> bool:
    """Whether the agent had a folder for its notes, where the views are, before all this."""
    if record.get("workspace") == place.workspace:
        return bool(record["notes"])
    return os.path.isdir(os.path.join(place.workspace, VIEWS))


def _with_record(
    home: str, changes: list[InstallChange], done: Mapping[str, Any]
) -> list[InstallChange]:
    """The record is written first: what is half done can then be undone."""
    files = Files()
    files.put(os.path.join(home, RECORD), json.dumps(done, ensure_ascii=False, indent=1) + "\n")
    return files.changes() + changes


def _check_same(place: InstallPlace, record: Mapping[str, Any]) -> None:
    """A memory is in one OpenClaw: a second profile is another life, with a memory of its own."""
    if record["state"] != place.state and os.path.isdir(record["state"]):
        raise InputError(
            "this memory is installed in another OpenClaw: {state}",
            hint="give a second profile a memory of its own: `loxodon --home DIR openclaw "
            "install`; to move this one, uninstall it first",
            state=record["state"],
        )


def _check_introduced(place: InstallPlace) -> None:
    """OpenClaw takes a skill in the workspace for a sign that it knows its owner: it would drop
    BOOTSTRAP.md, by which it asks who they are, and nothing could bring that back."""
    paths = (os.path.join(one, _BOOTSTRAP) for one in place.workspaces)
    for path in filter(os.path.exists, paths):
        raise InputError(
            "OpenClaw's first setup is not finished: {path} still exists",
            path=path,
            hint="finish the setup by talking to it, or delete the file, then try again",
        )


def _check_free(place: InstallPlace, record: Mapping[str, Any]) -> None:
    for folder in (*_skill_folders(place), _plugin_folder(place)):
        ours = any(path.startswith(folder + os.sep) for path in record.get("files", ()))
        if (
            os.path.lexists(folder)
            and not ours
            and (not os.path.isdir(folder) or os.listdir(folder))
        ):
            raise InputError(
                "{path} already exists, and was not created by Loxodon",
                hint="move it away, then try again",
                path=folder,
            )


def _skill_folders(place: InstallPlace) -> list[str]:
    return [os.path.join(one, *kit_files.SKILL) for one in place.workspaces]


def _plugin_folder(place: InstallPlace) -> str:
    return os.path.join(place.state, *kit_files.PLUGIN)


def _kit(files: Files, place: InstallPlace, record: Mapping[str, Any]) -> dict[str, str]:
    """Lay the skill and the plugin out; the digest of each file of them."""
    daily = settings.load(place.home).schedule.daily
    parts = {_plugin_folder(place): kit_files.plugin(place.command, place.state, daily)}
    for one, folder in zip(place.workspaces, _skill_folders(place), strict=True):
        parts[folder] = kit_files.skill(_language(files, one), place.command)
    made: dict[str, str] = {}
    for folder, texts in parts.items():
        for name, text in texts.items():
            path = os.path.join(folder, *name.split("/"))
            if files.read(path) is None:
                files.put(path, text)
                made[path] = _digest(text.encode())
            elif path in record.get("files", ()):  # someone changed it: `_undo` has left it alone
                made[path] = record["files"][path]
    return made


def _language(files: Files, workspace: str) -> str:
    return language_of(files.text(os.path.join(workspace, _RULES)) or "")


def _blocks(
    files: Files, place: InstallPlace, left: list[tuple[str, str]]
) -> list[tuple[str, str]]:
    """The files with a block of ours in them, and the block to the letter."""
    done: list[tuple[str, str]] = []
    for workspace in place.workspaces:
        language = _language(files, workspace)
        wanted = [(_RULES, f"agents.{language}.md")]
        if is_older(place.state, workspace):
            wanted.append((_HEARTBEAT, f"heartbeat.{language}.md"))
        for name, source in wanted:
            path = os.path.join(workspace, name)
            text = files.text(path)
            if text is None:
                # OpenClaw fills it in where it is missing, and would not if we made one.
                left.append((path, "missing"))
            elif not _stays_inside(path, workspace):
                left.append((path, "elsewhere"))
            else:
                text, piece = blocks.appended(blocks.without(text), kit_files.text_of(source))
                files.put(path, text)
                done.append((path, piece))
    return done


def _stays_inside(path: str, folder: str) -> bool:
    return os.path.realpath(path).startswith(os.path.realpath(folder) + os.sep)


def is_newer(state: str) -> bool:
    """Whether it is an OpenClaw from 2026.8 on: it has its sessions in databases."""
    agents = os.path.join(state, "agents")
    names = os.listdir(agents) if os.path.isdir(agents) else []
    return any(os.path.exists(os.path.join(agents, name, DATABASE)) for name in names)


def is_older(state: str, workspace: str) -> bool:
    """Whether it is an OpenClaw up to 2026.7: it reads HEARTBEAT.md, and has sessions in files."""
    return os.path.exists(os.path.join(workspace, _HEARTBEAT)) and not is_newer(state)


def _members(files: Files, place: InstallPlace) -> dict[str, Any]:
    text = files.text(place.config)
    _document(text or "{}", place.config)
    text_or_empty = text if text and text.strip() else "{\n}\n"
    folder, newer = _plugin_folder(place), is_newer(place.state)
    changed, edits = members.with_ours(text_or_empty, folder, newer=newer)
    files.put(place.config, changed)
    return {"made": text is None, "edits": [edit._asdict() for edit in edits]}


def _settings(files: Files, place: InstallPlace) -> list[dict[str, Any]]:
    """Views and notes of the space main are those of this workspace, and notes of the others."""
    settings.load(place.home)  # refuses a file that is not TOML
    wanted = {"path": place.workspace, "others": "\n".join(place.others)}
    done = []
    for name, value in wanted.items() if place.space == "main" else ():
        path, key = os.path.join(place.home, CONFIG), ("workspace", name)
        text, piece = files.text(path), ""
        was = toml.value_at(text or "", key) or ""
        if value == was or not value:
            continue
        if toml.value_at(text or "", key[:1]) is not None:
            changed = toml.changed(text or "", key, value)
        else:
            changed, piece = toml.put(text or "", key[:1], {name: value})
        files.put(path, changed)
        made = text is None
        done.append({"name": name, "piece": piece, "was": was, "made": made, "is": value})
    return done


def _settings_in(record: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What a record says of settings; those of earlier versions know one."""
    one = record.get("setting")
    return record.get("settings") or ([{"name": "path", **one}] if one else [])


# --- Undoing --------------------------------------------------------------------------------------


def recorded(home: str) -> dict[str, Any]:
    """What the last install did; empty where there was none."""
    found = read_record(os.path.join(home, RECORD))
    return found and found | {"home": home}


def plan_uninstall(home: str) -> InstallPlan:
    """What an uninstall would change; nothing where nothing was installed."""
    record = recorded(home)
    if not record:
        return InstallPlan([])
    files = Files()
    left = _undo(files, record)
    views, edited = _views(record)
    files.remove(os.path.join(home, RECORD))
    folders = {os.path.dirname(path) for path in views} | set(record["folders"])
    root = os.path.join(record["workspace"], VIEWS)
    above = {os.path.dirname(f) for f in folders if f.startswith(root + os.sep)} - {root}
    folders = (folders | above) - ({root} if record["notes"] else set())
    return InstallPlan(
        files.changes(), left + edited, sorted(folders), frozenset(record["files"]), views
    )


def _views(record: Mapping[str, Any]) -> tuple[list[str], list[tuple[str, str]]]:
    """The views in the workspace: those to remove, and those that somebody has edited."""
    root = os.path.join(record["workspace"], VIEWS)
    named = any(one["name"] == "path" for one in _settings_in(record))
    written = load(root) if named else None
    ours = written.files if written and written.space == "main" else {}
    paths = {name: os.path.join(root, *name.split("/")) for name in ours}
    inside = {name: path for name, path in paths.items() if _stays_inside(path, root)}
    states = {name: change_of(root, name, written) for name in inside} if written else {}
    gone = [path for name, path in inside.items() if states[name] == "same"]
    left = [(path, "edited") for name, path in inside.items() if states[name] == "edited"]
    if written and not left:
        gone += [os.path.join(root, *name.split("/")) for name in (MANIFEST, LOCK)]
    return gone, left


def _undo(files: Files, record: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Lay the files out as they were before the install; what had to be left, and why."""
    left: list[tuple[str, str]] = []
    for path, digest in record["files"].items():
        data = files.read(path)
        if data is None:
            continue
        if _digest(data) == digest:
            files.remove(path)
        else:
            left.append((path, "edited"))
    for path, piece in record["blocks"].items():
        text = files.text(path)
        if text is not None:
            files.put(path, blocks.without(text, piece))
    _undo_members(files, record)
    for setting in reversed(_settings_in(record)):
        _undo_setting(files, record["home"], setting)
    return left


def _undo_members(files: Files, record: Mapping[str, Any]) -> None:
    path = record["config"]
    text = files.text(path)
    if text is None:
        return
    _document(text, path)
    text = members.without_ours(text, [ConfigEdit.of(edit) for edit in record["edits"]])
    if record["made"] and json5.parse(text).value == {}:
        files.remove(path)
    else:
        files.put(path, text)


def _undo_setting(files: Files, home: str, setting: Mapping[str, Any]) -> None:
    path, key = os.path.join(home, CONFIG), ("workspace", setting["name"])
    text = files.text(path)
    if text is None or toml.value_at(text, key) != setting["is"]:
        return  # someone has set it to something else since
    if setting["was"]:
        text = toml.changed(text, key, setting["was"])
    else:
        text = toml.drop(text, key, setting["piece"])
    if setting["made"] and not text.strip():
        files.remove(path)
    else:
        files.put(path, text)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


# --- Looking --------------------------------------------------------------------------------------


def parts(home: str) -> list[InstallPart]:
    """What the last install set up, and how each of it is now; empty where there was none."""
    record, files = recorded(home), Files()
    if not record:
        return []
    found: list[InstallPart] = []
    for name, tail in (("skill", kit_files.SKILL), ("plugin", kit_files.PLUGIN)):
        inside = os.sep + os.path.join(*tail, "")
        folders = {path[: path.find(inside)] for path in record["files"] if inside in path}
        for folder in sorted(os.path.join(one, *tail) for one in folders):
            own = {
                path: d for path, d in record["files"].items() if path.startswith(folder + os.sep)
            }
            found.append(InstallPart(name, folder, _state_of(files, own)))
    config = record["config"]
    text = files.text(config)
    there = members.found(text) if text and _document(text, config) else {}
    found += [
        InstallPart(name, config, "there" if there.get(name) else "missing")
        for name in ("slot", "entry")
    ]
    for path, piece in record["blocks"].items():
        text = files.text(path) or ""
        state = "there" if piece in text else "edited" if blocks.present(text) else "missing"
        found.append(InstallPart("rules" if path.endswith(_RULES) else "heartbeat", path, state))
    for one in _settings_in(record):
        is_set = getattr(settings.load(home).workspace, one["name"]) == one["is"]
        path = os.path.join(home, CONFIG)
        found.append(InstallPart(one["name"], path, "there" if is_set else "missing"))
    return found


def _state_of(files: Files, ours: Mapping[str, str]) -> str:
    contents = {path: files.read(path) for path in ours}
    if not ours or any(data is None for data in contents.values()):
        return "missing"
    same = all(_digest(data) == ours[path] for path, data in contents.items() if data is not None)
    return "there" if same else "edited"
