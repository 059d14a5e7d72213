"""The command line, as a user would type it; as real processes where it is about those."""

from __future__ import annotations

import json
import os
import pty
import subprocess
from pathlib import Path

import pytest

from tests.serve.shell import LOXODON, NOW, Shell

TALK = Path(__file__).parent / "conversation.jsonl"


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path / "home")


@pytest.fixture
def filled(shell: Shell) -> Shell:
    shell("add", str(TALK))
    shell(
        "capture",
        "用户对花生过敏",
        "--importance",
        "1.0",
        "--tags",
        "过敏,饮食",
        "--entities",
        "用户",
        "--category",
        "health",
    )
    return shell


def test_init_says_what_it_made_and_again_that_it_is_there(shell: Shell) -> None:
    assert b"created a memory" in shell.process("init").stdout
    assert b"is ready" in shell.process("init").stdout
    assert shell.json("init") == {"home": str(shell.home), "space": "main", "created": False}
    assert oct(shell.home.stat().st_mode & 0o777) == "0o700"


def test_reading_what_is_not_there_says_how_to_make_it(shell: Shell) -> None:
    done = shell.process("recall", "anything", code=3)
    assert b"no memory found at" in done.stderr
    assert b"loxodon init" in done.stderr
    assert done.stdout == b""
    assert not shell.home.exists()


def test_the_main_job(filled: Shell) -> None:
    assert "turns added: 0, already known: 12" in filled.text("add", str(TALK))
    answer = json.loads(filled.process("recall", "花生", "--json").stdout)
    assert list(answer) == [
        "query",
        "gate",
        "items",
        "left_out",
        "context",
        "tokens",
        "elapsed_ms",
        "unsure",
    ]
    first = answer["items"][0]
    assert list(first) == ["id", "kind", "content", "score", "at", "state", "sources", "why"]
    assert first["id"] == "f_20260204_001"
    assert first["why"]["words"] == ["花生"]
    assert first["sources"] == [{"session": "capture", "turn": "#1"}]
    assert "用户对花生过敏" in answer["context"]
    assert answer["tokens"] <= 1000
    english = filled.json("recall", "Where did my manager move to?", "--top", "1")
    assert english["items"][0]["sources"] == [{"session": "tuesday", "turn": "t3"}]
    assert english["items"][0]["kind"] == "turn"


def test_recall_for_a_person(filled: Shell) -> None:
    plain = filled.text("recall", "花生", "过敏")
    assert plain.startswith("1. [2026-02-04] 用户对花生过敏\n")
    assert "\x1b[" not in plain
    explained = filled.text("recall", "花生", "--explain")
    assert "why: has 花生; score" in explained
    assert "found by words" in explained
    assert "weighed by importance ×1.05" in explained
    assert "nothing related" in filled.text("recall", "zeppelin")
    assert "no words" in filled.text("recall", "!!!")


def test_recall_filters(filled: Shell) -> None:
    def ids(*words: str) -> list[str]:
        return [item["id"] for item in filled.json("recall", "花生过敏", *words)["items"]]

    assert ids("--kind", "fact") == ids("--tag", "饮食") == ids("--entity", "用户")
    assert ids("--kind", "turn") == ["t_13", "t_3", "t_4"]
    assert ids("--kind", "belief") == ids("--tag", "x") == ids("--project", "Acme") == []
    assert "t_3" not in ids("--since", "2026-02-03")
    assert ids("--until", "2026-02-02") == ["t_3", "t_4"]
    assert ids("--since", "yesterday") == ids("--since", "昨天") == ["f_20260204_001"]


@pytest.mark.parametrize("budget", [0, 10, 40, 60, 100, 1000])
def test_recall_never_exceeds_its_budget(filled: Shell, budget: int) -> None:
    answer = filled.json("recall", "花生 Kuzu 咖啡 manager", "--budget", str(budget))
    assert answer["tokens"] <= budget
    if budget < 40:
        assert answer["context"] == ""
        assert answer["left_out"][0]["reason"] == "budget"


@pytest.mark.parametrize(
    "query", ['"', "*", "NEAR(花生)", "a:b", "-花生", "--", "花生 AND", "((", "col:花生", "'; --"]
)
def test_no_query_is_syntax(filled: Shell, query: str) -> None:
    filled("recall", "--json", *(["--", query] if query == "--" else [query]))


