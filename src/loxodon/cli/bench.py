"""`loxodon bench`: labelled conversations take the path of a user's; what comes of it is counted.

docs/reference.md has the formats of the files, docs/benchmarks.md what the figures mean.
"""

from __future__ import annotations

import os
import re
import tempfile
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from hashlib import sha256
from math import ceil, log2
from time import perf_counter
from typing import Any

from loxodon import config as settings
from loxodon.cli import view
from loxodon.cli.call import Call, Result, read_file
from loxodon.cli.parser import arg, command, whole
from loxodon.clock import parse_instant, zone_named
from loxodon.config import Config, EmbedderConfig, WorkspaceConfig
from loxodon.errors import InputError
from loxodon.journal.lines import as_object, objects_in, parse_line, split_lines
from loxodon.memory import Memory
from loxodon.models.embedders import Embedder, chosen
from loxodon.recall.understand import understand
from loxodon.types import Item

Figures = dict[str, Any]

RANKED, ROOM = 100, 1_000_000  # items and tokens of the ranking that R@k is about
FITTING, HANDED = 100, 1_000  # items and tokens of the context that R@1k is about
_COMPARED = 300  # characters of a turn by which its words are looked for in a context


@command(
    arg("WHAT", "what to measure", choices=("retrieval", "writing", "answers")),
    arg("FILE", "labelled conversations, or - for standard input", nargs="+"),
    arg("--set KEY=VALUE", "override a setting; can be repeated", action="append"),
    arg("--limit N", "only the first N conversations (answers: questions)", type=whole, default=0),
    arg("--failures", "writing: list the conversations that failed a check"),
    arg("--model", "writing: also use the configured model, which may cost money"),
    arg("--reader MODEL", "answers: 'URL NAME' or a command (default: the configured model)"),
    arg("--judge MODEL", "answers: the same for the judge (default: the reader)"),
    arg("--strict", "answers: right only if all of the reference is there"),
    arg("--budget TOKENS", "answers: maximum number of tokens of a context", type=whole),
    arg("--details FILE", "answers: append every answer; those there are not asked again"),
    arg("--embedder KIND[:NAME]", "use this embedder (setting embedder.kind)"),
    arg("--category NAME", "only questions of this category", action="append"),
    arg("--leave-out NAME", "retrieval: not part of the overall figures", action="append"),
    arg("--updates NAME", "retrieval: is the newest answer first?", action="append"),
    arg("--crossed", "retrieval: also ask each what only another can answer"),
    arg("--keep DIR", "keep the memories in this folder, and reuse those there"),
)
def bench(call: Call) -> Result:
    """Measure how well memories are written and found, and what a reader answers with them."""
    from loxodon.cli import answers, writing

    given = dict(one.partition("=")[::2] for one in call.set)
    if call.embedder:
        kind, colon, name = call.embedder.partition(":")
        given |= {"embedder.kind": kind, **({"embedder.name": name} if colon else {})}
    # What is measured is made for it: a home in a database stays out of this.
    own = call.config._replace(store=settings.StoreConfig(), embedder=EmbedderConfig(kind="none"))
    config = settings.from_mapping({**settings.flat(own), **given})
    measure: Callable[[Call, Config], list[Figures]] = {
        "retrieval": measure_retrieval,
        "writing": writing.measure,
        "answers": answers.measure,
    }[call.what]
    files = measure(call, config)
    shown: list[str] = []
    for one in files:
        shown += [line for failed in one.get("failures", ()) for line in view.record(failed)]
        shown += [*view.record(one, "failures"), ""]
    changed = settings.changed(config)
    return Result({"files": files, "settings": changed}, [*shown, *view.record(changed)])


def percent(part: float, whole: int) -> float:
    return round(100 * part / whole, 2) if whole else 0.0


def share(passed: Sequence[bool], name: str = "share") -> Figures:
    """How many were right, of how many, and the percentage under `name`."""
    right = sum(passed)
    return {"n": len(passed), "right": right, name: percent(right, len(passed))}


