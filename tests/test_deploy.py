"""Files that no other test reads: workflows, the image, the chart, alerts and the site."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")
TARGETS = set(re.findall(r"^([a-z-]+):", MAKEFILE, re.M))


def _text(path: str) -> str:
    return (ROOT / path).read_text("utf-8")


def test_every_target_is_described_and_those_named_exist() -> None:
    (phony,) = re.findall(r"^\.PHONY: (.*)$", MAKEFILE, re.M)
    assert set(phony.split()) == TARGETS == set(re.findall(r"^([a-z-]+):.*## \w", MAKEFILE, re.M))
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob(".github/**/*.*")]
    for path in (path for path in pages if path.name != "CHANGELOG.md"):
        named = re.findall(r"(?:`|run: )make ([a-z-]+)", path.read_text("utf-8"))
        assert set(named) <= TARGETS, path


def test_workflows_forms_and_hooks_parse_and_try_every_python() -> None:
    for path in (*ROOT.glob(".github/**/*.yml"), ROOT / ".pre-commit-config.yaml"):
        assert yaml.safe_load(path.read_text("utf-8")), path
    json.loads(_text(".devcontainer/devcontainer.json"))
    tried = yaml.safe_load(_text(".github/workflows/ci.yml"))["jobs"]["check"]["strategy"]
    declared = re.findall(r"Python :: (3\.\d+)", _text("pyproject.toml"))
    assert tried["matrix"]["python"] == declared
    publish = yaml.safe_load(_text(".github/workflows/release.yml"))["jobs"]["publish"]
    assert publish["permissions"] == {"id-token": "write"}
    hooks = yaml.safe_load(_text(".pre-commit-config.yaml"))["repos"][0]["hooks"]
    for name in re.findall(r"\S+\.py\b", " ".join(hook["entry"] for hook in hooks)):
        assert (ROOT / name).exists(), name


def test_image_copies_what_is_there_and_what_docker_is_shown() -> None:
    shown = re.findall(r"^!(\S+)", _text(".dockerignore"), re.M)
    for words in re.findall(r"^COPY (?!--from)(.*) \S+$", _text("Dockerfile"), re.M):
        for name in words.split():
            assert (ROOT / name).exists(), name
            assert any(Path(name).match(one) for one in shown), name
    assert "/livez" in _text("Dockerfile").partition("HEALTHCHECK")[2]
    assert re.search(r"^USER [1-9]", _text("Dockerfile"), re.M)


def test_image_compose_chart_and_unit_agree() -> None:
    services = yaml.safe_load(_text("compose.yaml"))["services"]
    assert set(services) == {"database", "migrate", "server"}
    home = re.findall(r"LOXODON_HOME=(\S+)", _text("Dockerfile") + _text("deploy/loxodon.service"))
    assert home == ["/var/lib/loxodon"] * 2
    assert f"home:{home[0]}" in services["server"]["volumes"]
    chart = ROOT / "deploy" / "helm" / "loxodon"
    server = (chart / "templates" / "deployment.yaml").read_text("utf-8")
    assert f"mountPath: {home[0]}" in server
    assert {"/livez", "/readyz"} == set(re.findall(r"path: (/\w+),", server))
    values = yaml.safe_load((chart / "values.yaml").read_text("utf-8"))
    schema = json.loads((chart / "values.schema.json").read_text("utf-8"))
    assert set(values) == set(schema["properties"]) - {"global"}
    version = yaml.safe_load((chart / "Chart.yaml").read_text("utf-8"))["appVersion"]
    assert f'version = "{version}"' in _text("pyproject.toml")


def test_alerts_ask_for_metrics_that_exist_and_are_explained() -> None:
    (group,) = yaml.safe_load(_text("deploy/alerts.yml"))["groups"]
    known, page = _text("docs/http.md"), _text("docs/operate.md")
    for rule in group["rules"]:
        assert f"`{rule['alert']}`" in page
        for name in re.findall(r"loxodon_\w+", rule["expr"]):
            assert f"`{name.removesuffix('_bucket')}`" in known, name
    assert {rule["alert"] for rule in group["rules"]} == set(re.findall(r"`(Loxodon\w+)`", page))


def test_site_has_every_page_and_no_link_out_of_it(tmp_path: Path) -> None:
    for name in ("docs", "tools"):
        shutil.copytree(ROOT / name, tmp_path / name)
    for path in ROOT.glob("*.md"):
        shutil.copy(path, tmp_path)
    subprocess.run([sys.executable, tmp_path / "tools" / "site.py"], check=True)
    pages = {path.name for path in tmp_path.glob("build/docs/*.md")}
    listed = set(re.findall(r"^ +- ([\w.]+\.md)$", _text("mkdocs.yml"), re.M))
    assert listed == {name for name in pages if not name.endswith(".zh.md")}
    for path in tmp_path.glob("build/docs/*.md"):
        for target in re.findall(r"\]\((?!https?:|#)([^)#\s]+)", path.read_text("utf-8")):
            assert (path.parent / target).exists(), (path.name, target)
