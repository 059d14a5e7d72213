"""What `loxodon bench writing` shows a person."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Any

from loxodon.messages import t
from loxodon.serve.cli import view

_LONGEST = 200
"""Characters of a check: who labels carefully names dozens of ways to say one thing."""


def show(report: Mapping[str, Any]) -> None:
    """The figures of one file, after what failed there."""
    for failure in report.get("failures", ()):
        _show_failure(failure)
    print(view.paint(view.safe(os.path.basename(report["file"])), "bold"))
    figures = (
        (t("must be learned"), report["additions"]),
        (t("must change"), report["changes"]),
        (t("must not be kept"), report["never"]),
        (t("repeated, kept once"), report["duplicates"]),
        (t("must be kept as a guess"), report["beliefs"]),
        (t("operations"), report["operations"]["overall"]),
        *(
            (t("operation {name}", name=name), one)
            for name, one in report["operations"].items()
            if name != "overall"
        ),
    )
    headings = tuple((name, False) for name in ("", t("checks"), t("right"), t("share")))
    view.table(headings, [_row(name, one) for name, one in figures if one["n"]])
    print(t("denoising keeps {share}% of the tokens ({left} of {tokens})", **report["denoising"]))
    print(
        t(
            "{cases} conversations, {turns} turns, {memories} memories: consolidated in "
            "{consolidate_s} s",
            **_plain(report),
        )
    )
    if "model" in report:
        print(t("the model used {tokens} tokens", tokens=report["model"]["tokens"]))
        if report["model"]["failed"]:
            print(
                t("the model failed in {failed} conversations: {problem}", **report["model"]),
                file=sys.stderr,
            )
    print()


def _plain(report: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in report.items() if isinstance(value, int | float)}


def _row(name: str, one: Mapping[str, Any]) -> tuple[str, ...]:
    return name, str(one["n"]), str(one["right"]), f"{one['share']:.1f}%"


def _show_failure(one: Mapping[str, Any]) -> None:
    print(view.paint(view.safe(f"{one['case']} {one['about']}".strip()), "bold"))
    for line in one["said"]:
        print(view.safe(f"  {line}"))
    for memory in one["memories"]:
        print(view.safe(f"    [{memory['kind']}] {memory['content']}"))
    for check in one["failed"]:
        print("    " + view.paint(view.safe(t("failed: {check}", check=_shown(check))), "red"))
    for check in one["not_done"]:
        print(
            "    "
            + view.safe(t("passed, but no memory was changed for it: {check}", check=_shown(check)))
        )
    print()


def _shown(check: Mapping[str, Any]) -> str:
    """`supersede, present: Leeds / York + …`."""
    parts = [
        f"{field}: " + " + ".join("|".join(group) for group in groups)
        for field, groups in check.items()
        if field != "type"
    ]
    text = ", ".join((check["type"], *parts))
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
