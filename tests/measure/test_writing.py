"""How well conversations become memories, measured on small ones whose outcome is known."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from loxodon.config import Config, from_mapping
from loxodon.errors import InputError, UsageError
from loxodon.measure.cases import Check
from loxodon.measure.writing import (
    FinalMemory,
    WritingOptions,
    WritingResult,
    holds,
    is_right,
    measure,
)
from tests.each import each
from tests.measure.labelled import check, cook, mover, said
from tests.measure.talks import written
from tests.models.server import Stage, answers, says, stage


def measured(tmp_path: Path, *cases: dict[str, Any], **options: Any) -> Any:
    (found,) = measure([written(tmp_path, *cases)], Config(), WritingOptions(**options))
    return found


def share(n: int, right: int) -> dict[str, float]:
    return {"n": n, "right": right, "share": round(100 * right / n, 2) if n else 0.0}


def test_the_figures_of_a_case(tmp_path: Path) -> None:
    report = measured(tmp_path, mover()).report
    assert report["additions"] == share(1, 1)
    assert report["changes"] == share(2, 2)
    assert report["duplicates"] == share(1, 1)
    assert report["never"] == share(1, 1)
    assert report["beliefs"] == share(0, 0)
    assert report["types"]["retract"] == share(1, 1)
    assert (report["cases"], report["turns"], report["memories"]) == (1, 3, 2)


def test_an_operation_counts_only_if_it_was_carried_out(tmp_path: Path) -> None:
    operations = measured(tmp_path, mover()).report["operations"]
    assert operations["ADD"] == share(1, 1)
    assert operations["DELETE"] == share(2, 1)  # nobody ever lived in Bath
    assert operations["NOOP"] == share(2, 2)
    assert operations["overall"] == share(5, 4)


def test_a_memory_that_grows_is_an_update(tmp_path: Path) -> None:
    case = {
        "id": "cat",
        "turns": [said("我养了一只猫"), said("我养了一只叫咪咪的橘猫", "s2", 9)],
        "checks": [check("update", present=["咪咪", "橘猫"])],
    }
    assert measured(tmp_path, case).report["operations"]["UPDATE"] == share(1, 1)


def test_how_much_denoising_keeps(tmp_path: Path) -> None:
    case = {
        "id": "noise",
        "turns": [said("hello there"), said("I live in Leeds"), said("thanks a lot, bye!")],
        "checks": [],
    }
    found = measured(tmp_path, case).report["denoising"]
    assert 0 < found["left"] < found["tokens"]
    assert found["share"] == round(100 * found["left"] / found["tokens"], 2)


def test_failures_say_what_was_said_held_and_missing(tmp_path: Path) -> None:
    found = measured(tmp_path, mover(), cook(), failures=True)
    mover_, cook_ = found.failures
    assert mover_["failed"] == []
    assert [one["type"] for one in mover_["not_done"]] == ["retract"]
    assert [one["type"] for one in cook_["failed"]] == ["add", "never"]
    assert cook_["said"] == ["2026-02-04 user: 我叫张三，我住在北京"]
    assert {"用户住在北京"} <= {one["content"] for one in cook_["memories"]}
    assert measured(tmp_path, cook()).failures == []


def test_limit_and_only_choose_cases(tmp_path: Path) -> None:
    assert measured(tmp_path, mover(), cook(), limit=1).report["cases"] == 1
    assert measured(tmp_path, mover(), cook(), only="ook").report["additions"] == share(2, 1)
    with pytest.raises(InputError, match="'nobody'"):
        measured(tmp_path, mover(), only="nobody")


def test_processes_that_share_the_work_find_the_same(tmp_path: Path) -> None:
    alone, shared = (measured(tmp_path, mover(), cook(), jobs=n).report for n in (1, 2))
    assert alone | {"consolidate_s": 0} == shared | {"consolidate_s": 0}


def test_a_model_is_asked_only_where_it_is_wanted(tmp_path: Path) -> None:
    case = {"id": "z", "turns": [said("Zephyr on the invoices, as ever")], "checks": []}
    path = written(tmp_path, case)
    with stage() as server:
        server.play(says({"1": []}))
        config = with_model(server)
        (without,) = measure([path], config, WritingOptions())
        assert server.requests == []
        assert "model" not in without.report
        (with_it,) = measure([path], config, WritingOptions(model=True))
        assert server.requests
        assert with_it.report["model"]["tokens"] > 0  # type: ignore[index]
        assert with_it.report["model"]["failed"] == 0  # type: ignore[index]


def test_a_model_that_fails_is_told(tmp_path: Path) -> None:
    case = {"id": "z", "turns": [said("Zephyr on the invoices, as ever")], "checks": []}
    with stage() as server:
        server.play(answers(500))
        (found,) = measure(
            [written(tmp_path, case)], with_model(server), WritingOptions(model=True)
        )
    assert found.report["model"]["failed"] == 1  # type: ignore[index]
    assert found.report["model"]["problem"]  # type: ignore[index]


def test_a_model_that_is_not_set_cannot_be_asked(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        measured(tmp_path, mover(), model=True)


def with_model(server: Stage) -> Config:
    return from_mapping(
        {
            "model.base_url": f"http://127.0.0.1:{server.port}/v1",
            "model.name": "test",
            "model.retries": 0,
            "model.check": False,
        }
    )


LEEDS = FinalMemory("fact", "The user lives in Leeds")
GUESS = FinalMemory("belief", "The user probably lives in Leeds")
THEME = FinalMemory("summary", "Home: the user lives in Leeds")


@each(
    ("check", "kept", "expected"),
    [
        (Check("add", present=(("leeds",),)), [LEEDS], True),
        (Check("add", present=(("leeds",), ("york",))), [LEEDS], False),
        (Check("add", present=(("york", "leeds"),)), [LEEDS], True),
        (Check("belief", present=(("leeds",),)), [LEEDS], False),
        (Check("belief", present=(("leeds",),)), [LEEDS, GUESS], True),
        (Check("repeat", once=(("leeds",),)), [LEEDS, THEME], True),
        (Check("repeat", once=(("leeds",),)), [LEEDS, GUESS], False),
        (Check("repeat", once=(("leeds",),)), [], False),
        (Check("never", absent=(("leeds",),)), [LEEDS], False),
        (Check("never", absent=(("leeds",), ("york",))), [LEEDS], True),
    ],
)
def test_what_holds(check: Check, kept: list[FinalMemory], expected: bool) -> None:
    assert holds(check, kept) is expected


def test_an_update_must_have_grown_out_of_something() -> None:
    wanted = Check("update", present=(("leeds",),))
    for revised in (False, True):
        done = WritingResult((LEEDS._replace(revised=revised),), (), 0, 0, 0.0, 0, 0, 0, "")
        assert holds(wanted, done.kept)
        assert is_right(wanted, done) is revised
