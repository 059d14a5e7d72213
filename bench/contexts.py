"""What each system hands a reader for the same questions, for reading and judging by hand.

    python bench/contexts.py FILE --out FILE [--sample N] [--only NAME,…] [--budget TOKENS,…]
        [--sessions N [--seed N]] [--embedder SPEC] [--leave-out NAME] [--keep DIR]

A line of the output is one question and one context: {"id", "category", "question", "today",
"system", "budget", "tokens", "evidence", "context"}. Ours is the block that an agent gets, with the
embedder that is installed (`auto`) and no model. Another system's is what its search returns, best
first, each with its day, until the budget is full; the last is cut.

The questions are drawn in proportion to their categories, the same in every run. With `--sessions`,
each is asked of a history of its own, as LongMemEval has it: the sessions of its evidence, and as
many others, drawn at random from those before it. Without, it is asked of all that the file has.
`evidence` is the share of a question's evidence that the context has: it is written beside, and
used for nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import timedelta
from hashlib import sha256
from random import Random
from typing import Any

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from loxodon import config as settings
from loxodon.cli.bench import ITEMS, as_conversation, built, for_measuring, read
from loxodon.tokens import estimate
from peer_systems import PEERS, MemSearch, Vectors
from peers import embedder, said

OURS = "loxodon"
STRETCH = 80
"""Characters by which a message is recognised."""


def drawn(talks: Sequence[Any], sample: int, leave_out: Sequence[str]) -> set[str]:
    """The ids of the questions that are asked: of each category its share, and at least one."""
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for talk in talks:
        for one in talk["questions"]:
            if one["category"] not in leave_out:
                groups[one["category"]].append(one["id"])
    total = sum(map(len, groups.values()))
    found: set[str] = set()
    for ids in groups.values():
        ids.sort(key=lambda one: sha256(one.encode()).hexdigest())
        found |= set(ids[: max(1, round(sample * len(ids) / total))] if sample else ids)
    return found


def of_its_own(talk: Any, question: Any, most: int, seed: int) -> Any:
    """A conversation with one question, and up to `most` sessions in order of time: those of its
    evidence, and others that began before it was asked."""
    wanted = {*question["evidence"]}
    needed, others = [], []
    for session in talk["sessions"]:
        turns = session["turns"]
        if not wanted.isdisjoint(turn["id"] for turn in turns):
            needed.append(session)
        elif turns and turns[0]["at"] < question["asked_at"]:
            others.append(session)
    room = min(len(others), max(0, most - len(needed)))
    sessions = needed + Random(f"{seed}/{question['id']}").sample(others, room)
    sessions.sort(key=lambda one: one["turns"][0]["at"])
    end = max(turn["at"] for one in sessions for turn in one["turns"]) + timedelta(minutes=1)
    # The published days of a few questions are hours before some of their evidence.
    question = {**question, "asked_at": max(question["asked_at"], end)}
    return {"id": question["id"], "sessions": sessions, "questions": [question], "end": end}


def ours(talk: Any, asked: Sequence[Any], budgets: Sequence[int], keep: str) -> Iterator[Any]:
    config = for_measuring(settings.from_mapping({"embedder.kind": "auto"}))
    with built(talk, config, keep) as (memory, now, _):
        for question in asked:
            now[0] = question["asked_at"]
            for budget in budgets:
                context = memory.recall(question["text"], ITEMS, budget).context
                yield question, OURS, budget, context


def theirs(
    name: str, talk: Any, asked: Sequence[Any], budgets: Sequence[int], vectors: Vectors, most: int
) -> Iterator[Any]:
    told = {one["id"]: one for part in talk["sessions"] for one in part["turns"]}
    with tempfile.TemporaryDirectory() as folder:
        peer = PEERS[name](folder, vectors)
        texts = {one.id: one.text for turns in said(talk) for one in turns}
        for turns in said(talk):
            peer.add(turns)
        for question in asked:
            found = (
                peer.passages(question["text"], ITEMS)
                if isinstance(peer, MemSearch)
                else [(id, texts[id]) for id in peer.search(question["text"], ITEMS)]
            )
            lines = [f"[{told[id]['at']:%Y-%m-%d}] {text[:most]}" for id, text in found]
            for budget in budgets:
                yield question, name, budget, filled(lines, budget)


def filled(lines: Sequence[str], budget: int) -> str:
    """The lines from the first on that fit, and what fits of the next."""
    text = ""
    for line in lines:
        longer = f"{text}\n{line}".lstrip()
        if estimate(longer) > budget:
            sizes = range(len(text), len(longer))
            size = bisect_right(sizes, budget, key=lambda size: estimate(longer[:size]))
            return longer[: sizes[size - 1]].rstrip()
        text = longer
    return text


def evidence_in(context: str, talk: Any, question: Any) -> float:
    """The share of the evidence of which the context has a stretch, wherever it was cut."""
    context = " ".join(context.split())
    texts = {one["id"]: one["content"] for part in talk["sessions"] for one in part["turns"]}

    def is_there(text: str) -> bool:
        words = " ".join(text.split())
        starts = range(0, max(1, len(words) - STRETCH + 1), STRETCH // 2)
        return any(words[start : start + STRETCH] in context for start in starts)

    found = [is_there(texts[id]) for id in question["evidence"]]
    return sum(found) / len(found) if found else 0.0


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("file", metavar="FILE", help="labelled conversations")
    parser.add_argument("--out", required=True, help="file that is written")
    parser.add_argument("--sample", type=int, default=0, help="questions (default: all)")
    parser.add_argument("--sessions", type=int, default=0, help="of a history for each question")
    parser.add_argument("--seed", type=int, default=1, help="of the draw of these sessions")
    parser.add_argument("--only", default=f"{OURS},bm25,mem0,memsearch", help="systems")
    parser.add_argument("--budget", default="2000,1000", help="tokens of a context")
    parser.add_argument("--embedder", default="auto", help="for the others: auto, fastembed:NAME")
    parser.add_argument("--most", type=int, default=10**6, help="characters of a message of theirs")
    parser.add_argument("--leave-out", action="append", default=[], help="a category")
    parser.add_argument("--keep", help="folder in which our memories are kept")
    args = parser.parse_args()
    talks = read(args.file, as_conversation)
    chosen = drawn(talks, args.sample, args.leave_out)
    if args.sessions:
        talks = [
            of_its_own(talk, one, args.sessions, args.seed)
            for talk in talks
            for one in talk["questions"]
            if one["id"] in chosen
        ]
        few = sum(len(talk["sessions"]) < args.sessions for talk in talks)
        print(f"{few} of {len(talks)} have fewer sessions before them", file=sys.stderr)
    budgets = [int(one) for one in args.budget.split(",")]
    names = args.only.split(",")
    vectors = Vectors(embedder(args.embedder if {"mem0", "memsearch"} & {*names} else "none"))
    with open(args.out, "w", encoding="utf-8") as file:
        for talk in talks:
            asked = [one for one in talk["questions"] if one["id"] in chosen]
            for name in names:
                told = (
                    ours(talk, asked, budgets, args.keep)
                    if name == OURS
                    else theirs(name, talk, asked, budgets, vectors, args.most)
                )
                for question, system, budget, context in told:
                    row = {
                        "id": question["id"],
                        "category": question["category"],
                        "question": question["text"],
                        "today": f"{question['asked_at']:%A %Y-%m-%d}",
                        "system": system,
                        "budget": budget,
                        "tokens": estimate(context),
                        "evidence": evidence_in(context, talk, question),
                        "context": context,
                    }
                    file.write(json.dumps(row, ensure_ascii=False) + "\n")
                print(f"{talk['id']}: {name}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
