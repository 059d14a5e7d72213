"""Measuring retrieval: conversations go through a memory, and what comes back is counted."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from loxodon.config import Config, from_mapping
from loxodon.errors import ConfigError, InputError
from loxodon.measure.retrieval import RetrievalOptions, measure
from tests.measure.talks import Talk, garden, harbour, question, turn, written
from tests.models.embedders.tiny import folder


def measured(folder: Path, talks: Sequence[Talk], **options: Any) -> Any:
    """The report on one file."""
    return measure([written(folder, *talks)], Config(), RetrievalOptions(**options))[0].report


def test_what_is_found_is_counted_over_all_and_by_category(tmp_path: Path) -> None:
    report = measured(tmp_path, [garden(), harbour()])
    assert report["overall"]["n"] == 3
    assert report["overall"]["r@10"] == 100
    assert report["overall"]["mrr"] == 100
    assert {name: one["n"] for name, one in report["categories"].items()} == {
        "place": 2,
        "plain": 1,
    }
    assert report["conversations"] == 2
    assert report["ingest"]["turns"] == 6
    assert 0 < report["latency_ms"]["p50"] <= report["latency_ms"]["p99"]
    assert 0 < report["tokens"]["mean"] <= report["tokens"]["most"] <= 1000


def test_a_question_with_other_words_finds_nothing(tmp_path: Path) -> None:
    talk = garden()
    talk["questions"] = [question("q", "zeppelin", ["a1"])]
    report = measured(tmp_path, [talk])
    assert report["overall"]["r@20"] == 0
    assert report["abstention"]["true"] == {"n": 1, "abstains": 100, "empty": 100}


def test_what_changed_is_looked_at_by_its_order_and_marks(tmp_path: Path) -> None:
    talk = garden()
    talk["sessions"] = [
        {
            "id": "s1",
            "at": "2026-01-05T09:00:00",
            "turns": [turn("a1", "I have planted three quince trees behind the shed.")],
        },
        {
            "id": "s2",
            "at": "2026-01-25T09:00:00",
            "turns": [turn("b1", "I have planted five quince trees behind the shed by now.")],
        },
    ]
    text = "How many quince trees have I planted behind the shed?"
    before = "How many quince trees had I planted behind the shed before that?"
    talk["questions"] = [
        question("q", text, ["a1", "b1"], category="update"),
        question("p", before, ["a1", "b1"], category="update"),
    ]
    report = measured(tmp_path, [talk], updates=("update",))
    assert report["updates"] == {
        "n": 2,
        "newest_first": 50,
        "of_the_past": 1,
        "older_first_of_the_past": 100,
        "newest_first_of_the_others": 100,
        "older_shown": 2,
        "older_unmarked": 0,
    }
    assert "updates" not in measured(tmp_path, [talk])


def test_a_category_left_out_is_reported_by_itself(tmp_path: Path) -> None:
    report = measured(tmp_path, [garden()], leave_out=("place",))
    assert report["overall"]["n"] == 1
    assert report["overall_with_left_out"]["n"] == 2
    assert report["categories"]["place"]["n"] == 1


def test_only_some_questions_and_conversations(tmp_path: Path) -> None:
    report = measured(tmp_path, [garden(), harbour()], categories=("place",), limit=1)
    assert report["conversations"] == 1
    assert list(report["categories"]) == ["place"]


def test_categories_that_are_numbers_stand_in_their_order(tmp_path: Path) -> None:
    talk = garden()
    talk["questions"] = [
        question(name, "wheelbarrow", ["b1"], category=name) for name in ("10", "b", "2")
    ]
    assert list(measured(tmp_path, [talk])["categories"]) == ["2", "10", "b"]


def test_the_questions_of_a_conversation_are_asked_of_the_next(tmp_path: Path) -> None:
    report = measured(tmp_path, [garden(), harbour()], crossed=True)
    assert report["abstention"]["crossed"]["n"] == 3
    assert report["abstention"]["crossed"]["abstains"] == 100
    assert report["abstention"]["true"]["abstains"] == 0


def test_the_questions_of_a_file_with_one_conversation_are_asked_of_the_next_file(
    tmp_path: Path,
) -> None:
    files = [written(tmp_path, garden(), name="a"), written(tmp_path, harbour(), name="b")]
    first, second = (one.report for one in measure(files, Config(), RetrievalOptions(crossed=True)))
    assert first["abstention"]["crossed"]["n"] == 2  # type: ignore[index]
    assert second["abstention"]["crossed"]["n"] == 1  # type: ignore[index]


def test_a_conversation_alone_in_all_files_has_nobody_else_to_ask(tmp_path: Path) -> None:
    report = measured(tmp_path, [garden()], crossed=True)
    assert report["abstention"]["crossed"]["n"] == 0


def test_a_turn_whose_words_are_in_the_context_counts_in_its_own_words(tmp_path: Path) -> None:
    talk = garden()
    words = "The quick grey heron stood in the shallow water. " * 40
    talk["sessions"][0]["turns"].append(turn("a3", words))
    talk["questions"] = [question("q", "heron in shallow water", ["a3"])]
    report = measured(tmp_path, [talk])
    assert report["overall"]["r@1k"] == 100
    assert report["overall"]["r@1k_text"] == 100


def test_a_question_without_evidence_is_not_scored(tmp_path: Path) -> None:
    talk = garden()
    talk["questions"].append(question("q3", "wheelbarrow", []))
    report = measured(tmp_path, [talk])
    assert report["overall"]["n"] == 2
    assert report["without_evidence"] == 1


def test_evidence_that_is_no_turn_counts_as_missed(tmp_path: Path) -> None:
    talk = garden()
    talk["questions"] = [question("q", "wheelbarrow", ["b1", "gone"])]
    report = measured(tmp_path, [talk])
    assert report["overall"]["r@10"] == 50
    assert report["evidence_not_there"] == 1


def test_turns_without_words_are_passed_over(tmp_path: Path) -> None:
    talk = garden()
    talk["sessions"][0]["turns"].append(turn("a3", " \n"))
    talk["sessions"].append({"id": "s3", "at": "2026-01-10T00:00:00", "turns": [turn("c", "")]})
    assert measured(tmp_path, [talk])["ingest"]["turns"] == 4


def test_a_conversation_without_turns_has_no_answers(tmp_path: Path) -> None:
    talk = garden() | {"sessions": []}
    assert measured(tmp_path, [talk])["overall"]["r@20"] == 0


def test_a_turn_that_cannot_be_journalled_is_named(tmp_path: Path) -> None:
    talk = garden()
    talk["sessions"][1]["turns"][0]["role"] = "ghost"
    with pytest.raises(InputError, match=r"conversation 'garden', session 's2': .*'ghost'"):
        measured(tmp_path, [talk])


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot read"):
        measure([str(tmp_path / "none")], Config(), RetrievalOptions())


def test_processes_that_share_the_work_find_the_same(tmp_path: Path) -> None:
    path = written(tmp_path, garden(), harbour())
    alone, together = (
        measure([path], Config(), RetrievalOptions(crossed=True, jobs=jobs))[0] for jobs in (1, 2)
    )
    for name in ("overall", "categories", "abstention"):
        assert alone.report[name] == together.report[name]


def test_each_question_has_a_row_with_the_ranks_of_its_evidence(tmp_path: Path) -> None:
    (found,) = measure([written(tmp_path, garden())], Config(), RetrievalOptions())
    first = found.each[0]
    assert (first["conversation"], first["question"]) == ("garden", "q1")
    assert first["ranks"] == {"b1": 1}
    assert first["r@5"] == 1
    assert "wheelbarrow" not in str(found.each)


def test_memories_that_were_kept_are_used_again(tmp_path: Path) -> None:
    path, keep = written(tmp_path, garden(), harbour()), str(tmp_path / "kept")
    first, again = (
        measure([path], Config(), RetrievalOptions(keep=keep, crossed=crossed))[0].report
        for crossed in (False, True)
    )
    assert first["overall"] == again["overall"]
    assert first["ingest"]["turns"] == 6  # type: ignore[index]
    assert again["ingest"]["turns"] == 0  # type: ignore[index]
    assert len(list((tmp_path / "kept").iterdir())) == 2


def test_progress_is_told_for_each_conversation(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    path = written(tmp_path, garden(), harbour())
    measure([path], Config(), RetrievalOptions(), lambda done, total: seen.append((done, total)))
    assert seen == [(1, 2), (2, 2)]


def test_with_an_embedder_its_own_time_is_told_apart(tmp_path: Path) -> None:
    model = {"embedder.kind": "onnx", "embedder.path": folder(tmp_path / "model")}
    path, keep = written(tmp_path, garden()), str(tmp_path / "kept")
    plain, embedded = (
        measure([path], from_mapping(given), RetrievalOptions(keep=keep))[0].report
        for given in ({}, model)
    )
    assert "latency_without_embedder_ms" not in plain
    assert embedded["latency_without_embedder_ms"]["p50"] > 0  # type: ignore[index]
    assert embedded["not_embedded"] == 0
    assert embedded["ingest"]["turns"] == 0  # type: ignore[index]


def test_an_embedder_that_cannot_be_had_is_an_error_and_not_a_worse_figure(tmp_path: Path) -> None:
    config = from_mapping({"embedder.kind": "onnx", "embedder.path": str(tmp_path / "none")})
    with pytest.raises(ConfigError):
        measure([written(tmp_path, garden())], config, RetrievalOptions())
