"""Settings: every key of `config.toml`, its default, limits and help.

The fields of a `Section` are made with `setting`; `KEYS` lists them by dotted name, and
`docs/reference.md` is made from it. Values come from the defaults, then the file, then the
environment, which only entry points read.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import Any, NamedTuple, NoReturn, Self, TypeVar, dataclass_transform

from loxodon import files
from loxodon.clock import zone_named
from loxodon.errors import ConfigError
from loxodon.filelock import FileLock
from loxodon.layout import CONFIG
from loxodon.messages import t

Value = str | int | float
MASK = "********"
PROFILES = ("default", "phase1", "openclaw", "tiered")  # rankings of a recall
MAIN = (  # what `loxodon config` lists without --all
    "enabled",
    "language",
    "timezone",
    "recall.top",
    "recall.budget",
    "model.base_url",
    "model.name",
    "model.api_key",
    "model.extraction",
    "embedder.kind",
    "workspace.path",
    "schedule.backup",
)
# Settings and sections of earlier versions: ignored with a warning.
RETIRED = frozenset(
    """audit.head audit.on_failure audit.size audit.keep buffer.tokens chat embedder.english
    idempotency importance model.temperature openclaw phase1 prompts schedule.overdue snapshot.days
    snapshot.first snapshot.second snapshot.third store.replica summary tiered unsettled
    working.keep_recent
    working.protect working.reserve working.reserve_floor working.soft_threshold working.summary
    workspace.days workspace.debounce""".split()  # noqa: SIM905
)
EXTRA_TOOLS = ("consolidate", "forget", "history", "quarantine", "read_waiting")
"""What agents are offered over MCP only where the setting `mcp.tools` names it."""
_LOCK_SECONDS = 30.0
_LONGEST_CRON = 200  # characters
_PRINTED = frozenset(map(chr, range(0x21, 0x7F)))

Check = Callable[[str, str], None]
T = TypeVar("T", str, int, float, bool)


class Key(NamedTuple):
    """What is known of a setting beside its value."""

    default: Value
    about: str
    least: float | None = None
    most: float | None = None
    choices: tuple[str, ...] = ()
    env: str = ""
    """The environment variable that overrides it."""
    check: Check | None = None
    secret: bool = False


def setting(
    default: T,
    about: str,
    least: float | None = None,
    most: float | None = None,
    *,
    choices: tuple[str, ...] = (),
    env: str = "",
    check: Check | None = None,
    secret: bool = False,
) -> T:
    """A field of a section. A secret and a database address are not part of the repr."""
    return Key(default, about, least, most, choices, env, check, secret)  # type: ignore[return-value]


@dataclass_transform(frozen_default=True)
class Section:
    """Settings that belong together, like a frozen dataclass.

    `dataclasses` itself and the classes that it makes would take a tenth of a cold recall.
    """

    _keys: dict[str, Key]
    _defaults: dict[str, Any]

    def __init_subclass__(cls) -> None:
        own = {name: vars(cls)[name] for name in cls.__annotations__}
        cls._keys = {name: value for name, value in own.items() if isinstance(value, Key)}
        cls._defaults = own | {name: key.default for name, key in cls._keys.items()}

    def __init__(self, *values: Any, **named: Any) -> None:
        named |= zip(self._defaults, values, strict=False)
        if unknown := named.keys() - self._defaults.keys():
            raise TypeError(f"{type(self).__name__} has no {', '.join(sorted(unknown))}")
        vars(self).update(self._defaults | named)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} cannot be changed; use replace")

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and vars(other) == vars(self)

    def __hash__(self) -> int:
        return hash(tuple(vars(self).values()))

    def __repr__(self) -> str:
        hidden = {
            name for name, key in self._keys.items() if key.secret or key.check is _check_database
        }
        shown = [f"{name}={value!r}" for name, value in vars(self).items() if name not in hidden]
        return f"{type(self).__name__}({', '.join(shown)})"

    def replace(self, **changes: Any) -> Self:
        return type(self)(**{**vars(self), **changes})


# Checks of values that are text; each gets the setting's name and the text.


def _check_zone(name: str, text: str) -> None:
    zone_named(text)


def _check_secret(name: str, text: str) -> None:
    if not _PRINTED.issuperset(text):
        raise ConfigError(
            "the API key contains invalid characters",
            hint="copy it again, without spaces or line breaks",
        )


def _check_base_url(name: str, text: str) -> None:
    if not text:
        return
    from urllib.parse import urlsplit

    try:
        url = urlsplit(text)
        good = url.scheme in ("http", "https") and bool(url.hostname) and url.port != 0
        good = good and url.username is None and not url.query and not url.fragment
    except ValueError:
        good = False
    if not good or not _PRINTED.issuperset(text):
        # Not repeated: a key may have been pasted here, or into the address.
        raise ConfigError(
            "{name} is not a valid base URL",
            hint="write it as https://host/v1, without a user name, key or query",
            name=name,
        )


def _check_database(name: str, text: str) -> None:
    scheme, _, rest = text.partition("://")
    if text and (scheme not in ("postgresql", "postgres") or not rest or not text.isprintable()):
        raise ConfigError(  # not repeated: it may have a password in it
            "{name} is not the address of a PostgreSQL database",
            hint="write it as postgresql://user@host/database",
            name=name,
        )


def _check_tools(name: str, text: str) -> None:
    unknown = [one for one in text.split() if one not in EXTRA_TOOLS]
    if unknown:
        raise ConfigError(
            "{name} has an unknown tool: {text}",
            hint="choose one of {choices}",
            name=name,
            text=repr(unknown[0][:60]),
            choices=", ".join(EXTRA_TOOLS),
        )


def _check_cron(name: str, text: str) -> None:
    if not text:
        return
    from datetime import datetime

    from cronsim import CronSim, CronSimError

    try:
        if len(text) > _LONGEST_CRON or len(text.split()) != 5:
            raise ValueError
        next(CronSim(text, datetime(2026, 1, 1)))
    except (CronSimError, ValueError, StopIteration):
        raise ConfigError(
            "{name} is not a cron expression: {text}",
            hint="write minute, hour, day, month and weekday, such as 0 3 * * *; empty for never",
            name=name,
            text=repr(text[:60]),
        ) from None


def _api_key(env: str) -> str:
    about = "API key, if the server needs one; never shown."
    return setting("", about, env=env, check=_check_secret, secret=True)


def _base_url(about: str, env: str) -> str:
    return setting("", about, env=env, check=_check_base_url)


def _cron(default: str, about: str) -> str:
    return setting(default, about, check=_check_cron)


# The sections.


class RecallConfig(Section):
    top: int = setting(10, "Maximum number of items that a recall returns.", 1, 1000)
    budget: int = setting(1000, "Maximum number of tokens in the recalled context.", 0, 1_000_000)
    profile: str = setting(
        "default",
        "Ranking of search results: default, phase1, openclaw or tiered.",
        choices=PROFILES,
    )
    frame: int = setting(4000, "Maximum number of tokens in the output of `context`.", 0, 1_000_000)


class DecayConfig(Section):
    fact: float = setting(
        0.008, "Share of its strength that a fact of importance 0 loses per day.", 0, 1
    )
    belief: float = setting(0.07, "The same for beliefs.", 0, 1)
    summary: float = setting(0.025, "The same for summaries.", 0, 1)
    archive: float = setting(0.05, "Strength below which a memory is archived.", 0.001, 1)


class SnapshotConfig(Section):
    budget: int = setting(2000, "Maximum number of tokens in the snapshot.", 100, 100_000)
    identity: str = setting("", "Description of the agent, for the snapshot; one line per item.")


class ScheduleConfig(Section):
    daily: str = _cron(
        "0 3 * * *", "When to consolidate, as a cron expression in local time; empty for never."
    )
    weekly: str = _cron("0 4 * * 1", "The same for the weekly compression.")
    profile: str = _cron("0 5 * * 0", "The same for rebuilding the profile.")
    heartbeat: str = _cron(
        "*/30 * * * *", "The same for the heartbeat: reminders and questions to ask again."
    )
    backup: str = _cron(
        "", "When to back up to backup.folder, as a cron expression; empty for never."
    )


class BufferConfig(Section):
    quiet: float = setting(
        180.0, "Seconds without new messages after which they are consolidated.", 0, 86_400
    )


class WorkingConfig(Section):
    window: int = setting(
        128_000,
        "Context window of the agent's model, in tokens, unless given otherwise.",
        1_000,
        100_000_000,
    )
    cache_ttl: float = setting(
        300.0,
        "Seconds after which the provider's cache counts as expired, and old tool results are "
        "shortened.",
        0,
        86_400,
    )
    flush: bool = setting(
        True,
        "Whether the agent's model is asked what to save before a compaction; without it only the "
        "rules save.",
    )
    compact: bool = setting(
        True,
        "Whether a long conversation is compacted by itself; without it, only what does not fit "
        "the window is left out.",
    )


class ModelConfig(Section):
    """The model that decides what rules could not; none while it has no address and no name."""

    base_url: str = _base_url(
        "Base URL of an OpenAI-compatible model, such as http://127.0.0.1:8080/v1.",
        "LOXODON_MEMORY_BASE_URL",
    )
    name: str = setting("", "Name of the model.", env="LOXODON_MEMORY_MODEL")
    api_key: str = _api_key("LOXODON_MEMORY_API_KEY")
    extraction: str = setting(
        "residue",
        "What the model, or an agent in its place, reads: rules (nothing), residue "
        "(what the rules are not sure of) or full (every message).",
        choices=("rules", "residue", "full"),
    )
    timeout: float = setting(60.0, "Timeout for one answer of the model, in seconds.", 0.1, 3600)
    retries: int = setting(3, "Number of retries for a failed request to the model.", 0, 10)
    daily_tokens: int = setting(
        20_000, "Maximum number of tokens per day for residue; 0 for no limit.", 0, 1_000_000_000
    )
    daily_tokens_full: int = setting(
        0, "Maximum number of tokens per day for full; 0 for no limit.", 0, 1_000_000_000
    )
    parallel: int = setting(2, "Number of parallel requests to the model.", 1, 16)
    check: bool = setting(True, "Whether the model must first pass a test with ten sentences.")
    kind: str = setting(
        "openai",
        "What the model is: openai (a server) or command (a program that takes a prompt on "
        "standard input and prints the answer).",
        choices=("openai", "command"),
    )
    command: str = setting("", "The program, for command, such as `claude -p`.")

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
        """Whether every message is to be read: by the model, or while none is set by an agent."""
        return self.extraction == "full"

    @property
    def cap(self) -> int:
        """The most tokens of a day in this mode; 0 for no limit."""
        return self.daily_tokens_full if self.thorough else self.daily_tokens


class EmbedderConfig(Section):
    kind: str = setting(
        "none",
        "Embedder for search by meaning: none, loxodon (our own small model, for Chinese and "
        "English, offline), use (offline, needs the extra `semantic`), fastembed (a model of that "
        "package), onnx (a model in a folder) or openai (a model server).",
        choices=("none", "loxodon", "use", "fastembed", "onnx", "openai"),
        env="LOXODON_EMBEDDER",
    )
    path: str = setting("", "Folder of the ONNX model, for onnx.", env="LOXODON_EMBEDDER_PATH")
    base_url: str = _base_url(
        "Base URL of an OpenAI-compatible embedding model, for openai.", "LOXODON_EMBEDDER_BASE_URL"
    )
    name: str = setting("", "Name of the model.", env="LOXODON_EMBEDDER_MODEL")
    api_key: str = _api_key("LOXODON_EMBEDDER_API_KEY")
    timeout: float = setting(60.0, "Timeout for one batch, in seconds.", 0.1, 3600)
    query_timeout: float = setting(
        3.0, "How long a recall waits for the embedding of its query, in seconds.", 0.01, 3600
    )


class WorkspaceConfig(Section):
    """The folder where the memory is on disk as text, and where the agent's own files are."""

    path: str = setting(
        "",
        "Folder of the agent's files and of the text views of the space main; "
        "empty for a folder next to the database. Other spaces always use that.",
    )
    views: str = setting(
        "on", "Whether the text views are written after each consolidation.", choices=("on", "off")
    )
    folders: str = setting("", "More folders of Markdown notes to search; one per line.")
    others: str = setting(
        "", "Workspaces of other agents whose notes are searched too; one per line."
    )
    agents: str = setting(
        "shared",
        "Whether OpenClaw's agents share one memory (shared) or each has its own (apart).",
        choices=("shared", "apart"),
    )


