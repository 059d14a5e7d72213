"""`loxodon bench writing`: how well conversations become memories, on small labelled ones."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from loxodon.errors import InputError, UsageError
from tests.cli.labelled import Line, check, cook, mover, said
from tests.cli.shell import Shell
from tests.cli.talks import written
from tests.models.server import Stage, answers, says, stage


@pytest.fixture
def loxodon(tmp_path: Path) -> Shell:
    return Shell(tmp_path / "home")


def measured(loxodon: Shell, *cases: Line, options: tuple[str, ...] = ()) -> Any:
    """The report on one file."""
    path = written(loxodon.home.parent, *cases)
    (report,) = loxodon.json("bench", "writing", path, *options)["files"]
    return report


def case(*turns: Line, **checks: Any) -> Line:
    return {"id": "one", "turns": list(turns), "checks": checks.get("checks", [])}


def share(n: int, right: int) -> dict[str, float]:
    return {"n": n, "right": right, "share": round(100 * right / n, 2) if n else 0.0}


def test_figures_of_a_case(loxodon: Shell) -> None:
    report = measured(loxodon, mover())
    assert report["additions"] == report["duplicates"] == report["never"] == share(1, 1)
    assert report["changes"] == share(2, 2)
    assert report["beliefs"] == share(0, 0)
    assert report["types"]["retract"] == share(1, 1)
    assert (report["cases"], report["turns"], report["memories"]) == (1, 3, 2)
    # An operation counts only if it was carried out.
    assert report["operations"]["ADD"] == share(1, 1)
    assert report["operations"]["DELETE"] == share(2, 1)  # nobody ever lived in Bath
    assert report["operations"]["NOOP"] == share(2, 2)
    assert report["operations"]["overall"] == share(5, 4)


def test_memory_that_grows_is_an_update(loxodon: Shell) -> None:
    cat = case(
        said("我养了一只猫"),
        said("我养了一只叫咪咪的橘猫", "s2", 9),
        checks=[check("update", present=["咪咪", "橘猫"])],
    )
    assert measured(loxodon, cat)["operations"]["UPDATE"] == share(1, 1)
    new = case(said("I live in Leeds"), checks=[check("update", present=["Leeds"])])
    assert measured(loxodon, new)["operations"]["UPDATE"] == share(1, 0)


def test_what_counts_as_right(loxodon: Shell) -> None:
    told = (said("I live in Leeds."), said("I think I may be allergic to shellfish."))
    right = [
        check("add", present=["leeds"]),
        check("add", present=[["york", "leeds"]]),
        check("belief", present=["shellfish"]),
        check("repeat", once=["leeds"]),
        check("never", absent=["bath"]),
    ]
    wrong = [
        check("add", present=[["leeds"], ["york"]]),
        check("belief", present=[["leeds"]]),
        check("repeat", once=[["bath"]]),
        check("never", absent=[["leeds"]]),
    ]
    report = measured(loxodon, case(*told, checks=[*right, *wrong]), options=("--failures",))
    assert report["failures"][0]["failed"] == wrong
    assert report["types"]["add"] == share(3, 2)
    assert all(report["types"][one] == share(2, 1) for one in ("belief", "repeat", "never"))


def test_share_that_denoising_keeps(loxodon: Shell) -> None:
    noise = case(said("hello there"), said("I live in Leeds"), said("thanks a lot, bye!"))
    found = measured(loxodon, noise)["denoising"]
    assert 0 < found["left"] < found["tokens"]
    assert found["share"] == round(100 * found["left"] / found["tokens"], 2)


def test_failures_say_what_was_said_and_held(loxodon: Shell) -> None:
    path = written(loxodon.home.parent, mover(), cook())
    (file,) = loxodon.json("bench", "writing", path, "--failures")["files"]
    first, second = file["failures"]
    assert [one["type"] for one in first["not_done"]] == ["retract"]
    assert [one["type"] for one in second["failed"]] == ["add", "never"]
    assert second["said"] == ["2026-02-04 user: 我叫张三，我住在北京"]
    assert "用户住在北京" in [one["content"] for one in second["memories"]]


def test_choice_of_cases_and_standard_input(loxodon: Shell) -> None:
    assert measured(loxodon, mover(), cook(), options=("--limit", "1"))["cases"] == 1
    given = json.dumps(mover()).encode()
    assert loxodon.json("bench", "writing", "-", given=given)["files"][0]["cases"] == 1


def test_model_is_asked_only_if_wanted(loxodon: Shell) -> None:
    unclear = case(said("the invoices again, and Zephyr"))
    with stage() as server:
        server.play(says({"1": []}))
        options = settings(server)
        assert "model" not in measured(loxodon, unclear, options=options)
        assert server.requests == []
        found = measured(loxodon, unclear, options=(*options, "--model"))["model"]
        assert server.requests
        assert (found["tokens"] > 0, found["failed"]) == (True, 0)
        server.play(answers(500))
        failed = measured(loxodon, unclear, options=(*options, "--model"))["model"]
        assert failed["failed"] == 1
        assert failed["problem"]
    path = written(loxodon.home.parent, mover())
    loxodon("bench", "writing", path, "--model", code=UsageError.exit_code)


def settings(server: Stage) -> tuple[str, ...]:
    values = {"base_url": f"http://127.0.0.1:{server.port}/v1", "name": "test", "retries": "0"}
    return tuple(
        word
        for name, value in {**values, "check": "false"}.items()
        for word in ("--set", f"model.{name}={value}")
    )


Spoil = Callable[[Any], object]


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (lambda c: c.pop("id"), "'id'"),
        (lambda c: c.update(turns=[]), "the turns are missing"),
        (lambda c: c.pop("checks"), "'checks'"),
        (lambda c: c["turns"][1].update(role="king"), "unknown role 'king'"),
        (lambda c: c["checks"][0].update(type="maybe"), "'maybe' is not a type of check"),
        (lambda c: c["checks"][1].pop("absent"), "'absent'"),
        (lambda c: c["checks"][0].update(present=7), "wrong type"),
        (lambda c: c["turns"].append(said("x", "s3", 3)), "not in chronological order"),
    ],
)
def test_wrong_field_is_named_with_its_line(loxodon: Shell, spoil: Spoil, told: str) -> None:
    spoilt = mover()
    spoil(spoilt)
    path = loxodon.home.parent / "cases.jsonl"
    path.write_text(f"{json.dumps(cook())}\n{json.dumps(spoilt)}\n", "utf-8")
    refused = loxodon("bench", "writing", str(path), code=InputError.exit_code)
    assert "2" in refused.stderr.decode()
    assert told in refused.stderr.decode()
