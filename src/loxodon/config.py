"""What a user can set, in `config.toml` in the home: every key, its default and what it does.

The sections below are the one list of keys; `KEYS` is made from them, and a test checks that the
reference names each. Values come from the defaults, then the file; only entry points read the
environment.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

from loxodon import files
from loxodon.clock import zone_named
from loxodon.errors import ConfigError
from loxodon.filelock import FileLock
from loxodon.layout import CONFIG

_LOCK_SECONDS = 30.0
SECRET = frozenset({"model.api_key", "embedder.api_key"})
"""Settings that no command, message or error shows."""
ADDRESSES = frozenset({"store.url", "store.replica"})
"""Settings that may have a password in them, which is not shown either."""
MASK = "********"
ENVIRONMENT = {
    "LOXODON_ENABLED": "enabled",
    "LOXODON_STORE": "store.url",
    "LOXODON_STORE_REPLICA": "store.replica",
    "LOXODON_MEMORY_MODEL": "model.name",
    "LOXODON_MEMORY_API_KEY": "model.api_key",
    "LOXODON_MEMORY_BASE_URL": "model.base_url",
    "LOXODON_EMBEDDER": "embedder.kind",
    "LOXODON_EMBEDDER_PATH": "embedder.path",
    "LOXODON_EMBEDDER_ENGLISH": "embedder.english",
    "LOXODON_EMBEDDER_BASE_URL": "embedder.base_url",
    "LOXODON_EMBEDDER_MODEL": "embedder.name",
    "LOXODON_EMBEDDER_API_KEY": "embedder.api_key",
}
"""Variables that stand above config.toml, and what they set."""


TUNING = (
    "language",
    "timezone",
    "tokenizer",
    "recall",
    "decay",
    "importance",
    "summary",
    "snapshot.budget",
    "snapshot.first",
    "snapshot.second",
    "snapshot.third",
    "snapshot.days",
    "schedule",
    "buffer",
    "unsettled",
    "working",
    "phase1",
    "openclaw",
    "tiered",
)
"""Settings, or sections of them, that only tune: they name no address, place, key or prompt, and
switch off nothing that guards. All others have to be named to be taken from somebody's data."""
PROFILES = ("default", "phase1", "openclaw", "tiered")
"""The rankings that can be chosen; all but the default have a section with their weights."""


class RecallConfig(NamedTuple):
    top: int = 10
    budget: int = 1000
    profile: str = "default"
    frame: int = 4000


class Phase1Config(NamedTuple):
    """Weights of the ranking `phase1`: tags, time and file."""

    tags: float = 0.4
    time: float = 0.3
    file: float = 0.3
    half_life: float = 7.0


class OpenclawConfig(NamedTuple):
    """Weights of the ranking `openclaw`: vectors and words, faded by age, then varied."""

    vector: float = 0.7
    text: float = 0.3
    half_life: float = 30.0
    mmr: float = 0.7


class TieredConfig(NamedTuple):
    """What a day takes in the ranking `tiered`, from a category of each rate."""

    decision: float = 0.004
    event: float = 0.023
    temp: float = 0.099


Weights = Phase1Config | OpenclawConfig | TieredConfig


class DecayConfig(NamedTuple):
    fact: float = 0.008
    belief: float = 0.07
    summary: float = 0.025
    archive: float = 0.05


class ImportanceConfig(NamedTuple):
    """How much something matters by what it is about, before how it was said."""

    identity: float = 1.0
    preference: float = 0.8
    fact: float = 0.5
    temporary: float = 0.2


class SummaryConfig(NamedTuple):
    """When facts are summed up."""

    facts: int = 3


class SnapshotConfig(NamedTuple):
    budget: int = 2000
    identity: str = ""
    first: float = 0.4
    second: float = 0.25
    third: float = 0.15
    days: int = 3