class EncryptionConfig(Section):
    key: str = setting(
        "none",
        "Where the encryption key is: none (not encrypted), file, env "
        "(LOXODON_KEY) or keyring. Set by `loxodon encrypt` and `decrypt`.",
        choices=("none", "file", "env", "keyring"),
    )
    file: str = setting("", "File with the key or a passphrase; only its owner may read it.")


class StoreConfig(Section):
    url: str = setting(
        "",
        "PostgreSQL database that the spaces are in, as postgresql://user@host/database; empty for "
        "files in the home. Needs the extra `postgres`.",
        env="LOXODON_STORE",
        check=_check_database,
    )
    pool: int = setting(20, "Number of connections to it that a process uses at once.", 2, 10_000)
    connect_timeout: float = setting(3.0, "Seconds to wait for a connection to it.", 2, 600)
    statement_timeout: float = setting(
        30.0,
        "Seconds that a statement may take, also one that waits for a lock; 0 for no limit.",
        0,
        86_400,
    )
    lock_timeout: float = setting(
        10.0,
        "Seconds that a call waits for others who write to the same space, before it fails and can "
        "be repeated.",
        0.1,
        86_400,
    )


class BackupConfig(Section):
    folder: str = setting("", "Default folder for backups; empty for HOME/backups.")
    keep: int = setting(7, "Number of backups of a space to keep in that folder.", 1, 100_000)


