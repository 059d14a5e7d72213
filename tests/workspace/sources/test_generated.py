"""What a file's author did not write is not read."""

from __future__ import annotations

from datetime import UTC, datetime

from loxodon.recall.context import block
from loxodon.tokens import estimate
from loxodon.types import Item
from loxodon.workspace.openclaw.blocks import appended
from loxodon.workspace.sources.generated import generated
from tests.each import each


def kept(text: str) -> list[str]:
    lines = text.split("\n")
    left_out = generated(lines)
    return [line for number, line in enumerate(lines, 1) if number not in left_out]


def test_dreams_and_promotions_of_openclaw() -> None:
    assert kept(
        "a\n<!-- openclaw:dreaming:light:start -->\n## Light Sleep\n- x\n"
        "<!-- openclaw:dreaming:light:end -->\nb\n"
        "<!-- openclaw-memory-promotion:memory:1 -->\n- promoted\n- mine"
    ) == ["a", "b", "- mine"]


def test_our_block_in_agents_md() -> None:
    text, _ = appended("# Rules\nBe kind.\n", "## Memory\nask loxodon\n## More\nand again")
    assert kept(text + "Be brief.") == ["# Rules", "Be kind.", "", "Be brief."]


def test_a_block_without_its_end_takes_no_more_than_its_section() -> None:
    assert kept("a\n<!-- loxodon:begin -->\n## Memory\nx\n## Mine\ny") == ["a", "## Mine", "y"]


@each("language", ["en", "zh"])
@each("unsure", [True, False])
@each("lead", ["", "> "])
def test_a_recalled_block(language: str, unsure: bool, lead: str) -> None:
    at = datetime(2026, 2, 4, tzinfo=UTC)
    item = Item("f_20260204_001", "fact", "one\n斑马在第二行", 1.0, at, "active", (), {})
    text = block([item, item], 1_000, estimate, language, unsure).text
    quoted = "\n".join(lead + line for line in text.split("\n"))
    assert "斑马" in quoted
    assert kept(f"before\n{quoted}\nafter") == ["before", "after"]
    open_end = quoted.rsplit("\n", 1)[0]
    assert kept(f"before\n{open_end}\n\nafter") == ["before", "", "after"]


def test_a_sentence_about_memories_is_kept() -> None:
    text = "[相关记忆] 是一个好名字\n[Related memories are here]"
    assert kept(text) == text.split("\n")
