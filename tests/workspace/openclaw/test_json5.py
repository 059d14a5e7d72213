"""Members go into a file and out of it, and nothing else in it changes."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loxodon.errors import InputError
from loxodon.workspace.openclaw import json5
from tests.cases import cases
from tests.each import each
from tests.growth import linear

COMMENTED = """// mine
{
  a: 'it''s', // not JSON5
}
"""


@each("text", cases(__file__, "what_is_put_in_can_be_taken_out_to_the_letter"))
def test_what_is_put_in_can_be_taken_out_to_the_letter(text: str) -> None:
    value = {"command": "x", "args": ["--", "空格 and “quotes”"]}
    changed, piece = json5.put(text, ("k", "n", "loxodon"), value)
    assert json5.parse(changed).at(("k", "n", "loxodon")).value == value  # type: ignore[union-attr]
    before = json5.parse(text).value
    after = json5.parse(changed).value
    assert isinstance(before, dict)
    assert isinstance(after, dict)
    assert {name: after[name] for name in before} == before
    assert changed.replace(piece, "") == text
    assert json5.parse(json5.drop(changed, ("k",))).value == before


def test_a_file_of_plain_json_stays_one() -> None:
    for text in ("{}", '{"a": 1}', '{\n  "a": {"b": []}\n}\n'):
        changed, _ = json5.put(text, ("x", "y"), "z")
        assert json.loads(changed)["x"] == {"y": "z"}
        assert json.loads(json5.drop(changed, ("x",))) == json.loads(text)


@each(("text", "value"), cases(__file__, "json5_is_read"))
def test_json5_is_read(text: str, value: object) -> None:
    assert json5.parse(text).value == value


@each("text", cases(__file__, "what_is_no_json5_is_refused"))
def test_what_is_no_json5_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        json5.parse(text)


def test_lists() -> None:
    for text in ("{a: []}", "{a: ['x']}", "{a: ['x', 'y',]}", "{a: [\n  'x',\n]}"):
        changed, piece = json5.append(text, ("a",), "loxodon")
        assert json5.parse(changed).at(("a",)).value[-1] == "loxodon"  # type: ignore
        assert changed.replace(piece, "") == text
        assert json5.parse(json5.drop_item(changed, ("a",), "loxodon")).value == (
            json5.parse(text).value
        )
    with pytest.raises(InputError):
        json5.append("{a: 1}", ("a",), "x")


def test_nothing_is_put_into_what_is_no_object() -> None:
    for text in ("[]", "1", "{a: 1}", "{a: []}"):
        with pytest.raises(InputError):
            json5.put(text, ("a", "b"), 1)


def test_a_value_is_replaced_as_it_is_written() -> None:
    text = "{ a: 'x', /* c */ b: 1 }"
    assert json5.raw(text, ("a",)) == "'x'"
    changed = json5.replace(text, ("a",), '"loxodon"')
    assert changed == '{ a: "loxodon", /* c */ b: 1 }'
    assert json5.replace(changed, ("a",), "'x'") == text
    assert json5.raw(text, ("c",)) is None
    assert json5.replace(text, ("c",), "1") == text


_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(st.dictionaries(st.text(), _values, max_size=4), st.sampled_from([None, 2, "\t"]))
def test_any_json_gets_its_bytes_back(
    document: dict[str, object], indent: int | str | None
) -> None:
    text = json.dumps(document, ensure_ascii=False, indent=indent)
    if "k\0" in document:
        return
    changed, piece = json5.put(text, ("k\0", "x"), {"a": [1]})
    assert json.loads(changed) == {**document, "k\0": {"x": {"a": [1]}}}
    assert changed.replace(piece, "") == text
    assert json.loads(json5.drop(changed, ("k\0",))) == document


@given(st.text(alphabet="{}[]:,'\"/*\\ \na1", max_size=60))
def test_no_text_is_too_odd_to_be_looked_at(text: str) -> None:
    try:
        json5.parse(text)
    except InputError:
        return


@pytest.mark.parametrize(
    ("begin", "unit", "times"),
    [("", "/*", 500_000), ("{", "a:1,", 80_000), ('"', "\\", 8_000), ("", "//\n", 8_000)],
)
def test_hostile_text_takes_linear_time(begin: str, unit: str, times: int) -> None:
    # No more of them than Python's matcher has room for at once: asking for more is a step in time.
    def refused(text: str) -> None:
        with pytest.raises(InputError):
            json5.parse(text)

    linear(refused, lambda n: begin + unit * n, times)