def test_json_is_one_document_for_every_command(filled: Shell) -> None:
    id = filled.json("list")[0]["id"]
    for words in (
        ["init"],
        ["add", str(TALK)],
        ["capture", "x y z"],
        ["recall", "x"],
        ["journal"],
        ["list"],
        ["get", id],
        ["get", "t_1"],
        ["edit", id, "--importance", "0.9"],
        ["tag", id, "+a", "-b"],
        ["archive", id],
        ["unarchive", id],
        ["history", id],
        ["snapshot"],
        ["status"],
        ["stats"],
        ["validate"],
        ["rebuild-index"],
        ["config"],
        ["config", "recall.top"],
        ["--help"],
        ["--version"],
    ):
        done = filled(*words, "--json")
        json.loads(done.stdout)
        assert done.stderr == b"", words
        assert filled(*words).stdout, words


def test_errors_are_json_too_when_asked_for(filled: Shell) -> None:
    done = filled.process("get", "f_20990101_001", "--json", code=3)
    assert json.loads(done.stdout)["error"]["code"] == "not_found"
    assert b"hint:" in done.stderr


def test_the_memory_record_has_the_fields_of_the_design(filled: Shell) -> None:
    (one,) = filled.json("list")
    assert one == filled.json("get", one["id"])
    assert set(one) == {
        "id",
        "space",
        "agent",
        "audience",
        "kind",
        "content",
        "subject",
        "attribute",
        "value",
        "category",
        "project",
        "topic",
        "tags",
        "entities",
        "importance",
        "confidence",
        "strength",
        "sensitivity",
        "trust",
        "state",
        "valid_from",
        "valid_until",
        "expires_at",
        "due_at",
        "done",
        "created_at",
        "updated_at",
        "accessed_at",
        "confirmed_at",
        "access_count",
        "version",
        "sources",
        "basis",
        "derived_from",
        "replaces",
        "positive",
    }
    assert one["tags"] == ["过敏", "饮食"]
    assert one["created_at"] == NOW
    assert (one["project"], one["topic"]) == ("_global", "_general")


def test_a_memory_through_its_life(filled: Shell) -> None:
    id = filled.json(
        "capture",
        "likes tea",
        "--type",
        "belief",
        "--confidence",
        "0.4",
        "--expires",
        "in two weeks",
    )["id"]
    assert id == "b_20260204_001"
    assert filled.json("edit", id, "--content", "likes green tea", "--version", "1")["version"] == 2
    stale = filled("edit", id, "--content", "x", "--version", "1", code=5)
    assert b"version 2" in stale.stderr
    assert filled.json("tag", id, "+drink", "+tea", "-none")["tags"] == ["drink", "tea"]
    assert filled.json("tag", id, "-tea")["tags"] == ["drink"]
    assert filled.json("archive", id)["state"] == "archived"
    assert filled.json("recall", "green tea", "--kind", "belief")["items"] == []
    assert [one["id"] for one in filled.json("list", "--state", "archived")] == [id]
    assert filled.json("unarchive", id)["state"] == "active"
    changes = [version["change"] for version in filled.json("history", id)]
    assert changes == ["captured", "edited", "edited", "edited", "archived", "unarchived"]
    assert "likes tea → likes green tea" in filled.text("history", id)


def test_now_sets_the_clock_for_the_whole_command(filled: Shell) -> None:
    id = filled.json("list")[0]["id"]
    later = filled.json("get", id, "--now", "2026-07-28T18:00:00+08:00")
    assert later["strength"] == pytest.approx(0.996**174, rel=1e-6)
    filled.json("capture", "short lived", "--expires", "2026-02-10")
    assert len(filled.json("recall", "short lived", "--kind", "fact")["items"]) == 1
    late = filled.json("--now", "2026-02-11", "recall", "short lived", "--kind", "fact")
    assert late["items"] == []
    assert b"not a date" in filled("--now", "soon", "list", code=4).stderr


def test_spaces_are_walls(filled: Shell) -> None:
    filled("--space", "bob", "capture", "bob likes peanuts")
    assert filled.json("--space", "bob", "list")[0]["space"] == "bob"
    found = filled.json("--space", "bob", "recall", "花生")["items"]
    assert {item["content"] for item in found} <= {"bob likes peanuts"}
    assert filled.json("--space", "bob", "recall", "Kuzu")["items"] == []
    found = filled.json("recall", "peanuts")["items"]
    assert all("bob" not in item["content"] for item in found)
    assert b"no space" in filled("--space", "carol", "list", code=3).stderr


