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

import json
import os
import re
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

from loxodon import config as settings
from loxodon.agents import json5, toml
from loxodon.agents.changes import Files, InstallPlan, behind, new_folders, read_record
from loxodon.agents.json5 import ConfigEdit, append, put, undone
from loxodon.agents.openclaw.chats import owners_of, texts_in
from loxodon.agents.openclaw.follow import DATABASE
from loxodon.agents.supported import NAME, command_of
from loxodon.errors import InputError, NotFoundError
from loxodon.journal.markdown import OUR_BEGIN, OUR_END
from loxodon.layout import CONFIG, VIEWS
from loxodon.security.paths import is_inside
from loxodon.text.language import language_of
from loxodon.views.manifest import LOCK, MANIFEST, change_of, load

RECORD = "openclaw-install.json"
_RULES = "AGENTS.md"
_HEARTBEAT = "HEARTBEAT.md"
_KIT = os.path.join(os.path.dirname(__file__), "kit")
_JOB = "loxodon:consolidation"
_SKILL = ("skills", "loxodon")
_PLUGIN = ("extensions", "loxodon")
_SCRIPTS = ("memory.py", "recall_memory.py")
_BLOCK = re.compile(rf"{OUR_BEGIN}.*?{OUR_END}(?:\r?\n)?", re.DOTALL)
_PLUGIN_FILES = ("index.js", "openclaw.plugin.json", "package.json")
_SLOT = ("plugins", "slots", "memory")
_ENTRY = ("plugins", "entries", "loxodon")
_ALLOWED = ("plugins", "allow")
_GRANTS = {
    "enabled": True,
    "hooks": {"allowConversationAccess": True},
    # While OpenClaw's own dreaming is on, its own memory is loaded beside whatever has the slot,
    # and its tools win. Whether it is on is read from the entry of the plugin in the slot.
    "config": {"dreaming": {"enabled": False}},
}
# What OpenClaw's own memory does with other conversations. Nothing else can have it on, and
# `openclaw doctor` says so. Only from 2026.8 on is it known: an older OpenClaw would refuse it.
_ACROSS = ("memory", "search", "rememberAcrossConversations")
# Where plugins are. Up to 2026.7 one that is not named here is said to come from nowhere; and only
# a change of this has a running gateway start anew, without which it has no tools or commands.
_LOAD = ("plugins", "load", "paths")
_NO_CHANNELS = ("defaults", "modelByChannel")  # what else stands among the channels
Left = list[tuple[str, str]]  # files that are left as they are, and why


class InstallPlace(NamedTuple):
    home: str
    space: str
    state: str
    workspace: str
    config: str
    others: tuple[str, ...] = ()  # the workspaces of further agents, which have the plugin too

    @property
    def workspaces(self) -> tuple[str, ...]:
        return (self.workspace, *self.others)

    @property
    def plugin(self) -> str:
        return os.path.join(self.state, *_PLUGIN)


class InstallPart(NamedTuple):
    name: str
    path: str
    state: str  # `there`, `missing` or `edited`


def place_of(home: str, space: str, state: str, workspace: str, config: str = "") -> InstallPlace:
    """Where things are; `workspace` empty for the one that OpenClaw's config names."""
    config = os.path.expanduser(config) or os.path.join(state, "openclaw.json")
    if not os.path.isdir(state):
        raise NotFoundError(
            "no OpenClaw found at {state}",
            state=state,
            hint="start OpenClaw once, or set its state folder with --state",
        )
    text = Files().text(config)
    node = _document(text, config).at(("agents",)) if text else None
    agents = node.value if node is not None and isinstance(node.value, dict) else {}
    defaults = agents.get("defaults")
    named = defaults.get("workspace") if isinstance(defaults, dict) else None
    base = named if isinstance(named, str) else ""
    if not workspace:
        # Where the workspace is that nothing names; up to 2026.7 that of a profile is elsewhere.
        usual = os.path.join(state, "workspace")
        name, _, profile = os.path.basename(state).partition("-")
        older = os.path.join(os.path.dirname(state), name, f"workspace-{profile}")
        usual = older if profile and not os.path.isdir(usual) else usual
        workspace = os.path.expanduser(base) if base else usual
    workspace = os.path.abspath(workspace)
    if not os.path.isdir(workspace):
        raise NotFoundError(
            "no workspace found at {workspace}",
            workspace=workspace,
            hint="start OpenClaw once, or set its folder with --workspace",
        )
    others = tuple(one for one in _workspaces(agents, state, base) if one != workspace)
    return InstallPlace(home, space, state, workspace, config, others)


