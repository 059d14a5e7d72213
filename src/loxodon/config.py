"""Settings: the sections have types and defaults, `KEYS` the help and limits (`docs/reference.md`).

Values come from the defaults, then config.toml, then the environment, which only entry points read.
"""

import os
import re
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from importlib import import_module
from operator import attrgetter
from typing import Any, NamedTuple

from loxodon import files
from loxodon.clock import zone_named
from loxodon.errors import ConfigError
from loxodon.filelock import FileLock
from loxodon.layout import CONFIG
from loxodon.messages import t

Value = str | int | float
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
# Settings and sections of earlier versions: ignored with a warning.
RETIRED = frozenset(
    """audit.head audit.keep audit.on_failure audit.size buffer.tokens chat consolidation
    embedder.english embedder.path embedder.timeout idempotency importance model.temperature
    openclaw phase1 prompts schedule.overdue snapshot.days snapshot.first snapshot.second
    snapshot.third store.replica summary tiered tokenizer unsettled working.cache_ttl
    working.keep_recent working.protect working.reserve working.reserve_floor
    working.soft_threshold working.summary workspace.days workspace.debounce""".split()  # noqa: SIM905
)
Check = Callable[[str], bool]
_LOCK_SECONDS = 30.0


class Secret(str):
    """Text that no log shows: a key, or an address that may have a password in it."""

    def __repr__(self) -> str:
        return repr(MASK if self else "")


class RecallConfig(NamedTuple):
    top: int = 10
    budget: int = 1000
    profile: str = "default"
    frame: int = 4000


class DecayConfig(NamedTuple):
    fact: float = 0.008
    belief: float = 0.07
    summary: float = 0.025
    archive: float = 0.05


class SnapshotConfig(NamedTuple):
    budget: int = 2000
    identity: str = ""


class ScheduleConfig(NamedTuple):
    daily: str = "0 3 * * *"
    weekly: str = "0 4 * * 1"
    profile: str = "0 5 * * 0"
    heartbeat: str = "*/30 * * * *"
    backup: str = ""


class BufferConfig(NamedTuple):
    quiet: float = 180.0


class WorkingConfig(NamedTuple):
    window: int = 128_000
    flush: bool = True
    compact: bool = True


class ModelConfig(NamedTuple):
    """The model that decides what rules could not; none while it has no address and no name."""

    base_url: str = ""
    name: str = ""
    api_key: str = Secret()
    extraction: str = "residue"
    timeout: float = 60.0
    retries: int = 3
    daily_tokens: int = 20_000
    daily_tokens_full: int = 0
    parallel: int = 2
    check: bool = True
    kind: str = "openai"
    command: str = ""

    @property
    def mode(self) -> str:
        """How much the model is asked, in effect: `rules` (nothing) while none is set."""
        found = self.command if self.kind == "command" else self.base_url and self.name
        return self.extraction if found else "rules"

    @property
    def address(self) -> str:
        """Where it is asked: an URL, or a program."""
        return self.command if self.kind == "command" else self.base_url

    @property
    def thorough(self) -> bool:
        """Whether every message is to be read."""
        return self.extraction == "full"

    @property
    def cap(self) -> int:
        """The most tokens of a day in this mode; 0 for no limit."""
        return self.daily_tokens_full if self.thorough else self.daily_tokens


class EmbedderConfig(NamedTuple):
    kind: str = "auto"
    base_url: str = ""
    name: str = ""
    api_key: str = Secret()
    query_timeout: float = 3.0


class WorkspaceConfig(NamedTuple):
    """The folder where the memory is on disk as text, and where the agent's own files are."""

    path: str = ""
    views: str = "on"
    folders: str = ""
    others: str = ""
    agents: str = "shared"


class EncryptionConfig(NamedTuple):
    key: str = "none"
    file: str = ""


class StoreConfig(NamedTuple):
    url: str = Secret()
    pool: int = 20
    connect_timeout: float = 3.0
    statement_timeout: float = 30.0
    lock_timeout: float = 10.0


class BackupConfig(NamedTuple):
    folder: str = ""
    keep: int = 7


class ServeConfig(NamedTuple):
    rate: int = 1_000
    connections: int = 1_000


class McpConfig(NamedTuple):
    tools: str = ""


class KeysConfig(NamedTuple):
    source: str = "file"


