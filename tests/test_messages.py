"""Every sentence a person may be told stands in both languages, with the same values in it."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from loxodon import errors, messages
from loxodon.config import _TAKES, KEYS
from loxodon.messages.zh import SENTENCES
from loxodon.recall.gate import REASONS
from loxodon.serve.cli.help import OPTIONS
from loxodon.serve.cli.table import COMMANDS
from loxodon.store.checks import PROMISES
from loxodon.trust.audit.verifying import SAID
from loxodon.types import CHANGES, ENTITY_TYPES

SOURCE = Path(messages.__file__).parents[1]
ERRORS = {name for name, value in vars(errors).items() if isinstance(value, type)}


def _said_in(tree: ast.AST) -> set[str]:
    """The literals handed to `t(…)` and to errors, and their hints."""
    said = set()
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = (
            node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        )
        if name != "t" and name not in ERRORS:
            continue
        given = node.args[:1] + [k.value for k in node.keywords if k.arg == "hint"]
        said |= {g.value for g in given if isinstance(g, ast.Constant) and isinstance(g.value, str)}
    return said


@cache
def _said() -> frozenset[str]:
    said = set()
    for path in SOURCE.rglob("*.py"):
        said |= _said_in(ast.parse(path.read_text("utf-8")))
    for command in COMMANDS.values():
        said |= {command.group, command.about, *(one.about for one in command.takes)}
    said |= {key.about for key in KEYS.values()}
    said |= set(_TAKES.values()) | {one.what for one in PROMISES}
    said |= {*CHANGES, *ENTITY_TYPES, *REASONS.values()}
    said |= {*SAID.values(), *OPTIONS, *errors.INSTALL}
    said |= {text for both in errors.REFUSED.values() for text in both}
    said |= {"fix these lines, or skip them with --skip-bad"}
    said |= {"no line is valid: fix the file, or set its format with --format"}
    return frozenset(said - {""})


def test_every_sentence_has_a_chinese_one() -> None:
    missing = sorted(_said() - SENTENCES.keys())
    assert not missing


def test_no_chinese_sentence_is_left_over() -> None:
    assert sorted(SENTENCES.keys() - _said()) == []


def test_both_have_the_same_values() -> None:
    def values(text: str) -> set[str]:
        return set(re.findall(r"{(\w+)}", text))

    assert [one for one, chinese in SENTENCES.items() if values(one) != values(chinese)] == []


def test_the_language_of_the_process_is_used_unless_one_is_given() -> None:
    assert messages.t("no memories", "zh") == SENTENCES["no memories"]
    messages.use("zh")
    try:
        assert messages.t("no memories") == SENTENCES["no memories"]
        assert messages.t("no memories", "en") == "no memories"
    finally:
        messages.use("en")
    messages.use("tlh")
    assert messages.current() == "en"


def test_an_error_speaks_both_languages() -> None:
    error = errors.NotFoundError(
        "no memory with the id {id}", hint="list the memories with `loxodon list`", id="f_1"
    )
    assert str(error) == "no memory with the id f_1"
    assert error.hint == "list the memories with `loxodon list`"
    message, hint = error.localized("zh")
    assert "f_1" in message
    assert "loxodon list" in hint


@pytest.mark.parametrize(
    ("name", "language"),
    [("zh_CN.UTF-8", "zh"), ("zh", "zh"), ("en_GB", "en"), ("", "en"), ("C", "en")],
)
def test_the_language_of_a_locale(name: str, language: str) -> None:
    assert messages.language_of_locale(name) == language


def test_one_is_singular_in_english() -> None:
    assert messages.t("{n} turns", "en", n=1) == "1 turn"
    assert messages.t("{n} turns", "en", n=11) == "11 turns"
    said = messages.t("{turns} turns in {sessions} sessions", "en", turns=2, sessions=1)
    assert said == "2 turns in 1 session"
    assert messages.t("active again: {n} memories", "en", n=1) == "active again: 1 memory"
    assert "1 s" in messages.t("{n} turns consolidated in {seconds} s", "en", n=1, seconds=1)