def _workspaces(agents: Mapping[str, Any], state: str, base: str) -> list[str]:
    """The workspaces of agents that are listed; up to 2026.7 as a list, later by their ids."""
    listed, entries = agents.get("list"), agents.get("entries")
    known = dict(entries) if isinstance(entries, dict) else {}
    for one in listed if isinstance(listed, list) else ():
        if isinstance(one, dict) and isinstance(one.get("id"), str):
            known[one["id"]] = one
    found = []
    for id, entry in known.items():
        usual = os.path.join(base, id) if base else os.path.join(state, f"workspace-{id}")
        own = entry.get("workspace") if isinstance(entry, dict) else None
        path = own if isinstance(own, str) and own else usual
        found.append(os.path.abspath(os.path.expanduser(path)))
    return [one for one in dict.fromkeys(found) if os.path.isdir(one)]


def _document(text: str, path: str) -> json5.Node:
    try:
        return json5.parse(text)
    except InputError as error:
        raise InputError("{path}: {error}", hint="{error_hint}", path=path, error=error) from None


def channels_without_owner(config: str) -> list[str]:
    """The channels on which OpenClaw knows nobody as its owner: they count as groups."""
    if not (text := Files().text(config)):
        return []
    root = _document(text, config)
    owners, channels = root.at(("commands", "ownerAllowFrom")), root.at(("channels",))
    named = texts_in(owners.value if owners else None)
    found = channels.value if channels and isinstance(channels.value, dict) else {}
    return [
        name
        for name, one in found.items()
        if name not in _NO_CHANNELS and isinstance(one, dict) and one.get("enabled") is not False
        if not owners_of(named, texts_in(one.get("allowFrom")))
    ]


def _is_newer(state: str) -> bool:
    """Whether it is an OpenClaw from 2026.8 on: it has its sessions in databases."""
    agents = os.path.join(state, "agents")
    names = os.listdir(agents) if os.path.isdir(agents) else []
    return any(os.path.exists(os.path.join(agents, name, DATABASE)) for name in names)


# --- Installing -----------------------------------------------------------------------------------


def plan_install(place: InstallPlace) -> InstallPlan:
    files, record = Files(), recorded(place.home)
    _check(place, record)
    left = _undo(files, record) if record else []
    made = _kit(files, place, record)
    # Whether the agent had a folder for its notes, where the views are, before all this
    notes = os.path.isdir(os.path.join(place.workspace, VIEWS))
    same = record.get("workspace") == place.workspace
    done: dict[str, Any] = {
        "version": 1,
        "space": place.space,
        "state": place.state,
        "workspace": place.workspace,
        "config": place.config,
        "files": made,
        "notes": bool(record["notes"]) if same else notes,
        "blocks": _put_blocks(files, place, left),
        **_put_members(files, place),
        "settings": _put_settings(files, place),
    }
    changes = files.changes()
    old = [folder for folder in record.get("folders", ()) if os.path.isdir(folder)]
    done["folders"] = list(dict.fromkeys([*old, *new_folders(changes)]))
    # The record is written first: what is half done can then be undone.
    first, path = Files(), os.path.join(place.home, RECORD)
    first.put(path, json.dumps(done, ensure_ascii=False, indent=1) + "\n")
    kept = {os.path.dirname(path) for path in made}
    gone = [f for f in old if not any(one == f or one.startswith(f + os.sep) for one in kept)]
    return InstallPlan(first.changes() + changes, left, gone)


