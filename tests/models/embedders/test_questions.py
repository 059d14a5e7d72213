"""Questions as vectors: at once, or a reason why not."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Event

import numpy as np
import pytest

from loxodon.errors import ConfigError, UnreachableModelError
from loxodon.models.embedders import ChosenEmbedder
from loxodon.models.embedders.questions import PAUSE_SECONDS, Questioner, is_question
from tests.each import each
from tests.models.embedders.toys import Toy, raising


class Time:
    """A clock that a test moves by hand."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def asking(*chosen: ChosenEmbedder, seconds: float = 60, clock: Time | None = None) -> Questioner:
    return Questioner(lambda: chosen, seconds, clock or Time())


def test_a_question_is_a_vector_of_length_one() -> None:
    (view,) = asking(ChosenEmbedder(Toy())).ask("what do I drink?").views
    assert view.model == "toy"
    assert float(np.linalg.norm(view.vector)) == pytest.approx(1, abs=1e-5)


def test_the_same_question_is_embedded_once() -> None:
    toy = Toy()
    questioner = asking(ChosenEmbedder(toy))
    first, again = questioner.ask("what?"), questioner.ask(" what? ")
    assert toy.texts == ["what?"]
    assert first.views[0].vector is again.views[0].vector
    for n in range(300):
        questioner.ask(f"question {n}")
    questioner.ask("what?")
    assert toy.texts.count("what?") == 2


def test_english_is_seen_by_its_own_model_first() -> None:
    questioner = asking(ChosenEmbedder(Toy("every")), ChosenEmbedder(Toy("english"), "en"))
    english, chinese = questioner.ask("where is it?"), questioner.ask("在哪里？")
    assert [view.model for view in english.views] == ["english", "every"]
    assert [view.model for view in chinese.views] == ["every"]


def test_nothing_is_asked_about_nothing() -> None:
    toy = Toy()
    assert asking(ChosenEmbedder(toy)).ask(" \n") == ((), "")
    assert toy.batches == []


def test_a_long_question_is_cut() -> None:
    toy = Toy()
    asking(ChosenEmbedder(toy)).ask("问" * 100_000)
    assert len(toy.texts[0]) == 2_000


@each(
    "bad",
    [
        [[float("nan")] * 8],
        [[0.0] * 8],
        [[float("inf")] * 8],
        [],
        [[1.0], [2.0]],
        None,
        "text",
        [[]],
        [["a"]],
        5,
    ],
)
def test_what_is_no_vector_is_a_problem_and_not_an_error(bad: object) -> None:
    toy = Toy()
    toy.instead = lambda texts: bad
    found = asking(ChosenEmbedder(toy)).ask("what?")
    assert found.views == ()
    assert found.problem


def test_one_that_failed_is_left_alone_for_a_while() -> None:
    toy, clock = Toy(), Time()
    questioner = asking(ChosenEmbedder(toy), clock=clock)
    toy.instead = raising(UnreachableModelError("it is down"))
    assert questioner.ask("one").problem == "it is down"
    toy.instead = None
    assert questioner.ask("two").problem == "it is down"
    assert len(toy.batches) == 1
    clock.now += PAUSE_SECONDS
    assert questioner.ask("two").problem == ""
    assert len(questioner.ask("two").views) == 1


def test_a_failure_of_one_leaves_the_other() -> None:
    english = Toy("english")
    english.instead = raising(ValueError("oh"))
    found = asking(ChosenEmbedder(Toy("every")), ChosenEmbedder(english, "en")).ask("where is it?")
    assert [view.model for view in found.views] == ["every"]
    assert "oh" in found.problem


def test_one_that_is_slow_is_not_waited_for() -> None:
    over, toy = Event(), Toy()

    def slow(texts: Sequence[str]) -> object:
        over.wait(60)
        return [[1.0]]

    questioner = asking(ChosenEmbedder(toy), seconds=0.01)
    assert questioner.ask("quick").problem == ""  # loading may take longer than that
    toy.instead = slow
    assert "0.01" in questioner.ask("slow").problem
    over.set()


def test_settings_that_make_no_embedder_are_a_problem() -> None:
    def choose() -> list[ChosenEmbedder]:
        raise ConfigError("no model.onnx found in {path}", path="x")

    found = Questioner(choose, 1).ask("what?")
    assert found == ((), "no model.onnx found in x")


def test_questions_are_asked_by_the_one_meant_for_them() -> None:
    keeper, asker = Toy("m"), Toy("m")
    asking(ChosenEmbedder(keeper, asker=asker)).ask("what?")
    assert (keeper.texts, asker.texts) == ([], ["what?"])


@each(
    ("text", "asks"),
    [
        ("what did I say about tea", True),
        ("Did she move?", True),
        ("我对什么过敏", True),
        ("她住哪", True),
        ("他结婚了吗", True),
        ("remind me of the plan", True),
        ("peanut allergy", False),
        ("花生 过敏", False),
        ("I like tea", False),
        ("我喜欢茶", False),
        ("whatever", False),
    ],
)
def test_what_is_a_question(text: str, asks: bool) -> None:
    assert is_question(text) is asks
    (view,) = asking(ChosenEmbedder(Toy())).ask(text).views
    assert bool(view.asks) is asks
