"""Settings: each stands in its section, with its default, its help and its limits.

Values come from the defaults, then config.toml, then the environment, which only entry points read.
"""

import os
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
from importlib import import_module
from operator import attrgetter
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

from loxodon import files
from loxodon.clock import zone_named
from loxodon.errors import ConfigError
from loxodon.filelock import alone
from loxodon.layout import CONFIG
from loxodon.messages import t

Value = str | int | float
Check = Callable[[str], object]  # whether a text may be a setting, or an error that says why not
T = TypeVar("T")
MASK = "********"
PROFILES = ("default", "phase1", "openclaw", "tiered")  # rankings of a recall
# What agents are offered over MCP only where the setting `mcp.tools` names it.
EXTRA_TOOLS = ("consolidate", "forget", "history", "quarantine")
# What `loxodon config` lists without --all.
MAIN = (
    *("enabled", "language", "timezone", "recall.top", "recall.budget"),
    *("model.base_url", "model.name", "model.api_key", "model.extraction"),
    *("embedder.kind", "workspace.path", "schedule.backup"),
)
# The environment variables that stand above the file.
ENVIRONMENT = {
    "LOXODON_ENABLED": "enabled",
    "LOXODON_MEMORY_BASE_URL": "model.base_url",
    "LOXODON_MEMORY_MODEL": "model.name",
    "LOXODON_MEMORY_API_KEY": "model.api_key",
    "LOXODON_MEMORY_MAX_TOKENS": "model.max_tokens",
    "LOXODON_EMBEDDER": "embedder.kind",
    "LOXODON_EMBEDDER_BASE_URL": "embedder.base_url",
    "LOXODON_EMBEDDER_MODEL": "embedder.name",
    "LOXODON_EMBEDDER_API_KEY": "embedder.api_key",
    "LOXODON_STORE": "store.url",
}
_SWITCHES = {"true": True, "on": True, "yes": True, "1": True}
_SWITCHES |= {"false": False, "off": False, "no": False, "0": False}
_LOCK_SECONDS = 30.0
_warned: set[str] = set()  # unknown settings, once a process


class Secret(str):
    """Text that no log shows: a key, or an address that may have a password in it."""

    def __repr__(self) -> str:
        return repr(MASK if self else "")


# Checks of what is written under a name


is_api_key = re.compile("[!-~]*").fullmatch
is_database = re.compile(r"postgres(?:ql)?://[^\x00-\x20\x7f]+").fullmatch


def is_base_url(text: str) -> bool:
    from urllib.parse import urlsplit

    with suppress(ValueError):
        url = urlsplit(text)
        place = url.scheme in ("http", "https") and url.hostname and url.port != 0
        return bool(place and is_api_key(text)) and not re.search("[@?#]", text)
    return False


def is_cron(text: str) -> bool:
    from cronsim import CronSim, CronSimError

    with suppress(CronSimError, ValueError, StopIteration):
        next(CronSim(text, datetime(2026, 1, 1)))
        return len(text.split()) == 5
    return False


def are_tools(text: str) -> bool:
    return {*text.split()} <= {*EXTRA_TOOLS}


HINTS: Mapping[Check, str] = {
    is_api_key: "copy the key again, without spaces or line breaks",
    is_base_url: "write it as https://host/v1, without a user name, key or query",
    is_database: "write it as postgresql://user@host/database",
    is_cron: "write minute, hour, day, month and weekday, such as 0 3 * * *; empty for never",
    are_tools: "name only tools that the help of this setting lists",
}
TAKES = {
    str: "it must be text",
    int: "it must be a whole number",
    float: "it must be a number",
    bool: "it must be true or false",
}


class Setting(Generic[T]):
    """A setting: default, help, and what it may be (least and most, some words, or a check)."""

    def __init__(self, default: T, about: str = "", may: Any = ()) -> None:
        self.default, self.about, self.may = default, about, may

    if TYPE_CHECKING:  # a section has the value under the same name

        def __get__(self, section: object, kind: type) -> T: ...


