"""The smaller questions: what is asked, and what of the answers is believed."""

from __future__ import annotations

from typing import Any

import pytest

from loxodon.errors import BadReplyError
from loxodon.models import tasks
from loxodon.models.chat import ChatModel
from loxodon.models.tasks import Merge
from tests.models.server import Stage


def model(server: Stage, **values: Any) -> ChatModel:
    return ChatModel(server.config(retries=0, **values))


@pytest.mark.parametrize(
    ("belief", "fact", "said", "verdict"),
    [
        ("The user may like jazz", "The user goes to a jazz club", "confirm", "confirm"),
        ("The user may like jazz", "The user has a cat", "confirm", "unrelated"),
        ("用户可能喜欢爵士乐", "用户不喜欢爵士乐", "confirm", "unrelated"),
        ("用户可能喜欢爵士乐", "用户不喜欢爵士乐", "deny", "deny"),
        ("The user may like jazz", "The user hates jazz", "deny", "deny"),
        ("The user may like jazz", "The user has a cat", "deny", "unrelated"),
        ("The user may live in Leeds", "The user lives in Paris", "deny", "deny"),
        ("用户可能住在杭州", "用户住在北京", "deny", "deny"),
    ],
)
def test_a_belief_is_weighed(
    server: Stage, belief: str, fact: str, said: str, verdict: str
) -> None:
    server.play({"verdict": said})
    language = "zh" if "用户" in belief else "en"
    assert tasks.weigh_belief(model(server), belief, fact, language).value == verdict


def test_a_verdict_there_is_not(server: Stage) -> None:
    server.play({"verdict": "maybe"})
    with pytest.raises(BadReplyError, match="one of confirm, deny, unrelated"):
        tasks.weigh_belief(model(server), "jazz", "jazz", "en")


FACTS = {
    "zh": ["用户喜欢爵士乐", "用户喜欢乌龙茶", "用户不吃香菜"],
    "en": ["The user likes jazz", "The user plays the cello", "The user has 2 cats"],
}


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("zh", "用户喜欢爵士乐、乌龙茶，不吃香菜"),
        ("en", "The user likes jazz, plays the cello and has two cats"),
    ],
)
def test_a_summary_of_the_facts_own_words(server: Stage, language: str, text: str) -> None:
    server.play({"summary": text})
    assert tasks.summarise(model(server), FACTS[language], language).value == text


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("zh", ""),
        ("zh", "用户"),
        ("zh", "用户喜欢爵士乐和迈尔斯"),
        ("zh", "用户喜欢爵士乐、Miles"),
        ("zh", "用户喜欢3种乌龙茶"),
        ("zh", "香菜"),
        ("zh", "用户喜欢爵士乐、乌龙茶、香菜"),
        ("zh", "今天天气很好"),
        ("zh", "用户喜欢爵士乐" * 10),
        ("zh", "The user likes jazz"),
        ("en", "The user likes jazz and Miles Davis"),
        ("en", "The user has 3 cats"),
        ("en", "The user likes jazz " * 10),
        ("en", "The user does not play the cello"),
        ("en", "The user is a happy person with a great life"),
        ("en", "用户喜欢爵士乐"),
    ],
)
def test_a_summary_that_says_more_or_too_much(server: Stage, language: str, text: str) -> None:
    server.play({"summary": text})
    with pytest.raises(BadReplyError):
        tasks.summarise(model(server), FACTS[language], language)


def test_a_portrait(server: Stage) -> None:
    server.play({"portrait": "用户喜欢爵士乐和\n乌龙茶。本周搬到杭州。"})
    reply = tasks.portrait(model(server), FACTS["zh"], ["本周搬到杭州"], "zh")
    assert reply.value == "用户喜欢爵士乐和 乌龙茶。本周搬到杭州。"
    told = server.requests[0].body["messages"][1]["content"]
    assert 'changed "本周搬到杭州"' in told
    server.play({"portrait": "用户喜欢爵士乐，是一位音乐家。"})
    with pytest.raises(BadReplyError):
        tasks.portrait(model(server), FACTS["zh"], [], "zh")


def test_somebody_in_a_sentence_or_two(server: Stage) -> None:
    facts = ["Mei is the user's sister", "Mei studies in Osaka"]
    server.play({"profile": "Mei is the user's sister and studies in Osaka"})
    assert tasks.entity(model(server), "Mei", facts, "en").value.endswith("studies in Osaka")
    assert 'name "Mei"' in server.requests[0].body["messages"][1]["content"]
    server.play({"profile": "Mei is a doctor in Kyoto"})
    with pytest.raises(BadReplyError):
        tasks.entity(model(server), "Mei", facts, "en")


DOGS = ["The user has a dog", "The user's dog is a poodle", "The user likes rain"]


def test_facts_that_one_sentence_can_tell(server: Stage) -> None:
    merged = {"numbers": [1, 2], "content": "The user has a dog, a poodle."}
    server.play({"merged": [merged, {"numbers": [3], "content": "The user likes rain"}]})
    found = tasks.merge(model(server), DOGS, "en").value
    assert found == [Merge((0, 1), "The user has a dog, a poodle")]
    server.play({"merged": []})
    assert tasks.merge(model(server), DOGS, "en").value == []


@pytest.mark.parametrize(
    ("numbers", "content"),
    [
        ([1, 9], "The user has a dog"),
        ([1, 1], "The user has a dog"),
        ([0, 1], "The user has a dog"),
        ([1, 2], ""),
        ([1, 2], "The user has a dog, a poodle called Rex"),
        ([1, 2], "The user has no dog, a poodle"),
        ([1, 2], "The user's dog is a poodle " * 9),
    ],
)
def test_a_merge_that_loses_or_adds_something(
    server: Stage, numbers: list[int], content: str
) -> None:
    server.play({"merged": [{"numbers": numbers, "content": content}]})
    with pytest.raises(BadReplyError):
        tasks.merge(model(server), DOGS, "en")


def test_a_merge_that_loses_a_number(server: Stage) -> None:
    server.play({"merged": [{"numbers": [1, 2], "content": "The user has cats"}]})
    with pytest.raises(BadReplyError, match="lost"):
        tasks.merge(model(server), ["The user has 2 cats", "The user has cats"], "en")