class ScheduleConfig(NamedTuple):
    """When the work of the background is due: cron expressions, by the user's clock."""

    daily: str = "0 3 * * *"
    weekly: str = "0 4 * * 1"
    profile: str = "0 5 * * 0"
    heartbeat: str = "*/30 * * * *"
    backup: str = ""
    overdue: float = 48.0


class BufferConfig(NamedTuple):
    """When what was just said is made known, where something runs in the background."""

    quiet: float = 180.0
    tokens: int = 6000


class UnsettledConfig(NamedTuple):
    """From when on what goes back and forth is not settled."""

    changes: int = 3
    days: int = 14


class WorkingConfig(NamedTuple):
    """What a live conversation may take of its model's window, in tokens."""

    window: int = 128_000
    reserve_floor: int = 20_000
    soft_threshold: int = 4_000
    reserve: int = 16_384
    keep_recent: int = 20_000
    summary: int = 2_000
    cache_ttl: float = 300.0
    protect: int = 3
    flush: bool = True
    compact: bool = True


class PromptsConfig(NamedTuple):
    """What the agent's model is told, in the place of our own words."""

    flush_system: str = ""
    flush: str = ""
    compaction: str = ""


class ModelConfig(NamedTuple):
    """The model that decides what rules could not; none while it has no address and no name."""

    base_url: str = ""
    name: str = ""
    api_key: str = ""
    extraction: str = "residue"
    temperature: float = 0.3
    timeout: float = 60.0
    retries: int = 3
    daily_tokens: int = 20_000
    daily_tokens_full: int = 0
    parallel: int = 2
    check: bool = True

    @property
    def mode(self) -> str:
        """How much the model is asked, in effect: `rules` (nothing) while none is set."""
        return self.extraction if self.base_url and self.name else "rules"

    @property
    def thorough(self) -> bool:
        """Whether every message is to be read: by the model, or while none is set by an agent."""
        return self.extraction == "full"

    @property
    def cap(self) -> int:
        """The most tokens of a day in this mode; 0 where there is no limit."""
        return self.daily_tokens_full if self.thorough else self.daily_tokens

    def __repr__(self) -> str:
        return _masked(self)


class EmbedderConfig(NamedTuple):
    """What finds texts by their meaning; nothing while `kind` is `none`."""

    kind: str = "none"
    path: str = ""
    english: str = ""
    base_url: str = ""
    name: str = ""
    api_key: str = ""
    timeout: float = 60.0
    query_timeout: float = 3.0

    def __repr__(self) -> str:
        return _masked(self)


def _masked(section: ModelConfig | EmbedderConfig) -> str:
    # Settings get printed while people look for faults, and the key must not be.
    shown = section._asdict() | {"api_key": MASK if section.api_key else ""}
    given = ", ".join(f"{name}={value!r}" for name, value in shown.items())
    return f"{type(section).__name__}({given})"


class WorkspaceConfig(NamedTuple):
    """The folder where the memory is on disk as text, and where the agent's own files are."""

    path: str = ""
    views: str = "on"
    folders: str = ""
    others: str = ""
    agents: str = "shared"
    days: int = 2
    debounce: float = 0.3


class ServeConfig(NamedTuple):
    """What servers bear."""

    rate: int = 1_000
    connections: int = 1_000


class IdempotencyConfig(NamedTuple):
    """Calls that are repeated with the same token."""

    days: int = 7


class KeysConfig(NamedTuple):
    """Where the secret is that every key of this home is derived from."""

    source: str = "file"


class AuditConfig(NamedTuple):
    """The record of who read and wrote what."""

    enabled: bool = True
    entries: int = 1_000_000


class EncryptionConfig(NamedTuple):
    """Where the key of the databases is; `loxodon encrypt` and `decrypt` set this."""

    key: str = "none"
    file: str = ""


