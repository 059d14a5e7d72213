"""Settings: their sections, with types and defaults. What each does and may be is in settings.toml.

Values come from the defaults, then config.toml, then the environment, which only entry points read.
"""

import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

from loxodon import files
from loxodon.clock import zone_named
from loxodon.errors import ConfigError, unwritable
from loxodon.filelock import alone
from loxodon.layout import CONFIG
from loxodon.messages import t

Value = str | int | float
MASK = "********"
# What agents are offered over MCP only where the setting `mcp.tools` names it.
EXTRA_TOOLS = ("consolidate", "forget", "history", "quarantine")
_SWITCHES = {"true": True, "on": True, "yes": True, "1": True}
_SWITCHES |= {"false": False, "off": False, "no": False, "0": False}
_warned: set[str] = set()  # unknown settings, once a process


class Secret(str):
    """Text that no log shows: a key, or an address that may have a password in it."""

    def __repr__(self) -> str:
        return repr(MASK if self else "")


# Checks of what is written under a name


def is_base_url(text: str) -> bool:
    with suppress(ValueError):
        url = import_module("urllib.parse").urlsplit(text)
        place = url.scheme in ("http", "https") and url.hostname and url.port != 0
        return bool(place and re.fullmatch('[!"$->A-~]*', text))  # without @, ? and #
    return False


def is_cron(text: str) -> bool:
    from cronsim import CronSim, CronSimError

    with suppress(CronSimError, ValueError, StopIteration):
        next(CronSim(text, datetime(2026, 1, 1)))
        return len(text.split()) == 5
    return False


CHECKS = {"url": is_base_url, "cron": is_cron, "zone": zone_named}


class RecallConfig(NamedTuple):
    top: int = 10
    budget: int = 1000
    profile: str = "default"
    frame: int = 4000
    sources: bool = False


class DecayConfig(NamedTuple):
    fact: float = 0.008
    belief: float = 0.07
    summary: float = 0.025
    archive: float = 0.05
    summary_facts: int = 3
    days: str = "busy"


class ImportanceConfig(NamedTuple):
    identity: float = 1.0
    preference: float = 0.8
    fact: float = 0.5
    temporary: float = 0.2
    steady: float = 0.0


class SnapshotConfig(NamedTuple):
    budget: int = 2000
    identity: str = ""
    shares: str = "0.4 0.25 0.15 0.2"


class ScheduleConfig(NamedTuple):
    daily: str = "0 3 * * *"
    backup: str = ""
    overdue: float = 48.0
    quiet: float = 180.0
    buffer: int = 6000


class WorkingConfig(NamedTuple):
    window: int = 128_000
    flush: bool = True
    compact: bool = True


class ModelConfig(NamedTuple):
    base_url: str = ""
    name: str = ""
    api_key: str = Secret()
    extraction: str = "residue"
    timeout: float = 60.0
    retries: int = 3
    max_tokens: int = 6000
    daily_tokens: int = 1800
    daily_tokens_full: int = 0
    check: bool = True
    kind: str = "openai"
    command: str = ""

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


class EmbedderConfig(NamedTuple):
    kind: str = "auto"
    base_url: str = ""
    name: str = ""
    api_key: str = Secret()
    query_timeout: float = 3.0


class WorkspaceConfig(NamedTuple):
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
    max_turns: int = 0


class BackupConfig(NamedTuple):
    folder: str = ""
    keep: int = 7


class ServeConfig(NamedTuple):
    rate: int = 1000


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
    importance: ImportanceConfig = ImportanceConfig()
    snapshot: SnapshotConfig = SnapshotConfig()
    schedule: ScheduleConfig = ScheduleConfig()
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


class Setting(NamedTuple):
    """What settings.toml says of a setting."""

    about: str
    choices: Sequence[str] = ()
    range: Sequence[float] = ()
    check: str = ""
    pattern: str = ""
    hint: str = ""
    variable: str = ""
    main: bool = False
    also: Sequence[str] = ()