class Section(SimpleNamespace):
    """Some settings. They stay as they are; `_replace` gives others."""

    def __init__(self, *values: Any, **named: Any) -> None:
        defaults = {name: one.default for name, one in settings_of(type(self)).items()}
        if unknown := named.keys() - defaults:
            raise TypeError(f"unknown settings: {', '.join(sorted(unknown))}")
        super().__init__(**defaults | dict(zip(defaults, values, strict=False)) | named)

    def _replace(self, **values: Any) -> Self:
        return type(self)(**vars(self) | values)

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(vars(self).items()))


def settings_of(section: type[Section]) -> dict[str, Setting[Any]]:
    return {name: one for name, one in vars(section).items() if isinstance(one, Setting)}


class RecallConfig(Section):
    top = Setting(10, "Maximum number of items that a recall returns.", (1, 1000))
    budget = Setting(1000, "Maximum number of tokens in the recalled context.", (0, 1e6))
    profile = Setting("default", "Ranking of search results.", PROFILES)
    frame = Setting(4000, "Maximum number of tokens in the output of `context`.", (0, 1e6))


class DecayConfig(Section):
    fact = Setting(0.008, "Share of strength that a fact of importance 0 loses per day.", (0, 1))
    belief = Setting(0.07, "The same for beliefs.", (0, 1))
    summary = Setting(0.025, "The same for summaries.", (0, 1))
    archive = Setting(0.05, "Strength below which a memory is archived.", (0.001, 1))


class SnapshotConfig(Section):
    budget = Setting(2000, "Maximum number of tokens in the snapshot.", (100, 100_000))
    identity = Setting("", "Description of the agent, for the snapshot; one line per item.")


class ScheduleConfig(Section):
    daily = Setting("0 3 * * *", "When to consolidate, in local time; empty for no jobs.", is_cron)
    backup = Setting("", "When to back up to backup.folder; empty for never.", is_cron)


class BufferConfig(Section):
    quiet = Setting(180.0, "Seconds without messages before they are consolidated.", (0, 86_400))


class WorkingConfig(Section):
    window = Setting(128_000, "Context window of the agent's model, in tokens.", (1000, 1e8))
    flush = Setting(True, "Whether the agent's model is asked what to save before a compaction.")
    compact = Setting(True, "Whether a long conversation is compacted by itself.")


class ModelConfig(Section):
    base_url = Setting("", "Base URL of an OpenAI-compatible model.", is_base_url)
    name = Setting("", "Name of the model.")
    api_key = Setting(Secret(), "API key, if the server needs one; never shown.", is_api_key)
    extraction = Setting(
        "residue",
        "What a model or agent reads: rules (nothing), residue (the unclear) or full (all).",
        ("rules", "residue", "full"),
    )
    timeout = Setting(60.0, "Timeout for one answer of the model, in seconds.", (0.1, 3600))
    retries = Setting(3, "Number of retries for a failed request to the model.", (0, 10))
    max_tokens = Setting(6000, "Maximum tokens of one question with its answer.", (1000, 1e6))
    daily_tokens = Setting(1_800, "Maximum tokens per day for residue; 0 for no limit.", (0, 1e9))
    daily_tokens_full = Setting(0, "Maximum tokens per day for full; 0 for no limit.", (0, 1e9))
    parallel = Setting(2, "Number of parallel requests to the model.", (1, 16))
    check = Setting(True, "Whether the model must first pass a test with ten sentences.")
    kind = Setting("openai", "openai (a server) or command (a program).", ("openai", "command"))
    command = Setting("", "The program: it reads a prompt and prints the answer (`claude -p`).")

    @property
    def address(self) -> str:
        """The server's base URL, or the command; empty while no model is set."""
        if self.kind == "command":
            return self.command
        return self.base_url if self.name else ""

    @property
    def mode(self) -> str:
        """How much the model is asked, in effect: `rules` (nothing) while none is set."""
        return self.extraction if self.address else "rules"


