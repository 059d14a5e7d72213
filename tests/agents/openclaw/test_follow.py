"""Following an OpenClaw: all that people said once, whichever way and however often it is read."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import zstandard

from loxodon import Memory
from loxodon.errors import NotFoundError
from loxodon.journal.follow import Followed
from tests.agents.openclaw.made import OpenClaw, header, lines, said, talk
from tests.cases import cases
from tests.cli.shell import typed
from tests.clock import Clock


@pytest.fixture
def claw(tmp_path: Path) -> OpenClaw:
    return OpenClaw(tmp_path / "openclaw")


def follow(memory: Memory, claw: OpenClaw, *agents: str) -> Followed:
    return memory.workspace.follow(str(claw.root), agents)


def journal(memory: Memory) -> list[str]:
    return [turn.content for turn in memory.journal()]


def append(path: Path, text: str) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(text)


# -- both generations ----------------------------------------------------------------------------


def test_both_generations_at_once(memory: Memory, claw: OpenClaw) -> None:
    claw.file("old", talk("我姐姐住在大阪", "记住了"))
    claw.database("work").session("new", talk("the demo is on Friday", "noted"))
    found = follow(memory, claw)
    assert (found.added, found.known, found.read, found.unchanged) == (4, 0, 2, 0)
    assert (set(found.sessions), found.problems) == ({"old", "new"}, ())
    assert {turn.session for turn in memory.journal()} == {"old", "new"}
    assert memory.turn("new:m1").content == "the demo is on Friday"
    assert memory.recall("大阪").items
    again = follow(memory, claw)
    assert (again.added, again.known, again.read, again.unchanged) == (0, 0, 0, 2)


def test_what_is_too_long_to_be_read_is_told_of(
    memory: Memory, claw: OpenClaw, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = claw.file("one", talk("a", "b", "c"))
    monkeypatch.setattr("loxodon.journal.follow.MAX_READ", path.stat().st_size - 10)
    told = [follow(memory, claw).problems for _ in range(2)]  # as long as it is so
    assert [(one.file, one.line) for (one,) in told] == [(str(path), 4)] * 2
    assert journal(memory) == ["a", "b"]


def test_a_session_that_was_moved_to_the_database_is_the_same(
    memory: Memory, claw: OpenClaw
) -> None:
    path = claw.file("one", talk("a", "b"))
    claw.database().session("one", talk("a", "b", "c"))
    found = follow(memory, claw)
    assert (found.added, found.known) == (3, 2)
    path.write_text(lines([header("one"), *talk("another")]), "utf-8")  # under a known id
    assert (follow(memory, claw).changed, journal(memory)) == (1, ["a", "b", "c"])


def test_only_the_agents_asked_for(memory: Memory, claw: OpenClaw) -> None:
    with pytest.raises(NotFoundError):
        follow(memory, claw)  # there is no OpenClaw yet
    claw.file("one", talk("a"))
    claw.file("two", talk("b"), agent="work")
    assert follow(memory, claw, "work").sessions == ("two",)
    with pytest.raises(NotFoundError, match="no agent nobody"):
        follow(memory, claw, "nobody")


def test_agents_share_unless_they_are_kept_apart(
    tmp_path: Path, claw: OpenClaw, clock: Clock
) -> None:
    claw.file("one", talk("my sister lives in Osaka"), agent="home")
    claw.file("two", talk("the demo is on Friday"), agent="work")
    with Memory.open(tmp_path / "a", clock=clock) as memory:
        follow(memory, claw)
        assert {turn.agent for turn in memory.journal()} == {""}
    apart = {"workspace.agents": "apart"}
    with Memory.open(tmp_path / "b", config=apart, clock=clock) as memory:
        assert follow(memory, claw).added == 2
        assert follow(memory, claw).added == 0
        assert journal(memory.within("home")) == ["my sister lives in Osaka"]
        assert journal(memory.within("work")) == ["the demo is on Friday"]


@pytest.mark.parametrize(
    ("variables", "folder"),
    [
        ({}, ".openclaw"),
        ({"OPENCLAW_STATE_DIR": " {home}/elsewhere "}, "elsewhere"),
        ({"OPENCLAW_PROFILE": "work"}, ".openclaw-work"),
    ],
)
def test_where_openclaw_is(tmp_path: Path, variables: dict[str, str], folder: str) -> None:
    OpenClaw(tmp_path / folder).file("one", talk("a"))
    env = {name: value.format(home=tmp_path) for name, value in variables.items()}
    env |= {"HOME": str(tmp_path), "LOXODON_HOME": str(tmp_path / "home"), "LANG": "C.UTF-8"}
    done = typed("follow", "openclaw", "--json", env=env)
    assert json.loads(done.stdout)["openclaw"]["added"] == 1


# -- what is new ---------------------------------------------------------------------------------


def test_of_a_file_that_grows_what_is_new_is_added(memory: Memory, claw: OpenClaw) -> None:
    path = claw.file("one", talk("a", "b"))
    follow(memory, claw)
    append(path, lines(talk("c", "d", first=3, parent="m2")))
    found = follow(memory, claw)
    assert (found.added, found.known) == (2, 2)
    append(path, lines(talk("e", first=5, parent="m4")))
    assert (follow(memory, claw).added, journal(memory)) == (1, ["a", "b", "c", "d", "e"])


def test_a_line_that_is_being_written_is_left_for_later(memory: Memory, claw: OpenClaw) -> None:
    path = claw.file("one", talk("a"))
    whole = lines(talk("说到一半", first=2, parent="m1")).encode()
    for cut in (1, len(whole) // 2, len(whole) - 2, len(whole) - 1):
        path.write_bytes(lines([header("one"), *talk("a")]).encode() + whole[:cut])
        found = follow(memory, claw)
        assert (found.problems, journal(memory)) == ((), ["a"])
    append(path, "\n" + lines(talk("c", first=3, parent="m2")))
    assert (follow(memory, claw).added, journal(memory)) == (2, ["a", "说到一半", "c"])


@pytest.mark.parametrize("kind", ["file", "database"])
def test_a_branch_that_was_left_stays_in_the_journal(
    memory: Memory, claw: OpenClaw, kind: str
) -> None:
    spoken = talk("hi", "hello", "I live in Rome", "nice")
    new = [said("n1", "m2", "I live in Oslo"), said("n2", "n1", "cold", "assistant")]
    path, database = claw.file("one", spoken if kind == "file" else ()), claw.database()
    database.session("one", spoken if kind == "database" else ())
    follow(memory, claw)
    if kind == "file":
        append(path, lines(new))
    else:
        database.path("one", [1, 2, *(database.append("one", one, live=False) for one in new)])
    found = follow(memory, claw)
    assert (found.added, found.known) == (2, 2)
    if kind == "file":
        append(path, lines([said("n3", "n2", "it is")]))
    else:
        database.append("one", said("n3", "n2", "it is"))
    assert (follow(memory, claw).added, len(journal(memory))) == (1, 7)


def test_a_branch_that_was_left_before_is_never_read(memory: Memory, claw: OpenClaw) -> None:
    left = [*talk("hi", "hello", "never mind"), said("n1", "m2", "this instead")]
    claw.file("one", left)
    claw.database("new").session("two", left)
    database = claw.database("new")
    database.path("two", [1, 2, 4])
    follow(memory, claw)
    assert sorted(journal(memory)) == sorted(["hi", "hello", "this instead"] * 2)


def test_a_file_written_anew_adds_nothing_twice(memory: Memory, claw: OpenClaw) -> None:
    path = claw.file("one", talk("a", "b", "c"))
    follow(memory, claw)
    summary = {"type": "compaction", "id": "k", "parentId": None, "summary": "they said a and b"}
    path.write_text(
        lines([header("one"), summary, said("m3", "k", "c"), said("m4", "m3", "d")]), "utf-8"
    )
    found = follow(memory, claw)
    assert (found.added, found.known, journal(memory)) == (1, 1, ["a", "b", "c", "d"])


def test_a_session_branched_off_another_begins_with_its_turns(
    memory: Memory, claw: OpenClaw
) -> None:
    claw.file("z-first", talk("a", "b"))
    later = {"timestamp": "2026-02-02T01:00:00.000Z"}
    for name, parent, texts in (("m-second", "z-first", "abc"), ("a-third", "m-second", "abcd")):
        path = claw.file(name, ())
        head = header(name, parentSession=f"/home/mei/{parent}.jsonl", **later)
        path.write_text(lines([head, *talk(*texts)]), "utf-8")
        later = {"timestamp": "2026-02-03T01:00:00.000Z"}
    assert follow(memory, claw).added == 4
    assert [turn.session for turn in memory.journal()] == ["z-first"] * 2 + ["m-second", "a-third"]


# -- the database --------------------------------------------------------------------------------


def test_of_a_database_only_sessions_that_changed_are_read(memory: Memory, claw: OpenClaw) -> None:
    database = claw.database()
    database.session("one", talk("a", "b"))
    database.session("two", talk("x"), key="agent:main:two")
    follow(memory, claw)
    for entry in talk("c", "d", first=3, parent="m2"):
        database.append("one", entry)
    found = follow(memory, claw)
    assert (found.added, found.known, found.read, found.unchanged) == (2, 2, 1, 1)


def test_a_session_that_was_written_anew(memory: Memory, claw: OpenClaw) -> None:
    database = claw.database()
    database.session("one", talk("a", "b"))
    follow(memory, claw)
    database.db.execute(
        "DELETE FROM transcript_events WHERE seq > 0; DELETE FROM session_transcript_active_events;"
        "INSERT INTO transcript_rewrite_watermarks VALUES ('one', 'g2')"
    )
    for entry in (said("m2", None, "b", "assistant"), said("m9", "m2", "new")):
        database.append("one", entry)
    found = follow(memory, claw)
    assert (found.added, found.known, journal(memory)) == (1, 1, ["a", "b", "new"])


def test_nothing_is_written_beside_a_database(memory: Memory, claw: OpenClaw) -> None:
    database = claw.database()
    database.session("one", talk("a"))
    database.close()
    before = database.file.read_bytes()
    assert follow(memory, claw).added == 1
    assert [path.name for path in database.file.parent.iterdir()] == ["openclaw-agent.sqlite"]
    assert database.file.read_bytes() == before
    # A copy with an empty log, as from a disk that cannot be written.
    copy = claw.database("copy").file
    copy.write_bytes(before.replace(b"one", b"two"))
    copy.with_name(copy.name + "-wal").write_bytes(b"")
    assert follow(memory, claw, "copy").added == 1


def test_what_a_running_openclaw_has_only_in_its_log_is_read(
    memory: Memory, claw: OpenClaw
) -> None:
    database = claw.database()
    database.session("one", talk("我们去大阪的计划。" * 500))  # long ones are compressed
    assert database.file.with_name(database.file.name + "-wal").stat().st_size
    assert follow(memory, claw).added == 1
    database.append("one", said("m2", "m1", "b"))  # nor is the writer kept from anything
    assert follow(memory, claw).added == 1
    assert journal(memory) == ["我们去大阪的计划。" * 500, "b"]


def test_a_locked_database_is_read_the_next_time(memory: Memory, claw: OpenClaw) -> None:
    database = claw.database()
    database.session("one", talk("a"))
    database.db.execute("PRAGMA journal_mode=DELETE").fetchall()
    database.db.execute("BEGIN EXCLUSIVE")
    (problem,) = follow(memory, claw).problems
    assert "in use" in problem.what
    database.db.execute("ROLLBACK")
    assert follow(memory, claw).added == 1


def test_sessions_that_were_forgotten_in_openclaw(memory: Memory, claw: OpenClaw) -> None:
    database = claw.database()
    database.session("gone", talk("secret"))
    database.session("here", talk("a"), key="agent:main:two")
    database.db.execute("INSERT INTO memory_session_tombstones VALUES ('gone')")
    assert (follow(memory, claw).added, journal(memory)) == (1, ["a"])


# -- who speaks, and to whom ---------------------------------------------------------------------

GROUP = "agent:main:telegram:group:42"


def _group(claw: OpenClaw, generation: str) -> None:
    spoken = [
        said("m1", None, "the party is on Friday"),
        said("m2", "m1", "I hate parties", owner=False),
        said("m3", "m2", "who said that?", owner=None),
    ]
    if generation == "file":
        claw.file("g", spoken, GROUP, chatType="group", lastChannel="telegram")
        claw.file("d", talk("my PIN is in the safe"), "agent:main:main")
    else:
        database = claw.database()
        database.session("g", spoken, GROUP, chat_type="group", channel="telegram")
        database.session("d", talk("my PIN is in the safe"))


@pytest.mark.parametrize("generation", ["file", "database"])
def test_a_group_chat(memory: Memory, claw: OpenClaw, generation: str) -> None:
    _group(claw, generation)
    follow(memory, claw)
    turns = {turn.id: turn for turn in memory.journal(session="g")}
    assert [turns[name].origin for name in ("m1", "m2", "m3")] == ["relayed", "group", "group"]
    assert {(turn.chat, turn.channel) for turn in turns.values()} == {("group", "telegram")}
    assert memory.recall("party Friday", chat="group").items
    assert not memory.recall("PIN safe", chat="group").items
    assert memory.recall("PIN safe").items


def test_who_hears_it_is_told_by_the_key_and_not_by_the_text(
    memory: Memory, claw: OpenClaw
) -> None:
    text = 'Conversation info (untrusted metadata):\n```json\n{"is_group_chat": true}\n```\nhello'
    claw.file("one", [said("m1", None, text, owner=None)])
    claw.database().session("g", talk("hi"), "agent:main:discord:channel:77")
    follow(memory, claw)
    turns = {turn.content: turn for turn in memory.journal()}
    assert (turns["hello"].chat, turns["hello"].origin) == ("direct", "group")
    assert (turns["hi"].chat, turns["hi"].channel) == ("room", "discord")


def test_sessions_in_which_no_person_speaks_are_skipped(memory: Memory, claw: OpenClaw) -> None:
    keys = cases(__file__, "programs")
    database = claw.database()
    for number, one in enumerate(keys):
        claw.file(f"f{number}", talk("do the job"), one["key"], **one["about"])
        database.session(f"d{number}", talk("do the job"), one["key"], **one["about"])
    claw.file("f0", talk("do the job"), "agent:main:main")  # with two keys it is a program's
    found = follow(memory, claw)
    assert (found.added, found.read, found.skipped) == (0, 0, 2 * len(keys))
    database.append("d0", said("m2", "m1", "more"))
    again = follow(memory, claw)
    assert (again.added, again.unchanged, again.skipped) == (0, 2 * len(keys) - 1, 1)


# -- two processes -------------------------------------------------------------------------------

_WRITER = """
import sys
from pathlib import Path
from tests.agents.openclaw.made import OpenClaw, lines, said
claw, kind = OpenClaw(Path(sys.argv[1])), sys.argv[2]
database = claw.database() if kind == "database" else None
path = claw.root / "agents/main/sessions/one.jsonl"
for number in range(2, 202):
    entry = said(f"m{number}", f"m{number - 1}", f"text {number} " + "x" * (number * 17 % 3000))
    if database:
        database.append("one", entry)
        continue
    text = lines([entry])
    with path.open("a") as file:
        for part in (text[:40], text[40:]):  # a reader may see half a line
            file.write(part)
            file.flush()
