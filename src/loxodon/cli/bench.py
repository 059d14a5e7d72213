"""`loxodon bench retrieval FILE…`: how good and how fast recall is on labelled conversations.
`loxodon bench writing FILE…`: how well conversations become memories."""

from __future__ import annotations

import json
import os
import sys
from argparse import Namespace
from collections.abc import Iterable, Mapping
from typing import Any

from loxodon import config as settings
from loxodon.cli import view
from loxodon.cli.opening import Outcome, settings_of
from loxodon.config import Config
from loxodon.errors import InputError, UsageError
from loxodon.messages import t, tn

_SHOWN = ("r@5", "r@10", "r@20", "r@1k", "r@1k_text", "ndcg@10", "mrr")
_LONGEST = 200  # characters of a check: some name dozens of ways to say one thing

_OF_RETRIEVAL: dict[str, object] = {
    "embedder": None,
    "profile": None,
    "category": [],
    "leave_out": [],
    "top": 100,
    "crossed": False,
    "details": None,
    "keep": "",
}
_OF_WRITING: dict[str, object] = {"only": "", "model": False, "failures": False}
"""The options that only one of the two has, as they are where nobody gives them."""


def bench(args: Namespace) -> Outcome:
    others = _OF_WRITING if args.what == "retrieval" else _OF_RETRIEVAL
    for name, default in others.items():
        if getattr(args, name) != default:
            raise UsageError(
                "`bench {what}` does not accept --{name}",
                hint="see `loxodon bench --help`",
                what=args.what,
                name=name.replace("_", "-"),
            )
    from loxodon.cli.measure import RetrievalOptions, measure_retrieval, measure_writing

    config, jobs = _config(args), max(1, args.jobs)
    with view.Bar(t("measuring")) as bar:
        if args.what == "retrieval":
            options = RetrievalOptions(
                args.limit,
                tuple(args.category),
                tuple(args.updates),
                tuple(args.leave_out),
                args.top,
                args.crossed,
                jobs,
                args.keep,
            )
            found = measure_retrieval(args.file, config, options, bar)
        else:
            found = measure_writing(
                args.file,
                config,
                limit=args.limit,
                only=args.only,
                model=args.model,
                jobs=jobs,
                progress=bar,
            )
    if args.details is not None:
        _write_details(args.details, [row for _, rows in found for row in rows])
    if args.failures:
        files = [{**report, "failures": failures} for report, failures in found]
    else:
        files = [report for report, _ in found]
    changed = settings.changed(config)

    def show() -> None:
        for report in files:
            (_show_retrieval if args.what == "retrieval" else _show_writing)(report)
        if changed:
            shown = ", ".join(f"{name}={value}" for name, value in changed.items())
            print(t("settings: {settings}", settings=shown))

    return Outcome({"files": files, "settings": changed}, show)


def _config(args: Namespace) -> Config:
    """The settings of the home, and what this command sets above them."""
    given: dict[str, object] = {}
    if args.embedder is not None:
        kind, colon, path = args.embedder.partition(":")
        given["embedder.kind"] = kind
        if colon:
            given["embedder.path"] = path
    if args.profile is not None:
        given["recall.profile"] = args.profile
    for text in args.set:
        name, equals, value = text.partition("=")
        if not equals:
            raise UsageError(
                "{text} is not KEY=VALUE", hint="write it as recall.top=20", text=repr(text)
            )
        given[name] = value
    # What is measured is made for it.
    config = settings_of(args).replace(store=settings.StoreConfig())
    return settings.from_mapping({**settings.flat(config), **given})


def _write_details(path: str, rows: Iterable[Mapping[str, Any]]) -> None:
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    except OSError as error:
        raise InputError(
            "cannot write {path}: {reason}",
            hint="check the folder's permissions and the free disk space",
            path=path,
            reason=error.strerror or str(error),
        ) from None