class StoreConfig(NamedTuple):
    """The database server that the spaces are in; each is a file of its own while there is none."""

    url: str = ""
    replica: str = ""
    pool: int = 20
    connect_timeout: float = 3.0
    statement_timeout: float = 30.0
    lock_timeout: float = 10.0

    def __repr__(self) -> str:
        return f"StoreConfig(url={masked(self.url)!r}, replica={masked(self.replica)!r})"


class BackupConfig(NamedTuple):
    """Where backups go that nobody names a file for."""

    folder: str = ""
    keep: int = 7


class Config(NamedTuple):
    """All settings. Make one with `Config()`, `load(home)` or `from_mapping({...})`."""

    enabled: bool = True
    language: str = "auto"
    timezone: str = ""
    tokenizer: str = "estimate"
    recall: RecallConfig = RecallConfig()
    decay: DecayConfig = DecayConfig()
    importance: ImportanceConfig = ImportanceConfig()
    summary: SummaryConfig = SummaryConfig()
    snapshot: SnapshotConfig = SnapshotConfig()
    schedule: ScheduleConfig = ScheduleConfig()
    buffer: BufferConfig = BufferConfig()
    unsettled: UnsettledConfig = UnsettledConfig()
    working: WorkingConfig = WorkingConfig()
    prompts: PromptsConfig = PromptsConfig()
    model: ModelConfig = ModelConfig()
    embedder: EmbedderConfig = EmbedderConfig()
    workspace: WorkspaceConfig = WorkspaceConfig()
    encryption: EncryptionConfig = EncryptionConfig()
    store: StoreConfig = StoreConfig()
    backup: BackupConfig = BackupConfig()
    serve: ServeConfig = ServeConfig()
    idempotency: IdempotencyConfig = IdempotencyConfig()
    keys: KeysConfig = KeysConfig()
    audit: AuditConfig = AuditConfig()
    phase1: Phase1Config = Phase1Config()
    openclaw: OpenclawConfig = OpenclawConfig()
    tiered: TieredConfig = TieredConfig()

    def weights(self, profile: str) -> Weights | None:
        """The weights of one of `PROFILES`; None for the default."""
        return None if profile == "default" else getattr(self, profile)


class Key(NamedTuple):
    default: str | int | float
    about: str
    least: float | None = None
    most: float | None = None
    choices: tuple[str, ...] = ()