class ServeConfig(Section):
    rate: int = setting(
        1_000,
        "Requests per second that a server accepts from each token or address; 0 for no limit.",
        0,
        1_000_000,
    )
    connections: int = setting(
        1_000, "Maximum number of open connections to a server; more are rejected.", 1, 100_000
    )


class McpConfig(Section):
    tools: str = setting(
        "",
        "More tools for agents over MCP, separated by spaces: consolidate, forget, history, "
        "quarantine, read_waiting.",
        check=_check_tools,
    )


class KeysConfig(Section):
    source: str = setting(
        "file",
        "Where the master key is: file (in the home), env (LOXODON_KEY_MASTER) or "
        "keyring (the system keyring).",
        choices=("file", "env", "keyring"),
    )


class AuditConfig(Section):
    enabled: bool = setting(
        True, "Whether the audit log records every read and write, without its content."
    )
    entries: int = setting(
        1_000_000, "Entries of the audit log to keep; 0 for all.", 0, 1_000_000_000
    )


class Config(Section):
    """All settings. Make one with `Config()`, `load(home)` or `from_mapping({...})`."""

    enabled: bool = setting(
        True,
        "Whether the memory engine is on. While it is off, plain files replace it, and "
        "messages are kept as text until it is on again.",
        env="LOXODON_ENABLED",
    )
    language: str = setting(
        "auto",
        "Language of messages: auto (from the locale), en or zh.",
        choices=("auto", "en", "zh"),
    )
    timezone: str = setting(
        "", "Time zone, such as Asia/Shanghai; empty for the system time zone.", check=_check_zone
    )
    tokenizer: str = setting(
        "estimate",
        "How tokens are counted: estimate, or o200k (needs the extra `tokenizer`).",
        choices=("estimate", "o200k"),
    )
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