def test_journal_by_day_session_and_word(filled: Shell) -> None:
    def ids(*words: str) -> list[str]:
        return [turn["id"] for turn in filled.json("journal", *words)]

    assert ids("--on", "last Tuesday") == ids("--on", "2026-02-03") == ["t1", "t2", "t3", "t4"]
    assert ids("--session", "wednesday") == ["w1", "w2", "w3"]
    assert ids("咖啡") == ["w3"]
    assert ids("--since", "今天", "--session", "wednesday") == ["w1", "w2", "w3"]
    assert ids("--limit", "1", "--session", "monday") == ["m5"]
    shown = filled.text("journal", "--session", "monday")
    assert "09:12 user: 你好呀" in shown


def test_standard_input(shell: Shell) -> None:
    shell.process("add", "-", given="Alice: 我下周去巴黎\nBob: nice, bring cheese\n".encode())
    assert shell.json("recall", "巴黎")["items"][0]["sources"][0]["session"] == "stdin-2026-02-04"
    shell.process("capture", "-", given=b"from a pipe")
    assert shell.json("list")[0]["content"] == "from a pipe"


BAD_LINES = (
    b'{"role": "user", "content": "good one"}\n'
    b'{"role": "user", "content": \n'
    b'{"role": "wizard", "content": "hi"}\n'
    b'{"role": "user", "content": "caf\xe9"}\n'
    b'{"role": "user", "content": "nul \\u0000"}\n'
    b'{"role": "user", "content": "half \\ud800"}\n'
    b'{"role": "user", "content": "x", "at": "2026-02-30"}\n'
    b'{"role": "user", "content": "another good one"}\n'
)


def test_a_bad_line_refuses_the_file_and_names_each(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "chat.jsonl"
    file.write_bytes(BAD_LINES)
    done = shell("add", str(file), code=4)
    said = done.stderr.decode()
    assert "chat.jsonl: nothing was added: 6 invalid lines" in said
    assert [f"line {n}:" in said for n in range(1, 9)] == [False, *[True] * 6, False]
    assert "--skip-bad" in said
    shell("init")
    assert shell.json("journal") == []


def test_skip_bad_takes_the_good_lines(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "chat.jsonl"
    file.write_bytes(BAD_LINES)
    done = shell.json("add", str(file), "--skip-bad")
    assert (done["added"], len(done["skipped"])) == (2, 6)
    assert [turn["content"] for turn in shell.json("journal")] == ["good one", "another good one"]
    assert shell.json("add", str(file), "--skip-bad")["added"] == 0


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["add", "nowhere.jsonl"], 4, "cannot read nowhere.jsonl"),
        (["add", "/"], 4, "cannot read /"),
        (["add", os.devnull], 4, "contains no messages"),
        (["capture", "   "], 4, "the content is empty"),
        (["capture", "x", "--importance", "2"], 4, "importance cannot be 2.0"),
        (["capture", "x", "--importance", "high"], 2, "importance: must be a number"),
        (["capture", "x", "--type", "belief", "--confidence", "1"], 4, "must be below 1"),
        (["capture", "x", "--category", "nonsense"], 2, "category"),
        (["capture", "x", "--expires", "2026-02-30"], 4, "is not a recognised date"),
        (["capture", "x" * 10_001], 4, "10001 characters"),
        (["recall"], 2, "QUERY"),
        (["recall", "x", "--since", "nonsense"], 4, "is not a recognised date"),
        (["recall", "x", "--colour"], 2, "--colour"),
        (["get", "f_1"], 3, "no memory with the id 'f_1'"),
        (["get", "t_99"], 3, "no turn with the id 't_99'"),
        (["tag", "f_1", "a"], 2, "'a' is not a tag change"),
        (["frobnicate"], 2, "unknown command 'frobnicate'"),
        (["--space", "", "list"], 4, "is not a valid space name"),
        (["--home"], 2, "--home needs a value"),
        (["config", "no.such"], 6, "unknown setting"),
        (["config", "recall.top", "many"], 6, "recall.top cannot be 'many'"),
        (["config", "timezone", "Mars/Base"], 6, "unknown time zone"),
        (["list", "--kind", "turn"], 2, "turns are not memories"),
        (["list", "--limit", "-1"], 2, "--limit: must be a whole number, 0 or more, not '-1'"),
        (["recall", "x", "--top", "-1"], 2, "--top"),
        (["recall", "x", "--since", ""], 4, "is not a recognised date"),
        (["recall", "x", "--since", "today", "--until", "yesterday"], 4, "before it starts"),
        (["journal", "--on", "today", "--since", "today"], 2, "--on"),
        (["capture", "x", "--expires", "yesterday"], 4, "is in the past"),
        (["edit", "t_1", "--content", "x"], 3, "is a turn"),
        (["tag", "f_1", ""], 2, "not a tag change"),
        (["--now", "9999-12-31T23:59:59Z", "status"], 4, "cannot be the current time"),
        (["config", "--unset"], 2, "needs the name of a setting"),
        (["get", "\udcff"], 3, "no memory"),
        (["list", "--project", "\udcff", "--kind", "turn"], 2, "turns"),
        (["add", "x\udcff.jsonl"], 4, "cannot read"),
        (["--home", "/dev/null", "list"], 3, "no memory found at"),
        (["--home", "/dev/null", "capture", "x"], 7, "cannot create the folder"),
        (["--home", "/dev/null/x", "config", "recall.top", "5"], 6, "cannot write"),
    ],
)
def test_mistakes_are_answered_clearly(
    shell: Shell, words: list[str], code: int, said: str
) -> None:
    shell("init")
    done = shell(*words, code=code)
    assert said in done.stderr.decode()
    assert b"Traceback" not in done.stderr
    assert done.stdout == b""