_ABOUT: dict[str, tuple[Any, ...]] = {
    "enabled": (
        "Whether the memory engine is on. While it is off, plain files replace it, and "
        "messages are kept as text until it is on again.",
    ),
    "language": (
        "Language of messages: auto (from the locale), en or zh.",
        None,
        None,
        ("auto", "en", "zh"),
    ),
    "timezone": ("Time zone, such as Asia/Shanghai; empty for the system time zone.",),
    "tokenizer": (
        "How tokens are counted: estimate, or o200k (needs the extra `tokenizer`).",
        None,
        None,
        ("estimate", "o200k"),
    ),
    "recall.top": ("Maximum number of items that a recall returns.", 1, 1000),
    "recall.budget": ("Maximum number of tokens in the recalled context.", 0, 1_000_000),
    "recall.frame": ("Maximum number of tokens in the output of `context`.", 0, 1_000_000),
    "recall.profile": (
        "Ranking of search results: default, phase1, openclaw or tiered.",
        None,
        None,
        PROFILES,
    ),
    "decay.fact": ("Share of its strength that a fact of importance 0 loses per day.", 0, 1),
    "decay.belief": ("The same for beliefs.", 0, 1),
    "decay.summary": ("The same for summaries.", 0, 1),
    "decay.archive": ("Strength below which a memory is archived.", 0.001, 1),
    "importance.identity": ("Importance of who the user is, their health and their safety.", 0, 1),
    "importance.preference": ("Importance of preferences, relations, changes and decisions.", 0, 1),
    "importance.fact": ("Importance of other facts.", 0, 1),
    "importance.temporary": ("Importance of what holds for a short time only.", 0, 1),
    "summary.facts": ("Number of facts on one theme from which on they are summed up.", 2, 60),
    "snapshot.budget": ("Maximum number of tokens in the snapshot.", 100, 100_000),
    "snapshot.identity": ("Description of the agent, for the snapshot; one line per item.",),
    "snapshot.first": (
        "Share of the room for core memories that the first one may take; the others share what "
        "the first three leave.",
        0,
        1,
    ),
    "snapshot.second": ("The same for the second one.", 0, 1),
    "snapshot.third": ("The same for the third one.", 0, 1),
    "snapshot.days": ("Number of days, today included, that count as recent in it.", 1, 60),
    "schedule.daily": (
        "When to consolidate, as a cron expression in local time; empty for never.",
    ),
    "schedule.weekly": ("The same for the weekly compression.",),
    "schedule.profile": ("The same for rebuilding the profile.",),
    "schedule.heartbeat": ("The same for the heartbeat: reminders and questions to ask again.",),
    "schedule.backup": ("The same for backups to backup.folder; empty for never.",),
    "schedule.overdue": (
        "Hours without a consolidation after which one is due at any time of day.",
        1,
        100_000,
    ),
    "buffer.quiet": ("Seconds without new messages after which they are consolidated.", 0, 86_400),
    "buffer.tokens": (
        "Number of tokens after which new messages are consolidated without waiting.",
        1,
        1_000_000,
    ),
    "unsettled.changes": (
        "Changes back and forth after which a fact counts as not settled; 0 for never.",
        0,
        100,
    ),
    "unsettled.days": ("Number of days in which these changes must happen.", 1, 3650),
    "working.window": (
        "Context window of the agent's model, in tokens, unless given otherwise.",
        1_000,
        100_000_000,
    ),
    "working.reserve_floor": (
        "Tokens of it kept free; important content is saved before they are reached.",
        0,
        100_000_000,
    ),
    "working.soft_threshold": ("How many tokens before that point it is saved.", 0, 100_000_000),
    "working.reserve": (
        "Tokens kept free for the prompt and its answer; a conversation that "
        "needs them is compacted.",
        0,
        100_000_000,
    ),
    "working.keep_recent": (
        "Tokens of the latest messages that a compaction keeps unchanged.",
        0,
        100_000_000,
    ),
    "working.summary": ("Maximum number of tokens in the summary of the rest.", 50, 100_000),
    "working.cache_ttl": (
        "Seconds after which the provider's cache counts as expired, and old "
        "tool results are shortened.",
        0,
        86_400,
    ),
    "working.protect": (
        "Number of the assistant's latest messages whose tool results are kept whole.",
        0,
        1_000,
    ),
    "working.flush": (
        "Whether the agent's model is asked what to save before a compaction; without it only the "
        "rules save.",
    ),
    "working.compact": (
        "Whether a long conversation is compacted by itself; without it, only what does not fit "
        "the window is left out.",
    ),
    "prompts.flush_system": ("System prompt for that question; empty for the built-in one.",),
    "prompts.flush": (
        "The question itself, with {today} and {silence} (the reply if there is nothing to "
        "save); empty for the built-in one.",
    ),
    "prompts.compaction": (
        "System prompt for the summary of a compaction, with {most} (its most words); empty for "
        "the built-in one.",
    ),
    "model.base_url": (
        "Base URL of an OpenAI-compatible model, such as http://127.0.0.1:8080/v1.",
    ),
    "model.name": ("Name of the model.",),
    "model.api_key": ("API key, if the server needs one; never shown.",),
    "model.extraction": (
        "What the model, or an agent in its place, reads: rules (nothing), residue "
        "(what the rules are not sure of) or full (every message).",
        None,
        None,
        ("rules", "residue", "full"),
    ),
    "model.temperature": ("Sampling temperature of the model.", 0, 2),
    "model.timeout": ("Timeout for one answer of the model, in seconds.", 0.1, 3600),
    "model.retries": ("Number of retries for a failed request to the model.", 0, 10),
    "model.daily_tokens": (
        "Maximum number of tokens per day for residue; 0 for no limit.",
        0,
        1_000_000_000,
    ),
    "model.daily_tokens_full": (
        "Maximum number of tokens per day for full; 0 for no limit.",
        0,
        1_000_000_000,
    ),
    "model.parallel": ("Number of parallel requests to the model.", 1, 16),
    "model.check": ("Whether the model must first pass a test with ten sentences.",),
    "embedder.kind": (
        "Embedder for search by meaning: none, use (offline, needs the extra "
        "`semantic`), onnx (a model in a folder) or openai (a model server).",
        None,
        None,
        ("none", "use", "onnx", "openai"),
    ),
    "embedder.path": ("Folder of the ONNX model, for onnx.",),
    "embedder.english": ("Folder of a second ONNX model, for English text.",),
    "embedder.base_url": ("Base URL of an OpenAI-compatible embedding model, for openai.",),
    "embedder.name": ("Name of the model.",),
    "embedder.api_key": ("API key, if the server needs one; never shown.",),
    "embedder.timeout": ("Timeout for one batch, in seconds.", 0.1, 3600),
    "embedder.query_timeout": (
        "How long a recall waits for the embedding of its query, in seconds.",
        0.01,
        3600,
    ),
    "workspace.path": (
        "Folder of the agent's files and of the text views of the space main; "
        "empty for a folder next to the database. Other spaces always use that.",
    ),
    "workspace.views": (
        "Whether the text views are written after each consolidation.",
        None,
        None,
        ("on", "off"),
    ),
    "workspace.folders": ("More folders of Markdown notes to search; one per line.",),
    "workspace.others": ("Workspaces of other agents whose notes are searched too; one per line.",),
    "workspace.agents": (
        "Whether OpenClaw's agents share one memory (shared) or each has its own (apart).",
        None,
        None,
        ("shared", "apart"),
    ),
    "workspace.days": (
        "Number of daily notes, from today backwards, that are loaded while the engine is off.",
        1,
        366,
    ),
    "workspace.debounce": (
        "Seconds that files must be left alone before `loxodon watch` reads them.",
        0.05,
        60,
    ),
    "serve.rate": (
        "Requests per second that a server accepts from each token or address; 0 for no limit.",
        0,
        1_000_000,
    ),
    "serve.connections": (
        "Maximum number of open connections to a server; more are rejected.",
        1,
        100_000,
    ),
    "idempotency.days": (
        "For how many days a call repeated with the same token runs only once.",
        1,
        3_650,
    ),
    "keys.source": (
        "Where the master key is: file (in the home), env (LOXODON_KEY_MASTER) or "
        "keyring (the system keyring).",
        None,
        None,
        ("file", "env", "keyring"),
    ),
    "audit.enabled": ("Whether the audit log records every read and write, without its content.",),
    "audit.entries": ("Entries of the audit log to keep; 0 for all.", 0, 1_000_000_000),
    "encryption.key": (
        "Where the encryption key is: none (not encrypted), file, env "
        "(LOXODON_KEY) or keyring. Set by `loxodon encrypt` and `decrypt`.",
        None,
        None,
        ("none", "file", "env", "keyring"),
    ),
    "encryption.file": ("File with the key or a passphrase; only its owner may read it.",),
    "store.url": (
        "PostgreSQL database that the spaces are in, as postgresql://user@host/database; empty for "
        "files in the home. Needs the extra `postgres`.",
    ),
    "store.replica": ("A hot standby of it that recalls may read from; empty for none.",),
    "store.pool": ("Number of connections to it that a process uses at once.", 2, 10_000),
    "store.connect_timeout": ("Seconds to wait for a connection to it.", 2, 600),
    "store.statement_timeout": (
        "Seconds that a statement may take, also one that waits for a lock; 0 for no limit.",
        0,
        86_400,
    ),
    "store.lock_timeout": (
        "Seconds that a call waits for others who write to the same space, before it fails and can "
        "be repeated.",
        0.1,
        86_400,
    ),
    "backup.folder": ("Default folder for backups; empty for HOME/backups.",),
    "backup.keep": ("Number of backups of a space to keep in that folder.", 1, 100_000),
    "phase1.tags": ("Weight of the tags in the ranking phase1.", 0, 1),
    "phase1.time": ("Weight of the time in it.", 0, 1),
    "phase1.file": ("Weight of the layer in it: facts, then summaries, then turns.", 0, 1),
    "phase1.half_life": ("Days after which the weight of the time is halved in it.", 0.01, 100_000),
    "openclaw.vector": ("Weight of the meaning in the ranking openclaw.", 0, 1),
    "openclaw.text": ("Weight of the words in it.", 0, 1),
    "openclaw.half_life": ("Days after which the score of an item is halved in it.", 0.01, 100_000),
    "openclaw.mmr": ("Weight of relevance against variety in it; 1 for relevance only.", 0, 1),
    "tiered.decision": (
        "Daily decay of unused decisions and solutions in the ranking tiered.",
        0,
        1,
    ),
    "tiered.event": ("The same for events and conversations.", 0, 1),
    "tiered.temp": ("The same for temporary and debugging information.", 0, 1),
}