KEYS: dict[str, Key] = dict(Config._keys)
for _section, _default in Config._defaults.items():
    if isinstance(_default, Section):
        KEYS |= {f"{_section}.{name}": key for name, key in _default._keys.items()}
ENVIRONMENT = {key.env: name for name, key in KEYS.items() if key.env}
SECRET = frozenset(name for name, key in KEYS.items() if key.secret)
# May have a password in them, which is not shown either.
ADDRESSES = frozenset(name for name, key in KEYS.items() if key.check is _check_database)


# Reading.


def load(home: str) -> Config:
    """The settings of `home`: its config.toml over the defaults."""
    given = read(home)
    try:
        return from_mapping(given)
    except ConfigError as error:
        raise ConfigError(
            "{path}: {error}", hint="{error_hint}", path=os.path.join(home, CONFIG), error=error
        ) from None


def read(home: str) -> dict[str, object]:
    """What config.toml of `home` says; empty where there is none."""
    path = os.path.join(home, CONFIG)
    try:
        with open(path, "rb") as file:
            data = file.read()
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise ConfigError(
            "cannot read {path}: {reason}",
            hint="check its permissions, or choose another home with --home",
            path=path,
            reason=error.strerror,
        ) from None
    import tomllib

    try:
        return tomllib.loads(data.decode("utf-8"))
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
    if "consolidation.daily_at" in given:  # what schedule.daily was called
        daily = every_day_at(given.pop("consolidation.daily_at"))
        given.setdefault("schedule.daily", daily)
    retired = {name for name in given if name in RETIRED or name.partition(".")[0] in RETIRED}
    _warn_retired(retired)
    return _with_values(Config(), {n: value for n, value in given.items() if n not in retired})