def _check(place: InstallPlace, record: Mapping[str, Any]) -> None:
    if record and record["state"] != place.state and os.path.isdir(record["state"]):
        raise InputError(
            "this memory is installed in another OpenClaw: {state}",
            hint="give a second profile a memory of its own: `loxodon --home DIR openclaw "
            "install`; to move this one, uninstall it first",
            state=record["state"],
        )
    for workspace in place.workspaces:
        # OpenClaw takes a skill in the workspace for a sign that it knows its owner: it would drop
        # BOOTSTRAP.md, by which it asks who they are, and nothing could bring that back.
        path = os.path.join(workspace, "BOOTSTRAP.md")
        if not record and os.path.exists(path):
            raise InputError(
                "OpenClaw's first setup is not finished: {path} still exists",
                path=path,
                hint="finish the setup by talking to it, or delete the file, then try again",
            )
    skills = (os.path.join(one, *_SKILL) for one in place.workspaces)
    for folder in (*skills, place.plugin):
        ours = any(path.startswith(folder + os.sep) for path in record.get("files", ()))
        taken = not os.path.isdir(folder) or os.listdir(folder)
        if os.path.lexists(folder) and taken and not ours:
            raise InputError(
                "{path} already exists, and was not created by Loxodon",
                hint="move it away, then try again",
                path=folder,
            )


def _kit(files: Files, place: InstallPlace, record: Mapping[str, Any]) -> dict[str, str]:
    """Lay the skill and the plugin out; the digest of each file of them."""
    command = command_of(place.home, place.space)
    daily = settings.load(place.home).schedule.daily
    parts = {place.plugin: _plugin(command, place.state, daily)}
    for one in place.workspaces:
        folder = os.path.join(one, *_SKILL)
        parts[folder] = _skill(_language(files, one), command)
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


def _put_blocks(files: Files, place: InstallPlace, left: Left) -> dict[str, str]:
    """The files with a block of ours in them, and the block to the letter."""
    done: dict[str, str] = {}
    for workspace in place.workspaces:
        reads_heartbeat = os.path.exists(os.path.join(workspace, _HEARTBEAT))
        older = reads_heartbeat and not _is_newer(place.state)  # up to 2026.7
        language = _language(files, workspace)
        wanted = {_RULES: "agents", _HEARTBEAT: "heartbeat"} if older else {_RULES: "agents"}
        for name, source in wanted.items():
            path = os.path.join(workspace, name)
            text = files.text(path)
            if text is None:
                # OpenClaw fills it in where it is missing, and would not if we made one.
                left.append((path, "missing"))
            elif not is_inside(path, workspace):
                left.append((path, "elsewhere"))
            else:
                body = _text_of(f"{source}.{language}.md")
                text = _without_block(text)
                done[path] = behind(text, [OUR_BEGIN, *body.strip("\n").split("\n"), OUR_END])
                files.put(path, text + done[path])
    return done


def _put_members(files: Files, place: InstallPlace) -> dict[str, Any]:
    text = files.text(place.config)
    _document(text or "{}", place.config)
    text_or_empty = text if text and text.strip() else "{\n}\n"
    changed, edits = _with_ours(text_or_empty, place.plugin, newer=_is_newer(place.state))
    files.put(place.config, changed)
    return {"made": text is None, "edits": [edit._asdict() for edit in edits]}


def _put_settings(files: Files, place: InstallPlace) -> list[dict[str, Any]]:
    """Views and notes of the space main are those of this workspace, and notes of the others."""
    settings.load(place.home)  # refuses a file that is not TOML
    wanted = {"path": place.workspace, "others": "\n".join(place.others)}
    path, done = os.path.join(place.home, CONFIG), []
    for name, value in wanted.items() if place.space == "main" else ():
        key, text, piece = ("workspace", name), files.text(path), ""
        was = toml.value_at(text or "", key) or ""
        if value == was or not value:
            continue
        if toml.value_at(text or "", key[:1]) is not None:
            changed = toml.changed(text or "", key, value)
        else:
            changed, piece = toml.put(text or "", key[:1], {name: value})
        files.put(path, changed)
        done.append({"name": name, "piece": piece, "was": was, "made": text is None, "is": value})
    return done