def _defaults() -> dict[str, str | int | float]:
    found: dict[str, str | int | float] = {}
    for name, value in Config()._asdict().items():
        if isinstance(value, str | bool):
            found[name] = value
        else:
            found |= {f"{name}.{key}": inner for key, inner in value._asdict().items()}
    return found


KEYS: dict[str, Key] = {name: Key(value, *_ABOUT[name]) for name, value in _defaults().items()}


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
    # Imported here: 15 ms that a home without a config.toml does not pay.
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
    sections: dict[str, dict[str, object]] = {}
    top: dict[str, object] = {}
    given = dict(_flat({str(key): value for key, value in values.items()}))
    if _TIME_OF_DAY in given:
        daily = every_day_at(given.pop(_TIME_OF_DAY))
        given.setdefault("schedule.daily", daily)
    for name, value in given.items():
        if name in RETIRED:
            continue
        section, dot, key = name.rpartition(".")
        if dot:
            sections.setdefault(section, {})[key] = checked(name, value)
        else:
            top[name] = checked(name, value)
    config = Config(**top)  # type: ignore[arg-type]
    return config._replace(
        **{name: getattr(config, name)._replace(**given) for name, given in sections.items()}
    )


def with_environment(config: Config, environ: Mapping[str, str]) -> Config:
    """`config` with what the environment of an entry point sets above it."""
    given = {
        name: checked(name, environ[variable])
        for variable, name in ENVIRONMENT.items()
        if environ.get(variable)
    }
    for name, value in given.items():
        section, dot, key = name.rpartition(".")
        if dot:
            value = getattr(config, section)._replace(**{key: value})
        config = config._replace(**{section or key: value})  # type: ignore[arg-type]
    return config