def for_measuring(config: Config) -> Config:
    """`config` without what differs from machine to machine, and without a model."""
    return config._replace(
        timezone=config.timezone or "UTC",
        model=config.model._replace(extraction="rules"),
        workspace=WorkspaceConfig(views="off"),
    )


# Files


def read(name: str, parse: Callable[[Any], Figures], limit: int = 0) -> list[Figures]:
    """What `parse` makes of each line of a file; one InputError for all bad lines."""
    found: list[Figures] = []
    problems: list[tuple[int, InputError]] = []
    data = read_file(name).removeprefix(BOM_UTF8)
    values: Iterable[tuple[int, Any]]
    if data.lstrip().startswith(b"["):  # all of them in an array, instead of one on each line
        array: Any = parse_line(data.decode("utf-8", "replace"))
        values = enumerate(array, 1)
    else:
        values = objects_in(split_lines(data), problems)
    for number, value in values:
        try:
            found.append(parse(as_object(value)))
        except InputError as error:
            problems.append((number, error))
        except KeyError as error:
            problems.append((number, InputError("{field} is missing", field=error.args[0])))
        except (TypeError, AttributeError, ValueError) as error:
            problems.append((number, InputError("a field has a wrong type: {error}", error=error)))
    if problems or not found:
        raise InputError(
            "cannot use {file}: {n} invalid line",
            plural="cannot use {file}: {n} invalid lines",
            hint="a line is a conversation; see `loxodon bench` in docs/reference.md",
            problems=problems,
            file=name,
            n=len(problems),
        )
    return found[: limit or None]


def read_conversations(name: str, timezone: str = "UTC", limit: int = 0) -> list[Figures]:
    """The conversations of a file: every turn with its time, which without an offset is in
    `timezone`, and `end`, a minute after the last."""
    zone = zone_named(timezone) or UTC

    def said(turn: Figures, session: Figures, place: int) -> Figures:
        at = parse_instant(turn.get("at") or session["at"], zone)
        at += timedelta(seconds=0 if turn.get("at") else place)
        told = {name: turn.get(name, "") for name in ("role", "speaker")}
        return {"id": str(turn["id"]), "content": turn["text"], "at": at, **told}

    def conversation(value: Figures) -> Figures:
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

    return read(name, conversation, limit)


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


@lru_cache(maxsize=1)
def chosen_embedder(config: EmbedderConfig) -> Embedder | None:
    """The embedder of `config`, loaded once; a ConfigError where it cannot be made."""
    return chosen(config)


def kept_home(talk: Figures, config: Config, keep: str) -> str:
    """Where the memory of a conversation is kept; how recall is set is part of what is asked, and
    an embedder adds its vectors to what is there."""
    changed = settings.changed(config)
    read = {k: v for k, v in changed.items() if not k.startswith(("recall.", "embedder."))}
    return os.path.join(keep, sha256(repr((talk["sessions"], read)).encode()).hexdigest()[:24])


@contextmanager
def built(
    talk: Figures, config: Config, keep: str | None
) -> Iterator[tuple[Memory, list[datetime], Figures]]:
    """A memory that a conversation was ingested into, its clock, and what that took."""
    now = [talk["end"]]
    with tempfile.TemporaryDirectory(prefix="loxodon-bench-") as folder:
        home = kept_home(talk, config, keep) if keep else folder
        with Memory.open(home, config=config, clock=lambda: now[0]) as memory:
            memory._embedders.use(chosen_embedder(config.embedder))
            found: Figures = {"turns": 0, "add_s": 0.0, "consolidate_s": 0.0}
            if memory.status().last_consolidation is None:
                started = perf_counter()
                for session in talk["sessions"]:
                    # No journal can keep a turn without words.
                    if said := [turn for turn in session["turns"] if turn["content"].strip()]:
                        now[0] = max(turn["at"] for turn in said)
                        found["turns"] += memory.add(said, session=session["id"]).added
                found["add_s"] = perf_counter() - started
                now[0] = talk["end"]
                memory.consolidate(force=True)
                found["consolidate_s"] = perf_counter() - started - found["add_s"]
            found["not_embedded"] = sum(model.pending for model in memory.embed().models)
            yield memory, now, found


