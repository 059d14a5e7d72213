from __future__ import annotations

import pytest

from loxodon.write.zh import deeds


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("好的，已经帮您把会议改到周五。", ["助手已经帮用户把会议改到周五"]),
        ("我已经更新了你的地址。", ["助手已经更新了用户的地址"]),
        ("那我们就定周三下午三点。", ["助手和用户那就定周三下午三点"]),
    ],
)
def test_what_was_done_or_settled_is_told(text: str, told: list[str]) -> None:
    assert deeds(text) == told


@pytest.mark.parametrize(
    "text",
    [
        "",
        "你可以把会议改到周五。",
        "建议多喝水。",
        "需要我帮你取消吗？",
        "长城有两万多公里。",
        "好的！",
    ],
)
def test_advice_offers_and_information_are_no_deeds(text: str) -> None:
    assert deeds(text) == []