def shown(config: Config) -> dict[str, str | int | float]:
    """Every setting by its dotted name, fit to be printed: secrets are masked."""
    values = flat(config)
    addresses = {name: masked(str(values[name])) for name in ADDRESSES}
    return values | {name: MASK for name in SECRET if values[name]} | addresses


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


def changed(config: Config) -> dict[str, str | int | float]:
    """The settings that are not as they come, by name, fit to be printed."""
    return {name: value for name, value in shown(config).items() if value != KEYS[name].default}


def written(value: object) -> str:
    """A setting as config.toml has it, without quotes."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def known(name: str) -> Key:
    """What there is to know of a setting; a clear error if there is none of that name."""
    if name not in KEYS:
        raise ConfigError(
            "unknown setting {name}",
            hint="list all settings with `loxodon config`",
            name=repr(name),
        )
    return KEYS[name]


def checked(name: str, value: object) -> str | int | float:
    """`value` if it may stand under `name`; a clear error if not. Text is converted."""
    key = known(name)
    wanted = type(key.default)
    if wanted is bool:
        value = _SAID.get(value.strip().lower(), value) if isinstance(value, str) else value
    try:
        if isinstance(value, bool) != (wanted is bool):
            raise ValueError
        if isinstance(value, float) and wanted is int:
            raise ValueError
        if not isinstance(value, str | int | float) or (
            wanted is str and not isinstance(value, str)
        ):
            raise ValueError
        value = wanted(value)
    except ValueError:
        raise ConfigError(
            "{name} cannot be {value}",
            hint=_TAKES[wanted],
            name=name,
            value=MASK if name in SECRET | ADDRESSES else repr(value),
        ) from None
    _check_range(name, key, value)
    return value


_TAKES = {
    str: "it must be text",
    int: "it must be a whole number",
    float: "it must be a number",
    bool: "it must be true or false",
}
_SAID = {
    "true": True,
    "on": True,
    "yes": True,
    "1": True,
    "false": False,
    "off": False,
    "no": False,
    "0": False,
}


def _check_range(name: str, key: Key, value: str | int | float) -> None:
    if key.choices and value not in key.choices:
        raise ConfigError(
            "{name} cannot be {value}",
            hint="choose one of {choices}",
            name=name,
            value=repr(value),
            choices=", ".join(key.choices),
        )
    if isinstance(value, str):
        if name.startswith("schedule."):
            _check_cron(name, value)
        elif name == "timezone":
            zone_named(value)
        elif name.endswith(".base_url"):
            _check_address(name, value)
        elif name in ADDRESSES:
            _check_database(name, value)
        elif name in SECRET and not (value.isascii() and _PRINTED.issuperset(value)):
            raise ConfigError(
                "the API key contains invalid characters",
                hint="copy it again, without spaces or line breaks",
            )
        return
    if (key.least is not None and not value >= key.least) or (
        key.most is not None and not value <= key.most
    ):
        raise ConfigError(
            "{name} cannot be {value}",
            hint="it must be a number from {least} to {most}",
            name=name,
            value=value,
            least=key.least,
            most=key.most,
        )


_PRINTED = frozenset(map(chr, range(0x21, 0x7F)))


def _check_address(name: str, text: str) -> None:
    """Refuse what is no address of a server; empty is none."""
    if not text:
        return
    from urllib.parse import urlsplit  # not needed on a recall's way

    try:
        parts = urlsplit(text)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        good = False
    plain = text.isascii() and _PRINTED.issuperset(text)
    if not good or not plain or parts.username is not None or parts.query or parts.fragment:
        # Not repeated: a key may have been pasted here, or into the address.
        raise ConfigError(
            "{name} is not a valid base URL",
            hint="write it as https://host/v1, without a user name, key or query",
            name=name,
        )


def _check_database(name: str, text: str) -> None:
    """Refuse what is no address of a PostgreSQL database; empty is none."""
    scheme, _, rest = text.partition("://")
    if text and (scheme not in ("postgresql", "postgres") or not rest or not text.isprintable()):
        raise ConfigError(  # not repeated: it may have a password in it
            "{name} is not the address of a PostgreSQL database",
            hint="write it as postgresql://user@host/database",
            name=name,
        )


_LONGEST_CRON = 200


def _check_cron(name: str, text: str) -> None:
    """Refuse what is no cron expression; empty is never."""
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


RETIRED = frozenset(
    f"{section}.{name}"
    for section, names in {
        "audit": ("head", "on_failure", "size", "keep"),
        "chat": ("base_url", "name", "api_key", "timeout"),
    }.items()
    for name in names
)
"""Settings of earlier versions, which a config.toml may still have."""
_TIME_OF_DAY = "consolidation.daily_at"
"""What `schedule.daily` was called, and still is in files that were written then."""


def every_day_at(text: object) -> str:
    """`03:00` as the cron expression of every day at that time."""
    if isinstance(text, str):
        hour, colon, minute = text.partition(":")
        digits = (hour + minute).isascii() and hour.isdecimal() and minute.isdecimal()
        if colon and digits and int(hour) < 24 and int(minute) < 60:
            return f"{int(minute)} {int(hour)} * * *"
    raise ConfigError("{text} is not a time of day", hint="write it as 03:00", text=repr(text)[:60])


def is_tuning(name: str) -> bool:
    """Whether a setting only tunes (`TUNING`)."""
    return name in TUNING or name.partition(".")[0] in TUNING


def flattened(values: Mapping[str, object]) -> dict[str, object]:
    """Nested tables as dotted names."""
    return dict(_flat({str(key): value for key, value in values.items()}))


def flat(config: Config) -> dict[str, str | int | float]:
    """Every setting by its dotted name."""
    return dict(_flat(config._asdict()))  # type: ignore[arg-type]


def write(home: str, name: str, value: str | None) -> None:
    """Set `name` in the config.toml of `home` (None takes it out); comments and order stay.

    Anything may be taken out, so that a setting which nobody knows can go.
    """
    import tomlkit

    if value is not None:
        parsed = checked(name, value)
    path = os.path.join(home, CONFIG)
    try:
        os.makedirs(home, mode=0o700, exist_ok=True)
        lock = FileLock(os.path.join(home, "config.lock"))
    except OSError as error:
        raise _unwritten(path, error) from None
    try:
        if not lock.acquire(_LOCK_SECONDS):
            raise OSError(0, "another program is changing it")
        read(home)  # refuses a file that is not TOML before anything is written
        text = ""
        if os.path.exists(path):
            with open(path, encoding="utf-8", newline="") as file:
                text = file.read()
        document = tomlkit.parse(text)
        _put(document, name, None if value is None else parsed)
        if value is not None:
            from_mapping(document.unwrap())
        files.replace(path, tomlkit.dumps(document).encode("utf-8"))
    except OSError as error:
        raise _unwritten(path, error) from None
    finally:
        lock.close()


def without_secrets(home: str) -> str:
    """config.toml as it may be copied: without keys; empty where there is none."""
    import tomlkit

    path = os.path.join(home, CONFIG)
    if not os.path.exists(path):
        return ""
    read(home)  # refuses a file that is not TOML
    with open(path, encoding="utf-8", newline="") as file:
        document = tomlkit.parse(file.read())
    for name in SECRET:
        section, _, key = name.rpartition(".")
        if hasattr(document.get(section), "pop") and key in document[section]:
            del document[section][key]
    for name in ADDRESSES:
        section, _, key = name.rpartition(".")
        if hasattr(document.get(section), "pop") and key in document[section]:
            document[section][key] = without_password(str(document[section][key]))
    return tomlkit.dumps(document)


def _put(document: Any, name: str, value: str | int | float | None) -> None:
    section, _, key = name.rpartition(".")
    table = document
    if section:
        if not hasattr(document.get(section), "pop"):
            document[section] = {}
        table = document[section]
    if value is not None:
        table[key] = value
    elif key in table:
        del table[key]
        if section and not table:
            del document[section]


def _unwritten(path: str, error: OSError) -> ConfigError:
    return ConfigError(
        "cannot write {path}: {reason}",
        hint="check the folder's permissions and the free disk space",
        path=path,
        reason=error.strerror or str(error),
    )


def _flat(values: Mapping[str, object]) -> list[tuple[str, object]]:
    found: list[tuple[str, object]] = []
    for name, value in values.items():
        if hasattr(value, "_asdict"):
            value = value._asdict()
        if isinstance(value, Mapping):
            found += [(f"{name}.{key}", inner) for key, inner in _flat(value)]
        else:
            found.append((name, value))
    return found