class AuditConfig(NamedTuple):
    enabled: bool = True
    entries: int = 1_000_000


class Config(NamedTuple):
    """All settings. Make one with `Config()`, `load(home)` or `from_mapping({...})`."""

    enabled: bool = True
    language: str = "auto"
    timezone: str = ""
    recall: RecallConfig = RecallConfig()
    decay: DecayConfig = DecayConfig()
    snapshot: SnapshotConfig = SnapshotConfig()
    schedule: ScheduleConfig = ScheduleConfig()
    buffer: BufferConfig = BufferConfig()
    working: WorkingConfig = WorkingConfig()
    model: ModelConfig = ModelConfig()
    embedder: EmbedderConfig = EmbedderConfig()
    workspace: WorkspaceConfig = WorkspaceConfig()
    encryption: EncryptionConfig = EncryptionConfig()
    store: StoreConfig = StoreConfig()
    backup: BackupConfig = BackupConfig()
    serve: ServeConfig = ServeConfig()
    mcp: McpConfig = McpConfig()
    keys: KeysConfig = KeysConfig()
    audit: AuditConfig = AuditConfig()


# What may be written under each name.


def _is_zone(text: str) -> bool:
    return zone_named(text) is not None  # or it says itself what is wrong


def _is_printed(text: str) -> bool:
    return re.fullmatch("[!-~]*", text) is not None


def _is_base_url(text: str) -> bool:
    from urllib.parse import urlsplit

    try:
        url = urlsplit(text)
        is_place = url.scheme in ("http", "https") and bool(url.hostname) and url.port != 0
    except ValueError:
        return False
    is_more = url.username is not None or url.query or url.fragment
    return is_place and not is_more and _is_printed(text)


def _is_database(text: str) -> bool:
    scheme, _, rest = text.partition("://")
    return scheme in ("postgresql", "postgres") and bool(rest) and text.isprintable()


def _is_cron(text: str) -> bool:
    from datetime import datetime

    from cronsim import CronSim, CronSimError

    try:
        next(CronSim(text, datetime(2026, 1, 1)))
    except (CronSimError, ValueError, StopIteration):
        return False
    return len(text.split()) == 5


def _are_tools(text: str) -> bool:
    return {*text.split()} <= {*EXTRA_TOOLS}


HINTS: Mapping[Check, str] = {
    _is_printed: "copy the key again, without spaces or line breaks",
    _is_base_url: "write it as https://host/v1, without a user name, key or query",
    _is_database: "write it as postgresql://user@host/database",
    _is_cron: "write minute, hour, day, month and weekday, such as 0 3 * * *; empty for never",
    _are_tools: "name only tools that the help of this setting lists",
}
TAKES = {
    str: "it must be text",
    int: "it must be a whole number",
    float: "it must be a number",
    bool: "it must be true or false",
}


class Key(NamedTuple):
    """What is known of a setting beside its type and default."""

    about: str
    least: float = 0
    most: float = 0
    choices: tuple[str, ...] = ()
    check: Check | None = None


