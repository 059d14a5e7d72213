"""`loxodon bench answers`: whether a reader answers right with what the memory hands it.

A reader answers from the recalled context alone, a judge holds that against the reference. Every
answer is a line of the details as soon as it is there: run again, the command goes on.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import Any

from loxodon.cli import view
from loxodon.cli.bench import Figures, built, for_measuring, percent, read_conversations
from loxodon.clock import zone_named
from loxodon.config import Config, ModelConfig
from loxodon.errors import InputError, UsageError
from loxodon.memory import Memory
from loxodon.models.chat import ChatModel, ModelQuestion
from loxodon.models.prompts import fenced, prompt
from loxodon.models.replies import TEXT, record
from loxodon.text.language import language_of
from loxodon.tokens import estimate

ITEMS = 100  # the most items of a context: its tokens are the limit
_ANSWER = record({"answer": TEXT})
_VERDICT = record({"verdict": {"type": "string", "enum": ["right", "wrong"]}})


def measure_answers(
    files: Sequence[str],
    config: Config,
    *,
    reader: str = "",
    judge: str = "",
    strict: bool = False,
    budget: int = 2_000,
    details: str = "",
    category: Sequence[str] = (),
    keep: str | None = None,
    limit: int = 0,
) -> list[Figures]:
    """Each file's report; `limit` is the most questions of each."""
    answers = ChatModel(model_of(reader, config.model))
    judges = ChatModel(model_of(judge or reader, config.model))
    config = for_measuring(config)
    zone = zone_named(config.timezone) or UTC
    reports = []
    for name in files:
        talks = list(_chosen(read_conversations(name, zone), category, limit))
        total = sum(len(talk["questions"]) for talk in talks)
        if not total:
            raise InputError("{file} has no question with an answer", file=name)
        how = {"file": name, "judge": "strict" if strict else "lenient"}
        done, rows = _done(details, how), []
        for talk in talks:
            with ExitStack() as stack:
                memory: Memory | None = None
                for question in talk["questions"]:
                    row = done.get(question["id"])
                    if row is None:
                        if memory is None:
                            memory, now, _ = stack.enter_context(built(talk, config, keep))
                        started, now[0] = perf_counter(), question["asked_at"]
                        context = memory.recall(question["text"], ITEMS, budget).context
                        recall_s = perf_counter() - started
                        row = _asked(question, context, answers, judges, strict)
                        row["recall_s"] = round(recall_s, 4)
                        _note(details, how | row)
                    rows.append(row)
                    view.progress(len(rows), total)
        reports.append(how | _report(rows))
    return reports


def model_of(said: str, own: ModelConfig) -> ModelConfig:
    """`URL MODEL` or a command as a model; the configured one where nothing is said."""
    address, _, name = said.partition(" ")
    if not said:
        if own.mode == "rules" and not own.address:
            raise UsageError(
                "no reader: neither --reader nor a model is set",
                hint="--reader 'http://localhost:8000/v1 MODEL', or a command that takes a prompt",
            )
        return own
    if address.startswith(("http://", "https://")):
        return own._replace(kind="openai", base_url=address, name=name)
    return own._replace(kind="command", command=said)


def _chosen(talks: Iterable[Figures], category: Sequence[str], limit: int) -> Iterator[Figures]:
    """The conversations with the questions that are asked: those with an answer."""
    left = limit or 1 << 60
    for talk in talks:
        some = [
            one
            for one in talk["questions"]
            if one["answer"] and (not category or one["category"] in category)
        ][:left]
        left -= len(some)
        if some:
            yield {**talk, "questions": some}


def _done(details: str, how: Figures) -> dict[str, Figures]:
    """What a file of details has already, judged alike, by question."""
    path = Path(details) if details else None
    lines = path.read_text("utf-8").splitlines() if path and path.exists() else []
    rows = [json.loads(line) for line in lines if line.endswith("}")]  # the last may be cut off
    return {row["id"]: row for row in rows if how.items() <= row.items()}


def _note(details: str, row: Mapping[str, Any]) -> None:
    if details:
        with open(details, "a", encoding="utf-8") as file:
            file.write("\n" + json.dumps(row, ensure_ascii=False))


def _asked(
    question: Figures, context: str, reader: ChatModel, judge: ChatModel, strict: bool
) -> Figures:
    """What a reader answers from a context, and whether that is right."""
    language = language_of(question["text"])
    started = perf_counter()
    asked: datetime = question["asked_at"]
    lines = [("note", line) for line in context.splitlines()]
    answer = reader.ask(
        ModelQuestion(
            "answer",
            language,
            prompt("answer", language, today=f"{asked:%A %Y-%m-%d}"),
            f"{fenced(lines)}\n{fenced([('question', question['text'])])}",
            _ANSWER,
            300,
        ),
        lambda value: str(value["answer"]),
    )
    pair = {"question": question["text"], "reference": question["answer"], "answer": answer.value}
    name = f"judge_{'strict' if strict else 'lenient'}"
    verdict = judge.ask(
        ModelQuestion(
            "judge", language, prompt(name, language), fenced(pair.items()), _VERDICT, 50
        ),
        lambda value: bool(value["verdict"] == "right"),
    )
    return {
        "id": question["id"],
        "category": question["category"],
        "question": question["text"],
        "reference": question["answer"],
        "answer": answer.value,
        "right": verdict.value,
        "context": context,
        "tokens": estimate(context),
        "model_s": round(perf_counter() - started, 3),
        "tokens_in": answer.tokens_in + verdict.tokens_in,
        "tokens_out": answer.tokens_out + verdict.tokens_out,
    }


def _report(rows: Sequence[Figures]) -> Figures:
    def of(some: Sequence[Figures]) -> Figures:
        right = sum(row["right"] for row in some)
        return {"n": len(some), "right": right, "percent": percent(right, len(some))}

    names = sorted({row["category"] for row in rows})
    total = {
        name: sum(row[name] for row in rows)
        for name in ("tokens", "recall_s", "model_s", "tokens_in", "tokens_out")
    }
    return {
        "overall": of(rows),
        "categories": {one: of([row for row in rows if row["category"] == one]) for one in names},
        "context_tokens": round(total["tokens"] / len(rows)),
        "recall_ms": round(1000 * total["recall_s"] / len(rows), 1),
        "model_s": round(total["model_s"], 1),
        "model_tokens": {"in": total["tokens_in"], "out": total["tokens_out"]},
    }