# --- What OpenClaw is given, made from `kit/` for one memory --------------------------------------


def _text_of(*names: str) -> str:
    with open(os.path.join(_KIT, *names), encoding="utf-8") as file:
        return file.read()


def _skill(language: str, command: Sequence[str]) -> dict[str, str]:
    """The skill: what is in its folder, by path."""
    scripts = {f"scripts/{name}": _text_of("skill", "scripts", name) for name in _SCRIPTS}
    return {
        "SKILL.md": _text_of("skill", f"SKILL.{language}.md"),
        **scripts,
        "scripts/command.json": _json({"command": list(command)}),
    }


def _plugin(command: Sequence[str], state: str, daily: str) -> dict[str, str]:
    """The plugin for the memory slot: what is in its folder; `daily` empty for no nightly run."""
    files = {name: _text_of("plugin", name) for name in _PLUGIN_FILES}
    nightly = {  # the consolidation as OpenClaw's automations have it
        "declarationKey": _JOB,
        "name": "Loxodon consolidation",
        "description": f"Makes knowledge of what was said. [{_JOB}]",
        "enabled": True,
        "schedule": {"kind": "cron", "expr": daily},
        "sessionTarget": "isolated",
        "wakeMode": "now",
        "payload": {"kind": "command", "argv": [*command, "consolidate"]},
        "delivery": {"mode": "none"},
    }
    run = {"command": list(command), "state": state, "job": nightly if daily else None}
    return files | {"command.json": _json(run)}


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def _without_block(text: str, piece: str = "") -> str:
    """`text` without its block: exactly as before where `piece` still stands, else by its marks."""
    if piece and text.count(piece) == 1:
        return text.replace(piece, "")
    return _BLOCK.sub("", text)


# --- Our members of `openclaw.json` ---------------------------------------------------------------


def _with_ours(text: str, folder: str, *, newer: bool) -> tuple[str, list[ConfigEdit]]:
    """`text` with the plugin of a folder in the memory slot, and what was done for it."""
    wanted: list[tuple[tuple[str, ...], object]] = [(_SLOT, NAME), (_ENTRY, _GRANTS)]
    if newer:
        wanted.append((_ACROSS, False))
    edits: list[ConfigEdit] = []
    for path, value in wanted:
        text, edit = put(text, path, value)
        edits += [edit] if edit else []
    listed: list[tuple[tuple[str, ...], str]] = [] if newer else [(_LOAD, folder)]
    allowed = json5.parse(text).at(_ALLOWED)
    if allowed and isinstance(allowed.value, list) and NAME not in allowed.value:
        listed.append((_ALLOWED, NAME))
    for path, item in listed:
        text, added = append(text, path, item)
        edits.append(added)
    return text, edits


def _undone(text: str, edit: ConfigEdit) -> str:
    node = json5.parse(text).at(edit.path)
    if edit.path == _SLOT and node is not None and node.value != NAME:
        return text  # someone else took the place since
    if edit.path == _ALLOWED:  # earlier versions did not record what they put into the list
        edit = edit._replace(item=json5.compact(NAME))
    return undone(text, edit)


def _members_in(text: str) -> dict[str, bool]:
    root = json5.parse(text)
    slot, allowed = root.at(_SLOT), root.at(_ALLOWED)
    barred = allowed is not None and isinstance(allowed.value, list) and NAME not in allowed.value
    return {
        "slot": slot is not None and slot.value == NAME,
        "entry": root.at(_ENTRY) is not None and not barred,
    }


# --- Undoing --------------------------------------------------------------------------------------


def recorded(home: str) -> dict[str, Any]:
    found = read_record(os.path.join(home, RECORD))
    if not found:
        return {}
    one = found.get("setting")  # earlier versions know a single one
    known = found.get("settings") or ([{"name": "path", **one}] if one else [])
    return found | {"home": home, "settings": known}