# Retrieval


def measure_retrieval(how: Any, config: Config) -> list[Figures]:
    """A report on each file of `how`, which has the options of the command. The model of `config`
    is not asked. Files that cannot be read and embedders that cannot be had are errors before
    anything runs."""
    config = for_measuring(config)
    chosen_embedder(config.embedder)
    talks = [
        {**one, "file": name}
        for name in how.file
        for one in read_conversations(name, config.timezone, how.limit)
    ]
    for talk in talks:
        asked = talk["questions"]
        some = [one for one in asked if not how.category or one["category"] in how.category]
        talk["questions"] = some
    rows: list[Figures] = []
    for n, talk in enumerate(view.watched(talks)):
        with built(talk, config, how.keep) as (memory, now, ingested):
            talk["ingested"] = ingested
            for question in talk["questions"]:
                now[0] = question["asked_at"]
                rows.append({"file": talk["file"], **_answer(memory, talk, question)})
            now[0] = talk["end"]
            # With `crossed`, each is also asked what only the one before it can answer.
            other = talks[n - 1] if how.crossed and len(talks) > 1 else {"questions": []}
            for question in other["questions"]:
                silence = _silence(memory.recall(question["text"]))
                rows.append({"file": other["file"], **silence, "crossed": True})

    def of_file(name: str, some: Sequence[Figures]) -> list[Figures]:
        return [one for one in some if one["file"] == name]

    return [
        {"file": name, **_report(of_file(name, talks), of_file(name, rows), how)}
        for name in how.file
    ]


def _silence(found: Any) -> Figures:
    return {"empty": not found.items, "abstains": not found.items or found.unsure}


def _turns(items: Iterable[Item]) -> list[str]:
    """The turns that items come from, each once."""
    found = (source.turn for item in items for source in item.sources if source.turn)
    return list(dict.fromkeys(found))


def _answer(memory: Memory, talk: Figures, question: Figures) -> Figures:
    """Ask a question in all ways; only then is its evidence looked at."""
    text, evidence = question["text"], question["evidence"]
    started = perf_counter()
    usual = memory.recall(text)  # first: what the others leave warm would flatter it
    row: Figures = {"ms": (perf_counter() - started) * 1000, **_silence(usual)}
    if memory.config.embedder.kind != "none":  # once more, with the question embedded
        started = perf_counter()
        memory.recall(text)
        row["again_ms"] = (perf_counter() - started) * 1000
    ranking = _turns(memory.recall(text, RANKED, ROOM).items)
    fitting = memory.recall(text, FITTING, HANDED)
    handed = _turns(fitting.items)

    turns = (turn for session in talk["sessions"] for turn in session["turns"])
    said = {turn["id"]: turn for turn in turns if turn["id"] in evidence}
    # Evidence may stand in the context in its words, whatever item it is part of.
    context = " ".join(fitting.context.split())
    quoted = _turns(item for item in fitting.items if item.kind == "turn")
    quoted += [
        id for id, turn in said.items() if " ".join(turn["content"].split())[:_COMPARED] in context
    ]
    row |= {
        "category": question["category"],
        "evidence": len(evidence),
        "not_there": len(evidence) - len(said),
        "tokens": fitting.tokens,
        "scores": scores(evidence, ranking, handed, quoted) if evidence else {},
    }
    newest = max((turn["at"] for turn in said.values()), default=None)
    older = {id for id, turn in said.items() if turn["at"] != newest}
    found = [id for id in ranking if id in said]
    if older.intersection(found):
        past = (one for one in fitting.items if one.valid_until or one.why.get("again"))
        shown = older.intersection(handed)
        row |= {
            "newest_first": found[0] not in older,
            "of_the_past": understand(text, question["asked_at"]).tense == "past",
            "older_shown": len(shown),
            "older_unmarked": len(shown.difference(_turns(past))),
        }
    return row