def test_config_shows_sets_and_unsets(shell: Shell) -> None:
    assert shell.json("config")["recall.top"] == 10
    (shell.home).mkdir()
    (shell.home / "config.toml").write_text("# mine\n[recall]\ntop = 7  # few\n")
    assert shell.json("config", "recall.top") == {"recall.top": 7}
    shell("config", "recall.top", "3")
    shell("config", "timezone", "Europe/Berlin")
    text = (shell.home / "config.toml").read_text()
    assert "# mine" in text
    assert "# few" in text
    assert shell.json("config", "recall.top") == {"recall.top": 3}
    shell("config", "recall.top", "--unset")
    assert shell.json("config", "recall.top") == {"recall.top": 10}
    shell("config", "model.api_key", "sk-very-secret")
    for words in (["config"], ["config", "model.api_key"]):
        assert "sk-very" not in shell.text(*words) + str(shell.json(*words))
    (shell.home / "config.toml").write_text("recall = [")
    assert b"not valid TOML" in shell("list", code=6).stderr


def test_messages_follow_the_locale(filled: Shell) -> None:
    assert "没有" in filled("get", "f_1", code=3, LANG="zh_CN.UTF-8").stderr.decode()
    assert "列出记忆，新的在前。" in filled.text("--help", LANG="zh_CN.UTF-8")
    wrong = filled("recall", "x", "--top", "many", code=2, LANG="zh_CN.UTF-8").stderr.decode()
    assert "参数 --top" in wrong
    filled("config", "language", "zh")
    assert "记忆" in filled.text("stats")


def test_a_terminal_gets_colour_and_a_pipe_does_not(filled: Shell) -> None:
    leader, follower = pty.openpty()
    with subprocess.Popen(
        [LOXODON, "recall", "花生"],
        stdout=follower,
        stderr=follower,
        env=filled.environment | {"TERM": "xterm"},
    ) as process:
        os.close(follower)
        seen = _read_all(leader)
        assert process.wait(timeout=60) == 0
    assert b"\x1b[36m" in seen
    assert b"\x1b[" not in filled("list").stdout


def _read_all(leader: int) -> bytes:
    seen = b""
    while True:
        try:
            piece = os.read(leader, 4096)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        seen += piece
    os.close(leader)
    return seen


def test_what_was_journalled_cannot_drive_a_terminal(shell: Shell) -> None:
    line = json.dumps({"role": "user", "content": "pwned \x1b[2J\x07 here"})
    shell("add", "-", given=line.encode())
    for words in (["recall", "pwned"], ["journal"]):
        shown = shell(*words).stdout
        assert b"\x1b" not in shown
        assert b"\\x1b" in shown


def test_a_reader_that_leaves_early_is_no_error(filled: Shell) -> None:
    command = f"{LOXODON} journal --json | head -c 1"
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command}"],
        capture_output=True,
        env=filled.environment,
        timeout=60,
    )
    assert done.returncode == 0
    assert done.stderr == b""


def test_edit_opens_the_editor_when_nothing_is_given(filled: Shell, tmp_path: Path) -> None:
    editor = tmp_path / "editor"
    editor.write_text("#!/bin/sh\nsed -i 's/花生/坚果/' \"$1\"\n")
    editor.chmod(0o755)
    id = filled.json("list")[0]["id"]
    assert filled.json("edit", id, EDITOR=str(editor))["content"] == "用户对坚果过敏"
    assert b"set EDITOR" in filled("edit", id, code=2).stderr


