"""Settings: what may stand in config.toml, and what is said when it may not."""

from __future__ import annotations

from pathlib import Path

import pytest

from loxodon import config as module
from loxodon.config import (
    DEFAULTS,
    MASK,
    Config,
    ModelConfig,
    described,
    flat,
    from_mapping,
    load,
    shown,
    write,
)
from loxodon.errors import ConfigError
from tests.cases import cases
from tests.each import each


def test_a_file_replaces_what_it_names(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text('language = "zh"\n[decay]\nfact = 0.5\n')
    config = load(str(tmp_path))
    assert (config.language, config.decay.fact, config.decay.belief) == ("zh", 0.5, 0.07)


@each(("values", "said"), cases(__file__, "refused"))
def test_what_cannot_be_is_refused(values: dict[str, object], said: str) -> None:
    with pytest.raises(ConfigError, match=said.replace("(", r"\(")) as caught:
        from_mapping(values)
    assert caught.value.hint


def test_a_file_that_is_not_toml(tmp_path: Path) -> None:
    for content in (b"recall = [", b"\xff\xfe", b"\x00"):
        (tmp_path / "config.toml").write_bytes(content)
        with pytest.raises(ConfigError, match="not valid TOML"):
            load(str(tmp_path))
        with pytest.raises(ConfigError, match="not valid TOML"):
            write(str(tmp_path), "recall.top", "5")
        assert (tmp_path / "config.toml").read_bytes() == content


def test_writing_keeps_the_rest_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text("# my settings\n\n[recall]\ntop = 5 # enough\n")
    write(str(tmp_path), "recall.budget", "500")
    write(str(tmp_path), "language", "zh")
    write(str(tmp_path), "decay.fact", "0.01")
    assert "# my settings" in path.read_text()
    assert "top = 5 # enough" in path.read_text()
    config = load(str(tmp_path))
    assert (config.recall.top, config.recall.budget, config.language) == (5, 500, "zh")
    write(str(tmp_path), "recall.top", None)
    assert load(str(tmp_path)).recall.top == 10
    assert {p.name for p in tmp_path.iterdir()} == {"config.toml", "config.lock"}


KEY = "sk-very-secret"


def test_a_key_is_never_shown(tmp_path: Path) -> None:
    config = from_mapping({"model": {"api_key": KEY, "name": "m"}})
    assert flat(config)["model.api_key"] == KEY
    assert shown(config)["model.api_key"] == MASK
    assert shown(Config())["model.api_key"] == ""
    assert KEY not in f"{config!r} {config} {config.model}"
    for wrong in (f"{KEY} ", f"{KEY}钥", [KEY]):
        with pytest.raises(ConfigError) as caught:
            from_mapping({"model.api_key": wrong})
        assert KEY not in f"{caught.value} {caught.value.localized('zh')} {caught.value.values}"
    write(str(tmp_path), "model.api_key", KEY)
    assert (tmp_path / "config.toml").stat().st_mode & 0o077 == 0


def test_the_environment_stands_above_the_file(tmp_path: Path) -> None:
    home = str(tmp_path)
    write(home, "model.name", "mine")
    write(home, "model.base_url", "http://127.0.0.1:8080/v1")
    assert load(home, {"LOXODON_MEMORY_MODEL": "", "HOME": "/"}) == load(home)
    found = load(
        home,
        {
            "LOXODON_MEMORY_MODEL": "other",
            "LOXODON_MEMORY_API_KEY": KEY,
            "LOXODON_MEMORY_BASE_URL": "https://host/v1",
        },
    )
    model = found.model
    assert (model.base_url, model.name, model.api_key) == ("https://host/v1", "other", KEY)
    assert found.model.extraction == "residue"
    with pytest.raises(ConfigError, match="cannot be"):
        load(home, {"LOXODON_MEMORY_BASE_URL": "host"})


def test_what_a_model_is_asked_in_effect() -> None:
    url = "http://[::1]:8080/v1"
    assert from_mapping({"model.base_url": url}).model.mode == "rules"
    assert ModelConfig(extraction="full").mode == "rules"
    assert ModelConfig(url, "m").mode == "residue"
    assert ModelConfig(url, "m", extraction="rules").mode == "rules"


@each(
    ("given", "on"),
    [(True, True), (False, False), ("off", False), ("FALSE", False), ("0", False), ("yes", True)],
)
def test_a_switch_takes_what_people_write(given: object, on: bool) -> None:
    assert from_mapping({"enabled": given}).enabled is on


def test_the_environment_turns_it_off(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("enabled = true\n")
    assert load(str(tmp_path)).enabled
    assert not load(str(tmp_path), {"LOXODON_ENABLED": "false"}).enabled
    write(str(tmp_path), "enabled", "off")
    assert (tmp_path / "config.toml").read_text() == "enabled = false\n"


def test_settings_of_earlier_versions_are_ignored_with_one_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_warned", set[str]())
    old = '[summary]\nfacts = 4\n[embedder]\nkind = "use"\n[recall]\ntop = 5\n[tiered]\n'
    (tmp_path / "config.toml").write_text(old)
    for _ in range(2):
        config = load(str(tmp_path))
        assert (config.recall.top, config.embedder.kind) == (5, "auto")
    ignored = "unknown settings in config.toml are ignored: embedder.kind = use, summary.facts"
    assert caplog.messages == [ignored]
    with pytest.raises(ConfigError, match=r"unknown setting 'summary.facts'"):
        write(str(tmp_path), "summary.facts", "3")
    write(str(tmp_path), "summary.facts", None)
    assert "facts" not in (tmp_path / "config.toml").read_text()


def test_the_main_settings_are_a_dozen() -> None:
    assert sum(one.main for one in described().values()) == 12
    assert list(described()) == list(DEFAULTS)
    assert len(DEFAULTS) <= 67