_API_KEY = "API key, if the server needs one; never shown."
KEYS: Mapping[str, Key] = {
    "enabled": Key("Whether the memory engine is on. While it is off, plain files replace it."),
    "language": Key("Language of messages: auto, en or zh.", choices=("auto", "en", "zh")),
    "timezone": Key("Time zone, such as Asia/Shanghai; empty for the system's.", check=_is_zone),
    "recall.top": Key("Maximum number of items that a recall returns.", 1, 1000),
    "recall.budget": Key("Maximum number of tokens in the recalled context.", 0, 1e6),
    "recall.profile": Key("Ranking of search results.", choices=PROFILES),
    "recall.frame": Key("Maximum number of tokens in the output of `context`.", 0, 1e6),
    "decay.fact": Key("Share of its strength that a fact of importance 0 loses per day.", 0, 1),
    "decay.belief": Key("The same for beliefs.", 0, 1),
    "decay.summary": Key("The same for summaries.", 0, 1),
    "decay.archive": Key("Strength below which a memory is archived.", 0.001, 1),
    "snapshot.budget": Key("Maximum number of tokens in the snapshot.", 100, 100_000),
    "snapshot.identity": Key("Description of the agent, for the snapshot; one line per item."),
    "schedule.daily": Key("When to consolidate, in local time; empty for never.", check=_is_cron),
    "schedule.weekly": Key("The same for the weekly compression.", check=_is_cron),
    "schedule.profile": Key("The same for rebuilding the profile.", check=_is_cron),
    "schedule.heartbeat": Key("The same for reminders and questions to ask again.", check=_is_cron),
    "schedule.backup": Key("The same for backups to backup.folder.", check=_is_cron),
    "buffer.quiet": Key("Seconds without messages after which they are consolidated.", 0, 86_400),
    "working.window": Key("Context window of the agent's model, in tokens.", 1000, 1e8),
    "working.flush": Key("Whether the agent's model is asked what to save before a compaction."),
    "working.compact": Key("Whether a long conversation is compacted by itself."),
    "model.base_url": Key("Base URL of an OpenAI-compatible model.", check=_is_base_url),
    "model.name": Key("Name of the model."),
    "model.api_key": Key(_API_KEY, check=_is_printed),
    "model.extraction": Key(
        "What the model reads: rules (nothing), residue (what the rules are not sure of) or full "
        "(every message).",
        choices=("rules", "residue", "full"),
    ),
    "model.timeout": Key("Timeout for one answer of the model, in seconds.", 0.1, 3600),
    "model.retries": Key("Number of retries for a failed request to the model.", 0, 10),
    "model.daily_tokens": Key("Maximum tokens per day for residue; 0 for no limit.", 0, 1e9),
    "model.daily_tokens_full": Key("Maximum tokens per day for full; 0 for no limit.", 0, 1e9),
    "model.parallel": Key("Number of parallel requests to the model.", 1, 16),
    "model.check": Key("Whether the model must first pass a test with ten sentences."),
    "model.kind": Key(
        "What the model is: openai (a server) or command (a program that takes a prompt on "
        "standard input and prints the answer).",
        choices=("openai", "command"),
    ),
    "model.command": Key("The program, for command, such as `claude -p`."),
    "embedder.kind": Key(
        "Embedder for search by meaning: auto (our own small model, for Chinese and English, "
        "offline), none, use (offline, needs the extra `semantic`), fastembed (a model of that "
        "package) or openai (a model server).",
        choices=("auto", "none", "use", "fastembed", "openai"),
    ),
    "embedder.base_url": Key("Base URL of an OpenAI-compatible embedder.", check=_is_base_url),
    "embedder.name": Key("Name of the model."),
    "embedder.api_key": Key(_API_KEY, check=_is_printed),
    "embedder.query_timeout": Key("Seconds that a recall waits for its embedding.", 0.01, 3600),
    "workspace.path": Key(
        "Folder of the agent's files and of the text views of the space main; "
        "empty for a folder next to the database. Other spaces always use that."
    ),
    "workspace.views": Key("Whether text views are written.", choices=("on", "off")),
    "workspace.folders": Key("More folders of Markdown notes to search; one per line."),
    "workspace.others": Key("Workspaces of other agents to search too; one per line."),
    "workspace.agents": Key(
        "Whether OpenClaw's agents share one memory (shared) or each has its own (apart).",
        choices=("shared", "apart"),
    ),
    "encryption.key": Key(
        "Where the encryption key is: none (not encrypted), file, env "
        "(LOXODON_KEY) or keyring. Set by `loxodon encrypt` and `decrypt`.",
        choices=("none", "file", "env", "keyring"),
    ),
    "encryption.file": Key("File with the key or a passphrase; only its owner may read it."),
    "store.url": Key(
        "PostgreSQL database that the spaces are in, as postgresql://user@host/database; empty for "
        "files in the home. Needs the extra `postgres`.",
        check=_is_database,
    ),
    "store.pool": Key("Number of connections to it that a process uses at once.", 2, 10_000),
    "store.connect_timeout": Key("Seconds to wait for a connection to it.", 2, 600),
    "store.statement_timeout": Key("Seconds that a statement may take; 0: no limit.", 0, 86_400),
    "store.lock_timeout": Key("Seconds to wait for writers to the same space.", 0.1, 86_400),
    "backup.folder": Key("Default folder for backups; empty for HOME/backups."),
    "backup.keep": Key("Number of backups of a space to keep in that folder.", 1, 100_000),
    "serve.rate": Key("Requests per second for each token or address; 0 for no limit.", 0, 1e6),
    "serve.connections": Key("Maximum number of open connections to a server.", 1, 100_000),
    "mcp.tools": Key(
        "More tools for agents over MCP, separated by spaces: consolidate, forget, history, "
        "quarantine.",
        check=_are_tools,
    ),
    "keys.source": Key(
        "Where the master key is: file (in the home), env (LOXODON_KEY_MASTER) or "
        "keyring (the system keyring).",
        choices=("file", "env", "keyring"),
    ),
    "audit.enabled": Key("Whether the audit log records reads and writes, without their content."),
    "audit.entries": Key("Entries of the audit log to keep; 0 for all.", 0, 1e9),
}
# The environment variables that stand above the file.
ENVIRONMENT = {
    "LOXODON_ENABLED": "enabled",
    "LOXODON_MEMORY_BASE_URL": "model.base_url",
    "LOXODON_MEMORY_MODEL": "model.name",
    "LOXODON_MEMORY_API_KEY": "model.api_key",
    "LOXODON_EMBEDDER": "embedder.kind",
    "LOXODON_EMBEDDER_BASE_URL": "embedder.base_url",
    "LOXODON_EMBEDDER_MODEL": "embedder.name",
    "LOXODON_EMBEDDER_API_KEY": "embedder.api_key",
    "LOXODON_STORE": "store.url",
}