def with_environment(config: Config, environ: Mapping[str, str]) -> Config:
    """`config` with what the environment of an entry point sets above it."""
    given = {name: environ[env] for env, name in ENVIRONMENT.items() if environ.get(env)}
    return _with_values(config, given)


def _with_values(config: Config, values: Mapping[str, object]) -> Config:
    sections: dict[str, dict[str, Any]] = {}
    for name, value in values.items():
        section, _, key = name.rpartition(".")
        sections.setdefault(section, {})[key] = checked(name, value)
    top = sections.pop("", {})
    for section, given in sections.items():
        top[section] = getattr(config, section).replace(**given)
    return config.replace(**top)


def flattened(values: Mapping[str, object]) -> dict[str, object]:
    """Nested tables as dotted names."""
    found: dict[str, object] = {}
    for name, value in values.items():
        if isinstance(value, Mapping):
            found |= {f"{name}.{key}": inner for key, inner in flattened(value).items()}
        else:
            found[str(name)] = value
    return found


def every_day_at(text: object) -> str:
    """`03:00` as the cron expression of every day at that time."""
    if isinstance(text, str):
        hour, colon, minute = text.partition(":")
        digits = (hour + minute).isascii() and hour.isdecimal() and minute.isdecimal()
        if colon and digits and int(hour) < 24 and int(minute) < 60:
            return f"{int(minute)} {int(hour)} * * *"
    raise ConfigError("{text} is not a time of day", hint="write it as 03:00", text=repr(text)[:60])


_warned: set[str] = set()


def _warn_retired(names: set[str]) -> None:
    """Log, once a process, settings that have no effect; without a handler it goes to stderr."""
    if new := names - _warned:
        import logging

        _warned.update(new)
        told = t("settings that no longer exist are ignored: {names}", names=", ".join(sorted(new)))
        logging.getLogger("loxodon").warning(told)


def known(name: str) -> Key:
    """What there is to know of a setting; a clear error if there is none of that name."""
    if name not in KEYS:
        raise ConfigError(
            "unknown setting {name}",
            hint="list all settings with `loxodon config --all`",
            name=repr(name),
        )
    return KEYS[name]


_TAKES = {
    str: "it must be text",
    int: "it must be a whole number",
    float: "it must be a number",
    bool: "it must be true or false",
}
_SWITCHES = {"true": True, "on": True, "yes": True, "1": True}
_SWITCHES |= {"false": False, "off": False, "no": False, "0": False}


