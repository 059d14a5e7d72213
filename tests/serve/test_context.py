"""`loxodon context`, and what `--explain` tells, as a user would type them."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from loxodon import recall
from loxodon.recall.weights import ASKED, TOLD
from loxodon.serve.cli import explaining, main
from tests.serve.shell import NOW

Run = Callable[..., str]
ZH = "zh_CN.UTF-8"
TALK = [
    {"role": "user", "content": "我对花生过敏", "at": "2026-02-02T10:00:00+08:00"},
    {"role": "user", "content": "I live in Leeds", "at": "2026-02-02T11:00:00+08:00"},
    {
        "role": "user",
        "speaker": "Ann",
        "content": "Dinner is at the Blue Door on Friday",
        "chat": "group",
        "at": "2026-02-04T10:00:00+08:00",
    },
]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command in this process, on a memory that knows `TALK`, and returns what it said."""
    for name in [one for one in os.environ if one.startswith(("LOXODON", "LC_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("LOXODON_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LOXODON_NOW", NOW)

    def one(*words: str, code: int = 0, lang: str = "C.UTF-8") -> str:
        monkeypatch.setenv("LANG", lang)
        capsys.readouterr()
        assert main(list(words)) == code
        said = capsys.readouterr()
        return said.out if code == 0 else said.err

    one("config", "timezone", "Asia/Shanghai")
    path = tmp_path / "talk.jsonl"
    path.write_text("\n".join(json.dumps(turn, ensure_ascii=False) for turn in TALK), "utf-8")
    one("add", str(path))
    one("consolidate")
    return one


def test_the_frame_is_printed_and_nothing_else(run: Run) -> None:
    said = run("context", "花生可以吃吗？")
    assert said.startswith("[用户画像]（")
    assert "1. [2026-02-02] 用户对花生过敏" in said
    assert "- 10:00 Ann: Dinner is at the Blue Door on Friday" in said
    assert said.endswith("[用户消息]\n花生可以吃吗？\n")
    assert run("context", "花生可以吃吗？", lang=ZH) == said  # by the message, not the locale


def test_the_frame_as_json(run: Run) -> None:
    frame = json.loads(run("context", "Where do I live?", "--json"))
    assert list(frame) == [
        "message",
        "language",
        "gate",
        "soul",
        "profile",
        "memories",
        "recent",
        "text",
        "tokens",
        "recall",
        "left_out",
        "parts",
        "budget",
    ]
    assert frame["gate"]["recall"] is True
    assert "Leeds" in frame["memories"]
    assert "trace" not in frame["recall"]
    assert [one["name"] for one in frame["parts"]] == ["profile", "memories", "recent", "message"]
    assert 0 < sum(one["tokens"] for one in frame["parts"]) <= frame["tokens"] + 4  # the gaps
    assert frame["tokens"] <= frame["budget"] == 4_000
    whole = json.loads(run("context", "Where do I live?", "--json", "--explain"))
    assert whole["recall"]["trace"]["stages"]
    assert json.loads(run("context", "ok", "--json"))["recall"] is None


def test_a_group_is_told_nothing_private(run: Run) -> None:
    said = run("context", "Where is dinner, where do I live?", "--chat", "group")
    assert "Blue Door" in said
    assert "Leeds" not in said
    assert "花生" not in said
    assert "nothing related" in run("recall", "Leeds", "--chat", "group")
    assert "Leeds" in run("recall", "Leeds")
    assert "'room'" in run("context", "hi", "--chat", "party", code=2)


def test_the_soul_and_the_budget(run: Run, tmp_path: Path) -> None:
    soul = tmp_path / "SOUL.md"
    soul.write_text("You are Bamboo.", "utf-8")
    assert run("context", "ok", "--soul", str(soul)).startswith("[System]\nYou are Bamboo.\n\n")
    assert run("context", "ok", "--workspace", str(tmp_path)).startswith("[System]\nYou are")
    assert (
        run("context", "Where do I live?", "--budget", "0") == "[User message]\nWhere do I live?\n"
    )
    assert "[Related" not in run("context", "Where do I live?", "--top", "0")
    assert run("context", "ok", "--soul", str(tmp_path / "none.md"), code=4)


def test_any_text_is_a_message(run: Run) -> None:
    assert run("context", "-x", "--", "--y").endswith("[User message]\n-x --y\n")
    assert "\\x1b" in run("context", "hi \x1b[31m there")


@pytest.mark.parametrize(
    ("lang", "wanted"),
    [
        (
            "C.UTF-8",
            [
                "why: has 花生; score",
                "found by words",
                "weighed by importance ×",
                "understood  花生",
                "routes ",
                "not shown",
                "beyond --top",
                "ms in all",
            ],
        ),
        (
            ZH,
            [
                "原因：含有 花生；得分",
                "来自：词语",
                "加权：重要性 ×",
                "理解为  花生",
                "路径 ",
                "未显示",
                "超出 --top",
                "毫秒",
            ],
        ),
    ],
)
def test_a_recall_explains_itself(run: Run, lang: str, wanted: list[str]) -> None:
    for n in range(3):
        run("capture", f"花生酱放在第 {n} 格")
    said = run("recall", "花生", "--explain", "--top", "2", lang=lang)
    for words in wanted:
        assert words in said, words
    assert wanted[3] not in run("recall", "花生", lang=lang)


def test_the_whole_trace_is_in_json_where_it_is_asked_for(run: Run) -> None:
    plain = json.loads(run("recall", "花生", "--json"))
    assert "trace" not in plain
    assert list(plain["items"][0]) == [
        "id",
        "kind",
        "content",
        "score",
        "at",
        "state",
        "sources",
        "why",
    ]
    trace = json.loads(run("recall", "花生", "--json", "--explain"))["trace"]
    assert list(trace) == ["question", "routes", "considered", "stages", "profile", "trouble"]
    assert trace["question"]["words"] == ["花生"]
    assert trace["considered"][0]["fate"] == "shown"
    assert trace["considered"][0]["routes"]["words"] > 0
    assert {"name", "ms"} == set(trace["stages"][0])


@pytest.mark.parametrize(
    ("message", "lang", "wanted"),
    [
        ("Do you remember Leeds?", "C.UTF-8", "gate recalls: it asks to remember"),
        ("ok", "C.UTF-8", "gate recalls nothing: it is too short"),
        ("你还记得我住哪儿吗？", ZH, "闸门 召回："),
        ("好的", ZH, "闸门 不召回：太短"),
    ],
)
def test_a_frame_explains_itself(run: Run, message: str, lang: str, wanted: str) -> None:
    said = run("context", message, "--explain", lang=lang)
    assert " ".join(said.split()).startswith(wanted)


def test_a_frame_shows_what_it_explains(run: Run) -> None:
    said = run("context", "Do you remember Leeds?", "--explain")
    assert "1. [2026-02-02] The user lives in Leeds\n   fact · f_" in said
    assert "\n   why: has " in said


def test_a_route_that_gave_nothing_is_not_named(run: Run) -> None:
    for query in ("Leeds", "花生", "Where do I live?", "dinner on Friday", "我妹妹"):
        said = run("recall", query, "--explain")
        assert " 0.00" not in said.partition("understood")[0]


def test_who_spoke_and_what_it_is_are_told_in_the_language_of_the_terminal(run: Run) -> None:
    asked = ("recall", "花生过敏", "--kind", "turn")
    assert "] user: 我对花生过敏\n   turn · t_" in run(*asked)
    assert "] 用户: 我对花生过敏\n   消息 · t_" in run(*asked, lang=ZH)
    assert "\n   事实 · f_" in run("recall", "花生过敏", "--kind", "fact", lang=ZH)
    assert json.loads(run(*asked, "--json", lang=ZH))["items"][0]["kind"] == "turn"


def test_what_was_known_at_a_day(run: Run) -> None:
    assert "Blue Door" in run("recall", "dinner on Friday")
    assert "Blue Door" not in run("recall", "dinner on Friday", "--as-of", "2026-02-03")
    assert "Blue Door" in run("recall", "dinner on Friday", "--as-of", "2026-02-04")
    assert "Leeds" in run("recall", "Leeds", "--as-of", "前天")
    assert "is not a recognised date" in run("recall", "Leeds", "--as-of", "whenever", code=4)


def test_what_no_longer_holds_says_so_on_the_terminal(run: Run, tmp_path: Path) -> None:
    moved = {"role": "user", "content": "I live in York now", "at": "2026-02-04T12:00:00+08:00"}
    path = tmp_path / "more.jsonl"
    path.write_text(json.dumps(moved), "utf-8")
    run("add", str(path))
    run("consolidate", "--force")
    asked = ("recall", "Where did I live before? Leeds?", "--kind", "fact")
    assert "(held until 2026-02-04) The user lives in Leeds" in run(*asked)
    assert "有效至 2026-02-04" in run(*asked, lang=ZH)
    items = json.loads(run(*asked, "--json"))["items"]
    (old,) = [item for item in items if "Leeds" in item["content"]]
    assert old["valid_until"].startswith("2026-02-04")


def test_every_route_factor_and_stage_has_a_name_for_people() -> None:
    sources = [path.read_text("utf-8") for path in Path(recall.__file__).parent.glob("*.py")]
    named = re.compile(
        r'(?:factors|routes)\["([a-z ]+)"\] =|\blap\("([a-z]+)"\)|"([a-z]+)": lambda: _'
    )
    names = {name for text in sources for one in named.findall(text) for name in one if name}
    names |= {*ASKED, *TOLD}
    assert {"holds", "order", "since", "setting"} < names
    assert names - explaining.labels().keys() == set()
