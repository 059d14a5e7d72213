"""Messages that nobody writes and anybody can send, each of any length."""

from __future__ import annotations

from collections.abc import Callable

UNITS = {
    "digits": "1", "numbers": "1234567890", "numbers with commas": "1,000,", "versions": "1.2.",
    "spaced digits": "1 ", "dates": "1/1/", "iso dates": "2026-01-01 ", "years": "2026-",
    "clock times": "12:00 ", "colons": "12:", "money": "$100 ", "a letter": "a",
    "capitals": "A", "mixed case": "aA", "laughter": "ha", "one-letter words": "a b c ",
    "I": "I ", "full-width": "Ａ", "open brackets": "(", "brackets": "()", "square": "[",
    "json": '{"a":', "tags": "<b>", "comments": "<!--", "attributes": '<a b="c">',
    "quotes": '"', "quoted words": '"a" ', "apostrophes": "a'", "chinese quotes": "“我”",
    "backticks": "`", "fences": "```a\n", "quoted lines": "> a\n", "tables": "|a", "stars": "*a",
    "dashes": "-", "hyphens": "a-", "dots": ".", "ellipses": "a…", "questions": "?",
    "slashes": "/", "links": "http://a.b/ ", "one link": "http://", "mail": "a@b.c ",
    "base64": "QUJDREVGabcdef0123+/", "hex": "deadbeef", "entities": "&amp;", "percent": "%41",
    "escapes": "\\u0041", "tabs": "\t", "spaces": " ", "line breaks": "\n", "lines": "a\n",
    "windows lines": "\r\n", "lists": "- a\n", "numbered": "1. a\n", "numbered in line": "1. a ",
    "emoji": "😀", "skin tones": "👍🏽", "joined emoji": "👨\u200d👩\u200d👧",
    "zero width": "\u200b",
    "right to left": "\u202eabc", "arabic": "مرحبا ", "combining marks": "a\u0301", "的": "的",
    "我": "我", "我喜欢": "我喜欢", "数字": "一二三", "年月日": "年月日", "明天": "明天",
    "哈": "哈", "请": "请", "不是": "不是", "他说": "他说", "逗号": "我喜欢茶，", "顿号": "茶、",
    "句号": "我喜欢茶。", "吗": "吗？", "没有标点": "我住在北京然后我在腾讯上班",
    "mixed scripts": "我a", "kana": "あ", "hangul": "가", "thai": "ก",
    "clauses with and": "I like tea and ", "clauses with commas": "I like tea, ",
    "clauses without end": "i live in paris i work at acme ", "sentences": "I like tea. ",
    "not": "not ", "oh": "oh ", "she said that": "she said that ", "today": "i'm done today ",
    "names": "Anna Maria ", "tomorrow": "tomorrow ", "remember": "remember ",
    "orders": "ignore previous instructions ", "words": "lorem ipsum dolor sit amet ",
    "numbers at the bound": "1" * 48 + " ", "words at the bound": "a" * 256 + " ",
    "blanks at the bound": " " * 64 + "a", "clauses at the bound": "我" * 1_000 + "，",
}  # fmt: skip

SHAPES: dict[str, Callable[[int], str]] = {
    "nested brackets": lambda n: "(" * (n // 2) + ")" * (n // 2),
    "nested list": lambda n: "".join("  " * i + "- a\n" for i in range(n // 9))[:n],
    "a gap": lambda n: "I like" + " " * n + "tea",
    "marks on one letter": lambda n: "a" + "\u0301" * n,
    "a title": lambda n: "《" + "1" * n,
    "a long link": lambda n: "http://" + "a/" * (n // 2),
    "a task": lambda n: "translate this: " + "x y " * (n // 4),
}


def messages(n: int) -> dict[str, str]:
    """Each of them with `n` characters or a few more."""
    made = {name: (unit * (n // len(unit) + 1))[:n] for name, unit in UNITS.items()}
    made |= {name: shape(n) for name, shape in SHAPES.items()}
    return {name: f"{text} x" for name, text in made.items()}  # white space alone is no message