class EmbedderConfig(Section):
    kind = Setting(
        "auto",
        "Search by meaning: auto (our own small model), none, use or fastembed (models of these "
        "packages, offline), or openai (a server).",
        ("auto", "none", "use", "fastembed", "openai"),
    )
    base_url = Setting("", "Base URL of an OpenAI-compatible embedder.", is_base_url)
    name = Setting("", "Name of the model.")
    api_key = Setting(Secret(), "API key, if the server needs one; never shown.", is_api_key)
    query_timeout = Setting(3.0, "Seconds that a recall waits for its embedding.", (0.01, 3600))


class WorkspaceConfig(Section):
    path = Setting("", "Folder of the agent's files and the views of main, if not in the home.")
    views = Setting("on", "Whether text views are written.", ("on", "off"))
    folders = Setting("", "More folders of Markdown notes to search; one per line.")
    others = Setting("", "Workspaces of other agents to search too; one per line.")
    agents = Setting("shared", "Whether OpenClaw's agents share a memory.", ("shared", "apart"))


class EncryptionConfig(Section):
    key = Setting(
        "none",
        "Where the key is: none (not encrypted), file, env (LOXODON_KEY) or keyring.",
        ("none", "file", "env", "keyring"),
    )
    file = Setting("", "File with the key; only its owner may read it.")


class StoreConfig(Section):
    url = Setting(Secret(), "PostgreSQL database: postgresql://user@host/database.", is_database)
    pool = Setting(20, "Number of connections to it that a process uses at once.", (2, 10_000))
    connect_timeout = Setting(3.0, "Seconds to wait for a connection to it.", (2, 600))
    statement_timeout = Setting(30.0, "Seconds that a statement may take; 0: any.", (0, 86_400))
    lock_timeout = Setting(10.0, "Seconds to wait for writers to the same space.", (0.1, 86_400))
    max_turns = Setting(0, "Maximum number of messages in a space; 0 for no limit.", (0, 1e12))


class BackupConfig(Section):
    folder = Setting("", "Default folder for backups; empty for HOME/backups.")
    keep = Setting(7, "Number of backups of a space to keep in that folder.", (1, 100_000))


class ServeConfig(Section):
    rate = Setting(1000, "Requests per second for each token or address; 0 for no limit.", (0, 1e6))


class McpConfig(Section):
    tools = Setting("", "More tools over MCP: consolidate, forget, history, quarantine.", are_tools)


class KeysConfig(Section):
    source = Setting(
        "file",
        "Where the master key is: file, env (LOXODON_KEY_MASTER) or keyring.",
        ("file", "env", "keyring"),
    )


class AuditConfig(Section):
    enabled = Setting(True, "Whether the audit log records reads and writes, not their content.")
    entries = Setting(1_000_000, "Entries of the audit log to keep; 0 for all.", (0, 1e9))


class Config(Section):
    """All settings. Make one with `Config()`, `load(home)` or `from_mapping({...})`."""

    enabled = Setting(True, "Whether the engine is on. While it is off, plain files replace it.")
    language = Setting("auto", "Language of messages: auto, en or zh.", ("auto", "en", "zh"))
    timezone = Setting("", "Time zone, such as Asia/Shanghai; empty for the system's.", zone_named)
    recall = Setting(RecallConfig())
    decay = Setting(DecayConfig())
    snapshot = Setting(SnapshotConfig())
    schedule = Setting(ScheduleConfig())
    buffer = Setting(BufferConfig())
    working = Setting(WorkingConfig())
    model = Setting(ModelConfig())
    embedder = Setting(EmbedderConfig())
    workspace = Setting(WorkspaceConfig())
    encryption = Setting(EncryptionConfig())
    store = Setting(StoreConfig())
    backup = Setting(BackupConfig())
    serve = Setting(ServeConfig())
    mcp = Setting(McpConfig())
    keys = Setting(KeysConfig())
    audit = Setting(AuditConfig())


