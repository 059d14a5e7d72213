"""Reading: what a model is shown of a talk, and what of its answer is believed."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from loxodon.errors import BadReplyError
from loxodon.language.statements import Mention, Statement
from loxodon.models import reading
from loxodon.models.chat import ChatModel
from loxodon.models.reading import Batch, Hint, KnownMemory, ModelReading, PromptMessage, ReadItem
from loxodon.tokens import estimate
from loxodon.types import CATEGORIES
from tests.clock import NOW
from tests.models.labelled import FULL
from tests.models.server import Stage

TALK = Batch(
    [
        PromptMessage("Where are you based?", NOW, "assistant", asked=False),
        PromptMessage("Moved from Bath to York last month", NOW),
        PromptMessage("haha that's wild", NOW),
        PromptMessage("my sister Mei is vegan", NOW),
    ],
    [
        KnownMemory("f_1", "The user lives in Bath", NOW - timedelta(days=90)),
        KnownMemory("f_2", "The user's sister Mei eats fish", NOW),
    ],
    [Hint(1, "The user moved to Bath"), Hint(3, "Mei is the user's sister")],
)


def claim(do: str, words: str = "", **more: Any) -> dict[str, Any]:
    full = FULL if do in ("add", "update") else {}
    return {**full, "do": do, "words": words, **more}


YORK = claim(
    "update",
    "Moved from Bath to York",
    id="m1",
    content="The user lives in York",
    attribute="home",
    value="York",
    category="status",
    importance=0.8,
    topic="home",
    tags=["York", "Rome"],
    mentions=[{"name": "York", "type": "place"}],
)


def read(server: Stage, answer: Any, batch: Batch = TALK) -> ModelReading:
    server.play(answer)
    return reading.read(ChatModel(server.config(retries=0)), batch).value


def one(server: Stage, text: str, *, language: str = "en", **more: Any) -> ReadItem:
    """The item that is made of a claim about one message."""
    item = claim("add", more.pop("words", text), **more)
    (found,) = read(
        server, {"1": [item]}, Batch([PromptMessage(text, NOW)], language=language)
    ).items
    return found


def test_it_is_shown_the_talk_in_order_with_what_is_known_and_what_the_rules_read(
    server: Stage,
) -> None:
    found = read(server, {"1": [YORK], "2": [], "3": [claim("drop", id="h2")]})
    body = server.requests[0].body
    assert body["messages"][1]["content"].splitlines() == [
        "<data>",
        '- 2026-02-04 assistant "Where are you based?"',
        '1 2026-02-04 user "Moved from Bath to York last month"',
        'h1 "The user moved to Bath"',
        '2 2026-02-04 user "haha that\'s wild"',
        '3 2026-02-04 user "my sister Mei is vegan"',
        'h2 "Mei is the user\'s sister"',
        'm1 2025-11-06 "The user lives in Bath"',
        'm2 2026-02-04 "The user\'s sister Mei eats fish"',
        "</data>",
    ]
    assert body["response_format"]["json_schema"]["schema"]["required"] == ["1", "2", "3"]
    assert found.decided == {1, 2, 3}
    assert found.refused == []
    york, kept = found.items
    assert york == ReadItem(
        1,
        "update",
        "f_1",
        -1,
        Statement(
            "The user lives in York",
            "user",
            "home",
            "York",
            "status",
            "change",
            mentions=(Mention("York", "place"),),
            topic="home",
        ),
        0.8,
        ("York",),
        None,
        "Moved from Bath to York",
    )
    assert kept == ReadItem(3, "drop", hint=1)


def test_a_memory_that_ends_or_is_said_again(server: Stage) -> None:
    vegan = [claim("end", "is vegan", id="m2")]
    found = read(server, {"1": [claim("same", "", id="m1")], "2": [], "3": vegan})
    assert [(item.do, item.target) for item in found.items] == [("same", "f_1"), ("end", "f_2")]


@pytest.mark.parametrize(
    "item",
    [
        claim("end", "is vegan", id="m3"),
        claim("end", "is vegan", id="m0"),
        claim("end", "is vegan", id="f_2"),
        claim("end", "is vegan"),
        claim("end", "eats fish", id="m2"),
        claim("end", "", id="m2"),
        claim("same", "is vegan"),
        claim("drop", id="h1"),
        claim("drop", id="h3"),
        claim("drop"),
        claim("update", "is vegan", id="m9", content="Mei is vegan", subject="Mei"),
        claim("update", "is vegan", content="Mei is vegan", subject="Mei"),
        claim("add", "is a vegan", content="Mei is vegan", subject="Mei"),
        claim("add", content="Mei is vegan", subject="Mei"),
        claim("add", "my sister Mei is vegan", content=""),
        claim("add", "my sister Mei is vegan", content="The user is rich"),
        claim("add", "my sister Mei is vegan", content="A vegan sister"),
        claim("add", "my sister Mei is vegan", content="Mei is vegan " * 20),
        claim("add", "my sister Mei is vegan", content="Mei" * 300),
        claim("add", "my sister Mei is vegan", content="Mei is a sister. Mei is vegan"),
        claim("add", "my sister Mei is vegan", content="Mei is not vegan", subject="Mei"),
        claim("add", "my sister Mei is vegan", content="Mei is vegan", subject="Tom"),
        claim("add", "my sister Mei is vegan", content="Mei is vegan", confidence=80),
        claim("add", "my sister Mei is vegan", content="Mei is vegan", confidence=0),
        claim("add", "my sister Mei is vegan", content="Mei is vegan", confidence=True),
        claim("add", "my sister Mei is vegan", content="Mei is vegan", importance="high"),
        claim("add", "my sister Mei is vegan", content=["Mei is vegan"]),
        claim("destroy", "my sister Mei is vegan", id="m1"),
        {"content": "Mei is vegan"},
        "Mei is vegan",
        None,
        7,
    ],
)
def test_what_cannot_be_believed_leaves_its_message_undecided(server: Stage, item: Any) -> None:
    found = read(server, {"1": [], "2": [], "3": [item]})
    assert found.items == []
    assert found.decided == {1, 2}
    assert len(found.refused) == 1


@pytest.mark.parametrize(
    "answer",
    [
        {},
        {"1": [claim("add", "x", content="The user is rich")]},
        {"8": []},
        {"1": None},
        {"1": {}},
        {"3": [5]},
    ],
)
def test_an_answer_of_which_nothing_is_left_is_refused(server: Stage, answer: Any) -> None:
    with pytest.raises(BadReplyError):
        read(server, answer)


def test_nothing_is_an_empty_list_however_it_is_said(server: Stage) -> None:
    found = read(server, {"1": [{"do": "nothing"}], "2": []})
    assert (found.items, found.decided) == ([], {1, 2})


def test_what_a_server_without_schemas_leaves_out_is_empty(server: Stage) -> None:
    item = {"do": "add", "words": "my sister Mei is vegan", "content": "The user's sister is Mei"}
    found = read(server, {"3": [item, item]})
    assert len(found.items) == 1
    assert found.items[0].importance == 0.5


def test_nobody_asked_no_question(server: Stage) -> None:
    found = read(server, {}, Batch([PromptMessage("hello", NOW, "assistant", asked=False)]))
    assert found == ModelReading([], set())
    assert server.requests == []


def test_labels_are_believed_only_where_the_words_bear_them(server: Stage) -> None:
    said = "I moved to Leeds"
    got = one(
        server,
        said,
        content="The user moved to Leeds.",
        attribute="name",
        value="Leeds",
        category="nonsense",
        subject="The user",
        project="Rome",
        topic="a\nb",
        mentions=[{"name": n, "type": "city"} for n in ("Rome", "Leeds")],
    )
    assert got.statement == Statement("The user moved to Leeds", mentions=(Mention("Leeds"),))
    got = one(server, said, content="The user moved to Leeds", attribute="home", value="Paris")
    assert got.statement
    assert (got.statement.attribute, got.statement.value) == ("", "")
    got = one(server, said, content="The user moved to Leeds", category="credential")
    assert got.statement
    assert got.statement.category == "fact"


def test_what_is_a_relative_s_is_not_the_user_s(server: Stage) -> None:
    text, content = "my sister lives in Leeds", "The user's sister lives in Leeds"
    got = one(server, text, content=content, attribute="home", value="Leeds").statement
    assert got
    assert got.attribute == ""
    hers = one(server, text, content=content, attribute="home", value="Leeds", subject="sister")
    assert hers.statement
    assert (hers.statement.subject, hers.statement.attribute) == ("sister", "home")


@pytest.mark.parametrize(
    ("labels", "importance"),
    [
        ({"importance": 0.3}, 0.3),
        ({"importance": 1.0}, 0.9),
        ({"importance": 40}, 0.9),
        ({"importance": -1}, 0.1),
        ({"importance": 0.2, "category": "health"}, 0.8),
        ({"importance": 1.0, "category": "identity"}, 1.0),
        ({"importance": 0.2, "attribute": "allergy", "value": "nuts"}, 1.0),
    ],
)
def test_importance_keeps_to_the_scale(
    server: Stage, labels: dict[str, Any], importance: float
) -> None:
    got = one(server, "nuts make me ill", content="The user gets ill from nuts", **labels)
    assert got.importance == importance


def test_hedges_and_beliefs(server: Stage) -> None:
    got = one(server, "maybe I'll get a dog", content="The user may get a dog").statement
    assert got
    assert (got.confidence, got.basis) == (0.6, "maybe I'll get a dog")
    got = one(server, "I have a dog", content="The user has a dog", kind="belief").statement
    assert got
    assert got.confidence == 0.7
    got = one(
        server, "可能会养狗", language="zh", content="用户可能会养狗", confidence=0.4
    ).statement
    assert got
    assert got.confidence == 0.4


@pytest.mark.parametrize(
    ("words", "since", "day"),
    [
        ("since 2024 I live in Leeds", "2024-01-01", datetime(2024, 1, 1)),
        ("since 2024 I live in Leeds", "2023-01-01", None),
        ("I live in Leeds", "2024-01-01", None),
        ("since last month I live in Leeds", "2026-01", datetime(2026, 1, 1)),
        ("since 2024 I live in Leeds", "2024-13-77", None),
        ("since 2024 I live in Leeds", "long ago", None),
    ],
)
def test_since_when_is_what_the_words_say(
    server: Stage, words: str, since: str, day: datetime | None
) -> None:
    got = one(server, words, content="The user lives in Leeds", since=since)
    assert (got.since and got.since.replace(tzinfo=None)) == day


@pytest.mark.parametrize(
    "text", ["x" * 1_000_000, "字" * 300_000, "🥜\0\u202e\ud800" * 1_000, "]", "a\n\nb"]
)
def test_any_text_can_be_asked_about(server: Stage, text: str) -> None:
    found = read(server, {"1": []}, Batch([PromptMessage(text, NOW, "user", text)], language="zh"))
    assert found.decided == {0}
    assert len(server.requests[0].body["messages"][1]["content"]) < 20_000


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_prompt_names_what_there_is(language: str) -> None:
    asked = reading.question(TALK._replace(language=language))
    assert estimate(asked.system) < 1_500
    assert "{item}" not in asked.system
    assert "{attributes}" not in asked.system
    for category in set(CATEGORIES) - {"credential", "conversation"}:
        assert category in asked.system


def test_a_note_is_not_given_up_for_what_is_not_believed(server: Stage) -> None:
    found = read(server, {"1": [YORK], "3": [claim("drop", id="h2"), claim("end", id="m99")]})
    assert [one.do for one in found.items] == ["update"]
    assert 3 not in found.decided
