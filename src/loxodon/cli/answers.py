"""`loxodon bench answers`: whether a reader answers right with what the memory hands it.

A reader answers from the recalled context alone, a judge holds that against the reference. Every
answer is a line of the details as soon as it is there: run again, the command goes on.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from contextlib import ExitStack
from operator import itemgetter
from time import perf_counter
from typing import Any

from loxodon.cli import view
from loxodon.cli.bench import Figures, built, for_measuring, read_conversations, share
from loxodon.cli.call import Call
from loxodon.config import Config, ModelConfig
from loxodon.errors import InputError, UsageError
from loxodon.memory import Memory
from loxodon.models.chat import ChatModel, ModelQuestion
from loxodon.models.prompts import TEXT, prompt, record
from loxodon.text.language import language_of
from loxodon.tokens import estimate

ITEMS, BUDGET = 100, 2_000  # items and tokens of a context; the tokens are what limits it
_ANSWER = record({"answer": TEXT})
_VERDICT = record({"verdict": {"type": "string", "enum": ["right", "wrong"]}})


def measure(call: Call, config: Config) -> list[Figures]:
    """Each file's report; `--limit` is the most questions of each."""
    reader = ChatModel(_model_of(call.reader or "", config.model))
    judge = ChatModel(_model_of(call.judge or call.reader or "", config.model))
    config = for_measuring(config)
    reports = []
    for name in call.file:
        asked = [
            (talk, question)
            for talk in read_conversations(name, config.timezone)
            for question in talk["questions"]
            if question["answer"] and (not call.category or question["category"] in call.category)
        ][: call.limit or None]
        if not asked:
            raise InputError("{file} has no question with an answer", file=name)
        how = {"file": name, "judge": "strict" if call.strict else "lenient"}
        known, rows = _answered(call.details, how), list[Figures]()
        with ExitStack() as stack:
            of: Figures | None = None  # the conversation whose memory is open
            for talk, question in view.watched(asked):
                row = known.get(question["id"])
                if row is None:
                    if of is not talk:
                        stack.close()
                        memory, now, _ = stack.enter_context(built(talk, config, call.keep))
                        of = talk
                    now[0] = question["asked_at"]
                    budget = call.budget or BUDGET
                    row = how | _answer(memory, question, budget, reader, judge, how["judge"])
                    if call.details:
                        with open(call.details, "a", encoding="utf-8") as file:
                            file.write("\n" + json.dumps(row, ensure_ascii=False))
                rows.append(row)
        reports.append(how | _report(rows))
    return reports


def _model_of(said: str, own: ModelConfig) -> ModelConfig:
    """`URL MODEL` or a command as a model; the configured one where nothing is said."""
    address, _, name = said.partition(" ")
    if address.startswith(("http://", "https://")):
        return own._replace(kind="openai", base_url=address, name=name)
    if said:
        return own._replace(kind="command", command=said)
    if own.mode == "rules" and not own.address:
        raise UsageError(
            "no reader: neither --reader nor a model is set",
            hint="--reader 'http://localhost:8000/v1 MODEL', or a command that takes a prompt",
        )
    return own


def _answered(details: str | None, how: Figures) -> dict[str, Figures]:
    """What a file of details has already, judged alike, by question."""
    if not details or not os.path.exists(details):
        return {}
    with open(details, encoding="utf-8") as file:
        lines = [line.rstrip() for line in file]
    rows = [json.loads(line) for line in lines if line.endswith("}")]  # one may be cut off
    return {row["id"]: row for row in rows if how.items() <= row.items()}


def _answer(
    memory: Memory, question: Figures, budget: int, reader: ChatModel, judge: ChatModel, how: str
) -> Figures:
    """What a reader answers from what is recalled, and whether that is right."""
    text, language = question["text"], language_of(question["text"])
    started = perf_counter()
    context = memory.recall(text, ITEMS, budget).context
    recalled = perf_counter()
    told = [*(("note", line) for line in context.splitlines()), ("question", text)]
    said = prompt("answer", language, today=f"{question['asked_at']:%A %Y-%m-%d}")
    answer = reader.ask(
        ModelQuestion("answer", language, said, told, _ANSWER, 300),
        lambda value: str(value["answer"]),
    )
    pair = {"question": text, "reference": question["answer"], "answer": answer.value}
    said = prompt(f"judge_{how}", language)
    verdict = judge.ask(
        ModelQuestion("judge", language, said, [*pair.items()], _VERDICT, 50),
        lambda value: bool(value["verdict"] == "right"),
    )
    return {
        "id": question["id"],
        "category": question["category"],
        **pair,
        "right": verdict.value,
        "context": context,
        "tokens": estimate(context),
        "recall_s": round(recalled - started, 4),
        "model_s": round(perf_counter() - recalled, 3),
        "tokens_in": answer.tokens_in + verdict.tokens_in,
        "tokens_out": answer.tokens_out + verdict.tokens_out,
    }


def _report(rows: Sequence[Figures]) -> Figures:
    def total(name: str) -> Any:
        return sum(row[name] for row in rows)

    by_category: dict[str, list[bool]] = {}
    for row in sorted(rows, key=itemgetter("category")):
        by_category.setdefault(row["category"], []).append(row["right"])
    return {
        "overall": share([row["right"] for row in rows], "percent"),
        "categories": {name: share(some, "percent") for name, some in by_category.items()},
        "context_tokens": round(total("tokens") / len(rows)),
        "recall_ms": round(1000 * total("recall_s") / len(rows), 1),
        "model_s": round(total("model_s"), 1),
        "model_tokens": {"in": total("tokens_in"), "out": total("tokens_out")},
    }
