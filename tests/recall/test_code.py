"""What of a message is code."""

from __future__ import annotations

import pytest

from loxodon.recall.code import is_shell, without_code
from tests.each import each


@each(
    "line",
    [
        "def add(a, b):",
        "    return a + b",
        "const total = items.length;",
        "import os",
        "SELECT id FROM users WHERE id = 3",
        "if (ready) {",
        "}",
        "x += 1",
        "print(total)",
        '<p class="big">Hello</p>',
        "NameError: name 'foo' is not defined",
        '"name": "test",',
        'File "main.py", line 3, in <module>',
        "// how many there are",
        "items.map(i => i.id)",
    ],
)
def test_a_line_of_code(line: str) -> None:
    assert without_code(line)[1] == 1.0


@each(
    "line",
    [
        "let's pick up where we left off",
        "I met Anna (my sister) and we went home; it was late",
        "for me that is fine",
        "if you like",
        "class starts at nine",
        "import taxes went up again",
        "函数 foo() 为什么报错",
        "this is = to that, as far as I can tell from the text I was sent",
        "",
        "?",
        "print it",
    ],
)
def test_a_line_of_prose(line: str) -> None:
    assert without_code(line) == (line, 0.0)


def test_what_stands_in_a_fence_is_code_whatever_it_says() -> None:
    prose, share = without_code("look at this\n```\nplain words\n```\nand tell me")
    assert prose == "look at this\nand tell me"
    assert 0.3 < share < 0.6
    assert without_code("```\nnever closed")[1] == 1.0


@pytest.mark.parametrize(
    "text", ["git push origin main", "ls -la", "npm i react", "sudo apt install jq", "cd ../src"]
)
def test_a_line_for_a_shell(text: str) -> None:
    assert is_shell(text)


@each("text", ["make it shorter", "go on", "find me a film", "Go get 'em, Jon!", "git is hard", ""])
def test_a_sentence_that_begins_like_one(text: str) -> None:
    assert not is_shell(text)
