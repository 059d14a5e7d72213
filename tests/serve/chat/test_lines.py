"""Lines as messages, and lines as commands."""

from __future__ import annotations

import pytest

from loxodon.errors import UsageError
from loxodon.serve.chat.commands import command_in, message_in
from loxodon.serve.chat.lines import cleaned, goes_on, joined
from tests.each import each


@each(
    ("line", "command"),
    [
        ("/recall the cat", ("recall", "the cat")),
        ("  /WHY  ", ("why", "")),
        ("/exit", ("quit", "")),
        ("/回忆 猫", ("recall", "猫")),
        ("/退出", ("quit", "")),
        ("/tag f_1 +a -b", ("tag", "f_1 +a -b")),
        ("/remember one\ntwo", ("remember", "one\ntwo")),
    ],
)
def test_a_command(line: str, command: tuple[str, str]) -> None:
    assert command_in(line) == command


@each(
    ("line", "message"),
    [
        ("hello", "hello"),
        ("/", "/"),
        ("/usr/bin/python fails", "/usr/bin/python fails"),
        ("//help is a command", "/help is a command"),
        ("a /recall b", "a /recall b"),
        ("/ recall", "/ recall"),
        ("/etc/hosts", "/etc/hosts"),
    ],
)
def test_a_message(line: str, message: str) -> None:
    assert command_in(line) is None
    assert message_in(line) == message


@pytest.mark.parametrize("line", ["/nope", "/recal x", "/忘", "/-1"])
def test_no_such_command(line: str) -> None:
    with pytest.raises(UsageError, match="unknown command"):
        command_in(line)


def test_lines_that_go_on() -> None:
    assert goes_on("one\\")
    assert not goes_on("C:\\\\")
    assert joined(["one\\", "two", "three"]) == "one\ntwo\nthree"


@pytest.mark.parametrize(
    ("text", "clean"), [("a\0b", "ab"), ("a\r\n", "a"), ("\ud83d!", "?!"), ("  \n", "")]
)
def test_text_that_can_be_kept(text: str, clean: str) -> None:
    assert cleaned(text) == clean