def flat(config: Config) -> dict[str, Value]:
    """Every setting by its dotted name."""
    return {name: attrgetter(name)(config) for name in KEYS}


DEFAULTS = flat(Config())
ADDRESSES = frozenset(name for name, key in KEYS.items() if key.check is _is_database)
SECRET = frozenset(name for name, key in KEYS.items() if key.check is _is_printed)
_SWITCHES = {"true": True, "on": True, "yes": True, "1": True}
_SWITCHES |= {"false": False, "off": False, "no": False, "0": False}
_warned: set[str] = set()  # settings of earlier versions, once a process


# Reading.


def load(home: str) -> Config:
    """The settings of `home`: its config.toml over the defaults."""
    given = read(home)
    try:
        return from_mapping(given)
    except ConfigError as error:
        path = os.path.join(home, CONFIG)
        raise ConfigError("{path}: {error}", hint="{error_hint}", path=path, error=error) from None


def read(home: str) -> dict[str, Any]:
    """What config.toml of `home` says; empty where there is none."""
    return _parsed(home, "tomllib") if os.path.exists(os.path.join(home, CONFIG)) else {}


def _parsed(home: str, library: str) -> Any:
    """config.toml of `home` as a library reads it: `tomllib`, or `tomlkit` with its comments."""
    path, text = os.path.join(home, CONFIG), ""
    try:
        with suppress(FileNotFoundError, NotADirectoryError), open(path, "rb") as file:
            text = file.read().decode()
        return import_module(library).loads(text)
    except OSError as error:
        raise ConfigError(
            "cannot read {path}: {reason}",
            hint="check its permissions, or choose another home with --home",
            path=path,
            reason=error.strerror,
        ) from None
    except ValueError as error:
        raise ConfigError(
            "{path} is not valid TOML: {reason}",
            hint="fix that line, or move the file away to use the defaults",
            path=path,
            reason=error,
        ) from None


def from_mapping(values: Mapping[str, object]) -> Config:
    """Settings from nested or dotted keys, each checked; what is not given keeps its default."""
    given = flattened(values)
    if given.get("embedder.kind") == "onnx":  # a model in a folder, which fastembed replaced
        given["embedder.path"] = given.pop("embedder.kind")
    retired = {name for name in given if {name, name.partition(".")[0]} & RETIRED}
    if new := retired - _warned:  # without a handler it goes to stderr
        import logging

        _warned.update(new)
        said = t("settings that no longer exist are ignored: {names}", names=", ".join(sorted(new)))
        logging.getLogger("loxodon").warning(said)
    return _with_values(Config(), {n: value for n, value in given.items() if n not in retired})


def with_environment(config: Config, environ: Mapping[str, str]) -> Config:
    """`config` with what the environment of an entry point sets above it."""
    given = {name: environ[env] for env, name in ENVIRONMENT.items() if environ.get(env)}
    return _with_values(config, given)


def _with_values(config: Config, values: Mapping[str, object]) -> Config:
    for name, value in values.items():
        section, _, key = name.rpartition(".")
        new: Any = checked(name, value)
        if section:
            key, new = section, getattr(config, section)._replace(**{key: new})
        config = config._replace(**{key: new})
    return config