KEYS: dict[str, Setting[Any]] = {}  # by dotted name
for _name, _one in settings_of(Config).items():
    if isinstance(_one.default, Section):
        KEYS |= {f"{_name}.{key}": one for key, one in settings_of(type(_one.default)).items()}
    else:
        KEYS[_name] = _one
DEFAULTS: Mapping[str, Value] = {name: key.default for name, key in KEYS.items()}
SECRETS = {name for name, value in DEFAULTS.items() if isinstance(value, Secret)}


def flat(config: Config) -> dict[str, Value]:
    """Every setting by its dotted name."""
    return {name: attrgetter(name)(config) for name in KEYS}


def load(home: str, environ: Mapping[str, str] = {}) -> Config:
    """config.toml of `home` over the defaults, and above it what the environment of an entry point
    sets. What this version does not know is ignored."""
    path = os.path.join(home, CONFIG)
    given = flattened(_parsed(home, "tomllib")) if os.path.exists(path) else {}
    if given.get("embedder.kind") == "onnx":  # a model in a folder, which fastembed replaced
        given["embedder.path"] = given.pop("embedder.kind")
    unknown = given.keys() - KEYS.keys()
    if new := sorted(unknown - _warned):
        import logging

        _warned.update(new)
        said = t("unknown settings in config.toml are ignored: {names}", names=", ".join(new))
        logging.getLogger("loxodon").warning(said)  # if nobody listens, to stderr
    try:
        found = from_mapping({name: given[name] for name in given if name not in unknown})
    except ConfigError as error:
        raise ConfigError("{path}: {error}", hint="{error_hint}", path=path, error=error) from None
    above = {name: environ[env] for env, name in ENVIRONMENT.items() if environ.get(env)}
    return from_mapping(above, found)


def _parsed(home: str, library: str) -> Any:
    """config.toml of `home` as a library reads it: `tomllib`, or `tomlkit` with its comments."""
    path, text = os.path.join(home, CONFIG), ""
    try:
        with suppress(FileNotFoundError, NotADirectoryError), open(path, "rb") as file:
            text = file.read().decode()
        return import_module(library).loads(text)
    except OSError as error:
        hint = "check its permissions, or choose another home with --home"
        said = ConfigError(
            "cannot read {path}: {reason}", hint=hint, path=path, reason=error.strerror
        )
        raise said from None
    except ValueError as error:
        hint = "fix that line, or move the file away to use the defaults"
        said = ConfigError("{path} is not valid TOML: {reason}", hint=hint, path=path, reason=error)
        raise said from None


def from_mapping(values: Mapping[str, object], config: Config | None = None) -> Config:
    """Settings from nested or dotted keys; the others as in `config` (the defaults)."""
    found = config or Config()
    for name, value in flattened(values).items():
        new: Any = checked(name, value)
        section, _, key = name.rpartition(".")
        if section:
            key, new = section, getattr(found, section)._replace(**{key: new})
        found = found._replace(**{key: new})
    return found


def flattened(values: Mapping[str, object]) -> dict[str, object]:
    """Nested tables as dotted names."""
    found: dict[str, object] = {}
    for name, value in values.items():
        if isinstance(value, Mapping):
            found |= {f"{name}.{key}": inner for key, inner in flattened(value).items()}
        else:
            found[str(name)] = value
    return found


def known(name: str) -> Setting[Any]:
    if name not in KEYS:
        hint = "list all settings with `loxodon config --all`"
        raise ConfigError("unknown setting {name}", hint=hint, name=repr(name))
    return KEYS[name]