def plan_uninstall(home: str) -> InstallPlan:
    record = recorded(home)
    if not record:
        return InstallPlan([])
    files = Files()
    left = _undo(files, record)
    files.put(os.path.join(home, RECORD), None)
    # The views in the workspace go, but for those that somebody has edited.
    root = os.path.join(record["workspace"], VIEWS)
    written = load(root) if any(one["name"] == "path" for one in record["settings"]) else None
    views: list[str] = []
    edited: Left = []
    if written and written.space == "main":
        for name in written.files:
            path = os.path.join(root, *name.split("/"))
            change = change_of(root, name, written) if is_inside(path, root) else "gone"
            views += [path] if change == "same" else []
            edited += [(path, "edited")] if change == "edited" else []
    if written and not edited:
        views += [os.path.join(root, *name.split("/")) for name in (MANIFEST, LOCK)]
    folders = {os.path.dirname(path) for path in views} | set(record["folders"])
    above = {os.path.dirname(f) for f in folders if f.startswith(root + os.sep)} - {root}
    folders = (folders | above) - ({root} if record["notes"] else set())
    return InstallPlan(files.changes(), left + edited, sorted(folders), views)


def _undo(files: Files, record: Mapping[str, Any]) -> Left:
    """Lay the files out as they were before the install; what had to be left, and why."""
    left: Left = []
    for path, digest in record["files"].items():
        data = files.read(path)
        if data is not None and _digest(data) == digest:
            files.put(path, None)
        elif data is not None:
            left.append((path, "edited"))
    for path, piece in record["blocks"].items():
        if (text := files.text(path)) is not None:
            files.put(path, _without_block(text, piece))
    path = record["config"]
    if (text := files.text(path)) is not None:
        _document(text, path)
        for edit in reversed(record["edits"]):
            text = _undone(text, ConfigEdit.of(edit))
        empty = record["made"] and json5.parse(text).value == {}
        files.put(path, None if empty else text)
    path = os.path.join(record["home"], CONFIG)
    for setting in reversed(record["settings"]):
        text, key = files.text(path), ("workspace", setting["name"])
        if text is None or toml.value_at(text, key) != setting["is"]:
            continue  # someone has set it to something else since
        if setting["was"]:
            text = toml.changed(text, key, setting["was"])
        else:
            text = toml.drop(text, key, setting["piece"])
        empty = setting["made"] and not text.strip()
        files.put(path, None if empty else text)
    return left


def _digest(data: bytes) -> str:
    return sha256(data).hexdigest()


# --- Looking --------------------------------------------------------------------------------------


def parts(home: str) -> list[InstallPart]:
    """What the last install set up, and how each of it is now; empty where there was none."""
    record, files = recorded(home), Files()
    if not record:
        return []
    found: list[InstallPart] = []
    for path, digest in sorted(record["files"].items()):
        data = files.read(path)
        state = "missing" if data is None else "there" if _digest(data) == digest else "edited"
        is_skill = os.sep + os.path.join(*_SKILL, "") in path
        found.append(InstallPart("skill" if is_skill else "plugin", path, state))
    config = record["config"]
    text = files.text(config)
    there = _members_in(text) if text and _document(text, config) else {}
    members_of = ((name, "there" if there.get(name) else "missing") for name in ("slot", "entry"))
    found += [InstallPart(name, config, state) for name, state in members_of]
    for path, piece in record["blocks"].items():
        text = files.text(path) or ""
        other = "edited" if _without_block(text) != text else "missing"
        name = "rules" if path.endswith(_RULES) else "heartbeat"
        found.append(InstallPart(name, path, "there" if piece in text else other))
    for one in record["settings"]:
        is_set = getattr(settings.load(home).workspace, one["name"]) == one["is"]
        path = os.path.join(home, CONFIG)
        found.append(InstallPart(one["name"], path, "there" if is_set else "missing"))
    return found