def flattened(values: Mapping[str, object]) -> dict[str, object]:
    """Nested tables as dotted names."""
    found: dict[str, object] = {}
    for name, value in values.items():
        if isinstance(value, Mapping):
            found |= {f"{name}.{key}": inner for key, inner in flattened(value).items()}
        else:
            found[str(name)] = value
    return found


def known(name: str) -> Key:
    """What there is to know of a setting; a clear error if there is none of that name."""
    if name not in KEYS:
        hint = "list all settings with `loxodon config --all`"
        raise ConfigError("unknown setting {name}", hint=hint, name=repr(name))
    return KEYS[name]


def checked(name: str, value: Any) -> Value:
    """`value` if it may stand under `name`; a clear error if not. Text is converted."""
    key, wanted = known(name), type(DEFAULTS[name])
    if wanted is bool and isinstance(value, str):
        value = _SWITCHES.get(value.strip().lower(), value)
    takes = {bool: (bool,), int: (int, str), float: (int, float, str)}.get(wanted, (str,))
    found: Value = ""
    try:
        fits = isinstance(value, takes) and isinstance(value, bool) == (wanted is bool)
        found = wanted(value) if fits else ""
    except ValueError:
        fits = False
    if not fits:
        hint = TAKES[str if wanted is Secret else wanted]
    elif key.choices and found not in key.choices:
        hint = "choose one of {choices}"
    elif key.most and not key.least <= float(found) <= key.most:
        hint = "it must be a number from {least} to {most}"
    elif key.check and found and not key.check(str(found)):
        hint = HINTS[key.check]
    else:
        return found
    hidden = name in SECRET or key.check in (_is_base_url, _is_database)  # a key may be in it
    raise ConfigError(
        "{name} cannot be {value}",
        hint=hint,
        name=name,
        value=MASK if hidden else repr(value)[:60],
        choices=", ".join(key.choices),
        least=key.least,
        most=key.most,
    ) from None


# Showing.


def shown(config: Config) -> dict[str, Value]:
    """Every setting by its dotted name, fit to be printed: secrets are masked."""
    values = flat(config)
    values |= {name: MASK for name in SECRET if values[name]}
    return values | {name: without_password(str(values[name]), MASK) for name in ADDRESSES}


def changed(config: Config) -> dict[str, Value]:
    """The settings that are not as they come, by name, fit to be printed."""
    return {name: value for name, value in shown(config).items() if value != DEFAULTS[name]}


def written(value: object) -> str:
    """A setting as config.toml has it, without quotes."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def without_password(url: str, shown: str = "") -> str:
    """A database's address with `shown` in the place of each password; empty takes them out."""
    place, _, options = url.partition("?")
    user = rf"\1:{shown}@" if shown else r"\1@"
    place = re.sub(r"(://[^:@/]*):.*@", user, place)  # up to the last @: a password may have one
    hidden = re.sub(r"(\w*password\w*=)[^&]*", rf"\1{shown}" if shown else "", options, flags=re.I)
    return "?".join(filter(None, (place, re.sub("&+", "&", hidden).strip("&"))))


# Writing.


def write(home: str, name: str, value: str | None) -> None:
    """Set `name` in the config.toml of `home`; None takes it out, also what nobody knows. Comments
    and order stay."""
    found = None if value is None else checked(name, value)
    path = os.path.join(home, CONFIG)
    try:
        os.makedirs(home, mode=0o700, exist_ok=True)
        with closing(FileLock(os.path.join(home, "config.lock"))) as lock:
            if not lock.acquire(_LOCK_SECONDS):
                raise OSError(0, "another program is changing it")
            document = _parsed(home, "tomlkit")
            _put(document, name, found)
            if value is not None:
                from_mapping(document.unwrap())
            files.replace(path, document.as_string().encode())
    except OSError as error:
        raise ConfigError(
            "cannot write {path}: {reason}",
            hint="check the folder's permissions and the free disk space",
            path=path,
            reason=error.strerror or str(error),
        ) from None


def without_secrets(home: str) -> str:
    """config.toml as it may be copied: without keys; empty where there is none."""
    document = _parsed(home, "tomlkit")
    given = flattened(document.unwrap())
    for name in SECRET & given.keys():
        _put(document, name, None)
    for name in ADDRESSES & given.keys():
        _put(document, name, without_password(str(given[name])))
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