def _show_retrieval(report: Mapping[str, Any]) -> None:
    print(view.paint(view.safe(os.path.basename(report["file"])), "bold"))
    rows = [_row(t("overall"), report["overall"])]
    if "overall_with_left_out" in report:
        rows.append(_row(t("overall, all categories"), report["overall_with_left_out"]))
    rows += [_row(name or "—", figures) for name, figures in report["categories"].items()]
    headings = ("R@5", "R@10", "R@20", "R@1k", t("R@1k, own words"), "NDCG@10", "MRR")
    view.table(
        ((t("category"), False), (t("questions"), False), *((name, False) for name in headings)),
        rows,
    )
    ingest, latency, tokens = report["ingest"], report["latency_ms"], report["tokens"]
    print(
        t(
            "recall p50 {p50} ms, p99 {p99} ms; context {mean} tokens on average, {most} at most",
            **latency,
            **tokens,
        )
    )
    if "latency_without_embedder_ms" in report:
        print(
            t(
                "without the embedder: p50 {p50} ms, p99 {p99} ms",
                **report["latency_without_embedder_ms"],
            )
        )
    print(
        t(
            "{conversations}, {turns}: added in {add_s} s, consolidated in {consolidate_s} s",
            conversations=view.conversation_count(report["conversations"]),
            **{**ingest, "turns": view.turn_count(ingest["turns"])},
        )
    )
    if "updates" in report:
        print(
            t(
                "updates: the newest first in {newest_first_of_the_others}% of {now}, an older "
                "one in {older_first_of_the_past}% of the {of_the_past} that ask for the past; "
                "of {older_shown} older ones shown, {older_unmarked}% unmarked",
                now=report["updates"]["n"] - report["updates"]["of_the_past"],
                **report["updates"],
            )
        )
    for name, what in (
        ("true", t("questions to their own conversation")),
        ("crossed", t("questions to another conversation")),
    ):
        if name in report["abstention"]:
            share = report["abstention"][name]
            print(
                t(
                    "{what}: {abstains}% empty or unsure ({empty}% empty), of {n}",
                    what=what,
                    **share,
                )
            )
    if report["evidence_not_there"]:
        print(
            tn(
                "{n} piece of evidence refers to no turn of its conversation; it counts as missed",
                "{n} pieces of evidence refer to no turn of their conversation; they count as "
                "missed",
                report["evidence_not_there"],
            ),
            file=sys.stderr,
        )
    if report["not_embedded"]:
        print(
            tn(
                "{n} text could not be embedded; only word search finds it",
                "{n} texts could not be embedded; only word search finds them",
                report["not_embedded"],
            ),
            file=sys.stderr,
        )
    print()


def _row(name: str, figures: Mapping[str, float]) -> tuple[str, ...]:
    scores = (f"{figures[key]:.1f}" if key in figures else "—" for key in _SHOWN)
    return (name, str(figures["n"]), *scores)


def _show_writing(report: Mapping[str, Any]) -> None:
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
    view.table(headings, [_checks(name, one) for name, one in figures if one["n"]])
    print(t("denoising keeps {share}% of the tokens ({left} of {tokens})", **report["denoising"]))
    print(
        t(
            "{cases}, {turns}, {memories}: consolidated in {consolidate_s} s",
            cases=view.conversation_count(report["cases"]),
            turns=view.turn_count(report["turns"]),
            memories=view.memory_count(report["memories"]),
            consolidate_s=report["consolidate_s"],
        )
    )
    if "model" in report:
        model = report["model"]
        print(tn("the model used {n} token", "the model used {n} tokens", model["tokens"]))
        if model["failed"]:
            print(
                tn(
                    "the model failed in {n} conversation: {problem}",
                    "the model failed in {n} conversations: {problem}",
                    model["failed"],
                    problem=model["problem"],
                ),
                file=sys.stderr,
            )
    print()


def _checks(name: str, one: Mapping[str, Any]) -> tuple[str, ...]:
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