@cache
def described() -> Mapping[str, Setting]:
    """Every setting by its dotted name; read where one is set, or shown."""
    with open(os.path.join(os.path.dirname(__file__), "settings.toml"), "rb") as file:
        return {name: Setting(**one) for name, one in import_module("tomllib").load(file).items()}


def flattened(values: Mapping[str, object]) -> dict[str, Any]:
    """Nested tables as dotted names."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        if isinstance(value, Mapping):
            found |= {f"{name}.{key}": inner for key, inner in flattened(value).items()}
        else:
            found[str(name)] = value
    return found


def flat(config: Config) -> dict[str, Value]:
    """Every setting by its dotted name."""
    every = config._asdict().items()
    return flattened({k: one._asdict() if hasattr(one, "_asdict") else one for k, one in every})


DEFAULTS: Mapping[str, Value] = flat(Config())
SECRETS = {name for name, value in DEFAULTS.items() if isinstance(value, Secret)}


def load(home: str, environ: Mapping[str, str] = {}) -> Config:
    """config.toml of `home` over the defaults, and above it what the environment of an entry point
    sets. What this version does not know is ignored."""
    path = os.path.join(home, CONFIG)
    given = flattened(_parsed(home, "tomllib")) if os.path.exists(path) else {}
    if (kind := given.get("embedder.kind")) in ("onnx", "use"):  # which our own encoder replaced
        given[f"embedder.kind = {kind}"] = given.pop("embedder.kind")
    unknown = given.keys() - DEFAULTS.keys()
    if new := sorted(unknown - _warned):
        _warned.update(new)
        said = t("unknown settings in config.toml are ignored: {names}", names=", ".join(new))
        import_module("logging").getLogger("loxodon").warning(said)  # to stderr if nobody listens
    try:
        found = from_mapping({name: given[name] for name in given if name not in unknown})
    except ConfigError as error:
        raise ConfigError("{path}: {error}", hint="{error_hint}", path=path, error=error) from None
    if not any(re.match("LOXODON_(?!(?:HOME|NOW)$)", name) for name in environ):
        return found
    environ = {"LOXODON_ENABLED": environ.get("LOXODON_MEMORY_ENABLED", ""), **environ}
    variables = {name: environ.get(one.variable) for name, one in described().items()}
    return from_mapping({name: value for name, value in variables.items() if value}, found)


def _parsed(home: str, library: str) -> Any:
    """config.toml of `home` as a library reads it: `tomllib`, or `tomlkit` with its comments."""
    path, text = os.path.join(home, CONFIG), ""
    try:
        with suppress(FileNotFoundError, NotADirectoryError), open(path, "rb") as file:
            text = file.read().decode()
        return import_module(library).loads(text)
    except OSError as error:
        hint = "check its permissions, or choose another home with --home"
        message, why = "cannot read {path}: {reason}", error.strerror
        raise ConfigError(message, hint=hint, path=path, reason=why) from None
    except ValueError as error:
        hint = "fix that line, or move the file away to use the defaults"
        message = "{path} is not valid TOML: {reason}"
        raise ConfigError(message, hint=hint, path=path, reason=error) from None


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


def counterparts(given: object) -> tuple[dict[str, Value], list[str]]:
    """What a `config.json` of the designs says, as settings; and the names that have none here."""
    values = flattened(given) if isinstance(given, Mapping) else {}
    said = {name: _as_here(written(one)) for name, one in values.items()}
    found = dict[str, Value]()
    for name, one in described().items():
        parts = next((all for also in one.also if said.keys() >= {*(all := also.split())}), [])
        if parts and said[parts[0]] != "default":
            value = " ".join(map(said.pop, parts))
            is_share = isinstance(DEFAULTS[name], int) and "." in value  # of what is read at a time
            found[name] = checked(name, int(float(value) * 10_000) if is_share else value)
    return found, [*said]


def _as_here(said: str) -> str:
    """A time of the day as a cron expression, a duration in seconds; anything else as it is."""
    at, lasts = re.fullmatch(r"(\d\d?):(\d\d)", said), re.fullmatch(r"(\d+)([smh])", said)
    if lasts:
        return str(int(lasts[1]) * {"s": 1, "m": 60, "h": 3600}[lasts[2]])
    return f"{int(at[2])} {int(at[1])} * * *" if at else said.removesuffix(".0")


def known(name: str) -> Setting:
    if name not in DEFAULTS:
        hint = "list all settings with `loxodon config --all`"
        raise ConfigError("unknown setting {name}", hint=hint, name=repr(name))
    return described()[name]


def checked(name: str, value: Any) -> Value:
    """`value` if it may stand under `name`; a clear error if not. Text is converted."""
    one, wanted = known(name), type(DEFAULTS[name])
    found: Any = None
    if isinstance(value, str | int | float):
        with suppress(ValueError, KeyError):
            found = _SWITCHES[str(value).lower()] if wanted is bool else wanted(str(value))
    least, most = one.range or (0, 0)
    choices = ("true", "false") if wanted is bool else one.choices
    fits, hint = found is not None, one.hint or "it must be text"
    if choices:
        hint = "choose one of {choices}"
        fits = fits and written(found) in choices
    elif one.range:
        hint = "it must be a number from {least} to {most}"
        fits = fits and least <= found <= most
    elif one.check and found:
        fits = bool(CHECKS[one.check](found))
    elif one.pattern and found:
        fits = bool(re.fullmatch(one.pattern, found))
    if fits:
        return found  # type: ignore[no-any-return]
    shown = MASK if name in SECRETS or one.check == "url" else repr(value)[:60]
    may_be: Any = {"choices": ", ".join(choices), "least": least, "most": most}
    raise ConfigError("{name} cannot be {value}", hint=hint, name=name, value=shown, **may_be)


def shown(config: Config) -> dict[str, Value]:
    """Every setting by its dotted name, fit to be printed: secrets are masked."""
    values = flat(config)
    secrets = {name: str(values[name]) for name in SECRETS if values[name]}
    return values | {name: without_password(one) or MASK for name, one in secrets.items()}


def changed(config: Config) -> dict[str, Value]:
    """Those that are not as they come."""
    return {name: value for name, value in shown(config).items() if value != DEFAULTS[name]}


def written(value: object) -> str:
    """A setting as config.toml has it, without quotes."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def without_password(url: str) -> str:
    """What of a secret may be seen: an address without its passwords, of a key nothing."""
    place, _, options = url.partition("?")
    place = re.sub(r"(://[^:@/]*):.*@", r"\1@", place)  # up to the last @: a password may have one
    kept = [one for one in options.split("&") if one and not re.search(r"(?i)password\w*=", one)]
    return "?".join(filter(None, (place, "&".join(kept)))) if "://" in url else ""


def write(home: str, name: str, value: str | None) -> None:
    """Set `name` in config.toml, whose comments stay; None takes it out, also if it is unknown."""
    found = None if value is None else checked(name, value)
    path = os.path.join(home, CONFIG)
    try:
        os.makedirs(home, mode=0o700, exist_ok=True)
        with alone(os.path.join(home, "config.lock"), seconds=30.0):
            document = _parsed(home, "tomlkit")
            _put(document, name, found)
            files.replace(path, document.as_string().encode())
    except OSError as error:
        raise unwritable(path, error) from None


def without_secrets(home: str) -> str:
    """config.toml as it may be copied: without keys; empty where there is none."""
    document = _parsed(home, "tomlkit")
    given = flattened(document.unwrap())
    for name in SECRETS & given.keys():
        _put(document, name, without_password(str(given[name])) or None)
    return str(document.as_string())


def _put(document: Any, name: str, value: Value | None) -> None:
    section, _, key = name.rpartition(".")
    if section and not isinstance(document.get(section), Mapping):
        document[section] = {}
    table = document[section] if section else document
    if value is not None:
        table[key] = value
    else:
        table.pop(key, None)
    if section and not table:
        del document[section]