def checked(name: str, value: object) -> Value:
    """`value` if it may stand under `name`; a clear error if not. Text is converted."""
    key = known(name)
    wanted = type(key.default)
    if wanted is bool and isinstance(value, str):
        value = _SWITCHES.get(value.strip().lower(), value)
    takes = {str: (str,), bool: (bool,), int: (int, str), float: (int, float, str)}[wanted]
    try:
        if not isinstance(value, takes) or isinstance(value, bool) != (wanted is bool):
            raise ValueError
        found: Value = wanted(value)  # type: ignore[call-overload, arg-type]
    except ValueError:
        shown = MASK if name in SECRET | ADDRESSES else repr(value)
        raise ConfigError(
            "{name} cannot be {value}", hint=_TAKES[wanted], name=name, value=shown
        ) from None
    if key.choices and found not in key.choices:
        raise ConfigError(
            "{name} cannot be {value}",
            hint="choose one of {choices}",
            name=name,
            value=repr(found),
            choices=", ".join(key.choices),
        )
    if isinstance(found, str):
        if key.check:
            key.check(name, found)
    elif key.least is not None and key.most is not None and not key.least <= found <= key.most:
        raise ConfigError(
            "{name} cannot be {value}",
            hint="it must be a number from {least} to {most}",
            name=name,
            value=found,
            least=key.least,
            most=key.most,
        )
    return found


# Showing.


def flat(config: Config) -> dict[str, Value]:
    """Every setting by its dotted name."""
    return {name: attrgetter(name)(config) for name in KEYS}


def shown(config: Config) -> dict[str, Value]:
    """Every setting by its dotted name, fit to be printed: secrets are masked."""
    values = flat(config)
    addresses = {name: masked(str(values[name])) for name in ADDRESSES}
    return values | {name: MASK for name in SECRET if values[name]} | addresses


def changed(config: Config) -> dict[str, Value]:
    """The settings that are not as they come, by name, fit to be printed."""
    return {name: value for name, value in shown(config).items() if value != KEYS[name].default}


def written(value: object) -> str:
    """A setting as config.toml has it, without quotes."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def masked(url: str) -> str:
    """The address of a database as it may be shown."""
    return _with_passwords(url, MASK)


def without_password(url: str) -> str:
    """The address of a database as it may be copied."""
    return _with_passwords(url, "")


def _with_passwords(url: str, shown: str) -> str:
    """An address with `shown` in the place of each password; empty takes them out."""
    scheme, slashes, rest = url.partition("://")
    place, _, options = rest.partition("?")
    user, at, host = place.rpartition("@")  # the last: a password may have one in it
    name, colon, _ = user.partition(":")
    kept = []
    for option in filter(None, options.split("&")):
        key, equals, value = option.partition("=")
        secret = "password" in key.lower()
        if not secret or shown:
            kept.append(f"{key}{equals}{shown if secret else value}")
    user = f"{name}:{shown}" if colon and shown else name
    return f"{scheme}{slashes}{user}{at}{host}{'?' if kept else ''}{'&'.join(kept)}"


# Writing.


def write(home: str, name: str, value: str | None) -> None:
    """Set `name` in the config.toml of `home` (None takes it out); comments and order stay.

    Anything may be taken out, so that a setting which nobody knows can go.
    """
    import tomlkit

    parsed = None if value is None else checked(name, value)
    path = os.path.join(home, CONFIG)
    lock = None
    try:
        os.makedirs(home, mode=0o700, exist_ok=True)
        lock = FileLock(os.path.join(home, "config.lock"))
        if not lock.acquire(_LOCK_SECONDS):
            raise OSError(0, "another program is changing it")
        document = _document(home)
        _put(document, name, parsed)
        if value is not None:
            from_mapping(document.unwrap())
        files.replace(path, tomlkit.dumps(document).encode("utf-8"))
    except OSError as error:
        raise ConfigError(
            "cannot write {path}: {reason}",
            hint="check the folder's permissions and the free disk space",
            path=path,
            reason=error.strerror or str(error),
        ) from None
    finally:
        if lock:
            lock.close()


def without_secrets(home: str) -> str:
    """config.toml as it may be copied: without keys; empty where there is none."""
    import tomlkit

    document = _document(home)
    given = flattened(document.unwrap())
    for name in SECRET & given.keys():
        _put(document, name, None)
    for name in ADDRESSES & given.keys():
        _put(document, name, without_password(str(given[name])))
    return tomlkit.dumps(document)


def _document(home: str) -> Any:
    """config.toml with its comments; empty where there is none."""
    import tomlkit

    path = os.path.join(home, CONFIG)
    if not read(home) and not os.path.exists(path):  # `read` refuses a file that is not TOML
        return tomlkit.document()
    with open(path, encoding="utf-8", newline="") as file:
        return tomlkit.parse(file.read())


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
