"""HOME/policy.toml: what it can say, and the line it is told where it is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from loxodon.errors import ConfigError
from loxodon.guard.guard import Guard
from loxodon.guard.policy import built_in, load
from loxodon.serve.cli.main import main

WHOLE = """
[kinds]
mail = "allow"
contact = "never"

[[rules]]
name = "staff-number"
pattern = 'ST-\\d{6}'
keywords = ["ST-"]
action = "mask"

[[rules]]
name = "project code"
pattern = '代号(?P<it>\\p{Han}{2})'
action = "never"
family = "secret"

[[exceptions]]
pattern = '4111 1111 1111 1111'
"""


def guard_of(home: Path, text: str) -> Guard:
    (home / "policy.toml").write_text(text, "utf-8")
    return Guard.of(str(home))


def test_everything_it_can_say(tmp_path: Path) -> None:
    guard = guard_of(tmp_path, WHOLE)
    assert guard.shown("ann@acme.org", private=False) == "ann@acme.org"
    assert guard.clean("call 13912345678") == "call [removed: phone]"
    assert guard.shown("I am ST-123456", private=True) == "I am [staff number ••56]"
    assert guard.clean("代号夜莺开始") == "代号[secret: project code]开始"
    assert guard.shown("4111 1111 1111 1111", private=False) == "4111 1111 1111 1111"
    assert guard.policy.own == {"staff-number", "project-code"}


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("[kinds]\nmail = 'maybe'", 2, "not an action"),
        ("# x\n[kinds]\n\nnothing = 'mask'", 4, "unknown kind"),
        ("[other]\na = 1", 1, "unknown section"),
        ("[[rules]]\nname = 'a'\npattern = '('\n", 3, "not valid RE2"),
        ("[[rules]]\nname = 'a'\npattern = 'x*'\n", 3, "the empty string"),
        ("[[rules]]\nname = 'a'\npattern = '(?=x)y'\n", 3, "not valid RE2"),
        ("[[rules]]\npattern = 'x'\n", 1, "name"),
        ("[[rules]]\nname = 'a'\npattern = 'x'\nkeywords = 'x'", 4, "list"),
        (
            "[[rules]]\nname = 'a'\npattern = 'x'\n[[rules]]\nname = 'b'\npattern = 'y'\nsize = 3",
            7,
            "'size'",
        ),
        ("[[exceptions]]\nwords = 'x'", 1, "pattern"),
        ("[[rules]]\nname = 'a'\npattern = 'x'\nfamily = 'f'", 4, "family"),
        ("rules = 3", 1, "tables"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(
    tmp_path: Path, text: str, line: int, what: str
) -> None:
    (tmp_path / "policy.toml").write_text(text, "utf-8")
    with pytest.raises(ConfigError, match=f"line {line}: .*") as caught:
        load(str(tmp_path))
    assert what in str(caught.value) + caught.value.hint
    assert caught.value.localized("zh")[0] != str(caught.value)


def test_broken_toml_and_none_at_all(tmp_path: Path) -> None:
    assert load(str(tmp_path)) == built_in()
    (tmp_path / "policy.toml").write_text("[kinds", "utf-8")
    with pytest.raises(ConfigError, match="not valid TOML"):
        load(str(tmp_path))


def test_a_broken_policy_lets_nothing_in(tmp_path: Path) -> None:
    """Rather than being kept without the user's rules, a text is refused."""
    guard = guard_of(tmp_path, "[kinds]\nmail = 'x'")
    with pytest.raises(ConfigError):
        guard.taken("hello")


def test_every_kind_has_a_family_and_an_action() -> None:
    policy = built_in()
    assert len(policy.actions) > 120
    for rule in policy.rules:
        assert policy.family(rule.kind) == rule.family


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    home = ["--home", str(tmp_path), "--json"]
    assert main([*home, "policy"]) == 0
    kinds = {one["kind"]: one["action"] for one in json.loads(capsys.readouterr().out)["kinds"]}
    assert (kinds["github-token"], kinds["bank-card"], kinds["phone"]) == ("never", "mask", "mask")
    secret = "ghp_Zq81LmXw92KcVb37RtYu64PoNj05HsGfDa4E"
    assert main([*home, "policy", "check", "it", "is", secret, "or", "4111111111111111"]) == 0
    out = capsys.readouterr().out
    assert secret not in out
    assert "4111111111111111" not in out
    found = json.loads(out)
    assert [one["kind"] for one in found["found"]] == ["github-token", "bank-card"]
    assert found["shown"] == "it is [secret: github token] or [bank card ••1111]"
    assert main([*home, "policy", "--mend"]) == 2
    assert main([*home, "policy", "scan", "words"]) == 2
