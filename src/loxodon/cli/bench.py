"""`loxodon bench`: labelled conversations take the path of a user's; what comes of it is counted.

docs/reference.md has the formats of the files, docs/benchmarks.md what the figures mean.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache
from hashlib import sha256
from itertools import chain, groupby
from math import ceil, log2
from operator import itemgetter
from time import perf_counter
from typing import Any, NamedTuple

from loxodon import config as settings
from loxodon.cli import view
from loxodon.cli.commands import Call, Result, arg, command, read_file
from loxodon.clock import parse_instant, zone_named
from loxodon.config import Config, EmbedderConfig, ModelConfig, WorkspaceConfig
from loxodon.errors import InputError, UsageError
from loxodon.journal.jsonl import draft_from_mapping
from loxodon.journal.lines import as_object, objects_in, parse_line, split_lines
from loxodon.memory import Memory
from loxodon.models.chat import ChatModel, ModelQuestion
from loxodon.models.embedders import chosen
from loxodon.models.prompts import TEXT, prompt, record
from loxodon.text.language import language_of
from loxodon.tokens import estimate
from loxodon.types import Item

Figures = dict[str, Any]

RANKED, ROOM = 100, 1_000_000  # items and tokens of the ranking that R@k is about
FITTING, HANDED = 100, 1_000  # items and tokens of the context that R@1k is about
ITEMS, BUDGET = 100, 2_000  # items and tokens of the context that a reader answers from
_ANSWER = record({"answer": TEXT})
_SUMMED = ("tokens", "recall_s", "model_s", "tokens_in", "tokens_out")
_VERDICT = record({"verdict": {"type": "string", "enum": ["right", "wrong"]}})
chosen_embedder = lru_cache(maxsize=1)(chosen)  # loaded once for all conversations


@command(
    arg("WHAT", "what to measure", choices=("retrieval", "writing", "answers")),
    arg("FILE", "labelled conversations, or - for standard input", nargs="+"),
    arg("--set KEY=VALUE", "override a setting; can be repeated", action="append"),
    arg("--limit N", "only the first N conversations (answers: questions)", default=0),
    arg("--failures", "writing: list the conversations that failed a check"),
    arg("--model", "writing: also use the configured model, which may cost money"),
    arg("--reader MODEL", "answers: 'URL NAME' or a command (default: the configured model)"),
    arg("--judge MODEL", "answers: the same for the judge (default: the reader)"),
    arg("--strict", "answers: right only if all of the reference is there"),
    arg("--budget N", "answers: maximum number of tokens of a context"),
    arg("--details FILE", "answers: append every answer; those there are not asked again"),
    arg("--embedder KIND[:NAME]", "use this embedder (setting embedder.kind)"),
    arg("--category NAME", "only questions of this category", action="append"),
    arg("--leave-out NAME", "retrieval: not part of the overall figures", action="append"),
    arg("--crossed", "retrieval: also ask each what only another can answer"),
    arg("--keep DIR", "keep the memories in this folder, and reuse those there"),
)
def bench(call: Call) -> Result:
    """Measure how well memories are written and found, and what a reader answers with them."""
    given = dict(one.partition("=")[::2] for one in call.set)
    if call.embedder:
        kind, colon, name = call.embedder.partition(":")
        given |= {"embedder.kind": kind, **({"embedder.name": name} if colon else {})}
    # What is measured is made for it: a home in a database stays out of this.
    own = call.config._replace(store=settings.StoreConfig(), embedder=EmbedderConfig(kind="none"))
    config = settings.from_mapping({**settings.flat(own), **given})
    measure, parse = {
        "retrieval": (measure_retrieval, as_conversation),
        "writing": (measure_writing, as_case),
        "answers": (measure_answers, as_conversation),
    }[call.what]
    most = call.limit if call.what != "answers" else 0  # where it is one of questions
    # All files are read before anything runs.
    sets = {name: read(name, parse, config.timezone)[: most or None] for name in call.file}
    every = [*chain(*sets.values())]
    for place, one in enumerate(every):  # with `crossed`, it is asked what only that can answer
        one["before"] = every[place - 1]
        if call.category and "questions" in one:
            one["questions"] = [q for q in one["questions"] if q["category"] in call.category]
    files = [{"file": name, **measure(some, call, config)} for name, some in sets.items()]
    shown: list[str] = []
    for one in files:
        for part in (*one.get("failures", ()), one):
            shown += view.record(part, "failures")
        shown.append("")
    changed = settings.changed(config)
    return Result({"files": files, "settings": changed}, [*shown, *view.record(changed)])


def percent(part: float, whole: int) -> float:
    return round(100 * part / whole, 2) if whole else 0.0


def share(passed: Sequence[bool]) -> Figures:
    """How many were right, of how many, and the percentage."""
    return {"n": len(passed), "right": sum(passed), "share": percent(sum(passed), len(passed))}


def mean(found: Sequence[Mapping[str, float]]) -> Figures:
    """How many questions or checks, and each of their scores averaged over them, in percent."""
    names = found[0] if found else ()
    averages = {name: percent(sum(one[name] for one in found), len(found)) for name in names}
    return {"n": len(found), **averages}


def table(rows: Sequence[Figures], leave_out: Collection[str] = ()) -> Figures:
    """The mean scores of rows over all and by category, numbers first."""
    names = sorted({row["category"] for row in rows}, key=lambda n: (not n.isdecimal(), len(n), n))
    scores = [(row["category"], row["scores"]) for row in rows if row["scores"]]
    by_category = {name: mean([one for of, one in scores if of == name]) for name in names}
    overall = mean([one for of, one in scores if of not in leave_out])
    return {"overall": overall, "categories": by_category}


def for_measuring(config: Config) -> Config:
    """`config` without what differs from machine to machine, and without a model."""
    return config._replace(
        timezone=config.timezone or "UTC",
        model=config.model._replace(extraction="rules"),
        workspace=WorkspaceConfig(views="off"),
    )


# Files


def read(name: str, parse: Callable[[Any, tzinfo], Figures], timezone: str = "") -> list[Figures]:
    """What `parse` makes of each line of a file; one InputError for all bad lines. Times without an
    offset are in `timezone`, or UTC."""
    zone = zone_named(timezone) or UTC
    found: list[Figures] = []
    problems: list[tuple[int, InputError]] = []
    data = read_file(name).removeprefix(BOM_UTF8)
    values: Iterable[tuple[int, Any]] = objects_in(split_lines(data), problems)
    if data.lstrip().startswith(b"["):  # all of them in an array, instead of one on each line
        array: Any = parse_line(data.decode("utf-8", "replace"))
        values = enumerate(array, 1)
    for number, value in values:
        try:
            found.append(parse(as_object(value), zone))
        except InputError as error:
            problems.append((number, error))
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            wrong = InputError("a field is missing or has a wrong type: {error}", error=error)
            problems.append((number, wrong))
    if problems or not found:
        raise InputError(
            "cannot use {file}: {n} invalid line",
            plural="cannot use {file}: {n} invalid lines",
            hint="a line is a conversation; see `loxodon bench` in docs/reference.md",
            problems=problems,
            file=name,
            n=len(problems),
        )
    return found


def as_conversation(value: Figures, zone: tzinfo) -> Figures:
    """A conversation: every turn with its time, and `end`, a minute after the last."""

    def said(turn: Figures, session: Figures, place: int) -> Figures:
        at = parse_instant(turn.get("at") or session["at"], zone)
        at += timedelta(seconds=0 if turn.get("at") else place)
        told = {name: turn.get(name, "") for name in ("role", "speaker")}
        return {"id": str(turn["id"]), "content": turn["text"], "at": at, **told}

    if "haystack_sessions" in value or "sample_id" in value:  # as they are published
        value = _longmemeval(value) if "haystack_sessions" in value else _locomo(value)
    sessions: list[Figures] = [
        {"id": str(one["id"]), "turns": [said(x, one, n) for n, x in enumerate(one["turns"])]}
        for one in value["sessions"]
    ]
    turns = [turn for session in sessions for turn in session["turns"]]
    for id, times in Counter(turn["id"] for turn in turns).items():
        if times > 1:
            raise InputError("the turn {id} appears twice in the conversation", id=repr(id))
    last = max((turn["at"] for turn in turns), default=datetime(2000, 1, 1, tzinfo=UTC))
    end = last + timedelta(minutes=1)
    questions = [
        {
            "id": f"{value['id']}/{one.get('id', n)}",
            "text": one["text"],
            "answer": str(one.get("answer") or ""),
            "category": str(one.get("category", "")),
            "evidence": list(dict.fromkeys(map(str, one["evidence"]))),
            "asked_at": parse_instant(one["asked_at"], zone) if one.get("asked_at") else end,
        }
        for n, one in enumerate(value["questions"])
    ]
    return {"id": value["id"], "sessions": sessions, "questions": questions, "end": end}


def _longmemeval(value: Figures) -> Figures:
    """A conversation of LongMemEval as one of ours."""

    def day(text: str) -> str:  # 2023/05/20 (Sat) 02:21
        return datetime.strptime(re.sub(r"\(\w+\) ", "", text), "%Y/%m/%d %H:%M").isoformat()

    sessions: list[Figures] = []
    evidence: list[str] = []
    parts = (value[f"haystack_{one}"] for one in ("session_ids", "dates", "sessions"))
    for place, (name, at, turns) in enumerate(zip(*parts, strict=True)):
        id = f"{place}-{name}"  # a session may be there twice
        said = [{**one, "id": f"{id}:{n}", "text": one["content"]} for n, one in enumerate(turns)]
        evidence += [one["id"] for one in said if one.get("has_answer")]
        sessions.append({"id": id, "at": day(at), "turns": said})
    sessions.sort(key=lambda one: str(one["at"]))
    question = {"id": value["question_id"], "text": value["question"], "answer": value["answer"]}
    question |= {"category": value["question_type"], "asked_at": day(value["question_date"])}
    question["evidence"] = evidence
    return {"id": question["id"], "sessions": sessions, "questions": [question]}


def _locomo(value: Figures) -> Figures:
    """A conversation of LoCoMo as one of ours."""

    def said(turn: Figures) -> Figures:
        shows = turn.get("blip_caption")
        text = turn["text"] + (f" [picture: {shows}]" if shows else "")
        return {"id": turn["dia_id"], "role": "user", "speaker": turn["speaker"], "text": text}

    talk, sessions = value["conversation"], []
    for name, at in talk.items():  # 1:56 pm on 8 May, 2023
        session = name.removesuffix("_date_time")
        if session != name and talk.get(session):
            when = datetime.strptime(at, "%I:%M %p on %d %B, %Y").isoformat()
            id, turns = session.replace("session_", "D"), [said(one) for one in talk[session]]
            sessions.append({"id": id, "at": when, "turns": turns})
    questions = [{**one, "text": one["question"]} for one in value["qa"]]
    return {"id": value["sample_id"], "sessions": sessions, "questions": questions}


# A memory of each conversation


def kept_home(talk: Figures, config: Config, keep: str) -> str:
    """Where the memory of a conversation is kept; how recall is set is part of what is asked, and
    an embedder adds its vectors to what is there."""
    changed = settings.changed(config)
    read = {k: v for k, v in changed.items() if not k.startswith(("recall.", "embedder."))}
    return os.path.join(keep, sha256(repr((talk["sessions"], read)).encode()).hexdigest()[:24])


@contextmanager
def built(
    talk: Figures, config: Config, keep: str | None = None, *, daily: bool = False
) -> Iterator[tuple[Memory, list[datetime], Figures]]:
    """A memory that a conversation was ingested into, its clock, and what that took. It is
    consolidated at the end, or `daily`: after every session."""
    # A clock that goes back would be noticed.
    now = [talk["sessions"][0]["turns"][-1]["at"] if daily else talk["end"]]
    took: Figures = {"turns": 0, "add_s": 0.0, "consolidate_s": 0.0, "tokens": 0, "problem": ""}
    embedder = chosen_embedder(config.embedder)
    with tempfile.TemporaryDirectory(prefix="loxodon-bench-") as folder:
        home = kept_home(talk, config, keep) if keep else folder
        with Memory.open(home, config=config, clock=lambda: now[0], embedder=embedder) as memory:
            sessions = [] if memory.status().last_consolidation else talk["sessions"]
            for n, session in enumerate(sessions, 1):
                started = perf_counter()
                # No journal can keep a turn without words.
                if said := [turn for turn in session["turns"] if turn["content"].strip()]:
                    now[0] = max(turn["at"] for turn in said)
                    took["turns"] += memory.add(said, session=session["id"]).added
                added = perf_counter()
                took["add_s"] += added - started
                if daily or n == len(sessions):
                    now[0] = now[0] if daily else talk["end"]
                    outcome = memory.consolidate(force=True)
                    took["consolidate_s"] += perf_counter() - added
                    took["tokens"] += outcome.tokens
                    took["problem"] = took["problem"] or outcome.problem
            took["not_embedded"] = sum(model.pending for model in memory.embed().models)
            yield memory, now, took


# Retrieval


def measure_retrieval(talks: Sequence[Figures], how: Any, config: Config) -> Figures:
    """What the answers to questions about conversations are worth together; `how` has the options
    of the command. No model is asked."""
    config = for_measuring(config)
    chosen_embedder(config.embedder)  # one that cannot be had is an error before anything runs
    rows: list[Figures] = []
    crossed: list[Figures] = []
    ingested: list[Figures] = []
    for talk in view.watched(talks):
        with built(talk, config, how.keep) as (memory, now, took):
            ingested.append(took)
            for question in talk["questions"]:
                now[0] = question["asked_at"]
                rows.append(_recalled(memory, question))
            now[0] = talk["end"]
            others = talk["before"]["questions"] if talk["before"] is not talk else []
            crossed += [_silence(memory.recall(x["text"])) for x in others if how.crossed]
    tokens = [row["tokens"] for row in rows] or [0]
    ingest = {k: sum(one[k] for one in ingested) for k in ("turns", "add_s", "consolidate_s")}
    ingest["turns_per_s"] = ingest["turns"] / (ingest["add_s"] + ingest["consolidate_s"] or 1)
    asked = [row for row in rows if row["scores"] and row["category"] not in how.leave_out]
    abstention = {"true": mean([row["silence"] for row in asked])}
    if how.crossed:
        abstention["crossed"] = mean(crossed)
    return table(rows, how.leave_out) | {
        "latency_ms": latency(row["ms"] for row in rows),
        "tokens": {"mean": round(sum(tokens) / len(tokens)), "most": max(tokens)},
        "conversations": len(ingested),
        "without_evidence": sum(not row["scores"] for row in rows),
        "not_embedded": sum(one["not_embedded"] for one in ingested),
        "ingest": {name: round(value, 2) for name, value in ingest.items()},
        "abstention": abstention,
    }


def _silence(found: Any) -> Figures:
    return {"abstains": not found.items or found.unsure, "empty": not found.items}


def _turns(items: Iterable[Item]) -> list[str]:
    """The turns that items come from, each once."""
    found = (source.turn for item in items for source in item.sources if source.turn)
    return list(dict.fromkeys(found))


def _recalled(memory: Memory, question: Figures) -> Figures:
    """Ask a question in all ways; only then is its evidence looked at."""
    text, evidence = question["text"], question["evidence"]
    started = perf_counter()
    usual = memory.recall(text)  # first: what the others leave warm would flatter it
    took = perf_counter() - started
    ranking = _turns(memory.recall(text, RANKED, ROOM).items)
    fitting = memory.recall(text, FITTING, HANDED)
    return {
        "category": question["category"],
        "ms": took * 1000,
        "silence": _silence(usual),
        "tokens": fitting.tokens,
        "scores": scores(evidence, ranking, _turns(fitting.items)) if evidence else {},
    }


def scores(
    evidence: Sequence[str], ranking: Sequence[str], handed: Collection[str]
) -> dict[str, float]:
    """The scores of one question that has evidence, between 0 and 1; NDCG has binary gains.

    `ranking` has each turn once, best first; `handed` the turns that the context has or stands for.
    """

    def share(found: Collection[str]) -> float:
        return sum(turn in found for turn in evidence) / len(evidence)

    ranks = [rank for rank, turn in enumerate(ranking, 1) if turn in evidence]
    best = sum(1 / log2(rank + 1) for rank in range(1, min(10, len(evidence)) + 1))
    return {
        **{f"r@{n}": share(ranking[:n]) for n in (5, 10, 20)},
        "r@1k": share(handed),
        "ndcg@10": sum(1 / log2(rank + 1) for rank in ranks if rank <= 10) / best,
        "mrr": 1 / ranks[0] if ranks else 0.0,
    }


def latency(values: Iterable[float]) -> dict[str, float]:
    """The least values that half, and 99 in 100, do not exceed; 0 where there are none."""
    ordered = sorted(values) or [0.0]
    return {f"p{n}": round(ordered[ceil(len(ordered) * n / 100) - 1], 2) for n in (50, 99)}


# Answers


def measure_answers(talks: Sequence[Figures], call: Any, config: Config) -> Figures:
    """What a reader answers from the recalled context alone, and whether a judge finds that it is
    the reference. Every answer is a line of the details as soon as it is there: run again, the
    command goes on."""
    reader = ChatModel(_model_of(call.reader or "", config.model))
    judge = ChatModel(_model_of(call.judge or call.reader or "", config.model))
    config, how = for_measuring(config), "strict" if call.strict else "lenient"
    asked = [(talk, one) for talk in talks for one in talk["questions"] if one["answer"]]
    asked = asked[: call.limit or None]
    if not asked:
        raise InputError("no question of the file has an answer")
    answered = _answered(call.details, how)
    left = [(talk, question) for talk, question in asked if question["id"] not in answered]
    for talk, some in groupby(left, key=itemgetter(0)):
        with built(talk, config, call.keep) as (memory, now, _):
            for _, question in some:
                now[0] = question["asked_at"]
                row = _answer(memory, question, call.budget or BUDGET, reader, judge, how)
                answered[question["id"]] = row
                if call.details:
                    with open(call.details, "a", encoding="utf-8") as file:
                        file.write("\n" + json.dumps(row, ensure_ascii=False))
                view.progress(len(answered), len(asked))
    rows = [answered[question["id"]] for _, question in asked]
    total = {name: sum(row[name] for row in rows) for name in _SUMMED}
    return table([{**row, "scores": {"right": row["right"]}} for row in rows]) | {
        "judge": how,
        "context_tokens": round(total["tokens"] / len(rows)),
        "recall_ms": round(1000 * total["recall_s"] / len(rows), 1),
        "model_s": round(total["model_s"], 1),
        "model_tokens": {"in": total["tokens_in"], "out": total["tokens_out"]},
    }


def _model_of(said: str, own: ModelConfig) -> ModelConfig:
    """`URL MODEL` or a command as a model; the configured one where nothing is said."""
    address, _, name = said.partition(" ")
    if address.startswith(("http://", "https://")):
        return own._replace(kind="openai", base_url=address, name=name)
    if said:
        return own._replace(kind="command", command=said)
    if own.mode == "rules" and not own.address:
        hint = "--reader 'http://localhost:8000/v1 MODEL', or a command that takes a prompt"
        raise UsageError("no reader: neither --reader nor a model is set", hint=hint)
    return own


def _answered(details: str | None, how: str) -> dict[str, Figures]:
    """What a file of details has already, judged alike, by question."""
    if not details or not os.path.exists(details):
        return {}
    lines = read_file(details).decode("utf-8", "replace").split("\n")
    rows = [json.loads(line) for line in lines if line.endswith("}")]  # one may be cut off
    return {row["id"]: row for row in rows if row["judge"] == how}


def _answer(
    memory: Memory, question: Figures, budget: int, reader: ChatModel, judge: ChatModel, how: str
) -> Figures:
    """What a reader answers from what is recalled, and whether that is right."""
    text, language = question["text"], language_of(question["text"])
    started = perf_counter()
    context = memory.recall(text, ITEMS, budget).context
    recalled = perf_counter()
    ledgers = {reader.ledger, judge.ledger}
    before = sum(one.sent for one in ledgers), sum(one.received for one in ledgers)
    told = [*(("note", line) for line in context.splitlines()), ("question", text)]
    said = prompt("answer", language, today=f"{question['asked_at']:%A %Y-%m-%d}")
    asked = ModelQuestion("answer", language, said, told, _ANSWER, 300)
    answer = str(reader.ask(asked, itemgetter("answer")))
    pair = {"question": text, "reference": question["answer"], "answer": answer}
    said = prompt(f"judge_{how}", language)
    asked = ModelQuestion("judge", language, said, [*pair.items()], _VERDICT, 50)
    verdict = judge.ask(asked, itemgetter("verdict")) == "right"
    return {
        "id": question["id"],
        "category": question["category"],
        "judge": how,
        **pair,
        "right": verdict,
        "context": context,
        "tokens": estimate(context),
        "recall_s": round(recalled - started, 4),
        "model_s": round(perf_counter() - recalled, 3),
        "tokens_in": sum(one.sent for one in ledgers) - before[0],
        "tokens_out": sum(one.received for one in ledgers) - before[1],
    }


# Writing


class Check(NamedTuple):
    fields: tuple[str, ...]  # that it must have
    figure: str  # of the report, which it counts for
    operation: str


CHECKS = {
    "add": Check(("present",), "additions", "ADD"),
    "update": Check(("present",), "changes", "UPDATE"),
    "supersede": Check(("present", "absent"), "changes", "DELETE"),
    "retract": Check(("absent",), "changes", "DELETE"),
    "never": Check(("absent",), "never", "NOOP"),
    "repeat": Check(("once",), "duplicates", "NOOP"),
    "belief": Check(("present",), "beliefs", "ADD"),
}
# How a memory ends that something else was said of.
_ENDED = ("superseded", "corrected", "retracted", "denied", "confirmed")


def as_case(value: Figures, zone: tzinfo) -> Figures:
    """A case, its turns in sessions."""

    def groups(value: Any) -> list[list[str]]:
        """`[["a", "b"], ["c"]]`; a group of one text may be written without its brackets."""
        some = [value] if isinstance(value, str) else value
        return [[text.lower() for text in ([one] if isinstance(one, str) else one)] for one in some]

    def checked(check: Figures) -> Figures:
        if check.get("type") not in CHECKS:
            raise InputError("{type} is not a type of check", type=repr(check.get("type")))
        for field in CHECKS[check["type"]].fields:
            if not check[field]:
                raise KeyError(field)
        return {name: one if name == "type" else groups(one) for name, one in check.items()}

    sessions: list[Figures] = []
    for id, some in groupby(value["turns"], key=lambda turn: turn.get("session", "")):
        drafts = [(turn, draft_from_mapping(turn, n, zone)) for n, turn in enumerate(some, 1)]
        turns = [{**turn, "at": draft.at or turn["at"]} for turn, draft in drafts]
        sessions.append({"id": id, "turns": turns})
    ends = [max(turn["at"] for turn in one["turns"]) for one in sessions]
    if not ends or ends != sorted(ends):
        raise InputError("the turns are missing or not in chronological order")
    told = {"id": str(value["id"]), "about": value.get("about", ""), "turns": value["turns"]}
    told |= {"sessions": sessions, "end": ends[-1]}
    return {**told, "checks": [*map(checked, value["checks"])]}


def measure_writing(cases: Sequence[Figures], how: Any, config: Config) -> Figures:
    """What became of cases, and what failed; with `--model`, the model of `config` is asked too."""
    if how.model and config.model.mode == "rules":
        hint = "set model.base_url and model.name, or measure without --model"
        raise UsageError("no model is configured", hint=hint)
    alone = for_measuring(config)._replace(embedder=EmbedderConfig(kind="none"))
    config = alone._replace(model=config.model) if how.model else alone
    cases = [written(case, config) for case in view.watched(cases)]
    figures: dict[str, list[bool]] = {one.figure: [] for one in CHECKS.values()}
    operations: dict[str, list[bool]] = {one.operation: [] for one in CHECKS.values()}
    types: dict[str, list[bool]] = {}
    failures: list[Figures] = []
    for case in cases:
        wrong: dict[str, list[Figures]] = {"failed": [], "not_done": []}
        for check in case["checks"]:
            right, done = holds(check, case["kept"]), _is_done(check, case)
            types.setdefault(check["type"], []).append(right)
            figures[CHECKS[check["type"]].figure].append(right)
            operations[CHECKS[check["type"]].operation].append(done)
            if not done:
                wrong["not_done" if right else "failed"].append(check)
        if any(wrong.values()):
            talk = [f"{str(x['at'])[:10]} {x['role']}: {x['content']}" for x in case["turns"]]
            told = {"case": case["id"], "about": case["about"], "said": talk}
            failures.append({**told, "memories": case["kept"], "ended": case["ended"], **wrong})
    said, left = (sum(case[name] for case in cases) for name in ("said", "left"))
    took = [case["took"] for case in cases]

    def shares(some: Mapping[str, Sequence[bool]]) -> Figures:
        return {name: share(passed) for name, passed in some.items()}

    report: Figures = {
        "cases": len(cases),
        "turns": sum(len(case["turns"]) for case in cases),
        "memories": sum(len(case["kept"]) for case in cases),
        **shares(figures),
        "types": shares(types),
        "operations": shares({"overall": [*chain(*operations.values())], **operations}),
        "denoising": {"tokens": said, "left": left, "share": percent(left, said)},
        "consolidate_s": round(sum(one["consolidate_s"] for one in took), 2),
    }
    if how.failures:
        report["failures"] = failures
    if how.model:
        problems = [one["problem"] for one in took if one["problem"]]
        asked = {"tokens": sum(one["tokens"] for one in took), "failed": len(problems)}
        report["model"] = {**asked, "problem": "".join(problems[:1])}
    return report


def written(case: Figures, config: Config) -> Figures:
    """A case with what became of it: its sessions taken in, one after the other, by a memory of its
    own."""
    kept: list[Figures] = []
    ended: list[str] = []  # what was there once, and was ended or put in other words
    with built(case, config, daily=True) as (memory, _, took):
        for record in memory.list(state="all"):
            *before, last = memory.history(record.id)
            was = [one.record.content for one in before if one.record.content != record.content]
            if record.state == "active":
                revised = bool(was or record.replaces)
                kept.append({"kind": record.kind, "content": record.content, "revised": revised})
                ended += was
            elif last.change in _ENDED and record.kind != "summary":
                ended += [record.content, *was]
        said = sum(estimate(turn.content) for turn in memory.journal())
        # Without the marks of who speaks, which nobody said.
        texts = [one.text.removeprefix("> ").replace("\n> ", "\n") for one in memory.segments()]
        left = min(sum(map(estimate, texts)), said)
    return {**case, "kept": kept, "ended": ended, "said": said, "left": left, "took": took}


def _has(groups: Iterable[Sequence[str]], content: str) -> bool:
    return all(any(text in content.lower() for text in group) for group in groups)


def holds(check: Figures, kept: Sequence[Figures]) -> bool:
    """Whether a memory holds what a check wants."""
    every: tuple[str, ...] = ("fact", "belief", "summary")
    kinds = {"present": every, "absent": every, "once": ("fact", "belief")}
    if check["type"] == "belief":
        kinds["present"] = ("belief",)
    found = {
        what: sum(one["kind"] in kinds[what] and _has(check[what], one["content"]) for one in kept)
        for what in check.keys() & kinds.keys()
    }
    return found.get("present") != 0 and found.get("once", 1) == 1 and not found.get("absent")


def _is_done(check: Figures, case: Figures) -> bool:
    """Whether a check holds because something was done: what is there now was revised, what is
    gone was there and was ended."""
    texts, what = case["ended"], "absent"
    if check["type"] == "update":
        texts, what = [one["content"] for one in case["kept"] if one["revised"]], "present"
    elif check["type"] not in ("supersede", "retract"):
        return holds(check, case["kept"])
    return holds(check, case["kept"]) and any(_has(check[what], text) for text in texts)