def scores(
    evidence: Sequence[str],
    ranking: Sequence[str],
    handed: Collection[str],
    quoted: Collection[str],
) -> dict[str, float]:
    """The scores of one question that has evidence, between 0 and 1; NDCG has binary gains.

    `ranking` has each turn once, best first; `handed` the turns that the context has or stands
    for, `quoted` those that it has in their own words.
    """

    def share(found: Collection[str]) -> float:
        return sum(turn in found for turn in evidence) / len(evidence)

    ranks = [rank for rank, turn in enumerate(ranking, 1) if turn in evidence]
    best = sum(1 / log2(rank + 1) for rank in range(1, min(10, len(evidence)) + 1))
    return {
        **{f"r@{n}": share(ranking[:n]) for n in (5, 10, 20)},
        "r@1k": share(handed),
        "r@1k_text": share(quoted),
        "ndcg@10": sum(1 / log2(rank + 1) for rank in ranks if rank <= 10) / best,
        "mrr": 1 / ranks[0] if ranks else 0.0,
    }


def mean(found: Sequence[Mapping[str, float]]) -> Figures:
    """How many questions, and each score averaged over them, in percent."""
    names = found[0] if found else ()
    averages = {name: percent(sum(one[name] for one in found), len(found)) for name in names}
    return {"n": len(found), **averages}


def latency(values: Iterable[float]) -> dict[str, float]:
    """The least values that half, and 99 in 100, do not exceed; 0 where there are none."""
    ordered = sorted(values) or [0.0]
    return {f"p{n}": round(ordered[ceil(len(ordered) * n / 100) - 1], 2) for n in (50, 99)}


def _report(talks: Sequence[Figures], every: Sequence[Figures], how: Any) -> Figures:
    """What the answers to one file's questions are worth together."""
    rows = [row for row in every if "crossed" not in row]
    counted = [row for row in rows if row["category"] not in how.leave_out]
    names = sorted({row["category"] for row in rows}, key=lambda n: (not n.isdecimal(), len(n), n))

    def average(some: Iterable[Figures]) -> Figures:
        return mean([row["scores"] for row in some if row["scores"]])

    def percents(some: Sequence[Figures], *names: str) -> Figures:
        return {name: percent(sum(row[name] for row in some), len(some)) for name in names}

    def abstention(some: Sequence[Figures]) -> Figures:
        return {"n": len(some), **percents(some, "abstains", "empty")}

    report: Figures = {"overall": average(counted)}
    if how.leave_out:
        report["overall_with_left_out"] = average(rows)
    report["categories"] = {
        name: average(row for row in rows if row["category"] == name) for name in names
    }
    if how.updates:
        changed = [row for row in rows if row["category"] in how.updates and "newest_first" in row]
        others = [row for row in changed if not row["of_the_past"]]
        shown = sum(row["older_shown"] for row in changed)
        report["updates"] = {
            "n": len(changed),
            **percents(changed, "newest_first"),
            "of_the_past": len(changed) - len(others),
            "newest_first_of_the_others": percents(others, "newest_first")["newest_first"],
            "older_shown": shown,
            "older_unmarked": percent(sum(row["older_unmarked"] for row in changed), shown),
        }
    report["latency_ms"] = latency(row["ms"] for row in rows)
    if again := [row["again_ms"] for row in rows if "again_ms" in row]:
        report["latency_without_embedder_ms"] = latency(again)
    tokens = [row["tokens"] for row in rows] or [0]
    taken = [talk["ingested"] for talk in talks]
    ingest = {k: sum(one[k] for one in taken) for k in ("turns", "add_s", "consolidate_s")}
    ingest["turns_per_s"] = ingest["turns"] / (ingest["add_s"] + ingest["consolidate_s"] or 1)
    report |= {
        "tokens": {"mean": round(sum(tokens) / len(tokens)), "most": max(tokens)},
        "conversations": len(talks),
        "without_evidence": sum(not row["evidence"] for row in rows),
        "evidence_not_there": sum(row["not_there"] for row in rows),
        "not_embedded": sum(one["not_embedded"] for one in taken),
        "ingest": {name: round(value, 2) for name, value in ingest.items()},
        "abstention": {"true": abstention([row for row in counted if row["evidence"]])},
    }
    if how.crossed:
        report["abstention"]["crossed"] = abstention([row for row in every if "crossed" in row])
    return report
