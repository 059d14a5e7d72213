"""`loxodon bench retrieval FILE…`: how good and how fast recall is on labelled conversations.
`loxodon bench writing FILE…`: how well conversations become memories."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from loxodon import config as settings
from loxodon.config import Config
from loxodon.errors import InputError, UsageError
from loxodon.messages import t
from loxodon.serve.cli import view
from loxodon.serve.cli.opening import Outcome, settings_of

if TYPE_CHECKING:
    from loxodon.measure.retrieval import RetrievalReport as Found

_SHOWN = ("r@5", "r@10", "r@20", "r@1k", "r@1k_text", "ndcg@10", "mrr")


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
    return _retrieval(args) if args.what == "retrieval" else _writing(args)


def _retrieval(args: Namespace) -> Outcome:
    from loxodon.measure.retrieval import RetrievalOptions, measure

    config = _config(args)
    options = RetrievalOptions(
        args.limit,
        tuple(args.category),
        tuple(args.updates),
        tuple(args.leave_out),
        args.top,
        args.crossed,
        max(1, args.jobs),
        args.keep,
    )
    with view.Bar(t("measuring")) as bar:
        found = measure(args.file, config, options, bar)
    if args.details is not None:
        _write_details(args.details, found)
    changed = settings.changed(config)
    data = {"files": [one.report for one in found], "settings": changed}
    return Outcome(data, lambda: _show_all([one.report for one in found], _show_file, changed))


def _writing(args: Namespace) -> Outcome:
    from loxodon.measure.writing import WritingOptions, measure
    from loxodon.serve.cli.bench_writing import show

    config = _config(args)
    options = WritingOptions(args.limit, args.only, args.model, args.failures, max(1, args.jobs))
    with view.Bar(t("measuring")) as bar:
        found = measure(args.file, config, options, bar)
    files = [
        {**one.report, "failures": one.failures} if args.failures else one.report for one in found
    ]
    changed = settings.changed(config)
    return Outcome({"files": files, "settings": changed}, lambda: _show_all(files, show, changed))


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
    config = replace(settings_of(args), store=settings.StoreConfig())
    return settings.from_mapping({**settings.flat(config), **given})


def _write_details(path: str, found: Sequence[Found]) -> None:
    import json

    try:
        with open(path, "w", encoding="utf-8") as file:
            for one in found:
                file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in one.each)
    except OSError as error:
        raise InputError(
            "cannot write {path}: {reason}",
            hint="check the folder's permissions and the free disk space",
            path=path,
            reason=error.strerror or str(error),
        ) from None


def _show_all(
    reports: Sequence[Mapping[str, Any]],
    show: Callable[[Mapping[str, Any]], None],
    changed: Mapping[str, object],
) -> None:
    for report in reports:
        show(report)
    if changed:
        shown = ", ".join(f"{name}={value}" for name, value in changed.items())
        print(t("settings: {settings}", settings=shown))


def _show_file(report: Mapping[str, Any]) -> None:
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
            "{conversations} conversations, {turns} turns: added in {add_s} s, consolidated in "
            "{consolidate_s} s",
            conversations=report["conversations"],
            **ingest,
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
            t(
                "{n} pieces of evidence refer to no turn of their conversation; they count as "
                "missed",
                n=report["evidence_not_there"],
            ),
            file=sys.stderr,
        )
    if report["not_embedded"]:
        print(
            t(
                "{n} texts could not be embedded; only word search finds them",
                n=report["not_embedded"],
            ),
            file=sys.stderr,
        )
    print()


def _row(name: str, figures: Mapping[str, float]) -> tuple[str, ...]:
    scores = (f"{figures[key]:.1f}" if key in figures else "—" for key in _SHOWN)
    return (name, str(figures["n"]), *scores)
