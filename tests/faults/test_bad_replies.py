"""A model that answers badly, late, in part or not at all, through a real server on the loopback.

Whatever it does: what was said stays in the journal, what it was asked about waits until it is
really answered, nothing that it made up is remembered, and no more is spent in a day than may be.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from itertools import cycle
from pathlib import Path
from random import Random
from typing import Any

import pytest

from loxodon import Memory
from tests.clock import NOW, Clock
from tests.long import count, figure
from tests.models.labelled import FULL, shown
from tests.models.server import KEY, Scene, Stage, answers, completion, says, stage

# What the rules cannot decide, so that the model is asked
ASKED = {"en": "the invoices again, and Zephyr", "zh": "老样子，还是那家"}
PLAIN = {"en": "I live in Leeds", "zh": "我住在杭州"}
PLANTED = "PWNED"
# Replies that are the same whatever is asked, by how they are given. What is no reply at all (cut,
# slow, silent, no HTTP) is in tests/models/test_endpoint.py.
KNOWN: dict[str, Any] = json.loads(
    (Path(__file__).parent / "bad_replies.json").read_text("utf-8", "surrogatepass")
)
# A part of the reply answers what was asked, so that it need not wait
SETTLING = {"prose around", *KNOWN["claims"]}
Make = Callable[[Random, Stage], Scene]


def claim(content: str, words: str = "") -> dict[str, Any]:
    return {**FULL, "do": "add", "words": words or content, "content": content}


def good(server: Stage, content: str = "") -> dict[str, Any]:
    """A reply in the right shape to the last question: nothing, or one claim for each line."""
    labelled = shown(server.requests[-1].body)
    texts = {label.split()[0]: text for label, text in labelled if label[0].isdigit()}
    return {
        number: [claim(content, text)] if content else [] for number, text in texts.items()
    } or {"1": []}


def later(make: Callable[[Stage], Scene]) -> Make:
    """A scene that depends on the question."""
    return lambda random, server: lambda handler: make(server)(handler)


def fixed(make: Callable[[], Scene]) -> Make:
    return lambda random, server: make()


def claiming(text: str) -> Make:
    """A reply in the right shape, of what was never said."""
    return later(lambda server: says(good(server, text)))


def answering(codes: list[int], body: str, headers: dict[str, str]) -> Make:
    return lambda random, server: answers(random.choice(codes), body.encode(), **headers)


KINDS: dict[str, Make] = {
    "prose around": later(
        lambda server: says(f"Sure!\n```json\n{json.dumps(good(server))}\n```\nAnything else?")
    ),
    "invented numbers": fixed(lambda: says(json.dumps({"7": [claim("PWNED")], "99": []}))),
    **{name: fixed(partial(says, text)) for name, text in KNOWN["says"].items()},
    **{name: fixed(partial(completion, one)) for name, one in KNOWN["message"].items()},
    **{name: claiming(text) for name, text in KNOWN["claims"].items()},
    **{name: answering(*given) for name, given in KNOWN["answers"].items()},
}


def opened(home: Path, server: Stage, clock: Clock, mode: str, **more: Any) -> Memory:
    given = {
        "base_url": f"http://127.0.0.1:{server.port}/v1",
        "name": "test",
        "retries": 0,
        "api_key": KEY,
        "extraction": mode,
        "check": False,
        **more,
    }
    config = {f"model.{name}": value for name, value in given.items()}
    views = {"timezone": "Asia/Shanghai", "workspace.views": "off"}
    return Memory.open(home, config={**views, **config}, clock=clock)


def faults(home: Path, server: Stage, name: str, mode: str, seed: int) -> list[str]:
    """Everything that is wrong after a bad reply and the good one of the next day."""
    random, clock = Random(f"{name} {seed}"), Clock()
    language = random.choice(("en", "zh"))
    said = [PLAIN[language], ASKED[language]]
    wrong = []
    with opened(home, server, clock, mode) as memory:
        memory.add([{"role": "user", "content": one, "id": one} for one in said], session="talk")
        server.play(KINDS[name](random, server))
        done = memory.consolidate()
        status = memory.status()
        if not done.ran or status.pending or status.attempts:
            wrong.append(f"the run did not end well: {done} {status}")
        if not status.waiting and name not in SETTLING:
            wrong.append("a false done: nothing waits")
        if KEY in f"{done.problem}{status}":
            wrong.append("the key is told")
    with opened(home, server, clock, mode) as memory:
        server.play(lambda handler: says(good(server))(handler))
        clock.now = NOW + timedelta(days=1)
        memory.add([{"role": "user", "content": "thanks", "id": "later"}], session="later")
        memory.consolidate()
        if memory.status().waiting:
            wrong.append("it still waits after a good answer")
        if [one.content for one in memory.journal(session="talk")] != said:
            wrong.append("the transcript is not what was said")
        contents = [one.content for one in memory.list(limit=0)]
        if any(PLANTED in one for one in contents):
            wrong.append(f"it was believed: {contents}")
        if memory.validate():
            wrong.append(f"not sound: {memory.validate()}")
    return [f"{name} ({mode}, {seed}): {one}" for one in wrong]


@pytest.mark.parametrize("mode", ["residue", "full"])
def test_no_bad_reply_loses_a_word_or_passes_for_an_answer(tmp_path: Path, mode: str) -> None:
    cases = count(3, 560)
    names = list(KINDS) if mode == "residue" else list(reversed(KINDS))
    wrong: list[str] = []
    with stage() as server:
        for seed, name in zip(range(cases), cycle(names), strict=False):
            wrong += faults(tmp_path / "home", server, name, mode, seed)
            shutil.rmtree(tmp_path / "home")
    figure("bad-replies", mode=mode, cases=cases, kinds=len(KINDS), violations=len(wrong))
    assert wrong == []


@pytest.mark.parametrize(
    "usage",
    [
        None,
        {"prompt_tokens": -5_000_000, "completion_tokens": -1},
        {"prompt_tokens": "many", "completion_tokens": None},
        [1, 2],
        {"prompt_tokens": 1e999, "completion_tokens": 1},
        {"prompt_tokens": 10**30, "completion_tokens": 10**30},
    ],
    ids=["none", "negative", "words", "list", "infinite", "huge"],
)
def test_daily_budget_holds_whatever_the_model_says_it_took(tmp_path: Path, usage: Any) -> None:
    """A question counts what it has, where the server does not say, or says what cannot be."""
    cap = 6_000
    with (
        stage() as server,
        opened(tmp_path / "home", server, Clock(), "residue", daily_tokens=cap) as memory,
    ):
        body = json.dumps({"choices": [{"message": {"content": "no"}}], "usage": usage})
        server.play(answers(200, body.encode()))
        for n in range(6):
            text = f"{ASKED['en']} {n}"
            memory.add([{"role": "user", "content": text, "id": text}], session="talk")
            memory.consolidate()
        asked = [len(json.dumps(one.body["messages"])) for one in server.requests]
        assert asked
        # Four characters are about a token; what was asked is not above what may be spent.
        assert sum(asked) / 4 <= cap * 1.5
        assert memory.status().waiting >= 6  # a message may be cut in pieces
        assert memory.validate() == []