def test_validate_reports_damage_by_its_exit_code(filled: Shell) -> None:
    assert "no problems found" in filled.text("validate")
    import apsw

    database = apsw.Connection(str(filled.home / "spaces" / "main" / "loxodon.db"))
    database.execute("DELETE FROM turn_index WHERE rowid = 1")
    database.close()
    done = filled.process("validate", "--json", code=7)
    assert json.loads(done.stdout)["problems"][0]["where"] == "turn_index"
    filled("rebuild-index")
    filled("validate")


def test_stats_and_status(filled: Shell) -> None:
    stats = filled.json("stats")
    assert (stats["total"], stats["active"], stats["archived"]) == (1, 1, 0)
    assert stats["kinds"] == {"fact": 1, "belief": 0, "summary": 0}
    assert stats["importance"] == {"critical": 1, "high": 0, "medium": 0, "low": 0}
    assert stats["last_consolidation"] is None
    assert stats["next_consolidation"] == "2026-02-05T03:00:00+08:00"
    status = filled.json("status")
    assert (status["turns"], status["space"]) == (13, "main")
    assert status["bytes"] > 0


def test_snapshot(filled: Shell) -> None:
    shown = filled.text("snapshot")
    assert "## Constraints" in shown
    assert "用户对花生过敏" in shown


def test_a_file_that_grows_from_one_turn_adds_only_what_is_new(
    shell: Shell, tmp_path: Path
) -> None:
    file = tmp_path / "talk.txt"
    for n in range(1, 6):
        file.write_text("".join(f"Me: line {i}\n" for i in range(n)))
        assert shell.json("add", str(file))["added"] == 1
    file.write_text(file.read_text().replace("line 0", "line zero"))
    changed = shell.json("add", str(file))
    assert (changed["added"], changed["known"], changed["sessions"]) == (1, 4, ["talk"])


def test_when_a_memory_ends(shell: Shell) -> None:
    def ends(when: str) -> str:
        return str(shell.json("capture", "x", "--expires", when)["expires_at"])[:10]

    assert ends("end of march") == ends("3月底") == "2026-04-01"
    assert ends("Dec 25") == "2026-12-26"
    assert ends("in two weeks") == "2026-02-18"
    assert ends("never") == ends("永不") == "None"
    id = shell.json("capture", "y", "--expires", "tomorrow")["id"]
    assert shell.json("edit", id, "--expires", "never")["expires_at"] is None
    assert "—" in shell.text("history", id)


def test_a_source_can_be_followed(filled: Shell) -> None:
    (item,) = filled.json("recall", "花生", "--kind", "fact")["items"]
    source = item["sources"][0]
    turn = filled.json("get", f"{source['session']}:{source['turn']}")
    assert turn["content"] == item["content"]
    assert filled.json("get", "tuesday:t3")["id"] == "t3"
    filled("get", "tuesday:t99", code=3)


def test_words_need_no_quotes(shell: Shell) -> None:
    assert shell.json("capture", "I", "like", "green", "tea")["content"] == "I like green tea"


def test_the_language_of_the_home_holds_for_every_command(filled: Shell) -> None:
    filled("config", "language", "zh")
    assert "无法读取" in filled("add", "nowhere.txt", code=4).stderr.decode()
    assert "设置" in filled.text("config")
    (filled.home / "config.toml").write_text('language = "zh"\n[recall]\ntop = "ten"\n')
    assert "recall.top 不能是" in filled("list", code=6, LANG="zh_CN.UTF-8").stderr.decode()


def test_what_a_group_may_be_told_is_said_when_it_is_captured(shell: Shell) -> None:
    shared = shell.json("capture", "The office is closed on Friday", "--audience", "group")["id"]
    private = shell.json("capture", "The office party is a surprise")["id"]
    assert shell.json("get", shared)["audience"] == "group"
    told = shell.json("recall", "office", "--chat", "group")["items"]
    assert [item["id"] for item in told] == [shared]
    shell.json("edit", private, "--audience", "group")
    assert len(shell.json("recall", "office", "--chat", "group")["items"]) == 2


def test_a_lost_database_is_told_also_after_the_engine_was_off(shell: Shell) -> None:
    shell.json("capture", "用户喜欢喝茶")
    shell("config", "enabled", "false")
    shell.json("capture", "用户喜欢爬山")
    shell("config", "enabled", "true")
    (shell.home / "spaces" / "main" / "loxodon.db").unlink()
    assert b"loxodon restore" in shell("list", code=7).stderr