def checked(name: str, value: Any) -> Value:
    """`value` if it may stand under `name`; a clear error if not. Text is converted."""
    may, wanted = known(name).may, type(DEFAULTS[name])
    if wanted is bool and isinstance(value, str):
        value = _SWITCHES.get(value.strip().lower(), value)
    takes = {bool: (bool,), int: (int, str), float: (int, float, str)}.get(wanted, (str,))
    found: Any = None
    if isinstance(value, takes) and isinstance(value, bool) == (wanted is bool):
        with suppress(ValueError):
            found = wanted(value)
    limits = may if isinstance(may, tuple) and may else ("",)
    if found is None:
        fits, hint = False, TAKES[str if wanted is Secret else wanted]
    elif callable(may):
        fits, hint = not found or may(found), HINTS.get(may, "")
    elif wanted is str:
        fits, hint = not may or found in may, "choose one of {choices}"
    else:
        fits = not may or may[0] <= found <= may[1]
        hint = "it must be a number from {least} to {most}"
    if fits:
        return found  # type: ignore[no-any-return]
    raise ConfigError(
        "{name} cannot be {value}",
        hint=hint,
        name=name,
        value=MASK if wanted is Secret or may is is_base_url else repr(value)[:60],
        choices=", ".join(map(str, limits)),
        least=limits[0],
        most=limits[-1],
    )


def shown(config: Config) -> dict[str, Value]:
    """Every setting by its dotted name, fit to be printed: secrets are masked."""
    values = flat(config)
    return values | {name: hidden(str(values[name]), MASK) for name in SECRETS if values[name]}


def changed(config: Config) -> dict[str, Value]:
    """Those that are not as they come."""
    return {name: value for name, value in shown(config).items() if value != DEFAULTS[name]}


def written(value: object) -> str:
    """A setting as config.toml has it, without quotes."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def hidden(secret: str, shown: str = "") -> str:
    """A secret as it may be seen: an address without its passwords, a key not at all."""
    return without_password(secret, shown) if "://" in secret else shown


def without_password(url: str, shown: str = "") -> str:
    """A database's address with `shown` in the place of each password; empty takes them out."""
    place, _, options = url.partition("?")
    user = rf"\1:{shown}@" if shown else r"\1@"
    place = re.sub(r"(://[^:@/]*):.*@", user, place)  # up to the last @: a password may have one
    hidden = re.sub(r"(\w*password\w*=)[^&]*", rf"\1{shown}" if shown else "", options, flags=re.I)
    return "?".join(filter(None, (place, re.sub("&+", "&", hidden).strip("&"))))


def write(home: str, name: str, value: str | None) -> None:
    """Set `name` in config.toml, whose comments stay; None takes it out, also if it is unknown."""
    found = None if value is None else checked(name, value)
    path = os.path.join(home, CONFIG)
    try:
        os.makedirs(home, mode=0o700, exist_ok=True)
        with alone(os.path.join(home, "config.lock"), _LOCK_SECONDS):
            document = _parsed(home, "tomlkit")
            _put(document, name, found)
            files.replace(path, document.as_string().encode())
    except OSError as error:
        hint = "check the folder's permissions and the free disk space"
        why = error.strerror or str(error)
        said = ConfigError("cannot write {path}: {reason}", hint=hint, path=path, reason=why)
        raise said from None


def without_secrets(home: str) -> str:
    """config.toml as it may be copied: without keys; empty where there is none."""
    document = _parsed(home, "tomlkit")
    given = flattened(document.unwrap())
    for name in SECRETS & given.keys():
        _put(document, name, hidden(str(given[name])) or None)
    return str(document.as_string())


def _put(document: Any, name: str, value: Value | None) -> None:
    section, _, key = name.rpartition(".")
    table = document.get(section) if section else document
    is_table = hasattr(table, "pop")
    if value is not None:
        if not is_table:
            document[section] = {}
            table = document[section]
        table[key] = value
    elif is_table and key in table:
        del table[key]
        if section and not table:
            del document[section]