print("done")
"""


@pytest.mark.parametrize("kind", ["file", "database"])
def test_a_writer_goes_on_while_it_is_followed(memory: Memory, claw: OpenClaw, kind: str) -> None:
    if kind == "file":
        claw.file("one", talk("text 1"))
    else:
        database = claw.database()
        database.session("one", talk("text 1"))
        database.close()
    command = [sys.executable, "-c", _WRITER, str(claw.root), kind]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
        added, runs = 0, 0
        while writer.poll() is None:
            found = follow(memory, claw)
            # A reader that came just when the writer opened the file may be told to come again.
            assert all("in use" in problem.what for problem in found.problems)
            added += found.added
            runs += 1
        assert writer.returncode == 0
    added += follow(memory, claw).added
    assert (added, runs > 0) == (201, True)
    texts = [turn.content.split(" x")[0].strip() for turn in memory.journal(session="one")]
    assert sorted(texts) == sorted(f"text {number}" for number in range(1, 202))


# -- what is damaged -----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["file", "database"])
def test_what_was_damaged_is_taken_once_it_is_mended(
    memory: Memory, claw: OpenClaw, kind: str
) -> None:
    good = lines([said("m2", "m1", "b")]).rstrip()
    if kind == "file":
        path = claw.file("one", talk("a"))
        whole = path.read_text("utf-8") + good + "\n" + lines([said("m3", "m2", "c")])
        path.write_text(whole.replace(good, "?" * len(good)), "utf-8")
    else:
        database = claw.database()
        database.session("one", [*talk("a"), {}, said("m3", "m2", "c")])
        database.db.execute("UPDATE transcript_events SET event_json = '?' WHERE seq = 2")
    found = follow(memory, claw)
    assert (len(found.problems), journal(memory)) == (1, ["a", "c"])
    if kind == "file":
        path.write_text(whole, "utf-8")
    else:
        database.db.execute("UPDATE transcript_events SET event_json = ? WHERE seq = 2", (good,))
    found = follow(memory, claw)
    assert (found.added, found.problems, len(journal(memory))) == (1, (), 3)


def _bomb() -> bytes:
    packer = zstandard.ZstdCompressor().compressobj()
    return b"".join(packer.compress(b" " * (1 << 20)) for _ in range(64)) + packer.flush()


def _claims() -> bytes:
    """A frame that claims to hold 64 GiB."""
    frame = zstandard.compress(b"x" * 300, 1)
    return frame[:4] + b"\xe0" + (1 << 36).to_bytes(8, "little") + frame[7:]


def test_events_that_cannot_be_read_are_told_once(memory: Memory, claw: OpenClaw) -> None:
    bad: list[str | bytes] = [
        _bomb(),
        _claims(),
        zstandard.compress(b'{"type": "message"' * 100)[:-9],
        zstandard.compress(b"\xff\xfe" * 2000),
        b"not zstd",
        b"",
        "no json",
        "[1, 2]",
        "[" * 1000,
        json.dumps({"type": "message", "id": "x", "message": {"role": "king", "content": "a"}}),
        json.dumps({"type": "message", "id": ["x"], "parentId": {}, "message": {"role": 7}}),
        "of twenty megabytes",
        "not utf-8",
    ]
    database = claw.database()
    database.session("one", talk("a"))
    for event in bad:
        last = database.append("one", event)
    for value, seq in (
        ("event_json = NULL, event_zstd = zeroblob(20 << 20)", last - 1),
        ("event_json = CAST(x'7bf3' AS TEXT)", last),
    ):
        database.db.execute(f"UPDATE transcript_events SET {value} WHERE seq = ?", (seq,))
    database.append("one", said("m3", "m1", "c"))
    found = follow(memory, claw)
    # Those that can be read and say nonsense are on a branch that was left.
    lost = [n for n, event in enumerate(bad) if not (isinstance(event, str) and '"id"' in event)]
    places = [(f"{database.file}#one", 3 + n) for n in lost]
    assert sorted((one.file, one.line) for one in found.problems) == places
    assert journal(memory) == ["a", "c"]
    assert follow(memory, claw).problems == ()


def _broken(database: Path, how: str) -> None:
    data = bytearray(database.read_bytes())
    if how == "text":
        data = bytearray(b"hello\n" * 1000)
    elif how == "empty":
        data = bytearray()
    elif how == "cut":
        data = data[: len(data) // 2]
    elif how == "scrambled":
        data[100:] = b"\x5a" * (len(data) - 100)
    database.write_bytes(bytes(data))


@pytest.mark.parametrize("how", ["text", "empty", "cut", "scrambled", "foreign", "view"])
def test_a_database_that_is_none(memory: Memory, claw: OpenClaw, how: str) -> None:
    claw.file("other", talk("still here"), agent="zed")
    database = claw.database()
    database.session("one", talk(*(["long " * 300] * 40)))
    if how == "foreign":
        database.db.execute("DROP TABLE transcript_events")
    if how == "view":
        database.db.execute(
            "DROP TABLE transcript_events; CREATE VIEW transcript_events AS WITH RECURSIVE"
            " n(seq) AS (SELECT 1 UNION ALL SELECT seq + 1 FROM n) SELECT 'one' AS session_id, seq,"
            " '{}' AS event_json, 1 AS created_at FROM n"
        )
    database.close()
    _broken(database.file, how)
    found = follow(memory, claw)
    assert (found.added, "still here" in journal(memory)) in ((1, True), (41, True))
    assert found.problems or found.added == 41
    assert {Path(one.file.split("#")[0]) for one in found.problems} <= {database.file}


def test_files_that_cannot_be_read_are_told_and_the_others_read(
    memory: Memory, claw: OpenClaw, tmp_path: Path
) -> None:
    path = claw.file("one", talk("a"))
    append(path, "nonsense\n" * 3000)
    claw.file("two", ()).write_bytes(b"\xff\xfe\x00" + b"x" * 500 + b"\n")
    outside = tmp_path / "outside.jsonl"
    outside.write_text(lines([header("out"), *talk("not ours")]), "utf-8")
    (path.parent / "three.jsonl").symlink_to(outside)
    (path.parent / "four.jsonl").symlink_to(tmp_path / "nowhere")
    found = follow(memory, claw)
    assert (found.added, journal(memory)) == (1, ["a"])
    told = [Path(one.file).stem for one in found.problems]
    assert (told.count("one"), {"two", "three"} <= set(told)) == (101, True)
    assert any("2900" in one.what for one in found.problems)
